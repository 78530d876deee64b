"""What every environment offers: reset, observe, perform, close. Small capabilities stand beside it.

EnvironmentFault            the adapter broke; the operator turns it into a structured error
  DigestMismatch            a known key came with another action: never performed
  Unavailable               it cannot be worked for now, whatever is planned: the run stops, and can be resumed
  WorldError                a world file or a stored world cannot be loaded
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias, runtime_checkable

from pydantic import Field

from protocol import Action, ActionResult, BoundingBox, Extension, Frozen, VisualState

EnvironmentType: TypeAlias = Literal["desktop", "browser", "mobile", "multimodal", "simulated_physical"]
"""What kind of surface it is (seed 000)."""


STOPPED = "stopped: "
"""How the error of an action begins whose page set out to do otherwise than it shows: the same is not tried again."""


class EnvironmentFault(Exception):
    """Something that is not the planner's to mend. A failure that it can act on is an ActionResult instead."""


class DigestMismatch(EnvironmentFault):
    """The key was used before for a different action."""


class Unavailable(EnvironmentFault):
    """Nothing was done, and nothing can be done now. One sentence on what is in the way."""


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


@runtime_checkable
class Surface(Protocol):
    """Says what kind of surface it is."""

    @property
    def environment_type(self) -> EnvironmentType: ...


def type_of(environment: Environment) -> EnvironmentType:
    """What kind of surface an environment is: a desktop where it does not say."""
    return environment.environment_type if isinstance(environment, Surface) else "desktop"


class AppInfo(NamedTuple):
    """An application as a user would name it. `words` are other nouns for it and for what it holds."""

    app: str
    title: str
    words: tuple[str, ...] = ()
    shares: str = ""
    """Another app on whose things this one works: two windows on one thing."""


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
class OwnWords(Protocol):
    """Knows what things are called beneath the language and the names in which it shows them. For the harness's oracle only."""

    def meant(self, action: Action) -> Action:
        """The action on what its texts mean in those words; as it is where nothing is called so."""


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
    repeatable: bool = False
    """Whether calling it a second time changes nothing more. One that writes nothing always may be."""
    risk: str = ""
    """What it does besides what its name says, in a word of the safety policy, such as `send`; it can only raise the risk."""


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
class TextLocator(Protocol):
    """Can say where on its screen given texts are written, beside what its elements tell."""

    def written(self, texts: Sequence[str]) -> Sequence[BoundingBox]:
        """The boxes of every place where one of the texts can be read, in pixels of the screen."""


@runtime_checkable
class ActionRecord(Protocol):
    """Keeps its own record of every keyed action it performed, in order."""

    def received(self) -> list[dict[str, Any]]: ...


@runtime_checkable
class KnownKeys(Protocol):
    """Can say quickly which actions it performed last."""

    def latest_keys(self, most: int) -> list[str]:
        """The keys of the last actions that were performed, the newest first."""


@runtime_checkable
class OwnCalendar(Protocol):
    """Knows what day it is there, whatever day it is outside."""

    @property
    def now(self) -> str:
        """Day and time, as `2026-03-02 10:30`."""


@runtime_checkable
class OwnClock(Protocol):
    """Has a time of its own, which goes on with what is done and not with the clock on the wall."""

    @property
    def clock(self) -> float:
        """Seconds that have passed there since it began."""


class FileTree(NamedTuple):
    """The user's files by absolute path, such as `/Documents/plan.txt`, and all folders but the root."""

    files: Mapping[str, str]
    folders: tuple[str, ...] = ()
    app: str | None = None
    """The app that shows them, if one does."""


CHANGE_FILES = "x-deskcrew.change_files"


class FileChange(Frozen):
    """What is to become of some files, all of it or nothing; performed under a key like every action."""

    written: dict[str, str] = Field(default_factory=dict)
    """Whole texts by path."""
    folders: tuple[str, ...] = ()
    """New folders."""
    removed: tuple[str, ...] = ()
    """Files and folders that go; of a folder everything in it is named too."""
    was: dict[str, str] = Field(default_factory=dict)
    """`text_digest` of each file that is written over or goes. One that is otherwise by now was changed by somebody else."""

    def __bool__(self) -> bool:
        return bool(self.written or self.folders or self.removed)

    def action(self) -> Extension:
        """The change as an action."""
        return Extension(action_type=CHANGE_FILES, arguments=self.model_dump(mode="json", exclude_defaults=True))

    @classmethod
    def of(cls, action: Action) -> FileChange | None:
        """The change that an action means; None for any other action. Raises pydantic.ValidationError."""
        if not isinstance(action, Extension) or action.action_type != CHANGE_FILES:
            return None
        return cls.model_validate(action.arguments)


def text_digest(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


@runtime_checkable
class Files(Protocol):
    """Gives its user's text files to read, and performs `FileChange.action()`."""

    def files(self) -> FileTree | None:
        """None where there is no app that holds files."""


@runtime_checkable
class Seats(Protocol):
    """Can be worked by several in turn as if at the same time: each has a focus, a clipboard and a time of its own."""

    def seat(self, name: str, *, since: float | None = None) -> None:
        """Everything from here on happens at this seat, which does nothing before `since` on the environment's clock.

        One that is new begins now. To take a seat is no action: nothing is changed in any app. No name gives all seats up.
        """

    def seats(self) -> Mapping[str, float]:
        """How far the time of each seat has come."""
