"""The server itself: uvicorn on a port of this machine, for as long as somebody wants it."""

import asyncio
import json
import logging
import resource
import secrets
import socket
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from importlib import resources
from json import JSONDecodeError
from typing import Any, Literal, NamedTuple, TypeVar

import uvicorn
from pydantic import ValidationError
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from environments.contract import DigestMismatch, EnvironmentFault
from environments.served.access import Entry, Guard, one_token
from environments.served.session import Session
from environments.simulated.render.shapes import THEMES
from protocol import Frozen, LaunchApp, parse_action

T = TypeVar("T")
_IDLE = 15.0
"""Seconds after which an event stream says that it is still there."""
_TYPES = {"html": "text/html", "css": "text/css", "js": "text/javascript"}
_FILES = {path.name: path.read_bytes() for path in (resources.files("environments.served") / "static").iterdir()
          if path.name.rsplit(".", 1)[-1] in _TYPES}  # fmt: skip


class Finish(Frozen):
    """How somebody says that a task ended."""

    status: Literal["fulfilled", "rejected"] = "fulfilled"
    reason: str = ""


class ResetRequest(Frozen):
    """A start anew, perhaps from another seed."""

    seed: int | None = None


def routes(session: Session) -> Starlette:
    """The application around one session."""
    here = _Routes(session)
    paths: list[tuple[str, str, Callable[..., Any]]] = [
        ("GET", "/", here.file),
        ("GET", "/theme.css", here.theme),
        ("GET", "/static/{name}", here.file),
        ("GET", "/events", here.events),
        ("POST", "/page", here.from_page),
        ("GET", "/apps/{name}", here.app),
        ("GET", "/state", here.state),
        ("GET", "/hashes", here.hashes),
        ("GET", "/picture", here.picture),
        ("POST", "/actions", here.action),
        ("POST", "/reset", here.reset),
        ("POST", "/finish", here.finish),
    ]
    faults: dict[Any, Any] = {EnvironmentFault: _broken, HTTPException: _plain}
    return Starlette(routes=[Route(path, work, methods=[verb]) for verb, path, work in paths], exception_handlers=faults)


class _Routes:
    def __init__(self, session: Session) -> None:
        self._session = session

    async def file(self, request: Request) -> Response:
        name = str(request.path_params.get("name", "index.html"))
        if name not in _FILES:
            raise HTTPException(404, f"There is no file {name[:100]!r} here.")
        return Response(_FILES[name], media_type=_TYPES[name.rsplit(".", 1)[-1]])

    async def theme(self, request: Request) -> Response:
        """The colours of the pictures, as variables of a style sheet."""
        rules = []
        for name, theme in THEMES.items():
            colours = "".join(f"--{key.replace('_', '-')}:{value};" for key, value in asdict(theme).items() if key != "name")
            rules.append(f'[data-theme="{name}"]{{{colours}}}')
        return Response("\n".join(rules), media_type="text/css")

    async def events(self, request: Request) -> Response:
        headers = {"X-Accel-Buffering": "no"}
        return StreamingResponse(self._stream(), media_type="text/event-stream", headers=headers)

    async def _stream(self) -> AsyncIterator[str]:
        """First the whole screen, then every change."""
        async for event in self._session.feed.listen(lambda: self._session.view.whole(), _IDLE):
            if event is None:
                yield ": still here\n\n"
            else:
                body = json.dumps({"number": event.number, **event.body}, ensure_ascii=True, separators=(",", ":"))
                yield f"data: {body}\n\n"

    async def from_page(self, request: Request) -> Response:
        """An action of somebody at the page; the answer carries the change of the screen."""
        action = self._session.complete(await _read(request, parse_action))
        told = self._session.perform(action, role="person")
        return JSONResponse(
            {"result": told.result.model_dump(mode="json"), "event": {"number": told.event.number, **told.event.body}}
        )

    async def app(self, request: Request) -> Response:
        """Opens an app, as an address that can be kept."""
        result = self._session.perform(LaunchApp(app=str(request.path_params["name"])), role="person").result
        return RedirectResponse("/", 303) if result.ok else PlainTextResponse(f"{result.error}\n", 404)

    async def state(self, request: Request) -> Response:
        return Response(self._session.state().model_dump_json(exclude_defaults=True), media_type="application/json")

    async def hashes(self, request: Request) -> Response:
        return JSONResponse(self._session.desktop.hashes())

    async def picture(self, request: Request) -> Response:
        return Response(self._session.desktop.screenshot(), media_type="image/png")

    async def action(self, request: Request) -> Response:
        """An action of a program. `Idempotency-Key` makes it one that is done once, however often it is sent."""
        action = await _read(request, parse_action)
        key = request.headers.get("idempotency-key", "")
        result = self._session.perform(action, role="program", key=f"given/{key}" if key else "").result
        return JSONResponse(result.model_dump(mode="json"))

    async def reset(self, request: Request) -> Response:
        self._session.reset((await _read(request, ResetRequest.model_validate)).seed)
        return await self.state(request)

    async def finish(self, request: Request) -> Response:
        said = await _read(request, Finish.model_validate)
        if not self._session.judged:
            raise HTTPException(404, "No task is served here, so there is nothing to judge; name one with --task.")
        return JSONResponse(dict(self._session.finish(said.status, said.reason)))


