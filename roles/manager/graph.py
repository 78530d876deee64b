"""The Manager as a graph: it plans, or fetches what a plan needs, and code notes what a plan makes of that. Source: seed 002."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal

from langgraph.graph import END, START, StateGraph
from langgraph.types import interrupt
from pydantic import ValidationError
from rapidfuzz import fuzz
from typing_extensions import TypedDict

from environments.cards import vocabulary
from protocol import JsonObject
from roles.contracts import USER, PageUse, PlanAnswer, PlanRequest, Report, StepOrigin, Subtask, Supplement
from roles.contracts.context import Context, State, Update
from roles.contracts.nodes import Assignment, Given, Graph, node
from roles.contracts.orders import GoalLedger, opened
from roles.contracts.policies import Note
from roles.contracts.requests import Approve, Edit, PlanReviewRequest, QuestionRequest, Reject, read_request
from roles.contracts.signals import Signal, SubtaskStatus
from roles.journal.events import ApprovalRequestedEvent, ErrorEvent, KnowledgeUsedEvent, PlanEvent, SupplementEvent
from roles.journal.journal import Journal
from roles.knowledge.blackboard import board_of
from roles.knowledge.library import look_up, look_up_ahead
from roles.knowledge.pages.playbook import playbooks_in
from roles.manager.plans import PlanError, broken_pin, keep_pins, merge
from roles.manager.review import (
    edited_plan,
    knows_nothing,
    plan_request,
    question_request,
    read_decision,
    record_decision,
    review_expired,
)
from roles.operator.safety.approval import NOBODY, by_nobody, now, overdue_request
from roles.policies.fallback import GaveUp, PolicyFault
from roles.screen.language.reader import read

_ALIKE = 82
"""How much of a step's words an instruction has that comes from it."""
_OWN = 88
"""An instruction that the goal itself says as well as this comes from the goal."""
_PARTS = 12
"""Steps that a subtask is said to come from, at most."""


def looked_up(journal: Journal) -> tuple[str, ...]:
    """What was looked up or asked so far, whatever came of it; twice what was looked up and then asked."""
    return tuple(event.body["query"] for event in journal.events(SupplementEvent))


def given_up(journal: Journal) -> tuple[tuple[str, str], ...]:
    """The pages that were followed and did not help."""
    failed = (event.body for event in journal.events(KnowledgeUsedEvent) if event.body.get("failed"))
    return tuple(dict.fromkeys((body["source"], body["title"]) for body in failed))


def attributed(subtasks: Sequence[Subtask], supplements: Sequence[Supplement], goal: str) -> tuple[Subtask, ...]:
    """Every subtask with the steps of pages that it comes from. What the policy said of that counts, and may be too little."""
    books = [book for found in supplements if found.source != USER for book in playbooks_in(found)]
    if not books:
        return tuple(subtasks)
    steps = [book.origin(step.number) for book in books for step in book.steps]
    return tuple(s if s.origin else s.model_copy(update={"origin": tuple(_steps_in(s, steps, goal))[:_PARTS]}) for s in subtasks)


def _steps_in(subtask: Subtask, steps: Sequence[StepOrigin], goal: str) -> Iterator[StepOrigin]:
    told = subtask.instruction.casefold()
    if fuzz.token_set_ratio(told, goal.casefold()) >= _OWN:
        return
    for step in steps:
        words = step.text.casefold()
        if min(len(words), len(told)) >= 8 and fuzz.partial_ratio(words, told) >= _ALIKE:
            yield step


