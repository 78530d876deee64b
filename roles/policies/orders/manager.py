"""The Manager's policy of orders: a goal is read, grounded in what applications hold, and made into typed subtasks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from environments.cards import AppCard, vocabulary
from roles.contracts import Fact, PlanAnswer, PlanRequest
from roles.contracts.orders import AnswerStep, FindStep, OpenStep, Order, Reading, Step, Thing, WaitStep
from roles.contracts.signals import SubtaskStatus
from roles.policies.orders.planner import Planner, Refusal
from roles.policies.orders.replanning import replan, with_notes
from roles.policies.orders.stages import changes, new_subtasks
from roles.screen.language.reader import read

ADVICE = "a model may understand it (--model NAME, or crew.manager.policy: llm)"


class OrdersManager:
    """Plans what is understood for certain, and says in the goal's own words what is not."""

    def plan(self, request: PlanRequest) -> PlanAnswer:
        if request.trigger == "plan_rejected" and not request.user_words:
            return PlanAnswer(outcome="infeasible", reason="the user rejected the plan and did not say why")
        goal = with_notes(request)
        reading = read(goal, request.today, vocabulary(request.cards))
        if unread := why_not(reading):
            return _asked(unread, request) if reading.asks else _unread(unread)
        try:
            planner = Planner(reading, request.cards, request.facts, request.today)
            groups = planner.groups()
        except Refusal as no:
            return _asked(str(no), request) if no.ask else _unread(str(no))
        broken = any(s.id == request.failed and s.status is not SubtaskStatus.FULFILLED for s in request.plan)
        if broken or request.trigger == "issues_found":
            return replan(request, more=planner.more)
        fresh = new_subtasks(groups, request.plan, {card.app: card.title for card in request.cards})
        steps = [step for group in groups for step in group.steps]
        does = any(changes(step) or isinstance(step, AnswerStep | FindStep | OpenStep | WaitStep) for step in steps)
        if not fresh and not does and not planner.more and request.plan and planner.passed_over:
            return PlanAnswer(outcome="nothing_left", reason=f"there is nothing to do: {_nothing(reading)}")
        if not fresh and not does and not planner.more:
            return PlanAnswer(outcome="infeasible", reason=f"there is nothing to do: {_nothing(reading)}")
        if not fresh:
            return replan(request, more=planner.more)
        reason = f"{len(reading.orders)} orders are understood" if not request.plan else "what was unknown is known now"
        return PlanAnswer(outcome="planned", subtasks=(*request.plan, *fresh), more=planner.more, reason=reason)


def steps_of(
    what: Reading | Sequence[Order], cards: Sequence[AppCard], facts: Iterable[Fact], today: str = ""
) -> list[Step] | str:
    """The steps for what was read, as far as the facts allow; else why there are none, in one sentence."""
    reading = what if isinstance(what, Reading) else Reading(goal="", orders=tuple(what))
    if unread := why_not(reading):
        return unread
    try:
        return [step for group in Planner(reading, cards, facts, today).groups() for step in group.steps]
    except Refusal as no:
        return str(no)


def is_plain(request: PlanRequest) -> bool:
    """Whether the goal asks for single things outright: nothing of all or several, nothing excepted, denied or on a condition."""
    reading = read(with_notes(request), request.today, vocabulary(request.cards))
    return all(not order.negated and order.condition is None and _single(order.object) for order in reading.orders)


def _single(thing: Thing | None) -> bool:
    if thing is None:
        return True
    return thing.quantity in {"one", "any"} and not thing.but and not thing.also and thing.pick is None


def why_not(reading: Reading) -> str:
    """Why a goal is not understood, in one sentence; empty where it is."""
    if reading.asks:
        return reading.asks[0]
    if reading.unread:
        words = "; ".join(f'"{part.text}"' + (f" ({part.why})" if part.why else "") for part in reading.unread[:3])
        return f"these words are not understood: {words}"
    if not any(not order.negated for order in reading.orders):
        return "the goal names nothing to do"
    return ""


def _nothing(reading: Reading) -> str:
    conditions = any(order.condition is not None for order in reading.orders)
    return "no condition of the goal holds" if conditions else "what the goal names is not there"


def _asked(why: str, request: PlanRequest) -> PlanAnswer:
    """A question to the person, once; without one to ask, the reason."""
    if request.can_ask and why not in request.looked_up:
        return PlanAnswer(outcome="supplement_needed", query=why, ask=True, reason="only the user can say it")
    return _unread(why)


def _unread(why: str) -> PlanAnswer:
    return PlanAnswer(outcome="infeasible", reason=f"{why}; {ADVICE}", unread=True)
