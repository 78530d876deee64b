"""The public face: what `import deskcrew` gives, what it costs, and what it says where another package has our names."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
from typer.testing import CliRunner

import deskcrew
import orchestrator
from deskcrew.shadowing import LANDMARKS
from orchestrator.cli import app

ROOT = Path(__file__).resolve().parents[2]


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *words], cwd=folder, capture_output=True, text=True, timeout=120)


@pytest.mark.parametrize("name", deskcrew.__all__)
def test_every_name_is_there(name: str) -> None:
    assert getattr(deskcrew, name) is getattr(import_module(deskcrew._HOMES[name]), name)


def test_what_scripts_take_from_the_orchestrator_is_there_as_before() -> None:
    assert (orchestrator.Crew, orchestrator.UsageProblem) == (deskcrew.Crew, deskcrew.UsageProblem)


def test_a_name_that_is_not_there_is_told_as_python_does() -> None:
    for module in (deskcrew, orchestrator):
        with pytest.raises(AttributeError, match=f"module '{module.__name__}' has no attribute 'Crews'"):
            module.Crews  # noqa: B018


def test_what_types_see_is_what_runs() -> None:
    text = (ROOT / "deskcrew/__init__.py").read_text("utf-8")
    typed = {(name, home) for home, name in re.findall(r"^    from (\S+) import \w+ as (\w+)$", text, re.MULTILINE)}
    assert typed == set(deskcrew._HOMES.items())


def test_importing_the_face_and_the_plugin_loads_nothing_of_ours(tmp_path: Path) -> None:
    heavy = "{'orchestrator', 'roles', 'environments', 'protocol', 'langgraph', 'pydantic', 'yaml'}"
    code = f"import sys, deskcrew, deskcrew.pytest_plugin; print({heavy} & set(sys.modules))"
    assert run(tmp_path, "-c", code).stdout.strip() == "set()"


def test_every_package_says_that_it_is_typed() -> None:
    assert all((ROOT / name / "py.typed").exists() for name in LANDMARKS)


def test_the_command_says_whose_package_has_a_name_of_ours(tmp_path: Path) -> None:
    (tmp_path / "roles.py").write_text("")
    done = run(tmp_path, "-m", "deskcrew", "doctor")
    assert done.returncode == 1
    assert done.stderr.startswith(f"deskcrew: the package 'roles' is {tmp_path}/roles.py here, not that of deskcrew; start ")
    assert len(done.stderr.splitlines()) == 1


def test_the_doctor_names_what_would_be_imported_instead_in_this_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, ["doctor"])
    assert "✓ names     no other package shadows deskcrew" in done.output
    (tmp_path / "protocol").mkdir()
    (tmp_path / "protocol/__init__.py").write_text("")
    done = CliRunner().invoke(app, ["doctor"])
    assert f"– names     a package name of deskcrew is shadowed by {tmp_path}/protocol/__init__.py\n" in done.output
    assert "fix: start Python in another folder" in done.output
