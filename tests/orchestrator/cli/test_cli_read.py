"""`deskcrew read`: what a goal's words ask for, and where they were not understood."""

from __future__ import annotations

import json

import pytest
from worked.runs import deskcrew


@pytest.mark.parametrize(
    ("goal", "code", "lines"),
    [
        (
            'Please open the note "A", then delete it',
            0,
            ['0. open: open the note "A"', "1. delete: delete it", "without meaning: Please"],
        ),
        ("Delete the mails from Ann or Bob", 1, ["question: which is meant"]),
    ],
)
def test_orders_are_shown_with_their_words_and_what_may_mean_two_things_is_a_question(goal: str, code: int, lines: list[str]):
    ended, said = deskcrew("read", goal)
    assert ended == code
    assert all(line in said for line in lines)


def test_words_that_were_not_understood_are_underlined() -> None:
    goal = 'Delete the note "A", then frobnicate the mail'
    code, said = deskcrew("read", goal)
    assert code == 1
    lines = said.splitlines()
    caret = lines[lines.index(f"  {goal}") + 1]
    assert goal[caret.index("^") - 2 : caret.rindex("^") - 1] == "frobnicate the mail"


def test_a_reading_is_data_too() -> None:
    code, said = deskcrew("read", "Archive the mails that came in yesterday", "--today", "2026-03-02", "--json")
    assert code == 0
    (order,) = json.loads(said)["orders"]
    assert order["object"]["tests"][0]["value"]["first"] == "2026-03-01"
