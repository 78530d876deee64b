"""The Evaluator as a graph: one gate, one verdict. It sees observations, never the harness's conditions. Source: seed 002."""

import re
import time
from collections.abc import Collection, Sequence
from typing import Any

from langgraph.graph import StateGraph
from typing_extensions import TypedDict

from environments.cards import vocabulary
from environments.contract import EnvironmentFault, Peek, type_of
from protocol import VisualState
from roles.contracts import GateRequest, GateVerdict, Report, StepRecord
from roles.contracts.context import Context, State, Update
from roles.contracts.nodes import Given, Graph, compiled
from roles.contracts.orders import CreateStep, FillStep, GoalLedger, LedgerEntry, PressStep, Reading, names_in
from roles.contracts.policies import MOST_STEPS, UNCHECKED
from roles.contracts.signals import ALLOWED_DECISIONS, GateTrigger, Signal, SubtaskStatus
from roles.evaluator.evidence import gather
from roles.evaluator.ledger import asked_again, ledger
from roles.journal.events import ApprovalEvent, Event, FactEvent, GateEvent, ModelCallEvent, PlanEvent, SteeredEvent, StepEvent
from roles.knowledge.blackboard import board_of
from roles.manager.graph import given_up, looked_up, wanted, with_status
from roles.policies.fallback import UnusableAnswer, until_usable
from roles.policies.orders.stages import expected
from roles.safety import Constraints
from roles.safety.effects import SENSITIVE, effect_of_words
from roles.screen.calls import INNER, changes_something, is_call
from roles.screen.language.reader import read

_SLOT = re.compile(r"\{([^{}]+)\}|\bfact:(\w+)")
"""Where the value of a fact goes, as plans and as models write it."""
_EARLIER = 12
"""Older screens given as evidence."""
_IDLE = INNER | {"run_script", "wait", "scroll", "hover"}
_LATE = 2.5
"""Seconds after which a page has taken back by itself what it showed too early."""
_STILL = "it was the same at the previous check, and nothing was done about it"


class EvaluatorState(TypedDict, total=False):
    goal: str
    assignment: dict[str, Any]
    plan_version: int
    constraints: dict[str, Any]
    report: dict[str, Any] | None


def build_evaluator(context: Given = None, *, checkpointer: Any = None) -> Graph:
    """One node: `evaluate`."""
    graph: StateGraph[Any, Any, Any, Any] = StateGraph(EvaluatorState)
    return compiled(graph, {"evaluate": evaluate}, {}, context, name="evaluator", checkpointer=checkpointer)


def evaluate(state: State, ctx: Context) -> Update:
    """Gather the evidence, ask the policy, hold it to the decisions that the trigger allows."""
    if ctx.evaluator is None:
        raise ValueError("the context of an Evaluator needs an evaluator policy")
    request = _request(state, ctx)
    found = gather(request, ctx.journal.screens.get)
    if ctx.gallery is not None:
        changed = ctx.gallery.difference(found.before.partition(":")[2], found.after.partition(":")[2])
        found = found.model_copy(update={"picture": changed})
    if request.trigger is GateTrigger.FINAL_CHECK:
        held = _held(request, ctx)
        found = found.model_copy(update={"ledger": held})
        ctx.journal.hold(held, role="evaluator", key=f"ledger/{request.number}")
    elif request.trigger is GateTrigger.WORKER_SUCCESS:
        found = found.model_copy(update={"undone": _undone(request, ctx)})
    request = request.model_copy(update={"found": found})
    answer = _ask(request, ctx)
    if isinstance(answer, str):  # never an open gate; another plan would bring it to the same gate
        verdict = GateVerdict(decision=Signal.GATE_FAIL, reason=f"no usable verdict: {answer}", issues=(answer,))
    else:
        verdict = _required(answer, request, state, ctx)
    told = found.model_dump(mode="json", exclude={"ledger"}, exclude_defaults=True)  # which has an event of its own
    gate = GateEvent(**verdict.model_dump(mode="json"), trigger=request.trigger.value, found=told)
    ctx.journal.record(gate, role="evaluator", subtask=request.subtask.id if request.subtask else "", key=_key(request.number))
    if request.trigger is GateTrigger.WORKER_SUCCESS and verdict.decision is Signal.GATE_DONE:
        _tick(request, ctx)
    ctx.journal.commit()
    signal: Signal = Signal.NO_ANSWER if isinstance(answer, str) else verdict.decision
    if not isinstance(answer, str) and request.trigger is GateTrigger.FINAL_CHECK:
        failed = Signal.INFEASIBLE if verdict.refused or verdict.reason.endswith(_STILL) else Signal.ISSUES_FOUND
        signal = Signal.PASSED if verdict.decision is Signal.GATE_DONE else failed
    evidence = [*verdict.issues] or [verdict.reason]
    report = Report(signal=signal, summary=verdict.reason, evidence=evidence[:8], query=verdict.query)
    return {"report": report.model_dump(mode="json")}


