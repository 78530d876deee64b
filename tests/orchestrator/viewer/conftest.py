"""Real runs, the pages that are written of them, and a real Chromium that opens those from the disk."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from environments.browser.launching import find_chromium, need_playwright
from environments.contract import EnvironmentFault
from orchestrator.crew import Crew
from orchestrator.viewer.page import write_page
from orchestrator.viewer.source import read_source
from protocol import Memorize
from roles.journal import Journal

Written = Callable[..., Path]
Opened = Callable[..., Any]
GOAL = "Read the total of invoice INV-7029 in billing, enter it as the amount in the reimbursement form and submit the form"
APPROVE: dict[str, Any] = {"decisions": [{"type": "approve", "who": "Ada"}]}
REJECT: dict[str, Any] = {"decisions": [{"type": "reject", "message": "not today", "who": "Ada"}]}


@pytest.fixture(scope="session")
def chromium() -> str:
    try:
        need_playwright()
        return find_chromium()
    except EnvironmentFault as missing:
        pytest.skip(str(missing))


@pytest.fixture(scope="module")
def chrome(chromium: str) -> Iterator[Any]:
    # Not longer than a module: while it is open a loop runs in this thread, which other tests of the worker cannot stand.
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A run that waits, one that was rejected, one that came to a good end, and one with pictures."""
    home = tmp_path_factory.mktemp("runs")
    crew = Crew.from_config(overrides=[f"runs_dir={home}", "display=none"])
    found = {}
    for name, answer in (("waiting", None), ("rejected", REJECT), ("done", APPROVE)):
        outcome = crew.run(GOAL)
        assert outcome.pending is not None
        found[name] = crew.resume(outcome.run_id, answer).folder if answer else outcome.folder
    pictures = Crew.from_config(overrides=[f"runs_dir={home}", "display=none", "screenshots.save=all"])
    found["pictures"] = pictures.run("Open the notes").folder
    return found


@pytest.fixture
def written(tmp_path: Path) -> Written:
    """The page of runs, by their folders."""

    def write(*folders: Path, bundle: bool = False, name: str = "view.html") -> Path:
        sources = [read_source(str(folder), folder.parent) for folder in folders]
        return write_page(tmp_path / name, sources, bundle=bundle).path

    return write


@pytest.fixture
def opened(chrome: Any) -> Iterator[Opened]:
    """Open a page from the disk. Nothing that it asks for may leave the disk, and nothing may go wrong in it."""
    contexts: list[Any] = []
    wrong: list[str] = []

    def open_(path: Path, anchor: str = "", *, width: int = 1280, scheme: str = "light") -> Any:
        contexts.append(chrome.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme))
        page = contexts[-1].new_page()
        page.on("request", lambda request: request.url.startswith(("file:", "blob:")) or wrong.append(request.url))
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda said: said.type in ("error", "warning") and wrong.append(said.text))
        page.goto(f"{path.as_uri()}{anchor}")
        page.wait_for_selector("html[data-ready=yes]")
        return page

    yield open_
    for context in contexts:
        context.close()
    assert wrong == []


@pytest.fixture
def hostile() -> Callable[[Path, str], Path]:
    """A run in which every word is this one."""

    def make(folder: Path, text: str) -> Path:
        folder.mkdir()
        record = {"run_id": folder.name, "goal": text, "started": 1.0, "settings": {"world": text, "seed": 0}, "task_id": text}
        (folder / "run.json").write_text(json.dumps(record), encoding="utf-8")
        (folder / "report.json").write_text(json.dumps({"status": "rejected", "reason": text}), encoding="utf-8")
        journal = Journal(folder / "journal.sqlite", lambda: 1.0, run_id=folder.name)
        name = text.encode(errors="replace").decode()  # columns of a database hold no half of a surrogate pair
        place: dict[str, Any] = {"role": "operator", "subtask": name, "step": 1}
        journal.record("plan", {"subtasks": [{"id": text, "title": text, "app": text}], "reason": text}, role=name)
        journal.record("observed", {"state_id": "s", "app": text}, **place)
        journal.record("decided", {"line": text, "reasoning": text, "observation": text}, **place)
        journal.record("reviewed", {"verdict": "allow", "policy": text, "reasons": [text]}, **place)
        action = Memorize(name="n", value="v").dump() | {"value": text}
        journal.record("step", {"action": action, "exec_status": text, "error": text, "before": "s", "events": [text]}, **place)
        gate = {"decision": text, "trigger": text, "reason": text, "issues": [text], "evidence": [text]}
        journal.record("gate", gate, role="evaluator")
        journal.record("fact", {"name": text, "value": text, "app": text}, role="operator", subtask=name)
        asked = [{"name": text, "args": {}, "description": text}]
        request = {"key": "k", "action_requests": asked, "rule": text, "reasons": [text]}
        journal.record("approval_requested", request, **place)
        journal.record("approval", {"key": "k", "decision": text, "message": text, "who": text}, **place)
        journal.record("supplement", {"query": text, "found": [{"title": text, "source": text, "text": text}]}, role="manager")
        journal.record("model_call", {"model": text, "prompt": text, "reply": text, "problem": text}, role="manager")
        journal.record("unheard of", {text: text}, role="manager")
        screen = {"screen_resolution": [200, 100], "app": text, "elements": [
            {"element_id": "e", "role": role, "text": text, "value": text, "bbox": {"x1": 1, "y1": 1, "x2": 99, "y2": 40}}
            for role in ("button", "textbox", "text", "checkbox", text)
        ]}  # fmt: skip
        journal.rows.add_screen("s", "", zlib.compress(json.dumps(screen).encode()))
        journal.close()
        return folder

    return make
