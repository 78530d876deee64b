"""What policies decide in a run: written into its journal, whole, so that it can be worked again without asking anybody; given
again for as long as it is known; from there the run takes its own course, and how it ends is told.

A simulated world begins the same way again, and goes on the same way in a copy, so the same decisions lead to the same request.
"""

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any, Literal, Protocol

from pydantic import BaseModel, ValidationError
from pydantic_core import to_jsonable_python

from environments.files.scratch import Scratch
from orchestrator.settings.plugins import METHODS
from orchestrator.settings.policies import ROLES
from protocol import Frozen, JsonObject, OperatorDecision
from roles.analyst.graph import withheld
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
from roles.contracts.nodes import RunBlocked
from roles.journal import events as journal
from roles.journal.events import AnsweredEvent
from roles.journal.journal import Event
from roles.operator.decide import referring
from roles.policies.fallback import GaveUp, PolicyFault, Unreachable


class NothingRecorded(Exception):
    """A role is asked for something that it was not asked for then."""


def delta(old: Any, new: Any) -> JsonObject | None:
    """How `new` comes from `old`; None where it is the same, order of keys included."""
    if isinstance(old, dict) and isinstance(new, dict):
        gone = [key for key in old if key not in new]
        kept = [key for key in old if key in new]
        if list(new)[: len(kept)] != kept:
            return {"now": new}
        within = {key: change for key in kept if (change := delta(old[key], new[key])) is not None}
        within |= {key: {"now": new[key]} for key in new if key not in old}
        found: JsonObject = {**({"in": within} if within else {}), **({"gone": gone} if gone else {})}
        return found or None
    if type(old) is type(new) and old == new and not isinstance(new, list):
        return None
    if isinstance(old, list) and isinstance(new, list) and all(delta(*both) is None for both in zip(old, new, strict=False)):
        more = new[len(old) :]
        return ({"more": more} if more else None) if len(old) <= len(new) else {"now": new}
    return {"now": new}


def applied(old: Any, change: JsonObject | None) -> Any:
    """What `old` became."""
    if change is None:
        return old
    if "now" in change:
        return change["now"]
    if "more" in change:
        return [*old, *change["more"]]
    left = {key: value for key, value in old.items() if key not in change.get("gone", ())}
    return left | {key: applied(left.get(key), part) for key, part in change.get("in", {}).items()}


Ask = Callable[[Any], Any]
Interposed = Callable[[str, Any, Ask], Any]
"""Role, request, and how its policy is asked; gives the answer."""


class _Between:
    """A policy that is asked through another function; everything else of it is its own."""

    def __init__(self, role: str, policy: Any, interposed: Interposed) -> None:
        self._role, self._policy, self._interposed = role, policy, interposed

    def __getattr__(self, name: str) -> Any:
        if name != METHODS[self._role]:
            return getattr(self._policy, name)
        return lambda request: self._interposed(self._role, request, lambda again: getattr(self._policy, name)(again))


def between(interposed: Interposed) -> Callable[[str, Any], Any]:
    """What a run takes as its part `around`."""
    return lambda role, policy: _Between(role, policy, interposed)


ANSWERS: dict[type, type[BaseModel]] = {
    PlanRequest: PlanAnswer,
    OperatorView: OperatorDecision,
    GateRequest: GateVerdict,
    AnalystRequest: Answer,
    ScriptRequest: ScriptAnswer,
}
"""What each request is answered by."""


def _notes(request: Any) -> Any:
    """An Operator's notes as they are now: a policy may write into them."""
    return to_jsonable_python(request.memory) if isinstance(request, OperatorView) else None


def _dumped(answer: BaseModel, before: Any) -> tuple[JsonObject, JsonObject | None]:
    """An answer as data, and how an Operator's policy changed its notes."""
    said = answer.model_dump(mode="json", exclude_defaults=True)
    return said, None if before is None else delta(before, said.pop("memory", {}))


