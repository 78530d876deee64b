"""Where the Manager looks things up besides help documents: any LangChain tool, and a tool of any MCP server. Source: seed 001.

What a source says is data: it is recorded with its name and shown to a policy as what it is, never done because it says so.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from protocol.retries import Retries
from roles.contracts import Supplement
from roles.skills.arguments import CallTimeout, within
from roles.skills.chain_tools import McpFault, McpServer, tools_of
from roles.skills.contract import McpAddress

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool


PATIENCE = 60.0
"""Seconds for which somebody else's tool or retriever is waited for where nothing else is said."""


class SourceFault(Exception):
    """A source that cannot be asked; the message is one sentence. The others are still asked."""


class ToolSource:
    """Any LangChain tool that takes a query. Its answer is one thing found, or several where it gives a list."""

    def __init__(self, tool: BaseTool, argument: str = "", *, seconds: float = PATIENCE) -> None:
        """`seconds` is how long it is waited for."""
        self.name = f"tool {tool.name}"
        self._tool = tool
        self._seconds = seconds
        self._argument = argument or _only_text(self.name, tool.args)

    def search(self, query: str, app: str | None, limit: int) -> list[Supplement]:
        """Raises SourceFault when the tool fails."""
        from langgraph.errors import GraphBubbleUp  # here, since the settings are read without LangGraph

        try:
            answer = within(self._seconds, lambda: self._tool.invoke({self._argument: query}))
        except CallTimeout:
            raise SourceFault(f"{self.name} did not answer within {self._seconds:g} seconds") from None
        except GraphBubbleUp:
            raise
        except Exception as bad:  # a tool is somebody else's code: whatever it raises, the other sources are still asked
            raise SourceFault(f"{self.name} failed: {type(bad).__name__}: {str(bad)[:300]}") from bad
        return found_in(answer, query, self.name.replace(" ", ":", 1), limit)


class McpSettings(McpAddress):
    """A tool of an MCP server in which things are looked up."""

    tool: str = ""
    """Which of its tools; may be left out where it has just one."""
    argument: str = ""
    """Which of the tool's arguments takes the query; may be left out where it takes just one text."""

    @property
    def name(self) -> str:
        return self.url or self.command[0]


class McpSource:
    """A tool of an MCP server."""

    def __init__(self, settings: McpSettings, server: Any = None, retries: Retries | None = None) -> None:
        """`server` is what the SDK's client takes in place of a command or an address: a server in this process."""
        self.name = f"mcp {settings.name}"
        self._settings = settings
        self._server = McpServer(self.name, settings, "tools.seconds", server, retries)

    def search(self, query: str, app: str | None, limit: int) -> list[Supplement]:
        """Raises SourceFault when the server cannot be asked."""
        try:
            answer = self._server.ask(lambda client: self._asked(client, query))
        except McpFault as bad:
            raise SourceFault(str(bad)) from bad
        said = [getattr(part, "text", "") for part in answer.content]
        if answer.is_error:
            raise SourceFault(f"{self.name} refused: {' '.join(said)[:300]}")
        found = answer.structured_content if answer.structured_content and not any(said) else [text for text in said if text]
        return found_in(found, query, f"mcp:{self._settings.name}", limit)

    async def _asked(self, client: Any, query: str) -> Any:
        given, tools = self._settings, {tool.name: tool for tool in await tools_of(client)}
        tool = tools.get(given.tool) if given.tool else next(iter(tools.values())) if len(tools) == 1 else None
        if tool is None:
            raise McpFault(f"{self.name}: tool: name one of its tools, which are: {', '.join(tools) or 'none'}")
        try:
            argument = given.argument or _only_text(self.name, tool.input_schema.get("properties", {}))
        except SourceFault as bad:
            raise McpFault(str(bad)) from bad
        return await client.call_tool(tool.name, {argument: query})


def _only_text(name: str, arguments: Mapping[str, Any]) -> str:
    """The one argument that can take a query. Raises SourceFault where it must be named."""
    texts = [key for key, schema in arguments.items() if schema.get("type", "string") == "string"]
    if len(texts) != 1:
        raise SourceFault(f"{name}: argument: name the one that takes the query; there are: {', '.join(arguments) or 'none'}")
    return texts[0]


def found_in(answer: Any, query: str, source: str, limit: int) -> list[Supplement]:
    """An answer as things found: a text is one, a list is several; nothing in it is nothing found."""
    items: Sequence[Any] = answer if isinstance(answer, list | tuple) else [answer]
    texts = [_text(item) for item in items]
    return [Supplement(query=query, source=source, title=_title(text), text=text) for text in texts if text.strip()][:limit]


def _text(item: Any) -> str:
    if item is None:
        return ""
    if isinstance(item, str):
        return item
    if isinstance(item, dict) and item.get("type") == "text":
        return str(item.get("text", ""))
    return json.dumps(item, ensure_ascii=False, default=str, indent=1)


def _title(text: str) -> str:
    first = next(line for line in text.splitlines() if line.strip()).strip().lstrip("# ")
    return first[:120]
