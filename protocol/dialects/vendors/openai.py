"""OpenAI's computer use: `computer_call` items with one action or a batch of them, in pixels of the picture that was sent.

Also read: bare actions, lists of items as a response holds them, and whole responses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from protocol.dialects.common.base import (
    Context,
    Dialect,
    DialectError,
    Fields,
    NothingDone,
    ParsedPayload,
    WrittenPayload,
    cannot,
    each_of,
)
from protocol.dialects.common.pointing import PayloadReading, PayloadWriting, simpler
from protocol.model.actions import AgentAction
from protocol.model.geometry import JsonObject
from protocol.model.verbs import Action, Click, Drag, Extension, HoldKey, Hover, PressKey, Screenshot, Scroll, Type, Wait

NAME = "openai"
_CHECKS = "pending_safety_checks"
_BUTTONS = {"left": "left", "right": "right", "wheel": "middle", "back": "back", "forward": "forward"}
_WHEEL = {ours: theirs for theirs, ours in _BUTTONS.items()}
_CLICKS = frozenset({("left", 2), *((button, 1) for button in _WHEEL)})
_FUNCTION = "function_call"
_WORDS = ("message", "reasoning", "computer_call_output", "function_call_output")
_LONGEST_PATH = 1_002
_COMMANDS = frozenset({"Control", "Alt", "Meta", "ControlOrMeta"})
_WAIT = 1.0
"""Seconds that a `wait` is taken for, as OpenAI's sample app does."""


def from_openai(payload: Any, context: Context) -> ParsedPayload:
    """The actions of an item, of an action, or of a list of either. Raises DialectError.

    Safety checks come first, as `x-openai.pending_safety_checks`: whoever performs actions stops there, and can ask a person.
    """
    reading = PayloadReading(NAME, context, DIALECT.variant(context), *context.picture)
    for fields in (fields for each, where in each_of(payload) for fields in _actions(each, where, reading)):
        verb = fields.text("type")
        if verb == _FUNCTION:
            reading.actions.append(_function(fields, reading))
            continue
        if verb not in _READERS:
            fields.refuse("type", f"there is no action {verb[:60]!r}; actions are {', '.join(_READERS)}")
        reading.actions.append(_READERS[verb](fields, reading))
        fields.end()
    if not reading.actions:
        raise NothingDone(NAME, "$", "there is no computer call")
    return ParsedPayload(reading.actions, reading.losses)


def _actions(payload: Any, where: str, reading: PayloadReading) -> Iterator[Fields]:
    fields = Fields(NAME, payload, where)
    kind = payload.get("type")
    if kind is None and isinstance(payload.get("output"), list | tuple):
        for n, each in enumerate(payload["output"]):
            yield from _actions(each, f"{where}.output[{n}]", reading)
    elif kind == "computer_call":
        yield from _call(fields, reading)
    elif kind in _WORDS or (kind is None and "role" in payload):
        reading.lose("words", "words beside a call are no action")
    else:
        yield fields


def _function(fields: Fields, reading: PayloadReading) -> AgentAction:
    """A function of the harness's own, beside the tool: carried, since only the harness knows what it does."""
    fields.drop("id", "call_id", "namespace")
    fields.choice("status", ("completed",), None)
    name, arguments = fields.text("name"), fields.text("arguments", "{}")
    fields.end()
    return reading.theirs(_FUNCTION, fields.where, name=name, arguments=arguments)


def _call(fields: Fields, reading: PayloadReading) -> Iterator[Fields]:
    fields.drop("type", "id", "call_id")
    fields.choice("status", ("completed",), None)
    action, actions, checks = fields.any("action", None), fields.any("actions", None), _checks(fields)
    fields.end()
    if checks:
        reading.actions.append(reading.theirs(_CHECKS, f"{fields.where}.{_CHECKS}", checks=checks))
    if action is not None and actions is not None:
        fields.refuse("actions", "a call has either an action or actions")
    if action is None and actions is None and not checks:
        fields.refuse("actions", "is missing")
    if action is not None:
        yield Fields(NAME, action, f"{fields.where}.action")
    for n, each in enumerate(_a_list(fields, "actions", actions)):
        yield Fields(NAME, each, f"{fields.where}.actions[{n}]")


