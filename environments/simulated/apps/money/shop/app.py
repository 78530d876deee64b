"""Shop: products to find and buy, a cart, a checkout in steps, and the orders that were placed."""

from itertools import count
from typing import Annotated, Literal, Self

from pydantic import Field, JsonValue, model_validator

from environments.effects import Effect as Does
from environments.simulated import app as sim
from environments.simulated.apps.common.functions_base import FunctionTable, Limit, Offset, chosen, part_of, unknown
from environments.simulated.apps.common.record_list import list_update, question, refuse_twice, with_error
from environments.simulated.apps.money.shop import state as shop
from environments.simulated.apps.money.shop.state import CartLine, Order, Product, ShopState, page
from environments.simulated.screen.widgets import Widget
from environments.simulated.world import values
from environments.simulated.world.values import Model, Money, from_cents, highest, made_up, shown

Sort = Literal["Featured", "Price: low to high", "Price: high to low", "Rating", "Name"]


class Purchase(Model):
    """`total` is what the caller agrees to pay. What is left out is as the checkout has it."""

    total: Money
    name: str | None = None
    street: str | None = None
    city: str | None = None
    postcode: str | None = None
    country: str | None = None
    delivery: str | None = None
    payment: str | None = None


def _product(state: ShopState, name: str) -> Product:
    return state.products.get(name) or unknown("product", name, state.products)


def _cart(state: ShopState) -> dict[str, JsonValue]:
    lines: list[JsonValue] = [
        {"line": line.id, "product": product.id, "name": product.name, "options": dict(line.options), "quantity": line.quantity,
         "price": product.price}
        for line, product in state.held()
    ]  # fmt: skip
    cost = {name: from_cents(cents) for name, cents in state.totals()._asdict().items()}
    return {"currency": state.currency, "lines": lines, **cost, "total": from_cents(state.totals().total)}


def _order(state: ShopState, order: Order) -> JsonValue:
    return {"currency": state.currency, **order.model_dump(mode="json"), "total": order.total}


FUNCTIONS = FunctionTable[ShopState]()


@FUNCTIONS.reads("ProductQuery", "What is looked for, as the list has it.")
def search_products(
    state: ShopState,
    offset: Offset = 0,
    limit: Limit = 50,
    query: str = "",
    category: str = shop.ALL,
    sort: Sort = "Featured",
    in_stock: bool = False,
) -> JsonValue:
    """Products that fit a search or a category, sorted"""
    category = chosen("Category", category, (shop.ALL, *state.categories()))
    fits = state.found(query, category, sort)
    some = [product for product in fits if product.stock or not in_stock]
    told = {"id", "name", "price", "category", "stock", "minimum", "rating"}
    return {"currency": state.currency, **part_of(some, offset, limit, lambda p: p.model_dump(mode="json", include=told))}


@FUNCTIONS.reads("ById", "A product by its id.")
def get_product(state: ShopState, id: str) -> JsonValue:
    """All of one product, with its options"""
    product = _product(state, id)
    return {"currency": state.currency, **product.model_dump(mode="json")}


@FUNCTIONS.reads()
def cart(state: ShopState) -> JsonValue:
    """What is in the cart, and what it costs"""
    return _cart(state)


@FUNCTIONS.writes("CartAddition", "A product for the cart; without a quantity it is the least that is sold.")
def add_to_cart(
    state: ShopState,
    *,
    id: str,
    quantity: Annotated[int | None, Field(ge=1)] = None,
    options: Annotated[dict[str, str], Field(default_factory=dict)],
) -> sim.FunctionResult[ShopState]:
    """Put a product into the cart"""
    product = _product(state, id)
    for name in options:
        if name not in product.options:
            unknown("option", name, product.options)
    picked = {name: chosen(name, options[name], values) for name, values in product.options.items() if name in options}
    many = product.minimum if quantity is None else quantity
    if said := state.add_problem(product, picked, many):
        raise sim.FunctionDeclined(said)
    after = state.added(product, picked, many)
    line = after.same_line(product, picked)
    result = {"line": line.id if line else None, **_cart(after)}
    return sim.FunctionResult(after, result, (sim.Toast(f"{product.name} added to cart"),))


