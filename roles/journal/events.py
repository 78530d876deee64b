"""Everything that a journal says: one class for each kind of event, closed in `JournalEvent`.

Whoever writes an event constructs its class, and whoever reads one has it from `event_of`. A new kind is a class here and a
member of the union; the type checker names every other place that must say what becomes of it (`assert_never`).
"""

import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, Self, get_args, get_origin

from pydantic import ConfigDict, Field, InstanceOf, ValidationError
from pydantic_core import from_json

from protocol import Frozen
from roles.contracts import Answer, Fact, StepRecord

Json = dict[str, Any]
"""An object of JSON whose keys are said elsewhere: by a model of the contracts, a request, or a stranger."""
Text = InstanceOf[str]
"""Any text, half a surrogate pair too: an error message of another program may hold one, and is written down all the same."""


class EventBody(Frozen):
    """What one event says. Keys that a later version has added are passed over when it is read."""

    model_config = ConfigDict(extra="ignore", defer_build=True, str_max_length=None, allow_inf_nan=True)
    __slots__ = ("_body",)
    KIND: ClassVar[str]
    """Its kind in the journal, `run_started` of RunStartedEvent; no field, since `kind` says something else in several bodies."""

    @classmethod
    def __init_subclass__(cls, **more: Any) -> None:
        super().__init_subclass__(**more)
        cls.KIND = re.sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__.removesuffix("Event")).lower()

    if not TYPE_CHECKING:

        def __init__(self, /, **body: Any) -> None:
            super().__init__(**body)
            object.__setattr__(self, "_body", body)

        __init__.__pydantic_base_init__ = True  # it validates nothing of its own: what is read is validated once

    @classmethod
    def read(cls, body: Json) -> Self:
        """The event with this body. Raises ValidationError."""
        made = cls.model_validate(body)
        object.__setattr__(made, "_body", body)
        return made

    def body(self) -> Json:
        """Exactly what was given, in that order: this is what is stored."""
        body: Json = object.__getattribute__(self, "_body")
        return body


class RunStartedEvent(EventBody):
    """A run began."""

    goal: Text
    run_id: Text
    task: Text
    world: Text
    seed: int


class RunResumedEvent(EventBody):
    """It goes on: taken up again with a person's answer, or let go on by one (`who`)."""

    goal: Text = ""
    answer: Text = ""
    who: Text = ""


class RunStoppedEvent(EventBody):
    """It could not go on then and there."""

    reason: Text


class RunFinishedEvent(EventBody):
    """It ended."""

    status: Text
    reason: Text
    exit_code: int


class ForkedEvent(EventBody):
    """It goes on from a step of another run, with what was `changed`."""

    run_id: Text
    step: int
    goal: Text
    changed: Sequence[Text]


class LimitsChangedEvent(EventBody):
    """Other limits hold from now on; each with what it was and what it is."""

    limits: Json


class TaskStatusEvent(EventBody):
    """The task stands so from now on."""

    status: Text
    reason: Text


class SituationEvent(EventBody):
    """A row of the machine's table was taken."""

    situation: Text
    signal: Text
    next: Text
    row: Text


class SubtaskStatusEvent(EventBody):
    """A subtask stands so from now on."""

    status: Text
    before: Text
    attempt: int
    reason: Text = ""
    """Of a worker that could not do it, or of the gate."""


class ConflictEvent(EventBody):
    """Two sources say different values under the name of a fact."""

    about: Text
    name: Text = ""
    subtasks: Sequence[Text]
    sources: Sequence[Text] = ()
    resolution: Text


class BudgetEvent(EventBody):
    """A budget is spent, and `more` is the setting that gives more of it."""

    name: Text
    key: Text
    used: float
    limit: float
    share: float
    more: Text


class BudgetWarningEvent(EventBody):
    """A budget is nearly spent."""

    key: Text
    used: float
    limit: float
    share: float
    message: Text


