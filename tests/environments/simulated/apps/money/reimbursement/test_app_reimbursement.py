"""Reimbursement: filling the form, what it refuses, and what becomes of a claim."""

WORLD = "user: Mara Lind\napps: {reimbursement: }\nopen: [reimbursement]"
STRICT = """
apps:
  reimbursement:
    employee: Bo Ek
    required: [amount, category, receipt]
    disabled_until_valid: true
    labels: {vendor: Merchant}
    categories: [Trip, Food]
    submit_seconds: 2
    claims: [{number: R-0041, vendor: Old, amount: 5}]
open: [reimbursement]
"""


def test_a_claim_is_submitted_and_listed(h):
    h.fills({"Vendor": "Oak Ltd", "Invoice number": "A-1", "Date": "2 March 2026"})
    h.select("Category", "travel")
    h.type("two", "Description")
    h.press("Enter")
    h.type("lines")
    h.click("I confirm that the receipt is attached")
    assert h.type("$1,248.9", "Amount", submit=True).ok, "Enter submits but in the description"
    assert h.texts("heading") == ["Claim R-0001 submitted"]
    assert h.value_of("Amount") == "$1,248.90"
    assert h.app("reimbursement")["claims"] == {
        "R-0001": {"number": "R-0001", "employee": "Mara Lind", "vendor": "Oak Ltd", "invoice_number": "A-1", 
                   "date": "2026-03-02",
                   "category": "Travel", "amount": "1248.90", "description": "two\nlines", "receipt": True, "status": "Submitted"}
    }  # fmt: skip
    h.click("My claims", "R-0001")
    assert h.value_of("Status") == "Submitted"
    h.click("New claim")
    assert (h.element("Amount").value, h.element("Employee").value) == ("", "Mara Lind")


def test_what_is_wrong_is_said_next_to_the_field_when_it_is_left_or_sent(h):
    assert h.click("Submit").ok
    assert h.texts("alert") == ["Amount is required"]
    names = h.texts()
    assert names.index("Amount is required") == names.index("Amount") + 1
    assert h.element("Amount").invalid
    assert h.app("reimbursement")["claims"] == {}
    h.fill("Amount", "twelve")
    assert h.texts("alert") == []
    h.click("Date")
    assert h.texts("alert") == ["Amount must be an amount like 120.50"]
    h.fill("Date", "soon")
    h.press("Tab")
    assert "Date must be a day like 2026-03-31" in h.texts("alert")


def test_submit_is_disabled_until_the_form_is_valid(hand):
    h = hand(STRICT)
    assert h.click("Submit").error == 'Submit is disabled; "Category" is required'
    assert h.press("Enter", on="Amount").error == 'Submit is disabled; "Category" is required'
    assert h.select("Category", "Rent").error == "\"Category\" has no option 'Rent'; options are: Trip, Food"
    h.click("Category")
    h.keys("ArrowDown", "ArrowDown")
    assert h.value("Category") == "Food"
    assert h.fill("Merchant", "Oak").ok, "fields go by the names that the world gives them"
    assert h.click("Submit").error == 'Submit is disabled; "Amount" is required'
    h.fill("Amount", "x")
    assert not h.element("Submit").enabled
    h.fill("Amount", "9")
    h.press(" ", on="I confirm that the receipt is attached")
    assert h.element("Submit").enabled
    assert h.click("Submit").ok
    assert h.screen.loading
    assert h.click("New claim").error == "Reimbursement is loading; wait"
    h.wait(2)
    assert h.texts("heading") == ["Claim R-0042 submitted"]
