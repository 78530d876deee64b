"""openadapt-types 0.24: an `Action` as JSON, or in its DSL `CLICK(x=640, y=400, is_normalized=false)`.

Numbers count what `is_normalized` says. Where that is left out, whole numbers are pixels and others fractions of the screen:
the form decides, never the size, and the reader is told of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from protocol.dialects.common.base import LONGEST, Context, Dialect, DialectError, ParsedPayload, WrittenPayload
from protocol.dialects.common.calls import parse_calls
from protocol.dialects.common.conversion import cannot, place
from protocol.dialects.common.fields import Fields, at, build, each_of, json_in
from protocol.dialects.common.naming import Ledger, read_keys
from protocol.model.actions import AgentAction
from protocol.model.geometry import Coordinate, JsonObject, Space
from protocol.model.keys import Keyboard
from protocol.model.targets import ActionTarget
from protocol.model.verbs import (
    Action,
    Answer,
    Click,
    Drag,
    Extension,
    FailGoal,
    FinishGoal,
    GoBack,
    GoForward,
    Hover,
    LaunchApp,
    Navigate,
    PressKey,
    Screenshot,
    Scroll,
    SwitchWindow,
    Type,
    Wait,
)

NAME = "openadapt"
KEYBOARD: Keyboard = "pyautogui"
CLICKS = {("left", 1): "click", ("left", 2): "double_click", ("right", 1): "right_click"}
TEXTS = {
    "type": ("text", "text"), "goto": ("url", "url"), "open_app": ("app_name", "app"), "window_focus": ("app_name", "window"),
    "answer": ("answer", "text"),
}  # fmt: skip
"""Their type: the field that holds its text, there and here."""

CARRIED: dict[str, frozenset[str]] = {"refresh": frozenset(), "close_app": frozenset({"app_name"})}
"""Types of theirs that we lack, and the texts that they take."""

_FREELY_AIMED = (Type, PressKey, Scroll)


def say(action: Action, ledger: Ledger) -> list[JsonObject]:
    """The action in JSON, or the several that it takes. Raises DialectError for what they cannot say."""
    parts = ledger.simpler(action, CLICKS, _FREELY_AIMED)
    return [said for part in parts for said in _said(part, ledger)]


def _said(action: Action, ledger: Ledger) -> Iterator[JsonObject]:
    if isinstance(action, Scroll):
        strokes = ledger.strokes(action, "px")
        more: list[JsonObject] = [{"type": "scroll", "scroll_direction": way, "scroll_amount": amount} for way, amount in strokes]
    else:
        writer = _WRITERS.get(type(action)) or cannot(NAME, action)
        more = [writer(action, ledger)]
    for said in more:
        if action.target is not None:
            said["target"] = _aim(action.target, ledger)
        if modifiers := getattr(action, "modifiers", ()):
            said["modifiers"] = ledger.names(action, modifiers, KEYBOARD)
        yield said


def _aim(target: ActionTarget, ledger: Ledger, what: str = "target") -> JsonObject:
    """The element, the place and the words; what only finds an element here is said as the element that it finds."""
    said: JsonObject = {}
    if target.element_id is not None:
        said["node_id"] = target.element_id
    if target.point is not None:
        said |= _point(target.point, ledger, what)
    if said:
        ledger.leave_out(target, {"element_id", "point", "description"}, "an element, a place and words are said", what)
    else:
        said = _found(target.model_copy(update={"description": None}), ledger, what)
    return said if target.description is None else {**said, "description": target.description}


def _found(target: ActionTarget, ledger: Ledger, what: str) -> JsonObject:
    if ledger.context.state is not None and (target.track_id is not None or target.text is not None):
        return {"node_id": ledger.element_id(target, what)}
    return _numbers(target, "px", ledger, what)


def _point(point: Coordinate, ledger: Ledger, what: str) -> JsonObject:
    """Fractions stay fractions; all else is said in pixels of what was seen."""
    return _numbers(ActionTarget(point=point), point.space, ledger, what)


def _numbers(target: ActionTarget, given: Space, ledger: Ledger, what: str) -> JsonObject:
    space, image = ("norm1", None) if given == "norm1" else ledger.context.picture
    said, losses = place(target, ledger.context, space, image, NAME, what)
    ledger.take(losses)
    return {"x": said.x, "y": said.y, "is_normalized": space == "norm1"}


def _click(action: Any, ledger: Ledger) -> JsonObject:
    return {"type": CLICKS[action.button, action.count]}


def _say_drag(action: Any, ledger: Ledger) -> JsonObject:
    if action.button != "left":
        cannot(NAME, action, f"there is no drag with the {action.button} button")
    ledger.drop(action, path="only the two ends are said")
    return {"type": "drag", "drag_end": _aim(action.to, ledger, "to")}


def _type(action: Any, ledger: Ledger) -> JsonObject:
    return {"type": "type", "text": action.text or cannot(NAME, action, "a type needs a text")}


def _say_keys(action: Any, ledger: Ledger) -> JsonObject:
    held, key = ledger.one_key(action)
    *modifiers, name = ledger.names(action, (*held, key), KEYBOARD)
    return {"type": "hotkey", "key": name, "modifiers": modifiers} if modifiers else {"type": "key", "key": name}


def _say_wait(action: Any, ledger: Ledger) -> JsonObject:
    ledger.drop(action, text="only a time is waited for", text_gone="only a time is waited for")
    return {"type": "wait", "duration_seconds": action.seconds}


def _screenshot(action: Any, ledger: Ledger) -> JsonObject:
    ledger.drop(action, marks="marks are not chosen", region="the whole screen is shown")
    return {"type": "screenshot"}


def _done(action: Any, ledger: Ledger) -> JsonObject:
    ledger.drop(action, summary="only that it is done is said")
    return {"type": "done"}


def _fail(action: Any, ledger: Ledger) -> JsonObject:
    """Their own parser gives the reason of a failure as reasoning too."""
    return {"type": "fail", **({"reasoning": action.reason} if action.reason else {})}


def _extension(action: Any, ledger: Ledger) -> JsonObject:
    owner, _, kind = action.action_type.partition(".")
    if owner != f"x-{NAME}" or kind not in CARRIED:
        cannot(NAME, action)
    if action.arguments.keys() - CARRIED[kind] or not all(isinstance(value, str) for value in action.arguments.values()):
        cannot(NAME, action, f"{kind} takes {', '.join(CARRIED[kind]) or 'nothing'}")
    return {"type": kind, **action.arguments}


def _text(kind: str) -> Callable[[Any, Ledger], JsonObject]:
    theirs, ours = TEXTS[kind]
    return lambda action, ledger: {"type": kind, theirs: getattr(action, ours)}


_WRITERS: dict[type[Action], Callable[[Any, Ledger], JsonObject]] = {
    Click: _click,
    Drag: _say_drag,
    Hover: lambda action, ledger: {"type": "hover"},
    Type: _type,
    PressKey: _say_keys,
    Navigate: _text("goto"),
    GoBack: lambda action, ledger: {"type": "back"},
    GoForward: lambda action, ledger: {"type": "forward"},
    LaunchApp: _text("open_app"),
    SwitchWindow: _text("window_focus"),
    Wait: _say_wait,
    Screenshot: _screenshot,
    FinishGoal: _done,
    FailGoal: _fail,
    Answer: _text("answer"),
    Extension: _extension,
}

_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"})
_SHORT = {"scroll_direction": "direction", "scroll_amount": "amount"}


def call_of(said: Mapping[str, Any], ledger: Ledger) -> str:
    """The JSON as a call of the DSL; objects within are written flat."""
    flat = {_SHORT.get(name, name): value for name, value in said.items() if name not in ("type", "target", "drag_end")}
    for prefix, name in (("", "target"), ("end_", "drag_end")):
        aimed = said.get(name, {})
        if aimed.get("is_normalized") is False and 0 <= aimed["x"] <= 1 and 0 <= aimed["y"] <= 1:
            ledger.lose(f"{'to' if prefix else 'target'}.point", "openadapt-types takes pixels up to 1 for fractions")
        flat |= {prefix + field: value for field, value in aimed.items()}
    return f"{said['type'].upper()}({', '.join(f'{name}={_literal(value)}' for name, value in flat.items())})"


def _literal(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    text = ",".join(value) if isinstance(value, list) else value
    return f'"{text.translate(_ESCAPES)}"' if isinstance(text, str) else repr(value)


_VERBS: dict[str, dict[str, Any]] = {
    "click": {"action_type": "click"},
    "double_click": {"action_type": "click", "count": 2},
    "right_click": {"action_type": "click", "button": "right"},
    "drag": {"action_type": "drag"},
    "scroll": {"action_type": "scroll", "unit": "px"},
    "hover": {"action_type": "hover"},
    "type": {"action_type": "type"},
    "key": {"action_type": "press_key"},
    "hotkey": {"action_type": "press_key"},
    "goto": {"action_type": "navigate"},
    "back": {"action_type": "go_back"},
    "forward": {"action_type": "go_forward"},
    "refresh": {"action_type": "x-openadapt.refresh"},
    "open_app": {"action_type": "launch_app"},
    "close_app": {"action_type": "x-openadapt.close_app"},
    "window_focus": {"action_type": "switch_window"},
    "wait": {"action_type": "wait"},
    "screenshot": {"action_type": "screenshot"},
    "done": {"action_type": "finish_goal"},
    "fail": {"action_type": "fail_goal"},
    "answer": {"action_type": "answer"},
}
"""Their type: ours."""

_AIMED = ("click", "double_click", "right_click", "drag", "hover")
_NEVER_READ = ("parse_error", "unconvertible_action_type")
"""Marks in `raw` of an action that stands for something their own parser could not read."""


def from_openadapt(payload: Any, context: Context) -> ParsedPayload:
    """The actions of an Action, of a list of them, or of a text that holds them. Raises DialectError."""
    reading = _Reading(NAME, context, text=DIALECT.variant(context) == "dsl" and isinstance(payload, str))
    if reading.text:
        found = _statements(payload)
    else:
        given = json_in(NAME, payload) if isinstance(payload, str) else payload
        found = [Fields(NAME, each, where) for each, where in each_of(given)]
    if not found:
        raise DialectError(NAME, "$", "there is no action")
    return ParsedPayload([_action(fields, reading) for fields in found], reading.losses)


@dataclass
class _Reading(Ledger):
    text: bool = False
    """Whether numbers were written as text, where `1` and `1.0` differ."""


def _action(fields: Fields, reading: _Reading) -> AgentAction:
    given = fields.text("type", None) or fields.text("action_type", None) or fields.text("action")
    kind = given.strip().lower()
    if kind not in _VERBS:
        fields.refuse("type", f"there is no type {given[:60]!r}; types are {', '.join(_VERBS)}")
    _refuse_what_was_never_read(fields, reading)
    reasons = [fields.text(name, None) for name in ("reasoning", "thought", "thinking")]
    more: dict[str, Any] = {"target": _target(fields, reading), **_READERS.get(kind, _nothing)(fields, reading)}
    if kind in _AIMED and more["target"] is None:
        fields.refuse("" if reading.text else "target", "a place or an element is missing")
    if kind in TEXTS:
        theirs, ours = TEXTS[kind]
        more[ours] = str(fields.text(theirs))
    if kind == "fail":
        more["reason"] = next((reason for reason in reasons if reason), None)
    if (modifiers := _modifiers(fields)) and kind not in ("key", "hotkey"):
        more["modifiers"] = modifiers
    fields.end()
    return build(NAME, fields.where, **{**_VERBS[kind], **more})


def _refuse_what_was_never_read(fields: Fields, reading: _Reading) -> None:
    raw = fields.any("raw", None)
    if isinstance(raw, Mapping):
        for mark in _NEVER_READ:
            if mark in raw:
                fields.refuse(f"raw.{mark}", "the action stands for something that nobody could read")
    if raw:
        reading.lose("raw", "what stands beside the fields of an action is not understood")


def _target(fields: Fields, reading: _Reading, name: str = "target", flat: str = "") -> ActionTarget | None:
    """In an object of its own, or in fields beside the verb as the DSL and older JSON have it."""
    nested = fields.any(name, None)
    if nested is not None:
        inner = Fields(NAME, nested, f"{fields.where}.{name}")
        found = _place(inner, reading, "")
        inner.end()
        return found
    pair = fields.pair("coordinate", None) if not flat else None
    return _placed(fields, reading, pair, flat) if pair else _place(fields, reading, flat)


def _place(fields: Fields, reading: _Reading, flat: str) -> ActionTarget | None:
    x, y = fields.number(f"{flat}x", None), fields.number(f"{flat}y", None)
    if (x is None) != (y is None):
        fields.refuse(f"{flat}{'y' if y is None else 'x'}", "is missing: a place has both numbers")
    return _placed(fields, reading, None if x is None else (x, y), flat)


def _placed(fields: Fields, reading: _Reading, pair: tuple[float, float] | None, flat: str) -> ActionTarget | None:
    node, words = fields.text(f"{flat}node_id", None), fields.text(f"{flat}description", None)
    normalized = fields.flag(f"{flat}is_normalized", None)
    point: Coordinate | None = None
    if pair is not None:
        if normalized is None:
            reading.lose(f"{flat}is_normalized", "not said: whole numbers are read as pixels, others as fractions")
            normalized = not all(isinstance(n, int) or (n.is_integer() and not reading.text) for n in pair)
        space, image = ("norm1", None) if normalized else reading.context.picture
        x, y = pair if normalized else (int(n) if n == int(n) else n for n in pair)  # their model turns 640 into 640.0
        point = at(x, y, space, image, NAME, f"{fields.where}.{flat}x").point
    if node is None and point is None:
        if words is not None:
            fields.refuse(f"{flat}description", "only words: they say neither a place nor an element")
        return None
    node, words = (None if text is None else str(text) for text in (node, words))
    return ActionTarget(element_id=node, point=point, description=words)


def _nothing(fields: Fields, reading: _Reading) -> dict[str, Any]:
    return {}


def _drag(fields: Fields, reading: _Reading) -> dict[str, Any]:
    end = _target(fields, reading, "drag_end", "end_")
    return {"to": end or fields.refuse("end_x" if reading.text else "drag_end", "is missing")}


def _scroll(fields: Fields, reading: _Reading) -> dict[str, Any]:
    names = [name for name in ("scroll_direction", "direction") if name in fields] or ["scroll_direction"]
    amounts = [name for name in ("scroll_amount", "amount") if name in fields]
    direction = str(fields.choice(names[0], ("up", "down", "left", "right")))
    if amounts:
        return {"direction": direction, "amount": fields.number(amounts[0])}
    reading.lose("scroll_amount", "not said: read as a page")
    return {"direction": direction, "amount": 1, "unit": "page"}


def _keys(fields: Fields, reading: _Reading) -> dict[str, Any]:
    keys = [*_modifiers(fields), *_chord(fields, "key", [fields.text("key")] if "key" in fields else [])]
    listed = fields.any("keys", None)
    if isinstance(listed, list | tuple) and all(isinstance(key, str) for key in listed):
        keys += _chord(fields, "keys", listed)
    elif listed is not None:
        text = str(listed) if isinstance(listed, str) else fields.refuse("keys", "a chord or a list of keys is needed")
        commas = "," in text[:-1] and "+" not in text
        keys += _chord(fields, "keys", [part.strip() for part in text.split(",")] if commas else [text])
    return {"keys": tuple(keys) if keys else fields.refuse("key", "is missing")}


def _modifiers(fields: Fields) -> list[str]:
    """A list, or the names with commas as the DSL has them."""
    given = fields.any("modifiers", None)
    if isinstance(given, str):
        given = [part.strip() for part in given.split(",")]
    if given is None:
        return []
    if not isinstance(given, list | tuple) or not all(isinstance(name, str) for name in given):
        fields.refuse("modifiers", "a list of keys is needed")
    return _chord(fields, "modifiers", given)


def _chord(fields: Fields, name: str, keys: list[str] | tuple[str, ...]) -> list[str]:
    return read_keys(NAME, f"{fields.where}.{name}", keys, KEYBOARD)


def _wait(fields: Fields, reading: _Reading) -> dict[str, Any]:
    name = "duration_seconds" if "duration_seconds" in fields else "duration"
    if (seconds := fields.number(name, None)) is None:
        reading.lose("duration_seconds", "not said: read as one second")
    return {"seconds": seconds}


def _close(fields: Fields, reading: _Reading) -> dict[str, Any]:
    app = fields.text("app_name", None)
    return {"arguments": {} if app is None else {"app_name": str(app)}}


_READERS: dict[str, Callable[[Fields, _Reading], dict[str, Any]]] = {
    "drag": _drag, "scroll": _scroll, "key": _keys, "hotkey": _keys, "wait": _wait, "close_app": _close,
}  # fmt: skip

_THOUGHT = re.compile(r"\s*thought:", re.IGNORECASE)
_ACTION = re.compile(r"^[ \t]*action:", re.IGNORECASE | re.MULTILINE)
_LEADING = re.compile(r"\s*(?:```\w*[ \t]*\n\s*)?(?:action:)?", re.IGNORECASE)


def _statements(text: str) -> list[Fields]:
    """The calls of a text in the DSL, as the flat JSON that they mean."""
    if len(text) > LONGEST:
        raise DialectError(NAME, "", f"the text is longer than {LONGEST} characters")
    start, thought = _start(text)
    end = text.rfind("```") if text.lstrip().startswith("```") else -1
    before = "".join(sign if sign == "\n" else " " for sign in text[:start])  # what stands where stays true
    found: list[Fields] = []
    for chain in parse_calls(NAME, before + text[start : end if end > start else None]):
        call = chain[0]
        if len(chain) > 1 or call.args:
            raise DialectError(NAME, call.where, f"{call.name[:60]} takes named arguments, and nothing follows it")
        flat = {"reasoning": thought, **call.kwargs, "type": call.name}
        found.append(Fields(NAME, flat, f"{call.where}, {call.name[:60]}"))
    return found


def _start(text: str) -> tuple[int, str | None]:
    """Where the calls start, after a `Thought:` and an `Action:`, and the thought."""
    if thought := _THOUGHT.match(text):
        if action := _ACTION.search(text, thought.end()):
            return action.end(), text[thought.end() : action.start()].strip()
        line = text.find("\n", thought.end())
        if line < 0:
            raise DialectError(NAME, "line 1, column 1", "a thought, and no action after it")
        return line, text[thought.end() : line].strip()
    leading = _LEADING.match(text)
    return (leading.end() if leading else 0), None


def to_openadapt(action: Action, context: Context) -> WrittenPayload:
    """The action as an Action of theirs, or as several. Raises DialectError for what they cannot say."""
    ledger = Ledger(NAME, context)
    dsl = DIALECT.variant(context) == "dsl"
    said = say(action, ledger)
    if dsl:
        return WrittenPayload("\n".join([call_of(each, ledger) for each in said]), ledger.losses)
    return WrittenPayload(said[0] if len(said) == 1 else said, ledger.losses)


DIALECT = Dialect(
    name=NAME,
    title="openadapt-types Action, as JSON or in its DSL",
    kind="json",
    read=from_openadapt,
    write=to_openadapt,
    variants=("json", "dsl"),
)
