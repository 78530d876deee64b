"""What holds in every shipped world with every app."""

import pytest

from environments.check import check_environment
from environments.simulated.apps import APPS
from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.world.worldfile import load_world
from orchestrator.settings.layers import shipped_names

WORLDS = shipped_names("worlds")


@pytest.mark.slow("a large sample")
@pytest.mark.parametrize("world", WORLDS)
def test_the_contract_holds_and_another_seed_gives_another_world(world: str) -> None:
    """Without what happens by itself: a pop-up that comes with the third action is no fault of the adapter."""
    calm = load_world(world).model_copy(update={"events": ()})
    assert SimulatedDesktop(calm, 1).state_hash() != SimulatedDesktop(calm, 2).state_hash()
    assert len(check_environment(SimulatedDesktop(calm))) >= 6


def test_every_app_is_in_some_shipped_world() -> None:
    assert {app for world in WORLDS for app in load_world(world).apps} == set(APPS)
