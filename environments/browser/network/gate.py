"""What leaves the browser: every request passes here before it is sent, and goes, is told, or waits for an answer."""

from __future__ import annotations

import asyncio
import base64
from collections import Counter, OrderedDict
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import suppress
from fnmatch import fnmatchcase
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import unquote, urlsplit

from environments.browser.network import requests
from environments.browser.network.requests import GRAVE, OutgoingRequest, beyond, origin, same_place
from environments.browser.observation.elements import script
from environments.effects import GONE, QUERY, SELF, Effect, HeldRequest, Network, NetworkRule, Permit

if TYPE_CHECKING:
    from playwright.async_api import Browser, BrowserContext, CDPSession, Page, WebSocketRoute
    from websockets.asyncio.client import ClientConnection

MOST = 20
"""Requests that may wait; what comes after them is dropped."""
_REMEMBERED = 200
_HARMLESS = frozenset({Effect.OBSERVE, Effect.NAVIGATE, Effect.EDIT})
_BY_NAME = GRAVE | {Effect.SEND}
"""Of these a script's request carries fields of the form and nothing else: a word beside them may mean anything."""
_SOCKET = "WEBSOCKET"
_LARGE = 16 * 2**20
_STUCK = 0.6
"""Seconds without an answer after which a page is taken to stand still until its request is answered."""
_AGAIN = 15.0


class ExpectedRequest(NamedTuple):
    """What a press says it sends, taken right before it."""

    how: str = ""
    """`open`, `get` or `post`, `history` for a step through it; empty where it leads nowhere by itself."""
    url: str = ""
    fields: tuple[tuple[str, str, bool], ...] = ()
    """Everything that the form would send: name, value, and whether it is shown."""
    page: str = ""
    """The address of the page that it stands on; empty where an action names the address itself."""
    enctype: str = ""
    shown: tuple[str, ...] = ()
    """What a person was shown of the control: its name, and what stands around it."""

    @classmethod
    def of(cls, said: Mapping[str, Any]) -> ExpectedRequest:
        """What a page's script says of a control."""
        sent = said.get("expected") or {}
        fields = tuple((str(name), str(value), bool(open_)) for name, value, open_ in sent.get("fields", ()))
        shown = (said.get("name"), *str(said.get("shows") or "").split("\n"), *(said.get("around") or ()))
        how, url, page = (str(part or "") for part in (sent.get("how"), sent.get("url"), said.get("url")))
        return cls(how, url, fields, page, str(sent.get("enctype", "")), tuple(map(str, filter(None, shown))))

    def holding(self, name: str, values: Sequence[str]) -> ExpectedRequest:
        """With what an action is about to choose in the field of this name."""
        others = tuple(field for field in self.fields if field[0] != name)
        return self._replace(fields=(*others, *((name, value, True) for value in values)))

    @property
    def pairs(self) -> requests.Pairs:
        """What its form sends: a field without a name is only read by scripts."""
        return tuple((name, value) for name, value, _ in self.fields if name)


class PausedRequest(NamedTuple):
    """What the browser tells of a request that waits for an answer."""

    id: str
    resource: str
    """What it is for: `Document`, `XHR`, ..."""
    frame: str
    redirected: str
    """The request from which a server sends it on."""
    request: Mapping[str, Any]

    @classmethod
    def of(cls, event: Mapping[str, Any]) -> PausedRequest:
        frame, redirected = event.get("frameId", ""), event.get("redirectedRequestId", "")
        return cls(event["requestId"], event["resourceType"], frame, redirected, event["request"])

    @property
    def url(self) -> str:
        return str(self.request["url"])


class _PendingRequest(NamedTuple):
    request: HeldRequest
    go: Callable[[], Awaitable[bool]]
    """Lets it go; false where nothing waits for it any more."""
    drop: Callable[[], Awaitable[Any]]
    still: tuple[str, str] | None = None
    """Method and address of a request that is under way for as long as it waits."""


