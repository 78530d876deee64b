"""Ranking by meaning beside words: the mechanics, with vectors that are made up. Quality is for benchmarks/retrieval.py."""

from __future__ import annotations

from pathlib import Path

import pytest
from langchain_core.embeddings import Embeddings

from roles.knowledge.library import Library
from roles.knowledge.pages.documents import Document
from roles.knowledge.settings import EmbeddingSettings, KnowledgeSettings
from roles.knowledge.store import KnowledgeStore, Meaning, MeaningFault, open_meaning


class Topics(Embeddings):
    """Knows three topics by a few words each; everything else is of none."""

    WORDS = (("car", "vehicle", "automobile"), ("fish", "otter", "sea"), ("money", "bill", "invoice"))

    def __init__(self, model: str = "topics", wide: int = 3) -> None:
        self.model = model
        self.embedded: list[str] = []
        self._wide = wide

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        self.embedded += texts
        return [self.embed_query(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        if "broken" in text:
            raise ConnectionError("the model\nis away")
        found = [float(any(word in text.casefold() for word in words)) for words in self.WORDS]
        return [*found, *[0.0] * (self._wide - 3)]


def filled(path: Path | None, model: Topics, name: str = "topics") -> KnowledgeStore:
    store = KnowledgeStore(path, Meaning(name, model))
    for title, app in (("Wash the car", "garage"), ("Feed the otter", None), ("Pay a bill", "billing"), ("Sing", None)):
        store.add(Document(title=title, text=f"How to {title.casefold()}.", app=app, id=f"help:{title}"))
    return store


def test_what_has_no_word_in_common_is_found_by_its_meaning() -> None:
    with filled(None, Topics()) as store:
        hits = store.search("clean an automobile")
        assert [(hit.document.title, hit.words, hit.meaning) for hit in hits] == [("Wash the car", 0.0, pytest.approx(1.0))]
        assert store.search("clean an automobile", by_meaning=False) == []


def test_what_both_rankings_find_stands_before_what_one_does() -> None:
    with filled(None, Topics()) as store:
        store.add(Document(title="An automobile", text="It has a name.", id="help:both"))
        assert store.search("automobile")[0].document.id == "help:both"


def test_meaning_keeps_to_the_app_and_the_threshold_too() -> None:
    with filled(None, Topics()) as store:
        assert store.search("automobile", "billing") == []
        assert [hit.document.title for hit in store.search("automobile or money", "garage", threshold=0.7)] == ["Wash the car"]
        assert store.search("automobile or money", "garage", threshold=0.8) == []


def test_a_cosine_that_means_nothing_counts_as_nothing() -> None:
    with KnowledgeStore(None, Meaning("topics", Topics(), unrelated=0.75)) as store:
        store.add(Document(title="Wash the car", text="-"))
        assert store.search("automobile and money") == []
        assert store.search("automobile")[0].score == pytest.approx(1.0)


def test_only_new_documents_are_embedded_and_another_model_embeds_all_again(tmp_path: Path) -> None:
    path, first = tmp_path / "k.sqlite", Topics()
    with filled(path, first) as store:
        store.search("car")
        store.add(Document(title="Drive", text="-"))
        store.search("car")
        assert len(first.embedded) == 5
    again, other = Topics(), Topics("other", wide=7)
    with KnowledgeStore(path, Meaning("topics", again)) as store:
        store.search("car")
    assert again.embedded == []
    with KnowledgeStore(path, Meaning("other", other)) as store:
        assert store.search("automobile")[0].document.title == "Wash the car"
    assert len(other.embedded) == 5


def test_a_changed_document_is_embedded_again_and_a_removed_one_forgotten() -> None:
    model = Topics()
    with filled(None, model) as store:
        store.search("car")
        store.add(Document(title="Wash the car", text="Now about fish", id="help:Sing"))
        store.remove("help:Wash the car")
        assert {hit.document.id for hit in store.search("automobile")} == {"help:Sing"}
        assert [row[0] for row in store.read("SELECT count(*) FROM vectors")] == [3]


def test_a_model_whose_vectors_have_another_length_is_refused_under_the_same_name() -> None:
    with filled(None, Topics()) as store:
        store.search("car")
        store.meaning = Meaning("topics", Topics(wide=5))
        with pytest.raises(MeaningFault, match="a vector has 5 numbers, those in the store 3"):
            store.search("car")


def test_where_the_model_fails_words_still_find_and_it_is_said(tmp_path: Path) -> None:
    (tmp_path / "help").mkdir()
    (tmp_path / "help" / "pipes.md").write_text("# Mend a broken pipe\n\nWith tape.")
    library = Library(KnowledgeSettings(), None, [tmp_path / "help"], Topics())
    assert [hit.document.title for hit in library.search("mend a pipe that is broken")] == ["Mend a broken pipe"]
    assert "ConnectionError: the model is away; what was found was found by its words alone" in library.trouble


def test_a_given_model_has_a_name_by_which_its_vectors_are_known() -> None:
    one, other = (open_meaning(EmbeddingSettings(name="given"), Topics(model)).name for model in ("a", "b"))
    assert one != other
    with pytest.raises(MeaningFault, match=r"Crew\(embeddings=MODEL\)"):
        open_meaning(EmbeddingSettings(name="given"))


@pytest.mark.parametrize("name", ["nobody:model", "openai", "openai:", "model"])
def test_a_name_that_means_no_model_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="must be given, or one of openai, ollama"):
        EmbeddingSettings(name=name)
