"""What an action would change, where the environment can tell: before the review, and once more right before it is done."""

from __future__ import annotations

from typing import Any

from langgraph.errors import GraphBubbleUp

from environments.contract import STOPPED
from environments.effects import Change, Preview, released
from protocol import Action, RunScript
from roles.contracts.context import Context
from roles.contracts.nodes import Standstill
from roles.journal.events import ErrorEvent
from roles.operator.asking.holding import was_done
from roles.safety.review import alike


def previewed(ctx: Context, action: Action) -> tuple[Change, ...] | None:
    """The changes; None where they cannot be told, and the words of the action have to do."""
    if action.inner or released(action) or isinstance(action, RunScript) or not isinstance(ctx.environment, Preview):
        return None
    if ctx.skills.tool(action) is not None:
        return None
    try:
        found = ctx.environment.preview(action)
    except (GraphBubbleUp, Standstill):
        raise
    except Exception as fault:  # noqa: BLE001 - an adapter or an app's table may raise anything; then its words are read
        why = f"what the {action.verb} would change cannot be told: {type(fault).__name__}: {fault}"
        ctx.journal.record(ErrorEvent(message=ctx.journal.masked(why)), role="operator", key=f"preview/{why}")
        return None
    return None if found is None else tuple(found)


def otherwise_now(ctx: Context, pending: dict[str, Any], action: Action) -> str:
    """Why an action is not done after all: it would change something else than was reviewed; empty where it would not."""
    known = pending.get("changes")
    if known is None:
        return ""
    now = previewed(ctx, action)
    if (now is not None and alike(known, now)) or was_done(pending["key"], ctx):  # done before a kill: its result is there
        return ""
    if now is None:
        return f"{STOPPED}it cannot be told any more what it would change"
    would = "; ".join(change.told for change in now) or "changes nothing"
    return f"{STOPPED}it is no longer what was reviewed: now it {would}"
