"""One turn of the hub: its state while it lasts, and what is noted of it."""

from collections.abc import Callable
from typing import Any

from pydantic import ValidationError

from orchestrator.core.hub_line import HubLine, source_of
from orchestrator.core.machine import FAILURES, UNDONE, Situation, TaskStatus, Totals
from orchestrator.errors import UsageProblem
from roles.contracts import Subtask
from roles.contracts.context import Context, State, Update
from roles.contracts.signals import GateTrigger, Signal, SubtaskStatus
from roles.journal.budgets import BudgetUse, Work
from roles.journal.events import BudgetEvent, SubtaskStatusEvent
from roles.knowledge.blackboard import outcome_told
from roles.manager.graph import with_status
from roles.manager.plans import next_ready
from roles.safety import Constraints
from roles.safety.policy import problem_in

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
            "answers": [],
            "refused": [],
            "plan_version": 0,
            "more": False,
            "carry": {},
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

    def move(self, subtask: str, status: SubtaskStatus, why: str = "") -> None:
        """A subtask stands so from now on."""
        before, attempt = self.update["statuses"][subtask]
        self.update["statuses"] = self.update["statuses"] | {subtask: [status.value, attempt]}
        self.ctx.journal.record(
            SubtaskStatusEvent(status=status.value, before=before, attempt=attempt, **({"reason": why} if why else {})),
            role="controller",
            subtask=subtask,
            key=self.key(),
        )

    def key(self) -> str:
        """Names the next event of this turn, so that a turn that is worked again after a kill records nothing twice."""
        self.events += 1
        return f"hub/{self.update['turn']}/{self.events}"

    def plan(self) -> list[Subtask]:
        """The plan with its statuses of now."""
        return [with_status(s, self.update["statuses"]) for s in self.ctx.journal.plan(self.version())]

    def subtask(self) -> Subtask | None:
        return next((s for s in self.plan() if s.id == self.update["current"]), None)

    def next_subtask(self) -> Subtask | None:
        """The current one while it is worked, else the first that can be."""
        subtask = self.subtask()
        return subtask if subtask is not None and subtask.status is SubtaskStatus.PENDING else next_ready(self.plan())

    def version(self) -> int:
        return int(self.update["plan_version"])


def _constraints(state: State, ctx: Context) -> dict[str, Any]:
    """What narrows the policy as a run begins: what the crew was given, and what the caller says."""
    try:
        return ctx.constraints.with_(Constraints.model_validate(state.get("constraints") or {})).dump()
    except ValidationError as bad:
        raise UsageProblem(f"{problem_in(bad, 'constraints')}.") from None


_OPEN = {SubtaskStatus.READY.value, SubtaskStatus.PENDING.value}


def start(turn: Turn) -> None:
    """INIT: pending, unless the task has ended already; a plan that was given is worked at once."""
    if turn.reopened:
        # A limit was raised: go on exactly where the budget was spent. It is the one ending that can be taken back
        left = turn.update["left_at"]
        turn.ended = False
        turn.situation, turn.trigger = Situation(left["situation"]), Signal(left["trigger"])
        turn.summary, turn.query, turn.continued = left["summary"], left["query"], left["continued"]
        turn.update |= {"held": left["held"], "left_at": {}, "ended_by": "", "reason": ""}
        turn.status(TaskStatus.PENDING)
        return
    if turn.ended:
        turn.take(Signal.TASK_ENDED)
        return
    if not turn.update["plan_version"]:
        turn.ctx.journal.begin()
    turn.status(TaskStatus.CREATED)
    turn.status(TaskStatus.PENDING)
    given = turn.ctx.journal.plan(turn.update["plan_version"])
    if given:
        turn.update["statuses"] = {s.id: [s.status.value, s.attempt] for s in given}
    turn.take(Signal.SUBTASKS_WAITING if next_ready(turn.plan()) else Signal.TASK_OPEN)