@FUNCTIONS.writes("ByLine", "A line of the cart by its id.", repeatable=True)
def remove_from_cart(state: ShopState, line: str) -> sim.FunctionResult[ShopState]:
    """Take a line out of the cart"""
    lines = {one.id: product for one, product in state.held()}
    product = lines.get(line) or unknown("line", line, lines)
    after = state.without(line)
    return sim.FunctionResult(after, _cart(after), (sim.Toast(f"{product.name} removed"),))


@FUNCTIONS.writes()
def place_order(state: ShopState, wanted: Purchase) -> sim.FunctionResult[ShopState]:
    """Buy what is in the cart for the given total"""
    given = {name: value for name, value in wanted.model_dump(exclude={"total"}).items() if value is not None}
    for name in ("country", "delivery", "payment"):
        if name in given:
            given[name] = chosen(name.capitalize(), given[name], state.options_of(name))
    ready = state.replace(draft=state.draft.replace(**given))
    if said := ready.problems():
        raise sim.FunctionDeclined("; ".join(said))
    total = from_cents(ready.totals().total)
    if total != wanted.total:
        raise sim.FunctionDeclined(
            f"the total is {ready.currency}{total}, not {ready.currency}{wanted.total}; nothing was ordered"
        )
    after, order = ready.placed()
    return sim.FunctionResult(after, _order(state, order), (sim.Submitted(), sim.Toast("Order placed")))


@FUNCTIONS.reads("Page", "Which part of a long result is wanted.")
def orders(state: ShopState, offset: Offset = 0, limit: Limit = 50) -> JsonValue:
    """Orders that were placed, the latest first"""
    return part_of(list(reversed(state.orders.values())), offset, limit, lambda order: _order(state, order))


_WAYS = (
    shop.Delivery(name="Standard", price="4.99", takes="3 to 5 days"),
    shop.Delivery(name="Express", price="12.99", takes="next day"),
    shop.Delivery(name="Pick up", price="0.00", takes="today"),
)
_COUNTRIES = ("Austria", "France", "Germany", "Sweden", "Switzerland", "United Kingdom", "United States")


class InCart(Model):
    """Something that lies in the cart at first."""

    product: str
    quantity: int = Field(default=1, ge=1)
    options: dict[str, str] = Field(default_factory=dict)


class ShopContent(sim.Content):
    """`generate` adds products from the seed to those that are given; `card` is one that the shop keeps for the buyer.

    `cart` speaks of products that are given.
    """

    products: tuple[Product, ...] | None = None
    generate: int | None = Field(default=None, ge=0, le=20_000)
    orders: tuple[Order, ...] | None = None
    cart: tuple[InCart, ...] = ()
    address: shop.Address = shop.Address()
    card: shop.Card = shop.Card()
    deliveries: tuple[shop.Delivery, ...] = Field(default=_WAYS, min_length=1)
    countries: tuple[str, ...] = Field(default=_COUNTRIES, min_length=1)
    free_delivery_from: Money | None = None
    currency: str = "$"

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        for noun, names in (
            ("products", [product.id for product in self.products or ()]),
            ("orders", [order.number for order in self.orders or ()]),
            ("deliveries", [way.name for way in self.deliveries]),
        ):
            refuse_twice(f"{noun}:", names)
        if self.address.country and self.address.country not in self.countries:
            raise ValueError(f"address.country: {self.address.country!r} is not one of {', '.join(self.countries)}")
        products = {product.id: product for product in self.products or ()}
        for part in self.cart:
            if said := _cart_problem(part, products.get(part.product)):
                raise ValueError(f"cart: {said}")
        return self


def _cart_problem(part: InCart, product: Product | None) -> str:
    """Why this cannot lie in a cart; empty when it can."""
    if product is None:
        return f"{part.product!r} is not one of the products given here"
    if not product.minimum <= part.quantity <= product.stock:
        return f"{part.quantity} of {part.product} cannot be ordered; between {product.minimum} and {product.stock} can"
    if set(part.options) != set(product.options) or any(part.options[name] not in product.options[name] for name in part.options):
        return f"{part.product} needs one choice for each of its options, which are: {', '.join(product.options) or 'none'}"
    return ""


