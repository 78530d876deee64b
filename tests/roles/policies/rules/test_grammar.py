"""Imperative English in many wordings becomes the same clauses; what is not understood stays visible."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roles.contracts import AppWords
from roles.policies.rules.grammar import describe, parse
from roles.screen.language import clauses as c

APPS = (
    AppWords(app="billing", title="Billing", words=("billing", "invoice", "invoices", "bills")),
    AppWords(app="reimbursement", title="Reimbursement", words=("reimbursement", "expense", "expenses", "claim", "claims")),
    AppWords(app="mail", title="Mail", words=("mail", "email", "inbox")),
    AppWords(app="notes", title="Notes", words=("notes", "note")),
    AppWords(app="files", title="Files", words=("file", "files", "folder")),
    AppWords(app="settings", title="Settings", words=("settings",)),
)


def words(text: str) -> list[str]:
    return [describe(clause) for clause in parse(text, APPS)]


WORDINGS: dict[str, list[str]] = {
    "Find the invoice total on the billing page and copy it into the reimbursement form": [
        'Read the "total" of the invoice in the "billing" app',
        'Enter the fact "invoice total" in the "reimbursement form" app',
    ],
    "Look up the total of invoice INV-2043 in billing, then enter it as the amount in the reimbursement form, "
    "choose category Travel and submit the form": [
        'Read the "total" of the invoice with id "INV-2043" in the "billing" app',
        'Enter the fact "invoice total" into the field "amount" in the "reimbursement form" app',
        'Select the option "Travel" in the field "category" in the "reimbursement form" app',
        'Submit the "form" in the "reimbursement form" app',
    ],
    'Read the amount due on Northwind\'s latest invoice and email it to dana@example.com with subject "Invoice"': [
        'Read the "amount due" of the latest invoice for "Northwind"',
        'Send a mail to "dana@example.com" with subject "Invoice" with message the fact "invoice amount due"',
    ],
    "Get the tax and the total for invoice INV-7 and write both into a new note titled 'Taxes'": [
        'Read the "tax" and the "total" of the invoice with id "INV-7"',
        'Create a "note" with title "Taxes" with text the fact "invoice tax" and "invoice total"',
    ],
    "Open the mail from Ada Byron about the offsite, copy the date into a note called Offsite": [
        'Open the mail for "Ada Byron" about "offsite"',
        'Read the "date" of the mail for "Ada Byron" about "offsite"',
        'Create a "note" with title "Offsite" with text the fact "mail date"',
    ],
    "Fill the reimbursement form: vendor Acme, amount $12.50, category Meals, then save it as a draft": [
        'Enter "Acme" into the field "vendor" in the "reimbursement form" app',
        'Enter "$12.50" into the field "amount" in the "reimbursement form" app',
        'Enter "Meals" into the field "category" in the "reimbursement form" app',
        'Save the "form" as "draft" in the "reimbursement form" app',
    ],
    "Delete the file budget.txt": ['Delete the file for "budget.txt"'],
    'Reply to the mail from Priya saying "Thanks, and see you"': [
        'Reply to the mail for "Priya" with message "Thanks, and see you"'
    ],
    "Transfer the largest unpaid invoice's total to the expense form and send it in": [
        'Read the "total" of the largest unpaid invoice',
        'Enter the fact "invoice total" in the "expense form" app',
        'Submit the "form" in the "expense form" app',
    ],
    "Please go to the billing app and find the total of the latest invoice from Acme Ltd. dated 2026-03-02. "
    "Then put it in the amount field of the expense form.": [
        'Open the "billing" app',
        'Read the "total" of the latest invoice for "Acme Ltd." dated "2026-03-02" in the "billing" app',
        'Enter the fact "invoice total" into the field "amount" in the "expense form" app',
    ],
    "In the billing app, find the vendor and the total of invoice INV-9; then, in the expense form, enter the vendor "
    "and the amount and submit.": [
        'Read the "vendor" and the "total" of the invoice with id "INV-9" in the "billing" app',
        'Enter the fact "invoice vendor" and "invoice total" in the "expense form" app',
        'Submit the "form" in the "expense form" app',
    ],
    "What is the total of invoice INV-7?": [
        'Read the "total" of the invoice with id "INV-7"',
        'Tell the user the fact "invoice total"',
    ],
    "When is invoice INV-7 due?": [
        'Read the "due date" of the invoice with id "INV-7"',
        'Tell the user the fact "invoice due date"',
    ],
    "How much is Northwind's latest invoice?": [
        'Read the "total" of the latest invoice for "Northwind"',
        'Tell the user the fact "invoice total"',
    ],
    '1. Open Billing 2. Find invoice INV-3 3. Copy its total into the Amount field of the expense form 4. Click "Submit"': [
        'Open the "Billing" app',
        'Open the invoice with id "INV-3" in the "Billing" app',
        'Read the "total" of the invoice with id "INV-3" in the "Billing" app',
        'Enter the fact "invoice total" into the field "Amount" in the "expense form" app',
        'Click the control "Submit"',
    ],
    "I need the total of invoice INV-7 in the reimbursement form.": [
        'Read the "total" of the invoice with id "INV-7"',
        'Enter the fact "invoice total" in the "reimbursement form" app',
    ],
    'Send a mail to bob@x.org with subject "Report, Q1" and message "Done."': [
        'Send a mail to "bob@x.org" with subject "Report, Q1" with message "Done."'
    ],
    'In Mail, compose a message to bob@x.org, subject "Hi there", body "How are you, and the kids?" and send it': [
        'Send a mail to "bob@x.org" with subject "Hi there" with message "How are you, and the kids?" in the "Mail" app'
    ],
    "Find the total of invoice INV-1 on the billing page and send a mail to dana@example.com with the subject "
    '"For the books" and the total as the message': [
        'Read the "total" of the invoice with id "INV-1" in the "billing" app',
        'Send a mail to "dana@example.com" with subject "For the books" with message the fact "invoice total"',
    ],
    'In the reimbursement form, enter the vendor, the invoice number and the total as the amount, select "Travel" as the '
    "category and submit the form": [
        'Read the "vendor" and the "invoice number" and the "total" of the invoice',
        'Enter the fact "invoice vendor" and "invoice number" in the "reimbursement form" app',
        'Enter the fact "invoice total" into the field "amount" in the "reimbursement form" app',
        'Select the option "Travel" in the field "category" in the "reimbursement form" app',
        'Submit the "form" in the "reimbursement form" app',
    ],
    "Get the total of INV-1 and the total of INV-2 and put both in a note called Sum": [
        'Read the "total" of the invoice with id "INV-1"',
        'Read the "total" of the invoice with id "INV-2" as "INV-2 total"',
        'Create a "note" with title "Sum" with text the fact "invoice total" and "INV-2 total"',
    ],
    "Submit a reimbursement claim for invoice INV-1042 with category Travel": [
        'Read the "total" and the "vendor" and the "date" and the "invoice number" of the invoice with id "INV-1042"',
        'Fill in the form in the "reimbursement claim" app',
        'Enter "Travel" into the field "category" in the "reimbursement claim" app',
        'Submit the "form" in the "reimbursement claim" app',
    ],
    'Append "buy milk" to the note Ideas': ['Append "buy milk" of the note for "Ideas"'],
    "Rename the file a.txt to b.txt": ['Rename the file for "a.txt" to "b.txt"'],
    "Move report.pdf to the Archive folder": ['Move the item for "report.pdf" to "Archive"'],
    "Press Ctrl+S": ['Press the keys "Control" and "s"'],
    'Untick "Enable notifications" in settings and save': [
        'Untick the box "Enable notifications" in the "settings" app',
        'Save the "form" in the "settings" app',
    ],
    'Create a note titled "X and Y" with text "a, then b"': ['Create a "note" with title "X and Y" with text "a, then b"'],
}


@pytest.mark.parametrize(("text", "expected"), WORDINGS.items(), ids=[text[:50] for text in WORDINGS])
def test_a_wording_means_these_clauses(text: str, expected: list[str]) -> None:
    assert words(text) == expected


SAME = [
    "Find the total of invoice INV-7 in billing and enter it as the amount in the expense form",
    "find the total of invoice INV-7 in billing, then enter it as the amount in the expense form",
    "Please find the total of invoice INV-7 in billing. Afterwards, enter it as the amount in the expense form.",
    "Can you look up the total for invoice INV-7 on the billing page and then put it into the amount field of the expense form?",
    "I need you to get invoice INV-7's total in billing and type it as the amount in the expense form",
    "1. Retrieve the total of invoice INV-7 in Billing.\n2. Enter it as the amount in the expense form.",
    "In billing, grab the total of invoice INV-7; use it as the amount in the expense form",
    "Open the billing app, check what the total of invoice INV-7 is, and fill it into the amount field of the expense form",
    "Take the total from invoice INV-7 (billing) and paste it in the Amount box of the expense form",
    "Go to the billing app and fetch the total of invoice INV-7, finally enter that value as the amount in the expense form",
    "Copy the total of invoice INV-7 in billing to the amount field of the expense form",
]


@pytest.mark.parametrize("text", SAME)
def test_different_words_for_one_job_mean_the_same(text: str) -> None:
    found = [clause for clause in parse(text, APPS) if not isinstance(clause, c.Open)]
    read, entered = found
    assert isinstance(read, c.Read)
    assert (read.facts, read.entity.id, read.app.casefold()) == (("total",), "INV-7", "billing")
    assert isinstance(entered, c.Enter)
    assert (entered.value.facts, entered.field.casefold(), entered.app) == (("invoice total",), "amount", "expense form")


@pytest.mark.parametrize(
    "text",
    [
        "Water the plants in the greenhouse",
        "Defragment the coffee machine and calibrate its flux capacitor",
        "Follow the monthly closing procedure for invoice INV-7",
        "Pay invoice INV-7",
        "Summarize my inbox",
        "Compare the totals of INV-1 and INV-2",
        "Go to the second page of invoices",
        "Drive the red van to the harbour",
    ],
)
def test_what_is_not_understood_comes_back_verbatim(text: str) -> None:
    assert parse(text, APPS) == [c.Unknown(text=text)]


def test_one_clause_that_is_not_understood_does_not_hide_the_others() -> None:
    found = parse("Find the total of invoice INV-7, frobnicate the ledger, then submit the form", APPS)
    assert any(isinstance(x, c.Unknown) and "frobnicate the ledger" in x.text for x in found) or any(
        "frobnicate" in describe(x) for x in found
    )


def test_what_must_not_be_done_is_kept_apart() -> None:
    found = parse("Enter 12.50 as the amount in the expense form, but don't submit it", APPS)
    assert [type(x) for x in found] == [c.Enter, c.Avoid]


SAFE = st.text(
    alphabet=st.characters(blacklist_categories=["Cs", "Cc", "Co"], blacklist_characters='"\\“”'), min_size=1, max_size=40
)


@settings(max_examples=150, deadline=None)
@given(SAFE, SAFE)
def test_quoted_values_are_opaque_whatever_they_contain(title: str, body: str) -> None:
    assert parse(f'Create a note titled "{title}" with text "{body}"', APPS) == [
        c.Create(noun="note", title=c.Value(title), body=c.Value(body))
    ]


@settings(max_examples=100, deadline=None)
@given(st.integers(1, 99999), st.sampled_from(["total", "tax", "subtotal", "vendor", "due date"]), st.booleans())
def test_any_id_and_fact_is_read(number: int, fact: str, polite: bool) -> None:
    text = f"{'Please f' if polite else 'F'}ind the {fact} of invoice INV-{number} on the billing page"
    assert parse(text, APPS) == [c.Read("billing", (fact,), c.Entity("invoice", f"INV-{number}"))]


@settings(max_examples=60, deadline=None)
@given(st.decimals(min_value=0, max_value=99999, places=2), st.sampled_from(["$", "€", "£"]))
def test_any_amount_of_money_is_a_value(amount: object, sign: str) -> None:
    assert parse(f"Enter {sign}{amount} as the amount in the expense form", APPS) == [
        c.Enter("expense form", c.Value(f"{sign}{amount}"), "amount")
    ]
