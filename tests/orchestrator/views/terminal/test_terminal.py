"""The command in a real terminal: the live view, the question, and an answer typed by a person."""

import os
import pty
import re
import select
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pyte
import pytest
from waiting import DEADLINE
from warm import Forked, python

from orchestrator.control.channel import myself
from orchestrator.runs.folders import list_runs, stored_report
from orchestrator.runs.handle import RunControl
from orchestrator.views.terminal.approval import decision
from roles.knowledge.store import KnowledgeStore

pytestmark = pytest.mark.slow("a terminal of its own")

TASK = "invoice-to-reimbursement"
PROMPT = "[a]pprove"
INTERRUPT = b"\x03"
KEEP = "Keep these steps for goals like this one? [y/N]"
HALF = b"a"
"""A letter that would approve, without Enter behind it."""


class Session(NamedTuple):
    """What a terminal showed, and the exit code."""

    shown: str
    code: int


def in_terminal(
    words: list[str], typed: list[bytes | Callable[[], None]], folder: Path, *, prompt: str = PROMPT, columns: int = 100,
    keep: bytes = b"n\n", **environment: str,
) -> Session:  # fmt: skip
    """Run the command on a pseudo terminal and type each answer when the prompt comes, or let somebody else do something then."""
    ours, theirs = pty.openpty()
    settings = {"TERM": "xterm-256color", "COLUMNS": str(columns), "LINES": "40", **environment}
    inherited = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    process = Forked(
        ["-m", "deskcrew", *words],
        cwd=folder, stdin=theirs, stdout=theirs, stderr=theirs, env={**inherited, **settings}, start_new_session=True,
    )  # fmt: skip
    os.close(theirs)
    shown, answered, kept = "", 0, False
    deadline, again = time.monotonic() + DEADLINE, float("inf")
    while time.monotonic() < deadline:
        ready, _, _ = select.select([ours], [], [], 0.2)
        if time.monotonic() > again:  # a signal between the prompt and the reading of it may be lost; a person presses again
            process.send_signal(signal.SIGINT)
            again = time.monotonic() + 5
        if ready:
            try:
                data = os.read(ours, 65536)
            except OSError:
                break
            if not data:
                break
            shown += data.decode("utf-8", "replace")
            os.write(ours, keep if KEEP in shown and not kept else b"")
            kept = KEEP in shown
            if answered < len(typed) and shown.count(prompt) > answered:
                given = typed[answered]
                if given == INTERRUPT:
                    process.send_signal(signal.SIGINT)
                    again = time.monotonic() + 5
                elif isinstance(given, bytes):
                    os.write(ours, given)
                else:
                    os.write(ours, HALF)
                    given()
                answered += 1
        elif process.poll() is not None:
            break
    try:
        return Session(shown, process.wait(DEADLINE))
    finally:
        process.kill()
        os.close(ours)


def plain(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)


def test_a_person_approves_in_the_live_view_and_the_run_goes_on(tmp_path: Path) -> None:
    session = in_terminal(["run", TASK], [b"a\n"], tmp_path)
    assert session.code == 0, session.shown
    said = plain(session.shown)
    for part in ("machine", "approve?", "rule", "✓  fulfilled", "deskcrew show"):
        assert part in said
    assert session.shown.rfind("\x1b[?25h") > session.shown.rfind("\x1b[?25l"), "the cursor is given back"
    approved = report_in(tmp_path)["approvals"][0]
    assert (approved["who"], approved["way"]) == (myself(), "terminal")


def run_in(folder: Path) -> RunControl:
    """The run that waits at its prompt, in somebody else's eyes."""
    (only,) = list_runs(folder / "runs")
    return RunControl(only.run_id, runs_dir=folder / "runs", who="Grace")


def report_in(folder: Path) -> dict[str, Any]:
    return stored_report(run_in(folder).folder)


