"""The Operator's acting stages: execute, observe the feedback, decide the next step. Source: seed 000."""

from __future__ import annotations

from typing import Any

from langgraph.errors import GraphBubbleUp

from environments.contract import DigestMismatch, Unavailable
from protocol import (
    Action,
    ActionResult,
    AgentAction,
    Answer,
    AskUser,
    ExecStatus,
    GUIElement,
    Memorize,
    TargetError,
    VisualState,
    describe,
    parse_action,
    resolve,
)
from roles.context import Context, State, Update
from roles.contracts import Fact, StepRecord
from roles.effects import effect_of
from roles.memory.answers_used import keep
from roles.memory.blackboard_made import Origin, found
from roles.memory.blackboard_values import kind_of
from roles.operator.approval import NOBODY, record_request, refused
from roles.operator.calling import CALLS, call, keep_answer
from roles.operator.decisions import Decision
from roles.operator.events import effect_verb, screen_events, target_name
from roles.operator.grounds import grounds_of
from roles.operator.perceive import adapter_error, attempt_of, key_of, safety_of, subtask_id
from roles.operator.permission import EXPIRED, forbidden_still
from roles.operator.questions import is_secret, remember_answer
from roles.operator.reconciling import reconciled
from roles.operator.recovery import interruption, trouble_in
from roles.output import cut, put_out
from roles.safety import review
from roles.signals import Signal
from roles.stall import stalled
from roles.standstill import Standstill
from roles.vault import UnknownSecret

FINALIZE = "finalize_interaction_report"


def execute_action(state: State, ctx: Context) -> Update:
    """The effect and nothing else. A key that has an outcome is not performed again."""
    pending = state["pending_action"]
    key, action = pending["key"], parse_action(pending["action"])
    result = ctx.journal.outcome(key)
    if result is None:
        ctx.journal.commit()  # the intent, where nothing has committed it yet
        result = _perform(ctx, state, pending, action)
        result = result.model_copy(update={"output": cut(result.output, ctx.limits.tool_output)})
        result = ctx.journal.settle(key, result)
    body = {"line": pending["line"], "exec_status": result.exec_status.value, "error": result.error, "key": key}
    ctx.journal.record("outcome", body, role="operator", subtask=subtask_id(state), step=pending["step"], key=f"outcome/{key}")
    if action.verb in CALLS:
        keep_answer(state, ctx, action, result, pending)
        place = {"role": "operator", "subtask": subtask_id(state), "step": pending["step"]}
        put_out(ctx.journal, "tool", len(result.output), **place, key=f"output/{key}")
    ctx.journal.commit()
    return {"action_result": result.model_dump(mode="json", exclude_defaults=True), "route": "observe_feedback"}


def _perform(ctx: Context, state: State, pending: dict[str, Any], action: Action) -> ActionResult:
    if action.inner:
        return _inner(ctx, state, pending, action)
    if pending["missing"]:
        return ActionResult(exec_status=ExecStatus.ERROR, error=f"target not found: {pending['missing']}")
    forbidden = forbidden_still(state, ctx, pending)
    if action.verb in CALLS and (answered := call(ctx, pending, action, forbidden)) is not None:
        return answered
    if forbidden and not pending.get("approved"):
        return ActionResult(exec_status=ExecStatus.ERROR, error=forbidden)
    if pending.get("approved") and (changed := _since_approved(ctx, pending, action, forbidden)):
        return ActionResult(exec_status=ExecStatus.ERROR, error=changed)
    try:
        return _once(ctx, pending, action)
    except GraphBubbleUp:
        raise
    except DigestMismatch as mismatch:
        return ActionResult(exec_status=ExecStatus.ERROR, error=f"not performed: {mismatch}")
    except Unavailable as gone:
        raise Standstill(str(gone)) from gone
    except Exception as fault:  # noqa: BLE001 - an adapter may raise anything; it becomes a structured error (seed 000)
        said = ctx.journal.masked(f"adapter: {type(fault).__name__}: {fault}")
        return ActionResult(exec_status=ExecStatus.ERROR, error=said)


def _once(ctx: Context, pending: dict[str, Any], action: Action) -> ActionResult:
    """The environment's answer; where it does not know whether a stopped process had done it, the screen is asked."""
    result = ctx.environment.perform(action, key=pending["key"])
    if result.exec_status is not ExecStatus.PENDING:
        return result
    return reconciled(
        result,
        action,
        ctx.journal.screens.get(pending["before"]),
        pending.get("expected", ""),
        key=pending["key"],
        observe=ctx.environment.observe,
        perform=lambda key: ctx.environment.perform(action, key=key),
    )


def _since_approved(ctx: Context, pending: dict[str, Any], action: Action, forbidden: str) -> str:
    """Why what was approved is not done after all, or an empty string."""
    changed = forbidden or _changed(ctx, pending, action)
    # What was started before a kill may have changed the screen itself: the environment knows the key and tells.
    return "" if ctx.journal.start(pending["key"]) else changed