# --- what the goal asks for -------------------------------------------------------------------------------------------


def _held(request: GateRequest, ctx: Context) -> GoalLedger:
    """The goal's ledger, as it was said or as it is worked; with words that came with it to be planned by, their orders and what
    else the goal itself says."""
    goal, known = wanted(request.goal, request.notes), ctx.journal.ledger()
    worked = known.worked if known is not None and known.goal == goal else ""
    words = vocabulary(request.cards, names_in([step for subtask in request.plan for step in subtask.steps]))
    held = ledger(read(worked or goal, request.today, words), request, ctx.journal.screens.get)
    if ctx.given and not worked:
        bare = request.model_copy(update={"given": ()})
        own = ledger(read(ctx.given, request.today, words), bare, ctx.journal.screens.get)
        rest = (entry.model_copy(update={"order": -1}) for entry in held.entries if entry.kind != "besides")
        held = held.model_copy(update={"entries": (*own.entries, *rest)})
    return held.model_copy(update={"goal": goal, "worked": worked})


def _part_of(words: str, request: GateRequest, ctx: Context) -> tuple[Reading, list[LedgerEntry]]:
    """The orders in some words, held against the whole run so far."""
    reading = read(words, request.today, vocabulary(request.cards))
    whole = request.model_copy(update={"steps": ctx.journal.all_steps(MOST_STEPS)})
    entries = ledger(reading, whole, ctx.journal.screens.get, part=True).entries
    return reading, [entry for entry in entries if entry.kind == "order"]


def _tick(request: GateRequest, ctx: Context) -> None:
    """Write down which orders of the goal a subtask of words has done, for who works and plans what is left."""
    known, subtask = ctx.journal.ledger(), request.subtask
    left = [s for s in request.plan if s.status.is_open and s != subtask]
    if known is None or subtask is None or subtask.steps or not left or not any(e.state == "open" for e in known.entries):
        return
    reading, orders = _part_of(known.worked or known.goal, request, ctx)
    rest = " ".join(s.instruction for s in left)
    shown = [e for e in orders if e.state == "shown" and not asked_again(reading.orders[e.order], rest)]
    done = {(e.order, e.text): e for e in shown}
    entries = tuple(done.get((e.order, e.text), e) if e.state == "open" else e for e in known.entries)
    if entries != known.entries:
        ctx.journal.hold(known.model_copy(update={"entries": entries}), role="evaluator", key=f"ledger/{request.number}/done")


def _undone(request: GateRequest, ctx: Context) -> tuple[str, ...]:
    """What is understood of a subtask of words alone, or the orders that one of steps is the last to work on, and what no step
    of the run was seen to do."""
    task = request.subtask
    if task is None or task.worker != "operator":
        return ()
    if task.steps:
        others = {step.order for s in request.plan if s.id != task.id and s.status.is_open for step in s.steps}
        others |= {step.order for step in task.steps if isinstance(step, PressStep) and step.leads}
        # The rest of an order may be planned once what it takes was looked up.
        mine = {step.order for step in task.steps if isinstance(step, CreateStep | FillStep | PressStep)} - others - {-1}
        if not mine or task.pinned:
            return ()
        claimed = {task.id: (SubtaskStatus.FULFILLED.value, task.attempt)}  # as its worker says
        plan = tuple(with_status(s, claimed) for s in request.plan)
        judged = {"steps": ctx.journal.all_steps(MOST_STEPS), "subtask": None, "plan": plan}
        held = _held(request.model_copy(update=judged), ctx)
        left = [e for e in held.entries if e.order in mine and e.state == "missing" and e.sure]
        return tuple(f"not done: {e.text} ({e.why})" for e in left if _counts(e, held, request, ctx))
    known = {fact.name: fact.value for fact in request.facts}
    words = _SLOT.sub(lambda slot: known.get(slot[1] or slot[2], slot[0]), task.instruction)
    reading, orders = _part_of(words, request, ctx)
    partly = "; only part of these words was read" if reading.unread else ""
    missing = [entry for entry in orders if entry.state == "missing" and not _SLOT.search(entry.text)]
    return tuple(f"not done: {entry.text} ({entry.why}{partly})" for entry in missing)


