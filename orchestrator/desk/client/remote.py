"""A desk somewhere else: its API over HTTP, and a run there followed as if it were worked here. What `--server URL` uses."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator, Mapping
from ipaddress import ip_address
from pathlib import Path
from typing import Any, Self
from urllib.parse import SplitResult, quote, urlsplit

import httpx
from httpx_sse import EventSource
from tenacity import Retrying, retry_if_exception_type, wait_random

from environments.files.yaml_lines import read_small
from orchestrator.desk.models import RunReport
from orchestrator.errors import MachineStopped, UsageProblem
from protocol import JsonObject
from roles.journal.journal import Event

VARIABLE = "DESKCREW_TOKEN"
SILENT = 45.0
"""Seconds after which a stream that says nothing is broken: the server says every 15 that it is there."""
LOST = 120.0
"""Seconds for which a server that went away is waited for."""
NOT_GONE_ON = 120.0
"""Seconds after an answer in which a process has to go on with the run."""
_LARGEST = 256_000_000
"""Bytes of an answer."""
_BEGINS = 330.0
"""Seconds for an answer: a run's process is waited for by the server."""


def token_for(url: str, token_file: Path | None) -> str:
    """The token, which is never on the command line, where everybody on this machine could read it. Raises UsageProblem."""
    parts = _parts(url)
    if parts.query or parts.username:
        raise UsageProblem(f"--server takes only the address, without a token; put the token into {VARIABLE} or a --token-file.")
    if token_file is None:
        token = os.environ.get(VARIABLE, "")
    else:
        try:
            token = read_small(token_file)
        except (OSError, ValueError) as bad:
            raise UsageProblem(f"The token file {token_file} cannot be read ({getattr(bad, 'strerror', None) or bad}).") from None
    if not token.strip() or any(not sign.isprintable() or ord(sign) > 126 for sign in token.strip()):
        where = f"in {token_file}" if token_file else f"in {VARIABLE}, and no --token-file is given"
        raise UsageProblem(f"There is no token {where}; the server prints one when it is started, after ?token= in its address.")
    return token.strip()


def _parts(url: str) -> SplitResult:
    try:
        return urlsplit(url)
    except ValueError:
        raise UsageProblem(f"--server {url!r} is not an address; write for example --server http://127.0.0.1:8770.") from None


