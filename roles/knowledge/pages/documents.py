"""One record for everything that can be looked up: a help page, a search result, an own success, what a person showed."""

from __future__ import annotations

import hashlib
from typing import Any, Literal, get_args

from pydantic import Field, field_validator

from protocol import Frozen, JsonObject
from roles.contracts import Supplement

DocumentKind = Literal["help", "online", "experience", "demonstration"]
KINDS: tuple[DocumentKind, ...] = get_args(DocumentKind)
MAX_TEXT = 200_000
MAX_TITLE = 300


class Document(Frozen):
    """Something that was written down to be found again. It is data: nothing in it is done because it says so."""

    kind: DocumentKind = "help"
    app: str | None = None
    """The application it is about; None fits every one."""
    title: str = Field(min_length=1, max_length=MAX_TITLE)
    """What it is good for, in words; `{slots}` stand for values."""
    text: str = Field(max_length=MAX_TEXT)
    source: str = ""
    """Where it came from: a file, an address, a run."""
    data: JsonObject = Field(default_factory=dict)
    """What its kind knows beside the text, as plain JSON."""
    id: str = Field(default_factory=lambda said: f"{said['kind']}:{digest_of(said)}", min_length=1, max_length=500)
    """The same content has the same id, unless one is given."""

    @field_validator("app")
    @classmethod
    def _no_empty_app(cls, app: str | None) -> str | None:
        return app or None

    @property
    def retired(self) -> str:
        """Why it is found no more; empty while it is."""
        return str(self.data.get(RETIRED) or "")

    @property
    def digest(self) -> str:
        """The same for two documents that say the same, whoever says it."""
        return text_digest(self.text)


RETIRED = "retired"
"""The key of a document's data under which it is said why it is followed no more."""


class Hit(Frozen):
    """A document that was found, and how well it fits."""

    document: Document
    score: float
    """0 to 1: how much of what was asked it speaks of. What a threshold is held against."""
    words: float = 0.0
    """The part of the score that comes from its words."""
    meaning: float | None = None
    """How close its meaning is (cosine); None where no embeddings were asked."""

    def supplement(self, query: str) -> Supplement:
        """What a run records of it."""
        found = self.document
        return Supplement(
            query=query,
            source=found.source or found.id,
            title=found.title,
            text=found.text,
            app=found.app,
            kind=found.kind,
            score=round(self.score, 4),
            document=found.id,
        )


def text_digest(text: str) -> str:
    """Of the words alone: neither case nor blanks make a difference."""
    return hashlib.blake2b(" ".join(text.casefold().split()).encode("utf-8", "replace"), digest_size=12).hexdigest()


def digest_of(said: dict[str, Any]) -> str:
    """Of what a document is about and says."""
    parts = "\n".join([said.get("app") or "", said.get("title", ""), said.get("text", "")])
    return text_digest(parts)