def noting(context: Context) -> Context:
    """The context with policies whose answers are written down as they come; what they decide is not changed."""
    policies = _policies(context)

    def asked(role: str, request: Any, ask: Ask) -> Any:
        kind, subtask = ANSWERS[type(request)], "" if isinstance(request, PlanRequest | GateRequest) else request.subtask.id
        before = _notes(request)
        try:
            answer = ask(request)
            if not isinstance(answer, kind):  # a class of another package may give anything
                raise PolicyFault(f"{type(policies[role]).__name__} gave {type(answer).__name__}, not {kind.__name__}")
        except Unreachable as silent:  # no answer is nothing to note: when the run is resumed, it is asked again
            raise RunBlocked(f"The {role} cannot decide: {silent}; see that the model can be reached") from None
        except (PolicyFault, ValidationError) as fault:
            words = fault.errors()[0]["msg"] if isinstance(fault, ValidationError) else str(fault)
            write(AnsweredEvent(fault=words, gave_up=isinstance(fault, GaveUp)), role, subtask)
            raise
        if isinstance(answer, Answer):
            answer = withheld(context.journal, answer, request)
        elif isinstance(answer, OperatorDecision):
            answer = referring(context.journal, answer, request.seen)
        said, notes = _dumped(answer, before)
        more: JsonObject = {"attempt": request.subtask.attempt} if isinstance(request, OperatorView) else {}
        write(AnsweredEvent(answer=said, **more | ({"memory": notes} if notes else {})), role, subtask)
        return answer

    def write(event: AnsweredEvent, role: str, subtask: str) -> None:
        context.journal.transcripts.seal_again()
        context.journal.record(event, role=role, subtask=subtask)

    return interposed(context, asked)


def interposed(context: Context, asked: Interposed) -> Context:
    """The context with policies that are asked through this."""
    return context.with_(**{role: between(asked)(role, policy) for role, policy in _policies(context).items()})


def _policies(context: Context) -> dict[str, Any]:
    return {role: policy for role in ROLES if (policy := getattr(context, role)) is not None}


class Message(Frozen):
    """As chat models and trainers take it."""

    role: Literal["system", "user", "assistant"]
    content: str


class Choice(Frozen):
    """One decision of a role."""

    role: str
    about: str = ""
    """What tells the question apart from the role's others in the run, whenever it is asked: `subtask/attempt/step`."""
    seen: str = ""
    """The id of the screen on which an Operator decided."""
    prompt: tuple[Message, ...] = ()
    """What a model in that role is told, where that was asked for; empty where none would be asked."""
    decision: JsonObject = {}  # noqa: RUF012 - frozen
    notes: Any = None
    """How an Operator's policy changed its own notes, as the journal has it."""
    fault: str = ""
    """Why the policy decided nothing."""
    gave_up: bool = False
    """Whether it is not to be asked once more."""

    def given(self, request: Any) -> Any:
        """The answer, or the fault, once more."""
        if self.fault:
            raise GaveUp(self.fault) if self.gave_up else PolicyFault(self.fault)
        notes = {"memory": applied(_notes(request), self.notes)} if isinstance(request, OperatorView) else {}
        return ANSWERS[type(request)].model_validate(deepcopy(self.decision | notes))  # a policy may write into its notes


def _about(request: Any) -> str:
    subtask = getattr(request, "subtask", None)
    parts = (subtask.id, subtask.attempt) if subtask is not None else ()
    told = (getattr(request, name, None) for name in ("step", "number", "attempts", "reask"))
    ran = (len(request.ran), len(request.refused)) if hasattr(request, "ran") else ()
    return "/".join(str(part) for part in (*parts, *told, *ran) if part is not None and part != "")


Told = Callable[[str, Any], tuple[str, str]]
"""What a model is told in a role at a request: the system part and the turn; both are empty where none would be asked."""
Parts = Mapping[str, Any]


class RunEnd(Protocol):
    """How a run stands when it stops."""

    status: str
    reason: str
    report: JsonObject


Work = Callable[[Path, Parts], RunEnd]
"""Works a run in a folder, with these parts."""


class Enough(Exception):
    """Raised out of a run that is followed no further."""


class Ending(Frozen):
    """How a run came out."""

    status: str
    right: bool
    """The judge passes it; for a goal without a judge: it ended fulfilled."""
    steps: int
    reason: str = ""

    @property
    def false_done(self) -> bool:
        return self.status == "fulfilled" and not self.right

    @property
    def worth(self) -> int:
        """1 for right, -1 for falsely done, 0 for what was given up, which a person can still see to."""
        return 1 if self.right else -1 if self.false_done else 0


def ending(outcome: RunEnd) -> Ending:
    report, status = outcome.report, outcome.status
    verdict = report.get("judge")
    right = bool(verdict["passed"]) if verdict is not None else status == "fulfilled"
    steps = report.get("counts", {}).get("steps", 0)
    return Ending(status=status, right=right, steps=steps, reason=outcome.reason[:400])


def asks(role: str, request: Any, ask: Ask) -> Any:
    """Leaves the decision to the policy."""
    return ask(request)


def no_more(role: str, request: Any, ask: Ask) -> Any:
    raise NothingRecorded(f"the {role} is asked for a decision more")


