"""Anthropic's computer tool: `{action, coordinate, text, ...}`, in pixels of the picture that the model saw.

Also read: whole `tool_use` blocks, the per-action blocks of the computer toolset, `computer_batch`, lists of all these, and the
assistant's messages.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from math import ceil
from typing import Any, NamedTuple

from protocol.dialects.common.base import (
    Context,
    Dialect,
    DialectError,
    Fields,
    NothingDone,
    ParsedPayload,
    WrittenPayload,
    cannot,
    checked_number,
    each_of,
)
from protocol.dialects.common.pointing import CLICKS, MOST_CALLS, PayloadReading, PayloadWriting, area_of, simpler
from protocol.model.actions import AgentAction
from protocol.model.geometry import JsonObject
from protocol.model.targets import ActionTarget
from protocol.model.verbs import (
    Action,
    Click,
    Drag,
    Extension,
    HoldKey,
    Hover,
    MouseDown,
    MouseUp,
    PressKey,
    Screenshot,
    Scroll,
    Type,
    Wait,
)

NAME = "anthropic"
LONGEST_WAIT = 100
"""Seconds that one call may take, as the reference implementation has it."""

_FIRST = frozenset({
    "key", "type", "mouse_move", "left_click", "left_click_drag", "right_click", "middle_click", "double_click", "screenshot",
    "cursor_position",
})  # fmt: skip
_SECOND = _FIRST | {"left_mouse_down", "left_mouse_up", "scroll", "hold_key", "wait", "triple_click"}
_VERBS = {"20251124": _SECOND | {"zoom"}, "20250124": _SECOND, "20241022": _FIRST, "20260801": _SECOND | {"zoom"}}
_POINTER_ONLY = "20241022"
_TOOLSET = "20260801"


def from_anthropic(payload: Any, context: Context) -> ParsedPayload:
    """The actions of a call, or of a list of calls. Raises DialectError."""
    version = DIALECT.variant(context)
    reading = PayloadReading(NAME, context, version, *context.picture, signed=False)
    for verb, where, fields in (call for each, at in each_of(payload) for call in _calls(each, at, reading)):
        if verb not in _VERBS[version]:
            known = ", ".join(sorted(_VERBS[version]))
            raise DialectError(NAME, where, f"computer_{version} has no action {verb[:60]!r}; it has {known}")
        found = _READERS[verb](fields, reading)
        fields.end()
        reading.actions += found
    if not reading.actions:
        raise NothingDone(NAME, "$", "there is no call of the computer tool")
    return ParsedPayload(reading.actions, reading.losses)


class _Call(NamedTuple):
    verb: str
    where: str
    """Where the verb stands."""
    fields: Fields


def _calls(payload: Any, where: str, reading: PayloadReading) -> Iterator[_Call]:
    fields = Fields(NAME, payload, where)
    if "action" in fields:
        yield _call(payload, where)
    elif payload.get("role") == "assistant" and isinstance(payload.get("content"), list | tuple):
        for n, each in enumerate(payload["content"]):
            yield from _calls(each, f"{where}.content[{n}]", reading)
    elif "role" in fields or fields.choice("type", ("tool_use", "text", "thinking", "redacted_thinking")) != "tool_use":
        reading.lose("words", "words beside a call are no action")
    else:
        yield from _block(fields)


def _call(payload: Any, where: str) -> _Call:
    fields = Fields(NAME, payload, where)
    return _Call(fields.text("action"), f"{where}.action", fields)


def _block(fields: Fields) -> Iterator[_Call]:
    """The calls of a `tool_use` block."""
    name, toolset, given = fields.text("name"), fields.text("toolset_name", None), fields.any("input")
    where = f"{fields.where}.input"
    fields.drop("id", "caller", "cache_control")
    fields.end()
    if toolset == "computer":
        yield _Call(name, f"{fields.where}.name", Fields(NAME, given, where))
    elif (name, toolset) == ("computer", None):
        yield _call(given, where)
    elif (name, toolset) == ("computer_batch", None):
        batch = Fields(NAME, given, where)
        calls = batch.any("actions")
        batch.end()
        for n, each in enumerate(calls if isinstance(calls, list | tuple) else batch.refuse("actions", "a list is needed")):
            yield _call(each, f"{where}.actions[{n}]")
    else:
        fields.refuse("name", f"{name[:60]!r} is not the computer tool")


def _maybe(fields: Fields, reading: PayloadReading, name: str = "coordinate") -> ActionTarget | None:
    return reading.pair(fields, name) if name in fields else None


def _held(fields: Fields) -> str | None:
    """Keys held down meanwhile: `text`, or `key` in the reference implementation."""
    text, key = fields.text("text", None), fields.text("key", None)
    if text is not None and key is not None:
        fields.refuse("key", "the keys that are held are said twice, as text and as key")
    held: str | None = text if text is not None else key
    return held or None


def _read_click(verb: str, fields: Fields, reading: PayloadReading) -> list[AgentAction]:
    target = None if reading.variant == _POINTER_ONLY else _maybe(fields, reading)
    return [reading.click(fields, verb, target, _held(fields))]


def _read_drag(fields: Fields, reading: PayloadReading) -> list[AgentAction]:
    start, end = _maybe(fields, reading, "start_coordinate"), reading.pair(fields)
    return [reading.drag(fields, start, end, _held(fields))]


def _read_key(fields: Fields, reading: PayloadReading) -> list[AgentAction]:
    """xdotool takes several chords with blanks between them, one after the other."""
    text: str = fields.text("text")
    repeat: int = fields.number("repeat", 1, whole=True)
    chords = text.split() or [text]
    if repeat < 1 or len(chords) * repeat > MOST_CALLS:
        fields.refuse("repeat", f"between 1 and {MOST_CALLS} chords are pressed in one call")
    pressed = [reading.chord(f"{fields.where}.text", [chord], "xdotool") for chord in chords]
    return [reading.build(fields, "press_key", "text", keys=keys) for keys in pressed] * repeat


def _read_hold(fields: Fields, reading: PayloadReading) -> list[AgentAction]:
    keys = reading.chord(f"{fields.where}.text", [fields.text("text")], "xdotool")
    return [reading.build(fields, "hold_key", "duration", keys=keys, seconds=fields.number("duration"))]


def _read_scroll(fields: Fields, reading: PayloadReading) -> list[AgentAction]:
    direction = fields.choice("scroll_direction", ("up", "down", "left", "right"))
    amount, target = fields.number("scroll_amount", whole=True), _maybe(fields, reading)
    if amount < 0:
        fields.refuse("scroll_amount", f"the direction says where to; {amount} notches are none")
    held = reading.held(fields, _held(fields))
    return [reading.build(fields, "scroll", "text", direction=direction, amount=amount, target=target, modifiers=held)]


def _read_zoom(fields: Fields, reading: PayloadReading) -> list[AgentAction]:
    region = fields.any("region")
    if not isinstance(region, list | tuple) or len(region) != 4:
        fields.refuse("region", "four numbers are needed: [x0, y0, x1, y1]")
    numbers = [checked_number(NAME, f"{fields.where}.region[{n}]", number, whole=True) for n, number in enumerate(region)]
    reading.check(f"{fields.where}.region", *numbers)
    return [reading.build(fields, "screenshot", "region", region=area_of(numbers, reading))]


_READERS: dict[str, Callable[[Fields, PayloadReading], list[AgentAction]]] = {
    **{verb: partial(_read_click, verb) for verb in CLICKS},
    "left_click_drag": _read_drag,
    "left_mouse_down": lambda fields, reading: [reading.build(fields, "mouse_down")],
    "left_mouse_up": lambda fields, reading: [reading.build(fields, "mouse_up")],
    "mouse_move": lambda fields, reading: [reading.build(fields, "hover", target=reading.pair(fields))],
    "type": lambda fields, reading: [reading.build(fields, "type", text=fields.text("text"))],
    "key": _read_key,
    "hold_key": _read_hold,
    "wait": lambda fields, reading: [reading.build(fields, "wait", "duration", seconds=fields.number("duration"))],
    "scroll": _read_scroll,
    "screenshot": lambda fields, reading: [reading.build(fields, "screenshot")],
    "zoom": _read_zoom,
    "cursor_position": lambda fields, reading: [reading.theirs("cursor_position", fields.where)],
}


def to_anthropic(action: Action, context: Context) -> WrittenPayload:
    """A call, or a list of calls. Raises DialectError."""
    version = DIALECT.variant(context)
    writing = PayloadWriting(NAME, context, version, *context.picture, signed=False)
    calls: list[JsonObject] = []
    clicks = [button for verb, button in CLICKS.items() if verb in _VERBS[version]]
    for step in simpler(action, writing, clicks, () if version == _POINTER_ONLY else ("press",)):
        if type(step) not in _WRITERS:
            cannot(NAME, action, "the model says it in words, without a call of the tool" if action.inner else "")
        calls += _WRITERS[type(step)](step, writing)
    for call in calls:
        if call["action"] not in _VERBS[version]:
            cannot(NAME, action, f"computer_{version} has no {call['action']}")
    said = [_as_block(call) for call in calls] if version == _TOOLSET else calls
    return WrittenPayload(said[0] if len(said) == 1 else said, writing.losses)


def _as_block(call: JsonObject) -> JsonObject:
    given = {name: value for name, value in call.items() if name != "action"}
    return {"type": "tool_use", "name": call["action"], "toolset_name": "computer", "input": given}


def _text(action: Action, keys: tuple[str, ...], writing: PayloadWriting) -> dict[str, str]:
    return {"text": "+".join(writing.names(action, keys, "xdotool"))} if keys else {}


def _seconds(action: Action, seconds: float, writing: PayloadWriting) -> float:
    """The toolset's durations are whole seconds."""
    if seconds == int(seconds):
        return int(seconds)
    if writing.variant == _TOOLSET:
        writing.lose(f"{action.verb}.seconds", "said in whole seconds, rounded up")
        return ceil(seconds)
    return seconds


