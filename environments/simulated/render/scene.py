"""From a world to its picture: every element where it is, in the order in which things lie upon each other."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from environments.simulated.input.keyboard import EditedLine
from environments.simulated.input.pointer import form_of
from environments.simulated.render import shapes
from environments.simulated.render.controls import BODY, CONTROLS, RADIUS, SMALL, STRONG, Spot, at, baseline, text
from environments.simulated.render.raster import icon_of
from environments.simulated.render.shapes import Box, Fill, Icon, Picture, Shape, ShapeGroup, Theme
from environments.simulated.render.text import Face, cut, fitting, length, lines, measure, most, printable
from environments.simulated.screen.elements import Area, ShownElement, place
from environments.simulated.screen.screen import Panel, Screen, screen_of
from environments.simulated.screen.widgets import TEXTS
from environments.simulated.world.world import MARGIN, TASK_BAR, TITLE_BAR, World
from protocol import Window

FRAME = 24
"""How far a dialog reaches beyond the box of its element, where the screen has room."""
_SHADOW = 24
_NAMED = 96
"""With less room than this for each, the task bar shows the icons alone."""


def wallpaper(size: tuple[int, int], theme: Theme) -> Iterator[Shape]:
    width, height = size
    yield Fill((0, 0, width, height), theme.wallpaper)
    for across, down, radius in ((0.82, 0.2, 0.55), (0.82, 0.2, 0.4), (0.12, 0.95, 0.35)):
        x, y, r = round(width * across), round(height * down), round(height * radius)
        yield Fill((x - r, y - r, x + r, y + r), theme.wallpaper_light, r)


def page(box: Box, size: tuple[int, int], theme: Theme) -> Iterator[Shape]:
    """The ground of a window; one that leaves something of the desktop free has edges, and a dark line below and beside it."""
    if box[2] - box[0] < size[0]:
        left, top, right, bottom = box
        yield Fill((left + 4, bottom, right + 3, bottom + 3), theme.shade)
        yield Fill((right, top + 4, right + 3, bottom + 3), theme.shade)
        yield from shapes.framed(box, theme.page, theme.border, 0)
        return
    yield Fill((box[0], box[1] + TITLE_BAR, box[2], box[3]), theme.page)


def title_bar(box: Box, window: Window, theme: Theme, busy: bool) -> Iterator[Shape]:
    left, top, right, _ = box
    bottom = top + TITLE_BAR
    yield Fill((left, top, right, bottom), theme.bar)
    yield Icon(icon_of(window.app), left + MARGIN, top + TITLE_BAR // 2 - 9, 18, theme.accent if window.focused else theme.muted)
    words, ink = left + MARGIN + 28, theme.text if window.focused else theme.muted
    yield at(words, baseline(top + TITLE_BAR // 2, STRONG), printable(window.title), STRONG, ink, right - words - MARGIN)
    yield Fill((left, bottom - 1, right, bottom), theme.border)
    if busy:
        yield Fill((left, bottom - 2, right, bottom), theme.soft)
        yield Fill((left, bottom - 2, left + (right - left) * 2 // 5, bottom), theme.accent)


def sheet(box: Box, theme: Theme) -> Iterator[Shape]:
    """What an open menu lies on."""
    around = shapes.grown(box, 4)
    yield from shapes.shadow(around, theme.shade, 6, _SHADOW // 2)
    yield from shapes.framed(around, theme.surface, theme.border, 6)


def task_bar(size: tuple[int, int], windows: Sequence[Window], theme: Theme) -> Iterator[Shape]:
    """The windows by name; the one in front is underlined, and one that is put away is pale."""
    width, height = size
    top = height - TASK_BAR
    yield Fill((0, top, width, height), theme.bar)
    yield Fill((0, top, width, top + 1), theme.border)
    x, room = 12, max(40, (width - 24) // max(1, len(windows)) - 6)
    for window in windows:
        title = printable(window.title)
        wide = min(room, 40 + round(measure(title, SMALL))) if room >= _NAMED else 32
        ink = theme.text if window.focused else theme.faint if window.minimized else theme.muted
        if window.focused:
            yield Fill((x, top + 5, x + wide, height - 4), theme.soft, 6)
            yield Fill((x + 10, height - 6, x + wide - 10, height - 4), theme.accent, 1)
        yield Icon(icon_of(window.app), x + 8, top + 12, 16, theme.accent if window.focused else ink)
        if room >= _NAMED:
            yield at(x + 30, baseline(top + 20, SMALL), title, SMALL, ink, wide - 36)
        x += wide + 6


def phone_bars(size: tuple[int, int], time: str, theme: Theme, ink: str) -> Iterator[Shape]:
    """The time of day above, and the line below from which a finger goes home."""
    width, height = size
    yield at(width - MARGIN - 40, baseline(TITLE_BAR // 2, SMALL), time, SMALL, ink, 48)
    yield Fill((0, height - TASK_BAR, width, height), theme.bar)
    yield Fill((width // 2 - 56, height - TASK_BAR // 2 - 2, width // 2 + 56, height - TASK_BAR // 2 + 3), theme.control, 2)


def scroll_bar(box: Box, scrolled: int, overflow: int, theme: Theme) -> Iterator[Shape]:
    """At the right edge of a window that holds more than it shows."""
    if overflow <= 0:
        return
    top, bottom = box[1] + TITLE_BAR + 4, box[3] - 4
    track = bottom - top
    long = max(28, track * track // (track + overflow))
    start = top + (track - long) * min(scrolled, overflow) // overflow
    yield Fill((box[2] - 11, start, box[2] - 4, start + long), theme.control, 3)


def around_dialog(size: tuple[int, int], box: Box, theme: Theme) -> Iterator[Shape]:
    """Everything below is dimmed, and the dialog gets a card that is larger than its element."""
    yield Fill((0, 0, *size), theme.dim)
    x1, y1, x2, y2 = shapes.grown(box, FRAME)
    card = max(0, x1), max(0, y1), min(size[0], x2), min(size[1], y2)
    yield from shapes.shadow(card, theme.shade, 12, _SHADOW)
    yield from shapes.framed(card, theme.surface, theme.border, 12)


NAME = Face(11)
PAD = 10
_ROW = 18
_ARROW = 16
_DOTS = "•" * 8
"""Stands for any private value: not even its length is told."""
_FAR = 4000
"""No field shows more characters than this on either side of the caret."""


class Value(NamedTuple):
    """What a field shows. `caret` and `marks` count characters of `text`; without the focus there is no caret."""

    text: str
    caret: int | None = None
    marks: tuple[int, int] = (0, 0)


def textbox(spot: Spot) -> Iterator[Shape]:
    yield from _frame(spot)
    x1, y1, x2, y2 = spot.box
    inner = (x1 + PAD, y1 + 18, x2 - PAD, y2 - 5)
    value = value_of(spot)
    if not value.text:
        hint = printable(spot.element.placeholder or "")
        yield at(inner[0], inner[1] + 11, hint, BODY, spot.theme.hint, inner[2] - inner[0])
    yield from _several(spot, value, inner) if spot.widget.multiline else _one(spot, value, inner)


def combobox(spot: Spot) -> Iterator[Shape]:
    yield from _frame(spot)
    x1, y1, x2, _ = spot.box
    theme, value = spot.theme, _flat(_told(spot))
    ink = spot.colour if value or not spot.element.enabled else theme.hint
    yield at(x1 + PAD, y1 + 29, value or printable(spot.element.placeholder or ""), BODY, ink, x2 - x1 - 2 * PAD - _ARROW)
    arrow = theme.muted if spot.element.enabled else theme.faint
    yield Icon("chevron", x2 - PAD - _ARROW + 2, spot.middle - _ARROW // 2, _ARROW, arrow)


def spinbutton(spot: Spot) -> Iterator[Shape]:
    """A number, with an arrow up and one down at its right edge."""
    yield from _frame(spot)
    x1, y1, x2, y2 = spot.box
    yield from _one(spot, value_of(spot), (x1 + PAD, y1 + 18, x2 - PAD - _ARROW, y2 - 5))
    ink = spot.theme.muted if spot.element.enabled else spot.theme.faint
    yield Icon("chevron-up", x2 - PAD - 10, spot.middle - 13, 12, ink)
    yield Icon("chevron", x2 - PAD - 10, spot.middle + 1, 12, ink)


def _frame(spot: Spot) -> Iterator[Shape]:
    """The border, and the name in small letters at the top."""
    element, theme = spot.element, spot.theme
    x1, y1, x2, _ = spot.box
    marked = theme.danger if element.invalid else theme.accent if element.focused else ""
    border = marked or (theme.control if element.enabled else theme.border)
    yield from shapes.framed(spot.box, theme.surface if element.enabled else theme.page, border, RADIUS, 2 if marked else 1)
    ink = marked or theme.muted
    star = 8 if element.required else 0
    name = at(x1 + PAD, y1 + 14, spot.text, NAME, ink if element.enabled else theme.faint, x2 - x1 - 2 * PAD - star)
    yield name
    if star:
        yield at(round(name.x + name.width) + 3, name.y + 2, "*", BODY, theme.danger, star)


def _told(spot: Spot) -> str:
    """The value as anybody may see it."""
    value = spot.element.value or ""
    return _DOTS if spot.element.private and value else value


def _flat(text: str) -> str:
    return " ".join(printable(text).split("\n"))


def value_of(spot: Spot) -> Value:
    """What the field shows of its value, around the caret where there is one."""
    shown = printable if spot.widget.multiline else _flat
    told = _told(spot)
    if spot.edit is None:
        return Value(shown(told[:_FAR]))
    if spot.element.private:
        whole = EditedLine(spot.element.value or "", spot.edit.caret, spot.edit.anchor).selected
        return Value(told, len(told), (0, len(told)) if whole else (0, 0))
    caret = min(max(0, spot.edit.caret), len(told))
    first, last = max(0, caret - _FAR), caret + _FAR
    start, end = (max(first, place) for place in spot.edit.span)
    marks = len(shown(told[first:start])), len(shown(told[first:end]))
    return Value(shown(told[first:last]), len(shown(told[first:caret])), marks)


def _one(spot: Spot, value: Value, inner: Box) -> Iterator[Shape]:
    """One line, moved along so that the caret can be seen."""
    left, top, right, _ = inner
    room = right - left
    if value.caret is None:
        yield at(left, top + 11, cut(value.text, BODY, room), BODY, spot.colour, room)
        return
    head = value.text[: value.caret]
    first = len(head) - most(len(head), lambda count: length(head[len(head) - count :], BODY) <= room - 2)
    shown = value.text[first:]
    shown = shown[: fitting(shown[: room + 1], BODY, room)]
    yield from _written(spot, shown, first, value, (left, top, right))


def _several(spot: Spot, value: Value, inner: Box) -> Iterator[Shape]:
    """Lines, moved up so that the caret can be seen, with a bar at the side when there are more."""
    left, top, right, bottom = inner
    spans = lines(value.text, BODY, right - left - 6)
    rows = max(1, (bottom - top) // _ROW)
    here = 0 if value.caret is None else max(n for n, span in enumerate(spans) if span.start <= value.caret or not n)
    first = max(0, here - rows + 1)
    for number, span in enumerate(spans[first : first + rows]):
        text = value.text[span.start : span.end]
        caret = value.caret if first + number == here else None
        yield from _written(spot, text, span.start, value._replace(caret=caret), (left, top + number * _ROW, right))
    if len(spans) > rows:
        high = bottom - top
        at_top = top + high * first // len(spans)
        yield Fill((right + 2, at_top, right + 5, at_top + max(12, high * rows // len(spans))), spot.theme.control, 1)


def _written(spot: Spot, text: str, first: int, value: Value, place: tuple[int, int, int]) -> Iterator[Shape]:
    """A line of the value, whose characters are numbered from `first`, with what is selected and the caret."""
    left, top, right = place

    def edge(number: int) -> int:
        """Where a character begins."""
        return min(right, left + round(length(text[: min(max(0, number - first), len(text))], BODY)))

    start, end = edge(value.marks[0]), edge(value.marks[1])
    if value.marks[0] < value.marks[1] and start < end:
        yield Fill((start, top - 2, end, top + 16), spot.theme.selection)
    yield at(left, top + 11, text.rstrip(), BODY, spot.colour, right - left)
    if value.caret is not None:
        yield Fill((edge(value.caret), top - 2, edge(value.caret) + 2, top + 16), spot.theme.accent)


_DRAW = {**CONTROLS, "textbox": textbox, "combobox": combobox, "spinbutton": spinbutton}
_LINE = 9
"""Half the height of a line of text."""
_BARE = frozenset({"text", "link"})
"""What has no edges of its own lines up with what has."""
_BEYOND = 12
"""A container that the window cuts off goes on at least so far: no edge is seen where none is."""
_ONE_LINE = 40
"""Things that stand side by side in no more than this are in one line."""


def picture(world: World, theme: Theme = shapes.LIGHT) -> Picture:
    """The screen of a world: an element is drawn in its own box, and nowhere else. Equal worlds have equal pictures."""
    return _Scene(world, theme).picture()


class _Scene:
    """A screen while it is drawn."""

    def __init__(self, world: World, theme: Theme) -> None:
        self.world = world
        self.theme = theme
        self.screen: Screen = screen_of(world)
        self.size = world.desk.size
        self.inside: dict[str, list[ShownElement]] = defaultdict(list)
        for shown in self.screen.order:
            if shown.element.parent is not None:
                self.inside[shown.element.parent].append(shown)
        # The text that is selected on the page, if it cannot be another one
        wanted = self.world.desk.selection
        found = [s for s in self.screen.order if wanted and s.widget.role == "text" and s.widget.text == wanted]
        self.selected = found[0] if len(found) == 1 else None

    def picture(self) -> Picture:
        parts = [self._own(wallpaper(self.size, self.theme))]
        listed = self.screen.state.windows
        for panel in reversed(self.screen.panels):
            if panel.kind == "window":
                parts += self._window(panel, next(w for w in listed if w.app == panel.app))
            elif panel.kind == "icons":
                parts += self._panel(panel, panel.box)
        parts += [part for panel in self.screen.panels if panel.kind == "message" for part in self._panel(panel, self._all)]
        desk = self.world.desk
        if desk.form == "phone":
            parts.append(
                self._own(phone_bars(self.size, desk.now[-5:], self.theme, self.theme.muted if desk.front else "#ffffff"))
            )
        else:
            parts.append(self._own(task_bar(self.size, listed, self.theme)))
        parts += [part for panel in self.screen.panels if panel.kind == "dialog" for part in self._panel(panel, self._all)]
        return Picture(self.size, tuple(parts))

    @property
    def _all(self) -> Box:
        return 0, 0, *self.size

    def _window(self, panel: Panel, window: Window) -> Iterator[ShapeGroup]:
        desk, box = self.world.desk, panel.box
        yield self._own(page(box, self.size, self.theme))
        yield from self._panel(panel, (box[0], box[1] + TITLE_BAR, box[2], box[3]))
        bars = [*title_bar(box, window, self.theme, desk.busy(window.app))]
        bars += scroll_bar(box, desk.scroll.get(window.app, 0), panel.overflow, self.theme)
        yield self._own(bars)

    def _own(self, shapes: Iterator[Shape] | Sequence[Shape]) -> ShapeGroup:
        return ShapeGroup(tuple(shapes), (0, 0, *self.size))

    def _panel(self, panel: Panel, clip: Box) -> Iterator[ShapeGroup]:
        """The elements of a window, a message or a dialog; what floats comes last and lies on what it covers."""
        start = int(panel.shown[0].element.element_id[1:]) - 1 if panel.shown else 0
        order = self.screen.order[start : start + len(panel.shown)]  # with the one that has the focus among them
        for shown in sorted(order, key=lambda shown: shown.lift):
            box = shown.element.bbox
            if box is None or (shown.covered and not shown.widget.floats):
                continue
            if shown.widget.role == "dialog":
                yield self._own(around_dialog(self.size, (box.x1, box.y1, box.x2, box.y2), self.theme))
            elif shown.widget.floats:
                yield self._own(sheet((box.x1, box.y1, box.x2, box.y2), self.theme))
            spot = self._spot(shown, clip)
            edges = shapes.common(spot.box, clip)
            drawn = tuple(_DRAW.get(shown.widget.role, text)(spot)) if edges else ()
            if drawn and edges:
                yield ShapeGroup(drawn, edges, shown.element.element_id)

    def _spot(self, shown: ShownElement, clip: Box) -> Spot:
        box, desk, edit = whole_box(shown, clip), self.world.desk, None
        if shown.element.focused and shown.widget.role in TEXTS:
            edit = EditedLine(shown.element.value or "", desk.caret, desk.anchor)
        inside, middle, main = tuple(self.inside[shown.element.element_id]), self._middle(shown, box), self._main(shown)
        return Spot(shown, box, self.theme, middle, inside, edit, main, marked=shown is self.selected)

    def _middle(self, shown: ShownElement, box: Box) -> int:
        """Lined up with what stands beside it, as far as the box allows."""
        own = (box[1] + box[3]) // 2
        above = shown.above
        around = above.element.bbox if above and above.widget.across else None
        if around is None or shown.widget.role not in _BARE or not shown.element.visible:
            return own
        beside = around.y2 - around.y1 <= _ONE_LINE and around.y1 == box[1]
        return max(own, min(around.center.y, box[3] - _LINE)) if beside else own

    def _main(self, shown: ShownElement) -> bool:
        """The button of a form or the default of a dialog; the first of two texts in a pair."""
        if shown.widget.role == "text":
            around = self.inside[shown.element.parent] if shown.element.parent else []
            return bool(shown.above and shown.above.widget.across and len(around) == 2 and around[0] is shown)
        if shown.layer:
            return self.world.desk.dialogs[shown.layer - 1].default == shown.widget.word
        form = form_of(shown)
        return form is not None and form.widget.submit == shown.widget.key


def whole_box(shown: ShownElement, clip: Box) -> Box:
    """The box of an element also where the window cuts it off: what is visible has only what can be seen of it."""
    box = shown.element.bbox
    if box is None:
        return 0, 0, 0, 0
    if not shown.element.visible or (box.y1 > clip[1] and box.y2 < clip[3]):
        return box.x1, box.y1, box.x2, box.y2
    if shown.widget.children:
        return box.x1, box.y1 - _BEYOND * (box.y1 <= clip[1]), box.x2, box.y2 + _BEYOND * (box.y2 >= clip[3])
    _, height = place((shown.widget,), "", Area(box.x1, 0, box.x2 - box.x1, (clip[1], clip[3])))
    if box.y2 - box.y1 >= height:
        return box.x1, box.y1, box.x2, box.y2
    return (box.x1, box.y2 - height, box.x2, box.y2) if box.y1 <= clip[1] else (box.x1, box.y1, box.x2, box.y1 + height)
