"""The words that roles and hub exchange: statuses, triggers, decisions and signals. Source: seed 002."""

from __future__ import annotations

from enum import StrEnum


class SubtaskStatus(StrEnum):
    """Seed 002."""

    READY = "ready"
    PENDING = "pending"
    FULFILLED = "fulfilled"
    REJECTED = "rejected"


class GateTrigger(StrEnum):
    """Why the Evaluator is asked (seed 002)."""

    PERIODIC_CHECK = "PERIODIC_CHECK"
    WORKER_STALE = "WORKER_STALE"
    WORKER_SUCCESS = "WORKER_SUCCESS"
    FINAL_CHECK = "FINAL_CHECK"


class GateDecision(StrEnum):
    """What the Evaluator answers (seed 002)."""

    DONE = "gate_done"
    FAIL = "gate_fail"
    SUPPLEMENT = "gate_supplement"
    CONTINUE = "gate_continue"


ALLOWED_DECISIONS: dict[GateTrigger, frozenset[GateDecision]] = {
    GateTrigger.WORKER_SUCCESS: frozenset({GateDecision.DONE, GateDecision.FAIL, GateDecision.CONTINUE}),
    GateTrigger.WORKER_STALE: frozenset({GateDecision.CONTINUE, GateDecision.FAIL, GateDecision.SUPPLEMENT}),
    GateTrigger.PERIODIC_CHECK: frozenset(GateDecision),
    GateTrigger.FINAL_CHECK: frozenset({GateDecision.DONE, GateDecision.FAIL}),
}


class Signal(StrEnum):
    """What a role reports to the hub; the left side of every row of the transition table."""

    TASK_OPEN = "task_open"
    SUBTASKS_WAITING = "subtasks_waiting"
    TASK_ENDED = "task_ended"
    PLANNED = "planned"
    NOTHING_LEFT = "nothing_left"
    SUPPLEMENT_NEEDED = "supplement_needed"
    PLAN_FAILED = "plan_failed"
    PLAN_REJECTED = "plan_rejected"
    INFEASIBLE = "infeasible"
    GENERATE_ACTION = "generate_action"
    WORKER_SUCCESS = "worker_success"
    STALE_PROGRESS = "stale_progress"
    CHECK_DUE = "check_due"
    YIELDED = "yielded"
    STEERED = "steered"
    """A person has said something that the plan is to mind."""
    CANNOT_EXECUTE = "cannot_execute"
    SUPPLEMENT = "supplement"
    EXECUTED = "executed"
    TIMEOUT = "timeout"
    ERROR = "error"
    NOTHING_HELD = "nothing_held"
    APPROVAL_PENDING = "approval_pending"
    APPROVAL_REJECTED = "approval_rejected"
    GATE_DONE = "gate_done"
    GATE_FAIL = "gate_fail"
    GATE_CONTINUE = "gate_continue"
    GATE_SUPPLEMENT = "gate_supplement"
    SUPPLIED = "supplied"
    NOTHING_FOUND = "nothing_found"
    PASSED = "passed"
    ISSUES_FOUND = "issues_found"
    NO_ANSWER = "no_answer"
    """Who decides for a role never gave an answer that could be used: asking again brings nothing."""
    BUDGET_SPENT = "budget_spent"
    CANCELLED = "cancelled"
