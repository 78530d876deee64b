"""The Operator's effect: an action is done once, after one more look at what was approved. Source: seed 000."""

from __future__ import annotations

import time
from typing import Any

from langgraph.errors import GraphBubbleUp

from environments.contract import STOPPED, DigestMismatch, Unavailable
from protocol import (
    Action,
    ActionResult,
    Answer,
    AskUser,
    ExecStatus,
    Memorize,
    TargetError,
    Wait,
    parse_action,
    resolve,
)
from roles.context import Context, State, Update
from roles.contracts import Fact
from roles.effects import effect_of
from roles.memory.answers_used import keep
from roles.memory.blackboard_made import Origin, found
from roles.memory.blackboard_values import kind_of
from roles.operator.binding import unlike
from roles.operator.calling import CALLS, call, keep_answer
from roles.operator.grounds import element_of, grounds_of
from roles.operator.guarding import admit, done_but_held, is_guarded, learn
from roles.operator.perceive import safety_of, subtask_id
from roles.operator.permission import forbidden_still
from roles.operator.previewing import otherwise_now
from roles.operator.questions import is_secret, remember_answer
from roles.operator.reconciling import reconciled
from roles.output import cut, put_out
from roles.standstill import Standstill
from roles.vault import UnknownSecret


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
    if result.ok:
        learn(state, ctx, pending)
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
    if unable := _unable(pending):
        return ActionResult(exec_status=ExecStatus.ERROR, error=unable)
    forbidden = forbidden_still(state, ctx, pending)
    if action.verb in CALLS and (answered := call(ctx, pending, action, forbidden)) is not None:
        return answered
    changed = _since_approved(ctx, pending, action, forbidden) if pending.get("approved") else forbidden
    if changed := changed or otherwise_now(ctx, pending, action):
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


def _unable(pending: dict[str, Any]) -> str:
    """Why there is nothing to be done it to, by what was found when it was reviewed."""
    if pending["missing"]:
        return f"target not found: {pending['missing']}"
    return f"{STOPPED}{pending['changed']}" if pending.get("changed") else ""


def _once(ctx: Context, pending: dict[str, Any], action: Action) -> ActionResult:
    """The environment's answer; where it does not know whether a stopped process had done it, the screen is asked."""

    def perform(key: str) -> ActionResult:
        admit(ctx, pending, key)
        return done_but_held(ctx, ctx.environment.perform(action, key=key))

    result = perform(pending["key"])
    if result.exec_status is ExecStatus.ERROR and isinstance(action, Wait) and not (action.text or action.text_gone):
        time.sleep(min(action.seconds, ctx.limits.action_seconds))
        return ActionResult(exec_status=ExecStatus.EXECUTED, output=f"waited without the environment, which says: {result.error}")
    if result.exec_status is not ExecStatus.PENDING:
        return result
    return reconciled(
        result,
        action,
        ctx.journal.screens.get(pending["before"]),
        pending.get("expected", ""),
        key=pending["key"],
        observe=ctx.environment.observe,
        perform=perform,
    )


def _since_approved(ctx: Context, pending: dict[str, Any], action: Action, forbidden: str) -> str:
    """Why what was approved is not done after all, or an empty string."""
    changed = forbidden or _changed(ctx, pending, action)
    # What was started before a kill may have changed the screen itself: the environment knows the key and tells.
    return "" if ctx.journal.start(pending["key"]) else changed


def _changed(ctx: Context, pending: dict[str, Any], action: Action) -> str:
    """An approval holds for the control that was shown: after a wait it must still be the same one."""
    shown = pending.get("element")
    if shown is None or action.target is None or is_guarded(ctx, pending):
        return ""
    now = ctx.environment.observe()
    try:
        element = now.by_id[resolve(action.target, now).element_id]
    except TargetError as gone:
        return f"the screen changed after the approval: {gone}"
    except KeyError:
        return f"the screen changed after the approval: {shown['text']!r} is gone"
    words = pending.get("changes") is None  # else it is looked at what it would change
    if (element.role, element.text) != (shown["role"], shown["text"]) or (
        words and effect_of(action, element, now).value != pending["effect"]
    ):
        return f"the screen changed after the approval: {shown['text']!r} is now {element.text!r}"
    before = ctx.journal.screens.get(pending["before"])
    then = before.by_id.get(shown["element_id"]) if before is not None else None
    if before is not None and then is not None and (other := unlike(before, then, now, element)):
        return f"the screen changed after the approval: {other}"
    return ""


def _inner(ctx: Context, state: State, pending: dict[str, Any], action: Action) -> ActionResult:
    """Memory and questions: nothing of it reaches the environment."""
    screen = ctx.journal.screens.get(pending["before"])
    subtask = subtask_id(state)
    match action:
        case Memorize(name=name, value=value):
            source = None if screen is None else element_of(action, screen)[0]
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
