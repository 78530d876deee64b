"""The hub's one node: take the report, apply the table, say who works next with what. Source: seed 002."""

from __future__ import annotations

from typing import Any

from orchestrator.lanes import Lanes
from orchestrator.line import HubLine, source_of
from orchestrator.machine import (
    FAILURES,
    UNDONE,
    GateTrigger,
    Signal,
    Situation,
    SubtaskStatus,
    TaskStatus,
    Totals,
)
from roles.budgets import Budget, Used, Work
from roles.context import Context, State, Update
from roles.contracts import Subtask
from roles.manager.graph import with_status
from roles.memory.blackboard import outcome_told
from roles.plans import next_ready

_KEPT = 8
"""Items kept of evidence, refusals and user words: they are prompts, not the record."""
_TRIGGERS = {
    Signal.CHECK_DUE: GateTrigger.PERIODIC_CHECK,
    Signal.STALE_PROGRESS: GateTrigger.WORKER_STALE,
    Signal.WORKER_SUCCESS: GateTrigger.WORKER_SUCCESS,
}
_OPEN = {SubtaskStatus.READY.value, SubtaskStatus.PENDING.value}
_WORKED = {SubtaskStatus.FULFILLED, SubtaskStatus.REJECTED}
_ENDED = {TaskStatus.FULFILLED.value, TaskStatus.REJECTED.value}
_WORK: dict[Situation, tuple[Work, ...]] = {
    Situation.PLAN: ("plan", "replan"),
    Situation.SUPPLEMENT: ("replan",),
    Situation.GET_ACTION: ("act",),
    Situation.EXECUTE_ACTION: ("act",),
    Situation.QUALITY_CHECK: ("check",),
    Situation.FINAL_CHECK: ("check",),
}
"""What is begun in a situation, as budgets see it."""


_MINDFUL = {Situation.GET_ACTION, Situation.FINAL_CHECK}
"""Where a plan is asked for that minds what a person has said."""


def controller(state: State, ctx: Context) -> Update:
    """One turn of the hub: from the report of the last spoke to the input of the next."""
    ctx.say.safe_point()
    turn = _Turn(state, ctx)
    if state.get("report"):
        turn.receive(state["report"])
    else:
        turn.open()
    turn.dispatch()
    ctx.journal.commit()
    return turn.update


