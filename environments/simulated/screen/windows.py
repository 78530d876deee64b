"""Where windows stand: each over the whole screen, tiled side by side, or one a little below the other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import ceil, sqrt

from environments.simulated.world.world import MARGIN, TITLE_BAR, Desk, WindowState

_STEP = TITLE_BAR
"""How far a cascading window stands from the one before: its title bar stays in sight."""
Windows = tuple[WindowState, ...]


def to_front(desk: Desk, app: str, order: Sequence[str]) -> Windows:
    """The windows with that app's in front; it gets one if it has none. `order` names the world's apps."""
    known = next((win for win in desk.windows if win.app == app), None)
    others = tuple(win for win in desk.windows if win.app != app)
    if known is None:
        known = WindowState(app=app, box=_cascaded(desk, len(others)) if desk.arrange == "cascade" else None)
    return arranged(desk, (*others, known.model_copy(update={"minimized": False}) if known.minimized else known), order)


def arranged(desk: Desk, windows: Iterable[WindowState], order: Sequence[str]) -> Windows:
    """The windows where the desk's arrangement wants them; tiles keep the order of the world's apps."""
    kept = tuple(windows)
    if desk.arrange != "side_by_side":
        return kept
    tiled = sorted((win.app for win in kept if not win.minimized), key=order.index)
    return tuple(
        win if win.minimized else win.model_copy(update={"box": _tile(desk, tiled.index(win.app), len(tiled))}) for win in kept
    )


def _tile(desk: Desk, at: int, count: int) -> tuple[int, int, int, int] | None:
    if count == 1:
        return None
    left, top, right, bottom = desk.ground
    across = ceil(sqrt(count))
    down = ceil(count / across)
    column, row = at % across, at // across
    wide, tall = (right - left) // across, (bottom - top) // down
    return left + column * wide, top + row * tall, left + (column + 1) * wide, top + (row + 1) * tall


def _cascaded(desk: Desk, count: int) -> tuple[int, int, int, int]:
    left, top, right, bottom = desk.ground
    wide, tall = (right - left) * 7 // 10, (bottom - top) * 3 // 4
    room = max(1, min((right - left - wide) // _STEP, (bottom - top - tall) // _STEP) + 1)
    shift = MARGIN // 2 + _STEP * (count % room)
    return left + shift, top + shift, min(right, left + shift + wide), min(bottom, top + shift + tall)


def snapped(desk: Desk, app: str, side: str) -> Windows:
    """The window of an app at a half of the screen (`left`, `right`), over all of it (`up`), or put away (`down`)."""
    left, top, right, bottom = desk.ground
    middle = (left + right) // 2
    boxes = {"left": (left, top, middle, bottom), "right": (middle, top, right, bottom)}
    change = {"minimized": True} if side == "down" else {"box": boxes.get(side)}
    return tuple(win.model_copy(update=change) if win.app == app else win for win in desk.windows)
