"""Asking a person, in the ecosystem's form, and reading the answer. Default is deny.

The answer is bound to (key, digest): what is approved is exactly this action, once. An edited action is reviewed anew. It is
in the journal's approvals, committed, before anything comes of it: what was answered before a kill is not asked again, and
nothing else than a row there lets an action be done that the policy asks about. Requests and approvals are good for a time.
"""

from typing import Any

from langgraph.types import interrupt
from pydantic import ValidationError

from environments.contract import CHANGE_FILES
from environments.effects import released
from protocol import CARRIES, AgentAction, AskUser, JsonObject, describe, parse_action
from roles.contracts import USER, Fact
from roles.contracts.context import Context, State, Update
from roles.contracts.nodes import TraceNote
from roles.contracts.requests import (
    Answer,
    ApprovalRequest,
    Approve,
    AskedAction,
    Decision,
    Edit,
    Pending,
    QuestionRequest,
    Reject,
    Request,
    Respond,
    ReviewConfig,
    Way,
    pending_of,
    read_request,
)
from roles.contracts.signals import Signal
from roles.journal.actions import Approval
from roles.journal.events import ApprovalEvent, ApprovalExpiredEvent, ApprovalRequestedEvent, ConstraintsAddedEvent, ReviewedEvent
from roles.journal.journal import Journal
from roles.operator.perceive import EXECUTE, current_screen, ended, record, safety_of, subtask_id
from roles.operator.safety.interruption import previewed
from roles.operator.safety.permits import drop, element_of, grounds_of, with_permit
from roles.safety import Constraints, Review, SafetyPolicy, review
from roles.safety.policy import Moment, overdue, together
from roles.safety.privacy.redaction import MASK
from roles.safety.privacy.vault import is_reference
from roles.safety.privacy.vault_shapes import names_private
from roles.safety.review import shown
from roles.screen.dialogs import effect_verb
from roles.screen.screens import PRESS_VERBS

EXPIRED = "the approval has expired"
"""How the error of an action begins whose approval was too old when it was to be used."""


def now(ctx: Context) -> JsonObject:
    """This moment, to be written down with what is asked or answered."""
    return Moment.now(ctx.clock, ctx.uptime).model_dump(mode="json")


def overdue_request(ctx: Context, policy: SafetyPolicy, request: Request) -> str:
    """Why a request may no longer be answered, or nothing. What asks for an action's approval is dated, and
    what shows a plan; a question is not."""
    return overdue(policy, request.asked, Moment.now(ctx.clock, ctx.uptime)) if request.is_dated else ""


def answered_before(ctx: Context, pending: Pending) -> tuple[Approval, AgentAction] | None:
    """What a person said to exactly this before a kill, and the action that it is about; None where nobody was heard."""
    last, intent = ctx.journal.last_approval(pending.key), ctx.journal.intent(pending.key)
    if last is None or intent is None or last.digest not in {pending.digest, intent.digest}:
        return None
    if last.decision not in {"approve", "reject", "respond"}:
        return None
    return last, intent.action


def forbidden_still(state: State, ctx: Context, pending: Pending) -> str:
    """Why the action may not be done now, by what the journal says and nothing else; empty where it may."""
    key, digest = pending.key, pending.digest
    if ctx.journal.recorded(reviewed_key(key, "allow", digest)):
        return ""
    if not ctx.journal.approved(key, digest):
        return "not approved: neither the safety policy nor a person has allowed exactly this action"
    said = ctx.journal.decided(key)
    if late := overdue(safety_of(state, ctx), said.get("given"), Moment.now(ctx.clock, ctx.uptime)):
        return f"{EXPIRED}: {late}"
    return ""


def reviewed_key(key: str, verdict: str, digest: str) -> str:
    """Of the event that says what the policy found."""
    return f"reviewed/{key}/{verdict}/{digest}"


