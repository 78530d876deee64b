"""What a person answers, held against what was asked, before anything is touched."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, assert_never

from pydantic import ValidationError

from orchestrator.errors import UsageProblem
from roles.contracts.requests import (
    Answer,
    ApprovalRequest,
    DecisionRequest,
    Edit,
    PlanReviewRequest,
    QuestionRequest,
    Request,
)
from roles.manager.plans import WORK_PLAN, PlanError
from roles.manager.review import edited_plan
from roles.safety.constraints import problem_in


def check_answer(answer: Mapping[str, Any], request: Request | None = None) -> None:
    """Refuse an unusable answer: by its form, and once the request is known by what it answers. Raises UsageProblem."""
    try:
        decision = Answer.model_validate(answer).decisions[0]
        if isinstance(decision, Edit):
            _check_edit(decision, request)
        if decision.constraints is not None and request is not None and not _takes_constraints(request):
            raise UsageProblem("Constraints go with the answer to an action; this asks for none.")
    except ValidationError as bad:
        raise UsageProblem(f"The answer is not usable: {problem_in(bad, 'answer').removeprefix('answer.')}") from None
    except PlanError as bad:
        raise UsageProblem(f"The edited plan is not usable: {bad}.") from None


def _takes_constraints(request: Request) -> bool:
    match request:
        case ApprovalRequest() | QuestionRequest():
            return True
        case PlanReviewRequest() | DecisionRequest():
            return False
        case _:
            assert_never(request)


def _check_edit(decision: Edit, request: Request | None) -> None:
    edited = decision.edited_action
    if edited is None:
        raise UsageProblem("An edit needs the edited action: action_type and its arguments.")
    is_plan = edited.name == WORK_PLAN
    if not is_plan:
        edited.action()
    if request is None:
        return
    if is_plan != isinstance(request, PlanReviewRequest):
        given, wanted = ("a plan", "an action") if is_plan else ("an action", "a plan (with the key subtasks)")
        raise UsageProblem(f"The edit is {given}, and the run waits for {wanted}.")
    if isinstance(request, ApprovalRequest) and request.request is not None:
        raise UsageProblem("A request of a page goes as it is or not at all: approve or reject it, or say something.")
    if isinstance(request, PlanReviewRequest):
        edited_plan(edited.args, request)
