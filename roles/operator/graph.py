"""The Operator as a graph: twelve nodes with the names and edges of seed 000.

It works alone (`build_operator(...).invoke({...})` returns an `interaction_report`) and as a spoke of the controller,
where a delegation comes in and a report for the hub goes out.
"""

from collections.abc import Mapping
from hashlib import blake2b
from typing import Any

from langgraph.errors import GraphBubbleUp, GraphInterrupt
from langgraph.graph import END, StateGraph

from environments.contract import STOPPED, type_of
from environments.effects import released
from protocol import (
    CARRIES,
    Action,
    ActionResult,
    AgentAction,
    AskUser,
    Click,
    ExecStatus,
    JsonObject,
    VisualState,
    describe,
    target_element,
)
from roles.contracts import Report, StepRecord
from roles.contracts.context import Context, State, Update
from roles.contracts.limits import stalled
from roles.contracts.nodes import Delegation, Given, Graph, Stage, compiled
from roles.contracts.policies import Granularity
from roles.contracts.requests import Pending, Reject, parsed, pending_of
from roles.contracts.signals import Signal
from roles.journal.events import ObservedEvent
from roles.journal.rows import dumps
from roles.operator import perceive
from roles.operator.decide import plan_next_action, stop_batch
from roles.operator.execute import execute_action, finished
from roles.operator.recovery import BY_ITSELF, content, interruption, recover_from_failure, trouble_in
from roles.operator.safety.approval import EXPIRED, NOBODY, ask_by_interrupt, ask_by_report, refused, to_be_asked
from roles.operator.safety.interruption import asking, before_the_effect, between_actions, deciding, unless_dropped
from roles.operator.safety.permits import deed, drop, element_of, grounds_of, guarded, held_event, next_held, with_permit
from roles.operator.safety.review import review_action_safety
from roles.safety import Constraints, review
from roles.safety.privacy.redaction import Redactor
from roles.screen.calls import CALLS
from roles.screen.dialogs import effect_verb, screen_events, target_name, told_by


def observe_feedback(state: State, ctx: Context) -> Update:
    """Look again and say what is different: navigation, validation, pop-ups, loading, alerts."""
    pending, result = pending_of(state), parsed(ActionResult, state["action_result"])
    action = pending.does
    try:
        after = ctx.environment.observe()
    except GraphBubbleUp:
        raise
    except Exception as fault:  # noqa: BLE001 - as above: whatever an adapter raises must not lose the history
        said = ctx.journal.masked(f"{type(fault).__name__}: {fault}")
        return perceive.adapter_error(state, f"adapter: the feedback could not be observed: {said}")
    before = ctx.journal.screens.get(pending.before)
    after_id = ctx.journal.screens.keep(after)
    if ctx.gallery is not None:
        ctx.gallery.keep(after, "all", role="operator", subtask=perceive.subtask_id(state), step=pending.step)
    events = screen_events(before, after)
    held = held_event(ctx, action, result)
    events += held if held and not released(action) else [*told_by(ctx.environment, action, result), *held]  # it says the same
    done = StepRecord(
        step=pending.step,
        subtask=perceive.subtask_id(state),
        app=after.app,
        action=pending.action,
        verb=effect_verb(action, pending.effect),
        target=target_name(action),
        exec_status=result.exec_status,
        error=result.error,
        before=pending.before,
        after=after_id,
        visible_change=pending.before != after_id,
        recovery=pending.recovery,
        instead_of=pending.instead_of,
        remark=_remark(ctx, pending, action, before),
        events=tuple(f"{event['kind']}: {event['text']}" for event in events),
    )
    left = ctx.limits.retries - int(state["task_context"]["retries"])
    told = result.exec_status is ExecStatus.EXECUTED or left > 0
    note = finished(state, ctx, done, pending, passing=told)
    note |= {"approved": True} if pending.approved else {}
    context, counted = state["task_context"], not (pending.recovery or perceive.reads(action))
    return {
        "feedback_observation": {"state_id": after_id, "app": after.app},
        "environment_events": [*state["environment_events"], *({"step": done.step, **e} for e in events)][-24:],
        "action_trace": [*state["action_trace"], note],
        "task_context": context | {"did": deed(pending, action, context.get("did")), "since": int(context["since"]) + counted},
        "step_count": state["step_count"] + (not pending.recovery),
        "route": "decide_next_step",
    }


