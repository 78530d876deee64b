"""The store: what is added is found by its words, by app, by kind and once; in memory and on disk, by several at once."""

from __future__ import annotations

import sqlite3
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roles.knowledge.pages.documents import KINDS, Document
from roles.knowledge.store import KnowledgeStore, StoreFault


def page(title: str, text: str = "", app: str | None = None, **more: object) -> Document:
    return Document.model_validate({"title": title, "text": text or f"How to {title}.", "app": app, **more})


def titles(store: KnowledgeStore, query: str, **said: object) -> list[str]:
    return [hit.title for hit in store.search(query, **said)]  # type: ignore[arg-type]


@pytest.fixture
def store() -> KnowledgeStore:
    store = KnowledgeStore()
    store.add(page("Reconcile an invoice", app="billing"))
    store.add(page("Feed the otters", "Give them fish twice a day."))
    store.add(page("Invoice a customer", app="mail"))
    return store


def test_other_forms_of_a_word_find_it(store: KnowledgeStore) -> None:
    assert titles(store, "reconciling my invoices")[0] == "Reconcile an invoice"
    assert titles(store, "fishes for an otter") == ["Feed the otters"]


def test_a_document_of_another_app_is_never_found_and_one_of_no_app_always(store: KnowledgeStore) -> None:
    assert titles(store, "invoice otters", app="billing") == ["Feed the otters", "Reconcile an invoice"]
    assert titles(store, "invoice otters", app="mail") == ["Feed the otters", "Invoice a customer"]
    assert titles(store, "invoice otters", app="MAIL") == titles(store, "invoice otters", app="mail")
    assert titles(store, "invoice", app="chat") == []


@given(st.lists(st.tuples(st.sampled_from(["a", "b", "c", None]), st.sampled_from(KINDS)), max_size=12), st.sampled_from("abc"))
def test_whatever_stands_in_the_store_a_search_stays_within_app_and_kinds(given_: list[tuple], app: str) -> None:
    with KnowledgeStore() as store:
        for number, (about, kind) in enumerate(given_):
            store.add(page("otters", f"otters {number}", about, kind=kind))
        for kind in KINDS:
            hits = store.search("otters", app, (kind,), limit=50)
            wanted = {n for n, (about, k) in enumerate(given_) if k == kind and about in {app, None}}
            assert {int(hit.text.split()[1]) for hit in hits} == wanted


def test_what_is_below_the_threshold_or_beyond_the_limit_is_left_out(store: KnowledgeStore) -> None:
    assert [round(hit.score, 2) for hit in store.search("feed the brown otters")] == [0.62]
    assert titles(store, "feed the brown otters", threshold=0.6) == ["Feed the otters"]
    assert titles(store, "feed the brown otters", threshold=0.7) == []
    assert len(titles(store, "invoice", limit=1)) == 1


def test_the_same_text_is_found_once(store: KnowledgeStore) -> None:
    store.add(page("Otters, again", "give them  FISH twice a day.", id="help:copy"))
    assert len(titles(store, "fish twice a day")) == 1


def test_a_document_of_the_same_id_replaces_the_old_one(store: KnowledgeStore) -> None:
    store.add(page("About otters", "first", id="help:o"))
    store.add(page("About otters", "second words", id="help:o"))
    assert store.get("help:o") == page("About otters", "second words", id="help:o")
    assert titles(store, "first") == []
    assert titles(store, "second words") == ["About otters"]


def test_what_is_removed_is_neither_found_nor_listed(store: KnowledgeStore) -> None:
    id = store.search("otters")[0].document
    assert store.remove(id) is True
    assert store.remove(id) is False
    assert titles(store, "otters") == []
    assert "Feed the otters" not in [one.title for one in store.list()]


def test_ls_is_by_kind_and_app(store: KnowledgeStore) -> None:
    store.add(page("Claimed before", app="billing", kind="experience"))
    assert [one.title for one in store.list("experience")] == ["Claimed before"]
    assert [one.title for one in store.list(app="billing")] == ["Claimed before", "Reconcile an invoice"]


