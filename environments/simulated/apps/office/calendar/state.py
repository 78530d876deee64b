"""What the calendar knows and shows: events, what is looked at, and what is written."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from datetime import date, datetime, timedelta
from functools import cached_property, lru_cache
from itertools import chain
from operator import attrgetter
from typing import Literal

from environments.simulated.app import DatedState
from environments.simulated.apps.common.forms import Sheet
from environments.simulated.apps.common.record_list import FormState, ListState
from environments.simulated.apps.office.calendar.event import STEP, KnownDay, Meeting, Occurrence, last_day, later, stamp
from environments.simulated.world.values import IdentityKey, Model, matches

_LONG = 31
"""Events of more days than that are not sorted into them, but looked at for each."""
_WALKED = 100
"""A span of more days than that is not gone through day by day."""


class Timetable:
    """When events take place. Declined invitations do not."""

    def __init__(self, meetings: Mapping[str, Meeting]) -> None:
        self._meetings = meetings
        self._single: dict[str, list[Meeting]] = defaultdict(list)
        self._weekly: dict[int, list[Meeting]] = defaultdict(list)
        self._always: list[Meeting] = []
        self._on: dict[str, tuple[Occurrence, ...]] = {}
        self._reminding: dict[str, list[Occurrence]] = {}
        for meeting in meetings.values():
            if meeting.answer != "declined":
                self._put(meeting)

    def _put(self, meeting: Meeting) -> None:
        start, end = meeting.start[:10], last_day(meeting.end)
        if start == end and meeting.repeat == "Never":
            self._single[start].append(meeting)
            return
        first = date.fromisoformat(start)
        length = (date.fromisoformat(end) - first).days + 1
        if meeting.repeat == "Daily" or length > _LONG:
            self._always.append(meeting)
            return
        for number in range(length):
            day = first + timedelta(days=number)
            if meeting.repeat == "Never":
                self._single[str(day)].append(meeting)
            elif number < STEP["Weekly"]:
                self._weekly[day.weekday()].append(meeting)

    def on(self, day: str) -> tuple[Occurrence, ...]:
        """What touches a day, in order of time."""
        known = self._on.get(day)
        if known is None:
            weekly = self._weekly.get(date.fromisoformat(day).weekday(), ())
            known = self._on[day] = tuple(_sorted((*self._single.get(day, ()), *weekly, *self._always), day, day))
        return known

    def between(self, first: str, last: str) -> list[Occurrence]:
        """What takes place on these days, both included, in order of time."""
        if first > last:
            return []
        days = (date.fromisoformat(last) - date.fromisoformat(first)).days
        if days > _WALKED:
            return _sorted((m for m in self._meetings.values() if m.answer != "declined"), first, last)
        found = [*self.on(first)]
        for number in range(1, days + 1):
            day = later(first, number)
            found += (one for one in self.on(day) if one.start >= day)
        return found

    @cached_property
    def invitations(self) -> tuple[Meeting, ...]:
        """Those that wait for an answer."""
        return tuple(sorted((m for m in self._meetings.values() if m.answer == "invited"), key=attrgetter("start")))

    @cached_property
    def people(self) -> tuple[str, ...]:
        """Everybody who has been asked to anything."""
        names = {name for meeting in self._meetings.values() for name in (*meeting.attendees, meeting.organizer) if name}
        return tuple(sorted(names, key=str.casefold))

    def reminding(self, day: str, after: str) -> Iterator[Occurrence]:
        """What starts on a day, later than that moment, and wants to be reminded of."""
        if day not in self._reminding:
            wanted = (one for one in self.on(day) if one.day == day)
            self._reminding[day] = [o for o in wanted if o.meeting.reminder != "None" and o.meeting.answer == "accepted"]
        ahead = self._reminding[day]
        return iter(ahead[bisect_right(ahead, after, key=attrgetter("start")) :])


@lru_cache(maxsize=8)
def timetable(meetings: IdentityKey[dict[str, Meeting]]) -> Timetable:
    return Timetable(meetings.value)


@lru_cache(maxsize=8)
def fitting(meetings: IdentityKey[dict[str, Meeting]], query: str) -> tuple[Meeting, ...]:
    """Events that have all words of the query, in order of time."""
    every = meetings.value.values()
    fits = (m for m in every if matches(query, m.title, m.place, m.description, *m.attendees, m.organizer))
    return tuple(sorted(fits, key=lambda m: (m.start, m.title)))


def times_of(meeting: Meeting, first: str, last: str) -> list[Occurrence]:
    """When one event takes place on these days, whatever was answered to it."""
    return list(_times(meeting, first, last))


def _sorted(meetings: Iterable[Meeting], first: str, last: str) -> list[Occurrence]:
    found = (one for meeting in meetings for one in _times(meeting, first, last))
    return sorted(found, key=lambda o: (o.start, o.end, o.meeting.title, o.meeting.id))


def _times(meeting: Meeting, first: str, last: str) -> Iterator[Occurrence]:
    touches = meeting.start[:10] <= last and first <= last_day(meeting.end)
    if meeting.repeat == "Never":
        if touches:
            yield Occurrence(meeting.start, meeting.end, meeting)
        return
    last = min(last, meeting.until or last)
    if meeting.start[:10] > last:
        return
    start, step = datetime.fromisoformat(meeting.start), STEP[meeting.repeat]
    skipped = max(0, (date.fromisoformat(first) - datetime.fromisoformat(meeting.end).date()).days // step)
    start += timedelta(days=step * skipped)
    while str(start.date()) <= last:
        end = stamp(start + meeting.length)
        if first <= last_day(end):
            yield Occurrence(stamp(start), end, meeting)
        start += timedelta(days=step)


View = Literal["Month", "Week", "Day", "Agenda", "Invitations"]
VIEWS: tuple[View, ...] = ("Month", "Week", "Day", "Agenda", "Invitations")
PAGE_SIZE = 10
AGENDA_DAYS = 60
_CLASH_DAYS = 28
_MINUTES = {"5 minutes before": 5, "15 minutes before": 15, "1 hour before": 60, "1 day before": 24 * 60}


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


class CalendarState(DatedState, ListState, FormState[Draft]):
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
    reminded: tuple[str, ...] = ()
    """Times of events that the user was reminded of already."""
    sheet: Sheet | None = None

    @property
    def times(self) -> Timetable:
        """When its events take place."""
        return timetable(IdentityKey(self.meetings))


def found(state: CalendarState, query: str) -> tuple[Meeting, ...]:
    """Events that have all words of the query, in order of time."""
    return fitting(IdentityKey(state.meetings), query)


def listed(state: CalendarState) -> list[Occurrence]:
    """What the pages that show a list go through: search results, invitations, a day or the agenda."""
    if state.applied:
        return [Occurrence(m.start, m.end, m) for m in found(state, state.applied)]
    if state.view == "Invitations":
        return [Occurrence(m.start, m.end, m) for m in state.times.invitations]
    last = later(state.day, AGENDA_DAYS - 1) if state.view == "Agenda" else state.day
    return state.times.between(state.day, last)


def clashes(state: CalendarState, meeting: Meeting) -> list[Occurrence]:
    """Accepted events that overlap with one or its repetitions in the next four weeks."""
    last = later(last_day(meeting.end), 0 if meeting.repeat == "Never" else _CLASH_DAYS)
    own = times_of(meeting, meeting.start[:10], last)
    beside = chain.from_iterable(state.times.between(mine.day, min(last, last_day(mine.end))) for mine in own)
    others = {(o.start, o.end, o.meeting.title, o.meeting.id): o for o in beside
              if o.meeting.id != meeting.id and o.meeting.answer == "accepted"}  # fmt: skip
    return [o for _, o in sorted(others.items()) if any(o.start < mine.end and mine.start < o.end for mine in own)]


def free(state: CalendarState, day: str, minutes: int) -> list[tuple[str, str]]:
    """The gaps of at least so many minutes within the working hours of a day. Only accepted events take time."""
    taken = [o for o in state.times.on(day) if o.meeting.answer == "accepted"]
    here, close = f"{day} {state.hours[0]}", f"{day} {state.hours[1]}"
    gaps = []
    for start, end in [*((o.start, o.end) for o in taken), (close, close)]:
        stop = min(start, close)
        if here < stop and datetime.fromisoformat(stop) - datetime.fromisoformat(here) >= timedelta(minutes=minutes):
            gaps.append((here[11:], stop[11:]))
        here = max(here, end)
    return gaps


def reminders(state: CalendarState) -> list[Occurrence]:
    """What is soon and has not started, and the user was not reminded of yet."""
    now = datetime.fromisoformat(state.moment)
    until = {reminder: stamp(now + timedelta(minutes=minutes)) for reminder, minutes in _MINUTES.items()}
    days = (state.moment[:10], later(state.moment[:10], 1))
    ahead = chain.from_iterable(state.times.reminding(day, state.moment) for day in days)
    soon = (one for one in ahead if one.start <= until[one.meeting.reminder])
    told = frozenset(state.reminded)
    return sorted((o for o in soon if f"{o.meeting.id}@{o.start}" not in told), key=lambda o: (o.start, o.meeting.id))
