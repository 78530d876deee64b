"""Every shipped task, worked for real: the judge agrees, and each shows what it was written to show."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from environments.simulated.desktop import SimulatedDesktop
from orchestrator.build import make_environment
from orchestrator.judge import judge
from orchestrator.runs import Outcome, start
from orchestrator.settings import load_settings, shipped, shipped_names
from orchestrator.tasks import Task, fill_goal, fill_slots, load_task
from protocol import CallApi

NAMES = shipped_names("tasks")
SEEDS = (0, 1, 2)


def shipped_task(name: str) -> Task:
    return load_task(shipped("tasks", f"{name}.yaml"))


def approving(request: dict[str, Any]) -> dict[str, Any]:
    return {"decisions": [{"type": "approve"}]}


def worked(name: str, seed: int, folder: Path) -> Outcome:
    """The task worked in its own world, with every approval given."""
    task = shipped_task(name)
    loaded = load_settings(overrides=[f"seed={seed}", f"runs_dir={folder}"], task_layer=task.layer())
    return start(loaded, task, approver=approving)


def test_there_are_at_least_eight_tasks_over_several_applications() -> None:
    assert len(NAMES) >= 8


@pytest.mark.parametrize("name", NAMES)
def test_a_task_varies_with_the_seed_and_is_not_done_before_it_begins(name: str) -> None:
    task = shipped_task(name)
    goals = set()
    for seed in range(12):
        settings = load_settings(overrides=[f"seed={seed}"], task_layer=task.layer()).settings
        environment = make_environment(settings)
        environment.reset(seed=seed)
        world = environment.world()  # type: ignore[attr-defined]
        slots = fill_slots(task, world, seed)
        goals.add(fill_goal(task, slots))
        untouched = judge(task, world, world, slots, [], {"status": "fulfilled", "plans": 1, "reason": ""})
        assert not untouched.passed
        assert untouched.false_complete
        assert untouched.clean
        assert untouched.progress in ((None,) if task.outcome == "rejected" else (0.0,))
        assert not [check for check in untouched.checks if check.error]
        environment.close()
    assert len(goals) > 1 or not task.slots


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", NAMES)
def test_the_crew_does_what_the_task_wants_and_the_judge_agrees(name: str, seed: int, tmp_path: Path) -> None:
    outcome = worked(name, seed, tmp_path)
    verdict = outcome.report["judge"]
    assert verdict["passed"], (outcome.reason, [check for check in verdict["checks"] if not check["passed"]])
    assert verdict["clean"], verdict["side_effects"]
    assert verdict["progress"] == 1.0 or not shipped_task(name).checkpoints
    assert not verdict["false_complete"]
    assert not verdict["duplicate_writes"]
    assert verdict["steps"] - verdict["over_steps"] <= verdict["oracle_steps"]
    assert outcome.exit_code == (0 if shipped_task(name).outcome == "fulfilled" else 1)


def stray(task: Task) -> CallApi:
    """Something harmless that the task did not ask for."""
    allowed = " ".join(task.changes or ())
    if "apps.notes" not in allowed:
        return CallApi(app="notes", function="create_note", arguments={"title": "By the way"})
    if "apps.reimbursement" not in allowed:
        return CallApi(app="reimbursement", function="save_draft", arguments={"description": "for later"})
    return CallApi(app="notes", function="update_note", arguments={"note": "1", "append": "by the way"})


@pytest.mark.parametrize("name", NAMES)
def test_one_stray_write_and_the_run_is_not_clean(name: str, tmp_path: Path) -> None:
    task = shipped_task(name)
    loaded = load_settings(overrides=[f"runs_dir={tmp_path}"], task_layer=task.layer())
    desktop = make_environment(loaded.settings)
    assert isinstance(desktop, SimulatedDesktop)
    outcome = start(loaded, task, approver=approving, parts={"environment": desktop})
    assert outcome.report["judge"]["passed"]
    assert desktop.perform(stray(task), key="stray").exec_status == "executed"
    harness = json.loads((outcome.folder / "run.json").read_text())["harness"]
    told = {"status": outcome.status, "plans": 2, "reason": outcome.reason, "steps": 1}
    verdict = judge(task, desktop.world(), harness["initial"], harness["slots"], desktop.received(), told)
    assert verdict.clean is False
    assert not verdict.passed
    assert {place.split(".")[1] for place in verdict.side_effects} == {stray(task).app}


def test_the_main_task_asks_once_before_it_submits(tmp_path: Path) -> None:
    report = worked("invoice-to-reimbursement", 0, tmp_path).report
    assert [(a["decision"], a["line"]) for a in report["approvals"]] == [("approve", 'click "Submit"')]


def test_a_note_needs_nobody(tmp_path: Path) -> None:
    assert worked("total-into-a-note", 0, tmp_path).report["approvals"] == []


def test_a_subtask_that_fails_leads_to_a_new_plan(tmp_path: Path) -> None:
    assert worked("plan-again", 0, tmp_path).report["counts"]["plans"] >= 2


def test_a_worker_without_progress_is_checked_as_stale(tmp_path: Path) -> None:
    triggers = [gate["trigger"] for gate in worked("stuck-button", 0, tmp_path).report["gates"]]
    assert "WORKER_STALE" in triggers


def test_what_the_crew_does_not_know_is_looked_up(tmp_path: Path) -> None:
    supplements = worked("ask-the-handbook", 0, tmp_path).report["supplements"]
    assert any("monthly-closing" in found["source"] for supplement in supplements for found in supplement["found"])


def test_the_final_check_finds_what_changed_meanwhile(tmp_path: Path) -> None:
    gates = worked("changed-behind-the-back", 0, tmp_path).report["gates"]
    finals = [gate["decision"] for gate in gates if gate["trigger"] == "FINAL_CHECK"]
    assert finals[0] == "gate_fail"
    assert finals[-1] == "gate_done"


def test_what_cannot_be_done_is_said_with_the_clause(tmp_path: Path) -> None:
    outcome = worked("not-to-be-done", 0, tmp_path)
    assert outcome.report["ended_by"] == "infeasible"
    assert outcome.report["goal"].split()[0].casefold() in outcome.reason.casefold()


def test_what_the_policy_denies_is_never_done(tmp_path: Path) -> None:
    report = worked("refused-by-policy", 0, tmp_path).report
    assert any(finding["verdict"] == "deny" for finding in report["safety_findings"])
    assert report["approvals"] == []
