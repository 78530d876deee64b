"""Mouse and keyboard, one stroke after the other: what computer_13, pyautogui and AgentNet have in common.

A stroke without a place that directly follows a move happens where the move ended, so `moveTo` and `dragTo` are one drag, and
`moveTo` and `click()` one click.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from protocol import ActionTarget, AgentAction, JsonObject
from protocol.dialects import DialectError, Part, Reading, Writing, refusing
from protocol.model import verbs
from protocol.model.keys import read_key, write_key

PAUSE = 2.0
"""Seconds that OSWorld waits on WAIT: the default of its `step(action, pause=2)`."""
BUTTONS = ("left", "right", "middle")
_CONTROL_SIGNS = {"\t": "Tab", "\n": "Enter", "\r": "Enter", "decimal": "."}


@dataclass
class DeviceReading(Reading):
    """Strokes that are read."""

    nothing, empty = "there is no action in it", DialectError

    def aim(self) -> ActionTarget | None:
        """Where `x` and `y` are; None where neither is given, which is where the pointer is."""
        return self.at() if "x" in self.fields or "y" in self.fields else None

    def moved(self) -> ActionTarget | None:
        """Where a move ended that directly precedes; it is then a part of what follows."""
        last = self.actions[-1] if self.actions else None
        return self.actions.pop().target if isinstance(last, verbs.Hover) else None

    def pressed(self, button: str, at: ActionTarget | None = None) -> list[AgentAction]:
        """A button that is pressed where the pointer is, and released."""
        return [self.build("mouse_down", button=button), self.build("mouse_up", button=button, target=at)]

    def click(self, at: ActionTarget | None, button: str = "left", count: int = 1) -> list[AgentAction]:
        at = at or self.moved()
        return self.pressed(button) * count if at is None else [self.build("click", target=at, button=button, count=count)]

    def drag(self, to: ActionTarget, button: str = "left") -> list[AgentAction]:
        at = self.moved()
        return self.pressed(button, to) if at is None else [self.build("drag", target=at, to=to, button=button)]

    def key_named(self, name: str, where: str) -> str:
        """The canonical key that pyautogui calls `name`."""
        if name in _CONTROL_SIGNS:
            return _CONTROL_SIGNS[name]
        with refusing(self.dialect, f"{self.fields.where}.{where}"):
            return read_key(name, "pyautogui")


def here(aim: Callable[[Any], ActionTarget | None] = DeviceReading.aim) -> Part:
    """The place of a call, or where the pointer was moved before it."""
    return Part(lambda r: aim(r) or r.moved(), lambda w, target: {} if target is None else w.aim(target))


BUTTON = Part(lambda r: r.button(), lambda w, button: None if button not in BUTTONS else w.said_button(button))


@dataclass
class DeviceWriting(Writing):
    """One action, stroke by stroke."""

    can = frozenset({"press", "modifiers", "drag"})
    clicks = frozenset((button, count) for button in BUTTONS for count in (1, 2, 3))
    clicked: ClassVar[dict[tuple[str, int], str]] = {}
    """The calls that are a click of that button and count; the first one also says others."""
    dragged: ClassVar[str] = ""
    """The call that drags from where the pointer is."""
    wheels: ClassVar[tuple[str, str]] = ("", "")
    """The calls that turn the wheel across and down."""

    def aim(self, target: ActionTarget | None, what: str = "target") -> JsonObject:
        said = self.place(target, what)
        return {"x": said.x, "y": said.y}

    def said_button(self, button: str) -> JsonObject:
        return {} if button == "left" else {"button": button}

    def key_name(self, key: str) -> str:
        """What pyautogui calls a canonical key: a name of its KEYBOARD_KEYS."""
        name = write_key(key, "pyautogui")
        if name is None or (len(name) == 1 and not name.isascii()):
            raise DialectError(self.dialect, "keys", f"{self.dialect} has no key {key!r}")
        return name

    def click(self, action: verbs.Click) -> list[Any]:
        name, at = self.clicked.get((action.button, action.count)), self.aim(action.target)
        if name is not None:
            return [self.call(name, **at)]
        return [self.call(next(iter(self.clicked.values())), **at, clicks=action.count, button=action.button)]

    def drag(self, action: verbs.Drag) -> list[Any]:
        if action.button not in self.drags:
            self.cannot(action, f"{self.dialect} has no drag of the {action.button} button")
        start = self.said(verbs.Hover(target=action.target))
        return [*start, self.call(self.dragged, **self.aim(action.to, "to"), button=action.button)]

    def scroll(self, action: verbs.Scroll) -> list[Any]:
        """Across and then down; the wheel turns up for positive numbers."""
        x, y = self.amounts(action, "notch")
        at = {} if action.target is None else self.aim(action.target)
        across = [self.call(self.wheels[0], notches=x, **at)] if x else []
        return across + ([self.call(self.wheels[1], notches=-y, **at)] if y or not x else [])
