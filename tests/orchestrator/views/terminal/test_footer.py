"""The rows at the bottom of a terminal: what is written, and what a terminal then shows and keeps."""

from __future__ import annotations

import io
import re
from collections.abc import Callable

import pyte
import pytest
from rich.console import Console
from rich.text import Text

from orchestrator.views.terminal.live import Live, Picture, fitted, panel, room
from roles.journal.journal import Event

WIDE = "请在报销系统中填写发票 🧾 and submit 👩‍💻 👍🏽 ❤️ 訂單 "
ROW = re.compile(r" {0,8}\S[\w ]{0,8}  \S| {11}\S|─+ *$")
"""A row of the panel: its mark, then what it says; or the rule above."""


class Shown:
    """A console on a terminal that keeps what scrolls out."""

    def __init__(self, columns: int, rows: int) -> None:
        self.out = io.StringIO()
        self.console = Console(
            file=self.out, force_terminal=True, color_system="standard", width=columns, height=rows,
            highlight=False, markup=False, emoji=False, legacy_windows=False, _environ={"TERM": "xterm"},
        )  # fmt: skip
        self.screen = pyte.HistoryScreen(columns, rows, history=10_000)
        self._stream = pyte.Stream(self.screen)
        self._read = 0

    def written(self) -> str:
        """What was written since the last look; the terminal shows it then."""
        new = self.out.getvalue()[self._read :]
        self._read += len(new)
        self._stream.feed(new.replace("\n", "\r\n"))
        return new

    def kept(self) -> list[str]:
        """All lines, those that scrolled out first."""
        self.written()
        width = self.screen.columns
        above = ["".join(line[x].data for x in range(width)) for line in self.screen.history.top]
        return [line.rstrip() for line in [*above, *self.screen.display]]


def face(console: Console, *below: Callable[[], str]) -> Live:
    """A live view with these rows below."""
    made = Live(io.StringIO(), console=console)
    made.rows = lambda: [Text(say(), no_wrap=True) for say in below]  # type: ignore[method-assign]
    return made


@pytest.fixture
def shown() -> Shown:
    return Shown(60, 24)


def test_lines_scroll_by_above_the_rows_each_of_them_once_and_the_cursor_comes_back(shown: Shown) -> None:
    count = 0
    live = face(shown.console, lambda: "─" * 59, lambda: f"count {count}", lambda: WIDE * 9)
    live.start()
    shown.written()
    assert shown.screen.cursor.hidden
    for count in range(100):
        live.print(Text(f"line {count} 填写发票 🧾"), Text("beside it"))
        shown.written()
        assert shown.screen.display[shown.screen.cursor.y - 1].startswith(f"count {count}")
    live.stop()
    live.stop()
    kept = shown.kept()
    assert [line for line in kept if line.startswith("line ")] == [f"line {n} 填写发票 🧾" for n in range(100)]
    assert not [line for line in kept if line.startswith(("count", "─"))], "the rows are no part of what is kept"
    assert not shown.screen.cursor.hidden


def test_a_stray_print_goes_above_the_rows(shown: Shown, capsys: pytest.CaptureFixture[str]) -> None:
    live = face(shown.console, lambda: "bottom")
    live.start()
    print("a warning")
    kept = [line for line in shown.kept() if line]
    live.stop()
    assert kept == ["a warning", "bottom"]


def test_what_is_no_terminal_is_left_alone() -> None:
    out = io.StringIO()
    live = face(Console(file=out, width=80), lambda: "bottom")
    live.start()
    live.print(Text("a line"))
    live.stop()
    assert out.getvalue() == "a line\n"


@pytest.mark.parametrize(
    "words", [WIDE, "plain words that are long enough for every width", "👩‍💻" * 20, "👍🏽🇩🇪" * 20, "e\u0301" * 50]
)
def test_a_row_is_cut_so_that_no_terminal_can_break_it(words: str) -> None:
    from wcwidth import wcwidth

    for width in range(1, 40):
        assert sum(max(0, wcwidth(sign)) for sign in fitted(Text(words), width).plain) <= width


def picture(subtasks: int) -> Picture:
    """Everything that the panel can say, at length."""
    now = Picture()
    said = [
        ("run_started", {"goal": WIDE * 30, "run_id": "20260302-090000-1f3a"}),
        ("plan", {"subtasks": [{"id": f"s{n}", "title": f"{n} {WIDE * 4}", "app": "billing"} for n in range(subtasks)]}),
        ("situation", {"next": "GET_ACTION"}),
        ("situation", {"next": "EXECUTE_ACTION"}),
        ("decided", {"line": f"fill {WIDE * 4}"}),
        ("gate", {"trigger": "actions", "decision": "gate_continue", "reason": WIDE * 9}),
        ("budget_warning", {"key": "limits.steps", "message": WIDE}),
        ("fact", {"name": WIDE, "value": WIDE}),
        ("model_call", {"tokens_in": 1200, "tokens_out": 34, "money": 0.06}),
    ]
    for number, (kind, body) in enumerate(said, start=1):
        now.apply(Event(number, float(number), kind, "operator", f"s{subtasks // 2}", number, body))
    return now


@pytest.mark.parametrize("subtasks", [0, 1, 30])
@pytest.mark.parametrize("columns", [20, 40, 60, 100, 200])
@pytest.mark.parametrize("height", [1, 4, 9, 12, 24])
def test_the_panel_has_half_of_the_terminal_at_most_and_each_row_one_line(subtasks: int, columns: int, height: int) -> None:
    shown = Shown(columns, height)
    now = picture(subtasks)
    live = Live(io.StringIO(), console=shown.console)
    live.rows = lambda: panel(now, seconds=3700.0, silent=12.0, width=columns, height=height)  # type: ignore[method-assign]
    live.start()
    shown.written()
    drawn = [line for line in shown.screen.display if line.strip()]
    live.stop()
    assert len(drawn) <= room(height) <= height // 2
    assert all(ROW.match(line) for line in drawn), drawn
    if height >= 4 and columns >= 40:
        assert any("operator" in line for line in drawn), "who is at work is the last thing to give way"
    if height >= 24 and columns >= 60:
        said = "\n".join(drawn)
        for part in ("goal", "1:01:40 · step", "[execute]", "at work", "12 s", "gate", "budget", "facts"):
            assert part in said
        assert (f"▸ {subtasks // 2 + 1}." in said) == bool(subtasks)
    if columns >= 100 and height >= 12:
        assert "1,234 tok · $0.06" in "\n".join(drawn)
