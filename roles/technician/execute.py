"""The Technician's acting stages: run the script, have its change reviewed, and put what it said on the blackboard."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from langgraph.errors import GraphBubbleUp

from environments.contract import CHANGE_FILES, DigestMismatch, Environment, FileChange, Files, FileTree, Unavailable, text_digest
from environments.effects import Change
from environments.files.tree_changes import tree_changes
from environments.sandbox.contract import Sandbox, SandboxUnavailable
from protocol import Action, ActionResult, ExecStatus, Extension, RunScript, VisualState, parse_action
from roles.contracts import Fact, FactKnown, Report, StepRecord, Subtask
from roles.contracts.context import Context, State, Update
from roles.contracts.facts import kind_of
from roles.contracts.nodes import RunBlocked
from roles.contracts.requests import Pending, Reject, pending_of
from roles.contracts.signals import Signal
from roles.journal.actions import Intent
from roles.journal.events import FeedbackEvent, OutcomeEvent, ReviewedEvent
from roles.journal.journal import put_out
from roles.operator.perceive import FINALIZE, attempt_of, safety_of, subtask_id
from roles.operator.safety.approval import ASK, EXPIRED, NOBODY, forbidden_still, record_request, refused, reviewed_key
from roles.operator.safety.interruption import otherwise_now, previewed, was_done
from roles.operator.safety.permits import grounds_of
from roles.safety import Review, review
from roles.safety.privacy.vault import UnknownSecret
from roles.safety.review import shown

_NONE = FileTree({})


class Outcome(NamedTuple):
    """The result of a script as it is recorded, and the change that it makes, if any."""

    result: ActionResult
    change: FileChange


def tree_of(environment: Environment) -> FileTree | None:
    """The user's files; None where there are none to be had."""
    return environment.files() if isinstance(environment, Files) else None


def run_script(sandbox: Sandbox, environment: Environment, action: RunScript, seconds: float, kept: int) -> Outcome:
    """Run it on a copy of the user's files. Nothing is changed yet, so it can be run again.

    `kept` is how many characters of each of stdout and stderr are kept.
    """
    tree = tree_of(environment)
    before = tree or _NONE
    given = {path.lstrip("/"): text.encode("utf-8", "surrogatepass") for path, text in before.files.items()}
    folders = tuple(path.lstrip("/") for path in before.folders)
    try:
        ran = sandbox.run(action.code, action.language, given, seconds, folders=folders)
    except (SandboxUnavailable, ValueError) as no:
        return _failed(str(no), {"exit_code": 126})
    body = {"exit_code": ran.exit_code, "stdout": _kept(ran.stdout, kept), "stderr": _kept(ran.stderr, kept)}
    if ran.truncated or len(ran.stdout) > kept or len(ran.stderr) > kept:
        body["cut"] = True
    if ran.timed_out:
        return _failed(f"it was ended after {seconds:g} seconds, and changed nothing", body, ExecStatus.TIMEOUT)
    if ran.exit_code != 0:
        said = next((line for line in reversed(ran.stderr.splitlines()) if line.strip()), "")
        return _failed(f"exit code {ran.exit_code}{': ' + said[:300] if said else ''}; nothing was changed", body)
    if ran.files is None:
        return _failed("what it left in the folder is too much to be taken back; nothing was changed", body)
    change, left_out = changes(before, ran.files, ran.folders, {left.path: left.why for left in ran.left_out})
    if change and tree is None:
        return _failed("it wrote files, and here there is no app that holds files", body)
    if change:
        body["changed"] = [*sorted(change.written), *change.folders, *change.removed]
    if left_out:
        body["left_out"] = [f"{path}: {why}" for path, why in left_out.items()][:20]
    return Outcome(ActionResult(exec_status=ExecStatus.EXECUTED, output=json.dumps(body)), change)


def changes(
    before: FileTree, files: Mapping[str, bytes], folders: tuple[str, ...], left: Mapping[str, str]
) -> tuple[FileChange, dict[str, str]]:
    """What is otherwise after a script, and what of it the world cannot hold, with the reasons."""
    left_out = {f"/{path}": why for path, why in left.items()}
    written: dict[str, str] = {}
    for path, body in files.items():
        place = f"/{path}"
        try:
            text = body.decode("utf-8")
        except UnicodeDecodeError:
            if body != before.files.get(place, "").encode("utf-8", "surrogatepass"):
                left_out[place] = "not a text"
            continue
        if before.files.get(place) != text:
            written[place] = text
    there = {f"/{path}" for path in (*files, *folders)}
    held = {
        path: any(path == left or path.startswith(f"{left}/") for left in left_out) for path in (*before.files, *before.folders)
    }
    removed = tuple(path for path, stays in held.items() if path not in there and not stays)
    turned = tuple(path for path in before.files if path.lstrip("/") in folders)
    new = tuple(path for folder in folders if (path := f"/{folder}") not in before.folders)
    was = {path: text_digest(before.files[path]) for path in (*written, *removed, *turned) if path in before.files}
    return FileChange(written=written, folders=new, removed=(*removed, *turned), was=was), left_out


