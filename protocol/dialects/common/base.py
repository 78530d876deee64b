"""What every dialect shares: its context, its losses, its one error, and how a target becomes a place.

A dialect is two functions and a `DIALECT`:
`from_x(payload, context) -> (actions, losses)` and `to_x(action, context) -> (payload, losses)`. Where `to_x` declares no
loss, `from_x` gives the same action back. What either does not understand is a DialectError that names the place.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import floor
from typing import Any, Literal, NamedTuple, NoReturn

from pydantic import ValidationError

from protocol.model.actions import AgentAction, parse_action
from protocol.model.elements import GUIElement, VisualState
from protocol.model.geometry import Coordinate, Frozen, Point, Size, Space
from protocol.model.keys import Keyboard, KeyNameError, read_key, split_chord, write_key
from protocol.model.targets import ActionTarget, TargetError, resolve
from protocol.model.verbs import Action, Direction, Scroll

NOTCH = 120
"""Pixels of one notch of the wheel, as Chromium has it."""


def pixels_in(unit: str, size: Size) -> tuple[int, int]:
    """Pixels across and down of one `px`, `notch` or `page`; a page is as large as the screen."""
    return {"px": (1, 1), "notch": (NOTCH, NOTCH), "page": size}[unit]


def whole(number: float) -> int:
    """The nearest whole number, and at least one where there is something."""
    size = floor(abs(number) + 0.5)
    return (max(size, 1) if number else 0) * (1 if number >= 0 else -1)


LONGEST = 1_000_000
"""Characters of a text that is parsed."""


class Loss(Frozen):
    """Something that the other side cannot say, or says less exactly."""

    what: str
    """The verb or field, such as `drag.path`."""
    why: str


class DialectError(ValueError):
    """A payload that is not understood, or an action that the dialect cannot say. `where` is a JSON path or a position."""

    def __init__(self, dialect: str, where: str, message: str) -> None:
        super().__init__(f"{dialect}: {where}: {message}" if where else f"{dialect}: {message}")
        self.dialect = dialect
        self.where = where


class NothingDone(DialectError):
    """A payload that is understood and holds no action, such as words alone: a line of a log that is passed over."""


@dataclass(frozen=True)
class Context:
    """What a payload does not say itself. Nothing of it is guessed where it is needed and missing."""

    state: VisualState | None = None
    """What was on the screen; needed to turn an element into a place, or an index into an element."""
    screen: Size = (1280, 800)
    """Pixels of the screen; that of `state` wins."""
    image: Size | None = None
    """Pixels of the picture that the model saw; None where it saw the screen as it is."""
    variant: str | None = None
    """One of the dialect's variants; None for its first."""

    @property
    def size(self) -> Size:
        return self.state.screen_resolution if self.state else self.screen

    @property
    def picture(self) -> tuple[Space, Size | None]:
        """The space of a model that answers in pixels of what it saw."""
        return ("image", self.image) if self.image and self.image != self.size else ("px", None)


class ParsedPayload(NamedTuple):
    actions: list[AgentAction]
    losses: list[Loss]


class WrittenPayload(NamedTuple):
    payload: Any
    """JSON, or text. A list of JSON objects where the other side needs several calls."""
    losses: list[Loss]


class Piece(NamedTuple):
    """Of a script: an action and what was lost on the way to it, or why a statement is not understood."""

    line: int
    action: AgentAction | None
    losses: list[Loss]
    where: str = ""
    reason: str = ""


@dataclass(frozen=True)
class Dialect:
    """One way to say actions."""

    name: str
    title: str
    kind: Literal["json", "text"]
    read: Callable[[Any, Context], ParsedPayload]
    write: Callable[[Action, Context], WrittenPayload]
    variants: tuple[str, ...] = ("",)
    pieces: Callable[[str], Iterable[Piece]] | None = None
    """Reads a script statement by statement, so that one which is not understood costs only itself."""

    def variant(self, context: Context) -> str:
        """The variant to speak. Raises DialectError for one that is not known."""
        wanted = context.variant if context.variant is not None else self.variants[0]
        if wanted not in self.variants:
            raise DialectError(self.name, "", f"there is no variant {wanted!r}; variants are {', '.join(self.variants)}")
        return wanted