def receive(turn: Turn, report: dict[str, Any]) -> None:
    """Apply one report: counters, statuses, then the table."""
    signal = _signal_of(turn, report)
    turn.trigger, turn.summary = signal, report.get("summary", "")
    worked = turn.situation in {Situation.GET_ACTION, Situation.EXECUTE_ACTION}
    if worked:
        carry = turn.update["carry"]
        done, by = int(carry.get("steps", 0)), turn.update["steps_by"]
        turn.update["steps"] = max(turn.update["steps"] + done, turn.ctx.say.by_hand())
        turn.update["steps_by"] = by | {turn.worker: by.get(turn.worker, 0) + done} if done else by
        turn.update["since_gate"] += int(carry.get("actions", 0))
        turn.update["carry"] = {k: carry[k] for k in ("memory", "retries", "plan", "not_done", "batch") if k in carry}
        turn.situation = source_of(signal) or turn.situation
    turn.query = {"query": report.get("query") or "", "app": report.get("app"), "ask": bool(report.get("ask"))}
    if worked:
        turn.update["held"] = report.get("held_action")
    if report.get("refused"):
        turn.update["refused"] = [*turn.update["refused"], report["refused"]][-KEPT:]
    if report.get("user_words"):
        turn.update["user_words"] = [*turn.update["user_words"], report["user_words"]][-KEPT:]
        turn.update["answers"] = [*turn.update["answers"], turn.summary][-KEPT:]
    turn.update["replans"] += signal in UNDONE
    if signal is Signal.BUDGET_SPENT:
        return  # found again and said by `dispatch`, which knows how to go on from here
    left = _statuses_after(turn, signal)
    turn.take(signal, Totals(retries_left=0, subtasks_left=left, more=bool(turn.update["more"])))
    if turn.situation is Situation.PLAN:
        turn.update["held"] = None
    leads_to_plan = turn.situation in {Situation.PLAN, Situation.SUPPLEMENT}
    if leads_to_plan and signal not in {Signal.SUPPLIED, Signal.NOTHING_FOUND}:
        turn.update["evidence"] = [*report.get("evidence", ())][-KEPT:]
    if signal is Signal.GATE_CONTINUE:
        turn.continued = True
        turn.update["since_gate"] = 0


def _signal_of(turn: Turn, report: dict[str, Any]) -> Signal:
    """What was reported; a Manager whose plans cannot be used one after the other has no answer.

    A budget that lets nobody be asked any more ends the run first: that ending can be taken back, and then they are asked again.
    """
    signal = Signal(report["signal"])
    if signal is Signal.PLAN_FAILED and turn.unusable >= turn.ctx.limits.reasks:
        signal = Signal.NO_ANSWER
    if signal is Signal.NO_ANSWER and turn.line.stopping("call") is not None:
        return Signal.PLAN_FAILED if turn.situation is Situation.PLAN else Signal.BUDGET_SPENT
    return signal


def _statuses_after(turn: Turn, signal: Signal) -> int:
    """Move subtasks as the signal says; returns how many are left to do."""
    current = turn.update["current"]
    if signal is Signal.PLANNED:
        plan = turn.ctx.journal.plan(turn.version())
        for replaced in [s.id for s in plan if s.status is SubtaskStatus.REJECTED]:
            if turn.update["statuses"].get(replaced, [""])[0] in _OPEN:
                turn.move(replaced, SubtaskStatus.REJECTED)
        known = turn.update["statuses"]
        turn.update["statuses"] = {s.id: known.get(s.id, [s.status.value, s.attempt]) for s in plan}
    elif signal is Signal.GATE_DONE and current:
        turn.move(current, SubtaskStatus.FULFILLED)
    elif signal in FAILURES and current:
        turn.move(current, SubtaskStatus.REJECTED, turn.summary)
    elif signal is Signal.ISSUES_FOUND:
        for one in turn.plan():  # what is pinned would have to be worked once more, and what has steps was judged by them
            whole = one.instruction == turn.update["goal"] and not (one.pinned or one.steps)
            if whole and one.status is SubtaskStatus.FULFILLED:
                turn.move(one.id, SubtaskStatus.REJECTED, turn.summary)  # it is judged by this check alone
    return sum(1 for s in turn.plan() if s.status in {SubtaskStatus.READY, SubtaskStatus.PENDING})


