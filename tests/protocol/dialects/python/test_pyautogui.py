"""Python's own compiler and the signatures of pyautogui 0.9.54 judge what is written; no line of it is ever run."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable

import pytest
from hypothesis import given
from written.actions import every_action

import protocol as p
from protocol.dialects import Context, DialectError, Loss
from protocol.dialects.python.pyautogui import DIALECT, from_pyautogui

HERE = Context(screen=(1920, 1080))
AT = {"point": [10, 20]}
THERE = {"point": [300, 400]}
ELEMENTS = (
    p.GUIElement(element_id="a", text="Name", role="textbox", bbox=p.BoundingBox(x1=0, y1=0, x2=20, y2=20)),
    p.GUIElement(element_id="b", text="Below", visible=False),
    p.GUIElement(element_id="c", text="Save", role="button", bbox=p.BoundingBox(x1=40, y1=0, x2=60, y2=20)),
)
MARKED = Context(state=p.VisualState(elements=ELEMENTS), variant="som")

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


def read(text: str, context: Context = HERE) -> list[p.AgentAction]:
    return from_pyautogui(text, context).actions


def test_words_around_a_fence_are_no_action_and_that_is_said() -> None:
    answer = "I'll save it with `pyautogui.press()`.\n```python\npyautogui.hotkey('ctrl', 's')\n```\nThen it's done."
    assert from_pyautogui(answer, HERE) == (
        [p.PressKey(keys=("Control", "s"))],
        [Loss(what="words", why="words around the code are no action")],
    )


def test_what_is_lost_of_the_pace_is_declared() -> None:
    losses = from_pyautogui("pyautogui.PAUSE = 1\npyautogui.moveTo(1, 2, duration=1.5, tween=pyautogui.easeInQuad)", HERE).losses
    assert [loss.what for loss in losses] == ["PAUSE", "pyautogui.moveTo.duration"]
    assert from_pyautogui("pyautogui.moveTo(1, 2, duration=0)", HERE).losses == []


def test_a_fence_within_a_typed_text_is_text() -> None:
    hidden = 'pyautogui.write("""\n```python\npyautogui.click(1, 2)\n```\n""")'
    assert read(hidden) == [p.Type(text="\n```python\npyautogui.click(1, 2)\n```\n")]
    with pytest.raises(DialectError, match="code stands outside the fence"):
        read("```python\npyautogui.press('a')\n```\npyautogui.click(1, 2)")


def test_several_actions_can_be_joined() -> None:
    actions = [p.Click(target=AT), p.Type(text="a;b\n"), p.PressKey(keys=("Enter",)), p.FinishGoal()]
    assert read("\n".join(DIALECT.write(action, HERE).payload for action in actions)) == actions


@given(action=every_action)
def test_what_is_written_is_python_that_pyautogui_would_take(action: p.Action) -> None:
    try:
        text = DIALECT.write(action, HERE).payload
    except DialectError:
        return
    compile(text, "written", "exec")
    for statement in ast.parse(text).body:
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


def test_a_held_key_comes_up_again_and_a_held_button_is_let_go() -> None:
    held = DIALECT.write(p.HoldKey(keys=("Shift", "a"), seconds=2), HERE).payload
    assert held.splitlines() == [
        "pyautogui.keyDown('shift')",
        "pyautogui.keyDown('a')",
        "time.sleep(2.0)",
        "pyautogui.keyUp('a')",
        "pyautogui.keyUp('shift')",
    ]
    long = DIALECT.write(p.Click(target=AT, hold=1.5, modifiers=("Control",)), HERE).payload
    assert long.splitlines() == [
        "pyautogui.keyDown('ctrl')",
        "pyautogui.moveTo(10, 20)",
        "pyautogui.mouseDown()",
        "time.sleep(1.5)",
        "pyautogui.mouseUp()",
        "pyautogui.keyUp('ctrl')",
    ]


def test_setting_a_field_replaces_what_is_there() -> None:
    written = DIALECT.write(p.Fill(target=AT, text="Ada", submit=True), HERE)
    assert written.payload.splitlines() == [
        "pyautogui.click(10, 20)",
        "pyautogui.hotkey('ctrl', 'a')",
        "pyautogui.press('backspace')",
        "pyautogui.write('Ada')",
        "pyautogui.press('enter')",
    ]
    assert [loss.what for loss in written.losses] == ["fill"]


def test_tags_count_the_visible_elements_from_one() -> None:
    click = p.Click(target={"element_id": "c"})
    assert from_pyautogui("pyautogui.click(tag_2)", MARKED) == ([click], [])
    assert DIALECT.write(click, MARKED) == ("pyautogui.click(tag_2)", [])
    drag = p.Drag(target={"element_id": "c"}, to={"element_id": "a"})
    text = "pyautogui.moveTo(tag_2)\npyautogui.dragTo(tag_1, button='left')"
    assert (read(text, MARKED), DIALECT.write(drag, MARKED).payload) == ([drag], text)
    scroll = p.Scroll(target={"element_id": "a"}, delta=p.Delta(y=1))
    assert DIALECT.write(scroll, MARKED) == ("pyautogui.scroll(-1, x=tag_1)", [])
    assert read("pyautogui.scroll(-1, x=tag_1)", MARKED) == [scroll]


def test_a_tag_says_no_more_than_the_element_and_a_mere_place_has_none() -> None:
    written = DIALECT.write(p.Click(target={"text": "Save"}), MARKED)
    assert written == ("pyautogui.click(tag_2)", [Loss(what="target.text", why="only the element of it is said")])
    assert DIALECT.write(p.Click(target={"point": [50, 10]}), MARKED) == ("pyautogui.click(50, 10)", [])


@pytest.mark.parametrize(("text", "context"), [("pyautogui.click(tag_3)", MARKED), ("pyautogui.click(tag_0)", MARKED)])
def test_a_tag_that_is_not_on_the_screen_is_refused(text: str, context: Context) -> None:
    with pytest.raises(DialectError, match="on the screen; tags go up to 2"):
        read(text, context)


def test_a_tag_means_nothing_without_marks() -> None:
    with pytest.raises(DialectError, match="a literal is needed, not the name 'tag_1'"):
        read("pyautogui.click(tag_1)")


def test_a_thought_that_stands_as_a_text_among_the_calls_is_passed_over_and_told() -> None:
    thought = "'''\nThought:\nIt's there; pyautogui.click(1, 2) comes next\n'''"
    code = f"import pyautogui\nimport time\n{thought}\n\npyautogui.click(10.5, 20, button='left')"
    read = from_pyautogui(code, HERE)
    assert read.actions == [p.Click(target={"point": {"x": 10.5, "y": 20}})]
    assert [loss.what for loss in read.losses] == ["words"]
    for nothing in ("'''pyautogui.click(1, 2)'''", '"DONE"', "'''pyautogui.click(1, 2)"):
        with pytest.raises(DialectError):
            from_pyautogui(nothing, HERE)


def test_names_stand_for_the_literals_that_were_given_to_them_last() -> None:
    code = "x, y = 10, 20\npyautogui.click(x, y)\nx, y = (300, 400)\npyautogui.click(x=x, y=y)\n"
    code += 'words = "it\'s"\npyautogui.write(words)'
    assert from_pyautogui(code, HERE) == ([p.Click(target=AT), p.Click(target=THERE), p.Type(text="it's")], [])


@pytest.mark.parametrize(
    "code",
    ["pyautogui.click(x, 2)\nx = 1", "x = y\npyautogui.click(x, 2)", "x, y = 1\npyautogui.click(x, y)",
     "x = pyautogui.position()", "x = 1 + 1\npyautogui.click(x, 2)", "x, y = [1, z]\npyautogui.click(x, y)"],
)  # fmt: skip
def test_a_name_without_a_literal_is_refused_with_its_place(code: str) -> None:
    with pytest.raises(DialectError, match="line 1, column 1"):
        from_pyautogui(code, HERE)


@pytest.mark.parametrize(
    ("loop", "written_out"),
    [
        ("for _ in range(2):\n    pyautogui.press('a')\n    pyautogui.press('b')", "pyautogui.press(['a', 'b', 'a', 'b'])"),
        ("for n in range(6, 1, -2): pyautogui.moveTo(n, 5); pyautogui.click()",
         "pyautogui.click(6, 5)\npyautogui.click(4, 5)\npyautogui.click(2, 5)"),
        ("for at, word in [(1, 'a: b'), (2, \"c\")]:\n    pyautogui.click(at, 9)\n    pyautogui.write(word)\n"
         "pyautogui.write(word)",
         "pyautogui.click(1, 9)\npyautogui.write('a: b')\npyautogui.click(2, 9)\npyautogui.write('c')\npyautogui.write('c')"),
        ("for u in (\n    'x',\n    'http://y: z',\n):\n    pyautogui.write(u)",
         "pyautogui.write('x')\npyautogui.write('http://y: z')"),
        ("for n in range(0):\n    pyautogui.press('a')\npyautogui.press('b')", "pyautogui.press('b')"),
        ("import pyautogui as pg\nwith pg.hold('shift'):\n    pg.press('left')",
         "pyautogui.keyDown('shift')\npyautogui.press('left')\npyautogui.keyUp('shift')"),
    ],
)  # fmt: skip
def test_a_loop_over_literals_and_a_held_key_stand_for_what_they_do(loop: str, written_out: str) -> None:
    assert from_pyautogui(loop, HERE) == from_pyautogui(written_out, HERE)


@pytest.mark.parametrize(
    "body",
    ["    pyautogui.press('a')\n    break", "    if n:\n        pyautogui.press('a')",
     "    pyautogui.press('a')\nelse:\n    pass", "    for k in range(2):\n        pyautogui.press('a')"],
)  # fmt: skip
def test_a_loop_that_may_end_otherwise_is_refused_whole(body: str) -> None:
    for turns in ("range(2)", "['a', 'b']"):
        with pytest.raises(DialectError, match="line 1, column 1: what is done here is only known when it is run"):
            from_pyautogui(f"for n in {turns}:\n{body}\npyautogui.press('z')", HERE)


@pytest.mark.parametrize(
    "turns", ["range(9999999999999999999999)", "range(1, 2, 0)", "range()", "keys", "[a, b]", "{'a': 1}", "'ab'"]
)
def test_a_loop_over_what_is_no_short_list_is_refused_whole(turns: str) -> None:
    with pytest.raises(DialectError, match="only known when it is run"):
        from_pyautogui(f"for n in {turns}:\n    pyautogui.press('a')", HERE)


def test_what_is_copied_and_pasted_at_once_is_typed() -> None:
    code = "import pyperclip\npyperclip.copy('Gr\u00f6\u00dfe \u5927')\npyautogui.hotkey('ctrl', 'v')\npyautogui.press('enter')"
    read = from_pyautogui(code, HERE)
    assert read.actions == [p.Type(text="Gr\u00f6\u00dfe \u5927"), p.PressKey(keys="Enter")]
    assert [loss.what for loss in read.losses] == ["pyperclip.copy"]


def test_what_is_only_copied_is_carried_and_pasted_later_as_keys() -> None:
    code = "import pyperclip\npyperclip.copy(text='a')"
    copy = p.parse_action({"action_type": "x-pyautogui.copy", "arguments": {"text": "a"}})
    assert from_pyautogui(code, HERE) == ([copy], [])
    assert DIALECT.write(copy, HERE) == (code, [])
    later = from_pyautogui(code + "\npyautogui.press('a')\npyautogui.hotkey('ctrl', 'v')", HERE)
    assert later == ([copy, p.PressKey(keys="a"), p.PressKey(keys="ctrl+v")], [])
    with pytest.raises(DialectError, match=r"pyautogui\.copy"):
        from_pyautogui("pyautogui.copy('a')", HERE)
