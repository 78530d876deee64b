"""The application: every part's routes behind one guard, and each problem as one sentence."""

import logging
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from importlib import resources
from importlib.metadata import version
from pathlib import PurePath
from typing import NamedTuple

from fastapi import APIRouter, FastAPI, HTTPException, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, PlainTextResponse, Response
from starlette.exceptions import HTTPException as AnyHTTPException
from starlette.types import ASGIApp, Scope

from environments.contract import EnvironmentFault
from environments.files.wrong_data import problem_told
from environments.served.access import Entry, Guard, Refusal
from environments.served.server import WORDS, Address, listening_at, own_hosts, server_of
from orchestrator.desk.auth import Caller, Refused, Viewer
from orchestrator.desk.desk import Desk, UnknownRun
from orchestrator.desk.models import Problem
from orchestrator.desk.routes import answers, control, runs, start, streams
from orchestrator.desk.routes.answers import go_on_with_answers
from orchestrator.errors import MachineStopped, MissingDependency, UsageProblem
from orchestrator.store.printable import clean

pages_router = APIRouter(include_in_schema=False)
PAGES = ("/", "/approvals", "/start", "/runs/{run_id}", "/runs/{run_id}/plan")
_TYPES = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".html": "text/html"}
_FOLDERS = ("orchestrator.views.page", "orchestrator.desk")
"""The desk's own files go before those of the viewer."""


class File(NamedTuple):
    """As it is sent."""

    body: bytes
    type: str


@cache
def files() -> Mapping[str, File]:
    """Every file of the pages by its name; what is not here cannot be asked for."""
    found = {}
    for package in _FOLDERS:
        for file in (resources.files(package) / "static").iterdir():
            if kind := _TYPES.get(PurePath(file.name).suffix):
                found[file.name] = File(file.read_bytes(), kind)
    return found


@pages_router.get("/static/{name}")
def static(name: str, visitor: Viewer) -> Response:
    """A module, a style or a picture of the pages."""
    file = files().get(name)
    if file is None or name == "page.html":
        raise HTTPException(404, f"There is no file {name[:100]!r}.")
    return Response(file.body, media_type=file.type)


def page(visitor: Viewer) -> Response:
    """Every page: what it shows is asked for by its script."""
    file = files()["page.html"]
    return Response(file.body, media_type=file.type)


for path in PAGES:
    pages_router.add_api_route(path, page, methods=["GET"])


_ROUTERS = (
    pages_router,
    runs.router,
    streams.router,
    answers.router,
    start.router,
    control.router,
)  # fmt: skip
"""Each is a module's `router`, with whole paths: `/api/...`."""
HEADER = "X-Deskcrew"
"""With the value 1, on whatever a page of the desk changes."""
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
)
REFUSALS = logging.getLogger("deskcrew.desk")
_CLOSED = "This desk needs a token: open the address that was printed when it was started."
_DESCRIPTION = (
    "Send a token as `Authorization: Bearer …`, or open the address with it in a browser. Whoever changes something with the "
    'browser\'s cookie sends `X-Deskcrew: 1`. Every problem is `{"error": "one sentence"}`.'
)


def desk_app(desk: Desk, hosts: frozenset[str] = frozenset()) -> ASGIApp:
    """`hosts` are names that the server answers to beside numbers and `localhost`."""
    app = FastAPI(
        title="deskcrew", description=_DESCRIPTION, version=version("deskcrew"), openapi_url="/api/openapi.json",
        docs_url=None, redoc_url=None, redirect_slashes=False,
        responses={code: {"model": Problem} for code in (401, 403, 404, 409, 413, 422)},
    )  # fmt: skip
    app.state.desk = desk
    for router in (*_ROUTERS, *([_a2a()] if desk.a2a else ())):
        app.include_router(router)
    app.add_exception_handler(AnyHTTPException, _http)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(UnknownRun, lambda _, bad: problem(404, f"There is no run {str(bad)!r} here; see /api/runs."))
    app.add_exception_handler(UsageProblem, lambda _, bad: problem(422, str(bad)))
    app.add_exception_handler(MachineStopped, lambda _, bad: problem(503, str(bad)))
    return guarded(app, desk, hosts)


