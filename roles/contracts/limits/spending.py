"""What a run has used up so far, counted from its events: calls of models by role, and whatever else adds up.

Kept beside the journal, which holds every event, so that a run that is taken up again goes on with what was spent.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

COUNTED = ("model_call", "recovered", "error", "output", "budget_warning")
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


def use_of(body: dict[str, Any]) -> Use:
    """The use that a `model_call` event tells."""
    return Use(
        1,
        int(body.get("tokens_in", 0)),
        int(body.get("tokens_out", 0)),
        float(body.get("money", 0.0)),
        float(body.get("seconds", 0.0)),
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
    def of(cls, events: Iterable[tuple[str, str, dict[str, Any]]]) -> Spending:
        """`events` are kind, role and body of everything so far, or of what is COUNTED."""
        spending = cls()
        for kind, role, body in events:
            spending.hear(kind, role, body)
        return spending

    def total(self) -> Use:
        return sum(self.by_role.values(), Use())

    def hear(self, kind: str, role: str, body: dict[str, Any]) -> None:
        """One more event."""
        match kind:
            case "model_call":
                self.by_role[role] += use_of(body)
                self._put_out("answer", body)
            case "recovered":
                self.recoveries += 1
            case "error":
                self.unusable[role] += bool(body.get("unusable"))
            case "output":
                self._put_out(str(body.get("of", "")), body)
            case "budget_warning":
                self.warned.add((str(body.get("key", "")), float(body.get("limit", 0.0))))

    def _put_out(self, of: str, body: dict[str, Any]) -> None:
        if characters := int(body.get("characters", 0)):
            self.output[of] += characters
