"""Where a model need not be asked, since code can tell what it would be asked for. Each time it is said why."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Literal

from protocol import CARRIES, Frozen
from roles.contracts import EffectSeen, FactKnown, GateRequest, GateVerdict, PlanAnswer, PlanRequest, Subtask
from roles.contracts.orders import LedgerEntry
from roles.contracts.signals import GateTrigger, Signal, SubtaskStatus
from roles.journal.events import ErrorEvent, FactEvent, GateEvent, ModelCallEvent, PlanEvent, StepEvent
from roles.journal.journal import Event
from roles.policies.fallback import Recorder
from roles.safety.destinations import texts as texts_of
from roles.screen.calls import changes_something, is_call, looks_only
from roles.screen.screens import fold

JUDGED = (GateEvent, ErrorEvent, ModelCallEvent, StepEvent, FactEvent, PlanEvent)
"""Events that say what was judged, and what has happened since."""
_CODE = "code, no model"
NOT_ASKED = "no model is asked"
_WHOLE, _TITLE = "goal", 60
_COMMITS = frozenset({"send", "submit", "save", "delete", "move"})
_HARMLESS = frozenset({"save"})
"""Effects that reach nobody, and that can be taken back."""


class AdaptiveSettings(Frozen):
    """Where a model is not asked. What it would have to see is asked about as ever."""

    final_check: bool = True
    """At the final check of one subtask whose success a model has just judged on the same evidence, where code finds nothing
    against it, or of a goal in one piece where the model was told of that; or of a goal that a model worked in one piece, and of
    which rules read every word and find every order done."""
    gates: bool = False
    """At gates where code can tell: each of the last steps brought something new, none failed and none was repeated; or what the
    plan expects are values and texts that can be seen, and each of them came of the work."""
    plan: bool | Literal["as_needed"] = False
    """For a goal that is read whole and worked in one application: its plan is that of the rules. With `as_needed` every goal is
    given whole to an Operator's model first, with the pages that were found for it, and planned where that does not do (as-needed
    decomposition, Prasad et al. 2024)."""


class AdaptiveManager:
    """Asks for a plan where the reader has none and, with `whole`, where the goal was tried in one piece."""

    def __init__(self, policy: Any, rules: Any, record: Recorder, *, whole: bool = False) -> None:
        self._policy, self._rules, self._record, self._whole = policy, rules, record, whole

    def plan(self, request: PlanRequest) -> PlanAnswer:
        first = not (request.plan or request.failed or request.user_words or request.notes)
        if first and self._whole and not request.given and request.trigger == Signal.TASK_OPEN:
            title = request.goal if len(request.goal) <= _TITLE else f"{request.goal[:_TITLE]}…"
            whole = PlanAnswer(outcome="planned", subtasks=(Subtask(id=_WHOLE, title=title, instruction=request.goal),))
            return self._told(whole, "the goal is tried in one piece, and split where that does not do")
        if first and not request.supplements:
            answer: PlanAnswer = self._rules.plan(request)
            apps = {subtask.app for subtask in answer.subtasks}
            if answer.outcome == "planned" and len(apps) == 1 and {s.worker for s in answer.subtasks} == {"operator"}:
                return self._told(answer, f"the goal is read whole and worked in {apps.pop()} alone")
        asked: PlanAnswer = self._policy.plan(request)
        return asked

    def _told(self, answer: PlanAnswer, why: str) -> PlanAnswer:
        self._record({"decided_by": _CODE, "answer": why})
        return answer.model_copy(update={"reason": f"{answer.reason}; {why}" if answer.reason else why})


class AdaptiveEvaluator:
    """Asks for a verdict where neither an earlier one nor code tells it. `events` are those of JUDGED, oldest first."""

    def __init__(
        self, policy: Any, rules: Any, settings: AdaptiveSettings, events: Callable[[], Iterable[Event]], record: Recorder
    ) -> None:
        self._policy, self._rules, self._settings, self._events, self._record = policy, rules, settings, events, record

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
        match request.trigger:
            case GateTrigger.FINAL_CHECK if self._settings.final_check:
                why = self._judged_before(request) or self._read_twice(request)
            case GateTrigger.PERIODIC_CHECK if self._settings.gates:
                why = _moves(request)
            case GateTrigger.WORKER_SUCCESS if self._settings.final_check and _is_whole(request.subtask, request):
                why = "the goal was worked in one piece, and the final check asks the same"
            case GateTrigger.WORKER_SUCCESS if self._settings.gates:
                why = _shown(request)
            case _:
                return ""
        wanted = Signal.GATE_CONTINUE if request.trigger is GateTrigger.PERIODIC_CHECK else Signal.GATE_DONE
        return why if why and self._rules.judge(request).decision is wanted else ""

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
        live = _only(request) if request.trigger is GateTrigger.FINAL_CHECK and self._settings.final_check else None
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


def _moves(request: GateRequest) -> str:
    found = request.found
    if found is None or found.failed or found.repeated or found.recoveries or found.idle or not found.progress:
        return ""
    return f"every one of {found.steps} steps brought something, none failed, and none was repeated"


def _shown(request: GateRequest) -> str:
    """Values and texts that the plan says, and that this work has brought, each after its first change, and that are all that it
    wrote. A fact may be the wrong one, and what reaches others is to be seen by more than code."""
    found, wanted = request.found, request.subtask.expect if request.subtask is not None else ()
    mine = request.subtask.id if request.subtask is not None else ""
    checked = [one for one in (found.checked if found is not None else ()) if one.subtask == mine]
    effects = [one.verb for one in wanted if isinstance(one, EffectSeen)]
    if found is None or found.undone or found.failed or not _HARMLESS.issuperset(effects) or len(effects) == len(wanted):
        return ""
    if any(isinstance(one, FactKnown) or getattr(one, "fact", None) for one in wanted) or len(checked) < len(wanted):
        return ""
    texts = [fold(text) for step in request.steps for key in CARRIES & step.action.keys() for text in texts_of(step.action[key])]
    values = [fold(str(value)) for one in wanted for value in (getattr(one, "value", None), getattr(one, "text", None)) if value]
    covered = all(any(text in value or value in text for value in values) for text in texts if text)
    did = {step.verb for step in request.steps if step.verb in _COMMITS or (is_call(step) and not looks_only(step))}
    if not texts or not covered or not did <= _HARMLESS:
        return ""
    came = all(one.holds and not one.held_before for one in checked)
    return f"all {len(checked)} expectations are values that can be seen, and they came of the work" if came else ""
