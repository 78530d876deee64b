"""Signals, and limits of a run: budgets, calls that take too long, and when a worker is stalled."""

import threading
from enum import StrEnum
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from environments import contract
from environments.check import check_environment
from environments.contract import Environment, EnvironmentFault
from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.world.worldfile import load_world, parse_world
from orchestrator.core.machine import Situation, TaskStatus
from protocol import ActionTarget, ExecStatus, Fill, Wait
from roles.contracts import StepRecord
from roles.contracts.limits import Limits, stalled
from roles.contracts.nodes import RunBlocked, TimedEnvironment
from roles.contracts.signals import ALLOWED_DECISIONS, GATE_DECISIONS, GateTrigger, Signal, SubtaskStatus, gate_decision
from roles.journal.budgets import COUNTED, WARN_AT, Budgets, BudgetUse, Spending, Work
from roles.journal.events import event_of

WORDS: dict[type[StrEnum], str] = {
    TaskStatus: "created pending on_hold fulfilled rejected",
    SubtaskStatus: "ready pending fulfilled rejected",
    ExecStatus: "executed timeout error pending",
    GateTrigger: "PERIODIC_CHECK WORKER_STALE WORKER_SUCCESS FINAL_CHECK",
    Situation: "INIT GET_ACTION EXECUTE_ACTION QUALITY_CHECK PLAN SUPPLEMENT FINAL_CHECK DONE",
}


@pytest.mark.parametrize("kind", WORDS, ids=lambda kind: kind.__name__)
def test_the_words_of_a_status_are_those_of_the_seed(kind: type[StrEnum]) -> None:
    assert {word.value for word in kind} == set(WORDS[kind].split())


def test_a_gate_decision_is_one_of_the_words_of_the_seed_and_each_trigger_has_some() -> None:
    assert {word.value for word in GATE_DECISIONS} == set(["gate_done", "gate_fail", "gate_supplement", "gate_continue"])
    assert {word for word in Signal if word.startswith("gate_")} == set(GATE_DECISIONS)
    assert [gate_decision(word.value) for word in GATE_DECISIONS] == [*GATE_DECISIONS]
    assert gate_decision("passed") is None
    assert set(ALLOWED_DECISIONS) == set(GateTrigger)
    assert set().union(*ALLOWED_DECISIONS.values()) == set(GATE_DECISIONS)
    assert ALLOWED_DECISIONS[GateTrigger.FINAL_CHECK] == {Signal.GATE_DONE, Signal.GATE_FAIL}
    assert all(Signal.GATE_FAIL in allowed for allowed in ALLOWED_DECISIONS.values())


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


def test_every_budget_has_a_case_here_and_stops_only_the_work_that_adds_to_it() -> None:
    assert [budget.key for budget in Budgets(EVERYTHING).standing(BudgetUse())] == [key for key, _, _ in CASES[:10]] + [
        "limits.role_steps.technician",
        *(key for key, _, _ in CASES[10:12]),
    ]
    spent = BudgetUse(steps=120, plans=10, gates=60)
    keys = {work: getattr(Budgets(Limits()).spent(spent, work), "key", "")[7:] for work in WHOLE}
    assert keys == {"plan": "plans", "replan": "", "act": "steps", "check": "gates", "call": "", "any": ""}


@pytest.mark.parametrize(("key", "counts", "events"), CASES)
def test_each_budget_is_spent_by_what_it_counts_and_by_nothing_else(key: str, counts: Any, events: Any) -> None:
    found = Budgets(EVERYTHING).spent(BudgetUse(Spending.of(_told(events)), **counts), *WHOLE)
    assert found.key == key
    assert key in str(found)
    assert Budgets(EVERYTHING).spent(BudgetUse(), *WHOLE) is None
    asked_for, _, more = found.more().partition("=")
    assert asked_for == key
    table, _, role = key.removeprefix("limits.").partition(".")
    value = type(getattr(EVERYTHING, table))(more) if not role else {role: float(more)}
    raised = Limits.model_validate(EVERYTHING.model_dump() | {table: value})
    assert Budgets(raised).spent(BudgetUse(Spending.of(_told(events)), **counts), *WHOLE) is None, "what would let it go on"


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


