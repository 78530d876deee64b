"""What a viewer is told of a run: JSON, made from its journal; nothing of it is HTML, and nothing of it is believed.

Texts are as they were recorded: whoever shows them takes out what would turn the writing or hide something.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from typing_extensions import TypedDict

from orchestrator.store.printable import clean

FORMAT = 1
Kind = Literal[
    "plan", "step", "report", "gate", "approval", "supplement", "recovery", "control", "budget", "error", "note", "end"
]  # fmt: skip
Status = Literal["ok", "failed", "warn", "waiting", "info"]
Box = tuple[float, float, float, float]

LONGEST_TEXT = 20_000
_DEEPEST = 16


class Item(NamedTuple):
    """One line of a run. A list in JSON, in the order of these fields."""

    kind: Kind
    status: Status
    role: str
    subtask: str
    attempt: int
    step: int
    at: float
    """Seconds since the run began."""
    seconds: float
    line: str
    why: str = ""
    """What went wrong, or what it rests on, in one sentence."""
    app: str = ""
    before: str = ""
    after: str = ""
    """State ids."""
    box: Box | None = None
    """Of the target, in pixels of the screen."""
    point: tuple[float, float] | None = None
    """The pixel that was pressed."""


class Detail(TypedDict, total=False):
    """What stands behind an item; loaded when it is shown."""

    observation: str
    reasoning: str
    expected: str
    comment: str
    steps_ahead: list[Any]
    action: Any
    tier: str
    output: str
    events: list[Any]
    review: list[Any]
    """What the safety policy said: verdict, rule, effect, reasons."""
    request: Any
    """What a person was asked."""
    answer: Any
    """What they said to it: decision, message, who, and how long it took."""
    decided: Any
    """The whole answer of the role's policy, as it was recorded."""
    calls: list[Any]
    """Calls of models: model, tokens, seconds, and prompt and reply where they were recorded."""
    gate: Any
    """Trigger, decision, evidence, issues, and what code found out."""
    found: list[Any]
    """Supplements."""
    query: str
    checks: list[Any]
    """What the harness's judge looked at."""
    body: Any
    """Of an event of any other kind."""


class PlanVersion(TypedDict):
    """A plan, from the item on at which it was made."""

    item: int
    version: int
    reason: str
    subtasks: list[dict[str, Any]]
    ledger: list[str]
    """What the goal asks for and how each part stands, a line each, as it was known last."""


class FactSeen(TypedDict):
    """A value as it came on the blackboard; a later one of the same name takes its place."""

    item: int
    name: str
    value: str
    kind: str
    app: str
    source: str
    source_name: str
    """What said it: a screen, a function, a document, a person."""
    reason: str
    subtask: str
    role: str


class RoleUse(TypedDict):
    """What a role used up."""

    seconds: float
    items: int
    failed: int
    calls: int
    tokens_in: int
    tokens_out: int
    money: float
    model_seconds: float


class Machine(TypedDict):
    """The controller's table, and the way that the run took through it."""

    situations: list[str]
    rows: list[tuple[str, str, str]]
    """Situation, signal (with its guard), next situation."""
    walk: list[tuple[int, int]]
    """Item and row, in order."""


class RunHead(TypedDict):
    """What is known of the run as a whole."""

    format: int
    run_id: str
    goal: str
    task: str
    world: str
    environment: str
    seed: str
    status: str
    reason: str
    started: float
    seconds: float
    budgets: dict[str, Any]
    settings: list[tuple[str, str, str]]
    """Key, value and source of what was set otherwise than by default."""
    notes: list[str]
    """What is missing, and why."""
    opens_at: int
    """The item to begin with: the first failure, else the question that waits for an answer, else the end."""


class RunData(TypedDict):
    """A run, but for its details and screens."""

    head: RunHead
    fields: list[str]
    """Names of an item's parts."""
    items: list[Item]
    plans: list[PlanVersion]
    statuses: list[tuple[int, str, str, int]]
    """Item, subtask, status, attempt."""
    facts: list[FactSeen]
    roles: dict[str, RoleUse]
    machine: Machine


Target = tuple[str, Any]
"""The id of the element that was meant, and the target as the action says it."""


class RunExtract(NamedTuple):
    """All of a run but its screens; details and targets go with the items."""

    data: RunData
    details: list[Detail]
    targets: list[Target]


def plain(value: Any, depth: int = 0) -> Any:
    """Foreign JSON that every reader takes: bounded, without numbers that JSON has no word for."""
    if isinstance(value, str):
        return value if len(value) <= LONGEST_TEXT else value[: LONGEST_TEXT - 1] + "…"
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        return value if abs(value) < 2**53 else clean(value)  # also what is no number: every comparison with it is False
    if depth >= _DEEPEST:
        return "…"
    if isinstance(value, dict):
        return {clean(key, 200): plain(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item, depth + 1) for item in value]
    return clean(value)


def words(body: Any, *keys: str) -> str:
    """The first of these that says something, as text."""
    for key in keys:
        value = body.get(key) if isinstance(body, dict) else None
        if value not in (None, "", [], {}):
            return str(plain(value))
    return ""


def bounded(text: str) -> str:
    """As much of it as is shown."""
    return str(plain(text))


def number(value: Any) -> float:
    """`value` if it is a number to count with, else 0."""
    return float(value) if isinstance(value, int | float) and abs(value) < 2**53 else 0.0


def items_of(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else []
