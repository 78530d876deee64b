"""A run is a folder: start it, resume it wherever it stopped, list and show what there is. Source: architecture, section 5."""

from __future__ import annotations

import json
import os
import platform
import secrets
import shutil
import sqlite3
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.types import Command
from pydantic import BaseModel, ConfigDict, ValidationError

from environments.contract import Received, WorldState
from orchestrator.build import build_context, build_saver
from orchestrator.controller import build_controller
from orchestrator.errors import UsageProblem
from orchestrator.folders import RunInfo, RunView, find_run, list_runs, read_run, show_run
from orchestrator.journal import Listener, export_log, salvage
from orchestrator.judge import judge
from orchestrator.line import HubLine
from orchestrator.machine import TaskStatus
from orchestrator.report import build_report
from orchestrator.settings import Loaded, Settings
from orchestrator.store import CursorSaver
from orchestrator.tasks import Task, fill_goal, fill_slots
from roles.context import Context
from roles.nodes import Graph
from roles.operator.approval import Answer
from roles.operator.graph import NODES_PER_STEP

__all__ = ["Outcome", "RunInfo", "RunView", "list_runs", "resume", "show_run", "start"]

DONE, FAILED, WAITING, BUDGET = 0, 1, 3, 4
"""Exit codes; 2 is for usage."""

Approver = Callable[[dict[str, Any]], Mapping[str, Any] | None]


class Outcome(BaseModel):
    """How a run stands when it stops."""

    model_config = ConfigDict(extra="forbid")

    run_id: str
    folder: Path
    status: str
    exit_code: int
    reason: str
    report: dict[str, Any]
    pending: dict[str, Any] | None = None


@dataclass
class _Run:
    """An open run: what is in the folder, and what works on it."""

    record: dict[str, Any]
    folder: Path
    context: Context
    saver: CursorSaver
    graph: Graph
    owned: bool = True
    """Whether the environment was made for this run and goes with it."""

    @property
    def config(self) -> RunnableConfig:
        limits = self.context.limits
        turns = limits.steps * NODES_PER_STEP * (1 + limits.max_recovery_attempts) + 20 * (limits.plans + limits.gates) + 200
        return {"configurable": {"thread_id": self.record["run_id"]}, "recursion_limit": turns}

    def close(self) -> None:
        self.context.journal.close()
        self.saver.close()
        if self.owned:
            self.context.environment.close()


def start(
    settings: Loaded,
    target: Task | str,
    *,
    listener: Listener | None = None,
    approver: Approver | None = None,
    parts: Mapping[str, Any] | None = None,
) -> Outcome:
    """Make the run's folder and work the goal until it ends or waits. Raises UsageProblem or WorldError for bad input."""
    folder = _new_folder(settings.settings.runs_dir)
    with ExitStack() as undo:
        # A run that could not start leaves nothing behind; one that did is undone by nobody.
        undo.callback(shutil.rmtree, folder, ignore_errors=True)
        run = _create(folder, settings, target, listener, parts)
        undo.pop_all()
    try:
        return _drive(run, {"goal": run.record["goal"]}, approver)
    finally:
        run.close()


def resume(
    run_id: str,
    *,
    runs_dir: Path,
    answer: Mapping[str, Any] | None = None,
    listener: Listener | None = None,
    approver: Approver | None = None,
    parts: Mapping[str, Any] | None = None,
) -> Outcome:
    """Go on where the run stopped, with the answer that it waits for, if it waits."""
    folder = find_run(run_id, runs_dir)
    record = read_run(folder)
    if answer is not None:
        _check_answer(answer)
    if (folder / "report.json").exists() and json.loads((folder / "report.json").read_text())["status"] in _ENDED:
        raise UsageProblem(f"Run {record['run_id']} is finished; see it with: deskcrew show {record['run_id']}")
    run = _open(folder, record, listener, parts)
    try:
        return _continue(run, answer, approver)
    finally:
        run.close()


_ENDED = {TaskStatus.FULFILLED.value, TaskStatus.REJECTED.value}


