"""What a machine does to a run: it stops in a clear sentence, with the right exit code, and goes on when that is over."""

import json
import os
import shutil
import socket
import sqlite3
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner
from warm import python
from worked.runs import claims

from deskcrew import Crew
from orchestrator.cli import app
from orchestrator.store.salvage import salvage

pytestmark = pytest.mark.slow("processes that are killed")

ROOT = Path(__file__).parents[3]
SUBMIT = 'In the reimbursement form, enter "$12.50" as the amount and submit the form'
PATIENCE = 240
"""Seconds for a process of a test; one that hangs is what is looked for."""


def ran(command: Sequence[str | Path], **more: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(part) for part in command], cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE, check=False, **more
    )


def deskcrew(*arguments: str | Path, **more: Any) -> subprocess.CompletedProcess[str]:
    return python("-m", "deskcrew", *arguments, "--display", "plain", cwd=ROOT, **more)


def waiting_run(runs: Path) -> str:
    """The name of a run that waits for approval."""
    assert deskcrew("run", SUBMIT, "--runs-dir", runs).returncode == 3
    return next(path.name for path in runs.iterdir())


def goes_on(runs: Path, name: str, *answer: str) -> None:
    """The run is resumed, does what is left once, and ends well."""
    done = deskcrew("resume", name, "--runs-dir", runs, *answer)
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(claims(runs / name)) == 1


DRIVER = """
import sys
from pathlib import Path
from deskcrew import Crew
from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.world.worldfile import load_world

folder, goal = Path(sys.argv[1]), sys.argv[2]

{body}

def crew(*overrides, **parts):
    return Crew.from_config(overrides=[f"runs_dir={{folder / 'runs'}}", "safety=never-ask-in-simulation", *overrides], **parts)

def ended(outcome):
    print(outcome.status, "|", outcome.reason)
    raise SystemExit(outcome.exit_code)

{end}
"""


def driven(folder: Path, body: str, end: str) -> subprocess.CompletedProcess[str]:
    """A program of its own that works a run through the Python API."""
    program = folder / "driver.py"
    program.write_text(DRIVER.format(body=textwrap.dedent(body), end=textwrap.dedent(end)), encoding="utf-8")
    return python(program, folder, SUBMIT, cwd=ROOT)


def the_run(folder: Path) -> str:
    return next(path.name for path in (folder / "runs").iterdir())


# --- a full disk ------------------------------------------------------------------------------------------------------

FILLING = """
def fill(event):
    if event.kind == "outcome" and not (folder / "filler").exists():
        with (folder / "filler").open("wb", buffering=0) as file:
            for size in (65536, 1024, 1):
                try:
                    while file.write(b"x" * size) == size:
                        pass
                except OSError:
                    pass
"""
LIMITING = """
import resource

def fill(event):
    if event.kind == "outcome":
        largest = max(path.stat().st_size for path in next((folder / "runs").iterdir()).iterdir())
        resource.setrlimit(resource.RLIMIT_FSIZE, (largest, resource.RLIM_INFINITY))
"""
STREAMING = """
from orchestrator.runs import runs
from orchestrator.settings.settings import load_settings
settings = load_settings((), [f"runs_dir={folder / 'runs'}", "safety=never-ask-in-simulation"])
ended(runs.start(settings, goal, listener=fill))
"""


def own_mounts() -> list[str]:
    """The words before a command that give it mounts of its own; skips where the kernel lets nobody have them."""
    for words in (["unshare", "-m"], ["unshare", "-rm"]):
        if shutil.which("unshare") and ran([*words, "sh", "-c", "mount -t tmpfs -o size=1m none /mnt"]).returncode == 0:
            return words
    pytest.skip("nobody but the machine's owner may mount here")


def test_a_disk_that_fills_up_stops_the_run_which_goes_on_when_there_is_room(tmp_path: Path) -> None:
    """On a real small file system: what fills it comes in the middle of the run."""
    words = own_mounts()
    (tmp_path / "disk").mkdir()
    (tmp_path / "driver.py").write_text(
        DRIVER.format(body=FILLING, end=STREAMING).replace("sys.argv[1]", repr(str(tmp_path / "disk"))), encoding="utf-8"
    )
    script = f"""
        mount -t tmpfs -o size=4m none {tmp_path}/disk
        {sys.executable} {tmp_path}/driver.py x '{SUBMIT}'; echo "FIRST $?"
        {sys.executable} -m deskcrew resume "$(ls {tmp_path}/disk/runs)" --runs-dir {tmp_path}/disk/runs; echo "FULL $?"
        rm {tmp_path}/disk/filler
        {sys.executable} -m deskcrew resume "$(ls {tmp_path}/disk/runs)" --runs-dir {tmp_path}/disk/runs; echo "AGAIN $?"
        cp -r {tmp_path}/disk/runs {tmp_path}/runs
    """
    here = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])}
    told = ran([*words, "sh", "-c", script], env=here)
    said = told.stdout + told.stderr
    assert "FIRST 1" in told.stdout, said
    assert "FULL 1" in told.stdout, said
    assert "AGAIN 0" in told.stdout, said
    assert said.count("There is no room left to write in") == 2
    assert "then continue with: deskcrew resume" in said
    assert "Traceback" not in said
    assert len(claims(tmp_path / "runs" / the_run(tmp_path))) == 1


