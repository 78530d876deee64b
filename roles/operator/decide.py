"""The Operator's deciding stages: plan the next action, review it. Source: seed 000."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

from protocol import (
    Action,
    AgentStatus,
    AskUser,
    GUIElement,
    OperatorDecision,
    Screenshot,
    TargetError,
    VisualState,
    describe,
    parse_action,
    resolve,
)
from roles.context import Context, State, Update
from roles.contracts import OperatorView
from roles.operator.approval import approval_request
from roles.operator.perceive import (
    attempt_key,
    attempt_of,
    current_screen,
    element_ref,
    key_of,
    safety_of,
    step_of,
    subtask_id,
    subtask_of,
)
from roles.operator.recovery import interruption, remedy
from roles.safety import Review, review
from roles.signals import Signal

FINALIZE = "finalize_interaction_report"
REVIEW = "review_action_safety"


class PolicyFault(Exception):
    """A policy could not decide: the model was unreachable, its answer unusable."""


def plan_next_action(state: State, ctx: Context) -> Update:
    """Choose the next bounded action, or say that the work is done, impossible, due for a check or out of budget."""
    if state.get("route") == FINALIZE:
        return {}
    step = step_of(state)
    if ctx.line.cancelled():
        return _end(state, Signal.CANCELLED, "blocked", "the run was cancelled")
    if spent := ctx.line.spent(step - 1):
        return _end(state, Signal.BUDGET_SPENT, "failed", f"{spent} is spent")
    if state["step_count"] >= state["max_steps"]:
        return _end(state, Signal.CANNOT_EXECUTE, "failed", f"max_steps ({state['max_steps']}) is reached")
    seen = current_screen(state, ctx)
    if not state["recognized_elements"]:
        return _unrecognized(state, ctx, seen)
    queued = state["task_context"].get("recovery")
    if queued:
        context = {k: v for k, v in state["task_context"].items() if k != "recovery"}
        decision = OperatorDecision(
            action=parse_action(queued["action"]), status=AgentStatus.CONTINUE, reasoning=queued["why"], memory=context["memory"]
        )
        return _pend(state, ctx, decision, seen, recovery=True) | {"task_context": context}
    if seen.loading and state["recovery_attempts"] < state["max_recovery_attempts"]:
        return _wait(state, ctx, seen)
    blocked = interruption(seen, ctx.journal.steps(subtask_id(state), attempt_of(state), limit=8))
    if blocked is not None:
        status = AgentStatus.CONTINUE if blocked.harmless else AgentStatus.CONFIRM
        decision = OperatorDecision(
            action=blocked.action, status=status, reasoning=blocked.why, memory=state["task_context"]["memory"]
        )
        return _pend(state, ctx, decision, seen, recovery=True)
    return _follow(state, ctx, _ask_policy(state, ctx, seen), seen)


def _wait(state: State, ctx: Context, seen: VisualState) -> Update:
    """The application is busy: wait boundedly, deciding nothing on a screen that is about to change."""
    action = remedy("loading", state["recovery_attempts"] + 1)
    decision = OperatorDecision(
        action=action, status=AgentStatus.CONTINUE, reasoning="the application is loading", memory=state["task_context"]["memory"]
    )
    return _pend(state, ctx, decision, seen, recovery=True) | {"recovery_attempts": state["recovery_attempts"] + 1}


def _unrecognized(state: State, ctx: Context, seen: VisualState) -> Update:
    """Nothing usable on the screen: look once more, then give up."""
    if state["task_context"].get("looked_again"):
        return _end(state, Signal.CANNOT_EXECUTE, "failed", "no element could be recognised, twice in a row")
    decision = OperatorDecision(action=Screenshot(), status=AgentStatus.CONTINUE, reasoning="nothing was recognised: look again")
    update = _pend(state, ctx, decision, seen, recovery=True)
    return update | {
        "task_context": state["task_context"] | {"looked_again": True},
        "recovery_attempts": state["recovery_attempts"] + 1,
    }


def _ask_policy(state: State, ctx: Context, seen: VisualState) -> OperatorDecision:
    """One decision, asked for again (boundedly) when it is unusable."""
    assert ctx.operator is not None, "build_operator checks that there is a policy"  # noqa: S101 - an invariant
    view = _view(state, ctx, seen)
    problem = ""
    for _ in range(ctx.limits.reasks + 1):
        try:
            decision = ctx.operator.decide(view)
        except (PolicyFault, ValidationError) as fault:
            problem = f"the policy gave no usable decision: {fault}"
        else:
            if decision.status is not AgentStatus.ERROR:
                return decision
            problem = decision.comment or decision.reasoning or "the policy reported ERROR"
        ctx.journal.record("error", {"message": problem}, role="operator", subtask=subtask_id(state), step=step_of(state))
        view = view.model_copy(update={"host_message": f"Your last answer was not usable: {problem}"})
    return OperatorDecision(status=AgentStatus.FAIL, comment=problem)


def _view(state: State, ctx: Context, seen: VisualState) -> OperatorView:
    delegation = state.get("delegation") or {}
    subtask = subtask_of(state)
    return OperatorView(
        user_request=state.get("input") or state["task_goal"],
        subtask=subtask,
        app=subtask.app,
        seen=seen,
        facts=ctx.journal.facts(),
        history=ctx.journal.steps(subtask.id, subtask.attempt, limit=30),
        previous_subtasks=tuple(delegation.get("previous", ())),
        previous_plan=tuple(item["title"] for item in state["action_plan"]),
        host_message=delegation.get("message", ""),
        retrieved=ctx.journal.supplements(),
        events=tuple(event["text"] for event in state["environment_events"][-6:]),
        memory=state["task_context"]["memory"],
        refused=tuple(delegation.get("refused", ())),
        apps=ctx.apps(),
    )


def _follow(state: State, ctx: Context, decision: OperatorDecision, seen: VisualState) -> Update:
    """Turn the decision's status into what happens next."""
    action = decision.action
    if action is not None:
        _hide(state, ctx, action, seen)
    ctx.journal.record(
        "decided",
        {
            "status": decision.status.value,
            "reasoning": decision.reasoning,
            "line": describe(action) if action else "",
            "plan": decision.plan,
        },
        role="operator",
        subtask=subtask_id(state),
        step=step_of(state),
        key=f"decided/{attempt_key(state)}/{step_of(state)}",
    )
    memory = {"task_context": state["task_context"] | {"memory": decision.memory}}
    said = decision.comment or decision.reasoning
    if decision.status is AgentStatus.FINISH or (action is not None and action.verb == "finish_goal"):
        return memory | _end(state, Signal.WORKER_SUCCESS, "completed", said or "the subtask is done")
    if decision.status is AgentStatus.FAIL or (action is not None and action.verb == "fail_goal"):
        why = said or str(action.parameters.get("reason", "") if action else "") or "the policy gave up"
        if decision.supplement:
            return memory | _end(state, Signal.SUPPLEMENT, "blocked", why, query=decision.supplement)
        return memory | _end(state, Signal.CANNOT_EXECUTE, "failed", why)
    if decision.status is AgentStatus.SCREENSHOT:
        marks = action.marks if isinstance(action, Screenshot) else ()
        decision = decision.model_copy(update={"action": Screenshot(marks=marks)})
    if decision.status is AgentStatus.PENDING and not isinstance(action, AskUser):
        question = decision.comment or decision.reasoning or "What should be done here?"
        decision = decision.model_copy(update={"action": AskUser(question=question)})
    return _pend(state, ctx, decision, seen)


