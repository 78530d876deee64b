"""What a run that has ended teaches: whether the pages that it followed helped, and whether it is kept as an example."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from orchestrator.core.machine import TaskStatus
from orchestrator.errors import UsageProblem
from orchestrator.store.salvage import export_log
from protocol import JsonObject, read_log
from roles.contracts.signals import SubtaskStatus
from roles.journal.events import ExperienceEvent, KnowledgeHelpedEvent, KnowledgeUsedEvent, SubtaskStatusEvent
from roles.journal.journal import Journal
from roles.knowledge.library import stored_at
from roles.knowledge.pages.documents import DocumentKind
from roles.knowledge.pages.learned import LearnedPlaybook, count, distil, keep
from roles.knowledge.settings import KnowledgeSettings
from roles.knowledge.store import KnowledgeStore, StoreFault


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
    path = stored_at(settings, runs_dir)
    kept = [page for page in pages if page.document]
    if not kept or not path.is_file():
        return
    with suppress(StoreFault), KnowledgeStore(path) as store:
        for page in kept:
            count(store, page.document, helped=page.helped)


class Lesson(NamedTuple):
    """What was understood, and what it would be kept as."""

    found: LearnedPlaybook
    kind: DocumentKind
    source: str
    against: str = ""


def problem_with(found: LearnedPlaybook) -> str:
    """Why nobody could follow these steps."""
    return "" if found.steps else "no step had an effect"


def against(report: Mapping[str, Any]) -> str:
    """Why a run is no example."""
    if not report:
        return "the run has not ended"
    if report.get("status") != TaskStatus.FULFILLED:
        return f"the run did not reach its goal: {report.get('reason') or report.get('status')}"
    verdict = report.get("judge") or {}
    if verdict and not verdict.get("passed"):
        return "the judge of its task did not pass it"
    if verdict and not verdict.get("clean", True):
        return "the judge of its task says that something else was changed, too"
    return ""


class LearningResult(NamedTuple):
    """What was kept, or why nothing was."""

    saved: bool
    title: str = ""
    document: str = ""
    why: str = ""

    def told(self) -> JsonObject:
        return {key: value for key, value in self._asdict().items() if value not in ("", False) or key == "saved"}


def kept(found: Lesson, knowledge: KnowledgeSettings, runs_dir: Path) -> LearningResult:
    """Put it into the store. Raises UsageProblem where that cannot be."""
    try:
        with KnowledgeStore(stored_at(knowledge, runs_dir)) as store:
            document, new = keep(store, found.found.document(found.kind, found.source))
    except (StoreFault, OSError) as bad:
        raise UsageProblem(f"It cannot be kept: {bad}") from None
    return LearningResult(new, document.title, document.id, "" if new else "it is already known")


def after_run(journal: Journal, record: Mapping[str, Any], folder: Path, report: Mapping[str, Any]) -> LearningResult | None:
    """What `knowledge.experience.save` makes of a run that has ended; None where there is nothing to say."""
    settings = KnowledgeSettings.model_validate(record["settings"].get("knowledge") or {})
    save = settings.experience.save
    if save in {"never", "ask"} or report.get("status") != TaskStatus.FULFILLED:
        return None
    result = _decided(save, settings, journal, record, folder, report)
    journal.record(ExperienceEvent(**result.told()), key=ExperienceEvent.KIND)
    journal.commit()
    return result


def _decided(
    save: str, settings: KnowledgeSettings, journal: Journal, record: Mapping[str, Any], folder: Path, report: Mapping[str, Any]
) -> LearningResult:
    if why := against(report):
        return LearningResult(False, why=why)
    if save == "auto" and not report.get("judge"):
        return LearningResult(False, why="there is no judge that can confirm it (knowledge.experience.save: auto)")
    export_log(journal, folder / "log.jsonl", record["run_id"])
    steps = [line.step for line in read_log(folder / "log.jsonl") if line.step is not None]
    found = distil(steps, record["goal"])
    made = Lesson(found, "experience", f"run:{record['run_id']}")
    if why := problem_with(found) or next(iter(found.doubts), ""):
        return LearningResult(False, found.title, why=why)
    try:
        return kept(made, settings, folder.parent)
    except UsageProblem as bad:
        return LearningResult(False, found.title, why=str(bad))
