"""The spreadsheet's own agent: questions in words about the shown table, answered exactly and with the range they are about."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from typing import NamedTuple

from pydantic import JsonValue

from environments.simulated.app import FunctionDeclined, FunctionResult
from environments.simulated.apps.documents.spreadsheet.calls import compared, total
from environments.simulated.apps.documents.spreadsheet.formula import EXACT, At, Error, Value, display, quoted, typed
from environments.simulated.apps.documents.spreadsheet.state import SheetState

CAN = ('I can answer: "sum the amounts of March by vendor", "largest amount", "average of amount where category is Travel", '
       '"how many rows have category Travel"')  # fmt: skip
_MONTHS = ("january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
           "december")  # fmt: skip
LONGEST = 500
_AND = re.compile(r' and (?=(?:[^"]*"[^"]*")*[^"]*$)', re.IGNORECASE)
_POLITE = re.compile(
    r"^(?:(?:please|what is|what's|whats|what are|which is|show me|show|tell me|give me|calculate|find|the)\s+)+", re.IGNORECASE
)
_DOES = {
    "sum": ("sum up", "sum", "add up", "total"), "average": ("average", "mean"),
    "largest": ("largest", "highest", "biggest", "maximum", "max", "latest"),
    "smallest": ("smallest", "lowest", "minimum", "min", "earliest"),
    "count": ("how many rows", "count the rows", "count rows", "number of rows", "how many"),
}  # fmt: skip
_SIGNS = {
    "is not": "<>", "is at least": ">=", "is at most": "<=", "is more than": ">", "is greater than": ">", "is less than": "<",
    "is over": ">", "is above": ">", "is under": "<", "is below": "<", "is after": ">", "is before": "<", "at least": ">=",
    "at most": "<=", "more than": ">", "greater than": ">", "less than": "<", "over": ">", "above": ">", "under": "<",
    "below": "<", "after": ">", "before": "<", "contains": "has", "equals": "=", "is": "=", "=": "=", ">=": ">=", "<=": "<=",
    "<>": "<>", ">": ">", "<": "<", "of": "=", "": "=",
}  # fmt: skip


class Table(NamedTuple):
    """The shown sheet as a table: its columns by number, and its rows below the header."""

    state: SheetState
    heads: dict[int, str]
    rows: range

    def value(self, row: int, column: int) -> Value:
        return self.state.book.value(self.state.sheet, At(row, column))

    def range(self, column: int | None) -> str:
        first, last = (column, column) if column else (min(self.heads), max(self.heads))
        area = f"{At(self.rows.start, first).name}:{At(self.rows.stop - 1, last).name}"
        return f"{quoted(self.state.sheet)}!{area}"

    def _by(self, rest: str) -> tuple[str, int | None]:
        found = re.search(r"(?:^| )(?:by|per|for each|grouped by) (?!.* (?:by|per|for each) )(.+)$", rest, re.IGNORECASE)
        column = self._column(found.group(1)) if found else None
        return (rest[: found.start()], column) if found and column else (rest, None)

    def _column(self, wanted: str) -> int | None:
        folded = _same(wanted)
        fits = [column for column, head in self.heads.items() if _same(head) == folded]
        return fits[0] if len(fits) == 1 else None

    def _target(self, does: str, rest: str) -> tuple[int | None, list[Test]]:
        """The column that is asked about, and conditions that are said beside it: `amounts of March`."""
        first, *more = re.split(r"(?:^| )(?:of|in|for|from|during|on) ", rest, flags=re.IGNORECASE)
        tests = [self._beside(part) for part in more if part.strip()]
        if does == "count":
            if first.strip() and _same(first) not in ("row", "there", "are there", "row are there"):
                raise FunctionDeclined(f"I can count rows, not {first!r}; {CAN}")
            return None, tests
        column = self._column(first) if first.strip() else self._only_numbers()
        if column is None:
            raise FunctionDeclined(f"there is no column {first!r}; columns are: {', '.join(self.heads.values())}")
        return column, tests

    def _only_numbers(self) -> int | None:
        fits = [c for c in self.heads if any(isinstance(self.value(row, c), Decimal) for row in self.rows)]
        return fits[0] if len(fits) == 1 else None

    def _beside(self, part: str) -> Test:
        words = part.casefold().strip().removeprefix("the ")
        if month := _month(words):
            columns = [c for c in self.heads if any(isinstance(self.value(row, c), date) for row in self.rows)]
            if len(columns) != 1:
                raise FunctionDeclined(f"{part.strip()} needs one column of days; this table has {len(columns)}")
            return self._in_month(columns[0], month, f"{self.heads[columns[0]]} is in {part.strip()}")
        fits = [c for c in self.heads if any(_is_text(self.value(row, c), words) for row in self.rows)]
        if len(fits) != 1:
            what = "stands in several columns" if fits else "stands in no column"
            raise FunctionDeclined(f'{part.strip()!r} {what}; say it like "where {next(iter(self.heads.values()))} is …"')
        column = fits[0]
        return Test(lambda row: _is_text(self.value(row, column), words), f"{self.heads[column]} is {part.strip()}")

    def _in_month(self, column: int, wanted: tuple[int, int], words: str) -> Test:
        month, year = wanted
        days = {row: day for row in self.rows if isinstance(day := self.value(row, column), date) and day.month == month}
        years = sorted({day.year for day in days.values()})
        if not year and len(years) > 1:
            raise FunctionDeclined(
                f"there are days of {_MONTHS[month - 1].capitalize()} in {', '.join(map(str, years))}; say the year"
            )
        return Test(lambda row: row in days and year in (0, days[row].year), words)

    def _conditions(self, text: str) -> list[Test]:
        return [self._condition(part) for part in _AND.split(text)] if text.strip() else []

    def _condition(self, text: str) -> Test:
        """`Category is Travel`: a column, perhaps a comparison, and a value."""
        words = text.split()
        for size in range(len(words) - 1, 0, -1):
            column = self._column(" ".join(words[:size]))
            if column is None:
                continue
            rest = " ".join(words[size:])
            sign = next(s for s in sorted(_SIGNS, key=len, reverse=True) if not s or rest.casefold().startswith(f"{s} "))
            given = rest[len(sign) :].strip().strip("\"'")
            if month := _month(given.casefold().removeprefix("in ").strip()):
                return self._in_month(column, month, text)
            self._check_value(column, given, sign)
            return self._compare(column, _SIGNS[sign], given, text)
        raise FunctionDeclined(f"I do not understand the condition {text!r}; columns are: {', '.join(self.heads.values())}")

    def _check_value(self, column: int, given: str, sign: str) -> None:
        """Raise FunctionDeclined for a value of another kind than the column's: no row could ever fit."""
        values = [value for row in self.rows if (value := self.value(row, column)) is not None]
        goal, head = typed(given), self.heads[column]
        if _SIGNS[sign] in ("<", "<=", ">", ">=") and isinstance(goal, str | bool):
            raise FunctionDeclined(f"{sign!r} needs a number or a day like 2026-03-31, not {given!r}")
        if _SIGNS[sign] != "has" and not any(type(value) is type(goal) for value in values):
            raise FunctionDeclined(
                f"{head} has no value of the kind of {given!r}; one of its values is {display(values[0]) if values else ''!r}"
            )
        if not sign and not any(
            (isinstance(value, str) and value.casefold() == given.casefold()) or value == goal for value in values
        ):
            raise FunctionDeclined(f'no row has {head} {given!r}; say it like "where {head} is …"')

    def _compare(self, column: int, sign: str, given: str, words: str) -> Test:
        goal = typed(given)

        def fits(row: int) -> bool:
            value = self.value(row, column)
            if value is None or isinstance(value, Error):
                return sign == "<>"
            if sign == "has":
                return given.casefold() in display(value).casefold()
            if type(value) is not type(goal):
                return sign == "<>"
            return compared(sign, value, goal)

        return Test(fits, words)

    def _answered(
        self, does: str, column: int | None, by: int | None, rows: list[int], tests: list[Test]
    ) -> dict[str, JsonValue]:
        where = " where " + " and ".join(test.words for test in tests) if tests else ""
        about: dict[str, JsonValue] = {"range": self.range(column), "rows": len(rows), **self._skipped(column, rows)}
        if by is None:
            value, at = self._value(does, column, rows)
            if value is None:
                raise FunctionDeclined(f"no row has a number there{where}; I looked at {about['range']}")
            place: dict[str, JsonValue] = (
                {"cell": f"{quoted(self.state.sheet)}!{at.name}", "row": self._row(at.row)} if at else {}
            )
            shown = display(value)
            return {
                "answer": f"{self._said(does, column)}{where} is {shown} ({about['range']})",
                "value": shown,
                **about,
                **place,
            }
        groups: dict[str, list[int]] = {}
        for row in rows:
            groups.setdefault(display(self.value(row, by)) or "(empty)", []).append(row)
        found = {name: self._value(does, column, groups[name])[0] for name in sorted(groups)}
        shown_by: dict[str, JsonValue] = {name: display(value) for name, value in found.items() if value is not None}
        said = "; ".join(f"{name}: {value}" for name, value in shown_by.items()) or "nothing"
        title = f"{self._said(does, column)} by {self.heads[by]}{where}"
        return {"answer": f"{title}: {said} ({about['range']})", "groups": shown_by, "by": self.heads[by], **about}

    def _skipped(self, column: int | None, rows: list[int]) -> dict[str, JsonValue]:
        """The cells that hold a text where a number belongs: they are not in the answer, so they are named."""
        texts = [At(row, column).name for row in rows if isinstance(self.value(row, column), str)] if column else []
        return {"skipped": [*texts[:20]]} if texts else {}

    def _said(self, does: str, column: int | None) -> str:
        return "The number of rows" if column is None else f"The {does} of {self.heads[column]}"

    def _row(self, row: int) -> JsonValue:
        return {head: display(self.value(row, column)) for column, head in self.heads.items()}

    def _value(self, does: str, column: int | None, rows: list[int]) -> tuple[Value, At | None]:
        """The value that is asked for, and its cell where it stands in one."""
        if column is None:
            return Decimal(len(rows)), None
        cells = [(At(row, column), self.value(row, column)) for row in rows]
        for at, value in cells:
            if isinstance(value, Error):
                raise FunctionDeclined(f"{at.name} is {value.code}; mend it first")
        if does in ("largest", "smallest"):
            return _extreme(cells, does == "largest")
        numbers = [value for _, value in cells if isinstance(value, Decimal)]
        if does == "sum":
            return (total(numbers) if numbers else None), None
        return (EXACT.divide(total(numbers), Decimal(len(numbers))) if numbers else None), None


