"""What the calendar knows and shows: events, what is looked at, and what is written."""

from __future__ import annotations

from datetime import datetime, timedelta
from itertools import chain
from typing import Literal

from pydantic import Field

from environments.simulated.app import Dated
from environments.simulated.apps.calendar_days import Timetable, fitting, times_of, timetable
from environments.simulated.apps.calendar_event import KnownDay, Meeting, Occurrence, last_day, later, stamp
from environments.simulated.apps.forms import Sheet
from environments.simulated.values import Model, Same

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


class CalendarState(Dated):
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
    reminded: tuple[str, ...] = ()
    """Times of events that the user was reminded of already."""
    untouched: Draft | None = None
    """The draft as it was when the form opened."""
    errors: dict[str, str] = Field(default_factory=dict)
    sheet: Sheet | None = None

    @property
    def times(self) -> Timetable:
        """When its events take place."""
        return timetable(Same(self.meetings))


def found(state: CalendarState, query: str) -> tuple[Meeting, ...]:
    """Events that have all words of the query, in order of time."""
    return fitting(Same(state.meetings), query)


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