def _hide(state: State, ctx: Context, action: Action, seen: VisualState) -> None:
    """What goes into a private field is masked before the first line about it is written."""
    element, _ = _element(action, seen)
    text = str(action.parameters.get("text") or action.parameters.get("value") or "")
    if element is not None and text and safety_of(state, ctx).is_private(element):
        ctx.journal.secret(text)


def _pend(state: State, ctx: Context, decision: OperatorDecision, seen: VisualState, *, recovery: bool = False) -> Update:
    """Make the decided action the pending one; hold it back when a check is due."""
    action = decision.action
    assert action is not None, "a decision that goes on has an action"  # noqa: S101 - checked by the model
    step = step_of(state)
    pending: dict[str, Any] = {
        "key": key_of(state, ctx, step),
        "step": step,
        "action": action.dump(),
        "line": describe(action),
        "before": seen.state_id,
        "app": seen.app,
        "reason": decision.reasoning[:300],
        "expected": decision.expected[:200],
        "confidence": decision.confidence,
        "confirm": decision.status is AgentStatus.CONFIRM,
        "recovery": recovery,
        "save_screenshot": decision.save_screenshot,
    }
    update: Update = {
        "pending_action": pending,
        "action_plan": [{"title": title} for title in decision.plan[:8]],
        "task_context": state["task_context"] | {"memory": decision.memory},
        "route": REVIEW,
    }
    if state.get("delegation") and _check_due(state, ctx) and not recovery:
        return update | _end(
            state, Signal.CHECK_DUE, "running", f"{ctx.limits.check_every} actions since the last check", held=pending
        )
    return update


