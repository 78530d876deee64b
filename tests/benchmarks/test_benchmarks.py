"""Benchmarks on small samples: what they show, their limits, and that they go on where they were stopped."""

import json
import random
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import goal_mutations
import pytest
import wrong_done

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


# --- the benchmark of gates and replanning, on a small sample: it shows what they buy, and goes on where it was stopped


def test_gates_stop_what_is_not_so_and_replanning_puts_it_right(
    tmp_path: Path, measured: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="2"):
        measured("ablation", "--json", "--arms", "wishes")
    assert "there is no 'wishes'; there are gates and replanning" in capsys.readouterr().err
    rows, picture = tmp_path / "rows.jsonl", tmp_path / "bars.svg"
    sample = ["--tasks", "mail-the-total,invoice-to-reimbursement", "--troubles", "worker:0.1"]
    told = measured("ablation", "--json", *sample, "--rows", str(rows), "--picture", str(picture))
    whole, gates, _, neither = told["cells"]
    assert [cell["crew"] for cell in told["cells"]] == ["gates and replanning", "gates only", "replanning only", "neither"]
    assert whole["right"] > max(gates["right"], neither["right"])
    assert neither["false_complete"] > 0 == whole["false_complete"] == gates["false_complete"]
    assert gates["plans"] == 1.0 < whole["plans"]
    assert ElementTree.parse(picture).getroot().tag.endswith("svg")

    lines = rows.read_text(encoding="utf-8").splitlines()
    rows.write_text("\n".join(lines[:-1]) + "\n" + lines[-1][:20] + "\n", encoding="utf-8")
    again = measured("ablation", "--json", *sample, "--rows", str(rows))
    assert again["cells"][:3] == told["cells"][:3]
    assert len(rows.read_text(encoding="utf-8").splitlines()) == len(lines) + 1, "only the row that was cut short is worked again"


# --- hasty, forgetful or inventive work is not called fulfilled where the judge refuses it, nor are goals of another meaning


SETTINGS: tuple[str, ...] = ()


def test_no_mistake_of_a_manager_or_a_worker_is_called_done() -> None:
    mistakes = [(role, mistake) for role, kinds in wrong_done.ROLES.items() for mistake in kinds]
    every = [wrong_done.Asked(goal, 0, *mistake) for goal in wrong_done.GOALS for mistake in mistakes]
    rows = [wrong_done.work(asked, SETTINGS) for asked in random.Random(3).sample(every, 20)]
    assert [row for row in rows if row.past] == []
    assert sum(bool(row.what) for row in rows) > 8


@pytest.mark.parametrize(
    ("goal", "role", "mistake"), [("overdue-sum-into-a-note", "operator", "alters"), ("count-the-log-lines", "manager", "stops")]
)
def test_a_list_of_others_and_a_message_left_out_after_a_script_are_not_called_done(goal: str, role: str, mistake: str) -> None:
    row = wrong_done.work(wrong_done.Asked(goal, 0, role, mistake), SETTINGS)
    assert row.what
    assert row.status == "rejected"


@pytest.mark.parametrize("goal", ["delete-all-notes", "claim-the-unpaid", "two-settings"])
def test_a_goal_of_another_meaning_does_not_end_as_the_goal_as_it_was(goal: str) -> None:
    rows = list(goal_mutations.rows_of(4, 0, SETTINGS, [goal]))
    assert len(rows) > 1
    assert [row for row in rows if row.wrong] == []
