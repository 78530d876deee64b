"""What a person sees in a terminal: safe text, lines that fit, an approval whose default is no, and the rows at the bottom."""

import io
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyte
import pytest
from rich.console import Console
from rich.text import Text

from orchestrator.control.requests import usable_action
from orchestrator.errors import UsageProblem
from orchestrator.runs.outcome import Outcome
from orchestrator.views.terminal import make_face
from orchestrator.views.terminal.approval import ask, edit_decision, request_lines
from orchestrator.views.terminal.live import Live, Picture, fitted, panel, room
from orchestrator.views.terminal.plain import Plain, ending_lines
from roles.contracts.requests import read_request
from roles.journal.journal import Event

HOSTILE = "[bold red]spoof[/bold red] \x1b[2J\x1b]0;title\x07 \u202egnp \ud800 金额 👩\u200d💻\nnext\tend"

REQUEST: dict[str, Any] = {
    "action_requests": [
        {"name": "click", "args": {"target": {"text": "Submit request"}}, "description": 'click "Submit request"'}
    ],
    "review_configs": [{"action_name": "click", "allowed_decisions": ["approve", "edit", "reject", "respond"]}],
    "kind": "approval",
    "rule": "approval_required_for_sensitive_actions",
    "risk": "medium",
    "reasons": ["the action would submit something to others"],
    "app": "reimbursement",
}
QUESTION: dict[str, Any] = {
    "action_requests": [{"name": "ask_user", "args": {"question": "Which invoice?"}, "description": "ask"}],
    "review_configs": [{"action_name": "ask_user", "allowed_decisions": ["respond", "reject"]}],
    "kind": "question",
}

PLAN: dict[str, Any] = {
    "action_requests": [
        {"name": "work_plan", "description": "work plan 2: 1 subtask",
         "args": {"subtasks": [{"id": "b", "instruction": "read the total", "app": "billing", "depends_on": ["a"]}]}},
    ],
    "review_configs": [{"action_name": "work_plan", "allowed_decisions": ["approve", "edit", "reject", "respond"]}],
    "kind": "plan",
    "ended": [{"id": "a", "title": "open billing", "status": "fulfilled"}],
    "apps": ["billing", "notes"],
    "reasons": ["a clause is understood"],
}  # fmt: skip


def events(text: str = "words") -> Iterator[Event]:
    """One event of every kind, with `text` wherever a screen, a model or a world could put it."""
    bodies: list[tuple[str, dict[str, Any]]] = [
        ("run_started", {"run_id": "r1", "goal": text}),
        ("situation", {"situation": "INIT", "signal": "task_open", "next": "PLAN"}),
        ("plan", {"reason": text, "subtasks": [{"id": "s1", "title": text, "app": "billing"}, {"id": "s2", "title": "b"}]}),
        ("task_status", {"status": "pending"}),
        ("subtask_status", {"status": "pending", "before": "ready", "attempt": 1}),
        ("observed", {"state_id": "x", "elements": 4}),
        ("recognized", {"elements": 4}),
        ("interpreted", {}),
        ("decided", {"line": text, "reasoning": text, "status": "CONTINUE"}),
        ("reviewed", {"verdict": "deny", "rule": text, "reasons": [text]}),
        ("reviewed", {"verdict": "allow", "rule": "work", "reasons": []}),
        ("approval_requested", {**REQUEST, "reasons": [text], "app": text}),
        ("approval", {"decision": "reject", "message": text}),
        ("intent", {"line": text}),
        ("outcome", {"line": text, "exec_status": "executed"}),
        ("outcome", {"line": text, "exec_status": "error", "error": text}),
        ("feedback", {"events": [text], "visible_change": True}),
        ("recovered", {"how": text, "attempt": 2}),
        ("gate", {"trigger": "FINAL_CHECK", "decision": "gate_fail", "reason": text, "issues": [text], "evidence": []}),
        ("supplement", {"query": text, "found": [{"title": text, "source": text}]}),
        ("supplement", {"query": text, "found": []}),
        ("fact", {"name": text, "value": text, "app": "billing"}),
        ("budget", {"name": text}),
        ("budget_warning", {"key": text, "message": text}),
        ("limits_changed", {"limits": {text: [text, text]}}),
        ("error", {"message": text}),
        ("report", {}),
        ("subtask_status", {"status": "fulfilled", "attempt": 1}),
        ("something_new", {"of": "a later version"}),
        ("run_resumed", {"goal": text}),
        ("run_finished", {"status": "fulfilled", "reason": text}),
    ]
    for number, (kind, body) in enumerate(bodies, start=1):
        yield Event(number, 1000.0 + number, kind, "operator", "s1", number, body)


