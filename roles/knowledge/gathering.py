"""Asking every source for one query: what several say is taken once, with all who say it, and one that fails stops no other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from roles.contracts import Supplement, SupplementSource
from roles.knowledge.documents import text_digest
from roles.sources import SourceFault

FOUND = 3
"""Shown of a source that does not say itself how many it shows."""


class Gathered(NamedTuple):
    """What was found, and which sources could not be asked, a sentence each."""

    found: list[Supplement]
    faults: list[str]


def gather(sources: Sequence[SupplementSource], query: str, app: str | None, known: Iterable[Supplement] = ()) -> Gathered:
    """What the sources say that is not known yet, in the order of the sources."""
    old = {(one.source, one.title) for one in known}
    found: dict[str, Supplement] = {}
    faults: list[str] = []
    for source in sources:
        try:
            hits = source.search(query, app, getattr(source, "top_k", FOUND))
        except SourceFault as fault:
            faults.append(str(fault))
            continue
        for hit in hits:
            digest = text_digest(hit.text)
            first = found.get(digest)
            if first is None:
                found[digest] = hit
            elif hit.source != first.source and hit.source not in first.also:
                found[digest] = first.model_copy(update={"also": (*first.also, hit.source)})
    return Gathered([hit for hit in found.values() if (hit.source, hit.title) not in old], faults)
