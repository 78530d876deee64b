"""The Technician as a graph: writes a script, has it reviewed, runs it in a sandbox on the user's files. Source: seed 002.

Its nodes go by the Operator's names where they do the same. A script that did not work has changed nothing; one that did
changes the world by one keyed action, so that it counts once however often the run is killed.
"""

import json
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from langgraph.graph import StateGraph
from pydantic import ValidationError

from environments.contract import CHANGE_FILES, Environment, FileChange, Files, FileTree, text_digest
from environments.effects import Change
from environments.files.tree_changes import tree_changes
from environments.sandbox.contract import Sandbox, SandboxUnavailable
from protocol import Action, ActionResult, ExecStatus, Extension, JsonObject, RunScript, VisualState, describe, parse_action
from roles.contracts import Fact, FactKnown, RanScript, Report, Script, ScriptAnswer, ScriptRequest, StepRecord, Subtask
from roles.contracts.context import Context, State, Update
from roles.contracts.facts import kind_of
from roles.contracts.limits import stalled
from roles.contracts.nodes import Given, Graph, Stage, WorkerState, compiled
from roles.contracts.policies import MOST_STEPS
from roles.contracts.requests import Pending, Reject, pending_of
from roles.contracts.signals import Signal
from roles.journal.actions import Intent, action_key
from roles.journal.events import ErrorEvent
from roles.knowledge.blackboard import board_for_worker
from roles.operator.execute import finished, note_outcome, performed
from roles.operator.perceive import FINALIZE, attempt_of, ended, key_of, safety_of, step_of, subtask_id
from roles.operator.safety import approval, interruption
from roles.operator.safety.permits import grounds_of
from roles.policies.fallback import PolicyFault, until_usable
from roles.safety import Review, review
from roles.safety.effects import Risk, risks_of
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
    body: JsonObject = {"exit_code": ran.exit_code}
    for name, text in (("stdout", ran.stdout), ("stderr", ran.stderr)):
        body[name] = text if len(text) <= kept else f"{text[:kept]}…"
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


def _failed(error: str, body: Mapping[str, Any], status: ExecStatus = ExecStatus.ERROR) -> Outcome:
    return Outcome(ActionResult(exec_status=status, error=error, output=json.dumps(body)), FileChange())


_TOLD = 4


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
    if pending.script is None and not interruption.was_done(key, ctx):
        pending, found = _reviewed(state, ctx, script, intent)
        if found.verdict == "deny":
            why = f"{pending.line} is not allowed: {'; '.join(found.reasons)} ({found.policy})"
            _settle(ctx, key, ActionResult(exec_status=ExecStatus.ERROR, error=why))
            return ended(state, Signal.CANNOT_EXECUTE, "blocked", why, refused=pending.line)
        if found.verdict == "ask" and not ctx.journal.approved(key, intent.digest):
            return approval.to_be_asked(state, ctx, pending, found, role="technician")
    _settle(ctx, key, _made(state, ctx, pending, intent))
    return {"pending_action": script.dump(), "route": "observe_feedback"}


def _reviewed(state: State, ctx: Context, script: Pending, intent: Intent) -> tuple[Pending, Review]:
    """The change as the pending action, and what the policy says of it; the script stays the action that the rules see."""
    changes = changes_of(ctx, intent.action)
    policy = safety_of(state, ctx)
    action = parse_action(script.action)
    found = review(action, None, ctx.environment.observe(), policy, grounds=grounds_of(state, ctx), changes=changes)
    told, kept = [change.told for change in changes], FileChange.of(intent.action) or FileChange()
    # without the texts, for a state and a request; the journal has all of it
    paths: JsonObject = {name: [*getattr(kept, name)] for name in ("written", "folders", "removed") if getattr(kept, name)}
    line = f"keep what the script did: {'; '.join(told[:_TOLD])}" + (f"; and {len(told) - _TOLD} more" if told[_TOLD:] else "")
    pending = script.but(
        key=intent.key,
        digest=intent.digest,
        action=Extension(action_type=CHANGE_FILES, arguments=paths).dump(),
        line=line,
        effect=found.effect.value,
        changes=shown(changes),
        script=script.dump(),
    )
    more: Update = {"role": "technician", "changes": pending.changes or ()}
    approval.record_review(state, ctx, intent.key, intent.digest, found, line, step=script.step, **more)
    return pending, found


