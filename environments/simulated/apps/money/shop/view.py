"""The pages of the shop: products, one product, the cart, orders."""

from environments.simulated.apps.common.record_list import list_view
from environments.simulated.apps.money.shop import state as shop
from environments.simulated.apps.money.shop.state import CartLine, Order, Product, ShopState
from environments.simulated.screen import widgets as ui
from environments.simulated.screen.widgets import Widget
from environments.simulated.world.values import from_cents, in_cents, shown, slug


def checkout(state: ShopState) -> tuple[Widget, ...]:
    names = tuple(shop.STEPS)
    titles = {"address": "Delivery address", "delivery": "Delivery", "payment": "Payment", "review": "Review your order"}
    if state.step == "review":
        body: tuple[Widget, ...] = _review(state)
    else:
        buttons = ui.bar(ui.button("Continue", "continue"), ui.button("Back", "back"), key="actions")
        body = (ui.form("checkout-form", *_fields(state), buttons, submit="continue"), *costs(state)[-1:])
    return (
        ui.heading(titles[state.step], f"checkout-{state.step}"),
        ui.text(f"Step {names.index(state.step) + 1} of {len(names)}", "step"),
        *body,
    )


def _fields(state: ShopState) -> list[Widget]:
    card = state.draft.payment == shop.PAYMENTS[0]
    names = shop.STEPS[state.step] if card else tuple(name for name in shop.STEPS[state.step] if name not in shop.CARD)
    fields: list[Widget] = []
    for name in names:
        key, label, value = f"form.{name}", shop.LABELS[name], getattr(state.draft, name)
        private, hint = name in ("card", "code"), "MM/YY" if name == "expiry" else None
        if options := state.options_of(name):
            field = ui.combobox(label, key, value, options, required=True)
        else:
            field = ui.textbox(label, key, value, required=True, private=private, placeholder=hint)
        fields += ui.checked(field, state.errors.get(key))
    for way in state.deliveries if state.step == "delivery" else ():
        cost = ", ".join(part for part in (shown(way.price, state.currency), way.takes) if part)
        fields.append(ui.pair(way.name, cost, f"way-{slug(way.name)}"))
    return fields


def _review(state: ShopState) -> tuple[Widget, ...]:
    draft = state.draft
    lines = [
        ui.row(f"line-{line.id}", ui.cell(shop.label_of(line, product), f"line-{line.id}.name"),
            ui.cell(str(line.quantity), f"line-{line.id}.many"),
            ui.cell(money(state, in_cents(product.price) * line.quantity), f"line-{line.id}.sum"), press=False)
        for line, product in state.held()
    ]  # fmt: skip
    said = [ui.alert(problem, f"problem-{n}") for n, problem in enumerate(state.cart_problems(), start=1)]
    return (
        ui.table("review-lines", ("Product", "Quantity", "Sum"), lines),
        ui.pair("Deliver to", draft.address_of(), "review-address"),
        ui.pair("Delivery method", draft.delivery, "review-delivery"),
        ui.pair("Pay with", draft.paid_by(), "review-payment"),
        *costs(state),
        *said,
        *error(state, "order"),
        ui.bar(ui.button("Place order", "place-order", enabled=not said), ui.button("Back", "back"), key="actions"),
    )


def error(state: ShopState, name: str) -> tuple[Widget, ...]:
    return (ui.alert(state.errors[name], f"{name}.error"),) if name in state.errors else ()


def money(state: ShopState, cents: int) -> str:
    return shown(from_cents(cents), state.currency)


def costs(state: ShopState) -> tuple[Widget, ...]:
    cost = state.totals()
    return (
        ui.pair("Subtotal", money(state, cost.subtotal), "subtotal"),
        ui.pair("Shipping", money(state, cost.shipping) if cost.shipping else "Free", "shipping"),
        ui.pair("Total", money(state, cost.total), "total"),
    )


def page(state: ShopState) -> tuple[Widget, ...]:
    """The page that is shown, under the links to the others. What is gone gives way to the list that it was on."""

    def line(product: Product) -> Widget:
        cells = {"name": product.name, "category": product.category, "price": shown(product.price, state.currency)}
        return ui.linked_row(f"product-{product.id}", {**cells, "rating": _stars(product), "stock": _availability(product)})

    if state.page == "product" and state.open in state.products:
        body = _product(state, state.products[state.open])
    elif state.page in ("done", "order") and state.open in state.orders:
        body = _order(state, state.orders[state.open])
    elif state.page in ("orders", "order", "done"):
        body = _orders(state)
    elif state.page == "checkout" and any(state.held()):
        body = checkout(state)
    elif state.page in ("cart", "checkout"):
        body = _cart(state)
    else:
        columns = ("Product", "Category", "Price", "Rating", "Availability")
        choices = tuple(dict.fromkeys((shop.ALL, *state.categories(), state.category)))
        body = (
            ui.heading("Catalogue", "catalogue"),
            ui.search_bar("products", state.query),
            ui.bar(ui.combobox("Filter by category", "category", state.category, choices),
                   ui.combobox("Sort by", "sort", state.sort, shop.SORTS), key="filters"),
            *list_view("products", columns, state.listed(), line, "No products found", state.number),
        )  # fmt: skip
    many = sum(line.quantity for line, _ in state.held())
    count = ui.text(f"{many} {'item' if many == 1 else 'items'} in cart", "count")
    links = ui.link("Products", "go-products"), ui.link("Cart", "go-cart"), ui.link("My orders", "go-orders")
    return (ui.bar(*links, count, key="navigation"), *body)


