"""What OSWorld's own action space declares judges what is written for it; its executor's rules are repeated here as data."""

from typing import Any

from hypothesis import given
from written.dialect_cases import calls

from protocol.dialects import Context
from protocol.dialects.python.computer_13 import DIALECT, SPACE

HERE = Context(screen=(1920, 1080))

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


@given(written=calls(DIALECT, HERE))
def test_only_declared_verbs_parameters_and_keys_are_written(written: list[Any]) -> None:
    for call in written:
        parameters = call.get("parameters", {})
        declared = DECLARED[call["action_type"]].split()
        assert {name for name in declared if "?" not in name} <= set(parameters) <= {name.strip("?") for name in declared}
        assert ("x" in parameters) == ("y" in parameters)
        for key in [*parameters.get("keys", []), *([parameters["key"]] if "key" in parameters else [])]:
            assert key.lower() in KEYBOARD_KEYS


def test_the_space_is_the_declared_one() -> None:
    assert set(SPACE) == set(DECLARED)
