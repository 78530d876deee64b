"""Help documents: found by what they are about, and nothing when nothing fits."""

from __future__ import annotations

from pathlib import Path

import pytest

from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.world.worldfile import load_world
from roles.contracts import AppWords, PlanRequest
from roles.knowledge.library import help_in
from roles.manager.rules import RulesManager


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "billing").mkdir()
    (tmp_path / "billing" / "reconcile.md").write_text(
        "# Reconcile an invoice\n\nAt the end of the month.\n\n1. Find the total of invoice {invoice} in billing.\n"
        '2. Create a note titled "Reconciled" with the total.\n'
    )
    (tmp_path / "billing" / "dunning.md").write_text("# Send a reminder to a customer\n\n1. Do the impossible thing.\n")
    (tmp_path / "general.md").write_text("# Holidays\n\nAsk your manager.\n")
    return tmp_path


def test_the_document_about_it_comes_first(folder: Path) -> None:
    found = help_in(folder).search("Reconcile invoice INV-7", "billing", 3)
    assert [s.title for s in found] == ["Reconcile an invoice"]
    assert found[0].source == "help:billing/reconcile.md"
    assert found[0].app == "billing"


@pytest.mark.parametrize("query", ["Water the plants in the greenhouse", "", "the a of", "Drive the red van to the harbour"])
def test_nothing_is_returned_when_nothing_fits(folder: Path, query: str) -> None:
    assert help_in(folder).search(query, None, 3) == []


def test_a_folder_that_is_not_there_holds_nothing(tmp_path: Path) -> None:
    assert help_in(tmp_path / "nowhere").search("anything", None, 3) == []


def test_words_that_are_not_understood_are_looked_up_and_planned_from_the_steps(folder: Path) -> None:
    manager, cards = RulesManager(), tuple(SimulatedDesktop(load_world("office"), 0).cards())
    goal, apps = "Reconcile invoice INV-7", tuple(AppWords(app=c.app, title=c.title, words=c.words) for c in cards)
    asked = manager.plan(PlanRequest(goal=goal, apps=apps, cards=cards))
    assert (asked.outcome, asked.query) == ("supplement_needed", goal)
    found = tuple(help_in(folder).search(asked.query, asked.app, 3))
    said = PlanRequest(goal=goal, apps=apps, cards=cards, supplements=found, trigger="supplied", looked_up=(goal,), attempts=2)
    plan = manager.plan(said)
    assert plan.outcome == "planned"
    assert [s.app for s in plan.subtasks] == ["billing", "notes"]
    assert "INV-7" in plan.subtasks[0].instruction


def test_a_document_whose_steps_are_not_understood_is_no_plan(folder: Path) -> None:
    goal = "Wangle a reminder to a customer"
    found = tuple(help_in(folder).search("Send a reminder to a customer", None, 3))
    answer = RulesManager().plan(PlanRequest(goal=goal, supplements=found, trigger="supplied", looked_up=(goal,), attempts=2))
    assert answer.outcome == "infeasible"
    assert goal in answer.reason
