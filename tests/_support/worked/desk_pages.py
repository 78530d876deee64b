"""Pages of a desk in a real Chromium, in which nothing may go wrong, and runs that stand ready for them."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from orchestrator.crew import Crew
from orchestrator.store.salvage import salvage

GOAL = "Read the total of invoice INV-7029 in billing, enter it as the amount in the reimbursement form and submit the form"
HOSTILE = "</script><img src=x onerror=\"document.title='owned'\"><b>bold</b> javascript:alert(1) \u202egnp.exe"
TOKENS = {"vera": ("view", "token-of-vera"), "anna": ("approve", "token-of-anna"), "otto": ("operate", "token-of-otto")}
SLOW = 120_000
"""Milliseconds for what a process of its own does on a machine that may be busy."""
Opened = Callable[..., Any]


def worked(runs_dir: Path, *overrides: str) -> str:
    """The id of a run that was worked until it ends or waits."""
    return Crew.from_config(overrides=[f"runs_dir={runs_dir}", "display=none", *overrides]).run(GOAL).run_id


def approvals(runs_dir: Path, run_id: str) -> list[tuple[str, str, str]]:
    events = salvage(runs_dir / run_id / "journal.sqlite").events
    return [(e.body["decision"], e.body["who"], e.body.get("message", "")) for e in events if e.kind == "approval"]


@pytest.fixture
def opened(chrome: Any) -> Iterator[Opened]:
    """Open a page of a served desk as somebody. Nothing may go wrong in it, and nothing may be asked of anybody else."""
    from playwright.sync_api import expect

    expect.set_options(timeout=SLOW)
    contexts: list[Any] = []
    wrong: list[str] = []

    def open_(base: str, path: str = "/", who: str = "otto", *, refused: str = "409", ready: str = "html[data-ready=yes]") -> Any:
        contexts.append(chrome.new_context(viewport={"width": 1280, "height": 800}, color_scheme="light"))
        contexts[-1].set_default_timeout(SLOW)
        page = contexts[-1].new_page()
        own = (base.partition("?")[0], "blob:", "data:")
        page.on("request", lambda request: request.url.startswith(own) or wrong.append(request.url))
        page.on("pageerror", lambda error: wrong.append(str(error)))
        bad = ("error", "warning")
        page.on("console", lambda said: said.type in bad and refused not in said.text and wrong.append(said.text))
        page.goto(base + path if "token=" in base + path else f"{base}{path}{'&' if '?' in path else '?'}token={TOKENS[who][1]}")
        page.wait_for_selector(ready)
        return page

    yield open_
    for context in contexts:
        context.close()
    assert wrong == []


def see(page: Any, selector: str, text: str = "") -> Any:
    """What is found there, once it is there."""
    found = page.locator(selector).filter(has_text=text).first if text else page.locator(selector).first
    found.wait_for(timeout=SLOW)
    return found


@pytest.fixture(scope="module")
def waiting_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("waiting")
    return home / worked(home)


@pytest.fixture
def waits_once(waiting_home: Path, runs_dir: Path) -> str:
    """The id of a run that waits for an approval, of which each test has a copy."""
    shutil.copytree(waiting_home, runs_dir / waiting_home.name)
    return waiting_home.name
