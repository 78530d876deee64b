"""The calendar's functions, and its own agent: a few kinds of requests in plain words, answered by fixed rules.

The agent knows days but no time of day, and changes nothing but answers.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date
from typing import Annotated, Literal

from pydantic import Field, JsonValue, ValidationError

from environments.simulated import app as sim
from environments.simulated.apps.common.functions_base import FunctionTable, Limit, Offset, by_id, told
from environments.simulated.apps.office.calendar.state import (
    CalendarState,
    Draft,
    KnownDay,
    Meeting,
    Moment,
    Occurrence,
    Reminder,
    Repeat,
    later,
    monday,
    read_day,
    written_day,
)
from environments.simulated.apps.office.calendar.view import draft_of, errors_of, meeting_of, new_draft
from environments.simulated.world.values import Model

_MOST_DAYS = 366


_People = Annotated[tuple[str, ...], Field(examples=[["Ada Byron"]])]
"""By their full names."""


class NewEvent(Model):
    title: str = Field(min_length=1)
    start: Moment
    end: Moment
    place: str = ""
    attendees: _People = ()
    description: str = ""
    repeat: Repeat = "Never"
    until: KnownDay = ""
    reminder: Reminder = "None"


class ChangedEvent(Model):
    """What is left out stays as it is."""

    id: str
    title: str | None = None
    start: Moment | None = None
    end: Moment | None = None
    place: str | None = None
    attendees: _People | None = None
    description: str | None = None
    repeat: Repeat | None = None
    until: KnownDay | None = None
    reminder: Reminder | None = None


def as_json(item: Occurrence) -> dict[str, JsonValue]:
    """One time at which an event takes place, in short."""
    meeting = item.meeting
    return {"id": meeting.id, "title": meeting.title, "start": item.start, "end": item.end, "place": meeting.place,
            "attendees": list(meeting.attendees), "answer": meeting.answer}  # fmt: skip


def known(state: CalendarState, name: str) -> Meeting:
    """The event of this id. Raises FunctionDeclined."""
    return by_id(state.meetings, "event", name, "list_events and find_events give")


def put(state: CalendarState, meeting: Meeting, said: str) -> sim.FunctionResult[CalendarState]:
    """Keep an event, new or changed, and tell what it overlaps with. Raises FunctionDeclined outside the days it knows."""
    try:
        Meeting.model_validate(meeting.model_dump())
    except ValidationError:
        raise sim.FunctionDeclined("the calendar goes from 1900 to 2199 only") from None
    new = not meeting.id
    meeting = meeting.replace(id=str(state.counter + 1)) if new else meeting
    over: list[JsonValue] = [as_json(o) for o in state.clashes(meeting)[:20]]
    changes = {"meetings": {**state.meetings, meeting.id: meeting}, "counter": state.counter + new}
    result: JsonValue = {"event": meeting.model_dump(mode="json"), "overlaps": over}
    return sim.FunctionResult(state.replace(**changes), result, (sim.Toast(said),))


def _checked(draft: Draft, old: Meeting | None) -> Meeting:
    """What a draft describes, by the same rules as the form's. Raises FunctionDeclined with every problem."""
    if errors := errors_of(draft):
        raise sim.FunctionDeclined(f"the event is not valid: {'; '.join(errors.values())}")
    return meeting_of(draft, old)


def _drafted(draft: Draft, given: NewEvent | ChangedEvent) -> Draft:
    values = given.model_dump(exclude_none=True, exclude={"start", "end", "attendees"})
    for name in ("start", "end"):
        if moment := getattr(given, name):
            values[f"{name}_day"], values[f"{name}_time"] = moment.split()
    if given.attendees is not None:
        values["attendees"] = ", ".join(given.attendees)
    return draft.replace(**values)


FUNCTIONS = FunctionTable[CalendarState]()


@FUNCTIONS.reads("Days", "A span of days, both included, and which part of what is found.")
def list_events(
    state: CalendarState,
    first: Annotated[KnownDay, Field(min_length=1)],
    last: Annotated[KnownDay, Field(min_length=1)],
    offset: Offset = 0,
    limit: Limit = 50,
) -> JsonValue:
    """Events on the days from first to last, with every repetition, in order of time."""
    if last < first:
        raise sim.FunctionDeclined("calendar.list_events: last is before first")
    if int(last[:4]) - int(first[:4]) > 1:
        raise sim.FunctionDeclined(f"calendar.list_events: at most {_MOST_DAYS} days or so at a time; ask year by year")
    items = state.times.between(first, last)
    return told("events", items, as_json, limit, offset)


@FUNCTIONS.reads("RecordId")
def get_event(state: CalendarState, id: str) -> JsonValue:
    """All of one event."""
    return known(state, id).model_dump(mode="json")


@FUNCTIONS.reads("SearchWords")
def find_events(state: CalendarState, query: str, limit: Limit = 50) -> JsonValue:
    """Events that have all words of the query in title, place, people or description."""
    items = [Occurrence(m.start, m.end, m) for m in state.found(query)]
    return told("events", items, as_json, limit)


@FUNCTIONS.writes()
def create_event(state: CalendarState, given: NewEvent) -> sim.FunctionResult[CalendarState]:
    """Make an event; tells what it overlaps with."""
    return put(state, _checked(_drafted(new_draft(state), given), None), "Event saved")


