"""What OSWorld's own action space declares judges what is written for it; its executor's rules are repeated here as data."""

from __future__ import annotations

from hypothesis import given
from written.actions import every_action

import protocol as p
from protocol.dialects import Context, DialectError, Loss
from protocol.dialects.python.computer_13 import DIALECT, SPACE, from_computer_13

HERE = Context(screen=(1920, 1080))
AT = {"point": [10, 20]}
THERE = {"point": [300, 400]}

# desktop_env/actions.py of OSWorld: the parameters of each verb, the optional ones with a question mark
DECLARED = {
    "MOVE_TO": "x y", "CLICK": "button? x? y? num_clicks?", "MOUSE_DOWN": "button?", "MOUSE_UP": "button?",
    "RIGHT_CLICK": "x? y?", "DOUBLE_CLICK": "x? y?", "DRAG_TO": "x y", "SCROLL": "dx dy", "TYPING": "text", "PRESS": "key",
    "KEY_DOWN": "key", "KEY_UP": "key", "HOTKEY": "keys", "WAIT": "", "FAIL": "", "DONE": "",
}  # fmt: skip
KEYBOARD_KEYS = [
    "\t", "\n", "\r", *(chr(sign) for sign in range(32, 127) if not chr(sign).isupper()), "accept", "add", "alt", "altleft",
    "altright", "apps", "backspace", "browserback", "browserfavorites", "browserforward", "browserhome", "browserrefresh",
    "browsersearch", "browserstop", "capslock", "clear", "convert", "ctrl", "ctrlleft", "ctrlright", "decimal", "del", "delete",
    "divide", "down", "end", "enter", "esc", "escape", "execute", *(f"f{n}" for n in range(1, 25)), "final", "fn", "help", "home",
    "insert", "left", "multiply", "nexttrack", *(f"num{n}" for n in range(10)), "numlock", "pagedown", "pageup", "pause", "pgdn",
    "pgup", "playpause", "prevtrack", "print", "printscreen", "prntscrn", "prtsc", "prtscr", "return", "right", "scrolllock",
    "select", "separator", "shift", "shiftleft", "shiftright", "sleep", "stop", "subtract", "tab", "up", "volumedown",
    "volumemute", "volumeup", "win", "winleft", "winright", "yen", "command", "option", "optionleft", "optionright",
]  # fmt: skip


def test_the_flat_form_and_the_words_are_read() -> None:
    assert from_computer_13({"action_type": "CLICK", "x": 10, "y": 20}, HERE).actions == [p.Click(target=AT)]
    for word, action in (("WAIT", p.Wait(seconds=2.0)), ("DONE", p.FinishGoal()), ("FAIL", p.FailGoal())):
        assert from_computer_13(word, HERE).actions == [action]


def test_a_click_without_a_place_happens_where_the_pointer_is() -> None:
    twice = {"action_type": "CLICK", "parameters": {"button": "right", "num_clicks": 2}}
    press, release = p.MouseDown(button="right"), p.MouseUp(button="right")
    assert from_computer_13(twice, HERE).actions == [press, release, press, release]
    moved = [{"action_type": "MOVE_TO", "x": 10, "y": 20}, {"action_type": "CLICK"}]
    assert from_computer_13(moved, HERE).actions == [p.Click(target=AT)]


def test_a_drag_from_where_the_pointer_is_says_no_start() -> None:
    drag = {"action_type": "DRAG_TO", "parameters": {"x": 300, "y": 400}}
    assert from_computer_13(drag, HERE).actions == [p.MouseDown(), p.MouseUp(target=THERE)]


def test_up_is_positive_there_and_right_is_right_on_both_sides() -> None:
    down_and_right = p.Scroll(delta=p.Delta(x=4, y=7))
    assert DIALECT.write(down_and_right, HERE).payload["parameters"] == {"dx": 4, "dy": -7}


def test_pixels_are_never_taken_for_notches() -> None:
    payload, losses = DIALECT.write(p.Scroll(delta=p.Delta(y=240), unit="px"), HERE)
    assert payload["parameters"] == {"dx": 0, "dy": -2}
    assert losses == [Loss(what="scroll.unit", why="said as notch")]


def test_a_held_key_comes_up_again() -> None:
    payload, losses = DIALECT.write(p.HoldKey(keys=("Control", "a"), seconds=3), HERE)
    assert [(call["action_type"], call.get("parameters")) for call in payload] == [
        ("KEY_DOWN", {"key": "ctrl"}),
        ("KEY_DOWN", {"key": "a"}),
        ("WAIT", None),
        ("KEY_UP", {"key": "a"}),
        ("KEY_UP", {"key": "ctrl"}),
    ]
    assert [loss.what for loss in losses] == ["hold_key"]


def test_a_drag_through_points_or_with_another_button_is_pressed_moved_and_released() -> None:
    payload, losses = DIALECT.write(p.Drag(target=AT, to=THERE, path=([50, 60],), button="right"), HERE)
    assert [call["action_type"] for call in payload] == ["MOVE_TO", "MOUSE_DOWN", "MOVE_TO", "MOVE_TO", "MOUSE_UP"]
    assert losses == [Loss(what="drag", why="said as mouse_down, hover, mouse_up")]


@given(action=every_action)
def test_only_declared_verbs_parameters_and_keys_are_written(action: p.Action) -> None:
    try:
        payload = DIALECT.write(action, HERE).payload
    except DialectError:
        return
    for call in payload if isinstance(payload, list) else [payload]:
        parameters = call.get("parameters", {})
        declared = DECLARED[call["action_type"]].split()
        assert {name for name in declared if "?" not in name} <= set(parameters) <= {name.strip("?") for name in declared}
        assert ("x" in parameters) == ("y" in parameters)
        for key in [*parameters.get("keys", []), *([parameters["key"]] if "key" in parameters else [])]:
            assert key.lower() in KEYBOARD_KEYS


def test_the_space_is_the_declared_one() -> None:
    assert set(SPACE) == set(DECLARED)
