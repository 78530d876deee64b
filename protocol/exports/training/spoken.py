"""Files of single actions, as another agent says them or as people write them: JSON, a payload a line, or a whole script.

Also read is what `log convert` writes of a dialect: objects with `step` and `payload`. What is lost in reading stands in `raw`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby, islice
from pathlib import Path
from textwrap import shorten
from typing import Any

from protocol.dialects import Context, Dialect, DialectError, ParsedPayload, dialect
from protocol.dialects.common.base import LONGEST, Loss, NothingDone, Piece
from protocol.dsl import DSLError, parse_line
from protocol.dsl.reader import is_blank
from protocol.exports.common.base import FormatError, ImportResult, RunInfo
from protocol.exports.common.kept import lost_in_reading
from protocol.exports.common.lines import (
    Meaning,
    bad_line,
    first_values,
    is_json_lines,
    json_values,
    parse_json,
    read_json_lines,
    refuse,
    step_of,
    text_in,
    told,
)
from protocol.log.log import LogLine, UnreadableLine, raw_lines, whole_document
from protocol.log.versions import BadStep, Problem
from protocol.model.geometry import JsonObject
from protocol.model.steps import InteractionStep

_LISTS = (
    "messages", "conversations", "contents", "history", "trajectory", "items", "input", "actions", "steps", "choices",
)  # fmt: skip
"""Keys under which a document has one payload after the other."""
_AROUND = ("message", "data", "kwargs", "action", "response", "prediction")
"""Keys under which an object has one message or payload, beside what others note of it."""
_SPEAKERS = frozenset({"assistant", "model", "gpt", "function_call", "agent", "ai"})
_OTHERS = frozenset({"system", "developer", "user", "human", "tool", "observation", "function", "environment"})


def rows_of(document: Any) -> tuple[str, list[Any]] | None:
    """The key under which a document has its payloads, and these; None where it has none, or several lists of them."""
    if not isinstance(document, Mapping):
        return None
    found = [(name, document[name]) for name in _LISTS if isinstance(document.get(name), list) and document[name]]
    return found[0] if len(found) == 1 and all(isinstance(one, Mapping | str) for one in found[0][1]) else None


def said_in(message: Any) -> list[Any] | None:
    """What the agent says in a message: its calls, or its words where it calls nothing; None for what is no message.

    Empty for what others say.
    """
    if not isinstance(message, Mapping):
        return None
    who = message.get("role", message.get("from", message.get("type") if "content" in message else None))
    if not isinstance(who, str) or who not in _SPEAKERS | _OTHERS:
        return None
    if who in _OTHERS:
        return []
    content = message.get("content", message.get("value"))
    parts = content if isinstance(content, list) else [content]
    calls: list[Any] = [*_calls(message.get("tool_calls")), *_calls(parts)]
    return calls or [text for part in parts if (text := _words(part)).strip()]


def _words(part: Any) -> str:
    said = part.get("text") if isinstance(part, Mapping) else part
    return said if isinstance(said, str) else ""


def _calls(given: Any) -> list[JsonObject]:
    """Calls of tools as `{name, arguments}`, whichever way the service wrapped them."""
    found = []
    for one in given if isinstance(given, list) else ():
        if not isinstance(one, Mapping):
            continue
        function = one.get("function")
        call = function if isinstance(function, Mapping) else one
        name, arguments = call.get("name"), call.get("arguments", call.get("input", call.get("args")))
        if isinstance(name, str) and arguments is not None:
            found.append({"name": name.rpartition("__")[2], "arguments": _parsed(arguments)})
    return found


def _parsed(arguments: Any) -> Any:
    """Arguments that are JSON in a text; what is none stays as it is, for the dialect to refuse."""
    if not isinstance(arguments, str):
        return arguments
    try:
        return json.loads(arguments)
    except (ValueError, RecursionError):
        return arguments


_PAYLOAD = frozenset({"step", "payload", "losses"})
_UNSAID = frozenset({"step", "error"})
"""What `log convert` writes of an action that the dialect cannot say."""
_DEEPEST = 3
"""Levels of messages within what a line holds."""


def read_spoken(name: str, path: Path, context: Context) -> ImportResult:
    """The actions of a file in the dialect `name`, a step each.

    JSON is read a payload a line, or as one document whose list has a payload each; any other text is one payload. Raises
    FormatError for a file that is neither, and DialectError for a variant that is not known.
    """
    spoken, info = dialect(name), RunInfo(agent=name)
    spoken.variant(context)

    def meaning(number: int, data: Any) -> Iterator[LogLine]:
        return told(number, _steps(spoken, data, number, context))

    first, *more = first_values(path)
    if isinstance(first, str) or (isinstance(first, dict) and more):
        return ImportResult(info, read_json_lines(path, meaning))
    data = whole_document(path)
    if isinstance(data, UnreadableLine):
        raise FormatError(f"{path.name}: {data}")
    try:
        document = parse_json(data)
    except BadStep as bad:
        if isinstance(first, list) or is_json_lines(path):
            return ImportResult(info, read_json_lines(path, meaning))
        text = text_in(path, data)
        if _is_sequence(text):
            return ImportResult(info, _each_of(text, meaning))
        if spoken.pieces is not None:
            return ImportResult(info, _pieces(spoken.pieces(text, context), context))
        said = _answers(spoken, text, context)
        if spoken.kind == "json" and not said:
            raise FormatError(f"{path.name}: {bad}") from None
        return ImportResult(info, (line for number, one in said or [(1, text)] for line in meaning(number, one)))
    each = document if isinstance(document, list) else _rows(spoken, document, context)
    return ImportResult(info, (line for number, one in enumerate(each, start=1) for line in meaning(number, one)))


def _is_sequence(text: str) -> bool:
    """Whether it begins with a JSON object, or with several texts in JSON's quotation marks."""
    values: list[Any] = []
    try:
        values.extend(islice(json_values(text), 1))
        values.extend(islice(json_values(text), 1, 2))
    except BadStep:
        pass
    return isinstance(next(iter(values), None), dict) or sum(isinstance(value, str) for value in values) == 2


