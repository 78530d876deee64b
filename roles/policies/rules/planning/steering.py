"""What the rules make of a person's words while the crew works: a thing not to be done, a correction, or something to do too.

Words that the grammar does not understand change nothing, and the plan says so.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from roles.contracts import AppWords, Fact, OperatorView, PlanAnswer, PlanRequest, Subtask
from roles.contracts.signals import SubtaskStatus
from roles.contracts.steering import Note
from roles.policies.rules.grammar import parse
from roles.policies.rules.planning.planning import make_subtasks, subtask_of
from roles.policies.rules.planning.stages import next_number
from roles.screen.language import clauses as c

ORDER_WORDS = re.compile(
    r"[,\s]*\b(?:first|beforehand|before(?: that)?|instead)\b[\s.!]*$|^\s*(?:no|first|instead)\b[,:\s]+", re.IGNORECASE
)
INSTEAD = re.compile(r"\binstead\b|\brather\b", re.IGNORECASE)
_FIRST = re.compile(r"\bfirst\b|\bbefore(?:hand| that)?\b", re.IGNORECASE)
_CORRECTING = (c.Enter, c.Select, c.Check)
_ENDING = (c.Commit,)
_OPEN = {SubtaskStatus.READY, SubtaskStatus.PENDING}


class _Understood(NamedTuple):
    """A note as clauses."""

    avoid: Sequence[c.Clause]
    do: Sequence[c.Clause]
    words: str


def _understood(note: Note, apps: Sequence[AppWords], facts: Sequence[Fact]) -> _Understood | None:
    clauses = parse(ORDER_WORDS.sub("", note.words), apps, [fact.name for fact in facts])
    if not clauses or any(isinstance(x, c.Unknown | c.Obey) for x in clauses):
        return None
    avoid = [x for x in clauses if isinstance(x, c.Avoid)]
    return _Understood(avoid, [x for x in clauses if not isinstance(x, c.Avoid)], note.words)


def without_forbidden(clauses: Sequence[c.Clause]) -> list[c.Clause]:
    """Drop what the words themselves forbid: `..., but do not submit it`."""
    forbidden = " ".join(x.what for x in clauses if isinstance(x, c.Avoid)).casefold()
    stems = {re.sub(r"(?:ting|ing|e|t)$", "", word) for word in forbidden.split()}
    clauses = [
        replace(x, send=False) if isinstance(x, c.Compose | c.Reply) and "send" in forbidden.split() else x for x in clauses
    ]
    return [x for x in clauses if not (isinstance(x, c.Commit) and re.sub(r"(?:e|t)$", "", x.verb) in stems)]


# --- the plan -----------------------------------------------------------------------------------------------------------


def minded(request: PlanRequest) -> PlanAnswer:
    """The plan with what the user has said: without what is not to be done, with what is to be done too or instead."""
    plan = [s for s in request.plan if s.status is not SubtaskStatus.REJECTED]
    lost: list[str] = []
    for note in request.notes:
        if not note.for_plans:
            continue
        heard = _understood(note, request.apps, request.facts)
        if heard is None:
            lost.append(note.words)
            continue
        plan = _without(plan, heard.avoid, request.plan) if heard.avoid else plan
        plan = _with(plan, heard, request) if heard.do else plan
    return _answer(plan, lost, request)


def _answer(plan: Sequence[Subtask], lost: Sequence[str], request: PlanRequest) -> PlanAnswer:
    if not any(s.status in _OPEN for s in plan):
        if not plan:
            return PlanAnswer(outcome="infeasible", reason="the user does not want what the goal asks for")
        return PlanAnswer(outcome="nothing_left", reason="what the user does not want is left out")
    reason = "the user's words are minded"
    if lost:
        reason = f'the plan stays as it is: the words "{"; ".join(lost)}" are not understood'
    return PlanAnswer(outcome="planned", subtasks=tuple(plan), more=False, reason=reason)


def _without(plan: Sequence[Subtask], avoid: Sequence[c.Clause], known: Sequence[Subtask]) -> list[Subtask]:
    """Each open subtask without what is not to be done; one of which nothing is left goes."""
    kept: list[Subtask] = []
    instead: dict[str, tuple[str, ...]] = {}
    for subtask in plan:
        subtask = subtask.model_copy(update={"depends_on": _redirected(subtask.depends_on, instead)})
        clauses = parse(subtask.instruction)
        left = [x for x in without_forbidden([*clauses, *avoid]) if not isinstance(x, c.Avoid)]
        mine = subtask.worker == "operator" and subtask.status in _OPEN and not subtask.pinned
        if not mine or left == clauses:
            kept.append(subtask)
        elif all(isinstance(x, c.Open) for x in left):
            instead[subtask.id] = subtask.depends_on
        else:
            name = f"s{next_number([*known, *kept])}"
            title = subtask.title.partition(":")[0] if subtask.app and ":" in subtask.title else ""
            kept.append(subtask_of(name, subtask.app, left, title, subtask.depends_on))
            instead[subtask.id] = (name,)
    return kept


def _with(plan: Sequence[Subtask], heard: _Understood, request: PlanRequest) -> list[Subtask]:
    """The plan with something more: before the subtask at work where it corrects that, instead of it, or after it."""
    made = make_subtasks(heard.do, request.apps, first=next_number([*request.plan, *plan]))
    there = {s.instruction for s in request.plan}
    if all(s.instruction in there for s in made):
        return [*plan]  # it was minded before
    done = [s for s in plan if s.status not in _OPEN]
    left = [s for s in plan if s.status in _OPEN]
    at_work = next((s for s in left if s.id == request.failed and not s.pinned), None)
    rest = [s for s in left if s is not at_work]
    if at_work is None:
        return [*done, *made, *_after(rest, made[-1].id, None)]
    before = _is_correction(heard, made, at_work) or bool(_FIRST.search(heard.words))
    if INSTEAD.search(heard.words):
        return [*done, *made, *_after(rest, made[-1].id, at_work.id)]
    if before:
        name = f"s{next_number([*request.plan, *plan, *made])}"
        fresh = {"id": name, "status": SubtaskStatus.READY, "attempt": 0, "depends_on": (*at_work.depends_on, made[-1].id)}
        instead = {at_work.id: (name,)}
        moved = [s.model_copy(update={"depends_on": _redirected(s.depends_on, instead)}) for s in rest]
        return [*done, *made, at_work.model_copy(update=fresh), *moved]
    first = made[0].model_copy(update={"depends_on": (*made[0].depends_on, at_work.id)})
    return [*done, at_work, first, *made[1:], *_after(rest, made[-1].id, None)]


def _is_correction(heard: _Understood, made: Sequence[Subtask], at_work: Subtask) -> bool:
    """`set the category to Travel`, said while the form is filled in: not after it has been sent."""
    return all(isinstance(x, _CORRECTING) for x in heard.do) and {s.app for s in made} <= {at_work.app, None}


def _after(subtasks: Sequence[Subtask], name: str, gone: str | None) -> list[Subtask]:
    waits = [(*(d for d in s.depends_on if d != gone), name) for s in subtasks]
    return [s.model_copy(update={"depends_on": tuple(dict.fromkeys(w))}) for s, w in zip(subtasks, waits, strict=True)]


def _redirected(depends: Sequence[str], instead: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(other for name in depends for other in instead.get(name, (name,))))


def with_notes(request: PlanRequest) -> PlanRequest:
    """A first plan's request, with the notes that are understood taken as parts of the goal, as if they had been said at once."""
    told = [note for note in request.notes if note.for_plans and _understood(note, request.apps, request.facts) is not None]
    if not told:
        return request
    goal = ". ".join([request.goal.rstrip(". "), *(note.words.strip(". ") for note in told)])
    return request.model_copy(update={"goal": goal})