CLAIM = "name: claim\napps: {reimbursement: {}, notes: {}}\nopen: [reimbursement]\n"
CAPABILITIES = [
    protocol
    for protocol in vars(contract).values()
    if isinstance(protocol, type) and getattr(protocol, "_is_runtime_protocol", False)
]


def desk() -> SimulatedDesktop:
    return SimulatedDesktop(parse_world(CLAIM))


class Blocked(SimulatedDesktop):
    """Does what is asked, and comes back when it is let go."""

    def __init__(self) -> None:
        super().__init__(parse_world(CLAIM))
        self.go = threading.Event()

    def perform(self, action: Any, *, key: str) -> Any:
        result = super().perform(action, key=key)
        self.go.wait()
        return result


def test_it_keeps_the_contract_of_environments_and_what_passes_through_is_the_same() -> None:
    check_environment(TimedEnvironment(SimulatedDesktop(load_world("office")), 60.0))
    inner = desk()
    bounded: Any = TimedEnvironment(inner, 60.0)
    assert (bounded.clock, bounded.environment_type, bounded.apps()) == (inner.clock, inner.environment_type, inner.apps())
    assert (bounded.now, bounded.cards()) == (inner.now, inner.cards())
    bounded.perform(Fill(target=ActionTarget(text="Amount"), text="$5.00"), key="1")
    assert bounded.received() == inner.received() != []
    assert bounded.observe() == inner.observe()
    assert bounded.clock == inner.clock > 0
    inner.close()
    with pytest.raises(EnvironmentFault, match="closed"):
        bounded.observe()


@pytest.mark.parametrize("capability", CAPABILITIES, ids=lambda capability: capability.__name__)
def test_it_can_what_the_inner_one_can(capability: type) -> None:
    inner = desk()
    assert isinstance(TimedEnvironment(inner, 60.0), capability) == isinstance(inner, capability)


def test_an_action_that_takes_too_long_is_a_timeout_is_seen_when_it_has_come_and_closing_does_not_wait() -> None:
    inner = Blocked()
    bounded: Environment = TimedEnvironment(inner, 0.2)
    result = bounded.perform(Fill(target=ActionTarget(text="Amount"), text="$5.00"), key="1")
    assert (result.exec_status, "limits.action_seconds" in result.error) == (ExecStatus.TIMEOUT, True)
    with pytest.raises(RunBlocked, match=r"has not answered for 0\.2 seconds"):
        bounded.observe()
    inner.go.set()
    seen = _observed(bounded)
    assert any(element.value == "$5.00" for element in seen.elements)
    assert bounded.perform(Wait(seconds=1), key="2").ok
    inner = Blocked()
    bounded = TimedEnvironment(inner, 0.1)
    assert not bounded.perform(Wait(seconds=1), key="1").ok
    bounded.close()
    inner.go.set()


def _observed(bounded: Environment) -> Any:
    """What is seen as soon as the action has come back."""
    for _ in range(100):
        try:
            return bounded.observe()
        except RunBlocked:
            continue
    raise AssertionError("it never came back")


LEAST = {
    "plans": 1, "steps": 1, "max_steps": 1, "max_recovery_attempts": 0, "retries": 0,
    "check_every": 1, "reasks": 0, "gates": 1, "stale_repeats": 2,
    "looks": 0, "script_output": 100, "tool_output": 100, "answer_output": 100, "goal_chars": 1,
    "replans": 0, "tokens": 1, "recoveries": 1, "unusable": 1,
}  # fmt: skip
TIMES_AND_MONEY = ("wall_seconds", "simulated_seconds", "action_seconds", "script_seconds", "money")
BY_ROLE = {"role_tokens": 1, "role_steps": 1, "role_money": 0.01}
BOUNDS: dict[str, tuple[Any, tuple[Any, ...]]] = {
    **{name: (least, (least - 1, -1, "many", 1.5, float("inf"))) for name, least in LEAST.items()},
    **{name: (0.1, (0, -1, float("nan"), "soon")) for name in TIMES_AND_MONEY},
    **{name: ({"operator": least}, ({"operator": 0}, {"operator": -1}, {"operatr": 5}, 5)) for name, least in BY_ROLE.items()},
    "min_confidence": (0.5, (-0.1, 1.1, float("nan"))),
}


