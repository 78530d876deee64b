"""What operators and functions of formulas do with values. Errors are values and go through."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from decimal import ROUND_DOWN, ROUND_HALF_UP, Decimal
from typing import TypeAlias

from environments.simulated.apps.spreadsheet_cells import (
    DIV,
    EXACT,
    MAX_TEXT,
    NA,
    NAME,
    NUM,
    VALUE,
    Error,
    Value,
    day_of,
    display,
    finite,
    serial,
    typed,
)


@dataclass(frozen=True, slots=True)
class Block:
    """The values of a range: only what is not empty, by row and column counted from 0."""

    rows: int
    columns: int
    values: dict[tuple[int, int], Value]

    def column(self, index: int) -> Iterator[tuple[int, Value]]:
        return ((row, value) for (row, column), value in self.values.items() if column == index)


Operand: TypeAlias = Value | Block


def number(value: Operand) -> Decimal | Error:
    """The value as a number, as `+` takes it."""
    match value:
        case Error():
            return value
        case None:
            return Decimal(0)
        case bool():
            return Decimal(int(value))
        case Decimal():
            return value
        case date():
            return serial(value)
        case str():
            read = typed(value)
            return read if isinstance(read, Decimal) else serial(read) if isinstance(read, date) else VALUE
    return VALUE


def single(value: Operand) -> Value:
    if not isinstance(value, Block):
        return value
    return value.values.get((0, 0)) if value.rows == value.columns == 1 else VALUE


def text_of(value: Operand) -> str | Error:
    one = single(value)
    return one if isinstance(one, Error) else display(one)


def bounded(text: str) -> Value:
    return text if len(text) <= MAX_TEXT else VALUE


def _rank(value: Value) -> tuple[int, Decimal | str]:
    match value:
        case bool():
            return 2, Decimal(int(value))
        case str():
            return 1, value.casefold()
    read = number(value)
    return 0, Decimal(0) if isinstance(read, Error) else read


_ORDER: dict[str, Callable[[int], bool]] = {
    "=": lambda sign: sign == 0, "<>": lambda sign: sign != 0, "<": lambda sign: sign < 0, "<=": lambda sign: sign <= 0,
    ">": lambda sign: sign > 0, ">=": lambda sign: sign >= 0,
}  # fmt: skip


def compared(sign: str, left: Value, right: Value) -> bool:
    """Numbers before texts before truths; texts without regard to case; an empty cell is `0`, `""` or FALSE."""
    if left is None and isinstance(right, str):
        left = ""
    if right is None and isinstance(left, str):
        right = ""
    a, b = _rank(left), _rank(right)
    order = (a[0] > b[0]) - (a[0] < b[0])
    if not order:
        order = (a[1] > b[1]) - (a[1] < b[1])  # type: ignore[operator]
    return _ORDER[sign](order)


def binary(sign: str, left: Operand, right: Operand) -> Value:
    """Two values and an operator between them."""
    a, b = single(left), single(right)
    for side in (a, b):
        if isinstance(side, Error):
            return side
    if sign in _ORDER:
        return compared(sign, a, b)
    if sign == "&":
        return bounded(display(a) + display(b))
    return _reckoned(sign, a, b)


def _reckoned(sign: str, a: Value, b: Value) -> Value:
    x, y = number(a), number(b)
    if isinstance(x, Error):
        return x
    if isinstance(y, Error):
        return y
    if sign == "/" and not y:
        return DIV
    result = finite(_ARITHMETIC[sign](x, y))
    days = isinstance(a, date) + isinstance(b, date)
    if isinstance(result, Decimal) and days == 1 and (sign == "+" or (sign == "-" and isinstance(a, date))):
        return day_of(result)
    return result


_ARITHMETIC: dict[str, Callable[[Decimal, Decimal], Decimal]] = {
    "+": EXACT.add, "-": EXACT.subtract, "*": EXACT.multiply, "/": EXACT.divide, "^": EXACT.power,
}  # fmt: skip


def unary(sign: str, operand: Operand) -> Value:
    read = number(single(operand))
    if isinstance(read, Error):
        return read
    if sign == "%":
        return finite(EXACT.divide(read, Decimal(100)))
    return finite(EXACT.minus(read)) if sign == "-u" else single(operand)


Criterion: TypeAlias = Callable[[Value], bool]


def criterion(wanted: Value) -> Criterion:
    """What COUNTIF and SUMIF mean by `">=10"`, `"<>paid"`, `"Acme*"` or a value."""
    if not isinstance(wanted, str):
        return lambda value: value is not None and not isinstance(value, Error) and compared("=", value, wanted)
    sign = next((sign for sign in ("<=", ">=", "<>", "<", ">", "=") if wanted.startswith(sign)), "")
    rest = wanted[len(sign) :]
    goal = typed(rest)
    if isinstance(goal, str) and sign in ("", "=", "<>"):
        return lambda value: (isinstance(value, str) and like(rest.casefold(), value.casefold())) is not (sign == "<>")
    if goal is None:
        return lambda value: (value in (None, "")) is not (sign == "<>")
    return lambda value: _same_kind(value, goal) and compared(sign or "=", value, goal) if sign != "<>" else value != goal


def _same_kind(value: Value, goal: Value) -> bool:
    return not isinstance(value, Error) and value is not None and _rank(value)[0] == _rank(goal)[0]


def like(pattern: str, text: str) -> bool:
    """Whether a text fits a pattern with `*` and `?`, without ever trying a start twice."""
    p = t = 0
    star, mark = -1, 0
    while t < len(text):
        if p < len(pattern) and pattern[p] == "*":
            star, mark, p = p, t, p + 1
        elif p < len(pattern) and pattern[p] in ("?", text[t]):
            p, t = p + 1, t + 1
        elif star >= 0:
            mark += 1
            p, t = star + 1, mark
        else:
            return False
    return all(char == "*" for char in pattern[p:])


def flat(operands: list[Operand]) -> Iterator[Value]:
    for operand in operands:
        if isinstance(operand, Block):
            yield from operand.values.values()
        else:
            yield operand


def numbers(operands: list[Operand]) -> list[Decimal] | Error:
    """The numbers among operands: in ranges only true ones count, given ones are read as numbers."""
    found: list[Decimal] = []
    for operand in operands:
        for value in operand.values.values() if isinstance(operand, Block) else (operand,):
            if isinstance(value, Error):
                return value
            if isinstance(operand, Block) and (isinstance(value, str | bool | date) or value is None):
                continue
            read = number(value)
            if isinstance(read, Error):
                return read
            found.append(read)
    return found


def total(found: list[Decimal]) -> Decimal:
    result = Decimal(0)
    for value in found:
        result = EXACT.add(result, value)
    return result


def rounded(value: Decimal, places: int, mode: str = ROUND_HALF_UP) -> Value:
    if not -20 <= places <= 20:
        return NUM
    context = EXACT.copy()
    context.prec, context.rounding = 70, mode
    result = value.quantize(Decimal(1).scaleb(-places), context=context)
    if not result.is_finite():
        return value if value.is_finite() else NUM
    return result if places >= 0 else result.quantize(Decimal(1), context=context)


__all__ = ["DIV", "NA", "NAME", "ROUND_DOWN", "Block", "Operand", "binary", "bounded", "compared", "criterion", "flat",
           "number", "numbers", "rounded", "single", "text_of", "total", "unary"]  # fmt: skip
