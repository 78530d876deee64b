"""Qwen-VL's `computer_use` function, as the model writes it: JSON within `<tool_call>` tags.

Also read: the JSON alone, as text or as data, lists of calls, and `mobile_use`. The variant says where coordinates count: a
grid divided by 999, as OSWorld does for Qwen3-VL, one divided by 1000, or pixels of the resized picture, as Qwen2.5-VL has it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from protocol.dialects.common.base import (
    LONGEST,
    Context,
    Dialect,
    DialectError,
    Fields,
    ParsedPayload,
    WrittenPayload,
    cannot,
    each_of,
)
from protocol.dialects.common.pointing import CLICKS, PayloadReading, PayloadWriting, simpler
from protocol.dialects.common.saying import position
from protocol.model.actions import AgentAction
from protocol.model.geometry import JsonObject, Size, Space
from protocol.model.targets import ActionTarget
from protocol.model.verbs import (
    Action,
    Answer,
    Click,
    Drag,
    Extension,
    FailGoal,
    FinishGoal,
    HoldKey,
    Hover,
    PressKey,
    Scroll,
    Type,
    Wait,
)

PHONE = "mobile_use"
_LONG_PRESS = 1.0
"""Seconds of a long press that says none."""


def _swipe(fields: Fields, reading: PayloadReading) -> AgentAction:
    start, end = (reading.pair(fields, name, whole=False) for name in ("coordinate", "coordinate2"))
    return reading.build(fields, "drag", target=start, to=end)


def _long_press(fields: Fields, reading: PayloadReading) -> AgentAction:
    target = reading.pair(fields, whole=False)
    return reading.build(fields, "click", "time", target=target, hold=fields.number("time", _LONG_PRESS))


def _button(fields: Fields, reading: PayloadReading) -> AgentAction:
    """Back and Enter are verbs of ours; the home screen and a menu are the phone's own."""
    button = fields.choice("button", ("Back", "Home", "Menu", "Enter"))
    if button == "Back":
        return reading.build(fields, "go_back")
    if button == "Enter":
        return reading.build(fields, "press_key", keys=["Enter"])
    return reading.theirs("system_button", fields.where, button=button)


MOBILE: dict[str, Callable[[Fields, PayloadReading], AgentAction]] = {
    "click": lambda fields, reading: reading.build(fields, "click", target=reading.pair(fields, whole=False)),
    "long_press": _long_press,
    "swipe": _swipe,
    "system_button": _button,
    "open": lambda fields, reading: reading.build(fields, "launch_app", app=fields.text("text")),
    "key": lambda fields, reading: reading.theirs("key_event", fields.where, text=fields.text("text")),
}
"""What is said otherwise than on a desktop: `type`, `wait`, `answer` and `terminate` are the same there."""


NAME = "qwen"
FUNCTION = "computer_use"
_TAGGED = re.compile(r"<tool_call>\s*")
_BARE = re.compile(r'\{(?=\s*")')
_CLOSED = re.compile(r"\s*(</tool_call>|$)")
_FENCE = re.compile(r"```(json)?")
_SPACES: dict[str, Space] = {"999": "norm999", "1000": "norm1000"}


def from_qwen(payload: Any, context: Context) -> ParsedPayload:
    """The actions of a model's answer, of a call, or of a list of calls. Raises DialectError."""
    reading = PayloadReading(NAME, context, DIALECT.variant(context), *_canvas(context))
    given = _in_text(payload, reading) if isinstance(payload, str) else payload
    for each, where in each_of(given):
        fields, readers = _arguments(each, where)
        verb = fields.text("action")
        if verb not in readers:
            fields.refuse("action", f"there is no action {verb[:60]!r}; actions are {', '.join(readers)}")
        reading.actions.append(readers[verb](fields, reading))
        fields.end()
    if not reading.actions:
        raise DialectError(NAME, "$", "there is no call")
    return ParsedPayload(reading.actions, reading.losses)


def _canvas(context: Context) -> tuple[Space, Size | None]:
    variant = DIALECT.variant(context)
    return (_SPACES[variant], None) if variant in _SPACES else context.picture


def _in_text(text: str, reading: PayloadReading) -> Any:
    """The calls in a model's answer: one, or a list. Words around them are a loss."""
    if len(text) > LONGEST:
        raise DialectError(NAME, "", f"the text is longer than {LONGEST} characters")
    end, calls = _after_thought(text), []
    words = text[:end]
    for call, start, after in _values(text, end):
        words += text[end:start]
        calls.append(call)
        end = after
    if _FENCE.sub("", words + text[end:]).strip():
        reading.lose("words", "words beside a call are no action")
    return calls[0] if len(calls) == 1 else calls


