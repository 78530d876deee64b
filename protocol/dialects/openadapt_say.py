"""How an action is said to openadapt-types: as the JSON of its `Action`, and that JSON as a call of its DSL."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from protocol.dialects.base import cannot, place
from protocol.dialects.naming import Ledger
from protocol.geometry import Coordinate, Space
from protocol.keys import Keyboard
from protocol.targets import ActionTarget
from protocol.verbs import (
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

_AIMED = (Type, PressKey, Scroll)


def say(action: Action, ledger: Ledger) -> list[dict[str, Any]]:
    """The action in JSON, or the several that it takes. Raises DialectError for what they cannot say."""
    parts = ledger.simpler(action, CLICKS, _AIMED)
    return [said for part in parts for said in _said(part, ledger)]


def _said(action: Action, ledger: Ledger) -> Iterator[dict[str, Any]]:
    if isinstance(action, Scroll):
        strokes = ledger.strokes(action, "px")
        more: list[dict[str, Any]] = [
            {"type": "scroll", "scroll_direction": way, "scroll_amount": amount} for way, amount in strokes
        ]
    else:
        writer = _WRITERS.get(type(action)) or cannot(NAME, action)
        more = [writer(action, ledger)]
    for said in more:
        if action.target is not None:
            said["target"] = _aim(action.target, ledger)
        if modifiers := getattr(action, "modifiers", ()):
            said["modifiers"] = ledger.names(action, modifiers, KEYBOARD)
        yield said


def _aim(target: ActionTarget, ledger: Ledger, what: str = "target") -> dict[str, Any]:
    """The element, the place and the words; what only finds an element here is said as the element that it finds."""
    said: dict[str, Any] = {}
    if target.element_id is not None:
        said["node_id"] = target.element_id
    if target.point is not None:
        said |= _point(target.point, ledger, what)
    if said:
        ledger.leave_out(target, {"element_id", "point", "description"}, "an element, a place and words are said", what)
    else:
        said = _found(target.model_copy(update={"description": None}), ledger, what)
    return said if target.description is None else {**said, "description": target.description}


def _found(target: ActionTarget, ledger: Ledger, what: str) -> dict[str, Any]:
    if ledger.context.state is not None and (target.track_id is not None or target.text is not None):
        return {"node_id": ledger.element_id(target, what)}
    return _numbers(target, "px", ledger, what)


def _point(point: Coordinate, ledger: Ledger, what: str) -> dict[str, Any]:
    """Fractions stay fractions; all else is said in pixels of what was seen."""
    return _numbers(ActionTarget(point=point), point.space, ledger, what)


def _numbers(target: ActionTarget, given: Space, ledger: Ledger, what: str) -> dict[str, Any]:
    space, image = ("norm1", None) if given == "norm1" else ledger.context.picture
    said, losses = place(target, ledger.context, space, image, NAME, what)
    ledger.take(losses)
    return {"x": said.x, "y": said.y, "is_normalized": space == "norm1"}


def _click(action: Any, ledger: Ledger) -> dict[str, Any]:
    return {"type": CLICKS[action.button, action.count]}


def _drag(action: Any, ledger: Ledger) -> dict[str, Any]:
    if action.button != "left":
        cannot(NAME, action, f"there is no drag with the {action.button} button")
    ledger.drop(action, path="only the two ends are said")
    return {"type": "drag", "drag_end": _aim(action.to, ledger, "to")}


def _type(action: Any, ledger: Ledger) -> dict[str, Any]:
    return {"type": "type", "text": action.text or cannot(NAME, action, "a type needs a text")}


def _keys(action: Any, ledger: Ledger) -> dict[str, Any]:
    held, key = ledger.one_key(action)
    *modifiers, name = ledger.names(action, (*held, key), KEYBOARD)
    return {"type": "hotkey", "key": name, "modifiers": modifiers} if modifiers else {"type": "key", "key": name}


def _wait(action: Any, ledger: Ledger) -> dict[str, Any]:
    ledger.drop(action, text="only a time is waited for", text_gone="only a time is waited for")
    return {"type": "wait", "duration_seconds": action.seconds}


def _screenshot(action: Any, ledger: Ledger) -> dict[str, Any]:
    ledger.drop(action, marks="marks are not chosen", region="the whole screen is shown")
    return {"type": "screenshot"}


def _done(action: Any, ledger: Ledger) -> dict[str, Any]:
    ledger.drop(action, summary="only that it is done is said")
    return {"type": "done"}


def _fail(action: Any, ledger: Ledger) -> dict[str, Any]:
    """Their own parser gives the reason of a failure as reasoning too."""
    return {"type": "fail", **({"reasoning": action.reason} if action.reason else {})}


def _extension(action: Any, ledger: Ledger) -> dict[str, Any]:
    owner, _, kind = action.action_type.partition(".")
    if owner != f"x-{NAME}" or kind not in CARRIED:
        cannot(NAME, action)
    if action.arguments.keys() - CARRIED[kind] or not all(isinstance(value, str) for value in action.arguments.values()):
        cannot(NAME, action, f"{kind} takes {', '.join(CARRIED[kind]) or 'nothing'}")
    return {"type": kind, **action.arguments}


def _text(kind: str) -> Callable[[Any, Ledger], dict[str, Any]]:
    theirs, ours = TEXTS[kind]
    return lambda action, ledger: {"type": kind, theirs: getattr(action, ours)}


_WRITERS: dict[type[Action], Callable[[Any, Ledger], dict[str, Any]]] = {
    Click: _click,
    Drag: _drag,
    Hover: lambda action, ledger: {"type": "hover"},
    Type: _type,
    PressKey: _keys,
    Navigate: _text("goto"),
    GoBack: lambda action, ledger: {"type": "back"},
    GoForward: lambda action, ledger: {"type": "forward"},
    LaunchApp: _text("open_app"),
    SwitchWindow: _text("window_focus"),
    Wait: _wait,
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
