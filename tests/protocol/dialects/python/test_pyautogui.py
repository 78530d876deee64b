"""Python's own compiler and the signatures of pyautogui 0.9.54 judge what is written; no line of it is ever run."""

import ast
import inspect
from collections.abc import Callable

from hypothesis import given
from written.dialect_cases import calls

from protocol.dialects import Context
from protocol.dialects.python.pyautogui import DIALECT

HERE = Context(screen=(1920, 1080))

SIGNATURES: dict[str, Callable[..., None]] = {
    "click": lambda x=None, y=None, clicks=1, interval=0.0, button="primary", duration=0.0, tween=None: None,
    "rightClick": lambda x=None, y=None, interval=0.0, duration=0.0, tween=None: None,
    "middleClick": lambda x=None, y=None, interval=0.0, duration=0.0, tween=None: None,
    "doubleClick": lambda x=None, y=None, interval=0.0, button="left", duration=0.0, tween=None: None,
    "tripleClick": lambda x=None, y=None, interval=0.0, button="left", duration=0.0, tween=None: None,
    "mouseDown": lambda x=None, y=None, button="primary", duration=0.0, tween=None: None,
    "mouseUp": lambda x=None, y=None, button="primary", duration=0.0, tween=None: None,
    "moveTo": lambda x=None, y=None, duration=0.0, tween=None: None,
    "dragTo": lambda x=None, y=None, duration=0.0, tween=None, button="primary", mouseDownUp=True: None,
    "scroll": lambda clicks, x=None, y=None: None,
    "hscroll": lambda clicks, x=None, y=None: None,
    "write": lambda message, interval=0.0: None,
    "press": lambda keys, presses=1, interval=0.0: None,
    "hotkey": lambda *args, interval=0.0: None,
    "keyDown": lambda key: None,
    "keyUp": lambda key: None,
    "screenshot": lambda imageFilename=None, region=None: None,
    "move": lambda xOffset=None, yOffset=None, duration=0.0, tween=None: None,
}


@given(written=calls(DIALECT, HERE))
def test_what_is_written_is_python_that_pyautogui_would_take(written: list[str]) -> None:
    for statement in ast.parse("\n".join(written)).body:
        assert isinstance(statement, ast.Expr)
        call = statement.value
        if isinstance(call, ast.Name):
            assert call.id in ("DONE", "FAIL")
            continue
        assert isinstance(call, ast.Call)
        name = ast.unparse(call.func)
        if name != "time.sleep":
            arguments = {str(word.arg): ast.literal_eval(word.value) for word in call.keywords}
            signature = inspect.signature(SIGNATURES[name.removeprefix("pyautogui.")])
            signature.bind(*map(ast.literal_eval, call.args), **arguments)