# --- what is judged ---------------------------------------------------------------------------------------------------


def _request(state: State, ctx: Context) -> GateRequest:
    assignment = state["assignment"]
    trigger = GateTrigger(assignment["trigger"])
    stand = [with_status(s, assignment["statuses"]) for s in ctx.journal.plan(state["plan_version"])]
    shows = [tuple(dict.fromkeys((*expected(s.steps), *s.expect))) for s in stand]  # what its steps are to show, and what it says
    plan = tuple(s.model_copy(update={"expect": expect}) for s, expect in zip(stand, shows, strict=True))
    subtask = next((s for s in plan if s.id == assignment.get("subtask")), None)
    final = trigger is GateTrigger.FINAL_CHECK
    run = steps = _with_hands(ctx.journal.all_steps(MOST_STEPS), ctx)
    if subtask is not None and not final:
        steps = _with_hands(ctx.journal.steps(subtask.id, subtask.attempt, MOST_STEPS), ctx)
    begun = next((event for event in ctx.journal.events(PlanEvent) if event.role in {"user", "harness"}), None)
    given = [ctx.given, *(str(subtask["instruction"]) for subtask in (begun.body["subtasks"] if begun is not None else ()))]
    ended = subtask is not None and trigger is GateTrigger.WORKER_SUCCESS  # else a gate would cost more after many of them
    before = _gates_before(assignment.get("number", 0), ctx) if ended else ()
    gates = [(event.subtask, event.body["trigger"], event.body["decision"]) for event in before]
    said = [event.body for event in ctx.journal.events(ApprovalEvent) if event.body.get("decision") == "edit"]
    older = dict.fromkeys(i for s in reversed(steps) for i in (s.after, s.before) if i)
    return GateRequest(
        trigger=trigger,
        goal=ctx.journal.alike(state["goal"]),
        subtask=None if final else subtask,
        plan=plan,
        plan_by_user=any(body.get("worked") == state["plan_version"] for body in said),
        steps=steps,
        run=run,
        facts=ctx.journal.facts(),
        board=board_of(ctx.journal.facts(), lambda: plan, ctx.blackboard, state["goal"]),
        screens=_screens(ctx, everything=final),
        earlier=tuple(screen for i in [*older][:_EARLIER] if (screen := ctx.journal.screens.get(i)) is not None),
        held=assignment.get("held", ""),
        summary=assignment.get("summary", ""),
        supplements=ctx.journal.supplements(),
        apps=ctx.apps(),
        cards=ctx.cards(),
        today=ctx.today(),
        looked_up=looked_up(ctx.journal),
        given_up=given_up(ctx.journal),
        user_words=tuple(ctx.journal.alike(assignment.get("user_words", ()))),
        given=tuple(filter(None, given)),
        earlier_goals=tuple(ctx.journal.alike(assignment.get("earlier_goals", ()))),
        number=assignment.get("number", 0),
        nth=assignment.get("nth", 0),
        continued=subtask is not None and (subtask.id, GateTrigger.WORKER_SUCCESS, Signal.GATE_CONTINUE) in gates,
        notes=ctx.say.notes("evaluator"),
    )


def _key(number: int) -> str:
    return f"gate/{number}"


def _gates_before(number: int, ctx: Context) -> list[Event]:
    """The gates before this one, which stands in the journal already where the process was killed behind it."""
    gates = list(ctx.journal.events(GateEvent))
    return gates[:-1] if ctx.journal.recorded(_key(number)) else gates


def _with_hands(steps: tuple[StepRecord, ...], ctx: Context) -> tuple[StepRecord, ...]:
    """The steps; one whose action a person wrote in place of another is theirs."""
    said = [e for e in ctx.journal.events(ApprovalEvent) if e.body.get("decision") == "edit" and "worked" not in e.body]
    edited = {(e.subtask, e.step) for e in said}
    return tuple(s.model_copy(update={"role": "user"}) if (s.subtask, s.step) in edited else s for s in steps)


