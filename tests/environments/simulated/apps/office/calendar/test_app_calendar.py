"""Calendar: going through days, writing events, answering invitations; its functions and its agent."""

from __future__ import annotations

import json

import pytest
from worlds.effort import at_most

from environments.simulated.app import Arrived, Toast
from environments.simulated.apps import APPS
from environments.simulated.apps.office.calendar.state import read_moment, read_time
from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.world.worldfile import parse_world
from protocol import AskInAppAgent

WORLD = """
today: 2026-03-05
apps:
  calendar:
    events:
      - {title: Budget review, start: 2026-03-05 10:00, end: 2026-03-05 11:30, place: Room 1, attendees: [Ann Lee, Bo Ek],
         description: Bring numbers}
      - {title: Standup, start: 2026-03-02 09:00, end: 2026-03-02 09:15, repeat: Daily, until: 2026-03-13, attendees: [Ann Lee]}
      - {title: Yoga, start: 2026-03-03 18:00, end: 2026-03-03 19:00, repeat: Weekly}
      - {id: kick, title: Kickoff, start: 2026-03-10 13:00, end: 2026-03-10 14:00, answer: invited, organizer: Joanna Ray}
  mail: {messages: []}
open: [calendar]
"""


def meetings(h):
    return h.app("calendar")["meetings"]


def ask(h, request):
    result = h.do(AskInAppAgent(app="calendar", request=request))
    return json.loads(result.output) if result.ok else result.error


class TestLooking:
    def test_a_month_shows_every_week_and_what_takes_place(self, h):
        assert h.texts("heading") == ["March 2026"]
        assert h.texts("columnheader") == ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
        links = h.texts("link")
        assert (links[0], links[-1]) == ("23 Feb", "5 Apr")
        assert links.count("09:00 Standup") == 12
        assert (links.count("18:00 Yoga"), links.count("+1 more")) == (4, 1)
        assert h.element("5").selected

    def test_from_month_to_month_and_back_to_today(self, h):
        h.click("Next month")
        h.press("Alt+ArrowRight")
        assert h.texts("heading") == ["May 2026"]
        h.click("Today", "Previous month")
        assert h.texts("heading") == ["February 2026"]
        h.press("Alt", "Home")
        assert h.texts("heading") == ["March 2026"]

    def test_every_view_by_its_tab(self, h):
        h.click("Week")
        assert h.texts("heading") == ["Week of Mon 2 March 2026"]
        assert h.texts("link").count("09:00 Standup") == 7
        h.click("Next week")
        assert "13:00 Kickoff (invitation)" in h.texts("link")
        h.click("Previous week", "Day")
        assert h.texts("heading") == ["Thu 5 March 2026"]
        h.click("Today")
        assert [c for c in h.texts("cell") if "–" in c] == ["09:00–09:15", "10:00–11:30"]
        h.click("Next day")
        assert "Budget review" not in h.texts("link")
        h.click("Agenda")
        assert h.texts("heading") == ["Agenda from Fri 6 March 2026"]
        assert "Kickoff" in h.texts("link")
        h.click("Invitations")
        assert "Accept Kickoff" in h.texts("button")

    def test_a_day_of_the_month_opens_it(self, h):
        h.click("10")
        assert h.texts("heading") == ["Tue 10 March 2026"]
        assert h.texts("link")[:2] == ["Standup", "Kickoff"]

    def test_going_to_a_date(self, h):
        h.type("soon", "Go to date", submit=True)
        assert h.texts("alert") == ["Go to date must be a day like 2026-03-31"]
        h.fill("Go to date", "24 December 2027")
        h.click("Go")
        assert h.texts("heading") == ["December 2027"]

    def test_searching(self, h):
        h.type("bo room", "Search events", submit=True)
        assert h.texts("link") == ["Budget review"]
        h.click("Budget review")
        assert h.value_of("When") == "Thu 5 March 2026, 10:00–11:30"
        assert "Bring numbers" in h.texts("text")
        h.click("Back to calendar", "Clear search")
        assert h.texts("heading") == ["March 2026"]

    def test_the_last_and_the_first_year_are_the_end(self, h):
        h.type("2199-12-31", "Go to date", submit=True)
        h.click("Next month")
        assert h.texts("heading") == ["December 2199"]
        h.type("1900-01-01", "Go to date", submit=True)
        h.click("Previous month")
        assert h.texts("heading") == ["January 1900"]

    def test_what_lasts_over_midnight_stands_on_each_day(self, hand):
        h = hand("""
            today: 2026-03-05
            apps: {calendar: {view: Week, events: [{title: Trip, start: 2026-03-03 20:00, end: 2026-03-05 00:00}]}}
            open: [calendar]""")
        assert h.texts("link").count("20:00 Trip") == 2


