"""`report.json`: what a run did, gathered from its journal. Everything in it is redacted already."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from orchestrator.store.blackboard import board_at, fact_of, fact_shown
from roles.contracts.limits.budgets import Budget, Spending
from roles.journal.events import ModelCallEvent
from roles.journal.journal import Event
from roles.safety.constraints import ADDED
from roles.safety.effects import LEARNED, learned_rules

CONTROL = frozenset({"paused", "steered", "taken_over", "handed_back", "cancelled", "dropped"})
"""What people have asked of the run, and what the crew has left undone for it."""


def build_report(
    events: list[Event], *, run: dict[str, Any], result: dict[str, Any], budgets: Sequence[Budget] = ()
) -> dict[str, Any]:
    """`run` is `run.json`; `result` is how the controller ended, or how far it came, and `budgets` what it used up by then."""
    from orchestrator.lab.learning.helping import told

    waiting = _waiting(events) if result["status"] == "on_hold" else None
    steps = [_step(e) for e in events if e.kind == "step"]
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
            "steps": sum(e.kind == "step" for e in events),
            "plans": result.get("plans", 0),
            "gates": result.get("gates", 0),
        },
        "budget_spent": _spent(events) if result.get("ended_by") == "budget_spent" else None,
        "budgets": {budget.key: budget.as_json() for budget in budgets},
        "models": _models(events),
        "wall_seconds": round(result.get("elapsed", 0.0), 3),
        "plan": _plan(events),
        "answer": next((str(e.body["value"]) for e in reversed(events) if e.kind == "fact" and e.body["name"] == "answer"), ""),
        "facts": [fact_shown(fact_of(e)) for e in events if e.kind == "fact"],
        "blackboard": board_at(events),
        "steps": steps,
        "gates": [
            _pick(e.body, "trigger", "decision", "reason", "evidence", "issues") | {"subtask": e.subtask}
            for e in events
            if e.kind == "gate"
        ],
        "approvals": [_approval(e) for e in events if e.kind == "approval"],
        "constraints": {
            "given": {k: said for k, said in (run["settings"].get("constraints") or {}).items() if said},
            "added": [e.body | {"step": e.step} for e in events if e.kind == ADDED],
        },
        "control": [{"kind": e.kind, "step": e.step, **e.body} for e in events if e.kind in CONTROL],
        "pending": waiting,
        "supplements": [
            {"query": e.body["query"], "found": [_pick(f, "source", "title") for f in e.body["found"]]}
            for e in events
            if e.kind == "supplement"
        ],
        "knowledge": told(events),
        "network": {"learned": learned_rules(e.body for e in events if e.kind == LEARNED)},
        "safety_findings": [e.body | {"step": e.step} for e in events if e.kind == "reviewed" and e.body["verdict"] != "allow"],
        "environment_events": [
            {"step": e.step, "event": text} for e in events if e.kind == "feedback" for text in e.body["events"]
        ],
        "errors": [{"role": e.role, **_pick(e.body, "message", "reply")} for e in events if e.kind == "error"],
        "decided_by": [{"role": e.role, "step": e.step, **e.body} for e in events if e.kind == "policy"],
        "transitions": [e.body["row"] for e in events if e.kind == "situation"],
    }


def _spent(events: list[Event]) -> dict[str, Any] | None:
    """The budget that ended the run, and how to raise it."""
    spent = [e.body for e in events if e.kind == "budget"]
    return _pick(spent[-1], "key", "used", "limit", "more") if spent else None


def _models(events: list[Event]) -> dict[str, dict[str, Any]]:
    """What each role's models were asked and used."""
    spending = Spending.of((e.role, e.content) for e in events if e.kind == ModelCallEvent.KIND)
    return {
        role: asdict(use) | {"money": round(use.money, 6), "seconds": round(use.seconds, 3)}
        for role, use in spending.by_role.items()
    }


def _plan(events: list[Event]) -> list[dict[str, Any]]:
    """The latest plan with the latest statuses."""
    plans = [e for e in events if e.kind == "plan"]
    if not plans:
        return []
    statuses: dict[str, tuple[str, int]] = {}
    for event in events:
        if event.kind == "subtask_status":
            statuses[event.subtask] = (event.body["status"], event.body["attempt"])
    shown = []
    for subtask in plans[-1].body["subtasks"]:
        status, attempt = statuses.get(subtask["id"], (subtask.get("status", "ready"), 0))
        kept = _pick(subtask, "id", "title", "instruction", "app", "worker", "depends_on", "pinned")
        shown.append(kept | {"status": status, "attempt": attempt})
    return shown


def _step(event: Event) -> dict[str, Any]:
    kept = _pick(event.body, "action", "verb", "target", "app", "exec_status", "error", "visible_change", "events")
    return {"step": event.step, "subtask": event.subtask, "role": event.role, **kept}


def _approval(event: Event) -> dict[str, Any]:
    return _pick(event.body, "decision", "message", "who", "way", "line", "plan_version", "worked") | {"step": event.step}


def _waiting(events: list[Event]) -> dict[str, Any] | None:
    asked = [e for e in events if e.kind == "approval_requested"]
    return asked[-1].body if asked else None


def _pick(body: dict[str, Any], *keys: str) -> dict[str, Any]:
    return {key: body[key] for key in keys if key in body}