def answered(journal: Journal, question: str) -> Fact | None:
    """What the user said when this was asked before, in any subtask; None when it was not, or when the answer was empty."""
    wanted = _plain(question)
    return next((f for f in reversed(journal.facts()) if f.question and _plain(f.question) == wanted and f.value.strip()), None)


def remember_answer(
    journal: Journal,
    ask: AskUser,
    value: str,
    kind: str,
    *,
    subtask: str,
    private: bool,
    step: int = 0,
    app: str | None = None,
) -> Fact:
    """Put the answer on the blackboard under the name that was given.

    An answer to another question that has this name moves aside, so that it is still known.
    """
    facts = {fact.name: fact for fact in journal.facts()}
    held = facts.get(ask.name)
    if held is not None and held.question and _plain(held.question) != _plain(ask.question):
        number = 1
        while (taken := facts.get(f"{ask.name} ({number})")) is not None and taken.question != held.question:
            number += 1
        journal.remember(held.model_copy(update={"name": f"{ask.name} ({number})"}))
    place: Update = {"subtask": subtask, "step": step, "app": app, "question": ask.question, "private": private}
    place |= {"role": USER, "source": USER}
    fact = Fact(name=ask.name, value=value, kind=kind, **place)
    journal.remember(fact)
    return fact


def _plain(question: str) -> str:
    return " ".join(question.casefold().split()).rstrip(" ?.!？。！")


ASK = "request_human_approval"
NOBODY = "nobody"
"""Who rejects what no person has answered in time."""


_QUESTION: tuple[Way, ...] = ("respond", "reject")
_WAYS: dict[bool, tuple[Way, ...]] = {False: ("approve", "edit", "reject", "respond"), True: ("approve", "reject", "respond")}
"""How an action may be answered: a request of a page, and what a script changed, as it is or not at all."""


def _as_it_is(action: AgentAction) -> bool:
    return bool(released(action)) or action.verb == CHANGE_FILES


def _refers(value: Any) -> bool:
    """Whether nothing but references stands there, which everybody may see."""
    return all(isinstance(text, str) and is_reference(text) for text in (value if isinstance(value, list) else [value]))


def to_be_asked(state: State, ctx: Context, pending: Pending, found: Review, *, role: str) -> Update:
    """Write down what is asked and when, and make it last; the interrupt follows."""
    action = pending.does
    question = isinstance(action, AskUser)
    args = {k: v for k, v in pending.action.items() if k != "action_type"}
    if pending.private:
        args = {k: (v if k not in CARRIES or _refers(v) else MASK) for k, v in args.items()}
    ways = _QUESTION if question else _WAYS[_as_it_is(action)]
    private = isinstance(action, AskUser) and bool(names_private(f"{action.question} {action.name}"))
    more: JsonObject = {"changes": pending.changes, "leads": pending.leads, "request": pending.request}
    more |= {"page": found.page, "private": private}
    asks: type[ApprovalRequest | QuestionRequest] = QuestionRequest if question else ApprovalRequest
    request = asks(
        action_requests=(AskedAction(name=action.verb, args=args, description=pending.line),),
        review_configs=(ReviewConfig(action_name=action.verb, allowed_decisions=ways),),
        key=pending.key,
        digest=pending.digest,
        effect=found.effect.value,
        risk=found.severity,
        rule=found.policy,
        reasons=tuple(found.reasons),
        app=(pending.element["app"] if pending.element else None) or pending.app,
        state_id=pending.before,
        reason=pending.reason,
        default="reject",
        role=role,
        asked=now(ctx),
        **{name: value for name, value in more.items() if value},
    )
    record(state, ctx, ApprovalRequestedEvent(**request.dump()), step=pending.step, key=f"ask/{pending.key}", role=role)
    ctx.line.passing(Signal.APPROVAL_PENDING, step=pending.step, key=f"pending/{pending.key}")
    ctx.journal.commit()
    waits = {"needs_approval": True, "interaction_status": "needs_approval", "route": ASK}
    return {"pending_action": pending.dump(), **waits}


