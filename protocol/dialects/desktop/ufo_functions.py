"""The functions that a UFO agent calls, on a control, at a place in the window, and of an application's own interface.

How a call is read as actions, and how an action is said as calls.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

from protocol.dialects.common.base import DialectError
from protocol.dialects.common.conversion import Conversion, Reading
from protocol.dialects.common.fields import Fields, at, build
from protocol.dialects.desktop.naming import Ledger, read_keys
from protocol.dialects.desktop.pywinauto_keys import Keys
from protocol.model import verbs
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
class _Reading(Reading):
    """A call that is read."""

    called: Call
    keys: Keys
    control: ActionTarget | None

    def needed(self) -> ActionTarget:
        return self.control or self.refuse(self.called.where, f"{self.called.function} needs the label of a control")

    def spot(self, x: str = "x", y: str = "y") -> ActionTarget:
        if self.control is not None:
            self.lose("control", "a place in the window is meant, whichever control is named")
        return at(self.fields.number(x), self.fields.number(y), "norm1", None, NAME, f"{self.called.where}.{x}")

    def clicked(self, buttons: tuple[str, ...]) -> JsonObject:
        button = BUTTONS[self.fields.choice("button", buttons, "left")]
        return {"action_type": "click", "button": button, "count": 2 if self.fields.flag("double", False) else 1}

    def click(self) -> JsonObject:
        held = (self.fields.text("pressed", "") or "").lower().split()
        if unknown := [name for name in held if name not in PRESSED]:
            self.fields.refuse("pressed", f"control, shift and alt can be pressed, not {unknown[0][:40]!r}")
        modifiers = tuple(PRESSED[name] for name in held)
        return {**self.clicked(tuple(BUTTONS)), "target": self.needed(), "modifiers": modifiers}

    def drag_at(self) -> JsonObject:
        start, end = self.spot("start_x", "start_y"), self.spot("end_x", "end_y")
        button, held = self.fields.choice("button", _PLACED, "left"), self.fields.text("key_hold", None)
        if self.fields.number("duration", 1.0) != 1.0:
            self.lose("duration", "a drag has no length")
        keys = read_keys(NAME, f"{self.called.where}.key_hold", [held], "pyautogui") if held else ()
        return {"action_type": "drag", "target": start, "to": end, "button": button, "modifiers": tuple(keys)}

    def set_text(self) -> JsonObject:
        verb = "fill" if self.fields.flag("clear_current_text", False) else "type"
        return {"action_type": verb, "target": self.needed(), "text": self.fields.text("text")}

    def keyboard(self) -> list[JsonObject]:
        found = [stroke.fields for stroke in self.keys.read(self.fields.text("keys"))]
        if not found:
            self.fields.refuse("keys", "there is no key")
        if self.fields.flag("control_focus", True):
            found[0] = {**found[0], "target": self.control}
        elif self.control is not None:
            self.lose("control", "the keys go to the window, whichever control is named")
        return found

    def wheel(self) -> JsonObject:
        """Up is positive. An older form has a direction and clicks."""
        if "direction" in self.fields:
            sign = {"up": -1, "down": 1}[self.fields.choice("direction", ("up", "down"))]
            moved = sign * self.fields.number("clicks", 3)
        else:
            moved = -self.fields.number("wheel_dist")
        return {"action_type": "scroll", "target": self.control, "delta": {"y": moved}}

    def annotate(self) -> JsonObject:
        labels, where = self.fields.any("control_labels", []), f"{self.called.where}.control_labels"
        if not isinstance(labels, list | tuple):
            self.fields.refuse("control_labels", "a list of labels is needed")
        return {"action_type": "screenshot", "marks": tuple(label_of(label, where) for label in labels)}

    def window(self) -> JsonObject:
        names = [name for name in ("id", "window_label", "name") if name in self.fields] or ["id"]
        window = label_of(self.fields.any(names[0]), f"{self.called.where}.{names[0]}")
        title = self.fields.text("name", "")
        return switch(window or self.called.label, title or self.called.text, self, f"{self.called.where}.id")

    def shell(self) -> JsonObject:
        return {"action_type": "run_script", "language": "bash", "code": self.fields.text("bash_command")}


_PLACED = ("left", "right", "middle")
_READERS: dict[str, Callable[[_Reading], Any]] = {
    "click_input": _Reading.click,
    "click_on_coordinates": lambda r: {**r.clicked(_PLACED), "target": r.spot()},
    "drag_on_coordinates": _Reading.drag_at,
    "set_edit_text": _Reading.set_text,
    "keyboard_input": _Reading.keyboard,
    "wheel_mouse_input": _Reading.wheel,
    "annotation": _Reading.annotate,
    "annotate": _Reading.annotate,
    "wait": lambda r: {"action_type": "wait", "seconds": r.fields.number("seconds")},
    "select_application_window": _Reading.window,
    "run_shell": _Reading.shell,
}


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
    reading = _Reading(NAME, ledger.context, call, Keys(NAME, f"{call.where}.keys", ufo2), control, losses=ledger.losses)
    reading.fields = Fields(NAME, given, call.where)
    found = reader(reading)
    reading.fields.end()
    return [build(NAME, call.where, **action) for action in (found if isinstance(found, list) else [found])]


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


def switch(window: str, title: str, conversion: Conversion, where: str) -> JsonObject:
    """A window by its label; its title alone will do."""
    if window and title:
        conversion.lose("window.name", "a window is named by its label")
    if not window and not title:
        raise DialectError(NAME, where, "no window is named")
    return {"action_type": "switch_window", "window": window or title}


LONGEST_WAIT = 300
"""Seconds that UFO's own wait takes."""

