"""Calendar: events by month, week, day or as an agenda; invitations, and the user's own answers to them.

Its functions, and its own agent: requests in plain words, answered by fixed rules. The agent knows days but no time of day.
"""

import re
from collections.abc import Callable, Mapping
from datetime import date
from functools import lru_cache
from typing import Annotated, Literal, Self

from pydantic import Field, JsonValue, model_validator

from environments.effects import Effect as Does
from environments.simulated import app as sim
from environments.simulated.apps.common.functions_base import FunctionTable, Limit, Offset, by_id, told
from environments.simulated.apps.common.record_list import (
    form_opened,
    form_update,
    list_update,
    list_view,
    question,
    refuse_twice,
    with_ids,
)
from environments.simulated.apps.office.calendar import state as cal
from environments.simulated.apps.office.calendar.state import (
    CalendarState,
    Draft,
    KnownDay,
    Meeting,
    Moment,
    Occurrence,
    later,
    monday,
    written_day,
)
from environments.simulated.screen import widgets as ui
from environments.simulated.screen.widgets import Widget
from environments.simulated.world.values import Model, highest, how_many, mail_address, slug, without

LABELS = {"title": "Title", "start_day": "Start date", "start_time": "Start time", "end_day": "End date",
          "end_time": "End time", "place": "Place", "attendees": "Attendees", "description": "Description",
          "repeat": "Repeats", "until": "Repeat until", "reminder": "Reminder"}  # fmt: skip
REQUIRED = ("title", "start_day", "start_time", "end_day", "end_time")
_READ = {**dict.fromkeys(("start_day", "end_day", "until"), cal.read_day),
         **dict.fromkeys(("start_time", "end_time"), cal.read_time)}  # fmt: skip
_CHOICES: dict[str, tuple[str, ...]] = {"repeat": cal.REPEATS, "reminder": cal.REMINDERS}


def new_draft(state: CalendarState, given: Mapping[str, str] | None = None) -> Draft:
    """A new event on the day that is shown, with what is given filled in."""
    start = state.hours[0]
    usual = {"start_day": state.day, "start_time": start, "end_day": state.day, "end_time": cal.hour_after(start)}
    return Draft.model_validate({**usual, **{k: v for k, v in (given or {}).items() if k in LABELS}})


def draft_of(meeting: Meeting) -> Draft:
    same = {name: getattr(meeting, name) for name in ("id", "title", "place", "description", "repeat", "until", "reminder")}
    start_day, start_time = meeting.start.split()
    end_day, end_time = meeting.end.split()
    return Draft(**same, start_day=start_day, start_time=start_time, end_day=end_day, end_time=end_time,
                 attendees=", ".join(meeting.attendees))  # fmt: skip


def field_error(draft: Draft, name: str) -> str:
    """What is wrong with one field by itself; empty when nothing is."""
    value = getattr(draft, name).strip()
    if name == "until" and draft.repeat == "Never":
        return ""
    if not value:
        return f"{LABELS[name]} is required" if name in REQUIRED else ""
    if name in _READ and _READ[name](value) is None:
        return f"{LABELS[name]} must be a {'time like 09:30' if name.endswith('time') else 'day like 2026-03-31'}"
    if name in _CHOICES and value not in _CHOICES[name]:
        return f"{LABELS[name]} must be one of {', '.join(_CHOICES[name])}"
    return ""


def tidied(draft: Draft) -> Draft:
    """The same draft with its days and times in the usual notation, where they can be read."""
    read = {name: read(getattr(draft, name)) or getattr(draft, name) for name, read in _READ.items()}
    return draft.replace(**read)


def left(draft: Draft, name: str) -> tuple[Draft, str]:
    """The draft after the focus has left a field, and the error of that field. A later start takes the end along."""
    draft = tidied(draft)
    if error := field_error(draft, name):
        return draft, error
    if name in ("start_day", "start_time") and not any(field_error(draft, field) for field in REQUIRED[1:]):
        if draft.end_day < draft.start_day:
            draft = draft.replace(end_day=draft.start_day)
        if (draft.end_day, draft.end_time) <= (draft.start_day, draft.start_time):
            draft = draft.replace(end_time=cal.hour_after(draft.start_time))
    return draft, _order_error(draft) if name in ("end_day", "end_time") else ""


def _order_error(draft: Draft) -> str:
    if any(field_error(draft, field) for field in REQUIRED[1:]):
        return ""
    after = (draft.end_day, draft.end_time) > (draft.start_day, draft.start_time)
    return "" if after else "End must be after start"


