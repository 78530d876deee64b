"""What a machine does to a run: it stops in a clear sentence, with the right exit code, and goes on when that is over."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from worked.outage_runs import DRIVER, ROOT, SUBMIT, deskcrew, driven, goes_on, ran, the_run, waiting_run
from worked.runs import claims

pytestmark = pytest.mark.slow("processes that are killed")

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
