"""pyautogui's functions as data: their parameters, and the strokes that a call makes.

Signatures are those of pyautogui 0.9.54, with the `pause` of older versions. AgentNet writes the same calls.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from protocol.dialects.common.base import DialectError, Fields, Loss
from protocol.dialects.common.calls import BareName, Call, parse_calls
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
from protocol.dialects.python.strokes import Kind, Stroke, read_name
from protocol.model.targets import ActionTarget

MOST = 10_000
"""Presses that the calls of one text may make: `press('a', presses=...)` says many in few characters."""
_BUTTONS = {"left": "left", "primary": "left", "right": "right", "secondary": "right", "middle": "middle"}
_NUMBERED = {1: "left", 2: "middle", 3: "right"}
PACE = ("duration", "tween", "interval", "pause", "_pause", "logScreenshot")
"""Parameters that say how fast a stroke is, or leave a picture behind."""

_IMPORT = re.compile(r"import[ \t]+(?:pyautogui|pyperclip|time)(?:[ \t]*,[ \t]*(?:pyautogui|pyperclip|time))*")
_SETTING = re.compile(r"pyautogui\.(FAILSAFE|PAUSE)[ \t]*=[ \t]*(?:True|False|\d+(?:\.\d*)?|\.\d+)")

_WORDS = Loss(what="words", why="words around the code are no action")

_CLICK = ("x", "y", "interval", "duration", "tween")
_BUTTON_CLICK = ("x", "y", "interval", "button", "duration", "tween")
_MOUSE = ("x", "y", "button", "duration", "tween")
_WHEEL = ("clicks", "x", "y")


def read_code(dialect: str, payload: Any, words: tuple[str, ...] = ()) -> tuple[list[Call | Statement], list[Loss]]:
    """The calls of a text, and the words that stand alone in it, in order.

    Imports and settings of pyautogui are passed over, and so is a text that stands alone, in which agents keep their thoughts.
    """
    text = checked_text(dialect, payload)
    code, losses = code_in(dialect, text)
    found: list[Call | Statement] = []
    given: list[tuple[Statement, dict[str, Any]]] = []
    passed: list[tuple[int, int]] = []
    for statement in statements(code):
        setting = _SETTING.fullmatch(statement.text)
        if statement.text in words:
            found.append(statement)
        elif is_a_text(statement.text):
            losses += [] if _WORDS in losses else [_WORDS]
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
class Reader:
    """Reads calls one by one, and gathers what is lost."""

    dialect: str
    spot: Callable[[Any, Any, str], ActionTarget]
    """The place of `x` and `y`, at a position in the text. Raises DialectError."""
    bare: Callable[[BareName], bool] = lambda word: False
    """Whether a bare name may stand for a place."""
    names_keys: bool = False
    """Whether `hotkey(keys=[...])` means its keys; pyautogui itself ignores them there."""
    losses: list[Loss] = field(default_factory=list)
    presses: int = 0

    def bind(self, call: Call, names: tuple[str, ...], pace: tuple[str, ...] = PACE) -> Fields:
        """The arguments of a call by name, without its pace. Raises DialectError for too many, and for what is no literal."""
        if len(call.args) > len(names):
            raise DialectError(self.dialect, call.where, f"{call.name} takes at most {len(names)} arguments by position")
        given = dict(zip(names, call.args, strict=False))
        for name, value in call.kwargs.items():
            if name in given:
                raise DialectError(self.dialect, call.where, f"the argument {name} is given twice")
            given[name] = value
        fields = Fields(self.dialect, {k: v for k, v in given.items() if k not in pace}, call.where)
        self._pace(call, {k: v for k, v in given.items() if k in pace})
        for name, value in given.items():
            self.literal(fields, name, value)
        return fields

    def literal(self, fields: Fields, name: str, value: Any) -> None:
        if isinstance(value, BareName) and not (name == "tween" or _constant(value) or (name == "x" and self.bare(value))):
            fields.refuse(name, f"a literal is needed, not the name {str(value)[:40]!r}")
        inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
        for part in inner:
            self.literal(fields, name, part)

    def _pace(self, call: Call, given: dict[str, Any]) -> None:
        told = [name for name, value in given.items() if name != "tween" and value not in (0, None, False, True)]
        if told:
            self.losses.append(Loss(what=f"{call.name}.{told[0]}", why="how fast it is done is not kept"))

    def at(self, fields: Fields) -> ActionTarget | None:
        """Where the call happens; None where the pointer is."""
        x, y = fields.any("x", None), fields.any("y", None)
        if isinstance(x, list) and y is None and len(x) == 2:
            x, y = x
        if x is None and y is None:
            return None
        if isinstance(x, str) and not isinstance(x, BareName):
            fields.refuse("x", "a picture on the disk is no place")
        if (x is None or y is None) and not isinstance(x, BareName):
            fields.refuse("x" if x is None else "y", "is missing")
        return self.spot(x, y, fields.where)

    def button(self, fields: Fields) -> str:
        value = fields.any("button", "left")
        if isinstance(value, int) and not isinstance(value, bool) and value in _NUMBERED:
            return _NUMBERED[value]
        name = str(value).removeprefix("pyautogui.").lower() if isinstance(value, str) else ""
        return _BUTTONS.get(name) or fields.refuse("button", f"there is no button {value!r:.40}")

    def key(self, fields: Fields, name: str, value: Any) -> str:
        if not isinstance(value, str):
            fields.refuse(name, f"the name of a key is needed, not {value!r:.40}")
        return read_name(self.dialect, f"{fields.where}.{name}", value)

    def key_list(self, fields: Fields, name: str) -> list[str]:
        """Keys that are pressed one after the other: a name or a list of names."""
        value = fields.any(name)
        return [self.key(fields, name, key) for key in (value if isinstance(value, list) else [value])]


def _constant(word: BareName) -> bool:
    return word.removeprefix("pyautogui.").lower() in _BUTTONS and word.startswith("pyautogui.")


Strokes = list[Stroke]
Read = Callable[[Reader, Call], Strokes]


def _click(reader: Reader, call: Call) -> Strokes:
    fields = reader.bind(call, ("x", "y", "clicks", "interval", "button", "duration", "tween"))
    count = fields.number("clicks", 1, whole=True)
    if count not in (1, 2, 3):
        fields.refuse("clicks", "1, 2 or 3 is needed")
    return _ended(fields, Stroke("click", call.where, reader.at(fields), reader.button(fields), count))


def _clicked(button: str, count: int, names: tuple[str, ...] = _CLICK) -> Read:
    def read(reader: Reader, call: Call) -> Strokes:
        fields = reader.bind(call, names)
        pressed = reader.button(fields) if "button" in names else button
        return _ended(fields, Stroke("click", call.where, reader.at(fields), pressed, count))

    return read


def _mouse(kind: Kind) -> Read:
    def read(reader: Reader, call: Call) -> Strokes:
        fields = reader.bind(call, _MOUSE)
        return _ended(fields, Stroke(kind, call.where, reader.at(fields), reader.button(fields)))

    return read


def _moved(kind: Kind, names: tuple[str, ...]) -> Read:
    def read(reader: Reader, call: Call) -> Strokes:
        fields = reader.bind(call, names)
        spot = reader.at(fields)
        if spot is None:
            fields.refuse("x", "is missing")
        button = reader.button(fields) if "button" in names else "left"
        if not fields.flag("mouseDownUp", True):
            fields.refuse("mouseDownUp", "a drag that presses nothing is not understood here")
        return _ended(fields, Stroke(kind, call.where, spot, button))

    return read


def _wheel(axis: str, sign: int) -> Read:
    def read(reader: Reader, call: Call) -> Strokes:
        fields = reader.bind(call, _WHEEL)
        turned = {axis: sign * fields.number("clicks", whole=True)}
        return _ended(fields, Stroke("wheel", call.where, reader.at(fields), **turned))

    return read


def _write(reader: Reader, call: Call) -> Strokes:
    fields = reader.bind(call, ("message", "interval"))
    message = fields.any("message")
    if isinstance(message, list):
        return _presses(reader, fields, message, call)
    if not isinstance(message, str):
        fields.refuse("message", f"a text is needed, not {message!r:.40}")
    return _ended(fields, Stroke("write", call.where, text=str(message)))


def _press(reader: Reader, call: Call) -> Strokes:
    fields = reader.bind(call, ("keys", "presses", "interval"))
    times = fields.number("presses", 1, whole=True)
    keys = fields.any("keys")
    keys = keys if isinstance(keys, list) else [keys]
    reader.presses += times * len(keys)
    if times < 1 or reader.presses > MOST:
        fields.refuse("presses", f"between 1 and {MOST} presses are understood")
    return _presses(reader, fields, keys * times, call)


def _presses(reader: Reader, fields: Fields, names: list[Any], call: Call) -> Strokes:
    return _ended(fields, *(Stroke("press", call.where, keys=(reader.key(fields, "keys", name),)) for name in names))


def _hotkey(reader: Reader, call: Call) -> Strokes:
    """Keys by position, or in one list."""
    if "keys" in call.kwargs and not reader.names_keys:
        raise DialectError(reader.dialect, f"{call.where}.keys", "pyautogui takes the keys of hotkey by position")
    listed = len(call.args) == 1 and isinstance(call.args[0], list)
    args = call.args if listed or not call.args else [list(call.args)]
    fields = reader.bind(call._replace(args=args), ("keys",))
    return _ended(fields, Stroke("press", call.where, keys=tuple(reader.key_list(fields, "keys"))))


def _one_key(kind: Kind) -> Read:
    def read(reader: Reader, call: Call) -> Strokes:
        fields = reader.bind(call, ("key",))
        return _ended(fields, Stroke(kind, call.where, keys=(reader.key(fields, "key", fields.any("key")),)))

    return read


def _sleep(reader: Reader, call: Call) -> Strokes:
    fields = reader.bind(call, ("seconds",))
    return _ended(fields, Stroke("wait", call.where, seconds=fields.number("seconds")))


def _ended(fields: Fields, *strokes: Stroke) -> Strokes:
    fields.end()
    return list(strokes)


FUNCTIONS: dict[str, Read] = {
    "pyautogui.click": _click, "pyautogui.leftClick": _clicked("left", 1), "pyautogui.rightClick": _clicked("right", 1),
    "pyautogui.middleClick": _clicked("middle", 1), "pyautogui.doubleClick": _clicked("left", 2, _BUTTON_CLICK),
    "pyautogui.tripleClick": _clicked("left", 3, _BUTTON_CLICK), "pyautogui.mouseDown": _mouse("down"),
    "pyautogui.mouseUp": _mouse("up"), "pyautogui.moveTo": _moved("move", ("x", "y", "duration", "tween")),
    "pyautogui.dragTo": _moved("drag", ("x", "y", "duration", "tween", "button")), "pyautogui.scroll": _wheel("down", -1),
    "pyautogui.vscroll": _wheel("down", -1), "pyautogui.hscroll": _wheel("across", 1), "pyautogui.write": _write,
    "pyautogui.typewrite": _write, "pyautogui.press": _press, "pyautogui.hotkey": _hotkey, "pyautogui.shortcut": _hotkey,
    "pyautogui.keyDown": _one_key("key_down"), "pyautogui.keyUp": _one_key("key_up"), "pyautogui.sleep": _sleep,
    "time.sleep": _sleep,
}  # fmt: skip
"""How each function is read. The wheel turns up for positive clicks of `scroll`, and right for those of `hscroll`."""
