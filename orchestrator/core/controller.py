"""The controller: one hub and its spokes, compiled from the table of `machine.py`. Source: seed 002.

A role ends with a report; the hub alone applies the table, the budgets and the gate triggers, records the change and
says who works next. The state holds ids, counters and cursors; the plan's text, the facts and the trace are the journal's.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from langgraph.graph import END, START, StateGraph
from typing_extensions import TypedDict

from orchestrator.core.hub import controller
from orchestrator.core.hub_line import HubLine
from orchestrator.core.machine import Situation
from orchestrator.core.threads import Threads
from roles.analyst.graph import build_analyst
from roles.contracts.context import Context, NoLine
from roles.contracts.nodes import Given, Graph, node
from roles.contracts.policies import Granularity
from roles.evaluator.graph import build_evaluator
from roles.manager.graph import build_manager
from roles.operator.graph import build_operator
from roles.technician.graph import build_technician

SPOKES = ("manager", "operator", "technician", "analyst", "evaluator")


class RunInput(TypedDict, total=False):
    """A goal in words, and a stored plan to start from, if there is one."""

    goal: str
    constraints: dict[str, Any]
    """What narrows the safety policy, beside what the settings say; what people add with their answers comes to it."""
    plan_version: int
    reopen: bool
    """Go on with a run that a spent budget has ended."""


class RunOutput(TypedDict, total=False):
    """How the task ended and why."""

    goal: str
    task_status: str
    situation: str
    reason: str
    ended_by: str
    """The signal that ended it."""
    steps: int
    plans: int
    gates: int


class RunState(RunInput, total=False):
    """JSON only, and as large at step 3,000 as at step 10."""

    task_status: str
    situation: str
    reason: str
    ended_by: str
    safety_policy: dict[str, Any]
    """What every review keeps to, before what is added in the run: the crew's own, shown and not read from here."""
    human_approval: dict[str, Any] | None
    """The last answer to what an action asked."""
    worked_goal: str
    """The goal that the rest of the state is about; another one starts anew."""
    earlier_goals: list[str]
    """What steps that are kept were worked for before."""
    spoke: str
    """Who works next."""
    report: dict[str, Any] | None
    """What the spoke before ended with."""
    carry: dict[str, Any]
    statuses: dict[str, Any]
    """subtask id -> [status, attempt]."""
    current: str | None
    assignment: dict[str, Any]
    """For manager and evaluator."""
    delegation: dict[str, Any]
    """For a worker."""
    held: dict[str, Any] | None
    steps: int
    plans: int
    replans: int
    """Plans wanted because something did not work."""
    gates: int
    turn: int
    gates_by: dict[str, int]
    """Gates so far, by trigger."""
    since_gate: int
    lanes: dict[str, Any]
    """Subtasks that are worked side by side, if any are."""
    steps_by: dict[str, int]
    """Actions so far, by worker."""
    left_at: dict[str, Any]
    """Where a spent budget ended the run, and what was at hand there."""
    more: bool
    """The Manager has planned a part, and is asked again when it is fulfilled."""
    evidence: list[str]
    user_words: list[str]
    refused: list[str]


def build_controller(
    context: Given = None,
    *,
    roles: Mapping[str, Graph] | None = None,
    checkpointer: Any = None,
    granularity: Granularity = "coarse",
) -> Graph:
    """Compile hub and spokes. `roles` replaces any spoke by a finished graph with the same input and report.

    `granularity` is the Operator's: "fine" makes every stage a node of its own, to watch or to draw.
    Approvals pause the graph, so it needs a checkpointer, its own or that of the graph it is a node of.
    """
    if isinstance(context, Context) and isinstance(context.line, NoLine):
        context = context.with_(line=HubLine(context.journal, context.limits, context.environment))
    spokes: dict[str, Graph] = {
        "manager": build_manager(context),
        "operator": build_operator(context, interrupts=True, granularity=granularity),
        "technician": build_technician(context, interrupts=True),
        "analyst": build_analyst(context),
        "evaluator": build_evaluator(context),
    }
    if unknown := set(roles or ()) - set(SPOKES):
        raise ValueError(f"unknown role {sorted(unknown)[0]!r}; the roles are {', '.join(SPOKES)}")
    spokes |= roles or {}
    graph: StateGraph[Any, Any, Any, Any] = StateGraph(RunState, input_schema=RunInput, output_schema=RunOutput)
    guarded = context.guarding(controller) if isinstance(context, Threads) else None
    graph.add_node("controller", node(controller, context, guarded=guarded))
    for name, spoke in spokes.items():
        graph.add_node(name, spoke)
        graph.add_edge(name, "controller")
    graph.add_edge(START, "controller")
    graph.add_conditional_edges("controller", _next, [*spokes, END])
    return graph.compile(checkpointer=checkpointer, name="controller")


def _next(state: RunState) -> str:
    return END if state["situation"] == Situation.DONE else state["spoke"]
