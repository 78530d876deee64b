"""A person's say in a run that goes on: where it may hold still, what was said to whom, and what was done by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

from protocol import Frozen

Addressee = Literal["crew", "manager", "operator", "technician", "analyst", "evaluator"]
ADDRESSEES: tuple[Addressee, ...] = get_args(Addressee)


class Note(Frozen):
    """What a person said to the crew, or to one role of it, while it works."""

    words: str
    to: Addressee = "crew"
    who: str = "user"

    @property
    def for_plans(self) -> bool:
        """Whether a plan is wanted that minds it."""
        return self.to in {"crew", "manager"}


class SteeringInput:
    """What a worker and the hub ask about the people beside the run. Here nobody speaks, and nobody acts beside the crew."""

    def safe_point(self) -> None:
        """Nothing is half done here. Takes in what was asked for by now; where that is to hold still, the graph stops here,
        and comes by again when it goes on."""

    def mark(self) -> dict[str, int]:
        """How far the person's words and turns have come: what was decided under another mark is decided anew."""
        return {}

    def by_hand(self) -> int:
        """The latest step that a person did; 0 where none was."""
        return 0

    def notes(self, role: str) -> tuple[Note, ...]:
        """What was said to this role and to the crew, the newest last."""
        return ()

    def unplanned(self) -> str:
        """Words that no plan has minded yet, or nothing."""
        return ""

    def planned(self) -> None:
        """The Manager is told of all there is."""


def notes_told(notes: Sequence[Note]) -> str:
    """Notes as a model is told them: they are the user's own words, and no data."""
    if not notes:
        return ""
    words = "; ".join(f'"{" ".join(note.words.split())}"' for note in notes)
    return f"The user has said while you work: {words}. This counts as much as the goal, and the last words count most."
