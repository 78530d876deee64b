"""What a decision maker answers: reasoning first, then one action and a status. Sources: seeds 001 and 003."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from pydantic import Field, model_validator

from protocol.actions import AgentAction
from protocol.geometry import Frozen


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
    """Ask the user a question; the answer becomes a fact."""


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

    @model_validator(mode="before")
    @classmethod
    def _unknown_status_is_an_error(cls, data: Any) -> Any:
        if not isinstance(data, dict):
            return data
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
        acting = {AgentStatus.CONTINUE, AgentStatus.CONFIRM, AgentStatus.PENDING}
        if self.status in acting and self.action is None:
            raise ValueError(f"status {self.status} needs an action")
        return self


class LLMResponse(Frozen):
    """Seed 003's answer of a model: reasoning first and required, one action, and whether the goal is reached."""

    reasoning: str
    action: AgentAction
    is_goal_complete: bool = False

    def decision(self) -> OperatorDecision:
        """The same as an OperatorDecision; a goal that is said to be reached is FINISH."""
        status = AgentStatus.FINISH if self.is_goal_complete else AgentStatus.CONTINUE
        return OperatorDecision(
            reasoning=self.reasoning, action=self.action, status=status, is_goal_complete=self.is_goal_complete
        )
