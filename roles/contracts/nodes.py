"""How the functions of a role become a LangGraph graph, the state that roles share, signs of a stall, calls that take too long.

An environment is not waited for without end: its calls are made by one thread, one after another. One that hangs is left behind
in it, and the thread ends with the process.
"""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, wait
from queue import SimpleQueue
from typing import Any, TypeAlias, TypeVar

from langchain_core.runnables import RunnableConfig
from langgraph.config import get_config
from langgraph.errors import GraphBubbleUp
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from langgraph.types import Command
from typing_extensions import TypedDict

from environments.contract import Environment, extended
from protocol import Action, ActionResult, ExecStatus, JsonObject, VisualState
from roles.contracts.context import Context, State, Update
from roles.skills.arguments import CallTimeout


class Carry(TypedDict, total=False):
    """What the next delegation of the same subtask attempt goes on with."""

    memory: JsonObject
    """Notes of the policy."""
    retries: int
    plan: list[str]
    steps: int
    actions: int
    not_done: str
    """Actions that were decided together with others and are not done, and why."""
    batch: JsonObject | None
    """What is left of a decision of several actions, one of which waits for a check."""


class Delegation(TypedDict, total=False):
    """What the hub gives a worker."""

    goal: str
    subtask: JsonObject
    """`Subtask`, as JSON."""
    step: int
    """The latest step of the run."""
    since_gate: int
    held: JsonObject | None
    """A pending action that waited for a check."""
    continued: bool
    carry: Carry
    previous: list[str]
    plan_version: int
    live: list[str]
    message: str
    """What a gate remarked that let the work go on: for the next decision."""
    answers: list[str]
    """What the user said instead of approving something."""
    refused: list[str]


class Assignment(TypedDict, total=False):
    """What the hub wants of the Manager (a plan, or a supplement) or of the Evaluator."""

    task: str
    trigger: str
    statuses: dict[str, list[Any]]
    """Status and attempt of each subtask."""
    failed: str | None
    evidence: list[str]
    user_words: list[str]
    refused: list[str]
    attempts: int
    query: str
    app: str | None
    ask: bool
    subtask: str | None
    held: str
    summary: str
    earlier_goals: list[str]
    number: int
    nth: int


class TraceNote(TypedDict, total=False):
    """One action of a delegation, in brief."""

    step: int
    line: str
    status: str
    key: str
    approved: bool


class WorkerState(TypedDict, total=False):
    """What the Operator and the Technician have between two nodes: both ask a person by the same stages."""

    delegation: Delegation
    constraints: JsonObject
    human_approval: JsonObject | None
    pending_action: JsonObject | None
    """`Pending`, as JSON."""
    action_trace: list[TraceNote]
    needs_approval: bool
    interaction_status: str
    errors: list[str]
    route: str
    """Where the last node wants to go: the only thing that edges look at."""
    report: JsonObject | None
    """`Report`, as JSON."""
    carry: Carry


class RunBlocked(GraphBubbleUp):
    """Its text is one sentence: what does not answer, and what to do. Nothing in a graph catches it, so it ends the call."""


Graph = CompiledStateGraph[Any, Any, Any, Any]


Stage: TypeAlias = Callable[[State, Context], Update]
"""What a role does at one node; plain and testable without a graph."""
Node: TypeAlias = Callable[..., Update | Command[str]]
Given: TypeAlias = Context | Callable[[str], Context] | None
"""One context for all calls, one by the name of the thread, or none, where each call brings its own."""


def compiled(
    graph: StateGraph[Any, Any, Any, Any],
    stages: Mapping[str, Stage],
    choices: Mapping[str, tuple[str, ...]],
    context: Given,
    *,
    name: str,
    checkpointer: Any = None,
    edges: Sequence[tuple[str, str]] = (),
) -> Graph:
    """The graph of a role that begins at the first of its stages; a stage with `choices` says itself which comes next."""
    for at, stage in stages.items():
        # A Command routes without the copy of all channels that a conditional edge reads.
        graph.add_node(at, node(stage, context, routes=at in choices), destinations=choices.get(at))
    for start, end in ((START, next(iter(stages))), *edges, ([*stages][-1], END)):
        graph.add_edge(start, end)
    return graph.compile(checkpointer=checkpointer, name=name)


def spoke(graph: Graph) -> Callable[[Any, RunnableConfig], Any]:
    """A role as a node whose own checkpoints are written where it is stopped, not at each of its stages: what it has done by
    then is in the journal."""

    def work(state: Any, config: RunnableConfig) -> Any:
        return graph.invoke(state, config, durability="exit", version="v2").value

    return work


