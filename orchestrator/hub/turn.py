"""One turn of the hub: its state while it lasts, and what is noted of it."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

from orchestrator.errors import UsageProblem
from orchestrator.lanes import Lanes
from orchestrator.line import HubLine
from orchestrator.machine import Signal, Situation, SubtaskStatus, TaskStatus, Totals
from roles.context import Context, State, Update
from roles.contracts import Subtask
from roles.manager.graph import with_status
from roles.safety import Constraints
from roles.safety.constraints import problem_in

ENDED = {TaskStatus.FULFILLED.value, TaskStatus.REJECTED.value}
KEPT = 8
"""Items kept of evidence, refusals and user words: they are prompts, not the record."""


class Turn:
    """What a turn begins with, what it changes, and `update`, which is what the node returns."""

    def __init__(self, state: State, ctx: Context) -> None:
        self.ctx = ctx
        self.line = ctx.line if isinstance(ctx.line, HubLine) else HubLine(ctx.journal, ctx.limits, ctx.environment)
        starting = not state.get("report")
        self.ended = starting and state.get("task_status") in ENDED and state.get("goal") == state.get("worked_goal")
        self.worker = str(state.get("spoke") or "")
        self.reopened = self.ended and bool(state.get("reopen")) and bool(state.get("left_at"))
        self.situation = Situation.INIT if starting else Situation(state["situation"])
        fresh: Update = {
            "task_status": TaskStatus.CREATED.value,
            "statuses": {},
            "current": None,
            "held": None,
            "steps": 0,
            "plans": 0,
            "replans": 0,
            "gates": 0,
            "gates_by": {},
            "reason": "",
            "ended_by": "",
            "since_gate": 0,
            "evidence": [],
            "user_words": [],
            "refused": [],
            "plan_version": 0,
            "more": False,
            "carry": {},
            "lanes": {},
            "steps_by": {},
            "left_at": {},
            "constraints": {},
            "safety_policy": {},
        }
        going_on = not starting or self.ended
        self.update: Update = {key: state.get(key, default) if going_on else default for key, default in fresh.items()}
        if starting and state.get("task_status") not in ENDED:
            self.update["plan_version"] = state.get("plan_version", 0)
        if not going_on:
            self.update["constraints"] = _constraints(state, ctx)
            self.update["safety_policy"] = ctx.safety.model_dump(mode="json", by_alias=True)
        goal = state.get("goal", "")
        self.update |= {"report": None, "goal": goal, "worked_goal": goal, "assignment": {}, "delegation": {}, "reopen": False}
        before = [one for one in (state.get("worked_goal"),) if one and one != goal]
        self.update["earlier_goals"] = [*state.get("earlier_goals", ()), *before][-KEPT:]
        self.update["turn"] = state.get("turn", 0) + 1
        self.lanes = Lanes(self.update["lanes"], ctx.environment, ctx.limits.parallel)
        self.unusable = int((state.get("assignment") or {}).get("unusable", 0))
        """How many plans in a row, before this report, could not be used."""
        self.checked: dict[str, Any] = (state.get("assignment") or {}) if self.worker == "evaluator" else {}
        """What the Evaluator was asked, where the report is its."""
        self.events = 0
        self.continued = False
        self.trigger = Signal.TASK_OPEN
        self.query: dict[str, Any] = {}
        self.summary = ""

    def begin(self, subtask: Subtask) -> None:
        """Another attempt at a subtask, which is the current one from now on."""
        self.update["current"] = subtask.id
        self.update["since_gate"] = 0
        self.update["carry"] = {}
        self.update["statuses"] = self.update["statuses"] | {subtask.id: [SubtaskStatus.READY.value, subtask.attempt + 1]}
        self.move(subtask.id, SubtaskStatus.PENDING)

    def take(self, signal: Signal, totals: Totals | None = None) -> None:
        """Go where the row of the table leads."""
        row = self.line.take(self.situation, signal, totals or Totals(), subtask=self.update["current"] or "", key=self.key())
        self.situation = row.next
        if row.status is not None and row.next is Situation.DONE:
            self.status(row.status)
        if row.next is Situation.PLAN and signal is Signal.ISSUES_FOUND:
            self.update["current"] = None

    def status(self, status: TaskStatus) -> None:
        """The task stands so from now on."""
        self.update["task_status"] = status.value
        self.line.status(status, reason=self.summary, key=self.key())

    def move(self, subtask: str, status: SubtaskStatus) -> None:
        """A subtask stands so from now on; one that has ended gives its lane back."""
        before, attempt = self.update["statuses"][subtask]
        self.update["statuses"] = self.update["statuses"] | {subtask: [status.value, attempt]}
        self.ctx.journal.record(
            "subtask_status",
            {"status": status.value, "before": before, "attempt": attempt},
            role="controller",
            subtask=subtask,
            key=self.key(),
        )
        if status in {SubtaskStatus.FULFILLED, SubtaskStatus.REJECTED}:
            self.lanes.end(subtask)

    def conflict(self, app: str, subtask: str, other: str, resolution: str) -> None:
        """Two lanes want the same window; `app` is the one whose it is."""
        body = {"about": "window", "app": app, "subtasks": [subtask, other], "resolution": resolution}
        self.ctx.journal.record("conflict", body, role="controller", subtask=subtask, key=self.key())

    def key(self) -> str:
        """Names the next event of this turn, so that a turn that is worked again after a kill records nothing twice."""
        self.events += 1
        return f"hub/{self.update['turn']}/{self.events}"

    def plan(self) -> list[Subtask]:
        """The plan with its statuses of now."""
        return [with_status(s, self.update["statuses"]) for s in self.ctx.journal.plan(self.version())]

    def subtask(self) -> Subtask | None:
        return next((s for s in self.plan() if s.id == self.update["current"]), None)

    def version(self) -> int:
        return int(self.update["plan_version"])


def _constraints(state: State, ctx: Context) -> dict[str, Any]:
    """What narrows the policy as a run begins: what the crew was given, and what the caller says."""
    try:
        return ctx.constraints.with_(Constraints.model_validate(state.get("constraints") or {})).dump()
    except ValidationError as bad:
        raise UsageProblem(f"{problem_in(bad, 'constraints')}.") from None
