"""The Manager's rules policy: from the words of a goal to a plan, and from what went wrong to another one."""

from __future__ import annotations

import re

from roles.contracts import USER, PlanAnswer, PlanRequest, Subtask
from roles.contracts.signals import SubtaskStatus
from roles.policies.orders.manager import OrdersManager, is_plain
from roles.policies.orders.stages import changes
from roles.policies.rules.grammar import parse
from roles.policies.rules.pages.planning import misread, page_plan, pressed_blindly
from roles.policies.rules.planning.places import UnknownApp
from roles.policies.rules.planning.planning import make_subtasks
from roles.policies.rules.planning.replanning import by_next_page, is_refused, replan, unconsumed
from roles.policies.rules.planning.stages import go_on, staged, with_more
from roles.policies.rules.planning.steering import INSTEAD, ORDER_WORDS, minded, with_notes, without_forbidden
from roles.policies.rules.planning.understanding import Understood, understood, with_origins
from roles.screen.language import clauses as c
from roles.technician.rules import plan_with_jobs, replan_jobs

_PAGES_TOLD = 3
_ADVICE = "a model may understand it (--model NAME, or crew.manager.policy: llm)"


class RulesManager:
    """Plans what the grammar understands, and says in the goal's own words what it does not."""

    def plan(self, request: PlanRequest) -> PlanAnswer:
        if request.plan:
            return self._go_on(request)
        orders = OrdersManager().plan(request)
        if orders.outcome != "planned":
            return self._by_clauses(request)
        if not is_plain(request):
            return orders
        clauses = self._by_clauses(request)
        return clauses if clauses.outcome == "planned" else orders

    def _go_on(self, request: PlanRequest) -> PlanAnswer:
        """By orders what was begun so, unless they lead nowhere and have changed nothing."""
        if not request.plan[-1].steps:
            return self._by_clauses(request)
        answer = OrdersManager().plan(request)
        if answer.outcome in {"planned", "nothing_left"} or _changed(request):
            return answer
        anew = self._by_clauses(request.model_copy(update={"plan": (), "failed": None, "trigger": "task_open"}))
        return anew.model_copy(update={"subtasks": _renumbered(anew.subtasks, next_number(request.plan) - 1)})

    def _by_clauses(self, request: PlanRequest) -> PlanAnswer:
        try:
            if request.trigger == "plan_rejected":
                return _as_the_user_says(request)
            if not request.plan:
                told = with_notes(request)
                return plan_with_jobs(told) or _first_plan(told)
            found = understood(request)
            if request.trigger == "steered":
                return with_more(minded(request), request, found.clauses)
            if unable := replan_jobs(request):
                return unable
            going_on = go_on(request, found.clauses) if request.trigger == "gate_done" else None
            if going_on is not None:
                return _from_pages(going_on, request, found)
            answer = with_more(_with_user_words(request) or _replanned(request), request, found.clauses)
        except UnknownApp as unknown:
            return _no_such_app(unknown.words, request)
        return answer


def _changed(request: PlanRequest) -> bool:
    """Whether a subtask was begun that changes something."""
    begun = {SubtaskStatus.FULFILLED, SubtaskStatus.REJECTED}
    return any(changes(step) for s in request.plan if s.status in begun or s.attempt for step in s.steps)


def _renumbered(subtasks: tuple[Subtask, ...], by: int) -> tuple[Subtask, ...]:
    """The subtasks under ids that none before them has."""

    def name(one: str) -> str:
        return f"s{int(one[1:]) + by}" if one[:1] == "s" and one[1:].isdigit() else one

    return tuple(
        s.model_copy(update={"id": name(s.id), "depends_on": tuple(map(name, s.depends_on))}) if by else s for s in subtasks
    )


def _as_the_user_says(request: PlanRequest) -> PlanAnswer:
    """Another plan than the one that the user rejected: with what they said done first, instead or too, or left undone."""
    answer = None if not request.user_words else _with_user_words(request) if request.plan else _with_other_goal(request)
    if answer is not None:
        return answer
    said = f'"{request.user_words[-1]}"; these words are not understood' if request.user_words else "they did not say why"
    return PlanAnswer(outcome="infeasible", reason=f"the user rejected the plan: {said}")


def _with_other_goal(request: PlanRequest) -> PlanAnswer | None:
    """The goal with the user's words added to it, as if it had been said so at once."""
    goal = request.goal.rstrip(". ")
    for words in request.user_words:
        plain = ORDER_WORDS.sub("", words).strip(". ")
        clauses = parse(plain, request.apps)
        if not clauses or any(isinstance(x, c.Unknown) for x in clauses):
            return None
        both = (plain, goal) if ORDER_WORDS.search(words) else (goal, plain)
        goal = plain if INSTEAD.search(words) else ". ".join(both)
    told = request.model_copy(update={"goal": goal, "trigger": "task_open"})
    return plan_with_jobs(told) or _first_plan(told)


