"""What the shop knows: products, a cart and orders; what things cost; and its pages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal, NamedTuple

from pydantic import Field

from environments.simulated import app as sim
from environments.simulated.apps.common.record_list import list_view
from environments.simulated.screen import widgets as ui
from environments.simulated.screen.widgets import Widget
from environments.simulated.world.values import (
    Day,
    IdentityKey,
    Model,
    Money,
    from_cents,
    highest,
    in_cents,
    matches,
    shown,
    slug,
    without,
)

ALL = "All categories"
SORTS = ("Featured", "Price: low to high", "Price: high to low", "Rating", "Name")
PAYMENTS = ("Card", "Invoice")
Page = Literal["products", "product", "cart", "checkout", "done", "orders", "order"]
Step = Literal["address", "delivery", "payment", "review"]
Status = Literal["Processing", "Shipped", "Delivered", "Cancelled"]


class Product(Model):
    """Something for sale."""

    id: str = Field(pattern=r"^[\w-]+$")
    name: str = Field(min_length=1)
    price: Money
    category: str = "Other"
    stock: int = Field(default=10, ge=0)
    minimum: int = Field(default=1, ge=1)
    """The least that is sold at once."""
    rating: float | None = Field(default=None, ge=0, le=5)
    description: str = ""
    options: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """What has to be chosen, such as Size or Colour."""


class CartLine(Model):
    """One thing in the cart."""

    id: str
    product: str
    options: dict[str, str] = Field(default_factory=dict)
    quantity: int = Field(ge=1)


class Delivery(Model):
    """A way to get things to the buyer."""

    name: str = Field(min_length=1)
    price: Money = "0.00"
    takes: str = ""


class Address(Model):
    """Where things go."""

    name: str = ""
    street: str = ""
    city: str = ""
    postcode: str = ""
    country: str = ""


class Card(Model):
    """A card that the buyer has left with the shop."""

    card: str = ""
    expiry: str = ""
    code: str = ""


class Draft(Address, Card):
    """The checkout as it stands."""

    delivery: str = ""
    payment: str = PAYMENTS[0]

    def paid_by(self) -> str:
        """How it is paid, without the number of the card."""
        return f"Card ending in {re.sub(r'[^0-9]', '', self.card)[-4:]}" if self.payment == PAYMENTS[0] else self.payment

    def address_of(self) -> str:
        return ", ".join(getattr(self, name).strip() for name in STEPS["address"])


class OrderLine(Model):
    """One line of an order, as it was when the order was placed."""

    name: str
    product: str = ""
    quantity: int = Field(default=1, ge=1)
    price: Money


class Order(Model):
    """What was bought. The total follows from its parts."""

    number: str = Field(pattern=r"^[\w-]+$")
    date: Day
    status: Status = "Processing"
    lines: tuple[OrderLine, ...] = Field(min_length=1)
    shipping: Money = "0.00"
    delivery: str = ""
    address: str = ""
    payment: str = ""

    @property
    def subtotal(self) -> str:
        return from_cents(sum(in_cents(line.price) * line.quantity for line in self.lines))

    @property
    def total(self) -> str:
        return from_cents(in_cents(self.subtotal) + in_cents(self.shipping))


class ShopState(sim.AppState):
    """Products, cart and orders by id, and what is looked at or typed."""

    products: dict[str, Product]
    deliveries: tuple[Delivery, ...]
    countries: tuple[str, ...]
    orders: dict[str, Order]
    lines: dict[str, CartLine] = Field(default_factory=dict)
    counter: int = 0
    """The highest number that a line of the cart has had."""
    draft: Draft
    card: Card
    """The one that the shop keeps."""
    currency: str
    free_from: str
    """What the cart must be worth for the first way of delivery to be free; empty for never."""
    today: str
    page: Page = "products"
    number: int = 1
    """Page of the list that is shown."""
    query: str = ""
    applied: str = ""
    category: str = ALL
    sort: str = SORTS[0]
    open: str = ""
    """The product or the order that is shown."""
    picked: dict[str, str] = Field(default_factory=dict)
    """Options of the product that is shown."""
    quantity: str = ""
    typed: dict[str, str] = Field(default_factory=dict)
    """Quantities of the cart as they are being typed."""
    step: Step = "address"
    asked: str = ""
    """The total that the question on the screen is about."""
    errors: dict[str, str] = Field(default_factory=dict)

    def listed(self) -> tuple[Product, ...]:
        """What the page of products shows."""
        return self.found(self.applied, self.category, self.sort)

    def found(self, query: str, category: str, sort: str) -> tuple[Product, ...]:
        """Products of a category that have all words of the query, sorted as a shop does."""
        return _found(IdentityKey(self.products), query, category, sort)

    def categories(self) -> tuple[str, ...]:
        return _categories(IdentityKey(self.products))

    def held(self) -> Iterator[tuple[CartLine, Product]]:
        """The lines of the cart whose product still exists."""
        return ((line, self.products[line.product]) for line in self.lines.values() if line.product in self.products)

    def totals(self) -> Totals:
        """What the cart costs now, with the delivery that is chosen."""
        parts = sum(in_cents(product.price) * line.quantity for line, product in self.held())
        first = self.deliveries[0]
        chosen = next((way for way in self.deliveries if way.name == self.draft.delivery), first)
        free = chosen is first and self.free_from and parts >= in_cents(self.free_from)
        return Totals(parts, 0 if free or not self.lines else in_cents(chosen.price))

    def quantity_problem(self, product: Product, quantity: int, line: str = "") -> str:
        """Why a line cannot have this quantity; `line` is the one that it is for, if there is one already."""
        others = sum(other.quantity for other, _ in self.held() if other.product == product.id and other.id != line)
        if product.stock == 0:
            return f"{product.name} is out of stock"
        if quantity < 1:
            return "Quantity must be a whole number like 2"
        if quantity < product.minimum:
            return f"The minimum quantity of {product.name} is {product.minimum}"
        if quantity + others > product.stock:
            already = f", and {others} in your cart" if others else ""
            return f"Only {product.stock} of {product.name} in stock{already}"
        return ""

    def same_line(self, product: Product, picked: dict[str, str]) -> CartLine | None:
        """The line that already holds this product with these options."""
        return next((line for line, _ in self.held() if line.product == product.id and line.options == picked), None)

    def add_problem(self, product: Product, picked: dict[str, str], quantity: int) -> str:
        """Why it cannot be added; empty when it can."""
        if lacking := missing(product, picked):
            return next(iter(lacking.values()))
        there = self.same_line(product, picked)
        more = there.quantity if there and quantity > 0 else 0
        said = self.quantity_problem(product, quantity + more, there.id if there else "")
        return f"{said}, and {more} in your cart" if more and said.startswith("Only") and "cart" not in said else said

    def added(self, product: Product, picked: dict[str, str], quantity: int) -> ShopState:
        """The state with more in the cart: of a line that is there, or in a new one."""
        there = self.same_line(product, picked)
        if there:
            return self.resized(there.id, there.quantity + quantity)
        counter = self.counter + 1
        line = CartLine(id=str(counter), product=product.id, options=picked, quantity=quantity)
        return self.replace(lines={**self.lines, line.id: line}, counter=counter)

    def resized(self, line: str, quantity: int) -> ShopState:
        changed = self.lines[line].replace(quantity=quantity)
        return self.replace(lines={**self.lines, line: changed}, typed=without(self.typed, line))

    def without(self, line: str) -> ShopState:
        typed, errors = without(self.typed, line), without(self.errors, f"line-{line}")
        return self.replace(lines=without(self.lines, line), typed=typed, errors=errors)

    def settled(self) -> ShopState:
        """Typed quantities are taken over where they can be; the page says what is wrong with the others."""
        state = self
        errors = {name: said for name, said in state.errors.items() if not name.startswith("line-")}
        for name, value in state.typed.items():
            product = state.products.get(state.lines[name].product) if name in state.lines else None
            if product is None:
                continue
            said = state.quantity_problem(product, whole(value), name)
            if said:
                errors[f"line-{name}"] = said
            else:
                state = state.resized(name, whole(value))
        return state if errors == state.errors else state.replace(errors=errors)

    def cart_problems(self) -> list[str]:
        """What keeps the cart from being ordered."""
        if not any(self.held()):
            return ["Your cart is empty"]
        said = [self.quantity_problem(product, line.quantity, line.id) for line, product in self.held()]
        return list(dict.fromkeys(problem for problem in said if problem))

    def field_error(self, name: str) -> str:
        """What is wrong with one field; empty when nothing is."""
        if name in CARD and self.draft.payment != PAYMENTS[0]:
            return ""
        value = getattr(self.draft, name).strip()
        if not value:
            return f"{LABELS[name]} is required"
        options = self.options_of(name)
        if options and value not in options:
            return f"{LABELS[name]} must be one of {', '.join(options)}"
        if name == "postcode" and not _POSTCODE.fullmatch(value):
            return "Postcode must be 3 to 10 letters or digits"
        if name == "card" and not _is_card(value):
            return "Card number is not valid"
        if name == "expiry":
            parts = _EXPIRY.fullmatch(value)
            if parts is None:
                return "Expiry date must be written like 09/28"
            return "The card has expired" if f"20{parts[2]}-{parts[1]}" < self.today[:7] else ""
        if name == "code" and not re.fullmatch(r"[0-9]{3,4}", value):
            return "Security code must be 3 or 4 digits"
        return ""

    def options_of(self, name: str) -> tuple[str, ...]:
        """What a field offers; empty for one that takes any text."""
        if name == "delivery":
            return tuple(way.name for way in self.deliveries)
        return {"country": self.countries, "payment": PAYMENTS}.get(name, ())

    def errors_of(self, *steps: Step) -> dict[str, str]:
        """What is wrong with the fields of these steps, by field."""
        names = (name for step in steps for name in STEPS[step])
        return {name: said for name in names if (said := self.field_error(name))}

    def problems(self) -> list[str]:
        """All that keeps the order from being placed."""
        return [*self.cart_problems(), *self.errors_of(*STEPS).values()]

    def placed(self) -> tuple[ShopState, Order]:
        """The state after an order without problems, and the order: less in stock, an empty cart, a typed card forgotten."""
        lines = tuple(
            OrderLine(name=label_of(line, product), product=product.id, quantity=line.quantity, price=product.price)
            for line, product in self.held()
        )
        order = Order(
            number=str(max(1000, highest(self.orders)) + 1), date=self.today, lines=lines,
            shipping=from_cents(self.totals().shipping), delivery=self.draft.delivery, address=self.draft.address_of(),
            payment=self.draft.paid_by(),
        )  # fmt: skip
        orders, draft = {**self.orders, order.number: order}, self.draft.replace(**self.card.model_dump())
        after = self._stocked(order, -1).replace(orders=orders, lines={}, typed={}, errors={}, asked="", draft=draft)
        return after, order

    def cancelled(self, order: Order) -> ShopState:
        """The state after an order was taken back: what it held is for sale again."""
        orders = {**self.orders, order.number: order.replace(status="Cancelled")}
        return self._stocked(order, 1).replace(orders=orders)

    def _stocked(self, order: Order, sign: int) -> ShopState:
        products = dict(self.products)
        for line in order.lines:
            if product := products.get(line.product):
                stock = max(0, product.stock + sign * line.quantity)
                products[product.id] = product.replace(stock=stock)
        return self.replace(products=products)


class Totals(NamedTuple):
    """What a cart costs, in cents."""

    subtotal: int
    shipping: int

    @property
    def total(self) -> int:
        return self.subtotal + self.shipping


@lru_cache(maxsize=8)
def _found(products: IdentityKey[dict[str, Product]], query: str, category: str, sort: str) -> tuple[Product, ...]:
    """Looked for once as long as neither the products nor the search change."""
    fits = [
        product for product in products.value.values()
        if category in (ALL, product.category)
        and matches(query, product.name, product.category, product.description, product.id)
    ]  # fmt: skip
    if sort == "Name":
        fits.sort(key=lambda product: (product.name.casefold(), product.id))
    elif sort == "Rating":
        fits.sort(key=lambda product: -(product.rating or 0))
    elif sort != SORTS[0]:
        fits.sort(key=lambda product: in_cents(product.price), reverse=sort == "Price: high to low")
    return tuple(fits)


@lru_cache(maxsize=8)
def _categories(products: IdentityKey[dict[str, Product]]) -> tuple[str, ...]:
    return tuple(sorted({product.category for product in products.value.values()}, key=str.casefold))


def label_of(line: CartLine, product: Product) -> str:
    return f"{product.name} ({', '.join(line.options.values())})" if line.options else product.name


def whole(text: str) -> int:
    """A quantity as it is typed; 0 when it is none."""
    return int(text) if re.fullmatch(r"[0-9]{1,6}", text := text.strip()) else 0


def missing(product: Product, picked: dict[str, str]) -> dict[str, str]:
    """What is wrong with the chosen options, by option."""
    return {name: f"Choose a {name.lower()}" for name, values in product.options.items() if picked.get(name) not in values}


LABELS = {
    "name": "Full name", "street": "Street address", "city": "City", "postcode": "Postcode", "country": "Country",
    "delivery": "Delivery method", "payment": "Payment method", "card": "Card number", "expiry": "Expiry date",
    "code": "Security code",
}  # fmt: skip
STEPS: dict[Step, tuple[str, ...]] = {
    "address": ("name", "street", "city", "postcode", "country"),
    "delivery": ("delivery",),
    "payment": ("payment", "card", "expiry", "code"),
    "review": (),
}
CARD = ("card", "expiry", "code")
_POSTCODE = re.compile(r"[A-Za-z0-9][A-Za-z0-9 -]{1,8}[A-Za-z0-9]")
_EXPIRY = re.compile(r"(0[1-9]|1[0-2]) ?/ ?([0-9]{2})")


def _is_card(value: str) -> bool:
    """Whether the digits end in the right check digit (Luhn)."""
    digits = re.sub(r"[ -]", "", value)
    if not re.fullmatch(r"[0-9]{12,19}", digits):
        return False
    doubled = (int(digit) * (1 + place % 2) for place, digit in enumerate(reversed(digits)))
    return sum(number // 10 + number % 10 for number in doubled) % 10 == 0


def checkout(state: ShopState) -> tuple[Widget, ...]:
    names = tuple(STEPS)
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
    card = state.draft.payment == PAYMENTS[0]
    names = STEPS[state.step] if card else tuple(name for name in STEPS[state.step] if name not in CARD)
    fields: list[Widget] = []
    for name in names:
        key, label, value = f"form.{name}", LABELS[name], getattr(state.draft, name)
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
        ui.row(f"line-{line.id}", ui.cell(label_of(line, product), f"line-{line.id}.name"),
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
        choices = tuple(dict.fromkeys((ALL, *state.categories(), state.category)))
        body = (
            ui.heading("Catalogue", "catalogue"),
            ui.search_bar("products", state.query),
            ui.bar(ui.combobox("Filter by category", "category", state.category, choices),
                   ui.combobox("Sort by", "sort", state.sort, SORTS), key="filters"),
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
    key, name = f"line-{line.id}", label_of(line, product)
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
