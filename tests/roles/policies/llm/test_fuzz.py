"""Whatever a model says, it ends as a valid decision or as a counted, reported failure; nothing is done unreviewed.

`DESKCREW_FUZZ=2000 python -m pytest tests/roles/policies/llm/test_fuzz.py` takes 2,000 replies for each role instead of the
sample.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import BaseMessage
from models import APPS, SCREEN, asker, operator, step, text_of, view
from written.fuzzed import reply

from orchestrator.crew import Crew
from orchestrator.store.salvage import salvage
from protocol import AgentStatus, OperatorDecision, resolve
from roles.analyst.llm import LlmAnalyst
from roles.contracts import (
    AnalystRequest,
    Answer,
    Fact,
    GateRequest,
    PlanAnswer,
    PlanRequest,
    ScriptAnswer,
    ScriptRequest,
    Subtask,
)
from roles.contracts.signals import ALLOWED_DECISIONS, GateTrigger
from roles.evaluator.llm import LlmEvaluator
from roles.journal.journal import Journal
from roles.manager.llm import LlmManager
from roles.manager.plans import validate_plan
from roles.policies.fallback import GaveUp
from roles.policies.llm.prompts import load_prompt
from roles.policies.llm.schemas import verbs_of
from roles.policies.scripted_model import ScriptedChatModel
from roles.technician.llm import LlmTechnician

REPLIES = int(os.environ.get("DESKCREW_FUZZ", "150"))
GATE = GateRequest(trigger=GateTrigger.WORKER_SUCCESS, goal="g", steps=(step(4),), screens=(SCREEN,))
PLAN = PlanRequest(goal="g", apps=APPS)
SCRIPT = ScriptRequest(goal="g", subtask=Subtask(id="a", title="a", instruction="count"), files=("/a.txt",))
QUESTION = AnalystRequest(
    goal="g", subtask=Subtask(id="a", title="a", instruction="double it"), facts=(Fact(name="total", value="$7.00"),)
)
VIEW = view(verbs=("click", "fill", "wait", "press_key", "launch_app", "screenshot", "scroll", "ask_user"))


def _valid_decision(decision: OperatorDecision) -> None:
    assert decision.status is not AgentStatus.ERROR
    if decision.action is None or decision.status is AgentStatus.FAIL:
        return
    assert decision.action.verb in {*verbs_of(VIEW), "finish_goal", "fail_goal"}
    assert getattr(decision.action, "app", "mail") in {app.app for app in APPS}
    if decision.action.target is not None and decision.action.target.element_id is not None:
        assert resolve(decision.action.target, SCREEN).element_id in SCREEN.by_id


def _valid_plan(answer: PlanAnswer) -> None:
    if answer.outcome == "planned":
        validate_plan(answer.subtasks, APPS)
        assert all(s.worker == "operator" and s.status == "ready" for s in answer.subtasks)


def _valid_script(answer: ScriptAnswer) -> None:
    assert (answer.outcome == "run") == (answer.script is not None)
    assert answer.outcome != "done"  # nothing was run yet


def _valid_results(answer: Answer) -> None:
    """What code computed of the one fact that there is, or nothing."""
    assert answer.results or answer.missing
    for result in answer.results:
        assert result.used
        assert result.working
    assert "870" not in answer.advice


def _asked(role: str, model: ScriptedChatModel, journal: Journal) -> Any:
    if role in {"operator", "narrow"}:
        narrow = role == "narrow"
        more = {"form": "narrow", "prompt": load_prompt("operator", form="narrow")} if narrow else {}
        decision = operator(model, journal=journal, **more).decide(VIEW)
        _valid_decision(decision)
        return decision
    asking = asker(model, journal=journal)
    if role == "technician":
        script = LlmTechnician(asking, load_prompt("technician")).write(SCRIPT)
        _valid_script(script)
        return script
    if role == "analyst":
        found = LlmAnalyst(asking, load_prompt("analyst")).answer(QUESTION)
        _valid_results(found)
        return found
    if role == "manager":
        answer = LlmManager(asking, load_prompt("manager")).plan(PLAN)
        _valid_plan(answer)
        return answer
    verdict = LlmEvaluator(asking, load_prompt("evaluator"), screen_tokens=500).judge(GATE)
    assert verdict.decision in ALLOWED_DECISIONS[GATE.trigger]
    return verdict


@pytest.mark.slow("a large sample")
@pytest.mark.timeout(max(300, REPLIES))
@pytest.mark.parametrize("role", ["operator", "narrow", "manager", "evaluator", "technician", "analyst"])
def test_every_reply_ends_as_a_valid_decision_or_a_counted_failure(role: str) -> None:
    decided = failed = 0
    for number in range(REPLIES):
        journal = Journal(None, time.time)

        def answer(messages: Sequence[BaseMessage], number: int = number) -> str:
            # Asked again, it says the next thing.
            return reply(
                "operator" if role == "narrow" else role,
                number if len(messages) == 2 else number + 7_919 * len(str(messages[2].content)),
            )

        problem = ""
        try:
            _asked(role, ScriptedChatModel(answer=answer), journal)
            decided += 1
        except GaveUp as gave_up:
            problem = str(gave_up)
            failed += 1
        assert not problem or ("no usable answer in 3 tries" in problem and sum(1 for _ in journal.events("error")) == 3)
        calls = journal.spending.total().calls
        assert calls == min(3, sum(1 for _ in journal.events("error")) + 1)
        journal.close()
    assert decided + failed == REPLIES
    assert decided > REPLIES * 0.2
    assert failed > REPLIES * 0.05


def _by_messages(seed: int) -> Callable[[Sequence[BaseMessage]], str]:
    """A reply by what was asked, so that the run is the same each time."""

    def answer(messages: Sequence[BaseMessage]) -> str:
        system = text_of(messages[:1])
        role = "manager" if system.startswith("You plan") else "operator" if system.startswith("You work") else "evaluator"
        digest = hashlib.blake2b(f"{seed} {text_of(messages)}".encode("utf-8", "surrogatepass"), digest_size=4)
        said = reply(role, int(digest.hexdigest(), 16))
        return said.replace('"claims"', '"mail"').replace("step:4", "")

    return answer


@pytest.mark.parametrize("seed", range(max(2, REPLIES // 150)))
def test_a_run_with_such_a_model_stays_within_its_budgets_and_does_nothing_unreviewed(tmp_path: Path, seed: int) -> None:
    limits = {"plans": 5, "steps": 25, "gates": 12, "tokens": 150_000}
    chosen = [f"crew.{role}.policy=llm" for role in ("manager", "operator", "evaluator")]
    settings = [*chosen, *(f"limits.{name}={value}" for name, value in limits.items()), f"runs_dir={tmp_path}", "safety=ask-all"]
    crew = Crew.from_config(overrides=settings, model=ScriptedChatModel(answer=_by_messages(seed)))
    reviewed: list[str] = []

    def approver(request: Any) -> dict[str, Any] | None:
        reviewed.append(request["action_requests"][0]["description"])
        kind = "respond" if request["kind"] == "question" else "approve"
        return {"decisions": [{"type": kind, "message": "go on"}]}

    outcome = crew.run("write a mail about the claim", approver=approver)
    assert outcome.exit_code in {0, 1, 4}
    counts = outcome.report["counts"]
    assert counts["plans"] <= limits["plans"]
    assert counts["gates"] <= limits["gates"]
    assert counts["steps"] <= limits["steps"] + 10  # waits and recovery stand beside the budget of actions
    _all_reviewed(outcome.folder / "journal.sqlite")
    models = outcome.report["models"]
    assert sum(told["tokens_in"] + told["tokens_out"] for told in models.values()) < limits["tokens"] + 30_000
    unusable = [error for error in outcome.report["errors"] if "not usable" in error["message"]]
    assert sum(told["calls"] for told in models.values()) >= len(unusable) > 0


def _all_reviewed(path: Path) -> None:
    """Every action that was done was reviewed before, and let through or approved."""
    let_through: set[tuple[str, int]] = set()
    asked: set[tuple[str, int]] = set()
    for event in salvage(path).events:
        where = (event.subtask, event.step)
        if event.kind == "reviewed" and event.body["verdict"] == "allow":
            let_through.add(where)
        elif event.kind == "reviewed":
            asked.add(where)
        elif event.kind == "approval" and event.body["decision"] in {"approve", "respond"}:
            assert where in asked
            let_through.add(where)
        elif event.kind == "outcome":
            assert where in let_through
