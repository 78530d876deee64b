"""Skills in whole runs: a real kill in the middle of an MCP server's call, the command, and who may start what."""

import json
import signal
import sys
from pathlib import Path
from typing import Any

import pytest
from warm import python
from worked.runs import deskcrew

from orchestrator.runs import runs
from orchestrator.runs.folders import find_run
from orchestrator.runs.privacy.trust import reaching

SERVER = '''
import os, signal, sys
from pathlib import Path
from mcp.server import MCPServer

server = MCPServer("tickets")
book = Path(sys.argv[1])


@server.tool()
def open_ticket(title: str) -> str:
    """Open a ticket."""
    with book.open("a") as out:
        out.write(title + "\\n")
    if len(book.read_text().splitlines()) == 1:  # the first time, whoever called is killed before it hears of it
        os.kill(os.getppid(), signal.SIGKILL)
    return f"opened {title}"


server.run()
'''
CHILD = """
import sys
sys.path[:0] = sys.argv[3:]
from test_skills_run import begin
begin(sys.argv[1], sys.argv[2])
"""
RUNNING = '''
import json
from orchestrator.runs import runs
from orchestrator.settings.settings import load_settings
from protocol import CallApi
from roles.policies.scripted import ScriptedManager, TrustingEvaluator
from support import FINISH, decide, planned, subtask

CALL = CallApi(app="tickets", function="open_ticket", arguments={"title": "broken lamp"})


class Insisting:
    """Calls until a call was answered."""

    def decide(self, view):
        return FINISH if any(fact.kind == "result" for fact in view.facts) else decide(CALL)


def parts():
    return {"manager": ScriptedManager(plans=(planned(subtask("a")),)), "operator": Insisting(), "evaluator": TrustingEvaluator()}


def begin(folder, settings):
    runs.start(load_settings((), json.loads(settings)), "open a ticket", parts=parts())
'''


SUPPORT = Path(__file__).parents[2] / "_support"


@pytest.fixture
def parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    (tmp_path / "tickets.py").write_text(SERVER)
    (tmp_path / "test_skills_run.py").write_text(RUNNING)
    made: dict[str, Any] = {}
    exec(compile(RUNNING, "test_skills_run", "exec"), made)
    return made["parts"]


def killed(folder: Path, **said: Any) -> str:
    """A run that dies in the middle of its first call; its name."""
    server = {"name": "tickets", "command": [sys.executable, str(folder / "tickets.py"), str(folder / "book.txt")], **said}
    settings = ["display=none", f"runs_dir={folder / 'runs'}", f"skills.mcp={json.dumps([server])}"]
    done = python("-c", CHILD, folder, json.dumps(settings), folder, SUPPORT)
    assert done.returncode == -signal.SIGKILL, done.stderr
    return find_run(next((folder / "runs").iterdir()).name, folder / "runs").name


def opened(folder: Path) -> list[str]:
    return (folder / "book.txt").read_text().splitlines()


@pytest.mark.slow("processes that are killed")
def test_a_once_only_tool_whose_caller_was_killed_is_not_called_again_unasked(tmp_path: Path, parts: Any) -> None:
    name = killed(tmp_path, risk="edit")
    waiting = runs.resume(name, runs_dir=tmp_path / "runs", parts=parts())
    assert waiting.pending is not None
    assert "it may have been done already" in json.dumps(waiting.pending)
    assert opened(tmp_path) == ["broken lamp"]
    rejected = runs.resume(
        name, runs_dir=tmp_path / "runs", parts=parts(), answer={"decisions": [{"type": "reject", "message": "it was"}]}
    )
    assert opened(tmp_path) == ["broken lamp"]
    assert rejected.status in {"rejected", "waiting"} or rejected.pending is None


