"""What was refused, to whom and why: kept in the desk's own file, so that it can be looked at later."""

from __future__ import annotations

import sqlite3
import threading
import time
from pathlib import Path

from fastapi import HTTPException

from orchestrator.desk.models import RefusedRequest

KEPT = 10_000
"""Refusals; older ones make room, so that whoever knocks without end fills no disk."""
_LONGEST = 300
_SCHEMA = """
CREATE TABLE IF NOT EXISTS refusals (
    id INTEGER PRIMARY KEY, at REAL NOT NULL, who TEXT NOT NULL, peer TEXT NOT NULL, method TEXT NOT NULL, path TEXT NOT NULL,
    status INTEGER NOT NULL, why TEXT NOT NULL) STRICT;
"""


class Refused(HTTPException):
    """Somebody asks for what is not theirs to have: answered in a sentence, and written down."""


class Refusals:
    """The log. Safe from several threads."""

    def __init__(self, path: Path) -> None:
        self._lock = threading.Lock()
        self._db = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=5.0)
        self._db.execute("PRAGMA journal_mode=WAL")
        self._db.execute("PRAGMA synchronous=NORMAL")
        self._db.executescript(_SCHEMA)

    def add(self, *, who: str, peer: str, method: str, path: str, status: int, why: str) -> None:
        row = (time.time(), who, peer, method[:20], path[:_LONGEST], status, why[:_LONGEST])
        with self._lock:
            said = "INSERT INTO refusals (at, who, peer, method, path, status, why) VALUES (?, ?, ?, ?, ?, ?, ?)"
            number = self._db.execute(said, row).lastrowid or 0
            if number % 100 == 0:
                self._db.execute("DELETE FROM refusals WHERE id <= ?", (number - KEPT,))

    def latest(self, count: int) -> list[RefusedRequest]:
        """Newest first."""
        with self._lock:
            rows = self._db.execute(
                "SELECT id, at, who, peer, method, path, status, why FROM refusals ORDER BY id DESC LIMIT ?", (count,)
            ).fetchall()
        names = ("id", "at", "who", "peer", "method", "path", "status", "why")
        return [RefusedRequest(**dict(zip(names, row, strict=True))) for row in rows]

    def close(self) -> None:
        with self._lock:
            self._db.close()
