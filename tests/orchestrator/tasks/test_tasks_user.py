"""The task's user: answers what the crew asks, as far as the task says, and the judge knows that there was a question."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from orchestrator.runs.outcome import Outcome
from orchestrator.runs.runs import start
from orchestrator.settings.settings import load_settings
from orchestrator.tasks.tasks import load_task
from protocol import AgentStatus, AskUser, OperatorDecision
from roles.policies.scripted import ScriptedOperator

TASK = """
goal: In the reimbursement form, enter "$12.50" as the amount and save the draft
world: office
slots: {invoice: {from: apps.billing.invoices}}
user: {which: "it is {invoice.number}"}
success: [run.questions >= 1]
"""


def asking(question: str, folder: Path) -> Outcome:
    (folder / "task.yaml").write_text(TASK, encoding="utf-8")
    task = load_task(folder / "task.yaml")
    loaded = load_settings(overrides=[f"runs_dir={folder}"], task_layer=task.layer())
    ask = OperatorDecision(status=AgentStatus.CONTINUE, action=AskUser(question=question, name="it"))
    return start(loaded, task, parts={"operator": ScriptedOperator(decisions={"any": (ask,)})})


def test_a_question_that_the_task_foresees_is_answered_and_judged(tmp_path: Path) -> None:
    report: dict[str, Any] = asking("Which invoice?", tmp_path).report
    facts = {fact["name"]: fact["value"] for fact in report["facts"]}
    assert facts["it"].startswith("it is INV-")
    assert report["judge"]["success"]


def test_any_other_question_waits_for_a_person(tmp_path: Path) -> None:
    outcome = asking("How much?", tmp_path)
    assert outcome.pending["kind"] == "question"
