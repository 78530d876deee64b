"""A run within its budgets: warned of once, ended in a report, and gone on with when a limit is raised."""

import json
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from controlled import events as written
from hypothesis import given, settings
from hypothesis import strategies as st
from support import Handbook, Planner, Run, decide, planned, subtask, verdict
from typer.testing import CliRunner
from worked.runs import APPROVE, crew_in

from deskcrew import UsageProblem
from orchestrator.cli import app
from orchestrator.core.controller import build_controller
from orchestrator.core.hub_line import HubLine
from orchestrator.runs.open_run import recursion_limit
from orchestrator.runs.replay.recording import find_recording
from orchestrator.runs.replay.replay import replay
from orchestrator.runs.runs import resume
from protocol import ActionTarget, AgentStatus, Click, Fill, OperatorDecision, Screenshot, Wait
from roles.contracts import GateRequest, GateVerdict, PlanAnswer
from roles.contracts.limits import Limits
from roles.contracts.signals import GATE_DECISIONS, GateTrigger, Signal
from roles.journal.journal import Journal
from roles.policies.scripted import TrustingEvaluator

SAVE = 'In the reimbursement form, enter "$12.50" as the amount and save the draft'
SUBMIT = 'In the reimbursement form, enter "$12.50" as the amount and submit the form'
AMOUNT = ActionTarget(text="Amount")


def events(folder: Path, kind: str) -> list[dict[str, Any]]:
    return [event.body for event in written(folder, kind)]


def test_a_spent_budget_says_which_and_how_to_go_on_and_keeps_the_trace(tmp_path: Path) -> None:
    outcome = crew_in(tmp_path, "limits.steps=1").run(SAVE)
    assert (outcome.exit_code, outcome.status, outcome.report["ended_by"]) == (4, "rejected", "budget_spent")
    assert outcome.reason == (
        f"the budget of 1 steps (limits.steps) is spent; continue with more: deskcrew resume {outcome.run_id} -c limits.steps=2"
    )
    assert outcome.report["budget_spent"] == {"key": "limits.steps", "used": 1, "limit": 1, "more": "limits.steps=2"}
    assert len(outcome.report["steps"]) == 1
    assert (outcome.folder / "log.jsonl").read_text()


def test_a_run_that_spent_a_budget_goes_on_where_it_stood_when_the_limit_is_raised(tmp_path: Path) -> None:
    whole = crew_in(tmp_path / "whole").run(SAVE)
    crew = crew_in(tmp_path / "cut", "limits.steps=1")
    cut = crew.run(SAVE)
    steps = 1
    while cut.exit_code == 4:
        steps += 1
        cut = crew.resume(cut.run_id, overrides=[f"limits.steps={steps}"])
    assert (cut.exit_code, cut.status) == (0, "fulfilled")
    assert [step["action"] for step in cut.report["steps"]] == [step["action"] for step in whole.report["steps"]]
    assert cut.report["counts"]["plans"] == whole.report["counts"]["plans"]
    changed = events(cut.folder, "limits_changed")
    assert changed[0] == {"limits": {"steps": [1, 2]}}
    assert len(changed) == steps - 1
    again = replay(find_recording(cut.run_id, tmp_path / "cut"))
    assert (again.difference, again.steps, again.note) == (None, cut.report["counts"]["steps"], "")
    assert json.loads((cut.folder / "run.json").read_text())["settings"]["limits"]["steps"] == steps


@pytest.mark.parametrize(
    ("tight", "loose"),
    [
        ("limits.gates=1", "limits.gates=20"),
        ("limits.simulated_seconds=0.5", "limits.simulated_seconds=5000"),
        ("limits.role_steps={operator: 1}", "limits.role_steps.operator=50"),
        ("limits.wall_seconds=0.0001", "limits.wall_seconds=500"),
    ],
)
def test_whatever_is_spent_can_be_raised(tmp_path: Path, tight: str, loose: str) -> None:
    crew = crew_in(tmp_path, tight)
    cut = crew.run(SAVE)
    assert (cut.exit_code, cut.report["ended_by"]) == (4, "budget_spent"), cut.reason
    assert tight.partition("=")[0] in cut.reason
    assert crew.resume(cut.run_id, overrides=[loose]).status == "fulfilled"


