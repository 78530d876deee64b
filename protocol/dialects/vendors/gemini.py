"""Gemini's computer use: function calls `{name, args}`, on a grid of 0..999 that is divided by 1000.

There are two sets of functions, `2.5` (also that of Gemini 3 Flash) and `3.5`. No name has two meanings, so both are read
whatever the variant; it says which set is written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from math import ceil
from typing import Any

from protocol.dialects.common.base import Context, Dialect, Fields, NothingDone, ParsedPayload, WrittenPayload, cannot, each_of
from protocol.dialects.common.pointing import PayloadReading, PayloadWriting, simpler
from protocol.model.actions import AgentAction
from protocol.model.geometry import JsonObject
from protocol.model.verbs import (
    Action,
    Click,
    Drag,
    Extension,
    Fill,
    GoBack,
    GoForward,
    HoldKey,
    Hover,
    KeyDown,
    KeyUp,
    LaunchApp,
    MouseDown,
    MouseUp,
    Navigate,
    PressKey,
    Screenshot,
    Scroll,
    Type,
    Wait,
)

NAME = "gemini"
VARIANTS = ("2.5", "3.5")
WHOLE = 1_000
"""What numbers of the grid are divided by."""

WAIT = 5
"""Seconds of the one wait of the older set."""

CLICKS = {
    "click": ("left", 1), "double_click": ("left", 2), "triple_click": ("left", 3), "middle_click": ("middle", 1),
    "right_click": ("right", 1),
}  # fmt: skip
THEIRS = {"2.5": ("open_web_browser", "search"), "3.5": ("list_apps",)}
"""Functions that we lack."""

MOST = 999
"""The largest number of the grid."""


def written(action: Action, writing: PayloadWriting) -> WrittenPayload:
    """A function call, or a list of them. Raises DialectError."""
    writers = {**_BOTH, **(_NEW if writing.variant == "3.5" else _OLD)}
    said: list[JsonObject] = []
    for step in _steps(action, writing):
        if type(step) not in writers:
            cannot(NAME, action, "the model says it in words, without a call" if action.inner else "")
        said += [{"name": name, "args": given} for name, given in writers[type(step)](step, writing)]
    return WrittenPayload(said[0] if len(said) == 1 else said, writing.losses)


def _steps(action: Action, writing: PayloadWriting) -> list[Action]:
    if writing.variant == "2.5":
        return simpler(action, writing, [("left", 1)], ("fill",))
    steps = simpler(action, writing, list(CLICKS.values()), ("submit", "hold"))
    held = steps[-1]
    if isinstance(held, HoldKey):
        writing.lose("hold_key", "said as keys that go down, a wait, and keys that go up")
        down: list[Action] = [KeyDown(key=key) for key in held.keys]
        return [*steps[:-1], *down, Wait(seconds=held.seconds), *(KeyUp(key=key) for key in reversed(held.keys))]
    return steps


_Calls = list[tuple[str, JsonObject]]


def _xy(target: Any, writing: PayloadWriting, what: str = "target", x: str = "x", y: str = "y") -> dict[str, int]:
    return dict(zip((x, y), writing.spot(target, what), strict=True))


def _names(action: Action, keys: tuple[str, ...], writing: PayloadWriting) -> list[str]:
    return ["add" if name == "+" else name for name in writing.names(action, keys, "playwright")]


def _write_click(action: Click, writing: PayloadWriting) -> _Calls:
    writing.drop(action, modifiers="no key is held during a click")
    at = _xy(action.target, writing)
    if writing.variant == "2.5":
        return [("click_at", at)]
    if action.hold:
        return [("long_press", {**at, "seconds": _whole(action, action.hold, "hold", writing)})]
    return [(name, at) for name, click in CLICKS.items() if click == (action.button, action.count)]


def _whole(action: Action, seconds: float, field: str, writing: PayloadWriting) -> int:
    if seconds != int(seconds):
        writing.lose(f"{action.verb}.{field}", "said in whole seconds, rounded up")
    return ceil(seconds)


def _write_hover(action: Hover, writing: PayloadWriting) -> _Calls:
    writing.drop(action, modifiers="no key is held during a move")
    return [("hover_at" if writing.variant == "2.5" else "move", _xy(action.target, writing))]


def _write_button(action: MouseDown | MouseUp, writing: PayloadWriting) -> _Calls:
    if action.button != "left":
        cannot(NAME, action, f"only the left button is pressed and released by itself, not {action.button}")
    return [(action.verb, _xy(action.target, writing))]


def _write_drag(action: Drag, writing: PayloadWriting) -> _Calls:
    if action.button != "left":
        cannot(NAME, action, f"only the left button drags, not {action.button}")
    writing.drop(action, path="only the two ends are said", modifiers="no key is held during a drag")
    start, end = ("", "destination_") if writing.variant == "2.5" else ("start_", "end_")
    spots = {
        **_xy(action.target, writing, "target", f"{start}x", f"{start}y"),
        **_xy(action.to, writing, "to", f"{end}x", f"{end}y"),
    }
    return [("drag_and_drop", spots)]


def _write_type_at(action: Type | Fill, writing: PayloadWriting) -> _Calls:
    if action.target is None:
        cannot(NAME, action, "text is only typed at a place")
    given = {"text": action.text, "press_enter": action.submit, "clear_before_typing": isinstance(action, Fill)}
    return [("type_text_at", {**_xy(action.target, writing), **given})]


def _write_chord(action: PressKey | HoldKey, writing: PayloadWriting) -> _Calls:
    names = _names(action, action.keys, writing)
    if writing.variant == "3.5":
        return [("press_key", {"key": names[0]}) if len(names) == 1 else ("hotkey", {"keys": names})]
    if isinstance(action, HoldKey):
        writing.lose("hold_key.seconds", "keys are only pressed")
    return [("key_combination", {"keys": "+".join(names)})]


def _write_scroll_old(action: Scroll, writing: PayloadWriting) -> _Calls:
    writing.drop(action, modifiers="no key is held during a scroll")
    if action.target is not None:
        at = _xy(action.target, writing)
        return [
            ("scroll_at", {**at, "direction": way, "magnitude": share})
            for way, amount in writing.ways(*writing.scroll(action, "page", WHOLE))
            for share in writing.shares(action, amount, MOST, "scroll.delta")
        ]
    if not action.delta.x and not action.delta.y:
        cannot(NAME, action, "a scroll by nothing has no direction")
    writing.lose("scroll.delta", "how far is not said; a call for each page")
    ways = writing.ways(*writing.scroll(action, "page"))
    return [
        ("scroll_document", {"direction": way}) for way, pages in ways for _ in writing.shares(action, pages, 1, "scroll.delta")
    ]


def _write_scroll_new(action: Scroll, writing: PayloadWriting) -> _Calls:
    writing.drop(action, modifiers="no key is held during a scroll")
    if action.target is None:
        writing.lose("scroll.target", "the pointer's place is not known: said in the middle of the screen")
    x, y = writing.spot(action.target) if action.target else writing.middle()
    return [
        ("scroll", {"x": x, "y": y, "direction": way, "magnitude_in_pixels": share})
        for way, amount in writing.ways(*writing.scroll(action, "px"))
        for share in writing.shares(action, amount, MOST, "scroll.delta")
    ]


def _write_wait(action: Wait, writing: PayloadWriting) -> _Calls:
    writing.drop(action, text="only the time is said", text_gone="only the time is said")
    if writing.variant == "3.5":
        return [("wait", {"seconds": _whole(action, action.seconds, "seconds", writing)})]
    calls = max(1, ceil(action.seconds / WAIT))
    if action.seconds != WAIT:
        writing.lose("wait.seconds", f"said as calls of {WAIT} s each")
    return [("wait_5_seconds", {})] * calls


def _write_look(action: Screenshot, writing: PayloadWriting) -> _Calls:
    writing.drop(action, marks="nothing is marked", region="only the whole screen is shown")
    return [("take_screenshot", {})]


def _write_theirs(action: Extension, writing: PayloadWriting) -> _Calls:
    name = action.action_type.removeprefix(f"x-{NAME}.")
    if name not in THEIRS[writing.variant] or action.arguments or action.target:
        cannot(NAME, action, "only the service makes a safety decision" if name == "safety_decision" else "")
    return [(name, {})]


_BOTH: dict[type[Action], Callable[[Any, PayloadWriting], _Calls]] = {
    Click: _write_click,
    Hover: _write_hover,
    Drag: _write_drag,
    PressKey: _write_chord,
    Wait: _write_wait,
    Navigate: lambda action, writing: [("navigate", {"url": action.url})],
    GoBack: lambda action, writing: [("go_back", {})],
    GoForward: lambda action, writing: [("go_forward", {})],
    Extension: _write_theirs,
}
_OLD: dict[type[Action], Callable[[Any, PayloadWriting], _Calls]] = {
    Type: _write_type_at,
    Fill: _write_type_at,
    HoldKey: _write_chord,
    Scroll: _write_scroll_old,
}
_NEW: dict[type[Action], Callable[[Any, PayloadWriting], _Calls]] = {
    MouseDown: _write_button,
    MouseUp: _write_button,
    Type: lambda action, writing: [("type", {"text": action.text, "press_enter": action.submit})],
    KeyDown: lambda action, writing: [("key_down", {"key": _names(action, (action.key,), writing)[0]})],
    KeyUp: lambda action, writing: [("key_up", {"key": _names(action, (action.key,), writing)[0]})],
    Scroll: _write_scroll_new,
    LaunchApp: lambda action, writing: [("open_app", {"app_name": action.app})],
    Screenshot: _write_look,
}


_SIGNS = {"equals": "=", "semicolon": ";", "separator": ",", "decimal": ".", "add": "+"}
"""Names in Gemini's list of keys that nobody else has."""

