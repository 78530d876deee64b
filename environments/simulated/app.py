"""What an app is: a state, a view of it, and an update for each event. Nothing here touches the desktop."""

import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, Generic, Literal, NamedTuple, TypeAlias, TypeVar, get_args

from pydantic import Field, JsonValue, ValidationError

from environments.contract import FunctionInfo
from environments.effects import Effect as Does
from environments.simulated.screen.widgets import Widget
from environments.simulated.world.values import IdentityKey, Model, SharedPeople


class Difference(NamedTuple):
    """One value of an app's state that is another one than before; None where there was none, or is none any more."""

    key: str
    """Of an entry of a dict, or the name of a part."""
    old: Any
    new: Any
    before: Any
    """The app's whole state."""
    after: Any


class Meaning(NamedTuple):
    """What one kind of difference does. Of several that fit, the first counts."""

    path: str
    """A field (`deleted`), a part of one (`account.email`), the entries of one (`messages.*`); `later.<topic>` for what the app
    will be told when time has passed, `notify.<app>.<topic>` for what another app is told."""
    effect: Does | None
    """None: nothing that was done by whoever acts."""
    told: str | Callable[[Difference], str] = ""
    """A phrase such as `sends a mail to {new.to}`, of the parts of a Difference, or what makes one."""
    when: Callable[[Difference], bool] | None = None


class Tree(NamedTuple):
    """A field that holds files by path: what goes, moves or is overwritten is told by the difference of the whole."""

    path: str


Table: TypeAlias = tuple[Meaning | Tree, ...]


def is_new(found: Difference) -> bool:
    return found.old is None


def is_gone(found: Difference) -> bool:
    return found.new is None


def becomes(**values: Any) -> Callable[[Difference], bool]:
    """Whether an entry, new or changed, has these values now and had not all of them before."""

    def fits(found: Difference) -> bool:
        return _has(found.new, values) and not _has(found.old, values)

    return fits


def _has(entry: Any, values: Mapping[str, object]) -> bool:
    return entry is not None and all(getattr(entry, name, None) == value for name, value in values.items())


class AppState(Model):
    """All that an app knows. Content that grows lives in dicts by id: the store writes only the entries that changed.

    A field `today` is kept at the day of the world's clock by the desktop.
    """

    looked: ClassVar[frozenset[str]] = frozenset()
    """Fields of this class that count as an app's `looks`."""


class SharingState(AppState):
    """The state of an app that `shares` another one's. It holds that one only while an update or a function is at work."""

    lent: AppState | None = Field(default=None, exclude=True)


class Content(Model):
    """What a world file may say of an app; what it leaves out is generated from the seed."""


@dataclass(frozen=True)
class ControlEvent:
    """Something that happens to the control of this key."""

    key: str


@dataclass(frozen=True)
class Pressed(ControlEvent):
    """A button, link, tab or row was activated, by pointer or by key. `modifiers` are keys held down: `Shift`, `Control`."""

    modifiers: tuple[str, ...] = ()


class Hovered(ControlEvent):
    """The pointer came to rest on something that `hovers`."""


class Context(ControlEvent):
    """A right click, or a long press on a touch screen."""


@dataclass(frozen=True)
class Swiped(ControlEvent):
    """A finger, or a pointer that drags without a place to drop, went over something that `swipes` in this direction."""

    direction: Literal["up", "down", "left", "right"]


@dataclass(frozen=True, slots=True)
class Away:
    """The pointer went to something outside of all that floats; `pressed` when it was clicked there and not only shown."""

    pressed: bool = False


@dataclass(frozen=True)
class Scrolled(ControlEvent):
    """A list that shows only some of its rows should show others, so many rows further down."""

    by: int


@dataclass(frozen=True)
class Expanded(ControlEvent):
    """A treeitem should show what is below it, or hide it."""

    expanded: bool


class Opened(ControlEvent):
    """Something was double-clicked."""


@dataclass(frozen=True)
class Edited(ControlEvent):
    """A field has a new value; a checkbox says `true` or `false`."""

    value: str


class Left(ControlEvent):
    """The focus went away from a field."""


@dataclass(frozen=True)
class Dropped(ControlEvent):
    """One thing was dragged onto another."""

    onto: str


@dataclass(frozen=True, slots=True)
class Shortcut:
    """A chord that the desktop has no use for, such as `Control+s`, or a key like `Delete` while no field has the focus."""

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


@dataclass(frozen=True, slots=True)
class Passed:
    """The world's clock has gone on to `clock` since day and time `starts`; told only to apps that are `timed`."""

    clock: float
    starts: str


Event: TypeAlias = (
    Pressed | Hovered | Context | Swiped | Away | Scrolled | Expanded | Opened | Edited | Left | Dropped | Shortcut | Answered
    | Arrived | Passed
)  # fmt: skip


class DialogField(Model):
    """A field in a dialog: a combobox when it has options."""

    key: str
    label: str
    value: str = ""
    options: tuple[str, ...] = ()
    private: bool = False


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


class Later(NamedTuple):
    """Tell the app itself something when the clock has gone on by `seconds`: a reply that is being written, a reminder."""

    seconds: float
    topic: str
    data: Mapping[str, str]


