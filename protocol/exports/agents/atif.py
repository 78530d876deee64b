"""ATIF v1.8: one JSON for a whole run, each role's work a subagent trajectory. Source: Harbor's RFC 0001.

The root trajectory is the controller's: the goal as its first step, then one step for every delegation, a stretch of steps of
one subtask and role. Steps without a subtask and role are the root's own. Reading is in `atif_read`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from protocol import InteractionStep, JsonObject, Picture
from protocol.dialects import Context, DialectError, Loss, ParsedPayload, dialect
from protocol.exports.common import kept
from protocol.exports.common.base import ExportResult, Format, FormatError, ImportResult, Pictures, Run, RunInfo
from protocol.exports.common.lines import json_document, json_line, listed, mapping, told
from protocol.log.log import LogLine, bad_line, whole_file
from protocol.log.versions import Problem, refuse

ANTHROPIC = "computer"
PLAYWRIGHT = "browser_"
"""The function, and the beginning of functions, of others whose name says which dialect they are in: Anthropic's computer tool
and Playwright's MCP server. Any other is a tool of ours, or not understood."""
_DEEPEST = 20
_VERSION = re.compile(r"ATIF-v1\.\d{1,2}(\.\d{1,2})?\Z")


def read(path: Path) -> ImportResult:
    """The tool calls of an ATIF v1 document, subagents where the root delegates to them. Raises FormatError."""
    document = json_document(path, "steps", "an ATIF document")
    version = document.get("schema_version")
    if not isinstance(version, str) or not _VERSION.match(version):
        raise FormatError(f"{path.name}: $.schema_version: ATIF-v1 is read, not {str(version)[:40]!r}")
    agent = mapping(document.get("agent"))
    asked = (step for step in document["steps"] if isinstance(step, dict) and step.get("source") == "user")
    info = kept.info_of(
        mapping(document.get("extra")).get(kept.KEY),
        run_id=document.get("session_id") or document.get("trajectory_id"),
        goal=next((_text(step.get("message")) for step in asked), ""),
        agent=agent.get("name"),
        agent_version=agent.get("version"),
    )
    return ImportResult(info, _Reader().trajectory(document, "$", 0))


class _Reader:
    """Walks the trajectories and numbers what it meets: ATIF has no lines, so a line is a tool call."""

    def __init__(self) -> None:
        self._number = 0

    def trajectory(self, data: JsonObject, where: str, depth: int) -> Iterator[LogLine]:
        embedded = _EmbeddedTrajectories()
        for n, subagent in enumerate(listed(data.get("subagent_trajectories"))):
            at, name = f"{where}.subagent_trajectories[{n}]", mapping(subagent).get("trajectory_id")
            embedded[name if isinstance(name, str) and name not in embedded else at] = (at, mapping(subagent))
        for n, step in enumerate(data["steps"]):
            yield from self._step(step, f"{where}.steps[{n}]", embedded, depth)
        for name in list(embedded):  # delegated to by nobody: still somebody's work
            yield from self._subagent(name, embedded, where, depth)

    def _step(self, data: Any, where: str, embedded: _EmbeddedTrajectories, depth: int) -> Iterator[LogLine]:
        if not isinstance(data, dict):
            yield self._bad(where, "a step is an object")
            return
        if data.get("is_copied_context"):  # said before, in the trajectory it was copied from
            return
        found = listed(mapping(data.get("observation")).get("results"))
        results = {result["source_call_id"]: result for result in found if isinstance(mapping(result).get("source_call_id"), str)}
        calls = data.get("tool_calls") or []
        if not isinstance(calls, list):
            yield self._bad(f"{where}.tool_calls", "a list is needed")
            return
        for n, call in enumerate(calls):
            result = results.get(str(mapping(call).get("tool_call_id")), {})
            if not result.get("subagent_trajectory_ref"):
                self._number += 1
                yield from told(self._number, _acted(data, call, result, f"{where}.tool_calls[{n}]", first=n == 0))
        for result in listed(mapping(data.get("observation")).get("results")):
            for ref in listed(mapping(result).get("subagent_trajectory_ref")):
                yield from self._delegated(mapping(ref), where, embedded, depth)

    def _delegated(self, ref: Mapping[str, Any], where: str, embedded: _EmbeddedTrajectories, depth: int) -> Iterator[LogLine]:
        name = ref.get("trajectory_id")
        if isinstance(name, str) and name in embedded:
            yield from self._subagent(name, embedded, where, depth)
        elif isinstance(name, str) and name in embedded.told:
            return
        elif ref.get("trajectory_path") is not None:
            yield self._bad(
                where, f"the subagent's steps are in another file, {str(ref['trajectory_path'])[:80]!r}; read it by itself"
            )
        else:
            yield self._bad(where, f"there is no subagent trajectory {str(name)[:80]!r}")

    def _subagent(self, name: str, embedded: _EmbeddedTrajectories, where: str, depth: int) -> Iterator[LogLine]:
        at, data = embedded.pop(name)
        embedded.told.add(name)
        if depth >= _DEEPEST:
            yield self._bad(at, f"subagents are nested more than {_DEEPEST} deep")
        elif not isinstance(data.get("steps"), list):
            yield self._bad(at, "a trajectory has a list of steps")
        else:
            yield from self.trajectory(data, at, depth + 1)

    def _bad(self, where: str, reason: str) -> LogLine:
        self._number += 1
        return bad_line(self._number, Problem(where, reason))


