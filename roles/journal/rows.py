"""The rows under a journal, in SQLite. They are texts and numbers; what they mean is the journal's."""

import json
import sqlite3
import zlib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from pydantic_core import PydanticSerializationError, to_json

from protocol.retries import Retries
from protocol.sqlite import fold, logged
from roles.journal.budgets import COUNTED
from roles.journal.events import (
    AnsweredEvent,
    DecidedEvent,
    Event,
    FeedbackEvent,
    ObservedEvent,
    OutcomeEvent,
    RecognizedEvent,
    ReviewedEvent,
    SituationEvent,
    StepEvent,
)

_OFTEN = tuple(
    event.KIND
    for event in (
        AnsweredEvent, DecidedEvent, FeedbackEvent, ObservedEvent, OutcomeEvent, RecognizedEvent, ReviewedEvent, SituationEvent,
        StepEvent,
    )
)  # fmt: skip
"""Kinds that come with each action."""
_SELDOM = " AND ".join(f"kind <> {kind!r}" for kind in _OFTEN)
"""As a condition: an index over the other events must say it in the same words to be used, so that no action reads them all."""
ABOUT_A_KEY = f"SELECT body FROM events WHERE {_SELDOM} AND kind = ? AND json_extract(body, '$.key') = ?"  # noqa: S608 - fixed names
_COUNTED = f"{_SELDOM} AND kind IN ({', '.join(map(repr, COUNTED))})"

TEXTS = {
    "meta": ("key", "value"),
    "events": ("id", "body"),
    "actions": ("key", "action", "result"),
    "approvals": ("id", "message"),
    "facts": ("name", "body"),
    "plans": ("version", "body"),
    "observations": ("row", "body"),
    "parts": ("name", "body"),
}
"""Every table, with its key and the columns in which something is said."""


def dumps(value: Any) -> str:
    """JSON as it is stored."""
    return _ENCODER.encode(value)


_ENCODER = json.JSONEncoder(separators=(",", ":"))


