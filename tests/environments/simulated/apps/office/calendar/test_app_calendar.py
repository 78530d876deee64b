"""Calendar: going through days, writing events, answering invitations; its functions and its agent."""

import json
from pathlib import Path

import pytest

from environments.simulated.app import Arrived, Toast
from environments.simulated.apps import APPS
from environments.simulated.apps.office.calendar.state import (
    read_moment,
    read_time,
)
from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.world.worldfile import parse_world
from protocol import AskInAppAgent

WORLD = Path(__file__).with_name("calendar.yaml").read_text(encoding="utf-8")


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
        h.click("Month", "10")
        assert h.texts("heading") == ["Tue 10 March 2026"]
        assert h.texts("link")[:2] == ["Standup", "Kickoff"]
        h.type("bo room", "Search events", submit=True)
        assert h.texts("link") == ["Budget review"]
        h.click("Budget review")
        assert h.value_of("When") == "Thu 5 March 2026, 10:00–11:30"
        h.click("Back to calendar", "Clear search")
        assert h.texts("heading") == ["Tue 10 March 2026"]

    def test_going_to_a_date(self, h):
        h.type("soon", "Go to date", submit=True)
        assert h.texts("alert") == ["Go to date must be a day like 2026-03-31"]
        h.fill("Go to date", "24 December 2027")
        h.click("Go")
        assert h.texts("heading") == ["December 2027"]
        for day, way, month in (("2199-12-31", "Next", "December 2199"), ("1900-01-01", "Previous", "January 1900")):
            h.type(day, "Go to date", submit=True)
            h.click(f"{way} month")
            assert h.texts("heading") == [month], "the last and the first year are the end"


class TestWriting:
    def test_a_new_event_is_saved_and_shown(self, h):
        h.press("Control+n")
        h.fills({"Title": "Lunch", "Start date": "6 March 2026", "Start time": "12.30"})
        h.click("Place")
        got = [h.element(name).value for name in ("Start date", "Start time", "End date", "End time")]
        assert got == ["2026-03-06", "12:30", "2026-03-06", "13:30"]
        h.fills({"Place": "Cafe", "Attendees": "Ann Lee; cy@x.org"})
        h.select("Repeats", "Weekly")
        h.fill("Repeat until", "2026-04-30")
        h.select("Reminder", "1 hour before")
        h.press("Control", "s")
        assert h.texts("heading") == ["Lunch"]
        assert h.value_of("Repeats") == "Weekly until 2026-04-30"
        made = meetings(h)["4"]
        assert (made["start"], made["end"]) == ("2026-03-06 12:30", "2026-03-06 13:30")
        assert made["attendees"] == ["Ann Lee", "cy@x.org"]
        h.click("Email attendees")
        assert (h.screen.app, h.element("To").value) == ("mail", "ann.lee@example.com, cy@x.org")

    @pytest.mark.parametrize(
        ("fields", "leave", "said"),
        [
            ({"Start time": "late"}, "Place", ["Start time must be a time like 09:30"]),
            ({"Start time": "9 am", "End time": "8:00"}, "Place", ["End must be after start"]),
            ({"Title": "Call", "Start time": "11:00"}, "Title", ["Overlaps with Budget review, Thu 5 March 2026, 10:00–11:30"]),
            ({"Start date": "2026-02-30", "End time": ""}, "Save",
             ["Title is required", "Start date must be a day like 2026-03-31", "End time is required"]),
            ({"Title": "Trip", "End date": "2026-03-08", "Repeats": "Daily"}, "Save",
             ["This event is too long to repeat daily"]),
        ],
    )  # fmt: skip
    def test_what_is_wrong_is_said_when_a_field_is_left_or_the_event_saved(self, h, fields, leave, said):
        h.click("New event")
        for label, value in fields.items():
            h.fill(label, value)
        h.click(leave)
        assert h.texts("alert") == said
        assert len(meetings(h)) == 4
        if leave == "Title":
            h.click("Save")
            assert h.texts("heading") == ["Call"], "an overlap is a warning only"

    def test_editing_discarding_and_deleting(self, h):
        h.click("10:00 Budget review", "Edit", "Cancel", "Edit")
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
        h.click("Back to calendar")
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
        h.call("calendar.create_event", title="Fair", start="2026-03-19 10:00", end="2026-03-23 16:00")
        (during,) = h.call("calendar.list_events", first="2026-03-21", last="2026-03-21")["events"]
        assert during["title"] == "Fair", "it began before and ends after"
        assert sum("Fair" in link for link in h.texts("link")) == 5
        assert h.call("calendar.get_event", id="1")["description"] == "Bring numbers"

    def test_making_changing_answering_and_deleting(self, h):
        made = h.call(
            "calendar.create_event", title="Call", start="2026-03-05T11:00", end="2026-03-05 12:00", attendees=["Ann Lee"]
        )
        assert [o["title"] for o in made["overlaps"]] == ["Budget review"]
        name = made["event"]["id"]
        changed = h.call("calendar.update_event", id=name, end="2026-03-05 11:15", place="Online")
        assert changed["event"]["end"] == "2026-03-05 11:15"
        assert "Event saved" in h.texts("status")
        assert h.call("calendar.delete_event", id=name) == {"deleted": name}
        assert name not in meetings(h)
        assert h.call("calendar.answer_invitation", id="kick", answer="declined")["event"]["answer"] == "declined"

    def test_bad_arguments_change_nothing(self, h):
        h.refuses(
            "calendar",
            ("create_event", {"title": "x", "start": "tomorrow", "end": "2026-03-05 12:00"}, "calendar.create_event: start"),
            ("create_event", {"title": "x", "start": "2026-03-05 13:00", "end": "2026-03-05 12:00"}, "End must be after start"),
            ("create_event", {"title": " ", "start": "2026-03-05 13:00", "end": "2026-03-05 14:00"}, "Title is required"),
            ("get_event", {"id": "99"}, "no event with the id '99'"),
            ("list_events", {"first": "2026-03-05", "last": "2026-03-01"}, "last is before first"),
            ("list_events", {"first": "1990-03-05", "last": "2026-03-01"}, "year by year"),
            ("answer_invitation", {"id": "1", "answer": "accepted"}, "not an invitation"),
        )


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
            ("accept Party", "there is no such event as 'Party'"),
            ("what do I have someday", "'someday' is no day"),
            ("x" * 400, "does not understand"),
        ],
    )
    def test_what_it_does_not_do_is_said(self, h, request_, said):
        before = h.app("calendar")
        assert said in ask(h, request_)
        assert h.app("calendar") == before


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
