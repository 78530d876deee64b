"""Which keys were performed: written before and after each action, so that a resumed process repeats nothing."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from environments.contract import DigestMismatch, EnvironmentFault
from protocol import Action, ActionResult, ExecStatus
from protocol.sqlite import connected

FILE = "performed.sqlite"
_SCHEMA = """
CREATE TABLE IF NOT EXISTS performed (key TEXT PRIMARY KEY, digest TEXT NOT NULL, result TEXT) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS openings (n INTEGER PRIMARY KEY);
"""
_UNKNOWN = (
    "this action was begun before the process stopped, and it cannot be known whether it was done; "
    "look at the page to find out, and act again under another key only if it was not"
)


class Record:
    """Keys and results; in SQLite in a folder, or in memory. Actions are kept as a digest only: they may hold secrets."""

    def __init__(self, folder: Path | None = None) -> None:
        try:
            if folder is not None:
                folder.mkdir(parents=True, exist_ok=True)
            self._db = connected(folder / FILE if folder else None, isolation_level=None)
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute("PRAGMA synchronous=FULL")
            self._db.executescript(_SCHEMA)
            self.earlier: int = (self._db.execute("INSERT INTO openings DEFAULT VALUES").lastrowid or 1) - 1
            """How many processes have used this record before."""
        except (sqlite3.Error, OSError) as bad:
            raise EnvironmentFault(f"the record of performed keys in {folder} cannot be opened: {bad}") from bad

    def known(self, key: str, action: Action) -> ActionResult | None:
        """The stored result, or status `pending` for an action that was begun and not ended. Raises DigestMismatch."""
        row = self._run("SELECT digest, result FROM performed WHERE key = ?", key)
        if not row:
            return None
        digest, result = row[0]
        if digest != action.digest:
            raise DigestMismatch(f"key {key!r} was used before for another action")
        if result is None:
            return ActionResult(exec_status=ExecStatus.PENDING, error=_UNKNOWN)
        return ActionResult.model_validate_json(result)

    def begin(self, key: str, action: Action) -> None:
        self._run("INSERT INTO performed VALUES (?, ?, NULL)", key, action.digest)

    def end(self, key: str, result: ActionResult) -> None:
        self._run("UPDATE performed SET result = ? WHERE key = ?", result.model_dump_json(exclude_defaults=True), key)

    def close(self) -> None:
        self._db.close()

    def _run(self, sql: str, *values: str) -> list[tuple[str, str | None]]:
        try:
            return self._db.execute(sql, values).fetchall()
        except sqlite3.Error as bad:
            raise EnvironmentFault(f"the record of performed keys cannot be used: {bad}") from bad
