"""A run's folder and its journal, looked at again and again from the cursor on that was reached."""

from __future__ import annotations

import json
import os
import sqlite3
import time
import zlib
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from orchestrator.control.channel import FILE as CONTROL
from orchestrator.control.lease import RunStatus, standing, told
from orchestrator.errors import UsageProblem
from orchestrator.runs.folders import read_run, stored_report, written_run
from orchestrator.store.printable import UNREADABLE
from orchestrator.store.salvage import events_after, open_read_only, part_in, salvage
from orchestrator.views.page.data import number
from orchestrator.views.page.source import hear_picture, png_file
from protocol import JsonObject
from roles.journal.journal import Event
from roles.journal.rows import screen_text
from roles.safety.privacy.vault import FILE as VAULT
from roles.safety.privacy.vault import Vault

JOURNAL = "journal.sqlite"
STALE, ALIVE = 0.1, 1.0
"""Seconds for which the files are believed without a look, and for which a holder is taken to live: a death changes no file."""
AT_ONCE = 500
"""Changes, or events, that are told together."""
_PATIENCE = 50
"""Milliseconds to wait for whoever writes; the next look is soon."""
_LISTED = ("goal", "task_id", "started", "settings", "status", "reason", "ended_by", "pending", "counts", "wall_seconds")
"""What a list tells of a run's record and report."""
_READ = ("run.json", "report.json", CONTROL, f"{CONTROL}-wal")
Sign = tuple[int, int, int]
NO_FILE: Sign = (0, 0, 0)


def sign_of(path: Path) -> Sign:
    """Another one when the file was written. One that is empty is as good as none: SQLite makes such logs for whoever reads."""
    try:
        stat = os.stat(path)
    except OSError:
        return NO_FILE
    return (stat.st_mtime_ns, stat.st_size, stat.st_ino) if stat.st_size else NO_FILE


class RunFiles:
    """Record, report and standing of a run; of one that is only listed what a list tells, since there may be thousands."""

    def __init__(self, folder: Path, *, listed: bool = False) -> None:
        self.folder = folder
        self._listed = listed
        self.notes: list[str] = []
        self.record: JsonObject = {}
        self.report: JsonObject = {}
        self.who_works = ""
        self.signs: dict[str, Sign] = {}
        """Others when the run was begun, reported, asked for something or answered, taken or let go of."""
        self._looked = self._read_at = 0.0
        self.standing = RunStatus("", "", None)
        self.changed()

    def changed(self) -> bool:
        """Look again; says whether record, report or standing is another one."""
        now = time.monotonic()
        if self.signs and now - self._looked < STALE:
            return False
        self._looked = now
        before, self.signs = self.signs, {name: sign_of(self.folder / name) for name in _READ}
        asleep = self.standing.ended or self.standing.holder is None  # whoever takes it up writes that down
        if self.signs == before and (asleep or now - self._read_at < ALIVE):
            return False
        known = (self.record, self.report, self.standing, self.who_works) if before else None
        if self.signs["run.json"] != before.get("run.json"):
            try:
                self.record, self.notes = self._kept(written_run if self._listed else read_run), []
            except UsageProblem as bad:
                self.record, self.notes = {}, [str(bad)]
        if self.signs["report.json"] != before.get("report.json"):
            self.report = self._kept(stored_report)
        self.standing = standing(self.folder, self.report)
        if self.notes and self.standing.holder is None:
            self.standing = self.standing._replace(state="damaged", reason=self.notes[0])
        self.who_works = told(self.standing.holder) if self.standing.holder is not None else ""
        self._read_at = now
        return known != (self.record, self.report, self.standing, self.who_works)

    def _kept(self, read: Callable[[Path], JsonObject]) -> JsonObject:
        whole = read(self.folder)
        if not self._listed:
            return whole
        kept = {name: whole[name] for name in _LISTED if name in whole}
        if isinstance(settings := kept.get("settings"), dict):
            kept["settings"] = {"policies": settings.get("policies")}
        return kept

    @property
    def gone(self) -> bool:
        """Somebody deleted the run."""
        return self.signs["run.json"] == NO_FILE


