#!/usr/bin/env python3
"""Whether a run costs more the longer it is: one run of 10, 100, 1,000 and 10,000 actions.

    benchmarks/growth.py                    10, 100, 1,000 and 10,000 actions
    benchmarks/growth.py --actions 1000     up to so many
    benchmarks/growth.py --runs 5000        `ls` and the looks of the desk, with a tenth of so many runs, and with all
    benchmarks/growth.py --shown 10000      `show` and `view` of a run of a tenth of so many actions, and of so many
    benchmarks/growth.py --memory           the memory of one run, again and again while it goes on
    benchmarks/growth.py --pairs 12         the last windows of the longest run, each beside the window of a run of a hundred

The run is that of `benchmarks/overhead.py`: the crew fills a field again and again, with gates, checkpoints, the journal and the
world on disk, and every answer written down. CPU (of the process, not of the clock) and bytes are those of one action, over a
window of a hundred that ends at that action. SQLite writes a page into its log, and later, with many others, from there into the
file; at both ends of the window the logs are folded in, so that an action is charged with the whole way of what it wrote and
with nobody else's. The bytes of the files are those of the whole run by its actions. A run of each length is then taken up in a
fresh process, as `deskcrew resume` does it: open world, journal and checkpoints, see that they fit together, and read the state.

A machine that others use at the same time is quicker in one minute than in the next. With --pairs the two runs that are compared
wait for each other: a window of the long one, then at once one of a fresh run of a hundred actions, and the other way round. What
slows the one then slows the other, and the median of the ratios is of the runs and not of the minute.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import overhead

from orchestrator.core.controller import build_controller
from orchestrator.runs.replay.courses import noting
from orchestrator.runs.runs import refuse_damaged, refuse_unlike, unreadable
from orchestrator.store.checkpoints import CursorSaver
from roles.journal.events import FeedbackEvent
from roles.journal.journal import Event

LENGTHS = (10, 100, 1_000, 10_000)
CONFIG: Any = {"configurable": {"thread_id": "bench"}, "recursion_limit": 10**7}


class Row(NamedTuple):
    """One length of a run."""

    actions: int
    cpu_ms: float
    written_kB: float
    files_kB: float
    memory_MB: float
    resume_ms: float


class Meter(overhead.Meter):
    """Folds the logs of SQLite in at both ends of the window, before it looks."""

    def __init__(self, folder: Path, actions: int) -> None:
        super().__init__()
        self._folder = folder
        self._ends = (max(actions - overhead.WINDOW, overhead.FIRST), actions)
        self._seen: list[Any] = []

    def heard(self, event: Event) -> None:
        if event.kind == FeedbackEvent.KIND and event.step in self._ends:
            for path in self._folder.glob("*.sqlite"):
                with closing(sqlite3.connect(path)) as db:
                    db.execute("PRAGMA wal_checkpoint(PASSIVE)")
            self._seen.append(self._now())

    def of_an_action(self) -> tuple[float, float]:
        """CPU milliseconds and bytes."""
        (start, end), (first, last) = self._seen, self._ends
        return (end.cpu - start.cpu) * 1000 / (last - first), (end.written - start.written) / (last - first)


class Waiting(Meter):
    """Stands still at the start of each of its windows until a line comes in, and writes what the window cost."""

    def __init__(self, folder: Path, actions: int, windows: int) -> None:
        super().__init__(folder, actions)
        first = max(actions - windows * overhead.WINDOW, overhead.FIRST)
        self._starts = range(first, actions - 1, overhead.WINDOW)
        self._stops = {min(start + overhead.WINDOW, actions) for start in self._starts}

    def heard(self, event: Event) -> None:
        if event.kind != FeedbackEvent.KIND:
            return
        if event.step in self._stops:
            self._ends = (max(event.step - overhead.WINDOW, overhead.FIRST), event.step)
            super().heard(event)
            print(json.dumps(self.of_an_action()[0]), flush=True)
        if event.step in self._starts:
            print("ready", flush=True)
            sys.stdin.readline()
            self._seen, self._ends = [], (event.step, event.step)
            super().heard(event)


class Sampled(Meter):
    """Prints what the process has in memory, at each thousandth action and some before."""

    def heard(self, event: Event) -> None:
        super().heard(event)
        if event.kind == FeedbackEvent.KIND and (event.step in LENGTHS or event.step % 1_000 == 0):
            print(f"{event.step:>7,}{resident() / 1e6:>8.1f} MB", flush=True)


def run(folder: Path, actions: int, meter: Meter | None = None) -> tuple[float, float, float]:
    """Work a run of that length; CPU and bytes written of an action at its end, and the memory of the process then."""
    meter = meter or Meter(folder, actions)
    context = noting(overhead.make_context(folder, actions, meter))
    saver = CursorSaver(folder / "checkpoints.sqlite")
    memory: list[float] = []

    def heard(event: Event) -> None:
        meter.heard(event)
        if event.kind == FeedbackEvent.KIND and event.step == actions:
            memory.append(resident())

    context.journal._listener = heard
    result = build_controller(checkpointer=saver).invoke({"goal": "fill"}, CONFIG, context=context, durability="sync")
    if result["task_status"] != "fulfilled":
        raise SystemExit(f"the run did not end well: {result}")
    context.journal.close()
    context.environment.close()
    saver.close()
    cpu, written = meter.of_an_action()
    return cpu, written, memory[-1]


def resident() -> float:
    """Bytes of this process that are in memory."""
    return float(Path("/proc/self/statm").read_text().split()[1]) * 4096


def take_up(folder: Path, actions: int) -> float:
    """Seconds of the processor until a fresh process could go on; its imports are done by then."""
    started = time.process_time()
    refuse_damaged(folder, "bench")
    context = overhead.make_context(folder, actions, overhead.Meter())
    saver = CursorSaver(folder / "checkpoints.sqlite")
    graph = build_controller(checkpointer=saver)
    if why := unreadable(graph, CONFIG):
        raise SystemExit(why)
    refuse_unlike(graph.get_state(CONFIG, subgraphs=True), context, folder)
    context.environment.observe()
    return time.process_time() - started


def measure(actions: int, turns: int) -> Row:
    best: Row | None = None
    for _ in range(turns):
        with tempfile.TemporaryDirectory() as place:
            command = [sys.executable, __file__, "--one", str(actions), "--folder", place]
            cpu, written, memory = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
            size = sum(path.stat().st_size for path in Path(place).iterdir())
            again = [
                json.loads(subprocess.run([*command, "--again"], capture_output=True, text=True, check=True).stdout) for _ in "12"
            ]
        row = Row(actions, cpu, written / 1000, size / 1000 / actions, memory / 1e6, min(again) * 1000)
        if best is None or row.cpu_ms < best.cpu_ms:
            best = row
    assert best is not None
    return best


class Runner:
    """A run in a process of its own that waits before each window."""

    def __init__(self, actions: int, windows: int = 1) -> None:
        self._place = tempfile.TemporaryDirectory()
        command = [sys.executable, __file__, "--one", str(actions), "--folder", self._place.name, "--windows", str(windows)]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self._ready()

    def _ready(self) -> None:
        assert self._process.stdout is not None
        if self._process.stdout.readline().strip() != "ready":
            raise SystemExit("a run ended before its window")

    def window(self, *, last: bool) -> float:
        """CPU milliseconds of an action over the next window."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        cost = float(json.loads(self._process.stdout.readline()))
        if last:
            self._process.communicate()
            self._place.cleanup()
        else:
            self._ready()
        return cost


