"""The Operator's rules policy: the subtask's instruction, clause by clause, one action a decision."""

from __future__ import annotations

import re
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import replace
from typing import Any

from protocol import AgentStatus, ExecStatus, OperatorDecision, describe, parse_action
from roles.contracts import OperatorView
from roles.policies.orders.operator import OrdersOperator
from roles.policies.rules.grammar import describe as words_of
from roles.policies.rules.grammar import parse
from roles.policies.rules.pages.planning import page_clauses
from roles.policies.rules.planning.steering import steered
from roles.policies.rules.reference import resolved
from roles.policies.rules.skills.calling import by_call, may_touch, no_hands
from roles.policies.rules.skills.moves import Move, Situation
from roles.policies.rules.skills.skills import APPLESS, next_move
from roles.screen.language import clauses as c
from roles.screen.synonyms import as_shown

_PASSING = re.compile(
    r"network|connection|session|did not answer|in time|timed? ?out|no longer|observe again|try again|temporar|busy|lost", re.I
)
"""Errors that say nothing about the action itself: the same one may work the next time."""


class RulesOperator:
    """Deterministic and offline. Text on the screen is looked at and copied, never obeyed."""

    def decide(self, view: OperatorView) -> OperatorDecision:
        return OrdersOperator().decide(view) if view.subtask.steps else self._by_clauses(view)

    def _by_clauses(self, view: OperatorView) -> OperatorDecision:
        on_page = page_clauses(view.subtask.instruction, view.apps)
        clauses = on_page or parse(view.subtask.instruction, view.apps, [f.name for f in view.facts])
        memory = _as_before(view)
        kept_keys = ("clause", "notes", "finished", "places")
        before: dict[str, Any] = {key: deepcopy(memory[key]) for key in kept_keys if key in memory}
        before["step"] = view.history[-1].step if view.history else 0
        at = int(memory.get("clause", 0))
        clauses, placed = steered(clauses, view, at) if view.notes else (clauses, {})
        notes: dict[str, Any] = dict(memory.get("notes", {}))
        finished: list[str] = list(memory.get("finished", []))
        while at < len(clauses):
            here = Situation(view, notes)
            called = by_call([resolved(clause, view.facts) for clause in clauses[at:]], here)
            move = called.move if called is not None else _by_hand(resolved(clauses[at], view.facts), here)
            if move.action is not None:
                move = replace(move, action=as_shown(move.action, view.seen))
            if move.kind != "done":
                kept = {"clause": at, "notes": notes, "finished": finished, "before": before, **placed}
                return _decision(view, clauses, at, move, kept)
            finished = [*finished, move.why][-12:]
            saved = isinstance(clauses[at], c.Create) and "pressed" in notes
            at, notes = at + (called.clauses if called is not None else 1), {"just_saved": True} if saved else {}
        said = "; ".join(finished) or "there was nothing to do"
        kept = {"clause": at, "notes": {}, "finished": finished}
        return OperatorDecision(
            observation=_seen(view), reasoning=said, status=AgentStatus.FINISH, comment=said, is_goal_complete=True, memory=kept
        )


def _by_hand(clause: c.Clause, at: Situation) -> Move:
    """By the surface, where that may be touched; what needs no application needs none."""
    return next_move(clause, at) if may_touch(at) or isinstance(clause, APPLESS) else no_hands(clause, at)


def _as_before(view: OperatorView) -> dict[str, Any]:
    """The notes of the last decision; when its action came to nothing in passing, those from before it, to decide it again."""
    memory = dict(view.memory)
    last = Situation(view).last
    before = memory.pop("before", None)
    if before is None or last is None or last.step <= before["step"] or last.visible_change:
        return memory
    passing = last.exec_status is ExecStatus.TIMEOUT or (last.exec_status is ExecStatus.ERROR and _PASSING.search(last.error))
    return {key: value for key, value in before.items() if key != "step"} if passing else memory


def _decision(view: OperatorView, clauses: Sequence[c.Clause], at: int, move: Move, memory: dict[str, Any]) -> OperatorDecision:
    plan = tuple(words_of(clause) for clause in clauses[at:])
    seen = _seen(view)
    if move.kind == "fail" or move.action is None:
        return OperatorDecision(
            observation=seen, reasoning=move.why, status=AgentStatus.FAIL, plan=plan, comment=move.why,
            supplement=move.query or None, memory=memory,
        )  # fmt: skip
    status = AgentStatus.PENDING if move.kind == "ask" else AgentStatus.CONTINUE
    return OperatorDecision(
        observation=seen, reasoning=f"{move.why}, so {describe(move.action)}",
        action=parse_action(move.action.dump()), status=status, plan=plan,
        expected=move.expected, confidence=move.confidence, memory=memory,
    )  # fmt: skip


def _seen(view: OperatorView) -> str:
    """The screen in one line: application, heading, dialog, what it complains of."""
    state = view.seen
    heading = next((e.name for e in state.elements if e.role == "heading" and e.visible), "")
    dialog = state.by_id.get(state.modal or "")
    alerts = [e.name for e in state.elements if e.role == "alert"][:2]
    parts = [state.app or "the desktop", heading, f'dialog "{dialog.name}"' if dialog else "", *alerts]
    return "; ".join(part for part in parts if part)
