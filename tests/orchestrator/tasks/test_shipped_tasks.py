"""Every shipped task: its oracle does it and nobody else by accident; the crew works those that it can, also with faults."""

import json
import os
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, get_args

import pytest
from worked.runs import approve

from orchestrator.runs.outcome import Outcome
from orchestrator.runs.runs import start
from orchestrator.settings.layers import shipped, shipped_names
from orchestrator.settings.settings import load_settings
from orchestrator.store.salvage import salvage
from orchestrator.tasks.check import sees_strays
from orchestrator.tasks.judge import judge, play, task_environment
from orchestrator.tasks.tasks import Kind, Task, fill_goal, fill_slots, load_task
from roles.contracts.signals import ALLOWED_DECISIONS

NAMES = shipped_names("tasks")
SEEDS = range(int(os.environ.get("DESKCREW_SEEDS", "2")))
CREW = (
    "ask-the-handbook", "changed-behind-the-back", "claim-with-details", "due-date-into-a-file", "invoice-to-reimbursement",
    "mail-the-total", "not-to-be-done", "plan-again", "refused-by-policy", "reply-to-a-mail", "stuck-button",
    "total-into-a-note", "no-such-invoice", "no-such-app", "password-for-a-stranger", "account-stays",
    "overdue-sum-into-a-note", "vendor-report-into-a-file", "sum-of-a-city", "largest-invoice-by-mail",
    "claim-unless-paid", "chase-or-not", "claim-every-unpaid", "claim-two-invoices", "throw-away-mails", "same-mail-to-a-group",
    "answer-the-invitations", "claim-in-time",
    "accept-in-time",
    "add-to-a-note", "answer-with-figures", "cancel-the-order", "change-the-language",
    "claim-on-a-bad-day", "every-week-in-april", 
    "wait-for-the-boss", "let-the-courier-in", 
    "archive-reports", "count-the-log-lines", "sheet-from-invoices",
    "month-end-thing", "usual-treatment", "onboard-as-usual", "prepare-a-visit", "retire-a-report",
)  # fmt: skip
"""Tasks that the crew solves with nothing but rules."""
WORKED = [
    pytest.param(name, seed, marks=[] if seed == 0 and name in CREW[::6] else [pytest.mark.slow("every shipped task")])
    for seed in SEEDS
    for name in (CREW if seed == 0 or "DESKCREW_SEEDS" in os.environ else CREW[1::4])
]
"""Each once, and some with another seed; with all of them where that is wanted."""
IN_A_BROWSER = tuple(
    name for name in NAMES if load_task(shipped("tasks", f"{name}.yaml")).settings.get("environment") == "served"
)
"""Tasks that the crew solves in pages, with nothing but rules; oracles are played in the world that is shown there."""


def shipped_task(name: str) -> Task:
    return load_task(shipped("tasks", f"{name}.yaml"))


@pytest.fixture(scope="module")
def worked(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Outcome]:
    """A task worked once in its own world, with every approval given and the judge content."""

    @cache
    def work(name: str, seed: int = 0) -> Outcome:
        task = shipped_task(name)
        loaded = load_settings(overrides=[f"seed={seed}", f"runs_dir={tmp_path_factory.mktemp(name)}"], task_layer=task.layer())
        outcome = start(loaded, task, approver=approve)
        verdict = outcome.report["judge"]
        assert verdict["passed"], (outcome.reason, [check for check in verdict["checks"] if not check["passed"]])
        assert verdict["clean"], verdict["side_effects"]
        assert not verdict["false_complete"]
        assert not verdict["duplicate_writes"]
        assert verdict["steps"] - verdict["over_steps"] <= verdict["oracle_steps"]
        assert outcome.exit_code == (0 if task.outcome == "fulfilled" else 1)
        return outcome

    return work


def test_there_are_tasks_of_every_tier_and_kind() -> None:
    tasks = [shipped_task(name) for name in NAMES]
    assert len(tasks) >= 35
    assert {task.tier for task in tasks} == {1, 2, 3}
    assert IN_A_BROWSER
    assert {kind for task in tasks for kind in task.kinds} == set(get_args(Kind))


