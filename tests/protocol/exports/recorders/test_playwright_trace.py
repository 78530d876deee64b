"""Traces of Playwright: each call on a page is a step with what came of it, or an error with its line."""

import zipfile
from pathlib import Path
from typing import Any

import pytest
from written.runs import lines_of

from protocol.dsl import emit
from protocol.dsl.words import quoted
from protocol.exports import FormatError, format_named
from protocol.exports.recorders import playwright_trace
from protocol.log.log import LogLine

FORM = format_named("playwright_trace")
HEAD = {"type": "context-options", "version": 8, "browserName": "chromium"}


def call(owner: str, method: str, number: int = 1, **params: Any) -> dict[str, Any]:
    return {"type": "before", "callId": f"call@{number}", "startTime": 1500.0, "class": owner, "method": method, "params": params}


def lines(folder: Path, *events: Any) -> list[LogLine]:
    return lines_of("playwright_trace", folder, [HEAD, *events])


SAVE = 'internal:role=button[name="Say \\"hi\\""i]'
RIGHT = {"button": "right", "modifiers": ["Control"], "delay": 500, "clickCount": 2}
READ: list[tuple[dict[str, Any], str]] = [
    (call("Frame", "goto", url="https://a.example/", waitUntil="load"), 'navigate to "https://a.example/"'),
    (call("Frame", "click", selector=SAVE, strict=True), f'click button "Say \\"hi\\"" css {quoted(SAVE)}'),
    (call("Frame", "click", selector="#q", **RIGHT), 'Control-right-double-click css "#q" hold 0.5 s'),
    (call("Frame", "dblclick", selector="#q"), 'double-click css "#q"'),
    (call("Frame", "fill", selector="#q", value="two\nä"), 'fill css "#q" with "two\\nä"'),
    (call("Frame", "press", selector="#q", key="Control+a"), 'press Control+a in css "#q"'),
    (call("Frame", "selectOption", selector="#q", options=[{"valueOrLabel": "b"}]), 'select "b" in css "#q"'),
    (call("Frame", "setInputFiles", selector="#q", localPaths=["a"]), 'upload "a" to css "#q"'),
    (call("Frame", "dragAndDrop", source="#q", target="#r"), 'drag css "#q" to css "#r"'),
    (call("Frame", "waitForTimeout", waitTimeout=500), "wait 0.5 s"),
    (call("Frame", "waitForTimeout", timeout=500), "wait 0.5 s"),
    (call("Frame", "check", selector="#q"), 'x-playwright_trace.check on css "#q"'),
    (call("Page", "keyboardType", text="a"), 'type "a"'),
    (call("Page", "keyboardDown", key="Shift"), "key down Shift"),
    (call("Page", "mouseClick", x=8, y=5), "click at (8, 5)"),
    (call("Page", "mouseWheel", deltaX=0, deltaY=200), "scroll down 200 px"),
    (call("Page", "goBack"), "go back"),
    (call("Page", "close"), "close tab"),
]


@pytest.mark.parametrize(("event", "said"), READ, ids=[said for _, said in READ])
def test_a_call_is_read(tmp_path: Path, event: dict[str, Any], said: str) -> None:
    (line,) = lines(tmp_path, event)
    assert line.step, line.error
    assert emit(line.step.action) == said


@pytest.mark.parametrize("kind", ["files", "payloads"])
def test_files_whose_contents_were_given_are_named_and_their_contents_lost(tmp_path: Path, kind: str) -> None:
    (line,) = lines(tmp_path, call("Frame", "setInputFiles", selector="#q", **{kind: [{"name": "a.png", "buffer": "AAAA"}]}))
    assert line.step
    assert emit(line.step.action) == 'upload "a.png" to css "#q"'
    assert line.step.raw["lost"] == ["upload.files: only the names of the files are said, not what is in them"]


def test_what_came_of_a_call_and_when_is_kept_and_a_second_page_is_a_tab(tmp_path: Path) -> None:
    failed = {"type": "after", "callId": "call@3", "error": {"name": "TimeoutError", "message": "Timeout 10ms"}}
    pages = [call("BrowserContext", "newPage", 1), call("BrowserContext", "newPage", 2), {"type": "after", "callId": "call@2"}]
    found = lines(tmp_path, *pages, call("Frame", "click", 3, selector="#q"), failed)
    tab, click = (line.step for line in found)
    assert tab
    assert click
    assert emit(tab.action) == "new tab"
    assert (tab.step, tab.timestamp) == (1, 1.5)
    assert [step.result and (step.result.ok, step.result.error) for step in (tab, click)] == [(True, ""), (False, "Timeout 10ms")]
    with zipfile.ZipFile(tmp_path / "trace.zip", "w") as archive:
        archive.writestr("0-trace.network", "{}")
        archive.write(tmp_path / "run.trace", "0-trace.trace")
    assert list(FORM.read(tmp_path / "trace.zip").lines) == found


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


def test_traces_in_a_zip_file_are_bounded_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(playwright_trace, "_LARGEST", 100_000)
    path = tmp_path / "trace.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(5):
            archive.writestr(f"{number}-trace.trace", b"\n" * 30_000)
    with pytest.raises(FormatError, match="its traces are larger than"):
        FORM.read(path)