def errors_of(draft: Draft) -> dict[str, str]:
    """Everything that keeps a draft from being an event, by field."""
    draft = tidied(draft)
    errors = {name: error for name in LABELS if (error := field_error(draft, name))}
    if not errors and (error := _order_error(draft)):
        errors["end_time"] = error
    if not errors and draft.repeat != "Never" and draft.until and draft.until < draft.start_day:
        errors["until"] = "Repeat until must not be before the start"
    if not errors:
        try:
            _meeting(draft, None)
        except ValueError:
            errors["repeat"] = f"This event is too long to repeat {draft.repeat.lower()}"
    return errors


def meeting_of(draft: Draft, old: Meeting | None) -> Meeting:
    """The event that a draft without errors describes; what the form does not show stays as it was."""
    return _meeting(tidied(draft), old)


def _meeting(draft: Draft, old: Meeting | None) -> Meeting:
    values = draft.model_dump(exclude={"start_day", "start_time", "end_day", "end_time", "attendees"})
    kept = {"answer": old.answer, "organizer": old.organizer} if old else {}
    people = tuple(part.strip() for part in re.split(r"[,;]", draft.attendees) if part.strip())
    return Meeting.model_validate({
        **values, **kept, "title": draft.title.strip(), "attendees": people,
        "until": draft.until if draft.repeat != "Never" else "",
        "start": f"{draft.start_day} {draft.start_time}", "end": f"{draft.end_day} {draft.end_time}",
    })  # fmt: skip


UNITS = {"Month": "month", "Week": "week", "Day": "day", "Agenda": "week", "Invitations": "week"}
_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTH_LINES, _WEEK_LINES = 2, 8


def page(state: CalendarState) -> tuple[Widget, ...]:
    """The page that is shown: a form, an event, what was searched for, or a view."""
    if state.draft is not None:
        return _form(state, state.draft)
    if state.open in state.meetings:
        return _detail(state, state.meetings[state.open])
    if state.applied:
        title = ui.heading(f"Events with “{state.applied}”", "results")
        return (title, *_top(state), ui.bar(ui.button("Clear search", "clear")), *_table(state))
    match state.view:
        case "Month":
            return _month(state)
        case "Week":
            first = monday(state.day)
            cells = (_day_cell(state, later(first, n), _WEEK_LINES) for n in range(7))
            title = ui.heading(f"Week of {written_day(first)}", f"week-page-{first}")
            return (title, *_top(state), ui.table("week", _DAYS, [ui.row(f"week-{first}", *cells, press=False)]))
        case "Day":
            return (ui.heading(written_day(state.day), f"day-page-{state.day}"), *_top(state), *_table(state))
        case "Agenda":
            title = ui.heading(f"Agenda from {written_day(state.day)}", f"agenda-{state.day}")
            return (title, *_top(state), ui.text(f"The next {cal.AGENDA_DAYS} days", "agenda-span"), *_table(state))
    columns = ("Title", "From", "When", "Accept", "Decline")
    shown = list_view("invitations", columns, state.listed(), _invitation, "No invitations", state.page, cal.PAGE_SIZE)
    return (ui.heading("Invitations", "invitations"), *_top(state), *shown)


def _form(state: CalendarState, draft: Draft) -> tuple[Widget, ...]:
    fields: list[Widget] = []
    for name, label in LABELS.items():
        value, key, invalid, required = getattr(draft, name), f"form.{name}", name in state.errors, name in REQUIRED
        if name in _CHOICES:
            fields.append(ui.combobox(label, key, value, _CHOICES[name], invalid=invalid))
        elif name != "until" or draft.repeat != "Never":
            fields.append(ui.textbox(label, key, value, multiline=name == "description", required=required, invalid=invalid))
        if invalid:
            fields.append(ui.alert(state.errors[name], f"{key}.error"))
    overlap = () if errors_of(draft) else _overlap(state, meeting_of(draft, state.meetings.get(draft.id)))
    title = ui.heading("Edit event" if draft.id else "New event", f"edit-{draft.id}")
    buttons = ui.bar(ui.button("Save", "save"), ui.button("Cancel", "cancel"), key="actions")
    return (title, ui.form("event-form", *fields, *overlap, buttons, submit="save"))


def _top(state: CalendarState) -> tuple[Widget, ...]:
    unit = UNITS[state.view]
    tools = ui.bar(
        ui.button("New event", "new-event"), ui.button("Today", "today"), ui.button(f"Previous {unit}", "earlier"),
        ui.button(f"Next {unit}", "later"), key="tools",
    )  # fmt: skip
    day = ui.textbox("Go to date", "goto", state.goto, placeholder="2026-03-31", invalid=bool(state.goto_error))
    go = ui.form("goto-form", day, ui.button("Go", "go"), submit="go", across=True)
    error = (ui.alert(state.goto_error, "goto.error"),) if state.goto_error else ()
    waiting = len(state.times.invitations)
    note = (ui.text(f"Invitations to answer: {waiting}", "waiting"),) if waiting else ()
    chosen = "" if state.applied else state.view
    finders = ui.bar(ui.search_bar("events", state.query), go, key="finders")
    return (ui.tabs("views", cal.VIEWS, chosen), tools, finders, *error, *note)


