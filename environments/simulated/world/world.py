"""The state of a desktop as one immutable value that can be written down and read back."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import Field

from environments.simulated.app import AppState, Dialog
from environments.simulated.screen.alterations import Alteration
from environments.simulated.turn.triggers import moment_of
from environments.simulated.variation.metrics import Variation
from environments.simulated.world.values import Model

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


class Seat(Model):
    """A place at the desktop that is worked beside others, and what was left there."""

    at: float
    """How far its time has come."""
    front: str | None = None
    focus: str = ""
    caret: int = 0
    anchor: int | None = None
    mark: int | None = None
    selection: str = ""
    clipboard: str = ""
    dialogs: tuple[Dialog, ...] = ()
    """Those that apps opened there."""


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
    mark: int | None = None
    """Which of the focused field's proposals is marked, counted from 0; -1 for none of them, None while no list is open."""
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
    seat: str = ""
    """Whose desk this is: the seat that is taken, or nobody's in particular."""
    seats: dict[str, Seat] = Field(default_factory=dict)
    """By name. Of the one that is taken only the time counts."""

    @property
    def now(self) -> str:
        """Day and time, as `2026-03-02 10:30`."""
        return moment_of(self.starts, self.clock)

    @property
    def front(self) -> str | None:
        """The app whose window is on the screen."""
        return next((w.app for w in reversed(self.windows) if not w.minimized), None)

    @property
    def ground(self) -> tuple[int, int, int, int]:
        """Where a window may stand: left, top, right, bottom."""
        return 0, 0, self.size[0], self.size[1] - TASK_BAR

    def busy(self, app: str) -> bool:
        return self.loading.get(app, 0.0) > self.clock


@dataclass(frozen=True, eq=False)
class World:
    """The desk and the states of its apps. Compared by identity: an unchanged part is the same object."""

    desk: Desk
    apps: Mapping[str, AppState]

    def with_desk(self, **changes: Any) -> World:
        return World(self.desk.model_copy(update=changes), self.apps)

    def with_app(self, name: str, state: AppState) -> World:
        return self if self.apps[name] is state else World(self.desk, {**self.apps, name: state})

    def dump(self) -> dict[str, Any]:
        """The whole state as JSON."""
        return {
            "desk": self.desk.model_dump(mode="json"),
            "apps": {name: state.model_dump(mode="json") for name, state in self.apps.items()},
        }

    def hash(self) -> str:
        """Equal worlds have equal hashes, in any process."""
        body = json.dumps(self.dump(), sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        return hashlib.blake2b(body.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
