"""The steps of the checkout, and what they share with the cart: prices, notices and errors."""

from __future__ import annotations

from environments.simulated.apps.shop_cart import cart_problems, price_notices
from environments.simulated.apps.shop_checkout import CARD, LABELS, STEPS, address_of, options_of, paid_by
from environments.simulated.apps.shop_state import PAYMENTS, ShopState, held, label_of, totals, voucher_problem
from environments.simulated.values import from_cents, in_cents, shown, slug
from environments.simulated.widgets import (
    Widget,
    alert,
    bar,
    button,
    cell,
    combobox,
    form,
    heading,
    pair,
    row,
    table,
    text,
    textbox,
)


def checkout(state: ShopState) -> tuple[Widget, ...]:
    names = tuple(STEPS)
    title = {"address": "Delivery address", "delivery": "Delivery", "payment": "Payment", "review": "Review your order"}[
        state.step
    ]
    if state.step == "review":
        body: tuple[Widget, ...] = _review(state)
    else:
        fields = _fields(state)
        buttons = bar(button("Continue", "continue"), button("Back", "back"), key="actions")
        body = (form("checkout-form", *fields, buttons, submit="continue"), *costs(state)[-1:])
    return (
        heading(title, f"checkout-{state.step}"),
        text(f"Step {names.index(state.step) + 1} of {len(names)}", "step"),
        *notices(state),
        *body,
    )


def _fields(state: ShopState) -> list[Widget]:
    card = state.draft.payment == PAYMENTS[0]
    names = STEPS[state.step] if card else tuple(name for name in STEPS[state.step] if name not in CARD)
    fields: list[Widget] = []
    for name in names:
        key, invalid, value = f"form.{name}", f"form.{name}" in state.errors, getattr(state.draft, name)
        if options := options_of(state, name):
            fields.append(combobox(LABELS[name], key, value, options, required=True, invalid=invalid))
        else:
            hint = "MM/YY" if name == "expiry" else None
            fields.append(textbox(LABELS[name], key, value, required=True, invalid=invalid, private=name in ("card", "code"),
                                  placeholder=hint))  # fmt: skip
        fields += error(state, key)
    if state.step == "delivery":
        fields += [
            pair(
                way.name,
                ", ".join(part for part in (shown(way.price, state.currency), way.takes) if part),
                f"way-{slug(way.name)}",
            )
            for way in state.deliveries
        ]
    return fields


def _review(state: ShopState) -> tuple[Widget, ...]:
    draft = state.draft
    lines = [
        row(f"line-{line.id}", cell(label_of(line, product), f"line-{line.id}.name"),
            cell(str(line.quantity), f"line-{line.id}.many"),
            cell(money(state, cents(product.price, line.quantity)), f"line-{line.id}.sum"), press=False)
        for line, product in held(state)
    ]  # fmt: skip
    said = [alert(problem, f"problem-{n}") for n, problem in enumerate(cart_problems(state), start=1)]
    return (
        table("review-lines", ("Product", "Quantity", "Sum"), lines),
        pair("Deliver to", address_of(draft), "review-address"),
        pair("Delivery method", draft.delivery, "review-delivery"),
        pair("Pay with", paid_by(draft), "review-payment"),
        *costs(state),
        *said,
        *error(state, "order"),
        bar(button("Place order", "place-order", enabled=not said), button("Back", "back"), key="actions"),
    )


def error(state: ShopState, name: str) -> tuple[Widget, ...]:
    return (alert(state.errors[name], f"{name}.error"),) if name in state.errors else ()


def cents(price: str, quantity: int) -> int:
    return in_cents(price) * quantity


def money(state: ShopState, cents: int) -> str:
    return shown(from_cents(cents), state.currency)


def notices(state: ShopState) -> tuple[Widget, ...]:
    """What has another price by now, until the buyer has read it."""
    said = [alert(notice, f"notice-{n}") for n, notice in enumerate(price_notices(state), start=1)]
    return (*said, bar(button("Got it", "got-it"), key="notice-bar")) if said else ()


def costs(state: ShopState) -> tuple[Widget, ...]:
    cost = totals(state)
    voucher: tuple[Widget, ...] = ()
    if state.voucher:
        said = voucher_problem(state, state.voucher)
        off = alert(said, "voucher-lost") if said else pair("Discount", f"-{money(state, cost.discount)}", "discount")
        voucher = (off, bar(button(f"Remove voucher {state.voucher}", "drop-voucher"), key="voucher-bar"))
    return (
        pair("Subtotal", money(state, cost.subtotal), "subtotal"),
        *voucher,
        pair("Shipping", money(state, cost.shipping) if cost.shipping else "Free", "shipping"),
        pair("Total", money(state, cost.total), "total"),
    )
