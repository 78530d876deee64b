"""Traces of Playwright: each call on a page is a step with what came of it, or an error with its line."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from protocol.exports import FormatError, format_named
from protocol.log.log import LogLine

FORM = format_named("playwright_trace")
HEAD = {"type": "context-options", "version": 8, "browserName": "chromium"}


def call(owner: str, method: str, number: int = 1, **params: Any) -> dict[str, Any]:
    return {"type": "before", "callId": f"call@{number}", "startTime": 1500.0, "class": owner, "method": method, "params": params}


def lines(folder: Path, *events: Any, packed: bool = False) -> list[LogLine]:
    text = "".join((event if isinstance(event, str) else json.dumps(event)) + "\n" for event in (HEAD, *events))
    path = folder / ("trace.zip" if packed else "trace.trace")
    if packed:
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("0-trace.network", "{}")
            archive.writestr("0-trace.trace", text)
    else:
        path.write_text(text, encoding="utf-8")
    return list(FORM.read(path).lines)


SAVE = 'internal:role=button[name="Say \\"hi\\""i]'
SAVED = {"selector": SAVE, "role": "button", "text": 'Say "hi"'}
Q = {"selector": "#q"}
READ: list[tuple[dict[str, Any], dict[str, Any]]] = [
    (call("Frame", "goto", url="https://a.example/", waitUntil="load"), {"action_type": "navigate", "url": "https://a.example/"}),
    (call("Frame", "click", selector=SAVE, strict=True), {"action_type": "click", "target": SAVED}),
    (
        call("Frame", "click", selector="#q", button="right", modifiers=["Control"], delay=500, clickCount=2),
        {"action_type": "click", "target": Q, "button": "right", "modifiers": ["Control"], "hold": 0.5, "count": 2},
    ),
    (call("Frame", "dblclick", selector="#q"), {"action_type": "click", "target": Q, "count": 2}),
    (call("Frame", "fill", selector="#q", value="two\nä"), {"action_type": "fill", "target": Q, "text": "two\nä"}),
    (call("Frame", "press", selector="#q", key="Control+a"), {"action_type": "press_key", "target": Q, "keys": ["Control", "a"]}),
    (
        call("Frame", "selectOption", selector="#q", options=[{"valueOrLabel": "b"}]),
        {"action_type": "select_option", "target": Q, "options": ["b"]},
    ),
    (call("Frame", "setInputFiles", selector="#q", localPaths=["a"]), {"action_type": "upload", "target": Q, "files": ["a"]}),
    (call("Frame", "dragAndDrop", source="#q", target="#r"), {"action_type": "drag", "target": Q, "to": {"selector": "#r"}}),
    (call("Frame", "waitForTimeout", waitTimeout=500), {"action_type": "wait", "seconds": 0.5}),
    (call("Frame", "waitForTimeout", timeout=500), {"action_type": "wait", "seconds": 0.5}),
    (call("Frame", "check", selector="#q"), {"action_type": "x-playwright_trace.check", "target": Q}),
    (call("Page", "keyboardType", text="a"), {"action_type": "type", "text": "a"}),
    (call("Page", "keyboardDown", key="Shift"), {"action_type": "key_down", "key": "Shift"}),
    (call("Page", "mouseClick", x=8, y=5), {"action_type": "click", "target": {"point": {"x": 8, "y": 5}}}),
    (call("Page", "mouseWheel", deltaX=0, deltaY=200), {"action_type": "scroll", "delta": {"y": 200}, "unit": "px"}),
    (call("Page", "goBack"), {"action_type": "go_back"}),
    (call("Page", "close"), {"action_type": "tabs", "op": "close"}),
]


@pytest.mark.parametrize(("event", "meant"), READ, ids=lambda value: str(value.get("method", ""))[:20])
def test_a_call_is_read(tmp_path: Path, event: dict[str, Any], meant: dict[str, Any]) -> None:
    (line,) = lines(tmp_path, event)
    assert line.step, line.error
    assert line.step.action.dump() == meant


@pytest.mark.parametrize("kind", ["files", "payloads"])
def test_files_whose_contents_were_given_are_named_and_their_contents_lost(tmp_path: Path, kind: str) -> None:
    (line,) = lines(tmp_path, call("Frame", "setInputFiles", selector="#q", **{kind: [{"name": "a.png", "buffer": "AAAA"}]}))
    assert line.step
    assert line.step.action.dump() == {"action_type": "upload", "target": Q, "files": ["a.png"]}
    assert line.step.raw["lost"] == ["upload.files: only the names of the files are said, not what is in them"]


@pytest.mark.parametrize("packed", [False, True])
def test_what_came_of_a_call_and_when_is_kept_and_a_second_page_is_a_tab(tmp_path: Path, packed: bool) -> None:
    failed = {"type": "after", "callId": "call@3", "error": {"name": "TimeoutError", "message": "Timeout 10ms"}}
    pages = [call("BrowserContext", "newPage", 1), call("BrowserContext", "newPage", 2), {"type": "after", "callId": "call@2"}]
    tab, click = lines(tmp_path, *pages, call("Frame", "click", 3, selector="#q"), failed, packed=packed)
    assert tab.step
    assert click.step
    assert tab.step.action.dump() == {"action_type": "tabs", "op": "new"}
    assert (tab.step.step, tab.step.timestamp) == (1, 1.5)
    assert tab.step.result
    assert tab.step.result.ok
    assert click.step.result
    assert click.step.result.error == "Timeout 10ms"


def test_a_mistake_names_its_line_and_costs_itself(tmp_path: Path) -> None:
    good = call("Page", "goBack")
    key = call("Frame", "press", selector="#q", key="Nosuch")
    trial = call("Frame", "click", selector="#q", trial=True)
    wrong: list[Any] = ['{"type": ', call("Frame", "click"), key, call("Frame", ""), trial]
    found = lines(tmp_path, *wrong, good)
    assert [(line.number, line.step is not None) for line in found] == [*((n, False) for n in range(2, 7)), (7, True)]


@pytest.mark.parametrize("data", [b"", b"words", b'{"a": 1}', b"PK\x05\x06" + b"\0" * 18, b"PK\x03\x04broken"])
def test_what_is_no_trace_is_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "trace.zip"
    path.write_bytes(data)
    with pytest.raises(FormatError, match=r"trace\.zip"):
        FORM.read(path)


@pytest.mark.parametrize(("local", "central", "bits"), [(6, 8, 1), (8, 10, 98)], ids=["a password", "an unknown packing"])
def test_a_part_that_cannot_be_unpacked_is_said(tmp_path: Path, local: int, central: int, bits: int) -> None:
    path = tmp_path / "trace.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("trace.trace", '{"type": "context-options"}\n')
    packed = bytearray(path.read_bytes())
    packed[packed.find(b"PK\x03\x04") + local] = bits
    packed[packed.find(b"PK\x01\x02") + central] = bits
    path.write_bytes(packed)
    with pytest.raises(FormatError, match=r"^trace\.zip: a part of it is encrypted, or packed"):
        FORM.read(path)
