"""What happens, as server-sent events: of one run, or of the list of all. A stream goes on from where it broke off."""

import json
import math
import secrets
import time
from collections.abc import AsyncIterator, Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Header, Query
from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.concurrency import run_in_threadpool

from orchestrator.desk.auth import Viewer
from orchestrator.desk.desk import RunFolder, TheDesk
from orchestrator.desk.live import PARTS, Watch, WatchedRun
from orchestrator.store.reader import AT_ONCE
from orchestrator.views.page.data import plain
from orchestrator.views.page.run_data import shown_cursor

router = APIRouter(prefix="/api", tags=["streams"])
IDLE = 15.0
"""Seconds between two signs that a stream is still there: a comment for proxies, an event for whoever reads events alone."""
CALM = 0.25
"""Seconds between two words about the run as a whole; lines do not wait."""
_URGENT = ("standing", "pending", "answered")
_BOOT = secrets.token_hex(4)
"""Numbers of the list's changes by another server mean nothing here."""
After = Annotated[float, Query(ge=0, description="The cursor up to which everything is known.", allow_inf_nan=False)]
LastId = Annotated[str, Header(alias="Last-Event-ID", include_in_schema=False)]


@router.get("/runs/{run_id}/stream", response_class=EventSourceResponse)
async def stream(
    desk: TheDesk, folder: RunFolder, visitor: Viewer, after: After = 0, last_event_id: LastId = "",
    events: Annotated[bool, Query(description="Also the journal's events as they were written, as `event`.")] = False,
) -> EventSourceResponse:  # fmt: skip
    """`head`: parts of the run that changed; `items`: its lines; `end`: it is over, and everything was told."""
    run = await run_in_threadpool(desk.watch.run, folder)
    return _answered(_RunStream(desk.watch, run, _number(last_event_id, after), events).parts())


@router.get("/stream", response_class=EventSourceResponse)
async def list_stream(desk: TheDesk, visitor: Viewer, after: str = "", last_event_id: LastId = "") -> EventSourceResponse:
    """`runs`: a row of the list that changed; `again`: nobody knows what changed meanwhile, so the list is to be read again."""
    return _answered(_of_list(desk.watch, last_event_id or after))


def _answered(parts: AsyncIterator[ServerSentEvent]) -> EventSourceResponse:
    def alive() -> ServerSentEvent:
        return ServerSentEvent("{}", event="alive", comment="still here", sep="\n")

    return EventSourceResponse(parts, ping=IDLE, ping_message_factory=alive)


def _number(last: str, after: float) -> float:
    try:
        said = float(last)
    except ValueError:
        return after
    return said if 0 <= said < 2**53 else after


class _RunStream:
    """What one viewer of a run is told, from their cursor on."""

    def __init__(self, watch: Watch, run: WatchedRun, cursor: float, events: bool) -> None:
        self._watch, self._run, self._cursor, self._events = watch, run, cursor, events
        self._heard = int(cursor)
        self._told: dict[str, object] = {}
        self._spoke = 0.0
        """When the run as a whole was spoken of last."""
        self._owed = True

    async def parts(self) -> AsyncIterator[ServerSentEvent]:
        run, watch = self._run, self._watch
        with watch.looking(run):
            version = run.version
            while not watch.closed:
                page = await run_in_threadpool(run.after, self._cursor)
                if self._events:
                    async for part in self._written(int(page.cursor)):
                        yield part
                if page.items:
                    yield _event("items", page.as_json(), page.cursor)
                self._cursor = page.cursor
                if head := await run_in_threadpool(self._head):
                    yield _event("head", head, page.cursor)
                if page.more:
                    continue
                if run.over(page.cursor) or run.files.gone:
                    yield _event("end", run.whole(), page.cursor)
                    return
                patience = max(self._spoke + CALM - time.monotonic(), 0.01) if self._owed else math.inf
                version = await watch.news(run, version, patience)

    def _head(self) -> dict[str, object]:
        """Parts that are not as they were told. What only counts on can wait a moment; how the run stands cannot."""
        soon = time.monotonic() - self._spoke < CALM
        if soon and not any(self._new(name) for name in _URGENT):
            self._owed = True
            return {}
        parts = {name: self._run.part(name) for name in PARTS if self._new(name)}
        self._told |= parts
        self._spoke, self._owed = time.monotonic(), False
        return parts

    def _new(self, name: str) -> bool:
        return name not in self._told or bool(self._told[name] != self._run.part(name))

    async def _written(self, last: int) -> AsyncIterator[ServerSentEvent]:
        """The events up to one as they were written. They carry no cursor: a line may come of them that is told next."""
        while self._heard < last:
            found, reached, more = await run_in_threadpool(self._run.events, self._heard, AT_ONCE)
            for event in found:
                if event.id <= last:
                    yield _event("event", plain(event._asdict()))
            self._heard = reached if more else last


async def _of_list(watch: Watch, last: str) -> AsyncIterator[ServerSentEvent]:
    boot, _, said = last.partition("-")
    known = int(said) if boot == _BOOT and said.isdecimal() else -1
    with watch.looking(watch.list):
        if known < 0 or known > watch.list.version:
            await run_in_threadpool(watch.list.look)
            known = watch.list.version
            yield _event("again", {}, f"{_BOOT}-{known}")
        while not watch.closed:
            rows, known, again = await run_in_threadpool(watch.list.after, known)
            if again:
                yield _event("again", {}, f"{_BOOT}-{known}")
            for row in rows:
                yield _event("runs", row.model_dump(mode="json"))
            if rows:
                yield _event("seen", {}, f"{_BOOT}-{known}")
            await watch.news(watch.list, known)


def _event(kind: str, data: Mapping[str, Any], cursor: float | str | None = None) -> ServerSentEvent:
    """JSON is written in ASCII: no sign in a text ends a line of the stream."""
    body = json.dumps(data, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    number = shown_cursor(cursor) if isinstance(cursor, float | int) else cursor
    return ServerSentEvent(body, event=kind, id=None if number is None else str(number), sep="\n")
