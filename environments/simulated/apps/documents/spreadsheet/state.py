"""What the spreadsheet knows, and what can be done to its cells."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from decimal import Decimal
from functools import lru_cache
from typing import Annotated, Any, Self

from pydantic import BeforeValidator, Field, model_validator

from environments.simulated import app as sim
from environments.simulated.apps.documents.spreadsheet.book import Book, book_of, follow_up, rank
from environments.simulated.apps.documents.spreadsheet.formula import (
    MAX_CELLS,
    MAX_COLUMNS,
    MAX_ROWS,
    MAX_TEXT,
    At,
    Error,
    display,
    key_of,
    parse_at,
    translated,
    typed,
)
from environments.simulated.world.values import IdentityKey, Model, amount, day_before, how_many, matches

ROWS, COLUMNS = 15, 8
"""How much of a sheet is shown at once."""
_MARKED = re.compile(r"[$€£%,]")
_NAME = re.compile(r"^[^\[\]:*?/\\!']{1,31}$")


class SheetState(sim.AppState):
    """Cells by sheet and address as they were typed, and what is looked at."""

    sheets: tuple[str, ...]
    cells: dict[str, str]
    today: str
    sheet: str
    row: int = 1
    column: int = 1
    picked: bool = False
    """Whether the chosen cell is open for typing in the grid."""
    draft: str | None = None
    goto: str | None = None
    """What stands in the name box; None for the chosen cell."""
    top: int = 1
    left: int = 1
    filter: str = ""
    applied: str = ""
    error: str = ""
    dirty: bool = False

    @property
    def at(self) -> At:
        return At(self.row, self.column)

    @property
    def book(self) -> Book:
        return book_of(self.sheets, self.cells, self.today)

    def raw(self, at: At, sheet: str | None = None) -> str:
        return self.cells.get(key_of(sheet or self.sheet, at), "")

    def shown(self, at: At, sheet: str | None = None) -> str:
        """What a cell shows: a number with a sign such as `$` or `%` as it was typed."""
        return _shown(self.cells, self.book, sheet or self.sheet, at)

    def changed(self, cells: dict[str, str], sheets: tuple[str, ...] | None = None, among: Iterable[str] = ()) -> SheetState:
        """The state with other cells. Raises FunctionDeclined when that is too much.

        Whoever knows `among` which cells the others are spares a look at all of them.
        """
        sheets = self.sheets if sheets is None else sheets
        if len(cells) > MAX_CELLS:
            raise sim.FunctionDeclined(f"A workbook holds at most {MAX_CELLS} cells")
        new = {key: cells.get(key) for key in among or {**self.cells, **cells} if self.cells.get(key) != cells.get(key)}
        if any(len(text or "") > MAX_TEXT for text in new.values()):
            raise sim.FunctionDeclined(f"A cell holds at most {MAX_TEXT} characters")
        if not new and sheets == self.sheets:
            return self
        if among and sheets == self.sheets:
            follow_up(self.cells, cells, new)
        return self.replace(cells=cells, sheets=sheets, dirty=True, error="")

    def written(self, sheet: str, texts: Mapping[At, str]) -> SheetState:
        """Cells with other texts; an empty one is emptied. Raises FunctionDeclined for a place outside of the sheet."""
        if not all(at.inside for at in texts):
            raise sim.FunctionDeclined(f"A sheet has {MAX_ROWS} rows and {MAX_COLUMNS} columns")
        lines = {key_of(sheet, at): " ".join(text.split("\n")).strip() for at, text in texts.items()}
        cells = {**self.cells, **lines}
        for key in (key for key, line in lines.items() if not line):
            del cells[key]
        return self.changed(cells, among=lines) if lines else self

    def has_header(self, sheet: str) -> bool:
        """Whether the first row names columns: it has texts only, and there are rows below."""
        return _headed(self.book, sheet)

    def sorted_by(self, sheet: str, column: int, descending: bool) -> SheetState:
        """Rows in the order of a column, without the header; empty cells last, and equal ones as they were."""
        # The rows below the header, if there is one
        extent = self.book.extent(sheet)
        rows = range(2 if self.has_header(sheet) else 1, extent.row + 1)
        filled = [row for row in rows if self.book.value(sheet, At(row, column)) is not None]
        values = {row: self.book.value(sheet, At(row, column)) for row in filled}
        # Numbers and days before texts before truths before errors
        order = sorted(filled, key=lambda row: (isinstance(values[row], Error), *rank(values[row])), reverse=descending)
        order += [row for row in rows if self.book.value(sheet, At(row, column)) is None]
        cells = {key: text for key, text in self.cells.items() if not (split(key)[0] == sheet and split(key)[1].row in rows)}
        for new, old in zip(rows, order, strict=True):
            for number in range(1, extent.column + 1):
                if text := self.raw(At(old, number), sheet):
                    cells[key_of(sheet, At(new, number))] = translated(text, new - old, 0)
        return self.changed(cells)

    def fitting(self) -> Sequence[int]:
        """The rows that the filter lets through, all where there is none; the header always."""
        if not self.applied:
            return range(1, MAX_ROWS + 1)
        return _fitting(IdentityKey(self.cells), IdentityKey(self.book), self.sheet, self.applied)

    def sheet_added(self, name: str) -> SheetState:
        """The state with an empty sheet more. Raises FunctionDeclined."""
        name = name.strip()
        if not _NAME.match(name):
            raise sim.FunctionDeclined(f"{name!r} is no sheet name" if name else "The name is empty")
        if name.casefold() in (sheet.casefold() for sheet in self.sheets):
            raise sim.FunctionDeclined(f"There is a sheet {name} already")
        if len(self.sheets) >= 20:
            raise sim.FunctionDeclined("A workbook has at most 20 sheets")
        return self.changed(self.cells, (*self.sheets, name))


def _shown(cells: Mapping[str, str], book: Book, sheet: str, at: At) -> str:
    raw = cells.get(key_of(sheet, at), "")
    return raw if _MARKED.search(raw) and isinstance(typed(raw), Decimal) else display(book.value(sheet, at))


def split(key: str) -> tuple[str, At]:
    sheet, _, name = key.rpartition("!")
    return sheet, parse_at(name) or At(1, 1)


def _headed(book: Book, sheet: str) -> bool:
    extent = book.extent(sheet)
    first = [book.value(sheet, At(1, column)) for column in range(1, extent.column + 1)]
    filled = [value for value in first if value is not None]
    return extent.row > 1 and bool(filled) and all(isinstance(value, str) for value in filled)


@lru_cache(maxsize=8)
def _fitting(cells: IdentityKey[dict[str, str]], book: IdentityKey[Book], sheet: str, words: str) -> tuple[int, ...]:
    """Looked for once as long as neither the cells nor the words change."""
    extent, header = book.value.extent(sheet), _headed(book.value, sheet)
    columns, rows = range(1, extent.column + 1), range(2 if header else 1, max(extent.row, 1) + 1)
    fits = (row for row in rows if matches(words, *(_shown(cells.value, book.value, sheet, At(row, c)) for c in columns)))
    return (*((1,) if header else ()), *fits)


_FIRST = At(1, 1)


def texts_of(rows: Iterable[Iterable[str]], first: At = _FIRST) -> dict[At, str]:
    """Rows of texts as cells, from a first place on."""
    return {At(first.row + r, first.column + c): text for r, row in enumerate(rows) for c, text in enumerate(row)}


def _cell_text(value: Any) -> Any:
    """A value of the world file as it would be typed."""
    if isinstance(value, bool):
        return str(value).upper()
    return value.isoformat() if isinstance(value, date) else "" if value is None else value


CellText = Annotated[str, BeforeValidator(_cell_text)]


class SheetContent(Model):
    """A sheet, as rows of cells. A text that starts with `=` is a formula."""

    name: str
    rows: tuple[tuple[CellText, ...], ...] = ()


class SpreadsheetContent(sim.Content):
    """What is left out is made up from the seed: `generate` rows of expenses, and a summary. `open` is a sheet's name."""

    sheets: tuple[SheetContent, ...] | None = Field(default=None, min_length=1)
    generate: int | None = Field(default=None, ge=0, le=20_000)
    open: str | None = None

    @model_validator(mode="after")
    def _fits(self) -> Self:
        given = self.sheets or ()
        try:
            state = filled([(sheet.name, texts_of(sheet.rows)) for sheet in given], "2026-01-01") if given else None
        except sim.FunctionDeclined as no:
            raise ValueError(f"sheets: {no}") from None
        if self.open is not None and state is not None and self.open not in state.sheets:
            raise ValueError(f"open: there is no sheet {self.open!r}; sheets given are: {', '.join(state.sheets)}")
        return self


