"""The functions of Spreadsheet. A range is written `B2:D9` or `Expenses!B2:D9`; without a sheet, the shown one is meant."""

from __future__ import annotations

from datetime import date
from typing import Annotated, TypeVar

from pydantic import Field, JsonValue

from environments.simulated.app import FunctionDeclined, FunctionResult, Toast
from environments.simulated.apps.common.functions_base import FunctionTable, unknown
from environments.simulated.apps.documents.spreadsheet.book import Book
from environments.simulated.apps.documents.spreadsheet.formula import (
    MAX_TEXT,
    At,
    Error,
    Mistake,
    column_name,
    display,
    parse_area,
    parse_at,
    quoted,
)
from environments.simulated.apps.documents.spreadsheet.state import Refusal, SheetState, texts_of
from environments.simulated.world.values import Model

MOST_READ = 2000
A = TypeVar("A")


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


def column_of(state: SheetState, sheet: str, wanted: str) -> int:
    """A column by its header or letter. Raises FunctionDeclined."""
    extent = state.book.extent(sheet)
    heads = [state.shown(At(1, c), sheet) for c in range(1, extent.column + 1)] if state.has_header(sheet) else []
    folded = " ".join(wanted.split()).casefold()
    for column, head in enumerate(heads, start=1):
        if head.casefold() == folded:
            return column
    if at := parse_at(f"{wanted.strip()}1"):
        return at.column
    unknown("column", wanted, [head for head in heads if head] or [column_name(c) for c in range(1, extent.column + 1)])


def _area(state: SheetState, sheet: str, text: str) -> tuple[str, At, At]:
    named, mark, rest = text.rpartition("!")
    name = sheet_of(state, named if mark else sheet)
    area = parse_area(rest)
    if area is None:
        raise FunctionDeclined(f"{text!r} is no range; write it like B2:D9 or {quoted(state.sheets[0])}!B2:D9")
    return name, *area


def _named(sheet: str, first: At, last: At) -> str:
    return f"{quoted(sheet)}!{first.name}" + ("" if first == last else f":{last.name}")


def _worth(state: SheetState, sheet: str, formula: str, about: dict[str, JsonValue]) -> FunctionResult[SheetState]:
    book = Book(state.sheets, state.cells, date.fromisoformat(state.today))
    try:
        value = book.worth(sheet, formula)
    except Mistake as mistake:
        raise FunctionDeclined(str(mistake)) from None
    if isinstance(value, Error):
        raise FunctionDeclined(f"{formula} is {value.code}")
    return FunctionResult(state, {**about, "value": display(value)})


FUNCTIONS = FunctionTable[SheetState](Refusal)


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
        raise FunctionDeclined(f"{text} has more than {MOST_READ} cells; read it in parts")
    look = state.raw if wanted.formulas else state.shown
    rows: list[JsonValue] = [
        [look(At(r, c), sheet) for c in range(first.column, last.column + 1)] for r in range(first.row, last.row + 1)
    ]
    return {"range": _named(sheet, first, last), "values": rows}


@FUNCTIONS.reads("SumArguments", "A range of numbers.")
def sum_range(
    state: SheetState, *, sheet: str = "", range: Annotated[str, Field(examples=["B2:B9"])]
) -> FunctionResult[SheetState]:
    """The sum of the numbers in a range"""
    sheet, first, last = _area(state, sheet, range)
    name = _named(sheet, first, last)
    return _worth(state, sheet, f"=SUM({name})", {"range": name})


@FUNCTIONS.reads("FormulaArguments", "A formula such as `=SUM(B2:B9)*2`.")
def calculate(
    state: SheetState, *, sheet: str = "", formula: Annotated[str, Field(max_length=MAX_TEXT)]
) -> FunctionResult[SheetState]:
    """What a formula is worth, without writing it anywhere"""
    sheet = sheet_of(state, sheet)
    formula = formula if formula.startswith("=") else f"={formula}"
    return _worth(state, sheet, formula, {"formula": formula})


@FUNCTIONS.reads("OnSheet", "A sheet; the one that is shown where none is named.")
def export_csv(state: SheetState, sheet: str = "") -> JsonValue:
    """A sheet as CSV text"""
    return state.csv_of(sheet_of(state, sheet))


