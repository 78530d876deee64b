"""Editing a line of text by keys: a value, a caret and perhaps a selection."""

from __future__ import annotations

from typing import NamedTuple

from environments.simulated.input.pointer import offer, step_offer
from environments.simulated.screen.elements import ShownElement
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

    def insert(self, text: str) -> EditedLine:
        """Text takes the place of the selection."""
        start, end = self.span
        return EditedLine(self.value[:start] + text + self.value[end:], start + len(text))

    def delete(self, forward: bool) -> EditedLine:
        start, end = self.span
        if start == end:
            start, end = (start, min(end + 1, len(self.value))) if forward else (max(0, start - 1), end)
        return EditedLine(self.value[:start] + self.value[end:], start)

    def select_all(self) -> EditedLine:
        return EditedLine(self.value, len(self.value), 0)

    def move(self, key: str) -> EditedLine | None:
        """The line after a caret key; None when the key is no caret key."""
        start, end = self.span
        places = {
            "ArrowLeft": start if start != end else max(0, start - 1),
            "ArrowRight": end if start != end else min(len(self.value), end + 1),
            "Home": 0,
            "End": len(self.value),
        }
        return EditedLine(self.value, places[key]) if key in places else None


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
        put(turn, shown, line.delete(forward=key == "Delete"))
    elif len(key) == 1:
        put(turn, shown, line.insert(key))
    elif key in {"ArrowDown", "ArrowUp"} and shown.widget.options:
        step_offer(turn, shown, 1 if key == "ArrowDown" else -1)
    elif moved := line.move(key):
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
        whole = line.select_all()
        turn.change(caret=whole.caret, anchor=whole.anchor)
        return
    if key in "cx" and line.selected:
        turn.change(clipboard=line.selected)
        if key == "x":
            put(turn, shown, line.insert(""))
    elif key == "v" and turn.desk.clipboard:
        text = turn.desk.clipboard
        put(turn, shown, line.insert(text if shown.widget.multiline else " ".join(text.split("\n"))))
