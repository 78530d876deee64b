"""The functions of Spreadsheet. A range is written `B2:D9` or `Expenses!B2:D9`; without a sheet, the shown one is meant."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any, TypeVar

from pydantic import Field, JsonValue

from environments.simulated.app import Toast
from environments.simulated.apps.common.functions_base import NoArguments, unknown
from environments.simulated.apps.documents.spreadsheet.book import Book
from environments.simulated.apps.documents.spreadsheet.cells import (
    MAX_TEXT,
    At,
    Error,
    column_name,
    display,
    parse_area,
    parse_at,
)
from environments.simulated.apps.documents.spreadsheet.formula import Mistake, quoted
from environments.simulated.apps.documents.spreadsheet.state import (
    Refusal,
    SheetState,
    csv_of,
    has_header,
    imported,
    row_changed,
    sheet_added,
    sheet_deleted,
    sheet_renamed,
    sorted_by,
    texts_of,
    written,
)
from environments.simulated.skills import Function, FunctionDeclined, FunctionResult
from environments.simulated.world.values import Model

MOST_READ = 2000
A = TypeVar("A")


class OnSheet(Model):
    """A sheet; the one that is shown where none is named."""

    sheet: str = ""


class RangeArguments(OnSheet):
    """A range, all that is in use where none is given. `formulas` gives what was typed instead of what is shown."""

    range: str = ""
    formulas: bool = False


class Writing(OnSheet):
    """Texts by cell, as they would be typed; an empty one empties the cell."""

    cells: dict[str, str] = Field(min_length=1)


class RowArguments(OnSheet):
    """The cells of a new last row."""

    values: list[str] = Field(min_length=1)


class ByRow(OnSheet):
    """A row by its number."""

    row: int = Field(ge=1)


class SortArguments(OnSheet):
    """A column by its letter or its header."""

    column: str
    descending: bool = False


class SumArguments(OnSheet):
    """A range of numbers."""

    range: str


class FormulaArguments(OnSheet):
    """A formula such as `=SUM(B2:B9)*2`."""

    formula: str = Field(max_length=MAX_TEXT)


class CsvArguments(OnSheet):
    """CSV text, which takes the place of all that is in the sheet."""

    csv: str


class SheetName(Model):
    """The name of a sheet."""

    name: str


class NewSheetName(SheetName):
    """Its new name."""

    to: str


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
    heads = [state.shown(At(1, c), sheet) for c in range(1, extent.column + 1)] if has_header(state, sheet) else []
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


def _refusing(
    call: Callable[[SheetState, A], FunctionResult[SheetState]],
) -> Callable[[SheetState, A], FunctionResult[SheetState]]:
    """What the window would not do is declined in its words."""

    def checked(state: SheetState, given: A) -> FunctionResult[SheetState]:
        try:
            return call(state, given)
        except Refusal as no:
            raise FunctionDeclined(str(no)) from None

    return checked


def list_sheets(state: SheetState, _: NoArguments) -> FunctionResult[SheetState]:
    found: list[JsonValue] = []
    for sheet in state.sheets:
        extent = state.book.extent(sheet)
        columns = range(1, extent.column + 1)
        header: list[JsonValue] = [state.shown(At(1, c), sheet) for c in columns] if has_header(state, sheet) else []
        found.append({"name": sheet, "rows": extent.row, "columns": extent.column, "header": header})
    return FunctionResult(state, {"shown": state.sheet, "sheets": found})


def read_range(state: SheetState, wanted: RangeArguments) -> FunctionResult[SheetState]:
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
    return FunctionResult(state, {"range": _named(sheet, first, last), "values": rows})


def write_cells(state: SheetState, given: Writing) -> FunctionResult[SheetState]:
    sheets: dict[str, dict[At, str]] = {}
    for name, text in given.cells.items():
        sheet, first, last = _area(state, given.sheet, name)
        if first != last:
            raise FunctionDeclined(f"{name} is a range; name each cell, like B2")
        sheets.setdefault(sheet, {})[first] = text
    after = state
    for sheet, texts in sheets.items():
        after = written(after, sheet, texts)
    shown: dict[str, JsonValue] = {
        _named(sheet, at, at): after.shown(at, sheet) for sheet, texts in sheets.items() for at in texts
    }
    return FunctionResult(after, {"values": shown})


def append_row(state: SheetState, given: RowArguments) -> FunctionResult[SheetState]:
    sheet = sheet_of(state, given.sheet)
    row = state.book.extent(sheet).row + 1
    after = written(state, sheet, texts_of([given.values], At(row, 1)))
    return FunctionResult(after, {"range": _named(sheet, At(row, 1), At(row, len(given.values)))})


def delete_row(state: SheetState, given: ByRow) -> FunctionResult[SheetState]:
    sheet = sheet_of(state, given.sheet)
    if given.row > state.book.extent(sheet).row:
        raise FunctionDeclined(f"{sheet} has only {state.book.extent(sheet).row} rows")
    return FunctionResult(row_changed(state, sheet, given.row, -1), {"sheet": sheet, "deleted": given.row})


def sort(state: SheetState, given: SortArguments) -> FunctionResult[SheetState]:
    sheet = sheet_of(state, given.sheet)
    column = column_of(state, sheet, given.column)
    after = sorted_by(state, sheet, column, given.descending)
    return FunctionResult(after, {"sheet": sheet, "column": column_name(column), "descending": given.descending})


def sum_range(state: SheetState, given: SumArguments) -> FunctionResult[SheetState]:
    sheet, first, last = _area(state, given.sheet, given.range)
    name = _named(sheet, first, last)
    return _worth(state, sheet, f"=SUM({name})", {"range": name})


def calculate(state: SheetState, given: FormulaArguments) -> FunctionResult[SheetState]:
    sheet = sheet_of(state, given.sheet)
    formula = given.formula if given.formula.startswith("=") else f"={given.formula}"
    return _worth(state, sheet, formula, {"formula": formula})


def _worth(state: SheetState, sheet: str, formula: str, about: dict[str, JsonValue]) -> FunctionResult[SheetState]:
    book = Book(state.sheets, state.cells, date.fromisoformat(state.today))
    try:
        value = book.worth(sheet, formula)
    except Mistake as mistake:
        raise FunctionDeclined(str(mistake)) from None
    if isinstance(value, Error):
        raise FunctionDeclined(f"{formula} is {value.code}")
    return FunctionResult(state, {**about, "value": display(value)})


def add_sheet(state: SheetState, given: SheetName) -> FunctionResult[SheetState]:
    after = sheet_added(state, given.name)
    return FunctionResult(after, {"sheets": list(after.sheets)})


def rename_sheet(state: SheetState, given: NewSheetName) -> FunctionResult[SheetState]:
    after = sheet_renamed(state, sheet_of(state, given.name), given.to)
    return FunctionResult(after, {"sheets": list(after.sheets)})


def delete_sheet(state: SheetState, given: SheetName) -> FunctionResult[SheetState]:
    after = sheet_deleted(state, sheet_of(state, given.name))
    return FunctionResult(after, {"sheets": list(after.sheets)})


def import_csv(state: SheetState, given: CsvArguments) -> FunctionResult[SheetState]:
    sheet = sheet_of(state, given.sheet)
    after = imported(state, sheet, given.csv)
    return FunctionResult(after, {"sheet": sheet, "rows": after.book.extent(sheet).row}, (Toast(f"Imported into {sheet}"),))


def export_csv(state: SheetState, given: OnSheet) -> FunctionResult[SheetState]:
    return FunctionResult(state, csv_of(state, sheet_of(state, given.sheet)))


def save(state: SheetState, _: NoArguments) -> FunctionResult[SheetState]:
    return FunctionResult(state.model_copy(update={"dirty": False}), {"saved": True}, (Toast("Spreadsheet saved"),))


def _reads(name: str, summary: str, arguments: type[Any], call: Callable[[SheetState, Any], FunctionResult[SheetState]]) -> Any:
    return Function(name, summary, arguments, call)


def _writes(name: str, summary: str, arguments: type[Any], call: Callable[[SheetState, Any], FunctionResult[SheetState]]) -> Any:
    return Function(name, summary, arguments, _refusing(call), writes=True)


FUNCTIONS: tuple[Any, ...] = (
    _reads("list_sheets", "The sheets, how big they are, and their headers", NoArguments, list_sheets),
    _reads("read_range", "The cells of a range, row by row", RangeArguments, read_range),
    _reads("sum_range", "The sum of the numbers in a range", SumArguments, sum_range),
    _reads("calculate", "What a formula is worth, without writing it anywhere", FormulaArguments, calculate),
    _reads("export_csv", "A sheet as CSV text", OnSheet, export_csv),
    _writes("write_cells", "Type texts or formulas into cells", Writing, write_cells),
    _writes("append_row", "Add a row below the last one", RowArguments, append_row),
    _writes("delete_row", "Take a row out; formulas follow", ByRow, delete_row),
    _writes("sort", "Sort the rows below the header by a column", SortArguments, sort),
    _writes("add_sheet", "Add an empty sheet", SheetName, add_sheet),
    _writes("rename_sheet", "Give a sheet another name; formulas follow", NewSheetName, rename_sheet),
    _writes("delete_sheet", "Delete a sheet and its cells", SheetName, delete_sheet),
    _writes("import_csv", "Put CSV text in place of what is in a sheet", CsvArguments, import_csv),
    _writes("save", "Save the workbook", NoArguments, save),
)