_DEEPEST = 5
"""Levels of a response above its calls, and one more."""
_WAYS = ("up", "down", "left", "right")


def from_gemini(payload: Any, context: Context) -> ParsedPayload:
    """The actions of a function call, of a list of calls or of parts that hold them, or of a response. Raises DialectError.

    A safety decision that asks for confirmation comes first, as `x-gemini.safety_decision`: whoever performs actions stops
    there, and can ask a person.
    """
    reading = PayloadReading(NAME, context, DIALECT.variant(context), "norm1000", signed=False)
    for name, fields in (call for each, where in each_of(payload) for call in _calls(each, where, reading)):
        _confirm(fields, reading)
        if fields.text("intent", None) is not None:
            reading.lose("intent", "the model's words for the step are no part of the action")
        reading.actions.append(_READERS[name](fields, reading))
        fields.end()
    if not reading.actions:
        raise NothingDone(NAME, "$", "there is no function call")
    return ParsedPayload(reading.actions, reading.losses)


def _calls(payload: Any, where: str, reading: PayloadReading) -> Iterator[tuple[str, Fields]]:
    """Names and arguments."""
    fields = Fields(NAME, payload, where)
    for inside in ("candidates", "content", "parts"):
        if inside in fields and "name" not in fields:
            yield from _within(fields, inside, reading)
            return
    if "function_response" in fields or "functionResponse" in fields:
        return
    fields.drop("thought", "thought_signature", "thoughtSignature", "signature")
    for wrapper in ("function_call", "functionCall"):
        if wrapper in fields:
            call = Fields(NAME, fields.any(wrapper), f"{where}.{wrapper}")
            fields.end()
            yield _call(call)
            return
    if "name" in fields:
        yield _call(fields)
    elif "text" in fields or fields.choice("type", ("model_output", "thought")):
        reading.lose("words", "words beside a call are no action")


