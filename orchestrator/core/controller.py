"""The controller: one hub and its spokes, compiled from the table of `machine.py`. Source: seed 002.

A role ends with a report; the hub alone applies the table, the budgets and the gate triggers, records the change and
says who works next. The state holds ids, counters and cursors; the plan's text, the facts and the trace are the journal's.
"""

import functools
import re
import threading
from collections.abc import Callable, Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Any

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from typing_extensions import TypedDict

from orchestrator.core.hub import controller
from orchestrator.core.hub_line import HubLine
from orchestrator.core.machine import Situation
from orchestrator.errors import ThreadProblem, UsageProblem
from roles.analyst.graph import build_analyst
from roles.contracts.context import Context, State, Update, WorkerLine
from roles.contracts.nodes import Given, Graph, Node, Stage, node, spoke
from roles.contracts.policies import Granularity
from roles.evaluator.graph import evaluate
from roles.manager.graph import build_manager
from roles.operator.graph import build_operator
from roles.technician.graph import build_technician

_NAME = re.compile(r"[A-Za-z0-9][\w.-]{0,80}")


class Threads:
    """Gives the context of a thread, made when the thread is first worked.

    With a `store` each thread has a folder there, from which another process goes on; without one its world lives as long as this
    process. `single` says that all contexts would be about one environment, which only one thread can have.
    """

    def __init__(self, make: Callable[[Path | None], Context], store: Path | None = None, *, single: bool = False) -> None:
        self._make, self._store, self._single = make, store, single
        self._contexts: dict[str, Context] = {}
        self._turns: dict[str, int] = {}
        """The last turn of the hub in each thread."""
        self._lock = threading.Lock()

    def __call__(self, thread: str) -> Context:
        with self._lock:
            if thread not in self._contexts:
                if self._single and self._contexts:
                    raise UsageProblem(
                        f"Thread {thread!r} has no world: this crew was given one environment, and thread "
                        f"{next(iter(self._contexts))!r} works it; make a crew for each thread."
                    )
                self._contexts[thread] = self._make(self._folder(thread))
            return self._contexts[thread]

    def __contains__(self, thread: str) -> bool:
        return thread in self._contexts

    def guarding(self, hub: Stage) -> Callable[[str], Stage]:
        """The hub's stage in a thread, which refuses a state that its world has left behind. Raises UsageProblem."""

        def of(thread: str) -> Stage:
            def turn(state: State, ctx: Context) -> Update:
                at = int(state.get("turn", 0))
                self._refuse_unknown(thread, at, ctx)
                self._refuse_past(thread, at, ctx, another=state.get("goal") != state.get("worked_goal"))
                update = hub(state, ctx)
                self._turns[thread] = at + 1
                return update

            return turn

        return of

    def _refuse_unknown(self, thread: str, at: int, ctx: Context) -> None:
        if at and thread not in self._turns and not ctx.journal.recorded(f"hub/{at}/1"):
            where = f"the folder {self._store} has none of it" if self._store else "its world was in that process's memory"
            raise ThreadProblem(
                f"Thread {thread!r} was worked by another process, and {where}; give both the same crew.graph(store=FOLDER)."
            )

    def _refuse_past(self, thread: str, at: int, ctx: Context, *, another: bool) -> None:
        if self._turns.get(thread, at) > at or ctx.journal.recorded(f"hub/{at + 2}/1"):
            raise ThreadProblem(
                f"Thread {thread!r} was reset to an earlier checkpoint, and its world cannot be reset; "
                "start from an earlier step of a run with: deskcrew fork ID --at STEP."
            )
        if another and at and self._store:
            raise ThreadProblem(f"Thread {thread!r} is kept in a folder and has its goal; give another goal a thread of its own.")

    def _folder(self, thread: str) -> Path | None:
        if self._store is None:
            return None
        name = thread if _NAME.fullmatch(thread) else blake2b(thread.encode(), digest_size=12).hexdigest()
        folder = self._store / name
        folder.mkdir(parents=True, exist_ok=True)
        return folder


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
    steps_by: dict[str, int]
    """Actions so far, by worker."""
    left_at: dict[str, Any]
    """Where a spent budget ended the run, and what was at hand there."""
    more: bool
    """The Manager has planned a part, and is asked again when it is fulfilled."""
    evidence: list[str]
    user_words: list[str]
    answers: list[str]
    """The same with what was asked about."""
    refused: list[str]


def build_controller(
    context: Given = None,
    *,
    roles: Mapping[str, Graph] | None = None,
    checkpointer: Any = None,
    granularity: Granularity = "coarse",
) -> Graph:
    """Compile the controller with its roles. `roles` replaces any role by a compiled graph with the same input and report.

    `granularity` is the Operator's: "fine" makes every stage a separate node, for watching or drawing.
    Approvals pause the graph, so it needs a checkpointer, its own or that of the graph that contains it.
    """
    if context is None and not roles:
        return _unbound(granularity).copy({"checkpointer": checkpointer})
    return _compiled(context, roles, checkpointer, granularity)


@functools.cache
def _unbound(granularity: Granularity) -> Graph:
    """The graph that every run of a process shares: a compilation reads the bytecode of each node."""
    return _compiled(None, None, None, granularity)


def _compiled(context: Given, roles: Mapping[str, Graph] | None, checkpointer: Any, granularity: Granularity) -> Graph:
    if isinstance(context, Context) and type(context.line) is WorkerLine:
        context = context.with_(line=HubLine(context.journal, context.limits, context.environment))
    spokes: dict[str, Graph | Node] = {
        "manager": build_manager(context),
        "operator": build_operator(context, interrupts=True, granularity=granularity),
        "technician": build_technician(context, interrupts=True),
        "analyst": build_analyst(context),
        "evaluator": node(evaluate, context),  # one stage: a graph around it would cost more than most gates
    }
    if unknown := set(roles or ()) - set(SPOKES):
        raise ValueError(f"unknown role {sorted(unknown)[0]!r}; the roles are {', '.join(SPOKES)}")
    spokes |= roles or {}
    graph: StateGraph[Any, Any, Any, Any] = StateGraph(RunState, input_schema=RunInput, output_schema=RunOutput)
    guarded = context.guarding(controller) if isinstance(context, Threads) else None
    graph.add_node("controller", node(controller, context, guarded=guarded))
    for name, role in spokes.items():
        often = name in {"operator", "evaluator"}
        graph.add_node(name, spoke(role) if often and isinstance(role, CompiledStateGraph) else role)
        graph.add_edge(name, "controller")
    graph.add_edge(START, "controller")
    graph.add_conditional_edges("controller", _next, [*spokes, END])
    return graph.compile(checkpointer=checkpointer, name="controller")


def _next(state: RunState) -> str:
    return END if state["situation"] == Situation.DONE else state["spoke"]
