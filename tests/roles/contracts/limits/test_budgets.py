"""What adds up over a run: counted from its events, told with its key, and spent at its limit and not before."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roles.contracts.limits import Limits
from roles.journal.budgets import COUNTED, WARN_AT, Budgets, BudgetUse, Spending, Work
from roles.journal.events import event_of

EVERYTHING = Limits(
    replans=4, simulated_seconds=50.0, recoveries=6, unusable=7, tokens=900, money=1.5,
    role_tokens={"operator": 10}, role_money={"manager": 0.5},
    role_steps={"technician": 2},
)  # fmt: skip
WHOLE: tuple[Work, ...] = ("plan", "replan", "act", "check", "call", "any")
CASES: list[tuple[str, dict[str, Any], list[tuple[str, str, dict[str, Any]]]]] = [
    ("limits.steps", {"steps": 120}, []),
    ("limits.plans", {"plans": 10}, []),
    ("limits.replans", {"replans": 5}, []),
    ("limits.gates", {"gates": 60}, []),
    ("limits.wall_seconds", {"seconds": 900.0}, []),
    ("limits.simulated_seconds", {"simulated": 50.0}, []),
    ("limits.recoveries", {}, [("recovered", "operator", {})] * 6),
    ("limits.unusable", {}, [("error", "operator", {"unusable": True})] * 7),
    ("limits.tokens", {}, [("model_call", "evaluator", {"tokens_in": 800, "tokens_out": 100})]),
    ("limits.money", {}, [("model_call", "evaluator", {"money": 1.5})]),
    ("limits.role_tokens.operator", {}, [("model_call", "operator", {"tokens_in": 10})]),
    ("limits.role_money.manager", {}, [("model_call", "manager", {"money": 0.5})]),
    ("limits.role_steps.technician", {"steps_by": {"technician": 2}, "worker": "technician"}, []),
]


def _told(events: Any) -> list[tuple[str, Any]]:
    return [(role, event_of(kind, body)) for kind, role, body in events]


def test_every_budget_has_a_case_here() -> None:
    assert [budget.key for budget in Budgets(EVERYTHING).standing(BudgetUse())] == [key for key, _, _ in CASES[:10]] + [
        "limits.role_steps.technician",
        *(key for key, _, _ in CASES[10:12]),
    ]


@pytest.mark.parametrize(("key", "counts", "events"), CASES)
def test_each_budget_is_spent_by_what_it_counts_and_by_nothing_else(key: str, counts: Any, events: Any) -> None:
    found = Budgets(EVERYTHING).spent(BudgetUse(Spending.of(_told(events)), **counts), *WHOLE)
    assert found.key == key
    assert key in str(found)
    assert found.more().startswith(f"{key}=")
    assert Budgets(EVERYTHING).spent(BudgetUse(), *WHOLE) is None


@pytest.mark.parametrize(("key", "counts", "events"), CASES)
def test_what_would_let_it_go_on_is_a_limit_that_is_not_spent(key: str, counts: Any, events: Any) -> None:
    used = BudgetUse(Spending.of(_told(events)), **counts)
    found = Budgets(EVERYTHING).spent(used, *WHOLE)
    name, _, more = found.more().removeprefix("limits.").partition("=")
    table, _, role = name.partition(".")
    value: Any = float(more) if "." in more else int(more)
    raised = EVERYTHING.model_dump() | {table: {role: value} if role else value}
    assert Budgets(Limits.model_validate(raised)).spent(used, *WHOLE) is None


def test_a_budget_stops_only_the_work_that_adds_to_it() -> None:
    spent = BudgetUse(steps=120, plans=10, gates=60)
    budgets = Budgets(Limits())
    keys = {work: getattr(budgets.spent(spent, work), "key", None) for work in WHOLE}
    assert keys == {
        "plan": "limits.plans",
        "replan": None,
        "act": "limits.steps",
        "check": "limits.gates",
        "call": None,
        "any": None,
    }


def test_the_steps_of_a_worker_stop_nobody_else_and_replans_may_be_used_up_whole() -> None:
    budgets = Budgets(Limits(role_steps={"technician": 2}))
    used = BudgetUse(steps_by={"technician": 2, "operator": 90}, worker="operator")
    assert budgets.spent(used, "act") is None
    used.worker = "technician"
    assert str(budgets.spent(used, "act")) == "the budget of 2 steps of the technician (limits.role_steps.technician)"
    assert Budgets(Limits(replans=0)).spent(BudgetUse(replans=0), "replan") is None
    found = Budgets(Limits(replans=0)).spent(BudgetUse(replans=1), "replan")
    assert not found.nearly


@given(used=st.integers(0, 300), limit=st.integers(1, 300))
def test_a_budget_is_nearly_spent_from_four_fifths_on(used: int, limit: int) -> None:
    budget = next(b for b in Budgets(Limits(steps=limit)).standing(BudgetUse(steps=used)) if b.key == "limits.steps")
    assert budget.nearly == (used / limit >= WARN_AT)
    assert budget.spent == (used >= limit)
    assert budget.nearly or not budget.spent
    assert budget.as_json() == {"used": used, "limit": limit, "share": round(used / limit, 3)}


_BODIES = st.fixed_dictionaries(
    {},
    optional={
        "tokens_in": st.integers(0, 99), "tokens_out": st.integers(0, 99), "money": st.floats(0, 9), "seconds": st.floats(0, 9),
        "characters": st.integers(0, 99), "unusable": st.booleans(), "of": st.sampled_from(["script", "tool"]),
        "key": st.sampled_from(["limits.steps", "limits.plans"]), "limit": st.integers(1, 9),
    },
)  # fmt: skip
_EVENTS = st.lists(st.tuples(st.sampled_from([*COUNTED, "step"]), st.sampled_from(["operator", "manager"]), _BODIES))


@given(before=_EVENTS, after=_EVENTS)
def test_a_run_that_is_taken_up_again_goes_on_with_what_was_spent(before: Any, after: Any) -> None:
    """Counting from the start, and counting on from what a journal gives back, come to the same."""
    taken_up = Spending.of(_told(event for event in before if event[0] in COUNTED))
    for role, event in _told(after):
        taken_up.hear(role, event)
    assert taken_up == Spending.of(_told([*before, *after]))
