"""The Technician as a graph: writes a script, has it reviewed, runs it in a sandbox on the user's files. Source: seed 002.

Its nodes go by the Operator's names where they do the same. A script that did not work has changed nothing; one that did
changes the world by one keyed action, so that it counts once however often the run is killed.
"""

from __future__ import annotations

from typing import Any

from langgraph.graph import END, START, StateGraph
from typing_extensions import TypedDict

from roles.nodes import Given, Graph, Stage, node
from roles.operator.approval import ask_by_interrupt, ask_by_report
from roles.operator.holding import asking, before_the_effect, between_actions, deciding, unless_dropped
from roles.operator.state import FINALIZE
from roles.technician.execute import execute_action, observe_feedback
from roles.technician.write import finalize_interaction_report, review_action_safety, write_script


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


STAGES: dict[str, Stage] = {
    "write_script": between_actions(deciding(write_script)),
    "review_action_safety": review_action_safety,
    "request_human_approval": asking(ask_by_interrupt),
    "execute_action": before_the_effect(execute_action),
    "observe_feedback": unless_dropped(observe_feedback, "write_script"),
    FINALIZE: finalize_interaction_report,
}
CHOICES: dict[str, tuple[str, ...]] = {
    "write_script": ("review_action_safety", FINALIZE),
    "review_action_safety": ("execute_action", "request_human_approval", FINALIZE),
    "request_human_approval": ("execute_action", FINALIZE, "request_human_approval"),
    "execute_action": ("observe_feedback", "request_human_approval", FINALIZE),
    "observe_feedback": ("write_script", FINALIZE),
}


def build_technician(context: Given = None, *, checkpointer: Any = None, interrupts: bool | None = None) -> Graph:
    """Compile the Technician. With `interrupts` (the default as soon as there is a checkpointer) an approval pauses the graph."""
    pausing = checkpointer is not None if interrupts is None else interrupts
    graph: StateGraph[Any, Any, Any, Any] = StateGraph(TechnicianState)
    stages = STAGES if pausing else STAGES | {"request_human_approval": ask_by_report}
    for name, stage in stages.items():
        graph.add_node(name, node(stage, context, routes=name in CHOICES), destinations=CHOICES.get(name))
    graph.add_edge(START, "write_script")
    graph.add_edge(FINALIZE, END)
    return graph.compile(checkpointer=checkpointer, name="technician")
