"""What a world file may say of a spreadsheet, and what is made up where it says nothing."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any, Self

from pydantic import BeforeValidator, Field, model_validator

from environments.simulated.app import Content, Setting
from environments.simulated.apps.spreadsheet_cells import MAX_ROWS, At
from environments.simulated.apps.spreadsheet_csv import rows_of_csv, texts_of
from environments.simulated.apps.spreadsheet_state import Refusal, SheetState, sheet_added, written
from environments.simulated.generate import amount, day_before, how_many
from environments.simulated.values import Model


def _cell_text(value: Any) -> Any:
    """A value of the world file as it would be typed."""
    if isinstance(value, bool):
        return str(value).upper()
    return value.isoformat() if isinstance(value, date) else "" if value is None else value


CellText = Annotated[str, BeforeValidator(_cell_text)]


class SheetContent(Model):
    """A sheet, as rows of cells or as CSV text. A text that starts with `=` is a formula."""

    name: str
    rows: tuple[tuple[CellText, ...], ...] = ()
    csv: str = ""

    @model_validator(mode="after")
    def _one_of_them(self) -> Self:
        if self.rows and self.csv:
            raise ValueError("give rows or csv, not both")
        try:
            rows_of_csv(self.csv)
        except Refusal as no:
            raise ValueError(f"csv: {no}") from None
        return self

    def cells(self) -> dict[At, str]:
        return texts_of(self.rows or rows_of_csv(self.csv))


class SpreadsheetContent(Content):
    """What is left out is made up from the seed: `generate` rows of expenses, and a summary. `open` is a sheet's name."""

    sheets: tuple[SheetContent, ...] | None = Field(default=None, min_length=1)
    generate: int | None = Field(default=None, ge=0, le=20_000)
    open: str | None = None

    @model_validator(mode="after")
    def _fits(self) -> Self:
        given = self.sheets or ()
        try:
            state = filled([(sheet.name, sheet.cells()) for sheet in given], "2026-01-01") if given else None
        except Refusal as no:
            raise ValueError(f"sheets: {no}") from None
        if self.open is not None and state is not None and self.open not in state.sheets:
            raise ValueError(f"open: there is no sheet {self.open!r}; sheets given are: {', '.join(state.sheets)}")
        return self


def filled(sheets: list[tuple[str, dict[At, str]]], today: str) -> SheetState:
    """A workbook with these sheets. Raises Refusal."""
    state = SheetState(sheets=(), cells={}, today=today, sheet="")
    for name, cells in sheets:
        state = sheet_added(state, name)
        state = written(state, state.sheets[-1], cells)
    return state.model_copy(update={"sheet": state.sheets[0], "undo": (), "redo": (), "dirty": False})


_KINDS = ("Travel", "Meals", "Office supplies", "Software", "Equipment")


def rows_wanted(content: SpreadsheetContent, setting: Setting) -> int:
    """How many rows of expenses are made up; below their header a sheet has room for one less than its rows."""
    return min(how_many(None, content.generate, 24, setting.cast.times), MAX_ROWS - 1)


def generated(count: int, setting: Setting) -> list[tuple[str, dict[At, str]]]:
    rng, cast = setting
    vendors = rng.sample(cast.vendors, min(5, len(cast.vendors)))
    days = sorted(day_before(rng, cast.today) for _ in range(count))
    rows = [(day, rng.choice(vendors), rng.choice(_KINDS), amount(rng)) for day in days]
    area = f"Expenses!D2:D{max(2, count + 1)}"
    summary = (("Rows", f"=COUNT({area})"), ("Total", f"=SUM({area})"), ("Largest", f"=MAX({area})"))
    return [
        ("Expenses", texts_of((("Date", "Vendor", "Category", "Amount"), *rows))),
        ("Summary", texts_of(summary)),
    ]
