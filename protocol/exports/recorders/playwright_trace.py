"""Traces of Playwright: a `trace.zip`, or a `.trace` in it, whose lines are events. What was called becomes a step. Read only.

A selector is Playwright's own, as `page.locator` takes it. A method without a verb of ours is carried, such as
`x-playwright_trace.check`.
"""

from __future__ import annotations

import re
import zipfile
import zlib
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from protocol.dialects.common.base import DialectError, Loss
from protocol.dialects.common.fields import Fields, at, build
from protocol.exports.common.base import Format, FormatError, ImportResult
from protocol.exports.common.kept import info_of, lost_in_reading
from protocol.exports.common.lines import bad_line, listed, mapping, parse_json, step_of, told
from protocol.log.log import LogLine
from protocol.log.raw_lines import UnreadableLine, raw_lines
from protocol.log.versions import BadStep
from protocol.model.actions import AgentAction
from protocol.model.geometry import JsonObject
from protocol.model.steps import InteractionStep

NAME = "playwright_trace"
_LARGEST = 128 * 1024 * 1024
"""Bytes of all traces within a zip file, unpacked."""
_ROLE = re.compile(r'internal:role=([a-z]+)\[name="((?:[^"\\]|\\.)*)"[is]?\]')
_DROPPED = frozenset({
    "selector", "strict", "timeout", "force", "noWaitAfter", "trial", "waitUntil", "position", "referer", "steps", "delay",
    "scroll", "isPage", "newPageIfNeeded",
})  # fmt: skip
_DONE_BY = ("Frame", "Page", "ElementHandle")
Event = tuple[int, JsonObject]


def read(path: Path) -> ImportResult:
    """Every call on a page or an element, in order. The events are held in memory. Raises FormatError."""
    try:
        lines = list(_packed(path) if zipfile.is_zipfile(path) else raw_lines(path))
    except RuntimeError:  # zipfile's word for a password, and for a way of packing that it lacks
        raise FormatError(f"{path.name}: a part of it is encrypted, or packed in an unusual way; pack it anew, plainly") from None
    except (OSError, zipfile.BadZipFile, zlib.error) as bad:
        raise FormatError(f"{path.name}: cannot be read: {str(bad)[:80]}") from None
    events: list[Event] = []
    wrong: list[LogLine] = []
    for number, line in enumerate(lines, start=1):
        try:
            data = None if isinstance(line, UnreadableLine) or not line.strip() else parse_json(line)
        except BadStep as bad:
            wrong.append(bad_line(number, *bad.problems))
            continue
        if isinstance(data, dict):
            events.append((number, data))
    if not any(event.get("type") in ("before", "context-options") for _, event in events):
        raise FormatError(f"{path.name}: no line of it is an event of a trace")
    return ImportResult(info_of(None, run_id=path.stem, agent="Playwright"), _lines(events, wrong))


def _packed(path: Path) -> Iterator[bytes]:
    with zipfile.ZipFile(path) as archive:
        names = [info for info in archive.infolist() if info.filename.endswith("trace.trace")]
        if sum(info.file_size for info in names) > _LARGEST:
            raise zipfile.BadZipFile(f"its traces are larger than {_LARGEST // 1024**2} MB")
        for info in names:
            with archive.open(info) as file:
                yield from file


def _lines(events: list[Event], wrong: list[LogLine]) -> Iterator[LogLine]:
    ends = {event["callId"]: event for _, event in events if event.get("type") == "after" and _text(event.get("callId"))}
    reader, waiting = _Reader(), deque(wrong)
    for number, event in events:
        while waiting and waiting[0].number < number:
            yield waiting.popleft()
        if event.get("type") == "before":
            end = ends.get(event["callId"]) if _text(event.get("callId")) else None
            yield from told(number, reader.steps(event, mapping(end)))
    yield from waiting


def _text(value: Any) -> bool:
    return isinstance(value, str)


class _Reader:
    """Reads the calls of a trace."""

    def __init__(self) -> None:
        self.count = 0
        self.losses: list[Loss] = []
        self._pages = 0

    def steps(self, event: JsonObject, end: JsonObject) -> Iterator[InteractionStep]:
        """The step of a call, if it is one."""
        owner, method, params = event.get("class"), event.get("method"), mapping(event.get("params"))
        if not isinstance(method, str) or not re.fullmatch(r"[A-Za-z][A-Za-z0-9]{0,80}", method):
            raise DialectError(NAME, "$.method", "the name of a method is needed")
        if (owner, method) == ("BrowserContext", "newPage"):
            self._pages += 1
            if self._pages == 1:
                return
            action = build(NAME, "$", action_type="tabs", op="new")
        elif owner in _DONE_BY:
            action = self._action(method, params)
        else:
            self.losses.append(Loss(what=f"{owner}.{method}"[:80], why="what the browser or the test is asked for is no action"))
            return
        self.count += 1
        error = mapping(mapping(end.get("error")).get("error") or end.get("error")).get("message")
        result = {"exec_status": "error" if error else "executed", "error": str(error or "")[:2_000]} if end else None
        start = event.get("startTime")
        raw = {"call": {"class": owner, "method": method, "params": params}, **lost_in_reading(self.losses)}
        self.losses = []
        yield step_of(
            "$", timestamp=start / 1000 if isinstance(start, int | float) else 0.0, step=self.count, visual_state={},
            action=action, result=result, raw=raw,
        )  # fmt: skip

    def _action(self, method: str, params: JsonObject) -> AgentAction:
        for name in sorted({"position", "delay"} & params.keys()):
            if not (name == "delay" and method in ("click", "mouseClick")):
                self.losses.append(Loss(what=f"{method}.{name}", why="there is no field for it"))
        read = _READERS.get(method)
        kept = {name: value for name, value in params.items() if name not in _DROPPED}
        if read is None:
            name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", method).lower()
            target = _target(params["selector"]) if _text(params.get("selector")) and params["selector"] else None
            return build(NAME, "$.params", action_type=f"x-{NAME}.{name}", target=target, arguments=kept)
        if method == "waitForTimeout" and "waitTimeout" not in params:
            params = {"waitTimeout": params.get("timeout")}  # as older versions wrote it
        fields = Fields(NAME, params, "$.params")
        fields.drop(*(_DROPPED - {"selector", "delay"}))
        action = read(fields)
        fields.drop("delay")
        fields.end()
        return action


