"""Going back to a moment, going on from it twice, and telling what differs."""

from __future__ import annotations

from pathlib import Path

import pytest

from environments.contract import EnvironmentFault, Snapshots
from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.world.worldfile import parse_world
from protocol import ActionTarget, Fill

WORLD = "name: pair\napps: {billing: {}, reimbursement: {}, mail: {}}\nopen: [reimbursement]\n"


@pytest.fixture(params=["memory", "file"])
def desktop(request: pytest.FixtureRequest, tmp_path: Path) -> SimulatedDesktop:
    return SimulatedDesktop(parse_world(WORLD), store=tmp_path if request.param == "file" else None)


def amount(desktop: SimulatedDesktop) -> str:
    return next(e.value or "" for e in desktop.observe().elements if e.role == "textbox" and "Amount" in e.name)


def fill(desktop: SimulatedDesktop, text: str, key: str) -> None:
    field = next(e for e in desktop.observe().elements if e.role == "textbox" and "Amount" in e.name)
    assert desktop.perform(Fill(target=ActionTarget.of(field), text=text), key=key).ok


def test_a_moment_is_come_back_to_also_in_the_store_and_its_keys_are_free_again(desktop: SimulatedDesktop, tmp_path: Path):
    assert isinstance(desktop, Snapshots)
    fill(desktop, "1", "a")
    moment, hashed = desktop.snapshot(), desktop.state_hash()
    fill(desktop, "2", "b")
    desktop.restore(moment)
    assert amount(desktop) == "1"
    assert desktop.state_hash() == hashed
    assert [done["key"] for done in desktop.received()] == ["a"]
    fill(desktop, "3", "b")
    assert amount(desktop) == "3"
    desktop.restore(moment)
    if list(tmp_path.iterdir()):
        desktop.close()
        desktop = SimulatedDesktop(parse_world(WORLD), store=tmp_path)
    assert (desktop.state_hash(), len(desktop.received())) == (hashed, 1)


def test_a_fork_goes_its_own_way(desktop: SimulatedDesktop):
    fill(desktop, "1", "a")
    other = desktop.fork()
    fill(other, "2", "b")
    fill(desktop, "3", "b")
    assert (amount(desktop), amount(other)) == ("3", "2")
    desktop.close()
    assert amount(other)


def test_a_snapshot_of_another_world_is_refused(desktop: SimulatedDesktop):
    stranger = SimulatedDesktop(parse_world(WORLD.replace("pair", "other")))
    with pytest.raises(EnvironmentFault, match="is of simulated:other"):
        desktop.restore(stranger.snapshot())


def test_the_hashes_name_the_app_in_which_something_changed(desktop: SimulatedDesktop):
    hashes = desktop.hashes()
    fill(desktop, "248.90", "a")
    assert {name for name, hashed in desktop.hashes().items() if hashed != hashes[name]} == {"desk", "reimbursement"}
