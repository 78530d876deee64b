"""What a task, a run or a person's answer narrows the safety policy by: seed 000's constraints. Nothing takes any of it back."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from fnmatch import fnmatchcase
from functools import lru_cache, reduce
from typing import Annotated, Any, Literal, NamedTuple, Self

from pydantic import AfterValidator, BeforeValidator, ValidationError, model_validator

from environments.files import conditions
from protocol import Frozen
from roles.contracts import Fact
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


class ConditionResult(NamedTuple):
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


def holds(condition: str, case: Case, *, every: bool) -> ConditionResult:
    """Whether the condition holds for one of the action's values, or for `every` one of them."""
    names = _names_in(condition)
    values = case.values if names & PER_VALUE else ("",)
    if len(values) > _VALUES:
        return ConditionResult(False, f"the action carries {len(values)} values, and no more than {_VALUES} are looked at")
    try:
        found = [conditions.check_in(condition, case.scope_for(names, value)) for value in values]
    except conditions.FAULTS as bad:
        return ConditionResult(False, f"CEL cannot read what it speaks of: {bad}")
    problem = next((check.error for check in found if check.error), "")
    if every:
        if any(not check.passed and not check.error for check in found):
            return ConditionResult(False)
        return ConditionResult(not problem, problem)
    return ConditionResult(True) if any(check.passed for check in found) else ConditionResult(False, problem)


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


Autonomy = Literal["read-only", "ask-all", "ask-sensitive"]
LEVELS: tuple[Autonomy, ...] = ("read-only", "ask-all", "ask-sensitive")
"""The strictest first; the names are those of the shipped safety policies that do the same."""
_TOLD = ("answer", "facts")


def listed(value: Any) -> Any:
    """One word counts as a list of one, and nothing as an empty one."""
    if value is None or isinstance(value, str):
        return () if value is None else (value,)
    return tuple(value) if isinstance(value, list) else value


def _over_actions(condition: str) -> str:
    if problem := problem_with(condition):
        raise ValueError(f"{condition!r} cannot be evaluated: {problem}")
    return condition


def _over_output(condition: str) -> str:
    if problem := conditions.problem_with(condition, _TOLD):
        raise ValueError(f"{condition!r} cannot be evaluated: {problem}")
    return condition


Words = Annotated[tuple[str, ...], BeforeValidator(listed)]


class Constraints(Frozen):
    """Each of them only forbids, or asks for more."""

    allowed_apps: Annotated[tuple[str, ...] | None, BeforeValidator(lambda v: None if v is None else listed(v))] = None
    """Globs of the applications that may be used; None for those of the policy."""
    forbidden_actions: Words = ()
    """Effects, verbs, or words of a control's name."""
    blocked_domains: Words = ()
    """Hosts, with all below them, that nothing is opened at, sent to or done on."""
    maximum_autonomy: Autonomy | None = None
    """`read-only` changes nothing, `ask-all` asks about every change, `ask-sensitive` about what reaches others or is
    not known."""
    private: Words = ()
    """Names of fields whose content is never logged, reported or shown."""
    output_requirements: Annotated[tuple[Annotated[str, AfterValidator(_over_output)], ...], BeforeValidator(listed)] = ()
    """CEL over `answer` and `facts`: what has to hold when the work is said to be done."""
    scope: Annotated[tuple[Annotated[str, AfterValidator(_over_actions)], ...], BeforeValidator(listed)] = ()
    """CEL as in a rule's `if`: whatever changes something has to lie within each of them."""

    @model_validator(mode="before")
    @classmethod
    def _known(cls, data: Any) -> Any:
        for name in data if isinstance(data, Mapping) else ():
            if name not in cls.model_fields:
                near = get_close_matches(str(name), cls.model_fields, 1)
                hint = f"did you mean {near[0]!r}?" if near else f"known here: {', '.join(cls.model_fields)}"
                raise ValueError(f"there is no constraint {str(name)[:80]!r}; {hint}")
        return data

    def with_(self, more: Constraints) -> Self:
        """Both of them together: what either forbids is forbidden."""
        lists = {k: tuple(dict.fromkeys((*getattr(self, k), *getattr(more, k)))) for k in _LISTS}
        apps = [c.allowed_apps for c in (self, more) if c.allowed_apps is not None]
        levels = [level for level in LEVELS if level in (self.maximum_autonomy, more.maximum_autonomy)]
        both = {"allowed_apps": narrowed(*apps) if len(apps) > 1 else next(iter(apps), None)}
        return self.model_copy(update=lists | both | {"maximum_autonomy": next(iter(levels), None)})

    def dump(self) -> dict[str, Any]:
        """Plain JSON, of what is said."""
        return self.model_dump(mode="json", exclude_defaults=True)

    def unmet(self, facts: Iterable[Fact]) -> list[str]:
        """The requirements that what is known and answered does not fulfil."""
        if not self.output_requirements:
            return []
        told = {fact.name: {"value": fact.value, "kind": fact.kind, "app": fact.app or ""} for fact in facts}
        names = {"answer": told.get("answer", {}).get("value", ""), "facts": told}
        checks = [conditions.check(one, names) for one in self.output_requirements]
        return [f"the output has to fulfil {c.expression}" + (f" ({c.error})" if c.error else "") for c in checks if not c.passed]


def together(first: Constraints, added: Iterable[Mapping[str, Any]]) -> Constraints:
    """`first` with what people have added, as the bodies of those events tell it."""
    return reduce(Constraints.with_, (Constraints.model_validate(body["constraints"]) for body in added), first)


_LISTS = ("forbidden_actions", "blocked_domains", "private", "output_requirements", "scope")


def narrowed(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    """Of two lists of globs, what both allow."""
    return tuple(dict.fromkeys([a for a in one if glob(a, other)] + [a for a in other if glob(a, one)]))


def problem_in(bad: ValidationError, name: str) -> str:
    """The first thing that is wrong with what was given as `name`, as one sentence."""
    first = bad.errors()[0]
    where = ".".join((name, *map(str, first["loc"])))
    return f"{where}: {first['ctx']['error'] if first['type'] == 'value_error' else first['msg']}"


def glob(text: str, patterns: tuple[str, ...]) -> bool:
    folded = text.casefold()
    return any(fnmatchcase(folded, pattern.casefold()) for pattern in patterns)
