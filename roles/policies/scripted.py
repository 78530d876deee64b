"""Scripted policies: decisions written down in YAML, for tests, demonstrations and replay.

A script is read by position: the number of decisions already made comes with the request, so that a node that is worked
again after a kill makes the same decision again.
"""

from __future__ import annotations

from typing import Any

from pydantic import Field

from protocol import AgentStatus, Frozen, OperatorDecision
from roles.contracts import (
    AnalystRequest,
    Answer,
    GateRequest,
    GateVerdict,
    OperatorView,
    PlanAnswer,
    PlanRequest,
    Script,
    ScriptAnswer,
    ScriptRequest,
)
from roles.contracts.policies import UNCHECKED
from roles.contracts.signals import GateDecision, GateTrigger, Signal


class TechnicianScript(Frozen):
    """Scripts per subtask id, or `any` for every subtask; past the end, or where one did not work, the Technician is done."""

    scripts: dict[str, tuple[Script, ...]]


class ScriptedTechnician:
    """Runs what stands next for the subtask: how many were run comes with the request."""

    def __init__(self, script: TechnicianScript) -> None:
        self._scripts = script.scripts

    def write(self, request: ScriptRequest) -> ScriptAnswer:
        scripts = self._scripts.get(f"{request.subtask.id}/{request.subtask.attempt}") or self._scripts.get(request.subtask.id)
        scripts = scripts or self._scripts.get("any", ())
        if request.ran and request.ran[-1].error:
            return ScriptAnswer(outcome="cannot", reason=f"script {len(request.ran)} did not work: {request.ran[-1].error}")
        if len(request.ran) >= len(scripts):
            return ScriptAnswer(outcome="done", reason="the script has ended")
        return ScriptAnswer(outcome="run", script=scripts[len(request.ran)])


_WORDS: dict[GateTrigger, GateDecision] = {
    GateTrigger.WORKER_SUCCESS: Signal.GATE_DONE,
    GateTrigger.FINAL_CHECK: Signal.GATE_DONE,
    GateTrigger.PERIODIC_CHECK: Signal.GATE_CONTINUE,
    GateTrigger.WORKER_STALE: Signal.GATE_FAIL,
}


class TrustingEvaluator:
    """Looks at nothing: who says done is done, who says stuck is stuck."""

    def judge(self, request: GateRequest) -> GateVerdict:
        said = request.summary or "nothing"
        return GateVerdict(decision=_WORDS[request.trigger], reason=f"{UNCHECKED}{said}")


_CURSOR = "script_line"


class ManagerScript(Frozen):
    """One answer per planning attempt; the last one is repeated."""

    plans: tuple[PlanAnswer, ...] = Field(min_length=1)


class OperatorScript(Frozen):
    """Decisions per subtask id, or `any` for every subtask; past the end the Operator finishes."""

    decisions: dict[str, tuple[OperatorDecision, ...]]


class EvaluatorScript(Frozen):
    """Verdicts by trigger, one per gate of that kind; past the end a gate is done."""

    verdicts: dict[GateTrigger, tuple[GateVerdict, ...]] = Field(default_factory=dict)


class AnalystScript(Frozen):
    """Answers by subtask id, or `any` for every subtask."""

    answers: dict[str, Answer]


class ScriptedManager:
    """Answers with the plan written for this attempt."""

    def __init__(self, script: ManagerScript) -> None:
        self._plans = script.plans

    def plan(self, request: PlanRequest) -> PlanAnswer:
        return self._plans[min(request.attempts, len(self._plans)) - 1]


class ScriptedOperator:
    """Decides what stands next in the script of the subtask."""

    def __init__(self, script: OperatorScript) -> None:
        self._decisions = script.decisions

    def decide(self, view: OperatorView) -> OperatorDecision:
        lines = self._decisions.get(f"{view.subtask.id}/{view.subtask.attempt}") or self._decisions.get(view.subtask.id)
        lines = lines or self._decisions.get("any", ())
        at = int(view.memory.get(_CURSOR, 0))
        if at >= len(lines):
            return OperatorDecision(status=AgentStatus.FINISH, comment="the script has ended", memory=view.memory)
        memory: dict[str, Any] = {**view.memory, _CURSOR: at + 1}
        return lines[at].model_copy(update={"memory": memory})


class ScriptedEvaluator:
    """Gives the verdicts of the script, by trigger and in order."""

    def __init__(self, script: EvaluatorScript) -> None:
        self._verdicts = script.verdicts

    def judge(self, request: GateRequest) -> GateVerdict:
        lines = self._verdicts.get(request.trigger, ())
        if request.nth < len(lines):
            return lines[request.nth]
        goes_on = request.trigger in {GateTrigger.PERIODIC_CHECK, GateTrigger.WORKER_STALE}
        return GateVerdict(decision=Signal.GATE_CONTINUE if goes_on else Signal.GATE_DONE, reason="the script has ended")


class ScriptedAnalyst:
    """Gives the answer written for the subtask, whatever is known."""

    def __init__(self, script: AnalystScript) -> None:
        self._answers = script.answers

    def answer(self, request: AnalystRequest) -> Answer:
        found = self._answers.get(request.subtask.id) or self._answers.get("any")
        return found or Answer(missing=(f"a line of the script for {request.subtask.id}",), reason="the script has no answer")
