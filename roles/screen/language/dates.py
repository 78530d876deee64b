"""Days, spans of days, times of day and lengths of time, as words say them and as the world's clock counts them.

How they are said is in the lexicon, under `dates`. Conventions: weeks begin on Monday; "Thursday" is the coming one, "next
Thursday" the one of next week; a month or a day of one without its year is the nearest; "at 3" is in the afternoon, as all bare
hours from 1 to 6.
"""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta
from functools import cache
from itertools import accumulate
from typing import Any, NamedTuple

from dateutil.relativedelta import MO, relativedelta  # type: ignore[import-untyped]

from roles.contracts.orders import When
from roles.screen.language.words import Doubt, Lexicon, Words

TO = frozenset({"to", "till", "until", "-"})
BEGIN = {"week": relativedelta(weekday=MO(-1)), "month": relativedelta(day=1), "year": relativedelta(month=1, day=1)}
"""From a day to the first of its week, month or year."""
STEPS = {"next": 1, "coming": 1, "this": 0, "last": -1, "week after next": 2}
SPANS = {unit: relativedelta(**{f"{unit}s": 1}) for unit in ("day", "week", "month", "year")}


class Days(NamedTuple):
    """Both ends, and the token behind."""

    first: date | None
    last: date | None
    end: int


@cache
def _said() -> dict[str, Any]:
    """The lexicon's forms, compiled, with what its words stand for."""
    lexicon = Lexicon.english()
    said = dict(lexicon.data["dates"])
    said["number"] = {"a": 1, "an": 1} | lexicon.data["numbers"]
    said["month"] = {form: n for n, month in enumerate(said["months"], 1) for form in (month, month[:3])}
    said["units"] = {form: unit for unit in lexicon.data["lengths"] for form in (unit, lexicon.plural(unit))}
    parts = {
        "unit": "|".join(sorted(said["units"], key=len, reverse=True)),
        "count": "|".join((r"\d+(?:\.\d+)?", "an?", *lexicon.data["numbers"])),
        "hour": "|".join((r"\d{1,2}", *lexicon.data["numbers"])),
        "day": r"0?[1-9]|[12]\d|3[01]",
        "year": r"(?:19|20)\d\d",
        "near": "|".join(sorted(said["near"], key=len, reverse=True)),
        "part": "|".join(said["parts"]),
        "weekday": "|".join(said["weekdays"]),
        "month": "|".join(said["months"]),
        "short": "|".join(month[:3] for month in said["months"]),
    }
    said["forms"] = {name: re.compile(f"(?:{form.format(**parts)})(?![^ ])") for name, form in said["forms"].items()}
    return said


