"""What an app is: a state, a view of it, and an update for each event. Nothing here touches the desktop."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar

from pydantic import Field

from environments.simulated.generate import Cast
from environments.simulated.values import Model
from environments.simulated.widgets import Widget


class AppState(Model):
    """All that an app knows. Content that grows lives in dicts by id: the store writes only the entries that changed."""


class Sharing(AppState):
    """The state of an app that `shares` another one's. It holds that one only while an update or a function is at work."""

    lent: AppState | None = Field(default=None, exclude=True)


class Content(Model):
    """What a world file may say of an app; what it leaves out is generated from the seed."""


@dataclass(frozen=True, slots=True)
class Pressed:
    """A button, link, tab or row was activated, by pointer or by key."""

    key: str


@dataclass(frozen=True, slots=True)
class Opened:
    """Something was double-clicked."""

    key: str


@dataclass(frozen=True, slots=True)
class Edited:
    """A field has a new value; a checkbox says `true` or `false`."""

    key: str
    value: str


@dataclass(frozen=True, slots=True)
class Left:
    """The focus went away from a field."""

    key: str


@dataclass(frozen=True, slots=True)
class Dropped:
    """One thing was dragged onto another."""

    key: str
    onto: str


@dataclass(frozen=True, slots=True)
class Shortcut:
    """A chord that the desktop itself has no use for, such as `Control+s`."""

    chord: str


@dataclass(frozen=True, slots=True)
class Answered:
    """A dialog that the app opened was closed by one of its buttons."""

    key: str
    button: str
    fields: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Arrived:
    """Something came from outside the app: mail, or a request of another app."""

    topic: str
    data: Mapping[str, str]


Event: TypeAlias = Pressed | Opened | Edited | Left | Dropped | Shortcut | Answered | Arrived


class DialogField(Model):
    """A field in a dialog: a combobox when it has options."""

    key: str
    label: str
    value: str = ""
    options: tuple[str, ...] = ()


class Dialog(Model):
    """A modal dialog: it takes all input until one of its buttons is pressed."""

    key: str
    title: str
    text: str = ""
    buttons: tuple[str, ...]
    fields: tuple[DialogField, ...] = ()
    default: str | None = None
    """The button that Enter presses."""
    escape: str | None = None
    """The button that Escape stands for; None when Escape does not close it."""
    app: str | None = None
    kind: str = ""
    """For the judge; never shown."""


class Toast(NamedTuple):
    """A short message that goes away by itself."""

    text: str


class Busy(NamedTuple):
    """The app shows that it is loading."""

    seconds: float


class Copy(NamedTuple):
    """Put a text on the clipboard."""

    text: str


class Launch(NamedTuple):
    """Bring another app to the front, and tell it why."""

    app: str
    topic: str
    data: Mapping[str, str]


class Notify(NamedTuple):
    """Tell another app something without showing it."""

    app: str
    topic: str
    data: Mapping[str, str]


class Submitted(NamedTuple):
    """A form was accepted; rules of the world may wait for it."""


class Change(NamedTuple):
    """The next state of the app that this one shares. Two windows on one thing cannot each keep a copy of it."""

    state: AppState


Effect: TypeAlias = Dialog | Toast | Busy | Copy | Launch | Notify | Submitted | Change
S = TypeVar("S", bound=AppState)
C = TypeVar("C", bound=Content)


class Update(NamedTuple, Generic[S]):
    """The next state, and what the desktop should do besides."""

    state: S
    effects: tuple[Effect, ...] = ()


class Setting(NamedTuple):
    """What a new state may draw on: the app's own random numbers, and the people of the world."""

    rng: random.Random
    cast: Cast


class App(ABC, Generic[C, S]):
    """An application. `update` and `view` are pure: same arguments, same result."""

    name: str
    title: str
    words: tuple[str, ...] = ()
    shares: str = ""
    """Another app: where the world has it, this one gets its state as `Sharing.lent` and may give it back by a `Change`."""
    content: type[C]
    state: type[S]
    looks: frozenset[str] = frozenset()
    """Paths in the state that only say what is looked at, begun and not saved yet, or counted: `page`, `messages.*.unread`.
    A change there and below is nothing that was done."""
    functions: tuple[Any, ...] = ()
    """`skills.Function`s: the app's own interface, beside its GUI."""
    agent: Callable[[S, str], Any] | None = None
    """The app's own agent: a request in words to `skills.Done`; None where it has none."""

    def initial(self, content: Mapping[str, Any], setting: Setting) -> S:
        """The first state. Raises pydantic.ValidationError when the content is not what `content` describes."""
        return self.start(self.content.model_validate(content), setting)

    @abstractmethod
    def start(self, content: C, setting: Setting) -> S: ...

    @abstractmethod
    def view(self, state: S) -> tuple[Widget, ...]: ...

    @abstractmethod
    def update(self, state: S, event: Event) -> Update[S]: ...


AnyApp: TypeAlias = App[Any, Any]
