"""A workbook reckoned: every cell's value from what was typed, each formula once, in the order of what needs what."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import copy
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from fnmatch import fnmatchcase
from functools import wraps
from typing import ParamSpec, TypeAlias

from environments.simulated.apps.documents.spreadsheet.formula import (
    BAD,
    CIRC,
    DIV,
    EXACT,
    MAX_TEXT,
    NA,
    NAME,
    NUM,
    REF,
    VALUE,
    Area,
    At,
    Code,
    Do,
    Error,
    Mistake,
    Value,
    areas,
    compiled,
    day_of,
    display,
    finite,
    parse_at,
    serial,
    typed,
)


@dataclass(frozen=True, slots=True)
class Block:
    """The values of a range: only what is not empty, by row and column counted from 0."""

    rows: int
    columns: int
    values: dict[tuple[int, int], Value]


Operand: TypeAlias = Value | Block
P = ParamSpec("P")


class Failed(Exception):
    """What is worked out is an error, whatever else is given."""

    def __init__(self, error: Error) -> None:
        self.error = error


def _valued(work: Callable[P, Value]) -> Callable[P, Value]:
    """The same, with the error as its value where it fails."""

    @wraps(work)
    def call(*args: P.args, **kwargs: P.kwargs) -> Value:
        try:
            return work(*args, **kwargs)
        except Failed as failed:
            return failed.error

    return call


def number(value: Operand) -> Decimal:
    """The value as a number, as `+` takes it. Raises Failed."""
    match value:
        case Error():
            raise Failed(value)
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
            if isinstance(read, Decimal | date):
                return read if isinstance(read, Decimal) else serial(read)
    raise Failed(VALUE)


def single(value: Operand) -> Value:
    if not isinstance(value, Block):
        return value
    return value.values.get((0, 0)) if value.rows == value.columns == 1 else VALUE


def sound(operand: Operand) -> Value:
    """One value. Raises Failed for an error."""
    if isinstance(value := single(operand), Error):
        raise Failed(value)
    return value


def rank(value: Value) -> tuple[int, Decimal | str]:
    """How values of different kinds stand in order."""
    match value:
        case bool():
            return 2, Decimal(int(value))
        case str():
            return 1, value.casefold()
    return 0, Decimal(0) if isinstance(value, Error) else number(value)


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
    a, b = rank(left), rank(right)
    order = (a[0] > b[0]) - (a[0] < b[0])
    if not order:
        order = (a[1] > b[1]) - (a[1] < b[1])  # type: ignore[operator]
    return _ORDER[sign](order)


@_valued
def binary(sign: str, left: Operand, right: Operand) -> Value:
    """Two values and an operator between them."""
    a, b = sound(left), sound(right)
    if sign in _ORDER:
        return compared(sign, a, b)
    if sign == "&":
        text = display(a) + display(b)
        return text if len(text) <= MAX_TEXT else VALUE
    x, y = number(a), number(b)
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


@_valued
def unary(sign: str, operand: Operand) -> Value:
    read = number(single(operand))
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
        pattern = rest.casefold().replace("[", "[[]")  # only `*` and `?` mean something
        return lambda value: (isinstance(value, str) and fnmatchcase(value.casefold(), pattern)) is not (sign == "<>")
    if goal is None:
        return lambda value: (value in (None, "")) is not (sign == "<>")
    if sign == "<>":
        return lambda value: value != goal
    kind = rank(goal)[0]
    return lambda value: (
        not isinstance(value, Error) and value is not None and rank(value)[0] == kind and compared(sign or "=", value, goal)
    )


def flat(operands: list[Operand]) -> Iterator[Value]:
    for operand in operands:
        if isinstance(operand, Block):
            yield from operand.values.values()
        else:
            yield operand


def numbers(operands: list[Operand]) -> list[Decimal]:
    """The numbers among operands: in ranges only true ones count, given ones are read as numbers. Raises Failed."""
    found: list[Decimal] = []
    for operand in operands:
        for value in operand.values.values() if isinstance(operand, Block) else (operand,):
            if not (isinstance(operand, Block) and (value is None or isinstance(value, str | bool | date))):
                found.append(number(value))
    return found


def total(found: list[Decimal]) -> Decimal:
    result = Decimal(0)
    for value in found:
        result = EXACT.add(result, value)
    return result


def rounded(value: Decimal, given: Decimal = Decimal(0)) -> Value:
    if not given.is_finite() or not -21 < given < 21:
        return NUM
    places = int(given)
    context = EXACT.copy()
    context.prec = 70
    result = value.quantize(Decimal(1).scaleb(-places), context=context)
    if not result.is_finite():
        return value if value.is_finite() else NUM
    return result if places >= 0 else result.quantize(Decimal(1), context=context)


Given = list[Operand]
Call: TypeAlias = Callable[[Given, date], Value]


@_valued
def called(name: str, given: Given, today: date) -> Value:
    """The value of a call; `#NAME?` for an unknown function, `#N/A` for a wrong number of operands."""
    if name not in _NAMED:
        return NAME
    call, least, most = _NAMED[name]
    return call(given, today) if least <= len(given) <= most else NA


def _of_numbers(work: Callable[[list[Decimal]], Value]) -> Call:
    return lambda given, _: work(numbers(given))


def _extreme(pick: Callable[[list[Decimal]], Decimal], later: Callable[[list[date]], date]) -> Call:
    """MIN and MAX: of numbers, or of days where there are only days."""

    def call(given: Given, _: date) -> Value:
        if found := numbers(given):
            return pick(found)
        days = [value for value in flat(given) if isinstance(value, date)]
        return later(days) if days else Decimal(0)

    return call


def _countif(given: Given, _: date) -> Value:
    block, fits = given[0], criterion(single(given[1]))
    if not isinstance(block, Block):
        return VALUE
    empty = block.rows * block.columns - len(block.values) if fits(None) else 0
    return Decimal(sum(fits(value) for value in block.values.values()) + empty)


def _sumif(given: Given, _: date) -> Value:
    tested, fits = given[0], criterion(single(given[1]))
    summed = given[2] if len(given) > 2 else tested
    if not isinstance(tested, Block) or not isinstance(summed, Block):
        raise Failed(VALUE)
    blank = fits(None)
    found = []
    for place, value in summed.values.items():
        if place in tested.values and not fits(tested.values[place]):
            continue
        if place not in tested.values and not (blank and place[0] < tested.rows and place[1] < tested.columns):
            continue
        if isinstance(value, Decimal | Error):
            found.append(number(value))
    return finite(total(found))


def _truth(operand: Operand) -> bool:
    value = single(operand)
    if isinstance(value, str) and value.upper() in ("TRUE", "FALSE"):
        return value.upper() == "TRUE"
    return bool(number(value))


def _if(given: Given, _: date) -> Value:
    chosen = given[1:2] if _truth(given[0]) else given[2:3]
    value = single(chosen[0]) if chosen else False
    return Decimal(0) if value is None else value


def _with_numbers(work: Callable[[list[Decimal]], Value]) -> Call:
    """Operands that are single numbers each."""
    return lambda given, _: work([number(single(operand)) for operand in given])


MANY = 255
_NAMED: dict[str, tuple[Call, int, int]] = {
    "SUM": (_of_numbers(lambda found: finite(total(found))), 1, MANY),
    "AVERAGE": (_of_numbers(lambda found: finite(EXACT.divide(total(found), Decimal(len(found)))) if found else DIV), 1, MANY),
    "MIN": (_extreme(min, min), 1, MANY),
    "MAX": (_extreme(max, max), 1, MANY),
    "COUNT": (lambda given, _: Decimal(sum(isinstance(value, Decimal | date) for value in flat(given))), 1, MANY),
    "COUNTA": (lambda given, _: Decimal(sum(value is not None for value in flat(given))), 1, MANY),
    "COUNTIF": (_countif, 2, 2),
    "SUMIF": (_sumif, 2, 3),
    "IF": (_if, 2, 3),
    "AND": (lambda given, _: all([_truth(value) for value in flat(given)]), 1, MANY),
    "OR": (lambda given, _: any([_truth(value) for value in flat(given)]), 1, MANY),
    "NOT": (lambda given, _: not _truth(given[0]), 1, 1),
    "ROUND": (_with_numbers(lambda found: rounded(*found)), 1, 2),
    "ABS": (_with_numbers(lambda found: EXACT.abs(found[0])), 1, 1),
    "TODAY": (lambda given, today: today, 0, 0),
}
"""Each function with the least and the most operands that it takes."""


WORK = 900_000
"""How many cells all formulas together may read; one more, and a formula is `#NUM!`."""
Place = tuple[str, At]


def place_of(key: str) -> tuple[str, At | None]:
    """The sheet of `March!B3`, and the place in it."""
    sheet, _, name = key.rpartition("!")
    return sheet, parse_at(name)


class Book:
    """The values of all cells."""

    def __init__(self, sheets: tuple[str, ...], cells: Mapping[str, str], today: date) -> None:
        self.today = today
        self.names = {name.casefold(): name for name in sheets}
        self.values: dict[str, dict[At, Value]] = {name: {} for name in sheets}
        self._codes: dict[Place, Code] = {}
        self._left = WORK
        self._extents: dict[str, At] = {}
        for key, text in cells.items():
            sheet, at = place_of(key)
            if at is not None and sheet in self.values:
                self._put(sheet, at, text)
        self._reckon()

    def with_values(self, texts: Mapping[str, str | None]) -> "Book | None":
        """The book with other values in some cells; None where formulas are among them, and it has to be made anew."""
        places = {place_of(key): text or "" for key, text in texts.items()}
        if any(place in self._codes or text.startswith("=") for place, text in places.items()):
            return None
        other = copy(self)
        other.values, other._extents, other._left = {name: dict(used) for name, used in self.values.items()}, {}, WORK
        for (sheet, at), text in places.items():
            if at is not None and sheet in other.values:
                other.values[sheet].pop(at, None)
                other._put(sheet, at, text)
        for sheet, at in self._codes:
            other.values[sheet][at] = CIRC
        other._reckon()
        return other

    def value(self, sheet: str, at: At) -> Value:
        return self.values.get(sheet, {}).get(at)

    def extent(self, sheet: str) -> At:
        """The last row and the last column in use."""
        if sheet not in self._extents:
            used = self.values.get(sheet, {})
            self._extents[sheet] = At(max((at.row for at in used), default=0), max((at.column for at in used), default=0))
        return self._extents[sheet]

    def worth(self, sheet: str, formula: str) -> Value:
        """What a formula would be worth in that sheet. Raises Mistake. For a book of one's own: it uses up its work."""
        self._left = WORK
        return self._run(sheet, compiled(formula))

    def _put(self, sheet: str, at: At, text: str) -> None:
        if not text.startswith("="):
            if (value := typed(text)) is not None:
                self.values[sheet][at] = value
            return
        try:
            self._codes[sheet, at] = compiled(text)
            self.values[sheet][at] = CIRC
        except Mistake:
            self.values[sheet][at] = BAD

    def _reckon(self) -> None:
        codes = self._codes

        def needs(here: Place) -> list[Place]:
            # The formulas that a formula reads
            found: list[Place] = []
            for area in areas(codes[here]):
                sheet = self._sheet(area, here[0])
                if sheet is None:
                    continue
                if len(codes) < area.size:
                    beside = (place for place in codes if place[0] == sheet and _within(place[1], area))
                    found.extend(beside if self._spend(area, sheet) else ())
                else:
                    found.extend((sheet, at) for at in self._inside(sheet, area) if (sheet, at) in codes)
            return found

        for together in components(codes, needs):
            if len(together) == 1 and together[0] not in needs(together[0]):
                sheet, at = together[0]
                self.values[sheet][at] = self._run(sheet, codes[sheet, at])

    def _sheet(self, area: Area, own: str) -> str | None:
        return own if area.sheet is None else self.names.get(area.sheet.casefold())

    def _inside(self, sheet: str, area: Area) -> list[At]:
        """The cells in use within a range, by whichever way is shorter."""
        used = self.values[sheet]
        first, last = area.first, area.last
        if not self._spend(area, sheet):
            return []
        if area.size <= len(used):
            places = (At(r, c) for r in range(first.row, last.row + 1) for c in range(first.column, last.column + 1))
            return [at for at in places if at in used]
        return [at for at in used if _within(at, area)]

    def _spend(self, area: Area, sheet: str) -> bool:
        """Count what it takes to go through a range; False where no work is left."""
        self._left -= min(area.size, len(self.values[sheet]))
        return self._left >= 0

    def _run(self, own: str, code: Code) -> Value:
        stack: list[Operand] = []
        for step in code:
            if isinstance(step, Area):
                stack.append(self._read(own, step))
            elif isinstance(step, Do):
                given = stack[len(stack) - step.count :]
                del stack[len(stack) - step.count :]
                if step.call:
                    stack.append(called(step.name, given, self.today))
                else:
                    stack.append(binary(step.name, *given) if step.count == 2 else unary(step.name, given[0]))
            else:
                stack.append(step)
        if self._left < 0:
            return NUM
        result = single(stack[0])
        return result if result is not None else typed("0")

    def _read(self, own: str, area: Area) -> Operand:
        sheet = self._sheet(area, own)
        if sheet is None:
            return REF
        if not area.many:
            return self.values[sheet].get(area.first)
        used, first, last = self.values[sheet], area.first, area.last
        cells = sorted(self._inside(sheet, area))
        values = {(at.row - first.row, at.column - first.column): used[at] for at in cells}
        return Block(last.row - first.row + 1, last.column - first.column + 1, values)


