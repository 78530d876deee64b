"""Conditions in CEL: whether they can be evaluated, and how they come out."""

import re
import sys
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from types import ModuleType
from typing import Any

from protocol import Frozen

FAULTS = (ValueError, KeyError, TypeError, RuntimeError, IndexError, OverflowError, ZeroDivisionError)
"""What an expression that has no value ends in."""
LONGEST = 4_000
"""Characters of an expression: the interpreter follows a much longer one deeper than its stack goes."""
MOST_LOOPS = 2
"""Loops in each other: the interpreter cannot be stopped, and three over a world's lists take hours."""
_CORE = frozenset(
    [
        *("size", "contains", "startsWith", "endsWith", "matches", "has", "all", "exists", "exists_one", "map", "filter"),
        *("int", "uint", "double", "string", "bytes", "bool", "timestamp", "duration", "type", "dyn"),
        *("getFullYear", "getMonth", "getDate", "getDayOfMonth", "getDayOfWeek", "getDayOfYear"),
        *("getHours", "getMinutes", "getSeconds", "getMilliseconds"),
    ]
)
"""Functions of CEL itself."""
_BOUND = re.compile(r"\.(?:all|exists|exists_one|filter|map)\s*\(\s*([A-Za-z_]\w*)\s*,")

_LOOP = re.compile(
    r""""(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|(?P<loop>\.\s*(?:all|exists|exists_one|filter|map)\s*\()|(?P<sign>[()])"""
)

_PATH = re.compile(
    r"""
    "(?:[^"\\\n]|\\.)*" | '(?:[^'\\\n]|\\.)*'  # a text is no path
    | \bhas\s*\([^()]*\)                       # has() wants the path itself
    | (?<![\w.])(?P<root>[A-Za-z_]\w*)(?P<path>(?:\.[A-Za-z_]\w*)+)(?![\w(])
    """,
    re.VERBOSE,
)


class Check(Frozen):
    """One condition and how it came out."""

    expression: str
    passed: bool
    error: str = ""


def check(expression: str, names: Mapping[str, Any]) -> Check:
    """Evaluate one condition; one that cannot be evaluated has not passed."""
    try:
        value = evaluate(expression, names)
    except FAULTS as bad:
        return Check(expression=expression, passed=False, error=_first_line(bad))
    if isinstance(value, bool):
        return Check(expression=expression, passed=value)
    return Check(expression=expression, passed=False, error=f"gives {value!r}, which is neither true nor false")


@lru_cache(maxsize=256)
def names_in(expression: str) -> frozenset[str]:
    """The names that a condition without a problem speaks of."""
    return frozenset(_program(expression).variables()) - frozenset(_BOUND.findall(expression))


def evaluate(expression: str, names: Mapping[str, Any]) -> Any:
    """The value of a CEL expression. Raises one of the built-in exceptions when there is none."""
    program, context = _prepared(expression, names)
    return program.execute(context)


def evaluate_each(expression: str, name: str, values: Sequence[Any], names: Mapping[str, Any]) -> list[Any]:
    """What a CEL expression gives for each of the values that `name` may stand for; the other names are made known once."""
    program, context = _prepared(expression, {key: value for key, value in names.items() if key != name})
    found = []
    for value in values:
        context.add_variable(name, value)
        found.append(program.execute(context))
    return found


def _prepared(expression: str, names: Mapping[str, Any]) -> tuple[Any, Any]:
    """The program and its context, which knows what the program speaks of and nothing else.

    Each step along `world.apps.chat` copies all that lies below it, in every round of a loop again. So a path is followed
    here, once, as far as it leads to a mapping or a list, and the program is given what lies there.
    """
    shadowed = set(_BOUND.findall(expression))
    places: dict[str, object] = {}
    known: dict[str, str] = {}

    def place(match: re.Match[str]) -> str:
        root, parts = match["root"], (match["path"] or "").split(".")[1:]
        if root is None or root in shadowed or root not in names:
            return match[0]
        value, taken = names[root], root
        while parts and isinstance(value, Mapping) and isinstance(inner := value.get(parts[0]), Mapping | list | tuple):
            value, taken = inner, f"{taken}.{parts.pop(0)}"
        found = known.setdefault(taken, f"place_{len(known)}")
        places[found] = value
        return ".".join([found, *parts])

    program = _program(_PATH.sub(place, expression))
    context = _context()
    spoken = {**names, **places}
    for name in set(program.variables()) & spoken.keys():
        context.add_variable(name, spoken[name])
    return program, context


def problem_with(expression: str, names: Sequence[str]) -> str:
    """Why an expression can never be evaluated, or nothing: bad grammar, or a name that does not exist."""
    try:
        program = _program(expression)
    except FAULTS as bad:
        return _first_line(bad)
    # The functions that it calls; operators are none
    if unheard := frozenset(name for name in program.functions() if name[0].isalpha()) - _functions():
        return f"there is no function {sorted(unheard)[0]}()"
    unknown = set(program.variables()) - set(names) - set(_BOUND.findall(expression))
    if not unknown:
        return ""
    return f"it uses unknown names ({', '.join(sorted(unknown))}); known names are {', '.join(names)}"


@cache
def _functions() -> frozenset[str]:
    """Those of CEL itself, and of its library."""
    return _CORE.union(_context().functions)


def _loops_within(expression: str) -> int:
    """How many loops stand in each other at most."""
    open_loops, most = [0], 0
    for match in _LOOP.finditer(expression):
        if match["loop"] or match["sign"] == "(":
            open_loops.append(open_loops[-1] + bool(match["loop"]))
        elif match["sign"] and len(open_loops) > 1:
            open_loops.pop()
        most = max(most, open_loops[-1])
    return most


@lru_cache(maxsize=256)
def _program(expression: str) -> Any:
    if len(expression) > LONGEST:
        raise ValueError(f"it is longer than {LONGEST:,} characters")
    if _loops_within(expression) > MOST_LOOPS:
        raise ValueError(f"more than {MOST_LOOPS} loops are nested in each other")
    return _library().compile(expression)


def _context() -> Any:
    library = _library()
    context = library.Context()
    library.stdlib.add_stdlib_to_context(context)
    return context


@cache
def _library() -> Any:
    sys.modules.setdefault("cel.cli", ModuleType("cel.cli"))  # its command line, with a terminal toolkit of 400 modules
    import cel  # here, since lists evaluate nothing

    return cel


def _first_line(bad: BaseException) -> str:
    if isinstance(bad, KeyError):
        return f"there is no {bad.args[0]!r}"
    # Of a grammar only what was found counts: the expression is named by whoever asked, and what could stand there is 15 kinds.
    said = re.sub(r"^Failed to parse expression .*?: ERROR: <input>:1:(\d+): ", r"column \1: ", str(bad).partition("\n")[0])
    return said.partition(" expecting {")[0] or type(bad).__name__