def _continue(run: _Run, answer: Mapping[str, Any] | None, approver: Approver | None) -> Outcome:
    snapshot = run.graph.get_state(run.config)
    waiting = snapshot.interrupts
    journal = run.context.journal
    if answer is not None and not waiting:
        raise UsageProblem(
            f"Run {run.record['run_id']} waits for no answer; resume it with: deskcrew resume {run.record['run_id']}"
        )
    journal.record(
        "run_resumed", {"goal": run.record["goal"], "answer": (answer or {}).get("decisions", [{}])[0].get("type", "")}
    )
    if not snapshot.values and not snapshot.next:
        return _drive(run, {"goal": run.record["goal"]}, approver)
    if not waiting:
        return _drive(run, None, approver)
    request = waiting[0].value
    given = answer or (approver(request) if approver else None)
    if given is None:
        return _wait(run, request)
    return _drive(run, _answering(waiting[0], given), approver)


def _answering(waiting: Any, answer: Mapping[str, Any]) -> Command[Any]:
    """Bind the answer to the action that was shown: by the interrupt's id, and by the action's digest."""
    decision = {"digest": waiting.value["digest"], **answer["decisions"][0]}
    return Command(resume={waiting.id: {"decisions": [decision]}})


def _drive(run: _Run, start_with: Any, approver: Approver | None) -> Outcome:
    """Run the graph until it ends, or until it waits for an answer that nobody here gives."""
    line = run.context.line
    assert isinstance(line, HubLine)  # noqa: S101 - built by us
    try:
        while True:
            result: dict[str, Any] = run.graph.invoke(start_with, run.config, context=run.context, durability="sync")
            waiting = result.get("__interrupt__")
            if not waiting:
                return _finish(run, result)
            request = waiting[0].value
            with line.waiting():
                given = approver(request) if approver else None
            if given is None:
                return _wait(run, request)
            line.status(TaskStatus.PENDING, reason="answered")
            start_with = _answering(waiting[0], given)
    finally:
        run.context.journal.set_meta("elapsed", line.elapsed())


def _wait(run: _Run, request: dict[str, Any]) -> Outcome:
    wanted = "an answer" if request["kind"] == "question" else "approval"
    reason = f"waiting for {wanted}: {request['action_requests'][0]['description']}"
    report = _write_report(run, {"status": TaskStatus.ON_HOLD.value, "reason": reason})
    return _outcome(run, TaskStatus.ON_HOLD.value, WAITING, reason, report, request)


def _finish(run: _Run, result: dict[str, Any]) -> Outcome:
    status, reason = result["task_status"], result.get("reason", "")
    code = DONE if status == TaskStatus.FULFILLED else FAILED
    if result.get("ended_by") == "budget_spent":
        code = BUDGET
    ended = {**result, "status": status, "reason": reason}
    verdict = _judge(run, ended)
    if verdict is not None and not verdict["passed"] and code == DONE:
        code, reason = (
            FAILED,
            "the crew says done, but the world does not show it: "
            + "; ".join(c["expression"] for c in verdict["checks"] if not c["passed"]),
        )
    run.context.journal.record("run_finished", {"status": status, "reason": reason, "exit_code": code}, key="run_finished")
    report = _write_report(run, {**ended, "reason": reason}, judge=verdict)
    return _outcome(run, status, code, reason, report, None)


def _judge(run: _Run, ended: dict[str, Any]) -> dict[str, Any] | None:
    """The harness's verdict over the world's true state, for a run of a task file."""
    harness, surface = run.record.get("harness"), run.context.environment
    if not harness or not isinstance(surface, WorldState):
        return None
    received = surface.received() if isinstance(surface, Received) else []
    told = {"status": ended["status"], "reason": ended["reason"], "steps": ended.get("steps", 0), "plans": ended.get("plans", 0)}
    task = Task.model_validate(harness["task"])
    return judge(task, surface.world(), harness["initial"], harness["slots"], received, told).model_dump(mode="json")


def _write_report(run: _Run, result: dict[str, Any], **more: Any) -> dict[str, Any]:
    journal, line = run.context.journal, run.context.line
    journal.commit()
    assert isinstance(line, HubLine)  # noqa: S101 - built by us
    values = run.graph.get_state(run.config).values
    counts = {key: values.get(key, 0) for key in ("steps", "plans", "gates")}
    report = build_report(list(journal.events()), run=run.record, result={**counts, "elapsed": line.elapsed(), **result}) | more
    _write_json(run.folder / "report.json", report)
    export_log(journal, run.folder / "log.jsonl", run.record["run_id"])
    return report


