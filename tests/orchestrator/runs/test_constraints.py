"""Constraints of tasks, runs and answers: obeyed by every review, told in the journal and the report, kept over a kill."""

import json
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command
from typer.testing import CliRunner

from deskcrew import Crew, UsageProblem
from orchestrator.cli import app
from orchestrator.runs.open_run import OpenOptions
from orchestrator.runs.outcome import Outcome
from orchestrator.runs.runs import taken_up
from orchestrator.store.salvage import salvage
from orchestrator.tasks.tasks import load_task
from orchestrator.views.terminal.approval import ask
from roles.contracts.requests import read_request

SAVE = 'In the reimbursement form, enter "$12.50" as the amount and save the draft'
SUBMIT = 'In the reimbursement form, enter "$12.50" as the amount and submit the form'
BOTH = 'In the reimbursement form, enter "$12.50" as the amount and submit the form, then create a note titled "Done"'


def crew(folder: Path, *overrides: str, **parts: Any) -> Crew:
    return Crew.from_config(overrides=[f"runs_dir={json.dumps(str(folder))}", "seed=3", *overrides], **parts)


def refused(outcome: Outcome) -> list[str]:
    return [found["policy"] for found in outcome.report["safety_findings"] if found["verdict"] == "deny"]


@pytest.mark.parametrize(
    ("constraint", "policy"),
    [
        ("constraints.forbidden_actions=[fill]", "forbidden_fill"),
        ("constraints.allowed_apps=[notes]", "allowed_apps"),
        ("constraints.maximum_autonomy=read-only", "maximum_autonomy"),
        ("constraints.scope=[\"app == 'notes'\"]", "scope"),
    ],
)
def test_a_run_is_refused_what_its_constraints_forbid_and_says_so(constraint: str, policy: str, tmp_path: Path) -> None:
    outcome = crew(tmp_path, constraint, "limits.replans=1").run(SAVE)
    assert outcome.exit_code == 1
    assert policy in refused(outcome)
    assert outcome.report["constraints"]["given"]


def test_a_task_brings_its_constraints_and_an_unknown_one_is_refused_by_its_line(tmp_path: Path) -> None:
    path = tmp_path / "t.yaml"
    path.write_text(f"goal: {json.dumps(SAVE)}\nworld: office\nconstraints:\n  forbidden_actions: [fill]\n", encoding="utf-8")
    outcome = crew(tmp_path / "runs", "limits.replans=1").run(load_task(path))
    assert "forbidden_fill" in refused(outcome)
    path.write_text(path.read_text(encoding="utf-8").replace("forbidden", "forbiden"), encoding="utf-8")
    with pytest.raises(UsageProblem, match=r"t\.yaml, line 3: constraints: .*'forbiden_actions'; did you mean 'forb"):
        crew(tmp_path / "runs").run(load_task(path))


def test_output_that_is_not_as_required_is_an_issue_whoever_judges(tmp_path: Path) -> None:
    wanted = """constraints.output_requirements=["answer != ''"]"""
    outcome = crew(tmp_path, wanted, "crew.evaluator.policy=trusting", "limits.replans=0").run(SAVE)
    assert outcome.exit_code != 0
    assert any("the output has to fulfil answer != ''" in str(gate) for gate in outcome.report["gates"])


def test_the_state_of_a_run_holds_constraints_policy_and_approval_as_plain_json(tmp_path: Path) -> None:
    graph = crew(tmp_path).graph(InMemorySaver())
    config: Any = {"configurable": {"thread_id": "1"}}
    out = graph.invoke({"goal": SUBMIT, "constraints": {"forbidden_actions": "delete"}}, config)
    (asked,) = out["__interrupt__"]
    answer = {"type": "approve", "constraints": {"blocked_domains": ["evil.example"]}}
    graph.invoke(Command(resume={asked.id: {"decisions": [answer]}}), config)
    values = graph.get_state(config).values
    kept = json.loads(json.dumps({key: values[key] for key in ("constraints", "safety_policy", "human_approval")}))
    assert kept["constraints"] == {"forbidden_actions": ["delete"], "blocked_domains": ["evil.example"]}
    assert kept["safety_policy"]["name"] == "ask-sensitive"
    assert (kept["human_approval"]["type"], values["task_status"]) == ("approve", "fulfilled")
    with pytest.raises(UsageProblem, match="did you mean 'forbidden_actions'"):
        graph.invoke({"goal": SAVE, "constraints": {"forbiden_actions": []}}, {"configurable": {"thread_id": "2"}})


