"""Runs as `deskcrew ls` and `deskcrew show` tell of them, for a terminal somewhere else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fastapi import APIRouter

from orchestrator.control.lease import HOLDING_STILL, standing
from orchestrator.control.requests import still_open
from orchestrator.desk.auth import Viewer
from orchestrator.desk.desk import RunFolder, TheDesk
from orchestrator.runs import folders
from orchestrator.runs.folders import stored_report
from orchestrator.runs.outcome import FAILED, WAITING
from orchestrator.store.salvage import salvage
from orchestrator.store.transcripts import seal_of
from protocol import Frozen
from roles.journal.events import RunFinishedEvent

router = APIRouter(prefix="/api", tags=["reading"])


class RunListing(Frozen):
    """Lines of `deskcrew ls --json`."""

    runs: tuple[dict[str, Any], ...]


class RunReport(Frozen):
    """All of `deskcrew show --json`, and how the process that worked the run ended, or would."""

    report: dict[str, Any]
    notes: tuple[str, ...]
    status: str
    reason: str
    works: bool
    """Whether a process works it now."""
    exit_code: int
    asking: str
    """The id of what it waits to be told; empty where it waits for nothing."""
    pending: dict[str, Any] | None


class PlanShown(Frozen):
    plan: dict[str, Any]
    about: tuple[str, ...]


@router.get("/listing")
def listing(desk: TheDesk, visitor: Viewer) -> RunListing:
    """Every run, newest last."""
    return RunListing(runs=tuple(run._asdict() for run in folders.list_runs(desk.runs_dir)))


@router.get("/runs/{run_id}/report")
def report(desk: TheDesk, visitor: Viewer, folder: RunFolder) -> RunReport:
    """One run as it stands."""
    view = folders.show_run(folder.name, desk.runs_dir)
    now, seal = standing(folder, stored_report(folder)), seal_of(folder)
    asked = next(reversed(still_open(folder)), None) if now.state == "on_hold" else None
    code = _exit_code(folder / "journal.sqlite") if now.ended else WAITING if now.state in {"on_hold", *HOLDING_STILL} else FAILED
    return RunReport(
        report=seal(view.report), notes=tuple(view.notes), status=now.state, reason=seal(now.reason),
        works=now.holder is not None, exit_code=code, asking=asked.id if asked else "",
        pending=seal(asked.request.dump()) if asked else None,
    )  # fmt: skip


@router.get("/runs/{run_id}/plan")
def plan(desk: TheDesk, visitor: Viewer, folder: RunFolder) -> PlanShown:
    """The plan that waits to be reviewed, or the one that was worked last, as `run --plan` reads it."""
    found = folders.show_plan(folder.name, desk.runs_dir)
    return PlanShown(plan=found.data, about=found.about)


def _exit_code(journal: Path) -> int:
    ended = [event.body.get("exit_code") for event in salvage(journal).events if event.kind == RunFinishedEvent.KIND]
    return ended[-1] if ended and isinstance(ended[-1], int) else FAILED
