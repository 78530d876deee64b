"""Checkpoints on real SQLite under real graphs: what must survive a kill does, and nothing else is written."""

import sqlite3
import threading
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, TypedDict

import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, interrupt

from orchestrator.store.checkpoints import CursorSaver, strict
from roles.contracts.nodes import spoke

CONFIG: RunnableConfig = {"configurable": {"thread_id": "run"}, "recursion_limit": 10_000}
Open = Callable[[], Any]
"""Opens the run's checkpoints as a new process would."""


class State(TypedDict, total=False):
    goal: str
    turn: int
    notes: list[str]
    answer: str


class Killed(BaseException):
    """Stands for the end of the process: nothing after it runs."""


class World:
    """What the nodes did; `die_at` ends the process when a node of this name begins for the nth time."""

    def __init__(self, die_at: str = "", nth: int = 1, turns: int = 1, ask: bool = False) -> None:
        self.did: list[str] = []
        self.die: Callable[[], None] = lambda: None
        self.die_at, self.nth, self.turns, self.ask = die_at, nth, turns, ask

    def node(self, name: str) -> Callable[[State], State]:
        def work(state: State) -> State:
            self.did.append(name)
            if name == self.die_at and self.did.count(name) == self.nth:
                self.die()
                raise Killed
            if name == "effect" and self.ask:
                return {"answer": interrupt({"question": "may I?"})}
            if name == "hub":
                return {"turn": state.get("turn", 0) + 1}
            return {"notes": [*state.get("notes", []), name][-20:]}

        return work


def graph(world: World, saver: CursorSaver) -> Any:
    """A hub that sends work to a worker of three nodes, `turns` times."""
    worker: Any = StateGraph(State)
    for name in ("look", "effect", "after"):
        worker.add_node(name, world.node(name))
    worker.add_edge(START, "look").add_edge("look", "effect").add_edge("effect", "after").add_edge("after", END)
    hub: Any = StateGraph(State)
    hub.add_node("hub", world.node("hub")).add_node("worker", spoke(worker.compile()))
    hub.add_edge(START, "hub").add_edge("worker", "hub")
    hub.add_conditional_edges("hub", lambda s: "worker" if s["turn"] <= world.turns else END, ["worker", END])
    return hub.compile(checkpointer=saver)


@pytest.fixture
def reopen(tmp_path: Path) -> Iterator[Open]:
    """Checkpoints in a file."""
    opened: list[CursorSaver] = []

    def again() -> CursorSaver:
        for saver in opened:
            saver.close()
        opened.append(CursorSaver(tmp_path / "checkpoints.sqlite"))
        return opened[-1]

    yield again
    for saver in opened:
        saver.close()


def rows(saver: Any) -> list[str]:
    """The namespaces of the run on disk, without the ids of tasks."""
    found = saver.conn.execute("SELECT checkpoint_ns FROM checkpoints WHERE thread_id = 'run' ORDER BY checkpoint_id").fetchall()
    return [namespace.split(":")[0] for (namespace,) in found]


def kill(world: World, saver: CursorSaver, goal: Any) -> None:
    """As a signal does: nothing is written after it."""
    world.die = saver.conn.close
    with pytest.raises((Killed, sqlite3.ProgrammingError)):
        graph(world, saver).invoke(goal, CONFIG, durability="sync")


@pytest.mark.parametrize("die_at", ["look", "effect", "after"])
def test_a_role_that_is_killed_begins_again_in_a_new_process_by_what_the_journal_has(reopen: Open, die_at: str) -> None:
    saver = reopen()
    goal = "a\0b \\u0000 {\x01}"
    kill(World(die_at, nth=3, turns=5), saver, {"goal": goal})
    assert rows(reopen()) == [""]
    world = World(turns=5)
    result = graph(world, reopen()).invoke(None, CONFIG, durability="sync")
    assert world.did[:4] == ["look", "effect", "after", "hub"]
    assert (result["turn"], result["goal"], result["notes"].count("effect")) == (6, goal, 5)


def test_a_question_waits_on_disk_and_its_answer_arrives_in_a_new_process(reopen: Open) -> None:
    result = graph(World(ask=True), reopen()).invoke({"goal": "g"}, CONFIG, durability="sync")
    assert result["__interrupt__"][0].value == {"question": "may I?"}
    waiting = graph(World(ask=True), reopen()).get_state(CONFIG).interrupts
    assert [w.value for w in waiting] == [{"question": "may I?"}]
    world = World(ask=True)
    result = graph(world, reopen()).invoke(Command(resume={waiting[0].id: "yes"}), CONFIG, durability="sync")
    assert world.did == ["effect", "after", "hub"]
    assert result["answer"] == "yes"


def test_a_state_of_json_with_a_thousand_steps_stays_small(reopen: Open, tmp_path: Path) -> None:
    saver = reopen()
    graph(World(turns=340), saver).invoke({"goal": "g" * 2_000}, CONFIG, durability="sync")
    saver.close()
    assert sum(file.stat().st_size for file in tmp_path.iterdir()) < 100_000
    assert graph(World(turns=340), reopen()).get_state(CONFIG).values["turn"] == 341


def test_a_stored_text_that_would_fill_the_memory_is_refused() -> None:
    bomb = zlib.compress(bytes(80 * 2**20), 9)
    assert len(bomb) < 100_000
    with pytest.raises(zlib.error, match="would come to more than"):
        strict().loads_typed(("z:msgpack", bomb))


class Loaded:
    """Stands for a class that a stored checkpoint names, and that must not be made of it."""

    made = 0

    def __init__(self, *parts: object) -> None:
        Loaded.made += 1


def test_a_stored_checkpoint_makes_no_object_of_a_class_that_it_names() -> None:
    import dataclasses

    @dataclasses.dataclass
    class Named:
        text: str

    Named.__module__, Named.__qualname__, Named.__name__ = __name__, "Loaded", "Loaded"
    stored = strict().dumps_typed({"a": Named("x")})
    assert strict().loads_typed(stored) == {"a": {"text": "x"}}
    assert Loaded.made == 0


def test_no_other_write_ends_the_transaction_in_which_a_cursor_is_replaced(tmp_path: Path) -> None:
    """LangGraph puts writes from one thread and checkpoints from another; a kill in between finds the old cursor or the new."""
    path = tmp_path / "checkpoints.sqlite"
    saver = CursorSaver(path)
    graph(World(), saver).invoke({"goal": "g"}, CONFIG, durability="sync")
    last = saver.get_tuple(CONFIG)
    writing = threading.Thread(target=saver.put_writes, args=(last.config, [("goal", "other")], "task"))
    seen: list[int] = []

    def removing(thread: str, namespace: str | None) -> None:
        CursorSaver._remove(saver, thread, namespace)
        writing.start()
        writing.join(0.3)
        with closing(sqlite3.connect(path)) as other:
            seen.extend(other.execute("SELECT count(*) FROM checkpoints").fetchone())

    saver._remove = removing  # type: ignore[method-assign]
    saver.put(last.config, {**last.checkpoint, "id": last.checkpoint["id"] + "-next"}, last.metadata, {})
    writing.join()
    assert seen == [1]
    saver.close()
