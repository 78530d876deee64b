"""Searching online: any HTTP interface that answers a query with JSON, told where in its answer the results stand.

It is off unless it is configured. What it says is data with its address; private values never go out with a query.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from urllib.parse import quote, urlsplit

from protocol.retries import PASSING, Busy, Retries, retry_after
from roles.contracts import Supplement
from roles.knowledge.pages.documents import MAX_TITLE
from roles.knowledge.search.words import asked_stems, fits, indexed
from roles.knowledge.settings import OnlineSettings
from roles.knowledge.sources.sources import SourceFault
from roles.safety.privacy.vault import REFERENCE

_LONGEST_QUERY = 400
_LONGEST_TEXT = 20_000


class OnlineSearch:
    """A SupplementSource over one search interface."""

    kind = "online"

    def __init__(
        self,
        settings: OnlineSettings,
        environ: Mapping[str, str] | None = None,
        sleep: Callable[[float], None] = time.sleep,
        retries: Retries | None = None,
    ) -> None:
        self.name = f"online search at {urlsplit(settings.url).hostname}"
        self.top_k = settings.top_k
        self._settings = settings
        self._environ = os.environ if environ is None else environ
        self._retries = (retries or Retries()).but(settings.tries, settings.wait)
        self._trying = self._retries.trying(sleep=sleep)

    def search(self, query: str, app: str | None, limit: int) -> list[Supplement]:
        """Raises SourceFault where it cannot be asked or its answer cannot be read."""
        asked = _without_private(query)
        if not asked:
            return []
        answer = _parsed(self.name, self._answer(asked, app, limit))
        items = _at(answer, self._settings.results)
        if not isinstance(items, list):
            raise SourceFault(f"{self.name}: its answer has no list at {self._settings.results or 'its top'!r}; set results")
        found = [hit for item in items if (hit := self._hit(item, query, app)) is not None]
        return found[:limit]

    def _hit(self, item: Any, query: str, app: str | None) -> Supplement | None:
        given = self._settings
        title, text, link = (_text(_at(item, place)) for place in (given.title, given.text, given.link))
        if not (title or text) or (given.domains and not _within(link, given.domains)):
            return None
        shown = " ".join((title or text).split())[:MAX_TITLE]
        score = fits(asked_stems(query), indexed(shown), indexed(text[:_LONGEST_TEXT]), {}, 0)
        if score < given.threshold:
            return None
        return Supplement(
            query=query, source=link[:2000] or self.name, title=shown, text=text[:_LONGEST_TEXT], app=app, kind="online",
            score=round(score, 4),
        )  # fmt: skip

    def _answer(self, query: str, app: str | None, limit: int) -> bytes:
        """The body of the answer, after tries that failed for a while."""
        import httpx  # here, since few ever search online

        given = self._settings
        headers = {"Accept": "application/json", **self._key()}
        values = {"query": query, "app": app or "", "limit": str(limit)}
        url = re.sub(r"\{(query|app|limit)\}", lambda m: quote(values[m.group(1)], safe=""), given.url)
        try:
            # A redirect could lead anywhere, key and all; the address is the user's to name.
            with httpx.Client(timeout=given.seconds, follow_redirects=False, headers=headers, trust_env=False) as client:
                return self._trying(self._once, client, url)
        except Busy as bad:
            raise SourceFault(f"{self.name}: {bad}; asked {self._retries.tries} times") from None
        except httpx.InvalidURL:
            raise SourceFault(f"{self.name}: url: this is no address") from None

    def _once(self, client: Any, url: str) -> bytes:
        import httpx

        given = self._settings
        until = time.monotonic() + given.seconds
        body = bytearray()
        try:
            with client.stream("GET", url) as answer:
                if answer.status_code in PASSING:
                    raise Busy(f"it answers {answer.status_code}", retry_after(answer.headers))
                if answer.status_code != 200:
                    raise SourceFault(f"{self.name}: it answers {answer.status_code}; look at url and key_env")
                for part in answer.iter_bytes():
                    body += part
                    if len(body) > given.max_bytes:
                        raise SourceFault(f"{self.name}: its answer is larger than {given.max_bytes} bytes (max_bytes)")
                    if time.monotonic() > until:  # one that drips would never run into the time for a single read
                        raise Busy(f"it takes longer than {given.seconds} seconds")
        except httpx.TimeoutException:
            raise Busy(f"it takes longer than {given.seconds} seconds") from None
        except httpx.HTTPError as bad:  # its own words may hold the address, and with it a key
            raise Busy(f"it cannot be reached ({type(bad).__name__})") from None
        return bytes(body)

    def _key(self) -> dict[str, str]:
        given = self._settings
        if not given.key_env:
            return {}
        key = self._environ.get(given.key_env, "").strip()
        if not key:
            raise SourceFault(f"{self.name}: put its key into the environment variable {given.key_env}")
        return {given.key_header: given.key_form.replace("{key}", key)}


def _without_private(query: str) -> str:
    """The query as it may leave this machine: of a private value it holds a reference at most, and that says nothing there."""
    return " ".join(REFERENCE.sub(" ", query).split())[:_LONGEST_QUERY]


def _parsed(name: str, body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        raise SourceFault(f"{name}: its answer is no JSON that can be read") from None


def _at(data: Any, place: str) -> Any:
    """What stands at `a.0.b`; None where nothing does."""
    for part in place.split(".") if place else ():
        if isinstance(data, Mapping):
            data = data.get(part)
        elif isinstance(data, Sequence) and not isinstance(data, str) and part.isdigit() and int(part) < len(data):
            data = data[int(part)]
        else:
            return None
    return data


def _text(value: Any) -> str:
    return value.encode("utf-8", "replace").decode("utf-8") if isinstance(value, str) else ""


def _within(link: str, domains: Sequence[str]) -> bool:
    try:
        host = (urlsplit(link).hostname or "").casefold()
    except ValueError:
        return False
    return any(host == domain or host.endswith(f".{domain}") for domain in domains)
