"""The Analyst as a graph: a question over what the crew remembers becomes facts that name what they rest on. Source: seed 002.

It reads the blackboard, the supplements and the run's steps. It has no environment and no action: it writes facts, its own.
"""

from typing import Any

from langgraph.graph import StateGraph
from typing_extensions import TypedDict

from protocol import JsonObject
from roles.contracts import AnalystRequest, Answer, Fact, Report, Subtask
from roles.contracts.context import Context, State, Update
from roles.contracts.nodes import Delegation, Given, Graph, compiled
from roles.contracts.signals import Signal
from roles.journal.events import AnswerEvent, ErrorEvent
from roles.journal.journal import Journal
from roles.knowledge.blackboard import board_for_worker
from roles.policies.fallback import UnusableAnswer, until_usable
from roles.safety.privacy.vault import UnknownSecret

_STEPS = 200
"""Steps of the run that can be asked about."""
NOBODY = "the analyst cannot execute this: the crew has no policy for it (crew.analyst.policy)"
_WHY = 160
"""Characters of how it was worked out."""
_LONGEST = 60_000
"""Characters of one result."""


class AnalystState(TypedDict, total=False):
    goal: str
    delegation: Delegation
    report: JsonObject | None


def build_analyst(context: Given = None, *, checkpointer: Any = None) -> Graph:
    """One node: `work`."""
    graph: StateGraph[Any, Any, Any, Any] = StateGraph(AnalystState)
    return compiled(graph, {"work": work}, {}, context, name="analyst", checkpointer=checkpointer)


def work(state: State, ctx: Context) -> Update:
    """Ask the policy, hold the answer to the facts that it cites, and put it on the blackboard."""
    delegation = state["delegation"]
    subtask = Subtask.model_validate(delegation["subtask"])
    if ctx.analyst is None:
        ctx.journal.record(ErrorEvent(message=NOBODY), role="analyst", subtask=subtask.id)
        return {"report": Report(signal=Signal.CANNOT_EXECUTE, summary=NOBODY, evidence=[NOBODY]).model_dump(mode="json")}
    request = AnalystRequest(
        goal=delegation.get("goal", ""),
        subtask=subtask,
        facts=tuple(_known(fact, ctx) for fact in ctx.journal.facts()),
        board=board_for_worker(ctx.journal.facts(), delegation, subtask, ctx.journal, ctx.blackboard),
        supplements=ctx.journal.supplements(),
        steps=ctx.journal.all_steps(_STEPS),
        notes=ctx.say.notes("analyst"),
    )
    policy = ctx.analyst

    def answered(problem: str) -> Answer:
        return _held_to(policy.answer(request.model_copy(update={"reask": problem})), request)

    said = until_usable(ctx, answered, "answer", role="analyst", subtask=subtask.id)
    if isinstance(said, str):
        said = f"no usable answer: {said}"
    if isinstance(said, str) and not any(event.role == "analyst" for event in ctx.journal.events(AnswerEvent)):
        return {"report": Report(signal=Signal.NO_ANSWER, summary=said, evidence=[said]).model_dump(mode="json")}
    answer = withheld(ctx.journal, Answer(reason=said) if isinstance(said, str) else said, request)
    private = {fact.name for fact in request.facts if fact.private}
    for result in answer.results:
        hidden = bool(private & set(result.used))
        place: Update = {"subtask": subtask.id, "step": int(delegation.get("step", 0)), "role": "analyst"}
        place |= {"source": "facts", "used": result.used} if result.used else {"source": "model"}
        why = "" if hidden else result.working[:_WHY]
        fact = Fact(name=result.name, value=result.value, kind=result.kind, private=hidden, reason=why, **place)
        ctx.journal.remember(fact)
    worked_out = AnswerEvent(**answer.model_dump(mode="json", exclude_defaults=True))
    ctx.journal.record(worked_out, role="analyst", subtask=subtask.id, key=f"answer/{subtask.id}/{subtask.attempt}")
    ctx.journal.commit()
    return {"report": _report(answer, subtask.attempt).model_dump(mode="json")}


def _known(fact: Fact, ctx: Context) -> Fact:
    """A private fact with its value, to be computed with; as it stands where the value is not known any more."""
    try:
        return fact.model_copy(update={"value": ctx.journal.revealed(fact.value)}) if fact.private else fact
    except UnknownSecret:
        return fact


def withheld(journal: Journal, answer: Answer, request: AnalystRequest) -> Answer:
    """The answer with references in place of what was worked out from private facts, before a word of it is written."""
    private = {fact.name for fact in request.facts if fact.private}
    if not any(private & set(result.used) for result in answer.results):
        return answer.model_copy(update={"reason": journal.masked(answer.reason)})
    results = tuple(
        r.model_copy(update={"value": journal.secret(r.value, r.name), "working": ""}) if private & set(r.used) else r
        for r in answer.results
    )
    reason = "; ".join(f"{r.name} is {r.value[:80]}" for r in results)
    return answer.model_copy(update={"results": results, "reason": reason, "advice": journal.masked(answer.advice)})


def _report(answer: Answer, attempt: int) -> Report:
    """What cannot be answered goes back to the Manager; asked for a second time and still without an answer, it is a stall."""
    if answer.missing or not answer.results:
        said = "; ".join(f"{what} is not known" for what in answer.missing) or answer.reason
        signal = Signal.STALE_PROGRESS if attempt > 1 else Signal.CANNOT_EXECUTE
        return Report(signal=signal, summary=said, evidence=[said, *_cited(answer)][:8])
    said = answer.reason or "; ".join(f"{r.name} is {r.value[:80]}" for r in answer.results)
    return Report(
        signal=Signal.WORKER_SUCCESS, summary=said, evidence=_cited(answer)[:8], facts=[result.name for result in answer.results]
    )


def _cited(answer: Answer) -> list[str]:
    return list(dict.fromkeys(f"fact:{name}" for result in answer.results for name in result.used))


def _held_to(answer: Answer, request: AnalystRequest) -> Answer:
    """An answer rests on facts that exist, and overwrites nobody else's."""
    theirs = {fact.name for fact in request.facts if fact.role != "analyst"}
    known = {fact.name for fact in request.facts} | {result.name for result in answer.results} | MEMORY
    if not answer.results and not answer.missing and not answer.reason:
        raise UnusableAnswer("the answer holds neither a result nor what is missing")
    for result in answer.results:
        if result.name in theirs:
            raise UnusableAnswer(f"the fact {result.name!r} was read by another role and may not be overwritten")
        if unknown := set(result.used) - known:
            raise UnusableAnswer(f"the result {result.name!r} cites {sorted(unknown)[0]!r}, which is not a fact")
        if len(result.value) > _LONGEST:
            raise UnusableAnswer(f"the result {result.name!r} is longer than {_LONGEST} characters")
    return answer


MEMORY = frozenset({"steps", "supplements"})
"""Tables that every run has, beside the facts: what was done, and what was looked up."""
