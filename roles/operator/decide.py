"""The Operator's deciding stage: recovery first, then what is left of a batch, then the policy. Source: seed 000."""

from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import Any

from pydantic import ValidationError

from environments.contract import Screenshots
from environments.effects import RELEASE, release, released
from protocol import (
    CARRIES,
    Action,
    ActionTarget,
    AgentAction,
    AgentStatus,
    AskUser,
    JsonObject,
    OperatorDecision,
    Screenshot,
    Type,
    VisualState,
    describe,
    parse_action,
    target_element,
)
from roles.contracts import USER, Fact, OperatorView, ScreenPicture, StepRecord, Subtask
from roles.contracts.context import Context, State, Update
from roles.contracts.nodes import TraceNote
from roles.contracts.policies import MOST_STEPS
from roles.contracts.requests import Pending, pending_of
from roles.contracts.signals import Signal
from roles.journal.events import BatchStoppedEvent, DecidedEvent, DroppedEvent, Json
from roles.journal.journal import Journal
from roles.knowledge.blackboard import board_for_worker
from roles.operator import perceive
from roles.operator.batch import Batch, advanced, batch_of, surprise
from roles.operator.recovery import BY_ITSELF, IN_THE_WAY, answers_gravely, has_trace, interruption, remedy
from roles.operator.safety.permits import lost, next_held, not_known, overtaken, pending_request
from roles.policies.fallback import PolicyFault, UnusableAnswer, until_usable
from roles.screen.dialogs import heading

SCREEN = "screen"
"""The kind of a fact that stands for a screen."""
_SAVED = 3
_RECENT = 40
"""Steps of the run whose messages may still stand on a screen."""
_EARLIER = 12


def view_of(state: State, ctx: Context, seen: VisualState) -> OperatorView:
    """The request, the subtask, the screen and its pictures, what was done and planned, and all that the crew knows."""
    delegation = state.get("delegation") or {}
    subtask = perceive.subtask_of(state)
    if (said := subtask.model_dump(mode="json")) != (alike := ctx.journal.alike(said)):
        subtask = Subtask.model_validate(alike)
    history = ctx.journal.steps(subtask.id, subtask.attempt, MOST_STEPS)
    acted = next((step for step in reversed(history) if step.action["action_type"] != RELEASE), None)
    before = ctx.journal.screens.get(acted.before) if acted else None
    last = history[-1].action if history else {}
    marks = tuple(name for name in last.get("marks", ()) if name in seen.by_id)
    front = history[0].app if history else seen.app
    facts = ctx.journal.facts()
    stopped = state["task_context"].get("batch_stopped")
    latest = next((step.step for step in reversed(history) if step.role != USER), 0)
    events = [event["text"] for event in state["environment_events"] if event["step"] >= latest]
    older = _still_shown(ctx.journal.all_steps(_RECENT), seen, subtask.id)
    ids: dict[str, None] = {}
    for step in reversed(history):
        ids |= dict.fromkeys(i for i in (step.after, step.before) if i)
        if len(ids) >= _EARLIER:
            break
    kept = [fact.state_id for fact in facts if fact.kind == SCREEN and fact.state_id][-_SAVED:]
    found = (ctx.journal.screens.written(state_id) for state_id in kept)
    return OperatorView(
        user_request=ctx.journal.alike(state.get("input") or state["task_goal"]),
        subtask=subtask,
        step=perceive.step_of(state),
        app=subtask.app,
        seen=seen,
        facts=facts,
        board=board_for_worker(facts, delegation, subtask, ctx.journal, ctx.blackboard),
        history=history,
        previous_subtasks=tuple(delegation.get("previous", ())),
        previous_plan=perceive.titles(state),
        context={k: state["task_context"][k] for k in ("page", "values", "fields", "assumptions") if k in state["task_context"]},
        meanings=tuple(state.get("element_interpretations") or ()),
        host_message=state["task_context"].get("message", ""),
        retrieved=ctx.journal.supplements(subtask.id),
        events=tuple(dict.fromkeys([*delegation.get("answers", ()), *events, *older, *([stopped] if stopped else [])])),
        memory=ctx.journal.alike(state["task_context"]["memory"]),
        refused=tuple(delegation.get("refused", ())),
        apps=ctx.apps(),
        cards=ctx.cards(seen),
        today=ctx.today(),
        before=before,
        earlier=tuple(screen for screen in map(ctx.journal.screens.get, [*ids][:_EARLIER]) if screen is not None),
        verbs=ctx.skills.verbs(subtask.app),
        functions=ctx.skills.lines(subtask.app, f"{subtask.instruction} {subtask.title}", front),
        skills=ctx.skills.offered(subtask.app),
        prefer=ctx.skills.settings.preferred(subtask.app, subtask.id),
        screenshots=_pictures(seen, marks, history, before) if isinstance(ctx.environment, Screenshots) else (),
        marks=marks,
        saved=tuple(screen for screen in found if screen is not None),
        notes=ctx.say.notes("operator"),
        ledger=ctx.journal.ledger(),
    )


