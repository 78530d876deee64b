"""All that a run can look up: the store of what was added, and the folders of help pages as they stand.

Without a store on disk everything is in memory, and nothing is written. A store that is made meanwhile is used from then on.
"""

import math
import threading
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from protocol.retries import Retries
from roles.contracts import Supplement, SupplementSource
from roles.contracts.context import Context
from roles.journal.events import ErrorEvent
from roles.journal.journal import cut
from roles.knowledge.pages.documents import DocumentKind, asked_stems, text_digest
from roles.knowledge.pages.filling import without_quoted, without_values
from roles.knowledge.pages.folders import sync
from roles.knowledge.settings import KnowledgeSettings, SourceSettings
from roles.knowledge.store import KEPT, KnowledgeStore, SourceFault, StoreFault

FOUND = 3
"""Shown of a source that does not say itself how many it shows."""


class SearchResult(NamedTuple):
    """What was found, and which sources could not be asked, a sentence each."""

    found: list[Supplement]
    faults: list[str]


def gather(sources: Sequence[SupplementSource], query: str, app: str | None, known: Iterable[Supplement] = ()) -> SearchResult:
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
    return SearchResult([hit for hit in found.values() if (hit.source, hit.title) not in old], faults)


class Library:
    """Opens what is there when it is first asked."""

    def __init__(
        self, settings: KnowledgeSettings, path: Path | None, folders: Sequence[Path] = (), retries: Retries | None = None
    ) -> None:
        """`path` is the store; `folders` hold help pages."""
        self.settings = settings
        self.path = path
        self.folders = [Path(folder) for folder in folders]
        self.problems: tuple[str, ...] = ()
        """Files in the folders that are no pages."""
        self._retries = retries
        self._lock = threading.RLock()
        self._open: KnowledgeStore | None = None

    def store(self) -> KnowledgeStore:
        """The one on disk if there is one, else one in memory. Raises StoreFault."""
        with self._lock:
            path = self.path if self.path is not None and self.path.is_file() else None
            if self._open is None or self._open.path != path:
                if self._open is not None:
                    self._open.close()
                self._open = KnowledgeStore(path)
            return self._open

    def close(self) -> None:
        with self._lock:
            if self._open is not None:
                self._open.close()
                self._open = None

    def search(
        self,
        query: str,
        app: str | None = None,
        kinds: Iterable[DocumentKind] | None = None,
        limit: int = 5,
        threshold: float = 0.0,
    ) -> Sequence[Supplement]:
        """As a store searches, over the folders as well. Raises SourceFault.

        What was done once has slots where another goal has values, so that these are not what it is found by.
        """
        wanted = None if kinds is None else list(kinds)
        if wanted and not {"help", "online"}.intersection(wanted):
            query = without_quoted(query)
        try:
            return self.store().search(query, app, wanted, limit, threshold, shelves=self.shelves())
        except StoreFault as bad:
            raise SourceFault(str(bad)) from bad

    def shelves(self) -> list[str]:
        """The shelf of what was added, and one for each folder, brought up to date."""
        found, problems = [KEPT], list[str]()
        for folder in self.folders:
            shelf = str(folder.resolve())
            problems += sync(self.store(), folder, shelf=shelf).problems
            found.append(shelf)
        self.problems = tuple(problems)
        return found

    def sources(self) -> list[SupplementSource]:
        """Those that are on, in the order in which they are asked: help, online search, own experience, demonstrations."""
        said = self.settings
        found: list[SupplementSource] = [LibrarySource(self, "help documents", "help", said.help)] if said.help.use else []
        if said.online.use:
            from roles.knowledge.retrievers import OnlineSearch  # here, since few ever search online

            found.append(OnlineSearch(said.online, retries=self._retries))
        if said.experience.use:
            hint = said.experience.reuse == "hint"
            found.append(LibrarySource(self, "experience", "experience", said.experience, hint=hint))
        if said.demonstrations.use:
            found.append(LibrarySource(self, "demonstrations", "demonstration", said.demonstrations))
        return found


class LibrarySource:
    """Documents of one kind; with `hint` they are to be looked at only."""

    def __init__(self, library: Library, name: str, kind: DocumentKind, settings: SourceSettings, *, hint: bool = False) -> None:
        self.name, self.kind, self.top_k = name, kind, settings.top_k
        self._library, self._threshold, self._hint = library, settings.threshold, hint

    def search(self, query: str, app: str | None, limit: int) -> list[Supplement]:
        """Raises SourceFault."""
        hits = self._library.search(query, app, (self.kind,), limit, self._threshold)
        return [hit.model_copy(update={"query": query, "hint": self._hint}) for hit in hits]


def stored_at(settings: KnowledgeSettings, runs_dir: Path) -> Path:
    """The file of the store: a relative one stands beside the folder of the runs."""
    return runs_dir.parent / settings.store


def help_in(folder: Path) -> SupplementSource:
    """The help pages of one folder, and nothing else."""
    return Library(KnowledgeSettings(), None, [folder]).sources()[0]


def look_up(ctx: Context, query: str, app: str | None) -> tuple[list[Supplement], list[str]]:
    """What every source says that is not known yet, and why some could say nothing."""
    known = ctx.journal.supplements()
    found, dumb = gather(ctx.sources, query, app, known)
    if not found and (plain := without_values(query)) != query:  # names and numbers stand on no page
        found, dumb = gather(ctx.sources, plain, app, known)
        found = [hit.model_copy(update={"query": query}) for hit in found]
    return [hit.model_copy(update={"text": cut(hit.text, ctx.limits.tool_output)}) for hit in found], dumb


_TELLING, _LEAST, _NEAR = 3, 0.4, 0.9
"""What is shown to who has not asked: words that a query must have, the least score, and how near it must be to the best."""


def unasked(query: str, found: Sequence[Supplement]) -> list[Supplement]:
    """Of what was found, what fits well enough to be shown to who has not asked for it; a score is a share of the query's words,
    and says nothing where there are few."""
    best = max((hit.score or 0.0 for hit in found), default=0.0)
    least = max(_LEAST, _NEAR * best) if len(asked_stems(query)) >= _TELLING else math.inf
    return [hit for hit in found if hit.score is None or hit.score >= least]


def look_up_ahead(ctx: Context, query: str, app: str | None, *, role: str, subtask: str = "") -> None:
    """Before the first plan, and once before a worker begins a subtask: record what is found, where that is wanted.

    A source that fails is told of and stops nobody, since nobody has asked yet. It is asked without names and numbers: they stand
    on no page, and nobody has said that they may go to a search.
    """
    key = f"ahead/{subtask}"
    if not ctx.ahead or ctx.journal.recorded(key):
        return
    query = without_values(query)
    found, dumb = look_up(ctx, query, app)
    found = unasked(query, found)
    for number, fault in enumerate(dumb, start=1):
        ctx.journal.record(ErrorEvent(message=fault), role=role, subtask=subtask, key=f"{key}/fault/{number}")
    ctx.journal.supplied(query, found, subtask=subtask, key=key, role=role, ahead=True)
