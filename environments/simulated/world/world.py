"""The state of a desktop as one immutable value that can be written down and read back."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, sqrt
from typing import Any, Literal

from pydantic import Field
from pydantic_core import to_json

from environments.simulated.app import AppState, Dialog
from environments.simulated.screen.alterations import Alteration
from environments.simulated.turn.events import moment_of
from environments.simulated.variation.metrics import Variation
from environments.simulated.world.values import IdentityKey, Model

TITLE_BAR = 40
TASK_BAR = 40
MARGIN = 24
"""Pixels between the edge of a window and what is in it."""


class WindowState(Model):
    """The window of an app; there is at most one for each."""

    app: str
    minimized: bool = False
    box: tuple[int, int, int, int] | None = None
    """Left, top, right, bottom with its title bar; None when it is maximised."""

    @property
    def window_id(self) -> str:
        return f"win-{self.app}"


class Message(Model):
    """A toast that stays until the clock passes `until`."""

    text: str
    until: float


class ArmedRule(Model):
    """A rule whose effect waits for the actions it is meant for."""

    rule: int
    left: int
    until: float | None = None
    """When it ends, whatever is left."""


class ScheduledEvent(Model):
    """Something that an app will be told when the clock has come so far."""

    at: float
    app: str
    topic: str
    data: dict[str, str]


class Notification(Model):
    """A notification that nobody has dismissed yet. Without an app there is nothing to open."""

    number: int
    app: str | None = None
    title: str
    text: str = ""
    at: float


class ClosedDialog(Model):
    """How a dialog that the world itself opened was answered."""

    title: str
    kind: str
    button: str


class Desk(Model):
    """Everything that is not inside an app."""

    name: str
    seed: int
    size: tuple[int, int] = (1280, 800)
    variation: Variation = Variation()
    arrange: Literal["maximised", "side_by_side", "cascade"] = "maximised"
    """Where a window stands that is opened."""
    form: Literal["desktop", "phone"] = "desktop"
    """A phone has one app at a time, no title bar, fingers instead of a pointer, and gestures for back and home."""
    clock: float = 0.0
    """Seconds since the start."""
    starts: str = "2026-01-05 09:00"
    """Day and time of the start."""
    actions: int = 0
    windows: tuple[WindowState, ...] = ()
    """In z order; the last one that is not minimised has the focus."""
    focus: str = ""
    """Track id of the focused element."""
    caret: int = 0
    anchor: int | None = None
    """The other end of the selection in the focused field."""
    selection: str = ""
    """Text that is selected on the page."""
    clipboard: str = ""
    scroll: dict[str, int] = Field(default_factory=dict)
    dialogs: tuple[Dialog, ...] = ()
    """The last one takes all input."""
    loading: dict[str, float] = Field(default_factory=dict)
    messages: tuple[Message, ...] = ()
    fired: dict[int, int] = Field(default_factory=dict)
    """How often each rule of the world has fired."""
    armed: tuple[ArmedRule, ...] = ()
    tried: dict[int, int] = Field(default_factory=dict)
    """How often the trigger of each rule came, whether or not it fired then."""
    fired_at: dict[int, float] = Field(default_factory=dict)
    """When each rule fired first."""
    held: tuple[int, ...] = ()
    """Rules whose condition held when it was last looked at."""
    queue: tuple[ScheduledEvent, ...] = ()
    """What apps will be told, in the order in which it was asked for."""
    notices: tuple[Notification, ...] = ()
    noticed: int = 0
    """How many notices there were, gone ones too."""
    passed: dict[str, float] = Field(default_factory=dict)
    """Deadlines that have passed, and when."""
    altered: dict[str, tuple[Alteration, ...]] = Field(default_factory=dict)
    """How apps show themselves otherwise than they would."""
    answered: tuple[ClosedDialog, ...] = ()

    @property
    def now(self) -> str:
        """Day and time, as `2026-03-02 10:30`."""
        return moment_of(self.starts, self.clock)

    @property
    def front(self) -> str | None:
        """The app whose window is on the screen."""
        for win in reversed(self.windows):
            if not win.minimized:
                return win.app
        return None

    @property
    def ground(self) -> tuple[int, int, int, int]:
        """Where a window may stand: left, top, right, bottom."""
        return 0, 0, self.size[0], self.size[1] - TASK_BAR

    def busy(self, app: str) -> bool:
        return self.loading.get(app, 0.0) > self.clock

    def to_front(self, app: str, order: Sequence[str]) -> Windows:
        """The windows with that app's in front; it gets one if it has none. `order` names the world's apps."""
        known = next((win for win in self.windows if win.app == app), None)
        others = tuple(win for win in self.windows if win.app != app)
        if known is None:
            known = WindowState(app=app, box=self._cascaded(len(others)) if self.arrange == "cascade" else None)
        return self.arranged((*others, known.replace(minimized=False) if known.minimized else known), order)

    def arranged(self, windows: Iterable[WindowState], order: Sequence[str]) -> Windows:
        """The windows where the desk's arrangement wants them; tiles keep the order of the world's apps."""
        kept = tuple(windows)
        if self.arrange != "side_by_side":
            return kept
        tiled = sorted((win.app for win in kept if not win.minimized), key=order.index)
        return tuple(win if win.minimized else win.replace(box=self._tile(tiled.index(win.app), len(tiled))) for win in kept)

    def _tile(self, at: int, count: int) -> tuple[int, int, int, int] | None:
        if count == 1:
            return None
        left, top, right, bottom = self.ground
        across = ceil(sqrt(count))
        down = ceil(count / across)
        column, row = at % across, at // across
        wide, tall = (right - left) // across, (bottom - top) // down
        return left + column * wide, top + row * tall, left + (column + 1) * wide, top + (row + 1) * tall

    def _cascaded(self, count: int) -> tuple[int, int, int, int]:
        left, top, right, bottom = self.ground
        wide, tall = (right - left) * 7 // 10, (bottom - top) * 3 // 4
        room = max(1, min((right - left - wide) // _STEP, (bottom - top - tall) // _STEP) + 1)
        shift = MARGIN // 2 + _STEP * (count % room)
        return left + shift, top + shift, min(right, left + shift + wide), min(bottom, top + shift + tall)


@dataclass(frozen=True, eq=False)
class World:
    """The desk and the states of its apps. Compared by identity: an unchanged part is the same object."""

    desk: Desk
    apps: Mapping[str, AppState]

    def with_desk(self, **changes: Any) -> World:
        return World(self.desk.replace(**changes), self.apps)

    def with_app(self, name: str, state: AppState) -> World:
        return self if self.apps[name] is state else World(self.desk, {**self.apps, name: state})

    def hash(self) -> str:
        """Equal worlds have equal hashes, in any process."""
        return hashlib.blake2b(json.dumps(self.world_hashes()).encode(), digest_size=16).hexdigest()

    def world_hashes(self) -> dict[str, str]:
        """A hash for the desk and for each app."""
        return {"desk": app_hash(self.desk), **{name: app_hash(state) for name, state in self.apps.items()}}


@lru_cache(maxsize=50_000)
def _digest_of(key: IdentityKey[Any]) -> int:
    """Hash of one entry; entries are immutable, so each is hashed once in its life."""
    return _number(to_json(key.value))


def _number(body: bytes) -> int:
    return int.from_bytes(hashlib.blake2b(body, digest_size=16).digest(), "big")


def app_hash(state: AppState | Desk) -> str:
    """Equal states have equal hashes, in any process. Costs what changed since the last time, and a sum over the entries."""
    total = 0
    for name in type(state).model_fields:
        value = getattr(state, name)
        if isinstance(value, dict):
            for place, (entry, item) in enumerate(value.items()):
                item_digest = _digest_of(IdentityKey(item)) if isinstance(item, Model) else _number(to_json(item))
                total += item_digest ^ _number_of_name(f"{name}.{entry}.{place}")
            total += _number_of_name(f"{name}:{len(value)}")
        else:
            total += _number(to_json({name: value}))
    return f"{total % (1 << 128):032x}"


@lru_cache(maxsize=50_000)
def _number_of_name(name: str) -> int:
    return _number(name.encode("utf-8", "surrogatepass"))


_STEP = TITLE_BAR
"""How far a cascading window stands from the one before: its title bar stays in sight."""
Windows = tuple[WindowState, ...]