@pytest.mark.parametrize("name", NAMES)
def test_a_task_says_all_that_it_is_judged_by_and_its_plan_writes_nothing_that_it_does_not_speak_of(name: str) -> None:
    task = shipped_task(name)
    assert task.about
    assert task.slots or task.safety
    assert task.success
    assert task.never
    assert task.kinds
    assert (task.changes is None, task.oracle is None, task.oracle_steps) == (False, False, None)
    lines = [line for entry in task.oracle or () for line in (getattr(entry, "do", None) or (getattr(entry, "fails", entry),))]
    assert not [line for line in lines if line.startswith(("call ", "ask the agent"))], "an oracle uses the windows"
    told = str(task.model_dump(exclude={"plan"}))
    quoted = re.findall(r'"([^"]+)"', task.plan.words if task.plan else "")
    assert [part for text in quoted for part in re.split(r"\{[^}]*\}", text) if part.strip() not in told] == []


@pytest.mark.slow("every shipped task")
@pytest.mark.parametrize("name", NAMES)
def test_it_varies_with_the_seed_and_its_oracle_does_it_and_whoever_does_nothing_or_more_does_not(name: str) -> None:
    task, goals = shipped_task(name), set()
    for seed in range(12) if task.slots else SEEDS:
        if seed not in SEEDS and len(goals) > 1:
            break
        desktop = task_environment(task, seed)
        if seed not in SEEDS:
            desktop.reset(seed=seed)
            goals.add(fill_goal(task, fill_slots(task, desktop.world(), seed)))  # type: ignore[attr-defined]
            continue
        played = play(task, seed, desktop)
        verdict = played.verdict
        assert played.passed, (played.problem, [check for check in verdict.checks if not check.passed])
        assert (verdict.clean, verdict.duplicate_writes, verdict.over_steps) == (True, (), 0)
        assert verdict.progress in ((None,) if not task.checkpoints else (1.0,))
        assert not verdict.false_complete or task.outcome == "rejected"
        for status in ("fulfilled", "rejected"):
            run = {"status": status, "plans": 1, "reason": "", "steps": 0, "questions": 0}
            untouched = judge(task, played.trial.initial, played.trial.initial, played.trial.slots, [], run)
            assert untouched.passed is (status == task.outcome == "rejected")
            assert untouched.false_complete is (status == "fulfilled")
            assert untouched.clean
            assert untouched.progress in (None, 0.0)
            assert not [check for check in untouched.checks if check.error]
        assert sees_strays(task, played, desktop)
        goals.add(played.trial.goal)
        desktop.close()
    assert len(goals) > 1 or not task.slots


@pytest.mark.parametrize(("name", "seed"), WORKED)
def test_the_crew_does_what_the_task_wants_and_the_judge_agrees(name: str, seed: int, worked: Callable[..., Outcome]) -> None:
    assert worked(name, seed).report["judge"]["progress"] == 1.0 or not shipped_task(name).checkpoints


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", IN_A_BROWSER)
def test_a_task_in_a_browser_is_judged_by_the_world_that_is_shown_there(
    name: str, seed: int, worked: Callable[..., Outcome], chromium: str
) -> None:
    assert worked(name, seed).report["environment_type"] == "browser"


def test_the_main_task_asks_once_before_it_submits(worked: Callable[..., Outcome]) -> None:
    report = worked("invoice-to-reimbursement").report
    assert [(a["decision"], a["line"]) for a in report["approvals"]] == [("approve", 'click "Submit"')]
    assert worked("total-into-a-note").report["approvals"] == [], "a note needs nobody"


def test_a_subtask_that_fails_leads_to_a_new_plan_and_what_is_not_known_is_looked_up(worked: Callable[..., Outcome]) -> None:
    assert worked("plan-again").report["counts"]["plans"] >= 2
    supplements = worked("ask-the-handbook").report["supplements"]
    assert any("monthly-closing" in found["source"] for supplement in supplements for found in supplement["found"])


