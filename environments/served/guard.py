"""Who may look at a served world: whoever has the token, from a page of this very server."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from http.cookies import CookieError, SimpleCookie
from ipaddress import ip_address
from urllib.parse import parse_qsl, urlencode, urlsplit

from starlette.datastructures import Headers, MutableHeaders
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
_CLOSED = "This world is served to whoever has its address with the token; copy that from where it was printed.\n"
_WRONG_HOST = "This server answers only to the address that it was started with.\n"
_WRONG_ORIGIN = "Pages of other sites may not ask this server for anything.\n"


class Guard:
    """An ASGI application around another one that refuses every request without the token, or from elsewhere.

    A token in the address becomes a cookie, and a page is asked for once more without it, so that it stays in no history.
    """

    def __init__(self, inner: ASGIApp, token: str, hosts: frozenset[str] = frozenset()) -> None:
        self._inner, self._token = inner, token
        self._hosts = hosts | {"localhost"}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._inner(scope, receive, send)
            return
        if scope["type"] != "http":  # there are no sockets here
            return
        headers = Headers(scope=scope)
        answer = self._refused(scope, headers) or self._without_token(scope, headers)
        await (answer or self._inner)(scope, receive, _with_headers(send))

    def _refused(self, scope: Scope, headers: Headers) -> Response | None:
        host = headers.get("host", "")
        if not self._is_own(host):
            return PlainTextResponse(_WRONG_HOST, 403)
        origin = headers.get("origin")
        if origin is not None and origin != f"{scope.get('scheme', 'http')}://{host}":
            return PlainTextResponse(_WRONG_ORIGIN, 403)
        if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            return PlainTextResponse(_WRONG_ORIGIN, 403)
        given = (_bearer(headers), _cookie(headers, cookie_name(host)), _query(scope))
        if not any(secrets.compare_digest(one.encode(), self._token.encode()) for one in given if one):
            return PlainTextResponse(_CLOSED, 403)
        return None

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

    def _without_token(self, scope: Scope, headers: Headers) -> Response | None:
        """The way to the same page without the token in its address, for a browser that opens it."""
        if scope["method"] != "GET" or not _query(scope) or "text/html" not in headers.get("accept", ""):
            return None
        pairs = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        rest = urlencode([pair for pair in pairs if pair[0] != "token"])
        answer = RedirectResponse(scope["path"] + (f"?{rest}" if rest else ""), 303)
        answer.set_cookie(cookie_name(headers.get("host", "")), self._token, httponly=True, samesite="strict")
        return answer


def cookie_name(host: str) -> str:
    """Cookies know no ports, and there may be several servers."""
    return f"deskcrew-{host.rpartition(':')[2] if ':' in host else 80}"


def _bearer(headers: Headers) -> str:
    kind, _, token = headers.get("authorization", "").partition(" ")
    return token if kind.lower() == "bearer" else ""


def _cookie(headers: Headers, name: str) -> str:
    try:
        cookies = SimpleCookie(headers.get("cookie", ""))
    except CookieError:
        return ""
    return cookies[name].value if name in cookies else ""


def _query(scope: Scope) -> str:
    query: bytes = scope["query_string"]
    return dict(parse_qsl(query.decode("latin-1"))).get("token", "")


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            MutableHeaders(scope=message).update(dict(HEADERS))
        await send(message)

    return sending
