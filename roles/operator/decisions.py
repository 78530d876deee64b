"""What a person answers to a request, as data: approve, edit, reject or respond."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from protocol import AgentAction, parse_action
from roles.safety import Constraints


class EditedAction(BaseModel):
    model_config = ConfigDict(extra="forbid")

    name: str
    args: dict[str, Any] = Field(default_factory=dict)

    def action(self) -> AgentAction:
        """Raises ValidationError when it is no action of the protocol."""
        return parse_action({"action_type": self.name, **self.args})


class Decision(BaseModel):
    """One answer: approve, edit, reject or respond."""

    model_config = ConfigDict(extra="forbid")

    type: Literal["approve", "edit", "reject", "respond"]
    message: str = ""
    edited_action: EditedAction | None = None
    constraints: Constraints | None = None
    """What holds for the run from here on, beside what held before."""
    digest: str | None = None
    """Of the action that the person saw; another one is refused."""
    who: str = "user"
    way: Literal["", "terminal", "desk", "command"] = ""
    """By which they answered; empty where a program did."""

    def instead(self, kind: Literal["approve", "reject", "respond"], message: str) -> Decision:
        """What this comes to, by the same person."""
        return Decision(type=kind, message=message, who=self.who, way=self.way)


class Answer(BaseModel):
    """`{"decisions": [...]}` with exactly one decision: one action is asked for at a time."""

    model_config = ConfigDict(extra="forbid")

    decisions: list[Decision] = Field(min_length=1, max_length=1)
