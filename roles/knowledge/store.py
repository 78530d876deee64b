"""Where documents are kept and found: SQLite with its full-text index, in a file or in memory. Nothing in it is ever unpickled.

`search` ranks by BM25 (FTS5's own) and says of each hit how much of the query it speaks of. With embeddings (vectors of any
LangChain `Embeddings`) it ranks by meaning as well; the two are joined by reciprocal rank fusion (Cormack et al. 2009).
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, Self

from protocol.retries import Retries
from protocol.sqlite import connected
from roles.knowledge.pages.documents import Document, DocumentKind, Hit, asked_stems, fits, indexed
from roles.knowledge.settings import EmbeddingSettings

if TYPE_CHECKING:
    from langchain_core.embeddings import Embeddings


_BATCH = 64
_LONGEST = 4_000
"""Characters of a document that are embedded; its title and its beginning say what it is about."""
_FUSION = 60
"""The constant of reciprocal rank fusion."""


class MeaningFault(Exception):
    """The embeddings cannot be had; the message is one sentence."""


class _Vectors(NamedTuple):
    """All vectors of the model, as they stood at one state of the store."""

    state: tuple[int, int]
    numbers: Any
    matrix: Any


class Rows(Protocol):
    """The store, as far as a ranking reads it and keeps vectors in it."""

    def state(self) -> tuple[int, int]: ...
    def read(self, statement: str, values: Sequence[Any] = ()) -> Sequence[sqlite3.Row]: ...
    def chosen(self, where: str, values: Sequence[Any], numbers: Sequence[int]) -> dict[int, Document]: ...
    def writing(self) -> AbstractContextManager[sqlite3.Connection]: ...


class Meaning:
    """One model of embeddings. `unrelated` is the cosine by which it means that two texts have nothing in common."""

    def __init__(self, name: str, embeddings: Embeddings, unrelated: float = 0.0, retries: Retries | None = None) -> None:
        self.name = name
        self._embeddings = embeddings
        self._unrelated = unrelated
        self._trying = (retries or Retries()).trying()
        self._kept: _Vectors | None = None

    def joined(
        self, store: Rows, query: str, by_words: Sequence[Hit], where: str, values: Sequence[Any], count: int
    ) -> list[Hit]:
        """The hits by words and those by meaning in one order. Raises MeaningFault."""
        self._embed_new(store, where, values)
        near = self._near(store, query, where, values, count)
        words = {hit.document.id: (rank, hit) for rank, hit in enumerate(by_words)}
        means = {hit.document.id: (rank, hit) for rank, hit in enumerate(near)}
        joined: list[tuple[float, Hit]] = []
        for id in dict.fromkeys([*words, *means]):
            by = [found[id] for found in (words, means) if id in found]
            hit = by[0][1]
            close = means[id][1].meaning if id in means else None
            score = max(hit.words, close or 0.0)
            joined.append(
                (sum(1 / (_FUSION + rank + 1) for rank, _ in by), hit.model_copy(update={"score": score, "meaning": close}))
            )
        joined.sort(key=lambda pair: (-pair[0], -pair[1].score, pair[1].document.id))
        return [hit for _, hit in joined]

    def _near(self, store: Rows, query: str, where: str, values: Sequence[Any], count: int) -> list[Hit]:
        import numpy

        kept = self._all(store)
        if not len(kept.numbers):
            return []
        allowed = [row["number"] for row in store.read(f"SELECT d.number FROM documents d WHERE {where}", values)]  # noqa: S608 - made of placeholders
        places = numpy.flatnonzero(numpy.isin(kept.numbers, numpy.array(allowed, dtype=numpy.int64)))
        asked = _unit(numpy.array([self._ask(partial(self._embeddings.embed_query, query[:_LONGEST]))], dtype=numpy.float32))[0]
        if kept.matrix.shape[1] != len(asked):
            wide = kept.matrix.shape[1]
            raise MeaningFault(f"embeddings {self.name}: a vector has {len(asked)} numbers, those in the store {wide}")
        close = kept.matrix[places] @ asked
        best = numpy.argsort(-close, kind="stable")[:count]
        numbers = [int(kept.numbers[places[n]]) for n in best]
        found = store.chosen(where, values, numbers)
        scores = [min(1.0, max(0.0, (float(close[n]) - self._unrelated) / (1 - self._unrelated))) for n in best]
        return [
            Hit(document=found[number], score=score, meaning=score)
            for number, score in zip(numbers, scores, strict=True)
            if number in found
        ]

    def _all(self, store: Rows) -> _Vectors:
        import numpy

        state = store.state()
        if self._kept is None or self._kept.state != state:
            rows = store.read("SELECT number, vector FROM vectors WHERE model = ? ORDER BY number", (self.name,))
            numbers = numpy.array([row["number"] for row in rows], dtype=numpy.int64)
            parts = [numpy.frombuffer(row["vector"], dtype="<f4") for row in rows]
            self._kept = _Vectors(state, numbers, numpy.stack(parts) if parts else numpy.zeros((0, 0), dtype=numpy.float32))
        return self._kept

    def _embed_new(self, store: Rows, where: str, values: Sequence[Any]) -> None:
        """Give a vector to every document that has none of this model."""
        import numpy

        new = store.read(
            f"SELECT d.number, d.title, d.text FROM documents d WHERE {where}"  # noqa: S608 - made of placeholders
            " AND d.number NOT IN (SELECT number FROM vectors WHERE model = ?)",
            [*values, self.name],
        )
        for start in range(0, len(new), _BATCH):
            batch = new[start : start + _BATCH]
            texts = [f"{row['title']}\n{row['text']}"[:_LONGEST] for row in batch]
            made = self._ask(partial(self._embeddings.embed_documents, texts))
            vectors = _unit(numpy.array(made, dtype=numpy.float32))
            with store.writing() as db:
                db.executemany(
                    "INSERT OR REPLACE INTO vectors (number, model, vector) SELECT ?, ?, ? WHERE EXISTS"
                    " (SELECT 1 FROM documents WHERE number = ?)",
                    [
                        (row["number"], self.name, vector.astype("<f4").tobytes(), row["number"])
                        for row, vector in zip(batch, vectors, strict=True)
                    ],
                )

    def _ask(self, question: Callable[[], Any]) -> Any:
        try:
            return self._trying(question)
        except Exception as bad:  # a provider's package: whatever it raises, it is said in one sentence
            said = " ".join(str(bad).split())[:300]
            raise MeaningFault(f"embeddings {self.name} failed: {type(bad).__name__}: {said}") from bad


def _unit(matrix: Any) -> Any:
    """Every row with length one, so that a product is a cosine."""
    import numpy

    lengths = numpy.linalg.norm(matrix, axis=1, keepdims=True)
    return matrix / numpy.where(lengths == 0, 1, lengths)


_CLASSES = {"openai": ("langchain_openai", "OpenAIEmbeddings"), "ollama": ("langchain_ollama", "OllamaEmbeddings")}


def open_meaning(settings: EmbeddingSettings, given: Embeddings | None = None, retries: Retries | None = None) -> Meaning:
    """The model that the settings name, or the one that a program gives. Raises MeaningFault."""
    if importlib.util.find_spec("numpy") is None:
        raise MeaningFault('knowledge.embeddings needs: pip install "deskcrew[embeddings]"')
    if settings.name in {"", "given"}:
        if given is None:
            raise MeaningFault("knowledge.embeddings: `given` is a model that a program gives: Crew(embeddings=MODEL)")
        return Meaning(_named(given), given, settings.unrelated, retries)
    provider, _, model = settings.name.partition(":")
    module, name = _CLASSES[provider]
    try:
        kind = getattr(importlib.import_module(module), name)
    except ImportError:
        raise MeaningFault(f'the embeddings {settings.name} need: pip install "deskcrew[{provider}]"') from None
    try:
        ours = {"max_retries": 0} if provider == "openai" else {}  # tries are counted and waited for by us
        opened: Embeddings = kind(**{"model": model, **ours, **settings.options})
    except Exception as bad:  # a provider's class: a missing key and a wrong option have no error in common
        said = " ".join(str(bad).split())[:300]
        raise MeaningFault(f"the embeddings {settings.name} cannot be opened: {said}") from bad
    return Meaning(settings.name, opened, settings.unrelated, retries)


def _named(given: Embeddings) -> str:
    """Another model has other vectors, so it must have another name: its class, and what it says of its model."""
    said = [str(getattr(given, key)) for key in ("model", "model_name", "size", "dimensions") if getattr(given, key, None)]
    return ":".join([f"given:{type(given).__module__}.{type(given).__qualname__}", *said])


if TYPE_CHECKING:
    from roles.knowledge.store import Meaning

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
CREATE TABLE IF NOT EXISTS uses (
    id TEXT PRIMARY KEY, used INTEGER NOT NULL, helped INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS vectors (
    number INTEGER NOT NULL, model TEXT NOT NULL, vector BLOB NOT NULL, PRIMARY KEY (number, model)) WITHOUT ROWID;
"""
_TITLE, _BODY = 4.0, 1.0
"""What a word in a title weighs against one in the text."""


