"""The journal of a run, read from outside: once, or again and again from the cursor on that was reached.

What cannot be read is said in `notes` and `wrong`, and the rest is given.
"""

import os
import re
import sqlite3
import zlib
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from orchestrator.store.printable import UNREADABLE, number
from orchestrator.store.salvage import calls_of, events_after, open_journal, salvage
from protocol import JsonObject
from protocol.model.steps import picture_file
from roles.journal.events import PictureEvent, PictureWithdrawnEvent, loads
from roles.journal.journal import Event
from roles.journal.rows import inflated, screen_text
from roles.journal.transcripts import PICTURE
from roles.safety.privacy.vault import FILE as VAULT
from roles.safety.privacy.vault import Vault

JOURNAL = "journal.sqlite"
AT_ONCE = 500
"""Changes, or events, that are told together."""
PATIENCE = 0.05
"""Seconds to wait for whoever writes; the next look is soon."""
_PICTURE = re.compile(r"screens/[0-9a-f]{16,64}\.png")
_PNG = b"\x89PNG\r\n\x1a\n"
_LARGEST_PICTURE = 20_000_000
_UNREAD = (sqlite3.Error, zlib.error, OSError, *UNREADABLE)
Sign = tuple[int, int, int]
NO_FILE: Sign = (0, 0, 0)


def sign_of(path: Path) -> Sign:
    """Another one when the file was written. One that is empty is as good as none: SQLite makes such logs for whoever reads."""
    try:
        stat = os.stat(path)
    except OSError:
        return NO_FILE
    return (stat.st_mtime_ns, stat.st_size, stat.st_ino) if stat.st_size else NO_FILE


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
        return Event(event.id, at, str(event.kind), role, subtask, step, body)

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


