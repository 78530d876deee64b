"""What a person answers, held against what was asked, before anything is touched."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from orchestrator.errors import UsageProblem
from roles.manager.plans import WORK_PLAN, PlanError
from roles.manager.review import edited_plan
from roles.operator.decide import Answer, Decision
from roles.safety.constraints import problem_in

__all__ = ["asking_of", "check_answer"]


def asking_of(request: Mapping[str, Any]) -> str:
    """The name of one asking: of what, to do exactly what, and for the how manieth time, since an old request may be renewed."""
    said = json.dumps([request.get("key", ""), request.get("digest", ""), request.get("times", 1)])
    return hashlib.blake2b(said.encode("utf-8", "replace"), digest_size=12).hexdigest()


def check_answer(answer: Mapping[str, Any], request: Mapping[str, Any] | None = None) -> None:
    """Refuse an unusable answer: by its form, and once the request is known by what it answers. Raises UsageProblem."""
    try:
        decision = Answer.model_validate(answer).decisions[0]
        if decision.type == "edit":
            _check_edit(decision, request)
        if decision.constraints is not None and (request or {}).get("kind") in {"plan", "decision"}:
            raise UsageProblem("Constraints go with the answer to an action; this asks for none.")
    except ValidationError as bad:
        raise UsageProblem(f"The answer is not usable: {problem_in(bad, 'answer').removeprefix('answer.')}") from None
    except PlanError as bad:
        raise UsageProblem(f"The edited plan is not usable: {bad}.") from None


def _check_edit(decision: Decision, request: Mapping[str, Any] | None) -> None:
    edited = decision.edited_action
    if edited is None:
        raise UsageProblem("An edit needs the edited action: action_type and its arguments.")
    is_plan = edited.name == WORK_PLAN
    if not is_plan:
        edited.action()
    if request is None:
        return
    if is_plan != (request["kind"] == "plan"):
        given, wanted = ("a plan", "an action") if is_plan else ("an action", "a plan (with the key subtasks)")
        raise UsageProblem(f"The edit is {given}, and the run waits for {wanted}.")
    if request.get("request"):
        raise UsageProblem("A request of a page goes as it is or not at all: approve or reject it, or say something.")
    if is_plan:
        edited_plan(edited.args, request)
