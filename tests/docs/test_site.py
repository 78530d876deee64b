"""The site of the documents: every page has its place, the reference is what the code says, and nothing comes from elsewhere."""

import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from environments.browser.session import find_chromium
from environments.contract import EnvironmentFault
from orchestrator.cli.commands import PARTS
from orchestrator.settings.settings import load_settings, show_config

pytestmark = pytest.mark.slow("documents that are worked to their end")

ROOT = Path(__file__).resolve().parents[2]
SITE: dict[str, Any] = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))


def pages(nav: Any) -> Iterator[str]:
    """The files that the navigation names."""
    if isinstance(nav, str):
        yield nav
    else:
        for part in nav.values() if isinstance(nav, dict) else nav:
            yield from pages(part)


def test_every_page_has_one_place_in_the_navigation() -> None:
    named = list(pages(SITE["nav"]))
    assert len(named) == len(set(named))
    assert set(named) == {str(path.relative_to(ROOT / "docs")) for path in (ROOT / "docs").rglob("*.md")}
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    own = [*(ROOT / "docs").glob("*.md"), *(ROOT / "docs" / "how-to").glob("*.md")]
    assert not [path.name for path in own if path.name != "index.md" and f"({path.relative_to(ROOT)}" not in readme]


def test_the_sentences_of_the_troubleshooting_page_are_of_the_code() -> None:
    folders = ("deskcrew", "orchestrator", "roles", "environments", "protocol")
    sources = [path.read_text(encoding="utf-8") for folder in folders for path in (ROOT / folder).rglob("*.py")]
    said = re.findall(r'"([^"\n]+)"', (ROOT / "docs/troubleshooting.md").read_text(encoding="utf-8"))
    assert not [one for one in said if one not in ("why", "words", "deskcrew[...]") and not any(one in text for text in sources)]


def test_the_reference_and_the_pictures_are_what_the_code_says() -> None:
    words = [sys.executable, ROOT / "scripts" / "reference.py", "--check"]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_reference_names_every_command_and_key_and_the_start_every_extra() -> None:
    commands = (ROOT / "docs/reference/commands.md").read_text(encoding="utf-8")
    assert not [name for name in PARTS if f"### `deskcrew {name}`" not in commands]
    keys = (ROOT / "docs/reference/settings.md").read_text(encoding="utf-8")
    assert not [line.key for line in show_config(load_settings()) if f"| `{line.key}` |" not in keys]
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    part = (ROOT / "docs/start.md").read_text(encoding="utf-8").split("## Extras")[1].split("##")[0]
    rows = [line.split("|")[1] for line in part.splitlines() if line.startswith("| `")]
    assert {name for row in rows for name in re.findall(r"`(\w+)`", row)} == set(extras) - {"dev"}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built strictly: a link or an anchor that leads nowhere is an error."""
    folder = tmp_path_factory.mktemp("site")
    words = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", folder]
    quiet = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(words, cwd=ROOT, env=quiet, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def test_every_anchor_of_a_link_is_there_and_no_page_loads_anything_from_elsewhere(built: Path) -> None:
    scripts = SITE["extra"]["polyfills"]
    assert any("iframe-worker" in script for script in scripts), "the plugin adds one from the net where it finds none"
    assert all((ROOT / "docs" / script).is_file() for script in scripts)
    pages = {path: path.read_text(encoding="utf-8") for path in built.rglob("*.html")}
    marks = {path: set(re.findall(r'\bid="([^"]+)"', text)) for path, text in pages.items()}
    lost = []
    for path, text in pages.items():
        assert not re.search(r'(?:src|srcset)="(?:https?:)?//|<link[^>]+href="(?:https?:)?//', text), path
        for target, mark in re.findall(r'href="([^":#]*)#([^"]+)"', text):
            there = (path.parent / target).resolve() if target else path
            if mark not in marks.get(there, set()):
                lost.append(f"{path.relative_to(built)}: {target}#{mark}")
    assert not lost


def test_the_site_is_searched_from_the_disk_without_a_network(built: Path) -> None:
    playwright = pytest.importorskip("playwright.sync_api")
    try:
        chromium = find_chromium()
    except EnvironmentFault as absent:
        pytest.skip(str(absent))
    asked: list[str] = []
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page()
        page.on("request", lambda request: asked.append(request.url))
        page.goto((built / "index.html").as_uri())
        page.locator("input[name=query]").click()
        page.locator("input[name=query]").press_sequentially("exactly once")
        playwright.expect(page.locator(".md-search-result__item").first).to_be_visible(timeout=60_000)
        browser.close()
    assert not [url for url in asked if not url.startswith(("file:", "data:", "blob:"))]
