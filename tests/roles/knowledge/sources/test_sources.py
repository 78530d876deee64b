"""Things looked up with tools of others: LangChain's and those of MCP servers."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from langchain_core.retrievers import BaseRetriever
from langchain_core.tools import tool
from pydantic import ValidationError

from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.world.worldfile import load_world
from orchestrator.errors import UsageProblem
from orchestrator.settings.build import build_sources
from orchestrator.settings.settings import load_settings
from protocol.retries import Retries
from roles.contracts.context import Context
from roles.journal.journal import Journal, cut
from roles.knowledge.retrievers import McpSource, RetrieverSource, ToolSource, found_in
from roles.knowledge.settings import McpSettings
from roles.knowledge.store import SourceFault
from roles.manager.graph import build_manager

SERVER = '''
from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

server = MCPServer("handbook")


@server.tool()
def lookup(query: str) -> str:
    """Look something up."""
    if "fire" in query:
        raise ToolError("the shelf is empty")
    return f"# On {query}\\nFirst ask, then act."


server.run()
'''


@tool
def handbook(query: str) -> str:
    """Look something up."""
    return f"All about {query}"


@tool
def shelf(query: str) -> list[str]:
    """Several things."""
    return [f"{query} {n}" for n in range(9)]


@tool
def broken(query: str) -> str:
    """Never works."""
    raise ConnectionError("no line")


@tool
def two(query: str, language: str) -> str:
    """Takes two texts."""
    return f"{query} in {language}"


def test_a_langchain_tool_is_a_source_within_its_bounds() -> None:
    (found,) = ToolSource(handbook).search("closing", None, 3)
    assert (found.source, found.text, found.query) == ("tool:handbook", "All about closing", "closing")
    assert [s.title for s in ToolSource(shelf).search("box", None, 2)] == ["box 0", "box 1"]
    with pytest.raises(SourceFault, match="tool broken failed: ConnectionError: no line"):
        ToolSource(broken).search("x", None, 1)
    with pytest.raises(SourceFault, match="there are: query, language"):
        ToolSource(two)


@pytest.mark.parametrize("nothing", ["", None, [], "  \n "])
def test_nothing_is_nothing(nothing: Any) -> None:
    assert found_in(nothing, "q", "s", 3) == []


def test_what_is_endless_comes_whole_to_the_manager_which_cuts_it() -> None:
    (found,) = found_in("word " * 100_000, "q", "s", 3)
    assert len(cut(found.text, 20_000)) < 21_000
    assert "480000 more characters" in cut(found.text, 20_000)


@pytest.fixture
def server(tmp_path: Path) -> McpSettings:
    path = tmp_path / "server.py"
    path.write_text(SERVER)
    return McpSettings(command=(sys.executable, str(path)))


def test_a_tool_of_a_server_is_a_source(server: McpSettings) -> None:
    (found,) = McpSource(server).search("closing", None, 3)
    assert found.source == f"mcp:{sys.executable}"
    assert found.title == "On closing"
    assert found.text.endswith("First ask, then act.")


def test_a_server_that_fails_when_it_is_first_started_is_started_again(server: McpSettings, tmp_path: Path) -> None:
    path = Path(server.command[1])
    first = "import pathlib, sys\nif not (p := pathlib.Path(__file__ + '.begun')).exists():\n    p.touch()\n    sys.exit(3)\n"
    path.write_text(first + SERVER)
    with pytest.raises(SourceFault, match="cannot be asked"):
        McpSource(server, retries=Retries(tries=1)).search("closing", None, 3)
    Path(f"{path}.begun").unlink()
    (found,) = McpSource(server, retries=Retries(wait=0.01)).search("closing", None, 3)
    assert found.title == "On closing"


def test_it_can_be_asked_where_a_loop_is_running(server: McpSettings) -> None:
    async def inside() -> list[Any]:
        return McpSource(server).search("closing", None, 3)

    assert len(asyncio.run(inside())) == 1


@pytest.mark.parametrize(
    ("changes", "query", "said"),
    [
        ({"tool": "nope"}, "x", "name one of its tools, which are: lookup"),
        ({}, "fire", "the shelf is empty"),
        ({"command": ("/no/such/program",)}, "x", "cannot be asked"),
    ],
)
def test_a_server_that_cannot_be_asked_says_why(server: McpSettings, changes: dict[str, Any], query: str, said: str) -> None:
    with pytest.raises(SourceFault, match=said):
        McpSource(server.model_copy(update=changes)).search(query, None, 1)


def test_a_server_is_started_or_reached_not_both() -> None:
    with pytest.raises(ValidationError, match="either a command"):
        McpSettings(command=("a",), url="http://127.0.0.1:1/mcp")


def gathered(*sources: Any) -> tuple[dict[str, Any], Journal]:
    """What the Manager reports when it looks something up there, and what it keeps."""
    journal = Journal(None, time.time)
    context = Context(environment=SimulatedDesktop(load_world("office")), journal=journal, sources=sources)
    given = {"goal": "close the month", "assignment": {"task": "supplement", "query": "closing", "app": None}}
    return build_manager(context).invoke(given)["report"], journal


def test_a_source_that_fails_keeps_no_other_from_being_asked_and_is_named() -> None:
    report, journal = gathered(ToolSource(broken), ToolSource(handbook))
    assert report["signal"] == "supplied"
    assert [s.source for s in journal.supplements()] == ["tool:handbook"]
    report, journal = gathered(ToolSource(broken))
    assert report["signal"] == "nothing_found"
    assert "no line" in report["summary"]
    assert not journal.supplements()


def test_a_server_of_the_settings_is_a_source_after_the_help_documents(server: McpSettings) -> None:
    settings = load_settings(overrides=[f"tools={json.dumps([server.model_dump(mode='json')])}"]).settings
    assert [source.name for source in build_sources(settings)][-1] == f"mcp {sys.executable}"


def test_a_server_without_a_way_to_it_is_refused_before_the_run() -> None:
    with pytest.raises(UsageProblem, match="either a command"):
        load_settings(overrides=["tools=[{tool: lookup}]"])


def test_a_tool_or_a_retriever_that_never_answers_is_not_waited_for() -> None:
    @tool
    def silent(query: str) -> str:
        """Says nothing."""
        time.sleep(30)
        return query

    class Silent(BaseRetriever):
        def _get_relevant_documents(self, query: str, **_: Any) -> list[Any]:
            time.sleep(30)
            return []

    for source in (ToolSource(silent, seconds=0.2), RetrieverSource(Silent(), "shelf", seconds=0.2)):
        with pytest.raises(SourceFault, match="did not answer within"):
            source.search("x", None, 1)
