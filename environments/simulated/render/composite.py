"""Controls made of several marks: sliders, switches, trees, menus, days of a month. Nothing is drawn outside of the box."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from environments.simulated.ranges import TRACK, share
from environments.simulated.render.fonts import Face
from environments.simulated.render.shapes import Fill, Icon, Shape, framed
from environments.simulated.render.spot import BODY, RADIUS, SMALL, STRONG, Spot, at, line, padded, ring
from environments.simulated.render.text import measure, printable
from environments.simulated.widgets import INDENT

_NAME = Face(11)
_ARROW = 14
_HANDLE = 12


def slider(spot: Spot) -> Iterator[Shape]:
    """The name and the value in small letters, and below them a track with a handle."""
    x1, y1, x2, y2 = spot.box
    theme, element = spot.theme, spot.element
    yield from ring(spot)
    ink = theme.accent if element.focused else theme.muted
    value = printable(element.value or "")
    wide = measure(value, _NAME)
    yield at(x1 + TRACK, y1 + 14, spot.text, _NAME, ink, round(x2 - x1 - 2 * TRACK - wide - 8))
    yield at(round(x2 - TRACK - wide), y1 + 14, value, _NAME, spot.colour, round(wide) + 1)
    left, right, middle = x1 + TRACK, x2 - TRACK, y2 - 10
    here = left + round((right - left) * share(spot.widget))
    yield Fill((left, middle - 2, right, middle + 2), theme.border, 2)
    yield Fill((left, middle - 2, max(left + 1, here), middle + 2), theme.accent, 2)
    half = _HANDLE // 2
    yield from framed((here - half, middle - half, here + half, middle + half), theme.surface, theme.accent, half, 3)


def switch(spot: Spot) -> Iterator[Shape]:
    element, theme = spot.element, spot.theme
    x, _, right, _ = spot.box
    track = (x + 3, spot.middle - 8, x + 33, spot.middle + 8)
    on = element.value == "true"
    if element.focused:
        yield from framed((track[0] - 3, track[1] - 3, track[2] + 3, track[3] + 3), theme.page, theme.accent, 11, 2)
    yield Fill(track, theme.accent if on else theme.control, 8)
    knob = track[2] - 14 if on else track[0] + 2
    yield Fill((knob, track[1] + 2, knob + 12, track[3] - 2), theme.on_accent if on else theme.surface, 6)
    yield line(spot, spot.text, BODY, spot.colour, track[2] + 8, right)


def treeitem(spot: Spot) -> Iterator[Shape]:
    """Indented by its level, with a triangle where there is something below it."""
    element, theme = spot.element, spot.theme
    x1, _, x2, _ = spot.box
    if element.selected:
        yield Fill(spot.box, theme.soft, RADIUS)
    yield from ring(spot, fill=theme.soft if element.selected else theme.surface)
    left = min(x1 + INDENT * max(1, spot.widget.level), x2)
    if spot.widget.expanded is not None and left - _ARROW >= x1:
        drawing = "chevron" if spot.widget.expanded else "chevron-right"
        yield Icon(drawing, left - _ARROW, spot.middle - _ARROW // 2, _ARROW, theme.muted)
    yield line(spot, spot.text, STRONG if element.selected else BODY, spot.colour, left + 4, x2 - 4)


def menuitem(spot: Spot) -> Iterator[Shape]:
    element, theme = spot.element, spot.theme
    x2 = spot.box[2]
    if element.focused or spot.widget.expanded:
        yield Fill(spot.box, theme.soft, 4)
    arrow = _ARROW if spot.widget.expanded is not None else 0
    left, right = padded(spot.box, 10, 6)
    yield line(spot, spot.text, BODY, spot.colour, left, right - arrow)
    if arrow:
        yield Icon("chevron-right", x2 - arrow - 4, spot.middle - arrow // 2, arrow, theme.muted)


def option(spot: Spot) -> Iterator[Shape]:
    if spot.element.selected:
        yield Fill(spot.box, spot.theme.soft, 4)
    yield line(spot, spot.text, BODY, spot.colour, *padded(spot.box, 10, 6))


def gridcell(spot: Spot) -> Iterator[Shape]:
    """A day; the one that is chosen is filled."""
    element, theme = spot.element, spot.theme
    ink = spot.colour
    if element.selected:
        yield Fill(spot.box, theme.accent, RADIUS)
        ink = theme.on_accent
    if element.focused:
        inner = theme.accent if element.selected else theme.surface
        yield from framed(spot.box, inner, theme.on_accent if element.selected else theme.accent, RADIUS, 2)
    yield line(spot, spot.text, BODY, ink, *padded(spot.box, 2), centred=True)


def generic(spot: Spot) -> Iterator[Shape]:
    """What can be pressed and does not say so: a tag with no frame."""
    x1, y1, x2, y2 = spot.box
    yield Fill((x1, y1 + 2, x2, y2 - 2), spot.theme.soft, (y2 - y1) // 2 - 2)
    yield from ring(spot, fill=spot.theme.soft)
    yield line(spot, spot.text, SMALL, spot.theme.text, *padded(spot.box), centred=True)


def tree(spot: Spot) -> Iterator[Shape]:
    yield from framed(spot.box, spot.theme.surface, spot.theme.border, RADIUS)


Draw = Callable[[Spot], Iterator[Shape]]
COMPOSITE: dict[str, Draw] = {
    "slider": slider, "switch": switch, "treeitem": treeitem, "menuitem": menuitem, "option": option, "gridcell": gridcell,
    "generic": generic, "tree": tree,
}  # fmt: skip
