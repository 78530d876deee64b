"""The calendar's functions, and its own agent: a few kinds of requests in plain words, answered by fixed rules.

The agent knows days but no time of day; it looks for free time within the working hours, and changes nothing but answers.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date
from typing import Annotated, Literal, NamedTuple

from pydantic import Field, JsonValue, ValidationError

from environments.simulated.app import FunctionDeclined, FunctionResult, Toast
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
    month_start,
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


def put(state: CalendarState, meeting: Meeting, said: str) -> FunctionResult[CalendarState]:
    """Keep an event, new or changed, and tell what it overlaps with. Raises FunctionDeclined outside the days it knows."""
    try:
        Meeting.model_validate(meeting.model_dump())
    except ValidationError:
        raise FunctionDeclined("the calendar goes from 1900 to 2199 only") from None
    new = not meeting.id
    meeting = meeting.replace(id=str(state.counter + 1)) if new else meeting
    over: list[JsonValue] = [as_json(o) for o in state.clashes(meeting)[:20]]
    changes = {"meetings": {**state.meetings, meeting.id: meeting}, "counter": state.counter + new}
    result: JsonValue = {"event": meeting.model_dump(mode="json"), "overlaps": over}
    return FunctionResult(state.replace(**changes), result, (Toast(said),))


def _checked(draft: Draft, old: Meeting | None) -> Meeting:
    """What a draft describes, by the same rules as the form's. Raises FunctionDeclined with every problem."""
    if errors := errors_of(draft):
        raise FunctionDeclined(f"the event is not valid: {'; '.join(errors.values())}")
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
        raise FunctionDeclined("calendar.list_events: last is before first")
    if int(last[:4]) - int(first[:4]) > 1:
        raise FunctionDeclined(f"calendar.list_events: at most {_MOST_DAYS} days or so at a time; ask year by year")
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


@FUNCTIONS.reads("Gap")
def free_slots(
    state: CalendarState, day: Annotated[KnownDay, Field(min_length=1)], minutes: Annotated[int, Field(ge=5, le=24 * 60)]
) -> JsonValue:
    """Gaps of at least so many minutes within the working hours of a day."""
    gaps: list[JsonValue] = [{"start": start, "end": end} for start, end in state.free(day, minutes)]
    return {"day": day, "between": list(state.hours), "free": gaps}


@FUNCTIONS.writes()
def create_event(state: CalendarState, given: NewEvent) -> FunctionResult[CalendarState]:
    """Make an event; tells what it overlaps with."""
    return put(state, _checked(_drafted(new_draft(state), given), None), "Event saved")


@FUNCTIONS.writes(repeatable=True)
def update_event(state: CalendarState, given: ChangedEvent) -> FunctionResult[CalendarState]:
    """Change an event with all its repetitions."""
    old = known(state, given.id)
    return put(state, _checked(_drafted(draft_of(old), given), old), "Event saved")


@FUNCTIONS.writes("RecordId", repeatable=True)
def delete_event(state: CalendarState, id: str) -> FunctionResult[CalendarState]:
    """Delete an event with all its repetitions, without asking."""
    known(state, id)
    rest = {name: meeting for name, meeting in state.meetings.items() if name != id}
    return FunctionResult(state.replace(meetings=rest), {"deleted": id}, (Toast("Event deleted"),))


@FUNCTIONS.writes("Reply", repeatable=True)
def answer_invitation(state: CalendarState, id: str, answer: Literal["accepted", "declined"]) -> FunctionResult[CalendarState]:
    """Accept or decline an invitation."""
    meeting = known(state, id)
    if not meeting.invitation:
        raise FunctionDeclined(f"{meeting.title!r} is the user's own event, not an invitation")
    return put(state, meeting.replace(answer=answer), f"Invitation {answer}")


CAN = (
    "when am I free on Tuesday for 1 hour?",
    "what do I have on 5 March?",
    "accept the invitation to Kickoff",
)
_LONGEST = 300
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MONTHS = ("january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
           "december")  # fmt: skip
_LENGTH = r"(?:(\d{1,3}(?:\.5)?)|an?|half an)\s*(hours?|h|minutes?|mins?)"


class Span(NamedTuple):
    """Days, both included, and how to call them."""

    first: str
    last: str
    name: str


def answer_request(state: CalendarState, request: str) -> FunctionResult[CalendarState]:
    """Do what the request says. Raises FunctionDeclined with what can be asked."""
    said = " ".join(request.split()).rstrip("?!. ")
    if len(said) <= _LONGEST:
        for pattern, do in _KINDS:
            if match := pattern.match(said):
                return do(state, match)
    raise FunctionDeclined(f"Calendar does not understand {said[:80]!r}; it can: {'; '.join(CAN)}")


def _free(state: CalendarState, match: re.Match[str]) -> FunctionResult[CalendarState]:
    day, minutes = _day(state, match["day"]), _minutes(match["length"])
    gaps = state.free(day, minutes)
    shown = ", ".join(f"{start}–{end}" for start, end in gaps)
    where = f"on {written_day(day)} between {state.hours[0]} and {state.hours[1]}"
    answer = f"Free for {minutes} minutes {where}: {shown}" if gaps else f"Not free for {minutes} minutes {where}"
    listed: list[JsonValue] = [{"start": start, "end": end} for start, end in gaps]
    return FunctionResult(state, {"answer": answer, "day": day, "free": listed})


