"""An environment that guards itself: on which control an action falls, what it may do there, and which requests are held.

A request that is held becomes an action of its own, `release`: reviewed, asked about and done once like any other. A yes holds
for that request. A no, or any other action, drops it.
"""

import glob
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from fnmatch import fnmatchcase
from typing import Any
from urllib.parse import urlsplit

from environments.contract import STOPPED, Environment, EnvironmentFault
from environments.effects import (
    GONE,
    RELEASE,
    SELF,
    SENSITIVE,
    ControlSeen,
    Effect,
    GuardedEnvironment,
    HeldRequest,
    Network,
    NetworkRule,
    Permit,
    release,
    released,
)
from protocol import (
    Action,
    ActionResult,
    AgentAction,
    Click,
    ExecStatus,
    GUIElement,
    JsonObject,
    Screenshot,
    TargetError,
    VisualState,
    resolve,
)
from roles.contracts import StepOrigin, StepRecord
from roles.contracts.context import Context, State, Update
from roles.contracts.nodes import Stage
from roles.contracts.requests import Pending
from roles.journal.events import NetworkLearnedEvent, RequestStoppedEvent
from roles.journal.journal import Journal
from roles.knowledge.pages.playbook import said_to_do
from roles.operator.perceive import FINALIZE, ScreenEvent, attempt_of, key_of, record, safety_of, subtask_id
from roles.safety import Grounds, Review, SafetyPolicy, review
from roles.safety.destinations import sends_elsewhere, way_of
from roles.safety.effects import RULE, effect_of, learned_rules

HELD = "held"
"""The kind of event that says of an action that what it set off waits."""
_WAITS = "waits to be allowed: "
_AGAIN = 3
_OF_OTHERS = frozenset({"call_api", "ask_in_app_agent", "run_script"})
"""Their results are other people's words."""


def element_of(action: Action, seen: VisualState) -> tuple[GUIElement | None, str]:
    """The element the action means, or why there is none."""
    if action.target is None:
        return None, ""
    try:
        return seen.by_id.get(resolve(action.target, seen).element_id), ""  # a bare point may lie on nothing
    except TargetError as missing:
        return None, str(missing)


def grounds_of(state: State, ctx: Context) -> Grounds:
    """What the values of an action may come from. What is not at hand is read only when a rule asks for it."""
    told = ((state.get("delegation") or {}).get("subtask") or {}).get("origin") or ()
    return Grounds(
        said=lambda: _said(state, ctx),
        facts=ctx.journal.facts(),
        supplements=ctx.journal.supplements,
        screens=lambda: _screens(ctx),
        read=lambda: said_to_do(ctx.journal.supplements()),
        steps=tuple(StepOrigin.model_validate(origin) for origin in told),
    )


def _said(state: State, ctx: Context) -> list[str]:
    """The user's words: the goal, and what they said to requests since."""
    goal = (state.get("delegation") or {}).get("goal") or state.get("task_goal") or ""
    notes = [note.words for role in ("operator", "manager") for note in ctx.say.notes(role)]
    return [goal, *ctx.journal.words(), *notes]


def _screens(ctx: Context) -> Iterator[VisualState]:
    """The latest screen of each application, newest first."""
    for state_id in reversed(ctx.journal.screens.latest().values()):
        if (screen := ctx.journal.screens.get(state_id)) is not None:
            yield screen


BY_ITSELF = "the page sends it by itself"
_HARMLESS = frozenset(effect.value for effect in (Effect.OBSERVE, Effect.NAVIGATE, Effect.EDIT, Effect.SAVE))
_PRESSES = frozenset(
    {"click", "press_key", "hold_key", "key_down", "key_up", "mouse_down", "mouse_up", "drag", "call_api", "ask_in_app_agent"}
)
_PASSIVE = frozenset({"wait", "screenshot"})


# --- what holds for the whole run -----------------------------------------------------------------------------------


def guard(environment: Environment, policy: SafetyPolicy, journal: Journal) -> None:
    """From here on requests are treated as the policy says, and as was learned in this run."""
    if isinstance(environment, GuardedEnvironment):
        environment.guard(network_of(policy, journal))


def guarded(prepare: Stage) -> Stage:
    """Say it before the first look of a delegation as well: a worker may work alone, or after a person who had other rights."""

    def run(state: State, ctx: Context) -> Update:
        update = prepare(state, ctx)
        if update.get("route") != FINALIZE:
            guard(ctx.environment, safety_of(state, ctx), ctx.journal)
        return update

    return run


def network_of(policy: SafetyPolicy, journal: Journal) -> Network:
    """What the policy says of requests, with what was learned."""
    learned = tuple(NetworkRule(**rule) for rule in learned_rules(event.body for event in journal.events(NetworkLearnedEvent)))
    return policy.network.model_copy(update={"allow": (*policy.network.allow, *learned)})


