"""Fingers on a phone: taps, long presses, swipes, and the gestures for back, home and the app before."""

from environments.simulated.apps import APPS
from protocol import ActionTarget, Click, Drag, GoBack, Hover, Point

WORLD = """
form: phone
today: 2026-03-05
apps:
  mail:
    messages:
      - {id: one, subject: First, from: ann@x.org, body: Hello}
      - {id: two, subject: Second, from: bob@x.org, body: Hello}
    generate: 0
  notes: {notes: [{title: List, body: milk}]}
  billing: {generate: 40}
open: [mail]
"""


def at(h, text: str, role: str | None = None) -> Point:
    return next(e for e in h.screen.elements if e.text == text and role in (None, e.role)).bbox.center


def swipe(h, text: str, dx: int, dy: int = 0):
    start = at(h, text)
    return h.do(Drag(target=ActionTarget(text=text), to=ActionTarget(point=Point(x=start.x + dx, y=start.y + dy))))


def folder(h, name: str) -> str:
    return h.app("mail")["messages"][name]["folder"]


class TestSwipes:
    def test_a_row_to_the_left_is_archived_and_to_the_right_is_marked_as_read(self, h):
        assert swipe(h, "First", -90, 120).ok, "goes where it goes most"
        assert folder(h, "one") == "Inbox"
        assert swipe(h, "First", -120, 90).ok
        assert (folder(h, "one"), folder(h, "two")) == ("Archive", "Inbox")
        assert swipe(h, "Second", 120).ok
        assert h.app("mail")["messages"]["two"] | {"unread": False} == h.app("mail")["messages"]["two"]
        assert folder(h, "two") == "Inbox"

    def test_up_shows_what_is_further_down_whatever_lies_below_the_finger(self, h):
        h.launch("billing")
        before = h.screen.elements
        lowest = next(e for e in reversed(before) if not e.visible)
        assert h.do(Drag(target=ActionTarget(point=Point(x=200, y=700)), to=ActionTarget(point=Point(x=195, y=250)))).ok
        after = next(e for e in h.screen.elements if e.track_id == lowest.track_id)
        assert after.bbox.y1 == lowest.bbox.y1 - 450 or after.visible
        assert h.do(Drag(target=ActionTarget(point=Point(x=200, y=250)), to=ActionTarget(point=Point(x=200, y=740)))).ok
        assert [e.bbox for e in h.screen.elements] == [e.bbox for e in before]

    def test_what_cannot_be_swiped_and_what_is_no_swipe_are_said(self, h):
        assert "swipe up or down" in swipe(h, "Compose", 150).error
        assert "at least 24 pixels" in swipe(h, "First", 10).error
        assert folder(h, "one") == "Inbox"


class TestPresses:
    def test_a_long_press_opens_the_menu_of_the_thing_and_does_not_open_the_thing(self, h):
        assert h.do(Click(target=ActionTarget(text="First"), hold=0.6)).ok
        assert "Mark as read" in h.texts("menuitem")
        assert h.app("mail")["selected"] == ["one"]
        assert h.app("mail")["open"] == ""
        h.click("Mark as read")
        assert not h.app("mail")["messages"]["one"]["unread"]

    def test_a_short_press_is_a_tap_and_a_long_one_presses_no_button(self, h):
        assert h.do(Click(target=ActionTarget(text="Compose"), hold=1)).ok
        assert h.app("mail")["compose"] is None
        h.do(Click(target=ActionTarget(text="First"), hold=0.3))
        assert h.app("mail")["open"] == "one"

    def test_a_long_press_in_a_field_selects_what_is_in_it(self, h):
        h.launch("notes")
        h.click("List")
        h.do(Click(target=ActionTarget(text="Title"), hold=1))
        h.type("Shopping")
        assert h.value("Title") == "Shopping"

    def test_what_only_a_mouse_can_do_is_refused_with_what_to_do_instead(self, h):
        before = h.app("mail")
        for action in (Hover(target=ActionTarget(text="First")), Click(target=ActionTarget(text="First"), button="right")):
            assert "click with hold" in h.do(action).error
        assert h.app("mail") == before


class TestWaysBack:
    def test_back_closes_what_may_be_closed_then_the_page_then_the_app(self, h):
        h.launch("notes")
        h.click("List")
        h.fill("Body", "milk and bread")
        assert h.do(GoBack()).ok
        assert h.screen.modal is not None
        assert h.do(GoBack()).ok
        assert h.screen.modal is None
        assert h.element("Body").value == "milk and bread"
        h.click("Save")
        h.do(GoBack())
        assert "All notes" in h.texts()
        h.do(GoBack())
        assert h.screen.app is None
        assert {"Mail", "Notes", "Billing"} <= set(h.texts("button"))

    def test_back_does_not_answer_a_dialog_that_wants_an_answer(self, hand):
        h = hand(WORLD + "events: [{popup: {title: Pay, buttons: [Pay now, Never], kind: payment}}]\n")
        said = h.do(GoBack()).error
        assert "choose one of: Pay now, Never" in said
        assert "a dialog" in h.press("GoHome").error
        assert h.screen.modal is not None

    def test_home_puts_apps_away_as_they_are_and_an_icon_brings_them_back(self, h):
        for key in ("GoBack", "BrowserBack"):
            h.click("First")
            h.press(key)
            assert h.app("mail")["open"] == ""
        h.click("First")
        h.press("GoHome")
        assert h.screen.app is None
        h.click("Mail")
        assert h.screen.app == "mail"
        assert h.app("mail")["open"] == "one"
        assert "no other app" in h.press("AppSwitch").error
        h.launch("notes")
        h.press("AppSwitch")
        assert h.screen.app == "mail", "the app before"

    def test_a_desktop_knows_none_of_it(self, hand):
        h = hand(WORLD.replace("form: phone", "form: desktop"))
        assert not h.do(GoBack()).ok
        h.press("GoHome")
        assert h.screen.app == "mail"
        assert h.do(Hover(target=ActionTarget(text="First"))).ok


def test_every_app_stays_within_the_width_of_a_phone(hand):
    h = hand("form: phone\napps: {" + ", ".join(f"{name}: {{}}" for name in APPS) + "}\n")
    assert h.screen.screen_resolution == (390, 844)
    icons = [e.bbox for e in h.screen.elements if e.role == "button"]
    assert len({box.y1 for box in icons}) < len(icons), "they stand side by side"
    for name in APPS:
        assert h.launch(name).ok
        assert [e.track_id for e in h.screen.elements if e.bbox.x2 > 390 or e.bbox.x1 < 0] == []