class TestWriting:
    def test_a_new_event_is_saved_and_shown(self, h):
        h.press("Control+n")
        h.fill("Title", "Lunch")
        h.fill("Start date", "6 March 2026")
        h.fill("Start time", "12.30")
        h.click("Place")
        got = [h.element(name).value for name in ("Start date", "Start time", "End date", "End time")]
        assert got == ["2026-03-06", "12:30", "2026-03-06", "13:30"]
        h.fill("Place", "Cafe")
        h.fill("Attendees", "Ann Lee; cy@x.org")
        h.select("Repeats", "Weekly")
        h.fill("Repeat until", "2026-04-30")
        h.select("Reminder", "1 hour before")
        h.press("Control", "s")
        assert h.texts("heading") == ["Lunch"]
        assert h.value_of("Repeats") == "Weekly until 2026-04-30"
        made = meetings(h)["4"]
        assert (made["start"], made["end"], made["attendees"]) == (
            "2026-03-06 12:30",
            "2026-03-06 13:30",
            ["Ann Lee", "cy@x.org"],
        )
        h.click("Email attendees")
        assert (h.screen.app, h.element("To").value) == ("mail", "ann.lee@example.com, cy@x.org")

    def test_a_field_is_checked_when_it_is_left(self, h):
        h.click("New event")
        h.fill("Start time", "late")
        assert h.texts("alert") == []
        h.click("Place")
        assert h.texts("alert") == ["Start time must be a time like 09:30"]
        h.fill("Start time", "9 am")
        h.fill("End time", "8:00")
        h.click("Place")
        assert h.texts("alert") == ["End must be after start"]

    def test_saving_names_everything_that_is_wrong(self, h):
        h.click("New event")
        h.fill("Start date", "2026-02-30")
        h.fill("End time", "")
        h.click("Save")
        assert h.texts("alert") == ["Title is required", "Start date must be a day like 2026-03-31", "End time is required"]
        assert h.element("Start date").invalid
        assert len(meetings(h)) == 4

    def test_what_is_too_long_cannot_repeat(self, h):
        h.click("New event")
        h.fill("Title", "Trip")
        h.fill("End date", "2026-03-08")
        h.select("Repeats", "Daily")
        h.click("Save")
        assert h.texts("alert") == ["This event is too long to repeat daily"]

    def test_an_overlap_is_a_warning_only(self, h):
        h.click("New event")
        h.fill("Title", "Call")
        h.fill("Start time", "11:00")
        h.click("Title")
        assert h.texts("alert") == ["Overlaps with Budget review, Thu 5 March 2026, 10:00–11:30"]
        assert h.click("Save").ok
        assert h.texts("heading") == ["Call"]

    def test_editing_and_discarding(self, h):
        h.click("10:00 Budget review", "Edit", "Cancel")
        assert h.texts("heading") == ["Budget review"]
        h.click("Edit")
        h.fill("Title", "Money")
        h.click("Cancel")
        assert h.screen.modal is not None
        h.press("Escape")
        h.click("Save")
        assert meetings(h)["1"]["title"] == "Money"
        h.click("Edit")
        h.fill("Title", "Other")
        h.click("Cancel", "Discard changes")
        assert h.texts("heading") == ["Money"]

    def test_deleting_asks_first(self, h):
        h.type("yoga", "Search events", submit=True)
        h.click("Yoga", "Delete")
        assert any("all its repetitions" in said for said in h.texts("text"))
        h.press("Escape")
        assert "3" in meetings(h)
        h.click("Delete", "Delete event")
        assert "3" not in meetings(h)
        assert "No events" in h.texts()


class TestInvitations:
    def test_accepting_and_declining(self, h):
        assert "Invitations to answer: 1" in h.texts()
        h.click("Invitations", "Accept Kickoff")
        assert meetings(h)["kick"]["answer"] == "accepted"
        assert "No invitations" in h.texts()
        h.type("kick", "Search events", submit=True)
        h.click("Kickoff")
        assert h.click("Accept").error == "Accept is disabled"
        h.click("Decline")
        assert h.value_of("Answer") == "Declined"
        h.click("Back to calendar", "Month")
        assert not any("Kickoff" in link for link in h.texts("link"))

    def test_one_that_arrives_waits_for_an_answer(self):
        app = APPS["calendar"]
        state = SimulatedDesktop(parse_world(WORLD))._world.apps["calendar"]
        data = {"title": "Demo", "from": "Cy", "start": "2026-03-09 15:00", "end": "2026-03-09 16:00", "attendees": "Cy, Ann"}
        update = app.update(state, Arrived("invitation", data))
        made = update.state.meetings["4"]
        assert (made.answer, made.organizer, made.attendees) == ("invited", "Cy", ("Cy", "Ann"))
        assert update.effects == (Toast("Invitation from Cy: Demo"),)
        bad = app.update(state, Arrived("invitation", {"from": "Cy", "start": "soon"}))
        assert bad.state is state
        assert bad.effects == (Toast("An invitation from Cy has no valid time"),)


