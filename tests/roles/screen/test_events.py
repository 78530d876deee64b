"""A press that the page asked about counts only where it was told yes."""

from __future__ import annotations

import pytest

from roles.contracts import StepRecord
from roles.screen.answers import called_off


def step(n: int, target: str, *events: str, **more: str) -> StepRecord:
    action = {"action_type": "click", "target": {"text": target}}
    told = {"app": "browser", "verb": "click", "exec_status": "executed", "before": f"s{n}", "after": f"s{n + 1}"}
    return StepRecord(step=n, subtask="s1", action=action, target=target, visible_change=True, events=events, **(told | more))


ASKED = step(1, "Remove", "popup: The page asks - Delete all?")


@pytest.mark.parametrize("no", ["Cancel", "Stay", "No", "Keep the photos"])
def test_what_was_told_no_was_called_off(no):
    assert called_off(ASKED, [ASKED, step(2, no)]) == f'the page asked "The page asks - Delete all?", and the answer was "{no}"'


def test_what_was_told_yes_was_not_unless_the_page_asked_on_and_was_told_no():
    yes = step(2, "OK", "popup: The page asks - And pay?")
    assert called_off(ASKED, [ASKED, step(2, "OK")]) == ""
    assert '"The page asks - And pay?"' in called_off(ASKED, [ASKED, yes, step(3, "Cancel")])


def test_closing_an_advertisement_calls_nothing_off():
    assert called_off(ASKED, [ASKED, step(2, "No thanks")]) == ""
    assert called_off(step(1, "Save"), [step(1, "Save"), step(2, "Cancel")]) == ""
