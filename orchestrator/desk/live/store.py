"""Runs whose journals are in a store of several machines. A thread for each store reads on: one that does not answer holds nobody
up, and a run is fetched once for all who look.
"""

from __future__ import annotations

import json
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from orchestrator.errors import MachineStopped, UsageProblem
from orchestrator.store.address import LOCAL
from orchestrator.store.stores import address_of, written
from roles.journal.rows import NUMBERED, SqliteRows

if TYPE_CHECKING:
    from orchestrator.store.postgres.connection import Link

PAUSE, AWAY = 0.25, 5.0
"""Seconds between two questions to a store, and between two attempts at one that does not answer."""
_PAGE = 1_000
_ACTION = ("key", "digest", "action", "started", "result")

Query = Callable[..., list[Any]]
"""Rows of a statement with `?` for its values, in which `{own}` limits the rows to those of the run."""


class StoreReader(ABC):
    """Whoever takes in what a store has of one run."""

    def __init__(self) -> None:
        self.reached = 0
        """The last event that was taken in."""
        self.trouble = ""
        """Why nothing comes, in words."""
        self.first = threading.Event()
        """All that there was has come, or cannot."""

    @abstractmethod
    def read_on(self, query: Query) -> None:
        """Raises what the query raises; what was taken in by then is whole."""


class RunCopy(StoreReader):
    """A journal copied as it grows, to be read like one in a folder."""

    def __init__(self) -> None:
        super().__init__()
        self.db = SqliteRows(None).connection
        self._screens = 0
        self._lock = threading.Lock()
        self._closed = False

    def read_on(self, query: Query) -> None:
        """Screens and results come before the events that speak of them."""
        ((last,),) = query("SELECT max(id) FROM events WHERE {own}TRUE")
        while rows := self._page(query, "observations", "row", self._screens, 2**31 - 1):
            self._screens = rows[-1][0]
        while rows := self._page(query, "events", "id", self.reached, last or 0):
            self.reached = rows[-1][0]

    def _page(self, query: Query, table: str, name: str, after: int, last: int) -> list[Any]:
        columns = (name, *NUMBERED[table][1])
        limits = f"{name} > ? AND {name} <= ? ORDER BY {name} LIMIT {_PAGE}"
        rows = query(f"SELECT {', '.join(columns)} FROM {table} WHERE {{own}}{limits}", after, last)  # noqa: S608 - fixed names
        if table == "events" and (keys := sorted({key for row in rows if (key := _key_of(row[-1]))})):
            self._take("actions", _ACTION, query(f"SELECT {', '.join(_ACTION)} FROM actions WHERE {{own}}key = ANY(?)", keys))  # noqa: S608
        self._take(table, columns, rows)
        return rows

    def _take(self, table: str, columns: tuple[str, ...], rows: list[Any]) -> None:
        marks = ", ".join("?" * len(columns))
        with self._lock:
            if not self._closed:
                self.db.executemany(f"INSERT OR REPLACE INTO {table} ({', '.join(columns)}) VALUES ({marks})", rows)  # noqa: S608

    def close(self) -> None:
        """Twice is fine."""
        with self._lock:
            self._closed = True
            self.db.close()


def _key_of(body: str) -> str:
    try:
        key = json.loads(body).get("key", "")
    except (ValueError, AttributeError, RecursionError):
        return ""
    return key if isinstance(key, str) else ""


class SharedStore:
    """One store. Safe from several threads."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._lock = threading.Lock()
        self._wanted: dict[StoreReader, str] = {}
        """Who asked since the last round, and the run of each."""
        self._thread = ThreadPoolExecutor(1, "deskcrew-store")
        self._working = self._closed = False
        self._due = 0.0
        self._link: Link | None = None

    def want(self, run: str, reader: StoreReader) -> None:
        """Read on for it, which whoever looks says at each look."""
        with self._lock:
            self._wanted[reader] = run
            if not (self._working or self._closed) and (self._due <= time.monotonic() or not reader.first.is_set()):
                self._working = True
                self._thread.submit(self._work)

    def close(self) -> None:
        """Twice is fine."""
        with self._lock:
            if not self._closed:
                self._closed = True
                self._thread.submit(self._hang_up)
        self._thread.shutdown(wait=False)

    def _work(self) -> None:
        while True:
            with self._lock:
                readers, self._wanted = self._wanted, {}
            trouble = self._fetched(readers)
            for reader in readers:
                reader.trouble = trouble
                reader.first.set()
            with self._lock:
                if trouble:
                    self._hang_up()
                self._due = time.monotonic() + (AWAY if trouble else PAUSE)
                if self._closed or all(reader.first.is_set() for reader in self._wanted):
                    self._working = False
                    return

    def _fetched(self, readers: dict[StoreReader, str]) -> str:
        """What went wrong, in words."""
        from psycopg import Error

        from orchestrator.store.postgres.connection import Link

        try:
            if self._link is None:
                self._link = Link(self._address)
                self._link.connection.execute("SET statement_timeout = '30s'")
            connection = self._link.connection
            # One question tells of all runs whether there is more than was fetched.
            statement = 'SELECT r, (SELECT max(id) FROM events WHERE run = r COLLATE "C") FROM unnest(%s::text[]) AS r'
            last = dict(connection.execute(statement, (sorted(set(readers.values())),)).fetchall())
            for reader, run in readers.items():
                if (last[run] or 0) > reader.reached:
                    reader.read_on(_query_of(run, connection.execute))
        except (Error, MachineStopped, UsageProblem) as bad:
            why = str(bad) if isinstance(bad, MachineStopped | UsageProblem) else "it does not answer"
            return f"what is shown may be old: {why.rstrip('.')}"
        return ""

    def _hang_up(self) -> None:
        if self._link is not None:
            with suppress(Exception):
                self._link.close()
            self._link = None


def _query_of(run: str, execute: Callable[..., Any]) -> Query:
    def query(statement: str, *values: Any) -> list[Any]:
        rows: list[Any] = execute(statement.format(own="run = ? AND ").replace("?", "%s"), (run, *values)).fetchall()
        return rows

    return query


class Stores:
    """The stores that the runs of a folder are in."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._stores: dict[str, SharedStore] = {}

    def of(self, folder: Path) -> SharedStore:
        """The one with the folder's run. Raises UsageProblem where it is in none, as one that just begins."""
        address = address_of(written(folder / "run.json"))
        if address == LOCAL:
            raise UsageProblem(f"{folder} has no journal.")
        with self._lock:
            return self._stores.setdefault(address, SharedStore(address))

    def close(self) -> None:
        for store in self._stores.values():
            store.close()
