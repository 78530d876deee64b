"""From a world to its picture: every element where it is, in the order in which things lie upon each other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from environments.simulated.input.editing import Line
from environments.simulated.input.pointer import form_of
from environments.simulated.render import chrome
from environments.simulated.render.controls import CONTROLS, text
from environments.simulated.render.fields import combobox, spinbutton, textbox
from environments.simulated.render.shapes import Box, Part, Picture, Shape, common
from environments.simulated.render.spot import Spot
from environments.simulated.render.theme import LIGHT, Theme
from environments.simulated.screen.layout import Area, place
from environments.simulated.screen.panels import Panel
from environments.simulated.screen.screen import Screen, screen_of
from environments.simulated.screen.seen import Shown
from environments.simulated.screen.widgets import TEXTS
from environments.simulated.world.world import TITLE_BAR, World
from protocol import Window

_DRAW = {**CONTROLS, "textbox": textbox, "combobox": combobox, "spinbutton": spinbutton}
_LINE = 9
"""Half the height of a line of text."""
_BARE = frozenset({"text", "link"})
"""What has no edges of its own lines up with what has."""
_BEYOND = 12
"""A container that the window cuts off goes on at least so far: no edge is seen where none is."""
_ONE_LINE = 40
"""Things that stand side by side in no more than this are in one line."""


def picture(world: World, theme: Theme = LIGHT) -> Picture:
    """The screen of a world: an element is drawn in its own box, and nowhere else. Equal worlds have equal pictures."""
    return _Scene(world, theme).picture()


class _Scene:
    """A screen while it is drawn."""

    def __init__(self, world: World, theme: Theme) -> None:
        self.world = world
        self.theme = theme
        self.screen: Screen = screen_of(world)
        self.size = world.desk.size
        self.inside: dict[str, list[Shown]] = defaultdict(list)
        for shown in self.screen.shown.values():
            if shown.element.parent is not None:
                self.inside[shown.element.parent].append(shown)
        self.selected = self._selected()

    def picture(self) -> Picture:
        parts = [self._own(chrome.wallpaper(self.size, self.theme))]
        listed = self.screen.state.windows
        for panel in reversed(self.screen.panels):
            if panel.kind == "window":
                parts += self._window(panel, next(w for w in listed if w.app == panel.app))
            elif panel.kind == "icons":
                parts += self._panel(panel, panel.box)
        parts += [part for panel in self.screen.panels if panel.kind == "message" for part in self._panel(panel, self._all)]
        desk = self.world.desk
        bars = (
            chrome.phone_bars(self.size, desk.now[-5:], self.theme, self.theme.muted if desk.front else "#ffffff")
            if desk.form == "phone"
            else chrome.task_bar(self.size, listed, self.theme)
        )
        parts.append(self._own(bars))
        parts += [part for panel in self.screen.panels if panel.kind == "dialog" for part in self._panel(panel, self._all)]
        return Picture(self.size, tuple(parts))

    @property
    def _all(self) -> Box:
        return 0, 0, *self.size

    def _window(self, panel: Panel, window: Window) -> Iterator[Part]:
        desk, box = self.world.desk, panel.box
        yield self._own(chrome.page(box, self.size, self.theme))
        yield from self._panel(panel, (box[0], box[1] + TITLE_BAR, box[2], box[3]))
        bars = [*chrome.title_bar(box, window, self.theme, desk.busy(window.app))]
        bars += chrome.scroll_bar(box, desk.scroll.get(window.app, 0), panel.overflow, self.theme)
        yield self._own(bars)

    def _own(self, shapes: Iterator[Shape] | Sequence[Shape]) -> Part:
        return Part(tuple(shapes), (0, 0, *self.size))

    def _panel(self, panel: Panel, clip: Box) -> Iterator[Part]:
        """The elements of a window, a message or a dialog; what floats comes last and lies on what it covers."""
        order = self.screen.order[(start := self._start(panel)) : start + len(panel.shown)]
        for shown in sorted(order, key=lambda shown: shown.lift):
            box = shown.element.bbox
            if box is None or (shown.covered and not shown.widget.floats):
                continue
            if shown.widget.role == "dialog":
                yield self._own(chrome.around_dialog(self.size, (box.x1, box.y1, box.x2, box.y2), self.theme))
            elif shown.widget.floats:
                yield self._own(chrome.sheet((box.x1, box.y1, box.x2, box.y2), self.theme))
            spot = self._spot(shown, clip)
            edges = common(spot.box, clip)
            shapes = tuple(_DRAW.get(shown.widget.role, text)(spot)) if edges else ()
            if shapes and edges:
                yield Part(shapes, edges, shown.element.element_id)

    def _start(self, panel: Panel) -> int:
        """Where the elements of a panel begin, with the one that has the focus among them."""
        return int(panel.shown[0].element.element_id[1:]) - 1 if panel.shown else 0

    def _spot(self, shown: Shown, clip: Box) -> Spot:
        box = whole_box(shown, clip)
        return Spot(
            shown=shown,
            box=box,
            theme=self.theme,
            middle=self._middle(shown, box),
            inside=tuple(self.inside[shown.element.element_id]),
            edit=self._edit(shown),
            main=self._main(shown),
            marked=shown is self.selected,
        )

    def _middle(self, shown: Shown, box: Box) -> int:
        """Lined up with what stands beside it, as far as the box allows."""
        own = (box[1] + box[3]) // 2
        above = shown.above
        around = above.element.bbox if above and above.widget.across else None
        if (
            shown.widget.role not in _BARE
            or around is None
            or not shown.element.visible
            or around.y2 - around.y1 > _ONE_LINE
            or around.y1 != box[1]
        ):
            return own
        return max(own, min(around.center.y, box[3] - _LINE))

    def _edit(self, shown: Shown) -> Line | None:
        desk = self.world.desk
        if not shown.element.focused or shown.widget.role not in TEXTS:
            return None
        return Line(shown.element.value or "", desk.caret, desk.anchor)

    def _main(self, shown: Shown) -> bool:
        """The button of a form or the default of a dialog; the first of two texts in a pair."""
        if shown.widget.role == "text":
            around = self.inside[shown.element.parent] if shown.element.parent else []
            return bool(shown.above and shown.above.widget.across and len(around) == 2 and around[0] is shown)
        if shown.layer:
            return self.world.desk.dialogs[shown.layer - 1].default == shown.widget.word
        form = form_of(shown)
        return form is not None and form.widget.submit == shown.widget.key

    def _selected(self) -> Shown | None:
        """The text that is selected on the page, if it cannot be another one."""
        wanted = self.world.desk.selection
        found = [s for s in self.screen.shown.values() if wanted and s.widget.role == "text" and s.widget.text == wanted]
        return found[0] if len(found) == 1 else None


def whole_box(shown: Shown, clip: Box) -> Box:
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
