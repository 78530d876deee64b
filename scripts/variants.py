#!/usr/bin/env python3
"""Play the oracle of every task in a world that looks or speaks otherwise: a table of tasks and variants.

scripts/variants.py                      all tasks
scripts/variants.py reply-to-a-mail ...  these tasks
"""

from __future__ import annotations

import sys

from orchestrator.settings.layers import shipped_names
from orchestrator.tasks.judge import OracleRun, play, task_environment
from orchestrator.tasks.tasks import Task, resolve_target

VARIANTS = ("language=de", "language=zh", "labels=synonyms", "order=shuffled", "names=missing", "density=compact", "layout=wide",
            "layout=mirrored", "theme=dark")  # fmt: skip


def main(names: list[str]) -> int:
    """The number of runs that did not pass, or were not clean."""
    tasks = [task for name in names or shipped_names("tasks") if isinstance(task := resolve_target(name), Task) and task.oracle]
    print(f"{'':<30}" + " ".join(f"{variant.partition('=')[2]:<9}" for variant in VARIANTS))
    wrong: list[str] = []
    for task in tasks:
        line = f"{task.id:<30}"
        for variant in VARIANTS:
            why = problem(played(task, variant))
            line += f"{'WRONG' if why else 'passed':<9} "
            wrong += [f"{task.id}, {variant}: {why}"] if why else []
        print(line.rstrip(), flush=True)
    print("\n".join(["", *wrong, f"{len(tasks)} tasks, {len(VARIANTS)} variants, {len(wrong)} wrong"]))
    return len(wrong)


def played(task: Task, variant: str) -> OracleRun:
    """The oracle's run of a task in a world with this variation."""
    surface = task_environment(task, 0, [variant])
    try:
        return play(task, 0, surface)
    finally:
        surface.close()


def problem(run: OracleRun) -> str:
    """What was not as it should be; nothing when the run passed, clean."""
    if run.problem:
        return run.problem
    if not run.verdict.passed:
        return "the judge does not pass it"
    return "" if run.verdict.clean else "not clean"


if __name__ == "__main__":
    raise SystemExit(1 if main(sys.argv[1:]) else 0)