def record_uses(journal: Journal, answer: PlanAnswer, plan: Sequence[Subtask], version: int, attempts: int) -> None:
    """An event for every page that was found: followed by which subtasks of which plan, or not, and why."""
    last = {(e.body["source"], e.body["title"]): e.body for e in journal.events(KnowledgeUsedEvent)}
    said = {(use.source, use.title): use for use in answer.uses}
    pages = [
        (found, title)
        for found in journal.supplements("")
        if found.source != USER
        for title in dict.fromkeys([book.title for book in playbooks_in(found)] or [found.title])
    ]
    for number, (found, title) in enumerate(pages, start=1):
        use = said.get((found.source, title)) or PageUse(source=found.source, title=title)
        mine = [s.id for s in plan if any(o.source == found.source and title in {o.section, o.title} for o in s.origin)]
        used = bool(mine) and not use.failed
        why = use.why or ("" if used else "no subtask of the plan comes from it")
        event = KnowledgeUsedEvent(
            source=found.source, kind=found.kind, document=found.document, title=title, plan_version=version,
            used=used, failed=use.failed, subtasks=mine, why=why,
        )  # fmt: skip
        before, told = last.get((found.source, title), {}), event.model_dump(mode="json")
        if before.get("failed") or all(before.get(name) == told[name] for name in ("used", "subtasks", "failed")):
            continue
        journal.record(event, role="manager", key=f"{event.KIND}/{attempts}/{number}")


class ManagerState(TypedDict, total=False):
    """What stands between two nodes, and what the hub reads when it has ended."""

    goal: str
    assignment: Assignment
    report: JsonObject | None
    plan_version: int
    more: bool
    """The plan is a part; the rest is planned when it is fulfilled."""
    asked: str
    """The key of the request that a person has to answer first."""
    again: bool
    """Nobody answered in time, and they are asked anew."""


def build_manager(context: Given = None, *, checkpointer: Any = None) -> Graph:
    """`plan_subtasks` or `gather_supplement`, by `assignment["task"]`; each is followed by a person where one is to be asked."""
    graph: StateGraph[Any, Any, Any, Any] = StateGraph(ManagerState)
    for first, asking, stages in (
        ("plan_subtasks", "review_plan", (plan_subtasks, review_plan)),
        ("gather_supplement", "ask_user", (gather_supplement, ask_user)),
    ):
        graph.add_node(first, node(stages[0], context))
        graph.add_node(asking, node(stages[1], context))
        graph.add_conditional_edges(first, _to(asking, "asked"), [asking, END])
        graph.add_conditional_edges(asking, _to(asking, "again"), [asking, END])
    graph.add_conditional_edges(START, _task, ["plan_subtasks", "gather_supplement"])
    return graph.compile(checkpointer=checkpointer, name="manager")


def _task(state: ManagerState) -> str:
    return "gather_supplement" if (state.get("assignment") or {}).get("task") == "supplement" else "plan_subtasks"


def _to(asking: str, key: Literal["asked", "again"]) -> Callable[[ManagerState], str]:
    """To the node that asks a person, where the state says so."""
    return lambda state: asking if state.get(key) else END


def plan_subtasks(state: State, ctx: Context) -> Update:
    """Ask the policy for a plan, refuse one that is no DAG over known apps, and store the version that counts."""
    if ctx.manager is None:
        raise ValueError("the context of a Manager needs a manager policy")
    assignment = state.get("assignment") or {}
    shown = f"plan/{assignment.get('attempts', 1)}"
    if ctx.review_plans and ctx.journal.request(shown):
        return {"asked": shown}  # worked again after a kill: what the person was shown is what counts
    plan = _plan_so_far(state, ctx)
    request = _request(state, ctx, plan)
    try:
        answer = ctx.manager.plan(request)
        if answer.outcome == "planned":
            answer = answer.model_copy(update={"subtasks": attributed(answer.subtasks, request.supplements, request.goal)})
        merged = merge(plan, answer.subtasks, ctx.apps()) if answer.outcome == "planned" else plan
        changes = broken_pin(plan, merged) if answer.outcome in {"planned", "nothing_left"} else ""
    except (PlanError, PolicyFault, ValidationError) as bad:
        reason = f"the plan is not usable: {bad.errors()[0]['msg']}" if isinstance(bad, ValidationError) else str(bad)
        return _report(ctx, Signal.NO_ANSWER if isinstance(bad, GaveUp) else Signal.PLAN_FAILED, reason)
    if answer.outcome == "nothing_left" and (open_ := [s.id for s in merged if s.status.is_open]):
        return _report(ctx, Signal.PLAN_FAILED, f"the policy says that nothing is left, but {open_[0]!r} is not fulfilled")
    if changes and answer.outcome == "nothing_left":
        return _unkept(ctx, changes, request)
    if answer.outcome != "planned":
        if answer.outcome == "infeasible":
            record_uses(ctx.journal, answer, plan, 0, request.attempts)
        more = {"more": False} if answer.outcome == "nothing_left" else {}
        return _report(ctx, Signal(answer.outcome), answer.reason, query=answer.query, app=answer.app, ask=answer.ask) | more
    if changes and not ctx.review_plans:
        return _unkept(ctx, changes, request)
    return _proposed(ctx, keep_pins(plan, merged), answer, request, changes)


