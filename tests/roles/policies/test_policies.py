"""Policies of roles: the settings that make them, answers that are asked for again, and pictures."""

import base64
import json
import time
from pathlib import Path
from typing import Any

import pytest
from brain import brain
from pydantic import ValidationError
from support import desktop
from typer.testing import CliRunner
from worked.model_runs import ROLES, worked_by_model

from environments.simulated.desktop import SimulatedDesktop
from orchestrator.cli import app
from orchestrator.runs.outcome import Outcome
from protocol import VisualState
from roles.contracts import GateRequest, OperatorView, PlanRequest, Subtask
from roles.contracts.context import Context
from roles.contracts.limits import Limits
from roles.contracts.signals import ALLOWED_DECISIONS, GateDecision, GateTrigger, Signal
from roles.journal.events import ErrorEvent
from roles.journal.journal import Journal
from roles.journal.transcripts import PICTURE
from roles.policies.fallback import GaveUp, PolicyFault, UnusableAnswer, until_usable
from roles.policies.llm.settings import ModelSettings
from roles.policies.scripted import ScriptedEvaluator, ScriptedManager, ScriptedOperator


def click(name: str) -> dict[str, Any]:
    return {"status": "CONTINUE", "action": {"action_type": "click", "target": {"text": name}}}


def operator(**decisions: list[dict[str, Any]]) -> ScriptedOperator:
    return ScriptedOperator.model_validate({"decisions": decisions})


def view(memory: dict[str, Any] | None = None, name: str = "a", attempt: int = 1) -> OperatorView:
    subtask = Subtask(id=name, title=name, instruction=name, attempt=attempt)
    return OperatorView(user_request="do it", subtask=subtask, app=None, seen=VisualState(), memory=memory or {})


def targets(policy: ScriptedOperator, turns: int, name: str = "a", attempt: int = 1) -> list[str]:
    memory: dict[str, Any] = {}
    said = []
    for _ in range(turns):
        decision = policy.decide(view(memory, name, attempt))
        memory = decision.memory
        said.append(str(decision.action.target.text) if decision.action and decision.action.target else decision.status.value)
    return said


def test_a_script_is_played_by_position_for_each_subtask_and_attempt() -> None:
    assert targets(operator(a=[click("1"), click("2")]), 4) == ["1", "2", "FINISH", "FINISH"]
    policy = operator(a=[click("1"), click("2")])
    first = policy.decide(view())
    assert policy.decide(view()) == first
    assert policy.decide(view(first.memory)) == operator(a=[click("1"), click("2")]).decide(view(first.memory))
    lines = {"a": [click("a")], "a/2": [click("second")], "any": [click("any")]}
    policy = operator(**lines)
    assert targets(policy, 1, "a", 1) == ["a"]
    assert targets(policy, 1, "a", 2) == ["second"]
    assert targets(policy, 1, "b") == ["any"]
    assert targets(operator(a=[click("a")]), 1, "b") == ["ERROR"]
    assert operator(a=[click("1")]).decide(view({"mine": 1})).memory["mine"] == 1


def test_the_manager_answers_by_attempt_and_repeats_its_last_plan_and_a_script_with_a_mistake_is_refused() -> None:
    manager = ScriptedManager.model_validate({"plans": [{"outcome": "plan_failed"}, {"outcome": "infeasible", "reason": "no"}]})
    asked = [manager.plan(PlanRequest(goal="g", attempts=n)).outcome for n in (1, 2, 3, 1)]
    assert asked == ["plan_failed", "infeasible", "infeasible", "plan_failed"]
    with pytest.raises(ValidationError, match="explode"):
        operator(a=[{"status": "CONTINUE", "action": {"action_type": "explode"}}])
    with pytest.raises(ValidationError, match="plans"):
        ScriptedManager(plans=())


def evaluator(**verdicts: list[str]) -> ScriptedEvaluator:
    lines = {trigger: [{"decision": d, "reason": f"{trigger} {n}"} for n, d in enumerate(ds)] for trigger, ds in verdicts.items()}
    return ScriptedEvaluator.model_validate({"verdicts": lines})


def ask(policy: ScriptedEvaluator, trigger: GateTrigger, nth: int) -> GateDecision:
    return policy.judge(GateRequest(trigger=trigger, goal="g", nth=nth)).decision


def test_verdicts_are_given_in_order_for_each_kind_of_gate_in_any_process() -> None:
    policy = evaluator(WORKER_SUCCESS=["gate_fail", "gate_done"], FINAL_CHECK=["gate_fail"])
    asked = [(GateTrigger.WORKER_SUCCESS, 0), (GateTrigger.FINAL_CHECK, 0), (GateTrigger.WORKER_SUCCESS, 1)]
    assert [ask(policy, *a) for a in asked] == [Signal.GATE_FAIL, Signal.GATE_FAIL, Signal.GATE_DONE]
    first, resumed = (evaluator(FINAL_CHECK=["gate_fail", "gate_done"]) for _ in range(2))
    assert ask(first, GateTrigger.FINAL_CHECK, 1) is ask(resumed, GateTrigger.FINAL_CHECK, 1) is Signal.GATE_DONE