class _EmbeddedTrajectories(dict[str, tuple[str, JsonObject]]):
    """Subagent trajectories that nobody has read yet, by id; `told` are those that somebody has."""

    def __init__(self) -> None:
        super().__init__()
        self.told: set[str] = set()


def _acted(step: JsonObject, call: Any, result: JsonObject, where: str, *, first: bool) -> Iterator[InteractionStep]:
    """The actions of one tool call. The reason, and what else another agent's step holds, stand at the first of a step."""
    ours = mapping(mapping(step.get("extra")).get(kept.KEY))
    reasoning = step.get("reasoning_content") or _text(step.get("message")) if first else ""
    raw: JsonObject = {}
    if first and not ours:
        raw = {name: step[name] for name in _REST if step.get(name) is not None}
        if step.get("message") and _text(step["message"]) != reasoning:
            raw["message"] = step["message"]
        if result.get("content") is not None:
            raw["observation"] = result["content"]
    if ours:
        pictures = kept.pictures_of(ours, where)
    else:  # those that the tool answered with, taken after the action
        shown = (mapping(part) for part in listed(result.get("content")))
        paths = [mapping(part.get("source")).get("path") for part in shown if part.get("type") == "image"]
        pictures = tuple(picture for path in paths for picture in kept.picture_named(path, "after"))
    actions, losses = _actions(call, where)
    for n, action in enumerate(actions):
        yield kept.taken_back(
            ours,
            where,
            action,
            reasoning if isinstance(reasoning, str) and n == 0 else "",
            pictures,
            timestamp=kept.from_iso(step.get("timestamp")),
            raw={**raw, **kept.lost_in_reading(losses)},
        )


_REST = ("model_name", "reasoning_effort", "metrics", "llm_call_count", "extra")


def _actions(call: Any, where: str) -> ParsedPayload:
    data = mapping(call)
    function, arguments = data.get("function_name"), data.get("arguments")
    if not isinstance(function, str) or not isinstance(arguments, dict):
        refuse(where, "a tool call has a function_name and arguments")
    try:
        if function == ANTHROPIC:
            return dialect("anthropic").read(arguments, Context())
        tool = function.rpartition("__")[2]  # as clients of MCP name it, such as mcp__playwright__browser_click
        if tool.startswith(PLAYWRIGHT):
            return dialect("playwright_mcp").read({"name": tool, "arguments": arguments}, Context())
        return dialect("langchain").read({"name": function, "args": arguments}, Context())
    except DialectError as bad:
        part = bad.where.removeprefix("$").removeprefix(".args").removeprefix(".arguments")
        part = ".function_name" if part == ".name" else f".arguments{part}"
        refuse(where + part, bad.reason)


def _text(message: Any) -> str:
    if isinstance(message, str):
        return message
    texts = (mapping(part).get("text") for part in listed(message))
    return "\n".join(text for text in texts if isinstance(text, str))


VERSION = "ATIF-v1.8"
DELEGATE = "delegate"
"""The tool call by which the controller hands a subtask to a role."""
_MEDIA = {
    ".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif", ".webp": "image/webp",
}  # fmt: skip


def write(run: Run, path: Path) -> ExportResult:
    """The run as one ATIF document; held in memory, as the format is one JSON. Raises FormatError."""
    exported = ExportResult(files=[path])
    root = _Trajectory(run.info, run.info.run_id or "run", run.info.agent or kept.KEY)
    root.say(run.info.goal)
    crew = _Crew(root, exported, run.calls)
    for frame in kept.frames(run.steps, Pictures(run.folder, path), exported.losses):
        crew.take(frame)
        exported.steps += 1
    document = root.dump()
    if crew.subagents:
        document["subagent_trajectories"] = [subagent.dump() for subagent in crew.subagents]
    document["final_metrics"] = {**_metrics(run.calls, "total_"), "total_steps": exported.steps}
    told, parts = _told(run.calls)
    document["extra"] = {kept.KEY: {**kept.run_facts(run.info), **({"calls": told, "parts": parts} if told else {})}}
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
        self.steps: list[JsonObject] = []

    def say(self, text: str, *pictures: JsonObject) -> None:
        """What the user, or whoever delegates, asks for."""
        self.add(source="user", message=[{"type": "text", "text": text}, *pictures] if pictures else text)

    def add(self, **fields: Any) -> None:
        self.steps.append(
            {"step_id": len(self.steps) + 1, **{name: value for name, value in fields.items() if value is not None}}
        )

    def dump(self) -> JsonObject:
        return {
            "schema_version": VERSION,
            **({"session_id": self._info.run_id} if self._info.run_id else {}),
            "trajectory_id": self.id,
            "agent": {"name": self._name, "version": self._info.agent_version or "unknown"},
            "steps": self.steps,
        }


