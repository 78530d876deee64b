"""An environment with a time for each call: it can what the inner one can, and nobody waits for it without end."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from environments import contract
from environments.check import check_environment
from environments.contract import Environment, EnvironmentFault
from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.world.worldfile import load_world, parse_world
from protocol import ActionTarget, ExecStatus, Fill, Wait
from roles.contracts.nodes import RunBlocked, TimedEnvironment

CLAIM = "name: claim\napps: {reimbursement: {}, notes: {}}\nopen: [reimbursement]\n"
CAPABILITIES = [
    protocol
    for protocol in vars(contract).values()
    if isinstance(protocol, type) and getattr(protocol, "_is_runtime_protocol", False)
]


def desk() -> SimulatedDesktop:
    return SimulatedDesktop(parse_world(CLAIM))


class Blocked(SimulatedDesktop):
    """Does what is asked, and comes back when it is let go."""

    def __init__(self) -> None:
        super().__init__(parse_world(CLAIM))
        self.go = threading.Event()

    def perform(self, action: Any, *, key: str) -> Any:
        result = super().perform(action, key=key)
        self.go.wait()
        return result


def test_it_keeps_the_contract_of_environments() -> None:
    check_environment(TimedEnvironment(SimulatedDesktop(load_world("office")), 60.0))


@pytest.mark.parametrize("capability", CAPABILITIES, ids=lambda capability: capability.__name__)
def test_it_can_what_the_inner_one_can(capability: type) -> None:
    inner = desk()
    assert isinstance(TimedEnvironment(inner, 60.0), capability) == isinstance(inner, capability)


def test_what_passes_through_is_the_same() -> None:
    inner = desk()
    bounded: Any = TimedEnvironment(inner, 60.0)
    assert (bounded.clock, bounded.environment_type, bounded.apps()) == (inner.clock, inner.environment_type, inner.apps())
    assert (bounded.now, bounded.cards()) == (inner.now, inner.cards())
    bounded.perform(Fill(target=ActionTarget(text="Amount"), text="$5.00"), key="1")
    assert bounded.received() == inner.received() != []
    assert bounded.observe() == inner.observe()
    assert bounded.clock == inner.clock > 0


def test_a_fault_is_the_callers() -> None:
    inner = desk()
    bounded = TimedEnvironment(inner, 60.0)
    inner.close()
    with pytest.raises(EnvironmentFault, match="closed"):
        bounded.observe()


def test_an_action_that_takes_too_long_is_a_timeout_and_is_seen_when_it_has_come() -> None:
    inner = Blocked()
    bounded: Environment = TimedEnvironment(inner, 0.2)
    result = bounded.perform(Fill(target=ActionTarget(text="Amount"), text="$5.00"), key="1")
    assert (result.exec_status, "limits.action_seconds" in result.error) == (ExecStatus.TIMEOUT, True)
    with pytest.raises(RunBlocked, match=r"has not answered for 0\.2 seconds"):
        bounded.observe()
    inner.go.set()
    seen = _observed(bounded)
    assert any(element.value == "$5.00" for element in seen.elements)
    assert bounded.perform(Wait(seconds=1), key="2").ok


def _observed(bounded: Environment) -> Any:
    """What is seen as soon as the action has come back."""
    for _ in range(100):
        try:
            return bounded.observe()
        except RunBlocked:
            continue
    raise AssertionError("it never came back")


def test_closing_does_not_wait_for_what_hangs() -> None:
    inner = Blocked()
    bounded = TimedEnvironment(inner, 0.1)
    assert not bounded.perform(Wait(seconds=1), key="1").ok
    bounded.close()
    inner.go.set()
