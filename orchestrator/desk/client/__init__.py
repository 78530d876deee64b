"""What is used of a desk, or of this machine in its place: the one place that knows which of the two it is."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from orchestrator.desk.client.handle import Runs


def runs_at(*, runs_dir: Path | None = None, server: str | None = None, token_file: Path | None = None) -> Runs:
    """The runs of a desk at `server`, or of a folder of this machine. Raises UsageProblem."""
    if server:
        from orchestrator.desk.client.handle import RemoteRuns
        from orchestrator.desk.client.remote import Remote, token_for

        return RemoteRuns(Remote(server, token_for(server, token_file)))
    from orchestrator.runs.handle import LocalRuns

    return LocalRuns(runs_dir)
