"""Who decides for a role, where it looks things up, and what tells it the time: one method each."""

from __future__ import annotations

from typing import Any, Literal, Protocol

from pydantic import BaseModel, ConfigDict, Field

from protocol import Frozen, OperatorDecision
from roles.contracts.gates import GateRequest, GateVerdict
from roles.contracts.operating import OperatorView
from roles.contracts.planning import PlanAnswer, PlanRequest
from roles.contracts.signals import Signal
from roles.contracts.steering import Note
from roles.contracts.subtasks import StepRecord, Subtask, Supplement
from roles.knowledge.memory.facts import Board, Fact


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


class AnalystRequest(Frozen):
    """What the Analyst's policy is told: a question and all that the crew remembers. It sees no screen and acts on nothing."""

    goal: str
    subtask: Subtask
    """Its instruction is the question."""
    facts: tuple[Fact, ...] = ()
    """The blackboard, tables among it."""
    board: Board | None = None
    """As much of the facts as a prompt may be told; all of them where nobody has said how much."""
    supplements: tuple[Supplement, ...] = ()
    steps: tuple[StepRecord, ...] = ()
    """Run memory: the latest steps of the whole run."""
    reask: str = ""
    """Why the last answer was not usable."""
    notes: tuple[Note, ...] = ()
    """What the user has said while the crew works, newest last."""


class Result(Frozen):
    """One thing that was found out, with the facts it rests on."""

    name: str
    """Under which it stands on the blackboard."""
    value: str
    kind: str = "text"
    """number, money, date, text, truth, list or table."""
    used: tuple[str, ...] = ()
    """Names of facts: the citations."""
    working: str = ""
    """How it was worked out."""


class Answer(Frozen):
    """What the Analyst says: results, or what is missing for them."""

    results: tuple[Result, ...] = ()
    missing: tuple[str, ...] = ()
    """What would have to be known, in words. Without results the question is not answered."""
    reason: str = ""
    advice: str = ""
    """A recommendation, where one was asked for."""


class Script(Frozen):
    """Code for the sandbox."""

    language: Literal["bash", "python"] = "bash"
    code: str = Field(min_length=1, max_length=100_000)
    why: str = ""


class RanScript(Frozen):
    """A script of this subtask attempt that was run, and what came of it."""

    script: Script
    exit_code: int
    stdout: str = ""
    stderr: str = ""
    changed: tuple[str, ...] = ()
    """Paths of the user's files that are otherwise since."""
    error: str = ""
    """Why it did not work, in one sentence; a script that did not work has changed nothing."""


class ScriptRequest(Frozen):
    """What the Technician's policy is told."""

    goal: str
    subtask: Subtask
    files: tuple[str, ...] = ()
    """Absolute paths of the user's files; folders end with a slash. A script finds them there, or without the first slash."""
    facts: tuple[Fact, ...] = ()
    board: Board | None = None
    """As much of the facts as a prompt may be told; all of them where nobody has said how much."""
    ran: tuple[RanScript, ...] = ()
    """Scripts so far, oldest first."""
    refused: tuple[str, ...] = ()
    notes: tuple[Note, ...] = ()
    """What the user has said while the crew works, newest last."""


class ScriptAnswer(Frozen):
    """The next script, or that there is no next one."""

    outcome: Literal["run", "done", "cannot"]
    script: Script | None = None
    reason: str = ""


class ManagerPolicy(Protocol):
    def plan(self, request: PlanRequest) -> PlanAnswer: ...


class OperatorPolicy(Protocol):
    def decide(self, view: OperatorView) -> OperatorDecision: ...


class EvaluatorPolicy(Protocol):
    def judge(self, request: GateRequest) -> GateVerdict: ...


class AnalystPolicy(Protocol):
    def answer(self, request: AnalystRequest) -> Answer: ...


class TechnicianPolicy(Protocol):
    def write(self, request: ScriptRequest) -> ScriptAnswer: ...


class SupplementSource(Protocol):
    """Where the Manager looks things up: help documents, a search, a person."""

    name: str

    def search(self, query: str, app: str | None, limit: int) -> list[Supplement]: ...


class Clock(Protocol):
    """Wall time in seconds; injected, so that a replay has none of its own."""

    def __call__(self) -> float: ...
