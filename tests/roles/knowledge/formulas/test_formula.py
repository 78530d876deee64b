"""Formulas: exact arithmetic, dates, units, money and tables; what is used is named, what is missing is said, nothing is run."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roles.contracts import Fact
from roles.contracts.values import MissingInput, Number, Table, Trouble, shown, table_of, table_text, typed
from roles.knowledge.formula import Sheet, names_in, problem_with, work_out

INVOICES = Table(
    ("Number", "Vendor", "Due date", "Status", "Total"),
    (
        ("INV-1", "Acme", "2026-03-01", "Paid", "$1,200.50"),
        ("INV-2", "Acme", "2026-02-01", "Overdue", "$99.50"),
        ("INV-3", "Bolt", "2026-05-01", "Overdue", "$10.00"),
        ("INV-4", "Bolt", "", "Unpaid", ""),
    ),
    "invoices",
)
FACTS = {
    "price": "$12.00", "share": "25 %", "start": "1 March 2026", "end": "2026-04-02", "ride": "90 min",
    "euros": "1.248,90 €", "name": "Ada",
    "letter": "Dear Nora,\non 2026-03-01 we sent INV-0311.\n\nAda Byron\nEngines\nTel. +44 20 555 0101",
}  # fmt: skip


def sheet() -> Sheet:
    facts = FACTS | {"invoices": shown(INVOICES)}
    return Sheet({name: Fact(name=name, value=value) for name, value in facts.items()})


def told(formula: str) -> str:
    return shown(work_out(formula, sheet()))


@pytest.mark.parametrize(
    ("formula", "value"),
    [
        ("2 * (3 + 4) - 1", "13"),
        ("10 / 4", "2.5"),
        ('fact "price" * 3', "$36.00"),
        ('fact "price" * 19 %', "$2.28"),
        ('fact "price" * fact "share"', "$3.00"),
        ('-fact "price"', "-$12.00"),
        ('percent(fact "price", $48)', "25%"),
        ('larger(fact "price", $9.50)', "$12.00"),
        ('convert(fact "price", "EUR", 0.5)', "6.00 €"),
        ('fact "euros" + 0.10 EUR', "1,249.00 €"),
        ('(fact "ride" | in h)', "1.5 h"),
        ("2 km + 500 m", "2.5 km"),
        ('fact "end" - fact "start"', "32 day"),
        ('days(fact "start", fact "end")', "32 day"),
        ('add_days(fact "start", 30)', "2026-03-31"),
        ('fact "start" before date "2026-03-02"', "yes"),
        ('if(fact "price" > $10, "dear", "cheap")', "dear"),
        ("(10 / 3 | round 2)", "3.33"),
        ('like(fact "letter", "INV-####")', "INV-0311"),
        ('line(fact "letter", -3)', "Ada Byron"),
        ('phone(fact "letter")', "+44 20 555 0101"),
        ('found("email", "write to ann@example.org", "or to no one")', "ann@example.org"),
        ('found("room", "Use Room 12, the other one is taken.")', "Room 12"),
        ('found("gate", "It leaves from the North Gate today.")', "North Gate"),
    ],
)
def test_arithmetic_is_exact_and_keeps_its_unit(formula: str, value: str) -> None:
    assert told(formula) == value


@pytest.mark.parametrize(
    ("steps", "value"),
    [
        ("count", "4"),
        ("sum [Total]", "$1,310.00"),
        ("average [Total]", "$436.67"),
        ("minimum [Total]", "$10.00"),
        ("maximum [Due date]", "2026-05-01"),
        ('where [Status] = "overdue" | sum [Total]', "$109.50"),
        ('where not [Status] = "Paid" and [Vendor] = "Bolt" | count', "2"),
        ('where [Total] > $50 or [Vendor] contains "ol" | column [Number]', "INV-1, INV-2, INV-3, INV-4"),
        ('where [Due date] before date "2026-03-01" | get [Number]', "INV-2"),
        ('where any contains "bolt" | count', "2"),
        ("largest [Total] | get [Number]", "INV-1"),
        ("smallest [Total] | get [Vendor]", "Bolt"),
        ("sort [Due date] | first 2 | column [Number]", "INV-2, INV-1"),
        ("sort [Due date] down | last 1 | get [Number]", "INV-4"),
        ("row 2 | get [Total]", "$99.50"),
        ('distinct [Vendor] | join " and "', "Acme and Bolt"),
    ],
)
def test_tables_are_filtered_sorted_and_summed(steps: str, value: str) -> None:
    assert told(f'table "invoices" | {steps}') == value


def test_rows_are_grouped_in_order_of_appearance() -> None:
    table = work_out('table "invoices" | group [Vendor] sum [Total]', sheet())
    assert isinstance(table, Table)
    assert (table.columns, table.rows) == (("Vendor", "sum of Total"), (("Acme", "$1,300.00"), ("Bolt", "$10.00")))


def test_every_fact_that_is_used_is_named_and_no_other() -> None:
    used = sheet()
    work_out('if(fact "price" > $1, table "invoices" | count, 0)', used)
    assert used.used == ["price", "invoices"]
    assert names_in('fact "a" + fact "b" * (table "c" | count) + fact "a"') == ("a", "b", "c")


@pytest.mark.parametrize(
    ("formula", "what"),
    [
        ('fact "rent" + 1', 'the fact "rent"'),
        ('table "orders" | count', 'the table "orders"'),
        ('table "invoices" | sum [Weight]', "the column [Weight]"),
        ("$5 + 3 EUR", "the rate from EUR to USD"),
        ('table "invoices" | where [Status] = "lost" | get [Number]', "a row with Number"),
    ],
)
def test_what_is_missing_is_said(formula: str, what: str) -> None:
    with pytest.raises(MissingInput) as missing:
        work_out(formula, sheet())
    assert missing.value.what.startswith(what)


@pytest.mark.parametrize(
    "formula",
    ["1 / 0", '"Ada" + 1', "5 km + 3 kg", "$2 * $3", 'fact "name" < 3', 'table "invoices" | sum [Vendor]', "fact", "", "(" * 50,
     '__import__("os").system("true")', "lambda: 1", "open('x')", "1 +" * 3000],
)  # fmt: skip
def test_nonsense_is_refused_in_one_sentence(formula: str) -> None:
    with pytest.raises(Trouble) as trouble:
        work_out(formula, sheet())
    assert "\n" not in str(trouble.value)
    assert len(str(trouble.value)) < 300


def test_a_formula_is_checked_before_it_is_worked_out() -> None:
    assert problem_with("1 + 1") == ""
    assert "character" in problem_with("1 + + ]")


@given(st.lists(st.lists(st.text(max_size=8), min_size=2, max_size=2), max_size=6))
def test_a_table_survives_the_blackboard(rows: list[list[str]]) -> None:
    kept = tuple((a, b) for a, b in rows)
    table = table_of(table_text(("x", "y"), kept), "t")
    assert table == Table(("x", "y"), kept, "t")


def test_words_that_only_begin_like_a_number_stay_words() -> None:
    assert typed("12 apples") == "12 apples"
    assert typed("INV-7") == "INV-7"
    assert typed("(12.50)") == Number(Decimal("-12.50"))


@pytest.mark.parametrize(
    "formula",
    [
        'like(fact "letter", "K-###")', 'like("K-12 and K-13", "K-##")', 'like(fact "letter", "INV-###")',
        'line(fact "letter", 9)', 'phone("call +1 555 0101 or +1 555 0102")', 'phone("on 2026-03-01")',
        'found("id", "INV-1", "INV-2")', 'found("room", "Use Room or Lift")',
    ],
)  # fmt: skip
def test_what_does_not_stand_in_a_text_once_is_not_taken_out_of_it(formula: str) -> None:
    with pytest.raises(MissingInput):
        work_out(formula, sheet())
