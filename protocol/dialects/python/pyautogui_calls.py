"""pyautogui's functions as data: their parameters, and the strokes that a call makes.

Signatures are those of pyautogui 0.9.54, with the `pause` of older versions. AgentNet writes the same calls.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from protocol.dialects.common.base import DialectError, Loss
from protocol.dialects.common.calls import BareName, Call, bound, parse_calls
from protocol.dialects.common.conversion import Reading, given
from protocol.dialects.common.fields import Fields
from protocol.dialects.common.statements import (
    Statement,
    blanked,
    checked_text,
    code_in,
    filled_in,
    is_a_text,
    names_given,
    statements,
)
from protocol.dialects.python.strokes import Stroke, read_name, stroke
from protocol.model.geometry import JsonObject
from protocol.model.targets import ActionTarget

MOST = 10_000
"""Presses that the calls of one text may make: `press('a', presses=...)` says many in few characters."""
_BUTTONS = {"left": "left", "primary": "left", "right": "right", "secondary": "right", "middle": "middle"}
_NUMBERED = {1: "left", 2: "middle", 3: "right"}
PACE = ("duration", "tween", "interval", "pause", "_pause", "logScreenshot")
"""Parameters that say how fast a stroke is, or leave a picture behind."""

_IMPORT = re.compile(r"import[ \t]+(?:pyautogui|pyperclip|time)(?:[ \t]*,[ \t]*(?:pyautogui|pyperclip|time))*")
_SETTING = re.compile(r"pyautogui\.(FAILSAFE|PAUSE)[ \t]*=[ \t]*(?:True|False|\d+(?:\.\d*)?|\.\d+)")

_THOUGHT = Loss(what="words", why="words around the code are no action")

_CLICK = "x y interval duration tween"
_BUTTON_CLICK = "x y interval button duration tween"
_MOUSE = "x y button duration tween"


def read_code(dialect: str, payload: Any, words: tuple[str, ...] = ()) -> tuple[list[Call | Statement], list[Loss]]:
    """The calls of a text, and the words that stand alone in it, in order.

    Imports and settings of pyautogui are passed over, and so is a text that stands alone, in which agents keep their thoughts.
    """
    text = checked_text(dialect, payload)
    code, losses = code_in(dialect, text)
    found: list[Call | Statement] = []
    given: list[tuple[Statement, JsonObject]] = []
    passed: list[tuple[int, int]] = []
    for statement in statements(code):
        setting = _SETTING.fullmatch(statement.text)
        if statement.text in words:
            found.append(statement)
        elif is_a_text(statement.text):
            losses += [] if _THOUGHT in losses else [_THOUGHT]
        elif names := names_given(dialect, statement) if not setting else {}:
            given.append((statement, names))
        elif not setting and not _IMPORT.fullmatch(statement.text):
            continue
        if setting and setting[1] == "PAUSE":
            losses.append(Loss(what="PAUSE", why="how fast it is done is not kept"))
        passed.append((statement.start, statement.end))
    calls: list[Call] = []
    for chain in parse_calls(dialect, blanked(code, passed)):
        if len(chain) > 1:
            raise DialectError(dialect, chain[1].where, "nothing is called on what a call gives")
        calls.append(chain[0])
    return sorted([*found, *filled_in(calls, given)], key=lambda one: (one.line, one.column)), losses


@dataclass
class Reader(Reading):
    """Reads calls one by one, and gathers what is lost."""

    spot: Callable[[Any, Any, str], ActionTarget]
    """The place of `x` and `y`, at a position in the text. Raises DialectError."""
    bare: Callable[[BareName], bool] = lambda word: False
    """Whether a bare name may stand for a place."""
    names_keys: bool = False
    """Whether `hotkey(keys=[...])` means its keys; pyautogui itself ignores them there."""
    presses: int = 0
    call: Call = field(init=False)

    def read(self, call: Call, means: Means, pace: tuple[str, ...] = PACE) -> list[Any]:
        """The strokes of a call, or the action that it is."""
        names, read = means
        self.bind(call, names.split(), pace)
        strokes = read(self)
        self.fields.end()
        return strokes if isinstance(strokes, list) else [strokes]

    def bind(self, call: Call, names: list[str], pace: tuple[str, ...] = PACE) -> None:
        """The arguments of a call by name, without its pace. Raises DialectError for too many, and for what is no literal."""
        self.call = call
        given = bound(self.dialect, call.where, call.name, names, call.args, call.kwargs)
        self.fields = Fields(self.dialect, {name: value for name, value in given.items() if name not in pace}, call.where)
        told = [name for name in given if name in pace and name != "tween" and given[name] not in (0, None, False, True)]
        if told:
            self.losses.append(Loss(what=f"{call.name}.{told[0]}", why="how fast it is done is not kept"))
        for name, value in given.items():
            self._literal(name, value)

    def _literal(self, name: str, value: Any) -> None:
        if isinstance(value, BareName) and not (name == "tween" or _constant(value) or (name == "x" and self.bare(value))):
            self.fields.refuse(name, f"a literal is needed, not the name {str(value)[:40]!r}")
        for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
            self._literal(name, part)

    def aim(self) -> ActionTarget | None:
        """Where the call happens; None where the pointer is."""
        x, y = self.fields.any("x", None), self.fields.any("y", None)
        if isinstance(x, list) and y is None and len(x) == 2:
            x, y = x
        if x is None and y is None:
            return None
        if isinstance(x, str) and not isinstance(x, BareName):
            self.fields.refuse("x", "a picture on the disk is no place")
        if (x is None or y is None) and not isinstance(x, BareName):
            self.fields.refuse("x" if x is None else "y", "is missing")
        return self.spot(x, y, self.fields.where)

    def needed(self) -> ActionTarget:
        return self.aim() or self.fields.refuse("x", "is missing")

    def button(self) -> str:
        value = self.fields.any("button", "left")
        if isinstance(value, int) and not isinstance(value, bool) and value in _NUMBERED:
            return _NUMBERED[value]
        name = str(value).removeprefix("pyautogui.").lower() if isinstance(value, str) else ""
        return _BUTTONS.get(name) or self.fields.refuse("button", f"there is no button {value!r:.40}")

    def named(self, value: Any, name: str = "keys") -> str:
        """The key of that name in the field `name`."""
        if not isinstance(value, str):
            self.fields.refuse(name, f"the name of a key is needed, not {value!r:.40}")
        return read_name(self.dialect, f"{self.fields.where}.{name}", value)

    def click(self) -> list[Stroke]:
        count = self.fields.number("clicks", 1, whole=True)
        if count not in (1, 2, 3):
            self.fields.refuse("clicks", "1, 2 or 3 is needed")
        return stroke("click", at=Reader.aim, button=Reader.button, count=count)(self)

    def drag(self) -> list[Stroke]:
        spot, button = self.needed(), self.button()
        if not self.fields.flag("mouseDownUp", True):
            self.fields.refuse("mouseDownUp", "a drag that presses nothing is not understood here")
        return [Stroke("drag", self.call.where, spot, button)]

    def write(self) -> list[Stroke]:
        message = self.fields.any("message")
        if isinstance(message, list):
            return self._pressed(message)
        if not isinstance(message, str):
            self.fields.refuse("message", f"a text is needed, not {message!r:.40}")
        return [Stroke("write", self.call.where, text=str(message))]

    def press(self) -> list[Stroke]:
        times, keys = self.fields.number("presses", 1, whole=True), self.fields.any("keys")
        keys = keys if isinstance(keys, list) else [keys]
        self.presses += times * len(keys)
        if times < 1 or self.presses > MOST:
            self.fields.refuse("presses", f"between 1 and {MOST} presses are understood")
        return self._pressed(keys * times)

    def _pressed(self, names: list[Any]) -> list[Stroke]:
        return [Stroke("press", self.call.where, keys=(self.named(name),)) for name in names]

    def hotkey(self) -> list[Stroke]:
        """Keys by position, or in one list."""
        keys = self.fields.any("keys")
        names = keys if isinstance(keys, list) else [keys]
        return [Stroke("press", self.call.where, keys=tuple(self.named(name) for name in names))]

    def functions(self, call: Call) -> list[Stroke]:
        """What a call of pyautogui's own does."""
        if call.name in ("pyautogui.hotkey", "pyautogui.shortcut"):
            if "keys" in call.kwargs and not self.names_keys:
                raise DialectError(self.dialect, f"{call.where}.keys", "pyautogui takes the keys of hotkey by position")
            listed = len(call.args) == 1 and isinstance(call.args[0], list)
            call = call if listed or not call.args else call._replace(args=[list(call.args)])
        return self.read(call, FUNCTIONS[call.name])


