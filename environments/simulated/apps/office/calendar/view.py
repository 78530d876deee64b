"""The pages of the calendar."""

import re
from collections.abc import Mapping
from datetime import date
from functools import lru_cache

from environments.simulated.apps.common.record_list import list_view
from environments.simulated.apps.office.calendar import state as cal
from environments.simulated.apps.office.calendar.state import (
    CalendarState,
    Draft,
    Meeting,
    Occurrence,
    later,
    monday,
    written_day,
)
from environments.simulated.screen import widgets as ui
from environments.simulated.screen.widgets import Widget

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
