"""The journal from outside: the log of a run, and what is left of a damaged file."""

import itertools
import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from orchestrator.store.databases import open_read_only
from orchestrator.store.salvage import export_log, salvage
from protocol import ActionResult, ActionTarget, Click, ExecStatus, Fill, GUIElement, VisualState, read_log
from roles.contracts import StepRecord
from roles.journal.actions import action_key
from roles.journal.journal import Journal
from roles.safety import SafetyPolicy
from roles.safety.privacy.redaction import Redactor
from roles.safety.privacy.vault import reference

COUNT = 2_000
SECRET = "hunter2-é🎈"


def journal_at(path: Path) -> Journal:
    count = itertools.count()
    return Journal(path, lambda: float(next(count)), Redactor(SafetyPolicy()), run_id="run")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("whole") / "journal.sqlite"
    journal = journal_at(path)
    for n in range(1, COUNT + 1):
        journal.append("note", {"n": n, "text": f"Größe {n} 🎈" * 4})
    journal.close()
    return path


@pytest.fixture
def file(whole: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(whole, tmp_path / "journal.sqlite"))


@pytest.mark.parametrize("share", [0.5, 0.6, 0.9])
def test_a_truncated_journal_keeps_what_stands_before_the_cut_and_says_so(file: Path, share: float) -> None:
    body = file.read_bytes()
    file.write_bytes(body[: int(len(body) * share)])
    kept = salvage(file)
    numbers = [e.body["n"] for e in kept.events]
    assert len(numbers) > COUNT * share / 2
    assert numbers == sorted(set(numbers))
    assert "is damaged" in kept.note
    assert f"{len(numbers)} events could be read" in kept.note


@pytest.mark.parametrize("filler", [b"\0", b"\xff", b"junk"], ids=["zeros", "ones", "text"])
def test_a_journal_overwritten_in_the_middle_keeps_both_ends_and_says_so(file: Path, filler: bytes) -> None:
    body = bytearray(file.read_bytes())
    start, length = len(body) // 2, 4_096
    body[start : start + length] = (filler * length)[:length]
    file.write_bytes(body)
    kept = salvage(file)
    numbers = [e.body["n"] for e in kept.events]
    assert (numbers[0], numbers[-1]) == (1, COUNT)
    assert COUNT * 0.9 < len(numbers) < COUNT
    assert "is damaged" in kept.note


@pytest.mark.parametrize("change", ["body = '{\"n\": '", "role = CAST(x'fffe41' AS TEXT)"], ids=["no JSON", "no UTF-8"])
def test_what_is_wrong_with_an_event_costs_at_most_that_event(file: Path, change: str) -> None:
    with closing(sqlite3.connect(file)) as db, db:
        db.execute(f"UPDATE events SET {change} WHERE id IN (500, 1500)")
    kept = salvage(file)
    assert [e.id for e in kept.events if e.id not in (500, 1500)] == [n for n in range(1, COUNT + 1) if n not in (500, 1500)]
    assert ("event 500" in kept.note) is change.startswith("body")


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"SQLite format 3\0" + b"\x04\0" + bytes(600),
        b"not a database at all, just text " * 40,
        b"SQLite format 3\0",
        b"\0" * 4096,
    ],
)
def test_a_file_that_is_no_journal_gives_nothing_and_says_so(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "journal.sqlite"
    path.write_bytes(content)
    kept = salvage(path)
    assert kept.events == []
    assert str(path) in kept.note


def test_a_journal_that_is_missing_is_said_and_not_made_and_reading_what_is_left_changes_nothing(
    tmp_path: Path, file: Path
) -> None:
    path = tmp_path / "missing.sqlite"
    assert "is missing" in salvage(path).note
    assert not path.exists()
    assert salvage(tmp_path).note
    body = bytearray(file.read_bytes())
    body[4_096:5_000] = b"\xff" * 904
    file.write_bytes(body)
    salvage(file)
    assert file.read_bytes() == body


@pytest.mark.parametrize("name", ["a b.sqlite", "a?b.sqlite", "a#b.sqlite", "a%20b.sqlite", "ä 中.sqlite"])
def test_a_journal_is_read_whatever_its_name(file: Path, name: str) -> None:
    moved = file.rename(file.with_name(name))
    assert len(salvage(moved).events) == COUNT


# --- the log


def worked(path: Path) -> Journal:
    """Two steps as the Operator records them, the second into a private field."""
    journal = journal_at(path)
    screens = [
        VisualState(elements=(GUIElement(element_id="e1", text=f"Page {n}"),), app="mail", timestamp=10.0 * n) for n in (1, 2, 3)
    ]
    ids = [journal.screens.keep(screen) for screen in screens]
    journal.secret(SECRET)
    acts = [Click(target=ActionTarget(text="Save")), Fill(target=ActionTarget(text="Password"), text=SECRET)]
    for n, action in enumerate(acts, start=1):
        key = action_key(journal.run_key, "a", 1, n)
        journal.append("observed", {"state_id": ids[n - 1], "app": "mail", "timestamp": 10.0 * n}, step=n)
        journal.append("decided", {"reasoning": f"because {n} {SECRET}"}, role="operator", subtask="a", step=n)
        journal.intend(key, action)
        journal.settle(key, ActionResult(exec_status=ExecStatus.EXECUTED, output=f"wrote {SECRET}" if n == 2 else "pressed"))
        record = StepRecord(
            step=n, subtask="a", action=action.dump(), verb=action.verb, exec_status=ExecStatus.EXECUTED, before=ids[n - 1],
            after=ids[n], visible_change=True,
        )  # fmt: skip
        journal.step(record, 1, key=f"step/{n}")
    return journal


def test_the_log_of_a_run_says_what_was_seen_done_and_why(tmp_path: Path) -> None:
    journal = worked(tmp_path / "journal.sqlite")
    assert export_log(journal, tmp_path / "log.jsonl", "run") == 2
    journal.close()
    lines = list(read_log(tmp_path / "log.jsonl"))
    assert [line.error for line in lines] == ["", ""]
    first = lines[0].step
    assert (first.step, first.run_id, first.subtask, first.role) == (1, "run", "a", "operator")
    assert (first.timestamp, first.visual_state.elements[0].text) == (10.0, "Page 1")
    assert first.action == Click(target=ActionTarget(text="Save"))
    assert first.reasoning.startswith("because 1")
    assert first.result == ActionResult(exec_status=ExecStatus.EXECUTED, output="pressed")
    assert first.visible_change is True
    second = lines[1].step
    assert (first.after_state_id, first.state_id) == (second.state_id, first.visual_state.state_id)
    assert "hunter2" not in (tmp_path / "log.jsonl").read_text(encoding="utf-8")
    assert second.action == Fill(target=ActionTarget(text="Password"), text=reference("value"))


def test_a_journal_on_a_medium_that_is_only_read_is_sound_and_leaves_nothing_beside_it(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    there = sorted(file.parent.iterdir())
    with closing(open_read_only(file)) as db:
        assert db.execute("SELECT count(*) FROM events").fetchone()[0] > 0
        assert sorted(file.parent.iterdir()) == there
    assert salvage(file).note == ""