def paired(actions: int, pairs: int) -> list[tuple[float, float]]:
    """(short, long) of each pair; which of the two goes first changes from pair to pair."""
    long, found = Runner(actions, pairs), []
    for pair in range(pairs):
        short = Runner(overhead.WINDOW)
        last = pair == pairs - 1
        if pair % 2:
            later, first = long.window(last=last), short.window(last=True)
        else:
            first, later = short.window(last=True), long.window(last=last)
        found.append((first, later))
        print(f"{pair + 1:>3}  {first:6.2f} ms  {later:6.2f} ms  {later / first:5.2f}", flush=True)
    return found


def show_pairs(actions: int, pairs: int) -> None:
    print(f"an action of a run of {overhead.WINDOW}, one at the end of a run of {actions:,}, and the ratio")
    ratios = sorted(later / first for first, later in paired(actions, pairs))
    quarter = len(ratios) // 4
    middle = f"{ratios[quarter]:.2f} to {ratios[-1 - quarter]:.2f}"
    print(f"median {statistics.median(ratios):.2f}, the middle half {middle}, {pairs} pairs")


TASK = ("run", "add-to-a-note", "--display", "none", "-c", "safety={name: open, rules: [], otherwise: allow, min_confidence: 0}")


def finished(place: Path) -> Path:
    """A small run that has ended."""
    spent("-m", "deskcrew", *TASK, "--runs-dir", str(place))
    return next(path for path in place.iterdir() if path.is_dir())


MEASURED = """
import atexit, resource, runpy, sys
def tell():
    used, peak = resource.getrusage(resource.RUSAGE_SELF), open("/proc/self/status").read().split("VmHWM:")[1].split()[0]
    print(used.ru_utime + used.ru_stime, int(peak) / 1000, file=sys.stderr)
atexit.register(tell)
how, what, *sys.argv[1:] = sys.argv[1:]
runpy.run_module(what, run_name="__main__", alter_sys=True) if how == "-m" else exec(what)
"""
"""The largest memory is the process's own: what is told of it from outside is never less than that of whoever started it."""


