"""How a role's function becomes a LangGraph node: the state comes in, the injected Context beside it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeAlias

from langgraph.config import get_config
from langgraph.errors import GraphBubbleUp
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from langgraph.types import Command

from roles.contracts.context import Context, State, Update


class Standstill(GraphBubbleUp):
    """Its text is one sentence: what does not answer, and what to do. Nothing in a graph catches it, so it ends the call."""


Graph = CompiledStateGraph[Any, Any, Any, Any]


class Stage(Protocol):
    """What a role does at one node; plain and testable without a graph."""

    def __call__(self, state: State, ctx: Context) -> Update: ...


class Node(Protocol):
    def __call__(self, state: Any, runtime: Runtime[Context]) -> Update | Command[str]: ...


Given: TypeAlias = Context | Callable[[str], Context] | None
"""One context for all calls, one by the name of the thread, or none, where each call brings its own."""


def thread_of_call() -> str:
    """The thread in which this node runs; empty where the call names none."""
    return str((get_config().get("configurable") or {}).get("thread_id") or "")


def single(name: str, at: str, schema: type[Any], stage: Stage, context: Given, checkpointer: Any) -> Graph:
    """A role that does its work in one node, called `at`."""
    graph: StateGraph[Any, Any, Any, Any] = StateGraph(schema)
    graph.add_node(at, node(stage, context))
    graph.add_edge(START, at)
    graph.add_edge(at, END)
    return graph.compile(checkpointer=checkpointer, name=name)


def node(stage: Stage, default: Given, *, routes: bool = False, guarded: Callable[[str], Stage] | None = None) -> Node:
    """Bind a stage to the context of the call, or to `default` when the caller injects none.

    With `routes` the stage's own `route` says which node comes next. `guarded` gives the stage of a thread in the stage's place.
    """

    def run(state: Any, runtime: Runtime[Context]) -> Update | Command[str]:
        work = stage
        if isinstance(runtime.context, Context):
            context = runtime.context
        elif isinstance(default, Context):
            context = default
        elif default is not None:
            thread = thread_of_call()
            context = default(thread)
            work = guarded(thread) if guarded is not None else stage
        else:
            raise ValueError("a role needs a Context: give it to the builder or as context= of the call")
        update = work(state, context)
        return Command(update=update, goto=update["route"]) if routes else update

    return run