def _each_of(text: str, meaning: Meaning) -> Iterator[LogLine]:
    """The values of a text, up to the first that is broken."""
    number = 0
    try:
        for number, value in enumerate(json_values(text), start=1):
            yield from meaning(number, value)
    except BadStep as bad:
        yield bad_line(number + 1, *bad.problems)


def _rows(spoken: Dialect, document: Any, context: Context) -> list[Any]:
    """A document is one payload where the dialect says so, and else what it has a list of."""
    rows = rows_of(document)
    if rows is None:
        return [document]
    if all(said_in(one) is not None for one in rows[1]):
        return rows[1]
    try:
        spoken.read(document, context)
    except NothingDone:
        pass
    except DialectError:
        return rows[1]
    return [document]


def _answers(spoken: Dialect, text: str, context: Context) -> list[tuple[int, str]]:
    """The answers that a text holds, each with its line; nothing where none is understood.

    It is one answer, or one a paragraph or a line where more is understood so.
    """
    if len(text) > LONGEST:
        return []
    lines = enumerate(text.split("\n"), start=1)
    found = [list(each) for blank, each in groupby(lines, key=lambda line: not line[1].strip()) if not blank]
    alone = len(found) == 1
    parts = found[0] if alone else [(each[0][0], "\n".join(line for _, line in each)) for each in found]
    counts = [_count(spoken, part, context) for _, part in parts]
    whole = _count(spoken, text, context)
    if sum(count or 0 for count in counts) > (whole or 0) and not (alone and None in counts):
        return parts
    return [] if whole is None else [(1, text)]


def _count(spoken: Dialect, text: str, context: Context) -> int | None:
    """How many actions the dialect understands in a text; None where it refuses it."""
    try:
        return len(spoken.read(text, context).actions)
    except NothingDone:
        return 0
    except DialectError:
        return None


def _pieces(found: Iterable[Piece], context: Context) -> Iterator[LogLine]:
    """The steps of a script; one without any action says so."""
    count, empty = 0, True
    for piece in found:
        count, empty = count + (piece.action is not None), False
        yield piece_line(piece, count, visual_state={"screen_resolution": context.size})
    if empty:
        yield bad_line(1, Problem("$", "there is no action in it"))


def piece_line(piece: Piece, count: int, **fields: Any) -> LogLine:
    """The line of a piece of a script, by the line that it stands in; `count` is the number of its step."""
    if piece.action is None:
        return bad_line(piece.line, Problem(piece.where, piece.reason))
    raw = lost_in_reading(piece.losses)
    state = {"visual_state": {}, **fields}
    try:
        return LogLine(piece.line, step_of("$", timestamp=0.0, step=count, action=piece.action, raw=raw, **state))
    except BadStep as bad:
        return bad_line(piece.line, *bad.problems)


