"""A plan is a DAG of subtasks over applications that exist. Source: seed 002."""

from __future__ import annotations

from collections.abc import Sequence
from graphlib import CycleError, TopologicalSorter

from roles.contracts import AppWords, Subtask
from roles.signals import SubtaskStatus


class PlanError(ValueError):
    """One sentence: which subtask, and what is wrong with it."""


def validate_plan(subtasks: Sequence[Subtask], apps: Sequence[AppWords] = ()) -> None:
    """Refuse duplicates, unknown ids, cycles and unknown applications. Raises PlanError."""
    ids = [subtask.id for subtask in subtasks]
    for subtask in subtasks:
        if ids.count(subtask.id) > 1:
            raise PlanError(f"subtask id {subtask.id!r} is used twice")
        for other in subtask.depends_on:
            if other not in ids:
                raise PlanError(f"subtask {subtask.id!r} depends on {other!r}, which is not in the plan")
        if apps and subtask.app is not None and subtask.app not in {app.app for app in apps}:
            known = ", ".join(app.app for app in apps)
            raise PlanError(f"subtask {subtask.id!r} wants the application {subtask.app!r}; there are {known}")
    try:
        TopologicalSorter({s.id: s.depends_on for s in subtasks}).prepare()
    except CycleError as cycle:
        raise PlanError(f"subtasks wait for each other: {' -> '.join(reversed(cycle.args[1]))}") from None


def next_ready(subtasks: Sequence[Subtask]) -> Subtask | None:
    """The first subtask that is not ended and whose dependencies are all fulfilled."""
    fulfilled = {s.id for s in subtasks if s.status is SubtaskStatus.FULFILLED}
    waiting = [s for s in subtasks if s.status in {SubtaskStatus.PENDING, SubtaskStatus.READY}]
    return next((s for s in waiting if fulfilled.issuperset(s.depends_on)), None)
