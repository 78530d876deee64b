"""Formulas: read by a grammar into steps for a stack, so that no nesting is too deep; and as it reads where it is copied to."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Context, Decimal
from functools import cache, lru_cache
from itertools import chain
from typing import Any, NamedTuple, TypeAlias

from lark import Lark, Token, Transformer
from lark.exceptions import LarkError, UnexpectedInput

MAX_ROWS = 12_000
MAX_COLUMNS = 52
MAX_CELLS = 60_000
MAX_TEXT = 4000
"""Longest text in a cell, and longest text that a formula may make."""
EXACT = Context(prec=34, Emax=6144, Emin=-6143, rounding=ROUND_HALF_UP, traps=[])
"""How numbers are reckoned: decimal, never binary; what has no value becomes NaN or infinite and is then `#NUM!`."""
_ADDRESS = re.compile(r"^(\$?)([A-Za-z]{1,3})(\$?)([1-9][0-9]{0,6})$")
_PARTS = re.compile(r"(\$?)([A-Za-z]{1,3})(\$?)([0-9]*)")
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


@dataclass(frozen=True, slots=True)
class Area:
    """A range of a sheet; one cell when it is not `many`. A bad one is `#REF!`."""

    sheet: str | None
    first: At
    last: At
    many: bool

    @property
    def size(self) -> int:
        return (self.last.row - self.first.row + 1) * (self.last.column - self.first.column + 1)


@dataclass(frozen=True, slots=True)
class Do:
    """One step: take `count` values from the stack, put one back."""

    name: str
    count: int
    call: bool = False


Step: TypeAlias = Do | Area | Decimal | str | bool | Error
Code: TypeAlias = tuple[Step, ...]


class Mistake(Exception):
    """The formula cannot be read; the message says where."""


class _Builder(Transformer[Token, Code]):
    """Called by the parser as it goes, so that there is no tree: the steps of each part, operands before what uses them."""

    def number(self, parts: list[Token]) -> Code:
        return (EXACT.create_decimal(str(parts[0])),)

    def string(self, parts: list[Token]) -> Code:
        return (str(parts[0])[1:-1].replace('""', '"'),)

    def boolean(self, parts: list[Token]) -> Code:
        return (parts[0].upper() == "TRUE",)

    def error(self, parts: list[Token]) -> Code:
        return (Error(str(parts[0])),)

    def name(self, parts: list[Token]) -> Code:
        return (NAME,)

    def area(self, parts: list[Token | None]) -> Code:
        bare = str(parts[0])[:-1] if parts[0] else None
        sheet = bare[1:-1].replace("''", "'") if bare and bare.startswith("'") else bare
        ends = str(parts[1]).split(":") + ([str(parts[2])] if len(parts) > 2 and parts[2] else [])
        read = [found for end in ends if (found := _PARTS.fullmatch(end.replace("$", "")))]
        columns = sorted(column_number(end[2]) for end in read)
        rows = sorted(int(end[4]) for end in read if end[4]) or [1, MAX_ROWS]
        area = Area(sheet, At(rows[0], columns[0]), At(rows[-1], columns[-1]), len(ends) > 1)
        return (area if area.last.inside and area.first.inside else REF,)

    def binary(self, parts: list[Any]) -> Code:
        return (*parts[0], *parts[2], Do(str(parts[1]), 2))

    def unary(self, parts: list[Any]) -> Code:
        return (*parts[1], Do(f"{parts[0]}u", 1))

    def percent(self, parts: list[Any]) -> Code:
        return (*parts[0], Do("%", 1))

    def arguments(self, parts: list[Any]) -> Any:
        return tuple(parts)

    def call(self, parts: list[Any]) -> Code:
        given = parts[1] or ()
        return (*chain.from_iterable(given), Do(str(parts[0]).upper(), len(given), call=True))


@cache
def _parser() -> Lark:
    return Lark.open("formula.lark", rel_to=__file__, parser="lalr", transformer=_Builder(), maybe_placeholders=True)


@lru_cache(maxsize=4096)
def compiled(text: str) -> Code:
    """The steps of a formula. Raises Mistake."""
    if len(text) > MAX_TEXT:
        raise Mistake(f"the formula is longer than {MAX_TEXT} characters")
    try:
        steps: Any = _parser().parse(text)
    except UnexpectedInput as bad:
        column = getattr(bad, "column", 0)
        where = f"at character {column}" if isinstance(column, int) and column > 0 else "at its end"
        raise Mistake(f"this formula cannot be read {where}") from None
    except LarkError:
        raise Mistake("this formula cannot be read") from None
    return tuple(steps)


def areas(code: Code) -> Iterator[Area]:
    return (step for step in code if isinstance(step, Area))


_REFERENCE = re.compile(
    r"""(?P<text>"(?:[^"]|"")*")|(?P<sheet>'(?:[^']|'')+'!|(?<![\w.])[^\W\d][\w.]*!)?"""
    r"""(?P<area>(?<![\w.$])(?:\$?[A-Za-z]{1,3}\$?[1-9][0-9]{0,6}(?::\$?[A-Za-z]{1,3}\$?[1-9][0-9]{0,6})?"""
    r"""|\$?[A-Za-z]{1,3}:\$?[A-Za-z]{1,3})(?![\w.(!]))""",
    re.VERBOSE,
)


def quoted(sheet: str) -> str:
    """A sheet's name as formulas write it."""
    return sheet if re.fullmatch(r"[^\W\d][\w.]*", sheet) else "'" + sheet.replace("'", "''") + "'"


def translated(text: str, rows: int, columns: int) -> str:
    """A formula as it reads when it is moved so far: what has no `$` goes along; what leaves the sheet is `#REF!`."""
    if not text.startswith("="):
        return text

    def end(reference: str) -> str | None:
        fixed_column, letters, fixed_row, row = _PARTS.fullmatch(reference).groups()  # type: ignore[union-attr]
        at = At(int(row or 1) + (0 if fixed_row or not row else rows), column_number(letters) + (0 if fixed_column else columns))
        return f"{fixed_column}{column_name(at.column)}{fixed_row}{at.row if row else ''}" if at.inside else None

    def one(found: re.Match[str]) -> str:
        if found["text"]:
            return found[0]
        ends = [end(reference) for reference in found["area"].split(":")]
        return (found["sheet"] or "") + ":".join(filter(None, ends)) if None not in ends else "#REF!"

    return _REFERENCE.sub(one, text)