DECIDED = {
    ("WORKER_SUCCESS", "gate_done"): "gate-nothing-was-done",
    ("WORKER_SUCCESS", "gate_continue"): "gate-nothing-was-done",
    ("WORKER_SUCCESS", "gate_fail"): "gate-nothing-was-done",
    ("WORKER_STALE", "gate_continue"): "gate-nothing-was-done",
    ("WORKER_STALE", "gate_supplement"): "gate-looks-about",
    ("WORKER_STALE", "gate_fail"): "stuck-button",
    ("PERIODIC_CHECK", "gate_continue"): "sheet-from-invoices",
    ("PERIODIC_CHECK", "gate_done"): "gate-goes-on-for-nothing",
    ("PERIODIC_CHECK", "gate_supplement"): "gate-looks-about-for-long",
    ("PERIODIC_CHECK", "gate_fail"): "gate-presses-in-vain",
    ("FINAL_CHECK", "gate_done"): "gate-nothing-was-done",
    ("FINAL_CHECK", "gate_fail"): "changed-behind-the-back",
}
"""A task for each decision that the Evaluator by rules comes to."""


def test_there_is_a_task_for_each_decision_at_each_trigger_that_allows_it() -> None:
    allowed = {(trigger.value, one.value) for trigger, decisions in ALLOWED_DECISIONS.items() for one in decisions}
    assert set(DECIDED) == allowed
    assert {name for name in NAMES if "gates" in shipped_task(name).kinds} <= set(DECIDED.values())


@pytest.mark.parametrize("name", sorted(set(DECIDED.values())))
def test_each_decision_is_issued_at_its_trigger_and_the_task_is_done(name: str, worked: Callable[..., Outcome]) -> None:
    events = salvage(worked(name).folder / "journal.sqlite").events
    issued = {(event.body["trigger"], event.body["decision"]) for event in events if event.kind == "gate"}
    assert {pair for pair, task in DECIDED.items() if task == name} <= issued


def test_what_cannot_be_done_is_said_with_the_clause_and_what_is_denied_is_never_done(worked: Callable[..., Outcome]) -> None:
    outcome = worked("not-to-be-done")
    assert outcome.report["ended_by"] == "infeasible"
    assert outcome.report["goal"].split()[0].casefold() in outcome.reason.casefold()
    report = worked("refused-by-policy").report
    assert any(finding["verdict"] == "deny" for finding in report["safety_findings"])
    assert report["approvals"] == []


# --- things go wrong once at a delicate place of a shipped task, and the crew gets it right all the same


def worked_with_faults(
    task: str, folder: Path, seed: int, *faults: dict[str, Any], overrides: tuple[str, ...] = ()
) -> dict[str, Any]:
    """The report of a run; every approval is given."""
    loaded = load_task(shipped("tasks", f"{task}.yaml"))
    told = [f"seed={seed}", f"runs_dir={folder}", f"faults={json.dumps(faults)}", *overrides]
    approve = {"decisions": [{"type": "approve"}]}
    settings = load_settings(overrides=told, task_layer=loaded.layer())
    return start(settings, loaded, approver=lambda asked: approve if asked["kind"] != "question" else None).report


@pytest.mark.parametrize(
    ("task", "seed", "kind", "target", "times"),
    [
        pytest.param("largest-invoice-by-mail", 0, "stale", "Next", 1, id="a page that would not turn"),
        pytest.param("claim-two-invoices", 1, "saved_anyway", "Submit", 1, id="a form that was accepted, reported as failed"),
        pytest.param("mail-the-total", 1, "saved_anyway", "Send", 1, id="a mail that was sent, reported as failed"),
        pytest.param("answer-the-invitations", 0, "saved_anyway", "Decline*", 1, id="an answer taken, reported as failed"),
        pytest.param("throw-away-mails", 0, "break", "Delete*", 1, id="a last press that never arrived"),
        pytest.param("mail-the-total", 1, "timeout", "Subject", 3, id="a message that an attempt left half written"),
        pytest.param("overdue-sum-into-a-note", 0, "expired", "Save", 3, id="a note that an attempt left unsaved"),
    ],
)  # fmt: skip
def test_what_went_wrong_is_put_right_and_nothing_is_done_twice(
    task: str, seed: int, kind: str, target: str, times: int, tmp_path: Path
) -> None:
    report = worked_with_faults(task, tmp_path, seed, {"kind": kind, "targets": [target], "times": times})
    record = (tmp_path / report["run_id"] / "faults.jsonl").read_text(encoding="utf-8")
    assert record.count(f'"kind": "{kind}"') == times, "the fault never struck"
    assert report["judge"]["passed"], report["reason"]
    assert not report["judge"]["duplicate_writes"]
