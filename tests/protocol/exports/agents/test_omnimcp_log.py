"""OmniMCP's run logs: every executed action with the screen that it was chosen on."""

from pathlib import Path
from typing import Any

from written.runs import lines_of, png

from protocol import BoundingBox, ExecStatus, Picture
from protocol.dsl import emit

BUTTON = {"id": 0, "type": "button", "content": "OK", "bounds": [0.1, 0.2, 0.3, 0.4], "confidence": 0.9, "attributes": {}}
FIELD = {"id": 1, "type": "text_field", "content": "", "bounds": [0.9, 0.9, 0.2, 0.2], "attributes": {}}
TRACKED = [{"track_id": f"track_{n}", "latest_element": seen} for n, seen in enumerate((BUTTON, FIELD, None))]


def logged(action: str, target: int | None = None, *, complete: bool = False, why: str = "", **more: Any) -> dict[str, Any]:
    """A line as OmniMCP's LoggedStep has it."""
    parameters = more.pop("parameters", {})
    decision = {"analysis_reasoning": why, "action_type": action, "target_element_id": target, "parameters": parameters}
    return {
        "step_index": 0, "timestamp": 1743900000.5, "goal": "say OK", "screenshot_path": "step_1_state_raw.png",
        "tracking_context": TRACKED, "action_history_at_step": ["Step 1: Planned click"], "llm_analysis": None,
        "llm_decision": {**decision, "is_goal_complete": complete}, "raw_llm_action_plan": None, "executed_action": action,
        "executed_target_element_id": target, "executed_parameters": parameters, "action_success": True, "planning_time_s": 2.0,
        **more,
    }  # fmt: skip


def read(folder: Path, *lines: Any) -> list[Any]:
    return lines_of("omnimcp_log", folder, [*lines], run_id=folder.name, goal="say OK", agent="omnimcp")


def test_a_run_is_read_with_what_was_seen(tmp_path: Path) -> None:
    (tmp_path / "step_1_state_raw.png").write_bytes(png(200, 100))
    (line,) = read(tmp_path, logged("click", 0, why="it says OK"))
    assert line.error == ""
    step = line.step
    assert emit(step.action) == "click #0"
    assert (step.timestamp, step.step, step.run_id, step.reasoning) == (1743900000.5, 0, tmp_path.name, "it says OK")
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


def test_each_action_is_what_was_executed(tmp_path: Path) -> None:
    plan = {"reasoning": "click it", "action": "click", "is_goal_complete": False, "element_id": 0}
    lines = read(
        tmp_path,
        logged("type", 1, parameters={"text_to_type": "hi"}),
        logged("press_key", parameters={"key_info": "Cmd+Space"}),
        logged("scroll", parameters={"scroll_direction": "down", "scroll_steps": 4}),
        logged("wait", parameters={"wait_duration_s": 2.0}, action_success=False),
        logged("finish", complete=True, why="it is there"),
        logged("click", 0, complete=True, why="it was there"),
        logged("finish", why="stuck"),
        logged("click", 0, llm_decision=None, raw_llm_action_plan=plan),
    )
    assert [line.error for line in lines] == [""] * 8
    assert [emit(line.step.action) for line in lines] == [
        'type "hi" into #1', "press Meta+Space", "scroll down 4", "wait 2 s", 'finish "it is there"', 'finish "it was there"',
        'fail "stuck"', "click #0",
    ]  # fmt: skip
    assert lines[3].step.result.exec_status is ExecStatus.ERROR
    assert lines[7].step.reasoning == "click it", "an older log has plans"


def test_without_its_picture_an_element_has_no_pixels_and_one_elsewhere_is_not_followed(tmp_path: Path) -> None:
    (tmp_path.parent / "secret.png").write_bytes(png(7, 7))
    bare, away = read(tmp_path, logged("click", 0), logged("wait", screenshot_path="../secret.png"))
    assert [element.bbox for element in bare.step.visual_state.elements] == [None, None]
    assert away.step.pictures == ()
    assert away.step.visual_state.screen_resolution != (7, 7)
