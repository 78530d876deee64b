"""Policies made of others: a chain, whose next one is asked when the one before it fails or abstains, and what all share."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar, cast

from pydantic import ValidationError

from protocol import AgentStatus, JsonObject, OperatorDecision
from roles.contracts import (
    AnalystRequest,
    Answer,
    GateRequest,
    GateVerdict,
    OperatorView,
    PlanAnswer,
    PlanRequest,
    ScriptAnswer,
    ScriptRequest,
)
from roles.contracts.context import Context
from roles.contracts.policies import UNREAD
from roles.contracts.signals import GateTrigger
from roles.journal.events import error_event

Answered = TypeVar("Answered")
Recorder = Callable[[JsonObject], None]
"""Writes into the journal how a decision came about."""


def unrecorded(body: JsonObject) -> None:
    """For policies that are used without a journal."""


class NamedPolicy(NamedTuple):
    """A policy and the word for it in the settings."""

    name: str
    policy: Any


class Gist(NamedTuple):
    """What an answer amounts to."""

    said: str
    """In a few words, for the journal."""
    none: str = ""
    """Why it is as good as none."""


def gist_of(answer: Any) -> Gist:
    """Of an answer of any role."""
    match answer:
        case OperatorDecision(status=status, action=action):
            at = action.target.describe() if action is not None and action.target is not None else ""
            told = answer.comment or answer.reasoning or "it reported ERROR"
            unread = answer.reasoning if status is AgentStatus.FAIL and answer.reasoning.startswith(UNREAD) else ""
            said = f"{status.value}{f' {action.verb} {at}' if action is not None else ''}"
            none = told if status is AgentStatus.ERROR else unread
        case PlanAnswer(outcome=outcome, subtasks=subtasks):
            lost = outcome == "plan_failed" or (outcome == "infeasible" and answer.unread)
            said, none = f"{outcome}, {len(subtasks)} subtasks", (answer.reason or "it found no plan") if lost else ""
        case GateVerdict(decision=decision):
            said, none = decision.value, ""
        case Answer(results=results):
            lacks = answer.reason or f"it lacks {', '.join(answer.missing) or 'an answer'}"
            said, none = ", ".join(f"{r.name} = {r.value}" for r in results), "" if results else lacks
        case ScriptAnswer(outcome=outcome, script=script):
            said = f"{outcome} {f'{script.language}: {script.code}' if script is not None else ''}"
            none = (answer.reason or "it knows no script") if outcome == "cannot" else ""
        case _:
            said, none = str(answer), ""
    return Gist(said.strip()[:120], none)


class PolicyFault(Exception):
    """A policy could not decide: the model was unreachable, its answer unusable."""


class GaveUp(PolicyFault):
    """The policy has asked again as often as it may."""


class Unreachable(GaveUp):
    """No answer can be had at all, now: the model is down, silent, or lets nobody in."""


class UnusableAnswer(ValueError):
    """Why an answer cannot be taken, in one sentence."""


def until_usable(
    ctx: Context, ask: Callable[[str], Answered], what: str, *, role: str, subtask: str = "", step: int = 0
) -> Answered | str:
    """What a policy answers, asked again (boundedly) with what was wrong; else what was wrong with its last answer.

    Who makes the same mistake again is told so: the same question would bring the same answer.
    """
    problem = before = ""
    for _ in range(ctx.limits.reasks + 1):
        said, before = f"{problem}; that is the same mistake again" if problem and problem == before else problem, problem
        asked_enough = False
        try:
            return ask(said)
        except PolicyFault as fault:
            problem, asked_enough = f"the policy gave no usable {what}: {fault}", isinstance(fault, GaveUp)
        except ValidationError as bad:
            problem = f"the {what} is not usable: {bad.errors()[0]['msg']}"
        except UnusableAnswer as bad:
            problem = str(bad)
        ctx.journal.record(error_event(problem, asked_enough=asked_enough), role=role, subtask=subtask, step=step)
        if asked_enough:
            break
    return problem


class BudgetSpent(GaveUp):
    """The tokens or the money of the role or of the run are spent."""


class AtTheEnd:
    """The Evaluator's policy, and another for the FINAL_CHECK. It is recorded who decided."""

    def __init__(self, policy: NamedPolicy, final: NamedPolicy, record: Recorder = unrecorded) -> None:
        self._policy, self._final, self._record = policy, final, record

    def judge(self, request: GateRequest) -> GateVerdict:
        chosen = self._final if request.trigger is GateTrigger.FINAL_CHECK else self._policy
        verdict: GateVerdict = chosen.policy.judge(request)
        if not isinstance(chosen.policy, Fallback):  # which records it itself
            self._record({"decided_by": chosen.name, "answer": gist_of(verdict).said})
        return verdict


class Fallback:
    """A policy of every role at once: the first usable answer of a chain. It is recorded who gave it, and what kept the others
    from it.

    Notes of an Operator's policy are kept apart by the policy's name, so that several can take turns in one subtask.
    """

    def __init__(self, chain: Sequence[NamedPolicy], record: Recorder = unrecorded) -> None:
        if not chain:
            raise ValueError("a chain of policies needs at least one")
        self._chain = tuple(chain)
        self._record = record

    def plan(self, request: PlanRequest) -> PlanAnswer:
        return self._first(lambda named: cast(PlanAnswer, named.policy.plan(request)))

    def decide(self, view: OperatorView) -> OperatorDecision:
        def put(named: NamedPolicy) -> OperatorDecision:
            own = view.memory.get(named.name)
            decision: OperatorDecision = named.policy.decide(view.model_copy(update={"memory": own if own is not None else {}}))
            return decision.model_copy(update={"memory": {**view.memory, named.name: decision.memory}})

        return self._first(put)

    def judge(self, request: GateRequest) -> GateVerdict:
        return self._first(lambda named: cast(GateVerdict, named.policy.judge(request)))

    def answer(self, request: AnalystRequest) -> Answer:
        return self._first(lambda named: cast(Answer, named.policy.answer(request)))

    def write(self, request: ScriptRequest) -> ScriptAnswer:
        return self._first(lambda named: cast(ScriptAnswer, named.policy.write(request)))

    def _first(self, put: Callable[[NamedPolicy], Answered]) -> Answered:
        passed: list[str] = []
        gone = False
        weak: Answered | None = None
        for named in self._chain:
            try:
                answer = put(named)
            except BudgetSpent:
                raise
            except (PolicyFault, ValidationError) as fault:
                gone = gone or isinstance(fault, Unreachable)
                passed.append(f"{named.name}: {str(fault) or type(fault).__name__}"[:300])
                continue
            gist = gist_of(answer)
            if not gist.none:
                self._record({"decided_by": named.name, "passed": passed, "answer": gist.said})
                return answer
            passed.append(f"{named.name}: {gist.none}"[:300])
            weak = answer
        self._record({"decided_by": "", "passed": passed, "answer": ""})
        if weak is not None:
            return weak
        # One who could not be reached may be reached later.
        raise (Unreachable if gone else GaveUp)("; ".join(passed))
