"""How an action is said as UFO's calls: which function, on which control or at which place, with which arguments."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from protocol.dialects.common.base import DialectError
from protocol.dialects.common.conversion import cannot, place
from protocol.dialects.common.naming import Ledger
from protocol.dialects.desktop.ufo_functions import APIS, BUTTONS, CARRIED, NAME, PRESSED
from protocol.dialects.python.pywinauto_keys import Keys
from protocol.model.geometry import JsonObject
from protocol.model.targets import ActionTarget
from protocol.model.verbs import (
    Action,
    AskUser,
    CallApi,
    Click,
    Drag,
    Extension,
    FailGoal,
    Fill,
    FinishGoal,
    HoldKey,
    KeyDown,
    KeyUp,
    LaunchApp,
    PressKey,
    RunScript,
    Screenshot,
    Scroll,
    SwitchWindow,
    Type,
    Wait,
)

LONGEST_WAIT = 300
"""Seconds that UFO's own wait takes."""

_CLICKS = {(button, count) for button in BUTTONS.values() for count in (1, 2)}
_ON_CONTROLS = (Type, PressKey, HoldKey, KeyDown, KeyUp, Scroll, CallApi)
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


def calls_of(action: Action, ledger: Ledger, *, ufo2: bool) -> list[UfoCall]:
    """The calls that an action takes. Raises DialectError for what UFO cannot say."""
    target = action.target
    placed = target is not None and not isinstance(action, Extension) and _is_placed(target, ledger)
    aimed = (Scroll,) if placed else _ON_CONTROLS
    parts = ledger.simpler(action, _CLICKS, aimed, fills=not placed)
    keys = Keys(NAME, "keys", ufo2)
    return [_said(part, ledger, keys) for part in parts]


def _is_placed(target: ActionTarget, ledger: Ledger) -> bool:
    """Whether only a place in the window can be said of it."""
    if target.element_id is not None:
        return False
    return ledger.context.state is None or (target.track_id is None and target.text is None)


def _said(action: Action, ledger: Ledger, keys: Keys) -> UfoCall:
    writer = _WRITERS.get(type(action)) or cannot(NAME, action)
    said = writer(action, ledger, keys)
    if action.target is not None and not isinstance(action, Click | Drag):
        _label(said, action.target, ledger)
    return said


def _label(said: UfoCall, target: ActionTarget, ledger: Ledger) -> None:
    """The label of the control, and its text beside it."""
    given = {name for name in ActionTarget.model_fields if getattr(target, name) is not None}
    if target.element_id and given <= {"element_id", "text"}:
        said.label, said.text = target.element_id, target.text or ""
        if target.text == "":
            ledger.lose("target.text", "no text is said")
    else:
        said.label = ledger.element_id(target)
        found = ledger.context.state.by_id.get(said.label) if ledger.context.state else None
        said.text = found.name if found else ""
    if not said.label:
        raise DialectError(NAME, "target", "a control has a label")


def _place(target: ActionTarget, ledger: Ledger, what: str = "target") -> tuple[float, float]:
    point, losses = place(target, ledger.context, "norm1", None, NAME, what)
    ledger.take(losses)
    return point.x, point.y


def _click(action: Any, ledger: Ledger, keys: Keys) -> UfoCall:
    arguments = {"button": _SAID_BUTTONS[action.button], "double": action.count == 2}
    if _is_placed(action.target, ledger):
        if action.button == "back" or action.modifiers:
            cannot(NAME, action, "a click at a place has three buttons, and no keys are pressed meanwhile")
        x, y = _place(action.target, ledger)
        return UfoCall("click_on_coordinates", {"x": x, "y": y, **arguments})
    if action.modifiers:
        if set(action.modifiers) - _SAID_PRESSED.keys():
            cannot(NAME, action, "only Control, Shift and Alt are pressed meanwhile")
        arguments["pressed"] = " ".join(_SAID_PRESSED[name] for name in action.modifiers)
    said = UfoCall("click_input", arguments)
    _label(said, action.target, ledger)
    return said


def _drag(action: Any, ledger: Ledger, keys: Keys) -> UfoCall:
    if action.button in ("back", "forward") or len(action.modifiers) > 1:
        cannot(NAME, action, "a drag has three buttons, and one key is held meanwhile")
    ledger.drop(action, path="only the two ends are said")
    start, end = _place(action.target, ledger), _place(action.to, ledger, "to")
    arguments: JsonObject = {
        "start_x": start[0],
        "start_y": start[1],
        "end_x": end[0],
        "end_y": end[1],
        "button": action.button,
    }
    if action.modifiers:
        arguments["key_hold"] = ledger.names(action, action.modifiers, "pyautogui")[0]
    return UfoCall("drag_on_coordinates", arguments)


def _type(action: Any, ledger: Ledger, keys: Keys) -> UfoCall:
    if action.target is not None:
        return UfoCall("set_edit_text", {"text": action.text, "clear_current_text": isinstance(action, Fill)})
    if not action.text:
        cannot(NAME, action, "there is nothing to type")
    return UfoCall("keyboard_input", {"keys": keys.text(action.text), "control_focus": False})


