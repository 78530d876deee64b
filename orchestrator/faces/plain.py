"""Plain lines, newest at the bottom: for pipes, logs, CI, terminals without colour, and screen readers."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING, Any

from orchestrator.face import Answer, Approver
from orchestrator.faces.approval import ask, request_lines, settled_line
from orchestrator.faces.ending import ending_lines
from orchestrator.faces.prompt import Settled, forget_typed, typed, typed_unseen
from orchestrator.faces.words import Teller

if TYPE_CHECKING:
    from orchestrator.outcome import Outcome
    from roles.journal import Event


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
            if self.approver is None or event.kind != "approval_requested":  # else it is asked at once
                self._print(str(line))

    def stop(self) -> None:
        return None

    def finish(self, outcome: Outcome) -> None:
        self._print("")
        for line in ending_lines(outcome):
            self._print(str(line))

    def _ask(self, request: dict[str, Any]) -> Answer | None:
        for line in request_lines(request):
            self._print(str(line))
        forget_typed()
        try:
            return ask(request, read=lambda prompt: typed(prompt, self._out), say=self._print, hidden=typed_unseen)
        except Settled as said:
            self._print(str(settled_line(said)))
            return None

    def _print(self, text: str) -> None:
        self._out.write(text.rstrip() + "\n")
        self._out.flush()
