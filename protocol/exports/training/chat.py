"""Chats to train a model on: a sample a step, with the picture before it, the last few actions as text, and the answer.

The answer is `Thought: ...` and `Action: ...`; the action is one line and the last one, whatever the thought says. A step
without a picture gives a sample of text only, in which the elements of the screen are listed; without these it gives none.

For LLaMA-Factory: JSON lines with `messages` and `images`, and the entry of `dataset_info.json` beside them. The action is JSON,
with targets as points in pixels of the screen where the model sees a picture. Source: its data/README.md.

And chats as they were had with the models of a run, a line for each call: the prompt is the very one that the model was given and
the answer the one that was used, so a model that is trained on these lines is asked as it was trained. OpenAI's fine-tuning and
TRL read them, too.
"""

import base64
import json
import os
import re
from collections import Counter, deque
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from protocol import Action, ActionTarget, InteractionStep, JsonObject, Picture
from protocol.dialects import Context, DialectError, Loss
from protocol.dialects.common.conversion import place
from protocol.dialects.common.losses import differences
from protocol.exports.common.base import ExportResult, Format, FormatError, Pictures, Run, written_beside
from protocol.exports.common.kept import context_of, frames, sized
from protocol.exports.common.lines import json_line, listed, mapping
from protocol.log.log import whole_file

HISTORY = 4
"""Actions before the sample's own that its prompt tells."""
_LISTED = 200
"""Elements of a screen that a sample of text only lists."""
PLACEHOLDER = re.compile(r"<(?=(?:image|video|audio|bbox|ref-object|start-image|end-image|cot-process)>)")
"""What LLaMA-Factory, or a template of its kind, would put a picture or a box in place of."""
_HIDDEN = Loss(what="text", why="a placeholder such as <image> in a text is written with a blank, < image>")
_TEXT_ONLY = Loss(what="picture", why="there is none: the sample is text only and lists the elements of the screen")
_LEFT_OUT = Loss(what="action", why="the step is left out: neither a picture nor the elements of the screen are known")


class Sample(NamedTuple):
    """One sample, before it is put into the columns of a format."""

    step: InteractionStep
    messages: list[dict[str, str]]
    picture: Picture | None


def samples(run: Run, pictures: Pictures, losses: Counter[Loss]) -> Iterator[Sample]:
    """A sample a step, in order; the losses are counted as they come."""
    past: deque[InteractionStep] = deque(maxlen=HISTORY)
    for step, found, _ in frames(run.steps, pictures, losses):
        picture = found if sized(step) else None
        if picture is None:
            losses[_TEXT_ONLY if step.visual_state.elements else _LEFT_OUT] += 1
        if picture is not None or step.visual_state.elements:
            yield Sample(step, _messages(run.info.goal, step, list(past), losses, seen=picture is not None), picture)
        if sized(step):
            past.append(step)


def _messages(
    goal: str, step: InteractionStep, past: list[InteractionStep], losses: Counter[Loss], *, seen: bool
) -> list[dict[str, str]]:
    """The system's words, the task, and the answer; `seen` is whether the model sees a picture."""
    said = [speak_json(earlier.action, context_of(earlier), seen)[0] for earlier in past]
    answer, lost = speak_json(step.action, context_of(step) if seen else Context(), seen)
    losses.update(lost)
    width, height = step.visual_state.screen_resolution
    asked = [f"Task: {_plain(goal, losses)}", f"Screen: {width} x {height} pixels"]
    asked += ["Done before:", *said] if said else []
    if not seen:  # the elements in view, a line each: never a value, which may be private
        shown = [element for element in step.visual_state.elements if element.visible]
        lines = [f"{e.element_id} {e.role or 'element'} {json.dumps(e.name, ensure_ascii=False)}" for e in shown[:_LISTED]]
        more = [f"... {len(shown) - _LISTED} more"] if len(shown) > _LISTED else []
        asked += ["Elements:", *(_plain(line, losses) for line in (*lines, *more))]
    thought = f"Thought: {_plain(step.reasoning, losses)}\n" if step.reasoning else ""
    return [
        {"role": "system", "content": _SYSTEM},
        {"role": "user", "content": ("<image>" if seen else "") + "\n".join(asked)},
        {"role": "assistant", "content": f"{thought}Action: {answer}"},
    ]


def _plain(text: str, losses: Counter[Loss]) -> str:
    hidden = PLACEHOLDER.sub("< ", text)
    if hidden != text:
        losses[_HIDDEN] += 1
    return hidden


def about(sample: Sample) -> dict[str, object]:
    """Columns that no trainer reads, and that say where a sample comes from."""
    return {
        "run_id": sample.step.run_id,
        "subtask": sample.step.subtask,
        "role": sample.step.role,
        "step": sample.step.step,
        "image_sha256": [sample.picture.sha256] if sample.picture else [],
        "image_moment": "before",
    }


