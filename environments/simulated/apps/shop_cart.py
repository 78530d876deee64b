"""The cart: what may go into it, and how it changes."""

from __future__ import annotations

import re

from environments.simulated.apps.shop_state import Line, Product, ShopState, held, label_of
from environments.simulated.values import in_cents, shown


def whole(text: str) -> int:
    """A quantity as it is typed; 0 when it is none."""
    return int(text) if re.fullmatch(r"[0-9]{1,6}", text := text.strip()) else 0


def missing(product: Product, picked: dict[str, str]) -> dict[str, str]:
    """What is wrong with the chosen options, by option."""
    return {name: f"Choose a {name.lower()}" for name, values in product.options.items() if picked.get(name) not in values}


def quantity_problem(state: ShopState, product: Product, quantity: int, line: str = "") -> str:
    """Why a line cannot have this quantity; `line` is the one that it is for, if there is one already."""
    others = sum(other.quantity for other, _ in held(state) if other.product == product.id and other.id != line)
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


def same_line(state: ShopState, product: Product, picked: dict[str, str]) -> Line | None:
    """The line that already holds this product with these options."""
    return next((line for line, _ in held(state) if line.product == product.id and line.options == picked), None)


def add_problem(state: ShopState, product: Product, picked: dict[str, str], quantity: int) -> str:
    """Why it cannot be added; empty when it can."""
    for said in missing(product, picked).values():
        return said
    there = same_line(state, product, picked)
    more = there.quantity if there and quantity > 0 else 0
    said = quantity_problem(state, product, quantity + more, there.id if there else "")
    return f"{said}, and {more} in your cart" if more and said.startswith("Only") and "cart" not in said else said


def added(state: ShopState, product: Product, picked: dict[str, str], quantity: int) -> ShopState:
    """The state with more in the cart: of a line that is there, or in a new one."""
    there = same_line(state, product, picked)
    if there:
        return resized(state, there.id, there.quantity + quantity)
    counter = state.counter + 1
    line = Line(id=str(counter), product=product.id, options=picked, quantity=quantity, price=product.price)
    return state.model_copy(update={"lines": {**state.lines, line.id: line}, "counter": counter, "removed": None})


def resized(state: ShopState, line: str, quantity: int) -> ShopState:
    changed = state.lines[line].model_copy(update={"quantity": quantity})
    typed = {name: value for name, value in state.typed.items() if name != line}
    return state.model_copy(update={"lines": {**state.lines, line: changed}, "typed": typed, "removed": None})


def without(state: ShopState, line: str) -> ShopState:
    """The state without a line, which can be brought back."""
    rest = {name: other for name, other in state.lines.items() if name != line}
    typed = {name: value for name, value in state.typed.items() if name != line}
    errors = {name: said for name, said in state.errors.items() if name != f"line-{line}"}
    return state.model_copy(update={"lines": rest, "typed": typed, "errors": errors, "removed": state.lines[line]})


def brought_back(state: ShopState) -> ShopState:
    """The line that was removed last stands where it stood."""
    if state.removed is None:
        return state
    lines = sorted({**state.lines, state.removed.id: state.removed}.values(), key=lambda line: int(line.id))
    return state.model_copy(update={"lines": {line.id: line for line in lines}, "removed": None})


def settled(state: ShopState) -> ShopState:
    """Typed quantities are taken over where they can be; the page says what is wrong with the others."""
    errors = {name: said for name, said in state.errors.items() if not name.startswith("line-")}
    for name, value in state.typed.items():
        product = state.products.get(state.lines[name].product) if name in state.lines else None
        if product is None:
            continue
        said = quantity_problem(state, product, whole(value), name)
        if said:
            errors[f"line-{name}"] = said
        else:
            state = resized(state, name, whole(value))
    return state if errors == state.errors else state.model_copy(update={"errors": errors})


def cart_problems(state: ShopState) -> list[str]:
    """What keeps the cart from being ordered."""
    if not any(held(state)):
        return ["Your cart is empty"]
    said = [quantity_problem(state, product, line.quantity, line.id) for line, product in held(state)]
    return list(dict.fromkeys(problem for problem in said if problem))


def price_notices(state: ShopState) -> list[str]:
    """What costs another price than when it was put into the cart."""
    return [
        f"The price of {label_of(line, product)} has {'risen' if in_cents(product.price) > in_cents(line.price) else 'fallen'} "
        f"from {shown(line.price, state.currency)} to {shown(product.price, state.currency)}"
        for line, product in held(state)
        if line.price != product.price
    ]


def prices_seen(state: ShopState) -> ShopState:
    lines = {line.id: line.model_copy(update={"price": product.price}) for line, product in held(state)}
    return state.model_copy(update={"lines": {**state.lines, **lines}})


def repriced(state: ShopState) -> ShopState:
    """What the cart holds at the prices of the checkout."""
    changed = {
        product.id: product.model_copy(update={"price": product.checkout_price, "checkout_price": ""})
        for _, product in held(state)
        if product.checkout_price
    }
    return state.model_copy(update={"products": {**state.products, **changed}}) if changed else state
