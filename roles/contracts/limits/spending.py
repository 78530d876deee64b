"""What a run has used up so far, counted from its events: calls of models by role, and whatever else adds up.

Kept beside the journal, which holds every event, so that a run that is taken up again goes on with what was spent.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from roles.journal.events import (
    BudgetWarningEvent,
    ErrorEvent,
    JournalEvent,
    ModelCallEvent,
    OutputEvent,
    RecoveredEvent,
    Unreadable,
)

COUNTED = tuple(event.KIND for event in (ModelCallEvent, RecoveredEvent, ErrorEvent, OutputEvent, BudgetWarningEvent))
"""The kinds of events that are counted."""


@dataclass(frozen=True)
class Use:
    """What was used by some calls."""

    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    money: float = 0.0
    seconds: float = 0.0

    @property
    def tokens(self) -> int:
        return self.tokens_in + self.tokens_out

    def __add__(self, other: Use) -> Use:
        return Use(
            self.calls + other.calls,
            self.tokens_in + other.tokens_in,
            self.tokens_out + other.tokens_out,
            self.money + other.money,
            self.seconds + other.seconds,
        )


@dataclass
class Spending:
    """The running totals of one run."""

    by_role: defaultdict[str, Use] = field(default_factory=lambda: defaultdict(Use))
    unusable: Counter[str] = field(default_factory=Counter)
    """Answers that were asked for again, by role."""
    recoveries: int = 0
    output: Counter[str] = field(default_factory=Counter)
    """Characters, by what put them out: script, tool or answer."""
    warned: set[tuple[str, float]] = field(default_factory=set)
    """Budgets that were warned of, each with the limit that it had then."""

    @classmethod
    def of(cls, events: Iterable[tuple[str, JournalEvent | Unreadable]]) -> Spending:
        """`events` are role and content of everything so far, or of what is COUNTED."""
        spending = cls()
        for role, event in events:
            spending.hear(role, event)
        return spending

    def total(self) -> Use:
        return sum(self.by_role.values(), Use())

    def hear(self, role: str, event: JournalEvent | Unreadable) -> None:
        """One more event."""
        match event:
            case ModelCallEvent():
                self.by_role[role] += Use(1, event.tokens_in, event.tokens_out, event.money, event.seconds)
                self._put_out("answer", event.characters)
            case RecoveredEvent():
                self.recoveries += 1
            case ErrorEvent():
                self.unusable[role] += event.unusable
            case OutputEvent():
                self._put_out(event.of, event.characters)
            case BudgetWarningEvent():
                self.warned.add((event.key, event.limit))

    def _put_out(self, of: str, characters: int) -> None:
        if characters:
            self.output[of] += characters
