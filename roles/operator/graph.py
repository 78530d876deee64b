"""The Operator as a graph: twelve nodes with the names and edges of seed 000.

It works alone (`build_operator(...).invoke({...})` returns an `interaction_report`) and as a spoke of the controller,
where a delegation comes in and a report for the hub goes out.
"""

from __future__ import annotations

from typing import Any

from langgraph.graph import END, START, StateGraph

from roles.context import Context, State, Update
from roles.contracts.operating import Granularity
from roles.nodes import Given, Graph, Stage, node
from roles.operator.approval import ask_by_interrupt, ask_by_report
from roles.operator.decide import plan_next_action
from roles.operator.execute import execute_action
from roles.operator.feedback import observe_feedback
from roles.operator.guarding import guarded
from roles.operator.holding import asking, before_the_effect, between_actions, deciding, marking, unless_dropped
from roles.operator.lane import handing_over, minding_others, resumed, yielding
from roles.operator.next_step import decide_next_step
from roles.operator.perceive import interpret_context, observe_environment, prepare_interaction_task, recognize_elements
from roles.operator.recovery import recover_from_failure
from roles.operator.report import finalize_interaction_report
from roles.operator.reviewing import review_action_safety
from roles.operator.state import FINALIZE, OperatorInput, OperatorOutput, OperatorState

NODES_PER_STEP = 10
"""Super-steps of one action with a recovery, for recursion limits."""

DURABLE_BEFORE = frozenset({"execute_action", "request_human_approval"})
"""A checkpoint in front of these must survive a kill; the other stages can be worked again at no harm."""


STAGES: dict[str, Stage] = {
    "prepare_interaction_task": resumed(guarded(prepare_interaction_task)),
    "observe_environment": between_actions(observe_environment),
    "recognize_elements": recognize_elements,
    "interpret_context": interpret_context,
    "plan_next_action": deciding(minding_others(plan_next_action)),
    "review_action_safety": review_action_safety,
    "request_human_approval": asking(ask_by_interrupt),
    "execute_action": before_the_effect(execute_action),
    "observe_feedback": unless_dropped(observe_feedback, "decide_next_step"),
    "decide_next_step": unless_dropped(marking(yielding(decide_next_step)), "observe_environment"),
    "recover_from_failure": recover_from_failure,
    FINALIZE: handing_over(finalize_interaction_report),
}
EDGES: tuple[tuple[str, str], ...] = (
    ("observe_environment", "recognize_elements"),
    ("recognize_elements", "interpret_context"),
    ("interpret_context", "plan_next_action"),
    ("plan_next_action", "review_action_safety"),
    ("execute_action", "observe_feedback"),
    ("observe_feedback", "decide_next_step"),
    ("recover_from_failure", "observe_environment"),
)
CHOICES: dict[str, tuple[str, ...]] = {
    "prepare_interaction_task": ("observe_environment", "review_action_safety", FINALIZE),
    "review_action_safety": ("execute_action", "request_human_approval", FINALIZE),
    "request_human_approval": ("execute_action", FINALIZE, "request_human_approval"),
    "decide_next_step": ("observe_environment", "recover_from_failure", "request_human_approval", FINALIZE),
}

COARSE: dict[str, tuple[str, ...]] = {
    "observe_environment": (
        "observe_environment",
        "recognize_elements",
        "interpret_context",
        "plan_next_action",
        "review_action_safety",
    ),
    "execute_action": ("execute_action", "observe_feedback", "decide_next_step", "recover_from_failure"),
}
"""Stages that share a super-step when speed counts: everything up to the effect, and everything after it."""

def build_operator(
    context: Given = None,
    *,
    checkpointer: Any = None,
    interrupts: bool | None = None,
    granularity: Granularity = "fine",
) -> Graph:
    """Compile the Operator.

    `fine` is the seed's graph, a node per stage. `coarse` runs the same stages by the same edges in two super-steps an
    action, before and after the cursor that a resume needs: a super-step costs more than most stages.

    `context` is used when the caller injects none. With `interrupts` (the default as soon as there is a checkpointer) an
    approval pauses the graph; without, a missing approval ends it with `interaction_status: needs_approval`.
    """
    if isinstance(context, Context) and context.operator is None:
        raise ValueError("the context of an Operator needs an operator policy")
    pausing = checkpointer is not None if interrupts is None else interrupts
    graph: StateGraph[Any, Any, Any, Any] = StateGraph(OperatorState, input_schema=OperatorInput, output_schema=OperatorOutput)
    stages = STAGES if pausing else STAGES | {"request_human_approval": ask_by_report}
    edges, choices = EDGES, CHOICES
    if granularity == "coarse":
        stages, edges, choices = _fused(stages)
    for name, stage in stages.items():
        # A Command routes without the copy of all channels that a conditional edge reads.
        graph.add_node(name, node(stage, context, routes=name in choices), destinations=choices.get(name))
    graph.add_edge(START, "prepare_interaction_task")
    for start, end in edges:
        graph.add_edge(start, end)
    graph.add_edge(FINALIZE, END)
    return graph.compile(checkpointer=checkpointer, name="operator")


def _fused(stages: dict[str, Stage]) -> tuple[dict[str, Stage], tuple[tuple[str, str], ...], dict[str, tuple[str, ...]]]:
    """The same machine with each chain of COARSE as one node."""
    inside = {name for chain in COARSE.values() for name in chain[1:]} - {"review_action_safety"}
    kept = {name: stage for name, stage in stages.items() if name not in inside}
    for name, chain in COARSE.items():
        kept[name] = _chain({link: stages[link] for link in chain})
    choices = {name: ends for name, ends in CHOICES.items() if name in kept}
    choices["observe_environment"] = CHOICES["review_action_safety"]
    choices["execute_action"] = tuple(end for end in CHOICES["decide_next_step"] if end not in inside)
    return kept, (), choices


def _chain(stages: dict[str, Stage]) -> Stage:
    """Several stages as one; recovery runs only when it was decided, and leads back to the screen."""

    def run(state: State, ctx: Context) -> Update:
        total: Update = {}
        for name, stage in stages.items():
            if name == "recover_from_failure":
                if total.get("route") != name:
                    continue
                total["route"] = "observe_environment"
            total |= stage({**state, **total}, ctx)
        return total

    return run
