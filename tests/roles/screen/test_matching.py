"""Labels, words and values: exact before synonym before overlap before spelling, equality across spellings, and visible ties."""

import pytest

from protocol import ActionTarget, Click, GUIElement, VisualState
from roles.contracts import AppWords
from roles.screen.matching import app_for, only, similarity
from roles.screen.screens import as_shown, plainly_called, usual
from roles.screen.texts import has_phrase, labelled
from roles.screen.values import amount_of, is_a, same_value, values_in

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


# --- values: kinds, equality across spellings, rewritings, order


@pytest.mark.parametrize(
    ("kind", "text", "found"),
    [
        ("money", "We pay $1,248.90, 248.90 EUR or €99 on day 7", ["$1,248.90", "248.90 EUR", "€99"]),
        ("date", "5 May 2026, not 2026-06-01T09:00 and not 03/05/2026", ["5 May 2026", "2026-06-01", "03/05/2026"]),
        ("time", "From 9:30 to 2 p.m., line 12:345", ["9:30", "2 p.m."]),
        ("number", "42 of 1,000 in INV-1042 and v1.2", ["42", "1,000"]),
        ("email", "Ask dana@example.com.", ["dana@example.com"]),
        ("id", "INV-1042 and PO77 of Oak Ltd 5", ["INV-1042", "PO77"]),
    ],
)
def test_values_of_a_kind_are_found_in_running_text(kind: str, text: str, found: list[str]) -> None:
    assert values_in(kind, text) == found
    assert all(is_a(kind, value) for value in found)


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        ("$1,248.90", "1248.90", True),
        ("1.248,90 €", "1248.9", True),
        ("5 March 2026", "2026-03-05", True),
        ("Oak  Ltd", "oak ltd", True),
        ("German", "Deutsch", True),
        ("$1,248.90", "1248.91", False),
        ("2026-03-05", "2026-03-06", False),
        ("Oak", "Oak Ltd", False),
    ],
)
def test_two_spellings_of_one_value_are_the_same(left: str, right: str, same: bool) -> None:
    assert same_value(left, right) is same
    assert same_value(right, left) is same


def test_an_amount_below_nothing_may_stand_behind_its_currency() -> None:
    assert amount_of("USD -456.50") == amount_of("-456.50 USD") == amount_of("$-456.50") == -456.5


# --- words, phrases and labels of a text


@pytest.mark.parametrize(
    ("text", "phrase", "stands"),
    [
        ("remove take five", "take five", True),
        ("invoice 435", "435", True),
        ("invoice 4359", "435", False),
        ("12.50 eur", "50", False),
        ("1,250", "1", False),
        ("inv-435", "435", False),
        ("report.pdf", "report", False),
        ("a report.", "report", True),
        ("takes five, take five", "take five", True),
        ("anything", "", False),
    ],
)
def test_a_phrase_stands_in_a_text_only_as_a_whole(text: str, phrase: str, stands: bool) -> None:
    assert has_phrase(text, phrase) is stands


def test_a_line_has_a_label_where_a_value_stands_behind_it() -> None:
    assert labelled("Total due: $12") == ("Total due", "$12")
    assert labelled("12:30") == ("", "12:30")
    assert labelled("https://x.org") == ("", "https://x.org")
    assert labelled("Note:") == ("", "Note:")


# --- controls with other words on them are understood, and actions still name what the screen shows


def screen(*elements: tuple[str, str]) -> VisualState:
    made = [GUIElement(element_id=f"e{n}", role=role, text=text) for n, (role, text) in enumerate(elements, start=1)]
    return VisualState(elements=tuple(made))


@pytest.mark.parametrize(
    ("name", "plain"),
    [("Hand in", "Submit"), ("Find duplicates", "Find duplicates"), ("Return to bills", "Back to bills"), ("Amend", "Edit"),
     ("Start date", "Start date"), ("Bingo", "Bingo"), ("Store", "Save")],
)  # fmt: skip
def test_other_words_for_a_control_mean_the_usual_one(name: str, plain: str) -> None:
    assert usual(name) == plain


def test_a_field_to_search_in_is_one_whatever_it_is_called() -> None:
    assert usual("Look for bills", "textbox") == "Search bills"
    assert usual("Write a mail", "textbox") == "Write a mail"


def test_texts_names_that_are_taken_and_names_that_the_instruction_says_stay() -> None:
    for state in (screen(("link", "Store"), ("text", "Amend"), ("cell", "Bin")), screen(("button", "Keep"), ("button", "Save"))):
        assert plainly_called(state) is state
    named = plainly_called(screen(("button", "Keep"), ("button", "Amend")), 'Click the control "Keep".')
    assert [e.name for e in named.elements] == ["Keep", "Edit"]


def test_an_action_names_its_target_as_the_screen_does() -> None:
    state = screen(("button", "Hand in"), ("button", "All bills"))
    plain = plainly_called(state)
    assert [e.name for e in plain.elements] == ["Submit", "Back to bills"]
    action = as_shown(Click(target=ActionTarget.of(plain.elements[0])), state)
    assert isinstance(action, Click)
    assert (action.target.text, action.target.element_id) == ("Hand in", "e1")
