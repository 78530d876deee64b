"""Editing a line of text by keys: a value, a caret and perhaps a selection."""

from __future__ import annotations

from typing import NamedTuple

from environments.simulated.screen.elements import ShownElement
from environments.simulated.screen.popups import offer, step_offer
from environments.simulated.turn.turn import Turn


class EditedLine(NamedTuple):
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


def insert(line: EditedLine, text: str) -> EditedLine:
    """Text takes the place of the selection."""
    start, end = line.span
    return EditedLine(line.value[:start] + text + line.value[end:], start + len(text))


def delete(line: EditedLine, forward: bool) -> EditedLine:
    start, end = line.span
    if start == end:
        start, end = (start, min(end + 1, len(line.value))) if forward else (max(0, start - 1), end)
    return EditedLine(line.value[:start] + line.value[end:], start)


def select_all(line: EditedLine) -> EditedLine:
    return EditedLine(line.value, len(line.value), 0)


def move(line: EditedLine, key: str) -> EditedLine | None:
    """The line after a caret key; None when the key is no caret key."""
    start, end = line.span
    places = {
        "ArrowLeft": start if start != end else max(0, start - 1),
        "ArrowRight": end if start != end else min(len(line.value), end + 1),
        "Home": 0,
        "End": len(line.value),
    }
    return EditedLine(line.value, places[key]) if key in places else None


def line_of(turn: Turn, shown: ShownElement) -> EditedLine:
    return EditedLine(shown.widget.value or "", turn.desk.caret, turn.desk.anchor)


def put(turn: Turn, shown: ShownElement, line: EditedLine) -> None:
    changed = line.value != shown.widget.value
    if changed:
        turn.edit(shown, line.value)
    turn.change(caret=line.caret, anchor=line.anchor)
    if changed and shown.widget.options:
        offer(turn)


def edit_key(turn: Turn, shown: ShownElement, line: EditedLine, key: str) -> None:
    turn.fault(shown)
    if key in {"Backspace", "Delete"}:
        put(turn, shown, delete(line, forward=key == "Delete"))
    elif len(key) == 1:
        put(turn, shown, insert(line, key))
    elif key in {"ArrowDown", "ArrowUp"} and shown.widget.options:
        step_offer(turn, shown, 1 if key == "ArrowDown" else -1)
    elif moved := move(line, key):
        turn.change(caret=moved.caret, anchor=None)


def step_option(turn: Turn, shown: ShownElement, by: int) -> None:
    options = shown.widget.options
    if options:
        here = options.index(shown.widget.value or "") if shown.widget.value in options else (-1 if by > 0 else len(options))
        turn.edit(shown, options[min(max(0, here + by), len(options) - 1)])


def clipboard(turn: Turn, shown: ShownElement | None, key: str) -> None:
    if shown is None:
        if key == "c" and turn.desk.selection:
            turn.change(clipboard=turn.desk.selection)
        return
    line = line_of(turn, shown)
    if key == "a":
        whole = select_all(line)
        turn.change(caret=whole.caret, anchor=whole.anchor)
        return
    if key in "cx" and line.selected:
        turn.change(clipboard=line.selected)
        if key == "x":
            put(turn, shown, insert(line, ""))
    elif key == "v" and turn.desk.clipboard:
        text = turn.desk.clipboard
        put(turn, shown, insert(line, text if shown.widget.multiline else " ".join(text.split("\n"))))
