"""What is on the screen of a world: its windows, their messages, and the dialogs above them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property, lru_cache
from typing import Any

from environments.simulated.apps import APPS
from environments.simulated.screen.elements import Box, ShownElement, built
from environments.simulated.screen.panels import (
    Panel,
    dialog_panel,
    icons_panel,
    message_panels,
    notice_panels,
    offering,
    window_panel,
)
from environments.simulated.variation.apply import varied_text
from environments.simulated.variation.metrics import Variation
from environments.simulated.world.values import IdentityKey
from environments.simulated.world.world import Desk, WindowState, World
from protocol import GUIElement, VisualState, Window


class Screen:
    """A rendered world: what an observer gets, and what acting on it needs to know."""

    def __init__(self, state: VisualState, order: Sequence[ShownElement], panels: tuple[Panel, ...], top: int) -> None:
        self.state = state
        self.order = order
        """In reading order; the element ids count from `e1`."""
        self.panels = panels
        """The windows from the front one backwards, then what lies over all of them."""
        self.top = top
        """The layer that takes input."""

    def at(self, element_id: str) -> ShownElement:
        return self.order[int(element_id[1:]) - 1]

    def at_time(self, clock: float) -> Screen:
        """The very same screen, later."""
        return Screen(built(VisualState, {**self.state.__dict__, "timestamp": clock}), self.order, self.panels, self.top)

    @cached_property
    def shown(self) -> dict[str, ShownElement]:
        """By element id."""
        return {shown.element.element_id: shown for shown in self.order}

    @cached_property
    def by_track(self) -> dict[str, ShownElement]:
        return {str(shown.element.track_id): shown for shown in self.order}

    def track(self, track_id: str) -> ShownElement | None:
        """One element by track id, without a look at all the others."""
        start = 0
        for panel in self.panels:
            at = panel.tracks.get(track_id)
            if at is not None:
                return self.order[start + at]
            start += len(panel.shown)
        return None

    def overflow(self, app: str) -> int:
        """How far the window of an app can be scrolled down."""
        for panel in self.panels:
            if panel.kind == "window" and panel.app == app:
                return panel.overflow
        return 0

    def under(self, x: int, y: int) -> tuple[ShownElement, ...]:
        """What a pointer meets at a point: the elements of the topmost thing there, and of what floats in it."""
        above = [panel for panel in reversed(self.panels) if panel.kind in ("dialog", "notice")]
        for panel in (*above, *self.panels):
            left, top, right, bottom = panel.box
            if left <= x < right and top <= y < bottom:
                return _at_point(panel.shown, x, y)
        return ()


def _at_point(shown: tuple[ShownElement, ...], x: int, y: int) -> tuple[ShownElement, ...]:
    """The elements at a point that nothing of the same window lies over there."""
    here = [s for s in shown if (box := s.element.bbox) and box.x1 <= x < box.x2 and box.y1 <= y < box.y2]
    lift = max((s.lift for s in here), default=0)
    return tuple(s for s in here if s.lift == lift)


@lru_cache(maxsize=8)
def screen_of(world: World) -> Screen:
    """The screen. Cached by the identity of the world, which never changes once made."""
    again = [screen.at_time(world.desk.clock) for before, screen in _LATEST if _only_later(before, world)]
    screen = again[0] if again else _drawn(world)
    _LATEST[:] = [(world, screen)]
    return screen


_LATEST: list[tuple[World, Screen]] = []
"""The screen that was drawn last: every action begins with a clock that has gone on, which most often shows nowhere."""
_UNSEEN = {"clock", "actions", "seat", "seats"}
_SEEN = [name for name in Desk.model_fields if name not in _UNSEEN]


def _only_later(before: World, world: World) -> bool:
    """Whether nothing but the time is another one, and nothing on the screen goes by it."""
    if before.apps is not world.apps or world.desk.loading:
        return False
    was, now = before.desk.__dict__, world.desk.__dict__
    return all(was[name] is now[name] for name in _SEEN)


def _drawn(world: World) -> Screen:
    desk = world.desk
    panels = _windows(world) or [icons_panel(world)]
    count = sum(len(panel.shown) for panel in panels)
    for over in (notice_panels, message_panels):
        for panel in [*over(desk, count + 1)]:
            panels.append(panel)
            count += len(panel.shown)
    modal = None
    for layer, dialog in enumerate(desk.dialogs, start=1):
        panels.append(dialog_panel(dialog, layer, desk, count + 1))
        modal = f"e{count + 1}"
        count += len(panels[-1].shown)
    return _screen(world, panels, modal, len(desk.dialogs), desk.front)


def window_of(world: World, app: str) -> VisualState:
    """The window of one app as it would look in front, without what lies above it."""
    win = next((win for win in world.desk.windows if win.app == app), WindowState(app=app))
    panel = _panel_of(world, win, (), 1)
    return _screen(world, [panel], None, 0, app).state


def _screen(world: World, panels: Sequence[Panel], modal: str | None, top: int, app: str | None) -> Screen:
    desk = world.desk
    order: list[ShownElement] = []
    elements: list[GUIElement] = []
    for panel in panels:
        at = panel.tracks.get(desk.focus) if desk.focus else None
        order += panel.shown
        elements += panel.elements
        if at is not None:
            at += len(order) - len(panel.shown)
            order[at] = _focused(order[at])
            elements[at] = order[at].element
    windows = _listed(IdentityKey(desk.windows), IdentityKey(desk.variation))
    state = state_of(elements, desk, app=app, windows=windows, modal=modal, loading=app is not None and desk.busy(app))
    return Screen(state, order, tuple(panels), top)


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


def _windows(world: World) -> list[Panel]:
    """From the front one backwards, as far as anything of them can be seen."""
    desk = world.desk
    over = tuple([panel.box for panel in notice_panels(desk, 1)])
    wins = [win for win in reversed(desk.windows) if not win.minimized]
    if not wins:
        return []
    front = _panel_of(world, wins[0], over, 1)
    if wins[0].box is None:
        return [front]
    return [front, *_behind(world, wins[1:], (*over, wins[0].box), len(front.shown) + 1)]


def _behind(world: World, wins: list[WindowState], over: tuple[Box, ...], start: int) -> list[Panel]:
    """The windows behind the front one, which most actions leave as they are: the last ones are known by identity, too."""
    desk = world.desk
    states = [world.apps[win.app] for win in wins]
    parts = (desk.windows, desk.scroll, desk.altered, desk.variation, *states)
    how = (*map(id, parts), over, start, offering(desk, ""), desk.size)
    if _BEHIND and _BEHIND[0][0] == how and not desk.loading:
        return _BEHIND[0][1]
    panels: list[Panel] = []
    for win in wins:
        panels.append(_panel_of(world, win, over, start))
        if win.box is None:
            break
        over = (*over, win.box)
        start += len(panels[-1].shown)
    _BEHIND[:] = [] if desk.loading else [(how, panels, parts)]
    return panels


_BEHIND: list[tuple[tuple[object, ...], list[Panel], tuple[object, ...]]] = []


def _panel_of(world: World, win: WindowState, over: tuple[Box, ...], start: int) -> Panel:
    desk, app = world.desk, win.app
    state, changes, variation, listed = world.apps[app], desk.altered.get(app), desk.variation, offering(desk, app)
    scrolled = desk.scroll.get(app, 0)
    how = (id(state), id(changes), id(variation), desk.busy(app), listed, win.box, desk.size, scrolled, over, start)
    known = _PANELS.pop(how, None)
    if known is None:
        known = (window_panel(world, win, over, start), (state, changes, variation))
        if len(_PANELS) >= _KEPT:
            del _PANELS[next(iter(_PANELS))]
    _PANELS[how] = known
    return known[0]


_KEPT = 64
_PANELS: dict[tuple[object, ...], tuple[Panel, tuple[object, ...]]] = {}
"""Windows that were drawn, the one used last at the end, each with the objects by whose identity it is known: what an action
changes is mostly elsewhere. A cache with keys that compare in Python would cost as much as it saves."""


def _focused(shown: ShownElement) -> ShownElement:
    return shown._replace(element=shown.element.model_copy(update={"focused": True}))
