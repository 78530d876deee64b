"""The functions that a UFO agent calls: on a control, at a place in the window, and of an application's own interface."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from protocol.dialects.common.base import DialectError
from protocol.dialects.common.fields import Fields, at, build
from protocol.dialects.common.naming import Ledger, read_keys
from protocol.dialects.python.pywinauto_keys import Keys
from protocol.model.actions import AgentAction
from protocol.model.geometry import JsonObject
from protocol.model.targets import ActionTarget

NAME = "ufo"
BUTTONS = {"left": "left", "right": "right", "middle": "middle", "x": "back"}
PRESSED = {"control": "Control", "shift": "Shift", "alt": "Alt"}
APIS = {
    "insert_table": "word", "select_text": "word", "select_table": "word", "select_paragraph": "word",
    "table2markdown": "excel", "insert_excel_table": "excel", "select_table_range": "excel", "reorder_columns": "excel",
    "run_crawler": "web",
}  # fmt: skip
"""Functions of an application's own interface, beside its GUI, and the application."""

CARRIED = ("texts", "summary", "save_as")
"""Functions that we lack."""

_ORDER: dict[str, tuple[str, ...]] = {
    "click_input": ("button", "double", "pressed"),
    "click_on_coordinates": ("x", "y", "button", "double"),
    "drag_on_coordinates": ("start_x", "start_y", "end_x", "end_y", "button", "duration", "key_hold"),
    "set_edit_text": ("text", "clear_current_text"),
    "keyboard_input": ("keys", "control_focus"),
    "wheel_mouse_input": ("wheel_dist",),
    "annotation": ("control_labels",),
    "annotate": ("control_labels",),
    "wait": ("seconds",),
    "select_application_window": ("id", "name"),
    "run_shell": ("bash_command",),
    "summary": ("text",),
}
"""Their arguments, in the order in which a list gives them."""


class Call(NamedTuple):
    """One function and the control that it is called on."""

    function: str
    arguments: Any
    label: str
    text: str
    where: str
    """The JSON path of the arguments."""
    named: str
    """The JSON path of the function."""


@dataclass
class _Reading:
    """A call that is read."""

    call: Call
    fields: Fields
    ledger: Ledger
    keys: Keys
    control: ActionTarget | None

    def needed(self) -> ActionTarget:
        if self.control is None:
            raise DialectError(NAME, self.call.where, f"{self.call.function} needs the label of a control")
        return self.control

    def place(self, x: str, y: str) -> ActionTarget:
        if self.control is not None:
            self.ledger.lose("control", "a place in the window is meant, whichever control is named")
        return at(self.fields.number(x), self.fields.number(y), "norm1", None, NAME, f"{self.call.where}.{x}")

    def clicked(self, buttons: tuple[str, ...]) -> dict[str, Any]:
        button = BUTTONS[self.fields.choice("button", buttons, "left")]
        return {"action_type": "click", "button": button, "count": 2 if self.fields.flag("double", False) else 1}


def actions_of(call: Call, ledger: Ledger, *, ufo2: bool) -> list[AgentAction]:
    """What a call does. Raises DialectError for a function that UFO does not have."""
    given = dict(_named(call))
    reader = _READERS.get(call.function)
    if reader is None and call.function not in (*APIS, *CARRIED):
        raise DialectError(NAME, call.named, f"there is no function {call.function[:60]!r}")
    control = None if call.function == "select_application_window" else _control(call, given, ledger)
    if call.function in APIS:
        api = {"action_type": "call_api", "app": APIS[call.function], "function": call.function}
        return [build(NAME, call.where, **api, target=control, arguments=given)]
    if reader is None:
        return [build(NAME, call.where, action_type=f"x-{NAME}.{call.function}", target=control, arguments=given)]
    fields = Fields(NAME, given, call.where)
    found = reader(_Reading(call, fields, ledger, Keys(NAME, f"{call.where}.keys", ufo2), control))
    fields.end()
    return [build(NAME, call.where, **action) for action in found]


def _named(call: Call) -> Mapping[str, Any]:
    """The arguments by name; a list gives them in their order."""
    given = {} if call.arguments is None else call.arguments
    if isinstance(given, list | tuple):
        order = _ORDER.get(call.function, ())
        if len(given) > len(order):
            raise DialectError(NAME, f"{call.where}[{len(order)}]", f"{call.function[:60]} takes {len(order)} arguments")
        given = dict(zip(order, given, strict=False))
    if not isinstance(given, Mapping) or not all(isinstance(name, str) for name in given):
        raise DialectError(NAME, call.where, "an object of arguments is needed")
    return given


