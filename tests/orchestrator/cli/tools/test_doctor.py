"""The doctor: what is wrong stands with its fix, what is merely lacking is no failure, and nothing is claimed untried."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from environments.sandbox import detect
from environments.sandbox.contract import NoSandbox
from orchestrator.cli.tools import checks


@pytest.fixture
def no_sandbox() -> Iterator[None]:
    detect.installed.cache_clear()
    yield
    detect.installed.cache_clear()


def test_without_a_sandbox_it_says_why_and_what_to_do(no_sandbox: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(detect, "find", lambda *_: NoSandbox("scripts need a sandbox, and there is no bwrap; install bubblewrap"))
    found = checks.sandbox()
    assert found.ok
    assert "there is no bwrap" in found.found
    assert found.fix == "install bubblewrap"


def test_a_browser_that_does_not_start_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = tmp_path / "chromium"
    broken.write_text("#!/bin/sh\nexit 7\n")
    broken.chmod(0o755)
    monkeypatch.setenv("DESKCREW_CHROMIUM", str(broken))
    found = checks.browser()
    assert found.ok
    assert "ends with 7" in found.found
    assert "DESKCREW_CHROMIUM" in found.fix


def test_without_playwright_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "playwright.async_api", None)
    assert checks.browser().fix == "pip install 'deskcrew[browser]'"
