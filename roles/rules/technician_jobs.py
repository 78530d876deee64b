"""What of a goal the rules Manager gives to the Technician: computations over files, with the rest planned as ever."""

from __future__ import annotations

import re
from collections.abc import Sequence

from roles.contracts import EffectSeen, Expectation, FactKnown, PlanAnswer, PlanRequest, Subtask
from roles.rules import clauses as c
from roles.rules.grammar import parse
from roles.rules.planning import make_subtasks
from roles.rules.technician_forms import Job, jobs_in
from roles.signals import SubtaskStatus

FILES = "files"
_COUNTED = (
    r"(?:the\s+)?(?:{fact}|number(?:\s+of\s+(?:{what}s?|them|these))?|count|result|sum|total|output(?:\s+of\s+the\s+script)?"
    r"|(?:list\s+of\s+)?(?:file\s+)?names|files\s+found|list)"
)
"""What the words after a job may call what it brought."""
_THEIR = re.compile(
    r"\b(?:write|put|enter|note|copy|record|send|mail|email|save|paste|tell\s+\w+|with|as|text|body|containing)\s+$", re.I
)


def plan_with_jobs(request: PlanRequest) -> PlanAnswer | None:
    """The first plan of a goal that holds jobs; None for one that holds none, or whose other words are not understood."""
    if not any(app.app == FILES for app in request.apps):
        return None
    made: list[Subtask] = []
    known = [fact.name for fact in request.facts]
    at, count, last = 0, 0, ""
    text = request.goal
    for found in jobs_in(text):
        if not _take(text[at : found.start], made, known, last, request):
            return None
        after = made[-1].id if made else ""
        made.append(_subtask(found.job, len(made) + 1, after, text[found.end :]))
        known += [found.job.fact] if found.job.fact else []
        at, count, last = found.end, count + 1, found.job.fact
    if not count or not _take(text[at:], made, known, last, request):
        return None
    return PlanAnswer(
        outcome="planned", subtasks=tuple(made), reason=f"{count} computation{'s' * (count > 1)} over files for the technician"
    )


def replan_jobs(request: PlanRequest) -> PlanAnswer | None:
    """A job that could not be done ends the task with its reason: there is no second way that would be tried blindly."""
    failed = next((s for s in request.plan if s.id == request.failed), None)
    if failed is None or failed.worker != "technician" or failed.status is SubtaskStatus.FULFILLED:
        return None
    why = "; ".join(request.evidence[:2]) or "the technician could not do it"
    return PlanAnswer(outcome="infeasible", reason=f'"{failed.instruction[:120]}" cannot be done: {why}')


def _take(words: str, made: list[Subtask], known: Sequence[str], fact: str, request: PlanRequest) -> bool:
    """Plan the words between two jobs. What they call the number, the result or it is the fact of the job before."""
    plain = re.sub(r"^(?:[\s,.;:!]|\b(?:and|then)\b)+|[\s,;:]*\b(?:and|then)?\s*$", "", words, flags=re.IGNORECASE)
    if not plain:
        return True
    clauses = parse(_named(plain, fact) if fact else plain, request.apps, known)
    if any(isinstance(clause, c.Unknown) for clause in clauses):
        return False
    subtasks = make_subtasks(clauses, request.apps, first=len(made) + 1, known=known, after=[made[-1].id] if made else [])
    made += subtasks
    return bool(subtasks) or all(isinstance(clause, c.Avoid) for clause in clauses)


def _named(words: str, fact: str) -> str:
    """The words with the fact's own name for what it brings; what stands in quotes stays as it is."""
    what = fact.split()[0]
    counted = re.compile(
        rf"\b(?:{_COUNTED.format(fact=re.escape(fact), what=re.escape(what))}|it|them)\b(?!\s+of\b)", re.IGNORECASE
    )
    parts = re.split(r"(\"[^\"]*\"|“[^”]*”)", words)
    return "".join(part if index % 2 else _replaced(part, counted, fact) for index, part in enumerate(parts))


def _replaced(part: str, counted: re.Pattern[str], fact: str) -> str:
    def named(match: re.Match[str]) -> str:
        before = part[: match.start()]
        return f"the {fact}" if _THEIR.search(before) or match.group().casefold().startswith("the ") else match.group()

    return counted.sub(named, part)


def _subtask(job: Job, number: int, after: str, later: str) -> Subtask:
    expect: tuple[Expectation, ...] = (EffectSeen(verb="run_script"),)
    if job.fact:
        expect = (FactKnown(name=job.fact),)
    if job.kind == "code":  # whether it says anything is known only when it has run
        expect = (FactKnown(name=job.fact),) if re.search(r"\boutput|result|number\b", later, re.IGNORECASE) else ()
    words = job.words[:1].upper() + job.words[1:]
    return Subtask(
        id=f"s{number}", title=f"Script: {' '.join(job.words.split())[:70]}", instruction=words, app=FILES, worker="technician",
        depends_on=(after,) if after else (), expect=expect,
    )  # fmt: skip
