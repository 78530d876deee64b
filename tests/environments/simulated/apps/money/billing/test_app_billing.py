"""Billing: finding an invoice and reading it."""

from pathlib import Path

import pytest
from pydantic import ValidationError

from environments.simulated.apps.money.billing.app import Invoice

WORLD = Path(__file__).with_name("billing.yaml").read_text(encoding="utf-8")
SUMS = ("Subtotal", "Shipping", "Tax", "Total")


def test_a_page_tells_subtotal_tax_and_total_apart_which_follow_from_each_other(h):
    h.click("A-1")
    assert [h.value_of(label) for label in SUMS] == ["$1,200.00", "$40.00", "$8.90", "$1,248.90"]
    assert h.value_of("Vendor") == "Oak Ltd"
    h.click("Back to invoices", "A-2")
    assert [h.value_of(label) for label in SUMS] == ["$120.00", "$0.00", "$9.50", "$129.50"]
    for bad in ({}, {"total": "5.00", "tax": "9.00"}, {"total": "a lot"}):
        with pytest.raises(ValidationError):
            Invoice.model_validate({"number": "1", "vendor": "x", "date": "today", **bad})


def test_searching_by_vendor_and_going_back(h):
    h.fill("Search invoices", "oak")
    assert "A-2" in h.texts()
    h.press("Enter")
    assert h.texts("link") == ["A-1", "B-3"]
    h.click("B-3", "Back to invoices")
    assert h.texts("link") == ["A-1", "B-3"]
    h.fill("Search invoices", "nobody")
    h.click("Search")
    assert "No invoices found" in h.texts()


def test_paging_stops_at_the_ends_and_cells_open_their_row(h):
    assert h.click("Previous").error == "Previous is disabled"
    h.click("Next")
    assert h.texts("link") == ["B-3"]
    assert "Page 2 of 2" in h.texts()
    assert not h.click("Next").ok
    h.click("Previous")
    cell = h.element("Elm Inc")
    row = h.screen.by_id[cell.parent]
    assert (cell.role, row.role) == ("cell", "row")
    assert [e.text for e in h.screen.children(row.element_id)] == ["A-2", "Elm Inc", "5 May 2026", "", "Unpaid", "$129.50"]
    h.click("Elm Inc")
    assert h.texts("heading") == ["Invoice A-2"]


def test_a_number_goes_to_the_clipboard_and_an_invoice_to_the_mail(h):
    h.click("A-1", "Copy number")
    assert h.desktop.world()["clipboard"] == "A-1"
    h.click("Email this invoice")
    assert (h.screen.app, h.value("Subject")) == ("mail", "Invoice A-1")
    assert "Total: $1,248.90" in h.value("Message")
