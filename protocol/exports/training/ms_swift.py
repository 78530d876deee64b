"""Chats for ms-swift: JSON lines with `messages`, `images` and `objects`; boxes stand in the text as `<bbox>`.

The action is a call, `click(start_box='<bbox>', button='right')`. The boxes are shares of the screen (`norm1`), which hold
whatever size the picture has; ms-swift turns them into the numbers that each model was trained on. Source: Custom-dataset.md.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from protocol.dialects.common.base import Context, DialectError, Loss
from protocol.dialects.common.conversion import place
from protocol.exports.common.base import ExportResult, Format, Pictures, Run
from protocol.exports.common.lines import json_line
from protocol.exports.training.chat import PLACEHOLDER, ChatAction, about, samples
from protocol.log.log import whole_file
from protocol.model.geometry import JsonObject
from protocol.model.targets import ActionTarget
from protocol.model.verbs import Action, Extension

NAME = "ms_swift"
SYSTEM = (
    "You work a screen. Answer with a line `Thought:` and a line `Action:` with one call: the verb, start_box for its place, "
    "end_box for where a drag ends, path for the points in between, and its other fields by name."
)
_BOX = "'<bbox>'"


def write(run: Run, path: Path) -> ExportResult:
    """A sample a line, as a stream."""
    exported = ExportResult(files=[path])
    with whole_file(path) as file:
        for sample in samples(run, Pictures(run.folder, path), exported.losses, SYSTEM, speak):
            row: JsonObject = {"messages": sample.messages, "images": []}
            if sample.picture:
                row["images"] = [sample.picture.path]
                row["objects"] = {"ref": [], "bbox": sample.boxes, "bbox_type": "norm1"}
            file.write(json_line({**row, **about(sample)}) + "\n")
            exported.steps += 1
    return exported


def speak(action: Action, context: Context, seen: bool) -> ChatAction:
    """The action as a call; where the model sees a picture, its places are boxes."""
    call = _Call(context)
    fields = action.dump()
    del fields["action_type"]
    if seen:
        call.places(action, fields)
    for name, value in fields.items():
        call.arguments.append(f"{name}={_literal(value)}")
    verb = action.verb
    if isinstance(action, Extension):
        verb = "extension"
        call.arguments.insert(0, f"verb={_literal(action.verb)}")
    return ChatAction(f"{verb}({', '.join(call.arguments)})", call.boxes, call.losses)


class _Call:
    """A call with its boxes, in the order in which its text names them."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self.arguments: list[str] = []
        self.boxes: list[list[float]] = []
        self.losses: list[Loss] = []

    def places(self, action: Action, fields: JsonObject) -> None:
        """Takes out of `fields` what can be said as boxes."""
        self._target("start_box", "target", action.target, fields)
        if path := getattr(action, "path", ()):
            del fields["path"]
            for point in path:
                self._point(ActionTarget(point=point), "path")
            self.arguments.append(f"path=[{', '.join([_BOX] * len(path))}]")
        self._target("end_box", "to", getattr(action, "to", None), fields)
        if region := getattr(action, "region", None):
            del fields["region"]
            width, height = self._context.size
            box = region.to_px(self._context.size)
            numbers = [box.x1 / width, box.y1 / height, box.x2 / width, box.y2 / height]
            within = [min(max(round(number, 6), 0.0), 1.0) for number in numbers]
            if [_pixel(n, side) for n, side in zip(within, (width, height) * 2, strict=True)] != [box.x1, box.y1, box.x2, box.y2]:
                self.losses.append(Loss(what="region", why="cut off at the edge of the screen"))
            self.boxes.append(within)
            self.arguments.append(f"region={_BOX}")

    def _target(self, argument: str, name: str, target: ActionTarget | None, fields: JsonObject) -> None:
        if target is None:
            return
        try:
            self._point(target, name)
        except DialectError:
            self.losses.append(Loss(what=name, why="its place on the picture is not known; said as in the log"))
            return
        del fields[name]
        self.arguments.append(f"{argument}={_BOX}")

    def _point(self, target: ActionTarget, name: str) -> None:
        point, losses = place(target, self._context, "norm1", None, NAME, name)
        self.losses += losses
        self.boxes.append([float(point.x), float(point.y)])


def _pixel(share: float, side: int) -> int:
    """The pixel that a share of a side means."""
    return int(share * side + 0.5)


def _literal(value: Any) -> str:
    """A Python literal in which no placeholder stands."""
    return PLACEHOLDER.sub(r"\\x3c", repr(value))


FORMAT = Format(name=NAME, title="ms-swift chats with images and boxes", suffix=".jsonl", write=write)
