"""Requests of a run to a person, and the possible answers: two closed unions; and the action that either is about.

A request is recorded, sent and stored as JSON in the form of agent chat interfaces, one action with the possible answers;
`dump` returns exactly what was read or set. A new kind is a new class in `Request`; the type checker names the code to extend.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from functools import cached_property
from typing import Annotated, Any, Literal, TypeVar, assert_never

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError
from typing_extensions import TypedDict

from environments.effects import Effect, HeldRequest, Permit
from protocol import AgentAction, Frozen, JsonObject, TaggedModel, parse_action
from roles.safety.policy import Constraints

Way = Literal["approve", "edit", "reject", "respond"]
WAYS: tuple[Way, ...] = ("approve", "edit", "reject", "respond")


def digest_of(said: str) -> str:
    """Of what is asked."""
    return hashlib.blake2b(said.encode("utf-8", "replace"), digest_size=12).hexdigest()


class NamedAction(Frozen):
    """An action, a question or a plan by name, in the form of agent chat interfaces."""

    name: str
    args: JsonObject = Field(default_factory=dict)

    def action(self) -> AgentAction:
        """Raises ValidationError unless it is an action of the protocol."""
        return parse_action({"action_type": self.name, **self.args})


class AskedAction(NamedAction):
    """The subject of a request, with a description."""

    name: str = ""
    description: str = ""


class ReviewConfig(Frozen):
    """The possible answers of a request."""

    action_name: str = ""
    allowed_decisions: tuple[Way, ...] = ()


class _Request(TaggedModel):
    # A run that waits is answered by whatever version comes: what another one wrote beside is passed over.
    model_config = ConfigDict(extra="ignore")
    tag = "kind"

    action_requests: Annotated[tuple[AskedAction, ...], Field(min_length=1, max_length=1)]
    review_configs: tuple[ReviewConfig, ...] = ()
    key: str = ""
    digest: str = ""
    """The digest of exactly what is asked: an answer is bound to it."""
    role: str = ""
    reasons: tuple[str, ...] = ()
    default: Literal["reject"] = "reject"
    asked: Any = None
    """When it was asked, as a Moment, if it expires; an unreadable value counts as expired."""
    times: int = 1
    """How often it has been asked, since an expired request may be renewed."""

    @property
    def about(self) -> AskedAction:
        return self.action_requests[0]

    @property
    def allowed(self) -> tuple[Way, ...]:
        """The decisions that may answer it."""
        return (self.review_configs[0].allowed_decisions if self.review_configs else ()) or WAYS

    @property
    def asking(self) -> str:
        """The id of this request: its key, its digest and how often it was asked."""
        return digest_of(json.dumps([self.key, self.digest, self.times]))

    @property
    def is_dated(self) -> bool:
        return "asked" in self.model_fields_set

    def dump(self) -> JsonObject:
        """As recorded and sent."""
        return self.model_dump(mode="json", exclude_unset=True)


class _OfAnAction(_Request):
    """Findings of an action's review that a person should know."""

    effect: str = ""
    risk: str = ""
    rule: str = ""
    changes: tuple[JsonObject, ...] = ()
    page: str = ""
    leads: str = ""
    request: HeldRequest | None = None
    """The page's request, if the action releases one."""
    app: str | None = None
    state_id: str = ""
    reason: str = ""


class ApprovalRequest(_OfAnAction):
    """May this action be performed?"""

    kind: Literal["approval"] = "approval"


class QuestionRequest(_OfAnAction):
    """A question of a worker or the Manager."""

    kind: Literal["question"] = "question"
    query: str = ""
    """What the Manager searched for without success."""
    private: bool = False
    """The answer is typed without echo."""


class EndedSubtask(Frozen):
    """A subtask of a reviewed plan that stays as it is."""

    id: str
    title: str = ""
    status: str = ""


class PlanReviewRequest(_Request):
    """May this plan be worked?"""

    kind: Literal["plan"] = "plan"
    plan_version: int = 0
    more: bool = False
    ended: tuple[EndedSubtask, ...] = ()
    apps: tuple[str, ...] = ()


Request = Annotated[ApprovalRequest | QuestionRequest | PlanReviewRequest, Field(discriminator="kind")]
_REQUEST: TypeAdapter[Request] = TypeAdapter(Request, config=ConfigDict(defer_build=True))


def screen_of(request: Request) -> str:
    """The id of the screen that it refers to; empty if there is none."""
    match request:
        case ApprovalRequest() | QuestionRequest():
            return request.state_id
        case PlanReviewRequest():
            return ""
        case _:
            assert_never(request)


