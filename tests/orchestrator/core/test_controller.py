"""The compiled controller takes every row of the table, ends as seed 002 says, never acts unreviewed, and records each change."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
from langgraph.graph import END, START, StateGraph
from support import Handbook, Run, decide, desktop, planned, subtask, verdict

from orchestrator.core.controller import build_controller
from orchestrator.core.machine import ANYWHERE, ROWS
from protocol import ActionTarget, AgentStatus, Click, Fill, OperatorDecision
from roles.contracts import GateVerdict, PlanAnswer
from roles.contracts.limits import Limits
from roles.contracts.nodes import Graph
from roles.contracts.policies import Granularity, SteeringInput
from roles.contracts.signals import GateTrigger, Signal
from roles.manager.graph import ManagerState

AMOUNT, VENDOR, SUBMIT = ActionTarget(text="Amount"), ActionTarget(text="Vendor"), ActionTarget(text="Submit")
FILL = decide(Fill(target=AMOUNT, text="$5.00"))
OTHER = decide(Fill(target=VENDOR, text="Acme"))
PRESS = decide(Click(target=SUBMIT))
GIVE_UP = OperatorDecision(status=AgentStatus.FAIL, comment="no way through")
WANTS_HELP = OperatorDecision(status=AgentStatus.FAIL, comment="do not know how", supplement="how to fill the form")
DONE, FAIL, CONTINUE, SUPPLEMENT = (
    verdict(d) for d in (Signal.GATE_DONE, Signal.GATE_FAIL, Signal.GATE_CONTINUE, Signal.GATE_SUPPLEMENT)
)
SUCCESS, STALE, PERIODIC, FINAL = (
    GateTrigger.WORKER_SUCCESS, GateTrigger.WORKER_STALE, GateTrigger.PERIODIC_CHECK, GateTrigger.FINAL_CHECK,
)  # fmt: skip
INFEASIBLE = PlanAnswer(outcome="infeasible", reason="it cannot be done here")
A, B = planned(subtask("a")), planned(subtask("b"))
AB = planned(subtask("a"), subtask("b", "a"))
PART = A.model_copy(update={"more": True})
ASKS, NOTHING = PlanAnswer(outcome="supplement_needed", query="how to do it"), PlanAnswer(outcome="nothing_left")
AMOUNTS = [decide(Fill(target=AMOUNT, text=f"${n}.00")) for n in range(1, 21)]


def plain() -> Run:
    return Run([AB], {"a": [FILL], "b": [OTHER]}).go()


def given_plan() -> Run:
    run = Run([INFEASIBLE], {"a": [FILL]})
    version = run.journal.save_plan((subtask("a"),))
    run.result = run.graph.invoke({"goal": "do it", "plan_version": version}, run.config, context=run.context, durability="sync")
    return run


def already_ended() -> Run:
    run = plain()
    run.go()
    return run


def plan_rejected() -> Run:
    run = Run([A, B], {"b": [FILL]}, parts={"review_plans": True}).go()
    run.go({"type": "reject", "message": "otherwise"})
    run.go({"type": "approve"})
    return run


def stale() -> Run:
    lines = {"a": [decide(Click(target=AMOUNT))] * 12, "b": [FILL]}
    return Run([A, B], lines, {STALE: [CONTINUE, SUPPLEMENT]}, sources=[Handbook("tip")]).go()


def failing(status: str, times: int) -> Run:
    desk = desktop(f"[{{when: {{after_actions: 0}}, fail: {{label: Save draft, status: {status}, times: {times}}}}}]")
    lines = {"a": [FILL, SAVE, SAVE, SAVE, SAVE], "b": [OTHER]}
    return Run([A, B], lines, desk=desk, limits=Limits(retries=2)).go()


def rejected() -> Run:
    run = Run([A, INFEASIBLE], {"a": [FILL, PRESS]}).go()
    run.go({"type": "reject", "message": "no"})
    return run


def cancelled() -> Run:
    run = Run([planned(subtask("a"))], {"a": [FILL]})
    run.journal.begin = lambda: run.journal.set_meta("cancelled", True)  # type: ignore[method-assign]
    run.go()
    return run


class Saying(SteeringInput):
    """A person who says something, to be minded by a plan, as soon as this has happened."""

    def __init__(self, when: Callable[[], bool]) -> None:
        self._when = when
        self._minded = False

    def unplanned(self) -> str:
        return "" if self._minded or not self._when() else 'the user said: "mind the date"'

    def planned(self) -> None:
        self._minded = self._when()


def steered(kind: str) -> Run:
    """Something is said once there is an event of this kind."""
    plans = [planned(subtask("a")), planned(subtask("a"), subtask("b", "a"))]
    run = Run(plans, {"a": [FILL, OTHER], "b": [OTHER]})
    run.context = run.context.with_(say=Saying(lambda: any(run.journal.events(kind))))
    run.go()
    return run


def never_answered() -> Run:
    """The Evaluator relies on what nobody saw, however often it is asked."""
    invented = GateVerdict(decision=Signal.GATE_DONE, reason="I saw it", evidence=("state:made-up",))
    return Run([planned(subtask("a"))] * 9, {"a": [FILL]}, {GateTrigger.WORKER_SUCCESS: [invented] * 99}).go()


STORIES: dict[str, tuple[Callable[[], Run], str]] = {
    "plain": (plain, "fulfilled"),
    "given plan": (given_plan, "fulfilled"),
    "already ended": (already_ended, "fulfilled"),
    "infeasible": (lambda: Run([INFEASIBLE]).go(), "rejected"),
    "refused": (lambda: Run([A], {"a": [FILL]}, {FINAL: [FAIL.model_copy(update={"refused": True})]}).go(), "rejected"),
    "plan failed": (lambda: Run([planned(subtask("a", "b"), subtask("b", "a")), A], {"a": [FILL]}).go(), "fulfilled"),
    "plan rejected": (plan_rejected, "fulfilled"),
    "nothing left": (lambda: Run([A, NOTHING], {"a": [FILL]}, {FINAL: [FAIL, DONE]}).go(), "fulfilled"),
    "planned in parts": (lambda: Run([PART, AB], {"a": [FILL], "b": [OTHER]}).go(), "fulfilled"),
    "nothing more after all": (lambda: Run([PART, NOTHING], {"a": [FILL]}).go(), "fulfilled"),
    "plan needs supplement": (lambda: Run([ASKS, ASKS, A], {"a": [FILL]}, sources=[Handbook("a page")]).go(), "fulfilled"),
    "worker gives up": (lambda: Run([A, B], {"a": [GIVE_UP], "b": [FILL]}).go(), "fulfilled"),
    "worker needs supplement": (lambda: Run([A, B], {"a": [WANTS_HELP], "b": [FILL]}, sources=[Handbook()]).go(), "fulfilled"),
    "stale": (stale, "fulfilled"),
    "checked periodically": (
        lambda: Run([A], {"a": AMOUNTS[:5]}, {PERIODIC: [CONTINUE, CONTINUE]}, limits=Limits(check_every=2)).go(), "fulfilled",
    ),
    "gate fails": (lambda: Run([A, B], {"a": [FILL], "b": [OTHER]}, {SUCCESS: [FAIL]}).go(), "fulfilled"),
    "error retried": (lambda: failing("error", 1), "fulfilled"),
    "error too often": (lambda: failing("error", 9), "fulfilled"),
    "timeout retried": (lambda: failing("timeout", 1), "fulfilled"),
    "timeout too often": (lambda: failing("timeout", 9), "fulfilled"),
    "rejected": (rejected, "rejected"),
    "out of steps": (lambda: Run([A], {"a": AMOUNTS}, limits=Limits(steps=4)).go(), "rejected"),
    "cancelled": (cancelled, "rejected"),
    "never answered": (never_answered, "rejected"),
    "steered at work": (lambda: steered("outcome"), "fulfilled"),
    "steered at the end": (lambda: steered("gate"), "fulfilled"),
}  # fmt: skip


@pytest.fixture(scope="module")
def stories() -> dict[str, Run]:
    return {name: tell() for name, (tell, _) in STORIES.items()}


@pytest.mark.parametrize("name", STORIES)
def test_every_story_ends_as_the_seed_says(stories: dict[str, Run], name: str) -> None:
    assert stories[name].status == STORIES[name][1], stories[name].result


def test_every_row_of_the_table_is_taken(stories: dict[str, Run]) -> None:
    taken = {row for run in stories.values() for row in run.rows}
    assert {row.name for row in ROWS} - taken == set()
    for signal in ANYWHERE:
        assert any(f"--{signal}--> DONE" in row for row in taken)


def test_each_row_follows_from_the_one_before_and_a_task_is_fulfilled_by_subtasks_that_are_or_were_replaced(
    stories: dict[str, Run],
) -> None:
    for name, run in stories.items():
        situations = [(body["situation"], body["next"]) for body in run.bodies("situation")]
        for (_, reached), (left, _) in pairwise(situations):
            assert reached == left or left == "INIT", f"{name}: {situations}"
        if run.status == "fulfilled":
            ended = {event.subtask: event.body["status"] for event in run.journal.events("subtask_status")}
            assert set(ended.values()) <= {"fulfilled", "rejected"}, name
            assert "fulfilled" in ended.values(), name


def test_planning_more_than_ten_times_rejects_the_task() -> None:
    answers = [planned(subtask(f"a{n}")) for n in range(30)]
    run = Run(answers, {f"a{n}": [GIVE_UP] for n in range(30)}).go()
    assert (run.status, run.result["plans"]) == ("rejected", 10)
    assert "plans" in run.result["reason"]


def test_a_held_action_runs_only_after_the_gate_lets_it_and_never_where_it_fails() -> None:
    seen: list[str] = []
    desk = desktop()

    def watch(event: Any) -> None:
        if event.kind == "gate":
            seen.append(f"gate after {len(desk.received())}")

    limits = Limits(check_every=2)
    Run([A], {"a": AMOUNTS[:5]}, {PERIODIC: [CONTINUE] * 9}, desk=desk, limits=limits, listener=watch).go()
    assert seen[:2] == ["gate after 2", "gate after 4"]
    assert [item["action"]["text"] for item in desk.received()] == [f"${n}.00" for n in range(1, 6)]
    run = Run([A, INFEASIBLE], {"a": AMOUNTS[:5]}, {PERIODIC: [FAIL]}, limits=Limits(check_every=2)).go()
    assert [item["action"]["text"] for item in run.desk.received()] == ["$1.00", "$2.00"]


def test_a_gate_decision_that_is_not_allowed_is_asked_for_again_and_then_fails() -> None:
    wrong = [SUPPLEMENT] * 9
    run = Run([planned(subtask("a")), INFEASIBLE], {"a": [FILL]}, {SUCCESS: wrong}, limits=Limits(reasks=2)).go()
    errors = [body["message"] for body in run.bodies("error")]
    assert len(errors) == 3
    assert all("gate_supplement is not allowed at WORKER_SUCCESS" in message for message in errors)
    assert run.status == "rejected"


def test_a_rejected_action_is_planned_around_and_never_executed() -> None:
    run = Run([planned(subtask("a")), planned(subtask("b"))], {"a": [FILL, PRESS], "b": [OTHER]}).go()
    assert run.asked["action_requests"][0]["name"] == "click"
    run.go({"type": "reject", "message": "use the vendor instead"})
    assert run.status == "fulfilled"
    assert all(item["action"]["action_type"] == "fill" for item in run.desk.received())


def test_the_environment_received_exactly_the_reviewed_actions(stories: dict[str, Run]) -> None:
    for name, run in stories.items():
        allowed = {e.body["action"] for e in run.journal.events("reviewed") if e.body["verdict"] == "allow"}
        approved = {e.body["line"] for e in run.journal.events("approval") if e.body["decision"] == "approve"}
        outcomes = [e.body["line"] for e in run.journal.events("outcome")]
        assert set(outcomes) <= allowed | approved, name
        keys = [item["key"] for item in run.desk.received()]
        assert len(keys) == len(set(keys)), name


def test_workers_that_cannot_act_say_so_and_the_manager_plans_anew() -> None:
    plans = [planned(subtask("t", worker="technician")), planned(subtask("n", worker="analyst")), planned(subtask("a"))]
    run = Run(plans, {"a": [FILL]}).go()
    assert run.status == "fulfilled"
    assert [event.role for event in run.journal.events("error")] == ["technician", "analyst"]


def test_fulfilled_subtasks_stay_as_they_are_when_planned_anew() -> None:
    changed = subtask("a").model_copy(update={"instruction": "something else"})
    run = Run([planned(subtask("a"), subtask("b", "a")), planned(changed, subtask("c", "a"))],
              {"a": [FILL], "b": [GIVE_UP], "c": [OTHER]}).go()  # fmt: skip
    latest = run.bodies("plan")[-1]["subtasks"]
    assert next(s for s in latest if s["id"] == "a")["instruction"] == "do a"
    assert [item["action"]["text"] for item in run.desk.received()] == ["$5.00", "Acme"]


def test_a_role_can_be_replaced_by_a_graph_of_ones_own_and_an_unknown_one_is_refused() -> None:
    def refuse(state: ManagerState) -> dict[str, Any]:
        return {"report": {"signal": "infeasible", "summary": "my own manager says no"}}

    own: Any = StateGraph(ManagerState)
    own.add_node("refuse", refuse)
    own.add_edge(START, "refuse")
    own.add_edge("refuse", END)
    run = Run([INFEASIBLE])
    graph: Graph = build_controller(run.context, roles={"manager": own.compile()})
    assert graph.invoke({"goal": "x"})["reason"] == "my own manager says no"
    with pytest.raises(ValueError, match="unknown role 'driver'"):
        build_controller(roles={"driver": None})  # type: ignore[dict-item]


@pytest.mark.parametrize("granularity", ["coarse", "fine"])
def test_a_worker_that_dies_in_an_effect_goes_on_from_the_cursor_in_the_journal(
    monkeypatch: pytest.MonkeyPatch, granularity: Granularity
) -> None:
    """No checkpoint was written between the actions of a delegation, and yet nothing is decided or done a second time."""

    class Killed(BaseException):
        pass

    def worked(fatal: int) -> tuple[Run, int, list[Any]]:
        run, asked, done = Run([A], {"a": AMOUNTS[:5]}), list[int](), list[str]()
        run.graph = build_controller(checkpointer=run.saver, granularity=granularity)
        assert run.context.operator is not None
        ask, perform = run.context.operator.decide, run.desk.perform

        class Counted:
            def decide(self, view: Any) -> OperatorDecision:
                asked.append(view.step)
                return ask(view)

        def performing(action: Any, *, key: str) -> Any:
            result = perform(action, key=key)
            done.append(key)
            if len(done) == fatal:
                raise Killed
            return result

        run.context = run.context.with_(operator=Counted())
        monkeypatch.setattr(run.desk, "perform", performing)
        try:
            run.go()
        except Killed:
            run.journal._cursor = None  # that and what a signal leaves no time to write are gone with a process
            run.saver.conn.execute("DELETE FROM checkpoints WHERE checkpoint_ns <> ''")
            run.result = run.graph.invoke(None, run.config, context=run.context, durability="sync")
        assert run.status == "fulfilled"
        assert asked == [1, 2, 3, 4, 5, 6]
        steps = [(step.step, step.action, step.before, step.after) for step in run.journal.all_steps(9)]
        return run, len(run.desk.received()), [steps, [event.body for event in run.journal.events("observed")]]

    undisturbed = worked(0)
    for fatal in (1, 3, 5):
        assert worked(fatal)[1:] == undisturbed[1:]


SAVE = decide(Click(target=ActionTarget(text="Save draft")))


# --- every change is an event -------------------------------------------------------------------------------------------


def subtasks(run: Run) -> list[tuple[str, str, str]]:
    return [(event.subtask, event.body["before"], event.body["status"]) for event in run.journal.events("subtask_status")]


def test_a_task_is_created_pending_while_it_is_worked_on_hold_while_it_waits_and_then_ended() -> None:
    run = Run([A], {"a": [FILL, PRESS]}).go()
    run.go({"type": "approve"})
    told = [body["status"] for body in run.bodies("task_status")]
    assert told == ["created", "pending", "on_hold", "pending", "fulfilled"]


@pytest.mark.parametrize(("story", "first"), [("plain", "fulfilled"), ("worker gives up", "rejected")])
def test_a_subtask_is_ready_then_pending_then_fulfilled_or_rejected_and_replaced(
    stories: dict[str, Run], story: str, first: str
) -> None:
    assert {s["status"] for s in stories[story].bodies("plan")[0]["subtasks"]} == {"ready"}
    assert subtasks(stories[story]) == [
        ("a", "ready", "pending"), ("a", "pending", first), ("b", "ready", "pending"), ("b", "pending", "fulfilled"),
    ]  # fmt: skip


@pytest.mark.parametrize(("story", "status"), [("plain", "executed"), ("error retried", "error"), ("timeout retried", "timeout")])
def test_what_came_of_each_action_is_written_and_decides_what_follows(stories: dict[str, Run], story: str, status: str) -> None:
    run = stories[story]
    taken = [row for row in run.rows if row.startswith("EXECUTE_ACTION")]
    assert taken[1].startswith(f"EXECUTE_ACTION --{status}")
    assert run.bodies("outcome")[1]["exec_status"] == status == run.journal.all_steps(9)[1].exec_status


def test_the_history_holds_every_level_of_a_run_in_order(stories: dict[str, Run]) -> None:
    run = stories["gate fails"]
    levels = {"task_status", "subtask_status", "situation", "outcome", "gate", "plan"}
    events = [event.kind for event in run.journal.events() if event.kind in levels]
    first = {kind: events.index(kind) for kind in levels}
    assert first["task_status"] < first["plan"] < first["subtask_status"] < first["outcome"] < first["gate"]
    assert events[-1] == "task_status"
    assert [body["decision"] for body in run.bodies("gate")] == ["gate_fail", "gate_done", "gate_done"]
