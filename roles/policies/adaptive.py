"""Where a model need not be asked, since code can tell what it would be asked for. Each time it is said why."""

from collections.abc import Callable, Iterable
from typing import Any, Literal

from protocol import Frozen
from roles.contracts import GateRequest, GateVerdict, PlanAnswer, PlanRequest, Subtask
from roles.contracts.orders import LedgerEntry
from roles.contracts.signals import GateTrigger, Signal, SubtaskStatus
from roles.journal.events import ErrorEvent, FactEvent, GateEvent, ModelCallEvent, PlanEvent, StepEvent
from roles.journal.journal import Event
from roles.policies.fallback import Recorder
from roles.screen.calls import changes_something

JUDGED = (GateEvent, ErrorEvent, ModelCallEvent, StepEvent, FactEvent, PlanEvent)
"""Events that say what was judged, and what has happened since."""
_CODE = "code, no model"
NOT_ASKED = "no model is asked"
_WHOLE, _TITLE = "goal", 60


class AdaptiveSettings(Frozen):
    """Where a model is not asked. What it would have to see is asked about as ever."""

    final_check: bool = True
    """At the final check of one subtask whose success a model has just judged on the same evidence, where code finds nothing
    against it, or of a goal in one piece where the model was told of that; or of a goal that a model worked in one piece, and of
    which rules read every word and find every order done."""
    plan: Literal["as_needed", False] = False
    """With `as_needed` every goal is given whole to an Operator's model first, with the pages that were found for it, and planned
    where that does not do (as-needed decomposition, Prasad et al. 2024)."""


class AdaptiveManager:
    """Asks for a plan where the goal was tried in one piece."""

    def __init__(self, policy: Any, record: Recorder) -> None:
        self._policy, self._record = policy, record

    def plan(self, request: PlanRequest) -> PlanAnswer:
        known = request.plan or request.failed or request.user_words or request.notes or request.given
        if known or request.trigger != Signal.TASK_OPEN:
            asked: PlanAnswer = self._policy.plan(request)
            return asked
        title = request.goal if len(request.goal) <= _TITLE else f"{request.goal[:_TITLE]}…"
        why = "the goal is tried in one piece, and split where that does not do"
        self._record({"decided_by": _CODE, "answer": why})
        return PlanAnswer(outcome="planned", subtasks=(Subtask(id=_WHOLE, title=title, instruction=request.goal),), reason=why)


