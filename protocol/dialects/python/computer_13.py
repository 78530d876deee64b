"""OSWorld's `computer_13`: thirteen verbs of mouse and keyboard as JSON, with WAIT, DONE and FAIL.

Source: `desktop_env/actions.py` and `controllers/python.py` of OSWorld. Its prompts show verbs that its space does not have
(MOUSE_MOVE, KEY, TYPE, click_type); they are read, and never written.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from protocol.dialects.common.base import Context, Dialect, DialectError, Fields, Loss, ParsedPayload, WrittenPayload, at, each_of
from protocol.dialects.python.strokes import InputDevice, Kind, Stroke, actions_of, read_name, spot_of, strokes_of, write_name
from protocol.model.geometry import JsonObject
from protocol.model.keys import KeyNameError, split_chord
from protocol.model.targets import ActionTarget
from protocol.model.verbs import Action

NAME = "computer_13"
_HANDS = InputDevice(NAME, timed=False, aimed=False, both_ways=True, dragging=("left",))
_BUTTONS = ("left", "right", "middle")
_CLICK_TYPES = {"LEFT": "left", "RIGHT": "right", "MIDDLE": "middle"}
_WHEEL = {"WHEEL_UP": -1, "WHEEL_DOWN": 1}
_WORDS = ("WAIT", "DONE", "FAIL")


def from_computer_13(payload: Any, context: Context) -> ParsedPayload:
    """The actions of one call, flat or with `parameters`, of one of the words WAIT, DONE and FAIL, or of a list of them."""
    DIALECT.variant(context)
    return ParsedPayload(actions_of(NAME, [stroke for call, where in each_of(payload) for stroke in _strokes(call, where)]), [])


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
    strokes = _READ[verb](fields)
    fields.end()
    return strokes


def _spot(fields: Fields, *, needed: bool = False) -> ActionTarget | None:
    """Where `x` and `y` are; None where neither is given, which is where the pointer is."""
    if not needed and "x" not in fields and "y" not in fields:
        return None
    return at(fields.number("x"), fields.number("y"), "px", None, NAME, fields.where)


def _button(fields: Fields) -> str:
    kind = fields.choice("click_type", tuple(_CLICK_TYPES), None)
    return _CLICK_TYPES[kind] if kind else str(fields.choice("button", _BUTTONS, "left"))


def _click(fields: Fields) -> list[Stroke]:
    spot = _spot(fields)
    kind = fields.choice("click_type", (*_CLICK_TYPES, *_WHEEL), None)
    if kind in _WHEEL:
        return [Stroke("wheel", fields.where, at=spot, down=_WHEEL[kind])]
    button = _CLICK_TYPES[kind] if kind else fields.choice("button", _BUTTONS, "left")
    count = fields.number("num_clicks", 1, whole=True)
    if count not in (1, 2, 3):
        fields.refuse("num_clicks", "1, 2 or 3 is needed")
    return [Stroke("click", fields.where, at=spot, button=button, count=count)]


def _clicked(button: str, count: int) -> Callable[[Fields], list[Stroke]]:
    return lambda fields: [Stroke("click", fields.where, at=_spot(fields), button=button, count=count)]


def _mouse(kind: Kind) -> Callable[[Fields], list[Stroke]]:
    return lambda fields: [Stroke(kind, fields.where, button=_button(fields))]


def _moved(kind: Kind) -> Callable[[Fields], list[Stroke]]:
    return lambda fields: [Stroke(kind, fields.where, at=_spot(fields, needed=True))]


def _scroll(fields: Fields) -> list[Stroke]:
    """Up is positive here, as in pyautogui, and down in the protocol."""
    if "dx" not in fields and "dy" not in fields:
        fields.refuse("dy", "is missing")
    dx, dy = fields.number("dx", 0, whole=True), fields.number("dy", 0, whole=True)
    return [Stroke("wheel", fields.where, across=dx, down=-dy)]


def _typing(fields: Fields) -> list[Stroke]:
    return [Stroke("write", fields.where, text=fields.text("text"))]


def _hotkey(fields: Fields) -> list[Stroke]:
    names = fields.texts("keys")
    keys = tuple(read_name(NAME, f"{fields.where}.keys[{n}]", name) for n, name in enumerate(names))
    return [Stroke("press", fields.where, keys=keys)]


def _key(kind: Kind) -> Callable[[Fields], list[Stroke]]:
    """One key; in the prompts' examples also several, as `ctrl+c`: they come up in the other order."""

    def read(fields: Fields) -> list[Stroke]:
        keys = _chord(fields, fields.text("key"))
        if kind == "press":
            return [Stroke("press", fields.where, keys=keys)]
        return [Stroke(kind, fields.where, keys=(key,)) for key in (reversed(keys) if kind == "key_up" else keys)]

    return read


def _chord(fields: Fields, text: str) -> tuple[str, ...]:
    where = f"{fields.where}.key"
    try:
        parts = split_chord(text) if len(text) > 1 else (text,)
    except KeyNameError as no:
        raise DialectError(NAME, where, str(no)) from None
    return tuple(read_name(NAME, where, part) for part in parts)


def _press(fields: Fields) -> list[Stroke]:
    name = fields.text("key")
    return [Stroke("press", fields.where, keys=(read_name(NAME, f"{fields.where}.key", name),))]


def _word(kind: Kind) -> Callable[[Fields], list[Stroke]]:
    return lambda fields: [Stroke(kind, fields.where)]


_SPACE: dict[str, Callable[[Fields], list[Stroke]]] = {
    "MOVE_TO": _moved("move"), "CLICK": _click, "MOUSE_DOWN": _mouse("down"), "MOUSE_UP": _mouse("up"),
    "RIGHT_CLICK": _clicked("right", 1), "DOUBLE_CLICK": _clicked("left", 2), "DRAG_TO": _moved("drag"), "SCROLL": _scroll,
    "TYPING": _typing, "PRESS": _press, "KEY_DOWN": _key("key_down"), "KEY_UP": _key("key_up"), "HOTKEY": _hotkey,
    "WAIT": _word("wait"), "DONE": _word("done"), "FAIL": _word("fail"),
}  # fmt: skip
SPACE = tuple(_SPACE)
"""The verbs of the declared action space: all that is ever written."""
_READ = {**_SPACE, "MOUSE_MOVE": _moved("move"), "TYPE": _typing, "KEY": _key("press")}


def to_computer_13(action: Action, context: Context) -> WrittenPayload:
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

DIALECT = Dialect(name=NAME, title="OSWorld computer_13", kind="json", read=from_computer_13, write=to_computer_13)
