"""What a page is drawn from: controls for elements, and changes that lead from one screen to the next."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from environments.served.session import View, view_of
from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.world.worldfile import load_world, parse_world
from protocol import ActionTarget, Click, Fill, LaunchApp, PressKey, Scroll

APPS = "apps: {billing: {open: any}, notes: {}, mail: {}, reimbursement: {required: [amount]}, settings: {}}"


def view(desktop: SimulatedDesktop) -> View:
    return view_of(desktop.snapshot().world)


def applied(screen: dict[str, Any], change: dict[str, Any]) -> dict[str, Any]:
    """What a page holds after a change, by the rules of the front end."""
    screen = {**screen, **{part: change[part] for part in ("head", "panes", "order") if part in change}}
    controls = {**screen["controls"], **change["controls"]}
    return {**screen, "controls": {track: controls[track] for track in screen["order"]}}


@settings(max_examples=15)
@given(st.data())
def test_changes_one_after_the_other_lead_to_the_whole_screen(data: st.DataObject) -> None:
    arrange = data.draw(st.sampled_from(["maximised", "side_by_side", "cascade"]))
    desktop = SimulatedDesktop(parse_world(f"{APPS}\narrange: {arrange}\nopen: [billing, notes]"))
    before = view(desktop)
    screen = before.whole()
    for number in range(data.draw(st.integers(1, 8))):
        elements = [e for e in desktop.observe().elements if e.visible and e.track_id]
        tracks = st.sampled_from([e.track_id for e in elements]).map(lambda track: ActionTarget(track_id=track))
        action = data.draw(
            st.one_of(
                st.builds(Click, target=tracks, count=st.integers(1, 2)),
                st.builds(Fill, target=tracks, text=st.text(max_size=8)),
                st.builds(LaunchApp, app=st.sampled_from(["mail", "notes", "settings", "reimbursement"])),
                st.sampled_from([PressKey(keys=("Tab",)), PressKey(keys=("Alt", "F4")), PressKey(keys=("Meta", "d"))]),
                st.just(Scroll.toward("down", 2)),
            )
        )
        desktop.perform(action, key=str(number))
        after = view(desktop)
        screen = applied(screen, after.since(before))
        before = after
    assert screen == {**before.whole()}
    assert list(screen["controls"]) == screen["order"]


def test_every_element_has_one_control_and_stands_in_what_holds_it() -> None:
    for name in ("office", "company"):
        desktop = SimulatedDesktop(load_world(name))
        for app in desktop.apps():
            desktop.perform(LaunchApp(app=app.app), key=app.app)
            seen, page = desktop.observe(), view(desktop)
            assert list(page.controls) == [e.track_id for e in seen.elements]
            panes = {pane["id"] for pane in page.panes}
            known: set[str] = set()
            for track, made in page.controls.items():
                assert made["up"] in panes | known, track
                known.add(track)


def test_a_change_holds_no_more_than_what_changed_and_a_field_says_how_its_name_is_bound_and_what_it_wants() -> None:
    desktop = SimulatedDesktop(parse_world(f"{APPS}\nopen: [reimbursement]"))
    before = view(desktop)
    amount = next(made for made in before.controls.values() if made.get("label") == "Amount")
    assert (amount["tag"], amount["bound"], amount["attrs"]["aria-required"]) == ("input", True, "true")
    desktop.perform(Fill(target=ActionTarget(text="Vendor"), text="Acme"), key="2")
    change = view(desktop).since(before)
    assert "order" not in change
    assert set(change["controls"]) <= {"reimbursement.vendor"}
