"""Assertions on a run say what was there where they do not hold; scripts replace what they name, and the stage keeps the rest."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from orchestrator.errors import UsageProblem
from orchestrator.lab.testing.run import CrewRun
from orchestrator.lab.testing.script import BadScript, ScriptLine, action_line, compressed, gate_line, mismatch, plan_line
from orchestrator.lab.testing.stage import Stage, approver
from protocol import AgentStatus, OperatorDecision
from roles.contracts import PlanAnswer

CLAIM = "name: claim\napps: {reimbursement: {}, notes: {}}\nopen: [reimbursement]\n"
HAND_IN = [{"id": "a", "instruction": "hand the claim in", "app": "reimbursement"}]
COPY = "Find the invoice total on the billing page and copy it into the reimbursement form"


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    made = Stage(tmp_path)
    yield made
    made.close()


def submitting(stage: Stage, answer: str | None) -> CrewRun:
    """A run that fills a field and wants to submit."""
    stage.world(CLAIM)
    stage.script.lines.append(plan_line(HAND_IN, 1, "as written"))
    stage.script.lines += [action_line('fill "Amount" with "$5.00"', 1, None), action_line('click "Submit"', 2, "a")]
    return stage("hand the claim in", answer=answer)


PATH = ["INIT", "PLAN", "GET_ACTION", "EXECUTE_ACTION", "GET_ACTION", "QUALITY_CHECK", "PLAN", "DONE"]


def test_a_path_fits_itself_and_every_pattern_with_gaps() -> None:
    for pattern in (
        PATH, [...], [..., "DONE"], ["INIT", ..., "DONE"], ["INIT", "PLAN", ..., "QUALITY_CHECK", "PLAN", ..., "DONE"],
        [..., "GET_ACTION", ..., "GET_ACTION", ..., "PLAN", ...], [..., ..., "PLAN", "DONE", ...],
    ):  # fmt: skip
        assert mismatch(pattern, PATH) == ""  # type: ignore[arg-type]
    with pytest.raises(BadScript, match=r"no situation 'GET_ACTON'; did you mean 'GET_ACTION'\?"):
        mismatch(["INIT", ..., "GET_ACTON"], PATH)
    assert compressed(["A", *["B", "C"] * 3, "D", "D", "E"]) == "A (B C)×3 D×2 E"


@pytest.mark.parametrize(
    ("pattern", "why"),
    [
        (["PLAN", ...], "PLAN, number 1 of 2, should come where INIT came"),
        (["INIT", "PLAN"], "after PLAN it went on"),
        ([*PATH, "DONE"], "should come where the path ended"),
        (["INIT", ..., "SUPPLEMENT", ..., "DONE"], "SUPPLEMENT, number 3 of 5, does not come any more"),
        ([..., "QUALITY_CHECK", "GET_ACTION", ...], "GET_ACTION, number 3 of 4, should come where PLAN came"),
        ([], "after the start it went on"),
    ],
)
def test_a_path_that_does_not_fit_is_told_where_it_left(pattern: list[object], why: str) -> None:
    said = mismatch(pattern, PATH)  # type: ignore[arg-type]
    assert why in said
    assert said.endswith("walked    INIT PLAN GET_ACTION EXECUTE_ACTION GET_ACTION QUALITY_CHECK PLAN DONE")


def test_a_run_that_waited_goes_on_with_its_script_and_its_world(stage: Stage) -> None:
    waiting = submitting(stage, None)
    assert waiting.status == "on_hold"
    waiting.assert_asked("*submit*", app="reimbursement", times=1)
    waiting.assert_executed("fill", target="Amount")
    waiting.assert_never_executed("submit")
    with pytest.raises(AssertionError, match="never asked about '\\*submit\\*' and answered approve"):
        waiting.assert_asked("*submit*", decision="approve")
    run = stage.resume(waiting, "approve")
    run.assert_asked("*submit*", decision="approve", times=1)
    run.assert_executed("submit", times=1)
    run.assert_executed("click", target="Submit")
    (claim,) = run.world["apps"]["reimbursement"]["claims"].values()
    assert claim["amount"] == "5.00"
    with pytest.raises(AssertionError, match=r'verb=.submit.*:\n  step 2 of a: click "Submit" in reimbursement'):
        run.assert_never_executed("submit")
    with pytest.raises(AssertionError, match="target='\\*mit'"):
        run.assert_never_executed(target="*mit")
    run.assert_never_executed("send")
    run.assert_never_executed("submit", app="mail")


def test_an_assertion_that_could_not_fail_is_refused(stage: Stage) -> None:
    run = submitting(stage, "approve")
    with pytest.raises(BadScript, match="no verb 'sumbit'; did you mean 'submit'"):
        run.assert_never_executed("sumbit")
    with pytest.raises(BadScript, match="says nothing"):
        run.assert_never_executed()
    with pytest.raises(BadScript, match="no trigger 'FINAL'; did you mean 'FINAL_CHECK'"):
        run.assert_gate("FINAL", "gate_done")
    with pytest.raises(BadScript, match="no decision 'gate_failed'; did you mean 'gate_fail'"):
        run.assert_gate("FINAL_CHECK", "gate_failed")
    with pytest.raises(BadScript, match="no signal 'gate_failed'"):
        run.assert_replanned(because="gate_failed")
    with pytest.raises(BadScript, match="no decision 'approved'; did you mean 'approve'"):
        run.assert_asked(decision="approved")


def test_a_rejection_is_a_reason_to_plan_again_by_its_signal_and_by_the_users_words(stage: Stage) -> None:
    run = submitting(stage, "reject: not before Monday")
    run.assert_replanned(because="approval_rejected", times=1)
    run.assert_replanned(because="before monday")
    with pytest.raises(AssertionError, match=r"never planned again because of 'gate_fail'.*\n  approval_rejected: reject click"):
        run.assert_replanned(because="gate_fail")


def test_gates_and_help_that_was_looked_for_are_reasons_to_plan_again(stage: Stage) -> None:
    stage.script.lines.append(gate_line("gate_supplement", 1, "PERIODIC_CHECK", "it is not clear how", "reimbursement"))
    run = stage(COPY, "seed=3", "limits.check_every=2")
    run.assert_replanned(because="gate_supplement")
    run.assert_replanned(because="it is not clear how")
    run.assert_path([..., "QUALITY_CHECK", "SUPPLEMENT", "PLAN", ...])
    run.assert_gate("FINAL_CHECK", "gate_done", because="every subtask is fulfilled")
    with pytest.raises(AssertionError, match="1 times, not 2"):
        run.assert_gate("FINAL_CHECK", "gate_done", times=2)
    assert [value[:1] for value in run.facts.values()] == ["$"]


def test_equal_runs_tell_the_same_story_and_others_are_told_apart(stage: Stage, tmp_path: Path) -> None:
    with pytest.raises(UsageProblem, match=r"run\.json cannot be read"):
        CrewRun(tmp_path)
    first, second, other = (stage(COPY, f"seed={seed}") for seed in (3, 3, 4))
    first.assert_same_as(second)
    stored = CrewRun(second.folder)
    stored.assert_same_as(first.folder)
    with pytest.raises(UsageProblem, match="does not tell its state"):
        _ = stored.world
    with pytest.raises(AssertionError, match="the runs differ") as caught:
        other.assert_same_as(first)
    changed = [line for line in str(caught.value).splitlines() if re.match(r"[-+] ", line)]
    assert changed
    assert all("→  PLAN" not in line for line in changed)


def test_a_plan_that_writes_nothing_does_not_pass_where_the_goal_wants_something_written(stage: Stage) -> None:
    stage.world("office", seed=3)
    only_read = [{"id": "s1", "instruction": "Find the invoice total on the billing page.", "app": "billing"}]
    stage.script.lines.append(plan_line(only_read, 1, ""))
    run = stage(COPY)
    run.assert_gate("FINAL_CHECK", "gate_fail")
    run.assert_replanned(because="missing: copy it into the reimbursement form")
    assert run.status == "rejected"


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
