"""OSWorld's `traj.jsonl`: a line a step, the action as pyautogui text, the picture after it. Source: its lib_run_single.py.

What OSWorld has no key for stands in `info` under `deskcrew`; facts of the whole run stand there in the first line.

And AgentNet's trajectories: a task a line, with the picture before each step. Source: xlang-ai/OpenCUA. The code is AgentNet's,
with places as shares of the screen; what AgentNet has no key for stands under `deskcrew`.
"""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from protocol import FailGoal, FinishGoal, InteractionStep, JsonObject, describe
from protocol.dialects import Context, Loss, ParsedPayload
from protocol.exports.common import kept
from protocol.exports.common.base import ExportResult, Format, ImportResult, Run
from protocol.exports.common.lines import first_object, json_line, mapping, read_json_lines, told
from protocol.log.log import LogLine, bad_line, whole_file
from protocol.log.versions import Problem, refuse

_NONE_BEFORE = Loss(what="picture", why="there is none before the action; image is empty")
_COMPLETED = {"fulfilled": True, "rejected": False}


def write_agentnet(run: Run, path: Path) -> ExportResult:
    """The run as one line, written as a stream."""
    exported = ExportResult(files=[path])
    head: JsonObject = {"task_id": run.info.run_id or path.stem, "instruction": run.info.goal}
    if run.info.outcome:
        head["task_completed"] = _COMPLETED[run.info.outcome]
    with whole_file(path) as file:
        file.write(json_line({**head, kept.KEY: kept.run_facts(run.info)})[:-1] + ', "traj": [')
        separator = ""
        for index, frame, payload in kept.spoken(run, path, "agentnet", exported):
            step = frame.step
            if frame.before is None:
                exported.losses[_NONE_BEFORE] += 1
            value = {
                "code": payload,
                "observation": "",
                "thought": step.reasoning,
                "action": describe(step.action),
                "reflection": step.result.error if step.result else "",
            }
            item = {"index": index, "image": frame.before.path if frame.before else "", "value": value}
            file.write(separator + json_line({**item, kept.KEY: kept.fields_of(step, frame.before, frame.after)}))
            separator = ", "
        file.write("]}\n")
    return exported


def read_agentnet(path: Path) -> ImportResult:
    """The steps of every task of the file, in order; of several tasks each step's run is its task. Raises FormatError."""
    first = first_object(path)
    done = first.get("task_completed")
    outcome = {True: "fulfilled", False: "rejected"}[done] if isinstance(done, bool) else None
    said = {"run_id": first.get("task_id"), "goal": first.get("instruction"), "outcome": outcome}
    return ImportResult(kept.info_of(first.get(kept.KEY), **said), read_json_lines(path, _task_lines))


def _task_lines(number: int, task: Any) -> Iterator[LogLine]:
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
    ours = mapping(item.get(kept.KEY))
    at = f"{where}.{kept.KEY}" if ours else where
    for n, action in enumerate(kept.read_as("agentnet", code, Context(), f"{where}.value.code").actions):
        yield kept.taken_back(
            ours,
            at,
            action,
            thought if isinstance(thought, str) and n == 0 else "",
            kept.pictures_of(ours, at) if ours else kept.picture_named(item.get("image"), "before"),
            step=index,
            run_id=str(task.get("task_id", "")),
            raw={name: said for name, said in value.items() if name not in ("code", "thought")},
        )


AGENTNET = Format(
    name="agentnet_traj", title="AgentNet trajectories, a task a line", suffix=".jsonl", write=write_agentnet, read=read_agentnet
)


SCREEN = (1920, 1080)
"""Pixels of the screen of OSWorld's machines."""
_NO_PICTURE = Loss(what="picture", why="there is none after the action; screenshot_file is null")
_TIME = "%Y%m%d@%H%M%S"


def write(run: Run, path: Path) -> ExportResult:
    """A line a step that pyautogui can say, as a stream."""
    exported = ExportResult(files=[path])
    with whole_file(path) as file:
        for _, frame, payload in kept.spoken(run, path, "pyautogui", exported):
            step, after = frame.step, frame.after
            if after is None:
                exported.losses[_NO_PICTURE] += 1
            ended = {FinishGoal: {"done": True}, FailGoal: {"fail": True}}.get(type(step.action), {})
            facts = {"run": kept.run_facts(run.info)} if exported.steps == 1 else {}
            line = {
                "step_num": exported.steps,
                "action_timestamp": kept.formatted(step.timestamp, _TIME) or "",
                "action": payload,
                "response": step.reasoning,
                "reward": 0,
                "done": bool(ended),
                "info": {**ended, kept.KEY: {**kept.fields_of(step, frame.before, after), **facts}},
                "screenshot_file": after.path if after else None,
                "screenshot_sha256": after.sha256 if after else None,
            }
            file.write(json_line(line) + "\n")
    return exported


def read(path: Path) -> ImportResult:
    """The steps of a trajectory, ours or another agent's: text is pyautogui, an object is computer_13. Raises FormatError."""
    lines = read_json_lines(path, lambda number, line: told(number, _steps(number, line)))
    return ImportResult(kept.info_of(_ours(first_object(path)).get("run")), lines)


def _steps(number: int, line: Any) -> Iterator[InteractionStep]:
    if not isinstance(line, dict):
        refuse("$", "a line is an object")
    if "action" not in line:
        refuse("$.action", f"is missing; the harness says {str(line['Error'])[:200]}" if "Error" in line else "is missing")
    ours, response = _ours(line), line.get("response")
    where = f"$.info.{kept.KEY}" if ours else "$"
    spoken = response if isinstance(response, str) else ""
    said = ("action",) if isinstance(line["action"], str) else ()
    actions, losses = _actions(line["action"])
    for n, action in enumerate(actions):
        lost = kept.lost_in_reading(losses) if n == 0 else {}
        yield kept.taken_back(
            ours,
            where,
            action,
            spoken if n == 0 else "",
            kept.pictures_of(ours, where) if ours else kept.picture_named(line.get("screenshot_file"), "after"),
            timestamp=_when(line.get("action_timestamp")),
            step=line["step_num"] if isinstance(line.get("step_num"), int) else number,
            screen=SCREEN,
            raw={**{name: value for name, value in line.items() if name not in said}, **lost},
        )


def _actions(said: Any) -> ParsedPayload:
    if isinstance(said, Mapping):  # the harness wraps code for Claude as `command`, and for OpenAI's tool by its `action_space`
        if "command" in said or said.get("action_type") == "tool_use" or said.get("name") == "computer":
            said = said.get("command")
        elif said.get("action_space") == "pyautogui":
            said = said.get("action")
    if isinstance(said, list) and all(isinstance(one, str) for one in said):
        said = "\n".join(said)
    if not isinstance(said, str | Mapping):
        refuse("$.action", "a text or an object is needed")
    return kept.read_as("pyautogui" if isinstance(said, str) else "computer_13", said, Context(screen=SCREEN), "$.action")


def _when(stamp: Any) -> float:
    """OSWorld's stamps have no zone: UTC. 0 for what is no stamp."""
    for form in (_TIME, _TIME + "%f"):
        try:
            return datetime.strptime(stamp, form).replace(tzinfo=UTC).timestamp()
        except (TypeError, ValueError):
            continue
    return 0.0


def _ours(line: JsonObject) -> JsonObject:
    return mapping(mapping(line.get("info")).get(kept.KEY))


FORMAT = Format(name="osworld", title="OSWorld traj.jsonl", suffix=".jsonl", write=write, read=read)
