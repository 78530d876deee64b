"""Lines as AgentNet's data and OpenCUA's models write them, in both directions; OpenCUA's own bench reads what is written."""

import ast
import re

import pytest
from hypothesis import given
from written.dialect_cases import calls

import protocol as p
from protocol.dialects import Context
from protocol.dialects.python.agentnet import DIALECT

HERE = Context(screen=(1920, 1080))


AT = {"point": {"x": 0.25, "y": 0.5, "space": "norm1"}}


@pytest.mark.parametrize("x", [0, 1, 333, 641, 959, 1000, 1918, 1919])
def test_four_decimals_lose_no_pixel(x: int) -> None:
    text = DIALECT.write(p.Hover(target={"point": [x, 539]}), HERE).payload
    (hover,) = DIALECT.read(text, HERE).actions
    assert hover.target.point.to_px((1920, 1080)) == (x, 539)


@given(written=calls(DIALECT, HERE))
def test_what_is_written_is_one_call_a_line(written: list[str]) -> None:
    for line in "\n".join(written).splitlines():
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
