"""Skill: buy something: find it, see that it is to be had, put it into the cart, go through the checkout."""

from __future__ import annotations

import re

from roles.rules import clauses as c
from roles.rules.finding import go_to, is_open
from roles.rules.moves import Move, Situation, done, fail, press
from roles.rules.screens import fold, shown
from roles.rules.writing import put_into, required

_OUT = re.compile(r"\b(?:out of stock|sold out|not available|unavailable|0 in stock)\b", re.IGNORECASE)
_ONWARD = (
    "place order",
    "order now",
    "buy now",
    "pay",
    "continue",
    "next",
    "review order",
    "proceed to checkout",
    "to checkout",
    "checkout",
)
_DONE = re.compile(r"\b(?:order (?:placed|received|confirmed|number)|thank you for your order)\b", re.IGNORECASE)


def buy(clause: c.Buy, at: Situation) -> Move:
    """One step further; the order itself is for the safety policy to allow."""
    if at.notes.get("carted"):
        return _checkout(clause, at)
    product = c.Entity("product", name=clause.item)
    if not is_open(product, at) and not _shows(clause.item, at):
        return go_to(product, at)
    said = next((shown(e) for e in at.screen.detail_texts if _OUT.search(shown(e))), "")
    add = next((e for e in at.screen.presses if e.role == "button" and fold(e.name).startswith("add to cart")), None)
    if said or add is None or not add.enabled:
        return fail(f'"{clause.item}" cannot be bought: {said or "it cannot be put into the cart"}')
    field = next((f for f in at.screen.inputs if "quantity" in fold(f.name)), None)
    if field is not None and (move := put_into(field, clause.quantity, at)).kind != "done":
        return move
    at.notes["carted"] = True
    return press(add, f'"{clause.item}" goes into the cart', at=at)


def _shows(name: str, at: Situation) -> bool:
    return any(e.role == "heading" and fold(e.name) == fold(name) for e in at.screen.elements)


def _checkout(clause: c.Buy, at: Situation) -> Move:
    if any(_DONE.search(shown(e)) for e in at.screen.elements if e.role in {"heading", "status", "text"}):
        return done(f"{clause.item} is ordered")
    if at.count("steps") > 12:
        return fail("the checkout does not come to an end")
    if (move := required(at)) is not None and move.kind == "act":
        return move
    names = [
        (name, e)
        for name in _ONWARD
        for e in at.screen.presses
        if e.role == "button" and e.enabled and fold(e.name).startswith(name)
    ]
    if names:
        return press(names[0][1], "the checkout goes on", at=at)
    cart = next((e for e in at.screen.presses if e.enabled and fold(e.name) in {"cart", "go to cart", "basket"}), None)
    return press(cart, "what is bought lies in the cart", at=at) if cart is not None else fail("there is no way to the checkout")
