"""Tools of MCP servers as skills. A server is connected to anew for each call: one that died meanwhile is none the worse.

What a server says of its tools is a stranger's word: `destructiveHint` makes a tool graver, and nothing that it says makes one
lighter. Only the configuration does, with `risk` and `idempotence`.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Coroutine, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from roles.effect_words import Effect
from roles.skills.chain_tools import text_of
from roles.skills.contract import Idempotence, Skill, ToolFault, ToolRefused, ToolSilent
from roles.skills.settings import McpSkills

_MOST = 200
"""Tools of one server."""
_SUMMARY = 600


class McpTool:
    """One tool of a server."""

    def __init__(self, server: McpServer, tool: str, skill: Skill) -> None:
        self.skill = skill
        self._server = server
        self._tool = tool

    def call(self, arguments: Mapping[str, Any]) -> str:
        return self._server.call(self._tool, arguments)


class McpServer:
    """A server, and what it can do."""

    def __init__(self, settings: McpSkills, server: Any = None) -> None:
        """`server` is what the SDK's client takes in place of a command or an address: a server in this process."""
        self.name = settings.called
        self._settings = settings
        self._server = server

    def tools(self) -> list[McpTool]:
        """Those that the settings name, or all. Raises ToolFault where the server cannot be asked, or has no such tool."""
        given = self._settings
        try:
            listed = _waited_for(self._within(_listed))
        except (ToolRefused, ToolSilent) as bad:
            raise ToolFault(str(bad)) from bad
        there = {tool.name: tool for tool in listed}
        if missing := [name for name in given.tools if name not in there]:
            raise ToolFault(f"mcp {self.name}: tools: it has no tool {missing[0]!r}; it has: {', '.join(there) or 'none'}")
        return [McpTool(self, name, self._skill(there[name])) for name in given.tools or list(there)[:_MOST]]

    def call(self, tool: str, arguments: Mapping[str, Any]) -> str:
        """Raises ToolFault where nothing was reached, ToolRefused, and ToolSilent where no answer came."""
        answer = _waited_for(self._within(lambda client: client.call_tool(tool, dict(arguments))))
        said = [part.text for part in answer.content if getattr(part, "text", None)]
        if answer.is_error:
            raise ToolRefused(f"{self.name}.{tool} refused: {' '.join(said)[:300]}")
        return "\n".join(said) if said else text_of(answer.structured_content)

    async def _within(self, ask: Any) -> Any:
        """What the server answers to one question, in a connection of its own."""
        try:
            from mcp import Client, StdioServerParameters
        except ImportError:
            raise ToolFault(f'mcp {self.name}: the MCP client is not installed; pip install "deskcrew[mcp]"') from None
        given = self._settings
        server = self._server or given.url
        if not server:
            server = StdioServerParameters(command=given.command[0], args=list(given.command[1:]), env=given.env or None)
        asked = False
        try:
            async with asyncio.timeout(given.seconds), Client(server) as client:
                asked = True
                return await ask(client)
        except* ToolFault as fault:
            raise _first(fault) from None
        except* TimeoutError:
            late = f"mcp {self.name} did not answer within {given.seconds:g} seconds (skills.mcp.seconds)"
            raise (ToolSilent if asked else ToolFault)(late) from None
        except* Exception as bad:
            first = _first(bad)
            why = f"mcp {self.name} cannot be asked: {type(first).__name__}: {str(first)[:300]}"
            kind = ToolFault if not asked else ToolRefused if _is_answer(first) else ToolSilent
            raise kind(why) from bad

    def _skill(self, tool: Any) -> Skill:
        given, hints = self._settings, tool.annotations
        grave = hints is not None and hints.destructive_hint is True and not hints.read_only_hint
        name = re.sub(r"[^\w-]+", "_", tool.name) or "tool"
        return Skill(
            kind="mcp", app=self.name, name=name, summary=(tool.description or tool.title or "")[:_SUMMARY],
            arguments=tool.input_schema or {}, risk=given.risk or (Effect.DELETE if grave else None),
            idempotence=given.idempotence or Idempotence.ONCE, settled=given.risk is not None,
        )  # fmt: skip


async def _listed(client: Any) -> list[Any]:
    """All its tools, over as many pages as it likes."""
    found: list[Any] = []
    cursor = None
    while len(found) < _MOST:
        page = await client.list_tools(cursor=cursor)
        found += page.tools
        cursor = page.next_cursor
        if not cursor:
            break
    return found


def _is_answer(fault: BaseException) -> bool:
    """Whether the server itself said no: it did not break in the middle of it."""
    from mcp import MCPError

    return isinstance(fault, MCPError) and "closed" not in str(fault).casefold()


def _first(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """The first failure of a group, however deep it lies."""
    found = group.exceptions[0]
    return _first(found) if isinstance(found, BaseExceptionGroup) else found


def _waited_for(question: Coroutine[Any, Any, Any]) -> Any:
    """The answer, also where a loop is running already, as in a notebook or a server."""
    try:
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return asyncio.run(question)
        with ThreadPoolExecutor(1) as pool:
            return pool.submit(asyncio.run, question).result()
    except ExceptionGroup as group:
        raise _first(group) from group
