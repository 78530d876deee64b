"""Suites on real worlds: what is worked, what is skipped, and what becomes of processes that are killed."""

import json
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from worked.runs import deskcrew

from orchestrator.errors import UsageProblem
from orchestrator.lab.suite.engines import run_suite
from orchestrator.lab.suite.figures import compared, figures, passes, permuted, sign_test, wilson
from orchestrator.lab.suite.suite import ROWS, RUNS, EpisodeRow, Suite, episodes_of, load_suite, rows_in
from orchestrator.settings.layers import shipped_names

SMALL = Suite(
    tasks=("archive-reports", "no-such-invoice"), seeds=(0, 1), configurations={"whole": {}, "one-step": {"limits.steps": 1}}
)


def work(suite: Suite, folder: Path, **more: object) -> list[EpisodeRow]:
    return [progress.row for progress in run_suite(suite, folder, **more)]  # type: ignore[arg-type]


def test_a_suite_is_tasks_times_seeds_times_configurations_and_is_not_worked_twice(tmp_path: Path) -> None:
    rows = work(SMALL, tmp_path)
    assert len(rows) == 8
    assert [row.right for row in rows if row.configuration == "whole"] == [True] * 4
    short = [row for row in rows if row.configuration == "one-step" and row.task == "archive-reports"]
    assert [(row.right, row.false_done, row.status) for row in short] == [(False, False, "rejected")] * 2
    assert all((tmp_path / row.run / "report.json").exists() for row in rows)
    (odd,) = work(Suite(tasks=("no-such-invoice",), configurations={"odd": {"limits.stepz": 1}}), tmp_path / "odd")
    assert (odd.status, odd.right, "stepz" in odd.reason) == ("error", False, True)
    assert work(SMALL, tmp_path) == []
    failed = work(SMALL, tmp_path, again=True)
    assert {row.configuration for row in failed} == {"one-step"}
    assert len(list((tmp_path / RUNS).iterdir())) == len(rows_in(tmp_path)) == 8


def test_filters_choose_tasks_and_every_shipped_suite_has_some(tmp_path: Path) -> None:
    assert {e.task for e in episodes_of(Suite(kinds=("refuse",), without=("deceptive",)))} < {
        e.task for e in episodes_of(Suite())
    }
    for name in shipped_names("suites"):
        assert episodes_of(load_suite(name)), name
    with pytest.raises(UsageProblem, match="none matches; did you mean"):
        episodes_of(Suite(tasks=("clam-two-invoices",)))
    with pytest.raises(UsageProblem, match="No task matches"):
        episodes_of(Suite(tiers=(9,)))


def test_what_is_wrong_with_a_file_or_a_folder_is_told(tmp_path: Path) -> None:
    (tmp_path / "bad.yaml").write_text("seeds: [0]\nrepeat: 3\n")
    with pytest.raises(UsageProblem, match=r"bad\.yaml, line 2: unknown key 'repeat'"):
        load_suite(str(tmp_path / "bad.yaml"))
    (tmp_path / "bad.yaml").write_text("configurations:\n  odd: {limits.stepz: 1}\n")
    with pytest.raises(UsageProblem, match=r"bad\.yaml, line 2: configuration 'odd': unknown key 'limits\.stepz'; did you mean"):
        load_suite(str(tmp_path / "bad.yaml"))
    with pytest.raises(UsageProblem, match="did you mean 'smoke'"):
        load_suite("smok")
    with pytest.raises(UsageProblem, match="is not a folder of a suite"):
        rows_in(tmp_path)
    work(SMALL.model_copy(update={"seeds": (0,)}), tmp_path / "out")
    with pytest.raises(UsageProblem, match="other seeds"):
        work(SMALL, tmp_path / "out")
    row = next((tmp_path / "out" / ROWS).iterdir())
    row.write_text("{")
    with pytest.raises(UsageProblem, match="is damaged"):
        rows_in(tmp_path / "out")