def _remark(ctx: Context, pending: Pending, action: Action, seen: VisualState | None) -> str:
    """Which of several of a name it was, and what the worker has to know of a step that it did not decide alone."""
    element = target_element(action.target, seen) if seen is not None and isinstance(action, Click) else None
    beside = seen.beside(element) if seen is not None and element is not None else ""
    said = [f"{BY_ITSELF}{pending.reason}"] if pending.recovery else []
    said += [f'beside "{beside}"'] if beside else []
    last = None if isinstance(action, AskUser) else ctx.journal.last_approval(pending.key)
    if last is not None and last.decision == "approve":
        said.append(f"the user approved it{f': {last.message}' if last.message else ''}")
    return "; ".join(said)


_SHOWN = 40


def finalize_interaction_report(state: State, ctx: Context) -> Update:
    """Status, completed and blocked actions, pending approval, observations, findings, errors and trace; and the hub's report."""
    redactor = Redactor(perceive.safety_of(state, ctx))
    for ref in state["observations"]:
        if (screen := ctx.journal.screens.get(ref["state_id"])) is not None:
            redactor.learn(screen)
    left = _required(state, ctx) | _left_of_batch(state, ctx)
    state = {**state, **left}
    summary = "; ".join(state["errors"]) or "nothing was done"
    unbegun = {"signal": Signal.CANNOT_EXECUTE.value, "summary": summary, "evidence": [*state["errors"]]}
    report = Report.model_validate(state.get("report") or unbegun).model_dump(mode="json")
    steps = ctx.journal.steps(perceive.subtask_id(state), perceive.attempt_of(state), limit=len(state["action_trace"]) or 1)
    pending = pending_of(state) if state.get("pending_action") else None
    asked = ctx.journal.request(pending.key) if pending and state["interaction_status"] == "needs_approval" else None
    body: JsonObject = {
        "status": state["interaction_status"],
        "environment_type": state.get("environment_type") or type_of(ctx.environment),
        "summary": report["summary"],
        "completed_actions": [
            {
                "step": s.step,
                "type": s.action["action_type"],
                "target": s.target,
                "verified": s.visible_change,
                **{k: s.action[k] for k in s.action if k in CARRIES or k == "name"},
            }
            for s in steps
            if s.exec_status == "executed"
        ],
        "failed_actions": [
            {"step": s.step, "type": s.action["action_type"], "target": s.target, "error": s.error}
            for s in steps
            if s.exec_status != "executed"
        ],
        "blocked_actions": [t for t in state["action_trace"] if t["status"] in {"blocked", "rejected", "skipped"}],
        "action_plan": state["action_plan"],
        "pending_action": _pending(pending, asked) if pending else None,
        "pending_approval": asked,
        "observations": state["observations"],
        "final_observation": _final(state, ctx, redactor),
        "environment_events": state["environment_events"],
        "safety_findings": state["safety_findings"],
        "recovery_attempts": state["recovery_attempts"],
        "step_count": state["step_count"],
        "errors": state["errors"],
        "trace": state["action_trace"],
    }
    ctx.journal.commit()
    carry = {
        "memory": state["task_context"].get("memory", {}),
        "retries": state["task_context"].get("retries", 0),
        "plan": list(perceive.titles(state)),
        "steps": len(state["action_trace"]),
        "actions": int(state["task_context"].get("since", 0)) - int((state.get("delegation") or {}).get("since_gate", 0)),
        "batch": state["task_context"].get("batch") if report["signal"] == Signal.CHECK_DUE else None,
        "not_done": state["task_context"].get("batch_stopped", ""),
    }
    return left | {"interaction_report": redactor.body(body), "report": redactor.body(report), "carry": carry, "route": ""}


def _required(state: State, ctx: Context) -> Update:
    """Without a hub nobody else sees to it that the output is as it was required."""
    if state.get("delegation") or state["interaction_status"] != "completed":
        return {}
    left = Constraints.model_validate(state.get("constraints") or {}).unmet(ctx.journal.facts())
    report = {"signal": Signal.CANNOT_EXECUTE.value, "summary": "; ".join(left), "evidence": left}
    return {"interaction_status": "failed", "errors": [*state["errors"], *left], "report": report} if left else {}


