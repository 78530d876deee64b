"""What the server answers: the page and what it is drawn from, and the same world as JSON for programs."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from dataclasses import asdict
from importlib import resources
from json import JSONDecodeError
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from environments.contract import DigestMismatch, EnvironmentFault
from environments.served.session import Event, Session
from environments.simulated.render.theme import THEMES
from protocol import Action, LaunchApp, parse_action

M = TypeVar("M", bound=BaseModel)
_IDLE = 15.0
"""Seconds after which an event stream says that it is still there."""
_TYPES = {"html": "text/html", "css": "text/css", "js": "text/javascript"}
_FILES = {path.name: path.read_bytes() for path in (resources.files("environments.served") / "static").iterdir()
          if path.name.rsplit(".", 1)[-1] in _TYPES}  # fmt: skip


class Finish(BaseModel):
    """How somebody says that a task ended."""

    model_config = ConfigDict(extra="forbid")

    status: Literal["fulfilled", "rejected"] = "fulfilled"
    reason: str = ""


class ResetRequest(BaseModel):
    """A start anew, perhaps from another seed."""

    model_config = ConfigDict(extra="forbid")

    seed: int | None = None


def routes(session: Session) -> Starlette:
    """The application around one session."""
    here = _Routes(session)
    paths: list[tuple[str, str, Callable[..., Any]]] = [
        ("GET", "/", here.page),
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

    async def page(self, request: Request) -> Response:
        return _file("index.html")

    async def file(self, request: Request) -> Response:
        return _file(str(request.path_params["name"]))

    async def theme(self, request: Request) -> Response:
        return Response(theme_css(), media_type="text/css")

    async def events(self, request: Request) -> Response:
        last = request.headers.get("last-event-id", "")
        headers = {"X-Accel-Buffering": "no"}
        return StreamingResponse(self._stream(last), media_type="text/event-stream", headers=headers)

    async def _stream(self, last: str) -> AsyncIterator[str]:
        """First what the page missed, or the whole screen; then every change."""
        async for event in self._session.feed.listen(last, lambda: self._session.view.whole(), _IDLE):
            yield ": still here\n\n" if event is None else self._written(event)

    def _written(self, event: Event) -> str:
        body = json.dumps({"number": event.number, **event.body}, ensure_ascii=True, separators=(",", ":"))
        return f"id: {self._session.feed.name_of(event.number)}\ndata: {body}\n\n"

    async def from_page(self, request: Request) -> Response:
        """An action of somebody at the page; the answer carries the change of the screen."""
        action = self._session.complete(_action(await _body(request)))
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
        action = _action(await _body(request))
        key = request.headers.get("idempotency-key", "")
        result = self._session.perform(action, role="program", key=f"given/{key}" if key else "").result
        return JSONResponse(result.model_dump(mode="json"))

    async def reset(self, request: Request) -> Response:
        self._session.reset(_model(ResetRequest, await _body(request)).seed)
        return await self.state(request)

    async def finish(self, request: Request) -> Response:
        said = _model(Finish, await _body(request))
        if not self._session.judged:
            raise HTTPException(404, "No task is served here, so there is nothing to judge; name one with --task.")
        return JSONResponse(dict(self._session.finish(said.status, said.reason)))


def theme_css() -> str:
    """The colours of the pictures, as variables of a style sheet."""
    rules = []
    for name, theme in THEMES.items():
        colours = "".join(f"--{key.replace('_', '-')}:{value};" for key, value in asdict(theme).items() if key != "name")
        rules.append(f'[data-theme="{name}"]{{{colours}}}')
    return "\n".join(rules)


def _file(name: str) -> Response:
    if name not in _FILES:
        raise HTTPException(404, f"There is no file {name[:100]!r} here.")
    return Response(_FILES[name], media_type=_TYPES[name.rsplit(".", 1)[-1]])


async def _body(request: Request) -> Any:
    """The JSON of a request; an empty one is an empty mapping."""
    body = await request.body()
    try:
        return json.loads(body) if body else {}
    except (JSONDecodeError, UnicodeDecodeError, RecursionError) as bad:
        raise HTTPException(422, f"The body is not JSON: {str(bad)[:200]}.") from None


def _action(data: Any) -> Action:
    try:
        return parse_action(data)
    except ValidationError as bad:
        raise HTTPException(422, _sentence(bad)) from None


def _model(kind: type[M], data: Any) -> M:
    try:
        return kind.model_validate(data)
    except ValidationError as bad:
        raise HTTPException(422, _sentence(bad)) from None


def _sentence(bad: ValidationError) -> str:
    first = bad.errors()[0]
    where = ".".join(str(part) for part in first["loc"] if part != "known")
    return f"{where + ': ' if where else ''}{first['msg'].removeprefix('Value error, ').rstrip('.')}."


def _broken(request: Request, bad: Exception) -> Response:
    """The world broke, or a key was used twice for different actions."""
    said = str(bad) if str(bad).endswith(".") else f"{bad}."
    return PlainTextResponse(f"{said}\n", 409 if isinstance(bad, DigestMismatch) else 503)


def _plain(request: Request, bad: Exception) -> Response:
    status, detail = (bad.status_code, bad.detail) if isinstance(bad, HTTPException) else (500, "")
    return PlainTextResponse(f"{detail}\n", status, getattr(bad, "headers", None))
