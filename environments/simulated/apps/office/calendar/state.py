"""What the calendar knows and shows: events, what is looked at, and what is written."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import date, datetime, time, timedelta
from functools import cached_property, lru_cache
from itertools import chain
from operator import attrgetter
from typing import Annotated, Literal, NamedTuple, Self

from pydantic import Field, model_validator

from environments.simulated import app as sim
from environments.simulated.apps.common.record_list import FormState, ListState
from environments.simulated.world.values import IdentityKey, Model, matches, paragraph, parse_day, reading, topic

Repeat = Literal["Never", "Daily", "Weekly"]
REPEATS: tuple[Repeat, ...] = ("Never", "Daily", "Weekly")
Reminder = Literal["None", "5 minutes before", "15 minutes before", "1 hour before", "1 day before"]
REMINDERS: tuple[Reminder, ...] = ("None", "5 minutes before", "15 minutes before", "1 hour before", "1 day before")
Answer = Literal["accepted", "invited", "declined"]
STEP = {"Daily": 1, "Weekly": 7}
"""How many days lie between two repetitions."""
_TIME = re.compile(r"^(\d{1,2})(?:[:.h]?(\d{2}))?\s*(am|pm)?$")
_MOMENT = re.compile(r"^(.{6,30}?)[T ,]\s*(\d{1,2}(?:[:.h]?\d{2})?\s*(?:am|pm)?)(?::00)?$", re.IGNORECASE)


def read_day(text: str) -> str | None:
    """A day from 1900 to 2200 in one of the usual notations as `2026-03-31`; None when it is none."""
    found = parse_day(text) if len(text) < 40 else None
    return found if found and "1900" <= found[:4] < "2200" else None


def read_time(text: str) -> str | None:
    """`9:30`, `9.30`, `930` or `9:30 am` as `09:30`; None when it is no time."""
    found = _TIME.match(text.strip().casefold()) if text.isascii() and len(text) < 20 else None
    if not found:
        return None
    hour, minute, half = int(found[1]), int(found[2] or 0), found[3]
    if half and not 1 <= hour <= 12:
        return None
    hour = hour % 12 + (12 if half == "pm" else 0) if half else hour
    return f"{hour:02d}:{minute:02d}" if hour < 24 and minute < 60 else None


def read_moment(text: str) -> str | None:
    """A day and a time as `2026-03-31 09:30`; None when it is not both."""
    found = _MOMENT.match(text.strip())
    day, hour = (read_day(found[1]), read_time(found[2])) if found else (None, None)
    return f"{day} {hour}" if day and hour else None


Moment = Annotated[str, reading(read_moment, "no day and time", "2026-03-31 09:30"), Field(examples=["2026-03-31 09:30"])]
"""A day and a time, kept as `2026-03-31 09:30`."""
KnownDay = Annotated[str, reading(lambda text: text and read_day(text), "no day", "2026-03-31"), Field(examples=["2026-03-31"])]
"""A day, kept as `2026-03-31`; may be empty."""


class Meeting(Model):
    """An event, with all its repetitions."""

    id: str = Field(default="", pattern=r"^[\w-]*$")
    title: str = Field(min_length=1)
    start: Moment
    end: Moment
    place: str = ""
    attendees: tuple[str, ...] = ()
    description: str = ""
    repeat: Repeat = "Never"
    until: KnownDay = ""
    """Last day on which a repetition may start; empty for no end."""
    reminder: Reminder = "None"
    answer: Answer = "accepted"
    organizer: str = ""

    @model_validator(mode="after")
    def _has_a_length(self) -> Self:
        if self.end <= self.start:
            raise ValueError(f"{self.title}: the end {self.end} is not after the start {self.start}")
        if self.repeat != "Never" and self.length > timedelta(days=STEP[self.repeat]):
            raise ValueError(f"{self.title}: it is longer than the time between its repetitions")
        return self

    @property
    def invitation(self) -> bool:
        return bool(self.organizer) or self.answer != "accepted"

    @property
    def length(self) -> timedelta:
        return datetime.fromisoformat(self.end) - datetime.fromisoformat(self.start)

    def times(self, first: str, last: str) -> "Iterator[Occurrence]":
        """When one event takes place on these days, whatever was answered to it."""
        touches = self.start[:10] <= last and first <= last_day(self.end)
        if self.repeat == "Never":
            if touches:
                yield Occurrence(self.start, self.end, self)
            return
        last = min(last, self.until or last)
        if self.start[:10] > last:
            return
        start, step = datetime.fromisoformat(self.start), STEP[self.repeat]
        skipped = max(0, (date.fromisoformat(first) - datetime.fromisoformat(self.end).date()).days // step)
        start += timedelta(days=step * skipped)
        while str(start.date()) <= last:
            end = stamp(start + self.length)
            if first <= last_day(end):
                yield Occurrence(stamp(start), end, self)
            start += timedelta(days=step)


class Occurrence(NamedTuple):
    """One time at which an event takes place."""

    start: str
    end: str
    meeting: Meeting

    @property
    def day(self) -> str:
        return self.start[:10]

    @property
    def hours(self) -> str:
        return f"{self.start[11:]}–{self.end[11:]}" if self.end[:10] == self.day else f"{self.start[11:]}–{self.end}"


@lru_cache(4096)
def later(day: str, days: int) -> str:
    return str(date.fromisoformat(day) + timedelta(days=days))


def monday(day: str) -> str:
    return later(day, -date.fromisoformat(day).weekday())


def month_start(day: str, months: int = 0) -> str:
    """The first day of the month, or of one so many months on."""
    count = int(day[:4]) * 12 + int(day[5:7]) - 1 + months
    return f"{count // 12:04d}-{count % 12 + 1:02d}-01"


@lru_cache(4096)
def written_day(day: str) -> str:
    """`2026-03-05` as `Thu 5 March 2026`."""
    when = date.fromisoformat(day)
    return f"{when:%a} {when.day} {when:%B %Y}"


def stamp(moment: datetime) -> str:
    return moment.isoformat(" ", "minutes")


def last_day(end: str) -> str:
    """The last day that something touches: what ends at midnight does not touch the day after."""
    return str(date.fromisoformat(end[:10]) - timedelta(days=1)) if end.endswith("00:00") else end[:10]


def moment_after(moment: str, minutes: int) -> str:
    return stamp(datetime.fromisoformat(moment) + timedelta(minutes=minutes))


def hour_after(clock: str) -> str:
    """An hour later on the same day, at the latest 23:59."""
    when = datetime.combine(date.min, time.fromisoformat(clock)) + timedelta(hours=1)
    return f"{when:%H:%M}" if when.date() == date.min else "23:59"


def generated(many: int, setting: sim.Setting) -> tuple[Meeting, ...]:
    """Events of one to two hours on working days, from two weeks ago to four weeks on."""
    rng, cast = setting
    made = []
    for number in range(many):
        day = later(monday(cast.today.isoformat()), 7 * rng.randrange(-2, 5) + rng.randrange(5))
        hour, minute = rng.randrange(8, 17), rng.choice((0, 0, 30))
        people = tuple(rng.sample(cast.people, rng.randint(1, 3)))
        invited = number % 6 == 5 and day > cast.today.isoformat()
        made.append(Meeting(
            title=topic(rng).capitalize(), start=f"{day} {hour:02d}:{minute:02d}",
            end=f"{day} {hour + 1:02d}:{rng.choice((minute, 45)):02d}",
            place=rng.choice(("Room 1", "Room 2", "Room 4", "Online", "")), attendees=people, description=paragraph(rng, 1),
            repeat="Weekly" if number % 8 == 7 else "Never", reminder=rng.choice(("None", "15 minutes before")),
            answer="invited" if invited else "accepted", organizer=people[0] if invited else "",
        ))  # fmt: skip
    return tuple(made)


class Timetable:
    """When events take place. Declined invitations do not."""

    def __init__(self, meetings: Mapping[str, Meeting]) -> None:
        self._meetings = meetings.values()
        self._months: dict[str, dict[str, list[Occurrence]]] = {}
        self._between: dict[tuple[str, str], list[Occurrence]] = {}

    def on(self, day: str) -> list[Occurrence]:
        """What touches a day, in order of time."""
        month = day[:7]
        if month not in self._months:
            days = self._months[month] = defaultdict(list)
            first, last = month_start(day), later(month_start(day, 1), -1)
            for one in self.between(first, last):
                here, end = max(one.day, first), min(last_day(one.end), last)
                while here <= end:
                    days[here].append(one)
                    here = later(here, 1)
        return self._months[month].get(day, [])

    def between(self, first: str, last: str) -> list[Occurrence]:
        """What takes place on these days, both included, in order of time."""
        if (first, last) not in self._between:
            found = (one for meeting in self._meetings if meeting.answer != "declined" for one in meeting.times(first, last))
            self._between[first, last] = sorted(found, key=lambda o: (o.start, o.end, o.meeting.title, o.meeting.id))
        return self._between[first, last]

    @cached_property
    def invitations(self) -> tuple[Meeting, ...]:
        """Those that wait for an answer."""
        return tuple(sorted((m for m in self._meetings if m.answer == "invited"), key=attrgetter("start")))


@lru_cache(maxsize=8)
def timetable(meetings: IdentityKey[dict[str, Meeting]]) -> Timetable:
    return Timetable(meetings.value)


@lru_cache(maxsize=8)
def fitting(meetings: IdentityKey[dict[str, Meeting]], query: str) -> tuple[Meeting, ...]:
    """Events that have all words of the query, in order of time."""
    every = meetings.value.values()
    fits = (m for m in every if matches(query, m.title, m.place, m.description, *m.attendees, m.organizer))
    return tuple(sorted(fits, key=lambda m: (m.start, m.title)))


View = Literal["Month", "Week", "Day", "Agenda", "Invitations"]
VIEWS: tuple[View, ...] = ("Month", "Week", "Day", "Agenda", "Invitations")
PAGE_SIZE = 10
AGENDA_DAYS = 60
_CLASH_DAYS = 28


class Draft(Model):
    """The form of an event as it stands; `id` is empty for a new one."""

    id: str = ""
    title: str = ""
    start_day: str = ""
    start_time: str = ""
    end_day: str = ""
    end_time: str = ""
    place: str = ""
    attendees: str = ""
    description: str = ""
    repeat: str = "Never"
    until: str = ""
    reminder: str = "None"


class CalendarState(ListState, FormState[Draft]):
    """Events by id, and what is looked at or written."""

    meetings: dict[str, Meeting]
    today: KnownDay
    hours: tuple[str, str]
    """When the user works: free time is looked for in between."""
    counter: int
    day: str
    view: View = "Month"
    goto: str = ""
    goto_error: str = ""
    open: str = ""

    @property
    def times(self) -> Timetable:
        """When its events take place."""
        return timetable(IdentityKey(self.meetings))

    def found(self, query: str) -> tuple[Meeting, ...]:
        """Events that have all words of the query, in order of time."""
        return fitting(IdentityKey(self.meetings), query)

    def listed(self) -> list[Occurrence]:
        """What the pages that show a list go through: search results, invitations, a day or the agenda."""
        if self.applied:
            return [Occurrence(m.start, m.end, m) for m in self.found(self.applied)]
        if self.view == "Invitations":
            return [Occurrence(m.start, m.end, m) for m in self.times.invitations]
        last = later(self.day, AGENDA_DAYS - 1) if self.view == "Agenda" else self.day
        return self.times.between(self.day, last)

    def clashes(self, meeting: Meeting) -> list[Occurrence]:
        """Accepted events that overlap with one or its repetitions in the next four weeks."""
        last = later(last_day(meeting.end), 0 if meeting.repeat == "Never" else _CLASH_DAYS)
        own = list(meeting.times(meeting.start[:10], last))
        beside = chain.from_iterable(self.times.between(mine.day, min(last, last_day(mine.end))) for mine in own)
        others = {(o.start, o.end, o.meeting.title, o.meeting.id): o for o in beside
                  if o.meeting.id != meeting.id and o.meeting.answer == "accepted"}  # fmt: skip
        return [o for _, o in sorted(others.items()) if any(o.start < mine.end and mine.start < o.end for mine in own)]

    def kept(self, meeting: Meeting) -> "tuple[CalendarState, Meeting]":
        """The state with an event, new or changed, and the event with its id."""
        new = not meeting.id
        meeting = meeting.replace(id=str(self.counter + 1)) if new else meeting
        return self.replace(meetings={**self.meetings, meeting.id: meeting}, counter=self.counter + new), meeting
