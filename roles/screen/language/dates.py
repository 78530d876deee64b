"""Days, spans of days, times of day and lengths of time, as words say them and as the world's clock counts them.

Conventions: weeks begin on Monday; "Thursday" is the coming one, "next Thursday" the one of next week; a month or a day of one
without its year is the nearest; "at 3" is in the afternoon, as all bare hours from 1 to 6.
"""

import re
from calendar import day_name, month_name
from datetime import date, datetime, timedelta
from typing import NamedTuple

from dateutil.relativedelta import relativedelta  # type: ignore[import-untyped]

from roles.contracts.orders import When
from roles.screen.language.words import Doubt, Words, phrases, table

WEEKDAYS = [name.lower() for name in day_name]
MONTHS = [name.lower() for name in month_name]
PARTS = {
    "morning": ("06:00", "12:00"),
    "afternoon": ("12:00", "18:00"),
    "evening": ("18:00", "23:59"),
    "night": ("20:00", "23:59"),
}
STEPS = {"next": 1, "this": 0, "last": -1, "coming": 1}
CLOCK = re.compile(r"(\d{1,2})(?:[:.](\d\d))?\s?([ap])?\.?(?:m\.?|o[’']clock)?", re.I)
UNITS = {unit: relativedelta(**{f"{unit}s": 1}) for unit in ("day", "week", "month", "year")}


class Days(NamedTuple):
    """Both ends, and the token behind. Without ends: a day that there is not, or one that only a clock could tell."""

    first: date | None
    last: date | None
    end: int


