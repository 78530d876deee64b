"""A whole world as its page shows it: panes in order of depth, and controls in reading order."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any, NamedTuple

from environments.served.markup import Box, Markup, markup
from environments.simulated.apps import APPS
from environments.simulated.panels import Panel
from environments.simulated.pointer import form_of
from environments.simulated.screen import screen_of
from environments.simulated.seen import Shown
from environments.simulated.world import MARGIN, TITLE_BAR, Desk, Win, World


class View(NamedTuple):
    """What a page is drawn from, as JSON."""

    head: dict[str, Any]
    panes: list[dict[str, Any]]
    """Windows from the back to the front, then what lies over them."""
    controls: dict[str, Markup]
    """By track id, in reading order: what holds others stands before them."""

    def whole(self) -> dict[str, Any]:
        return {"whole": True, **self._asdict(), "order": list(self.controls)}

    def since(self, before: View) -> dict[str, Any]:
        """What is not as it was; `order` is left out where no control came, went or moved among the others."""
        parts: dict[str, Any] = {
            "controls": {track: made for track, made in self.controls.items() if before.controls.get(track) != made}
        }
        if self.head != before.head:
            parts["head"] = self.head
        if self.panes != before.panes:
            parts["panes"] = self.panes
        if list(self.controls) != list(before.controls):
            parts["order"] = list(self.controls)
        return parts


def view_of(world: World) -> View:
    """The page of a world."""
    screen, desk = screen_of(world), world.desk
    panes = {pane["id"]: pane for pane in _panes(desk)}
    controls: dict[str, Markup] = {}
    origins: dict[str, tuple[int, int]] = {}
    order = iter(screen.order)
    for panel in screen.panels:
        for shown in islice(order, len(panel.shown)):
            pane, track, box = panes[_pane(panel, shown)], str(shown.element.track_id), shown.element.bbox
            origins[track] = (box.x1, box.y1) if box else (0, 0)
            above = None if shown.above is None else str(shown.above.element.track_id)
            origin = origins[above] if above is not None else (pane["view"][0], pane["view"][1] - pane["scroll"])
            controls[track] = markup(shown, above or pane["id"], origin, _main(shown, desk))
            if box is not None and panel.kind == "window":
                pane["tall"] = max(pane["tall"], box.y2 + pane["scroll"] - pane["view"][1] + MARGIN)
    kept = [pane for pane in panes.values() if pane["kind"] != "window" or pane["shown"]]
    return View(_head(world), kept, controls)


def _head(world: World) -> dict[str, Any]:
    desk = world.desk
    windows = {win.app: win for win in desk.windows}
    return {
        "world": desk.name,
        "size": desk.size,
        "form": desk.form,
        "theme": desk.variation.theme,
        "language": desk.variation.language,
        "clock": desk.clock,
        "focus": desk.focus,
        "caret": desk.caret,
        "anchor": desk.anchor,
        "clipboard": desk.clipboard,
        "busy": desk.front is not None and desk.busy(desk.front),
        "apps": [
            {"app": app, "title": APPS[app].title, "open": app in windows, "front": app == desk.front,
             "minimized": app in windows and windows[app].minimized}
            for app in world.apps
        ],
    }  # fmt: skip


def _panes(desk: Desk) -> Iterator[dict[str, Any]]:
    """Every place in which elements can stand, from the back to the front."""
    yield _made("desk", "desk", (0, 0, *desk.size))
    for win in desk.windows:
        yield {**_window(desk, win), "shown": not win.minimized}
    yield _made("messages", "messages", (0, 0, *desk.size))
    yield _made("notices", "notices", (0, 0, *desk.size))
    for layer, dialog in enumerate(desk.dialogs, start=1):
        yield {**_made(f"dialog-{layer}", "dialog", (0, 0, *desk.size)), "title": dialog.title}


def _made(name: str, kind: str, box: Box) -> dict[str, Any]:
    left, top, right, bottom = box
    place = left, top, right - left, bottom - top
    return {"id": name, "kind": kind, "box": place, "view": place, "scroll": 0, "tall": 0}


def _window(desk: Desk, win: Win) -> dict[str, Any]:
    left, top, right, bottom = win.box or desk.ground
    made = _made(f"window-{win.app}", "window", (left, top, right, bottom))
    return made | {
        "view": (left, top + TITLE_BAR, right - left, bottom - top - TITLE_BAR),
        "scroll": desk.scroll.get(win.app, 0),
        "app": win.app,
        "title": APPS[win.app].title,
        "front": win.app == desk.front,
        "busy": desk.busy(win.app),
    }


def _pane(panel: Panel, shown: Shown) -> str:
    match panel.kind:
        case "window":
            return f"window-{shown.element.app}"
        case "dialog":
            return f"dialog-{shown.layer}"
        case "icons":
            return "desk"
        case "message":
            return "messages"
        case "notice":
            return "notices"


def _main(shown: Shown, desk: Desk) -> bool:
    """The button that Enter presses."""
    if shown.widget.role != "button":
        return False
    if shown.layer:
        default = desk.dialogs[shown.layer - 1].default
        return default is not None and shown.widget.key.endswith(f"-{desk.dialogs[shown.layer - 1].buttons.index(default) + 1}")
    form = form_of(shown)
    return form is not None and form.widget.submit == shown.widget.key
