"""What the expense claims know: the form as it stands, and what was submitted."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from environments.simulated.app import AppState
from environments.simulated.apps.forms import Sheet
from environments.simulated.values import Day, Model, Money, parse_day, parse_money

LABELS: dict[str, str] = {
    "employee": "Employee", "vendor": "Vendor", "invoice_number": "Invoice number", "date": "Date", "category": "Category",
    "amount": "Amount", "description": "Description", "receipt": "I confirm that the receipt is attached",
}  # fmt: skip


class Claim(Model):
    """A claim as it was submitted."""

    number: str
    employee: str = ""
    vendor: str = ""
    invoice_number: str = ""
    date: Day = ""
    category: str = ""
    amount: Money | Literal[""] = ""
    description: str = ""
    receipt: bool = False
    status: str = "Submitted"


class ReimbursementState(AppState):
    """The form as it stands, and the claims by number."""

    claims: dict[str, Claim]
    draft: dict[str, str]
    saved: dict[str, str] = Field(default_factory=dict)
    """The draft as it was last saved; empty when it was not."""
    errors: dict[str, str] = Field(default_factory=dict)
    page: Literal["form", "done", "claims", "claim"] = "form"
    claim: str = ""
    list_page: int = 1
    employee: str
    required: tuple[str, ...]
    disabled_until_valid: bool
    categories: tuple[str, ...]
    labels: dict[str, str]
    currency: str
    submit_seconds: float
    today: str = ""
    sheet: Sheet | None = None


def problem(state: ReimbursementState, name: str) -> str:
    """What is wrong with a field, in the words that the page shows."""
    label, value = state.labels[name], state.draft[name].strip()
    if name in state.required and value in ("", "false"):
        return f"{label} is required"
    if name == "amount" and value:
        amount = parse_money(value)
        if amount is None or amount == "0.00":
            return f"{label} must be an amount like 120.50"
    if name == "date" and value and parse_day(value) is None:
        return f"{label} must be a day like 2026-03-31"
    return ""
