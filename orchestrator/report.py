"""`report.json`: what a run did, gathered from its journal. Everything in it is redacted already."""

from __future__ import annotations

from typing import Any

from orchestrator.journal import Event


def build_report(events: list[Event], *, run: dict[str, Any], result: dict[str, Any]) -> dict[str, Any]:
    """`run` is `run.json`; `result` is how the controller ended, or how far it came."""
    waiting = _waiting(events) if result["status"] == "on_hold" else None
    steps = [_step(e) for e in events if e.kind == "step"]
    return {
        "run_id": run["run_id"],
        "goal": run["goal"],
        "task": run.get("task_id") or None,
        "world": run["settings"]["world"],
        "seed": run["settings"]["seed"],
        "status": result["status"],
        "reason": result["reason"],
        "ended_by": result.get("ended_by"),
        "counts": {
            "steps": sum(e.kind == "step" for e in events),
            "plans": result.get("plans", 0),
            "gates": result.get("gates", 0),
        },
        "wall_seconds": round(result.get("elapsed", 0.0), 3),
        "plan": _plan(events),
        "facts": [_pick(e.body, "name", "value", "kind", "app") for e in events if e.kind == "fact"],
        "steps": steps,
        "gates": [
            _pick(e.body, "trigger", "decision", "reason", "evidence", "issues") | {"subtask": e.subtask}
            for e in events
            if e.kind == "gate"
        ],
        "approvals": [
            _pick(e.body, "decision", "message", "who", "line") | {"step": e.step} for e in events if e.kind == "approval"
        ],
        "pending": waiting,
        "supplements": [
            {"query": e.body["query"], "found": [_pick(f, "source", "title") for f in e.body["found"]]}
            for e in events
            if e.kind == "supplement"
        ],
        "safety_findings": [e.body | {"step": e.step} for e in events if e.kind == "reviewed" and e.body["verdict"] != "allow"],
        "environment_events": [
            {"step": e.step, "event": text} for e in events if e.kind == "feedback" for text in e.body["events"]
        ],
        "errors": [{"role": e.role, "message": e.body["message"]} for e in events if e.kind == "error"],
        "transitions": [e.body["row"] for e in events if e.kind == "situation"],
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
        kept = _pick(subtask, "id", "title", "instruction", "app", "worker", "depends_on")
        shown.append(kept | {"status": status, "attempt": attempt})
    return shown


def _step(event: Event) -> dict[str, Any]:
    kept = _pick(event.body, "action", "verb", "target", "app", "exec_status", "error", "visible_change", "events")
    return {"step": event.step, "subtask": event.subtask, "role": event.role, **kept}


def _waiting(events: list[Event]) -> dict[str, Any] | None:
    asked = [e for e in events if e.kind == "approval_requested"]
    return asked[-1].body if asked else None


def _pick(body: dict[str, Any], *keys: str) -> dict[str, Any]:
    return {key: body[key] for key in keys if key in body}
