"""What a run that has ended teaches: whether it is kept as an example."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from orchestrator.core.machine import TaskStatus
from orchestrator.errors import UsageProblem
from orchestrator.store.salvage import export_log
from protocol import JsonObject, read_log
from roles.journal.events import ExperienceEvent
from roles.journal.journal import Journal
from roles.knowledge.library import stored_at
from roles.knowledge.pages.documents import DocumentKind
from roles.knowledge.pages.learned import LearnedPlaybook, distil, keep
from roles.knowledge.settings import KnowledgeSettings
from roles.knowledge.store import KnowledgeStore, StoreFault


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
