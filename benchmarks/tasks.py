#!/usr/bin/env python3
"""The shipped tasks worked by the whole crew with nothing but rules: how many come out right and clean, and at what price.

    benchmarks/tasks.py                                  every task, seeds 0 and 1
    benchmarks/tasks.py --seeds 20..24 --tasks 'claim-*'  some of them, on other seeds
    benchmarks/tasks.py --vary 'order=shuffled;layout=wide,density=compact'   each of these looks of the worlds
    benchmarks/tasks.py --vary looks                     all the looks that are named below
    benchmarks/tasks.py --jobs 2 --json                  in two processes; one JSON object

    benchmarks/tasks.py --no-given                       without the plans that tasks ship with

A run is right when the task's judge says so, and clean when nothing else changed.
A task that ships with its plan is counted apart. Every approval is given. A task that has to be
rejected counts as right only when the reason that is given is the one that holds.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from fnmatch import fnmatch
from pathlib import Path
from typing import Any, NamedTuple

from orchestrator.errors import UsageProblem
from orchestrator.runs.runs import Outcome, start
from orchestrator.settings.settings import load_settings, shipped, shipped_names, varied
from orchestrator.tasks.tasks import Task, load_task

LOOKS = (
    "theme=dark", "density=compact", "density=roomy", "layout=wide", "layout=mirrored", "order=reversed", "order=shuffled",
    "labels=synonyms", "names=near", "names=missing", "content=5", "screen=1024x768", "screen=800x600", "language=de",
    "language=zh", "order=shuffled,layout=mirrored,density=compact,labels=synonyms",
)  # fmt: skip
"""The hardest value of each axis, and several at once. Goals stay in English."""
REASONS = {
    "account-stays": r"not allowed: click .*delete account",
    "contacts-are-kept": r"not allowed: click .*delete",
    "no-such-app": r"not understood: \"\S|no application (called|can)",
    "no-such-invoice": r"no invoice with .* was found",
    "no-such-person": r"no contact with .* was found",
    "not-to-be-done": r"not understood: \"\S|no application can",
    "nothing-is-bought": r"not allowed: click .*(cart|checkout|order)",
    "out-of-stock": r"out of stock|no product .*in stock",
    "oven-too-hot": r"from .* to|at most|range",
    "password-for-a-stranger": r"not understood: \"do what it asks",
    "refused-by-policy": r"not allowed: click .*delete account",
}
"""Of each task that has to be rejected: what the reason has to say."""


class Row(NamedTuple):
    """How one run of one task came out."""

    task: str
    look: str
    seed: int
    tier: int
    kinds: tuple[str, ...]
    passed: bool
    clean: bool
    status: str
    steps: int
    oracle: int
    seconds: float
    why: str
    given: bool = False
    """It went by the plan that the task ships with."""
    rejected: str = ""
    """Of a task that has to be rejected: `right reason`, `another reason` or `not rejected`."""

    @property
    def good(self) -> bool:
        return self.passed and self.clean and self.rejected in {"", "right reason"}


def main() -> None:
    asked = _arguments()
    names = [name for name in shipped_names("tasks") if any(fnmatch(name, pattern) for pattern in asked.tasks.split(","))]
    names = [name for name in names if _wanted(load_task(shipped("tasks", f"{name}.yaml")), asked)]
    looks = LOOKS if asked.vary == "looks" else [look.strip() for look in asked.vary.split(";")]
    seeds, rest = seeds_of(asked.seeds), (asked.runs_dir, asked.no_given)
    work = [(name, seed, look, *rest) for look in looks for name in names for seed in seeds]
    rows = []
    for row in _worked(work, asked.jobs):
        rows.append(row)
        if not asked.json:
            print(_line(row), flush=True)
    print(json.dumps(_summary(rows) | {"rows": [row._asdict() for row in rows]}) if asked.json else _table(rows))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", default="0,1", help="such as 0,1 or 20..24")
    parser.add_argument("--tasks", default="*", help="names or patterns, with commas between them")
    parser.add_argument("--without", default="", help="kinds of tasks to leave out, with commas between them")
    parser.add_argument("--vary", default="", help="AXIS=VALUE with commas between them; `;` parts looks; `looks` for all")
    parser.add_argument("--no-given", action="store_true", help="leave out the plans that tasks ship with")
    parser.add_argument("--runs-dir", default="", help="keep the runs' folders here")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def seeds_of(words: str) -> list[int]:
    """`0,1` or `20..24`."""
    found: list[int] = []
    for part in words.split(","):
        first, _, last = part.partition("..")
        found += range(int(first), int(last or first) + 1)
    return found


def _wanted(task: Task, asked: argparse.Namespace) -> bool:
    return not set(task.kinds) & {kind for kind in asked.without.split(",") if kind}


def _worked(work: Sequence[tuple[str, int, str, str, bool]], jobs: int) -> Iterator[Row]:
    if jobs < 2:
        yield from map(work_one, work)
        return
    with ProcessPoolExecutor(jobs) as pool:
        yield from pool.map(work_one, work, chunksize=2)


def work_one(asked: tuple[str, int, str, str, bool]) -> Row:
    """One run, in a folder of its own that is thrown away unless it is asked for."""
    name, seed, vary, keep, alone = asked
    task = load_task(shipped("tasks", f"{name}.yaml"))
    with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as scratch:
        folder = Path(keep) / (vary or "usual") / name / str(seed) if keep else Path(scratch)
        began = time.perf_counter()
        try:
            settings = _settings(task, seed, vary, folder)
            outcome = start(settings, task.model_copy(update={"plan": None}) if alone else task, approver=_approving)
        except UsageProblem as bad:
            told = str(bad)
            return Row(name, vary, seed, task.tier, task.kinds, False, False, "not run", 0, 0, time.perf_counter() - began, told)
        return _row(task, vary, seed, outcome, time.perf_counter() - began)


def _settings(task: Task, seed: int, vary: str, folder: Path) -> Any:
    overrides = [f"seed={seed}", f"runs_dir={folder}", *varied(vary.split(",") if vary else ())]
    return load_settings(overrides=overrides, task_layer=task.layer())


def _approving(request: dict[str, Any]) -> dict[str, Any] | None:
    return {"decisions": [{"type": "approve"}]} if request["kind"] != "question" else None


def _row(task: Task, look: str, seed: int, outcome: Outcome, seconds: float) -> Row:
    verdict = outcome.report.get("judge") or {}
    failed = [check["expression"] for check in verdict.get("checks", []) if not check["passed"]]
    why = "" if verdict.get("passed") and verdict.get("clean") else outcome.reason
    why += "".join(f" | changed: {effect}" for effect in verdict.get("side_effects", [])[:2])
    why += f" | failed: {failed[0]}" if failed and not why else ""
    steps = outcome.report.get("counts", {}).get("steps", verdict.get("steps", 0))
    return Row(
        task.id, look, seed, task.tier, task.kinds, bool(verdict.get("passed")), bool(verdict.get("clean")), outcome.status,
        int(steps or 0), int(verdict.get("oracle_steps") or 0), seconds, " ".join(why.split()),
        bool(outcome.report.get("plan_given")), _rejection(task, outcome),
    )  # fmt: skip


def _rejection(task: Task, outcome: Outcome) -> str:
    if task.outcome == "fulfilled":
        return ""
    if outcome.status != "rejected":
        return "not rejected"
    return "right reason" if re.search(REASONS[task.id], outcome.reason, re.IGNORECASE) else "another reason"


def _line(row: Row) -> str:
    plan = " (plan given)" if row.given else ""
    mark = "ok   " if row.good else "why? " if row.passed and row.clean else "dirty" if row.passed else "no   "
    steps, told = f"{row.steps:>3}/{row.oracle:<3}", f"{row.status} {row.why[:300]}" if row.why else ""
    return f"{mark} {row.look:20} {row.task:28} {row.seed:>3} {steps} {row.seconds:5.1f}s{plan}  {told}"


def _summary(rows: Sequence[Row]) -> dict[str, Any]:
    """Tasks count as done on all seeds, and in the mean and the worst variant, which is one look on one seed."""
    tasks, seeds, looks = (sorted({getattr(row, name) for row in rows}) for name in ("task", "seed", "look"))
    variants = [(look, seed) for look in looks for seed in seeds]
    good = {(row.task, row.look, row.seed) for row in rows if row.good}
    done = {(look, seed): sum((task, look, seed) in good for task in tasks) for look, seed in variants}
    refused = [row for row in rows if row.rejected]
    return {
        "tasks": len(tasks),
        "seeds": seeds,
        "on_every_variant": sum(all((task, *variant) in good for variant in variants) for task in tasks),
        "mean": statistics.mean(done.values()) if done else 0,
        "worst": min(done.values(), default=0),
        "looks": {look or "usual": statistics.mean(done[look, seed] for seed in seeds) for look in looks},
        "plans": _share(rows, lambda row: ("plan given" if row.given else "by rules alone",)),
        "tiers": _share(rows, lambda row: (f"tier {row.tier}",)),
        "kinds": _share(rows, lambda row: row.kinds),
        "rejected": {
            said: sum(row.rejected == said for row in refused) for said in ("right reason", "another reason", "not rejected")
        },
        "seconds": round(sum(row.seconds for row in rows), 1),
    }


def _share(rows: Sequence[Row], groups: Callable[[Row], Sequence[str]]) -> dict[str, list[int]]:
    """Of each group: how many runs are right and clean, and how many there are."""
    found: dict[str, list[int]] = {}
    for row in rows:
        for group in groups(row):
            count = found.setdefault(group, [0, 0])
            count[0] += row.good
            count[1] += 1
    return dict(sorted(found.items()))


def _table(rows: Sequence[Row]) -> str:
    told = _summary(rows)
    names = sorted({row.task for row in rows})
    lines = ["", f"{'task':28} right   steps/oracle  seconds"]
    for name in names:
        own = [row for row in rows if row.task == name]
        right = sum(row.good for row in own)
        steps, oracle = statistics.mean(row.steps for row in own), statistics.mean(row.oracle for row in own)
        lines.append(f"{name:28} {right}/{len(own)}   {steps:6.1f}/{oracle:<6.1f} {statistics.mean(r.seconds for r in own):6.1f}")
    for head in ("plans", "tiers", "kinds"):
        lines += ["", *(f"{name:28} {right} of {count} runs" for name, (right, count) in told[head].items())]
    if len(told["looks"]) > 1:
        lines += ["", *(f"{look:60} {mean:.1f} of {told['tasks']} tasks" for look, mean in told["looks"].items())]
    if any(told["rejected"].values()):
        lines += ["", "runs that had to be rejected: " + ", ".join(f"{count} {said}" for said, count in told["rejected"].items())]
    lines.append(
        f"\n{told['tasks']} tasks, seeds {told['seeds']}: {told['on_every_variant']} in every variant, "
        f"{told['mean']:.1f} in the mean, {told['worst']} in the worst variant; {told['seconds']} s"
    )
    return "\n".join(lines)


if __name__ == "__main__":
    main()
