"""Verified data: rows that repeat to their rewards, pairs whose ends differ, and rows that were tampered with."""

import json
from functools import partial
from pathlib import Path

import pytest
from worked.runs import deskcrew

from orchestrator.errors import UsageProblem
from orchestrator.lab.gates.trajectories import PAIRS, TRAJECTORIES, Pair, Trajectory, collect, difference, gathered, read_rows
from orchestrator.lab.suite.engines import run_suite
from orchestrator.lab.suite.suite import ROWS, EpisodeRow, EpisodeSpec, Suite, episodes_of, work

ARCHIVE = EpisodeSpec(configuration="rules", task="archive-reports", seed=0)
Found = tuple[Trajectory, list[Pair]]


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Found:
    """Of one run, with another decision tried at every one of its screens."""
    folder = tmp_path_factory.mktemp("rollouts")
    row = work(ARCHIVE, folder, examine=partial(collect, pairs=100, seed=0))
    run, *pairs = read_rows(folder / ROWS / f"{ARCHIVE.name}.jsonl")
    assert (row.right, row.dropped, row.lines) == (True, 0, 1 + len(pairs))
    assert isinstance(run, Trajectory)
    return run, [pair for pair in pairs if isinstance(pair, Pair)]


def test_a_run_is_a_row_with_what_each_role_is_told_and_decides_and_the_judges_reward(found: Found) -> None:
    run, _ = found
    assert run.reward == 1.0
    assert (run.world, run.seed, run.ending.status) == ("company", 0, "fulfilled")
    assert {choice.role for choice in run.choices} == {"operator", "evaluator"}
    assert [c.decision["decision"] for c in run.choices if c.role == "evaluator"] == ["gate_done", "gate_done"]
    told = next(choice.prompt for choice in run.choices if choice.role == "operator" and choice.prompt)
    assert [message.role for message in told] == ["system", "user"]
    assert "Archive" in told[1].content
    assert not difference(run)


def test_both_decisions_of_a_pair_are_for_the_same_screen_and_repeat_to_their_rewards(found: Found) -> None:
    assert found[1]
    for pair in found[1]:
        chosen, rejected = pair.ways
        assert chosen[0].seen == rejected[0].seen
        assert pair.chosen != pair.rejected
        assert pair.rewards == (1.0, 0.0)
        assert not difference(pair)


def test_a_row_that_was_tampered_with_is_refused_also_by_the_command(found: Found, tmp_path: Path) -> None:
    run, pair, path = found[0], found[1][0], tmp_path / "rows.jsonl"
    lies = run.model_copy(update={"reward": 0.0})
    assert "cannot be repeated" in difference(run.model_copy(update={"choices": run.choices[:-1]}))
    assert "cannot be repeated" in difference(run.model_copy(update={"seed": 1}))
    assert difference(pair.model_copy(update={"ways": pair.ways[::-1]}))
    assert difference(pair.model_copy(update={"ways": pair.ways[::-1], "rewards": pair.rewards[::-1]}))
    path.write_text(run.model_dump_json() + "\n", encoding="utf-8")
    code, said = deskcrew("lab", "rollouts", "--verify", path, "--json")
    assert (code, json.loads(said)) == (0, {"rows": 1, "wrong": 0})
    path.write_text(f"{run.model_dump_json()}\n{lies.model_dump_json()}\n", encoding="utf-8")
    code, said = deskcrew("lab", "rollouts", "--verify", path)
    assert (code, "line 2: its reward is 1, and the row says 0" in said) == (1, True)


def test_a_damaged_line_and_a_command_without_a_suite_are_refused_in_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"kind": "trajectory", "unheard": 1}\n', encoding="utf-8")
    with pytest.raises(UsageProblem, match=r"rows\.jsonl, line 1: trajectory\..*; delete the file, and the laboratory writes it"):
        list(read_rows(path))
    path.write_bytes(b"\xff\xfe\n")
    with pytest.raises(UsageProblem, match=r"rows\.jsonl, line 1: the whole: Invalid JSON"):
        list(read_rows(path))
    with pytest.raises(UsageProblem, match="There is no file"):
        list(read_rows(tmp_path / "none.jsonl"))
    assert deskcrew("lab", "rollouts")[0] == 2


def test_a_folder_is_gone_on_with_and_has_all_rows_in_two_files(tmp_path: Path) -> None:
    suite = Suite(tasks=("archive-reports", "no-such-app"))

    def worked(only: str, pairs: int = 2) -> list[EpisodeRow]:
        examine = partial(collect, pairs=pairs, seed=0)
        return [one.row for one in run_suite(suite, tmp_path, only=only, examine=examine, purpose=f"{pairs} pairs", workers=2)]

    (first,) = worked("archive-*")
    assert [(row.task, row.lines) for row in worked("*")] == [("no-such-app", 1)]
    gathered(episodes_of(suite), tmp_path)
    tasks = [row.task["id"] for row in read_rows(tmp_path / TRAJECTORIES)]
    assert tasks == ["archive-reports", "no-such-app"]
    assert len(list(read_rows(tmp_path / PAIRS))) == first.lines - 1
    next((tmp_path / "rows").glob("*no-such-app*.jsonl")).unlink()
    assert [(row.task, row.lines) for row in worked("*")] == [("no-such-app", 1)], "what a person deletes is written again"
    with pytest.raises(UsageProblem, match="rows of a suite with other purpose"):
        worked("*", pairs=3)
    with pytest.raises(UsageProblem, match="rows of a suite with other purpose"):
        next(run_suite(suite, tmp_path))


def test_a_task_that_does_not_begin_the_same_way_twice_is_not_worked(tmp_path: Path) -> None:
    suite = tmp_path / "browser.yaml"
    suite.write_text("tasks: [archive-reports]\nconfigurations: {browser: {environment: browser}}\n")
    code, said = deskcrew("lab", "rollouts", suite, "--out", tmp_path / "out", "--json")
    assert (code, json.loads(said)["trajectories"]) == (0, 0)