def _hold(ctx: Context, goal: str, worked: str = "") -> GoalLedger:
    """Write down what a goal asks for, as it was said, or as it is `worked` by a page."""
    known = opened(read(worked or goal, ctx.today(), vocabulary(ctx.cards()))).model_copy(update={"goal": goal, "worked": worked})
    before = ctx.journal.ledger()
    if before is None or (before.goal, before.worked) != (goal, worked):
        ctx.journal.hold(known, role="manager")
    return known


def wanted(goal: str, notes: Sequence[Note]) -> str:
    """The goal, and what the user has said of it since."""
    return " ".join([goal.strip(), *(note.words.strip() for note in notes if note.for_plans)])


def _request(state: State, ctx: Context, plan: tuple[Subtask, ...]) -> PlanRequest:
    """What the policy is given; what is known of the goal is looked up on the way to the first plan."""
    assignment = state.get("assignment") or {}
    trigger = assignment.get("trigger", "task_open")
    if trigger == "task_open":
        look_up_ahead(ctx, state["goal"], None, role="manager")
    goal = wanted(ctx.journal.alike(state["goal"]), ctx.say.notes("manager"))
    known = ctx.journal.ledger()
    if known is None or known.goal != goal:
        known = _hold(ctx, goal)
    return PlanRequest(
        goal=state["goal"],
        apps=ctx.apps(),
        cards=ctx.cards(),
        today=ctx.today(),
        plan=plan,
        facts=ctx.journal.facts(),
        board=board_of(ctx.journal.facts(), lambda: plan, ctx.blackboard, state["goal"]),
        trigger=trigger,
        failed=assignment.get("failed"),
        evidence=tuple(assignment.get("evidence", ())),
        user_words=tuple(assignment.get("user_words", ())),
        supplements=ctx.journal.supplements(""),
        looked_up=looked_up(ctx.journal),
        can_ask=ctx.ask_user,
        given_up=given_up(ctx.journal),
        refused=tuple(assignment.get("refused", ())),
        attempts=assignment.get("attempts", 1),
        nearly_spent=ctx.line.nearly_spent(),
        notes=ctx.say.notes("manager"),
        ledger=known,
        given=ctx.given,
    )


def _proposed(ctx: Context, plan: tuple[Subtask, ...], answer: PlanAnswer, request: PlanRequest, changes: str) -> Update:
    """A plan that can be worked: it is, or a person is asked first. `changes` says what pinned work it would change."""
    version = ctx.journal.save_plan(plan)
    if answer.goal:
        _hold(ctx, wanted(ctx.journal.alike(request.goal), request.notes), answer.goal)
    record_uses(ctx.journal, answer, plan, version, request.attempts)
    if not ctx.review_plans:
        return _planned(ctx, version, answer.reason, request.attempts) | {"more": answer.more}
    why = (answer.reason, changes, *request.evidence)
    asked = plan_request(plan, version, request.attempts, why, request.apps, more=answer.more, asked=now(ctx))
    ctx.journal.record(ApprovalRequestedEvent(**asked.dump()), role="manager", key=f"ask/{asked.key}")
    ctx.journal.commit()
    return {"asked": asked.key}


