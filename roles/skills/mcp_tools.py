"""Tools of MCP servers as skills.

What a server says of its tools is a stranger's word: `destructiveHint` makes a tool graver, and nothing that it says makes one
lighter. Only the configuration does, with `risk` and `idempotence`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from environments.effect_words import Effect
from protocol.retries import Retries
from roles.mcp_server import MOST_TOOLS, McpFault, McpServer
from roles.skills.chain_tools import text_of
from roles.skills.contract import Idempotence, Skill, ToolFault, ToolRefused, ToolSilent
from roles.skills.settings import McpSkills

_SUMMARY = 600
_FAULTS: dict[str, type[Exception]] = {"unreached": ToolFault, "refused": ToolRefused, "silent": ToolSilent}


class McpTool:
    """One tool of a server."""

    def __init__(self, server: McpTools, tool: str, skill: Skill) -> None:
        self.skill = skill
        self._server = server
        self._tool = tool

    def call(self, arguments: Mapping[str, Any]) -> str:
        return self._server.call(self._tool, arguments)


class McpTools:
    """The tools of a server, as far as the settings name them."""

    def __init__(self, settings: McpSkills, server: Any = None, retries: Retries | None = None) -> None:
        """`server` is what the SDK's client takes in place of a command or an address: a server in this process."""
        self.name = settings.called
        self._settings = settings
        self._server = McpServer(f"mcp {self.name}", settings, "skills.mcp.seconds", server, retries)

    def tools(self) -> list[McpTool]:
        """Those that the settings name, or all. Raises ToolFault where the server cannot be asked, or has no such tool."""
        given = self._settings
        try:
            there = {tool.name: tool for tool in self._server.tools()}
        except McpFault as bad:
            raise ToolFault(str(bad)) from bad
        if missing := [name for name in given.tools if name not in there]:
            raise ToolFault(f"mcp {self.name}: tools: it has no tool {missing[0]!r}; it has: {', '.join(there) or 'none'}")
        return [McpTool(self, name, self._skill(there[name])) for name in given.tools or list(there)[:MOST_TOOLS]]

    def call(self, tool: str, arguments: Mapping[str, Any]) -> str:
        """Raises ToolFault where nothing was reached, ToolRefused, and ToolSilent where no answer came."""
        try:
            answer = self._server.ask(lambda client: client.call_tool(tool, dict(arguments)))
        except McpFault as bad:
            raise _FAULTS[bad.how](str(bad)) from bad
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
