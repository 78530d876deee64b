"""Sockets of pages: the browser opens none; each is opened from here once it may be, and each message passes the gate."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import urlsplit

from environments.browser.network import requests
from environments.browser.network.requests import OutgoingRequest
from environments.effects import HeldRequest

if TYPE_CHECKING:
    from playwright.async_api import BrowserContext, WebSocketRoute
    from websockets.asyncio.client import ClientConnection

METHOD = "WEBSOCKET"
_LARGE = 16 * 2**20


class Passage(Protocol):
    """The gate, as far as sockets need it."""

    private: frozenset[str]

    def blocked(self, url: str) -> str: ...
    async def passes(self, sent: OutgoingRequest) -> bool: ...
    async def hold(self, request: HeldRequest, go: Callable[[], Any], stop: Callable[[], Any]) -> None: ...
    def note(self, line: str) -> None: ...
    def soon(self, work: Any) -> None: ...


class Sockets:
    """The sockets of one profile."""

    def __init__(self, gate: Passage, context: BrowserContext) -> None:
        self._gate, self._context = gate, context

    async def opened(self, page: WebSocketRoute) -> None:
        """A page opens a socket; it is told that it is open when it is."""
        if why := self._gate.blocked(page.url):
            self._gate.note(f"a request was blocked: {why}")
            return await page.close(code=1008, reason="blocked")
        sent = OutgoingRequest(METHOD, page.url)
        if not await self._gate.passes(sent) and not await self._answer(sent):
            return await page.close(code=1008, reason="not allowed")
        try:
            server = await self._connect(page)
        except Exception as bad:  # noqa: BLE001 - whatever keeps a socket from opening is the page's to deal with
            self._gate.note(f"a socket to {urlsplit(page.url).netloc} could not be opened: {str(bad)[:100]}")
            return await page.close(code=1011, reason="not opened")
        line: asyncio.Queue[str | bytes | None] = asyncio.Queue()
        page.on_message(line.put_nowait)
        page.on_close(lambda code, reason: line.put_nowait(None))
        self._gate.soon(self._out(page.url, line, server))
        self._gate.soon(self._in(page, server))

    async def _answer(self, sent: OutgoingRequest) -> bool:
        """Wait until it is let go or dropped."""
        answer: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        await self._gate.hold(sent.held(self._gate.private), partial(_set, answer, True), partial(_set, answer, False))
        return await answer

    async def _out(self, url: str, line: asyncio.Queue[str | bytes | None], server: ClientConnection) -> None:
        while (message := await line.get()) is not None:
            sent = OutgoingRequest(METHOD, url, message.encode() if isinstance(message, str) else message)
            if await self._gate.passes(sent) or await self._answer(sent):
                await server.send(message)
        await server.close()

    async def _in(self, page: WebSocketRoute, server: ClientConnection) -> None:
        async for message in server:
            page.send(message)
        await page.close(code=server.close_code if server.close_code in (1000, 1001) else 1000)

    async def _connect(self, page: WebSocketRoute) -> ClientConnection:
        """As the browser would. Who opens it is not told; it is one of ours only where all that is open is of one site."""
        from websockets.asyncio.client import connect

        class Direct(connect):
            """Follows no redirect to where nobody was asked about."""

            def process_redirect(self, exc: Exception) -> Exception | str:
                return exc

        origins = {requests.origin(f.url) for p in self._context.pages for f in p.frames if f.url.startswith("http")}
        own = origins.pop() if len(origins) == 1 else None
        headers: dict[str, str] = {}
        if own is not None:
            cookies = await self._context.cookies(page.url.replace("ws", "http", 1))
            headers = {"Cookie": "; ".join(f"{c.get('name')}={c.get('value')}" for c in cookies)} if cookies else {}
        said = _plain_origin(own) if own else "null"
        more: dict[str, Any] = {"subprotocols": list(page.protocols)} if page.protocols else {}
        return await Direct(page.url, origin=said, additional_headers=headers, max_size=_LARGE, proxy=None, **more)  # type: ignore[arg-type]


async def _set(answer: asyncio.Future[bool], yes: bool) -> bool:
    """False where nobody waits for it any more."""
    if answer.done():
        return False
    answer.set_result(yes)
    return True


def _plain_origin(origin: str) -> str:
    return origin.removesuffix(":80" if origin.startswith("http:") else ":443")