@pytest.mark.parametrize("granularity", ["coarse", "fine"])
def test_what_is_added_with_an_approval_holds_in_every_later_process(granularity: str, tmp_path: Path) -> None:
    working = crew(tmp_path, f"crew.operator.granularity={granularity}", "limits.replans=1")
    waiting = working.run(BOTH)
    added = {"constraints": {"allowed_apps": ["reimbursement"], "private": ["*memo*"]}}
    done = working.resume(waiting.run_id, {"decisions": [{"type": "approve", "who": "anna", **added}]})
    assert "allowed_apps" in refused(done), "the note lies outside of what was allowed with the approval"
    (told,) = done.report["constraints"]["added"]
    assert (told["constraints"], told["who"]) == (added["constraints"], "anna")
    (noted,) = [e for e in salvage(done.folder / "journal.sqlite").events if e.kind == "constraints_added"]
    assert noted.body["constraints"] == added["constraints"]


def test_constraints_are_known_to_a_process_that_lost_the_checkpoints(tmp_path: Path) -> None:
    working = crew(tmp_path, "limits.plans=1")
    waiting = working.run(BOTH)
    with taken_up(waiting.run_id, tmp_path, OpenOptions()) as run:
        body = {"constraints": {"allowed_apps": ["reimbursement"]}, "who": "anna", "line": "x"}
        run.context.journal.append("constraints_added", body, role="user")
        run.context.journal.commit()
    with taken_up(waiting.run_id, tmp_path, OpenOptions()) as run:
        assert run.context.constraints.allowed_apps == ("reimbursement",)
        assert run.context.safety.allowed_apps == ("reimbursement",)


def test_the_terminal_takes_constraints_after_the_yes_and_says_what_is_wrong_with_them() -> None:
    request = {"action_requests": [{"name": "click", "args": {}, "description": "click"}], "kind": "approval"}
    typed, said = iter(["a forbiden_actions: delete", "a forbidden_actions: delete, blocked_domains: [a.example]"]), list[str]()
    answer = ask(read_request(request), read=lambda prompt: next(typed), say=said.append)
    told = {"forbidden_actions": ["delete"], "blocked_domains": ["a.example"]}
    assert answer == {"decisions": [{"type": "approve", "constraints": told}]}
    assert "did you mean 'forbidden_actions'?" in said[0]


def test_the_command_adds_constraints_with_its_answer(tmp_path: Path) -> None:
    waiting = crew(tmp_path).run(SUBMIT)
    words = ["resume", waiting.run_id, "--runs-dir", str(tmp_path), "--display", "plain"]
    alone = CliRunner().invoke(app, [*words, "--constrain", "forbidden_actions: delete"])
    assert (alone.exit_code, "--constrain goes with an answer" in alone.output) == (2, True)
    done = CliRunner().invoke(app, [*words, "--approve", "--constrain", "forbidden_actions: delete"])
    assert done.exit_code == 0, done.output
    assert 'from here on: {"forbidden_actions": ["delete"]}' in done.output


def test_a_safety_policy_that_vanished_or_is_no_policy_is_one_sentence(tmp_path: Path) -> None:
    policy = tmp_path / "mine.yaml"
    policy.write_text("name: mine\n", encoding="utf-8")
    working = crew(tmp_path / "runs", f"safety={policy}")
    waiting = working.run(SUBMIT)
    policy.unlink()
    with pytest.raises(UsageProblem, match=r"mine\.yaml"):
        working.resume(waiting.run_id, {"decisions": [{"type": "approve"}]})
    with pytest.raises(UsageProblem, match="unknown key 'rulez'; did you mean 'rules'"):
        crew(tmp_path / "runs", safety={"rulez": []}).run(SAVE)
