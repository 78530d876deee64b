"""A folder of this process under the system's temporary folder: gone when it is closed, or swept up after a kill.

Who has one holds a lock on the folder itself, which ends with the process however that ends. So whoever makes one can tell
what is left of others from what is in use, also across containers that share the folder, and takes the first away.
"""

import fcntl
import os
import shutil
import tempfile
import weakref
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self


class Scratch:
    """`path` is the folder: for nobody but this user, empty at first."""

    def __init__(self, prefix: str) -> None:
        """Makes one, and removes those of this prefix and user whose process is no more."""
        _sweep(prefix)
        self.path, lock = _made(prefix)
        self._removal = weakref.finalize(self, _removed, self.path, lock, os.getpid())

    def close(self) -> None:
        """Remove it with all that is in it. Twice is fine."""
        self._removal()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, bad: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


def _made(prefix: str) -> tuple[Path, int]:
    """A new folder, and the lock on it."""
    while True:
        path = Path(tempfile.mkdtemp(prefix=prefix))
        with suppress(FileNotFoundError):  # somebody swept it up before it was locked
            lock = _opened(path)
            fcntl.flock(lock, fcntl.LOCK_EX)
            if path.exists():
                return path, lock
            os.close(lock)


def _removed(path: Path, lock: int, process: int) -> None:
    if os.getpid() == process:  # a fork of it has the same object, and ends before it
        shutil.rmtree(path, ignore_errors=True)
    os.close(lock)


def _sweep(prefix: str) -> None:
    for path in Path(tempfile.gettempdir()).glob(f"{prefix}*"):
        with suppress(OSError):  # another's, no folder, or gone meanwhile
            lock = _opened(path)
            try:
                if os.fstat(lock).st_uid == os.geteuid():
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # fails where the process is alive
                    shutil.rmtree(path, ignore_errors=True)
            finally:
                os.close(lock)


def _opened(path: Path) -> int:
    """A handle on a folder; a link to one is refused."""
    return os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