class Dates:
    """Reads them from a goal's words."""

    def __init__(self, words: Words, today: str) -> None:
        self.words = words
        self.low, self.has = words.low, words.has
        self.ranges = True
        """Whether "to" between two days or times makes a span of them: not in "move it from Friday to Monday"."""
        self.today: date | None = datetime.fromisoformat(today).date() if today else None

    def read(self, at: int) -> tuple[When, int] | None:
        """day [part of the day] [times] | times [day] | length"""
        days = self.days(at)
        if days and self.today and not (days.first and days.last):
            return None  # such as February 30
        if days and len(self.low(at)) > 10 and self.words.kind(at) == "date":
            exact = f"{self.low(at)[:10]} {self.low(at)[11:]:0>5}"
            return When(text=self.words.text(at, at + 1), first=exact, last=exact), at + 1
        end = days.end if days else at
        timely = self.low(end + 1) in {"at", "from"} or self.words.kind(end + 1) == "time"
        times = self.times(end + 1 if days and self.low(end) == "," and timely else end, bool(days))
        end = times[2] if times else end
        if times and not days and (days := self.days(end + self.has(end, "on"))):
            end = days.end
        elif times and self.low(at) == "this":
            days = self._one(self.today, end)
        if days or times:
            start, stop = times[:2] if times else ("", "")
            if self.low(at) == "tonight":
                start, stop = (f"{int(one[:2]) + 12}{one[2:]}" if "01" <= one[:2] < "12" else one for one in (start, stop))
            first, last = (str(day or "") for day in (days[:2] if days else (None, None)))
            return When(text=self.words.text(at, end), first=first, last=last, start=start, end=stop), end
        if length := self.length(at):
            return When(text=self.words.text(at, length[1]), minutes=length[0]), length[1]
        return None

    # Days

    def days(self, at: int) -> Days | None:
        """from|between DAY to|and DAY | DAY"""
        if self.low(at) in {"from", "between"} and (one := self._span(at + 1)):
            return one
        day = self._day(at)
        return (self._span(at) if day else None) or day

    def _span(self, at: int) -> Days | None:
        """DAY to DAY | the 9th to the 11th of March, where the month comes with the other end"""
        start = at + self.has(at, "the")
        first = self._day(at) or (Days(None, None, start + 1) if self.words.kind(start) == "nth" else None)
        last = self._day(first.end + 1) if first and self.ranges and self.low(first.end) in phrases("to") else None
        if not first or not last:
            return None
        begin = first.first
        if begin is None and last.first and (number := self._number(start)):
            begin = last.first.replace(day=number)
        return Days(begin, last.last, last.end) if not (begin and last.last and begin > last.last) else None

    def _number(self, at: int) -> int:
        digits = self.low(at)[:-2] if self.words.kind(at) == "nth" else self.low(at)
        return int(digits) if digits.isdecimal() and len(digits) < 3 and int(digits) < 32 else 0

    def _day(self, at: int) -> Days | None:
        word = self.low(at)
        if self.words.kind(at) == "date":
            return self._one(date.fromisoformat(word[:10]), at + 1)
        parts = word.split("/")
        if len(parts) == 3 and all(map(str.isdecimal, parts)) and len(parts[2]) == 4 and len(max(parts[:2], key=len)) < 3:
            return self._one(_slashed(*map(int, parts)), at + 1)
        for said, count in table("phrases")["near"].items():
            if self.has(at, *said.split()):
                day = self.today + timedelta(days=int(count)) if self.today else None
                return self._one(day, at + len(said.split()))
        rules = (self._weekday, self._dated, self._period, self._ahead, self._month)
        return next((found for rule in rules if (found := rule(at))), None)

    def _one(self, day: date | None, end: int) -> Days:
        return Days(day, day, end)

    def _weekday(self, at: int) -> Days | None:
        """[this|next|last|coming] WEEKDAY [next|this|last week] | WEEKDAY "," DATE"""
        which = self.low(at) if self.low(at) in STEPS else ""
        at += bool(which) + (self.has(at, "the", "coming") * 2)
        name, end = self.low(at), at + 1
        if name not in WEEKDAYS:
            return None
        week = STEPS[which] if which in {"next", "last"} else None
        if self.low(end) in {"next", "this", "last"} and self.has(end + 1, "week"):
            week, end = STEPS[self.low(end)], end + 2
        dated = self._dated(end + self.has(end, ","))
        if dated and not which:  # Monday, March 3, where that is a Tuesday, is no day
            return dated if not dated.first or dated.first.weekday() == WEEKDAYS.index(name) else Days(None, None, dated.end)
        if self.today is None:
            return Days(None, None, end)
        day = self.today + timedelta(days=WEEKDAYS.index(name) - self.today.weekday(), weeks=week or 0)
        past = week is None and day <= self.today and which != "this"
        long_ago = which == "last" and self.today - day > timedelta(days=7)
        return self._one(day + timedelta(weeks=past or long_ago), end)

    def _dated(self, at: int) -> Days | None:
        """March 5[th] [2026] | [the] 5[th] [of] March [2026] | the 5th"""
        start = at + self.has(at, "the")
        month, number, end = self._named(at), self._number(at + 1), at + 2
        if not (month and number):
            number, end = self._number(start), start + 1 + self.has(start + 1, "of")
            month, end = self._named(end), end + 1
        if number and not month and start > at and self.today and self.words.kind(start) == "nth":
            return self._one(self._nearest(self.today.month, number), start + 1)
        if not (number and month):
            return None
        after = end + self.has(end, ",")
        if self._is_year(after):
            return self._one(_made(int(self.low(after)), month, number), after + 1)
        return self._one(self._nearest(month, number), end)

    def _named(self, at: int) -> int:
        short = self.low(at).rstrip(".")
        if not self.words.capital(at) and short in {"may", "march"}:
            return 0
        return next((n for n, name in enumerate(MONTHS) if short and (short == name or short == name[:3])), 0)

    def _is_year(self, at: int) -> bool:
        word = self.low(at)
        return len(word) == 4 and word.isdecimal() and word.startswith(("19", "20"))

    def _nearest(self, month: int, day: int) -> date | None:
        now = self.today
        if now is None:
            return None
        days = [made for year in (now.year, now.year + 1, now.year - 1) if (made := _made(year, month, day))]
        return min(days, key=lambda made: abs((made - now).days), default=None)

    def _period(self, at: int) -> Days | None:
        """[the] next|this|last week|month|year | [the] last two weeks | the week of DAY | the week after next"""
        start = at + self.has(at, "the")
        which, step = self.low(start), STEPS.get(self.low(start))
        unit, end = self.low(start + 1), start + 2
        if which in {"last", "past", "next"} and (found := self._shift(start + 1)):
            if self.today is None:
                return Days(None, None, found[1])
            far = self.today + found[0] * (1 if which == "next" else -1)
            return Days(min(far, self.today), max(far, self.today), found[1])
        now = self.today
        if self.has(start, "week", "after", "next"):
            unit, step, end = "week", 2, start + 3
        elif self.has(start, "week", "of") and (day := self._day(start + 2)):
            now, unit, step, end = day.first, "week", 0, day.end
        if step is None or unit not in {"week", "month", "year"}:
            return None
        if now is None:
            return Days(None, None, end)
        now += UNITS[unit] * step
        firsts = {"week": now - timedelta(days=now.weekday()), "month": now.replace(day=1), "year": now.replace(month=1, day=1)}
        return Days(firsts[unit], firsts[unit] + UNITS[unit] - timedelta(days=1), end)

    def _ahead(self, at: int) -> Days | None:
        """in two weeks | three days ago | a month from now"""
        found = self._shift(at + self.has(at, "in"))
        if found is None:
            return None
        (shift, end), inside = found, self.has(at, "in")
        ago, onwards = self.has(end, "ago"), self.has(end, "from", "now") or self.has(end, "from", "today")
        if not (inside or ago or onwards):
            return None
        return self._one(self.today + shift * (-1 if ago else 1) if self.today else None, end + ago + 2 * onwards)

    def before(self, at: int) -> tuple[date | None, int] | None:
        """The day so long ago: "older than" two weeks."""
        found = self._shift(at) if self.today else None
        return (self.today - found[0], found[1]) if found and self.today else None

    def _shift(self, at: int) -> tuple[relativedelta, int] | None:
        """A length of days, weeks, months or years."""
        length, unit = self.length(at), self.words.take(at + 1, "lengths")
        if length is None or unit is None or unit.end != length[1] or unit.entry.name not in UNITS:
            return None
        return UNITS[unit.entry.name] * (length[0] // int(unit.entry.data["value"])), length[1]

    def _month(self, at: int) -> Days | None:
        month, end = self._named(at), at + 1
        if not month or (len(self.low(at)) == 3 and month != 5):
            return None
        if self._is_year(end):
            first, end = _made(int(self.low(end)), month, 1), end + 1
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
        after = self.has(at, "at") or (dated and self.has(at, ","))
        one = self._from_to(at + after, loose=after)
        clock = self._clock(at + after, loose=after or (dated and self.low(at + 1) in phrases("until"))) if one is None else None
        return (clock[0], "", clock[1]) if clock else one

    def _from_to(self, at: int, loose: bool) -> tuple[str, str, int] | None:
        first = self._clock(at, loose)
        bound = first if first and self.ranges and self.low(first[1]) in phrases("to") else None
        last = self._clock(bound[1] + 1, loose or self.words.kind(at) == "time") if bound else None
        if not first or not last:
            return None
        begin, end = first[0], last[0]
        if end < begin < "13:00" and end < "10:00":
            end = f"{int(end[:2]) + 12:02d}{end[2:]}"
        return (begin, end, last[1]) if begin < end else None

    def _clock(self, at: int, loose: bool) -> tuple[str, int] | None:
        """10:30 | 3 pm | half past 9 | quarter to 5 | noon | where a time must stand, a bare hour too"""
        word, kind = self.low(at), self.words.kind(at)
        if word in {"noon", "midday", "midnight"}:
            return ("00:00" if word == "midnight" else "12:00"), at + 1
        if (turned := self._past(at + (word == "a"), loose)) is not None:
            return turned
        number = self.words.take(at, "numbers")
        hour = int(number.entry.data["value"]) if number else 0
        loose = loose or (self.low(at + 1) in phrases("until") and self.words.kind(at + 2) == "time")
        if kind == "time" or (loose and (kind == "number" or 0 < hour <= 12)):
            return self._hour(str(hour or word), at + 1)
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
        word, number = self.low(at), self.words.take(at, "numbers")
        count, place = 0.0, at + 1
        if word == "half" and self.low(at + 1) in {"a", "an"}:
            count, place = 0.5, at + 2
        elif word in {"a", "an"}:
            count = 1.0
        elif number or (self.words.kind(at) == "number" and word.replace(".", "").isdecimal()):
            count = float(number.entry.data["value"] if number else word)
        unit = self.words.take(place, "lengths")
        each = int(unit.entry.data["value"]) if unit else 0
        if not count or not unit or not each:
            return None
        half = self.has(unit.end, "and", "a", "half")
        return int(count * each) + half * (each // 2), unit.end + 3 * half


def _slashed(one: int, two: int, year: int) -> date | None:
    """5/13/2026, 13/5/2026; where either may be the month, nobody can tell."""
    days = sorted({day for day in (_made(year, one, two), _made(year, two, one)) if day})
    if len(days) > 1:
        raise Doubt(f"is {one}/{two}/{year} meant as {days[0]:%Y-%m-%d} or as {days[1]:%Y-%m-%d}?")
    return days[0] if days else None


def _made(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None
