"""What every dialect shares: its context, its losses, its one error, and how a target becomes a place.

A dialect reads a payload, `read(payload, context) -> (actions, losses)`, and writes one, `write(action, context) -> (payload,
losses)`. Where `write` declares no loss, `read` gives the same action back. What either does not understand is a DialectError
that names the place.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from protocol import Action, AgentAction, Frozen, Size, Space, VisualState

LONGEST = 1_000_000
"""Characters of a text that is parsed."""


class Loss(Frozen):
    """Something that the other side cannot say, or says less exactly."""

    what: str
    """The verb or field, such as `drag.path`."""
    why: str


class DialectError(ValueError):
    """A payload that is not understood, or an action that the dialect cannot say. `where` is a JSON path or a position."""

    def __init__(self, dialect: str, where: str, message: str) -> None:
        super().__init__(f"{dialect}: {where}: {message}" if where else f"{dialect}: {message}")
        self.dialect = dialect
        self.where = where
        self.reason = message


class NothingDone(DialectError):
    """A payload that is understood and holds no action, such as words alone: a line of a log that is passed over."""


@dataclass(frozen=True)
class Context:
    """What a payload does not say itself. Nothing of it is guessed where it is needed and missing."""

    state: VisualState | None = None
    """What was on the screen; needed to turn an element into a place, or an index into an element."""
    screen: Size = (1280, 800)
    """Pixels of the screen; that of `state` wins."""
    image: Size | None = None
    """Pixels of the picture that the model saw; None where it saw the screen as it is."""
    variant: str | None = None
    """One of the dialect's variants; None for its first."""

    @property
    def size(self) -> Size:
        return self.state.screen_resolution if self.state else self.screen

    @property
    def picture(self) -> tuple[Space, Size | None]:
        """The space of a model that answers in pixels of what it saw."""
        return ("image", self.image) if self.image and self.image != self.size else ("px", None)


class ParsedPayload(NamedTuple):
    actions: list[AgentAction]
    losses: list[Loss]


class WrittenPayload(NamedTuple):
    payload: Any
    """JSON, or text. A list of JSON objects where the other side needs several calls."""
    losses: list[Loss]


class Piece(NamedTuple):
    """Of a script: an action and what was lost on the way to it, or why a statement is not understood."""

    line: int
    action: AgentAction | None
    losses: list[Loss]
    where: str = ""
    reason: str = ""


@dataclass(frozen=True)
class Dialect:
    """One way to say actions."""

    name: str
    title: str
    kind: Literal["json", "text"]
    read: Callable[[Any, Context], ParsedPayload]
    write: Callable[[Action, Context], WrittenPayload]
    variants: tuple[str, ...] = ("",)
    pieces: Callable[[str, Context], Iterable[Piece]] | None = None
    """Reads a script statement by statement, so that one which is not understood costs only itself."""

    def variant(self, context: Context) -> str:
        """The variant to speak. Raises DialectError for one that is not known."""
        wanted = context.variant if context.variant is not None else self.variants[0]
        if wanted not in self.variants:
            raise DialectError(self.name, "", f"there is no variant {wanted!r}; variants are {', '.join(self.variants)}")
        return wanted
