"""Where documents are kept and found: SQLite with its full-text index, in a file or in memory. Nothing in it is ever unpickled.

`search` ranks by BM25 (FTS5's own) and says of each hit how much of the query it speaks of.
"""

import json
import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

from protocol.sqlite import connected
from roles.contracts import Supplement
from roles.knowledge.pages.documents import Document, DocumentKind, asked_stems, fits, indexed

KEPT = ""
"""The shelf of what was added to be kept. Documents of a folder that is read as it stands are on the folder's own shelf."""
_VERSION = 1
_PATIENCE = 5.0
_CANDIDATES = 40
"""Documents that are looked at more closely for one query, at least."""
_SCHEMA = """
CREATE TABLE IF NOT EXISTS documents (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL, shelf TEXT NOT NULL, kind TEXT NOT NULL, app TEXT COLLATE NOCASE,
    title TEXT NOT NULL, text TEXT NOT NULL, source TEXT NOT NULL, data TEXT NOT NULL, digest TEXT NOT NULL, added REAL NOT NULL,
    UNIQUE (id, shelf));
CREATE INDEX IF NOT EXISTS documents_by_kind ON documents (shelf, kind, app);
CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5(title, body, tokenize = 'unicode61 remove_diacritics 0');
CREATE VIRTUAL TABLE IF NOT EXISTS known USING fts5vocab(words, 'row');
CREATE TABLE IF NOT EXISTS files (
    shelf TEXT NOT NULL, path TEXT NOT NULL, mtime_ns INTEGER NOT NULL, size INTEGER NOT NULL, hash TEXT NOT NULL,
    id TEXT NOT NULL, PRIMARY KEY (shelf, path));
"""
_TITLE, _BODY = 4.0, 1.0
"""What a word in a title weighs against one in the text."""


class StoreFault(Exception):
    """The file cannot be used as a store; the message is one sentence."""


class SourceFault(Exception):
    """A source that cannot be asked; the message is one sentence. The others are still asked."""


