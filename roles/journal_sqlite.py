"""A journal's rows in SQLite: one file of one run."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

from protocol.retries import Retries
from protocol.sqlite import connected
from roles.journal_rows import COUNTED_KINDS, NUMBERED, Result, Rows

_SCHEMA = f"""
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS events (
    id INTEGER PRIMARY KEY, at REAL NOT NULL, kind TEXT NOT NULL, role TEXT NOT NULL,
    subtask TEXT NOT NULL, step INTEGER NOT NULL, key TEXT, body TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS actions (
    key TEXT PRIMARY KEY, digest TEXT NOT NULL, action TEXT NOT NULL, started INTEGER NOT NULL DEFAULT 0,
    result TEXT) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS approvals (
    id INTEGER PRIMARY KEY, key TEXT NOT NULL, digest TEXT NOT NULL, decision TEXT NOT NULL,
    message TEXT NOT NULL, who TEXT NOT NULL, at REAL NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, body TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS plans (version INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS observations (
    row INTEGER PRIMARY KEY, state_id TEXT NOT NULL, app TEXT NOT NULL, body BLOB NOT NULL) STRICT;
CREATE INDEX IF NOT EXISTS looks ON events (json_extract(body, '$.app'), id) WHERE kind = 'observed';
CREATE INDEX IF NOT EXISTS counted ON events (id) WHERE {COUNTED_KINDS};
"""
_WORDS = {
    **{"own": "", "only": "", "run": "", "this": ""},
    **{"app": "json_extract(body, '$.app')", "key": "json_extract(body, '$.key')"},
    "of_attempt": "json_extract(body, '$.attempt') = ?",
}
_INSERTS = {
    table: f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"  # noqa: S608 - fixed names
    for table, (_, columns) in NUMBERED.items()
}


class SqliteRows(Rows):
    """Owns one connection (WAL, synchronous=NORMAL). `path=None` keeps everything in memory."""

    def __init__(self, path: Path | None, retries: Retries | None = None) -> None:
        super().__init__(_WORDS)
        self.kept = path is not None
        self.connection = connected(path, retries, isolation_level=None)
        self.connection.execute("PRAGMA page_size=1024")  # rows are small; a commit writes whole pages
        self.connection.execute("PRAGMA journal_mode=WAL")
        self.connection.execute("PRAGMA wal_autocheckpoint=500")
        self.connection.execute("PRAGMA synchronous=NORMAL")
        self.connection.executescript(_SCHEMA)

    def _read(self, statement: str, *values: Any) -> Result:
        return self.connection.execute(self._texts[statement], values)

    def _write(self, statement: str, *values: Any) -> None:
        self._begin()
        self.connection.execute(self._texts[statement], values)

    def _changed(self, statement: str, *values: Any) -> int:
        self._begin()
        return self.connection.execute(self._texts[statement], values).rowcount

    def _append(self, table: str, *values: Any) -> int:
        self._begin()
        return self.connection.execute(_INSERTS[table], values).lastrowid or 0

    def _begin(self) -> None:
        if not self.connection.in_transaction:
            self.connection.execute("BEGIN IMMEDIATE")

    def hurry(self) -> None:
        self.connection.execute("PRAGMA busy_timeout = 0")
        self.connection.retries = Retries(tries=1)

    def commit(self) -> None:
        if self.connection.in_transaction:
            self.connection.execute("COMMIT")

    def close(self) -> None:
        """Commit and fold the write-ahead log into the file. Twice is fine."""
        try:
            self.commit()
            self.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            self.connection.close()
        except sqlite3.ProgrammingError:
            return
        except sqlite3.OperationalError:  # a full disk, a lock: what is not written by now is worked again, as after a kill
            self.connection.close()