class StoreFault(Exception):
    """The file cannot be used as a store; the message is one sentence."""


class SourceFault(Exception):
    """A source that cannot be asked; the message is one sentence. The others are still asked."""


class KnowledgeStore:
    """Documents of every kind. Without a path it lives in memory; with one, several processes may use it at once."""

    def __init__(self, path: Path | None = None, meaning: Meaning | None = None) -> None:
        self.path = path
        self.meaning = meaning
        self._lock = threading.RLock()
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
        try:
            self._db = connected(path, timeout=_PATIENCE, isolation_level=None)
            self._begin()
        except sqlite3.Error as bad:
            raise StoreFault(f"{path}: this file cannot be used as a store of knowledge: {bad}") from bad

    def _begin(self) -> None:
        self._db.row_factory = sqlite3.Row
        found = self._db.execute("PRAGMA user_version").fetchone()[0]
        if found not in {0, _VERSION}:
            raise sqlite3.DatabaseError(f"it is of version {found}, and this deskcrew reads version {_VERSION}")
        if self.path is not None:
            self._db.execute("PRAGMA journal_mode = WAL")
        if not found:
            self._db.executescript(f"BEGIN IMMEDIATE; {_SCHEMA} PRAGMA user_version = {_VERSION}; COMMIT;")

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
        for table, column in (("words", "rowid"), ("vectors", "number"), ("documents", "number")):
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
        by_meaning: bool = True,
    ) -> Sequence[Hit]:
        """The documents that fit best, of this app or of none, each text once, and none below the threshold or retired."""
        where, values = _where(kinds, app, shelves)
        where = f"{where} AND coalesce(json_extract(d.data, '$.retired'), '') = ''"
        ranked = self._by_words(query, where, values, max(_CANDIDATES, limit))
        if self.meaning is not None and by_meaning:
            ranked = self.meaning.joined(self, query, ranked, where, values, max(_CANDIDATES, limit))
        found: dict[str, Hit] = {}
        for hit in ranked:
            if hit.score >= threshold and hit.score > 0:
                found.setdefault(hit.document.digest, hit)
        return list(found.values())[:limit]

    def _by_words(self, query: str, where: str, values: Sequence[Any], count: int) -> Sequence[Hit]:
        asked = asked_stems(query)
        if not asked:
            return []
        # In quotes a word is a word for FTS5, whatever it looks like; stems hold no quotes.
        match = " OR ".join(f'"{word}"' for word in asked)
        best = self.read(  # numbers alone, since all that match are sorted
            f"SELECT d.number FROM words JOIN documents d ON d.number = words.rowid WHERE words MATCH ? AND {where}"  # noqa: S608 - made of placeholders
            f" ORDER BY bm25(words, {_TITLE}, {_BODY}), d.id LIMIT ?",
            [match, *values, count],
        )
        rows = [self._read_whole(row["number"]) for row in best]
        known = self._known(asked)
        total = self.read("SELECT count(*) FROM documents")[0][0]
        scored = ((row, fits(asked, row["title_words"], row["body_words"], known, total)) for row in rows)
        return [Hit(document=_document(row), score=score, words=score) for row, score in scored]

    def note_use(self, id: str, helped: bool) -> None:
        """A run has followed it; whether that helped."""
        with self.writing() as db:
            db.execute(
                "INSERT INTO uses (id, used, helped) VALUES (?, 1, ?)"
                " ON CONFLICT (id) DO UPDATE SET used = used + 1, helped = helped + excluded.helped",
                (id, int(helped)),
            )

    def uses(self, id: str) -> tuple[int, int]:
        """How many runs have followed it, and how many of them it helped."""
        rows = self.read("SELECT used, helped FROM uses WHERE id = ?", (id,))
        return (rows[0]["used"], rows[0]["helped"]) if rows else (0, 0)

    def _read_whole(self, number: int) -> sqlite3.Row:
        return self.read(
            "SELECT d.*, words.title AS title_words, words.body AS body_words"
            " FROM documents d JOIN words ON words.rowid = d.number WHERE d.number = ?",
            (number,),
        )[0]

    def _known(self, asked: Sequence[str]) -> dict[str, int]:
        """In how many documents each word stands."""
        marks = ", ".join("?" * len(asked))
        return {row["term"]: row["doc"] for row in self.read(f"SELECT term, doc FROM known WHERE term IN ({marks})", asked)}  # noqa: S608 - made of placeholders

    def state(self) -> tuple[int, int]:
        """Another one when something was changed, here or by another process."""
        with self._lock:
            return self._db.execute("PRAGMA data_version").fetchone()[0], self._db.total_changes

    def chosen(self, where: str, values: Sequence[Any], numbers: Sequence[int]) -> dict[int, Document]:
        """Documents by their numbers, as far as they are of the kind that is asked for."""
        marks = ", ".join("?" * len(numbers))
        rows = self.read(f"SELECT * FROM documents d WHERE {where} AND d.number IN ({marks})", [*values, *numbers])  # noqa: S608 - made of placeholders
        return {row["number"]: _document(row) for row in rows}


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