def _plan_so_far(state: State, ctx: Context) -> tuple[Subtask, ...]:
    statuses = (state.get("assignment") or {}).get("statuses") or {}
    return tuple(with_status(s, statuses) for s in ctx.journal.plan(state.get("plan_version") or 0))


def _planned(ctx: Context, version: int, reason: str, attempts: int) -> Update:
    """From now on this version is worked."""
    record_plan(ctx.journal, version, reason, role="manager", key=f"plan/{attempts}")
    return _report(ctx, Signal.PLANNED, reason or f"{len(ctx.journal.plan(version))} subtasks") | {"plan_version": version}


def record_plan(journal: Journal, version: int, reason: str, *, role: str, key: str) -> None:
    """The event that says which plan is worked."""
    shown = [s.model_dump(mode="json", exclude_defaults=True) | {"status": s.status.value} for s in journal.plan(version)]
    journal.record(PlanEvent(subtasks=shown, reason=reason, version=version), role=role, key=key)


def review_plan(state: State, ctx: Context) -> Update:
    """Pause until the person has said what becomes of the plan. Nothing but reading stands before the interrupt."""
    request = read_request(ctx.journal.request(state["asked"]))
    assert isinstance(request, PlanReviewRequest), "its key is that of a plan"  # noqa: S101 - an invariant
    said = ctx.journal.decided(state["asked"])
    if not said:
        answer = interrupt(request.dump())
        if late := overdue_request(ctx, ctx.safety, request):
            said = review_expired(ctx, request, late)
        elif not by_nobody(answer):  # else it was asked anew just before a kill, and that request is still good
            said = _decided(state, ctx, request, answer)
        if not said:
            return {"again": True}
    attempts = (state.get("assignment") or {}).get("attempts", 1)
    if said["worked"]:
        reason = f"{'edited' if said['decision'] == 'edit' else 'approved'} by {said['who']}"
        return _planned(ctx, said["worked"], reason, attempts) | {"more": request.more, "again": False}
    words = f": {said['message']}" if said["message"] else ""
    why = f"the user {'answered instead of approving' if said['decision'] == 'respond' else 'rejected'} the plan{words}"
    if said["who"] == NOBODY:
        why = f"the plan was not approved{words}"
    evidence = [*(state.get("assignment") or {}).get("evidence", ()), why]
    words = "" if said["who"] == NOBODY else said["message"]
    return _report(ctx, Signal.PLAN_REJECTED, why, evidence=evidence, user_words=words) | {"again": False}


def _decided(state: State, ctx: Context, request: PlanReviewRequest, answer: Any) -> JsonObject:
    """Write down what the person said, with the version that is worked for it; 0 for none."""
    decision = read_decision(request, answer)
    version = request.plan_version
    worked = version if isinstance(decision, Approve) else 0
    if isinstance(decision, Edit):
        try:
            if decision.edited_action is None:
                raise PlanError("edit needs edited_action")
            live = attributed(edited_plan(decision.edited_action.args, request), ctx.journal.supplements(), state["goal"])
            merged = merge(_plan_so_far(state, ctx), live, ctx.apps())
            worked = ctx.journal.save_plan(keep_pins((), merged))
        except (PlanError, ValidationError) as bad:
            said = f"the edited plan was not usable: {bad.errors()[0]['msg'] if isinstance(bad, ValidationError) else bad}"
            decision = Reject(message=said, who=decision.who)
    return record_decision(ctx, request, decision, plan_version=version, worked=worked)


def _unkept(ctx: Context, changes: str, request: PlanRequest) -> Update:
    """The Manager has no other plan than one that a person did not want."""
    seen = f" ({'; '.join(request.evidence)})" if request.evidence else ""
    return _report(ctx, Signal.INFEASIBLE, f"the plan is pinned and cannot be kept: {changes}{seen}")


