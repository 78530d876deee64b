"""The part of the blackboard that a worker is told, by what is still to be done in the whole plan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from roles.contracts import Board, Fact, Subtask
from roles.contracts.signals import SubtaskStatus
from roles.journal.journal import Journal
from roles.knowledge.memory.blackboard import BoardSettings, board_of


def board_for_worker(
    facts: Sequence[Fact], delegation: Mapping[str, Any], subtask: Subtask, journal: Journal, settings: BoardSettings
) -> Board:
    """Nothing is left out that the worker's own subtask, another live one or the goal refers to."""

    def live() -> tuple[Subtask, ...]:
        ids = {*delegation.get("live", ())} - {subtask.id}
        plan = journal.plan(int(delegation.get("plan_version", 0))) if ids else ()
        own = subtask.model_copy(update={"status": SubtaskStatus.PENDING})
        return (own, *(s.model_copy(update={"status": SubtaskStatus.READY}) for s in plan if s.id in ids))

    return board_of(facts, live, settings, str(delegation.get("goal", "")))
