"""The controller's machine as a table that can be read. Pure: no LangGraph, no input or output. Source: seed 002."""

from collections.abc import Callable
from enum import StrEnum
from typing import NamedTuple, assert_never

from roles.contracts.signals import GATE_DECISIONS, GateDecision, Signal


class TaskStatus(StrEnum):
    """Seed 002."""

    CREATED = "created"
    PENDING = "pending"
    ON_HOLD = "on_hold"
    FULFILLED = "fulfilled"
    REJECTED = "rejected"


ENDED = frozenset({TaskStatus.FULFILLED, TaskStatus.REJECTED})
FAILURES = frozenset({Signal.CANNOT_EXECUTE, Signal.ERROR, Signal.TIMEOUT, Signal.APPROVAL_REJECTED, Signal.GATE_FAIL})
"""The current subtask did not come to what it was for."""
UNDONE = FAILURES - {Signal.APPROVAL_REJECTED} | {Signal.ISSUES_FOUND, Signal.GATE_SUPPLEMENT, Signal.SUPPLEMENT}
"""Something did not work, so that another plan is wanted."""


class Situation(StrEnum):
    """Seed 002's controller_situation."""

    INIT = "INIT"
    PLAN = "PLAN"
    GET_ACTION = "GET_ACTION"
    EXECUTE_ACTION = "EXECUTE_ACTION"
    QUALITY_CHECK = "QUALITY_CHECK"
    SUPPLEMENT = "SUPPLEMENT"
    FINAL_CHECK = "FINAL_CHECK"
    DONE = "DONE"


class Totals(NamedTuple):
    """What a guarded row looks at."""

    retries_left: int = 0
    """Of the current subtask attempt."""
    subtasks_left: int = 0
    """Not yet fulfilled, without the one that the gate just passed."""
    more: bool = False
    """The Manager has said that its plan is a part."""


Guard = Callable[[Totals], bool]


def _retries_left(totals: Totals) -> bool:
    return totals.retries_left > 0


def _no_retries(totals: Totals) -> bool:
    return not _retries_left(totals)


def _more_subtasks(totals: Totals) -> bool:
    return totals.subtasks_left > 0


def _more_to_plan(totals: Totals) -> bool:
    return totals.more and not _more_subtasks(totals)


def _last_subtask(totals: Totals) -> bool:
    return not _more_subtasks(totals) and not totals.more


class TransitionRow(NamedTuple):
    """In `situation`, on `signal` (and when `guard` holds), go to `next`."""

    situation: Situation
    signal: Signal
    next: Situation
    guard: Guard | None = None
    status: TaskStatus | None = None
    """What the task becomes, where that is not simply pending."""

    @property
    def label(self) -> str:
        """The signal, with the guard where there is one."""
        return self.signal + (f" [{self.guard.__name__.strip('_').replace('_', ' ')}]" if self.guard else "")

    @property
    def name(self) -> str:
        """`GET_ACTION --generate_action--> EXECUTE_ACTION`."""
        return f"{self.situation} --{self.label}--> {self.next}"


_S, _G = Situation, Signal


def _gate_rows(decision: GateDecision) -> tuple[TransitionRow, ...]:
    """Where a quality check leads that ended so."""
    match decision:
        case Signal.GATE_DONE:
            return (
                TransitionRow(_S.QUALITY_CHECK, decision, _S.GET_ACTION, _more_subtasks),
                TransitionRow(_S.QUALITY_CHECK, decision, _S.PLAN, _more_to_plan),
                TransitionRow(_S.QUALITY_CHECK, decision, _S.FINAL_CHECK, _last_subtask),
            )
        case Signal.GATE_FAIL:
            return (TransitionRow(_S.QUALITY_CHECK, decision, _S.PLAN),)
        case Signal.GATE_CONTINUE:
            return (TransitionRow(_S.QUALITY_CHECK, decision, _S.EXECUTE_ACTION),)
        case Signal.GATE_SUPPLEMENT:
            return (TransitionRow(_S.QUALITY_CHECK, decision, _S.SUPPLEMENT),)
        case _:
            assert_never(decision)


