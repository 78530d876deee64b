"""OSWorld's `computer_13`: thirteen verbs of mouse and keyboard as JSON, with WAIT, DONE and FAIL.

Source: `desktop_env/actions.py` and `controllers/python.py` of OSWorld. Its prompts show verbs that its space does not have
(MOUSE_MOVE, KEY, TYPE, click_type); they are read, and never written.
"""

import json
import re
from collections.abc import Callable, Collection
from typing import Any, ClassVar

from protocol import AgentAction, JsonObject
from protocol.dialects import DialectError, Fields, ParsedPayload, Part, Table, dialect_of, given, refusing, row
from protocol.dialects.common.fields import within_length
from protocol.dialects.python.devices import BUTTON, BUTTONS, PAUSE, DeviceReading, DeviceWriting, here
from protocol.log.versions import SaidTwice, said_once
from protocol.model import verbs
from protocol.model.keys import split_chord

NAME = "computer_13"
_CLICK_TYPES = {"LEFT": "left", "RIGHT": "right", "MIDDLE": "middle"}
_WHEEL = {"WHEEL_UP": -1, "WHEEL_DOWN": 1}
_WORDS = ("WAIT", "DONE", "FAIL")
_FENCED = re.compile(r"```(?:json)?\s*+(.*?)\s*```[ \t]*$", re.DOTALL | re.MULTILINE)


def _in_text(text: str) -> list[Any]:
    """The calls of a model's answer: in fences, where words may stand around them, or nothing but the JSON."""
    calls: list[Any] = []
    for part in _FENCED.findall(within_length(text, NAME)) or [text]:
        try:
            call = part if part in _WORDS else json.loads(part, object_pairs_hook=said_once)
        except SaidTwice as twice:
            raise DialectError(NAME, "$", str(twice)) from None
        except (ValueError, RecursionError):
            raise DialectError(NAME, "$", "one call in JSON is needed, or each in a fence of its own") from None
        calls += call if isinstance(call, list) else [call]
    return calls


class _Reading(DeviceReading):
    """Calls, flat or with `parameters`, or the words WAIT, DONE and FAIL; a list or a text of them."""

    def parsed(self, payload: Any) -> ParsedPayload:
        return super().parsed(_in_text(payload) if isinstance(payload, str) and payload not in _WORDS else payload)

    def take(self, payload: Any, where: str) -> None:
        self.fields = Fields(NAME, {"action_type": payload} if payload in _WORDS else payload, where)
        verb = self.fields.text("action_type")
        if verb not in _CALLS:
            self.fields.refuse("action_type", f"there is no verb {verb[:40]!r}; verbs are {', '.join(SPACE)}")
        if "parameters" in self.fields:
            inner = Fields(NAME, self.fields.any("parameters"), f"{where}.parameters")
            self.fields.end()
            self.fields = inner
        self.actions += self.read(_CALLS, verb)

    def button(self) -> str:
        kind = self.fields.choice("click_type", tuple(_CLICK_TYPES), None)
        return _CLICK_TYPES[kind] if kind else str(self.fields.choice("button", BUTTONS, "left"))

    def any_click(self) -> list[AgentAction]:
        fields, spot = self.fields, self.aim()
        kind = fields.choice("click_type", (*_CLICK_TYPES, *_WHEEL), None)
        if kind in _WHEEL:
            return [self.build("scroll", target=spot or self.moved(), delta={"y": _WHEEL[kind]})]
        button = _CLICK_TYPES[kind] if kind else fields.choice("button", BUTTONS, "left")
        count = fields.number("num_clicks", 1, whole=True)
        if count not in (1, 2, 3):
            fields.refuse("num_clicks", "1, 2 or 3 is needed")
        return self.click(spot, button, count)

    def scroll(self) -> AgentAction:
        """Up is positive here, as in pyautogui, and down in the protocol."""
        if "dx" not in self.fields and "dy" not in self.fields:
            self.fields.refuse("dy", "is missing")
        dx, dy = self.fields.number("dx", 0, whole=True), self.fields.number("dy", 0, whole=True)
        return self.build("scroll", target=self.moved(), delta={"x": dx, "y": -dy})

    def keys(self) -> tuple[str, ...]:
        """One key; in the prompts' examples also several, as `ctrl+c`."""
        text = self.fields.text("key")
        with refusing(NAME, f"{self.fields.where}.key"):
            return tuple(self.key_named(part, "key") for part in (split_chord(text) if len(text) > 1 else (text,)))

    def hotkey(self) -> tuple[str, ...]:
        return tuple(self.key_named(name, f"keys[{n}]") for n, name in enumerate(self.fields.texts("keys")))


