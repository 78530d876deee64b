"""Agent Data Protocol 1.2.0: JSON lines, a trajectory a line, here one. Source: neulab/agent-data-protocol, `schema/`.

1.2.0 knows no `tool_call_id` and forbids what it does not know: an action's observation is the one that follows it. From
1.3.0 on the two are linked; `adp_linked` writes that. What is seen stands before each action, as long as it differs from what
was seen before: a picture with its elements, or the tree of a screen without a picture.
"""

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from protocol import GUIElement, JsonObject, Picture
from protocol.dialects import Context, Loss, dialect
from protocol.exports.common.base import ExportResult, Format, Pictures, Run
from protocol.exports.common.kept import frames, outcome_of, run_facts
from protocol.exports.common.lines import json_line
from protocol.log.log import whole_file

PLAIN, LINKED = "1.2.0", "1.3.0"
_UNKNOWN = Loss(what="result", why="nobody said what came of it: the linked observation is empty")
_LOST = Loss(what="step", why="its time, its role and its subtask have no field")


def write(run: Run, path: Path, version: str = PLAIN) -> ExportResult:
    """The run as one line, written as a stream; pictures' hashes stand in `details`."""
    exported = ExportResult(files=[path])
    hashes: dict[str, str] = {}
    with whole_file(path) as file:
        file.write(f'{{"schema_version": "{version}", "id": {json_line(run.info.run_id or path.stem)}, "content": [')
        separator = ""
        for item in _content(run, path, exported, hashes):
            if version == PLAIN:
                item.pop("tool_call_id", None)
            file.write(separator + json_line(item))
            separator = ", "
        details = {**run_facts(run.info), "picture_moment": "before the action that follows", "picture_sha256": hashes}
        file.write(f'], "details": {json_line(details)}}}\n')
    return exported


def _content(run: Run, path: Path, exported: ExportResult, hashes: dict[str, str]) -> Iterator[JsonObject]:
    yield {"class_": "text_observation", "content": run.info.goal, "source": "user"}
    seen: tuple[object, ...] = ()
    last = None
    for last in frames(run.steps, Pictures(run.folder, path), exported.losses):
        exported.steps += 1
        now = (last.before and last.before.path, last.step.visual_state.canonical)
        if now != seen:
            elements = [element for element in last.step.visual_state.elements if element.visible]
            if last.before is not None:
                hashes[last.before.path] = last.before.sha256
                yield _image(last.before, [_annotation(element) for element in elements if element.bbox])
            elif elements:
                yield {
                    "class_": "web_observation",
                    "html": None,
                    "axtree": "\n".join(f"[{e.element_id}] {e.role or 'element'} {json.dumps(e.name)}" for e in elements),
                    "url": None,
                    "image_observation": None,
                    "viewport_size": list(last.step.visual_state.screen_resolution),
                }
        seen = now
        call = f"call_{exported.steps:06d}"
        step = last.step
        said = dialect("langchain").write(step.action, Context()).payload
        yield {
            "class_": "api_action",
            "tool_call_id": call,
            "function": said["name"],
            "kwargs": said["args"],
            "description": None,
            "reasoning_content": step.reasoning or None,
        }
        exported.losses[_LOST] += 1
        if step.result is None:
            exported.losses[_UNKNOWN] += 1
        answer = {"class_": "text_observation", "tool_call_id": call, "content": outcome_of(step.result)}
        yield {**answer, "source": "environment"}
    if last is not None and last.after is not None and last.after.path != seen[0]:
        hashes[last.after.path] = last.after.sha256
        yield _image(last.after, None)


def _image(picture: Picture, annotations: list[JsonObject] | None) -> JsonObject:
    return {"class_": "image_observation", "content": picture.path, "annotations": annotations, "source": "environment"}


def _annotation(element: GUIElement) -> JsonObject:
    """An element of the picture, in pixels of the screen; never its value, which may be private."""
    box = element.bbox
    assert box is not None  # noqa: S101 - the caller leaves out those without
    sides = {"x": box.x1, "y": box.y1, "width": box.x2 - box.x1, "height": box.y2 - box.y1}
    return {"text": element.text, "element_type": element.role or "element", "bounding_box": sides}


FORMAT = Format(name="adp", title="Agent Data Protocol 1.2.0, a trajectory a line", suffix=".jsonl", write=write)
LINKED_FORMAT = Format(
    name="adp_linked", title="Agent Data Protocol 1.3.0, with linked calls", suffix=".jsonl", write=partial(write, version=LINKED)
)
