"""JSON of others' runs: written so that a line stays a line, read line by line, each mistake with its number and JSON path."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import islice
from pathlib import Path
from textwrap import shorten
from types import MappingProxyType
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from protocol import InteractionStep, JsonObject
from protocol.dialects import DialectError
from protocol.exports.common.base import FormatError
from protocol.log.log import LogLine, UnreadableLine, bad_line, each_line, raw_lines, whole_document
from protocol.log.versions import STRICT, BadStep, Problem, json_of_line, parse_json, refuse

_Model = TypeVar("_Model", bound=BaseModel)
_LOOKED_AT = 100
"""Lines by which it is seen what a file is."""
_UNSAFE = re.compile("[\x7f-\x9f\u2028\u2029\ud800-\udfff]")
"""What some reader takes for the end of a line, or cannot encode; within JSON it only stands in texts."""


def json_line(value: Any) -> str:
    """`value` as JSON on one line. Raises FormatError for what JSON cannot say."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as bad:
        raise FormatError(f"not JSON: {bad}") from None
    return _UNSAFE.sub(lambda sign: f"\\u{ord(sign[0]):04x}", text)


_BETWEEN = re.compile(r"[\s,\x1e]*")
_CLOSED = re.compile(r"\]\s*\Z")


def json_values(text: str) -> Iterator[Any]:
    """What a text holds, one JSON value after the other or in a list that may be cut off. Raises BadStep where one is none."""
    decoder = json.JSONDecoder(**STRICT)
    opened = re.match(r"\s*\[", text)
    at = opened.end() if opened else 0
    while (between := _BETWEEN.match(text, at)) and (at := between.end()) < len(text):
        if opened and _CLOSED.match(text, at):
            return
        try:
            value, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError) as bad:
            refuse("$", f"it ends here or is damaged: {shorten(str(bad), 80)}")
        yield value
    if opened:
        refuse("$", "the list is cut off here")


def text_in(path: Path, data: bytes) -> str:
    """The bytes of a file as text. Raises FormatError."""
    try:
        return data.decode("utf-8").replace("\r\n", "\n")
    except UnicodeDecodeError as bad:
        raise FormatError(f"{path.name}: not UTF-8: byte {bad.start + 1}") from None


def json_document(path: Path, steps: str, what: str) -> JsonObject:
    """The object that a whole file holds: `what`, with a list of steps under the key `steps`. Raises FormatError."""
    try:
        data = whole_document(path)
        found = refuse("$", data) if isinstance(data, UnreadableLine) else parse_json(data)
    except OSError as bad:
        raise FormatError(f"{path.name}: cannot be read: {bad.strerror}") from None
    except BadStep as bad:
        raise FormatError(f"{path.name}: {bad}") from None
    if not isinstance(found, dict) or not isinstance(found.get(steps), list):
        raise FormatError(f"{path.name}: $.{steps}: {what} has a list of steps")
    return found


Meaning = Callable[[int, Any], Iterator[LogLine]]
"""What the JSON of a line means, by the line's number."""


def read_json_lines(path: Path, meaning: Meaning) -> Iterator[LogLine]:
    """Every line in order, constant memory; what is not understood is reported with its number, and the rest is read.

    A file that is one list has its items in place of lines, and is held in memory.
    """
    if (items := _one_list(path)) is not None:
        yield from each_value(items, meaning)
        return
    yield from each_line(path, lambda number, line: meaning(number, json_of_line(line)))


def _one_list(path: Path) -> str | None:
    """The text of a file that is one JSON list, be it cut off; None for a file of lines."""
    first, *more = [*islice(_values(path), 2)] or [(b"", None)]
    if isinstance(first[0], UnreadableLine) or not first[0].startswith(b"[") or (more and first[1] is not None):
        return None
    data = whole_document(path)
    return None if isinstance(data, UnreadableLine) else text_in(path, data)


def each_value(text: str, meaning: Meaning) -> Iterator[LogLine]:
    """The values of a text, up to the first that is broken."""
    number = 0
    try:
        for number, value in enumerate(json_values(text), start=1):
            yield from meaning(number, value)
    except BadStep as bad:
        yield bad_line(number + 1, *bad.problems)


