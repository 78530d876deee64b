"""The Technician as a graph: writes a script, has it reviewed, runs it in a sandbox on the user's files. Source: seed 002.

Its nodes go by the Operator's names where they do the same. A script that did not work has changed nothing; one that did
changes the world by one keyed action, so that it counts once however often the run is killed.
"""

from __future__ import annotations

import json
from typing import Any

from langgraph.graph import END, START, StateGraph
from pydantic import ValidationError
from typing_extensions import TypedDict

from protocol import RunScript, describe, parse_action
from roles.contracts import FactKnown, RanScript, Report, Script, ScriptAnswer, ScriptRequest, Subtask
from roles.contracts.context import Context, State, Update
from roles.contracts.nodes import Given, Graph, Stage, node, stalled
from roles.contracts.policies import MOST_STEPS
from roles.contracts.requests import Pending, pending_of
from roles.contracts.signals import Signal
from roles.journal.actions import action_key
from roles.journal.events import ErrorEvent, ReviewedEvent, error_event
from roles.knowledge.blackboard import board_for_worker
from roles.operator.perceive import FINALIZE, attempt_of, key_of, safety_of, step_of, subtask_id
from roles.operator.safety.approval import ask_by_interrupt, ask_by_report, record_request, reviewed_key
from roles.operator.safety.interruption import asking, before_the_effect, between_actions, deciding, unless_dropped
from roles.operator.safety.permits import grounds_of
from roles.policies.fallback import GaveUp, PolicyFault
from roles.safety import Review, review
from roles.safety.effects import Risk, risks_of
from roles.technician.execute import execute_action, observe_feedback, tree_of

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
        return update | _end(Signal.CANCELLED, "the run was cancelled")
    if spent := ctx.line.spent(step - 1):
        return update | _end(Signal.BUDGET_SPENT, f"{spent} is spent")
    if refusal := (NO_POLICY if ctx.technician is None else ctx.sandbox.refusal):
        ctx.journal.record(ErrorEvent(message=refusal), role="technician", subtask=subtask_id(state))
        return update | _end(Signal.CANNOT_EXECUTE, f"the technician cannot execute this: {refusal}", refusal)
    if due := _gate_due(state, ctx):
        return update | due
    ran = scripts_ran(state, ctx)
    answer = _answer(state, ctx, ran, len(state["action_trace"]))
    if isinstance(answer, str):
        never = not any(step.role == "technician" for step in ctx.journal.all_steps(MOST_STEPS))
        return update | _end(Signal.NO_ANSWER if never else Signal.CANNOT_EXECUTE, answer, answer, *evidence_of(ran))
    if answer.outcome != "run" or answer.script is None:
        ended = _done if answer.outcome == "done" else _unable
        return update | ended(state, answer, ran)
    action = RunScript(language=answer.script.language, code=answer.script.code)
    pending = Pending(
        key=key_of(state, ctx, step),
        step=step,
        action=action.dump(),
        reason=answer.script.why,
        app="terminal",
    )
    ctx.journal.commit()  # before a checkpoint says that this is done
    return update | {"pending_action": pending.dump(), "route": REVIEW}


def _gate_due(state: State, ctx: Context) -> Update | None:
    """A check that is due after so many scripts, or because they get nowhere; between two scripts, with none of them held."""
    done = [note for note in state["action_trace"] if note["status"] != "rejected"]
    delegation = state["delegation"]
    since = [s for s in ctx.journal.steps(subtask_id(state), attempt_of(state)) if s.step > int(delegation["step"])]
    if why := stalled(since, ctx.limits.stale_repeats):
        return _end(Signal.STALE_PROGRESS, why, status="blocked")
    if done and int(delegation.get("since_gate", 0)) + len(done) >= ctx.limits.check_every:
        return _end(Signal.CHECK_DUE, f"{ctx.limits.check_every} scripts since the last check", status="running")
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
        "report": None,
    }


def _answer(state: State, ctx: Context, ran: tuple[RanScript, ...], tried: int) -> ScriptAnswer | str:
    """What the policy says, or why it says nothing usable; scripts are bounded as actions are."""
    assert ctx.technician is not None, "checked before"  # noqa: S101 - an invariant
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
    problem = ""
    for _ in range(ctx.limits.reasks + 1):
        try:
            return ctx.technician.write(request)
        except (PolicyFault, ValidationError) as fault:
            problem, asked_enough = f"the policy gave no usable script: {fault}", isinstance(fault, GaveUp)
        ctx.journal.record(error_event(problem, asked_enough=asked_enough), role="technician", subtask=subtask.id)
        if asked_enough:
            break
    return problem


