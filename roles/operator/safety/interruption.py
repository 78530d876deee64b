"""Where a worker may be made to hold still, and what it does about an action that was decided before a person spoke or acted.

The stages know nothing of it, and nothing is changed where nobody speaks.
"""

from langgraph.errors import GraphBubbleUp

from environments.contract import STOPPED, KnownKeys
from environments.effects import Change, Preview, released
from protocol import Action, RunScript
from roles.contracts.context import Context, State, Update
from roles.contracts.nodes import RunBlocked, Stage, TraceNote
from roles.contracts.requests import Pending, pending_of
from roles.contracts.signals import Signal
from roles.journal.events import DroppedEvent, ErrorEvent
from roles.operator.perceive import DECIDED, EXECUTE, ended, record, step_of
from roles.safety.review import alike

_LATEST = 64


def between_actions(look: Stage) -> Stage:
    """The safe point before a decision; each step that a person did by hand keeps a number of its own among the steps."""

    def run(state: State, ctx: Context) -> Update:
        ctx.say.safe_point()
        last = ctx.say.by_hand()
        if "action_trace" not in state or step_of(state) > last:
            return look(state, ctx)
        theirs = range(step_of(state), last + 1)
        notes: list[TraceNote] = [{"step": step, "line": "done by hand", "status": "by_hand"} for step in theirs]
        counted: Update = {"action_trace": [*state["action_trace"], *notes]}
        return counted | look({**state, **counted}, ctx)

    return run


def before_the_effect(execute: Stage) -> Stage:
    """The last safe point: an action that was decided before a person spoke or acted, or before a cancel, is not done."""

    def run(state: State, ctx: Context) -> Update:
        ctx.say.safe_point()
        pending, now = pending_of(state), ctx.say.mark()
        spoken = (pending.turns, pending.heard) != (now.get("turns", 0), now.get("heard", 0))
        if (ctx.line.cancelled() or spoken) and not was_done(pending.key, ctx):
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
    pending = pending_of(state)
    note: TraceNote = {"step": pending.step, "line": pending.line, "status": "skipped"}
    record(state, ctx, DroppedEvent(line=pending.line, key=pending.key), step=pending.step, key=f"dropped/{pending.key}")
    ctx.journal.commit()
    why = f"not done: {pending.line}, because the user spoke, acted or called it off after it was decided"
    return {
        "environment_events": [*state.get("environment_events", ()), {"step": pending.step, "kind": "told", "text": why}],
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
        if ctx.line.cancelled() or (pending_of(state).turns != ctx.say.mark().get("turns", 0)):
            return {"route": EXECUTE}  # where it is dropped
        update = ask(state, ctx)
        pending = update.get("pending_action")
        # An approval is given with all in mind that was said by then.
        if not pending:
            return update
        marked = Pending.model_validate(pending).but(**({"turns": 0, "heard": 0} | ctx.say.mark()))
        return update | {"pending_action": marked.dump()}

    return run


def unless_dropped(stage: Stage, route: str) -> Stage:
    """What follows an action, where one was done."""

    def run(state: State, ctx: Context) -> Update:
        if state.get("pending_action") is None and state.get("action_result") is None:
            return {"route": route}
        return stage(state, ctx)

    return run


def deciding(plan: Stage) -> Stage:
    """Where the Manager has to hear first what a person has said, nothing is decided."""

    def run(state: State, ctx: Context) -> Update:
        words = ctx.say.unplanned() if "action_trace" in state and state.get("route") not in DECIDED else ""
        if words and not ctx.line.cancelled():
            return ended(state, Signal.STEERED, "running", words)
        return plan(state, ctx)

    return run


def previewed(ctx: Context, action: Action) -> tuple[Change, ...] | None:
    """The changes; None where they cannot be told, and the words of the action have to do."""
    if action.inner or released(action) or isinstance(action, RunScript) or not isinstance(ctx.environment, Preview):
        return None
    if ctx.skills.tool(action) is not None:
        return None
    try:
        found = ctx.environment.preview(action)
    except (GraphBubbleUp, RunBlocked):
        raise
    except Exception as fault:  # noqa: BLE001 - an adapter or an app's table may raise anything; then its words are read
        why = f"what the {action.verb} would change cannot be determined: {type(fault).__name__}: {fault}"
        ctx.journal.record(ErrorEvent(message=ctx.journal.masked(why)), role="operator", key=f"preview/{why}")
        return None
    return None if found is None else tuple(found)


def otherwise_now(ctx: Context, pending: Pending, action: Action) -> str:
    """Why an action is not done after all: it would change something else than was reviewed; empty where it would not."""
    known = pending.changes
    if known is None:
        return ""
    now = previewed(ctx, action)
    if (now is not None and alike(known, now)) or was_done(pending.key, ctx):  # done before a kill: its result is there
        return ""
    if now is None:
        return f"{STOPPED}it can no longer be determined what it would change"
    would = "; ".join(change.told for change in now) or "changes nothing"
    return f"{STOPPED}it is no longer what was reviewed: now it {would}"
