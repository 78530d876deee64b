"""The contract of every environment: reset, observe, perform, close. Further capabilities are optional.

EnvironmentFault            the adapter failed; the Operator turns it into a structured error
  DigestMismatch            a known key came with another action: never performed
  Unavailable               it cannot be operated now, whatever is planned: the run stops, and can be resumed
  WorldError                a world file or a stored world cannot be loaded
"""

import hashlib
from collections.abc import Mapping, Sequence
from functools import cache
from operator import attrgetter
from typing import Any, ClassVar, Literal, NamedTuple, Self, TypeAlias, cast

from pydantic import Field
from typing_extensions import Protocol, runtime_checkable

from protocol import Action, ActionResult, BoundingBox, Extension, Frozen, VisualState

EnvironmentType: TypeAlias = Literal["desktop", "browser", "mobile", "multimodal", "simulated_physical"]
"""The type of an environment (seed 000)."""


STOPPED = "stopped: "
"""Prefix of the error of an action whose page attempted something other than it shows: the action is not tried again."""


class EnvironmentFault(Exception):
    """A failure that no plan can solve. A failure that the planner can act on is an ActionResult instead."""


class DigestMismatch(EnvironmentFault):
    """The key was used before for a different action."""


class Unavailable(EnvironmentFault):
    """Nothing was done, and nothing can be done now. The message is one sentence on the cause."""


class WorldError(EnvironmentFault):
    """The message is one sentence that names the file and the key."""


@cache
def extended(wrapper: type, passed: tuple[str, ...], own: tuple[str, ...]) -> Any:
    """A subclass that has these capabilities too, so that `isinstance` with their protocols holds: those that are `passed` are
    the `inner` environment's, and for its `own` the wrapper has methods with an underscore before the name."""
    members: dict[str, object] = {name: property(attrgetter(f"inner.{name}")) for name in passed}
    return type(wrapper.__name__, (wrapper,), members | {name: getattr(wrapper, f"_{name}") for name in own})


class Environment(Protocol):
    """What a crew operates. Not thread-safe."""

    name: str

    def reset(self, *, seed: int | None = None) -> VisualState:
        """Start again; the same seed gives the same first state."""

    def observe(self) -> VisualState:
        """The current screen. Changes nothing."""

    def perform(self, action: Action, *, key: str) -> ActionResult:
        """Perform it once: a known `key` returns the stored result. Raises DigestMismatch for a known key with another action."""

    def close(self) -> None:
        """Release all resources. May be called twice."""


class EnvironmentWrapper:
    """An environment around another one. Of the capabilities that the inner one has, those in `PASSED` are as they are there, and
    for those in `TURNED` the wrapper has methods with an underscore before the name."""

    PASSED: ClassVar[tuple[str, ...]] = ()
    TURNED: ClassVar[tuple[str, ...]] = ()
    inner: Environment

    def __new__(cls, inner: Environment, *_: object, **__: object) -> Self:
        passed, turned = (tuple(name for name in names if hasattr(inner, name)) for names in (cls.PASSED, cls.TURNED))
        made: Self = object.__new__(extended(cast(type, cls), passed, turned))
        return made

    def observe(self) -> VisualState:
        return self.inner.observe()

    def close(self) -> None:
        self.inner.close()


@runtime_checkable
class Surface(Protocol):
    """States its type."""

    @property
    def environment_type(self) -> EnvironmentType: ...


def type_of(environment: Environment) -> EnvironmentType:
    """The type of an environment; default: a desktop."""
    return environment.environment_type if isinstance(environment, Surface) else "desktop"


class AppInfo(NamedTuple):
    """An application as a user would name it. `words` are other nouns for it and its content."""

    app: str
    title: str
    words: tuple[str, ...] = ()
    shares: str = ""
    """Another app whose data this one uses."""


@runtime_checkable
class AppCatalog(Protocol):
    """Knows which applications can be opened."""

    def apps(self) -> Sequence[AppInfo]: ...


