"""Calendar: events by month, week, day or as an agenda; invitations, and the user's own answers to them."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count
from typing import Self

from pydantic import Field, model_validator

from environments.effects import Effect as Does
from environments.simulated.app import (
    Answered,
    App,
    Arrived,
    Content,
    Dialog,
    Edited,
    Event,
    Launch,
    Left,
    Notice,
    Passed,
    Pressed,
    Setting,
    Shortcut,
    Submitted,
    Toast,
    Update,
)
from environments.simulated.apps.common.forms import Leafed, discard_question, leafed, with_error
from environments.simulated.apps.office.calendar.agent import answer_request
from environments.simulated.apps.office.calendar.event import (
    Answer,
    KnownDay,
    Meeting,
    generated,
    later,
    month_start,
    read_day,
    read_moment,
    read_time,
)
from environments.simulated.apps.office.calendar.functions import FUNCTIONS
from environments.simulated.apps.office.calendar.state import PAGE_SIZE, VIEWS, CalendarState, Draft, View, listed, reminders
from environments.simulated.apps.office.calendar.view import DAYS, LABELS, draft_of, errors_of, left, meeting_of, new_draft, page
from environments.simulated.meanings import Meaning, is_gone, is_new
from environments.simulated.screen.widgets import Widget
from environments.simulated.world.generate import highest, how_many, mail_address
from environments.simulated.world.values import page_of, slug


class CalendarContent(Content):
    """`generate` adds events from the seed to those that are given; `day` is the day that is shown at first."""

    events: tuple[Meeting, ...] | None = None
    generate: int | None = Field(default=None, ge=0, le=20_000)
    view: View = "Month"
    day: KnownDay = ""
    hours: tuple[str, str] = ("09:00", "17:00")

    @model_validator(mode="after")
    def _makes_sense(self) -> Self:
        start, end = (read_time(clock) for clock in self.hours)
        if start is None or end is None or start >= end or (start, end) != self.hours:
            raise ValueError(f'hours: {list(self.hours)} are no working hours; write them like ["09:00", "17:00"]')
        names = [event.id for event in self.events or () if event.id]
        if twice := next((name for name in names if names.count(name) > 1), None):
            raise ValueError(f"events: the id {twice!r} is given twice")
        return self


MEANINGS = (
    Meaning("meetings.*", Does.DELETE, 'deletes the event "{old.title}" of {old.start}', is_gone),
    Meaning("meetings.*", None, when=lambda found: is_new(found) and found.new.answer == "invited"),
    Meaning(
        "meetings.*",
        Does.SEND,
        'answers the invitation "{new.title}" of {new.organizer}: {new.answer}',
        lambda found: found.old is not None and found.old.answer != found.new.answer,
    ),
    Meaning("meetings.*", Does.SAVE, 'adds the event "{new.title}" on {new.start}', is_new),
    Meaning("meetings.*", Does.SAVE, 'changes the event "{old.title}" of {old.start}'),
    Meaning("reminded", None),
)
"""An invitation that arrives is not the user's doing."""


class Calendar(App[CalendarContent, CalendarState]):
    """Appointments."""

    name = "calendar"
    title = "Calendar"
    words = ("calendar", "event", "events", "meeting", "meetings", "appointment", "appointments", "schedule")
    content = CalendarContent
    state = CalendarState
    looks = frozenset(
        {
            "counter",
            "day",
            "view",
            "query",
            "applied",
            "goto",
            "goto_error",
            "page",
            "open",
            "draft",
            "untouched",
            "errors",
            "sheet",
        }
    )
    meanings = MEANINGS
    timed = True
    functions = FUNCTIONS
    agent = staticmethod(answer_request)

    def start(self, content: CalendarContent, setting: Setting) -> CalendarState:
        today = setting.cast.today.isoformat()
        empty = CalendarState(
            meetings={}, today=today, hours=content.hours, counter=0, day=content.day or today, view=content.view
        )
        given = (*(content.events or ()), *generated(how_many(content.events, content.generate, 12, setting.cast.times), setting))
        names = {meeting.id for meeting in given}
        free = (str(number) for number in count(1) if str(number) not in names)
        meetings = {m.id: m for m in (m.model_copy(update={"id": m.id or next(free)}) for m in given)}
        return empty.model_copy(update={"meetings": meetings, "counter": highest(meetings)})

    def view(self, state: CalendarState) -> tuple[Widget, ...]:
        return page(state)

    def update(self, state: CalendarState, event: Event) -> Update[CalendarState]:
        match event:
            case Arrived(topic="invitation", data=data):
                return _invited(state, data)
            case Passed():
                return _reminded(state)
            case Arrived(topic="new-event", data=data):
                return Update(_writing(state, new_draft(state, data)))
        if (turned := leafed(state.sheet, event, _days(state), state.today)) is not None:
            return Update(_picked(state, turned))
        if state.draft is not None:
            return _editing(state, state.draft, event)
        if state.open in state.meetings:
            return _reading(state, state.meetings[state.open], event)
        return _browsing(state, event)


