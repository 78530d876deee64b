"""What the viewer is told of a run: every step, question, gate and plan, of whole runs and of what is left of others."""

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator.core.machine import ROWS
from orchestrator.errors import UsageProblem
from orchestrator.views.page.data import Item, Pool, chunks, plain
from orchestrator.views.page.page import aligned, differences, inert, pack
from orchestrator.views.page.run_data import RunEvents, RunReader, read_whole
from roles.journal.journal import Event

HOSTILE = "</script><script>alert(1)</script>\u202e\ud800\x00"


def read(folder: Path) -> RunReader:
    return read_whole(str(folder), folder.parent)


def events_of(run: RunReader) -> list[Event]:
    return [event for events in run.journal.read_again() for event in events]


def test_every_step_of_the_journal_is_an_item_with_its_screens_target_and_decision(runs: dict[str, Path]) -> None:
    found = read(runs["done"])
    told = found.heard.lines
    items = told.items
    kept = [chunk for chunk in chunks(Pool(items, told.targets), found.journal.screens())]
    steps = [event for event in events_of(found) if event.kind == "step"]
    shown = [item for item in items if item.kind == "step"]
    assert [(item.step, item.subtask, item.before, item.after) for item in shown] == [
        (event.step, event.subtask, event.body["before"], event.body["after"]) for event in steps
    ]
    screens = {state for chunk in kept for state in chunk.screens}
    assert {item.before for item in shown} | {item.after for item in shown} <= screens
    pressed = next(item for item in shown if item.line == 'click "Submit"')
    assert pressed.box is not None
    assert pressed.point is not None
    left, top, right, bottom = pressed.box
    assert left < pressed.point[0] < right
    assert top < pressed.point[1] < bottom
    detail = told.details[items.index(pressed)]
    assert (detail["review"][0]["verdict"], detail["decided"]["action"]["action_type"]) == ("ask", "click")


def test_the_machine_is_the_table_and_the_walk_is_what_the_controller_recorded(runs: dict[str, Path]) -> None:
    found = read(runs["done"])
    machine = found.part("machine")
    assert {row.name for row in ROWS} <= {f"{one} --{signal}--> {other}" for one, signal, other in machine["rows"]}
    walked = [machine["rows"][row] for _, row in machine["walk"]]
    said = [e.body["row"] for e in events_of(found) if e.kind == "situation"]
    assert [f"{one} --{signal}--> {other}" for one, signal, other in walked] == said


def test_time_is_told_by_role_and_what_was_waited_for_a_person_is_nobodys() -> None:
    at = iter((0.0, 1.0, 3.0, 3.5, 100.0))
    events = [
        Event(1, next(at), "run_started", "", "", 0, {"goal": "g"}),
        Event(2, next(at), "plan", "manager", "", 0, {"subtasks": []}),
        Event(3, next(at), "observed", "operator", "s1", 1, {"state_id": "a"}),
        Event(4, next(at), "approval_requested", "operator", "s1", 1, {"key": "k", "action_requests": [{"name": "wait"}]}),
        Event(5, next(at), "approval", "user", "s1", 1, {"key": "k", "decision": "approve"}),
    ]
    roles = made(events).tracks.used()
    spent = {role: use["seconds"] for role, use in roles.items() if use["seconds"]}
    assert spent == {"manager": 1.0, "operator": 2.5, "waiting": 96.5}


def test_what_a_worker_saw_thought_and_says_stands_with_its_step() -> None:
    said = {"observation": "an empty form", "reasoning": "the amount comes first", "comment": "half way", "plan": ["submit"]}
    step = {"action": {"action_type": "wait"}, "verb": "wait", "exec_status": "executed", "before": "a", "after": "a"}
    events = [
        Event(1, 0.0, "observed", "operator", "s1", 1, {"state_id": "a"}),
        Event(2, 1.0, "decided", "operator", "s1", 1, {"status": "CONTINUE", "line": "wait 1 s", **said}),
        Event(3, 2.0, "step", "operator", "s1", 1, step),
    ]
    told = made(events).lines
    detail = next(told.details[n] for n, item in enumerate(told.items) if item.kind == "step")
    assert {name: detail[name] for name in ("observation", "reasoning", "comment")} | {"plan": detail["steps_ahead"]} == said


def test_calls_of_models_stand_with_the_decision_that_they_led_to() -> None:
    call = {"model": "m", "tokens_in": 10, "tokens_out": 2, "seconds": 0.5, "prompt": "what now?", "reply": "click"}
    events = [
        Event(1, 0.0, "observed", "operator", "s1", 1, {"state_id": "a"}),
        Event(2, 1.0, "model_call", "operator", "", 0, call),
        Event(3, 1.1, "decided", "operator", "s1", 1, {"line": 'click "Save"', "status": "CONTINUE"}),
        Event(4, 1.2, "step", "operator", "s1", 1, {"action": {"action_type": "wait"}, "exec_status": "executed", "before": "a"}),
        Event(5, 1.3, "model_call", "evaluator", "", 0, call),
        Event(6, 1.4, "gate", "evaluator", "s1", 0, {"decision": "gate_fail", "trigger": "PERIODIC", "reason": "no"}),
    ]
    told = made(events)
    step, gate, _ = told.lines.items
    assert told.lines.details[0]["calls"] == told.lines.details[1]["calls"] == [call]
    assert (gate.status, gate.at, gate.seconds) == ("failed", 0.8, 0.6)
    assert told.tracks.used()["operator"]["tokens_in"] == 10
    assert step.seconds == 1.2


