"""A workbook that follows a few new values is the one that would be reckoned from the beginning."""

from __future__ import annotations

from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from environments.simulated.apps.documents.spreadsheet.book import Book
from environments.simulated.apps.documents.spreadsheet.formula import At, key_of
from environments.simulated.apps.documents.spreadsheet.state import (
    SheetState,
    texts_of,
)

_SHEETS = ("One", "Two")
_TODAY = date(2026, 3, 2)
_VALUES = st.sampled_from(("1", "2.50", "words", "2026-03-01", "TRUE", "'9", "$3"))
_FORMULAS = st.sampled_from(("=A1+A2", "=SUM(A1:C4)", "=Two!B2", "=B1", "=COUNT(One!A1:A4)", "=1/0", "=("))
_PLACES = st.builds(key_of, st.sampled_from(_SHEETS), st.builds(At, st.integers(1, 4), st.integers(1, 3)))


@given(st.dictionaries(_PLACES, _VALUES | _FORMULAS), st.dictionaries(_PLACES, _VALUES | st.none()))
def test_values_written_into_a_book_make_the_book_of_the_new_cells(cells: dict[str, str], new: dict[str, str | None]) -> None:
    book = Book(_SHEETS, cells, _TODAY)
    kept = {name: dict(values) for name, values in book.values.items()}
    after = {key: text for key, text in {**cells, **new}.items() if text is not None}
    followed = book.with_values(new)
    scratch = Book(_SHEETS, after, _TODAY)
    if followed is not None:
        assert followed.values == scratch.values
        assert [followed.extent(name) for name in _SHEETS] == [scratch.extent(name) for name in _SHEETS]
    else:
        assert any((cells.get(key) or "").startswith("=") for key in new)
    assert book.values == kept


def test_a_value_that_is_written_and_taken_back_shows_in_formulas_filter_and_extent() -> None:
    empty = SheetState(sheets=(), cells={}, today="2026-03-02", sheet="")
    state = empty.sheet_added("One").changed({}, None)
    rows = [["Vendor", "Amount"], ["Acme", "10"], ["Bolt", "20"], ["Sum", "=SUM(B2:B3)"]]
    state = state.written("One", texts_of(rows)).model_copy(update={"sheet": "One", "applied": "acme"})
    assert state.shown(At(4, 2)) == "30"
    after = state.written("One", {At(3, 1): "Acme too", At(3, 2): "25", At(6, 3): "far"})
    assert after.shown(At(4, 2)) == "35"
    assert list(after.fitting()) == [1, 2, 3]
    assert after.book.extent("One") == At(6, 3)
    back = after.written("One", {At(3, 1): "Bolt", At(3, 2): "20", At(6, 3): ""})
    assert (back.shown(At(4, 2)), list(back.fitting()), back.book.extent("One")) == ("30", [1, 2], At(4, 2))
