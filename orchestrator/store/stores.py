"""Where a run's journal and checkpoints are: files in its folder, or a store that several machines share.

The environment's own state, the files for people (`run.json`, `report.json`, `log.jsonl`) and the values of private fields
stay in the folder in either case; a shared store has a copy of the first two.
"""

from __future__ import annotations

import socket
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from orchestrator.errors import MachineStopped, UsageProblem
from orchestrator.store.address import LOCAL, checked_address, stand_for
from orchestrator.store.printable import mapping_in, write_json

if TYPE_CHECKING:
    from orchestrator.store.checkpoints import Cursors
    from orchestrator.store.postgres.runs import SharedRun
    from protocol import JsonObject
    from protocol.retries import Retries
    from roles.journal.rows import Rows


class RunStore(NamedTuple):
    """What a run writes to; `rows` is None for the file in its folder."""

    rows: Rows | None
    saver: Cursors

    def close(self) -> None:
        if self.rows is not None:
            self.rows.close()
        self.saver.close()


def open_store(address: str, folder: Path, run_id: str, retries: Retries | None = None) -> RunStore:
    """The store of a run that this process works. Raises UsageProblem and MachineStopped."""
    from roles.operator.graph import DURABLE_BEFORE

    durable = {"operator": DURABLE_BEFORE}

    if address == LOCAL:
        from orchestrator.store.checkpoints import CursorSaver

        return RunStore(None, CursorSaver(folder / "checkpoints.sqlite", durable, retries))
    from orchestrator.store.postgres.connection import Link  # first: it says what is missing
    from orchestrator.store.postgres.rows import PostgresCursors  # isort: skip
    from orchestrator.store.postgres.rows import PostgresRows  # isort: skip

    rows = PostgresRows(Link(address, retries), run_id)
    try:
        return RunStore(rows, PostgresCursors(Link(address, retries), durable, rows.worker))
    except BaseException:
        rows.close()
        raise


def address_of(record: Mapping[str, Any]) -> str:
    """Where a run of this record is stored."""
    settings = record.get("settings")
    said = settings.get("store", LOCAL) if isinstance(settings, Mapping) else LOCAL
    try:
        return checked_address(said)
    except ValueError as bad:
        raise UsageProblem(f"run.json: settings.store: {bad}") from None


def given_address(address: str) -> str:
    """The address of a shared store that somebody wrote on a command line. Raises UsageProblem."""
    try:
        found = checked_address(address)
    except ValueError as bad:
        raise UsageProblem(f"--store: {bad}.") from None
    if found == LOCAL:
        raise UsageProblem("--store: runs of this machine are in the folder that --runs-dir names.")
    return found


def publish(folder: Path) -> None:
    """Put what the files of the run say by now where the other machines see it."""
    record, report = written(folder / "run.json"), written(folder / "report.json")
    if (address := address_of(record)) != LOCAL:
        from orchestrator.store.postgres.runs import shared_runs

        with shared_runs(address) as runs:
            runs.put(folder, record, report)


def forget(address: str, run_id: str) -> None:
    """Leave nothing of a run that could not start."""
    if address != LOCAL:
        from orchestrator.store.postgres.runs import shared_runs

        with suppress(UsageProblem, MachineStopped), shared_runs(address) as runs:  # why it could not start is said already
            runs.forget(run_id)


def folder_here(run: SharedRun, runs_dir: Path, address: str, *, own_environment: bool = True) -> Path:
    """The folder in which a run of the store at `address` goes on, on this machine. Raises UsageProblem where it cannot.

    With `own_environment` the environment is the run's, and what it is made of lies in the folder.
    """
    stand_for(str(run.record["settings"].get("store", "")), address)
    folder, there = runs_dir / run.run_id, Path(run.folder)
    if (folder / "run.json").is_file():
        return folder
    # The path is what somebody wrote into a database: only a folder of this very run is gone into.
    if run.host == socket.gethostname() and written(there / "run.json").get("run_id") == there.name == run.run_id:
        return there
    if own_environment:
        raise UsageProblem(
            f"Run {run.run_id} is in the store, but what its environment is made of is on {run.host}, in {run.folder}: "
            f"resume it there, or make that folder reachable here and name the one around it with --runs-dir."
        )
    folder.mkdir(parents=True, exist_ok=True)
    write_json(folder / "run.json", run.record)
    return folder


def written(path: Path) -> JsonObject:
    """What a JSON file says; empty where it cannot be read, or is no mapping."""
    try:
        return mapping_in(path.read_text(encoding="utf-8")) or {}
    except (OSError, ValueError):
        return {}