class Fields:
    """A JSON object that is read field by field: each mistake names its path, and nothing is left over in silence."""

    def __init__(self, dialect: str, payload: Any, where: str = "$") -> None:
        if not isinstance(payload, Mapping):
            raise DialectError(dialect, where, f"an object is needed, not {_short(payload)}")
        self.dialect = dialect
        self.where = where
        self._left = dict(payload)

    def __contains__(self, name: str) -> bool:
        return self._left.get(name) is not None

    def refuse(self, name: str, message: str) -> NoReturn:
        raise DialectError(self.dialect, f"{self.where}.{name}" if name else self.where, message)

    def _wrong(self, name: str, needed: str, value: Any) -> NoReturn:
        self.refuse(name, f"{needed} is needed, not {_short(value)}")

    def drop(self, *names: str) -> None:
        """Fields that mean nothing for the action, such as ids of the transport."""
        for name in names:
            self._left.pop(name, None)

    def any(self, name: str, default: Any = ...) -> Any:
        value = self._left.pop(name, None)
        if value is not None:
            return value
        return self.refuse(name, "is missing") if default is ... else default

    def text(self, name: str, default: Any = ...) -> Any:
        value = self.any(name, default)
        return value if value is default or isinstance(value, str) else self._wrong(name, "a text", value)

    def flag(self, name: str, default: Any = ...) -> Any:
        value = self.any(name, default)
        return value if isinstance(value, bool) or value is default else self._wrong(name, "true or false", value)

    def number(self, name: str, default: Any = ..., *, whole: bool = False) -> Any:
        """An int or a float; `whole` refuses fractions."""
        value = self.any(name, default)
        if value is default and default is not ...:
            return value
        return checked_number(self.dialect, f"{self.where}.{name}", value, whole=whole)

    def choice(self, name: str, choices: Sequence[str], default: Any = ...) -> Any:
        value = self.any(name, default)
        if value is not default and value not in choices:
            self._wrong(name, f"one of {', '.join(choices)}", value)
        return value

    def pair(self, name: str, default: Any = ..., *, whole: bool = False) -> Any:
        """`[x, y]` as a tuple of numbers."""
        value = self.any(name, default)
        if value is default and default is not ...:
            return value
        if not isinstance(value, list | tuple) or len(value) != 2:
            self._wrong(name, "a pair of numbers [x, y]", value)
        return tuple(checked_number(self.dialect, f"{self.where}.{name}[{i}]", n, whole=whole) for i, n in enumerate(value))

    def texts(self, name: str, default: Any = ...) -> Any:
        """A list of texts as a tuple."""
        value = self.any(name, default)
        if value is default and default is not ...:
            return value
        if not isinstance(value, list | tuple) or not all(isinstance(part, str) for part in value):
            self._wrong(name, "a list of texts", value)
        return tuple(value)

    def chord(self, name: str, keyboard: Keyboard) -> tuple[str, ...]:
        """The canonical keys of a chord such as `Control+s`; one sign is itself."""
        text = self.text(name)
        try:
            return tuple(read_key(part, keyboard) for part in (split_chord(text) if len(text) > 1 else (text,)))
        except KeyNameError as no:
            self.refuse(name, str(no))

    def end(self) -> None:
        """Refuse what nobody has read. Fields that are null say nothing."""
        left = sorted(str(name) for name, value in self._left.items() if value is not None)
        if left:
            self.refuse(left[0], "is not understood here")


