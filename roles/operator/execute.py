"""The Operator's effect: an action is done once, after one more look at what was approved. Source: seed 000."""

import time
from collections.abc import Callable
from enum import StrEnum
from itertools import count

from langgraph.errors import GraphBubbleUp

from environments.contract import STOPPED, DigestMismatch, KnownKeys, Unavailable
from environments.effects import released
from protocol import (
    Action,
    ActionResult,
    Answer,
    AskUser,
    CallApi,
    ExecStatus,
    Fill,
    GUIElement,
    Memorize,
    SelectOption,
    TargetError,
    Type,
    VisualState,
    Wait,
    parse_action,
    resolve,
    target_element,
)
from protocol.retries import Overload, Retries
from roles.contracts import Fact, StepRecord
from roles.contracts.context import Context, State, Update
from roles.contracts.facts import FactSource, kind_of
from roles.contracts.nodes import RunBlocked, TraceNote
from roles.contracts.policies import MOST_STEPS
from roles.contracts.requests import Pending, pending_of
from roles.contracts.signals import Signal
from roles.journal.events import FeedbackEvent, OutcomeEvent
from roles.journal.journal import cut
from roles.knowledge.blackboard import Origin, found
from roles.operator.perceive import attempt_of, record, safety_of, subtask_id
from roles.operator.recovery import has_trace, idempotence_of, words
from roles.operator.safety.approval import forbidden_still, remember_answer
from roles.operator.safety.interruption import otherwise_now
from roles.operator.safety.permits import admit, done_but_held, element_of, grounds_of, is_guarded, learn
from roles.operator.safety.review import unlike
from roles.safety.effects import Effect, effect_of
from roles.safety.privacy.vault import UnknownSecret
from roles.screen.calls import CALLS
from roles.skills.contract import AGENT, RESULT, Idempotence, ToolFault, ToolRefused, ToolSilent

_SAID = 400


def call(ctx: Context, pending: Pending, action: Action, forbidden: str) -> ActionResult | None:
    """What comes of a call that cannot be made, or that a tool from outside answers; None where the environment has to. It is
    `pending` where a process stopped in the middle of it and it must not be done twice.

    The arguments are looked at once more, since a person may have edited them.
    """
    if unfit := ctx.skills.problem(action) or ctx.skills.forbidden(action, pending.app):
        return ActionResult(exec_status=ExecStatus.ERROR, error=f"not performed: {unfit}")
    tool = ctx.skills.tool(action)
    if tool is None:
        return None
    assert isinstance(action, CallApi), "the registry knows what is called"  # noqa: S101 - an invariant
    skill = ctx.skills.of(action) or tool.skill
    begun = ctx.journal.start(pending.key)
    if begun and skill.idempotence is Idempotence.ONCE:
        unknown = f"{skill.called} was being called when the process stopped, and it is not known whether it was done"
        return ActionResult(exec_status=ExecStatus.PENDING, error=unknown)
    if forbidden:
        return ActionResult(exec_status=ExecStatus.ERROR, error=forbidden)
    redactor = ctx.journal.redactor
    try:
        said = tool.call(redactor.vault.revealed(action.arguments) if redactor is not None else action.arguments)
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


def keep_answer(state: State, ctx: Context, action: Action, result: ActionResult, pending: Pending) -> None:
    """Put what a call answered on the blackboard, under the name of what was called."""
    if result.exec_status is not ExecStatus.EXECUTED or not result.output.strip():
        return
    skill = ctx.skills.of(action)
    asked = getattr(action, "app", "")
    name = skill.called if skill is not None else f"{asked}.{getattr(action, 'function', AGENT)}"
    own: FactSource = "agent" if action.verb == "ask_in_app_agent" else "api"
    source: FactSource = "tool" if skill is not None and skill.outside else own
    fact = Fact(
        name=name,
        value=result.output,
        kind=RESULT,
        app=skill.app if skill else asked,
        source=source,
        source_name=name,
        subtask=subtask_id(state),
        step=pending.step,
    )
    if (before := _answer_before(ctx, action, fact)) is not None:
        ctx.journal.remember(before)
    ctx.journal.remember(fact)


