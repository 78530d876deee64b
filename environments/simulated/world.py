"""The state of a desktop as one immutable value that can be written down and read back."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from pydantic import Field

from environments.simulated.app import AppState, Dialog
from environments.simulated.values import Model


class Win(Model):
    """The window of an app; there is at most one for each."""

    app: str
    minimized: bool = False

    @property
    def window_id(self) -> str:
        return f"win-{self.app}"


class Message(Model):
    """A toast that stays until the clock passes `until`."""

    text: str
    until: float


class Armed(Model):
    """A rule whose effect waits for the actions it is meant for."""

    rule: int
    left: int


class Closed(Model):
    """How a dialog that the world itself opened was answered."""

    title: str
    kind: str
    button: str


class Desk(Model):
    """Everything that is not inside an app."""

    name: str
    seed: int
    size: tuple[int, int] = (1280, 800)
    clock: float = 0.0
    actions: int = 0
    windows: tuple[Win, ...] = ()
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
    armed: tuple[Armed, ...] = ()
    names: dict[str, dict[str, str]] = Field(default_factory=dict)
    """Controls that go by another name, for each app."""
    answered: tuple[Closed, ...] = ()

    @property
    def front(self) -> str | None:
        """The app whose window is on the screen."""
        return next((w.app for w in reversed(self.windows) if not w.minimized), None)

    def busy(self, app: str) -> bool:
        return self.loading.get(app, 0.0) > self.clock


@dataclass(frozen=True, eq=False)
class World:
    """The desk and the states of its apps. Compared by identity: an unchanged part is the same object."""

    desk: Desk
    apps: Mapping[str, AppState]

    def with_desk(self, **changes: Any) -> World:
        return replace(self, desk=self.desk.model_copy(update=changes))

    def with_app(self, name: str, state: AppState) -> World:
        return self if self.apps[name] is state else replace(self, apps={**self.apps, name: state})

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
