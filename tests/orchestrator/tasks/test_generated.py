"""Tasks that are generated from app cards: what must pass their judges, and what must not."""

import json
import random
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

from orchestrator.cli import app
from orchestrator.lab.suite.suite import EpisodeSpec, outcome_of
from orchestrator.tasks import generated
from orchestrator.tasks.check import check_tasks
from orchestrator.tasks.generated import SEEDS, draft, survivors
from orchestrator.tasks.tasks import Task, fill_slots, load_task

WORLDS = ("office", "people", "smart-home")
UNSEEN = max(SEEDS) + 4
"""A seed in which no draft was tried."""


def tasks(seed: int, most: int, worlds: tuple[str, ...] = WORLDS) -> list[Task]:
    drawn = (draft(number, seed, worlds) for number in range(10 * most))
    good = (Task.model_validate(data) for one, data in drawn if not one.why)
    return [task for task, _ in zip(good, range(most), strict=False)]


def test_the_oracle_passes_and_no_mutant_does_also_in_a_world_in_which_the_task_was_not_tried() -> None:
    for task in tasks(0, 4):
        for seed in (*SEEDS, UNSEEN):
            wrong, tried = survivors(task, seed)
            assert not wrong, f"{task.goal} ({seed})"
            assert tried >= 3


@pytest.mark.slow("sixteen tasks, each with some twenty mutants; benchmarks/generated_tasks.py tries thousands")
def test_of_many_generated_tasks_no_mutant_passes() -> None:
    worlds = ("bookkeeping-lured", "diary", "errands", "office", "people", "phone", "smart-home", "workshop")
    found = tasks(2, 16, worlds)
    assert len(found) == 16
    assert not [(task.goal, wrong) for task in found if (wrong := survivors(task, SEEDS[1])[0])]


def test_which_mutants_are_tried_does_not_depend_on_the_order_in_which_a_world_gives_its_records(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given = generated.items_at
    with_records = [task for task in tasks(0, 8) if task.slots]
    assert with_records
    for task in with_records:
        where = generated.stage(str(task.world), 0)
        slots, tried = fill_slots(task, where.initial, 0), []
        for ways in (list, lambda items: [*reversed(items)]):
            monkeypatch.setattr(generated, "items_at", lambda path, world, ways=ways: ways(given(path, world)))
            tried.append([*generated._mutants(task, where, slots, random.Random(0))])
        assert tried[0] == tried[1]


@pytest.mark.parametrize("key", ["success", "changes"])
def test_a_judge_that_asks_too_little_is_found_out(key: str) -> None:
    """Without its conditions, or with everything allowed to change, a mutant of every task passes."""
    other = tasks(0, 1)[0].model_copy(update={"oracle": ('call notes.create_note(title="Something else")',)})
    assert "the oracle does not pass" in survivors(other, 0)[0]
    for task in tasks(1, 5):
        weak = task.model_copy(update={"success": ()} if key == "success" else {"changes": ("apps.*",)})
        assert any("passes" in why for why in survivors(weak, 0)[0]), task.goal


def test_the_command_writes_files_that_check_and_run_as_any_others_and_goes_on_where_it_stopped(tmp_path: Path) -> None:
    folder, given = tmp_path / "tasks", ["lab", "tasks", "--world", "office", "--world", "people", "--json"]
    first, again, whole = (
        json.loads(CliRunner().invoke(app, [*given, "-n", most, "--out", str(out)]).stdout)
        for most, out in (("2", folder), ("3", folder), ("3", tmp_path / "whole"))
    )
    assert first["tasks"] == 2
    assert again == whole
    files = sorted(folder.glob("*.yaml"))
    assert [path.read_bytes() for path in files] == [path.read_bytes() for path in sorted((tmp_path / "whole").glob("*.yaml"))]
    for checked in check_tasks([str(path) for path in files], 3):
        assert not checked.problems
    task = load_task(files[0])
    assert yaml.safe_load(files[0].read_text(encoding="utf-8"))["goal"] == task.goal
    outcome = outcome_of(EpisodeSpec(configuration="rules", task=str(files[0]), seed=0), tmp_path / "runs")
    assert outcome.report["judge"]["oracle_steps"] == len(task.oracle or ())
