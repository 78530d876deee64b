"""What the crew learns from what was done: logs of people, logs of other agents, and its own runs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from orchestrator.errors import UsageProblem
from orchestrator.lab.logs.show import OWN, locate, opened
from orchestrator.runs.experience import Lesson, against, problem_with
from orchestrator.runs.folders import read_run, stored_report
from protocol import InteractionStep
from roles.knowledge.demonstrations.demonstrations import distil, distil_twice
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
    why_not = next((one.against for one in shown if one.against), "") or problem_with(found)
    return Lesson(found, first.kind, " and ".join(one.source for one in shown), why_not)


def _shown(word: str, goal: str, source: str, runs_dir: Path) -> Demonstrated:
    path = locate(word, runs_dir)
    run = path.parent if source == OWN and (path.parent / "run.json").is_file() else None
    steps = _last([line.step for line in opened(word, source, runs_dir).lines if line.step is not None])
    if run is not None and (steps or against(stored_report(run))):
        record, report = read_run(run), stored_report(run)
        world = str(record.get("settings", {}).get("world", ""))
        return Demonstrated(steps, goal or record["goal"], f"run:{record['run_id']}", "experience", world, against(report))
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


def offered(folder: Path) -> tuple[Lesson, KnowledgeSettings] | None:
    """What a person is asked about at the end of a run (`knowledge.experience.save: ask`); None where there is nothing to ask."""
    settings = KnowledgeSettings.model_validate(read_run(folder)["settings"].get("knowledge") or {})
    if settings.experience.save != "ask" or against(stored_report(folder)):
        return None
    try:
        found = lesson([folder.name], (), OWN, folder.parent)
        with KnowledgeStore(stored_at(settings, folder.parent)) as store:
            known = store.get(found.found.document(found.kind, found.source).id) is not None
    except (UsageProblem, StoreFault, OSError):
        return None
    return None if known or found.against or found.found.doubts else (found, settings)
