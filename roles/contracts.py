"""What roles say to each other: subtasks and requests go down, reports and decisions come up. Sources: seeds 001 and 002.

A policy is one method per role. A role never knows whether rules, a script, a model or a person decides.
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal, Protocol

from pydantic import BaseModel, ConfigDict, Field

from protocol import ExecStatus, Frozen, OperatorDecision, Tagged, VisualState
from roles.signals import GateDecision, GateTrigger, Signal, SubtaskStatus

Worker = Literal["operator", "technician", "analyst"]


class _Expected(Tagged):
    tag: ClassVar[str] = "kind"


class FactKnown(_Expected):
    """A fact of this name is on the blackboard."""

    kind: Literal["fact_known"] = "fact_known"
    name: str


class FieldHas(_Expected):
    """A field was seen with this value, given as text or as the name of a fact."""

    kind: Literal["field_has"] = "field_has"
    label: str
    value: str | None = None
    fact: str | None = None
    app: str | None = None


class TextShown(_Expected):
    """A text was seen."""

    kind: Literal["text_shown"] = "text_shown"
    text: str
    app: str | None = None


class EffectSeen(_Expected):
    """An action of this kind (`submit`, `send`, `save`, `delete`, `click`, ...) was executed and something visible came of it."""

    kind: Literal["effect_seen"] = "effect_seen"
    verb: str
    target: str | None = None
    app: str | None = None


class AppShown(_Expected):
    """The application is on the screen."""

    kind: Literal["app_shown"] = "app_shown"
    app: str


Expectation = Annotated[FactKnown | FieldHas | TextShown | EffectSeen | AppShown, Field(discriminator="kind")]


class Subtask(Frozen):
    """A node of the Manager's plan: one application, one worker, plain English for it."""

    id: str = Field(min_length=1, pattern=r"^[A-Za-z0-9_.-]+$")
    title: str
    instruction: str
    app: str | None = None
    worker: Worker = "operator"
    depends_on: tuple[str, ...] = ()
    expect: tuple[Expectation, ...] = ()
    status: SubtaskStatus = SubtaskStatus.READY
    attempt: int = 0
    result: str = ""
    hints: tuple[str, ...] = ()
    """What earlier attempts taught, for the worker."""


class Fact(Frozen):
    """A value on the blackboard with its provenance."""

    name: str
    value: str
    kind: str = "text"
    """money, date, number, email or text."""
    app: str | None = None
    element_id: str | None = None
    state_id: str | None = None
    subtask: str = ""
    role: str = "operator"
    private: bool = False


class Supplement(Frozen):
    """Material from outside, with its source."""

    query: str
    source: str
    title: str
    text: str
    app: str | None = None


class StepRecord(Frozen):
    """One finished step of a worker, as the other roles may see it."""

    step: int
    subtask: str
    app: str | None = None
    action: dict[str, Any]
    """`Action.dump()`."""
    verb: str
    """What the step amounts to: the action's verb, or the effect its target is named for (submit, send, save, delete)."""
    target: str = ""
    exec_status: ExecStatus
    error: str = ""
    before: str = ""
    after: str = ""
    """State ids."""
    visible_change: bool = False
    events: tuple[str, ...] = ()
    """`kind: words` of what the environment showed after it: validation, alert, status, popup, loading, navigation."""
    role: str = "operator"
    recovery: bool = False
    """It was an attempt to get past something, not a step of the work."""


class AppWords(Frozen):
    """An application as the goal may call it."""

    app: str
    title: str
    words: tuple[str, ...] = ()


class PlanRequest(Frozen):
    """What the Manager's policy is told."""

    goal: str
    apps: tuple[AppWords, ...] = ()
    plan: tuple[Subtask, ...] = ()
    """The plan so far, with statuses; empty at first. Fulfilled subtasks stay as they are."""
    facts: tuple[Fact, ...] = ()
    trigger: str = "task_open"
    """The signal that led to PLAN."""
    failed: str | None = None
    """Id of the subtask that did not work."""
    evidence: tuple[str, ...] = ()
    """What was seen that led here, in words."""
    user_words: tuple[str, ...] = ()
    """What the user said when rejecting or responding, newest last."""
    supplements: tuple[Supplement, ...] = ()
    refused: tuple[str, ...] = ()
    """Descriptions of actions that policy or user will not allow."""
    attempts: int = 1
    """How many plans were asked for, this one included."""


