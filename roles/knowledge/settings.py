"""Where the crew looks things up, and how sure it must be: a part for each kind of source."""

from pathlib import Path
from typing import Literal, Self
from urllib.parse import urlsplit

from pydantic import Field, field_validator, model_validator

from protocol import Frozen
from roles.skills.contract import McpAddress

_HERE = {"localhost", "127.0.0.1", "::1"}


class SourceSettings(Frozen):
    """One kind of knowledge."""

    use: bool = True
    top_k: int = Field(default=3, ge=1, le=50)
    """How many of its documents are shown for one query, at most."""
    threshold: float = Field(default=0.3, ge=0, le=1)
    """How much of the query a document must speak of, 0 to 1."""


class ExperienceSettings(SourceSettings):
    """What the crew itself did."""

    save: Literal["always", "ask", "auto", "never"] = "ask"
    """What becomes of a run that reached its goal. always: it is kept when the final check passed; auto: when the judge of its
    task says so, too; ask: when a person at the terminal says so at its end, and nobody else is asked; never: it is not kept."""
    reuse: Literal["plan", "hint"] = "plan"
    """Whether its steps may be followed as a plan, or are only shown to whoever plans."""


class OnlineSettings(SourceSettings):
    """A search interface, by its address and the form of its answer."""

    use: bool = False
    threshold: float = Field(default=0.0, ge=0, le=1)
    """How much of the query a result must speak of; the search itself has ranked it already."""
    url: str = ""
    """Its address, with `{query}`, and with `{app}` and `{limit}` where it takes them."""
    results: str = ""
    """Where the list of results stands in the answer: keys and numbers with dots between, `web.results`; empty for the whole."""
    title: str = "title"
    text: str = "text"
    link: str = "url"
    """Where title, text and address stand in a result, in the same way."""
    key_env: str = ""
    """The environment variable with the key; empty where none is needed."""
    key_header: str = "Authorization"
    key_form: str = "Bearer {key}"
    """What is sent in that header."""
    domains: tuple[str, ...] = ()
    """Results of these hosts, and of hosts below them, are shown; of all where none is named."""
    seconds: float = Field(default=10.0, gt=0)
    max_bytes: int = Field(default=1_000_000, ge=1_000)
    """A larger answer is not read."""

    @field_validator("url")
    @classmethod
    def _a_search(cls, url: str) -> str:
        if not url:
            return url
        parts = urlsplit(url)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise ValueError("must be an address that begins with https://")
        if parts.scheme == "http" and parts.hostname not in _HERE:
            raise ValueError("must begin with https://; only a server on this machine may be asked without")
        if "{query}" not in url or "{" in url.split("?")[0].split("/")[2]:
            raise ValueError("must hold {query}, behind the name of the host")
        return url

    @field_validator("domains")
    @classmethod
    def _hosts(cls, domains: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(domain.casefold().removeprefix("*.").strip(".") for domain in domains)

    @model_validator(mode="after")
    def _known_place(self) -> Self:
        if self.use and not self.url:
            raise ValueError("url: an online search needs its address, with {query} in it")
        return self


class McpSettings(McpAddress):
    """A tool of an MCP server in which things are looked up."""

    tool: str = ""
    """Which of its tools; may be left out where it has just one."""
    argument: str = ""
    """Which of the tool's arguments takes the query; may be left out where it takes just one text."""

    @property
    def name(self) -> str:
        return self.url or self.command[0]


class KnowledgeSettings(Frozen):
    """What is known beyond the screen."""

    look_up: Literal["asked", "ahead"] = "asked"
    """When it is looked up. asked: when whoever plans asks for it; ahead: also, unasked, for the goal before the first plan and
    for every subtask before an Operator works it, which are then shown what was found."""
    store: Path = Path(".deskcrew/knowledge.sqlite")
    """The file of what was added; a relative one stands beside the folder of the runs. Nothing is written before something is
    added."""
    help: SourceSettings = Field(default_factory=SourceSettings)
    """Help documents: the shipped ones, those of `help_dirs`, and those that were added."""
    online: OnlineSettings = Field(default_factory=OnlineSettings)
    """A search interface. Off unless it is configured."""
    experience: ExperienceSettings = Field(default_factory=ExperienceSettings)
    """What the crew itself did, and what came of it."""
    demonstrations: SourceSettings = Field(default_factory=SourceSettings)
    """What a person showed."""
