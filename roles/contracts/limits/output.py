"""What scripts, tools and models put out: cut where it is longer than the limits allow, and counted."""

from __future__ import annotations

from typing import Literal

from roles.journal.events import OutputEvent
from roles.journal.journal import Journal

Of = Literal["script", "tool"]
"""Answers of models are counted with their calls."""


def cut(text: str, most: int) -> str:
    """The text, or as much of it as may be kept and how much is missing."""
    return text if len(text) <= most else f"{text[:most]}\n(cut: {len(text) - most} more characters)"


def put_out(journal: Journal, of: Of, characters: int, *, role: str, subtask: str = "", step: int = 0, key: str = "") -> None:
    """Count what is kept of an output."""
    if characters:
        journal.record(OutputEvent(of=of, characters=characters), role=role, subtask=subtask, step=step, key=key)
