"""Sources beside the store: when they are asked, what they may answer, and what becomes of one that fails."""

import asyncio
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from langchain_core.documents import Document as Page
from langchain_core.retrievers import BaseRetriever
from support import Planner, Run, Watching, planned, subtask, verdict

from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.world.worldfile import load_world
from orchestrator.errors import UsageProblem
from orchestrator.settings.build import build_sources
from orchestrator.settings.settings import load_settings
from protocol.retries import Retries
from roles.contracts import PlanAnswer, Supplement
from roles.contracts.context import Context
from roles.contracts.signals import GateTrigger, Signal
from roles.journal.journal import Journal
from roles.knowledge.library import Library, gather, unasked
from roles.knowledge.pages.documents import Document
from roles.knowledge.retrievers import McpSource, RetrieverSource, found_in
from roles.knowledge.settings import KnowledgeSettings, McpSettings
from roles.knowledge.store import KnowledgeStore, SourceFault
from roles.manager.graph import build_manager


class ByTitle:
    """A source whose pages are found by their titles; what it was asked is kept."""

    name = "library"

    def __init__(self, **pages: str) -> None:
        self.pages = pages
        self.asked: list[tuple[str, str | None]] = []

    def search(self, query: str, app: str | None, limit: int) -> list[Supplement]:
        self.asked.append((query, app))
        hits = [title for title in self.pages if title in query.casefold()]
        return [Supplement(query=query, source=self.name, title=title, text=self.pages[title]) for title in hits][:limit]


class Fixed:
    """A source that says always the same, or fails."""

    def __init__(self, name: str, *texts: str, fault: str = "") -> None:
        self.name = name
        self._texts, self._fault = texts, fault

    def search(self, query: str, app: str | None, limit: int) -> list[Supplement]:
        if self._fault:
            raise SourceFault(self._fault)
        return [Supplement(query=query, source=self.name, title=text, text=text) for text in self._texts][:limit]


SILENT = Fixed("silent", fault="silent does not answer; see whether it runs")


def titles(found: Sequence[Supplement]) -> list[str]:
    return [one.title for one in found]


def run(source: Any, *, ahead: bool = True, plans: Sequence[PlanAnswer] = (), **more: Any) -> tuple[Run, Planner, Watching]:
    cat = subtask("first").model_copy(update={"instruction": 'Give the cat "Tom" milk'})
    dog = subtask("second").model_copy(update={"instruction": "Let the dog out for INV-7"})
    pair = planned(cat, dog)
    manager, operator = Planner(*(plans or [pair])), Watching()
    parts = {"manager": manager, "operator": operator, "ahead": ahead}
    return Run([pair], sources=[source], parts=parts, **more).go(), manager, operator


def shown(operator: Watching) -> dict[str, list[str]]:
    """What was known when each subtask was worked."""
    return {view.subtask.id: titles(view.retrieved) for view in operator.views}


def test_each_worker_is_shown_what_is_known_of_its_own_subtask_and_of_the_goal() -> None:
    library = ByTitle(do="Do it well.", cat="Cats like milk.", dog="Dogs run.")
    whole, manager, operator = run(library)
    assert [query for query, _ in library.asked] == ["do it", "Give the cat milk", "Let the dog out for"], (
        "neither a quoted value nor a number is asked for"
    )
    assert titles(manager.requests[0].supplements) == ["do"]
    assert whole.bodies("supplement")[0]["ahead"] is True
    assert shown(operator) == {"first": ["do", "cat"], "second": ["do", "dog"]}
    untouched = ByTitle(cat="Cats like milk.")
    _, manager, operator = run(untouched, ahead=False)
    assert (untouched.asked, manager.requests[0].supplements) == ([], ()), "nothing where nobody asks"
    assert shown(operator) == {"first": [], "second": []}


def test_a_subtask_is_looked_up_once_for_all_its_attempts_and_who_asks_for_more_is_still_answered() -> None:
    library = ByTitle(do="Do it well.", cat="Cats like milk.", dog="Dogs run.")
    again = [verdict(Signal.GATE_CONTINUE), verdict(Signal.GATE_DONE)]
    whole, _, operator = run(library, verdicts={GateTrigger.WORKER_SUCCESS: again})
    assert whole.status == "fulfilled"
    assert [view.subtask.id for view in operator.views].count("first") == 2
    assert [query for query, _ in library.asked].count("Give the cat milk") == 1
    asking = PlanAnswer(outcome="supplement_needed", query="the dog", reason="how?")
    _, manager, _ = run(library, plans=[asking, planned(subtask("a"))])
    assert [titles(request.supplements) for request in manager.requests[:2]] == [["do"], ["do", "dog"]]


def test_a_source_that_fails_unasked_stops_nobody_and_is_told_of_once() -> None:
    whole, _, operator = run(SILENT)
    assert whole.status == "fulfilled"
    assert shown(operator) == {"first": [], "second": []}
    told = [event for event in whole.journal.events("error") if "silent" in event.body["message"]]
    assert [(event.role, event.subtask) for event in told] == [("manager", ""), ("operator", "first"), ("operator", "second")]


def test_who_has_not_asked_is_shown_what_fits_well_and_nothing_by_a_score_over_a_word_or_two() -> None:
    unscored = Supplement(query="q", source="a tool", title="t", text="x")
    *hits, low = (unscored.model_copy(update={"score": score}) for score in (0.8, 0.75, 0.5, 0.35))
    asked = "Change the phone number of a contact"
    assert unasked(asked, [*hits, low, unscored]) == [*hits[:2], unscored]
    assert unasked(asked, [low]) == []
    assert unasked("Mail to", [hits[0], unscored]) == [unscored]


