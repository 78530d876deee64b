"""Scripted policies: decisions written down in YAML, for tests, demonstrations and replay.

A script is read by position: the number of decisions already made comes with the request, so that a node that is worked
again after a kill makes the same decision again.
"""

from collections.abc import Mapping
from typing import TypeVar

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
    Subtask,
)
from roles.contracts.policies import UNCHECKED
from roles.contracts.signals import GateDecision, GateTrigger, Signal

_CURSOR = "script_line"
_Line = TypeVar("_Line")


def _of_subtask(lines: Mapping[str, tuple[_Line, ...]], subtask: Subtask) -> tuple[_Line, ...] | None:
    """What a script says of this attempt at a subtask, of every attempt, or of `any` subtask; None: it does not name it."""
    named = [lines[name] for name in (f"{subtask.id}/{subtask.attempt}", subtask.id, "any") if name in lines]
    return next(filter(None, named), () if named else None)


class ScriptedManager(Frozen):
    """One answer per planning attempt; the last one is repeated."""

    plans: tuple[PlanAnswer, ...] = Field(min_length=1)

    def plan(self, request: PlanRequest) -> PlanAnswer:
        return self.plans[min(request.attempts, len(self.plans)) - 1]


class ScriptedOperator(Frozen):
    """Decisions per subtask id, or `any` for every subtask; past the end the Operator finishes.

    Of a subtask that it does not name a script says nothing: in a chain the next policy decides.
    """

    decisions: dict[str, tuple[OperatorDecision, ...]]

    def decide(self, view: OperatorView) -> OperatorDecision:
        lines, at = _of_subtask(self.decisions, view.subtask), int(view.memory.get(_CURSOR, 0))
        if lines is None:
            return OperatorDecision(
                status=AgentStatus.ERROR, comment=f"the script says nothing of {view.subtask.id}", memory=view.memory
            )
        if at >= len(lines):
            return OperatorDecision(status=AgentStatus.FINISH, comment="the script has ended", memory=view.memory)
        return lines[at].model_copy(update={"memory": {**view.memory, _CURSOR: at + 1}})


class ScriptedTechnician(Frozen):
    """Scripts per subtask id, or `any` for every subtask; past the end, or where one did not work, the Technician is done."""

    scripts: dict[str, tuple[Script, ...]]

    def write(self, request: ScriptRequest) -> ScriptAnswer:
        scripts = _of_subtask(self.scripts, request.subtask) or ()
        if request.ran and request.ran[-1].error:
            return ScriptAnswer(outcome="cannot", reason=f"script {len(request.ran)} did not work: {request.ran[-1].error}")
        if len(request.ran) >= len(scripts):
            return ScriptAnswer(outcome="done", reason="the script has ended")
        return ScriptAnswer(outcome="run", script=scripts[len(request.ran)])


class ScriptedEvaluator(Frozen):
    """Verdicts by trigger, one per gate of that kind; past the end a gate is done, or goes on."""

    verdicts: dict[GateTrigger, tuple[GateVerdict, ...]] = Field(default_factory=dict)

    def judge(self, request: GateRequest) -> GateVerdict:
        lines = self.verdicts.get(request.trigger, ())
        if request.nth < len(lines):
            return lines[request.nth]
        goes_on = request.trigger in {GateTrigger.PERIODIC_CHECK, GateTrigger.WORKER_STALE}
        return GateVerdict(decision=Signal.GATE_CONTINUE if goes_on else Signal.GATE_DONE, reason="the script has ended")


class ScriptedAnalyst(Frozen):
    """Answers by subtask id, or `any` for every subtask, whatever is known."""

    answers: dict[str, Answer]

    def answer(self, request: AnalystRequest) -> Answer:
        found = self.answers.get(request.subtask.id) or self.answers.get("any")
        return found or Answer(missing=(f"a line of the script for {request.subtask.id}",), reason="the script has no answer")


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
