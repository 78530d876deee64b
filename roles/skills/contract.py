"""One thing that can be done, however it is done: its arguments, its risk, doing it twice; and the settings `skills`."""

import re
from collections.abc import Mapping, Sequence
from enum import StrEnum
from fnmatch import fnmatchcase
from typing import Annotated, Any, Literal, Protocol, Self

from pydantic import AfterValidator, Field, model_validator

from environments.effects.words import Effect
from protocol import Frozen, JsonObject

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


REPEATS: dict[str, Idempotence] = {
    **dict.fromkeys(("hover", "wait", "screenshot", "scroll"), Idempotence.READING),
    **dict.fromkeys(
        ("fill", "select_option", "launch_app", "switch_window", "navigate", "memorize", "answer", "ask_user", "finish_goal",
         "fail_goal", "mouse_up", "key_up"),
        Idempotence.REPEATABLE,
    ),
    **dict.fromkeys(
        ("click", "mouse_down", "drag", "type", "press_key", "hold_key", "key_down", "go_back", "go_forward", "tabs", "upload",
         "call_api", "ask_in_app_agent", "run_script"),
        Idempotence.ONCE,
    ),
}  # fmt: skip
"""Every verb of the protocol; one of somebody else's (`x-`) is ONCE."""


class Skill(Frozen):
    """One thing that can be done."""

    kind: SkillKind
    app: str = ""
    """The application; of a tool from outside, the name under which its server stands. Empty for a verb of the surface."""
    name: str
    summary: str = ""
    arguments: JsonObject = Field(default_factory=dict)
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
    def takes(self) -> JsonObject:
        """Its arguments by name."""
        found = self.arguments.get("properties")
        return found if isinstance(found, dict) else {}

    @property
    def needs(self) -> tuple[str, ...]:
        found = self.arguments.get("required")
        return tuple(str(name) for name in found) if isinstance(found, list) else ()


class NoAnswer(Exception):
    """A program of others did not do what it was asked for, as far as is known. The message is one sentence."""


class ToolFault(NoAnswer):
    """It could not be reached: it did nothing."""


class ToolRefused(NoAnswer):
    """It said no; how far it had come is not known."""


class ToolSilent(NoAnswer):
    """It was asked and no answer came: it may have done it."""


class OutsideTool(Protocol):
    """Something that programs of others do."""

    @property
    def skill(self) -> Skill: ...

    def call(self, arguments: Mapping[str, Any]) -> str:
        """What it answers, as text. Raises ToolFault, ToolRefused or ToolSilent."""


Way = Literal["gui", "api", "agent"]


def _name(name: str) -> str:
    if name and not re.fullmatch(r"[A-Za-z][\w-]*", name):
        raise ValueError(f"{name!r} is not a valid name; write letters, digits, - and _")
    return name


class McpAddress(Frozen):
    """Where a server is: one that is started here (`command`), or one that runs already (`url`)."""

    command: tuple[str, ...] = ()
    """The program and its arguments; no shell reads them."""
    env: dict[str, str] = Field(default_factory=dict)
    url: str = ""
    seconds: float = Field(default=30.0, gt=0)
    """A question that takes longer is not waited for."""

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        if bool(self.command) == bool(self.url):
            raise ValueError("an MCP server needs either a command that starts it or the url at which it runs")
        return self


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
    shown: int = Field(default=60, ge=1, le=500)
    """How many functions and tools are described to a model, those nearest to its subtask; of others it is told the arguments."""
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
