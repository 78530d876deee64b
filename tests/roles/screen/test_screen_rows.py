"""Rows against tests: typed comparison, what a row does not tell, exact names before parts of names, superlatives."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roles.contracts.orders import Pick, RowTest, StepFailure
from roles.screen.rows import Row, best_fitting, matches, picked

MEETING = Row(
    "Team lunch · Wed 13 May 2026 · 09:30–10:45",
    "Team lunch",
    (
        ("Title", "Team lunch"), ("Date", "Wed 13 May 2026"), ("Time", "09:30–10:45"), ("From", "ada.weber@example.com"),
        ("Total", "$1,248.90"), ("Left", "Only 3 left"), ("Size", "80 bytes"), ("State", "Unread"), ("Due", ""),
        ("Body", "We meet at the …"),
    ),
)  # fmt: skip


@pytest.mark.parametrize(
    ("label", "relation", "value", "expected"),
    [
        ("Title", "is", "lunch", True),
        ("Title", "is", "lunches of the team", False),
        ("From", "from", "Ada Weber", True),
        ("State", "is", "read", False),
        ("Date", "is", "13 May 2026", True),
        ("Date", "between", "2026-05-11 .. 2026-05-17", True),
        ("Date", "on", "2026-05-14 .. 2026-05-17", False),
        ("Date", "before", "2026-05-13", False),
        ("Date", "at_least", "2026-05-13", True),
        ("Date", "at_least", "2026-05-14", False),
        ("Date", "at_most", "2026-05-12", False),
        ("Date", "over", "2026-05-13", False),
        ("Date", "under", "2026-05-14", True),
        ("Time", "after", "09:00", True),
        ("Total", "under", "$1,248.90", False),
        ("Total", "over", "$1,248.90", False),
        ("Total", "at_most", "$1,248.90", True),
        ("Left", "at_most", "3", True),
        ("Size", "over", "1 KB", False),
        ("Due", "before", "2026-06-01", False),
        ("Place", "is", "Room 4", None),
        ("Body", "has", "station", None),
        ("", "about", "lunch", True),
    ],
)
def test_a_row_fits_does_not_fit_or_does_not_tell(label: str, relation: str, value: str, expected: bool | None) -> None:
    test = RowTest.model_validate({"label": label, "relation": relation, "value": value})
    assert matches(MEETING, [test]) is expected
    turned = None if expected is None else not expected
    assert matches(MEETING, [test.model_copy(update={"negated": True})]) is turned


def test_one_test_that_fails_settles_it_and_a_record_that_was_opened_tells_what_its_row_does_not() -> None:
    assert matches(MEETING, [RowTest(label="Place", value="Room 4"), RowTest(label="Title", value="Budget")]) is False
    opened = MEETING.opened([("Place", "Room 4"), ("Body", "We meet at the station.")], "whole text about the budget")
    assert matches(opened, [RowTest(label="Place", value="Room 4"), RowTest(label="Body", relation="has", value="station")])
    assert matches(opened, [RowTest(value="budget", relation="about")])
    assert matches(opened, [RowTest(value="zoo", relation="about")]) is False


def test_who_is_called_exactly_so_comes_before_who_is_called_longer() -> None:
    rows = [Row(name, name, (("Name", name),)) for name in ("Ada Byron 2", "Ada Byron", "Ada Weber")]
    tests = [RowTest(label="Name", value="Ada Byron")]
    fitting = [row for row in rows if matches(row, tests)]
    assert len(fitting) == 2
    assert [row.key for row in best_fitting(fitting, tests)] == ["Ada Byron"]


def test_currencies_are_not_compared_with_each_other() -> None:
    with pytest.raises(StepFailure, match="different units"):
        matches(MEETING, [RowTest(label="Total", relation="over", value="€100")])


def priced(*prices: str) -> list[Row]:
    return [Row(f"r{n} · {price}", f"r{n}", (("Price", price),)) for n, price in enumerate(prices)]


def test_a_superlative_that_equals_leave_open_is_refused() -> None:
    assert [row.key for row in picked(priced("$5", "$9", "$9", "$7"), Pick(by="Price", order="most", number=2))] == ["r1", "r2"]
    for at in (1, 2):
        with pytest.raises(StepFailure, match="several have the same Price"):
            picked(priced("$5", "$9", "$9"), Pick(by="Price", order="most", at=at))
    with pytest.raises(StepFailure, match="only 2"):
        picked(priced("$5", "", "$9"), Pick(by="Price", order="least", at=3))


@given(st.lists(st.integers(0, 5000), min_size=1, max_size=12, unique=True), st.data())
def test_the_nth_by_size_is_the_nth_of_the_sorted_values(cents: list[int], data: st.DataObject) -> None:
    at = data.draw(st.integers(1, len(cents)))
    rows = priced(*(f"${c // 100}.{c % 100:02}" for c in cents))
    order = data.draw(st.sampled_from(["most", "least"]))
    (row,) = picked(rows, Pick.model_validate({"by": "Price", "order": order, "at": at}))
    assert row.key == f"r{cents.index(sorted(cents, reverse=order == 'most')[at - 1])}"


@given(st.dates(date(2020, 1, 1), date(2030, 1, 1)), st.integers(-400, 400))
def test_a_day_is_before_on_or_after_another_and_only_one_of_them(day: date, apart: int) -> None:
    other = day + timedelta(days=apart)
    row = Row("x", "x", (("Date", day.strftime("%a %d %B %Y")),))
    held = [
        relation for relation in ("before", "on", "after")
        if matches(row, [RowTest.model_validate({"label": "Date", "relation": relation, "value": other.isoformat()})])
    ]  # fmt: skip
    assert held == ["before" if apart > 0 else "after" if apart < 0 else "on"]
