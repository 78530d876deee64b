"""`deskcrew read`: what a goal's words ask for, and where they were not understood."""

from __future__ import annotations

import json

from typer.testing import CliRunner

from orchestrator.cli import app

RUNNER = CliRunner()


def test_orders_are_shown_with_their_words() -> None:
    done = RUNNER.invoke(app, ["read", 'Please open the note "A", then delete it'])
    assert done.exit_code == 0
    assert '0. open: open the note "A"' in done.output
    assert "1. delete: delete it" in done.output
    assert "without meaning: Please" in done.output


def test_words_that_were_not_understood_are_underlined() -> None:
    goal = 'Delete the note "A", then frobnicate the mail'
    done = RUNNER.invoke(app, ["read", goal])
    assert done.exit_code == 1
    lines = done.output.splitlines()
    caret = lines[lines.index(f"  {goal}") + 1]
    assert goal[caret.index("^") - 2 : caret.rindex("^") - 1] == "frobnicate the mail"


def test_what_may_mean_two_things_is_a_question() -> None:
    done = RUNNER.invoke(app, ["read", "Delete the mails from Ann or Bob"])
    assert done.exit_code == 1
    assert "question: which is meant" in done.output


def test_a_reading_is_data_too() -> None:
    done = RUNNER.invoke(app, ["read", "Archive the mails that came in yesterday", "--today", "2026-03-02", "--json"])
    assert done.exit_code == 0
    (order,) = json.loads(done.output)["orders"]
    assert order["object"]["tests"][0]["value"]["first"] == "2026-03-01"
