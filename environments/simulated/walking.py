"""Keys that walk through things of a kind: items of a menu or a tree, rows, days, tabs."""

from __future__ import annotations

from environments.simulated.app import Away, Expanded, Hovered
from environments.simulated.pointer import into_view
from environments.simulated.seen import Shown
from environments.simulated.turn import Turn

_HOLDERS = {"menuitem": "menu", "treeitem": "tree", "row": "table", "gridcell": "table", "tab": "tablist", "link": "list"}
"""Roles that arrow keys walk through, and what holds those that belong together."""
MENU = ".menu"
"""The key of an open menu is that of what opened it, with this at its end."""


def walked(turn: Turn, shown: Shown, key: str, held: tuple[str, ...] = ()) -> bool:
    """Whether an arrow key means something where the focus is."""
    role, way = shown.widget.role, {"ArrowDown": 1, "ArrowUp": -1}.get(key, 0)
    if role == "button" and shown.widget.expanded is not None and way:
        return _into_menu(turn, shown)
    if role not in _HOLDERS or not key.startswith("Arrow"):
        return False
    if role == "gridcell":
        return _day(turn, shown, key)
    if role == "tab":
        return _tab(turn, shown, key)
    if way:
        return _along(turn, shown, way, held, round_about=role == "menuitem")
    return _sideways(turn, shown, key == "ArrowRight")


def into_menu(turn: Turn, shown: Shown) -> None:
    """The focus goes to the first item of the menu that this has opened."""
    first = next((s for s in turn.screen.order if _menu_of(s) == shown.widget.key + MENU and s.widget.enabled), None)
    if first:
        _focus(turn, first)


def owner_of(turn: Turn, shown: Shown) -> Shown | None:
    """What opened the menu in which this stands."""
    key = _menu_of(shown)
    return turn.screen.track(f"{shown.element.app}.{key.removesuffix(MENU)}") if key.endswith(MENU) else None


def _menu_of(shown: Shown) -> str:
    """The key of the menu in which an item stands; empty for everything else."""
    holder = _holder(shown) if shown.widget.role == "menuitem" else None
    return holder.widget.key if holder else ""


def _holder(shown: Shown) -> Shown | None:
    here = shown.above
    while here and here.widget.role != _HOLDERS[shown.widget.role]:
        here = here.above
    return here


def _peers(turn: Turn, shown: Shown) -> list[Shown]:
    """Those of the same kind and in the same thing, in order."""
    holder = _holder(shown)
    if holder is None:
        return []
    role, track = shown.widget.role, holder.element.track_id
    found = []
    for other in turn.screen.order:
        if other.widget.role == role and other.widget.interactive and other.widget.enabled:
            around = _holder(other)
            if around and around.element.track_id == track:
                found.append(other)
    return found


def _focus(turn: Turn, shown: Shown) -> bool:
    turn.move_focus(str(shown.element.track_id))
    into_view(turn, shown)
    return True


def _along(turn: Turn, shown: Shown, way: int, held: tuple[str, ...], *, round_about: bool) -> bool:
    """Rows that are only selected by a press are so by the focus as well."""
    peers = _peers(turn, shown)
    here = next((n for n, peer in enumerate(peers) if peer.element.track_id == shown.element.track_id), None)
    if here is None:
        return False
    at = here + way
    target = peers[at % len(peers) if round_about else min(max(0, at), len(peers) - 1)]
    _focus(turn, target)
    if target.widget.opens and target.widget.press:
        turn.press(target, tuple(name for name in held if name == "Shift"))
    return True


def _sideways(turn: Turn, shown: Shown, right: bool) -> bool:
    widget, app = shown.widget, shown.element.app
    if app is None:
        return False
    if widget.role == "treeitem":
        return _branch(turn, shown, app, right)
    if widget.role != "menuitem":
        return False
    if right and widget.expanded is not None:
        if not widget.expanded:
            turn.tell(app, Hovered(widget.key))
        into_menu(turn, shown)
    elif not right and (owner := owner_of(turn, shown)) and owner.widget.role == "menuitem":
        _focus(turn, owner)
        turn.tell(app, Away())
    return True


def _branch(turn: Turn, shown: Shown, app: str, right: bool) -> bool:
    """To the right what is below is shown, and then walked to; to the left it is hidden, and then left."""
    widget = shown.widget
    if widget.expanded is not None and widget.expanded is not right:
        turn.tell(app, Expanded(widget.key, right))
        return True
    peers = _peers(turn, shown)
    here = next(n for n, peer in enumerate(peers) if peer.element.track_id == shown.element.track_id)
    if right:
        found = peers[here + 1 : here + 2] if widget.expanded else []
    else:
        found = [peer for peer in peers[:here] if peer.widget.level < widget.level][-1:]
    return bool(found) and _focus(turn, found[0])


def _day(turn: Turn, shown: Shown, key: str) -> bool:
    peers = _peers(turn, shown)
    by = {"ArrowLeft": -1, "ArrowRight": 1, "ArrowUp": -7, "ArrowDown": 7}[key]
    at = next((n for n, p in enumerate(peers) if p.element.track_id == shown.element.track_id), -1) + by
    return 0 <= at < len(peers) and _focus(turn, peers[at])


def _tab(turn: Turn, shown: Shown, key: str) -> bool:
    by = {"ArrowLeft": -1, "ArrowRight": 1}.get(key, 0)
    peers = _peers(turn, shown)
    at = next((n for n, p in enumerate(peers) if p.element.track_id == shown.element.track_id), -1) + by
    if not by or not 0 <= at < len(peers):
        return False
    _focus(turn, peers[at])
    turn.press(peers[at])
    return True


def _into_menu(turn: Turn, shown: Shown) -> bool:
    if not shown.widget.expanded:
        turn.press(shown)
    into_menu(turn, shown)
    return True