def _check_due(state: State, ctx: Context) -> bool:
    return int(state["task_context"]["since"]) + int(state["step_count"]) >= ctx.limits.check_every


def _end(state: State, signal: Signal, status: str, summary: str, **more: Any) -> Update:
    """Stop this delegation with a signal for the hub."""
    held = more.pop("held", None)
    report = {"signal": signal.value, "summary": summary, "evidence": [summary], "held_action": held, **more}
    errors = [*state["errors"], summary][-20:] if status == "failed" else state["errors"]
    return {"interaction_status": status, "report": report, "errors": errors, "pending_action": held, "route": FINALIZE}


def review_action_safety(state: State, ctx: Context) -> Update:
    """Check the pending action against policy, risk and confidence; write the intent that everything later is bound to."""
    pending = state.get("pending_action")
    if state.get("route") == FINALIZE or not pending:
        return {"route": FINALIZE}
    seen = current_screen(state, ctx)
    action = parse_action(pending["action"])
    element, missing = _element(action, seen)
    found = _judge(state, ctx, action, element, seen, pending)
    if found.verdict != "deny":
        intent = ctx.journal.intend(pending["key"], action)
        if intent.digest != action.digest:
            action = intent.action
            element, missing = _element(action, seen)
            found = _judge(state, ctx, action, element, seen, pending)
    finding = {
        "policy": found.policy,
        "severity": found.severity,
        "verdict": found.verdict,
        "effect": found.effect.value,
        "reasons": list(found.reasons),
        "action": describe(action),
    }
    ctx.journal.record(
        "reviewed",
        finding,
        role="operator",
        subtask=subtask_id(state),
        step=pending["step"],
        key=f"reviewed/{pending['key']}/{found.verdict}",
    )
    hidden = element is not None and safety_of(state, ctx).is_private(element)
    line = describe(action, hide_text=hidden)
    pending = pending | {
        "action": action.dump(),
        "digest": action.digest,
        "effect": found.effect.value,
        "line": line,
        "element": element_ref(element),
        "missing": missing,
        "before": seen.state_id,
        "private": hidden,
    }
    return _verdict(state, ctx, pending, found, finding)


def _judge(
    state: State, ctx: Context, action: Action, element: GUIElement | None, seen: VisualState, pending: dict[str, Any]
) -> Review:
    policy = safety_of(state, ctx)
    found = review(action, element, seen, policy, confidence=pending["confidence"], confirm=pending["confirm"])
    if found.verdict == "ask" and pending.get("approved") == action.digest and not pending["confirm"]:
        return found.model_copy(update={"verdict": "allow"})
    return found


def _element(action: Action, seen: VisualState) -> tuple[GUIElement | None, str]:
    """The element the action means, or why there is none."""
    if action.target is None:
        return None, ""
    try:
        return seen.by_id[resolve(action.target, seen).element_id], ""
    except TargetError as missing:
        return None, str(missing)


def _verdict(state: State, ctx: Context, pending: dict[str, Any], found: Review, finding: dict[str, Any]) -> Update:
    if pending["missing"] and found.verdict == "ask":
        found = found.model_copy(update={"verdict": "allow"})  # there is nothing to press: it will fail, and be recovered from
    trace_note = {"step": pending["step"], "line": pending["line"], "status": "blocked"}
    findings = state["safety_findings"]
    if found.verdict != "allow":
        findings = [*findings, finding]
    if found.verdict == "deny":
        why = f"{pending['line']} is not allowed: {'; '.join(found.reasons)} ({found.policy})"
        report = {"signal": Signal.CANNOT_EXECUTE.value, "summary": why, "evidence": [why], "refused": pending["line"]}
        return {
            "pending_action": None,
            "safety_findings": findings,
            "interaction_status": "blocked",
            "report": report,
            "action_trace": [*state["action_trace"], trace_note],
            "route": FINALIZE,
        }
    if not pending.get("held"):
        ctx.line.passing(Signal.GENERATE_ACTION, step=pending["step"], key=f"generate/{pending['key']}")
    if found.verdict == "allow":
        return {"pending_action": pending, "needs_approval": False, "safety_findings": findings, "route": "execute_action"}
    request = approval_request(pending, found)
    ctx.journal.record(
        "approval_requested",
        request,
        role="operator",
        subtask=subtask_id(state),
        step=pending["step"],
        key=f"ask/{pending['key']}",
    )
    ctx.line.passing(Signal.APPROVAL_PENDING, step=pending["step"], key=f"pending/{pending['key']}")
    ctx.journal.commit()
    return {
        "pending_action": pending,
        "needs_approval": True,
        "safety_findings": findings,
        "interaction_status": "needs_approval",
        "route": "request_human_approval",
    }
