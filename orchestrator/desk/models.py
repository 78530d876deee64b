"""What the desk answers, as JSON. Texts are as they were recorded: data, which whoever shows them treats as such."""

from typing import Any, Literal

from pydantic import ConfigDict, Field
from typing_extensions import TypedDict

from orchestrator.views.page.data import Detail, FactSeen, Machine, PlanVersion, RoleUse, RunHead
from protocol import Frozen, JsonObject

WaitKind = Literal["approval", "question", "plan"]


class Problem(Frozen):
    """Every answer that is not what was asked for."""

    error: str
    """One sentence: what is wrong, where, what to do."""


class Body(Frozen):
    """What a request brings."""

    # FastAPI reads it by a name of its own, of which pydantic warns whenever the schema is made: at once FastAPI expects that.
    model_config = ConfigDict(defer_build=False)


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


class Approval(Frozen):
    """Something that a run waits for somebody to say."""

    id: str
    """Of this asking."""
    run_id: str
    goal: str
    since: float
    pending: JsonObject
    """The request as it is recorded, with `options` and `target_box`."""


class RunReport(Frozen):
    """All of `deskcrew show --json`, and how the process that worked the run ended, or would."""

    report: JsonObject
    notes: tuple[str, ...]
    status: str
    reason: str
    works: bool
    """Whether a process works it now."""
    exit_code: int
    asking: str
    """The id of what it waits to be told; empty where it waits for nothing."""
    pending: JsonObject | None

    @property
    def rests(self) -> bool:
        """It has ended, or nothing happens until somebody says something."""
        return not self.works and (self.status != "on_hold" or bool(self.asking))


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


class JournalEvent(Frozen):
    """One line of a run's journal."""

    id: int
    at: float
    kind: str
    role: str
    subtask: str
    step: int
    body: JsonObject = Field(default_factory=dict)


class JournalEvents(Frozen):
    """A page of a journal."""

    events: tuple[JournalEvent, ...]
    cursor: int
    """`after` of the next page."""
    more: bool


class RunStanding(TypedDict):
    """How a run stands."""

    state: str
    reason: str
    ended: bool
    who_works: str


class DrawnFields(TypedDict):
    """What a drawn element's numbers mean."""

    element: list[str]
    flags: list[str]


class RunPage(Frozen):
    """A run but for its lines. A stream tells those parts anew that are not as they were."""

    cursor: float
    """Up to here all is in it; the lines are asked for from 0."""
    head: RunHead
    """Goal, task, world, settings that were set, notes: as `deskcrew view` has them."""
    standing: RunStanding
    budgets: JsonObject
    """By key: used, limit, share."""
    pending: JsonObject | None
    """What a person is asked, as it was recorded, with `id`, `asked`, `target_box` and `options`."""
    answered: JsonObject | None
    """The last answer that was given: decision, message, who; `heard` is false until the run has taken it in."""
    fields: tuple[str, ...]
    """Of a line, in order."""
    drawn: DrawnFields
    plans: tuple[PlanVersion, ...]
    statuses: tuple[tuple[int, str, str, int], ...]
    """Line, subtask, status, attempt."""
    facts: tuple[FactSeen, ...]
    roles: dict[str, RoleUse]
    machine: Machine


class ItemsPage(Frozen):
    """Lines that changed: those from `from` on take the place of what stood there and behind it."""

    start: int = Field(alias="from")
    items: tuple[tuple[Any, ...], ...]
    """Values of the `fields`."""
    cursor: float
    more: bool


class DetailsPage(Frozen):
    details: tuple[Detail, ...]


class ModelCalls(Frozen):
    """What was said to models and by them."""

    calls: tuple[JsonObject, ...]


class TranscriptPart(Frozen):
    text: str


class ScreenDrawn(TypedDict):
    """A screen as far as it can be drawn from its elements."""

    size: list[float]
    app: str
    elements: list[list[Any]]
    picture: bool
    """Whether its picture is kept."""
