"""The desk's own words for a guarded server: who may come in, refusals as JSON, and every one of them written down."""

from __future__ import annotations

from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Scope

from environments.served.access import Entry, Guard, Refusal
from orchestrator.desk.auth import Caller
from orchestrator.desk.desk import Desk

HEADER = "X-Deskcrew"
"""With the value 1, on whatever a page of the desk changes."""
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
)
_CLOSED = "This desk is for whoever has a token of it: open the address that was printed when it was started."


def guarded(app: ASGIApp, desk: Desk, hosts: frozenset[str]) -> Guard:
    def refused(scope: Scope, refusal: Refusal) -> None:
        log_refusal(desk, scope, refusal)

    entry = Entry(desk.tokens.known, _CLOSED, header=HEADER, policy=POLICY, refused=refused, answer=_answer)
    return Guard(app, entry, hosts)


def log_refusal(desk: Desk, scope: Scope, refusal: Refusal) -> None:
    """Write down that somebody was refused; the query stays out, where a token may stand."""
    visitor = scope.get("visitor")
    who = visitor.name if isinstance(visitor, Caller) else ""
    client = scope.get("client")
    peer = str(client[0]) if client else ""
    path = scope["path"]
    desk.refusals.add(who=who, peer=peer, method=scope["method"], path=path, status=refusal.status, why=refusal.why)


def _answer(scope: Scope, refusal: Refusal) -> Response:
    accepted = dict(scope["headers"]).get(b"accept", b"")
    if b"text/html" in accepted:  # a person's browser
        return PlainTextResponse(f"{refusal.why}\n", refusal.status)
    return JSONResponse({"error": refusal.why}, refusal.status)
