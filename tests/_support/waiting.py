"""Waiting in tests for what threads and processes do: as long as a busy machine may need, and no longer than that."""

import time
from collections.abc import Callable
from typing import Any

DEADLINE = 240.0


def until(holds: Callable[[], Any], what: str) -> Any:
    """What `holds` gives as soon as that is something; fails at the deadline."""
    deadline = time.monotonic() + DEADLINE
    while not (found := holds()):
        assert time.monotonic() < deadline, f"waited {DEADLINE:g} s for {what}"
        time.sleep(0.02)
    return found