def _a2a() -> APIRouter:
    try:
        from orchestrator.desk.routes.a2a import router
    except ImportError as missing:
        if missing.name is None or missing.name.partition(".")[0] not in {"a2a", "google"}:
            raise
        raise MissingDependency("--a2a needs the package a2a-sdk: pip install 'deskcrew[serve,a2a]'") from None
    return router


def problem(status: int, said: str) -> JSONResponse:
    return JSONResponse({"error": said}, status)


def _http(request: Request, bad: Exception) -> JSONResponse:
    assert isinstance(bad, AnyHTTPException)  # noqa: S101 - it was registered for these
    said = str(bad.detail)
    if isinstance(bad, Refused):
        log_refusal(request.scope, Refusal(bad.status_code, said))
    if not isinstance(bad, HTTPException) and bad.status_code in (404, 405):
        said = f"There is nothing to {request.method} at {request.url.path[:200]!r}; see /api/openapi.json."
    return JSONResponse({"error": said if said.endswith((".", "?")) else f"{said}."}, bad.status_code, bad.headers)


def _invalid(request: Request, bad: Exception) -> JSONResponse:
    assert isinstance(bad, RequestValidationError)  # noqa: S101 - it was registered for these
    first = bad.errors()[0]
    path = tuple(first["loc"])[1:]
    if first["type"] == "json_invalid":
        said = f"the body is not JSON ({first['ctx']['error']})"
    elif first["loc"] == ("body",) and isinstance(first["input"], bytes):
        said = "the body is no JSON object; send one, with the header Content-Type: application/json"
    else:
        said = problem_told(first, path).encode("utf-8", "backslashreplace").decode()  # half a character is no text
    return problem(422, said if said.endswith(("?", ".")) else f"{said}.")


def serve(desk: Desk, host: str, port: int, token: str, ready: Callable[[Address], None]) -> None:
    """Serve until a signal says to stop. Raises UsageProblem where the port cannot be had."""
    try:
        listening = listening_at(host, port)
    except EnvironmentFault as bad:
        raise UsageProblem(str(bad)) from None
    REFUSALS.addFilter(WORDS)
    with listening:
        _go_on(desk)
        ready(Address(host, listening.getsockname()[1], token))
        server_of(desk_app(desk, own_hosts(host)), desk.close).run(sockets=[listening])


@contextmanager
def served(desk: Desk, token: str, host: str = "127.0.0.1", port: int = 0) -> Iterator[Address]:
    """Serve from a thread while the block runs."""
    with listening_at(host, port) as listening:
        server = server_of(desk_app(desk, own_hosts(host)), desk.close)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, name="deskcrew-desk", daemon=True)
        thread.start()
        _go_on(desk)
        try:
            yield Address(host, listening.getsockname()[1], token)
        finally:
            server.should_exit = True
            thread.join(30)


def _go_on(desk: Desk) -> None:
    """What was answered before the server was killed, and was not gone on with, is gone on with now."""
    threading.Thread(target=go_on_with_answers, args=(desk.runs_dir,), name="deskcrew-go-on", daemon=True).start()


def guarded(app: ASGIApp, desk: Desk, hosts: frozenset[str]) -> Guard:
    entry = Entry(desk.tokens.known, _CLOSED, header=HEADER, policy=POLICY, refused=log_refusal, answer=_answer)
    return Guard(app, entry, hosts)


def log_refusal(scope: Scope, refusal: Refusal) -> None:
    """Say on standard error that somebody was refused; the query stays out, where a token may stand."""
    visitor, client = scope.get("visitor"), scope.get("client")
    REFUSALS.warning(
        "refused (%(status)d): %(method)s %(path)s of %(who)s at %(peer)s: %(why)s",
        {
            "status": refusal.status, "method": scope["method"][:20], "path": clean(scope["path"], 300),
            "who": visitor.name if isinstance(visitor, Caller) else "-", "peer": str(client[0]) if client else "-",
            "why": refusal.why[:300],
        },
    )  # fmt: skip


def _answer(scope: Scope, refusal: Refusal) -> Response:
    accepted = dict(scope["headers"]).get(b"accept", b"")
    if b"text/html" in accepted:  # a person's browser
        return PlainTextResponse(f"{refusal.why}\n", refusal.status)
    return JSONResponse({"error": refusal.why}, refusal.status)
