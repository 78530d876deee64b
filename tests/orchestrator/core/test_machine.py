"""The table: every row, its guards, and that random signals always end it within the budgets."""

import pytest

from orchestrator.core.machine import (
    ANYWHERE,
    ROWS,
    Situation,
    TaskStatus,
    Totals,
    UnexpectedSignal,
    mermaid,
    row_for,
)
from roles.contracts.signals import Signal

MAX_PLANS, MAX_STEPS, MAX_GATES = 10, 30, 12


def test_the_situations_are_those_of_the_seed_each_is_reached_and_left_and_nothing_leaves_done() -> None:
    named = ["INIT", "GET_ACTION", "EXECUTE_ACTION", "QUALITY_CHECK", "PLAN", "SUPPLEMENT", "FINAL_CHECK", "DONE"]
    assert sorted(s.value for s in Situation) == sorted(named)
    reached = {Situation.INIT} | {row.next for row in ROWS}
    left = {row.situation for row in ROWS}
    assert reached == set(Situation)
    assert left == set(Situation) - {Situation.DONE}
    for signal in Signal:
        with pytest.raises(UnexpectedSignal):
            row_for(Situation.DONE, signal, Totals())


SEED = """
    INIT task_ended DONE
    INIT subtasks_waiting GET_ACTION
    GET_ACTION worker_success QUALITY_CHECK
    GET_ACTION cannot_execute PLAN
    GET_ACTION stale_progress QUALITY_CHECK
    GET_ACTION generate_action EXECUTE_ACTION
    GET_ACTION supplement SUPPLEMENT
    EXECUTE_ACTION executed GET_ACTION
    QUALITY_CHECK gate_fail PLAN
    QUALITY_CHECK gate_continue EXECUTE_ACTION
    QUALITY_CHECK gate_supplement SUPPLEMENT
    PLAN planned GET_ACTION
    SUPPLEMENT supplied PLAN
    FINAL_CHECK passed DONE
    FINAL_CHECK issues_found PLAN
"""
"""The seed's transitions without a guard; those of `gate_done` have a test of their own."""


@pytest.mark.parametrize("line", SEED.split("\n")[1:-1], ids=str.strip)
def test_each_transition_of_the_seed_is_a_row_whatever_the_totals(line: str) -> None:
    situation, signal, then = line.split()
    for totals in (Totals(0, 0), Totals(1, 0), Totals(0, 1), Totals(1, 1), Totals(0, 0, more=True)):
        assert row_for(Situation(situation), Signal(signal), totals).next is Situation(then)


@pytest.mark.parametrize("signal", ANYWHERE)
@pytest.mark.parametrize("situation", [s for s in Situation if s is not Situation.DONE])
def test_a_spent_budget_and_a_cancel_end_any_situation_as_rejected(situation: Situation, signal: Signal) -> None:
    row = row_for(situation, signal, Totals(retries_left=5, subtasks_left=5))
    assert (row.next, row.status) == (Situation.DONE, TaskStatus.REJECTED)


@pytest.mark.parametrize("signal", [Signal.ERROR, Signal.TIMEOUT])
def test_a_failed_execution_is_retried_while_the_retry_budget_lasts(signal: Signal) -> None:
    assert row_for(Situation.EXECUTE_ACTION, signal, Totals(retries_left=1)).next is Situation.GET_ACTION
    assert row_for(Situation.EXECUTE_ACTION, signal, Totals(retries_left=0)).next is Situation.PLAN


def test_a_passed_gate_leads_to_the_final_check_only_when_no_subtask_is_left() -> None:
    assert row_for(Situation.QUALITY_CHECK, Signal.GATE_DONE, Totals(subtasks_left=1)).next is Situation.GET_ACTION
    assert row_for(Situation.QUALITY_CHECK, Signal.GATE_DONE, Totals(subtasks_left=0)).next is Situation.FINAL_CHECK
    assert row_for(Situation.QUALITY_CHECK, Signal.GATE_DONE, Totals(subtasks_left=0, more=True)).next is Situation.PLAN
    assert row_for(Situation.QUALITY_CHECK, Signal.GATE_DONE, Totals(subtasks_left=1, more=True)).next is Situation.GET_ACTION


def test_only_a_passed_final_check_fulfils_a_task() -> None:
    fulfilling = [row for row in ROWS if row.status is TaskStatus.FULFILLED]
    assert [(row.situation, row.signal) for row in fulfilling] == [(Situation.FINAL_CHECK, Signal.PASSED)]


def test_no_two_rows_apply_at_once_and_the_diagram_shows_every_row() -> None:
    drawn = mermaid()
    for row in ROWS:
        assert f"{row.situation} --> {row.next}: {row.signal}" in drawn
        for totals in (Totals(0, 0), Totals(1, 0), Totals(0, 1), Totals(1, 1)):
            rows = [r for r in ROWS if (r.situation, r.signal) == (row.situation, row.signal)]
            assert sum(r.guard is None or r.guard(totals) for r in rows) <= 1, [r.name for r in rows]
