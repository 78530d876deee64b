"""The benchmark of models, without one: its control arms, its limits, and that it goes on where it was stopped."""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from orchestrator.settings.layers import shipped
from orchestrator.tasks.tasks import load_task

pytestmark = pytest.mark.slow("a benchmark")

SCRIPT = Path(__file__).resolve().parents[2] / "benchmarks" / "models.py"
Measured = Callable[..., list[dict[str, Any]]]


@pytest.fixture
def models(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    spec = importlib.util.spec_from_file_location("models_benchmark", SCRIPT)
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "models_benchmark", module)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def measured(models: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Measured:
    """The rows after the script was run with these arguments."""

    def run(*arguments: str, rows: str = "rows.jsonl") -> list[dict[str, Any]]:
        monkeypatch.setattr(sys, "argv", ["models.py", "--seeds", "100", "--rows", str(tmp_path / rows), *arguments])
        models.main()
        return [json.loads(line) for line in (tmp_path / rows).read_text(encoding="utf-8").splitlines()]

    return run


def test_the_crew_works_without_a_model_by_the_first_move_and_by_drawn_ones(
    measured: Measured, capsys: pytest.CaptureFixture[str]
) -> None:
    told = measured("--tasks", "add-to-a-note", "--arms", "first,chance", "--draws", "2")
    assert [(row["arm"], row["draw"]) for row in told] == [("first", 0), ("chance", 0), ("chance", 1)]
    assert told[0]["passed"]
    assert told[0]["calls"] > 0
    assert "| add-to-a-note | - | - | 1/1, 0 |" in capsys.readouterr().out


def test_drawn_moves_are_the_same_in_every_measurement_and_others_in_every_draw(measured: Measured) -> None:
    sample = ["--tasks", "cancel-the-order", "--arms", "chance", "--draws", "2"]
    first, second = measured(*sample), measured(*sample, rows="again.jsonl")
    assert [row | {"seconds": 0, "why": ""} for row in first] == [row | {"seconds": 0, "why": ""} for row in second]
    assert first[0]["tokens_in"] != first[1]["tokens_in"]


def test_what_was_measured_is_not_measured_again(measured: Measured) -> None:
    sample = ["--tasks", "add-to-a-note", "--arms", "first"]
    assert measured(*sample) == measured(*sample)


def test_the_steps_of_a_run_follow_its_oracle_within_bounds(models: ModuleType) -> None:
    allowed = {name: models.steps_allowed(load_task(shipped("tasks", f"{name}.yaml"))) for name in models.TASKS}
    assert min(allowed.values()) >= models.FEWEST
    assert max(allowed.values()) == models.MOST
    assert allowed["add-to-a-note"] < allowed["cancel-the-order"] < allowed["mail-the-total"]
