"""Waiting for what other processes do to runs, and runs that wait for people."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
from waiting import until
from warm import Forked

from orchestrator.control.channel import holder_of
from orchestrator.runs import runs
from orchestrator.runs.folders import stored_report
from orchestrator.runs.outcome import Outcome
from orchestrator.settings.settings import load_settings

GOAL = 'In the reimbursement form, enter "$12.50" as the amount and submit it'
"""Asks before it submits, and once more for the amount where the policy says so."""


def waiting_run(runs_dir: Path, *overrides: str, goal: str = GOAL) -> Outcome:
    """A run that waits for a person, worked by nobody."""
    found = runs.start(load_settings((), [*overrides, f"runs_dir={runs_dir}", "display=none"]), goal)
    assert found.exit_code == 3, found.reason
    return found


def rests(folder: Path, answers: int = 1) -> dict[str, Any]:
    """The report of a run, as soon as it has heard so many answers and nobody works it any more."""

    def found() -> dict[str, Any] | None:
        report = stored_report(folder)
        stopped = holder_of(folder) is None and report.get("status") not in (None, "interrupted")
        return report if stopped and len(report["approvals"]) >= answers else None

    return dict(until(found, f"run {folder.name} to come to rest"))


def stands(http: httpx.Client, run_id: str, *states: str) -> str:
    """How the desk says that a run stands, once that is one of these."""

    def found() -> str | None:
        state = http.get(f"/api/runs/{run_id}/worker").json()["state"]
        return str(state) if state in states else None

    return str(until(found, f"run {run_id} to be {' or '.join(states)}"))


@contextmanager
def serving(runs_dir: Path, port: str = "0", *more: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """`deskcrew serve` itself, and the address that it prints."""
    words = ["-m", "deskcrew", "serve", "--runs-dir", str(runs_dir), "--port", port, *more]
    with Forked(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            first = process.stdout.readline()
            assert first.startswith("open http://"), (first, process.stderr and process.stderr.read())
            yield process, first.removeprefix("open ").strip()
        finally:
            process.kill()