def _still_shown(steps: Sequence[StepRecord], seen: VisualState, subtask: str) -> Iterator[str]:
    """Which of the messages on the screen are not of the last step."""
    said = [(step, event.partition(": ")) for step in steps for event in step.events]
    came = {text: step for step, (kind, _, text) in said if kind in {"alert", "status", "validation"}}
    for text in dict.fromkeys(element.text for element in seen.elements if element.role in {"alert", "status"}):
        if text in came and (came[text].step < steps[-1].step or came[text].subtask != subtask):
            yield f'"{text}" on the screen came at step {came[text].step}, in {came[text].app}'


def _pictures(
    seen: VisualState, marks: tuple[str, ...], history: Sequence[StepRecord], before: VisualState | None
) -> tuple[ScreenPicture, ...]:
    """Clean, with marks, and with where the last target was on a screen of the same application."""
    here = before if history and before is not None and before.app == seen.app else None
    target = target_element(parse_action(history[-1].action).target, here) if here is not None else None
    pictures = (
        ScreenPicture(kind="clean", state_id=seen.state_id),
        ScreenPicture(kind="annotated", state_id=seen.state_id, marks=marks),
    )
    if target is None or target.bbox is None:
        return pictures
    return *pictures, ScreenPicture(kind="last_target", state_id=seen.state_id, last=target.bbox)


REVIEW = "review_action_safety"


def plan_next_action(state: State, ctx: Context) -> Update:
    """Choose the next bounded action, or say that the work is done, impossible, due for a check or out of budget."""
    if state.get("route") in perceive.DECIDED:
        return {}
    step = perceive.step_of(state)
    if ctx.line.cancelled():
        return perceive.ended(state, Signal.CANCELLED, "blocked", "the run was cancelled")
    if spent := ctx.line.spent(step - 1):
        return perceive.ended(state, Signal.BUDGET_SPENT, "failed", f"{spent} is spent")
    if state["step_count"] >= state["max_steps"]:
        return perceive.ended(state, Signal.CANNOT_EXECUTE, "failed", f"max_steps ({state['max_steps']}) is reached")
    seen = perceive.current_screen(state, ctx)
    waiting, passed = next_held(state, ctx, seen, step - 1)
    if waiting is not None:
        more = pending_request(state, waiting, perceive.step_of(state) - 1)
        kept: Update = {"plan": perceive.titles(state), "memory": ctx.journal.alike(state["task_context"]["memory"])}
        status = AgentStatus.CONTINUE
        decision = OperatorDecision(action=release(waiting), status=status, reasoning=more["reason"], **kept)
        update = _pend(state, ctx, decision, seen)
        return update | {"pending_action": pending_of(update).but(**more).dump()}
    told: Update = {}
    if passed:
        told = {"environment_events": [*state["environment_events"], *passed][-24:]}
        state = {**state, **told}
    if state.get("recognized_elements") == []:  # not there at all after a resume: then the screen is looked at anew
        return told | _unrecognized(state, ctx, seen)
    if not passed and (last := lost(state, ctx, step)) is not None and (again := _set_off_again(state, ctx, seen, last)):
        return again
    state = _going_on(state, ctx, seen)
    return told | _proposed(state, ctx, seen)