def _within(fields: Fields, name: str, reading: PayloadReading) -> Iterator[tuple[str, Fields]]:
    """The calls of a response, of the content in it, or of the parts of that. What the user says is none of the model's."""
    if fields.text("role", "model") != "model":
        return
    given = fields.any(name)
    for n, each in enumerate(given if isinstance(given, list | tuple) else [given]):
        place = f"{fields.where}.{name}" + (f"[{n}]" if isinstance(given, list | tuple) else "")
        if isinstance(each, Mapping) and place.count(".") < _DEEPEST:
            yield from _calls(each, place, reading)
        else:
            fields.refuse(name, "an object is needed")


def _call(call: Fields) -> tuple[str, Fields]:
    call.choice("type", ("function_call",), None)
    name = call.text("name")
    if name not in _READERS:
        call.refuse("name", f"there is no function {name[:60]!r}; functions are {', '.join(_READERS)}")
    given = "args" if "args" in call else "arguments"
    arguments = Fields(NAME, call.any(given, {}), f"{call.where}.{given}")
    call.drop("id", "call_id")
    call.end()
    return name, arguments


def _confirm(fields: Fields, reading: PayloadReading) -> None:
    if "safety_decision" not in fields:
        return
    said = Fields(NAME, fields.any("safety_decision"), f"{fields.where}.safety_decision")
    decision, why = said.choice("decision", ("regular", "allowed", "require_confirmation", "block")), said.text("explanation", "")
    said.end()
    if decision == "block":
        said.refuse("decision", f"the service has blocked this action: {why[:200]}")
    if decision == "require_confirmation":
        reading.actions.append(reading.theirs("safety_decision", said.where, decision=decision, explanation=why))


def _press(name: str, verb: str, fields: Fields, reading: PayloadReading) -> AgentAction:
    """A chord in the field `name`, as a text or as a list; `key_down` and `key_up` take one key."""
    given = fields.any(name)
    names = given if isinstance(given, list | tuple) else [given]
    if not all(isinstance(each, str) for each in names):
        fields.refuse(name, "names of keys are needed")
    keys = reading.chord(f"{fields.where}.{name}", names, "playwright", _SIGNS)
    if verb == "press_key":
        return reading.build(fields, verb, name, keys=keys)
    if len(keys) != 1:
        fields.refuse(name, "one key is needed")
    return reading.build(fields, verb, name, key=keys[0])


def _aim(verb: str, fields: Fields, reading: PayloadReading, **more: Any) -> AgentAction:
    return reading.build(fields, verb, target=reading.xy(fields), **more)


