"""The functions that a UFO agent calls, on a control, at a place in the window, and of an application's own interface.

How a call is read as actions, and how an action is said as calls. Keys are those of pywinauto's `send_keys`: `^a`, `%{F4}`,
`+(ab)`, `{TAB 2}`, `{VK_SHIFT down}`, `{PAUSE 1.5}`, `{+}`. UFO says a modifier as `{VK_CONTROL}`, and what follows is pressed
with it; its newer versions take `+ ^ % ( )` as themselves.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple

from protocol import ActionTarget, AgentAction, JsonObject
from protocol.dialects import LONGEST, Context, DialectError, Fields, at, build, read_chord
from protocol.dialects.common.conversion import Conversion, Reading, Table, Writing, given, given_in, row
from protocol.model import verbs
from protocol.model.keys import KeyNameError, canonical

MOST = 1_000
"""Strokes of one text of keys, and repetitions of one key."""

MOST_SIGNS = 100_000

_NAMES = {
    "Enter": "ENTER", "Escape": "ESC", "Backspace": "BACKSPACE", "Delete": "DELETE", "Tab": "TAB", "Space": "SPACE",
    "ArrowLeft": "LEFT", "ArrowRight": "RIGHT", "ArrowUp": "UP", "ArrowDown": "DOWN", "PageUp": "PGUP", "PageDown": "PGDN",
    "Home": "HOME", "End": "END", "Insert": "INSERT", "Control": "VK_CONTROL", "Alt": "VK_MENU", "Shift": "VK_SHIFT",
    "Meta": "LWIN", "AltGraph": "RMENU", "CapsLock": "CAPSLOCK", "NumLock": "NUMLOCK", "ScrollLock": "SCROLLLOCK",
    "PrintScreen": "PRTSC", "Pause": "VK_PAUSE", "ContextMenu": "VK_APPS", **{f"F{n}": f"F{n}" for n in range(1, 25)},
}  # fmt: skip
_CODES = {code: key for key, code in _NAMES.items()} | {
    "BACK": "Backspace", "BKSP": "Backspace", "BS": "Backspace", "VK_BACK": "Backspace", "DEL": "Delete", "INS": "Insert",
    "CAP": "CapsLock", "VK_CAPITAL": "CapsLock", "BREAK": "Pause", "VK_CANCEL": "Pause", "RWIN": "Meta", "VK_LWIN": "Meta",
    "VK_RWIN": "Meta", "VK_RMENU": "AltGraph", "VK_LMENU": "Alt", "VK_LCONTROL": "Control", "VK_RCONTROL": "Control",
    "VK_LSHIFT": "Shift", "VK_RSHIFT": "Shift", "VK_RETURN": "Enter", "VK_ESCAPE": "Escape", "VK_PRIOR": "PageUp",
    "VK_NEXT": "PageDown", "VK_SNAPSHOT": "PrintScreen", "VK_SCROLL": "ScrollLock",
    **{f"VK_{code}": code.title() for code in ("TAB", "SPACE", "HOME", "END", "INSERT", "DELETE")},
    **{f"VK_{way}": f"Arrow{way.title()}" for way in ("LEFT", "RIGHT", "UP", "DOWN")},
    "VK_NUMLOCK": "NumLock", **{f"VK_F{n}": f"F{n}" for n in range(1, 25)},
    **{f"VK_NUMPAD{n}": str(n) for n in range(10)},
    "VK_ADD": "+", "VK_SUBTRACT": "-", "VK_MULTIPLY": "*", "VK_DIVIDE": "/", "VK_DECIMAL": ".",
}  # fmt: skip
_HELD = {"^": "Control", "%": "Alt", "+": "Shift"}
_HELD_CODES = {"VK_CONTROL": "Control", "VK_MENU": "Alt", "VK_SHIFT": "Shift"}
_PREFIX = {key: f"{{{code}}}" for code, key in _HELD_CODES.items()}
_RESERVED = frozenset("+^%~(){}")
_PLAIN_TO_UFO2 = frozenset("+^%()")
_COUNT = re.compile(r"[0-9]{1,4}\Z")
_SECONDS = re.compile(r"[0-9]{1,4}(\.[0-9]{0,20})?([eE]-?[0-9]{1,3})?\Z")


class Stroke(NamedTuple):
    """What is done: a text is typed, a chord pressed, a key pressed or let go, or time passes."""

    verb: Literal["type", "press_key", "key_down", "key_up", "wait"]
    value: Any

    @property
    def fields(self) -> JsonObject:
        """As an action."""
        name = {"type": "text", "press_key": "keys", "wait": "seconds"}.get(self.verb, "key")
        return {"action_type": self.verb, name: self.value}


@dataclass(frozen=True)
class Keys:
    """Reads and writes texts of keys for one dialect. `ufo2` takes `+ ^ % ( )` as themselves."""

    dialect: str
    where: str
    ufo2: bool = False

    def read(self, text: str) -> list[Stroke]:
        """The strokes in order; texts are typed as they are. Raises DialectError with the position in the text."""
        if len(text) > LONGEST:
            raise DialectError(self.dialect, self.where, f"the keys are longer than {LONGEST} characters")
        found: list[Stroke] = []
        signs: list[str] = []
        for number, stroke in enumerate(self._strokes(text)):
            if number >= MOST_SIGNS:
                raise DialectError(self.dialect, self.where, f"more than {MOST_SIGNS} characters and keys")
            if stroke.verb == "type":
                signs.append(stroke.value)
                continue
            found += [Stroke("type", "".join(signs))] if signs else []
            signs = []
            found.append(stroke)
            if len(found) > MOST:
                raise DialectError(self.dialect, self.where, f"more than {MOST} strokes")
        return found + ([Stroke("type", "".join(signs))] if signs else [])

    def _strokes(self, text: str, held: tuple[str, ...] = ()) -> Iterator[Stroke]:
        at, waiting = 0, held
        while at < len(text):
            sign, start = text[at], at
            at += 1
            if sign in _HELD and not self._plain(sign):
                waiting = (*waiting, _HELD[sign])
                continue
            if sign == "{":
                at = self._close(text, "}", at + 1, start)
                code = text[start + 1 : at - 1]
                if (modifier := _HELD_CODES.get(code.upper())) is not None:
                    waiting = (*waiting, modifier)
                    continue
                yield from self._code(code, waiting, start)
            elif sign == "(" and not self._plain(sign):
                at = self._close(text, ")", at, start)
                yield from self._strokes(text[start + 1 : at - 1], waiting)
            elif sign in "})" and not self._plain(sign):
                self._refuse(start, f"{sign} stands alone")
            elif sign == "~":
                yield Stroke("press_key", (*waiting, "Enter"))
            else:
                yield self._sign(sign, waiting, start)
            waiting = held
        if waiting != held:
            yield Stroke("press_key", waiting)

    def _plain(self, sign: str) -> bool:
        return self.ufo2 and sign in _PLAIN_TO_UFO2

    def _close(self, text: str, sign: str, start: int, opened: int) -> int:
        end = text.find(sign, start)
        return end + 1 if end >= 0 else self._refuse(opened, f"the {text[opened]} is not closed")

    def _refuse(self, at: int, message: str) -> Any:
        raise DialectError(self.dialect, f"{self.where}, character {at + 1}", message)

    def _sign(self, sign: str, waiting: tuple[str, ...], at: int) -> Stroke:
        return Stroke("press_key", (*waiting, self._key(sign, at))) if waiting else Stroke("type", sign)

    def _key(self, name: str, at: int) -> str:
        if (known := _CODES.get(name.upper())) is not None and len(name) > 1:
            return known
        try:
            return canonical(name) if len(name) == 1 else self._refuse(at, f"there is no key {{{name[:40]}}}")
        except KeyNameError as bad:
            return str(self._refuse(at, str(bad)))

    def _code(self, code: str, waiting: tuple[str, ...], at: int) -> Iterator[Stroke]:
        if len(code) == 1 and code in _RESERVED:
            yield self._sign(code, waiting, at)
        elif " " not in code.strip(" ") or len(code) == 1:
            yield Stroke("press_key", (*waiting, self._key(code, at)))
        else:
            name, _, count = code.rpartition(" ")
            yield from self._counted(name.rstrip(" "), count, waiting, at)

    def _counted(self, name: str, count: str, waiting: tuple[str, ...], at: int) -> Iterator[Stroke]:
        """`{TAB 2}`, `{PAUSE 1.5}`, `{VK_SHIFT down}`."""
        if count.lower() in ("down", "up"):
            verb: Literal["key_down", "key_up"] = "key_down" if count.lower() == "down" else "key_up"
            yield Stroke(verb, self._key(name, at)) if not waiting else self._refuse(at, "keys are held over this already")
        elif name == "PAUSE":
            yield Stroke("wait", float(count) if _SECONDS.match(count) else self._refuse(at, "a pause lasts some seconds"))
        elif not _COUNT.match(count) or not 1 <= int(count) <= MOST or int(count) * len(name) > 10 * MOST:
            self._refuse(at, f"a key is repeated between 1 and {MOST} times")
        elif name.upper() in _CODES:
            yield from [Stroke("press_key", (*waiting, self._key(name, at)))] * int(count)
        else:
            yield from list(replace(self, where=f"{self.where}, character {at + 1}")._strokes(name, waiting)) * int(count)

    def text(self, text: str) -> str:
        """A text that is typed as it is."""
        return "".join(f"{{{sign}}}" if sign in _RESERVED and not self._plain(sign) else sign for sign in text)

    def chord(self, modifiers: tuple[str, ...], key: str) -> str | None:
        """A key with modifiers before it; None where one of them cannot be held so, or the key is unknown."""
        code = self.code(key)
        if code is None or not all(name in _PREFIX for name in modifiers):
            return None
        if modifiers and len(key) == 1:
            code = self.text(key)
        return "".join(_PREFIX[name] for name in modifiers) + code

    def code(self, key: str, event: str = "") -> str | None:
        """`{ENTER}`, `{a}`, `{VK_SHIFT down}`; None for a key that pywinauto lacks, or that UFO would break."""
        name = _NAMES.get(key, key if len(key) == 1 else None)
        if name is None or (event and self._plain(name)):
            return None
        return f"{{{name} {event}}}" if event else f"{{{name}}}"


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

    def clicked(self, buttons: tuple[str, ...], target: ActionTarget, modifiers: tuple[str, ...] = ()) -> AgentAction:
        button, double = BUTTONS[self.fields.choice("button", buttons, "left")], self.fields.flag("double", False)
        return self.build("click", target=target, button=button, count=2 if double else 1, modifiers=modifiers)

    def click(self) -> AgentAction:
        held = (self.fields.text("pressed", "") or "").lower().split()
        if unknown := [name for name in held if name not in PRESSED]:
            self.fields.refuse("pressed", f"control, shift and alt can be pressed, not {unknown[0][:40]!r}")
        return self.clicked(tuple(BUTTONS), self.needed(), tuple(PRESSED[name] for name in held))

    def drag_at(self) -> AgentAction:
        start, end = self.spot("start_x", "start_y"), self.spot("end_x", "end_y")
        button, held = self.fields.choice("button", _PLACED, "left"), self.fields.text("key_hold", None)
        if self.fields.number("duration", 1.0) != 1.0:
            self.lose("duration", "a drag has no length")
        keys = read_chord(held, "pyautogui", NAME, f"{self.called.where}.key_hold") if held else ()
        return self.build("drag", target=start, to=end, button=button, modifiers=keys)

    def set_text(self) -> AgentAction:
        verb = "fill" if self.fields.flag("clear_current_text", False) else "type"
        return self.build(verb, target=self.needed(), text=self.fields.text("text"))

    def keyboard(self) -> list[AgentAction]:
        strokes = [stroke.fields for stroke in self.keys.read(self.fields.text("keys"))]
        if not strokes:
            self.fields.refuse("keys", "there is no key")
        if self.fields.flag("control_focus", True):
            strokes[0] = {**strokes[0], "target": self.control}
        elif self.control is not None:
            self.lose("control", "the keys go to the window, whichever control is named")
        return [build(NAME, self.called.where, **stroke) for stroke in strokes]

    def wheel(self) -> AgentAction:
        """Up is positive. An older form has a direction and clicks."""
        if "direction" in self.fields:
            sign = {"up": -1, "down": 1}[self.fields.choice("direction", ("up", "down"))]
            moved = sign * self.fields.number("clicks", 3)
        else:
            moved = -self.fields.number("wheel_dist")
        return self.build("scroll", target=self.control, delta={"y": moved})

    def annotate(self) -> AgentAction:
        labels, where = self.fields.any("control_labels", []), f"{self.called.where}.control_labels"
        if not isinstance(labels, list | tuple):
            self.fields.refuse("control_labels", "a list of labels is needed")
        return self.build("screenshot", marks=tuple(label_of(label, where) for label in labels))

    def window(self) -> AgentAction:
        names = [name for name in ("id", "window_label", "name") if name in self.fields] or ["id"]
        window = label_of(self.fields.any(names[0]), f"{self.called.where}.{names[0]}")
        title = self.fields.text("name", "")
        where = f"{self.called.where}.id"
        return build(NAME, where, **switch(window or self.called.label, title or self.called.text, self, where))


_PLACED = ("left", "right", "middle")
_FUNCTIONS: Table = {
    "click_input": _Reading.click,
    "click_on_coordinates": lambda r: r.clicked(_PLACED, r.spot()),
    "drag_on_coordinates": _Reading.drag_at,
    "set_edit_text": _Reading.set_text,
    "keyboard_input": _Reading.keyboard,
    "wheel_mouse_input": _Reading.wheel,
    "annotation": _Reading.annotate,
    "annotate": _Reading.annotate,
    "wait": row("wait", seconds=given("seconds", kind="number")),
    "select_application_window": _Reading.window,
    "run_shell": row("run_script", language="bash", code=given("bash_command")),
}


def actions_of(call: Call, conversion: Conversion) -> list[AgentAction]:
    """What a call does. Raises DialectError for a function that UFO does not have."""
    arguments = dict(_named(call))
    if call.function not in (*_FUNCTIONS, *APIS, *CARRIED):
        raise DialectError(NAME, call.named, f"there is no function {call.function[:60]!r}")
    control = None if call.function == "select_application_window" else _control(call, arguments, conversion)
    if call.function in APIS:
        api = {"action_type": "call_api", "app": APIS[call.function], "function": call.function}
        return [build(NAME, call.where, **api, target=control, arguments=arguments)]
    if call.function in CARRIED:
        return [build(NAME, call.where, action_type=f"x-{NAME}.{call.function}", target=control, arguments=arguments)]
    keys = Keys(NAME, f"{call.where}.keys", conversion.variant == "ufo2")
    reading = _Reading(NAME, conversion.context, call, keys, control, losses=conversion.losses)
    reading.fields = Fields(NAME, arguments, call.where)
    return reading.read(_FUNCTIONS, call.function)


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


def _control(call: Call, given: JsonObject, conversion: Conversion) -> ActionTarget | None:
    """The control, named beside the function or, in newer answers, among its arguments."""
    label = call.label or label_of(given.pop("id", None), f"{call.where}.id")
    text = call.text or label_of(given.pop("name", None), f"{call.where}.name")
    if not label:
        if text:
            conversion.lose("control_text", "a text without a label names no control")
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

_SAID_BUTTONS = {ours: theirs for theirs, ours in BUTTONS.items()}
_SAID_PRESSED = {ours: theirs.upper() for theirs, ours in PRESSED.items()}


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


_Calls = list[UfoCall]


def is_placed(target: ActionTarget | None, context: Context) -> bool:
    """Whether only a place in the window can be said of it."""
    if target is None or target.element_id is not None:
        return False
    return context.state is None or (target.track_id is None and target.text is None)


@dataclass
class CallWriting(Writing):
    """An action on its way to calls of a control, or at a place in the window."""

    table = _FUNCTIONS
    can = frozenset({"fill"})
    aimed = frozenset({"type", "press_key", "hold_key", "key_down", "key_up", "scroll", "call_api"})
    clicks = frozenset((button, count) for button in BUTTONS.values() for count in (1, 2))

    @property
    def ufo2(self) -> bool:
        return self.variant == "ufo2"

    @property
    def keys(self) -> Keys:
        return Keys(NAME, "keys", self.ufo2)

    def call(self, name: str, /, **arguments: Any) -> UfoCall:
        return UfoCall(name, arguments)

    def said(self, action: verbs.Action) -> _Calls:
        calls: _Calls = super().said(action)
        if action.target is not None and not isinstance(action, verbs.Click | verbs.Drag):
            self.label(calls[0], action.target)
        return calls

    def label(self, said: UfoCall, target: ActionTarget) -> UfoCall:
        """With the label of the control, and its text beside it."""
        if target.element_id and {*given_in(target)} <= {"element_id", "text"}:
            said.label, said.text = target.element_id, target.text or ""
        else:
            said.label = self.element(target)
            found = self.context.state.by_id.get(said.label) if self.context.state else None
            said.text = found.name if found else ""
        return said if said.label else self.refuse("target", "a control has a label")

    def click(self, action: Any) -> _Calls:
        arguments: JsonObject = {"button": _SAID_BUTTONS[action.button], "double": action.count == 2}
        if is_placed(action.target, self.context):
            if action.button == "back" or action.modifiers:
                self.cannot(action, "a click at a place has three buttons, and no keys are pressed meanwhile")
            point = self.place(action.target, space="norm1")
            return [self.call("click_on_coordinates", x=point.x, y=point.y, **arguments)]
        if action.modifiers:
            if set(action.modifiers) - _SAID_PRESSED.keys():
                self.cannot(action, "only Control, Shift and Alt are pressed meanwhile")
            arguments["pressed"] = " ".join(_SAID_PRESSED[name] for name in action.modifiers)
        return [self.label(self.call("click_input", **arguments), action.target)]

    def drag(self, action: verbs.Drag) -> _Calls:
        if action.button in ("back", "forward") or len(action.modifiers) > 1:
            self.cannot(action, "a drag has three buttons, and one key is held meanwhile")
        start, end = self.place(action.target, space="norm1"), self.place(action.to, "to", "norm1")
        ends = {"start_x": start.x, "start_y": start.y, "end_x": end.x, "end_y": end.y}
        held = {"key_hold": self.key_names(action.modifiers, "pyautogui")[0]} if action.modifiers else {}
        return [self.call("drag_on_coordinates", **ends, button=action.button, **held)]

    def type(self, action: verbs.Type | verbs.Fill) -> _Calls:
        if action.target is not None:
            return [self.call("set_edit_text", text=action.text, clear_current_text=isinstance(action, verbs.Fill))]
        return self.typed(self.keys.text(action.text) or self.cannot(action, "there is nothing to type"), action)

    fill = type

    def typed(self, keys: str, action: verbs.Action) -> _Calls:
        return [self.call("keyboard_input", keys=keys, control_focus=action.target is not None)]

    def press_key(self, action: verbs.PressKey) -> _Calls:
        *modifiers, key = self.one_key(action.keys)
        said = self.keys.chord(tuple(modifiers), key)
        return self.typed(self._pressed(action, "") if said is None else said, action)

    def _pressed(self, action: verbs.PressKey | verbs.HoldKey, between: str) -> str:
        """Keys that go down in order and up again, with a pause between."""
        down, up = ([self.keys.code(key, event) for key in action.keys] for event in ("down", "up"))
        codes = [code or self.cannot(action, f"{NAME} has no such key") for code in (*down, *reversed(up))]
        return "".join((*codes[: len(down)], between, *codes[len(down) :]))

    def hold_key(self, action: verbs.HoldKey) -> _Calls:
        return self.typed(self._pressed(action, f"{{PAUSE {action.seconds!r}}}"), action)

    def key_down(self, action: verbs.KeyDown | verbs.KeyUp) -> _Calls:
        said = self.keys.code(action.key, action.verb.removeprefix("key_"))
        return self.typed(said or self.cannot(action, f"{NAME} has no key {action.key}"), action)

    key_up = key_down

    def scroll(self, action: verbs.Scroll) -> _Calls:
        if action.modifiers or action.delta.x:
            self.cannot(action, "the wheel goes up and down, and no keys are held meanwhile")
        return [self.call("wheel_mouse_input", wheel_dist=-self.amounts(action, "notch")[1])]

    def wait(self, action: verbs.Wait) -> _Calls:
        if not self.ufo2:
            return [self.call("keyboard_input", keys=f"{{PAUSE {action.seconds!r}}}", control_focus=False)]
        if action.seconds > LONGEST_WAIT:
            self.cannot(action, f"a wait is no longer than {LONGEST_WAIT} s")
        return [self.call("wait", seconds=action.seconds)]

    def screenshot(self, action: verbs.Screenshot) -> _Calls:
        return [UfoCall("annotation", {"control_labels": list(action.marks)}, status="SCREENSHOT")]

    def switch_window(self, action: verbs.SwitchWindow) -> _Calls:
        label = action.window or self.cannot(action, "no window is named")
        return [UfoCall("select_application_window", label=label, status="ASSIGN")]

    def launch_app(self, action: verbs.LaunchApp) -> _Calls:
        if self.ufo2 or not action.app:
            self.cannot(action, "an app is started by a command of the shell")
        return [UfoCall(opens=action.app)]

    def call_api(self, action: verbs.CallApi) -> _Calls:
        if APIS.get(action.function) != action.app or action.arguments.keys() & {"id", "name"}:
            self.cannot(action, f"{NAME} knows no function {action.function[:60]!r} of {action.app[:60]!r}")
        return [self.call(action.function, **action.arguments)]

    def extension(self, action: verbs.Extension) -> _Calls:
        owner, _, function = action.action_type.partition(".")
        if owner != f"x-{NAME}" or function not in CARRIED or action.arguments.keys() & {"id", "name"}:
            self.cannot(action)
        return [self.call(function, **action.arguments)]

    def ask_user(self, action: verbs.AskUser) -> _Calls:
        return [UfoCall(status="PENDING", questions=(action.question,))]

    def finish_goal(self, action: verbs.FinishGoal) -> _Calls:
        return [UfoCall(status="FINISH", comment=action.summary)]

    def fail_goal(self, action: verbs.FailGoal) -> _Calls:
        return [UfoCall(status="FAIL", comment=action.reason)]


class PlacedWriting(CallWriting):
    """What is done at a mere place, which is clicked first."""

    can = frozenset()
    aimed = frozenset({"scroll"})
