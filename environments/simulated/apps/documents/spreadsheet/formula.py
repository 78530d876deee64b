"""Formulas: read by a grammar into steps for a stack, so that no nesting is too deep; and rewritten when cells move."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import cache, lru_cache
from typing import Any, TypeAlias

from lark import Lark, Token, Transformer
from lark.exceptions import LarkError, UnexpectedInput

from environments.simulated.apps.documents.spreadsheet.cells import EXACT, MAX_ROWS, At, Error, column_name, column_number

MAX_LENGTH = 4000
_GRAMMAR = r"""
?start: "=" compare
?compare: concat | compare (LE | GE | NE | LT | GT | EQ) concat -> binary
?concat: sum | concat AMP sum -> binary
?sum: product | sum (PLUS | MINUS) product -> binary
?product: power | product (STAR | SLASH) power -> binary
?power: unary | power CARET unary -> binary
?unary: percent | MINUS unary -> unary | PLUS unary -> unary
?percent: atom | percent PERCENT -> percent
?atom: NUMBER -> number | STRING -> string | BOOL -> boolean | ERROR -> error | NAME -> name
     | "(" compare ")" | area | FUNC "(" [arguments] ")" -> call
arguments: compare ("," compare)*
area: [SHEET] CELL [":" CELL] | [SHEET] COLUMNS
LE: "<="
GE: ">="
NE: "<>"
LT: "<"
GT: ">"
EQ: "="
AMP: "&"
PLUS: "+"
MINUS: "-"
STAR: "*"
SLASH: "/"
CARET: "^"
PERCENT: "%"
NUMBER: /[0-9]+(\.[0-9]*)?|\.[0-9]+/
STRING: /"([^"]|"")*"/
BOOL.5: /(TRUE|FALSE)(?![\w.(!])/i
ERROR: /#(REF!|DIV\/0!|VALUE!|NAME\?|NUM!|N\/A|CIRC!)/
SHEET.6: /'([^']|'')+'!|[^\W\d][\w.]*!/
FUNC.4: /[A-Za-z][A-Za-z0-9_.]*(?=\s*\()/
COLUMNS.4: /\$?[A-Za-z]{1,3}:\$?[A-Za-z]{1,3}(?![\w.(])/
CELL.3: /\$?[A-Za-z]{1,3}\$?[1-9][0-9]{0,6}(?![\w.(!])/
NAME.1: /[^\W\d][\w.]*/
%ignore /\s+/
"""


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


class _Node:
    """A step and what it needs, until all is read."""

    __slots__ = ("parts", "step")

    def __init__(self, step: Step, parts: tuple[_Node, ...] = ()) -> None:
        self.step = step
        self.parts = parts


class _Builder(Transformer[Token, _Node]):
    """Called by the parser as it goes: there is no tree to walk down later."""

    def number(self, parts: list[Token]) -> _Node:
        return _Node(EXACT.create_decimal(str(parts[0])))

    def string(self, parts: list[Token]) -> _Node:
        return _Node(str(parts[0])[1:-1].replace('""', '"'))

    def boolean(self, parts: list[Token]) -> _Node:
        return _Node(parts[0].upper() == "TRUE")

    def error(self, parts: list[Token]) -> _Node:
        return _Node(Error(str(parts[0])))

    def name(self, parts: list[Token]) -> _Node:
        return _Node(Error("#NAME?"))

    def area(self, parts: list[Token | None]) -> _Node:
        sheet = _sheet_name(str(parts[0])) if parts[0] else None
        ends = str(parts[1]).split(":") + ([str(parts[2])] if len(parts) > 2 and parts[2] else [])
        area = _area(sheet, [end.replace("$", "") for end in ends])
        return _Node(area if area.last.inside and area.first.inside else Error("#REF!"))

    def binary(self, parts: list[Any]) -> _Node:
        return _Node(Do(str(parts[1]), 2), (parts[0], parts[2]))

    def unary(self, parts: list[Any]) -> _Node:
        return _Node(Do(f"{parts[0]}u", 1), (parts[1],))

    def percent(self, parts: list[Any]) -> _Node:
        return _Node(Do("%", 1), (parts[0],))

    def arguments(self, parts: list[Any]) -> Any:
        return tuple(parts)

    def call(self, parts: list[Any]) -> _Node:
        given = parts[1] or ()
        return _Node(Do(str(parts[0]).upper(), len(given), call=True), tuple(given))


def _sheet_name(token: str) -> str:
    bare = token[:-1]
    return bare[1:-1].replace("''", "'") if bare.startswith("'") else bare


def _area(sheet: str | None, ends: list[str]) -> Area:
    if ends[0].isalpha():
        columns = sorted(column_number(end) for end in ends)
        return Area(sheet, At(1, columns[0]), At(MAX_ROWS, columns[1]), True)
    places = [_place(end) for end in ends]
    rows, columns = sorted(at.row for at in places), sorted(at.column for at in places)
    return Area(sheet, At(rows[0], columns[0]), At(rows[-1], columns[-1]), len(ends) > 1)


def _place(text: str) -> At:
    letters = text.rstrip("0123456789")
    return At(int(text[len(letters) :]), column_number(letters))


@cache
def _parser() -> Lark:
    return Lark(_GRAMMAR, parser="lalr", transformer=_Builder(), maybe_placeholders=True)


@lru_cache(maxsize=4096)
def compiled(text: str) -> Code:
    """The steps of a formula. Raises Mistake."""
    if len(text) > MAX_LENGTH:
        raise Mistake(f"the formula is longer than {MAX_LENGTH} characters")
    try:
        root: Any = _parser().parse(text)
    except UnexpectedInput as bad:
        column = getattr(bad, "column", 0)
        where = f"at character {column}" if isinstance(column, int) and column > 0 else "at its end"
        raise Mistake(f"this formula cannot be read {where}") from None
    except LarkError:
        raise Mistake("this formula cannot be read") from None
    return _flat(root)


def _flat(root: _Node) -> Code:
    """Operands before what uses them."""
    steps: list[Step] = []
    todo = [root]
    while todo:
        node = todo.pop()
        steps.append(node.step)
        todo.extend(node.parts)
    return tuple(reversed(steps))


def areas(code: Code) -> Iterator[Area]:
    return (step for step in code if isinstance(step, Area))


_REFERENCE = re.compile(
    r"""(?P<text>"(?:[^"]|"")*")|(?P<sheet>'(?:[^']|'')+'!|(?<![\w.])[^\W\d][\w.]*!)?"""
    r"""(?P<area>(?<![\w.$])(?:\$?[A-Za-z]{1,3}\$?[1-9][0-9]{0,6}(?::\$?[A-Za-z]{1,3}\$?[1-9][0-9]{0,6})?"""
    r"""|\$?[A-Za-z]{1,3}:\$?[A-Za-z]{1,3})(?![\w.(!]))""",
    re.VERBOSE,
)


def rewritten(text: str, sheet: Callable[[str], str | None], move: Callable[[str | None, list[str]], list[str] | None]) -> str:
    """The formula with other sheets' names, and references as `move` gives them by sheet (None: its own) and ends such as `$B3`.

    What is None is gone, and reads `#REF!`.
    """
    if not text.startswith("="):
        return text

    def one(found: re.Match[str]) -> str:
        if found["text"]:
            return found[0]
        name = _sheet_name(found["sheet"]) if found["sheet"] else None
        named = sheet(name) if name is not None else None
        ends = move(name, found["area"].split(":"))
        if ends is None or (name is not None and named is None):
            return "#REF!"
        return (quoted(named) + "!" if named is not None else "") + ":".join(ends)

    return _REFERENCE.sub(one, text)


def quoted(sheet: str) -> str:
    """A sheet's name as formulas write it."""
    return sheet if re.fullmatch(r"[^\W\d][\w.]*", sheet) else "'" + sheet.replace("'", "''") + "'"


_PARTS = re.compile(r"(\$?)([A-Za-z]{1,3})(\$?)([0-9]*)")


def translated(text: str, rows: int, columns: int) -> str:
    """A formula as it reads when it is copied so far away: what has no `$` goes along."""

    def end(reference: str) -> str | None:
        fixed_column, letters, fixed_row, row = _PARTS.fullmatch(reference).groups()  # type: ignore[union-attr]
        at = At(int(row or 1) + (0 if fixed_row or not row else rows), column_number(letters) + (0 if fixed_column else columns))
        return f"{fixed_column}{column_name(at.column)}{fixed_row}{at.row if row else ''}" if at.inside else None

    def move(_: str | None, ends: list[str]) -> list[str] | None:
        new = [end(reference) for reference in ends]
        return None if None in new else [reference for reference in new if reference is not None]

    return rewritten(text, lambda name: name, move)


def shifted(text: str, own: str, changed: str, row: int, by: int) -> str:
    """A formula of sheet `own` after a row was put into (`by` 1) or taken out of (`by` -1) sheet `changed` at `row`."""

    def move(sheet: str | None, ends: list[str]) -> list[str] | None:
        if (sheet if sheet is not None else own).casefold() != changed.casefold() or not ends[0][-1].isdigit():
            return ends
        parts = [_PARTS.fullmatch(reference).groups() for reference in ends]  # type: ignore[union-attr]
        rows = [int(part[3]) for part in parts]
        if by < 0 and all(number == row for number in rows):
            return None
        new = [_row_after(number, row, by, last=len(rows) > 1 and number == max(rows)) for number in rows]
        if any(number > MAX_ROWS for number in new):
            return None
        return [f"{a}{b}{c}{number}" for (a, b, c, _), number in zip(parts, new, strict=True)]

    return rewritten(text, lambda name: name, move)


def _row_after(number: int, row: int, by: int, last: bool) -> int:
    if by > 0:
        return number + 1 if number >= row else number
    return number - 1 if number > row or (number == row and last) else number
