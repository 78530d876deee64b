"""Runs whose journals are in a store of several machines. A thread for each store reads on: one that does not answer holds nobody
up, and a run is fetched once for all who look.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from abc import ABC, abstractmethod
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from orchestrator.errors import MachineStopped, UsageProblem
from orchestrator.store.address import LOCAL
from orchestrator.store.stores import address_of, written
from roles.journal.rows import Query, RowsCopy

if TYPE_CHECKING:
    from orchestrator.store.postgres.connection import Link

PAUSE, AWAY = 0.25, 5.0
"""Seconds between two questions to a store, and between two attempts at one that does not answer."""


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
        self._rows = RowsCopy()
        self._lock = threading.Lock()
        self._closed = False

    @property
    def db(self) -> sqlite3.Connection:
        return self._rows.connection

    def read_on(self, query: Query) -> None:
        with self._lock:
            if not self._closed:
                self.reached = self._rows.read_on(query, ("observations", "events"))
        if self._closed:
            self.db.close()

    def close(self) -> None:
        """Twice is fine. What is fetched just now is waited for by nobody."""
        self._closed = True
        if self._lock.acquire(blocking=False):
            self.db.close()
            self._lock.release()


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
        from orchestrator.store.postgres.runs import query_of

        try:
            if self._link is None:
                self._link = Link(self._address)
                self._link.connection.execute("SET statement_timeout = '30s'")
            # One question tells of all runs whether there is more than was fetched.
            statement = 'SELECT r, (SELECT max(id) FROM events WHERE run = r COLLATE "C") FROM unnest(%s::text[]) AS r'
            last = dict(self._link.connection.execute(statement, (sorted(set(readers.values())),)).fetchall())
            for reader, run in readers.items():
                if (last[run] or 0) > reader.reached:
                    reader.read_on(query_of(self._link, run))
        except (Error, MachineStopped, UsageProblem) as bad:
            why = str(bad) if isinstance(bad, MachineStopped | UsageProblem) else "it does not answer"
            return f"what is shown may be old: {why.rstrip('.')}"
        return ""

    def _hang_up(self) -> None:
        if self._link is not None:
            with suppress(Exception):
                self._link.close()
            self._link = None


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
