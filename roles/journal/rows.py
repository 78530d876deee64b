"""The rows under a journal, kept by SQLite or PostgreSQL, which read the same statements.

Rows are texts and numbers; what they mean is the journal's. What a dialect says otherwise stands in braces and is filled
in by its class: `{own}` limits a statement to this run where several share a table, `{run}` and `{this}` name the run in an
insertion, `{app}` and `{key}` are fields of an event's body, and `{of_attempt}` compares one with a number.
"""

from __future__ import annotations

import json
import re
import sqlite3
import zlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from protocol.retries import Retries
from protocol.sqlite import connected
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

NUMBERED = {
    "events": ("id", ("at", "kind", "role", "subtask", "step", "key", "body")),
    "approvals": ("id", ("key", "digest", "decision", "message", "who", "at")),
    "facts": ("rowid", ("name", "body")),
    "plans": ("version", ("body",)),
    "observations": ("row", ("state_id", "app", "body")),
}
"""Tables whose rows are numbered as they come: the name of the number, and what is written beside it."""

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
ABOUT_A_KEY = f"SELECT body FROM events WHERE {{own}}{_SELDOM} AND kind = ? AND {{key}} = ?"  # noqa: S608 - fixed names
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


class Result(Protocol):
    """What a statement came to: the part of a DB-API cursor that is used here."""

    def fetchone(self) -> Any: ...
    def fetchall(self) -> list[Any]: ...
    def __iter__(self) -> Iterator[Any]: ...


class Rows(ABC):
    """The tables of one run. What was written is read at once, and survives a kill from the next `commit` on."""

    kept: bool = True
    """Whether the rows outlive this process."""

    def __init__(self, words: Mapping[str, str], mark: str = "?") -> None:
        """`words` fill the braces of the statements; `mark` stands in the place of a value."""
        self._texts = _Texts(words, mark)

    @abstractmethod
    def read(self, statement: str, *values: Any) -> Result:
        """Rows of a statement with `?` for its values."""

    @abstractmethod
    def write(self, statement: str, *values: Any) -> None:
        """Change rows, in a transaction that is begun where there is none."""

    @abstractmethod
    def changed(self, statement: str, *values: Any) -> int:
        """Like `write`; returns how many rows were changed."""

    @abstractmethod
    def append(self, table: str, *values: Any) -> int:
        """A new row of one of the NUMBERED tables; returns its number."""

    def texts(self, statement: str, *values: Any) -> list[str]:
        """The first value of every row."""
        return [text for (text, *_) in self.read(statement, *values)]

    def text(self, statement: str, *values: Any) -> str | None:
        """The first value of the first row."""
        row = self.read(statement, *values).fetchone()
        return None if row is None or row[0] is None else str(row[0])

    @abstractmethod
    def commit(self) -> None:
        """Make everything so far survive a kill."""

    def hurry(self) -> None:
        """From now on fail at once where another one holds what is wanted."""
        return

    @abstractmethod
    def close(self) -> None:
        """Commit and give the store back. Twice is fine."""

    def clear(self) -> None:
        """Forget all but the screens."""
        for table in ("events", "actions", "approvals", "facts", "plans", "meta"):
            self.write(f"DELETE FROM {table}{{only}}")  # noqa: S608 - fixed names
        self.commit()

    def write_over(self, changed: Callable[[Any], Any]) -> None:
        """Put `changed(what is said)` in the place of everything that is said anywhere, and commit."""
        for table, (key, *columns) in TEXTS.items():
            found = self.read(f"SELECT {key}, {', '.join(columns)} FROM {table}{{only}}").fetchall()  # noqa: S608 - fixed names
            for number, *said in found:
                for column, old in zip(columns, said, strict=True):
                    if (new := changed(old)) != old:
                        self.write(f"UPDATE {table} SET {column} = ? WHERE {{own}}{key} = ?", new, number)  # noqa: S608
        self.commit()

    def add_event(
        self, at: float, kind: str, role: str, subtask: str, step: int, key: str | None, body: Mapping[str, Any]
    ) -> int:
        """Append an event and return its number."""
        return self.append("events", at, kind, role, subtask, step, key, dumps(body))

    def events(self, kinds: Sequence[str], after: int) -> Iterator[Event]:
        """Events in order, all kinds or some; constant memory."""
        where = f" AND kind IN ({','.join('?' * len(kinds))})" if kinds else ""
        where += f" AND {_SELDOM}" if kinds and not set(kinds) & set(_OFTEN) else ""
        select = "SELECT id, at, kind, role, subtask, step, body FROM events WHERE {own}id > ?"
        return map(Event.of, self.read(f"{select}{where} ORDER BY id", after, *kinds))

    def counted(self) -> Iterator[tuple[str, str, str]]:
        """Kind, role and body of every event that a budget counts, in order."""
        return iter(self.read(f"SELECT kind, role, body FROM events WHERE {{own}}{_COUNTED} ORDER BY id"))  # noqa: S608

    def set_meta(self, key: str, value: str) -> None:
        self.write(
            "INSERT INTO meta ({run}key, value) VALUES ({this}?, ?) ON CONFLICT ({run}key) DO UPDATE SET value = excluded.value",
            key,
            value,
        )


