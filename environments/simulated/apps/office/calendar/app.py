"""Calendar: events by month, week, day or as an agenda; invitations, and the user's own answers to them.

Its functions, and its own agent: requests in plain words, answered by fixed rules. The agent knows days but no time of day.
"""

import re
from collections.abc import Callable, Mapping
from datetime import date
from typing import Annotated, Literal, Self

from pydantic import Field, JsonValue, model_validator

from environments.effects import Effect as Does
from environments.simulated import app as sim
from environments.simulated.apps.common.functions_base import FunctionTable, Limit, Offset, by_id, told
from environments.simulated.apps.common.record_list import form_opened, form_update, list_update, question, refuse_twice, with_ids
from environments.simulated.apps.office.calendar import state as cal
from environments.simulated.apps.office.calendar.state import CalendarState, Draft, KnownDay, Meeting, Moment, Occurrence, later
from environments.simulated.apps.office.calendar.view import LABELS, draft_of, errors_of, left, meeting_of, new_draft, page
from environments.simulated.screen.widgets import Widget
from environments.simulated.world.values import Model, highest, how_many, mail_address, slug, without

_People = Annotated[tuple[str, ...], Field(examples=[["Ada Byron"]])]
"""By their full names."""


class NewEvent(Model):
    title: str = Field(min_length=1)
    start: Moment
    end: Moment
    place: str = ""
    attendees: _People = ()
    description: str = ""
    repeat: cal.Repeat = "Never"
    until: KnownDay = ""
    reminder: cal.Reminder = "None"


class ChangedEvent(Model):
    """What is left out stays as it is."""

    id: str
    title: str | None = None
    start: Moment | None = None
    end: Moment | None = None
    place: str | None = None
    attendees: _People | None = None
    description: str | None = None
    repeat: cal.Repeat | None = None
    until: KnownDay | None = None
    reminder: cal.Reminder | None = None


def as_json(item: Occurrence) -> dict[str, JsonValue]:
    """One time at which an event takes place, in short."""
    meeting = item.meeting
    return {"id": meeting.id, "title": meeting.title, "start": item.start, "end": item.end, "place": meeting.place,
            "attendees": list(meeting.attendees), "answer": meeting.answer}  # fmt: skip


def known(state: CalendarState, name: str) -> Meeting:
    """The event of this id. Raises FunctionDeclined."""
    return by_id(state.meetings, "event", name, "list_events and find_events give")


def put(state: CalendarState, meeting: Meeting, said: str) -> sim.FunctionResult[CalendarState]:
    """Keep an event, new or changed, and tell what it overlaps with."""
    after, meeting = state.kept(meeting)
    over: list[JsonValue] = [as_json(o) for o in state.clashes(meeting)[:20]]
    result: JsonValue = {"event": meeting.model_dump(mode="json"), "overlaps": over}
    return sim.FunctionResult(after, result, (sim.Toast(said),))


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
        raise sim.FunctionDeclined("calendar.list_events: at most 366 days or so at a time; ask year by year")
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
    """Delete an event with all its repetitions."""
    known(state, id)
    left = state.replace(meetings=without(state.meetings, id))
    return sim.FunctionResult(left, {"deleted": id}, (sim.Toast("Event deleted"),))


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
    first = later(cal.monday(state.today), week[words]) if words in week else _day(state, words)
    name = f"in the week of {cal.written_day(first)}" if words in week else f"on {cal.written_day(first)}"
    items = state.times.between(first, later(first, 6) if words in week else first)
    shown = "; ".join(f"{cal.written_day(o.day)}, {o.hours} {o.meeting.title}" for o in items[:20])
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
    told = f"{answer.capitalize()}: {fits[0].title} on {cal.written_day(fits[0].start[:10])}"
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
    day = next((day for text in (words, f"{words} {year}", f"{words}, {year}") if (day := cal.read_day(text))), None)
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


