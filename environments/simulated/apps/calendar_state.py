"""What the calendar knows, and how days, hours and repetitions are read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import date, datetime, time, timedelta
from typing import Annotated, Any, Literal, NamedTuple, Self

from pydantic import BeforeValidator, Field, model_validator

from environments.simulated.app import AppState
from environments.simulated.values import Model, matches, parse_day

View = Literal["Month", "Week", "Day", "Agenda", "Invitations"]
VIEWS: tuple[View, ...] = ("Month", "Week", "Day", "Agenda", "Invitations")
Repeat = Literal["Never", "Daily", "Weekly"]
REPEATS: tuple[Repeat, ...] = ("Never", "Daily", "Weekly")
Reminder = Literal["None", "5 minutes before", "15 minutes before", "1 hour before", "1 day before"]
REMINDERS: tuple[Reminder, ...] = ("None", "5 minutes before", "15 minutes before", "1 hour before", "1 day before")
Answer = Literal["accepted", "invited", "declined"]
PAGE_SIZE = 10
AGENDA_DAYS = 60
_STEP = {"Daily": 1, "Weekly": 7}
_CLASH_DAYS = 28
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


def _moment(value: Any) -> Any:
    if isinstance(value, datetime):
        value = value.isoformat(" ", "minutes")
    if isinstance(value, str):
        known = read_moment(value)
        if known is None:
            raise ValueError(f'{value!r} is no day and time; write it like "2026-03-31 09:30"')
        return known
    return value


def _known_day(value: Any) -> Any:
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, str) and value:
        known = read_day(value)
        if known is None:
            raise ValueError(f'{value!r} is no day; write it like "2026-03-31"')
        return known
    return value


Moment = Annotated[str, BeforeValidator(_moment)]
"""A day and a time, kept as `2026-03-31 09:30`."""
KnownDay = Annotated[str, BeforeValidator(_known_day)]
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
        if self.repeat != "Never" and self.length > timedelta(days=_STEP[self.repeat]):
            raise ValueError(f"{self.title}: it is longer than the time between its repetitions")
        return self

    @property
    def invitation(self) -> bool:
        return bool(self.organizer) or self.answer != "accepted"

    @property
    def length(self) -> timedelta:
        return datetime.fromisoformat(self.end) - datetime.fromisoformat(self.start)


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


class CalendarState(AppState):
    """Events by id, and what is looked at or written."""

    meetings: dict[str, Meeting]
    today: KnownDay
    hours: tuple[str, str]
    """When the user works: free time is looked for in between."""
    counter: int
    day: str
    view: View = "Month"
    query: str = ""
    applied: str = ""
    goto: str = ""
    goto_error: str = ""
    page: int = 1
    open: str = ""
    draft: Draft | None = None
    untouched: Draft | None = None
    """The draft as it was when the form opened."""
    errors: dict[str, str] = Field(default_factory=dict)


def occurrences(meetings: Iterable[Meeting], first: str, last: str) -> list[Occurrence]:
    """What takes place on these days, both included, in order of time. Declined invitations do not."""
    found = (o for meeting in meetings if meeting.answer != "declined" for o in _of(meeting, first, last))
    return sorted(found, key=lambda o: (o.start, o.end, o.meeting.title, o.meeting.id))


def _of(meeting: Meeting, first: str, last: str) -> Iterator[Occurrence]:
    touches = meeting.start[:10] <= last and first <= _last_day(meeting.end)
    if meeting.repeat == "Never":
        if touches:
            yield Occurrence(meeting.start, meeting.end, meeting)
        return
    last = min(last, meeting.until or last)
    if meeting.start[:10] > last:
        return
    start, step = datetime.fromisoformat(meeting.start), _STEP[meeting.repeat]
    skipped = max(0, (date.fromisoformat(first) - datetime.fromisoformat(meeting.end).date()).days // step)
    start += timedelta(days=step * skipped)
    while str(start.date()) <= last:
        end = _shown(start + meeting.length)
        if first <= _last_day(end):
            yield Occurrence(_shown(start), end, meeting)
        start += timedelta(days=step)


def _shown(moment: datetime) -> str:
    return moment.isoformat(" ", "minutes")


def _last_day(end: str) -> str:
    """The last day that something touches: what ends at midnight does not touch the day after."""
    return str(date.fromisoformat(end[:10]) - timedelta(days=1)) if end.endswith("00:00") else end[:10]


def moved(meeting: Meeting, start: str) -> Meeting:
    """The event at another time, as long as before."""
    end = _shown(datetime.fromisoformat(start) + meeting.length)
    return meeting.model_copy(update={"start": start, "end": end})


def moment_after(moment: str, minutes: int) -> str:
    return _shown(datetime.fromisoformat(moment) + timedelta(minutes=minutes))


def clashes(state: CalendarState, meeting: Meeting) -> list[Occurrence]:
    """Accepted events that overlap with one or its repetitions in the next four weeks."""
    first = meeting.start[:10]
    last = later(_last_day(meeting.end), 0 if meeting.repeat == "Never" else _CLASH_DAYS)
    others = (m for m in state.meetings.values() if m.id != meeting.id and m.answer == "accepted")
    own = occurrences([meeting.model_copy(update={"answer": "accepted"})], first, last)
    return [o for o in occurrences(others, first, last) if any(o.start < mine.end and mine.start < o.end for mine in own)]


def free(state: CalendarState, day: str, minutes: int) -> list[tuple[str, str]]:
    """The gaps of at least so many minutes within the working hours of a day. Only accepted events take time."""
    taken = [o for o in occurrences(state.meetings.values(), day, day) if o.meeting.answer == "accepted"]
    here, close = f"{day} {state.hours[0]}", f"{day} {state.hours[1]}"
    gaps = []
    for start, end in [*((o.start, o.end) for o in taken), (close, close)]:
        stop = min(start, close)
        if here < stop and datetime.fromisoformat(stop) - datetime.fromisoformat(here) >= timedelta(minutes=minutes):
            gaps.append((here[11:], stop[11:]))
        here = max(here, end)
    return gaps


def later(day: str, days: int) -> str:
    return str(date.fromisoformat(day) + timedelta(days=days))


def monday(day: str) -> str:
    return later(day, -date.fromisoformat(day).weekday())


def month_start(day: str, months: int = 0) -> str:
    """The first day of the month, or of one so many months on."""
    count = int(day[:4]) * 12 + int(day[5:7]) - 1 + months
    return f"{count // 12:04d}-{count % 12 + 1:02d}-01"


def written_day(day: str) -> str:
    """`2026-03-05` as `Thu 5 March 2026`."""
    when = date.fromisoformat(day)
    return f"{when:%a} {when.day} {when:%B %Y}"


def found(state: CalendarState, query: str) -> list[Meeting]:
    """Events that have all words of the query, in order of time."""
    fits = (m for m in state.meetings.values() if matches(query, m.title, m.place, m.description, *m.attendees, m.organizer))
    return sorted(fits, key=lambda m: (m.start, m.title))


def listed(state: CalendarState) -> list[Occurrence]:
    """What the pages that show a list go through: search results, invitations, a day or the agenda."""
    if state.applied:
        return [Occurrence(m.start, m.end, m) for m in found(state, state.applied)]
    if state.view == "Invitations":
        waiting = sorted((m for m in state.meetings.values() if m.answer == "invited"), key=lambda m: m.start)
        return [Occurrence(m.start, m.end, m) for m in waiting]
    last = later(state.day, AGENDA_DAYS - 1) if state.view == "Agenda" else state.day
    return occurrences(state.meetings.values(), state.day, last)


def hour_after(clock: str) -> str:
    """An hour later on the same day, at the latest 23:59."""
    when = datetime.combine(date.min, time.fromisoformat(clock)) + timedelta(hours=1)
    return f"{when:%H:%M}" if when.date() == date.min else "23:59"
