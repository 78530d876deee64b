"""What a run had used up by the last line of its journal, for one that was stopped before it could report that itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from orchestrator.core.machine import UNDONE, Situation
from roles.contracts.limits import Limits
from roles.journal.budgets import Budget, Budgets, BudgetUse, Spending
from roles.journal.events import ApprovalEvent, ApprovalExpiredEvent, RunResumedEvent, SituationEvent, StepEvent
from roles.journal.journal import Event

_CHECKS = {Situation.QUALITY_CHECK.value, Situation.FINAL_CHECK.value}
_UNDONE = {signal.value for signal in UNDONE}
_ANEW = {Situation.PLAN.value, Situation.SUPPLEMENT.value}
_AFTER_WAITING = frozenset(event.KIND for event in (RunResumedEvent, ApprovalEvent, ApprovalExpiredEvent))
"""The time before one of these was a person's, or nobody's."""
_NOT_IN_EVENTS = "limits.simulated_seconds"
"""The clock of the world is the world's."""


def budgets_of(events: Iterable[Event], settings: Mapping[str, Any]) -> list[Budget]:
    """Every budget that the journal can tell; none where the settings are not of this version."""
    counting = BudgetCount()
    for event in events:
        counting.hear(event)
    return counting.budgets(settings)


@dataclass
class BudgetCount:
    """What was used up by the events that were heard, in order."""

    _spending: Spending = field(default_factory=Spending)
    _steps: int = 0
    _plans: int = 0
    _replans: int = 0
    _gates: int = 0
    _steps_by: Counter[str] = field(default_factory=Counter)
    _seconds: float = 0.0
    _last: float | None = None

    def hear(self, event: Event) -> None:
        self._spending.hear(event.role, content := event.content)
        if isinstance(content, SituationEvent):
            self._plans += content.next == Situation.PLAN.value
            self._replans += content.signal in _UNDONE and content.next in _ANEW
            self._gates += content.next in _CHECKS
        elif isinstance(content, StepEvent):
            self._steps = max(self._steps, event.step)
            self._steps_by[event.role] += 1
        if self._last is not None and event.kind not in _AFTER_WAITING:
            self._seconds += max(event.at - self._last, 0.0)
        self._last = event.at

    def budgets(self, settings: Mapping[str, Any]) -> list[Budget]:
        try:
            limits = Limits.model_validate(settings.get("limits", {}))
        except ValidationError:
            return []
        return [budget for budget in Budgets(limits).standing(self._used()) if budget.key != _NOT_IN_EVENTS]

    def _used(self) -> BudgetUse:
        return BudgetUse(
            self._spending, steps=self._steps, plans=self._plans, replans=self._replans, gates=self._gates,
            steps_by=dict(self._steps_by), seconds=self._seconds,
        )  # fmt: skip