def node(stage: Stage, default: Given, *, routes: bool = False, guarded: Callable[[str], Stage] | None = None) -> Node:
    """Bind a stage to the context of the call, or to `default` when the caller injects none.

    With `routes` the stage's own `route` says which node comes next; an empty one says that none does. `guarded` gives the stage
    of a thread in the stage's place.
    """

    def run(state: Any, runtime: Runtime[Context]) -> Update | Command[str]:
        work = stage
        if isinstance(runtime.context, Context):
            context = runtime.context
        elif isinstance(default, Context):
            context = default
        elif default is not None:
            thread = str((get_config().get("configurable") or {}).get("thread_id") or "")
            context = default(thread)
            work = guarded(thread) if guarded is not None else stage
        else:
            raise ValueError("a role needs a Context: give it to the builder or as context= of the call")
        try:
            update = work(state, context)
        except GraphBubbleUp:
            context.journal.commit()  # before a checkpoint says that somebody is waited for
            raise
        return Command(update=update, goto=update["route"] or END) if routes else update

    return run


_T = TypeVar("_T")
_TIMED = ("apps", "cards", "peek", "world", "received", "snapshot", "restore", "fork", "functions", "agents", "screenshot",
          "files", "meant", "latest_keys", "written", "preview",
          "guard", "control", "admit", "held")  # fmt: skip
_VALUES = ("environment_type", "clock", "now")
_LEAVING = 5.0
"""Seconds for closing: nobody waits for the result."""


class TimedEnvironment:
    """An environment with a time for each call. It can what the inner one can.

    An action that takes longer is a result, TIMEOUT: what comes of it late is seen on the screen. Anything else that takes
    longer is a Standstill, and so is a screen that cannot be had because an action still goes on.
    """

    def __new__(cls, inner: Environment, seconds: float) -> TimedEnvironment:
        values = extended(TimedEnvironment, tuple(name for name in _VALUES if hasattr(inner, name)), ())
        timed = {name: _timed(name) for name in _TIMED if hasattr(inner, name)}
        made: TimedEnvironment = object.__new__(type("Bounded", (values,), timed))
        return made

    def __init__(self, inner: Environment, seconds: float) -> None:
        self.name = inner.name
        self.inner = inner
        self.seconds = seconds
        self._caller = _Caller()

    def reset(self, *, seed: int | None = None) -> VisualState:
        return self.within(lambda: self.inner.reset(seed=seed))

    def observe(self) -> VisualState:
        return self.within(self.inner.observe)

    def perform(self, action: Action, *, key: str) -> ActionResult:
        try:
            return self._caller.call(lambda: self.inner.perform(action, key=key), self.seconds)
        except CallTimeout:
            late = f"{self.name} did not answer within {self.seconds:g} seconds (limits.action_seconds)"
            return ActionResult(exec_status=ExecStatus.TIMEOUT, error=late)

    def close(self) -> None:
        try:
            self._caller.call(self.inner.close, min(self.seconds, _LEAVING))
        except CallTimeout:
            return

    def within(self, work: Callable[[], _T]) -> _T:
        """The result of a call that has to have one. Raises RunBlocked."""
        try:
            return self._caller.call(work, self.seconds)
        except CallTimeout:
            raise RunBlocked(
                f"The environment {self.name} has not answered for {self.seconds:g} seconds; see what holds it up, "
                "or give it more time (limits.action_seconds)"
            ) from None


class _Caller:
    """One thread that makes calls in turn; it ends with the process, whatever it hangs in."""

    def __init__(self) -> None:
        self._jobs: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._latest: Future[Any] | None = None
        self._thread: threading.Thread | None = None

    def call(self, work: Callable[[], _T], seconds: float) -> _T:
        """The result of `work`. Raises CallTimeout when it, or a call before it, takes longer than `seconds`."""
        if self._latest is not None and not wait([self._latest], seconds).done:
            raise CallTimeout
        if self._thread is None:
            self._thread = threading.Thread(target=self._go_on, name="deskcrew-environment", daemon=True)
            self._thread.start()
        result: Future[_T] = Future()
        context = contextvars.copy_context()

        def job() -> None:
            try:
                result.set_result(context.run(work))
            except BaseException as fault:  # noqa: BLE001 - handed to the caller, who raises it
                result.set_exception(fault)

        self._latest = result
        self._jobs.put(job)
        if not wait([result], seconds).done:
            raise CallTimeout
        return result.result()

    def _go_on(self) -> None:
        while True:
            self._jobs.get()()


def _timed(name: str) -> property:
    return property(lambda self: lambda *given, **named: self.within(lambda: getattr(self.inner, name)(*given, **named)))
