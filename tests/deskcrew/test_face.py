"""The public face: what `import deskcrew` gives, what it costs, and what it says where another package has our names."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
from worked.runs import deskcrew as command

import deskcrew
import orchestrator
from deskcrew.shadowing import LANDMARKS

ROOT = Path(__file__).resolve().parents[2]


def test_every_name_is_there_and_one_that_is_not_is_told_as_python_does() -> None:
    for name, home in deskcrew._HOMES.items():
        assert getattr(deskcrew, name) is getattr(import_module(home), name)
    assert (orchestrator.Crew, orchestrator.UsageProblem) == (deskcrew.Crew, deskcrew.UsageProblem)
    for module in (deskcrew, orchestrator):
        with pytest.raises(AttributeError, match=f"module '{module.__name__}' has no attribute 'Crews'"):
            module.Crews  # noqa: B018


def test_what_types_see_is_what_runs() -> None:
    text = (ROOT / "deskcrew/__init__.py").read_text("utf-8")
    typed = {(name, home) for home, name in re.findall(r"^    from (\S+) import \w+ as (\w+)$", text, re.MULTILINE)}
    assert typed == set(deskcrew._HOMES.items())
    assert all((ROOT / name / "py.typed").exists() for name in LANDMARKS)


def test_the_command_says_whose_package_has_a_name_of_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert "✓ names     no other package shadows deskcrew" in command("doctor")[1]
    (tmp_path / "roles.py").write_text("")
    words = [sys.executable, "-m", "deskcrew", "doctor"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 1
    assert done.stderr.startswith(f"deskcrew: the package 'roles' is {tmp_path}/roles.py here, not that of deskcrew; start ")
    assert len(done.stderr.splitlines()) == 1
    said = command("doctor")[1]
    assert f"– names     a package name of deskcrew is shadowed by {tmp_path}/roles.py\n" in said
    assert "fix: start Python in another folder" in said
