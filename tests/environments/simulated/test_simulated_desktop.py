"""The desktop itself: windows, focus, keys, dialogs, scrolling, and actions that are performed once."""

from __future__ import annotations

import json
import sqlite3

import pytest

from environments.contract import DigestMismatch, EnvironmentFault, WorldError
from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.world.worldfile import load_world, parse_world
from protocol import (
    ActionTarget,
    Click,
    FinishGoal,
    Hover,
    Memorize,
    PressKey,
    Screenshot,
    SwitchWindow,
    Type,
    VisualState,
    Wait,
)

TWO = """
user: Mara Lind
apps:
  notes: {notes: [{title: Plan, body: one}]}
  settings: {phone: "1"}
open: [notes, settings]
"""
WORLD = "user: Mara Lind\napps: {reimbursement: , notes: {notes: []}}\nopen: [reimbursement]"
LOW = "screen: [800, 300]\n" + WORLD


def test_the_first_open_app_has_the_focus(hand):
    h = hand(TWO)
    assert h.screen.app == "notes"
    assert [(w.app, w.focused) for w in h.screen.windows] == [("notes", True), ("settings", False)]


def test_windows_are_switched_by_id_app_or_key(hand):
    h = hand(TWO)
    assert h.do(SwitchWindow(window="win-settings")).ok
    assert h.screen.app == "settings"
    h.press("Alt", "Tab")
    assert h.screen.app == "notes"
    assert h.do(SwitchWindow(window="Settings")).ok
    assert h.do(SwitchWindow(window="mail")).error == "there is no window 'mail'; open windows are: notes, settings"


def test_a_bare_desktop_shows_an_icon_for_each_app(hand):
    h = hand(TWO)
    h.press("Alt", "F4")
    h.press("Control", "w")
    assert (h.screen.app, h.texts("button"), h.screen.windows) == (None, ["Notes", "Settings"], ())
    h.click("Settings")
    assert h.screen.app == "settings"
    h.press("Meta", "d")
    assert h.screen.app is None
    assert h.screen.windows[0].minimized


def test_an_unknown_app_is_refused_with_the_nearest(hand):
    said = hand(TWO).launch("setings").error
    assert said.startswith("there is no app 'setings'; did you mean settings?")


def test_a_closed_app_keeps_its_state(hand):
    h = hand(TWO)
    h.click("Plan")
    h.press("Alt", "F4")
    h.launch("notes")
    assert h.element("Body").value == "one"


def test_peek_reads_a_window_without_focusing_it(hand):
    h = hand(TWO)
    before = h.screen
    peeked = h.desktop.peek("settings")
    assert peeked.app == "settings"
    assert any(e.text == "Account name" for e in peeked.elements)
    assert h.screen == before
    assert hand(WORLD).desktop.peek("notes") is None


def test_typing_appends_and_filling_replaces(h):
    assert h.type("x").error == "nothing has the focus; click a field first"
    h.type("12", "Amount")
    h.type(".5")
    assert h.element("Amount").value == "12.5"
    h.fill("Amount", "7")
    assert h.element("Amount").value == "7"
    assert h.type("x", "My claims").error.endswith("not a field")
    assert h.fill("Expense claim", "x").error == '"Expense claim" is a heading and takes no keys'


def test_the_caret_can_be_moved(h):
    h.type("bd", "Vendor")
    h.press("ArrowLeft")
    h.type("c")
    h.press("Home")
    h.press("Delete")
    h.press("Shift", "a")
    h.press("End")
    h.press("Backspace")
    assert h.element("Vendor").value == "Ac"


def test_copy_cut_and_paste(h):
    h.click("Employee")
    h.press("Control", "a")
    h.press("Control", "c")
    h.click("Vendor")
    h.press("ctrl", "v")
    h.press("Control", "v")
    assert h.element("Vendor").value == "Mara LindMara Lind"
    h.click("Employee", count=3)
    h.press("Control", "x")
    assert h.element("Employee").value == ""
    h.click("Expense claim", count=3)
    h.press("Control", "c")
    assert h.desktop.world()["clipboard"] == "Expense claim"


