"""The change that a script makes to the files: reviewed when the sandbox has brought it back, before it is made.

It has a key and a digest of its own, and so has what is said of it. What the script's text was taken for plays no part in it.
"""

from __future__ import annotations

from typing import Any

from langgraph.errors import GraphBubbleUp

from environments.contract import CHANGE_FILES, DigestMismatch, FileChange, Unavailable
from environments.effects import Change
from environments.tree_changes import tree_changes
from protocol import Action, ActionResult, ExecStatus, Extension, parse_action
from roles.context import Context, State, Update
from roles.contracts import Report
from roles.journal_actions import Intent
from roles.operator.approval import ASK, record_request
from roles.operator.grounds import grounds_of
from roles.operator.holding import was_done
from roles.operator.perceive import safety_of, subtask_id
from roles.operator.permission import forbidden_still, reviewed_key
from roles.operator.previewing import otherwise_now, previewed
from roles.operator.state import FINALIZE
from roles.safety import Review, review
from roles.safety.changes import shown
from roles.signals import Signal
from roles.standstill import Standstill
from roles.technician.running import tree_of

_SHOWN = 4


def change_key(key: str) -> str:
    """The key of the change that the script of a key makes."""
    return f"{key}/files"


def changed(state: State, ctx: Context, pending: dict[str, Any]) -> Update:
    """What becomes of the change: made, asked about, or refused. `pending` is the script, or the change that was asked about."""
    script: dict[str, Any] = pending.get("script") or pending
    key = change_key(script["key"])
    intent = ctx.journal.intent(key)
    if intent is None or ctx.journal.outcome(key) is not None:
        return {"pending_action": script, "route": "observe_feedback"}
    if "script" not in pending and not was_done(key, ctx):
        pending, found = _reviewed(state, ctx, script, intent)
        if found.verdict == "deny":
            return _refused(ctx, pending, found)
        if found.verdict == "ask" and not ctx.journal.approved(key, intent.digest):
            record_request(state, ctx, pending, found, role="technician")
            ctx.journal.commit()
            asking = {"needs_approval": True, "interaction_status": "needs_approval"}
            return {"pending_action": pending, "route": ASK} | asking
    _settle(ctx, key, _made(state, ctx, pending, intent))
    return {"pending_action": script, "route": "observe_feedback"}


def _reviewed(state: State, ctx: Context, script: dict[str, Any], intent: Intent) -> tuple[dict[str, Any], Review]:
    """The change as the pending action, and what the policy says of it; the script stays the action that the rules see."""
    changes = changes_of(ctx, intent.action)
    policy = safety_of(state, ctx)
    action = parse_action(script["action"])
    found = review(action, None, ctx.environment.observe(), policy, grounds=grounds_of(state, ctx), changes=changes)
    told = [change.told for change in changes]
    line = f"keep what the script did: {'; '.join(told[:_SHOWN])}" + (f"; and {len(told) - _SHOWN} more" if told[_SHOWN:] else "")
    pending = script | {
        "key": intent.key,
        "digest": intent.digest,
        "action": _paths_only(intent.action).dump(),
        "line": line,
        "effect": found.effect.value,
        "changes": shown(changes),
        "script": script,
    }
    finding = {
        "policy": found.policy,
        "severity": found.severity,
        "verdict": found.verdict,
        "effect": found.effect.value,
        "reasons": list(found.reasons),
        "changes": pending["changes"],
        "action": line,
    }
    place = {"role": "technician", "subtask": subtask_id(state), "step": script["step"]}
    ctx.journal.record("reviewed", finding, **place, key=reviewed_key(intent.key, found.verdict, intent.digest))
    return pending, found


def changes_of(ctx: Context, action: Action) -> tuple[Change, ...]:
    """As the environment previews it; from the files themselves where it cannot."""
    found = previewed(ctx, action)
    change, tree = FileChange.of(action), tree_of(ctx.environment)
    if found is not None or change is None or tree is None:
        return found or ()
    there = dict.fromkeys(tree.folders) | dict(tree.files)
    touched = {path: there[path] for path in (*change.removed, *change.written) if path in there}
    kept = {**dict.fromkeys(change.folders), **change.written}
    return tuple(tree_changes(tree.app or "", touched, kept))


def _paths_only(action: Action) -> Extension:
    """The change without the texts, for a state and a request; the journal has all of it."""
    change = FileChange.of(action) or FileChange()
    given = {"written": change.written, "folders": change.folders, "removed": change.removed}
    return Extension(action_type=CHANGE_FILES, arguments={name: [*paths] for name, paths in given.items() if paths})


def _refused(ctx: Context, pending: dict[str, Any], found: Review) -> Update:
    why = f"{pending['line']} is not allowed: {'; '.join(found.reasons)} ({found.policy})"
    _settle(ctx, pending["key"], ActionResult(exec_status=ExecStatus.ERROR, error=why))
    report = Report(signal=Signal.CANNOT_EXECUTE, summary=why, evidence=[why], refused=pending["line"])
    ended = {"report": report.model_dump(mode="json"), "interaction_status": "blocked", "route": FINALIZE}
    return {"pending_action": None} | ended


def _made(state: State, ctx: Context, pending: dict[str, Any], intent: Intent) -> ActionResult:
    """The change performed. The world knows the key, should it have been done before."""
    if not was_done(intent.key, ctx):
        no = forbidden_still(state, ctx, pending) or otherwise_now(ctx, pending, intent.action)
        if no:
            return ActionResult(exec_status=ExecStatus.ERROR, error=no)
    try:
        return ctx.environment.perform(intent.action, key=intent.key)
    except GraphBubbleUp:
        raise
    except DigestMismatch as mismatch:
        return ActionResult(exec_status=ExecStatus.ERROR, error=f"not performed: {mismatch}")
    except Unavailable as gone:
        raise Standstill(str(gone)) from gone
    except Exception as fault:  # noqa: BLE001 - an adapter may raise anything; it becomes a structured error (seed 000)
        said = ctx.journal.masked(f"adapter: {type(fault).__name__}: {fault}")
        return ActionResult(exec_status=ExecStatus.ERROR, error=said)


def _settle(ctx: Context, key: str, result: ActionResult) -> None:
    ctx.journal.settle(key, result)
    ctx.journal.commit()
