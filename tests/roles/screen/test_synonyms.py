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


def test_texts_names_that_are_taken_and_names_that_the_instruction_says_stay() -> None:
    for state in (screen(("link", "Store"), ("text", "Amend"), ("cell", "Bin")), screen(("button", "Keep"), ("button", "Save"))):
        assert plainly_called(state) is state
    named = plainly_called(screen(("button", "Keep"), ("button", "Amend")), 'Click the control "Keep".')
    assert [e.name for e in named.elements] == ["Keep", "Edit"]


def test_an_action_names_its_target_as_the_screen_does() -> None:
    state = screen(("button", "Hand in"), ("button", "All bills"))
    plain = plainly_called(state)
    assert [e.name for e in plain.elements] == ["Submit", "Back to bills"]
    action = as_shown(Click(target=ActionTarget.of(plain.elements[0])), state)
    assert isinstance(action, Click)
    assert (action.target.text, action.target.element_id) == ("Hand in", "e1")
