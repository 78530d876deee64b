"""A run's folder and its journal, looked at again and again from the cursor on that was reached."""

from __future__ import annotations

import json
import os
import re
import sqlite3
import threading
import time
import zlib
from abc import ABC, abstractmethod
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from orchestrator.control.channel import FILE as CONTROL
from orchestrator.control.lease import standing, told
from orchestrator.errors import MachineStopped, UsageProblem
from orchestrator.runs.folders import read_run, stored_report
from orchestrator.store.address import LOCAL
from orchestrator.store.printable import UNREADABLE
from orchestrator.store.salvage import events_after, open_read_only, part_in, salvage
from orchestrator.store.stores import address_of, written
from orchestrator.views.page.data import number
from orchestrator.views.page.source import hear_picture, png_file
from protocol import JsonObject
from roles.journal.journal import Event
from roles.journal.rows import Query, RowsCopy, inflated
from roles.safety.privacy.vault import FILE as VAULT
from roles.safety.privacy.vault import Vault

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


JOURNAL = "journal.sqlite"
STALE, ALIVE = 0.1, 1.0
"""Seconds for which the files are believed without a look, and for which a holder is taken to live: a death changes no file."""
AT_ONCE = 500
"""Changes, or events, that are told together."""
_PATIENCE = 50
"""Milliseconds to wait for whoever writes; the next look is soon."""
_FIRST = 15.0
"""Seconds for which whoever looks first waits for what a store of several machines has."""
_READ = ("run.json", "report.json", CONTROL, f"{CONTROL}-wal")
_NAME = re.compile(r"[^\W_][\w.+ -]{0,199}")
Sign = tuple[int, int, int]
NO_FILE: Sign = (0, 0, 0)


def is_run_id(name: str) -> bool:
    """Whether that can be the name of a run's folder, and no way to another one."""
    return _NAME.fullmatch(name) is not None


def sign_of(path: Path) -> Sign:
    """Another one when the file was written. One that is empty is as good as none: SQLite makes such logs for whoever reads."""
    try:
        stat = os.stat(path)
    except OSError:
        return NO_FILE
    return (stat.st_mtime_ns, stat.st_size, stat.st_ino) if stat.st_size else NO_FILE


class RunFiles:
    """Record, report and standing of a run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.notes: list[str] = []
        self.record: JsonObject = {}
        self.report: JsonObject = {}
        self._signs = {name: sign_of(folder / name) for name in _READ}
        self._looked = 0.0
        self._read(time.monotonic(), set(_READ))

    def changed(self) -> bool:
        """Look again; says whether record, report or standing is another one."""
        now = time.monotonic()
        if now - self._looked < STALE:
            return False
        self._looked = now
        before, self._signs = self._signs, {name: sign_of(self.folder / name) for name in _READ}
        moved = {name for name in _READ if self._signs[name] != before[name]}
        if not moved and (self.standing.ended or now - self._asked < ALIVE):
            return False
        known = (self.record, self.report, self.standing, self.who_works)
        self._read(now, moved)
        return known != (self.record, self.report, self.standing, self.who_works)

    @property
    def control(self) -> tuple[Sign, Sign]:
        """Another one when somebody asked or answered something, or took the run or let go of it."""
        return (self._signs[CONTROL], self._signs[f"{CONTROL}-wal"])

    @property
    def gone(self) -> bool:
        """Somebody deleted the run."""
        return self._signs["run.json"] == NO_FILE

    def _read(self, now: float, moved: set[str]) -> None:
        if "run.json" in moved:
            try:
                self.record, self.notes = read_run(self.folder), []
            except UsageProblem as bad:
                self.record, self.notes = {}, [str(bad)]
        if "report.json" in moved:
            self.report = stored_report(self.folder)
        self.standing = standing(self.folder, self.report)
        if self.notes and self.standing.holder is None:
            self.standing = self.standing._replace(state="damaged", reason=self.notes[0])
        self.who_works = told(self.standing.holder) if self.standing.holder is not None else ""
        self._asked = now


class Private:
    """What is known to be private in a run. What was sealed stays so, also when the run has ended and its values are gone."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / VAULT
        self._sign = NO_FILE
        self._vaults: list[Vault] = []
        self.look()

    def seal(self, value: Any) -> Any:
        for vault in self._vaults:
            value = vault.sealed(value)
        return value

    def sealed(self, event: Event) -> Event:
        """The event as it may be told; whoever wrote it may have written anything into its columns."""
        id_, at, kind, role, subtask, step, body = event
        return Event(
            id_, number(at), str(kind), self.seal(str(role)), self.seal(str(subtask)), int(number(step)), self.seal(body)
        )

    def look(self) -> Vault | None:
        """The values, if there are some that nobody knew before."""
        sign = sign_of(self._path)
        if sign == self._sign:
            return None
        self._sign = sign
        try:
            new = Vault(self._path) if self._path.is_file() else Vault()
        except (OSError, ValueError):
            return None
        known = {pair for vault in self._vaults for pair in vault.known.items()}
        if new.known.items() <= known:
            return None
        self._vaults = [vault for vault in self._vaults if not vault.known.items() <= new.known.items()] + [new]
        return new