@runtime_checkable
class Peek(Protocol):
    """Can read an application's window without touching focus, as accessibility services do."""

    def peek(self, app: str) -> VisualState | None:
        """The app's window, or None if none is open."""


@runtime_checkable
class WorldState(Protocol):
    """Returns its true state as JSON, for the harness's judge. No role ever sees it."""

    def world(self) -> dict[str, Any]: ...


@runtime_checkable
class OwnWords(Protocol):
    """Knows the original names of what it shows translated or renamed. For the harness's oracle only."""

    def meant(self, action: Action) -> Action:
        """The action with original names resolved to the shown ones; unchanged if none matches."""


@runtime_checkable
class Snapshots(Protocol):
    """Can return to an earlier state, and continue from it more than once. A snapshot is opaque and of one environment."""

    def snapshot(self) -> Any: ...

    def restore(self, snapshot: Any) -> VisualState: ...

    def fork(self) -> Environment: ...


class FunctionInfo(NamedTuple):
    """A function of an app's own interface. `arguments` is a JSON Schema."""

    app: str
    name: str
    summary: str
    arguments: dict[str, Any]
    writes: bool
    repeatable: bool = False
    """Whether a second call changes nothing more. Always true of a function that writes nothing."""
    risk: str = ""
    """An effect of the safety policy, such as `send`, besides the one that its name indicates; it can only raise the risk."""


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
        """The current screen as PNG. Changes nothing. Raises EnvironmentFault if there is no picture."""


@runtime_checkable
class TextLocator(Protocol):
    """Can locate texts on its screen, including those that no element contains."""

    def written(self, texts: Sequence[str]) -> Sequence[BoundingBox]:
        """The boxes of every place that shows one of the texts, in pixels of the screen."""


@runtime_checkable
class ActionRecord(Protocol):
    """Keeps its own record of every keyed action it performed, in order."""

    def received(self) -> list[dict[str, Any]]: ...


@runtime_checkable
class KnownKeys(Protocol):
    """Can quickly list the last actions it performed."""

    def latest_keys(self, most: int) -> list[str]:
        """The keys of the last performed actions, newest first."""


@runtime_checkable
class OwnClock(Protocol):
    """Has a clock of its own, which advances with actions, not with the machine's clock."""

    @property
    def clock(self) -> float:
        """Seconds of that clock since the start."""


class FileTree(NamedTuple):
    """The user's files by absolute path, such as `/Documents/plan.txt`, and all folders but the root."""

    files: Mapping[str, str]
    folders: tuple[str, ...] = ()
    app: str | None = None
    """The app that shows them, if one does."""


CHANGE_FILES = "x-deskcrew.change_files"


class FileChange(Frozen):
    """A change of files, applied whole or not at all; performed under a key like every action."""

    written: dict[str, str] = Field(default_factory=dict)
    """Whole texts by path."""
    folders: tuple[str, ...] = ()
    """New folders."""
    removed: tuple[str, ...] = ()
    """Files and folders to remove; everything in a removed folder is named too."""
    was: dict[str, str] = Field(default_factory=dict)
    """`text_digest` of each overwritten or removed file. A mismatch means that somebody else has changed it since."""

    def __bool__(self) -> bool:
        return bool(self.written or self.folders or self.removed)

    def action(self) -> Extension:
        """The change as an action."""
        return Extension(action_type=CHANGE_FILES, arguments=self.model_dump(mode="json", exclude_defaults=True))

    @classmethod
    def of(cls, action: Action) -> "FileChange | None":
        """The change in an action; None for any other action. Raises pydantic.ValidationError."""
        if not isinstance(action, Extension) or action.action_type != CHANGE_FILES:
            return None
        return cls.model_validate(action.arguments)


def text_digest(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


@runtime_checkable
class Files(Protocol):
    """Returns its user's text files, and performs `FileChange.action()`."""

    def files(self) -> FileTree | None:
        """None if no app has files."""
