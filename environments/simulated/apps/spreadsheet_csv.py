"""A sheet as text and back: CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable

from environments.simulated.apps.spreadsheet_cells import MAX_COLUMNS, MAX_ROWS, At, key_of
from environments.simulated.apps.spreadsheet_state import Refusal, SheetState, changed, split

_FIRST = At(1, 1)


def rows_of_csv(text: str) -> list[list[str]]:
    """The rows of a CSV text, separated by commas, semicolons or tabs. Raises Refusal."""
    head = text.split("\n", 1)[0]
    delimiter = max(",;\t", key=head.count)
    if "\0" in text:
        raise Refusal("A CSV text has no NUL characters")
    try:
        rows = list(csv.reader(io.StringIO(text), delimiter=delimiter))
    except csv.Error as bad:
        raise Refusal(f"This is not CSV: {bad}") from None
    if len(rows) > MAX_ROWS or max(map(len, rows), default=0) > MAX_COLUMNS:
        raise Refusal(f"A sheet has {MAX_ROWS} rows and {MAX_COLUMNS} columns")
    return rows


def csv_of(state: SheetState, sheet: str) -> str:
    """The sheet as it is shown."""
    extent = state.book.extent(sheet)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    for row in range(1, extent.row + 1):
        writer.writerow([state.shown(At(row, column), sheet) for column in range(1, extent.column + 1)])
    return out.getvalue()


def texts_of(rows: Iterable[Iterable[str]], first: At = _FIRST) -> dict[At, str]:
    """Rows of texts as cells, from a first place on."""
    return {At(first.row + r, first.column + c): text for r, row in enumerate(rows) for c, text in enumerate(row)}


def imported(state: SheetState, sheet: str, text: str) -> SheetState:
    """The CSV text in place of what was in the sheet. Raises Refusal."""
    rows = rows_of_csv(text)
    others = {key: raw for key, raw in state.cells.items() if split(key)[0] != sheet}
    made = {key_of(sheet, at): line for at, raw in texts_of(rows).items() if (line := " ".join(raw.split("\n")).strip())}
    return changed(state, {**others, **made})
