"""The runs of a folder that somebody looks at: their list, whose rows are made anew only when files are not as they were; and
each run that is looked into, read on while it is, and told from any cursor on."""

import asyncio
import logging
import math
import os
import sqlite3
import threading
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from itertools import chain, islice
from pathlib import Path, PurePath
from typing import Any, assert_never

from starlette.concurrency import run_in_threadpool

from orchestrator.control.channel import given_to
from orchestrator.control.requests import ABOUT, RequestLog, RequestRecord, target_box, with_given
from orchestrator.desk.models import Approval, RunRow, RunStanding, ScreenDrawn, WaitingFor, WaitKind
from orchestrator.runs.folders import is_run_id
from orchestrator.store.printable import UNREADABLE, mapping_in, number
from orchestrator.store.reader import AT_ONCE, JOURNAL, PATIENCE, Private, sign_of
from orchestrator.store.salvage import calls_of, open_journal
from orchestrator.views.page.data import FIELDS, FLAGS, Detail, Pool, plain, words
from orchestrator.views.page.run_data import PARTS as SHOWN
from orchestrator.views.page.run_data import Page, RunFiles, RunReader
from roles.contracts.requests import ApprovalRequest, PlanReviewRequest, QuestionRequest, Request, request_in
from roles.journal.events import ModelCallEvent, StepEvent
from roles.journal.journal import Event

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


PAUSE, RESTING = 0.05, 0.5
"""Seconds between two looks at a run that is at work, and at one that is over."""


