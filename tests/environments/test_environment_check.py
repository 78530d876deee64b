"""The contract check lets the desktop through, and catches every broken promise."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import pytest

from environments.check import ContractError, check_environment
from environments.contract import DigestMismatch
from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.world.worldfile import load_world, parse_world
from protocol import Action, ActionResult, ExecStatus, VisualState

FINE = ActionResult(exec_status=ExecStatus.EXECUTED)
TICKS = itertools.count()


class Plain:
    """The desktop as an adapter without any capability beside the contract."""

    name = "plain"
    closed = False

    def __init__(self) -> None:
        self.inner = SimulatedDesktop(load_world("office"))

    def reset(self, *, seed: int | None = None) -> VisualState:
        return self.inner.reset(seed=seed)

    def observe(self) -> VisualState:
        return self.inner.observe()

    def perform(self, action: Action, *, key: str) -> ActionResult:
        return self.inner.perform(action, key=key)

    def close(self) -> None:
        self.inner.close()


def test_the_desktop_keeps_every_promise() -> None:
    kept = check_environment(SimulatedDesktop(load_world("office")))
    assert len(kept) == 9
    assert "an ambiguous text target is an error that names the candidates" in kept


def test_an_adapter_without_capabilities_and_a_world_without_windows_can_be_checked() -> None:
    assert "observe changes nothing" in check_environment(Plain())
    assert check_environment(SimulatedDesktop(parse_world("apps: {settings: }")))


def seen(change: Callable[[VisualState], dict[str, Any]]) -> dict[str, Any]:
    """Every screen with this change."""

    def observe(self: Plain) -> VisualState:
        state = self.inner.observe()
        return state.model_copy(update=change(state))

    def reset(self: Plain, *, seed: int | None = None) -> VisualState:
        self.inner.reset(seed=seed)
        return observe(self)

    return {"observe": observe, "reset": reset}


def answered(change: Callable[[ActionResult], ActionResult]) -> dict[str, Any]:
    return {"perform": lambda self, action, *, key: change(self.inner.perform(action, key=key))}


def raising(result: ActionResult) -> ActionResult:
    if not result.ok:
        raise RuntimeError("element not found")
    return result


def taking_any(self: Plain, action: Action, *, key: str) -> ActionResult:
    try:
        return self.inner.perform(action, key=key)
    except DigestMismatch:
        return FINE


def closing_once(self: Plain) -> None:
    if self.closed:
        raise RuntimeError("already closed")
    self.closed = True


@pytest.mark.parametrize(
    ("methods", "said"),
    [
        ({"reset": lambda self, *, seed=None: self.inner.reset(seed=seed).model_dump()}, "reset gave dict, not a VisualState"),
        ({"reset": lambda self, *, seed=None: self.inner.reset(seed=next(TICKS))}, "reset with a seed"),
        ({"observe": seen(lambda state: {"timestamp": float(next(TICKS))})["observe"]}, "two observations in a row differ"),
        (seen(lambda state: {"elements": (*state.elements, state.elements[0])}), "is given twice"),
        (seen(lambda state: {"screen_resolution": (100, 100)}), "not inside the screen"),
        (answered(raising), "raised RuntimeError"),
        (answered(lambda result: FINE), "not error"),
        ({"perform": lambda self, action, *, key: self.inner.perform(action, key=f"{key}/{next(TICKS)}")}, "a second time"),
        ({"perform": taking_any}, "raises DigestMismatch"),
        (answered(lambda result: FINE if "elements match" in result.error else result), "was performed"),
        ({"close": closing_once}, "closing twice"),
    ],
)
def test_a_broken_promise_is_named(methods: dict[str, Any], said: str) -> None:
    with pytest.raises(ContractError, match=said):
        check_environment(type("Broken", (Plain,), methods)())


def test_what_lacks_a_method_is_named_with_it() -> None:
    with pytest.raises(ContractError, match="Headless has no observe, perform"):
        check_environment(type("Headless", (), {"reset": None, "close": None})())
