"""Several seats at one desktop: each keeps what it left, hears nothing of the others, and has its own time."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import desktop

from environments.contract import AppCatalog, Seats
from environments.faults.faults import Fault, FaultyEnvironment
from environments.simulated.desktop import SimulatedDesktop
from protocol import Action, ActionTarget, Click, Fill, LaunchApp, PressKey, Type, Wait

WORLD = "name: two\napps: {reimbursement: {}, notes: {}, contacts: {}}\nopen: [reimbursement]\n"
AMOUNT = ActionTarget(text="Amount")


class Hand:
    """Does things on a desktop under keys of its own."""

    def __init__(self, events: str = "", store: Path | None = None) -> None:
        self.desk: SimulatedDesktop = desktop(events, WORLD, store=store)
        self.count = 0

    def do(self, seat: str, *actions: Action) -> None:
        self.desk.seat(seat)
        for action in actions:
            self.count += 1
            result = self.desk.perform(action, key=f"{self.count}")
            assert result.ok, result.error

    @property
    def clock(self) -> float:
        return self.desk.observe().timestamp or 0.0


def test_a_desktop_has_seats_and_so_has_one_in_which_things_go_wrong() -> None:
    assert isinstance(desktop(), Seats)
    assert isinstance(FaultyEnvironment(desktop(), [Fault.of("timeout:0.1")]), Seats)


def test_a_seat_finds_its_window_its_focus_and_its_caret_again() -> None:
    h = Hand()
    h.do("1", Click(target=AMOUNT), Type(text="12"))
    h.do(
        "2",
        LaunchApp(app="notes"),
        Click(target=ActionTarget(text="New note")),
        Fill(target=ActionTarget(text="Title"), text="x"),
    )
    assert h.desk.observe().app == "notes"
    h.do("1", Type(text="34"))
    seen = h.desk.observe()
    assert (seen.app, next(e.value for e in seen.elements if e.focused)) == ("reimbursement", "1234")


def test_each_seat_has_a_clipboard_of_its_own() -> None:
    h = Hand()
    copy = (Fill(target=AMOUNT, text="$5.00"), PressKey(keys=("Control", "a")), PressKey(keys=("Control", "c")))
    h.do("1", *copy)
    h.do(
        "2",
        LaunchApp(app="notes"),
        Click(target=ActionTarget(text="New note")),
        Fill(target=ActionTarget(text="Title"), text="mine"),
    )
    h.do("2", PressKey(keys=("Control", "a")), PressKey(keys=("Control", "c")))
    h.do("1", Click(target=ActionTarget(text="Vendor")), PressKey(keys=("Control", "v")))
    assert next(e.value for e in h.desk.observe().elements if e.text == "Vendor") == "$5.00"


def test_taking_a_seat_is_no_action_and_no_field_is_left_by_it() -> None:
    h = Hand()
    h.do("1", Click(target=AMOUNT), Type(text="5"))
    before, states = len(h.desk.received()), dict(h.desk._world.apps)
    h.desk.seat("2")
    h.desk.seat("1")
    assert len(h.desk.received()) == before
    assert all(h.desk._world.apps[name] is state for name, state in states.items())


def test_what_two_seats_do_at_the_same_time_takes_as_long_as_the_longer() -> None:
    h = Hand()
    h.desk.seat("1")
    h.desk.seat("2")
    h.do("1", Wait(seconds=3))
    h.do("2", Wait(seconds=1), Wait(seconds=1))
    assert (h.clock, dict(h.desk.seats())) == (3.0, {"1": 3.0, "2": 2.0})
    h.do("2", Wait(seconds=2))
    assert h.clock == 4.0


def test_a_seat_does_nothing_before_it_may_begin() -> None:
    h = Hand()
    h.desk.seat("1")
    h.desk.seat("2", since=2.5)
    h.do("2", Wait(seconds=1))
    assert h.desk.seats()["2"] == 3.5
    h.desk.seat("2", since=1.0)
    assert h.desk.seats()["2"] == 3.5


def test_a_dialog_of_an_app_waits_for_the_seat_that_opened_it() -> None:
    h = Hand()
    h.do(
        "1",
        LaunchApp(app="notes"),
        Click(target=ActionTarget(text="New note")),
        Fill(target=ActionTarget(text="Title"), text="x"),
    )
    h.do("1", Click(target=ActionTarget(text="Save")), Click(target=ActionTarget(text="Delete")))
    assert h.desk.observe().modal
    h.do("2", LaunchApp(app="contacts"))
    assert h.desk.observe().modal is None
    h.desk.seat("1")
    assert h.desk.observe().modal
    h.desk.seat("2")
    h.desk.seat("")
    assert h.desk.observe().modal, "what was asked is still asked when the seats are given up"


def test_a_dialog_of_the_world_is_everybodys() -> None:
    h = Hand("[{when: {after_actions: 1}, popup: {title: Update, text: There is an update., buttons: [Later]}}]")
    h.do("1", LaunchApp(app="contacts"))
    h.desk.seat("2")
    assert h.desk.observe().modal
    h.do("2", Click(target=ActionTarget(text="Later")))
    h.desk.seat("1")
    assert h.desk.observe().modal is None


def test_a_wait_for_what_loads_lasts_until_it_is_there() -> None:
    h = Hand("[{when: {app_opened: contacts}, loading: {app: contacts, seconds: 2}}]")
    h.desk.seat("1")
    h.desk.seat("2")
    h.do("1", Wait(seconds=8))
    h.do("2", LaunchApp(app="contacts"))
    assert h.desk.observe().loading
    h.do("2", Wait(seconds=1), Wait(seconds=2))
    assert not h.desk.observe().loading


def test_a_stored_desktop_goes_on_with_the_seats_it_had(tmp_path: Path) -> None:
    h = Hand(store=tmp_path)
    h.do("1", Click(target=AMOUNT), Type(text="12"))
    h.do("2", LaunchApp(app="notes"))
    before = h.desk.state_hash(), dict(h.desk.seats())
    h.desk.close()
    again = desktop("", WORLD, store=tmp_path)
    assert (again.state_hash(), dict(again.seats())) == before
    again.seat("1")
    assert again.perform(Type(text="3"), key="more").ok
    assert next(e.value for e in again.observe().elements if e.focused) == "123"


def test_a_snapshot_holds_the_seats_and_nobody_sits_there_after_all_are_given_up() -> None:
    h = Hand()
    h.do("1", Wait(seconds=1))
    moment = h.desk.snapshot()
    h.do("2", Wait(seconds=2))
    h.desk.restore(moment)
    assert dict(h.desk.seats()) == {"1": 1.0}
    h.desk.seat("")
    assert dict(h.desk.seats()) == {}


def test_apps_say_whose_things_they_share() -> None:
    desk = desktop(world="name: f\napps: {files: {}, terminal: {}}\n")
    assert isinstance(desk, AppCatalog)
    assert {info.app: info.shares for info in desk.apps()} == {"files": "", "terminal": "files"}
    tree = desk.files()
    assert tree.app == "files"


_DEEDS: list[Action] = [
    Click(target=AMOUNT), Type(text="7"), Fill(target=ActionTarget(text="Vendor"), text="Acme"), LaunchApp(app="notes"),
    LaunchApp(app="reimbursement"), PressKey(keys=("Tab",)), Click(target=ActionTarget(text="Submit")), Wait(seconds=1),
]  # fmt: skip


@given(st.lists(st.tuples(st.sampled_from(["1", "2", "3"]), st.sampled_from(_DEEDS)), max_size=12))
def test_coming_back_changes_nothing_and_the_clock_is_that_of_the_furthest(work: list[tuple[str, Action]]) -> None:
    desk = desktop("", WORLD)
    for seat in ("1", "2", "3"):
        desk.seat(seat)
    for number, (seat, action) in enumerate(work):
        desk.seat(seat)
        desk.perform(action, key=str(number))
        here, apps = desk.observe(), desk.world()["apps"]
        for other in ("1", "2", "3", seat):
            desk.seat(other)
        assert (desk.observe(), desk.world()["apps"]) == (here, apps)
        assert desk.observe().timestamp == max(desk.seats().values())


@pytest.mark.parametrize("seat", ["", "1"])
def test_apps_are_as_they_would_be_without_a_seat(seat: str) -> None:
    plain, seated = desktop("", WORLD), desktop("", WORLD)
    seated.seat(seat)
    for number, action in enumerate(_DEEDS):
        assert plain.perform(action, key=str(number)) == seated.perform(action, key=str(number))
    assert {k: v for k, v in plain.hashes().items() if k != "desk"} == {k: v for k, v in seated.hashes().items() if k != "desk"}