def spent(*command: str) -> tuple[float, float]:
    """Seconds of the processor and megabytes that a fresh process takes for this."""
    done = subprocess.run([sys.executable, "-c", MEASURED, *command], capture_output=True, text=True, check=True)
    seconds, megabytes = done.stderr.splitlines()[-1].split()
    return float(seconds), float(megabytes)


LOOKS = """
import sys, time; from pathlib import Path; from orchestrator.desk.live import RunList
runs = RunList(Path(sys.argv[1]))
for _ in range(int(sys.argv[2])):
    runs.look(); runs.page("", "", 50, "")
"""


def show_runs(runs: int) -> None:
    print(f"{'runs':>7}{'ls s':>8}{'MB':>6}{'desk s':>9}{'MB':>6}{'again s':>9}")
    with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
        small, folder = finished(Path(first)), Path(second)
        record, report = (json.loads((small / name).read_text()) for name in ("run.json", "report.json"))
        for number in range(runs):
            copy = folder / f"{small.name[:-6]}{number:06d}"
            shutil.copytree(small, copy)
            (copy / "run.json").write_text(json.dumps(record | {"run_id": copy.name, "started": record["started"] + number}))
            (copy / "report.json").write_text(json.dumps(report | {"run_id": copy.name}))
            if number + 1 in (runs // 10, runs):
                ls, one, many = (
                    spent("-m", "deskcrew", "ls", "--runs-dir", second),
                    *(spent("-c", LOOKS, second, n) for n in "16"),
                )
                again = (many[0] - one[0]) / 5
                print(f"{number + 1:>7,}{ls[0]:>8.2f}{ls[1]:>6.0f}{one[0]:>9.2f}{one[1]:>6.0f}{again:>9.2f}", flush=True)


def show_shown(actions: int) -> None:
    print(f"{'actions':>8}{'show s':>8}{'MB':>6}{'view s':>8}{'MB':>6}{'page MB':>9}")
    with tempfile.TemporaryDirectory() as first:
        record = json.loads((finished(Path(first)) / "run.json").read_text())
    for length in (actions // 10, actions):
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place) / "long"
            folder.mkdir()
            subprocess.run(
                [sys.executable, __file__, "--one", str(length), "--folder", str(folder)], check=True, stdout=subprocess.DEVNULL
            )
            (folder / "run.json").write_text(json.dumps(record | {"run_id": "long"}))
            show, view = (spent("-m", "deskcrew", word, "long", "--runs-dir", place) for word in ("show", "view"))
            page = (folder / "view.html").stat().st_size / 1e6
            print(f"{length:>8,}{show[0]:>8.2f}{show[1]:>6.0f}{view[0]:>8.2f}{view[1]:>6.0f}{page:>9.1f}", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--actions", type=int, default=LENGTHS[-1], help="the longest run")
    parser.add_argument("--turns", type=int, default=1, help="the cheapest of so many counts")
    parser.add_argument("--pairs", type=int, default=0, help="compare the longest run with a short one instead, so many times")
    parser.add_argument("--runs", type=int, default=0, help="measure a folder of so many runs instead")
    parser.add_argument("--shown", type=int, default=0, help="measure what shows a run of so many actions instead")
    parser.add_argument("--memory", action="store_true", help="print the memory of the longest run while it goes on instead")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--windows", type=int, default=0, help=argparse.SUPPRESS)
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--again", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.windows:
        run(given.folder, given.one, Waiting(given.folder, given.one, given.windows))
        return 0
    if given.one:
        print(json.dumps(take_up(given.folder, given.one) if given.again else run(given.folder, given.one)))
        return 0
    if given.memory:
        with tempfile.TemporaryDirectory() as place:
            run(Path(place), given.actions, Sampled(Path(place), given.actions))
        return 0
    if given.runs or given.shown:
        show_runs(given.runs) if given.runs else show_shown(given.shown)
        return 0
    if given.pairs:
        show_pairs(given.actions, given.pairs)
        return 0
    rows = [measure(length, given.turns) for length in LENGTHS if length <= given.actions]
    if given.json:
        print(json.dumps([row._asdict() for row in rows]))
        return 0
    print("  ".join(f"{name:>11}" for name in Row._fields))
    for row in rows:
        print("  ".join(f"{value:>11,}" if isinstance(value, int) else f"{value:>11.2f}" for value in row))
    return 0


if __name__ == "__main__":
    sys.exit(main())
