#!/usr/bin/env python3
"""Kill a run with SIGKILL at every point where something is written, resume it, and compare with a run that nobody killed.

    scripts/kill_sweep.py                              every point of the invoice task
    scripts/kill_sweep.py --task TASK --sample 8 --seed 3
    scripts/kill_sweep.py --kind replan                a run of the table in docs/durability.md
    scripts/kill_sweep.py --all --sample 10            all of them
    scripts/kill_sweep.py --kind replan --at 7,9       two of its points
    scripts/kill_sweep.py --twice                      a second kill during the resume
    scripts/kill_sweep.py --random 20                  so many kills at random in one run
    scripts/kill_sweep.py --moments 50                 not at points, but at so many moments between them
    scripts/kill_sweep.py -c limits.check_every=2      with other settings
    scripts/kill_sweep.py --kind replan --write docs/durability.md

A point is an event of the journal, the moment before and after an action is performed, and the moment before and after a
checkpoint is put; of a browser, also the moments around the note that an action is begun and that it is ended. Each process of a
run is forked from one that has imported everything and knows nothing of the run; with --cold it is a Python of its own. Prints
one line per point that went wrong, and the totals; exit code 1 when anything did.
"""

from __future__ import annotations

import argparse
import random
import resource
import shlex
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from kill_kinds import KINDS, Work
from kill_process import Broken, Process, Worked, cold, forked, go_on, run, work_through
from kill_world import Difference, Result, around, difference, result_of

DEFAULT_TASK = "invoice-to-reimbursement"
TRIES = 8
"""Times that a run is worked for one point."""
BEGIN, END = "<!-- swept -->", "<!-- /swept -->"
HEAD = (
    "| run | killed | points | kills | effects repeated | effects lost | another end | command |",
    "| --- | --- | --- | --- | --- | --- | --- | --- |",
)


class Plan(NamedTuple):
    """How a run is killed."""

    at: frozenset[int] = frozenset()
    """Points by their numbers; all where there are none."""
    sample: int = 0
    seed: int = 0
    twice: bool = False
    random: int = 0
    moments: int = 0
    only: str = ""
    last: int = 0
    process: Callable[[Process], int] = forked


class Swept(NamedTuple):
    """What came of it."""

    manner: str
    points: int
    tried: int
    kills: int
    repeated: int
    lost: int
    wrong: int

    def row(self, name: str, command: str) -> str:
        cells = [f"{self.points:,}", f"{self.kills:,}", self.repeated, self.lost, self.wrong, f"`{command}`"]
        return f"| {name} | {self.manner} | {' | '.join(map(str, cells))} |"


@contextmanager
def runs_folder() -> Iterator[Path]:
    place = Path(tempfile.mkdtemp(prefix="kill-sweep-"))
    try:
        yield place
    finally:
        shutil.rmtree(place)


def worked(work: Work, fatal: Iterable[float], process: Callable[[Process], int]) -> tuple[Worked, Result]:
    """The run, killed so, and what it came to."""
    with runs_folder() as place:
        with around(work, place) as given:
            done = work_through(given, place, iter(fatal), process=process)
        return done, result_of(work, place)


def warm(work: Work) -> None:
    """Import and compile what a run needs, once for all processes that are forked from this one."""
    if work.served:
        import orchestrator.runs.runs  # noqa: F401  # its browser leaves threads, so it is not worked here
    else:
        with runs_folder() as place:
            go_on(Process(work._replace(later=False), place))
    if (left := threading.active_count()) > 1:
        raise SystemExit(f"{left - 1} threads are left, and a process with threads must not be forked; use --cold")


def ways(labels: list[str], plan: Plan, seconds: float) -> tuple[str, list[list[float]]]:
    """In words how the run is killed, and for each time where its processes die; a process takes so many seconds."""
    rng = random.Random(plan.seed)
    if plan.moments:
        return f"at {plan.moments} moments between points", [[rng.uniform(0.01, seconds)] for _ in range(plan.moments)]
    if plan.random:
        most = max(2, 2 * len(labels) // plan.random)
        return f"{plan.random} times at random", [[rng.randint(1, most) for _ in range(plan.random)]]
    chosen = [point for point, label in enumerate(labels, start=1) if plan.only in ("", label)][-plan.last :]
    if plan.at:
        chosen = [point for point in chosen if point in plan.at]
    whole = len(chosen)
    if plan.sample:
        chosen = sorted(rng.sample(chosen, min(plan.sample, whole)))
    found: list[list[float]] = [[point] for point in chosen]
    at = "every point" if len(chosen) == len(labels) else f"{len(chosen)} points"
    if plan.twice:
        return f"at {at}, and again during the resume", [[*fatal, rng.randint(1, 40)] for fatal in found]
    return f"at {at}", found


def sweep(name: str, work: Work, plan: Plan) -> Swept:
    """Kill the run in all those ways, and say what went wrong."""
    if plan.process is forked:
        warm(work)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    alone, expected = worked(work, (), plan.process)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) / len(alone.labels)
    labels = [label for process in alone.labels for label in process]
    manner, fatal = ways(labels, plan, seconds)
    swept = Swept(manner, len(labels), len(fatal), 0, 0, 0, 0)
    for done, points in enumerate(fatal, start=1):
        kills, unlike = killed(work, points, plan, expected)
        swept = swept._replace(
            kills=swept.kills + kills,
            repeated=swept.repeated + unlike.repeated,
            lost=swept.lost + unlike.lost,
            wrong=swept.wrong + bool(unlike),
        )
        if unlike:
            said = f"{unlike.repeated} effects repeated, {unlike.lost} lost; {unlike.other}"
            at = labels[min(int(sum(points)), len(labels)) - 1] if not plan.moments else "seconds"
            print(f"killed at {'+'.join(map(str, points))} ({at}): {said}", flush=True)
        if sys.stderr.isatty():
            print(f"\r{done}/{len(fatal)}", end="", file=sys.stderr, flush=True)
        elif not done % 10:
            print(f"{done}/{len(fatal)}", file=sys.stderr, flush=True)
    return swept


