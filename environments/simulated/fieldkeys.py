"""What keys do inside the field that has the focus."""

from __future__ import annotations

from environments.simulated.editing import Line, delete, insert, move, select_all
from environments.simulated.floating import offer, step_offer
from environments.simulated.seen import Shown
from environments.simulated.turn import Turn


def line_of(turn: Turn, shown: Shown) -> Line:
    return Line(shown.widget.value or "", turn.desk.caret, turn.desk.anchor)


def put(turn: Turn, shown: Shown, line: Line) -> None:
    changed = line.value != shown.widget.value
    if changed:
        turn.edit(shown, line.value)
    turn.change(caret=line.caret, anchor=line.anchor)
    if changed and shown.widget.options:
        offer(turn)


def edit_key(turn: Turn, shown: Shown, line: Line, key: str) -> None:
    turn.fault(shown)
    if key in {"Backspace", "Delete"}:
        put(turn, shown, delete(line, forward=key == "Delete"))
    elif len(key) == 1:
        put(turn, shown, insert(line, key))
    elif key in {"ArrowDown", "ArrowUp"} and shown.widget.options:
        step_offer(turn, shown, 1 if key == "ArrowDown" else -1)
    elif moved := move(line, key):
        turn.change(caret=moved.caret, anchor=None)


def step_option(turn: Turn, shown: Shown, by: int) -> None:
    options = shown.widget.options
    if options:
        here = options.index(shown.widget.value or "") if shown.widget.value in options else (-1 if by > 0 else len(options))
        turn.edit(shown, options[min(max(0, here + by), len(options) - 1)])


def clipboard(turn: Turn, shown: Shown | None, key: str) -> None:
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
