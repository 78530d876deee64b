"""Seed 004's draft of the protocol: JSON lines of what was seen and done, with five verbs. Written; logs in it are read as logs.

What the draft has no field for is told as a loss, and a step whose verb it does not have is left out.
"""

from pathlib import Path

from protocol.dialects import Loss
from protocol.exports.common.base import ExportResult, Format, Pictures, Run
from protocol.exports.common.lines import json_line
from protocol.log.log import whole_file
from protocol.model.elements import VisualState
from protocol.model.geometry import BoundingBox, JsonObject
from protocol.model.targets import ActionTarget, TargetError, resolve
from protocol.model.verbs import Action, Click, Fill, Hover, LaunchApp, Scroll, Type

_SHOWN = ("element_id", "tag", "text", "role", "visible")
_PARTS = frozenset({"action_type", "target", "delay"})
_SAID: dict[str, frozenset[str]] = {"type": frozenset({"text"}), "fill": frozenset({"text"}), "launch_app": frozenset({"app"})}
"""What of an action the draft's one field for text holds."""


def write(run: Run, path: Path) -> ExportResult:
    """A step a line, as a stream."""
    exported = ExportResult(files=[path])
    pictures = Pictures(run.folder, path)
    with whole_file(path) as file:
        for step in run.steps:
            action = _action(step.action, step.visual_state, exported)
            if action is None:
                continue
            picture = pictures.of(step, "before")
            elements = []
            for element in step.visual_state.elements:
                box = None if element.bbox is None else _box(element.bbox)
                elements.append({name: getattr(element, name) for name in _SHOWN} | {"bbox": box})
                for name in element.model_dump(exclude_defaults=True).keys() - {*_SHOWN, "bbox"}:
                    exported.losses[Loss(what=f"element.{name}", why="an element of the draft has no such field")] += 1
            state = {
                "screenshot_path": (picture.path if picture else ""),
                "screen_resolution": list(step.visual_state.screen_resolution),
                "elements": elements,
                "timestamp": step.visual_state.timestamp,
            }
            file.write(json_line({"timestamp": step.timestamp, "visual_state": state, "action": action}) + "\n")
            exported.steps += 1
            for name in ("reasoning", "result", "subtask", "role"):
                if getattr(step, name):
                    exported.losses[Loss(what=f"step.{name}", why="a step of the draft has no such field")] += 1
    return exported


def _action(action: Action, seen: VisualState, exported: ExportResult) -> JsonObject | None:
    if not isinstance(action, Click | Type | Fill | Hover | LaunchApp | Scroll):
        exported.losses[Loss(what=f"action {action.verb}", why="the draft has no such verb; the step is left out")] += 1
        return None
    kept = _PARTS | _SAID.get(action.verb, frozenset())
    for name in action.dump().keys() - kept:
        exported.losses[Loss(what=f"{action.verb}.{name}", why="an action of the draft has no such field")] += 1
    if isinstance(action, Fill):
        exported.losses[Loss(what="action fill", why="said as type, which leaves what a field holds")] += 1
    text = action.text if isinstance(action, Type | Fill) else action.app if isinstance(action, LaunchApp) else None
    verb = "type" if isinstance(action, Fill) else action.verb
    return {"type": verb, "text": text, "delay": action.delay, **_aim(action.target, seen, exported)}


def _aim(target: ActionTarget | None, seen: VisualState, exported: ExportResult) -> JsonObject:
    """The element by its id and its box; a place without an element as a box of no size."""
    if target is None:
        return {"target_id": None, "bbox": None}
    try:
        found = resolve(target, seen)
    except TargetError:
        exported.losses[Loss(what="action.target", why="nothing on the screen is meant by it")] += 1
        return {"target_id": target.element_id, "bbox": None}
    element = seen.by_id.get(found.element_id or "")
    if element is not None and element.bbox is not None:
        return {"target_id": element.element_id, "bbox": _box(element.bbox)}
    point = found.point
    box = None if point is None else {"x1": int(point.x), "y1": int(point.y), "x2": int(point.x), "y2": int(point.y)}
    return {"target_id": found.element_id or None, "bbox": box}


def _box(box: BoundingBox) -> dict[str, int]:
    return {"x1": box.x1, "y1": box.y1, "x2": box.x2, "y2": box.y2}


FORMAT = Format(name="draft", title="seed 004's draft of the protocol", suffix=".jsonl", write=write)
