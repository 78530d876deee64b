"""Private values as a person gives them: on the terminal, by the environment, in a task, in answers, edits, plans and notes."""

import json
import os
import pty
import sqlite3
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from orchestrator.cli import app
from orchestrator.crew import Crew
from orchestrator.errors import UsageProblem
from orchestrator.runs.outcome import _rewrite
from orchestrator.runs.privacy.secrets import (
    answer_without,
    asked_for,
    give,
    give_named,
    goal_without,
    plan_without,
    said_to,
    task_without,
)
from orchestrator.settings.settings import Settings
from orchestrator.tasks.plans import plan_of
from orchestrator.tasks.tasks import Task, load_task
from orchestrator.views.terminal.plain import ending_lines
from protocol import GUIElement, VisualState
from roles.contracts import Subtask
from roles.contracts.requests import read_request
from roles.journal.journal import Journal
from roles.journal.rows import is_difference, screen_text
from roles.safety import SafetyPolicy
from roles.safety.privacy.redaction import Redactor
from roles.safety.privacy.vault import FILE, Vault, reference

HELD = reference("password")
FIELD = GUIElement(element_id="p", role="textbox", text="Password")
SCREEN = VisualState(elements=(FIELD, GUIElement(element_id="m", role="textbox", text="Salary", private=True)), app="web")


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    redactor = Redactor(SafetyPolicy(), Vault(tmp_path / FILE))
    journal = Journal(tmp_path / "journal.sqlite", lambda: 0.0, redactor)
    yield journal
    journal.close()


