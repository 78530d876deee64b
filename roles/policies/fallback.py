"""A chain of policies: the next one is asked when the one before it fails or abstains."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar, cast

from pydantic import ValidationError

from protocol import AgentStatus, Frozen, JsonObject, OperatorDecision, TargetError, resolve
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
    Subtask,
    Worker,
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


Question = Callable[[NamedPolicy], Answered]
"""Puts one question to a policy."""


class Combined(ABC):
    """A policy of every role at once, made of others. A subclass says in `choose` whose answer counts.

    Notes of an Operator's policy are kept apart by the policy's name, so that several can take turns in one subtask.
    """

    def plan(self, request: PlanRequest) -> PlanAnswer:
        return self.choose(request, lambda named: cast(PlanAnswer, named.policy.plan(request)))

    def decide(self, view: OperatorView) -> OperatorDecision:
        def put(named: NamedPolicy) -> OperatorDecision:
            own = view.memory.get(named.name)
            decision: OperatorDecision = named.policy.decide(view.model_copy(update={"memory": own if own is not None else {}}))
            return decision.model_copy(update={"memory": {**view.memory, named.name: decision.memory}})

        return self.choose(view, put)

    def judge(self, request: GateRequest) -> GateVerdict:
        return self.choose(request, lambda named: cast(GateVerdict, named.policy.judge(request)))

    def answer(self, request: AnalystRequest) -> Answer:
        return self.choose(request, lambda named: cast(Answer, named.policy.answer(request)))

    def write(self, request: ScriptRequest) -> ScriptAnswer:
        return self.choose(request, lambda named: cast(ScriptAnswer, named.policy.write(request)))

    @abstractmethod
    def choose(self, request: Any, put: Question[Answered]) -> Answered:
        """One answer out of those of the members; how is what a subclass is for."""


class Gist(NamedTuple):
    """What an answer amounts to."""

    said: str
    same: Any
    """JSON that is equal for two answers that would do the same."""
    none: str = ""
    """Why it is as good as none."""

    @property
    def brief(self) -> str:
        """In a few words, for the journal."""
        return self.said.strip()[:120]


def gist_of(answer: Any, request: Any) -> Gist:
    """Of an answer of any role."""
    match answer:
        case OperatorDecision(status=status, action=action):
            at = action.target.describe() if action is not None and action.target is not None else ""
            told = answer.comment or answer.reasoning or "it reported ERROR"
            unread = answer.reasoning if status is AgentStatus.FAIL and answer.reasoning.startswith(UNREAD) else ""
            said = f"{status.value}{f' {action.verb} {at}' if action is not None else ''}"
            same = _of_decision(answer, request) if isinstance(request, OperatorView) else status.value
            return Gist(said, same, told if status is AgentStatus.ERROR else unread)
        case PlanAnswer(outcome=outcome, subtasks=subtasks):
            number = {subtask.id: number for number, subtask in enumerate(subtasks)}
            steps = [
                (s.worker, s.app, " ".join(s.instruction.casefold().split()), sorted(number.get(d, -1) for d in s.depends_on))
                for s in subtasks
            ]
            lost = outcome == "plan_failed" or (outcome == "infeasible" and answer.unread)
            none = answer.reason or "it found no plan"
            return Gist(f"{outcome}, {len(subtasks)} subtasks", [outcome, steps], none if lost else "")
        case GateVerdict(decision=decision):
            return Gist(decision.value, decision.value)
        case Answer(results=results):
            none = answer.reason or f"it lacks {', '.join(answer.missing) or 'an answer'}"
            same = sorted((r.name.casefold(), r.value) for r in results)
            return Gist(", ".join(f"{r.name} = {r.value}" for r in results), same, "" if results else none)
        case ScriptAnswer(outcome=outcome, script=script):
            code = [script.language, script.code.split()] if script is not None else []
            said = f"{outcome} {f'{script.language}: {script.code}' if script is not None else ''}"
            return Gist(said, [outcome, code], (answer.reason or "it knows no script") if outcome == "cannot" else "")
        case _:
            return Gist(str(answer), repr(answer))


def _of_decision(decision: OperatorDecision, view: OperatorView) -> list[Any]:
    ending = {AgentStatus.FINISH, AgentStatus.FAIL, AgentStatus.ERROR}
    if decision.action is None or decision.status in ending:
        return [decision.status.value]
    said = decision.action.dump()
    if decision.action.target is not None:
        try:
            said["target"] = resolve(decision.action.target, view.seen).element_id or said["target"]
        except TargetError:
            said["target"] = decision.action.target.describe()
    return [decision.status.value, said]


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


def none_decided(faults: Sequence[Exception], words: str) -> GaveUp:
    """When nobody of several could decide: one who could not be reached may be reached later."""
    return (Unreachable if any(isinstance(fault, Unreachable) for fault in faults) else GaveUp)(words)


class BudgetSpent(GaveUp):
    """The tokens or the money of the role or of the run are spent."""


def _put_to(named: NamedPolicy, put: Question[Answered], request: Any, faults: list[Exception]) -> tuple[Answered | None, Gist]:
    """One policy's answer, and what it amounts to; a fault is kept among the others. Raises BudgetSpent."""
    try:
        answer = put(named)
    except BudgetSpent:
        raise
    except (PolicyFault, ValidationError) as fault:
        faults.append(fault)
        return None, Gist("", None, str(fault) or type(fault).__name__)
    return answer, gist_of(answer, request)