def _changed(ctx: Context, pending: dict[str, Any], action: Action) -> str:
    """An approval holds for the control that was shown: after a wait it must still be the same one."""
    shown = pending.get("element")
    if shown is None or action.target is None:
        return ""
    now = ctx.environment.observe()
    try:
        element = now.by_id[resolve(action.target, now).element_id]
    except TargetError as gone:
        return f"the screen changed after the approval: {gone}"
    if (element.role, element.text) != (shown["role"], shown["text"]) or effect_of(action, element, now).value != pending[
        "effect"
    ]:
        return f"the screen changed after the approval: {shown['text']!r} is now {element.text!r}"
    return ""


def _inner(ctx: Context, state: State, pending: dict[str, Any], action: Action) -> ActionResult:
    """Memory and questions: nothing of it reaches the environment."""
    screen = ctx.journal.screens.get(pending["before"])
    subtask = subtask_id(state)
    match action:
        case Memorize(name=name, value=value):
            source = _source(action, screen)
            policy = safety_of(state, ctx)
            private = (source is not None and policy.is_private(source)) or policy.hides(name)
            origin = found(value, screen, grounds_of(state, ctx)) if source is None else Origin("screen", pending["app"] or "")
            fact = Fact(
                name=name,
                value=value,
                kind=_kind(ctx, value),
                app=pending["app"],
                state_id=pending["before"],
                element_id=source.element_id if source else None,
                step=pending["step"],
                subtask=subtask,
                private=private,
            )
            fact = origin.of(fact)
        case AskUser():
            said = pending.get("answer", "")
            secret = is_secret(action, safety_of(state, ctx))
            place = {"subtask": subtask, "step": pending["step"], "private": secret, "app": pending["app"]}
            fact = remember_answer(ctx.journal, action, said, _kind(ctx, said), **place, recalled=pending.get("recalled"))
            if not (pending.get("recalled") or pending.get("again")):
                who, at = (state.get("human_approval") or {}).get("who", ""), {"subtask": subtask, "step": pending["step"]}
                keep(ctx, action, said, who, pending["app"], secret=secret, place=at)
            return ActionResult(exec_status=ExecStatus.EXECUTED, output=fact.name)
        case Answer(text=text):
            place = {"app": pending["app"], "subtask": subtask, "step": pending["step"]}
            said_by = found(text, screen, grounds_of(state, ctx))
            fact = said_by.of(Fact(name="answer", value=text, kind=_kind(ctx, text), **place))
        case _:
            return ActionResult(exec_status=ExecStatus.ERROR, error=f"{action.verb} is no action to execute")
    ctx.journal.remember(fact, beside=(state.get("delegation") or {}).get("beside", ()))
    return ActionResult(exec_status=ExecStatus.EXECUTED, output=fact.name)


def _kind(ctx: Context, value: str) -> str:
    """What a value is, or what it refers to."""
    try:
        return kind_of(ctx.journal.revealed(value))
    except UnknownSecret:
        return "text"


def _source(action: Action, screen: VisualState | None) -> GUIElement | None:
    if action.target is None or screen is None:
        return None
    try:
        return screen.by_id[resolve(action.target, screen).element_id]
    except TargetError:
        return None


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
    return {
        "feedback_observation": {"state_id": after_id, "app": after.app},
        "environment_events": [*state["environment_events"], *({"step": record.step, **e} for e in events)][-24:],
        "action_trace": [*state["action_trace"], note],
        "step_count": state["step_count"] + (0 if pending["recovery"] else 1),
        "route": "decide_next_step",
    }


def decide_next_step(state: State, ctx: Context) -> Update:
    """Continue, recover, ask, or stop: by the result, by what the screen shows, by the last steps together."""
    if state.get("route") == FINALIZE:
        return {"route": FINALIZE}
    pending, result = state["pending_action"], ActionResult.model_validate(state["action_result"])
    steps = ctx.journal.steps(subtask_id(state), attempt_of(state), limit=12)
    since = [s for s in steps if s.step > int((state.get("delegation") or {}).get("step", 0))]
    if not result.ok:
        return _failed(state, ctx, result)
    after = ctx.journal.screens.get(state["feedback_observation"]["state_id"])
    assert after is not None, "the feedback was just recorded"  # noqa: S101 - an invariant
    blocked = interruption(after, steps)
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
        return refused(state, refusal) | {"action_trace": state["action_trace"]}
    used = int(state["task_context"]["retries"])
    context = state["task_context"] | {"retries": used + 1}
    errors = [*state["errors"], result.error][-20:]
    if used >= ctx.limits.retries:
        signal = Signal.TIMEOUT if result.exec_status is ExecStatus.TIMEOUT else Signal.ERROR
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
    if result.error.startswith("target not found"):
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
    element = None if intent.action.inner else _source(intent.action, seen)
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
        "element": {"element_id": element.element_id, "role": element.role, "text": element.text, "app": element.app}
        if element
        else None,
    }
    if found.verdict == "deny":
        report = {"signal": Signal.CANNOT_EXECUTE.value, "summary": f"{why} ({found.policy})", "evidence": [why], "refused": why}
        return {"pending_action": None, "interaction_status": "blocked", "report": report, "route": FINALIZE}
    ctx.line.passing(Signal.GENERATE_ACTION, step=step, key=f"generate/{key}")
    record_request(state, ctx, pending, found.model_copy(update={"verdict": "ask", "reasons": (why,)}), role="operator")
    ctx.journal.commit()
    return {
        "pending_action": pending,
        "needs_approval": True,
        "interaction_status": "needs_approval",
        "route": "request_human_approval",
    }
