"""Connections as a server has them: so many at once, each with a time in which a request has to arrive as a whole.

Whoever opens many and sends nothing takes nobody's place: the oldest that is waited for gives way. Logs have a bound, too.
"""

from __future__ import annotations

import asyncio
import logging
import resource
import time

from uvicorn.protocols.http.h11_impl import H11Protocol

REQUEST_SECONDS = 15.0
"""From the first moment in which a request can be sent to the last byte of its body."""
CONNECTIONS = 256
ACCEPTED_AT_ONCE = 64
_LOGGED, _HOUR = 20, 3_600.0


def most_connections() -> int:
    """At once; each is an open file, and a server that has none left can neither take one more nor read its own."""
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return CONNECTIONS if files == resource.RLIM_INFINITY else max(8, min(CONNECTIONS, files // 4))


class BoundedProtocol(H11Protocol):
    """A connection that is closed when its request takes too long, or when others wait and it has nothing to do."""

    _since = 0.0
    _late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as it is where it is from
        super().connection_made(transport)
        self._since = self.loop.time()
        if len(self.connections) > most_connections():
            waiting = [one for one in self.connections if isinstance(one, BoundedProtocol) and one.waits]
            min(waiting, key=lambda one: one._since, default=self).drop()
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        self._unwatch()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._watch()

    @property
    def waits(self) -> bool:
        """Whether it is the other side's turn to send something."""
        cycle = self.cycle
        return cycle is None or cycle.response_complete or cycle.more_body

    def drop(self) -> None:
        self.connections.discard(self)
        self.transport.abort()

    def _watch(self) -> None:
        if not self.waits:
            self._unwatch()
        elif self._late is None and not self.transport.is_closing():
            self._late = self.loop.call_later(REQUEST_SECONDS, self.drop)

    def _unwatch(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None


class FewWords(logging.Filter):
    """Lets so many records an hour through, and says with the next hour's first how many it kept back."""

    def __init__(self) -> None:
        super().__init__()
        self._hour, self._said, self._kept_back = 0.0, 0, 0

    def filter(self, record: logging.LogRecord) -> bool:
        now = time.monotonic()
        if not self._said or now - self._hour > _HOUR:
            if self._kept_back:
                record.msg, record.args = f"{record.getMessage()} ({self._kept_back} records before it were left out)", ()
            self._hour, self._said, self._kept_back = now, 0, 0
        self._said += 1
        self._kept_back += self._said > _LOGGED
        return self._said <= _LOGGED


WORDS = FewWords()
"""Of all servers of this process together."""
