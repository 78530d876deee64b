"""The list of runs: a row each, made anew only when the run's files, or its journal, are not as they were."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Collection, Iterator
from contextlib import closing, suppress
from pathlib import Path, PurePath
from typing import Any, assert_never

from orchestrator.control.requests import ABOUT, RequestLog, RequestRecord, target_box, with_given
from orchestrator.desk.models import Approval, RunRow, WaitingFor, WaitKind
from orchestrator.runs.folders import is_run_id
from orchestrator.store.printable import UNREADABLE, mapping_in, number
from orchestrator.store.reader import JOURNAL, PATIENCE, Private, sign_of
from orchestrator.store.salvage import open_journal
from orchestrator.views.page.data import plain, words
from orchestrator.views.page.run_data import RunFiles
from roles.contracts.requests import ApprovalRequest, PlanReviewRequest, QuestionRequest, Request, request_in
from roles.journal.events import ModelCallEvent, StepEvent

_OFTEN, _SELDOM = 0.2, 1.0
"""Seconds between two looks at a folder of few runs, or of many."""
_MANY = 300
_TOLD = 100
"""Rows that are told one by one: a page of the list has fewer, and is read in less time."""
GROUPS: dict[str, Collection[str]] = {
    "waiting": {"on_hold"},
    "stopped": {"interrupted", "paused", "taken_over"},
    "failed": {"rejected", "cancelled", "damaged"},
}
"""Words that a list can be narrowed to, beside the states themselves."""
_ASKING = frozenset({"on_hold", "running"})
"""States in which a run may wait for an answer: at work it may ask at a prompt."""
_COUNTED = (ModelCallEvent.KIND, *ABOUT)


class Tally:
    """What is counted of one run's journal, from the last event that was counted on. One thread at a time."""

    def __init__(self) -> None:
        self.reached = self.steps = self.tokens = 0
        self.last = 0.0
        """When the run did something last."""
        self.asked: tuple[RequestRecord, ...] = ()
        self._requests = RequestLog()

    def read_on(self, db: sqlite3.Connection) -> None:
        kinds = ", ".join(f"'{kind}'" for kind in _COUNTED)
        text = f"CASE WHEN kind IN ({kinds}) THEN body ELSE '{{}}' END"
        rows = db.execute(f"SELECT id, at, kind, {text} FROM events WHERE id > ? ORDER BY id", (self.reached,))  # noqa: S608
        for number_, at, kind, said in rows:
            self.reached, self.last = number_, max(self.last, number(at))
            self.steps += kind == StepEvent.KIND
            body = mapping_in(said) or {}
            if kind == ModelCallEvent.KIND:
                self.tokens += int(number(body.get("tokens_in")) + number(body.get("tokens_out")))
            elif kind in ABOUT:
                self._requests.hear(number(at), kind, body)
        self.asked = tuple(self._requests.all())


