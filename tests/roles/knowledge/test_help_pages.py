"""The shipped help pages: their steps are understood by the rules, and everyday questions find them."""

from __future__ import annotations

import importlib.util
import re
from collections import Counter
from pathlib import Path

import pytest

from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.world.worldfile import load_world
from roles.contracts import AppWords
from roles.contracts.context import Context
from roles.journal.journal import Journal
from roles.knowledge.pages.folders import sync
from roles.knowledge.settings import KnowledgeSettings
from roles.knowledge.store import KnowledgeStore
from roles.policies.rules.grammar import parse
from roles.screen.language import clauses as c

ROOT = Path(__file__).resolve().parents[3]
HELP = ROOT / "configs" / "help"
PAGES = sorted(str(path.relative_to(HELP)) for path in HELP.rglob("*") if path.is_file())
OFFICE = (
    *("billing", "reimbursement", "notes", "mail", "files", "calendar", "contacts", "chat", "spreadsheet", "shop", "settings"),
    *("terminal", "browser"),
)
_STEP = re.compile(r"^\s*\d{1,2}[.)]\s+(?!\(Optional\))(?!(?:If|When) a dialog)(.+)$", re.MULTILINE)
_VALUES = {
    "invoice": "INV-1042", "date": "2026-04-01", "time": "09:00", "cell": "B2", "folder": "Reports", "target": "Archive",
    "language": "German", "city": "Berlin", "person": "Ada Hartwig", "name": "Ada Hartwig", "address": "ada@example.com",
    "file": "a.txt", "email": "ada@example.com",
}  # fmt: skip


@pytest.fixture(scope="module")
def apps() -> tuple[AppWords, ...]:
    return Context(environment=SimulatedDesktop(load_world("company"), 0), journal=Journal(None, lambda: 0.0)).apps()


@pytest.fixture(scope="module")
def shipped() -> KnowledgeStore:
    store = KnowledgeStore()
    assert sync(store, HELP).problems == ()
    return store


@pytest.mark.parametrize("name", PAGES)
def test_every_step_of_a_page_is_understood(name: str, apps: tuple[AppWords, ...], shipped: KnowledgeStore) -> None:
    page = shipped.get(f"help:{name}")
    assert page is not None
    said = _STEP.findall(page.text)
    steps = said[0] if len(said) == 1 else "\n".join(f"{n}. {step}" for n, step in enumerate(said, start=1))
    filled = re.sub(r"\{([\w ]+)\}", lambda slot: _VALUES.get(slot.group(1).split()[-1], "Sample"), steps)
    found = parse(filled, apps) if steps else []
    assert not [one for one in found if isinstance(one, c.Unknown)]
    assert bool(found) == bool(steps)


def test_each_office_app_has_three_pages_and_each_form_is_used(shipped: KnowledgeStore) -> None:
    count = Counter(page.app for page in shipped.list())
    assert {app for app in OFFICE if count[app] < 3} == set()
    assert {Path(name).suffix for name in PAGES} == {".md", ".json", ".html"}


def _bench() -> object:
    spec = importlib.util.spec_from_file_location("retrieval", ROOT / "benchmarks" / "retrieval.py")
    assert spec is not None
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