def _left_of_batch(state: State, ctx: Context) -> Update:
    """Whoever plans anew is told what was decided and is not done; after a check the batch goes on."""
    report = state.get("report") or {}
    if not state["task_context"].get("batch") or report.get("signal") == Signal.CHECK_DUE:
        return {}
    context = stop_batch(state, ctx, str(report.get("summary", "")))
    return {"task_context": context, "report": report | {"evidence": [*report.get("evidence", ()), context["batch_stopped"]]}}


def _pending(pending: Pending, asked: JsonObject | None) -> JsonObject:
    action = pending.action
    shown = pending.element["text"] if pending.element else None
    target = shown or (action.get("target") or {}).get("text")
    return {
        "type": action["action_type"],
        "target": target,
        "line": pending.line,
        "key": pending.key,
        "digest": pending.digest or None,
        "reason": (asked or {}).get("reasons", [pending.reason])[0],
    }


def _final(state: State, ctx: Context, redactor: Redactor) -> JsonObject | None:
    ref = state.get("feedback_observation") or state.get("current_observation")
    screen = ctx.journal.screens.get(ref["state_id"]) if ref else None
    if screen is None:
        return None
    redactor.learn(screen)
    shown = redactor.screen(screen)
    elements = [
        e.model_dump(mode="json", exclude_defaults=True, include={"element_id", "role", "text", "value", "invalid"})
        for e in shown.elements
        if e.visible
    ][:_SHOWN]
    return {"state_id": screen.state_id, "app": screen.app, "elements": elements}


def decide_next_step(state: State, ctx: Context) -> Update:
    """Continue, recover, ask, or stop: by the result, by what the screen shows, by the last steps together."""
    if state.get("route") == perceive.FINALIZE:
        return {"route": perceive.FINALIZE}
    pending, result = pending_of(state), parsed(ActionResult, state["action_result"])
    after = ctx.journal.screens.get(state["feedback_observation"]["state_id"])
    assert after is not None, "the feedback was just recorded"  # noqa: S101 - an invariant
    waiting, told = next_held(state, ctx, after, pending.step)
    update = {"environment_events": [*state["environment_events"], *told][-24:]} if told else {}
    if waiting is not None:  # whatever else the screen shows, it may be for want of this
        return update | {"pending_action": None, "route": "observe_environment"}
    return update | _by_result(state, ctx, result, after)


def _by_result(state: State, ctx: Context, result: ActionResult, after: VisualState) -> Update:
    """What follows where the environment holds nothing back."""
    pending = pending_of(state)
    steps = ctx.journal.steps(perceive.subtask_id(state), perceive.attempt_of(state))
    delegation = state.get("delegation") or {}
    since = [s for s in steps[-12:] if s.step > int(delegation.get("step", 0))]
    if not result.ok:
        return _failed(state, ctx, result)
    recent = ctx.journal.all_steps(40) if after.modal else ()
    blocked = interruption(after, recent, state["task_goal"], delegation.get("refused", ()))
    if blocked is not None and not blocked.harmless and state["recovery_attempts"] < state["max_recovery_attempts"]:
        asked = _ask_about(state, ctx, blocked.action, blocked.why, after)
        return asked | {"recovery_attempts": state["recovery_attempts"] + 1}
    if trouble := trouble_in(after, since[-1], blocked):
        return _recover(state, state["task_context"], trouble)

    def shows(state_id: str) -> object:
        screen = ctx.journal.screens.get(state_id)
        return state_id if screen is None else content(screen)

    if why := stalled(since, ctx.limits.stale_repeats, shows):
        return perceive.ended(state, Signal.STALE_PROGRESS, "blocked", why)
    reset = {} if pending.recovery else {"recovery_attempts": 0}
    return reset | {"pending_action": None, "route": "observe_environment"}


def _failed(state: State, ctx: Context, result: ActionResult) -> Update:
    """An error or a timeout: retry within the budget, else hand back to the Manager."""
    if result.error.startswith(EXPIRED) and perceive.safety_of(state, ctx).expired == "deny":
        refusal = Reject(message=result.error, who=NOBODY)
        drop(ctx, pending_of(state))
        return refused(state, refusal) | {"action_trace": state["action_trace"]}
    if result.exec_status is ExecStatus.PENDING and released(pending_of(state).does):
        return {"errors": [*state["errors"], result.error][-20:], "pending_action": None, "route": "observe_environment"}
    stopped = result.error.startswith(STOPPED)
    used = int(state["task_context"]["retries"])
    context = state["task_context"] | {"retries": used + 1}
    if used >= ctx.limits.retries:
        signal = Signal.TIMEOUT if result.exec_status is ExecStatus.TIMEOUT else Signal.ERROR
        signal = Signal.CANNOT_EXECUTE if stopped else signal
        return perceive.ended(state, signal, "failed", result.error) | {"task_context": context}
    trouble = "failed"
    if stopped:
        trouble = "changed"
    elif result.error.startswith("target not found"):
        trouble = "missing"
    elif result.exec_status is ExecStatus.ERROR and pending_of(state).action["action_type"] in CALLS:
        trouble = "refused"  # what a call answers is told; a wait and the same again would change nothing
    elif "scroll" in result.error:
        trouble = "hidden"
    return {"errors": [*state["errors"], result.error][-20:]} | _recover(state, context, trouble)


