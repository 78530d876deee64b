"""Ticks of WebDriver's input sources, aligned with pauses, and its key codes. Source: W3C WebDriver, section 17.4.2."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, field
from typing import Any

BUTTONS = {"left": 0, "middle": 1, "right": 2, "back": 3, "forward": 4}
_NAMED = {
    "Backspace": 0xE003, "Tab": 0xE004, "Enter": 0xE007, "Shift": 0xE008, "Control": 0xE009, "ControlOrMeta": 0xE009,
    "Alt": 0xE00A, "Pause": 0xE00B, "Escape": 0xE00C, "Space": 0x20, "PageUp": 0xE00E, "PageDown": 0xE00F, "End": 0xE010,
    "Home": 0xE011, "ArrowLeft": 0xE012, "ArrowUp": 0xE013, "ArrowRight": 0xE014, "ArrowDown": 0xE015, "Insert": 0xE016,
    "Delete": 0xE017, "Meta": 0xE03D, **{f"F{n}": 0xE030 + n for n in range(1, 13)},
}  # fmt: skip
_SOURCES: dict[str, dict[str, Any]] = {
    "keyboard": {"type": "key", "id": "keyboard"},
    "mouse": {"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}},
    "wheel": {"type": "wheel", "id": "wheel"},
    "nobody": {"type": "none", "id": "nobody"},
}


def code_of(key: str) -> str | None:
    """WebDriver's value of a canonical key or a sign; None where it has none.

    A sign of the private use area is none: WebDriver would take it for a key, such as Enter.
    """
    if key in _NAMED:
        return chr(_NAMED[key])
    if len(key) != 1 or unicodedata.category(key) in ("Cc", "Cs", "Co"):
        return None
    return key


@dataclass
class Held:
    """What is pressed, in the order it was pressed."""

    keys: list[str] = field(default_factory=list)
    buttons: list[int] = field(default_factory=list)

    def copy(self) -> Held:
        return Held(self.keys.copy(), self.buttons.copy())


class Ticks:
    """One tick after the other: one source acts, the others pause."""

    def __init__(self, held: Held) -> None:
        self.held = held
        self._ticks: list[tuple[str, dict[str, Any]]] = []

    def add(self, source: str, **item: Any) -> None:
        self._ticks.append((source, item))

    def key(self, code: str, *, down: bool) -> None:
        self.add("keyboard", type="keyDown" if down else "keyUp", value=code)
        _note(self.held.keys, code, down)

    def button(self, button: int, *, down: bool) -> None:
        self.add("mouse", type="pointerDown" if down else "pointerUp", button=button)
        _note(self.held.buttons, button, down)

    def pause(self, seconds: float) -> None:
        """A tick in which nobody does anything."""
        self._ticks.append(("", {"type": "pause", "duration": round(seconds * 1000)}))

    def body(self) -> dict[str, Any] | None:
        """The body of Perform Actions; None where nothing is done."""
        if not self._ticks:
            return None
        used = [source for source in _SOURCES if any(by == source for by, _ in self._ticks)] or ["nobody"]
        return {
            "actions": [{**_SOURCES[source], "actions": [self._tick(tick, source) for tick in self._ticks]} for source in used]
        }

    def _tick(self, tick: tuple[str, dict[str, Any]], source: str) -> dict[str, Any]:
        by, item = tick
        return item if by in (source, "") else {"type": "pause"}


def _note(held: list[Any], what: Any, down: bool) -> None:
    if down and what not in held:
        held.append(what)
    elif not down and what in held:
        held.remove(what)
