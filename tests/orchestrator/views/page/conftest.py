"""Real runs, the pages that are written of them, and how those are opened from the disk."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from orchestrator.crew import Crew
from orchestrator.views.page.page import write_page
from orchestrator.views.page.run_data import read_whole

Written = Callable[..., Path]
Opened = Callable[..., Any]
GOAL = "Read the total of invoice INV-7029 in billing, enter it as the amount in the reimbursement form and submit the form"
APPROVE: dict[str, Any] = {"decisions": [{"type": "approve", "who": "Ada"}]}
REJECT: dict[str, Any] = {"decisions": [{"type": "reject", "message": "not today", "who": "Ada"}]}


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
        sources = [read_whole(str(folder), folder.parent) for folder in folders]
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