def as_json(value: Any) -> str:
    """JSON as it is stored where nobody takes a digest of it: letters stand there as they are, which is faster."""
    try:
        return to_json(value, inf_nan_mode="constants").decode()
    except PydanticSerializationError:  # half a surrogate pair, which has no bytes of its own
        return dumps(value)


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
CREATE TABLE IF NOT EXISTS parts (name TEXT PRIMARY KEY, body BLOB NOT NULL) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS rare ON events (kind, id) WHERE {_SELDOM};
"""
_COLUMNS = {
    "events": ("at", "kind", "role", "subtask", "step", "key", "body"),
    "approvals": ("key", "digest", "decision", "message", "who", "at"),
    "facts": ("name", "body"),
    "plans": ("body",),
    "observations": ("state_id", "app", "body"),
}
"""Tables whose rows are numbered as they come, and what is written beside the number."""
_INSERTS = {
    table: f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"  # noqa: S608 - fixed names
    for table, columns in _COLUMNS.items()
}


class Rows:
    """The tables of one run. What was written is read at once, and survives a kill from the next `commit` on.

    Owns one connection (WAL, synchronous=NORMAL). `path=None` keeps everything in memory.
    """

    def __init__(self, path: Path | None, retries: Retries | None = None) -> None:
        self.kept = path is not None
        """Whether the rows outlive this process."""
        self.connection = logged(path, retries, isolation_level=None)
        self.connection.executescript(_SCHEMA)

    def read(self, statement: str, *values: Any) -> sqlite3.Cursor:
        return self.connection.execute(statement, values)

    def write(self, statement: str, *values: Any) -> sqlite3.Cursor:
        """Change rows, in a transaction that is begun where there is none."""
        if not self.connection.in_transaction:
            self.connection.execute("BEGIN IMMEDIATE")
        return self.connection.execute(statement, values)

    def append(self, table: str, *values: Any) -> int:
        """A new row of one of the numbered tables; returns its number."""
        return self.write(_INSERTS[table], *values).lastrowid or 0

    def texts(self, statement: str, *values: Any) -> list[str]:
        """The first value of every row."""
        return [text for (text, *_) in self.read(statement, *values)]

    def text(self, statement: str, *values: Any) -> str | None:
        """The first value of the first row."""
        row = self.read(statement, *values).fetchone()
        return None if row is None or row[0] is None else str(row[0])

    def hurry(self) -> None:
        """From now on fail at once where another one holds what is wanted."""
        self.connection.execute("PRAGMA busy_timeout = 0")
        self.connection.retries = Retries(tries=1)

    def commit(self) -> None:
        """Make everything so far survive a kill."""
        if self.connection.in_transaction:
            self.connection.execute("COMMIT")

    def clear(self) -> None:
        """Forget all but the screens."""
        for table in ("events", "actions", "approvals", "facts", "plans", "meta"):
            self.write(f"DELETE FROM {table}")  # noqa: S608 - fixed names
        self.commit()

    def events(self, kinds: Sequence[str]) -> Iterator[Event]:
        """Events in order, all kinds or some; constant memory."""
        where = f" WHERE kind IN ({','.join('?' * len(kinds))})" if kinds else ""
        where += f" AND {_SELDOM}" if kinds and not set(kinds) & set(_OFTEN) else ""
        select = "SELECT id, at, kind, role, subtask, step, body FROM events"
        return map(Event.of, self.read(f"{select}{where} ORDER BY id", *kinds))

    def counted(self) -> Iterator[tuple[str, str, str]]:
        """Kind, role and body of every event that a budget counts, in order."""
        return iter(self.read(f"SELECT kind, role, body FROM events WHERE {_COUNTED} ORDER BY id"))  # noqa: S608

    def set_meta(self, key: str, value: str) -> None:
        self.write("INSERT INTO meta VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value", key, value)

    def close(self) -> None:
        """Commit and fold the write-ahead log into the file. Twice is fine."""
        with suppress(sqlite3.ProgrammingError, sqlite3.OperationalError):  # it is closed, or nothing more can be written
            self.commit()
        fold(self.connection)


MOST = 64 * 2**20
"""Bytes that one stored text may come to: far more than any screen or cursor, and no more than a machine can hold."""
_DIFFERS = b"\0"
"""First of a screen that is stored as what differs from that of another row, whose number follows. No zlib stream begins so."""
MUCH = 0.1
"""What differs, of a text that is stored as a difference, is at most this part of the other one."""
_REACH = 2**15
"""How far back zlib finds what is alike."""


def deflated(body: bytes, base: bytes = b"") -> bytes:
    """The text as it is stored; of one that is much like `base` only what differs, which takes `base` again to be read."""
    # To look harder takes three times as long where nearly all stands in the base, and finds hardly more.
    engine = zlib.compressobj(level=3, zdict=base[-_REACH:]) if base else zlib.compressobj()
    return engine.compress(body) + engine.flush()


def difference(body: bytes, row: int, base: bytes) -> bytes:
    """A screen as it is stored where it is much like that of another row; empty where it is not."""
    differs = deflated(body, base) if base else b""
    return _DIFFERS + row.to_bytes(8, "big") + differs if 0 < len(differs) <= MUCH * len(base) else b""


def is_difference(body: bytes) -> bool:
    return body[:1] == _DIFFERS


def screen_text(database: sqlite3.Connection, row: int) -> bytes:
    """The screen of a row of observations, as JSON. Raises sqlite3.Error, zlib.error, and TypeError where there is none."""

    def read(number: int) -> bytes:
        return bytes(database.execute("SELECT body FROM observations WHERE row = ?", (number,)).fetchone()[0])

    body = read(row)
    if not is_difference(body):
        return inflated(body)
    return inflated(body[9:], base=inflated(read(int.from_bytes(body[1:9], "big"))))


def inflated(body: bytes, base: bytes = b"") -> bytes:
    """The text again. Raises zlib.error for what is no such text, is cut off, or would come to more than MOST bytes."""
    engine = zlib.decompressobj(zdict=base[-_REACH:]) if base else zlib.decompressobj()
    text = engine.decompress(body, MOST + 1)
    if len(text) > MOST:
        raise zlib.error(f"a stored text of {len(body)} bytes would come to more than {MOST}")
    if not engine.eof:
        raise zlib.error("a stored text is cut off")
    return text
