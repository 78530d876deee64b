"""The folder of runs: find one by id, list them all, show one. Reads only; a damaged run says so and shows the rest."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

from orchestrator.errors import UsageProblem
from orchestrator.journal import salvage
from orchestrator.report import build_report


class RunInfo(NamedTuple):
    """One line of `deskcrew ls`."""

    run_id: str
    goal: str
    status: str
    started: float
    steps: int
    waiting: bool
    reason: str


class RunView(NamedTuple):
    """All of `deskcrew show`: the report as it stands, and notes on what could not be read."""

    report: dict[str, Any]
    notes: list[str]


def find_run(run_id: str, runs_dir: Path) -> Path:
    """The folder of a run, by its id or any unique beginning or end of it."""
    names = _names(runs_dir)
    if run_id in names:
        return runs_dir / run_id
    close = [name for name in names if run_id and (name.startswith(run_id) or name.endswith(run_id))]
    if len(close) == 1:
        return runs_dir / close[0]
    if close:
        raise UsageProblem(f"{run_id!r} means several runs in {runs_dir}: {', '.join(close[:5])}; give more of the id.")
    raise UsageProblem(f"There is no run {run_id!r} in {runs_dir}; list the runs with: deskcrew ls")


def _names(runs_dir: Path) -> list[str]:
    if not runs_dir.is_dir():
        return []
    return sorted(path.name for path in runs_dir.iterdir() if (path / "run.json").is_file())


def read_run(folder: Path) -> dict[str, Any]:
    """`run.json`. Raises UsageProblem when it cannot be read."""
    try:
        record = json.loads((folder / "run.json").read_text(encoding="utf-8"))
        if not isinstance(record, dict) or not {"run_id", "goal", "settings"} <= set(record):
            raise ValueError("it does not say run_id, goal and settings")
    except (OSError, ValueError) as bad:
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
    report = _stored_report(folder)
    status = str(report.get("status", "interrupted"))
    steps = int(report.get("counts", {}).get("steps", 0))
    reason = str(report.get("reason", "it was stopped before it could report; resume it"))
    return RunInfo(
        record["run_id"], record["goal"], status, float(record.get("started", 0.0)), steps, status == "on_hold", reason
    )


def _stored_report(folder: Path) -> dict[str, Any]:
    try:
        report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return report if isinstance(report, dict) else {}


def show_run(run_id: str, runs_dir: Path) -> RunView:
    """What is known of a run: its report, or one made from as much of the journal as can be read."""
    folder = find_run(run_id, runs_dir)
    record = read_run(folder)
    kept = salvage(folder / "journal.sqlite")
    notes = [kept.note] if kept.note else []
    report = _stored_report(folder)
    stale = report.get("status") not in {"fulfilled", "rejected"}
    if not report or (stale and kept.events and not kept.note):
        waiting = bool(report) and report.get("status") == "on_hold"
        status, reason = (
            ("on_hold", report["reason"]) if waiting else ("interrupted", "it was stopped before it could report; resume it")
        )
        ended = {
            "status": status,
            "reason": reason,
            "steps": sum(1 for e in kept.events if e.kind == "step"),
            "plans": sum(1 for e in kept.events if e.kind == "plan"),
            "gates": sum(1 for e in kept.events if e.kind == "gate"),
        }
        report = build_report(kept.events, run=record, result=ended)
    return RunView(report, notes)
