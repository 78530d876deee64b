"""Tools from outside as skills: LangChain tools that a program gives or a package offers (`deskcrew.skills`), and MCP servers.

What a tool says of itself is its maker's word. A program that gives it may say more in `metadata`: `risk` and `idempotence`.
A server is connected to anew for each question: one that died meanwhile is none the worse.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any

from environments.effects.words import Effect
from protocol import JsonObject
from protocol.http_bounds import TooMuch, bound
from protocol.retries import Overload, Retries, asked_for
from roles.skills.arguments import CallTimeout, within
from roles.skills.contract import (
    Idempotence,
    McpAddress,
    McpSkills,
    NoAnswer,
    OutsideTool,
    Skill,
    ToolFault,
    ToolRefused,
    ToolSilent,
)

MOST_TOOLS = 200
"""Tools of one server."""


class _NotReached(Overload, ToolFault):
    """It was not reached, and may be the next time: nothing was asked of it."""


class McpServer:
    """One server, for whoever has a question; `name` and `limit` are what messages call it and its limit of time."""

    def __init__(self, name: str, address: McpAddress, limit: str, inside: Any = None, retries: Retries | None = None) -> None:
        """`inside` is what the SDK's client takes in place of a command or an address: a server in this process."""
        self.name = name
        self._address = address
        self._limit = limit
        self._inside = inside
        self._trying = (retries or Retries()).trying(lambda bad: isinstance(bad, _NotReached))

    def tools(self) -> list[Any]:
        """What it says that it can do. Raises NoAnswer."""
        return list(self.ask(tools_of))

    def ask(self, question: Callable[[Any], Awaitable[Any]]) -> Any:
        """What comes of `question`, which is given the SDK's client. Raises NoAnswer, also one that the question raises."""
        return self._trying(self._once, question)

    def _once(self, question: Callable[[Any], Awaitable[Any]]) -> Any:
        try:
            answer = self._answer(question)
            import asyncio

            try:
                asyncio.get_running_loop()
            except RuntimeError:
                return asyncio.run(answer)
            with ThreadPoolExecutor(1) as pool:
                return pool.submit(asyncio.run, answer).result()
        except BaseExceptionGroup as group:
            raise _first(group) from group

    async def _answer(self, question: Callable[[Any], Awaitable[Any]]) -> Any:
        import asyncio

        try:
            from mcp import Client, MCPError
        except ImportError:
            raise ToolFault(f'{self.name}: the MCP client is not installed; pip install "deskcrew[mcp]"') from None
        given = self._address
        asked = False
        try:
            async with asyncio.timeout(given.seconds), _way_to(given) as way, Client(self._inside or way) as client:
                asked = True
                return await question(client)
        except* NoAnswer as fault:
            raise _first(fault) from None
        except* TimeoutError:
            late = f"{self.name} did not answer within {given.seconds:g} seconds ({self._limit})"
            raise (ToolSilent if asked else _NotReached)(late) from None
        except* Exception as bad:
            first = _first(bad)
            why = f"{self.name} cannot be asked: {type(first).__name__}: {str(first)[:300]}"
            if asked:  # whether the server itself said no, or broke in the middle of it
                refused = isinstance(first, MCPError) and "closed" not in str(first).casefold()
                raise (ToolRefused if refused else ToolSilent)(why) from bad
            if isinstance(first, FileNotFoundError | PermissionError | TooMuch):  # the next time as well
                raise ToolFault(why) from bad
            raise _NotReached(why, asked_for(first)) from bad


@asynccontextmanager
async def _way_to(address: McpAddress) -> AsyncIterator[Any]:
    """What the SDK's client takes for the address; what is answered over HTTP is bounded."""
    if address.url:
        import httpx2
        from mcp.client.streamable_http import streamable_http_client

        async with httpx2.AsyncClient(timeout=address.seconds) as client:
            bound(client)
            yield streamable_http_client(address.url, http_client=client)
    else:
        from mcp.client.stdio import StdioServerParameters, stdio_client

        command, *args = address.command
        server = StdioServerParameters(command=command, args=args, env=address.env or None)
        # The SDK's default is what stands for stderr when it is imported, which need not be a file.
        yield stdio_client(server, errlog=sys.__stderr__ or sys.stderr)


async def tools_of(client: Any) -> list[Any]:
    """All tools, over as many pages as the server likes."""
    found: list[Any] = []
    cursor = None
    while len(found) < MOST_TOOLS:
        page = await client.list_tools(cursor=cursor)
        found += page.tools
        cursor = page.next_cursor
        if not cursor:
            break
    return found