def learn(state: State, ctx: Context, pending: Pending) -> None:
    """After a yes to a request of which nothing says that it reaches others: its like is let go for the rest of this run."""
    request = pending.request
    if request is None or not _may_be_learned(state, request, pending):
        return
    if not ctx.journal.approved(pending.key, pending.digest):
        return
    rule = {name: glob.escape(getattr(request, name)) for name in RULE}
    learned = NetworkLearnedEvent(**rule, line=pending.line)
    record(state, ctx, learned, step=pending.step, key=f"learned/{pending.key}")
    ctx.journal.commit()
    guard(ctx.environment, safety_of(state, ctx), ctx.journal)


def _may_be_learned(state: State, request: HeldRequest, pending: Pending) -> bool:
    """Neither its own words nor the action before it may say that it is more than the page's own work.

    What comes right after a press may be that only where it names its operation: else any press could be sent to one address.
    """
    did = state["task_context"].get("did")
    own = did is None or did["effect"] in _HARMLESS
    return own and not SENSITIVE.intersection(request.effects) and bool(request.operation or not pending.pressed)


def own_work(
    ctx: Context, policy: SafetyPolicy, action: Action, element: GUIElement | None, seen: VisualState
) -> tuple[Effect, ...]:
    """What the words of a press say that sends a form which a rule lets pages send by themselves; empty for any other action."""
    way = way_of(element) if isinstance(action, Click) and element is not None else None
    if way is None or way.how != "post" or element is None or sends_elsewhere(element, seen):
        return ()
    at = urlsplit(way.address)
    settled = ctx.guarded is not None and not (at.query or way.by) and any(
        rule.host == SELF and rule.operation == "*" and fnmatchcase("POST", rule.method) and fnmatchcase(at.path, rule.path)
        for rule in policy.network.allow
    )  # fmt: skip
    effect = effect_of(action, element.model_copy(update={"leads": None}), seen) if settled else None
    return (effect,) if effect is not None and effect.value in _HARMLESS else ()


# --- one action -----------------------------------------------------------------------------------------------------


def with_permit(
    ctx: Context, pending: Pending, action: Action, found: Review, judged: GUIElement | None
) -> tuple[Pending, Review]:
    """The pending action with what it may do and on which control, and the review with what a person should know of that.

    Where the control is not the one that was `judged`, `changed` says so: then nothing is done, and it is looked at anew.
    """
    environment = ctx.guarded
    if action.inner or environment is None:
        return pending, found
    at, changed = None, ""
    if not (pending.missing or released(action)):
        try:
            at = environment.control(action)
        except EnvironmentFault as fault:
            changed = ctx.journal.masked(f"what it falls on cannot be looked at: {fault}")
    permit = Permit(effects=found.effects, control=None if at is None else at.parts)
    if at is not None:
        changed = _otherwise(judged, at)
        found = found.model_copy(update={"reasons": (*found.reasons, *at.told)})
    return pending.but(permit=permit.model_dump(mode="json"), changed=changed), found


def _otherwise(judged: GUIElement | None, at: ControlSeen) -> str:
    """What the control is now, where that is not what was judged; empty where the environment does not say."""
    if judged is None or not (at.role or at.name):
        return ""
    if (at.role, at.name) == (judged.role or "", judged.name):
        if at.leads in (None, judged.leads or ""):
            return ""
        return f"the page changed while it was thought about: {judged.name!r} leads to {at.leads or 'nowhere'} now"
    return f"the page changed while it was thought about: {judged.name or judged.role!r} is now {at.name or at.role!r}"


def admit(ctx: Context, pending: Pending, key: str) -> None:
    """Say to the environment what the action of this key may do. Whether a person said yes is asked of the journal."""
    if ctx.guarded is not None:
        permit = pending.permit or Permit()
        approved = ctx.journal.approved(pending.key, pending.digest)
        ctx.guarded.admit(key, permit.model_copy(update={"approved": approved}))


def done_but_held(ctx: Context, result: ActionResult) -> ActionResult:
    """Where only what it set off was stopped, and waits, the action itself was done: its result tells what waits."""
    if not result.error.startswith(STOPPED) or not any(request.told in result.error for request in held(ctx)):
        return result
    said = "; ".join(part for part in (f"{_WAITS}{result.error.removeprefix(STOPPED)}", result.output) if part)
    return result.model_copy(update={"exec_status": ExecStatus.EXECUTED, "error": "", "output": said})


def is_guarded(ctx: Context, pending: Pending) -> bool:
    """Whether the environment itself compares what the action falls on with what was reviewed."""
    return ctx.guarded is not None and pending.permit is not None and bool(pending.permit.control)