def _after_thought(text: str) -> int:
    """Where the answer begins: a thought ends with its tag, and may begin without one."""
    head, tag, _ = text.partition("</think>")
    thinks = head.lstrip().startswith("<think>") or not (_TAGGED.search(head) or _BARE.search(head))
    return len(head) + len(tag) if tag and thinks else 0


def _values(text: str, end: int) -> Iterator[tuple[Any, int, int]]:
    """Each JSON value that is a call, where it starts and where it ends, with its tags."""
    mark = _TAGGED if _TAGGED.search(text, end) else _BARE
    while found := mark.search(text, end):
        begin = found.end() if mark is _TAGGED else found.start()
        value, end = _json(text, begin, "")
        if mark is _TAGGED:
            closed = _CLOSED.match(text, end)
            if closed is None:
                raise DialectError(NAME, position(text, end), "expected </tool_call>")
            end = closed.end()
        yield value, found.start(), end


def _json(text: str, begin: int, where: str) -> tuple[Any, int]:
    try:
        return json.JSONDecoder().raw_decode(text, begin)
    except json.JSONDecodeError as bad:
        raise DialectError(NAME, where or position(text, bad.pos), f"this is not JSON: {bad.msg}") from None
    except (RecursionError, ValueError):  # nested too deeply, or a number of thousands of digits
        raise DialectError(NAME, where or position(text, begin), "the JSON is too deep, or has too long a number") from None


_Readers = dict[str, Callable[[Fields, PayloadReading], AgentAction]]


def _arguments(payload: Any, where: str) -> tuple[Fields, _Readers]:
    """The arguments of a call, which may stand alone, be a text, or be wrapped as chat APIs do, and who reads them."""
    call = Fields(NAME, payload, where)
    if "action" in call:
        return call, _READERS
    if "function" in call:
        wrapped = call.any("function")
        call.drop("id", "type", "index")
        call.end()
        call = Fields(NAME, wrapped, f"{where}.function")
    name, given = call.text("name"), call.any("arguments")
    if name not in (FUNCTION, PHONE):
        call.refuse("name", f"{name[:60]!r} is not {FUNCTION}")
    call.drop("id", "type")
    call.end()
    place = f"{call.where}.arguments"
    fields = Fields(NAME, _json(given, 0, place)[0] if isinstance(given, str) else given, place)
    return fields, _PHONE if name == PHONE else _READERS


def _coordinate(fields: Fields, reading: PayloadReading) -> ActionTarget | None:
    return reading.pair(fields, whole=False) if "coordinate" in fields else None


def _read_click(verb: str, fields: Fields, reading: PayloadReading) -> AgentAction:
    return reading.click(fields, verb, _coordinate(fields, reading))


def _read_key(fields: Fields, reading: PayloadReading) -> AgentAction:
    keys = reading.chord(f"{fields.where}.keys", fields.texts("keys"), "pyautogui")
    return reading.build(fields, "press_key", "keys", keys=keys)


def _read_scroll(axis: str, fields: Fields, reading: PayloadReading) -> AgentAction:
    """Qwen's own words: positive values scroll up. Across, positive is right, as in the pyautogui that performs it."""
    pixels = fields.number("pixels")
    delta = {"y": -pixels} if axis == "y" else {"x": pixels}
    return reading.build(fields, "scroll", "pixels", target=_coordinate(fields, reading), delta=delta, unit="px")


def _read_end(fields: Fields, reading: PayloadReading) -> AgentAction:
    status = fields.choice("status", ("success", "failure"))
    return reading.build(fields, "finish_goal" if status == "success" else "fail_goal")


_READERS: _Readers = {
    "key": _read_key,
    "type": lambda fields, reading: reading.build(fields, "type", text=fields.text("text")),
    "mouse_move": lambda fields, reading: reading.build(fields, "hover", target=reading.pair(fields, whole=False)),
    **{verb: partial(_read_click, verb) for verb in CLICKS},
    "left_click_drag": lambda fields, reading: reading.drag(fields, None, reading.pair(fields, whole=False)),
    "scroll": partial(_read_scroll, "y"),
    "hscroll": partial(_read_scroll, "x"),
    "wait": lambda fields, reading: reading.build(fields, "wait", "time", seconds=fields.number("time")),
    "terminate": _read_end,
    "answer": lambda fields, reading: reading.build(fields, "answer", text=fields.text("text")),
}
_PHONE = {**MOBILE, **{verb: _READERS[verb] for verb in ("type", "wait", "answer", "terminate")}}


