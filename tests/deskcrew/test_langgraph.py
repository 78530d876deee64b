"""The graph that a LangGraph server asks for, request by request."""

import asyncio
import json
import threading
from pathlib import Path
from typing import Any

import pytest

from deskcrew import UsageProblem, langgraph
from deskcrew.langgraph import THREADS, graph

ROOT = Path(__file__).resolve().parents[2]


def asked(**configurable: Any) -> Any:
    return asyncio.run(graph({"configurable": configurable}))


@pytest.fixture(autouse=True)
def threads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(THREADS, str(tmp_path / "threads"))
    monkeypatch.chdir(tmp_path)
    return tmp_path / "threads"


def test_requests_for_the_same_are_given_the_same_graph() -> None:
    assert asked(world="company", seed=11) is asked(seed=11, world="company", thread_id="any")
    assert asked(world="company", seed=11) is not asked(world="company", seed=12)


def test_a_graph_is_compiled_for_the_world_and_seed_that_were_asked_for(threads: Path) -> None:
    named = json.loads((ROOT / "langgraph.json").read_text(encoding="utf-8"))["graphs"]["crew"]
    assert named == f"{graph.__module__}:{graph.__name__}"
    made = asked(world="company", seed=13)
    state = made.invoke({"goal": "What is the phone number of nobody at all?"}, {"configurable": {"thread_id": "one"}})
    assert state["task_status"] == "rejected"
    assert [path.name for path in threads.iterdir()] == ["company-13"]


@pytest.mark.parametrize(
    ("configurable", "sentence"),
    [
        ({"world": "compny"}, "configurable.world: there is no 'compny' here; did you mean 'company'?"),
        ({"policies": "/etc/passwd"}, "configurable.policies: there is no '/etc/passwd' here"),
        ({"world": ["office"]}, "configurable.world: there is no \\['office'\\] here"),
        ({"seed": "3"}, "configurable.seed: '3' is not a whole number"),
        ({"seed": True}, "configurable.seed: True is not a whole number"),
    ],
)
def test_what_an_assistant_may_not_choose_is_refused_in_one_sentence(configurable: dict[str, Any], sentence: str) -> None:
    with pytest.raises(UsageProblem, match=sentence):
        asked(**configurable)


def test_nothing_of_a_request_is_read_in_the_event_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server refuses a graph that blocks its loop while it is made."""
    loop, readers = threading.get_ident(), set()

    def made(*wanted: Any) -> None:
        readers.add(threading.get_ident())

    monkeypatch.setattr(langgraph, "_made", made)
    asked(seed=14)
    assert readers
    assert loop not in readers
