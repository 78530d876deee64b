"""The Operator's rules policy: the subtask's instruction, clause by clause, one action a decision."""

from __future__ import annotations

from typing import Any

from protocol import AgentStatus, OperatorDecision, describe, parse_action
from roles.contracts import OperatorView
from roles.rules import clauses as c
from roles.rules.grammar import describe as words_of
from roles.rules.grammar import parse
from roles.rules.moves import Move, Situation
from roles.rules.skills import next_move


class RulesOperator:
    """Deterministic and offline. Text on the screen is looked at and copied, never obeyed."""

    def decide(self, view: OperatorView) -> OperatorDecision:
        clauses = parse(view.subtask.instruction, view.apps, [f.name for f in view.facts])
        memory = dict(view.memory)
        at = int(memory.get("clause", 0))
        notes: dict[str, Any] = dict(memory.get("notes", {}))
        finished: list[str] = list(memory.get("finished", []))
        while at < len(clauses):
            move = next_move(clauses[at], Situation(view, notes))
            if move.kind != "done":
                return _decision(view, clauses, at, move, {"clause": at, "notes": notes, "finished": finished})
            finished = [*finished, move.why][-12:]
            saved = isinstance(clauses[at], c.Create) and "pressed" in notes
            at, notes = at + 1, {"just_saved": True} if saved else {}
        said = "; ".join(finished) or "there was nothing to do"
        kept = {"clause": at, "notes": {}, "finished": finished}
        return OperatorDecision(
            observation=_seen(view), reasoning=said, status=AgentStatus.FINISH, comment=said, is_goal_complete=True, memory=kept
        )


def _decision(view: OperatorView, clauses: list[c.Clause], at: int, move: Move, memory: dict[str, Any]) -> OperatorDecision:
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
