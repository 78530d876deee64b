"""What is on the screen of a world: its windows, their messages, and the dialogs above them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import groupby
from typing import Any, Generic, Literal, NamedTuple, TypeAlias, TypeVar

from environments.simulated.app import Dialog
from environments.simulated.apps import APPS
from environments.simulated.screen import widgets as ui
from environments.simulated.screen.alterations import altered
from environments.simulated.screen.elements import Area, Box, Node, Pane, ShownElement, place, show
from environments.simulated.screen.widgets import Widget
from environments.simulated.variation.apply import varied, varied_text
from environments.simulated.variation.metrics import Metrics, Variation, metrics_for
from environments.simulated.world.values import IdentityKey, built, slug
from environments.simulated.world.world import MARGIN, TITLE_BAR, Desk, WindowState, World
from protocol import GUIElement, VisualState, Window

_DIALOG_WIDTH = 520
_TOAST = (380, 36)
_NOTICE = 340
"""Pixels that a notification is wide."""
_NOTICES = 4
"""How many notifications are on the screen at once: the newest ones."""


T = TypeVar("T")
Kind: TypeAlias = Literal["window", "icons", "message", "notice", "dialog"]


class Panel:
    """Elements that stand together: a window, a dialog, or a message."""

    def __init__(self, shown: tuple[ShownElement, ...], box: Box, kind: Kind, overflow: int = 0) -> None:
        self.shown = shown
        """Without the focus, which is the screen's."""
        self.box = box
        self.kind = kind
        self.overflow = overflow
        """How far it can be scrolled down."""
        self.elements = [s.element for s in shown]
        self.tracks = {str(e.track_id): at for at, e in enumerate(self.elements)}
        """Where an element stands among them, by track id."""

    @property
    def app(self) -> str | None:
        return self.shown[0].element.app if self.shown else None

    @cached_property
    def stops(self) -> list[str]:
        """Track ids of what takes the focus, in the order of the Tab key."""
        return [str(s.element.track_id) for s in self.shown if s.widget.interactive and s.widget.enabled]

    @cached_property
    def floats(self) -> bool:
        """Whether something in it lies over the rest, such as an open menu."""
        return any(s.widget.floats for s in self.shown)

    @cached_property
    def page(self) -> str | None:
        """The first heading, which says where in the app one is."""
        return next((s.element.track_id for s in self.shown if s.widget.role == "heading"), None)


class _Rest(NamedTuple):
    """What is on a screen beside its front panel."""

    panels: tuple[Panel, ...]
    elements: tuple[GUIElement, ...]


