"""What the Operator sees after an action: the next screen, and what is different on it. Source: seed 000."""

from __future__ import annotations

from langgraph.errors import GraphBubbleUp

from protocol import ActionResult, ExecStatus, parse_action
from roles.context import Context, State, Update
from roles.contracts import StepRecord
from roles.operator.events import effect_verb, screen_events, target_name, told_by
from roles.operator.guarding import deed
from roles.operator.perceive import adapter_error, attempt_of, subtask_id
from roles.signals import Signal


def observe_feedback(state: State, ctx: Context) -> Update:
    """Look again and say what is different: navigation, validation, pop-ups, loading, alerts."""
    pending, result = state["pending_action"], ActionResult.model_validate(state["action_result"])
    action = parse_action(pending["action"])
    try:
        after = ctx.environment.observe()
    except GraphBubbleUp:
        raise
    except Exception as fault:  # noqa: BLE001 - as above: whatever an adapter raises must not lose the history
        said = ctx.journal.masked(f"{type(fault).__name__}: {fault}")
        return adapter_error(state, f"adapter: the feedback could not be observed: {said}")
    before = ctx.journal.screens.get(pending["before"])
    after_id = ctx.journal.screens.keep(after)
    if ctx.gallery is not None:
        ctx.gallery.keep(after, "all", role="operator", subtask=subtask_id(state), step=pending["step"])
    events = screen_events(before, after)
    events += told_by(ctx.environment, action, result)
    shown = tuple(f"{event['kind']}: {event['text']}" for event in events)
    record = StepRecord(
        step=pending["step"],
        subtask=subtask_id(state),
        app=after.app,
        action=pending["action"],
        verb=effect_verb(action, pending.get("effect", "")),
        target=target_name(action),
        exec_status=result.exec_status,
        error=result.error,
        before=pending["before"],
        after=after_id,
        visible_change=pending["before"] != after_id,
        recovery=pending["recovery"],
        events=shown,
    )
    ctx.journal.step(record, attempt_of(state), key=f"step/{pending['key']}")
    ctx.journal.record(
        "feedback",
        {"events": list(shown), "visible_change": record.visible_change, "state_id": after_id},
        role="operator",
        subtask=record.subtask,
        step=record.step,
        key=f"feedback/{pending['key']}",
    )
    signal = {ExecStatus.EXECUTED: Signal.EXECUTED, ExecStatus.TIMEOUT: Signal.TIMEOUT}.get(result.exec_status, Signal.ERROR)
    left = ctx.limits.retries - int(state["task_context"]["retries"])
    if signal is Signal.EXECUTED or left > 0:
        ctx.line.passing(signal, step=record.step, key=f"result/{pending['key']}")
    note = {"step": record.step, "line": pending["line"], "status": result.exec_status.value, "key": pending["key"]}
    note |= {"approved": True} if pending.get("approved") else {}
    return {
        "feedback_observation": {"state_id": after_id, "app": after.app},
        "environment_events": [*state["environment_events"], *({"step": record.step, **e} for e in events)][-24:],
        "action_trace": [*state["action_trace"], note],
        "task_context": state["task_context"] | {"did": deed(pending, action, state["task_context"].get("did"))},
        "step_count": state["step_count"] + (0 if pending["recovery"] else 1),
        "route": "decide_next_step",
    }