def _list(state: CalendarState, match: re.Match[str]) -> FunctionResult[CalendarState]:
    span = _span(state, match["span"])
    items = state.times.between(span.first, span.last)
    shown = "; ".join(f"{written_day(o.day)}, {o.hours} {o.meeting.title}" for o in items[:20])
    answer = f"{len(items)} events {span.name}" + (f": {shown}" if items else "") + ("; …" if len(items) > 20 else "")
    listed: list[JsonValue] = [as_json(item) for item in items[:20]]
    return FunctionResult(state, {"answer": answer, "count": len(items), "events": listed})


def _respond(state: CalendarState, match: re.Match[str]) -> FunctionResult[CalendarState]:
    invited = list(state.times.invitations)
    answer = "accepted" if match["verb"].casefold() == "accept" else "declined"
    meeting = _one(state, match["title"], invited)
    done = put(state, meeting.replace(answer=answer), f"Invitation {answer}")
    told = f"{answer.capitalize()}: {meeting.title} on {written_day(meeting.start[:10])}"
    # With a warning where it overlaps
    result = done.result if isinstance(done.result, dict) else {}
    over = result.get("overlaps")
    if isinstance(over, list) and over and isinstance(over[0], dict):
        told += f"; it overlaps with {over[0]['title']}" + (f" and {len(over) - 1} more" if len(over) > 1 else "")
    return done._replace(result={"answer": told, **result})


def _one(state: CalendarState, title: str, among: list[Meeting]) -> Meeting:
    """The event that is meant: by its whole title, else by its words; one that is to come before those that are over."""
    title = title.strip(' "')
    exact = [m for m in among if m.title.casefold() == title.casefold()]
    words = {m.id for m in state.found(title)}
    fits = exact or [m for m in among if m.id in words]
    fits = [m for m in fits if m.start[:10] >= state.today or m.repeat != "Never"] or fits
    if len(fits) == 1:
        return fits[0]
    if not fits:
        raise FunctionDeclined(f"there is no such event as {title!r}")
    several = "; ".join(f"{m.title} on {m.start}" for m in sorted(fits, key=lambda m: m.start)[:5])
    raise FunctionDeclined(f"{len(fits)} events fit {title!r} ({several}); use the window or update_event to say which")


def _day(state: CalendarState, words: str) -> str:
    """The day that is meant, today or later for a weekday. Raises FunctionDeclined."""
    words = re.sub(r"(?<=\d)(?:st|nd|rd|th)\b", "", words.strip().casefold()).removeprefix("on ").removeprefix("the ")
    near = {"today": 0, "tomorrow": 1, "yesterday": -1}
    if words in near:
        return later(state.today, near[words])
    next_week, name = words.startswith("next "), words.removeprefix("next ").removeprefix("this ")
    if name in _WEEKDAYS:
        at = _WEEKDAYS.index(name)
        if next_week:
            return later(monday(state.today), 7 + at)
        return later(state.today, (at - date.fromisoformat(state.today).weekday()) % 7)
    year = state.today[:4]
    day = next((day for text in (words, f"{words} {year}", f"{words}, {year}") if (day := read_day(text))), None)
    if day is None:
        raise FunctionDeclined(f"{words!r} is no day that Calendar's agent knows; write it like Tuesday, 5 March or 2026-03-05")
    return day


def _span(state: CalendarState, words: str) -> Span:
    """A week, a month, a year or a day."""
    words = re.sub(r"^(?:in|on|during|for)\s+", "", words.strip().casefold())
    week = {"this week": 0, "next week": 7, "last week": -7}
    months = {"this month": 0, "next month": 1, "last month": -1}
    if words in week:
        first = later(monday(state.today), week[words])
        return Span(first, later(first, 6), f"in the week of {written_day(first)}")
    if words in months:
        return _month(month_start(state.today, months[words]))
    name, _, year = words.partition(" ")
    if name in _MONTHS and re.fullmatch(r"|19\d\d|20\d\d|21\d\d", year, re.ASCII):
        return _month(f"{year or state.today[:4]}-{_MONTHS.index(name) + 1:02d}-01")
    if words == "this year" or re.fullmatch(r"(?:19|20|21)\d\d", words, re.ASCII):
        year = state.today[:4] if words == "this year" else words
        return Span(f"{year}-01-01", f"{year}-12-31", f"in {year}")
    day = _day(state, words)
    return Span(day, day, f"on {written_day(day)}")


def _month(first: str) -> Span:
    return Span(first, later(month_start(first, 1), -1), f"in {date.fromisoformat(first):%B %Y}")


def _minutes(words: str) -> int:
    match = re.fullmatch(_LENGTH, words.strip().casefold(), re.ASCII)
    if match is None:
        raise FunctionDeclined(f"{words!r} is no length of time; write it like 1 hour or 30 minutes")
    count = float(match[1]) if match[1] else 0.5 if words.casefold().startswith("half") else 1
    minutes = round(count * (60 if match[2].startswith("h") else 1))
    if not 5 <= minutes <= 24 * 60:
        raise FunctionDeclined(f"{words!r} is not between 5 minutes and a day")
    return minutes


_KINDS: tuple[tuple[re.Pattern[str], Callable[[CalendarState, re.Match[str]], FunctionResult[CalendarState]]], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), do)
    for pattern, do in (
        (rf"^(?:when|at what time) am i free (?P<day>.+?) for (?P<length>{_LENGTH})$", _free),
        (rf"^(?:find|is there) (?P<length>{_LENGTH}) (?:free )?(?P<day>.+)$", _free),
        (r"^(?:what do i have|what is|show me what is) (?:planned )?(?P<span>.+)$", _list),
        (r"^(?:list|show) (?:my |all )?(?:meetings|events|appointments) (?P<span>.+)$", _list),
        (r"^(?P<verb>accept|decline) (?:the )?(?:invitation )?(?:to |for )?(?P<title>.+)$", _respond),
    )
)  # fmt: skip
