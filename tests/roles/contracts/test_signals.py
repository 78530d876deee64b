"""The words that roles and hub exchange are those of seed 002, each of them and no other."""

from __future__ import annotations

from enum import StrEnum

import pytest

from orchestrator.core.machine import Situation, TaskStatus
from protocol import ExecStatus
from roles.contracts.signals import ALLOWED_DECISIONS, GATE_DECISIONS, GateTrigger, Signal, SubtaskStatus, gate_decision

WORDS: dict[type[StrEnum], str] = {
    TaskStatus: "created pending on_hold fulfilled rejected",
    SubtaskStatus: "ready pending fulfilled rejected",
    ExecStatus: "executed timeout error pending",
    GateTrigger: "PERIODIC_CHECK WORKER_STALE WORKER_SUCCESS FINAL_CHECK",
    Situation: "INIT GET_ACTION EXECUTE_ACTION QUALITY_CHECK PLAN SUPPLEMENT FINAL_CHECK DONE",
}


@pytest.mark.parametrize("kind", WORDS, ids=lambda kind: kind.__name__)
def test_the_words_of_a_status_are_those_of_the_seed(kind: type[StrEnum]) -> None:
    assert {word.value for word in kind} == set(WORDS[kind].split())


def test_a_gate_decision_is_one_of_the_words_of_the_seed_and_a_signal() -> None:
    assert {word.value for word in GATE_DECISIONS} == set(["gate_done", "gate_fail", "gate_supplement", "gate_continue"])
    assert {word for word in Signal if word.startswith("gate_")} == set(GATE_DECISIONS)
    assert [gate_decision(word.value) for word in GATE_DECISIONS] == [*GATE_DECISIONS]
    assert gate_decision("passed") is None


def test_each_trigger_has_decisions_and_each_decision_a_trigger() -> None:
    assert set(ALLOWED_DECISIONS) == set(GateTrigger)
    assert set().union(*ALLOWED_DECISIONS.values()) == set(GATE_DECISIONS)
    assert ALLOWED_DECISIONS[GateTrigger.FINAL_CHECK] == {Signal.GATE_DONE, Signal.GATE_FAIL}
    assert all(Signal.GATE_FAIL in allowed for allowed in ALLOWED_DECISIONS.values())
