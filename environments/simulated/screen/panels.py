"""What stands together on a screen: a window, the bare desktop, a message, a notification, a dialog."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple, TypeAlias

from environments.simulated.app import Dialog, DialogField
from environments.simulated.apps import APPS
from environments.simulated.screen import notices
from environments.simulated.screen.alterations import altered
from environments.simulated.screen.elements import Box, Pane, ShownElement, show
from environments.simulated.screen.layout import Area, Node, place
from environments.simulated.screen.widgets import Widget, bar, button, combobox, group, heading, progress, status, text, textbox
from environments.simulated.variation.apply import varied, varied_text
from environments.simulated.variation.metrics import Variation, metrics_for
from environments.simulated.world.values import slug
from environments.simulated.world.world import MARGIN, TITLE_BAR, Desk, WindowState, World
from protocol import GUIElement

MOST = 6
"""So many proposals are shown."""
_LAST = re.compile(r"^(.*[,;]\s*)?(.*)$", re.DOTALL)


def _parts(text: str) -> tuple[str, str]:
    """What stays, and the last one of several things that a field may name."""
    found = _LAST.match(text)
    return (found[1] or "", found[2].strip()) if found else ("", text)


def proposals(widget: Widget) -> tuple[str, ...]:
    """The options that have in them what was written last; none once that is an option itself, as there is no more to say."""
    if widget.role != "textbox" or not widget.options:
        return ()
    _, wanted = _parts(widget.value or "")
    folded = wanted.casefold()
    if any(option.casefold() == folded for option in widget.options):
        return ()
    fits = [option for option in widget.options if folded in option.casefold()]
    return tuple(sorted(fits, key=lambda option: not option.casefold().startswith(folded))[:MOST])


def taken(value: str, option: str) -> str:
    """The value of the field when this option takes the place of what was written last."""
    return _parts(value)[0] + option


def list_key(key: str) -> str:
    return f"{key}.proposals"


def proposed(widgets: tuple[Widget, ...], key: str, mark: int) -> tuple[Widget, ...]:
    """A view with the list below the field of this key, if it has something to propose."""
    return tuple(_beside(widget, key, mark) for widget in widgets)


def _beside(widget: Widget, key: str, mark: int) -> Widget:
    if widget.key == key and (found := proposals(widget)):
        options = tuple(
            Widget("option", text, f"{key}.proposal-{n}", press=True, selected=n == mark + 1)
            for n, text in enumerate(found, start=1)
        )
        return group(widget, Widget("listbox", None, list_key(key), children=options, floats=True), key=f"{key}.field")
    if not widget.children:
        return widget
    children = proposed(widget.children, key, mark)
    return widget if all(a is b for a, b in zip(children, widget.children, strict=True)) else widget._replace(children=children)


_DIALOG_WIDTH = 520
_TOAST = (380, 36)
_NOTICE = 340
"""Pixels that a notification is wide."""


Kind: TypeAlias = Literal["window", "icons", "message", "notice", "dialog"]


class Panel(NamedTuple):
    """Elements that stand together: a window, a dialog, or a message."""

    shown: tuple[ShownElement, ...]
    elements: tuple[GUIElement, ...]
    tracks: dict[str, int]
    """Where an element stands among them, by track id."""
    box: Box
    kind: Kind
    overflow: int = 0
    """How far it can be scrolled down."""

    @property
    def app(self) -> str | None:
        return self.shown[0].element.app if self.shown else None


def offering(desk: Desk, app: str) -> tuple[str, int] | None:
    """The key of the field of an app, or of any app, whose proposals are listed, and which of them is marked."""
    here = desk.mark is not None and (not app or desk.focus.startswith(f"{app}."))
    return (desk.focus.removeprefix(f"{app}."), desk.mark or 0) if here else None


def window_panel(world: World, win: WindowState, over: tuple[Box, ...], start: int) -> Panel:
    """A window without a focus."""
    desk, app = world.desk, win.app
    box = left, top, right, bottom = win.box or desk.ground
    clip = (left, top + TITLE_BAR, right, bottom)
    area = Area(left + MARGIN, top + TITLE_BAR + MARGIN // 2, right - left - 2 * MARGIN, (clip[1], clip[3]))
    nodes, height = place(_view(world, app), app, area, metrics_for(desk.variation))
    overflow = max(0, area.y + height + MARGIN - bottom)
    if offset := min(desk.scroll.get(app, 0), overflow):
        nodes = [_moved(node, offset) for node in nodes]
    return _made(show(nodes, Pane(app, clip, over=over), start), box, "window", overflow)


def _view(world: World, app: str) -> tuple[Widget, ...]:
    """What an app shows, with what the desktop makes of it."""
    desk = world.desk
    if desk.busy(app):
        return varied(app, (progress("Loading…"),), desk.variation)
    widgets: tuple[Widget, ...] = APPS[app].view(world.apps[app])
    if listed := offering(desk, app):
        widgets = proposed(widgets, *listed)
    widgets = varied(app, widgets, desk.variation)
    changes = desk.altered.get(app)
    return altered(widgets, changes) if changes else widgets


def icons_panel(world: World) -> Panel:
    """The bare desktop: an icon for each app."""
    desk = world.desk
    icons = tuple(_icon(name, desk.variation) for name in world.apps)
    ground = desk.ground
    if desk.form == "phone":
        icons, wide = (bar(*icons, key="home-screen"),), desk.size[0] - 2 * MARGIN
    else:
        wide = 240
    nodes, _ = place(icons, "desktop", Area(MARGIN, TITLE_BAR, wide, (0, ground[3])), metrics_for(desk.variation))
    return _made(show(nodes, Pane(None, ground), 1), ground, "icons")


def _icon(name: str, variation: Variation) -> Widget:
    own = button(APPS[name].title, f"icon-{name}")
    shown = varied_text("desktop", APPS[name].title, variation)
    return own if shown == own.text else own._replace(text=shown, own=own)


def message_panels(desk: Desk, start: int) -> Iterator[Panel]:
    """Toasts at the lower right corner. They take no clicks: what lies below them can be reached."""
    app, (wide, tall) = desk.front, _TOAST
    if app is None:
        return
    ground = desk.ground
    for index, message in enumerate(desk.messages):
        words = varied_text(app, message.text, desk.variation)
        area = Area(max(0, ground[2] - wide - 20), ground[3] - tall * (index + 1), min(wide, ground[2]), (0, ground[3]))
        nodes, _ = place((status(words, f"toast-{index + 1}"),), app, area)
        yield _made(show(nodes, Pane(app, ground), start + index), (0, 0, 0, 0), "message")


def notice_panels(desk: Desk, start: int) -> Iterator[Panel]:
    """Notifications at the upper right corner, over every window, the newest at the top."""
    wide, left = min(_NOTICE, desk.ground[2] // 2), max(0, desk.ground[2] - _NOTICE - MARGIN)
    top = TITLE_BAR + MARGIN // 2
    for card in notices.widgets(desk):
        area = Area(left, top, wide, (0, desk.ground[3]))
        nodes, height = place((card,), "desktop", area, metrics_for(desk.variation))
        shown = show(nodes, Pane(None, desk.ground), start)
        yield _made(shown, (left, top, left + wide, top + height), "notice")
        start += len(shown)
        top += height + MARGIN // 2


def dialog_panel(dialog: Dialog, layer: int, desk: Desk, start: int) -> Panel:
    body: list[Widget] = [heading(dialog.title, "title")]
    if dialog.text:
        body.append(text(dialog.text, "text"))
    body.extend(_field(field) for field in dialog.fields)
    buttons = tuple(button(name, f"button-{slug(name)}-{i}") for i, name in enumerate(dialog.buttons, start=1))
    own = Widget("dialog", dialog.title, dialog.key, children=(*body, *buttons))
    (tree,) = varied(dialog.app or "desktop", (own,), desk.variation)
    size = desk.size
    width = min(_DIALOG_WIDTH, size[0] - 2 * MARGIN)
    area = Area((size[0] - width) // 2, 0, width, (0, size[1]), text_max=min(240, size[1] // 3))
    prefix = f"{dialog.app or 'desktop'}.dialog" + (f"-{layer}" if layer > 1 else "")
    nodes, height = place([tree], prefix, area, metrics_for(desk.variation))
    up = -max(0, (size[1] - height) // 2)
    return _made(show([_moved(n, up) for n in nodes], Pane(dialog.app, (0, 0, *size), layer), start), (0, 0, *size), "dialog")


def _field(field: DialogField) -> Widget:
    if field.options:
        return combobox(field.label, f"field-{field.key}", field.value, field.options)
    return textbox(field.label, f"field-{field.key}", field.value, private=field.private)


def _made(shown: tuple[ShownElement, ...], box: Box, kind: Kind, overflow: int = 0) -> Panel:
    elements = tuple([s.element for s in shown])
    return Panel(shown, elements, {str(e.track_id): at for at, e in enumerate(elements)}, box, kind, overflow)


def _moved(node: Node, offset: int) -> Node:
    x1, y1, x2, y2 = node.box
    return node._replace(box=(x1, y1 - offset, x2, y2 - offset))
