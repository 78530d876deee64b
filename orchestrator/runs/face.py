"""What a person sees of a run and is asked: one protocol, which terminals, pages and programs fulfil."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from orchestrator.runs.outcome import Outcome
    from roles.journal.journal import Event


Answer = dict[str, Any]
"""`{"decisions": [{"type": "approve"}]}`, as LangChain's human in the loop has it."""
Approver = Callable[[dict[str, Any]], Mapping[str, Any] | None]
"""Answers a request, or says with None that nobody answers now."""


class Face(Protocol):
    """Shows events as they come, and how it ended."""

    approver: Approver | None
    """Asks the person who sits there; None where nobody can be asked."""

    def start(self) -> None: ...
    def recall(self, event: Event) -> None:
        """Take in what happened before a resume, without showing it again."""

    def event(self, event: Event) -> None: ...
    def stop(self) -> None:
        """Give the screen back. Twice is fine."""

    def finish(self, outcome: Outcome) -> None:
        """The last screen: the verdict, why, what was done, where it is kept, and what to type next."""
