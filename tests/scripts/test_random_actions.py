"""A few hundred random actions: nothing passes that the policy does not let pass, and what would is told."""

import importlib
from pathlib import Path
from types import ModuleType

import pytest

pytestmark = pytest.mark.slow("a large sample")

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
SEED = 20261123


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(SCRIPTS))
    return importlib.import_module("random_actions")


@pytest.mark.parametrize(
    ("world", "policy"),
    [
        ("attacks/office", "ask-sensitive"),
        ("worlds/errands", "ask-all"),
        ("attacks/office", "read-only"),
        ("attacks/house", "never-ask-in-simulation"),
    ],
)
def test_nothing_passes_in_a_world(script: ModuleType, tmp_path: Path, world: str, policy: str) -> None:
    done = script.in_world(world, policy, SEED, 25, tmp_path)
    assert done.passed == (), f"seed {SEED}"
    assert done.executed.total()


def test_what_no_policy_holds_back_is_seen(script: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Under a policy that lets everything happen the same check finds what happened."""
    monkeypatch.setitem(script.FREE, "never-ask-in-simulation", script.FREE["read-only"])
    done = script.in_world("attacks/office", "never-ask-in-simulation", SEED, 90, tmp_path)
    assert done.passed, f"seed {SEED}"
