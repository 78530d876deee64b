"""What a condition of a task may speak of, and whether it can be evaluated at all."""

from __future__ import annotations

from collections.abc import Sequence

from environments import conditions
from environments.conditions import Check, check, evaluate, evaluate_each

__all__ = ["NAMES", "Check", "check", "evaluate", "evaluate_each", "problem_with"]

NAMES = ("world", "initial", "slots", "received", "run")


def problem_with(expression: str, names: Sequence[str] = NAMES) -> str:
    """Why an expression can never be evaluated, or nothing."""
    return conditions.problem_with(expression, names)