@pytest.mark.slow("processes that are killed")
@pytest.mark.parametrize("twice", ["reading", "repeatable"])
def test_a_tool_that_may_be_called_twice_is_called_again(tmp_path: Path, parts: Any, twice: str) -> None:
    name = killed(tmp_path, risk="edit", idempotence=twice)
    done = runs.resume(name, runs_dir=tmp_path / "runs", parts=parts())
    assert done.status == "fulfilled"
    assert opened(tmp_path) == ["broken lamp", "broken lamp"]
    facts = {fact["name"]: fact for fact in done.report["facts"]}
    assert (facts["tickets.open_ticket"]["value"], facts["tickets.open_ticket"]["source"]) == ("opened broken lamp", "tool")
    (tmp_path / "runs" / name / "report.json").unlink()  # as a kill right before it leaves the run
    assert runs.resume(name, runs_dir=tmp_path / "runs", parts=parts()).status == "fulfilled"
    assert opened(tmp_path) == ["broken lamp", "broken lamp"]


# --- the command ------------------------------------------------------------------------------------------------------


def listed(*arguments: str) -> Any:
    code, said = deskcrew("skills", "ls", "--json", *arguments)
    assert code == 0, said
    return json.loads(said)


def test_the_command_lists_everything_with_its_kind_its_arguments_and_its_risk() -> None:
    some = listed("--app", "mail", "-c", "skills.forbid=[mail.send_*, agent]")
    assert {skill["app"] for skill in some} == {"mail"}
    assert {skill["called"] for skill in some if skill["forbidden"]} == {"mail.send_message", "mail.send_draft"}
    found = {skill["called"]: skill for skill in listed("-c", "world=bookkeeping")}
    assert {skill["kind"] for skill in found.values()} == {"gui", "api", "agent"}
    sending = found["mail.send_message"]
    assert (sending["risk"], sending["idempotence"], sending["forbidden"]) == ("send", "once-only", "")
    assert {"to", "subject", "body"} <= set(sending["arguments"]["properties"])
    assert found["notes.list_notes"]["idempotence"] == "reading"
    assert found["click"]["risk"] is None


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--app", "mial"], "--app mial: there are no skills under this name; did you mean 'mail'?"),
        (["-c", "skills.mcp=[{command: [nowhere]}]"], "mcp nowhere cannot be asked"),
        (["-c", "skills.mcp=[{name: x}]"], "either a command that starts it or the url"),
        (["-c", "skills.installed=[weather]"], "no installed package offers 'weather'"),
        (["-c", "skills.when=[{prefer: api}]"], "say for which app or subtask"),
    ],
)
def test_what_is_wrong_is_one_sentence(arguments: list[str], said: str) -> None:
    code, printed = deskcrew("skills", "ls", *arguments)
    assert code == 2
    assert said in printed
    assert len(printed.strip().splitlines()) == 1


def test_the_words_of_a_server_cannot_colour_the_terminal(tmp_path: Path) -> None:
    (tmp_path / "rude.py").write_text(
        'from mcp.server import MCPServer\ns = MCPServer("rude")\n'
        's.tool(name="paint", description="[red]x[/] \\x1b[31m")(lambda colour="\\x1b[2J": colour)\ns.run()\n'
    )
    command = json.dumps([{"name": "rude", "command": [sys.executable, str(tmp_path / "rude.py")]}])
    code, said = deskcrew("skills", "ls", "--app", "rude", "-c", f"skills.mcp={command}")
    assert code == 0, said
    assert "rude.paint" in said
    assert "\x1b" not in said


def test_servers_and_installed_tools_of_a_strange_run_are_said_before_they_are_started() -> None:
    settings = {"skills": {"mcp": [{"command": ["rm", "-rf"]}, {"url": "http://x/"}], "installed": ["weather"]}}
    assert reaching(settings) == [
        "'rm -rf' (skills.mcp.0)", "'http://x/' (skills.mcp.1)", "the installed tools 'weather' (skills.installed)",
    ]  # fmt: skip
    assert reaching({"skills": 5}) == []
