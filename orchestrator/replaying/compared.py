"""What of each event of a journal is compared between a run and its replay."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    pass


COMPARED: dict[str, tuple[str, ...]] = {
    "plan": ("subtasks",),
    "observed": ("app", "state_id"),
    "decided": ("status", "line", "then"),
    "reviewed": ("verdict", "policy", "effect", "action"),
    "approval_requested": ("kind", "rule", "effect"),
    "approval": ("decision", "line"),
    "outcome": ("line", "exec_status", "error", "resolved"),
    "feedback": ("state_id", "visible_change", "events"),
    "batch_stopped": ("why",),
    "fact": ("name", "value", "kind", "app"),
    "supplement": ("query", "found"),
    "answer": ("results", "missing"),
    "gate": ("trigger", "decision", "reason"),
    "conflict": ("about", "subtasks"),
    "subtask_status": ("status",),
    "situation": ("row",),
    "budget": ("name",),
    "run_finished": ("status", "exit_code"),
}
"""What is compared of which events."""
