"""LangChain's retrievers and tools as sources; every source asked at once, and what several say taken once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from langchain_core.documents import Document as Page
from langchain_core.retrievers import BaseRetriever
from langchain_core.tools import StructuredTool
from pydantic import ValidationError

from roles.contracts import Supplement
from roles.knowledge.library import Library, gather, help_in
from roles.knowledge.pages.documents import Document
from roles.knowledge.retrievers import RetrieverSource, ToolSource
from roles.knowledge.settings import KnowledgeSettings
from roles.knowledge.store import KnowledgeStore, SourceFault


class Theirs(BaseRetriever):
    """A retriever of somebody else, that knows nothing of apps."""

    pages: list[Page] = []  # noqa: RUF012 - a field of pydantic's

    def _get_relevant_documents(self, query: str, *, run_manager: Any) -> list[Page]:
        if query == "fail":
            raise KeyError("their own\nfault")
        return self.pages


@pytest.fixture
def library(tmp_path: Path) -> Library:
    with KnowledgeStore(tmp_path / "k.sqlite") as store:
        for kind in ("help", "experience", "demonstration"):
            for app in ("zoo", "mail", None):
                said = {"title": f"Feed the otters in {app}", "text": f"{kind} {app}", "source": f"{kind}!"}
                store.add(Document.model_validate({"kind": kind, "app": app, **said}))
    return Library(KnowledgeSettings(), tmp_path / "k.sqlite")


def test_each_kind_is_a_source_of_its_own(library: Library) -> None:
    sources = library.sources()
    assert [source.name for source in sources] == ["help documents", "experience", "demonstrations"]
    for source, kind in zip(sources, ("help", "experience", "demonstration"), strict=True):
        hits = source.search("feed the otters", "zoo", 5)
        assert {(hit.kind, hit.app, hit.source) for hit in hits} == {(kind, "zoo", f"{kind}!"), (kind, None, f"{kind}!")}
        assert all(hit.score and hit.document for hit in hits)


def test_any_retriever_is_a_source_and_never_says_a_thing_about_another_app() -> None:
    pages = [
        Page("Fish twice a day.", metadata={"title": "Otters", "source": "zoo.txt", "app": "zoo", "score": 0.9}),
        Page("# Heading\nwords", metadata={"score": 17, "kind": "nonsense"}),
        Page("For mail.", metadata={"app": "mail"}),
    ]
    source = RetrieverSource(Theirs(pages=pages), "theirs")
    hits = source.search("otters", "zoo", 5)
    assert [(hit.title, hit.source, hit.app, hit.score, hit.kind) for hit in hits] == [
        ("Otters", "zoo.txt", "zoo", 0.9, ""),
        ("Heading", "theirs", None, None, ""),
    ]
    assert len(source.search("otters", None, 2)) == 2


def test_a_retriever_that_fails_is_one_sentence() -> None:
    with pytest.raises(SourceFault, match=r"^theirs failed: KeyError: 'their own\\nfault'$"):
        RetrieverSource(Theirs(), "theirs").search("fail", None, 3)


def test_a_tool_is_a_source_and_each_part_of_its_answer_is_found() -> None:
    tool = StructuredTool.from_function(lambda query: ["# One\nfirst", "second"], name="handbook", description="Answers.")
    hits = ToolSource(tool).search("otters", None, 3)
    assert [(hit.title, hit.text) for hit in hits] == [("One", "# One\nfirst"), ("second", "second")]
    assert {hit.source for hit in hits} == {"tool:handbook"}


class Fixed:
    """A source that says always the same, or fails."""

    def __init__(self, name: str, *texts: str, fault: str = "") -> None:
        self.name = name
        self._texts, self._fault = texts, fault

    def search(self, query: str, app: str | None, limit: int) -> list[Supplement]:
        if self._fault:
            raise SourceFault(self._fault)
        return [Supplement(query=query, source=self.name, title=text, text=text) for text in self._texts][:limit]


def test_each_text_is_taken_once_with_its_sources_and_a_fault_stops_no_other() -> None:
    found, faults = gather([Fixed("a", "same", "only a"), Fixed("b", "SAME "), Fixed("c", "same")], "q", None)
    assert [(hit.text, hit.source, hit.also) for hit in found] == [("same", "a", ("b", "c")), ("only a", "a", ())]
    assert faults == []
    first = gather([Fixed("a", "one")], "q", None).found
    found, faults = gather([Fixed("x", fault="x is down"), Fixed("a", "one", "two")], "q", None, first)
    assert [hit.text for hit in found] == ["two"]
    assert faults == ["x is down"]


def test_a_source_that_says_how_many_it_shows_is_asked_for_so_many() -> None:
    source = Fixed("a", *"123456")
    assert len(gather([source], "q", None).found) == 3
    source.top_k = 5  # type: ignore[attr-defined]
    assert len(gather([source], "q", None).found) == 5


def test_without_a_store_nothing_is_written_and_one_made_meanwhile_is_used(tmp_path: Path) -> None:
    (tmp_path / "help").mkdir()
    (tmp_path / "help" / "otters.md").write_text("# Otters\n\nFish.")
    path = tmp_path / "kept" / "k.sqlite"
    library = Library(KnowledgeSettings(), path, [tmp_path / "help"])
    assert [hit.title for hit in library.search("otters")] == ["Otters"]
    assert not path.parent.exists()
    with KnowledgeStore(path) as store:
        store.add(Document(title="More otters", text="Shrimps.", source="by hand"))
    assert {hit.title for hit in library.search("otters")} == {"Otters", "More otters"}
    library.close()


def test_a_folder_that_another_run_reads_is_none_of_this_ones_business(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "otters.md").write_text(f"# Otters {name}\n\nFish {name}.")
    KnowledgeStore(tmp_path / "k.sqlite").close()
    found = {}
    for name in ("one", "two"):
        library = Library(KnowledgeSettings(), tmp_path / "k.sqlite", [tmp_path / name])
        found[name] = [hit.title for hit in library.search("otters")]
        library.close()
    assert found == {"one": ["Otters one"], "two": ["Otters two"]}


def test_a_page_changed_while_a_run_works_is_found_as_it_is_now(tmp_path: Path) -> None:
    page = tmp_path / "otters.md"
    page.write_text("# Otters\n\nFish.")
    source = help_in(tmp_path)
    assert source.search("otters", None, 3)[0].text == "# Otters\n\nFish."
    page.write_text("# Otters\n\nShrimps, of late.")
    assert source.search("otters", None, 3)[0].text == "# Otters\n\nShrimps, of late."


def test_embeddings_have_gone_and_an_old_run_that_had_none_is_read() -> None:
    assert KnowledgeSettings.model_validate_json('{"embeddings": {"name": ""}, "online": {"domains": []}}', strict=True)
    with pytest.raises(ValidationError, match="embeddings have gone; give a vector store's retriever"):
        KnowledgeSettings.model_validate_json('{"embeddings": {"name": "minilm"}}', strict=True)