def changes_of(ctx: Context, action: Action) -> tuple[Change, ...]:
    """As the environment previews it; from the files themselves where it cannot."""
    found = interruption.previewed(ctx, action)
    change, tree = FileChange.of(action), tree_of(ctx.environment)
    if found is not None or change is None or tree is None:
        return found or ()
    there = dict.fromkeys(tree.folders) | dict(tree.files)
    touched = {path: there[path] for path in (*change.removed, *change.written) if path in there}
    kept = {**dict.fromkeys(change.folders), **change.written}
    return tuple(tree_changes(tree.app or "", touched, kept))


def _made(state: State, ctx: Context, pending: Pending, intent: Intent) -> ActionResult:
    """The change performed. The world knows the key, should it have been done before."""
    if not interruption.was_done(intent.key, ctx):
        no = approval.forbidden_still(state, ctx, pending) or interruption.otherwise_now(ctx, pending, intent.action)
        if no:
            return ActionResult(exec_status=ExecStatus.ERROR, error=no)
    return performed(ctx, lambda: ctx.environment.perform(intent.action, key=intent.key))


def _settle(ctx: Context, key: str, result: ActionResult) -> None:
    ctx.journal.settle(key, result)
    ctx.journal.commit()


VERB = "run_script"
FACT = "script output"
_FACT_LONGEST = 4_000


def _run(ctx: Context, action: Action) -> Outcome:
    if not isinstance(action, RunScript):
        return _failed(f"the technician runs scripts; {action.verb} is none", {})
    try:
        meant = action.model_copy(update={"code": ctx.journal.revealed_in_code(action.code)})
    except (UnknownSecret, ValueError) as no:
        return _failed(str(no), {})
    return run_script(ctx.sandbox, ctx.environment, meant, ctx.limits.script_seconds, ctx.limits.script_output)


def execute_action(state: State, ctx: Context) -> Update:
    """Run the script once for good: its outcome is written together with the change that it makes; that is reviewed, and made.

    Killed before that, the script is run again, having changed nothing; killed after it, only the change is performed, once.
    """
    asked = pending_of(state)
    pending = asked.script or asked
    key = pending.key
    if ctx.journal.outcome(key) is None:
        forbidden = approval.forbidden_still(state, ctx, pending)
        outcome = _failed(forbidden, {}) if forbidden else _run(ctx, pending.does)
        body = ctx.journal.masked(json.loads(outcome.result.output or "{}"))
        result = outcome.result.model_copy(update={"output": json.dumps(body)})
        ctx.journal.settle(key, result)
        note_outcome(state, ctx, pending, result, "technician")
        if outcome.change:
            ctx.journal.intend(change_key(key), outcome.change.action())
        ctx.journal.commit()
    return changed(state, ctx, asked)


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
    body: JsonObject = json.loads(result.output or "{}")
    after = ctx.environment.observe()
    if result.ok:
        stdout = body.get("stdout", "")
        subtask = Subtask.model_validate(state["delegation"]["subtask"])
        wanted = [e.name for e in subtask.expect if isinstance(e, FactKnown)]
        for name, value in facts_in(stdout, wanted).items():
            said: Update = {"kind": kind_of(value), "role": "technician", "source": "script"}
            ctx.journal.remember(Fact(name=name, value=value, subtask=subtask.id, step=step, **said))
    note = finished(state, ctx, _step(state, ctx, pending, result, body, after), pending)
    ctx.journal.commit()
    trace = {"action_trace": [*state["action_trace"], note]}
    if result.error.startswith(approval.EXPIRED) and safety_of(state, ctx).expired == "deny":
        return approval.refused(state, Reject(message=result.error, who=approval.NOBODY)) | trace
    return trace | {"pending_action": None, "route": "write_script"}


