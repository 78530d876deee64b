"""The Python API does what the command does, and the controller is a plain LangGraph graph."""

import asyncio
from pathlib import Path
from typing import Any, TypedDict

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command
from support import Run, decide, planned, subtask
from worked.runs import APPROVE, approve, crew_in

from deskcrew import Crew, UsageProblem
from orchestrator.core.machine import TaskStatus
from orchestrator.runs.open_run import OpenOptions
from orchestrator.runs.outcome import Outcome
from orchestrator.runs.runs import taken_up
from orchestrator.store.salvage import salvage
from protocol import ActionTarget, AgentStatus, Click, GUIElement, OperatorDecision, VisualState
from roles.analyst.graph import build_analyst
from roles.contracts import OperatorView
from roles.evaluator.graph import build_evaluator
from roles.journal.journal import Event
from roles.manager.graph import build_manager
from roles.operator.graph import STAGES
from roles.technician.graph import build_technician

GOAL = 'In the reimbursement form, enter "$12.50" as the amount and save the draft'
SUBMIT_GOAL = 'In the reimbursement form, enter "$12.50" as the amount and submit the form'


@pytest.fixture
def crew(tmp_path: Path) -> Crew:
    return crew_in(tmp_path / "runs", "seed=3")


def test_a_policy_that_gives_something_else_is_named() -> None:
    class Loose:
        def decide(self, view: object) -> object:
            return {"status": "CONTINUE"}

    with pytest.raises(ValueError, match="unknown part 'driver'"):
        Crew(driver=1)
    outcome = Crew(operator=Loose()).run(GOAL)  # type: ignore[arg-type]
    assert outcome.status == "rejected"
    assert "Loose gave dict, not OperatorDecision" in outcome.reason


def test_stream_gives_every_event_and_the_outcome_last(crew: Crew) -> None:
    items = list(crew.stream(GOAL))
    assert isinstance(items[-1], Outcome)
    kinds = [item.kind for item in items if isinstance(item, Event)]
    assert kinds[0] == "run_started"
    assert (items[-1].status, items[-1].exit_code) == ("fulfilled", 0)
    assert (items[-1].folder / "log.jsonl").exists()
    with pytest.raises(UsageProblem, match="empty"):
        list(crew.stream("  "))
    assert {"plan", "situation", "observed", "decided", "reviewed", "outcome", "gate", "run_finished"} <= set(kinds)


def test_the_asynchronous_twins_do_the_same(crew: Crew) -> None:
    async def both() -> tuple[Outcome, list[Any]]:
        return await crew.arun(GOAL), [item async for item in crew.astream(GOAL)]

    outcome, items = asyncio.run(both())
    assert outcome.status == "fulfilled"
    assert isinstance(items[-1], Outcome)
    assert items[-1].status == "fulfilled"


def test_a_fine_graph_shows_every_stage_of_the_operator(crew: Crew) -> None:
    assert {"controller", "manager", "evaluator"} <= set(crew.graph().get_graph().nodes)
    drawn = crew.graph(granularity="fine").get_graph(xray=True).nodes
    assert {f"operator:{name}" for name in STAGES} <= set(drawn)
    config: Any = {"configurable": {"thread_id": "1"}}
    graph = crew.graph(InMemorySaver(), granularity="fine")
    first = graph.invoke({"goal": GOAL}, config)
    second = graph.invoke({"goal": 'Create a note titled "Again" with the text "twice"'}, config)
    assert first["task_status"] == second["task_status"] == TaskStatus.FULFILLED
    assert second["goal"] != first["goal"], "goal after goal"


def test_a_run_of_fine_stages_is_resumed_and_journalled_as_one_of_coarse_stages(tmp_path: Path) -> None:
    told = {}
    for granularity in ("coarse", "fine"):
        crew = crew_in(tmp_path / granularity, "seed=3", f"crew.operator.granularity={granularity}")
        waiting = crew.run(SUBMIT_GOAL)
        with taken_up(waiting.run_id, tmp_path / granularity, OpenOptions()) as opened:
            names = set(opened.graph.get_graph(xray=True).nodes)
        assert ("operator:recognize_elements" in names) == (granularity == "fine")
        done = crew.resume(waiting.run_id, APPROVE)
        assert done.status == "fulfilled"
        told[granularity] = [(e.kind, e.role, e.subtask, e.step) for e in salvage(done.folder / "journal.sqlite").events]
    assert told["fine"] == told["coarse"]


def test_a_recognizer_that_is_given_says_what_the_operator_sees(crew: Crew) -> None:
    class Sure:
        def recognize(self, state: VisualState) -> tuple[GUIElement, ...]:
            return tuple(e for e in state.elements if e.text == "Amount")

    seen: list[set[str]] = []

    class Watching:
        def decide(self, view: OperatorView) -> OperatorDecision:
            seen.append({element.text or "" for element in view.seen.elements})
            return OperatorDecision(status=AgentStatus.FAIL, comment="seen enough")

    Crew(crew.settings, recognizer=Sure(), operator=Watching()).run(GOAL)
    assert seen
    assert set().union(*seen) <= {"Amount"}


def test_the_controller_is_a_node_of_a_users_own_graph_and_its_approvals_surface_there(crew: Crew) -> None:
    class Mine(TypedDict, total=False):
        goal: str
        task_status: str
        note: str

    graph: Any = StateGraph(Mine)
    graph.add_node("desk", crew.graph())
    graph.add_node("after", lambda state: {"note": f"it is {state['task_status']}"})
    graph.add_edge(START, "desk")
    graph.add_edge("desk", "after")
    graph.add_edge("after", END)
    own = graph.compile(checkpointer=InMemorySaver())
    config: Any = {"configurable": {"thread_id": "mine"}}
    out = own.invoke({"goal": SUBMIT_GOAL}, config)
    asked = out["__interrupt__"][0]
    assert asked.value["effect"] == "submit"
    out = own.invoke(Command(resume={asked.id: APPROVE}), config)
    assert out["note"] == "it is fulfilled"
    assert crew.as_tool(approver=approve).invoke({"goal": SUBMIT_GOAL}).startswith("fulfilled"), "and a tool of LangChain"


def test_each_roles_graph_works_alone() -> None:
    run = Run([planned(subtask("a"))], {"a": [decide(Click(target=ActionTarget(text="Amount")))]})
    plan = build_manager(run.context).invoke({"goal": "x", "assignment": {"task": "plan"}})
    assert plan["report"]["signal"] == "planned"
    gate = {"trigger": "FINAL_CHECK", "statuses": {"a": ["fulfilled", 1]}}
    out = build_evaluator(run.context).invoke({"goal": "x", "assignment": gate, "plan_version": plan["plan_version"]})
    assert out["report"]["signal"] == "passed"
    work = {"delegation": {"subtask": {"id": "a", "title": "Add it up", "instruction": "Add it up"}}}
    assert build_technician(run.context).invoke(work)["report"]["signal"] == "cannot_execute"
    assert build_analyst(run.context).invoke(work)["report"]["signal"] == "cannot_execute"
