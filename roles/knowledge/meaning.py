"""Ranking by meaning beside ranking by words: vectors of any LangChain `Embeddings`, kept in the store under the model's name.

The two rankings are joined by reciprocal rank fusion (Cormack et al. 2009): what both find stands first, whatever their scales.
"""

from __future__ import annotations

import importlib
import importlib.util
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from protocol.retries import Retries
from roles.knowledge.pages.documents import Document, Hit
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
        scores = [self._score(float(close[n])) for n in best]
        return [
            Hit(document=found[number], score=score, meaning=score)
            for number, score in zip(numbers, scores, strict=True)
            if number in found
        ]

    def _score(self, cosine: float) -> float:
        return min(1.0, max(0.0, (cosine - self._unrelated) / (1 - self._unrelated)))

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