class _Texts(dict[str, str]):
    """Statements with the words of one dialect in them, each made once."""

    def __init__(self, words: Mapping[str, str], mark: str) -> None:
        super().__init__()
        self._words, self._mark = words, mark

    def __missing__(self, statement: str) -> str:
        return self.setdefault(statement, statement.replace("?", self._mark).format_map(self._words))


def dumps(value: Any) -> str:
    """JSON as it is stored."""
    return _ENCODER.encode(value)


_ENCODER = json.JSONEncoder(separators=(",", ":"))


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
CREATE INDEX IF NOT EXISTS looks ON events (json_extract(body, '$.app'), id) WHERE kind = 'observed';
CREATE INDEX IF NOT EXISTS rare ON events (kind, id) WHERE {_SELDOM};
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
        self.connection.execute("PRAGMA page_size=512")  # rows are small; a commit writes whole pages
        self.connection.execute("PRAGMA journal_mode=WAL")
        self.connection.execute("PRAGMA wal_autocheckpoint=4000")
        self.connection.execute("PRAGMA synchronous=NORMAL")
        self.connection.executescript(_SCHEMA)

    def read(self, statement: str, *values: Any) -> Result:
        return self.connection.execute(self._texts[statement], values)

    def write(self, statement: str, *values: Any) -> None:
        self._begin()
        self.connection.execute(self._texts[statement], values)

    def changed(self, statement: str, *values: Any) -> int:
        self._begin()
        return self.connection.execute(self._texts[statement], values).rowcount

    def append(self, table: str, *values: Any) -> int:
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


Query = Callable[..., list[Any]]
"""Rows of a statement with `?` for its values, in which `{own}` limits the rows to those of one run."""
PART = ("name", "body")
ACTION = ("key", "digest", "action", "started", "result")


class RowsCopy(SqliteRows):
    """Rows of another store, in memory."""

    def __init__(self) -> None:
        super().__init__(None)

    def read_on(self, query: Query, tables: Sequence[str] = tuple(NUMBERED)) -> None:
        """Take in what was written since. What an event speaks of comes before it."""
        ((last,),) = query("SELECT coalesce(max(id), 0) FROM events WHERE {own}TRUE")
        if self.connection.execute("SELECT coalesce(max(id), 0) >= ? FROM events", (last,)).fetchone()[0]:
            return
        for table in sorted(tables, key="events".__eq__):
            number, columns = NUMBERED[table][0], (NUMBERED[table][0], *NUMBERED[table][1])
            until = f" AND id <= {last}" if table == "events" else ""
            page = f"SELECT {', '.join(columns)} FROM {table} WHERE {{own}}{number} > ?{until} ORDER BY {number} LIMIT 1000"  # noqa: S608
            ((reached,),) = self.connection.execute(f"SELECT coalesce(max({number}), 0) FROM {table}")  # noqa: S608
            while rows := query(page, reached):
                if table == "events" and (keys := sorted({key for row in rows if (key := _key_of(row[-1]))})):
                    actions = f"SELECT {', '.join(ACTION)} FROM actions WHERE {{own}}key = ANY(?)"  # noqa: S608 - fixed names
                    self.take("actions", ACTION, query(actions, keys))
                if table == "events" and (named := sorted({name for row in rows for name in parts_named(row[-1])})):
                    self.take("parts", PART, query(f"SELECT {', '.join(PART)} FROM parts WHERE {{own}}name = ANY(?)", named))  # noqa: S608
                self.take(table, columns, rows)
                reached = rows[-1][0]

    def take(self, table: str, columns: Sequence[str], rows: Sequence[Any]) -> None:
        marks = ", ".join("?" * len(columns))
        self.connection.executemany(f"INSERT OR REPLACE INTO {table} ({', '.join(columns)}) VALUES ({marks})", rows)  # noqa: S608


def parts_named(body: str) -> set[str]:
    """The names of the parts of a transcript of which an event tells."""
    return set(_PART_NAME.findall(body)) if '"transcript":' in body else set()


_PART_NAME = re.compile(r'"(?:text|picture|schema|reply)":"([0-9a-f]{32})"')


def _key_of(body: str) -> str:
    try:
        key = json.loads(body).get("key", "")
    except (ValueError, AttributeError, RecursionError):
        return ""
    return key if isinstance(key, str) else ""


MOST = 64 * 2**20
"""Bytes that one stored text may come to: far more than any screen or cursor, and no more than a machine can hold."""


def deflated(body: bytes) -> bytes:
    return zlib.compress(body)


def inflated(body: bytes, most: int = MOST) -> bytes:
    """The text again. Raises zlib.error for what is no such text, is cut off, or would come to more than `most` bytes."""
    engine = zlib.decompressobj()
    text = engine.decompress(body, most + 1)
    if len(text) > most:
        raise zlib.error(f"a stored text of {len(body)} bytes would come to more than {most}")
    if not engine.eof:
        raise zlib.error("a stored text is cut off")
    return text
