"""AgentNet's trajectories: JSON lines, a task a line, with the picture before each step. Source: xlang-ai/OpenCUA.

The code is AgentNet's, with places as shares of the screen. What AgentNet has no key for stands under `deskcrew`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from protocol.dialects import Context, DialectError, dialect
from protocol.dialects.common.base import Loss
from protocol.exports.common.base import (
    ExportResult,
    Format,
    ImportResult,
    Run,
    bad_line,
    first_objects,
    json_line,
    mapping,
    read_json_lines,
    refuse,
    told,
)
from protocol.exports.common.kept import (
    KEY,
    Frame,
    info_of,
    kept,
    kept_pictures,
    picture_named,
    pictures_of,
    run_facts,
    spoken,
    taken_back,
)
from protocol.log.log import LogLine, whole_file
from protocol.log.versions import Problem
from protocol.model.describe import describe
from protocol.model.geometry import JsonObject
from protocol.model.steps import InteractionStep

_NO_PICTURE = Loss(what="picture", why="there is none before the action; image is empty")
_COMPLETED = {"fulfilled": True, "rejected": False}


def write(run: Run, path: Path) -> ExportResult:
    """The run as one line, written as a stream."""
    exported = ExportResult(files=[path])
    head: JsonObject = {"task_id": run.info.run_id or path.stem, "instruction": run.info.goal}
    if run.info.outcome:
        head["task_completed"] = _COMPLETED[run.info.outcome]
    with whole_file(path) as file:
        file.write(json_line({**head, KEY: run_facts(run.info)})[:-1] + ', "traj": [')
        separator = ""
        for index, frame, payload in spoken(run, path, "agentnet", exported):
            if frame.before is None:
                exported.losses[_NO_PICTURE] += 1
            file.write(separator + json_line(_item(index, frame, payload)))
            separator = ", "
        file.write("]}\n")
    return exported


def _item(index: int, frame: Frame, code: str) -> JsonObject:
    step = frame.step
    return {
        "index": index,
        "image": frame.before.path if frame.before else "",
        "value": {
            "code": code,
            "observation": "",
            "thought": step.reasoning,
            "action": describe(step.action),
            "reflection": step.result.error if step.result else "",
        },
        KEY: {**kept(step), **kept_pictures(frame.before, frame.after)},
    }


def read(path: Path) -> ImportResult:
    """The steps of every task of the file, in order; of several tasks each step's run is its task. Raises FormatError."""
    first = first_objects(path)[0]
    done = first.get("task_completed")
    outcome = {True: "fulfilled", False: "rejected"}[done] if isinstance(done, bool) else None
    said = {"run_id": first.get("task_id"), "goal": first.get("instruction"), "outcome": outcome}
    return ImportResult(info_of(first.get(KEY), **said), read_json_lines(path, _lines))


def _lines(number: int, task: Any) -> Iterator[LogLine]:
    """A mistake in one step costs that step only, although they all stand in one line."""
    if not isinstance(task, dict) or not isinstance(task.get("traj"), list):
        yield bad_line(number, Problem("$.traj", "a task has a list of steps"))
        return
    for n, item in enumerate(task["traj"]):
        yield from told(number, _acted(task, item, f"$.traj[{n}]", n))


def _acted(task: JsonObject, item: Any, where: str, index: int) -> Iterator[InteractionStep]:
    value = mapping(mapping(item).get("value"))
    code, thought = value.get("code"), value.get("thought")
    if not isinstance(code, str):
        refuse(f"{where}.value.code", "a text is needed")
    ours = mapping(item.get(KEY))
    at = f"{where}.{KEY}" if ours else where
    try:
        actions = dialect("agentnet").read(code, Context()).actions
    except DialectError as bad:
        refuse(f"{where}.value.code", str(bad))
    for n, action in enumerate(actions):
        yield taken_back(
            ours,
            at,
            action,
            thought if isinstance(thought, str) and n == 0 else "",
            pictures_of(ours, at) if ours else picture_named(item.get("image"), "before"),
            step=index,
            run_id=str(task.get("task_id", "")),
            raw={name: said for name, said in value.items() if name not in ("code", "thought")},
        )


FORMAT = Format(name="agentnet_traj", title="AgentNet trajectories, a task a line", suffix=".jsonl", write=write, read=read)
