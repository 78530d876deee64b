"""Errors that are the user's to mend: one sentence with what is wrong, where, and what to do. Exit code 2."""

import errno
import os
from collections.abc import Sequence
from pathlib import Path

USER = "user"
"""Who answered, where they did not say who they are."""


class UsageProblem(Exception):
    """An error of the user. Its text is the whole message, shown unchanged, without a traceback."""


class MissingDependency(UsageProblem):
    """Nothing is wrong with what was written; this machine lacks a package or a key for it."""


class ThreadProblem(UsageProblem, ValueError):
    """Of a thread and what it may be asked. LangGraph Server passes on the text of a ValueError, and of no class of ours."""


class MachineStopped(Exception):
    """Nothing is wrong with what was written, and nothing is lost: the machine does not let it go on now. Exit code 1."""


def only_one(run_id: str, names: Sequence[str], where: str, ls: str) -> str:
    """The run that is called so, or the only one whose id begins or ends so. Raises UsageProblem."""
    close = [run_id] if run_id in names else [n for n in names if run_id and (n.startswith(run_id) or n.endswith(run_id))]
    if len(close) > 1:
        raise UsageProblem(f"{run_id!r} means several runs {where}: {', '.join(close[:5])}; give more of the id.")
    if not close:
        raise UsageProblem(f"There is no run {run_id!r} {where}; list the runs with: {ls}")
    return close[0]


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
    "failing": "The disk with {folder} cannot be written ({words}); check whether it is full or broken",
}


def outage_of(bad: BaseException, folder: Path) -> str:
    """One sentence on what the machine does, or an empty string for anything else."""
    while not _kind(bad) and (led_here := bad.__cause__ or bad.__context__) is not None:
        bad = led_here
    kind = _kind(bad)
    words = bad.strerror if isinstance(bad, OSError) and bad.strerror else " ".join(str(bad).split())
    return _SAID[kind].format(folder=folder, words=words) if kind else ""


def _kind(bad: BaseException) -> str:
    if isinstance(bad, OSError):
        return "full" if bad.errno in _FULL else "shut" if bad.errno in _SHUT else ""
    name = str(getattr(bad, "sqlite_errorname", ""))
    return next((kind for sign, kind in _SIGNS.items() if name.startswith(sign)), "")


def stopped(why: str, folder: Path) -> MachineStopped:
    """For a run that was not even taken up."""
    begun = (folder / "run.json").exists()
    return MachineStopped(f"{why}; then continue with: deskcrew resume {folder.name}" if begun else f"{why}; nothing was started")


def refuse_unwritable(folder: Path) -> None:
    """Raise UsageProblem for the folder of a run in which nothing can be written."""
    if not os.access(folder, os.W_OK):
        raise UsageProblem(f"{folder} cannot be written, so the run cannot go on; make it writable.")
