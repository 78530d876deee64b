"""OSWorld's trajectories: a line a step, the picture after it, and every action of theirs as text or as an object."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from written.runs import INFO, Written, infos, lines_of, step, steps

import protocol as p
from protocol import ActionTarget, Click, Coordinate, FinishGoal, InteractionStep, Navigate, Picture, Type
from protocol.dsl import emit
from protocol.exports import RunInfo, format_named

FORM = format_named("osworld")
HERE = ActionTarget(point=Coordinate(x=10, y=20))


def read(path: Path) -> list[Any]:
    return list(FORM.read(path).lines)


RUN = [
    step(Click(target=HERE), reasoning="first", step=1, subtask="s1", role="operator", pictures=(Picture(path="a.png"),)),
    step(Type(text='it\'s "so"\n'), step=2, result=p.ActionResult(exec_status=p.ExecStatus.ERROR, error="no")),
    step(Navigate(url="http://x")),
    step(FinishGoal()),
]


LISTED = [{"action": "pyautogui.click(10, 20)"}, {"action": "DONE"}]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (json.dumps(LISTED), ["click at (10, 20)", "finish"]),
        (json.dumps(LISTED, indent=1), ["click at (10, 20)", "finish"]),
        (json.dumps(LISTED, indent=1)[:-8], ["click at (10, 20)", "!"]),
        ("[1]\n" + json.dumps(LISTED[1]), ["!", "finish"]),
    ],
)
def test_a_list_is_read_item_by_item_in_place_of_lines(tmp_path: Path, text: str, expected: list[str]) -> None:
    path = tmp_path / "traj.json"
    path.write_text(text, encoding="utf-8")
    assert [emit(line.step.action) if line.step else "!" for line in read(path)] == expected


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
    shot = "step_1_20240102@030405.png"
    first = {"step_num": 1, "action_timestamp": "20240102@030405", "action": "pyautogui.click(100, 200)", "reward": 0}
    stamped = {"action_timestamp": "20240102@030406123456", "action": "pyautogui.hotkey('ctrl', 's'); pyautogui.scroll(-3)"}
    said = [
        {**first, "response": "Click it", "done": False, "info": {}, "screenshot_file": shot},
        {"step_num": 2, **stamped},
        {"step_num": 3, "action": {"action_type": "CLICK", "parameters": {"x": 5, "y": 6}}},
        {"step_num": 4, "action": {"action_type": "tool_use", "command": "pyautogui.press('enter')", "raw_response": "so"}},
        {"step_num": 5, "action": {"action_space": "pyautogui", "action": "pyautogui.press('tab')", "call_id": "c"}},
        {"step_num": 6, "action": ["pyautogui.press('up')", "pyautogui.press('down')"]},
        {"step_num": 7, "action": {"action_type": "OTHER", "command": "pyautogui.press('left')"}},
        {"step_num": 8, "action": "DONE"},
    ]
    lines = lines_of("osworld", tmp_path, said)
    assert [(line.number, line.step and line.step.step, line.step and emit(line.step.action)) for line in lines] == [
        (1, 1, "click at (100, 200)"), (2, 2, "press Control+s"), (2, 2, "scroll down 3"), (3, 3, "click at (5, 6)"),
        (4, 4, "press Enter"), (5, 5, "press Tab"), (6, 6, "press ArrowUp"), (6, 6, "press ArrowDown"), (7, 7, "press ArrowLeft"),
        (8, 8, "finish"),
    ]  # fmt: skip
    one, two, four = (lines[n].step for n in (0, 1, 4))
    assert one and two and four  # noqa: PT018
    assert one.reasoning == "Click it"
    assert one.timestamp == 1704164645.0
    assert one.pictures == (Picture(path=shot, moment="after"),)
    assert one.visual_state.screen_resolution == (1920, 1080)
    assert one.raw["reward"] == 0
    assert two.timestamp == 1704164646.123456
    assert four.raw["action"]["raw_response"] == "so"


def test_a_line_that_is_cut_off_says_so(tmp_path: Path) -> None:
    path = tmp_path / "traj.jsonl"
    path.write_bytes('{"action": "DONE"}\n\n{"action": "pyautogui.write(\'Grö'.encode()[:-1])
    first, cut = read(path)
    assert first.step
    assert cut.number == 3
    assert cut.error.endswith("(the line is cut off)")


def test_a_picture_that_is_named_by_an_absolute_path_is_not_followed(tmp_path: Path) -> None:
    [line] = lines_of("osworld", tmp_path, [{"action": "DONE", "screenshot_file": "/etc/passwd"}])
    assert line.step
    assert line.step.pictures == ()
    assert line.step.raw["screenshot_file"] == "/etc/passwd"
