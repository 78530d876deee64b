"""How a role's function becomes a LangGraph node, and the signs of a stall."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeAlias

from langgraph.config import get_config
from langgraph.errors import GraphBubbleUp
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from langgraph.types import Command

from protocol import ExecStatus
from roles.contracts import StepRecord
from roles.contracts.context import Context, State, Update

_INNER = frozenset({"memorize", "answer", "ask_user"})
"""They change the blackboard, not the screen."""
_CALLS = frozenset({"call_api", "ask_in_app_agent", "run_script"})
"""They need show nothing, and are a stall only where they are repeated."""


def stalled(steps: Sequence[StepRecord], repeats: int = 3) -> str:
    """Why the last steps look like a stall, or an empty string.

    Three signs: `repeats` identical actions in a row; A-B-A-B; `repeats` actions (waits aside) without visible change.
    Attempts to recover do not count, and an action that failed is the retry budget's matter.
    Distinct actions that change something never are one.
    """
    worked = [s for s in steps if s.exec_status is ExecStatus.EXECUTED and not s.recovery]
    acts = [s for s in worked if s.verb not in {"wait", "screenshot"}]
    names = [_signature(s) for s in acts]
    if len(names) >= repeats and len(set(names[-repeats:])) == 1:
        return f"the same action {repeats} times in a row: {acts[-1].verb} {acts[-1].target}".strip()
    if len(names) >= 4 and names[-4:-2] == names[-2:] and names[-1] != names[-2]:
        return f"two actions in turn: {acts[-2].verb} {acts[-2].target}, {acts[-1].verb} {acts[-1].target}"
    outer = [s for s in acts if s.verb not in _INNER and s.action.get("action_type") not in _CALLS]
    if len(outer) >= repeats and not any(s.visible_change for s in outer[-repeats:]):
        return f"{repeats} actions without a visible change"
    return ""


def _signature(step: StepRecord) -> tuple[str, str, str]:
    """What makes two actions the same for a person: the verb, the thing and the value; not a frame's element number."""
    rest = {k: v for k, v in step.action.items() if k not in {"target", "delay"}}
    return step.verb, step.target, repr(sorted(rest.items()))


class RunBlocked(GraphBubbleUp):
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