@pytest.mark.parametrize("name", Limits.model_fields)
def test_a_limit_that_would_never_let_go_or_never_begin_is_refused(name: str) -> None:
    least, refused = BOUNDS[name]
    assert getattr(Limits.model_validate({name: least}), name) == least
    for wrong in refused:
        with pytest.raises(ValidationError, match=name):
            Limits.model_validate({name: wrong})


def test_a_misspelt_limit_is_refused_and_none_changes_while_a_run_goes_on() -> None:
    with pytest.raises(ValidationError, match="max_step"):
        Limits.model_validate({"max_step": 3})
    with pytest.raises(ValidationError, match="frozen"):
        Limits().steps = 10_000  # type: ignore[misc]


def act(target: str = "Save", verb: str = "click", changed: bool = True, **more: Any) -> StepRecord:
    action = {"action_type": verb, "target": {"text": target}, **more}
    return StepRecord(
        step=1, subtask="a", action=action, verb=verb, target=target, exec_status=ExecStatus.EXECUTED, visible_change=changed
    )


def first_alarm(steps: list[StepRecord]) -> int | None:
    """After how many steps the detector speaks up, asked after each one as the Operator asks it."""
    return next((n for n in range(1, len(steps) + 1) if stalled(steps[:n])), None)


def distinct(count: int) -> list[StepRecord]:
    return [act(f"Item {n}") for n in range(count)]


def test_actions_that_repeat_are_a_stall_until_something_else_was_done() -> None:
    assert first_alarm([act()] * 12) == 3
    assert "3 times in a row: click Save" in stalled([act()] * 12)
    a, b = act("Next"), act("Back")
    assert first_alarm([a, b] * 6) == 4
    assert "in turn: click Next, click Back" in stalled([a, b, a, b])
    assert first_alarm([act(), act(), *distinct(12)]) is None
    assert not stalled([act(), act(), act(), act("Other")])


def test_actions_without_a_visible_change_are_a_stall_but_for_waits_failures_and_notes() -> None:
    assert stalled([act(f"Item {n}", changed=False) for n in range(3)]) == "3 actions without a visible change"
    waits = [act("", "wait", changed=False, seconds=1.0), act("", "screenshot", changed=False)]
    assert first_alarm(waits * 10) is None
    assert first_alarm([act(), *waits, act(), *waits, act()]) == 7
    failed = act("Next", changed=False).model_copy(update={"exec_status": ExecStatus.ERROR})
    assert not stalled([failed, act("Next"), act("Next")])
    facts = [act("", "memorize", changed=False, name=f"n{n}", value=str(n)) for n in range(6)]
    assert first_alarm(facts) is None
    assert first_alarm([facts[0]] * 3) == 3


def test_two_actions_are_the_same_by_their_target_and_value_alone() -> None:
    assert first_alarm([act("Amount", "fill", text=str(n)) for n in range(12)]) is None
    assert first_alarm([act("Amount", "fill", text="1")] * 3) == 3
    same = [act().model_copy(update={"action": {"action_type": "click", "target": {"element_id": f"e{n}"}}}) for n in range(3)]
    assert stalled(same)
    assert stalled([act(delay=float(n)) for n in range(3)])


@pytest.mark.parametrize("repeats", [2, 4, 6])
def test_the_number_of_repeats_is_a_setting(repeats: int) -> None:
    assert not stalled([])
    assert not stalled([act()] * (repeats - 1), repeats)
    assert stalled([act()] * repeats, repeats)
    assert not stalled([act(str(n), changed=False) for n in range(repeats - 1)], repeats)
    assert stalled([act(str(n), changed=False) for n in range(repeats)], repeats)
