"""OSWorld's `computer_13`: thirteen verbs of mouse and keyboard as JSON, with WAIT, DONE and FAIL.

Source: `desktop_env/actions.py` and `controllers/python.py` of OSWorld. Its prompts show verbs that its space does not have
(MOUSE_MOVE, KEY, TYPE, click_type); they are read, and never written.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from protocol.dialects.common.base import Context, Dialect, DialectError, Loss, ParsedPayload, WrittenPayload
from protocol.dialects.common.conversion import Reading, given
from protocol.dialects.common.fields import Fields, each_of, refusing, within_length
from protocol.dialects.python.strokes import (
    InputDevice,
    Kind,
    Stroke,
    actions_of,
    read_name,
    spot_of,
    stroke,
    strokes_of,
    write_name,
)
from protocol.model import verbs
from protocol.model.geometry import JsonObject
from protocol.model.keys import split_chord
from protocol.model.targets import ActionTarget

NAME = "computer_13"
_HANDS = InputDevice(NAME, timed=False, aimed=False, both_ways=True, dragging=("left",))
_BUTTONS = ("left", "right", "middle")
_CLICK_TYPES = {"LEFT": "left", "RIGHT": "right", "MIDDLE": "middle"}
_WHEEL = {"WHEEL_UP": -1, "WHEEL_DOWN": 1}
_WORDS = ("WAIT", "DONE", "FAIL")
_FENCED = re.compile(r"```(?:json)?\s*+(.*?)\s*```[ \t]*$", re.DOTALL | re.MULTILINE)


def from_computer_13(payload: Any, context: Context) -> ParsedPayload:
    """The actions of a call, flat or with `parameters`, of one of the words WAIT, DONE and FAIL, of a list or a text of them."""
    DIALECT.variant(context)
    given = _in_text(payload) if isinstance(payload, str) and payload not in _WORDS else payload
    return ParsedPayload(actions_of(NAME, [stroke for call, where in each_of(given) for stroke in _strokes(call, where)]), [])


def _in_text(text: str) -> list[Any]:
    """The calls of a model's answer: in fences, where words may stand around them, or nothing but the JSON."""
    calls: list[Any] = []
    for part in _FENCED.findall(within_length(text, NAME)) or [text]:
        try:
            call = part if part in _WORDS else json.loads(part)
        except (ValueError, RecursionError):
            raise DialectError(NAME, "$", "one call in JSON is needed, or each in a fence of its own") from None
        calls += call if isinstance(call, list) else [call]
    return calls


def _strokes(call: Any, where: str) -> list[Stroke]:
    if isinstance(call, str) and call in _WORDS:
        call = {"action_type": call}
    fields = Fields(NAME, call, where)
    verb = fields.text("action_type")
    if verb not in _READ:
        fields.refuse("action_type", f"there is no verb {verb[:40]!r}; verbs are {', '.join(SPACE)}")
    if "parameters" in fields:
        inner = Fields(NAME, fields.any("parameters"), f"{where}.parameters")
        fields.end()
        fields = inner
    reading = _Reading(NAME, Context())
    reading.fields = fields
    strokes = _READ[verb](reading)
    fields.end()
    return strokes


class _Reading(Reading):
    """One call that is read."""

    def spot(self) -> ActionTarget | None:
        """Where `x` and `y` are; None where neither is given, which is where the pointer is."""
        return self.at() if "x" in self.fields or "y" in self.fields else None

    def button(self) -> str:
        kind = self.fields.choice("click_type", tuple(_CLICK_TYPES), None)
        return _CLICK_TYPES[kind] if kind else str(self.fields.choice("button", _BUTTONS, "left"))

    def click(self) -> list[Stroke]:
        fields, spot = self.fields, self.spot()
        kind = fields.choice("click_type", (*_CLICK_TYPES, *_WHEEL), None)
        if kind in _WHEEL:
            return [Stroke("wheel", fields.where, at=spot, down=_WHEEL[kind])]
        button = _CLICK_TYPES[kind] if kind else fields.choice("button", _BUTTONS, "left")
        count = fields.number("num_clicks", 1, whole=True)
        if count not in (1, 2, 3):
            fields.refuse("num_clicks", "1, 2 or 3 is needed")
        return [Stroke("click", fields.where, at=spot, button=button, count=count)]

    def scroll(self) -> list[Stroke]:
        """Up is positive here, as in pyautogui, and down in the protocol."""
        if "dx" not in self.fields and "dy" not in self.fields:
            self.fields.refuse("dy", "is missing")
        dx, dy = self.fields.number("dx", 0, whole=True), self.fields.number("dy", 0, whole=True)
        return [Stroke("wheel", self.fields.where, across=dx, down=-dy)]

    def named(self, name: str, field: str = "key") -> str:
        return read_name(NAME, f"{self.fields.where}.{field}", name)

    def keys(self) -> tuple[str, ...]:
        """One key; in the prompts' examples also several, as `ctrl+c`."""
        text = self.fields.text("key")
        with refusing(NAME, f"{self.fields.where}.key"):
            return tuple(self.named(part) for part in (split_chord(text) if len(text) > 1 else (text,)))

    def hotkey(self) -> tuple[str, ...]:
        return tuple(self.named(name, f"keys[{n}]") for n, name in enumerate(self.fields.texts("keys")))


