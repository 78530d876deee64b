"""Placed widgets as an observer sees them: elements with a box, a name and whether they can be reached."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple, TypeAlias
from unicodedata import east_asian_width

from environments.simulated.screen.widgets import FIELDS, INDENT, Widget
from environments.simulated.variation.metrics import USUAL, Metrics
from environments.simulated.world.values import built, slug
from protocol import BoundingBox, GUIElement

_TEXT_MAX = 100_000
_NARROW = 64
"""Columns are at least so wide; a table that has no room for that puts its cells below each other, as a phone does."""


class Area(NamedTuple):
    """Where a tree is laid out: left, top (after scrolling) and width; what lies outside `clip` (top, bottom) is not visible."""

    x: int
    y: int
    width: int
    clip: tuple[int, int]
    text_max: int = _TEXT_MAX
    """Longest text in pixels, so that what stands below it stays on the screen."""


Flow: TypeAlias = Callable[[tuple[Widget, ...], int, int, int, int | None], int]
"""Lays children out from a left and a top in a width, below the node of that index; gives the height."""


class Node(NamedTuple):
    """A widget where it stands. `above` is the index of its parent among the nodes of the same tree."""

    widget: Widget
    track_id: str
    box: tuple[int, int, int, int]
    above: int | None
    lift: int = 0
    """How many floating things it is part of: what is lifted lies over what is not."""


def place(widgets: Iterable[Widget], prefix: str, area: Area, metrics: Metrics = USUAL) -> tuple[list[Node], int]:
    """Every widget in reading order, and the height that they take, with what floats beyond the end."""
    walk = _NodeWalk(prefix, area, metrics)
    height = walk.column(tuple(widgets), area.x, area.y, area.width, None)
    nodes = walk.done()
    lowest = max((node.box[3] - area.y for node in nodes if node.lift), default=0)
    return nodes, max(height, lowest)


class _NodeWalk:
    """The nodes so far; a parent's place is reserved before its children are known."""

    def __init__(self, prefix: str, area: Area, metrics: Metrics) -> None:
        self.prefix = prefix
        self.area = area
        self.metrics = metrics
        self.nodes: list[Node | None] = []
        self.taken: dict[str, int] = {}
        self.lift = 0
        self.naturals: dict[int, int] = {}

    def done(self) -> list[Node]:
        nodes = [node for node in self.nodes if node is not None]
        if not self.metrics.mirrored:
            return nodes
        both = 2 * self.area.x + self.area.width
        return [n._replace(box=(both - n.box[2], n.box[1], both - n.box[0], n.box[3])) for n in nodes]

    def column(self, widgets: tuple[Widget, ...], x: int, y: int, width: int, above: int | None) -> int:
        """One below the other; buttons that follow each other share a line."""
        top, gap, at, count = y, self.metrics.gap, 0, len(widgets)
        while at < count:
            widget = widgets[at]
            if widget.role != "button" or widget.floats:
                height = self.put(widget, x, y, width, above)
                y += 0 if widget.floats else height + gap
                at += 1
                continue
            end = at + 1
            while end < count and widgets[end].role == "button":
                end += 1
            y += self.across(widgets[at:end], x, y, width, above) + gap
            at = end
        return max(0, y - top - gap)

    def across(self, widgets: tuple[Widget, ...], x: int, y: int, width: int, above: int | None) -> int:
        """Side by side by natural width; what does not fit goes to the next line."""
        left, top, tallest, gap = x, y, 0, self.metrics.gap
        for widget in widgets:
            wide = min(width, self.natural(widget))
            if widget.floats:
                # A menu opens beside the item that it belongs to, everything else below the line.
                self.put(widget, x, y if widget.role == "menu" else y + tallest, wide, above)
                continue
            if x > left and x + wide > left + width:
                x, y, tallest = left, y + tallest + gap, 0
            tallest = max(tallest, self.put(widget, x, y, wide, above))
            x += wide + gap
        return y + tallest - top

    def cells(self, widgets: tuple[Widget, ...], x: int, y: int, width: int, above: int | None) -> int:
        """Side by side in columns of equal width, if there is room for that."""
        wide = width // max(1, len(widgets))
        if wide < _NARROW:
            return self.across(widgets, x, y, width, above)
        put, gap = self.put, self.metrics.gap
        return max((put(w, x + i * wide, y, wide - gap, above) for i, w in enumerate(widgets)), default=0)

    def grid(self, widgets: tuple[Widget, ...], x: int, y: int, width: int, above: int | None) -> int:
        """Fields side by side in as many columns as the layout has; everything else takes the whole line."""
        top, gap, columns = y, self.metrics.gap, self.metrics.columns
        wide = (width - gap * (columns - 1)) // columns
        for fields, run in groupby(widgets, key=lambda w: w.role in self.metrics.width and not (w.multiline or w.floats)):
            things = tuple(run)
            if not fields:
                y += self.column(things, x, y, width, above) + gap
                continue
            for at in range(0, len(things), columns):
                beside = enumerate(things[at : at + columns])
                y += max(self.put(widget, x + i * (wide + gap), y, wide, above) for i, widget in beside) + gap
        return max(0, y - top - gap)

    def put(self, widget: Widget, x: int, y: int, width: int, above: int | None) -> int:
        nodes = self.nodes
        index = len(nodes)
        nodes.append(None)
        key = widget.key or f"{widget.role}-{slug(widget.text or '')[:24]}"
        track = f"{self.prefix}.{key}"
        count = self.taken[track] = self.taken.get(track, 0) + 1
        if count > 1:
            track = f"{track}-{count}"
        if widget.floats:
            self.lift += 1
            width = min(self.natural(widget), self.area.width)
            x = max(self.area.x, min(x, self.area.x + self.area.width - width))
        lift = self.lift
        if widget.children:
            height = self._flow(widget)(widget.children, x, y, width, index)
        else:
            width, height = self.size(widget, width)
            height = min(height, self.area.text_max)
        if widget.floats:
            self.lift -= 1
        nodes[index] = Node(widget, track, (x, y, x + width, y + height), above, lift)
        return height

    def _flow(self, widget: Widget) -> Flow:
        if widget.role == "row":
            return self.cells
        if widget.across:
            return self.across
        return self.grid if widget.role == "form" and self.metrics.columns > 1 else self.column

    def natural(self, widget: Widget) -> int:
        """The width that a thing takes where it may choose. Asked again at each level, so it is remembered."""
        if (known := self.naturals.get(id(widget))) is not None:
            return known
        if widget.children:
            widths = [self.natural(child) for child in widget.children if widget.floats or not child.floats] or [0]
            wide = sum(widths) + self.metrics.gap * (len(widths) - 1) if widget.across else max(widths)
        elif widget.icon:
            wide = self.metrics.height[widget.role]
        else:
            more = (20 if widget.expanded is not None or widget.role == "switch" else 0) + INDENT * widget.level
            wide = self.metrics.width.get(widget.role) or max(40, _columns(widget.text or "") * self.metrics.char + 24 + more)
        self.naturals[id(widget)] = wide
        return wide

    def size(self, widget: Widget, width: int) -> tuple[int, int]:
        metrics, role = self.metrics, widget.role
        if fixed := metrics.width.get(role):
            wide = min(width, metrics.multiline_width if widget.multiline else fixed)
            return wide, metrics.multiline if widget.multiline else metrics.height[role]
        if tall := metrics.height.get(role):
            return (width if role == "cell" or role == "columnheader" else min(width, self.natural(widget))), tall
        content = widget.text or ""
        per_line = max(1, width // metrics.char)
        lines = sum(max(1, -(-_columns(line) // per_line)) for line in content.split("\n"))
        return min(width, self.natural(widget)), lines * metrics.line


@lru_cache(maxsize=8192)
def _columns(text: str) -> int:
    """How many characters of usual width a text is: ideographs and emoji take two."""
    return len(text) if text.isascii() else sum(2 if east_asian_width(char) in "WF" else 1 for char in text)


Box = tuple[int, int, int, int]
_DEFAULTS = {name: field.get_default() for name, field in GUIElement.model_fields.items()}


class ShownElement(NamedTuple):
    """An element with the widget behind it. `layer` counts the dialogs that lie below: 0 is a window."""

    element: GUIElement
    widget: Widget
    layer: int
    above: ShownElement | None
    lift: int = 0
    covered: bool = False
    """Something lies over it: it is on the screen and cannot be reached."""

    @property
    def name(self) -> str:
        return self.widget.text or self.widget.key

    @property
    def word(self) -> str:
        """Its name in the app's own words, which rules speak of in whatever language it is shown."""
        return self.widget.word or self.widget.key


class Pane(NamedTuple):
    """What all elements of one window or dialog have in common."""

    app: str | None
    clip: Box
    layer: int = 0
    over: tuple[Box, ...] = ()
    """Boxes that lie on top of it."""


def show(nodes: Sequence[Node], pane: Pane, start: int) -> tuple[ShownElement, ...]:
    """The elements of a tree, numbered from `start` in reading order."""
    shown: list[ShownElement] = []
    floats = tuple((node.box, node.lift) for node in nodes if node.widget.floats)
    names = [f"e{number}" for number in range(start, start + len(nodes))]
    for at, node in enumerate(nodes):
        up = node.above
        parent, above = (None, None) if up is None else (names[up], shown[up])
        over = pane.over
        if floats:
            over = (*over, *(box for box, lift in floats if lift > node.lift))
        element, covered = _element(node, names[at], parent, pane, over)
        shown.append(ShownElement(element, node.widget, pane.layer, above, node.lift, covered))
    return tuple(shown)


def _element(node: Node, number: str, parent: str | None, pane: Pane, over: tuple[Box, ...]) -> tuple[GUIElement, bool]:
    """The element, and whether it is covered; what lies outside of the window keeps its box and is not visible."""
    widget, app = node.widget, pane.app
    x1, y1, x2, y2 = node.box
    left, top, right, bottom = pane.clip
    if widget.children:
        visible = y2 > top and y1 < bottom and x2 > left and x1 < right
    else:
        visible = top <= (y1 + y2) >> 1 < bottom and left <= (x1 + x2) >> 1 < right
    covered = False
    if visible:
        x1, y1, x2, y2 = max(x1, left), max(y1, top), min(x2, right), min(y2, bottom)
        covered = bool(over) and _hidden((x1, y1, x2, y2), over)
    name, source = _name(widget)
    # Whatever of a widget goes into an element has to be here, too.
    limits = widget.limits and (*map(repr, widget.limits), *widget.limits)  # 1 and 1.0 are equal, and not written alike
    key = (
        number, widget.role, name, source, x1, y1, x2, y2, visible and not covered, node.track_id, widget.value, widget.enabled,
        widget.selected, widget.required, widget.invalid, widget.private, parent, app, widget.actuator, widget.placeholder,
        widget.options, widget.expanded, widget.level, limits,
    )  # fmt: skip
    element = _ELEMENTS.get(key)
    if element is None:
        if len(_ELEMENTS) >= _MOST_ELEMENTS:
            _ELEMENTS.clear()
        element = _ELEMENTS[key] = built(GUIElement, {
            **_DEFAULTS,
            "element_id": number, "role": widget.role, "text": name,
            "bbox": _box(x1, y1, x2, y2), "visible": visible and not covered, "track_id": node.track_id,
            "name_source": source, "value": widget.value, "enabled": widget.enabled, "selected": widget.selected,
            "required": widget.required, "invalid": widget.invalid, "private": widget.private, "parent": parent, "app": app,
            "actuator": widget.actuator,
            "window": None if app is None else f"win-{app}", "placeholder": widget.placeholder, "options": widget.options,
            "expanded": widget.expanded, "level": widget.level or None, "limits": widget.limits,
        })  # fmt: skip
    return element, covered


_MOST_ELEMENTS = 4_096
_ELEMENTS: dict[tuple[object, ...], GUIElement] = {}
"""Elements by all that they are made of: most of a window that is drawn anew are as before, and what was worked out of one (its
JSON, its line) stays with it."""


def _name(widget: Widget) -> tuple[str | None, str | None]:
    """The accessible name and where it comes from, as a page's would: a thing without one has its class at best."""
    if widget.text is None:
        return None, None
    if widget.label == "for":
        return widget.text, "content" if widget.value is None else "label"
    if widget.label == "near":
        return widget.text, "nearby"
    if widget.role in FIELDS:
        return (None, None) if not widget.placeholder else (widget.placeholder, "placeholder")
    return widget.key.rsplit(".", 1)[-1], "class"


def _hidden(box: Box, over: tuple[Box, ...]) -> bool:
    """Whether none of five points of a box is free: its middle and those on the way to its corners."""
    x1, y1, x2, y2 = box
    x, y, dx, dy = (x1 + x2) >> 1, (y1 + y2) >> 1, (x2 - x1) * 2 // 5, (y2 - y1) * 2 // 5
    points = ((x, y), (x - dx, y - dy), (x + dx, y - dy), (x - dx, y + dy), (x + dx, y + dy))
    return all(any(a <= px < c and b <= py < d for a, b, c, d in over) for px, py in points)


@lru_cache(maxsize=16_384)
def _box(x1: int, y1: int, x2: int, y2: int) -> BoundingBox:
    return built(BoundingBox, {"x1": x1, "y1": y1, "x2": x2, "y2": y2})
