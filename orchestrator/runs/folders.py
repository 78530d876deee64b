"""The folder of runs: find one by id, list them all, show one. Reads only; a damaged run says so and shows the rest.

A list of runs needs nothing of what a run is worked with, or shown by: that is imported where it is used.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from environments.files.small_files import LARGEST, read_small
from orchestrator.control.lease import HOLDING_STILL, reported, standing
from orchestrator.errors import UsageProblem, only_one
from orchestrator.store.databases import row_of
from orchestrator.store.printable import UNREADABLE, write_json

if TYPE_CHECKING:
    from orchestrator.tasks.plans import ShownPlan
    from protocol import JsonObject


class RunInfo(NamedTuple):
    """One line of `deskcrew ls`."""

    run_id: str
    goal: str
    status: str
    started: float
    steps: int
    waiting: bool
    reason: str
    task: str | None = None
    seed: int | None = None
    world: str | None = None
    preset: str | None = None
    judge: str | None = None
    """`passed`, `unclean` where more was changed than the task allows, or `failed`."""
    tokens: int | None = None
    cost: float | None = None
    duration: float | None = None
    """Seconds of work; like tokens and cost None until the run has reported."""


class RunView(NamedTuple):
    """All of `deskcrew show`: the report as it stands, and notes on what could not be read."""

    report: JsonObject
    notes: list[str]


_NAME = re.compile(r"[^\W_][\w.+ -]{0,199}")


def find_run(run_id: str, runs_dir: Path) -> Path:
    """The folder of a run, by its id or any unique beginning or end of it."""
    names = _names(runs_dir)
    known = any(run_id and (name.startswith(run_id) or name.endswith(run_id)) for name in names)
    if not known and (renamed := next((name for name in names if _says(runs_dir / name) == run_id), None)):
        raise UsageProblem(f"The folder of run {run_id!r} is called {runs_dir / renamed}; give it the name of the run again.")
    return runs_dir / only_one(run_id, names, f"in {runs_dir}", "deskcrew ls")


def is_run_id(name: str) -> bool:
    """Whether that can be the name of a run's folder, and no way to another one."""
    return _NAME.fullmatch(name) is not None


def _says(folder: Path) -> object:
    """The id that a run's own record says; None where it says none."""
    try:
        record = json.loads(read_small(folder / "run.json"))
    except (OSError, ValueError, RecursionError):
        return None
    return record.get("run_id") if isinstance(record, dict) else None


def _names(runs_dir: Path) -> list[str]:
    if not runs_dir.is_dir():
        if runs_dir.exists():
            raise UsageProblem(f"{runs_dir} is not a folder; name the one with the runs: --runs-dir FOLDER.")
        return []
    with os.scandir(runs_dir) as found:
        return sorted(entry.name for entry in found if os.path.isfile(f"{entry.path}/run.json"))


def read_run(folder: Path) -> JsonObject:
    """`run.json`. Raises UsageProblem when it cannot be read."""
    kinds = {"run_id": str, "goal": str, "settings": dict, "started": int | float}
    try:
        record = _json(folder / "run.json")
        if not isinstance(record, dict) or not {"run_id", "goal", "settings"} <= set(record):
            raise ValueError("run_id, goal or settings are missing")
        if wrong := next((key for key, kind in kinds.items() if key in record and not isinstance(record[key], kind)), ""):
            raise ValueError(f"{wrong} has the wrong type")
    except (OSError, ValueError, RecursionError) as bad:
        raise UsageProblem(f"{folder / 'run.json'} cannot be read ({bad}); the run cannot be used.") from None
    return record


def list_runs(runs_dir: Path) -> list[RunInfo]:
    """Every run, newest last."""
    return [_info(runs_dir / name) for name in _names(runs_dir)]


def _info(folder: Path) -> RunInfo:
    try:
        record = read_run(folder)
    except UsageProblem as bad:
        return RunInfo(folder.name, "", "damaged", 0.0, 0, False, str(bad))
    report = stored_report(folder)
    now = standing(folder, report)
    info = info_of(record, report)._replace(status=now.state, reason=now.reason, waiting=now.state == "on_hold")
    reported_last = now.holder is None and now.state in {"on_hold", "paused"}  # it did nothing since
    if now.ended or reported_last:
        return info
    # The journal knows more than the report of a run that is at work or was killed; what of it can be read `show` says.
    done = row_of(folder / "journal.sqlite", "SELECT COUNT(*) FROM events WHERE kind = 'step'") or (0,)
    return info._replace(steps=max(info.steps, int(done[0])))


