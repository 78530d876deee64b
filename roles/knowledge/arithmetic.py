"""Functions, arithmetic and comparison of typed values: exact, with units, and with a sentence for what does not fit together."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal

from roles.contracts.values import CURRENCIES, MissingInput, Number, Trouble, Value, converted, is_currency, shown

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


def compared(left: Value, how: str, right: Value, same: Callable[[str, str], bool]) -> bool:
    """Numbers by amount, days by the calendar, texts by their letters, states by what they mean (`is`)."""
    if how in {"=", "!=", "is"}:
        return _equal(left, right, same if how == "is" else _plainly) is (how != "!=")
    if how == "contains":
        return shown(right).casefold() in shown(left).casefold()
    if "" in (left, right):
        return False  # an empty cell comes before nothing and after nothing
    a, b = _ordered(left, right)
    ways: dict[str, bool] = {"<": a < b, "before": a < b, ">": a > b, "after": a > b, "<=": a <= b, ">=": a >= b}
    return ways[how]


def _plainly(left: str, right: str) -> bool:
    return " ".join(left.split()).casefold() == " ".join(right.split()).casefold()


def _equal(left: Value, right: Value, same: Callable[[str, str], bool]) -> bool:
    if isinstance(left, Number) and isinstance(right, Number):
        return not left.unit or not right.unit or left.unit == right.unit if left.amount == right.amount else False
    if type(left) is type(right) and not isinstance(left, str):
        return left == right
    return same(shown(left), shown(right))


def _ordered(left: Value, right: Value) -> tuple[Decimal | int, Decimal | int]:
    """Two values as what can be put in order."""
    if isinstance(left, Number) and isinstance(right, Number):
        if left.unit and right.unit and left.unit != right.unit:
            left = converted(left, right.unit)
        return left.amount, right.amount
    if isinstance(left, date) and isinstance(right, date):
        return left.toordinal(), right.toordinal()
    raise Trouble(f"{shown(left)!r} and {shown(right)!r} cannot be compared")


def arithmetic(left: Value, how: str, right: Value, *, zero: bool = False) -> Value:
    """Exact; a unit is kept where it makes sense, and what does not fit together is said."""
    if isinstance(left, date):
        return _with_days(left, how, right)
    if not isinstance(left, Number) or not isinstance(right, Number):
        raise Trouble(f"{shown(left)!r} {how} {shown(right)!r} is not arithmetic")
    if how in {"+", "-"}:
        unit = left.unit or right.unit
        if left.unit and right.unit and left.unit != right.unit:
            right = converted(right, left.unit)
        return Number(left.amount + right.amount if how == "+" else left.amount - right.amount, right.unit if zero else unit)
    return _scaled(left, how, right)


def _scaled(left: Number, how: str, right: Number) -> Number:
    factor = right.amount / 100 if right.unit == "%" else right.amount
    if how == "*":
        if left.unit and right.unit not in {"", "%"}:
            raise Trouble(f"{shown(left)} times {shown(right)} is no amount of anything")
        return Number(left.amount * factor, left.unit or (right.unit if right.unit != "%" else ""))
    if factor == 0:
        raise Trouble("nothing can be divided by zero")
    if left.unit and right.unit not in {"", "%"}:
        left, factor = replace(converted(left, right.unit), unit=""), right.amount
    return Number(quotient(left.amount, factor), left.unit)


def quotient(left: Decimal, right: Decimal) -> Decimal:
    """At most ten places, without zeros at the end; of an amount with two decimals at least those."""
    exact = (left / right).quantize(Decimal("1e-10")).normalize()
    least = Decimal("0.01") if left.as_tuple().exponent == -2 else Decimal(1)
    return exact.quantize(least) if exact == exact.quantize(least) else exact


def _with_days(day: date, how: str, other: Value) -> Value:
    if isinstance(other, date) and how == "-":
        return Number(Decimal((day - other).days), "day")
    if isinstance(other, Number) and how in {"+", "-"}:
        days = converted(other, "day") if other.unit else other
        step = timedelta(days=int(days.amount))
        return day + step if how == "+" else day - step
    raise Trouble(f"{day.isoformat()} {how} {shown(other)!r} is not arithmetic")


def called(name: str, given: list[Value]) -> Value:
    """The functions that a formula may call."""
    match name, given:
        case "days", [date() as first, date() as second]:
            return Number(Decimal(abs((second - first).days)), "day")
        case "percent", [Number() as part, Number() as whole]:
            ratio = _scaled(Number((part.amount * 100).normalize(), part.unit), "/", whole)
            return Number(ratio.amount, "%")
        case (("larger" | "smaller"), [first, second]):
            a, b = _ordered(first, second)
            return first if (a >= b) is (name == "larger") else second
        case "abs", [Number() as number]:
            return replace(number, amount=abs(number.amount))
        case "convert", [Number() as money, str() as unit, Number() as rate]:
            code = CURRENCIES.get(unit)
            if code is None or not is_currency(money.unit):
                raise Trouble(f"{shown(money)} cannot be converted to {unit!r}")
            return Number((money.amount * rate.amount).quantize(Decimal("0.01")), code)
        case "add_days", [date() as day, Number() as days]:
            return _with_days(day, "+", days)
        case "if", [bool() as so, then, otherwise]:
            return then if so else otherwise
        case _, [str() as text, *said] if name in FUNCTIONS:
            return taken_out(name, text, said)
        case _:
            raise Trouble(f"{name} cannot be worked out of {', '.join(repr(shown(v)) for v in given) or 'nothing'}")
