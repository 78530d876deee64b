"""Journals read on from a cursor, the last event that is known: counted for the list, and fetched from a store of several
machines, with a thread for each store: one that does not answer holds nobody up, and a run is fetched once for all who look.
"""

from __future__ import annotations

import json
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from orchestrator.control.requests import ABOUT, RequestLog, RequestRecord
from orchestrator.errors import MachineStopped, UsageProblem
from orchestrator.store.address import LOCAL
from orchestrator.store.stores import address_of, written
from orchestrator.views.page.data import number
from roles.journal.rows import NUMBERED, SqliteRows

if TYPE_CHECKING:
    from orchestrator.store.postgres.connection import Link

PAUSE = 0.25
"""Seconds between two questions to a store."""
AWAY = 5.0
"""Seconds between two attempts at a store that does not answer."""
UNUSED = 10.0
"""Seconds after which a run that nobody asks for is fetched no more, until somebody does."""
FIRST = 15.0
"""Seconds for which whoever looks first waits for what there is."""
_PAGE = 1_000
_TABLES = ("events", "observations")
_ACTION = ("key", "digest", "action", "started", "result")


Query = Callable[..., list[Any]]
"""Rows of a statement with `?` for its values, in which `{own}` limits the events to those of the run."""
_SAID = ("model_call", *ABOUT)


class Tally:
    """Of one run. One thread at a time reads on; what stands here is whole at any time."""

    def __init__(self) -> None:
        self.read = 0
        """The last event that is counted."""
        self.steps = self.tokens = 0
        self.last = 0.0
        """When the run did something last."""
        self.asked: tuple[RequestRecord, ...] = ()
        self.first = threading.Event()
        """All that there was is counted, or cannot be."""
        self._askings = RequestLog()

    def read_on(self, query: Query) -> None:
        """Raises what the query raises, and counts nothing then."""
        ((last, at, steps),) = query(
            "SELECT max(id), max(at), sum(CASE WHEN kind = 'step' THEN 1 ELSE 0 END) FROM events WHERE {own}id > ?", self.read
        )
        if last is None:
            return
        marks = ", ".join("?" * len(_SAID))
        rows = query(
            f"SELECT at, kind, body FROM events WHERE {{own}}id > ? AND id <= ? AND kind IN ({marks}) ORDER BY id",  # noqa: S608
            self.read, last, *_SAID,
        )  # fmt: skip
        for at_, kind, text in rows:
            self._hear(number(at_), kind, text)
        self.asked = tuple(self._askings.all())
        self.steps += int(steps)
        self.last = max(self.last, number(at))
        self.read = int(last)

    def _hear(self, at: float, kind: str, text: str) -> None:
        try:
            body = json.loads(text)
        except (ValueError, TypeError, RecursionError):
            return
        if not isinstance(body, dict):
            return
        if kind == "model_call":
            self.tokens += int(number(body.get("tokens_in")) + number(body.get("tokens_out")))
        else:
            self._askings.hear(at, kind, body)

    @property
    def open(self) -> list[RequestRecord]:
        """What the run has heard no answer to."""
        return [one for one in self.asked if one.said is None]


class FetchedRows(NamedTuple):
    """Rows of a table that came together."""

    table: str
    columns: Sequence[str]
    rows: list[Any]


class RunMirror:
    """What was fetched of one run: a thread brings rows, and whoever reads takes them into `db`."""

    def __init__(self, run: str, wake: Callable[[], None]) -> None:
        """`wake` is called by whoever comes back after a while."""
        self.run = run
        self._wake = wake
        self.db: sqlite3.Connection = SqliteRows(None).connection
        self.trouble = ""
        """Why nothing comes, in words."""
        self.closed = False
        self.wanted = time.monotonic()
        self.reached = dict.fromkeys(_TABLES, 0)
        self.first = threading.Event()
        """All that there was has come, or cannot."""
        self._brought: deque[FetchedRows] = deque()
        self._waited = False

    def bring(self, part: FetchedRows) -> None:
        self._brought.append(part)

    def taken(self) -> sqlite3.Connection:
        """What there is, with what was brought since."""
        before, self.wanted = self.wanted, time.monotonic()
        if self.wanted - before > UNUSED / 2:
            self._wake()
        if not self._waited:
            self.first.wait(FIRST)
            self._waited = True
        while self._brought:
            table, columns, rows = self._brought.popleft()
            marks = ", ".join("?" * len(columns))
            statement = f"INSERT OR REPLACE INTO {table} ({', '.join(columns)}) VALUES ({marks})"  # noqa: S608 - fixed names
            self.db.executemany(statement, rows)
        return self.db

    def close(self) -> None:
        """Twice is fine."""
        self.closed = True
        self.db.close()


