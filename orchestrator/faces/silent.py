"""Says nothing while the run goes on, and one line at its end."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING

from orchestrator.face import Approver
from orchestrator.faces.clean import clean

if TYPE_CHECKING:
    from orchestrator.outcome import Outcome
    from roles.journal import Event


class Silent:
    """For scripts that only want the exit code."""

    approver: Approver | None = None

    def __init__(self, out: IO[str]) -> None:
        self._out = out

    def start(self) -> None:
        return None

    def recall(self, event: Event) -> None:
        return None

    def event(self, event: Event) -> None:
        return None

    def stop(self) -> None:
        return None

    def finish(self, outcome: Outcome) -> None:
        self._out.write(f"{outcome.run_id} {outcome.status}: {clean(outcome.reason)}\n")
