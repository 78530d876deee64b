"""Programs of their own that work a run, for the tests of what a machine does to one."""

from __future__ import annotations

import subprocess
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from warm import python
from worked.runs import claims

ROOT = Path(__file__).parents[3]
SUBMIT = 'In the reimbursement form, enter "$12.50" as the amount and submit the form'
PATIENCE = 240
"""Seconds for a process of a test; one that hangs is what is looked for."""


def ran(command: Sequence[str | Path], **more: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(part) for part in command], cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE, check=False, **more
    )


def deskcrew(*arguments: str | Path, **more: Any) -> subprocess.CompletedProcess[str]:
    return python("-m", "deskcrew", *arguments, "--display", "plain", cwd=ROOT, **more)


def waiting_run(runs: Path) -> str:
    """The name of a run that waits for approval."""
    assert deskcrew("run", SUBMIT, "--runs-dir", runs).returncode == 3
    return next(path.name for path in runs.iterdir())


def goes_on(runs: Path, name: str, *answer: str) -> None:
    """The run is resumed, does what is left once, and ends well."""
    done = deskcrew("resume", name, "--runs-dir", runs, *answer)
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(claims(runs / name)) == 1


DRIVER = """
import sys
from pathlib import Path
from deskcrew import Crew
from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.world.worldfile import load_world

folder, goal = Path(sys.argv[1]), sys.argv[2]

{body}

def crew(*overrides, **parts):
    return Crew.from_config(overrides=[f"runs_dir={{folder / 'runs'}}", "safety=never-ask-in-simulation", *overrides], **parts)

def ended(outcome):
    print(outcome.status, "|", outcome.reason)
    raise SystemExit(outcome.exit_code)

{end}
"""


def driven(folder: Path, body: str, end: str) -> subprocess.CompletedProcess[str]:
    """A program of its own that works a run through the Python API."""
    program = folder / "driver.py"
    program.write_text(DRIVER.format(body=textwrap.dedent(body), end=textwrap.dedent(end)), encoding="utf-8")
    return python(program, folder, SUBMIT, cwd=ROOT)


def the_run(folder: Path) -> str:
    return next(path.name for path in (folder / "runs").iterdir())