def test_only_limits_can_be_otherwise_when_a_run_goes_on(tmp_path: Path) -> None:
    cut = crew_in(tmp_path, "limits.steps=1").run(SAVE)
    more = rf"Continue with more: deskcrew resume {cut.run_id} -c limits"
    with pytest.raises(UsageProblem, match=rf"is finished: .* is spent. {more}"):
        resume(cut.run_id, runs_dir=tmp_path)
    with pytest.raises(UsageProblem, match="only limits can be changed"):
        resume(cut.run_id, runs_dir=tmp_path, overrides=["seed=3"])
    with pytest.raises(UsageProblem, match=r"limits\.steps"):
        resume(cut.run_id, runs_dir=tmp_path, overrides=["limits.steps=none at all"])
    again = resume(cut.run_id, runs_dir=tmp_path, overrides=["limits.gates=99"])
    assert (again.exit_code, len(again.report["steps"])) == (4, 1), "a limit that is not the spent one does not help"
    done = crew_in(tmp_path).run(SAVE)
    with pytest.raises(UsageProblem, match="is finished; see it"):
        resume(done.run_id, runs_dir=tmp_path, overrides=["limits.steps=999"])


def test_it_is_warned_once_of_a_budget_across_processes(tmp_path: Path) -> None:
    crew = crew_in(tmp_path, "limits.plans=1", "limits.gates=5")
    waiting = crew.run(SUBMIT)
    done = crew.resume(waiting.run_id, APPROVE)
    assert done.status == "fulfilled"
    before, used = (one.report["budgets"]["limits.steps"]["used"] for one in (waiting, done))
    assert used == len(done.report["steps"]) > before > 0, "what was spent before the wait counts"
    warned = [body["key"] for body in events(done.folder, "budget_warning")]
    assert warned == ["limits.plans"]
    crew = crew_in(tmp_path / "more", "limits.steps=1")
    cut = crew.run(SAVE)
    assert crew.resume(cut.run_id, overrides=["limits.steps=2"]).exit_code == 4
    told = [(body["key"], body["limit"]) for body in events(cut.folder, "budget_warning")]
    assert told == [("limits.steps", 1), ("limits.steps", 2)]  # a raised budget is another one


def test_a_process_that_was_killed_was_at_work_for_as_long_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = iter(range(0, 10_000, 10))
    monkeypatch.setattr("orchestrator.core.hub_line.time", SimpleNamespace(monotonic=lambda: next(now)))
    killed = Journal(tmp_path / "journal.sqlite", float)
    assert HubLine(killed, Limits()).spent(0) == ""
    killed.intend("run/s1/1/1", Wait(seconds=1))
    killed.commit()  # and here it dies
    with closing(Journal(tmp_path / "journal.sqlite", float)) as journal:
        line = HubLine(journal, Limits(wall_seconds=25))
        assert line.elapsed() == 10 + 10
        assert "wall_seconds" in line.spent(1)
    killed.close()


def test_the_command_line_warns_raises_and_says_what_to_type(tmp_path: Path) -> None:
    run = CliRunner()
    where = ["--runs-dir", str(tmp_path), "--display", "plain"]
    first = run.invoke(app, ["run", SAVE, *where, "-c", "limits.steps=1"])
    assert first.exit_code == 4
    name = next(tmp_path.iterdir()).name
    assert "nearly spent: 1 of 1 steps used (limits.steps)" in first.output
    assert f"deskcrew resume {name} --runs-dir" in first.output
    assert "-c limits.steps=2" in first.output
    second = run.invoke(app, ["resume", name, *where, "-c", "limits.steps=40"])
    assert second.exit_code == 0, second.output
    assert "limits  steps: 1 → 40" in second.output
    shown = run.invoke(app, ["show", name, "--runs-dir", str(tmp_path), "--json"])
    assert json.loads(shown.output)["report"]["budgets"]["limits.steps"]["limit"] == 40


