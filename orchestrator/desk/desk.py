"""What every part of the server shares: the folder of runs, who may come in, and what was refused."""

from __future__ import annotations

import secrets
import sqlite3
import threading
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, NamedTuple

from fastapi import Depends, Request
from fastapi import Path as InPath

from environments.contract import EnvironmentFault
from environments.served.server import served
from environments.served.session import Session
from orchestrator.desk.auth import Refusals, Refused, Tokens
from orchestrator.desk.live.journal import is_run_id
from orchestrator.desk.live.run import Watch
from orchestrator.errors import UsageProblem
from orchestrator.settings.settings import load_settings
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


FILE = "desk.sqlite"


class Desk:
    """One server's. `close` ends every stream and gives everything back."""

    def __init__(
        self, runs_dir: Path, tokens: Tokens, config: Sequence[Path] = (), *, metrics: bool = False, a2a: bool = False
    ) -> None:
        """`config` are files of settings that hold for every run that is started here; `metrics` serves them at /metrics, and
        `a2a` tasks at /a2a."""
        self.runs_dir = runs_dir
        self.metrics, self.a2a = metrics, a2a
        self.tokens = tokens
        self.config = tuple(path.resolve() for path in config)
        load_settings(self.config)  # what is wrong in them is said now, and the password of a store is known from here on
        self.worlds = OpenWorlds()
        self.watch = Watch(runs_dir)
        try:
            runs_dir.mkdir(parents=True, exist_ok=True)
            self.refusals = Refusals(runs_dir / FILE)
        except (OSError, sqlite3.Error) as bad:
            raise UsageProblem(f"{runs_dir} cannot be written ({bad}); name another folder with --runs-dir.") from None

    def folder(self, run_id: str) -> Path:
        """Of a run by its whole id. Raises Refused and UnknownRun."""
        if not is_run_id(run_id):
            raise Refused(404, "No run has an id like this.")
        folder = self.runs_dir / run_id
        if not (folder / "run.json").is_file():
            raise UnknownRun(run_id)
        return folder

    def close(self) -> None:
        """Twice is fine."""
        self.worlds.close()
        self.watch.close()
        self.refusals.close()


class UnknownRun(LookupError):
    """There is no run of this id."""


def the_desk(request: Request) -> Desk:
    desk: Desk = request.app.state.desk
    return desk


def the_folder(request: Request, run_id: Annotated[str, InPath(description="The whole id of a run.")]) -> Path:
    return the_desk(request).folder(run_id)


TheDesk = Annotated[Desk, Depends(the_desk)]
RunFolder = Annotated[Path, Depends(the_folder)]
"""As the type of a parameter: the folder of the run that `{run_id}` in the path names."""
