"""One JSON object a line: every event as it is in the journal, then the outcome."""

from __future__ import annotations

import json
from typing import IO, TYPE_CHECKING

from orchestrator.face import Approver

if TYPE_CHECKING:
    from orchestrator.outcome import Outcome
    from roles.journal import Event


class JsonLines:
    """For programs. Nobody is asked; the outcome's line has the kind `run_outcome`."""

    approver: Approver | None = None

    def __init__(self, out: IO[str]) -> None:
        self._out = out

    def start(self) -> None:
        return None

    def recall(self, event: Event) -> None:
        return None

    def event(self, event: Event) -> None:
        self._write(event._asdict())

    def stop(self) -> None:
        return None

    def finish(self, outcome: Outcome) -> None:
        self._write({"kind": "run_outcome", **outcome.model_dump(mode="json")})

    def _write(self, data: dict[str, object]) -> None:
        self._out.write(json.dumps(data, separators=(",", ":"), default=str) + "\n")
        self._out.flush()