class Course:
    """Comes between the roles of a run and their policies: gives the decisions that are known, then what `then` decides.

    Raises NothingRecorded where a known decision is asked of another role, or on another screen. One that `joins` begins
    anywhere among them, and leaves them there: it gives each role its own in their order, to the questions that they are about.
    """

    def __init__(
        self, known: Iterable[Choice], then: Interposed, told: Told = lambda role, request: ("", ""), *, joins: bool = False
    ) -> None:
        self.known = deque(known)
        """Those that are not given yet."""
        self._then, self._told, self._joins = then, told, joins
        self.choices: list[Choice] = []
        self.requests: list[Any] = []
        self.parts: Parts = {"around": between(self)}
        """By which a run takes this course."""

    def follow(self, work: Work) -> Ending:
        """How a run ends that takes this course, in a folder that goes afterwards."""
        with Scratch("deskcrew-course-") as scratch:
            return ending(work(scratch.path, self.parts))

    def otherwise(self, at: int, decides: Interposed, work: Work) -> "tuple[Ending, Course]":
        """How it ends, and by which course, where what `decides` answers question `at`, and the policies what comes then."""

        def then(role: str, request: Any, ask: Ask) -> Any:
            return (decides if len(other.requests) == at + 1 else asks)(role, request, ask)

        other = Course(self.choices[:at], then)
        return other.follow(work), other

    def __call__(self, role: str, request: Any, ask: Ask) -> Any:
        seen = request.seen.state_id if isinstance(request, OperatorView) else ""
        system, turn = self._told(role, request)
        prompt = (Message(role="system", content=system), Message(role="user", content=turn)) if system else ()
        choice = Choice(role=role, about=_about(request), seen=seen, prompt=prompt)
        known = self._joined(choice) if self._joins else self._next(choice)
        self.requests.append(request)
        before = _notes(request)
        try:
            answer = self._then(role, request, ask) if known is None else known.given(request)
        except PolicyFault as fault:
            self.choices.append(choice.model_copy(update={"fault": str(fault), "gave_up": isinstance(fault, GaveUp)}))
            raise
        decision, notes = _dumped(answer, before)
        self.choices.append(choice.model_copy(update={"decision": decision, "notes": notes}))
        return answer

    def _next(self, asked: Choice) -> Choice | None:
        known = self.known.popleft() if self.known else None
        if known is not None and (known.role != asked.role or known.seen not in ("", asked.seen)):
            raise NothingRecorded(f"the {asked.role} is asked, and not the {known.role}, or it sees another screen")
        return known

    def _joined(self, asked: Choice) -> Choice | None:
        while (known := next((one for one in self.known if one.role == asked.role), None)) is not None:
            self.known.remove(known)
            if known.about in ("", asked.about) and known.seen in ("", asked.seen):
                return known
            if known.about in ("", asked.about) or all(one.role != asked.role for one in self.known):
                self.known.clear()  # the world answers otherwise, or the way is another: what other roles decided is not of it
        return None


def choices_of(events: Sequence[Event]) -> list[Choice]:
    """What every role answered, in order."""
    steps: dict[int, int] = {}
    step = 0
    for event in reversed(events):  # events that follow an answer name the step that was worked on
        step = event.step if event.kind in {journal.DecidedEvent.KIND, journal.ReviewedEvent.KIND} and event.step else step
        steps[event.id] = step
    answers = [event for role in ROLES for event in _answers_of(events, role)]
    return [_choice(event, steps[event.id]) for event in sorted(answers, key=lambda event: event.id)]


def _choice(event: Event, step: int) -> Choice:
    at = f"{event.subtask}/{event.body.get('attempt')}/{step}" if event.role == "operator" else ""
    return Choice(
        role=event.role, about=at, decision=event.body.get("answer") or {}, notes=event.body.get("memory"),
        fault=event.body.get("fault", ""), gave_up=event.body.get("gave_up", False),
    )  # fmt: skip


def _answers_of(events: Sequence[Event], role: str) -> list[Event]:
    """What a role answered, once each: what was asked again after a kill counts once."""
    found: list[Event] = []
    resumed = False
    for event in events:
        resumed = resumed or event.kind == journal.RunResumedEvent.KIND
        if event.kind != journal.AnsweredEvent.KIND or event.role != role:
            continue
        if not (resumed and found and _worked_again(found[-1], event, events)):
            found.append(event)
        elif role != "operator":  # the intent that was written first is what is done; every other answer is the last one's
            found[-1] = event
        resumed = False
    return found


def _worked_again(last: Event, event: Event, events: Sequence[Event]) -> bool:
    """Whether a process that took the run up asked for what had been answered before, and was not yet done."""
    worker = {journal.FeedbackEvent.KIND, journal.GateEvent.KIND, journal.PlanEvent.KIND}
    ends = worker if event.role in {"operator", "technician"} else {journal.SituationEvent.KIND}
    return last.subtask == event.subtask and ends.isdisjoint(e.kind for e in events if last.id < e.id < event.id)