def _set_off_again(state: State, ctx: Context, seen: VisualState, last: StepRecord) -> Update | None:
    """The action anew whose effect was held by a browser that is gone; None where the page shows that it was sent after all."""
    before = ctx.journal.screens.get(last.before)
    why = "what it set off is gone with the browser that held it, and nothing was sent"
    if not_known(ctx.journal.steps(perceive.subtask_id(state), perceive.attempt_of(state))[-1]):
        if before is None or has_trace(before, seen):
            return None
        why = "it is not known whether what it set off was sent before its process was stopped"
    if before is None or _entered(before) != _entered(seen):
        said = f"what {last.verb} {last.target} set off is gone with the browser that held it, and so is what was filled in"
        return perceive.ended(state, Signal.CANNOT_EXECUTE, "failed", said)
    update: Update = {}
    key = perceive.key_of(state, ctx, perceive.step_of(state))
    if (asked := overtaken(ctx, key)) is not None:  # its number is used, since its key stands for it
        perceive.record(state, ctx, DroppedEvent(line=describe(asked), key=key), key=f"dropped/{key}")
        note: TraceNote = {"step": perceive.step_of(state), "line": describe(asked), "status": "skipped"}
        update = {"action_trace": [*state["action_trace"], note]}
    return update | _on_the_way({**state, **update}, ctx, parse_action(last.action), why, seen, plan=perceive.titles(state))


def _entered(screen: VisualState) -> set[tuple[str, str, str]]:
    """What stands in the fields, whatever their ids."""
    return {(e.role, e.name, e.value) for e in screen.elements if e.value and e.role in perceive.WRITTEN}


def _proposed(state: State, ctx: Context, seen: VisualState) -> Update:
    """What recovery, an open dialog or what is left of a batch wants next; else what the policy decides."""
    queued = state["task_context"].get("recovery")
    if queued:
        context = {k: v for k, v in state["task_context"].items() if k != "recovery"}
        return _on_the_way(state, ctx, parse_action(queued["action"]), queued["why"], seen) | {"task_context": context}
    if seen.loading and state["recovery_attempts"] < state["max_recovery_attempts"]:
        wait = remedy("loading", state["recovery_attempts"] + 1)
        assert wait is not None, "loading has a remedy"  # noqa: S101 - an invariant
        update = _on_the_way(state, ctx, wait, "the application is loading", seen)
        return update | {"recovery_attempts": state["recovery_attempts"] + 1}
    steps = ctx.journal.all_steps(40) if seen.modal else ()  # an earlier subtask may have opened the dialog
    blocked = interruption(seen, steps, state["task_goal"], (state.get("delegation") or {}).get("refused", ()))
    if blocked is not None:
        status = AgentStatus.CONTINUE if blocked.harmless else AgentStatus.CONFIRM
        return _on_the_way(state, ctx, blocked.action, blocked.why, seen, status=status)
    if batch := state["task_context"].get("batch"):
        decision, rest = advanced(batch, seen)
        decision = decision.model_copy(update={"memory": state["task_context"]["memory"], "plan": perceive.titles(state)})
        _note(state, ctx, decision)
        return _pend({**state, "task_context": _with_batch(state, rest)}, ctx, decision, seen)
    answer = _ask_policy(state, ctx, seen)
    if isinstance(answer, OperatorDecision):
        return _follow(state, ctx, answer, seen)
    # Who has decided before may do better with another plan; a window is opened without asking a model.
    own = (step for step in ctx.journal.all_steps(MOST_STEPS) if step.role == "operator")
    never = all(step.action.get("action_type") == "launch_app" for step in own)
    return perceive.ended(state, Signal.NO_ANSWER if never else Signal.CANNOT_EXECUTE, "failed", answer)


