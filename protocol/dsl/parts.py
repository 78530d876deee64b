"""What a line is taken apart into: values that know the field they are for and where they stand."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple, TypeVar

from lark import Token
from pydantic import BaseModel, ValidationError

from protocol.dsl.mistakes import Mistake
from protocol.dsl.texts import OPENING, BadText, number, unquoted
from protocol.model.keys import KeyNameError, canonical, chord

_Model = TypeVar("_Model", bound=BaseModel)
_DEEPEST = 255
"""As many lists and objects in each other as the arguments of an action can hold, itself one of them."""


class FieldValue(NamedTuple):
    """The value of one field."""

    field: str
    value: Any
    offset: int


class Json(NamedTuple):
    """A JSON value of a call."""

    value: Any
    depth: int
    offset: int


class Pair(NamedTuple):
    """`name=value` or `"name": value`; without a name where only the place says what it is."""

    name: str | None
    value: Json
    offset: int


def start(token: Token) -> int:
    return token.start_pos or 0


def text_of(token: Token) -> str:
    """What a STRING says. Raises Mistake for an escape that is none."""
    try:
        return unquoted(token)
    except BadText as bad:
        raise Mistake(str(bad), start(token) + bad.offset) from None


def name_of(token: Token) -> str:
    """A name as it stands, or in quotes."""
    return text_of(token) if token.type == "STRING" else str(token)


def id_of(token: Token) -> str:
    """What `#12` and `#"any text"` name."""
    rest = token.update(value=token[1:])
    rest.start_pos = start(token) + 1
    return text_of(rest) if rest[0] in OPENING else str(rest)


def numbers(names: Iterable[str], tokens: Iterable[Token]) -> list[FieldValue]:
    """Numbers that stand in a row, each with its name."""
    return [FieldValue(name, number_of(token), start(token)) for name, token in zip(names, tokens, strict=True)]


def number_of(token: Token) -> int | float:
    try:
        return number(token)
    except ValueError:
        raise Mistake(f"the number {token[:20]} is too large", start(token)) from None


def keys_of(token: Token) -> tuple[str, ...]:
    """The canonical names of a key, or of a chord in quotes."""
    try:
        return tuple(chord(text_of(token))) if token.type == "STRING" else (canonical(token),)
    except KeyNameError as bad:
        raise Mistake(str(bad), start(token)) from None


def contained(offset: int, inner: Iterable[Json], value: Any) -> Json:
    """A list or an object, unless it is nested too deeply."""
    depth = 1 + max((one.depth for one in inner), default=0)
    if depth > _DEEPEST:
        raise Mistake(f"lists and objects are nested more than {_DEEPEST} deep", offset)
    return Json(value, depth, offset)


def named(pairs: Iterable[Pair]) -> dict[str, Any]:
    """The pairs as an object. Raises Mistake for a name that is given twice."""
    found: dict[str, Any] = {}
    for pair in pairs:
        name = str(pair.name)
        if name in found:
            raise Mistake(f"{name[:40]!r} is given twice", pair.offset)
        found[name] = pair.value.value
    return found


def built(model: type[_Model], parts: Iterable[FieldValue], offset: int, **fixed: Any) -> _Model:
    """The model of these parts. Raises Mistake at the part that is given twice or that the model refuses."""
    given: dict[str, FieldValue] = {}
    for part in parts:
        if part.field in given:
            raise Mistake(f"{_words(part.field)}: this is given twice", part.offset)
        given[part.field] = part
    try:
        return model(**fixed, **{name: part.value for name, part in given.items()})
    except ValidationError as bad:
        where, message = refusal(bad)
        part_ = next((given[name] for name in where if name in given), None)
        raise Mistake(
            message if part_ is None else f"{_words(part_.field)}: {message}", part_.offset if part_ else offset
        ) from None


def refusal(bad: ValidationError) -> tuple[tuple[str, ...], str]:
    """Which fields a model refuses, from the outside in, and why."""
    first = bad.errors(include_url=False, include_input=False)[0]
    where = tuple(part for part in first["loc"] if isinstance(part, str))
    message = first["msg"].removeprefix("Value error, ") if first["type"] != "missing" else f"{where[-1]} is missing"
    return where, message[:1].lower() + message[1:]


def _words(field: str) -> str:
    return field.replace("_", " ")
