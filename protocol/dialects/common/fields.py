"""Payloads that are read: objects field by field, texts of sensible length, and the actions and places that they mean."""

import json
import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NoReturn

from pydantic import ValidationError

from protocol import ActionTarget, AgentAction, Coordinate, Size, Space, TargetError, parse_action
from protocol.dialects.common.dialect import LONGEST, DialectError
from protocol.log.versions import SaidTwice, said_once
from protocol.model.keys import Keyboard, KeyNameError, read_key, split_chord

NOT_UNDERSTOOD = "is not understood here"
"""Why a field that nobody has read is refused."""


@contextmanager
def refusing(dialect: str, where: str) -> Iterator[None]:
    """What the models, the keyboards or the screen refuse within is a DialectError at `where`."""
    try:
        yield
    except ValidationError as bad:
        raise DialectError(dialect, where, bad.errors()[0]["msg"].removeprefix("Value error, ")) from None
    except (KeyNameError, TargetError) as bad:
        raise DialectError(dialect, where, str(bad)) from None


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
        return checked_number(self.dialect, f"{self.where}.{name}", _unquoted(value), whole=whole)

    def choice(self, name: str, choices: Sequence[str], default: Any = ...) -> Any:
        value = self.any(name, default)
        if value is not default and value not in choices:
            self._wrong(name, f"one of {', '.join(choices)}", value)
        return value

    def pair(self, name: str, default: Any = ..., *, whole: bool = False) -> Any:
        """`[x, y]` as a tuple of numbers; also as a text, as models write it now and then."""
        value = self.any(name, default)
        if value is default and default is not ...:
            return value
        if isinstance(value, str) and (said := _PAIR.fullmatch(value.strip())):
            value = said.groups()
        if not isinstance(value, list | tuple) or len(value) != 2:
            self._wrong(name, "a pair of numbers [x, y]", value)
        return tuple(
            checked_number(self.dialect, f"{self.where}.{name}[{i}]", _unquoted(n), whole=whole) for i, n in enumerate(value)
        )

    def texts(self, name: str, default: Any = ..., *, alone: bool = False) -> Any:
        """A list of texts as a tuple; also one text, where that may stand `alone`."""
        value = self.any(name, default)
        if value is default and default is not ...:
            return value
        if alone and isinstance(value, str):
            return (value,)
        if not isinstance(value, list | tuple) or not all(isinstance(part, str) for part in value):
            self._wrong(name, "a text or a list of texts" if alone else "a list of texts", value)
        return tuple(value)

    def chord(self, name: str, keyboard: Keyboard) -> tuple[str, ...]:
        """The canonical keys of a chord such as `Control+s`; one sign is itself."""
        return read_chord(self.text(name), keyboard, self.dialect, f"{self.where}.{name}")

    def end(self) -> None:
        """Refuse what nobody has read. Fields that are null say nothing."""
        left = sorted(str(name) for name, value in self._left.items() if value is not None)
        if left:
            self.refuse(left[0], NOT_UNDERSTOOD)


_NUMBER = r"[-+]?\d{1,15}(?:\.\d{1,15})?"
_PAIR = re.compile(rf"[\[(]?\s*({_NUMBER})\s*,\s*({_NUMBER})\s*[\])]?")


def _unquoted(value: Any) -> Any:
    """A number that stands as a text, as models write it now and then."""
    if not isinstance(value, str) or not re.fullmatch(_NUMBER, value.strip()):
        return value
    return float(value) if "." in value else int(value)


