"""Spreadsheet: sheets of cells with values and formulas."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from decimal import Decimal
from functools import lru_cache
from typing import Annotated, Any, Self

from pydantic import BeforeValidator, Field, JsonValue, model_validator

from environments.effects import Effect as Does
from environments.simulated import app as sim
from environments.simulated.apps.common.functions_base import FunctionTable, unknown
from environments.simulated.apps.common.record_list import prompt
from environments.simulated.apps.documents.spreadsheet.book import Book, book_of, follow_up, rank
from environments.simulated.apps.documents.spreadsheet.formula import (
    BAD,
    MAX_CELLS,
    MAX_COLUMNS,
    MAX_ROWS,
    MAX_TEXT,
    At,
    Error,
    Mistake,
    column_name,
    column_number,
    compiled,
    display,
    key_of,
    parse_area,
    parse_at,
    quoted,
    translated,
    typed,
)
from environments.simulated.screen.widgets import Widget, alert, bar, button, cell, form, heading, row, status, textbox
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


MOST_READ = 2000


class OnSheet(Model):
    """A sheet; the one that is shown where none is named."""

    sheet: str = ""


class RangeArguments(OnSheet):
    """A range, all that is in use where none is given. `formulas` gives what was typed instead of what is shown."""

    range: str = Field(default="", examples=["A1:C9"])
    formulas: bool = False


class Writing(OnSheet):
    """Texts by cell, as they would be typed; an empty one empties the cell."""

    cells: dict[str, str] = Field(min_length=1, examples=[{"A1": "Total", "B1": "=SUM(B2:B9)"}])


def sheet_of(state: SheetState, name: str) -> str:
    """The sheet that is meant. Raises FunctionDeclined."""
    if not name:
        return state.sheet
    known = {sheet.casefold(): sheet for sheet in state.sheets}
    bare = name[1:-1].replace("''", "'") if len(name) > 2 and name[0] == name[-1] == "'" else name
    return known.get(bare.strip().casefold()) or unknown("sheet", bare, state.sheets)


def _area(state: SheetState, sheet: str, text: str) -> tuple[str, At, At]:
    named, mark, rest = text.rpartition("!")
    name = sheet_of(state, named if mark else sheet)
    area = parse_area(rest)
    if area is None:
        raise sim.FunctionDeclined(f"{text!r} is no range; write it like B2:D9 or {quoted(state.sheets[0])}!B2:D9")
    return name, *area


def _named(sheet: str, first: At, last: At) -> str:
    return f"{quoted(sheet)}!{first.name}" + ("" if first == last else f":{last.name}")


FUNCTIONS = FunctionTable[SheetState]()


@FUNCTIONS.reads()
def list_sheets(state: SheetState) -> JsonValue:
    """The sheets, how big they are, and their headers"""
    found: list[JsonValue] = []
    for sheet in state.sheets:
        extent = state.book.extent(sheet)
        columns = range(1, extent.column + 1)
        header: list[JsonValue] = [state.shown(At(1, c), sheet) for c in columns] if state.has_header(sheet) else []
        found.append({"name": sheet, "rows": extent.row, "columns": extent.column, "header": header})
    return {"shown": state.sheet, "sheets": found}


@FUNCTIONS.reads()
def read_range(state: SheetState, wanted: RangeArguments) -> JsonValue:
    """The cells of a range, row by row"""
    text = wanted.range
    if not text:
        extent = state.book.extent(sheet_of(state, wanted.sheet))
        text = f"A1:{At(max(1, extent.row), max(1, extent.column)).name}"
    sheet, first, last = _area(state, wanted.sheet, text)
    if (last.row - first.row + 1) * (last.column - first.column + 1) > MOST_READ:
        raise sim.FunctionDeclined(f"{text} has more than {MOST_READ} cells; read it in parts")
    look = state.raw if wanted.formulas else state.shown
    rows: list[JsonValue] = [
        [look(At(r, c), sheet) for c in range(first.column, last.column + 1)] for r in range(first.row, last.row + 1)
    ]
    return {"range": _named(sheet, first, last), "values": rows}


@FUNCTIONS.reads("FormulaArguments", "A formula such as `=SUM(B2:B9)*2`.")
def calculate(
    state: SheetState, *, sheet: str = "", formula: Annotated[str, Field(max_length=MAX_TEXT)]
) -> sim.FunctionResult[SheetState]:
    """What a formula is worth, without writing it anywhere"""
    sheet = sheet_of(state, sheet)
    formula = formula if formula.startswith("=") else f"={formula}"
    book = Book(state.sheets, state.cells, date.fromisoformat(state.today))
    try:
        value = book.worth(sheet, formula)
    except Mistake as mistake:
        raise sim.FunctionDeclined(str(mistake)) from None
    if isinstance(value, Error):
        raise sim.FunctionDeclined(f"{formula} is {value.code}")
    return sim.FunctionResult(state, {"formula": formula, "value": display(value)})


@FUNCTIONS.writes()
def write_cells(state: SheetState, given: Writing) -> sim.FunctionResult[SheetState]:
    """Type texts or formulas into cells"""
    sheets: dict[str, dict[At, str]] = {}
    for name, text in given.cells.items():
        sheet, first, last = _area(state, given.sheet, name)
        if first != last:
            raise sim.FunctionDeclined(f"{name} is a range; name each cell, like B2")
        sheets.setdefault(sheet, {})[first] = text
    after = state
    for sheet, texts in sheets.items():
        after = after.written(sheet, texts)
    shown: dict[str, JsonValue] = {
        _named(sheet, at, at): after.shown(at, sheet) for sheet, texts in sheets.items() for at in texts
    }
    return sim.FunctionResult(after, {"values": shown})


@FUNCTIONS.writes("RowArguments", "The cells of a new last row.")
def append_row(
    state: SheetState, *, sheet: str = "", values: Annotated[list[str], Field(min_length=1)]
) -> sim.FunctionResult[SheetState]:
    """Add a row below the last one"""
    sheet = sheet_of(state, sheet)
    row = state.book.extent(sheet).row + 1
    after = state.written(sheet, texts_of([values], At(row, 1)))
    return sim.FunctionResult(after, {"range": _named(sheet, At(row, 1), At(row, len(values)))})


@FUNCTIONS.writes()
def save(state: SheetState) -> sim.FunctionResult[SheetState]:
    """Save the workbook"""
    return sim.FunctionResult(state.replace(dirty=False), {"saved": True}, (sim.Toast("Spreadsheet saved"),))


def grid_view(state: SheetState) -> tuple[Widget, ...]:
    rows = state.fitting()
    tabs = (Widget("tab", name, f"sheet-{name}", press=True, selected=name == state.sheet) for name in state.sheets)
    field = textbox("Filter rows", "filter", state.filter, placeholder="Show rows with these words")
    clear = button("Clear filter", "clear-filter", enabled=bool(state.applied))
    extent, found = state.book.extent(state.sheet), f", {len(rows)} shown" if state.applied else ""
    box = textbox("Name box", "name-box", state.at.name if state.goto is None else state.goto)
    line = textbox("Formula bar", "formula", state.raw(state.at) if state.draft is None else state.draft)
    return (
        heading(f"Sheet: {state.sheet}", f"sheet-title-{state.sheet}"),
        Widget("tablist", None, "sheets", children=tuple(tabs), across=True),
        bar(button("Save", "save", enabled=state.dirty), button("Copy cell", "copy"), button("Clear cell", "clear"),
            button("Sort…", "sort"), button("Add sheet", "add-sheet"), key="tools"),
        bar(
            form("name-form", box, button("Go", "go"), submit="go", across=True),
            form("formula-form", line, button("Enter", "enter"), submit="enter", across=True),
            key="entry",
        ),
        *((alert(said, "error"),) if (said := _problem(state)) else ()),
        form("filter-form", field, button("Filter", "apply-filter"), clear, submit="apply-filter", across=True),
        bar(
            button("Rows up", "rows-up", enabled=state.top > 1),
            button("Rows down", "rows-down", enabled=state.top + ROWS <= len(rows)),
            button("Columns left", "columns-left", enabled=state.left > 1),
            button("Columns right", "columns-right", enabled=state.left + COLUMNS <= MAX_COLUMNS),
            key="window",
        ),
        _grid(state, rows),
        status(f"{extent.row} rows, {extent.column} columns{found}; {'unsaved changes' if state.dirty else 'saved'}"),
    )  # fmt: skip


def _problem(state: SheetState) -> str:
    raw = state.raw(state.at)
    if not state.error and raw.startswith("=") and state.book.value(state.sheet, state.at) == BAD:
        try:
            compiled(raw)
        except Mistake as mistake:
            return f"{state.at.name}: {mistake}"
    return state.error


def _grid(state: SheetState, shown: Sequence[int]) -> Widget:
    columns = range(state.left, min(state.left + COLUMNS, MAX_COLUMNS + 1))
    head = (cell("", "corner"), *(Widget("columnheader", column_name(c), f"column-{column_name(c)}") for c in columns))
    rows = [
        row(
            f"row-{state.sheet}-{number}",
            Widget("rowheader", str(number), f"row-{state.sheet}-{number}.number"),
            *(_cell(state, At(number, c)) for c in columns),
            press=False,
        )
        for number in shown[state.top - 1 : state.top - 1 + ROWS]
    ]
    header = Widget("row", None, "grid.header", children=head, across=True)
    return Widget("table", None, "grid", children=(header, *rows), scrolls=(len(shown), state.top - 1, ROWS))


def _cell(state: SheetState, at: At) -> Widget:
    """The chosen cell takes typing: what is typed replaces what was in it. Enter presses it."""
    key, shown = f"cell-{key_of(state.sheet, at)}", state.shown(at)
    if at == state.at and state.picked:
        return Widget("textbox", f"Cell {at.name}", key, state.draft or "", press=True, selected=True, placeholder=shown or None)
    return Widget("cell", shown, key, press=True, selected=at == state.at)


class Spreadsheet(sim.App[SpreadsheetContent, SheetState]):
    """A workbook."""

    name = "spreadsheet"
    title = "Spreadsheet"
    words = ("spreadsheet", "spreadsheets", "sheet", "sheets", "workbook")
    looks = frozenset({"sheet", "row", "column", "picked", "draft", "goto", "top", "left", "filter", "applied", "error", "dirty"})
    # Rows that are sorted leave as many cells filled as before.
    meanings = (
        sim.Meaning("sheets", Does.EDIT, "adds a sheet"),
        sim.Meaning(
            "cells.*", Does.DELETE, "clears the cell {key}, which held {old}",
            when=lambda found: found.new is None and len(found.after.cells) < len(found.before.cells),
        ),
        sim.Meaning("cells.*", Does.EDIT, "takes {old} out of the cell {key}", sim.is_gone),
        sim.Meaning("cells.*", Does.EDIT, "sets the cell {key} to {new}"),
    )  # fmt: skip
    functions = FUNCTIONS

    def start(self, content: SpreadsheetContent, setting: sim.Setting) -> SheetState:
        given = [(sheet.name, texts_of(sheet.rows)) for sheet in content.sheets or ()]
        made = generated(rows_wanted(content, setting), setting)
        state = filled(given or made, setting.cast.today.isoformat())
        return state.replace(sheet=content.open) if content.open in state.sheets else state

    def view(self, state: SheetState) -> tuple[Widget, ...]:
        return grid_view(state)

    def update(self, state: SheetState, event: sim.Event) -> sim.Update[SheetState]:
        try:
            return _on_grid(state, event)
        except sim.FunctionDeclined as no:
            return sim.Update(state.replace(error=str(no), draft=None))


def _on_grid(state: SheetState, event: sim.Event) -> sim.Update[SheetState]:
    match event:
        case sim.Edited(key="name-box", value=value):
            return sim.Update(state.replace(goto=value))
        case sim.Edited(key="filter", value=value):
            return sim.Update(state.replace(filter=value))
        case sim.Edited(key=key, value=value) if key == "formula" or key.startswith("cell-"):
            return sim.Update(state.replace(draft=value, error=""))
        case sim.Left(key=key) if key == "formula" or key.startswith("cell-"):
            return sim.Update(_kept(state))
        case sim.Answered(key=key, button=name, fields=fields) if name != "Cancel":
            return sim.Update(_answered(state, key, fields))
        case sim.Scrolled(key="grid", by=by):
            return sim.Update(_scrolled(_kept(state), by, 0))
        case sim.Shortcut(chord="Control+s" | "Meta+s"):
            return _pressed(_kept(state), "save")
        case sim.Pressed(key=key):
            return _pressed(_kept(state), key) if key != "go" else sim.Update(_gone(_kept(state)))
    return sim.Update(state)


def _kept(state: SheetState) -> SheetState:
    """What was typed goes into the chosen cell."""
    return state if state.draft is None else state.written(state.sheet, {state.at: state.draft}).replace(draft=None)


def _chosen(state: SheetState, at: At, picked: bool = True) -> SheetState:
    """Another cell, and the window moved so that it is seen."""
    rows = state.fitting()
    index = rows.index(at.row) + 1 if at.row in rows else 1
    top = state.top if state.top <= index < state.top + ROWS else max(1, index - ROWS // 2)
    left = state.left if state.left <= at.column < state.left + COLUMNS else max(1, at.column - COLUMNS // 2)
    changes = {"row": at.row, "column": at.column, "picked": picked, "draft": None, "goto": None, "top": top, "left": left}
    return state.model_copy(update={**changes, "error": ""})


def _pressed(state: SheetState, key: str) -> sim.Update[SheetState]:
    if key.startswith("cell-"):
        at = split(key)[1]
        return sim.Update(_below(state) if at == state.at and state.picked else _chosen(state, at))
    if key.startswith("sheet-") and key.removeprefix("sheet-") in state.sheets:
        sheet = {"sheet": key.removeprefix("sheet-"), "filter": "", "applied": "", "top": 1, "left": 1}
        return sim.Update(_chosen(state.replace(**sheet), At(1, 1), picked=False))
    if key in _WINDOW:
        return sim.Update(_scrolled(state, *_WINDOW[key]))
    if dialog := _question(state, key):
        return sim.Update(state, (dialog,))
    return _tool(state, key)


def _below(state: SheetState) -> SheetState:
    """Enter goes to the next row that is shown."""
    rows = state.fitting()
    later = [row for row in rows if row > state.row]
    return _chosen(state, At(later[0] if later else state.row, state.column))


def _gone(state: SheetState) -> SheetState:
    """The cell that the name box names, perhaps on another sheet."""
    wanted = state.at.name if state.goto is None else state.goto
    sheet, _, name = wanted.rpartition("!")
    at = parse_at(name)
    known = {s.casefold(): s for s in state.sheets}
    if at is None or (sheet and sheet.strip("'").casefold() not in known):
        raise sim.FunctionDeclined(f"{wanted!r} is no cell; write it like B3 or {state.sheets[0]}!B3")
    there = known.get(sheet.strip("'").casefold(), state.sheet)
    return _chosen(state.replace(sheet=there, filter="", applied=""), at)


_WINDOW = {"rows-up": (-ROWS, 0), "rows-down": (ROWS, 0), "columns-left": (0, -COLUMNS), "columns-right": (0, COLUMNS)}


def _scrolled(state: SheetState, rows: int, columns: int) -> SheetState:
    top = min(max(1, state.top + rows), max(1, len(state.fitting())))
    left = min(max(1, state.left + columns), MAX_COLUMNS - COLUMNS + 1)
    return state.replace(top=top, left=left)


def _tool(state: SheetState, key: str) -> sim.Update[SheetState]:
    match key:
        case "enter":
            return sim.Update(_below(state))
        case "save":
            return sim.Update(state.replace(dirty=False), (sim.Toast("Spreadsheet saved"),))
        case "copy":
            return sim.Update(state, (sim.Copy(state.shown(state.at)), sim.Toast("Copied")))
        case "clear":
            return sim.Update(state.written(state.sheet, {state.at: ""}))
        case "apply-filter" | "clear-filter":
            words = {"filter": "", "applied": ""} if key == "clear-filter" else {"applied": state.filter.strip()}
            state = state.model_copy(update={**words, "top": 1})
            # No hidden row stays chosen: buttons would act on what nobody sees
            rows = state.fitting()
            there = state.row in rows
            return sim.Update(state if there else _chosen(state, At(rows[0] if rows else 1, state.column), picked=False))
    return sim.Update(state)


def _question(state: SheetState, key: str) -> sim.Dialog | None:
    name = state.sheet
    match key:
        case "add-sheet":
            return prompt(key, "Add a sheet", "Add", sim.DialogField(key="name", label="Sheet name"))
        case "sort":
            # `D: Amount` where the sheet has a header, else `D`
            named = state.has_header(name)
            heads = [(c, state.shown(At(1, c)) if named else "") for c in range(1, max(1, state.book.extent(name).column) + 1)]
            options = tuple(f"{column_name(c)}: {head}" if head else column_name(c) for c, head in heads)
            chosen = options[min(state.column, len(options)) - 1]
            return prompt(
                key, f"Sort {name}", "Sort", sim.DialogField(key="column", label="Sort by", value=chosen, options=options),
                sim.DialogField(key="order", label="Order", value="Ascending", options=("Ascending", "Descending")),
            )  # fmt: skip
    return None


def _answered(state: SheetState, key: str, fields: Mapping[str, str]) -> SheetState:
    match key:
        case "add-sheet":
            added = state.sheet_added(fields.get("name", ""))
            return _pressed(added, f"sheet-{added.sheets[-1]}").state
        case "sort":
            column = column_number(fields.get("column", "A").partition(":")[0])
            return state.sorted_by(state.sheet, column, fields.get("order") == "Descending")
    return state