@pytest.mark.parametrize("trigger", GateTrigger)
def test_past_the_end_of_the_script_a_gate_gets_an_answer_that_it_may_have(trigger: GateTrigger) -> None:
    assert ask(evaluator(), trigger, 0) in ALLOWED_DECISIONS[trigger]


def asked(*says: Any, reasks: int = 2) -> tuple[Any, list[str], list[ErrorEvent]]:
    """What comes of a policy that says these things in turn, what it was told each time, and what was written down."""
    context = Context(environment=desktop(), journal=Journal(None, time.time), limits=Limits(reasks=reasks))
    told: list[str] = []

    def ask(problem: str) -> Any:
        told.append(problem)
        said = says[len(told) - 1]
        if isinstance(said, Exception):
            raise said
        return said

    return until_usable(context, ask, "answer", role="analyst"), told, [*context.journal.contents(ErrorEvent)]


def test_the_first_usable_answer_counts_and_the_policy_is_told_what_was_wrong_and_that_a_mistake_is_the_same() -> None:
    answer, told, errors = asked(UnusableAnswer("no result"), PolicyFault("unreadable"), 7)
    assert answer == 7
    assert told == ["", "no result", "the policy gave no usable answer: unreadable"]
    assert [error.message for error in errors] == ["no result", "the policy gave no usable answer: unreadable"]
    assert all(error.unusable for error in errors)
    answer, told, errors = asked(*[UnusableAnswer("no result")] * 3)
    assert answer == "no result"
    assert told == ["", "no result", "no result; that is the same mistake again"]
    assert len(errors) == 3


@pytest.mark.parametrize("reasks", [0, 5])
def test_who_has_given_up_is_not_asked_again(reasks: int) -> None:
    answer, told, errors = asked(GaveUp("the model is down"), 7, reasks=reasks)
    assert answer == "the policy gave no usable answer: the model is down"
    assert told == [""]
    assert [error.unusable for error in errors] == [False]


SEEING = tuple(f"crew.{role}.vision=auto" for role in ROLES)


def pictures(outcome: Outcome) -> dict[str, list[list[tuple[int, int]]]]:
    """By role, for each call the sizes of its pictures."""
    said = CliRunner().invoke(app, ["show", outcome.run_id, "--runs-dir", str(outcome.folder.parent), "--prompts", "--json"])
    found: dict[str, list[list[tuple[int, int]]]] = {}
    for call in json.loads(said.output):
        parts = [part for message in call["messages"] for part in message["parts"]]
        found.setdefault(call["role"], []).append([size(part["picture"]) for part in parts if "picture" in part])
    return found


def size(picture: str) -> tuple[int, int]:
    png = base64.b64decode(picture.removeprefix(PICTURE))
    assert png.startswith(b"\x89PNG")
    return int.from_bytes(png[16:20]), int.from_bytes(png[20:24])


@pytest.mark.parametrize(("side", "wanted"), [("null", (1280, 800)), ("640", (640, 400))])
def test_each_role_is_shown_the_screen_and_a_gate_how_it_was_and_is(tmp_path: Path, side: str, wanted: tuple[int, int]) -> None:
    outcome = worked_by_model(tmp_path, brain, *SEEING, f"crew.model={{name: given, picture_side: {side}}}")
    assert outcome.status == "fulfilled", outcome.reason
    told = pictures(outcome)
    assert told["manager"] == [[wanted]]
    assert all(one == [wanted] for one in told["operator"])
    assert [wanted, wanted] in told["evaluator"]


@pytest.mark.parametrize("profile", [{"image_inputs": False}, None], ids=["a blind model", "no pictures"])
def test_a_model_that_is_known_to_be_blind_or_where_there_are_none_is_shown_no_picture(
    tmp_path: Path, profile: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    if profile is None:
        monkeypatch.delattr(SimulatedDesktop, "screenshot")
    outcome = worked_by_model(tmp_path, brain, *SEEING, **({"profile": profile} if profile else {}))
    assert outcome.status == "fulfilled", outcome.reason
    assert {len(one) for calls in pictures(outcome).values() for one in calls} == {0}


@pytest.mark.parametrize(
    ("name", "screen", "shown", "tokens"),
    [
        ("anthropic:claude-x", (1280, 800), (1280, 800), 1_401),
        ("anthropic:claude-x", (3840, 2160), (1430, 804), 1_584),
        ("openai:gpt-x", (1280, 800), (1229, 768), 1_105),
        ("openai:gpt-x", (3840, 2160), (1365, 768), 1_105),
        ("google_genai:gemini-x", (1280, 800), (1280, 800), 1_032),
        ("ollama:some", (3840, 2160), (1568, 882), 1_882),
    ],
)
def test_a_picture_is_as_large_as_its_provider_takes_it_and_costs_what_it_says(
    name: str, screen: tuple[int, int], shown: tuple[int, int], tokens: int
) -> None:
    size = ModelSettings(name=name).pictures
    share = size.share(*screen)
    assert (round(screen[0] * share), round(screen[1] * share)) == shown
    assert abs(size.tokens(*screen) - tokens) <= tokens * 0.05
