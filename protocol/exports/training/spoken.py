"""Files of single actions, as another agent says them or as people write them: JSON, a payload a line, or a whole script.

Also read is what `log convert` writes of a dialect: objects with `step` and `payload`. What is lost in reading stands in `raw`.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import count, groupby, islice
from pathlib import Path
from textwrap import shorten
from typing import Any

from protocol import InteractionStep, JsonObject
from protocol.dialects import LONGEST, Context, Dialect, DialectError, Loss, NothingDone, ParsedPayload, Piece, dialect
from protocol.dialects.common.fields import NOT_UNDERSTOOD
from protocol.dsl import DSLError, parse_line
from protocol.dsl.reader import is_blank
from protocol.exports.common import lines as json_lines
from protocol.exports.common.base import FormatError, ImportResult, RunInfo
from protocol.exports.common.kept import lost_in_reading
from protocol.log.log import LogLine, UnreadableLine, bad_line, each_line, whole_document
from protocol.log.versions import BadStep, Problem, parse_json, refuse, said_once

_LISTS = (
    "messages", "conversations", "contents", "history", "trajectory", "items", "input", "actions", "steps", "choices",
)  # fmt: skip
"""Keys under which a document has one payload after the other."""
_AROUND = (
    "message", "data", "kwargs", "action", "response", "prediction", "action_output", "completion", "raw_item", "model_response",
    "model_output", "raw_response",
)  # fmt: skip
"""Keys under which an object has one message or payload, beside what others note of it; of several the first holds it."""
_HELD = ("tool_calls", "content", "output", "parts", "candidates")
"""Keys under which a message or a response of a service has its parts."""
_WRAPPERS = ("function", "functionCall", "function_call")
_NAMES = ("name", "tool", "tool_name", "toolName")
_ARGUMENTS = ("arguments", "input", "args", "parameters", "params", "tool_input")
_NOTES = frozenset({
    "done", "duration_ms", "error", "goal", "id", "info", "latency_ms", "metadata", "model", "observation", "ok", "reason",
    "reasoning", "result", "reward", "run_id", "screenshot", "screenshot_file", "screenshot_path", "session_id", "step",
    "step_id", "step_index", "step_num", "success", "thought", "time", "timestamp", "title", "ts", "url",
})  # fmt: skip
"""What harnesses note beside the fields of a payload, where the dialect itself has no such field."""
_THE_TOOL = re.compile(r"computer(?:[_-]use\w*|_\d+)?")
"""What harnesses call a function whose arguments are an action of the model's own tool."""
_SPEAKERS = frozenset({"assistant", "model", "gpt", "function_call", "agent", "ai"})
_OTHERS = frozenset({"system", "developer", "user", "human", "tool", "observation", "function", "environment"})


def rows_of(document: Any) -> tuple[str, list[Any]] | None:
    """The key under which a document has its payloads, and these; None where it has none, or several lists of them."""
    if not isinstance(document, Mapping):
        return None
    found = [(name, document[name]) for name in _LISTS if isinstance(document.get(name), list) and document[name]]
    return found[0] if len(found) == 1 and all(isinstance(one, Mapping | str) for one in found[0][1]) else None


def _said_in(message: Any) -> list[tuple[str, Any]] | None:
    """What the agent says in a message, with its place: its calls, or its words where it calls nothing; None for no message.

    Empty for what others say.
    """
    if not isinstance(message, Mapping):
        return None
    who = message.get("role", message.get("from", message.get("type") if {"content", "data"} & message.keys() else None))
    if not isinstance(who, str) or who not in _SPEAKERS | _OTHERS:
        return None
    if who in _OTHERS:
        return []
    calls = [(place, part) for place, part in _parts(message) if _call(part) is not None]
    again = {part.get("id") for place, part in calls if place.startswith(".tool_calls")} - {None}
    calls = [(place, part) for place, part in calls if place.startswith(".tool_calls") or part.get("id") not in again]
    if not calls and "content" not in message and "data" in message:
        return None  # LangChain puts the message itself there
    content = message.get("content", message.get("value"))
    parts = content if isinstance(content, list) else [content]
    return calls or [("", text) for part in parts if (text := _words(part)).strip()]