def _stars(product: Product) -> str:
    return f"{product.rating:.1f} of 5" if product.rating is not None else "No rating"


def _availability(product: Product) -> str:
    if product.stock == 0:
        return "Out of stock"
    return f"Only {product.stock} left" if product.stock <= 5 else "In stock"


def _product(state: ShopState, product: Product) -> tuple[Widget, ...]:
    key = f"product-{product.id}"
    fields: list[Widget] = []
    for name, values in product.options.items():
        where, hint = f"option.{name}", f"Choose a {name.lower()}"
        field = ui.combobox(name, where, state.picked.get(name, ""), values, required=True, placeholder=hint)
        fields += ui.checked(field, state.errors.get(where))
    field = ui.spinbutton("Quantity", "quantity", state.quantity, _quantities(product), required=True)
    fields += ui.checked(field, state.errors.get("quantity"))
    least = (ui.pair("Minimum quantity", str(product.minimum), f"{key}.minimum"),) if product.minimum > 1 else ()
    return (
        ui.heading(product.name, key),
        ui.pair("Price", shown(product.price, state.currency), f"{key}.price"),
        ui.pair("Category", product.category, f"{key}.category"),
        ui.pair("Rating", _stars(product), f"{key}.rating"),
        ui.pair("Availability", _availability(product), f"{key}.stock"),
        *least,
        *((ui.text(product.description, f"{key}.description"),) if product.description else ()),
        ui.form("buy-form", *fields, ui.button("Add to cart", "add", enabled=product.stock > 0), submit="add"),
    )


def _quantities(product: Product) -> tuple[float, float, float]:
    return product.minimum, max(product.stock, product.minimum), 1


def _cart(state: ShopState) -> tuple[Widget, ...]:
    lines = list(state.held())
    if not lines:
        return (ui.heading("Your cart", "cart"), ui.text("Your cart is empty", "none"))
    rows = [_line(state, line, product) for line, product in lines]
    errors = [error(state, f"line-{line.id}") for line, _ in lines]
    said = [ui.alert(problem, f"problem-{n}") for n, problem in enumerate(state.cart_problems(), start=1)]
    return (
        ui.heading("Your cart", "cart"),
        ui.table("cart-lines", ("Product", "Price", "Quantity", "Sum", "Remove"), rows),
        *(widget for some in errors for widget in some),
        *said,
        ui.bar(ui.button("Update cart", "update-cart"), key="update"),
        *costs(state),
        ui.bar(ui.button("Proceed to checkout", "to-checkout", enabled=not said), key="actions"),
    )  # fmt: skip


def _line(state: ShopState, line: CartLine, product: Product) -> Widget:
    key, name = f"line-{line.id}", shop.label_of(line, product)
    typed = state.typed.get(line.id, str(line.quantity))
    field = ui.spinbutton(f"Quantity of {name}", f"{key}.quantity", typed, _quantities(product), required=True,
                       invalid=key in state.errors)  # fmt: skip
    return ui.row(
        key,
        ui.link(name, f"{key}.name"),
        ui.cell(shown(product.price, state.currency), f"{key}.price"),
        ui.form(f"{key}.form", field, submit="update-cart"),
        ui.cell(money(state, in_cents(product.price) * line.quantity), f"{key}.sum"),
        ui.button(f"Remove {name}", f"remove-{line.id}"),
        press=False,
    )


def _orders(state: ShopState) -> tuple[Widget, ...]:
    def order_row(order: Order) -> Widget:
        cells = {"number": order.number, "date": order.date, "status": order.status}
        return ui.linked_row(f"order-{order.number}", {**cells, "total": shown(order.total, state.currency)})

    columns, orders = ("Order", "Date", "Status", "Total"), list(reversed(state.orders.values()))
    return (
        ui.heading("Order history", "orders"),
        *list_view("orders", columns, orders, order_row, "No orders yet", state.number),
    )


def _order(state: ShopState, order: Order) -> tuple[Widget, ...]:
    key, currency = f"order-{order.number}", state.currency
    thanks = (ui.heading("Thank you for your order", "done"),) if state.page == "done" else ()
    lines = [
        ui.row(f"{key}.{n}", ui.cell(line.name, f"{key}.{n}.name"), ui.cell(str(line.quantity), f"{key}.{n}.many"),
            ui.cell(shown(line.price, currency), f"{key}.{n}.price"), press=False)
        for n, line in enumerate(order.lines, start=1)
    ]  # fmt: skip
    facts = {"Date": order.date, "Status": order.status, "Delivery": order.delivery, "Deliver to": order.address,
             "Paid with": order.payment, "Subtotal": shown(order.subtotal, currency),
             "Shipping": shown(order.shipping, currency), "Total": shown(order.total, currency)}  # fmt: skip
    buttons = [ui.button("Cancel order", "cancel-order")] if order.status == "Processing" else []
    return (
        *thanks,
        ui.heading(f"Order {order.number}", key),
        ui.table(f"{key}.lines", ("Product", "Quantity", "Price"), lines),
        *(ui.pair(label, value, f"{key}.{slug(label)}") for label, value in facts.items() if value),
        ui.bar(*buttons, ui.button("Back to orders", "go-orders-back"), key="actions"),
    )
