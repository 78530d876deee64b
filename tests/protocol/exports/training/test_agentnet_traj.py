"""AgentNet's trajectories: a task a line, the picture before each step, and a mistake that costs its own step only."""

import json
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from written.runs import INFO, Written, core, infos, lines_of, step, steps

import protocol as p
from protocol import ActionResult, ActionTarget, CallApi, Click, Coordinate, FinishGoal, InteractionStep, Picture, Type
from protocol.exports import RunInfo, format_named

FORM = format_named("agentnet_traj")
HERE = ActionTarget(point=Coordinate(x=0.1632, y=0.2711, space="norm1"))


def read(path: Path) -> list[Any]:
    return list(FORM.read(path).lines)


RUN = [
    step(Click(target=HERE), reasoning="first", step=1, subtask="s1", role="operator", pictures=(Picture(path="a.png"),)),
    step(Type(text='it\'s "so"\n'), step=2, result=ActionResult(exec_status=p.ExecStatus.ERROR, error="no")),
    step(CallApi(app="x", function="y")),
    step(FinishGoal(), step=4),
]
FIRST = {
    "observation": "A spreadsheet", "thought": "Since this is the first action", "action": "Click on cell C2",
    "code": "pyautogui.click(x=0.1632, y=0.2711)", "last_step_correct": True, "reflection": "It is selected",
}  # fmt: skip
THEIRS = {
    "task_id": "20240101", "instruction": "Sort the table", "task_completed": False, "traj": [
        {"index": 0, "image": "ea83.png", "value": FIRST},
        {"index": 1, "image": "ea84.png", "value": {"thought": "", "action": "", "code": "import os\nos.remove(1)"}},
        {"index": 2, "image": "/abs.png", "value": {"code": "pyautogui.write(message='a')\npyautogui.press('enter')"}},
        {"index": 3, "image": "ea86.png", "value": {"action": "done"}},
        {"index": 4, "image": "ea87.png", "value": {"code": "computer.terminate(status='success')"}},
    ],
}  # fmt: skip


@given(st.lists(steps, max_size=6), infos)
def test_every_run_is_one_line_of_agentnet(run: list[InteractionStep], info: RunInfo) -> None:
    with Written(FORM, run, info) as written:
        assert FORM.read(written.path).info == info
        [line] = written.text.splitlines()
        task = json.loads(line)
        assert isinstance(task["task_id"], str)
        assert task["instruction"] == info.goal
        for item in task["traj"]:
            assert item["image"] == "" or (written.path.parent / item["image"]).is_file()
            assert {"code", "observation", "thought", "action", "reflection"} == set(item["value"])
            assert all(isinstance(text, str) for text in item["value"].values())


def test_a_run_is_told_as_agentnet_tells_it() -> None:
    with Written(FORM, RUN) as written:
        task = json.loads(written.text)
        back = read(written.path)
        assert FORM.read(written.path).info == INFO
        assert {loss.what for loss in written.losses} == {"action", "picture"}
        taken = (written.path.parent / task["traj"][0]["image"]).read_bytes()
        assert taken == (written.path.parent.parent / "log" / "a.png").read_bytes()
    assert (task["task_id"], task["task_completed"]) == ("r1", True)
    assert [item["index"] for item in task["traj"]] == [0, 1, 3]
    first, second = (item["value"] for item in task["traj"][:2])
    assert (first["code"], first["thought"]) == ("pyautogui.click(x=0.1632, y=0.2711)", "first")
    assert first["action"] == 'click "0.1632, 0.2711 norm1"'
    assert second["reflection"] == "no"
    assert [core(line.step) for line in back] == [core(RUN[n]) for n in (0, 1, 3)]
    assert back[0].step.pictures[0].moment == "before"


def test_their_tasks_are_read_and_a_mistake_costs_its_own_step(tmp_path: Path) -> None:
    tasks: list[Any] = [THEIRS, 7, {"task_id": "b", "traj": [{"image": "ea83.png", "value": FIRST}]}]
    about = {"run_id": "20240101", "goal": "Sort the table", "outcome": "rejected"}
    lines = lines_of("agentnet_traj", tmp_path, tasks, **about)
    assert [(line.number, line.step.action.verb if line.step else line.error) for line in lines] == [
        (1, "click"),
        (1, lines[1].error),
        (1, "type"),
        (1, "press_key"),
        (1, "$.traj[3].value.code: a text is needed"),
        (1, "finish_goal"),
        (2, "$.traj: a task has a list of steps"),
        (3, "click"),
    ]
    assert lines[1].error.startswith("$.traj[1].value.code: agentnet: line 2, column 1")
    first = lines[0].step
    assert first.action == Click(target=HERE)
    assert first.reasoning == "Since this is the first action"
    assert first.pictures == (Picture(path="ea83.png", moment="before"),)
    assert first.visual_state.screenshot_path == "ea83.png"
    assert (first.run_id, lines[-1].step.run_id) == ("20240101", "b")
    assert first.raw["reflection"] == "It is selected"
    assert lines[2].step.pictures == ()
