"""The desktop over MCP, tried by the SDK's own client: in this process, over pipes, and over HTTP."""

import asyncio
import json
import os
import socket
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from waiting import until
from warm import Forked

pytest.importorskip("mcp", reason='the MCP client is not installed; pip install "deskcrew[mcp]"')

from mcp import Client, MCPError, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client
from mcp.types import ElicitResult

from orchestrator.errors import UsageProblem
from orchestrator.lab.episodes.episode import Episode
from orchestrator.lab.episodes.mcp_server import DesktopTools, build_server
from orchestrator.settings.layers import shipped, shipped_names
from orchestrator.tasks.oracle_lines import steps_of
from orchestrator.tasks.tasks import load_task
from protocol import TargetError, resolve
from protocol.dialects import Context, DialectError, dialect
from protocol.dsl import emit

BY_REF = {"browser_click", "browser_type", "browser_select_option", "browser_hover", "browser_press_key", "browser_drag"}
TASKS = [name for name in shipped_names("tasks") if load_task(shipped("tasks", f"{name}.yaml")).outcome == "fulfilled"][::4]


def told(result: Any) -> str:
    return "\n".join(part.text for part in result.content if part.type == "text")


def asked(work: Callable[[Client], Awaitable[Any]], server: Any) -> Any:
    async def main() -> Any:
        async with Client(server) as client:
            return await work(client)

    return asyncio.run(main())


def test_a_client_that_knows_nothing_but_the_schemas_finds_tools_that_say_what_they_take() -> None:
    async def listed(client: Client) -> Any:
        return (await client.list_tools()).tools

    tools = {tool.name: tool for tool in asked(listed, build_server(DesktopTools("archive-reports", 0)))}
    assert set(tools) >= BY_REF
    assert all(tool.description for tool in tools.values())
    assert tools["browser_type"].input_schema["required"] == ["target", "text"]
    assert not any(name.startswith("_") or name == "close" for name in tools)
    with pytest.raises(UsageProblem, match="is not a task"):
        DesktopTools("no such task at all", 0)


@pytest.mark.parametrize("task", TASKS)
def test_the_oracle_by_reference_is_passed_by_the_judge(task: str) -> None:
    """Each line as a call by reference where the dialect can say it, else as a line; a second episode tells what is meant."""
    tools, mirror = DesktopTools(task, 3), Episode(task, 3)

    async def work(client: Client) -> tuple[int, str]:
        assert told(await client.call_tool("reset", {"seed": 3})).startswith(f"goal: {mirror.goal}")
        by_ref = 0
        for step in steps_of(mirror.task.oracle or (), mirror._trial.slots):
            name, arguments = _call(step.action, mirror)
            by_ref += name in BY_REF
            said = told(await client.call_tool(name, arguments))
            mirror.step(step.action)
            assert said.startswith(("executed", "answered")) is not step.fails, (step.said, said[:300])
        return by_ref, told(await client.call_tool("finish", {}))

    by_ref, ended = asked(work, build_server(tools))
    assert by_ref
    assert ended == "the episode is over: reward 1, passed"


def _call(action: Any, mirror: Episode) -> tuple[str, dict[str, Any]]:
    screen = mirror.look().screen
    if action.target is not None and action.verb in {"click", "fill", "select_option"}:
        try:
            found = resolve(action.target, screen).element_id
        except TargetError:  # it is said by more than a name
            found = ""
        if found:
            action = action.model_copy(update={"target": action.target.model_validate({"element_id": found})})
    try:
        payload, losses = dialect("playwright_mcp").write(action, Context(state=screen))
    except DialectError:
        return "act", {"line": emit(action)}
    calls = payload if isinstance(payload, list) else [payload]
    if losses or len(calls) != 1 or calls[0]["name"] not in BY_REF:
        return "act", {"line": emit(action)}
    return calls[0]["name"], calls[0]["arguments"]


def test_what_cannot_be_done_is_told_and_the_end_is_the_end() -> None:
    async def work(client: Client) -> list[str]:
        calls = [
            ("browser_click", {"target": "e9999"}),
            ("act", {"line": "clikc"}),
            ("list_functions", {"app": "files"}),
            ("finish", {}),
            ("browser_press_key", {"key": "Tab"}),
        ]
        return [told(await client.call_tool(name, arguments)) for name, arguments in calls]

    missing, unread, functions, ended, after = asked(work, build_server(DesktopTools("archive-reports", 0)))
    assert "create_folder" in functions
    assert missing.startswith("error")
    assert "not understood: column 1" in unread
    assert ended == "the episode is over: reward 0, not passed"
    assert after == "The episode is over; call `reset`."


SUBMIT = 'In the reimbursement form, enter "$12.50" as the amount and submit the form'
YES = ElicitResult(action="accept", content={"approve": True})


