"""What every environment offers: reset, observe, perform, close. Small capabilities stand beside it.

EnvironmentFault            the adapter broke; the operator turns it into a structured error
  DigestMismatch            a known key came with another action: never performed
  WorldError                a world file or a stored world cannot be loaded
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol, runtime_checkable

from protocol import Action, ActionResult, VisualState


class EnvironmentFault(Exception):
    """Something that is not the planner's to mend. A failure that it can act on is an ActionResult instead."""


class DigestMismatch(EnvironmentFault):
    """The key was used before for a different action."""


class WorldError(EnvironmentFault):
    """One sentence that names the file and the key."""


class Environment(Protocol):
    """A surface with applications on it. Not safe for several threads."""

    name: str

    def reset(self, *, seed: int | None = None) -> VisualState:
        """Start anew; the same seed gives the same first state."""

    def observe(self) -> VisualState:
        """The screen now. Changes nothing."""

    def perform(self, action: Action, *, key: str) -> ActionResult:
        """Do it once: a known `key` returns the stored result. Raises DigestMismatch for a known key with another action."""

    def close(self) -> None:
        """Give everything back. Twice is fine."""


class AppInfo(NamedTuple):
    """An application as a user would name it. `words` are other nouns for it and for what it holds."""

    app: str
    title: str
    words: tuple[str, ...] = ()


@runtime_checkable
class AppCatalog(Protocol):
    """Knows which applications can be opened."""

    def apps(self) -> Sequence[AppInfo]: ...


@runtime_checkable
class Peek(Protocol):
    """Can read an application's window without touching focus, as accessibility services do."""

    def peek(self, app: str) -> VisualState | None:
        """The app's window, or None when it has none open."""


@runtime_checkable
class WorldState(Protocol):
    """Gives its true state as JSON, for the harness's judge. No role ever sees it."""

    def world(self) -> dict[str, Any]: ...


@runtime_checkable
class Snapshots(Protocol):
    """Can go back to a moment, and go on from it twice. A snapshot is opaque and of one environment."""

    def snapshot(self) -> Any: ...

    def restore(self, snapshot: Any) -> VisualState: ...

    def fork(self) -> Environment: ...


class FunctionInfo(NamedTuple):
    """A function of an app's own interface. `arguments` is the JSON Schema of what it takes."""

    app: str
    name: str
    summary: str
    arguments: dict[str, Any]
    writes: bool


@runtime_checkable
class NativeApi(Protocol):
    """Has apps with functions of their own, called by `call_api`."""

    def functions(self) -> Sequence[FunctionInfo]: ...


@runtime_checkable
class InAppAgent(Protocol):
    """Has apps with agents of their own, asked by `ask_in_app_agent`."""

    def agents(self) -> Sequence[str]: ...


@runtime_checkable
class Screenshots(Protocol):
    """Can give a picture of the screen."""

    def screenshot(self) -> bytes:
        """The PNG of what is on the screen now. Changes nothing. Raises EnvironmentFault when no picture can be had."""


@runtime_checkable
class Received(Protocol):
    """Keeps its own record of every keyed action it performed, in order."""

    def received(self) -> list[dict[str, Any]]: ...
