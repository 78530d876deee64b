"""Subtasks side by side: the same result as one after the other in less simulated time, and windows that two want are told."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import OPEN_HOUSE, Run, decide, desktop, planned, subtask, verdict

from environments.contract import Seats
from environments.sandbox.detect import installed
from orchestrator.runs.runs import Outcome, start
from orchestrator.settings.settings import load_settings, shipped
from orchestrator.tasks.tasks import load_task
from orchestrator.views.terminal.event_lines import Teller
from protocol import ActionTarget, AgentStatus, Click, Fill, LaunchApp, Memorize, OperatorDecision, Wait
from roles.contracts import Answer, FactKnown, PlanAnswer, Result, Script
from roles.contracts.limits import Limits
from roles.contracts.signals import GateTrigger, Signal
from roles.policies.scripted import AnalystScript, ScriptedAnalyst, ScriptedTechnician, TechnicianScript

WORLD = "name: three\napps: {reimbursement: {}, notes: {}, contacts: {}, files: {}, terminal: {}}\nopen: [reimbursement]\n"


def on(text: str) -> ActionTarget:
    return ActionTarget(text=text)


def fill(field: str, text: str) -> OperatorDecision:
    return decide(Fill(target=on(field), text=text))


def go(app: str) -> OperatorDecision:
    return decide(LaunchApp(app=app))


CLAIM = [go("reimbursement"), fill("Amount", "$5.00"), fill("Vendor", "Acme")]
NOTE = [go("notes"), decide(Click(target=on("New note"))), fill("Title", "x"), decide(Click(target=on("Save")))]
GIVE_UP = OperatorDecision(status=AgentStatus.FAIL, comment="no way through")
A = subtask("a", app="reimbursement")
B = subtask("b", app="notes")


def worked(many: int, plans: Sequence[PlanAnswer], decisions: dict[str, Any], **more: Any) -> Run:
    limits = Limits(**{"parallel": many, **more.pop("limits", {})})
    return Run(plans, decisions, desk=more.pop("desk", None) or desktop(world=WORLD), limits=limits, **more).go()


def both(plans: Sequence[PlanAnswer], decisions: dict[str, Any], **more: Any) -> tuple[Run, Run]:
    """The same work one after the other, and side by side."""
    return worked(1, plans, decisions, **more), worked(2, plans, decisions, **more)


def apps(run: Run) -> dict[str, str]:
    return {name: found for name, found in run.desk.hashes().items() if name != "desk"}


def clock(run: Run) -> float:
    return run.desk.observe().timestamp or 0.0


def order(run: Run) -> list[str]:
    return [event.subtask for event in run.journal.events("step")]


def attempts(run: Run) -> dict[str, int]:
    """How often each subtask was begun."""
    begun = [event.subtask for event in run.journal.events("subtask_status") if event.body["status"] == "pending"]
    return {name: begun.count(name) for name in begun}


def test_two_operators_on_two_windows_take_as_long_as_the_longer_one() -> None:
    series, beside = both([planned(A, B)], {"a": CLAIM, "b": NOTE})
    assert (series.status, beside.status) == ("fulfilled", "fulfilled")
    assert apps(series) == apps(beside)
    assert (clock(series), clock(beside)) == (3.5, 2.0)
    assert order(beside)[:4] == ["a", "b", "a", "b"]
    assert not beside.bodies("conflict")
    assert attempts(beside) == {"a": 1, "b": 1}


def test_what_waits_for_another_subtask_begins_when_that_has_ended() -> None:
    last = subtask("c", "a", "b", app="contacts")
    series, beside = both([planned(A, B, last)], {"a": CLAIM, "b": NOTE, "c": [go("contacts"), decide(Wait(seconds=1))]})
    assert apps(series) == apps(beside)
    assert (clock(series), clock(beside)) == (5.0, 3.5)
    assert order(beside)[-2:] == ["c", "c"]


def test_a_desktop_is_nobodys_when_the_run_is_over() -> None:
    _, beside = both([planned(A, B)], {"a": CLAIM, "b": NOTE})
    assert dict(beside.desk.seats()) == {}
    assert beside.result.get("lanes") in (None, {})


@pytest.mark.parametrize("many", [1, 2])
def test_one_window_is_worked_by_one_lane_at_a_time(many: int) -> None:
    same = subtask("b", app="reimbursement")
    run = worked(many, [planned(A, same)], {"a": CLAIM, "b": [fill("Amount", "$6.00")]})
    assert order(run) == ["a", "a", "a", "b"]
    assert not run.bodies("conflict")


def test_without_an_app_an_operator_works_alone() -> None:
    run = worked(2, [planned(A, subtask("b"))], {"a": CLAIM, "b": NOTE})
    assert order(run) == ["a"] * 3 + ["b"] * 4


def test_two_windows_on_one_thing_are_one_window() -> None:
    run = worked(
        2,
        [planned(subtask("a", app="files"), subtask("b", app="terminal"))],
        {"a": [go("files"), decide(Wait(seconds=1))], "b": [go("terminal")]},
    )
    assert order(run) == ["a", "a", "b"]


def test_a_technician_works_beside_an_operator() -> None:
    box = installed()
    if box.refusal:
        pytest.skip(box.refusal)
    script = ScriptedTechnician(TechnicianScript(scripts={"t": (Script(code="echo hello > made.txt"),)}))
    plan = [planned(A, subtask("t", app="terminal", worker="technician"))]
    series, beside = both(plan, {"a": CLAIM}, parts={"technician": script, "sandbox": box}, safety=OPEN_HOUSE)
    assert (series.status, beside.status) == ("fulfilled", "fulfilled"), beside.result
    assert apps(series) == apps(beside)
    assert clock(beside) == clock(series) - 0.5 == 1.5
    assert order(beside) == ["a", "t", "a", "a"]


def test_a_technician_does_not_work_beside_an_operator_in_the_files() -> None:
    box = installed()
    if box.refusal:
        pytest.skip(box.refusal)
    script = ScriptedTechnician(TechnicianScript(scripts={"t": (Script(code="echo hello > made.txt"),)}))
    plan = [planned(subtask("a", app="files"), subtask("t", worker="technician"))]
    run = worked(2, plan, {"a": [go("files"), go("files")]}, parts={"technician": script, "sandbox": box}, safety=OPEN_HOUSE)
    assert order(run) == ["a", "a", "t"]


def test_an_analyst_works_beside_an_operator() -> None:
    answer = Answer(results=(Result(name="sum", value="4", kind="number"),))
    policy = ScriptedAnalyst(AnalystScript(answers={"n": answer}))
    asked = subtask("n", worker="analyst", expect=(FactKnown(name="sum"),))
    series, beside = both([planned(A, asked)], {"a": CLAIM}, parts={"analyst": policy})
    assert (series.status, beside.status) == ("fulfilled", "fulfilled")
    assert apps(series) == apps(beside)
    said = [(event.kind, event.subtask) for event in beside.journal.events("step", "answer")]
    assert said == [("step", "a"), ("answer", "n"), ("step", "a"), ("step", "a")]


def test_a_window_of_another_lane_is_waited_for_and_the_conflict_is_told() -> None:
    strayed = [
        go("reimbursement"),
        fill("Amount", "$5.00"),
        go("notes"),
        decide(Click(target=on("New note"))),
        fill("Title", "y"),
    ]
    series, beside = both([planned(B, A)], {"a": strayed, "b": NOTE})
    assert apps(series) == apps(beside)
    conflict = {"about": "window", "app": "notes", "subtasks": ["a", "b"], "resolution": "it waits"}
    assert beside.bodies("conflict") == [conflict]
    worked_by = order(beside)
    assert worked_by[:6] == ["b", "a", "b", "a", "b", "b"]
    assert set(worked_by[6:]) == {"a"}
    assert not series.bodies("conflict")


def test_two_that_wait_for_each_other_are_told_and_the_younger_gives_way() -> None:
    one = [go("reimbursement"), go("notes"), decide(Click(target=on("New note"))), go("reimbursement"), fill("Amount", "$1.00")]
    other = [go("notes"), go("reimbursement"), fill("Vendor", "Acme"), go("notes"), decide(Wait(seconds=1))]
    series, beside = both([planned(A, B)], {"a": one, "b": other})
    assert (series.status, beside.status) == ("fulfilled", "fulfilled")
    assert apps(series) == apps(beside)
    told = [(body["subtasks"], body["resolution"]) for body in beside.bodies("conflict")]
    assert told == [
        (["a", "b"], "it waits"),
        (["b", "a"], "it waits"),
        (["b", "a"], "both wait: the younger gives its windows up"),
    ]
    assert order(beside) == ["a", "b", *["a"] * 4, *["b"] * 4]


def test_two_values_under_one_name_are_told() -> None:
    def note(value: str) -> OperatorDecision:
        return decide(Memorize(name="total", value=value))

    series, beside = both([planned(A, B)], {"a": [note("1"), *CLAIM], "b": [note("2")]})
    assert not series.bodies("conflict")
    told = [(body["about"], body["name"], body["subtasks"]) for body in beside.bodies("conflict")]
    assert told == [("fact", "total", ["b", "a"])]


def test_another_plan_leaves_what_it_keeps_as_it_was() -> None:
    lost = subtask("c", app="contacts")
    again = subtask("c2", app="contacts")
    plans = [planned(B, lost), planned(B, again)]
    run = worked(2, plans, {"b": NOTE, "c": [go("contacts"), GIVE_UP], "c2": [go("contacts")]})
    assert run.status == "fulfilled"
    assert attempts(run) == {"b": 1, "c": 1, "c2": 1}
    assert [item["action"]["action_type"] for item in run.desk.received()].count("fill") == 1
    assert order(run).index("c2") < len(order(run)) - 1, "it was begun while b was at work"


def test_another_plan_ends_what_it_leaves_out_or_changes() -> None:
    lost = subtask("c", app="contacts")
    changed = B.model_copy(update={"instruction": "something else"})
    plans = [planned(B, lost), planned(changed, subtask("d", app="contacts"))]
    run = worked(2, plans, {"b/1": NOTE, "b/2": [go("notes")], "c": [go("contacts"), GIVE_UP], "d": [go("contacts")]})
    assert attempts(run) == {"b": 2, "c": 1, "d": 1}
    left_out = worked(
        2, [planned(B, lost), planned(subtask("d", app="contacts"))], {"b": NOTE, "c": [GIVE_UP], "d": [go("contacts")]}
    )
    statuses = {e.subtask: e.body["status"] for e in left_out.journal.events("subtask_status")}
    assert statuses == {"b": "rejected", "c": "rejected", "d": "fulfilled"}


def test_a_failed_gate_of_one_lane_leaves_the_other_at_work() -> None:
    plans = [planned(B, subtask("c", app="contacts")), planned(B, subtask("c2", app="contacts"))]
    fails = {GateTrigger.WORKER_SUCCESS: [verdict(Signal.GATE_FAIL)]}
    run = worked(2, plans, {"b": NOTE, "c": [go("contacts")], "c2": [go("contacts")]}, verdicts=fails)
    assert (run.status, attempts(run)) == ("fulfilled", {"b": 1, "c": 1, "c2": 1})


@pytest.mark.parametrize("answer", ["approve", "reject"])
def test_while_one_lane_waits_for_an_approval_the_others_wait_too(answer: str) -> None:
    pressing = [*CLAIM, decide(Click(target=on("Submit")))]
    run = worked(2, [planned(A, B), planned(B, subtask("c", app="contacts"))], {"a": pressing, "b": [*NOTE, *NOTE], "c": []})
    assert run.asked["action_requests"][0]["name"] == "click"
    paused = len(run.desk.received())
    assert order(run).count("b") == 3
    run.go({"type": answer})
    assert run.status == "fulfilled"
    assert len(run.desk.received()) > paused
    assert len(run.desk.world()["apps"]["reimbursement"]["claims"]) == (answer == "approve")
    assert attempts(run)["b"] == 1


def test_a_stall_is_noticed_over_many_slices() -> None:
    same = [decide(Click(target=on("Amount"))) for _ in range(9)]
    plans = [planned(A, B), planned(B)]
    stale = {GateTrigger.WORKER_STALE: [verdict(Signal.GATE_FAIL)]}
    run = worked(2, plans, {"a": same, "b": [*NOTE, *NOTE]}, verdicts=stale)
    assert any("stale_progress" in row for row in run.rows)
    assert order(run).count("a") < 9


def test_the_limit_of_a_delegation_and_the_periodic_check_count_over_slices() -> None:
    lines = [fill("Amount", f"${n}.00") for n in range(8)]
    run = worked(2, [planned(A, B), planned(B)], {"a": lines, "b": [*NOTE, *NOTE]}, limits={"max_steps": 3})
    assert order(run).count("a") == 3
    run = worked(2, [planned(A, B)], {"a": lines, "b": [*NOTE, *NOTE]}, limits={"check_every": 3})
    assert sum("check_due" in row for row in run.rows) >= 3


def test_budgets_count_all_lanes() -> None:
    run = worked(2, [planned(A, B)], {"a": CLAIM * 5, "b": NOTE * 5}, limits={"steps": 6})
    assert (run.status, run.result["ended_by"], len(order(run))) == ("rejected", "budget_spent", 6)


class OneSeat:
    """A desktop at which only one can sit."""

    def __init__(self) -> None:
        self._inner = desktop(world=WORLD)
        self.name, self.reset, self.observe = self._inner.name, self._inner.reset, self._inner.observe
        self.perform, self.close, self.apps = self._inner.perform, self._inner.close, self._inner.apps


def test_an_environment_without_seats_is_worked_in_series_and_that_is_said_once() -> None:
    alone: Any = OneSeat()
    assert not isinstance(alone, Seats)
    run = worked(2, [planned(A, B)], {"a": CLAIM, "b": NOTE}, parts={"environment": alone})
    assert run.status == "fulfilled"
    assert order(run) == ["a"] * 3 + ["b"] * 4
    assert len(run.bodies("in_series")) == 1


def test_lines_tell_which_subtask_a_step_belongs_to_while_several_are_at_work() -> None:
    run = worked(2, [planned(A, B)], {"a": CLAIM, "b": NOTE})
    teller = Teller()
    said = [str(line) for event in run.journal.events() for line in teller.lines(event)]
    assert any("[1] ✓" in line for line in said)
    assert any("[2] ✓" in line for line in said)
    assert not any("[1]" in line for line in said[-3:])


# --- any plan ---------------------------------------------------------------------------------------------------------

_APPS = ["reimbursement", "notes", "contacts", None]


@st.composite
def dags(draw: st.DrawFn) -> tuple[PlanAnswer, dict[str, list[OperatorDecision]]]:
    """Up to five subtasks over few apps, each working in its own window and now and then in another."""
    count = draw(st.integers(2, 5))
    subtasks, lines = [], {}
    for number in range(count):
        before = draw(st.lists(st.sampled_from([f"s{n}" for n in range(number)]), unique=True, max_size=2)) if number else []
        app = draw(st.sampled_from(_APPS))
        subtasks.append(subtask(f"s{number}", *before, app=app))
        strays = draw(st.lists(st.sampled_from(_APPS[:3]), max_size=3))
        work = [go(place or "notes") for place in [app, *strays]]
        lines[f"s{number}"] = [*work, decide(Wait(seconds=draw(st.sampled_from([0.0, 1.0, 3.0]))))]
    return planned(*subtasks), lines


@settings(max_examples=settings.default.max_examples // 3)
@given(work=dags(), many=st.integers(2, 4))
def test_every_subtask_is_worked_once_and_never_before_what_it_waits_for(work: Any, many: int) -> None:
    plan, lines = work
    series, run = worked(1, [plan], lines), worked(many, [plan], lines)
    assert run.status == "fulfilled"
    assert attempts(run) == {s.id: 1 for s in plan.subtasks}
    assert {name: order(run).count(name) for name in order(run)} == {s.id: len(lines[s.id]) for s in plan.subtasks}
    ended: set[str] = set()
    for event in run.journal.events("subtask_status"):
        if event.body["status"] == "pending":
            depends = next(s.depends_on for s in plan.subtasks if s.id == event.subtask)
            assert ended.issuperset(depends)
        elif event.body["status"] == "fulfilled":
            ended.add(event.subtask)
    assert apps(run) == apps(series)
    assert clock(run) <= clock(series)
    assert len(run.bodies("conflict")) <= 40


# --- shipped tasks, with nothing but rules ------------------------------------------------------------------------------


def task_run(name: str, many: int, folder: Path) -> Outcome:
    task = load_task(shipped("tasks", f"{name}.yaml"))
    loaded = load_settings((), [f"runs_dir={folder}", f"limits.parallel={many}"], task.layer())
    return start(loaded, task, approver=lambda request: {"decisions": [{"type": "approve"}]})


@pytest.mark.parametrize("name", ["claim-two-invoices", "prepare-the-payment"])
def test_a_shipped_task_comes_to_the_same_in_less_time(name: str, tmp_path: Path) -> None:
    from environments.simulated.desktop import SimulatedDesktop
    from environments.simulated.world.worldfile import load_world

    found = []
    for many in (1, 2):
        outcome = task_run(name, many, tmp_path / str(many))
        assert outcome.exit_code == 0, outcome.reason
        world = load_task(shipped("tasks", f"{name}.yaml")).layer().data["world"]
        desk = SimulatedDesktop(load_world(world), 0, outcome.folder)
        found.append(({k: v for k, v in desk.hashes().items() if k != "desk"}, desk.observe().timestamp or 0.0))
        desk.close()
    (series, took), (beside, less) = found
    assert series == beside
    assert less < took * 0.8
