"""From an action to its line. Every field is said, and reading the line gives the same action back."""

import re
from collections.abc import Callable, Iterable
from typing import Any

from protocol import Action, ActionTarget, BoundingBox, Coordinate, Region, Size
from protocol.dsl.mistakes import DSLError
from protocol.dsl.words import ROLES, length, numeral, quoted
from protocol.model import verbs as v

_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_ID = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9_.:-]*[A-Za-z0-9_])?")
_KEY = re.compile(r"[A-Za-z0-9]+|[-+=,.;:/!?$%&*_<>|~^{}\[\]@\\`]")
_COUNTS = {1: "click", 2: "double-click", 3: "triple-click"}
_TABS = {"list": "list tabs", "new": "new tab", "close": "close tab", "select": "switch to tab"}
_ROLES = frozenset(ROLES)


def emit(action: Action) -> str:
    """The one canonical line of an action; `parse_line` gives the action back, field by field. Raises DSLError for a class
    that is not of the protocol."""
    say = _SAY.get(type(action))
    if say is None:
        raise DSLError(f"there is no DSL line for {type(action).__name__}")
    line: str = say(action)
    return line if action.delay is None else f"{line} delay {length(action.delay)}"


def _click(action: v.Click) -> str:
    long = action.count == 1 and action.hold > 0
    held = f" {'for' if long else 'hold'} {length(action.hold)}" if repr(action.hold) != "0.0" else ""
    return f"{_prefix(action)}{'long-press' if long else _COUNTS[action.count]} {_target(action.target)}{held}"


def _prefix(action: v.Click | v.Drag | v.Hover | v.Scroll) -> str:
    """Modifiers and a button that is not the left one: `Shift-right-`."""
    button = getattr(action, "button", "left")
    return "".join(f"{word}-" for word in (*action.modifiers, *([] if button == "left" else [button])))


def _drag(action: v.Drag) -> str:
    to = _target(action.to).removeprefix("at ")
    via = f" via {', '.join(map(_coordinate, action.path))}" if action.path else ""
    return f"{_prefix(action)}drag {_target(action.target)} to {to}{via}"


def _scroll(action: v.Scroll) -> str:
    unit = "" if action.unit == "notch" else f" {action.unit}"
    return f"{_prefix(action)}scroll {_ways(action.delta)}{unit}{_place(action, 'in')}"


def _ways(delta: v.Delta) -> str:
    """A way that is the whole number 0 is not said, unless nothing else would be."""
    down, right = numeral(delta.y), numeral(delta.x)
    said = [(down, "down", "up")] if down != "0" or right == "0" else []
    said += [(right, "right", "left")] if right != "0" else []
    return " and ".join(f"{back} {way[1:]}" if way.startswith("-") else f"{on} {way}" for way, on, back in said)


def _tabs(action: v.Tabs) -> str:
    what = quoted(action.url) if action.url is not None else "" if action.index is None else numeral(action.index)
    return f"{_TABS[action.op]}{' ' if what else ''}{what}{_place(action)}"


def _wait(action: v.Wait) -> str:
    shown = "" if action.text is None else f" for {quoted(action.text)}"
    gone = "" if action.text_gone is None else f" until {quoted(action.text_gone)} is gone"
    return f"wait {length(action.seconds)}{shown}{gone}{_place(action)}"


def _screenshot(action: v.Screenshot) -> str:
    marks = f" marks {', '.join(_id('#', mark) for mark in action.marks)}" if action.marks else ""
    region = "" if action.region is None else f" region {_box(action.region)}"
    return f"screenshot{marks}{region}{_place(action)}"


def _call_api(action: v.CallApi) -> str:
    given = ", ".join(f"{_name(name)}={_json(value)}" for name, value in action.arguments.items())
    return f"call {_name(action.app)}.{_name(action.function)}({given}){_place(action)}"


def _ask_user(action: v.AskUser) -> str:
    name = "" if action.name == "answer" else f" as {quoted(action.name)}"
    return f"ask the user {quoted(action.question)}{name}{_place(action)}"


def _place(action: Action, word: str = "on") -> str:
    if action.target is None:
        return ""
    target = _target(action.target)
    return f" {target}" if target.startswith("at ") else f" {word} {target}"


def _target(target: ActionTarget | None) -> str:
    """`button "Save" #12 @save css "..." box [...] at (x, y) described "..." state "..."`, as much of it as there is."""
    if target is None:
        raise DSLError("this action needs a target")
    role = target.role
    said = [
        role is not None and (role if role in _ROLES else f"role {quoted(role)}"),
        target.text is not None and quoted(target.text),
        target.element_id is not None and _id("#", target.element_id),
        target.track_id is not None and _id("@", target.track_id),
        target.selector is not None and f"css {quoted(target.selector)}",
        target.bbox is not None and f"box {_box(target.bbox)}",
        target.point is not None and f"at {_coordinate(target.point)}",
        target.description is not None and f"described {quoted(target.description)}",
        target.state_id is not None and f"state {quoted(target.state_id)}",
    ]
    return " ".join(words for words in said if words)


