#!/usr/bin/env python3
"""The same work one subtask after the other and side by side: simulated seconds of both, and whether the apps end the same.

    benchmarks/parallel.py              shipped tasks with independent parts, and four errands that do not wait for each other
    benchmarks/parallel.py --most 4     up to four at once
    benchmarks/parallel.py --json       one JSON object

Everything is worked by rules on the simulated desktop, so the numbers are the same on every machine.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.world.worldfile import load_world
from orchestrator.runs.runs import start
from orchestrator.settings.settings import load_settings, shipped
from orchestrator.store.salvage import salvage
from orchestrator.tasks.tasks import Task, load_task
from roles.contracts import PlanAnswer, Subtask
from roles.journal.events import ConflictEvent
from roles.policies.scripted import ManagerScript, ScriptedManager

TASKS = ("claim-two-invoices", "prepare-the-payment")
ERRANDS = {
    "notes": 'Create a "note" with title "Shopping" with text "milk and eggs".',
    "contacts": 'Create a "contact" with title "Ada Byron".',
    "calendar": 'Create a "event" with title "Review".',
    "reimbursement": 'Enter "Acme" into the field "vendor". Enter "$5.00" into the field "amount". Submit the "form".',
}


class Row(NamedTuple):
    """One piece of work with so many lanes."""

    work: str
    lanes: int
    status: str
    steps: int
    conflicts: int
    seconds: float
    """On the simulated clock."""
    same: bool
    """The apps ended as in series."""
    ratio: float
    """Of the seconds in series."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--most", type=int, default=3, help="lanes at most")
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    rows = [row for work in (*TASKS, "four errands") for row in measured(work, asked.most)]
    if asked.json:
        print(json.dumps([row._asdict() for row in rows]))
        return
    print("| work | lanes | status | steps | conflicts | simulated seconds | of the time in series | same apps |")
    print("|---|---|---|---|---|---|---|---|")
    for row in rows:
        same = "yes" if row.same else "no"
        cells = (row.work, row.lanes, row.status, row.steps, row.conflicts, f"{row.seconds:g}", f"{row.ratio:.2f}", same)
        print("| " + " | ".join(map(str, cells)) + " |")


def measured(work: str, most: int) -> list[Row]:
    rows: list[Row] = []
    series: tuple[dict[str, str], float] | None = None
    for lanes in range(1, most + 1):
        with tempfile.TemporaryDirectory() as folder:
            status, steps, conflicts, hashes, seconds = _run(work, lanes, Path(folder))
        series = series or (hashes, seconds)
        rows.append(Row(work, lanes, status, steps, conflicts, seconds, hashes == series[0], seconds / series[1]))
    return rows


def _run(work: str, lanes: int, folder: Path) -> tuple[str, int, int, dict[str, str], float]:
    overrides = [f"runs_dir={folder}", f"limits.parallel={lanes}"]
    target: Task | str = work
    parts: dict[str, Any] = {}
    if work in TASKS:
        task = load_task(shipped("tasks", f"{work}.yaml"))
        target, loaded = task, load_settings((), overrides, task.layer())
    else:
        loaded = load_settings((), [*overrides, "world=company"])
        subtasks = tuple(Subtask(id=app, title=text[:60], instruction=text, app=app) for app, text in ERRANDS.items())
        parts["manager"] = ScriptedManager(ManagerScript(plans=(PlanAnswer(outcome="planned", subtasks=subtasks),)))
    outcome = start(loaded, target, parts=parts, approver=lambda request: {"decisions": [{"type": "approve"}]})
    desk = SimulatedDesktop(load_world(loaded.settings.world), loaded.settings.seed, outcome.folder)
    hashes = {app: found for app, found in desk.hashes().items() if app != "desk"}
    seconds = desk.observe().timestamp or 0.0
    desk.close()
    conflicts = sum(event.kind == ConflictEvent.KIND for event in salvage(outcome.folder / "journal.sqlite").events)
    return outcome.status, len(outcome.report["steps"]), conflicts, hashes, seconds


if __name__ == "__main__":
    main()
