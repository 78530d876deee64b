"""Spreadsheet: cells in the window, sheets, filter, sorting; and what a world file may say."""

from pathlib import Path

from orchestrator.tasks.changes import side_effects
from protocol import ActionTarget, Click

WORLD = Path(__file__).with_name("spreadsheet.yaml").read_text(encoding="utf-8")


def cells(h):
    return h.app("spreadsheet")["cells"]


def rows(h, column="B"):
    found = {key.removeprefix(f"Costs!{column}"): text for key, text in cells(h).items() if key.startswith(f"Costs!{column}")}
    return [found[n] for n in sorted(found, key=int)]


def go(h, name):
    assert h.fill("Name box", name).exec_status == "executed"
    return h.press("Enter")


def test_a_cell_is_clicked_and_typed_into(h):
    h.click("Acme")
    assert h.element("Name box").value == "B3"
    assert h.element("Formula bar").value == "Acme"
    assert h.element("Cell B3").placeholder == "Acme"
    h.type("Delta")
    assert h.element("Cell B3").value == "Delta"
    h.press("Enter")
    assert cells(h)["Costs!B3"] == "Delta"
    assert h.element("Name box").value == "B4"
    h.fill("Cell B4", "Ember")
    h.click("Birch")
    assert cells(h)["Costs!B4"] == "Ember"
    h.type("X")
    h.press("Tab")
    assert cells(h)["Costs!B2"] == "X"
    h.press("Enter")
    assert h.element("Name box").value == "C2", "Tab goes to the next cell"


def test_looking_round_is_no_change_and_a_cell_is(h):
    before = h.desktop.world()
    go(h, "B2")
    h.fill("Filter rows", "Acme")
    h.press("Enter")
    h.type("half written", "Formula bar")
    assert side_effects(before, h.desktop.world(), [], {}) == []
    h.press("Enter")
    assert len(side_effects(before, h.desktop.world(), [], {})) == 1


def test_the_formula_bar_fills_a_column(h):
    go(h, "D2")
    h.type("=C2*2\n=C3*2\n=SUM(D2:D3)\n", "Formula bar")
    assert h.element("Name box").value == "D5"
    assert [e.text for e in h.screen.elements if e.role == "cell" and e.text in ("25.0", "25", "14", "39")] == ["25", "14", "39"]


def test_a_formula_that_cannot_be_read_says_so(h):
    go(h, "D1")
    h.fill("Formula bar", "=1+")
    h.click("Birch")
    go(h, "D1")
    assert h.texts("alert") == ["D1: this formula cannot be read at character 3"]
    assert "#ERROR!" in [e.placeholder or e.text for e in h.screen.elements]


def test_the_name_box_goes_far_and_to_other_sheets(h):
    for name in ("Z", "Nope!A1", "AAA1", "A99999", ""):
        go(h, name)
        assert h.texts("alert")[0].endswith("is no cell; write it like B3 or Costs!B3")
    go(h, "AB150")
    assert h.element("Cell AB150").visible
    go(h, "sums!B1")
    assert h.texts("heading") == ["Sheet: Sums"]
    assert h.element("Formula bar").value == "=SUM(Costs!C2:C4)"
    assert h.element("Cell B1").placeholder == "26.5"
    h.click("Costs")
    go(h, "C2")
    h.fill("Formula bar", "100")
    h.press("Enter")
    h.click("Sums")
    assert "114" in h.texts("cell"), "formulas of other sheets follow"


def test_only_a_window_of_the_sheet_is_shown(h):
    assert len(h.texts("rowheader")) == 15
    assert len(h.texts("columnheader")) == 8
    h.click("Rows down", "Columns right")
    assert h.texts("rowheader")[0] == "16"
    assert h.texts("columnheader")[0] == "I"
    h.click("Rows up", "Columns left")
    assert "Birch" in h.texts("cell")


def test_sorting_keeps_the_header_and_equal_rows_in_order(h):
    go(h, "D2")
    h.type("=C2*2\n=C3*2\n", "Formula bar")
    h.click("Sort…")
    h.select("Sort by", "C: Amount")
    h.click("Sort")
    assert [cells(h).get(f"Costs!D{row}") for row in (2, 3, 4)] == ["=C2*2", None, "=C4*2"], "formulas go along"
    assert rows(h) == ["Vendor", "Acme", "Cobalt", "Birch"]
    h.click("Sort…")
    h.select("Sort by", "C: Amount")
    h.select("Order", "Descending")
    h.press("Enter")
    assert rows(h) == ["Vendor", "Birch", "Acme", "Cobalt"]