class Remote:
    """One server. Everything raises UsageProblem for what it refuses, and MachineStopped where it cannot be reached."""

    def __init__(self, url: str, token: str, *, transport: httpx.BaseTransport | None = None) -> None:
        parts = _parts(url if "//" in url else f"http://{url}")
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise UsageProblem(f"--server {url!r} is not an address; write for example --server http://127.0.0.1:8770.")
        self.url = f"{parts.scheme}://{parts.netloc}"
        plain = parts.scheme == "http" and not is_here(parts.hostname)
        self.warning = f"{self.url} is another machine, and nothing that is sent is encrypted" if plain else ""
        self._http = httpx.Client(
            base_url=self.url, headers={"Authorization": f"Bearer {token}"}, timeout=httpx.Timeout(_BEGINS, connect=10),
            trust_env=not is_here(parts.hostname), transport=transport,
        )  # fmt: skip

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def close(self) -> None:
        self._http.close()

    def get(self, path: str, **query: Any) -> JsonObject:
        return self._asked("GET", path, params=query)

    def post(self, path: str, body: Mapping[str, Any] | None = None) -> JsonObject:
        return self._asked("POST", path, json=dict(body or {}))

    def _asked(self, method: str, path: str, **more: Any) -> JsonObject:
        try:
            with self._http.stream(method, path, **more) as answer:
                return self._told(answer)
        except httpx.HTTPError as bad:
            raise self._gone(bad) from None

    def _told(self, answer: httpx.Response) -> JsonObject:
        body, until = bytearray(), time.monotonic() + _BEGINS
        for part in answer.iter_bytes():
            body += part
            if len(body) > _LARGEST or time.monotonic() > until:  # one that drips never runs into the time of a single read
                raise MachineStopped(f"{self.url} answers without end; it is not a desk, or it is faulty")
        try:
            told = json.loads(body)
        except (ValueError, RecursionError):
            told = None
        if answer.is_success and isinstance(told, dict):
            return told
        said = told.get("error") if isinstance(told, dict) else None
        if answer.status_code >= 500 or answer.is_success or answer.is_redirect:
            raise MachineStopped(said or f"{self.url} is not a desk, or it is faulty: it answered with {answer.status_code}")
        raise UsageProblem(said or f"{self.url} refused with {answer.status_code}.")

    def _gone(self, bad: Exception) -> Unreachable:
        return Unreachable(f"{self.url} cannot be reached ({bad or type(bad).__name__}); is `deskcrew serve` running there?")

    def state(self, run_id: str) -> RunReport:
        return RunReport(**self.get(f"{path_of(run_id)}/report"))

    def past(self, run_id: str, after: int = 0) -> Iterator[Event]:
        """The journal as it stands."""
        while True:
            page = self.get(f"{path_of(run_id)}/events", after=after)
            yield from (Event(**event) for event in page["events"])
            after = page["cursor"]
            if not page["more"]:
                return

    def follow(self, run_id: str, hear: Callable[[Event], None], after: int = 0) -> RunReport:
        """Hear everything that happens behind an event, until the run rests. A connection that breaks is made anew."""
        heard, broken = _SeenEvents(hear, after), (httpx.HTTPError, Unreachable, _Broken)
        trying = Retrying(
            retry=retry_if_exception_type(broken),
            stop=lambda _: time.monotonic() - heard.at > LOST,
            wait=wait_random(0.3, 2.0),
            reraise=True,
        )
        try:
            return trying(self._heard_out, run_id, heard)
        except broken as bad:
            raise self._gone(bad) from None

    def _heard_out(self, run_id: str, heard: _SeenEvents) -> RunReport:
        asleep = time.monotonic()
        for kind, data in self._signs(run_id, heard):
            heard.at = time.monotonic()
            if (kind == "head" and "standing" not in data) or kind in ("event", "items"):
                asleep = heard.at
                continue
            if (now := self.state(run_id)).rests:
                for event in self.past(run_id, heard.last):
                    heard(event)
                return now
            if now.works:
                asleep = heard.at
            elif time.monotonic() - asleep > NOT_GONE_ON:
                said = self.get(f"{path_of(run_id)}/worker")["said"]
                raise MachineStopped(f"Run {run_id} was answered, but no process continues it{': ' + said if said else ''}")
        raise _Broken("the stream ended")

    def _signs(self, run_id: str, heard: _SeenEvents) -> Iterator[tuple[str, Any]]:
        """What the stream says; events are heard on the way."""
        query = {"events": "true", "after": str(heard.last)}
        patience = httpx.Timeout(SILENT, connect=10)
        with self._http.stream("GET", f"{path_of(run_id)}/stream", params=query, timeout=patience) as answer:
            if not answer.is_success:
                self._told(answer)
            for part in EventSource(answer).iter_sse():
                data = part.json()
                if part.event == "event":
                    heard(Event(**data))
                yield part.event, data


class Unreachable(MachineStopped):
    """Nobody answers at the address."""


class _Broken(Exception):
    """A stream that ended though its run did not."""


class _SeenEvents:
    """Each event once, whatever is told again after a connection broke."""

    def __init__(self, hear: Callable[[Event], None], last: int) -> None:
        self._hear, self.last = hear, last
        self.at = time.monotonic()
        """When the server was heard of last."""

    def __call__(self, event: Event) -> None:
        if event.id > self.last:
            self.last = event.id
            self._hear(event)


def path_of(run_id: str) -> str:
    return f"/api/runs/{quote(run_id, safe='')}"


def is_here(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
