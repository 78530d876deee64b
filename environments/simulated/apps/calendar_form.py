"""The form of an event: how it is filled, checked and made into an event."""

from __future__ import annotations

import re
from collections.abc import Mapping

from environments.simulated.apps.calendar_event import REMINDERS, REPEATS, Meeting, hour_after, read_day, read_time
from environments.simulated.apps.calendar_state import CalendarState, Draft

LABELS = {"title": "Title", "start_day": "Start date", "start_time": "Start time", "end_day": "End date",
          "end_time": "End time", "place": "Place", "attendees": "Attendees", "description": "Description",
          "repeat": "Repeats", "until": "Repeat until", "reminder": "Reminder"}  # fmt: skip
DAYS = ("start_day", "end_day", "until")
REQUIRED = ("title", "start_day", "start_time", "end_day", "end_time")
_READ = {"start_day": read_day, "end_day": read_day, "until": read_day, "start_time": read_time, "end_time": read_time}
_CHOICES: dict[str, tuple[str, ...]] = {"repeat": REPEATS, "reminder": REMINDERS}


def new_draft(state: CalendarState, given: Mapping[str, str] | None = None) -> Draft:
    """A new event on the day that is shown, with what is given filled in."""
    start = state.hours[0]
    usual = {"start_day": state.day, "start_time": start, "end_day": state.day, "end_time": hour_after(start)}
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
    return draft.model_copy(update=read)


def left(draft: Draft, name: str) -> tuple[Draft, str]:
    """The draft after the focus has left a field, and the error of that field. A later start takes the end along."""
    draft = tidied(draft)
    if error := field_error(draft, name):
        return draft, error
    if name in ("start_day", "start_time") and not any(field_error(draft, field) for field in REQUIRED[1:]):
        if draft.end_day < draft.start_day:
            draft = draft.model_copy(update={"end_day": draft.start_day})
        if (draft.end_day, draft.end_time) <= (draft.start_day, draft.start_time):
            draft = draft.model_copy(update={"end_time": hour_after(draft.start_time)})
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
