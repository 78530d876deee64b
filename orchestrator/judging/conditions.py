"""Conditions in CEL: whether they can be evaluated, and how they come out."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import cel
from cel.stdlib import add_stdlib_to_context

from protocol import Frozen

NAMES = ("world", "initial", "slots", "received", "run")
"""What a condition of a task may speak of."""
_FAULTS = (ValueError, KeyError, TypeError, RuntimeError, IndexError, OverflowError, ZeroDivisionError)
_BOUND = re.compile(r"\.(?:all|exists|exists_one|filter|map)\s*\(\s*([A-Za-z_]\w*)\s*,")


class Check(Frozen):
    """One condition and how it came out."""

    expression: str
    passed: bool
    error: str = ""


def check(expression: str, names: Mapping[str, Any]) -> Check:
    """Evaluate one condition; one that cannot be evaluated has not passed."""
    try:
        value = evaluate(expression, names)
    except _FAULTS as bad:
        return Check(expression=expression, passed=False, error=_first_line(bad))
    if isinstance(value, bool):
        return Check(expression=expression, passed=value)
    return Check(expression=expression, passed=False, error=f"gives {value!r}, which is neither true nor false")


def evaluate(expression: str, names: Mapping[str, Any]) -> Any:
    """The value of a CEL expression. Raises one of the built-in exceptions when there is none."""
    context = cel.Context()
    add_stdlib_to_context(context)
    for name, value in names.items():
        context.add_variable(name, value)
    return cel.evaluate(expression, context)


def problem_with(expression: str, names: Sequence[str] = NAMES) -> str:
    """Why an expression can never be evaluated, or nothing: bad grammar, or a name that does not exist."""
    try:
        program = cel.compile(expression)
    except _FAULTS as bad:
        return _first_line(bad)
    unknown = set(program.variables()) - set(names) - set(_BOUND.findall(expression))
    if not unknown:
        return ""
    return f"it speaks of {', '.join(sorted(unknown))}; known names are {', '.join(names)}"


def _first_line(bad: BaseException) -> str:
    if isinstance(bad, KeyError):
        return f"there is no {bad.args[0]!r}"
    return str(bad).splitlines()[0] if str(bad) else type(bad).__name__