class PlanEvent(EventBody):
    """From now on this version of the plan is worked."""

    subtasks: Sequence[Json]
    reason: Text
    version: int


class LedgerEvent(EventBody):
    """What the goal asks for, entry by entry, and how each stands: as it was read, and at the final check."""

    goal: Text
    entries: Sequence[Json]
    worked: Text = ""
    """The goal with a page's steps in the place of words that nobody understands; empty: as it was said."""


class SupplementEvent(EventBody):
    """Something was looked up, `ahead` of the work or because a role asked."""

    query: Text
    found: Sequence[Json]
    ahead: bool = False


class KnowledgeUsedEvent(EventBody):
    """A page that was found is followed by subtasks of the plan, or not, and why."""

    source: Text
    kind: Text
    document: Text
    title: Text
    used: bool
    failed: bool
    why: Text
    subtasks: Sequence[Text]
    plan_version: int


class ExperienceEvent(EventBody):
    """What of the run was kept for later ones, or why nothing was."""

    saved: bool
    title: Text = ""
    document: Text = ""
    why: Text = ""


class FactEvent(Fact, EventBody):
    """A value was put on the blackboard; of a private one no more than its reference. Defaults of `Fact` are left out."""


class AnswerEvent(Answer, EventBody):
    """What the Analyst worked out, or what is missing for it."""


class ObservedEvent(EventBody):
    """A screen was looked at."""

    state_id: Text
    app: Text | None
    timestamp: float
    step: int
    elements: int


class RecognizedEvent(EventBody):
    """How many elements were recognised, and how many of them not for sure, where there are such."""

    elements: int
    unsure: int


class DecidedEvent(EventBody):
    """What a worker wants to do next, and why."""

    status: Text
    reasoning: Text
    line: Text
    plan: Sequence[Any]
    observation: Text = ""
    comment: Text = ""
    then: Sequence[Text] = ()


class BatchStoppedEvent(EventBody):
    """The rest of a batch of actions is not done."""

    why: Text
    left: Sequence[Text]


class ReviewedEvent(EventBody):
    """What the safety policy says of an action."""

    policy: Text
    severity: Text
    verdict: Text
    effect: Text
    reasons: Sequence[Text]
    action: Text
    page: Text = ""
    changes: Sequence[Any] = ()
    risks: Sequence[Text] = ()


class OutcomeEvent(EventBody):
    """What came of an action; `who` is the person who did it by hand."""

    line: Text
    exec_status: Text
    error: Text
    key: Text
    who: Text = ""


class StepEvent(StepRecord, EventBody):
    """One finished step. Defaults of `StepRecord` are left out."""

    attempt: int


class FeedbackEvent(EventBody):
    """What the environment showed after a step."""

    events: Sequence[Text]
    visible_change: bool
    state_id: Text


class RecoveredEvent(EventBody):
    """One attempt to get past some trouble."""

    how: Text
    attempt: int
    trouble: Text


class DroppedEvent(EventBody):
    """An action was given up because somebody has taken the run over, or said something, or what it was about is gone."""

    line: Text
    key: Text


class PictureEvent(EventBody):
    """A picture of a screen was kept: `clean`, or `annotated` with marks."""

    state_id: Text
    path: Text
    sha256: Text
    bytes: int
    kind: Text
    marks: Sequence[Text] = ()


class PictureWithdrawnEvent(EventBody):
    """A picture was removed: something on it is known to be private by now."""

    path: Text
    state_id: Text


class NoPictureEvent(EventBody):
    """Why pictures are not kept."""

    why: Text


