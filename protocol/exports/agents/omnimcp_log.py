"""OmniMCP's `run_log.jsonl`: one `LoggedStep` a line, read only. What it has no picture or prose for is not made up.

The action is what was executed. A step that ended in an error of OmniMCP's own is an error here, and a goal that the model called
complete is the end of the run, as OmniMCP does nothing more then.
"""

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from protocol import AgentAction, GUIElement, InteractionStep, JsonObject, Region, VisualState
from protocol.dialects import Context, DialectError
from protocol.dialects.desktop.omnimcp import DIALECT
from protocol.exports.common.base import Format, ImportResult
from protocol.exports.common.kept import info_of, picture_named
from protocol.exports.common.lines import checked, first_object, listed, mapping, read_json_lines, step_of, told
from protocol.log.versions import refuse

_NOTHING_DONE = ("none", "perception_error", "planning_error")
_READ = (
    "step_index", "timestamp", "goal", "screenshot_path", "executed_action", "executed_target_element_id", "executed_parameters",
    "action_success",
)  # fmt: skip
_NAMES = {"element_id": "id", "text": "content", "role": "type"}
_ROLES = {"text_field": "textbox", "text_input": "textbox", "icon": "img"}
_HEADER = 24
"""Bytes of a PNG up to its width and height."""


def read(path: Path) -> ImportResult:
    """The steps of a run, a line each. Raises FormatError where no line is JSON."""
    first = first_object(path)
    info = info_of(None, run_id=path.parent.name, goal=first.get("goal"), agent="omnimcp")

    return ImportResult(info, read_json_lines(path, lambda number, line: told(number, _step(line, path.parent))))


def _step(line: Any, folder: Path) -> Iterator[InteractionStep]:
    if not isinstance(line, dict):
        refuse("$", "a line is an object")
    state = _state(line, folder)
    # What the model answered: a decision, or a plan in older logs.
    chosen = mapping(line.get("llm_decision")) or mapping(line.get("raw_llm_action_plan"))
    action = _action(line, chosen, state)
    success = line.get("action_success")
    result = {"exec_status": "executed" if success else "error"} if isinstance(success, bool) else None
    reasoning = chosen.get("analysis_reasoning") or chosen.get("reasoning") or ""
    raw = {name: value for name, value in line.items() if name not in _READ and value not in (None, [], {})}
    index = line.get("step_index")
    if not isinstance(index, int) or isinstance(index, bool):
        refuse("$.step_index", "a whole number is needed")
    yield step_of(
        "$",
        timestamp=line.get("timestamp"),
        visual_state=state,
        action=action,
        step=index,
        run_id=folder.name,
        reasoning=reasoning,
        result=result,
        state_id=state.state_id if state.elements else "",
        pictures=picture_named(line.get("screenshot_path"), "before"),
        raw=raw,
    )


def _action(line: JsonObject, chosen: JsonObject, state: VisualState) -> AgentAction:
    done = line.get("executed_action")
    if not isinstance(done, str) or done in _NOTHING_DONE:
        refuse("$.executed_action", f"nothing was done: {str(done)[:60]}")
    decision = {
        "action_type": done,
        "target_element_id": line.get("executed_target_element_id"),
        "parameters": line.get("executed_parameters"),
        "analysis_reasoning": chosen.get("analysis_reasoning") or chosen.get("reasoning"),
        "is_goal_complete": chosen.get("is_goal_complete"),
    }
    try:
        return DIALECT.read(decision, Context(state=state, variant="decision")).actions[0]
    except DialectError as bad:
        field = bad.where.removeprefix("$.").split(".")
        field[0] = _SAID.get(field[0], field[0])
        refuse(f"$.{'.'.join(field)}", str(bad))


_SAID = {
    "action_type": "executed_action", "target_element_id": "executed_target_element_id", "parameters": "executed_parameters",
    "analysis_reasoning": "llm_decision.analysis_reasoning", "is_goal_complete": "llm_decision.is_goal_complete",
}  # fmt: skip


def _state(line: JsonObject, folder: Path) -> VisualState:
    """The elements that were tracked and in sight. Boxes are fractions there: without the picture they have no pixels."""
    shown = picture_named(line.get("screenshot_path"), "before")
    size = _size(folder / shown[0].path) if shown else None
    elements: list[GUIElement] = []
    for n, track in enumerate(map(mapping, listed(line.get("tracking_context")))):
        seen = mapping(track.get("latest_element"))
        if seen:
            kind, confidence, box = seen.get("type"), seen.get("confidence"), _box(seen.get("bounds"))
            fields = {
                "element_id": seen.get("id"),
                "track_id": track.get("track_id"),
                "text": seen.get("content"),
                "role": _ROLES.get(kind, kind) if isinstance(kind, str) else None,
                "confidence": 1.0 if confidence is None else confidence,
                "bbox": box.to_px(size) if box and size else None,
            }
            elements.append(checked(GUIElement, fields, f"$.tracking_context[{n}].latest_element", _NAMES))
    sized: dict[str, Any] = {} if size is None else {"screen_resolution": size}
    return VisualState(screenshot_path=shown[0].path if shown else "", elements=tuple(elements), **sized)


def _box(bounds: Any) -> Region | None:
    """`[x, y, width, height]` in fractions of the screen; what its detector puts beyond the edge is cut off."""
    numbers = bounds if isinstance(bounds, list) and len(bounds) == 4 else None
    if numbers is None or not all(isinstance(n, int | float) and not isinstance(n, bool) and abs(n) < 1e6 for n in numbers):
        return None
    x, y, width, height = numbers
    if width < 0 or height < 0:
        return None
    x1, y1, x2, y2 = (min(max(n, 0.0), 1.0) for n in (x, y, x + width, y + height))
    return Region(space="norm1", x1=x1, y1=y1, x2=x2, y2=y2)


def _size(picture: Path) -> tuple[int, int] | None:
    """Width and height of a PNG, from its first bytes."""
    try:
        with picture.open("rb") as file:
            head = file.read(_HEADER)
    except (OSError, ValueError):
        return None
    if len(head) < _HEADER or head[:8] != b"\x89PNG\r\n\x1a\n":
        return None
    width, height = struct.unpack(">II", head[16:24])
    return (width, height) if 0 < width < 1_000_000 and 0 < height < 1_000_000 else None


FORMAT = Format(name="omnimcp_log", title="OmniMCP run_log.jsonl", suffix=".jsonl", read=read)
