"""Calendar: events by month, week, day or as an agenda; invitations, and the user's own answers to them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Self

from pydantic import Field, model_validator

from environments.effects import Effect as Does
from environments.simulated import app as sim
from environments.simulated.apps.common.record_list import (
    SheetEvent,
    form_opened,
    form_update,
    leafed,
    list_update,
    question,
    refuse_twice,
    with_ids,
)
from environments.simulated.apps.office.calendar.agent import FUNCTIONS, answer_request
from environments.simulated.apps.office.calendar.state import (
    PAGE_SIZE,
    VIEWS,
    Answer,
    CalendarState,
    Draft,
    KnownDay,
    Meeting,
    View,
    generated,
    later,
    month_start,
    read_day,
    read_moment,
    read_time,
)
from environments.simulated.apps.office.calendar.view import DAYS, LABELS, draft_of, errors_of, left, meeting_of, new_draft, page
from environments.simulated.screen.widgets import Widget
from environments.simulated.world.values import highest, how_many, mail_address, slug


class CalendarContent(sim.Content):
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
        refuse_twice("events: the id", [event.id for event in self.events or ()])
        return self


class Calendar(sim.App[CalendarContent, CalendarState]):
    """Appointments."""

    name = "calendar"
    title = "Calendar"
    words = ("calendar", "event", "events", "meeting", "meetings", "appointment", "appointments", "schedule")
    looks = frozenset({"counter", "day", "view", "goto", "goto_error", "open", "sheet"})
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
        sim.Meaning("reminded", None),
    )
    timed = True
    functions = FUNCTIONS
    agent = staticmethod(answer_request)

    def start(self, content: CalendarContent, setting: sim.Setting) -> CalendarState:
        today = setting.cast.today.isoformat()
        empty = CalendarState(
            meetings={}, today=today, hours=content.hours, counter=0, day=content.day or today, view=content.view
        )
        many = how_many(content.events, content.generate, 12, setting.cast.times)
        meetings = with_ids((*(content.events or ()), *generated(many, setting)))
        return empty.replace(meetings=meetings, counter=highest(meetings))

    def view(self, state: CalendarState) -> tuple[Widget, ...]:
        return page(state)

    def update(self, state: CalendarState, event: sim.Event) -> sim.Update[CalendarState]:
        match event:
            case sim.Arrived(topic="invitation", data=data):
                return _invited(state, data)
            case sim.Passed():
                return _reminded(state)
            case sim.Arrived(topic="new-event", data=data):
                return sim.Update(form_opened(state, new_draft(state, data)))
        if (turned := leafed(state.sheet, event, _days(state), state.today)) is not None:
            return sim.Update(_picked(state, turned))
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


def _picked(state: CalendarState, turned: SheetEvent) -> CalendarState:
    """A day from the calendar sheet counts as one that was written, and is gone to at once on the other pages."""
    state = state.replace(sheet=turned.sheet)
    if not turned.day:
        return state
    if state.draft is None:
        return _looked(state.replace(goto=turned.day), sim.Pressed("go"))
    written = _editing(state, state.draft, sim.Edited(turned.field, turned.day)).state
    return _editing(written, written.draft or state.draft, sim.Left(turned.field)).state


def _reminded(state: CalendarState) -> sim.Update[CalendarState]:
    """A notification for each event that is soon."""
    soon = state.reminders() if state.moment else []
    if not soon:
        return sim.Update(state)
    told = tuple(f"{one.meeting.id}@{one.start}" for one in soon)
    notices = tuple(sim.Notice(one.meeting.title, ", ".join(filter(None, (one.start, one.meeting.place)))) for one in soon)
    return sim.Update(state.replace(reminded=(*state.reminded, *told)), notices)


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
        case sim.Edited() | sim.Pressed(key="search" | "clear" | "go" | "next" | "previous"):
            return sim.Update(_looked(state, event))
        case sim.Pressed() | sim.Shortcut():
            return sim.Update(_walked(state, event))
    return sim.Update(state)


def _looked(state: CalendarState, event: sim.Edited | sim.Pressed) -> CalendarState:
    """Searching, going to a date, and paging."""
    match event:
        case sim.Edited(key="goto", value=value):
            return state.replace(goto=value, goto_error="")
        case sim.Pressed(key="go"):
            day = read_day(state.goto)
            if day is None:
                return state.replace(goto_error="Go to date must be a day like 2026-03-31")
            return _shown(state, day).replace(goto="", goto_error="")
    return list_update(state, event, lambda: state.listed(), PAGE_SIZE) or state


def _walked(state: CalendarState, event: sim.Pressed | sim.Shortcut) -> CalendarState:
    """From day to day, and from view to view."""
    views = {slug(name): name for name in VIEWS}
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
    return state.replace(day=read_day(day) or state.day, page=1, applied="", query="")


def _step(state: CalendarState, way: int) -> str:
    if state.view == "Month":
        return month_start(state.day, way)
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
            rest = {name: other for name, other in state.meetings.items() if name != meeting.id}
            return sim.Update(state.replace(meetings=rest, open=""), (sim.Toast("Event deleted"),))
    return sim.Update(state)


def _answered(state: CalendarState, meeting: Meeting, answer: Answer) -> sim.Update[CalendarState]:
    changed = meeting.replace(answer=answer)
    toast = sim.Toast(f"Invitation {answer}")
    return sim.Update(state.replace(meetings={**state.meetings, meeting.id: changed}), (toast,))


def _editing(state: CalendarState, draft: Draft, event: sim.Event) -> sim.Update[CalendarState]:
    match event:
        case sim.Pressed(key="save") | sim.Shortcut(chord="Control+s" | "Meta+s"):
            if errors := errors_of(draft):
                return sim.Update(state.replace(errors=errors))
            meeting = meeting_of(draft, state.meetings.get(draft.id))
            if not draft.id:
                meeting = meeting.replace(id=str(state.counter + 1))
            changes = {"meetings": {**state.meetings, meeting.id: meeting}, "counter": state.counter + (not draft.id),
                       "open": meeting.id, "day": meeting.start[:10]}  # fmt: skip
            saved = form_opened(state.model_copy(update={**changes, "sheet": None}), None)
            return sim.Update(saved, (sim.Submitted(), sim.Toast("Event saved")))
    after, effects = form_update(state, draft, event, "event", LABELS, left) or sim.Update(state)
    return sim.Update(after if after.draft else after.replace(sheet=None), effects)


def _invited(state: CalendarState, data: Mapping[str, str]) -> sim.Update[CalendarState]:
    """An invitation that came from outside; one that says no time is only reported."""
    sender, name = data.get("from", "") or "Somebody", str(state.counter + 1)
    start, end = read_moment(data.get("start", "")), read_moment(data.get("end", ""))
    if start is None or end is None or end <= start:
        return sim.Update(state, (sim.Toast(f"An invitation from {sender} has no valid time"),))
    people = tuple(part.strip() for part in data.get("attendees", "").split(",") if part.strip())
    meeting = Meeting(id=name, title=data.get("title", "") or "Meeting", start=start, end=end, place=data.get("place", ""),
                      attendees=people or (sender,), description=data.get("description", ""), answer="invited",
                      organizer=sender)  # fmt: skip
    changes = {"meetings": {**state.meetings, name: meeting}, "counter": state.counter + 1}
    return sim.Update(state.replace(**changes), (sim.Toast(f"Invitation from {sender}: {meeting.title}"),))
