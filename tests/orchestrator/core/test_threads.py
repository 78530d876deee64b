"""A graph in many threads: a world each, other processes, schemas, and checkpoints of before."""

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command
from support import desktop
from warm import python

from deskcrew import Crew, UsageProblem
from orchestrator.tasks.tasks import Task

SAVE = 'In the reimbursement form, enter "$12.50" as the amount and save the draft'
SUBMIT = 'In the reimbursement form, enter "$12.50" as the amount and submit the form'
APPROVE: Any = Command(resume={"decisions": [{"type": "approve"}]})
PROCESS = """
import json, sys
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.types import Command
from deskcrew import Crew, UsageProblem
folder, given, store = sys.argv[1:]
with SqliteSaver.from_conn_string(f"{folder}/checkpoints.sqlite") as saver:
    graph = Crew.from_config(overrides=["seed=3"]).graph(saver, store=f"{folder}/threads" if store else None)
    command = {"goal": given} if given else Command(resume={"decisions": [{"type": "approve"}]})
    try:
        out = graph.invoke(command, {"configurable": {"thread_id": "one"}})
        print(json.dumps({"waits": "__interrupt__" in out, "status": out.get("task_status"), "reason": out.get("reason")}))
    except UsageProblem as bad:
        print(json.dumps({"problem": str(bad)}))
"""


def thread(name: str) -> Any:
    return {"configurable": {"thread_id": name}}


@pytest.fixture
def crew(tmp_path: Path) -> Crew:
    return Crew.from_config(overrides=[f"runs_dir={json.dumps(str(tmp_path / 'runs'))}", "seed=3"])


def test_eight_threads_at_once_are_eight_worlds(crew: Crew) -> None:
    graph = crew.graph(InMemorySaver())

    def work(n: int) -> Any:
        waiting = graph.invoke({"goal": SUBMIT.replace("12.50", f"{n}.50")}, thread(str(n)))
        asked = waiting["__interrupt__"][0].value["action_requests"][0]["description"]
        return asked, graph.invoke(APPROVE, thread(str(n)))

    with ThreadPoolExecutor(8) as pool:
        done = list(pool.map(work, range(1, 9)))
    assert [out["task_status"] for _, out in done] == ["fulfilled"] * 8
    assert len({out["steps"] for _, out in done}) == 1  # nobody found another's draft in the form


def test_one_environment_is_worked_in_one_thread(tmp_path: Path) -> None:
    graph = Crew.from_config(environment=desktop()).graph(InMemorySaver())
    graph.invoke({"goal": SAVE}, thread("a"))
    with pytest.raises(UsageProblem, match="'b' has no world: this crew was given one environment, and thread 'a' works it"):
        graph.invoke({"goal": SAVE}, thread("b"))


def in_a_process(folder: Path, goal: str, *, store: bool) -> dict[str, Any]:
    done = python("-c", PROCESS, folder, goal, "store" if store else "")
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


def test_another_process_goes_on_from_the_store_or_says_what_it_lacks(tmp_path: Path) -> None:
    assert in_a_process(tmp_path, SUBMIT, store=True)["waits"]
    assert in_a_process(tmp_path, "", store=True)["status"] == "fulfilled"
    (tmp_path / "other").mkdir()
    assert in_a_process(tmp_path / "other", SUBMIT, store=False)["waits"]
    said = in_a_process(tmp_path / "other", "", store=False)["problem"]
    assert "its world was in that process's memory" in said
    assert "crew.graph(store=FOLDER)" in said


def test_a_thread_that_is_taken_back_is_refused(crew: Crew) -> None:
    graph = crew.graph(InMemorySaver())
    graph.invoke({"goal": SAVE}, thread("a"))
    earlier = [state for state in graph.get_state_history(thread("a")) if state.values.get("turn") == 2][-1]
    with pytest.raises(UsageProblem, match=r"reset to an earlier checkpoint.*deskcrew fork"):
        graph.invoke(None, earlier.config)


def test_schemas_can_be_had_and_hold_no_live_object(crew: Crew) -> None:
    graph = crew.graph()
    assert set(graph.get_input_jsonschema()["properties"]) >= {"goal"}
    assert set(graph.get_output_jsonschema()["properties"]) >= {"task_status", "reason"}
    assert graph.get_context_jsonschema() is None


def test_a_task_brings_its_own_world_limits_and_policies(tmp_path: Path) -> None:
    crew = Crew.from_config(overrides=[f"runs_dir={json.dumps(str(tmp_path / 'runs'))}", "limits.plans=3"])
    task = Task(goal="Open contacts", world="people", seed=5, limits={"steps": 7, "plans": 9}, safety="read-only")
    settings = json.loads((crew.run(task).folder / "run.json").read_text(encoding="utf-8"))["settings"]
    assert (settings["world"], settings["seed"], settings["safety"]) == ("people", 5, "read-only")
    assert settings["limits"]["steps"] == 7
    assert settings["limits"]["plans"] == 3  # what was said to the crew stands above the task