def _screens(ctx: Context, *, everything: bool) -> tuple[VisualState, ...]:
    """The focused screen now, last; at the final check every other application that was used, before it."""
    if everything:
        _let_settle(ctx)
    try:
        now = ctx.environment.observe()
    except EnvironmentFault:
        stored = [ctx.journal.screens.get(state_id) for state_id in ctx.journal.screens.latest().values()]
        return tuple(screen for screen in stored if screen is not None)
    ctx.journal.screens.keep(now)
    if ctx.gallery is not None:
        ctx.gallery.keep(now, "all", role="evaluator")
    if not everything:
        return (now,)
    others: list[VisualState] = []
    for app, state_id in list(ctx.journal.screens.latest().items()):
        if app == now.app:
            continue
        seen = ctx.environment.peek(app) if isinstance(ctx.environment, Peek) else ctx.journal.screens.get(state_id)
        if seen is not None:
            ctx.journal.screens.keep(seen)
            others.append(seen)
    ctx.journal.screens.keep(now)  # the focused one stays the latest
    return (*others, now)


def _let_settle(ctx: Context) -> None:
    """Wait until the last change is so old that a page would have taken it back: what has a clock of its own shows it at once."""
    done = [e for e in ctx.journal.events(StepEvent) if e.body["exec_status"] == "executed" and e.body["verb"] not in _IDLE]
    age = ctx.clock() - done[-1].at if done else _LATE
    if type_of(ctx.environment) == "browser" and 0 <= age < _LATE:
        time.sleep(_LATE - age)


# --- what the verdict is held to --------------------------------------------------------------------------------------


def _required(verdict: GateVerdict, request: GateRequest, state: State, ctx: Context) -> GateVerdict:
    """At the end the output has to be as it was required, and the goal's orders done as far as code can tell, whoever judges. A
    worker that has ended is told once to go on: where it ends again and has done nothing, another plan is needed."""
    if request.trigger is not GateTrigger.FINAL_CHECK:
        insists = verdict.decision is Signal.GATE_CONTINUE and request.trigger is GateTrigger.WORKER_SUCCESS
        insists = insists and request.continued and _found_before((), request, ctx)
        told = {"decision": Signal.GATE_FAIL, "reason": f"{verdict.reason}; {_STILL}", "issues": (verdict.reason,)}
        return verdict.model_copy(update=told) if insists else verdict
    if verdict.decision is not Signal.GATE_DONE:
        found_before = not verdict.refused and _found_before((), request, ctx)
        return verdict.model_copy(update={"reason": f"{verdict.reason}; {_STILL}"}) if found_before else verdict
    held = _left_to_model(request, ctx)
    left = Constraints.model_validate(state.get("constraints") or {}).unmet(request.facts)
    if held is not None and not verdict.reason.startswith(UNCHECKED):  # where a worker's word is taken, as was chosen
        left = [*left, *(entry.told() for entry in held.entries if entry.speaks_against and _counts(entry, held, request, ctx))]
    if left:
        reason = f"{left[0]}; {_STILL}" if _found_before(left, request, ctx) else left[0]
        return verdict.model_copy(update={"decision": Signal.GATE_FAIL, "reason": reason, "issues": (*verdict.issues, *left)})
    unproven = held.unproven if held is not None and not request.plan_by_user else ()
    return verdict.model_copy(update={"reason": "; ".join([verdict.reason, *unproven])}) if unproven else verdict


def _counts(entry: LedgerEntry, held: GoalLedger, request: GateRequest, ctx: Context) -> bool:
    """Whether it counts against the run. A plan that a person gave is what they want, whatever the goal says, but what it
    forbids; and who rejected a deed, or said something that is not understood, does not miss it."""
    live = [subtask for subtask in request.plan if subtask.status is not SubtaskStatus.REJECTED]
    if request.plan_by_user or (live and all(subtask.pinned for subtask in live)):
        return entry.state == "forbidden" and entry.kind == "exclusion"
    rejected = any(event.body.get("decision") == "reject" for event in ctx.journal.events(ApprovalEvent))
    spoken = bool(request.user_words or request.notes) and bool(held.unproven)
    return entry.state == "forbidden" or not (rejected or spoken)


def _found_before(left: Sequence[str], request: GateRequest, ctx: Context) -> bool:
    """Whether the last check of the same was failed for all that is `left`, and nothing was done or said since that could change
    it: whoever planned or worked was told, and would come to the same check."""
    mine = request.subtask.id if request.subtask is not None else ""
    before = _gates_before(request.number, ctx)
    checks = [event for event in before if (event.subtask, event.body["trigger"]) == (mine, request.trigger)]
    if not checks or not set(left) <= set(checks[-1].body["issues"]):
        return False
    if any(event.id > checks[-1].id for event in ctx.journal.events(FactEvent, SteeredEvent)):
        return False
    since = {event.body["step"] for event in ctx.journal.events(StepEvent) if event.id > checks[-1].id}
    return not any(changes_something(s) or s.verb in {"answer", "memorize", "wait"} for s in request.steps if s.step in since)


