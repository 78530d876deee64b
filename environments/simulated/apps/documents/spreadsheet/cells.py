"""Cells of a sheet: where they are, what was typed into them, and how their values look."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import NamedTuple, TypeAlias

MAX_ROWS = 12_000
MAX_COLUMNS = 52
MAX_CELLS = 60_000
MAX_TEXT = 4000
"""Longest text in a cell, and longest text that a formula may make."""
EXACT = Context(prec=34, Emax=6144, Emin=-6143, rounding=ROUND_HALF_UP, traps=[])
"""How numbers are reckoned: decimal, never binary; what has no value becomes NaN or infinite and is then `#NUM!`."""
_ADDRESS = re.compile(r"^(\$?)([A-Za-z]{1,3})(\$?)([1-9][0-9]{0,6})$")
_NUMBER = re.compile(r"^[-+]?[$€£]?(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,30})?(?:\.[0-9]{1,20})?(%?)$")
_DAY = re.compile(r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$")
_EPOCH = date(1899, 12, 30)


@dataclass(frozen=True, slots=True)
class Error:
    """An error as a value: `#DIV/0!`."""

    code: str


DIV, NAME, REF, VALUE, CIRC, NUM, NA, BAD = (
    Error(code) for code in ("#DIV/0!", "#NAME?", "#REF!", "#VALUE!", "#CIRC!", "#NUM!", "#N/A", "#ERROR!")
)
Value: TypeAlias = Decimal | str | bool | date | Error | None
"""What a cell is worth; None is an empty cell."""


class At(NamedTuple):
    """A place in a sheet, counted from 1."""

    row: int
    column: int

    @property
    def name(self) -> str:
        return f"{column_name(self.column)}{self.row}"

    @property
    def inside(self) -> bool:
        return 1 <= self.row <= MAX_ROWS and 1 <= self.column <= MAX_COLUMNS


def column_name(column: int) -> str:
    """`1` is `A`, `27` is `AA`."""
    name = ""
    while column > 0:
        column, rest = divmod(column - 1, 26)
        name = chr(65 + rest) + name
    return name


def column_number(name: str) -> int:
    number = 0
    for letter in name.upper():
        number = number * 26 + ord(letter) - 64
    return number


def parse_at(text: str) -> At | None:
    """`B3` or `$B$3` as a place inside of a sheet; None when it is none."""
    found = _ADDRESS.match(text.strip())
    at = At(int(found.group(4)), column_number(found.group(2))) if found else None
    return at if at and at.inside else None


def parse_area(text: str) -> tuple[At, At] | None:
    """`B2:D9` or `B2` as its first and last place."""
    first, _, last = text.partition(":")
    start, end = parse_at(first), parse_at(last or first)
    if start is None or end is None:
        return None
    rows, columns = sorted((start.row, end.row)), sorted((start.column, end.column))
    return At(rows[0], columns[0]), At(rows[1], columns[1])


def key_of(sheet: str, at: At) -> str:
    return f"{sheet}!{at.name}"


def typed(text: str) -> Value:
    """What a text that was typed into a cell is worth; formulas are none of its business."""
    plain = text.strip()
    if not plain:
        return None
    if plain.startswith("'"):
        return plain[1:]
    if plain.upper() in ("TRUE", "FALSE"):
        return plain.upper() == "TRUE"
    if _DAY.match(plain):
        try:
            return date.fromisoformat(plain)
        except ValueError:
            return text
    found = _NUMBER.match(plain)
    if found and any(char.isdigit() for char in plain):
        number = Decimal(re.sub(r"[,$€£%]", "", plain))
        return EXACT.divide(number, Decimal(100)) if found.group(1) else number
    return text


def display(value: Value) -> str:
    """A value as a cell shows it: numbers with two decimals keep them, longer ones are cut to ten."""
    match value:
        case None:
            return ""
        case bool():
            return "TRUE" if value else "FALSE"
        case Error(code=code):
            return code
        case date():
            return value.isoformat()
        case Decimal():
            return _digits(value)
    return value


def _digits(number: Decimal) -> str:
    if not number:
        exponent = number.as_tuple().exponent
        return "0.00" if exponent == -2 else "0"
    if not -10 <= number.adjusted() <= 30:
        return str(EXACT.normalize(EXACT.create_decimal(number)))
    exponent = number.as_tuple().exponent
    if isinstance(exponent, int) and exponent < 0 and exponent != -2:
        number = number.quantize(Decimal("1E-10"), context=Context(prec=60, rounding=ROUND_HALF_UP)) if exponent < -10 else number
        return format(number, "f").rstrip("0").rstrip(".")
    return format(number, "f")


def serial(day: date) -> Decimal:
    """The number of a day, as spreadsheets count them."""
    return Decimal((day - _EPOCH).days)


def day_of(number: Decimal) -> date | Error:
    """The day of a number; `#NUM!` when there is none."""
    if not number.is_finite() or abs(number) > 3_000_000:
        return NUM
    try:
        return _EPOCH + timedelta(days=int(number))
    except OverflowError:
        return NUM


def finite(number: Decimal) -> Value:
    return number if number.is_finite() else NUM