def _step(state: State, ctx: Context, pending: Pending, result: ActionResult, body: JsonObject, after: VisualState) -> StepRecord:
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


REVIEW = "review_action_safety"
NO_POLICY = "nobody decides for the technician; name a policy: crew.technician.policy: rules"
_LISTED = 500
"""Paths that a policy is shown."""
_SHOWN = 12
_OUTPUT_SHOWN = 600


def write_script(state: State, ctx: Context) -> Update:
    """Ask the policy for the next script, unless nothing can be run or the run must end."""
    update: Update = {} if "action_trace" in state else _fresh(state, ctx)
    state = {**state, **update}
    step = step_of(state)
    if ctx.line.cancelled():
        return update | ended(state, Signal.CANCELLED, "failed", "the run was cancelled")
    if spent := ctx.line.spent(step - 1):
        return update | ended(state, Signal.BUDGET_SPENT, "failed", f"{spent} is spent")
    if refusal := (NO_POLICY if ctx.technician is None else ctx.sandbox.refusal):
        ctx.journal.record(ErrorEvent(message=refusal), role="technician", subtask=subtask_id(state))
        said = f"the technician cannot execute this: {refusal}"
        return update | ended(state, Signal.CANNOT_EXECUTE, "failed", said, evidence=[refusal])
    if due := _gate_due(state, ctx):
        return update | due
    ran = scripts_ran(state, ctx)
    answer = _answer(state, ctx, ran, len(state["action_trace"]))
    if isinstance(answer, str):
        never = not any(step.role == "technician" for step in ctx.journal.all_steps(MOST_STEPS))
        signal = Signal.NO_ANSWER if never else Signal.CANNOT_EXECUTE
        return update | ended(state, signal, "failed", answer, evidence=[answer, *evidence_of(ran)])
    if answer.outcome == "done":
        wanted = {e.name for e in Subtask.model_validate(state["delegation"]["subtask"]).expect if isinstance(e, FactKnown)}
        said = answer.reason or f"{len(ran)} script{'s' if len(ran) != 1 else ''} run"
        shown: Update = {"evidence": evidence_of(ran), "facts": sorted(wanted)}
        return update | ended(state, Signal.WORKER_SUCCESS, "completed", said, **shown)
    if answer.outcome == "cannot" or answer.script is None:
        said = answer.reason or "the technician does not know a script for this"
        return update | ended(state, Signal.CANNOT_EXECUTE, "failed", said, evidence=[said, *evidence_of(ran)])
    action = RunScript(language=answer.script.language, code=answer.script.code)
    key = key_of(state, ctx, step)
    pending = Pending(key=key, step=step, action=action.dump(), reason=answer.script.why, app="terminal").but(**ctx.say.mark())
    ctx.journal.commit()  # before a checkpoint says that this is done
    return update | {"pending_action": pending.dump(), "route": REVIEW}


def _gate_due(state: State, ctx: Context) -> Update | None:
    """A check that is due after so many scripts, or because they get nowhere; between two scripts, with none of them held."""
    done = [note for note in state["action_trace"] if note["status"] != "rejected"]
    delegation = state["delegation"]
    since = [s for s in ctx.journal.steps(subtask_id(state), attempt_of(state)) if s.step > int(delegation["step"])]
    if why := stalled(since, ctx.limits.stale_repeats):
        return ended(state, Signal.STALE_PROGRESS, "blocked", why)
    if done and int(delegation.get("since_gate", 0)) + len(done) >= ctx.limits.check_every:
        return ended(state, Signal.CHECK_DUE, "running", f"{ctx.limits.check_every} scripts since the last check")
    return None


