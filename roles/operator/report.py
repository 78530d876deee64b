"""The last stage: the interaction report of a delegation, redacted as the constraints ask. Source: seed 000."""

from __future__ import annotations

from typing import Any

from environments.contract import type_of
from protocol import CARRIES
from roles.context import Context, State, Update
from roles.contracts import Report
from roles.operator.perceive import attempt_of, safety_of, subtask_id, titles
from roles.redaction import Redactor
from roles.safety import Constraints
from roles.signals import Signal

_SHOWN = 40


def finalize_interaction_report(state: State, ctx: Context) -> Update:
    """Status, completed and blocked actions, pending approval, observations, findings, errors and trace; and the hub's report."""
    redactor = Redactor(safety_of(state, ctx))
    for ref in state["observations"]:
        if (screen := ctx.journal.screens.get(ref["state_id"])) is not None:
            redactor.learn(screen)
    left = _required(state, ctx)
    state = {**state, **left}
    report = Report.model_validate(state.get("report") or _problem(state)).model_dump(mode="json")
    steps = ctx.journal.steps(subtask_id(state), attempt_of(state), limit=len(state["action_trace"]) or 1)
    pending = state.get("pending_action")
    asked = ctx.journal.request(pending["key"]) if pending and state["interaction_status"] == "needs_approval" else None
    body: dict[str, Any] = {
        "status": state["interaction_status"],
        "environment_type": state.get("environment_type") or type_of(ctx.environment),
        "summary": report["summary"],
        "completed_actions": [
            {
                "step": s.step,
                "type": s.action["action_type"],
                "target": s.target,
                "verified": s.visible_change,
                **{k: s.action[k] for k in s.action if k in CARRIES or k == "name"},
            }
            for s in steps
            if s.exec_status == "executed"
        ],
        "failed_actions": [
            {"step": s.step, "type": s.action["action_type"], "target": s.target, "error": s.error}
            for s in steps
            if s.exec_status != "executed"
        ],
        "blocked_actions": [t for t in state["action_trace"] if t["status"] in {"blocked", "rejected", "skipped"}],
        "action_plan": state["action_plan"],
        "pending_action": _pending(pending, asked) if pending else None,
        "pending_approval": asked,
        "observations": state["observations"],
        "final_observation": _final(state, ctx, redactor),
        "environment_events": state["environment_events"],
        "safety_findings": state["safety_findings"],
        "recovery_attempts": state["recovery_attempts"],
        "step_count": state["step_count"],
        "errors": state["errors"],
        "trace": state["action_trace"],
    }
    ctx.journal.commit()
    carry = {
        "memory": state["task_context"].get("memory", {}),
        "retries": state["task_context"].get("retries", 0),
        "plan": list(titles(state)),
        "steps": len(state["action_trace"]),
        "actions": state["step_count"],
    }
    return left | {"interaction_report": redactor.body(body), "report": redactor.body(report), "carry": carry, "route": ""}


def _required(state: State, ctx: Context) -> Update:
    """Without a hub nobody else sees to it that the output is as it was required."""
    if state.get("delegation") or state["interaction_status"] != "completed":
        return {}
    left = Constraints.model_validate(state.get("constraints") or {}).unmet(ctx.journal.facts())
    report = {"signal": Signal.CANNOT_EXECUTE.value, "summary": "; ".join(left), "evidence": left}
    return {"interaction_status": "failed", "errors": [*state["errors"], *left], "report": report} if left else {}


def _problem(state: State) -> dict[str, Any]:
    """The task could not even start."""
    summary = "; ".join(state["errors"]) or "nothing was done"
    return {"signal": Signal.CANNOT_EXECUTE.value, "summary": summary, "evidence": list(state["errors"])}


def _pending(pending: dict[str, Any], asked: dict[str, Any] | None) -> dict[str, Any]:
    action = pending["action"]
    element = pending.get("element") or {}
    target = element.get("text") or (action.get("target") or {}).get("text")
    return {
        "type": action["action_type"],
        "target": target,
        "line": pending["line"],
        "key": pending["key"],
        "digest": pending.get("digest"),
        "reason": (asked or {}).get("reasons", [pending["reason"]])[0],
    }


def _final(state: State, ctx: Context, redactor: Redactor) -> dict[str, Any] | None:
    ref = state.get("feedback_observation") or state.get("current_observation")
    screen = ctx.journal.screens.get(ref["state_id"]) if ref else None
    if screen is None:
        return None
    redactor.learn(screen)
    shown = redactor.screen(screen)
    elements = [
        e.model_dump(mode="json", exclude_defaults=True, include={"element_id", "role", "text", "value", "invalid"})
        for e in shown.elements
        if e.visible
    ][:_SHOWN]
    return {"state_id": screen.state_id, "app": screen.app, "elements": elements}
