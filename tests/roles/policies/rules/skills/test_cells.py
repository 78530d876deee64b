"""Values go into the cells that the words mean, totals are put right, and nothing else on the sheet changes."""

from __future__ import annotations

import pytest
from worked.rules_loop import Crew, world

from roles.policies.rules.grammar import describe, parse
from roles.screen.language import clauses as c

WORLD = """
apps:
  spreadsheet:
    sheets:
      - {name: Log, rows: [[What, Amount]]}
      - name: Fruit
        rows:
          [[Kind, Kilos, Price], [Apples, 4, 2.5], [Pears, 3, 1.2], [Plums, 9, 3], [Sum, "=SUM(B2:B4)", "=C2+C4"]]
  billing:
    invoices:
      - {number: AB-1, vendor: Oak Ltd, date: 2026-03-02, due: 2026-04-01, tax: 8.90, total: 248.90, status: unpaid}
      - {number: AB-2, vendor: Acme, date: 2026-03-05, due: 2026-04-09, tax: 1.00, total: 1248.90, status: paid}
open: [spreadsheet]
"""


def cells(crew: Crew) -> dict[str, str]:
    found: dict[str, str] = crew.state["spreadsheet"]["cells"]
    return found


@pytest.mark.parametrize(
    "goal",
    [
        "The sum on the Fruit sheet is wrong. Correct its formula so that it takes in all the rows above it and save it.",
        "Make the sum of the Fruit sheet add up every price above it, then save the workbook",
        "Repair the formula of the sum on the Fruit sheet so that it sums up all prices above it.",
    ],
)
def test_the_column_whose_total_is_wrong_is_the_one_that_is_mended(goal: str) -> None:
    crew = Crew(world(WORLD), goal)
    before = cells(crew)
    assert crew.run() == "done", crew.why
    assert {k: v for k, v in cells(crew).items() if before[k] != v} == {"Fruit!C5": "=SUM(C2:C4)"}


@pytest.mark.parametrize(
    ("goal", "row"),
    [
        ("Write the vendor and the total of invoice AB-2 into the second row of the Log sheet", {"A2": "Acme", "B2": "1248.90"}),
        ("Put down the due date and the vendor of invoice AB-1 in row 4 of the Log sheet", {"A4": "2026-04-01", "B4": "Oak Ltd"}),
    ],
)
def test_facts_go_into_the_cells_of_one_row(goal: str, row: dict[str, str]) -> None:
    crew = Crew(world(WORLD), goal)
    before = cells(crew)
    assert crew.run() == "done", crew.why
    new = {k: v.replace(",", "").lstrip("$") for k, v in cells(crew).items() if k not in before}
    assert new == {f"Log!{place}": text for place, text in row.items()}


def test_a_new_sheet_lists_records_one_below_the_other() -> None:
    goal = (
        "Make a sheet called Due and list invoices AB-2 and AB-1 in it from the second row on: the due date in column A,"
        " the number in column C"
    )
    crew = Crew(world(WORLD), goal)
    before = cells(crew)
    assert crew.run() == "done", crew.why
    new = {k: v for k, v in cells(crew).items() if k not in before}
    assert new == {"Due!A2": "2026-04-09", "Due!C2": "AB-2", "Due!A3": "2026-04-01", "Due!C3": "AB-1"}


def test_a_sheet_that_is_not_there_is_said() -> None:
    crew = Crew(world(WORLD), "Write the vendor of invoice AB-2 into the second row of the Nuts sheet")
    assert crew.run() == "infeasible"
    assert 'there is no sheet "Nuts"' in crew.why


def test_what_goes_into_cells_is_said_so_that_it_is_read_again() -> None:
    for clause in (
        c.Cell("", c.Value("x"), "Log", "B6"),
        c.Cell("", c.Value(facts=("a b",)), "Log", "C2"),
        c.AddUp("", "F", "sum"),
    ):
        assert parse(describe(clause)) == [clause]
