"""Every change of a state is an event of the journal, in order, on every level that seed 002 names."""

from __future__ import annotations

import pytest
from support import Run, decide, desktop, planned, subtask, verdict

from protocol import ActionTarget, AgentStatus, Click, Fill, OperatorDecision
from roles.contracts.limits import Limits
from roles.contracts.signals import GateTrigger, Signal

FILL = decide(Fill(target=ActionTarget(text="Amount"), text="$5.00"))
OTHER = decide(Fill(target=ActionTarget(text="Vendor"), text="Acme"))
SAVE = decide(Click(target=ActionTarget(text="Save draft")))
SUBMIT = decide(Click(target=ActionTarget(text="Submit")))
GIVE_UP = OperatorDecision(status=AgentStatus.FAIL, comment="no way through")


def worked(*plans: tuple[str, ...], **lines: list[OperatorDecision]) -> Run:
    return Run([planned(*(subtask(name) for name in names)) for names in plans], dict(lines)).go()


def subtasks(run: Run) -> list[tuple[str, str, str]]:
    return [(event.subtask, event.body["before"], event.body["status"]) for event in run.journal.events("subtask_status")]


def test_a_task_is_created_pending_while_it_is_worked_on_hold_while_it_waits_and_then_ended() -> None:
    run = worked(("a",), a=[FILL, SUBMIT])
    run.go({"type": "approve"})
    told = [body["status"] for body in run.bodies("task_status")]
    assert told == ["created", "pending", "on_hold", "pending", "fulfilled"]


def test_a_subtask_is_ready_then_pending_then_fulfilled() -> None:
    run = worked(("a", "b"), a=[FILL], b=[OTHER])
    assert {s["status"] for s in run.bodies("plan")[0]["subtasks"]} == {"ready"}
    assert subtasks(run) == [
        ("a", "ready", "pending"), ("a", "pending", "fulfilled"), ("b", "ready", "pending"), ("b", "pending", "fulfilled"),
    ]  # fmt: skip


def test_a_subtask_that_failed_is_rejected_and_another_takes_its_place() -> None:
    run = worked(("a",), ("b",), a=[GIVE_UP], b=[FILL])
    assert subtasks(run) == [
        ("a", "ready", "pending"), ("a", "pending", "rejected"), ("b", "ready", "pending"), ("b", "pending", "fulfilled"),
    ]  # fmt: skip
    assert run.status == "fulfilled"


@pytest.mark.parametrize(("status", "times"), [("executed", 0), ("error", 1), ("timeout", 1)])
def test_what_came_of_each_action_is_written_and_decides_what_follows(status: str, times: int) -> None:
    fault = f"[{{when: {{after_actions: 0}}, fail: {{label: Save draft, status: {status}, times: {times}}}}}]" if times else ""
    run = Run([planned(subtask("a"))], {"a": [FILL, SAVE, SAVE]}, desk=desktop(fault), limits=Limits(retries=2)).go()
    assert run.status == "fulfilled"
    saved = [body["exec_status"] for body in run.bodies("outcome") if body["line"] == 'click "Save draft"']
    assert saved[0] == status
    taken = [row for row in run.rows if row.startswith("EXECUTE_ACTION")]
    assert taken[1].startswith(f"EXECUTE_ACTION --{status}")
    assert [step.exec_status for step in run.journal.all_steps(9)][1] == status


def test_the_history_holds_every_level_of_a_run_in_order() -> None:
    failed = {GateTrigger.WORKER_SUCCESS: [verdict(Signal.GATE_FAIL, "the amount is wrong")]}
    run = Run([planned(subtask("a")), planned(subtask("b"))], {"a": [FILL], "b": [OTHER]}, failed).go()
    levels = {"task_status", "subtask_status", "situation", "outcome", "gate", "plan"}
    events = [event.kind for event in run.journal.events() if event.kind in levels]
    assert set(events) == levels
    first = {kind: events.index(kind) for kind in levels}
    assert first["task_status"] < first["plan"] < first["subtask_status"] < first["outcome"] < first["gate"]
    assert events[-1] == "task_status"
    gates = [body["decision"] for body in run.bodies("gate")]
    assert gates == ["gate_fail", "gate_done", "gate_done"]
