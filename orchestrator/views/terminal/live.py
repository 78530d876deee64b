"""The live view: finished steps scroll by above, and a small panel below says where the run is."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from rich.cells import get_character_cell_size
from rich.console import Console, Group, RenderableType
from rich.live import Live as LiveDisplay
from rich.table import Table
from rich.text import Text

from orchestrator.store.printable import UNREADABLE, clean, visible
from orchestrator.views.terminal.approval import asked, typed
from orchestrator.views.terminal.event_lines import EventLine, Teller, fact_words, titled
from orchestrator.views.terminal.plain import Face, ending_lines
from roles.journal import events as journal
from roles.journal.events import JournalEvent, Unreadable

_JOINERS = {ord(sign): None for sign in "\u200d\ufe0e\ufe0f"}
"""Terminals do not agree how wide what these join is."""
_MARGIN = 4
"""Cells at the end of a row: a terminal breaks a row that fills the last one, and writes `^C` behind the cursor itself."""


def steady(words: str) -> str:
    """The same words, as wide in every terminal: what would be joined stands side by side."""
    return words.translate(_JOINERS)


def fitted(row: Text, width: int) -> Text:
    """The row cut at that width, by letters: where a terminal draws several as one it is narrower, and never wider."""
    made = row.copy()
    if sum(map(_widest, made.plain)) <= width:
        return made
    used = kept = 0
    for sign in made.plain:
        used += _widest(sign)
        if used > width - 1:
            break
        kept += 1
    made.right_crop(len(made.plain) - kept)
    return made.append("…") if width > 0 else made


def _widest(sign: str) -> int:
    """Cells of a letter where a terminal draws it by itself: colours of skin, and halves of flags, are pictures then."""
    return 2 if "\U0001f3fb" <= sign <= "\U0001f3ff" or "\U0001f1e6" <= sign <= "\U0001f1ff" else get_character_cell_size(sign)


if TYPE_CHECKING:
    from orchestrator.runs.outcome import Answer, Outcome
    from protocol import JsonObject
    from roles.journal.journal import Event

FACTS_KEPT = 6


@dataclass
class SubtaskView:
    """A line of the plan."""

    id: str
    title: str
    app: str = ""
    status: str = "ready"


@dataclass
class Picture:
    """What is known at this moment."""

    run_id: str = ""
    goal: str = ""
    began: float | None = None
    latest: float | None = None
    status: str = "created"
    situation: str = ""
    visits: dict[str, int] = field(default_factory=dict)
    plan: tuple[SubtaskView, ...] = ()
    plans: int = 0
    role: str = ""
    subtask: str = ""
    steps: int = 0
    doing: str = ""
    gate: str = ""
    nearly: dict[str, str] = field(default_factory=dict)
    """Budgets that are nearly spent, in words, by their keys."""
    facts: tuple[tuple[str, str], ...] = ()
    """The latest ones: name, and value with who says it."""
    known: dict[str, bool] = field(default_factory=dict)
    """Every fact by its name, and whether sources disagree about it."""
    tokens: int = 0
    money: float = 0.0

    def apply(self, event: Event) -> None:
        """Take in one event; one with content that deskcrew does not write is passed over."""
        self.began = event.at if self.began is None else self.began
        self.latest = event.at
        if event.role not in ("", "user", "controller"):
            self.role = clean(event.role, 40)
        self.subtask = event.subtask or self.subtask
        content = event.content
        with suppress(*UNREADABLE):
            if not isinstance(content, Unreadable):
                self._take(event, content)

    def _take(self, event: Event, content: JournalEvent) -> None:  # noqa: C901 - a branch for each kind that changes something
        match content:
            case journal.RunStartedEvent():
                self.run_id, self.goal = clean(content.run_id), clean(content.goal)
            case journal.RunResumedEvent():
                self.goal = clean(content.goal) or self.goal
            case journal.BudgetWarningEvent():
                self.nearly[content.key] = clean(content.message, 80)
            case journal.TaskStatusEvent():
                self.status = clean(content.status) or self.status
            case journal.SituationEvent():
                self.situation = clean(content.next or content.situation)
                self.visits[self.situation] = self.visits.get(self.situation, 0) + 1
                self.doing = ""
            case journal.PlanEvent():
                self.plans += 1
                self.plan = tuple(map(_view, content.subtasks))
            case journal.SubtaskStatusEvent():
                for subtask in self.plan:
                    if subtask.id == event.subtask:
                        subtask.status = content.status or subtask.status
            case journal.DecidedEvent():
                self.doing = clean(content.line or content.status, 160)
            case journal.OutcomeEvent():
                self.steps = max(self.steps, event.step)
                self.doing = ""
            case journal.ModelCallEvent():
                self.tokens += content.tokens_in + content.tokens_out
                self.money += content.money
            case journal.GateEvent():
                self.gate = clean(f"{content.trigger} → {content.decision}: {content.reason}", 200)
            case journal.FactEvent():
                name = clean(content.name, 60)
                others = tuple(fact for fact in self.facts if fact[0] != name)
                self.facts = (*others, (name, fact_words(content, 80)))[-FACTS_KEPT:]
                self.known[name] = bool(content.instead)
            case _:
                return

    def current(self) -> SubtaskView | None:
        return next((s for s in self.plan if s.id == self.subtask), None)


def _view(subtask: Mapping[str, Any]) -> SubtaskView:
    title, app = clean(subtask.get("title", ""), 160), clean(subtask.get("app") or "", 40)
    return SubtaskView(str(subtask.get("id", "")), title, app, subtask.get("status", "ready"))


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
ROOM = 20
"""Rows at most, however high the terminal is."""
_LEFT_ALONE = 3
"""Rows of the terminal that are for the lines above, however low it is."""
_MARK = 11
_WIDE = 80
_SLOW = 2.0
"""Seconds without news after which it is said for how long there were none."""


class _Row(NamedTuple):
    """A row, and how soon it gives way: the highest number first."""

    gives_way: int
    text: Text


def room(height: int) -> int:
    """Rows that a terminal of this height has for the panel: half of it, so that the steps can be read above."""
    return max(0, min(height - _LEFT_ALONE, height // 2, ROOM))


def panel(now: Picture, *, seconds: float, silent: float, width: int, height: int) -> list[Text]:
    """The rows, top first, each on one line. `seconds` were worked, and nothing was heard for `silent` seconds."""
    allowed = room(height)
    fixed = [
        _Row(6, Text("─" * max(width - _MARGIN, 1), style="dim", no_wrap=True)),
        _Row(5, row("goal", Text(steady(now.goal) or "…", style="bold"))),
        _Row(1, row("run", _run(now, seconds))),
        _Row(4, row("machine", _machine(now, width - _MARGIN - _MARK))),
        _Row(0, row("at work", _at_work(now, silent, width))),
        *_told(now),
    ]
    kept = sorted(fixed, key=lambda one: one.gives_way)[:allowed]
    plan = _plan(now, min(PLAN_SHOWN, allowed - len(kept))) if len(kept) == len(fixed) else []
    if not plan and now.plan and len(kept) > 3:
        plan, kept = _plan(now, 1), kept[:-1]
    rows: list[Text] = []
    for one in fixed:
        if one.gives_way == 0:
            rows += plan
        if one in kept:
            rows.append(one.text)
    return rows


def row(mark: str, text: str | Text) -> Text:
    made = Text.assemble((f"{mark:>9}  ", "dim"), no_wrap=True)
    return made.append(text) if isinstance(text, str) else made.append_text(text)


def _run(now: Picture, seconds: float) -> str:
    parts = [_clock(seconds), f"step {now.steps}"]
    if now.plan:
        parts.append(f"{sum(one.status == 'fulfilled' for one in now.plan)} of {len(now.plan)} subtasks")
    if now.tokens:
        parts.append(f"{now.tokens:,} tok")
    if now.money:
        parts.append(f"${now.money:.2f}")
    return " · ".join([*parts, now.run_id or "…"])


def _clock(seconds: float) -> str:
    whole = int(seconds)
    return f"{whole // 3600}:{whole // 60 % 60:02d}:{whole % 60:02d}" if whole >= 3600 else f"{whole // 60:02d}:{whole % 60:02d}"


def _machine(now: Picture, width: int) -> Text:
    """The situations, the visited ones with their count, the present one in brackets; the visited ones, or that one, where all
    have no room."""
    visited = [name for name in SITUATIONS if now.visits.get(name) or name == now.situation]
    present = [now.situation] if now.situation in SITUATIONS else []
    ways = [_situations(now, names) for names in (list(SITUATIONS), visited, present)]
    return next((way for way in ways if len(way.plain) <= width), ways[-1])


def _situations(now: Picture, names: list[str]) -> Text:
    parts = Text()
    for name in names:
        word, visits = SITUATIONS[name], now.visits.get(name, 0)
        if parts:
            parts.append(" ─ ", style="dim")
        if name == now.situation:
            parts.append(f"[{word}{f' {visits}' if visits > 1 else ''}]", style="bold cyan")
        else:
            parts.append(f"{word}{f' ✓{visits if visits > 1 else str()}' if visits else ''}", style="" if visits else "dim")
    return parts


def _plan(now: Picture, most: int) -> list[Text]:
    """The subtasks around the present one."""
    if most < 1 or not now.plan:
        return []
    at = next((i for i, subtask in enumerate(now.plan) if subtask.id == now.subtask), 0)
    first = max(0, min(at - most // 2, len(now.plan) - most))
    return [
        row("plan" if i == 0 else "", _subtask(first + i + 1, subtask, subtask.id == now.subtask))
        for i, subtask in enumerate(now.plan[first : first + most])
    ]


def _subtask(number: int, subtask: SubtaskView, current: bool) -> Text:
    sign, style = {"fulfilled": ("✓", "green"), "rejected": ("✗", "red")}.get(
        subtask.status, ("▸" if current else "▹" if subtask.status == "pending" else "·", "")
    )
    said = f"{sign} {number}. {steady(titled(subtask.title, subtask.app))}"
    return Text(said, style="bold" if current and not style else style)


def _at_work(now: Picture, silent: float, width: int) -> Text:
    """What is done now. The subtask stands in the plan, so that the action has the room of its title where there is one."""
    current = now.current()
    last = now.doing or (current.title if current else "")
    made = Text(" › ".join(steady(part) for part in ("controller" if width >= _WIDE else "", now.role, last) if part))
    if silent >= _SLOW:
        made = Text.assemble((f"{int(silent)} s  ", "dim"), made)
    return made


def _told(now: Picture) -> Iterator[_Row]:
    if now.gate:
        yield _Row(8, row("gate", steady(now.gate)))
    if now.nearly:
        yield _Row(7, row("budget", Text(steady(" · ".join([*now.nearly.values()])), style="yellow")))
    if now.facts:
        yield _Row(9, row("facts", steady(facts_line(now))))


def facts_line(now: Picture) -> str:
    """How many facts there are, what is disputed, and the latest."""
    disputed = sum(now.known.values())
    counted = f"{len(now.known)} known{f', {disputed} disputed' if disputed else ''}"
    latest = " · ".join(f"{name} = {value}" for name, value in reversed(now.facts))
    return f"{counted}: {latest}" if len(now.known) > 1 else latest


TONES = {"good": "green", "bad": "red", "ask": "yellow", "dim": "dim", "": ""}


class Live(Face):
    """For terminals. Scrollback is the log: one line per finished step, newest at the bottom."""

    def __init__(self, out: IO[str], *, can_ask: bool = False, console: Console | None = None) -> None:
        super().__init__(out)
        self.console = console or Console(file=out, highlight=False, markup=False, emoji=False)
        self.approver = self._ask if can_ask else None
        self.picture = Picture()
        self._teller = Teller()
        self._display: LiveDisplay | None = None
        self._worked = 0.0
        self._since: float | None = None

    def start(self) -> None:
        self._since = time.monotonic()
        if self._display is None and self.console.is_terminal and not self.console.is_dumb_terminal:
            self._display = LiveDisplay(get_renderable=self.panel, console=self.console, transient=True)
            self._display.start(refresh=True)

    def stop(self) -> None:
        self._worked, self._since = self._seconds(), None
        if self._display is not None:
            self._display.stop()
            self._display = None

    def recall(self, event: Event) -> None:
        self.picture.apply(event)
        self._teller.lines(event)

    def event(self, event: Event) -> None:
        self.picture.apply(event)
        lines = self._teller.lines(event)
        if lines and (self.approver is None or event.kind != journal.ApprovalRequestedEvent.KIND):  # else it is asked at once
            self.print(*map(styled, lines))

    def print(self, *lines: RenderableType) -> None:
        """Put lines above the panel, which is drawn as it is now."""
        self.console.print(*lines, sep="\n")
        if self._display is not None:
            self._display.refresh()

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
        return Group(*(fitted(row, self.console.width - _MARGIN) for row in self.rows()))

    def _seconds(self) -> float:
        """Seconds at work; those in which a person was asked are none."""
        return self._worked + (time.monotonic() - self._since if self._since is not None else 0.0)

    def _ask(self, body: JsonObject) -> Answer | None:
        running = self._since is not None
        self.stop()
        try:
            return asked(
                body, lambda line: self.console.print(styled(line)), read=self._typed,
                say=lambda text: self.console.print(Text(text)),
            )  # fmt: skip
        finally:
            if running:
                self.start()

    def _typed(self, prompt: str) -> str:
        self.console.print(Text(prompt, end=""), soft_wrap=True)
        return typed("", self.console.file)


def styled(line: EventLine) -> RenderableType:
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
