"""A run as the live view shows it: the events folded into one value. Pure; knows no terminal."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from orchestrator.faces.clean import UNREADABLE, clean
from orchestrator.faces.words import fact_words

if TYPE_CHECKING:
    from roles.journal import Event

FACTS_KEPT = 6


@dataclass
class SubtaskView:
    """A line of the plan."""

    id: str
    title: str
    app: str = ""
    status: str = "ready"


@dataclass
class Picture:
    """What is known at this moment."""

    run_id: str = ""
    goal: str = ""
    began: float | None = None
    latest: float | None = None
    status: str = "created"
    situation: str = ""
    visits: dict[str, int] = field(default_factory=dict)
    plan: tuple[SubtaskView, ...] = ()
    plans: int = 0
    role: str = ""
    subtask: str = ""
    steps: int = 0
    doing: str = ""
    gate: str = ""
    nearly: dict[str, str] = field(default_factory=dict)
    """Budgets that are nearly spent, in words, by their keys."""
    facts: tuple[tuple[str, str], ...] = ()
    """The latest ones: name, and value with who says it."""
    known: dict[str, bool] = field(default_factory=dict)
    """Every fact by its name, and whether sources disagree about it."""
    tokens: int = 0
    money: float = 0.0

    def apply(self, event: Event) -> None:
        """Take in one event; one that says what deskcrew never writes is passed over."""
        self.began = event.at if self.began is None else self.began
        self.latest = event.at
        if event.role not in ("", "user", "controller"):
            self.role = clean(event.role, 40)
        self.subtask = event.subtask or self.subtask
        change = getattr(self, f"_on_{event.kind}", None)
        if change is not None:
            with suppress(*UNREADABLE):
                change(event, event.body)

    def current(self) -> SubtaskView | None:
        return next((s for s in self.plan if s.id == self.subtask), None)

    def _on_run_started(self, event: Event, body: dict[str, Any]) -> None:
        self.run_id, self.goal = clean(body.get("run_id", "")), clean(body.get("goal", ""))

    def _on_run_resumed(self, event: Event, body: dict[str, Any]) -> None:
        self.run_id, self.goal = clean(body.get("run_id", self.run_id)), clean(body.get("goal", self.goal))

    def _on_budget_warning(self, event: Event, body: dict[str, Any]) -> None:
        self.nearly[str(body.get("key", ""))] = clean(body.get("message", ""), 80)

    def _on_task_status(self, event: Event, body: dict[str, Any]) -> None:
        self.status = clean(body.get("status", self.status))

    def _on_situation(self, event: Event, body: dict[str, Any]) -> None:
        self.situation = clean(body.get("next") or body.get("situation", ""))
        self.visits[self.situation] = self.visits.get(self.situation, 0) + 1
        self.doing = ""

    def _on_plan(self, event: Event, body: dict[str, Any]) -> None:
        self.plans += 1
        self.plan = tuple(
            SubtaskView(
                str(s.get("id", "")), clean(s.get("title", ""), 160), clean(s.get("app") or "", 40), s.get("status", "ready")
            )
            for s in body.get("subtasks", ())
        )

    def _on_subtask_status(self, event: Event, body: dict[str, Any]) -> None:
        name = body.get("id") or event.subtask
        for subtask in self.plan:
            if subtask.id == name:
                subtask.status = str(body.get("status", subtask.status))

    def _on_decided(self, event: Event, body: dict[str, Any]) -> None:
        self.doing = clean(body.get("line") or body.get("status", ""), 160)

    def _on_outcome(self, event: Event, body: dict[str, Any]) -> None:
        self.steps = max(self.steps, event.step)
        self.doing = ""

    def _on_model_call(self, event: Event, body: dict[str, Any]) -> None:
        self.tokens += int(body.get("tokens_in", 0)) + int(body.get("tokens_out", 0))
        self.money += float(body.get("money", 0.0))

    def _on_gate(self, event: Event, body: dict[str, Any]) -> None:
        self.gate = clean(f"{body.get('trigger', '')} → {body.get('decision', '')}: {body.get('reason', '')}", 200)

    def _on_fact(self, event: Event, body: dict[str, Any]) -> None:
        name = clean(body.get("name", ""), 60)
        others = tuple(fact for fact in self.facts if fact[0] != name)
        self.facts = (*others, (name, fact_words(body, 80)))[-FACTS_KEPT:]
        self.known[name] = bool(body.get("instead"))
