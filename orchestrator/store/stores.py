"""Where a run's journal and checkpoints are: files in its folder, or a store that several machines share.

The environment's own state, the files for people (`run.json`, `report.json`, `log.jsonl`) and the values of private fields
stay in the folder in either case; a shared store has a copy of the first two.
"""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from orchestrator.errors import MachineStopped, StoreGone, UsageProblem
from orchestrator.store.address import LOCAL, checked_address, stand_for
from orchestrator.store.printable import mapping_in, write_json

if TYPE_CHECKING:
    from orchestrator.store.checkpoints import Cursors
    from orchestrator.store.postgres.runs import SharedRun, SharedRuns
    from protocol import JsonObject
    from protocol.retries import Retries
    from roles.journal.rows import Query, Rows


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
    if address == LOCAL:
        from orchestrator.store.checkpoints import CursorSaver

        return RunStore(None, CursorSaver(folder / "checkpoints.sqlite", retries=retries))
    from orchestrator.store.postgres.connection import Link  # first: it says what is missing
    from orchestrator.store.postgres.rows import PostgresCursors  # isort: skip
    from orchestrator.store.postgres.rows import PostgresRows  # isort: skip

    rows = PostgresRows(Link(address, retries), run_id)
    try:
        return RunStore(rows, PostgresCursors(Link(address, retries), worker=rows.worker))
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


WAITS, AWAY = 10.0, 5.0
"""Seconds for which a question to a store is waited for, and for which one that did not answer is asked nothing."""


class SharedStore:
    """A store of several machines, asked by one thread. Who asks one that is away is told so at once."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._thread = ThreadPoolExecutor(1, "deskcrew-store")
        self._runs: SharedRuns | None = None
        self._late: Future[list[Any]] | None = None
        """A question that was waited for in vain."""
        self._why, self._due = "", 0.0

    def ask(self, run: str, statement: str, *values: Any) -> list[Any]:
        """Rows of one run. Raises StoreGone."""
        if time.monotonic() < self._due or not (self._late is None or self._late.done()):
            raise StoreGone(self._why)
        asked = self._thread.submit(self._answer, run, statement, *values)
        try:
            return asked.result(WAITS)
        except (MachineStopped, UsageProblem, TimeoutError) as bad:
            self._late, self._why, self._due = asked, str(bad) or "The store does not answer", time.monotonic() + AWAY
            raise StoreGone(self._why) from None

    def _answer(self, run: str, statement: str, *values: Any) -> list[Any]:
        from orchestrator.store.postgres.runs import SharedRuns

        self._runs = self._runs or SharedRuns(self._address)
        try:
            return self._runs.query(run)(statement, *values)
        except MachineStopped:
            self._hang_up()
            raise

    def _hang_up(self) -> None:
        if self._runs is not None:
            self._runs.close()
        self._runs = None

    def close(self) -> None:
        """Once. What is asked just now is waited for by nobody."""
        self._thread.submit(self._hang_up)
        self._thread.shutdown(wait=False)


class Stores:
    """The stores that the runs of a folder are in."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._stores: dict[str, SharedStore] = {}

    def query(self, folder: Path) -> Query:
        """Asks the one with the folder's run. Raises UsageProblem where it is in none, as one that just begins."""
        address = address_of(written(folder / "run.json"))
        if address == LOCAL:
            raise UsageProblem(f"{folder} has no journal.")
        with self._lock:
            store = self._stores.get(address) or self._stores.setdefault(address, SharedStore(address))
        return partial(store.ask, folder.name)

    def close(self) -> None:
        while self._stores:
            self._stores.popitem()[1].close()
