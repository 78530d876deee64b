"""What a run's folder says by now, looked at again and again without reading what is as it was."""

from __future__ import annotations

import json
import os
import re
import sqlite3
import time
import zlib
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from orchestrator.control.channel import FILE as CONTROL
from orchestrator.control.lease import told
from orchestrator.control.standing import standing
from orchestrator.errors import UsageProblem
from orchestrator.faces.words import UNREADABLE
from orchestrator.folders import read_run, stored_report
from orchestrator.journal import Event, events_after, open_read_only, salvage
from orchestrator.viewer.data import number as number_of
from orchestrator.viewer.source import hear_picture, png_file, seal_of
from roles.deflated import inflated
from roles.vault import FILE as VAULT

JOURNAL = "journal.sqlite"
STALE = 0.1
"""Seconds for which what the files say is believed without a look."""
ALIVE = 1.0
"""Seconds after which it is looked whether the process that works a run is alive; a death changes no file."""
FAR = 1.0
"""Seconds between two looks at a journal that is in a store of several machines, of which each look copies it."""
_PATIENCE = 50
"""Milliseconds to wait for whoever writes; the next look is soon."""
_SCREENS = 16

_NAME = re.compile(r"[^\W_][\w.+ -]{0,199}")
Sign = tuple[int, int, int]


def is_run_id(name: str) -> bool:
    """Whether that can be the name of a run's folder, and no way to another one."""
    return _NAME.fullmatch(name) is not None


def sign_of(path: Path) -> Sign:
    """Another one when the file was written. One that is empty is as good as none: SQLite makes such logs for whoever reads."""
    try:
        found = os.stat(path)
    except OSError:
        return (0, 0, 0)
    return (found.st_mtime_ns, found.st_size, found.st_ino) if found.st_size else (0, 0, 0)