# --- the work -----------------------------------------------------------------------------------------------------------


def steered(clauses: Sequence[c.Clause], view: OperatorView, at: int) -> tuple[list[c.Clause], dict[str, Any]]:
    """The clauses of a subtask as the user wants them, and where what was said to the Operator stands among them.

    The places are kept between decisions: the Operator counts clauses.
    """
    worked = [*clauses]
    places: dict[str, int] = dict(view.memory.get("places", {}))
    for note in view.notes:
        heard = _understood(note, view.apps, view.facts)
        if heard is None:
            continue
        # What is done already stays in the list: it is counted by.
        worked = [*worked[:at], *(x for x in without_forbidden([*worked[at:], *heard.avoid]) if not isinstance(x, c.Avoid))]
        if note.to != "operator" or not heard.do or not all(isinstance(x, _CORRECTING) for x in heard.do):
            continue
        ends = (n for n, x in enumerate(worked) if n >= at and isinstance(x, _ENDING))
        place = places.setdefault(note.words, next(ends, len(worked)))
        worked[place:place] = heard.do
    return worked, {"places": places} if places else {}


def not_wanted(notes: Sequence[Note]) -> str:
    """What the user has said is not to be done, as a part of the goal."""
    heard = [(note, _understood(note, (), ())) for note in notes]
    return ". ".join(note.words.strip(". ") for note, found in heard if found is not None and found.avoid)
