"""A policy chosen by the subtask, by its application, its worker or its id; of the Evaluator also by why it is asked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from roles.contracts import AnalystRequest, GateRequest, OperatorView, PlanRequest, ScriptRequest, Subtask
from roles.policies.combined import Combined, Method, Named, Put, Recorder, briefly, unrecorded
from roles.signals import GateTrigger


class Case(NamedTuple):
    """A policy for the subtasks that match all that is said."""

    use: Named
    app: str | None = None
    worker: str | None = None
    subtask: str | None = None
    trigger: GateTrigger | None = None

    def fits(self, subtask: Subtask | None, trigger: GateTrigger | None = None) -> bool:
        if self.trigger is not None and self.trigger is not trigger:
            return False
        if subtask is None:
            return self.trigger is not None and not (self.app or self.worker or self.subtask)
        said = ((self.app, subtask.app), (self.worker, subtask.worker), (self.subtask, subtask.id))
        return all(wanted is None or wanted == had for wanted, had in said)


class BySubtask(Combined):
    """The first case that fits decides, and the role's own policy where none does. It is recorded who did."""

    def __init__(self, cases: Sequence[Case], otherwise: Named, record: Recorder = unrecorded) -> None:
        self._cases = tuple(cases)
        self._otherwise = otherwise
        self._record = record

    def choose(self, method: Method, request: Any, put: Put) -> Any:
        subtask = _subtask_of(request)
        trigger = request.trigger if isinstance(request, GateRequest) else None
        chosen = next((case.use for case in self._cases if case.fits(subtask, trigger)), self._otherwise)
        answer = put(chosen)
        if not isinstance(chosen.policy, Combined):  # those record it themselves
            self._record({"decided_by": chosen.name, "answer": briefly(answer)})
        return answer


def _subtask_of(request: PlanRequest | OperatorView | GateRequest | AnalystRequest | ScriptRequest) -> Subtask | None:
    """The subtask that a question is about; a plan is about the one that failed, if one did."""
    if isinstance(request, PlanRequest):
        return next((s for s in request.plan if s.id == request.failed), None)
    return request.subtask