def test_an_answer_from_elsewhere_is_heard_at_once_and_half_a_line_is_forgotten(tmp_path: Path) -> None:
    def answer() -> None:
        assert run_in(tmp_path).resume(answer=decision("reject", message="use the other form")) is None

    session = in_terminal(["run", TASK], [answer], tmp_path)
    said = plain(session.shown)
    assert "Grace rejected it" in said
    assert "use the other form" in said
    assert session.code != 0
    first = report_in(tmp_path)["approvals"][0]
    assert (first["decision"], first["who"], first["way"]) == ("reject", "Grace", "")


STOPS = [("cancel", "cancelled", 1), ("takeover", "taken_over", 3), ("pause", "on_hold", 3)]


@pytest.mark.parametrize(("way", "state", "code"), STOPS)
def test_a_prompt_gives_way_to_whoever_wants_the_run_to_stop(way: str, state: str, code: int, tmp_path: Path) -> None:
    told: list[str] = []
    session = in_terminal(["run", TASK], [lambda: told.append(getattr(run_in(tmp_path), way)().state)], tmp_path)
    assert "Grace" in plain(session.shown).partition("settled")[2]
    assert session.code == code
    assert run_in(tmp_path).standing().state == state
    assert told == [state]


@pytest.mark.parametrize("setting", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_a_terminal_without_colour_asks_in_plain_lines(setting: dict[str, str], tmp_path: Path) -> None:
    session = in_terminal(["run", TASK], [b"a\n"], tmp_path, **setting)
    assert session.code == 0, session.shown
    assert "\x1b[" not in session.shown


def test_ctrl_c_keeps_the_run_and_says_how_to_go_on(tmp_path: Path) -> None:
    session = in_terminal(["run", TASK], [INTERRUPT], tmp_path)
    assert session.code == 3  # it waits at its question, as it did before
    assert "deskcrew resume" in plain(session.shown)
    assert "Traceback" not in session.shown
    assert session.shown.rfind("\x1b[?25h") > session.shown.rfind("\x1b[?25l")


def test_ctrl_c_while_the_crew_works_leaves_no_row_of_the_live_view_behind(tmp_path: Path) -> None:
    screen = pyte.HistoryScreen(80, 30, history=10_000)
    session = in_terminal(["run", TASK], [INTERRUPT], tmp_path, prompt="[execute", columns=80)
    pyte.Stream(screen).feed(session.shown)
    kept = ["".join(line[x].data for x in range(80)).rstrip() for line in screen.history.top]
    kept += [line.rstrip() for line in screen.display]
    assert session.code == 3, kept
    assert any("pausing before the next action" in line for line in kept)
    assert not [line for line in kept if line.startswith(("─", "  machine", "  at work"))], kept


@pytest.mark.parametrize(("answer", "kept"), [(b"y\n", 1), (b"\x04", 0)])
def test_who_sits_at_the_terminal_is_asked_whether_the_run_is_kept(tmp_path: Path, answer: bytes, kept: int) -> None:
    goal = 'Create a note titled "Milk" with the text "two bottles"'
    session = in_terminal(["run", goal, "--display", "plain", "-c", "safety=never-ask-in-simulation"], [], tmp_path, keep=answer)
    assert session.code == 0, session.shown
    assert session.shown.count(KEEP) == 1
    with KnowledgeStore(tmp_path / ".deskcrew" / "knowledge.sqlite") as store:
        assert len([one for one in store.list() if one.kind == "experience"]) == kept


def test_nobody_is_asked_without_a_terminal(tmp_path: Path) -> None:
    words = ["run", 'Create a note titled "Milk" with the text "two bottles"', "-c", "safety=never-ask-in-simulation"]
    done = python("-m", "deskcrew", *words, cwd=tmp_path, typed="y\n")
    assert done.returncode == 0, done.stderr
    assert "Keep these steps" not in done.stdout + done.stderr
    assert not (tmp_path / ".deskcrew").exists()