def info_of(record: Mapping[str, Any], report: Mapping[str, Any]) -> RunInfo:
    """The line of a run, from what its files say."""
    status, reason = reported(report)
    counted = report.get("counts", {}).get("steps", 0)
    steps = counted if isinstance(counted, int) else 0
    settings, models = record["settings"], report.get("models")
    uses = [use for use in models.values() if isinstance(use, dict)] if isinstance(models, dict) else None
    simulated = settings.get("environment") in {"simulated", "served"}
    return RunInfo(
        record["run_id"], record["goal"], status, float(record.get("started", 0.0)), steps, status == "on_hold", reason,
        task=_of(str, record.get("task_id")), seed=_of(int, settings.get("seed")),
        world=_of(str, settings.get("world")) if simulated else None,
        preset=PurePath(_of(str, settings.get("policies")) or "").stem or None, judge=_judged(report.get("judge")),
        tokens=None if uses is None else sum(_of(int, use.get(way)) or 0 for use in uses for way in ("tokens_in", "tokens_out")),
        cost=None if uses is None else round(sum((_of(float, use.get("money")) or 0.0 for use in uses), 0.0), 6),
        duration=_of(float, report.get("wall_seconds")),
    )  # fmt: skip


_Kind = TypeVar("_Kind", str, int, float)


def _of(kind: type[_Kind], value: Any) -> _Kind | None:
    """`value` if it is of this kind, and not what somebody else wrote into a file of a run."""
    return value if isinstance(value, kind) and not isinstance(value, bool) else None


def _judged(verdict: Any) -> str | None:
    if not isinstance(verdict, dict) or "passed" not in verdict:
        return None
    return ("unclean" if verdict.get("clean") is False else "passed") if verdict["passed"] is True else "failed"


def stored_report(folder: Path) -> JsonObject:
    """`report.json`; empty where there is none that can be read: it is made anew from the journal."""
    try:
        report = _json(folder / "report.json")
    except (OSError, ValueError, RecursionError):
        return {}
    good = isinstance(report, dict) and isinstance(report.get("status"), str) and isinstance(report.get("counts", {}), dict)
    return report if good else {}


def _json(path: Path) -> Any:
    from pydantic_core import from_json

    text = read_small(path, LARGEST)
    try:
        return from_json(text)
    except ValueError:  # half a character, for one, is read by Python alone; and it says best what is wrong
        return json.loads(text)


_INTERRUPTED = {"status": "interrupted", "reason": "it was stopped before it could report; resume it", "pending": None}


def no_longer_reported(folder: Path) -> None:
    """The run goes on: a report that says that it waits holds no longer."""
    report = stored_report(folder)
    if report and report["status"] != _INTERRUPTED["status"]:
        write_json(folder / "report.json", report | _INTERRUPTED)


def show_plan(run_id: str, runs_dir: Path) -> ShownPlan:
    """The plan that a run waits to have reviewed, or else the one that it worked last."""
    from orchestrator.store.salvage import salvage
    from orchestrator.tasks.plans import ShownPlan, shown_plan
    from roles.contracts import Subtask
    from roles.contracts.requests import PlanReviewRequest, request_in
    from roles.journal.events import ApprovalEvent, ApprovalRequestedEvent, PlanEvent

    folder = find_run(run_id, runs_dir)
    record = read_run(folder)
    goal = f"run {record['run_id']}: {record['goal']}"
    events = salvage(folder / "journal.sqlite").events
    requests = [request_in(e.body) for e in events if e.kind == ApprovalRequestedEvent.KIND]
    asked = [request for request in requests if isinstance(request, PlanReviewRequest)]
    answered = {e.body.get("key") for e in events if e.kind == ApprovalEvent.KIND}
    if asked and asked[-1].key not in answered:
        return ShownPlan(asked[-1].about.args, (goal, "this plan waits for your review"))
    plans = [e.body for e in events if e.kind == PlanEvent.KIND]
    if not plans:
        raise UsageProblem(f"Run {folder.name} has no plan.")
    return shown_plan([Subtask.model_validate(item) for item in plans[-1]["subtasks"]], goal)


def show_run(run_id: str, runs_dir: Path) -> RunView:
    """What is known of a run: its report, or one made from as much of the journal as can be read."""
    from orchestrator.runs.report import BudgetCount, build_report, reported_events
    from orchestrator.store.reader import RunJournal
    from roles.journal.events import GateEvent, PlanEvent, StepEvent

    folder = find_run(run_id, runs_dir)
    record, report = read_run(folder), stored_report(folder)
    with closing(RunJournal(folder, live=False)) as journal:
        events = reported_events(journal.read_all())
    now = standing(folder, report)
    stale = report.get("status") not in {"fulfilled", "rejected"}
    if not report or (stale and events and not journal.note):
        waiting = report.get("status") in {"on_hold", *HOLDING_STILL}
        status, reason = reported(report if waiting else {})
        kinds, counting = Counter(event.kind for event in events), BudgetCount()
        counts = {"steps": kinds[StepEvent.KIND], "plans": kinds[PlanEvent.KIND], "gates": kinds[GateEvent.KIND]}
        try:
            for event in events:
                counting.hear(event)
            used = counting.budgets(record["settings"])
            report = build_report(events, run=record, result={"status": status, "reason": reason, **counts}, budgets=used)
        except UNREADABLE as bad:
            why = f"events that deskcrew does not write ({type(bad).__name__})"
            raise UsageProblem(f"{journal.path} holds {why}; the run cannot be shown.") from None
    if now.holder is not None:
        report = report | {"status": now.state, "reason": now.reason}
    return RunView(report, [journal.note] if journal.note else [])
