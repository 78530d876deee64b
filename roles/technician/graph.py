"""The Technician as a graph. Uses the system terminal (seed 002); until it can, it says so, and the Manager plans with that."""

from __future__ import annotations

from typing import Any, TypedDict

from langgraph.graph import END, START, StateGraph

from roles.context import Context, State, Update
from roles.contracts import Report
from roles.nodes import Graph, node
from roles.signals import Signal

REASON = "terminal work needs a sandbox, and this crew has none; let the operator do it through an application"


class TechnicianState(TypedDict, total=False):
    delegation: dict[str, Any]
    report: dict[str, Any] | None


def build_technician(context: Context | None = None, *, checkpointer: Any = None) -> Graph:
    """One node: `work`."""
    graph: StateGraph[Any, Any, Any, Any] = StateGraph(TechnicianState, context_schema=Context)
    graph.add_node("work", node(work, context))
    graph.add_edge(START, "work")
    graph.add_edge("work", END)
    return graph.compile(checkpointer=checkpointer, name="technician")


def work(state: State, ctx: Context) -> Update:
    """Report `cannot_execute` with the reason."""
    subtask = state["delegation"]["subtask"]["id"]
    ctx.journal.record("error", {"message": REASON}, role="technician", subtask=subtask)
    report = Report(signal=Signal.CANNOT_EXECUTE, summary=f"the technician cannot execute this: {REASON}", evidence=[REASON])
    return {"report": report.model_dump(mode="json")}