def test_the_command_works_shows_and_compares(tmp_path: Path) -> None:
    out, file = str(tmp_path / "out"), tmp_path / "two.yaml"
    file.write_text("tasks: [no-such-invoice]\nconfigurations: {a: {}, b: {limits.steps: 1}}\n")
    assert deskcrew("suite", "run", file, "--out", out)[0] == 0
    shown = json.loads(deskcrew("suite", "show", out, "--json")[1])
    assert {line["group"]: line["right"] for line in shown}["a"] == 1
    assert json.loads(deskcrew("suite", "compare", f"{out}:a", f"{out}:b", "--json")[1])["pairs"] == 1
    assert deskcrew("suite", "compare", out, out)[0] == 2
    assert '"suite": "smoke"' in deskcrew("suite", "list", "--json")[1]


def row(task: str = "a", right: bool = True, *, repeat: int = 0, seed: int = 0, name: str = "x", **more: object) -> EpisodeRow:
    data = {"configuration": name, "task": task, "seed": seed, "repeat": repeat, "tier": 1, "kinds": ("edit",), "right": right}
    return EpisodeRow.model_validate(data | {"status": "fulfilled", "false_done": False, "reason": ""} | more)


def test_wilsons_interval_is_the_published_one() -> None:
    low, high = wilson(8, 10)
    assert (round(low, 4), round(high, 4)) == (0.4902, 0.9433)
    assert wilson(0, 0) == (0.0, 1.0)
    assert wilson(0, 20)[0] == 0.0


@given(st.lists(st.booleans(), min_size=1, max_size=7), st.data())
def test_pass_at_k_is_the_share_of_all_draws(rights: list[bool], data: st.DataObject) -> None:
    k = data.draw(st.integers(1, len(rights)))
    draws = list(combinations(rights, k))
    told = passes(rights, k)
    assert told == pytest.approx((sum(map(any, draws)) / len(draws), sum(map(all, draws)) / len(draws)))
    assert passes(rights) == (any(rights), all(rights))


def test_a_k_of_ones_own_is_at_most_the_number_of_repeats() -> None:
    two = [row("a", True), row("a", False, repeat=1), row("b", True), row("b", True, repeat=1)]
    (line,) = figures(two)
    assert (line.share, line.pass_at_k, line.pass_hat_k) == (0.75, 1.0, 0.5)
    rows = [row(right=n < 2, repeat=n) for n in range(4)]
    (line,) = figures(rows, k=2)
    assert (line.pass_at_k, line.pass_hat_k) == pytest.approx((5 / 6, 1 / 6))
    with pytest.raises(UsageProblem, match="--k 5: a task and seed has 4 repeats"):
        figures(rows, k=5)


def test_groups_are_told_apart_and_false_done_is_counted() -> None:
    rows = [row(name="x"), row(name="y", right=False, false_done=True), row("b", name="y", oracle_steps=3, steps=5)]
    lines = {line.group: line for line in figures(rows)}
    assert (lines["y"].false_done, lines["y"].over_oracle) == (1, 2)
    assert lines["x"].over_oracle is None
    assert [line.group for line in figures(rows, "task")] == ["x a", "y a", "y b"]
    with pytest.raises(UsageProblem, match="--by"):
        figures(rows, "moon")


def test_paired_differences_are_exact() -> None:
    assert sign_test(0, 0) == 1.0
    assert sign_test(0, 6) == pytest.approx(0.03125)
    assert sign_test(3, 3) == 1.0
    assert permuted([1.0] * 12) < 0.01
    assert permuted([1.0, -1.0] * 6) > 0.9
    assert permuted([2.0, 1.0, -0.5]) == permuted([2.0, 1.0, -0.5])
    first = [row(f"t{n}", n >= 6, name="x", steps=4) for n in range(10)]
    second = [row(f"t{n}", True, name="y", steps=6) for n in range(10)]
    found = compared(first, second, ("x", "y"))
    assert (found.pairs, found.only_first, found.only_second, found.difference) == (10, 0, 6, 0.6)
    assert found.p == pytest.approx(0.03125)
    assert found.steps == 2.0
    with pytest.raises(UsageProblem, match="in common"):
        compared(first, [row("other")], ("x", "y"))
