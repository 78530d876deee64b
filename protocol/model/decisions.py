"""What a decision maker answers: reasoning first, then one action and a status. Sources: seeds 001 and 003."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from pydantic import Field, model_validator

from protocol.model.actions import AgentAction
from protocol.model.geometry import Frozen


class AgentStatus(StrEnum):
    """State of the Operator after a decision (seed 001, and PENDING of its successor)."""

    CONTINUE = "CONTINUE"
    FINISH = "FINISH"
    FAIL = "FAIL"
    ERROR = "ERROR"
    CONFIRM = "CONFIRM"
    """Ask a person before this action, whatever the policy says."""
    SCREENSHOT = "SCREENSHOT"
    PENDING = "PENDING"
    """Ask the user a question, that of `ask_user` or the comment; the answer becomes a fact."""


class NextAction(Frozen):
    """An action that follows in the same decision, as long as nothing surprises."""

    action: AgentAction
    expected: str = ""
    """Words that must be seen once it has worked; without them only its own effect is looked for."""


class OperatorDecision(Frozen):
    """One turn of an Operator's policy. An unknown or missing status is ERROR with a reason, never FINISH."""

    observation: str = ""
    reasoning: str = ""
    action: AgentAction | None = None
    status: AgentStatus = AgentStatus.ERROR
    plan: tuple[str, ...] = ()
    comment: str = ""
    save_screenshot: bool = False
    is_goal_complete: bool = False
    expected: str = ""
    """What should be seen once the action has worked."""
    confidence: float = Field(default=1.0, ge=0.0, le=1.0)
    supplement: str | None = None
    """With FAIL: what material would help, in words to search for."""
    memory: dict[str, Any] = Field(default_factory=dict)
    """The policy's own notes, given back to it at the next turn; small and JSON."""
    then: tuple[NextAction, ...] = Field(default=(), max_length=20)
    """With CONTINUE: actions to do after this one without asking again. The first surprise ends them."""

    @model_validator(mode="before")
    @classmethod
    def _unknown_status_is_an_error(cls, data: Any) -> Any:
        if not isinstance(data, dict):
            return data
        data = _tuples(data)
        status = data.get("status")
        if status is None and data.get("is_goal_complete") is True:
            return {**data, "status": AgentStatus.FINISH}
        known = {s.value for s in AgentStatus}
        if str(status) not in known:
            reason = f"status {status!r} is not one of {', '.join(sorted(known))}"
            return {**data, "status": AgentStatus.ERROR, "comment": data.get("comment") or reason}
        return data

    @model_validator(mode="after")
    def _continue_needs_an_action(self) -> OperatorDecision:
        if self.status in {AgentStatus.CONTINUE, AgentStatus.CONFIRM} and self.action is None:
            raise ValueError(f"status {self.status} needs an action")
        return self

    def in_order(self) -> OperatorDecision:
        """As it is carried out: an action that comes with FINISH or `is_goal_complete` is done first, and whether that was the
        end is asked again after it. Only `finish_goal` is the end itself."""
        if self.status is not AgentStatus.FINISH or self.action is None or self.action.verb == "finish_goal":
            return self
        return self.model_copy(update={"status": AgentStatus.CONTINUE, "is_goal_complete": False})

    @model_validator(mode="after")
    def _a_batch_goes_on(self) -> OperatorDecision:
        if self.then and self.status is not AgentStatus.CONTINUE:
            raise ValueError(f"only CONTINUE can have actions that follow, not {self.status}")
        if any(step.action.verb in {"finish_goal", "fail_goal"} for step in self.then):
            raise ValueError("the end of a subtask is a decision of its own; it cannot follow in a batch")
        return self


_LISTS = frozenset({"plan", "then", "options", "marks", "files", "path"})


def _tuples(data: dict[str, Any]) -> dict[str, Any]:
    """The same with tuples where the fields are tuples: read strictly, as files are, a list is none any more in here."""
    found = dict(data)
    for key, value in data.items():
        if isinstance(value, dict) and key in {"action", "target"}:
            found[key] = _tuples(value)
        elif isinstance(value, list) and key in _LISTS:
            found[key] = tuple(_tuples(item) if isinstance(item, dict) else item for item in value)
    return found


class LLMResponse(Frozen):
    """Seed 003's answer of a model: reasoning first and required, one action, and whether the goal is reached."""

    reasoning: str
    action: AgentAction
    is_goal_complete: bool = False

    def decision(self) -> OperatorDecision:
        """The same as an OperatorDecision; a goal that is said to be reached is FINISH, once its action is done."""
        status = AgentStatus.FINISH if self.is_goal_complete else AgentStatus.CONTINUE
        complete = self.is_goal_complete
        return OperatorDecision(reasoning=self.reasoning, action=self.action, status=status, is_goal_complete=complete).in_order()
