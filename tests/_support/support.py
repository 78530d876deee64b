"""Parts that several tests need: small desktops, scripts, and a crew whose policies are written down."""

import os
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self, TypeVar

import pytest
from langgraph.types import Command

from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.world.worldfile import parse_world
from orchestrator.core.controller import build_controller
from orchestrator.core.hub_line import HubLine
from orchestrator.store.checkpoints import CursorSaver
from protocol import Action, ActionResult, AgentStatus, ExecStatus, OperatorDecision, VisualState
from roles.contracts import GateVerdict, OperatorView, PlanAnswer, PlanRequest, Subtask, Supplement
from roles.contracts.context import Context
from roles.contracts.limits import Limits
from roles.contracts.signals import GateDecision, GateTrigger
from roles.journal.journal import Event, Journal
from roles.policies.scripted import ScriptedEvaluator, ScriptedManager, ScriptedOperator
from roles.safety import SafetyPolicy
from roles.safety.privacy.redaction import Redactor

CLAIM_WORLD = "name: claim\napps: {reimbursement: {draft: {vendor: Acme, amount: $1.00}}, notes: {}}\nopen: [reimbursement]\n"
"""A form that could be handed in as it stands."""
FINISH = OperatorDecision(status=AgentStatus.FINISH, comment="done")
Case = TypeVar("Case")
OPEN_HOUSE = SafetyPolicy(name="open-house", rules=(), otherwise="allow")


class Real:
    """An Environment that knows its screen and no truth behind it."""

    name = "real"

    def reset(self, *, seed: int | None = None) -> VisualState:
        return VisualState()

    def observe(self) -> VisualState:
        return VisualState()

    def perform(self, action: Action, *, key: str) -> ActionResult:
        return ActionResult(exec_status=ExecStatus.EXECUTED)

    def close(self) -> None:
        return None


def sampled(cases: Sequence[Case], every: int) -> Sequence[Case]:
    """One case of so many; all of them where DESKCREW_EVERY_CASE is set."""
    return cases if os.environ.get("DESKCREW_EVERY_CASE") else cases[::every]


def one_in(every: int, cases: Sequence[tuple[Any, ...]], why: str = "a large sample") -> list[Any]:
    """All cases, of which the short form takes one of so many."""
    return [pytest.param(*case, marks=[pytest.mark.slow(why)] if n % every else []) for n, case in enumerate(cases)]


def desktop(events: str = "", world: str = CLAIM_WORLD, seed: int = 0, store: Path | None = None) -> SimulatedDesktop:
    return SimulatedDesktop(parse_world(world + (f"events: {events}\n" if events else "")), seed, store)


def decide(action: Action, **more: Any) -> OperatorDecision:
    return OperatorDecision.model_validate({"action": action.dump(), "status": "CONTINUE", "reasoning": "as written", **more})


def subtask(name: str, *after: str, **more: Any) -> Subtask:
    return Subtask(id=name, title=f"do {name}", instruction=f"do {name}", depends_on=after, **more)


def planned(*subtasks: Subtask) -> PlanAnswer:
    return PlanAnswer(outcome="planned", subtasks=subtasks)


def verdict(decision: GateDecision, reason: str = "as written") -> GateVerdict:
    return GateVerdict(decision=decision, reason=reason, issues=(reason,))


class Watching:
    """An Operator that does what a list says, then finishes, and keeps what it was shown."""

    def __init__(self, *decisions: Action | OperatorDecision | Callable[[OperatorView], OperatorDecision]) -> None:
        self.views: list[OperatorView] = []
        self._decisions = (*decisions, FINISH)

    def decide(self, view: OperatorView) -> OperatorDecision:
        self.views.append(view)
        told = self._decisions[min(len(self.views), len(self._decisions)) - 1]
        if isinstance(told, OperatorDecision):
            return told
        return decide(told) if isinstance(told, Action) else told(view)


class Planner:
    """A Manager with these plans in a row and no other, that keeps what it was told."""

    def __init__(self, *plans: PlanAnswer) -> None:
        self.requests: list[PlanRequest] = []
        self._left = [*plans]

    def plan(self, request: PlanRequest) -> PlanAnswer:
        self.requests.append(request)
        return self._left.pop(0) if self._left else PlanAnswer(outcome="infeasible", reason="it cannot be done")


class Handbook:
    """A supplement source with these texts for every query."""

    name = "handbook"

    def __init__(self, *texts: str) -> None:
        self.texts = texts

    def search(self, query: str, app: str | None, limit: int) -> list[Supplement]:
        return [Supplement(query=query, source=self.name, title=text, text=text) for text in self.texts][:limit]


def done(desk: SimulatedDesktop) -> list[str]:
    """The verbs of all that it was asked to do, in order."""
    return [item["action"]["action_type"] for item in desk.received()]


def alone(desk: SimulatedDesktop, policy: Any, **changes: Any) -> Context:
    """What an Operator is given that works without a hub."""
    safety = changes.pop("safety", SafetyPolicy())
    journal = Journal(None, time.time, Redactor(safety))
    return Context(environment=desk, journal=journal, operator=policy, safety=safety, **changes)


@dataclass
class Run:
    """One run of the real controller with scripted policies; `go` starts it or answers what it waits for."""

    plans: Sequence[PlanAnswer]
    decisions: dict[str, Sequence[OperatorDecision]] = field(default_factory=dict)
    verdicts: dict[GateTrigger, Sequence[GateVerdict]] = field(default_factory=dict)
    desk: SimulatedDesktop = field(default_factory=desktop)
    limits: Limits = field(default_factory=Limits)
    safety: SafetyPolicy = field(default_factory=SafetyPolicy)
    sources: Iterable[Any] = ()
    parts: dict[str, Any] = field(default_factory=dict)
    listener: Callable[[Event], None] | None = None
    result: dict[str, Any] = field(default_factory=dict)
    goal: str = "do it"

    def __post_init__(self) -> None:
        self.journal = Journal(None, time.time, Redactor(self.safety), self.listener)
        scripts = {name: (*lines, FINISH) for name, lines in self.decisions.items()}
        self.context = Context(
            environment=self.desk,
            journal=self.journal,
            manager=ScriptedManager(plans=tuple(self.plans)),
            operator=ScriptedOperator(decisions=scripts),
            evaluator=ScriptedEvaluator(verdicts={k: tuple(v) for k, v in self.verdicts.items()}),
            sources=tuple(self.sources),
            safety=self.safety,
            limits=self.limits,
            line=HubLine(self.journal, self.limits),
        )
        self.context = self.context.with_(**self.parts)
        self.saver = CursorSaver(None)
        self.graph = build_controller(checkpointer=self.saver)
        self.config: Any = {"configurable": {"thread_id": "1"}, "recursion_limit": 5000}

    def go(self, answer: dict[str, Any] | None = None) -> Self:
        """Run until the end or the next question; gives itself."""
        given: Any = {"goal": self.goal}
        if answer is not None:
            given = Command(resume={self.result["__interrupt__"][0].id: {"decisions": [answer]}})
        self.result = self.graph.invoke(given, self.config, context=self.context, durability="sync")
        return self

    @property
    def asked(self) -> dict[str, Any]:
        return dict(self.result["__interrupt__"][0].value)

    @property
    def status(self) -> str:
        return str(self.result["task_status"])

    @property
    def rows(self) -> list[str]:
        """Every row of the table that was taken, in order."""
        return [event.body["row"] for event in self.journal.events("situation")]

    def bodies(self, kind: str) -> list[dict[str, Any]]:
        return [event.body for event in self.journal.events(kind)]
