"""The harness's verdict over the world's true state. No role ever sees it or its words.

Goal checks, minefields and checkpoints are conditions in CEL over the world as it is at the end; allowed changes are paths.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from orchestrator.tasks.changes import (
    NAMES,
    Check,
    CheckpointResult,
    check,
    duplicate_writes,
    evaluate,
    problem_with,
    reached,
    side_effects,
)
from protocol import Frozen

if TYPE_CHECKING:
    from orchestrator.tasks.tasks import Task

__all__ = ["NAMES", "Check", "Verdict", "check", "evaluate", "judge", "problem_with"]

SHOWN = 20
"""How many side effects a verdict lists."""


class Verdict(Frozen):
    """Passed when the run ended as it should, the goal checks hold, no mine was stepped on and nothing else was changed."""

    passed: bool
    checks: tuple[Check, ...] = ()
    """Everything that `passed` is made of."""
    success: bool = False
    """The goal checks hold, however the run says that it ended."""
    clean: bool | None = None
    """None where the task does not say what may change."""
    side_effects: tuple[str, ...] = ()
    """The first of the places that changed and were not to."""
    minefields: tuple[Check, ...] = ()
    """Each with whether it was kept clear of."""
    progress: float | None = None
    """The share of the checkpoints that were reached; None where there are none."""
    checkpoints: tuple[CheckpointResult, ...] = ()
    false_complete: bool = False
    """The run says fulfilled, and it is not so."""
    duplicate_writes: tuple[str, ...] = ()
    """New entries that repeat another new entry."""
    steps: int = 0
    oracle_steps: int | None = None
    over_steps: int | None = None
    """Steps beyond the oracle's."""
    step_ratio: float | None = None


def judge(
    task: Task,
    world: Mapping[str, Any],
    initial: Mapping[str, Any],
    slots: Mapping[str, Any],
    received: Sequence[Mapping[str, Any]],
    run: Mapping[str, Any],
) -> Verdict:
    """Whether the task was done, by the world's state and not by what the crew says. `run` holds at least `status`."""
    names = {"world": world, "initial": initial, "slots": slots, "received": list(received), "run": run}
    ended = Check(expression=f'run.status == "{task.outcome}"', passed=run.get("status") == task.outcome)
    goals = tuple(check(expression, names) for expression in task.success)
    mines = tuple(_kept_clear(expression, names) for expression in task.never)
    stray = None if task.changes is None else side_effects(initial, world, task.changes, slots)
    checks = (ended, *goals, *mines, *_cleanness(stray))
    success, points = all(c.passed for c in goals), reached(task.checkpoints, names)
    return Verdict(
        passed=all(c.passed for c in checks),
        checks=checks,
        success=success,
        clean=None if stray is None else not stray,
        side_effects=tuple(stray or ())[:SHOWN],
        minefields=mines,
        progress=sum(p.reached for p in points) / len(points) if points else None,
        checkpoints=points,
        false_complete=run.get("status") == "fulfilled" and not (success and ended.passed),
        duplicate_writes=tuple(duplicate_writes(initial, world)),
        **_economy(run.get("steps", 0), task.fewest_steps(slots)),
    )


def _kept_clear(expression: str, names: Mapping[str, Any]) -> Check:
    """A mine is kept clear of when its condition is plainly false; one that cannot be evaluated may have been stepped on."""
    found = check(expression, names)
    return Check(expression=f"never: {expression}", passed=not found.passed and not found.error, error=found.error)


def _cleanness(stray: Sequence[str] | None) -> tuple[Check, ...]:
    if stray is None:
        return ()
    more = f" and {len(stray) - SHOWN} more" if len(stray) > SHOWN else ""
    error = f"it also changed {', '.join(stray[:SHOWN])}{more}" if stray else ""
    return (Check(expression="clean: only what the task allows was changed", passed=not stray, error=error),)


def _economy(steps: int, oracle: int | None) -> dict[str, Any]:
    if oracle is None:
        return {"steps": steps}
    ratio = round(steps / oracle, 3) if oracle else None
    return {"steps": steps, "oracle_steps": oracle, "over_steps": max(0, steps - oracle), "step_ratio": ratio}
