"""The runs of a store that several machines share: who has each of them, how it stands, and what was written of it."""

from __future__ import annotations

import json
import re
import socket
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from orchestrator.errors import UsageProblem, only_one
from orchestrator.store.postgres.connection import OF_A_RUN, Link, translated
from orchestrator.store.postgres.rows import PostgresRows
from orchestrator.store.printable import mapping_in
from protocol import JsonObject
from roles.journal.events import Event
from roles.journal.rows import ACTION, PART, Query, RowsCopy


class SharedRun(NamedTuple):
    """A run as the store knows it."""

    run_id: str
    host: str
    """The machine that it was last worked on; what its environment is made of is there."""
    folder: str
    """The run's folder on that machine."""
    record: JsonObject
    """What `run.json` says."""
    report: JsonObject
    """What `report.json` says; empty where it was not written yet."""


_COLUMNS = "run, host, folder, record, report"


class SharedRuns:
    """Owns a link."""

    def __init__(self, address: str) -> None:
        """Raises UsageProblem when the store cannot be reached."""
        self._link = Link(address)
        self.shown = self._link.shown

    def put(self, folder: Path, record: JsonObject, report: JsonObject) -> None:
        """What the files of a run say by now."""
        said = [json.dumps(part, ensure_ascii=True, default=str) if part else None for part in (record, report)]
        with translated(self._link):
            self._link.connection.execute(
                f"INSERT INTO runs ({_COLUMNS}) VALUES (%s, %s, %s, %s, %s) ON CONFLICT (run) DO UPDATE "  # noqa: S608
                "SET host = excluded.host, folder = excluded.folder, record = excluded.record, report = excluded.report",
                (record["run_id"], socket.gethostname(), str(folder.resolve()), *said),
            )

    def all(self) -> Iterator[SharedRun]:
        """Every run, in the order of their names, which begin with their date."""
        with translated(self._link):
            rows = self._link.connection.execute(f"SELECT {_COLUMNS} FROM runs ORDER BY run").fetchall()  # noqa: S608
        return map(_run, rows)

    def find(self, run_id: str) -> SharedRun:
        """A run by its id, or by any unique beginning or end of it."""
        with translated(self._link):
            names = [name for (name,) in self._link.connection.execute("SELECT run FROM runs ORDER BY run").fetchall()]
            name = only_one(run_id, names, f"in {self.shown}", f"deskcrew ls --store {self.shown}")
            if not _NAME.fullmatch(name):
                raise UsageProblem(f"{name!r} in {self.shown} is not the name of a run; somebody else wrote it there.")
            row = self._link.connection.execute(f"SELECT {_COLUMNS} FROM runs WHERE run = %s", (name,)).fetchone()  # noqa: S608
        return _run(row or ())

    def events(self, run_id: str, kinds: Sequence[str] = ()) -> list[Event]:
        """What was written of a run, by whoever works it now: everything, or some kinds."""
        with translated(self._link):
            return list(PostgresRows(self._link, run_id, writing=False).events(kinds, 0))

    def rows(self, run_id: str) -> list[Any]:
        """Every event of a run as it is stored: a body may be damaged."""
        return self.query(run_id)("SELECT id, at, kind, role, subtask, step, body FROM events WHERE {own}TRUE ORDER BY id")

    def query(self, run_id: str) -> Query:
        """Asks for rows of a run. Raises StoreGone."""

        def ask(statement: str, *values: Any) -> list[Any]:
            with translated(self._link):
                return query_of(self._link, run_id)(statement, *values)

        return ask

    def copy(self, run_id: str) -> sqlite3.Connection:
        """The journal of a run as SQLite, in memory: for what reads many tables of it."""
        copy, query = RowsCopy(), query_of(self._link, run_id)
        with translated(self._link):
            copy.read_on(query)
            for table, columns in {"actions": ACTION, "meta": ("key", "value"), "parts": PART}.items():
                copy.take(table, columns, query(f"SELECT {', '.join(columns)} FROM {table} WHERE {{own}}TRUE"))  # noqa: S608 - fixed names
        return copy.connection

    def forget(self, run_id: str) -> None:
        """Take everything out that was written of a run."""
        with translated(self._link), self._link.connection.transaction():
            for table in OF_A_RUN:
                self._link.connection.execute(f"DELETE FROM {table} WHERE run = %s", (run_id,))  # noqa: S608 - fixed names

    def close(self) -> None:
        """Twice is fine."""
        self._link.close()


def query_of(link: Link, run_id: str) -> Query:
    """Asks of one run's rows."""

    def query(statement: str, *values: Any) -> list[Any]:
        asked = statement.format(own="run = ? AND ").replace("?", "%s")
        return link.connection.execute(asked, (run_id, *values)).fetchall()

    return query


_NAME = re.compile(r"\w[\w.-]{0,99}", re.ASCII)
"""A run's id is a folder's name; anything else was never written by deskcrew."""


def _run(row: tuple[Any, ...]) -> SharedRun:
    name, host, folder, record, report = row
    return SharedRun(name, host, folder, mapping_in(record) or {}, mapping_in(report) or {})


@contextmanager
def shared_runs(address: str) -> Iterator[SharedRuns]:
    """The runs of a store while they are needed."""
    with closing(SharedRuns(address)) as runs:
        yield runs
