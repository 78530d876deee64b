"""The list of runs: a row each, made anew only when the run's files are not as they were."""

from __future__ import annotations

import json
import os
import sqlite3
import threading
from collections.abc import Collection
from contextlib import closing
from pathlib import Path, PurePath

from orchestrator.desk.models import RunRow, Waiting, WaitKind
from orchestrator.desk.watching_files import JOURNAL, RunFiles, Sign, is_run_id, sign_of
from orchestrator.errors import UsageProblem
from orchestrator.faces.words import UNREADABLE
from orchestrator.journal import open_read_only
from orchestrator.viewer.data import number, plain, words

_OFTEN, _SELDOM = 0.2, 1.0
"""Seconds between two looks at a folder of few runs, or of many."""
_MANY = 300
_KINDS: dict[str, WaitKind] = {"question": "question", "plan": "plan"}
GROUPS: dict[str, Collection[str]] = {
    "waiting": {"on_hold"},
    "stopped": {"interrupted", "paused", "taken_over"},
    "failed": {"rejected", "cancelled", "damaged"},
}
"""Words that a list can be narrowed to, beside the states themselves."""


class ListedRun:
    """A run's row, with what it was made from."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.files = RunFiles(folder)
        self.changed = 0
        """The number of the change by which it became what it is."""
        self._signs: tuple[Sign, Sign] | None = None
        self._row: RunRow | None = None
        self._read = 0
        self._steps = self._tokens = 0
        self._last = self._asked = 0.0

    def look(self) -> bool:
        """Whether the row is not as it was."""
        signs = (sign_of(self.folder / JOURNAL), sign_of(self.folder / f"{JOURNAL}-wal"))
        if not self.files.changed() and signs == self._signs:
            return False
        self._signs, self._row = signs, None
        return True

    @property
    def row(self) -> RunRow:
        if self._row is None:
            self._row = self._made()
        return self._row

    @property
    def order(self) -> tuple[float, str]:
        return (number(self.files.record.get("started")), self.folder.name)

    def said(self) -> str:
        """What is looked through for words."""
        record = self.files.record
        return " ".join((self.folder.name, words(record, "goal"), words(record, "task_id"))).casefold()

    def _made(self) -> RunRow:
        self._count()
        record, now = self.files.record, self.files.standing
        started = number(record.get("started"))
        settings = record.get("settings")
        return RunRow(
            id=self.folder.name,
            goal=_whole(words(record, "goal")),
            task=_whole(words(record, "task_id")),
            status=now.state,
            waiting=self._waiting() if now.state == "on_hold" else None,
            started=started,
            seconds=round(max(self._last - started, 0.0), 3) if self._last and started else 0.0,
            steps=self._steps,
            tokens=self._tokens,
            preset=_whole(PurePath(words(settings, "policies")).stem),
            who_works=_whole(self.files.who_works),
        )

    def _waiting(self) -> Waiting:
        pending = self.files.report.get("pending")
        pending = pending if isinstance(pending, dict) else {}
        kind = _KINDS.get(words(pending, "kind"), "approval")
        requests = pending.get("action_requests")
        first = requests[0] if isinstance(requests, list) and requests else {}
        summary = words(first, "description", "name") or self.files.standing.reason
        return Waiting(kind=kind, since=self._asked, summary=_whole(str(plain(summary)))[:1000])

    def _count(self) -> None:
        """Read on in the journal, if it is in this folder; of one that is elsewhere the report tells."""
        path = self.folder / JOURNAL
        if not path.is_file():
            counts = self.files.report.get("counts")
            self._steps = int(number((counts or {}).get("steps")))
            self._last = number(self.files.record.get("started")) + number(self.files.report.get("wall_seconds"))
            return
        try:
            with closing(open_read_only(path)) as db:
                self._read_on(db)
        except (sqlite3.Error, OSError, UsageProblem, *UNREADABLE):
            return  # what was counted so far stays

    def _read_on(self, db: sqlite3.Connection) -> None:
        if db.execute("SELECT 1 FROM sqlite_master WHERE name = 'events' AND type <> 'table'").fetchone():
            return
        last, at, steps, asked = db.execute(
            "SELECT max(id), max(at), sum(kind = 'step'), max(CASE WHEN kind = 'approval_requested' THEN at END) "
            "FROM events WHERE id > ?", (self._read,),
        ).fetchone()  # fmt: skip
        if last is None:
            return
        calls = db.execute("SELECT body FROM events WHERE kind = 'model_call' AND id > ? AND id <= ?", (self._read, last))
        used = [body for (said,) in calls.fetchall() if isinstance(body := json.loads(said), dict)]
        self._tokens += sum(int(number(body.get("tokens_in")) + number(body.get("tokens_out"))) for body in used)
        self._steps += int(steps)
        self._last, self._asked = max(self._last, number(at)), number(asked) or self._asked
        self._read = last


def _whole(text: str) -> str:
    """Without halves of characters, which JSON can hold and nothing else."""
    return text.encode("utf-8", "replace").decode()


class RunList:
    """Every run of the folder. Safe from several threads."""

    def __init__(self, runs_dir: Path) -> None:
        self._runs_dir = runs_dir
        self._lock = threading.Lock()
        self._runs: dict[str, ListedRun] = {}
        self.version = 0
        """How many rows changed so far."""

    def look(self) -> None:
        with self._lock:
            names = self._names()
            for name in self._runs.keys() - names:
                del self._runs[name]
                self.version += 1
            for name in names:
                run = self._runs.get(name)
                if run is None:
                    run = self._runs[name] = ListedRun(self._runs_dir / name)
                    run.look()
                elif not run.look():
                    continue
                self.version += 1
                run.changed = self.version

    def rest(self) -> float:
        return _OFTEN if len(self._runs) < _MANY else _SELDOM

    def _names(self) -> set[str]:
        try:
            with os.scandir(self._runs_dir) as found:
                return {entry.name for entry in found if is_run_id(entry.name) and os.path.isfile(f"{entry.path}/run.json")}
        except OSError:
            return set()

    def after(self, change: int) -> tuple[list[RunRow], int]:
        """The rows that changed behind that change, and how many changes there are by now."""
        with self._lock:
            return [run.row for run in self._runs.values() if run.changed > change], self.version

    def page(self, query: str, status: str, limit: int, before: str) -> tuple[list[RunRow], str]:
        """Rows, newest first, behind the run `before`, and the id of the last if there are more."""
        wanted = query.casefold().split()
        states = GROUPS.get(status, {status})
        self.look()
        with self._lock:
            runs = sorted(self._runs.values(), key=lambda run: run.order, reverse=True)
            if before:
                border = self._runs[before].order if before in self._runs else (0.0, "")
                runs = [run for run in runs if run.order < border]
            found = [
                run
                for run in runs
                if (not status or run.files.standing.state in states) and all(word in run.said() for word in wanted)
            ]
            rows = [run.row for run in found[:limit]]
            return rows, rows[-1].id if len(found) > limit else ""
