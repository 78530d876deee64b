"""The site of the documents: every page has its place, the reference is what the code says, and nothing comes from elsewhere."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

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


def test_the_site_is_built_strictly_and_loads_nothing_from_elsewhere() -> None:
    assert SITE["strict"] is True
    assert SITE["theme"]["font"] is False
    assert not {"extra_javascript", "extra_css"} & set(SITE)
    assert os.access(ROOT / "scripts" / "docs", os.X_OK)


def test_the_reference_is_what_the_code_says() -> None:
    words = [sys.executable, ROOT / "scripts" / "reference.py", "--check"]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_reference_names_every_command_and_key() -> None:
    from orchestrator.commands import PARTS
    from orchestrator.settings import load_settings, show_config

    commands = (ROOT / "docs/reference/commands.md").read_text(encoding="utf-8")
    assert not [name for name in PARTS if f"### `deskcrew {name}`" not in commands]
    keys = (ROOT / "docs/reference/settings.md").read_text(encoding="utf-8")
    assert not [line.key for line in show_config(load_settings()) if f"| `{line.key}` |" not in keys]