_SYSTEM = (
    "You work a screen. Answer with a line `Thought:` and a line `Action:` with one JSON object: action_type and its fields. "
    "A target is a point in pixels of the screen, or an element_id of those that are listed."
)
_ENTRY = {
    "formatting": "sharegpt",
    "columns": {"messages": "messages", "images": "images"},
    "tags": {f"{name}_tag": name for name in ("role", "content", "user", "assistant", "system")},
}


def write_llamafactory(run: Run, path: Path) -> ExportResult:
    """A sample a line, as a stream. Raises FormatError where a dataset_info.json is there that cannot be added to."""
    beside = path.with_name("dataset_info.json")
    known = _known(beside)
    exported = ExportResult(files=[path, beside])
    with whole_file(path) as file:
        for sample in samples(run, Pictures(run.folder, path), exported.losses):
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
        raise FormatError(f"{os.fspath(path.name)}: is not a JSON object, and the dataset must be listed there")
    return known


def speak_json(action: Action, context: Context, seen: bool) -> tuple[str, list[Loss]]:
    """The action as JSON, and what is lost; placeholders in its texts are escaped, which JSON takes back."""
    said, losses = _placed(action, context) if seen else (action, [])
    losses += differences(action, [said], context.size)
    return PLACEHOLDER.sub(r"\\u003c", json_line(said.dump())), losses


def _placed(action: Action, context: Context) -> tuple[Action, list[Loss]]:
    """With every target as the point that a picture shows; one whose place is not known stays as in the log."""
    update: JsonObject = {}
    losses: list[Loss] = []
    for name in ("target", "to"):
        if (target := getattr(action, name, None)) is not None:
            try:
                update[name] = ActionTarget(point=place(target, context, "px", None, "llamafactory", name))
            except DialectError:
                losses.append(Loss(what=name, why="its place on the picture is not known; said as in the log"))
    if path := getattr(action, "path", ()):
        update["path"] = tuple(place(ActionTarget(point=point), context, "px", None, "llamafactory", "path") for point in path)
    return action.model_copy(update=update), losses


LLAMAFACTORY = Format(name="llamafactory", title="LLaMA-Factory chats with images", suffix=".jsonl", write=write_llamafactory)


_ROLES = {"system": "system", "human": "user", "ai": "assistant"}
_UNUSED = Loss(what="call", why="it is left out: there was no reply, or none that could be used")
_NO_PICTURE = Loss(what="picture", why="it was withdrawn, or is no PNG: the text says so")
_DATA = "data:image/png;base64,"


def write(run: Run, path: Path) -> ExportResult:
    """A call a line. Raises FormatError for a run of which no call was kept."""
    if not run.calls:
        raise FormatError("no call of a model was kept in this run (record.prompts); another format says its steps")
    exported = ExportResult(files=[path])
    with whole_file(path) as file:
        for call in run.calls:
            answer = _answer(call.get("reply"))
            if not answer or call.get("unusable") or call.get("problem"):
                exported.losses[_UNUSED] += 1
                continue
            images: list[str] = []
            messages = []
            for one in map(mapping, listed(call.get("messages"))):
                content = "\n".join(_part(mapping(part), images, path, exported) for part in listed(one.get("parts")))
                messages.append({"role": _ROLES.get(str(one.get("role")), "user"), "content": content})
            messages.append({"role": "assistant", "content": PLACEHOLDER.sub("< ", answer)})
            about = {key: call.get(key) for key in ("role", "subtask", "step", "model")}
            file.write(json_line({"messages": messages, "images": images, "run_id": run.info.run_id, **about}) + "\n")
            exported.steps += 1
    return exported


def _answer(reply: Any) -> str:
    """What the model said, or the arguments of its call of a tool."""
    tool = next(iter(listed(mapping(reply).get("tool_calls"))), None)
    if tool is not None:
        return json.dumps(mapping(tool).get("args"), ensure_ascii=False)
    content = mapping(reply).get("content")
    if isinstance(content, str):
        return content
    return "\n".join(str(text) for part in listed(content) if (text := mapping(part).get("text")))


def _part(part: Mapping[str, Any], images: list[str], out: Path, exported: ExportResult) -> str:
    if "picture" not in part:
        return PLACEHOLDER.sub("< ", str(part.get("text") or ""))
    data = str(part.get("picture") or "")
    try:
        png = base64.b64decode(data.removeprefix(_DATA), validate=True) if data.startswith(_DATA) else b""
    except ValueError:
        png = b""
    if png.startswith(b"\x89PNG"):
        images.append(written_beside(out, png, ".png")[0])
        return "<image>"
    exported.losses[_NO_PICTURE] += 1
    return "(no picture)"


FORMAT = Format(name="model_chats", title="chats as they were had with models, a call a line", suffix=".jsonl", write=write)
