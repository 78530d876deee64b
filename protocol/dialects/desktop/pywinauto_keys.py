"""Keys as pywinauto's `send_keys` takes them: `^a`, `%{F4}`, `+(ab)`, `{TAB 2}`, `{VK_SHIFT down}`, `{PAUSE 1.5}`, `{+}`.

UFO says a modifier as `{VK_CONTROL}`, and what follows is pressed with it. Its newer versions take `+ ^ % ( )` as themselves.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

from protocol.dialects.common.base import LONGEST, DialectError
from protocol.model.geometry import JsonObject
from protocol.model.keys import KeyNameError, canonical

MOST = 1_000
"""Strokes of one text of keys, and repetitions of one key."""

MOST_SIGNS = 100_000

_NAMES = {
    "Enter": "ENTER", "Escape": "ESC", "Backspace": "BACKSPACE", "Delete": "DELETE", "Tab": "TAB", "Space": "SPACE",
    "ArrowLeft": "LEFT", "ArrowRight": "RIGHT", "ArrowUp": "UP", "ArrowDown": "DOWN", "PageUp": "PGUP", "PageDown": "PGDN",
    "Home": "HOME", "End": "END", "Insert": "INSERT", "Control": "VK_CONTROL", "Alt": "VK_MENU", "Shift": "VK_SHIFT",
    "Meta": "LWIN", "AltGraph": "RMENU", "CapsLock": "CAPSLOCK", "NumLock": "NUMLOCK", "ScrollLock": "SCROLLLOCK",
    "PrintScreen": "PRTSC", "Pause": "VK_PAUSE", "ContextMenu": "VK_APPS", **{f"F{n}": f"F{n}" for n in range(1, 25)},
}  # fmt: skip
_CODES = {code: key for key, code in _NAMES.items()} | {
    "BACK": "Backspace", "BKSP": "Backspace", "BS": "Backspace", "VK_BACK": "Backspace", "DEL": "Delete", "INS": "Insert",
    "CAP": "CapsLock", "VK_CAPITAL": "CapsLock", "BREAK": "Pause", "VK_CANCEL": "Pause", "RWIN": "Meta", "VK_LWIN": "Meta",
    "VK_RWIN": "Meta", "VK_RMENU": "AltGraph", "VK_LMENU": "Alt", "VK_LCONTROL": "Control", "VK_RCONTROL": "Control",
    "VK_LSHIFT": "Shift", "VK_RSHIFT": "Shift", "VK_RETURN": "Enter", "VK_ESCAPE": "Escape", "VK_PRIOR": "PageUp",
    "VK_NEXT": "PageDown", "VK_SNAPSHOT": "PrintScreen", "VK_SCROLL": "ScrollLock",
    **{f"VK_{code}": code.title() for code in ("TAB", "SPACE", "HOME", "END", "INSERT", "DELETE")},
    **{f"VK_{way}": f"Arrow{way.title()}" for way in ("LEFT", "RIGHT", "UP", "DOWN")},
    "VK_NUMLOCK": "NumLock", **{f"VK_F{n}": f"F{n}" for n in range(1, 25)},
    **{f"VK_NUMPAD{n}": str(n) for n in range(10)},
    "VK_ADD": "+", "VK_SUBTRACT": "-", "VK_MULTIPLY": "*", "VK_DIVIDE": "/", "VK_DECIMAL": ".",
}  # fmt: skip
_HELD = {"^": "Control", "%": "Alt", "+": "Shift"}
_HELD_CODES = {"VK_CONTROL": "Control", "VK_MENU": "Alt", "VK_SHIFT": "Shift"}
_PREFIX = {key: f"{{{code}}}" for code, key in _HELD_CODES.items()}
_RESERVED = frozenset("+^%~(){}")
_PLAIN_TO_UFO2 = frozenset("+^%()")
_COUNT = re.compile(r"[0-9]{1,4}\Z")
_SECONDS = re.compile(r"[0-9]{1,4}(\.[0-9]{0,20})?([eE]-?[0-9]{1,3})?\Z")


class Stroke(NamedTuple):
    """What is done: a text is typed, a chord pressed, a key pressed or let go, or time passes."""

    verb: Literal["type", "press_key", "key_down", "key_up", "wait"]
    value: Any

    @property
    def fields(self) -> JsonObject:
        """As an action."""
        name = {"type": "text", "press_key": "keys", "wait": "seconds"}.get(self.verb, "key")
        return {"action_type": self.verb, name: self.value}


@dataclass(frozen=True)
class Keys:
    """Reads and writes texts of keys for one dialect. `ufo2` takes `+ ^ % ( )` as themselves."""

    dialect: str
    where: str
    ufo2: bool = False

    def read(self, text: str) -> list[Stroke]:
        """The strokes in order; texts are typed as they are. Raises DialectError with the position in the text."""
        if len(text) > LONGEST:
            raise DialectError(self.dialect, self.where, f"the keys are longer than {LONGEST} characters")
        found: list[Stroke] = []
        signs: list[str] = []
        for number, stroke in enumerate(self._strokes(text)):
            if number >= MOST_SIGNS:
                raise DialectError(self.dialect, self.where, f"more than {MOST_SIGNS} characters and keys")
            if stroke.verb == "type":
                signs.append(stroke.value)
                continue
            found += [Stroke("type", "".join(signs))] if signs else []
            signs = []
            found.append(stroke)
            if len(found) > MOST:
                raise DialectError(self.dialect, self.where, f"more than {MOST} strokes")
        return found + ([Stroke("type", "".join(signs))] if signs else [])

    def _strokes(self, text: str, held: tuple[str, ...] = ()) -> Iterator[Stroke]:
        at, waiting = 0, held
        while at < len(text):
            sign, start = text[at], at
            at += 1
            if sign in _HELD and not self._plain(sign):
                waiting = (*waiting, _HELD[sign])
                continue
            if sign == "{":
                at = self._close(text, "}", at + 1, start)
                code = text[start + 1 : at - 1]
                if (modifier := _HELD_CODES.get(code.upper())) is not None:
                    waiting = (*waiting, modifier)
                    continue
                yield from self._code(code, waiting, start)
            elif sign == "(" and not self._plain(sign):
                at = self._close(text, ")", at, start)
                yield from self._strokes(text[start + 1 : at - 1], waiting)
            elif sign in "})" and not self._plain(sign):
                self._refuse(start, f"{sign} stands alone")
            elif sign == "~":
                yield Stroke("press_key", (*waiting, "Enter"))
            else:
                yield self._sign(sign, waiting, start)
            waiting = held
        if waiting != held:
            yield Stroke("press_key", waiting)

    def _plain(self, sign: str) -> bool:
        return self.ufo2 and sign in _PLAIN_TO_UFO2

    def _close(self, text: str, sign: str, start: int, opened: int) -> int:
        end = text.find(sign, start)
        return end + 1 if end >= 0 else self._refuse(opened, f"the {text[opened]} is not closed")

    def _refuse(self, at: int, message: str) -> Any:
        raise DialectError(self.dialect, f"{self.where}, character {at + 1}", message)

    def _sign(self, sign: str, waiting: tuple[str, ...], at: int) -> Stroke:
        return Stroke("press_key", (*waiting, self._key(sign, at))) if waiting else Stroke("type", sign)

    def _key(self, name: str, at: int) -> str:
        if (known := _CODES.get(name.upper())) is not None and len(name) > 1:
            return known
        try:
            return canonical(name) if len(name) == 1 else self._refuse(at, f"there is no key {{{name[:40]}}}")
        except KeyNameError as bad:
            return str(self._refuse(at, str(bad)))

    def _code(self, code: str, waiting: tuple[str, ...], at: int) -> Iterator[Stroke]:
        if len(code) == 1 and code in _RESERVED:
            yield self._sign(code, waiting, at)
        elif " " not in code.strip(" ") or len(code) == 1:
            yield Stroke("press_key", (*waiting, self._key(code, at)))
        else:
            name, _, count = code.rpartition(" ")
            yield from self._counted(name.rstrip(" "), count, waiting, at)

    def _counted(self, name: str, count: str, waiting: tuple[str, ...], at: int) -> Iterator[Stroke]:
        """`{TAB 2}`, `{PAUSE 1.5}`, `{VK_SHIFT down}`."""
        if count.lower() in ("down", "up"):
            verb: Literal["key_down", "key_up"] = "key_down" if count.lower() == "down" else "key_up"
            yield Stroke(verb, self._key(name, at)) if not waiting else self._refuse(at, "keys are held over this already")
        elif name == "PAUSE":
            yield Stroke("wait", float(count) if _SECONDS.match(count) else self._refuse(at, "a pause lasts some seconds"))
        elif not _COUNT.match(count) or not 1 <= int(count) <= MOST or int(count) * len(name) > 10 * MOST:
            self._refuse(at, f"a key is repeated between 1 and {MOST} times")
        elif name.upper() in _CODES:
            yield from [Stroke("press_key", (*waiting, self._key(name, at)))] * int(count)
        else:
            yield from list(replace(self, where=f"{self.where}, character {at + 1}")._strokes(name, waiting)) * int(count)

    def text(self, text: str) -> str:
        """A text that is typed as it is."""
        return "".join(f"{{{sign}}}" if sign in _RESERVED and not self._plain(sign) else sign for sign in text)

    def chord(self, modifiers: tuple[str, ...], key: str) -> str | None:
        """A key with modifiers before it; None where one of them cannot be held so, or the key is unknown."""
        code = self.code(key)
        if code is None or not all(name in _PREFIX for name in modifiers):
            return None
        if modifiers and len(key) == 1:
            code = self.text(key)
        return "".join(_PREFIX[name] for name in modifiers) + code

    def code(self, key: str, event: str = "") -> str | None:
        """`{ENTER}`, `{a}`, `{VK_SHIFT down}`; None for a key that pywinauto lacks, or that UFO would break."""
        name = _NAMES.get(key, key if len(key) == 1 else None)
        if name is None or (event and self._plain(name)):
            return None
        return f"{{{name} {event}}}" if event else f"{{{name}}}"
