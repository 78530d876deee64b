"""What the desk answers, as JSON. Texts are as they were recorded: data, which whoever shows them treats as such."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from protocol import Frozen

WaitKind = Literal["approval", "question", "plan"]


class Problem(Frozen):
    """Every answer that is not what was asked for."""

    error: str
    """One sentence: what is wrong, where, what to do."""


class Me(Frozen):
    """Whoever asks."""

    name: str
    role: Literal["view", "approve", "operate"]
    version: str


class Waiting(Frozen):
    """What a run waits for a person for."""

    kind: WaitKind
    since: float
    summary: str


class RunRow(Frozen):
    """A run in the list of runs."""

    id: str
    goal: str
    task: str
    status: str
    """running, paused, taken_over, on_hold, interrupted, fulfilled, rejected, cancelled or damaged."""
    waiting: Waiting | None
    started: float
    seconds: float
    steps: int
    tokens: int
    preset: str
    who_works: str
    """The process that works it, in words; empty where none does."""


class RunRows(Frozen):
    """A page of the list, newest first."""

    runs: tuple[RunRow, ...]
    next: str
    """`before` of the page after this one; empty on the last."""


class RefusedRequest(Frozen):
    """Somebody was refused something."""

    id: int
    at: float
    who: str
    """Name of the token; empty where there was none that is known."""
    peer: str
    method: str
    path: str
    status: int
    why: str


class RefusedRequests(Frozen):
    refusals: tuple[RefusedRequest, ...]


class JournalEvent(Frozen):
    """One line of a run's journal."""

    id: int
    at: float
    kind: str
    role: str
    subtask: str
    step: int
    body: dict[str, Any] = Field(default_factory=dict)


class JournalEvents(Frozen):
    """A page of a journal."""

    events: tuple[JournalEvent, ...]
    cursor: int
    """`after` of the next page."""
    more: bool
