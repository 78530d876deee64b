"""What operators and functions of formulas do with values. Errors are values and go through."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from decimal import ROUND_DOWN, ROUND_FLOOR, ROUND_HALF_UP, Decimal
from typing import NamedTuple, TypeAlias

from environments.simulated.apps.documents.spreadsheet.cells import (
    DIV,
    EXACT,
    MAX_TEXT,
    NA,
    NAME,
    NUM,
    REF,
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


Given = list[Operand]


class FunctionSignature(NamedTuple):
    """A function and how many operands it takes."""

    call: Callable[[Given, date], Value]
    least: int
    most: int


def called(name: str, given: Given, today: date) -> Value:
    """The value of a call; `#NAME?` for an unknown function, `#N/A` for a wrong number of operands."""
    named = NAMED.get(name)
    if named is None:
        return NAME
    return named.call(given, today) if named.least <= len(given) <= named.most else NA


def _of_numbers(work: Callable[[list[Decimal]], Value]) -> Callable[[Given, date], Value]:
    def call(given: Given, _: date) -> Value:
        found = numbers(given)
        return found if isinstance(found, Error) else work(found)

    return call


def _average(found: list[Decimal]) -> Value:
    return finite(EXACT.divide(total(found), Decimal(len(found)))) if found else DIV


def _extreme(pick: Callable[[list[Decimal]], Decimal], later: Callable[[list[date]], date]) -> Callable[[Given, date], Value]:
    """MIN and MAX: of numbers, or of days where there are only days."""

    def call(given: Given, _: date) -> Value:
        found = numbers(given)
        if isinstance(found, Error) or found:
            return found if isinstance(found, Error) else pick(found)
        days = [value for value in flat(given) if isinstance(value, date)]
        return later(days) if days else Decimal(0)

    return call


def _count(given: Given, _: date) -> Value:
    kinds = (Decimal, date)
    return Decimal(sum(isinstance(value, kinds) and not isinstance(value, bool) for value in flat(given)))


def _counta(given: Given, _: date) -> Value:
    return Decimal(sum(value is not None for value in flat(given)))


def _countif(given: Given, _: date) -> Value:
    block, fits = given[0], criterion(single(given[1]))
    if not isinstance(block, Block):
        return VALUE
    empty = block.rows * block.columns - len(block.values) if fits(None) else 0
    return Decimal(sum(fits(value) for value in block.values.values()) + empty)


def _chosen(given: Given) -> list[Decimal] | Error:
    """The numbers that SUMIF and AVERAGEIF are about."""
    tested, fits = given[0], criterion(single(given[1]))
    summed = given[2] if len(given) > 2 else tested
    if not isinstance(tested, Block) or not isinstance(summed, Block):
        return VALUE
    blank = fits(None)
    found = []
    for place, value in summed.values.items():
        if place in tested.values and not fits(tested.values[place]):
            continue
        if place not in tested.values and not (blank and place[0] < tested.rows and place[1] < tested.columns):
            continue
        if isinstance(value, Error):
            return value
        if isinstance(value, Decimal):
            found.append(value)
    return found


def _if_numbers(work: Callable[[list[Decimal]], Value]) -> Callable[[Given, date], Value]:
    def call(given: Given, _: date) -> Value:
        found = _chosen(given)
        return found if isinstance(found, Error) else work(found)

    return call


def _truth(operand: Operand) -> bool | Error:
    value = single(operand)
    if isinstance(value, str) and value.upper() in ("TRUE", "FALSE"):
        return value.upper() == "TRUE"
    read = number(value)
    return read if isinstance(read, Error) else bool(read)


def _if(given: Given, _: date) -> Value:
    test = _truth(given[0])
    if isinstance(test, Error):
        return test
    if test:
        return _filled(single(given[1]))
    return _filled(single(given[2])) if len(given) > 2 else False


def _filled(value: Value) -> Value:
    return Decimal(0) if value is None else value


def _iferror(given: Given, _: date) -> Value:
    value = single(given[0])
    return _filled(single(given[1]) if isinstance(value, Error) else value)


def _logic(join: Callable[[list[bool]], bool]) -> Callable[[Given, date], Value]:
    def call(given: Given, _: date) -> Value:
        truths = []
        for value in flat(given):
            test = _truth(value)
            if isinstance(test, Error):
                return test
            truths.append(test)
        return join(truths)

    return call


def _not(given: Given, _: date) -> Value:
    test = _truth(given[0])
    return test if isinstance(test, Error) else not test


def _with_numbers(work: Callable[[list[Decimal]], Value]) -> Callable[[Given, date], Value]:
    """Operands that are single numbers each."""

    def call(given: Given, _: date) -> Value:
        found = []
        for operand in given:
            read = number(single(operand))
            if isinstance(read, Error):
                return read
            found.append(read)
        return work(found)

    return call


def _round(found: list[Decimal]) -> Value:
    return rounded(found[0], _whole(found[1]) if len(found) > 1 else 0)


def _whole(value: Decimal) -> int:
    return int(value) if value.is_finite() and abs(value) < 100_000 else 99_999


def _mod(found: list[Decimal]) -> Value:
    if not found[1]:
        return DIV
    rest = EXACT.remainder(found[0], found[1])
    return finite(EXACT.add(rest, found[1]) if rest and (rest < 0) != (found[1] < 0) else rest)


def _date(found: list[Decimal]) -> Value:
    try:
        return date(*(_whole(value) for value in found))
    except ValueError:
        return VALUE


def _concat(given: Given, _: date) -> Value:
    parts: list[str] = []
    length = 0
    for value in flat(given):
        text = text_of(value)
        if isinstance(text, Error):
            return text
        length += len(text)
        if length > 40_000:
            return VALUE
        parts.append(text)
    return bounded("".join(parts))


def _of_text(work: Callable[[str], Value]) -> Callable[[Given, date], Value]:
    def call(given: Given, _: date) -> Value:
        text = text_of(given[0])
        return text if isinstance(text, Error) else work(text)

    return call


def _cut(work: Callable[[str, list[int]], str]) -> Callable[[Given, date], Value]:
    """LEFT, RIGHT and MID: a text and whole numbers."""

    def call(given: Given, _: date) -> Value:
        text = text_of(given[0])
        if isinstance(text, Error):
            return text
        sizes = []
        for operand in given[1:]:
            read = number(single(operand))
            if isinstance(read, Error):
                return read
            sizes.append(_whole(read))
        return VALUE if any(size < 0 for size in sizes) else work(text, sizes or [1])

    return call


def _right(text: str, sizes: list[int]) -> str:
    return text[-sizes[0] :] if sizes[0] else ""


def _part(name: str) -> Callable[[Given, date], Value]:
    def call(given: Given, _: date) -> Value:
        value = single(given[0])
        if isinstance(value, date):
            return Decimal(getattr(value, name))
        return value if isinstance(value, Error) else VALUE

    return call


def _vlookup(given: Given, _: date) -> Value:
    """Exact when the last operand is FALSE; else the last row that is not greater, as in a sorted list."""
    wanted, block, column = single(given[0]), given[1], number(single(given[2]))
    near = _truth(given[3]) if len(given) > 3 else True
    for bad in (wanted, column, near):
        if isinstance(bad, Error):
            return bad
    if not isinstance(block, Block) or not isinstance(column, Decimal) or column < 1:
        return VALUE
    if column > block.columns:
        return REF
    sign = "<=" if near else "="
    rows = [row for row, value in sorted(block.column(0), key=lambda pair: pair[0]) if _found(sign, value, wanted)]
    if not rows:
        return NA
    return _filled(block.values.get((rows[-1] if near else rows[0], int(column) - 1)))


def _found(sign: str, value: Value, wanted: Value) -> bool:
    return not isinstance(value, Error) and isinstance(value, str) == isinstance(wanted, str) and compared(sign, value, wanted)


MANY = 255
NAMED: dict[str, FunctionSignature] = {
    "SUM": FunctionSignature(_of_numbers(lambda found: finite(total(found))), 1, MANY),
    "AVERAGE": FunctionSignature(_of_numbers(_average), 1, MANY),
    "MIN": FunctionSignature(_extreme(min, min), 1, MANY),
    "MAX": FunctionSignature(_extreme(max, max), 1, MANY),
    "COUNT": FunctionSignature(_count, 1, MANY),
    "COUNTA": FunctionSignature(_counta, 1, MANY),
    "COUNTIF": FunctionSignature(_countif, 2, 2),
    "SUMIF": FunctionSignature(_if_numbers(lambda found: finite(total(found))), 2, 3),
    "AVERAGEIF": FunctionSignature(_if_numbers(_average), 2, 3),
    "IF": FunctionSignature(_if, 2, 3),
    "IFERROR": FunctionSignature(_iferror, 2, 2),
    "AND": FunctionSignature(_logic(all), 1, MANY),
    "OR": FunctionSignature(_logic(any), 1, MANY),
    "NOT": FunctionSignature(_not, 1, 1),
    "ROUND": FunctionSignature(_with_numbers(_round), 1, 2),
    "ABS": FunctionSignature(_with_numbers(lambda found: EXACT.abs(found[0])), 1, 1),
    "INT": FunctionSignature(_with_numbers(lambda found: rounded(found[0], 0, ROUND_FLOOR)), 1, 1),
    "MOD": FunctionSignature(_with_numbers(_mod), 2, 2),
    "CONCAT": FunctionSignature(_concat, 1, MANY),
    "CONCATENATE": FunctionSignature(_concat, 1, MANY),
    "LEN": FunctionSignature(_of_text(lambda text: Decimal(len(text))), 1, 1),
    "UPPER": FunctionSignature(_of_text(lambda text: bounded(text.upper())), 1, 1),
    "LOWER": FunctionSignature(_of_text(lambda text: bounded(text.lower())), 1, 1),
    "TRIM": FunctionSignature(_of_text(lambda text: " ".join(text.split())), 1, 1),
    "LEFT": FunctionSignature(_cut(lambda text, sizes: text[: sizes[0]]), 1, 2),
    "RIGHT": FunctionSignature(_cut(_right), 1, 2),
    "MID": FunctionSignature(_cut(lambda text, sizes: text[max(0, sizes[0] - 1) : max(0, sizes[0] - 1) + sizes[1]]), 3, 3),
    "TODAY": FunctionSignature(lambda given, today: today, 0, 0),
    "DATE": FunctionSignature(_with_numbers(_date), 3, 3),
    "YEAR": FunctionSignature(_part("year"), 1, 1),
    "MONTH": FunctionSignature(_part("month"), 1, 1),
    "DAY": FunctionSignature(_part("day"), 1, 1),
    "VLOOKUP": FunctionSignature(_vlookup, 3, 4),
}
