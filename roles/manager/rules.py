"""The Manager's rules policy: a goal is read, grounded in what applications hold, and made into typed subtasks."""

from __future__ import annotations

from environments.cards import vocabulary
from roles.contracts import PlanAnswer, PlanRequest
from roles.contracts.orders import AnswerStep, FindStep, OpenStep, Reading, WaitStep
from roles.contracts.signals import SubtaskStatus
from roles.policies.orders.planner import Planner, Refusal, why_not
from roles.policies.orders.replanning import replan, with_notes
from roles.policies.orders.stages import changes, new_subtasks
from roles.screen.language.reader import read

ADVICE = "a model may understand it (--model NAME, or crew.manager.policy: llm)"


class RulesManager:
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
