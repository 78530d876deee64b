"""Figures of a log, gathered line by line in constant memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from protocol.log import LogLine
from protocol.steps import InteractionStep

_MOST = 1_000
"""Different names that are counted one by one; the rest is counted together."""


@dataclass
class LogStats:
    """What happened how often. Times are seconds on the environment's clock."""

    steps: int = 0
    bad_lines: int = 0
    first: float | None = None
    last: float | None = None
    elements: int = 0
    verbs: Counter[str] = field(default_factory=Counter)
    results: Counter[str] = field(default_factory=Counter)
    tiers: Counter[str] = field(default_factory=Counter)
    apps: Counter[str] = field(default_factory=Counter)
    roles: Counter[str] = field(default_factory=Counter)
    subtasks: Counter[str] = field(default_factory=Counter)
    changes: Counter[str] = field(default_factory=Counter)
    """Whether the next observation differed: yes, no, or unknown."""
    errors: Counter[str] = field(default_factory=Counter)

    @property
    def seconds(self) -> float:
        return 0.0 if self.first is None or self.last is None else self.last - self.first

    @property
    def elements_per_state(self) -> float:
        return self.elements / self.steps if self.steps else 0.0


def gather(lines: Iterable[LogLine]) -> LogStats:
    """The figures of all lines; a line that cannot be read is counted as that."""
    stats = LogStats()
    for line in lines:
        if line.step is None:
            stats.bad_lines += 1
        else:
            _count(stats, line.step)
    return stats


def _count(stats: LogStats, step: InteractionStep) -> None:
    stats.steps += 1
    stats.first = step.timestamp if stats.first is None else min(stats.first, step.timestamp)
    stats.last = step.timestamp if stats.last is None else max(stats.last, step.timestamp)
    stats.elements += len(step.visual_state.elements)
    result = step.result
    _add(stats.verbs, step.action.verb)
    _add(stats.results, result.exec_status.value if result else "none")
    _add(stats.tiers, result.resolved.tier if result and result.resolved else "none")
    _add(stats.apps, step.visual_state.app or "none")
    _add(stats.roles, step.role or "none")
    _add(stats.subtasks, step.subtask or "none")
    _add(stats.changes, "unknown" if step.visible_change is None else "yes" if step.visible_change else "no")
    if result and result.error:
        _add(stats.errors, result.error[:200])


def _add(counter: Counter[str], name: str) -> None:
    counter[name if name in counter or len(counter) < _MOST else "others"] += 1
