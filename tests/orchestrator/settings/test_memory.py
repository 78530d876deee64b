"""What the user answered in one run, in the next: used, offered or left alone, and always said to be from there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner
from worked.questioned import deskcrew, overrides

from orchestrator import Crew
from orchestrator.cli import app
from orchestrator.runs.folders import find_run
from orchestrator.runs.replay.recording import recording_of
from orchestrator.runs.replay.replay import replay
from orchestrator.runs.runs import Outcome
from orchestrator.views.terminal.approval import ask, request_lines
from roles.contracts.requests import read_request
from roles.journal.journal import Event
from roles.knowledge.answers import AnswerFile


def crew(folder: Path, mode: str, *more: str) -> Crew:
    return Crew.from_config(overrides=[*overrides(folder), f"memory.answers={mode}", *more])


def saying(words: str) -> Any:
    return lambda request: {"decisions": [{"type": "respond", "message": words, "who": "ada"}]}


def kept(folder: Path) -> AnswerFile:
    return AnswerFile(folder / ".deskcrew" / "answers.sqlite")


def facts(outcome: Outcome) -> list[dict[str, Any]]:
    return list(outcome.report["facts"])


def events(outcome: Outcome, kind: str) -> list[Event]:
    from orchestrator.store.salvage import salvage

    return [event for event in salvage(outcome.folder / "journal.sqlite").events if event.kind == kind]


def nobody(request: dict[str, Any]) -> Any:
    raise AssertionError(f"nobody was to be asked: {request}")


def test_nothing_is_kept_unless_it_is_wanted(tmp_path: Path) -> None:
    crew(tmp_path, "off").run("ask me", approver=saying("$7.50"))
    assert not (tmp_path / ".deskcrew").exists()


def test_an_answer_is_used_in_the_next_run_and_is_said_to_be_from_there(tmp_path: Path) -> None:
    first = crew(tmp_path, "on").run("ask me", approver=saying("$7.50"))
    second = crew(tmp_path, "on").run("ask me", approver=nobody)
    assert (second.status, {f["value"] for f in facts(second)}) == ("fulfilled", {"$7.50"})
    assert {(f["source"], f["role"]) for f in facts(second)} == {("memory", "memory")}
    assert first.run_id in facts(second)[0]["source_name"]
    (event, *_) = events(second, "answer_recalled")
    assert event.body["run"] == first.run_id
    assert not events(second, "approval"), "an answer from memory is no word of the user in this run"
    ((known, _),) = kept(tmp_path).all()
    assert (known.run, known.used) == (first.run_id, 1), "an answer from memory is not kept anew"


def test_an_answer_is_offered_and_can_be_taken_or_replaced(tmp_path: Path) -> None:
    first = crew(tmp_path, "ask").run("ask me", approver=saying("$7.50"))
    asked: list[dict[str, Any]] = []

    def takes(request: dict[str, Any]) -> dict[str, Any]:
        asked.append(request)
        return {"decisions": [{"type": "approve", "who": "ada"}]}

    second = crew(tmp_path, "ask").run("ask me", approver=takes)
    assert {f["value"] for f in facts(second)} == {"$7.50"}
    assert {f["role"] for f in facts(second)} == {"user"}, "a person has said so again"
    assert asked[0]["remembered"]["run"] == first.run_id
    (line,) = [line.text for line in request_lines(read_request(asked[0])) if line.mark == "then"]
    assert line.startswith(f"it was answered '$7.50' (run {first.run_id}, ")
    third = crew(tmp_path, "ask").run("ask me", approver=saying("$9.00"))
    assert {f["value"] for f in facts(third)} == {"$9.00"}
    assert [known.value for known, _ in kept(tmp_path).all()] == ["$9.00"]


def test_a_waiting_question_takes_the_answer_of_then_by_the_command(tmp_path: Path) -> None:
    crew(tmp_path, "ask").run("ask me", approver=saying("$7.50"))
    waiting = crew(tmp_path, "ask").run("ask me")
    code, outcome = deskcrew("resume", waiting.run_id, "--approve", cwd=tmp_path)
    assert (code, {f["value"] for f in outcome["report"]["facts"]}) == (0, {"$7.50"})


def test_enter_takes_the_answer_of_then_and_words_replace_it(tmp_path: Path) -> None:
    crew(tmp_path, "ask").run("ask me", approver=saying("$7.50"))
    request = crew(tmp_path, "ask").run("ask me").pending
    assert request is not None
    for typed, expected in (("", "approve"), ("$9", "respond")):
        answer = ask(read_request(request), read=lambda prompt, typed=typed: typed, say=lambda text: None)
        assert answer["decisions"][0]["type"] == expected


@pytest.mark.parametrize(("question", "answer"), [("What is your password?", "abc"), ("Which code?", "4111 1111 1111 1111")])
def test_a_private_answer_is_not_kept_and_that_is_said(tmp_path: Path, question: str, answer: str) -> None:
    own = overrides(tmp_path)
    (tmp_path / "operator.yaml").write_text(f'decisions:\n  any: [{{status: PENDING, comment: "{question}"}}]\n')
    crew_ = Crew.from_config(overrides=[*own, "memory.answers=on"])
    done = crew_.run("ask me", approver=saying(answer))
    assert {(e.body["kept"], bool(e.body["why"])) for e in events(done, "answer_kept")} == {(False, True)}
    assert not kept(tmp_path).path.exists()


def test_a_memory_that_cannot_be_used_is_said_and_the_person_is_asked(tmp_path: Path) -> None:
    (tmp_path / ".deskcrew").mkdir()
    kept(tmp_path).path.write_text("no database at all, whatever may be believed of it " * 30)
    done = crew(tmp_path, "on").run("ask me", approver=saying("$7.50"))
    assert {f["value"] for f in facts(done)} == {"$7.50"}
    assert any("answers.sqlite, cannot be used" in error["message"] for error in done.report["errors"])


def test_an_answer_of_memory_counts_for_no_question_and_for_no_approval(tmp_path: Path) -> None:
    """Approvals are not remembered: what was approved in one run is asked about in the next."""
    goal = 'In the reimbursement form, enter "$12.50" as the amount and submit the form'
    told = [f"runs_dir={json.dumps(str(tmp_path / 'runs'))}", "memory.answers=on"]
    yes = Crew.from_config(overrides=told).run(goal, approver=lambda request: {"decisions": [{"type": "approve"}]})
    assert yes.status == "fulfilled"
    assert Crew.from_config(overrides=told).run(goal).status == "on_hold"
    assert not kept(tmp_path).path.exists()


def test_a_run_that_used_the_memory_is_replayed_without_it(tmp_path: Path) -> None:
    crew(tmp_path, "on").run("ask me", approver=saying("$7.50"))
    second = crew(tmp_path, "on").run("ask me", approver=nobody)
    kept(tmp_path).remove_all()
    again = replay(recording_of(find_run(second.run_id, tmp_path / "runs")))
    assert again.difference is None
    assert kept(tmp_path).all() == []


def test_answers_are_listed_and_forgotten_by_the_command(tmp_path: Path) -> None:
    crew(tmp_path, "on").run("ask me", approver=saying("[bold]$7.50"))
    there = ["--runs-dir", str(tmp_path / "runs")]

    def told(*words: str, code: int = 0) -> str:
        done = CliRunner().invoke(app, ["memory", *words, *there])
        assert done.exit_code == code, done.output
        return done.output

    (known,) = json.loads(told("ls", "--json"))
    assert (known["question"], known["value"], known["good"]) == ("Which amount is it?", "[bold]$7.50", True)
    assert "[bold]$7.50" in told("ls")
    assert "There is no answer 99" in told("rm", "99", code=2)
    assert "Name the answers" in told("rm", code=2)
    assert told("rm", str(known["id"])) == "1 answer forgotten\n"
    assert "Nothing is remembered" in told("ls")
