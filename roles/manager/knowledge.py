"""What became of everything that was looked up: which subtasks come from it, found out by code and not by whoever planned."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rapidfuzz import fuzz

from roles.contracts import USER, PageUse, PlanAnswer, StepOrigin, Subtask, Supplement
from roles.journal.events import KnowledgeUsedEvent, SupplementEvent
from roles.journal.journal import Journal
from roles.knowledge.pages.playbook import playbooks_in

_ALIKE = 82
"""How much of a step's words an instruction has that comes from it."""
_OWN = 88
"""An instruction that the goal itself says as well as this comes from the goal."""
_PARTS = 12
"""Steps that a subtask is said to come from, at most."""


def looked_up(journal: Journal) -> tuple[str, ...]:
    """What was looked up or asked so far, whatever came of it; twice what was looked up and then asked."""
    return tuple(event.body["query"] for event in journal.events(SupplementEvent))


def given_up(journal: Journal) -> tuple[tuple[str, str], ...]:
    """The pages that were followed and did not help."""
    failed = (event.body for event in journal.events(KnowledgeUsedEvent) if event.body.get("failed"))
    return tuple(dict.fromkeys((body["source"], body["title"]) for body in failed))


def attributed(subtasks: Sequence[Subtask], supplements: Sequence[Supplement], goal: str) -> tuple[Subtask, ...]:
    """Every subtask with the steps of pages that it comes from. What the policy said of that counts, and may be too little."""
    books = [book for found in supplements if found.source != USER for book in playbooks_in(found)]
    if not books:
        return tuple(subtasks)
    steps = [book.origin(step.number) for book in books for step in book.steps]
    return tuple(s if s.origin else s.model_copy(update={"origin": tuple(_steps_in(s, steps, goal))[:_PARTS]}) for s in subtasks)


def _steps_in(subtask: Subtask, steps: Sequence[StepOrigin], goal: str) -> Iterator[StepOrigin]:
    told = subtask.instruction.casefold()
    if fuzz.token_set_ratio(told, goal.casefold()) >= _OWN:
        return
    for step in steps:
        words = step.text.casefold()
        if min(len(words), len(told)) >= 8 and fuzz.partial_ratio(words, told) >= _ALIKE:
            yield step


def record_uses(journal: Journal, answer: PlanAnswer, plan: Sequence[Subtask], version: int, attempts: int) -> None:
    """An event for every page that was found: followed by which subtasks of which plan, or not, and why."""
    last = {(e.body["source"], e.body["title"]): e.body for e in journal.events(KnowledgeUsedEvent)}
    said = {(use.source, use.title): use for use in answer.uses}
    for number, use in enumerate(_pages(journal.supplements(""), said, plan), start=1):
        key = (use["source"], use["title"])
        before = last.get(key, {})
        changed = any(before.get(name) != use[name] for name in ("used", "subtasks", "failed"))
        if before.get("failed") or not changed:
            continue
        event = KnowledgeUsedEvent(**use, plan_version=version)
        journal.record(event, role="manager", key=f"{event.KIND}/{attempts}/{number}")


def _pages(
    supplements: Sequence[Supplement], said: Mapping[tuple[str, str], PageUse], plan: Sequence[Subtask]
) -> Iterator[dict[str, Any]]:
    for found in supplements:
        if found.source == USER:
            continue
        titles = [book.title for book in playbooks_in(found)] or [found.title]
        known = {"source": found.source, "kind": found.kind, "document": found.document}
        for title in dict.fromkeys(titles):
            use = said.get((found.source, title)) or PageUse(source=found.source, title=title)
            subtasks = [s.id for s in plan if any(_is_of(origin, found.source, title) for origin in s.origin)]
            used = bool(subtasks) and not use.failed
            why = use.why or ("" if used else "no subtask of the plan comes from it")
            yield known | {"title": title, "used": used, "failed": use.failed, "why": why, "subtasks": subtasks}


def _is_of(origin: StepOrigin, source: str, title: str) -> bool:
    return origin.source == source and title in {origin.section, origin.title}
