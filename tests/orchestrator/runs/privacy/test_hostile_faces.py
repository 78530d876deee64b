"""Whatever stands in an event, a report or a request: a face shows it as text, on lines of its own, and obeys none of it.

What is shown is decided by strangers: texts of screens, names of files, answers of models, run folders that were sent.
"""

import io
import json
import re
import unicodedata
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

from orchestrator.errors import UsageProblem
from orchestrator.runs.folders import RunInfo, RunView
from orchestrator.runs.outcome import Outcome
from orchestrator.store.printable import UNREADABLE, clean, json_text, visible
from orchestrator.views.listing import run_page, runs_table
from orchestrator.views.terminal.approval import request_lines
from orchestrator.views.terminal.live import Live, styled
from orchestrator.views.terminal.plain import JsonLines, Plain, ending_lines
from roles.contracts.requests import read_request
from roles.journal.events import EVENTS
from roles.journal.journal import Event

WIDTH = 80
TRICKS = (
    "\x1b]0;owned\x07", "\x1b[2J\x1b[H", "\x1b]8;;http://evil.example\x1b\\click\x1b]8;;\x1b\\", "\x9b31m", "\x1bPq#0\x1b\\",
    "\r",     "\n", "\r\n  status  fulfilled", "\b\b\b", "\x00", "\x7f", "\x85",
    "\u2028", "\u2029", "\u202e", "\u2066", "\u200b", "\ufeff",
    "\ud800", "\udfff", "\U000e0041", "\ue000", "[bold red]", "[/]", "[link=file:///etc/passwd]", "[@click=app.quit]", ":bomb:",
    "<script>alert(1)</script>", "'\"><svg onload=x>", "&lt;", "]]>", "${jndi:x}", "%s%n", "{0.__class__}", "{{7*7}}",
    "中文全角", "👩‍👩‍👧",
    "a\u0301" + "\u0300" * 60, "\u0e33" * 9, "ﷺ" * 9, "A" * 9000,
)  # fmt: skip
HOSTILE = st.lists(st.sampled_from(TRICKS) | st.text(max_size=6), max_size=5).map("".join)
NUMBERS = st.integers() | st.floats() | st.sampled_from([10**4000, -1, float("inf"), float("nan"), True])
ANYTHING = st.recursive(
    HOSTILE | NUMBERS | st.none(),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(HOSTILE | st.sampled_from(["id", "title", "app"]), inner, max_size=3)
    ),
    max_leaves=6,
)
_KEYS = """
    action action_requests app args attempt decision depends_on description dialog digest ended error evidence exec_status events
    expression facts found goal how id issues kind kept key limits line message name next now plan policy query question reason
    reasons resolution review_configs risk role rule run_id source status step steps subtask subtasks target then title trigger
    value verb verdict version visible_change was who why words worker worked about screen to
"""
KEYS = _KEYS.split()
KINDS = sorted({*EVENTS, "unheard of"})
SHAPED = st.fixed_dictionaries(
    {},
    optional={
        "subtasks": st.lists(st.dictionaries(st.sampled_from(KEYS), HOSTILE, max_size=6), max_size=3),
        "action_requests": st.lists(st.fixed_dictionaries({"name": HOSTILE, "args": ANYTHING}), max_size=2),
        "found": st.lists(st.dictionaries(st.sampled_from(KEYS), HOSTILE, max_size=4), max_size=3),
        "limits": st.dictionaries(HOSTILE, st.tuples(HOSTILE, HOSTILE).map(list), max_size=2),
    },
)
BODIES = st.tuples(st.dictionaries(st.sampled_from(KEYS), HOSTILE | ANYTHING, max_size=8), SHAPED).map(
    lambda two: two[0] | two[1]
)
EVENTS = st.builds(
    Event,
    id=st.integers(1, 99),
    at=st.floats(0, 2e9),
    kind=st.sampled_from(KINDS) | HOSTILE,
    role=st.sampled_from(["operator", "user"]) | HOSTILE,
    subtask=HOSTILE,
    step=st.integers(0, 10**9),
    body=BODIES,
)
SLOW = settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
_STYLE = re.compile(r"\x1b\[[0-9;]*m")
HIDDEN = {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}


def obeyed(text: str) -> list[str]:
    """What a terminal would obey in a text, but for the ends of lines."""
    return [repr(c) for c in text if c != "\n" and unicodedata.category(c) in HIDDEN and c not in "\u200d\ufe0f\ufe0e"]


def terminal() -> Console:
    return Console(
        file=io.StringIO(),
        force_terminal=True,
        width=WIDTH,
        height=50,
        color_system="truecolor",
        highlight=False,
        markup=False,
        emoji=False,
    )


def written(console: Console) -> str:
    """What a console wrote, without the colours that are rich's own."""
    assert isinstance(console.file, io.StringIO)
    return _STYLE.sub("", console.file.getvalue())


