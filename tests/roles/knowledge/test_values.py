"""The values in a goal, told from its other words."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roles.knowledge.pages.filling import Wanted, values_in, without_quoted, without_values


@pytest.mark.parametrize(
    ("goal", "told"),
    [
        ("Onboard Ada Byron as usual", [("Ada Byron", "name")]),
        ("Prepare the visit of Ada Byron on 2026-04-13", [("Ada Byron", "name"), ("2026-04-13", "date")]),
        ('Jam "Tea" in at 09:30', [("Tea", "quote"), ("09:30", "time")]),
        ("Settle INV-7 for ada@x.org by May 3", [("INV-7", "id"), ("ada@x.org", "email"), ("May 3", "date")]),
        ("Retire draft.txt of Acme Supplies & Co", [("draft.txt", "file"), ("Acme Supplies & Co", "name")]),
        ("do nothing in particular", []),
    ],
)
def test_values_are_told_by_their_shape(goal: str, told: list[tuple[str, str]]) -> None:
    assert [(one.text, one.kind) for one in values_in(goal)] == told


@given(st.text(max_size=60))
def test_values_stand_where_they_are_said_to(goal: str) -> None:
    found = values_in(goal)
    assert all(one.text in goal[one.start : one.end] for one in found)
    assert all(one.end <= other.start for one, other in pairwise(found))


def test_values_stand_in_no_search_and_fill_the_slots_of_their_words() -> None:
    assert without_values('Do the month-end thing for INV-7 with "Tea"') == "Do the month-end thing for with"
    assert without_quoted('File "Tea" under INV-7') == "File under INV-7"
    assert without_quoted('"Tea"') == '"Tea"', "nothing else is left to ask"
    name, day = values_in("Visit of Ada Byron on 2026-04-13")
    assert (Wanted("visitor").takes(name), Wanted("visitor").takes(day)) == (True, False)
    assert (Wanted("due date").takes(day), Wanted("thing").takes(day)) == (True, True)
    assert Wanted("invoice.number").is_called(values_in("for invoice INV-7")[0])
