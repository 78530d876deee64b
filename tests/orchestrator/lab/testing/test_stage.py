"""Scripts replace what they name and nothing else; the stage keeps worlds, answers and settings."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from orchestrator.errors import UsageProblem
from orchestrator.lab.testing.script import BadScript, ScriptLine, action_line, gate_line, plan_line
from orchestrator.lab.testing.stage import Stage, approver
from protocol import AgentStatus, OperatorDecision
from roles.contracts import PlanAnswer

COPY = "Find the invoice total on the billing page and copy it into the reimbursement form"
CLAIM = "name: claim\napps: {reimbursement: {}, notes: {}}\nopen: [reimbursement]\n"


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    made = Stage(tmp_path)
    yield made
    made.close()


def test_only_the_scripted_gate_is_otherwise(stage: Stage) -> None:
    plain = stage(COPY, "seed=3")
    stage.script.lines.append(gate_line("gate_fail", 2, None, "scripted", ""))
    run = stage(COPY, "seed=3")
    assert [gate.decision for gate in plain.gates] == ["gate_done"] * 3
    assert [gate.decision for gate in run.gates] == ["gate_done", "gate_fail", "gate_done", "gate_done"]
    assert run.gates[0] == plain.gates[0]
    stage.script.lines[:] = [gate_line("gate_fail", 1, "FINAL_CHECK", "look again", "")]
    run = stage(COPY, "seed=3")
    run.assert_gate("FINAL_CHECK", "gate_fail", because="look again", times=1)
    run.assert_gate("WORKER_SUCCESS", "gate_fail", times=0)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (lambda: gate_line("gate_fail", 40, None, "", ""), "no gate number 40"),
        (lambda: gate_line("gate_fail", 1, "WORKER_STALE", "", ""), "no WORKER_STALE gate number 1"),
        (lambda: plan_line("infeasible", 9, ""), "no planning attempt number 9"),
        (lambda: action_line("wait 1", 1, "zz"), "no decision number 1 of subtask 'zz'"),
        (lambda: gate_line("gate_supplement", 1, None, "", ""), "asked for by WORKER_SUCCESS, which allows .*: gate_supplement"),
        (lambda: gate_line("gate_fial", 1, None, "", ""), "no gate decision 'gate_fial'; did you mean 'gate_fail'"),
        (lambda: gate_line("gate_fail", 1, "FINAL", "", ""), "no gate trigger 'FINAL'; did you mean 'FINAL_CHECK'"),
        (lambda: gate_line("gate_fail", 0, None, "", ""), "at=0: the first one is at=1"),
        (lambda: plan_line("impossible", 1, ""), "neither a list of subtasks nor one of planned, nothing_left"),
    ],
)
def test_a_line_that_was_never_used_or_cannot_be_fails_the_test(stage: Stage, line: Callable[[], ScriptLine], said: str) -> None:
    with pytest.raises(BadScript, match=said):  # noqa: PT012 - written wrongly, or never come to
        stage.script.lines.append(line())
        stage(COPY)


def test_a_run_that_waits_may_still_come_to_its_lines(stage: Stage) -> None:
    stage.world(CLAIM)
    stage.script.lines.append(action_line('click "New claim"', 6, None))
    run = stage('Submit a claim with the vendor "Oak" and the amount "5.00"')
    assert run.status == "on_hold"
    stage.resume(run, "approve").assert_executed("click", target="New claim", times=2)


def test_plans_can_be_given_as_subtasks_yaml_outcome_or_answer(stage: Stage) -> None:
    subtask = {"id": "a", "instruction": "do it", "expect": [{"kind": "fact_known", "name": "x"}]}
    by_list, by_yaml = plan_line([subtask], 1, ""), plan_line("[{id: a, instruction: do it}]", 1, "")
    assert by_list.said.subtasks[0].title == by_yaml.said.subtasks[0].title == "do it"
    assert len(by_list.said.subtasks[0].expect) == 1
    answer = PlanAnswer(outcome="infeasible", reason="no")
    assert plan_line(answer, 2, "").said is answer
    stage.script.lines.append(plan_line("infeasible", 1, "the shop is closed"))
    run = stage(COPY)
    assert (run.status, run.reason) == ("rejected", "the shop is closed")


def test_an_action_can_be_a_whole_decision(stage: Stage) -> None:
    given_up = OperatorDecision(status=AgentStatus.FAIL, comment="no way", reasoning="the form is locked")
    stage.script.lines.append(action_line(given_up, 1, "o1"))
    run = stage(COPY, "seed=3")
    run.assert_replanned(because="cannot_execute")
    run.assert_replanned(because="the form is locked")


def test_what_the_hand_did_is_how_the_first_run_finds_the_desktop(stage: Stage) -> None:
    desk = stage.world(CLAIM, seed=2)
    desk.do('fill "Amount" with "$7.00"')
    with pytest.raises(AssertionError, match=r'by hand: click "Nowhere"'):
        desk.do('click "Nowhere"')
    assert desk.shows("$7.00")
    stage.script.lines.append(plan_line("infeasible", 1, ""))
    stage("do nothing")
    assert desk.shows("$7.00")
    stage("do nothing")
    assert not desk.shows("$7.00"), "the second run begins anew"


def test_settings_presets_and_faults_reach_the_run(stage: Stage) -> None:
    stage.world("office", seed=3)
    run = stage(COPY, "limits.gates=50", "faults=['break:1']", policies="paranoid", answer="approve")
    settings = run.record["settings"]
    assert (settings["world"], settings["seed"]) == ("office", 3)
    assert (settings["limits"]["gates"], settings["policies"], settings["safety"]) == (50, "paranoid", "ask-all")
    assert any(action.error for action in run.actions)
    with pytest.raises(BadScript, match="unknown part 'planner'"):
        stage(COPY, planner=object())
    with pytest.raises(UsageProblem, match=r"unknown key 'limits.setps'"):
        stage(COPY, "limits.setps=3")


def test_answers_go_by_what_is_asked() -> None:
    by_glob = approver({"*delete*": "reject: keep it", "*name*": "Ada", "*": "approve"})
    assert by_glob is not None

    def answered(what: str, kind: str = "approval") -> object:
        args = {"question": what} if kind == "question" else {}
        found = by_glob({"action_requests": [{"args": args, "description": what}], "kind": kind})  # type: ignore[misc]
        return found and {key: found["decisions"][0].get(key) for key in ("type", "message")}

    assert answered('click "Delete"') == {"type": "reject", "message": "keep it"}
    assert answered("Which name?", "question") == {"type": "respond", "message": "Ada"}
    assert answered('click "Submit"') is not None
    assert answered("Which day?", "question") is None, "a question wants words"
    assert approver(None) is None
