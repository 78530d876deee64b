"""Days, times and lengths in words, counted from Monday, 2 March 2026."""

import pytest

from roles.screen.language.dates import Dates
from roles.screen.language.words import Doubt, Words

TODAY = "2026-03-02 10:30"


@pytest.mark.parametrize(
    ("said", "first", "last"),
    [
        ("today", "2026-03-02", "2026-03-02"), ("tomorrow", "2026-03-03", "2026-03-03"),
        ("yesterday", "2026-03-01", "2026-03-01"),
        ("the day after tomorrow", "2026-03-04", "2026-03-04"), ("Thursday", "2026-03-05", "2026-03-05"),
        ("Monday", "2026-03-09", "2026-03-09"), ("next Thursday", "2026-03-12", "2026-03-12"),
        ("Wednesday next week", "2026-03-11", "2026-03-11"),
        ("this month", "2026-03-01", "2026-03-31"),
        ("last month", "2026-02-01", "2026-02-28"), ("next week", "2026-03-09", "2026-03-15"),
        ("the week after next", "2026-03-16", "2026-03-22"), ("the week of March 16", "2026-03-16", "2026-03-22"),
        ("March 5", "2026-03-05", "2026-03-05"), ("the 5th of March 2027", "2027-03-05", "2027-03-05"),
        ("from the 9th to the 11th of March", "2026-03-09", "2026-03-11"), ("May", "2026-05-01", "2026-05-31"),
        ("December", "2025-12-01", "2025-12-31"), ("in two weeks", "2026-03-16", "2026-03-16"),
        ("3 days ago", "2026-02-27", "2026-02-27"),
        ("the last two weeks", "2026-02-16", "2026-03-02"), ("2026-03-05", "2026-03-05", "2026-03-05"),
        ("5/13/2026", "2026-05-13", "2026-05-13"), ("25/3/2026", "2026-03-25", "2026-03-25"),
        ("4/4/2026", "2026-04-04", "2026-04-04"),
        ("Friday, March 13", "2026-03-13", "2026-03-13"),
        ("2026-03-05 9:30", "2026-03-05 09:30", "2026-03-05 09:30"), ("a month from now", "2026-04-02", "2026-04-02"),
    ],
)  # fmt: skip
def test_days(said: str, first: str, last: str) -> None:
    words = Words(said)
    read = Dates(words, TODAY).read(0)
    assert read is not None
    assert (read[0].first, read[0].last, read[1]) == (first, last, len(words.list))


@pytest.mark.parametrize(
    ("said", "day", "start", "end"),
    [
        ("at 10", "", "10:00", ""), ("at 3", "", "15:00", ""), ("10:30", "", "10:30", ""), ("3 pm", "", "15:00", ""),
        ("half past 9", "", "09:30", ""), ("a quarter to 5", "", "16:45", ""), ("from 3 to 4", "", "15:00", "16:00"),
        ("9 to 9:30", "", "09:00", "09:30"), ("noon", "", "12:00", ""), ("tomorrow at 10", "2026-03-03", "10:00", ""),
        ("tomorrow from 9 to half past 9", "2026-03-03", "09:00", "09:30"), ("3 pm on Friday", "2026-03-06", "15:00", ""),
        ("Thursday afternoon", "2026-03-05", "12:00", "18:00"), ("this morning", "2026-03-02", "06:00", "12:00"),
        ("at nine in the morning", "", "09:00", ""), ("tonight from 8 to 9", "2026-03-02", "20:00", "21:00"),
    ],
)  # fmt: skip
def test_times(said: str, day: str, start: str, end: str) -> None:
    words = Words(said)
    read = Dates(words, TODAY).read(0)
    assert read is not None
    assert (read[0].first, read[0].start, read[0].end, read[1]) == (day, start, end, len(words.list))


@pytest.mark.parametrize(
    ("said", "minutes"), [("half an hour", 30), ("30 minutes", 30), ("two hours", 120), ("an hour and a half", 90)]
)
def test_lengths(said: str, minutes: int) -> None:
    read = Dates(Words(said), TODAY).read(0)
    assert read is not None
    assert read[0].minutes == minutes


@pytest.mark.parametrize(
    "said",
    ["may I", "25 notes", "Room 2", "the 32nd of March", "sometime", "February 30", "Friday, March 5", "14/13/2026"],
)
def test_what_is_no_day(said: str) -> None:
    words = Words(said)
    read = Dates(words, TODAY).read(0)
    assert read is None or read[1] < len(words.list)


def test_a_day_that_may_be_two_is_asked_about() -> None:
    with pytest.raises(Doubt, match="2026-03-04 or as 2026-04-03"):
        Dates(Words("on 3/4/2026"), TODAY).read(1)


def test_without_a_clock_only_the_words_are_known() -> None:
    read = Dates(Words("tomorrow"), "").read(0)
    assert read is not None
    assert (read[0].text, read[0].first) == ("tomorrow", "")
