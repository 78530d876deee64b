"""Worlds that people use by hand: each is served at a port of its own under a token of its own, as by `deskcrew world serve`."""

from __future__ import annotations

import secrets
import threading
import time
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

from environments.contract import EnvironmentFault
from environments.served.server import served
from environments.served.session import Session
from orchestrator.errors import UsageProblem
from orchestrator.tasks.served_world import ServeOptions, session_of

MOST = 16
"""At once; each is a server of its own."""


class OpenWorld(NamedTuple):
    """One that is served."""

    id: str
    world: str
    seed: int
    goal: str
    url: str
    record: Path | None
    who: str
    since: float
    session: Session
    closing: ExitStack

    @property
    def steps(self) -> int:
        """How many are recorded."""
        return steps_in(self.record)


def steps_in(record: Path | None) -> int:
    if record is None or not record.is_file():
        return 0
    with record.open("rb") as file:
        return sum(1 for _ in file)


class OpenWorlds:
    """Those of one server. Safe from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: dict[str, OpenWorld] = {}

    def all(self) -> list[OpenWorld]:
        with self._lock:
            return list(self._open.values())

    def open(self, world: str, seed: int | None, goal: str, record: Path | None, who: str) -> OpenWorld:
        """Serve a world until it is closed. Raises UsageProblem."""
        with self._lock:
            if len(self._open) >= MOST:
                raise UsageProblem(f"{MOST} worlds are open; close one of them first.")
            with ExitStack() as closing:
                try:
                    session = session_of(ServeOptions(world, None, seed, goal, record, "127.0.0.1", 0))
                    closing.callback(session.desktop.close)
                    closing.callback(session.close)
                    address = closing.enter_context(served(session))
                except EnvironmentFault as bad:
                    raise UsageProblem(str(bad)) from None
                found = int(session.desktop.world()["seed"])
                name = secrets.token_hex(6)
                made = OpenWorld(name, world, found, goal, address.url, record, who, time.time(), session, closing.pop_all())
            self._open[made.id] = made
            return made

    def shut(self, name: str) -> OpenWorld | None:
        """End one; None where there is none of this name."""
        with self._lock:
            found = self._open.pop(name, None)
        if found is not None:
            found.closing.close()
        return found

    def close(self) -> None:
        """End all."""
        for one in self.all():
            self.shut(one.id)
