"""Formulas: what each is worth, exactly; errors as values; circles; and that nothing is too deep, too wide or too strange."""

from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from worlds.effort import at_most

from environments.simulated.apps.documents.spreadsheet.book import Book
from environments.simulated.apps.documents.spreadsheet.formula import (
    At,
    Mistake,
    compiled,
    display,
    key_of,
    parse_area,
    parse_at,
    translated,
    typed,
)

TODAY = date(2026, 3, 31)
CELLS = {
    "A1": "10", "A2": "2.50", "A3": "-4", "A4": "", "A5": "text", "A6": "TRUE", "B1": "paid", "B2": "open", "B3": "Paid",
    "C1": "2026-03-01", "C2": "2026-02-01", "D1": "p", "D2": "q", "E1": "1", "E2": "2", "F1": "=A1+A2", "G1": "=1/0",
}  # fmt: skip


def worth(formula, cells=None, sheets=("S", "My costs")):
    given_ = {f"S!{name}": text for name, text in (CELLS if cells is None else cells).items()}
    book = Book(sheets, {**given_, "My costs!B2": "42", "S!Z99": formula}, TODAY)
    return display(book.value("S", At(99, 26)))


@pytest.mark.parametrize(
    ("formula", "value"),
    [
        # operators, and which come first
        ("=1+2*3", "7"), ("=(1+2)*3", "9"), ("=2^3^2", "64"), ("=-2^2", "4"), ("=10-4-3", "3"), ("=100/8", "12.5"),
        ("=50%*4", "2"), ("=--3", "3"), ("=+3", "3"), ("=1+2=3", "TRUE"), ('="a"&1+1&"b"', "a2b"), ("=0.1+0.2", "0.3"),
        ("=0.1+0.2=0.3", "TRUE"), ("=1/3*3=1", "FALSE"), ("=2>=2", "TRUE"), ("=1<>1", "FALSE"), ('="b">"A"', "TRUE"),
        ('="x"="X"', "TRUE"), ('=2<"1"', "TRUE"), ("= 1 + 1 ", "2"), ("=.5+.5", "1"), ('="say ""hi"""', 'say "hi"'),
        # references
        ("=A1", "10"), ("=$A$1+A$2+$A3", "8.50"), ("=a1", "10"), ("=A4", "0"), ("='My costs'!B2", "42"),
        ("='my costs'!B2", "42"),
        ("=S!A1", "10"), ("=SUM(S!A1:A3)", "8.50"), ("=SUM('My costs'!B:B)", "42"), ("=F1*2", "25.00"),
        # functions over ranges
        ("=SUM(A1:A3)", "8.50"), ("=SUM(A3:A1)", "8.50"), ("=SUM(A1:A6)", "8.50"), ("=SUM(A:A)", "8.50"),
        ("=SUM(A1,A2,1)", "13.50"), ("=AVERAGE(A1:A2)", "6.25"), ("=MIN(A1:A6)", "-4"), ("=MAX(A1:A6)", "10"),
        ("=COUNT(A1:C6)", "5"), ("=COUNTA(A1:A6)", "5"), ("=MAX(C1:C2)", "2026-03-01"), ("=MIN(C1:C2)", "2026-02-01"),
        ('=COUNTIF(B1:B3,"paid")', "2"), ('=COUNTIF(A1:A3,">=2.5")', "2"), ('=COUNTIF(B1:B3,"<>paid")', "1"),
        ('=COUNTIF(B1:B3,"p*")', "2"), ('=COUNTIF(B1:B3,"?pen")', "1"), ('=COUNTIF(A1:A6,"")', "1"),
        ("=COUNTIF(A1:A3,A1)", "1"), ('=SUMIF(B1:B3,"paid",A1:A3)', "6"), ('=SUMIF(A1:A3,">0")', "12.50"),
        ('=COUNTIF(C1:C2,">2026-02-15")', "1"),
        # functions of one value
        ('=IF(A1>5,"big","small")', "big"), ("=IF(FALSE,1)", "FALSE"), ("=IF(1,A4)", "0"), ("=AND(A1>1,A2>1)", "TRUE"),
        ("=OR(FALSE,A1=1)", "FALSE"), ("=NOT(A1=1)", "TRUE"), ("=ROUND(2.345,2)", "2.35"), ("=ROUND(-2.5,0)", "-3"),
        ("=ROUND(1234,-2)", "1200"), ("=ABS(A3)", "4"), ('=A1&"-"&B1', "10-paid"), ("=TODAY()", "2026-03-31"),
        ("=TODAY()-C1", "30"), ("=C1+31", "2026-04-01"), ('="2.5"*2', "5"), ("=A6+1", "2"), ("=sum(a1:a2)", "12.50"),
        ("=SUM( A1 : A2 )", "12.50"),
        # errors
        ("=1/0", "#DIV/0!"), ("=AVERAGE(A4:A5)", "#DIV/0!"), ("=NOPE(1)", "#NAME?"), ("=nope", "#NAME?"), ("=ZZ1", "#REF!"),
        ("=A99999", "#REF!"), ("=Gone!A1", "#REF!"), ("=SUM(#REF!)", "#REF!"), ('=1+"x"', "#VALUE!"), ("=A5*2", "#VALUE!"),
        ("=A1:A3", "#VALUE!"), ("=A1:A3+1", "#VALUE!"), ("=G1+1", "#DIV/0!"), ("=SUM(A1,G1)", "#DIV/0!"),
        ("=SUM(G1:G2)", "#DIV/0!"), ("=IF(G1,1,2)", "#DIV/0!"), ("=Z99", "#CIRC!"), ("=SUM(Z1:Z100)", "#CIRC!"),
        ("=10^9999", "#NUM!"), ("=(-1)^0.5", "#NUM!"), ("=0^0", "#NUM!"), ("=SUM()", "#N/A"), ("=IF(1)", "#N/A"),
        ("=TODAY(1)", "#N/A"), ("=C1+99999999", "#NUM!"), ("=1+", "#ERROR!"), ("=", "#ERROR!"), ("=(1", "#ERROR!"),
        ('="a', "#ERROR!"), ("=1,2", "#ERROR!"), ("=A1 A2", "#ERROR!"), ("=COUNTIF(1,1)", "#VALUE!"),
        ("=SUMIF(1,1)", "#VALUE!"), ("=ROUND(1,99)", "#NUM!"), ('=TRUE>"a"', "TRUE"),
    ],
)  # fmt: skip
def test_a_formula_is_worth(formula, value):
    assert worth(formula) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("12.50", Decimal("12.50")), ("1,234.5", Decimal("1234.5")), ("$5", Decimal(5)), ("-7", Decimal(-7)),
        ("50%", Decimal("0.5")),
        ("TRUE", True), ("2026-03-01", date(2026, 3, 1)), ("2026-02-30", "2026-02-30"), ("'5", "5"), ("", None), ("  ", None),
        ("1e5", "1e5"), ("1,23", "1,23"), (".", "."), ("-", "-"), ("$", "$"), ("%", "%"), ("٣", "٣"), ("9" * 31, "9" * 31),
    ],
)  # fmt: skip
def test_what_is_typed_is_worth(text, value):
    assert typed(text) == value
    assert type(typed(text)) is type(value)


