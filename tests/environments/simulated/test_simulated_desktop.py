"""The desktop itself: windows, focus, keys, dialogs, scrolling, and actions that are performed once."""

import sqlite3

import pytest

from environments.contract import DigestMismatch, EnvironmentFault, WorldError
from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.world.worldfile import parse_world
from protocol import ActionTarget, Click, FinishGoal, Hover, Memorize, Screenshot, Scroll, SwitchWindow, Type, Wait

TWO = """
user: Mara Lind
apps:
  notes: {notes: [{title: Plan, body: one}]}
  settings: {phone: "1"}
open: [notes, settings]
"""
WORLD = "user: Mara Lind\napps: {reimbursement: , notes: {notes: []}}\nopen: [reimbursement]"
LOW = "screen: [800, 300]\n" + WORLD


def test_windows_are_switched_by_id_app_or_key(hand):
    h = hand(TWO)
    assert [(w.app, w.focused) for w in h.screen.windows] == [("notes", True), ("settings", False)]
    before = h.screen
    assert any(e.text == "Account name" for e in h.desktop.peek("settings").elements)
    assert h.screen == before, "a window is read without the focus"
    assert h.do(SwitchWindow(window="win-settings")).ok
    assert h.screen.app == "settings"
    h.press("Alt", "Tab")
    assert h.screen.app == "notes"
    assert h.do(SwitchWindow(window="Settings")).ok
    assert h.do(SwitchWindow(window="mail")).error == "there is no window 'mail'; open windows are: notes, settings"
    assert h.launch("setings").error.startswith("there is no app 'setings'; did you mean settings?")


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


def test_typing_appends_filling_replaces_and_the_caret_can_be_moved(h):
    assert h.type("x").error == "nothing has the focus; click a field first"
    h.type("12", "Amount")
    h.type(".5")
    assert h.element("Amount").value == "12.5"
    h.fill("Amount", "7")
    assert h.element("Amount").value == "7"
    assert h.type("x", "My claims").error.endswith("not a field")
    assert h.fill("Expense claim", "x").error == '"Expense claim" is a heading and takes no keys'
    h.type("bd", "Vendor")
    h.press("ArrowLeft")
    h.type("c")
    h.keys("Home", "Delete")
    h.press("Shift", "a")
    h.keys("End", "Backspace")
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
    assert h.do(Scroll.toward("down", 1, "page")).output == "already at the end"
    h.click("Submit")
    h.press("Shift", "Tab")
    for _ in range(8):
        h.press("Shift", "Tab")
    assert next(e for e in h.screen.elements if e.focused).visible, "what gets the focus by key is scrolled to"


def test_a_box_and_an_id_find_the_same_control(h):
    button = h.element("My claims")
    assert h.do(Click(target=ActionTarget(bbox=button.bbox))).resolved.element_id == button.element_id
    h.click("New claim")
    assert h.do(Click(target=ActionTarget(track_id=button.track_id))).resolved.tier == "track_id"


def test_looking_hovering_and_waiting_only_pass_time(h):
    before = h.screen.state_id
    h.do(Screenshot())
    h.do(Hover(target=ActionTarget(text="Submit")))
    h.wait(10)
    assert h.screen.state_id == before
    assert h.screen.timestamp == 11.0
    for action in (FinishGoal(), Memorize(name="a", value="b")):
        assert "not for the desktop" in h.do(action).error


def test_a_known_key_acts_once(h):
    action = Type(target=ActionTarget(text="Amount"), text="1")
    first = h.desktop.perform(action, key="k")
    assert h.desktop.perform(action, key="k") == first
    assert h.element("Amount").value == "1"
    with pytest.raises(DigestMismatch):
        h.desktop.perform(Wait(), key="k")
    wrong = Click(target=ActionTarget(text="R-0001"))
    failed = h.desktop.perform(wrong, key="error")
    h.type("\n", "Amount")
    h.click("My claims")
    assert h.desktop.perform(wrong, key="error") == failed
    assert [(line["key"], line["exec_status"]) for line in h.desktop.received()][:2] == [("k", "executed"), ("error", "error")]
    h.desktop.close()
    with pytest.raises(EnvironmentFault, match="closed"):
        h.press("Enter")


def test_a_stored_world_goes_on_where_it_was_until_it_is_reset(hand, tmp_path):
    h = hand(WORLD, store=tmp_path)
    first = h.desktop.state_hash()
    h.type("5\n", "Amount")
    h.launch("notes")
    h.click("New note")
    h.type("gone", "Title")
    h.click("Save", "Delete", "Delete note", "New note")
    h.type("half", "Title")
    again = hand(WORLD, seed=99, store=tmp_path)
    assert again.desktop.state_hash() == h.desktop.state_hash()
    assert again.screen == h.screen
    assert again.desktop.received() == h.desktop.received()
    action = Type(target=ActionTarget(text="Amount"), text="5\n")
    assert again.desktop.perform(action, key="test/1").ok
    again.type(" done")
    assert again.element("Title").value == "half done"
    again.desktop.reset(seed=0)
    assert (again.desktop.received(), again.desktop.state_hash()) == ([], first)
    assert hand(WORLD, store=tmp_path).desktop.state_hash() == first


def test_an_action_writes_little(tmp_path):
    desktop = SimulatedDesktop(parse_world("apps: {billing: {generate: 500}}\nopen: [billing]"), store=tmp_path)
    log = tmp_path / "world.sqlite-wal"
    before = log.stat().st_size
    for n in range(20):
        desktop.perform(Type(target=ActionTarget(text="Search invoices"), text="x"), key=str(n))
    assert (log.stat().st_size - before) / 20 < 10_000
    desktop.close()


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        ("", "another world"),
        ("UPDATE state SET body = '17' WHERE field = 'draft' AND entry = ''", "damaged"),
        (b"no database at all, but long enough to be looked at" * 40, "cannot be opened"),
    ],
)
def test_a_store_that_is_of_another_world_or_damaged_is_refused(hand, tmp_path, damage, said):
    hand(WORLD, store=tmp_path).desktop.close()
    if isinstance(damage, bytes):
        (tmp_path / "world.sqlite").write_bytes(damage)
    else:
        with sqlite3.connect(tmp_path / "world.sqlite") as db:
            db.execute(damage or "SELECT 1")
    with pytest.raises(WorldError, match=said):
        hand(WORLD if damage else TWO, store=tmp_path)
