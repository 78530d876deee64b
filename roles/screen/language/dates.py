"""Days, spans of days, times of day and lengths of time, as words say them and as the world's clock counts them.

Conventions: weeks begin on Monday; "Thursday" is the coming one, "next Thursday" the one of next week; a month or a day of one
without its year is the nearest; "at 3" is in the afternoon, as all bare hours from 1 to 6.
"""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta
from typing import NamedTuple

from dateutil.relativedelta import relativedelta  # type: ignore[import-untyped]

from roles.contracts.orders import When
from roles.screen.language.words import Doubt, Words

DAYS = "monday tuesday wednesday thursday friday saturday sunday".split()  # noqa: SIM905
MONTHS = "january february march april may june july august september october november december".split()  # noqa: SIM905
PARTS = {
    "morning": ("06:00", "12:00"),
    "afternoon": ("12:00", "18:00"),
    "evening": ("18:00", "23:59"),
    "night": ("20:00", "23:59"),
}
NEAR = {"today": 0, "tomorrow": 1, "yesterday": -1, "tonight": 0}
ORDINAL = re.compile(r"(\d{1,2})(?:st|nd|rd|th)")
SLASHED = re.compile(r"(\d{1,2})/(\d{1,2})/(\d{4})")
CLOCK = re.compile(r"(\d{1,2})(?:[:.](\d\d))?\s?([ap])?\.?(?:m\.?|o[’']clock)?", re.I)
SPANS = {unit: relativedelta(**{f"{unit}s": 1}) for unit in ("day", "week", "month", "year")}


class Days(NamedTuple):
    """Both ends, and the token behind."""

    first: date | None
    last: date | None
    end: int