ROWS: tuple[TransitionRow, ...] = (
    TransitionRow(_S.INIT, _G.TASK_OPEN, _S.PLAN),
    TransitionRow(_S.INIT, _G.SUBTASKS_WAITING, _S.GET_ACTION),
    TransitionRow(_S.INIT, _G.TASK_ENDED, _S.DONE),
    TransitionRow(_S.PLAN, _G.PLANNED, _S.GET_ACTION),
    TransitionRow(_S.PLAN, _G.NOTHING_LEFT, _S.FINAL_CHECK),
    TransitionRow(_S.PLAN, _G.SUPPLEMENT_NEEDED, _S.SUPPLEMENT),
    TransitionRow(_S.PLAN, _G.PLAN_FAILED, _S.PLAN),
    TransitionRow(_S.PLAN, _G.PLAN_REJECTED, _S.PLAN),
    TransitionRow(_S.PLAN, _G.INFEASIBLE, _S.DONE, status=TaskStatus.REJECTED),
    TransitionRow(_S.GET_ACTION, _G.GENERATE_ACTION, _S.EXECUTE_ACTION),
    TransitionRow(_S.GET_ACTION, _G.WORKER_SUCCESS, _S.QUALITY_CHECK),
    TransitionRow(_S.GET_ACTION, _G.STALE_PROGRESS, _S.QUALITY_CHECK),
    TransitionRow(_S.GET_ACTION, _G.CHECK_DUE, _S.QUALITY_CHECK),
    TransitionRow(_S.GET_ACTION, _G.STEERED, _S.PLAN),
    TransitionRow(_S.GET_ACTION, _G.CANNOT_EXECUTE, _S.PLAN),
    TransitionRow(_S.GET_ACTION, _G.SUPPLEMENT, _S.SUPPLEMENT),
    TransitionRow(_S.EXECUTE_ACTION, _G.EXECUTED, _S.GET_ACTION),
    TransitionRow(_S.EXECUTE_ACTION, _G.TIMEOUT, _S.GET_ACTION, _retries_left),
    TransitionRow(_S.EXECUTE_ACTION, _G.TIMEOUT, _S.PLAN, _no_retries),
    TransitionRow(_S.EXECUTE_ACTION, _G.ERROR, _S.GET_ACTION, _retries_left),
    TransitionRow(_S.EXECUTE_ACTION, _G.ERROR, _S.PLAN, _no_retries),
    TransitionRow(_S.EXECUTE_ACTION, _G.NOTHING_HELD, _S.GET_ACTION),
    TransitionRow(_S.EXECUTE_ACTION, _G.APPROVAL_PENDING, _S.EXECUTE_ACTION, status=TaskStatus.ON_HOLD),
    TransitionRow(_S.EXECUTE_ACTION, _G.APPROVAL_REJECTED, _S.PLAN),
    *(row for decision in GATE_DECISIONS for row in _gate_rows(decision)),
    TransitionRow(_S.SUPPLEMENT, _G.SUPPLIED, _S.PLAN),
    TransitionRow(_S.SUPPLEMENT, _G.NOTHING_FOUND, _S.PLAN),
    TransitionRow(_S.FINAL_CHECK, _G.STEERED, _S.PLAN),
    TransitionRow(_S.FINAL_CHECK, _G.PASSED, _S.DONE, status=TaskStatus.FULFILLED),
    TransitionRow(_S.FINAL_CHECK, _G.ISSUES_FOUND, _S.PLAN),
    TransitionRow(_S.FINAL_CHECK, _G.INFEASIBLE, _S.DONE, status=TaskStatus.REJECTED),
)

ANYWHERE: tuple[Signal, ...] = (Signal.BUDGET_SPENT, Signal.CANCELLED, Signal.NO_ANSWER)
"""From any situation to DONE, rejected."""


class UnexpectedSignal(RuntimeError):
    """A role reported what cannot happen in this situation: a bug, not bad input."""


def row_for(situation: Situation, signal: Signal, totals: Totals) -> TransitionRow:
    """The row that applies. Raises UnexpectedSignal where there is none; DONE has no rows at all."""
    if signal in ANYWHERE and situation is not Situation.DONE:
        return TransitionRow(situation, signal, Situation.DONE, status=TaskStatus.REJECTED)
    for row in ROWS:
        if row.situation is situation and row.signal is signal and (row.guard is None or row.guard(totals)):
            return row
    raise UnexpectedSignal(f"{signal} is not expected in {situation}")


def mermaid() -> str:
    """The diagram of the README, printed from the table so that it cannot drift."""
    lines = ["stateDiagram-v2", "    [*] --> INIT"]
    for row in ROWS:
        lines.append(f"    {row.situation} --> {row.next}: {row.label}")
    lines.append("    DONE --> [*]")
    lines.append(f"    note right of DONE: from anywhere on {', '.join(ANYWHERE)} (rejected)")
    return "\n".join(lines)