def record_review(
    state: State, ctx: Context, key: str, digest: str, found: Review, line: str, *, step: int, role: str = "operator", **more: Any
) -> ReviewedEvent:
    """What the policy found, as an event: where it allows, that is what lets the action be done."""
    finding = ReviewedEvent(
        policy=found.policy,
        severity=found.severity,
        verdict=found.verdict,
        effect=found.effect.value,
        reasons=list(found.reasons),
        action=line,
        **{name: value for name, value in more.items() if value},
    )
    record(state, ctx, finding, step=step, key=reviewed_key(key, found.verdict, digest), role=role)
    return finding


def ask_by_interrupt(state: State, ctx: Context) -> Update:
    """Pause the graph with the recorded request; nothing but reading stands before the interrupt."""
    pending = pending_of(state)
    asked = ctx.journal.request(pending.key)
    said = answered_before(ctx, pending)
    if said is not None:
        last, action = said
        told = {"type": last.decision, "message": last.message, "who": last.who, "digest": last.digest}
        return _narrowed(state, ctx) | _taken(state, ctx, Answer.model_validate({"decisions": [told]}).decisions[0], action)
    answer = interrupt(asked)
    # A process without the run's journal has no request to read; what it lacks is said where the action is to be done.
    request = read_request(asked) if asked else None
    if request and (late := overdue_request(ctx, safety_of(state, ctx), request)):
        refusal = overdue_then(ctx, request, late, safety_of(state, ctx), subtask=subtask_id(state), step=pending_of(state).step)
        return {"route": ASK} if refusal is None else _refuse(state, ctx, refusal)
    if by_nobody(answer):  # it was asked about anew just before a kill, and that request is still good
        return {"route": ASK}
    return apply_answer(state, ctx, answer)


def by_nobody(answer: Any) -> bool:
    """Whether this is what stands for an answer where a request has grown too old."""
    try:
        return Answer.model_validate(answer).decisions[0].who == NOBODY
    except ValidationError:
        return False


def _taken(state: State, ctx: Context, decision: Decision, action: AgentAction) -> Update:
    """What follows from an answer that is written down."""
    pending = pending_of(state)
    if decision.digest != pending.digest:  # the person had edited the action
        pending = _as_edited(state, ctx, action, _review(state, ctx, action))
    question = pending.action["action_type"] == "ask_user"
    if isinstance(decision, Approve) or (question and isinstance(decision, Respond)):
        return _approved(pending.but(approved=pending.digest, answer=decision.message), decision)
    return _dropped(state, ctx, decision)


def overdue_then(
    ctx: Context, request: Request, why: str, policy: SafetyPolicy, *, subtask: str = "", step: int = 0
) -> Reject | None:
    """What becomes of a request that nobody answered in time: a rejection, or None where it is asked anew."""
    nth, line, key = request.times + 1, request.about.description, request.key
    late = ApprovalExpiredEvent(key=key, digest=request.digest, line=line, why=why, then=policy.expired)
    ctx.journal.record(late, role=request.role, subtask=subtask, step=step, key=f"expired/{key}/{nth}")
    if policy.expired == "deny":
        return Reject(message=f"nobody answered in time: {why}", who=NOBODY)
    again = ApprovalRequestedEvent(**request.model_copy(update={"asked": now(ctx), "times": nth}).dump())
    ctx.journal.record(again, role=request.role, subtask=subtask, step=step, key=f"ask/{key}/{nth}")
    ctx.journal.commit()
    return None


def ask_by_report(state: State, ctx: Context) -> Update:
    """Without a checkpointer nothing can wait: use the approval that came with the input, once, or end as needs_approval."""
    given = state.get("human_approval")
    if not given:
        why = f"approval is needed to {pending_of(state).line}"
        return ended(state, Signal.APPROVAL_PENDING, "needs_approval", why) | {"pending_action": state["pending_action"]}
    answer = given if "decisions" in given else {"decisions": [given]}
    return apply_answer(state, ctx, answer) | {"human_approval": None}