class Dates:
    """Reads them from a goal's words."""

    def __init__(self, words: Words, today: str) -> None:
        self.words = words
        self.ranges = True
        """Whether "to" between two days or times makes a span of them: not in "move it from Friday to Monday"."""
        self.today: date | None = datetime.fromisoformat(today).date() if today else None

    def low(self, at: int) -> str:
        return self.words.list[at].lower if at < len(self.words.list) else ""

    def has(self, at: int, *said: str) -> bool:
        return all(self.low(at + n) == word for n, word in enumerate(said))

    def read(self, at: int) -> tuple[When, int] | None:
        """day [part of the day] [times] | times [day] | length"""
        days = self.days(at)
        if days and self.today and not (days.first and days.last):
            return None  # such as February 30
        if self.low(at) == "this" and self.low(at + 1) in PARTS:
            start, stop, day = *PARTS[self.low(at + 1)], str(self.today or "")
            return When(text=self.words.text(at, at + 2), first=day, last=day, start=start, end=stop), at + 2
        if days and len(self.low(at)) > 10 and self.words.list[at].kind == "date":
            exact = f"{self.low(at)[:10]} {self.low(at)[11:]:0>5}"
            return When(text=self.words.text(at, at + 1), first=exact, last=exact), at + 1
        end = days.end if days else at
        timely = self.low(end + 1) in {"at", "from"} or any(token.kind == "time" for token in self.words.list[end + 1 : end + 2])
        times = self.times(end + 1 if days and self.low(end) == "," and timely else end, bool(days))
        if times and not days and (days := self.days(times[2] + self.has(times[2], "on"))):
            end = days.end
        elif times:
            end = times[2]
        if days or times:
            start, stop = times[:2] if times else ("", "")
            if self.low(at) == "tonight":
                start, stop = (f"{int(one[:2]) + 12}{one[2:]}" if "01" <= one[:2] < "12" else one for one in (start, stop))
            first = days.first.isoformat() if days and days.first else ""
            last = days.last.isoformat() if days and days.last else ""
            return When(text=self.words.text(at, end), first=first, last=last, start=start, end=stop), end
        if length := self.length(at):
            return When(text=self.words.text(at, length[1]), minutes=length[0]), length[1]
        return None

    # Days

    def days(self, at: int) -> Days | None:
        """from|between DAY to|and DAY | DAY"""
        if self.low(at) in {"from", "between"} and (one := self._span_end(at + 1)):
            return one
        return (self._span_end(at) if self._day(at) else None) or self._day(at)

    def _span_end(self, at: int) -> Days | None:
        first = self._day(at) or self._bare(at)
        if not first or not self.ranges or self.low(first.end) not in {"to", "and", "till", "until", "-"}:
            return None
        last = self._day(first.end + 1)
        if not last:
            return None
        begin = first.first
        if begin is None and last.first and (number := self._number(at + (self.low(at) == "the"))):
            begin = last.first.replace(day=number)
        return Days(begin, last.last, last.end) if not (begin and last.last and begin > last.last) else None

    def _bare(self, at: int) -> Days | None:
        """the 9th: its month comes with the other end"""
        at += self.low(at) == "the"
        return Days(None, None, at + 1) if ORDINAL.fullmatch(self.low(at)) else None

    def _number(self, at: int) -> int | None:
        found = ORDINAL.fullmatch(self.low(at)) or re.fullmatch(r"(\d{1,2})", self.low(at))
        return int(found[1]) if found and 0 < int(found[1]) < 32 else None

    def _day(self, at: int) -> Days | None:
        word = self.low(at)
        if word in NEAR:
            return self._one(self._from_now(days=NEAR[word]), at + 1)
        if self.has(at, "the", "day", "after", "tomorrow"):
            return self._one(self._from_now(days=2), at + 4)
        if self.has(at, "the", "day", "before", "yesterday"):
            return self._one(self._from_now(days=-2), at + 4)
        if at < len(self.words.list) and self.words.list[at].kind == "date":
            return self._one(date.fromisoformat(word[:10]), at + 1)
        if slashed := SLASHED.fullmatch(word):
            return self._one(self._slashed(*map(int, slashed.groups())), at + 1)
        for rule in (self._weekday, self._dated, self._spanned, self._ahead, self._month):
            if found := rule(at):
                return found
        return None

    def _slashed(self, one: int, two: int, year: int) -> date | None:
        """5/13/2026, 13/5/2026; where either may be the month, nobody can tell."""
        days = sorted({day for day in (self._made(year, one, two), self._made(year, two, one)) if day})
        if len(days) > 1:
            raise Doubt(f"is {one}/{two}/{year} meant as {days[0]:%Y-%m-%d} or as {days[1]:%Y-%m-%d}?")
        return days[0] if days else None

    def _one(self, day: date | None, end: int) -> Days:
        return Days(day, day, end)

    def _from_now(self, **length: int) -> date | None:
        return self.today + relativedelta(**length) if self.today else None

    def _weekday(self, at: int) -> Days | None:
        """[this|next|last|coming] WEEKDAY [next week|this week|in a week]"""
        which = self.low(at) if self.low(at) in {"this", "next", "last", "coming"} else ""
        at += bool(which) + (self.has(at, "the", "coming") * 2)
        name = self.low(at)
        if name not in DAYS:
            return None
        end, monday = at + 1, self.today - timedelta(days=self.today.weekday()) if self.today else None
        week = {"next": 1, "last": -1}.get(which)
        if self.low(end) in {"next", "this", "last"} and self.low(end + 1) == "week":
            week, end = {"next": 1, "this": 0, "last": -1}[self.low(end)], end + 2
        dated = self._dated(end + (self.low(end) == ","))
        if dated and not which:  # Monday, March 3, where that is a Tuesday, is no day
            return dated if not dated.first or dated.first.weekday() == DAYS.index(name) else Days(None, None, dated.end)
        if monday is None or self.today is None:
            return Days(None, None, end)
        day = monday + timedelta(days=DAYS.index(name))
        if week is not None:
            day += timedelta(weeks=week)
            if which == "last" and self.today - day > timedelta(days=7):
                day += timedelta(weeks=1)
        elif day <= self.today and which != "this":
            day += timedelta(weeks=1)
        return self._one(day, end)

    def _dated(self, at: int) -> Days | None:
        """March 5[th] [2026] | [the] 5[th] [of] March [2026] | the 5th"""
        month = self._named(at)
        if month and (number := self._number(at + 1)):
            end = at + 2
        else:
            start = at + (self.low(at) == "the")
            number, end = self._number(start), start + 1
            if number is None:
                return None
            end += self.low(end) == "of"
            month = self._named(end)
            if not month:
                if ORDINAL.fullmatch(self.low(start)) and self.low(at) == "the" and self.today:
                    return self._one(self._nearest(self.today.month, number), start + 1)
                return None
            end += 1
        after = end + (self.low(end) == ",")
        if re.fullmatch(r"(19|20)\d\d", self.low(after)):
            return self._one(self._made(int(self.low(after)), month, number), after + 1)
        return self._one(self._nearest(month, number), end)

    def _named(self, at: int) -> int:
        if at >= len(self.words.list) or (not (word := self.words.list[at]).capital and word.lower in {"may", "march"}):
            return 0
        short = word.lower.rstrip(".")
        return next((n for n, name in enumerate(MONTHS, 1) if short == name or (len(short) == 3 and name.startswith(short))), 0)

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

    def _spanned(self, at: int) -> Days | None:
        """[the] next|this|last week|month|year | the week of DAY | the week after next"""
        start = at + (self.low(at) == "the")
        if self.low(start) in {"last", "past", "next"} and (found := self.shift(start + 1)):
            shift, end = found
            if self.today is None:
                return Days(None, None, end)
            first, last = (self.today, self.today + shift) if self.low(start) == "next" else (self.today - shift, self.today)
            return Days(first, last, end)
        if self.has(start, "week", "after", "next"):
            return self._period("week", 2, start + 3)
        if self.has(start, "week", "of") and (day := self._day(start + 2)):
            if day.first is None:
                return day
            monday = day.first - timedelta(days=day.first.weekday())
            return Days(monday, monday + timedelta(days=6), day.end)
        step = {"next": 1, "this": 0, "last": -1, "coming": 1}.get(self.low(start))
        return (
            self._period(self.low(start + 1), step, start + 2)
            if step is not None and self.low(start + 1) in {"week", "month", "year"}
            else None
        )

    def _period(self, unit: str, step: int, end: int) -> Days:
        if self.today is None:
            return Days(None, None, end)
        now = self.today + SPANS[unit] * step
        first = {"week": now - timedelta(days=now.weekday()), "month": now.replace(day=1), "year": now.replace(month=1, day=1)}[
            unit
        ]
        return Days(first, first + SPANS[unit] - timedelta(days=1), end)

    def _ahead(self, at: int) -> Days | None:
        """in two weeks | three days ago | a month from now"""
        inside = self.low(at) == "in"
        found = self.shift(at + inside)
        if found is None:
            return None
        shift, end = found
        ago, onwards = self.low(end) == "ago", self.low(end) == "from" and self.low(end + 1) in {"now", "today"}
        if not (inside or ago or onwards):
            return None
        day = (self.today - shift if ago else self.today + shift) if self.today else None
        return self._one(day, end + ago + 2 * onwards)

    def shift(self, at: int) -> tuple[relativedelta, int] | None:
        """A length of days, weeks, months or years."""
        length, unit = self.length(at), self.words.take(at + 1, "lengths")
        if length is None or unit is None or unit.end != length[1] or unit.entry.name not in SPANS:
            return None
        return SPANS[unit.entry.name] * (length[0] // int(unit.entry.data["value"])), length[1]

    def _month(self, at: int) -> Days | None:
        month = self._named(at)
        if not month or (len(self.low(at)) == 3 and month != 5):
            return None
        end = at + 1
        if re.fullmatch(r"(19|20)\d\d", self.low(end)):
            first = self._made(int(self.low(end)), month, 1)
            end += 1
        else:
            middle = self._nearest(month, 15)
            first = middle.replace(day=1) if middle else None
        return Days(first, first + relativedelta(months=1) - timedelta(days=1) if first else None, end)

    # Times of day

    def times(self, at: int, dated: bool = False) -> tuple[str, str, int] | None:
        """[in the] morning | from TIME to TIME | [at] TIME [to TIME]"""
        start = at + 2 * self.has(at, "in", "the") + (self.low(at) in {"this", "the"} and not dated)
        if self.low(start) in PARTS and (dated or start > at):
            return *PARTS[self.low(start)], start + 1
        if self.low(at) in {"from", "between"}:
            return self._from_to(at + 1, loose=True)
        if self.low(at) == "at" or (dated and self.low(at) == ","):
            one = self._from_to(at + 1, loose=True) or self._clock(at + 1, loose=True)
        else:
            one = self._from_to(at, loose=False) or self._clock(at, loose=dated and self._followed(at))
        if one is None:
            return None
        return (one[0], "", one[1]) if len(one) == 2 else one

    def _followed(self, at: int) -> bool:
        return self.low(at + 1) in {"to", "-", "till", "until"}

    def _from_to(self, at: int, loose: bool) -> tuple[str, str, int] | None:
        first = self._clock(at, loose)
        if not first or not self.ranges or self.low(first[1]) not in {"to", "till", "until", "-", "and"}:
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
        word = self.low(at)
        if word in {"noon", "midday", "midnight"}:
            return ("00:00" if word == "midnight" else "12:00"), at + 1
        if at >= len(self.words.list):
            return None
        if (turned := self._past(at + (word == "a"), loose)) is not None:
            return turned
        token, number = self.words.list[at], self.words.take(at, "numbers")
        hour = number.entry.data["value"] if number and int(number.entry.data["value"]) <= 12 else 0
        loose = loose or (self._followed(at) and at + 2 < len(self.words.list) and self.words.list[at + 2].kind == "time")
        if token.kind == "time" or (loose and (token.kind == "number" or hour)):
            return self._hour(str(hour or token.lower), at + 1)
        return None

    def _past(self, at: int, loose: bool) -> tuple[str, int] | None:
        """half past 9 | quarter to 5 | 20 past 3"""
        minutes = {"half": 30, "quarter": 15}.get(self.low(at)) or (int(self.low(at)) if loose and self.low(at).isdigit() else 0)
        sign = {"past": 1, "to": -1}.get(self.low(at + 1), 0)
        hour = self._clock(at + 2, True) if minutes and sign and not (sign < 0 and self.low(at).isdigit()) else None
        if hour is None:
            return None
        shifted = datetime.fromisoformat(f"2000-01-02 {hour[0]}") + timedelta(minutes=sign * minutes)
        return shifted.strftime("%H:%M"), hour[1]

    def _hour(self, text: str, end: int) -> tuple[str, int] | None:
        parts = CLOCK.fullmatch(text)
        if not parts or int(parts[1]) > 24 or int(parts[2] or 0) > 59:
            return None
        hour, half = int(parts[1]), (parts[3] or "").lower()
        if not half and self.has(end, "in", "the") and self.low(end + 2) in PARTS:
            half, end = "a" if self.low(end + 2) == "morning" else "p", end + 3
        if half:
            hour = hour % 12 + (12 if half == "p" else 0)
        elif 0 < hour < 7 and not text.startswith("0"):
            hour += 12
        return f"{hour:02d}:{int(parts[2] or 0):02d}", end

    # Lengths

    def length(self, at: int) -> tuple[int, int] | None:
        """half an hour | an hour | 30 minutes | two weeks | one and a half hours"""
        if self.low(at) == "half" and self.low(at + 1) in {"a", "an"} and (unit := self.words.take(at + 2, "lengths")):
            return int(unit.entry.data["value"] / 2), unit.end
        found = self.words.take(at, "numbers")
        token = self.words.list[at] if at < len(self.words.list) else None
        if token is None:
            return None
        count = 1.0 if token.lower in {"a", "an"} else found.entry.data["value"] if found else (
            float(token.lower) if token.kind == "number" and re.fullmatch(r"\d+(\.\d+)?", token.lower) else None
        )  # fmt: skip
        unit = self.words.take(at + 1, "lengths")
        if count is None or not unit or not unit.entry.data["value"]:
            return None
        minutes, end = int(count * unit.entry.data["value"]), unit.end
        if self.has(end, "and", "a", "half"):
            minutes, end = minutes + unit.entry.data["value"] // 2, end + 3
        return minutes, end