def _month(state: CalendarState) -> tuple[Widget, ...]:
    first = monday(cal.month_start(state.day))
    last = later(cal.month_start(state.day, 1), -1)
    rows = []
    for begins in range(0, (date.fromisoformat(last) - date.fromisoformat(first)).days + 1, 7):
        cells = (_day_cell(state, later(first, begins + n), _MONTH_LINES) for n in range(7))
        rows.append(ui.row(f"week-{later(first, begins)}", *cells, press=False))
    title = ui.heading(f"{date.fromisoformat(state.day):%B %Y}", f"month-{state.day[:7]}")
    return (title, *_top(state), ui.table("month", _DAYS, rows))


def _day_cell(state: CalendarState, day: str, lines: int) -> Widget:
    items = state.times.on(day)
    when = date.fromisoformat(day)
    name = str(when.day) if day[:7] == state.day[:7] else f"{when.day} {when:%b}"
    shown = []
    for item in items[:lines]:
        note = " (invitation)" if item.meeting.answer == "invited" else ""
        line = f"{item.start[11:]} {item.meeting.title}{note}"
        shown.append(ui.link(line, f"event-{item.meeting.id}@{day}@{item.start}"))
    more = [ui.link(f"+{len(items) - lines} more", f"day-{day}.more")] if len(items) > lines else []
    number = ui.link(name, f"day-{day}", selected=day == state.today)
    return Widget("cell", None, f"cell-{day}", children=(number, *shown, *more))


def _table(state: CalendarState) -> tuple[Widget, ...]:
    columns = ("Title", "Date", "Time", "Place")
    return list_view("events", columns, state.listed(), _event, "No events", state.page, cal.PAGE_SIZE)


@lru_cache(4096)
def _event(item: Occurrence) -> Widget:
    cells = {"title": item.meeting.title, "0": written_day(item.day), "1": item.hours, "2": item.meeting.place}
    return ui.linked_row(f"event-{item.meeting.id}@{item.start}", cells)


def _invitation(item: Occurrence) -> Widget:
    meeting = item.meeting
    key = f"event-{meeting.id}"
    answers = (ui.button(f"{verb} {meeting.title}", f"{verb.lower()}-{meeting.id}") for verb in ("Accept", "Decline"))
    cells = (ui.cell(meeting.organizer, f"{key}.from"), ui.cell(meeting.start, f"{key}.when"))
    return ui.row(key, ui.link(meeting.title, f"{key}.title"), *cells, *answers)


def _detail(state: CalendarState, meeting: Meeting) -> tuple[Widget, ...]:
    key = f"event-{meeting.id}"
    first = Occurrence(meeting.start, meeting.end, meeting)
    repeats = "" if meeting.repeat == "Never" else meeting.repeat + (f" until {meeting.until}" if meeting.until else "")
    facts = {"When": f"{written_day(first.day)}, {first.hours}", "Place": meeting.place, "Organizer": meeting.organizer,
             "Attendees": ", ".join(meeting.attendees), "Repeats": repeats, "Reminder": meeting.reminder.replace("None", ""),
             "Answer": meeting.answer.capitalize() if meeting.invitation else ""}  # fmt: skip
    lines = ui.lines(meeting.description, key)
    answers = (ui.button("Accept", "accept", enabled=meeting.answer != "accepted"),
               ui.button("Decline", "decline", enabled=meeting.answer != "declined")) if meeting.invitation else ()  # fmt: skip
    buttons = ui.bar(
        *answers, ui.button("Edit", "edit"), ui.button("Delete", "delete"), ui.button("Email attendees", "email",
        enabled=bool(meeting.attendees)), ui.button("Back to calendar", "back"), key="actions",
    )  # fmt: skip
    return (
        ui.heading(meeting.title, key),
        *(ui.pair(label, value, f"{key}.{label.lower()}") for label, value in facts.items() if value),
        *([ui.group(*lines, key=f"{key}.description")] if lines else []),
        *_overlap(state, meeting),
        buttons,
    )


def _overlap(state: CalendarState, meeting: Meeting) -> tuple[Widget, ...]:
    """A warning; it keeps nobody from saving."""
    others = state.clashes(meeting) if meeting.answer != "declined" else []
    if not others:
        return ()
    first = others[0]
    rest = f" and {len(others) - 1} more" if len(others) > 1 else ""
    return (ui.alert(f"Overlaps with {first.meeting.title}, {written_day(first.day)}, {first.hours}{rest}", "overlap"),)


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
