"""`deskcrew task check` and `deskcrew world check`: what is wrong is said before anything is run."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from orchestrator.cli import app
from orchestrator.settings.layers import shipped_names

Deskcrew = Callable[..., Result]
INVOICE = "{number: A, vendor: b, date: 2026-01-01, total: 1}"
GOOD = "goal: Open notes\nworld: office\nsuccess: [size(world.apps.notes.notes) > 1000]\n"


@pytest.fixture
def deskcrew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Deskcrew:
    monkeypatch.chdir(tmp_path)
    return lambda *words: CliRunner().invoke(app, [str(word) for word in words])


@pytest.mark.slow("every shipped world")
@pytest.mark.parametrize(("kind", "every"), [("task", 24), ("world", 1)])
def test_all_that_is_shipped_is_checked_and_in_order(deskcrew: Deskcrew, monkeypatch: pytest.MonkeyPatch, kind: str, every: int):
    """Of the tasks some: test_shipped_tasks.py plays the oracle of each."""
    shipped = shipped_names(f"{kind}s")[::every]
    monkeypatch.setattr("orchestrator.tasks.check.shipped_names", lambda folder: shipped if folder == f"{kind}s" else ())
    done = deskcrew(kind, "check", "--json", "--seeds", "2")
    assert done.exit_code == 0, done.output
    assert {json.loads(line)["name"] for line in done.output.splitlines()} == set(shipped)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("goal: Open notes\nwurld: office\n", "task.yaml, line 2: unknown key"),
        ("goal: Open {it}\nworld: office\n", "which is not a slot"),
        (GOOD + "slots: {it: {from: apps.notes.nothing}}\n", "the world has no 'apps.notes.nothing'"),
        (GOOD + "slots: {it: {one_of: [1], where: item > 1}}\n", "finds nothing in this world"),
        (
            "goal: x\nworld: office\nsuccess:\n  - 'true'\n  - world.apps.nots.notes == 1\n",
            "task.yaml, line 5: success: 'world.apps.nots.notes == 1' cannot be evaluated on the world as it begins",
        ),
        ("goal: x\nworld: office\nsuccess: ['false']\nnever:\n  - world.apps.nots\n", "task.yaml, line 5: never: "),
        ("goal: x\nworld: office\nsuccess: ['false']\nchanges:\n  - apps.nots.x\n", "task.yaml, line 5: changes: "),
        ("goal: x\nworld: office\nsuccess: [size(world.apps.notes.notes) > 0]\n", "a crew that does nothing would pass"),
        ("goal: x\nworld: offce\n", "offce"),
        ("goal: x\nworld: office\nsuccess: ['1 +']\n", "cannot be evaluated"),
    ],
)
def test_a_bad_task_is_refused_with_the_reason(deskcrew: Deskcrew, tmp_path: Path, text: str, said: str):
    (tmp_path / "task.yaml").write_text(text, encoding="utf-8")
    done = deskcrew("task", "check", "task.yaml")
    assert done.exit_code == 1
    assert done.output.startswith("wrong  task.yaml")
    assert said in done.output
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("name: w\napps: {biling: {}}\n", "billing"),
        ("name: w\napps: {notes: {nots: []}}\n", "nots"),
        (f"name: w\napps: {{billing: {{invoices: [{INVOICE}, {INVOICE}]}}}}\n", "invoices: the number 'A' is given twice"),
        ("name: w\napps: {notes: {}}\nevents: [{when: {at: 1}, rename: {app: mail, label: a, to: b}}]\n", "mail"),
        ("- not a world\n", "world.yaml"),
        ("apps: {notes: {}}\nevents:\n  - when:\n      if: world.apps. >\n    popup: {title: t}\n", "line 4: events[0].when.if"),
    ],
)  # fmt: skip
def test_a_bad_world_is_refused_with_the_reason(deskcrew: Deskcrew, tmp_path: Path, text: str, said: str):
    (tmp_path / "world.yaml").write_text(text, encoding="utf-8")
    done = deskcrew("world", "check", "world.yaml")
    assert done.exit_code == 1
    assert done.output.startswith("wrong  world.yaml")
    assert said in done.output


def test_a_good_one_says_what_it_comes_to_and_the_bad_ones_are_all_told(deskcrew: Deskcrew, tmp_path: Path):
    (tmp_path / "good.yaml").write_text(GOOD, encoding="utf-8")
    done = deskcrew("task", "check", "good.yaml", "gone.yaml", "a goal in words")
    assert done.exit_code == 1
    assert "ok     good.yaml: Open notes" in done.output
    assert "There is no task file gone.yaml" in done.output
    assert "name a task file" in done.output


def test_an_oracle_is_played_line_by_line(deskcrew: Deskcrew):
    done = deskcrew("task", "play", "total-into-a-note", "--seed", "2")
    assert done.exit_code == 0, done.output
    assert 'click "New note"' in done.output
    assert done.output.splitlines()[-1].startswith("passed, 7 steps, 2 of 2 checkpoints")
    told = json.loads(deskcrew("task", "play", "total-into-a-note", "--seed", "2", "--json").output)
    assert told["verdict"]["passed"]
    assert [step["status"] for step in told["steps"]] == ["executed"] * 7


def test_an_oracle_that_fails_says_where(deskcrew: Deskcrew, tmp_path: Path):
    (tmp_path / "task.yaml").write_text(GOOD + "oracle: [open notes, 'click \"Nowhere\"']\n", encoding="utf-8")
    for command in ("play", "check"):
        done = deskcrew("task", command, "task.yaml")
        assert done.exit_code == 1
        assert 'oracle line 2: click "Nowhere": ' in done.output


def test_a_world_is_checked_as_it_looks_otherwise_and_an_unknown_axis_or_value_is_refused(deskcrew: Deskcrew):
    done = deskcrew("world", "check", "office", "--seeds", "1", "--vary", "language=de", "--vary", "content=3")
    assert done.exit_code == 0, done.output
    for wrong in ("colour=red", "language=klingon", "language"):
        done = deskcrew("world", "check", "office", "--vary", wrong)
        assert done.exit_code == 2, done.output
        assert wrong.partition("=")[0] in done.output


def test_apps_are_listed_with_their_functions_agent_and_package(deskcrew: Deskcrew):
    lines = [json.loads(line) for line in deskcrew("world", "apps", "--json").output.splitlines()]
    mail, calendar = (next(line for line in lines if line["name"] == name) for name in ("mail", "calendar"))
    assert (mail["agent"], calendar["agent"]) == (False, True)
    assert mail["package"] == "deskcrew"
    assert len(mail["functions"]) > 3
    shown = deskcrew("world", "apps").output
    assert all(line["name"] in shown and line["title"] in shown for line in lines)


def test_the_apps_of_a_world_are_told_with_what_they_hold_and_can_do(deskcrew: Deskcrew):
    shown = deskcrew("world", "apps", "office").output
    assert "Notes (notes)\n  note (memo)\n    Title: text, key, listed, written, required\n" in shown
    assert '    > send: "Send" at the form [send]\n' in shown
    cards = [json.loads(line) for line in deskcrew("world", "apps", "office", "--json").output.splitlines()]
    assert {card["app"] for card in cards} == {"billing", "reimbursement", "mail", "notes", "files", "settings"}
    assert deskcrew("world", "apps", "no such").exit_code != 0