def _steps(spoken: Dialect, data: Any, number: int, context: Context) -> Iterator[InteractionStep]:
    payload, count = data, number
    if isinstance(data, dict) and data.keys() <= _UNSAID and "error" in data:
        refuse("$.error", f"it could not be said when it was written: {str(data['error'])[:200]}")
    if isinstance(data, dict) and data.keys() <= _PAYLOAD and "payload" in data:
        payload = data["payload"]
        count = data["step"] if isinstance(data.get("step"), int) else number
    try:
        actions, losses = _read(spoken, payload, context)
    except NothingDone:
        return
    screen = {"screen_resolution": context.size}
    for n, action in enumerate(actions):
        raw = lost_in_reading(losses) if n == 0 else {}
        yield step_of("$", timestamp=0.0, step=count, visual_state=screen, action=action, raw=raw)


def _within(spoken: Dialect, payload: Any) -> list[tuple[str, Any]] | None:
    """The messages or payloads that an object holds, each with its place in it; None where it holds none."""
    if (rows := rows_of(payload)) is not None:
        return [(f".{rows[0]}[{n}]", one) for n, one in enumerate(rows[1])]
    if (said := said_in(payload)) is not None:
        return [("", one) for one in said]
    kept = [(f".{name}", payload[name]) for name in _AROUND if isinstance(payload, Mapping) and name in payload]
    return [(place, one) for place, one in kept if isinstance(one, Mapping | str) and not _plain(spoken, one)][:1] or None


def _beside(payload: Mapping[str, Any], place: str) -> list[Loss]:
    names = ", ".join(str(name) for name in payload if name != place[1:])
    why = f"what stands beside the {place[1:]} is not kept: {shorten(names, 80, placeholder=' and others')}"
    return [Loss(what="fields", why=why)] if place[1:] in _AROUND and names else []


def _plain(spoken: Dialect, said: Any) -> bool:
    """Whether it is words alone, which hold no payload."""
    return isinstance(said, str) and spoken.kind == "json" and "{" not in said


def _read(spoken: Dialect, payload: Any, context: Context, depth: int = 0) -> ParsedPayload:
    """The actions of a payload, or of the messages that it is or holds. Raises DialectError."""
    try:
        return spoken.read(payload, context)
    except NothingDone:
        raise
    except DialectError as bad:
        refused, within = bad, _within(spoken, payload)
        if within is None or depth == _DEEPEST:
            raise
    found = ParsedPayload([], [])
    for place, one in within:
        if _plain(spoken, one):
            continue
        try:
            actions, losses = _read(spoken, one, context, depth + 1)
        except NothingDone:
            continue
        except DialectError as bad:
            if not place:  # the message as it stands may have told more exactly what is wrong
                raise max(bad, refused, key=lambda error: len(error.where.removeprefix("$"))) from None
            reason = f"{bad.where}: {bad.reason}" if bad.where else bad.reason
            raise DialectError(spoken.name, f"${place}", reason) from None
        found.actions.extend(actions)
        losses = [*losses, *_beside(payload, place)]
        found.losses.extend(loss for loss in losses if loss not in found.losses)
    if not found.actions:
        raise NothingDone(spoken.name, "$", "nothing is done here")
    return found


def read_dsl(path: Path) -> ImportResult:
    """The lines of a file in the DSL, a step each; a line that is not understood is an error, and the others are read."""
    return ImportResult(RunInfo(), _dsl_lines(path))


def _dsl_lines(path: Path) -> Iterator[LogLine]:
    steps = 0
    for number, line in enumerate(raw_lines(path), start=1):
        if isinstance(line, UnreadableLine):
            yield bad_line(number, Problem("$", line))
            continue
        try:
            text = line.decode("utf-8").rstrip("\r\n")
            if is_blank(text):
                continue
            steps += 1
            action = parse_line(text)
        except UnicodeDecodeError as bad:
            yield bad_line(number, Problem("$", f"not UTF-8: byte {bad.start + 1} of the line"))
        except DSLError as bad:
            yield bad_line(number, Problem("$", str(bad).removeprefix("line 1, ")))
        else:
            yield LogLine(number, step_of("$", timestamp=0.0, step=steps, visual_state={}, action=action))