class ListedRun:
    """A run's row, with what it was made from."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.files = RunFiles(folder, listed=True)
        self.changed = 0
        """The number of the change by which it became what it is."""
        self._signs: object = None
        self._row: RunRow | None = None
        self._tally = Tally()
        self._private = Private(folder)

    def look(self) -> bool:
        """Whether the row is not as it was."""
        changed = self.files.changed()  # first: the journal of a run that has reported its end grows no more
        signs = (sign_of(self.folder / JOURNAL), sign_of(self.folder / f"{JOURNAL}-wal"))
        if not changed and signs == self._signs:
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

    def matches(self, wanted: list[str]) -> bool:
        record = self.files.record
        text = " ".join((self.folder.name, words(record, "goal"), words(record, "task_id"))).casefold()
        return all(word in text for word in wanted)

    def _made(self) -> RunRow:
        self.count()
        record, report, now, tally = self.files.record, self.files.report, self.files.standing, self._tally
        started, steps, last = number(record.get("started")), tally.steps, tally.last
        if not tally.reached:  # nothing of it can be read, so the report tells
            steps = int(number((report.get("counts") or {}).get("steps")))
            last = started + number(report.get("wall_seconds"))
        return RunRow(
            id=self.folder.name,
            goal=_whole(words(record, "goal")),
            task=_whole(words(record, "task_id")),
            status=now.state,
            waiting=self._waiting() if now.state == "on_hold" else None,
            started=started,
            seconds=round(max(last - started, 0.0), 3) if last and started else 0.0,
            steps=steps,
            tokens=tally.tokens,
            preset=_whole(PurePath(words(record.get("settings"), "policies")).stem),
            who_works=_whole(self.files.who_works),
        )

    def _waiting(self) -> WaitingFor:
        request = request_in(self.files.report.get("pending"))
        summary = (request.about.description or request.about.name if request is not None else "") or self.files.standing.reason
        since = self._tally.asked[-1].since if self._tally.asked else 0.0
        return WaitingFor(kind=_kind_of(request), since=since, summary=_whole(str(plain(self._sealed(summary))))[:1000])

    def count(self) -> None:
        """Read on in the journal. What cannot be read just now is counted later."""
        with suppress(sqlite3.Error, OSError, *UNREADABLE), closing(open_journal(self.folder / JOURNAL, PATIENCE)) as db:
            self._tally.read_on(db)

    def _sealed(self, value: Any) -> Any:
        self._private.look()
        return self._private.seal(value)

    def approvals(self) -> Iterator[Approval]:
        """What it asked when it was counted last, as it may be told, and nobody has answered."""
        for one in (with_given(self.folder, asked) for asked in self._tally.asked if asked.said is None):
            if one.said is None:
                more = {"options": list(one.request.allowed), "target_box": target_box(self.folder, one.request)}
                goal, pending = _whole(words(self.files.record, "goal")), self._sealed(one.request.dump()) | more
                yield Approval(id=one.id, run_id=self.folder.name, goal=goal, since=one.since, pending=pending)


def _kind_of(request: Request | None) -> WaitKind:
    match request:
        case None | ApprovalRequest():
            return "approval"
        case QuestionRequest():
            return "question"
        case PlanReviewRequest():
            return "plan"
        case _:
            assert_never(request)


def _whole(text: str) -> str:
    """Without halves of characters, which JSON can hold and nothing else."""
    return text.encode("utf-8", "replace").decode()


class RunList:
    """Every run of the folder. Safe from several threads."""

    def __init__(self, runs_dir: Path) -> None:
        self._runs_dir = runs_dir
        self._lock = threading.Lock()
        self._runs: dict[str, ListedRun] = {}
        self.version = self._shrunk = 0
        """How many rows changed so far, and the change at which a run was last found to be gone."""

    def look(self) -> None:
        with self._lock:
            names = self._names()
            for name in self._runs.keys() - names:
                del self._runs[name]
                self.version += 1
                self._shrunk = self.version
            for name in names:
                run = self._runs.get(name) or self._runs.setdefault(name, ListedRun(self._runs_dir / name))
                if run.look():
                    self.version += 1
                    run.changed = self.version

    def __len__(self) -> int:
        return len(self._runs)

    def rest(self) -> float:
        return _OFTEN if len(self._runs) < _MANY else _SELDOM

    def _names(self) -> set[str]:
        try:
            with os.scandir(self._runs_dir) as found:
                return {entry.name for entry in found if is_run_id(entry.name) and os.path.isfile(f"{entry.path}/run.json")}
        except OSError:
            return set()

    def after(self, change: int) -> tuple[list[RunRow], int, bool]:
        """The rows that changed behind that change, how many changes there are by now, and whether the list is to be read again
        instead: a run went meanwhile, or more rows changed than anybody is told one by one."""
        with self._lock:
            changed = [run for run in self._runs.values() if run.changed > change]
            again = self._shrunk > change or len(changed) > _TOLD
            return [] if again else [run.row for run in changed], self.version, again

    def approvals(self) -> list[Approval]:
        """What is asked anywhere, oldest first."""
        self.look()
        with self._lock:
            runs = [run for run in self._runs.values() if run.files.standing.state in _ASKING]
            for run in runs:
                run.count()
        return sorted((one for run in runs for one in run.approvals()), key=lambda one: one.since)

    def page(self, query: str, status: str, limit: int, before: str) -> tuple[list[RunRow], str]:
        """Rows, newest first, behind the run `before`, and the id of the last if there are more."""
        wanted, states = query.casefold().split(), GROUPS.get(status, {status})
        self.look()
        with self._lock:
            border = (self._runs[before].order if before in self._runs else (0.0, "")) if before else None
            runs = [
                run
                for run in sorted(self._runs.values(), key=lambda run: run.order, reverse=True)
                if (border is None or run.order < border)
                and (not status or run.files.standing.state in states)
                and run.matches(wanted)
            ]
            rows = [run.row for run in runs[:limit]]
            return rows, rows[-1].id if len(runs) > limit else ""
