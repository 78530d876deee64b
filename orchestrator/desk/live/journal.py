"""A run's journal, looked at again and again without reading what was read: a file, or rows of a store of several machines."""

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
from orchestrator.control.status import standing
from orchestrator.desk.live.store import RunMirror, Stores
from orchestrator.errors import UsageProblem
from orchestrator.runs.folders import read_run, stored_report
from orchestrator.store.printable import UNREADABLE
from orchestrator.store.salvage import events_after, open_read_only, salvage
from orchestrator.views.page.data import number as number_of
from orchestrator.views.page.source import hear_picture, png_file
from roles.journal.journal import Event
from roles.journal.rows import inflated
from roles.safety.privacy.vault import FILE as VAULT
from roles.safety.privacy.vault import Vault

STALE = 0.1
"""Seconds for which what the files say is believed without a look."""
ALIVE = 1.0
"""Seconds after which it is looked whether the process that works a run is alive; a death changes no file."""
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
    def said_to_it(self) -> tuple[Sign, ...]:
        """Another one when somebody asked or answered something, or took the run or let go of it."""
        return tuple(self._signs.get(name, (0, 0, 0)) for name in (CONTROL, f"{CONTROL}-wal"))

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


JOURNAL = "journal.sqlite"
_PATIENCE = 50
"""Milliseconds to wait for whoever writes; the next look is soon."""
_SCREENS = 16


class RunJournal:
    """One run's. One thread at a time."""

    def __init__(self, folder: Path, stores: Stores) -> None:
        self._folder, self._path = folder, folder / JOURNAL
        self._stores = stores
        self._mirror: RunMirror | None = None
        self._private = Private(folder)
        self._notes: list[str] = []
        self.results = _Results(self)
        self._db: sqlite3.Connection | None = None
        self._all = False
        """Whether the last look found all there was."""
        self._kept: list[Event] | None = None
        """What is left of a damaged journal."""
        self._rows: dict[str, int] = {}
        self._screens: OrderedDict[str, dict[str, Any]] = OrderedDict()
        self._pictures: dict[str, str] = {}

    @property
    def seal(self) -> Callable[[Any], Any]:
        """Puts references over what is private."""
        return self._private.seal

    @property
    def notes(self) -> list[str]:
        """What could not be read, and why."""
        trouble = self._mirror.trouble if self._mirror is not None else ""
        return [*self._notes, trouble] if trouble else self._notes

    def open(self) -> sqlite3.Connection:
        return open_read_only(self._path)

    def again(self) -> None:
        """From here on everything is read once more."""
        self._all = False

    @property
    def caught_up(self) -> bool:
        """Whether the last look found all there was: nobody held the journal, and nothing is left to be read."""
        return self._kept is not None or self._all

    def more_private(self) -> bool:
        """Whether something that was read is known to be private by now, so that it is to be told otherwise."""
        new = self._private.look()
        if new is None:
            return False
        self._screens.clear()
        return any(_stands_in(new, body) for body in self._bodies())

    def _bodies(self) -> Iterator[str]:
        """What the events say, as it is written."""
        if self._kept is not None:
            yield from (json.dumps(event.body) for event in self._kept)
        elif self._db is not None:
            try:
                for role, subtask, body in self._db.execute("SELECT role, subtask, body FROM events"):
                    yield f'"{role}" "{subtask}" {body}'
            except sqlite3.Error:
                yield "\\"  # it cannot be told, so it is read once more

    # --- events -----------------------------------------------------------------------------------------------------

    def after(self, number: int, most: int) -> tuple[list[Event], int, list[str]]:
        """The next events behind one, how far they were read, and what could not be read of them."""
        if self._kept is not None:
            found = [event for event in self._kept if event.id > number][:most]
            return self._heard(found), found[-1].id if found else number, []
        try:
            found, reached, wrong = events_after(self._opened(), number, most)
        except (sqlite3.Error, OSError, UsageProblem) as bad:
            return self._failed(bad, number, most)
        self._all = reached == number
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

    def _opened(self) -> sqlite3.Connection:
        """The journal, or what was fetched of it by now."""
        if self._mirror is not None or not self._path.exists():
            if self._mirror is None:
                self._mirror = self._stores.mirror(self._folder)
            self._db = self._mirror.taken()
        elif self._db is None:
            self._db = self.open()
            self._db.execute(f"PRAGMA busy_timeout = {_PATIENCE}")
            self._db.text_factory = _text
        return self._db

    def _failed(self, bad: Exception, number: int, most: int) -> tuple[list[Event], int, list[str]]:
        if isinstance(bad, sqlite3.OperationalError | OSError | UsageProblem):  # it is written to just now, or not there yet
            self._all = False
            return [], number, []
        kept = salvage(self._path)
        self._notes += [kept.note] if kept.note else []
        self._kept = kept.events
        return self.after(number, most)

    def _heard(self, events: list[Event]) -> list[Event]:
        events = [self._sealed(event) for event in events]
        for event in events:
            hear_picture(self._pictures, event)
        return events

    # --- what stands behind them ------------------------------------------------------------------------------------

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
        if self._mirror is not None:
            self._mirror.close()
            self._mirror = None
        elif self._db is not None:
            self._db.close()
        self._db = None


class Private:
    """What is known to be private in a run. What was sealed stays so, also when the run has ended and its values are gone."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / VAULT
        self._sign = sign_of(self._path)
        first = self._read()
        self._vaults = [first] if first is not None else []

    def _read(self) -> Vault | None:
        try:
            found = Vault(self._path) if self._path.is_file() else None
        except (OSError, ValueError):
            return None
        return found if found is not None and len(found) else None

    def seal(self, value: Any) -> Any:
        for vault in self._vaults:
            value = vault.sealed(value)
        return value

    def look(self) -> Vault | None:
        """The values, if there are some that nobody knew before."""
        sign = sign_of(self._path)
        if sign == self._sign:
            return None
        self._sign, new = sign, self._read()
        known = {pair for vault in self._vaults for pair in vault.known.items()}
        if new is None or new.known.items() <= known:
            return None
        self._vaults = [vault for vault in self._vaults if not vault.known.items() <= new.known.items()] + [new]
        return new


def _stands_in(vault: Vault, written: str) -> bool:
    """Whether a private value stands in JSON. Where nothing is escaped, what is written is what it says."""
    if "\\" not in written:
        return vault.finds(written)
    return True if vault.finds(written) else _said_in(vault, written)


def _said_in(vault: Vault, written: str) -> bool:
    try:
        said = json.loads(written[written.index("{") :])
    except (ValueError, RecursionError):
        return True
    return bool(vault.sealed(said) != said)


class _Results(Mapping[str, Mapping[str, Any]]):
    """Results by the keys of their actions, each read when it is wanted."""

    def __init__(self, journal: RunJournal) -> None:
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