def _checks(fields: Fields) -> list[dict[str, str]]:
    found = []
    for n, each in enumerate(_a_list(fields, _CHECKS, fields.any(_CHECKS, None))):
        check = Fields(NAME, each, f"{fields.where}.{_CHECKS}[{n}]")
        said = {name: check.text(name, None) for name in ("id", "code", "message")}
        check.end()
        found.append({name: text for name, text in said.items() if text is not None})
    return found


def _a_list(fields: Fields, name: str, value: Any) -> Sequence[Any]:
    if value is not None and not isinstance(value, list | tuple):
        fields.refuse(name, "a list is needed")
    return value or ()


def _held(fields: Fields, reading: PayloadReading) -> tuple[str, ...]:
    return reading.chord(f"{fields.where}.keys", fields.texts("keys", ()), "openai")


def _read_click(fields: Fields, reading: PayloadReading) -> AgentAction:
    button = _BUTTONS[fields.choice("button", tuple(_BUTTONS))]
    return reading.build(fields, "click", "keys", target=reading.xy(fields), button=button, modifiers=_held(fields, reading))


def _read_double(fields: Fields, reading: PayloadReading) -> AgentAction:
    return reading.build(fields, "click", "keys", target=reading.xy(fields), count=2, modifiers=_held(fields, reading))


def _read_drag(fields: Fields, reading: PayloadReading) -> AgentAction:
    path = fields.any("path")
    if not isinstance(path, list | tuple) or not 2 <= len(path) <= _LONGEST_PATH:
        fields.refuse("path", f"a list of 2 to {_LONGEST_PATH} points is needed")
    spots = []
    for n, each in enumerate(path):
        pair = isinstance(each, list | tuple) and len(each) == 2
        point = Fields(NAME, {"x": each[0], "y": each[1]} if pair else each, f"{fields.where}.path[{n}]")
        spots.append(reading.xy(point))
        point.end()
    between = [spot.point for spot in spots[1:-1]]
    held = _held(fields, reading)
    return reading.build(fields, "drag", "keys", target=spots[0], to=spots[-1], path=between, modifiers=held)


def _read_scroll(fields: Fields, reading: PayloadReading) -> AgentAction:
    delta = {"x": fields.number("scroll_x", whole=True), "y": fields.number("scroll_y", whole=True)}
    held = _held(fields, reading)
    return reading.build(fields, "scroll", "keys", target=reading.xy(fields), delta=delta, unit="px", modifiers=held)


def _read_wait(fields: Fields, reading: PayloadReading) -> AgentAction:
    reading.lose("wait.seconds", f"a wait says no time; taken as {_WAIT:g} s")
    return reading.build(fields, "wait", seconds=_WAIT)


def _read_keys(fields: Fields, reading: PayloadReading) -> AgentAction:
    keys = reading.chord(f"{fields.where}.keys", fields.texts("keys"), "openai")
    return reading.build(fields, "press_key", "keys", keys=_shortcut(keys))


def _shortcut(keys: tuple[str, ...]) -> tuple[str, ...]:
    """The model says `CTRL` and `L` for the two keys with these letters on them: no capital is meant without Shift."""
    if "Shift" in keys or not _COMMANDS & {*keys}:
        return keys
    return tuple(key.lower() if len(key) == 1 and key.isascii() else key for key in keys)


def _read_move(fields: Fields, reading: PayloadReading) -> AgentAction:
    return reading.build(fields, "hover", "keys", target=reading.xy(fields), modifiers=_held(fields, reading))


_READERS: dict[str, Callable[[Fields, PayloadReading], AgentAction]] = {
    "click": _read_click,
    "double_click": _read_double,
    "drag": _read_drag,
    "keypress": _read_keys,
    "move": _read_move,
    "screenshot": lambda fields, reading: reading.build(fields, "screenshot"),
    "scroll": _read_scroll,
    "type": lambda fields, reading: reading.build(fields, "type", text=fields.text("text")),
    "wait": _read_wait,
}