_TRIGGERS = {
    Signal.CHECK_DUE: GateTrigger.PERIODIC_CHECK,
    Signal.STALE_PROGRESS: GateTrigger.WORKER_STALE,
    Signal.WORKER_SUCCESS: GateTrigger.WORKER_SUCCESS,
}
_CHECKED = {trigger.value: signal for signal, trigger in _TRIGGERS.items()}
_WORKED = {SubtaskStatus.FULFILLED, SubtaskStatus.REJECTED}
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


def dispatch(turn: Turn) -> None:
    """Give the next spoke its input, or end."""
    if turn.situation is Situation.DONE:
        _finish(turn)
        return
    if turn.line.cancelled():
        turn.summary, turn.trigger = "the run was cancelled", Signal.CANCELLED
        turn.take(Signal.CANCELLED)
        _finish(turn)
        return
    if turn.situation in _MINDFUL and turn.trigger is not Signal.BUDGET_SPENT and (words := turn.ctx.say.unplanned()):
        turn.summary, turn.trigger = words, Signal.STEERED
        turn.update["evidence"] = [words]
        turn.take(Signal.STEERED)
    acting = turn.situation in {Situation.GET_ACTION, Situation.EXECUTE_ACTION}
    subtask = turn.next_subtask() if acting else None
    counts = {name: turn.update[name] for name in ("steps", "plans", "replans", "gates", "steps_by")}
    turn.line.counted(BudgetUse(turn.ctx.journal.spending, **counts, worker=subtask.worker if subtask else ""))
    spent = turn.line.stopping(*_WORK[turn.situation])
    if spent is not None or turn.trigger is Signal.BUDGET_SPENT:
        # End for now: what is needed to go on from here, once there is more of it, stays in the state
        said, trigger = turn.summary, turn.trigger
        if trigger is Signal.BUDGET_SPENT:  # found out by the worker, or by the Evaluator, who is asked the same again
            said, trigger = turn.checked.get("summary", ""), _CHECKED.get(turn.checked.get("trigger", ""), Signal.TASK_OPEN)
        turn.update["left_at"] = {
            "situation": turn.situation.value,
            "trigger": trigger.value,
            "summary": said,
            "query": turn.query,
            "continued": turn.continued,
            "held": turn.update["held"],
        }
        if spent is not None:
            cause = f"{said}; " if turn.trigger in UNDONE and said else ""
            turn.summary = f"{cause}{spent} is spent"
            last = BudgetEvent(name=str(spent), key=spent.key, **spent.as_json(), more=spent.more())
            turn.ctx.journal.record(last, role="controller", key=turn.key())
        turn.trigger = Signal.BUDGET_SPENT
        turn.take(Signal.BUDGET_SPENT)
        _finish(turn)
        return
    _SPOKES[turn.situation](turn)
    turn.update["situation"] = turn.situation.value


def _to_manager(turn: Turn) -> None:
    turn.ctx.say.planned()
    unusable = turn.unusable + 1 if turn.trigger is Signal.PLAN_FAILED else 0
    turn.update["plans"] += 1
    turn.update["spoke"] = "manager"
    turn.update["assignment"] = {
        "task": "plan",
        "trigger": turn.trigger.value,
        "failed": turn.update["current"],
        "evidence": turn.update["evidence"],
        "statuses": turn.update["statuses"],
        "user_words": turn.update["user_words"],
        "refused": turn.update["refused"],
        "attempts": turn.update["plans"],
        "unusable": unusable,
    }