@pytest.mark.parametrize(
    ("elicit", "reply", "status"),
    [
        pytest.param(True, YES, "fulfilled", id="the client's user approves"),
        (True, ElicitResult(action="accept", content={"approve": False, "why": "not this month"}), "rejected"),
        (True, ElicitResult(action="decline"), "on_hold"),
        (True, ElicitResult(action="cancel"), "on_hold"),
        pytest.param(True, None, "on_hold", id="a client that cannot ask"),
        pytest.param(False, YES, "on_hold", id="a client that is not trusted to ask"),
    ],
)
def test_what_the_crew_waits_for_is_asked_of_the_clients_user_only_where_the_server_allows_it(
    elicit: bool, reply: ElicitResult | None, status: str, tmp_path: Path
) -> None:
    """No tool answers it in that user's place."""
    heard: list[str] = []

    async def answered(context: Any, params: Any) -> ElicitResult:
        heard.append(params.message)
        assert reply is not None
        return reply

    async def work() -> tuple[Any, str, Any]:
        server = build_server(DesktopTools("archive-reports", 0, tmp_path, elicit=elicit))
        async with Client(server, elicitation_callback=None if reply is None else answered) as client:
            waits = json.loads(told(await client.call_tool("run_goal", {"goal": SUBMIT})))
            words = told(await client.call_tool("answer", {"run": waits["run"], "words": "yes, approve"}))
            return waits, words, json.loads(told(await client.call_tool("resume", {"run": waits["run"]})))

    waits, words, ended = asyncio.run(work())
    assert waits["waits"] == f"deskcrew resume {waits['run']}"
    assert "has no request that can be answered here" in words
    assert ended["status"] == status
    assert ended.get("waits") == (waits["waits"] if status == "on_hold" else None)
    assert all('click "Submit"' in message for message in heard)
    assert bool(heard) == (elicit and reply is not None)


@pytest.mark.slow("a process of its own")
def test_over_pipes_as_other_agents_start_it() -> None:
    async def work(client: Client) -> str:
        return told(await client.call_tool("reset", {"task": "archive-reports", "seed": 1}))

    words = ["-c", "from deskcrew.__main__ import main; main()", "mcp", "--task", "archive-reports"]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    assert asked(work, StdioServerParameters(command=sys.executable, args=words, env=env)).startswith("goal: ")


def listens(port: int) -> bool:
    with suppress(OSError):
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
        return True
    return False


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Of `deskcrew mcp --http` in a process of its own."""
    folder = tmp_path_factory.mktemp("http")
    (folder / "token").write_text("right\n")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = ["mcp", "--task", "archive-reports", "--http", str(port), "--token-file", "token", "--elicit", "--runs-dir", "runs"]
    code = "from deskcrew.__main__ import main; main()"
    with Forked(["-c", code, *words], cwd=folder) as server:
        until(lambda: listens(port) or server.poll() is not None, "the server to listen")
        assert server.poll() is None
        yield f"http://127.0.0.1:{port}/mcp"
        server.terminate()


def over_http(work: Callable[[Client], Awaitable[Any]], url: str, token: str | None, **more: Any) -> Any:
    async def main() -> Any:
        async with (
            create_mcp_http_client({} if token is None else {"Authorization": f"Bearer {token}"}) as http,
            Client(streamable_http_client(url, http_client=http), **more) as client,
        ):
            return await work(client)

    return asyncio.run(main())


def test_over_streamable_http_a_desktop_is_worked_to_its_judged_end(url: str) -> None:
    mirror = Episode("archive-reports", 3)

    async def work(client: Client) -> str:
        assert {tool.name for tool in (await client.list_tools()).tools} > BY_REF
        assert told(await client.call_tool("reset", {"seed": 3})).startswith(f"goal: {mirror.goal}")
        for step in steps_of(mirror.task.oracle or (), mirror._trial.slots):
            name, arguments = _call(step.action, mirror)
            said = told(await client.call_tool(name, arguments))
            assert said.startswith(("executed", "answered")) is not step.fails, (step.said, said[:300])
            mirror.step(step.action)
        picture = await client.call_tool("browser_take_screenshot", {})
        assert picture.content[0].mime_type == "image/png"
        return told(await client.call_tool("finish", {}))

    async def after(client: Client) -> tuple[str, str]:
        run = json.loads(told(await client.call_tool("run_goal", {"goal": SUBMIT})))["run"]
        resumed = json.loads(told(await client.call_tool("resume", {"run": run})))
        return told(await client.call_tool("browser_press_key", {"key": "Tab"})), resumed["status"]

    async def answered(context: Any, params: Any) -> ElicitResult:
        return YES

    assert over_http(work, url, "right") == "the episode is over: reward 1, passed"
    over, asked_there = over_http(after, url, "right", elicitation_callback=answered)
    assert over == "The episode is over; call `reset`.", "one server is one desktop"
    assert asked_there == "fulfilled", "and its client's user is asked"


@pytest.mark.parametrize("token", [None, "wrong", "Right"])
def test_over_streamable_http_a_client_without_the_token_gets_nothing(
    url: str, token: str | None, caplog: pytest.LogCaptureFixture
) -> None:
    async def work(client: Client) -> Any:
        return await client.list_tools()

    with caplog.at_level("INFO", "httpx2"), pytest.RaisesGroup(MCPError, flatten_subgroups=True):
        over_http(work, url, token)
    assert caplog.messages
    assert all("401 Unauthorized" in message for message in caplog.messages), caplog.messages
