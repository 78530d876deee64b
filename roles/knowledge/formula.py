"""Formulas over the blackboard: parsed by a grammar, worked out exactly, and every fact that was used is named."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from decimal import Decimal
from functools import lru_cache, reduce
from typing import Any

from lark import Lark, Token, Tree
from lark.exceptions import LarkError

from roles.contracts import AnalystRequest, Fact, Result
from roles.contracts.values import (
    CURRENCIES,
    MissingInput,
    Number,
    Table,
    Trouble,
    Value,
    converted,
    is_currency,
    kind_of_value,
    shown,
    table_of,
    table_text,
    typed,
    unit_of,
)
from roles.contracts.values import number_of as number_of_text
from roles.screen.matching import only, similarity
from roles.screen.values import same_state, values_in

_PHONE = re.compile(r"(?<![\w+])\+?\d(?:[ ()/.-]{0,2}\d){6,14}(?![\w-])")
_DATE = re.compile(r"\d{4}-\d\d-\d\d|\d{1,2}\.\d{1,2}\.\d{4}")


def _taken_out(name: str, text: str, said: Sequence[Value]) -> str:
    """What `name` takes out of `text`. Raises MissingInput where it is not there, or not for certain."""
    match name, said:
        case "line", [Number() as number]:
            return _line(text, int(number.amount))
        case "like", [str() as shape]:
            if "#" not in shape:
                raise Trouble(f"{shape!r} has no # for a digit")
            body = re.escape(shape).replace(r"\#", "#").replace("#", r"\d")
            return _only(f"like {shape}", re.findall(rf"(?<!\w){body}(?!\w)", text))
        case "phone", []:
            return _found("phone", text)
        case "found", [_, *_]:
            return _found(text, " · ".join(map(shown, said)))
        case _:
            raise Trouble(f"{name} cannot be computed from {', '.join(repr(shown(v)) for v in (text, *said))}")


def _found(kind: str, text: str) -> str:
    """The only value of a kind in a text: a phone number, an amount of money, or by its noun what is named, such as `Room 7`."""
    match kind:
        case "phone":
            values = [m[0] for m in _PHONE.finditer(text) if not _DATE.fullmatch(m[0])]
        case "date" | "email" | "id" | "money" | "time":
            values = values_in(kind, text)
        case _:
            noun = re.escape(kind.capitalize())
            begun = r"(?<=[a-z] )(?:[A-Z]\w* )+"  # not the first word of a sentence: "Use Room 12"
            values = re.findall(rf"\b{noun} (?:\d+\w?|[A-Z])\b|{begun}{noun}\b(?! [\dA-Z])", text)
    return _only(f"like a {kind}", values)


def _line(text: str, number: int) -> str:
    """The line of this number, counted from 1, below 0 from the end; empty ones are not counted."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if not number or abs(number) > len(lines):
        raise MissingInput(f"line {number} of a text that has {len(lines)}")
    return lines[number - 1 if number > 0 else number]


def _only(what: str, found: Sequence[str]) -> str:
    values = list(dict.fromkeys(found))
    if len(values) != 1:
        seen = f": {', '.join(values[:4])}" if values else ""
        raise MissingInput(f"a text with one value {what} (there are {len(values)}{seen})")
    return values[0]


def compared(left: Value, how: str, right: Value) -> bool:
    """Numbers by amount, days by the calendar, texts by their letters, states by what they mean (`is`)."""
    if how in {"=", "!=", "is"}:
        return _equal(left, right, same_state if how == "is" else _plainly) is (how != "!=")
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
        return left.amount == right.amount and (not left.unit or not right.unit or left.unit == right.unit)
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
            raise Trouble(f"{shown(left)} times {shown(right)} is not an amount of anything")
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
        case "line" | "like" | "phone" | "found", [str() as text, *said]:
            return _taken_out(name, text, said)
        case _:
            raise Trouble(f"{name} cannot be computed from {', '.join(repr(shown(v)) for v in given) or 'nothing'}")