_CLICKS = {(button, count) for button in BUTTONS.values() for count in (1, 2)}
_ON_CONTROLS = (
    verbs.Type, verbs.PressKey, verbs.HoldKey, verbs.KeyDown, verbs.KeyUp, verbs.Scroll, verbs.CallApi,
)  # fmt: skip
_SAID_BUTTONS = {ours: theirs for theirs, ours in BUTTONS.items()}
_SAID_PRESSED = {ours: theirs.upper() for theirs, ours in PRESSED.items()}
_TIME = "only a time is waited for"


@dataclass
class UfoCall:
    """A call, or an ending, before it is put into an answer."""

    function: str = ""
    arguments: JsonObject = field(default_factory=dict)
    label: str = ""
    text: str = ""
    status: str = "CONTINUE"
    comment: str = ""
    questions: tuple[str, ...] = ()
    opens: str = ""
    """An app that the host starts, in its older answers."""


@dataclass
class CallWriting(Ledger):
    """An action on its way to calls."""

    ufo2: bool
    lost: ClassVar = {
        "drag": {"path": "only the two ends are said"}, "wait": {"text": _TIME, "text_gone": _TIME},
        "screenshot": {"region": "the whole window is shown"}, "ask_user": {"name": "an answer has no name"},
    }  # fmt: skip

    @property
    def keys(self) -> Keys:
        return Keys(NAME, "keys", self.ufo2)

    def calls_of(self, action: verbs.Action) -> list[UfoCall]:
        """The calls that an action takes. Raises DialectError for what UFO cannot say."""
        placed = action.target is not None and not isinstance(action, verbs.Extension) and self.is_placed(action.target)
        parts = self.simpler(action, _CLICKS, (verbs.Scroll,) if placed else _ON_CONTROLS, fills=not placed)
        return [self._labelled(part) for part in parts]

    def is_placed(self, target: ActionTarget) -> bool:
        """Whether only a place in the window can be said of it."""
        if target.element_id is not None:
            return False
        return self.context.state is None or (target.track_id is None and target.text is None)

    def _labelled(self, action: verbs.Action) -> UfoCall:
        said: UfoCall = self.said(action)
        if action.target is not None and not isinstance(action, verbs.Click | verbs.Drag):
            self.label(said, action.target)
        return said

    def label(self, said: UfoCall, target: ActionTarget) -> UfoCall:
        """With the label of the control, and its text beside it."""
        given = {name for name in ActionTarget.model_fields if getattr(target, name) is not None}
        if target.element_id and given <= {"element_id", "text"}:
            said.label, said.text = target.element_id, target.text or ""
            if target.text == "":
                self.lose("target.text", "no text is said")
        else:
            said.label = self.element(target)
            found = self.context.state.by_id.get(said.label) if self.context.state else None
            said.text = found.name if found else ""
        return said if said.label else self.refuse("target", "a control has a label")

    def click(self, action: Any) -> UfoCall:
        arguments = {"button": _SAID_BUTTONS[action.button], "double": action.count == 2}
        if self.is_placed(action.target):
            if action.button == "back" or action.modifiers:
                self.cannot(action, "a click at a place has three buttons, and no keys are pressed meanwhile")
            point = self.place(action.target, space="norm1")
            return UfoCall("click_on_coordinates", {"x": point.x, "y": point.y, **arguments})
        if action.modifiers:
            if set(action.modifiers) - _SAID_PRESSED.keys():
                self.cannot(action, "only Control, Shift and Alt are pressed meanwhile")
            arguments["pressed"] = " ".join(_SAID_PRESSED[name] for name in action.modifiers)
        return self.label(UfoCall("click_input", arguments), action.target)

    def drag(self, action: Any) -> UfoCall:
        if action.button in ("back", "forward") or len(action.modifiers) > 1:
            self.cannot(action, "a drag has three buttons, and one key is held meanwhile")
        start, end = self.place(action.target, space="norm1"), self.place(action.to, "to", "norm1")
        arguments: JsonObject = {"start_x": start.x, "start_y": start.y, "end_x": end.x, "end_y": end.y, "button": action.button}
        if action.modifiers:
            arguments["key_hold"] = self.names(action, action.modifiers, "pyautogui")[0]
        return UfoCall("drag_on_coordinates", arguments)

    def type(self, action: verbs.Type | verbs.Fill) -> UfoCall:
        if action.target is not None:
            return UfoCall("set_edit_text", {"text": action.text, "clear_current_text": isinstance(action, verbs.Fill)})
        if not action.text:
            self.cannot(action, "there is nothing to type")
        return UfoCall("keyboard_input", {"keys": self.keys.text(action.text), "control_focus": False})

    fill = type

    def typed(self, keys: str, action: verbs.Action) -> UfoCall:
        return UfoCall("keyboard_input", {"keys": keys, "control_focus": action.target is not None})

    def press_key(self, action: verbs.PressKey) -> UfoCall:
        modifiers, key = self.one_key(action)
        said = self.keys.chord(modifiers, key)
        if said is None:
            said = self._pressed(action, "")
            self.lose("press_key.keys", "said as keys that go down and up")
        elif [stroke.value for stroke in self.keys.read(said)] != [action.keys]:
            self.lose("press_key.keys", "a sign that means something here is said as typing it")
        return self.typed(said, action)

    def _pressed(self, action: verbs.PressKey | verbs.HoldKey, between: str) -> str:
        """Keys that go down in order and up again, with a pause between."""
        down, up = ([self.keys.code(key, event) for key in action.keys] for event in ("down", "up"))
        codes = [code or self.cannot(action, f"{NAME} has no such key") for code in (*down, *reversed(up))]
        return "".join((*codes[: len(down)], between, *codes[len(down) :]))

    def hold_key(self, action: verbs.HoldKey) -> UfoCall:
        self.lose("hold_key", "said as keys that go down, a pause, and keys that go up")
        return self.typed(self._pressed(action, f"{{PAUSE {action.seconds!r}}}"), action)

    def key_down(self, action: verbs.KeyDown | verbs.KeyUp) -> UfoCall:
        said = self.keys.code(action.key, action.verb.removeprefix("key_"))
        return self.typed(said or self.cannot(action, f"{NAME} has no key {action.key}"), action)

    key_up = key_down

    def scroll(self, action: verbs.Scroll) -> UfoCall:
        if action.modifiers or action.delta.x:
            self.cannot(action, "the wheel goes up and down, and no keys are held meanwhile")
        ((way, notches),) = self.strokes(action, "notch")
        return UfoCall("wheel_mouse_input", {"wheel_dist": notches if way == "up" else -notches})

    def wait(self, action: verbs.Wait) -> UfoCall:
        if not self.ufo2:
            return UfoCall("keyboard_input", {"keys": f"{{PAUSE {action.seconds!r}}}", "control_focus": False})
        if action.seconds > LONGEST_WAIT:
            self.cannot(action, f"a wait is no longer than {LONGEST_WAIT} s")
        return UfoCall("wait", {"seconds": action.seconds})

    def screenshot(self, action: verbs.Screenshot) -> UfoCall:
        return UfoCall("annotation", {"control_labels": list(action.marks)}, status="SCREENSHOT")

    def switch_window(self, action: verbs.SwitchWindow) -> UfoCall:
        label = action.window or self.cannot(action, "no window is named")
        return UfoCall("select_application_window", label=label, status="ASSIGN")

    def run_script(self, action: verbs.RunScript) -> UfoCall:
        if action.language != "bash" or not action.code:
            self.cannot(action, "only a command of the shell is run")
        return UfoCall("run_shell", {"bash_command": action.code})

    def launch_app(self, action: verbs.LaunchApp) -> UfoCall:
        if self.ufo2 or not action.app:
            self.cannot(action, "an app is started by a command of the shell")
        return UfoCall(opens=action.app)

    def call_api(self, action: verbs.CallApi) -> UfoCall:
        if APIS.get(action.function) != action.app or action.arguments.keys() & {"id", "name"}:
            self.cannot(action, f"{NAME} knows no function {action.function[:60]!r} of {action.app[:60]!r}")
        return UfoCall(action.function, dict(action.arguments))

    def extension(self, action: verbs.Extension) -> UfoCall:
        owner, _, function = action.action_type.partition(".")
        if owner != f"x-{NAME}" or function not in CARRIED or action.arguments.keys() & {"id", "name"}:
            self.cannot(action)
        return UfoCall(function, dict(action.arguments))

    def ask_user(self, action: verbs.AskUser) -> UfoCall:
        return UfoCall(status="PENDING", questions=(action.question,))

    def finish_goal(self, action: verbs.FinishGoal) -> UfoCall:
        return UfoCall(status="FINISH", comment=action.summary)

    def fail_goal(self, action: verbs.FailGoal) -> UfoCall:
        return UfoCall(status="FAIL", comment=action.reason)
