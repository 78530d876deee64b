"""Log lines: each with its time, run and kind, so that it can be read among the lines of others and found again."""

from __future__ import annotations

import time
from typing import IO, TYPE_CHECKING

from orchestrator.face import Approver
from orchestrator.faces.clean import clean
from orchestrator.faces.ending import ending_lines
from orchestrator.faces.words import Line, Teller

if TYPE_CHECKING:
    from orchestrator.outcome import Outcome
    from roles.journal import Event

_LEVELS = {"bad": "WARNING", "ask": "NOTICE"}


class Log:
    """For collectors of logs. Nobody is asked, the cursor is not moved, and no line is broken."""

    approver: Approver | None = None

    def __init__(self, out: IO[str]) -> None:
        self._out = out
        self._teller = Teller()
        self._run = "-"

    def start(self) -> None:
        return None

    def recall(self, event: Event) -> None:
        self._teller.lines(event)
        self._note(event)

    def event(self, event: Event) -> None:
        self._note(event)
        for line in self._teller.lines(event):
            self._write(event.at, event.kind, line, f"{event.role or 'controller'} {event.step} ")

    def stop(self) -> None:
        return None

    def finish(self, outcome: Outcome) -> None:
        self._run = clean(outcome.run_id, 80)
        for line in ending_lines(outcome):
            self._write(time.time(), "run_outcome", line, f"{line.mark} ")

    def _note(self, event: Event) -> None:
        if name := event.body.get("run_id"):
            self._run = clean(name, 80).replace(" ", "_")

    def _write(self, at: float, kind: str, line: Line, where: str) -> None:
        moment = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(at)) + f".{int(at * 1000) % 1000:03d}Z"
        level = _LEVELS.get(line.tone, "INFO")
        self._out.write(f"{moment} {level} {self._run} {clean(kind, 40)} {clean(where, 60).lstrip()}{line.text}".rstrip() + "\n")
        self._out.flush()
