"""A screen drawn from its recorded elements, for runs that kept no pictures: boxes, names and values, each where it was.

Raises EnvironmentFault on import where Pillow is not installed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from environments.simulated.render.fonts import Face
from environments.simulated.render.shapes import Box, Fill, Label, Part, Shape, framed
from environments.simulated.render.text import fit, measure, printable
from environments.simulated.render.theme import LIGHT
from orchestrator.viewer.data import Box as Place
from orchestrator.viewer.screens import FLAGS

COVERED = "••••••••"
_REFERENCE = re.compile(r"<secret>[^<]{0,200}</secret>")
_FIELDS = frozenset({"textbox", "searchbox", "combobox", "spinbutton", "slider"})
_CHOICES = frozenset({"checkbox", "radio", "switch"})
_PRESSED = frozenset({"button", "tab", "menuitem", "option"})
_FRAMES = _FIELDS | _PRESSED | frozenset({
    "listbox", "menu", "dialog", "alertdialog", "table", "grid", "tree", "list", "alert", "status", "tooltip", "progressbar",
    "img", "image",
})  # fmt: skip
_SILENT = frozenset({
    "group", "form", "table", "grid", "list", "tree", "dialog", "alertdialog", "listbox", "menu", "tablist", "region", "row",
    "listitem", "navigation", "main", "article",
})  # fmt: skip
_BITS = {name: 1 << bit for bit, name in enumerate(FLAGS)}
_LEAST = 7


def drawn(elements: Sequence[Sequence[Any]], place: Box, scale: float) -> tuple[Part, ...]:
    """The elements of a screen (`screens.FIELDS`) as shapes within `place`, which is `scale` as large as the screen."""
    made = [Part((Fill(place, LIGHT.page),), place)]
    for x1, y1, x2, y2, role, text, value, flags in elements:
        box = scaled((x1, y1, x2, y2), place, scale)
        shapes = tuple(_shapes(box, str(role), _said(text), _hidden(_said(value), flags), flags, scale))
        if shapes:
            made.append(Part(shapes, _within(box, place)))
    return tuple(made)


def scaled(box: Place, place: Box, scale: float) -> Box:
    """A box of the screen, in pixels of the picture of it that stands at `place`."""
    left, top = place[0], place[1]
    x1, y1, x2, y2 = (round(part * scale) for part in box)
    return left + x1, top + y1, left + max(x2, x1 + 1), top + max(y2, y1 + 1)


def private_boxes(elements: Sequence[Sequence[Any]]) -> list[Place]:
    """Where a screen shows what is private; a stored picture has it covered already, and is covered once more."""
    return [(e[0], e[1], e[2], e[3]) for e in elements if e[7] & _BITS["private"]]


def _within(box: Box, place: Box) -> Box:
    return max(box[0], place[0]), max(box[1], place[1]), min(box[2], place[2]), min(box[3], place[3])


def _said(text: Any) -> str:
    return " ".join(_REFERENCE.sub(COVERED, printable(str(text))).split())


def _hidden(value: str, flags: int) -> str:
    return COVERED if value and flags & _BITS["private"] else value


def _shapes(box: Box, role: str, text: str, value: str, flags: int, scale: float) -> Iterator[Shape]:
    if role in _FRAMES:
        edge = LIGHT.danger if flags & _BITS["invalid"] else LIGHT.accent if flags & _BITS["focused"] else LIGHT.border
        yield from framed(box, _ground(role, flags), edge, radius=4 if min(box[2] - box[0], box[3] - box[1]) > 10 else 0)
    elif flags & _BITS["selected"]:
        yield Fill(box, LIGHT.soft)
    if role not in _SILENT:
        yield from _words(box, role, text, value, flags, scale)


def _ground(role: str, flags: int) -> str:
    if role == "alert":
        return LIGHT.danger_soft
    if flags & _BITS["selected"]:
        return LIGHT.soft
    return LIGHT.bar if role in _PRESSED else LIGHT.surface


def _words(box: Box, role: str, text: str, value: str, flags: int, scale: float) -> Iterator[Shape]:
    x1, y1, x2, y2 = box
    high, room = y2 - y1, x2 - x1 - 8
    size = max(_LEAST, round((20 if role == "heading" else 15) * scale))
    ink = LIGHT.faint if flags & _BITS["disabled"] else LIGHT.accent if role == "link" else LIGHT.text
    if room < _LEAST or high < _LEAST:
        return
    if role in _FIELDS:
        small = max(_LEAST, round(11 * scale))
        yield from _line(x1 + 4, y1 + small + 1, room, text, Face(small), LIGHT.muted)
        face = Face(min(size, max(_LEAST, high // 2)))
        yield from _line(x1 + 6, y1 + min(high - 4, round(high * 0.8)), room - 2, value, face, ink)
        return
    if role in _CHOICES:
        text = f"{'☑' if value == 'true' else '☐'} {text}"
    elif value and value not in (text, "true", "false"):
        text = f"{text} {value}"
    face = Face(min(size, max(_LEAST, round(high * 0.7))), bold=role in ("heading", "columnheader"))
    text, face = fit(text, face, room, min(face.size, _LEAST))
    base = y1 + min(high // 2, face.size) + round(face.size * 0.36)
    start = x1 + 4 if role not in _PRESSED else x1 + max(4, round((x2 - x1 - measure(text, face)) / 2))
    yield Label(start, base, text, face, ink, measure(text, face))


def _line(x: int, y: int, room: int, text: str, face: Face, ink: str) -> Iterator[Shape]:
    text, face = fit(text, face, room, min(face.size, _LEAST))
    if text:
        yield Label(x, y, text, face, ink, measure(text, face))