SERVER = '''
from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

server = MCPServer("handbook")


@server.tool()
def lookup(query: str) -> str:
    """Look something up."""
    if "fire" in query:
        raise ToolError("the shelf is empty")
    return f"# On {query}\\nFirst ask, then act."


server.run()
'''


@pytest.fixture
def server(tmp_path: Path) -> McpSettings:
    path = tmp_path / "server.py"
    path.write_text(SERVER)
    return McpSettings(command=(sys.executable, str(path)))


def test_a_tool_of_a_server_is_a_source(server: McpSettings) -> None:
    async def where_a_loop_is_running() -> list[Supplement]:
        return McpSource(server).search("closing", None, 3)

    (found,) = asyncio.run(where_a_loop_is_running())
    assert found.source == f"mcp:{sys.executable}"
    assert found.title == "On closing"
    assert found.text.endswith("First ask, then act.")


def test_a_server_that_fails_when_it_is_first_started_is_started_again(server: McpSettings, tmp_path: Path) -> None:
    path = Path(server.command[1])
    first = "import pathlib, sys\nif not (p := pathlib.Path(__file__ + '.begun')).exists():\n    p.touch()\n    sys.exit(3)\n"
    path.write_text(first + SERVER)
    with pytest.raises(SourceFault, match="cannot be asked"):
        McpSource(server, retries=Retries(tries=1)).search("closing", None, 3)
    Path(f"{path}.begun").unlink()
    (found,) = McpSource(server, retries=Retries(wait=0.01)).search("closing", None, 3)
    assert found.title == "On closing"


@pytest.mark.parametrize(
    ("changes", "query", "said"),
    [
        ({"tool": "nope"}, "x", "name one of its tools, which are: lookup"),
        ({}, "fire", "the shelf is empty"),
        ({"command": ("/no/such/program",)}, "x", "cannot be asked"),
    ],
)
def test_a_server_that_cannot_be_asked_says_why(server: McpSettings, changes: dict[str, Any], query: str, said: str) -> None:
    with pytest.raises(SourceFault, match=said):
        McpSource(server.model_copy(update=changes)).search(query, None, 1)


def gathered(*sources: Any) -> tuple[dict[str, Any], Journal]:
    """What the Manager reports when it looks something up there, and what it keeps."""
    journal = Journal(None, time.time)
    context = Context(environment=SimulatedDesktop(load_world("office")), journal=journal, sources=sources)
    given = {"goal": "close the month", "assignment": {"task": "supplement", "query": "closing", "app": None}}
    return build_manager(context).invoke(given)["report"], journal


def test_a_source_that_fails_keeps_no_other_from_being_asked_and_is_named() -> None:
    report, journal = gathered(SILENT, ByTitle(closing="First ask, then act."))
    assert report["signal"] == "supplied"
    assert [s.source for s in journal.supplements()] == ["library"]
    report, journal = gathered(SILENT)
    assert report["signal"] == "nothing_found"
    assert "silent does not answer" in report["summary"]
    assert not journal.supplements()


def test_a_server_of_the_settings_is_a_source_after_the_help_documents_and_needs_a_way_to_it(server: McpSettings) -> None:
    settings = load_settings(overrides=[f"tools={json.dumps([server.model_dump(mode='json')])}"]).settings
    assert [source.name for source in build_sources(settings)][-1] == f"mcp {sys.executable}"
    with pytest.raises(UsageProblem, match="either a command"):
        load_settings(overrides=["tools=[{tool: lookup}]"])


class Theirs(BaseRetriever):
    """A retriever of somebody else, that knows nothing of apps."""

    pages: list[Page] = []  # noqa: RUF012 - a field of pydantic's

    def _get_relevant_documents(self, query: str, *, run_manager: Any) -> list[Page]:
        if query == "fail":
            raise KeyError("their own\nfault")
        if query == "mute":
            time.sleep(30)
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


def test_any_retriever_is_a_source_that_says_nothing_about_another_app_fails_in_a_sentence_and_is_not_waited_for() -> None:
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
    for query, said in (("fail", r"^theirs failed: KeyError: 'their own\\nfault'$"), ("mute", "did not answer within")):
        with pytest.raises(SourceFault, match=said):
            RetrieverSource(Theirs(), "theirs", seconds=0.2 if query == "mute" else 60).search(query, None, 3)


def test_each_part_of_an_answer_is_found() -> None:
    hits = found_in(["# One\nfirst", "second", "third"], "otters", "tool:handbook", 2)
    assert [(hit.title, hit.text) for hit in hits] == [("One", "# One\nfirst"), ("second", "second")]
    assert {hit.source for hit in hits} == {"tool:handbook"}
    assert found_in(None, "q", "s", 3) == found_in(["", "  \n "], "q", "s", 3) == [], "and nothing is nothing"


def test_each_text_is_taken_once_with_its_sources_as_many_as_one_shows_and_a_fault_stops_no_other() -> None:
    found, faults = gather([Fixed("a", "same", "only a"), Fixed("b", "SAME "), Fixed("c", "same")], "q", None)
    assert [(hit.text, hit.source, hit.also) for hit in found] == [("same", "a", ("b", "c")), ("only a", "a", ())]
    assert faults == []
    first = gather([Fixed("a", "one")], "q", None).found
    found, faults = gather([Fixed("x", fault="x is down"), Fixed("a", "one", "two")], "q", None, first)
    assert ([hit.text for hit in found], faults) == (["two"], ["x is down"])
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
