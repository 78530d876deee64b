"""No private value stands in anything that a run leaves behind, but in its vault while it lasts and in the apps' own database."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from killed import dying_at, killed
from langchain_core.messages import BaseMessage
from typer.testing import CliRunner
from worked.runs import APPROVE
from written.canaries import VAULT, found_in, in_text

from orchestrator.cli import app
from orchestrator.crew import Crew
from orchestrator.runs.outcome import Outcome
from orchestrator.runs.replay.fork import fork
from orchestrator.runs.replay.recording import recording_of
from orchestrator.runs.replay.replay import replay
from orchestrator.runs.runs import start
from orchestrator.settings.settings import load_settings
from roles.policies.scripted_model import ScriptedChatModel

PASSWORD, PHONE, PIN, TOKEN = 'Zanzibar-71&"é', "+1 555 0177 2468", "q7~", "glpat-0123456789canary0123"
PORTAL = f"""
name: portal
apps:
  browser:
    home: portal/
    sites:
      portal:
        title: Portal
        login: {{user: anna, password: {json.dumps(PASSWORD)}}}
        pages:
          /: 
            title: Start
            blocks: [{{form: {{fields: [{{label: User}}, {{label: Password, kind: password}}], button: Sign in}}}}]
          /box: {{title: Letters, private: true, blocks: [{{text: "The number of the letter is L-40"}}]}}
  contacts:
    contacts: [{{name: Ivy Castle, phone: "{PHONE}", private: true}}]
  notes: {{notes: [{{title: Tokens, body: "build: {TOKEN}"}}]}}
  reimbursement: {{}}
  settings: {{}}