def _to_supplement(turn: Turn) -> None:
    turn.update["spoke"] = "manager"
    current = turn.subtask()
    turn.update["assignment"] = {
        "task": "supplement",
        "query": turn.query.get("query") or turn.summary or turn.update["goal"],
        "app": turn.query.get("app") or (current.app if current is not None else None),
        "ask": bool(turn.query.get("ask")),
        "failed": turn.update["current"],
        "attempts": turn.update["plans"],
    }


def _to_worker(turn: Turn) -> None:
    subtask = turn.next_subtask()
    assert subtask is not None, "GET_ACTION is reached with a subtask that can be worked"  # noqa: S101 - an invariant
    if subtask.status is not SubtaskStatus.PENDING:
        turn.begin(subtask)
        subtask = next(s for s in turn.plan() if s.id == subtask.id)
    turn.update["spoke"] = subtask.worker
    facts = turn.ctx.journal.facts()
    previous = [outcome_told(s, facts) for s in turn.plan() if s.status in _WORKED]
    ended = turn.checked.get("trigger") == GateTrigger.WORKER_SUCCESS.value
    message = f"Your FINISH was not taken, because: {turn.summary}" if ended else turn.summary
    turn.update["delegation"] = {
        "goal": turn.update["goal"],
        "subtask": subtask.model_dump(mode="json", exclude_defaults=True) | {"attempt": subtask.attempt},
        "step": turn.update["steps"],
        "since_gate": turn.update["since_gate"],
        "held": turn.update["held"] if turn.continued else None,
        "continued": turn.continued,
        "carry": turn.update["carry"],
        "previous": previous[-KEPT:],
        "plan_version": turn.version(),
        "live": [s.id for s in turn.plan() if s.status not in _WORKED],
        "message": message if turn.continued else "",
        "answers": turn.update["answers"],
        "refused": turn.update["refused"],
    }
    turn.update["held"] = None


def _to_evaluator(turn: Turn) -> None:
    final = turn.situation is Situation.FINAL_CHECK
    trigger = GateTrigger.FINAL_CHECK if final else _TRIGGERS[turn.trigger]
    turn.update["spoke"] = "evaluator"
    turn.update["assignment"] = {
        "trigger": trigger.value,
        "subtask": None if final else turn.update["current"],
        "statuses": turn.update["statuses"],
        "held": (turn.update["held"] or {}).get("line", ""),
        "summary": turn.summary,
        "user_words": turn.update["user_words"],
        "earlier_goals": turn.update["earlier_goals"],
        "number": turn.update["gates"],
        "nth": turn.update["gates_by"].get(trigger.value, 0),
    }
    turn.update["gates"] += 1
    turn.update["gates_by"] = turn.update["gates_by"] | {trigger.value: turn.update["assignment"]["nth"] + 1}
    turn.update["since_gate"] = 0


def _finish(turn: Turn) -> None:
    turn.update["situation"] = Situation.DONE.value
    if not turn.ended:
        turn.update["reason"] = turn.summary
        turn.update["ended_by"] = turn.trigger.value
    turn.update["held"] = None


_SPOKES: dict[Situation, Callable[[Turn], None]] = {
    Situation.PLAN: _to_manager,
    Situation.SUPPLEMENT: _to_supplement,
    Situation.GET_ACTION: _to_worker,
    Situation.EXECUTE_ACTION: _to_worker,
    Situation.QUALITY_CHECK: _to_evaluator,
    Situation.FINAL_CHECK: _to_evaluator,
}


def controller(state: State, ctx: Context) -> Update:
    """One turn of the hub: from the report of the last spoke to the input of the next."""
    ctx.say.safe_point()
    turn = Turn(state, ctx)
    if state.get("report"):
        receive(turn, state["report"])
    else:
        start(turn)
    dispatch(turn)
    ctx.journal.commit()
    return turn.update
