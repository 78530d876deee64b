"""How a role's function becomes a LangGraph node: the state comes in, the injected Context beside it."""

from __future__ import annotations

from typing import Any, Protocol

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from langgraph.types import Command

from roles.context import Context, State, Update

Graph = CompiledStateGraph[Any, Any, Any, Any]


class Stage(Protocol):
    """What a role does at one node; plain and testable without a graph."""

    def __call__(self, state: State, ctx: Context) -> Update: ...


class Node(Protocol):
    def __call__(self, state: Any, runtime: Runtime[Context]) -> Update | Command[str]: ...


def single(name: str, at: str, schema: type[Any], stage: Stage, context: Context | None, checkpointer: Any) -> Graph:
    """A role that does its work in one node, called `at`."""
    graph: StateGraph[Any, Any, Any, Any] = StateGraph(schema, context_schema=Context)
    graph.add_node(at, node(stage, context))
    graph.add_edge(START, at)
    graph.add_edge(at, END)
    return graph.compile(checkpointer=checkpointer, name=name)


def node(stage: Stage, default: Context | None, *, routes: bool = False) -> Node:
    """Bind a stage to the context of the call, or to `default` when the caller injects none.

    With `routes` the stage's own `route` says which node comes next.
    """

    def run(state: Any, runtime: Runtime[Context]) -> Update | Command[str]:
        context = runtime.context if isinstance(runtime.context, Context) else default
        if context is None:
            raise ValueError("a role needs a Context: give it to the builder or as context= of the call")
        update = stage(state, context)
        return Command(update=update, goto=update["route"]) if routes else update

    return run
