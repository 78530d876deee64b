"""Scripted policies: read by position, so that a node that is worked again decides the same."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from protocol import AgentStatus, OperatorDecision, VisualState
from roles.contracts import GateRequest, OperatorView, PlanRequest, Subtask
from roles.contracts.signals import ALLOWED_DECISIONS, GateDecision, GateTrigger, Signal
from roles.policies.scripted import (
    ScriptedEvaluator,
    ScriptedManager,
    ScriptedOperator,
)


def click(name: str) -> dict[str, Any]:
    return {"status": "CONTINUE", "action": {"action_type": "click", "target": {"text": name}}}


def operator(**decisions: list[dict[str, Any]]) -> ScriptedOperator:
    return ScriptedOperator.model_validate({"decisions": decisions})


def view(memory: dict[str, Any] | None = None, name: str = "a", attempt: int = 1) -> OperatorView:
    subtask = Subtask(id=name, title=name, instruction=name, attempt=attempt)
    return OperatorView(user_request="do it", subtask=subtask, app=None, seen=VisualState(), memory=memory or {})


def targets(policy: ScriptedOperator, turns: int, name: str = "a", attempt: int = 1) -> list[str]:
    memory: dict[str, Any] = {}
    said = []
    for _ in range(turns):
        decision = policy.decide(view(memory, name, attempt))
        memory = decision.memory
        said.append(str(decision.action.target.text) if decision.action and decision.action.target else decision.status.value)
    return said


def test_a_script_is_played_by_position_for_each_subtask_and_attempt() -> None:
    assert targets(operator(a=[click("1"), click("2")]), 4) == ["1", "2", "FINISH", "FINISH"]
    policy = operator(a=[click("1"), click("2")])
    first = policy.decide(view())
    assert policy.decide(view()) == first
    assert policy.decide(view(first.memory)) == operator(a=[click("1"), click("2")]).decide(view(first.memory))
    lines = {"a": [click("a")], "a/2": [click("second")], "any": [click("any")]}
    policy = operator(**lines)
    assert targets(policy, 1, "a", 1) == ["a"]
    assert targets(policy, 1, "a", 2) == ["second"]
    assert targets(policy, 1, "b") == ["any"]
    assert targets(operator(a=[click("a")]), 1, "b") == ["FINISH"]
    assert operator(a=[click("1")]).decide(view({"mine": 1})).memory["mine"] == 1


def test_a_script_with_a_mistake_is_refused() -> None:
    with pytest.raises(ValidationError, match="explode"):
        operator(a=[{"status": "CONTINUE", "action": {"action_type": "explode"}}])
    with pytest.raises(ValidationError, match="plans"):
        ScriptedManager(plans=())


def test_a_line_without_a_status_is_an_error_and_no_end() -> None:
    decision = operator(a=[{"action": click("1")["action"]}]).decide(view())
    assert decision.status is AgentStatus.ERROR
    assert OperatorDecision.model_validate(decision.model_dump()).status is AgentStatus.ERROR


def test_the_manager_answers_by_attempt_and_repeats_its_last_plan() -> None:
    manager = ScriptedManager.model_validate({"plans": [{"outcome": "plan_failed"}, {"outcome": "infeasible", "reason": "no"}]})
    asked = [manager.plan(PlanRequest(goal="g", attempts=n)).outcome for n in (1, 2, 3, 1)]
    assert asked == ["plan_failed", "infeasible", "infeasible", "plan_failed"]


def evaluator(**verdicts: list[str]) -> ScriptedEvaluator:
    lines = {trigger: [{"decision": d, "reason": f"{trigger} {n}"} for n, d in enumerate(ds)] for trigger, ds in verdicts.items()}
    return ScriptedEvaluator.model_validate({"verdicts": lines})


def ask(policy: ScriptedEvaluator, trigger: GateTrigger, nth: int) -> GateDecision:
    return policy.judge(GateRequest(trigger=trigger, goal="g", nth=nth)).decision


def test_verdicts_are_given_in_order_for_each_kind_of_gate_in_any_process() -> None:
    policy = evaluator(WORKER_SUCCESS=["gate_fail", "gate_done"], FINAL_CHECK=["gate_fail"])
    asked = [(GateTrigger.WORKER_SUCCESS, 0), (GateTrigger.FINAL_CHECK, 0), (GateTrigger.WORKER_SUCCESS, 1)]
    assert [ask(policy, *a) for a in asked] == [Signal.GATE_FAIL, Signal.GATE_FAIL, Signal.GATE_DONE]
    first, resumed = (evaluator(FINAL_CHECK=["gate_fail", "gate_done"]) for _ in range(2))
    assert ask(first, GateTrigger.FINAL_CHECK, 1) is ask(resumed, GateTrigger.FINAL_CHECK, 1) is Signal.GATE_DONE


@pytest.mark.parametrize("trigger", GateTrigger)
def test_past_the_end_of_the_script_a_gate_gets_an_answer_that_it_may_have(trigger: GateTrigger) -> None:
    assert ask(evaluator(), trigger, 0) in ALLOWED_DECISIONS[trigger]
