"""The hub takes the report of a spoke: counters, statuses, then the table."""

from __future__ import annotations

from typing import Any

from orchestrator.hub.turn import KEPT, Turn
from orchestrator.lanes import Lanes
from orchestrator.line import source_of
from orchestrator.machine import FAILURES, UNDONE, Signal, Situation, SubtaskStatus, TaskStatus, Totals
from roles.plans import next_ready

_OPEN = {SubtaskStatus.READY.value, SubtaskStatus.PENDING.value}


def start(turn: Turn) -> None:
    """INIT: pending, unless the task has ended already; a plan that was given is worked at once."""
    if turn.reopened:
        _reopen(turn)
        return
    if turn.ended:
        turn.take(Signal.TASK_ENDED)
        return
    if not turn.update["plan_version"]:
        turn.ctx.journal.begin()
    _start_lanes(turn)
    turn.status(TaskStatus.CREATED)
    turn.status(TaskStatus.PENDING)
    given = turn.ctx.journal.plan(turn.update["plan_version"])
    if given:
        turn.update["statuses"] = {s.id: [s.status.value, s.attempt] for s in given}
    turn.take(Signal.SUBTASKS_WAITING if next_ready(turn.plan()) else Signal.TASK_OPEN)


def _start_lanes(turn: Turn) -> None:
    """Said once: whether what is independent of each other is worked side by side."""
    turn.lanes.start()
    if turn.ctx.limits.parallel > 1 and not turn.lanes.several:
        why = f"{turn.ctx.environment.name} has one seat only: subtasks are worked one after the other (limits.parallel)"
        turn.ctx.journal.record("in_series", {"message": why}, role="controller", key=turn.key())


def _reopen(turn: Turn) -> None:
    """A limit was raised: go on exactly where the budget was spent. It is the one ending that can be taken back."""
    left = turn.update["left_at"]
    turn.ended = False
    turn.situation, turn.trigger = Situation(left["situation"]), Signal(left["trigger"])
    turn.summary, turn.query, turn.continued = left["summary"], left["query"], left["continued"]
    turn.update |= {"held": left["held"], "lanes": left["lanes"], "left_at": {}, "ended_by": "", "reason": ""}
    turn.lanes = Lanes(turn.update["lanes"], turn.ctx.environment, turn.ctx.limits.parallel)
    turn.status(TaskStatus.PENDING)


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
        turn.update["carry"] = {k: carry[k] for k in ("memory", "retries", "plan", "slice") if k in carry}
        turn.situation = source_of(signal) or turn.situation
        holder = turn.lanes.reported(turn.update["current"], carry, yielded=signal is Signal.YIELDED)
        if holder is not None:
            turn.conflict(carry["waits_for"], turn.update["current"], holder.subtask, "it waits")
    turn.query = {"query": report.get("query") or "", "app": report.get("app"), "ask": bool(report.get("ask"))}
    if worked:
        turn.update["held"] = report.get("held_action")
    if report.get("refused"):
        turn.update["refused"] = [*turn.update["refused"], report["refused"]][-KEPT:]
    if report.get("user_words"):
        turn.update["user_words"] = [*turn.update["user_words"], report["user_words"]][-KEPT:]
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
        for changed in turn.lanes.keep(turn.plan()):
            turn.move(changed, SubtaskStatus.READY)
    elif signal is Signal.GATE_DONE and current:
        turn.move(current, SubtaskStatus.FULFILLED)
    elif signal in FAILURES and current:
        turn.move(current, SubtaskStatus.REJECTED)
    return sum(1 for s in turn.plan() if s.status in {SubtaskStatus.READY, SubtaskStatus.PENDING})
