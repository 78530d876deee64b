"""The hub's rules where a spoke meets them: every change is a row of the table and an event of the journal."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from environments.contract import Environment, OwnClock
from orchestrator.core.machine import ROWS, Situation, TaskStatus, Totals, TransitionRow, row_for
from roles.contracts.context import WorkerLine
from roles.contracts.limits import Limits
from roles.contracts.signals import Signal
from roles.journal.budgets import Budget, Budgets, BudgetUse, Work, spent
from roles.journal.events import BudgetWarningEvent, SituationEvent, TaskStatusEvent
from roles.journal.journal import Journal
from roles.journal.rows import dumps


def source_of(signal: Signal) -> Situation | None:
    """The situation in which a worker gives this signal; the table has exactly one for each."""
    return next((row.situation for row in ROWS if row.signal is signal), None)


class HubLine(WorkerLine):
    """What a worker reports while it goes on; knows the budgets, decides nothing else."""

    def __init__(self, journal: Journal, limits: Limits, environment: Environment | None = None) -> None:
        self._journal = journal
        self._budgets = Budgets(limits)
        self._clock = environment if isinstance(environment, OwnClock) else None
        self._used = BudgetUse()
        self._on_hold = [event.status for event in journal.contents(TaskStatusEvent)][-1:] == [TaskStatus.ON_HOLD]
        self._elapsed = float(journal.meta("elapsed") or 0.0)
        self._started = time.monotonic()

    def passing(self, signal: Signal, *, step: int, key: str) -> None:
        situation = source_of(signal)
        assert situation is not None, "a passing signal stands in the table"  # noqa: S101 - an invariant
        self.take(situation, signal, Totals(retries_left=1), step=step, key=key)

    def take(
        self, situation: Situation, signal: Signal, totals: Totals, *, step: int = 0, subtask: str = "", key: str = ""
    ) -> TransitionRow:
        """Apply one row and record it."""
        row = row_for(situation, signal, totals)
        taken = SituationEvent(situation=situation.value, signal=signal.value, next=row.next.value, row=row.name)
        new = self._journal.record(taken, role="controller", subtask=subtask, step=step, key=key)
        if row.status is TaskStatus.ON_HOLD:
            self.status(TaskStatus.ON_HOLD, key=f"hold/{key}")
        elif self._on_hold and new:
            self.status(TaskStatus.PENDING, key=f"on/{key}" if key else "")
        return row

    def status(self, status: TaskStatus, *, key: str = "", reason: str = "") -> None:
        self._journal.record(TaskStatusEvent(status=status.value, reason=reason), role="controller", key=key)
        self._on_hold = status is TaskStatus.ON_HOLD

    def elapsed(self) -> float:
        """Seconds at work, over all processes of this run; waiting for a person is no work."""
        return self._elapsed + time.monotonic() - self._started

    def keep_time(self) -> None:
        """Put it with what is written next, so that a process that is killed has been at work for so long."""
        self._journal.rows.set_meta("elapsed", dumps(self.elapsed()))

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """The clock stands still while a person thinks."""
        since = time.monotonic()
        try:
            yield
        finally:
            self._started += time.monotonic() - since

    def counted(self, used: BudgetUse) -> None:
        """What the hub has counted by the end of its turn."""
        self._used = used
        self.keep_time()

    def used(self) -> BudgetUse:
        """What was used by now."""
        now = self._used
        now.spending, now.seconds = self._journal.spending, self.elapsed()
        now.simulated = self._clock.clock if self._clock is not None else 0.0
        return now

    def budgets(self) -> list[Budget]:
        """Every budget as it stands."""
        return self._budgets.standing(self.used())

    def spent(self, step: int) -> str:
        """The budget that lets no other action be done, or an empty string; `step` actions were done so far."""
        self.keep_time()
        now = self.used()
        if step > now.steps:
            now.steps_by = {**now.steps_by, now.worker: now.steps_by.get(now.worker, 0) + step - now.steps}
            now.steps = step
        found = self.stopping("act")
        return "" if found is None else str(found)

    def stopping(self, *work: Work) -> Budget | None:
        """The budget that lets no such work begin; what is nearly used up is warned of."""
        now = self.used()
        standing, warned = self._budgets.standing(now), self._journal.spending.warned
        for budget in standing:
            if budget.nearly and budget.mark not in warned:
                warning = BudgetWarningEvent(key=budget.key, **budget.as_json(), message=budget.told())
                self._journal.record(warning, role="controller")
        return spent(standing, now.worker, *work)

    def nearly_spent(self) -> tuple[str, ...]:
        """What is nearly used up, in words."""
        return tuple(budget.told() for budget in self.budgets() if budget.nearly)

    def cancelled(self) -> bool:
        return bool(self._journal.meta("cancelled"))
