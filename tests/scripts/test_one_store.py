"""Many processes on the runs of one store: every event is kept, no run is worked twice, and nobody sees a lock."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from services.postgres import MISSING, programs

pytestmark = pytest.mark.slow("processes that are killed")

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "one_store.py"


@pytest.mark.parametrize(
    "words",
    [
        ("--processes", "3", "--runs", "6"),
        pytest.param(
            ("--processes", "3", "--runs", "3", "--shared"),
            marks=pytest.mark.skipif(programs() is None, reason=MISSING),
        ),
    ],
    ids=" ".join,
)
def test_many_processes_work_the_runs_of_one_store(words: tuple[str, ...]) -> None:
    done = subprocess.run([sys.executable, SCRIPT, *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{words[3]} runs, " in done.stdout
    assert f"{words[1]} processes: 0 things went wrong" in done.stdout