def _each(verb: str, *, backwards: bool = False) -> Callable[[_Reading], list[AgentAction]]:
    """Several keys come up in the other order."""
    return lambda r: [r.build(verb, key=key) for key in (reversed(r.keys()) if backwards else r.keys())]


_AT = Part(_Reading.at, lambda w, target: w.aim(target))
_ONE_KEY = Part(
    lambda r: (r.key_named(r.fields.text("key"), "key"),),
    lambda w, keys: {"key": w.key_name(keys[0])} if len(keys) == 1 else None,
)
_HOTKEY = Part(_Reading.hotkey, lambda w, keys: {"keys": [w.key_name(key) for key in keys]})
_SPACE: Table = {
    "MOVE_TO": row("hover", target=_AT),
    "CLICK": _Reading.any_click,
    "MOUSE_DOWN": row("mouse_down", button=BUTTON, target=here(lambda r: None)),
    "MOUSE_UP": row("mouse_up", button=BUTTON, target=here(lambda r: None)),
    "RIGHT_CLICK": lambda r: r.click(r.aim(), "right"),
    "DOUBLE_CLICK": lambda r: r.click(r.aim(), count=2),
    "DRAG_TO": lambda r: r.drag(r.at()),
    "SCROLL": _Reading.scroll,
    "TYPING": row("type", text=given("text")),
    "PRESS": row("press_key", keys=_ONE_KEY),
    "KEY_DOWN": _each("key_down"),
    "KEY_UP": _each("key_up", backwards=True),
    "HOTKEY": row("press_key", keys=_HOTKEY),
    "WAIT": row("wait", seconds=Part(lambda r: PAUSE, lambda w, seconds: {})),
    "DONE": row("finish_goal"),
    "FAIL": row("fail_goal"),
}
SPACE = tuple(_SPACE)
"""The verbs of the declared action space: all that is ever written."""
_CALLS: Table = {**_SPACE, "MOUSE_MOVE": _SPACE["MOVE_TO"], "TYPE": _SPACE["TYPING"], "KEY": row("press_key", keys=_Reading.keys)}


class _Writing(DeviceWriting):
    """Calls as JSON."""

    table = _CALLS
    aimed = frozenset()
    moved = frozenset({"scroll", "mouse_down", "mouse_up"})
    clicked: ClassVar = {("left", 1): "CLICK", ("left", 2): "DOUBLE_CLICK", ("right", 1): "RIGHT_CLICK"}

    def names(self) -> Collection[str]:
        return SPACE

    def call(self, name: str, /, **arguments: Any) -> JsonObject:
        if "clicks" in arguments:
            arguments = {"button": arguments.pop("button"), "num_clicks": arguments.pop("clicks"), **arguments}
        return {"action_type": name} | ({"parameters": arguments} if arguments else {})

    def said_button(self, button: str) -> JsonObject:
        return {"button": button}

    def key_name(self, key: str) -> str:
        """OSWorld's list of keys has the blank itself, not its name."""
        return " " if key == "Space" else super().key_name(key)

    def drag(self, action: verbs.Drag) -> list[JsonObject]:
        return [*self.said(verbs.Hover(target=action.target)), self.call("DRAG_TO", **self.aim(action.to, "to"))]

    def scroll(self, action: verbs.Scroll) -> list[JsonObject]:
        x, y = self.amounts(action, "notch")
        return [self.call("SCROLL", dx=x, dy=-y)]

    def key_down(self, action: verbs.KeyDown | verbs.KeyUp) -> list[JsonObject]:
        return [self.call(action.verb.upper(), key=self.key_name(action.key))]

    key_up = key_down


DIALECT = dialect_of(_Reading, _Writing, NAME, "OSWorld computer_13", "json")
