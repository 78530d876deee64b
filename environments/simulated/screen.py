"""What is on the screen of a world: the front window, its messages and the dialogs above it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, NamedTuple

from environments.simulated.app import Dialog, DialogField
from environments.simulated.apps import APPS
from environments.simulated.layout import Area, Node, element_of, place
from environments.simulated.values import slug
from environments.simulated.widgets import Widget, button, combobox, heading, progress, renamed, status, text, textbox
from environments.simulated.world import Desk, World
from protocol import GUIElement, VisualState, Window

TITLE_BAR = 40
TASK_BAR = 40
MARGIN = 24
_DIALOG_WIDTH = 520


@dataclass(frozen=True, slots=True)
class Shown:
    """An element with the widget behind it. `layer` counts the dialogs that lie below: 0 is the window."""

    element: GUIElement
    widget: Widget
    layer: int
    above: Shown | None

    @property
    def name(self) -> str:
        return self.widget.text or self.widget.key


@dataclass(frozen=True, slots=True)
class Screen:
    """A rendered world: what an observer gets, and what acting on it needs to know."""

    state: VisualState
    shown: dict[str, Shown]
    """By element id."""
    by_track: dict[str, Shown]
    top: int
    """The layer that takes input."""
    overflow: int
    """How far the window can be scrolled down."""


class _Canvas:
    """Elements so far, numbered in reading order."""

    def __init__(self, focus: str) -> None:
        self.focus = focus
        self.shown: list[Shown] = []

    def add(self, nodes: Sequence[Node], clip: tuple[int, int], app: str | None, layer: int) -> Shown | None:
        start = len(self.shown)
        for node in nodes:
            above = None if node.above is None else self.shown[start + node.above]
            parent = above.element.element_id if above else None
            element = element_of(node, len(self.shown) + 1, parent, clip, self.focus, app)
            self.shown.append(Shown(element, node.widget, layer, above))
        return self.shown[start] if len(self.shown) > start else None


@lru_cache(maxsize=8)
def screen_of(world: World) -> Screen:
    """The screen. Cached by the identity of the world, which never changes once made."""
    desk, app = world.desk, world.desk.front
    canvas = _Canvas(desk.focus)
    overflow = _window(canvas, world, app) if app else _icons(canvas, world)
    modal: Shown | None = None
    for layer, dialog in enumerate(desk.dialogs, start=1):
        modal = _dialog(canvas, dialog, layer, desk.size)
    return _screen(canvas, world, app, modal.element.element_id if modal else None, len(desk.dialogs), overflow)


def window_of(world: World, app: str) -> VisualState:
    """The window of one app as it would look in front, without what lies above it."""
    canvas = _Canvas("")
    overflow = _window(canvas, world, app)
    return _screen(canvas, world, app, None, 0, overflow).state


def _screen(canvas: _Canvas, world: World, app: str | None, modal: str | None, top: int, overflow: int) -> Screen:
    desk = world.desk
    state = VisualState.model_construct(
        screen_resolution=desk.size,
        elements=tuple(shown.element for shown in canvas.shown),
        timestamp=desk.clock,
        app=app,
        windows=_windows(desk),
        modal=modal,
        loading=app is not None and desk.busy(app),
    )
    by_id = {shown.element.element_id: shown for shown in canvas.shown}
    by_track = {str(shown.element.track_id): shown for shown in canvas.shown}
    return Screen(state, by_id, by_track, top, overflow)


def _windows(desk: Desk) -> tuple[Window, ...]:
    return tuple(
        Window(window_id=w.window_id, app=w.app, title=APPS[w.app].title, focused=w.app == desk.front, minimized=w.minimized)
        for w in sorted(desk.windows, key=lambda w: w.app)
    )


def _window(canvas: _Canvas, world: World, app: str) -> int:
    desk = world.desk
    clip = (TITLE_BAR, desk.size[1] - TASK_BAR)
    names = desk.names.get(app)
    drawn = _drawn(app, _Same(world.apps[app]), _Same(names), desk.busy(app), desk.size, desk.scroll.get(app, 0))
    canvas.shown.extend(_focused(shown) if shown.element.track_id == canvas.focus else shown for shown in drawn.shown)
    for index, message in enumerate(desk.messages):
        area = Area(max(0, desk.size[0] - 400), clip[1] - 36 * (index + 1), min(380, desk.size[0]), clip)
        toast, _ = place([status(message.text, f"toast-{index + 1}")], app, area)
        canvas.add(toast, clip, app, 0)
    return drawn.overflow


class _Same:
    """Stands for an object in a cache's key: equal only to the very same object."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __hash__(self) -> int:
        return id(self.value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.value is other.value


class _Drawn(NamedTuple):
    """A window with nothing focused."""

    shown: tuple[Shown, ...]
    overflow: int


@lru_cache(maxsize=32)
def _drawn(app: str, state: _Same, names: _Same, busy: bool, size: tuple[int, int], scrolled: int) -> _Drawn:
    """Drawn once for each state of the app: most of what an action changes is elsewhere."""
    widgets: tuple[Widget, ...] = (progress("Loading…"),) if busy else APPS[app].view(state.value)
    if names.value and not busy:
        widgets = tuple(renamed(widget, names.value) for widget in widgets)
    clip = (TITLE_BAR, size[1] - TASK_BAR)
    top = TITLE_BAR + MARGIN // 2
    nodes, height = place(widgets, app, Area(MARGIN, top, size[0] - 2 * MARGIN, clip))
    overflow = max(0, top + height + MARGIN - clip[1])
    if offset := min(scrolled, overflow):
        nodes = [_moved(node, offset) for node in nodes]
    canvas = _Canvas("")
    canvas.add(nodes, clip, app, 0)
    return _Drawn(tuple(canvas.shown), overflow)


def _focused(shown: Shown) -> Shown:
    return replace(shown, element=shown.element.model_copy(update={"focused": True}))


def _moved(node: Node, offset: int) -> Node:
    x1, y1, x2, y2 = node.box
    return Node(node.widget, node.track_id, (x1, y1 - offset, x2, y2 - offset), node.above)


def _icons(canvas: _Canvas, world: World) -> int:
    """The bare desktop: an icon for each app."""
    size = world.desk.size
    icons = [button(APPS[name].title, f"icon-{name}") for name in world.apps]
    nodes, _ = place(icons, "desktop", Area(MARGIN, TITLE_BAR, 240, (0, size[1] - TASK_BAR)))
    canvas.add(nodes, (0, size[1] - TASK_BAR), None, 0)
    return 0


def _dialog(canvas: _Canvas, dialog: Dialog, layer: int, size: tuple[int, int]) -> Shown | None:
    body: list[Widget] = [heading(dialog.title, "title")]
    if dialog.text:
        body.append(text(dialog.text, "text"))
    body.extend(_field(field) for field in dialog.fields)
    buttons = tuple(button(name, f"button-{slug(name)}-{i}") for i, name in enumerate(dialog.buttons, start=1))
    tree = Widget("dialog", dialog.title, dialog.key, children=(*body, *buttons))
    width = min(_DIALOG_WIDTH, size[0] - 2 * MARGIN)
    area = Area((size[0] - width) // 2, 0, width, (0, size[1]), text_max=min(240, size[1] // 3))
    prefix = f"{dialog.app or 'desktop'}.dialog" + (f"-{layer}" if layer > 1 else "")
    nodes, height = place([tree], prefix, area)
    top = max(0, (size[1] - height) // 2)
    return canvas.add([_moved(node, -top) for node in nodes], (0, size[1]), dialog.app, layer)


def _field(field: DialogField) -> Widget:
    if field.options:
        return combobox(field.label, f"field-{field.key}", field.value, field.options)
    return textbox(field.label, f"field-{field.key}", field.value)
