"""What was learned is counted each time it is followed, and is found no more when it fails."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roles.knowledge.pages.documents import Document, DocumentKind
from roles.knowledge.pages.learned import count, keep
from roles.knowledge.store import KnowledgeStore

STEP = 'Click the control "Feed" in the "zoo" app.'
LEARNED = Document(kind="experience", app="zoo", title="Feed the {animal}", text=f"1. {STEP}", source="run:1")
IN_A_ROW = "it failed 2 times in a row"


def kept(store: KnowledgeStore, kind: DocumentKind = "experience") -> Document:
    document, new = keep(store, LEARNED.model_copy(update={"kind": kind}))
    assert new
    return document


def after(store: KnowledgeStore, document: Document, uses: str) -> tuple[str, int, int]:
    """Why it is retired, its uses and those that helped; `+` for a run that was helped, `-` for one that was not."""
    for use in uses:
        count(store, document.id, helped=use == "+")
    found = store.get(document.id)
    return found.retired, *store.uses(document.id)


@pytest.mark.parametrize("kind", ["experience", "demonstration"])
@pytest.mark.parametrize(
    ("uses", "why"),
    [
        ("", ""), ("-", ""), ("+-+-+", ""), ("-+", ""), ("--", IN_A_ROW), ("+++--", IN_A_ROW),
        ("-+-", ""), ("-+-+-", "it helped 2 of 5 times"), ("+-+-", ""),
    ],
)  # fmt: skip
def test_two_failures_in_a_row_or_less_than_every_second_time_of_four_retire_it(kind: DocumentKind, uses: str, why: str) -> None:
    with KnowledgeStore() as store:
        document = kept(store, kind)
        now = after(store, document, uses)
        assert now == (why, len(uses), uses.count("+"))
        found = store.search("feed the animal", kinds=[kind])
        assert [hit.document for hit in found] == ([] if why else [document.id])
        assert [(one.id, one.retired) for one in store.list(kind)] == [(document.id, why)], "it is kept, and says why"


@given(st.text("+-", max_size=12))
def test_what_is_retired_is_said_by_the_counts_alone(uses: str) -> None:
    with KnowledgeStore() as store:
        now = after(store, kept(store), uses)
    row = len(uses) - len(uses.rstrip("-"))
    seldom = len(uses) >= 4 and uses.count("+") * 2 < len(uses)
    assert bool(now[0]) is (row >= 2 or seldom)


def test_what_people_wrote_is_counted_and_never_retired() -> None:
    with KnowledgeStore() as store:
        page = store.add(Document(kind="help", title="Feed the animals", text="1. Feed them.", source="zoo.md"))
        assert after(store, page, "----") == ("", 4, 0)
        assert [hit.document for hit in store.search("feed the animals")] == [page.id]


def test_learning_the_same_again_keeps_what_is_known_of_it(tmp_path: Path) -> None:
    with KnowledgeStore(tmp_path / "k.sqlite") as store:
        document = kept(store)
        after(store, document, "--")
    with KnowledgeStore(tmp_path / "k.sqlite") as store:
        again, new = keep(store, LEARNED)
        assert not new
        assert again.retired, "another success in the old way does not call it back"


def test_what_has_left_the_store_is_no_trouble() -> None:
    with KnowledgeStore() as store:
        document = kept(store)
        store.remove(document.id)
        count(store, document.id, helped=False)
        assert store.get(document.id) is None
