"""Lines of Playwright's Python for one action: elements by their locators, mere places by the mouse."""

from __future__ import annotations

from typing import Any, NoReturn

from protocol.dialects.base import Context, DialectError, Loss, without_delay
from protocol.dialects.locators import NAME, literal, locate, quoted
from protocol.dialects.playwright_methods import BUTTONS
from protocol.dialects.strokes_written import spot_of
from protocol.keys import KeyNameError, split_chord, write_key
from protocol.targets import ActionTarget
from protocol.verbs import Action


class Lines:
    """Writes one action."""

    def __init__(self, action: Action, context: Context) -> None:
        self.verb = action.verb
        self.context = context
        self.lines: list[str] = []
        self.losses = without_delay(action)

    def lose(self, what: str, why: str) -> None:
        self.losses.append(Loss(what=what, why=why))

    def refuse(self, what: str, why: str) -> NoReturn:
        raise DialectError(NAME, f"{self.verb}.{what}", why)

    def ask(self, method: str, *args: str, **options: Any) -> None:
        """Add a line; options that are None are left out, the others sorted as codegen sorts them."""
        if options.get("button") not in (None, *BUTTONS):
            self.refuse("button", f"there is no button {options['button']!r}")
        named = [f"{name}={literal(value)}" for name, value in sorted(options.items()) if value is not None]
        self.lines.append(f"page.{method}({', '.join([*args, *named])})")

    def element(self, target: ActionTarget, what: str = "target") -> str | None:
        """The locator of a target; None for a mere place."""
        found = locate(target, self.context, what)
        if found is None:
            return None
        self.losses += found[1]
        return found[0]

    def field(self, target: ActionTarget, what: str = "target") -> str:
        """The locator of a target that cannot be a mere place."""
        found = locate(target, self.context, what, needed=True)
        if found is None:
            self.refuse(what, "a locator is needed: a selector, or a text")
        self.losses += found[1]
        return found[0]

    def spot(self, target: ActionTarget, what: str = "target") -> tuple[str, str]:
        said, losses = spot_of(target, self.context, "px", None, NAME, what)
        self.losses += losses
        return (repr(said.point.x), repr(said.point.y)) if said.point else ("0", "0")

    def move(self, target: ActionTarget, what: str = "target") -> None:
        locator = self.element(target, what)
        if locator:
            self.ask(f"{locator}.hover")
        else:
            self.ask("mouse.move", *self.spot(target, what))

    def focus(self, target: ActionTarget | None) -> None:
        """Click where the keys should go."""
        if target is None:
            return
        locator = self.element(target)
        if locator:
            self.ask(f"{locator}.click")
        else:
            self.ask("mouse.click", *self.spot(target))
        self.lose(f"{self.verb}.target", f"said as a click and then a {self.verb.replace('_', ' ')}")

    def hold(self, modifiers: tuple[str, ...]) -> None:
        for key in modifiers:
            self.ask("keyboard.down", quoted(self.key(key)))
        if modifiers:
            self.lose(f"{self.verb}.modifiers", "said as keys that are pressed before it and released after it")

    def release(self, modifiers: tuple[str, ...]) -> None:
        for key in reversed(modifiers):
            self.ask("keyboard.up", quoted(self.key(key)))

    def key(self, *keys: str) -> str:
        """A chord as Playwright spells it."""
        text = "+".join(write_key(key, "playwright") or key for key in keys)
        try:
            parts = split_chord(text) if len(text) > 1 else (text,)
        except KeyNameError:
            parts = ()
        if len(parts) != len(keys):
            self.refuse("keys", f"the chord {text} cannot be told apart")
        return text

    def milliseconds(self, seconds: float, what: str) -> int | float:
        said = seconds * 1000
        if said / 1000 != seconds:
            self.lose(f"{self.verb}.{what}", "rounded in milliseconds")
        return int(said) if said == int(said) else said

    def submit(self, method: str, wanted: bool) -> None:
        if wanted:
            self.ask(method, quoted("Enter"))
            self.lose(f"{self.verb}.submit", "said as a press of Enter afterwards")