class TestFunctions:
    def test_listing_finding_and_getting(self, h):
        got = h.call("calendar.list_events", first="2026-03-10", last="10 March 2026")
        assert [e["title"] for e in got["events"]] == ["Standup", "Kickoff", "Yoga"]
        assert h.call("calendar.find_events", query="budget")["events"][0]["id"] == "1"
        assert h.call("calendar.get_event", id="1")["description"] == "Bring numbers"

    def test_making_changing_answering_and_deleting(self, h):
        made = h.call(
            "calendar.create_event", title="Call", start="2026-03-05T11:00", end="2026-03-05 12:00", attendees=["Ann Lee"]
        )
        assert [o["title"] for o in made["overlaps"]] == ["Budget review"]
        name = made["event"]["id"]
        assert (
            h.call("calendar.update_event", id=name, end="2026-03-05 11:15", place="Online")["event"]["end"] == "2026-03-05 11:15"
        )
        assert "Event saved" in h.texts("status")
        assert h.call("calendar.delete_event", id=name) == {"deleted": name}
        assert name not in meetings(h)
        assert h.call("calendar.answer_invitation", id="kick", answer="declined")["event"]["answer"] == "declined"

    @pytest.mark.parametrize(
        ("function", "arguments", "said"),
        [
            ("create_event", {"title": "x", "start": "tomorrow", "end": "2026-03-05 12:00"}, "calendar.create_event: start"),
            ("create_event", {"title": "x", "start": "2026-03-05 13:00", "end": "2026-03-05 12:00"}, "End must be after start"),
            ("create_event", {"title": " ", "start": "2026-03-05 13:00", "end": "2026-03-05 14:00"}, "Title is required"),
            ("create_event", {"titel": "x"}, "it takes title, start, end"),
            ("update_event", {"id": "1", "end": "2026-03-05 09:00"}, "End must be after start"),
            ("get_event", {"id": "99"}, "no event with the id '99'"),
            ("list_events", {"first": "2026-03-05", "last": "2026-03-01"}, "last is before first"),
            ("list_events", {"first": "1990-03-05", "last": "2026-03-01"}, "year by year"),
            ("list_events", {"first": "", "last": ""}, "first"),
            ("answer_invitation", {"id": "1", "answer": "accepted"}, "not an invitation"),
            ("paint", {}, "no function 'paint'; its functions are: list_events"),
        ],
    )
    def test_bad_arguments_change_nothing(self, h, function, arguments, said):
        before = h.app("calendar")
        assert said in h.call(f"calendar.{function}", **arguments)
        assert h.app("calendar") == before

    def test_only_what_changes_something_says_that_it_writes(self, hand):
        offered = {f.name: f.writes for f in hand(WORLD).desktop.functions() if f.app == "calendar"}
        assert [name for name, writes in offered.items() if writes] == [
            "create_event", "update_event", "delete_event", "answer_invitation",
        ]  # fmt: skip


class TestAgent:
    def test_it_answers_an_invitation(self, h):
        assert ask(h, "Accept the invitation to Kickoff.")["answer"] == "Accepted: Kickoff on Tue 10 March 2026"
        assert meetings(h)["kick"]["answer"] == "accepted"

    def test_it_lists(self, h):
        assert ask(h, "show my events next week")["count"] == 7
        assert [e["title"] for e in ask(h, "what do I have today?")["events"]] == ["Standup", "Budget review"]

    @pytest.mark.parametrize(
        ("request_", "said"),
        [
            ("bake a cake", "Calendar does not understand 'bake a cake'; it can: what do I have on 5 March?"),
            ("delete Yoga", "does not understand"),
            ("accept Party", "there is no such event as 'Party'"),
            ("what do I have someday", "'someday' is no day"),
            ("x" * 400, "does not understand"),
        ],
    )
    def test_what_it_does_not_do_is_said(self, h, request_, said):
        before = h.app("calendar")
        assert said in ask(h, request_)
        assert h.app("calendar") == before


@pytest.mark.parametrize("view", ["Month", "Week", "Day", "Agenda", "Invitations"])
def test_a_thousand_events_come_in_parts(hand, view):
    h = hand(f"today: 2026-03-05\napps: {{calendar: {{generate: 1000, view: {view}}}}}\nopen: [calendar]")
    assert len(meetings(h)) == 1000
    assert len(h.screen.elements) < 250
    with at_most(1):
        h.click("Today")
    if view == "Month":
        assert any(text.endswith(" more") for text in h.texts("link"))
    elif view in ("Agenda", "Invitations"):
        h.click("Next")
        assert any(text.startswith("Page 2 of ") for text in h.texts())
        h.click("Previous")


@pytest.mark.parametrize(
    ("said", "read"),
    [("9:30", "09:30"), ("930", "09:30"), ("9.30 PM", "21:30"), ("12 am", "00:00"), ("12pm", "12:00"), ("24:00", None),
     ("13 pm", None), ("9:60", None), ("", None), ("soon", None), ("٩:30", None), ("9" * 50, None)],
)  # fmt: skip
def test_times_are_read_in_the_usual_notations(said, read):
    assert read_time(said) == read


@pytest.mark.parametrize(
    ("said", "read"),
    [("2026-03-05 9:30", "2026-03-05 09:30"), ("2026-03-05T09:30:00", "2026-03-05 09:30"),
     ("5 March 2026, 2 pm", "2026-03-05 14:00"),
     ("2026-03-05", None), ("9:30", None), ("1200-01-01 10:00", None), ("x" * 5000, None)],
)  # fmt: skip
def test_moments_are_a_day_and_a_time(said, read):
    assert read_moment(said) == read
