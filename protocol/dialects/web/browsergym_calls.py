"""One action of ours while it is written as BrowserGym's calls, and what is lost on the way."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf, nextafter
from typing import Any, NamedTuple

from protocol.dialects.common.base import Context, DialectError, Loss
from protocol.dialects.common.saying import element_id_of, spot, write_chord
from protocol.model.targets import ActionTarget
from protocol.model.verbs import Action, Click, Drag, Hover, Scroll

NAME = "browsergym"


class Said(NamedTuple):
    """`name(1, 'two', key=3)`."""

    name: str
    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] = {}  # noqa: RUF012 - never changed

    def __str__(self) -> str:
        return f"{self.name}({', '.join([*map(repr, self.args), *(f'{k}={v!r}' for k, v in self.kwargs.items())])})"


@dataclass
class Writing:
    """One action that is written, and what is lost."""

    context: Context
    losses: list[Loss] = field(default_factory=list)

    def lose(self, what: str, why: str) -> None:
        self.losses.append(Loss(what=what, why=why))

    def bid(self, target: ActionTarget | None, what: str = "target") -> str | None:
        """The id of the element; None for a bare place."""
        if target is None:
            raise DialectError(NAME, what, "a target is needed: where the pointer is cannot be said")
        found = element_id_of(target, self.context, NAME, what)
        self.losses += found[1] if found else []
        return found and found[0]

    def xy(self, target: ActionTarget | None, what: str = "target") -> tuple[float, float]:
        if target is None:
            raise DialectError(NAME, what, "a place is needed: where the pointer is cannot be said")
        said, losses = spot(target, self.context, "px", None, NAME, what, whole=False)
        self.losses += losses
        return said.x, said.y

    def on(self, target: ActionTarget | None, by_bid: str, by_xy: str, *args: Any, **kwargs: Any) -> Said:
        """A function for an element, or its like for a place."""
        bid = self.bid(target)
        return Said(by_xy, (*self.xy(target), *args), kwargs) if bid is None else Said(by_bid, (bid, *args), kwargs)

    def first_click(self, action: Action, then: str) -> list[Said]:
        if action.target is None:
            return []
        self.lose(f"{action.verb}.target", f"said as a click and then {then}")
        return [self.on(action.target, "click", "mouse_click")]

    def held(self, action: Click | Hover | Drag | Scroll, calls: list[Said]) -> list[Said]:
        """`calls` while the modifiers of `action` are down."""
        if not action.modifiers:
            return calls
        self.lose(f"{action.verb}.modifiers", "said as keys that go down before it and up after it")
        names = [chord(action, key) for key in action.modifiers]
        down, up = ([Said(f"keyboard_{way}", (name,)) for name in names] for way in ("down", "up"))
        return [*down, *calls, *reversed(up)]


def chord(action: Action, *keys: str) -> str:
    """Keys that are pressed together, as Playwright names them."""
    return write_chord(keys, "playwright", NAME, action)


def noop(seconds: float, what: str, w: Writing) -> list[Said]:
    """A wait: `noop` counts in milliseconds."""
    guess = seconds * 1000
    near = (guess, nextafter(guess, 0), nextafter(guess, inf))
    exact = [ms for ms in near if ms / 1000 == seconds]
    if not exact:
        w.lose(what, "rounded to what milliseconds can say")
    ms = exact[0] if exact else guess
    return [Said("noop", () if ms == 1000 else (int(ms) if ms == int(ms) else ms,))]