class Vote(Combined):
    """The majority of the voters, by what their answers amount to; the first of those that tie.

    Nobody is asked any more once the rest cannot change it. A voter that fails or abstains has no vote.
    """

    def __init__(self, voters: Sequence[NamedPolicy], record: Recorder = unrecorded) -> None:
        if len(voters) < 2:
            raise ValueError("a vote needs at least two voters")
        self._voters = tuple(voters)
        self._record = record

    def choose(self, request: Any, put: Question[Answered]) -> Answered:
        answers: dict[str, tuple[Answered, str]] = {}
        votes: Counter[str] = Counter()
        ballots: list[str] = []
        faults: list[Exception] = []
        for number, named in enumerate(self._voters, start=1):
            answer, gist = _put_to(named, put, request, faults)
            if gist.none or answer is None:
                ballots.append(f"{named.name}: no vote, {gist.none}"[:300])
                continue
            key = json.dumps(gist.same, sort_keys=True)
            answers.setdefault(key, (answer, gist.brief))
            votes[key] += 1
            ballots.append(f"{named.name}: {gist.brief}")
            ranked = votes.most_common(2)
            second = ranked[1][1] if len(ranked) > 1 else 0
            if ranked[0][1] > second + (len(self._voters) - number):
                break
        if not votes:
            raise none_decided(faults, "; ".join(ballots))
        # most_common keeps the order in which the answers came, so the first of those that tie wins.
        winner, count = votes.most_common(1)[0]
        answer, brief = answers[winner]
        told = {"decided_by": "vote", "answer": brief, "for": count, "disagree": len(votes) > 1, "ballots": ballots}
        self._record(told)
        return answer


class Condition(Frozen):
    """Subtasks, or gates, that match all that is said."""

    app: str | None = None
    worker: Worker | None = None
    subtask: str | None = None
    trigger: GateTrigger | None = None
    """Of the Evaluator: why it is asked, such as FINAL_CHECK."""

    def fits(self, subtask: Subtask | None, trigger: GateTrigger | None = None) -> bool:
        if self.trigger is not None and self.trigger is not trigger:
            return False
        if subtask is None:
            return self.trigger is not None and not (self.app or self.worker or self.subtask)
        said = ((self.app, subtask.app), (self.worker, subtask.worker), (self.subtask, subtask.id))
        return all(wanted is None or wanted == had for wanted, had in said)


class Case(NamedTuple):
    """A policy for some subtasks."""

    use: NamedPolicy
    when: Condition


class BySubtask(Combined):
    """The first case that fits decides, and the role's own policy where none does. It is recorded who did."""

    def __init__(self, cases: Sequence[Case], otherwise: NamedPolicy, record: Recorder = unrecorded) -> None:
        self._cases = tuple(cases)
        self._otherwise = otherwise
        self._record = record

    def choose(self, request: Any, put: Question[Answered]) -> Answered:
        if isinstance(request, PlanRequest):  # a plan is about the subtask that failed, if one did
            subtask = next((s for s in request.plan if s.id == request.failed), None)
        else:
            subtask = request.subtask
        trigger = request.trigger if isinstance(request, GateRequest) else None
        chosen = next((case.use for case in self._cases if case.when.fits(subtask, trigger)), self._otherwise)
        answer = put(chosen)
        if not isinstance(chosen.policy, Combined):  # those record it themselves
            self._record({"decided_by": chosen.name, "answer": gist_of(answer, request).brief})
        return answer


class Fallback(Combined):
    """The first usable answer of the chain. It is recorded who gave it, and what kept the others from it."""

    def __init__(self, chain: Sequence[NamedPolicy], record: Recorder = unrecorded) -> None:
        if not chain:
            raise ValueError("a chain of policies needs at least one")
        self._chain = tuple(chain)
        self._record = record

    def choose(self, request: Any, put: Question[Answered]) -> Answered:
        passed: list[str] = []
        faults: list[Exception] = []
        weak: Answered | None = None
        for named in self._chain:
            answer, gist = _put_to(named, put, request, faults)
            if gist.none:
                passed.append(f"{named.name}: {gist.none}"[:300])
                weak = weak if answer is None else answer
                continue
            self._record({"decided_by": named.name, "passed": passed, "answer": gist.brief})
            return cast(Answered, answer)
        self._record({"decided_by": "", "passed": passed, "answer": ""})
        if weak is not None:
            return weak
        raise none_decided(faults, "; ".join(passed))