def outcome(code: int = 0, **changes: Any) -> Outcome:
    status = {0: "fulfilled", 1: "rejected", 3: "on_hold", 4: "rejected"}[code]
    report = {"plan": [{"title": HOSTILE, "status": "fulfilled"}], "facts": [{"name": "total", "value": HOSTILE}]}
    values = {"run_id": "20260101-000000-ab12", "folder": Path("runs/20260101-000000-ab12"), "status": status, "exit_code": code}
    return Outcome.model_validate({**values, "reason": HOSTILE, "report": report, **changes})


def test_plain_lines_tell_what_matters_and_stay_silent_about_machinery() -> None:
    out = io.StringIO()
    face = Plain(out)
    for event in events("copy the total"):
        face.event(event)
    said = out.getvalue()
    told = (
        "goal  copy the total",
        "✗ copy the total → copy the total",
        "not allowed",
        "nothing found",
        "✓ copy the total fulfilled",
    )
    assert [part for part in told if part not in said] == []
    assert [part for part in ("observed", "recognized", "something_new") if part in said] == []


HERE, AWAY = Path("runs/20260101-000000-ab12"), Path("/data/my runs/20260101-000000-ab12")


@pytest.mark.parametrize(
    ("code", "pending", "folder", "expected"),
    [
        (0, None, HERE, "deskcrew show 20260101-000000-ab12"),
        (0, None, AWAY, "--runs-dir '/data/my runs'"),
        (1, None, HERE, "deskcrew show"),
        (3, REQUEST, HERE, "deskcrew resume 20260101-000000-ab12 --approve"),
        (3, QUESTION, HERE, "--respond"),
        (4, None, HERE, "a budget is spent"),
    ],
)
def test_the_last_screen_says_the_verdict_and_what_to_type_next(code: int, pending: Any, folder: Path, expected: str) -> None:
    text = "\n".join(map(str, ending_lines(outcome(code, pending=pending, folder=folder))))
    assert expected in text
    assert str(folder) in text
    assert ("--approve" in text) is (pending is REQUEST)
    assert ("Which invoice?" in text) is (pending is QUESTION)


def answers(*typed: str) -> Any:
    """A reader that types these lines and then closes its input."""
    lines = iter(typed)

    def read(prompt: str) -> str:
        try:
            return next(lines)
        except StopIteration:
            raise EOFError from None

    return read


@pytest.mark.parametrize(
    ("request_", "typed", "decision"),
    [
        (REQUEST, ("a",), {"type": "approve"}),
        (REQUEST, ("approve",), {"type": "approve"}),
        (REQUEST, ("", ""), {"type": "reject"}),
        (REQUEST, ("r", "use the other form"), {"type": "reject", "message": "use the other form"}),
        (REQUEST, ("no", ""), {"type": "reject"}),
        (REQUEST, ("nonsense", "a"), {"type": "approve"}),
        (REQUEST, ("s take the newest",), {"type": "respond", "message": "take the newest"}),
        (REQUEST, (), None),
        (QUESTION, ("INV-7",), {"type": "respond", "message": "INV-7"}),
        (QUESTION, (), None),
        (PLAN, ("a",), {"type": "approve"}),
        (PLAN, ("r", "not so"), {"type": "reject", "message": "not so"}),
    ],
)
def test_the_person_at_the_terminal_answers_and_the_default_is_no(
    request_: dict[str, Any], typed: tuple[str, ...], decision: dict[str, str] | None
) -> None:
    """At the end of input the run is left waiting."""
    given_ = ask(read_request(request_), read=answers(*typed), say=lambda text: None)
    assert given_ == (None if decision is None else {"decisions": [decision]})


