"""All events sorted into days, once for each content: a page then costs the days that it shows, not what the calendar holds."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from datetime import date, datetime, timedelta
from functools import cached_property, lru_cache
from operator import attrgetter

from environments.simulated.apps.calendar_event import STEP, Meeting, Occurrence, last_day, later, stamp
from environments.simulated.values import Same, matches

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
def timetable(meetings: Same[dict[str, Meeting]]) -> Timetable:
    return Timetable(meetings.value)


@lru_cache(maxsize=8)
def fitting(meetings: Same[dict[str, Meeting]], query: str) -> tuple[Meeting, ...]:
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