def _days(state: CalendarState) -> dict[str, str]:
    """What stands in the date fields of the page."""
    if state.draft is None:
        return {} if state.open in state.meetings else {"goto": state.goto}
    return {f"form.{name}": getattr(state.draft, name) for name in DAYS}


def _picked(state: CalendarState, turned: Leafed) -> CalendarState:
    """A day from the calendar sheet counts as one that was written, and is gone to at once on the other pages."""
    state = state.model_copy(update={"sheet": turned.sheet})
    if not turned.day:
        return state
    if state.draft is None:
        return _looked(state.model_copy(update={"goto": turned.day}), Pressed("go"))
    written = _editing(state, state.draft, Edited(turned.field, turned.day)).state
    return _editing(written, written.draft or state.draft, Left(turned.field)).state


def _reminded(state: CalendarState) -> Update[CalendarState]:
    """A notification for each event that is soon."""
    soon = reminders(state) if state.moment else []
    if not soon:
        return Update(state)
    told = tuple(f"{one.meeting.id}@{one.start}" for one in soon)
    notices = tuple(Notice(one.meeting.title, ", ".join(filter(None, (one.start, one.meeting.place)))) for one in soon)
    return Update(state.model_copy(update={"reminded": (*state.reminded, *told)}), notices)


def _browsing(state: CalendarState, event: Event) -> Update[CalendarState]:
    match event:
        case Pressed(key="new-event") | Shortcut(chord="Control+n" | "Meta+n"):
            return Update(_writing(state, new_draft(state)))
        case Pressed(key=key) if key.startswith("event-"):
            name = key.removeprefix("event-").removesuffix(".title").partition("@")[0]
            return Update(state.model_copy(update={"open": name}))
        case Pressed(key=key) if key.startswith(("accept-", "decline-")):
            verb, _, name = key.partition("-")
            return _answered(state, state.meetings[name], "accepted" if verb == "accept" else "declined")
        case Edited() | Pressed(key="search" | "clear" | "go" | "next" | "previous"):
            return Update(_looked(state, event))
        case Pressed() | Shortcut():
            return Update(_walked(state, event))
    return Update(state)


def _looked(state: CalendarState, event: Edited | Pressed) -> CalendarState:
    """Searching, going to a date, and paging."""
    match event:
        case Edited(key="query" | "goto" as key, value=value):
            return state.model_copy(update={key: value, "goto_error": "" if key == "goto" else state.goto_error})
        case Pressed(key="search"):
            return state.model_copy(update={"applied": state.query.strip(), "page": 1})
        case Pressed(key="clear"):
            return state.model_copy(update={"applied": "", "query": "", "page": 1})
        case Pressed(key="go"):
            day = read_day(state.goto)
            if day is None:
                return state.model_copy(update={"goto_error": "Go to date must be a day like 2026-03-31"})
            return _shown(state, day).model_copy(update={"goto": "", "goto_error": ""})
        case Pressed(key="next" | "previous" as key):
            # From the page that is shown: there may be fewer by now.
            _, shown, _ = page_of(listed(state), state.page, PAGE_SIZE)
            return state.model_copy(update={"page": shown + (1 if key == "next" else -1)})
    return state


def _walked(state: CalendarState, event: Pressed | Shortcut) -> CalendarState:
    """From day to day, and from view to view."""
    views = {slug(name): name for name in VIEWS}
    match event:
        case Pressed(key="today") | Shortcut(chord="Alt+Home"):
            return _shown(state, state.today)
        case Pressed(key="earlier") | Shortcut(chord="Alt+ArrowLeft"):
            return _shown(state, _step(state, -1))
        case Pressed(key="later") | Shortcut(chord="Alt+ArrowRight"):
            return _shown(state, _step(state, 1))
        case Pressed(key=key) if key in views:
            return state.model_copy(update={"view": views[key], "page": 1, "applied": "", "query": ""})
        case Pressed(key=key) if key.startswith("day-"):
            return _shown(state, key[4:14]).model_copy(update={"view": "Day"})
    return state


def _shown(state: CalendarState, day: str) -> CalendarState:
    return state.model_copy(update={"day": read_day(day) or state.day, "page": 1, "applied": "", "query": ""})


