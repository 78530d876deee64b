"""What the Operator does after an action: go on, recover, ask, or stop. Source: seed 000."""

from __future__ import annotations

from typing import Any

from environments.contract import STOPPED
from protocol import ActionResult, AgentAction, ExecStatus, VisualState, describe
from roles.context import Context, State, Update
from roles.operator.approval import NOBODY, record_request, refused
from roles.operator.decisions import Decision
from roles.operator.grounds import element_of, grounds_of
from roles.operator.guarding import drop, next_held, with_permit
from roles.operator.perceive import attempt_of, element_ref, key_of, safety_of, subtask_id
from roles.operator.permission import EXPIRED
from roles.operator.recovery import interruption, trouble_in
from roles.operator.state import FINALIZE
from roles.safety import review
from roles.signals import Signal
from roles.stall import stalled


def decide_next_step(state: State, ctx: Context) -> Update:
    """Continue, recover, ask, or stop: by the result, by what the screen shows, by the last steps together."""
    if state.get("route") == FINALIZE:
        return {"route": FINALIZE}
    pending, result = state["pending_action"], ActionResult.model_validate(state["action_result"])
    after = ctx.journal.screens.get(state["feedback_observation"]["state_id"])
    assert after is not None, "the feedback was just recorded"  # noqa: S101 - an invariant
    waiting, told = next_held(state, ctx, after, pending["step"])
    update = {"environment_events": [*state["environment_events"], *told][-24:]} if told else {}
    if waiting is not None:  # whatever else the screen shows, it may be for want of this
        return update | {"pending_action": None, "route": "observe_environment"}
    return update | _by_result(state, ctx, result, after)


def _by_result(state: State, ctx: Context, result: ActionResult, after: VisualState) -> Update:
    """What follows where the environment holds nothing back."""
    pending = state["pending_action"]
    steps = ctx.journal.steps(subtask_id(state), attempt_of(state), limit=12)
    delegation = state.get("delegation") or {}
    since = [s for s in steps if s.step > int(delegation.get("step", 0))]
    if not result.ok:
        return _failed(state, ctx, result)
    blocked = interruption(after, steps, state["task_goal"], delegation.get("refused", ()))
    if blocked is not None and not blocked.harmless:
        return _ask_about(state, ctx, blocked.action, blocked.why, after)
    if trouble := trouble_in(after, since[-1], blocked):
        return _recover(state, state["task_context"], trouble)
    if why := stalled(since, ctx.limits.stale_repeats):
        report = {"signal": Signal.STALE_PROGRESS.value, "summary": why, "evidence": [why]}
        return {"interaction_status": "blocked", "report": report, "pending_action": None, "route": FINALIZE}
    reset = {} if pending["recovery"] else {"recovery_attempts": 0}
    return reset | {"pending_action": None, "route": "observe_environment"}


def _failed(state: State, ctx: Context, result: ActionResult) -> Update:
    """An error or a timeout: retry within the budget, else hand back to the Manager."""
    if result.error.startswith(EXPIRED) and safety_of(state, ctx).expired == "deny":
        refusal = Decision(type="reject", message=result.error, who=NOBODY)
        drop(ctx, state["pending_action"])
        return refused(state, refusal) | {"action_trace": state["action_trace"]}
    stopped = result.error.startswith(STOPPED)
    used = int(state["task_context"]["retries"])
    context = state["task_context"] | {"retries": used + 1}
    errors = [*state["errors"], result.error][-20:]
    if used >= ctx.limits.retries:
        signal = Signal.TIMEOUT if result.exec_status is ExecStatus.TIMEOUT else Signal.ERROR
        signal = Signal.CANNOT_EXECUTE if stopped else signal
        report = {"signal": signal.value, "summary": result.error, "evidence": [result.error]}
        return {
            "interaction_status": "failed",
            "errors": errors,
            "report": report,
            "task_context": context,
            "pending_action": None,
            "route": FINALIZE,
        }
    trouble = "failed"
    if stopped:
        trouble = "changed"
    elif result.error.startswith("target not found"):
        trouble = "missing"
    elif "scroll" in result.error:
        trouble = "hidden"
    return {"errors": errors} | _recover(state, context, trouble)


def _recover(state: State, context: dict[str, Any], trouble: str) -> Update:
    """Within the cap go to recovery; beyond it stop with the trace kept."""
    if state["recovery_attempts"] >= state["max_recovery_attempts"]:
        why = f"max_recovery_attempts ({state['max_recovery_attempts']}) is reached: {trouble}"
        report = {"signal": Signal.CANNOT_EXECUTE.value, "summary": why, "evidence": [why, *state["errors"][-2:]]}
        return {
            "interaction_status": "failed",
            "errors": [*state["errors"], why][-20:],
            "report": report,
            "pending_action": None,
            "route": FINALIZE,
        }
    return {"task_context": context | {"trouble": trouble}, "route": "recover_from_failure"}


def _ask_about(state: State, ctx: Context, action: AgentAction, why: str, seen: VisualState) -> Update:
    """An unexpected dialog that only a person may answer: propose the safest answer and wait."""
    step = state["pending_action"]["step"] + 1
    key = key_of(state, ctx, step)
    intent = ctx.journal.intend(key, action)
    element = None if intent.action.inner else element_of(intent.action, seen)[0]
    found = review(intent.action, element, seen, safety_of(state, ctx), confirm=True, grounds=grounds_of(state, ctx))
    pending = {
        "key": key,
        "step": step,
        "action": intent.action.dump(),
        "digest": intent.digest,
        "line": describe(intent.action),
        "before": seen.state_id,
        "app": seen.app,
        "reason": why,
        "expected": "",
        "confidence": 1.0,
        "confirm": True,
        "recovery": True,
        "missing": "",
        "private": False,
        "effect": found.effect.value,
        "element": element_ref(element),
    }
    pending, found = with_permit(ctx, pending, intent.action, found, element)
    if found.verdict == "deny":
        report = {"signal": Signal.CANNOT_EXECUTE.value, "summary": f"{why} ({found.policy})", "evidence": [why], "refused": why}
        return {"pending_action": None, "interaction_status": "blocked", "report": report, "route": FINALIZE}
    ctx.line.passing(Signal.GENERATE_ACTION, step=step, key=f"generate/{key}")
    found = found.model_copy(update={"verdict": "ask", "reasons": (why, *found.reasons[1:])})
    record_request(state, ctx, pending, found, role="operator")
    ctx.journal.commit()
    return {
        "pending_action": pending,
        "needs_approval": True,
        "interaction_status": "needs_approval",
        "route": "request_human_approval",
    }
