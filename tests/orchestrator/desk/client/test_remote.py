"""`--server URL`: commands that are about the runs of a desk, with the output and the exit codes that they have here."""

import itertools
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from typer.testing import CliRunner, Result
from worked.desk_runs import waiting_run
from worked.runs import claims

from orchestrator.cli import app
from orchestrator.cli.control import _act
from orchestrator.desk.app import served
from orchestrator.desk.auth import Tokens, person_of
from orchestrator.desk.client import remote as client
from orchestrator.desk.client.handle import RemoteRuns
from orchestrator.desk.client.remote import Remote, token_for
from orchestrator.desk.desk import Desk
from orchestrator.errors import MachineStopped, UsageProblem
from orchestrator.runs.folders import stored_report
from orchestrator.runs.handle import LocalRuns
from orchestrator.settings.settings import load_settings
from orchestrator.views.terminal.plain import ELSEWHERE
from roles.journal.journal import Event

TOKEN = "token-of-otto"
DRAFT = 'In the reimbursement form, enter "$5.00" as the amount and save the draft'


@pytest.fixture(autouse=True)
def nothing_kept() -> Iterator[None]:
    """A command is a process of its own; here they share one."""
    before = ELSEWHERE.set("")
    yield
    ELSEWHERE.reset(before)


@pytest.fixture
def there(tmp_path: Path) -> Iterator[tuple[Path, str]]:
    """The folder of a server that is no folder of these commands, and its address."""
    folder = tmp_path / "there"
    desk = Desk(folder, Tokens([person_of("otto", "operate", TOKEN), person_of("vera", "view", "token-of-vera")]))
    with served(desk, TOKEN) as address:
        yield folder, address.base


def typed(*words: str, url: str, token: str = TOKEN) -> Result:
    ELSEWHERE.set("")
    return CliRunner().invoke(app, [*words, "--server", url], env={"DESKCREW_TOKEN": token, "DESKCREW_STORE": None})


def test_a_run_elsewhere_is_told_of_as_it_happens_and_ends_with_its_own_exit_code(there: tuple[Path, str]) -> None:
    folder, url = there
    said = typed("run", DRAFT, "--json", "--seed", "2", url=url)
    assert said.exit_code == 0, said.output
    lines = [json.loads(line) for line in said.stdout.splitlines()]
    (run,) = [path.parent for path in folder.glob("*/run.json")]
    assert [line["id"] for line in lines[:-1]] == sorted({line["id"] for line in lines[:-1]})
    assert (lines[0]["kind"], lines[-2]["kind"], lines[-1]["kind"]) == ("run_started", "run_finished", "run_outcome")
    assert (lines[-1]["run_id"], lines[-1]["status"], lines[-1]["exit_code"]) == (run.name, "fulfilled", 0)
    assert json.loads((run / "run.json").read_text())["settings"]["seed"] == 2


def test_a_run_that_waits_elsewhere_is_shown_and_answered_from_here(there: tuple[Path, str]) -> None:
    folder, url = there
    run = waiting_run(folder)
    listed = typed("ls", url=url)
    assert run.run_id in listed.stdout
    assert "waiting" in listed.stdout
    assert json.loads(typed("ls", "--json", url=url).stdout)[0]["waiting"] is True
    shown = typed("show", run.run_id[-4:], url=url)
    assert "approve?" in shown.stdout
    looked = typed("resume", run.run_id, "--display", "plain", url=url)
    assert looked.exit_code == 3, looked.output
    assert f"deskcrew resume {run.run_id} --server {url} --approve" in looked.stdout
    done = typed("resume", run.run_id, "--approve", "--display", "none", url=url)
    assert done.exit_code == 0, done.output
    assert (stored_report(folder / run.run_id)["approvals"][0]["who"], len(claims(folder / run.run_id))) == ("otto", 1)
    assert "(by otto at a desk)" in typed("show", run.run_id, url=url).stdout