class Focus(NamedTuple):
    """Put the keyboard's focus on one of the app's own controls."""

    key: str


class Notice(NamedTuple):
    """A notification of the desktop: it stays until it is dismissed, and opens the app when it is pressed."""

    title: str
    text: str = ""


class Change(NamedTuple):
    """The next state of the app that this one shares. Two windows on one thing cannot each keep a copy of it."""

    state: AppState


Effect: TypeAlias = Dialog | Toast | Busy | Copy | Launch | Notify | Submitted | Later | Focus | Notice | Change
S = TypeVar("S", bound=AppState)
C = TypeVar("C", bound=Content)


class Update(NamedTuple, Generic[S]):
    """The next state, and what the desktop should do besides."""

    state: S
    effects: tuple[Effect, ...] = ()


class Setting(NamedTuple):
    """What a new state may draw on: the app's own random numbers, and the people of the world."""

    rng: random.Random
    cast: SharedPeople


class App(ABC, Generic[C, S]):
    """An application. `update` and `view` are pure: same arguments, same result."""

    name: str
    title: str
    words: tuple[str, ...] = ()
    shares: str = ""
    """Another app: where the world has it, this one gets its state as `SharingState.lent` and may give it back by a `Change`."""
    timed: bool = False
    """Whether it hears after each action how far the clock has `Passed`: what heats, cools or is recorded meanwhile."""
    content: type[C]
    state: type[S]
    """Both are what the class is an `App` of, unless they are named."""
    looks: frozenset[str] = frozenset()
    """Paths in the state that only say what is looked at, begun and not saved yet, or counted: `page`, `messages.*.unread`.
    A change there and below is nothing that was done."""
    meanings: Table | None = None
    """What changes of the state do: what is sent, bought, deleted. An entry that goes and is not in the table is deleted,
    whatever else is changed is edited. None: the app does not say, and the words of its controls count too."""
    functions: "Sequence[AnyFunction]" = ()
    """`Function`s: the app's own interface, beside its GUI."""
    agent: Callable[[S, str], Any] | None = None
    """The app's own agent: a request in words to `skills.FunctionResult`; None where it has none."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        for base in get_args(next(iter(cls.__dict__.get("__orig_bases__", ())), None)):
            if isinstance(base, type):
                name = "content" if issubclass(base, Content) else "state"
                setattr(cls, name, cls.__dict__.get(name, base))
        cls.looks = cls.looks.union(*(vars(base).get("looked", ()) for base in getattr(cls, "state", AppState).__mro__))

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


A = TypeVar("A", bound=Model)


class FunctionDeclined(Exception):
    """The app does not do it; the message says why and what it could do instead."""


class FunctionResult(NamedTuple, Generic[S]):
    """The next state, what the caller gets, and what the desktop should do besides."""

    state: S
    result: JsonValue
    effects: tuple[Effect, ...] = ()


@dataclass(frozen=True)
class Function(Generic[S, A]):
    """One function. `call` is pure and may raise FunctionDeclined; `arguments` describes what it takes."""

    name: str
    summary: str
    arguments: type[A]
    call: Callable[[S, A], FunctionResult[S]]
    writes: bool = False
    """Whether it changes anything."""
    repeatable: bool = False
    """Whether calling it a second time changes nothing more."""
    risk: str = ""
    """An effect of the safety policy that its name does not tell, such as `send`."""


AnyFunction = Function[Any, Any]


@lru_cache(maxsize=128)
def function_infos(app: IdentityKey[AnyApp]) -> tuple[FunctionInfo, ...]:
    """The functions of an app, the same in every world: a schema costs more than an action."""
    own = app.value
    return tuple(
        FunctionInfo(own.name, f.name, f.summary, f.arguments.model_json_schema(), f.writes, f.repeatable, f.risk)
        for f in own.functions
    )


def call(app: AnyApp, state: AppState, name: str, given: dict[str, JsonValue]) -> FunctionResult[Any]:
    """Call a function of the app by name. Raises FunctionDeclined for an unknown one and for arguments that do not fit."""
    functions = {function.name: function for function in app.functions}
    function = functions.get(name)
    if function is None:
        offered = f"its functions are: {', '.join(functions)}" if functions else "it has none"
        raise FunctionDeclined(f"{app.title} has no function {name!r}; {offered}")
    try:
        arguments = function.arguments.model_validate(given)
    except ValidationError as bad:
        first = bad.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        takes = ", ".join(function.arguments.model_fields) or "nothing"
        raise FunctionDeclined(f"{app.name}.{name}: {where or 'arguments'}: {first['msg']}; it takes {takes}") from None
    done: FunctionResult[Any] = function.call(state, arguments)
    return done


def ask(app: AnyApp, state: AppState, request: str) -> FunctionResult[Any]:
    """Hand a request in words to the app's agent. Raises FunctionDeclined when there is none, or when it does not understand."""
    if app.agent is None:
        raise FunctionDeclined(f"{app.title} has no agent of its own; use its window")
    done: FunctionResult[Any] = app.agent(state, request)
    return done