def _read_type_at(fields: Fields, reading: PayloadReading) -> AgentAction:
    """Gemini's own defaults: the field is cleared, and Enter is pressed."""
    clears, submit = fields.flag("clear_before_typing", True), fields.flag("press_enter", True)
    return _aim("fill" if clears else "type", fields, reading, text=fields.text("text"), submit=submit)


def _read_type(fields: Fields, reading: PayloadReading) -> AgentAction:
    return reading.build(fields, "type", text=fields.text("text"), submit=fields.flag("press_enter", False))


def _way(fields: Fields, name: str, default: int) -> dict[str, Any]:
    way, amount = fields.choice("direction", _WAYS), fields.number(name, default, whole=True)
    if amount < 0:
        fields.refuse(name, f"the direction says where to, so it is not {amount}")
    return {"direction": way, "amount": amount}


def _read_scroll_at(fields: Fields, reading: PayloadReading) -> AgentAction:
    way = _way(fields, "magnitude", 800)
    return _aim("scroll", fields, reading, unit="page", **{**way, "amount": way["amount"] / WHOLE})


def _read_scroll(fields: Fields, reading: PayloadReading) -> AgentAction:
    """Google documents pixels; its desktop environment also says notches."""
    if "magnitude_in_wheel_clicks" in fields:
        return _aim("scroll", fields, reading, unit="notch", **_way(fields, "magnitude_in_wheel_clicks", 1))
    return _aim("scroll", fields, reading, unit="px", **_way(fields, "magnitude_in_pixels", 300))


def _read_scroll_document(fields: Fields, reading: PayloadReading) -> AgentAction:
    reading.lose("scroll.delta", "how far is not said; taken as a page")
    return reading.build(fields, "scroll", direction=fields.choice("direction", _WAYS), amount=1, unit="page")


def _read_drag(fields: Fields, reading: PayloadReading) -> AgentAction:
    if "start_x" in fields:
        return reading.build(
            fields, "drag", target=reading.xy(fields, "start_x", "start_y"), to=reading.xy(fields, "end_x", "end_y")
        )
    return _aim("drag", fields, reading, to=reading.xy(fields, "destination_x", "destination_y"))


def _read_button(verb: str, fields: Fields, reading: PayloadReading) -> AgentAction:
    return _aim(verb, fields, reading) if "x" in fields or "y" in fields else reading.build(fields, verb)


def _read_theirs(name: str, fields: Fields, reading: PayloadReading) -> AgentAction:
    return reading.theirs(name, fields.where)


def _plain(verb: str, **values: Any) -> Callable[[Fields, PayloadReading], AgentAction]:
    return lambda fields, reading: reading.build(fields, verb, **values)


_READERS: dict[str, Callable[[Fields, PayloadReading], AgentAction]] = {
    **{name: partial(_aim, "click", button=button, count=count) for name, (button, count) in CLICKS.items()},
    "click_at": partial(_aim, "click"),
    **dict.fromkeys(
        ("long_press", "long_press_at"),
        lambda fields, reading: _aim("click", fields, reading, hold=fields.number("seconds", 2)),
    ),
    "go_home": partial(_read_theirs, "go_home"),
    "hover_at": partial(_aim, "hover"),
    "move": partial(_aim, "hover"),
    "mouse_down": partial(_read_button, "mouse_down"),
    "mouse_up": partial(_read_button, "mouse_up"),
    "drag_and_drop": _read_drag,
    "type_text_at": _read_type_at,
    "type": _read_type,
    "key_combination": partial(_press, "keys", "press_key"),
    "hotkey": partial(_press, "keys", "press_key"),
    "press_key": partial(_press, "key", "press_key"),
    "key_down": partial(_press, "key", "key_down"),
    "key_up": partial(_press, "key", "key_up"),
    "scroll_document": _read_scroll_document,
    "scroll_at": _read_scroll_at,
    "scroll": _read_scroll,
    "navigate": lambda fields, reading: reading.build(fields, "navigate", "url", url=fields.text("url")),
    "go_back": _plain("go_back"),
    "go_forward": _plain("go_forward"),
    "open_app": lambda fields, reading: reading.build(fields, "launch_app", app=fields.text("app_name")),
    "wait_5_seconds": _plain("wait", seconds=WAIT),
    "wait": lambda fields, reading: reading.build(fields, "wait", "seconds", seconds=fields.number("seconds", 1)),
    "take_screenshot": _plain("screenshot"),
    **{name: partial(_read_theirs, name) for names in THEIRS.values() for name in names},
}


def to_gemini(action: Action, context: Context) -> WrittenPayload:
    """A function call, or a list of them. Raises DialectError."""
    return written(action, PayloadWriting(NAME, context, DIALECT.variant(context), "norm1000", signed=False, most=MOST))


DIALECT = Dialect(
    name=NAME,
    title="Gemini computer use",
    kind="json",
    read=from_gemini,
    write=to_gemini,
    variants=VARIANTS,
)