def _going_on(state: State, ctx: Context, seen: VisualState) -> State:
    """The state with what is left of a batch; without it, and with the reason, when the last action brought a surprise. A
    harmless pop-up is none: it is closed first."""
    batch = state["task_context"].get("batch")
    if not batch:
        return state
    recent = ctx.journal.steps(perceive.subtask_id(state), perceive.attempt_of(state))
    blocked = interruption(seen, recent, state["task_goal"])
    if blocked is not None and blocked.harmless:
        return state
    steps = [step for step in recent if step.action["action_type"] != RELEASE]
    while len(steps) > 1 and steps[-1].remark.startswith(f"{BY_ITSELF}{IN_THE_WAY}"):  # further on stand words of the screen
        told = tuple(event for event in steps[-2].events if not event.startswith("popup:"))
        steps = [*steps[:-2], steps[-2].model_copy(update={"events": told})]
    before = ctx.journal.screens.get(steps[-1].before) if steps else None
    why = surprise(batch, steps, before, seen) or ("recovery comes first" if state["task_context"].get("recovery") else "")
    return {**state, "task_context": stop_batch(state, ctx, why)} if why else state


def stop_batch(state: State, ctx: Context, why: str) -> Update:
    """Drop what is left of a batch, and keep why for the next decision."""
    batch = state["task_context"]["batch"]
    left = [describe(parse_action(item["action"])) for item in batch["left"]]
    perceive.record(
        state, ctx, BatchStoppedEvent(why=why, left=left), key=f"batch/{perceive.attempt_key(state)}/{perceive.step_of(state)}"
    )
    rest = f" (not done either: {'; '.join(left[1:])})" if left[1:] else ""
    return _with_batch(state, None) | {"batch_stopped": f"batch: stopped before {left[0]}, which was not done: {why}{rest}"}


def _with_batch(state: State, batch: Batch | None) -> Update:
    context = {key: value for key, value in state["task_context"].items() if key != "batch"}
    return context | ({"batch": batch} if batch else {})


def _on_the_way(state: State, ctx: Context, action: AgentAction, why: str, seen: VisualState, **more: Any) -> Update:
    """An action that no policy decided; the policy's notes stay as they are."""
    notes = ctx.journal.alike(state["task_context"]["memory"])
    said: Update = {"status": AgentStatus.CONTINUE, "memory": notes, **more}
    return _pend(state, ctx, OperatorDecision(action=action, reasoning=why, **said), seen, recovery=True)


def _unrecognized(state: State, ctx: Context, seen: VisualState) -> Update:
    """Nothing usable on the screen: look once more, then give up."""
    if state["task_context"].get("looked_again"):
        return perceive.ended(state, Signal.CANNOT_EXECUTE, "failed", "no element could be recognised, twice in a row")
    return _on_the_way(state, ctx, Screenshot(), "nothing was recognised: look again", seen) | {
        "task_context": state["task_context"] | {"looked_again": True},
        "recovery_attempts": state["recovery_attempts"] + 1,
    }


def _ask_policy(state: State, ctx: Context, seen: VisualState) -> OperatorDecision | str:
    """One decision, asked for again (boundedly) when it is unusable; else what was wrong with the last one."""
    policy = ctx.operator
    assert policy is not None, "build_operator checks that there is a policy"  # noqa: S101 - an invariant
    view = view_of(state, ctx, seen)

    def decide(problem: str) -> OperatorDecision:
        message = {"host_message": f"Your last answer was not usable: {problem}"}
        try:
            decision = policy.decide(view.model_copy(update=message) if problem else view)
        except ValidationError as bad:
            raise PolicyFault(str(bad)) from bad
        if why := _problem(decision, view, ctx.limits.looks):
            raise UnusableAnswer(why)
        return decision

    return until_usable(
        ctx, decide, "decision", role="operator", subtask=perceive.subtask_id(state), step=perceive.step_of(state)
    )


