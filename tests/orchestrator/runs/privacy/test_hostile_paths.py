"""What comes from strangers is data: no path in it leads out of its folder, and a spoilt run is shown or refused."""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner
from worked.runs import deskcrew

from orchestrator.cli import app
from orchestrator.errors import UsageProblem
from orchestrator.lab.testing.stage import Stage
from orchestrator.runs.folders import find_run
from orchestrator.store.printable import write_json
from protocol import parse_action
from protocol.exports import NAMES, FormatError, Run, RunInfo, format_named
from protocol.log.log import write_log
from protocol.model.elements import VisualState
from protocol.model.steps import InteractionStep, picture_file
from roles.knowledge.pages.folders import sync
from roles.knowledge.store import KnowledgeStore

SECRET = "the user's own words"
PARTS = st.sampled_from(["..", ".", "", "/", "a", "b.png", "link", "out", "\0", "~", "C:", "\\", "…", "\ud800", "x" * 300])
PATHS = st.lists(PARTS, max_size=5).map("/".join)
NOT_TOO_SLOW = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of an honest run."""
    stage = Stage(tmp_path_factory.mktemp("honest"))
    stage.world("office", seed=1)
    run = stage('Create a note titled "Lunch" with the text "at noon"')
    stage.close()
    return run.folder


@pytest.fixture
def folder(kept: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(kept, tmp_path / "runs" / kept.name))


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    """A file of the user's, beside the folders of strangers."""
    made = tmp_path / "secret.txt"
    made.write_text(SECRET)
    return made


def steps_of(folder: Path, picture: str) -> Run:
    """A run whose only step names a picture."""
    state = VisualState(screenshot_path=picture)
    step = InteractionStep(timestamp=0.0, visual_state=state, action=parse_action({"action_type": "wait"}), step=1)
    write_log(folder / "log.jsonl", [step])
    return Run([step], RunInfo(run_id="r", goal="g"), folder)


@given(path=PATHS)
@example(path="~/../out")  # behind a circle of links
@NOT_TOO_SLOW
def test_no_picture_of_a_log_is_outside_of_its_folder(tmp_path: Path, path: str) -> None:
    log = tmp_path / "log"
    (log / "a").mkdir(parents=True, exist_ok=True)
    (log / "a" / "b.png").write_bytes(b"shown")
    (tmp_path / "b.png").write_bytes(b"mine")
    for name, aim in (("link", tmp_path), ("out", tmp_path / "b.png"), ("~", log / "~"), ("…", log / "a" / "b.png")):
        if not (log / name).is_symlink():
            (log / name).symlink_to(aim)
    found = picture_file(log, path)
    assert found is None or found.read_bytes() == b"shown"


@given(name=PATHS.filter(bool))
@NOT_TOO_SLOW
def test_no_run_is_found_outside_of_its_folder(tmp_path: Path, name: str) -> None:
    runs, other = tmp_path / "runs", tmp_path / "a"
    for place in (runs / "20260101-000000-aaaa", other, tmp_path):
        place.mkdir(parents=True, exist_ok=True)
        (place / "run.json").write_text("{}")
    try:
        found = find_run(name, runs)
    except UsageProblem:
        return
    assert found.parent == runs


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("picture", ["../secret.txt", "link.png", "/etc/hostname", "screens/../../secret.txt"])
def test_no_export_copies_what_a_log_points_at_outside(name: str, picture: str, tmp_path: Path, secret: Path) -> None:
    log = tmp_path / "log"
    log.mkdir()
    (log / "link.png").symlink_to(secret)
    write, out = format_named(name).write, tmp_path / "out" / "made.json"
    out.parent.mkdir()
    if write is None:
        return
    with suppress(FormatError):
        write(steps_of(log, picture), out)
    assert not [path for path in out.parent.rglob("*") if path.is_file() and SECRET in path.read_text(errors="replace")]


@pytest.mark.parametrize("name", NAMES)
def test_no_export_writes_through_a_link_that_lay_there(name: str, tmp_path: Path, secret: Path) -> None:
    """Beside the log is where a conversion is written when nothing else is said; the folder may be a stranger's."""
    log = tmp_path / "log"
    (log / "screens").mkdir(parents=True)
    (log / "screens" / "a.png").write_bytes(b"picture")
    form = format_named(name)
    if form.write is None:
        return
    out, aim = log / f"made{form.suffix}", tmp_path / "aim"
    aim.mkdir()
    out.with_name(f"{out.name}.part").symlink_to(secret)
    out.symlink_to(secret)
    (log / "dataset_info.json.part").symlink_to(secret)
    (log / "made_images").symlink_to(aim)
    try:
        form.write(steps_of(log, "screens/a.png"), out)
    except FormatError as no:
        assert "is a link" in str(no) or "no call of a model" in str(no)  # noqa: PT017 - some formats have no pictures, and write
    assert secret.read_text() == SECRET
    assert list(aim.iterdir()) == []