def made(events: list[Event], status: str = "fulfilled", reason: str = "") -> RunEvents:
    told = RunEvents(lambda key: {}, lambda state_id: {})
    for event in events:
        told.hear(event)
    told.end(status, reason, [])
    return told


def test_a_step_that_was_killed_is_not_finished_and_a_kind_of_event_that_nobody_knows_is_shown_all_the_same() -> None:
    events = [
        Event(1, 0.0, "observed", "operator", "s1", 1, {"state_id": "a", "app": "mail"}),
        Event(2, 0.1, "decided", "operator", "s1", 1, {"line": 'click "Save"', "status": "CONTINUE"}),
    ]
    step, end = made(events, "interrupted", "it was stopped").lines.items
    assert (step.kind, step.status, step.line, step.before) == ("step", "waiting", 'click "Save"', "a")
    assert (end.kind, end.status, end.line) == ("end", "waiting", "interrupted")
    told = made([Event(1, 0.0, "lesson_learned", "manager", "", 0, {"message": "ask first"})]).lines
    item = told.items[0]
    assert (item.kind, item.line, item.why) == ("note", "lesson learned", "ask first")
    assert told.details[0]["body"] == {"message": "ask first"}


def damaged(folder: Path, to: Path, spoil: Callable[[Path], None]) -> Path:
    shutil.copytree(folder, to)
    spoil(to)
    return to


def _cut(folder: Path) -> None:
    for name in ("journal.sqlite-wal", "journal.sqlite-shm"):
        (folder / name).unlink(missing_ok=True)
    body = (folder / "journal.sqlite").read_bytes()
    (folder / "journal.sqlite").write_bytes(body[: len(body) * 2 // 3])


def _no_screens(folder: Path) -> None:
    with closing(sqlite3.connect(folder / "journal.sqlite", isolation_level=None)) as db:
        db.execute("UPDATE observations SET body = x'00'")


@pytest.mark.parametrize(
    ("spoil", "missing"),
    [
        (lambda folder: (folder / "run.json").write_text("{"), "run.json cannot be read"),
        (_cut, "is damaged"),
        (_no_screens, "screens could not be read"),
        (lambda folder: (folder / "journal.sqlite").unlink(), "is missing"),
    ],
)
def test_of_a_damaged_run_the_rest_is_shown_and_what_is_missing_is_said(
    runs: dict[str, Path], tmp_path: Path, spoil: Callable[[Path], None], missing: str
) -> None:
    found = read(damaged(runs["done"], tmp_path / "run", spoil))
    told = found.heard.lines
    list(chunks(Pool(told.items, told.targets), found.journal.screens()))
    assert missing in " ".join(found.part("head")["notes"])
    assert told.items[-1].kind == "end"
    assert found.part("head")["goal"]


def test_what_is_no_run_is_refused_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(UsageProblem, match="no run 'nothing'"):
        read_whole("nothing", tmp_path)
    (tmp_path / "run.json").write_text("{", encoding="utf-8")
    with pytest.raises(UsageProblem, match="nothing to view"):
        read_whole(str(tmp_path), tmp_path)


ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.just(HOSTILE),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)
_KEYS = (
    "action", "action_requests", "answer", "decision", "elements", "events", "evidence", "exec_status", "found", "issues", "key",
    "line", "next", "reason", "reasons", "row", "seconds", "signal", "situation", "state_id", "status", "subtasks", "then",
    "trigger",
)  # fmt: skip
_KINDS = (
    "observed", "decided", "reviewed", "outcome", "step", "approval_requested", "approval", "approval_expired", "gate", "plan",
    "supplement", "recovered", "answered", "model_call", "answer", "subtask_status", "fact", "situation", "run_resumed", "error",
    "picture", "unheard of",
)  # fmt: skip
EVENTS = st.lists(
    st.builds(
        Event, id=st.integers(1, 99), at=st.floats(0, 1e9), kind=st.sampled_from(_KINDS),
        role=st.sampled_from(["", "operator", HOSTILE]), subtask=st.sampled_from(["", "s1"]), step=st.integers(0, 3),
        body=st.dictionaries(st.sampled_from(_KEYS), ANY, max_size=5),
    ),
    max_size=8,
)  # fmt: skip


@given(events=EVENTS)
@settings(max_examples=3 * settings.default.max_examples)
def test_events_that_deskcrew_never_writes_are_shown_as_data_that_any_page_can_hold(events: list[Event]) -> None:
    told = made(events)
    assert len(told.lines.items) == len(told.lines.details) == len(told.lines.targets)
    pack([told.lines.items, told.lines.details, told.tracks.plans, told.tracks.facts, told.tracks.used(), told.tracks.machine])
    assert "<" not in inert(plain([event.body for event in events]))


def test_two_runs_stand_beside_each_other_and_the_first_difference_is_found_also_across_the_edges_of_windows() -> None:
    def items(*lines: str) -> list[Item]:
        return [Item("step", "ok", "operator", "s1", 1, n, 0.0, 0.0, line) for n, line in enumerate(lines, start=1)]

    one, other = items("open", "type a", "save", "close"), items("open", "type b", "save", "look", "close")
    pairs = aligned(one, other)
    assert pairs == [(0, 0), (1, 1), (2, 2), (None, 3), (3, 4)]
    assert differences(one, other, pairs) == [1, 3]
    assert differences(one, one, aligned(one, one)) == []
    lines = [Item("step", "ok", "operator", "", 0, n, 0.0, 0.0, f"line {n}") for n in range(1000)]
    pairs = aligned(lines, [*lines[:300], *lines[310:]])
    assert [a for a, b in pairs if b is None] == list(range(300, 310))