def with_status(subtask: Subtask, statuses: Mapping[str, Sequence[Any]]) -> Subtask:
    """`subtask` as it stands now: statuses live in the controller's state, the plan's text in the journal."""
    if subtask.id not in statuses:
        return subtask
    status, attempt = statuses[subtask.id]
    return subtask.model_copy(update={"status": SubtaskStatus(status), "attempt": attempt})


def gather_supplement(state: State, ctx: Context) -> Update:
    """Look the query up in every source and record what was found, with its source."""
    assignment = state["assignment"]
    query, app = assignment["query"], assignment.get("app")
    only_user = bool(assignment.get("ask"))
    if recalled := _recalled(ctx, assignment):
        return _supplied(ctx, assignment, recalled, [])
    found, dumb = ([], []) if only_user else look_up(ctx, query, app)
    for fault in dumb:
        ctx.journal.record(ErrorEvent(message=fault), role="manager")
    if not found and ctx.ask_user:
        said_before = only_user and query in looked_up(ctx.journal)
        request = question_request(query, dumb, ask=only_user, found=said_before)
        if not ctx.journal.decided(request.key):
            ctx.journal.record(ApprovalRequestedEvent(**request.dump()), role="manager", key=f"ask/{request.key}")
            ctx.journal.commit()
            return {"asked": request.key}
        dumb.append("the user was asked before")
    elif only_user and not ctx.ask_user:
        dumb.append("only the user can say it, and the user is not to be asked (crew.manager.ask_user)")
    return _supplied(ctx, assignment, found, dumb)


def ask_user(state: State, ctx: Context) -> Update:
    """Pause until the person has answered. Nothing but reading stands before the interrupt."""
    request = read_request(ctx.journal.request(state["asked"]))
    assert isinstance(request, QuestionRequest), "its key is that of a question"  # noqa: S101 - an invariant
    said = ctx.journal.decided(state["asked"])
    if not said:
        said = record_decision(ctx, request, read_decision(request, interrupt(request.dump())))
    query, words = request.query, said["message"].strip()
    found = []
    if said["decision"] == "respond" and not knows_nothing(words):
        found = [Supplement(query=query, source=USER, title=query, text=words, app=state["assignment"].get("app"))]
    return _supplied(ctx, state["assignment"], found, [*request.reasons, *([] if found else ["the user does not know either"])])


def _key(assignment: Mapping[str, Any]) -> str:
    return f"supplement/{assignment.get('attempts', 0)}"


def _recalled(ctx: Context, assignment: Mapping[str, Any]) -> list[Supplement]:
    """What this very search brought before a kill: what is known by now would not be found again."""
    if not ctx.journal.recorded(_key(assignment)):
        return []
    brought = [event.body for event in ctx.journal.events(SupplementEvent) if event.body["query"] == assignment["query"]]
    return [Supplement.model_validate(found) for found in (brought[-1]["found"] if brought else ())]


def _supplied(ctx: Context, assignment: Mapping[str, Any], found: list[Supplement], dumb: Sequence[str]) -> Update:
    query = assignment["query"]
    key = _key(assignment)
    ctx.journal.supplied(query, found, subtask=assignment.get("failed") or "", key=key)
    if not found:
        return _report(ctx, Signal.NOTHING_FOUND, "; ".join([f"nothing was found for {query!r}", *dumb]))
    titles = ", ".join(f"{s.title} ({s.source})" for s in found)
    return _report(ctx, Signal.SUPPLIED, f"found for {query!r}: {titles}")


def _report(ctx: Context, signal: Signal, summary: str, **more: Any) -> Update:
    ctx.journal.commit()
    said = {"evidence": [summary] if summary else []} | more
    return {"report": Report(signal=signal, summary=summary, **said).model_dump(mode="json")}
