"""Placed widgets as an observer sees them: elements with a box, a name and whether they can be reached."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple, TypeVar

from pydantic import BaseModel

from environments.simulated.screen.layout import Node
from environments.simulated.screen.widgets import FIELDS, Widget
from protocol import BoundingBox, GUIElement, VisualState

Box = tuple[int, int, int, int]
M = TypeVar("M", bound=BaseModel)
_FIELDS: dict[type[BaseModel], set[str]] = {kind: set(kind.model_fields) for kind in (GUIElement, BoundingBox, VisualState)}
_DEFAULTS = {name: field.get_default() for name, field in GUIElement.model_fields.items()}
_new, _put = object.__new__, object.__setattr__


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
    focus: str = ""
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
    values = {
        **_DEFAULTS,
        "element_id": number, "role": widget.role, "text": name,
        "bbox": _box(x1, y1, x2, y2), "visible": visible and not covered, "track_id": node.track_id,
        "name_source": source,
        "value": widget.value, "enabled": widget.enabled, "focused": node.track_id == pane.focus, "selected": widget.selected,
        "required": widget.required, "invalid": widget.invalid, "private": widget.private, "parent": parent, "app": app,
        "actuator": widget.actuator,
        "window": None if app is None else f"win-{app}", "placeholder": widget.placeholder, "options": widget.options,
        "expanded": widget.expanded, "level": widget.level or None, "limits": widget.limits,
    }  # fmt: skip
    return built(GUIElement, values), covered


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


def built(kind: type[M], values: dict[str, Any]) -> M:
    """A model without validation, which costs more than all the rest of a screen."""
    model = _new(kind)
    _put(model, "__dict__", values)
    _put(model, "__pydantic_fields_set__", _FIELDS[kind])
    _put(model, "__pydantic_extra__", None)
    _put(model, "__pydantic_private__", None)
    return model
