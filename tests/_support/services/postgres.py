"""A real PostgreSQL for the tests: Debian's programs, a folder of its own, a socket in it, and nobody else in it."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest

MISSING = "PostgreSQL's programs are not there; on Debian: apt-get install postgresql"
_SMALL = ("listen_addresses=", "shared_buffers=16MB", "max_connections=40")
_QUICK = ("fsync=off", "full_page_writes=off", "autovacuum=off")
"""What is committed survives the server, and not the machine."""


@cache
def programs() -> Path | None:
    """The folder with initdb and pg_ctl, the newest version's first."""
    versions = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name), reverse=True)
    found = [path for path in versions if (path / "initdb").exists() and (path / "pg_ctl").exists()]
    if found:
        return found[0]
    command = shutil.which("initdb")
    return Path(command).resolve().parent if command and shutil.which("pg_ctl") else None


class Server:
    """One server; `address` is that of its database."""

    def __init__(self, folder: Path, *, quick: bool = True) -> None:
        self._settings = (*_SMALL, *(_QUICK if quick else ()), f"unix_socket_directories={folder}")
        self._data = folder / "data"
        self._folder = folder
        self.address = f"postgresql:///postgres?host={folder}&user=deskcrew"
        # PostgreSQL does not run as root.
        self._as = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"] if os.getuid() == 0 else []
        if self._as:
            os.chown(folder, 65534, 65534)
        self._do("initdb", "-D", str(self._data), "-U", "deskcrew", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")

    def _do(self, program: str, *words: str) -> None:
        found = programs()
        assert found is not None, MISSING
        done = subprocess.run(
            [*self._as, str(found / program), *words],
            cwd=self._folder,
            env={"PATH": os.environ["PATH"], "LC_ALL": "C"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=120,
        )
        log = self._folder / "log"
        assert done.returncode == 0, f"{program}: {done.stdout}{log.read_text() if log.exists() else ''}"

    def start(self) -> None:
        options = " ".join(f"-c {setting}" for setting in self._settings)
        self._do("pg_ctl", "start", "-w", "-D", str(self._data), "-l", str(self._folder / "log"), "-o", options)

    def stop(self, how: str = "immediate") -> None:
        """`immediate` is a crash; `fast` ends every connection in good order."""
        self._do("pg_ctl", "stop", "-w", "-D", str(self._data), "-m", how)


@contextmanager
def running(*, quick: bool = True) -> Iterator[Server]:
    """A server while it is needed. A short path, because that of a socket has at most 107 signs."""
    with tempfile.TemporaryDirectory(prefix="pg-", dir="/tmp") as folder:
        server = Server(Path(folder), quick=quick)
        server.start()
        try:
            yield server
        finally:
            server.stop()


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """A server for all tests of a process; each uses runs of its own names."""
    if programs() is None:
        pytest.skip(MISSING)
    with running() as server:
        yield server
