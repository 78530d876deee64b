"""A person decides: asked in the form of an approval, and asked again where the words are no decision."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from orchestrator.crew import Crew
from protocol import AgentStatus, GUIElement, VisualState
from roles.contracts import AnalystRequest, AppWords, Fact, GateRequest, OperatorView, PlanRequest, ScriptRequest, Subtask
from roles.contracts.signals import GateDecision, GateTrigger, Signal
from roles.policies.fallback import GaveUp
from roles.policies.human import HumanPolicy

APPS = (AppWords(app="mail", title="Mail"), AppWords(app="notes", title="Notes"))
SEEN = VisualState(app="mail", elements=(GUIElement(element_id="1", text="Save", role="button"),))
VIEW = OperatorView(
    user_request="g", subtask=Subtask(id="a", title="a", instruction="save it", app="mail"), app="mail", seen=SEEN, apps=APPS
)
PLAN = PlanRequest(goal="mail it", apps=APPS)
GATE = GateRequest(trigger=GateTrigger.WORKER_SUCCESS, goal="mail it", screens=(SEEN,))


def person(*words: str | None) -> tuple[HumanPolicy, list[dict[str, Any]]]:
    """Says these words; None is a rejection."""
    asked: list[dict[str, Any]] = []

    def ask(request: dict[str, Any]) -> Any:
        asked.append(request)
        said = words[len(asked) - 1]
        kind = {"type": "reject"} if said is None else {"type": "respond", "message": said}
        return {"decisions": [kind]}

    return HumanPolicy("operator", ask=ask), asked


@pytest.mark.parametrize(
    ("words", "status", "verb"),
    [
        ('click "Save"', AgentStatus.CONTINUE, "click"),
        ("done", AgentStatus.FINISH, None),
        ("Done it is saved", AgentStatus.FINISH, None),
        ("fail there is no such mail", AgentStatus.FAIL, None),
        ("finish_goal()", AgentStatus.FINISH, None),
        ('{"status": "CONFIRM", "action": {"action_type": "press_key", "keys": "Enter"}}', AgentStatus.CONFIRM, "press_key"),
    ],
)
def test_a_line_a_word_or_json_is_a_decision(words: str, status: AgentStatus, verb: str | None) -> None:
    decision = person(words)[0].decide(VIEW)
    assert (decision.status, decision.action.verb if decision.action else None) == (status, verb)


def test_what_is_no_decision_is_asked_again_with_the_reason_and_not_for_ever() -> None:
    policy, asked = person('clik "Save"', '{"status": "CONTINUE"}', 'click "Save"')
    assert policy.decide(VIEW).action is not None
    questions = [request["action_requests"][0]["args"]["question"] for request in asked]
    assert "save it" in questions[0]
    assert "did you mean" in questions[1]
    assert "needs an action" in questions[2]
    assert len({request["digest"] for request in asked}) == 3
    with pytest.raises(GaveUp, match="no usable answer"):
        person("x", "y", "z")[0].decide(VIEW)


def test_no_answer_is_no_decision() -> None:
    for words in (None, "  "):
        with pytest.raises(GaveUp, match="gave no decision"):
            person(words)[0].decide(VIEW)


def test_lines_are_a_plan_one_after_the_other() -> None:
    answer = person("mail: find the sum; notes: write it down")[0].plan(PLAN)
    assert [(s.app, s.instruction, s.depends_on) for s in answer.subtasks] == [
        ("mail", "find the sum", ()),
        ("notes", "write it down", ("p1-1",)),
    ]
    assert person("infeasible no mail")[0].plan(PLAN).outcome == "infeasible"
    assert person('{"outcome": "nothing_left"}')[0].plan(PLAN).outcome == "nothing_left"
    policy, asked = person("browser: look", "mail: look")
    assert policy.plan(PLAN).subtasks[0].app == "mail"
    assert "there are mail, notes" in asked[1]["action_requests"][0]["args"]["question"]


@pytest.mark.parametrize(
    ("words", "decision"),
    [("done", Signal.GATE_DONE), ("gate_fail: the sum is wrong", Signal.GATE_FAIL), ("Continue", Signal.GATE_CONTINUE)],
)
def test_a_verdict_is_a_word_and_why(words: str, decision: GateDecision) -> None:
    assert person(words)[0].judge(GATE).decision is decision


def test_a_verdict_that_is_not_allowed_is_asked_again() -> None:
    policy, asked = person("supplement", "fail the sum is wrong")
    assert policy.judge(GATE).issues == ("the sum is wrong",)
    assert len(asked) == 2


def test_a_run_waits_for_each_decision_and_goes_on_in_another_process(tmp_path: Path) -> None:
    """Each resume opens the run anew from its folder."""
    roles = ("manager", "operator", "evaluator")
    settings = [f"crew.{role}.policy=human" for role in roles] + [f"runs_dir={tmp_path}"]
    outcome = Crew.from_config(overrides=settings).run("write a note that says Hello")
    assert (outcome.exit_code, outcome.pending and outcome.pending["kind"]) == (3, "decision")
    lines = [
        "no plan", "notes: write a note that says Hello", 'open "notes"', "click nothing", 'click "New note"',
        'fill "Title" with "Hello"', 'click "Save"', "done", "done I saw it", "done",
    ]  # fmt: skip
    reasons = []
    for line in lines:
        crew = Crew.from_config(overrides=settings)
        outcome = crew.resume(outcome.run_id, {"decisions": [{"type": "respond", "message": line}]})
        reasons.append(outcome.reason)
    assert outcome.status == "fulfilled"
    assert "'no plan' is not APP: INSTRUCTION" in reasons[0]
    done = [step["verb"] for step in outcome.report["steps"]]
    assert done == ["launch_app", "click", "fill", "save"]
    events = json.dumps(outcome.report)
    assert "waiting for a decision" in reasons[3]
    assert "Hello" in events


SCRIPT = ScriptRequest(goal="g", subtask=Subtask(id="a", title="a", instruction="count them"), files=("/a.txt",))
QUESTION = AnalystRequest(
    goal="g",
    subtask=Subtask(id="a", title="a", instruction="What is twice the total?"),
    facts=(Fact(name="total", value="$7.50"), Fact(name="pin", value="4711", private=True)),
)


@pytest.mark.parametrize(
    ("words", "outcome", "code"),
    [
        ("bash: wc -l a.txt", "run", "wc -l a.txt"),
        ("python:\nif 1:\n    print(1)", "run", "if 1:\n    print(1)"),
        ("done it is counted", "done", None),
        ("cannot there is no such file", "cannot", None),
        ('{"outcome": "run", "script": {"language": "bash", "code": "ls"}}', "run", "ls"),
    ],
)
def test_a_person_writes_scripts(words: str, outcome: str, code: str | None) -> None:
    answer = person(words)[0].write(SCRIPT)
    assert (answer.outcome, answer.script.code if answer.script else None) == (outcome, code)


def test_a_persons_formula_is_worked_out_and_what_they_know_is_taken() -> None:
    answer = person('twice = fact "total" * 2\nrate: 19 %')[0].answer(QUESTION)
    assert [(r.name, r.value, r.used) for r in answer.results] == [("twice", "$15.00", ("total",)), ("rate", "19 %", ())]
    assert person("missing the rate")[0].answer(QUESTION).missing == ("the rate",)


@pytest.mark.parametrize(
    ("asked", "bad", "good", "why"),
    [
        ("write", "perl: print", "bash: ls", "neither bash: CODE"),
        ("answer", "fifteen", "twice: $15.00", "neither NAME = FORMULA"),
        ("answer", 'twice = fact "debt" * 2', "twice: $15.00", 'the fact "debt" is not known'),
        ("answer", '{"results": 3}', "twice: $15.00", "That is no answer"),
    ],
)
def test_words_that_are_neither_are_asked_for_again(asked: str, bad: str, good: str, why: str) -> None:
    policy, heard = person(bad, good)
    assert policy.write(SCRIPT).script if asked == "write" else policy.answer(QUESTION).results
    assert why in heard[1]["action_requests"][0]["args"]["question"]
    assert "4711" not in json.dumps(heard)
