"""What others ask of a run, and who works it: kept beside the run's journal, written by any process at any time.

It is no part of the journal, whose writer may be in the middle of a step: whoever asks never waits for the crew, and the crew
looks once before each action. What was taken is written into the journal; this only carries it there.
"""

import functools
import getpass
import json
import socket
import sqlite3
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

from orchestrator.store.databases import row_of
from orchestrator.store.printable import mapping_in

FILE = "control.sqlite"
_SCHEMA = """
CREATE TABLE IF NOT EXISTS requests (
    id INTEGER PRIMARY KEY, at REAL NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL, who TEXT NOT NULL,
    taken REAL) STRICT;
CREATE TABLE IF NOT EXISTS lease (
    one INTEGER PRIMARY KEY CHECK (one = 1), token TEXT NOT NULL, doing TEXT NOT NULL, host TEXT NOT NULL, machine TEXT NOT NULL,
    pid INTEGER NOT NULL, started TEXT NOT NULL, since REAL NOT NULL, beats INTEGER NOT NULL, beat REAL NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS answers (
    asking TEXT PRIMARY KEY, at REAL NOT NULL, who TEXT NOT NULL, body TEXT NOT NULL) STRICT;
"""
_HELD = "token, doing, host, machine, pid, started, since, beats, beat"
_PATIENCE = 10.0
"""Seconds to wait for another writer, each of whom needs a millisecond."""


class Request(NamedTuple):
    """What somebody asks of a run."""

    id: int
    at: float
    kind: str
    """pause, resume, cancel, steer, takeover or handback."""
    body: dict[str, Any]
    who: str
    taken: bool


class Holder(NamedTuple):
    """Who works a run, as they wrote it down."""

    token: str
    """Of this holding: another one by the same process has another token."""
    doing: str
    host: str
    machine: str
    """Processes that can see each other have the same."""
    pid: int
    started: str
    """When the process began, by the system's own count: its number may be given to another one later."""
    since: float
    beats: int
    beat: float
    """The last sign of life, by the holder's clock."""


class AnswerRecord(NamedTuple):
    """An answer, in short."""

    who: str
    decision: str
    message: str


class GivenAnswer(NamedTuple):
    """What somebody has answered to something that a run asked."""

    answer: dict[str, Any]
    who: str
    at: float

    @property
    def said(self) -> AnswerRecord:
        decision = self.answer["decisions"][0]
        return AnswerRecord(self.who, str(decision.get("type", "")), str(decision.get("message", "")))


class Look(NamedTuple):
    """What the crew sees when it looks: whose the run is, and what is new."""

    token: str
    requests: Sequence[Request]


