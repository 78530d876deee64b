"""Everybody who looks on. A run is read once, however many watch it: whoever finds that a look is due looks for all.

Nobody has a queue: whoever hears that something changed asks for what is behind their own cursor. So one who is slow slows
nobody, holds nothing, and misses nothing.
"""

from __future__ import annotations

import asyncio
import logging
import math
import threading
import time
from collections import Counter, OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from starlette.concurrency import run_in_threadpool

from orchestrator.desk.live.list import RunList
from orchestrator.desk.live.run import PAUSE, WatchedRun
from orchestrator.desk.live.store import Stores

_log = logging.getLogger(__name__)
KEPT = 32
"""Runs that nobody looks at any more, and that are kept for whoever comes back."""


Watched = WatchedRun | RunList
"""Something that somebody looks at: its `version` is another one whenever anything is not as it was."""


class Watch:
    """The runs of a folder, and who looks at which."""

    def __init__(self, runs_dir: Path) -> None:
        self.stores = Stores()
        self.list = RunList(runs_dir, self.stores)
        self.closed = False
        self._lock = threading.Lock()
        self._runs: OrderedDict[Path, WatchedRun] = OrderedDict()
        self._looks: Counter[Watched] = Counter()
        self._due: dict[Watched, float] = {}

    def run(self, folder: Path) -> WatchedRun:
        """A run as it is now."""
        with self._lock:
            run = self._runs.get(folder)
            if run is None or run.files.gone:
                run = self._runs[folder] = WatchedRun(folder, self.stores)
            self._runs.move_to_end(folder)
            for old in [path for path, kept in self._runs.items() if kept not in self._looks][:-KEPT]:
                self._runs.pop(old).close()
        run.advance()
        return run

    @contextmanager
    def looking(self, thing: Watched) -> Iterator[None]:
        with self._lock:
            self._looks[thing] += 1
        try:
            yield
        finally:
            with self._lock:
                self._looks[thing] -= 1
                if not self._looks[thing]:
                    del self._looks[thing]
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

    @property
    def looked_at(self) -> int:
        """How many things somebody looks at."""
        with self._lock:
            return len(self._looks)

    def close(self) -> None:
        """Every look ends."""
        self.closed = True
        with self._lock:
            for run in self._runs.values():
                run.close()
        self.stores.close()
