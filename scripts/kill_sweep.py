#!/usr/bin/env python3
"""Kill a run with SIGKILL at every point where something is written, resume it, and compare with a run that nobody killed.

    scripts/kill_sweep.py                              every point of the invoice task
    scripts/kill_sweep.py --task TASK --sample 8 --seed 3
    scripts/kill_sweep.py --twice                      a second kill during the resume

A point is an event of the journal, the moment before and after an action is performed, and the moment before and after a
checkpoint is put. Prints one line per point that went wrong, and the totals; exit code 1 when anything did.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

DEFAULT_TASK = "invoice-to-reimbursement"


class Counter:
    """Counts the points of this process and kills it at the one that was asked for."""

    def __init__(self, fatal: int) -> None:
        self.labels: list[str] = []
        self.fatal = fatal

    def heard(self, event: Any) -> None:
        self.tick(event.kind)

    def tick(self, label: str) -> None:
        self.labels.append(label)
        if len(self.labels) == self.fatal:
            os.kill(os.getpid(), signal.SIGKILL)

    def around(self, label: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def ticking(*args: Any, **kwargs: Any) -> Any:
            self.tick(label)
            result = function(*args, **kwargs)
            self.tick(label)
            return result

        return ticking


def child(task: str, runs_dir: Path, fatal: int) -> int:
    """One process of a run: start it, or go on with the run that is there. Approves whatever is asked."""
    from environments.simulated.desktop import SimulatedDesktop
    from orchestrator import runs
    from orchestrator.settings import load_settings
    from orchestrator.store import CursorSaver
    from orchestrator.tasks import Task, resolve_target

    counter = Counter(fatal)
    SimulatedDesktop.perform = counter.around("perform", SimulatedDesktop.perform)  # type: ignore[method-assign]
    CursorSaver.put = counter.around("put", CursorSaver.put)  # type: ignore[method-assign]

    def approve(request: dict[str, Any]) -> dict[str, Any]:
        return {"decisions": [{"type": "approve"}]}

    there = runs.list_runs(runs_dir)
    if there:
        outcome = runs.resume(there[0].run_id, runs_dir=runs_dir, listener=counter.heard, approver=approve)
    else:
        target = resolve_target(task)
        layer = target.layer() if isinstance(target, Task) else None
        settings = load_settings(overrides=[f"runs_dir={json.dumps(str(runs_dir))}"], task_layer=layer)
        outcome = runs.start(settings, target, listener=counter.heard, approver=approve)
    (runs_dir / "points").write_text(json.dumps(counter.labels))
    return outcome.exit_code


def spawn(task: str, runs_dir: Path, fatal: int) -> int:
    command = [sys.executable, __file__, "--child", "--task", task, "--runs-dir", str(runs_dir), "--fatal", str(fatal)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    if done.returncode not in (0, 1, 3, 4, -signal.SIGKILL):
        raise SystemExit(f"a run broke at point {fatal}:\n{done.stderr[-3000:]}")
    return done.returncode


def result(runs_dir: Path) -> dict[str, Any]:
    """What must be the same with and without kills: the world, what the environment received, and how the run ended."""
    from environments.simulated.desktop import SimulatedDesktop
    from environments.simulated.worldfile import load_world

    folder = next(path for path in runs_dir.iterdir() if (path / "report.json").exists())
    record = json.loads((folder / "run.json").read_text())
    desktop = SimulatedDesktop(load_world(record["settings"]["world"]), record["settings"]["seed"], folder)
    received = [{**item, "key": item["key"].partition("/")[2]} for item in desktop.received()]
    world = desktop.world()
    desktop.close()
    report = json.loads((folder / "report.json").read_text())
    steps = [(step["subtask"], step["action"]) for step in report["steps"]]
    return {"world": world, "received": received, "status": report["status"], "steps": steps}


def points_of(task: str) -> tuple[list[str], dict[str, Any]]:
    """The points of a whole run by what happens there, and what the run comes to."""
    runs_dir = Path(tempfile.mkdtemp(prefix="kill-sweep-"))
    try:
        spawn(task, runs_dir, 0)
        return json.loads((runs_dir / "points").read_text()), result(runs_dir)
    finally:
        shutil.rmtree(runs_dir)


def check(task: str, point: int, expected: dict[str, Any], again: int = 0) -> str:
    """Kill at `point` (and at `again` during the resume), then let it end. Returns what differs, or an empty string."""
    runs_dir = Path(tempfile.mkdtemp(prefix="kill-sweep-"))
    try:
        codes = [spawn(task, runs_dir, point)]
        if again:
            codes.append(spawn(task, runs_dir, again))
        if codes[-1] == -signal.SIGKILL:
            spawn(task, runs_dir, 0)
        found = result(runs_dir)
        return "; ".join(
            f"{key} differs: {found[key]!r:.600} instead of {expected[key]!r:.600}"
            for key in expected
            if found[key] != expected[key]
        )
    finally:
        shutil.rmtree(runs_dir)


def sweep(task: str, sample: int, seed: int, *, twice: bool, only: str = "", last: int = 0) -> int:
    labels, expected = points_of(task)
    rng = random.Random(seed)
    chosen = [point for point, label in enumerate(labels, start=1) if only in ("", label)][-last:]
    if sample:
        chosen = sorted(rng.sample(chosen, min(sample, len(chosen))))
    wrong = 0
    for done, point in enumerate(chosen, start=1):
        problem = check(task, point, expected, rng.randint(1, 40) if twice else 0)
        wrong += bool(problem)
        if problem:
            print(f"point {point}: {problem}", flush=True)
        elif sys.stderr.isatty():
            print(f"\r{done}/{len(chosen)}", end="", file=sys.stderr, flush=True)
    print(f"{task}: {len(chosen)} of {len(labels)} points killed (seed {seed}), {wrong} went wrong")
    return 1 if wrong else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--task", default=DEFAULT_TASK)
    parser.add_argument("--sample", type=int, default=0, help="so many points instead of all")
    parser.add_argument("--seed", type=int, default=0, help="of the sample")
    parser.add_argument("--twice", action="store_true", help="kill the resume as well")
    parser.add_argument("--only", default="", help="points of one kind: perform, put, or a kind of event")
    parser.add_argument("--last", type=int, default=0, help="only so many, from the end")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--runs-dir", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--fatal", type=int, default=0, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        return child(given.task, given.runs_dir, given.fatal)
    return sweep(given.task, given.sample, given.seed, twice=given.twice, only=given.only, last=given.last)


if __name__ == "__main__":
    sys.exit(main())
