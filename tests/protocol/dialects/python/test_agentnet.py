"""Lines as AgentNet's data and OpenCUA's models write them, in both directions; OpenCUA's own bench reads what is written."""

from __future__ import annotations

import ast
import re
from typing import Any

import pytest
from hypothesis import given
from written.actions import every_action

import protocol as p
from protocol.dialects import Context, DialectError, Loss
from protocol.dialects.python.agentnet import DIALECT, from_agentnet

HERE = Context(screen=(1920, 1080))
SEEN = Context(screen=(1920, 1080), image=(1280, 720), variant="image")
SCREEN = Context(screen=(1920, 1080), variant="image")


def share(x: float, y: float) -> dict[str, Any]:
    return {"point": {"x": x, "y": y, "space": "norm1"}}


AT = share(0.25, 0.5)


def read(text: str, context: Context = HERE) -> list[p.AgentAction]:
    return from_agentnet(text, context).actions


def test_a_whole_answer_is_read_by_its_code() -> None:
    answer = "## Action:\nOpen the menu (File).\n\n## Code:\n```python\npyautogui.click(x=0.25, y=0.5)\n```\n"
    assert from_agentnet(answer, HERE) == (
        [p.Click(target=AT)],
        [Loss(what="words", why="words around the code are no action")],
    )


def test_places_have_four_decimals_and_what_that_costs_is_said() -> None:
    assert DIALECT.write(p.Click(target={"point": [641, 360]}), HERE) == (
        "pyautogui.click(x=0.3339, y=0.3333)",
        [Loss(what="target.point", why="said in norm1 instead of px")],
    )
    assert DIALECT.write(p.Click(target=share(0.123456, 0.5)), HERE) == (
        "pyautogui.click(x=0.1235, y=0.5)",
        [Loss(what="target.point", why="said in norm1")],
    )


@pytest.mark.parametrize("x", [0, 1, 333, 641, 959, 1000, 1918, 1919])
def test_four_decimals_lose_no_pixel(x: int) -> None:
    text = DIALECT.write(p.Hover(target={"point": [x, 539]}), HERE).payload
    (hover,) = read(text)
    assert hover.target.point.to_px((1920, 1080)) == (x, 539)


def test_opencua_answers_in_pixels_of_its_picture() -> None:
    seen = {"point": {"x": 640, "y": 360, "space": "image", "image_size": (1280, 720)}}
    assert from_agentnet("pyautogui.click(x=640, y=360)", SEEN) == ([p.Click(target=seen)], [])
    assert DIALECT.write(p.Click(target=seen), SEEN) == ("pyautogui.click(x=640, y=360)", [])
    assert read("pyautogui.click(x=640, y=360)", SCREEN) == [p.Click(target={"point": [640, 360]})]


def test_a_space_is_never_guessed_from_the_size_of_a_number() -> None:
    with pytest.raises(DialectError, match="numbers in space 'norm1' lie between 0 and 1") as refused:
        read("pyautogui.press(keys=['a'])\npyautogui.click(x=640, y=360)")
    assert refused.value.where == "line 2, column 1"
    assert read("pyautogui.click(x=1, y=1)") == [p.Click(target=share(1, 1))]


def test_case_means_nothing_within_a_chord() -> None:
    assert read("pyautogui.hotkey(keys=['ctrl', 'F'])") == read("pyautogui.hotkey(keys=['ctrl', 'f'])")
    assert DIALECT.write(p.PressKey(keys=("Control", "F")), HERE).losses == [Loss(what="press_key.keys", why="said otherwise")]


def test_setting_a_field_clears_it_first() -> None:
    written = DIALECT.write(p.Fill(target=AT, text="Ada", submit=True), HERE)
    assert written.payload.splitlines() == [
        "browser.clear(x=0.25, y=0.5)",
        "pyautogui.click(x=0.25, y=0.5)",
        "pyautogui.write(message='Ada')",
        "pyautogui.press(keys=['enter'])",
    ]
    assert [loss.what for loss in written.losses] == ["fill"]


@given(action=every_action)
def test_what_is_written_is_one_call_a_line(action: p.Action) -> None:
    try:
        text = DIALECT.write(action, HERE).payload
    except DialectError:
        return
    for line in text.split("\n"):
        (statement,) = ast.parse(line).body
        assert re.match(r"(pyautogui|computer|browser|mobile)\.\w+\(|answer\(", line)
        assert isinstance(statement, ast.Expr)
        assert isinstance(statement.value, ast.Call)


def test_the_bench_of_opencua_finds_its_arguments() -> None:
    """The patterns of `evaluation/agentnetbench/agent/opencua.py`."""
    click = DIALECT.write(p.Click(target=AT), HERE).payload
    found = re.search(r"x=([\d.]+),\s*y=([\d.]+)", click)
    assert found
    assert tuple(map(float, found.groups())) == (0.25, 0.5)
    scroll = DIALECT.write(p.Scroll(target=AT, delta=p.Delta(y=3)), HERE).payload
    assert re.search(r"pyautogui\.scroll\(([-\d]+)\)", scroll.splitlines()[-1])
    chord = DIALECT.write(p.PressKey(keys=("Control", "c")), HERE).payload
    assert re.findall(r"keys=\[(.*?)\]", chord) == ["'ctrl', 'c'"]
    end = DIALECT.write(p.FailGoal(), HERE).payload
    assert re.search(r"status=['\"](\w+)['\"]", end)
