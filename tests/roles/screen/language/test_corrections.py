"""Corrections: what a goal takes back is not asked for, and what is not taken back for certain stays as it was said."""

from __future__ import annotations

import pytest

from roles.screen.language.corrections import corrected
from roles.screen.language.reader import read

TODAY = "2026-03-02"

TAKEN_BACK = {
    "Turn the volume down to 30, no, 20.": "Turn the volume down to 20.",
    "Dim the hall light to 20 percent, no wait, 40": "Dim the hall light to 40 percent",
    "Dim the light to 20, sorry, 40 percent and lock the door": "Dim the light to 40 percent and lock the door",
    "Make a note with milk and bread in it. Actually, make that milk and eggs.": "Make a note with milk and eggs in it.",
    "Order a Lamp Bow, make it two.": "Order two Lamp Bow.",
    "Put a lamp in the basket, two of them actually.": "Put two lamp in the basket.",
    "Send the mail to Ann, no, to Ben.": "Send the mail to Ben.",
    "Send Ann Lee, I mean Ben Ray, a mail": "Send Ben Ray a mail",
    "Move it to Tuesday, no, Wednesday, at 10": "Move it to Wednesday at 10",
    "Book a meeting at 10 for 45 minutes, make that 30 minutes.": "Book a meeting at 10 for 30 minutes.",
    "Set the volume to 30, not 20": "Set the volume to 30",
    "Mute the chat with Ann. No, mute the chat with Olga.": "mute the chat with Olga.",
    'Call it "Plan", sorry, "Budget".': 'Call it "Budget".',
    "Mail a@example.com, oops, c@example.com": "Mail c@example.com",
    "Move the lunch from Friday to Monday, no, Tuesday": "Move the lunch from Friday to Tuesday",
}

AS_SAID = [
    "Delete notes 1 to 30, not 20",
    "Put Ann and Ben, no, Cy into the group",
    "Delete the note A. Actually, delete the note B too.",
    'Write a note saying "no, 20"',
    "Tell Ann: sorry, 20 is too much",
    "If it is not there, do not make one",
    "Delete all notes, not the one about tea",
    "Archive it. No need to read it.",
    "Set the amount to 20, no more than 30",
    "Claim 12.50 and 30, no, 40 for Meals",
    "Book a meeting tomorrow at 10 for 45 minutes. Make that 11.",
    "Archive all mails of May, not 12 May",
]


@pytest.mark.parametrize("goal", TAKEN_BACK)
def test_what_is_said_last_stands_in_the_place_of_what_it_takes_back(goal: str) -> None:
    assert corrected(goal, TODAY) == TAKEN_BACK[goal]


@pytest.mark.parametrize("goal", AS_SAID)
def test_what_is_not_taken_back_for_certain_stays(goal: str) -> None:
    assert corrected(goal, TODAY) == goal


def test_a_goal_is_read_as_it_was_corrected() -> None:
    assert read("Turn the volume down to 30, no, 20.", TODAY).orders == read("Turn the volume down to 20.", TODAY).orders
    assert not read("Claim 12.50 and 30, no, 40 for Meals", TODAY).understood
