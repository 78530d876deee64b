"""Everybody who looks on, and one thread that reads for all of them: a run is read once, however many watch it.

Nobody has a queue: whoever is told that something changed asks for what is behind their own number. So one who is slow slows
nobody, holds nothing, and misses nothing.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Protocol

from orchestrator.desk.live.list import RunList
from orchestrator.desk.live.run import PAUSE, WatchedRun
from orchestrator.desk.live.store import Stores

_log = logging.getLogger(__name__)
KEPT = 32
"""Runs that nobody looks at any more, and that are kept for whoever comes back."""


class WatchedLog(Protocol):
    """Something that somebody looks at."""

    version: int
    """Another one whenever anything is not as it was."""

    def look(self) -> None:
        """Read on, unless somebody else does so just now."""

    def rest(self) -> float:
        """Seconds until it is looked at again."""


class Look:
    """Somebody's look at something: `news` is set when it changed. `close` ends it."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._news = asyncio.Event()
        self.closed = False

    def tell(self) -> None:
        """From any thread."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._news.set)

    async def news(self, patience: float | None) -> None:
        """Wait until something changed, for so many seconds at most."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._news.wait(), patience)
            self._news.clear()


class Watch:
    """The runs of a folder, and who looks at which."""

    def __init__(self, runs_dir: Path) -> None:
        self.stores = Stores()
        self.list = RunList(runs_dir, self.stores)
        self._runs: OrderedDict[Path, WatchedRun] = OrderedDict()
        self._looks: dict[WatchedLog, set[Look]] = {}
        self._due: dict[WatchedLog, float] = {}
        self._told: dict[WatchedLog, int] = {}
        """Which version their lookers were told of."""
        self._change = threading.Condition()
        self._thread: threading.Thread | None = None
        self._closed = False

    def run(self, folder: Path) -> WatchedRun:
        """A run as it is now."""
        with self._change:
            run = self._runs.get(folder)
            if run is None or run.files.gone:
                run = self._runs[folder] = WatchedRun(folder, self.stores)
            self._runs.move_to_end(folder)
            for old in [path for path, kept in self._runs.items() if kept not in self._looks][:-KEPT]:
                self._runs.pop(old).close()
        run.advance()
        return run

    @contextmanager
    def looking(self, thing: WatchedLog) -> Iterator[Look]:
        """On the loop that is told of the news."""
        look = Look()
        with self._change:
            look.closed = self._closed
            self._looks.setdefault(thing, set()).add(look)
            self._due[thing] = 0.0
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="deskcrew-watch", daemon=True)
                self._thread.start()
            self._change.notify()
        try:
            yield look
        finally:
            with self._change:
                self._looks[thing].discard(look)
                if not self._looks[thing]:
                    del self._looks[thing], self._due[thing]
                    self._told.pop(thing, None)

    @property
    def looked_at(self) -> int:
        """How many things somebody looks at."""
        with self._change:
            return len(self._looks)

    def close(self) -> None:
        """Every look ends."""
        with self._change:
            self._closed = True
            for looks in self._looks.values():
                for look in looks:
                    look.closed = True
                    look.tell()
            self._change.notify()
        if self._thread is not None:
            self._thread.join(10)
        for run in self._runs.values():
            run.close()
        self.stores.close()

    def _tell(self, thing: WatchedLog) -> None:
        """What counts is what was told, not who read it: whoever asks for a run reads on, too."""
        if thing not in self._looks:
            return
        self._due[thing] = time.monotonic() + thing.rest()
        version = thing.version
        if self._told.get(thing) != version:
            self._told[thing] = version
            for look in self._looks[thing]:
                look.tell()

    @staticmethod
    def _look(thing: WatchedLog) -> None:
        try:
            thing.look()
        except Exception:  # noqa: BLE001 - one run that says what nobody thought of keeps nobody from looking at the others
            _log.exception("%s could not be looked at", thing)

    def _work(self) -> None:
        while True:
            with self._change:
                while not self._looks and not self._closed:
                    self._change.wait()
                if self._closed:
                    return
                now = time.monotonic()
                due = [thing for thing, at in self._due.items() if at <= now]
            for thing in due:
                self._look(thing)
                with self._change:
                    self._tell(thing)
            took = time.monotonic() - now
            with self._change:
                if not self._closed and self._due:  # at most every other moment is spent on looking
                    self._change.wait(max(min(self._due.values()) - time.monotonic(), min(took, PAUSE), 0.001))