def _write_click(action: Click, writing: PayloadWriting) -> list[JsonObject]:
    verb = next(verb for verb, click in CLICKS.items() if click == (action.button, action.count))
    spot = [*writing.spot(action.target)]
    if writing.variant != _POINTER_ONLY:
        return [{"action": verb, "coordinate": spot, **_text(action, action.modifiers, writing)}]
    writing.lose("click.target", "said as a move and then a click where the pointer is")
    writing.drop(action, modifiers="no key is held during a click")
    return [{"action": "mouse_move", "coordinate": spot}, {"action": verb}]


def _write_button(action: MouseDown | MouseUp, writing: PayloadWriting) -> list[JsonObject]:
    if action.button != "left":
        cannot(NAME, action, f"only the left button is pressed and released by itself, not {action.button}")
    call = {"action": "left_mouse_down" if isinstance(action, MouseDown) else "left_mouse_up"}
    if action.target is None:
        return [call]
    writing.lose(f"{action.verb}.target", "said as a move and then the button")
    return [{"action": "mouse_move", "coordinate": [*writing.spot(action.target)]}, call]


def _write_hover(action: Hover, writing: PayloadWriting) -> list[JsonObject]:
    writing.drop(action, modifiers="no key is held during a move")
    return [{"action": "mouse_move", "coordinate": [*writing.spot(action.target)]}]


