"""Calls: whether one may be made, what is kept of its answer, and calls of tools from outside, which are made once.

No environment keeps a key for a tool from outside. So the intent is written first, then that it is being called, then what came
of it. A process that finds the second without the third does not know whether it was done: what only reads, or may be done
twice, is called again; anything else is left unknown, and before anything like it is tried again a person is asked.
"""

from __future__ import annotations

from typing import Any

from langgraph.errors import GraphBubbleUp

from protocol import Action, ActionResult, CallApi, ExecStatus
from roles.context import Context, State
from roles.contracts import Fact
from roles.memory.blackboard_fact import FactSource
from roles.operator.perceive import subtask_id
from roles.output import cut
from roles.skills.contract import AGENT, RESULT, Idempotence, ToolFault, ToolRefused, ToolSilent
from roles.vault import UnknownSecret

CALLS = frozenset({"call_api", "ask_in_app_agent"})
"""Verbs whose results are somebody's output."""
_SAID = 400


def call(ctx: Context, pending: dict[str, Any], action: Action, forbidden: str) -> ActionResult | None:
    """What comes of a call that cannot be made, or that a tool from outside answers; None where the environment has to.

    The arguments are looked at once more, since a person may have edited them.
    """
    if unfit := ctx.skills.problem(action) or ctx.skills.forbidden(action, pending["app"]):
        return ActionResult(exec_status=ExecStatus.ERROR, error=f"not performed: {unfit}")
    return _outside(ctx, pending, action, forbidden) if ctx.skills.tool(action) is not None else None


def _outside(ctx: Context, pending: dict[str, Any], action: Action, forbidden: str) -> ActionResult:
    """What a tool from outside answers; `pending` where a process stopped in the middle of it and it must not be done twice."""
    tool = ctx.skills.tool(action)
    assert tool is not None, "the registry knows what is called"  # noqa: S101 - an invariant
    assert isinstance(action, CallApi)  # noqa: S101 - an invariant
    skill = ctx.skills.of(action) or tool.skill
    begun = ctx.journal.start(pending["key"])
    if begun and skill.idempotence is Idempotence.ONCE:
        unknown = f"{skill.called} was being called when the process stopped, and nobody knows whether it was done"
        return ActionResult(exec_status=ExecStatus.PENDING, error=unknown)
    if forbidden:
        return ActionResult(exec_status=ExecStatus.ERROR, error=forbidden)
    try:
        meant = action.arguments
        if ctx.journal.redactor is not None:
            meant = ctx.journal.redactor.vault.revealed(meant)
        said = tool.call(meant)
    except (ToolFault, UnknownSecret) as no:
        return ActionResult(exec_status=ExecStatus.ERROR, error=f"not performed: {_clean(ctx, str(no))}")
    except ToolRefused as no:
        return ActionResult(exec_status=ExecStatus.ERROR, error=_clean(ctx, str(no)))
    except ToolSilent as silent:
        return ActionResult(exec_status=ExecStatus.TIMEOUT, error=_clean(ctx, str(silent)))
    except GraphBubbleUp:
        raise
    except Exception as fault:  # noqa: BLE001 - a tool is somebody else's code: whatever it raises is an error of the step
        return ActionResult(exec_status=ExecStatus.ERROR, error=_clean(ctx, f"{skill.called}: {type(fault).__name__}: {fault}"))
    return ActionResult(exec_status=ExecStatus.EXECUTED, output=ctx.journal.masked(said))


def _clean(ctx: Context, text: str) -> str:
    return cut(str(ctx.journal.masked(" ".join(text.split()))), _SAID)


def keep_answer(state: State, ctx: Context, action: Action, result: ActionResult, pending: dict[str, Any]) -> None:
    """Put what a call answered on the blackboard, under the name of what was called."""
    if result.exec_status is not ExecStatus.EXECUTED or not result.output.strip():
        return
    skill = ctx.skills.of(action)
    asked = getattr(action, "app", "")
    name = skill.called if skill is not None else f"{asked}.{getattr(action, 'function', AGENT)}"
    own: FactSource = "agent" if action.verb == "ask_in_app_agent" else "api"
    source: FactSource = "tool" if skill is not None and skill.outside else own
    at = {"subtask": subtask_id(state), "step": pending["step"]}
    fact = Fact(
        name=name, value=result.output, kind=RESULT, app=skill.app if skill else asked, source=source, source_name=name, **at
    )
    ctx.journal.remember(fact, beside=(state.get("delegation") or {}).get("beside", ()))
