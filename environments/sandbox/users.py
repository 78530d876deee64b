"""Whom a script runs as: somebody without rights, never root, and of root's scripts no two as the same."""

from __future__ import annotations

import pwd
import socket
from collections.abc import Iterator
from contextlib import contextmanager

from environments.sandbox.contract import SandboxUnavailable

_UIDS = range(64_800, 65_000)
"""Nobody's: a script of root's runs as one of these, alone on it, because the kernel counts processes by user."""


@contextmanager
def lent_user(wanted: bool) -> Iterator[int | None]:
    """A user that is ours until the end of the block; None where this process is nobody special and needs none.

    Raises SandboxUnavailable where all are in use.
    """
    if not wanted:
        yield None
        return
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as held:
        uid = next((uid for uid in _UIDS if not _somebody(uid) and _held(held, uid)), None)
        if uid is None:
            raise SandboxUnavailable(
                f"all {len(_UIDS)} users that scripts are run as are in use; wait until other runs have ended"
            )
        yield uid


def first_to_end(bash: str) -> list[str]:
    """The words that make what follows the first to end where memory runs out."""
    return [bash, "-c", '{ echo 1000 > /proc/self/oom_score_adj; } 2> /dev/null; exec "$@"', "bash"]


def become(setpriv: str, uid: int) -> list[str]:
    """The words that become that user for good, and end with this process."""
    return [setpriv, f"--reuid={uid}", f"--regid={uid}", "--clear-groups", "--no-new-privs", "--pdeathsig", "KILL", "--"]


def _somebody(uid: int) -> bool:
    try:
        pwd.getpwuid(uid)
    except KeyError:
        return False
    return True


def _held(lock: socket.socket, uid: int) -> bool:
    """Whether the user is ours for now: an abstract address goes with the process, however that ends."""
    try:
        lock.bind(f"\0deskcrew-sandbox-{uid}")
    except OSError:
        return False
    return True
