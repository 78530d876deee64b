"""Knowledge behind LangChain's retriever interface, both ways: ours for any chain, anybody's as a source of ours."""

from __future__ import annotations

import inspect
import json
import os
import re
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from urllib.parse import quote, urlsplit

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document as Page
from langchain_core.retrievers import BaseRetriever
from pydantic import ConfigDict

from protocol.retries import PASSING, Overload, Retries, retry_after
from roles.contracts import Supplement
from roles.knowledge.pages.documents import KINDS, MAX_TITLE, DocumentKind, Hit, asked_stems, fits, indexed
from roles.knowledge.settings import OnlineSettings
from roles.knowledge.sources import PATIENCE, SourceFault
from roles.safety.privacy.vault import REFERENCE
from roles.skills.arguments import CallTimeout, within

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
        except Overload as bad:
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
                    raise Overload(f"it answers {answer.status_code}", retry_after(answer.headers))
                if answer.status_code != 200:
                    raise SourceFault(f"{self.name}: it answers {answer.status_code}; look at url and key_env")
                for part in answer.iter_bytes():
                    body += part
                    if len(body) > given.max_bytes:
                        raise SourceFault(f"{self.name}: its answer is larger than {given.max_bytes} bytes (max_bytes)")
                    if time.monotonic() > until:  # one that drips would never run into the time for a single read
                        raise Overload(f"it takes longer than {given.seconds} seconds")
        except httpx.TimeoutException:
            raise Overload(f"it takes longer than {given.seconds} seconds") from None
        except httpx.HTTPError as bad:  # its own words may hold the address, and with it a key
            raise Overload(f"it cannot be reached ({type(bad).__name__})") from None
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


_MOST = 50


class StoreRetriever(BaseRetriever):
    """Documents of one kind, those of `app` and those of none. `invoke(query, app=..., limit=...)` asks otherwise for once."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    look: Callable[[str, str | None, tuple[DocumentKind, ...], int, float], Sequence[Hit]]
    """`KnowledgeStore.search`, or what stands before it."""
    kind: DocumentKind
    app: str | None = None
    top_k: int = 3
    threshold: float = 0.0

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, app: str | None = None, limit: int | None = None
    ) -> list[Page]:
        hits = self.look(query, app or self.app, (self.kind,), limit or self.top_k, self.threshold)
        return [_page(hit.supplement(query)) for hit in hits]


class SourceRetriever(BaseRetriever):
    """Any of our sources for a chain of somebody else: a search interface, a tool, a tool of an MCP server."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    source: Any
    """A SupplementSource."""
    app: str | None = None
    top_k: int = 3

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, app: str | None = None, limit: int | None = None
    ) -> list[Page]:
        return [_page(found) for found in self.source.search(query, app or self.app, limit or self.top_k)]


class RetrieverSource:
    """Any LangChain retriever as a SupplementSource. What it finds for another app than the one asked for is left out."""

    def __init__(
        self,
        retriever: BaseRetriever,
        name: str = "",
        *,
        kind: str = "",
        top_k: int = 3,
        hint: bool = False,
        seconds: float = PATIENCE,
    ) -> None:
        """`seconds` is how long it is waited for."""
        self.name = name or f"retriever {retriever.get_name()}"
        self.kind = kind
        self.top_k = top_k
        self.hint = hint
        """Whether what it finds is to be looked at only."""
        self._retriever = retriever
        self._seconds = seconds
        takes = inspect.signature(retriever._get_relevant_documents).parameters
        open_ = any(part.kind is inspect.Parameter.VAR_KEYWORD for part in takes.values())
        self._takes = {key for key in ("app", "limit") if open_ or key in takes}

    def search(self, query: str, app: str | None, limit: int) -> list[Supplement]:
        """Raises SourceFault when the retriever fails."""
        from langgraph.errors import GraphBubbleUp

        given: dict[str, Any] = {key: value for key, value in (("app", app), ("limit", limit)) if key in self._takes}
        try:
            pages = within(self._seconds, lambda: self._retriever.invoke(query, **given))
        except CallTimeout:
            raise SourceFault(f"{self.name} did not answer within {self._seconds:g} seconds") from None
        except (GraphBubbleUp, SourceFault):
            raise
        except Exception as bad:  # a retriever may be anybody's code: whatever it raises, the other sources are still asked
            raise SourceFault(f"{self.name} failed: {type(bad).__name__}: {' '.join(str(bad).split())[:300]}") from bad
        found = [supplement_of(page, query, self.name, self.kind) for page in pages[:_MOST]]
        fitting = [hit for hit in found if _fits_app(hit.app, app)][:limit]
        return [hit.model_copy(update={"hint": True}) for hit in fitting] if self.hint else fitting


def supplement_of(page: Page, query: str, name: str, kind: str = "") -> Supplement:
    """A page of any retriever, with what its metadata say of it."""
    said = page.metadata
    text = page.page_content
    source = _words(said.get("source")) or name
    title = _words(said.get("title")) or next((line.strip("# ") for line in text.splitlines() if line.strip("# ")), source)
    score = said.get("score", said.get("relevance_score"))
    return Supplement(
        query=query,
        source=source,
        title=" ".join(title.split())[:MAX_TITLE],
        text=text,
        app=_words(said.get("app")) or None,
        kind=kind or (said["kind"] if said.get("kind") in KINDS else ""),
        score=float(score) if isinstance(score, int | float) and 0 <= score <= 1 else None,
        document=_words(said.get("document")) or _words(page.id),
        also=tuple(map(_words, said.get("also", ()))) if isinstance(said.get("also"), list | tuple) else (),
    )


def _page(found: Supplement) -> Page:
    said = found.model_dump(exclude={"text", "query", "also"}, exclude_none=True) | {"also": list(found.also)}
    return Page(id=found.document or None, page_content=found.text, metadata=said)


def _words(value: Any) -> str:
    return str(value) if isinstance(value, str | int) else ""


def _fits_app(about: str | None, asked: str | None) -> bool:
    return asked is None or about is None or about.casefold() == asked.casefold()
