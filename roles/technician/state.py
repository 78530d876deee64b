"""The Technician's state: JSON, and small; scripts, outputs and files are the journal's."""

from __future__ import annotations

from typing import Any

from typing_extensions import TypedDict


class TechnicianState(TypedDict, total=False):
    """The names that it shares with the Operator mean the same, because both ask a person by the same stages."""

    delegation: dict[str, Any]
    constraints: dict[str, Any]
    human_approval: dict[str, Any] | None
    pending_action: dict[str, Any] | None
    action_trace: list[dict[str, Any]]
    needs_approval: bool
    interaction_status: str
    route: str
    """Where the last node wants to go."""
    report: dict[str, Any] | None
    carry: dict[str, Any]