def test_circles_are_found_whole_and_only_they():
    cells = {"A1": "=B1", "B1": "=A1+1", "C1": "=A1", "D1": "=E1", "E1": "7", "F1": "=F1"}
    book = Book(("S",), {f"S!{name}": text for name, text in cells.items()}, TODAY)
    shown = {name: display(book.value("S", parse_at(name))) for name in cells}
    assert shown == {"A1": "#CIRC!", "B1": "#CIRC!", "C1": "#CIRC!", "D1": "7", "E1": "7", "F1": "#CIRC!"}
    backwards = Book(("S",), {f"S!{name}": text for name, text in reversed(cells.items())}, TODAY)
    assert backwards.values == book.values


def test_a_chain_as_long_as_a_sheet_is_reckoned():
    cells = {f"S!A{row}": f"=A{row + 1}+1" for row in range(1, 2000)} | {"S!A2000": "0.5"}
    assert Book(("S",), cells, TODAY).value("S", At(1, 1)) == Decimal("1999.5")


@pytest.mark.parametrize(
    "formula",
    ["=" + "(" * 1900 + "1" + ")" * 1900, "=" + "-" * 3990 + "1", "=" + "1+" * 1990 + "1", "=" + "1^" * 1990 + "1",
     "=" + "IF(1," * 660 + "1" + ")" * 660, "=" + "(" * 3990, "=" + '"' * 3990, "=" + "'" * 3990, "=" + "A1:" * 1300,
     "=" + "a" * 3990,
     "=" + "9" * 3990, "=" + "9^" * 1500 + "9", "=" + "1%" + "%" * 3900, "=" + "x!" * 1990],
)  # fmt: skip
def test_no_formula_is_too_deep_or_takes_long(formula):
    with at_most(3):
        assert worth(formula)
        translated(formula, 1, 1)


def test_huge_ranges_cost_no_more_than_what_is_in_them():
    cells = {f"S!A{row}": "1" for row in range(1, 2001)} | {f"S!B{row}": "=SUM($A$1:A2000)" for row in range(1, 2001)}
    with at_most(10):
        book = Book(("S",), cells, TODAY)
        assert book.value("S", At(1, 2)) == 2000
        assert display(book.value("S", At(2000, 2))) == "#NUM!"  # more than the workbook may read
    assert worth("=SUM(A1:Y2000)", {"A1": "1", "B2": "2"}) == "3"


