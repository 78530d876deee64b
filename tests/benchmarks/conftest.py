"""The scripts of benchmarks/, as modules under names of their own."""

import importlib.util
import json
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "benchmarks"


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], ModuleType]:
    def load(name: str) -> ModuleType:
        spec = importlib.util.spec_from_file_location(f"{name}_benchmark", FOLDER / f"{name}.py")
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, spec.name, module)
        spec.loader.exec_module(module)
        return module

    return load


@pytest.fixture
def measured(script: Callable[[str], ModuleType], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    """A script run with these arguments: what it prints as JSON, with `--json`, or else as text."""

    def run(name: str, *arguments: str) -> Any:
        monkeypatch.setattr(sys, "argv", [f"{name}.py", *arguments])
        script(name).main()
        said = capsys.readouterr().out
        return json.loads(said) if "--json" in arguments else said

    return run
