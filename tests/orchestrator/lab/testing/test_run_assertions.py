"""Assertions on a run hold when they should, and say what was there when they do not."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from orchestrator.errors import UsageProblem
from orchestrator.lab.testing.run import CrewRun
from orchestrator.lab.testing.script import BadScript, action_line, compressed, gate_line, mismatch, plan_line
from orchestrator.lab.testing.stage import Stage

CLAIM = """
    name: claim
    apps: {reimbursement: {}, notes: {}}
    open: [reimbursement]
"""
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
