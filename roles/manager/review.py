"""What the Manager asks a person: whether a plan may be worked, and what no other source knows. In the form of every approval.

A decision is bound to the plan that was shown, by its digest. It is in the journal before anything comes of it, so that a
node that is worked again neither asks again nor loses the answer.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from roles.contracts import AppWords, Subtask
from roles.contracts.context import Context
from roles.contracts.requests import (
    WAYS,
    Answer,
    AskedAction,
    Decision,
    EndedSubtask,
    PlanReviewRequest,
    QuestionRequest,
    Reject,
    Request,
    ReviewConfig,
)
from roles.contracts.signals import SubtaskStatus
from roles.journal.events import ApprovalEvent, ApprovalExpiredEvent, ApprovalRequestedEvent
from roles.manager.plans import WORK_PLAN, GivenPlan, PlanError, as_given, edited, validate_plan
from roles.operator.safety.approval import NOBODY, now
from roles.safety.privacy.redaction import MASK

_ENDED = frozenset({SubtaskStatus.FULFILLED, SubtaskStatus.REJECTED})
_NOTHING = re.compile(
    r"[-?.\s]*|(?:sorry,? )?(?:i (?:do not|don't|dont|don’t) know|no idea|not sure|nothing|none|idk|no)[.!]*", re.IGNORECASE
)


def plan_request(
    plan: Sequence[Subtask],
    version: int,
    attempts: int,
    why: Sequence[str],
    apps: Sequence[AppWords],
    *,
    more: bool,
    asked: dict[str, Any],
) -> PlanReviewRequest:
    """The payload of the interrupt: what is still to be worked, and beside it what has ended."""
    args = as_given([s for s in plan if s.status not in _ENDED]).model_dump(mode="json", exclude_defaults=True)
    many = len(args["subtasks"])
    said = f"work plan {version}: {many} subtask{'s' if many != 1 else ''}"
    ended = [{"id": s.id, "title": s.title, "status": s.status.value} for s in plan if s.status in _ENDED]
    digest = hashlib.blake2b(json.dumps([args, ended]).encode("utf-8", "replace"), digest_size=12).hexdigest()
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
    stubs = [Subtask(id=name, title=title, instruction=title) for name, title in titles.items()]
    live = tuple(s for s in plan if s.id not in titles)
    validate_plan([*stubs, *live], [AppWords(app=app, title=app) for app in request.apps])
    if not live:
        raise PlanError("the plan has no subtask that is still to be done")
    return live


def question_request(query: str, why: Sequence[str], *, ask: bool = False, found: bool = False) -> QuestionRequest:
    """The payload of the interrupt when the person is asked what no other source knows.

    `ask`: the query is a question of its own, unless pages were `found` for it before, of which none was of use.
    """
    nothing = f'No page that was found is for "{query}".' if found else f'Nothing was found on "{query}".'
    question = query if ask and not found else f"{nothing} What should the crew know, or how is it done?"
    digest = hashlib.blake2b(question.encode("utf-8", "replace"), digest_size=12).hexdigest()
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
    return bool(_NOTHING.fullmatch(words.strip()))


def read_decision(request: Request, answer: Any) -> Decision:
    """The person's decision; one that cannot be used, or that was given to something else, is a rejection."""
    try:
        decision = Answer.model_validate(answer).decisions[0]
    except ValidationError as bad:
        return Reject(message=f"the answer was not usable: {bad.errors()[0]['msg']}")
    if decision.digest is not None and decision.digest != request.digest:
        return decision.rejected("the answer was given to something else")
    if decision.type not in request.allowed:
        return decision.rejected(f"{decision.type} is no answer here")
    return decision


def review_expired(ctx: Context, request: PlanReviewRequest, why: str) -> dict[str, Any]:
    """Nobody answered in time: the plan is rejected, or shown anew; what was said too late counts for nothing. Empty where it is
    shown anew."""
    nth, then = request.times + 1, ctx.safety.expired
    late = ApprovalExpiredEvent(key=request.key, digest=request.digest, line=request.about.description, why=why, then=then)
    ctx.journal.record(late, role="manager", key=f"expired/{request.key}/{nth}")
    if then == "deny":
        refusal = Reject(message=f"nobody answered in time: {why}", who=NOBODY)
        return record_decision(ctx, request, refusal, plan_version=request.plan_version, worked=0)
    again = request.model_copy(update={"asked": now(ctx), "times": nth})
    ctx.journal.record(ApprovalRequestedEvent(**again.dump()), role="manager", key=f"ask/{request.key}/{nth}")
    ctx.journal.commit()
    return {}


def record_decision(ctx: Context, request: Request, decision: Decision, **more: Any) -> dict[str, Any]:
    """Write down who said what about which plan or question, and make it last; gives what was written."""
    key, line = request.key, request.about.description
    said = ApprovalEvent(
        decision=decision.type,
        message=decision.message,
        who=decision.who,
        way=decision.way,
        digest=request.digest,
        line=line,
        key=key,
        **more,
    )
    ctx.journal.record(said, role="user", key=f"approval/{key}")
    ctx.journal.approve(key, request.digest, decision.type, ctx.journal.masked(decision.message), decision.who)
    ctx.journal.commit()
    return said.body()
