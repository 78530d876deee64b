#!/usr/bin/env python3
"""Let many processes work the runs of one store at once, and see whether anything was lost, done twice or refused rudely.

    scripts/one_store.py                            8 processes, 200 runs in one folder
    scripts/one_store.py --processes 4 --runs 24

The processes first start the runs side by side, each of which then waits for an approval. Then every process goes through all of
the runs in an order of its own, lists and shows them, and answers each that it can get. A run that another process works, or that
is finished, is refused to it in a sentence; anything else that is said counts as wrong. Prints what was counted; exit code 1 when
a run has not ended well, an event is missing, an effect is not there exactly once, or a process said anything else.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import sqlite3
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from kill_kinds import SUBMIT
from kill_process import APPROVE, leave

_POLITE = re.compile(r"^Run \S+ (is worked by .+; stop it there first|is finished)")
Job = Callable[[int], dict[str, Any]]


def side_by_side(processes: int, place: Path, job: Job) -> list[dict[str, Any]]:
    """Do the job in so many copies of this process at once, and return what each came to."""
    pids = []
    for number in range(processes):
        pid = os.fork()
        if pid == 0:
            code = 1
            try:
                (place / f"{number}.json").write_text(json.dumps(job(number)))
                code = 0
            finally:
                leave(code)
        pids.append(pid)
    codes = [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in pids]
    if any(codes):
        raise SystemExit(f"processes ended with {codes}; what they said stands above")
    return [json.loads((place / f"{number}.json").read_text()) for number in range(processes)]


def starting(runs_dir: Path, shares: list[int]) -> Job:
    """Start a share of the runs; each waits for an approval in the end."""

    def job(number: int) -> dict[str, Any]:
        from orchestrator.runs import runs
        from orchestrator.runs.outcome import WAITING
        from orchestrator.settings.settings import load_settings

        loaded = load_settings(overrides=[f"runs_dir={json.dumps(str(runs_dir))}"])
        codes = [runs.start(loaded, SUBMIT).exit_code for _ in range(shares[number])]
        return {"waiting": codes.count(WAITING)}

    return job


def answering(runs_dir: Path) -> Job:
    """Go through all runs until each has ended, and answer what can be had."""

    def job(number: int) -> dict[str, Any]:
        from deskcrew import UsageProblem
        from orchestrator.runs import runs
        from orchestrator.runs.folders import list_runs, show_run

        rng = random.Random(number)
        worked, refused, rude = [], 0, []
        left = [info.run_id for info in list_runs(runs_dir)]
        while left:
            rng.shuffle(left)
            for name in left:
                try:
                    worked.append((name, runs.resume(name, runs_dir=runs_dir, answer=APPROVE).exit_code))
                except UsageProblem as no:
                    refused += 1
                    if not _POLITE.match(str(no)):
                        rude.append(str(no))
                notes = show_run(name, runs_dir).notes
                rude += notes
            left = [info.run_id for info in list_runs(runs_dir) if info.waiting or info.status not in _ENDED]
            if len(rude) > 20:
                break
        return {"worked": worked, "refused": refused, "rude": rude}

    return job


_ENDED = {"fulfilled", "rejected"}


def looked_at(folder: Path) -> tuple[str, int, int, int]:
    """How a run ended, its events, how many of those are missing, and how often it was said that it is finished."""
    report = json.loads((folder / "report.json").read_text())
    kinds = _kinds(folder)
    missing = max(kinds) - len(kinds)
    return report["status"], len(kinds), missing, Counter(kinds.values())["run_finished"]


def _kinds(folder: Path) -> dict[int, str]:
    """The kind of each event by its number."""
    with closing(sqlite3.connect(folder / "journal.sqlite")) as db:
        return dict(db.execute("SELECT id, kind FROM events"))


def received(folder: Path) -> list[str]:
    """What reached the run's world, without the run's own name."""
    from environments.simulated.desktop import SimulatedDesktop
    from environments.simulated.world.worldfile import load_world

    record = json.loads((folder / "run.json").read_text())
    desktop = SimulatedDesktop(load_world(record["settings"]["world"]), record["settings"]["seed"], folder)
    try:
        return [json.dumps([item["key"].partition("/")[2], item["action"]]) for item in desktop.received()]
    finally:
        desktop.close()


def judge(runs_dir: Path, answers: list[dict[str, Any]]) -> list[str]:
    """Everything that is not as it should be, and the counts on standard output."""
    folders = sorted(path.parent for path in runs_dir.glob("*/run.json"))
    worked = Counter(name for answer in answers for name, _ in answer["worked"])
    expected = received(folders[0])
    wrong = [said for answer in answers for said in answer["rude"]]
    events = 0
    for folder in folders:
        status, count, missing, finished = looked_at(folder)
        events += count
        did = received(folder)
        for problem, is_so in (
            (f"ended as {status}", status != "fulfilled"),
            (f"lacks {missing} events", missing != 0),
            (f"was finished {finished} times", finished != 1),
            (f"was answered by {worked[folder.name]} processes", worked[folder.name] != 1),
            (f"did {len(did)} things instead of {len(expected)}", did != expected),
        ):
            if is_so:
                wrong.append(f"{folder.name} {problem}")
    refused = sum(answer["refused"] for answer in answers)
    print(f"{len(folders)} runs, {events:,} events, {refused:,} times refused: another process had the run, or had ended it")
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--processes", type=int, default=8)
    parser.add_argument("--runs", type=int, default=200)
    given = parser.parse_args()
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="one-store-") as place:
        runs_dir = Path(place) / "runs"
        runs_dir.mkdir()
        shares = [len(range(n, given.runs, given.processes)) for n in range(given.processes)]
        import orchestrator.runs.runs  # noqa: F401  # once for all processes

        began = side_by_side(given.processes, Path(place), starting(runs_dir, shares))
        wrong = [] if sum(b["waiting"] for b in began) == given.runs else ["not every run came to its approval"]
        answers = side_by_side(given.processes, Path(place), answering(runs_dir))
        wrong += judge(runs_dir, answers)
    for problem in wrong[:20]:
        print(problem)
    print(f"{given.processes} processes: {len(wrong)} things went wrong ({time.monotonic() - started:.0f} s)")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
