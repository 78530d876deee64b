"""A run is worked by one process at a time: the lease, how a holder is told from a dead one, and what to say when it is held.

Held         another process works the run: who, since when, and what to do
LeaseLost    another process has the run by now: this one stops before its next action
"""

import os
import secrets
import socket
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from orchestrator.control.channel import Channel, Holder, holder_of
from orchestrator.errors import UsageProblem, outage_of, stopped

CREW, BY_HAND = "the crew", "a person"
CREW_PAUSED, CREW_WAITS = "the crew (paused)", "a person (the crew waits)"
"""In a process that has to stay, since what its environment shows would be gone with it."""


class LeaseHeld(UsageProblem):
    """The run is another's."""


class LeaseLost(UsageProblem):
    """The run was taken over from this process, which gave no sign of life for too long."""


class LeaseTerms(NamedTuple):
    """How a lease is kept up where nobody can see the holder's process, in seconds."""

    beat: float = 5.0
    """Between two signs of life."""
    stale: float = 30.0
    """Without one for so long a holder may be dead; it is watched once more, since clocks of machines differ."""

    @property
    def watched(self) -> float:
        return 2.5 * self.beat


TERMS = LeaseTerms()


class Lease:
    """Held until it is released, or until the process is dead."""

    def __init__(self, channel: Channel, token: str, open_again: Callable[[], Channel], terms: LeaseTerms) -> None:
        self.token = token
        self._channel = channel
        self._ended = threading.Event()
        # In its own thread, so that a decision which takes minutes does not look like death.
        self._beating = threading.Thread(target=self._beat, args=(open_again, terms.beat), name="deskcrew-lease", daemon=True)
        self._beating.start()

    def _beat(self, open_again: Callable[[], Channel], pause: float) -> None:
        if self._ended.wait(pause):
            return
        channel = open_again()
        try:
            while True:
                if not channel.beat(self.token) or self._ended.wait(pause):
                    return  # one that is another's by now: the crew is told when it looks
        finally:
            channel.close()

    def release(self) -> None:
        """Twice is fine."""
        if not self._ended.is_set():
            self._ended.set()
            with suppress(sqlite3.OperationalError):  # on a full disk it stays: that its process is dead is seen
                self._channel.release(self.token)
            self._beating.join()


def take_lease(channel: Channel, run_id: str, doing: str, open_again: Callable[[], Channel], terms: LeaseTerms = TERMS) -> Lease:
    """Make the run this process's own. Raises LeaseHeld while another one has it; waits a little where that one may be dead."""
    token, now = secrets.token_hex(8), time.time()
    pid = os.getpid()
    wanted = Holder(token, doing, socket.gethostname(), machine(), pid, started(pid) or "", now, 0, now)
    there = channel.hold(wanted, lambda holder: not is_dead(holder))
    if there is not None and may_be_dead(there, terms):
        time.sleep(terms.watched)
        silent = (there.token, there.beats)
        there = channel.hold(wanted, lambda holder: (holder.token, holder.beats) != silent and not is_dead(holder))
    if there is not None:
        raise LeaseHeld(f"Run {run_id} is worked by {told(there)}; stop it there first, with: deskcrew pause {run_id}")
    return Lease(channel, token, open_again, terms)


def told(holder: Holder) -> str:
    """Who that is, in words."""
    mine = holder.machine == machine() and holder.pid == os.getpid()
    where = "this process" if mine else f"process {holder.pid} on {holder.host}"
    moment = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(holder.since))
    return f"{holder.doing} in {where} since {moment}"


def works(holder: Holder | None, terms: LeaseTerms = TERMS) -> bool:
    """Whether the holder is at work, as far as can be told without watching it."""
    return holder is not None and not is_dead(holder) and not may_be_dead(holder, terms)


def is_dead(holder: Holder) -> bool:
    """Known to be dead: only of processes that could be seen."""
    return holder.machine == machine() and started(holder.pid) != holder.started


def may_be_dead(holder: Holder, terms: LeaseTerms = TERMS) -> bool:
    """Not seen from here, and without a sign of life for long, or with one from the future: a clock was set."""
    if holder.machine == machine() and holder.started:
        return False
    age = time.time() - holder.beat
    return age >= terms.stale or age < -terms.stale


@cache
def machine() -> str:
    """The machine since it was started, and the space of process numbers on it."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        space = os.readlink("/proc/self/ns/pid")
    except OSError:
        boot = space = ""
    return f"{socket.gethostname()} {boot} {space}".strip()


def started(pid: int) -> str | None:
    """When a process began, by the system's own count; empty where that cannot be known, None where there is no such process."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    except OSError:
        if Path("/proc/self/stat").exists():
            return None
        try:
            if os.name != "nt":  # there a signal of 0 is none; the signs of life tell
                os.kill(pid, 0)
        except ProcessLookupError:
            return None
        except PermissionError:
            pass
        return ""
    return None if fields[0] in "ZX" else fields[19]


class Hold(NamedTuple):
    """A run in this process's hands."""

    channel: Channel
    lease: Lease


@contextmanager
def held(folder: Path, run_id: str, doing: str = CREW) -> Iterator[Hold]:
    """Hold the run of the folder while the block goes on. Raises LeaseHeld, and UsageProblem where nothing can be written."""
    with ExitStack() as undo:
        try:
            channel = Channel(folder)
            undo.callback(channel.close)
            lease = take_lease(channel, run_id, doing, lambda: Channel(folder))
        except sqlite3.Error as bad:
            if why := outage_of(bad, folder):
                raise stopped(why, folder) from None
            raise UsageProblem(f"{folder} cannot be written ({bad}); a run is worked in its folder.") from None
        undo.callback(lease.release)
        yield Hold(channel, lease)


PAUSED, TAKEN_OVER, RUNNING, CANCELLED = "paused", "taken_over", "running", "cancelled"
HOLDING_STILL = frozenset({PAUSED, TAKEN_OVER})
_ENDED = frozenset({"fulfilled", "rejected"})
_STAYING = {CREW_PAUSED: PAUSED, CREW_WAITS: TAKEN_OVER}


class RunStatus(NamedTuple):
    """Read from files; nothing is opened for it, and nobody is asked."""

    state: str
    """running; paused, taken_over or on_hold (it waits for an answer); interrupted; fulfilled, rejected or cancelled."""
    reason: str
    holder: Holder | None
    """Who works it now."""

    @property
    def ended(self) -> bool:
        return self.state in {*_ENDED, CANCELLED}


def reported(report: Mapping[str, Any]) -> tuple[str, str]:
    """State and reason by the report alone."""
    status = str(report.get("status", "interrupted"))
    if status == "rejected" and report.get("ended_by") == CANCELLED:
        status = CANCELLED
    return status, str(report.get("reason", "it was stopped before it could report; resume it"))


def standing(folder: Path, report: Mapping[str, Any]) -> RunStatus:
    """How the run of a folder stands; `report` is its `report.json`, empty where there is none."""
    state, reason = reported(report)
    found = RunStatus(state, reason, None)
    if found.ended:
        return found
    holder = holder_of(folder)
    if holder is None or not works(holder):
        return found
    return RunStatus(_STAYING.get(holder.doing, RUNNING), f"worked by {told(holder)}", holder)