def _answer_before(ctx: Context, action: Action, fact: Fact) -> Fact | None:
    """What the same function answered otherwise, under a name of its own: a second page, or another one read, is not the first
    one anew."""
    held = next((f for f in ctx.journal.facts() if f.name == fact.name and f.kind == RESULT and f.step != fact.step), None)
    if held is None:
        return None
    asked = next((step for step in ctx.journal.all_steps(MOST_STEPS) if step.step == held.step), None)
    if asked is None or (parse_action(asked.action).parameters == action.parameters and held.value == fact.value):
        return None
    return held.model_copy(update={"name": f"{held.name} at step {held.step}"})


_TOLD = frozenset({"alert", "status"})
_TITLES = frozenset({"heading", "dialog", "window", "tabpanel", "form"})
_FOUND = "the process stopped in the middle of it; the screen shows that it was done"


class PostconditionCheck(StrEnum):
    """Whether a postcondition holds."""

    DONE = "done"
    NOT_DONE = "not done"
    UNKNOWN = "unknown"


def reconciled(
    begun: ActionResult,
    action: Action,
    before: VisualState | None,
    expected: str,
    *,
    key: str,
    observe: Callable[[], VisualState],
    perform: Callable[[str], ActionResult],
) -> ActionResult:
    """The result of an action that was begun by another process and perhaps done; `before` is the screen it was decided on."""
    if released(action):  # no screen shows whether a request has left
        return begun
    again = count(1)

    def once() -> ActionResult:
        how = stands(action, before, observe(), expected)
        if how is PostconditionCheck.DONE:
            return ActionResult(exec_status=ExecStatus.EXECUTED, output=_FOUND)
        if how is PostconditionCheck.UNKNOWN:
            return begun
        result = perform(f"{key}/again-{next(again)}")
        if result.exec_status is ExecStatus.PENDING:
            raise Overload("it is again not known whether it was done")
        return result

    try:
        return Retries(tries=3, wait=0.0).trying()(once)  # a process may be stopped in the middle of that as well
    except Overload:
        return begun


def stands(action: Action, before: VisualState | None, now: VisualState, expected: str = "") -> PostconditionCheck:
    """Whether the screen shows that the action was done. `expected` are words that its doer wanted to see afterwards."""
    field = target_element(action.target, now)
    match action:
        case Fill(text=wanted, submit=False) | SelectOption(option=wanted) if field is not None and field.value == wanted:
            return PostconditionCheck.DONE
    was = target_element(action.target, before) if before is not None else None
    effect = effect_of(action, was, before or now)
    if idempotence_of(action, effect) is not Idempotence.ONCE:
        return PostconditionCheck.NOT_DONE
    if before is None:
        return PostconditionCheck.UNKNOWN
    if not has_trace(before, now):
        return PostconditionCheck.NOT_DONE
    if expected and _says(now, expected) and not _says(before, expected):
        return PostconditionCheck.DONE
    if was is None or _place(before) != _place(now):
        return PostconditionCheck.UNKNOWN
    done = _answered(action, was, field, before, now) or _brought(was, before, now, anything=effect is Effect.NAVIGATE)
    return PostconditionCheck.DONE if done else PostconditionCheck.UNKNOWN


def _answered(action: Action, was: GUIElement, field: GUIElement | None, before: VisualState, now: VisualState) -> bool:
    """Whether what is different is what the control itself brings about, or the page's answer to it."""
    if isinstance(action, Type):
        return field is not None and field.value == (was.value or "") + action.text
    if field is None or (was.enabled and not field.enabled):
        return True
    if (was.value, was.selected, was.expanded) != (field.value, field.selected, field.expanded):
        return True
    return (before.modal is None and now.modal is not None) or bool(_named(now, _TOLD) - _named(before, _TOLD))


def _brought(pressed: GUIElement, before: VisualState, now: VisualState, *, anything: bool) -> bool:
    """Whether a title is new, or `anything`, that speaks of what the control is called."""
    roles = None if anything else _TITLES
    return bool(words(pressed.name) & words(" ".join(_named(now, roles) - _named(before, roles))))


def _named(seen: VisualState, roles: frozenset[str] | None) -> set[str]:
    return {e.name for e in seen.elements if roles is None or e.role in roles}