@given(st.lists(EVENTS, max_size=4))
@SLOW
def test_every_face_shows_any_event_as_text_within_its_width_and_json_holds_it_whole(events: list[Event]) -> None:
    out, rows, console = io.StringIO(), io.StringIO(), terminal()
    plain, lines, live = Plain(out), JsonLines(rows), Live(console.file, console=console)
    for event in events:
        plain.recall(event)
        before = out.getvalue().count("\n")
        for face in (plain, lines, live):
            face.event(event)
        assert out.getvalue().count("\n") - before <= 40
    console.print(live.panel())
    assert not obeyed(out.getvalue())
    assert all(len(line) < 3000 for line in out.getvalue().splitlines())
    assert not obeyed(written(console))
    assert all(cell_len(line) <= WIDTH for line in written(console).splitlines())
    assert rows.getvalue().isascii()
    assert [type(json.loads(line)) for line in rows.getvalue().splitlines()] == [dict] * len(events)


REQUESTS = st.fixed_dictionaries(
    {
        "kind": st.sampled_from(["approval", "question", "plan", "decision"]),
        "action_requests": st.tuples(st.fixed_dictionaries({"name": HOSTILE, "args": BODIES, "description": HOSTILE})),
    },
    optional={"reasons": st.lists(HOSTILE, max_size=2)},
).flatmap(
    lambda known: st.fixed_dictionaries(
        {},
        optional={
            "approval": {name: HOSTILE for name in ("rule", "risk", "app")},
            "question": {"remembered": BODIES},
            "plan": {"ended": st.tuples(st.fixed_dictionaries({name: HOSTILE for name in ("id", "title", "status")}))},
            "decision": {"screen": HOSTILE},
        }[known["kind"]],
    ).map(lambda more: known | more)
)


@given(REQUESTS)
@SLOW
def test_a_request_is_shown_as_text_or_is_none(body: dict[str, Any]) -> None:
    try:
        lines = request_lines(read_request(body))
    except UNREADABLE:
        return
    console = terminal()
    for line in lines:
        assert not obeyed(str(line))
        console.print(styled(line))
    assert not obeyed(written(console))


REPORTS = st.fixed_dictionaries(
    {"status": HOSTILE, "goal": HOSTILE},
    optional={
        **{
            key: HOSTILE | ANYTHING
            for key in ("run_id", "reason", "ended_by", "wall_seconds", "pending", "judge", "budgets", "counts")
        },
        **{key: st.lists(BODIES, max_size=3) | ANYTHING for key in ("plan", "steps", "gates", "approvals", "facts", "control")},
    },
)


@given(report=REPORTS, notes=st.lists(HOSTILE, max_size=2))
@SLOW
def test_a_report_is_shown_as_text_or_refused_in_a_sentence(report: dict[str, Any], notes: list[str]) -> None:
    view = RunView(report, notes)
    try:
        page = run_page(view)
    except UsageProblem as bad:
        page = str(bad)
    assert not obeyed(page)


@given(goal=HOSTILE, name=HOSTILE, status=HOSTILE, reason=HOSTILE, steps=st.integers(), started=st.floats(0, 4e9))
@SLOW
def test_the_list_of_runs_has_one_line_a_run(goal: str, name: str, status: str, reason: str, steps: int, started: float) -> None:
    runs = [RunInfo(name, goal, status, started, steps, False, reason)] * 2
    table = runs_table(runs)
    assert not obeyed(table)
    assert len(table.splitlines()) == 3
    assert not obeyed(json_text([run._asdict() for run in runs], 2))


@given(report=REPORTS, status=HOSTILE, reason=HOSTILE, code=st.sampled_from([0, 1, 3, 4]))
@SLOW
def test_the_last_screen_is_text(report: dict[str, Any], status: str, reason: str, code: int) -> None:
    known = {key: report[key] for key in ("ended_by",) if isinstance(report.get(key), str)}
    known["plan"] = [{"title": reason, "status": status}]
    known["facts"] = [{"name": status, "value": reason}]
    outcome = Outcome(
        run_id="r1", folder=Path("runs/r1"), status=status, reason=reason, exit_code=code, report=known, pending=None
    )
    for line in ending_lines(outcome):
        assert not obeyed(str(line))


@given(HOSTILE, st.integers(1, 500))
@example("a" + "\u0301" * 500, 400)
def test_cleaned_text_is_one_line_of_what_can_be_seen(text: str, limit: int) -> None:
    said = clean(text, limit)
    assert len(said) <= limit
    assert len(said.splitlines()) <= 1
    assert not obeyed(said)
    assert "\u0300" * 5 not in said
    assert visible(said) == said


@given(ANYTHING)
@SLOW
def test_json_on_stdout_is_the_same_json_and_nothing_to_obey(value: Any) -> None:
    for indent in (None, 2):
        said = json_text(value, indent)
        assert not obeyed(said)
        assert json.dumps(json.loads(said)) == json.dumps(value)


def test_other_languages_are_left_as_they_are() -> None:
    for text in ("Grüße aus Köln", "你好，世界", "مرحبا", "नमस्ते", "สวัสดีครับ", "ẫ ṩ", "👩‍👩‍👧 ❤️"):
        assert clean(text) == text
        assert json.loads(json_text([text])) == [text]
        assert text in json_text([text]) or "\u200d" in text