def test_recoveries_and_answers_that_cannot_be_used_are_counted(tmp_path: Path) -> None:
    lost = [decide(Click(target=ActionTarget(text="nowhere")))] * 9
    run = Run([planned(subtask("a"))] * 9, {"a": lost}, limits=Limits(recoveries=2)).go()
    assert (run.status, run.result["ended_by"]) == ("rejected", "budget_spent")
    assert "2 recoveries (limits.recoveries)" in run.result["reason"]
    assert len(run.bodies("recovered")) == 2
    wrong = [verdict(Signal.GATE_SUPPLEMENT)] * 9
    run = Run([planned(subtask("a"))], {"a": []}, {GateTrigger.WORKER_SUCCESS: wrong}, limits=Limits(unusable=2, reasks=5)).go()
    assert (run.status, run.result["ended_by"]) == ("rejected", "budget_spent"), "it can be gone on with, unlike no_answer"
    assert "2 unusable answers (limits.unusable)" in run.result["reason"]


@pytest.mark.parametrize("trigger", [GateTrigger.WORKER_SUCCESS, GateTrigger.FINAL_CHECK])
def test_a_check_that_spent_the_last_unusable_answer_is_made_again_once_there_may_be_more(trigger: GateTrigger) -> None:
    wrong = verdict(Signal.GATE_SUPPLEMENT)
    limits = Limits(unusable=2, reasks=1)
    run = Run([planned(subtask("a"))] * 3, {"a": [decide(Fill(target=AMOUNT, text="$5.00"))]}, limits=limits)
    run.context = run.context.with_(evaluator=Wrong(trigger, wrong, times=2))
    run.go()
    assert run.result["ended_by"] == "budget_spent"
    assert "2 unusable answers (limits.unusable) is spent" in run.result["reason"]
    run.context = run.context.with_(limits=limits.model_copy(update={"unusable": 9}))
    run.context = run.context.with_(line=type(run.context.line)(run.journal, run.context.limits))  # type: ignore[call-arg]
    run.result = run.graph.invoke({"goal": "do it", "reopen": True}, run.config, context=run.context, durability="sync")
    assert (run.status, run.result["plans"], len(run.desk.received())) == ("fulfilled", 1, 1)
    assert run.context.evaluator.asked == [trigger] * 3  # type: ignore[union-attr]


class Wrong(TrustingEvaluator):
    """Gives so many verdicts that cannot be used at one trigger, and notes how often it was asked there."""

    def __init__(self, trigger: GateTrigger, wrong: GateVerdict, times: int) -> None:
        self.trigger, self.wrong, self.times = trigger, wrong, times
        self.asked: list[GateTrigger] = []

    def judge(self, request: GateRequest) -> GateVerdict:
        if request.trigger is not self.trigger:
            return super().judge(request)
        self.asked.append(request.trigger)
        return self.wrong if len(self.asked) <= self.times else super().judge(request)


def test_who_plans_is_told_what_is_nearly_spent() -> None:
    plans = [planned(subtask(f"s{n}")) for n in range(9)]
    manager = Planner(*plans)
    gives_up = [OperatorDecision(status=AgentStatus.FAIL, comment="no")]
    Run(plans, {f"s{n}": gives_up for n in range(9)}, limits=Limits(plans=5), parts={"manager": manager}).go()
    told = [request.nearly_spent for request in manager.requests]
    assert told == [(), (), (), (), ("4 of 5 plans used (limits.plans)",)]


