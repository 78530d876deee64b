"""The runs of a shared store, as `orchestrator/runs/folders.py` tells of those of a folder: find one, list all, show one."""

from __future__ import annotations

import json
from pathlib import Path

from orchestrator.errors import UsageProblem
from orchestrator.runs.folders import RunInfo, RunView, find_run, good_report, info_of, read_run, view_of, wrong_in
from orchestrator.store.address import stand_for
from orchestrator.store.postgres.runs import SharedRun, SharedRuns, shared_runs
from orchestrator.store.salvage import Salvage
from orchestrator.store.stores import folder_here, given_address
from orchestrator.store.transcripts import calls_in
from protocol import JsonObject
from roles.journal.journal import Event


def find_shared(run_id: str, address: str, runs_dir: Path, *, own_environment: bool = True) -> Path:
    """The folder here of a run in a shared store. Raises UsageProblem where it cannot go on here."""
    address = given_address(address)
    if (runs_dir / run_id / "run.json").is_file():
        folder = find_run(run_id, runs_dir)
        stand_for(str(read_run(folder)["settings"].get("store", "")), address)
        return folder
    with shared_runs(address) as runs:
        return folder_here(_whole(runs.find(run_id)), runs_dir, address, own_environment=own_environment)


def list_shared(address: str) -> list[RunInfo]:
    """Every run of a shared store, of whatever machine, newest last."""
    with shared_runs(given_address(address)) as runs:
        return [_info(run) for run in runs.all()]


def events_of_shared(run_id: str, address: str) -> list[Event]:
    """The journal of one run of a shared store."""
    with shared_runs(given_address(address)) as runs:
        return _events(runs, _whole(runs.find(run_id)))


def prompts_of_shared(run_id: str, address: str, runs_dir: Path, step: int | None) -> list[JsonObject]:
    """What was said to the models of one run of a shared store, and by them."""
    with shared_runs(given_address(address)) as runs:
        run = _whole(runs.find(run_id))
        return calls_in(lambda: runs.copy(run.run_id), _events(runs, run), runs_dir / run.run_id, step)


def _events(runs: SharedRuns, run: SharedRun) -> list[Event]:
    try:
        return [Event(*row[:-1], json.loads(row.body)) for row in runs.events(run.run_id)]
    except (ValueError, RecursionError) as bad:
        raise UsageProblem(f"What the store says of run {run.run_id} cannot be read ({bad}).") from None


def show_shared(run_id: str, address: str) -> RunView:
    """One run of a shared store, of whatever machine."""
    with shared_runs(given_address(address)) as runs:
        run = _whole(runs.find(run_id))
        events = _events(runs, run)
        view = view_of(run.record, Salvage(events, ""), good_report(run.report), runs.shown)
    return view._replace(notes=[*view.notes, f"its environment is on {run.host}, in {run.folder}"])


def _info(run: SharedRun) -> RunInfo:
    if why := wrong_in(run.record):
        return RunInfo(run.run_id, "", "damaged", 0.0, 0, False, why)
    return info_of(run.record, good_report(run.report))


def _whole(run: SharedRun) -> SharedRun:
    """`run`, if the store says of it what a run needs. Raises UsageProblem."""
    if why := wrong_in(run.record):
        raise UsageProblem(f"What the store says of run {run.run_id} cannot be used ({why}).")
    return run