def _made_product(name: str, setting: sim.Setting) -> Product:
    rng = setting.rng
    goods = made_up("sold_goods")
    category = rng.choice(tuple(goods))
    options: dict[str, tuple[str, ...]] = {}
    if category == "Clothing":
        options["Size"] = tuple(made_up("sizes"))
    if rng.random() < 0.4:
        options["Colour"] = tuple(rng.sample(made_up("colours"), 3))
    return Product(
        id=name,
        name=f"{rng.choice(made_up('styles'))} {rng.choice(goods[category])} {rng.randrange(100, 1000)}",
        price=values.amount(rng, 3, 250),
        category=category,
        stock=rng.choice((0, 3, 12, 40, 120)),
        minimum=rng.choice((1, 1, 1, 1, 1, 1, 1, 2, 5)),
        description=values.paragraph(rng, 1),
        options=options,
        rating=rng.choice((None, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0)),
    )


def _orders(products: tuple[Product, ...], way: shop.Delivery, setting: sim.Setting) -> tuple[Order, ...]:
    rng = setting.rng
    if not products:
        return ()
    days = sorted(values.day_before(rng, setting.cast.today) for _ in range(4))
    orders: list[Order] = []
    for day, status in zip(days, ("Delivered", "Delivered", "Shipped", "Processing"), strict=True):
        some = rng.sample(products, min(len(products), rng.randrange(1, 4)))
        lines = tuple(shop.OrderLine(name=p.name, product=p.id, quantity=rng.randrange(1, 4), price=p.price) for p in some)
        number = str(max(1000, highest(order.number for order in orders)) + 1)
        order = {"number": number, "date": day, "status": status, "lines": lines, "shipping": way.price, "delivery": way.name}
        orders.append(Order.model_validate({**order, "payment": "Invoice"}))
    return tuple(orders)


_PAGES: dict[str, shop.Page] = {"go-products": "products", "go-cart": "cart", "go-orders": "orders", "go-orders-back": "orders"}


def _bought(found: sim.Difference) -> str:
    goods = ", ".join(f"{line.quantity} × {line.name}" for line in found.new.lines)
    return f"orders {goods} for {shown(found.new.total, found.after.currency)}, to {found.new.address}"


class Shop(sim.App[ShopContent, ShopState]):
    """A shop on the web, as its buyer sees it."""

    name = "shop"
    title = "Shop"
    words = ("shop", "store", "cart", "product", "products", "order", "orders", "buy")
    looks = frozenset(
        {"counter", "draft", "page", "number", "query", "applied", "category", "sort", "open", "picked", "quantity",
         "typed", "step", "asked", "errors"}
    )  # fmt: skip
    # What is in stock follows from orders.
    meanings = (
        sim.Meaning("orders.*", Does.PURCHASE, _bought, sim.is_new),
        sim.Meaning("orders.*", Does.DELETE, "cancels the order {new.number} over {new.total}", sim.becomes(status="Cancelled")),
        sim.Meaning("card", Does.ACCOUNT, "changes the card that the shop keeps"),
        sim.Meaning("lines.*", Does.EDIT, "takes something out of the cart", sim.is_gone),
        sim.Meaning(
            "lines.*",
            Does.EDIT,
            lambda d: f"puts {d.new.quantity} × {shop.label_of(d.new, d.after.products[d.new.product])} into the cart",
        ),
        sim.Meaning("products.*", None),
    )
    functions = FUNCTIONS

    def start(self, content: ShopContent, setting: sim.Setting) -> ShopState:
        """The shop as the world file and the seed have it; nobody has been in it yet."""
        given = content.products or ()
        taken = {product.id for product in given}
        free = (name for name in (f"P{number}" for number in count(1)) if name not in taken)
        many = values.how_many(content.products, content.generate, 40, setting.cast.times)
        made = tuple(_made_product(next(free), setting) for _ in range(many))
        products = {product.id: product for product in (*given, *made)}
        orders = content.orders if content.orders is not None else _orders(made, content.deliveries[0], setting)
        lines = {str(n): CartLine(id=str(n), **part.model_dump()) for n, part in enumerate(content.cart, start=1)}
        address = content.address if content.address.name else content.address.replace(name=setting.cast.user)
        return ShopState(
            products=products, orders={order.number: order for order in orders}, lines=lines, counter=len(lines),
            draft=shop.Draft(**address.model_dump(), **content.card.model_dump(), delivery=content.deliveries[0].name),
            deliveries=content.deliveries, countries=content.countries, card=content.card, currency=content.currency,
            free_from=content.free_delivery_from or "", today=setting.cast.today.isoformat(),
        )  # fmt: skip

    def view(self, state: ShopState) -> tuple[Widget, ...]:
        return page(state)

    def update(self, state: ShopState, event: sim.Event) -> sim.Update[ShopState]:
        if isinstance(event, sim.Pressed) and event.key in _PAGES:
            return sim.Update(_turned(state, _PAGES[event.key]))
        if state.page == "product" and state.open in state.products:
            return _looking(state, state.products[state.open], event)
        if state.page in ("orders", "order", "done"):
            return _ordered(state, event)
        if state.page == "checkout" and any(state.held()):
            return _checking_out(state, event)
        if state.page in ("cart", "checkout"):
            return _filling(state, event)
        return _browsing(state, event)


