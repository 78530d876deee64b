"""The functions of the shop. Buying goes by the same checks as in the window; a card is typed in the window only."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, JsonValue

from environments.simulated.app import FunctionDeclined, FunctionResult, Submitted, Toast
from environments.simulated.apps.common.functions_base import FunctionTable, Limit, Offset, chosen, part_of, unknown
from environments.simulated.apps.money.shop.state import ALL, Order, Product, ShopState
from environments.simulated.world.values import Model, Money, from_cents

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


def _short(product: Product) -> dict[str, JsonValue]:
    some = product.model_dump(mode="json", include={"id", "name", "price", "category", "stock", "minimum"})
    return {**some, "rating": product.stars}


def _product(state: ShopState, name: str) -> Product:
    if name not in state.products:
        unknown("product", name, state.products)
    return state.products[name]


def _cart(state: ShopState) -> dict[str, JsonValue]:
    lines: list[JsonValue] = [
        {"line": line.id, "product": product.id, "name": product.name, "options": dict(line.options), "quantity": line.quantity,
         "price": product.price, **({"price_was": line.price} if line.price != product.price else {})}
        for line, product in state.held()
    ]  # fmt: skip
    cost = {name: from_cents(cents) for name, cents in state.totals()._asdict().items()}
    total = from_cents(state.totals().total)
    return {"currency": state.currency, "lines": lines, **cost, "total": total, "voucher": state.voucher or None}


def _line(state: ShopState, name: str) -> Product:
    lines = {line.id: product for line, product in state.held()}
    if name not in lines:
        unknown("line", name, lines)
    return lines[name]


def _order(state: ShopState, order: Order) -> JsonValue:
    return {"currency": state.currency, **order.model_dump(mode="json"), "total": order.total}


FUNCTIONS = FunctionTable[ShopState]()


@FUNCTIONS.reads("ProductQuery", "What is looked for, as the list has it.")
def search_products(
    state: ShopState,
    offset: Offset = 0,
    limit: Limit = 50,
    query: str = "",
    category: str = ALL,
    sort: Sort = "Featured",
    in_stock: bool = False,
) -> JsonValue:
    """Products that fit a search or a category, sorted"""
    category = chosen("Category", category, (ALL, *state.categories()))
    fits = state.found(query, category, sort)
    some = [product for product in fits if product.stock or not in_stock]
    return {"currency": state.currency, **part_of(some, offset, limit, _short)}


@FUNCTIONS.reads("ById", "A product by its id.")
def get_product(state: ShopState, id: str) -> JsonValue:
    """All of one product, with its options and reviews"""
    product = _product(state, id)
    rest = product.model_dump(mode="json", include={"description", "options", "reviews"})
    return {"currency": state.currency, **_short(product), **rest}


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
) -> FunctionResult[ShopState]:
    """Put a product into the cart"""
    product = _product(state, id)
    for name in options:
        if name not in product.options:
            unknown("option", name, product.options)
    picked = {name: chosen(name, options[name], values) for name, values in product.options.items() if name in options}
    many = product.minimum if quantity is None else quantity
    if said := state.add_problem(product, picked, many):
        raise FunctionDeclined(said)
    after = state.added(product, picked, many)
    line = after.same_line(product, picked)
    return FunctionResult(after, {"line": line.id if line else None, **_cart(after)}, (Toast(f"{product.name} added to cart"),))


@FUNCTIONS.writes("Quantity", "How many of a line are wanted.", repeatable=True)
def set_quantity(state: ShopState, line: str, quantity: Annotated[int, Field(ge=1)]) -> FunctionResult[ShopState]:
    """How many of a line of the cart are wanted"""
    product = _line(state, line)
    if said := state.quantity_problem(product, quantity, line):
        raise FunctionDeclined(said)
    after = state.resized(line, quantity)
    errors = {name: said for name, said in state.errors.items() if name != f"line-{line}"}
    return FunctionResult(after.replace(errors=errors), _cart(after))


@FUNCTIONS.writes("ByLine", "A line of the cart by its id.", repeatable=True)
def remove_from_cart(state: ShopState, line: str) -> FunctionResult[ShopState]:
    """Take a line out of the cart"""
    product = _line(state, line)
    after = state.without(line)
    return FunctionResult(after, _cart(after), (Toast(f"{product.name} removed"),))


@FUNCTIONS.writes()
def place_order(state: ShopState, wanted: Purchase) -> FunctionResult[ShopState]:
    """Buy what is in the cart for the given total"""
    given = {name: value for name, value in wanted.model_dump(exclude={"total"}).items() if value is not None}
    for name in ("country", "delivery", "payment"):
        if name in given:
            given[name] = chosen(name.capitalize(), given[name], state.options_of(name))
    ready = state.replace(draft=state.draft.replace(**given)).repriced()
    if said := ready.problems():
        raise FunctionDeclined("; ".join(said))
    total = from_cents(ready.totals().total)
    if total != wanted.total:
        raise FunctionDeclined(f"the total is {ready.currency}{total}, not {ready.currency}{wanted.total}; nothing was ordered")
    after, order = ready.placed()
    return FunctionResult(after, _order(state, order), (Submitted(), Toast("Order placed")))


@FUNCTIONS.reads("Page", "Which part of a long result is wanted.")
def orders(state: ShopState, offset: Offset = 0, limit: Limit = 50) -> JsonValue:
    """Orders that were placed, the latest first"""
    return part_of(list(reversed(state.orders.values())), offset, limit, lambda order: _order(state, order))
