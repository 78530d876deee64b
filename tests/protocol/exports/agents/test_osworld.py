"""OSWorld's trajectories: a line a step, the picture after it, and every action of theirs as text or as an object."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from written.runs import BLANK, INFO, Written, infos, steps

import protocol as p
from protocol import ActionTarget, Click, Coordinate, FinishGoal, InteractionStep, Navigate, Picture, PressKey, Scroll, Type
from protocol.exports import RunInfo, format_named

FORM = format_named("osworld")
HERE = ActionTarget(point=Coordinate(x=10, y=20))


def read(path: Path) -> list[Any]:
    return list(FORM.read(path).lines)


def theirs(tmp_path: Path, *lines: Any) -> Path:
    path = tmp_path / "traj.jsonl"
    path.write_text("".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines))
    return path


def step(action: Any, **fields: Any) -> InteractionStep:
    return InteractionStep(**{"timestamp": 1735689600.0, "visual_state": BLANK, "action": action, **fields})


RUN = [
    step(Click(target=HERE), reasoning="first", step=1, subtask="s1", role="operator", pictures=(Picture(path="a.png"),)),
    step(Type(text='it\'s "so"\n'), step=2, result=p.ActionResult(exec_status=p.ExecStatus.ERROR, error="no")),
    step(Navigate(url="http://x")),
    step(FinishGoal()),
]


@given(st.lists(steps, max_size=6), infos)
def test_every_line_has_the_keys_of_osworld(run: list[InteractionStep], info: RunInfo) -> None:
    with Written(FORM, run, info) as written:
        lines = [json.loads(line) for line in written.text.splitlines()]
        assert not lines or FORM.read(written.path).info == info
        assert [line["step_num"] for line in lines] == list(range(1, len(lines) + 1))
        for line in lines:
            assert isinstance(line["action"], str)
            assert isinstance(line["response"], str)
            assert (line["reward"], type(line["done"]), type(line["info"])) == (0, bool, dict)
            assert line["screenshot_file"] is None or (written.path.parent / line["screenshot_file"]).is_file()


def test_a_run_is_told_as_osworld_tells_it() -> None:
    with Written(FORM, RUN) as written:
        first, second, last = (json.loads(line) for line in written.text.splitlines())
        assert {loss.what for loss in written.losses} == {"action", "picture"}
        back = read(written.path)
        assert FORM.read(written.path).info == INFO
    assert (first["action"], first["response"]) == ("pyautogui.click(10, 20)", "first")
    assert first["action_timestamp"] == "20250101@000000"
    assert (second["step_num"], second["done"]) == (2, False)
    assert (last["action"], last["done"], last["info"]["done"]) == ("DONE", True, True)
    assert [line.step.action.verb for line in back] == ["click", "type", "finish_goal"]
    assert (back[0].step.subtask, back[0].step.role, back[0].step.step) == ("s1", "operator", 1)
    assert back[1].step.result == RUN[1].result


def test_giving_up_is_their_fail() -> None:
    with Written(FORM, [step(p.FailGoal())]) as written:
        line = json.loads(written.text)
        assert (line["action"], line["done"], line["info"]["fail"]) == ("FAIL", True, True)


def test_the_picture_is_the_one_after_the_action() -> None:
    run = [
        step(Click(target=HERE), pictures=(Picture(path="a.png"),)),
        step(Click(target=HERE), pictures=(Picture(path="b.png"),)),
    ]
    with Written(FORM, run) as written:
        first, second = (json.loads(line) for line in written.text.splitlines())
        taken = (written.path.parent / first["screenshot_file"]).read_bytes()
        assert taken == (written.path.parent.parent / "log" / "b.png").read_bytes()
        assert len(first["screenshot_sha256"]) == 64
        assert second["screenshot_file"] is None
        moments = [picture.moment for picture in read(written.path)[0].step.pictures]
        assert moments == ["before", "after"]


def test_the_lines_of_others_are_read(tmp_path: Path) -> None:
    path = theirs(
        tmp_path,
        {"step_num": 1, "action_timestamp": "20240102@030405", "action": "pyautogui.click(100, 200)", "response": "Click it",
         "reward": 0, "done": False, "info": {}, "screenshot_file": "step_1_20240102@030405.png"},
        {"step_num": 2, "action_timestamp": "20240102@030406123456",
         "action": "pyautogui.hotkey('ctrl', 's'); pyautogui.scroll(-3)"},
        {"step_num": 3, "action": {"action_type": "CLICK", "parameters": {"x": 5, "y": 6}}},
        {"step_num": 4, "action": {"action_type": "tool_use", "command": "pyautogui.press('enter')", "raw_response": "so"}},
        {"step_num": 5, "action": {"action_space": "pyautogui", "action": "pyautogui.press('tab')", "call_id": "c"}},
        {"step_num": 6, "action": ["pyautogui.press('up')", "pyautogui.press('down')"]},
        {"step_num": 7, "action": {"action_type": "OTHER", "command": "pyautogui.press('left')"}},
        {"step_num": 8, "action": "DONE"},
    )  # fmt: skip
    lines = read(path)
    assert [(line.number, line.step.step, line.step.action) for line in lines] == [
        (1, 1, Click(target=ActionTarget(point=Coordinate(x=100, y=200)))),
        (2, 2, PressKey(keys=("Control", "s"))),
        (2, 2, Scroll(delta=p.Delta(y=3))),
        (3, 3, Click(target=ActionTarget(point=Coordinate(x=5, y=6)))),
        (4, 4, PressKey(keys=("Enter",))),
        (5, 5, PressKey(keys=("Tab",))),
        (6, 6, PressKey(keys=("ArrowUp",))),
        (6, 6, PressKey(keys=("ArrowDown",))),
        (7, 7, PressKey(keys=("ArrowLeft",))),
        (8, 8, FinishGoal()),
    ]
    first = lines[0].step
    assert first.reasoning == "Click it"
    assert first.timestamp == 1704164645.0
    assert first.pictures == (Picture(path="step_1_20240102@030405.png", moment="after"),)
    assert first.visual_state.screen_resolution == (1920, 1080)
    assert first.raw["reward"] == 0
    assert lines[1].step.timestamp == 1704164646.123456
    assert lines[4].step.raw["action"]["raw_response"] == "so"


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("7", "$: a line is an object"),
        ({"Error": "Time limit exceeded in x"}, "$.action: is missing; the harness says Time limit exceeded in x"),
        ({"action": None}, "$.action: a text or an object is needed"),
        ({"action": "import os; os.system('rm -rf /')"}, "$.action: pyautogui: line 1"),
        ({"action": "pyautogui.dance(1)"}, "$.action: pyautogui: line 1, column 1"),
        ({"action": {"action_type": "DANCE"}}, "$.action: computer_13: $.action_type"),
        ({"action": {"action_type": "tool_use"}}, "$.action: a text or an object is needed"),
        ({"action": "DONE", "step_num": -1}, "$.step: Input should be greater than or equal to 0"),
        ('{"action": "DONE", "reward": NaN}', "NaN is not a number in JSON"),
        ('{"action": "DO', "$: not JSON: Unterminated string starting, column 12"),
    ],
)
def test_a_line_that_is_not_understood_is_told_with_its_number_and_the_rest_is_read(
    tmp_path: Path, line: Any, error: str
) -> None:
    first, bad, last = read(theirs(tmp_path, {"action": "DONE"}, line, {"action": "FAIL"}))
    assert bad.number == 2
    assert bad.step is None
    assert error in bad.error
    assert (first.step.action.verb, last.number, last.step.action.verb) == ("finish_goal", 3, "fail_goal")


def test_a_line_that_is_cut_off_says_so(tmp_path: Path) -> None:
    path = tmp_path / "traj.jsonl"
    path.write_bytes('{"action": "DONE"}\n\n{"action": "pyautogui.write(\'Grö'.encode()[:-1])
    first, cut = read(path)
    assert first.step
    assert cut.number == 3
    assert cut.error.endswith("(the line is cut off)")


def test_a_picture_that_is_named_by_an_absolute_path_is_not_followed(tmp_path: Path) -> None:
    [line] = read(theirs(tmp_path, {"action": "DONE", "screenshot_file": "/etc/passwd"}))
    assert line.step.pictures == ()
    assert line.step.raw["screenshot_file"] == "/etc/passwd"
