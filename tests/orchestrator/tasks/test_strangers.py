"""What comes from strangers is data: run folders, journals, reports, YAML and the pictures that a log names."""

import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from worked.runs import deskcrew

from orchestrator.lab.testing.stage import Stage

EVIL = "\x1b]0;owned\x07\x1b[2J[bold red]x[/] \u202egnp.exe <script>alert(1)</script> \x00\r\b\x9b31m" + "A" * 9000
CONTROLS = ("\x1b", "\x9b", "\x07", "\x08", "\x00", "\u202e")


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of an honest run."""
    stage = Stage(tmp_path_factory.mktemp("honest"))
    stage.world("office", seed=1)
    run = stage('Create a note titled "Lunch" with the text "at noon"', answer="reject")
    stage.close()
    return run.folder


@pytest.fixture
def folder(kept: Path, tmp_path: Path) -> Path:
    """A copy of it to be spoilt."""
    return Path(shutil.copytree(kept, tmp_path / "runs" / kept.name))


def _events(folder: Path, change: Callable[[str], str]) -> None:
    with closing(sqlite3.connect(folder / "journal.sqlite")) as db:
        for number, body in db.execute("SELECT id, body FROM events").fetchall():
            db.execute("UPDATE events SET body = ? WHERE id = ?", (change(body), number))
        db.commit()


def _evil(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _evil(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_evil(inner) for inner in value]
    return EVIL if isinstance(value, str) else value


def _endless(folder: Path) -> None:
    with closing(sqlite3.connect(folder / "journal.sqlite")) as db:
        db.execute("DROP TABLE events")
        db.execute(
            "CREATE VIEW events AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x AS id, 0.0 AS at,"
            " 'k' AS kind, '' AS role, '' AS subtask, 0 AS step, '{}' AS body, NULL AS key FROM c"
        )
        db.commit()


def _rewritten(name: str, change: Callable[[Any], Any]) -> Callable[[Path], None]:
    def spoil(folder: Path) -> None:
        path = folder / name
        path.write_text(json.dumps(change(json.loads(path.read_text()))))

    return spoil


SPOILT: dict[str, Callable[[Path], Any]] = {
    "texts with escapes, markup and 9,000 letters": lambda folder: _events(
        folder, lambda body: json.dumps(_evil(json.loads(body)))
    ),
    "events that are no JSON": lambda folder: _events(folder, lambda _: "{nope"),
    "events without end": lambda folder: _events(folder, lambda _: "[" * 100_000),
    "events that are lists": lambda folder: _events(folder, lambda _: "[1]"),
    "events that say nothing": lambda folder: _events(folder, lambda _: "{}"),
    "a view without end in place of the events": _endless,
    "no database": lambda folder: (folder / "journal.sqlite").write_bytes(b"hello" * 999),
    "a report of escapes": _rewritten("report.json", _evil),
    "a report of numbers": _rewritten("report.json", lambda report: dict.fromkeys(report, 5)),
    "a report without end": lambda folder: (folder / "report.json").write_text('{"a":' * 50_000),
    "a record of escapes": _rewritten("run.json", lambda record: {**record, "goal": EVIL, "run_id": f"../../{EVIL[:50]}"}),
    "a record of numbers": _rewritten("run.json", lambda record: dict.fromkeys(record, 5)),
    "a record without end": lambda folder: (folder / "run.json").write_text("[" * 100_000),
}


@pytest.mark.parametrize("spoil", SPOILT.values(), ids=SPOILT.keys())
def test_a_run_of_a_stranger_is_shown_as_data_or_refused_in_a_sentence(folder: Path, spoil: Callable[[Path], Any]) -> None:
    spoil(folder)
    for asked in (["show", folder.name], ["ls"]):
        code, said = deskcrew(*asked, "--runs-dir", folder.parent)
        assert code in {0, 2}, said[-500:]
        assert not any(control in said for control in CONTROLS)
        assert len(said) < 60_000