class Test(NamedTuple):
    """A condition on a row, and its words."""

    fits: Callable[[int], bool]
    words: str


def answer(state: SheetState, request: str) -> FunctionResult[SheetState]:
    """Answer a question about the shown sheet. Raises FunctionDeclined when it is not understood."""
    table = _table(state)
    if len(request) > LONGEST:
        raise FunctionDeclined(f"the question has more than {LONGEST} characters; {CAN}")
    words = _POLITE.sub("", " ".join(request.split()).rstrip("?.! "))
    does, rest = _verb(words)
    rest, by = table._by(rest)
    rest, mark, condition = _halves(rest)
    if mark and not condition:
        raise FunctionDeclined(f"say which rows are meant: where … is …; columns are: {', '.join(table.heads.values())}")
    column, tests = table._target(does, rest)
    tests += table._conditions(condition)
    rows = [row for row in table.rows if all(test.fits(row) for test in tests)]
    return FunctionResult(state, table._answered(does, column, by, rows, tests))


def _table(state: SheetState) -> Table:
    if not state.has_header(state.sheet):
        raise FunctionDeclined(
            f"sheet {state.sheet} has no header row with column names, so I cannot tell its columns apart; {CAN}"
        )
    extent = state.book.extent(state.sheet)
    heads = {c: head for c in range(1, extent.column + 1) if (head := state.shown(At(1, c)))}
    return Table(state, heads, state.data_rows(state.sheet))


