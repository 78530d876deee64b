"""What was said to models and by them is kept, shown, and taken again after a kill."""

import json
import os
import sqlite3
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from brain import brain
from killed import dying_at, killed
from langchain_core.messages import AIMessage, BaseMessage
from typer.testing import CliRunner
from worked.model_runs import ROLES, model_crew, worked_by_model
from written.canaries import found_in

from orchestrator.cli import app
from orchestrator.runs.outcome import Outcome
from orchestrator.runs.replay.recording import recording_of
from orchestrator.runs.replay.replay import replay
from orchestrator.runs.runs import start
from orchestrator.settings.settings import load_settings
from orchestrator.store.salvage import salvage
from orchestrator.tasks.tasks import resolve_target
from orchestrator.views.page.run_data import read_whole
from orchestrator.views.terminal.event_lines import Teller
from roles.journal.journal import Event
from roles.policies.scripted_model import ScriptedChatModel


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    outcome = worked_by_model(tmp_path_factory.mktemp("runs"))
    assert outcome.status == "fulfilled", outcome.reason
    return outcome


def shown(outcome: Outcome, *options: str) -> Any:
    said = CliRunner().invoke(app, ["show", outcome.run_id, "--runs-dir", str(outcome.folder.parent), "--prompts", *options])
    assert said.exit_code == 0, said.output
    return json.loads(said.output) if "--json" in options else said.output


def parts(outcome: Outcome) -> int:
    with closing(sqlite3.connect(outcome.folder / "journal.sqlite")) as db:
        return int(db.execute("SELECT count(*) FROM parts").fetchone()[0])


def calls(outcome: Outcome) -> list[dict[str, Any]]:
    return [event.body for event in salvage(outcome.folder / "journal.sqlite").events if event.kind == "model_call"]


def test_every_prompt_and_reply_is_kept_found_by_its_step_and_what_calls_share_is_stored_once(good: Outcome) -> None:
    told = shown(good, "--json")
    assert len(told) == len(calls(good))
    assert {call["role"] for call in told} == set(ROLES)
    for call in told:
        system, turn = ("".join(one["text"] for one in message["parts"]) for message in call["messages"])
        answer = brain([*map(_message, ((("system"), system), (("human"), turn)))])
        assert json.loads(call["reply"]["content"]) == answer
        assert call["schema"]["type"] == "object"
    operators = [call for call in told if call["role"] == "operator"]
    assert len({call["messages"][0]["parts"][0]["name"] for call in operators}) == 1
    named = {one["name"] for call in told for message in call["messages"] for one in message["parts"]}
    assert parts(good) < len(named) + 2 * len(told)  # forms are shared, too
    steps = {event.step for event in salvage(good.folder / "journal.sqlite").events if event.kind == "decided"}
    assert {call["step"] for call in operators} <= steps
    assert {call["subtask"] for call in operators} == {"find", "write"}
    some = max(call["step"] for call in operators)
    assert shown(good, "--step", str(some), "--json") == [call for call in told if call["step"] == some]
    page = shown(good)
    assert page.count("You work an application for a user") == 1
    assert "as in call 2" in page
    assert "=== call 2: operator, subtask find, step" in page


def _message(said: tuple[str, str]) -> BaseMessage:
    from langchain_core.messages import HumanMessage, SystemMessage

    return SystemMessage(said[1]) if said[0] == "system" else HumanMessage(said[1])


@pytest.mark.parametrize(("kept", "some"), [("none", 0), ("failed", 1)])
def test_the_setting_says_which_calls_are_kept(tmp_path: Path, kept: str, some: int) -> None:
    asked: list[int] = []

    def once_in_words(messages: Sequence[BaseMessage]) -> Any:
        asked.append(1)
        return "Certainly!" if len(asked) == 2 else brain(messages)

    outcome = worked_by_model(tmp_path, once_in_words, f"record.prompts={kept}")
    assert outcome.status == "fulfilled", outcome.reason
    told = shown(outcome, "--json")
    assert len(told) == some
    assert all(call["reply"]["content"] == "Certainly!" and "not usable" in call["unusable"] for call in told)


def test_no_more_is_kept_than_the_megabytes_allow(tmp_path: Path) -> None:
    outcome = worked_by_model(tmp_path, brain, "record.megabytes=0.004")
    assert outcome.status == "fulfilled", outcome.reason
    told = [call["transcript"] for call in calls(outcome)]
    assert "request" in told[0]
    assert told[-1] == {"missing": "record.megabytes: 0.004 MB of transcripts are kept, and no more"}


