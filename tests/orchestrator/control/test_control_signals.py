"""Control with real processes: signals to the one that works, commands from another."""

import json
import signal
import subprocess
from contextlib import closing
from pathlib import Path

import pytest
from controlled import FORM, Started, events, started
from waiting import until
from warm import Forked, python

from orchestrator.control.channel import Channel
from orchestrator.control.lease import standing
from orchestrator.runs import folders, runs
from orchestrator.runs.folders import stored_report

pytestmark = pytest.mark.slow("processes that are killed")


def deskcrew(run: Started, *words: str) -> subprocess.CompletedProcess[str]:
    return python("-m", "deskcrew", *words, "--runs-dir", run.runs_dir)


def asking(run: Started, *words: str) -> subprocess.Popen[str]:
    """A command in its own process, while the crew is still halted."""
    return Forked(
        ["-m", "deskcrew", *words, "--wait", "90", "--runs-dir", str(run.runs_dir)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def last_step(run: Started) -> int:
    return max(event.step for event in events(run.folder, "outcome"))


def said_at_once(run: Started, part: str) -> None:
    """Wait for a line on the run's standard error."""
    stream = run.process.stderr
    assert stream is not None
    until(lambda: part in stream.readline(), part)


@pytest.mark.parametrize(("sign", "who"), [(signal.SIGTERM, "SIGTERM"), (signal.SIGINT, "Ctrl-C")])
def test_a_signal_drains_to_a_safe_point_and_it_is_said_how_to_go_on(tmp_path: Path, sign: signal.Signals, who: str) -> None:
    with started(tmp_path / "runs") as run:
        run.process.send_signal(sign)
        if sign == signal.SIGINT:
            said_at_once(run, "pausing before the next action; press Ctrl-C again to stop at once")
        run.go()
        code, out, err = run.end()
        assert code == 3, out + err
        assert f"deskcrew resume {run.run_id}" in out
        assert "Traceback" not in err
        assert last_step(run) == FORM - 2
        assert standing(run.folder, stored_report(run.folder))[:2] == ("paused", f"paused by {who}")
        done = runs.resume(run.run_id, runs_dir=run.runs_dir)
        assert done.exit_code == 0
        assert [e.step for e in events(run.folder, "outcome")] == [*range(1, done.report["counts"]["steps"] + 1)]


def test_ctrl_c_twice_stops_at_once_and_the_run_can_be_resumed(tmp_path: Path) -> None:
    with started(tmp_path / "runs") as run:
        run.process.send_signal(signal.SIGINT)
        said_at_once(run, "pausing")
        run.process.send_signal(signal.SIGINT)  # the crew is never let go on
        code, out, err = run.end()
        assert code == 130, out + err
        assert f"deskcrew resume {run.run_id}" in err
        assert "Traceback" not in err
        assert runs.resume(run.run_id, runs_dir=run.runs_dir).exit_code == 0


@pytest.mark.parametrize("wanted", ["pause", "takeover", "cancel"])
def test_a_crew_that_is_killed_before_it_hears_keeps_nobody_waiting(tmp_path: Path, wanted: str) -> None:
    with started(tmp_path / "runs") as run:
        ask = asking(run, wanted, run.run_id)
        until(lambda: ask.poll() is not None or _sent(run, wanted), "the request")
        run.process.send_signal(signal.SIGKILL)
        out, err = ask.communicate(timeout=90)
        assert ask.returncode == 0, out + err
        state = folders.list_runs(run.runs_dir)[0].status
        assert state == {"pause": "interrupted", "takeover": "taken_over", "cancel": "cancelled"}[wanted]
        assert last_step(run) == FORM - 2


def _sent(run: Started, kind: str) -> bool:
    with closing(Channel(run.folder)) as channel:
        return any(request.kind == kind for request in channel.look(0).requests)


def test_a_run_is_paused_steered_taken_over_and_handed_back_by_commands(tmp_path: Path) -> None:
    with started(tmp_path / "runs", FORM + 1) as run:
        listed = json.loads(deskcrew(run, "ls", "--json").stdout)
        assert listed[0]["status"] == "running"
        assert f"process {run.process.pid}" in listed[0]["reason"]
        refused = deskcrew(run, "resume", run.run_id)
        assert refused.returncode == 2
        assert f"process {run.process.pid}" in refused.stderr
        ask = asking(run, "pause", run.run_id, "--as", "anna")
        until(lambda: _sent(run, "pause"), "the request")
        run.go()
        assert run.end()[0] == 3
        out, err = ask.communicate(timeout=90)
        assert (ask.returncode, err) == (0, "")
        assert f"run {run.run_id} is paused by anna" in out
        assert f"deskcrew resume {run.run_id} --runs-dir {run.runs_dir}" in out

        noted = deskcrew(run, "steer", run.run_id, "do not submit it", "--as", "anna")
        assert noted.returncode == 0, noted.stderr
        assert "the crew receives it as soon as" in noted.stdout
        taken = deskcrew(run, "takeover", run.run_id, "--as", "anna", "--do", 'select "Travel" in "Category"')
        assert taken.returncode == 0, taken.stderr
        assert '✓ select "Travel" in "Category"' in taken.stdout
        assert f"deskcrew handback {run.run_id}" in taken.stdout
        wrong = deskcrew(run, "takeover", run.run_id, "--do", 'click "No such thing"')
        assert wrong.returncode == 1
        assert "✗" in wrong.stderr
        shown = deskcrew(run, "show", run.run_id).stdout
        assert "anna has taken over" in shown
        assert "(by hand)" in shown

        done = deskcrew(run, "handback", run.run_id, "--as", "anna", "--json")
        outcome = json.loads(done.stdout.splitlines()[-1])
        assert outcome["status"] == "fulfilled", done.stdout + done.stderr
        written = [event.body["line"] for event in events(run.folder, "outcome")]
        assert 'select "Travel" in "Category"' in written
        assert 'click "Submit"' not in written
        late = deskcrew(run, "cancel", run.run_id)
        assert late.returncode == 2
        assert "is finished (fulfilled)" in late.stderr