open: [browser]
"""
GOAL = (
    'In the reimbursement form, type "anna" into the field "Vendor", type "7" into the field "Invoice number", type "2026-02-03"'
    ' into the field "Invoice date", type "12.00" into the field "Amount", type {password} into the field "Description" and save'
    " the draft"
)
SAFETY = {"private": ["*password*", "description", "*pin*"]}


def settings(tmp_path: Path, *more: str) -> list[str]:
    (tmp_path / "portal.yaml").write_text(PORTAL, encoding="utf-8")
    safety = f"safety={json.dumps(SAFETY)}"
    return [f"world={tmp_path / 'portal.yaml'}", f"runs_dir={tmp_path / 'runs'}", "display=none", safety, *more]


def to_the_end(crew: Crew, outcome: Outcome, runs: Path, canaries: Sequence[str]) -> Outcome:
    """Every approval given; nothing may stand anywhere at any time that the run waits."""
    for _ in range(9):
        assert found_in(runs, canaries) == []
        if outcome.pending is None:
            return outcome
        assert in_text(json.dumps(outcome.pending, ensure_ascii=False), canaries) == []
        outcome = crew.resume(outcome.run_id, APPROVE)
    raise AssertionError("the run asks without an end")


@pytest.mark.slow("processes that are killed")
def test_a_run_by_rules_that_is_killed_resumed_replayed_forked_and_exported(tmp_path: Path) -> None:
    overrides, runs = settings(tmp_path), tmp_path / "runs"
    listener = dying_at(lambda event: (event.kind, event.step) == ("outcome", 3))
    given = {"secrets": {"password": PASSWORD}}
    killed(lambda: start(load_settings([], overrides), GOAL, listener=listener, parts=given))
    (folder,) = runs.iterdir()
    assert PASSWORD in json.loads((folder / VAULT).read_text(encoding="utf-8").splitlines()[1])["value"]
    assert (folder / VAULT).stat().st_mode & 0o777 == 0o600
    assert found_in(runs, [PASSWORD]) == [], "after SIGKILL, the write-ahead logs among it"
    crew = Crew.from_config(overrides=overrides)
    done = to_the_end(crew, crew.resume(folder.name), runs, [PASSWORD])
    assert done.status == "fulfilled", done.reason
    assert PASSWORD.encode() not in (folder / VAULT).read_bytes(), "the run has ended"
    assert json.dumps(PASSWORD)[1:-1].encode() in b"".join(path.read_bytes() for path in folder.glob("world.*")), "it was typed"

    assert replay(recording_of(folder), {"password": PASSWORD}).difference is None
    recording_of(folder).write(runs / "recording.jsonl")
    made = fork(folder.name, 2, runs_dir=runs, secrets={"password": PASSWORD})
    forked = to_the_end(crew, crew.resume(made), runs, [PASSWORD])
    assert forked.status == "fulfilled", forked.reason

    (runs / "out").mkdir()
    formats = json.loads(CliRunner().invoke(app, ["log", "formats", "--json"]).output)
    written = [each["name"] for each in formats if "write" in each["ways"]]
    for name in written:
        CliRunner().invoke(app, ["log", "convert", str(folder / "log.jsonl"), "--to", name, "-o", str(runs / "out" / name)])
    assert len(list((runs / "out").iterdir())) >= len(written), [path.name for path in (runs / "out").iterdir()]
    for command in (["show", folder.name], ["show", folder.name, "--json"], ["log", "show", str(folder / "log.jsonl")], ["ls"]):
        told = CliRunner().invoke(app, [*command, *([] if command[0] == "log" else ["--runs-dir", str(runs)])]).output
        assert told
        assert in_text(told, [PASSWORD]) == []
    assert found_in(runs, [PASSWORD]) == []


def test_a_value_that_is_written_in_the_goal_is_nowhere_from_the_first_line_on(tmp_path: Path) -> None:
    crew, runs = Crew.from_config(overrides=settings(tmp_path)), tmp_path / "runs"
    done = to_the_end(crew, crew.run(GOAL.replace("{password}", f"'{PASSWORD}'")), runs, [PASSWORD])
    assert done.status == "fulfilled", done.reason
    assert "<secret>description</secret>" in done.report["goal"]


def test_a_value_that_is_recognised_only_when_it_is_typed_is_nowhere_once_the_run_has_ended(tmp_path: Path) -> None:
    world = tmp_path / "safe.yaml"
    page = {"title": "Safe", "blocks": [{"form": {"fields": [{"label": "Word", "kind": "password"}], "button": "Go"}}]}
    sites = {"safe": {"title": "Safe", "pages": {"/": page}}}
    world.write_text(
        json.dumps({"name": "safe", "apps": {"browser": {"home": "safe/", "sites": sites}, "notes": {}}, "open": ["notes"]})
    )
    crew = Crew.from_config(overrides=[f"world={world}", f"runs_dir={tmp_path / 'runs'}", "display=none"])
    *heard, done = crew.stream('In the browser, type "Quagmire Nine" into the field "Word" and save')
    assert "Quagmire Nine" in str(heard[0]), "nothing told what the word is"
    assert isinstance(done, Outcome)
    done = to_the_end(crew, done, tmp_path / "runs", ["Quagmire Nine"] if done.pending is None else [])
    assert found_in(tmp_path / "runs", ["Quagmire Nine"]) == []
    assert done.report["goal"].startswith('In the browser, type "<secret>word</secret>" into'), done.reason


class Operator:
    """A model's part in a run: its answers by turn, and every word that it was sent."""

    def __init__(self, *answers: Mapping[str, Any]) -> None:
        self._answers = list(answers)
        self.heard: list[str] = []

    def __call__(self, messages: Sequence[BaseMessage]) -> Any:
        self.heard.append("\n".join(str(message.content) for message in messages))
        return self._answers.pop(0) if self._answers else {"reasoning": "all is done", "status": "FINISH"}


def test_a_model_sees_references_only_and_what_it_makes_up_for_a_private_field_is_private_too(tmp_path: Path) -> None:
    field = {"reasoning": "r", "status": "CONTINUE", "action": "fill", "target": "Description"}
    said = Operator(
        {**field, "text": "<secret>description</secret>"},
        {**field, "text": "Made-Up-By-The-Model-55"},
        {"reasoning": "r", "status": "CONTINUE", "action": "memorize", "target": "Description", "name": "seen", "value": "x"},
    )
    canaries = [PASSWORD, "Made-Up-By-The-Model-55"]
    crew = Crew.from_config(
        overrides=settings(tmp_path, "crew.operator.policy=llm", "crew.operator.model.name=given"),
        model=ScriptedChatModel(answer=said),
    )
    goal = f'In the reimbursement form, enter "{PASSWORD.replace(chr(34), "")}" as the description and save the draft'
    canaries[0] = PASSWORD.replace('"', "")
    to_the_end(crew, crew.run(goal), tmp_path / "runs", canaries)
    assert any("<secret>description</secret>" in heard for heard in said.heard), "the model can refer to it"
    assert in_text("\n".join(said.heard), canaries) == []
    (folder,) = (tmp_path / "runs").iterdir()
    world = b"".join(path.read_bytes() for path in folder.glob("world.*"))
    assert b"Made-Up-By-The-Model-55" in world, "it was typed"