class CalendarContent(sim.Content):
    """`generate` adds events from the seed to those that are given; `day` is the day that is shown at first."""

    events: tuple[Meeting, ...] | None = None
    generate: int | None = Field(default=None, ge=0, le=20_000)
    view: cal.View = "Month"
    day: KnownDay = ""
    hours: tuple[str, str] = ("09:00", "17:00")

    @model_validator(mode="after")
    def _makes_sense(self) -> Self:
        start, end = (cal.read_time(clock) for clock in self.hours)
        if start is None or end is None or start >= end or (start, end) != self.hours:
            raise ValueError(f'hours: {list(self.hours)} are no working hours; write them like ["09:00", "17:00"]')
        refuse_twice("events: the id", [event.id for event in self.events or ()])
        return self


class Calendar(sim.App[CalendarContent, CalendarState]):
    """Appointments."""

    name = "calendar"
    title = "Calendar"
    words = ("calendar", "event", "events", "meeting", "meetings", "appointment", "appointments", "schedule")
    looks = frozenset({"counter", "day", "view", "goto", "goto_error", "open"})
    meanings = (
        sim.Meaning("meetings.*", Does.DELETE, 'deletes the event "{old.title}" of {old.start}', sim.is_gone),
        # An invitation that arrives is not the user's doing.
        sim.Meaning("meetings.*", None, when=lambda found: sim.is_new(found) and found.new.answer == "invited"),
        sim.Meaning(
            "meetings.*",
            Does.SEND,
            'answers the invitation "{new.title}" of {new.organizer}: {new.answer}',
            lambda found: found.old is not None and found.old.answer != found.new.answer,
        ),
        sim.Meaning("meetings.*", Does.SAVE, 'adds the event "{new.title}" on {new.start}', sim.is_new),
        sim.Meaning("meetings.*", Does.SAVE, 'changes the event "{old.title}" of {old.start}'),
    )
    functions = FUNCTIONS
    agent = staticmethod(answer_request)

    def start(self, content: CalendarContent, setting: sim.Setting) -> CalendarState:
        today = setting.cast.today.isoformat()
        empty = CalendarState(
            meetings={}, today=today, hours=content.hours, counter=0, day=content.day or today, view=content.view
        )
        many = how_many(content.events, content.generate, 12, setting.cast.times)
        meetings = with_ids((*(content.events or ()), *cal.generated(many, setting)))
        return empty.replace(meetings=meetings, counter=highest(meetings))

    def view(self, state: CalendarState) -> tuple[Widget, ...]:
        return page(state)

    def update(self, state: CalendarState, event: sim.Event) -> sim.Update[CalendarState]:
        match event:
            case sim.Arrived(topic="invitation", data=data):
                return _invited(state, data)
            case sim.Arrived(topic="new-event", data=data):
                return sim.Update(form_opened(state, new_draft(state, data)))
        if state.draft is not None:
            return _editing(state, state.draft, event)
        if state.open in state.meetings:
            return _reading(state, state.meetings[state.open], event)
        return _browsing(state, event)


def _browsing(state: CalendarState, event: sim.Event) -> sim.Update[CalendarState]:
    match event:
        case sim.Pressed(key="new-event") | sim.Shortcut(chord="Control+n" | "Meta+n"):
            return sim.Update(form_opened(state, new_draft(state)))
        case sim.Pressed(key=key) if key.startswith("event-"):
            name = key.removeprefix("event-").removesuffix(".title").partition("@")[0]
            return sim.Update(state.replace(open=name))
        case sim.Pressed(key=key) if key.startswith(("accept-", "decline-")):
            verb, _, name = key.partition("-")
            return _answered(state, state.meetings[name], "accepted" if verb == "accept" else "declined")
        case sim.Edited(key="goto", value=value):
            return sim.Update(state.replace(goto=value, goto_error=""))
        case sim.Pressed(key="go"):
            day = cal.read_day(state.goto)
            if day is None:
                return sim.Update(state.replace(goto_error="Go to date must be a day like 2026-03-31"))
            return sim.Update(_shown(state, day).replace(goto="", goto_error=""))
    looked = list_update(state, event, lambda: state.listed(), cal.PAGE_SIZE)
    return sim.Update(_walked(state, event) if looked is None else looked)


