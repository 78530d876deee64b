"""A run that somebody looks at: read on while they do, told from any cursor on, and looked into."""

from __future__ import annotations

import asyncio
import logging
import math
import threading
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from itertools import chain, islice
from pathlib import Path
from typing import Any

from starlette.concurrency import run_in_threadpool

from orchestrator.control.channel import given_to
from orchestrator.desk.live.list import RunList
from orchestrator.desk.models import RunStanding, ScreenDrawn
from orchestrator.store.printable import UNREADABLE
from orchestrator.store.reader import AT_ONCE
from orchestrator.store.salvage import calls_of
from orchestrator.views.page.data import FIELDS, FLAGS, Detail, Pool, plain
from orchestrator.views.page.run_data import PARTS as SHOWN
from orchestrator.views.page.run_data import Page, RunReader
from roles.journal.journal import Event

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