@pytest.mark.parametrize("value", [PIN, "µ9", "0042", "Übergabe 17"])
def test_an_edit_that_a_person_makes_is_bound_to_its_value_and_written_nowhere(tmp_path: Path, value: str) -> None:
    ask = {"private": ["description"], "rules": [{"name": "look", "verdict": "ask", "verbs": ["fill"]}], "otherwise": "allow"}
    crew = Crew.from_config(overrides=settings(tmp_path, f"safety={json.dumps(ask)}"))
    waiting = crew.run('In the reimbursement form, enter "first words" as the description and save the draft')
    asked = waiting.pending["action_requests"][0]
    assert asked["args"]["text"] == "<secret>description</secret>"
    edited = {"name": asked["name"], "args": {**asked["args"], "text": value}}
    done = crew.resume(waiting.run_id, {"decisions": [{"type": "edit", "edited_action": edited}]})
    done = to_the_end(crew, done, tmp_path / "runs", [value, "first words"])
    step = next(step for step in done.report["steps"] if step["verb"] == "fill")
    assert step["action"]["text"] == "<secret>description_2</secret>"
    world = b"".join(path.read_bytes() for path in done.folder.glob("world.*"))
    assert value.encode() in world or json.dumps(value).encode()[1:-1] in world


def test_a_vault_that_is_lost_is_said_and_its_values_can_be_given_again(tmp_path: Path) -> None:
    ask = {"private": ["description"], "rules": [{"name": "look", "verdict": "ask", "verbs": ["fill"]}], "otherwise": "allow"}
    overrides = settings(tmp_path, f"safety={json.dumps(ask)}", "limits.retries=0")
    goal = 'In the reimbursement form, enter "first words" as the description, enter 12.50 as the amount, and save the draft'
    for given in ({}, {"description": "first words"}):
        waiting = Crew.from_config(overrides=overrides).run(goal)
        (waiting.folder / VAULT).unlink()
        crew = Crew.from_config(overrides=overrides, secrets=given)
        done = to_the_end(crew, crew.resume(waiting.run_id, APPROVE), tmp_path / "runs", ["first words"])
        said = (waiting.folder / "log.jsonl").read_text(encoding="utf-8")
        assert ("a person can give it with --secret description" in said) is (not given)
        assert (done.status == "fulfilled") is bool(given)


def test_what_private_fields_show_is_referred_to_when_it_is_read_remembered_and_passed_on(tmp_path: Path) -> None:
    crew = Crew.from_config(overrides=settings(tmp_path))
    for goal in (
        "Find the phone number of Ivy Castle in the contacts and put it in the reimbursement form as the description",
        "Copy the text of the note Tokens to the reimbursement form as the description",
        f"In the settings, set the recovery phone to {PHONE} and save",
    ):
        to_the_end(crew, crew.run(goal), tmp_path / "runs", [PHONE, TOKEN])


ECHOING = """<label>User</label> <input id=u> <label>Password</label> <input type=password id=p>
<button onclick="said.textContent = 'Welcome ' + u.value + ', your word is ' + p.value; document.title = p.value">Sign in</button>
<p id="said"></p><script>u.oninput = p.oninput = () => console.log(p.value)</script>"""


def test_what_is_typed_into_a_page_of_a_real_browser_is_nowhere_even_where_the_page_shows_it(
    tmp_path: Path, chromium: str
) -> None:
    page = tmp_path / "page.html"
    page.write_text(f'<meta charset="utf-8">{ECHOING}', encoding="utf-8")
    browser = ["environment=browser", f"browser.url={page.as_uri()}", "browser.allow_files=true", "display=none"]
    crew = Crew.from_config(overrides=[f"runs_dir={tmp_path / 'runs'}", *browser], secrets={"password": PASSWORD})
    goal = 'Enter the user "anna" and the password {password}, and click "Sign in"'
    done = crew.run(goal, approver=lambda request: APPROVE)
    assert done.status == "fulfilled", done.reason
    assert found_in(done.folder, ["Welcome anna, your word is <secret>password</secret>"]), "the page showed it"
    assert found_in(tmp_path / "runs", [PASSWORD]) == []
