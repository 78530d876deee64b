"""Whatever a model says, it ends as a valid decision or as a counted, reported failure; nothing is done unreviewed.

`DESKCREW_FUZZ=2000 python -m pytest tests/roles/policies/llm/test_fuzz.py` takes 2,000 replies for each role instead of the
sample.
"""

import hashlib
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import BaseMessage
from models import APPS, ROLES, SCREEN, answer_of, asker, text_of
from written.fuzzed import reply

from orchestrator.crew import Crew
from orchestrator.store.salvage import salvage
from protocol import AgentStatus, OperatorDecision, resolve
from roles.contracts import Answer, GateVerdict, PlanAnswer, ScriptAnswer
from roles.contracts.signals import ALLOWED_DECISIONS, GateTrigger
from roles.journal.journal import Journal
from roles.manager.plans import validate_plan
from roles.policies.fallback import GaveUp
from roles.policies.scripted_model import ScriptedChatModel

REPLIES = int(os.environ.get("DESKCREW_FUZZ", "150"))
VERBS = ("click", "fill", "wait", "press_key", "launch_app", "screenshot", "scroll", "ask_user")


def _valid(said: Any) -> bool:
    """Whether a role may answer this to the request that it is asked."""
    match said:
        case OperatorDecision(status=status, action=action) if action is not None and status is not AgentStatus.FAIL:
            target = action.target.element_id if action.target is not None else None
            there = target is None or resolve(action.target, SCREEN).element_id in SCREEN.by_id
            known = action.verb in {*VERBS, "finish_goal", "fail_goal"} and getattr(action, "app", "mail") in {
                a.app for a in APPS
            }
            return known and there and status is not AgentStatus.ERROR
        case PlanAnswer(outcome="planned", subtasks=subtasks):
            validate_plan(subtasks, APPS)
            return all(s.worker == "operator" and s.status == "ready" for s in subtasks)
        case ScriptAnswer(outcome=outcome, script=script):
            return (outcome == "run") == (script is not None) and outcome != "done"  # nothing was run yet
        case Answer(results=results, missing=missing, advice=advice):  # what code computed of the one fact, or nothing
            return bool(results or missing) and all(r.used and r.working for r in results) and "870" not in advice
        case GateVerdict(decision=decision):
            return decision in ALLOWED_DECISIONS[GateTrigger.WORKER_SUCCESS]
        case OperatorDecision(status=status):
            return status is not AgentStatus.ERROR
    return True


@pytest.mark.slow("a large sample")
@pytest.mark.timeout(max(300, REPLIES))
@pytest.mark.parametrize("role", [role for role in ROLES if role != "evaluator, narrow"])
def test_every_reply_ends_as_a_valid_decision_or_a_counted_failure(role: str) -> None:
    decided = failed = 0
    for number in range(REPLIES):
        journal = Journal(None, time.time)

        def answer(messages: Sequence[BaseMessage], number: int = number) -> str:
            # Asked again, it says the next thing.
            return reply(
                role.removesuffix(", narrow"), number if len(messages) == 2 else number + 7_919 * len(str(messages[2].content))
            )

        problem = ""
        try:
            told = {"verbs": VERBS} if role.startswith("operator") else {}
            assert _valid(answer_of(role, asker(ScriptedChatModel(answer=answer), journal=journal), **told))
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