def test_on_a_full_disk_nothing_is_called_damaged_or_set_aside(tmp_path: Path) -> None:
    """So little room that SQLite can open one file of the run and not the next."""
    words = own_mounts()
    (tmp_path / "disk").mkdir()
    name = waiting_run(tmp_path / "runs")
    resume = f"{sys.executable} -m deskcrew resume {name} --runs-dir {tmp_path}/disk/runs"
    script = f"""
        mount -t tmpfs -o size=8m none {tmp_path}/disk
        for left in 100 120; do
            rm -rf {tmp_path}/disk/runs; cp -r {tmp_path}/runs {tmp_path}/disk/runs
            free=$(df -k --output=avail {tmp_path}/disk | tail -1)
            head -c $(( (free - left) * 1024 )) /dev/zero > {tmp_path}/disk/filler
            {resume} --approve; echo "FULL $?"
            rm {tmp_path}/disk/filler
        done
        {resume} || {resume} --approve; echo "AGAIN $?"
        rm -r {tmp_path}/runs; cp -r {tmp_path}/disk/runs {tmp_path}/runs
    """
    told = ran([*words, "sh", "-c", script], env=os.environ | {"PYTHONPATH": str(ROOT)})
    said = told.stdout + told.stderr
    assert told.stdout.count("FULL 1") == 2, said
    assert "AGAIN 0" in told.stdout, said
    assert "damaged" not in said
    assert "Traceback" not in said
    assert len(claims(tmp_path / "runs" / name)) == 1


def test_a_file_that_may_not_grow_stops_the_run_in_the_same_way(tmp_path: Path) -> None:
    told = driven(tmp_path, LIMITING, STREAMING)
    assert told.returncode == 1, told.stdout + told.stderr
    assert "interrupted | " in told.stdout
    assert "There is no room left" in told.stdout or "The disk with" in told.stdout
    assert "Traceback" not in told.stderr
    goes_on(tmp_path / "runs", the_run(tmp_path))


# --- a folder that cannot be written ----------------------------------------------------------------------------------


def test_a_read_only_folder_is_said_and_nothing_of_the_run_is_lost(tmp_path: Path) -> None:
    """On a real mount that is read-only, since no mode keeps a superuser from writing."""
    words = own_mounts()
    name = waiting_run(tmp_path / "runs")
    before = {path.name: path.read_bytes() for path in (tmp_path / "runs" / name).iterdir()}
    script = f"""
        mount --bind {tmp_path}/runs {tmp_path}/runs && mount -o remount,ro,bind {tmp_path}/runs
        {sys.executable} -m deskcrew run '{SUBMIT}' --runs-dir {tmp_path}/runs; echo "NEW $?"
        {sys.executable} -m deskcrew resume {name} --approve --runs-dir {tmp_path}/runs; echo "OLD $?"
        {sys.executable} -m deskcrew show {name} --runs-dir {tmp_path}/runs; echo "SHOWN $?"
    """
    told = ran([*words, "sh", "-c", script])
    said = told.stdout + told.stderr
    assert "NEW 2" in told.stdout, said
    assert "OLD 2" in told.stdout, said
    assert "SHOWN 0" in told.stdout, said
    assert "cannot be made (Read-only file system); choose another with --runs-dir" in said
    assert f"{name} cannot be written, so the run cannot go on; make it writable" in said
    assert "Traceback" not in said
    assert {path.name: path.read_bytes() for path in (tmp_path / "runs" / name).iterdir()} == before
    goes_on(tmp_path / "runs", name, "--approve")


# --- a file that somebody else holds ----------------------------------------------------------------------------------