@pytest.mark.parametrize(
    ("title", "query"),
    [
        ("如何提交报销单", "提交报销"),
        ("請求書を作成する", "請求書の作成"),
        ("청구서를 만드는 방법", "청구서"),
        ("Größe ändern", "grosse andern"),
    ],
)
def test_scripts_without_blanks_and_letters_with_marks_are_found(title: str, query: str) -> None:
    with KnowledgeStore() as store:
        store.add(page(title, "-"))
        store.add(page("Feed the otters", "-"))
        assert titles(store, query)[0] == title


@given(st.text(max_size=200))
def test_no_query_is_read_as_a_command(query: str) -> None:
    with KnowledgeStore() as store:
        store.add(page("NEAR AND OR NOT title body", "words * ^ \" ' ( ) : -"))
        for hit in store.search(query):
            assert 0 < hit.score <= 1


@pytest.mark.parametrize("query", ['"', "a OR", "NEAR(otters invoice)", "title: otters", "otters*", "-otters", "^", "' --", ""])
def test_the_signs_of_the_query_language_are_only_signs(store: KnowledgeStore, query: str) -> None:
    assert set(titles(store, query)) <= {"Feed the otters", "Reconcile an invoice", "Invoice a customer"}


def test_numbers_and_ids_of_a_query_say_nothing_about_what_is_wanted(store: KnowledgeStore) -> None:
    assert store.search("Reconcile invoice INV-2041")[0].score == 1.0


def test_a_store_on_disk_keeps_what_was_added(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "knowledge.sqlite"
    with KnowledgeStore(path) as store:
        kept = store.add(page("Feed the otters", data={"slots": ["otter"], "times": 3}))
    with KnowledgeStore(path) as store:
        assert store.get(kept.id) == kept
        assert titles(store, "otters") == ["Feed the otters"]


def test_several_write_at_once_and_nothing_is_lost(tmp_path: Path) -> None:
    path = tmp_path / "knowledge.sqlite"
    KnowledgeStore(path).close()

    def write(name: str) -> None:
        with KnowledgeStore(path) as own:
            for number in range(20):
                own.add(page(f"{name} {number}", f"{name} {number}"))

    threads = [threading.Thread(target=write, args=(name,)) for name in ("one", "two", "three")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with KnowledgeStore(path) as store:
        assert len(store.list()) == 60


def test_half_a_change_is_no_change(store: KnowledgeStore) -> None:
    def fail() -> None:
        with store.writing():
            store.add(page("Half", id="help:half"))
            raise KeyError("stop")

    with pytest.raises(KeyError):
        fail()
    assert store.get("help:half") is None
    assert titles(store, "half") == []


@pytest.mark.parametrize("content", [b"this is no database at all, but a text" * 40, b""])
def test_a_file_that_is_something_else_is_refused_or_begun(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "knowledge.sqlite"
    path.write_bytes(content)
    if not content:
        KnowledgeStore(path).close()
        return
    with pytest.raises(StoreFault, match=r"knowledge\.sqlite: this file cannot be used"):
        KnowledgeStore(path)
    assert path.read_bytes() == content


def test_a_store_of_a_later_version_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "knowledge.sqlite"
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA user_version = 99")
    db.close()
    with pytest.raises(StoreFault, match="version 99"):
        KnowledgeStore(path)


def test_a_full_disk_is_said_as_what_it_is_and_nothing_of_it_is_kept(tmp_path: Path) -> None:
    with KnowledgeStore(tmp_path / "k.sqlite") as store:
        pages = store.read("PRAGMA page_count")[0][0]
        store.read(f"PRAGMA max_page_count = {pages + 2}")
        large = Document(kind="help", title="Pay", text="a word " * 20_000, source="pay.md")

        def both() -> None:
            with store.writing():
                store.add(Document(kind="help", title="Small", text="a page", source="small.md"))
                store.add(large)

        with pytest.raises(StoreFault, match="nothing was written: database or disk is full"):
            both()
        assert store.list() == []
        store.read("PRAGMA max_page_count = 100000")
        store.add(large)
        assert [one.title for one in store.list()] == ["Pay"]
