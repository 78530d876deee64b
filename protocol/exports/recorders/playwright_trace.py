"""Traces of Playwright: a `trace.zip`, or a `.trace` in it, whose lines are events. What was called becomes a step. Read only.

A selector is Playwright's own, as `page.locator` takes it. A method without a verb of ours is carried, such as
`x-playwright_trace.check`.
"""

import re
import zipfile
import zlib
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from protocol import ActionTarget, AgentAction, InteractionStep, JsonObject
from protocol.dialects import Context, Fields, Loss, given, row
from protocol.dialects.playwright.locators import PageReading
from protocol.exports.common.base import Format, FormatError, ImportResult
from protocol.exports.common.kept import info_of, lost_in_reading
from protocol.exports.common.lines import listed, mapping, step_of, told
from protocol.log.log import LogLine, UnreadableLine, bad_line, raw_lines
from protocol.log.versions import BadStep, parse_json

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
    wrong: deque[LogLine] = deque()
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


def _lines(events: list[Event], wrong: deque[LogLine]) -> Iterator[LogLine]:
    ends = {
        event["callId"]: event for _, event in events if event.get("type") == "after" and isinstance(event.get("callId"), str)
    }
    reader = _Reader(NAME, Context())
    for number, event in events:
        while wrong and wrong[0].number < number:
            yield wrong.popleft()
        if event.get("type") == "before":
            end = ends.get(event["callId"]) if isinstance(event.get("callId"), str) else None
            yield from told(number, reader.steps(event, mapping(end)))
    yield from wrong


class _Reader(PageReading):
    """Reads the calls of a trace."""

    count = 0
    _pages = 0

    def steps(self, event: JsonObject, end: JsonObject) -> Iterator[InteractionStep]:
        """The step of a call, if it is one."""
        owner, method, params = event.get("class"), event.get("method"), mapping(event.get("params"))
        if not isinstance(method, str) or not re.fullmatch(r"[A-Za-z][A-Za-z0-9]{0,80}", method):
            self.refuse("$.method", "the name of a method is needed")
        self.fields = Fields(NAME, params, "$")
        if (owner, method) == ("BrowserContext", "newPage"):
            self._pages += 1
            if self._pages == 1:
                return
            action = self.build("tabs", op="new")
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
        if method == "waitForTimeout" and "waitTimeout" not in params:
            params = {"waitTimeout": params.get("timeout")}  # as older versions wrote it
        self.fields = Fields(NAME, params, "$.params")
        if params.get("trial"):
            self.fields.refuse("trial", "it only looked whether it could be done, and did nothing")
        if method not in _READ:
            name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", method).lower()
            kept = {name: value for name, value in params.items() if name not in _DROPPED}
            target = _target(params["selector"]) if isinstance(params.get("selector"), str) and params["selector"] else None
            return self.build(f"x-{NAME}.{name}", target=target, arguments=kept)
        self.fields.drop(*(_DROPPED - {"selector", "delay"}), *_UNREAD.get(method, ()))
        action = _READ[method](self)
        self.fields.drop("delay")
        self.fields.end()
        return action

    def target(self, name: str = "selector") -> dict[str, str]:
        return _target(self.fields.text(name))

    def spot(self) -> ActionTarget:
        return self.at(blame="x")

    def files(self) -> list[str]:
        """The paths of files, or the names of those whose contents were given."""
        held = [mapping(one).get("name") for kind in ("payloads", "files") for one in listed(self.fields.any(kind, None))]
        if not held or not all(isinstance(one, str) for one in held):
            return list(self.fields.texts("localPaths"))
        self.losses.append(Loss(what="upload.files", why="only the names of the files are said, not what is in them"))
        return list(map(str, held))

    def options(self) -> list[str]:
        names = ("valueOrLabel", "label", "value")
        options = [mapping(one) for one in listed(self.fields.any("options"))]
        given = [next((one[name] for name in names if isinstance(one.get(name), str)), None) for one in options]
        if not given or None in given:
            self.fields.refuse("options", "options with a value or a label are needed")
        return [str(one) for one in given]


def _target(selector: str) -> dict[str, str]:
    """An element by its selector, and by role and name where that says them."""
    named = _ROLE.fullmatch(selector)
    said = {"role": named[1], "text": re.sub(r"\\(.)", r"\1", named[2])} if named and named[2] else {}
    return {"selector": selector, **said}


def _milliseconds(name: str, *default: Any) -> Callable[[_Reader], Any]:
    return lambda r: r.fields.number(name, *default) / 1000


def _click(target: Callable[[_Reader], Any], count: Any) -> Callable[[_Reader], AgentAction]:
    return row("click", hold=_milliseconds("delay", 0), button=_BUTTON, count=count, modifiers=_HELD, target=target)


def _delta(r: _Reader) -> JsonObject:
    return {"x": r.fields.number("deltaX"), "y": r.fields.number("deltaY")}


_AT, _HELD, _BUTTON = _Reader.target, given("modifiers", (), kind="texts"), given("button", "left")
_COUNT = given("clickCount", 1, kind="number", whole=True)
_UNREAD = {
    "setInputFiles": ("directoryStream", "streams"), "dragAndDrop": ("sourcePosition", "targetPosition"),
    "mouseDown": ("clickCount",), "mouseUp": ("clickCount",), "close": ("runBeforeUnload", "reason"),
}  # fmt: skip
"""Arguments that mean nothing for the action."""
_READ: dict[str, Callable[[_Reader], AgentAction]] = {
    "goto": row("navigate", url=given("url")),
    "goBack": row("go_back"),
    "goForward": row("go_forward"),
    "close": row("tabs", op="close"),
    "click": _click(_AT, _COUNT),
    "dblclick": _click(_AT, 2),
    "mouseClick": _click(_Reader.spot, _COUNT),
    "mouseMove": row("hover", target=_Reader.spot),
    "mouseDown": row("mouse_down", button=_BUTTON),
    "mouseUp": row("mouse_up", button=_BUTTON),
    "mouseWheel": row("scroll", delta=_delta, unit="px"),
    "hover": row("hover", target=_AT, modifiers=_HELD),
    "fill": row("fill", text=given("value"), target=_AT),
    "type": row("type", text=given("text"), target=_AT),
    "press": row("press_key", keys=_Reader.keys, target=_AT),
    "keyboardPress": row("press_key", keys=_Reader.keys),
    "keyboardDown": row("key_down", key=lambda r: r.keys()[0]),
    "keyboardUp": row("key_up", key=lambda r: r.keys()[0]),
    "keyboardType": row("type", text=given("text")),
    "selectOption": row("select_option", options=_Reader.options, target=_AT),
    "setInputFiles": row("upload", files=_Reader.files, target=_AT),
    "dragAndDrop": row("drag", target=lambda r: r.target("source"), to=lambda r: r.target("target")),
    "waitForTimeout": row("wait", seconds=_milliseconds("waitTimeout")),
}

FORMAT = Format(name=NAME, title="Playwright trace (trace.zip)", suffix=".trace", read=read)
