"""Chats for LLaMA-Factory: JSON lines with `messages` and `images`, and the entry of `dataset_info.json` beside them.

The action is JSON, with targets as points in pixels of the screen where the model sees a picture. Source: its data/README.md.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

from protocol.dialects.common.base import Context, DialectError, Loss
from protocol.dialects.common.conversion import place
from protocol.exports.common.base import ExportResult, Format, FormatError, Pictures, Run
from protocol.exports.common.lines import json_line
from protocol.exports.training.chat import PLACEHOLDER, ChatAction, about, samples
from protocol.log.log import whole_file
from protocol.model.geometry import Coordinate, JsonObject
from protocol.model.targets import ActionTarget
from protocol.model.verbs import Action

NAME = "llamafactory"
SYSTEM = (
    "You work a screen. Answer with a line `Thought:` and a line `Action:` with one JSON object: action_type and its fields. "
    "A target is a point in pixels of the screen, or an element_id of those that are listed."
)
_ENTRY = {
    "formatting": "sharegpt",
    "columns": {"messages": "messages", "images": "images"},
    "tags": {
        "role_tag": "role",
        "content_tag": "content",
        "user_tag": "user",
        "assistant_tag": "assistant",
        "system_tag": "system",
    },
}


def write(run: Run, path: Path) -> ExportResult:
    """A sample a line, as a stream. Raises FormatError where a dataset_info.json is there that cannot be added to."""
    beside = path.with_name("dataset_info.json")
    known = _known(beside)
    exported = ExportResult(files=[path, beside])
    with whole_file(path) as file:
        for sample in samples(run, Pictures(run.folder, path), exported.losses, SYSTEM, speak):
            images = [sample.picture.path] if sample.picture else []
            file.write(json_line({"messages": sample.messages, "images": images, **about(sample)}) + "\n")
            exported.steps += 1
    with whole_file(beside) as file:
        json.dump({**known, path.stem: {"file_name": path.name, **_ENTRY}}, file, indent=2)
        file.write("\n")
    return exported


def _known(path: Path) -> JsonObject:
    """The datasets that are listed already: they stay."""
    if not path.exists():
        return {}
    try:
        known = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError, OSError):
        known = None
    if not isinstance(known, dict):
        raise FormatError(f"{os.fspath(path.name)}: is no JSON object, and the dataset must be listed there")
    return known


def speak(action: Action, context: Context, seen: bool) -> ChatAction:
    """The action as JSON; placeholders in its texts are escaped, which JSON takes back."""
    data, losses = _placed(action, context) if seen else (action.dump(), [])
    return ChatAction(PLACEHOLDER.sub(r"\\u003c", json_line(data)), [], losses)


def _placed(action: Action, context: Context) -> tuple[JsonObject, list[Loss]]:
    """With every target as the point that a picture shows."""
    data, losses = action.dump(), []
    for name, target in targets_of(action):
        try:
            point, lost = place(target, context, "px", None, NAME, name)
        except DialectError:
            losses.append(Loss(what=name, why="its place on the picture is not known; said as in the log"))
            continue
        losses += lost
        data[name] = {"point": _pair(point)}
    if path := getattr(action, "path", ()):
        points = [place(ActionTarget(point=point), context, "px", None, NAME, "path") for point in path]
        data["path"] = [_pair(point) for point, _ in points]
        losses += [loss for _, lost in points for loss in lost]
    return data, losses


def targets_of(action: Action) -> list[tuple[str, ActionTarget]]:
    """The targets of an action by the names of their fields."""
    named = [("target", action.target), ("to", getattr(action, "to", None))]
    return [(name, target) for name, target in named if target is not None]


def _pair(point: Coordinate) -> JsonObject:
    return {"x": point.x, "y": point.y}


FORMAT = Format(name=NAME, title="LLaMA-Factory chats with images", suffix=".jsonl", write=write)
