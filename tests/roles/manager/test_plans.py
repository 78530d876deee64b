"""Plans: each mistake is one sentence that names the subtask; what is ready is what nothing waits for."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from roles.contracts import AppWords, Subtask
from roles.contracts.signals import SubtaskStatus
from roles.manager.plans import PlanError, levels, next_ready, validate_plan

APPS = (AppWords(app="mail", title="Mail"), AppWords(app="notes", title="Notes"))


def subtask(name: str, *after: str, **more: Any) -> Subtask:
    return Subtask(id=name, title=name, instruction=f"do {name}", depends_on=after, **more)


@pytest.mark.parametrize(
    ("plan", "named", "said"),
    [
        ([subtask("a"), subtask("b"), subtask("a")], ["'a'"], "is used twice"),
        ([subtask("a", "z")], ["'a'", "'z'"], "which is not in the plan"),
        ([subtask("a", "b"), subtask("b", "a")], ["a", "b", "->"], "wait for each other"),
        ([subtask("a", "a")], ["a -> a"], "wait for each other"),
        ([subtask("x"), subtask("a", "c"), subtask("b", "a"), subtask("c", "b")], ["a", "b", "c"], "wait for each other"),
        ([subtask("a", app="maill")], ["'a'", "'maill'", "mail, notes"], "wants the application"),
    ],
)
def test_a_mistake_in_a_plan_is_one_sentence(plan: list[Subtask], named: list[str], said: str) -> None:
    with pytest.raises(PlanError, match=said) as caught:
        validate_plan(plan, APPS)
    assert "\n" not in str(caught.value)
    for word in named:
        assert word in str(caught.value)


@pytest.mark.parametrize("name", ["", "a b", "ä", "a/b", "a\n"])
def test_an_id_that_could_not_stand_in_a_key_is_refused(name: str) -> None:
    with pytest.raises(ValidationError):
        subtask(name)


def test_a_subtask_is_ready_when_all_it_waits_for_is_fulfilled_and_one_that_was_begun_comes_first() -> None:
    done, open_, failed = SubtaskStatus.FULFILLED, SubtaskStatus.READY, SubtaskStatus.REJECTED
    a = subtask("a", status=done)
    for plan, ready in (
        ([a, subtask("b", "a", "c", status=open_), subtask("c", "a", status=open_)], "c"),
        ([subtask("a", status=SubtaskStatus.PENDING), subtask("b")], "a"),
        ([subtask("a", status=failed), subtask("b", "a")], ""),
        ([a], ""),
    ):
        found = next_ready(plan)
        assert (found.id if found else "") == ready


edges = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=12)


@given(edges)
def test_subtasks_of_a_level_are_independent_and_wait_for_earlier_levels_only(pairs: list[tuple[int, int]]) -> None:
    waits = {f"s{n}": sorted({f"s{b}" for a, b in pairs if a == n and b < n}) for n in range(7)}
    found = levels(waits)
    place = {name: number for number, level in enumerate(found) for name in level}
    assert sorted(place) == sorted(waits)
    for name, others in waits.items():
        assert place[name] == max((place[other] + 1 for other in others), default=0)
