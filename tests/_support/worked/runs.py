"""What tests of runs have in common: a crew in a folder, the command, somebody who approves, and what was done."""

import json
from contextlib import closing
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.world.worldfile import load_world
from orchestrator.cli import app
from orchestrator.crew import Crew

APPROVE: dict[str, Any] = {"decisions": [{"type": "approve"}]}


def approve(request: dict[str, Any]) -> dict[str, Any]:
    """Whoever is asked says yes."""
    return APPROVE


def crew_in(folder: Path, *overrides: str, **parts: Any) -> Crew:
    """A crew whose runs are in this folder."""
    return Crew.from_config(overrides=[f"runs_dir={json.dumps(str(folder))}", *overrides], **parts)


def deskcrew(*words: str | Path) -> tuple[int, str]:
    """The command in this process: its exit code, and all that it printed."""
    done = CliRunner().invoke(app, [str(word) for word in words])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    assert "fault of deskcrew" not in done.output, done.output
    return done.exit_code, done.output


def claims(folder: Path) -> list[dict[str, Any]]:
    """What was claimed in the office of a run, as it stands on the disk."""
    with closing(SimulatedDesktop(load_world("office"), 0, folder)) as desk:
        return list(desk.world()["apps"]["reimbursement"]["claims"].values())
