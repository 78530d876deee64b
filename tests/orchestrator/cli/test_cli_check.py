"""Commands that check and read: tasks, worlds, policies of safety, goals and this machine, before anything is run."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from worked.runs import deskcrew

from environments.sandbox import detect
from environments.sandbox.contract import NoSandbox
from orchestrator.cli.tools import checks
from orchestrator.settings.layers import shipped_names

INVOICE = "{number: A, vendor: b, date: 2026-01-01, total: 1}"
GOOD = "goal: Open notes\nworld: office\nsuccess: [size(world.apps.notes.notes) > 1000]\n"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.slow("every shipped world")
@pytest.mark.parametrize(("kind", "every"), [("task", 24), ("world", 1)])
def test_all_that_is_shipped_is_checked_and_in_order(monkeypatch: pytest.MonkeyPatch, kind: str, every: int):
    """Of the tasks some: test_shipped_tasks.py plays the oracle of each."""
    shipped = shipped_names(f"{kind}s")[::every]
    monkeypatch.setattr("orchestrator.tasks.check.shipped_names", lambda folder: shipped if folder == f"{kind}s" else ())
    code, said = deskcrew(kind, "check", "--json", "--seeds", "2")
    assert code == 0, said
    assert {json.loads(line)["name"] for line in said.splitlines()} == set(shipped)


BAD_TASKS = (
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
)
BAD_WORLDS = (
    ("name: w\napps: {biling: {}}\n", "billing"),
    ("name: w\napps: {notes: {nots: []}}\n", "nots"),
    (f"name: w\napps: {{billing: {{invoices: [{INVOICE}, {INVOICE}]}}}}\n", "invoices: the number 'A' is given twice"),
    ("name: w\napps: {notes: {}}\nevents: [{when: {at: 1}, rename: {app: mail, label: a, to: b}}]\n", "mail"),
    ("- not a world\n", "world.yaml"),
    ("apps: {notes: {}}\nevents:\n  - when:\n      if: world.apps. >\n    popup: {title: t}\n", "line 4: events[0].when.if"),
)


@pytest.mark.parametrize(
    ("kind", "text", "said"), [*(("task", *case) for case in BAD_TASKS), *(("world", *case) for case in BAD_WORLDS)]
)
def test_a_bad_file_is_refused_with_the_reason(tmp_path: Path, kind: str, text: str, said: str):
    (tmp_path / f"{kind}.yaml").write_text(text, encoding="utf-8")
    code, told = deskcrew(kind, "check", f"{kind}.yaml")
    assert code == 1
    assert told.startswith(f"wrong  {kind}.yaml")
    assert said in told
    assert not (tmp_path / "runs").exists()


def test_a_good_one_says_what_it_comes_to_and_the_bad_ones_are_all_told(tmp_path: Path):
    (tmp_path / "good.yaml").write_text(GOOD, encoding="utf-8")
    code, said = deskcrew("task", "check", "good.yaml", "gone.yaml", "a goal in words")
    assert code == 1
    for told in ("ok     good.yaml: Open notes", "There is no task file gone.yaml", "name a task file"):
        assert told in said


def test_an_oracle_is_played_line_by_line():
    code, said = deskcrew("task", "play", "total-into-a-note", "--seed", "2")
    assert code == 0, said
    assert 'click "New note"' in said
    assert said.splitlines()[-1].startswith("passed, 7 steps, 2 of 2 checkpoints")
    told = json.loads(deskcrew("task", "play", "total-into-a-note", "--seed", "2", "--json")[1])
    assert told["verdict"]["passed"]
    assert [step["status"] for step in told["steps"]] == ["executed"] * 7


def test_an_oracle_that_fails_says_where(tmp_path: Path):
    (tmp_path / "task.yaml").write_text(GOOD + "oracle: [open notes, 'click \"Nowhere\"']\n", encoding="utf-8")
    for command in ("play", "check"):
        code, said = deskcrew("task", command, "task.yaml")
        assert code == 1
        assert 'oracle line 2: click "Nowhere": ' in said


def test_a_world_is_checked_as_it_looks_otherwise_and_an_unknown_axis_or_value_is_refused():
    assert deskcrew("world", "check", "office", "--seeds", "1", "--vary", "language=de", "--vary", "content=3")[0] == 0
    for wrong in ("colour=red", "language=klingon", "language"):
        code, said = deskcrew("world", "check", "office", "--vary", wrong)
        assert code == 2, said
        assert wrong.partition("=")[0] in said


def test_apps_are_listed_with_their_functions_agent_and_package_and_told_with_what_they_hold_and_can_do():
    lines = [json.loads(line) for line in deskcrew("world", "apps", "--json")[1].splitlines()]
    mail, calendar = (next(line for line in lines if line["name"] == name) for name in ("mail", "calendar"))
    assert (mail["agent"], calendar["agent"]) == (False, True)
    assert mail["package"] == "deskcrew"
    assert len(mail["functions"]) > 3
    shown = deskcrew("world", "apps")[1]
    assert all(line["name"] in shown and line["title"] in shown for line in lines)
    shown = deskcrew("world", "apps", "office")[1]
    assert "Notes (notes)\n  note (memo)\n    Title: text, key, listed, written, required\n" in shown
    assert '    > send: "Send" at the form [send]\n' in shown
    cards = [json.loads(line) for line in deskcrew("world", "apps", "office", "--json")[1].splitlines()]
    assert {card["app"] for card in cards} == {"billing", "reimbursement", "mail", "notes", "files", "settings"}
    assert deskcrew("world", "apps", "no such")[0] != 0


# --- `deskcrew policy check`: what is said of a policy with a mistake


def test_check_names_what_is_wrong_with_file_line_and_key(tmp_path: Path) -> None:
    good, bad = tmp_path / "good.yaml", tmp_path / "bad.yaml"
    good.write_text("name: good\nrules:\n  - {name: sums, verdict: ask, if: value == facts.total.value}\n")
    bad.write_text("name: bad\nrules:\n  - {name: a, verdict: deny}\n  - {name: b, verdict: deny, if: target.nam == 'x'}\n")
    code, said = deskcrew("policy", "check", good, bad)
    assert code == 1
    assert "good.yaml  1 rule" in said
    assert "bad.yaml, line 4: rules[1].if" in said
    assert "target has no 'nam'" in said


def test_all_presets_are_sound_and_what_one_may_stumble_over_is_noted(tmp_path: Path) -> None:
    code, said = deskcrew("policy", "check", "--json")
    found = [json.loads(line) for line in said.splitlines()]
    assert code == 0
    assert {one["name"] for one in found} == {"ask-all", "ask-sensitive", "never-ask-in-simulation", "read-only"}
    assert not any(one["wrong"] for one in found)
    twice = tmp_path / "twice.yaml"
    twice.write_text("rules:\n  - {name: a, verdict: deny}\n  - {name: a, verdict: ask}\notherwise: allow\n")
    code, said = deskcrew("policy", "check", str(twice))
    assert code == 0
    assert "line 3: there is another rule 'a'" in said
    assert "otherwise: allow permits every action" in said


# --- `deskcrew read`: what a goal's words ask for, and where they were not understood


@pytest.mark.parametrize(
    ("goal", "code", "lines"),
    [
        ('Please open the note "A", then delete it', 0, ['0. open: open the note "A"', "1. delete: delete it",
         "without meaning: Please"]),
        ("Delete the mails from Ann or Bob", 1, ["question: which is meant"]),
    ],
)  # fmt: skip
def test_orders_are_shown_with_their_words_and_what_may_mean_two_things_is_a_question(goal: str, code: int, lines: list[str]):
    ended, said = deskcrew("read", goal)
    assert ended == code
    assert all(line in said for line in lines)


def test_words_that_were_not_understood_are_underlined_and_a_reading_is_data_too() -> None:
    goal = 'Delete the note "A", then frobnicate the mail'
    code, said = deskcrew("read", goal)
    assert code == 1
    lines = said.splitlines()
    caret = lines[lines.index(f"  {goal}") + 1]
    assert goal[caret.index("^") - 2 : caret.rindex("^") - 1] == "frobnicate the mail"
    code, said = deskcrew("read", "Archive the mails that came in yesterday", "--today", "2026-03-02", "--json")
    assert code == 0
    (order,) = json.loads(said)["orders"]
    assert order["object"]["tests"][0]["value"]["first"] == "2026-03-01"


# --- the doctor: what is wrong stands with its fix, what is merely lacking is no failure, and nothing is claimed untried


@pytest.fixture
def no_sandbox() -> Iterator[None]:
    detect.installed.cache_clear()
    yield
    detect.installed.cache_clear()


def test_without_a_sandbox_it_says_why_and_what_to_do(no_sandbox: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(detect, "find", lambda *_: NoSandbox("scripts need a sandbox, and there is no bwrap; install bubblewrap"))
    found = checks.sandbox()
    assert found.ok
    assert "there is no bwrap" in found.found
    assert found.fix == "install bubblewrap"


def test_a_browser_that_does_not_start_is_told_and_without_playwright_the_extra_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / "chromium"
    broken.write_text("#!/bin/sh\nexit 7\n")
    broken.chmod(0o755)
    monkeypatch.setenv("DESKCREW_CHROMIUM", str(broken))
    found = checks.browser()
    assert found.ok
    assert "ends with 7" in found.found
    assert "DESKCREW_CHROMIUM" in found.fix
    monkeypatch.setitem(sys.modules, "playwright.async_api", None)
    assert checks.browser().fix == "pip install 'deskcrew[browser]'"
