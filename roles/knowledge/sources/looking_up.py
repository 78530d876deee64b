"""Asking the sources: what they bring is cut to the limits, and recorded with where it is from.

Source: the retrieved information that a worker of seed 001 begins with (`context_provision`).
"""

from __future__ import annotations

from roles.contracts import Subtask, Supplement
from roles.contracts.context import Context
from roles.contracts.limits.output import cut, put_out
from roles.journal.events import ErrorEvent
from roles.knowledge.library import gather
from roles.screen.language.goals import without_values


def look_up(ctx: Context, query: str, app: str | None) -> tuple[list[Supplement], list[str]]:
    """What every source says that is not known yet, and why some could say nothing."""
    known = ctx.journal.supplements()
    found, dumb = gather(ctx.sources, query, app, known)
    if not found and (plain := without_values(query)) != query:  # names and numbers stand on no page
        found, dumb = gather(ctx.sources, plain, app, known)
        found = [hit.model_copy(update={"query": query}) for hit in found]
    return [hit.model_copy(update={"text": cut(hit.text, ctx.limits.tool_output)}) for hit in found], dumb


def goal_ahead(ctx: Context, goal: str) -> None:
    """Before the first plan."""
    if ctx.ahead:
        _ahead(ctx, goal, None, role="manager")


def subtask_ahead(ctx: Context, subtask: Subtask) -> None:
    """Before a worker begins; once for all its attempts."""
    if ctx.ahead:
        _ahead(ctx, subtask.instruction, subtask.app, role="operator", subtask=subtask.id)


def _ahead(ctx: Context, query: str, app: str | None, *, role: str, subtask: str = "") -> None:
    """Record what is found; a source that fails is told of and stops nobody, since nobody has asked yet.

    It is asked without names and numbers: they stand on no page, and nobody has said that they may go to a search.
    """
    key = f"ahead/{subtask}"
    if ctx.journal.recorded(key):
        return
    query = without_values(query)
    found, dumb = look_up(ctx, query, app)
    for number, fault in enumerate(dumb, start=1):
        ctx.journal.record(ErrorEvent(message=fault), role=role, subtask=subtask, key=f"{key}/fault/{number}")
    ctx.journal.supplied(query, found, subtask=subtask, key=key, role=role, ahead=True)
    put_out(ctx.journal, "tool", sum(len(hit.text) for hit in found), role=role, subtask=subtask, key=f"output/{key}")
