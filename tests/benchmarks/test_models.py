"""The benchmark of models, without one: its control arms, its limits, and that it goes on where it was stopped."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from orchestrator.settings.layers import shipped
from orchestrator.tasks.tasks import load_task

pytestmark = pytest.mark.slow("a benchmark")


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_the_crew_works_without_a_model_by_the_first_move_and_by_drawn_ones(measured: Any, tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    words = ("--seeds", "100", "--tasks", "add-to-a-note", "--arms", "first,chance", "--draws", "2", "--rows", str(path))
    said, told = measured("models", *words), rows(path)
    assert [(row["arm"], row["draw"]) for row in told] == [("first", 0), ("chance", 0), ("chance", 1)]
    assert told[0]["passed"]
    assert told[0]["calls"] > 0
    assert "| add-to-a-note | - | - | 1/1, 0 |" in said
    measured("models", *words)
    assert rows(path) == told, "what was measured is not measured again"


def test_drawn_moves_are_the_same_in_every_measurement_and_others_in_every_draw(measured: Any, tmp_path: Path) -> None:
    paths = tmp_path / "first.jsonl", tmp_path / "second.jsonl"
    for path in paths:
        measured(
            "models", "--seeds", "100", "--tasks", "cancel-the-order", "--arms", "chance", "--draws", "2", "--rows", str(path)
        )
    first, second = map(rows, paths)
    assert [row | {"seconds": 0, "why": ""} for row in first] == [row | {"seconds": 0, "why": ""} for row in second]
    assert first[0]["tokens_in"] != first[1]["tokens_in"]


def test_the_steps_of_a_run_follow_its_oracle_within_bounds(script: Callable[[str], ModuleType]) -> None:
    models = script("models")
    allowed = {name: models.steps_allowed(load_task(shipped("tasks", f"{name}.yaml"))) for name in models.TASKS}
    assert min(allowed.values()) >= models.FEWEST
    assert max(allowed.values()) == models.MOST
    assert allowed["add-to-a-note"] < allowed["cancel-the-order"] < allowed["mail-the-total"]