def _fresh(state: State, ctx: Context) -> Update:
    delegation = state["delegation"]
    if delegation.get("continued"):
        step = int(delegation.get("step", 0))
        ctx.line.passing(Signal.NOTHING_HELD, step=step, key=f"nothing/{delegation['subtask']['id']}/{step}")
    return {
        "delegation": delegation | {"step": int(delegation.get("step", 0))},
        "action_trace": [],
        "pending_action": None,
        "interaction_status": "running",
        "needs_approval": False,
        "errors": [],
        "report": None,
    }


def _answer(state: State, ctx: Context, ran: tuple[RanScript, ...], tried: int) -> ScriptAnswer | str:
    """What the policy says, or why it says nothing usable; scripts are bounded as actions are."""
    policy = ctx.technician
    assert policy is not None, "checked before"  # noqa: S101 - an invariant
    if tried >= ctx.limits.max_steps:
        return ScriptAnswer(outcome="cannot", reason=f"limits.max_steps ({ctx.limits.max_steps}) scripts were run")
    failures = sum(1 for script in ran if script.error)
    if failures > ctx.limits.retries:
        return ScriptAnswer(outcome="cannot", reason=f"{failures} scripts did not work (limits.retries: {ctx.limits.retries})")
    tree, delegation = tree_of(ctx.environment), state["delegation"]
    paths = sorted((*tree.files, *(f"{folder}/" for folder in tree.folders))) if tree else []
    subtask, facts = Subtask.model_validate(delegation["subtask"]), ctx.journal.facts()
    request = ScriptRequest(
        goal=delegation.get("goal", ""),
        subtask=subtask,
        files=tuple(paths[:_LISTED]),
        facts=facts,
        board=board_for_worker(facts, delegation, subtask, ctx.journal, ctx.blackboard),
        ran=ran,
        refused=tuple(delegation.get("refused", ())),
        notes=ctx.say.notes("technician"),
    )

    def write(problem: str) -> ScriptAnswer:
        try:
            return policy.write(request)
        except ValidationError as bad:
            raise PolicyFault(str(bad)) from bad

    return until_usable(ctx, write, "script", role="technician", subtask=subtask.id)


def scripts_ran(state: State, ctx: Context) -> tuple[RanScript, ...]:
    """The scripts of this subtask attempt, from the journal: an earlier delegation's among them."""
    found = []
    for record in ctx.journal.steps(subtask_id(state), attempt_of(state)):
        key = action_key(ctx.journal.run_key, record.subtask, attempt_of(state), record.step)
        result, action = ctx.journal.outcome(key), record.action
        if result is None or action.get("action_type") != "run_script":
            continue
        body: JsonObject = json.loads(result.output or "{}")
        found.append(
            RanScript(
                script=Script(language=action.get("language", "bash"), code=action["code"]),
                exit_code=body.get("exit_code", 0),
                stdout=body.get("stdout", ""),
                stderr=body.get("stderr", ""),
                changed=tuple(body.get("changed", ())),
                error=record.error,
            )
        )
    return tuple(found)