def checked_number(dialect: str, where: str, value: Any, *, whole: bool = False) -> int | float:
    """`value` if it is a finite number of sensible size."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise DialectError(dialect, where, f"a number is needed, not {_short(value)}")
    if not abs(value) <= LONGEST:
        raise DialectError(dialect, where, f"a number is needed of at most {LONGEST}, not {_short(value)}")
    if whole and value != int(value):
        raise DialectError(dialect, where, f"a whole number is needed, not {_short(value)}")
    return int(value) if whole else value


def build(dialect: str, where: str, **fields: Any) -> AgentAction:
    """The action of these fields; what the models refuse is a DialectError at `where` that names the field."""
    try:
        return parse_action({name: value for name, value in fields.items() if value is not None})
    except ValidationError as bad:
        error = bad.errors()[0]
        field = ".".join(map(str, error["loc"][2:])) if error["type"] != "value_error" else ""
        reason = error["msg"].removeprefix("Value error, ")
        raise DialectError(dialect, where, f"{field}: {reason}" if field else reason) from None


def read_chord(text: str, keyboard: Keyboard, dialect: str, where: str, separator: str = "+") -> tuple[str, ...]:
    """The canonical keys of a chord. Raises DialectError for a name that no keyboard has."""
    with refusing(dialect, where):
        keys = tuple(read_key(part, keyboard) for part in split_chord(text, separator))
    if not keys:
        raise DialectError(dialect, where, "the chord has no keys")
    return keys


def read_chords(dialect: str, where: str, names: Iterable[str], keyboard: Keyboard) -> list[str]:
    """The keys of several, one after the other."""
    return [key for name in names for key in read_chord(name, keyboard, dialect, where)]


def at(x: float, y: float, space: Space, image: Size | None, dialect: str, where: str) -> ActionTarget:
    """A target that is nothing but a place."""
    with refusing(dialect, where):
        return ActionTarget(point=Coordinate(x=x, y=y, space=space, image_size=image))


def each_of(payload: Any) -> Iterator[tuple[Any, str]]:
    """The payloads of a list, each with its place, or the one that stands alone."""
    if isinstance(payload, list | tuple):
        yield from ((each, f"$[{n}]") for n, each in enumerate(payload))
    else:
        yield payload, "$"


def within_length(text: str, dialect: str) -> str:
    """`text`, unless nobody would read anything so long."""
    if len(text) > LONGEST:
        raise DialectError(dialect, "", f"the text is longer than {LONGEST} characters")
    return text


def a_text(payload: Any, dialect: str) -> str:
    """The payload of a dialect of texts. Raises DialectError for anything else, and for texts that are too long."""
    if not isinstance(payload, str):
        raise DialectError(dialect, "$", f"a text is needed, not a {type(payload).__name__}")
    return within_length(payload, dialect)


def position(text: str, index: int) -> str:
    """Where `index` is in `text`, for people."""
    return positions(text)(index)


def positions(text: str, line: int = 1, column: int = 1) -> Callable[[int], str]:
    """The same for many places of a text, which begins at that line and column."""
    breaks = [match.start() for match in re.finditer("\n", text)]

    def where(index: int) -> str:
        down = bisect_left(breaks, index)
        return f"line {line + down}, column {index - breaks[down - 1] if down else index + column}"

    return where


def json_in(dialect: str, text: str) -> Any:
    """The JSON object in a model's answer, with or without a fence or words around it."""
    within_length(text, dialect)
    decoder = json.JSONDecoder(object_pairs_hook=said_once)
    start, problem = -1, "no JSON object is in the text"
    for _ in range(20):  # words may hold braces; the work stays linear
        start = text.find("{", start + 1)
        if start < 0:
            break
        try:
            return decoder.raw_decode(text, start)[0]
        except json.JSONDecodeError as bad:
            problem = f"{bad.msg} at line {bad.lineno}, column {bad.colno}"
        except SaidTwice as twice:
            raise DialectError(dialect, "$", str(twice)) from None
        except (RecursionError, ValueError):  # the latter for a number of thousands of digits
            problem = "the JSON is nested too deeply, or a number in it is too long"
    raise DialectError(dialect, "$", problem)


def _short(value: Any, limit: int = 60) -> str:
    try:
        text = repr(value)
    except (RecursionError, ValueError):  # nested too deeply, or a number of thousands of digits
        return f"a {type(value).__name__}"
    return text if len(text) <= limit else text[: limit - 1] + "…"