def _within(at: At, area: Area) -> bool:
    return area.first.row <= at.row <= area.last.row and area.first.column <= at.column <= area.last.column


def components(places: Iterable[Place], needs: Callable[[Place], list[Place]]) -> Iterator[list[Place]]:
    """Places that need each other, together, after all that they need (Tarjan's way, with a stack of its own)."""
    order: dict[Place, int] = {}
    low: dict[Place, int] = {}
    waiting: dict[Place, None] = {}
    for start in places:
        walk = [] if start in order else [(start, iter(needs(start)))]
        while walk:
            here, rest = walk[-1]
            if here not in order:
                order[here] = low[here] = len(order)
                waiting[here] = None
            for need in rest:
                if need not in order:
                    walk.append((need, iter(needs(need))))
                    break
                if need in waiting:
                    low[here] = min(low[here], order[need])
            else:
                walk.pop()
                if walk:
                    low[walk[-1][0]] = min(low[walk[-1][0]], low[here])
                if low[here] == order[here]:
                    # The last ones that wait, down to `first`
                    together: list[Place] = []
                    while not together or together[-1] != here:
                        together.append(waiting.popitem()[0])
                    yield together


_KEPT: list[tuple[Mapping[str, str], tuple[str, ...], str, Book]] = []


def book_of(sheets: tuple[str, ...], cells: Mapping[str, str], today: str) -> Book:
    """The workbook of a state; the last few are kept, since most actions change no cell."""
    for kept in _KEPT:
        if kept[0] is cells and kept[1] == sheets and kept[2] == today:
            return kept[3]
    return _kept(sheets, cells, today, Book(sheets, cells, date.fromisoformat(today)))


def follow_up(before: Mapping[str, str], cells: Mapping[str, str], changed: Mapping[str, str | None]) -> None:
    """Make the workbook of `cells` from that of `before`, where that one is kept and only a few values are others."""
    for kept in _KEPT:
        if kept[0] is before and (book := kept[3].with_values(changed)) is not None:
            _kept(kept[1], cells, kept[2], book)
            return


def _kept(sheets: tuple[str, ...], cells: Mapping[str, str], today: str, book: Book) -> Book:
    _KEPT.insert(0, (cells, sheets, today, book))
    del _KEPT[4:]
    return book
