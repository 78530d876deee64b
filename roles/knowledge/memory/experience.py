"""What became of a playbook each time it was followed, and when that is enough to follow it no more. Sources: seed 001.

A playbook that has failed twice in a row, or less than every second time of four and
more, is retired: it is kept, listed, and never found again.
"""

from __future__ import annotations

from protocol import Frozen
from roles.knowledge.demonstrations.demonstrations import LearnedPlaybook
from roles.knowledge.pages.documents import RETIRED, Document, DocumentKind
from roles.knowledge.store import KnowledgeStore

RETIRING: tuple[DocumentKind, ...] = ("experience", "demonstration")
"""Kinds of documents that come from something that was done; what people wrote stays until somebody takes it away."""
IN_A_ROW = 2
ENOUGH = 4
_IN_A_ROW = "failed_in_a_row"


class PlaybookRecord(Frozen):
    """What became of a playbook so far."""

    used: int = 0
    """Runs that followed it."""
    helped: int = 0
    """Those of them that reached their goal by it."""
    failed_in_a_row: int = 0

    @property
    def retired(self) -> str:
        """Why it is followed no more; empty while it is."""
        if self.failed_in_a_row >= IN_A_ROW:
            return f"it failed {self.failed_in_a_row} times in a row"
        if self.used >= ENOUGH and self.helped * 2 < self.used:
            return f"it helped {self.helped} of {self.used} times"
        return ""


def standing(store: KnowledgeStore, document: Document) -> PlaybookRecord:
    """What is known of a document; nothing of one that was never followed."""
    used, helped = store.uses(document.id)
    return PlaybookRecord(used=used, helped=helped, failed_in_a_row=int(document.data.get(_IN_A_ROW, 0)))


def count(store: KnowledgeStore, document_id: str, *, helped: bool) -> None:
    """A run has followed it. What was done once and does not work is retired; what people wrote is counted only."""
    with store.writing():
        store.note_use(document_id, helped)
        document = store.get(document_id)
        if document is None or document.kind not in RETIRING:
            return
        failed = 0 if helped else int(document.data.get(_IN_A_ROW, 0)) + 1
        now = standing(store, document).model_copy(update={"failed_in_a_row": failed})
        store.add(document.model_copy(update={"data": {**document.data, _IN_A_ROW: failed, RETIRED: now.retired}}))


def keep(store: KnowledgeStore, found: LearnedPlaybook, kind: DocumentKind, source: str) -> tuple[Document, bool]:
    """The document of what was learned, and whether it is new. What is known already keeps what is known of it."""
    made = found.document(kind, source)
    with store.writing():
        known = store.get(made.id)
        if known is not None:
            return known, False
        store.add(made)
        return made, True
