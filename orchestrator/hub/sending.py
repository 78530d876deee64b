"""The hub says who works next, and with what; or ends, for now or for good."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from orchestrator.hub.turn import KEPT, Turn
from orchestrator.machine import UNDONE, GateTrigger, Signal, Situation, SubtaskStatus
from roles.budgets import Budget, Used, Work
from roles.memory.blackboard import outcome_told
from roles.plans import next_ready

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
    turn.line.counted(_used(turn))
    spent = turn.line.stopping(*_WORK[turn.situation])
    if spent is not None or turn.trigger is Signal.BUDGET_SPENT:
        _stop(turn, spent)
        return
    _SPOKES[turn.situation](turn)
    turn.update |= {"situation": turn.situation.value, "lanes": turn.lanes.dump()}


def _used(turn: Turn) -> Used:
    counts = {name: turn.update[name] for name in ("steps", "plans", "replans", "gates", "steps_by")}
    return Used(turn.ctx.journal.spending, **counts, worker=_next_worker(turn))


def _next_worker(turn: Turn) -> str:
    """Who would act next, if somebody does."""
    if turn.situation not in {Situation.GET_ACTION, Situation.EXECUTE_ACTION}:
        return ""
    subtask = turn.subtask()
    going_on = subtask is not None and subtask.status is SubtaskStatus.PENDING
    subtask = subtask if going_on else next_ready(turn.plan())
    return subtask.worker if subtask is not None else ""


def _stop(turn: Turn, spent: Budget | None) -> None:
    """End for now: what is needed to go on from here, once there is more of it, stays in the state."""
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
        "lanes": turn.lanes.dump(),
    }
    if spent is not None:
        cause = f"{said}; " if turn.trigger in UNDONE and said else ""
        turn.summary = f"{cause}{spent} is spent"
        body = {"name": str(spent), "key": spent.key, **spent.as_json(), "more": spent.more()}
        turn.ctx.journal.record("budget", body, role="controller", key=turn.key())
    turn.trigger = Signal.BUDGET_SPENT
    turn.take(Signal.BUDGET_SPENT)
    _finish(turn)


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
    told = _take_lane(turn) if turn.lanes.several else {}
    subtask = turn.subtask()
    going_on = subtask is not None and subtask.status is SubtaskStatus.PENDING
    if not going_on:
        subtask = next_ready(turn.plan())
        assert subtask is not None, "GET_ACTION is reached with a subtask that can be worked"  # noqa: S101 - an invariant
        turn.begin(subtask)
        subtask = turn.subtask()
    assert subtask is not None, "the current subtask stands in the plan"  # noqa: S101 - an invariant
    turn.update["spoke"] = subtask.worker
    facts = turn.ctx.journal.facts()
    previous = [outcome_told(s, facts) for s in turn.plan() if s.status in _WORKED]
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
        "message": turn.summary if turn.continued else "",
        "refused": turn.update["refused"],
        **told,
    }
    turn.update["held"] = None


def _take_lane(turn: Turn) -> dict[str, Any]:
    """Put the present lane aside, begin what can be begun beside it, and take up whose turn it is."""
    turn.lanes.park(turn.update["current"], turn.update["since_gate"], turn.update["carry"])
    for lane, other in turn.lanes.settle():
        turn.conflict(lane.waits_for, lane.subtask, other.subtask, "both wait: the younger gives its windows up")
    for subtask in turn.lanes.admit(turn.plan()):
        turn.begin(subtask)
    lane = turn.lanes.take(turn.plan(), turn.update["current"] if turn.continued else None)
    turn.update |= {"current": lane.subtask, "since_gate": lane.since_gate, "carry": lane.carry}
    return turn.lanes.task(lane, turn.update["steps"])


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
        if turn.trigger is not Signal.BUDGET_SPENT:  # after it the lanes may yet go on
            turn.lanes.finish()
        turn.update["lanes"] = {}
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