class Dates:
    """Reads them from a goal's words."""

    def __init__(self, words: Words, today: str) -> None:
        self.words, self.said = words, _said()
        self.ranges = True
        """Whether "to" between two days or times makes a span of them: not in "move it from Friday to Monday"."""
        self.today: date | None = datetime.fromisoformat(today).date() if today else None
        correct = words.lexicon.corrected
        lows = [token.lower if token.capital else correct(token.lower) for token in words.list]
        for at, token in enumerate(words.list):
            if token.kind == "quote" or token.text in {"may", "march"}:
                lows[at] = "_"
        self.starts = [*accumulate((len(low) + 1 for low in lows), initial=0)]
        self.line = " ".join(lows)
        self.ends = {start - 1: at for at, start in enumerate(self.starts)}
        self._days: dict[tuple[int, bool], Days | None] = {}

    def low(self, at: int) -> str:
        return self.words.list[at].lower if at < len(self.words.list) else ""

    def found(self, form: str, at: int) -> tuple[dict[str, str], int] | None:
        """The parts of a form that stands here, and the token behind."""
        found = self.said["forms"][form].match(self.line, self.starts[at]) if at < len(self.words.list) else None
        return (found.groupdict(""), self.ends[found.end()]) if found and found.end() in self.ends else None

    def read(self, at: int) -> tuple[When, int] | None:
        """day [part of the day] [times] | times [day] | length"""
        days = self.days(at)
        if days and self.today and not (days.first and days.last):
            return None  # such as February 30
        if days and (exact := self.found("exact", at)) and exact[0]["time"]:
            moment = f"{exact[0]['day']} {exact[0]['time']:0>5}"
            return When(text=self.words.text(at, exact[1]), first=moment, last=moment), exact[1]
        end = days.end if days else at
        timely = self.low(end + 1) in {"at", "from"} or any(token.kind == "time" for token in self.words.list[end + 1 : end + 2])
        times = self.times(end + 1 if days and self.low(end) == "," and timely else end, bool(days))
        if times and not days:
            days = self.days(times[2] + (self.low(times[2]) == "on"))
            if self.low(at) == "this" and not days:  # this morning
                days = Days(self.today, self.today, times[2])
            end = days.end if days else times[2]
        elif times:
            end = times[2]
        if days or times:
            start, stop = times[:2] if times else ("", "")
            if self.low(at) == "tonight":
                start, stop = (f"{int(one[:2]) + 12}{one[2:]}" if "01" <= one[:2] < "12" else one for one in (start, stop))
            first, last = (str(day or "") for day in days[:2]) if days else ("", "")
            return When(text=self.words.text(at, end), first=first, last=last, start=start, end=stop), end
        if length := self.length(at):
            return When(text=self.words.text(at, length[1]), minutes=length[0]), length[1]
        return None

    # Days

    def days(self, at: int) -> Days | None:
        """from|between DAY to|and DAY | DAY"""
        key = at, self.ranges
        if key not in self._days:
            between = self._span(at + 1) if self.low(at) in {"from", "between"} else None
            self._days[key] = between or self._span(at) or self._day(at)
        return self._days[key]

    def _span(self, at: int) -> Days | None:
        """DAY to|and DAY | the 9th to|and DAY, in whose month it is"""
        first, nth = self._day(at), self.found("nth", at)
        end = first.end if first else nth[1] if nth else 0
        last = self._day(end + 1) if end and self.ranges and self.low(end) in {*TO, "and"} else None
        if last is None:
            return None
        begin = first.first if first else None
        if begin is None and nth and last.first:
            begin = self._made(last.first.year, last.first.month, int(nth[0]["number"] or 0))
        return Days(begin, last.last, last.end) if not (begin and last.last and begin > last.last) else None

    def _day(self, at: int) -> Days | None:
        for form in ("near", "exact", "slashed", "weekday", "dated", "spanned", "period", "month"):
            if found := self.found(form, at):
                days: Days | None = getattr(self, f"_{form}")(*found)
                if days is not None:
                    return days
        if week := self.found("week_of", at):
            day = self._day(week[1])
            monday = day.first + BEGIN["week"] if day and day.first else None
            return Days(monday, monday + timedelta(days=6), day.end) if day and monday else day
        return self._ahead(at)

    def _one(self, day: date | None, end: int) -> Days:
        return Days(day, day, end)

    def _near(self, said: dict[str, str], end: int) -> Days:
        return self._one(self.today + timedelta(days=self.said["near"][said["near"]]) if self.today else None, end)

    def _exact(self, said: dict[str, str], end: int) -> Days:
        return self._one(self._made(*map(int, said["day"].split("-"))), end)

    def _slashed(self, said: dict[str, str], end: int) -> Days:
        """5/13/2026, 13/5/2026; where either may be the month, nobody can tell."""
        one, two, year = (int(said[part]) for part in ("one", "two", "year"))
        days = sorted({day for day in (self._made(year, one, two), self._made(year, two, one)) if day})
        if len(days) > 1:
            raise Doubt(f"is {one}/{two}/{year} meant as {days[0]:%Y-%m-%d} or as {days[1]:%Y-%m-%d}?")
        return self._one(days[0] if days else None, end)

    def _weekday(self, said: dict[str, str], end: int) -> Days:
        """[this|next|last|coming] WEEKDAY [next week|this week]"""
        which, number = said["which"], self.said["weekdays"].index(said["weekday"])
        dated = self.found("dated", end + (self.low(end) == ","))
        if dated and not which and (days := self._dated(*dated)):  # Monday, March 3, where that is a Tuesday, is no day
            return days if not days.first or days.first.weekday() == number else Days(None, None, days.end)
        if self.today is None:
            return Days(None, None, end)
        day = self.today + timedelta(days=number - self.today.weekday())
        week = STEPS[said["week"]] if said["week"] else STEPS[which] if which in {"next", "last"} else None
        if week is not None:
            day += timedelta(weeks=week)
            if which == "last" and self.today - day > timedelta(days=7):
                day += timedelta(weeks=1)
        elif day <= self.today and which != "this":
            day += timedelta(weeks=1)
        return self._one(day, end)

    def _dated(self, said: dict[str, str], end: int) -> Days | None:
        """March 5[th] [2026] | [the] 5[th] [of] March [2026] | the 5th"""
        number = int(said["number"] or said["number_of"] or said["alone"])
        month = self.said["month"].get(said["month"] or said["of"]) or (self.today.month if self.today else 0)
        day = self._made(int(said["year"]), month, number) if said["year"] else self._nearest(month, number)
        return self._one(day, end) if month else None

    def _made(self, year: int, month: int, day: int) -> date | None:
        try:
            return date(year, month, day)
        except ValueError:
            return None

    def _nearest(self, month: int, day: int) -> date | None:
        if self.today is None:
            return None
        now = self.today
        days = [made for year in (now.year, now.year + 1, now.year - 1) if (made := self._made(year, month, day))]
        return min(days, key=lambda made: abs((made - now).days), default=None)

    def _spanned(self, said: dict[str, str], end: int) -> Days | None:
        """[the] last|past|next two weeks"""
        found = self.shift(end)
        if found is None or self.today is None:
            return Days(None, None, found[1]) if found else None
        first, last = (self.today, self.today + found[0]) if said["which"] == "next" else (self.today - found[0], self.today)
        return Days(first, last, found[1])

    def _period(self, said: dict[str, str], end: int) -> Days:
        """[the] next|this|last week|month|year | the week after next"""
        if self.today is None:
            return Days(None, None, end)
        unit = said["unit"] or "week"
        first = self.today + SPANS[unit] * STEPS[said["which"] or said["after"]] + BEGIN[unit]
        return Days(first, first + SPANS[unit] - timedelta(days=1), end)

    def _month(self, said: dict[str, str], end: int) -> Days:
        month = self.said["month"][said["month"]]
        middle = self._made(int(said["year"]), month, 15) if said["year"] else self._nearest(month, 15)
        first = middle.replace(day=1) if middle else None
        return Days(first, first + relativedelta(months=1) - timedelta(days=1) if first else None, end)

    def _ahead(self, at: int) -> Days | None:
        """in two weeks | three days ago | a month from now"""
        inside = self.low(at) == "in"
        length = self.shift(at + inside)
        away = self.found("away", length[1]) if length else None
        if length is None or not (inside or away):
            return None
        shift = -length[0] if away and away[0]["ago"] else length[0]
        return self._one(self.today + shift if self.today else None, away[1] if away else length[1])

    # Times of day

    def times(self, at: int, dated: bool = False) -> tuple[str, str, int] | None:
        """[in the] morning | from TIME to TIME | [at] TIME [to TIME]"""
        part = self.found("part", at)
        if part and (dated or part[1] > at + 1) and not (dated and self.low(at) in {"this", "the"}):
            return *self.said["parts"][part[0]["part"]], part[1]
        if self.low(at) in {"from", "between"}:
            return self._from_to(at + 1, loose=True)
        if self.low(at) == "at" or (dated and self.low(at) == ","):
            one = self._from_to(at + 1, loose=True) or self._clock(at + 1, loose=True)
        else:
            one = self._from_to(at, loose=False) or self._clock(at, loose=dated and self.low(at + 1) in TO)
        return one and ((one[0], "", one[1]) if len(one) == 2 else one)

    def _from_to(self, at: int, loose: bool) -> tuple[str, str, int] | None:
        first = self._clock(at, loose)
        if not first or not self.ranges or self.low(first[1]) not in {*TO, "and"}:
            return None
        last = self._clock(first[1] + 1, loose or self.words.list[at].kind == "time")
        if not last:
            return None
        begin, end = first[0], last[0]
        if end < begin and end < "12:00":
            end = f"{int(end[:2]) + 12:02d}{end[2:]}"
        return begin, end, last[1]

    def _clock(self, at: int, loose: bool) -> tuple[str, int] | None:
        """10:30 | 3 pm | half past 9 | quarter to 5 | noon | where a time must stand, a bare hour too"""
        if found := self.found("noon", at):
            return ("00:00" if found[0]["midnight"] else "12:00"), found[1]
        if (past := self.found("past", at)) and (loose or not past[0]["minutes"]) and (hour := self._clock(past[1], True)):
            said = past[0]
            minutes = int(said["minutes"] or {"half": 30, "quarter": 15}[said["fraction"]])
            shifted = datetime.fromisoformat(f"2000-01-02 {hour[0]}") + timedelta(minutes=-minutes if said["to"] else minutes)
            return shifted.strftime("%H:%M"), hour[1]
        loose = loose or (self.low(at + 1) in TO and any(token.kind == "time" for token in self.words.list[at + 2 : at + 3]))
        found = self.found("clock", at)
        if found is None or not (loose or self.words.list[at].kind == "time"):
            return None
        said, end = found
        hours, minutes = int(self.said["number"].get(said["hour"]) or said["hour"]), int(said["minutes"] or 0)
        half = said["half"] or {"": "", "morning": "a"}.get(said["part"], "p")
        if hours > (24 if said["hour"].isdigit() else 12) or minutes > 59:
            return None
        if half:
            hours = hours % 12 + (12 if half == "p" else 0)
        elif 0 < hours < 7 and not said["hour"].startswith("0"):
            hours += 12
        return f"{hours:02d}:{minutes:02d}", end

    # Lengths

    def length(self, at: int) -> tuple[int, int] | None:
        """half an hour | an hour | 30 minutes | two weeks | one and a half hours: minutes"""
        found = self.found("length", at)
        minutes = self._unit(found[0])[1] if found else 0
        if found is None or not minutes:
            return None
        said, end = found
        count = 0.5 if said["half"] else float(self.said["number"].get(said["count"]) or said["count"])
        return int(count * minutes) + (minutes // 2 if said["more"] else 0), end

    def _unit(self, said: dict[str, str]) -> tuple[str, int]:
        """Its name and its minutes."""
        unit: str = self.said["units"][said["half"] or said["unit"]]
        return unit, self.words.lexicon.data["lengths"][unit]

    def shift(self, at: int) -> tuple[relativedelta, int] | None:
        """A length of days, weeks, months or years."""
        length, found = self.length(at), self.found("length", at)
        unit, minutes = self._unit(found[0]) if found else ("", 0)
        return (SPANS[unit] * (length[0] // minutes), length[1]) if length and unit in SPANS else None