class RunJournal:
    """The journal of a run: its events from any of them on, and its screens, results and pictures. One thread at a time."""

    def __init__(self, folder: Path, *, live: bool) -> None:
        """`live`: it may be written to, and what cannot be read now is there at the next look."""
        self.path = folder / JOURNAL
        self.private = Private(folder)
        self.reached = 0
        self.caught_up = False
        """Whether the last look found all there was: nobody held the journal, and nothing is left to be read."""
        self.wrong: list[str] = []
        """Events that cannot be read, and why."""
        self.notes: list[str] = []
        """What else could not be read, and why."""
        self._live = live
        self._count = 0
        self._db: sqlite3.Connection | None = None
        self._kept: list[Event] | None = None
        """What is left of a damaged journal."""
        self._rows: dict[str, int] = {}
        """Screens, in the order in which they were seen first."""
        self._pictures: dict[str, str] = {}

    def read_on(self) -> list[Event] | None:
        """The next events, AT_ONCE at most; None where there are none."""
        try:
            events, reached, wrong = self._behind(self.reached)
        except (sqlite3.Error, OSError):  # it is written to just now, or not there yet
            self.caught_up = False
            return None
        self.caught_up = reached == self.reached
        if self.caught_up:
            return None
        self.reached = reached
        self.wrong += wrong
        self._count += len(events)
        for event in events:
            if event.kind in {PictureEvent.KIND, PictureWithdrawnEvent.KIND}:
                self._hear_picture(event)
        return events

    def read_all(self) -> Iterator[Event]:
        """All that is left to be read, one by one."""
        while (events := self.read_on()) is not None:
            yield from events

    @property
    def note(self) -> str:
        """What of it could not be read so far; empty where nothing is wrong."""
        lost = f"{self.path} is damaged ({self.wrong[0]}): {self._count} events could be read" if self.wrong else ""
        return next(iter(self.notes), lost)

    def read_again(self, after: int = 0) -> Iterator[list[Event]]:
        """As they were written, the events that were read behind one, AT_ONCE at a time."""
        while after < self.reached:
            events, reached, _ = self._behind(after)
            if reached == after:
                return
            after = reached
            yield [event for event in events if event.id <= self.reached]

    def _behind(self, after: int) -> tuple[list[Event], int, list[str]]:
        """The events behind one, how far they were read, and which cannot be. Raises what ends at the next look."""
        try:
            if self._kept is None:
                return events_after(self._opened(), after, AT_ONCE)
        except (sqlite3.Error, OSError) as bad:
            if self._live and isinstance(bad, sqlite3.OperationalError | OSError):
                raise
            self._kept, note = salvage(self.path)
            self.notes += [note] if note else []
        assert self._kept is not None  # noqa: S101 - it was just read
        start = bisect_right(self._kept, after, key=lambda event: event.id)
        found = self._kept[start : start + AT_ONCE]
        return found, found[-1].id if found else after, []

    def _opened(self) -> sqlite3.Connection:
        if self._db is None:
            self._db = open_journal(self.path, PATIENCE)
        return self._db

    def more_private(self) -> bool:
        """Whether something that was read is known to be private by now, so that it is to be told otherwise."""
        new = self.private.look()
        told = ([event.role, event.subtask, event.body] for events in self.read_again() for event in events)
        return new is not None and any(new.sealed(said) != said for said in told)

    def result(self, key: str) -> Mapping[str, Any]:
        """What the environment said to an action."""
        with suppress(*_UNREAD):
            (text,) = self._opened().execute("SELECT result FROM actions WHERE key = ?", (key,)).fetchone()
            if isinstance(result := loads(text), dict):
                return dict(self.private.seal(result))
        return {}

    def screen(self, state_id: str) -> JsonObject:
        """A screen by its id; empty where it cannot be read."""
        with suppress(*_UNREAD):
            if state_id not in self._rows:
                self._look_for_screens()
            if isinstance(screen := loads(screen_text(self._opened(), self._rows[state_id])), dict):
                return dict(self.private.seal(screen))
        return {}

    def screens(self) -> Iterator[tuple[str, JsonObject]]:
        """Every screen that can be read, with its id, one by one in the order in which they were seen first."""
        try:
            self._look_for_screens()
        except (sqlite3.Error, OSError) as bad:
            self.notes.append(f"the screens could not be read ({bad})")
        lost = 0
        for state_id in self._rows:
            if screen := self.screen(state_id):
                yield state_id, screen
            else:
                lost += 1
        if lost:
            self.notes.append(f"{lost} screens could not be read")

    def _look_for_screens(self) -> None:
        asked = "SELECT row, state_id FROM observations WHERE row > ? ORDER BY row"
        for row, state in self._opened().execute(asked, (max(self._rows.values(), default=0),)):
            self._rows.setdefault(str(state), row)

    def part(self, name: str) -> str | None:
        """A part of a transcript by its name."""
        with suppress(*_UNREAD):
            (body,) = self._opened().execute("SELECT body FROM parts WHERE name = ?", (name,)).fetchone()
            text = inflated(bytes(body)).decode("utf-8", "surrogatepass")
            return text if text.startswith(PICTURE) else str(self.private.seal(text))
        return None

    def picture(self, state_id: str) -> Path | None:
        """The file with the clean picture of a screen."""
        path = self._pictures.get(state_id)
        file = picture_file(self.path.parent, path) if path is not None else None
        try:
            if file is None or file.stat().st_size > _LARGEST_PICTURE:
                return None
            with file.open("rb") as opened:
                return file if opened.read(8) == _PNG else None
        except OSError:
            return None

    def pictures(self) -> dict[str, Path]:
        """The pictures that the journal names and the folder has, by the ids of their screens."""
        found = {state: file for state in self._pictures if (file := self.picture(state)) is not None}
        if gone := len(self._pictures) - len(found):
            what = "pictures of screens are missing or are not PNG files; those screens are drawn from their elements"
            self.notes.append(f"{gone} {what}")
        return found

    def _hear_picture(self, event: Event) -> None:
        path, state = event.body.get("path"), event.body.get("state_id")
        if event.kind == PictureEvent.KIND and isinstance(path, str) and isinstance(state, str):
            if event.body.get("kind", "clean") == "clean" and _PICTURE.fullmatch(path):
                self._pictures[state] = path
        elif event.kind == PictureWithdrawnEvent.KIND:
            self._pictures = {seen: kept for seen, kept in self._pictures.items() if kept != path}

    def close(self) -> None:
        """Twice is fine."""
        if self._db is not None:
            self._db.close()
        self._db = None


def calls_in(folder: Path, step: int | None = None) -> list[JsonObject]:
    """The calls of a run's models of which a transcript was kept; with `step` those of one step."""
    with closing(RunJournal(folder, live=False)) as journal:
        return calls_of(map(journal.private.sealed, journal.read_all()), journal.part, step)