@FUNCTIONS.writes()
def write_cells(state: SheetState, given: Writing) -> FunctionResult[SheetState]:
    """Type texts or formulas into cells"""
    sheets: dict[str, dict[At, str]] = {}
    for name, text in given.cells.items():
        sheet, first, last = _area(state, given.sheet, name)
        if first != last:
            raise FunctionDeclined(f"{name} is a range; name each cell, like B2")
        sheets.setdefault(sheet, {})[first] = text
    after = state
    for sheet, texts in sheets.items():
        after = after.written(sheet, texts)
    shown: dict[str, JsonValue] = {
        _named(sheet, at, at): after.shown(at, sheet) for sheet, texts in sheets.items() for at in texts
    }
    return FunctionResult(after, {"values": shown})


@FUNCTIONS.writes("RowArguments", "The cells of a new last row.")
def append_row(
    state: SheetState, *, sheet: str = "", values: Annotated[list[str], Field(min_length=1)]
) -> FunctionResult[SheetState]:
    """Add a row below the last one"""
    sheet = sheet_of(state, sheet)
    row = state.book.extent(sheet).row + 1
    after = state.written(sheet, texts_of([values], At(row, 1)))
    return FunctionResult(after, {"range": _named(sheet, At(row, 1), At(row, len(values)))})


@FUNCTIONS.writes("ByRow", "A row by its number.")
def delete_row(state: SheetState, *, sheet: str = "", row: Annotated[int, Field(ge=1)]) -> FunctionResult[SheetState]:
    """Take a row out; formulas follow"""
    sheet = sheet_of(state, sheet)
    if row > state.book.extent(sheet).row:
        raise FunctionDeclined(f"{sheet} has only {state.book.extent(sheet).row} rows")
    return FunctionResult(state.row_changed(sheet, row, -1), {"sheet": sheet, "deleted": row})


@FUNCTIONS.writes("SortArguments", "A column by its letter or its header.")
def sort(state: SheetState, *, sheet: str = "", column: str, descending: bool = False) -> FunctionResult[SheetState]:
    """Sort the rows below the header by a column"""
    sheet = sheet_of(state, sheet)
    number = column_of(state, sheet, column)
    after = state.sorted_by(sheet, number, descending)
    return FunctionResult(after, {"sheet": sheet, "column": column_name(number), "descending": descending})


@FUNCTIONS.writes("SheetName", "The name of a sheet.")
def add_sheet(state: SheetState, name: str) -> FunctionResult[SheetState]:
    """Add an empty sheet"""
    after = state.sheet_added(name)
    return FunctionResult(after, {"sheets": list(after.sheets)})


@FUNCTIONS.writes("NewSheetName", "Its new name.")
def rename_sheet(state: SheetState, name: str, to: str) -> FunctionResult[SheetState]:
    """Give a sheet another name; formulas follow"""
    after = state.sheet_renamed(sheet_of(state, name), to)
    return FunctionResult(after, {"sheets": list(after.sheets)})


@FUNCTIONS.writes("SheetName", "The name of a sheet.")
def delete_sheet(state: SheetState, name: str) -> FunctionResult[SheetState]:
    """Delete a sheet and its cells"""
    after = state.sheet_deleted(sheet_of(state, name))
    return FunctionResult(after, {"sheets": list(after.sheets)})


@FUNCTIONS.writes("CsvArguments", "CSV text, which takes the place of all that is in the sheet.")
def import_csv(state: SheetState, *, sheet: str = "", csv: str) -> FunctionResult[SheetState]:
    """Put CSV text in place of what is in a sheet"""
    sheet = sheet_of(state, sheet)
    after = state.imported(sheet, csv)
    return FunctionResult(after, {"sheet": sheet, "rows": after.book.extent(sheet).row}, (Toast(f"Imported into {sheet}"),))


@FUNCTIONS.writes()
def save(state: SheetState) -> FunctionResult[SheetState]:
    """Save the workbook"""
    return FunctionResult(state.replace(dirty=False), {"saved": True}, (Toast("Spreadsheet saved"),))
