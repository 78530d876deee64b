"""Whether what was looked up helped: said once, when a run has ended, in its journal and to the store of knowledge."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from orchestrator.core.machine import SubtaskStatus, TaskStatus
from roles.journal.events import KnowledgeHelpedEvent, KnowledgeUsedEvent, SubtaskStatusEvent
from roles.journal.journal import Event, Journal

if TYPE_CHECKING:
    from roles.knowledge.settings import KnowledgeSettings


def record_help(journal: Journal, status: str, *, right: bool | None = None) -> list[KnowledgeHelpedEvent]:
    """Say of each page that was followed whether it helped, once; `right` is the judge's word, where there is one.

    It is written down before the store counts it: a run that is killed in between is counted too little, and never twice.
    """
    fulfilled = status == TaskStatus.FULFILLED and right is not False
    standing = ((event.subtask, event.content) for event in journal.events(SubtaskStatusEvent))
    statuses = {subtask: said.status for subtask, said in standing if isinstance(said, SubtaskStatusEvent)}
    told = [_helped(page, statuses, fulfilled) for page in _followed(journal)]
    new = [event for event in told if not journal.recorded(_key(event))]
    for event in new:
        journal.record(event, key=_key(event))
    journal.commit()
    return new


def _key(event: KnowledgeHelpedEvent) -> str:
    return f"{event.KIND}/{event.source}/{event.title}"


def _followed(journal: Journal) -> Iterable[KnowledgeUsedEvent]:
    """The last word on each page that was followed at some time, with every subtask that followed it."""
    pages: dict[tuple[str, str], KnowledgeUsedEvent] = {}
    for event in journal.contents(KnowledgeUsedEvent):
        key = (event.source, event.title)
        if event.used or event.failed or key in pages:
            before = pages[key].subtasks if key in pages else []
            pages[key] = event.model_copy(update={"subtasks": list(dict.fromkeys([*before, *event.subtasks]))})
    return pages.values()


def _helped(page: KnowledgeUsedEvent, statuses: Mapping[str, str], fulfilled: bool) -> KnowledgeHelpedEvent:
    done = [name for name in page.subtasks if statuses.get(name) == SubtaskStatus.FULFILLED]
    if page.failed:
        why = page.why
    elif not done:
        why = "none of its subtasks was fulfilled"
    elif not fulfilled:
        why = "the run did not end as it should"
    else:
        why = ""
    return KnowledgeHelpedEvent(
        source=page.source, title=page.title, kind=page.kind, document=page.document, helped=not why, why=why, subtasks=done
    )


def tell_store(pages: Iterable[KnowledgeHelpedEvent], settings: KnowledgeSettings, runs_dir: Path) -> None:
    """Count the use of what is kept in the store. A store that cannot be written changes nothing of a run that has ended."""
    from roles.knowledge.demonstrations.demonstrations import count
    from roles.knowledge.library import stored_at
    from roles.knowledge.store import KnowledgeStore, StoreFault

    path = stored_at(settings, runs_dir)
    kept = [page for page in pages if page.document]
    if not kept or not path.is_file():
        return
    with suppress(StoreFault), KnowledgeStore(path) as store:
        for page in kept:
            count(store, page.document, helped=page.helped)


def told(events: Iterable[Event]) -> list[dict[str, Any]]:
    """What the report says of what was looked up: followed or not, why, by which subtasks, and whether it helped."""
    pages: dict[tuple[str, str], dict[str, Any]] = {}
    for event in events:
        match event.content:
            case KnowledgeHelpedEvent() as said:
                known = pages.get((said.source, said.title), {})
                pages[said.source, said.title] = known | {"helped": said.helped, "why": said.why or known.get("why", "")}
            case KnowledgeUsedEvent() as said:
                pages[said.source, said.title] = {"used": False} | event.body
    return list(pages.values())