def test_tab_walks_through_the_controls_and_back(h):
    h.click("Vendor")
    h.press("Tab")
    assert h.element("Invoice number").focused
    h.press("Shift", "Tab")
    assert h.element("Vendor").focused
    h.press("Escape")
    assert not any(e.focused for e in h.screen.elements)
    h.press("Tab")
    assert h.element("My claims").focused
    h.press("Enter")
    assert h.texts("heading") == ["Expense claims"]


def test_a_line_break_in_a_field_of_one_line_is_enter(h):
    h.type("5\n", "Amount")
    assert h.texts("heading") == ["Claim R-0001 submitted"]


def test_keys_without_meaning_do_nothing(h):
    before = h.screen.state_id
    for keys in (("F5",), ("Control", "k"), ("a",), ("Shift",), ("Alt", "F9")):
        assert h.press(*keys).ok
    assert h.screen.state_id == before
    assert h.press("Enter").error.startswith("nothing has the focus")


def test_what_is_scrolled_out_is_read_and_not_clicked(hand):
    h = hand(LOW)
    assert not h.element("Submit").visible
    assert h.click("Submit").error == '"Submit" is scrolled out of view; scroll down'
    h.press("PageDown")
    h.scroll(100)
    assert h.element("Submit").visible
    assert h.click("My claims").error == '"My claims" is scrolled out of view; scroll up'
    assert h.do(h_scroll_down()).output == "already at the end"
    for e in h.screen.elements:
        assert not e.visible or (e.bbox and e.bbox.y1 >= 0 and e.bbox.y2 <= 300)


def h_scroll_down():
    from protocol import Scroll

    return Scroll.toward("down", 1, "page")


def test_tab_scrolls_to_what_gets_the_focus(hand):
    h = hand(LOW)
    h.click("My claims", "New claim")
    for _ in range(8):
        h.press("Tab")
    focused = next(e for e in h.screen.elements if e.focused)
    assert focused.visible
    assert focused.text == "Description"


def test_a_new_page_starts_at_its_top(hand):
    h = hand(LOW)
    h.fill("Employee", "x")
    h.scroll(100)
    h.press("Home")
    h.scroll(-100)
    h.scroll(3)
    h.fill("Amount", "5")
    h.press("Enter")
    assert h.element("Claim R-0001 submitted").visible


def test_a_box_and_an_id_find_the_same_control(h):
    button = h.element("My claims")
    assert h.do(Click(target=ActionTarget(bbox=button.bbox))).resolved.element_id == button.element_id
    h.click("New claim")
    again = h.do(Click(target=ActionTarget(track_id=button.track_id)))
    assert again.resolved.tier == "track_id"


def test_ambiguous_text_names_the_candidates(hand):
    h = hand("apps: {notes: {notes: [{title: Same}, {title: Same}]}}\nopen: [notes]")
    ids = [e.element_id for e in h.screen.elements if e.text == "Same"]
    said = h.click("Same").error
    assert all(i in said for i in ids)
    assert h.do(Click(target=ActionTarget(element_id=ids[1]))).ok


def test_actions_of_the_crew_never_reach_the_desktop(h):
    assert "not for the desktop" in h.do(FinishGoal()).error
    assert "not for the desktop" in h.do(Memorize(name="a", value="b")).error


def test_looking_hovering_and_waiting_only_pass_time(h):
    before = h.screen.state_id
    h.do(Screenshot())
    h.do(Hover(target=ActionTarget(text="Submit")))
    h.wait(10)
    assert h.screen.state_id == before
    assert h.screen.timestamp == 11.0


def test_a_state_survives_json(hand):
    state = hand(WORLD).screen
    assert VisualState.model_validate_json(state.model_dump_json()) == state


def test_a_known_key_acts_once(h):
    action = Type(target=ActionTarget(text="Amount"), text="1")
    first = h.desktop.perform(action, key="k")
    assert h.desktop.perform(action, key="k") == first
    assert h.element("Amount").value == "1"
    with pytest.raises(DigestMismatch):
        h.desktop.perform(Wait(), key="k")
    assert [line["key"] for line in h.desktop.received()] == ["k"]