def review_action_safety(state: State, ctx: Context) -> Update:
    """Read what the script says of itself, hear the safety policy, and write the intent that everything later is bound to."""
    pending = pending_of(state)
    seen = ctx.environment.observe()
    action = pending.does
    found, risks = _judge(state, ctx, action, seen)
    if found.verdict != "deny":
        intent = ctx.journal.intend(pending.key, action)
        if intent.digest != ctx.journal.digest(action):  # the script of before a kill is the one that counts
            action = intent.action
            found, risks = _judge(state, ctx, action, seen)
    line = describe(action)
    digest, told = ctx.journal.digest(action), [risk.describe() for risk in risks[:_SHOWN]]
    approval.record_review(state, ctx, pending.key, digest, found, line, step=pending.step, role="technician", risks=told)
    before = ctx.journal.screens.keep(seen)
    pending = pending.but(action=action.dump(), digest=digest, effect=found.effect.value, line=line, before=before)
    if found.verdict == "deny":
        why = f"{line} is not allowed: {'; '.join(found.reasons)} ({found.policy})"
        return ended(state, Signal.CANNOT_EXECUTE, "blocked", why, refused=line)
    ctx.line.passing(Signal.GENERATE_ACTION, step=pending.step, key=f"generate/{pending.key}")
    if found.verdict == "allow":
        ctx.journal.commit()  # before a checkpoint says that this is done
        return {"pending_action": pending.dump(), "route": "execute_action"}
    return approval.to_be_asked(state, ctx, pending, found, role="technician")


def _judge(state: State, ctx: Context, action: Any, seen: Any) -> tuple[Review, tuple[Risk, ...]]:
    """The verdict, with the risky commands among its reasons, so that a person sees what is asked."""
    risks = risks_of(action.language, action.code) if isinstance(action, RunScript) else ()
    found = review(action, None, seen, safety_of(state, ctx), grounds=grounds_of(state, ctx))
    return found.model_copy(update={"reasons": (*found.reasons, *(risk.describe() for risk in risks[:_SHOWN]))}), risks


def evidence_of(ran: tuple[RanScript, ...]) -> list[str]:
    """What the last script showed: its exit code, what it changed, its words."""
    if not ran:
        return []
    last = ran[-1]
    found = [f"exit code {last.exit_code}"]
    found += [last.error] if last.error else []
    found += [f"changed: {', '.join(last.changed[:_SHOWN])}"] if last.changed else []
    streams = (("stdout", last.stdout), ("stderr", last.stderr))
    return found + [f"{name}: {text.strip()[:_OUTPUT_SHOWN]}" for name, text in streams if text.strip()]


def finalize_interaction_report(state: State, ctx: Context) -> Update:
    """The report for the hub, redacted, and what the next delegation of the same subtask goes on with."""
    ctx.journal.commit()
    done = [note for note in state["action_trace"] if note["status"] != "rejected"]
    carry = {"memory": {}, "retries": 0, "steps": len(state["action_trace"]), "actions": len(done)}
    report = Report.model_validate(state["report"]).model_dump(mode="json")
    return {"report": ctx.journal.masked(report), "carry": carry, "pending_action": None, "route": ""}


STAGES: dict[str, Stage] = {
    "write_script": interruption.between_actions(interruption.deciding(write_script)),
    "review_action_safety": review_action_safety,
    "request_human_approval": interruption.asking(approval.ask_by_interrupt),
    "execute_action": interruption.before_the_effect(execute_action),
    "observe_feedback": interruption.unless_dropped(observe_feedback, "write_script"),
    FINALIZE: finalize_interaction_report,
}
CHOICES: dict[str, tuple[str, ...]] = {
    "write_script": ("review_action_safety", FINALIZE),
    "review_action_safety": ("execute_action", "request_human_approval", FINALIZE),
    "request_human_approval": ("execute_action", FINALIZE, "request_human_approval"),
    "execute_action": ("observe_feedback", "request_human_approval", FINALIZE),
    "observe_feedback": ("write_script", FINALIZE),
}


def build_technician(context: Given = None, *, checkpointer: Any = None, interrupts: bool | None = None) -> Graph:
    """Compile the Technician. With `interrupts` (the default as soon as there is a checkpointer) an approval pauses the graph."""
    pausing = checkpointer is not None if interrupts is None else interrupts
    graph: StateGraph[Any, Any, Any, Any] = StateGraph(WorkerState)
    stages = STAGES if pausing else STAGES | {"request_human_approval": approval.ask_by_report}
    return compiled(graph, stages, CHOICES, context, name="technician", checkpointer=checkpointer)
