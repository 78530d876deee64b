"""Shop: products to find and buy, a cart, a checkout in steps, and the orders that were placed."""

from __future__ import annotations

from environments.effects import Effect as Does
from environments.simulated.app import (
    Answered,
    App,
    Dialog,
    Edited,
    Event,
    Left,
    Pressed,
    Setting,
    Shortcut,
    Submitted,
    Toast,
    Update,
)
from environments.simulated.apps.forms import with_error
from environments.simulated.apps.functions_shop import FUNCTIONS
from environments.simulated.apps.shop_cart import (
    add_problem,
    added,
    brought_back,
    cart_problems,
    missing,
    prices_seen,
    quantity_problem,
    repriced,
    settled,
    whole,
    without,
)
from environments.simulated.apps.shop_checkout import (
    STEPS,
    cancelled,
    errors_of,
    field_error,
    first_bad_step,
    placed,
    problems,
)
from environments.simulated.apps.shop_made import ShopContent, started
from environments.simulated.apps.shop_state import (
    PAGE_SIZE,
    REVIEWS,
    Page,
    Product,
    ShopState,
    held,
    label_of,
    listed,
    totals,
    voucher_problem,
)
from environments.simulated.apps.shop_view import page
from environments.simulated.meanings import Difference, Meaning, becomes, is_gone, is_new
from environments.simulated.values import from_cents, page_of, shown
from environments.simulated.widgets import Widget

_PAGES: dict[str, Page] = {
    "go-products": "products", "go-cart": "cart", "go-orders": "orders", "go-orders-back": "orders",
}  # fmt: skip


def _bought(found: Difference) -> str:
    goods = ", ".join(f"{line.quantity} × {line.name}" for line in found.new.lines)
    return f"orders {goods} for {shown(found.new.total, found.after.currency)}, to {found.new.address}"


def _put(found: Difference) -> str:
    return f"puts {found.new.quantity} × {label_of(found.new, found.after.products[found.new.product])} into the cart"


MEANINGS = (
    Meaning("orders.*", Does.PURCHASE, _bought, is_new),
    Meaning("orders.*", Does.DELETE, "cancels the order {new.number} over {new.total}", becomes(status="Cancelled")),
    Meaning("card", Does.ACCOUNT, "changes the card that the shop keeps"),
    Meaning("lines.*", Does.EDIT, "takes something out of the cart", is_gone),
    Meaning("lines.*", Does.EDIT, _put),
    Meaning("products.*", None),
    Meaning("used", None),
)
"""What is in stock follows from orders, and so do vouchers that are used."""


class Shop(App[ShopContent, ShopState]):
    """A shop on the web, as its buyer sees it."""

    name = "shop"
    title = "Shop"
    words = ("shop", "store", "cart", "product", "products", "order", "orders", "buy")
    content = ShopContent
    state = ShopState
    looks = frozenset(
        {"counter", "draft", "page", "number", "query", "applied", "category", "sort", "price_to", "open", "picked", "quantity",
         "typed", "removed", "code", "step", "asked", "errors"}
    )  # fmt: skip
    meanings = MEANINGS
    functions = FUNCTIONS

    def start(self, content: ShopContent, setting: Setting) -> ShopState:
        return started(content, setting)

    def view(self, state: ShopState) -> tuple[Widget, ...]:
        return page(state)

    def update(self, state: ShopState, event: Event) -> Update[ShopState]:
        if isinstance(event, Pressed) and event.key in _PAGES:
            return Update(_turned(state, _PAGES[event.key]))
        if isinstance(event, Pressed) and event.key == "got-it":
            return Update(prices_seen(state))
        if state.page == "product" and state.open in state.products:
            return _looking(state, state.products[state.open], event)
        if state.page in ("orders", "order", "done"):
            return _ordered(state, event)
        if state.page == "checkout" and any(held(state)):
            return _checking_out(state, event)
        if state.page in ("cart", "checkout"):
            return _filling(state, event)
        return _browsing(state, event)


def _turned(state: ShopState, to: Page, opened: str = "") -> ShopState:
    """Another page, with none of the errors of this one; what was typed into the cart is as it was."""
    return state.model_copy(update={"page": to, "open": opened, "number": 1, "errors": {}, "typed": {}, "removed": None})