def _target(selector: str) -> dict[str, str]:
    """An element by its selector, and by role and name where that says them."""
    named = _ROLE.fullmatch(selector)
    said = {"role": named[1], "text": re.sub(r"\\(.)", r"\1", named[2])} if named and named[2] else {}
    return {"selector": selector, **said}


def _on(verb: str, *copied: str, **how: Any) -> Callable[[Fields], AgentAction]:
    def read(fields: Fields) -> AgentAction:
        given = {ours: fields.text(theirs) for theirs, ours in (pair.split(":") for pair in copied)}
        return build(NAME, "$.params", action_type=verb, target=_target(fields.text("selector")), **given, **how)

    return read


def _clicks(fields: Fields, target: Any, count: int | None) -> AgentAction:
    held, button = fields.number("delay", 0) / 1000, fields.text("button", "left")
    clicks = count or fields.number("clickCount", 1, whole=True)
    modifiers = fields.texts("modifiers", ())
    return build(
        NAME, "$.params", action_type="click", target=target, button=button, count=clicks, modifiers=modifiers, hold=held
    )


def _keys(verb: str, *, aimed: bool = False) -> Callable[[Fields], AgentAction]:
    def read(fields: Fields) -> AgentAction:
        keys = fields.chord("key", "playwright")
        target = _target(fields.text("selector")) if aimed else None
        given: dict[str, Any] = {"keys": keys} if verb == "press_key" else {"key": keys[0]}
        return build(NAME, "$.params", action_type=verb, target=target, **given)

    return read


def _select(fields: Fields) -> AgentAction:
    names = ("valueOrLabel", "label", "value")
    options = [mapping(one) for one in listed(fields.any("options"))]
    given = [next((one[name] for name in names if _text(one.get(name))), None) for one in options]
    if not given or None in given:
        fields.refuse("options", "options with a value or a label are needed")
    return build(NAME, "$.params", action_type="select_option", target=_target(fields.text("selector")), options=given)


def _files(fields: Fields) -> AgentAction:
    fields.drop("payloads", "directoryStream", "streams")
    files = fields.texts("localPaths")
    return build(NAME, "$.params", action_type="upload", target=_target(fields.text("selector")), files=files)


def _drag(fields: Fields) -> AgentAction:
    start, end = _target(fields.text("source")), _target(fields.text("target"))
    fields.drop("sourcePosition", "targetPosition")
    return build(NAME, "$.params", action_type="drag", target=start, to=end)


def _spot(fields: Fields) -> Any:
    return at(fields.number("x"), fields.number("y"), "px", None, NAME, "$.params.x")


def _simple(verb: str, *copied: str, **how: Any) -> Callable[[Fields], AgentAction]:
    def read(fields: Fields) -> AgentAction:
        given = {ours: fields.text(theirs) for theirs, ours in (pair.split(":") for pair in copied)}
        return build(NAME, "$.params", action_type=verb, **given, **how)

    return read


def _button(verb: str) -> Callable[[Fields], AgentAction]:
    def read(fields: Fields) -> AgentAction:
        fields.drop("clickCount")
        return build(NAME, "$.params", action_type=verb, button=fields.text("button", "left"))

    return read


def _wheel(fields: Fields) -> AgentAction:
    delta = {"x": fields.number("deltaX"), "y": fields.number("deltaY")}
    return build(NAME, "$.params", action_type="scroll", delta=delta, unit="px")


def _wait(fields: Fields) -> AgentAction:
    return build(NAME, "$.params", action_type="wait", seconds=fields.number("waitTimeout") / 1000)


def _close(fields: Fields) -> AgentAction:
    fields.drop("runBeforeUnload", "reason")
    return build(NAME, "$.params", action_type="tabs", op="close")


_READERS: dict[str, Callable[[Fields], AgentAction]] = {
    "goto": _simple("navigate", "url:url"), "goBack": _simple("go_back"), "goForward": _simple("go_forward"),
    "close": _close,
    "click": lambda fields: _clicks(fields, _target(fields.text("selector")), None),
    "dblclick": lambda fields: _clicks(fields, _target(fields.text("selector")), 2),
    "mouseClick": lambda fields: _clicks(fields, _spot(fields), None),
    "mouseMove": lambda fields: build(NAME, "$.params", action_type="hover", target=_spot(fields)),
    "mouseDown": _button("mouse_down"), "mouseUp": _button("mouse_up"), "mouseWheel": _wheel,
    "hover": lambda fields: build(
        NAME, "$.params", action_type="hover", target=_target(fields.text("selector")), modifiers=fields.texts("modifiers", ())
    ),
    "fill": _on("fill", "value:text"), "type": _on("type", "text:text"), "press": _keys("press_key", aimed=True),
    "keyboardPress": _keys("press_key"), "keyboardDown": _keys("key_down"), "keyboardUp": _keys("key_up"),
    "keyboardType": _simple("type", "text:text"), "selectOption": _select, "setInputFiles": _files, "dragAndDrop": _drag,
    "waitForTimeout": _wait,
}  # fmt: skip

FORMAT = Format(name=NAME, title="Playwright trace (trace.zip)", suffix=".trace", read=read)