def _turned(state: ShopState, to: shop.Page, opened: str = "") -> ShopState:
    """Another page, with none of the errors of this one; what was typed into the cart is as it was."""
    return state.replace(page=to, open=opened, number=1, errors={}, typed={})


def _browsing(state: ShopState, event: sim.Event) -> sim.Update[ShopState]:
    if (looked := list_update(state, event, lambda: state.listed(), at="number")) is not None:
        return sim.Update(looked)
    match event:
        case sim.Edited(key="category" | "sort" as key, value=value):
            return sim.Update(state.model_copy(update={key: value, "number": 1}))
        case sim.Pressed(key=key) if key.startswith("product-"):
            return sim.Update(_shown(state, key.removeprefix("product-").removesuffix(".name")))
    return sim.Update(state)


def _shown(state: ShopState, name: str) -> ShopState:
    """The page of a product, with nothing chosen yet."""
    if name not in state.products:
        return state
    least = str(state.products[name].minimum)
    return _turned(state, "product", name).replace(picked={}, quantity=least)


def _looking(state: ShopState, product: Product, event: sim.Event) -> sim.Update[ShopState]:
    match event:
        case sim.Edited(key="quantity", value=value):
            return sim.Update(state.replace(quantity=value, errors=with_error(state.errors, "quantity")))
        case sim.Left(key="quantity"):
            said = "" if shop.whole(state.quantity) else state.quantity_problem(product, 0)
            return sim.Update(state.replace(errors=with_error(state.errors, "quantity", said)))
        case sim.Edited(key=key, value=value) if key.removeprefix("option.") in product.options:
            picked = {**state.picked, key.removeprefix("option."): value}
            return sim.Update(state.replace(picked=picked, errors=with_error(state.errors, key)))
        case sim.Pressed(key="add"):
            picked = {name: state.picked[name] for name in product.options if name in state.picked}
            many = shop.whole(state.quantity)
            errors = {f"option.{name}": said for name, said in shop.missing(product, picked).items()}
            if not errors and (said := state.add_problem(product, picked, many)):
                errors["quantity"] = said
            if errors:
                return sim.Update(state.replace(errors=errors))
            added = state.added(product, picked, many).replace(errors={})
            return sim.Update(added, (sim.Toast(f"{product.name} added to cart"),))
    return sim.Update(state)


