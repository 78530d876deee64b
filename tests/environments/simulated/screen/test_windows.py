"""Several windows on one screen: where they stand, what lies behind, and what a pointer meets."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from environments.check import check_environment
from environments.simulated.screen import elements, screen
from environments.simulated.screen.screen import screen_of
from protocol import ActionTarget, Click, Fill, Hover, Scroll, SwitchWindow

APPS = "apps: {billing: {open: any}, notes: {}, mail: {}, reimbursement: {}}"


@pytest.fixture
def arranged(hand):
    """`arranged("cascade", "billing, notes")` gives a hand on a desktop with these windows, the first one in front."""
    return lambda arrange, opened="billing, notes": hand(f"{APPS}\narrange: {arrange}\nopen: [{opened}]")


def boxes(h) -> dict[str, tuple[int, int, int, int] | None]:
    return {win["app"]: win["box"] and tuple(win["box"]) for win in h.desktop.world()["windows"]}


def shown(h):
    return screen_of(h.desktop._world).order


def named(h, name: str, app: str) -> ActionTarget:
    return ActionTarget(element_id=next(e.element_id for e in h.screen.elements if e.name == name and e.app == app))


def test_tiled_windows_show_all_apps_and_do_not_overlap(arranged):
    h = arranged("side_by_side", "billing, notes, mail")
    assert {e.app for e in h.screen.elements} == {"billing", "notes", "mail"}
    assert h.screen.app == "billing"
    placed = [box for box in boxes(h).values() if box]
    assert len(placed) == 3
    for i, a in enumerate(placed):
        for b in placed[:i]:
            assert a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]
    for element in h.screen.elements:
        left, _, right, bottom = boxes(h)[element.app]
        assert not element.visible or (element.bbox.x1 >= left and element.bbox.x2 <= right and element.bbox.y2 <= bottom)


def test_a_click_into_a_window_behind_brings_it_to_the_front_and_looking_there_does_not(arranged):
    h = arranged("side_by_side", "billing, notes, mail")
    inbox = named(h, "Inbox", "mail")
    h.do(Hover(target=inbox))
    h.do(Scroll.toward("down", 3).model_copy(update={"target": inbox}))
    assert h.screen.app == "billing"
    assert h.desktop._world.desk.scroll["mail"] > 0
    assert h.do(Click(target=named(h, "New note", "notes"))).ok
    assert h.screen.app == "notes"
    assert h.app("notes")["open"] is not None


def test_a_name_means_the_front_window_first(arranged):
    h = arranged("side_by_side", "notes, mail")
    assert {e.app for e in h.screen.elements if e.name == "Search"} == {"notes", "mail"}
    assert h.click("Search").ok
    assert h.screen.app == "notes"


def test_cascading_windows_cover_what_lies_behind_and_a_press_there_is_refused(arranged):
    h = arranged("cascade")
    covered = [s for s in shown(h) if s.covered and s.widget.interactive]
    assert covered
    assert all(not s.element.visible for s in covered)
    assert "covered" in h.do(Click(target=ActionTarget(track_id=covered[0].element.track_id))).error
    before = boxes(h)
    h.do(SwitchWindow(window=str(covered[0].element.app)))
    assert not any(s.covered for s in shown(h) if s.element.app == covered[0].element.app)
    assert boxes(h) == before, "an app that comes to the front keeps its place"


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(x=st.integers(0, 1279), y=st.integers(0, 759))
def test_a_point_never_reaches_through_a_window(arranged, x: int, y: int):
    h = arranged("cascade", "billing, notes, mail")
    inside = [app for app, box in boxes(h).items() if box and box[0] <= x < box[2] and box[1] <= y < box[3]]
    assert {s.element.app for s in screen_of(h.desktop._world).under(x, y)} <= set(inside[-1:] or [None])


def test_the_window_in_front_is_put_over_the_screen_and_away_and_closing_it_gives_its_room_to_the_others(arranged):
    h = arranged("side_by_side")
    h.press("Meta", "ArrowUp")
    assert boxes(h)["billing"] is None
    h.press("Meta", "ArrowDown")
    assert h.screen.app == "notes"
    h = arranged("side_by_side")
    h.press("Alt", "F4")
    assert boxes(h) == {"notes": None}


def test_two_apps_are_worked_side_by_side(arranged):
    h = arranged("side_by_side", "billing, reimbursement")
    total = next(e for e in h.screen.elements if e.track_id and e.track_id.endswith(".total"))
    assert h.do(Fill(target=ActionTarget(text="Amount", role="textbox"), text=str(total.text))).ok
    assert h.app("reimbursement")["draft"]["amount"] == total.text
    assert any(e.track_id == total.track_id and e.visible for e in h.screen.elements)


@pytest.mark.parametrize("arrange", ["side_by_side", "cascade"])
def test_the_contract_holds_however_windows_stand(arranged, arrange: str):
    assert len(check_environment(arranged(arrange, "billing, notes, mail").desktop)) >= 7


def test_what_did_not_change_in_a_window_is_the_same_element_and_is_written_as_if_it_were_new(arranged):
    elements._ELEMENTS.clear()  # where it is full it begins anew, also between two looks
    h = arranged("maximised", "reimbursement")
    before = h.screen
    h.fill("Amount", "12")
    after = h.screen
    changed = [e.name for e, was in zip(after.elements, before.elements, strict=True) if e is not was]
    assert "Amount" in changed
    assert len(changed) < 4
    elements._ELEMENTS.clear()
    again = arranged("maximised", "reimbursement")
    again.fill("Amount", "12")
    assert again.screen.canonical == after.canonical


def test_a_step_lays_out_the_window_in_front_alone_and_an_observation_only_what_changed(arranged, monkeypatch):
    h = arranged("cascade", "notes, billing, mail, reimbursement")
    field = next(e for e in h.screen.elements if e.app == "notes" and e.role == "textbox")
    laid_out, drawn = [], screen.window_panel
    monkeypatch.setattr(screen, "window_panel", lambda world, win, *more: laid_out.append(win.app) or drawn(world, win, *more))
    for words in ("first", "second"):
        h.do(Fill(target=ActionTarget(track_id=field.track_id), text=words))
        assert h.screen
    assert laid_out == ["notes", "notes"]
    monkeypatch.setattr(screen, "_PANELS", screen._Latest())
    h.do(Fill(target=ActionTarget(track_id=field.track_id), text="third"))
    assert set(laid_out) == {"notes"}