def killed(work: Work, points: list[float], plan: Plan, expected: Result) -> tuple[int, Difference]:
    """How often the run was killed, and how it is unlike the one that was not. Not every run in a browser passes as many points:
    one that ended before its own came is worked again."""
    for _ in range(TRIES):
        try:
            done, found = worked(work, points, plan.process)
        except Broken as bad:
            return 1, Difference(0, 0, str(bad))
        if done.kills or plan.moments:
            break
    return done.kills, difference(found, expected)


def write_row(path: Path, name: str, swept: Swept, command: str) -> None:
    """Put the row into the page's table, in the place of the one before it for the same run and the same manner."""
    before, _, rest = path.read_text(encoding="utf-8").partition(BEGIN)
    table, _, after = rest.partition(END)
    rows = {_slot(line): line for line in table.splitlines() if line.startswith("|") and line not in HEAD}
    row = swept.row(name, command)
    rows[_slot(row)] = row
    order = list(KINDS)
    lines = [*HEAD, *sorted(rows.values(), key=lambda line: (order.index(_cells(line)[0]), _slot(line)))]
    path.write_text(before + BEGIN + "\n" + "\n".join(lines) + "\n" + END + after, encoding="utf-8")


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|").split("|")]


def _slot(line: str) -> tuple[str, int]:
    """A page has a row for a run that is killed once, twice, and many times."""
    name, manner = _cells(line)[:2]
    marks = ("again", "at random", "moments")
    return name, next((n for n, mark in enumerate(marks, start=1) if mark in manner), 0)


def main() -> int:
    given = arguments()
    if given.child:
        work = Work(given.task[0], tuple(given.overrides), given.later, given.served, given.held)
        return run(Process(work, given.runs_dir, given.fatal, given.answering))
    if unknown := [name for name in given.kind if name not in KINDS]:
        raise SystemExit(f"there is no kind {unknown[0]!r}; the kinds are {', '.join(KINDS)}")
    if given.at.strip("0123456789,"):
        raise SystemExit(f"--at {given.at}: give numbers of points with commas between them, such as 7,9")
    at = frozenset(int(part) for part in given.at.split(",") if part)
    process = cold if given.cold else forked
    plan = Plan(at, given.sample, given.seed, given.twice, given.random, given.moments, given.only, given.last, process)
    wanted = {name: KINDS[name] for name in (KINDS if given.all else given.kind)}
    wanted = wanted or {task: Work(task) for task in given.task or [DEFAULT_TASK]}
    wrong = 0
    for name, kind in wanted.items():
        work = kind._replace(overrides=(*kind.overrides, *given.overrides))
        started = time.monotonic()
        swept = sweep(name, work, plan)
        wrong += swept.wrong
        print(
            f"{name}: killed {swept.manner} of {swept.points} points (seed {given.seed}): {swept.kills} kills, "
            f"{swept.repeated} effects repeated, {swept.lost} lost, {swept.wrong} went wrong "
            f"({time.monotonic() - started:.0f} s)",
            flush=True,
        )
        if given.write:
            write_row(given.write, name, swept, command_of(given, name))
    return 1 if wrong else 0


def command_of(given: argparse.Namespace, name: str) -> str:
    """What makes this row again."""
    named = {name: getattr(given, name) for name in ("at", "sample", "seed", "random", "moments")}
    said = [f"--{name} {value}" for name, value in named.items() if value]
    return " ".join(["scripts/kill_sweep.py", "--kind", shlex.quote(name), *(["--twice"] if given.twice else []), *said])


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--task", action="append", default=[], help="a task or a goal; several one after the other")
    parser.add_argument("--kind", action="append", default=[], help=f"one of {', '.join(KINDS)}")
    parser.add_argument("--all", action="store_true", help="every kind")
    parser.add_argument("--sample", type=int, default=0, help="so many points instead of all")
    parser.add_argument("--at", default="", metavar="N,N", help="these points, such as some that went wrong")
    parser.add_argument("--seed", type=int, default=0, help="of the sample")
    parser.add_argument("--twice", action="store_true", help="kill the resume as well")
    parser.add_argument("--random", type=int, default=0, metavar="N", help="N kills at random in one run, instead")
    parser.add_argument("--moments", type=int, default=0, metavar="N", help="N moments between points, instead")
    parser.add_argument("--only", default="", help="points of one kind: perform, put, or a kind of event")
    parser.add_argument("--last", type=int, default=0, help="only so many, from the end")
    parser.add_argument("--cold", action="store_true", help="start each process anew instead of forking it")
    parser.add_argument("--write", type=Path, metavar="PAGE", help="put the figures into the table of this page")
    parser.add_argument("-c", dest="overrides", action="append", default=[], metavar="KEY=VALUE", help="a setting of the run")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--later", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--answering", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--held", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--served", default="", help=argparse.SUPPRESS)
    parser.add_argument("--runs-dir", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--fatal", type=int, default=0, help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
