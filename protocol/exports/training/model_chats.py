"""Chats as they were had with the models of a run: JSON lines with `messages` and `images`, a line for each call.

The prompt is the very one that the model was given and the answer the one that was used, so a model that is trained on these
lines is asked as it was trained. OpenAI's fine-tuning, TRL, ms-swift and LLaMA-Factory read `messages`; the last two take a
picture where its text says `<image>`.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from protocol.dialects.common.base import Loss
from protocol.exports.common.base import ExportResult, Format, FormatError, Run
from protocol.exports.common.lines import json_line, listed, mapping
from protocol.exports.training.chat import PLACEHOLDER
from protocol.log.log import whole_file

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
            messages = [_message(one, images, path, exported) for one in listed(call.get("messages"))]
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


def _message(said: Any, images: list[str], out: Path, exported: ExportResult) -> dict[str, str]:
    parts = [mapping(one) for one in listed(mapping(said).get("parts"))]
    content = "\n".join(_part(one, images, out, exported) for one in parts)
    return {"role": _ROLES.get(str(mapping(said).get("role")), "user"), "content": content}


def _part(part: Mapping[str, Any], images: list[str], out: Path, exported: ExportResult) -> str:
    if "picture" not in part:
        return PLACEHOLDER.sub("< ", str(part.get("text") or ""))
    for name in _written(str(part.get("picture") or ""), out):
        images.append(name)
        return "<image>"
    exported.losses[_NO_PICTURE] += 1
    return "(no picture)"


def _written(data: str, out: Path) -> Iterator[str]:
    """The name of the picture beside the file, once it is there."""
    try:
        png = base64.b64decode(data.removeprefix(_DATA), validate=True) if data.startswith(_DATA) else b""
    except (ValueError, binascii.Error):
        return
    if not png.startswith(b"\x89PNG"):
        return
    folder = out.parent / f"{out.stem}_images"
    folder.mkdir(exist_ok=True)
    if folder.is_symlink():
        raise FormatError(f"{folder} is a link; pictures are written into a folder of their own")
    file = folder / f"{hashlib.sha256(png).hexdigest()[:16]}.png"
    if file.is_symlink():
        file.unlink()
    if not file.exists():
        file.write_bytes(png)
    yield f"{folder.name}/{file.name}"


FORMAT = Format(name="model_chats", title="chats as they were had with models, a call a line", suffix=".jsonl", write=write)