class Channel:
    """Of one run, in its folder. Each call is whole: it is done or it is not, whatever is killed.

    A file that is damaged is set aside; `lost` says in words what could not be read any more.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / FILE
        self.lost = ""
        try:
            self._db = self._opened()
        except sqlite3.DatabaseError as bad:
            if isinstance(bad, sqlite3.OperationalError):  # it cannot be written, or is locked: nothing is wrong with it
                raise
            self.lost = f"{set_aside(self.path)} is damaged ({bad}); requests that the run had not received yet are lost"
            self._db = self._opened()

    def _opened(self) -> sqlite3.Connection:
        if self.path.exists() and not self.path.is_file():
            raise sqlite3.DatabaseError("it is not a file")
        db = sqlite3.connect(self.path, timeout=_PATIENCE, isolation_level=None, check_same_thread=False)
        try:
            db.execute("PRAGMA journal_mode=WAL")
            # When power fails every holder is dead, so that a lease needs no disk to wait for. What is asked for does: `send`.
            db.execute("PRAGMA synchronous=OFF")
            db.executescript(_SCHEMA)
            if not _expected() <= _columns(db):
                raise sqlite3.DatabaseError("it has other tables")
            if (found := db.execute("PRAGMA quick_check(1)").fetchone()[0]) != "ok":
                raise sqlite3.DatabaseError(found)
        except BaseException:
            db.close()
            raise
        return db

    def send(self, kind: str, body: dict[str, Any], who: str) -> int:
        """Ask for something. Gives its number."""
        text = json.dumps(body, ensure_ascii=True)
        self._db.execute("PRAGMA synchronous=FULL")
        asked = "INSERT INTO requests (at, kind, body, who) VALUES (?, ?, ?, ?) RETURNING id"
        ((number,),) = self._db.execute(asked, (time.time(), kind, text, who)).fetchall()
        return int(number)

    def look(self, after: int) -> Look:
        """The holder's token, and the requests behind number `after`. Cheap: it is called before each action."""
        token, last = self._db.execute("SELECT (SELECT token FROM lease), (SELECT max(id) FROM requests)").fetchone()
        if (last or 0) <= after:
            return Look(token or "", ())
        rows = self._db.execute("SELECT id, at, kind, body, who, taken FROM requests WHERE id > ? ORDER BY id", (after,))
        found = [
            Request(number, at, kind, body, who, bool(taken))
            for number, at, kind, text, who, taken in rows
            if (body := mapping_in(text)) is not None
        ]
        return Look(token or "", found)

    def mark_taken(self, number: int) -> None:
        """All requests up to this one are in the journal."""
        self._db.execute("UPDATE requests SET taken = ? WHERE id <= ? AND taken IS NULL", (time.time(), number))

    def is_taken(self, number: int) -> bool:
        row = self._db.execute("SELECT taken FROM requests WHERE id = ?", (number,)).fetchone()
        return bool(row and row[0])

    def answer(self, asking: str, answer: dict[str, Any], who: str) -> GivenAnswer:
        """Answer what was asked under this name; gives the answer that counts, which is the first one, whoever gave it."""
        text = json.dumps(answer, ensure_ascii=True)
        self._db.execute("PRAGMA synchronous=FULL")
        self._db.execute("DELETE FROM answers WHERE asking = ? AND NOT (json_valid(body) AND body LIKE '{%')", (asking,))
        self._db.execute(
            "INSERT INTO answers (asking, at, who, body) VALUES (?, ?, ?, ?) ON CONFLICT (asking) DO NOTHING",
            (asking, time.time(), who, text),
        )
        first = self.given(asking)
        assert first is not None  # noqa: S101 - ours, or one that was there
        return first

    def given(self, asking: str) -> GivenAnswer | None:
        row = self._db.execute("SELECT body, who, at FROM answers WHERE asking = ?", (asking,)).fetchone()
        return _given(row)

    def withdraw(self, asking: str) -> None:
        """What was asked is asked no more; an answer to it counts for nothing."""
        self._db.execute("DELETE FROM answers WHERE asking = ?", (asking,))

    def holder(self) -> Holder | None:
        row = self._db.execute(f"SELECT {_HELD} FROM lease").fetchone()  # noqa: S608 - fixed names
        return Holder(*row) if row else None

    def hold(self, wanted: Holder, refuse: Callable[[Holder], bool]) -> Holder | None:
        """Become the holder, unless there is another one whom `refuse` lets keep it: then that one is given."""
        self._db.execute("BEGIN IMMEDIATE")  # of two who want it at once, the second sees the first
        try:
            there = self.holder()
            if there is None or not refuse(there):
                marks = ", ".join("?" * len(wanted))
                self._db.execute(f"INSERT OR REPLACE INTO lease (one, {_HELD}) VALUES (1, {marks})", wanted)  # noqa: S608
                there = None
            self._db.execute("COMMIT")
        except BaseException:
            if self._db.in_transaction:  # a full disk ends a transaction by itself
                self._db.execute("ROLLBACK")
            raise
        return there

    def beat(self, token: str) -> bool:
        """Give a sign of life; False where the run is another's by now."""
        try:
            given = self._db.execute("UPDATE lease SET beats = beats + 1, beat = ? WHERE token = ?", (time.time(), token))
        except sqlite3.OperationalError:
            return True  # a disk that is full for a while says nothing of whose the run is
        return given.rowcount > 0

    def now_doing(self, token: str, doing: str) -> None:
        self._db.execute("UPDATE lease SET doing = ? WHERE token = ?", (doing, token))

    def release(self, token: str) -> None:
        self._db.execute("DELETE FROM lease WHERE token = ?", (token,))

    def close(self) -> None:
        try:
            if self._db.execute("SELECT 1 FROM requests UNION ALL SELECT 1 FROM answers LIMIT 1").fetchone():
                self._db.execute("PRAGMA synchronous=FULL")  # the file is folded, with what was asked for
            self._db.close()
        except sqlite3.ProgrammingError:
            return


def _columns(db: sqlite3.Connection) -> frozenset[tuple[str, str]]:
    """Every column, with its table."""
    told = "SELECT t.name, c.name FROM sqlite_master AS t, pragma_table_info(t.name) AS c WHERE t.type = 'table'"
    return frozenset(db.execute(told))


@functools.cache
def _expected() -> frozenset[tuple[str, str]]:
    with closing(sqlite3.connect(":memory:")) as db:
        db.executescript(_SCHEMA)
        return _columns(db)


def set_aside(path: Path) -> Path:
    """Give a damaged database another name, and what SQLite keeps beside it too; returns the new name."""
    kept = path.with_name(f"{path.name}.damaged")
    for ending in ("", "-wal", "-shm"):
        beside = path.with_name(path.name + ending)
        if beside.exists():
            beside.replace(kept.with_name(kept.name + ending))
    return kept


def holder_of(folder: Path) -> Holder | None:
    """Whoever is written down as working the run; reads only, and makes nothing."""
    if not _may_be_open(folder / FILE):
        return None
    row = row_of(folder / FILE, f"SELECT {_HELD} FROM lease")  # noqa: S608 - fixed names
    return Holder(*row) if row else None


def _may_be_open(path: Path) -> bool:
    """Whether a process may have it open, or has died so: SQLite takes its log away when the last one closes the file."""
    if not path.is_file():  # a pipe never ends
        return False
    try:
        with path.open("rb") as file:
            logged = file.read(19)[18:] == b"\2"
        return not logged or path.with_name(f"{path.name}-wal").stat().st_size > 0
    except OSError:
        return False


def given_to(folder: Path, asking: str) -> GivenAnswer | None:
    """What was answered, whether or not the run has heard it; reads only, and makes nothing. A damaged row costs only itself."""
    row = row_of(folder / FILE, "SELECT body, who, at FROM answers WHERE asking = ?", asking)
    return _given(row)


def _given(row: tuple[Any, ...] | None) -> GivenAnswer | None:
    answer = None if row is None else mapping_in(row[0])
    return None if row is None or answer is None else GivenAnswer(answer, row[1], row[2])


def myself() -> str:
    """Who asks, where nobody says: the user of this machine."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return socket.gethostname()