@pytest.mark.slow("processes of their own")
@pytest.mark.parametrize(("role", "number"), [("manager", 1), ("operator", 4), ("evaluator", 1)])
def test_a_reply_that_was_recorded_before_a_kill_is_not_paid_twice(good: Outcome, tmp_path: Path, role: str, number: int) -> None:
    asked = tmp_path / "asked"
    runs_dir = tmp_path / "runs"
    overrides = [*(f"crew.{one}.policy=llm" for one in ROLES), "crew.model=given", f"runs_dir={runs_dir}"]
    seen: Counter[str] = Counter()

    def paid(messages: Sequence[BaseMessage]) -> Any:
        with asked.open("a") as file:
            file.write("asked\n")
        return brain(messages)

    def fits(event: Event) -> bool:
        seen[event.role] += event.kind == "answered"
        return seen[role] == number

    given = {"listener": dying_at(fits), "parts": {"model": ScriptedChatModel(answer=paid)}}
    killed(lambda: start(load_settings([], overrides), resolve_target("total-into-a-note"), **given))
    (folder,) = [path for path in runs_dir.iterdir() if (path / "run.json").exists()]
    before = len(asked.read_text().splitlines())
    more: Counter[str] = Counter()

    def answer(messages: Sequence[BaseMessage]) -> Any:
        more["asked"] += 1
        return brain(messages)

    outcome = model_crew(runs_dir, answer).resume(folder.name)
    assert outcome.status == "fulfilled", outcome.reason
    assert before + more["asked"] == len(calls(good))
    assert sum(bool(call.get("recalled")) for call in calls(outcome)) == 1
    found = replay(recording_of(outcome.folder))
    assert found.difference is None, found.sentence()
    assert os.path.exists(folder)


def test_what_is_private_is_a_reference_in_them(tmp_path: Path) -> None:
    secret = "Zanzibar-71-canary"
    goal = f"Sign in with the password {secret} and then save a note"

    def answer(messages: Sequence[BaseMessage]) -> Any:
        return f"I will not type {secret} anywhere, {{"

    outcome = model_crew(tmp_path, answer, "limits.replans=0").run(goal)
    assert outcome.status != "fulfilled"
    told = shown(outcome, "--json")
    assert told
    assert "<secret>password</secret>" in json.dumps(told)
    assert found_in(outcome.folder, [secret]) == []


def test_atif_and_chats_for_training_hold_them(good: Outcome, tmp_path: Path) -> None:
    chats, atif = tmp_path / "chats.jsonl", tmp_path / "run.json"
    for to, out in (("model_chats", chats), ("atif", atif)):
        said = CliRunner().invoke(
            app, ["log", "convert", good.run_id, "--to", to, "-o", str(out), "--runs-dir", str(good.folder.parent)]
        )
        assert said.exit_code == 0, said.output
    told = shown(good, "--json")
    lines = [json.loads(line) for line in chats.read_text().splitlines()]
    assert len(lines) == len(told)
    assert [one["role"] for one in lines[0]["messages"]] == ["system", "user", "assistant"]
    assert [json.loads(line["messages"][-1]["content"]) for line in lines] == [json.loads(c["reply"]["content"]) for c in told]
    document = json.loads(atif.read_text())
    kept = document["extra"]["deskcrew"]
    assert len(kept["calls"]) == len(told)
    assert {name for call in kept["calls"] for one in call["messages"] for name in one["parts"]} == set(kept["parts"])
    assert document["final_metrics"]["total_prompt_tokens"] == sum(call["tokens_in"] for call in told)
    steps = [step for one in document["subagent_trajectories"] for step in one["steps"] if step["source"] == "agent"]
    assert sum(step.get("llm_call_count", 0) for step in steps) > 0
    assert all(step["model_name"] == "given" for step in steps if "model_name" in step)


@pytest.mark.parametrize(("finish", "words"), [("length", "cut off at its longest"), ("content_filter", "refused to answer")])
def test_a_reply_that_was_cut_off_or_refused_is_said_in_run_show_and_the_page(tmp_path: Path, finish: str, words: str) -> None:
    cut = AIMessage(content='{"reason": "first', response_metadata={"finish_reason": finish})
    outcome = worked_by_model(tmp_path, lambda _: cut, "limits.reasks=1")
    assert (outcome.status, outcome.report["ended_by"]) == ("rejected", "no_answer")
    run = [line.text for event in salvage(outcome.folder / "journal.sqlite").events for line in Teller().lines(event)]
    assert any(words in line for line in run), "what `run` prints"
    said = CliRunner().invoke(app, ["show", outcome.run_id, "--runs-dir", str(tmp_path)])
    assert words in said.output
    assert words in shown(outcome)
    told = read_whole(str(outcome.folder), tmp_path).heard.lines
    finishes = [call["finish"] for detail in told.details for call in detail.get("calls", ())]
    assert finishes == ["cut_off" if finish == "length" else "refused"] * 2
