"""The pages of the spreadsheet: a window onto a sheet, and the place for CSV text."""

from __future__ import annotations

from collections.abc import Sequence

from environments.simulated.apps.spreadsheet_cells import BAD, MAX_COLUMNS, At, column_name, key_of
from environments.simulated.apps.spreadsheet_formula import Mistake, compiled
from environments.simulated.apps.spreadsheet_state import COLUMNS, ROWS, SheetState, fitting
from environments.simulated.widgets import Widget, alert, bar, button, cell, form, heading, row, status, textbox


def import_view(state: SheetState) -> tuple[Widget, ...]:
    error = (alert(state.error, "csv.error"),) if state.error else ()
    return (
        heading(f"Import into {state.sheet}", "import"),
        textbox("CSV text", "csv", state.csv, multiline=True, invalid=bool(state.error)),
        *error,
        bar(button("Import", "import"), button("Cancel", "cancel")),
    )


def grid_view(state: SheetState) -> tuple[Widget, ...]:
    rows = fitting(state)
    return (
        heading(f"Sheet: {state.sheet}", f"sheet-title-{state.sheet}"),
        _sheets(state),
        _tools(state),
        _entry(state),
        *((alert(said, "error"),) if (said := _problem(state)) else ()),
        _filter(state),
        bar(
            button("Rows up", "rows-up", enabled=state.top > 1),
            button("Rows down", "rows-down", enabled=state.top + ROWS <= len(rows)),
            button("Columns left", "columns-left", enabled=state.left > 1),
            button("Columns right", "columns-right", enabled=state.left + COLUMNS <= MAX_COLUMNS),
            key="window",
        ),
        _grid(state, rows),
        status(_summary(state, len(rows))),
    )


def _sheets(state: SheetState) -> Widget:
    tabs = (Widget("tab", name, f"sheet-{name}", press=True, selected=name == state.sheet) for name in state.sheets)
    return Widget("tablist", None, "sheets", children=tuple(tabs), across=True)


def _tools(state: SheetState) -> Widget:
    several = len(state.sheets) > 1
    return bar(
        button("Save", "save", enabled=state.dirty),
        button("Undo", "undo", enabled=bool(state.undo)),
        button("Redo", "redo", enabled=bool(state.redo)),
        button("Copy cell", "copy"),
        button("Clear cell", "clear"),
        button("Paste cell", "paste", enabled=bool(state.copied)),
        button("Copy sheet", "copy-sheet"),
        button("Add row", "add-row"),
        button("Delete row", "delete-row"),
        button("Sort…", "sort"),
        button("Import CSV", "import-csv"),
        button("Add sheet", "add-sheet"),
        button("Rename sheet", "rename-sheet"),
        button("Delete sheet", "delete-sheet", enabled=several),
        key="tools",
    )


def _entry(state: SheetState) -> Widget:
    content = state.raw(state.at) if state.draft is None else state.draft
    box = textbox("Name box", "name-box", state.at.name if state.goto is None else state.goto)
    line = textbox("Formula bar", "formula", content)
    return bar(
        form("name-form", box, button("Go", "go"), submit="go", across=True),
        form("formula-form", line, button("Enter", "enter"), submit="enter", across=True),
        key="entry",
    )


def _filter(state: SheetState) -> Widget:
    field = textbox("Filter rows", "filter", state.filter, placeholder="Show rows with these words")
    clear = button("Clear filter", "clear-filter", enabled=bool(state.applied))
    return form("filter-form", field, button("Filter", "apply-filter"), clear, submit="apply-filter", across=True)


def _problem(state: SheetState) -> str:
    """What went wrong, or why the chosen cell's formula is not one."""
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


def _summary(state: SheetState, shown: int) -> str:
    extent = state.book.extent(state.sheet)
    found = f", {shown} shown" if state.applied else ""
    saved = "unsaved changes" if state.dirty else "saved"
    return f"{extent.row} rows, {extent.column} columns{found}; {saved}"
