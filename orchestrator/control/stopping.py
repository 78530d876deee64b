"""Signals from outside: SIGTERM lets the crew come to a safe point and stop, Ctrl-C the same, and twice stops at once."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

CTRL_C, SIGTERM = "Ctrl-C", "SIGTERM"


class Stop:
    """A wish to stop that the crew hears at its next safe point. Set from signal handlers, so it is one assignment."""

    def __init__(self) -> None:
        self.who = ""
        """What asked for it; empty while nothing has."""
        self.at_rest = False
        """Nothing is under way, a person is asked something: there is no safe point to wait for."""


@contextmanager
def heeding(stop: Stop, told: Callable[[], None]) -> Iterator[None]:
    """Turn signals into the wish to stop; `told` is called when Ctrl-C was pressed once. Only the main thread can do this."""

    def interrupted(number: int, frame: FrameType | None) -> None:
        first = not stop.who
        stop.who = stop.who or CTRL_C
        if stop.at_rest or not first:
            raise KeyboardInterrupt
        told()

    def ended(number: int, frame: FrameType | None) -> None:
        stop.who = SIGTERM
        if stop.at_rest:
            raise KeyboardInterrupt

    before = {signal.SIGINT: signal.signal(signal.SIGINT, interrupted), signal.SIGTERM: signal.signal(signal.SIGTERM, ended)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
