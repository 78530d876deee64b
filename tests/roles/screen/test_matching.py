"""Labels: exact before synonym before overlap before spelling, and a tie is visible."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roles.contracts import AppWords
from roles.screen.matching import app_for, only, similarity

APPS = (
    AppWords(app="billing", title="Billing", words=("invoice", "invoices", "bills")),
    AppWords(app="reimbursement", title="Reimbursement", words=("expense", "expenses", "claim", "claims")),
    AppWords(app="mail", title="Mail", words=("email", "inbox")),
    AppWords(app="crm2", title="Customer Desk"),
)


@pytest.mark.parametrize(
    ("wanted", "labels", "chosen"),
    [
        ("total", ["Subtotal", "Tax", "Amount due"], "Amount due"),
        ("total", ["Amount due", "Total"], "Total"),
        ("amount due", ["Amount due", "Total"], "Amount due"),
        ("amount", ["Vendor", "Sum claimed", "Category"], "Sum claimed"),
        ("vendor", ["Employee", "Supplier", "Description"], "Supplier"),
        ("date", ["Due date", "Invoice date"], "Invoice date"),
        ("description", ["Purpose", "Amount"], "Purpose"),
        ("recipient", ["To", "Cc", "Subject"], "To"),
        ("Amount", ["Amount (USD) *", "Amount paid by card"], "Amount (USD) *"),
        ("totl", ["Total", "Tax"], "Total"),
        ("the tax field", ["Taxes paid", "Tax"], "Tax"),
        ("phone number", ["Number", "Phone"], "Phone"),
    ],
)
def test_a_noun_finds_its_label(wanted: str, labels: list[str], chosen: str) -> None:
    assert only(labels, lambda label: similarity(wanted, label)) == chosen


@pytest.mark.parametrize(
    ("wanted", "labels"),
    [("total", ["Subtotal", "Tax"]), ("vendor", ["Amount"]), ("date", ["Due date"]), ("amount", ["Amount"] * 2)],
)
def test_none_is_meant_of_what_means_something_else_or_fits_equally(wanted: str, labels: list[str]) -> None:
    assert only(labels, lambda label: similarity(wanted, label)) is None


@pytest.mark.parametrize(
    ("words", "app"),
    [
        ("Billing", "billing"),
        ("invoices", "billing"),
        ("reimbursement form", "reimbursement"),
        ("expense claim", "reimbursement"),
        ("e-mail", "mail"),
        ("reimbursment", "reimbursement"),
        ("customer desk", "crm2"),
        ("CRM", None),
        ("form", None),
    ],
)
def test_an_application_is_known_by_its_names(words: str, app: str | None) -> None:
    found = app_for(words, APPS)
    assert (found.app if found else None) == app


@given(st.text(max_size=30), st.text(max_size=30))
def test_similarity_is_a_number_from_0_to_1_and_1_for_equal_words(a: str, b: str) -> None:
    assert 0.0 <= similarity(a, b) <= 1.0
    if a.strip():
        assert similarity(a, a) == 1.0


@pytest.mark.parametrize(
    ("wanted", "label", "alike"),
    [
        ("Living room thermostat", "Living room therm…", True),
        ("Living room thermostat", "Liv…", False),
        ("Living room thermostat", "Living room light…", False),
        ("Living room", "Living room", True),
    ],
)
def test_a_label_for_which_there_was_no_room_is_known_by_what_is_shown_of_it(wanted: str, label: str, alike: bool) -> None:
    assert (similarity(wanted, label) >= 0.9) is alike
