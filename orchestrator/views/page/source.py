"""What is left of a run, read from its folder; what cannot be read is said, and the rest is shown."""

from __future__ import annotations

import json
import re
import sqlite3
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import NamedTuple

from orchestrator.control.lease import standing
from orchestrator.errors import UsageProblem
from orchestrator.runs.folders import find_run, read_run, stored_report
from orchestrator.store.printable import UNREADABLE
from orchestrator.store.salvage import open_read_only, salvage, seal_of
from protocol import JsonObject
from protocol.model.steps import picture_file
from roles.journal.events import PictureEvent, PictureWithdrawnEvent
from roles.journal.journal import Event
from roles.journal.rows import screen_text

_PICTURE = re.compile(r"screens/[0-9a-f]{16,64}\.png")
_PNG = b"\x89PNG\r\n\x1a\n"
_LARGEST_PICTURE = 20_000_000


class Source(NamedTuple):
    """One run, as far as it can be read."""

    run_id: str
    record: JsonObject
    report: JsonObject
    status: str
    reason: str
    events: list[Event]
    results: dict[str, JsonObject]
    """Action keys, and what the environment said."""
    notes: list[str]
    open: Callable[[], sqlite3.Connection]
    """Its tables, to be read and closed."""
    folder: Path
    pictures: dict[str, Path]
    """State ids, and the files with their pictures."""


def read_source(run: str, runs_dir: Path) -> Source:
    """A run by its id, a unique part of it, or its folder. Raises UsageProblem where there is nothing to show."""
    folder = _folder(run, runs_dir)
    notes: list[str] = []
    try:
        record = read_run(folder)
    except UsageProblem as bad:
        record = {}
        notes.append(str(bad).replace("; the run cannot be used", "; the settings and the goal are as the journal says"))
    journal = folder / "journal.sqlite"
    kept = salvage(journal)
    notes += [kept.note] if kept.note else []
    if not record and not kept.events:
        raise UsageProblem(f"{folder} holds neither a run.json nor a journal that can be read; there is nothing to view.")
    report = stored_report(folder)
    now = standing(folder, report)
    opening = partial(open_read_only, journal)
    results, bad_results = _results(opening)
    notes += bad_results
    seal = seal_of(folder)
    events = [event._replace(role=seal(event.role), subtask=seal(event.subtask), body=seal(event.body)) for event in kept.events]
    pictures, gone = _pictures(folder, events)
    if gone:
        notes.append(f"{gone} pictures of screens are missing or are not PNG files; those screens are drawn from their elements")
    run_id = str(record.get("run_id", folder.name))
    record, report, results = seal(record), seal(report), seal(results)
    return Source(run_id, record, report, now.state, seal(now.reason), events, results, notes, opening, folder, pictures)


def _folder(run: str, runs_dir: Path) -> Path:
    path = Path(run)
    if (path / "run.json").is_file() or (path / "journal.sqlite").is_file():
        return path.resolve()
    return find_run(run, runs_dir)


def _results(opening: Callable[[], sqlite3.Connection]) -> tuple[dict[str, JsonObject], list[str]]:
    found: dict[str, JsonObject] = {}
    try:
        with closing(opening()) as db:
            for key, result in db.execute("SELECT key, result FROM actions WHERE result IS NOT NULL"):
                said = json.loads(result)
                if isinstance(said, dict):
                    found[str(key)] = said
    except (sqlite3.Error, OSError, *UNREADABLE) as bad:
        return found, [f"the results of actions could not all be read ({bad}): some places that were pressed are not marked"]
    return found, []


def _pictures(folder: Path, events: list[Event]) -> tuple[dict[str, Path], int]:
    """The clean pictures that the journal names and the folder has, and how many it has not."""
    named: dict[str, str] = {}
    for event in events:
        hear_picture(named, event)
    found = {state: file for state, path in named.items() if (file := png_file(folder, path)) is not None}
    return found, len(named) - len(found)


def hear_picture(named: dict[str, str], event: Event) -> None:
    """Which clean picture a screen has, by its path in the run's folder, as far as an event says so."""
    path, state = event.body.get("path"), event.body.get("state_id")
    if event.kind == PictureEvent.KIND and isinstance(path, str) and isinstance(state, str):
        if event.body.get("kind", "clean") == "clean" and _PICTURE.fullmatch(path):
            named[state] = path
    elif event.kind == PictureWithdrawnEvent.KIND:
        for seen in [seen for seen, kept in named.items() if kept == path]:
            del named[seen]


def png_file(folder: Path, path: str) -> Path | None:
    """The picture of that path, if it is one."""
    file = picture_file(folder, path)
    try:
        if file is None or file.stat().st_size > _LARGEST_PICTURE:
            return None
        with file.open("rb") as opened:
            return file if opened.read(8) == _PNG else None
    except OSError:
        return None


def screens_of(source: Source) -> Iterator[tuple[str, JsonObject]]:
    """Every screen that can be read, with its state id, in the order in which they were seen first."""
    try:
        db = source.open()
    except (sqlite3.Error, OSError, UsageProblem) as bad:
        source.notes.append(f"the screens could not be read ({bad})")
        return
    seal = seal_of(source.folder)
    with closing(db):
        for state_id, screen in _rows(db, source.notes):
            yield state_id, seal(screen)


def _rows(db: sqlite3.Connection, notes: list[str]) -> Iterator[tuple[str, JsonObject]]:
    seen: set[str] = set()
    lost = 0
    rows: list[tuple[int]] = []
    try:
        rows = db.execute("SELECT row FROM observations ORDER BY row").fetchall()
    except sqlite3.Error as bad:
        notes.append(f"the screens could not be read ({bad})")
    for (row,) in rows:
        try:
            (state_id,) = db.execute("SELECT state_id FROM observations WHERE row = ?", (row,)).fetchone()
            screen = json.loads(screen_text(db, row))
        except (sqlite3.Error, zlib.error, OSError, *UNREADABLE):
            lost += 1
            continue
        if isinstance(screen, dict) and isinstance(state_id, str) and state_id not in seen:
            seen.add(state_id)
            yield state_id, screen
    if lost:
        notes.append(f"{lost} screens could not be read")