def _first_plan(request: PlanRequest) -> PlanAnswer:
    on_page = page_plan(request)
    if on_page is not None and not on_page.doubtful:
        return on_page.answer
    found = understood(request)
    if found.unknown:
        unread = _not_understood(found, request)
        lost = unread.outcome == "infeasible" or (unread.ask and not found.ask)
        return on_page.answer if on_page is not None and lost else unread
    if missed := unconsumed(request.goal, lambda words: parse(words, request.apps, [f.name for f in request.facts])):
        return _not_understood(found._replace(unknown=missed), request)
    resolved = found.clauses
    first = resolved[0] if resolved else None
    if isinstance(first, c.Obey):
        told = f'what "{first.what}" demands is no instruction of the user; say in your own words what is to be done'
        return PlanAnswer(outcome="infeasible", reason=told)
    if mixed := misread(resolved, request):
        told = f'it is not understood which value of "{mixed}" belongs where; {_ADVICE}'
        return PlanAnswer(outcome="infeasible", reason=told, unread=True)
    if not any(not isinstance(x, c.Avoid) for x in resolved):
        return PlanAnswer(outcome="infeasible", reason="the goal names nothing to do")
    subtasks, more = staged(without_forbidden(resolved), request)
    if not subtasks:
        return PlanAnswer(outcome="infeasible", reason="what the goal asks for is what it says must not be done")
    pages = " and ".join(f'"{use.title}" ({use.source})' for use in found.uses if use.used)
    reason = f"by {pages}" if pages else f"{len(resolved)} clauses of the goal are understood"
    answer = PlanAnswer(outcome="planned", subtasks=tuple(subtasks), more=more, reason=reason, uses=found.uses)
    return _from_pages(answer, request, found)


def _from_pages(answer: PlanAnswer, request: PlanRequest, found: Understood) -> PlanAnswer:
    """The plan, in which what is new says which steps of which page it comes from."""
    known = {subtask.id for subtask in request.plan}
    new = iter(with_origins([s for s in answer.subtasks if s.id not in known], found))
    return answer.model_copy(update={"subtasks": tuple(s if s.id in known else next(new) for s in answer.subtasks)})


def _replanned(request: PlanRequest) -> PlanAnswer:
    """Another way for what failed; where it came from a page and no other way is known, the next page that fits."""
    if blind := pressed_blindly(request):
        return PlanAnswer(outcome="infeasible", reason=blind)
    answer = replan(request)
    failed = next((s for s in request.plan if s.id == request.failed), None)
    if answer.outcome != "infeasible" or failed is None or is_refused(request):
        return answer
    return by_next_page(request, failed) or answer


def _not_understood(found: Understood, request: PlanRequest) -> PlanAnswer:
    """Look the words up once; ask the user what a page wants to know; then say which words were not understood, and why."""
    text = found.unknown
    before = bool(request.supplements) or request.trigger in {"supplied", "nothing_found"}
    asked = text in request.looked_up or (not request.looked_up and before)
    why = f'these words are not understood: "{text}"'
    if not asked:
        return PlanAnswer(outcome="supplement_needed", query=text, reason=why, uses=found.uses)
    if found.ask and found.ask not in request.looked_up:
        return PlanAnswer(outcome="supplement_needed", query=found.ask, ask=True, reason="a page wants to know", uses=found.uses)
    if request.can_ask and before and request.looked_up.count(text) == 1 and _only_pages(request):
        return PlanAnswer(outcome="supplement_needed", query=text, ask=True, reason="no page is for it", uses=found.uses)
    pages = "; ".join(f'"{use.title}" ({use.source}) is not followed: {use.why}' for use in found.uses[:_PAGES_TOLD] if use.why)
    told = "; ".join(filter(None, (why, pages, _ADVICE)))
    return PlanAnswer(outcome="infeasible", reason=told, uses=found.uses, unread=True)


def _only_pages(request: PlanRequest) -> bool:
    """Something was found when the words were looked up, so that nobody was asked then."""
    return any(found.source != USER for found in request.supplements)


def _no_such_app(words: str, request: PlanRequest) -> PlanAnswer:
    there = ", ".join(app.title for app in request.apps) or "none"
    return PlanAnswer(outcome="infeasible", reason=f'there is no application called "{words}"; applications are: {there}')


def _with_user_words(request: PlanRequest) -> PlanAnswer | None:
    """What the user said when refusing, if it is an instruction: it is done first, and what is left follows.

    A correction of the form ("set the category to Travel first") leads back to the refused work, which asks again.
    """
    if not request.user_words or request.trigger not in {"approval_rejected", "plan_rejected"}:
        return None
    words = request.user_words[-1]
    clauses = parse(ORDER_WORDS.sub("", words), request.apps, [f.name for f in request.facts])
    if not clauses or any(isinstance(x, c.Unknown) for x in clauses):
        return None
    if any(isinstance(x, c.Avoid) for x in clauses):
        return PlanAnswer(outcome="infeasible", reason=f'the user does not want it: "{words}"')
    new = make_subtasks(clauses, request.apps, first=next_number(request.plan))
    failed = next((s for s in request.plan if s.id == request.failed), None)
    corrects = all(isinstance(x, c.Enter | c.Select | c.Check) for x in clauses) and not INSTEAD.search(words)
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