def _recover(state: State, context: JsonObject, trouble: str) -> Update:
    """Within the cap go to recovery; beyond it stop with the trace kept."""
    if state["recovery_attempts"] >= state["max_recovery_attempts"]:
        why = f"max_recovery_attempts ({state['max_recovery_attempts']}) is reached: {trouble}"
        return perceive.ended(state, Signal.CANNOT_EXECUTE, "failed", why, evidence=[why, *state["errors"][-2:]])
    return {"task_context": context | {"trouble": trouble}, "route": "recover_from_failure"}


def _ask_about(state: State, ctx: Context, action: AgentAction, why: str, seen: VisualState) -> Update:
    """An unexpected dialog that only a person may answer: propose the safest answer and wait."""
    step = pending_of(state).step + 1
    key = perceive.key_of(state, ctx, step)
    intent = ctx.journal.intend(key, action)
    element = None if intent.action.inner else element_of(intent.action, seen)[0]
    found = review(intent.action, element, seen, perceive.safety_of(state, ctx), confirm=True, grounds=grounds_of(state, ctx))
    pending = Pending(
        key=key,
        step=step,
        action=intent.action.dump(),
        digest=intent.digest,
        line=describe(intent.action),
        before=seen.state_id,
        app=seen.app,
        reason=why,
        confirm=True,
        recovery=True,
        effect=found.effect.value,
        element=perceive.element_ref(element),
    ).but(**ctx.say.mark())
    pending, found = with_permit(ctx, pending, intent.action, found, element)
    if found.verdict == "deny":
        return perceive.ended(state, Signal.CANNOT_EXECUTE, "blocked", f"{why} ({found.policy})", evidence=[why], refused=why)
    ctx.line.passing(Signal.GENERATE_ACTION, step=step, key=f"generate/{key}")
    found = found.model_copy(update={"verdict": "ask", "reasons": (why, *found.reasons[1:])})
    return to_be_asked(state, ctx, pending, found, role="operator")


NODES_PER_STEP = 10
"""Super-steps of one action with a recovery, for recursion limits."""

_CURSOR = (
    "action_plan", "action_trace", "constraints", "environment_events", "errors", "human_approval", "interaction_status",
    "needs_approval", "pending_action", "recovery_attempts", "safety_findings", "step_count", "task_context",
)  # fmt: skip
"""What a worker needs to go on in front of an effect, beside what the first stage makes of its delegation. Events tell of the
looks."""


def _resumable(stage: Stage) -> Stage:
    """A stage at which work goes on: where a process has come further with this delegation, its effect is what comes next."""

    def run(state: State, ctx: Context) -> Update:
        at, kept = ctx.journal.cursor()
        if not kept or int(kept["pending_action"]["step"]) < perceive.step_of(state) or at != _name_of(state.get("delegation")):
            return stage(state, ctx)
        looks = (event.body for event in ctx.journal.events(ObservedEvent) if event.step > int(state["delegation"]["step"]))
        refs = [{key: look[key] for key in ("state_id", "app", "timestamp", "step")} for look in looks]
        return kept | {"observations": refs[-state["max_steps"] :], "route": perceive.EXECUTE}

    return run


def _kept(execute: Stage) -> Stage:
    """The effect, with the cursor from which a resume goes on in the transaction of its intent."""
    resumable = _resumable(lambda state, ctx: {})

    def run(state: State, ctx: Context) -> Update:
        further = resumable(state, ctx)
        state = {**state, **further}
        if state.get("delegation"):
            kept = {name: state[name] for name in _CURSOR if name in state}
            ctx.journal.keep_cursor(_name_of(state["delegation"]), kept)
        return further | execute(state, ctx)

    return run


