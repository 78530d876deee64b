"""Knowledge behind LangChain's retriever interface, both ways: ours for any chain, anybody's as a source of ours."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document as Page
from langchain_core.retrievers import BaseRetriever
from pydantic import ConfigDict

from roles.contracts import Supplement
from roles.knowledge.pages.documents import KINDS, MAX_TITLE, DocumentKind, Hit
from roles.knowledge.sources.sources import PATIENCE, SourceFault
from roles.skills.arguments import Late, within

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
        except Late:
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