def _paged(state: ShopState, items: int, size: int, key: str) -> Update[ShopState]:
    _, number, _ = page_of(range(items), state.number, size)
    return Update(state.model_copy(update={"number": number + (1 if key == "next" else -1)}))


def _browsing(state: ShopState, event: Event) -> Update[ShopState]:
    match event:
        case Edited(key="query", value=value):
            return Update(state.model_copy(update={"query": value}))
        case Edited(key="category" | "sort" as key, value=value):
            return Update(state.model_copy(update={key: value, "number": 1}))
        case Edited(key="price-to", value=value):
            return Update(state.model_copy(update={"price_to": value, "number": 1}))
        case Pressed(key="search"):
            return Update(state.model_copy(update={"applied": state.query.strip(), "number": 1}))
        case Pressed(key="next" | "previous" as key):
            return _paged(state, len(listed(state)), PAGE_SIZE, key)
        case Pressed(key=key) if key.startswith("product-"):
            return Update(_shown(state, key.removeprefix("product-").removesuffix(".name")))
    return Update(state)


def _shown(state: ShopState, name: str) -> ShopState:
    """The page of a product, with nothing chosen yet."""
    if name not in state.products:
        return state
    least = str(state.products[name].minimum)
    return _turned(state, "product", name).model_copy(update={"picked": {}, "quantity": least})


def _looking(state: ShopState, product: Product, event: Event) -> Update[ShopState]:
    match event:
        case Edited(key="quantity", value=value):
            return Update(state.model_copy(update={"quantity": value, "errors": with_error(state.errors, "quantity")}))
        case Left(key="quantity"):
            said = "" if whole(state.quantity) else quantity_problem(state, product, 0)
            return Update(state.model_copy(update={"errors": with_error(state.errors, "quantity", said)}))
        case Edited(key=key, value=value) if key.removeprefix("option.") in product.options:
            picked = {**state.picked, key.removeprefix("option."): value}
            return Update(state.model_copy(update={"picked": picked, "errors": with_error(state.errors, key)}))
        case Pressed(key="next" | "previous" as key):
            return _paged(state, len(product.reviews), REVIEWS, key)
        case Pressed(key="add"):
            return _add(state, product)
    return Update(state)


def _add(state: ShopState, product: Product) -> Update[ShopState]:
    picked = {name: state.picked[name] for name in product.options if name in state.picked}
    many = whole(state.quantity)
    errors = {f"option.{name}": said for name, said in missing(product, picked).items()}
    if not errors and (said := add_problem(state, product, picked, many)):
        errors["quantity"] = said
    if errors:
        return Update(state.model_copy(update={"errors": errors}))
    return Update(
        added(state, product, picked, many).model_copy(update={"errors": {}}), (Toast(f"{product.name} added to cart"),)
    )


def _filling(state: ShopState, event: Event) -> Update[ShopState]:
    match event:
        case Edited(key="voucher", value=value):
            return Update(state.model_copy(update={"code": value, "errors": with_error(state.errors, "voucher")}))
        case Pressed(key="apply"):
            return _apply(state)
        case Pressed(key="drop-voucher"):
            return Update(state.model_copy(update={"voucher": ""}))
        case Pressed(key="undo") | Shortcut(chord="Control+z" | "Meta+z"):
            return Update(brought_back(state))
        case Pressed(key="to-checkout"):
            return _proceed(settled(state))
        case Pressed(key="update-cart") | Left():
            return Update(settled(state))
    return _of_line(state, event)


def _of_line(state: ShopState, event: Event) -> Update[ShopState]:
    match event:
        case Edited(key=key, value=value) if (name := _line_in(key, "line-")) in state.lines:
            return Update(
                state.model_copy(
                    update={"typed": {**state.typed, name: value}, "errors": with_error(state.errors, f"line-{name}")}
                )
            )
        case Pressed(key=key) if (name := _line_in(key, "line-")) in state.lines:
            return Update(_shown(state, state.lines[name].product))
        case Pressed(key=key) if (name := _line_in(key, "remove-")) in state.lines:
            line = state.lines[name]
            said = f"{label_of(line, state.products[line.product])} removed" if line.product in state.products else "Removed"
            return Update(without(state, name), (Toast(said),))
    return Update(state)


