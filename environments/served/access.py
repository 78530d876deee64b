"""Who may ask a server of this machine for anything: whoever has a token of it, from a page of this very server."""

import secrets
from collections import Counter
from collections.abc import Callable, Mapping
from http.cookies import CookieError, SimpleCookie
from ipaddress import ip_address
from typing import NamedTuple
from urllib.parse import parse_qsl, urlencode, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}
LARGEST = 1_000_000
"""Bytes of a request; nothing that is asked for is longer."""
MOST_OF_ONE = 100
"""Requests of one visitor at once: streams stay open, and the connections of a server are for all."""
_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
_WRONG_HOST = "This server answers only to the address that it was started with."
_WRONG_ORIGIN = "Pages of other sites may not ask this server for anything."
_HIDDEN = ("%2f", "%5c")
"""A slash that is not written as one: nothing that is here has it in its name."""
_WRONG_PATH = "There is nothing at a path like this."
_MORE: Mapping[int, Mapping[str, str]] = {401: {"WWW-Authenticate": "Bearer"}, 413: {"Connection": "close"}}
"""Headers of refusals. What comes behind a body that is too long is not waited for."""
_TOO_LONG = f"The request is longer than {LARGEST} bytes."


class Refusal(NamedTuple):
    """Why somebody did not get what they asked for."""

    status: int
    why: str


class Entry(NamedTuple):
    """What a server lets in, and how it says no."""

    known: Callable[[str], object | None]
    """Whose a token is: what it gives is `scope["visitor"]` of the request; None where it is nobody's."""
    closed: str
    """What somebody without a token is told, in one sentence."""
    header: str = ""
    """A header without which nothing is changed for a browser that has the cookie: no page of another site can send it."""
    policy: str = HEADERS["Content-Security-Policy"]
    refused: Callable[[Scope, Refusal], None] = lambda scope, refusal: None
    """Is told of every refusal."""
    answer: Callable[[Scope, Refusal], Response] = lambda scope, refusal: PlainTextResponse(f"{refusal.why}\n", refusal.status)


def one_token(token: str) -> Callable[[str], object | None]:
    """Whoever has this token."""
    return lambda given: True if secrets.compare_digest(given.encode(), token.encode()) else None


class Guard:
    """An ASGI application around another one that refuses every request without a token, or from elsewhere.

    A token in the address becomes a cookie, and a page is asked for once more without it, so that it stays in no history.
    """

    def __init__(self, inner: ASGIApp, entry: Entry, hosts: frozenset[str] = frozenset()) -> None:
        self._inner, self._entry = inner, entry
        self._hosts = hosts | {"localhost"}
        self._headers = {**HEADERS, "Content-Security-Policy": entry.policy}
        self._busy: Counter[object] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._inner(scope, receive, send)
            return
        if scope["type"] != "http":  # there are no sockets here
            return
        headers = Headers(scope=scope)
        refusal = self._refusal(scope, headers)

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(self._headers)
            await send(message)

        if refusal is not None:
            self._entry.refused(scope, refusal)
            answer = self._entry.answer(scope, refusal)
            answer.headers.update(_MORE.get(refusal.status, {}))
            await answer(scope, receive, sending)
            return
        page = _without_token(scope, headers)
        visitor = scope["visitor"]
        self._busy[visitor] += 1
        try:
            await (page or self._inner)(scope, self._limited(scope, receive), sending)
        finally:
            self._busy[visitor] -= 1

    def _refusal(self, scope: Scope, headers: Headers) -> Refusal | None:
        host = headers.get("host", "")
        if not self._is_own(host):
            return Refusal(403, _WRONG_HOST)
        origin = headers.get("origin")
        if origin is not None and origin != f"{scope.get('scheme', 'http')}://{host}":
            return Refusal(403, _WRONG_ORIGIN)
        if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            return Refusal(403, _WRONG_ORIGIN)
        kind, _, bearer = headers.get("authorization", "").partition(" ")
        own = bearer if kind.lower() == "bearer" else ""
        given = {"bearer": own, "query": _query(scope), "cookie": _cookie(headers, cookie_name(host))}
        found = ((way, self._entry.known(token)) for way, token in given.items() if token)
        way, visitor = next(((way, visitor) for way, visitor in found if visitor is not None), ("", None))
        if visitor is None:
            return Refusal(401, self._entry.closed)
        if self._busy[visitor] >= MOST_OF_ONE:
            return Refusal(429, f"{MOST_OF_ONE} requests of yours are being answered; let some of them end first.")
        scope["visitor"] = visitor
        name = self._entry.header
        if name and way == "cookie" and scope["method"] not in _SAFE and headers.get(name) != "1":
            return Refusal(403, f"A browser changes something here only with the header {name}: 1.")
        if _strange(scope["path"], scope.get("raw_path") or b""):
            return Refusal(404, _WRONG_PATH)
        length = headers.get("content-length", "0")
        return Refusal(413, _TOO_LONG) if not length.isdecimal() or int(length) > LARGEST else None

    def _limited(self, scope: Scope, receive: Receive) -> Receive:
        """For a body whose length was not said, or not truly."""
        taken = 0

        async def receiving() -> Message:
            nonlocal taken
            message = await receive()
            taken += len(message.get("body", b""))
            if taken > LARGEST:
                self._entry.refused(scope, Refusal(413, _TOO_LONG))
                raise HTTPException(413, _TOO_LONG, dict(_MORE[413]))
            return message

        return receiving

    def _is_own(self, host: str) -> bool:
        """A name that somebody else made point here is none of ours; a bare number cannot be made to."""
        try:
            name = urlsplit(f"//{host}").hostname or ""
        except ValueError:
            return False
        if name in self._hosts:
            return True
        try:
            return bool(ip_address(name))
        except ValueError:
            return False


def cookie_name(host: str) -> str:
    """Cookies know no ports, and there may be several servers."""
    return f"deskcrew-{host.rpartition(':')[2] if ':' in host else 80}"


def _without_token(scope: Scope, headers: Headers) -> Response | None:
    """The way to the same page without the token in its address, for a browser that opens it."""
    token = _query(scope)
    if scope["method"] != "GET" or not token or "text/html" not in headers.get("accept", ""):
        return None
    pairs = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
    rest = urlencode([pair for pair in pairs if pair[0] != "token"])
    answer = RedirectResponse(scope["path"] + (f"?{rest}" if rest else ""), 303)
    answer.set_cookie(cookie_name(headers.get("host", "")), token, httponly=True, samesite="strict")
    return answer


def _strange(path: str, written: bytes) -> bool:
    """Whether a path, with everything in it decoded, may mean another one than it says; also to who decodes it once more."""
    inner = path[1:].split("/")
    if ".." in inner or "." in inner or "" in inner[:-1] or any(c == "\\" or ord(c) < 32 or ord(c) == 127 for c in path):
        return True
    return any(sign in said.lower() for said in (written.decode("latin-1"), path) for sign in _HIDDEN)


def _cookie(headers: Headers, name: str) -> str:
    try:
        cookies = SimpleCookie(headers.get("cookie", ""))
    except CookieError:
        return ""
    return cookies[name].value if name in cookies else ""


def _query(scope: Scope) -> str:
    query: bytes = scope["query_string"]
    return dict(parse_qsl(query.decode("latin-1"))).get("token", "")
