"""Functions of formulas that take a value out of a running text. What is not there once and for certain is not taken."""

from __future__ import annotations

import re
from collections.abc import Sequence

from roles.knowledge.formulas.values import MissingInput, Number, Trouble, Value, shown

_PHONE = re.compile(r"(?<![\w+])\+?\d(?:[ ()/.-]{0,2}\d){6,14}(?![\w-])")
_DATE = re.compile(r"\d{4}-\d\d-\d\d|\d{1,2}\.\d{1,2}\.\d{4}")
FUNCTIONS = ("between", "line", "like", "phone")


def taken_out(name: str, text: str, said: Sequence[Value]) -> str:
    """What `name` takes out of `text`. Raises MissingInput where it is not there, or not for certain."""
    match name, list(said):
        case "between", [left, right]:
            return _between(text, shown(left), shown(right))
        case "line", [Number() as number]:
            return _line(text, int(number.amount))
        case "like", [str() as shape]:
            return _only(f"like {shape}", _like(text, shape))
        case "phone", []:
            return _only("like a phone number", [m[0] for m in _PHONE.finditer(text) if not _DATE.fullmatch(m[0])])
        case _:
            raise Trouble(f"{name} cannot be worked out of {', '.join(repr(shown(v)) for v in (text, *said))}")


def _between(text: str, left: str, right: str) -> str:
    """From behind `left`, which stands there once, to the next `right`; empty: from the beginning, to the end."""
    if left and text.count(left) != 1:
        raise MissingInput(f"a text in which {left!r} stands once (it stands there {text.count(left)} times)")
    rest = text.partition(left)[2] if left else text
    if right and right not in rest:
        raise MissingInput(f"a text with {right!r} behind {left!r}")
    return (rest.partition(right)[0] if right else rest).strip()


def _line(text: str, number: int) -> str:
    """The line of this number, counted from 1, below 0 from the end; empty ones are not counted."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if not number or abs(number) > len(lines):
        raise MissingInput(f"line {number} of a text that has {len(lines)}")
    return lines[number - 1 if number > 0 else number]


def _like(text: str, shape: str) -> list[str]:
    """The parts that look like `shape`, in which # is any digit."""
    if "#" not in shape:
        raise Trouble(f"{shape!r} has no # for a digit")
    body = re.escape(shape).replace(r"\#", "#").replace("#", r"\d")
    return re.findall(rf"(?<!\w){body}(?!\w)", text)


def _only(what: str, found: Sequence[str]) -> str:
    values = list(dict.fromkeys(found))
    if len(values) != 1:
        seen = f": {', '.join(values[:4])}" if values else ""
        raise MissingInput(f"a text with one value {what} (there are {len(values)}{seen})")
    return values[0]