@FUNCTIONS.writes(repeatable=True)
def update_event(state: CalendarState, given: ChangedEvent) -> sim.FunctionResult[CalendarState]:
    """Change an event with all its repetitions."""
    old = known(state, given.id)
    return put(state, _checked(_drafted(draft_of(old), given), old), "Event saved")


@FUNCTIONS.writes("RecordId", repeatable=True)
def delete_event(state: CalendarState, id: str) -> sim.FunctionResult[CalendarState]:
    """Delete an event with all its repetitions, without asking."""
    known(state, id)
    rest = {name: meeting for name, meeting in state.meetings.items() if name != id}
    return sim.FunctionResult(state.replace(meetings=rest), {"deleted": id}, (sim.Toast("Event deleted"),))


@FUNCTIONS.writes("Reply", repeatable=True)
def answer_invitation(
    state: CalendarState, id: str, answer: Literal["accepted", "declined"]
) -> sim.FunctionResult[CalendarState]:
    """Accept or decline an invitation."""
    meeting = known(state, id)
    if not meeting.invitation:
        raise sim.FunctionDeclined(f"{meeting.title!r} is the user's own event, not an invitation")
    return put(state, meeting.replace(answer=answer), f"Invitation {answer}")


CAN = "what do I have on 5 March?; accept the invitation to Kickoff"
_LONGEST = 300
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


def answer_request(state: CalendarState, request: str) -> sim.FunctionResult[CalendarState]:
    """Do what the request says. Raises FunctionDeclined with what can be asked."""
    said = " ".join(request.split()).rstrip("?!. ")
    if len(said) <= _LONGEST:
        for pattern, do in _KINDS:
            if match := pattern.match(said):
                return do(state, match[1], match[match.lastindex or 1])
    raise sim.FunctionDeclined(f"Calendar does not understand {said[:80]!r}; it can: {CAN}")


def _list(state: CalendarState, _: str, words: str) -> sim.FunctionResult[CalendarState]:
    """The events of a week or a day."""
    words = re.sub(r"^(?:in|on|during|for)\s+", "", words.strip().casefold())
    week = {"this week": 0, "next week": 7, "last week": -7}
    first = later(monday(state.today), week[words]) if words in week else _day(state, words)
    name = f"in the week of {written_day(first)}" if words in week else f"on {written_day(first)}"
    items = state.times.between(first, later(first, 6) if words in week else first)
    shown = "; ".join(f"{written_day(o.day)}, {o.hours} {o.meeting.title}" for o in items[:20])
    answer = f"{len(items)} events {name}" + (f": {shown}" if items else "") + ("; …" if len(items) > 20 else "")
    listed: list[JsonValue] = [as_json(item) for item in items[:20]]
    return sim.FunctionResult(state, {"answer": answer, "count": len(items), "events": listed})


def _respond(state: CalendarState, verb: str, title: str) -> sim.FunctionResult[CalendarState]:
    """Of several invitations with these words, none is answered."""
    answer, title = "accepted" if verb.casefold() == "accept" else "declined", title.strip(' "')
    words = {meeting.id for meeting in state.found(title)}
    invited = state.times.invitations
    fits = [m for m in invited if m.title.casefold() == title.casefold()] or [m for m in invited if m.id in words]
    if not fits:
        raise sim.FunctionDeclined(f"there is no such event as {title!r}")
    if len(fits) > 1:
        several = "; ".join(f"{m.title} on {m.start}" for m in fits[:5])
        raise sim.FunctionDeclined(f"{len(fits)} events fit {title!r} ({several}); use the window or update_event to say which")
    done = put(state, fits[0].replace(answer=answer), f"Invitation {answer}")
    result = done.result if isinstance(done.result, dict) else {}
    told = f"{answer.capitalize()}: {fits[0].title} on {written_day(fits[0].start[:10])}"
    return done._replace(result={"answer": told, **result})


def _day(state: CalendarState, words: str) -> str:
    """The day that is meant, today or later for a weekday. Raises FunctionDeclined."""
    words = re.sub(r"(?<=\d)(?:st|nd|rd|th)\b", "", words).removeprefix("the ")
    near = {"today": 0, "tomorrow": 1, "yesterday": -1}
    if words in near:
        return later(state.today, near[words])
    if words in _WEEKDAYS:
        return later(state.today, (_WEEKDAYS.index(words) - date.fromisoformat(state.today).weekday()) % 7)
    year = state.today[:4]
    day = next((day for text in (words, f"{words} {year}", f"{words}, {year}") if (day := read_day(text))), None)
    if day is None:
        raise sim.FunctionDeclined(
            f"{words!r} is no day that Calendar's agent knows; write it like Tuesday, 5 March or 2026-03-05"
        )
    return day


_KINDS: tuple[tuple[re.Pattern[str], Callable[[CalendarState, str, str], sim.FunctionResult[CalendarState]]], ...] = (
    (re.compile(r"(what do i have|what is|show me what is) (?:planned )?(.+)$", re.IGNORECASE), _list),
    (re.compile(r"(list|show) (?:my |all )?(?:meetings|events|appointments) (.+)$", re.IGNORECASE), _list),
    (re.compile(r"(accept|decline) (?:the )?(?:invitation )?(?:to |for )?(.+)$", re.IGNORECASE), _respond),
)