def _walked(state: CalendarState, event: sim.Event) -> CalendarState:
    """From day to day, and from view to view."""
    views = {slug(name): name for name in cal.VIEWS}
    match event:
        case sim.Pressed(key="today") | sim.Shortcut(chord="Alt+Home"):
            return _shown(state, state.today)
        case sim.Pressed(key="earlier") | sim.Shortcut(chord="Alt+ArrowLeft"):
            return _shown(state, _step(state, -1))
        case sim.Pressed(key="later") | sim.Shortcut(chord="Alt+ArrowRight"):
            return _shown(state, _step(state, 1))
        case sim.Pressed(key=key) if key in views:
            return state.replace(view=views[key], page=1, applied="", query="")
        case sim.Pressed(key=key) if key.startswith("day-"):
            return _shown(state, key[4:14]).replace(view="Day")
    return state


def _shown(state: CalendarState, day: str) -> CalendarState:
    return state.replace(day=cal.read_day(day) or state.day, page=1, applied="", query="")


def _step(state: CalendarState, way: int) -> str:
    if state.view == "Month":
        return cal.month_start(state.day, way)
    return later(state.day, way if state.view == "Day" else 7 * way)


def _reading(state: CalendarState, meeting: Meeting, event: sim.Event) -> sim.Update[CalendarState]:
    match event:
        case sim.Pressed(key="back"):
            return sim.Update(state.replace(open=""))
        case sim.Pressed(key="edit"):
            return sim.Update(form_opened(state, draft_of(meeting)))
        case sim.Pressed(key="accept" | "decline" as key):
            return _answered(state, meeting, "accepted" if key == "accept" else "declined")
        case sim.Pressed(key="email"):
            to = ", ".join(who if "@" in who else mail_address(who) for who in meeting.attendees)
            return sim.Update(state, (sim.Launch("mail", "compose", {"to": to, "subject": meeting.title}),))
        case sim.Pressed(key="delete"):
            all_of_it = "The event and all its repetitions" if meeting.repeat != "Never" else "The event"
            gone = f'{all_of_it}, "{meeting.title}", will be deleted for good.'
            return sim.Update(state, (question("delete", "Delete this event?", gone, "Delete event"),))
        case sim.Answered(key="delete", button="Delete event"):
            left = without(state.meetings, meeting.id)
            return sim.Update(state.replace(meetings=left, open=""), (sim.Toast("Event deleted"),))
    return sim.Update(state)


def _answered(state: CalendarState, meeting: Meeting, answer: cal.Answer) -> sim.Update[CalendarState]:
    return sim.Update(state.kept(meeting.replace(answer=answer))[0], (sim.Toast(f"Invitation {answer}"),))


def _editing(state: CalendarState, draft: Draft, event: sim.Event) -> sim.Update[CalendarState]:
    match event:
        case sim.Pressed(key="save") | sim.Shortcut(chord="Control+s" | "Meta+s"):
            if errors := errors_of(draft):
                return sim.Update(state.replace(errors=errors))
            saved, meeting = state.kept(meeting_of(draft, state.meetings.get(draft.id)))
            shown = saved.replace(open=meeting.id, day=meeting.start[:10])
            return sim.Update(form_opened(shown, None), (sim.Submitted(), sim.Toast("Event saved")))
    return form_update(state, draft, event, "event", LABELS, left) or sim.Update(state)


def _invited(state: CalendarState, data: Mapping[str, str]) -> sim.Update[CalendarState]:
    """An invitation that came from outside; one that says no time is only reported."""
    sender = data.get("from", "") or "Somebody"
    start, end = cal.read_moment(data.get("start", "")), cal.read_moment(data.get("end", ""))
    if start is None or end is None or end <= start:
        return sim.Update(state, (sim.Toast(f"An invitation from {sender} has no valid time"),))
    people = tuple(part.strip() for part in data.get("attendees", "").split(",") if part.strip())
    after, meeting = state.kept(
        Meeting(title=data.get("title", "") or "Meeting", start=start, end=end, place=data.get("place", ""),
                attendees=people or (sender,), description=data.get("description", ""), answer="invited", organizer=sender)
    )  # fmt: skip
    return sim.Update(after, (sim.Toast(f"Invitation from {sender}: {meeting.title}"),))