def _kept(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]}…"


def _failed(error: str, body: Mapping[str, Any], status: ExecStatus = ExecStatus.ERROR) -> Outcome:
    return Outcome(ActionResult(exec_status=status, error=error, output=json.dumps(body)), FileChange())


_SHOWN = 4


def change_key(key: str) -> str:
    """The key of the change that the script of a key makes."""
    return f"{key}/files"


def changed(state: State, ctx: Context, pending: Pending) -> Update:
    """What becomes of the change: made, asked about, or refused. `pending` is the script, or the change that was asked about."""
    script = pending.script or pending
    key = change_key(script.key)
    intent = ctx.journal.intent(key)
    if intent is None or ctx.journal.outcome(key) is not None:
        return {"pending_action": script.dump(), "route": "observe_feedback"}
    if pending.script is None and not was_done(key, ctx):
        pending, found = _reviewed(state, ctx, script, intent)
        if found.verdict == "deny":
            return _refused(ctx, pending, found)
        if found.verdict == "ask" and not ctx.journal.approved(key, intent.digest):
            record_request(state, ctx, pending, found, role="technician")
            ctx.journal.commit()
            asking = {"needs_approval": True, "interaction_status": "needs_approval"}
            return {"pending_action": pending.dump(), "route": ASK} | asking
    _settle(ctx, key, _made(state, ctx, pending, intent))
    return {"pending_action": script.dump(), "route": "observe_feedback"}


def _reviewed(state: State, ctx: Context, script: Pending, intent: Intent) -> tuple[Pending, Review]:
    """The change as the pending action, and what the policy says of it; the script stays the action that the rules see."""
    changes = changes_of(ctx, intent.action)
    policy = safety_of(state, ctx)
    action = parse_action(script.action)
    found = review(action, None, ctx.environment.observe(), policy, grounds=grounds_of(state, ctx), changes=changes)
    told = [change.told for change in changes]
    line = f"keep what the script did: {'; '.join(told[:_SHOWN])}" + (f"; and {len(told) - _SHOWN} more" if told[_SHOWN:] else "")
    pending = script.but(
        key=intent.key,
        digest=intent.digest,
        action=_paths_only(intent.action).dump(),
        line=line,
        effect=found.effect.value,
        changes=shown(changes),
        script=script.dump(),
    )
    finding = ReviewedEvent(
        policy=found.policy,
        severity=found.severity,
        verdict=found.verdict,
        effect=found.effect.value,
        reasons=list(found.reasons),
        changes=pending.changes or (),
        action=line,
    )
    key = reviewed_key(intent.key, found.verdict, intent.digest)
    ctx.journal.record(finding, role="technician", subtask=subtask_id(state), step=script.step, key=key)
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


def _refused(ctx: Context, pending: Pending, found: Review) -> Update:
    why = f"{pending.line} is not allowed: {'; '.join(found.reasons)} ({found.policy})"
    _settle(ctx, pending.key, ActionResult(exec_status=ExecStatus.ERROR, error=why))
    report = Report(signal=Signal.CANNOT_EXECUTE, summary=why, evidence=[why], refused=pending.line)
    ended = {"report": report.model_dump(mode="json"), "interaction_status": "blocked", "route": FINALIZE}
    return {"pending_action": None} | ended


def _made(state: State, ctx: Context, pending: Pending, intent: Intent) -> ActionResult:
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
        raise RunBlocked(str(gone)) from gone
    except Exception as fault:  # noqa: BLE001 - an adapter may raise anything; it becomes a structured error (seed 000)
        said = ctx.journal.masked(f"adapter: {type(fault).__name__}: {fault}")
        return ActionResult(exec_status=ExecStatus.ERROR, error=said)


def _settle(ctx: Context, key: str, result: ActionResult) -> None:
    ctx.journal.settle(key, result)
    ctx.journal.commit()


VERB = "run_script"
FACT = "script output"
_FACT_LONGEST = 4_000
_SIGNALS = {ExecStatus.EXECUTED: Signal.EXECUTED, ExecStatus.TIMEOUT: Signal.TIMEOUT}


def execute_action(state: State, ctx: Context) -> Update:
    """Run the script once for good: its outcome is written together with the change that it makes; that is reviewed, and made.

    Killed before that, the script is run again, having changed nothing; killed after it, only the change is performed, once.
    """
    asked = pending_of(state)
    pending = asked.script or asked
    key = pending.key
    if ctx.journal.outcome(key) is None:
        forbidden = forbidden_still(state, ctx, pending)
        outcome = _nothing(forbidden) if forbidden else _run(ctx, parse_action(pending.action))
        body = ctx.journal.masked(json.loads(outcome.result.output or "{}"))
        said = sum(len(body.get(stream, "")) for stream in ("stdout", "stderr"))
        result = outcome.result.model_copy(update={"output": json.dumps(body)})
        ctx.journal.settle(key, result)
        told = OutcomeEvent(line=pending.line, exec_status=result.exec_status.value, error=result.error, key=key)
        place: dict[str, Any] = {"role": "technician", "subtask": subtask_id(state), "step": pending.step}
        ctx.journal.record(told, **place, key=f"outcome/{key}")
        put_out(ctx.journal, "script", said, **place, key=f"output/{key}")
        if outcome.change:
            ctx.journal.intend(change_key(key), outcome.change.action())
        ctx.journal.commit()
    return changed(state, ctx, asked)


