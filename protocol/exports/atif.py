"""ATIF v1.8: one JSON for a whole run, each role's work a subagent trajectory. Source: Harbor's RFC 0001.

The root trajectory is the controller's: the goal as its first step, then one step for every delegation, a stretch of steps of
one subtask and role. Steps without a subtask and role are the root's own. Reading is in `atif_read`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

from protocol.dialects import Context, dialect
from protocol.dialects.base import Loss
from protocol.exports.atif_read import read
from protocol.exports.base import Exported, Format, Pictures, Run, RunInfo
from protocol.exports.frames import Frame, frames
from protocol.exports.kept import KEY, iso, kept, kept_pictures, lost_state, run_facts
from protocol.exports.lines import json_line
from protocol.steps import ActionResult, InteractionStep, Picture
from protocol.whole import whole_file

VERSION = "ATIF-v1.8"
DELEGATE = "delegate"
"""The tool call by which the controller hands a subtask to a role."""
_MEDIA = {
    ".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif", ".webp": "image/webp",
}  # fmt: skip


def write(run: Run, path: Path) -> Exported:
    """The run as one ATIF document; held in memory, as the format is one JSON. Raises FormatError."""
    exported = Exported(files=[path])
    root = _Trajectory(run.info, run.info.run_id or "run", run.info.agent or KEY)
    root.say(run.info.goal)
    crew = _Crew(root, exported)
    for frame in frames(run.steps, Pictures(run.folder, path), exported.losses):
        crew.take(frame)
        exported.steps += 1
    document = root.dump()
    if crew.subagents:
        document["subagent_trajectories"] = [subagent.dump() for subagent in crew.subagents]
    document["final_metrics"] = {"total_steps": exported.steps}
    document["extra"] = {KEY: run_facts(run.info)}
    if exported.steps != len(root.steps):
        document["notes"] = "total_steps counts the actions of all roles."
    with whole_file(path) as file:
        file.write(json_line(document) + "\n")
    return exported


class _Trajectory:
    """One agent's steps, numbered from 1."""

    def __init__(self, info: RunInfo, trajectory_id: str, name: str) -> None:
        self.id = trajectory_id
        self._info = info
        self._name = name
        self.steps: list[dict[str, Any]] = []

    def say(self, text: str, *pictures: dict[str, Any]) -> None:
        """What the user, or whoever delegates, asks for."""
        self.add(source="user", message=[{"type": "text", "text": text}, *pictures] if pictures else text)

    def add(self, **fields: Any) -> None:
        self.steps.append(
            {"step_id": len(self.steps) + 1, **{name: value for name, value in fields.items() if value is not None}}
        )

    def dump(self) -> dict[str, Any]:
        return {
            "schema_version": VERSION,
            **({"session_id": self._info.run_id} if self._info.run_id else {}),
            "trajectory_id": self.id,
            "agent": {"name": self._name, "version": self._info.agent_version or "unknown"},
            "steps": self.steps,
        }


class _Crew:
    """Gives every step to the trajectory it belongs to, and the root a step for every delegation."""

    def __init__(self, root: _Trajectory, exported: Exported) -> None:
        self._root = root
        self._exported = exported
        self._current: tuple[str, str] = ("", "")
        self._counts: dict[tuple[str, str], int] = {}
        self.subagents: list[_Trajectory] = []

    def take(self, frame: Frame) -> None:
        key = (frame.step.subtask, frame.step.role)
        if key != self._current:
            self._current = key
            if any(key):
                self._delegate(frame, *key)
        trajectory = self.subagents[-1] if any(key) else self._root
        trajectory.add(**self._acted(frame, f"call-{self._exported.steps + 1}"))

    def _delegate(self, frame: Frame, subtask: str, role: str) -> None:
        time = self._counts[subtask, role] = self._counts.get((subtask, role), 0) + 1
        number = len(self.subagents) + 1
        name = f"{number}:{subtask}/{role}" + (f"#{time}" if time > 1 else "")
        subagent = _Trajectory(self._root._info, name, role or subtask)
        subagent.say(subtask, *self._parts(frame.before))
        self.subagents.append(subagent)
        call = f"{DELEGATE}-{number}"
        self._root.add(
            timestamp=iso(frame.step.timestamp),
            source="agent",
            message="",
            llm_call_count=0,
            tool_calls=[_call(call, DELEGATE, {"subtask": subtask, "role": role})],
            observation={"results": [{"source_call_id": call, "subagent_trajectory_ref": [{"trajectory_id": name}]}]},
        )

    def _acted(self, frame: Frame, call: str) -> dict[str, Any]:
        step = frame.step
        self._exported.losses.update(lost_state(step))
        said = dialect("langchain").write(step.action, Context()).payload
        return {
            "timestamp": iso(step.timestamp),
            "source": "agent",
            "message": "",
            "reasoning_content": step.reasoning or None,
            "tool_calls": [_call(call, said["name"], said["args"])],
            "observation": self._observed(step, frame.after, call),
            "extra": {KEY: {**kept(step), **kept_pictures(frame.before, frame.after)}},
        }

    def _observed(self, step: InteractionStep, after: Picture | None, call: str) -> dict[str, Any] | None:
        shown = list(self._parts(after))
        text = _outcome(step.result)
        if text is None and not shown:
            return None
        content = text if not shown else ([] if text is None else [{"type": "text", "text": text}]) + shown
        return {"results": [{"source_call_id": call, "content": content}]}

    def _parts(self, picture: Picture | None) -> Iterator[dict[str, Any]]:
        """The picture as a part of a message, if ATIF knows its kind."""
        if picture is None:
            return
        suffix = PurePosixPath(picture.path).suffix
        if suffix in _MEDIA:
            yield {"type": "image", "source": {"media_type": _MEDIA[suffix], "path": picture.path}}
        else:
            self._exported.losses[
                Loss(what="picture", why=f"ATIF shows no {suffix or 'nameless'} pictures; only its path is kept")
            ] += 1


def _call(call: str, function: str, arguments: dict[str, Any]) -> dict[str, Any]:
    return {"tool_call_id": call, "function_name": function, "arguments": arguments}


def _outcome(result: ActionResult | None) -> str | None:
    """What came of it, for people; the exact result is kept beside it."""
    if result is None:
        return None
    return "\n".join(text for text in (str(result.exec_status), result.error, result.output) if text)


FORMAT = Format(name="atif", title="ATIF v1.8 trajectory, one JSON a run", suffix=".json", write=write, read=read)