def _coordinate(point: Coordinate) -> str:
    return f"({numeral(point.x)}, {numeral(point.y)}){_scale(point.space, point.image_size)}"


def _box(box: BoundingBox | Region) -> str:
    sides = ", ".join(map(numeral, (box.x1, box.y1, box.x2, box.y2)))
    return f"[{sides}]{_scale(box.space, box.image_size) if isinstance(box, Region) else ''}"


def _scale(space: str, size: Size | None) -> str:
    """Pixels of the screen need no word, and those of a picture only its size."""
    name = "" if space == "image" or (space == "px" and size is None) else f" {space}"
    if size is None:
        return name
    width, height = map(numeral, size)
    return f"{name} of {width}x{height}" if width.isdecimal() and height.isdecimal() else f"{name} of ({width}, {height})"


def _chord(keys: Iterable[str]) -> str:
    return "+".join(map(_key, keys))


def _key(key: str) -> str:
    return key if _KEY.fullmatch(key) else quoted(key)


def _name(name: str) -> str:
    return name if _WORD.fullmatch(name) else quoted(name)


def _id(sign: str, name: str) -> str:
    return sign + (name if _ID.fullmatch(name) else quoted(name))


def _json(value: Any) -> str:
    """A JSON value on one line; one frame a level, so that the deepest one that an action can hold is no problem."""
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, list):
        return f"[{', '.join(map(_json, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{quoted(name)}: {_json(inner)}' for name, inner in value.items())}}}"
    return _CONSTANTS[value] if value is None or isinstance(value, bool) else numeral(value)


_CONSTANTS = {None: "null", True: "true", False: "false"}

_SAY: dict[type[Action], Callable[[Any], str]] = {
    v.Click: _click,
    v.Hover: lambda a: f"{_prefix(a)}hover {_target(a.target)}",
    v.Drag: _drag,
    v.MouseDown: lambda a: f"mouse down {a.button}{_place(a)}",
    v.MouseUp: lambda a: f"mouse up {a.button}{_place(a)}",
    v.Type: lambda a: f"type {quoted(a.text)}{_place(a, 'into')}{' and press Enter' * a.submit}",
    v.Fill: lambda a: f"fill {_target(a.target)} with {quoted(a.text)}{' and press Enter' * a.submit}",
    v.PressKey: lambda a: f"press {_chord(a.keys)}{_place(a, 'in')}",
    v.HoldKey: lambda a: f"hold {_chord(a.keys)} for {length(a.seconds)}{_place(a, 'in')}",
    v.KeyDown: lambda a: f"key down {_key(a.key)}{_place(a)}",
    v.KeyUp: lambda a: f"key up {_key(a.key)}{_place(a)}",
    v.Scroll: _scroll,
    v.SelectOption: lambda a: f"select {_texts(a.options)}{_place(a, 'in')}",
    v.LaunchApp: lambda a: f"open {quoted(a.app)}{_place(a)}",
    v.SwitchWindow: lambda a: f"switch to {quoted(a.window)}{_place(a)}",
    v.Navigate: lambda a: f"navigate to {quoted(a.url)}{_place(a)}",
    v.GoBack: lambda a: f"go back{_place(a)}",
    v.GoForward: lambda a: f"go forward{_place(a)}",
    v.Tabs: _tabs,
    v.Wait: _wait,
    v.Screenshot: _screenshot,
    v.Upload: lambda a: f"upload {_texts(a.files)} to {_target(a.target).removeprefix('at ')}",
    v.CallApi: _call_api,
    v.AskInAppAgent: lambda a: f"ask the agent of {quoted(a.app)}: {quoted(a.request)}{_place(a)}",
    v.RunScript: lambda a: f"run {a.language} {quoted(a.code)}{_place(a)}",
    v.Memorize: lambda a: f"memorize {quoted(a.name)} = {quoted(a.value)}{_place(a, 'from')}",
    v.Answer: lambda a: f"answer {quoted(a.text)}{_place(a)}",
    v.AskUser: _ask_user,
    v.FinishGoal: lambda a: f"finish{f' {quoted(a.summary)}' if a.summary else ''}{_place(a)}",
    v.FailGoal: lambda a: f"fail{f' {quoted(a.reason)}' if a.reason else ''}{_place(a)}",
    v.Extension: lambda a: f"{a.verb}{f' {_json(a.arguments)}' if a.arguments else ''}{_place(a)}",
}


def _texts(texts: Iterable[str]) -> str:
    return ", ".join(map(quoted, texts))
