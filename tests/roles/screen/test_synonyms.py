"""Controls with other words on them are understood, and actions still name what the screen shows."""

from __future__ import annotations

import pytest

from protocol import ActionTarget, Click, GUIElement, VisualState
from roles.screen.screens import as_shown, plainly_called, usual


def screen(*elements: tuple[str, str]) -> VisualState:
    made = [GUIElement(element_id=f"e{n}", role=role, text=text) for n, (role, text) in enumerate(elements, start=1)]
    return VisualState(elements=tuple(made))


@pytest.mark.parametrize(
    ("name", "plain"),
    [("Hand in", "Submit"), ("Find duplicates", "Find duplicates"), ("Return to bills", "Back to bills"), ("Amend", "Edit"),
     ("Start date", "Start date"), ("Bingo", "Bingo"), ("Store", "Save")],
)  # fmt: skip
def test_other_words_for_a_control_mean_the_usual_one(name: str, plain: str) -> None:
    assert usual(name) == plain


def test_a_field_to_search_in_is_one_whatever_it_is_called() -> None:
    assert usual("Look for bills", "textbox") == "Search bills"
    assert usual("Write a mail", "textbox") == "Write a mail"


def test_what_links_and_texts_say_stays() -> None:
    state = screen(("link", "Store"), ("text", "Amend"), ("cell", "Bin"))
    assert plainly_called(state) is state


def test_a_name_that_something_else_has_is_not_given_again() -> None:
    state = screen(("button", "Keep"), ("button", "Save"))
    assert plainly_called(state) is state


def test_a_control_that_the_instruction_names_keeps_its_name() -> None:
    state = screen(("button", "Keep"), ("button", "Amend"))
    assert [e.name for e in plainly_called(state, 'Click the control "Keep".').elements] == ["Keep", "Edit"]


def test_an_action_names_its_target_as_the_screen_does() -> None:
    state = screen(("button", "Hand in"), ("button", "All bills"))
    plain = plainly_called(state)
    assert [e.name for e in plain.elements] == ["Submit", "Back to bills"]
    action = as_shown(Click(target=ActionTarget.of(plain.elements[0])), state)
    assert isinstance(action, Click)
    assert (action.target.text, action.target.element_id) == ("Hand in", "e1")
