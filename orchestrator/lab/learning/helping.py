"""Whether what was looked up helped: said once, when a run has ended, in its journal and to the store of knowledge."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from orchestrator.core.machine import SubtaskStatus, TaskStatus
from roles.journal.journal import Event, Journal
from roles.manager.knowledge import USED

if TYPE_CHECKING:
    from roles.knowledge.settings import KnowledgeSettings

HELPED = "knowledge_helped"
"""The event: one for each page that a plan of the run has followed."""


def record_help(journal: Journal, status: str, *, right: bool | None = None) -> list[dict[str, Any]]:
    """Say of each page that was followed whether it helped, once; `right` is the judge's word, where there is one.

    It is written down before the store counts it: a run that is killed in between is counted too little, and never twice.
    """
    fulfilled = status == TaskStatus.FULFILLED and right is not False
    bodies = [_helped(page, list(journal.events("plan", "subtask_status")), fulfilled) for page in _followed(journal)]
    new = [body for body in bodies if not journal.recorded(_key(body))]
    for body in new:
        journal.record(HELPED, body, key=_key(body))
    journal.commit()
    return new


def _key(body: Mapping[str, Any]) -> str:
    return f"{HELPED}/{body['source']}/{body['title']}"


def _followed(journal: Journal) -> Iterable[dict[str, Any]]:
    """The last word on each page that was followed at some time."""
    pages: dict[tuple[str, str], dict[str, Any]] = {}
    for event in journal.events(USED):
        key = (event.body["source"], event.body["title"])
        if event.body["used"] or event.body["failed"] or key in pages:
            subtasks = [*pages.get(key, {}).get("subtasks", ()), *event.body["subtasks"]]
            pages[key] = event.body | {"subtasks": list(dict.fromkeys(subtasks))}
    return pages.values()


def _helped(page: Mapping[str, Any], events: Iterable[Event], fulfilled: bool) -> dict[str, Any]:
    statuses = {event.subtask: event.body["status"] for event in events if event.kind == "subtask_status"}
    done = [name for name in page["subtasks"] if statuses.get(name) == SubtaskStatus.FULFILLED]
    if page["failed"]:
        why = page["why"]
    elif not done:
        why = "none of its subtasks was fulfilled"
    elif not fulfilled:
        why = "the run did not end as it should"
    else:
        why = ""
    known = {key: page[key] for key in ("source", "title", "kind", "document")}
    return known | {"helped": not why, "why": why, "subtasks": done}


def tell_store(pages: Iterable[Mapping[str, Any]], settings: KnowledgeSettings, runs_dir: Path) -> None:
    """Count the use of what is kept in the store. A store that cannot be written changes nothing of a run that has ended."""
    from roles.knowledge.library import stored_at
    from roles.knowledge.memory.experience import count
    from roles.knowledge.store import KnowledgeStore, StoreFault

    path = stored_at(settings, runs_dir)
    kept = [page for page in pages if page["document"]]
    if not kept or not path.is_file():
        return
    with suppress(StoreFault), KnowledgeStore(path) as store:
        for page in kept:
            count(store, page["document"], helped=page["helped"])


def told(events: Iterable[Event]) -> list[dict[str, Any]]:
    """What the report says of what was looked up: followed or not, why, by which subtasks, and whether it helped."""
    pages: dict[tuple[str, str], dict[str, Any]] = {}
    for event in events:
        if event.kind not in {USED, HELPED}:
            continue
        key = (event.body["source"], event.body["title"])
        if event.kind == HELPED:
            pages[key] = pages.get(key, {}) | {"helped": event.body["helped"]}
            pages[key]["why"] = event.body["why"] or pages[key].get("why", "")
        else:
            pages[key] = {"used": False} | dict(event.body)
    return list(pages.values())
