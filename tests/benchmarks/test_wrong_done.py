"""Hasty, forgetful or inventive work is not called fulfilled where the judge refuses it, nor are goals of another meaning."""

from __future__ import annotations

import importlib
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow("a benchmark")

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
SETTINGS: tuple[str, ...] = ()


@pytest.fixture(scope="module")
def scripts() -> Iterator[Any]:
    sys.path.insert(0, str(BENCHMARKS))
    try:
        yield importlib.import_module("wrong_done"), importlib.import_module("goal_mutations")
    finally:
        sys.path.remove(str(BENCHMARKS))


def test_no_mistake_of_a_manager_or_a_worker_is_called_done(scripts: Any) -> None:
    wrong_done, _ = scripts
    mistakes = [(role, mistake) for role, kinds in wrong_done.ROLES.items() for mistake in kinds]
    every = [wrong_done.Asked(goal, 0, *mistake) for goal in wrong_done.GOALS for mistake in mistakes]
    rows = [wrong_done.work(asked, SETTINGS) for asked in random.Random(3).sample(every, 20)]
    assert [row for row in rows if row.past] == []
    assert sum(bool(row.what) for row in rows) > 8


@pytest.mark.parametrize(
    ("goal", "role", "mistake"), [("overdue-sum-into-a-note", "operator", "alters"), ("count-the-log-lines", "manager", "stops")]
)
def test_a_list_of_others_and_a_message_left_out_after_a_script_are_not_called_done(
    scripts: Any, goal: str, role: str, mistake: str
) -> None:
    row = scripts[0].work(scripts[0].Asked(goal, 0, role, mistake), SETTINGS)
    assert row.what
    assert row.status == "rejected"


@pytest.mark.parametrize("goal", ["delete-all-notes", "claim-the-unpaid", "two-settings"])
def test_a_goal_of_another_meaning_does_not_end_as_the_goal_as_it_was(scripts: Any, goal: str) -> None:
    rows = list(scripts[1].rows_of(4, 0, SETTINGS, [goal]))
    assert len(rows) > 1
    assert [row for row in rows if row.wrong] == []
