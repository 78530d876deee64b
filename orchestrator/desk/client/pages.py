"""What a desk looks up: listed, searched, added to and removed from here."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from orchestrator.desk.client.remote import Remote
from orchestrator.errors import UsageProblem
from orchestrator.lab.learning.knowledge import Shown
from orchestrator.store.printable import clean
from orchestrator.views.terminal.tables import table
from roles.knowledge.pages.folders import sync
from roles.knowledge.store import KnowledgeStore

_PAGES = "/api/knowledge"
_MOST = 2_000


class RemotePages:
    """The documents of a desk."""

    def __init__(self, remote: Remote) -> None:
        self._remote = remote

    def list(self, app: str | None, kind: str | None, every: bool) -> Shown:
        found = self._remote.get(_PAGES, app=app or "", kind=kind or "", limit=_MOST)["documents"]
        return Shown(found, _as_table(found, scored=False))

    def search(self, query: str, app: str | None, kind: str | None) -> Shown:
        if not query.strip():
            raise UsageProblem("There is nothing to search for; say in words what is to be done or known.")
        found = self._remote.get(_PAGES, query=query, app=app or "", kind=kind or "")
        documents = found["documents"]
        return Shown(found, _as_table(documents, scored=True), any(not one["why_not"] for one in documents))

    def add(self, places: Sequence[Path], app: str | None, kind: str | None) -> Shown:
        """Send the pages of these files and folders, which are read here. Raises UsageProblem."""
        if kind not in (None, "help"):
            raise UsageProblem(f"--kind {kind}: a desk takes help pages only; leave it out with --server.")
        if absent := [place for place in places if not place.exists()]:
            raise UsageProblem(f"{absent[0]}: there is no such file or folder.")
        with tempfile.TemporaryDirectory() as folder, KnowledgeStore(Path(folder) / "pages.sqlite") as store:
            read = [sync(store, place, app=app) for place in places]
            pages = store.list(None, None)
        sent = [self._remote.post(_PAGES, {"title": one.title, "text": one.text, "app": one.app or ""}) for one in pages]
        added, problems = [str(one["id"]) for one in sent], [problem for one in read for problem in one.problems]
        lines = [*(f"added {clean(id)}" for id in added), *(f"not read: {clean(one, 1000)}" for one in problems)]
        data = {"added": added, "problems": problems}
        return Shown(data, "\n".join(lines) or "No page was found.", bool(added) or not problems)

    def remove(self, ids: Sequence[str]) -> None:
        for id in ids:
            self._remote.delete(f"{_PAGES}/{quote(id, safe='/')}")


def _as_table(found: list[dict[str, Any]], *, scored: bool) -> str:
    if not found:
        return "Nothing has a word of it." if scored else "There is nothing to be looked up."
    head = ("KIND", "APP", "ID", "TITLE")
    rows = [(clean(one["kind"] or "-"), clean(one["app"] or "-"), clean(one["id"]), clean(one["title"], 60)) for one in found]
    if not scored:
        return table([head, *rows])
    scores = ["-" if one["score"] is None else f"{one['score']:.2f}" for one in found]
    whys = [clean(one["why_not"], 80) for one in found]
    return table([("SCORE", *head, ""), *((score, *row, why) for score, row, why in zip(scores, rows, whys, strict=True))])