def window_panel(world: World, win: WindowState, over: tuple[Box, ...], start: int) -> Panel:
    """A window without a focus."""
    desk, app = world.desk, win.app
    box = left, top, right, bottom = win.box or desk.ground
    clip = (left, top + TITLE_BAR, right, bottom)
    area = Area(left + MARGIN, top + TITLE_BAR + MARGIN // 2, right - left - 2 * MARGIN, (clip[1], clip[3]))
    widgets, metrics, pane = _view(world, app), metrics_for(desk.variation), Pane(app, clip, over=over)
    scrolled = desk.scroll.get(app, 0)
    if found := _by_parts(widgets, area, metrics, pane, start, scrolled):
        shown, height = found
        panel = Panel(shown, box, "window", max(0, area.y + height + MARGIN - bottom))
        if scrolled <= panel.overflow and len(panel.tracks) == len(shown):
            return panel
    nodes, height = place(widgets, app, area, metrics)
    overflow = max(0, area.y + height + MARGIN - bottom)
    if offset := min(scrolled, overflow):
        nodes = [_moved(node, offset) for node in nodes]
    return Panel(show(nodes, pane, start), box, "window", overflow)


def _by_parts(
    widgets: tuple[Widget, ...], area: Area, metrics: Metrics, pane: Pane, start: int, scrolled: int
) -> tuple[tuple[ShownElement, ...], int] | None:
    """What `place` and `show` give, and the height, where each part of the window can be laid out by itself: those that stand
    and look as before are there already. Only `scrolled` and names that two parts share are left to check."""
    shown: list[ShownElement] = []
    y = end = area.y
    measures = IdentityKey(metrics)
    for buttons, some in groupby(widgets, key=lambda widget: widget.role == "button"):
        for run in [tuple(some)] if buttons else [(widget,) for widget in some]:  # buttons that follow each other share a line
            part = _part(run, Area(area.x, y, *area[2:]), measures, pane, start + len(shown), scrolled)
            if part is None:
                return None
            shown += part[0]
            end = y + part[1]
            y = end + metrics.gap
    return tuple(shown), end - area.y


@lru_cache(maxsize=256)
def _part(
    run: tuple[Widget, ...], area: Area, metrics: IdentityKey[Metrics], pane: Pane, start: int, scrolled: int
) -> tuple[tuple[ShownElement, ...], int] | None:
    """A part of a window, and its height. None where it depends on the others, or they on it: what floats lies over them.
    None for limits, too: 1 and 1.0 are the same key, and not written alike."""
    nodes, height = place(run, pane.app or "", area, metrics.value)
    if any(node.lift or node.widget.limits for node in nodes):
        return None
    return show([_moved(node, scrolled) for node in nodes] if scrolled else nodes, pane, start), height


def _view(world: World, app: str) -> tuple[Widget, ...]:
    """What an app shows, with what the desktop makes of it."""
    desk, state = world.desk, world.apps[app]
    if desk.busy(app):
        return varied(app, (ui.progress("Loading…"),), desk.variation)
    changes = desk.altered.get(app)

    def made() -> tuple[Widget, ...]:
        widgets = varied(app, APPS[app].view(state), desk.variation)
        return altered(widgets, changes) if changes else widgets

    return _VIEWS.of((app,), (state, changes, desk.variation), made)


def icons_panel(world: World) -> Panel:
    """The bare desktop: an icon for each app."""
    desk = world.desk
    icons: tuple[Widget, ...] = ()
    for name in world.apps:
        own = ui.button(APPS[name].title, f"icon-{name}")
        shown = varied_text("desktop", APPS[name].title, desk.variation)
        icons += (own if shown == own.text else own._replace(text=shown, own=own),)
    ground, wide = desk.ground, 240
    if desk.form == "phone":
        icons, wide = (ui.bar(*icons, key="home-screen"),), desk.size[0] - 2 * MARGIN
    nodes, _ = place(icons, "desktop", Area(MARGIN, TITLE_BAR, wide, (0, ground[3])), metrics_for(desk.variation))
    return Panel(show(nodes, Pane(None, ground), 1), ground, "icons")


def message_panels(desk: Desk, start: int) -> Iterator[Panel]:
    """Toasts at the lower right corner. They take no clicks: what lies below them can be reached."""
    app, (wide, tall) = desk.front, _TOAST
    if app is None:
        return
    ground = desk.ground
    for index, message in enumerate(desk.messages):
        words = varied_text(app, message.text, desk.variation)
        area = Area(max(0, ground[2] - wide - 20), ground[3] - tall * (index + 1), min(wide, ground[2]), (0, ground[3]))
        nodes, _ = place((ui.status(words, f"toast-{index + 1}"),), app, area)
        yield Panel(show(nodes, Pane(app, ground), start + index), (0, 0, 0, 0), "message")


def notice_panels(desk: Desk, start: int) -> Iterator[Panel]:
    """Notifications at the upper right corner, over every window, the newest at the top."""
    wide, left = min(_NOTICE, desk.ground[2] // 2), max(0, desk.ground[2] - _NOTICE - MARGIN)
    top = TITLE_BAR + MARGIN // 2
    for one in reversed(desk.notices[-_NOTICES:]):
        key = f"notice-{one.number}"
        words = (ui.text(one.text, f"{key}.text"),) if one.text else ()
        inner = (ui.link(one.title, key), *words, ui.button("Dismiss", f"{key}.dismiss"))
        card = ui.group(*inner, key=f"{key}.card")._replace(role="status")
        area = Area(left, top, wide, (0, desk.ground[3]))
        nodes, height = place((card,), "desktop", area, metrics_for(desk.variation))
        shown = show(nodes, Pane(None, desk.ground), start)
        yield Panel(shown, (left, top, left + wide, top + height), "notice")
        start += len(shown)
        top += height + MARGIN // 2


def dialog_panel(dialog: Dialog, layer: int, desk: Desk, start: int) -> Panel:
    body: list[Widget] = [ui.heading(dialog.title, "title")]
    if dialog.text:
        body.append(ui.text(dialog.text, "text"))
    for field in dialog.fields:
        key = f"field-{field.key}"
        plain = ui.textbox(field.label, key, field.value, private=field.private)
        body.append(ui.combobox(field.label, key, field.value, field.options) if field.options else plain)
    buttons = tuple(ui.button(name, f"button-{slug(name)}-{i}") for i, name in enumerate(dialog.buttons, start=1))
    own = Widget("dialog", dialog.title, dialog.key, children=(*body, *buttons))
    (tree,) = varied(dialog.app or "desktop", (own,), desk.variation)
    size = desk.size
    width = min(_DIALOG_WIDTH, size[0] - 2 * MARGIN)
    area = Area((size[0] - width) // 2, 0, width, (0, size[1]), text_max=min(240, size[1] // 3))
    prefix = f"{dialog.app or 'desktop'}.dialog" + (f"-{layer}" if layer > 1 else "")
    nodes, height = place([tree], prefix, area, metrics_for(desk.variation))
    up = -max(0, (size[1] - height) // 2)
    return Panel(show([_moved(n, up) for n in nodes], Pane(dialog.app, (0, 0, *size), layer), start), (0, 0, *size), "dialog")


def _moved(node: Node, offset: int) -> Node:
    x1, y1, x2, y2 = node.box
    return node._replace(box=(x1, y1 - offset, x2, y2 - offset))


class Screen:
    """A rendered world: what an observer gets, and what acting on it needs to know. What lies behind the window in front is laid
    out when it is asked for: most actions need no more than that window."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.top = len(world.desk.dialogs)
        """The layer that takes input."""

    @cached_property
    def front(self) -> Panel:
        """The window in front, or the bare desktop."""
        windows, world = _stacked(self.world.desk), self.world
        return _panel_of(world, *windows[0], 1) if windows else icons_panel(world)

    @cached_property
    def panels(self) -> tuple[Panel, ...]:
        """The windows from the front one backwards, then what lies over all of them."""
        return self.front, *self._rest.panels

    @cached_property
    def _rest(self) -> _Rest:
        """Made once for as long as only the app in front changes."""
        world, desk, start = self.world, self.world.desk, 1 + len(self.front.shown)
        scrolled = [item for item in desk.scroll.items() if item[0] != desk.front]
        how = (desk.front, start, desk.size, desk.clock if desk.loading else None, *scrolled)
        parts = (desk.windows, desk.notices, desk.messages, desk.dialogs, desk.altered, desk.loading, desk.variation)
        states = [state for app, state in world.apps.items() if app != desk.front]
        return _RESTS.of(how, (*parts, *states), lambda: _rest_of(world, start))

    @cached_property
    def order(self) -> list[ShownElement]:
        """In reading order; the element ids count from `e1`."""
        order = [shown for panel in self.panels for shown in panel.shown]
        for at in self._focused:
            order[at] = self._own(order[at])
        return order

    @cached_property
    def state(self) -> VisualState:
        desk = self.world.desk
        elements = [*self.front.elements, *self._rest.elements]
        for at in self._focused:
            elements[at] = _focused(IdentityKey(elements[at]))
        top = self.panels[-1].shown[0].element.element_id if desk.dialogs else None
        return _observed(desk, elements, desk.front, top)

    @property
    def _focused(self) -> Iterator[int]:
        """Where in reading order the focus is."""
        start, focus = 0, self.world.desk.focus
        for panel in self.panels if focus else ():
            if (at := panel.tracks.get(focus)) is not None:
                yield start + at
            start += len(panel.shown)

    def at(self, element_id: str) -> ShownElement:
        at = int(element_id[1:]) - 1
        return self.order[at] if at >= len(self.front.shown) else self._own(self.front.shown[at])

    def track(self, track_id: str) -> ShownElement | None:
        """One element by track id, without a look at all the others."""
        here = self.front if track_id in self.front.tracks else None
        here = here or next((panel for panel in self.panels if track_id in panel.tracks), None)
        return None if here is None else self._own(here.shown[here.tracks[track_id]])

    def _own(self, shown: ShownElement) -> ShownElement:
        """With the focus, where it has it here."""
        if shown.element.track_id != self.world.desk.focus:
            return shown
        return ShownElement(_focused(IdentityKey(shown.element)), *shown[1:])

    def next_stop(self, here: str, by: int) -> ShownElement | None:
        """Where the Tab key leads from a thing that has the focus, forwards or backwards."""
        if not self.top and here in self.front.stops and 0 <= (at := self.front.stops.index(here) + by) < len(self.front.stops):
            return self.track(self.front.stops[at])
        stops = [stop for panel in (self.panels[-1:] if self.top else self.panels) for stop in panel.stops]
        at = stops.index(here) if here in stops else min(0, -by)
        return self.track(stops[(at + by) % len(stops)]) if stops else None

    def overflow(self, app: str) -> int:
        """How far the window of an app can be scrolled down."""
        if self.front.kind == "window" and self.front.app == app:
            return self.front.overflow
        return next((panel.overflow for panel in self.panels if panel.kind == "window" and panel.app == app), 0)

    def under(self, x: int, y: int) -> tuple[ShownElement, ...]:
        """What a pointer meets at a point: the elements of the topmost thing there, and of what floats in it."""
        above = [panel for panel in reversed(self.panels) if panel.kind in ("dialog", "notice")]
        for panel in (*above, *self.panels):
            left, top, right, bottom = panel.box
            if left <= x < right and top <= y < bottom:
                # The elements at a point that nothing of the same window lies over there
                here = [s for s in panel.shown if (box := s.element.bbox) and box.x1 <= x < box.x2 and box.y1 <= y < box.y2]
                lift = max((s.lift for s in here), default=0)
                return tuple(s for s in here if s.lift == lift)
        return ()


def _rest_of(world: World, start: int) -> _Rest:
    desk, panels = world.desk, list[Panel]()
    for win, over in _stacked(desk)[1:]:
        panels.append(_panel_of(world, win, over, start))
        start += len(panels[-1].shown)
    for above in (notice_panels, message_panels):
        made = [*above(desk, start)]
        panels += made
        start += sum(len(panel.shown) for panel in made)
    for layer, dialog in enumerate(desk.dialogs, start=1):
        panels.append(dialog_panel(dialog, layer, desk, start))
        start += len(panels[-1].shown)
    return _Rest(tuple(panels), tuple(element for panel in panels for element in panel.elements))


@lru_cache(maxsize=8)
def screen_of(world: World) -> Screen:
    """The screen. Cached by the identity of the world, which never changes once made."""
    return Screen(world)


def window_of(world: World, app: str) -> VisualState:
    """The window of one app as it would look in front, without what lies above it."""
    win = next((win for win in world.desk.windows if win.app == app), WindowState(app=app))
    panel = _panel_of(world, win, (), 1)
    elements = [*panel.elements]
    if (at := panel.tracks.get(world.desk.focus)) is not None:
        elements[at] = _focused(IdentityKey(elements[at]))
    return _observed(world.desk, elements, app, None)


@lru_cache(maxsize=1024)
def _focused(element: IdentityKey[GUIElement]) -> GUIElement:
    """The very same object for the same element, as its lines are known by it."""
    return element.value.model_copy(update={"focused": True})


def _observed(desk: Desk, elements: Sequence[GUIElement], app: str | None, modal: str | None) -> VisualState:
    windows = _listed(IdentityKey(desk.windows), IdentityKey(desk.variation))
    return state_of(elements, desk, app=app, windows=windows, modal=modal, loading=app is not None and desk.busy(app))


def state_of(elements: Iterable[GUIElement], desk: Desk, **known: Any) -> VisualState:
    """An observation of these elements, or of a part of the screen where no more is said."""
    shown = {"screen_resolution": desk.size, "elements": tuple(elements), "timestamp": desk.clock}
    return built(VisualState, {**_STATE, **shown, **known})


_STATE = {name: field.get_default() for name, field in VisualState.model_fields.items()}


@lru_cache(maxsize=64)
def _listed(windows: IdentityKey[tuple[WindowState, ...]], variation: IdentityKey[Variation]) -> tuple[Window, ...]:
    front = next((win.app for win in reversed(windows.value) if not win.minimized), None)
    return tuple(
        Window(
            window_id=win.window_id,
            app=win.app,
            title=varied_text("desktop", APPS[win.app].title, variation.value),
            focused=win.app == front,
            minimized=win.minimized,
        )
        for win in sorted(windows.value, key=lambda win: win.app)
    )


def _stacked(desk: Desk) -> tuple[tuple[WindowState, tuple[Box, ...]], ...]:
    """The windows from the front one backwards, as far as anything of them can be seen, each with the boxes that lie over it."""
    return _piled(IdentityKey(desk.windows), tuple([panel.box for panel in notice_panels(desk, 1)]) if desk.notices else ())


@lru_cache(maxsize=64)
def _piled(
    windows: IdentityKey[tuple[WindowState, ...]], over: tuple[Box, ...]
) -> tuple[tuple[WindowState, tuple[Box, ...]], ...]:
    piled = []
    for win in reversed(windows.value):
        if not win.minimized:
            piled.append((win, over))
            if win.box is None:
                break
            over = (*over, win.box)
    return tuple(piled)


def _panel_of(world: World, win: WindowState, over: tuple[Box, ...], start: int) -> Panel:
    desk, app = world.desk, win.app
    how = (desk.busy(app), win.box, desk.size, desk.scroll.get(app, 0), over, start)
    parts = (world.apps[app], desk.altered.get(app), desk.variation)
    return _PANELS.of((app, *how), parts, lambda: window_panel(world, win, over, start))


class _Latest(Generic[T]):
    """What was made last from some objects, which are known by their identity: what an action changes is mostly elsewhere. A
    cache with keys that compare in Python would cost as much as it saves."""

    def __init__(self) -> None:
        self._made: dict[tuple[object, ...], tuple[T, tuple[object, ...]]] = {}

    def of(self, how: tuple[object, ...], parts: tuple[object, ...], make: Callable[[], T]) -> T:
        key = (*how, *map(id, parts))
        known = self._made.get(key)
        if known is None:
            known = self._made[key] = (make(), parts)
            if len(self._made) > _KEPT:
                self._made.pop(next(iter(self._made)), None)
        return known[0]


_KEPT = 128
_PANELS = _Latest[Panel]()
_RESTS = _Latest[_Rest]()
_VIEWS = _Latest[tuple[Widget, ...]]()
