"""How each kind of element looks. Nothing is drawn outside of the element's box."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from environments.simulated.input.keyboard import EditedLine
from environments.simulated.input.pointer import TRACK, share
from environments.simulated.render.raster import icon_of
from environments.simulated.render.shapes import Box, Fill, Icon, Label, Shape, Theme, framed, grown
from environments.simulated.render.text import Face, cut, fit, lines, measure, printable
from environments.simulated.screen.elements import ShownElement
from environments.simulated.screen.widgets import INDENT, Widget
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


def ring(spot: Spot, fill: str = "") -> tuple[Fill, ...]:
    """Shows that the element has the focus: a frame inside its edges."""
    if not spot.element.focused:
        return ()
    return framed(spot.box, fill or spot.theme.page, spot.theme.accent, RADIUS, 2)


def padded(box: Box, left: int = PAD, right: int | None = None) -> tuple[int, int]:
    """The left and right edges for text in a box."""
    x1, _, x2, _ = box
    widest = (x2 - x1) // 4
    return x1 + min(left, widest), x2 - min(left if right is None else right, widest)


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


def generic(spot: Spot) -> Iterator[Shape]:
    """What can be pressed and does not say so: a tag with no frame."""
    x1, y1, x2, y2 = spot.box
    yield Fill((x1, y1 + 2, x2, y2 - 2), spot.theme.soft, (y2 - y1) // 2 - 2)
    yield from ring(spot, fill=spot.theme.soft)
    yield line(spot, spot.text, SMALL, spot.theme.text, *padded(spot.box), centred=True)


def tree(spot: Spot) -> Iterator[Shape]:
    yield from framed(spot.box, spot.theme.surface, spot.theme.border, RADIUS)


Draw = Callable[[Spot], Iterator[Shape]]
TITLE = Face(20, bold=True)
CHECK = 16
ROW_ROUND = 4
STRIPE = 4
"""How far the stripe of a row reaches into the gaps above and below, which belong to the table."""


class Setting(NamedTuple):
    """A size of text, and how far apart its lines are."""

    face: Face
    pitch: int


_SETTINGS = (Setting(BODY, 24), Setting(Face(13), 20), Setting(Face(12), 17), Setting(Face(11), 15))
"""For paragraphs: the first one in which all of the text has room."""


def button(spot: Spot) -> Iterator[Shape]:
    element, theme, box = spot.element, spot.theme, spot.box
    if element.app is None and spot.widget.key.startswith("icon-"):
        yield Fill(box, "#ffffff33" if element.focused else "#ffffff1f", RADIUS)
        yield Icon(icon_of(spot.widget.key.removeprefix("icon-")), box[0] + 7, box[1] + 8, 16, "#ffffff")
        yield line(spot, spot.text, SMALL, "#ffffff", box[0] + 28, box[2] - 4)
        return
    ink = theme.text
    if not element.enabled:
        yield from framed(box, theme.page, theme.border, RADIUS)
        ink = theme.faint
    elif spot.main:
        yield Fill(box, theme.accent, RADIUS)
        if element.focused:
            yield from framed(grown(box, -2), theme.accent, theme.on_accent, RADIUS - 2)
        ink = theme.on_accent
    elif element.focused:
        yield from framed(box, theme.surface, theme.accent, RADIUS, 2)
    else:
        yield from framed(box, theme.surface, theme.control, RADIUS)
    if spot.widget.icon:
        size = min(18, box[3] - box[1] - 8)
        yield Icon(spot.widget.icon, (box[0] + box[2] - size) // 2, spot.middle - size // 2, size, ink)
        return
    arrow = 18 if spot.widget.expanded is not None else 0
    left, right = padded(box, 8)
    yield line(spot, spot.text, BODY, ink, left, right - arrow, centred=True)
    if arrow:
        yield Icon("chevron", right - 14, spot.middle - 7, 14, ink)


def link(spot: Spot) -> Iterator[Shape]:
    element, theme = spot.element, spot.theme
    if element.selected:
        yield Fill(spot.box, theme.soft, RADIUS)
    yield from ring(spot, fill=theme.soft if element.selected else theme.surface)
    ink = theme.accent if element.enabled else theme.faint
    above = spot.shown.above
    among = element.selected or (above is not None and (above.widget.across or above.widget.role == "listitem"))
    yield line(spot, spot.text, STRONG if element.selected else BODY, ink, *padded(spot.box, PAD if among else 0, 4))


def tab(spot: Spot) -> Iterator[Shape]:
    element, theme = spot.element, spot.theme
    x1, _, x2, y2 = spot.box
    yield from ring(spot)
    ink = theme.accent if element.selected else theme.muted
    yield line(spot, spot.text, STRONG if element.selected else BODY, ink, *padded(spot.box, 6), centred=True)
    if element.selected:
        yield Fill((x1 + 4, y2 - 3, x2 - 4, y2), theme.accent, 1)


def checkbox(spot: Spot) -> Iterator[Shape]:
    element, theme = spot.element, spot.theme
    x, _, right, _ = spot.box
    square = (x + 3, spot.middle - CHECK // 2, x + 3 + CHECK, spot.middle + CHECK // 2)
    if element.focused:
        yield from framed(grown(square, 3), theme.page, theme.accent, 6, 2)
    if element.value == "true":
        yield Fill(square, theme.accent if element.enabled else theme.faint, 4)
        yield Icon("check", square[0] + 2, square[1] + 2, CHECK - 4, theme.on_accent)
    else:
        edge, width = (theme.danger, 2) if element.invalid else (theme.control, 1)
        yield from framed(square, theme.surface, edge, 4, width)
    star = 8 if element.required else 0
    ink = theme.danger if element.invalid else spot.colour
    label = line(spot, spot.text, BODY, ink, square[2] + 6, right - star)
    yield label
    if star:
        yield at(round(label.x + label.width) + 3, label.y, "*", label.face, theme.danger, star)


def heading(spot: Spot) -> Iterator[Shape]:
    yield line(spot, spot.text, TITLE, spot.theme.text, spot.box[0], spot.box[2])


def text(spot: Spot) -> Iterator[Shape]:
    """A paragraph; the first text of a pair is the name of the second one."""
    x1, y1, x2, y2 = spot.box
    said, room = printable(spot.element.name), x2 - x1
    ink = spot.theme.muted if spot.main else spot.theme.text
    for setting in _SETTINGS:
        face, pitch = setting
        spans, rows = lines(said, face, room), max(1, (y2 - y1) // pitch)
        if len(spans) <= rows:
            break
    first = spot.middle if rows == 1 else y1 + pitch // 2
    for number, span in enumerate(spans[:rows]):
        more = number == rows - 1 < len(spans) - 1
        rest = " ".join(said[span.start :].split("\n")) if more else said[span.start : span.end].rstrip()
        label = at(x1, baseline(first + number * pitch, face), rest, face, ink, room)
        if spot.marked:
            yield Fill((x1, label.y - face.size, x1 + round(label.width), label.y + 4), spot.theme.selection)
        yield label


def alert(spot: Spot) -> Iterator[Shape]:
    yield from _note(spot, spot.theme.danger_soft, spot.theme.danger, "warning")


def status(spot: Spot) -> Iterator[Shape]:
    """A short message, light on dark or the other way round."""
    yield from _note(spot, spot.theme.toast, spot.theme.on_toast, "done")


def _note(spot: Spot, fill: str, ink: str, icon: str) -> Iterator[Shape]:
    """A message on a ground of its own; the icon gives way to the words."""
    x1, _, x2, _ = spot.box
    yield Fill(spot.box, fill, RADIUS)
    left = x1 + 8
    if measure(spot.text, SMALL) <= x2 - 6 - left - 20 or x2 - x1 > 200:
        yield Icon(icon, x1 + 7, spot.middle - 7, 14, ink)
        left += 20
    yield line(spot, spot.text, SMALL, ink, left, x2 - 6)


def progress(spot: Spot) -> Iterator[Shape]:
    x1, y1, x2, y2 = spot.box
    theme = spot.theme
    yield at(x1, baseline(y1 + 14, SMALL), spot.text, SMALL, theme.muted, x2 - x1)
    yield Fill((x1, y2 - 10, x2, y2 - 6), theme.soft, 2)
    yield Fill((x1, y2 - 10, x1 + (x2 - x1) * 2 // 5, y2 - 6), theme.accent, 2)


def cell(spot: Spot) -> Iterator[Shape]:
    yield line(spot, spot.text, BODY, spot.theme.text, *padded(spot.box, PAD, 4))


def columnheader(spot: Spot) -> Iterator[Shape]:
    yield line(spot, spot.text, Face(12, bold=True), spot.theme.muted, *padded(spot.box, PAD, 4))


def row(spot: Spot) -> Iterator[Shape]:
    theme = spot.theme
    if spot.element.selected:
        x1, y1, _, y2 = spot.box
        yield Fill(spot.box, theme.soft, ROW_ROUND)
        yield Fill((x1, y1 + 3, x1 + 3, y2 - 3), theme.accent, 1)
    if spot.element.focused:
        yield from framed(spot.box, theme.soft if spot.element.selected else theme.surface, theme.accent, ROW_ROUND, 2)


def table(spot: Spot) -> Iterator[Shape]:
    """A card with a header, and a stripe behind every second row."""
    theme = spot.theme
    x1, y1, x2, y2 = spot.box
    yield from framed(spot.box, theme.surface, theme.border, RADIUS)
    for number, child in enumerate(spot.inside):
        box = child.element.bbox
        if box is None or number % 2 or not child.element.visible:
            continue
        top, bottom = max(y1 + 1, box.y1 - STRIPE), min(y2 - 1, box.y2 + STRIPE)
        yield Fill((x1 + 1, top, x2 - 1, bottom), theme.stripe, RADIUS - 1 if y1 + 1 == top or bottom == y2 - 1 else 0)
        if not number:
            yield Fill((x1 + 1, bottom - RADIUS, x2 - 1, bottom), theme.stripe)
            yield Fill((x1 + 1, bottom - 1, x2 - 1, bottom), theme.border)


def listing(spot: Spot) -> Iterator[Shape]:
    """A card with a thin line between its items."""
    x1, _, x2, _ = spot.box
    yield from framed(spot.box, spot.theme.surface, spot.theme.border, RADIUS)
    for above, below in zip(spot.inside, spot.inside[1:], strict=False):
        if above.element.bbox and below.element.bbox:
            y = (above.element.bbox.y2 + below.element.bbox.y1) // 2
            yield Fill((x1 + PAD, y, x2 - PAD, y + 1), spot.theme.border)


def tablist(spot: Spot) -> Iterator[Shape]:
    x1, _, x2, y2 = spot.box
    yield Fill((x1, y2 - 1, x2, y2), spot.theme.border)


def img(spot: Spot) -> Iterator[Shape]:
    """A picture that is told in words: a frame, a sign that it is one, and its caption."""
    x1, y1, x2, _ = spot.box
    yield from framed(spot.box, spot.theme.soft, spot.theme.border, RADIUS)
    yield Icon("picture", x1 + PAD, y1 + PAD, 20, spot.theme.muted)
    left, room = x1 + 2 * PAD + 20, x2 - x1 - 3 * PAD - 20
    for number, span in enumerate(lines(spot.text, SMALL, room)[:3]):
        said = spot.text[span.start : span.end].rstrip()
        yield at(left, baseline(y1 + PAD + 10 + number * 20, SMALL), said, SMALL, spot.theme.text, room)


def nothing(spot: Spot) -> Iterator[Shape]:
    """A container that only holds things together."""
    return iter(())


CONTROLS: dict[str, Draw] = {
    "button": button, "link": link, "tab": tab, "checkbox": checkbox, "heading": heading, "text": text, "alert": alert,
    "status": status, "progress": progress, "cell": cell, "columnheader": columnheader, "row": row, "table": table,
    "list": listing, "tablist": tablist, "group": nothing, "form": nothing, "listitem": nothing, "dialog": nothing,
    "menu": nothing, "img": img, "log": nothing, "slider": slider, "switch": switch, "treeitem": treeitem, "menuitem": menuitem,
    "generic": generic, "tree": tree,
}  # fmt: skip