def test_a_formula_moves_along_with_what_has_no_dollar():
    assert translated("=A1+$A1+A$1+$A$1+SUM(B:B)+'My x'!C3", 1, 1) == "=B2+$A2+B$1+$A$1+SUM(C:C)+'My x'!D4"
    assert translated("=A1", 0, -1) == "=#REF!"


def test_texts_do_not_grow_without_end():
    cells = {"S!A1": "x" * 3000} | {f"S!A{row}": f"=A{row - 1}&A{row - 1}" for row in range(2, 100)}
    assert display(Book(("S",), cells, TODAY).value("S", At(99, 1))) == "#VALUE!"


def test_a_pattern_of_stars_is_no_trap():
    with at_most(3):
        assert worth(f'=COUNTIF(A1:A2,"{"*a" * 500}b")', {"A1": "a" * 4000}) == "0"


MONEY = st.decimals(-(10**9), 10**9, places=2)


@given(st.lists(MONEY | st.none(), max_size=40))
def test_the_sum_of_a_column_is_that_of_exact_decimals(column):
    cells = {f"A{row}": "" if value is None else str(value) for row, value in enumerate(column, start=1)}
    numbers = [value for value in column if value is not None]
    assert Decimal(worth("=SUM(A:A)", cells)) == sum(numbers, Decimal(0))
    assert worth("=COUNT(A1:A98)", cells) == str(len(numbers))
    if numbers:
        assert Decimal(worth("=MAX(A:A)", cells)) == max(numbers)
        assert worth("=SUM(A:A)/COUNT(A:A)=AVERAGE(A:A)", cells) == "TRUE"


@given(st.lists(MONEY, min_size=1, max_size=20), MONEY)
def test_a_condition_parts_a_column(column, limit):
    cells = {f"A{row}": str(value) for row, value in enumerate(column, start=1)}
    assert worth(f'=SUMIF(A:A,">{limit}")+SUMIF(A:A,"<={limit}")=SUM(A:A)', cells) == "TRUE"
    assert worth(f'=COUNTIF(A:A,">{limit}")', cells) == str(sum(value > limit for value in column))


PIECES = st.sampled_from(
    ["=", "+", "-", "*", "/", "^", "&", "%", "(", ")", ",", ":", "<", ">", "!", "'", '"', "$", "#REF!", "A1", "B2:B9", "S!",
    "SUM(", "IF(", "COUNTIF(", "ROUND(", "SUMIF(", "AVERAGE(", "AND(", "ABS(", "COUNTA(", "TRUE", "1", "2.5", "99999999999",
     "1E9", '">1"', '"*"', "G1", "x", " ", "B:B", "\n", "é", "\0"]
)  # fmt: skip


@given(st.text(max_size=40).map("=".__add__) | st.lists(PIECES, max_size=14).map(lambda parts: "=" + "".join(parts)))
@settings(max_examples=3 * settings.default.max_examples)
def test_no_text_makes_a_formula_raise(text):
    assert isinstance(worth(text), str)
    changed = translated(text, 1, 1)
    assert changed.startswith("=")
    assert isinstance(worth(changed), str)
    try:
        compiled(text)
    except Mistake as mistake:
        assert "cannot be read" in str(mistake)  # noqa: PT017


@given(st.text(max_size=8))
def test_any_text_is_a_place_or_none(text):
    assert parse_at(text) is None or parse_at(text).inside
    assert parse_area(text) is None or parse_area(text)[0] <= parse_area(text)[1]
    assert display(typed(text)) is not None


_SHEETS = ("One", "Two")
_VALUES = st.sampled_from(("1", "2.50", "words", "2026-03-01", "TRUE", "'9", "$3"))
_FORMULAS = st.sampled_from(("=A1+A2", "=SUM(A1:C4)", "=Two!B2", "=B1", "=COUNT(One!A1:A4)", "=1/0", "=("))
_PLACES = st.builds(key_of, st.sampled_from(_SHEETS), st.builds(At, st.integers(1, 4), st.integers(1, 3)))


@given(st.dictionaries(_PLACES, _VALUES | _FORMULAS), st.dictionaries(_PLACES, _VALUES | st.none()))
def test_values_written_into_a_book_make_the_book_of_the_new_cells(cells: dict[str, str], new: dict[str, str | None]) -> None:
    book = Book(_SHEETS, cells, TODAY)
    kept = {name: dict(values) for name, values in book.values.items()}
    after = {key: text for key, text in {**cells, **new}.items() if text is not None}
    followed = book.with_values(new)
    scratch = Book(_SHEETS, after, TODAY)
    if followed is not None:
        assert followed.values == scratch.values
        assert [followed.extent(name) for name in _SHEETS] == [scratch.extent(name) for name in _SHEETS]
    else:
        assert any((cells.get(key) or "").startswith("=") for key in new)
    assert book.values == kept