def _step(state: CalendarState, way: int) -> str:
    if state.view == "Month":
        return month_start(state.day, way)
    return later(state.day, way if state.view == "Day" else 7 * way)


def _reading(state: CalendarState, meeting: Meeting, event: Event) -> Update[CalendarState]:
    match event:
        case Pressed(key="back"):
            return Update(state.model_copy(update={"open": ""}))
        case Pressed(key="edit"):
            return Update(_writing(state, draft_of(meeting)))
        case Pressed(key="accept" | "decline" as key):
            return _answered(state, meeting, "accepted" if key == "accept" else "declined")
        case Pressed(key="email"):
            to = ", ".join(who if "@" in who else mail_address(who) for who in meeting.attendees)
            return Update(state, (Launch("mail", "compose", {"to": to, "subject": meeting.title}),))
        case Pressed(key="delete"):
            all_of_it = "The event and all its repetitions" if meeting.repeat != "Never" else "The event"
            ask = Dialog(
                key="delete",
                title="Delete this event?",
                text=f'{all_of_it}, "{meeting.title}", will be deleted for good.',
                buttons=("Delete event", "Cancel"),
                escape="Cancel",
            )
            return Update(state, (ask,))
        case Answered(key="delete", button="Delete event"):
            rest = {name: other for name, other in state.meetings.items() if name != meeting.id}
            return Update(state.model_copy(update={"meetings": rest, "open": ""}), (Toast("Event deleted"),))
    return Update(state)


def _answered(state: CalendarState, meeting: Meeting, answer: Answer) -> Update[CalendarState]:
    changed = meeting.model_copy(update={"answer": answer})
    toast = Toast(f"Invitation {answer}")
    return Update(state.model_copy(update={"meetings": {**state.meetings, meeting.id: changed}}), (toast,))


def _writing(state: CalendarState, draft: Draft) -> CalendarState:
    return state.model_copy(update={"draft": draft, "untouched": draft, "errors": {}})


def _editing(state: CalendarState, draft: Draft, event: Event) -> Update[CalendarState]:
    match event:
        case Edited(key=key, value=value) if key.removeprefix("form.") in LABELS:
            name = key.removeprefix("form.")
            changed = draft.model_copy(update={name: value})
            return Update(state.model_copy(update={"draft": changed, "errors": with_error(state.errors, name)}))
        case Left(key=key) if key.removeprefix("form.") in LABELS:
            name = key.removeprefix("form.")
            tidy, error = left(draft, name)
            return Update(state.model_copy(update={"draft": tidy, "errors": with_error(state.errors, name, error)}))
        case Pressed(key="save") | Shortcut(chord="Control+s" | "Meta+s"):
            return _save(state, draft)
        case Pressed(key="cancel") if draft != state.untouched:
            return Update(state, (discard_question("This event has changes that are not saved."),))
        case Pressed(key="cancel") | Answered(key="unsaved", button="Discard changes"):
            return Update(_closed(state))
    return Update(state)


def _closed(state: CalendarState) -> CalendarState:
    return state.model_copy(update={"draft": None, "untouched": None, "errors": {}, "sheet": None})


def _save(state: CalendarState, draft: Draft) -> Update[CalendarState]:
    if errors := errors_of(draft):
        return Update(state.model_copy(update={"errors": errors}))
    meeting = meeting_of(draft, state.meetings.get(draft.id))
    if not draft.id:
        meeting = meeting.model_copy(update={"id": str(state.counter + 1)})
    changes = {"meetings": {**state.meetings, meeting.id: meeting}, "counter": state.counter + (not draft.id),
               "open": meeting.id, "day": meeting.start[:10]}  # fmt: skip
    return Update(_closed(state.model_copy(update=changes)), (Submitted(), Toast("Event saved")))


def _invited(state: CalendarState, data: Mapping[str, str]) -> Update[CalendarState]:
    """An invitation that came from outside; one that says no time is only reported."""
    sender, name = data.get("from", "") or "Somebody", str(state.counter + 1)
    start, end = read_moment(data.get("start", "")), read_moment(data.get("end", ""))
    if start is None or end is None or end <= start:
        return Update(state, (Toast(f"An invitation from {sender} has no valid time"),))
    people = tuple(part.strip() for part in data.get("attendees", "").split(",") if part.strip())
    meeting = Meeting(id=name, title=data.get("title", "") or "Meeting", start=start, end=end, place=data.get("place", ""),
                      attendees=people or (sender,), description=data.get("description", ""), answer="invited",
                      organizer=sender)  # fmt: skip
    changes = {"meetings": {**state.meetings, name: meeting}, "counter": state.counter + 1}
    return Update(state.model_copy(update=changes), (Toast(f"Invitation from {sender}: {meeting.title}"),))
