"""What holds in every shipped world with every app, whatever is done in it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from support import sampled
from worlds.monkey import became, let_loose

from environments.check import check_environment
from environments.faults.faults import Fault, FaultKind, FaultyEnvironment
from environments.simulated.apps import APPS
from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.world.worldfile import load_world
from orchestrator.settings.layers import shipped_names

pytestmark = pytest.mark.slow("a large sample")

WORLDS = shipped_names("worlds")
SEED, STEPS = 11, 60


@pytest.mark.parametrize("world", WORLDS)
def test_the_contract_holds(world: str) -> None:
    """Without what happens by itself: a pop-up that comes with the third action is no fault of the adapter."""
    calm = load_world(world).model_copy(update={"events": ()})
    assert len(check_environment(SimulatedDesktop(calm))) >= 6


def test_every_app_is_in_some_shipped_world() -> None:
    assert {app for world in WORLDS for app in load_world(world).apps} == set(APPS)


def test_the_same_seed_and_actions_give_the_same_state_in_another_process() -> None:
    code = Path(sys.modules["worlds.monkey"].__file__ or "")
    done = subprocess.run([sys.executable, str(code), str(SEED), str(STEPS), *WORLDS], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {world: became(world, SEED, STEPS) for world in WORLDS}


@pytest.mark.parametrize("world", WORLDS)
def test_another_seed_gives_another_world(world: str) -> None:
    assert became(world, 1, 0) != became(world, 2, 0)


@pytest.mark.parametrize("world", sampled(WORLDS, 3))
def test_what_is_stored_is_what_is_and_goes_on_the_same(world: str, tmp_path: Path) -> None:
    kept = SimulatedDesktop(load_world(world), SEED, tmp_path / "kept")
    let_loose(kept, SEED, STEPS // 2)
    hashed = kept.state_hash()
    kept.close()
    opened, fresh = SimulatedDesktop(load_world(world), SEED, tmp_path / "kept"), SimulatedDesktop(load_world(world), SEED)
    let_loose(fresh, SEED, STEPS // 2)
    assert opened.state_hash() == hashed == fresh.state_hash()
    assert let_loose(opened, SEED + 1, STEPS // 2) == let_loose(fresh, SEED + 1, STEPS // 2)
    assert opened.state_hash() == fresh.state_hash()


@pytest.mark.parametrize("kind", list(FaultKind))
def test_a_fault_strikes_the_same_actions_each_time(kind: FaultKind) -> None:
    def struck() -> tuple[list[str], str, list[tuple[str, str]]]:
        env = SimulatedDesktop(load_world("company"), SEED)
        fault = Fault(kind=kind, rate=0.4, text="New name")
        faulty = FaultyEnvironment(env, [fault], SEED)
        came = let_loose(env, SEED, STEPS, faulty)
        return came, env.state_hash(), [(s.key, s.target) for s in faulty.struck]

    assert struck() == struck()


@pytest.mark.parametrize("world", sampled(WORLDS, 3))
def test_a_fork_and_a_snapshot_go_on_alike(world: str) -> None:
    env = SimulatedDesktop(load_world(world), SEED)
    let_loose(env, SEED, STEPS // 3)
    then, other = env.snapshot(), env.fork()
    came = let_loose(env, SEED + 2, STEPS // 3)
    assert let_loose(other, SEED + 2, STEPS // 3) == came
    assert other.state_hash() == env.state_hash()
    env.restore(then)
    assert let_loose(env, SEED + 2, STEPS // 3) == came
