#!/usr/bin/env python3
"""How well help pages are found by questions in everyday words, and what it costs as the collection grows.

    benchmarks/retrieval.py            the questions of benchmarks/questions.yaml
    benchmarks/retrieval.py --growth   index and query time at 10, 1,000 and 100,000 documents

Recall and mean reciprocal rank are of the questions that a page answers, before any threshold. `shown` is how many of them get
a right page among the first three with the threshold of the settings, `false` how many of the others get any page. Times are
of the CPU, and this machine's; what counts is the ratio to the row above.
"""

from __future__ import annotations

import argparse
import random
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import yaml

from roles.knowledge.library import unasked
from roles.knowledge.pages.documents import Document
from roles.knowledge.pages.filling import without_values
from roles.knowledge.pages.folders import sync
from roles.knowledge.settings import KnowledgeSettings
from roles.knowledge.store import KnowledgeStore

HERE = Path(__file__).resolve().parent

HELP = HERE.parent / "configs" / "help"
SIZES = (10, 1_000, 100_000)
APPS = ("billing", "mail", "notes", "files", "calendar", "contacts", "chat", "shop")


class Question(NamedTuple):
    """What somebody asks, and the pages that answer it."""

    ask: str
    pages: tuple[str, ...]
    app: str | None = None


class Quality(NamedTuple):
    """Of all questions."""

    recall_1: float
    recall_5: float
    mrr: float
    shown: float
    false: float


def questions(path: Path = HERE / "questions.yaml") -> list[Question]:
    return [Question(q["ask"], tuple(q["page"]), q.get("app")) for q in yaml.safe_load(path.read_text(encoding="utf-8"))]


def quality(store: KnowledgeStore, asked: Sequence[Question], threshold: float, *, top_k: int = 3) -> Quality:
    """How well this store answers."""
    ranks: list[int | None] = []
    shown = false = 0
    for question in asked:
        hits = store.search(question.ask, question.app, ("help",), 5)
        right = [n for n, hit in enumerate(hits) if hit.document in question.pages]
        returned = [hit for hit in hits if (hit.score or 0.0) >= threshold][:top_k]
        if question.pages:
            ranks.append(right[0] if right else None)
            shown += any(hit.document in question.pages for hit in returned)
        else:
            false += bool(returned)
    found = [rank for rank in ranks if rank is not None]
    return Quality(
        sum(rank == 0 for rank in found) / len(ranks),
        len(found) / len(ranks),
        sum(1 / (rank + 1) for rank in found) / len(ranks),
        shown / len(ranks),
        false / (len(asked) - len(ranks)),
    )


def shipped() -> KnowledgeStore:
    """The help pages that are shipped, in memory."""
    store = KnowledgeStore()
    sync(store, HELP)
    return store


def pages_shown(asked: Sequence[Question], *, ahead: bool) -> tuple[int, int]:
    """How many pages are shown that answer their question, and how many that do not; to who has not asked for any, `ahead`."""
    told, store, right, wrong = KnowledgeSettings().help, shipped(), 0, 0
    for question in asked:
        query = without_values(question.ask)
        found = store.search(query, question.app, ("help",), told.top_k, told.threshold)
        pages = [page.document in question.pages for page in (unasked(query, found) if ahead else found)]
        right, wrong = right + sum(pages), wrong + len(pages) - sum(pages)
    return right, wrong


def made(count: int, seed: int = 0) -> Iterator[Document]:
    """Pages of forty words each, in which some words are common and most are rare, as in a language."""
    dice = random.Random(seed)
    pages = [word for document in shipped().list() for word in document.text.split()]
    rare = [f"{a}{b}{c}" for a in ("ka", "lo", "mi", "ru", "te") for b in ("ban", "dor", "fel", "gis") for c in pages[:300]]
    for number in range(count):
        words = [dice.choice(pages) if dice.random() < 0.7 else dice.choice(rare) for _ in range(44)]
        yield Document(app=dice.choice(APPS), title=" ".join(words[:4]), text=" ".join(words[4:]), id=f"help:{number}")


class Cost(NamedTuple):
    """Of a collection of one size."""

    documents: int
    index_ms: float
    """Of one document."""
    query_ms: float
    """The median of the questions, within an app."""
    megabytes: float


def growth(sizes: Sequence[int] = SIZES) -> Iterator[Cost]:
    """A collection on disk, filled at once and asked every question."""
    asked = questions()
    for size in sizes:
        documents = list(made(size))
        with tempfile.TemporaryDirectory() as folder, KnowledgeStore(Path(folder) / "knowledge.sqlite") as store:
            begun = time.process_time()
            with store.writing():
                for document in documents:
                    store.add(document)
            indexed = time.process_time() - begun
            took = []
            for question in asked:
                begun = time.process_time()
                store.search(question.ask, question.app or "mail", ("help",), 3, 0.3)
                took.append(time.process_time() - begun)
            pages = store.read("PRAGMA page_count")[0][0] * store.read("PRAGMA page_size")[0][0]
            yield Cost(size, indexed / size * 1e3, statistics.median(took) * 1e3, pages / 1e6)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--growth", action="store_true")
    given = parser.parse_args()
    if given.growth:
        print("documents   index ms each   ratio   query ms   ratio   MB")
        last: Cost | None = None
        for cost in growth():
            more = [f"{now / then:.2f}" if last else "-" for now, then in zip(cost[1:3], (last or cost)[1:3], strict=True)]
            first, second = (f"{ms:.2f}" for ms in cost[1:3])
            print(f"{cost.documents:9,}   {first:>13}   {more[0]:>5}   {second:>8}   {more[1]:>5}   {cost.megabytes:.1f}")
            last = cost
        return
    asked = questions()
    answered = sum(bool(question.pages) for question in asked)
    print(f"{answered} questions that a page answers, {len(asked) - answered} that none does, {len(shipped().list())} pages")
    print("ranked by       recall@1  recall@5    MRR   shown   false")
    found = quality(shipped(), asked, KnowledgeSettings().help.threshold)
    recall = f"{found.recall_1:8.3f}  {found.recall_5:8.3f}"
    print(f"words (BM25)    {recall}  {found.mrr:.3f}   {found.shown:.3f}   {found.false:.3f}")
    for ahead, who in ((False, "asked"), (True, "not asked")):
        right, wrong = pages_shown(asked, ahead=ahead)
        print(f"pages shown to who has {who}: {right} right, {wrong} wrong")


if __name__ == "__main__":
    main()
