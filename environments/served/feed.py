"""What is pushed to the pages: numbered events, the last of which are kept for a page that was away for a moment."""

from __future__ import annotations

import asyncio
import secrets
from collections import deque
from collections.abc import AsyncIterator, Callable
from typing import Any, NamedTuple

KEPT = 200
"""Events for a page that comes back; one that missed more gets the whole screen."""
_WAITING = 1000
"""Events that may wait for a page that does not take them, before it is let go and has to come back."""


class Event(NamedTuple):
    """One change of the screen. `number` counts from 1."""

    number: int
    body: dict[str, Any]


class Feed:
    """Everything here happens on the loop of the server."""

    def __init__(self) -> None:
        self._boot = secrets.token_hex(4)
        """Numbers of another server mean nothing here."""
        self._events: deque[Event] = deque(maxlen=KEPT)
        self._listening: set[asyncio.Queue[Event | None]] = set()
        self.number = 0
        self.closed = False

    def name_of(self, number: int) -> str:
        return f"{self._boot}-{number}"

    def publish(self, body: dict[str, Any]) -> Event:
        self.number += 1
        event = Event(self.number, body)
        self._events.append(event)
        for queue in list(self._listening):
            try:
                queue.put_nowait(event)
            except asyncio.QueueFull:
                self._listening.discard(queue)
        return event

    def missed(self, last: str) -> list[Event] | None:
        """What came after the event of that name; None where that cannot be told any more."""
        boot, _, number = last.partition("-")
        if boot != self._boot or not number.isdecimal() or int(number) > self.number:
            return None
        later = [event for event in self._events if event.number > int(number)]
        return later if len(later) == self.number - int(number) else None

    async def listen(self, last: str, whole: Callable[[], dict[str, Any]], idle: float) -> AsyncIterator[Event | None]:
        """What came after `last`, or the `whole` screen, then events as they come; None after `idle` seconds without one."""
        queue: asyncio.Queue[Event | None] = asyncio.Queue(_WAITING)
        self._listening.add(queue)
        try:
            missed = self.missed(last)
            sent = self.number
            for event in [Event(sent, whole())] if missed is None else missed:
                yield event
            while not self.closed and queue in self._listening:
                try:
                    news = await asyncio.wait_for(queue.get(), idle)
                except TimeoutError:
                    yield None
                    continue
                if news is None:
                    return
                if news.number > sent:
                    yield news
        finally:
            self._listening.discard(queue)

    def close(self) -> None:
        """Let every page go."""
        self.closed = True
        for queue in self._listening:
            while queue.full():
                queue.get_nowait()
            queue.put_nowait(None)