async def _read(request: Request, meant: Callable[[Any], T]) -> T:
    """What the JSON of a request means; an empty one is an empty mapping."""
    body = await request.body()
    try:
        return meant(json.loads(body) if body else {})
    except ValidationError as bad:
        first = bad.errors()[0]
        where = ".".join(str(part) for part in first["loc"] if part != "known")
        said = f"{where + ': ' if where else ''}{first['msg'].removeprefix('Value error, ').rstrip('.')}"
    except (JSONDecodeError, UnicodeDecodeError, RecursionError) as bad:
        said = f"The body is not JSON: {str(bad)[:200]}"
    raise HTTPException(422, f"{said}.")


def _broken(request: Request, bad: Exception) -> Response:
    """The world broke, or a key was used twice for different actions."""
    said = str(bad) if str(bad).endswith(".") else f"{bad}."
    return PlainTextResponse(f"{said}\n", 409 if isinstance(bad, DigestMismatch) else 503)


def _plain(request: Request, bad: Exception) -> Response:
    status, detail = (bad.status_code, bad.detail) if isinstance(bad, HTTPException) else (500, "")
    return PlainTextResponse(f"{detail}\n", status, getattr(bad, "headers", None))


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


_CLOSED = "This world is served to whoever has its address with the token; copy that from where it was printed."
_ANYWHERE = ("0.0.0.0", "::")  # noqa: S104 - compared with, not bound to


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
        address, server = _opened(session, listening, host)
        ready(address)
        server.run(sockets=[listening])


@contextmanager
def served(session: Session, host: str = "127.0.0.1", port: int = 0) -> Iterator[Address]:
    """Serve from a thread while the block runs. Within it the session is the server's alone."""
    with listening_at(host, port) as listening:
        address, server = _opened(session, listening, host)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, name="deskcrew-served", daemon=True)
        thread.start()
        try:
            yield address
        finally:
            server.should_exit = True
            thread.join(30)


def _opened(session: Session, listening: socket.socket, host: str) -> tuple[Address, uvicorn.Server]:
    address = Address(host, listening.getsockname()[1], secrets.token_urlsafe(24))
    app = Guard(routes(session), Entry(one_token(address.token), _CLOSED), own_hosts(host))
    return address, server_of(app, session.close)


def own_hosts(host: str) -> frozenset[str]:
    """Names that a server bound to this one answers to, beside numbers and this machine's own name."""
    return frozenset() if host in _ANYWHERE else frozenset({host})


def server_of(app: ASGIApp, closing: Callable[[], None]) -> uvicorn.Server:
    """A server that calls `closing` when it is told to stop: event streams never end by themselves."""

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
