"""The calendar's own functions."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, JsonValue, ValidationError

from environments.simulated.app import Toast
from environments.simulated.apps.common.functions_base import RecordId, SearchWords, by_id, told
from environments.simulated.apps.office.calendar.event import KnownDay, Meeting, Moment, Occurrence, Reminder, Repeat
from environments.simulated.apps.office.calendar.state import CalendarState, Draft, clashes, found, free
from environments.simulated.apps.office.calendar.view import draft_of, errors_of, meeting_of, new_draft
from environments.simulated.skills import AnyFunction, Function, FunctionDeclined, FunctionResult
from environments.simulated.world.values import Model

_MOST_DAYS = 366


class Days(Model):
    """A span of days, both included, and which part of what is found."""

    first: KnownDay = Field(min_length=1)
    last: KnownDay = Field(min_length=1)
    offset: int = Field(default=0, ge=0)
    limit: int = Field(default=50, ge=1, le=200)


class Gap(Model):
    day: KnownDay = Field(min_length=1)
    minutes: int = Field(ge=5, le=24 * 60)


class Reply(Model):
    id: str
    answer: Literal["accepted", "declined"]


class NewEvent(Model):
    title: str = Field(min_length=1)
    start: Moment
    end: Moment
    place: str = ""
    attendees: tuple[str, ...] = ()
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
    attendees: tuple[str, ...] | None = None
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
    meeting = meeting.model_copy(update={"id": str(state.counter + 1)}) if new else meeting
    over: list[JsonValue] = [as_json(o) for o in clashes(state, meeting)[:20]]
    changes = {"meetings": {**state.meetings, meeting.id: meeting}, "counter": state.counter + new}
    result: JsonValue = {"event": meeting.model_dump(mode="json"), "overlaps": over}
    return FunctionResult(state.model_copy(update=changes), result, (Toast(said),))


def _list(state: CalendarState, given: Days) -> FunctionResult[CalendarState]:
    if given.last < given.first:
        raise FunctionDeclined("calendar.list_events: last is before first")
    if int(given.last[:4]) - int(given.first[:4]) > 1:
        raise FunctionDeclined(f"calendar.list_events: at most {_MOST_DAYS} days or so at a time; ask year by year")
    items = state.times.between(given.first, given.last)
    return FunctionResult(state, told("events", items, as_json, given.limit, given.offset))


def _get(state: CalendarState, given: RecordId) -> FunctionResult[CalendarState]:
    return FunctionResult(state, known(state, given.id).model_dump(mode="json"))


def _find(state: CalendarState, given: SearchWords) -> FunctionResult[CalendarState]:
    items = [Occurrence(m.start, m.end, m) for m in found(state, given.query)]
    return FunctionResult(state, told("events", items, as_json, given.limit))


def _free(state: CalendarState, given: Gap) -> FunctionResult[CalendarState]:
    gaps: list[JsonValue] = [{"start": start, "end": end} for start, end in free(state, given.day, given.minutes)]
    return FunctionResult(state, {"day": given.day, "between": list(state.hours), "free": gaps})


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
    return draft.model_copy(update=values)


def _create(state: CalendarState, given: NewEvent) -> FunctionResult[CalendarState]:
    return put(state, _checked(_drafted(new_draft(state), given), None), "Event saved")


def _update(state: CalendarState, given: ChangedEvent) -> FunctionResult[CalendarState]:
    old = known(state, given.id)
    return put(state, _checked(_drafted(draft_of(old), given), old), "Event saved")


def _delete(state: CalendarState, given: RecordId) -> FunctionResult[CalendarState]:
    known(state, given.id)
    rest = {name: meeting for name, meeting in state.meetings.items() if name != given.id}
    return FunctionResult(state.model_copy(update={"meetings": rest}), {"deleted": given.id}, (Toast("Event deleted"),))


def _respond(state: CalendarState, given: Reply) -> FunctionResult[CalendarState]:
    meeting = known(state, given.id)
    if not meeting.invitation:
        raise FunctionDeclined(f"{meeting.title!r} is the user's own event, not an invitation")
    return put(state, meeting.model_copy(update={"answer": given.answer}), f"Invitation {given.answer}")


FUNCTIONS: tuple[AnyFunction, ...] = (
    Function("list_events", "Events on the days from first to last, with every repetition, in order of time.", Days, _list),
    Function("get_event", "All of one event.", RecordId, _get),
    Function(
        "find_events", "Events that have all words of the query in title, place, people or description.", SearchWords, _find
    ),
    Function("free_slots", "Gaps of at least so many minutes within the working hours of a day.", Gap, _free),
    Function("create_event", "Make an event; tells what it overlaps with.", NewEvent, _create, writes=True),
    Function("update_event", "Change an event with all its repetitions.", ChangedEvent, _update, writes=True, repeatable=True),
    Function(
        "delete_event",
        "Delete an event with all its repetitions, without asking.",
        RecordId,
        _delete,
        writes=True,
        repeatable=True,
    ),
    Function("answer_invitation", "Accept or decline an invitation.", Reply, _respond, writes=True, repeatable=True),
)