@dataclass(frozen=True)
class Column:
    """One column of a table."""

    index: int
    table: Table

    @classmethod
    def of(cls, table: Table, wanted: str) -> Column:
        """The column of this name, else the one whose heading means it; two that mean it equally well are none."""
        names = [name.casefold() for name in table.columns]
        if wanted.casefold() in names:
            return cls(names.index(wanted.casefold()), table)
        at = only(range(len(names)), lambda n: similarity(wanted, table.columns[n]), 0.75)
        if at is None:
            raise MissingInput(f"the column [{wanted}] (there are {', '.join(table.columns)})")
        return cls(at, table)

    @property
    def name(self) -> str:
        return self.table.columns[self.index]

    def values(self) -> tuple[Value, ...]:
        return tuple(typed(row[self.index]) for row in self.table.rows)


def aggregated(how: str, values: Sequence[Any]) -> Value:
    """One value of many. What is empty is left out of all but the count; a text among numbers is said."""
    if how == "count":
        return Number(Decimal(len(values)))
    filled: list[Value] = [value for value in values if value != ""]
    if how in {"minimum", "maximum"}:
        if not filled:
            raise MissingInput("a row to take the least or the most of")
        return (max if how == "maximum" else min)(filled, key=_order)
    numbers = [_number(value) for value in filled]
    units = {n.unit for n in numbers if n.unit}
    if len(units) > 1:
        raise MissingInput(f"a rate between {' and '.join(sorted(units))}")
    unit = units.pop() if units else ""
    total = sum((n.amount for n in numbers), Decimal(0))
    if how == "sum":
        return Number(total, unit)
    if not numbers:
        raise MissingInput("a row to take the average of")
    return Number(quotient(total, Decimal(len(numbers))), unit)


def _number(value: Value) -> Number:
    if not isinstance(value, Number):
        raise Trouble(f"{shown(value)!r} is not a number")
    return value


def _order(value: Value) -> tuple[int, Decimal | int | str]:
    """Numbers before days before texts, each in its own order."""
    if isinstance(value, Number):
        return 0, value.amount
    if isinstance(value, date):
        return 1, value.toordinal()
    return 2, shown(value).casefold()


def _sorted(column: Column, order: str = "up") -> Table:
    """Rows by a column; rows without a value come last."""
    keyed = list(zip(column.values(), column.table.rows, strict=True))
    filled = sorted((pair for pair in keyed if pair[0] != ""), key=lambda pair: _order(pair[0]), reverse=order == "down")
    empty = [row for value, row in keyed if value == ""]
    return replace(column.table, rows=(*(row for _, row in filled), *empty))


def _picked(column: Column, choose: Callable[..., Any]) -> Table:
    """The rows that have the largest or the smallest value: several when they are equal."""
    keyed = [(_order(value), row) for value, row in zip(column.values(), column.table.rows, strict=True) if value != ""]
    chosen = choose((key for key, _ in keyed), default=None)
    return replace(column.table, rows=tuple(row for key, row in keyed if key == chosen))


def _grouped(by: Column, how: str, of: Column | None = None) -> Table:
    """One row for each value of a column, in order of appearance."""
    groups: dict[str, list[Value]] = {}
    for row, value in zip(by.table.rows, of.values() if of is not None else by.values(), strict=True):
        groups.setdefault(row[by.index], []).append(value)
    rows = tuple((name, shown(aggregated(how, values))) for name, values in groups.items())
    return Table((by.name, f"{how} of {of.name}" if of is not None else how), rows, by.table.source)


def _first_of(column: Column) -> Value:
    if not column.table.rows:
        raise MissingInput(f"a row with {column.name}")
    return column.values()[0]


def _only_columns(*columns: Column) -> Table:
    kept = tuple(tuple(row[c.index] for c in columns) for row in columns[0].table.rows)
    return Table(tuple(column.name for column in columns), kept, columns[0].table.source)


def _aggregate(table: Table, how: str, column: Column | None = None) -> Value:
    if column is None and how != "count":
        raise Trouble(f"{how} needs a column")
    return aggregated(how, column.values() if column is not None else table.rows)