def _says(seen: VisualState, words: str) -> bool:
    folded = words.casefold()
    return any(folded in (e.text or "").casefold() for e in seen.elements)


def _place(seen: VisualState) -> tuple[object, ...]:
    """Which page of which application: a browser that was opened anew may stand elsewhere, which says nothing of the action."""
    return seen.app, tuple(window.title for window in seen.windows if window.focused)


def execute_action(state: State, ctx: Context) -> Update:
    """The effect and nothing else. A key that has an outcome is not performed again."""
    pending = pending_of(state)
    key, action = pending.key, pending.does
    result = ctx.journal.outcome(key)
    if result is None:
        ctx.journal.commit()  # the intent, where nothing has committed it yet
        result = _perform(ctx, state, pending, action)
        if (output := cut(result.output, ctx.limits.tool_output)) != result.output:
            result = result.model_copy(update={"output": output})
        result = ctx.journal.settle(key, result)
    if result.ok:
        learn(state, ctx, pending)
    note_outcome(state, ctx, pending, result)
    if action.verb in CALLS:
        keep_answer(state, ctx, action, result, pending)
    if action.inner or not isinstance(ctx.environment, KnownKeys) or ctx.skills.tool(action) is not None:
        ctx.journal.commit()  # else the environment lists what it has done, and the next intent can commit the outcome
    return {"action_result": result.model_dump(mode="json", exclude_defaults=True), "route": "observe_feedback"}


def _perform(ctx: Context, state: State, pending: Pending, action: Action) -> ActionResult:
    if action.inner:
        return _inner(ctx, state, pending, action)
    if pending.missing or pending.changed:
        unable = f"target not found: {pending.missing}" if pending.missing else f"{STOPPED}{pending.changed}"
        return ActionResult(exec_status=ExecStatus.ERROR, error=unable)
    forbidden = forbidden_still(state, ctx, pending)
    if action.verb in CALLS and (answered := call(ctx, pending, action, forbidden)) is not None:
        return answered
    changed = forbidden
    if pending.approved:
        changed = forbidden or _changed(ctx, pending, action)
        # What was started before a kill may have changed the screen itself: the environment knows the key and tells.
        changed = "" if ctx.journal.start(pending.key) else changed
    if changed := changed or otherwise_now(ctx, pending, action):
        return ActionResult(exec_status=ExecStatus.ERROR, error=changed)
    return performed(ctx, lambda: _once(ctx, pending, action))


def performed(ctx: Context, perform: Callable[[], ActionResult]) -> ActionResult:
    """What comes of it; what an adapter raises becomes a structured error (seed 000)."""
    try:
        return perform()
    except GraphBubbleUp:
        raise
    except DigestMismatch as mismatch:
        return ActionResult(exec_status=ExecStatus.ERROR, error=f"not performed: {mismatch}")
    except Unavailable as gone:
        raise RunBlocked(str(gone)) from gone
    except Exception as fault:  # noqa: BLE001 - an adapter may raise anything
        said = ctx.journal.masked(f"adapter: {type(fault).__name__}: {fault}")
        return ActionResult(exec_status=ExecStatus.ERROR, error=said)


_SIGNALS = {ExecStatus.EXECUTED: Signal.EXECUTED, ExecStatus.TIMEOUT: Signal.TIMEOUT}


def finished(state: State, ctx: Context, done: StepRecord, pending: Pending, *, passing: bool = True) -> TraceNote:
    """Write down a finished step and what it showed, and tell the hub of it where it is `passing`; gives the note of it."""
    key = pending.key
    ctx.journal.step(done, attempt_of(state), key=f"step/{key}")
    feedback = FeedbackEvent(events=list(done.events), visible_change=done.visible_change, state_id=done.after)
    record(state, ctx, feedback, step=done.step, key=f"feedback/{key}", role=done.role)
    if passing:
        ctx.line.passing(_SIGNALS.get(done.exec_status, Signal.ERROR), step=done.step, key=f"result/{key}")
    return {"step": done.step, "line": pending.line, "status": done.exec_status.value, "key": key}