def deed(pending: Pending, action: Action, known: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    """The last action to which a request can be traced: this one, unless it does nothing of its own."""
    if action.inner or action.verb in _PASSIVE or released(action):
        return known
    presses = action.verb in _PRESSES or bool(getattr(action, "submit", False))
    return {"step": pending.step, "line": pending.line, "effect": pending.effect, "presses": presses}


def held_event(ctx: Context, action: Action, result: ActionResult) -> list[dict[str, str]]:
    """What a step's record keeps of it: it is known from the result alone, also after the process that held it is gone."""
    if released(action) and result.output.startswith(GONE):
        return [{"kind": HELD, "text": "the page has to send it again"}]
    if not result.output.startswith(_WAITS) or action.verb in _OF_OTHERS or ctx.guarded is None:
        return []
    return [{"kind": HELD, "text": " ".join(result.output.removeprefix(_WAITS).split())[:240]}]


def lost(state: State, ctx: Context, step: int) -> StepRecord | None:
    """The last action, where what it set off waited and is gone with the process that held it, asked about or not.

    Nothing was sent, so it may be done again, at most `_AGAIN` times one after the other. What was allowed by then goes
    without a second question; where it cannot be known whether it was sent, a person is asked before it goes. `step` is the
    next one.
    """
    steps = ctx.journal.steps(subtask_id(state), attempt_of(state), limit=_AGAIN + 1)
    waited = [any(event.startswith(f"{HELD}: ") for event in one.events) or not_known(one) for one in steps]
    if not steps or steps[-1].step != step - 1 or not waited[-1] or (all(waited) and len(steps) > _AGAIN):
        return None
    key = key_of(state, ctx, step)
    if held(ctx) or (ctx.journal.request(key) and overtaken(ctx, key) is None):
        return None
    those = [one for one, waits in zip(steps, waited, strict=True) if waits and one.action.get("action_type") != RELEASE]
    return those[-1] if those else None


def not_known(step: StepRecord) -> bool:
    """Whether it is a release of which nobody knows whether it was done before its process was stopped."""
    return step.action.get("action_type") == RELEASE and step.exec_status == ExecStatus.PENDING


def overtaken(ctx: Context, key: str) -> AgentAction | None:
    """The release that was asked about under this key, where the process was killed before the question was kept: what it would
    let go is gone with it."""
    intent = ctx.journal.intent(key)
    return intent.action if intent is not None and released(intent.action) and ctx.journal.outcome(key) is None else None


# --- requests that are held -----------------------------------------------------------------------------------------


def held(ctx: Context) -> Sequence[HeldRequest]:
    """What the environment holds, oldest first."""
    if ctx.guarded is not None:
        with suppress(EnvironmentFault):
            return ctx.guarded.held()
    return ()


def next_held(state: State, ctx: Context, seen: VisualState, step: int) -> tuple[HeldRequest | None, list[ScreenEvent]]:
    """The request to be decided on, if one is held, and what is to be told of those that no person is asked about.

    What the policy denies is only told where the page sends it by itself, or beside what is harmless: the work goes on.
    `step` is that of the last action.
    """
    told: list[ScreenEvent] = []
    cause = _cause(state, step)
    for request in held(ctx):
        found = rated(state, ctx, request, seen, step)
        if found.verdict != "deny" or (cause is not None and cause["effect"] not in _HARMLESS):
            return request, told
        said = f"{request.told} was stopped: {'; '.join(found.reasons)} ({found.policy})"
        if not ctx.journal.recorded(key := f"stopped/{step}/{request.request_id}"):
            told.append({"step": step, "kind": "told", "text": said})
            stopped = RequestStoppedEvent(request=request.request_id, line=request.told, policy=found.policy)
            record(state, ctx, stopped, step=step, key=key)
    return None, told


def rated(state: State, ctx: Context, request: HeldRequest, seen: VisualState, step: int) -> Review:
    """What the policy says of letting the request go."""
    policy, effects = safety_of(state, ctx), effects_of(request, _cause(state, step))
    return review(release(request), None, seen, policy, effects=effects, grounds=grounds_of(state, ctx))


def effects_of(request: HeldRequest, cause: Mapping[str, Any] | None) -> tuple[Effect, ...]:
    """What its words say, and no less than something unknown; after a press, no less than submitting."""
    least = Effect.SUBMIT if cause is not None and cause["presses"] else Effect.ACTIVATE
    if SENSITIVE.intersection(request.effects):
        return request.effects
    return tuple(dict.fromkeys([*([least] if least in SENSITIVE else []), *request.effects, Effect.ACTIVATE]))


def pending_request(state: State, request: HeldRequest, step: int) -> JsonObject:
    """What a pending release has beside what every action has."""
    cause = _cause(state, step)
    why = BY_ITSELF if cause is None else f"it comes of: {cause['line']}"
    effects = effects_of(request, cause)
    told = {"request": request.model_dump(mode="json"), "effects": [e.value for e in effects], "reason": why}
    return told | {"pressed": cause is not None and cause["presses"]}


def told_of(pending: Pending, found: Review) -> Review:
    """The review of a release, with what would be sent and what it comes of first."""
    held_back = f"the page would {pending.request.told}" if pending.request is not None else ""
    said = (held_back, pending.reason)
    return found.model_copy(update={"reasons": (*said, *found.reasons)})


def drop(ctx: Context, pending: Pending) -> None:
    """A request that was said no to: any other action drops it."""
    if pending.request is not None:
        with suppress(EnvironmentFault):
            ctx.environment.perform(Screenshot(), key=f"{pending.key}/dropped")


def _cause(state: State, step: int) -> Mapping[str, Any] | None:
    """The last action, where the request came right after it."""
    did: Mapping[str, Any] | None = state["task_context"].get("did")
    return did if did is not None and did["step"] == step else None
