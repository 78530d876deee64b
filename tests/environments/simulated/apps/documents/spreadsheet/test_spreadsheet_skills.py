"""The spreadsheet by function: exact, with the range it is about, and the same as by hand."""

from __future__ import annotations

import pytest

WORLD = """
today: 2026-03-31
apps:
  spreadsheet:
    sheets:
      - name: Costs
        rows:
          - [Date, Vendor, Category, Amount]
          - [2026-02-27, Acme, Travel, "100.10"]
          - [2026-03-01, Birch, Travel, "20.05"]
          - [2026-03-02, Acme, Meals, "9.95"]
          - [2026-03-09, Acme, Meals, "0.30"]
          - [2026-03-31, Cobalt, Travel, n/a]
      - {name: Sums, rows: [["=SUM(Costs!D2:D6)", "=COUNT(Costs!D2:D6)"]]}
      - {name: Empty}
open: [spreadsheet]
"""


def test_ranges_are_read_as_shown_or_as_typed(h):
    assert h.call("spreadsheet.read_range", range="C1:D2") == {
        "range": "Costs!C1:D2",
        "values": [["Category", "Amount"], ["Travel", "100.10"]],
    }
    assert h.call("spreadsheet.read_range", sheet="sums")["values"] == [["130.40", "4"]]
    assert h.call("spreadsheet.read_range", range="Sums!A1", formulas=True)["values"] == [["=SUM(Costs!D2:D6)"]]
    assert [(s["name"], s["rows"], s["header"][:1]) for s in h.call("spreadsheet.list_sheets")["sheets"]] == [
        ("Costs", 6, ["Date"]), ("Sums", 1, []), ("Empty", 0, [])]  # fmt: skip
    assert h.call("spreadsheet.calculate", formula='=SUMIF(B:B,"Acme",D:D)')["value"] == "110.35"
    assert {h.call("spreadsheet.calculate", formula="SUM(A1:AZ2000)")["value"] for _ in range(3)} == {"130.40"}


def test_cells_are_written_as_by_hand(hand):
    by_hand, by_call = hand(WORLD), hand(WORLD)
    by_hand.fill("Name box", "D6")
    by_hand.press("Enter")
    by_hand.fill("Formula bar", "=D2*2")
    by_hand.press("Enter")
    assert by_call.call("spreadsheet.write_cells", cells={"D6": "=D2*2"}) == {"values": {"Costs!D6": "200.20"}}
    assert by_hand.app("spreadsheet")["cells"] == by_call.app("spreadsheet")["cells"]


def test_a_row_is_added_and_the_workbook_is_saved(h):
    assert h.call("spreadsheet.append_row", values=["2026-04-01", "Delta", "Meals", 5]) == {"range": "Costs!A7:D7"}
    assert h.call("spreadsheet.read_range", range="A7:D7")["values"] == [["2026-04-01", "Delta", "Meals", "5"]]
    assert h.call("spreadsheet.save") == {"saved": True}
    assert h.app("spreadsheet")["dirty"] is False


@pytest.mark.parametrize(
    ("function", "arguments", "words"),
    [
        ("read_range", {"range": "nowhere"}, "'nowhere' is no range; write it like B2:D9 or Costs!B2:D9"),
        ("read_range", {"range": "Cots!A1"}, "there is no sheet 'Cots'; did you mean Costs?"),
        ("read_range", {"range": "A1:AZ2000"}, "more than 2000 cells"),
        ("write_cells", {"cells": {"A1:B2": "x"}}, "name each cell"),
        ("write_cells", {"cells": {"A1": "x" * 5000}}, "at most 4000 characters"),
        ("append_row", {"values": ["x"] * 60}, "52 columns"),
        ("calculate", {"formula": "1/0"}, "=1/0 is #DIV/0!"),
        ("calculate", {"formula": "1+"}, "cannot be read at character 3"),
    ],
)
def test_what_does_not_fit_is_refused_and_changes_nothing(h, function, arguments, words):
    before = h.app("spreadsheet")
    assert words in h.call(f"spreadsheet.{function}", **arguments)
    assert h.app("spreadsheet") == before