def apply_answer(state: State, ctx: Context, answer: Any) -> Update:
    """Only a positive answer to exactly this action leads to its execution."""
    pending = pending_of(state)
    decision = decision_in(answer, pending.digest, "another action")
    narrower: Update = {}
    if decision.constraints is not None:
        added = ConstraintsAddedEvent(constraints=decision.constraints.dump(), who=decision.who, line=pending.line)
        record(state, ctx, added, step=pending.step, key=f"constraints/{pending.key}/{pending.digest}", role="user")
        narrower = _narrowed(state, ctx)
        state = {**state, **narrower}
    return narrower | _applied(state, ctx, decision)


def decision_in(answer: Any, digest: str, other: str) -> Decision:
    """The person's decision; one that cannot be used, or that was given to something else, is a rejection."""
    try:
        decision = Answer.model_validate(answer).decisions[0]
    except ValidationError as bad:
        return Reject(message=f"the answer was not usable: {bad.errors()[0]['msg']}")
    if decision.digest is not None and decision.digest != digest:
        return decision.rejected(f"the answer was given to {other}")
    return decision


def _narrowed(state: State, ctx: Context) -> Update:
    """The constraints of the run with all that people have added to them."""
    before = Constraints.model_validate(state.get("constraints") or {})
    found = together(before, (event.body for event in ctx.journal.events(ConstraintsAddedEvent)))
    if found == before:
        return {}
    update = {"constraints": found.dump()}
    if ctx.journal.redactor is not None:
        ctx.journal.redactor.keep_to(safety_of({**state, **update}, ctx))
    return update


def _applied(state: State, ctx: Context, decision: Decision) -> Update:
    """What comes of an answer under the constraints that hold by then."""
    pending = pending_of(state)
    question = pending.action["action_type"] == "ask_user"
    if question and isinstance(decision, Approve | Edit):
        decision = decision.rejected("a question wants words, not an approval")
    if isinstance(decision, Edit) and _as_it_is(pending.does):
        decision = decision.rejected("it is done as it is or not at all")
    if isinstance(decision, Edit):
        return _edited(state, ctx, decision)
    asked = pending.does
    if isinstance(asked, AskUser):
        decision = decision.model_copy(update={"message": ctx.journal.answer(asked.question, decision.message, asked.name)})
    if isinstance(decision, Approve) and decision.constraints is not None and not released(asked):
        found = _review(state, ctx, asked)
        if found.verdict == "deny":
            decision = decision.rejected(f"what was added forbids it: {'; '.join(found.reasons)}")
    _note(state, ctx, decision, pending.digest)
    ctx.journal.commit()  # before anything comes of it
    return _taken(state, ctx, decision.model_copy(update={"digest": pending.digest}), asked)


def _approved(pending: Pending, decision: Decision) -> Update:
    return {
        "pending_action": pending.dump(),
        "human_approval": decision.model_dump(mode="json"),
        "needs_approval": False,
        "interaction_status": "running",
        "route": EXECUTE,
    }


def _edited(state: State, ctx: Context, decision: Edit) -> Update:
    pending = pending_of(state)
    try:
        if decision.edited_action is None:
            raise ValueError("edit needs edited_action")
        action = decision.edited_action.action()
        if released(action):
            raise ValueError("only a request that is held and shown can be released")
    except (ValidationError, ValueError) as bad:
        first = bad.errors()[0]["msg"] if isinstance(bad, ValidationError) else str(bad)
        return _refuse(state, ctx, decision.rejected(f"the edited action was not usable: {first}"))
    action = ctx.journal.sealed(action, current_screen(state, ctx))
    found = _review(state, ctx, action)
    if found.verdict == "deny":
        return _refuse(state, ctx, decision.rejected(f"the edited action is not allowed: {'; '.join(found.reasons)}"))
    # All of it or nothing survives a kill.
    changed = _as_edited(state, ctx, action, found)
    _note(state, ctx, decision, changed.digest)
    approval = decision.approved("as edited")
    _note(state, ctx, approval, changed.digest)
    ctx.journal.replace_intent(pending.key, action)
    ctx.journal.commit()
    return _approved(changed.but(approved=changed.digest), decision)