class Gate:
    """Holds each request against the rules of a policy and the permit of the action that is under way."""

    def __init__(self, refuses: Callable[[str], str], note: Callable[[str], None]) -> None:
        self.network = Network(mode="off")
        self.known: frozenset[str] = frozenset()
        """Texts like tokens that the page had before the action."""
        self.private: frozenset[str] = frozenset()
        """What stands in private fields."""
        self.stopped: list[str] = []
        """Why something that the action under way set off was not sent."""
        self._refuses, self.note = refuses, note
        self._permit: Permit | None = None
        self._expected: ExpectedRequest | None = None
        self._waiting: OrderedDict[str, _PendingRequest] = OrderedDict()
        self._more = 0
        self._grants: set[str] = set()
        self._tabs: dict[str, tuple[str, str]] = {}
        self._went: OrderedDict[str, OutgoingRequest] = OrderedDict()
        self._replay: tuple[str, OutgoingRequest, str] | None = None
        self._tasks: set[asyncio.Task[Any]] = set()
        self._acting = False
        self._sent: set[tuple[str, ...]] = set()
        self._action: tuple[Permit | None, ExpectedRequest | None] = (None, None)

    async def attach(self, browser: Browser) -> None:
        """Stand before the network of a whole browser: of its pages, frames, workers and of what they leave behind."""
        self._session: CDPSession = await browser.new_browser_cdp_session()
        self._session.on("Fetch.requestPaused", lambda event: self.soon(self._paused(PausedRequest.of(event))))
        for happened in ("Target.targetCreated", "Target.targetInfoChanged"):
            self._session.on(happened, self._tab)
        self._session.on("Target.targetDestroyed", self._no_tab)
        await self._session.send("Target.setDiscoverTargets", {"discover": True})
        await self._session.send("Fetch.enable", {"patterns": [{"urlPattern": "*", "requestStage": "Request"}]})

    async def join(self, context: BrowserContext) -> None:
        """Begin with a fresh profile."""
        self._context = context
        await context.add_init_script(script("closed"))
        await context.route_web_socket(lambda url: True, _Sockets(self, context).opened)

    def begin(self, permit: Permit | None, expected: ExpectedRequest | None) -> None:
        """From here on what is sent is taken to come of this."""
        self._permit, self._expected = permit, expected
        self._sent.clear()

    def end(self) -> None:
        """From here on only the action as a whole is under way, if one is."""
        self._permit, self._expected = self._action

    async def start(self, page: Page | None, permit: Permit | None) -> None:
        """An action begins: what waited until now is dropped, and told."""
        from playwright.async_api import Error

        self.stopped.clear()
        self._acting = True
        self._action = (permit, ExpectedRequest(page=page.url if page is not None else ""))
        if self._expected is None:
            self.end()
        await self.drop()
        if page is None or self.network.mode == "off":
            return
        with suppress(Error, TimeoutError):
            said = await asyncio.wait_for(page.evaluate(script("constants")), _STUCK)
            self.known, self.private = frozenset(map(str, said["known"])), frozenset(filter(None, map(str, said["private"])))

    def finish(self) -> str:
        """An action is over: why something of it was not sent."""
        self._acting = False
        if self._expected is self._action[1]:
            self._permit = self._expected = None
        self._action = (None, None)
        why, self.stopped[:] = "; ".join(dict.fromkeys(self.stopped)), []
        return why

    async def drop(self) -> None:
        waiting, more = list(self._waiting.values()), self._more
        self._waiting.clear()
        self._more = 0
        for one in waiting:
            await one.drop()
        if waiting:
            told = "; ".join(one.request.told for one in waiting[:5])
            count = len(waiting) + more
            self.note(f"{count} requests that waited were dropped: {told}" if count > 1 else f"a request was dropped: {told}")

    async def reset(self) -> None:
        await self.drop()
        self._action = (None, None)
        self.end()
        self._grants.clear()
        self.known = self.private = frozenset()

    def held(self) -> tuple[HeldRequest, ...]:
        return tuple(one.request for one in self._waiting.values())

    def still(self) -> Counter[tuple[str, str]]:
        """Requests that are under way and wait here, not for a server."""
        return Counter(one.still for one in self._waiting.values() if one.still is not None)

    async def release(self, request_id: str) -> str:
        """Let this one go, or the next that is the same; says which."""
        one = self._waiting.pop(request_id, None)
        if one is not None and await one.go():
            return f"what was held was sent: {one.request.told}"
        self._grants.add(request_id)
        return f"{GONE}; the next request that is exactly this goes, once"

    async def passes(self, sent: OutgoingRequest, frame: str | None = None) -> bool:
        """Whether it may go now; a document goes into a frame. What was let go once does so once."""
        mode = self.network.mode
        if mode == "off" or self._covered(sent, frame):
            return True
        request_id = sent.request_id()
        if request_id in self._grants:
            self._grants.discard(request_id)
            self.note(f"as was let go before, it sent {sent.told(self.private)}")
            return True
        if mode == "watch":
            self.note(f"it sent {sent.told(self.private)}, which nothing that was allowed covers")
        return mode == "watch"

    async def hold(
        self,
        request: HeldRequest,
        go: Callable[[], Awaitable[bool]],
        drop: Callable[[], Awaitable[Any]],
        still: tuple[str, str] | None = None,
    ) -> None:
        """It waits. Of two that are the same the later one does."""
        before = self._waiting.pop(request.request_id, None)
        if before is not None:
            await before.drop()
        elif len(self._waiting) >= MOST:
            self._more += 1
            await drop()
            return
        self._waiting[request.request_id] = _PendingRequest(request, go, drop, still)
        self._stop(f"it would {request.told}, which nothing that was allowed covers; it waits for an answer")

    def download(self) -> bool:
        """Whether a file may be kept that the browser was given."""
        if self.network.mode != "hold":
            return True
        permit, own = self._permit, self._expected is not None and self._expected.how == "open" and not self._expected.page
        return own or (permit is not None and (permit.approved or Effect.DOWNLOAD in permit.effects))

    def blocked(self, url: str) -> str:
        """Why an address may never be reached."""
        return "" if url.startswith(("data:", "blob:", "about:")) else self._refuses(url)

    def _stop(self, why: str) -> None:
        if self._acting and len(self.stopped) < 5:
            self.stopped.append(why)

    def soon(self, work: Any) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _tab(self, event: Mapping[str, Any]) -> None:
        info = event["targetInfo"]
        if info["type"] == "page":
            self._tabs[info["targetId"]] = (info["url"], info.get("openerId", ""))

    def _no_tab(self, event: Mapping[str, Any]) -> None:
        self._tabs.pop(event["targetId"], None)

    async def _paused(self, paused: PausedRequest) -> None:
        frame, document = paused.frame, paused.resource == "Document"
        if why := self.blocked(paused.url):
            await self._block(paused, why)
            return
        sent = OutgoingRequest.of(paused.request, self._tabs.get(frame, ("", ""))[0])
        if self.network.mode == "off" or not (document or sent.changes or sent.commands):
            await self._continue(paused)
            return
        if self._replay is not None and document and self._replay[0] == frame and same_place(self._replay[1].url, sent.url):
            await self._send_again(paused)
        elif self._redirected(paused, sent) or await self.passes(sent, frame if document else None):
            self._remember(paused, sent)
            await self._continue(paused)
        else:
            await self._hold(paused, sent, document)

    def _remember(self, paused: PausedRequest, sent: OutgoingRequest) -> None:
        self._went[paused.id] = sent
        while len(self._went) > _REMEMBERED:
            self._went.popitem(last=False)

    async def _hold(self, paused: PausedRequest, sent: OutgoingRequest, document: bool) -> None:
        request = sent.held(self.private)

        async def go() -> bool:
            return await self._again(paused, sent) if document else await self._continue(paused)

        async def drop() -> None:
            await self._fail(paused)

        if document:  # a tab that waits for its next document answers nothing
            await self._fail(paused)
        await self.hold(request, go, drop, None if document else (sent.method, sent.url))
        if not document and paused.resource == "XHR":
            self.soon(self._unstick(paused))

    async def _unstick(self, paused: PausedRequest) -> None:
        """A page may stand still until a request is answered; then it is not, and is asked about all the same."""
        await asyncio.sleep(0.05)
        asked = [asyncio.ensure_future(page.evaluate("0")) for page in self._context.pages]
        if not asked:
            return
        _, stuck = await asyncio.wait(asked, timeout=_STUCK)
        if stuck:
            await self._fail(paused)
        await asyncio.wait(asked, timeout=_STUCK)
        for one in asked:
            one.cancel() if not one.done() else one.exception()

    def _redirected(self, paused: PausedRequest, sent: OutgoingRequest) -> bool:
        """Whether a server sends it on from what was let go: neither with its body to another place, nor to an address that says
        that it does more than was allowed."""
        before = self._went.get(paused.redirected)
        if before is None or beyond(sent.effects() & GRAVE, (*before.effects(), *(self._permit.effects if self._permit else ()))):
            return False
        return not sent.changes or (sent.method == before.method and same_place(before.url, sent.url))

    async def _block(self, paused: PausedRequest, why: str) -> None:
        document = paused.resource == "Document"
        if document and paused.frame in self._tabs:
            self._stop(why) if self._expected is not None and self._expected.page else None
            self.note(f"the page would have gone elsewhere and was blocked: {why}")
        else:
            self.note(f"a request was blocked: {why}")
        await self._fail(paused, "Aborted" if document else "BlockedByClient")

    async def _continue(self, paused: PausedRequest, **more: Any) -> bool:
        return await self._send("Fetch.continueRequest", {"requestId": paused.id, **more})

    async def _fail(self, paused: PausedRequest, reason: str = "Aborted") -> bool:
        return await self._send("Fetch.failRequest", {"requestId": paused.id, "errorReason": reason})

    async def _send(self, method: str, params: dict[str, Any]) -> bool:
        """False where the request is gone."""
        from playwright.async_api import Error

        try:
            await self._session.send(method, params)
        except Error:
            return False
        return True

    async def _again(self, paused: PausedRequest, sent: OutgoingRequest) -> bool:
        """Lead the frame once more where it was going, with the same body. False where it is gone, or a file is part of it."""
        from playwright.async_api import Error

        if sent.files or not sent.readable:
            return False
        frame, headers = paused.frame, paused.request["headers"]
        for page in self._context.pages:
            with suppress(Error, TimeoutError):
                session = await self._context.new_cdp_session(page)
                tree = (await asyncio.wait_for(session.send("Page.getFrameTree"), 2))["frameTree"]
                if frame not in _frames(tree):
                    continue
                self._replay = (frame, sent, headers.get("Origin", ""))
                where = {"url": sent.url, "frameId": frame, "referrer": headers.get("Referer", "")}
                await asyncio.wait_for(session.send("Page.navigate", where), _AGAIN)
                went, self._replay = self._replay is None, None
                await session.detach()
                return went
        return False

    async def _send_again(self, paused: PausedRequest) -> None:
        assert self._replay is not None  # noqa: S101 - the caller looked
        _, sent, origin_ = self._replay
        self._replay = None
        self._remember(paused, sent)
        if not sent.changes:
            await self._continue(paused)
            return
        headers = paused.request["headers"] | {"Content-Type": sent.kind} | ({"Origin": origin_} if origin_ else {})
        listed = [{"name": name, "value": value} for name, value in headers.items()]
        await self._continue(paused, method=sent.method, postData=base64.b64encode(sent.body).decode(), headers=listed)

    def _covered(self, sent: OutgoingRequest, frame: str | None) -> bool:
        if self._by_rule(sent):
            return True
        if not sent.changes:
            return self._as_expected(sent) or self._leads_on(sent, frame)
        if self._permit is None or not (self._as_expected(sent) or (frame is None and self._by_script(sent))):
            return False
        to = (sent.method, origin(sent.url), sent.at.path, sent.operation)
        once = to not in self._sent
        self._sent.add(to)
        return once

    def _by_rule(self, sent: OutgoingRequest) -> bool:
        """What a rule lets pages send by themselves. To `self` it carries nothing private and no command."""
        rules = [rule for rule in self.network.allow if _fits(rule, sent)]
        if not rules or sent.effects():
            return False
        return any(rule.host != SELF for rule in rules) or not (sent.orders or self._tells(sent.query + sent.form))

    def _tells(self, pairs: requests.Pairs) -> bool:
        """Whether something private is in it."""
        return any(secret in value for _, value in pairs for secret in self.private if len(secret) > 2)

    def _as_expected(self, sent: OutgoingRequest) -> bool:
        """Exactly what the control, or the action itself, says it sends."""
        expected = self._expected
        if expected is None or (self._permit is None and expected.page):
            return False
        if expected.how == "history":
            return sent.method == "GET"
        if expected.how == "open":
            return sent.method == "GET" and same_place(expected.url, sent.url)
        if not self._as_reviewed(sent, expected):
            return False
        if expected.how == "get":
            return sent.method == "GET" and same_place(expected.url, sent.url, query=False) and self._alike(expected, sent.query)
        if expected.how != "post" or sent.method != "POST" or not same_place(expected.url, sent.url):
            return False
        plain = sent.kind.startswith("text/plain")
        if plain != (expected.enctype == "text/plain"):
            return False
        forms = plain or sent.kind.startswith(("application/x-www-form-urlencoded", "multipart/form-data"))
        return forms and sent.readable and self._alike(expected, sent.lines if plain else sent.form)

    def _alike(self, expected: ExpectedRequest, pairs: requests.Pairs) -> bool:
        """Whether exactly the form is sent, but for tokens in its hidden fields that a script made anew."""
        if requests.alike(expected.pairs, pairs):
            return True
        tokens = {name for name, _, shown in expected.fields if not shown and requests.TOKEN.search(name)}
        fresh = [(n, "" if n in tokens and requests.made_up(v) and not self._tells(((n, v),)) else v) for n, v in pairs]
        return requests.alike(tuple((n, "" if n in tokens else v) for n, v in expected.pairs), tuple(fresh))

    def _as_reviewed(self, sent: OutgoingRequest, expected: ExpectedRequest) -> bool:
        """Whether an action that nobody was asked about was taken for one that sends a form such as this, with what it hides."""
        permit = self._permit
        if permit is None or permit.approved:
            return True
        if sent.changes and set(permit.effects) <= _HARMLESS:
            return False
        shown = {name for name, _, seen in expected.fields if seen}
        return not beyond(sent.effects(shown) & GRAVE, permit.effects)

    def _by_script(self, sent: OutgoingRequest) -> bool:
        """What the page's script sends of its own form to its own server, as that form was when it was allowed."""
        permit, expected = self._permit, self._expected
        if permit is None or expected is None or not sent.readable:
            return False
        if not permit.approved and set(permit.effects) <= _HARMLESS:
            return False
        names = {name for name, _ in expected.pairs}
        if origin(sent.url) != origin(expected.page) or beyond(sent.effects(names), permit.effects):
            return False
        shown = expected.shown if permit.approved and not _BY_NAME.intersection(permit.effects) else ()
        return requests.carried(sent.query + sent.form, expected.fields, self.known, shown)

    def _leads_on(self, sent: OutgoingRequest, frame: str | None) -> bool:
        """An address that a page opens by itself: on its own host or that of the link, and with no words of an effect."""
        expected, leaves = self._expected or ExpectedRequest(), frame in self._tabs
        permitted: Collection[Effect] = self._permit.effects if self._permit is not None else ()
        if not leaves and not sent.query:
            return True
        found = sent.effects()
        if beyond(found, permitted):
            return False
        if (found or expected.how == "get") and not requests.carried(sent.query, expected.fields, self.known):
            return False
        if expected.how == "post" and dict(sent.query).keys() & dict(expected.pairs).keys():
            return False
        url, opener = self._tabs.get(frame or "", ("", ""))
        urls = (expected.url, expected.page, url, self._tabs.get(opener, ("", ""))[0])
        return not leaves or sent.at.hostname in {urlsplit(one).hostname for one in urls}