def _control(call: Call, given: JsonObject, ledger: Ledger) -> ActionTarget | None:
    """The control, named beside the function or, in newer answers, among its arguments."""
    label = call.label or label_of(given.pop("id", None), f"{call.where}.id")
    text = call.text or label_of(given.pop("name", None), f"{call.where}.name")
    if not label:
        if text:
            ledger.lose("control_text", "a text without a label names no control")
        return None
    return ActionTarget(element_id=label, text=text or None)


def label_of(value: Any, where: str) -> str:
    """A label, also where it was written as a number; empty where there is none."""
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1_000_000:
        return str(value)
    if value is not None and not isinstance(value, str):
        raise DialectError(NAME, where, "a text is needed")
    return value or ""


def _click(call: _Reading) -> list[dict[str, Any]]:
    held = (call.fields.text("pressed", "") or "").lower().split()
    if unknown := [name for name in held if name not in PRESSED]:
        call.fields.refuse("pressed", f"control, shift and alt can be pressed, not {unknown[0][:40]!r}")
    modifiers = tuple(PRESSED[name] for name in held)
    return [{**call.clicked(tuple(BUTTONS)), "target": call.needed(), "modifiers": modifiers}]


def _click_at(call: _Reading) -> list[dict[str, Any]]:
    return [{**call.clicked(_PLACED), "target": call.place("x", "y")}]


def _drag_at(call: _Reading) -> list[dict[str, Any]]:
    start, end = call.place("start_x", "start_y"), call.place("end_x", "end_y")
    button, held = call.fields.choice("button", _PLACED, "left"), call.fields.text("key_hold", None)
    if call.fields.number("duration", 1.0) != 1.0:
        call.ledger.lose("duration", "a drag has no length")
    keys = read_keys(NAME, f"{call.call.where}.key_hold", [held], "pyautogui") if held else ()
    return [{"action_type": "drag", "target": start, "to": end, "button": button, "modifiers": tuple(keys)}]


def _set_text(call: _Reading) -> list[dict[str, Any]]:
    verb = "fill" if call.fields.flag("clear_current_text", False) else "type"
    return [{"action_type": verb, "target": call.needed(), "text": call.fields.text("text")}]


def _keyboard(call: _Reading) -> list[dict[str, Any]]:
    found = [stroke.fields for stroke in call.keys.read(call.fields.text("keys"))]
    if not found:
        call.fields.refuse("keys", "there is no key")
    if call.fields.flag("control_focus", True):
        found[0] = {**found[0], "target": call.control}
    elif call.control is not None:
        call.ledger.lose("control", "the keys go to the window, whichever control is named")
    return found


def _wheel(call: _Reading) -> list[dict[str, Any]]:
    """Up is positive. An older form has a direction and clicks."""
    if "direction" in call.fields:
        sign = {"up": -1, "down": 1}[call.fields.choice("direction", ("up", "down"))]
        moved = sign * call.fields.number("clicks", 3)
    else:
        moved = -call.fields.number("wheel_dist")
    return [{"action_type": "scroll", "target": call.control, "delta": {"y": moved}}]


def _annotate(call: _Reading) -> list[dict[str, Any]]:
    labels = call.fields.any("control_labels", [])
    if not isinstance(labels, list | tuple):
        call.fields.refuse("control_labels", "a list of labels is needed")
    where = f"{call.call.where}.control_labels"
    return [{"action_type": "screenshot", "marks": tuple(label_of(label, where) for label in labels)}]


def _wait(call: _Reading) -> list[dict[str, Any]]:
    return [{"action_type": "wait", "seconds": call.fields.number("seconds")}]


def _window(call: _Reading) -> list[dict[str, Any]]:
    names = [name for name in ("id", "window_label", "name") if name in call.fields] or ["id"]
    window = label_of(call.fields.any(names[0]), f"{call.call.where}.{names[0]}")
    title = call.fields.text("name", "")
    return [switch(window or call.call.label, title or call.call.text, call.ledger, f"{call.call.where}.id")]


def switch(window: str, title: str, ledger: Ledger, where: str) -> dict[str, Any]:
    """A window by its label; its title alone will do."""
    if window and title:
        ledger.lose("window.name", "a window is named by its label")
    if not window and not title:
        raise DialectError(NAME, where, "no window is named")
    return {"action_type": "switch_window", "window": window or title}


def _shell(call: _Reading) -> list[dict[str, Any]]:
    return [{"action_type": "run_script", "language": "bash", "code": call.fields.text("bash_command")}]


_PLACED = ("left", "right", "middle")
_READERS: dict[str, Callable[[_Reading], list[dict[str, Any]]]] = {
    "click_input": _click,
    "click_on_coordinates": _click_at,
    "drag_on_coordinates": _drag_at,
    "set_edit_text": _set_text,
    "keyboard_input": _keyboard,
    "wheel_mouse_input": _wheel,
    "annotation": _annotate,
    "annotate": _annotate,
    "wait": _wait,
    "select_application_window": _window,
    "run_shell": _shell,
}
