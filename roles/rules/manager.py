"""The Manager's rules policy: from the words of a goal to a plan, and from what went wrong to another one."""

from __future__ import annotations

import re

from roles.contracts import PlanAnswer, PlanRequest, Subtask
from roles.rules import clauses as c
from roles.rules.grammar import parse
from roles.rules.handbook import steps_for
from roles.rules.places import UnknownApp
from roles.rules.planning import make_subtasks
from roles.rules.replanning import replan
from roles.signals import SubtaskStatus

_ORDER_WORDS = re.compile(
    r"[,\s]*\b(?:first|beforehand|before(?: that)?|instead)\b[\s.!]*$|^\s*(?:no|first|instead)\b[,:\s]+", re.IGNORECASE
)
_INSTEAD = re.compile(r"\binstead\b|\brather\b", re.IGNORECASE)
_ADVICE = "a model policy may understand it (crew.manager.policy: llm)"


class RulesManager:
    """Plans what the grammar understands, and says in the goal's own words what it does not."""

    def plan(self, request: PlanRequest) -> PlanAnswer:
        try:
            if not request.plan:
                return _first_plan(request)
            answer = _with_user_words(request) or replan(request)
        except UnknownApp as unknown:
            return _no_such_app(unknown.words, request)
        return answer


def _first_plan(request: PlanRequest) -> PlanAnswer:
    clauses = parse(request.goal, request.apps, [f.name for f in request.facts])
    resolved: list[c.Clause] = []
    for clause in clauses:
        if not isinstance(clause, c.Unknown):
            resolved.append(clause)
            continue
        steps = steps_for(clause.text, request)
        if steps is None:
            return _not_understood(clause.text, request)
        resolved += steps
    if not any(not isinstance(x, c.Avoid) for x in resolved):
        return PlanAnswer(outcome="infeasible", reason="the goal names nothing to do")
    subtasks = make_subtasks(_without_avoided(resolved), request.apps, known=[f.name for f in request.facts])
    if not subtasks:
        return PlanAnswer(outcome="infeasible", reason="what the goal asks for is what it says must not be done")
    return PlanAnswer(outcome="planned", subtasks=tuple(subtasks), reason=f"{len(resolved)} clauses of the goal are understood")


def _not_understood(text: str, request: PlanRequest) -> PlanAnswer:
    """Ask the handbook once; then say which words were not understood."""
    asked = bool(request.supplements) or request.trigger in {"supplied", "nothing_found"}
    if not asked:
        return PlanAnswer(outcome="supplement_needed", query=text, reason=f'these words are not understood: "{text}"')
    return PlanAnswer(outcome="infeasible", reason=f'these words are not understood: "{text}"; {_ADVICE}')


def _no_such_app(words: str, request: PlanRequest) -> PlanAnswer:
    there = ", ".join(app.title for app in request.apps) or "none"
    return PlanAnswer(outcome="infeasible", reason=f'there is no application called "{words}"; applications are: {there}')


def _without_avoided(clauses: list[c.Clause]) -> list[c.Clause]:
    """Drop what the goal itself forbids: `..., but do not submit it`."""
    forbidden = " ".join(x.what for x in clauses if isinstance(x, c.Avoid)).casefold()
    stems = {re.sub(r"(?:ting|ing|e|t)$", "", word) for word in forbidden.split()}
    return [x for x in clauses if not (isinstance(x, c.Commit) and re.sub(r"(?:e|t)$", "", x.verb) in stems)]


def _with_user_words(request: PlanRequest) -> PlanAnswer | None:
    """What the user said when refusing, if it is an instruction: it is done first, and what is left follows.

    A correction of the form ("set the category to Travel first") leads back to the refused work, which asks again.
    """
    if not request.user_words or request.trigger != "approval_rejected":
        return None
    words = request.user_words[-1]
    clauses = parse(_ORDER_WORDS.sub("", words), request.apps, [f.name for f in request.facts])
    if not clauses or any(isinstance(x, c.Unknown) for x in clauses):
        return None
    if any(isinstance(x, c.Avoid) for x in clauses):
        return PlanAnswer(outcome="infeasible", reason=f'the user does not want it: "{words}"')
    new = make_subtasks(clauses, request.apps, first=next_number(request.plan))
    failed = next((s for s in request.plan if s.id == request.failed), None)
    corrects = all(isinstance(x, c.Enter | c.Select | c.Check) for x in clauses) and not _INSTEAD.search(words)
    if failed is not None and corrects:
        waits = (*(d for d in failed.depends_on if _is_done(d, request)), new[-1].id)
        number = max(int(s.id.removeprefix("s")) for s in new) + 1
        new.append(
            failed.model_copy(update={"id": f"s{number}", "status": SubtaskStatus.READY, "attempt": 0, "depends_on": waits})
        )
    ids = {s.id for s in new}
    rest = [
        s.model_copy(update={"depends_on": tuple(dict.fromkeys([*(d for d in s.depends_on if d != request.failed), new[-1].id]))})
        for s in request.plan
        if s.status in {SubtaskStatus.READY, SubtaskStatus.PENDING} and s.id != request.failed and s.id not in ids
    ]
    done = [s for s in request.plan if s.status is SubtaskStatus.FULFILLED]
    reason = "the user said what to do first" if corrects else "the user said what to do instead"
    return PlanAnswer(outcome="planned", subtasks=(*done, *new, *rest), reason=reason)


def _is_done(subtask: str, request: PlanRequest) -> bool:
    return any(s.id == subtask and s.status is SubtaskStatus.FULFILLED for s in request.plan)


def next_number(plan: tuple[Subtask, ...]) -> int:
    """The first number that no id of the plan uses."""
    return max((int(m.group(1)) for s in plan if (m := re.match(r"s(\d+)", s.id))), default=0) + 1
