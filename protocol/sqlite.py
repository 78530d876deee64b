"""A connection to an SQLite file that asks again while another program holds the file."""

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

from protocol.retries import Retries


class _BusyWait:
    """What a connection and its cursors share; nothing was done by a statement that finds the file held."""

    def _asked(self, work: Callable[..., Any], *given: Any) -> Any:
        try:
            return work(*given)
        except sqlite3.OperationalError as bad:
            # A snapshot that is too old (SQLITE_BUSY_SNAPSHOT) stays so until its transaction ends.
            if not _held(bad):
                raise
            connection: Any = getattr(self, "connection", self)
            return connection.retries.trying(_held)(work, *given)


class _Cursor(_BusyWait, sqlite3.Cursor):
    def execute(self, *given: Any) -> Any:
        return self._asked(super().execute, *given)

    def executemany(self, *given: Any) -> Any:
        return self._asked(super().executemany, *given)


class _Connection(_BusyWait, sqlite3.Connection):
    retries: Retries

    def cursor(self, *given: Any) -> Any:
        return super().cursor(*given or (_Cursor,))

    def execute(self, *given: Any) -> sqlite3.Cursor:
        try:
            return super().execute(*given)
        except sqlite3.OperationalError:
            found: sqlite3.Cursor = self._asked(super().execute, *given)
            return found

    def executescript(self, *given: Any) -> Any:
        return self._asked(super().executescript, *given)


def _held(bad: BaseException) -> bool:
    return getattr(bad, "sqlite_errorname", "") == "SQLITE_BUSY"


def connected(path: Path | None, retries: Retries | None = None, *, timeout: float = 1.0, **given: Any) -> _Connection:
    """The file, or one in memory; `timeout` is how long SQLite itself waits at each try."""
    made = sqlite3.connect(path or ":memory:", timeout=timeout, check_same_thread=False, factory=_Connection, **given)
    made.retries = retries or Retries()
    return made


def logged(path: Path | None, retries: Retries | None = None, **given: Any) -> _Connection:
    """The same with a write-ahead log, for many small rows: a commit writes whole pages, so that they are small."""
    made = connected(path, retries, **given)
    for said in ("page_size=512", "journal_mode=WAL", "wal_autocheckpoint=4000", "synchronous=NORMAL"):
        made.execute(f"PRAGMA {said}")
    return made


def fold(connection: sqlite3.Connection) -> None:
    """Fold the log into the file, and close that. Twice is fine."""
    try:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    except sqlite3.ProgrammingError:
        return
    except sqlite3.OperationalError:  # a full disk, a lock: what is not written by now is worked again, as after a kill
        pass
    connection.close()