class SharedStore:
    """One store. Safe from several threads."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._change = threading.Condition()
        self._mirrors: list[RunMirror] = []
        self._tallies: dict[str, tuple[Tally, float]] = {}
        """By run, with when somebody wanted them last."""
        self._thread: threading.Thread | None = None
        self._closed = False
        self._hurry = threading.Event()
        self._link: Link | None = None

    def mirror(self, run: str) -> RunMirror:
        made = RunMirror(run, self._work_on)
        with self._change:
            self._mirrors.append(made)
        self._work_on()
        self._hurry.set()
        return made

    def tally(self, run: str) -> Tally:
        """What was counted by now; it is read on as long as somebody asks."""
        with self._change:
            found = self._tallies[run][0] if run in self._tallies else Tally()
            self._tallies[run] = (found, time.monotonic())
        self._work_on()
        return found

    def close(self) -> None:
        with self._change:
            self._closed = True
            self._change.notify()
        self._hurry.set()

    # --- fetching ---------------------------------------------------------------------------------------------------

    def _work_on(self) -> None:
        """Somebody wants something."""
        with self._change:
            if self._thread is None and not self._closed:
                self._thread = threading.Thread(target=self._work, name="deskcrew-store", daemon=True)
                self._thread.start()
            self._change.notify()

    def _work(self) -> None:
        while True:
            with self._change:
                mirrors, tallies = self._wanted_mirrors(), self._wanted_tallies()
                if self._closed or not (mirrors or tallies):
                    self._hang_up()
                if self._closed:
                    return
                if not mirrors and not tallies:
                    self._change.wait()
                    continue
            self._hurry.clear()
            good = self._fetched(mirrors, tallies)
            self._hurry.wait(PAUSE if good else AWAY)

    def _wanted_mirrors(self) -> list[RunMirror]:
        self._mirrors = [one for one in self._mirrors if not one.closed]
        since = time.monotonic() - UNUSED
        return [one for one in self._mirrors if one.wanted > since]

    def _wanted_tallies(self) -> dict[str, Tally]:
        since = time.monotonic() - UNUSED
        return {run: tally for run, (tally, wanted) in self._tallies.items() if wanted > since}

    def _fetched(self, mirrors: list[RunMirror], tallies: dict[str, Tally]) -> bool:
        import psycopg

        try:
            query = self._query()
            for run in self._moved({one.run for one in mirrors} | tallies.keys(), mirrors, tallies):
                for mirror in [one for one in mirrors if one.run == run]:
                    _bring(mirror, query)
                if run in tallies:
                    tallies[run].read_on(_of(run, query))
            trouble = ""
        except (psycopg.Error, MachineStopped, UsageProblem) as bad:
            said = str(bad) if isinstance(bad, MachineStopped | UsageProblem) else "it does not answer"
            trouble = f"what is shown may be old: {said.rstrip('.')}"
            self._hang_up()
        for mirror in mirrors:
            mirror.trouble = trouble
            mirror.first.set()
        for tally in tallies.values():
            tally.first.set()
        return not trouble

    def _moved(self, runs: Iterable[str], mirrors: list[RunMirror], tallies: dict[str, Tally]) -> list[str]:
        """Of which there is more than was fetched: one question for all."""
        assert self._link is not None  # noqa: S101 - the query has made it
        statement = 'SELECT r, (SELECT max(id) FROM events WHERE run = r COLLATE "C") FROM unnest(%s::text[]) AS r'
        last = dict(self._link.connection.execute(statement, (list(runs),)).fetchall())
        behind = {one.run for one in mirrors if (last[one.run] or 0) > one.reached["events"]}
        return [run for run in last if run in behind or (run in tallies and (last[run] or 0) > tallies[run].read)]

    def _query(self) -> Query:
        from orchestrator.store.postgres.connection import Link

        if self._link is None:
            self._link = Link(self._address)
            self._link.connection.execute("SET statement_timeout = '30s'")
        connection = self._link.connection
        return lambda statement, *values: connection.execute(statement.replace("?", "%s"), values).fetchall()

    def _hang_up(self) -> None:
        if self._link is not None:
            with suppress(Exception):
                self._link.close()
            self._link = None


def _of(run: str, query: Query) -> Query:
    return lambda statement, *values: query(statement.format(own="run = ? AND "), run, *values)


def _bring(mirror: RunMirror, query: Query) -> None:
    """The events up to one, with the screens and results that they speak of, which come first."""
    last = query("SELECT max(id) FROM events WHERE run = ?", mirror.run)[0][0] or 0
    for part in _new(mirror, query, "observations", "row"):
        mirror.bring(part)
    for part in _new(mirror, query, "events", "id", last):
        keys = sorted({key for row in part.rows if (key := _key_of(row[-1]))})
        found = query(f"SELECT {', '.join(_ACTION)} FROM actions WHERE run = ? AND key = ANY(?)", mirror.run, keys)  # noqa: S608
        mirror.bring(FetchedRows("actions", _ACTION, found))
        mirror.bring(part)


def _new(mirror: RunMirror, query: Query, table: str, name: str, last: int = 2**31 - 1) -> Iterator[FetchedRows]:
    """What stands behind what was fetched of a table."""
    columns = (name, *NUMBERED[table][1])
    statement = (
        f"SELECT {', '.join(columns)} FROM {table} WHERE run = ? AND {name} > ? AND {name} <= ? "  # noqa: S608 - fixed names
        f"ORDER BY {name} LIMIT {_PAGE}"
    )
    while rows := query(statement, mirror.run, mirror.reached[table], last):
        yield FetchedRows(table, columns, rows)
        mirror.reached[table] = int(rows[-1][0])


def _key_of(body: str) -> str:
    try:
        found = json.loads(body).get("key", "")
    except (ValueError, AttributeError, RecursionError):
        return ""
    return found if isinstance(found, str) else ""


class Stores:
    """The stores that the runs of a folder are in."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._stores: dict[str, SharedStore] = {}

    def mirror(self, folder: Path) -> RunMirror:
        """Of the run of a folder that has no journal. Raises UsageProblem where it is in no store, as one that just begins."""
        return self._of(folder).mirror(folder.name)

    def tally(self, folder: Path) -> Tally:
        """Raises UsageProblem like `mirror`."""
        return self._of(folder).tally(folder.name)

    def _of(self, folder: Path) -> SharedStore:
        address = address_of(written(folder / "run.json"))
        if address == LOCAL:
            raise UsageProblem(f"{folder} has no journal.")
        with self._lock:
            return self._stores.setdefault(address, SharedStore(address))

    def close(self) -> None:
        for store in self._stores.values():
            store.close()
