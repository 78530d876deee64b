"""What a machine does to a run: a full disk, a folder that cannot be written, a file that somebody else holds.

None of it is a fault of the run or of its user, and none of it loses anything: the run stops as if it had been killed.
"""

from __future__ import annotations

import errno
import os
import sqlite3
from pathlib import Path

from orchestrator.errors import MachineStopped, StoreGone, UsageProblem

_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_SHUT = {errno.EROFS, errno.EACCES, errno.EPERM}
_SIGNS = {
    "SQLITE_FULL": "full",
    "SQLITE_BUSY": "held",
    "SQLITE_LOCKED": "held",
    "SQLITE_PROTOCOL": "held",
    "SQLITE_READONLY": "shut",
    "SQLITE_CANTOPEN": "shut",
    "SQLITE_PERM": "shut",
    "SQLITE_IOERR": "failing",
}
_SAID = {
    "full": "There is no room left to write in {folder} ({words}); make room",
    "held": "A file in {folder} is held by another program ({words}); close that program",
    "shut": "{folder} cannot be written ({words}); make it writable",
    "failing": "The disk with {folder} does not take what is written ({words}); see whether it is full or broken",
}


def outage_of(bad: BaseException, folder: Path) -> str:
    """One sentence on what the machine does, or an empty string for anything else."""
    while not (isinstance(bad, StoreGone) or _kind(bad)) and (led_here := bad.__cause__ or bad.__context__) is not None:
        bad = led_here
    if isinstance(bad, StoreGone):
        return str(bad)
    kind = _kind(bad)
    words = bad.strerror if isinstance(bad, OSError) and bad.strerror else " ".join(str(bad).split())
    return _SAID[kind].format(folder=folder, words=words) if kind else ""


def _kind(bad: BaseException) -> str:
    if isinstance(bad, OSError):
        return "full" if bad.errno in _FULL else "shut" if bad.errno in _SHUT else ""
    name = str(getattr(bad, "sqlite_errorname", "")) if isinstance(bad, sqlite3.Error) else ""
    return next((kind for sign, kind in _SIGNS.items() if name.startswith(sign)), "")


def stopped(why: str, folder: Path) -> MachineStopped:
    """For a run that was not even taken up."""
    begun = (folder / "run.json").exists()
    return MachineStopped(f"{why}; then go on with: deskcrew resume {folder.name}" if begun else f"{why}; nothing was begun")


def refuse_unwritable(folder: Path) -> None:
    """Raise UsageProblem for the folder of a run in which nothing can be written."""
    if not os.access(folder, os.W_OK):
        raise UsageProblem(f"{folder} cannot be written, so the run cannot go on; make it writable.")
