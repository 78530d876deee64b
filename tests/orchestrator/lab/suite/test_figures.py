"""Figures of rows, held against values that are known."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.errors import UsageProblem
from orchestrator.lab.suite.figures import compared, figures, passes, permuted, sign_test, wilson
from orchestrator.lab.suite.suite import EpisodeRow


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
    assert lines["y"].false_done == 1
    assert lines["y"].over_oracle == 2
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
