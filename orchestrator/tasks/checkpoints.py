"""Checkpoints: conditions that stand after one another, and how far a world has come along them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from typing import Any

from pydantic import field_validator

from environments.files import conditions
from environments.files.conditions import Check, check, evaluate, evaluate_each
from orchestrator.errors import did_you_mean
from protocol import Frozen

__all__ = ["NAMES", "Check", "check", "evaluate", "evaluate_each", "problem_with"]

NAMES = ("world", "initial", "slots", "received", "run")


def problem_with(expression: str, names: Sequence[str] = NAMES) -> str:
    """Why an expression can never be evaluated, or nothing."""
    return conditions.problem_with(expression, names)


class Checkpoint(Frozen):
    """A condition, and the checkpoints without which it does not count."""

    when: str
    """CEL over world, initial, slots, received and run."""
    after: tuple[str, ...] = ()

    @field_validator("when")
    @classmethod
    def _can_be_evaluated(cls, when: str) -> str:
        if problem := problem_with(when):
            raise ValueError(f"{when!r} cannot be evaluated: {problem}")
        return when


class CheckpointResult(Frozen):
    """A checkpoint and how it came out: reached when it holds and all before it were."""

    name: str
    reached: bool
    holds: bool
    error: str = ""


def problem_with_order(checkpoints: Mapping[str, Checkpoint]) -> tuple[tuple[str | int, ...], str] | None:
    """Where the order is wrong, and why: an unknown name, or a circle."""
    for name, checkpoint in checkpoints.items():
        for index, before in enumerate(checkpoint.after):
            if before not in checkpoints:
                return (name, "after", index), f"{before!r} is no checkpoint{did_you_mean(before, checkpoints)}"
    try:
        _in_order(checkpoints)
    except CycleError as bad:
        circle = bad.args[1][::-1]
        return (circle[0], "after"), f"it waits for itself: {' after '.join(circle)}"
    return None


def _in_order(checkpoints: Mapping[str, Checkpoint]) -> list[str]:
    return list(TopologicalSorter({name: checkpoint.after for name, checkpoint in checkpoints.items()}).static_order())


def reached(checkpoints: Mapping[str, Checkpoint], names: Mapping[str, Any]) -> tuple[CheckpointResult, ...]:
    """How each came out, in the order of the file."""
    found: dict[str, CheckpointResult] = {}
    for name in _in_order(checkpoints):
        result = check(checkpoints[name].when, names)
        counts = result.passed and all(found[before].reached for before in checkpoints[name].after)
        found[name] = CheckpointResult(name=name, reached=counts, holds=result.passed, error=result.error)
    return tuple(found[name] for name in checkpoints)