def _name_of(delegation: Delegation | None) -> str:
    return blake2b(dumps(delegation).encode(), digest_size=12).hexdigest() if delegation else ""


STAGES: dict[str, Stage] = {
    "prepare_interaction_task": guarded(perceive.prepare_interaction_task),
    "observe_environment": _resumable(between_actions(perceive.observe_environment)),
    "recognize_elements": perceive.recognize_elements,
    "interpret_context": perceive.interpret_context,
    "plan_next_action": _resumable(deciding(plan_next_action)),
    "review_action_safety": _resumable(review_action_safety),
    "request_human_approval": asking(ask_by_interrupt),
    perceive.EXECUTE: _kept(before_the_effect(execute_action)),
    "observe_feedback": unless_dropped(observe_feedback, "decide_next_step"),
    "decide_next_step": unless_dropped(decide_next_step, "observe_environment"),
    "recover_from_failure": recover_from_failure,
    perceive.FINALIZE: finalize_interaction_report,
}
EDGES: tuple[tuple[str, str], ...] = (
    ("observe_environment", "recognize_elements"),
    ("recognize_elements", "interpret_context"),
    ("interpret_context", "plan_next_action"),
    ("plan_next_action", "review_action_safety"),
    ("execute_action", "observe_feedback"),
    ("observe_feedback", "decide_next_step"),
    ("recover_from_failure", "observe_environment"),
)
CHOICES: dict[str, tuple[str, ...]] = {
    "prepare_interaction_task": ("observe_environment", "review_action_safety", perceive.FINALIZE),
    "review_action_safety": ("execute_action", "request_human_approval", perceive.FINALIZE),
    "request_human_approval": ("execute_action", perceive.FINALIZE, "request_human_approval"),
    "decide_next_step": ("observe_environment", "recover_from_failure", "request_human_approval", perceive.FINALIZE),
}

_ENTRIES = (
    "prepare_interaction_task", "observe_environment", "plan_next_action", "review_action_safety", perceive.EXECUTE,
    perceive.FINALIZE,
)  # fmt: skip
"""Where work begins or goes on: with a delegation, at the screen, at a decision that a person was asked for, at an action that
was held for a check, at one that was approved, with the report."""
_ASKING = "request_human_approval"


def build_operator(
    context: Given = None,
    *,
    checkpointer: Any = None,
    interrupts: bool | None = None,
    granularity: Granularity = "fine",
) -> Graph:
    """Compile the Operator.

    `fine` is the seed's graph, a node per stage. `coarse` runs the same stages by the same edges in one node, until a person
    is asked or the delegation ends: a super-step costs more than most stages. The journal has the cursor of both.

    `context` is used when the caller injects none. With `interrupts` (the default as soon as there is a checkpointer) an
    approval pauses the graph; without, a missing approval ends it with `interaction_status: needs_approval`.
    """
    if isinstance(context, Context) and context.operator is None:
        raise ValueError("the context of an Operator needs an operator policy")
    pausing = checkpointer is not None if interrupts is None else interrupts
    graph: StateGraph[Any, Any, Any, Any] = StateGraph(
        perceive.OperatorState, input_schema=perceive.OperatorInput, output_schema=perceive.OperatorState
    )
    stages = STAGES if pausing else STAGES | {"request_human_approval": ask_by_report}
    edges, choices = EDGES, CHOICES
    if granularity == "coarse":
        entries = {name: _onwards(name, stages) for name in _ENTRIES}
        stages = {name: stage for name, stage in (stages | entries).items() if name in (*_ENTRIES, _ASKING)}
        edges, choices = (), CHOICES | dict.fromkeys(_ENTRIES, (*_ENTRIES, _ASKING, END))
    return compiled(graph, stages, choices, context, name="operator", checkpointer=checkpointer, edges=edges)


def _onwards(entry: str, stages: Mapping[str, Stage]) -> Stage:
    """All that is done from there on until a person is asked or the delegation ends."""
    following = dict(EDGES)

    def run(state: State, ctx: Context) -> Update:
        name, total, fresh = entry, Update(), True
        while name and name != _ASKING:
            try:
                total |= stages[name]({**state, **total}, ctx)
            except GraphInterrupt:
                if fresh or name not in _ENTRIES:  # what was done since is done again, as after a kill
                    raise
                return total | {"route": name}  # to hold still there, with all that was done kept
            name, fresh = following.get(name) or total["route"], False
        return total | {"route": name}

    return run
