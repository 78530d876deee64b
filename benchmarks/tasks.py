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
import shutil
import statistics
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from orchestrator.errors import UsageProblem
from orchestrator.lab.suite.engines import run_suite
from orchestrator.lab.suite.suite import SPEC, EpisodeRow, Suite, rows_in, seeds_of
from orchestrator.settings.layers import shipped
from orchestrator.settings.settings import varied
from orchestrator.tasks.tasks import load_task

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
    looks = {re.sub(r"[^\w.]+", "-", look) or "usual": look for look in _looks(asked.vary)}
    rows = []
    try:
        suite = Suite(
            tasks=tuple(asked.tasks.split(",")), without=tuple(filter(None, asked.without.split(","))),
            seeds=seeds_of(asked.seeds), given_plans=not asked.no_given,
            configurations={name: _settings(look) for name, look in looks.items()},
        )  # fmt: skip
        for row in _worked(suite, looks, asked):
            rows.append(row)
            if not asked.json:
                print(_line(row), flush=True)
    except (UsageProblem, ValueError) as bad:
        raise SystemExit(str(bad)) from None
    print(json.dumps(_summary(rows) | {"rows": [row._asdict() for row in rows]}) if asked.json else _table(rows))


def _looks(words: str) -> Sequence[str]:
    return LOOKS if words == "looks" else [look.strip() for look in words.split(";")]


def _settings(look: str) -> dict[str, Any]:
    """`5` is a number, as on the command line."""
    said = (override.partition("=") for override in varied(look.split(",") if look else ()))
    return {key.strip(): int(value) if value.strip().isdecimal() else value.strip() for key, _, value in said}


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


def _worked(suite: Suite, looks: dict[str, str], asked: argparse.Namespace) -> Iterator[Row]:
    """In folders that are thrown away unless they are to be kept; what is kept there already is not worked again."""
    with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as scratch:
        folder = Path(asked.runs_dir or scratch)
        there = rows_in(folder) if (folder / SPEC).exists() else []
        yield from (_row(row, looks, folder) for row in there)
        for worked in run_suite(suite, folder, workers=asked.jobs):
            yield _row(worked.row, looks, folder)
            if not asked.runs_dir and worked.row.run:
                shutil.rmtree(folder / worked.row.run)


def _row(row: EpisodeRow, looks: dict[str, str], folder: Path) -> Row:
    report = json.loads((folder / row.run / "report.json").read_text(encoding="utf-8")) if row.run else {}
    verdict = report.get("judge") or {}
    failed = [check["expression"] for check in verdict.get("checks", []) if not check["passed"]]
    why = "" if verdict.get("passed") and verdict.get("clean") else row.reason
    why += "".join(f" | changed: {effect}" for effect in verdict.get("side_effects", [])[:2])
    why += f" | failed: {failed[0]}" if failed and not why else ""
    return Row(
        row.task, looks[row.configuration], row.seed, row.tier, row.kinds, bool(verdict.get("passed")),
        bool(verdict.get("clean")), row.status, row.steps, row.oracle_steps, row.seconds, " ".join(why.split()),
        bool(report.get("plan_given")), _rejection(row),
    )  # fmt: skip


def _rejection(row: EpisodeRow) -> str:
    if load_task(shipped("tasks", f"{row.task}.yaml")).outcome == "fulfilled" or row.status == "error":
        return ""
    if row.status != "rejected":
        return "not rejected"
    return "right reason" if re.search(REASONS[row.task], row.reason, re.IGNORECASE) else "another reason"


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
