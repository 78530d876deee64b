"""Several windows on one screen: where they stand, what lies behind, and what a pointer meets."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from environments.check import check_environment
from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.screen import elements
from environments.simulated.world.worldfile import parse_world
from protocol import ActionTarget, Click, Fill, GUIElement, Hover, LaunchApp, PressKey, Scroll, SwitchWindow

APPS = "apps: {billing: {open: any}, notes: {}, mail: {}, reimbursement: {}}"


def desktop(arrange: str, opened: str = "billing, notes") -> SimulatedDesktop:
    return SimulatedDesktop(parse_world(f"{APPS}\narrange: {arrange}\nopen: [{opened}]"))


class Hand:
    """Somebody at a desktop."""

    def __init__(self, env: SimulatedDesktop) -> None:
        self.env = env
        self.count = 0

    def does(self, action, ok: bool = True):
        self.count += 1
        result = self.env.perform(action, key=f"hand/{self.count}")
        assert result.ok is ok, result.error
        return result

    def named(self, name: str, app: str | None = None) -> GUIElement:
        return next(e for e in self.env.observe().elements if e.name == name and app in (None, e.app))


def boxes(env: SimulatedDesktop) -> dict[str, tuple[int, int, int, int] | None]:
    return {win["app"]: win["box"] and tuple(win["box"]) for win in env.world()["windows"]}


def test_by_default_a_window_takes_the_whole_screen_and_hides_the_others():
    env = desktop("maximised")
    assert set(boxes(env).values()) == {None}
    assert {e.app for e in env.observe().elements} == {"billing"}


def test_tiled_windows_show_all_apps_and_do_not_overlap():
    env = desktop("side_by_side", "billing, notes, mail")
    seen = env.observe()
    assert {e.app for e in seen.elements} == {"billing", "notes", "mail"}
    assert seen.app == "billing"
    placed = [box for box in boxes(env).values() if box]
    assert len(placed) == 3
    for i, a in enumerate(placed):
        for b in placed[:i]:
            assert a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]
    for element in seen.elements:
        left, _, right, bottom = boxes(env)[element.app]
        assert not element.visible or (element.bbox.x1 >= left and element.bbox.x2 <= right and element.bbox.y2 <= bottom)


def test_a_click_into_a_window_behind_brings_it_to_the_front():
    hand = Hand(desktop("side_by_side"))
    hand.does(Click(target=ActionTarget(element_id=hand.named("New note").element_id)))
    assert hand.env.observe().app == "notes"
    assert hand.env.world()["apps"]["notes"]["open"] is not None


def test_hovering_and_scrolling_leave_the_windows_as_they_are():
    hand = Hand(desktop("side_by_side", "billing, notes, mail"))
    inbox = ActionTarget(element_id=hand.named("Inbox", "mail").element_id)
    hand.does(Hover(target=inbox))
    hand.does(Scroll.toward("down", 3).model_copy(update={"target": inbox}))
    assert hand.env.observe().app == "billing"
    assert hand.env._world.desk.scroll["mail"] > 0


def test_a_name_means_the_front_window_first():
    hand = Hand(desktop("side_by_side", "notes, mail"))
    query = [e for e in hand.env.observe().elements if e.name == "Search"]
    assert {e.app for e in query} == {"notes", "mail"}
    hand.does(Click(target=ActionTarget(text="Search")))
    assert hand.env.observe().app == "notes"


def test_cascading_windows_cover_what_lies_behind_and_a_press_there_is_refused():
    hand = Hand(desktop("cascade"))
    covered = [s for s in _shown(hand.env) if s.covered and s.widget.interactive]
    assert covered
    assert all(not s.element.visible for s in covered)
    said = hand.does(Click(target=ActionTarget(track_id=covered[0].element.track_id)), ok=False).error
    assert "covered" in said
    hand.does(SwitchWindow(window=str(covered[0].element.app)))
    assert not any(s.covered for s in _shown(hand.env) if s.element.app == covered[0].element.app)


def _shown(env: SimulatedDesktop):
    from environments.simulated.screen.screen import screen_of

    return screen_of(env._world).order


@given(x=st.integers(0, 1279), y=st.integers(0, 759))
def test_a_point_never_reaches_through_a_window(x: int, y: int):
    env = desktop("cascade", "billing, notes, mail")
    front_first = [win for win in reversed(env.world()["windows"])]
    top = next((w["app"] for w in front_first if _inside(w["box"], x, y)), None)
    from environments.simulated.screen.screen import screen_of

    assert {s.element.app for s in screen_of(env._world).under(x, y)} <= {top}


def _inside(box, x: int, y: int) -> bool:
    return box[0] <= x < box[2] and box[1] <= y < box[3]


def test_the_window_in_front_is_put_over_the_screen_and_away():
    hand = Hand(desktop("side_by_side"))
    front = hand.env.observe().app
    hand.does(PressKey(keys=("Meta", "ArrowUp")))
    assert boxes(hand.env)[front] is None
    hand.does(PressKey(keys=("Meta", "ArrowDown")))
    assert hand.env.observe().app != front


def test_closing_a_tile_gives_its_room_to_the_others():
    hand = Hand(desktop("side_by_side"))
    hand.does(PressKey(keys=("Alt", "F4")))
    assert boxes(hand.env) == {"notes": None}


def test_an_app_that_is_opened_again_keeps_its_place():
    hand = Hand(desktop("cascade"))
    before = boxes(hand.env)
    hand.does(LaunchApp(app="notes"))
    assert boxes(hand.env) == before


def test_two_apps_are_worked_side_by_side():
    hand = Hand(desktop("side_by_side", "billing, reimbursement"))
    total = next(e for e in hand.env.observe().elements if e.track_id and e.track_id.endswith(".total"))
    hand.does(Fill(target=ActionTarget(text="Amount", role="textbox"), text=str(total.text)))
    assert hand.env.world()["apps"]["reimbursement"]["draft"]["amount"] == total.text
    assert any(e.track_id == total.track_id and e.visible for e in hand.env.observe().elements)


@pytest.mark.parametrize("arrange", ["maximised", "side_by_side", "cascade"])
def test_the_contract_holds_however_windows_stand(arrange: str):
    assert len(check_environment(desktop(arrange, "billing, notes, mail"))) >= 7


def test_what_did_not_change_in_a_window_is_the_same_element_and_is_written_as_if_it_were_new():
    elements._ELEMENTS.clear()  # where it is full it begins anew, also between two looks
    hand = Hand(desktop("maximised", "reimbursement"))
    before = hand.env.observe()
    hand.does(Fill(target=ActionTarget(text="Amount"), text="12"))
    after = hand.env.observe()
    changed = [e.name for e, was in zip(after.elements, before.elements, strict=True) if e is not was]
    assert "Amount" in changed
    assert len(changed) < 4
    elements._ELEMENTS.clear()
    again = Hand(desktop("maximised", "reimbursement"))
    again.does(Fill(target=ActionTarget(text="Amount"), text="12"))
    assert again.env.observe().canonical == after.canonical


def test_a_step_lays_out_the_window_in_front_alone_and_an_observation_only_what_changed(monkeypatch):
    from environments.simulated.screen import screen

    hand = Hand(desktop("cascade", "notes, billing, mail, reimbursement"))
    hand.env.observe()
    field = next(e for e in hand.env.observe().elements if e.app == "notes" and e.role == "textbox")
    laid_out, drawn = [], screen.window_panel
    monkeypatch.setattr(screen, "window_panel", lambda world, win, *more: laid_out.append(win.app) or drawn(world, win, *more))
    for words in ("first", "second"):
        hand.does(Fill(target=ActionTarget(track_id=field.track_id), text=words))
        hand.env.observe()
    assert laid_out == ["notes", "notes"]
    monkeypatch.setattr(screen, "_PANELS", screen._Latest())
    hand.does(Fill(target=ActionTarget(track_id=field.track_id), text="third"))
    assert set(laid_out) == {"notes"}
