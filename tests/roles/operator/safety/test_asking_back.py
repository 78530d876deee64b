"""A question of yes or no that follows the crew's own press: it is asked about as what it is."""

from __future__ import annotations

from typing import Any

import pytest

from protocol import GUIElement, VisualState
from roles.contracts import StepRecord
from roles.operator.recovery import interruption


def asking(words: str, *more: GUIElement, yes: str = "OK", no: str = "Cancel") -> VisualState:
    inside: dict[str, Any] = {"parent": "d"}
    parts = (
        GUIElement(element_id="d", role="dialog", text="The page asks"),
        GUIElement(element_id="t", role="text", text=words, **inside),
        *more,
        GUIElement(element_id="y", role="button", text=yes, track_id="y", **inside),
        GUIElement(element_id="n", role="button", text=no, track_id="n", **inside),
    )
    return VisualState(elements=parts, modal="d", app="browser")


def pressed(name: str, verb: str = "click", **more: Any) -> StepRecord:
    told: dict[str, Any] = {
        **{"step": 1, "subtask": "s1", "app": "browser", "verb": verb, "target": name, "exec_status": "executed"},
        **{"before": "a", "after": "b", "visible_change": True, "events": ("popup: The page asks",)},
    }
    return StepRecord(action={"action_type": "click", "target": {"text": name}}, **(told | more))


@pytest.mark.parametrize(
    ("name", "verb", "words", "answer"),
    [
        ("Remove", "delete", "Delete all 300 photos for ever?", "OK"),  # what was pressed for, in other words
        ("Frobnicate", "click", "Transfer 5 EUR to Bob?", "OK"),  # a person has approved a press of unknown effect
        ("Show photos", "click", "Delete all 300 photos for ever?", "Cancel"),  # graver than what was pressed for
        ("Next", "click", "Changes may not be saved.", "OK"),
    ],
)
def test_a_person_is_asked_for_yes_only_where_yes_is_what_the_press_was_for(name, verb, words, answer):
    found = interruption(asking(words), [pressed(name, verb)], f"Click {name}.")
    assert not found.harmless
    assert found.action.target.text == answer
    assert words in found.why


def test_a_question_that_nobody_s_press_brought_up_gets_the_safest_answer():
    for steps in ([], [pressed("Remove", "delete", recovery=True)], [pressed("Remove", "delete", events=())]):
        found = interruption(asking("Delete all 300 photos for ever?"), steps)
        assert found.action.target.text == "Cancel"


def test_a_goal_that_answers_and_a_prompt_for_words_are_not_answered_with_yes():
    assert interruption(asking("Delete all?"), [pressed("Show photos")], "Click Show photos, then click Cancel.") is None
    field = GUIElement(element_id="p", role="textbox", text="Answer", parent="d")
    found = interruption(asking("New name?", field), [pressed("Rename")], "Click Rename.")
    assert found.action.target.text == "Cancel"


def test_a_dialog_that_offers_the_verb_of_the_last_press_again_is_its_question():
    asked = asking("Close T-2?", yes="Close ticket")
    assert interruption(asked, [pressed("Close")], "Close the ticket T-2.") is None
    for steps, seen in (
        ([pressed("Show")], asked),
        ([pressed("Close")], asking("Close T-2?", yes="Delete ticket")),
        ([pressed("Close")], asking("Close T-2?", yes="Close ticket", no="Close all")),  # there is no way out of it
    ):
        assert interruption(seen, steps, "Close the ticket T-2.") is not None