class AdaptiveEvaluator:
    """Asks for a verdict where neither an earlier one nor code tells it. `events` are those of JUDGED, oldest first."""

    def __init__(self, policy: Any, rules: Any, events: Callable[[], Iterable[Event]], record: Recorder) -> None:
        self._policy, self._rules, self._events, self._record = policy, rules, events, record

    @property
    def compare(self) -> Any:
        """How the policy compares attempts; None where it does not."""
        return getattr(self._policy, "compare", None)

    def judge(self, request: GateRequest) -> GateVerdict:
        if not request.reask and (gate := self._insisted(request)) is not None:
            why = "told of what rules miss, it said so on the same evidence just before"
            verdict = GateVerdict(decision=Signal.GATE_DONE, reason=gate.reason, evidence=tuple(gate.evidence))
        elif not request.reask and (why := self._known(request)):
            verdict = self._rules.judge(request)
        else:
            why = ""
        if why:
            self._record({"decided_by": _CODE, "answer": f"{verdict.decision.value}: {why}"})
            return verdict.model_copy(update={"reason": f"{verdict.reason}; {NOT_ASKED}: {why}"})
        asked: GateVerdict = self._policy.judge(request)
        return asked

    def _known(self, request: GateRequest) -> str:
        """Why the verdict of the rules is as good as a model's here; empty where it is not."""
        if request.trigger is GateTrigger.FINAL_CHECK:
            why = self._judged_before(request) or self._read_twice(request)
        elif request.trigger is GateTrigger.WORKER_SUCCESS and _is_whole(request.subtask, request):
            why = "the goal was worked in one piece, and the final check asks the same"
        else:
            why = ""
        return why if why and self._rules.judge(request).decision is Signal.GATE_DONE else ""

    def _read_twice(self, request: GateRequest) -> str:
        """Two readings of the goal that do not know of each other agree: that of the model which worked it, and that of rules,
        which find each order, exclusion and limit shown by evidence, and nothing done besides."""
        live, orders = _only(request), _orders(request)
        worked = any(event.role == "operator" and isinstance(event.content, ModelCallEvent) for event in self._events())
        if live is None or live.instruction != request.goal or live.expect or not worked:
            return ""
        shown = [entry for entry in orders if entry.state == "shown" and entry.sure and entry.evidence]
        if not any(changes_something(step) for step in request.steps) or not shown or any(e.state != "shown" for e in orders):
            return ""
        unproven = [entry for entry in orders if entry.kind == "order" and entry not in shown]
        return "" if unproven else f"every word of the goal is read, and evidence shows each of {len(orders)} orders and limits"

    def _judged_before(self, request: GateRequest) -> str:
        live, orders = _only(request), _orders(request)
        if live is None:
            return ""
        if not any(changes_something(step) for step in request.steps) and not any(e.state == "shown" for e in orders):
            return ""  # nothing was done, and whether that is what was wanted is not code's to say
        gate = self._last_gate(live, request)
        if gate is None or any(e.speaks_against for e in orders):
            return ""
        return f"its one subtask was judged on the same evidence just before ({gate.reason})"

    def _insisted(self, request: GateRequest) -> GateEvent | None:
        """The success of a goal in one piece as a model judged it on the same evidence just before, told of each order that
        speaks against it now: the same question would be asked again."""
        live = _only(request) if request.trigger is GateTrigger.FINAL_CHECK else None
        against = [entry for entry in _orders(request) if entry.speaks_against]
        if live is None or not against or not _is_whole(live, request):
            return None
        gate = self._last_gate(live, request)
        told = gate.found.get("undone", ()) if gate is not None else ()
        known = all(e.kind == "order" and any(said.startswith(f"not done: {e.text} (") for said in told) for e in against)
        return gate if known else None

    def _last_gate(self, subtask: Subtask, request: GateRequest) -> GateEvent | None:
        """The success of the subtask, as a model judged it, where nothing has happened since."""
        focused = f"state:{request.screens[-1].state_id}" if request.screens else ""
        gate: GateEvent | None = None
        asked = False
        for event in self._events():
            content = event.content
            if isinstance(content, ModelCallEvent | ErrorEvent):
                if event.role == "evaluator":  # an answer that was not usable is no verdict
                    asked = isinstance(content, ModelCallEvent) and not content.problem
            elif isinstance(content, GateEvent):
                good = asked and event.subtask == subtask.id and content.decision == Signal.GATE_DONE.value
                gate = content if good and content.trigger == GateTrigger.WORKER_SUCCESS.value else None
                asked = False
            else:
                gate = None
        return gate if gate is not None and gate.found.get("after", "") == focused else None


def _is_whole(subtask: Subtask | None, request: GateRequest) -> bool:
    """Whether it is the goal in one piece."""
    only = subtask if len(request.plan) == 1 else None
    return only is not None and only.id == _WHOLE and only.instruction == request.goal and not only.expect


def _only(request: GateRequest) -> Subtask | None:
    """The one subtask of a plan that is fulfilled, where the user said nothing that it does not know of."""
    live = [subtask for subtask in request.plan if subtask.status is not SubtaskStatus.REJECTED]
    fulfilled = len(live) == 1 and live[0].status is SubtaskStatus.FULFILLED
    return live[0] if fulfilled and not (request.notes or request.user_words) else None


def _orders(request: GateRequest) -> tuple[LedgerEntry, ...]:
    return request.found.ledger.entries if request.found is not None and request.found.ledger is not None else ()
