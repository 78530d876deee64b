"""Words that change how far a goal goes are read or the goal is refused: none is dropped."""

from __future__ import annotations

import pytest

from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.world.worldfile import load_world
from orchestrator.settings.settings import shipped
from roles.contracts import AppWords, PlanRequest
from roles.manager.rules import RulesManager

APPS = tuple(
    AppWords(app=a.app, title=a.title, words=a.words)
    for a in SimulatedDesktop(load_world(shipped("worlds", "office.yaml")), 0).apps()
)


def outcome(goal: str) -> tuple[str, str]:
    """What a Manager answers that has looked the words up in vain."""
    first = RulesManager().plan(PlanRequest(goal=goal, apps=APPS))
    if first.outcome != "supplement_needed":
        return first.outcome, first.reason
    again = RulesManager().plan(PlanRequest(goal=goal, apps=APPS, looked_up=(first.query,), trigger="nothing_found"))
    return again.outcome, again.reason


@pytest.mark.parametrize(
    ("goal", "word"),
    [
        ("Delete all notes", "all"),
        ("Delete all my notes.", "all"),
        ('Delete the notes "A" and "B"', "A"),
        ("Claim every unpaid invoice of Northwind", "every unpaid"),
        ("Archive both mails from Bob", "both"),
        ("Delete every mail from Bob except the newest", "every"),
        ('Create a note titled "Hello" with the text "x" and do not save it', "do not save"),
    ],
)
def test_what_makes_no_difference_to_the_reading_refuses_the_goal(goal: str, word: str) -> None:
    decided, reason = outcome(goal)
    assert (decided, word in reason) == ("infeasible", True), reason


@pytest.mark.parametrize(
    "goal",
    [
        'Delete the note "A"',
        "Find the total of invoice INV-1042 and enter it as the amount in the reimbursement form and submit the form",
        "Fill in the amount 12 in the reimbursement form but do not submit it",
        'Send a mail to a@example.com and c@example.com with the subject "do not delete all notes"',
    ],
)
def test_what_is_read_word_by_word_is_planned(goal: str) -> None:
    assert outcome(goal)[0] == "planned"
