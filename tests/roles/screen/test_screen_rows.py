"""Rows and pages held to what is asked: typed comparison, what is not told, exact names first, and which thing is meant."""

import pytest

from protocol import BoundingBox, GUIElement, VisualState
from roles.contracts.orders import Pick, RowTest, StepFailure
from roles.screen import page
from roles.screen.page import Scopes, likeness
from roles.screen.rows import Row, best_fitting, matches, picked, says

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


@pytest.mark.parametrize(
    ("text", "wanted", "there"),
    [
        ("Planning", "Sprint planning", False), ("Lee Park", "Lee Parker", False), ("Sprint planing", "Sprint planning", True),
        ("The sprint planning", "Sprint planning", True), ("Quarterly report", "Quarterly reprort", True),
    ],
)  # fmt: skip
def test_a_part_of_a_name_does_not_say_the_name(text: str, wanted: str, there: bool) -> None:
    assert says(text, wanted) is there


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


# --- which thing on a page a phrase means, and what a page says of a value


def state(*parts: tuple[str, str] | tuple[str, str, dict[str, object]]) -> VisualState:
    elements = []
    for n, part in enumerate(parts):
        more = part[2] if len(part) > 2 else {}
        box = BoundingBox(x1=0, y1=n * 20, x2=100, y2=n * 20 + 18)
        elements.append(GUIElement(element_id=f"e{n}", track_id=f"e{n}", role=part[0], text=part[1] or None, bbox=box, **more))
    return VisualState(screen_resolution=(800, 600), elements=tuple(elements), app="browser")


def test_names_count_as_they_are_written_before_what_is_like_them():
    assert likeness("OK", "OK") > likeness("OK", "ok") > likeness("OK", "Okay") == 0.9
    assert likeness("x", "Close") == 0.9
    assert likeness("Launch", "OK") < 0.6


@pytest.mark.parametrize(
    ("wanted", "name", "same"),
    [("Track 8", "Track 83", False), ("Novak", "Nowak", False), ("E-mail", "Email address", True), ("Bill 7", "Bill", False)],
)
def test_names_that_are_alike_by_their_letters_alone_are_two_names(wanted, name, same):
    assert (likeness(wanted, name) >= 0.7) is same


def test_a_place_that_is_not_on_the_page_holds_nothing():
    scopes = Scopes(state(("heading", "Ann"), ("button", "Edit"), ("heading", "Bob"), ("button", "Edit")).elements)
    assert [e.element_id for e in scopes.of("Bob") or ()] == ["e2", "e3"]
    assert scopes.of("Eve") is None


def test_each_of_many_controls_is_held_against_its_own_line_and_not_against_the_page(monkeypatch):
    looked: list[int] = []
    real = page.lines
    monkeypatch.setattr(page, "lines", lambda elements, anchor: looked.append(len(elements)) or real(elements, anchor))
    seen = state(*[("button", f"Item {n}: open") for n in range(300)])
    assert not page.shows("Amount", "open", page.Page(seen, ""))
    assert len(looked) == 300
    assert max(looked) < 10