def test_an_error_is_kept_with_its_key_too(h):
    action = Click(target=ActionTarget(text="R-0001"))
    first = h.desktop.perform(action, key="k")
    assert not first.ok
    h.type("1\n", "Amount")
    h.click("My claims")
    assert h.desktop.perform(action, key="k") == first
    assert h.desktop.received()[0]["exec_status"] == "error"


def test_a_stored_world_goes_on_where_it_was(hand, tmp_path):
    h = hand(WORLD, store=tmp_path)
    h.type("5\n", "Amount")
    h.launch("notes")
    h.click("New note")
    h.type("half", "Title")
    again = hand(WORLD, seed=99, store=tmp_path)
    assert again.desktop.state_hash() == h.desktop.state_hash()
    assert again.screen == h.screen
    assert again.desktop.received() == h.desktop.received()
    action = Type(target=ActionTarget(text="Amount"), text="5\n")
    assert again.desktop.perform(action, key="test/1").ok
    again.type(" done")
    assert again.element("Title").value == "half done"


def test_reset_forgets_what_was_performed(hand, tmp_path):
    h = hand(WORLD, store=tmp_path)
    first = h.desktop.state_hash()
    h.type("5\n", "Amount")
    h.desktop.reset()
    assert h.desktop.received() == []
    assert h.desktop.state_hash() == first
    assert hand(WORLD, store=tmp_path).desktop.state_hash() == first


def test_seeds_give_different_worlds_and_are_kept_by_reset():
    one, two = SimulatedDesktop(load_world("office"), seed=1), SimulatedDesktop(load_world("office"), seed=2)
    invoices = [set(d.world()["apps"]["billing"]["invoices"]) for d in (one, two)]
    assert len(invoices[0] & invoices[1]) < 5
    first = two.state_hash()
    two.perform(Wait(), key="1")
    two.reset()
    assert two.state_hash() == first
    assert two.reset(seed=1) == one.observe()


def test_a_store_of_another_world_is_refused(hand, tmp_path):
    hand(WORLD, store=tmp_path)
    with pytest.raises(WorldError, match="another world"):
        hand(TWO, store=tmp_path)


def test_a_damaged_store_is_refused(hand, tmp_path):
    (tmp_path / "world.sqlite").write_bytes(b"no database at all, but long enough to be looked at" * 40)
    with pytest.raises(WorldError, match="cannot be opened"):
        hand(WORLD, store=tmp_path)


def test_a_damaged_state_is_refused(hand, tmp_path):
    hand(WORLD, store=tmp_path).desktop.close()
    with sqlite3.connect(tmp_path / "world.sqlite") as db:
        db.execute("UPDATE state SET body = '17' WHERE field = 'draft' AND entry = ''")
    with pytest.raises(WorldError, match="damaged"):
        hand(WORLD, store=tmp_path)


def test_an_action_writes_little(tmp_path):
    desktop = SimulatedDesktop(parse_world("apps: {billing: {generate: 500}}\nopen: [billing]"), store=tmp_path)
    log = tmp_path / "world.sqlite-wal"
    before = log.stat().st_size
    for n in range(20):
        desktop.perform(Type(target=ActionTarget(text="Search invoices"), text="x"), key=str(n))
    assert (log.stat().st_size - before) / 20 < 10_000
    desktop.close()


def test_a_closed_desktop_says_so(h):
    h.desktop.close()
    h.desktop.close()
    with pytest.raises(EnvironmentFault, match="closed"):
        h.press("Enter")


def test_the_true_state_is_json(hand):
    world = hand(TWO).desktop.world()
    assert json.loads(json.dumps(world)) == world
    assert {"apps", "clock", "clipboard", "focus"} <= set(world)


def test_a_target_that_takes_no_keys_is_refused(hand):
    assert not hand(WORLD).do(PressKey(keys=("Enter",), target=ActionTarget(text="Expense claim"))).ok