class WatchedRun(RunReader):
    """One run. Every method may be called from any thread."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.lock = threading.RLock()
        self.version = 0
        """Another one whenever anything is not as it was."""
        self._beside: object = None
        """What was known of the run beside its events."""
        self._parts: dict[str, tuple[int, Any]] = {}

    def look(self) -> bool:
        with self.lock:
            changed = super().look()
            beside = (self.files.signs, self.notes)
            changed = changed or beside != self._beside
            self.version += changed
            self._beside = beside
            return changed

    def over(self, cursor: float) -> bool:
        """Whether whoever has this cursor knows all: the run is over, its end was taken in, and came before their cursor."""
        with self.lock:
            ended = self.files.standing.ended and (self.heard.ended or self.heard.last is None)
            return ended and cursor >= self.heard.cursor

    def rest(self) -> float:
        """Seconds until it is looked at again."""
        return RESTING if self.heard.ended else PAUSE

    def after(self, cursor: float, most: int = AT_ONCE) -> Page:
        """What changed behind the event of this number."""
        with self.lock:
            return self.heard.after(cursor, most)

    def events(self, number: int, most: int) -> tuple[list[Event], int, bool]:
        """What was written behind the event of that number, as it may be told; how far it was read, and whether there is more."""
        with self.lock:
            page = list(islice(self.all_events(number), most + 1))
            more = len(page) > most
            return page[:most], page[most - 1].id if more else max(number, self.journal.reached), more

    def all_events(self, after: int = 0) -> Iterator[Event]:
        """Whoever goes on with it has the lock."""
        return map(self.journal.private.sealed, chain.from_iterable(self.journal.read_again(after)))

    def details(self, start: int, count: int) -> list[Detail]:
        with self.lock:
            return self.heard.lines.details[start : start + count]

    def whole(self) -> dict[str, object]:
        """The run but for its items and screens, as parts of which each may be asked for alone."""
        with self.lock:
            return {name: self.part(name) for name in PARTS}

    def part(self, name: str) -> Any:
        with self.lock:
            version, value = self._parts.get(name, (-1, None))
            if version != self.version:
                value = PARTS[name](self)
                self._parts[name] = (self.version, value)
            return value

    def screen(self, state_id: str) -> ScreenDrawn | None:
        """What can be drawn of a screen; None where it is not there."""
        with self.lock:
            screen, picture = self.journal.screen(state_id), self.journal.picture(state_id) is not None
        if not screen:
            return {"size": [1280, 800], "app": "", "elements": [], "picture": True} if picture else None
        pool = Pool([], [])
        pool.add(state_id, screen)
        chunk = pool.rest()
        assert chunk is not None  # noqa: S101 - a screen was added
        drawn = chunk.screens[state_id]
        elements = [chunk.elements[number] for number in drawn["elements"]]
        return {"size": drawn["size"], "app": drawn["app"], "elements": elements, "picture": picture}

    def prompts(self, step: int | None) -> list[dict[str, Any]]:
        with self.lock:
            calls = calls_of(self.all_events(), self.journal.part, step)
        return [{**plain({**call, "messages": []}), "messages": call["messages"]} for call in calls]

    def close(self) -> None:
        with self.lock:
            super().close()


def _standing(run: RunReader) -> RunStanding:
    now = run.files.standing
    reason = run.journal.private.seal(now.reason)
    return {"state": now.state, "reason": reason, "ended": now.ended, "who_works": run.files.who_works}


def _budgets(run: RunReader) -> Any:
    if run.files.standing.ended:
        return plain(run.files.report.get("budgets") or {})
    try:
        return {one.key: plain(one.as_json()) for one in run.heard.counting.budgets(run.files.record.get("settings") or {})}
    except UNREADABLE:
        return {}


def _pending(run: RunReader) -> dict[str, object] | None:
    """What a person is asked now, with where it would be done; None where nothing is."""
    question = run.heard.question
    if question is None or run.files.standing.ended:
        return None
    event, request = question.event, question.request
    about = {"at": event.at, "event": event.id, "role": event.role, "subtask": event.subtask, "step": event.step}
    box = run.heard.item(question.place).box
    return {**plain(event.body), "id": request.asking, "asked": about, "options": list(request.allowed), "target_box": box}


def _answered(run: RunReader) -> dict[str, object] | None:
    """The answer that the run has not heard yet, or the last one that it heard."""
    question = run.heard.question
    given = given_to(run.folder, question.request.asking) if question is not None else None
    if given is None or question is None:
        return None if run.heard.answered is None else {**run.heard.answered, "heard": True}
    said, request = plain(given.said._asdict() | {"at": given.at}), question.request
    return dict(run.journal.private.seal({"key": request.key, "digest": request.digest, **said, "heard": False}))


PARTS: Mapping[str, Callable[[RunReader], Any]] = {
    **SHOWN,
    "standing": _standing,
    "budgets": _budgets,
    "pending": _pending,
    "answered": _answered,
    "drawn": lambda run: {"element": list(FIELDS), "flags": list(FLAGS)},
}
"""By their names, which are those of the API."""


_log = logging.getLogger(__name__)
KEPT = 32
"""Runs that nobody looks at any more, and that are kept for whoever comes back."""


Watched = WatchedRun | RunList
"""Something that somebody looks at: its `version` is another one whenever anything is not as it was."""


class Watch:
    """The runs of a folder, and who looks at which."""

    def __init__(self, runs_dir: Path) -> None:
        self.list = RunList(runs_dir)
        self.closed = False
        self._lock = threading.Lock()
        self._runs: OrderedDict[Path, WatchedRun] = OrderedDict()
        self.looks: Counter[Watched] = Counter()
        """What is looked at, and by how many."""
        self._due: dict[Watched, float] = {}

    def run(self, folder: Path) -> WatchedRun:
        """A run as it is now."""
        with self._lock:
            run = self._runs.get(folder)
            if run is None or run.files.gone:
                run = self._runs[folder] = WatchedRun(folder)
            self._runs.move_to_end(folder)
            for old in [path for path, kept in self._runs.items() if kept not in self.looks][:-KEPT]:
                self._runs.pop(old).close()
        run.look()
        return run

    @contextmanager
    def looking(self, thing: Watched) -> Iterator[None]:
        """While the block goes on somebody looks, and what is not looked at any more may be forgotten."""
        self.looks[thing] += 1
        try:
            yield
        finally:
            self.looks[thing] -= 1
            if not self.looks[thing]:
                del self.looks[thing]
                self._due.pop(thing, None)

    async def news(self, thing: Watched, known: int, patience: float = math.inf) -> int:
        """The version of a thing that is looked at, once it is another one than is known, or after so many seconds."""
        end = time.monotonic() + patience
        while not self.closed and thing.version == known and (now := time.monotonic()) < end:
            if self._due.get(thing, 0.0) > now:
                await asyncio.sleep(min(self._due[thing] - now, end - now, PAUSE))
                continue
            self._due[thing] = math.inf
            try:
                await run_in_threadpool(thing.look)
            except Exception:  # noqa: BLE001 - a run that says what nobody thought of can still be told as it was
                _log.exception("%s could not be looked at", thing)
            finally:
                self._due[thing] = time.monotonic() + thing.rest()
        return thing.version

    def close(self) -> None:
        """Every look ends."""
        self.closed = True
        with self._lock:
            for run in self._runs.values():
                run.close()
