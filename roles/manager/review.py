"""What the Manager asks a person: whether a plan may be worked, and what no other source knows. In the form of every approval.

A decision is bound to the plan that was shown, by its digest. It is in the journal before anything comes of it, so that a
node that is worked again neither asks again nor loses the answer.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from protocol import JsonObject
from roles.contracts import AppWords, Subtask
from roles.contracts.context import Context
from roles.contracts.requests import (
    WAYS,
    AskedAction,
    Decision,
    EndedSubtask,
    PlanReviewRequest,
    QuestionRequest,
    Request,
    ReviewConfig,
    digest_of,
)
from roles.contracts.signals import SubtaskStatus
from roles.manager.plans import WORK_PLAN, GivenPlan, PlanError, as_given, edited, merge
from roles.operator.safety.approval import decision_in, overdue_then, write_decision
from roles.safety.privacy.redaction import MASK
from roles.screen.language.words import phrases
from roles.screen.texts import fold


def plan_request(
    plan: Sequence[Subtask],
    version: int,
    attempts: int,
    why: Sequence[str],
    apps: Sequence[AppWords],
    *,
    more: bool,
    asked: JsonObject,
) -> PlanReviewRequest:
    """The payload of the interrupt: what is still to be worked, and beside it what has ended."""
    args = as_given([s for s in plan if s.status.is_open]).model_dump(mode="json", exclude_defaults=True)
    many = len(args["subtasks"])
    said = f"work plan {version}: {many} subtask{'s' if many != 1 else ''}"
    ended = [{"id": s.id, "title": s.title, "status": s.status.value} for s in plan if not s.status.is_open]
    digest = digest_of(json.dumps([args, ended]))
    return PlanReviewRequest(
        action_requests=(AskedAction(name=WORK_PLAN, args=args, description=said),),
        review_configs=(ReviewConfig(action_name=WORK_PLAN, allowed_decisions=WAYS),),
        key=f"plan/{attempts}",
        digest=digest,
        plan_version=version,
        more=more,
        ended=tuple(EndedSubtask(**item) for item in ended),
        apps=tuple(app.app for app in apps),
        role="manager",
        reasons=tuple(words for words in why if words),
        default="reject",
        asked=asked,
    )


def edited_plan(args: Mapping[str, Any], request: PlanReviewRequest) -> tuple[Subtask, ...]:
    """The plan that a person wrote in place of the one of the request: what is to be worked from now on.

    What has ended may stand in it as it is, and is left out. Raises PlanError.
    """
    try:
        plan = edited(GivenPlan.model_validate(request.about.args), GivenPlan.model_validate(args)).whole()
    except ValidationError as bad:
        first = bad.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise PlanError(f"{where + ': ' if where else ''}{first['msg']}") from None
    titles = {item.id: item.title for item in request.ended}
    for place, subtask in enumerate(plan):
        if MASK in subtask.instruction:
            raise PlanError(f"subtask {subtask.id!r} has {MASK} where a secret stood; write what is meant", place, "instruction")
        if titles.get(subtask.id, subtask.title) != subtask.title:
            raise PlanError(f"subtask {subtask.id!r} has ended and stays as it is; give the new one another id", place, "id")
    live = tuple(s for s in plan if s.id not in titles)
    done = SubtaskStatus.FULFILLED
    ended = [Subtask(id=name, title=title, instruction=title, status=done) for name, title in titles.items()]
    merge(ended, live, [AppWords(app=app, title=app) for app in request.apps])
    return live


def question_request(query: str, why: Sequence[str], *, ask: bool = False, found: bool = False) -> QuestionRequest:
    """The payload of the interrupt when the person is asked what no other source knows.

    `ask`: the query is a question of its own, unless pages were `found` for it before, of which none was of use.
    """
    nothing = f'No page that was found is for "{query}".' if found else f'Nothing was found on "{query}".'
    question = query if ask and not found else f"{nothing} What should the crew know, or how is it done?"
    digest = digest_of(question)
    return QuestionRequest(
        action_requests=(AskedAction(name="ask_user", args={"question": question}, description=question),),
        review_configs=(ReviewConfig(action_name="ask_user", allowed_decisions=("respond", "reject")),),
        key=f"supplement/{digest}",
        digest=digest,
        role="manager",
        query=query,
        reasons=tuple(why),
        default="reject",
    )


def knows_nothing(words: str) -> bool:
    """Whether an answer says that the person does not know either."""
    return fold(words).removeprefix("sorry").strip(" ,.!?-") in phrases("knows nothing")


def read_decision(request: Request, answer: Any) -> Decision:
    """The person's decision; one that cannot be used, or that was given to something else, is a rejection."""
    decision = decision_in(answer, request.digest, "something else")
    return decision if decision.type in request.allowed else decision.rejected(f"{decision.type} is not an answer here")


def review_expired(ctx: Context, request: PlanReviewRequest, why: str) -> JsonObject:
    """Nobody answered in time: what is written of a plan that is rejected then; empty where it is shown anew."""
    refusal = overdue_then(ctx, request, why, ctx.safety)
    return record_decision(ctx, request, refusal, plan_version=request.plan_version, worked=0) if refusal is not None else {}


def record_decision(ctx: Context, request: Request, decision: Decision, **more: Any) -> JsonObject:
    """Write down who said what about which plan or question, and make it last; gives what was written."""
    key, line = request.key, request.about.description
    said = write_decision(ctx, decision, key, request.digest, line, event=f"approval/{key}", **more)
    ctx.journal.commit()
    return said
