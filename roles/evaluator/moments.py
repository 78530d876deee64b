"""Days, times of day and durations as people write and say them, by value: `6:15 PM` is 18:15, `5 March 2027` is 2027-03-05."""

from __future__ import annotations

import re
from datetime import date
from typing import NamedTuple

from roles.rules.values import find_dates, parse_date, parse_time

_WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_HOUR = rf"(?:\d{{1,2}}|{'|'.join(_WORDS)})"
_CLOCK = re.compile(r"\b\d{1,2}:\d{2}\b(?:\s?[ap]\.?m\b\.?)?|\b\d{1,2}\s?[ap]\.?m\b\.?", re.I)
_SPOKEN = re.compile(
    rf"\b(?:(?P<part>half|quarter|{_HOUR}(?:\s+minutes)?)\s+(?P<side>past|to)\s+(?P<of>{_HOUR})"
    rf"|(?P<hour>{_HOUR})(?=\s+(?:o['’]clock|in\s+the|at\s+night))|(?:at|from|until|till|to|by)\s+(?P<bare>{_HOUR}))"
    r"\b(?![:./-]?\d|\s?[ap]\.?m\b)(?:\s+o['’]clock)?(?:\s+(?:in\s+the\s+|at\s+)?(?P<when>morning|afternoon|evening|night))?",
    re.I,
)
_LONG = re.compile(
    rf"\b(?P<count>\d+(?:\.\d+)?|{'|'.join(_WORDS)}|half\s+an?|an?)[\s-]+(?P<unit>hours?|minutes?|mins?)\b(?P<more>\s+and\s+a\s+half)?",
    re.I,
)
_RELATIVE = re.compile(
    r"\b(?:to(?:day|night|morrow)|next\s+(?:day|week|month|year)|this\s+(?:week|month)|in\s+\w+\s+(?:days|weeks)"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day|weekend)\b",
    re.I,
)
_SLASHED = re.compile(r"(\d{1,2})/(\d{1,2})/(\d{2,4})")
_HALF_DAY = 720


class Moments(NamedTuple):
    """What a text says of days (with no year: of any year), minutes of the day, and lengths in minutes."""

    days: frozenset[tuple[int, int, int]]
    minutes: frozenset[int]
    lengths: frozenset[int]
    relative: bool
    """It speaks of a day, and only of one that a calendar tells."""

    def have_day(self, day: date) -> bool:
        return self.relative or bool({(day.year, day.month, day.day), (0, day.month, day.day)} & self.days)

    def have_minute(self, minute: int) -> bool:
        """Whether it was said, or follows from a time and a length that were."""
        return minute in self.minutes or any((minute - one) % 1440 in self.minutes for one in self.lengths)


def moments_in(text: str) -> Moments:
    text = _spaced(text)
    days = frozenset(day for found in find_dates(text) for day in _days(found))
    return Moments(
        days,
        frozenset([*(m for found in _CLOCK.findall(text) if (m := parse_time(found)) is not None), *_spoken(text)]),
        frozenset(_length(found) for found in _LONG.finditer(text)),
        not days and _RELATIVE.search(text) is not None,
    )


def with_more(said: Moments, text: str) -> Moments:
    """What was said, and the days and times that stand elsewhere: how long, and which day is next, only who speaks can say."""
    other = moments_in(text)
    return said._replace(days=said.days | other.days, minutes=said.minutes | other.minutes)


def without(text: str, known: Moments) -> str:
    """A text without the days and times in it that are known."""
    text = _spaced(text)
    for found in find_dates(text):
        day = parse_date(found)
        text = text.replace(found, " ", 1) if day is not None and known.have_day(day) else text
    for found in _CLOCK.findall(text):
        minute = parse_time(found)
        text = text.replace(found, " ", 1) if minute is not None and known.have_minute(minute) else text
    return text


def _spaced(text: str) -> str:
    text = re.sub(r"(?<=\d)T(?=\d)", " ", text)
    return re.sub(r"(?<=\d)((?:st|nd|rd|th)?)\s+of\s+(?=[A-Za-z]{3})", r"\1 ", text)


def _days(found: str) -> list[tuple[int, int, int]]:
    day, plain = parse_date(found), parse_date(f"{found} 2000")
    if day is None:
        return [(0, plain.month, plain.day)] if plain is not None else []
    other = parse_date(_SLASHED.sub(r"\2/\1/\3", found))
    return [(one.year, one.month, one.day) for one in (day, other) if one is not None]


def _spoken(text: str) -> list[int]:
    """Of an hour without a half of the day both are meant."""
    found = [720] * bool(re.search(r"\b(?:noon|midday)\b", text, re.I)) + [0] * bool(re.search(r"\bmidnight\b", text, re.I))
    for match in _SPOKEN.finditer(text):
        hour = _count(match["of"] or match["hour"] or match["bare"])
        part = {"half": 30, "quarter": 15}.get(str(match["part"]).casefold()) or _count(str(match["part"] or "0").split()[0])
        minute = int(hour * 60 + (-part if (match["side"] or "").casefold() == "to" else part))
        when = (match["when"] or "").casefold()
        if hour < 24 and when in {"", "morning"}:
            found.append(minute % 1440)
        if hour <= 12 and when != "morning":
            found.append((minute % _HALF_DAY) + _HALF_DAY)
    return found


def _length(found: re.Match[str]) -> int:
    head = found["count"].casefold()
    count = 0.5 if head.startswith("half") else 1.0 if head in {"a", "an"} else _count(head)
    count += 0.5 if found["more"] else 0
    return round(count * (60 if found["unit"].casefold().startswith("hour") else 1))


def _count(word: str) -> float:
    folded = word.casefold()
    return float(_WORDS.index(folded)) if folded in _WORDS else float(folded)