def read_request(body: Mapping[str, Any]) -> Request:
    """A recorded request. Raises ValidationError."""
    return _REQUEST.validate_python(dict(body))


def request_in(body: Any) -> Request | None:
    """The same for any value; None if it is not a request."""
    try:
        return _REQUEST.validate_python(body)
    except ValidationError:
        return None


class ElementRef(TypedDict):
    """The target of an action, as it was shown."""

    element_id: str
    role: str | None
    text: str | None
    app: str | None


class Pending(Frozen):
    """The decided action that is not performed yet, as the state of a graph keeps it from stage to stage."""

    model_config = ConfigDict(extra="ignore")  # as of a request

    key: str
    step: int
    action: JsonObject
    digest: str = ""
    """Once it is reviewed."""
    line: str = ""
    before: str = ""
    """The screen that it was decided on."""
    app: str | None = None
    reason: str = ""
    expected: str = ""
    confidence: float = 1.0
    confirm: bool = False
    recovery: bool = False
    instead_of: str = ""
    """As in StepRecord."""
    held: bool = False
    """It waited for a check."""
    missing: str = ""
    """Why its target is not there."""
    changed: str = ""
    """Why what it falls on is not what was judged."""
    element: ElementRef | None = None
    """What it falls on, as it was shown."""
    permit: Permit | None = None
    effect: str = ""
    leads: str = ""
    private: bool = False
    page: str = ""
    changes: list[JsonObject] | None = None
    """None where they cannot be told."""
    request: HeldRequest | None = None
    """The page's request, if the action releases one."""
    effects: tuple[Effect, ...] = ()
    """Of that request."""
    pressed: bool = False
    """It came of a press."""
    answer: str = ""
    approved: str | None = None
    """The digest that a person has approved."""
    script: Pending | None = None
    """Where this is the change that a script makes: the script."""
    turns: int = 0
    heard: int = 0
    """How far a person's turns and words had come when it was decided."""

    @cached_property
    def does(self) -> AgentAction:
        """The action itself."""
        return parse_action(self.action)

    def but(self, **changes: Any) -> Pending:
        other = Pending.model_validate(self.dump() | changes) if changes else self
        if other.action == self.action:
            other.__dict__["does"] = self.does
        return other

    def dump(self) -> JsonObject:
        """As the state keeps it."""
        kept = self.model_dump(mode="json", exclude_unset=True)
        _LATEST[Pending] = kept, self
        return kept


def pending_of(state: Mapping[str, Any]) -> Pending:
    """The pending action of a state that has one."""
    return parsed(Pending, state["pending_action"])


_Kept = TypeVar("_Kept", bound=BaseModel)


def parsed(model: type[_Kept], kept: Any) -> _Kept:
    """What a state keeps as JSON; several stages after one another ask for the same. Raises ValidationError."""
    latest = _LATEST.get(model)
    if latest is None or latest[0] is not kept:
        latest = _LATEST[model] = kept, model.model_validate(kept)
    found: _Kept = latest[1]
    return found


_LATEST: dict[type[BaseModel], tuple[Any, Any]] = {}


class _Decided(Frozen):
    """What any answer may bring."""

    message: str = ""
    edited_action: NamedAction | None = None
    constraints: Constraints | None = None
    """What holds for the run from here on, beside what held before."""
    digest: str | None = None
    """Of what the person saw; another one is refused."""
    who: str = "user"
    way: Literal["", "terminal", "desk", "command"] = ""
    """By which they answered; empty where a program did."""

    def approved(self, message: str) -> Approve:
        """What this comes to, by the same person."""
        return Approve(message=message, who=self.who, way=self.way)

    def rejected(self, message: str) -> Reject:
        return Reject(message=message, who=self.who, way=self.way)


class Approve(_Decided):
    """Exactly this, once."""

    type: Literal["approve"] = "approve"


class Edit(_Decided):
    """This in its place."""

    type: Literal["edit"] = "edit"


class Reject(_Decided):
    """No."""

    type: Literal["reject"] = "reject"


class Respond(_Decided):
    """Words: the answer to a question, or what is said instead of a yes."""

    type: Literal["respond"] = "respond"


Decision = Annotated[Approve | Edit | Reject | Respond, Field(discriminator="type")]


class Answer(BaseModel):
    """`{"decisions": [...]}` with exactly one decision: one thing is asked for at a time."""

    model_config = ConfigDict(extra="forbid")

    decisions: list[Decision] = Field(min_length=1, max_length=1)