def to_qwen(action: Action, context: Context) -> WrittenPayload:
    """A call in its tags, or several on lines of their own. Raises DialectError."""
    writing = PayloadWriting(NAME, context, DIALECT.variant(context), *_canvas(context))
    said: list[str] = []
    for step in simpler(action, writing, list(CLICKS.values())):
        if type(step) not in _WRITERS:
            cannot(NAME, action)
        said += [_tagged(call) for call in _WRITERS[type(step)](step, writing)]
    return WrittenPayload("\n".join(said), writing.losses)


def _tagged(arguments: JsonObject) -> str:
    """The call as the chat template writes it. A tag within a text is escaped: others look for the first one that closes."""
    text = json.dumps({"name": FUNCTION, "arguments": arguments}, ensure_ascii=False)
    if "tool_call>" in text or "think>" in text:
        text = text.replace("<", "\\u003c")
    return f"<tool_call>\n{text}\n</tool_call>"


def _write_click(action: Click, writing: PayloadWriting) -> list[JsonObject]:
    writing.drop(action, modifiers="no key is held during a click")
    verb = next(verb for verb, click in CLICKS.items() if click == (action.button, action.count))
    return [{"action": verb, "coordinate": [*writing.spot(action.target)]}]


def _write_hover(action: Hover, writing: PayloadWriting) -> list[JsonObject]:
    writing.drop(action, modifiers="no key is held during a move")
    return [{"action": "mouse_move", "coordinate": [*writing.spot(action.target)]}]


def _write_drag(action: Drag, writing: PayloadWriting) -> list[JsonObject]:
    if action.button != "left":
        cannot(NAME, action, f"only the left button drags, not {action.button}")
    writing.drop(action, path="only the two ends are said", modifiers="no key is held during a drag")
    writing.lose("drag.target", "said as a move and then a drag from where the pointer is")
    start, end = writing.spot(action.target), writing.spot(action.to, "to")
    return [{"action": "mouse_move", "coordinate": [*start]}, {"action": "left_click_drag", "coordinate": [*end]}]


def _write_keys(action: PressKey | HoldKey, writing: PayloadWriting) -> list[JsonObject]:
    if isinstance(action, HoldKey):
        writing.lose("hold_key.seconds", "keys are only pressed")
    return [{"action": "key", "keys": writing.names(action, action.keys, "pyautogui")}]


def _write_scroll(action: Scroll, writing: PayloadWriting) -> list[JsonObject]:
    writing.drop(action, modifiers="no key is held during a scroll")
    calls: list[JsonObject] = []
    if action.target is not None:
        writing.lose("scroll.target", "said as a move and then a scroll where the pointer is")
        calls.append({"action": "mouse_move", "coordinate": [*writing.spot(action.target)]})
    x, y = (action.delta.x, action.delta.y) if action.unit == "px" else writing.scroll(action, "px")
    if x and y:
        writing.lose("scroll.delta", "a diagonal is said as two scrolls, first down or up")
    calls += [{"action": "scroll", "pixels": -y}] if y or not x else []
    return calls + ([{"action": "hscroll", "pixels": x}] if x else [])


def _write_wait(action: Wait, writing: PayloadWriting) -> list[JsonObject]:
    writing.drop(action, text="only the time is said", text_gone="only the time is said")
    return [{"action": "wait", "time": action.seconds}]


def _write_end(action: FinishGoal | FailGoal, writing: PayloadWriting) -> list[JsonObject]:
    words = "summary" if isinstance(action, FinishGoal) else "reason"
    writing.drop(action, **{words: "only success or failure is said"})
    return [{"action": "terminate", "status": "success" if isinstance(action, FinishGoal) else "failure"}]


def _write_theirs(action: Extension, writing: PayloadWriting) -> list[JsonObject]:
    """A click or a drag from where the pointer is."""
    verb = action.action_type.removeprefix(f"x-{NAME}.")
    drags = verb == "left_click_drag"
    if (verb not in CLICKS and not drags) or action.arguments or drags is (action.target is None):
        cannot(NAME, action)
    return [{"action": verb, **({"coordinate": [*writing.spot(action.target)]} if drags else {})}]


_WRITERS: dict[type[Action], Callable[[Any, PayloadWriting], list[JsonObject]]] = {
    Click: _write_click,
    Hover: _write_hover,
    Drag: _write_drag,
    Type: lambda action, writing: [{"action": "type", "text": action.text}],
    PressKey: _write_keys,
    HoldKey: _write_keys,
    Scroll: _write_scroll,
    Wait: _write_wait,
    Answer: lambda action, writing: [{"action": "answer", "text": action.text}],
    FinishGoal: _write_end,
    FailGoal: _write_end,
    Extension: _write_theirs,
}

DIALECT = Dialect(
    name=NAME,
    title="Qwen-VL computer_use",
    kind="text",
    read=from_qwen,
    write=to_qwen,
    variants=("999", "1000", "image"),
)