_LINES = st.sampled_from(
    [
        decide(Fill(target=AMOUNT, text="$5.00")), decide(Fill(target=ActionTarget(text="Vendor"), text="Acme")),
        decide(Click(target=ActionTarget(text="Submit"))), decide(Click(target=ActionTarget(text="nothing"))),
        decide(Wait(seconds=1)), decide(Screenshot()), OperatorDecision(status=AgentStatus.FAIL, comment="no"),
        OperatorDecision(status=AgentStatus.FAIL, comment="how?", supplement="how to"),
    ]
)  # fmt: skip
_PLANS = st.sampled_from(
    [
        planned(subtask("a")), planned(subtask("a"), subtask("b", "a")), planned(subtask("a"), subtask("b")),
        planned(subtask("b"), subtask("a", "b")), planned(subtask("a", "zz")),
        *(PlanAnswer(outcome=said, query="q") for said in ("nothing_left", "supplement_needed", "plan_failed", "infeasible")),
    ]
)  # fmt: skip
_LIMITS = st.builds(
    Limits,
    plans=st.integers(1, 12), steps=st.integers(1, 15), gates=st.integers(1, 12), max_steps=st.integers(1, 8),
    max_recovery_attempts=st.integers(0, 4), retries=st.integers(0, 3), check_every=st.integers(1, 5),
    looks=st.integers(0, 2), replans=st.none() | st.integers(0, 3),
    recoveries=st.none() | st.integers(1, 5), stale_repeats=st.integers(2, 9),
)  # fmt: skip


@settings(max_examples=settings.default.max_examples * 3 // 2)
@given(
    limits=_LIMITS,
    plans=st.lists(_PLANS, min_size=1, max_size=6),
    lines=st.dictionaries(st.sampled_from(["a", "b"]), st.lists(_LINES, max_size=12), max_size=2),
    verdicts=st.dictionaries(st.sampled_from(GateTrigger), st.lists(st.sampled_from(GATE_DECISIONS).map(verdict), max_size=8)),
    fine=st.booleans(),
    answer=st.sampled_from(["approve", "reject"]),
)
def test_whatever_the_policies_say_the_run_ends_within_its_budgets_and_skips_no_check(
    limits: Limits, plans: Any, lines: Any, verdicts: Any, fine: bool, answer: str
) -> None:
    """GraphRecursionError would come out of `go`."""
    run = Run(plans, lines, verdicts, limits=limits, sources=[Handbook("page")])
    run.graph = build_controller(checkpointer=run.saver, granularity="fine" if fine else "coarse")
    run.config = {"configurable": {"thread_id": "1"}, "recursion_limit": recursion_limit(limits)}
    run.go()
    while "__interrupt__" in run.result:
        run.go({"type": answer})
    assert run.status in {"fulfilled", "rejected"}
    assert run.result["plans"] <= limits.plans
    assert run.result["gates"] <= limits.gates
    received = [item for item in run.desk.received() if item["action"]["action_type"] not in {"wait", "scroll", "screenshot"}]
    assert len(received) <= limits.steps
    if answer == "reject":
        assert run.desk.world()["apps"]["reimbursement"]["claims"] == {}
    assert (run.status == "fulfilled") == any(row.startswith("FINAL_CHECK --passed") for row in run.rows)


@settings(max_examples=settings.default.max_examples // 4)
@given(limits=_LIMITS, lines=st.lists(_LINES, max_size=12), plans=st.lists(_PLANS, min_size=1, max_size=6))
def test_a_budget_may_be_raised_wherever_it_was_spent(limits: Limits, lines: Any, plans: Any) -> None:
    """The same graph with wider limits goes on from where it stopped, and never does an action twice."""
    run = Run(plans, {"a": lines, "b": lines}, limits=limits).go()
    for width in range(2, 9):
        while "__interrupt__" in run.result:
            run.go({"type": "approve"})
        if run.result["ended_by"] != "budget_spent":
            break
        done = len(run.desk.received())
        wider = {
            name: getattr(limits, name) * width + 1
            for name in ("plans", "steps", "gates", "replans", "recoveries")
            if getattr(limits, name) is not None
        }
        run.context = run.context.with_(limits=limits.model_copy(update=wider))
        run.context = run.context.with_(line=type(run.context.line)(run.journal, run.context.limits))  # type: ignore[call-arg]
        run.result = run.graph.invoke({"goal": "do it", "reopen": True}, run.config, context=run.context, durability="sync")
        assert len(run.desk.received()) >= done
        assert run.bodies("situation")[-1]["next"] == "DONE" or "__interrupt__" in run.result
    keys = [item["key"] for item in run.desk.received()]
    assert len(keys) == len(set(keys))