def _review(state: State, ctx: Context, action: AgentAction) -> Review:
    seen = current_screen(state, ctx)
    element, _ = element_of(action, seen)
    changes = previewed(ctx, action)
    return review(action, element, seen, safety_of(state, ctx), grounds=grounds_of(state, ctx), changes=changes)


def _as_edited(state: State, ctx: Context, action: AgentAction, found: Review) -> Pending:
    """The pending action when a person has written another in its place."""
    asked = pending_of(state)
    before = parse_action(asked.action)
    presses = before.verb in PRESS_VERBS and action.verb in PRESS_VERBS and describe(before) != describe(action)
    pending = asked.but(
        instead_of=effect_verb(before, asked.effect) if presses else "",
        action=action.dump(),
        digest=ctx.journal.digest(action),
        line=describe(action),
        element=None,
        missing="",
        changed="",
        changes=shown(found.changes),
    )
    return with_permit(ctx, pending, action, found, None)[0]


def _dropped(state: State, ctx: Context, decision: Decision) -> Update:
    """Nothing comes of it: what a page wanted to send does not wait any longer."""
    drop(ctx, pending_of(state))
    return refused(state, decision)


def refused(state: State, decision: Decision) -> Update:
    """The action is given up, and why is told to whoever plans."""
    pending = pending_of(state)
    said = f": {decision.message}" if decision.message else ""
    verb = "answered instead of approving" if isinstance(decision, Respond) else "rejected"
    line = pending.line + (f" ({pending.page})" if pending.page else "")
    why = f"the user {verb} {line}{said}" if decision.who != NOBODY else f"{line} was not approved{said}"
    words = decision.message if decision.who != NOBODY else ""
    report = ended(state, Signal.APPROVAL_REJECTED, "blocked", why, refused=pending.line, user_words=words)
    note: TraceNote = {"step": pending.step, "line": pending.line, "status": "rejected"}
    heard = {"human_approval": decision.model_dump(mode="json"), "needs_approval": False}
    return report | heard | {"action_trace": [*state["action_trace"], note]}


def _refuse(state: State, ctx: Context, refusal: Reject) -> Update:
    """Write the refusal down, and give the action up for it."""
    _note(state, ctx, refusal, pending_of(state).digest)
    ctx.journal.commit()
    return _dropped(state, ctx, refusal)


def _note(state: State, ctx: Context, decision: Decision, digest: str) -> None:
    pending = pending_of(state)
    key = f"approval/{pending.key}/{decision.type}/{digest}"
    place: Update = {"subtask": subtask_id(state), "step": pending.step, "event": key}
    write_decision(ctx, decision, pending.key, digest, pending.line, **place, given=now(ctx))


def write_decision(
    ctx: Context,
    decision: Decision,
    key: str,
    digest: str,
    line: str,
    *,
    event: str,
    subtask: str = "",
    step: int = 0,
    **more: Any,
) -> JsonObject:
    """Who said what to which request; gives what was written. To be committed before anything comes of it."""
    told: JsonObject = {"decision": decision.type, "message": decision.message, "who": decision.who, "way": decision.way}
    said = ApprovalEvent(key=key, digest=digest, line=line, **told, **more)
    ctx.journal.record(said, role="user", subtask=subtask, step=step, key=event)
    ctx.journal.approve(key, digest, decision.type, ctx.journal.masked(decision.message), decision.who)
    return said.body()