class RunJournal:
    """What was read of one run, and the way to what was not. One thread at a time."""

    def __init__(self, folder: Path, stores: Stores) -> None:
        self.path = folder / JOURNAL
        self.private = Private(folder)
        self.events: list[Event] = []
        """As they were written."""
        self.reached = 0
        self.caught_up = False
        """Whether the last look found all there was: nobody held the journal, and nothing is left to be read."""
        self.wrong: list[str] = []
        """Events that cannot be read, and why."""
        self._stores = stores
        self._store: SharedStore | None = None
        self._copy: RunCopy | None = None
        self._db: sqlite3.Connection | None = None
        self._damaged = False
        self._damage: list[str] = []
        self._rows: dict[str, int] = {}
        self._pictures: dict[str, str] = {}

    @property
    def notes(self) -> list[str]:
        """What could not be read, and why."""
        trouble = self._copy.trouble if self._copy is not None else ""
        return [*self._damage, trouble] if trouble else self._damage

    def read_on(self) -> list[Event] | None:
        """The next events, AT_ONCE at most; None where there are none."""
        if self._damaged:
            return None
        try:
            events, reached, wrong = events_after(self._opened(), self.reached, AT_ONCE)
        except (sqlite3.OperationalError, OSError, UsageProblem):  # it is written to just now, or not there yet
            self.caught_up = False
            return None
        except sqlite3.Error:
            kept = salvage(self.path)
            self._damaged, self._damage = True, [kept.note] if kept.note else []
            events, wrong = [event for event in kept.events if event.id > self.reached], []
            reached = events[-1].id if events else self.reached
        self.caught_up = self._damaged or reached == self.reached
        if reached == self.reached:
            return None
        self.reached = reached
        self.wrong += wrong
        self.events += events
        for event in events:
            hear_picture(self._pictures, event)
        return events

    def _opened(self) -> sqlite3.Connection:
        """The journal, or what was fetched of it by now."""
        if self._copy is not None or not self.path.exists():
            self._store = self._store or self._stores.of(self.path.parent)
            self._copy = self._copy or RunCopy()
            self._store.want(self.path.parent.name, self._copy)
            if self._db is None:
                self._copy.first.wait(_FIRST)
                self._db = self._copy.db
        elif self._db is None:
            self._db = open_read_only(self.path)
            self._db.execute(f"PRAGMA busy_timeout = {_PATIENCE}")
            self._db.text_factory = lambda text: text.decode("utf-8", "replace")
        return self._db

    def more_private(self) -> bool:
        """Whether something that was read is known to be private by now, so that it is to be told otherwise."""
        new = self.private.look()
        return new is not None and any(
            new.sealed([event.role, event.subtask, event.body]) != [event.role, event.subtask, event.body]
            for event in self.events
        )

    def result(self, key: str) -> Mapping[str, Any]:
        """What the environment said to an action."""
        text = self._one("SELECT result FROM actions WHERE key = ? AND result IS NOT NULL", key)
        with suppress(ValueError, TypeError, RecursionError):
            result = json.loads(text) if text is not None else None
            return self.private.seal(result) if isinstance(result, dict) else {}
        return {}

    def screen(self, state_id: str) -> JsonObject:
        """A screen by its id; empty where it cannot be read."""
        if state_id not in self._rows and self._db is not None:
            with suppress(sqlite3.Error):
                last = max(self._rows.values(), default=0)
                for row, state in self._db.execute("SELECT row, state_id FROM observations WHERE row > ? ORDER BY row", (last,)):
                    self._rows.setdefault(str(state), row)
        body = self._one("SELECT body FROM observations WHERE row = ?", self._rows.get(state_id))
        try:
            screen = self.private.seal(json.loads(inflated(body))) if body is not None else {}
        except (zlib.error, *UNREADABLE):
            return {}
        return screen if isinstance(screen, dict) else {}

    def part(self, name: str) -> str | None:
        """A part of a transcript by its name."""
        return None if self._db is None else part_in(self._db, self.private.seal, name)

    def _one(self, statement: str, value: str | int | None) -> Any:
        if self._db is None or value is None:
            return None
        try:
            row = self._db.execute(statement, (value,)).fetchone()
        except sqlite3.Error:
            return None
        return row[0] if row else None

    def picture(self, state_id: str) -> Path | None:
        path = self._pictures.get(state_id)
        return png_file(self.path.parent, path) if path is not None else None

    def close(self) -> None:
        """Twice is fine."""
        for opened in (self._copy, self._db):
            if opened is not None:
                opened.close()
        self._db = None
