"""From a tree of widgets to elements with pixels: one column, with things side by side where a widget says so."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from typing import Any, NamedTuple, TypeVar
from unicodedata import east_asian_width

from pydantic import BaseModel

from environments.simulated.values import slug
from environments.simulated.widgets import Widget
from protocol import BoundingBox, GUIElement

CHAR = 8
LINE = 24
GAP = 8
_HEIGHT = {"heading": 36, "button": 32, "link": 28, "textbox": 36, "combobox": 36, "checkbox": 28, "tab": 32, "cell": 28,
           "columnheader": 28, "alert": 26, "status": 28, "progress": 40}  # fmt: skip
_WIDTH = {"textbox": 320, "combobox": 240}
_MULTILINE = 132
_TEXT_MAX = 240
"""Longest text inside a dialog, so that its buttons stay on the screen."""


class Area(NamedTuple):
    """Where a tree is laid out: left, top (after scrolling) and width; what lies outside `clip` is not visible."""

    x: int
    y: int
    width: int
    clip: tuple[int, int]
    text_max: int = 100_000


@dataclass(frozen=True, slots=True)
class Node:
    """A widget where it stands. `above` is the index of its parent among the nodes of the same tree."""

    widget: Widget
    track_id: str
    box: tuple[int, int, int, int]
    above: int | None


def place(widgets: Iterable[Widget], prefix: str, area: Area) -> tuple[list[Node], int]:
    """Every widget in reading order, and the height that they take."""
    walk = _Walk(prefix, area.text_max)
    height = walk.column(tuple(widgets), area.x, area.y, area.width, None)
    return [node for node in walk.nodes if node is not None], height


class _Walk:
    """The nodes so far; a parent's place is reserved before its children are known."""

    def __init__(self, prefix: str, text_max: int) -> None:
        self.prefix = prefix
        self.text_max = text_max
        self.nodes: list[Node | None] = []
        self.taken: dict[str, int] = {}

    def column(self, widgets: tuple[Widget, ...], x: int, y: int, width: int, above: int | None) -> int:
        top = y
        for buttons, run in groupby(widgets, key=lambda widget: widget.role == "button"):
            if buttons:
                y += self.across(tuple(run), x, y, width, above) + GAP
                continue
            y = self.stack(run, x, y, width, above)
        return max(0, y - top - GAP)

    def stack(self, widgets: Iterable[Widget], x: int, y: int, width: int, above: int | None) -> int:
        """One below the other; gives the next free line."""
        for widget in widgets:
            y += self.put(widget, x, y, width, above) + GAP
        return y

    def across(self, widgets: tuple[Widget, ...], x: int, y: int, width: int, above: int | None) -> int:
        """Side by side by natural width; what does not fit goes to the next line."""
        left, top, tallest = x, y, 0
        for widget in widgets:
            wide = min(width, _natural(widget))
            if x > left and x + wide > left + width:
                x, y, tallest = left, y + tallest + GAP, 0
            tallest = max(tallest, self.put(widget, x, y, wide, above))
            x += wide + GAP
        return y + tallest - top

    def cells(self, widgets: tuple[Widget, ...], x: int, y: int, width: int, above: int | None) -> int:
        """Side by side in columns of equal width."""
        wide = width // max(1, len(widgets))
        return max((self.put(w, x + i * wide, y, wide - GAP, above) for i, w in enumerate(widgets)), default=0)

    def put(self, widget: Widget, x: int, y: int, width: int, above: int | None) -> int:
        index = len(self.nodes)
        self.nodes.append(None)
        track = self._track(widget, above)
        if widget.children:
            flow = self.cells if widget.role == "row" else self.across if widget.across else self.column
            height = flow(widget.children, x, y, width, index)
        else:
            width, height = _size(widget, width)
            height = min(height, self.text_max)
        self.nodes[index] = Node(widget, track, (x, y, x + width, y + height), above)
        return height

    def _track(self, widget: Widget, above: int | None) -> str:
        key = widget.key or f"{widget.role}-{slug(widget.text or '')[:24]}"
        track = f"{self.prefix}.{key}"
        count = self.taken.get(track, 0) + 1
        self.taken[track] = count
        return track if count == 1 else f"{track}-{count}"


def _natural(widget: Widget) -> int:
    if widget.children:
        widths = [_natural(child) for child in widget.children]
        return sum(widths) + GAP * (len(widths) - 1) if widget.across else max(widths)
    return _WIDTH.get(widget.role) or max(40, _columns(widget.text or "") * CHAR + 24)


def _columns(text: str) -> int:
    """How many characters of usual width a text is: ideographs and emoji take two."""
    return len(text) if text.isascii() else sum(2 if east_asian_width(char) in "WF" else 1 for char in text)


def _size(widget: Widget, width: int) -> tuple[int, int]:
    if widget.role in _WIDTH:
        wide = min(width, 640 if widget.multiline else _WIDTH[widget.role])
        return wide, _MULTILINE if widget.multiline else _HEIGHT[widget.role]
    if widget.role in _HEIGHT:
        return (width if widget.role in {"cell", "columnheader"} else min(width, _natural(widget))), _HEIGHT[widget.role]
    per_line = max(1, width // CHAR)
    lines = sum(max(1, -(-_columns(line) // per_line)) for line in (widget.text or "").split("\n"))
    return min(width, _natural(widget)), lines * LINE


M = TypeVar("M", bound=BaseModel)
_FIELDS: dict[type[BaseModel], set[str]] = {kind: set(kind.model_fields) for kind in (GUIElement, BoundingBox)}
_DEFAULTS = {name: field.get_default() for name, field in GUIElement.model_fields.items()}


def element_of(node: Node, number: int, parent: str | None, clip: tuple[int, int], focus: str, app: str | None) -> GUIElement:
    """The element as an observer sees it; what lies outside of `clip` keeps its box and is not visible."""
    widget = node.widget
    x1, y1, x2, y2 = node.box
    top, bottom = clip
    visible = top <= (y1 + y2) // 2 < bottom if not widget.children else y2 > top and y1 < bottom
    if visible:
        y1, y2 = max(y1, top), min(y2, bottom)
    values = {
        **_DEFAULTS,
        "element_id": f"e{number}", "role": widget.role, "text": widget.text,
        "bbox": _built(BoundingBox, {"x1": x1, "y1": y1, "x2": x2, "y2": y2}), "visible": visible, "track_id": node.track_id,
        "name_source": None if widget.text is None else "label" if widget.value is not None else "content",
        "value": widget.value, "enabled": widget.enabled, "focused": node.track_id == focus, "selected": widget.selected,
        "required": widget.required, "invalid": widget.invalid, "private": widget.private, "parent": parent, "app": app,
        "window": None if app is None else f"win-{app}", "placeholder": widget.placeholder, "options": widget.options,
    }  # fmt: skip
    return _built(GUIElement, values)


def _built(kind: type[M], values: dict[str, Any]) -> M:
    """A model without validation, which costs more than all the rest of a screen."""
    model = kind.__new__(kind)
    put = object.__setattr__
    put(model, "__dict__", values)
    put(model, "__pydantic_fields_set__", _FIELDS[kind])
    put(model, "__pydantic_extra__", None)
    put(model, "__pydantic_private__", None)
    return model
