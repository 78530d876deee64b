"""The functions of the shop. Buying goes by the same checks as in the window; a card is typed in the window only."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, JsonValue

from environments.simulated.app import Submitted, Toast
from environments.simulated.apps.common.functions_base import NoArguments, Page, chosen, part_of, unknown
from environments.simulated.apps.money.shop.checkout import options_of, placed, problems
from environments.simulated.apps.money.shop.state import (
    ALL,
    Order,
    Product,
    ShopState,
    add_problem,
    added,
    categories,
    found,
    held,
    quantity_problem,
    repriced,
    resized,
    same_line,
    totals,
    without,
)
from environments.simulated.skills import Function, FunctionDeclined, FunctionResult
from environments.simulated.world.values import Model, Money, from_cents

Sort = Literal["Featured", "Price: low to high", "Price: high to low", "Rating", "Name"]


class ProductQuery(Page):
    """What is looked for, as the list has it."""

    query: str = ""
    category: str = ALL
    sort: Sort = "Featured"
    in_stock: bool = False


class ById(Model):
    """A product by its id."""

    id: str


class CartAddition(ById):
    """A product for the cart; without a quantity it is the least that is sold."""

    quantity: int | None = Field(default=None, ge=1)
    options: dict[str, str] = Field(default_factory=dict)


class ByLine(Model):
    """A line of the cart by its id."""

    line: str


class Quantity(ByLine):
    """How many of a line are wanted."""

    quantity: int = Field(ge=1)


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


def search_products(state: ShopState, wanted: ProductQuery) -> FunctionResult[ShopState]:
    category = chosen("Category", wanted.category, (ALL, *categories(state)))
    fits = found(state, wanted.query, category, wanted.sort)
    some = [product for product in fits if product.stock or not wanted.in_stock]
    return FunctionResult(state, {"currency": state.currency, **part_of(some, wanted, _short)})


def _product(state: ShopState, name: str) -> Product:
    if name not in state.products:
        unknown("product", name, state.products)
    return state.products[name]


def get_product(state: ShopState, wanted: ById) -> FunctionResult[ShopState]:
    product = _product(state, wanted.id)
    rest = product.model_dump(mode="json", include={"description", "options", "reviews"})
    return FunctionResult(state, {"currency": state.currency, **_short(product), **rest})


def _cart(state: ShopState) -> dict[str, JsonValue]:
    lines: list[JsonValue] = [
        {"line": line.id, "product": product.id, "name": product.name, "options": dict(line.options), "quantity": line.quantity,
         "price": product.price, **({"price_was": line.price} if line.price != product.price else {})}
        for line, product in held(state)
    ]  # fmt: skip
    cost = {name: from_cents(cents) for name, cents in totals(state)._asdict().items()}
    total = from_cents(totals(state).total)
    return {"currency": state.currency, "lines": lines, **cost, "total": total, "voucher": state.voucher or None}


def cart(state: ShopState, _: NoArguments) -> FunctionResult[ShopState]:
    return FunctionResult(state, _cart(state))


def add_to_cart(state: ShopState, wanted: CartAddition) -> FunctionResult[ShopState]:
    product = _product(state, wanted.id)
    for name in wanted.options:
        if name not in product.options:
            unknown("option", name, product.options)
    picked = {
        name: chosen(name, wanted.options[name], values) for name, values in product.options.items() if name in wanted.options
    }
    many = product.minimum if wanted.quantity is None else wanted.quantity
    if said := add_problem(state, product, picked, many):
        raise FunctionDeclined(said)
    after = added(state, product, picked, many)
    line = same_line(after, product, picked)
    return FunctionResult(after, {"line": line.id if line else None, **_cart(after)}, (Toast(f"{product.name} added to cart"),))


def _line(state: ShopState, name: str) -> Product:
    lines = {line.id: product for line, product in held(state)}
    if name not in lines:
        unknown("line", name, lines)
    return lines[name]


def set_quantity(state: ShopState, wanted: Quantity) -> FunctionResult[ShopState]:
    product = _line(state, wanted.line)
    if said := quantity_problem(state, product, wanted.quantity, wanted.line):
        raise FunctionDeclined(said)
    after = resized(state, wanted.line, wanted.quantity)
    errors = {name: said for name, said in state.errors.items() if name != f"line-{wanted.line}"}
    return FunctionResult(after.model_copy(update={"errors": errors}), _cart(after))


def remove_from_cart(state: ShopState, wanted: ByLine) -> FunctionResult[ShopState]:
    product = _line(state, wanted.line)
    after = without(state, wanted.line)
    return FunctionResult(after, _cart(after), (Toast(f"{product.name} removed"),))


def place_order(state: ShopState, wanted: Purchase) -> FunctionResult[ShopState]:
    given = {name: value for name, value in wanted.model_dump(exclude={"total"}).items() if value is not None}
    for name in ("country", "delivery", "payment"):
        if name in given:
            given[name] = chosen(name.capitalize(), given[name], options_of(state, name))
    ready = repriced(state.model_copy(update={"draft": state.draft.model_copy(update=given)}))
    if said := problems(ready):
        raise FunctionDeclined("; ".join(said))
    total = from_cents(totals(ready).total)
    if total != wanted.total:
        raise FunctionDeclined(f"the total is {ready.currency}{total}, not {ready.currency}{wanted.total}; nothing was ordered")
    after, order = placed(ready)
    return FunctionResult(after, _order(state, order), (Submitted(), Toast("Order placed")))


def _order(state: ShopState, order: Order) -> JsonValue:
    return {"currency": state.currency, **order.model_dump(mode="json"), "total": order.total}


def orders(state: ShopState, page: Page) -> FunctionResult[ShopState]:
    return FunctionResult(state, part_of(list(reversed(state.orders.values())), page, lambda order: _order(state, order)))


FUNCTIONS = (
    Function("search_products", "Products that fit a search or a category, sorted", ProductQuery, search_products),
    Function("get_product", "All of one product, with its options and reviews", ById, get_product),
    Function("cart", "What is in the cart, and what it costs", NoArguments, cart),
    Function("add_to_cart", "Put a product into the cart", CartAddition, add_to_cart, writes=True),
    Function("set_quantity", "How many of a line of the cart are wanted", Quantity, set_quantity, writes=True, repeatable=True),
    Function("remove_from_cart", "Take a line out of the cart", ByLine, remove_from_cart, writes=True, repeatable=True),
    Function("place_order", "Buy what is in the cart for the given total", Purchase, place_order, writes=True),
    Function("orders", "Orders that were placed, the latest first", Page, orders),
)
