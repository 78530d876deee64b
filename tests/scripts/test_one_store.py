"""Many processes on the runs of one store: every event is kept, no run is worked twice, and nobody sees a lock."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow("processes that are killed")

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "one_store.py"


def test_many_processes_work_the_runs_of_one_store() -> None:
    words = ("--processes", "3", "--runs", "6")
    done = subprocess.run([sys.executable, SCRIPT, *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "6 runs, " in done.stdout
    assert "3 processes: 0 things went wrong" in done.stdout