def scripts_ran(state: State, ctx: Context) -> tuple[RanScript, ...]:
    """The scripts of this subtask attempt, from the journal: an earlier delegation's among them."""
    found = []
    for record in ctx.journal.steps(subtask_id(state), attempt_of(state)):
        key = action_key(ctx.journal.run_key, record.subtask, attempt_of(state), record.step)
        result, action = ctx.journal.outcome(key), record.action
        if result is None or action.get("action_type") != "run_script":
            continue
        body: dict[str, Any] = json.loads(result.output or "{}")
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
    action = parse_action(pending.action)
    found, risks = _judge(state, ctx, action, seen)
    if found.verdict != "deny":
        intent = ctx.journal.intend(pending.key, action)
        if intent.digest != ctx.journal.digest(action):  # the script of before a kill is the one that counts
            action = intent.action
            found, risks = _judge(state, ctx, action, seen)
    line = describe(action)
    finding = ReviewedEvent(
        policy=found.policy,
        severity=found.severity,
        verdict=found.verdict,
        effect=found.effect.value,
        reasons=list(found.reasons),
        risks=[risk.describe() for risk in risks[:_SHOWN]],
        action=line,
    )
    key = reviewed_key(pending.key, found.verdict, ctx.journal.digest(action))
    ctx.journal.record(finding, role="technician", subtask=subtask_id(state), step=pending.step, key=key)
    pending = pending.but(
        action=action.dump(),
        digest=ctx.journal.digest(action),
        effect=found.effect.value,
        line=line,
        before=ctx.journal.screens.keep(seen),
    )
    if found.verdict == "deny":
        why = f"{line} is not allowed: {'; '.join(found.reasons)} ({found.policy})"
        return {"pending_action": None} | _end(Signal.CANNOT_EXECUTE, why, refused=line, status="blocked")
    ctx.line.passing(Signal.GENERATE_ACTION, step=pending.step, key=f"generate/{pending.key}")
    if found.verdict == "allow":
        ctx.journal.commit()  # before a checkpoint says that this is done
        return {"pending_action": pending.dump(), "route": "execute_action"}
    record_request(state, ctx, pending, found, role="technician")
    ctx.journal.commit()
    status = {"needs_approval": True, "interaction_status": "needs_approval"}
    return {"pending_action": pending.dump(), "route": "request_human_approval"} | status


def _judge(state: State, ctx: Context, action: Any, seen: Any) -> tuple[Review, tuple[Risk, ...]]:
    """The verdict, with the risky commands among its reasons, so that a person sees what is asked."""
    risks = risks_of(action.language, action.code) if isinstance(action, RunScript) else ()
    found = review(action, None, seen, safety_of(state, ctx), grounds=grounds_of(state, ctx))
    return found.model_copy(update={"reasons": (*found.reasons, *(risk.describe() for risk in risks[:_SHOWN]))}), risks


def _end(signal: Signal, summary: str, *evidence: str, refused: str = "", status: str = "failed") -> Update:
    report = Report(signal=signal, summary=summary, evidence=list(evidence) or [summary], refused=refused)
    return {"report": report.model_dump(mode="json"), "interaction_status": status, "route": FINALIZE}


def _done(state: State, answer: ScriptAnswer, ran: tuple[RanScript, ...]) -> Update:
    wanted = {e.name for e in Subtask.model_validate(state["delegation"]["subtask"]).expect if isinstance(e, FactKnown)}
    said = answer.reason or f"{len(ran)} script{'s' if len(ran) != 1 else ''} run"
    report = Report(signal=Signal.WORKER_SUCCESS, summary=said, evidence=evidence_of(ran), facts=sorted(wanted))
    return {"report": report.model_dump(mode="json"), "interaction_status": "completed", "route": FINALIZE}


def _unable(state: State, answer: ScriptAnswer, ran: tuple[RanScript, ...]) -> Update:
    said = answer.reason or "the technician does not know a script for this"
    return _end(Signal.CANNOT_EXECUTE, said, said, *evidence_of(ran))


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
    return {"report": ctx.journal.masked(state["report"]), "carry": carry, "pending_action": None, "route": ""}


class TechnicianState(TypedDict, total=False):
    """The names that it shares with the Operator mean the same, because both ask a person by the same stages."""

    delegation: dict[str, Any]
    constraints: dict[str, Any]
    human_approval: dict[str, Any] | None
    pending_action: dict[str, Any] | None
    action_trace: list[dict[str, Any]]
    needs_approval: bool
    interaction_status: str
    route: str
    """Where the last node wants to go."""
    report: dict[str, Any] | None
    carry: dict[str, Any]


STAGES: dict[str, Stage] = {
    "write_script": between_actions(deciding(write_script)),
    "review_action_safety": review_action_safety,
    "request_human_approval": asking(ask_by_interrupt),
    "execute_action": before_the_effect(execute_action),
    "observe_feedback": unless_dropped(observe_feedback, "write_script"),
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
    graph: StateGraph[Any, Any, Any, Any] = StateGraph(TechnicianState)
    stages = STAGES if pausing else STAGES | {"request_human_approval": ask_by_report}
    for name, stage in stages.items():
        graph.add_node(name, node(stage, context, routes=name in CHOICES), destinations=CHOICES.get(name))
    graph.add_edge(START, "write_script")
    graph.add_edge(FINALIZE, END)
    return graph.compile(checkpointer=checkpointer, name="technician")