def _keys(action: Any, ledger: Ledger, keys: Keys) -> UfoCall:
    modifiers, key = ledger.one_key(action)
    said = keys.chord(modifiers, key)
    if said is None:
        said = _pressed(action, keys, "")
        ledger.lose("press_key.keys", "said as keys that go down and up")
    elif [stroke.value for stroke in keys.read(said)] != [action.keys]:
        ledger.lose("press_key.keys", "a sign that means something here is said as typing it")
    return UfoCall("keyboard_input", {"keys": said, "control_focus": action.target is not None})


def _pressed(action: Any, keys: Keys, between: str) -> str:
    """Keys that go down in order and up again, with a pause between."""
    down, up = ([keys.code(key, event) for key in action.keys] for event in ("down", "up"))
    codes = [code or cannot(NAME, action, f"{NAME} has no such key") for code in (*down, *reversed(up))]
    return "".join((*codes[: len(down)], between, *codes[len(down) :]))


def _hold(action: Any, ledger: Ledger, keys: Keys) -> UfoCall:
    ledger.lose("hold_key", "said as keys that go down, a pause, and keys that go up")
    said = _pressed(action, keys, f"{{PAUSE {action.seconds!r}}}")
    return UfoCall("keyboard_input", {"keys": said, "control_focus": action.target is not None})


def _down_or_up(action: Any, ledger: Ledger, keys: Keys) -> UfoCall:
    said = keys.code(action.key, "down" if isinstance(action, KeyDown) else "up")
    said = said or cannot(NAME, action, f"{NAME} has no key {action.key}")
    return UfoCall("keyboard_input", {"keys": said, "control_focus": action.target is not None})


def _scroll(action: Any, ledger: Ledger, keys: Keys) -> UfoCall:
    if action.modifiers or action.delta.x:
        cannot(NAME, action, "the wheel goes up and down, and no keys are held meanwhile")
    ((way, notches),) = ledger.strokes(action, "notch")
    return UfoCall("wheel_mouse_input", {"wheel_dist": notches if way == "up" else -notches})


def _wait(action: Any, ledger: Ledger, keys: Keys) -> UfoCall:
    ledger.drop(action, text="only a time is waited for", text_gone="only a time is waited for")
    if not keys.ufo2:
        return UfoCall("keyboard_input", {"keys": f"{{PAUSE {action.seconds!r}}}", "control_focus": False})
    if action.seconds > LONGEST_WAIT:
        cannot(NAME, action, f"a wait is no longer than {LONGEST_WAIT} s")
    return UfoCall("wait", {"seconds": action.seconds})


def _screenshot(action: Any, ledger: Ledger, keys: Keys) -> UfoCall:
    ledger.drop(action, region="the whole window is shown")
    return UfoCall("annotation", {"control_labels": list(action.marks)}, status="SCREENSHOT")


def _window(action: Any, ledger: Ledger, keys: Keys) -> UfoCall:
    said = UfoCall("select_application_window", status="ASSIGN")
    said.label = action.window or cannot(NAME, action, "no window is named")
    return said


def _script(action: Any, ledger: Ledger, keys: Keys) -> UfoCall:
    if action.language != "bash" or not action.code:
        cannot(NAME, action, "only a command of the shell is run")
    return UfoCall("run_shell", {"bash_command": action.code})


def _launch(action: Any, ledger: Ledger, keys: Keys) -> UfoCall:
    if keys.ufo2 or not action.app:
        cannot(NAME, action, "an app is started by a command of the shell")
    return UfoCall(opens=action.app)


def _api(action: Any, ledger: Ledger, keys: Keys) -> UfoCall:
    if APIS.get(action.function) != action.app or action.arguments.keys() & {"id", "name"}:
        cannot(NAME, action, f"{NAME} knows no function {action.function[:60]!r} of {action.app[:60]!r}")
    return UfoCall(action.function, dict(action.arguments))


def _extension(action: Any, ledger: Ledger, keys: Keys) -> UfoCall:
    owner, _, function = action.action_type.partition(".")
    if owner != f"x-{NAME}" or function not in CARRIED or action.arguments.keys() & {"id", "name"}:
        cannot(NAME, action)
    return UfoCall(function, dict(action.arguments))


def _ask(action: Any, ledger: Ledger, keys: Keys) -> UfoCall:
    ledger.drop(action, name="an answer has no name")
    return UfoCall(status="PENDING", questions=(action.question,))


_WRITERS: dict[type[Action], Callable[[Any, Ledger, Keys], UfoCall]] = {
    Click: _click,
    Drag: _drag,
    Type: _type,
    Fill: _type,
    PressKey: _keys,
    HoldKey: _hold,
    KeyDown: _down_or_up,
    KeyUp: _down_or_up,
    Scroll: _scroll,
    Wait: _wait,
    Screenshot: _screenshot,
    SwitchWindow: _window,
    RunScript: _script,
    LaunchApp: _launch,
    CallApi: _api,
    Extension: _extension,
    AskUser: _ask,
    FinishGoal: lambda action, ledger, keys: UfoCall(status="FINISH", comment=action.summary),
    FailGoal: lambda action, ledger, keys: UfoCall(status="FAIL", comment=action.reason),
}
