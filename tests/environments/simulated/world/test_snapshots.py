"""Going back to a moment, going on from it twice, and telling what differs."""

import pytest

from environments.contract import EnvironmentFault, Snapshots
from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.world.worldfile import parse_world

WORLD = "name: pair\napps: {billing: {}, reimbursement: {}, mail: {}}\nopen: [reimbursement]\n"


@pytest.fixture(params=["memory", "file"])
def h(request: pytest.FixtureRequest, hand, tmp_path):
    return hand(WORLD, store=tmp_path if request.param == "file" else None)


def test_a_moment_is_come_back_to_also_in_the_store_and_its_keys_are_free_again(h, hand, tmp_path):
    assert isinstance(h.desktop, Snapshots)
    h.fill("Amount", "1")
    moment, hashed = h.desktop.snapshot(), h.desktop.state_hash()
    h.fill("Amount", "2")
    h.desktop.restore(moment)
    assert (h.value("Amount"), h.desktop.state_hash()) == ("1", hashed)
    assert [done["key"] for done in h.desktop.received()] == ["test/1"]
    h.count = 1
    h.fill("Amount", "3")
    assert h.value("Amount") == "3"
    h.desktop.restore(moment)
    if list(tmp_path.iterdir()):
        h.desktop.close()
        h = hand(WORLD, store=tmp_path)
    assert (h.desktop.state_hash(), len(h.desktop.received())) == (hashed, 1)


def test_a_fork_goes_its_own_way(h):
    h.fill("Amount", "1")
    other = type(h)(h.desktop.fork())
    other.fill("Amount", "2")
    h.fill("Amount", "3")
    assert (h.value("Amount"), other.value("Amount")) == ("3", "2")
    h.desktop.close()
    assert other.value("Amount") == "2"


def test_a_snapshot_of_another_world_is_refused(h):
    stranger = SimulatedDesktop(parse_world(WORLD.replace("pair", "other")))
    with pytest.raises(EnvironmentFault, match="is of simulated:other"):
        h.desktop.restore(stranger.snapshot())


def test_the_hashes_name_the_app_in_which_something_changed(h):
    hashes = h.desktop.hashes()
    h.fill("Amount", "248.90")
    assert {name for name, hashed in h.desktop.hashes().items() if hashed != hashes[name]} == {"desk", "reimbursement"}