def _filling(state: ShopState, event: sim.Event) -> sim.Update[ShopState]:
    match event:
        case sim.Pressed(key="to-checkout"):
            state = state.settled()
            if state.cart_problems() or state.typed:
                return sim.Update(state)
            return sim.Update(_turned(state, "checkout").replace(step="address"))
        case sim.Pressed(key="update-cart") | sim.Left():
            return sim.Update(state.settled())
        case sim.Edited(key=key, value=value) if (name := _line_in(key, "line-")) in state.lines:
            return sim.Update(state.replace(typed={**state.typed, name: value}, errors=with_error(state.errors, f"line-{name}")))
        case sim.Pressed(key=key) if (name := _line_in(key, "line-")) in state.lines:
            return sim.Update(_shown(state, state.lines[name].product))
        case sim.Pressed(key=key) if (name := _line_in(key, "remove-")) in state.lines:
            line = state.lines[name]
            said = f"{shop.label_of(line, state.products[line.product])} removed" if line.product in state.products else "Removed"
            return sim.Update(state.without(name), (sim.Toast(said),))
    return sim.Update(state)


def _line_in(key: str, prefix: str) -> str:
    """The id of the line that a key is about; empty when it is about none."""
    return key.removeprefix(prefix).split(".")[0] if key.startswith(prefix) else ""


def _checking_out(state: ShopState, event: sim.Event) -> sim.Update[ShopState]:
    fields = shop.STEPS[state.step]
    match event:
        case sim.Edited(key=key, value=value) if key.removeprefix("form.") in fields:
            draft = state.draft.model_copy(update={key.removeprefix("form."): value})
            errors = {} if key == "form.payment" else with_error(state.errors, key)
            return sim.Update(state.replace(draft=draft, errors=errors))
        case sim.Left(key=key) if (name := key.removeprefix("form.")) in fields:
            said = state.field_error(name)
            return sim.Update(state.replace(errors=with_error(state.errors, key, said)))
        case sim.Pressed(key="continue" | "back" as key):
            return sim.Update(_stepped(state, 1 if key == "continue" else -1))
        case sim.Pressed(key="place-order"):
            if state.problems():
                return sim.Update(_sent_back(state))
            total = from_cents(state.totals().total)
            ask = question("place-order", "Place your order?", f"You will pay {shown(total, state.currency)}.", "Place order")
            return sim.Update(state.replace(asked=total, errors={}), (ask,))
        case sim.Answered(key="place-order", button="Place order"):
            # The order, unless the world has changed while the question was on the screen
            if state.problems():
                return sim.Update(_sent_back(state))
            now = from_cents(state.totals().total)
            if now != state.asked:
                said = f"The total is now {shown(now, state.currency)}; it was {shown(state.asked or '0.00', state.currency)}"
                return sim.Update(state.replace(errors={"order": said}, asked=""))
            after, order = state.placed()
            return sim.Update(_turned(after, "done", order.number), (sim.Submitted(), sim.Toast("Order placed")))
    return sim.Update(state)


def _stepped(state: ShopState, by: int) -> ShopState:
    """The next step when this one is filled in rightly, or the one before; before the first one is the cart."""
    errors = {f"form.{name}": said for name, said in state.errors_of(state.step).items()} if by > 0 else {}
    names = tuple(shop.STEPS)
    at = names.index(state.step) + by
    if at < 0:
        return _turned(state, "cart")
    step = state.step if errors or at >= len(names) else names[at]
    return state.replace(errors=errors, step=step)


def _sent_back(state: ShopState) -> ShopState:
    """The first step with something wrong, which says what."""
    step: shop.Step = next((step for step in shop.STEPS if state.errors_of(step)), "review")
    errors = {f"form.{name}": said for name, said in state.errors_of(step).items()}
    return state.replace(step=step, errors=errors, asked="")


def _ordered(state: ShopState, event: sim.Event) -> sim.Update[ShopState]:
    order = state.orders.get(state.open)
    if order is None and (looked := list_update(state, event, lambda: list(state.orders), at="number")) is not None:
        return sim.Update(looked)
    match event:
        case sim.Pressed(key=key) if key.startswith("order-"):
            return sim.Update(_turned(state, "order", key.removeprefix("order-").removesuffix(".number")))
        case sim.Pressed(key="cancel-order") if order:
            title = f"Cancel order {order.number}?"
            return sim.Update(state, (question("cancel-order", title, "This cannot be undone.", "Cancel order", "Go back"),))
        case sim.Answered(key="cancel-order", button="Cancel order") if order and order.status == "Processing":
            return sim.Update(state.cancelled(order), (sim.Toast("Order cancelled"),))
    return sim.Update(state)