class KnowledgeStore:
    """Documents of every kind. Without a path it lives in memory; with one, several processes may use it at once."""

    def __init__(self, path: Path | None = None) -> None:
        self.path = path
        self._lock = threading.RLock()
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
        try:
            self._db = connected(path, timeout=_PATIENCE, isolation_level=None)
            self._db.row_factory = sqlite3.Row
            found = self._db.execute("PRAGMA user_version").fetchone()[0]
            if found not in {0, _VERSION}:
                raise sqlite3.DatabaseError(f"it is of version {found}, and this deskcrew reads version {_VERSION}")
            if self.path is not None:
                self._db.execute("PRAGMA journal_mode = WAL")
            if not found:
                self._db.executescript(f"BEGIN IMMEDIATE; {_SCHEMA} PRAGMA user_version = {_VERSION}; COMMIT;")
        except sqlite3.Error as bad:
            raise StoreFault(f"{path}: this file cannot be used as a store of knowledge: {bad}") from bad

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def close(self) -> None:
        with self._lock:
            self._db.close()

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """All of it or nothing; within another one it is part of that. Raises StoreFault where it cannot be written."""
        with self._lock:
            if self._db.in_transaction:
                yield self._db
                return
            try:
                self._db.execute("BEGIN IMMEDIATE")
                yield self._db
                self._db.execute("COMMIT")
            except BaseException as bad:
                if self._db.in_transaction:  # a full disk ends a transaction by itself
                    self._db.execute("ROLLBACK")
                if isinstance(bad, sqlite3.Error):
                    raise StoreFault(f"{self.path}: nothing was written: {bad}") from bad
                raise

    def read(self, statement: str, values: Sequence[Any] = ()) -> Sequence[sqlite3.Row]:
        with self._lock:
            return self._db.execute(statement, values).fetchall()

    def add(self, document: Document, *, shelf: str = KEPT) -> Document:
        """Keep it; one of the same id is replaced."""
        data = json.dumps(document.data, ensure_ascii=False, allow_nan=False)
        with self.writing() as db:
            self._drop(db, document.id, shelf)
            made = db.execute(
                "INSERT INTO documents (id, shelf, kind, app, title, text, source, data, digest, added)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (document.id, shelf, document.kind, document.app, document.title, document.text, document.source, data,
                 document.digest, time.time()),
            )  # fmt: skip
            words = (made.lastrowid, indexed(document.title), indexed(document.text))
            db.execute("INSERT INTO words (rowid, title, body) VALUES (?, ?, ?)", words)
        return document

    def remove(self, id: str, *, shelf: str = KEPT) -> bool:
        """Whether there was one."""
        with self.writing() as db:
            return self._drop(db, id, shelf)

    @staticmethod
    def _drop(db: sqlite3.Connection, id: str, shelf: str) -> bool:
        row = db.execute("SELECT number FROM documents WHERE id = ? AND shelf = ?", (id, shelf)).fetchone()
        if row is None:
            return False
        for table, column in (("words", "rowid"), ("documents", "number")):
            db.execute(f"DELETE FROM {table} WHERE {column} = ?", (row["number"],))  # noqa: S608 - names of our own tables
        return True

    def get(self, id: str, *, shelf: str = KEPT) -> Document | None:
        rows = self.read("SELECT * FROM documents WHERE id = ? AND shelf = ?", (id, shelf))
        return _document(rows[0]) if rows else None

    def list(
        self, kind: DocumentKind | None = None, app: str | None = None, *, shelves: Sequence[str] = (KEPT,)
    ) -> Sequence[Document]:
        """Those of a kind, and those of an app: here one of no app is of no app."""
        where, values = _where((kind,) if kind else None, None, shelves)
        if app is not None:
            where, values = f"{where} AND d.app = ?", [*values, app]
        rows = self.read(f"SELECT * FROM documents d WHERE {where} ORDER BY d.kind, d.app, d.id", values)  # noqa: S608 - made of placeholders
        return [_document(row) for row in rows]

    def search(
        self,
        query: str,
        app: str | None = None,
        kinds: Iterable[DocumentKind] | None = None,
        limit: int = 5,
        threshold: float = 0.0,
        *,
        shelves: Sequence[str] = (KEPT,),
    ) -> Sequence[Supplement]:
        """The documents that fit best, of this app or of none, each text once, and none below the threshold."""
        where, values = _where(kinds, app, shelves)
        asked = asked_stems(query)
        if not asked:
            return []
        # In quotes a word is a word for FTS5, whatever it looks like; stems hold no quotes.
        match = " OR ".join(f'"{word}"' for word in asked)
        best = self.read(  # numbers alone, since all that match are sorted
            f"SELECT d.number FROM words JOIN documents d ON d.number = words.rowid WHERE words MATCH ? AND {where}"  # noqa: S608 - made of placeholders
            f" ORDER BY bm25(words, {_TITLE}, {_BODY}), d.id LIMIT ?",
            [match, *values, max(_CANDIDATES, limit)],
        )
        marks = ", ".join("?" * len(asked))
        terms = self.read(f"SELECT term, doc FROM known WHERE term IN ({marks})", asked)  # noqa: S608 - made of placeholders
        known = {row["term"]: row["doc"] for row in terms}
        total = self.read("SELECT count(*) FROM documents")[0][0]
        found: dict[str, Supplement] = {}
        for number in (row["number"] for row in best):
            (row,) = self.read(
                "SELECT d.*, words.title AS title_words, words.body AS body_words"
                " FROM documents d JOIN words ON words.rowid = d.number WHERE d.number = ?",
                (number,),
            )
            score = fits(asked, row["title_words"], row["body_words"], known, total)
            if score >= threshold and score > 0:
                document = _document(row)
                found.setdefault(document.digest, document.found_for(query, score))
        return list(found.values())[:limit]


def _where(kinds: Iterable[DocumentKind] | None, app: str | None, shelves: Sequence[str]) -> tuple[str, list[Any]]:
    """A condition on documents `d`, and its values. What is of no app fits every app; what is of another never does."""
    parts, values = [f"d.shelf IN ({', '.join('?' * len(shelves))})"], [*shelves]
    if kinds is not None:
        wanted = list(kinds)
        parts.append(f"d.kind IN ({', '.join('?' * len(wanted))})")
        values += wanted
    if app is not None:
        parts.append("(d.app IS NULL OR d.app = ?)")
        values.append(app)
    return " AND ".join(parts), values


def _document(row: sqlite3.Row) -> Document:
    said = {key: row[key] for key in ("id", "kind", "app", "title", "text", "source")}
    return Document.model_validate({**said, "data": json.loads(row["data"])})
