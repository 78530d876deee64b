"""The three signs of a stall, and what is none."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol import ExecStatus
from roles.contracts import StepRecord
from roles.contracts.limits import stalled


def act(target: str = "Save", verb: str = "click", changed: bool = True, **more: Any) -> StepRecord:
    action = {"action_type": verb, "target": {"text": target}, **more}
    return StepRecord(
        step=1, subtask="a", action=action, verb=verb, target=target, exec_status=ExecStatus.EXECUTED, visible_change=changed
    )


def first_alarm(steps: list[StepRecord]) -> int | None:
    """After how many steps the detector speaks up, asked after each one as the Operator asks it."""
    return next((n for n in range(1, len(steps) + 1) if stalled(steps[:n])), None)


def distinct(count: int) -> list[StepRecord]:
    return [act(f"Item {n}") for n in range(count)]


def test_actions_that_repeat_are_a_stall_until_something_else_was_done() -> None:
    assert first_alarm([act()] * 12) == 3
    assert "3 times in a row: click Save" in stalled([act()] * 12)
    a, b = act("Next"), act("Back")
    assert first_alarm([a, b] * 6) == 4
    assert "in turn: click Next, click Back" in stalled([a, b, a, b])
    assert first_alarm([act(), act(), *distinct(12)]) is None
    assert not stalled([act(), act(), act(), act("Other")])


def test_actions_without_a_visible_change_are_a_stall_but_for_waits_failures_and_notes() -> None:
    still = [act(f"Item {n}", changed=False) for n in range(12)]
    assert first_alarm(still) == 3
    assert stalled(still) == "3 actions without a visible change"
    assert not stalled([act("a", changed=False), act("b", changed=True), act("c", changed=False)])
    waits = [act("", "wait", changed=False, seconds=1.0), act("", "screenshot", changed=False)]
    assert first_alarm(waits * 10) is None
    assert first_alarm([act(), *waits, act(), *waits, act()]) == 7
    failed = act("Next", changed=False).model_copy(update={"exec_status": ExecStatus.ERROR})
    assert not stalled([failed, act("Next"), act("Next")])
    assert stalled([failed, act("Next"), act("Next"), act("Next")])
    facts = [act("", "memorize", changed=False, name=f"n{n}", value=str(n)) for n in range(6)]
    assert first_alarm(facts) is None
    assert first_alarm([facts[0]] * 3) == 3


def test_two_actions_are_the_same_by_their_target_and_value_alone() -> None:
    assert first_alarm([act("Amount", "fill", text=str(n)) for n in range(12)]) is None
    assert first_alarm([act("Amount", "fill", text="1")] * 3) == 3
    same = [act().model_copy(update={"action": {"action_type": "click", "target": {"element_id": f"e{n}"}}}) for n in range(3)]
    assert stalled(same)
    assert stalled([act(delay=float(n)) for n in range(3)])


@pytest.mark.parametrize("repeats", [2, 4, 6])
def test_the_number_of_repeats_is_a_setting(repeats: int) -> None:
    assert not stalled([act()] * (repeats - 1), repeats)
    assert stalled([act()] * repeats, repeats)
    assert not stalled([act(str(n), changed=False) for n in range(repeats - 1)], repeats)
    assert stalled([act(str(n), changed=False) for n in range(repeats)], repeats)


def test_nothing_done_is_no_stall() -> None:
    assert stalled([]) == ""


verbs = st.sampled_from(["click", "fill", "press_key", "scroll", "wait", "memorize", "select_option"])


@given(st.lists(st.tuples(verbs, st.text(max_size=5), st.text(max_size=5)), unique=True, max_size=30))
def test_distinct_actions_that_change_something_never_are_a_stall(done: list[tuple[str, str, str]]) -> None:
    assert first_alarm([act(target, verb, text=text) for verb, target, text in done]) is None


@given(st.lists(st.booleans(), min_size=3, max_size=20), st.lists(st.sampled_from("abc"), min_size=20, max_size=20))
def test_a_run_that_ends_without_a_change_is_always_noticed(changes: list[bool], names: list[str]) -> None:
    steps = [act(name, changed=changed) for name, changed in zip(names, changes, strict=False)]
    if not any(changes[-3:]):
        assert stalled(steps)
