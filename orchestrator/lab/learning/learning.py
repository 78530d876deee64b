"""What the crew learns from what was done: logs of people, logs of other agents, and its own runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from orchestrator.core.machine import TaskStatus
from orchestrator.errors import UsageProblem
from orchestrator.lab.logs.show import OWN, locate, opened
from orchestrator.runs.folders import read_run, stored_report
from orchestrator.store.salvage import export_log
from protocol import InteractionStep, read_log
from roles.journal.events import ExperienceEvent
from roles.journal.journal import Journal
from roles.knowledge.demonstrations.demonstrations import LearnedPlaybook, distil, distil_twice, keep
from roles.knowledge.library import stored_at
from roles.knowledge.pages.documents import DocumentKind
from roles.knowledge.settings import KnowledgeSettings
from roles.knowledge.store import KnowledgeStore, StoreFault


class Demonstrated(NamedTuple):
    """Something that was done, once."""

    steps: list[InteractionStep]
    goal: str
    source: str
    kind: DocumentKind
    world: str = ""
    against: str = ""
    """Why it is no example to follow; empty where nothing is known against it."""


class Lesson(NamedTuple):
    """What was understood, and what it would be kept as."""

    found: LearnedPlaybook
    kind: DocumentKind
    source: str
    against: str = ""


def lesson(words: Sequence[str], goals: Sequence[str], source: str, runs_dir: Path, app: str = "") -> Lesson:
    """From a run or a log, or from two that show the same with other values. Raises UsageProblem."""
    if not 1 <= len(words) <= 2:
        raise UsageProblem("Name one run or log, or two that show the same with other values.")
    if len(goals) > len(words):
        raise UsageProblem(f"There are {len(goals)} goals for {len(words)} log; give --goal once for each.")
    shown = [_shown(word, goals[at] if at < len(goals) else "", source, runs_dir) for at, word in enumerate(words)]
    first = shown[0]
    if len(shown) == 2:
        found = distil_twice(first.steps, first.goal, shown[1].steps, shown[1].goal, world=first.world)
    else:
        found = distil(first.steps, first.goal, world=first.world)
    if app:
        found = found.model_copy(update={"app": app})
    against = next((one.against for one in shown if one.against), "") or problem_with(found)
    return Lesson(found, first.kind, " and ".join(one.source for one in shown), against)


def problem_with(found: LearnedPlaybook) -> str:
    """Why nobody could follow these steps."""
    return "" if found.steps else "nothing that was done came to anything"


def _shown(word: str, goal: str, source: str, runs_dir: Path) -> Demonstrated:
    path = locate(word, runs_dir)
    run = path.parent if source == OWN and (path.parent / "run.json").is_file() else None
    steps = _last([line.step for line in opened(word, source, runs_dir).lines if line.step is not None])
    if run is not None and (steps or _against(stored_report(run))):
        record, report = read_run(run), stored_report(run)
        world = str(record.get("settings", {}).get("world", ""))
        return Demonstrated(steps, goal or record["goal"], f"run:{record['run_id']}", "experience", world, _against(report))
    if not steps:
        raise UsageProblem(f"{path}: there is no step in it that can be read; check it with: deskcrew log validate {word}")
    goal = goal or steps[0].subtask
    if not goal.strip():
        raise UsageProblem(f"{path}: it does not say what was to be done; say it with --goal.")
    return Demonstrated(steps, goal, f"log:{path.name}", "demonstration")


def _last(steps: Iterable[InteractionStep]) -> list[InteractionStep]:
    """The last run of a log: one that was begun anew was not to be kept."""
    groups = [list(group) for _, group in groupby(steps, key=lambda step: step.run_id)]
    return groups[-1] if groups else []


def _against(report: Mapping[str, Any]) -> str:
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

    def told(self) -> dict[str, Any]:
        return {key: value for key, value in self._asdict().items() if value not in ("", False) or key == "saved"}


def kept(found: Lesson, knowledge: KnowledgeSettings, runs_dir: Path) -> LearningResult:
    """Put it into the store. Raises UsageProblem where that cannot be."""
    try:
        with KnowledgeStore(stored_at(knowledge, runs_dir)) as store:
            document, new = keep(store, found.found, found.kind, found.source)
    except (StoreFault, OSError) as bad:
        raise UsageProblem(f"It cannot be kept: {bad}") from None
    return LearningResult(new, document.title, document.id, "" if new else "it is known already")


def offered(folder: Path) -> tuple[Lesson, KnowledgeSettings] | None:
    """What a person is asked about at the end of a run (`knowledge.experience.save: ask`); None where there is nothing to ask."""
    settings = KnowledgeSettings.model_validate(read_run(folder)["settings"].get("knowledge") or {})
    if settings.experience.save != "ask" or _against(stored_report(folder)):
        return None
    try:
        found = lesson([folder.name], (), OWN, folder.parent)
        with KnowledgeStore(stored_at(settings, folder.parent)) as store:
            known = store.get(found.found.document(found.kind, found.source).id) is not None
    except (UsageProblem, StoreFault, OSError):
        return None
    return None if known or found.against or found.found.doubts else (found, settings)


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
    if against := _against(report):
        return LearningResult(False, why=against)
    if save == "auto" and not report.get("judge"):
        return LearningResult(False, why="there is no judge whose word would do (knowledge.experience.save: auto)")
    export_log(journal, folder / "log.jsonl", record["run_id"])
    steps = [line.step for line in read_log(folder / "log.jsonl") if line.step is not None]
    found = distil(steps, record["goal"], world=str(record["settings"].get("world", "")))
    made = Lesson(found, "experience", f"run:{record['run_id']}")
    if why := problem_with(found) or next(iter(found.doubts), ""):
        return LearningResult(False, found.title, why=why)
    try:
        return kept(made, settings, folder.parent)
    except UsageProblem as bad:
        return LearningResult(False, found.title, why=str(bad))
