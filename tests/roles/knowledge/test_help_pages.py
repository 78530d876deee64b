"""The shipped help pages: their steps are read, and everyday questions find them."""

from __future__ import annotations

import importlib.util
from collections import Counter
from pathlib import Path

import pytest

from environments.cards import Vocabulary, vocabulary
from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.world.worldfile import load_world
from roles.contracts import Supplement
from roles.knowledge.pages.filling import Filling, filled, values_in
from roles.knowledge.pages.folders import sync
from roles.knowledge.pages.playbook import playbooks_in
from roles.knowledge.settings import KnowledgeSettings
from roles.knowledge.store import KnowledgeStore
from roles.screen.language.reader import read

ROOT = Path(__file__).resolve().parents[3]
HELP = ROOT / "configs" / "help"
PAGES = sorted(str(path.relative_to(HELP)) for path in HELP.rglob("*") if path.is_file())
OFFICE = (
    *("billing", "reimbursement", "notes", "mail", "files", "calendar", "contacts", "chat", "spreadsheet", "shop", "settings"),
    *("terminal", "browser"),
)
_VALUES = {
    "invoice": "INV-1042", "date": "2026-04-01", "day": "2026-04-01", "time": "09:00", "cell": "B2", "folder": "Reports",
    "target": "Archive", "language": "German", "person": "Ada Hartwig", "name": "Ada Hartwig", "file": "a.txt", "report": "a.txt",
    "visitor": "Ada Hartwig", "vendor": "Acme", "sheet": "Expenses",
}  # fmt: skip
NOT_READ = frozenset({"terminal/move-by-name.md"})
"""Pages for people and models: what they say is more than is understood for certain."""


@pytest.fixture(scope="module")
def apps() -> Vocabulary:
    return vocabulary(SimulatedDesktop(load_world("company"), 0).cards())


@pytest.fixture(scope="module")
def shipped() -> KnowledgeStore:
    store = KnowledgeStore()
    assert sync(store, HELP).problems == ()
    return store


@pytest.mark.parametrize("name", PAGES)
def test_every_step_of_a_page_is_read(name: str, apps: Vocabulary, shipped: KnowledgeStore) -> None:
    page = shipped.get(f"help:{name}")
    for book in playbooks_in(Supplement(query="", source=name, title=page.title, text=page.text)):
        values = {slot: values_in(f"it is {said}")[0] for slot in book.slots() if (said := _VALUES.get(slot, '"Sample"'))}
        steps = [step for step in book.steps if not step.optional and "dialog" not in step.text]
        texts = [filled(step.text, Filling(values), ["the address"]) for step in steps]
        found = read(" ".join(f"{text.rstrip('.')}." for text in texts if text), "2026-03-02 10:30", apps)
        assert (found.understood, name) == (name not in NOT_READ, name), found.unread


def test_each_office_app_has_three_pages_and_each_form_is_used(shipped: KnowledgeStore) -> None:
    count = Counter(page.app for page in shipped.list())
    assert {app for app in OFFICE if count[app] < 3} == set()
    assert {Path(name).suffix for name in PAGES} == {".md", ".html"}


def _bench() -> object:
    spec = importlib.util.spec_from_file_location("retrieval", ROOT / "benchmarks" / "retrieval.py")
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_everyday_questions_find_their_page(shipped: KnowledgeStore) -> None:
    bench = _bench()
    asked = bench.questions()  # type: ignore[attr-defined]
    assert sum(bool(question.pages) for question in asked) >= 80
    assert {page for question in asked for page in question.pages} <= {one.id for one in shipped.list()}
    found = bench.quality(shipped, asked, KnowledgeSettings().help.threshold)  # type: ignore[attr-defined]
    assert found.recall_1 >= 0.6
    assert found.recall_5 >= 0.85
    assert found.mrr >= 0.7
    assert found.shown >= 0.6
    assert found.false <= 0.1


def test_questions_do_not_copy_titles(shipped: KnowledgeStore) -> None:
    titles = {page.title.casefold() for page in shipped.list()}
    assert not titles & {question.ask.casefold() for question in _bench().questions()}  # type: ignore[attr-defined]
