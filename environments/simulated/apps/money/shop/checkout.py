"""The checkout: what its fields may hold, placing an order, and taking it back."""

from __future__ import annotations

import re

from environments.simulated.apps.money.shop.state import (
    PAYMENTS,
    Draft,
    Order,
    OrderLine,
    ShopState,
    Step,
    cart_problems,
    held,
    label_of,
    totals,
)
from environments.simulated.world.generate import highest
from environments.simulated.world.values import from_cents

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


def field_error(state: ShopState, name: str) -> str:
    """What is wrong with one field; empty when nothing is."""
    if name in CARD and state.draft.payment != PAYMENTS[0]:
        return ""
    value = getattr(state.draft, name).strip()
    if not value:
        return f"{LABELS[name]} is required"
    options = options_of(state, name)
    if options and value not in options:
        return f"{LABELS[name]} must be one of {', '.join(options)}"
    if name == "postcode" and not _POSTCODE.fullmatch(value):
        return "Postcode must be 3 to 10 letters or digits"
    if name == "card" and not _is_card(value):
        return "Card number is not valid"
    if name == "expiry":
        return _expired(value, state.today)
    if name == "code" and not re.fullmatch(r"[0-9]{3,4}", value):
        return "Security code must be 3 or 4 digits"
    return ""


def options_of(state: ShopState, name: str) -> tuple[str, ...]:
    """What a field offers; empty for one that takes any text."""
    if name == "delivery":
        return tuple(way.name for way in state.deliveries)
    return {"country": state.countries, "payment": PAYMENTS}.get(name, ())


def _is_card(value: str) -> bool:
    """Whether the digits end in the right check digit (Luhn)."""
    digits = re.sub(r"[ -]", "", value)
    if not re.fullmatch(r"[0-9]{12,19}", digits):
        return False
    doubled = (int(digit) * (1 + place % 2) for place, digit in enumerate(reversed(digits)))
    return sum(number // 10 + number % 10 for number in doubled) % 10 == 0


def _expired(value: str, today: str) -> str:
    parts = _EXPIRY.fullmatch(value)
    if parts is None:
        return "Expiry date must be written like 09/28"
    return "The card has expired" if f"20{parts[2]}-{parts[1]}" < today[:7] else ""


def errors_of(state: ShopState, *steps: Step) -> dict[str, str]:
    """What is wrong with the fields of these steps, by field."""
    names = (name for step in steps for name in STEPS[step])
    return {name: said for name in names if (said := field_error(state, name))}


def problems(state: ShopState) -> list[str]:
    """All that keeps the order from being placed."""
    return [*cart_problems(state), *errors_of(state, *STEPS).values()]


def first_bad_step(state: ShopState) -> Step:
    return next((step for step in STEPS if errors_of(state, step)), "review")


def paid_by(draft: Draft) -> str:
    """How it is paid, without the number of the card."""
    return f"Card ending in {re.sub(r'[^0-9]', '', draft.card)[-4:]}" if draft.payment == PAYMENTS[0] else draft.payment


def address_of(draft: Draft) -> str:
    return ", ".join(getattr(draft, name).strip() for name in STEPS["address"])


def placed(state: ShopState) -> tuple[ShopState, Order]:
    """The state after an order without problems, and the order: stock is less, the cart is empty, a typed card is forgotten."""
    cost = totals(state)
    lines = tuple(
        OrderLine(name=label_of(line, product), product=product.id, quantity=line.quantity, price=product.price)
        for line, product in held(state)
    )
    order = Order(
        number=str(max(1000, highest(state.orders)) + 1), date=state.today, lines=lines, discount=from_cents(cost.discount),
        shipping=from_cents(cost.shipping), delivery=state.draft.delivery, address=address_of(state.draft),
        payment=paid_by(state.draft),
    )  # fmt: skip
    used = (*state.used, state.voucher) if cost.discount else state.used
    changes = {
        "orders": {**state.orders, order.number: order}, "lines": {}, "typed": {}, "removed": None, "errors": {}, "asked": "",
        "voucher": "", "code": "", "used": used, "draft": state.draft.model_copy(update=state.card.model_dump()),
    }  # fmt: skip
    return _stocked(state, order, -1).model_copy(update=changes), order


def cancelled(state: ShopState, order: Order) -> ShopState:
    """The state after an order was taken back: what it held is for sale again."""
    orders = {**state.orders, order.number: order.model_copy(update={"status": "Cancelled"})}
    return _stocked(state, order, 1).model_copy(update={"orders": orders})


def _stocked(state: ShopState, order: Order, sign: int) -> ShopState:
    products = dict(state.products)
    for line in order.lines:
        if product := products.get(line.product):
            stock = max(0, product.stock + sign * line.quantity)
            products[product.id] = product.model_copy(update={"stock": stock})
    return state.model_copy(update={"products": products})