def test_a_run_elsewhere_is_steered_taken_over_acted_in_and_cancelled(there: tuple[Path, str]) -> None:
    folder, url = there
    run = waiting_run(folder)
    assert "receives it" in typed("steer", run.run_id, "use the short form", "--to", "manager", url=url).stdout
    hand = typed("takeover", run.run_id, "--do", 'fill "Amount" with "$9.00"', url=url)
    assert (hand.exit_code, "✓ fill" in hand.stdout) == (0, True), hand.output
    assert typed("takeover", run.run_id, "--do", 'click "No such thing"', url=url).exit_code == 1
    told = typed("cancel", run.run_id, "--why", "enough", "--json", url=url)
    assert json.loads(told.stdout)["state"] == "cancelled"
    assert stored_report(folder / run.run_id)["reason"] == "the run was cancelled by otto: enough"
    refused = typed("cancel", run.run_id, url=url)
    assert (refused.exit_code, "finished" in refused.output) == (2, True)


@pytest.mark.parametrize("elsewhere", [False, True])
def test_a_person_acts_line_by_line_and_sees_the_screen(
    elsewhere: bool, there: tuple[Path, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, url = there
    run = waiting_run(folder)
    lines = iter(["look", 'clck "Save"', 'click "No such thing"', 'fill "Amount" with "$9.00"', "look", "done"])
    monkeypatch.setattr("builtins.input", lambda prompt: next(lines))
    with Remote(url, TOKEN) as remote:
        handle = (RemoteRuns(remote) if elsewhere else LocalRuns(folder)).run(run.run_id)
        assert handle.takeover().state == "taken_over"
        with handle.hands() as hands:
            assert _act(hands, None)
    said = capsys.readouterr().out
    first, _, rest = said.partition("clck")
    assert "Amount" in first
    assert "$9.00" not in first
    assert '✗ click "No such thing": ' in rest
    assert "✓ fill" in rest
    assert "$9.00" in rest.partition("✓ fill")[2].partition("\n")[2], "the screen as it was after the last action"
    assert not list(lines)


def test_a_goal_is_planned_elsewhere(there: tuple[Path, str]) -> None:
    _, url = there
    made = typed("plan", DRAFT, "--json", url=url)
    assert (made.exit_code, len(json.loads(made.stdout)["subtasks"])) == (0, 1), made.output
    none = typed("plan", "Sing a song about the moon", url=url)
    assert (none.exit_code, "deskcrew: no plan: " in none.output) == (1, True), none.output
    assert typed("plan", DRAFT, "-c", "limts.steps=1", url=url).exit_code == 2


@pytest.mark.parametrize(
    ("token", "words", "code"),
    [("", "There is no token in DESKCREW_TOKEN", 2), ("wrong", "", 2), ("token-of-vera", "vera has the role view", 2)],
)
def test_whoever_may_not_is_told_in_one_sentence(token: str, words: str, code: int, there: tuple[Path, str]) -> None:
    said = typed("run", DRAFT, url=there[1], token=token)
    assert said.exit_code == code
    assert said.output.startswith("deskcrew: ")
    assert words in said.output


def test_a_token_is_taken_from_a_file_and_never_from_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DESKCREW_TOKEN", raising=False)
    (tmp_path / "token").write_text("abc\n")
    assert token_for("http://127.0.0.1:1", tmp_path / "token") == "abc"
    with pytest.raises(UsageProblem, match="without a token"):
        token_for("http://127.0.0.1:1/?token=abc", tmp_path / "token")
    with pytest.raises(UsageProblem, match="cannot be read"):
        token_for("http://127.0.0.1:1", tmp_path / "nothing")


def test_a_server_that_is_not_there_and_what_is_no_address_are_said_in_a_sentence() -> None:
    said = typed("ls", url="http://127.0.0.1:9")
    assert (said.exit_code, "is `deskcrew serve` running there?" in said.output) == (1, True)
    assert typed("ls", url="ftp://nowhere").exit_code == 2
    for ask in (lambda: Remote("http://[::1", "x"), lambda: token_for("http://[::1", None)):
        with pytest.raises(UsageProblem, match=r"^--server 'http://\[::1' is not an address; "):
            ask()
    for url in ("http://[::1", "nonsense", ""):
        with pytest.raises(UsageProblem, match=r"base_url"):
            load_settings([], ["crew.model.name=openai:x", f"crew.model.base_url='{url}'"])


# --- a connection that breaks ---------------------------------------------------------------------------------------


STREAM = {"content-type": "text/event-stream"}


def sent(kind: str, data: Any) -> bytes:
    return f"event: {kind}\ndata: {json.dumps(data)}\n\n".encode()


class Breaking(httpx.SyncByteStream):
    """A stream that ends in the middle."""

    def __init__(self, parts: list[bytes]) -> None:
        self._parts = parts

    def __iter__(self) -> Iterator[bytes]:
        yield from self._parts
        raise httpx.ReadError("the connection was reset")


def event(number: int) -> dict[str, Any]:
    return Event(number, float(number), "step", "operator", "s1", number, {})._asdict()


def test_a_connection_that_breaks_is_made_anew_and_each_event_is_heard_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    ended = {"status": "fulfilled", "reason": "", "works": False, "exit_code": 0, "asking": "", "pending": None}

    def answer(request: httpx.Request) -> httpx.Response:
        if request.url.path.endswith("/report"):
            return httpx.Response(200, json={**ended, "report": {}, "notes": []})
        if request.url.path.endswith("/events"):
            return httpx.Response(200, json={"events": [event(5)], "cursor": 5, "more": False})
        asked.append(request.url.params["after"])
        if len(asked) == 1:
            return httpx.Response(200, headers=STREAM, stream=Breaking([sent("event", event(1)), sent("event", event(2))]))
        if len(asked) == 2:
            return httpx.Response(200, headers=STREAM, stream=Breaking([]))
        again = [sent("event", event(number)) for number in (2, 3, 4)]
        return httpx.Response(200, headers=STREAM, content=b"".join([*again, sent("end", {})]))

    monkeypatch.setattr("orchestrator.desk.client.remote.time.sleep", lambda seconds: None)
    heard: list[int] = []
    with Remote("http://desk.test", "t", transport=httpx.MockTransport(answer)) as remote:
        now = remote.follow("r", lambda one: heard.append(one.id))
    assert (heard, asked) == ([1, 2, 3, 4, 5], ["0", "2", "2"])
    assert now.exit_code == 0


def test_a_server_that_stays_away_is_given_up_with_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("refused")

    monkeypatch.setattr("orchestrator.desk.client.remote.time.sleep", lambda seconds: None)
    monkeypatch.setattr("orchestrator.desk.client.remote.LOST", 0.0)
    remote = Remote("http://desk.test", "t", transport=httpx.MockTransport(answer))
    with remote, pytest.raises(MachineStopped, match="cannot be reached"):
        remote.follow("r", lambda one: None)


def test_an_answer_that_never_ends_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    def dripping() -> Iterator[bytes]:
        for _ in itertools.count():
            time.sleep(0.02)
            yield b" "

    class Endless(httpx.SyncByteStream):
        def __init__(self, parts: Iterator[bytes]) -> None:
            self.parts = parts

        def __iter__(self) -> Iterator[bytes]:
            return self.parts

    monkeypatch.setattr(client, "_BEGINS", 1.0)
    monkeypatch.setattr(client, "_LARGEST", 1_000_000)
    for parts in (dripping(), itertools.repeat(b"x" * 100_000)):
        answers = httpx.MockTransport(lambda request, parts=parts: httpx.Response(200, stream=Endless(parts)))
        with (
            Remote("http://127.0.0.1:1", "x", transport=answers) as server,
            pytest.raises(MachineStopped, match="answers without end"),
        ):
            server.get("/api/listing")