def _first(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """The first failure of a group, however deep it lies."""
    found = group.exceptions[0]
    return _first(found) if isinstance(found, BaseExceptionGroup) else found


if TYPE_CHECKING:
    from langchain_core.tools import BaseTool


GROUP = "deskcrew.skills"
"""Entry points under which packages offer tools."""
APP = "tools"
"""The name under which LangChain tools stand."""


class ChainTool:
    """A LangChain tool."""

    def __init__(self, tool: BaseTool, *, seconds: float = 60.0, trusted: bool = True) -> None:
        """`trusted`: its metadata is the user's own word on it. Raises ValueError for a word that is none."""
        self._tool = tool
        self._seconds = seconds
        said = tool.metadata or {}
        name = re.sub(r"[^\w-]+", "_", tool.name).strip("_") or "tool"
        risk, twice = _word(Effect, said, "risk", tool.name), _word(Idempotence, said, "idempotence", tool.name)
        self.skill = Skill(
            kind="tool", app=APP, name=name, summary=tool.description, arguments=_schema(tool),
            risk=risk, idempotence=twice if trusted and twice is not None else Idempotence.ONCE,
            settled=trusted and risk is not None,
        )  # fmt: skip

    def call(self, arguments: Mapping[str, Any]) -> str:
        """Raises ToolRefused for a tool that says no, ToolSilent for one that does not answer in time, or breaks."""
        from langchain_core.tools import ToolException
        from langgraph.errors import GraphBubbleUp
        from pydantic import ValidationError

        try:
            answer = within(self._seconds, lambda: self._tool.invoke(dict(arguments)))
        except CallTimeout:
            raise ToolSilent(f"{self.skill.called} did not answer within {self._seconds:g} seconds (skills.seconds)") from None
        except (ToolException, ValidationError) as no:
            raise ToolRefused(f"{self.skill.called} refused: {no}") from no
        except GraphBubbleUp:
            raise
        except Exception as bad:  # somebody else's code: it may have done something before it broke
            raise ToolSilent(f"{self.skill.called} failed: {type(bad).__name__}: {bad}") from bad
        return text_of(answer)


def text_of(answer: Any) -> str:
    """What a tool answers, as text."""
    if isinstance(answer, str):
        return answer
    return "" if answer is None else json.dumps(answer, ensure_ascii=False, default=str)


def _schema(tool: BaseTool) -> JsonObject:
    schema: Any = tool.tool_call_schema
    if isinstance(schema, dict):
        return schema
    found: JsonObject = schema.model_json_schema() if hasattr(schema, "model_json_schema") else schema.schema()
    return found


def _word(words: Any, said: Mapping[str, Any], key: str, tool: str) -> Any:
    if key not in said:
        return None
    try:
        return words(said[key])
    except ValueError:
        known = ", ".join(words)
        raise ValueError(f"skills: {tool}: metadata.{key}: {said[key]!r} is not one of {known}") from None


def given_tools(given: Iterable[Any], *, seconds: float) -> list[OutsideTool]:
    """What a program gives as skills: LangChain tools, and tools of its own. Raises ValueError for anything else."""
    from langchain_core.tools import BaseTool

    found: list[OutsideTool] = []
    for one in given:
        if isinstance(one, BaseTool):
            found.append(ChainTool(one, seconds=seconds))
        elif isinstance(getattr(one, "skill", None), Skill) and callable(getattr(one, "call", None)):
            found.append(one)
        else:
            raise ValueError(f"skills: {type(one).__name__} is not a LangChain tool, and has no `skill` and `call`")
    return found


def installed_tools(names: Sequence[str], *, seconds: float) -> list[OutsideTool]:
    """Tools of installed packages, by the names of their entry points. Raises ValueError for one that there is not."""
    from langchain_core.tools import BaseTool

    found: list[OutsideTool] = []
    there = {point.name: point for point in entry_points(group=GROUP)} if names else {}
    for name in names:
        if name not in there:
            known = ", ".join(sorted(there)) or "none"
            raise ValueError(f"skills.installed: no installed package offers {name!r} under {GROUP}; there are: {known}")
        loaded = there[name].load()
        loaded = loaded() if callable(loaded) and not isinstance(loaded, BaseTool) else loaded
        for tool in loaded if isinstance(loaded, list | tuple) else (loaded,):
            if not isinstance(tool, BaseTool):
                raise ValueError(f"skills.installed: {name} offers a {type(tool).__name__}, which is not a LangChain tool")
            found.append(ChainTool(tool, seconds=seconds, trusted=False))
    return found


_SUMMARY = 600


@dataclass(frozen=True)
class McpTool:
    """One tool of a server."""

    server: McpTools
    tool: str
    skill: Skill

    def call(self, arguments: Mapping[str, Any]) -> str:
        return self.server.call(self.tool, arguments)


class McpTools:
    """The tools of a server, as far as the settings name them."""

    def __init__(self, settings: McpSkills, server: Any = None, retries: Retries | None = None) -> None:
        """`server` is what the SDK's client takes in place of a command or an address: a server in this process."""
        self.name = settings.called
        self._settings = settings
        self._server = McpServer(f"mcp {self.name}", settings, "skills.mcp.seconds", server, retries)

    def tools(self) -> list[McpTool]:
        """Those that the settings name, or all. Raises NoAnswer where the server cannot be asked, or has no such tool."""
        given, there = self._settings, {tool.name: tool for tool in self._server.tools()}
        if missing := [name for name in given.tools if name not in there]:
            raise ToolFault(f"mcp {self.name}: tools: it has no tool {missing[0]!r}; it has: {', '.join(there) or 'none'}")
        return [McpTool(self, name, self._skill(there[name])) for name in given.tools or list(there)[:MOST_TOOLS]]

    def call(self, tool: str, arguments: Mapping[str, Any]) -> str:
        """Raises ToolFault where nothing was reached, ToolRefused, and ToolSilent where no answer came."""
        answer = self._server.ask(lambda client: client.call_tool(tool, dict(arguments)))
        said = [part.text for part in answer.content if getattr(part, "text", None)]
        if answer.is_error:
            raise ToolRefused(f"{self.name}.{tool} refused: {' '.join(said)[:300]}")
        return "\n".join(said) if said else text_of(answer.structured_content)

    def _skill(self, tool: Any) -> Skill:
        given, hints = self._settings, tool.annotations
        grave = hints is not None and hints.destructive_hint is True and not hints.read_only_hint
        name = re.sub(r"[^\w-]+", "_", tool.name) or "tool"
        return Skill(
            kind="mcp", app=self.name, name=name, summary=(tool.description or tool.title or "")[:_SUMMARY],
            arguments=tool.input_schema or {}, risk=given.risk or (Effect.DELETE if grave else None),
            idempotence=given.idempotence or Idempotence.ONCE, settled=given.risk is not None,
        )  # fmt: skip
