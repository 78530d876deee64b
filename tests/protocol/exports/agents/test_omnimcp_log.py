"""OmniMCP's run logs: every executed action with the screen that it was chosen on; its own errors are no actions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from written.runs import png

from protocol import BoundingBox, Click, ExecStatus, FailGoal, FinishGoal, Picture, PressKey, Scroll, Type, Wait
from protocol.exports import format_named

FORM = format_named("omnimcp_log")

TRACKED = [
    {
        "track_id": "track_0",
        "latest_element": {
            "id": 0,
            "type": "button",
            "content": "OK",
            "bounds": [0.1, 0.2, 0.3, 0.4],
            "confidence": 0.9,
            "attributes": {},
        },
        "consecutive_misses": 0,
        "last_seen_frame": 1,
    },
    {
        "track_id": "track_1",
        "latest_element": {"id": 1, "type": "text_field", "content": "", "bounds": [0.9, 0.9, 0.2, 0.2], "attributes": {}},
        "consecutive_misses": 0,
        "last_seen_frame": 1,
    },
    {"track_id": "track_2", "latest_element": None, "consecutive_misses": 2, "last_seen_frame": 0},
]


def logged(action: str, target: int | None = None, *, complete: bool = False, why: str = "", **more: Any) -> dict[str, Any]:
    """A line as OmniMCP's LoggedStep has it."""
    parameters = more.pop("parameters", {})
    decision = {
        "analysis_reasoning": why,
        "action_type": action,
        "target_element_id": target,
        "parameters": parameters,
        "is_goal_complete": complete,
    }
    return {
        "step_index": 0,
        "timestamp": 1743900000.5,
        "goal": "say OK",
        "screenshot_path": "step_1_state_raw.png",
        "input_elements_count": 2,
        "tracking_context": TRACKED,
        "action_history_at_step": ["Step 1: Planned click"],
        "llm_analysis": None,
        "llm_decision": decision,
        "raw_llm_action_plan": None,
        "executed_action": action,
        "executed_target_element_id": target,
        "executed_parameters": parameters,
        "action_success": True,
        "perception_time_s": 1.0,
        "planning_time_s": 2.0,
        "execution_time_s": 0.1,
        "step_time_s": 3.1,
        **more,
    }


def run(tmp_path: Path, *lines: Any) -> Path:
    path = tmp_path / "20250406_120000" / "run_log.jsonl"
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines), encoding="utf-8")
    return path


def read(path: Path) -> list[Any]:
    return list(FORM.read(path).lines)


def test_a_run_is_read_with_what_was_seen(tmp_path: Path) -> None:
    path = run(tmp_path, logged("click", 0, why="it says OK"))
    (path.parent / "step_1_state_raw.png").write_bytes(png(200, 100))
    info = FORM.read(path).info
    assert (info.run_id, info.goal, info.agent) == ("20250406_120000", "say OK", "omnimcp")
    (line,) = read(path)
    assert line.error == ""
    step = line.step
    assert step.action == Click(target={"element_id": "0"})
    assert (step.timestamp, step.step, step.run_id, step.reasoning) == (1743900000.5, 0, "20250406_120000", "it says OK")
    assert step.result.exec_status is ExecStatus.EXECUTED
    assert step.pictures == (Picture(path="step_1_state_raw.png"),)
    assert step.visual_state.screen_resolution == (200, 100)
    button, field = step.visual_state.elements
    assert (button.element_id, button.track_id, button.text, button.role) == ("0", "track_0", "OK", "button")
    assert (button.bbox, button.confidence) == (BoundingBox(x1=20, y1=20, x2=80, y2=60), 0.9)
    assert (field.role, field.bbox) == ("textbox", BoundingBox(x1=180, y1=90, x2=200, y2=100))
    assert step.raw["tracking_context"] == TRACKED
    assert step.raw["planning_time_s"] == 2.0
    assert "goal" not in step.raw


def test_without_its_picture_an_element_has_no_pixels(tmp_path: Path) -> None:
    (line,) = read(run(tmp_path, logged("click", 0)))
    assert [element.bbox for element in line.step.visual_state.elements] == [None, None]


def test_each_action_is_what_was_executed(tmp_path: Path) -> None:
    lines = read(
        run(
            tmp_path,
            logged("type", 1, parameters={"text_to_type": "hi"}),
            logged("press_key", parameters={"key_info": "Cmd+Space"}),
            logged("scroll", parameters={"scroll_direction": "down", "scroll_steps": 4}),
            logged("wait", parameters={"wait_duration_s": 2.0}, action_success=False),
            logged("finish", complete=True, why="it is there"),
            logged("click", 0, complete=True, why="it was there"),
            logged("finish", why="stuck"),
        )
    )
    assert [line.error for line in lines] == [""] * 7
    assert [line.step.action for line in lines] == [
        Type(text="hi", target={"element_id": "1"}),
        PressKey(keys=("Meta", "Space")),
        Scroll.toward("down", 4),
        Wait(seconds=2),
        FinishGoal(summary="it is there"),
        FinishGoal(summary="it was there"),
        FailGoal(reason="stuck"),
    ]
    assert lines[3].step.result.exec_status is ExecStatus.ERROR


def test_an_older_log_with_plans_is_read(tmp_path: Path) -> None:
    plan = {"reasoning": "click it", "action": "click", "is_goal_complete": False, "element_id": 0}
    (line,) = read(run(tmp_path, logged("click", 0, llm_decision=None, raw_llm_action_plan=plan)))
    assert (line.step.action, line.step.reasoning) == (Click(target={"element_id": "0"}), "click it")


@pytest.mark.parametrize(
    ("line", "where"),
    [
        (logged("perception_error", llm_decision=None), "$.executed_action"),
        (logged("planning_error", llm_decision=None), "$.executed_action"),
        (logged("none"), "$.executed_action"),
        (logged("dance"), "$.executed_action"),
        (logged("click"), "$.executed_target_element_id"),
        (logged("scroll", why="I scroll down"), "$.executed_parameters.scroll_direction"),
        (logged("press_key", parameters={"key_info": "nokey"}), "$.executed_parameters.key_info"),
        (logged("wait", step_index="one"), "$.step_index"),
        (logged("wait", timestamp=None), "$.timestamp"),
        (
            logged("wait", tracking_context=[{"latest_element": {"id": "x", "confidence": 7}}]),
            "$.tracking_context[0].latest_element.confidence",
        ),
        ([1], "$"),
        ('{"step_index": 0, "goal"', "$"),
    ],
)
def test_what_is_no_action_is_an_error_with_its_place_and_the_rest_is_read(tmp_path: Path, line: Any, where: str) -> None:
    good, bad, after = read(run(tmp_path, logged("wait"), line, logged("wait")))
    assert bad.step is None
    assert (bad.number, bad.problems[0].where) == (2, where)
    assert good.step.action == after.step.action == Wait(seconds=1)


def test_a_picture_elsewhere_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret.png").write_bytes(png(7, 7))
    (line,) = read(run(tmp_path, logged("wait", screenshot_path="../secret.png")))
    assert line.step.pictures == ()
    assert line.step.visual_state.screen_resolution != (7, 7)