def _line_in(key: str, prefix: str) -> str:
    """The id of the line that a key is about; empty when it is about none."""
    return key.removeprefix(prefix).split(".")[0] if key.startswith(prefix) else ""


def _apply(state: ShopState) -> Update[ShopState]:
    if said := voucher_problem(state, state.code):
        return Update(state.model_copy(update={"errors": {**state.errors, "voucher": said}}))
    applied = state.model_copy(
        update={"voucher": state.code.strip().upper(), "code": "", "errors": with_error(state.errors, "voucher")}
    )
    return Update(applied, (Toast("Voucher applied"),))


def _proceed(state: ShopState) -> Update[ShopState]:
    if cart_problems(state) or state.typed:
        return Update(state)
    return Update(repriced(_turned(state, "checkout")).model_copy(update={"step": "address"}))


def _checking_out(state: ShopState, event: Event) -> Update[ShopState]:
    fields = STEPS[state.step]
    match event:
        case Edited(key=key, value=value) if key.removeprefix("form.") in fields:
            draft = state.draft.model_copy(update={key.removeprefix("form."): value})
            errors = {} if key == "form.payment" else with_error(state.errors, key)
            return Update(state.model_copy(update={"draft": draft, "errors": errors}))
        case Left(key=key) if (name := key.removeprefix("form.")) in fields:
            said = field_error(state, name)
            return Update(state.model_copy(update={"errors": with_error(state.errors, key, said)}))
        case Pressed(key="continue" | "back" as key):
            return Update(_stepped(state, 1 if key == "continue" else -1))
        case Pressed(key="place-order"):
            return _ask_to_place(state)
        case Answered(key="place-order", button="Place order"):
            return _place(state)
    return Update(state)


def _stepped(state: ShopState, by: int) -> ShopState:
    """The next step when this one is filled in rightly, or the one before; before the first one is the cart."""
    errors = {f"form.{name}": said for name, said in errors_of(state, state.step).items()} if by > 0 else {}
    names = tuple(STEPS)
    at = names.index(state.step) + by
    if at < 0:
        return _turned(state, "cart")
    step = state.step if errors or at >= len(names) else names[at]
    return state.model_copy(update={"errors": errors, "step": step})


def _ask_to_place(state: ShopState) -> Update[ShopState]:
    if problems(state):
        return Update(_sent_back(state))
    total = from_cents(totals(state).total)
    question = Dialog(
        key="place-order", title="Place your order?", text=f"You will pay {shown(total, state.currency)}.",
        buttons=("Place order", "Cancel"), escape="Cancel",
    )  # fmt: skip
    return Update(state.model_copy(update={"asked": total, "errors": {}}), (question,))


def _sent_back(state: ShopState) -> ShopState:
    """The first step with something wrong, which says what."""
    step = first_bad_step(state)
    errors = {f"form.{name}": said for name, said in errors_of(state, step).items()}
    return state.model_copy(update={"step": step, "errors": errors, "asked": ""})


def _place(state: ShopState) -> Update[ShopState]:
    """The order, unless the world has changed while the question was on the screen."""
    if problems(state):
        return Update(_sent_back(state))
    now = from_cents(totals(state).total)
    if now != state.asked:
        said = f"The total is now {shown(now, state.currency)}; it was {shown(state.asked or '0.00', state.currency)}"
        return Update(state.model_copy(update={"errors": {"order": said}, "asked": ""}))
    after, order = placed(state)
    return Update(_turned(after, "done", order.number), (Submitted(), Toast("Order placed")))


def _ordered(state: ShopState, event: Event) -> Update[ShopState]:
    order = state.orders.get(state.open)
    match event:
        case Pressed(key="next" | "previous" as key) if order is None:
            return _paged(state, len(state.orders), PAGE_SIZE, key)
        case Pressed(key=key) if key.startswith("order-"):
            return Update(_turned(state, "order", key.removeprefix("order-").removesuffix(".number")))
        case Pressed(key="cancel-order") if order:
            question = Dialog(
                key="cancel-order", title=f"Cancel order {order.number}?", text="This cannot be undone.",
                buttons=("Cancel order", "Go back"), escape="Go back",
            )  # fmt: skip
            return Update(state, (question,))
        case Answered(key="cancel-order", button="Cancel order") if order and order.status == "Processing":
            return Update(cancelled(state, order), (Toast("Order cancelled"),))
    return Update(state)
