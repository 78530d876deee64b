"""Budgets: the limits of a run that something adds up to. What each of them has come to, and which of them is spent.

    key (`limits.steps`)   what was used   the limit   spent: nothing more of it may be begun

Everything that adds up stands in one table here. The hub asks it before it sends work, a worker before each action, and a
model's account before each call.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Literal, NamedTuple, get_args

from protocol import JsonObject
from roles.contracts.limits import Limits
from roles.journal.events import (
    BudgetWarningEvent,
    ErrorEvent,
    JournalEvent,
    ModelCallEvent,
    RecoveredEvent,
    RehearsalEvent,
    Unreadable,
)

COUNTED = tuple(event.KIND for event in (ModelCallEvent, RehearsalEvent, RecoveredEvent, ErrorEvent, BudgetWarningEvent))
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
        return Use(**{name: value + getattr(other, name) for name, value in vars(self).items()})


@dataclass
class Spending:
    """The running totals of one run."""

    by_role: defaultdict[str, Use] = field(default_factory=lambda: defaultdict(Use))
    unusable: Counter[str] = field(default_factory=Counter)
    """Answers that were asked for again, by role."""
    recoveries: int = 0
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
            case RehearsalEvent():
                self.by_role[role] += Use(event.calls, event.tokens_in, event.tokens_out, event.money, event.seconds)
            case ModelCallEvent():
                self.by_role[role] += Use(1, event.tokens_in, event.tokens_out, event.money, event.seconds)
            case RecoveredEvent():
                self.recoveries += 1
            case ErrorEvent():
                self.unusable[role] += event.unusable
            case BudgetWarningEvent():
                self.warned.add((event.key, event.limit))


WARN_AT = 0.8
"""The share of a budget from which on it is warned of."""
Work = Literal["plan", "replan", "act", "check", "call", "any"]
"""What is about to be begun; most budgets stop any work, and some only the work that adds to them."""
_ANY: tuple[Work, ...] = get_args(Work)


@dataclass
class BudgetUse:
    """What was used by now. The hub counts its own turns, the journal what stands in it, and clocks the time."""

    spending: Spending = field(default_factory=Spending)
    steps: int = 0
    plans: int = 0
    replans: int = 0
    gates: int = 0
    steps_by: Mapping[str, int] = field(default_factory=dict)
    """Actions by worker."""
    worker: str = ""
    """Who acts next, if somebody does."""
    seconds: float = 0.0
    simulated: float = 0.0


class Budget(NamedTuple):
    """One budget as it stands."""

    key: str
    used: float
    limit: float
    what: str
    """`120 steps`: the limit in words."""
    over: bool = False
    """Whether it may be used up whole, and only more than that is too much."""
    stops: tuple[Work, ...] = _ANY
    """Which work it stops once it is spent."""
    worker: str = ""
    """Whose work alone it stops; anybody's where it names none."""

    @property
    def share(self) -> float:
        return self.used / self.limit if self.limit else 0.0

    @property
    def spent(self) -> bool:
        return self.used > self.limit if self.over else self.used >= self.limit

    @property
    def nearly(self) -> bool:
        return self.share >= WARN_AT

    def __str__(self) -> str:
        return f"the budget of {self.what} ({self.key})"

    def told(self) -> str:
        """`96 of 120 steps used (limits.steps)`; of what is measured and not counted, the share."""
        if isinstance(self.limit, float):
            return f"{min(int(self.share * 10), 10) * 10} % of {self.what} used ({self.key})"
        return f"{_number(self.used)} of {self.what} used ({self.key})"

    def more(self) -> str:
        """The limit that would let it go on for as long again, as it is written behind `-c`."""
        return f"{self.key}={_number(2 * max(self.limit, self.used))}"

    @property
    def mark(self) -> tuple[str, float]:
        """What it is called once it was warned of; with another limit it is another budget."""
        return (self.key, float(_rounded(self.limit)))

    def as_json(self) -> JsonObject:
        return {"used": _rounded(self.used), "limit": _rounded(self.limit), "share": round(self.share, 3)}


class Budgets:
    """All budgets of one run."""

    def __init__(self, limits: Limits) -> None:
        self._meters: list[tuple[Callable[[BudgetUse], float], Budget]] = [
            (use, Budget(f"limits.{key}", 0, limit, what.format(limit), key == "replans", stops))
            for key, what, use, stops in _METERS
            if (limit := getattr(limits, key)) is not None
        ]
        for key, what, of_role in _OF_ROLES:
            for role, limit in getattr(limits, key).items():
                budget = Budget(f"limits.{key}.{role}", 0, limit, what.format(_number(limit), role))
                budget = budget._replace(stops=("act",), worker=role) if key == "role_steps" else budget
                self._meters.append((partial(of_role, role), budget))

    def standing(self, used: BudgetUse) -> list[Budget]:
        """Each of them as it stands, in the order in which they are told."""
        return [budget._replace(used=use(used)) for use, budget in self._meters]

    def spent(self, used: BudgetUse, *work: Work) -> Budget | None:
        """The first that lets no such work begin."""
        return spent(self.standing(used), used.worker, *work)


def spent(standing: Iterable[Budget], worker: str, *work: Work) -> Budget | None:
    """The first of them that lets no such work of that worker begin."""
    stopping = (one for one in standing if one.spent and one.worker in ("", worker))
    return next((one for one in stopping if not set(work).isdisjoint(one.stops)), None)


_METERS: tuple[tuple[str, str, Callable[[BudgetUse], float], tuple[Work, ...]], ...] = (
    ("steps", "{} steps", lambda used: used.steps, ("act",)),
    ("plans", "{} plans", lambda used: used.plans, ("plan",)),
    ("replans", "{} replans", lambda used: used.replans, ("replan",)),
    ("gates", "{} gates", lambda used: used.gates, ("check",)),
    ("wall_seconds", "{:g} seconds", lambda used: used.seconds, _ANY),
    ("simulated_seconds", "{:g} simulated seconds", lambda used: used.simulated, _ANY),
    ("recoveries", "{} recoveries", lambda used: used.spending.recoveries, _ANY),
    ("unusable", "{} unusable answers", lambda used: used.spending.unusable.total(), _ANY),
    ("tokens", "{} tokens", lambda used: used.spending.total().tokens, _ANY),
    ("money", "{:g} for models", lambda used: used.spending.total().money, _ANY),
)
_OF_ROLES: tuple[tuple[str, str, Callable[[str, BudgetUse], float]], ...] = (
    ("role_steps", "{} steps of the {}", lambda role, used: used.steps_by.get(role, 0)),
    ("role_tokens", "{} tokens of the {}", lambda role, used: used.spending.by_role[role].tokens),
    ("role_money", "{} for models of the {}", lambda role, used: used.spending.by_role[role].money),
)


def _number(value: float) -> str:
    return f"{value:.0f}" if value >= 1000 or value == int(value) else f"{value:.3g}"


def _rounded(value: float) -> float:
    return int(value) if value == int(value) else round(value, 6)
