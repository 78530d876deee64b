"""Gates through the real graph: evidence that exists, decisions that are allowed, and eyes on nothing but observations."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
from killed import dies, killed
from pydantic import BaseModel
from support import FINISH, Run, decide, planned, subtask, verdict

from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.world.worldfile import load_world
from orchestrator.control.requests import approving
from orchestrator.runs.outcome import Outcome
from orchestrator.runs.runs import resume, start
from orchestrator.settings.layers import shipped
from orchestrator.settings.settings import load_settings
from orchestrator.tasks.tasks import Task, load_task
from protocol import ActionTarget, Click, Fill, LaunchApp, Memorize, OperatorDecision, Wait
from roles.contracts import Fact, FactKnown, FieldHas, GateRequest, GateVerdict, OperatorView, PlanAnswer, Report
from roles.contracts.limits import Limits
from roles.contracts.orders import Entry, FillStep, ReadStep
from roles.contracts.signals import GateTrigger, Signal, SubtaskStatus
from roles.evaluator.evidence import gather
from roles.evaluator.rules import RulesEvaluator
from roles.journal.events import ModelCallEvent, SubtaskStatusEvent
from roles.journal.journal import Journal
from roles.operator.rules import RulesOperator
from roles.policies.scripted import TrustingEvaluator

FILL = decide(Fill(target=ActionTarget(text="Amount"), text="$5.00"))
SAVE = decide(Click(target=ActionTarget(text="Save draft")))
AMOUNT = FieldHas(label="Amount", value="$5.00", app="reimbursement")
INFEASIBLE = PlanAnswer(outcome="infeasible", reason="no other way")
AMOUNTS = "Enter $5.00 as the amount in the reimbursement form"
NOT_SUBMITTED = "submit it: nothing was seen to be done that is to submit"


def worked(target: Task | str, folder: Path, *overrides: str, **parts: Any) -> Outcome:
    layer = target.layer() if isinstance(target, Task) else None
    loaded = load_settings(overrides=[f"runs_dir={folder}", *overrides], task_layer=layer)
    return start(loaded, target, approver=approving, parts=parts)


def gates(run: Run) -> list[dict[str, Any]]:
    return run.bodies("gate")


def test_every_id_that_a_verdict_names_stands_in_the_journal(tmp_path: Path) -> None:
    outcome = worked(load_task(shipped("tasks", "prepare-the-payment.yaml")), tmp_path)
    journal = Journal(outcome.folder / "journal.sqlite", time.time)
    steps, facts = {s.step for s in journal.all_steps(1000)}, {f.name for f in journal.facts()}
    named = [name for event in journal.events("gate") for name in event.body["evidence"]]
    for name in named:
        kind, _, key = name.partition(":")
        held = {"state": lambda key: journal.screens.get(key), "step": lambda key: int(key) in steps, "fact": facts.__contains__}
        assert held[kind](key), name
    assert {name.partition(":")[0] for name in named} == {"state", "step", "fact"}
    journal.close()


def test_a_verdict_on_made_up_evidence_is_asked_for_again_and_ends_the_run_after_the_reasks_and_not_after_the_plans() -> None:
    asked: list[str] = []

    class Inventing:
        def judge(self, request: GateRequest) -> GateVerdict:
            asked.append(request.reask)
            return GateVerdict(decision=Signal.GATE_DONE, reason="I saw it", evidence=("state:made-up",))

    run = Run([planned(subtask("a"))] * 10, {"a": [FILL]}, parts={"evaluator": Inventing()}, limits=Limits(reasks=2)).go()
    assert (run.status, run.result["ended_by"], run.result["plans"], len(asked)) == ("rejected", "no_answer", 1, 3)
    assert gates(run)[0]["decision"] == "gate_fail"
    assert all("there is no evidence 'state:made-up'" in body["message"] for body in run.bodies("error"))
    assert len(set(asked)) == 3, "the same mistake twice is not asked about in the same words"


def test_a_goal_of_which_nothing_was_to_be_done_is_rejected_at_the_end_and_not_planned_again() -> None:
    no = GateVerdict(decision=Signal.GATE_FAIL, reason="the user did not agree", refused=True)
    run = Run([planned(subtask("a"))] * 3, {"a": [FILL]}, {GateTrigger.FINAL_CHECK: [no]}).go()
    assert (run.status, run.result["plans"]) == ("rejected", 1)
    assert gates(run)[-1]["refused"] is True


def test_a_manager_whose_plans_cannot_be_used_is_not_asked_ten_times() -> None:
    run = Run([planned(subtask("a", "nobody"))] * 12, {}, limits=Limits(reasks=2)).go()
    assert (run.status, run.result["ended_by"], run.result["plans"]) == ("rejected", "no_answer", 3)


def test_what_stood_there_before_the_first_change_is_no_work_of_the_subtask() -> None:
    desk = SimulatedDesktop(load_world("office"))
    desk.perform(LaunchApp(app="settings"), key="first")
    name = next(e.value for e in desk.observe().elements if e.name == "Account name")
    fields = (FieldHas(label="Account name", value=name), FieldHas(label="Email address", value="ada@example.com"))
    write = decide(Fill(target=ActionTarget(text="Email address"), text="ada@example.com"))
    run = Run(
        [planned(subtask("a", expect=fields))],
        {"a": [decide(LaunchApp(app="settings")), write]},
        desk=SimulatedDesktop(load_world("office")),
    ).go()
    found = gates(run)[0]["found"]["checked"]
    assert [(one["held_before"], one["holds"]) for one in found] == [(True, True), (False, True)]


def test_a_policy_is_told_what_it_took() -> None:
    asked: list[GateRequest] = []

    class Listening(RulesEvaluator):
        def judge(self, request: GateRequest) -> GateVerdict:
            asked.append(request)
            return super().judge(request)

    Run([planned(subtask("a", expect=(AMOUNT,)))], {"a": [FILL, FILL]}, parts={"evaluator": Listening()}).go()
    found = asked[0].found
    assert found is not None
    assert (found.steps, found.failed, found.idle, found.repeated) == (2, 0, 1, 1)
    first, second = asked[0].steps
    turned = second.model_copy(update={"visible_change": True})  # the same press, on the page after the first
    assert gather(asked[0].model_copy(update={"steps": (first, turned)})).repeated == 0
    assert gather(asked[0].model_copy(update={"steps": (first, turned, first)})).repeated == 1


def test_a_worker_that_says_done_and_has_done_nothing_is_held_up_by_rules_and_believed_by_trust() -> None:
    for evaluator, status in ((RulesEvaluator(), "rejected"), (TrustingEvaluator(), "fulfilled")):
        plans = [planned(subtask("a", expect=(AMOUNT,))), INFEASIBLE]
        assert Run(plans, {"a": []}, parts={"evaluator": evaluator}).go().status == status


def test_an_order_of_the_goal_that_nobody_worked_is_an_issue_whoever_judges() -> None:
    for parts in ({"evaluator": RulesEvaluator()}, {}):
        plans = [planned(subtask("a", expect=(AMOUNT,))), INFEASIBLE]
        run = Run(plans, {"a": [FILL]}, parts=parts, goal=f"{AMOUNTS} and submit it").go()
        assert (run.status, gates(run)[-1]["issues"]) == ("rejected", [f"missing: {NOT_SUBMITTED}"])


PARTLY = " Let nobody be any the wiser about it."
"""Words that belong to no order."""


class Insisting:
    """Says that all is done, and leaves the trace of a model that was asked."""

    journal: Journal

    def judge(self, request: GateRequest) -> GateVerdict:
        self.journal.record(ModelCallEvent(model="m", tokens_in=1, tokens_out=1, seconds=0.0), role="evaluator")
        return GateVerdict(decision=Signal.GATE_DONE, reason="it is done")


INSISTS = "the Evaluator insists that it is done"


def judged(goal: str, evaluator: Any, lines: dict[str, list[Any]], *expect: Any) -> Run:
    """A run with a subtask for each of the lines, each planned when the one before was not enough."""
    plans = [planned(subtask(name, expect=expect)) for name in lines]
    run = Run([*plans, INFEASIBLE], lines, parts={"evaluator": evaluator}, goal=goal)
    evaluator.journal = run.journal
    return run.go()


@pytest.mark.parametrize(
    ("rest", "evaluator", "status"),
    [(PARTLY, Insisting(), "fulfilled"), (PARTLY, RulesEvaluator(), "rejected"), ("", Insisting(), "rejected")],
    ids=["a model", "rules", "a goal that is read whole"],
)
def test_an_order_of_a_goal_read_in_part_is_held_once_and_then_left_to_a_model_that_insists(
    rest: str, evaluator: Insisting | RulesEvaluator, status: str
) -> None:
    run = judged(f"{AMOUNTS} and submit it.{rest}", evaluator, {"a": [FILL], "b": []}, AMOUNT)
    assert run.status == status
    assert gates(run)[1]["issues"] == [f"missing: {NOT_SUBMITTED}"]
    assert (INSISTS in gates(run)[-1]["reason"]) is (status == "fulfilled")
    states = {entry["text"]: entry["state"] for entry in run.bodies("ledger")[-1]["entries"]}
    assert states["submit it"] == ("unchecked" if status == "fulfilled" else "missing")


@pytest.mark.parametrize(
    ("goal", "done", "status"),
    [
        ("Pin the claim.", [FILL, SAVE], "fulfilled"),
        ("Pin the claim.", [], "rejected"),
        ("Submit the claim.", [FILL, SAVE], "rejected"),
    ],
    ids=["something was changed", "nothing was changed", "code would know it"],
)
def test_an_order_that_may_have_been_done_in_another_way_is_left_to_a_model_that_was_told_and_insists(
    goal: str, done: list[Any], status: str
) -> None:
    run = judged(goal, Insisting(), {"a": done, "b": []})
    assert [entry.get("kind", "order") for entry in run.bodies("ledger")[0]["entries"]] == ["order"], "it is read whole"
    assert run.status == status
    assert (INSISTS in gates(run)[-1]["reason"]) is (status == "fulfilled")


def test_a_value_that_is_missing_is_held_however_often_the_evaluator_insists() -> None:
    goal = f"{AMOUNTS.replace('5', '7')}.{PARTLY}"
    run = judged(goal, Insisting(), {"a": [FILL], "b": [], "c": []}, AMOUNT)
    assert run.status == "rejected"
    assert run.result["plans"] == 2, "the same finding on the same evidence costs no third plan"


VENDOR = decide(Fill(target=ActionTarget(text="Vendor"), text="Oak"))
WAIT = decide(Wait(seconds=1))


@pytest.mark.parametrize(("then", "plans"), [([], 2), ([decide(LaunchApp(app="notes"))], 2), ([VENDOR], 3), ([WAIT], 3)])
def test_a_veto_of_the_final_check_is_said_twice_on_the_same_evidence_and_costs_no_third_plan(then: Any, plans: int) -> None:
    """Whoever planned was told of the first; where its plan did nothing, another one would come to the same check."""
    no = GateVerdict(decision=Signal.GATE_FAIL, reason="that is not it", issues=("that is not it",))
    run = Run(
        [planned(subtask(name)) for name in "abcdef"], {"a": [FILL], "b": then, "any": []}, {GateTrigger.FINAL_CHECK: [no] * 6}
    ).go()
    assert (run.status, run.result["ended_by"], run.result["plans"]) == ("rejected", "infeasible", plans)
    assert gates(run)[-1]["reason"].endswith("it was the same at the previous check, and nothing was done about it")


@pytest.mark.parametrize(("then", "checks"), [([], 2), ([VENDOR], 3)])
def test_a_worker_that_does_nothing_when_it_is_to_go_on_is_not_told_so_again(then: Any, checks: int) -> None:
    on = GateVerdict(decision=Signal.GATE_CONTINUE, reason="it is not saved")
    run = Run([planned(subtask("a")), INFEASIBLE], {"a": [FILL, FINISH, *then]}, {GateTrigger.WORKER_SUCCESS: [on] * 9}).go()
    assert [gate["decision"] for gate in gates(run)] == ["gate_continue"] * (checks - 1) + ["gate_fail"]
    assert run.status == "rejected"


@pytest.mark.parametrize(("more", "refused"), [({}, True), ({"pinned": True}, False)])
def test_a_goal_given_whole_that_the_final_check_refuses_is_rejected_and_one_that_is_pinned_is_not_worked_twice(
    more: Any, refused: bool
) -> None:
    whole = subtask("a", **more).model_copy(update={"instruction": AMOUNTS})
    checks = {GateTrigger.FINAL_CHECK: [verdict(Signal.GATE_FAIL), verdict(Signal.GATE_DONE)]}
    run = Run([planned(whole), planned(whole, subtask("b"))], {"a": [FILL], "b": [VENDOR]}, checks, goal=AMOUNTS).go()
    assert run.status == "fulfilled"
    assert ("rejected" in [body["status"] for body in run.bodies(SubtaskStatusEvent.KIND)]) is refused


class Once:
    """At this trigger does not take what was done, until something more is."""

    def __init__(self, trigger: GateTrigger, refuses: Signal) -> None:
        self._trigger, self._refuses = trigger, refuses

    def judge(self, request: GateRequest) -> GateVerdict:
        enough = request.trigger is not self._trigger or request.number > 2
        issues = () if enough or self._refuses is Signal.GATE_CONTINUE else ("not enough",)
        return GateVerdict(decision=Signal.GATE_DONE if enough else self._refuses, reason="not enough", issues=issues)


@pytest.mark.parametrize(
    ("trigger", "refuses"),
    [(GateTrigger.WORKER_SUCCESS, Signal.GATE_CONTINUE), (GateTrigger.FINAL_CHECK, Signal.GATE_FAIL)],
)
def test_a_gate_that_is_decided_again_after_a_kill_is_not_held_against_itself(
    trigger: GateTrigger, refuses: Signal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts = {"evaluator": Once(trigger, refuses)}
    loaded = load_settings(overrides=[f"runs_dir={tmp_path}", "display=none"])
    whole = start(loaded, AMOUNTS, approver=approving, parts=parts)

    def dies_behind_the_gate(**said: Any) -> Report:
        if said["signal"] in {refuses, Signal.ISSUES_FOUND}:
            dies()
        return Report(**said)

    with monkeypatch.context() as patched:
        patched.setattr("roles.evaluator.graph.Report", dies_behind_the_gate)
        killed(lambda: start(loaded, AMOUNTS, approver=approving, parts=parts))
    (folder,) = (path for path in tmp_path.iterdir() if path.is_dir() and path.name != whole.folder.name)
    again = resume(folder.name, runs_dir=tmp_path, approver=approving, parts=parts)
    assert (again.status, again.report["counts"]) == (whole.status, whole.report["counts"])


def test_an_order_whose_words_may_mean_something_else_is_left_to_a_model_at_once() -> None:
    run = judged(f"{AMOUNTS}. Bring the claims in order.{PARTLY}", Insisting(), {"a": [FILL]}, AMOUNT)
    assert (run.status, run.result["plans"]) == ("fulfilled", 1)
    assert "unchecked: Bring the claims in order" in gates(run)[-1]["reason"]


@pytest.mark.parametrize(("rest", "state"), [("Enter $5.00 for Bo too.", "open"), ("Enter the vendor.", "shown")])
def test_an_order_is_ticked_when_its_subtask_has_passed_unless_one_that_is_left_asks_for_it_too(rest: str, state: str) -> None:
    plan = planned(subtask("a", expect=(AMOUNT,)), subtask("b", "a").model_copy(update={"instruction": rest}))
    run = Run([plan], {"a": [FILL], "b": []}, goal=f"{AMOUNTS} and submit it.").go()
    *_, before_the_end, _ = run.bodies("ledger")
    assert [entry.get("state", "open") for entry in before_the_end["entries"]] == [state, "open"]


@pytest.mark.parametrize(
    ("words", "issue"),
    [
        ('Enter "$5.00" as the amount.', ""),
        ('Enter "$5.00" as the amount and flumox the quibbles.', ""),
        ('Enter "fact:amount" as the amount.', ""),  # what no fact says yet cannot be looked for
        ('Enter "$7.00" as the amount.', 'not done: Enter "$7.00" as the amount'),
    ],
)
def test_what_is_understood_of_a_subtasks_words_is_held_against_what_was_done(words: str, issue: str) -> None:
    plans = [planned(subtask("a").model_copy(update={"instruction": words})), INFEASIBLE]
    run = Run(plans, {"a": [FILL]}, parts={"evaluator": RulesEvaluator()}, goal="Quibble over $5.00 or $7.00").go()
    assert run.status == ("rejected" if issue else "fulfilled")
    assert not issue or gates(run)[1]["issues"][0].startswith(issue)


@pytest.mark.parametrize(("done", "status"), [([FILL, VENDOR], "fulfilled"), ([FILL], "rejected")])
def test_what_a_plan_expects_does_not_take_the_place_of_what_its_steps_show(done: list[Any], status: str) -> None:
    steps = (FillStep(app="reimbursement", entries=(Entry(label="Amount", value="$5.00"), Entry(label="Vendor", value="Oak"))),)
    own = subtask("a", expect=(AMOUNT,)).model_copy(update={"steps": steps})
    run = Run([planned(own), INFEASIBLE], {"a": done}, parts={"evaluator": RulesEvaluator()}, goal="Quibble over $5.00").go()
    assert run.status == status


def test_what_an_attempt_that_failed_has_read_is_not_what_the_next_one_was_to_read() -> None:
    reading = subtask("b").model_copy(update={"steps": (ReadStep(app="billing", names=("total",)),)})
    given_up = subtask("a").model_copy(update={"status": SubtaskStatus.REJECTED})
    for reader, holds in (("a", False), ("b", True), ("c", True)):
        facts = (Fact(name="total", value="$9.00", subtask=reader),)
        plan = (given_up, reading.model_copy(update={"expect": (FactKnown(name="total"),)}))
        request = GateRequest(trigger=GateTrigger.WORKER_SUCCESS, goal="g", subtask=plan[1], plan=plan, facts=facts)
        assert [found.holds for found in gather(request).checked] == [holds]


def test_trust_lets_work_go_on_and_plans_anew_only_when_the_worker_itself_is_stuck() -> None:
    asked = (GateRequest(trigger=trigger, goal="g") for trigger in GateTrigger)
    assert {request.trigger.value: TrustingEvaluator().judge(request).decision for request in asked} == {
        "PERIODIC_CHECK": "gate_continue", "WORKER_STALE": "gate_fail", "WORKER_SUCCESS": "gate_done", "FINAL_CHECK": "gate_done",
    }  # fmt: skip


@pytest.mark.parametrize(("replans", "status"), [(0, "rejected"), (1, "fulfilled"), (None, "fulfilled")])
def test_without_replans_a_run_ends_at_the_first_thing_that_does_not_work(replans: int | None, status: str) -> None:
    failing = {GateTrigger.WORKER_SUCCESS: [verdict(Signal.GATE_FAIL, "the amount is wrong")]}
    plans = [planned(subtask("a")), planned(subtask("b"))]
    run = Run(plans, {"a": [FILL], "b": [FILL]}, failing, limits=Limits(replans=replans)).go()
    spent = "the amount is wrong; the budget of 0 replans (limits.replans) is spent"
    assert (run.status, run.result["reason"] == spent) == (status, replans == 0)


def test_planning_in_parts_is_no_replan() -> None:
    part = planned(subtask("a")).model_copy(update={"more": True})
    run = Run([part, planned(subtask("a"), subtask("b", "a"))], {"a": [FILL], "b": [FILL]}, limits=Limits(replans=0)).go()
    assert run.status == "fulfilled"


# --- what an Evaluator never sees -------------------------------------------------------------------------------------

MARK = "kestrel-4711"
SECRET = Task(
    id="secret",
    goal="Read the total of the invoice INV-1042",
    world="office",
    success=(f'"{MARK}" != ""',),
    never=(f'"{MARK}" == "x"',),
    checkpoints={},
    oracle_steps=3,
)


def types_in(annotation: Any, seen: set[Any]) -> Iterator[Any]:
    """Every type that can stand somewhere in a model."""
    if annotation in seen:
        return
    seen.add(annotation)
    yield annotation
    for part in get_args(annotation):
        if not isinstance(part, str):
            yield from types_in(part, seen)
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        for field in annotation.model_fields.values():
            yield from types_in(field.annotation, seen)


def test_what_an_evaluator_is_given_is_made_of_roles_and_protocol_only() -> None:
    models = [t for t in types_in(GateRequest, set()) if isinstance(t, type) and issubclass(t, BaseModel)]
    modules = {model.__module__ for model in models} - {"environments.cards"}
    assert {module.split(".")[0] for module in modules} == {"roles", "protocol"}
    names = {name for model in models for name in model.model_fields}
    assert not names & {"success", "never", "checkpoints", "oracle", "initial", "world", "slots", "harness"}


def test_the_conditions_of_success_reach_no_role_and_no_role_reads_the_true_state(tmp_path: Path) -> None:
    told: list[str] = []

    class Counting(SimulatedDesktop):
        reads = 0

        def world(self) -> dict[str, Any]:
            type(self).reads += 1
            return super().world()

    class Listening:
        def __init__(self, policy: Any, method: str) -> None:
            self._policy, self._method = policy, method

        def __getattr__(self, name: str) -> Any:
            if name != self._method:
                raise AttributeError(name)

            def asked(request: BaseModel) -> Any:
                told.append(request.model_dump_json())
                return getattr(self._policy, name)(request)

            return asked

    methods = {"manager": "plan", "operator": "decide", "evaluator": "judge"}
    outcome = worked(
        SECRET,
        tmp_path,
        environment=Counting(load_world("office"), 0),
        around=lambda role, policy: Listening(policy, methods[role]) if role in methods else policy,
    )
    assert outcome.report["judge"]["checks"][1]["expression"] == SECRET.success[0], "the harness judged by it"
    assert len(told) >= 4
    assert not any(MARK in request for request in told)
    for name in ("journal.sqlite", "checkpoints.sqlite"):
        assert MARK.encode() not in (outcome.folder / name).read_bytes(), name
    assert Counting.reads == 2, "the harness reads the true state at the start and at the end, and nobody else does"


def test_a_gate_compares_the_pictures_where_a_run_keeps_them(tmp_path: Path) -> None:
    task = load_task(shipped("tasks", "stuck-button.yaml"))
    journal = Journal(worked(task, tmp_path, "screenshots.save=all").folder / "journal.sqlite", time.time)
    found = [event.body for event in journal.events("gate")]
    journal.close()
    shown = [gate["found"]["picture"] for gate in found if "picture" in gate["found"]]
    assert shown
    assert all("of the picture of the screen are otherwise than before" in words for words in shown)


class Instead:
    """An Operator by rules that does something else in the place of the first press of a control, and then says it is done.

    Where it is `idle`, it says so at once in the next attempt too.
    """

    def __init__(self, control: str, then: OperatorDecision, *, idle: bool = False) -> None:
        self._control, self._then, self._ends, self.idle = control, then, "", idle

    def decide(self, view: OperatorView) -> OperatorDecision:
        if self._ends:
            return FINISH if self.idle or view.subtask.id == self._ends else RulesOperator().decide(view)
        decision = RulesOperator().decide(view)
        target = decision.action.target if decision.action is not None else None
        if target is None or target.text != self._control:
            return decision
        self._ends = view.subtask.id
        return self._then


NOT_THERE = decide(Memorize(name='body of note "Travel plan', value="All notes", target=ActionTarget(text="All notes")))


@pytest.mark.parametrize(
    ("goal", "worker", "why"),
    [
        (
            'Send ada@example.com a mail with the body of the note "Travel plan"',
            Instead("Travel plan", NOT_THERE),
            "nothing there says that it is the one that is meant",
        ),
        (
            'Change the title of the note "Travel plan" to "Old plan"',
            Instead("Save", decide(Wait(seconds=1))),
            '"Save" was not pressed',
        ),
        (
            'Change the title of the note "Travel plan" to "Old plan"',
            Instead("Save", decide(Wait(seconds=1)), idle=True),
            '"Save" was not pressed',
        ),
    ],
    ids=["a fact that was read where the record is not shown", "a form that was filled in and not saved", "and nothing after it"],
)
def test_what_a_typed_step_asks_for_is_held_to_the_screens(goal: str, worker: Instead, why: str, tmp_path: Path) -> None:
    outcome = worked(goal, tmp_path, f"limits.replans={int(worker.idle)}", operator=worker)
    assert outcome.status == "rejected"
    assert [why in gate["reason"] for gate in outcome.report["gates"]][: 1 + worker.idle] == [True] * (1 + worker.idle)


def over(*presses: str) -> Iterator[OperatorDecision]:
    """What writes a note over one that is open, and then presses."""
    body = Fill(target=ActionTarget(text="Body"), text="not before Friday")
    title = Fill(target=ActionTarget(text="Title"), text="Rain check")
    opened, *after = (Click(target=ActionTarget(text=name)) for name in ("Travel plan", *presses))
    return map(decide, (LaunchApp(app="notes"), opened, body, title, *after))


@pytest.mark.parametrize(
    ("first", "then", "attempts"),
    [(over("Save"), None, 1), (over(), iter([decide(Click(target=ActionTarget(text="Save")))]), 2), (over("Save"), "rules", 2)],
    ids=["at once", "saved by the next attempt", "and made anew by the next attempt"],
)
def test_what_is_written_over_a_record_is_not_made(first: Any, then: Any, attempts: int, tmp_path: Path) -> None:
    class Over:
        def __init__(self) -> None:
            self._subtask = ""

        def decide(self, view: OperatorView) -> OperatorDecision:
            self._subtask = self._subtask or view.subtask.id
            if then == "rules" and self._subtask != view.subtask.id:
                return RulesOperator().decide(view)
            decision = next(first if self._subtask == view.subtask.id else then, None)
            return decision or FINISH

    goal = 'Create a note titled "Rain check" with the text "not before Friday"'
    outcome = worked(goal, tmp_path, f"limits.replans={attempts - 1}", operator=Over())
    assert outcome.status == "rejected"
    reasons = [gate["reason"] for gate in outcome.report["gates"]]
    assert any('was written over "Travel plan"' in why or "Save: Rain check: no order asks for it" in why for why in reasons)
    assert then is not None or "not done: Create a note" in reasons[0], "before the subtask counts as done"


@pytest.mark.parametrize(
    ("world", "goal", "presses", "again", "asked"),
    [
        ("smart-home", "Turn on the bedroom light", ("tab Kitchen", "switch Switch kitchen light"), "switch Switch kitchen light",
         "no order asks for it"),
        ("people", 'Send "On my way" to Maria Novak in chat', ("open chat", "link Maria Novak", "button Mute"), "button Unmute",
         "no order asks for it"),
        # The goal is read in part; its steps came with it.
        ("office", "change-the-language", ("open settings", "switch Mute"), "switch Mute", "no step of the plan asks for it"),
    ],
)  # fmt: skip
def test_what_no_order_asks_to_be_switched_is_not_left_another_way(
    world: str, goal: str, presses: tuple[str, ...], again: str, asked: str, tmp_path: Path
) -> None:
    class Besides:
        """Presses other controls first."""

        def __init__(self, *presses: str) -> None:
            self._first, self._then = iter(presses), RulesOperator()

        def decide(self, view: OperatorView) -> OperatorDecision:
            role, _, name = next(self._first, "").partition(" ")
            if role == "open":
                return decide(LaunchApp(app=name))
            if not name:
                return self._then.decide(view)
            there = next(e for e in view.seen.elements if (e.role, e.name) == (role, name))
            return decide(Click(target=ActionTarget(element_id=there.element_id)))

    def run(*presses: str) -> Outcome:
        task = load_task(shipped("tasks", f"{goal}.yaml")) if world == "office" else goal
        return worked(task, tmp_path, f"world={world}", "limits.replans=0", operator=Besides(*presses))

    left = run(*presses)
    assert left.status == "rejected"
    assert asked in left.report["gates"][-1]["reason"]
    assert run(*presses, again).status == "fulfilled"
