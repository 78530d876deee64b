"""The settings `skills`: which way is taken where there are several, what is forbidden, and tools from outside."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from environments.effects.words import Effect
from protocol import Frozen
from roles.skills.contract import Idempotence, Skill
from roles.skills.mcp_server import McpAddress

Way = Literal["gui", "api", "agent"]


def _name(name: str) -> str:
    if name and not re.fullmatch(r"[A-Za-z][\w-]*", name):
        raise ValueError(f"{name!r} is no name; write letters, digits, - and _")
    return name


class McpSkills(McpAddress):
    """Tools of an MCP server that the crew may use."""

    name: Annotated[str, AfterValidator(_name)] = ""
    """The name under which its tools stand; made from its command or its address where it is left out."""
    tools: tuple[str, ...] = ()
    """Which of its tools; all of them where none is named."""
    risk: Effect | None = None
    """What they may do, in the words of the safety policy. Where nobody says it, each call is asked for."""
    idempotence: Idempotence | None = None
    """What it means to call them twice; `once-only` where nobody says it."""

    @property
    def called(self) -> str:
        """What its tools stand under."""
        if self.name:
            return self.name
        words = re.findall(r"[A-Za-z][\w-]*", self.url.partition("://")[2] or self.command[-1].rsplit("/", 1)[-1])
        return words[0].casefold() if words else "mcp"


class Rating(Frozen):
    """What the user says of skills, by pattern: `mail.send_*`, `handbook.*`. It counts before what anybody else says."""

    skill: str = Field(min_length=1)
    risk: Effect | None = None
    idempotence: Idempotence | None = None


class WayFor(Frozen):
    """Another way for some subtasks: those in an app, or one by its id."""

    prefer: Way
    app: str | None = None
    subtask: str | None = None

    @model_validator(mode="after")
    def _says_when(self) -> Self:
        if self.app is None and self.subtask is None:
            raise ValueError("say for which app or subtask this way is preferred")
        return self


class SkillSettings(Frozen):
    """What the crew may do beside the surface, and what it does first."""

    prefer: Way = "gui"
    """What rules try first where there are several ways; models are told."""
    when: tuple[WayFor, ...] = ()
    """Another preference for some subtasks; the first that fits counts."""
    forbid: tuple[str, ...] = ()
    """Never done: kinds (`gui`, `api`, `agent`, `mcp`, `tool`), and patterns of names, such as `mail.*` or `*.delete_*`."""
    shown: int = Field(default=30, ge=1, le=500)
    """How many functions and tools a model is shown with an example, those nearest to its subtask; of others the arguments."""
    known: tuple[Rating, ...] = ()
    """What the user says of skills: their risk, and what it means to do them twice."""
    mcp: tuple[McpSkills, ...] = ()
    installed: tuple[str, ...] = ()
    """LangChain tools of installed packages, by the names of their entry points `deskcrew.skills`."""
    seconds: float = Field(default=60.0, gt=0)
    """A LangChain tool that takes longer is not waited for."""

    def preferred(self, app: str | None, subtask: str) -> Way:
        fits = (w for w in self.when if w.app in {None, app} and w.subtask in {None, subtask})
        return next((way.prefer for way in fits), self.prefer)

    def forbids(self, skill: Skill, app: str = "") -> str:
        """The pattern that forbids it, or nothing. A verb of the surface is forbidden in one app as `APP.VERB`."""
        names = {skill.kind, skill.called, f"{app}.{skill.name}" if app else skill.called}
        return next((pattern for pattern in self.forbid if matched(pattern, names)), "")

    def rated(self, skill: Skill) -> Skill:
        """The skill with what the user says of it."""
        said = [rating for rating in self.known if matched(rating.skill, {skill.called})]
        risk = next((r.risk for r in said if r.risk is not None), None)
        twice = next((r.idempotence for r in said if r.idempotence is not None), None)
        changes = ({"risk": risk, "settled": True} if risk is not None else {}) | ({"idempotence": twice} if twice else {})
        return skill.model_copy(update=changes) if changes else skill


def matched(pattern: str, names: set[str] | Sequence[str]) -> bool:
    """A glob over names; case does not count."""
    return any(fnmatchcase(name.casefold(), pattern.casefold()) for name in names)