def test_the_filter_shows_rows_with_the_words_and_the_header(h):
    h.type("acme", "Filter rows", submit=True)
    assert h.texts("rowheader") == ["1", "3"]
    assert "4 rows, 3 columns, 2 shown; saved" in h.texts("status")
    h.click("Clear filter", "Birch")
    assert len(h.texts("rowheader")) == 15
    h.type("acme", "Filter rows", submit=True)
    assert h.element("Name box").value == "B1", "a hidden row does not stay chosen"


def test_sheets_are_added(h):
    h.click("Add sheet")
    h.type("costs")
    h.press("Enter")
    assert h.texts("alert") == ["There is a sheet costs already"]
    h.click("Add sheet")
    h.type("Plan 2")
    h.press("Enter")
    assert h.texts("heading") == ["Sheet: Plan 2"]
    assert h.app("spreadsheet")["sheets"] == ["Costs", "Sums", "Plan 2"]


def test_what_a_cell_shows_is_copied(h):
    go(h, "D2")
    h.fill("Formula bar", "=C2*$C$2")
    h.click("Birch")
    go(h, "D2")
    h.click("Copy cell")
    assert h.desktop.world()["clipboard"] == "156.25"
    go(h, "E1")
    h.press("Control+v", on="Formula bar")
    h.press("Enter")
    assert cells(h)["Costs!E1"] == "156.25"


def test_saving_is_said_and_keeps_what_is_being_typed(h):
    assert h.click("Save").error == "Save is disabled"
    h.click("Birch", "Clear cell")
    assert "Costs!B2" not in cells(h)
    h.do(Click(target=ActionTarget(track_id="spreadsheet.cell-Costs!E5")))
    h.type("new")
    assert h.texts("status")[0].endswith("unsaved changes")
    h.press("Control+s")
    assert cells(h)["Costs!E5"] == "new"
    assert h.texts("status")[0].endswith("; saved")


LEDGER = Path(__file__).with_name("ledger.yaml").read_text(encoding="utf-8")


class TestFunctions:
    WORLD = LEDGER

    def test_ranges_are_read_as_shown_or_as_typed(self, h):
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

    def test_cells_are_written_as_by_hand(self, hand):
        by_hand, by_call = hand(self.WORLD), hand(self.WORLD)
        by_hand.fill("Name box", "D6")
        by_hand.press("Enter")
        by_hand.fill("Formula bar", "=D2*2")
        by_hand.press("Enter")
        assert by_call.call("spreadsheet.write_cells", cells={"D6": "=D2*2"}) == {"values": {"Costs!D6": "200.20"}}
        assert by_hand.app("spreadsheet")["cells"] == by_call.app("spreadsheet")["cells"]

    def test_a_row_is_added_and_the_workbook_is_saved(self, h):
        assert h.call("spreadsheet.append_row", values=["2026-04-01", "Delta", "Meals", 5]) == {"range": "Costs!A7:D7"}
        assert h.call("spreadsheet.read_range", range="A7:D7")["values"] == [["2026-04-01", "Delta", "Meals", "5"]]
        assert h.call("spreadsheet.save") == {"saved": True}
        assert h.app("spreadsheet")["dirty"] is False

    def test_what_does_not_fit_is_refused_and_changes_nothing(self, h):
        h.refuses(
            "spreadsheet",
            ("read_range", {"range": "nowhere"}, "'nowhere' is no range; write it like B2:D9 or Costs!B2:D9"),
            ("read_range", {"range": "Cots!A1"}, "there is no sheet 'Cots'; did you mean Costs?"),
            ("read_range", {"range": "A1:AZ2000"}, "more than 2000 cells"),
            ("write_cells", {"cells": {"A1:B2": "x"}}, "name each cell"),
            ("write_cells", {"cells": {"A1": "x" * 5000}}, "at most 4000 characters"),
            ("append_row", {"values": ["x"] * 60}, "52 columns"),
            ("calculate", {"formula": "1/0"}, "=1/0 is #DIV/0!"),
            ("calculate", {"formula": "1+"}, "cannot be read at character 3"),
        )
