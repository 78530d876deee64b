"""The Technician as a graph. Uses the system terminal (seed 002); until it can, it says so, and the Manager plans with that."""

from __future__ import annotations

from typing import Any, TypedDict

from roles.context import Context
from roles.nodes import Graph, single
from roles.refusing import refusing

REASON = "terminal work needs a sandbox, and this crew has none; let the operator do it through an application"
work = refusing("technician", REASON)


class TechnicianState(TypedDict, total=False):
    delegation: dict[str, Any]
    report: dict[str, Any] | None


def build_technician(context: Context | None = None, *, checkpointer: Any = None) -> Graph:
    """One node: `work`."""
    return single("technician", "work", TechnicianState, work, context, checkpointer)
