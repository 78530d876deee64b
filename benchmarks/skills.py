#!/usr/bin/env python3
"""The same tasks by the window and by the applications' own functions, with rules: success, cleanliness, steps.

    benchmarks/skills.py                              the tasks below, seeds 0 and 1, each way
    benchmarks/skills.py --tasks 'mail-*' --seeds 7   some of the shipped tasks, on another seed
    benchmarks/skills.py --ways gui api --json        these ways; one JSON object

Every approval is given. A task counts as right where its judge says so, and as clean where nothing else was changed. A way is
`skills.prefer`; `api-only` is that with `skills.forbid: [gui]`.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from collections.abc import Sequence
from fnmatch import fnmatch
from typing import Any, NamedTuple

from orchestrator.runs.runs import start
from orchestrator.settings.layers import shipped_names
from orchestrator.settings.settings import load_settings
from orchestrator.tasks.tasks import Task, resolve_target

TASKS = (
    "total-into-a-note", "mail-the-total", "invoice-to-reimbursement", "claim-with-details", "due-date-into-a-file",
    "draft-not-sent", "add-to-a-note", "note-into-a-file", "pass-on-a-number", "reply-to-a-mail", "meeting-into-a-note",
    "overdue-sum-into-a-note", "largest-invoice-by-mail", "warm-the-living-room", "rename-a-report", "new-number-from-chat",
    "room-from-a-chat", "throw-away-mails", "answer-with-figures", "who-wrote-it",
)  # fmt: skip
WAYS = {
    "gui": ["skills.prefer=gui"],
    "api": ["skills.prefer=api"],
    "api-only": ["skills.prefer=api", "skills.forbid=[gui]"],
    "agent": ["skills.prefer=agent"],
}


class Row(NamedTuple):
    """How one run came out."""

    way: str
    task: str
    seed: int
    passed: bool
    clean: bool
    steps: int
    calls: int
    seconds: float
    why: str


def run(way: str, name: str, seed: int, folder: str) -> Row:
    task = resolve_target(name)
    assert isinstance(task, Task)
    begun = time.perf_counter()
    settings = load_settings((), [*WAYS[way], f"seed={seed}", "display=none", f"runs_dir={folder}"], task.layer())
    outcome = start(settings, task, approver=lambda request: {"decisions": [{"type": "approve"}]})
    judged: dict[str, Any] = outcome.report.get("judge") or {}
    steps = [step for step in outcome.report.get("steps", [])]
    calls = sum(step["action"]["action_type"] in {"call_api", "ask_in_app_agent"} for step in steps)
    passed, clean = bool(judged.get("passed")), bool(judged.get("clean", True))
    spent = time.perf_counter() - begun
    return Row(way, name, seed, passed, clean, int(judged.get("steps", len(steps))), calls, spent, outcome.reason[:200])


def summed(rows: Sequence[Row], ways: Sequence[str]) -> list[dict[str, Any]]:
    """A line for each way; steps are compared on the runs that came out right each way."""
    right = {(r.task, r.seed) for r in rows} - {(r.task, r.seed) for r in rows if r.way in {"gui", "api"} and not r.passed}
    lines = []
    for way in ways:
        mine = [r for r in rows if r.way == way]
        same = [r.steps for r in mine if (r.task, r.seed) in right and r.passed]
        lines.append(
            {
                "way": way,
                "runs": len(mine),
                "right": sum(r.passed for r in mine),
                "clean": sum(r.clean for r in mine),
                "with calls": sum(r.calls > 0 for r in mine),
                "median steps": statistics.median(same) if same else None,
                "steps": sum(same),
                "of runs": len(same),
            }
        )
    return lines


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--tasks", default="", help="a glob over the shipped tasks")
    options.add_argument("--seeds", default="0,1")
    options.add_argument("--ways", nargs="+", default=["gui", "api"], choices=list(WAYS))
    options.add_argument("--json", action="store_true")
    given = options.parse_args()
    names = [name for name in shipped_names("tasks") if fnmatch(name, given.tasks)] if given.tasks else TASKS
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            for seed in map(int, given.seeds.split(",")):
                for way in given.ways:
                    rows.append(row := run(way, name, seed, folder))
                    if not given.json:
                        said = "" if row.passed else f"  {row.why[:90]}"
                        came = "right" if row.passed else "wrong"
                        print(f"{name:28} {seed} {way:9} {came} {row.steps:3} steps, {row.calls} calls{said}", flush=True)
    lines = summed(rows, given.ways)
    if given.json:
        print(json.dumps({"rows": [row._asdict() for row in rows], "ways": lines}, indent=1))
        return
    for line in lines:
        print(", ".join(f"{name}: {value}" for name, value in line.items()))


if __name__ == "__main__":
    main()