_STEPS: Mapping[str, Callable[..., Value]] = {
    "first": lambda table, number: replace(table, rows=table.rows[:number]),
    "last": lambda table, number: replace(table, rows=table.rows[-number:]),
    "row": lambda table, number: replace(table, rows=table.rows[number - 1 : number]),
    "sort": lambda _, *said: _sorted(*said),
    "distinct": lambda _, column: tuple(dict.fromkeys(column.values())),
    "pick": lambda _, column: column.values(),
    "largest": lambda _, column: _picked(column, max),
    "smallest": lambda _, column: _picked(column, min),
    "only": lambda _, *columns: _only_columns(*columns),
    "get": lambda _, column: _first_of(column),
    "group": lambda _, *said: _grouped(*said),
    "aggregate": _aggregate,
}
"""What can be done with a table, by the names of the grammar."""


Node = Tree[Token]
_LIMIT = 4000
"""Characters of a formula."""


@lru_cache(maxsize=1)
def _parser() -> Lark:
    return Lark.open("formula.lark", rel_to=__file__, parser="lalr")


@lru_cache(maxsize=256)
def _tree(formula: str) -> Node:
    if len(formula) > _LIMIT:
        raise Trouble(f"the formula is longer than {_LIMIT} characters")
    try:
        return _parser().parse(formula)
    except LarkError as bad:
        where = getattr(bad, "column", "?")
        raise Trouble(f"the formula cannot be read at character {where}: {formula[:120]}") from None


def problem_with(formula: str) -> str:
    """Why `formula` is none; empty when it can be read."""
    try:
        _tree(formula)
    except Trouble as bad:
        return str(bad)
    return ""


def names_in(formula: str) -> tuple[str, ...]:
    """Names of the facts that `formula` speaks of, in order."""
    tokens = [node.children[0] for kind in ("fact", "table") for node in _tree(formula).find_data(kind)]
    found = sorted((token for token in tokens if isinstance(token, Token)), key=lambda token: token.start_pos or 0)
    return tuple(dict.fromkeys(_string(token) for token in found))


def literals_in(formula: str) -> tuple[str, ...]:
    """The numbers, amounts, days and texts that `formula` itself says, except names of facts. Raises Trouble."""
    tree = _tree(formula)
    nodes = [node for kind in ("number", "money", "day", "text") for node in tree.find_data(kind)]
    return tuple(str(node.children[0]) for node in nodes)


@dataclass
class Sheet:
    """What formulas are worked out on: facts by their names in small letters; a table is a fact that holds one."""

    facts: Mapping[str, Fact]
    used: list[str] = field(default_factory=list)
    """Names of the facts that were looked at, in order."""
    row: tuple[str, ...] | None = None
    """In a `where`: the row that is looked at."""
    table: Table | None = None


def work_out(formula: str, sheet: Sheet) -> Value:
    """The value of `formula`. Raises MissingInput for what is not known, Trouble for what makes no sense."""
    return _value(_tree(formula).children[0], sheet)


def _string(token: object) -> str:
    return re.sub(r'\\(["\\])', r"\1", str(token)[1:-1])


def _value(node: object, sheet: Sheet) -> Value:
    if not isinstance(node, Tree):
        raise Trouble(f"{node!s} is not a value")
    parts = node.children
    match node.data:
        case "pipe":
            return reduce(lambda value, step: _stepped(value, step, sheet), parts[1:], _value(parts[0], sheet))
        case "fact" | "table":
            return _known(_string(parts[0]), str(node.data), sheet)
        case "either" | "both" | "negation" | "comparison" | "column" | "anywhere":
            return _condition(node, sheet)
        case "arithmetic":
            return arithmetic(_value(parts[0], sheet), str(parts[1]), _value(parts[2], sheet))
        case "minus":
            return arithmetic(Number(Decimal(0)), "-", _value(parts[0], sheet), zero=True)
        case "call":
            return called(str(parts[0]), [_value(part, sheet) for part in parts[1:] if part is not None])
        case _:
            return _literal(node)


def _unit(name: str) -> str:
    unit = unit_of(name)
    if unit is None:
        raise Trouble(f"{name} is not a known unit")
    return unit


def _literal(node: Node) -> Value:
    parts = node.children
    match node.data:
        case "number":
            return Number(Decimal(str(parts[0])), _unit(str(parts[1])) if parts[1:] and parts[1] is not None else "")
        case "money":
            number = number_of_text(str(parts[0]))
            if number is None:
                raise Trouble(f"{parts[0]!s} is not an amount")
            return number
        case "day":
            day = typed(_string(parts[0]))
            if not isinstance(day, date):
                raise Trouble(f'"{_string(parts[0])}" is not a date')
            return day
        case _:
            return _string(parts[0])