class ApprovalRequestedEvent(EventBody):
    """A person is asked: about an action, a question, a plan, or in the place of a policy."""

    action_requests: Sequence[Json]
    review_configs: Sequence[Json] = ()
    kind: Text
    key: Text = ""
    digest: Text = ""
    role: Text = ""
    reasons: Sequence[Text] = ()
    effect: Text = ""
    risk: Text = ""
    rule: Text = ""
    changes: Sequence[Any] = ()
    page: Text = ""
    leads: Text = ""
    request: Any = None
    app: Text | None = None
    state_id: Text = ""
    reason: Text = ""
    default: Text = ""
    private: bool = False
    query: Text = ""
    plan_version: int = 0
    more: bool = False
    ended: Sequence[Json] = ()
    apps: Sequence[Text] = ()
    asked: Any = None
    times: int = 1


class ApprovalEvent(EventBody):
    """What a person said to a request; of a plan with the version that is `worked` for it (0 for none)."""

    key: Text
    digest: Text
    decision: Text
    message: Text
    who: Text
    way: Text = ""
    line: Text = ""
    given: Any = None
    plan_version: int | None = None
    worked: int | None = None


class ApprovalExpiredEvent(EventBody):
    """Nobody answered in time; `then` it was asked again (`ask`) or rejected (`deny`)."""

    key: Text
    digest: Text
    line: Text
    why: Text
    then: Text


class ConstraintsAddedEvent(EventBody):
    """What a person has added to the constraints with an answer."""

    constraints: Json
    who: Text
    line: Text


class PausedEvent(EventBody):
    """A person wants the crew to hold still."""

    who: Text


class SteeredEvent(EventBody):
    """A person said something to the crew, or to one role of it."""

    words: Text
    to: Text
    who: Text


class TakenOverEvent(EventBody):
    """A person has taken over."""

    who: Text


class HandedBackEvent(EventBody):
    """A person has handed back, after so many steps by hand."""

    who: Text
    steps: int


class CancelledEvent(EventBody):
    """A person has called the run off."""

    who: Text
    why: Text


class NetworkLearnedEvent(EventBody):
    """After a yes, requests like this one are let go for the rest of the run."""

    method: Text = ""
    host: Text = ""
    path: Text = ""
    operation: Text = ""
    line: Text


class RequestStoppedEvent(EventBody):
    """A request of a page was stopped by the safety policy."""

    request: Text
    line: Text
    policy: Text


class AnsweredEvent(EventBody):
    """What a role's policy answered, or its fault: enough to replay the run."""

    answer: Any = None
    attempt: int = 0
    memory: Any = None
    fault: Text = ""
    gave_up: bool = False


class PolicyEvent(EventBody):
    """Which policy of several decided, and how it came to that."""

    decided_by: Text
    answer: Any
    passed: Sequence[Text] = ()


class GateEvent(EventBody):
    """The Evaluator's decision at a gate, with what code had found out for it."""

    decision: Text
    reason: Text
    evidence: Sequence[Text]
    issues: Sequence[Text]
    query: Text
    trigger: Text
    found: Json
    refused: bool = False
    confidence: Text = ""
    """How sure a model said that it is."""


class ModelCallEvent(EventBody):
    """One call of a model, whatever came of it; `estimated` where the provider does not say what it used. Of the tokens that it
    read, `tokens_cached` came out of the provider's cache."""

    model: Text
    tokens_in: int
    tokens_out: int
    seconds: float
    tokens_cached: int = 0
    tokens_reasoning: int = 0
    """Of those that it wrote: what was reasoned unseen."""
    characters: int = 0
    money: float = 0.0
    estimated: bool = False
    problem: Text = ""
    finish: Literal["", "cut_off", "refused"] = ""
    """Why the answer ends, where it does not end by itself."""
    recalled: bool = False
    """The reply was recorded by a process that is gone, and was not paid for again."""
    transcript: Json = Field(default_factory=dict)
    """The names of its parts: `messages`, `schema`, `reply`; and how it was asked."""


class RehearsalEvent(EventBody):
    """An attempt in a copy of the run: what its gate decided, its transitions in words, and what its models cost; or, `chosen`,
    that it is the one that is carried out."""

    number: int
    of: int
    decision: Text
    reason: Text
    steps: int
    told: Sequence[Text] = ()
    chosen: bool = False
    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    money: float = 0.0
    seconds: float = 0.0


