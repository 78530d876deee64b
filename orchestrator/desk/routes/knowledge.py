"""What the crew can look up: listed, searched, read, added to, removed from."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Query
from pydantic import Field

from orchestrator.desk.auth import Operator, Viewer
from orchestrator.desk.desk import TheDesk
from orchestrator.desk.routes.start import settings_of
from orchestrator.lab.learning import knowledge
from orchestrator.lab.learning.knowledge import RankedDocument
from protocol import Frozen
from roles.knowledge.pages.documents import MAX_TEXT, MAX_TITLE, Document

router = APIRouter(prefix="/api", tags=["knowledge"])
_SNIPPET = 300
_LEARNT = frozenset({"experience", "demonstration"})


class DocumentRow(Frozen):
    """A document in a list."""

    id: str
    title: str
    kind: str
    app: str
    source: str
    snippet: str
    learnt: bool
    """From what the crew, or somebody, did."""
    score: float | None = None
    why_not: str = ""
    """Why a run that asks for this would not be shown it; empty where it would."""


class Documents(Frozen):
    """Of a list, the first; of a search, the best first."""

    documents: tuple[DocumentRow, ...]
    total: int
    faults: tuple[str, ...] = ()


class WholeDocument(Frozen):
    id: str
    title: str
    text: str
    kind: str
    app: str
    source: str
    data: dict[str, Any]
    retired: str
    removable: bool
    """Whether it was added; what is shipped or stands in a folder is changed there."""


class DocumentIn(Frozen):
    """A page."""

    title: str = Field(min_length=1, max_length=MAX_TITLE)
    text: str = Field(min_length=1, max_length=MAX_TEXT)
    app: str = Field(default="", max_length=100)


class DocumentAdded(Frozen):
    id: str
    said: str


class DocumentRemoved(Frozen):
    removed: str


@router.get("/knowledge")
def documents(
    desk: TheDesk,
    visitor: Viewer,
    query: Annotated[str, Query(max_length=2_000)] = "",
    app: Annotated[str, Query(max_length=100)] = "",
    kind: Annotated[str, Query(max_length=40)] = "",
    limit: Annotated[int, Query(ge=1, le=2_000)] = 300,
) -> Documents:
    """Everything, or with a query what a run would find for it, and what came close."""
    settings = settings_of(desk).settings
    if not query.strip():
        rows = [_row(one) for one in knowledge.listed(settings, app or None, kind or None, every=True)]
        return Documents(documents=tuple(rows[:limit]), total=len(rows))
    answer = knowledge.search(settings, query, app or None, kind or None)
    return Documents(documents=tuple(map(_found, answer.found[:limit])), total=len(answer.found), faults=tuple(answer.faults))


@router.get("/knowledge/{id:path}")
def document(desk: TheDesk, visitor: Viewer, id: str) -> WholeDocument:
    """One document."""
    found = knowledge.one(settings_of(desk).settings, id)
    if found is None:
        raise HTTPException(404, f"There is no document {id[:200]!r}; see /api/knowledge.")
    one = found.document
    return WholeDocument(
        id=one.id, title=one.title, text=one.text, kind=one.kind, app=one.app or "", source=one.source, data=one.data,
        retired=one.retired, removable=found.added,
    )  # fmt: skip


@router.post("/knowledge", status_code=201)
def add(desk: TheDesk, visitor: Operator, page: DocumentIn) -> DocumentAdded:
    """Add a help page."""
    made = Document(title=page.title, text=page.text, app=page.app or None, source=f"written by {visitor.name}")
    knowledge.write(settings_of(desk).settings, made)
    return DocumentAdded(id=made.id, said=f"{made.title!r} can be looked up now.")


@router.delete("/knowledge/{id:path}")
def remove(desk: TheDesk, visitor: Operator, id: str) -> DocumentRemoved:
    """Remove what was added."""
    settings = settings_of(desk).settings
    found = knowledge.one(settings, id)
    if found is None:
        raise HTTPException(404, f"There is no document {id[:200]!r}; see /api/knowledge.")
    if not found.added:
        raise HTTPException(409, f"{id!r} stands in a folder of help pages; remove it there.")
    knowledge.remove(settings, [id])
    return DocumentRemoved(removed=id)


def _found(one: RankedDocument) -> DocumentRow:
    hit = one.hit
    return DocumentRow(
        id=hit.document or hit.source, title=hit.title, kind=hit.kind or "", app=hit.app or "", source=hit.source,
        snippet=hit.text[:_SNIPPET], learnt=hit.kind in _LEARNT, score=hit.score, why_not=one.why_not,
    )  # fmt: skip


def _row(one: Document) -> DocumentRow:
    return DocumentRow(
        id=one.id, title=one.title, kind=one.kind, app=one.app or "", source=one.source, snippet=one.text[:_SNIPPET],
        learnt=one.kind in _LEARNT, why_not=f"retired: {one.retired}" if one.retired else "",
    )  # fmt: skip