class _Turn:
    """The state of one hub turn; `update` is what the node returns."""

    def __init__(self, state: State, ctx: Context) -> None:
        self.ctx = ctx
        self.line = ctx.line if isinstance(ctx.line, HubLine) else HubLine(ctx.journal, ctx.limits, ctx.environment)
        starting = not state.get("report")
        self.ended = starting and state.get("task_status") in _ENDED and state.get("goal") == state.get("worked_goal")
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
        }
        going_on = not starting or self.ended
        self.update: Update = {key: state.get(key, default) if going_on else default for key, default in fresh.items()}
        if starting and state.get("task_status") not in _ENDED:
            self.update["plan_version"] = state.get("plan_version", 0)
        goal = state.get("goal", "")
        self.update |= {"report": None, "goal": goal, "worked_goal": goal, "assignment": {}, "delegation": {}, "reopen": False}
        self.update["turn"] = state.get("turn", 0) + 1
        self.lanes = Lanes(self.update["lanes"], ctx.environment, ctx.limits.parallel)
        self.events = 0
        self.continued = False
        self.trigger = Signal.TASK_OPEN
        self.query: dict[str, Any] = {}
        self.summary = ""

    # --- taking reports -----------------------------------------------------------------------------------------

    def open(self) -> None:
        """INIT: pending, unless the task has ended already; a plan that was given is worked at once."""
        if self.reopened:
            self._reopen()
            return
        if self.ended:
            self._take(Signal.TASK_ENDED)
            return
        if not self.update["plan_version"]:
            self.ctx.journal.begin()
        self._start_lanes()
        self._status(TaskStatus.PENDING)
        given = self.ctx.journal.plan(self.update["plan_version"])
        if given:
            self.update["statuses"] = {s.id: [s.status.value, s.attempt] for s in given}
        self._take(Signal.SUBTASKS_WAITING if next_ready(self._plan()) else Signal.TASK_OPEN)

    def _reopen(self) -> None:
        """A limit was raised: go on exactly where the budget was spent. It is the one ending that can be taken back."""
        left = self.update["left_at"]
        self.ended = False
        self.situation, self.trigger = Situation(left["situation"]), Signal(left["trigger"])
        self.summary, self.query, self.continued = left["summary"], left["query"], left["continued"]
        self.update |= {"held": left["held"], "lanes": left["lanes"], "left_at": {}, "ended_by": "", "reason": ""}
        self.lanes = Lanes(self.update["lanes"], self.ctx.environment, self.ctx.limits.parallel)
        self._status(TaskStatus.PENDING)

    def receive(self, report: dict[str, Any]) -> None:
        """Apply one report: counters, statuses, then the table."""
        signal = Signal(report["signal"])
        self.trigger, self.summary = signal, report.get("summary", "")
        worked = self.situation in {Situation.GET_ACTION, Situation.EXECUTE_ACTION}
        if worked:
            carry = self.update["carry"]
            done, by = int(carry.get("steps", 0)), self.update["steps_by"]
            self.update["steps"] = max(self.update["steps"] + done, self.ctx.say.by_hand())
            self.update["steps_by"] = by | {self.worker: by.get(self.worker, 0) + done} if done else by
            self.update["since_gate"] += int(carry.get("actions", 0))
            self.update["carry"] = {k: carry[k] for k in ("memory", "retries", "plan", "slice") if k in carry}
            self.situation = source_of(signal) or self.situation
            holder = self.lanes.reported(self.update["current"], carry, yielded=signal is Signal.YIELDED)
            if holder is not None:
                self._conflict(carry["waits_for"], self.update["current"], holder.subtask, "it waits")
        self.query = {"query": report.get("query") or "", "app": report.get("app"), "ask": bool(report.get("ask"))}
        if worked:
            self.update["held"] = report.get("held_action")
        if report.get("refused"):
            self.update["refused"] = [*self.update["refused"], report["refused"]][-_KEPT:]
        if report.get("user_words"):
            self.update["user_words"] = [*self.update["user_words"], report["user_words"]][-_KEPT:]
        self.update["replans"] += signal in UNDONE
        if signal is Signal.BUDGET_SPENT:
            return  # found again and said by `dispatch`, which knows how to go on from here
        left = self._statuses_after(signal)
        self._take(signal, Totals(retries_left=0, subtasks_left=left, more=bool(self.update["more"])))
        if self.situation is Situation.PLAN:
            self.update["held"] = None
        leads_to_plan = self.situation in {Situation.PLAN, Situation.SUPPLEMENT}
        if leads_to_plan and signal not in {Signal.SUPPLIED, Signal.NOTHING_FOUND}:
            self.update["evidence"] = [*report.get("evidence", ())][-_KEPT:]
        if signal is Signal.GATE_CONTINUE:
            self.continued = True
            self.update["since_gate"] = 0

    def _statuses_after(self, signal: Signal) -> int:
        """Move subtasks as the signal says; returns how many are left to do."""
        current = self.update["current"]
        if signal is Signal.PLANNED:
            plan = self.ctx.journal.plan(self._version())
            for replaced in [s.id for s in plan if s.status is SubtaskStatus.REJECTED]:
                if self.update["statuses"].get(replaced, [""])[0] in _OPEN:
                    self._move(replaced, SubtaskStatus.REJECTED)
            known = self.update["statuses"]
            self.update["statuses"] = {s.id: known.get(s.id, [s.status.value, s.attempt]) for s in plan}
            for changed in self.lanes.keep(self._plan()):
                self._move(changed, SubtaskStatus.READY)
        elif signal is Signal.GATE_DONE and current:
            self._move(current, SubtaskStatus.FULFILLED)
        elif signal in FAILURES and current:
            self._move(current, SubtaskStatus.REJECTED)
        return sum(1 for s in self._plan() if s.status in {SubtaskStatus.READY, SubtaskStatus.PENDING})

    def _version(self) -> int:
        return int(self.update["plan_version"])

    # --- sending work -------------------------------------------------------------------------------------------

    def dispatch(self) -> None:
        """Give the next spoke its input, or end."""
        if self.situation is Situation.DONE:
            self._finish()
            return
        if self.line.cancelled():
            self.summary, self.trigger = "the run was cancelled", Signal.CANCELLED
            self._take(Signal.CANCELLED)
            self._finish()
            return
        if self.situation in _MINDFUL and self.trigger is not Signal.BUDGET_SPENT and (words := self.ctx.say.unplanned()):
            self.summary, self.trigger = words, Signal.STEERED
            self.update["evidence"] = [words]
            self._take(Signal.STEERED)
        self.line.counted(self._used())
        spent = self.line.stopping(*_WORK[self.situation])
        if spent is not None or self.trigger is Signal.BUDGET_SPENT:
            self._stop(spent)
            return
        handlers = {
            Situation.PLAN: self._to_manager,
            Situation.SUPPLEMENT: self._to_supplement,
            Situation.GET_ACTION: self._to_worker,
            Situation.EXECUTE_ACTION: self._to_worker,
            Situation.QUALITY_CHECK: self._to_evaluator,
            Situation.FINAL_CHECK: self._to_evaluator,
        }
        handlers[self.situation]()
        self.update |= {"situation": self.situation.value, "lanes": self.lanes.dump()}

    def _used(self) -> Used:
        counts = {name: self.update[name] for name in ("steps", "plans", "replans", "gates", "steps_by")}
        return Used(self.ctx.journal.spending, **counts, worker=self._next_worker())

    def _next_worker(self) -> str:
        """Who would act next, if somebody does."""
        if self.situation not in {Situation.GET_ACTION, Situation.EXECUTE_ACTION}:
            return ""
        subtask = self._subtask()
        going_on = subtask is not None and subtask.status is SubtaskStatus.PENDING
        subtask = subtask if going_on else next_ready(self._plan())
        return subtask.worker if subtask is not None else ""

    def _stop(self, spent: Budget | None) -> None:
        """End for now: what is needed to go on from here, once there is more of it, stays in the state."""
        said, trigger = self.summary, self.trigger
        if trigger is Signal.BUDGET_SPENT:  # the worker has found it out
            said, trigger = "", Signal.TASK_OPEN
        self.update["left_at"] = {
            "situation": self.situation.value,
            "trigger": trigger.value,
            "summary": said,
            "query": self.query,
            "continued": self.continued,
            "held": self.update["held"],
            "lanes": self.lanes.dump(),
        }
        if spent is not None:
            led_here = f" after: {said}" if self.trigger in UNDONE and said else ""
            self.summary = f"{spent} is spent{led_here}"
            body = {"name": str(spent), "key": spent.key, **spent.as_json(), "more": spent.more()}
            self.ctx.journal.record("budget", body, role="controller", key=self._key())
        self.trigger = Signal.BUDGET_SPENT
        self._take(Signal.BUDGET_SPENT)
        self._finish()

    def _to_manager(self) -> None:
        self.ctx.say.planned()
        self.update["plans"] += 1
        self.update["spoke"] = "manager"
        self.update["assignment"] = {
            "task": "plan",
            "trigger": self.trigger.value,
            "failed": self.update["current"],
            "evidence": self.update["evidence"],
            "statuses": self.update["statuses"],
            "user_words": self.update["user_words"],
            "refused": self.update["refused"],
            "attempts": self.update["plans"],
        }

    def _to_supplement(self) -> None:
        self.update["spoke"] = "manager"
        current = self._subtask()
        self.update["assignment"] = {
            "task": "supplement",
            "query": self.query.get("query") or self.summary or self.update["goal"],
            "app": self.query.get("app") or (current.app if current is not None else None),
            "ask": bool(self.query.get("ask")),
            "failed": self.update["current"],
            "attempts": self.update["plans"],
        }

    def _to_worker(self) -> None:
        told = self._take_lane() if self.lanes.several else {}
        subtask = self._subtask()
        going_on = subtask is not None and subtask.status is SubtaskStatus.PENDING
        if not going_on:
            subtask = next_ready(self._plan())
            assert subtask is not None, "GET_ACTION is reached with a subtask that can be worked"  # noqa: S101 - an invariant
            self._begin(subtask)
            subtask = self._subtask()
        assert subtask is not None, "the current subtask stands in the plan"  # noqa: S101 - an invariant
        self.update["spoke"] = subtask.worker
        facts = self.ctx.journal.facts()
        previous = [outcome_told(s, facts) for s in self._plan() if s.status in _WORKED]
        self.update["delegation"] = {
            "goal": self.update["goal"],
            "subtask": subtask.model_dump(mode="json", exclude_defaults=True) | {"attempt": subtask.attempt},
            "step": self.update["steps"],
            "since_gate": self.update["since_gate"],
            "held": self.update["held"] if self.continued else None,
            "continued": self.continued,
            "carry": self.update["carry"],
            "previous": previous[-_KEPT:],
            "plan_version": self._version(),
            "live": [s.id for s in self._plan() if s.status not in _WORKED],
            "message": self.summary if self.continued else "",
            "refused": self.update["refused"],
            **told,
        }
        self.update["held"] = None

    def _take_lane(self) -> dict[str, Any]:
        """Put the present lane aside, begin what can be begun beside it, and take up whose turn it is."""
        self.lanes.park(self.update["current"], self.update["since_gate"], self.update["carry"])
        for lane, other in self.lanes.settle():
            self._conflict(lane.waits_for, lane.subtask, other.subtask, "both wait: the younger gives its windows up")
        for subtask in self.lanes.admit(self._plan()):
            self._begin(subtask)
        lane = self.lanes.take(self._plan(), self.update["current"] if self.continued else None)
        self.update |= {"current": lane.subtask, "since_gate": lane.since_gate, "carry": lane.carry}
        return self.lanes.task(lane, self.update["steps"])

    def _begin(self, subtask: Subtask) -> None:
        self.update["current"] = subtask.id
        self.update["since_gate"] = 0
        self.update["carry"] = {}
        self.update["statuses"] = self.update["statuses"] | {subtask.id: [SubtaskStatus.READY.value, subtask.attempt + 1]}
        self._move(subtask.id, SubtaskStatus.PENDING)

    def _to_evaluator(self) -> None:
        final = self.situation is Situation.FINAL_CHECK
        trigger = GateTrigger.FINAL_CHECK if final else _TRIGGERS[self.trigger]
        self.update["spoke"] = "evaluator"
        self.update["assignment"] = {
            "trigger": trigger.value,
            "subtask": None if final else self.update["current"],
            "statuses": self.update["statuses"],
            "held": (self.update["held"] or {}).get("line", ""),
            "summary": self.summary,
            "number": self.update["gates"],
            "nth": self.update["gates_by"].get(trigger.value, 0),
        }
        self.update["gates"] += 1
        self.update["gates_by"] = self.update["gates_by"] | {trigger.value: self.update["assignment"]["nth"] + 1}
        self.update["since_gate"] = 0

    def _finish(self) -> None:
        self.update["situation"] = Situation.DONE.value
        if not self.ended:
            if self.trigger is not Signal.BUDGET_SPENT:  # after it the lanes may yet go on
                self.lanes.finish()
            self.update["lanes"] = {}
            self.update["reason"] = self.summary
            self.update["ended_by"] = self.trigger.value
        self.update["held"] = None

    # --- small things -------------------------------------------------------------------------------------------

    def _take(self, signal: Signal, totals: Totals | None = None) -> None:
        row = self.line.take(self.situation, signal, totals or Totals(), subtask=self.update["current"] or "", key=self._key())
        self.situation = row.next
        if row.status is not None and row.next is Situation.DONE:
            self._status(row.status)
        if row.next is Situation.PLAN and signal is Signal.ISSUES_FOUND:
            self.update["current"] = None

    def _status(self, status: TaskStatus) -> None:
        self.update["task_status"] = status.value
        self.line.status(status, reason=self.summary, key=self._key())

    def _move(self, subtask: str, status: SubtaskStatus) -> None:
        before, attempt = self.update["statuses"][subtask]
        self.update["statuses"] = self.update["statuses"] | {subtask: [status.value, attempt]}
        self.ctx.journal.record(
            "subtask_status",
            {"status": status.value, "before": before, "attempt": attempt},
            role="controller",
            subtask=subtask,
            key=self._key(),
        )

        if status in {SubtaskStatus.FULFILLED, SubtaskStatus.REJECTED}:
            self.lanes.end(subtask)

    def _start_lanes(self) -> None:
        """Said once: whether what is independent of each other is worked side by side."""
        self.lanes.start()
        if self.ctx.limits.parallel > 1 and not self.lanes.several:
            why = f"{self.ctx.environment.name} has one seat only: subtasks are worked one after the other (limits.parallel)"
            self.ctx.journal.record("in_series", {"message": why}, role="controller", key=self._key())

    def _conflict(self, app: str, subtask: str, other: str, resolution: str) -> None:
        """Two lanes want the same window; `app` is the one whose it is."""
        body = {"about": "window", "app": app, "subtasks": [subtask, other], "resolution": resolution}
        self.ctx.journal.record("conflict", body, role="controller", subtask=subtask, key=self._key())

    def _key(self) -> str:
        """Names the next event of this turn, so that a turn that is worked again after a kill records nothing twice."""
        self.events += 1
        return f"hub/{self.update['turn']}/{self.events}"

    def _plan(self) -> list[Subtask]:
        return [with_status(s, self.update["statuses"]) for s in self.ctx.journal.plan(self._version())]

    def _subtask(self) -> Subtask | None:
        return next((s for s in self._plan() if s.id == self.update["current"]), None)
