"""`report.json`: what a run did, gathered from its journal. Everything in it is redacted already."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, get_args

from pydantic import ValidationError

from orchestrator.core.machine import UNDONE, Situation
from orchestrator.runs.blackboard import board_at, fact_of, fact_shown
from roles.contracts.limits import Limits
from roles.journal import events as journal
from roles.journal.budgets import Budget, Budgets, BudgetUse, Spending
from roles.journal.events import ControlEvent, Json
from roles.journal.journal import Content, Event
from roles.safety.effects import learned_rules

_CHECKS = {Situation.QUALITY_CHECK.value, Situation.FINAL_CHECK.value}
_UNDONE = {signal.value for signal in UNDONE}
_ANEW = {Situation.PLAN.value, Situation.SUPPLEMENT.value}
_AFTER_WAITING = frozenset(event.KIND for event in (journal.RunResumedEvent, journal.ApprovalEvent, journal.ApprovalExpiredEvent))
"""The time before one of these was a person's, or nobody's."""
_NOT_IN_EVENTS = "limits.simulated_seconds"
"""The clock of the world is the world's."""


def budgets_of(events: Iterable[Event], settings: Mapping[str, Any]) -> list[Budget]:
    """Every budget that the journal can tell; none where the settings are not of this version."""
    counting = BudgetCount()
    for event in events:
        counting.hear(event)
    return counting.budgets(settings)


@dataclass
class BudgetCount:
    """What was used up by the events that were heard, in order."""

    _spending: Spending = field(default_factory=Spending)
    _steps: int = 0
    _plans: int = 0
    _replans: int = 0
    _gates: int = 0
    _steps_by: Counter[str] = field(default_factory=Counter)
    _seconds: float = 0.0
    _last: float | None = None

    def hear(self, event: Event) -> None:
        self._spending.hear(event.role, content := event.content)
        if isinstance(content, journal.SituationEvent):
            self._plans += content.next == Situation.PLAN.value
            self._replans += content.signal in _UNDONE and content.next in _ANEW
            self._gates += content.next in _CHECKS
        elif isinstance(content, journal.StepEvent):
            self._steps = max(self._steps, event.step)
            self._steps_by[event.role] += 1
        if self._last is not None and event.kind not in _AFTER_WAITING:
            self._seconds += max(event.at - self._last, 0.0)
        self._last = event.at

    def budgets(self, settings: Mapping[str, Any]) -> list[Budget]:
        try:
            limits = Limits.model_validate(settings.get("limits", {}))
        except ValidationError:
            return []
        return [budget for budget in Budgets(limits).standing(self._used()) if budget.key != _NOT_IN_EVENTS]

    def _used(self) -> BudgetUse:
        return BudgetUse(
            self._spending, steps=self._steps, plans=self._plans, replans=self._replans, gates=self._gates,
            steps_by=dict(self._steps_by), seconds=self._seconds,
        )  # fmt: skip


CONTROL = frozenset(event.KIND for event in get_args(ControlEvent))