class ErrorEvent(EventBody):
    """Something went wrong and was dealt with; `unusable` where an answer is asked for again, with the `reply` as it was."""

    message: Text
    unusable: bool = False
    reply: Text = ""
    transcript: Json = Field(default_factory=dict)
    """Of the call, where transcripts are kept of those that failed only."""


def error_event(problem: str, *, asked_enough: bool) -> ErrorEvent:
    """That an answer could not be used; counted, unless whoever gave it has given up."""
    return ErrorEvent(message=problem) if asked_enough else ErrorEvent(message=problem, unusable=True)


JournalEvent = (
    RunStartedEvent | RunResumedEvent | RunStoppedEvent | RunFinishedEvent | ForkedEvent | LimitsChangedEvent | TaskStatusEvent
    | SituationEvent | SubtaskStatusEvent | ConflictEvent | BudgetEvent | BudgetWarningEvent | PlanEvent
    | LedgerEvent | SupplementEvent | KnowledgeUsedEvent | ExperienceEvent | FactEvent | AnswerEvent
    | ObservedEvent | RecognizedEvent | DecidedEvent | BatchStoppedEvent | ReviewedEvent
    | OutcomeEvent | StepEvent | FeedbackEvent | RecoveredEvent | DroppedEvent | PictureEvent
    | PictureWithdrawnEvent | NoPictureEvent | ApprovalRequestedEvent | ApprovalEvent | ApprovalExpiredEvent
    | ConstraintsAddedEvent | PausedEvent | SteeredEvent | TakenOverEvent | HandedBackEvent | CancelledEvent
    | NetworkLearnedEvent | RequestStoppedEvent | AnsweredEvent | PolicyEvent | GateEvent | ModelCallEvent | RehearsalEvent
    | ErrorEvent
)  # fmt: skip
"""Every kind of event there is."""

ControlEvent = PausedEvent | SteeredEvent | TakenOverEvent | HandedBackEvent | CancelledEvent | DroppedEvent
"""What people have asked of the run, and what the crew has left undone for it."""

EVENTS: Mapping[str, type[JournalEvent]] = {event.KIND: event for event in get_args(JournalEvent)}


class Unreadable(NamedTuple):
    """An event that deskcrew does not write: of a kind that is `known` with another body, or of no kind that there is."""

    kind: str
    known: bool


def event_of(kind: str, body: Any) -> JournalEvent | Unreadable:
    """What a stored event says. What an earlier version did not write yet is empty."""
    event = EVENTS.get(kind)
    if event is None:
        return Unreadable(kind, known=False)
    with suppress(ValidationError):
        return event.read(body)
    with suppress(ValidationError, TypeError):
        empty = {name: _empty(part.annotation) for name, part in event.model_fields.items() if part.is_required()}
        return event.read(empty | body)
    return Unreadable(kind, known=True)


def _empty(annotation: Any) -> Any:
    """Nothing, as a value of the type that a required field has."""
    made = get_origin(annotation) or annotation
    return () if made is Sequence else made() if made in {str, int, float, bool, dict} else None


def loads(text: str | bytes) -> Any:
    """JSON as it is stored."""
    try:
        return from_json(text)
    except ValueError:  # half a character, for one, is read by Python alone; and it says best what is wrong
        return json.loads(text)


class Event(NamedTuple):
    """One line of the run's history; `body` is JSON and already redacted."""

    id: int
    at: float
    kind: str
    role: str
    subtask: str
    step: int
    body: Json

    @classmethod
    def of(cls, row: Sequence[Any]) -> Self:
        """The event that is stored in a row, whose last column is its body."""
        return cls._make((*row[:-1], loads(row[-1])))

    @property
    def content(self) -> JournalEvent | Unreadable:
        """What it says, as its class."""
        return event_of(self.kind, self.body)