HOLDER = """
import sqlite3, sys
db = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=30)
db.execute("BEGIN EXCLUSIVE")
print("held", flush=True)
sys.stdin.readline()
"""
HELD_MEANWHILE = f"""
import sqlite3, subprocess
import protocol.sqlite

protocol.sqlite.Retries = lambda: protocol.retries.Retries(tries=2, wait=0.05)
patient = sqlite3.connect
def connect(path, *more, **given):
    'SQLite asks for a file that is held again and again, for five seconds: as much is seen in a half.'
    return patient(path, *more, **given) if more else patient(path, **{{**given, "timeout": 0.5}})
sqlite3.connect = connect

class Desk(SimulatedDesktop):
    'While it does its second action, another program takes a file of the run.'
    done = 0
    def perform(self, action, *, key):
        self.done += 1
        if self.done == 2:
            file = next(folder.rglob("HELD"))
            pipe = subprocess.PIPE
            self.holder = subprocess.Popen([sys.executable, "-c", {HOLDER!r}, file], stdin=pipe, stdout=pipe)
            self.holder.stdout.readline()
        return super().perform(action, key=key)
"""


def test_a_journal_that_another_program_holds_stops_the_run_before_it_is_taken_up(tmp_path: Path) -> None:
    name = waiting_run(tmp_path / "runs")
    journal = tmp_path / "runs" / name / "journal.sqlite"
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, journal], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout.readline() == "held\n"
        told = deskcrew("resume", name, "--approve", "--runs-dir", tmp_path / "runs")
        holder.communicate("\n")
    said = told.stdout + told.stderr
    assert told.returncode == 1, said
    assert "is held by another program (database is locked); close that program" in said
    assert f"deskcrew resume {name}" in said
    assert "Traceback" not in said
    goes_on(tmp_path / "runs", name, "--approve")


@pytest.mark.parametrize("file", ["journal.sqlite", "checkpoints.sqlite", "world.sqlite"])
def test_a_file_that_is_taken_in_the_middle_of_a_run_loses_nothing(tmp_path: Path, file: str) -> None:
    end = """
        desk = Desk(load_world("office"), store=folder / "world")
        outcome = crew("retries={tries: 2, wait: 0.05}", environment=desk).run(goal)
        desk.holder.communicate(b"\\n")
        ended(outcome)
    """
    told = driven(tmp_path, HELD_MEANWHILE.replace("HELD", file), end)
    assert told.returncode == 1, told.stdout + told.stderr
    assert "interrupted | A file in" in told.stdout
    assert "is held by another program" in told.stdout
    assert "database is locked); close that program; then continue with: deskcrew resume" in told.stdout
    name = the_run(tmp_path)
    end = f"ended(crew(environment=SimulatedDesktop(load_world('office'), store=folder / 'world')).resume({name!r}))"
    told = driven(tmp_path, "", end)
    assert told.returncode == 0, told.stdout + told.stderr
    assert len(claims(tmp_path / "world")) == 1
    with sqlite3.connect(tmp_path / "runs" / name / "journal.sqlite") as db:
        steps = [json.loads(body)["step"] for (body,) in db.execute("SELECT body FROM events WHERE kind = 'step' ORDER BY id")]
    assert steps == sorted(set(steps))


# --- what does not answer ---------------------------------------------------------------------------------------------

HANGING = """
import threading

class Desk(SimulatedDesktop):
    'An adapter that does not come back from its second action, ever: it is done or not, and nobody is told.'
    done = 0
    after = DONE
    def perform(self, action, *, key):
        self.done += 1
        if self.done != 2:
            return super().perform(action, key=key)
        if self.after:
            super().perform(action, key=key)
        threading.Event().wait()

class Adapter:
    'Not known to be a simulated desktop, so it is timed as any other.'
    def __init__(self, inner):
        self.inner, self.name = inner, 'adapter'
    def __getattr__(self, name):
        return getattr(self.inner, name)
"""
HUNG = """
ended(crew("limits.action_seconds=0.5", environment=Adapter(Desk(load_world("office"), store=folder / "world"))).run(goal))
"""


@pytest.mark.parametrize("after", [False, True], ids=["before it is done", "after it is done"])
def test_an_environment_that_hangs_stops_the_run_and_the_process_ends(tmp_path: Path, after: bool) -> None:
    told = driven(tmp_path, HANGING.replace("DONE", str(after)), HUNG)
    assert told.returncode == 1, told.stdout + told.stderr
    assert "interrupted | The environment adapter has not answered for 0.5 seconds" in told.stdout
    assert "limits.action_seconds" in told.stdout
    assert "then continue with: deskcrew resume" in told.stdout
    assert "Traceback" not in told.stderr
    name = the_run(tmp_path)
    outcomes = [e.body for e in salvage(tmp_path / "runs" / name / "journal.sqlite").events if e.kind == "outcome"]
    assert outcomes[-1]["exec_status"] == "timeout"
    assert "adapter did not answer within 0.5 seconds (limits.action_seconds)" in outcomes[-1]["error"]
    end = f"ended(crew(environment=SimulatedDesktop(load_world('office'), store=folder / 'world')).resume({name!r}))"
    told = driven(tmp_path, "", end)
    assert told.returncode == 0, told.stdout + told.stderr
    assert len(claims(tmp_path / "world")) == 1