def _known(name: str, kind: str, sheet: Sheet) -> Value:
    """A fact, or the table that a fact holds."""
    fact = sheet.facts.get(name.casefold())
    table = table_of(fact.value, fact.name) if fact is not None else None
    if fact is None or (kind == "table" and table is None):
        raise MissingInput(f'the {kind} "{name}"')
    sheet.used.append(fact.name)
    return typed(fact.value) if table is None else table


def _condition(node: Node, sheet: Sheet) -> Value:
    parts = node.children
    match node.data:
        case "column":
            if sheet.row is None or sheet.table is None:
                raise Trouble(f"{parts[0]!s} stands outside of a table")
            return typed(sheet.row[Column.of(sheet.table, str(parts[0])[1:-1]).index])
        case "anywhere":
            return " · ".join(sheet.row or ())
        case "either":
            return any(_truth(part, sheet) for part in parts)
        case "both":
            return all(_truth(part, sheet) for part in parts)
        case "negation":
            return not _truth(parts[0], sheet)
        case _:
            return compared(_value(parts[0], sheet), str(parts[1]), _value(parts[2], sheet))


def _truth(node: object, sheet: Sheet) -> bool:
    value = _value(node, sheet)
    if not isinstance(value, bool):
        raise Trouble(f"{shown(value)!r} is neither yes nor no")
    return value


def _stepped(value: Value, step: Any, sheet: Sheet) -> Value:
    """One step of a pipeline: mostly on a table."""
    said = [part for part in step.children if isinstance(part, Token)]
    match step.data, value:
        case "told_in", Number():
            return converted(value, _unit(said[0]))
        case "rounded", Number():
            return replace(value, amount=value.amount.quantize(Decimal(1).scaleb(-int(said[0]))))
        case "join", tuple():
            return _string(said[0]).join(shown(part) for part in value)
        case "aggregate", tuple():
            return aggregated(said[0], value)
        case "where", Table():
            kept = [row for row in value.rows if _truth(step.children[0], replace(sheet, row=row, table=value))]
            return replace(value, rows=tuple(kept))
        case _, Table() if step.data in _STEPS:
            return _STEPS[step.data](value, *(_argument(token, value) for token in said))
        case _:
            raise Trouble(f"{step.data} cannot be done with {shown(value)[:60]!r}")


def _argument(token: Token, table: Table) -> Column | int | str:
    if token.type == "COLUMN":
        return Column.of(table, str(token)[1:-1])
    return int(token) if token.type == "NUMBER" else str(token)


_STEP_COLUMNS = ("step", "subtask", "app", "verb", "target", "status")
_SUPPLEMENT_COLUMNS = ("title", "source", "app")


def worked_out(formula: str, name: str, sheet: Sheet) -> Result:
    """The result of a formula, with the facts that it rests on. Raises MissingInput or Trouble."""
    sheet.used.clear()
    value = work_out(formula, sheet)
    used = tuple(dict.fromkeys(sheet.used))
    result = Result(name=name, value=shown(value), kind=kind_of_value(value), used=used, working=formula)
    # What was found out may be asked about by the next question of the same subtask.
    sheet.facts = {**sheet.facts, name.casefold(): Fact(name=name, value=result.value, kind=result.kind, role="analyst")}
    return result


def sheet_of(request: AnalystRequest) -> Sheet:
    """The blackboard and the run's memory as formulas see them."""
    steps = tuple(
        (str(s.step), s.subtask, s.app or "", s.verb, s.target, s.exec_status.value) for s in request.steps if not s.recovery
    )
    found = tuple((s.title, s.source, s.app or "") for s in request.supplements)
    memory = {"steps": table_text(_STEP_COLUMNS, steps), "supplements": table_text(_SUPPLEMENT_COLUMNS, found)}
    facts = {name: Fact(name=name, value=value, kind="table") for name, value in memory.items()}
    return Sheet(facts | {fact.name.casefold(): fact for fact in request.facts})