def checked_number(dialect: str, where: str, value: Any, *, whole: bool = False) -> int | float:
    """`value` if it is a finite number of sensible size."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= LONGEST:
        raise DialectError(dialect, where, f"a number is needed, not {_short(value)}")
    if whole and value != int(value):
        raise DialectError(dialect, where, f"a whole number is needed, not {_short(value)}")
    return int(value) if whole else value


def build(dialect: str, where: str, **fields: Any) -> AgentAction:
    """The action of these fields; what the models refuse is a DialectError at `where`."""
    try:
        return parse_action({name: value for name, value in fields.items() if value is not None})
    except ValidationError as bad:
        raise DialectError(dialect, where, bad.errors()[0]["msg"].removeprefix("Value error, ")) from None


def at(x: float, y: float, space: Space, image: Size | None, dialect: str, where: str) -> ActionTarget:
    """A target that is nothing but a place."""
    try:
        return ActionTarget(point=Coordinate(x=x, y=y, space=space, image_size=image))
    except ValidationError as bad:
        raise DialectError(dialect, where, bad.errors()[0]["msg"].removeprefix("Value error, ")) from None


def place(
    target: ActionTarget, context: Context, space: Space, image: Size | None, dialect: str, what: str = "target"
) -> tuple[Coordinate, list[Loss]]:
    """Where `target` is, in the space that the other side counts in, and what is lost by saying no more than that.

    Raises DialectError when the context does not show where the target is.
    """
    losses: list[Loss] = []
    given = target.point
    extra = [name for name in _NAMES if getattr(target, name) is not None]
    if given is None:
        given = _found(target, context, dialect, what)
    if extra:
        losses.append(Loss(what=f"{what}.{extra[0]}", why="only the place is said, not which element it is"))
    if given.space != "image" and given.image_size is not None:
        losses.append(Loss(what=f"{what}.point.image_size", why="the size of the picture is not said"))
        given = given.model_copy(update={"image_size": None})
    try:
        said = given.to_space(space, context.size, image)
        back = said.to_space(given.space, context.size, given.image_size)
    except ValidationError:
        raise DialectError(dialect, what, f"the place cannot be said in {space}") from None
    if back != given:
        losses.append(Loss(what=f"{what}.point", why=f"rounded to a {space} grid: off by {_off(given, back, context)} px"))
    elif said != given:
        losses.append(Loss(what=f"{what}.point", why=f"said in {space} instead of {given.space}"))
    return said, losses


_NAMES = ("track_id", "element_id", "text", "bbox", "role", "selector", "description", "state_id")


def _found(target: ActionTarget, context: Context, dialect: str, what: str) -> Coordinate:
    if context.state is None:
        if target.bbox is not None:
            return _pixel(*target.bbox.to_px(context.size).center, dialect, what)
        raise DialectError(dialect, what, f"only places can be said, and without a state {target.describe()!r} has none")
    point = element_of(target, context, dialect, what)[1]
    if point is None:
        raise DialectError(dialect, what, f"{target.describe()!r} has no box on the screen")
    return _pixel(*point, dialect, what)


def _pixel(x: int, y: int, dialect: str, what: str) -> Coordinate:
    try:
        return Coordinate(x=x, y=y)
    except ValidationError:
        raise DialectError(dialect, what, f"the place {x}, {y} is too far away") from None


def element_of(
    target: ActionTarget, context: Context, dialect: str, what: str = "target"
) -> tuple[GUIElement | None, Point | None]:
    """The element of the state that `target` means, and its pixel. Raises DialectError for none or several."""
    if context.state is None:
        raise DialectError(dialect, what, f"a state is needed to find {target.describe()!r}")
    try:
        resolved = resolve(target, context.state)
    except TargetError as no:
        raise DialectError(dialect, what, str(no)) from None
    return context.state.by_id.get(resolved.element_id), resolved.point


def _off(one: Coordinate, other: Coordinate, context: Context) -> int:
    a, b = one.to_px(context.size), other.to_px(context.size)
    return max(abs(a.x - b.x), abs(a.y - b.y))


def cannot(dialect: str, action: Action, why: str = "") -> NoReturn:
    """The other side has no such verb, and nothing that comes near."""
    raise DialectError(dialect, action.verb, why or f"{dialect} has no {action.verb.replace('_', ' ')}")


def dropped(action: Action, **why: str) -> list[Loss]:
    """A loss for each of these fields that says something the other side cannot say."""
    fields = type(action).model_fields
    return [
        Loss(what=f"{action.verb}.{name}", why=reason)
        for name, reason in why.items()
        if name in fields and getattr(action, name) != fields[name].get_default(call_default_factory=True)
    ]


@dataclass
class Conversion:
    """One conversion: for whom, what is known of the screen, and what was lost so far."""

    dialect: str
    context: Context
    losses: list[Loss] = field(default_factory=list, kw_only=True)

    def lose(self, what: str, why: str) -> None:
        self.take([Loss(what=what, why=why)])

    def take(self, losses: Iterable[Loss]) -> None:
        """Losses that somebody else has found; each is declared once."""
        for loss in losses:
            if loss not in self.losses:
                self.losses.append(loss)

    def drop(self, action: Action, **why: str) -> None:
        """A loss for each of these fields that says something."""
        self.take(dropped(action, **why))

    def names(self, action: Action, keys: Iterable[str], keyboard: Keyboard) -> list[str]:
        """How `keyboard` spells the keys. Raises DialectError for one that it lacks."""
        return [write_key(key, keyboard) or cannot(self.dialect, action, f"{self.dialect} has no key {key}") for key in keys]

    def ways(self, x: int, y: int) -> list[tuple[Direction, int]]:
        """Directions and amounts: a diagonal is two of them."""
        if x and y:
            self.lose("scroll.delta", "a diagonal is said as two scrolls, first down or up")
        across: list[tuple[Direction, int]] = [("right" if x > 0 else "left", abs(x))] if x else []
        down: list[tuple[Direction, int]] = [("up" if y < 0 else "down", abs(y))] if y or not x else []
        return down + across

    def moved(self, action: Scroll, unit: str, parts: int = 1) -> tuple[int, int]:
        """How far to the right and down, in whole parts of `unit`; at least one where it moves at all."""
        here, there = pixels_in(action.unit, self.context.size), pixels_in(unit, self.context.size)
        return whole(action.delta.x * (here[0] / there[0]) * parts), whole(action.delta.y * (here[1] / there[1]) * parts)


AIMED = frozenset({"click", "mouse_down", "mouse_up", "hover", "drag", "scroll", "type", "fill", "press_key", "hold_key"})
"""Verbs whose target most dialects can say."""


def each_of(payload: Any) -> Iterator[tuple[Any, str]]:
    """The payloads of a list, each with its place, or the one that stands alone."""
    if isinstance(payload, list | tuple):
        yield from ((each, f"$[{n}]") for n, each in enumerate(payload))
    else:
        yield payload, "$"


def without_delay(action: Action) -> list[Loss]:
    """No dialect has a delay in front of an action."""
    return [] if action.delay is None else [Loss(what="delay", why="there is no delay before an action")]


def json_in(dialect: str, text: str) -> Any:
    """The JSON object in a model's answer, with or without a fence or words around it."""
    if len(text) > LONGEST:
        raise DialectError(dialect, "", f"the text is longer than {LONGEST} characters")
    decoder = json.JSONDecoder()
    start, problem = -1, "no JSON object is in the text"
    for _ in range(20):  # words may hold braces; the work stays linear
        start = text.find("{", start + 1)
        if start < 0:
            break
        try:
            return decoder.raw_decode(text, start)[0]
        except json.JSONDecodeError as bad:
            problem = f"{bad.msg} at line {bad.lineno}, column {bad.colno}"
        except (RecursionError, ValueError):  # the latter for a number of thousands of digits
            problem = "the JSON is nested too deeply, or a number in it is too long"
    raise DialectError(dialect, "$", problem)


def _short(value: Any, limit: int = 60) -> str:
    try:
        text = repr(value)
    except (RecursionError, ValueError):  # nested too deeply, or a number of thousands of digits
        return f"a {type(value).__name__}"
    return text if len(text) <= limit else text[: limit - 1] + "…"
