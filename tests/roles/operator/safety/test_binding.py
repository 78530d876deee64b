"""What an approval is bound to beside the action: what stood around the control when it was shown."""

from __future__ import annotations

from typing import Any

from protocol import GUIElement, VisualState, Window
from roles.operator.safety.review import unlike


def screen(*parts: tuple[str, str, str, dict[str, Any]], address: str = "http://bank.example/pay") -> VisualState:
    """Elements as `(id, role, text, more)`; those with a parent stand in it."""
    elements = tuple(GUIElement(element_id=i, track_id=i, role=role, text=text or None, **more) for i, role, text, more in parts)
    tab = Window(window_id="tab-0", app="browser", title=f"Bank - {address}", focused=True)
    return VisualState(screen_resolution=(800, 600), elements=elements, app="browser", windows=(tab,))


def form(who: str = "Bob", amount: str = "5", **more: Any) -> VisualState:
    inside = {"parent": "f"}
    return screen(
        ("clock", "text", more.pop("clock", "12:00"), {}),
        ("f", "form", "", {}),
        ("w", "text", f"to {who}", inside),
        ("a", "textbox", "Amount", inside | {"value": amount}),
        ("s", "status", more.pop("status", ""), inside),
        ("b", "button", "Pay", inside),
        **more,
    )


def found(then: VisualState, now: VisualState) -> str:
    return unlike(then, then.by_id["b"], now, now.by_id["b"])


def test_what_stands_around_a_control_is_part_of_what_was_approved_and_nothing_else():
    assert found(form(), form()) == ""
    assert found(form(), form(who="Eve")) == "'to Bob' is now 'to Eve'"
    assert found(form(), form(amount="5000")) == "'Amount 5' is now 'Amount 5000'"
    assert found(form(), form(clock="12:01", status="saved a draft")) == ""
    assert found(form(), form(address="http://bank.example.evil.example/pay")).startswith("the page is on bank.example.evil")
    assert found(form(), form(address="http://bank.example/pay?step=2")) == ""


def test_in_a_list_its_own_row_counts_and_the_others_do_not():
    def rows(first: str, second: str) -> VisualState:
        return screen(
            ("r1", "row", "", {}),
            ("c1", "cell", first, {"parent": "r1"}),
            ("r2", "row", "", {}),
            ("c2", "cell", second, {"parent": "r2"}),
            ("b", "button", "Delete", {"parent": "r2"}),
        )

    assert found(rows("Ann", "Bob"), rows("Zoe", "Bob")) == ""
    assert found(rows("Ann", "Bob"), rows("Ann", "Eve")) == "'Bob' is now 'Eve'"


def test_a_control_that_stands_in_nothing_is_held_to_what_is_next_to_it():
    def bare(words: str) -> VisualState:
        return screen(("t", "text", words, {}), ("b", "button", "Pay", {}))

    assert found(bare("10 EUR to Ann"), bare("9,000 EUR to Eve")) == "'10 EUR to Ann' is now '9,000 EUR to Eve'"