def _write_drag(action: Drag, writing: PayloadWriting) -> list[JsonObject]:
    if action.button != "left":
        cannot(NAME, action, f"only the left button drags, not {action.button}")
    writing.drop(action, path="only the two ends are said")
    start, end = [*writing.spot(action.target)], [*writing.spot(action.to, "to")]
    held = _text(action, action.modifiers, writing) if writing.variant == _TOOLSET else {}
    if not held:
        writing.drop(action, modifiers="no key is held during a drag")
    if writing.variant != _POINTER_ONLY:
        return [{"action": "left_click_drag", "start_coordinate": start, "coordinate": end, **held}]
    writing.lose("drag.target", "said as a move and then a drag from where the pointer is")
    return [{"action": "mouse_move", "coordinate": start}, {"action": "left_click_drag", "coordinate": end}]


def _write_scroll(action: Scroll, writing: PayloadWriting) -> list[JsonObject]:
    at = {"coordinate": [*writing.spot(action.target)]} if action.target else {}
    held = _text(action, action.modifiers, writing)
    ways = writing.ways(*writing.scroll(action, "notch"))
    return [{"action": "scroll", **at, "scroll_direction": way, "scroll_amount": amount, **held} for way, amount in ways]


def _write_wait(action: Wait, writing: PayloadWriting) -> list[JsonObject]:
    writing.drop(action, text="only the time is said", text_gone="only the time is said")
    seconds = _seconds(action, action.seconds, writing)
    return [{"action": "wait", "duration": share} for share in writing.shares(action, seconds, LONGEST_WAIT, "wait.seconds")]


def _write_look(action: Screenshot, writing: PayloadWriting) -> list[JsonObject]:
    writing.drop(action, marks="nothing is marked")
    if action.region is None or "zoom" not in _VERBS[writing.variant]:
        writing.drop(action, region="only the whole screen is shown")
        return [{"action": "screenshot"}]
    return [{"action": "zoom", "region": writing.area(action.region)}]


def _write_theirs(action: Extension, writing: PayloadWriting) -> list[JsonObject]:
    """A verb that was carried; one that could not have been read is refused."""
    call = {**action.arguments, "action": action.action_type.removeprefix(f"x-{NAME}.")}
    if action.target is not None:
        call["coordinate"] = [*writing.spot(action.target)]
    read = from_anthropic(call, writing.context).actions[0] if call["action"] in _VERBS[writing.variant] else None
    if not isinstance(read, Extension) or (read.verb, read.arguments) != (action.verb, action.arguments):
        cannot(NAME, action)
    return [call]


_WRITERS: dict[type[Action], Callable[[Any, PayloadWriting], list[JsonObject]]] = {
    Click: _write_click,
    MouseDown: _write_button,
    MouseUp: _write_button,
    Hover: _write_hover,
    Drag: _write_drag,
    Type: lambda action, writing: [{"action": "type", "text": action.text}],
    PressKey: lambda action, writing: [{"action": "key", **_text(action, action.keys, writing)}],
    HoldKey: lambda action, writing: [
        {
            "action": "hold_key",
            **_text(action, action.keys, writing),
            "duration": _seconds(action, action.seconds, writing),
        }
    ],
    Scroll: _write_scroll,
    Wait: _write_wait,
    Screenshot: _write_look,
    Extension: _write_theirs,
}

DIALECT = Dialect(
    name=NAME,
    title="Anthropic computer tool",
    kind="json",
    read=from_anthropic,
    write=to_anthropic,
    variants=tuple(_VERBS),
)