# --- given by name --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["pin=0042", "Pin", "a b", "pin-1", ""])
def test_a_name_is_given_and_never_a_value_which_is_taken_from_the_environment(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(UsageProblem, match="give a name only") as refused:
        asked_for([name])
    assert "0042" not in str(refused.value)
    monkeypatch.setenv("DESKCREW_SECRET_SITE_PIN", "0042")
    assert asked_for(["site_pin", "site_pin"]) == {"site_pin": "0042"}


@pytest.mark.slow("a terminal of its own")
def test_a_value_is_typed_on_the_terminal_and_not_shown() -> None:
    child, terminal = pty.fork()
    if child == 0:
        code = "from orchestrator.runs.privacy.secrets import asked_for; print('got', len(asked_for(['pin'])['pin']))"
        os.execv(sys.executable, [sys.executable, "-c", code])
    shown = b""
    while b"pin (not shown)" not in shown:
        shown += os.read(terminal, 1_000)
    os.write(terminal, b"0042\n")
    while not shown.endswith(b"\n") or b"got" not in shown:  # a terminal gives a line in any number of pieces
        shown += os.read(terminal, 1_000)
    os.waitpid(child, 0)
    os.close(terminal)
    assert b"got 4" in shown
    assert b"0042" not in shown


def test_where_there_is_no_terminal_the_variable_is_named(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["run", "Type {pin}", "--secret", "pin", "--runs-dir", str(tmp_path / "runs")])
    assert done.exit_code == 2
    assert "set DESKCREW_SECRET_PIN instead" in done.output
    assert not (tmp_path / "runs").exists()


def test_a_name_that_means_something_else_already_is_refused(journal: Journal) -> None:
    give(journal, {"pin": "0042"})
    with pytest.raises(UsageProblem, match="--secret pin: the private value pin is another one"):
        give(journal, {"pin": "0043"})


# --- in a task ------------------------------------------------------------------------------------------------------


def task(tmp_path: Path, **more: Any) -> Task:
    path = tmp_path / "t.yaml"
    path.write_text(json.dumps({"goal": "Log in with the password {password}", "secrets": ["password"], **more}))
    return load_task(path)


def test_a_task_names_what_its_user_gives(tmp_path: Path, journal: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(
        UsageProblem, match=r"Task t needs the private value password: give it with --secret password, or as DESKCREW_SECRET_PASS"
    ):
        give_named(journal, task(tmp_path))
    monkeypatch.setenv("DESKCREW_SECRET_PASSWORD", "tulip-41")
    give_named(journal, task(tmp_path))
    assert goal_without("Log in with the password {password}", journal, SCREEN) == f"Log in with the password {HELD}"


def test_what_a_task_is_written_down_with_has_no_answer_to_a_private_question(tmp_path: Path, journal: Journal) -> None:
    written = task_without(
        task(tmp_path, user={"password": "tulip-41", "city": "Paris"}, success=['"tulip-41" == "x"']), {}, journal
    )
    assert "tulip" not in json.dumps(written)
    assert written["user"] == {"password": HELD, "city": "Paris"}
    assert Task.model_validate(journal.revealed(HELD) and written).user["city"] == "Paris"


# --- said in words --------------------------------------------------------------------------------------------------


def test_the_private_fields_of_the_first_screen_are_names_too(journal: Journal) -> None:
    assert goal_without('Set the Salary to "81,000"', journal, SCREEN) == f'Set the Salary to "{reference("salary")}"'


def test_a_plan_has_references_wherever_a_value_stands(journal: Journal) -> None:
    subtask = Subtask.model_validate(
        {
            "id": "a",
            "title": "Log in",
            "instruction": "Log in with the password tulip-41",
            "expect": [{"kind": "field_has", "label": "Password", "value": "tulip-41"}],
        }
    )
    (written,) = plan_without(plan_of([subtask]), journal)
    assert "tulip" not in written.model_dump_json()
    assert written.expect[0].value == HELD  # type: ignore[union-attr]  # a field_has


QUESTION = {
    "kind": "question",
    "action_requests": [{"name": "ask_user", "args": {"question": "What is the password?", "name": "login"}}],
}
APPROVAL = {"kind": "approval", "state_id": "", "action_requests": [{"name": "fill", "args": {}}]}


def said(decision: dict[str, Any], request: dict[str, Any], journal: Journal) -> dict[str, Any]:
    return dict(answer_without({"decisions": [decision]}, read_request(request), journal)["decisions"][0])


def test_an_answer_to_a_private_question_is_a_reference(journal: Journal) -> None:
    assert said({"type": "respond", "message": "two words"}, QUESTION, journal)["message"] == HELD
    assert journal.revealed(HELD) == "two words"
    give(journal, {"pin": "0042"})
    assert said({"type": "respond", "message": "{pin}"}, QUESTION, journal)["message"] == reference("pin")


def test_what_is_said_while_rejecting_is_read_as_a_goal_is(journal: Journal) -> None:
    rejected = said({"type": "reject", "message": "no, the password is tulip-41"}, APPROVAL, journal)
    assert rejected["message"] == f"no, the password is {HELD}"


def test_an_edit_is_sealed_by_the_field_that_it_aims_at(journal: Journal) -> None:
    request = APPROVAL | {"state_id": journal.screens.keep(SCREEN)}
    edited = {"name": "fill", "args": {"target": {"text": "Password"}, "text": "12"}}
    decision = said({"type": "edit", "edited_action": edited}, request, journal)
    assert decision["edited_action"]["args"]["text"] == HELD
    other = {"name": "fill", "args": {"target": {"element_id": "nowhere"}, "text": "12"}}
    assert said({"type": "edit", "edited_action": other}, request, journal)["edited_action"]["args"]["text"] == "12"


def test_an_edit_that_is_no_action_is_left_for_the_crew_to_refuse(journal: Journal) -> None:
    decision = said({"type": "edit", "edited_action": {"name": "fill", "args": {"text": "the pin is 0042"}}}, APPROVAL, journal)
    assert decision["edited_action"] == {"name": "fill", "args": {"text": f"the pin is {reference('pin')}"}}


def test_a_note_from_another_process_is_sealed_and_the_run_knows_what_it_refers_to(tmp_path: Path, journal: Journal) -> None:
    record = {"run_id": "r", "goal": "g", "settings": json.loads(Settings().model_dump_json())}
    (tmp_path / "run.json").write_text(json.dumps(record))
    assert said_to(tmp_path, "log in with the password tulip-41") == f"log in with the password {HELD}"
    assert journal.secret("other-one", "password") == reference("password_2"), "the name is taken"
    assert journal.revealed(HELD) == "tulip-41"


# --- told to whoever asked ------------------------------------------------------------------------------------------


def test_who_asks_for_a_private_value_is_told_it_and_nothing_that_is_written_has_it(tmp_path: Path) -> None:
    crew = Crew.from_config(overrides=["world=phone", f"runs_dir={tmp_path}", "display=none"])
    done = crew.run("What is the phone number of Ada Weber in the contacts?")
    assert (done.status, done.answer) == ("fulfilled", "+1 555 2946")
    assert "<secret>" in done.report["answer"]
    assert "+1 555 2946" not in done.model_dump_json() + repr(done)
    assert "+1 555 2946" in "\n".join(line.text for line in ending_lines(done))
    kept = [path for path in done.folder.rglob("*") if path.is_file() and not path.name.startswith("world.")]
    assert not [path.name for path in kept if b"+1 555 2946" in path.read_bytes()]


def test_what_was_filled_in_is_known_again_once_its_field_has_made_it_private(tmp_path: Path) -> None:
    crew = Crew.from_config(overrides=["world=letters", f"runs_dir={tmp_path}", "display=none"])
    approved = {"decisions": [{"type": "approve"}]}
    done = crew.run("Change the recovery phone of my account to +1 555 0142", approver=lambda request: approved)
    assert done.status == "fulfilled"
    assert [step["verb"] for step in done.report["steps"]] == ["launch_app", "fill", "account"]


def test_a_value_that_became_private_is_written_over_in_screens_that_are_stored_as_differences(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal.sqlite", time.time)
    fields = [GUIElement(element_id=f"e{n}", text=f"Field {n}", value="Zanzibar 77") for n in range(30)]
    for n in range(6):
        fields[n] = fields[n].model_copy(update={"value": str(n)})
        journal.screens.keep(VisualState(elements=tuple(fields), app="web"))
    stored = [bytes(body) for (body,) in journal.rows.read("SELECT body FROM observations")]
    assert [is_difference(body) for body in stored] == [False] + [True] * 5
    journal.close()
    _rewrite(tmp_path / "journal.sqlite", lambda text: text.replace("Zanzibar 77", "secret:a"))
    with closing(sqlite3.connect(tmp_path / "journal.sqlite")) as db:
        texts = [screen_text(db, row).decode() for (row,) in db.execute("SELECT row FROM observations")]
    assert [text.count("secret:a") for text in texts] == [29, 28, 27, 26, 25, 24]
    assert "Zanzibar" not in "".join(texts)
