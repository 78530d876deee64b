#!/usr/bin/env python3
"""Kill processes of runs with SIGKILL at random moments, and count what they leave: processes, locks, files.

    scripts/left_behind.py                           five kills of each kind of run
    scripts/left_behind.py --kind 'browser world' --kills 10 --seed 2

Each process is a Python of its own with a temporary folder of its own. Whatever it started becomes a child of this script when it
is killed, so nothing that stays is overlooked. Counted are processes that are there five seconds after the kill; locks that hold
the run; and files and folders outside of the run (in the temporary folder, among the runs) and half-written ones in it: after the
kill, and once more after the run was resumed to its end, or begun anew where the kill left no run. Exit code 1 when anything is
there at the second count.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import random
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from kill_kinds import KINDS, Work
from kill_world import around

_SUBREAPER = 36
_SETTLES = 5.0
"""Seconds after a kill in which the kernel and the pipes end what depended on who was killed."""
_LONGEST = 300.0
HEAD = "| run | killed in mid-run | processes | locks | files | processes after the resume | locks | files | command |"
SCRIPT = "technician script"
RUNS = {name: KINDS[name] for name in ("replan", SCRIPT, "browser world")}


class Left(NamedTuple):
    """What is there."""

    processes: list[str]
    locks: list[str]
    files: list[str]

    def also(self, other: Left) -> Left:
        return Left(*(mine + theirs for mine, theirs in zip(self, other, strict=True)))


NOTHING = Left([], [], [])


def one(work: Work, seconds: float, place: Path) -> tuple[bool, Left, Left]:
    """Kill a process of this run so long after it has a folder: whether at work, what was left before a resume and after."""
    runs_dir, temporary = place / "runs", place / "tmp"
    for folder in (runs_dir, temporary):
        folder.mkdir()
    with around(work, place) as given:
        served = set(descendants())
        process = started(given, runs_dir, temporary)
        while process.poll() is None and not any(path.is_dir() for path in runs_dir.iterdir()):
            time.sleep(0.02)  # it imports what a crew needs, and has nothing yet that it could leave
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.kill()
        midway = process.wait() == -signal.SIGKILL
        before = left(runs_dir, temporary, served)
        done = started(given, runs_dir, temporary)
        if (code := done.wait(_LONGEST)) != 0:
            raise SystemExit(f"the run of {work.task!r} ended with {code}:\n{(place / 'said').read_text()[-3000:]}")
        return midway, before, left(runs_dir, temporary, served)


def started(work: Work, runs_dir: Path, temporary: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, str(Path(__file__).with_name("kill_sweep.py")), "--child", "--task", work.task]
    command += ["--runs-dir", str(runs_dir), *(["--served", work.served] if work.served else [])]
    command += [part for override in work.overrides for part in ("-c", override)]
    with (runs_dir.parent / "said").open("ab") as said:
        return subprocess.Popen(command, stdout=said, stderr=said, env={**os.environ, "TMPDIR": str(temporary)})


def left(runs_dir: Path, temporary: Path, others: set[int]) -> Left:
    """What is there now, once it has settled."""
    deadline = time.monotonic() + _SETTLES
    while set(descendants()) - others and time.monotonic() < deadline:
        time.sleep(0.1)
    return Left([named(pid) for pid in descendants() if pid not in others], locks(runs_dir), files(runs_dir, temporary))


def descendants() -> Iterator[int]:
    """Living processes below this one; dead ones are cleared away."""
    waiting = [os.getpid()]
    while waiting:
        pid = waiting.pop()
        for tasks in Path(f"/proc/{pid}/task").glob("*/children"):
            try:
                children = [int(child) for child in tasks.read_text().split()]
            except OSError:
                continue
            for child in children:
                if status(child) == "Z":
                    reap(child)
                elif status(child):
                    waiting.append(child)
                    yield child


def status(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()[0]
    except OSError:
        return ""


def reap(pid: int) -> None:
    try:
        os.waitpid(pid, os.WNOHANG)
    except ChildProcessError:
        return


def named(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return str(pid)


def locks(runs_dir: Path) -> list[str]:
    """Runs that are held by a process that lives."""
    from orchestrator.control.channel import holder_of
    from orchestrator.control.lease import works

    return [path.parent.name for path in runs_dir.glob("*/control.sqlite") if works(holder_of(path.parent))]


def files(runs_dir: Path, temporary: Path) -> list[str]:
    """What is in no run, and what is half written in one."""
    runs = {path.parent for path in runs_dir.glob("*/run.json")}
    stray = [path for path in (*temporary.iterdir(), *runs_dir.iterdir()) if path not in runs and path.name != "points"]
    return [path.name for path in (*stray, *(path for run in runs for path in run.glob("*.part")))]


def counted(name: str, kills: int, seed: int, within: float) -> tuple[str, bool]:
    """A row of the table, and whether anything stayed."""
    work, rng = RUNS[name], random.Random(seed)
    longest = within or undisturbed(work)
    midway, before, after = 0, NOTHING, NOTHING
    for _ in range(kills):
        with tempfile.TemporaryDirectory(prefix="left-behind-") as place:
            killed, first, last = one(work, rng.uniform(0.2, longest), Path(place))
        midway, before, after = midway + killed, before.also(first), after.also(last)
    bound = f" --within {within:g}" if within else ""
    command = f"`scripts/left_behind.py --kind {shlex.quote(name)} --kills {kills} --seed {seed}{bound}`"
    cells = [name, midway, *map(told, (*before, *after)), command]
    return f"| {' | '.join(map(str, cells))} |", any(after)


def undisturbed(work: Work) -> float:
    begun = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="left-behind-") as place:
        one(work, _LONGEST, Path(place))
    return (time.monotonic() - begun) / 2  # two processes, of which the second finds that all is done


def told(found: list[str]) -> str:
    """How much, and what."""
    return f"{len(found)} ({', '.join(sorted(set(found)))})" if found else "0"


def main() -> int:
    given = arguments()
    if unknown := [name for name in given.kind if name not in RUNS]:
        raise SystemExit(f"there is no kind {unknown[0]!r}; the kinds are {', '.join(RUNS)}")
    ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)
    print(HEAD, "| --- " * HEAD[1:].count("|") + "|", sep="\n")
    rows = []
    for name in given.kind or RUNS:
        rows.append(counted(name, given.kills, given.seed, given.within))
        print(rows[-1][0], flush=True)
    return 1 if any(stayed for _, stayed in rows) else 0


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kind", action="append", default=[], help=f"one of {', '.join(RUNS)}")
    parser.add_argument("--kills", type=int, default=5, help="of each kind")
    parser.add_argument("--seed", type=int, default=0, help="of the moments")
    parser.add_argument("--within", type=float, default=0.0, help="seconds, where not the time that the run takes by itself")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