def _constant(word: BareName) -> bool:
    return word.removeprefix("pyautogui.").lower() in _BUTTONS and word.startswith("pyautogui.")


Means = tuple[str, Callable[[Any], Any]]
"""The parameters of a function, and what a call of it is."""


def _wheel(axis: str, sign: int) -> Means:
    return "clicks x y", stroke("wheel", **{axis: lambda r: sign * r.fields.number("clicks", whole=True)}, at=Reader.aim)


def _clicks(count: int = 1) -> Means:
    return _BUTTON_CLICK, stroke("click", at=Reader.aim, button=Reader.button, count=count)


_ONE_KEY = {"keys": lambda r: (r.named(r.fields.any("key"), "key"),)}
_SLEEP: Means = ("seconds", stroke("wait", seconds=given("seconds", kind="number")))
FUNCTIONS: dict[str, Means] = {
    "pyautogui.click": ("x y clicks interval button duration tween", Reader.click),
    "pyautogui.leftClick": (_CLICK, stroke("click", at=Reader.aim)),
    "pyautogui.rightClick": (_CLICK, stroke("click", at=Reader.aim, button="right")),
    "pyautogui.middleClick": (_CLICK, stroke("click", at=Reader.aim, button="middle")),
    "pyautogui.doubleClick": _clicks(2),
    "pyautogui.tripleClick": _clicks(3),
    "pyautogui.mouseDown": (_MOUSE, stroke("down", at=Reader.aim, button=Reader.button)),
    "pyautogui.mouseUp": (_MOUSE, stroke("up", at=Reader.aim, button=Reader.button)),
    "pyautogui.moveTo": ("x y duration tween", stroke("move", at=Reader.needed)),
    "pyautogui.dragTo": ("x y duration tween button", Reader.drag),
    "pyautogui.scroll": _wheel("down", -1),
    "pyautogui.vscroll": _wheel("down", -1),
    "pyautogui.hscroll": _wheel("across", 1),
    "pyautogui.write": ("message interval", Reader.write),
    "pyautogui.typewrite": ("message interval", Reader.write),
    "pyautogui.press": ("keys presses interval", Reader.press),
    "pyautogui.hotkey": ("keys", Reader.hotkey),
    "pyautogui.shortcut": ("keys", Reader.hotkey),
    "pyautogui.keyDown": ("key", stroke("key_down", **_ONE_KEY)),
    "pyautogui.keyUp": ("key", stroke("key_up", **_ONE_KEY)),
    "pyautogui.sleep": _SLEEP,
    "time.sleep": _SLEEP,
}
"""How each function is read. The wheel turns up for positive clicks of `scroll`, and right for those of `hscroll`."""