def _each(kind: Kind, *, backwards: bool = False) -> Callable[[_Reading], list[Stroke]]:
    """Several keys come up in the other order."""
    return lambda r: [Stroke(kind, r.fields.where, keys=(key,)) for key in (reversed(r.keys()) if backwards else r.keys())]


_AT, _HERE = _Reading.at, _Reading.spot
_SPACE: dict[str, Callable[[_Reading], list[Stroke]]] = {
    "MOVE_TO": stroke("move", at=_AT), "CLICK": _Reading.click, "MOUSE_DOWN": stroke("down", button=_Reading.button),
    "MOUSE_UP": stroke("up", button=_Reading.button), "RIGHT_CLICK": stroke("click", at=_HERE, button="right"),
    "DOUBLE_CLICK": stroke("click", at=_HERE, count=2), "DRAG_TO": stroke("drag", at=_AT), "SCROLL": _Reading.scroll,
    "TYPING": stroke("write", text=given("text")), "PRESS": stroke("press", keys=lambda r: (r.named(r.fields.text("key")),)),
    "KEY_DOWN": _each("key_down"), "KEY_UP": _each("key_up", backwards=True), "HOTKEY": stroke("press", keys=_Reading.hotkey),
    "WAIT": stroke("wait"), "DONE": stroke("done"), "FAIL": stroke("fail"),
}  # fmt: skip
SPACE = tuple(_SPACE)
"""The verbs of the declared action space: all that is ever written."""
_READ = {**_SPACE, "MOUSE_MOVE": _SPACE["MOVE_TO"], "TYPE": _SPACE["TYPING"], "KEY": stroke("press", keys=_Reading.keys)}


def to_computer_13(action: verbs.Action, context: Context) -> WrittenPayload:
    """The call that is `action`, or a list of calls. Raises DialectError for what the space cannot say."""

    def locate(target: ActionTarget, what: str) -> tuple[ActionTarget, list[Loss]]:
        return spot_of(target, context, "px", None, NAME, what)

    DIALECT.variant(context)
    strokes, losses = strokes_of(action, _HANDS, context, locate)
    calls = [_call(*_WRITE[stroke.kind](stroke)) for stroke in strokes]
    return WrittenPayload(calls[0] if len(calls) == 1 else calls, losses)


def _call(verb: str, parameters: JsonObject) -> JsonObject:
    return {"action_type": verb} | ({"parameters": parameters} if parameters else {})


def _xy(stroke: Stroke) -> JsonObject:
    point = stroke.at and stroke.at.point
    return {"x": point.x, "y": point.y} if point else {}


def _name(key: str) -> str:
    """OSWorld's list of keys has the blank itself, not its name."""
    return " " if key == "Space" else write_name(NAME, key)


def _write_click(s: Stroke) -> tuple[str, JsonObject]:
    short = {("left", 1): "CLICK", ("left", 2): "DOUBLE_CLICK", ("right", 1): "RIGHT_CLICK"}.get((s.button, s.count))
    return (short, _xy(s)) if short else ("CLICK", {"button": s.button, **_xy(s), "num_clicks": s.count})


def _write_press(s: Stroke) -> tuple[str, JsonObject]:
    names = [_name(key) for key in s.keys]
    return ("PRESS", {"key": names[0]}) if len(names) == 1 else ("HOTKEY", {"keys": names})


_WRITE: dict[Kind, Callable[[Stroke], tuple[str, JsonObject]]] = {
    "move": lambda s: ("MOVE_TO", _xy(s)),
    "click": _write_click,
    "down": lambda s: ("MOUSE_DOWN", {"button": s.button}),
    "up": lambda s: ("MOUSE_UP", {"button": s.button}),
    "drag": lambda s: ("DRAG_TO", _xy(s)),
    "wheel": lambda s: ("SCROLL", {"dx": s.across, "dy": -s.down}),
    "write": lambda s: ("TYPING", {"text": s.text}),
    "press": _write_press,
    "key_down": lambda s: ("KEY_DOWN", {"key": _name(s.keys[0])}),
    "key_up": lambda s: ("KEY_UP", {"key": _name(s.keys[0])}),
    "wait": lambda s: ("WAIT", {}),
    "done": lambda s: ("DONE", {}),
    "fail": lambda s: ("FAIL", {}),
}

DIALECT = Dialect(NAME, "OSWorld computer_13", "json", from_computer_13, to_computer_13)
