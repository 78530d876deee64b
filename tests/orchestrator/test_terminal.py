"""The command in a real terminal: the live view, the question, and an answer typed by a person."""

from __future__ import annotations

import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

import pytest

TASK = "invoice-to-reimbursement"
PROMPT = "[a]pprove"
INTERRUPT = b"\x03"


class Session(NamedTuple):
    """What a terminal showed, and the exit code."""

    shown: str
    code: int


def in_terminal(words: list[str], typed: list[bytes], folder: Path, *, columns: int = 100, **environment: str) -> Session:
    """Run the command on a pseudo terminal and type each answer when the prompt comes."""
    ours, theirs = pty.openpty()
    settings = {"TERM": "xterm-256color", "COLUMNS": str(columns), "LINES": "40", **environment}
    inherited = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    process = subprocess.Popen(
        [sys.executable, "-m", "orchestrator.cli", *words],
        cwd=folder, stdin=theirs, stdout=theirs, stderr=theirs, env={**inherited, **settings}, start_new_session=True,
    )  # fmt: skip
    os.close(theirs)
    shown, answered = "", 0
    deadline, again = time.monotonic() + 90, float("inf")
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
            if answered < len(typed) and shown.count(PROMPT) > answered:
                if typed[answered] == INTERRUPT:
                    process.send_signal(signal.SIGINT)
                    again = time.monotonic() + 5
                else:
                    os.write(ours, typed[answered])
                answered += 1
        elif process.poll() is not None:
            break
    try:
        return Session(shown, process.wait(timeout=30))
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


def test_enter_alone_rejects(tmp_path: Path) -> None:
    session = in_terminal(["run", TASK], [b"\n\n"], tmp_path)
    assert "reject" in plain(session.shown)
    assert "✓  fulfilled" not in plain(session.shown)
    assert session.code != 0


def test_end_of_input_leaves_the_run_waiting(tmp_path: Path) -> None:
    session = in_terminal(["run", TASK], [b"\x04"], tmp_path)
    assert session.code == 3
    assert "--approve" in plain(session.shown)


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