def _outcome(run: _Run, status: str, code: int, reason: str, report: dict[str, Any], pending: dict[str, Any] | None) -> Outcome:
    return Outcome(
        run_id=run.record["run_id"],
        folder=run.folder,
        status=status,
        exit_code=code,
        reason=reason,
        report=report,
        pending=pending,
    )


def _create(
    folder: Path, settings: Loaded, target: Task | str, listener: Listener | None, parts: Mapping[str, Any] | None
) -> _Run:
    record: dict[str, Any] = {
        "run_id": folder.name,
        "started": time.time(),
        "settings": json.loads(settings.settings.model_dump_json()),
        "sources": settings.sources,
        "versions": {"deskcrew": version("deskcrew"), "langgraph": version("langgraph"), "python": platform.python_version()},
        "goal": target if isinstance(target, str) else target.goal,
    }
    run = _open(folder, record, listener, parts)
    with ExitStack() as undo:
        undo.callback(run.close)
        _first_state(run, settings, target)
        undo.pop_all()
    return run


def _first_state(run: _Run, settings: Loaded, target: Task | str) -> None:
    """Reset the world, fill the task's slots from it, and write `run.json`."""
    record, surface = run.record, run.context.environment
    surface.reset(seed=settings.settings.seed)
    if isinstance(target, Task):
        initial = surface.world() if isinstance(surface, WorldState) else {}
        slots = fill_slots(target, initial, settings.settings.seed)
        record["goal"] = fill_goal(target, slots)
        record["task_id"] = target.id
        record["harness"] = {"task": target.model_dump(mode="json", by_alias=True), "slots": slots, "initial": initial}
    _write_json(run.folder / "run.json", record)
    body = {
        "goal": record["goal"],
        "run_id": record["run_id"],
        "task": record.get("task_id", ""),
        "world": settings.settings.world,
        "seed": settings.settings.seed,
    }
    run.context.journal.record("run_started", body, key="run_started")


def _open(folder: Path, record: dict[str, Any], listener: Listener | None, parts: Mapping[str, Any] | None) -> _Run:
    try:
        settings = Settings.model_validate(record["settings"])
    except ValidationError as bad:
        where = ".".join(str(p) for p in bad.errors()[0]["loc"])
        raise UsageProblem(f"{folder / 'run.json'}: settings.{where}: {bad.errors()[0]['msg']}") from None
    try:
        context = build_context(
            settings,
            environment=(parts or {}).get("environment"),
            run_id=record["run_id"],
            journal_path=folder / "journal.sqlite",
            store=folder,
            listener=listener,
            parts=parts,
        )
        saver = build_saver(folder / "checkpoints.sqlite")
    except sqlite3.DatabaseError as bad:
        kept = salvage(folder / "journal.sqlite")
        note = kept.note or f"{folder} is damaged ({bad}): {len(kept.events)} events could be read"
        raise UsageProblem(f"{note}; it cannot be resumed, see what was kept with: deskcrew show {record['run_id']}") from None
    return _Run(record, folder, context, saver, build_controller(checkpointer=saver), "environment" not in (parts or {}))


def _check_answer(answer: Mapping[str, Any]) -> None:
    """Refuse an unusable answer before anything is touched."""
    try:
        decision = Answer.model_validate(answer).decisions[0]
        if decision.type == "edit":
            if decision.edited_action is None:
                raise UsageProblem("An edit needs the edited action: action_type and its arguments.")
            decision.edited_action.action()
    except ValidationError as bad:
        first = bad.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise UsageProblem(f"The answer is not usable: {where}: {first['msg']}") from None


def _new_folder(runs_dir: Path) -> Path:
    """`runs/<date>-<time>-<four hex digits>`, made anew."""
    for _ in range(100):
        folder = runs_dir / f"{time.strftime('%Y%m%d-%H%M%S')}-{secrets.token_hex(2)}"
        try:
            folder.mkdir(parents=True)
        except FileExistsError:
            continue
        except OSError as bad:
            raise UsageProblem(f"runs_dir: {folder} cannot be made ({bad.strerror}); choose another with --runs-dir.") from None
        return folder
    raise UsageProblem(f"runs_dir: no free name was found in {runs_dir}")


def _write_json(path: Path, data: Any) -> None:
    partial = path.with_name(path.name + ".part")
    partial.write_text(
        json.dumps(data, indent=1, ensure_ascii=False, default=str) + "\n", encoding="utf-8", errors="surrogatepass"
    )
    os.replace(partial, path)