def _nothing(why: str) -> Outcome:
    return Outcome(ActionResult(exec_status=ExecStatus.ERROR, error=why), FileChange())


def _run(ctx: Context, action: Any) -> Outcome:
    if isinstance(action, RunScript):
        try:
            meant = action.model_copy(update={"code": ctx.journal.revealed_in_code(action.code)})
        except (UnknownSecret, ValueError) as no:
            return _nothing(str(no))
        return run_script(ctx.sandbox, ctx.environment, meant, ctx.limits.script_seconds, ctx.limits.script_output)

    return _nothing(f"the technician runs scripts; {action.verb} is none")


def observe_feedback(state: State, ctx: Context) -> Update:
    """One finished step, with what the script said as facts; then the policy is asked again."""
    pending = pending_of(state)
    key, step = pending.key, pending.step
    result = ctx.journal.outcome(key)
    assert result is not None, "it was just settled"  # noqa: S101 - an invariant
    applied = ctx.journal.outcome(change_key(key))
    if applied is not None and not applied.ok:
        error = f"what the script wrote could not be put back: {applied.error}"
        result = applied.model_copy(update={"error": error, "output": result.output})
    body: dict[str, Any] = json.loads(result.output or "{}")
    after = ctx.environment.observe()
    if result.ok:
        _remember(state, ctx, body.get("stdout", ""), step)
    record = _step(state, ctx, pending, result, body, after)
    ctx.journal.step(record, attempt_of(state), key=f"step/{key}")
    feedback = FeedbackEvent(events=list(record.events), visible_change=record.visible_change, state_id=record.after)
    ctx.journal.record(feedback, role="technician", subtask=record.subtask, step=step, key=f"feedback/{key}")
    signal = _SIGNALS.get(result.exec_status, Signal.ERROR)
    ctx.line.passing(signal, step=step, key=f"result/{key}")
    ctx.journal.commit()
    note = {"step": step, "line": pending.line, "status": result.exec_status.value, "key": key}
    done = {"action_trace": [*state["action_trace"], note], "pending_action": None, "route": "write_script"}
    if result.error.startswith(EXPIRED) and safety_of(state, ctx).expired == "deny":
        refusal = Reject(message=result.error, who=NOBODY)
        return refused(state, refusal) | {"action_trace": done["action_trace"]}
    return done


def _step(
    state: State, ctx: Context, pending: Pending, result: ActionResult, body: dict[str, Any], after: VisualState
) -> StepRecord:
    after_id = ctx.journal.screens.keep(after)
    paths = body.get("changed", []) if result.ok else []
    events = [f"status: exit code {body.get('exit_code', 1)}"]
    events += [f"status: changed {', '.join(paths[:8])}"] if paths else []
    events += [f"status: left out {left}" for left in body.get("left_out", ())[:4]]
    return StepRecord(
        step=pending.step,
        subtask=subtask_id(state),
        app=after.app,
        action=pending.action,
        verb=VERB,
        target=pending.action.get("language", "bash"),
        exec_status=result.exec_status,
        error=result.error,
        before=pending.before,
        after=after_id,
        visible_change=bool(paths) or pending.before != after_id,
        events=tuple(events),
        role="technician",
    )


def _remember(state: State, ctx: Context, stdout: str, step: int) -> None:
    """What the script said becomes the facts that the subtask expects, else one of its own."""
    subtask = Subtask.model_validate(state["delegation"]["subtask"])
    wanted = [e.name for e in subtask.expect if isinstance(e, FactKnown)]
    for name, value in facts_in(stdout, wanted).items():
        place: dict[str, Any] = {"subtask": subtask.id, "step": step, "role": "technician", "source": "script"}
        fact = Fact(name=name, value=value, kind=kind_of(value), **place)
        ctx.journal.remember(fact, beside=state["delegation"].get("beside", ()))


def facts_in(stdout: str, wanted: list[str]) -> dict[str, str]:
    """Names and values: a single fact is all that was said; several are lines of `name: value`."""
    said = stdout.strip()
    if not said:
        return {}
    if len(wanted) <= 1:
        return {(wanted[0] if wanted else FACT): said[:_FACT_LONGEST]}
    found = [re.fullmatch(r"\s*([^:=]+?)\s*[:=]\s*(.*?)\s*", line) for line in said.splitlines()]
    lines = {match[1]: match[2] for match in found if match is not None}
    folded = {name.casefold(): value for name, value in lines.items()}
    return {name: folded[name.casefold()][:_FACT_LONGEST] for name in wanted if folded.get(name.casefold())}