class Private:
    """What is known to be private in a run. What was sealed stays so, also when the run has ended and its values are gone."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / VAULT
        self._sign = NO_FILE
        self._vaults: list[Vault] = []
        self.look()

    def seal(self, value: Any) -> Any:
        for vault in self._vaults:
            value = vault.sealed(value)
        return value

    def sealed(self, event: Event) -> Event:
        """The event as it may be told; whoever wrote it may have written anything into its columns."""
        role, subtask, body = self.seal([str(event.role), str(event.subtask), event.body])
        at, step = number(event.at), int(number(event.step))
        return event._replace(at=at, kind=str(event.kind), role=role, subtask=subtask, step=step, body=body)

    def look(self) -> Vault | None:
        """The values, if there are some that nobody knew before."""
        sign = sign_of(self._path)
        if sign == self._sign:
            return None
        self._sign = sign
        try:
            new = Vault(self._path) if self._path.is_file() else Vault()
        except (OSError, ValueError):
            return None
        known = {pair for vault in self._vaults for pair in vault.known.items()}
        if new.known.items() <= known:
            return None
        self._vaults = [vault for vault in self._vaults if not vault.known.items() <= new.known.items()] + [new]
        return new


def opened(path: Path) -> sqlite3.Connection:
    """A journal that is written to meanwhile. Raises sqlite3.Error."""
    db = open_read_only(path)
    db.execute(f"PRAGMA busy_timeout = {_PATIENCE}")
    db.text_factory = lambda text: text.decode("utf-8", "replace")
    if db.execute("SELECT 1 FROM sqlite_master WHERE name = 'events' AND type <> 'table'").fetchone():
        raise sqlite3.DatabaseError("its events are not a table")  # a view may be without end
    return db


class RunJournal:
    """What was read of one run, and the way to what was not. One thread at a time."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / JOURNAL
        self.private = Private(folder)
        self.events: list[Event] = []
        """As they were written."""
        self.reached = 0
        self.caught_up = False
        """Whether the last look found all there was: nobody held the journal, and nothing is left to be read."""
        self.wrong: list[str] = []
        """Events that cannot be read, and why."""
        self._db: sqlite3.Connection | None = None
        self._damaged = False
        self.notes: list[str] = []
        """What could not be read, and why."""
        self._rows: dict[str, int] = {}
        self._pictures: dict[str, str] = {}

    def read_on(self) -> list[Event] | None:
        """The next events, AT_ONCE at most; None where there are none."""
        if self._damaged:
            return None
        try:
            events, reached, wrong = events_after(self._opened(), self.reached, AT_ONCE)
        except (sqlite3.OperationalError, OSError):  # it is written to just now, or not there yet
            self.caught_up = False
            return None
        except sqlite3.Error:
            kept = salvage(self.path)
            self._damaged, self.notes = True, [kept.note] if kept.note else []
            events, wrong = [event for event in kept.events if event.id > self.reached], []
            reached = events[-1].id if events else self.reached
        self.caught_up = self._damaged or reached == self.reached
        if reached == self.reached:
            return None
        self.reached = reached
        self.wrong += wrong
        self.events += events
        for event in events:
            hear_picture(self._pictures, event)
        return events

    def _opened(self) -> sqlite3.Connection:
        if self._db is None:
            self._db = opened(self.path)
        return self._db

    def more_private(self) -> bool:
        """Whether something that was read is known to be private by now, so that it is to be told otherwise."""
        new = self.private.look()
        return new is not None and any(
            new.sealed([event.role, event.subtask, event.body]) != [event.role, event.subtask, event.body]
            for event in self.events
        )

    def result(self, key: str) -> Mapping[str, Any]:
        """What the environment said to an action."""
        text = self._one("SELECT result FROM actions WHERE key = ? AND result IS NOT NULL", key)
        with suppress(ValueError, TypeError, RecursionError):
            result = json.loads(text) if text is not None else None
            return self.private.seal(result) if isinstance(result, dict) else {}
        return {}

    def screen(self, state_id: str) -> JsonObject:
        """A screen by its id; empty where it cannot be read."""
        if state_id not in self._rows and self._db is not None:
            with suppress(sqlite3.Error):
                last = max(self._rows.values(), default=0)
                for row, state in self._db.execute("SELECT row, state_id FROM observations WHERE row > ? ORDER BY row", (last,)):
                    self._rows.setdefault(str(state), row)
        row = self._rows.get(state_id)
        try:
            screen = self.private.seal(json.loads(screen_text(self._db, row))) if row is not None and self._db is not None else {}
        except (sqlite3.Error, zlib.error, *UNREADABLE):
            return {}
        return screen if isinstance(screen, dict) else {}

    def part(self, name: str) -> str | None:
        """A part of a transcript by its name."""
        return None if self._db is None else part_in(self._db, self.private.seal, name)

    def _one(self, statement: str, value: str | int | None) -> Any:
        if self._db is None or value is None:
            return None
        try:
            row = self._db.execute(statement, (value,)).fetchone()
        except sqlite3.Error:
            return None
        return row[0] if row else None

    def picture(self, state_id: str) -> Path | None:
        path = self._pictures.get(state_id)
        return png_file(self.path.parent, path) if path is not None else None

    def close(self) -> None:
        """Twice is fine."""
        if self._db is not None:
            self._db.close()
        self._db = None
