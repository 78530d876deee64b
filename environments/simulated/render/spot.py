"""An element where it is drawn, and the ways in which most elements put a line of text into their box."""

from __future__ import annotations

from dataclasses import dataclass

from environments.simulated.input.text_editing import EditedLine
from environments.simulated.render.fonts import Face
from environments.simulated.render.shapes import Box, Fill, Label, framed
from environments.simulated.render.text import cut, fit, measure, printable
from environments.simulated.render.theme import Theme
from environments.simulated.screen.elements import ShownElement
from environments.simulated.screen.widgets import Widget
from protocol import GUIElement

BODY = Face(14)
STRONG = Face(14, bold=True)
SMALL = Face(13)
LEAST = 12
"""Text gets no smaller than this; what is still too long is cut."""
PAD = 12
RADIUS = 6
_CAPITAL = 0.355
"""Half the height of a capital letter, in sizes of the text."""


@dataclass(frozen=True, slots=True)
class Spot:
    """All that drawing an element needs to know. `box` is whole, also where a part of it is scrolled out."""

    shown: ShownElement
    box: Box
    theme: Theme
    middle: int
    """Where a single line of text stands, so that it lines up with its neighbours."""
    inside: tuple[ShownElement, ...] = ()
    """Its children."""
    edit: EditedLine | None = None
    """The caret and the selection, in the field that has the focus."""
    main: bool = False
    """The button that Enter presses, and the first text of a pair."""
    marked: bool = False
    """Its text is selected on the page."""

    @property
    def element(self) -> GUIElement:
        return self.shown.element

    @property
    def widget(self) -> Widget:
        return self.shown.widget

    @property
    def text(self) -> str:
        return " ".join(printable(self.element.name).split("\n"))

    @property
    def colour(self) -> str:
        return self.theme.text if self.element.enabled else self.theme.faint


def baseline(middle: int, face: Face) -> int:
    return middle + round(face.size * _CAPITAL)


def line(spot: Spot, text: str, face: Face, colour: str, left: int, right: int, *, centred: bool = False) -> Label:
    """A line between two edges, in a smaller size or cut when it has no room."""
    text, face = fit(text, face, max(0, right - left), LEAST)
    width = measure(text, face)
    x = round((left + right - width) / 2) if centred else left
    return Label(x, baseline(spot.middle, face), text, face, colour, width)


def at(x: int, y: int, text: str, face: Face, colour: str, room: int) -> Label:
    """A line at a place, cut when it has no room."""
    text = cut(text, face, max(0, room))
    return Label(x, y, text, face, colour, measure(text, face))


def ring(spot: Spot, radius: int = RADIUS, fill: str = "") -> tuple[Fill, ...]:
    """Shows that the element has the focus: a frame inside its edges."""
    if not spot.element.focused:
        return ()
    return framed(spot.box, fill or spot.theme.page, spot.theme.accent, radius, 2)


def padded(box: Box, left: int = PAD, right: int | None = None) -> tuple[int, int]:
    """The left and right edges for text in a box."""
    x1, _, x2, _ = box
    widest = (x2 - x1) // 4
    return x1 + min(left, widest), x2 - min(left if right is None else right, widest)