def to_openai(action: Action, context: Context) -> WrittenPayload:
    """A `computer_call`, or a list of them in variant `single`; the ids are the service's to give. Raises DialectError."""
    writing = PayloadWriting(NAME, context, DIALECT.variant(context), *context.picture)
    if isinstance(action, Extension):
        return WrittenPayload(_carried(action), writing.losses)
    said: list[JsonObject] = []
    for step in simpler(action, writing, _CLICKS):
        if type(step) not in _WRITERS:
            cannot(NAME, action, "the model says it in words, without a call of the tool" if action.inner else "")
        said.append(_WRITERS[type(step)](step, writing))
    if writing.variant == "batched":
        return WrittenPayload({"type": "computer_call", "actions": said}, writing.losses)
    calls = [{"type": "computer_call", "action": each} for each in said]
    return WrittenPayload(calls[0] if len(calls) == 1 else calls, writing.losses)


def _carried(action: Extension) -> JsonObject:
    """What is carried: safety checks, and functions. Anything that could not have been read is refused."""
    call = {"type": "computer_call", _CHECKS: action.arguments.get("checks")}
    if action.action_type == f"x-{NAME}.{_FUNCTION}":
        call = {"type": _FUNCTION, **action.arguments}
    try:
        exact = from_openai(call, Context()).actions == [action]
    except DialectError:
        exact = False
    return call if exact else cannot(NAME, action)


def _spot(action: Action, writing: PayloadWriting) -> dict[str, int]:
    x, y = writing.spot(action.target)
    return {"x": x, "y": y}


def _keys(action: Click | Drag | Hover | Scroll, writing: PayloadWriting) -> dict[str, list[str]]:
    return {"keys": writing.names(action, action.modifiers, "openai")} if action.modifiers else {}


def _write_click(action: Click, writing: PayloadWriting) -> JsonObject:
    where = {**_spot(action, writing), **_keys(action, writing)}
    return {"type": "click", "button": _WHEEL[action.button], **where} if action.count == 1 else {"type": "double_click", **where}


def _write_drag(action: Drag, writing: PayloadWriting) -> JsonObject:
    if action.button != "left":
        cannot(NAME, action, f"only the left button drags, not {action.button}")
    between = [("path", type(action.to)(point=point)) for point in action.path]
    spots = [writing.spot(target, what) for what, target in (("target", action.target), *between, ("to", action.to))]
    return {"type": "drag", "path": [{"x": x, "y": y} for x, y in spots], **_keys(action, writing)}


def _write_scroll(action: Scroll, writing: PayloadWriting) -> JsonObject:
    if action.target is None:
        writing.lose("scroll.target", "the pointer's place is not known: said in the middle of the screen")
    x, y = writing.spot(action.target) if action.target else writing.middle()
    across, down = writing.scroll(action, "px")
    return {"type": "scroll", "x": x, "y": y, "scroll_x": across, "scroll_y": down, **_keys(action, writing)}


def _write_wait(action: Wait, writing: PayloadWriting) -> JsonObject:
    writing.lose("wait.seconds", "a wait says no time")
    writing.drop(action, text="a wait has no condition", text_gone="a wait has no condition")
    return {"type": "wait"}


def _write_keys(action: PressKey | HoldKey, writing: PayloadWriting) -> JsonObject:
    if isinstance(action, HoldKey):
        writing.lose("hold_key.seconds", "keys are only pressed")
    if _shortcut(action.keys) != action.keys:
        writing.lose(f"{action.verb}.keys", "a capital letter of a shortcut is read as the key that it stands on")
    return {"type": "keypress", "keys": writing.names(action, action.keys, "openai")}


def _write_look(action: Screenshot, writing: PayloadWriting) -> JsonObject:
    writing.drop(action, marks="nothing is marked", region="only the whole screen is shown")
    return {"type": "screenshot"}


_WRITERS: dict[type[Action], Callable[[Any, PayloadWriting], JsonObject]] = {
    Click: _write_click,
    Hover: lambda action, writing: {"type": "move", **_spot(action, writing), **_keys(action, writing)},
    Drag: _write_drag,
    Type: lambda action, writing: {"type": "type", "text": action.text},
    PressKey: _write_keys,
    HoldKey: _write_keys,
    Scroll: _write_scroll,
    Wait: _write_wait,
    Screenshot: _write_look,
}

DIALECT = Dialect(
    name=NAME,
    title="OpenAI computer use",
    kind="json",
    read=from_openai,
    write=to_openai,
    variants=("batched", "single"),
)
