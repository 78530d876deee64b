"""Where a worker may be made to hold still, and what it does about an action that was decided before a person spoke or acted.

Like the wrappers of `lane.py`: the stages know nothing of it, and nothing is changed where nobody speaks.
"""

from __future__ import annotations

from typing import Any

from environments.contract import KnownKeys
from roles.context import Context, State, Update
from roles.nodes import Stage
from roles.operator.perceive import step_of
from roles.operator.state import FINALIZE
from roles.signals import Signal
from roles.steering import MARKS, acted_since, spoken_since

EXECUTE = "execute_action"
_LATEST = 64


def between_actions(look: Stage) -> Stage:
    """The safe point before a decision; what a person did by hand keeps its numbers among the steps."""

    def run(state: State, ctx: Context) -> Update:
        ctx.say.safe_point()
        counted = by_hand_counted(state, ctx)
        return counted | look({**state, **counted}, ctx)

    return run


def by_hand_counted(state: State, ctx: Context) -> Update:
    """The trace with a note for each step that is a person's, so that the crew's next one has a number of its own."""
    last = ctx.say.by_hand()
    if "action_trace" not in state or step_of(state) > last:
        return {}
    trace = [*state["action_trace"]]
    for step in range(step_of(state), last + 1):
        trace.append({"step": step, "line": "done by hand", "status": "by_hand"})
    return {"action_trace": trace}


def before_the_effect(execute: Stage) -> Stage:
    """The last safe point: an action that was decided before a person spoke or acted, or before a cancel, is not done."""

    def run(state: State, ctx: Context) -> Update:
        ctx.say.safe_point()
        pending = state["pending_action"]
        if (ctx.line.cancelled() or spoken_since(pending, ctx.say)) and not was_done(pending["key"], ctx):
            return dropped(state, ctx)
        return execute(state, ctx)

    return run


def was_done(key: str, ctx: Context) -> bool:
    """Whether the effect may have happened before a kill: then its result is taken in like any other."""
    if ctx.journal.outcome(key) is not None:
        return True
    return isinstance(ctx.environment, KnownKeys) and key in ctx.environment.latest_keys(_LATEST)


def dropped(state: State, ctx: Context) -> Update:
    """Give the pending action up; its number is used, since its key stands for it."""
    pending = state["pending_action"]
    note: dict[str, Any] = {"step": pending["step"], "line": pending["line"], "status": "skipped"}
    place = {"role": pending.get("role", "operator"), "subtask": state["delegation"]["subtask"]["id"], "step": pending["step"]}
    ctx.journal.record("dropped", {"line": pending["line"], "key": pending["key"]}, **place, key=f"dropped/{pending['key']}")
    ctx.journal.commit()
    return {
        "pending_action": None,
        "action_result": None,
        "needs_approval": False,
        "interaction_status": "running",
        "action_trace": [*state["action_trace"], note],
        "route": "observe_feedback",
    }


def asking(ask: Stage) -> Stage:
    """Ask for an approval, unless what it was for is overtaken: a question that nobody needs an answer to any more."""

    def run(state: State, ctx: Context) -> Update:
        if ctx.line.cancelled() or acted_since(state["pending_action"], ctx.say):
            return {"route": EXECUTE}  # where it is dropped
        update = ask(state, ctx)
        pending = update.get("pending_action")
        # An approval is given with all in mind that was said by then.
        return update | {"pending_action": _marked(pending, ctx)} if pending else update

    return run


def _marked(pending: dict[str, Any], ctx: Context) -> dict[str, Any]:
    return {key: value for key, value in pending.items() if key not in MARKS} | ctx.say.mark()


def unless_dropped(stage: Stage, route: str) -> Stage:
    """What follows an action, where one was done."""

    def run(state: State, ctx: Context) -> Update:
        if state.get("pending_action") is None and state.get("action_result") is None:
            return {"route": route}
        return stage(state, ctx)

    return run


def deciding(plan: Stage) -> Stage:
    """Write down with each decision how much was said by then; where the Manager has to hear it first, nothing is decided."""

    def run(state: State, ctx: Context) -> Update:
        words = ctx.say.unplanned() if "action_trace" in state and state.get("route") != FINALIZE else ""
        if words and not ctx.line.cancelled():
            report = {"signal": Signal.STEERED.value, "summary": words, "evidence": [words]}
            return {"interaction_status": "running", "report": report, "pending_action": None, "route": FINALIZE}
        return marking(plan)(state, ctx)

    return run


def marking(stage: Stage) -> Stage:
    """The pending action with how far the person's words and turns had come before it was decided."""

    def run(state: State, ctx: Context) -> Update:
        mark = ctx.say.mark()
        update = stage(state, ctx)
        pending = update.get("pending_action")
        if not pending or not mark:
            return update
        marked = pending | mark
        report = update.get("report") or {}
        held = {"report": report | {"held_action": marked}} if report.get("held_action") is not None else {}
        return update | {"pending_action": marked} | held

    return run
