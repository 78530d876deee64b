"""The live view: finished steps scroll by above, and a small panel below says where the run is."""

from __future__ import annotations

import time
from typing import IO, TYPE_CHECKING, Any

from rich.console import Console, Group, RenderableType
from rich.live import Live as RichLive
from rich.table import Table
from rich.text import Text

from orchestrator.faces import Answer, Approver
from orchestrator.faces.approval import ask, request_lines
from orchestrator.faces.ending import ending_lines
from orchestrator.faces.picture import Picture, SubtaskView
from orchestrator.faces.words import Line, Teller, titled, visible

if TYPE_CHECKING:
    from orchestrator.runs import Outcome
    from roles.journal import Event

TONES = {"good": "green", "bad": "red", "ask": "yellow", "dim": "dim", "": ""}
SITUATIONS = {
    "PLAN": "plan",
    "GET_ACTION": "get action",
    "EXECUTE_ACTION": "execute",
    "QUALITY_CHECK": "check",
    "SUPPLEMENT": "supplement",
    "FINAL_CHECK": "final check",
    "DONE": "done",
}
PLAN_SHOWN = 8


class Live:
    """For terminals. Scrollback is the log: one line per finished step, newest at the bottom."""

    def __init__(self, out: IO[str], *, can_ask: bool = False, console: Console | None = None) -> None:
        self.console = console or Console(file=out, highlight=False, markup=False, emoji=False)
        self.approver: Approver | None = self._ask if can_ask else None
        self.picture = Picture()
        self._teller = Teller()
        self._began = time.monotonic()
        self._live: RichLive | None = None

    def start(self) -> None:
        self._began = time.monotonic()
        self._live = RichLive(get_renderable=self.panel, console=self.console, refresh_per_second=8, transient=True)
        self._live.start()

    def stop(self) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None

    def recall(self, event: Event) -> None:
        self.picture.apply(event)
        self._teller.lines(event)

    def event(self, event: Event) -> None:
        self.picture.apply(event)
        for line in self._teller.lines(event):
            if self.approver is None or event.kind != "approval_requested":  # else it is asked at once
                self.console.print(styled(line))

    def finish(self, outcome: Outcome) -> None:
        self.stop()
        self.console.print()
        for line in ending_lines(outcome):
            if line.text.startswith("deskcrew "):
                self.console.print(Text(str(line)), soft_wrap=True)  # a command is copied whole
            else:
                self.console.print(styled(line))

    def panel(self) -> RenderableType:
        """The block at the bottom, as wide as the terminal allows."""
        now = self.picture
        rows: list[RenderableType] = [
            rule(self.console.width),
            *header(now, time.monotonic() - self._began),
            machine(now),
            *plan(now),
            worker(now),
        ]
        if now.gate:
            rows.append(row("gate", now.gate))
        if now.nearly:
            rows.append(row("budget", Text(" · ".join(now.nearly.values()), style="yellow")))
        if now.facts:
            rows.append(row("facts", facts_line(now)))
        return Group(*rows)

    def _ask(self, request: dict[str, Any]) -> Answer | None:
        running = self._live is not None
        self.stop()
        for line in request_lines(request):
            self.console.print(styled(line))
        answer = ask(
            request, read=lambda prompt: self.console.input(Text(prompt)), say=lambda text: self.console.print(Text(text))
        )
        if running:
            self.start()
        return answer


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


def row(mark: str, text: str | Text) -> Text:
    """A row of the panel, cut at the terminal's edge."""
    made = Text.assemble((f"{mark:>9}  ", "dim"), no_wrap=True, overflow="ellipsis")
    return made.append(text) if isinstance(text, str) else made.append_text(text)


def rule(width: int) -> Text:
    return Text("─" * max(width - 1, 1), style="dim", no_wrap=True, overflow="crop")


def header(now: Picture, seconds: float) -> list[RenderableType]:
    clock = f"{int(seconds) // 60:02d}:{int(seconds) % 60:02d}"
    return [row("goal", Text(now.goal or "…", style="bold")), row("run", f"{now.run_id or '…'} · {clock} · step {now.steps}")]


def machine(now: Picture) -> RenderableType:
    """The situations, the visited ones with their count, the present one in brackets."""
    parts = Text()
    for name, word in SITUATIONS.items():
        visits = now.visits.get(name, 0)
        if parts:
            parts.append(" ─ ", style="dim")
        if name == now.situation:
            parts.append(f"[{word}{f' {visits}' if visits > 1 else ''}]", style="bold cyan")
        else:
            parts.append(f"{word}{f' ✓{visits if visits > 1 else str()}' if visits else ''}", style="" if visits else "dim")
    return aligned(Text("machine", style="dim"), parts)


def plan(now: Picture) -> list[Text]:
    """The subtasks around the present one."""
    if not now.plan:
        return []
    at = next((i for i, subtask in enumerate(now.plan) if subtask.id == now.subtask), 0)
    first = max(0, min(at - PLAN_SHOWN // 2, len(now.plan) - PLAN_SHOWN))
    shown = now.plan[first : first + PLAN_SHOWN]
    rows = [
        row("plan" if i == 0 else "", _subtask(first + i + 1, subtask, subtask.id == now.subtask))
        for i, subtask in enumerate(shown)
    ]
    if len(shown) < len(now.plan):
        rows.append(row("", f"{first} before, {len(now.plan) - first - len(shown)} after"))
    return rows


def _subtask(number: int, subtask: SubtaskView, current: bool) -> Text:
    sign, style = {"fulfilled": ("✓", "green"), "rejected": ("✗", "red")}.get(
        subtask.status, ("▸" if current else "▹" if subtask.status == "pending" else "·", "")
    )
    return Text(f"{sign} {number}. {titled(subtask.title, subtask.app)}", style="bold" if current and not style else style)


def facts_line(now: Picture) -> str:
    """How many facts there are, what is disputed, and the latest."""
    disputed = sum(now.known.values())
    counted = f"{len(now.known)} known{f', {disputed} disputed' if disputed else ''}"
    latest = " · ".join(f"{name} = {value}" for name, value in reversed(now.facts))
    return f"{counted}: {latest}" if len(now.known) > 1 else latest


def worker(now: Picture) -> Text:
    current = now.current()
    chain = " › ".join(part for part in ("controller", now.role, current.title if current else "") if part)
    return row("at work", chain + (f" › {now.doing}" if now.doing else ""))