def filled(sheets: list[tuple[str, dict[At, str]]], today: str) -> SheetState:
    """A workbook with these sheets. Raises FunctionDeclined."""
    state = SheetState(sheets=(), cells={}, today=today, sheet="")
    for name, cells in sheets:
        state = state.sheet_added(name)
        state = state.written(state.sheets[-1], cells)
    return state.replace(sheet=state.sheets[0], dirty=False)


_KINDS = ("Travel", "Meals", "Office supplies", "Software", "Equipment")


def rows_wanted(content: SpreadsheetContent, setting: sim.Setting) -> int:
    """How many rows of expenses are made up; below their header a sheet has room for one less than its rows."""
    return min(how_many(None, content.generate, 24, setting.cast.times), MAX_ROWS - 1)


def generated(count: int, setting: sim.Setting) -> list[tuple[str, dict[At, str]]]:
    rng, cast = setting
    vendors = rng.sample(cast.vendors, min(5, len(cast.vendors)))
    days = sorted(day_before(rng, cast.today) for _ in range(count))
    rows = [(day, rng.choice(vendors), rng.choice(_KINDS), amount(rng)) for day in days]
    area = f"Expenses!D2:D{max(2, count + 1)}"
    summary = (("Rows", f"=COUNT({area})"), ("Total", f"=SUM({area})"), ("Largest", f"=MAX({area})"))
    return [("Expenses", texts_of((("Date", "Vendor", "Category", "Amount"), *rows))), ("Summary", texts_of(summary))]
