"""The condition of a rule: CEL over the action, its target, its values, the screen and the blackboard."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, NamedTuple

from environments.files import conditions
from roles.safety.case import FIELDS, NAMES, PER_VALUE, Case

_QUOTED = re.compile(r"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'")
_FIELD = re.compile(r"(?<![\w.])([A-Za-z_]\w*)\s*\.\s*([A-Za-z_]\w*)(?!\w*\s*\()")
_LOOP = re.compile(r"\.\s*(?:all|exists|exists_one|filter|map)\s*\(")
_LOOPS = 2
"""Loops within each other; one more could take minutes on a large screen."""
_SAMPLE: dict[str, Any] = {
    "action": {"verb": "click", "effect": "navigate", "parameters": {}, "inner": False, "origin": "goal", "page": ""},
    "target": {
        **{name: "" for name in ("name", "role", "value", "app")},
        **{name: False for name in ("there", "enabled", "private", "actuator")},
        "confidence": 1.0,
    },
    "app": "",
    "value": "",
    "provenance": {"source": "", "sources": [], "facts": [], "app": "", "private": False},
    "facts": {},
    "screen": {"app": "", "modal": "", "loading": False, "windows": [], "texts": [], "fields": {}},
    "confidence": 1.0,
    "changes": [],
}
"""An action that says nothing."""
_VALUES = 64
"""Values of one action that a condition is held against; with more of them it counts as failed."""


class Held(NamedTuple):
    """Whether a condition holds, or why that cannot be told."""

    holds: bool
    problem: str = ""


@lru_cache(maxsize=256)
def problem_with(condition: str) -> str:
    """Why a condition could never be evaluated, or nothing: bad grammar, names and fields that there are not, too much of it."""
    if problem := conditions.problem_with(condition, NAMES):
        return problem
    bare = _QUOTED.sub('""', condition)
    for root, field in _FIELD.findall(bare):
        if field not in FIELDS.get(root, (field,)):
            return f"{root} has no {field!r}; it has {', '.join(FIELDS[root])}"
    if _deepest(bare) > _LOOPS:
        return f"it has more than {_LOOPS} loops within each other"
    return _problem_on_sample(condition)


def _problem_on_sample(condition: str) -> str:
    """What no action could mend: things compared that cannot be, or what is neither true nor false."""
    try:
        found = conditions.evaluate(condition, _SAMPLE)
    except TypeError as bad:
        return str(bad).split(". ")[0]
    except conditions.FAULTS:
        return ""  # it may be otherwise with the values and facts of a run
    return "" if isinstance(found, bool) else f"it gives {found!r}, which is neither true nor false"


def holds(condition: str, case: Case, *, every: bool) -> Held:
    """Whether the condition holds for one of the action's values, or for `every` one of them."""
    names = _names_in(condition)
    values = case.values if names & PER_VALUE else ("",)
    if len(values) > _VALUES:
        return Held(False, f"the action carries {len(values)} values, and no more than {_VALUES} are looked at")
    try:
        found = [conditions.check_in(condition, case.scope_for(names, value)) for value in values]
    except conditions.FAULTS as bad:
        return Held(False, f"CEL cannot read what it speaks of: {bad}")
    problem = next((check.error for check in found if check.error), "")
    if every:
        if any(not check.passed and not check.error for check in found):
            return Held(False)
        return Held(not problem, problem)
    return Held(True) if any(check.passed for check in found) else Held(False, problem)


@lru_cache(maxsize=256)
def _names_in(condition: str) -> frozenset[str]:
    return conditions.names_in(condition) & frozenset(NAMES)


def _deepest(bare: str) -> int:
    """How many loops stand within each other, in a condition without its texts."""
    starts = {match.end() - 1 for match in _LOOP.finditer(bare)}
    open_: list[bool] = []
    deepest = 0
    for place, char in enumerate(bare):
        if char == "(":
            open_.append(place in starts)
            deepest = max(deepest, sum(open_))
        elif char == ")" and open_:
            open_.pop()
    return deepest
