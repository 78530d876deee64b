"""The Operator's state: seed 000's fields, and what one delegation by the hub adds.

What is big (screens, elements, interpretations) lives in untracked channels: it is there while the step runs and never
in a checkpoint. Lists hold short references and are bounded by the steps of one delegation; the trace is the journal's.
"""

from __future__ import annotations

from typing import Annotated, Any

from langgraph.channels import UntrackedValue
from typing_extensions import TypedDict

FINALIZE = "finalize_interaction_report"
"""The node that the Operator ends in, and the Technician."""


class OperatorInput(TypedDict, total=False):
    """A stand-alone call gives seed 000's inputs; the hub gives `delegation`."""

    input: str
    task_goal: str
    environment_type: str
    constraints: dict[str, Any]
    safety_policy: dict[str, Any]
    initial_observation: Annotated[dict[str, Any], UntrackedValue]
    max_steps: int
    max_recovery_attempts: int
    human_approval: dict[str, Any] | None
    delegation: dict[str, Any]


class OperatorState(OperatorInput, total=False):
    """Everything between two nodes. `current_observation`, `recognized_elements` and so on are JSON."""

    current_observation: Annotated[dict[str, Any] | None, UntrackedValue]
    feedback_observation: Annotated[dict[str, Any] | None, UntrackedValue]
    recognized_elements: Annotated[list[dict[str, Any]], UntrackedValue]
    element_interpretations: Annotated[list[dict[str, Any]], UntrackedValue]
    observations: list[dict[str, Any]]
    task_context: dict[str, Any]
    action_plan: list[dict[str, Any]]
    pending_action: dict[str, Any] | None
    action_result: dict[str, Any] | None
    action_trace: list[dict[str, Any]]
    environment_events: list[dict[str, Any]]
    safety_findings: list[dict[str, Any]]
    needs_approval: bool
    step_count: int
    recovery_attempts: int
    interaction_status: str
    errors: list[str]
    interaction_report: dict[str, Any] | None
    route: str
    """Where the last node wants to go: the only thing that edges look at."""
    report: dict[str, Any] | None
    carry: dict[str, Any]
    """What the next delegation of the same subtask attempt goes on with."""


class OperatorOutput(OperatorState, total=False):
    """All of it: a stand-alone caller may want to look; the hub takes `report` and `carry`."""