def _problem(decision: OperatorDecision, view: OperatorView, most: int) -> str:
    """Why a decision cannot be followed, or an empty string."""
    if any(action is not None and released(action) for action in (decision.action, *(step.action for step in decision.then))):
        return "what a page wants to send is released only by the person who is asked about it"
    if decision.status is AgentStatus.ERROR:
        return decision.comment or decision.reasoning or "the policy reported ERROR"
    if decision.status is not AgentStatus.SCREENSHOT and not isinstance(decision.action, Screenshot):
        return ""
    again = takewhile(lambda step: not step.recovery and step.action["action_type"] == "screenshot", reversed(view.history))
    if len([*again]) >= most:
        return f"the screen was looked at {most} times in a row (limits.looks); decide with what can be seen"
    marks = decision.action.marks if isinstance(decision.action, Screenshot) else ()
    unknown = [mark for mark in marks if mark not in view.seen.by_id]
    return f"there is no element {unknown[0]!r} on the screen to mark" if unknown else ""


def _follow(state: State, ctx: Context, decision: OperatorDecision, seen: VisualState) -> Update:
    """Turn the decision's status into what happens next."""
    decision = referring(ctx.journal, decision.in_order(), seen)
    action = decision.action
    _note(state, ctx, decision)
    if decision.save_screenshot:
        why = decision.comment or decision.reasoning
        shows = decision.observation or ": ".join(part for part in (seen.app or "the desktop", heading(seen)) if part)
        step, place = perceive.step_of(state), {"app": seen.app, "state_id": seen.state_id, "subtask": perceive.subtask_id(state)}
        kept: Update = {"kind": SCREEN, "source": "screen", "reason": why[:160], "step": step, **place}
        ctx.journal.remember(Fact(name=f"screen at step {step}", value=shows[:300], **kept))
        if ctx.gallery is not None:
            ctx.gallery.keep(seen, "asked", role="operator", subtask=perceive.subtask_id(state), step=step)
    context = {key: value for key, value in state["task_context"].items() if key not in {"batch", "batch_stopped", "message"}}
    state = {**state, "task_context": context | {"memory": decision.memory}}
    if (end := _ended(state, decision)) is not None:
        return {"task_context": state["task_context"]} | end
    if decision.status is AgentStatus.SCREENSHOT:
        marks = action.marks if isinstance(action, Screenshot) else ()
        decision = decision.model_copy(update={"action": Screenshot(marks=marks)})
    if isinstance(decision.action, Screenshot) and ctx.gallery is not None:
        marks = decision.action.marks
        ctx.gallery.keep(
            seen, "asked", marks=marks, role="operator", subtask=perceive.subtask_id(state), step=perceive.step_of(state)
        )
    if decision.status is AgentStatus.PENDING and not isinstance(action, AskUser):
        question = decision.comment or decision.reasoning or "What should be done here?"
        decision = decision.model_copy(update={"action": AskUser(question=question)})
    return _pend({**state, "task_context": _with_batch(state, batch_of(decision, seen))}, ctx, decision, seen)


def _ended(state: State, decision: OperatorDecision) -> Update | None:
    """FINISH and FAIL, by status or by action; None for a decision that goes on."""
    action, said = decision.action, decision.comment or decision.reasoning
    if decision.status is AgentStatus.FINISH or (action is not None and action.verb == "finish_goal"):
        return perceive.ended(state, Signal.WORKER_SUCCESS, "completed", said or "the subtask is done")
    if decision.status is AgentStatus.FAIL or (action is not None and action.verb == "fail_goal"):
        why = said or str(action.parameters.get("reason", "") if action else "") or "the policy gave up"
        whole = list(dict.fromkeys(text for text in (why, decision.reasoning) if text))
        if decision.supplement:
            return perceive.ended(state, Signal.SUPPLEMENT, "blocked", why, evidence=whole, query=decision.supplement)
        return perceive.ended(state, Signal.CANNOT_EXECUTE, "failed", why, evidence=whole)
    return None


