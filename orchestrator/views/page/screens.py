"""The screens of a run in little room: in chunks, in each of which every element that looks the same stands once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from typing_extensions import TypedDict

from orchestrator.views.page.data import Box, Item, Target, items_of, number, words
from protocol import JsonObject

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
        self._chunk = Chunk([], {})

    def add(self, state_id: str, screen: JsonObject) -> Chunk | None:
        """Take a screen in; returns a chunk that is full."""
        found = [element for element in items_of(screen.get("elements")) if isinstance(element, dict)]
        for place in self._wanted.get(state_id, ()):
            self._items[place] = marked(self._items[place], self._targets[place], found)
        shown = [known for element in found if (known := self._number(element)) is not None]
        size = [number(part) for part in items_of(screen.get("screen_resolution"))[:2]]
        self._chunk.screens[state_id] = {
            "size": size if len(size) == 2 and min(size) > 0 else [1280, 800],
            "app": words(screen, "app"),
            "elements": shown,
        }
        return self.rest() if len(self._chunk.screens) >= PER_CHUNK else None

    def rest(self) -> Chunk | None:
        """The chunk that was begun, if any; the next one begins."""
        chunk, self._chunk, self._numbers = self._chunk, Chunk([], {}), {}
        return chunk if chunk.screens else None

    def _number(self, element: JsonObject) -> int | None:
        box = box_of(element.get("bbox"))
        if box is None or element.get("visible") is False:
            return None
        made = (*box, words(element, "role")[:40], words(element, "text")[:400], words(element, "value")[:400], _flags(element))
        if made not in self._numbers:
            self._numbers[made] = len(self._chunk.elements)
            self._chunk.elements.append(list(made))
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


def _flags(element: JsonObject) -> int:
    said = {**element, "disabled": element.get("enabled") is False, "hidden": False}
    return sum(1 << bit for bit, name in enumerate(FLAGS) if said.get(name) is True)


def chunks(pool: Pool, screens: Iterator[tuple[str, JsonObject]]) -> Iterator[Chunk]:
    """Every chunk; when this is through, the items know their boxes."""
    for state_id, screen in screens:
        if chunk := pool.add(state_id, screen):
            yield chunk
    if last := pool.rest():
        yield last
