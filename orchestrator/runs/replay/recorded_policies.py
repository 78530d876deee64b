"""What every policy answers is written into the journal, whole, so that a run can be worked again without asking anybody."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import to_jsonable_python

from orchestrator.settings.plugins import METHODS
from orchestrator.settings.policies import ROLES
from protocol import JsonObject
from protocol.model.decisions import OperatorDecision
from roles.analyst.graph import withheld
from roles.contracts import (
    AnalystRequest,
    Answer,
    GateRequest,
    GateVerdict,
    OperatorView,
    PlanAnswer,
    PlanRequest,
    ScriptAnswer,
    ScriptRequest,
)
from roles.contracts.context import Context
from roles.contracts.nodes import RunBlocked
from roles.journal.events import AnsweredEvent
from roles.operator.decide import referring
from roles.policies.fallback import GaveUp, PolicyFault, Unreachable


class NothingRecorded(Exception):
    """A role is asked for something that it was not asked for then."""


def delta(old: Any, new: Any) -> JsonObject | None:
    """How `new` comes from `old`; None where it is the same, order of keys included."""
    if isinstance(old, dict) and isinstance(new, dict):
        gone = [key for key in old if key not in new]
        kept = [key for key in old if key in new]
        if list(new)[: len(kept)] != kept:
            return {"now": new}
        within = {key: change for key in kept if (change := delta(old[key], new[key])) is not None}
        within |= {key: {"now": new[key]} for key in new if key not in old}
        found: JsonObject = {**({"in": within} if within else {}), **({"gone": gone} if gone else {})}
        return found or None
    if type(old) is type(new) and old == new and not isinstance(new, list):
        return None
    if isinstance(old, list) and isinstance(new, list) and all(delta(*both) is None for both in zip(old, new, strict=False)):
        more = new[len(old) :]
        return ({"more": more} if more else None) if len(old) <= len(new) else {"now": new}
    return {"now": new}


def applied(old: Any, change: JsonObject | None) -> Any:
    """What `old` became."""
    if change is None:
        return old
    if "now" in change:
        return change["now"]
    if "more" in change:
        return [*old, *change["more"]]
    left = {key: value for key, value in old.items() if key not in change.get("gone", ())}
    return left | {key: applied(left.get(key), part) for key, part in change.get("in", {}).items()}


Ask = Callable[[Any], Any]
Interposed = Callable[[str, Any, Ask], Any]
"""Role, request, and how its policy is asked; gives the answer."""


class _Between:
    """A policy that is asked through another function; everything else of it is its own."""

    def __init__(self, role: str, policy: Any, interposed: Interposed) -> None:
        self._role, self._policy, self._interposed = role, policy, interposed

    def __getattr__(self, name: str) -> Any:
        if name != METHODS[self._role]:
            return getattr(self._policy, name)
        return lambda request: self._interposed(self._role, request, lambda again: getattr(self._policy, name)(again))


def between(interposed: Interposed) -> Callable[[str, Any], Any]:
    """What a run takes as its part `around`."""
    return lambda role, policy: _Between(role, policy, interposed)


ANSWERS: dict[type, type[BaseModel]] = {
    PlanRequest: PlanAnswer,
    OperatorView: OperatorDecision,
    GateRequest: GateVerdict,
    AnalystRequest: Answer,
    ScriptRequest: ScriptAnswer,
}
"""What each request is answered by."""


def noting(context: Context) -> Context:
    """The context with policies whose answers are written down as they come; what they decide is not changed."""
    policies = _policies(context)

    def asked(role: str, request: Any, ask: Ask) -> Any:
        kind, subtask = ANSWERS[type(request)], "" if isinstance(request, PlanRequest | GateRequest) else request.subtask.id
        before = to_jsonable_python(request.memory) if isinstance(request, OperatorView) else None  # a policy may write into it
        try:
            answer = ask(request)
            if not isinstance(answer, kind):  # a class of another package may give anything
                raise PolicyFault(f"{type(policies[role]).__name__} gave {type(answer).__name__}, not {kind.__name__}")
        except Unreachable as silent:  # no answer is nothing to note: when the run is resumed, it is asked again
            raise RunBlocked(f"The {role} cannot decide: {silent}; see that the model can be reached") from None
        except (PolicyFault, ValidationError) as fault:
            words = fault.errors()[0]["msg"] if isinstance(fault, ValidationError) else str(fault)
            write(AnsweredEvent(fault=words, gave_up=isinstance(fault, GaveUp)), role, subtask)
            raise
        if isinstance(answer, Answer):
            answer = withheld(context.journal, answer, request)
        elif isinstance(answer, OperatorDecision):
            answer = referring(context.journal, answer, request.seen)
        said, more = answer.model_dump(mode="json", exclude_defaults=True), dict[str, Any]()
        if isinstance(request, OperatorView):
            changed = delta(before, said.pop("memory", {}))
            more = {"attempt": request.subtask.attempt} | ({"memory": changed} if changed else {})
        write(AnsweredEvent(answer=said, **more), role, subtask)
        return answer

    def write(event: AnsweredEvent, role: str, subtask: str) -> None:
        context.journal.transcripts.seal_again()
        context.journal.record(event, role=role, subtask=subtask)

    return interposed(context, asked)


def interposed(context: Context, asked: Interposed) -> Context:
    """The context with policies that are asked through this."""
    return context.with_(**{role: between(asked)(role, policy) for role, policy in _policies(context).items()})


def _policies(context: Context) -> dict[str, Any]:
    return {role: policy for role in ROLES if (policy := getattr(context, role)) is not None}