def test_what_is_written_in_a_run_is_written_through_no_link(tmp_path: Path, secret: Path) -> None:
    (tmp_path / "report.json.part").symlink_to(secret)
    (tmp_path / "report.json").symlink_to(secret)
    write_json(tmp_path / "report.json", {"status": "x"})
    assert secret.read_text() == SECRET
    assert json.loads((tmp_path / "report.json").read_text()) == {"status": "x"}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["report.json", "secret.txt"]


def test_help_documents_are_those_in_their_folder(tmp_path: Path, secret: Path) -> None:
    help_ = tmp_path / "help"
    (help_ / "notes").mkdir(parents=True)
    (help_ / "notes" / "own.md").write_text("# Notes\n\nHow notes are made, in words.")
    (help_ / "linked.md").symlink_to(secret)
    (help_ / "device.md").symlink_to("/dev/zero")
    (help_ / "round.md").symlink_to(help_ / "round.md")
    (help_ / "elsewhere").symlink_to(tmp_path)
    os.mkfifo(help_ / "pipe.md")
    with KnowledgeStore() as store:
        sync(store, help_)
        assert [one.title for one in store.list()] == ["Notes"]


LINKED = ("run.json", "report.json", "journal.sqlite", "log.jsonl", "checkpoints.sqlite")


@pytest.mark.parametrize("name", LINKED)
@pytest.mark.parametrize("aim", ["secret", "/dev/zero", "missing", "folder"])
def test_links_in_a_run_folder_show_nothing_of_where_they_lead(folder: Path, secret: Path, name: str, aim: str) -> None:
    (folder / name).unlink(missing_ok=True)
    (folder / name).symlink_to({"secret": secret, "missing": folder / "nowhere", "folder": folder.parent}.get(aim, Path(aim)))
    for words in (["ls"], ["show", folder.name], ["log", "validate", str(folder)]):
        done = CliRunner().invoke(app, [*words, *(["--runs-dir", str(folder.parent)] if words[0] != "log" else [])])
        assert done.exit_code in (0, 1, 2), done.output
        assert "fault of deskcrew" not in done.output
        assert SECRET not in done.output
    assert secret.read_text() == SECRET


def test_to_look_at_a_run_and_to_replay_it_starts_nothing_that_it_names(folder: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "program").write_text(f"#!/bin/sh\ntouch {outside}/started\n")
    (outside / "program").chmod(0o755)
    record = json.loads((folder / "run.json").read_text())
    record["settings"] |= {
        "tools": [{"command": ["touch", str(outside / "started")]}], "help_dirs": [str(outside)],
        "browser": {"executable": str(outside / "program"), "url": "http://127.0.0.1:9"},
        "runs_dir": str(outside / "elsewhere"),
    }  # fmt: skip
    (folder / "run.json").write_text(json.dumps(record))
    for words in (["ls"], ["show", folder.name], ["replay", folder.name]):
        done = CliRunner().invoke(app, [*words, "--runs-dir", str(folder.parent)])
        assert "fault of deskcrew" not in done.output
    assert sorted(path.name for path in outside.iterdir()) == ["program"]


def test_a_run_whose_folder_was_renamed_is_said_with_what_to_do(tmp_path: Path) -> None:
    folder = tmp_path / "runs" / "20200101-000000-abcd"
    folder.mkdir(parents=True)
    (folder / "run.json").write_text('{"run_id": "20261122-194306-3721"}')
    (tmp_path / "runs" / "broken").mkdir()
    (tmp_path / "runs" / "broken" / "run.json").write_text("[")
    with pytest.raises(UsageProblem, match=r"The folder of run '20261122-194306-3721' is called .*20200101-000000-abcd"):
        find_run("20261122-194306-3721", tmp_path / "runs")
    with pytest.raises(UsageProblem, match="There is no run 'other'"):
        find_run("other", tmp_path / "runs")


@pytest.mark.slow("a sandbox")
def test_where_nothing_can_be_written_a_command_says_so_in_a_sentence(folder: Path) -> None:
    bwrap = ("bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc")
    if shutil.which("bwrap") is None or subprocess.run([*bwrap, "true"], capture_output=True, check=False).returncode:
        pytest.skip("bubblewrap does not work here")
    main = (sys.executable, "-c", "from orchestrator.cli import main; main()")
    words = ("replay", folder.name, "--runs-dir", str(folder.parent))
    done = subprocess.run([*bwrap, *main, *words], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("deskcrew: There is no place to write (No usable temporary directory found")
    assert len(done.stderr.strip().splitlines()) == 1


# --- a run of a stranger is shown as data, or refused in a sentence


EVIL = "\x1b]0;owned\x07\x1b[2J[bold red]x[/] \u202egnp.exe <script>alert(1)</script> \x00\r\b\x9b31m" + "A" * 9000
CONTROLS = ("\x1b", "\x9b", "\x07", "\x08", "\x00", "\u202e")


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