def test_an_edit_at_the_terminal_is_checked_and_asked_again() -> None:
    said: list[str] = []
    typed = answers("e", '{"action_type": "clik"}', "e", '{"action_type": "press_key", "keys": ["Escape"]}')
    given_ = ask(read_request(REQUEST), read=typed, say=said.append)
    assert given_ == {"decisions": [{"type": "edit", "edited_action": {"name": "press_key", "args": {"keys": ["Escape"]}}}]}
    assert any("clik" in line for line in said)


def test_the_request_shows_the_exact_action_its_place_rule_and_reason_and_a_plan_a_line_a_subtask_with_what_has_ended() -> None:
    text = "\n".join(map(str, request_lines(read_request(REQUEST))))
    shown = ('click "Submit request"', "reimbursement", "approval_required_for_sensitive_actions", "medium", "submit something")
    assert [part for part in shown if part not in text] == []
    told = [(line.mark, line.text) for line in request_lines(read_request(PLAN))]
    assert told == [
        ("plan?", "work plan 2: 1 subtask"),
        ("", "✓ open billing"),
        ("", "· b: read the total · billing (after a)"),
        ("because", "a clause is understood"),
    ]


@pytest.mark.parametrize("text", ["{", "[]", "click", '{"action_type": "clik"}', '{"action_type": "click"}', "a: b: c"])
def test_an_edit_that_is_no_action_is_refused_in_one_sentence_and_one_that_is_keeps_all_its_arguments(text: str) -> None:
    with pytest.raises(UsageProblem, match=r"edit\.json"):
        usable_action(text, "edit.json")
    action = usable_action("{action_type: fill, target: {text: Amount}, text: '12'}")
    assert action == usable_action('fill "Amount" with "12"\n')
    assert edit_decision(action)["decisions"][0]["edited_action"] == {
        "name": "fill",
        "args": {"target": {"text": "Amount"}, "text": "12"},
    }


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("environment", "stream", "expected"),
    [
        ({"TERM": "xterm-256color"}, Terminal(), "Live"),
        ({"TERM": "xterm-256color", "NO_COLOR": "1"}, Terminal(), "Plain"),
        ({"TERM": "dumb"}, Terminal(), "Plain"),
        ({"TERM": "xterm-256color"}, io.StringIO(), "Plain"),
    ],
)
def test_the_face_fits_the_terminal(
    environment: dict[str, str], stream: io.StringIO, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    face = make_face("auto", out=stream, source=Terminal())
    assert type(face).__name__ == expected
    assert (face.approver is not None) == stream.isatty()
    programs = [make_face(display, out=stream, source=Terminal()) for display in ("json", "none")]
    assert [face.approver for face in programs] == [None, None], "where a program listens nobody is asked"


def test_a_plan_is_edited_in_a_file_and_asked_for_again_until_it_fits(tmp_path: Path) -> None:
    good, bad = tmp_path / "good.yaml", tmp_path / "bad.yaml"
    good.write_text("subtasks:\n- {id: c, instruction: write it down, app: notes, depends_on: [a]}\n")
    bad.write_text("subtasks:\n- {id: c, instruction: write it down, app: crm}\n")
    said: list[str] = []
    answer = ask(read_request(PLAN), read=answers("e", str(bad), "e", str(good)), say=said.append)
    assert "  - id: b" in said
    assert any("wants the application 'crm'" in line for line in said)
    edited = answer["decisions"][0]["edited_action"]
    assert edited["name"] == "work_plan"
    assert [s["id"] for s in edited["args"]["subtasks"]] == ["c"]


# --- the rows at the bottom of a terminal: what is written, and what a terminal then shows and keeps


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


def test_a_stray_print_goes_above_the_rows_and_what_is_no_terminal_is_left_alone(
    shown: Shown, capsys: pytest.CaptureFixture[str]
) -> None:
    live = face(shown.console, lambda: "bottom")
    live.start()
    print("a warning")
    kept = [line for line in shown.kept() if line]
    live.stop()
    assert kept == ["a warning", "bottom"]
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