def _left_to_model(request: GateRequest, ctx: Context) -> GoalLedger | None:
    """The ledger without what is the judge's to say, where a model has judged: orders that are not sure; and, once the Evaluator
    was told of them and says again that all is done, those of which nothing was seen and which may have been done otherwise."""
    held = request.found.ledger if request.found is not None else None
    gates = _gates_before(request.number, ctx)
    calls = [e.id for e in ctx.journal.events(ModelCallEvent) if e.role == "evaluator" and not e.body.get("problem")]
    again = bool(gates) and gates[-1].body["trigger"] == GateTrigger.WORKER_SUCCESS  # whose verdict may have been taken over
    before = [0, *(event.id for event in gates)][-2 if again else -1]
    if held is None or not calls or calls[-1] < before:  # code says the same each time, and insists on nothing
        return held
    told = {issue for event in gates if event.body["trigger"] == GateTrigger.FINAL_CHECK for issue in event.body["issues"]}
    undone = tuple(said for event in gates for said in event.body["found"].get("undone", ()))
    entries = tuple(
        entry.model_copy(update={"state": "unchecked", "why": f"{entry.why}; the Evaluator insists that it is done"})
        if entry.kind == "order"
        and entry.state == "missing"
        and (not entry.sure or _other_way(entry, held, request, told, undone))
        else entry
        for entry in held.entries
    )
    if entries != held.entries:
        held = held.model_copy(update={"entries": entries})
        ctx.journal.hold(held, role="evaluator", key=f"ledger/{request.number}/insisted")
    return held


def _other_way(entry: LedgerEntry, held: GoalLedger, request: GateRequest, told: Collection[str], undone: Sequence[str]) -> bool:
    """Whether an order that code saw nothing of may have been done in words or by functions that rules do not connect with it. Of
    a goal that is read in part other words may ask for it; of one that is read whole something was changed that is no other
    order's (a message moved to Archive, for "archive it"), and it is nothing that code would know when it sees it: to delete,
    to send, to submit."""
    known = entry.told() in told
    if entry.evidence or any(other.state == "unread" for other in held.entries):
        return known and not entry.evidence
    known = known or any(said.startswith(f"not done: {entry.text} (") for said in undone)
    if effect_of_words(entry.text) in SENSITIVE or not known:
        return False
    alone = sum(other.kind == "order" for other in held.entries) == 1
    cited = {name for other in held.entries for name in other.evidence}
    changes = [s for s in request.steps if changes_something(s)]
    return any(alone or (is_call(step) and f"step:{step.step}" not in cited) for step in changes)


def _ask(request: GateRequest, ctx: Context) -> GateVerdict | str:
    """A verdict that can be used; else what was wrong with the last one."""
    policy = ctx.evaluator
    assert policy is not None, "evaluate checks that there is a policy"  # noqa: S101 - an invariant

    def judge(problem: str) -> GateVerdict:
        return _usable(policy.judge(request.model_copy(update={"reask": problem})), request)

    return until_usable(ctx, judge, "verdict", role="evaluator")


def _usable(verdict: GateVerdict, request: GateRequest) -> GateVerdict:
    """The verdict, if its trigger allows it and it rests on what the journal holds of this work. Raises UnusableAnswer."""
    if verdict.decision not in (allowed := ALLOWED_DECISIONS[request.trigger]):
        names = ", ".join(sorted(d.value for d in allowed))
        raise UnusableAnswer(f"{verdict.decision.value} is not allowed at {request.trigger}: choose one of {names}")
    states = {screen.state_id for screen in (*request.screens, *request.earlier)}
    states |= {state_id for step in request.steps for state_id in (step.before, step.after)}
    known = {f"state:{state_id}" for state_id in states} | {f"step:{step.step}" for step in (*request.steps, *request.run)}
    known |= {f"fact:{fact.name}" for fact in request.facts}
    if unknown := [name for name in verdict.evidence if name not in known]:
        raise UnusableAnswer(f"there is no evidence {unknown[0][:80]!r}: name a state, a step or a fact that was shown")
    return verdict
