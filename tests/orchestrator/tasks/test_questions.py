"""A question of the Operator (PENDING): answered with `resume --respond`, in Python or by the task's user, and asked once."""

from pathlib import Path
from typing import Any

import pytest
from worked.questioned import deskcrew, overrides

from deskcrew import Crew, load_settings, load_task, start
from orchestrator.runs.outcome import Outcome
from orchestrator.settings.layers import shipped
from protocol import AgentStatus, AskUser, OperatorDecision
from roles.policies.scripted import ScriptedOperator


def values(report: dict[str, Any]) -> set[str]:
    return {fact["value"] for fact in report["facts"]}


@pytest.mark.slow("processes of their own")
def test_a_question_waits_and_is_answered_in_another_process(tmp_path: Path) -> None:
    """The second subtask asks the same: it gets the answer that was given to the process before."""
    code, outcome = deskcrew("run", "ask me", *[w for text in overrides(tmp_path) for w in ("-c", text)], cwd=tmp_path)
    assert code == 3
    assert outcome["pending"]["kind"] == "question"
    code, outcome = deskcrew("resume", outcome["run_id"], "--respond", "$7.50", cwd=tmp_path)
    assert (code, outcome["status"]) == (0, "fulfilled")
    assert values(outcome["report"]) == {"$7.50"}


def test_a_question_is_answered_in_python_at_once_or_later(tmp_path: Path) -> None:
    asked: list[dict[str, Any]] = []

    def answer(request: dict[str, Any]) -> dict[str, Any]:
        asked.append(request)
        return {"decisions": [{"type": "respond", "message": "$7.50"}]}

    crew = Crew.from_config(overrides=overrides(tmp_path))
    outcome = crew.run("ask me", approver=answer)
    assert (outcome.status, len(asked)) == ("fulfilled", 1)
    later = crew.run("ask me")
    assert (later.exit_code, (later.pending or {})["kind"]) == (3, "question")
    done = crew.resume(later.run_id, {"decisions": [{"type": "respond", "message": "$8.00"}]})
    assert (done.status, values(done.report)) == ("fulfilled", {"$8.00"})
    approved = crew.resume(crew.run("ask me").run_id, {"decisions": [{"type": "approve"}]})
    assert not any(values(approved.report)), "an approval is no answer"


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


def test_a_question_that_the_task_foresees_is_answered_and_judged_and_any_other_waits_for_a_person(tmp_path: Path) -> None:
    assert asking("How much?", tmp_path).pending["kind"] == "question"
    report: dict[str, Any] = asking("Which invoice?", tmp_path).report
    facts = {fact["name"]: fact["value"] for fact in report["facts"]}
    assert facts["it"].startswith("it is INV-")
    assert report["judge"]["success"]


@pytest.mark.parametrize("name", ["which-namesake", "which-of-the-two"])
def test_which_of_several_is_meant_is_asked_of_the_tasks_user_and_what_they_say_is_worked(name: str, tmp_path: Path) -> None:
    task = load_task(shipped("tasks", f"{name}.yaml"))
    loaded = load_settings(overrides=[f"runs_dir={tmp_path}"], task_layer=task.layer())
    report: dict[str, Any] = start(loaded, task, approver=lambda _: {"decisions": [{"type": "approve"}]}).report
    assert report["judge"]["passed"], report["reason"]