def told(number: int, steps: Iterator[InteractionStep]) -> Iterator[LogLine]:
    """The lines of these steps; the first mistake, a BadStep or a DialectError, ends them."""
    try:
        for step in steps:
            yield LogLine(number, step)
    except BadStep as bad:
        yield bad_line(number, *bad.problems)
    except DialectError as bad:
        yield bad_line(number, placed(bad))


def placed(bad: DialectError, at: str = "$") -> Problem:
    """What a dialect refuses of a part that stands at `at`: its path begins there, and a position in a text is told with it."""
    if bad.where.startswith("$"):
        return Problem(at + bad.where[1:], bad.reason)
    return Problem(at, str(bad))


def told_each(
    items: Iterable[Any], place: str, noun: str, lines: Callable[[int, str, JsonObject], Iterator[LogLine]]
) -> Iterator[LogLine]:
    """The lines of the objects of a list at `place`, by their number and place; what is no object is a mistake."""
    for number, item in enumerate(items, start=1):
        where = f"{place}[{number - 1}]"
        if isinstance(item, dict):
            yield from lines(number, where, item)
        else:
            yield bad_line(number, Problem(where, f"{noun} is an object"))


def first_object(path: Path) -> JsonObject:
    """The first JSON object of a file, for what is said of the whole run. Raises FormatError where there is none."""
    items = _one_list(path)
    found: JsonObject | None = None
    with suppress(BadStep):
        values = (value for _, value in _values(path)) if items is None else json_values(items)
        found = next((value for value in values if isinstance(value, dict)), None)
    if found is None:
        raise FormatError(f"{path.name}: no line of it is a JSON object, and it is no list of them")
    return found


def first_values(path: Path) -> list[Any]:
    """What the first two lines that say something are as JSON; None for what is none. Raises FormatError for an empty file."""
    found = [value for _, value in islice(_values(path), 2)]
    if not found:
        raise FormatError(f"{path.name}: it is empty")
    return found


def is_json_lines(path: Path) -> bool:
    """Whether a file that is no JSON as a whole has an object or a text on nearly every line, be the others broken."""
    values = list(islice(_values(path), _LOOKED_AT))
    return values[0][0] not in (b"[", b"{") and 2 * sum(isinstance(value, dict | str) for _, value in values) >= len(values)


def _values(path: Path) -> Iterator[tuple[bytes | UnreadableLine, Any]]:
    """Each line that says something, and what it is as JSON; None where it is none. Raises FormatError."""
    try:
        for line in raw_lines(path):
            if isinstance(line, UnreadableLine):
                yield line, None
            elif line.strip():
                try:
                    yield line.strip(), parse_json(line)
                except BadStep:
                    yield line.strip(), None
    except OSError as bad:
        raise FormatError(f"{path.name}: cannot be read: {bad.strerror}") from None


def mapping(value: Any) -> JsonObject:
    """`value` if it is a JSON object, and an empty one otherwise."""
    return value if isinstance(value, dict) else {}


def listed(value: Any) -> list[Any]:
    """`value` if it is a JSON list, and an empty one otherwise."""
    return value if isinstance(value, list) else []


def step_of(where: str, **fields: Any) -> InteractionStep:
    """A step of these fields. Raises BadStep at `where` and the field."""
    return checked(InteractionStep, fields, where)


def checked(model: type[_Model], data: Any, where: str, names: Mapping[str, str] = MappingProxyType({})) -> _Model:
    """`data` as that model. Raises BadStep at `where` and the field, by its name in `names` where it has another there."""
    try:
        return model.model_validate(data)
    except ValidationError as bad:
        first = bad.errors(include_url=False)[0]
        path = [str(part) for part in first["loc"][:2]]
        place = names[path[0]] if path and path[0] in names else ".".join(path)
        refuse(f"{where}.{place}" if place else where, str(first["msg"]).removeprefix("Value error, "))
