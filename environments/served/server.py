"""The server itself: uvicorn on a port of this machine, for as long as somebody wants it."""

from __future__ import annotations

import asyncio
import logging
import resource
import secrets
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING, NamedTuple

from uvicorn.protocols.http.h11_impl import H11Protocol

from environments.contract import EnvironmentFault

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


if TYPE_CHECKING:
    import uvicorn
    from starlette.types import ASGIApp

    from environments.served.session import Session

_MISSING = "serving a world needs Starlette, uvicorn and Pillow: pip install 'deskcrew[serve]'."
_CLOSED = "This world is served to whoever has its address with the token; copy that from where it was printed."
_ANYWHERE = ("0.0.0.0", "::")  # noqa: S104 - compared with, not bound to


def need_packages() -> None:
    """Raises EnvironmentFault where the extra is missing."""
    if not all(find_spec(name) for name in ("PIL", "starlette", "uvicorn")):
        raise EnvironmentFault(_MISSING)


class Address(NamedTuple):
    """Where a world is served, and what opens it."""

    host: str
    port: int
    token: str

    @property
    def base(self) -> str:
        name = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(self.host, f"[{self.host}]" if ":" in self.host else self.host)  # noqa: S104
        return f"http://{name}:{self.port}"

    @property
    def url(self) -> str:
        """For a person's browser."""
        return f"{self.base}/?token={self.token}"


def serve(session: Session, host: str, port: int, ready: Callable[[Address], None]) -> None:
    """Serve until a signal says to stop. Raises EnvironmentFault where the port cannot be had."""
    with listening_at(host, port) as listening:
        address = Address(host, listening.getsockname()[1], secrets.token_urlsafe(24))
        ready(address)
        _server(session, address).run(sockets=[listening])


@contextmanager
def served(session: Session, host: str = "127.0.0.1", port: int = 0) -> Iterator[Address]:
    """Serve from a thread while the block runs. Within it the session is the server's alone."""
    with listening_at(host, port) as listening:
        address = Address(host, listening.getsockname()[1], secrets.token_urlsafe(24))
        server = _server(session, address)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, name="deskcrew-served", daemon=True)
        thread.start()
        try:
            yield address
        finally:
            server.should_exit = True
            thread.join(30)


def _server(session: Session, address: Address) -> uvicorn.Server:
    need_packages()
    from environments.served.access import Entry, Guard, one_token
    from environments.served.routes import routes

    app = Guard(routes(session), Entry(one_token(address.token), _CLOSED), own_hosts(address.host))
    return server_of(app, session.close)


def own_hosts(host: str) -> frozenset[str]:
    """Names that a server bound to this one answers to, beside numbers and this machine's own name."""
    return frozenset() if host in _ANYWHERE else frozenset({host})


def server_of(app: ASGIApp, closing: Callable[[], None]) -> uvicorn.Server:
    """A server that calls `closing` when it is told to stop: event streams never end by themselves."""
    import uvicorn

    from environments.served.server import ACCEPTED_AT_ONCE, WORDS, BoundedProtocol

    class Server(uvicorn.Server):
        async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
            closing()
            await super().shutdown(sockets)

    config = uvicorn.Config(
        app, log_level="warning", access_log=False, server_header=False, lifespan="off", timeout_graceful_shutdown=3,
        http=BoundedProtocol, ws="none", backlog=ACCEPTED_AT_ONCE,
    )  # fmt: skip
    for logger in ("uvicorn.error", "asyncio"):
        logging.getLogger(logger).addFilter(WORDS)
    return Server(config)


def listening_at(host: str, port: int) -> socket.socket:
    """The port, taken before anything is said about it, so that a connection waits and none is refused."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # With its protocol named asyncio sends what there is at once, and does not wait for more to send with it.
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
        listening.listen(128)
    except OSError as bad:
        listening.close()
        raise EnvironmentFault(f"{host}:{port} cannot be served: {bad.strerror or bad}; choose another with --port.") from None
    return listening
