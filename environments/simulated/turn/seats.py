"""Several at one desktop: each seat has a focus, a selection, a clipboard, a window in front and open dialogs of its own.

The desk shows the seat that is taken; what the others left is kept beside it until they are back. To take a seat is no
action: nothing is pressed, no field is left, and no app hears of it. Every seat has its own time, and the clock of the world
is that of the one that has come furthest, so that what two seats do at the same time takes no longer than the longer of it.
"""

from __future__ import annotations

from typing import Any

from environments.simulated.screen.windows import to_front
from environments.simulated.turn.advance import settled
from environments.simulated.world.world import Desk, Seat, World

_OWN = ("focus", "caret", "anchor", "mark", "selection", "clipboard")


def taken(world: World, name: str, since: float | None = None) -> World:
    """The world as it is for whoever sits there, who does nothing before `since`. No name: the seats are given up."""
    desk = world.desk
    if not name:
        return world.with_desk(seat="", seats={}, dialogs=_all_dialogs(desk)) if desk.seats else world
    seats = desk.seats
    seat = seats.get(name) or Seat(at=desk.clock if since is None else since, front=desk.front, clipboard=desk.clipboard)
    if since is not None and since > seat.at:
        seat = seat.model_copy(update={"at": since})
    if name == desk.seat:
        return world if seat is seats[name] else world.with_desk(seats={**seats, name: seat})
    if not desk.seat:  # who comes first finds the desk as it is
        return world.with_desk(seat=name, seats={**seats, name: seat})
    return settled(world, _changed(world, {**seats, desk.seat: _left(desk), name: seat}, name))


def _left(desk: Desk) -> Seat:
    """What the seat that is taken now leaves to be found again."""
    own: dict[str, Any] = {field: getattr(desk, field) for field in _OWN}
    dialogs = tuple(dialog for dialog in desk.dialogs if dialog.app is not None)
    return Seat(at=desk.seats[desk.seat].at, front=desk.front, dialogs=dialogs, **own)


def _changed(world: World, seats: dict[str, Seat], name: str) -> World:
    """What apps ask is asked of the seat that opened it; what the world itself asks, of everybody."""
    desk, seat = world.desk, seats[name]
    own: dict[str, Any] = {field: getattr(seat, field) for field in _OWN}
    dialogs = (*seat.dialogs, *(dialog for dialog in desk.dialogs if dialog.app is None))
    windows = desk.windows
    if seat.front is not None and any(win.app == seat.front for win in windows):
        windows = to_front(desk, seat.front, list(world.apps))
    return world.with_desk(seat=name, seats=seats, dialogs=dialogs, windows=windows, **own)


def _all_dialogs(desk: Desk) -> tuple[Any, ...]:
    others = [dialog for name, seat in desk.seats.items() if name != desk.seat for dialog in seat.dialogs]
    return (*others, *desk.dialogs)


def passed(desk: Desk, seconds: float) -> dict[str, Any]:
    """What an action that takes so long changes of the time: of the seat that is taken, and of the world if it is ahead."""
    if not desk.seat:
        return {"clock": round(desk.clock + seconds, 3)}
    seat = desk.seats[desk.seat]
    end = round(seat.at + seconds, 3)
    return {"clock": max(desk.clock, end), "seats": {**desk.seats, desk.seat: seat.model_copy(update={"at": end})}}


def waited(desk: Desk, seconds: float) -> float:
    """How long a wait takes here. An app that loads does so by the world's clock, which other seats may have moved on."""
    busy = desk.loading.get(desk.front or "", 0.0)
    if not desk.seat or busy <= desk.clock:
        return seconds
    return max(seconds, min(busy, desk.clock + seconds) - desk.seats[desk.seat].at)
