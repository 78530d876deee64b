"""The contract check lets the desktop through, and catches every broken promise."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from environments.check import ContractError, check_environment
from environments.contract import ActionRecord, AppCatalog, DigestMismatch, Peek, WorldState
from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.world.worldfile import load_world, parse_world
from protocol import Action, ActionResult, ExecStatus, VisualState


def desktop() -> SimulatedDesktop:
    return SimulatedDesktop(load_world("office"))


class Headless:
    """Something that lacks half of the methods."""

    def reset(self, *, seed: int | None = None) -> VisualState:
        raise NotImplementedError

    def close(self) -> None:
        return None


class Plain:
    """The desktop as an adapter without any capability beside the contract."""

    name = "plain"

    def __init__(self) -> None:
        self.inner = desktop()

    def reset(self, *, seed: int | None = None) -> VisualState:
        return self.inner.reset(seed=seed)

    def observe(self) -> VisualState:
        return self.inner.observe()

    def perform(self, action: Action, *, key: str) -> ActionResult:
        return self.inner.perform(action, key=key)

    def close(self) -> None:
        self.inner.close()


def test_the_desktop_keeps_every_promise() -> None:
    kept = check_environment(desktop())
    assert len(kept) == 9
    assert "an ambiguous text target is an error that names the candidates" in kept


def test_the_desktop_offers_every_capability() -> None:
    assert all(isinstance(desktop(), kind) for kind in (AppCatalog, Peek, WorldState, ActionRecord))


def test_an_adapter_without_capabilities_can_be_checked() -> None:
    assert "observe changes nothing" in check_environment(Plain())


def test_a_world_without_open_windows_can_be_checked() -> None:
    assert check_environment(SimulatedDesktop(parse_world("apps: {settings: }")))


class GivesADict(Plain):
    def reset(self, *, seed: int | None = None) -> Any:
        return self.inner.reset(seed=seed).model_dump()


class ForgetsTheSeed(Plain):
    seeds = itertools.count()

    def reset(self, *, seed: int | None = None) -> VisualState:
        return self.inner.reset(seed=next(self.seeds))


class ObservingTakesTime(Plain):
    clock = itertools.count()

    def observe(self) -> VisualState:
        return self.inner.observe().model_copy(update={"timestamp": float(next(self.clock))})


class RepeatsIds(Plain):
    def reset(self, *, seed: int | None = None) -> VisualState:
        self.inner.reset(seed=seed)
        return self.observe()

    def observe(self) -> VisualState:
        state = self.inner.observe()
        return state.model_copy(update={"elements": (*state.elements, state.elements[0])})


class BoxesOutside(Plain):
    def reset(self, *, seed: int | None = None) -> VisualState:
        self.inner.reset(seed=seed)
        return self.observe()

    def observe(self) -> VisualState:
        return self.inner.observe().model_copy(update={"screen_resolution": (100, 100)})


class Raises(Plain):
    def perform(self, action: Action, *, key: str) -> ActionResult:
        result = super().perform(action, key=key)
        if not result.ok:
            raise RuntimeError("element not found")
        return result


class AlwaysFine(Plain):
    def perform(self, action: Action, *, key: str) -> ActionResult:
        super().perform(action, key=key)
        return ActionResult(exec_status=ExecStatus.EXECUTED)


class ActsTwice(Plain):
    keys = itertools.count()

    def perform(self, action: Action, *, key: str) -> ActionResult:
        return super().perform(action, key=f"{key}/{next(self.keys)}")


class TakesAnyDigest(Plain):
    def perform(self, action: Action, *, key: str) -> ActionResult:
        try:
            return super().perform(action, key=key)
        except DigestMismatch:
            return ActionResult(exec_status=ExecStatus.EXECUTED)


class GuessesTargets(Plain):
    def perform(self, action: Action, *, key: str) -> ActionResult:
        result = super().perform(action, key=key)
        return ActionResult(exec_status=ExecStatus.EXECUTED) if "elements match" in result.error else result


class ClosesOnce(Plain):
    closed = False

    def close(self) -> None:
        if self.closed:
            raise RuntimeError("already closed")
        self.closed = True


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        (Headless, "Headless has no observe, perform"),
        (GivesADict, "reset gave dict, not a VisualState"),
        (ForgetsTheSeed, "reset with a seed"),
        (ObservingTakesTime, "two observations in a row differ"),
        (RepeatsIds, "is given twice"),
        (BoxesOutside, "not inside the screen"),
        (Raises, "raised RuntimeError"),
        (AlwaysFine, "not error"),
        (ActsTwice, "a second time"),
        (TakesAnyDigest, "raises DigestMismatch"),
        (GuessesTargets, "was performed"),
        (ClosesOnce, "closing twice"),
    ],
)
def test_a_broken_promise_is_named(broken: Any, said: str) -> None:
    with pytest.raises(ContractError, match=said):
        check_environment(broken())
