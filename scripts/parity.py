#!/usr/bin/env python3
"""Play the oracle of every task twice, in process and by hand in Chromium, and compare what the apps came to."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "benchmarks"))

import time

from browsing.twin import Twin

from environments.browser import BrowserEnvironment
from environments.simulated.desktop import SimulatedDesktop
from orchestrator.settings.layers import shipped_names
from orchestrator.tasks.judge import play, task_environment
from orchestrator.tasks.tasks import Task, resolve_target


def main(names: list[str]) -> int:
    """The number of tasks that did not come to the same on both sides."""
    browser = BrowserEnvironment("about:blank")
    wrong = 0
    try:
        for name in names or shipped_names("tasks"):
            task = resolve_target(name)
            if isinstance(task, Task) and task.oracle:
                wrong += not compared(task, browser)
    finally:
        browser.close()
    return wrong


def compared(task: Task, browser: BrowserEnvironment) -> bool:
    """Play one task and say how it went."""

    def make() -> SimulatedDesktop:
        surface = task_environment(task, 0)
        assert isinstance(surface, SimulatedDesktop), surface.name
        return surface

    began = time.perf_counter()
    twin = Twin(make, browser)
    try:
        played = play(task, 0, twin)
        unlike = twin.unlike()
    finally:
        twin.close()
    same = played.passed and not unlike
    why = "; ".join(filter(None, [played.problem, "" if played.verdict.passed else "the judge does not pass it",
                                  f"not the same: {', '.join(unlike)}" if unlike else ""]))  # fmt: skip
    print(
        f"{'same' if same else 'WRONG':<6}{task.id:<28}{len(played.steps):>3} steps {time.perf_counter() - began:5.1f} s  {why}",
        flush=True,
    )
    return same


if __name__ == "__main__":
    raise SystemExit(1 if main(sys.argv[1:]) else 0)