def test_an_action_that_only_takes_long_is_a_timeout_that_is_got_over(tmp_path: Path) -> None:
    body = HANGING.replace("DONE", "True").replace("threading.Event().wait()", "threading.Event().wait(1.5)")
    told = driven(tmp_path, body, HUNG.replace("0.5", "1"))
    assert told.returncode == 0, told.stdout + told.stderr
    assert len(claims(tmp_path / "world")) == 1


# --- a model that never answers ---------------------------------------------------------------------------------------


@pytest.fixture
def silent() -> Iterator[str]:
    """A server that takes every connection, reads what is asked, and says nothing."""
    taken: list[socket.socket] = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def take() -> None:
            while True:
                try:
                    taken.append(server.accept()[0])
                except OSError:
                    return

        threading.Thread(target=take, daemon=True).start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}/"
        for connection in taken:
            connection.close()


ASKING = """
import urllib.request
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, ChatResult

class Model(BaseChatModel):
    'Asks a server over HTTP, and would wait for it as long as it takes.'
    url: str
    @property
    def _llm_type(self):
        return "asking"
    def _generate(self, messages, stop=None, run_manager=None, **more):
        with urllib.request.urlopen(self.url, data=b"{}") as answer:
            return ChatResult(generations=[ChatGeneration(message=AIMessage(content=answer.read().decode()))])
"""


def test_a_model_that_never_answers_stops_the_run_and_the_process_ends(tmp_path: Path, silent: str) -> None:
    model = "crew.model={name: given, timeout: 0.3, deadline: 5, structure: text}"
    told = ("crew.operator.policy=llm", model, "retries={tries: 2, wait: 0.01}")
    end = f"ended(crew(*{told!r}, model=Model(url={silent!r})).run(goal))"
    told = driven(tmp_path, ASKING, end)
    assert told.returncode == 1, told.stdout + told.stderr
    assert "interrupted | The operator cannot decide: given could not be asked: TimeoutError" in told.stdout
    assert "then continue with: deskcrew resume" in told.stdout
    assert "Traceback" not in told.stderr
    name = the_run(tmp_path)
    report = json.loads((tmp_path / "runs" / name / "report.json").read_text())
    assert (report["status"], report["models"]["operator"]["calls"]) == ("interrupted", 2)
    end = f"from roles.operator.rules import RulesOperator\nended(crew(operator=RulesOperator(), model=1).resume({name!r}))"
    told = driven(tmp_path, "", end.replace(", model=1", ""))
    assert told.returncode == 0, told.stdout + told.stderr
    assert len(claims(tmp_path / "runs" / name)) == 1


# --- a clock that goes backwards --------------------------------------------------------------------------------------


class Jumping:
    """A clock that is set back by a day, again and again."""

    def __init__(self) -> None:
        self.asked = 0

    def __call__(self) -> float:
        self.asked += 1
        return time.time() - 86_400.0 * (self.asked // 5)


def test_a_clock_that_is_set_back_changes_nothing_of_a_run(tmp_path: Path) -> None:
    crew = Crew.from_config(overrides=[f"runs_dir={json.dumps(str(tmp_path))}"], clock=Jumping())
    waiting = crew.run(SUBMIT)
    assert waiting.exit_code == 3, waiting.reason
    done = Crew.from_config(overrides=[f"runs_dir={json.dumps(str(tmp_path))}"], clock=lambda: 0.0).resume(
        waiting.run_id, {"decisions": [{"type": "approve"}]}
    )
    assert (done.exit_code, done.status) == (0, "fulfilled"), done.reason
    assert len(claims(done.folder)) == 1
    events = salvage(done.folder / "journal.sqlite").events
    assert [event.id for event in events] == list(range(1, len(events) + 1))
    assert min(event.at for event in events) < events[0].at, "it was set back"
    assert 0 < done.report["wall_seconds"] < 900
    assert done.report["budgets"]["limits.wall_seconds"]["share"] < 1
    checked = CliRunner().invoke(app, ["log", "validate", str(done.folder / "log.jsonl")])
    assert checked.exit_code == 0, checked.output
    for command in (["ls"], ["show", done.run_id]):
        shown = CliRunner().invoke(app, [*command, "--runs-dir", str(tmp_path)])
        assert shown.exit_code == 0, shown.output
