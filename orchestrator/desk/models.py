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


class Identity(Frozen):
    """Whoever asks."""

    name: str
    role: Literal["view", "approve", "operate"]
    version: str


class WaitingFor(Frozen):
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
    waiting: WaitingFor | None
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


class RunPage(Frozen):
    """A run but for its lines. A stream tells those parts anew that are not as they were."""

    cursor: float
    """Up to here all is in it; the lines are asked for from 0."""
    head: dict[str, Any]
    """Goal, task, world, settings that were set, notes: as `deskcrew view` has them."""
    standing: dict[str, Any]
    """state, reason, ended, who_works."""
    budgets: dict[str, Any]
    """By key: used, limit, share."""
    pending: dict[str, Any] | None
    """What a person is asked, as it was recorded, with `id`, `asked`, `target_box` and `options`."""
    answered: dict[str, Any] | None
    """The last answer that was given: decision, message, who; `heard` is false until the run has taken it in."""
    fields: tuple[str, ...]
    """Of a line, in order."""
    drawn: dict[str, Any]
    """What a drawn element's numbers mean: `element` and `flags`."""
    plans: tuple[dict[str, Any], ...]
    statuses: tuple[tuple[int, str, str, int], ...]
    """Line, subtask, status, attempt."""
    facts: tuple[dict[str, Any], ...]
    roles: dict[str, dict[str, Any]]
    machine: dict[str, Any]
    """situations, rows and the walk through them."""


class ItemsPage(Frozen):
    """Lines that changed: those from `from` on take the place of what stood there and behind it."""

    start: int = Field(alias="from")
    items: tuple[tuple[Any, ...], ...]
    """Values of the `fields`."""
    cursor: float
    more: bool


class DetailsPage(Frozen):
    details: tuple[dict[str, Any], ...]


class ScreenDrawn(Frozen):
    """A screen as far as it can be drawn from its elements."""

    size: tuple[float, float]
    app: str
    elements: tuple[tuple[Any, ...], ...]
    picture: bool
    """Whether its picture is kept."""


class Blackboard(Frozen):
    at: int | None
    facts: tuple[dict[str, Any], ...]
    questions: tuple[dict[str, Any], ...]
    screens: tuple[dict[str, Any], ...]
    conflicts: tuple[dict[str, Any], ...]
    subtasks: tuple[dict[str, Any], ...]