class RunFiles:
    """Record, report and standing of a run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.notes: list[str] = []
        self._signs: dict[str, Sign] = {}
        self._looked = self._asked = 0.0
        self.record: dict[str, Any] = {}
        self.report: dict[str, Any] = {}
        self._read(time.monotonic(), set(self._moved()))

    def changed(self) -> bool:
        """Look again; says whether record, report or standing is another one."""
        now = time.monotonic()
        if now - self._looked < STALE:
            return False
        self._looked = now
        moved = set(self._moved())
        if not moved and (self.standing.ended or now - self._asked < ALIVE):
            return False
        before = (self.record, self.report, self.standing, self.who_works)
        self._read(now, moved)
        return before != (self.record, self.report, self.standing, self.who_works)

    @property
    def gone(self) -> bool:
        """Somebody deleted the run."""
        return self._signs["run.json"] == (0, 0, 0)

    def _moved(self) -> Iterator[str]:
        for name in ("run.json", "report.json", CONTROL, f"{CONTROL}-wal"):
            sign = sign_of(self.folder / name)
            if self._signs.get(name) != sign:
                self._signs[name] = sign
                yield name

    def _read(self, now: float, moved: set[str]) -> None:
        if "run.json" in moved:
            try:
                self.record, self.notes = read_run(self.folder), []
            except UsageProblem as bad:
                self.record, self.notes = {}, [str(bad)]
        if "report.json" in moved:
            self.report = stored_report(self.folder)
        self.standing = standing(self.folder, self.report)
        if self.notes and self.standing.holder is None:
            self.standing = self.standing._replace(state="damaged", reason=self.notes[0])
        self.who_works = told(self.standing.holder) if self.standing.holder is not None else ""
        self._asked = now


class Journalled:
    """A run's journal, read on and on. One thread at a time."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._path = folder, folder / JOURNAL
        self._vault = sign_of(folder / VAULT)
        self.seal: Callable[[Any], Any] = seal_of(folder)
        self.notes: list[str] = []
        self.results = _Results(self)
        self._db: sqlite3.Connection | None = None
        self._version = -1
        self._fetched = 0.0
        self._kept: list[Event] | None = None
        """What is left of a damaged journal."""
        self._rows: dict[str, int] = {}
        self._screens: OrderedDict[str, dict[str, Any]] = OrderedDict()
        self._pictures: dict[str, str] = {}

    @property
    def stale(self) -> bool:
        """More is known to be private than when it was read, or what was private was forgotten: it is to be read anew."""
        return sign_of(self._folder / VAULT) != self._vault

    def open(self) -> sqlite3.Connection:
        return open_read_only(self._path)

    def after(self, number: int, most: int) -> tuple[list[Event], int, list[str]]:
        """The next events behind one, how far they were read, and what could not be read of them."""
        if self._kept is not None:
            found = [event for event in self._kept if event.id > number][:most]
            return self._heard(found), found[-1].id if found else number, []
        try:
            if not self._ready():
                return [], number, []
            assert self._db is not None  # noqa: S101 - it is ready
            found, reached, wrong = events_after(self._db, number, most)
        except (sqlite3.Error, OSError, UsageProblem) as bad:
            return self._failed(bad, number, most)
        if reached != number:
            self._version = -1  # perhaps that was not all
        return self._heard(found), reached, wrong

    def read(self, number: int, most: int) -> tuple[list[Event], int]:
        """Events behind one once more, as they stand, and how far they were read."""
        if self._kept is not None:
            found = [event for event in self._kept if event.id > number][:most]
            return [self._sealed(event) for event in found], found[-1].id if found else number
        try:
            found, reached, _ = events_after(self._db, number, most) if self._db is not None else ([], number, [])
        except sqlite3.Error:
            return [], number
        return [self._sealed(event) for event in found], reached

    def _sealed(self, event: Event) -> Event:
        """The event as it may be told; whoever wrote it may have written anything into its columns."""
        id_, at, kind, role, subtask, step, body = event
        seal = self.seal
        return Event(id_, number_of(at), str(kind), seal(str(role)), seal(str(subtask)), int(number_of(step)), seal(body))

    def _ready(self) -> bool:
        """Whether the journal is open, and something may have been written since it was read."""
        if self._path.exists():
            if self._db is None:
                self._db = self.open()
                self._db.execute(f"PRAGMA busy_timeout = {_PATIENCE}")
                self._db.text_factory = _text
            version = self._db.execute("PRAGMA data_version").fetchone()[0]
            if version == self._version:
                return False
            self._version = version
            return True
        now = time.monotonic()
        if self._version == -1 and self._db is not None:  # the copy may hold more
            self._version = 0
            return True
        if now - self._fetched < FAR:
            return False
        self._fetched = now
        self.close()
        self._db, self._version = self.open(), 0
        return True

    def _failed(self, bad: Exception, number: int, most: int) -> tuple[list[Event], int, list[str]]:
        if isinstance(bad, sqlite3.OperationalError | OSError | UsageProblem):  # it is written to just now, or not there yet
            self._version = -1 if self._path.exists() else 0
            return [], number, []
        kept = salvage(self._path)
        self.notes += [kept.note] if kept.note else []
        self._kept = kept.events
        return self.after(number, most)

    def _heard(self, events: list[Event]) -> list[Event]:
        events = [self._sealed(event) for event in events]
        for event in events:
            hear_picture(self._pictures, event)
        return events

    def result(self, key: str) -> dict[str, Any] | None:
        """What the environment said to an action."""
        found = self._one("SELECT result FROM actions WHERE key = ? AND result IS NOT NULL", key)
        with suppress(ValueError, TypeError, RecursionError):
            said = json.loads(found) if found is not None else None
            return self.seal(said) if isinstance(said, dict) else None
        return None

    def screen(self, state_id: str) -> dict[str, Any]:
        """A screen by its id; empty where it cannot be read."""
        if state_id in self._screens:
            self._screens.move_to_end(state_id)
            return self._screens[state_id]
        row = self._row(state_id)
        body = None if row is None else self._one("SELECT body FROM observations WHERE row = ?", row)
        try:
            screen = self.seal(json.loads(inflated(body))) if body is not None else {}
        except (zlib.error, *UNREADABLE):
            screen = {}
        if not isinstance(screen, dict) or not screen:
            return {}
        self._screens[state_id] = screen
        if len(self._screens) > _SCREENS:
            self._screens.popitem(last=False)
        return screen

    def _row(self, state_id: str) -> int | None:
        if state_id not in self._rows and self._db is not None:
            try:
                last = max(self._rows.values(), default=0)
                for row, state in self._db.execute("SELECT row, state_id FROM observations WHERE row > ? ORDER BY row", (last,)):
                    self._rows.setdefault(str(state), row)
            except sqlite3.Error:
                return None
        return self._rows.get(state_id)

    def _one(self, statement: str, value: Any) -> Any:
        if self._db is None:
            return None
        try:
            row = self._db.execute(statement, (value,)).fetchone()
        except sqlite3.Error:
            return None
        return row[0] if row else None

    def picture(self, state_id: str) -> Path | None:
        path = self._pictures.get(state_id)
        return png_file(self._folder, path) if path is not None else None

    def close(self) -> None:
        if self._db is not None:
            self._db.close()
            self._db = None


class _Results(Mapping[str, Mapping[str, Any]]):
    """Results by the keys of their actions, each read when it is wanted."""

    def __init__(self, journal: Journalled) -> None:
        self._journal = journal

    def __getitem__(self, key: str) -> Mapping[str, Any]:
        found = self._journal.result(key)
        if found is None:
            raise KeyError(key)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0


def _text(said: bytes) -> str:
    return said.decode("utf-8", "replace")
