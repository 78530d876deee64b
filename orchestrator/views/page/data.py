"""What a viewer is told of a run: JSON, made from its journal; nothing of it is HTML, and nothing of it is believed.

Texts are as they were recorded: whoever shows them takes out what would turn the writing or hide something.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Literal, NamedTuple

from typing_extensions import TypedDict

from orchestrator.store.printable import clean, items_of, number
from protocol import JsonObject

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
    subtasks: list[JsonObject]
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
    budgets: JsonObject
    settings: list[tuple[str, str, str]]
    """Key, value and source of what was set otherwise than by default."""
    notes: list[str]
    """What is missing, and why."""
    opens_at: int
    """The item to begin with: the first failure, else the question that waits for an answer, else the end."""


Target = tuple[str, Any]
"""The id of the element that was meant, and the target as the action says it."""


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
        return {_name(key): plain(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item, depth + 1) for item in value]
    return clean(value)


@lru_cache(1024)
def _name(key: str) -> str:
    return clean(key, 200)


def words(body: Any, *keys: str) -> str:
    """The first of these that says something, as text."""
    for key in keys:
        value = body.get(key) if isinstance(body, dict) else None
        if value not in (None, "", [], {}):
            return value if isinstance(value, str) and len(value) <= LONGEST_TEXT else str(plain(value))
    return ""


def bounded(text: str) -> str:
    """As much of it as is shown."""
    return str(plain(text))


PER_CHUNK = 50
FLAGS = ("disabled", "focused", "selected", "invalid", "private", "hidden", "required", "expanded")
"""What a drawn element may be; the bits of its last number, lowest first."""
FIELDS = ("x1", "y1", "x2", "y2", "role", "text", "value", "flags")
_PRESSED = frozenset({"click", "fill", "type", "press_key", "select_option", "drag", "hover", "scroll", "hold_key"})


class DrawnScreen(TypedDict):
    """A screen of a chunk."""

    size: list[float]
    app: str
    elements: list[int]
    """Numbers of the chunk's elements."""


class Chunk(NamedTuple):
    """Some screens: what they are made of, and each by its state id."""

    elements: list[list[Any]]
    """FIELDS, once for all screens of the chunk."""
    screens: dict[str, DrawnScreen]


class Pool:
    """Takes screens and gives chunks; finds where the targets of the items are on the way."""

    def __init__(self, items: list[Item], targets: list[Target]) -> None:
        self._items = items
        self._targets = targets
        self._wanted: dict[str, list[int]] = {}
        for place, item in enumerate(items):
            if item.before and place < len(targets) and (targets[place][0] or targets[place][1]):
                self._wanted.setdefault(item.before, []).append(place)
        self._numbers: dict[tuple[Any, ...], int] = {}
        self._seen: dict[str, int | None] = {}
        """Numbers of elements as they were written: most of them are on the next screen, too."""
        self._chunk = Chunk([], {})

    def add(self, state_id: str, screen: JsonObject) -> Chunk | None:
        """Take a screen in; returns a chunk that is full."""
        found = [element for element in items_of(screen.get("elements")) if isinstance(element, dict)]
        for place in self._wanted.get(state_id, ()):
            self._items[place] = marked(self._items[place], self._targets[place], found)
        numbers = (self._seen[said] if (said := str(element)) in self._seen else self._number(said, element) for element in found)
        shown = [number for number in numbers if number is not None]
        size = [number(part) for part in items_of(screen.get("screen_resolution"))[:2]]
        self._chunk.screens[state_id] = {
            "size": size if len(size) == 2 and min(size) > 0 else [1280, 800],
            "app": words(screen, "app"),
            "elements": shown,
        }
        return self.rest() if len(self._chunk.screens) >= PER_CHUNK else None

    def rest(self) -> Chunk | None:
        """The chunk that was begun, if any; the next one begins."""
        chunk, self._chunk, self._numbers, self._seen = self._chunk, Chunk([], {}), {}, {}
        return chunk if chunk.screens else None

    def _number(self, said: str, element: JsonObject) -> int | None:
        self._seen[said] = None
        box = box_of(element.get("bbox"))
        if box is None or element.get("visible") is False:
            return None
        flags = {**element, "disabled": element.get("enabled") is False, "hidden": False}
        bits = sum(1 << bit for bit, name in enumerate(FLAGS) if flags.get(name) is True)
        made = (*box, words(element, "role")[:40], words(element, "text")[:400], words(element, "value")[:400], bits)
        if made not in self._numbers:
            self._numbers[made] = len(self._chunk.elements)
            self._chunk.elements.append(list(made))
        self._seen[said] = self._numbers[made]
        return self._numbers[made]


def marked(item: Item, target: Target, elements: list[JsonObject]) -> Item:
    """The item with the place of its target among the elements of the screen before it, if it is there."""
    meant, said = target
    track = words(said, "track_id")
    hit = next((e for e in elements if meant and e.get("element_id") == meant), None)
    hit = hit or next((e for e in elements if track and e.get("track_id") == track), None)
    box = box_of(hit.get("bbox")) if hit else None
    if box is None and isinstance(said, dict):
        box = box_of(said.get("bbox"))
    if box is None:
        return item
    middle = (round((box[0] + box[2]) / 2), round((box[1] + box[3]) / 2))
    return item._replace(box=box, point=item.point or middle)


def box_of(value: Any) -> Box | None:
    """A box in pixels; None for one in another space, or for what is none."""
    if isinstance(value, dict):
        if value.get("space", "px") != "px":
            return None
        value = [value.get(name) for name in ("x1", "y1", "x2", "y2")]
    if not isinstance(value, list | tuple) or len(value) != 4:
        return None
    if not all(isinstance(part, int | float) and abs(part) < 1e6 for part in value):
        return None
    x1, y1, x2, y2 = value
    return (x1, y1, x2, y2) if x2 > x1 and y2 > y1 else None


def chunks(pool: Pool, screens: Iterator[tuple[str, JsonObject]]) -> Iterator[Chunk]:
    """Every chunk; when this is through, the items know their boxes."""
    for state_id, screen in screens:
        if chunk := pool.add(state_id, screen):
            yield chunk
    if last := pool.rest():
        yield last