def _note(state: State, ctx: Context, decision: OperatorDecision) -> None:
    """Write the decision down; what it does not say is left out."""
    said: Json = {"observation": decision.observation[:300], "comment": decision.comment}
    said["then"] = [describe(step.action) for step in decision.then]
    decided = DecidedEvent(
        status=decision.status.value,
        reasoning=decision.reasoning,
        line=describe(decision.action) if decision.action else "",
        plan=decision.plan,
        **{name: words for name, words in said.items() if words},
    )
    perceive.record(state, ctx, decided, key=f"decided/{perceive.attempt_key(state)}/{perceive.step_of(state)}")


def referring(journal: Journal, decision: OperatorDecision, seen: VisualState) -> OperatorDecision:
    """The decision with references in place of what goes into a private field, before the first line about it is written."""
    sealed: list[Action] = []
    aim: ActionTarget | None = None
    for action in (decision.action, *(step.action for step in decision.then)):
        if action is None:
            continue
        aim = action.target or aim
        if isinstance(action, Type) and action.target is None and aim is not None:  # it goes where the click before it went
            typed = journal.sealed(action.model_copy(update={"target": aim}), seen)
            action = journal.sealed(typed.model_copy(update={"target": None}), seen)
        else:
            action = journal.sealed(action, seen)
        sealed.append(action)
    first, rest = (None, sealed) if decision.action is None else (sealed[0], sealed[1:])
    then = tuple(step.model_copy(update={"action": action}) for step, action in zip(decision.then, rest, strict=True))
    return decision.model_copy(update={"action": first, "then": then, "memory": journal.alike(decision.memory)})


def _pend(state: State, ctx: Context, decision: OperatorDecision, seen: VisualState, *, recovery: bool = False) -> Update:
    """Make the decided action the pending one; hold it back when a check is due."""
    action = decision.action
    assert action is not None, "a decision that goes on has an action"  # noqa: S101 - checked by the model
    step = perceive.step_of(state)
    recent = ctx.journal.all_steps(8) if seen.modal else ()
    pending = Pending(
        key=perceive.key_of(state, ctx, step),
        step=step,
        action=action.dump(),
        line=describe(action),
        before=seen.state_id,
        app=seen.app,
        reason=((decision.status is AgentStatus.CONFIRM and decision.comment) or decision.reasoning)[:300],
        expected=decision.expected[:200],
        confidence=decision.confidence,
        confirm=decision.status is AgentStatus.CONFIRM or (not recovery and answers_gravely(action, seen, recent)),
        recovery=recovery,
    ).but(**ctx.say.mark())
    then = [_entry(step.action.dump(), "", step.expected[:200]) for step in decision.then]
    rest: list[perceive.PlannedAction] = [{"title": title} for title in decision.plan[:8]]
    plan = [_entry(pending.action, pending.reason, pending.expected), *then, *rest]  # the review says how risky the first is
    update: Update = {
        "pending_action": pending.dump(),
        "action_plan": plan,
        "task_context": state["task_context"] | {"memory": decision.memory},
        "route": REVIEW,
    }
    due = int(state["task_context"]["since"]) >= ctx.limits.check_every and not perceive.reads(action)
    if state.get("delegation") and due and not recovery and not released(action):
        why = f"{ctx.limits.check_every} actions since the last check"
        return update | perceive.ended(state, Signal.CHECK_DUE, "running", why, held_action=pending.dump())
    return update


def _entry(action: JsonObject, rationale: str, expected: str) -> perceive.PlannedAction:
    """One planned action (seed 000)."""
    target = action.get("target") or {}
    value = next((action[key] for key in CARRIES if action.get(key) not in (None, "")), None)
    named = target.get("text") or target.get("element_id") or target.get("track_id")
    entry: perceive.PlannedAction = {"type": action["action_type"], "target": named, "value": value, "rationale": rationale}
    entry["expected"], entry["risk"] = expected, None
    return entry