class PlanAnswer(Frozen):
    """A plan, or why there is none."""

    outcome: Literal["planned", "nothing_left", "supplement_needed", "plan_failed", "infeasible"]
    subtasks: tuple[Subtask, ...] = ()
    """The whole plan, fulfilled subtasks included."""
    reason: str = ""
    query: str = ""
    """With supplement_needed: what to look for."""
    app: str | None = None


class OperatorView(Frozen):
    """All that the Operator's policy is given for one decision (seed 001's inputs)."""

    user_request: str
    subtask: Subtask
    app: str | None
    seen: VisualState
    """The screen; its `elements` are what was recognised (the control information)."""
    facts: tuple[Fact, ...] = ()
    """The blackboard."""
    history: tuple[StepRecord, ...] = ()
    """Finished steps of this subtask attempt, oldest first; the last ones only when there are many."""
    previous_subtasks: tuple[str, ...] = ()
    previous_plan: tuple[str, ...] = ()
    host_message: str = ""
    retrieved: tuple[Supplement, ...] = ()
    events: tuple[str, ...] = ()
    """Events of the last feedback, as in StepRecord.events."""
    memory: dict[str, Any] = Field(default_factory=dict)
    """What the policy noted in its last decision of this subtask attempt."""
    refused: tuple[str, ...] = ()
    apps: tuple[AppWords, ...] = ()


class GateRequest(Frozen):
    """What the Evaluator's policy is told. Observations only: never the harness's success conditions."""

    trigger: GateTrigger
    goal: str
    subtask: Subtask | None = None
    plan: tuple[Subtask, ...] = ()
    steps: tuple[StepRecord, ...] = ()
    """Of this subtask's current attempt; at FINAL_CHECK of the whole run."""
    facts: tuple[Fact, ...] = ()
    screens: tuple[VisualState, ...] = ()
    """The latest observation of every application used; the focused one last."""
    earlier: tuple[VisualState, ...] = ()
    """Older observations that the steps refer to, newest first: evidence of what has left the screen."""
    held: str = ""
    """Description of the action that waits for this check."""
    summary: str = ""
    """What the worker says."""
    supplements: tuple[Supplement, ...] = ()
    number: int = 0
    """How many gates the run had before this one."""
    nth: int = 0
    """How many of them had this trigger."""
    reask: str = ""
    """Why the last answer was not usable."""


class GateVerdict(Frozen):
    """A gate decision with its grounds."""

    decision: GateDecision
    reason: str
    evidence: tuple[str, ...] = ()
    """`state:<id>`, `step:<n>` or `fact:<name>`."""
    issues: tuple[str, ...] = ()
    query: str = ""
    """With gate_supplement: what to look for."""


class Report(BaseModel):
    """What every role ends with."""

    model_config = ConfigDict(extra="forbid")

    signal: Signal
    summary: str = ""
    evidence: list[str] = Field(default_factory=list)
    facts: list[str] = Field(default_factory=list)
    """Names of facts that are new on the blackboard."""
    held_action: dict[str, Any] | None = None
    """An action that waits for a gate."""
    query: str = ""
    user_words: str = ""
    """What the user said instead of approving."""
    refused: str = ""
    """The action that policy or user did not allow, in words."""


class ManagerPolicy(Protocol):
    def plan(self, request: PlanRequest) -> PlanAnswer: ...


class OperatorPolicy(Protocol):
    def decide(self, view: OperatorView) -> OperatorDecision: ...


class EvaluatorPolicy(Protocol):
    def judge(self, request: GateRequest) -> GateVerdict: ...


class SupplementSource(Protocol):
    """Where the Manager looks things up: help documents, a search, a person."""

    name: str

    def search(self, query: str, app: str | None, limit: int) -> list[Supplement]: ...


class Clock(Protocol):
    """Wall time in seconds; injected, so that a replay has none of its own."""

    def __call__(self) -> float: ...
