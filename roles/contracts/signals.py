"""The words that roles and hub exchange: statuses, triggers, decisions and signals. Source: seed 002."""

from enum import StrEnum
from typing import Literal, get_args


class SubtaskStatus(StrEnum):
    """Seed 002."""

    READY = "ready"
    PENDING = "pending"
    FULFILLED = "fulfilled"
    REJECTED = "rejected"

    @property
    def is_open(self) -> bool:
        """Whether it is still to be worked."""
        return self in {SubtaskStatus.READY, SubtaskStatus.PENDING}


class GateTrigger(StrEnum):
    """Why the Evaluator is asked (seed 002)."""

    PERIODIC_CHECK = "PERIODIC_CHECK"
    WORKER_STALE = "WORKER_STALE"
    WORKER_SUCCESS = "WORKER_SUCCESS"
    FINAL_CHECK = "FINAL_CHECK"


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

    def __repr__(self) -> str:
        return repr(self.value)  # as a person or a model wrote it, where pydantic says what it may be


GateDecision = Literal[Signal.GATE_DONE, Signal.GATE_FAIL, Signal.GATE_CONTINUE, Signal.GATE_SUPPLEMENT]
"""What the Evaluator answers (seed 002)."""
GATE_DECISIONS: tuple[GateDecision, ...] = get_args(GateDecision)


def gate_decision(word: str) -> GateDecision | None:
    """The decision of this name, such as `gate_done`; None where it is none."""
    return next((decision for decision in GATE_DECISIONS if decision == word), None)


ALLOWED_DECISIONS: dict[GateTrigger, frozenset[GateDecision]] = {
    GateTrigger.WORKER_SUCCESS: frozenset({Signal.GATE_DONE, Signal.GATE_FAIL, Signal.GATE_CONTINUE}),
    GateTrigger.WORKER_STALE: frozenset({Signal.GATE_CONTINUE, Signal.GATE_FAIL, Signal.GATE_SUPPLEMENT}),
    GateTrigger.PERIODIC_CHECK: frozenset(GATE_DECISIONS),
    GateTrigger.FINAL_CHECK: frozenset({Signal.GATE_DONE, Signal.GATE_FAIL}),
}
