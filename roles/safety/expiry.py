"""How long an approval is good for, by clocks that nobody can set back: the machine's uptime beside the time of day."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from functools import cache
from math import inf
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import Field, ValidationError

from protocol import Frozen
from roles.safety.policy import SafetyPolicy


class Uptime(NamedTuple):
    """How long the machine has been up, and which of its starts that is counted from."""

    boot: str
    seconds: float


def uptime() -> Uptime:
    """The uptime, the time asleep included where the system tells it."""
    clock = getattr(time, "CLOCK_BOOTTIME", None)
    return Uptime(_boot(), time.monotonic() if clock is None else time.clock_gettime(clock))


@cache
def _boot() -> str:
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        return f"process {os.getpid()} of {time.time()}"  # then uptime counts within this process only


class Moment(Frozen):
    """When something was asked or answered."""

    at: float
    """The time of day."""
    boot: str = ""
    up: float = Field(default=0.0, ge=0.0)

    @classmethod
    def now(cls, clock: Callable[[], float], since_boot: Callable[[], Uptime] = uptime) -> Moment:
        boot, up = since_boot()
        return cls(at=clock(), boot=boot, up=up)

    def age(self, now: Moment) -> float:
        """Seconds from here to `now`, the longest that any clock can tell. Without end where the time of day ran backwards
        and no other clock has counted since: then nobody knows."""
        by_day = now.at - self.at
        if self.boot and self.boot == now.boot and now.up >= self.up:
            return max(by_day, now.up - self.up)
        return by_day if by_day >= 0 else inf


def overdue(policy: SafetyPolicy, since: Any, now: Moment) -> str:
    """Why what dates from `since` (a Moment as JSON) is no longer good, or nothing. What has no date is not."""
    most = policy.approval_seconds
    if most is None:
        return ""
    age = _age(since, now)
    if age <= most:
        return ""
    how_old = f"{age:.0f} s old" if age < inf else "of an age that cannot be told"
    return f"it is {how_old}, and is good for {most:g} s (approval_seconds of the safety policy)"


def _age(since: Any, now: Moment) -> float:
    try:
        return Moment.model_validate(since).age(now)
    except ValidationError:
        return inf
