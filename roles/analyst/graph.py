"""The Analyst as a graph. Analyses what the crew remembers (seed 002); until it can, it says so, and the Manager plans on."""

from __future__ import annotations

from typing import Any, TypedDict

from roles.context import Context
from roles.nodes import Graph, single
from roles.refusing import refusing

REASON = "analysis is not available in this crew; let the operator read and enter the values directly"
work = refusing("analyst", REASON)


class AnalystState(TypedDict, total=False):
    delegation: dict[str, Any]
    report: dict[str, Any] | None


def build_analyst(context: Context | None = None, *, checkpointer: Any = None) -> Graph:
    """One node: `work`."""
    return single("analyst", "work", AnalystState, work, context, checkpointer)
