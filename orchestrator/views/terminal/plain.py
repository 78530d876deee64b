"""Plain lines, newest at the bottom: for pipes, logs, CI, terminals without colour, and screen readers."""

from __future__ import annotations

import json
import time
from typing import IO, TYPE_CHECKING, Any

from orchestrator.control.requests import RequestSettled
from orchestrator.store.printable import clean
from orchestrator.views.terminal.approval import (
    ask,
    forget_typed,
    request_lines,
    request_told,
    settled_line,
    typed,
    typed_unseen,
)
from orchestrator.views.terminal.event_lines import EventLine, Teller
from orchestrator.views.terminal.summary import ending_lines
from roles.journal.events import ApprovalRequestedEvent

if TYPE_CHECKING:
    from orchestrator.runs.outcome import Answer, Approver, Outcome
    from roles.journal.journal import Event


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

    def _write(self, at: float, kind: str, line: EventLine, where: str) -> None:
        moment = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(at)) + f".{int(at * 1000) % 1000:03d}Z"
        level = _LEVELS.get(line.tone, "INFO")
        self._out.write(f"{moment} {level} {self._run} {clean(kind, 40)} {clean(where, 60).lstrip()}{line.text}".rstrip() + "\n")
        self._out.flush()


class Plain:
    """One line per event that matters."""

    def __init__(self, out: IO[str], *, can_ask: bool = False) -> None:
        self._out = out
        self._teller = Teller()
        self.approver: Approver | None = self._ask if can_ask else None

    def start(self) -> None:
        return None

    def recall(self, event: Event) -> None:
        self._teller.lines(event)

    def event(self, event: Event) -> None:
        for line in self._teller.lines(event):
            if self.approver is None or event.kind != ApprovalRequestedEvent.KIND:  # else it is asked at once
                self._print(str(line))

    def stop(self) -> None:
        return None

    def finish(self, outcome: Outcome) -> None:
        self._print("")
        for line in ending_lines(outcome):
            self._print(str(line))

    def _ask(self, body: dict[str, Any]) -> Answer | None:
        request = request_told(body)
        for line in request_lines(request):
            self._print(str(line))
        forget_typed()
        try:
            return ask(request, read=lambda prompt: typed(prompt, self._out), say=self._print, hidden=typed_unseen)
        except RequestSettled as said:
            self._print(str(settled_line(said)))
            return None

    def _print(self, text: str) -> None:
        self._out.write(text.rstrip() + "\n")
        self._out.flush()