def note_outcome(state: State, ctx: Context, pending: Pending, result: ActionResult, role: str = "operator") -> None:
    """What came of the action, as an event."""
    said = OutcomeEvent(line=pending.line, exec_status=result.exec_status.value, error=result.error, key=pending.key)
    record(state, ctx, said, step=pending.step, key=f"outcome/{pending.key}", role=role)


def _once(ctx: Context, pending: Pending, action: Action) -> ActionResult:
    """The environment's answer; where it does not know whether a stopped process had done it, the screen is asked."""

    def perform(key: str) -> ActionResult:
        admit(ctx, pending, key)
        return done_but_held(ctx, ctx.environment.perform(action, key=key))

    result = perform(pending.key)
    if result.exec_status is ExecStatus.ERROR and isinstance(action, Wait) and not (action.text or action.text_gone):
        time.sleep(min(action.seconds, ctx.limits.action_seconds))
        return ActionResult(exec_status=ExecStatus.EXECUTED, output=f"waited without the environment, which says: {result.error}")
    if result.exec_status is not ExecStatus.PENDING:
        return result
    return reconciled(
        result,
        action,
        ctx.journal.screens.get(pending.before),
        pending.expected,
        key=pending.key,
        observe=ctx.environment.observe,
        perform=perform,
    )


def _changed(ctx: Context, pending: Pending, action: Action) -> str:
    """An approval holds for the control that was shown: after a wait it must still be the same one."""
    shown = pending.element
    if shown is None or action.target is None or is_guarded(ctx, pending):
        return ""
    now = ctx.environment.observe()
    try:
        element = now.by_id[resolve(action.target, now).element_id]
    except TargetError as gone:
        return f"the screen changed after the approval: {gone}"
    except KeyError:
        return f"the screen changed after the approval: {shown['text']!r} is gone"
    words = pending.changes is None  # else it is looked at what it would change
    if (element.role, element.text) != (shown["role"], shown["text"]) or (
        words and effect_of(action, element, now).value != pending.effect
    ):
        return f"the screen changed after the approval: {shown['text']!r} is now {element.text!r}"
    before = ctx.journal.screens.get(pending.before)
    then = before.by_id.get(shown["element_id"]) if before is not None else None
    if before is not None and then is not None and (other := unlike(before, then, now, element)):
        return f"the screen changed after the approval: {other}"
    return ""


def _inner(ctx: Context, state: State, pending: Pending, action: Action) -> ActionResult:
    """Memory and questions: nothing of it reaches the environment."""
    screen = ctx.journal.screens.get(pending.before)
    subtask = subtask_id(state)
    match action:
        case Memorize(name=name, value=value):
            source = None if screen is None else element_of(action, screen)[0]
            policy = safety_of(state, ctx)
            private = (source is not None and policy.is_private(source)) or policy.hides(name)
            origin = found(value, screen, grounds_of(state, ctx)) if source is None else Origin("screen", pending.app or "")
            fact = Fact(
                name=name,
                value=value,
                kind=_kind(ctx, value),
                app=pending.app,
                state_id=pending.before,
                element_id=source.element_id if source else None,
                step=pending.step,
                subtask=subtask,
                private=private,
            )
            fact = origin.of(fact)
        case AskUser():
            said = pending.answer
            policy = safety_of(state, ctx)  # a question for a password, or a card number
            secret = policy.hides(action.question) or policy.hides(action.name)
            at: Update = {"subtask": subtask, "step": pending.step}
            fact = remember_answer(ctx.journal, action, said, _kind(ctx, said), private=secret, app=pending.app, **at)
            return ActionResult(exec_status=ExecStatus.EXECUTED, output=fact.name)
        case Answer(text=text):
            told = Fact(name="answer", value=text, kind=_kind(ctx, text), app=pending.app, subtask=subtask, step=pending.step)
            fact = found(text, screen, grounds_of(state, ctx)).of(told)
        case _:
            return ActionResult(exec_status=ExecStatus.ERROR, error=f"{action.verb} is not an action to execute")
    ctx.journal.remember(fact)
    return ActionResult(exec_status=ExecStatus.EXECUTED, output=fact.name)


def _kind(ctx: Context, value: str) -> str:
    """What a value is, or what it refers to."""
    try:
        return kind_of(ctx.journal.revealed(value))
    except UnknownSecret:
        return "text"
