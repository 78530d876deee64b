"""The Analyst as a graph. Analyses what the crew remembers (seed 002); until it can, it says so, and the Manager plans on."""

from __future__ import annotations

from typing import Any, TypedDict

from langgraph.graph import END, START, StateGraph

from roles.context import Context, State, Update
from roles.contracts import Report
from roles.nodes import Graph, node
from roles.signals import Signal

REASON = "analysis is not available in this crew; let the operator read and enter the values directly"


class AnalystState(TypedDict, total=False):
    delegation: dict[str, Any]
    report: dict[str, Any] | None


def build_analyst(context: Context | None = None, *, checkpointer: Any = None) -> Graph:
    """One node: `work`."""
    graph: StateGraph[Any, Any, Any, Any] = StateGraph(AnalystState, context_schema=Context)
    graph.add_node("work", node(work, context))
    graph.add_edge(START, "work")
    graph.add_edge("work", END)
    return graph.compile(checkpointer=checkpointer, name="analyst")


def work(state: State, ctx: Context) -> Update:
    """Report `cannot_execute` with the reason."""
    subtask = state["delegation"]["subtask"]["id"]
    ctx.journal.record("error", {"message": REASON}, role="analyst", subtask=subtask)
    report = Report(signal=Signal.CANNOT_EXECUTE, summary=f"the analyst cannot execute this: {REASON}", evidence=[REASON])
    return {"report": report.model_dump(mode="json")}