def _verb(words: str) -> tuple[str, str]:
    folded = words.lower()
    for does, names in _DOES.items():
        for name in names:
            if folded == name or folded.startswith(f"{name} "):
                return does, re.sub(r"^(?:of |the |all )+", "", words[len(name) :].strip(), flags=re.IGNORECASE)
    raise FunctionDeclined(f"I do not understand {words!r}; {CAN}")


def _halves(rest: str) -> tuple[str, str, str]:
    found = re.search(r"(?:^| )(where|with|whose|having|that have|have|has)(?: |$)", rest, re.IGNORECASE)
    return (rest[: found.start()], found.group(1), rest[found.end() :]) if found else (rest, "", "")


def _same(text: str) -> str:
    words = re.sub(r"^(?:the|a|an|all) ", "", " ".join(text.split()).casefold()).split()
    return " ".join(word[:-1] if len(word) > 3 and word.endswith("s") else word for word in words)


def _is_text(value: Value, words: str) -> bool:
    return isinstance(value, str) and value.casefold() == words


def _month(words: str) -> tuple[int, int] | None:
    """`march 2026` as its number and its year, 0 where none is said."""
    found = re.fullmatch(rf"({'|'.join(_MONTHS)})(?: ([0-9]{{4}}))?", words)
    return (_MONTHS.index(found.group(1)) + 1, int(found.group(2) or 0)) if found else None


def _extreme(cells: list[tuple[At, Value]], largest: bool) -> tuple[Value, At | None]:
    """The first cell with the greatest or least number, or day where there are no numbers."""
    for kind in (Decimal, date):
        best: tuple[At, Value] | None = None
        for at, value in cells:
            if isinstance(value, kind) and (best is None or compared(">" if largest else "<", value, best[1])):
                best = (at, value)
        if best:
            return best[1], best[0]
    return None, None
