"""The live view: finished steps scroll by above, and a small panel below says where the run is."""

from __future__ import annotations

import time
from typing import IO, TYPE_CHECKING, Any

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from orchestrator.face import Answer, Approver
from orchestrator.faces.approval import ask, request_lines, settled_line
from orchestrator.faces.clean import visible
from orchestrator.faces.ending import ending_lines
from orchestrator.faces.footer import Footer, fitted
from orchestrator.faces.panel import panel
from orchestrator.faces.picture import Picture
from orchestrator.faces.prompt import Settled, forget_typed, typed, typed_unseen
from orchestrator.faces.words import Line, Teller

if TYPE_CHECKING:
    from orchestrator.outcome import Outcome
    from roles.journal import Event

TONES = {"good": "green", "bad": "red", "ask": "yellow", "dim": "dim", "": ""}

class Live:
    """For terminals. Scrollback is the log: one line per finished step, newest at the bottom."""

    def __init__(self, out: IO[str], *, can_ask: bool = False, console: Console | None = None) -> None:
        self.console = console or Console(file=out, highlight=False, markup=False, emoji=False)
        self.approver: Approver | None = self._ask if can_ask else None
        self.picture = Picture()
        self._teller = Teller()
        self._footer = Footer(self.console, self.rows)
        self._worked = 0.0
        self._since: float | None = None

    def start(self) -> None:
        self._since = time.monotonic()
        self._footer.start()

    def stop(self) -> None:
        self._worked, self._since = self._seconds(), None
        self._footer.stop()

    def recall(self, event: Event) -> None:
        self.picture.apply(event)
        self._teller.lines(event)

    def event(self, event: Event) -> None:
        self.picture.apply(event)
        lines = self._teller.lines(event)
        if lines and (self.approver is None or event.kind != "approval_requested"):  # else it is asked at once
            self._footer.print(*map(styled, lines))

    def finish(self, outcome: Outcome) -> None:
        self.stop()
        self.console.print()
        for line in ending_lines(outcome):
            if line.text.startswith("deskcrew "):
                self.console.print(Text(str(line)), soft_wrap=True)  # a command is copied whole
            else:
                self.console.print(styled(line))

    def rows(self) -> list[Text]:
        """The block at the bottom, by the size that the terminal has now."""
        now, (width, height) = self.picture, self.console.size
        silent = time.time() - now.latest if now.latest is not None and self._since is not None else 0.0
        return panel(now, seconds=self._seconds(), silent=silent, width=width, height=height)

    def panel(self) -> RenderableType:
        """The same as one thing to be printed."""
        return Group(*(fitted(row, self.console.width - 1) for row in self.rows()))

    def _seconds(self) -> float:
        """Seconds at work; those in which a person was asked are none."""
        return self._worked + (time.monotonic() - self._since if self._since is not None else 0.0)

    def _ask(self, request: dict[str, Any]) -> Answer | None:
        running = self._since is not None
        self.stop()
        for line in request_lines(request):
            self.console.print(styled(line))
        forget_typed()
        try:
            return ask(request, read=self._typed, say=lambda text: self.console.print(Text(text)), hidden=typed_unseen)
        except Settled as said:
            self.console.print(styled(settled_line(said)))
            return None
        finally:
            if running:
                self.start()

    def _typed(self, prompt: str) -> str:
        self.console.print(Text(prompt, end=""), soft_wrap=True)
        return typed("", self.console.file)


def styled(line: Line) -> RenderableType:
    """A line with its mark in the left column; what does not fit goes on below its own beginning."""
    tone = TONES.get(line.tone, "")
    strong = line.mark in ("✓", "✗", "‖", "approve?", "question")
    return aligned(Text(visible(line.mark), style=f"bold {tone}" if strong else "dim"), Text(visible(line.text), style=tone))


def aligned(mark: Text, text: Text) -> RenderableType:
    grid = Table.grid(padding=(0, 2))
    grid.add_column(justify="right", width=9, no_wrap=True)
    grid.add_column(overflow="fold")
    grid.add_row(mark, text)
    return grid
