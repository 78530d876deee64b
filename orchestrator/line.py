"""The hub's rules where a spoke meets them: every change is a row of the table and an event of the journal."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from orchestrator.machine import ROWS, Row, Signal, Situation, TaskStatus, Totals, row_for
from roles.journal import Journal
from roles.limits import Limits


def source_of(signal: Signal) -> Situation | None:
    """The situation in which a worker gives this signal; the table has exactly one for each."""
    return next((row.situation for row in ROWS if row.signal is signal), None)


class HubLine:
    """What a worker reports while it goes on; knows the budgets, decides nothing else."""

    def __init__(self, journal: Journal, limits: Limits) -> None:
        self._journal = journal
        self._limits = limits
        self._elapsed = float(journal.meta("elapsed") or 0.0)
        self._started = time.monotonic()

    def passing(self, signal: Signal, *, step: int, key: str) -> None:
        situation = source_of(signal)
        assert situation is not None, "a passing signal stands in the table"  # noqa: S101 - an invariant
        self.take(situation, signal, Totals(retries_left=1), step=step, key=key)

    def take(
        self, situation: Situation, signal: Signal, totals: Totals, *, step: int = 0, subtask: str = "", key: str = ""
    ) -> Row:
        """Apply one row and record it."""
        row = row_for(situation, signal, totals)
        body = {"situation": situation.value, "signal": signal.value, "next": row.next.value, "row": row.name}
        self._journal.record("situation", body, role="controller", subtask=subtask, step=step, key=key)
        if row.status is TaskStatus.ON_HOLD:
            self.status(TaskStatus.ON_HOLD, key=f"hold/{key}")
        return row

    def status(self, status: TaskStatus, *, key: str = "", reason: str = "") -> None:
        self._journal.record("task_status", {"status": status.value, "reason": reason}, role="controller", key=key)

    def elapsed(self) -> float:
        """Seconds at work, over all processes of this run; waiting for a person is no work."""
        return self._elapsed + time.monotonic() - self._started

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """The clock stands still while a person thinks."""
        since = time.monotonic()
        try:
            yield
        finally:
            self._started += time.monotonic() - since

    def spent(self, step: int) -> str:
        """The budget that is used up, or an empty string; `step` actions were done so far."""
        if step >= self._limits.steps:
            return f"the budget of {self._limits.steps} steps (limits.steps)"
        if self.elapsed() >= self._limits.wall_seconds:
            return f"the budget of {self._limits.wall_seconds:g} seconds (limits.wall_seconds)"
        return ""

    def cancelled(self) -> bool:
        return bool(self._journal.meta("cancelled"))
