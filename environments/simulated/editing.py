"""Editing a line of text by keys: a value, a caret and perhaps a selection."""

from __future__ import annotations

from typing import NamedTuple


class Line(NamedTuple):
    """The content of a field while it is edited; `anchor` is the other end of the selection."""

    value: str
    caret: int
    anchor: int | None = None

    @property
    def span(self) -> tuple[int, int]:
        """Start and end of the selection, within the value."""
        size = len(self.value)
        caret = min(max(0, self.caret), size)
        anchor = caret if self.anchor is None else min(max(0, self.anchor), size)
        return min(caret, anchor), max(caret, anchor)

    @property
    def selected(self) -> str:
        start, end = self.span
        return self.value[start:end]


def insert(line: Line, text: str) -> Line:
    """Text takes the place of the selection."""
    start, end = line.span
    return Line(line.value[:start] + text + line.value[end:], start + len(text))


def delete(line: Line, forward: bool) -> Line:
    start, end = line.span
    if start == end:
        start, end = (start, min(end + 1, len(line.value))) if forward else (max(0, start - 1), end)
    return Line(line.value[:start] + line.value[end:], start)


def select_all(line: Line) -> Line:
    return Line(line.value, len(line.value), 0)


def move(line: Line, key: str) -> Line | None:
    """The line after a caret key; None when the key is no caret key."""
    start, end = line.span
    places = {
        "ArrowLeft": start if start != end else max(0, start - 1),
        "ArrowRight": end if start != end else min(len(line.value), end + 1),
        "Home": 0,
        "End": len(line.value),
    }
    return Line(line.value, places[key]) if key in places else None
