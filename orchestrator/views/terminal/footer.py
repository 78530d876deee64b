"""Rows that stay at the bottom of a terminal while lines scroll by above them. Only what changed is written again.

rich's own Live draws all of it several times a second, and takes it back by the width that the terminal had before a resize.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack, redirect_stderr, redirect_stdout
from threading import Event, RLock, Thread
from typing import IO, cast

from rich.cells import get_character_cell_size
from rich.console import Console, ConsoleRenderable, RenderableType, RenderHook
from rich.control import Control
from rich.file_proxy import FileProxy
from rich.segment import ControlType, Segment, Segments
from rich.text import Text

_LOOKS_AGAIN = 0.25
"""Seconds between two looks whether a row has changed."""
_NO_REFLOW = ("linux", "rxvt", "screen")
_JOINERS = {ord(sign): None for sign in "\u200d\ufe0e\ufe0f"}
"""Terminals do not agree how wide what these join is."""


class Footer(RenderHook):
    """Draws the rows that `rows` gives. Does nothing where the console is no terminal."""

    def __init__(self, console: Console, rows: Callable[[], Sequence[Text]]) -> None:
        self._console = console
        self._rows = rows
        self._drawn: list[Text] = []
        self._width = console.width
        self._lock = RLock()
        self._ended: Event | None = None
        self._undo = ExitStack()
        self._looking = False

    @property
    def shown(self) -> bool:
        return self._ended is not None

    def start(self) -> None:
        if self.shown or not self._console.is_terminal or self._console.is_dumb_terminal:
            return
        self._ended = Event()
        self._drawn, self._width = [], self._console.width
        self._undo.callback(self._console.show_cursor, True)
        self._console.show_cursor(False)
        # What others print, such as warnings, goes above the rows too.
        self._undo.enter_context(redirect_stdout(cast("IO[str]", FileProxy(self._console, sys.stdout))))
        self._undo.enter_context(redirect_stderr(cast("IO[str]", FileProxy(self._console, sys.stderr))))
        self._console.push_render_hook(self)
        self._undo.callback(self._console.pop_render_hook)
        Thread(target=self._watch, args=(self._ended,), name="deskcrew-footer", daemon=True).start()

    def stop(self) -> None:
        """Take the rows away and give the cursor back. Twice is fine."""
        with self._lock:
            if self._ended is None:
                return
            self._ended.set()
            self._ended = None
            erased = self._erased()
            self._drawn = []
            with self._undo:
                self._console.control(erased)

    def print(self, *lines: RenderableType) -> None:
        """Put lines above the rows, all at once."""
        with self._lock:
            self._console.print(*lines, sep="\n")

    def refresh(self) -> None:
        """Write those rows that have changed; nothing where none has."""
        with self._lock:
            if self._ended is None or (self._fits() and self._fitted() == self._drawn):
                return
            self._looking = True
            try:
                self._console.print(Control(), crop=False)  # else it is cut as if all were one line
            finally:
                self._looking = False

    def process_renderables(self, renderables: list[ConsoleRenderable]) -> list[ConsoleRenderable]:
        """Called by the console for whatever is printed."""
        with self._lock:
            if self._ended is None:
                return renderables
            rows = self._fitted()
            if self._looking and self._fits() and len(rows) == len(self._drawn):
                made = self._changes(rows)
            else:
                made = [self._erased(), *renderables, *_joined(rows)]
            self._drawn, self._width = rows, self._console.width
            return made

    def _watch(self, ended: Event) -> None:
        while not ended.wait(_LOOKS_AGAIN):
            self.refresh()

    def _fits(self) -> bool:
        return self._width == self._console.width

    def _fitted(self) -> list[Text]:
        """One cell less than there is, since what fills the last column may begin a row of its own.

        Behind the last row there is room for the `^C` that a terminal itself writes there.
        """
        given = list(self._rows())
        rows = [fitted(row, self._console.width - (1 if below else 4)) for below, row in enumerate(reversed(given))][::-1]
        for row in rows:
            row.end = ""
        return rows

    def _erased(self) -> Control:
        """From the last row, where the cursor is, to the beginning of the first one."""
        if not self._drawn:
            return Control()
        up = ((ControlType.CURSOR_UP, 1), (ControlType.ERASE_IN_LINE, 2))
        return Control(ControlType.CARRIAGE_RETURN, (ControlType.ERASE_IN_LINE, 2), *up * (self._occupied() - 1))

    def _occupied(self) -> int:
        """Rows of the terminal by now: one that became narrower has broken those that are longer."""
        width, height = self._console.size
        if width >= self._width or not _reflows():
            return len(self._drawn)
        return min(sum(max(1, -(-_cells(row.plain) // width)) for row in self._drawn), height)

    def _changes(self, rows: Sequence[Text]) -> list[ConsoleRenderable]:
        made: list[ConsoleRenderable] = []
        for below, (row, before) in enumerate(zip(reversed(rows), reversed(self._drawn), strict=True)):
            if row == before:
                continue
            vertical = [(ControlType.CURSOR_UP, below)] if below else []
            back = [(ControlType.CURSOR_DOWN, below)] if below else []
            made += [Control(ControlType.CARRIAGE_RETURN, *vertical), row, _TO_THE_END]
            made += [Control(*back)] if back else []
        return made


_TO_THE_END = Control((ControlType.ERASE_IN_LINE, 0))


def _joined(rows: Sequence[Text]) -> list[ConsoleRenderable]:
    made: list[ConsoleRenderable] = []
    for number, row in enumerate(rows):
        made += [Segments([Segment.line()]), row] if number else [row]
    return made


def _reflows() -> bool:
    """Whether the terminal breaks long rows anew when it becomes narrower. Nearly all do, but for the oldest."""
    if os.environ.get("TMUX"):
        return True
    return not os.environ.get("XTERM_VERSION") and not os.environ.get("TERM", "").startswith(_NO_REFLOW)


def steady(words: str) -> str:
    """The same words, as wide in every terminal: what would be joined stands side by side."""
    return words.translate(_JOINERS)


def fitted(row: Text, width: int) -> Text:
    """The row cut at that width, by letters: where a terminal draws several as one it is narrower, and never wider."""
    made = row.copy()
    if _cells(made.plain) <= width:
        return made
    used = kept = 0
    for sign in made.plain:
        used += _widest(sign)
        if used > width - 1:
            break
        kept += 1
    made.right_crop(len(made.plain) - kept)
    return made.append("…") if width > 0 else made


def _cells(words: str) -> int:
    return sum(map(_widest, words))


def _widest(sign: str) -> int:
    """Cells of a letter where a terminal draws it by itself: colours of skin, and halves of flags, are pictures then."""
    return 2 if "\U0001f3fb" <= sign <= "\U0001f3ff" or "\U0001f1e6" <= sign <= "\U0001f1ff" else get_character_cell_size(sign)