def build_report(
    events: list[Event], *, run: dict[str, Any], result: dict[str, Any], budgets: Sequence[Budget] = ()
) -> dict[str, Any]:
    """`run` is `run.json`; `result` is how the controller ended, or how far it came, and `budgets` what it used up by then."""
    waiting = _waiting(events) if result["status"] == "on_hold" else None
    steps = [_step(e) for e in events if e.kind == journal.StepEvent.KIND]
    return {
        "run_id": run["run_id"],
        "goal": run["goal"],
        "task": run.get("task_id") or None,
        "world": run["settings"]["world"],
        "environment_type": run.get("environment_type"),
        "seed": run["settings"]["seed"],
        "status": result["status"],
        "reason": result["reason"],
        "ended_by": result.get("ended_by"),
        "counts": {
            "steps": sum(e.kind == journal.StepEvent.KIND for e in events),
            "plans": result.get("plans", 0),
            "gates": result.get("gates", 0),
        },
        "budget_spent": _spent(events) if result.get("ended_by") == "budget_spent" else None,
        "budgets": {budget.key: budget.as_json() for budget in budgets},
        "models": _models(events),
        "wall_seconds": round(result.get("elapsed", 0.0), 3),
        "plan": _plan(events),
        "plan_given": bool(run.get("plan_given")),
        "ledger": next((list(last.entries) for _, last in reversed(_said(events, journal.LedgerEvent))), []),
        "answer": next((fact.value for _, fact in reversed(_said(events, journal.FactEvent)) if fact.name == "answer"), ""),
        "facts": [fact_shown(fact_of(e)) for e in events if e.kind == journal.FactEvent.KIND],
        "blackboard": board_at(events),
        "steps": steps,
        "gates": [
            _pick(e.body, "trigger", "decision", "reason", "evidence", "issues") | {"subtask": e.subtask}
            for e in events
            if e.kind == journal.GateEvent.KIND
        ],
        "approvals": [_approval(e) for e in events if e.kind == journal.ApprovalEvent.KIND],
        "constraints": {
            "given": {k: said for k, said in (run["settings"].get("constraints") or {}).items() if said},
            "added": [e.body | {"step": e.step} for e in events if e.kind == journal.ConstraintsAddedEvent.KIND],
        },
        "control": [{"kind": e.kind, "step": e.step, **e.body} for e in events if e.kind in CONTROL],
        "pending": waiting,
        "supplements": [
            {"query": brought.query, "found": [_pick(f, "source", "title") for f in brought.found]}
            for _, brought in _said(events, journal.SupplementEvent)
        ],
        "knowledge": _looked_up(events),
        "network": {"learned": learned_rules(e.body for e in events if e.kind == journal.NetworkLearnedEvent.KIND)},
        "safety_findings": [
            e.body | {"step": e.step} for e, found in _said(events, journal.ReviewedEvent) if found.verdict != "allow"
        ],
        "environment_events": [
            {"step": e.step, "event": text} for e, feedback in _said(events, journal.FeedbackEvent) for text in feedback.events
        ],
        "errors": [{"role": e.role, **_pick(e.body, "message", "reply")} for e in events if e.kind == journal.ErrorEvent.KIND],
        "decided_by": [{"role": e.role, "step": e.step, **e.body} for e in events if e.kind == journal.PolicyEvent.KIND],
        "transitions": [taken.row for _, taken in _said(events, journal.SituationEvent)],
    }


def _said(events: list[Event], kind: type[Content]) -> list[tuple[Event, Content]]:
    """The events of one kind, each with what it says."""
    found = ((event, event.content) for event in events if event.kind == kind.KIND)
    return [(event, said) for event, said in found if isinstance(said, kind)]


def _spent(events: list[Event]) -> Json | None:
    """The budget that ended the run, and how to raise it."""
    spent = [event.body for event, _ in _said(events, journal.BudgetEvent)]
    return _pick(spent[-1], "key", "used", "limit", "more") if spent else None


def _models(events: list[Event]) -> dict[str, dict[str, Any]]:
    """What each role's models were asked and used."""
    spending = Spending.of((e.role, e.content) for e in events if e.kind == journal.ModelCallEvent.KIND)
    return {
        role: asdict(use) | {"money": round(use.money, 6), "seconds": round(use.seconds, 3)}
        for role, use in spending.by_role.items()
    }


def _plan(events: list[Event]) -> list[dict[str, Any]]:
    """The latest plan with the latest statuses."""
    plans = [plan for _, plan in _said(events, journal.PlanEvent)]
    if not plans:
        return []
    statuses: dict[str, tuple[str, int]] = {}
    for event, now in _said(events, journal.SubtaskStatusEvent):
        statuses[event.subtask] = (now.status, now.attempt)
    shown = []
    for subtask in plans[-1].subtasks:
        status, attempt = statuses.get(subtask["id"], (subtask.get("status", "ready"), 0))
        kept = _pick(subtask, "id", "title", "instruction", "app", "worker", "depends_on", "pinned")
        shown.append(kept | {"status": status, "attempt": attempt})
    return shown


def _step(event: Event) -> Json:
    kept = _pick(event.body, "action", "verb", "target", "app", "exec_status", "error", "visible_change", "events")
    return {"step": event.step, "subtask": event.subtask, "role": event.role, **kept}


def _approval(event: Event) -> Json:
    return _pick(event.body, "decision", "message", "who", "way", "line", "plan_version", "worked") | {"step": event.step}


def _waiting(events: list[Event]) -> Json | None:
    asked = [e for e in events if e.kind == journal.ApprovalRequestedEvent.KIND]
    return asked[-1].body if asked else None


def _pick(body: Json, *keys: str) -> Json:
    return {key: body[key] for key in keys if key in body}


def _looked_up(events: Iterable[Event]) -> list[dict[str, Any]]:
    """What the report says of what was looked up: followed or not, why, by which subtasks, and whether it helped."""
    pages: dict[tuple[str, str], dict[str, Any]] = {}
    for event in events:
        match event.content:
            case journal.KnowledgeHelpedEvent() as said:
                known = pages.get((said.source, said.title), {})
                pages[said.source, said.title] = known | {"helped": said.helped, "why": said.why or known.get("why", "")}
            case journal.KnowledgeUsedEvent() as said:
                pages[said.source, said.title] = {"used": False} | event.body
    return list(pages.values())