def _frames(tree: Mapping[str, Any]) -> set[str]:
    return {tree["frame"]["id"]}.union(*map(_frames, tree.get("childFrames", [])))


def _fits(rule: NetworkRule, sent: OutgoingRequest) -> bool:
    """Whether a rule fits; no path fits that a server may read as another one."""
    at, path = sent.at, unquote(sent.at.path or "/")
    if ".." in path or "\\" in path or "//" in path or "%" in path:
        return False
    hosts = (SELF,) if rule.host == SELF and sent.own else (at.netloc.casefold(), (at.hostname or "").casefold())
    method = rule.method.upper()
    return (
        any(fnmatchcase(host, rule.host.casefold()) for host in hosts)
        and fnmatchcase(path, rule.path)
        and (fnmatchcase(sent.method, method) or (fnmatchcase(QUERY, method) and sent.asks))
        and fnmatchcase(sent.operation, rule.operation)
    )


class _Sockets:
    """The sockets of one profile."""

    def __init__(self, gate: Gate, context: BrowserContext) -> None:
        self._gate, self._context = gate, context

    async def opened(self, page: WebSocketRoute) -> None:
        """A page opens a socket; it is told that it is open when it is."""
        if why := self._gate.blocked(page.url):
            self._gate.note(f"a request was blocked: {why}")
            return await page.close(code=1008, reason="blocked")
        sent = OutgoingRequest(_SOCKET, page.url)
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
            sent = OutgoingRequest(_SOCKET, url, message.encode() if isinstance(message, str) else message)
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

        origins = {origin(f.url) for p in self._context.pages for f in p.frames if f.url.startswith("http")}
        own = origins.pop() if len(origins) == 1 else None
        headers: dict[str, str] = {}
        if own is not None:
            cookies = await self._context.cookies(page.url.replace("ws", "http", 1))
            headers = {"Cookie": "; ".join(f"{c.get('name')}={c.get('value')}" for c in cookies)} if cookies else {}
        said = own.removesuffix(":80" if own.startswith("http:") else ":443") if own else "null"
        more: dict[str, list[str]] = {"subprotocols": list(page.protocols)} if page.protocols else {}
        return await Direct(page.url, origin=said, additional_headers=headers, max_size=_LARGE, proxy=None, **more)  # type: ignore[arg-type]


async def _set(answer: asyncio.Future[bool], yes: bool) -> bool:
    """False where nobody waits for it any more."""
    if answer.done():
        return False
    answer.set_result(yes)
    return True