class _Crew:
    """Gives every step to the trajectory it belongs to, and the root a step for every delegation."""

    def __init__(self, root: _Trajectory, exported: ExportResult, calls: Sequence[JsonObject]) -> None:
        self._calls: dict[tuple[object, ...], list[JsonObject]] = {}
        for call in calls:
            self._calls.setdefault((call.get("role"), call.get("subtask"), call.get("step")), []).append(call)
        self._root = root
        self._exported = exported
        self._current: tuple[str, str] = ("", "")
        self._counts: dict[tuple[str, str], int] = {}
        self.subagents: list[_Trajectory] = []

    def take(self, frame: kept.Frame) -> None:
        key = (frame.step.subtask, frame.step.role)
        if key != self._current:
            self._current = key
            if any(key):
                self._delegate(frame, *key)
        trajectory = self.subagents[-1] if any(key) else self._root
        trajectory.add(**self._acted(frame, f"call-{self._exported.steps + 1}"))

    def _delegate(self, frame: kept.Frame, subtask: str, role: str) -> None:
        time = self._counts[subtask, role] = self._counts.get((subtask, role), 0) + 1
        number = len(self.subagents) + 1
        name = f"{number}:{subtask}/{role}" + (f"#{time}" if time > 1 else "")
        subagent = _Trajectory(self._root._info, name, role or subtask)
        subagent.say(subtask, *self._parts(frame.before))
        self.subagents.append(subagent)
        call = f"{DELEGATE}-{number}"
        self._root.add(
            timestamp=kept.formatted(frame.step.timestamp),
            source="agent",
            message="",
            llm_call_count=0,
            tool_calls=[_call(call, DELEGATE, {"subtask": subtask, "role": role})],
            observation={"results": [{"source_call_id": call, "subagent_trajectory_ref": [{"trajectory_id": name}]}]},
        )

    def _acted(self, frame: kept.Frame, call: str) -> JsonObject:
        step = frame.step
        self._exported.losses.update(kept.lost_state(step))
        said = dialect("langchain").write(step.action, Context()).payload
        # The model that decided the step, and what that took; what it was told stands at the end of the document.
        calls = self._calls.get((step.role, step.subtask, step.step), [])
        model = {"model_name": calls[-1].get("model"), "llm_call_count": len(calls)} if calls else {}
        shown, text = list(self._parts(frame.after)), kept.outcome_of(step.result)
        told = [{"type": "text", "text": text}] if text else []
        content = [*told, *shown] if shown else text
        return {
            "timestamp": kept.formatted(step.timestamp),
            "source": "agent",
            "message": "",
            **({**model, "metrics": _metrics(calls)} if calls else {}),
            "reasoning_content": step.reasoning or None,
            "tool_calls": [_call(call, said["name"], said["args"])],
            "observation": {"results": [{"source_call_id": call, "content": content}]} if content else None,
            "extra": {kept.KEY: kept.fields_of(step, frame.before, frame.after)},
        }

    def _parts(self, picture: Picture | None) -> Iterator[JsonObject]:
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


_COUNTED = {"prompt_tokens": "tokens_in", "completion_tokens": "tokens_out", "cached_tokens": "tokens_cached"}
"""Money stands with the calls: whoever set its price did not say that it is in dollars."""


def _metrics(calls: Sequence[JsonObject], before: str = "") -> JsonObject:
    return {f"{before}{name}": sum(call.get(key) or 0 for call in calls) for name, key in _COUNTED.items()} if calls else {}


def _told(calls: Sequence[JsonObject]) -> tuple[list[JsonObject], JsonObject]:
    """What was said to models and by them, with the names of its parts, and the parts: each stands there once."""
    parts: JsonObject = {}
    told = []
    for call in calls:
        messages = []
        for message in listed(call.get("messages")):
            named = [mapping(part) for part in listed(mapping(message).get("parts"))]
            parts |= {str(part.get("name")): part.get("text", part.get("picture")) for part in named}
            messages.append({"role": mapping(message).get("role"), "parts": [part.get("name") for part in named]})
        told.append({**call, "messages": messages})
    return told, parts


def _call(call: str, function: str, arguments: JsonObject) -> JsonObject:
    return {"tool_call_id": call, "function_name": function, "arguments": arguments}


FORMAT = Format(name="atif", title="ATIF v1.8 trajectory, one JSON a run", suffix=".json", write=write, read=read)
