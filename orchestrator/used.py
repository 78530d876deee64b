"""What a run had used up by the last line of its journal, for one that was stopped before it could report that itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from pydantic import ValidationError

from orchestrator.journal import Event
from orchestrator.machine import UNDONE, Situation
from roles.budgets import Budget, Budgets, Used
from roles.limits import Limits
from roles.spending import Spending

_CHECKS = {Situation.QUALITY_CHECK.value, Situation.FINAL_CHECK.value}
_ANEW = {Situation.PLAN.value, Situation.SUPPLEMENT.value}
_AFTER_WAITING = frozenset({"run_resumed", "approval", "approval_expired"})
"""The time before one of these was a person's, or nobody's."""
_NOT_IN_EVENTS = "limits.simulated_seconds"
"""The clock of the world is the world's."""


def budgets_of(events: Sequence[Event], settings: Mapping[str, Any]) -> list[Budget]:
    """Every budget that the journal can tell; none where the settings are not of this version."""
    try:
        limits = Limits.model_validate(settings.get("limits", {}))
    except ValidationError:
        return []
    return [budget for budget in Budgets(limits).standing(_used(events)) if budget.key != _NOT_IN_EVENTS]


def _used(events: Sequence[Event]) -> Used:
    rows = [event.body for event in events if event.kind == "situation"]
    undone = {signal.value for signal in UNDONE}
    steps = [event for event in events if event.kind == "step"]
    return Used(
        Spending.of((event.kind, event.role, event.body) for event in events),
        steps=max((event.step for event in steps), default=0),
        plans=sum(row["next"] == Situation.PLAN.value for row in rows),
        replans=sum(row["signal"] in undone and row["next"] in _ANEW for row in rows),
        gates=sum(row["next"] in _CHECKS for row in rows),
        steps_by=dict(Counter(event.role for event in steps)),
        seconds=_at_work(events),
    )


def _at_work(events: Sequence[Event]) -> float:
    return sum(max(after.at - before.at, 0.0) for before, after in pairwise(events) if after.kind not in _AFTER_WAITING)
