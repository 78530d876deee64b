"""One thing that can be done, however it is done: with its arguments, what it risks, and what it means to do it twice."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Literal, Protocol

from pydantic import Field

from environments.effects.words import Effect
from protocol import Frozen

SkillKind = Literal["gui", "api", "agent", "mcp", "tool"]
"""The surface; a function of an app's own interface; an app's own agent; a tool of an MCP server; a LangChain tool."""
OUTSIDE: frozenset[SkillKind] = frozenset({"mcp", "tool"})
"""Kinds that are done by programs of others, not by the environment."""
RESULT = "result"
"""Kind of a fact that is what a function, an app's agent or a tool answered, under the name of what was called."""
AGENT = "agent"
"""What the skill of an app's own agent is called."""


class Idempotence(StrEnum):
    """What it means to do a thing twice."""

    READING = "reading"
    """It changes nothing."""
    REPEATABLE = "repeatable"
    """The second time changes nothing more."""
    ONCE = "once-only"
    """The second time adds to the first."""


class Skill(Frozen):
    """One thing that can be done."""

    kind: SkillKind
    app: str = ""
    """The application; of a tool from outside, the name under which its server stands. Empty for a verb of the surface."""
    name: str
    summary: str = ""
    arguments: dict[str, Any] = Field(default_factory=dict)
    """The JSON Schema of what it takes."""
    risk: Effect | None = None
    """In the words of the safety policy. None where it is not known, or where the control tells."""
    idempotence: Idempotence = Idempotence.ONCE
    settled: bool = False
    """The configuration says the risk: nothing else is asked for it."""

    @property
    def called(self) -> str:
        """`mail.send_message`, or the verb of the surface."""
        return f"{self.app}.{self.name}" if self.app else self.name

    @property
    def outside(self) -> bool:
        return self.kind in OUTSIDE

    @property
    def takes(self) -> dict[str, Any]:
        """Its arguments by name."""
        found = self.arguments.get("properties")
        return found if isinstance(found, dict) else {}

    @property
    def needs(self) -> tuple[str, ...]:
        found = self.arguments.get("required")
        return tuple(str(name) for name in found) if isinstance(found, list) else ()


class ToolFault(Exception):
    """A tool from outside could not be reached: it did nothing. The message is one sentence."""


class ToolRefused(Exception):
    """A tool said no; how far it had come is not known. The message is one sentence."""


class ToolSilent(Exception):
    """A tool was asked and no answer came: it may have done it. The message is one sentence."""


class OutsideTool(Protocol):
    """Something that programs of others do."""

    @property
    def skill(self) -> Skill: ...

    def call(self, arguments: Mapping[str, Any]) -> str:
        """What it answers, as text. Raises ToolFault, ToolRefused or ToolSilent."""