def _parts(held: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """What a message, a response or an answer in it has lists of, each with its place."""
    lists = [(name, held[name]) for name in _HELD if isinstance(held.get(name), list)]
    return [(f".{name}[{n}]", part) for name, parts in lists for n, part in enumerate(parts)]


def _words(part: Any) -> str:
    said = part.get("text") if isinstance(part, Mapping) else part
    return said if isinstance(said, str) else ""


def _call(part: Any) -> JsonObject | None:
    """A call of a tool as `{name, arguments}`, whichever way the service wrapped it; None for what is none."""
    if not isinstance(part, Mapping):
        return None
    wrapped = next((part[name] for name in _WRAPPERS if isinstance(part.get(name), Mapping)), None)
    call = part if wrapped is None else wrapped
    name = next((call[key] for key in _NAMES if key in call), None)
    arguments = next((call[key] for key in _ARGUMENTS if key in call), wrapped and {})
    if not isinstance(name, str) or arguments is None:
        return None
    if isinstance(arguments, str):
        with suppress(ValueError, RecursionError):  # what is no JSON stays as it is, for the dialect to refuse
            arguments = json.loads(arguments, object_pairs_hook=said_once)
    return {"name": name.rpartition("__")[2], "arguments": arguments}


_PAYLOAD = frozenset({"step", "payload", "losses"})
_UNSAID = frozenset({"step", "error"})
"""What `log convert` writes of an action that the dialect cannot say."""
_DEEPEST = 5
"""Levels of messages and calls within what a line holds."""


def read_spoken(name: str, path: Path, context: Context) -> ImportResult:
    """The actions of a file in the dialect `name`, a step each.

    JSON is read a payload a line, or as one document whose list has a payload each; any other text is one payload. Raises
    FormatError for a file that is neither, and DialectError for a variant that is not known.
    """
    spoken, info = dialect(name), RunInfo(agent=name)
    spoken.variant(context)

    def meaning(number: int, data: Any) -> Iterator[LogLine]:
        return _lines(spoken, data, number, context)

    first, *more = json_lines.first_values(path)
    if isinstance(first, str) or (isinstance(first, dict) and more):
        return ImportResult(info, json_lines.read_json_lines(path, meaning))
    data = whole_document(path)
    if isinstance(data, UnreadableLine):
        raise FormatError(f"{path.name}: {data}")
    try:
        document = parse_json(data)
    except BadStep as bad:
        if isinstance(first, list) or json_lines.is_json_lines(path):
            return ImportResult(info, json_lines.read_json_lines(path, meaning))
        text = json_lines.text_in(path, data)
        if _is_sequence(text):
            return ImportResult(info, json_lines.each_value(text, meaning))
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
    if text.lstrip().startswith('"""'):
        return False  # a docstring, and no empty text right before another one
    values: list[Any] = []
    try:
        values.extend(islice(json_lines.json_values(text), 1))
        values.extend(islice(json_lines.json_values(text), 1, 2))
    except BadStep:
        pass
    return isinstance(next(iter(values), None), dict) or sum(isinstance(value, str) for value in values) == 2


def _rows(spoken: Dialect, document: Any, context: Context) -> list[Any]:
    """A document is one payload where the dialect says so, and else what it has a list of."""
    rows = rows_of(document)
    if rows is None:
        return [document]
    if all(_said_in(one) is not None for one in rows[1]):
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
    """The steps of a script, each by the line that it stands in; one without any action says so."""
    count, empty, state = 0, True, {"screen_resolution": context.size}
    for piece in found:
        empty = False
        if piece.action is None:
            yield bad_line(piece.line, Problem(piece.where, piece.reason))
            continue
        count, raw = count + 1, lost_in_reading(piece.losses)
        try:
            step = json_lines.step_of("$", timestamp=0.0, step=count, action=piece.action, raw=raw, visual_state=state)
            yield LogLine(piece.line, step)
        except BadStep as bad:
            yield bad_line(piece.line, *bad.problems)
    if empty:
        yield bad_line(1, Problem("$", "there is no action in it"))


def _lines(spoken: Dialect, data: Any, number: int, context: Context) -> Iterator[LogLine]:
    payload, count = data, number
    if isinstance(data, dict) and data.keys() <= _UNSAID and "error" in data:
        yield bad_line(number, Problem("$.error", f"it could not be said when it was written: {str(data['error'])[:200]}"))
        return
    if isinstance(data, dict) and data.keys() <= _PAYLOAD and "payload" in data:
        payload = data["payload"]
        count = data["step"] if isinstance(data.get("step"), int) else number

    screen = {"screen_resolution": context.size}

    def steps(found: ParsedPayload | DialectError) -> Iterator[InteractionStep]:
        if isinstance(found, DialectError):
            raise found
        for n, action in enumerate(found.actions):
            raw = lost_in_reading(found.losses) if n == 0 else {}
            yield json_lines.step_of("$", timestamp=0.0, step=count, visual_state=screen, action=action, raw=raw)

    for found in _read(spoken, payload, context):
        yield from json_lines.told(number, steps(found))


def _within(spoken: Dialect, payload: Any, refused: DialectError) -> list[tuple[str, Any]] | None:
    """The messages, calls or payloads that an object holds, each with its place in it; None where it holds none."""
    if (rows := rows_of(payload)) is not None:
        return [(f".{rows[0]}[{n}]", one) for n, one in enumerate(rows[1])]
    if (said := _said_in(payload)) is not None:
        return said
    if not isinstance(payload, Mapping):
        return None
    call = _call(payload)
    if call is not None and call != payload:
        return [("", call)]
    if call is not None and _THE_TOOL.fullmatch(call["name"]) and isinstance(call["arguments"], Mapping):
        return [(".arguments", call["arguments"])]
    inside = {name: payload[name] for name in ("content", *_AROUND) if name in payload}
    if inside and all(one is None for one in inside.values()):
        return []  # a step at which nothing was done
    blamed = re.split(r"[.\[]", refused.where.removeprefix("$."))[0]
    if (parts := _parts(payload)) or blamed in payload.keys() - {*inside, "type"}:
        return parts or None  # a payload with something wrong in it, such as a call that was not completed, has none within
    kept = [(f".{name}", one) for name, one in inside.items() if isinstance(one, Mapping | str) and not _plain(spoken, one)]
    return kept[:1] or None


def _plain(spoken: Dialect, said: Any) -> bool:
    """Whether it is words alone, which hold no payload."""
    return isinstance(said, str) and spoken.kind == "json" and "{" not in said


def _read(spoken: Dialect, payload: Any, context: Context, depth: int = 0) -> Iterator[ParsedPayload | DialectError]:
    """What is done in a payload, or else in each message and call that it holds: one that is not understood costs only itself."""
    try:
        yield _without_notes(spoken, payload, context)
        return
    except NothingDone:
        return
    except DialectError as bad:
        refused = bad
    within = _within(spoken, payload, refused) if depth < _DEEPEST else None
    if within is None and spoken.kind == "text" and isinstance(payload, Mapping) and refused.where == "$":
        under = f"; one in an object is read under {', '.join(_AROUND[3:])}"
        yield DialectError(spoken.name, refused.where, refused.reason + under)
    elif within is None:
        yield refused
    for place, one in within or ():
        for found in () if _plain(spoken, one) else _read(spoken, one, context, depth + 1):
            if not isinstance(found, DialectError):
                beside = [str(name) for name in payload if name != place[1:]] if place[1:] in _AROUND else []
                yield _with_loss(found, place[1:], beside)
            elif place:
                path = found.where.startswith("$")
                reason = found.reason if path or not found.where else f"{found.where}: {found.reason}"
                yield DialectError(spoken.name, f"${place}{found.where[1:] if path else ''}", reason)
            else:  # the call or the message as it stands may have told more exactly what is wrong
                yield max(found, refused, key=lambda error: (error.reason != "is missing", len(error.where.removeprefix("$"))))


def _without_notes(spoken: Dialect, payload: Any, context: Context) -> ParsedPayload:
    """What is done in a payload; what a harness noted beside its fields is lost. Raises DialectError."""
    noted: list[str] = []
    first: DialectError | None = None
    while True:
        try:
            found = spoken.read(payload, context)
        except DialectError as bad:
            first, name = first or bad, bad.where.removeprefix("$.")
            beside = isinstance(payload, Mapping) and name in payload  # and not in a text, or deeper
            if bad.reason != NOT_UNDERSTOOD or name not in _NOTES or not beside:
                raise first from None
            noted.append(name)
            payload = {own: value for own, value in payload.items() if own != name}
        else:
            return _with_loss(found, "action", noted)


def _with_loss(found: ParsedPayload, place: str, names: list[str]) -> ParsedPayload:
    """What was read, and that these names beside it are not kept."""
    if not names:
        return found
    beside = shorten(", ".join(names), 80, placeholder=" and others")
    why = f"what stands beside the {place} is not kept: {beside}"
    return found._replace(losses=[*found.losses, Loss(what="fields", why=why)])


def read_dsl(path: Path) -> ImportResult:
    """The lines of a file in the DSL, a step each; a line that is not understood is an error, and the others are read."""
    steps = count(1)

    def meaning(number: int, line: bytes) -> Iterator[LogLine]:
        try:
            text = line.decode("utf-8").rstrip("\r\n")
            if is_blank(text):
                return
            step = next(steps)
            yield LogLine(number, json_lines.step_of("$", timestamp=0.0, step=step, visual_state={}, action=parse_line(text)))
        except UnicodeDecodeError as bad:
            refuse("$", f"not UTF-8: byte {bad.start + 1} of the line")
        except DSLError as bad:
            refuse("$", str(bad).removeprefix("line 1, "))

    return ImportResult(RunInfo(), each_line(path, meaning))
