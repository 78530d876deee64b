"""The functions of Billing: invoices are read, never changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import JsonValue

from environments.simulated.apps.functions_base import Page, part_of, unknown
from environments.simulated.skills import Done, Function
from environments.simulated.values import Model, from_cents, in_cents, matches

if TYPE_CHECKING:
    from environments.simulated.apps.billing_state import BillingState, Invoice


class Wanted(Page):
    """`query` is searched in number, vendor and date, as the search field does."""

    query: str = ""
    vendor: str = ""
    status: Literal["paid", "unpaid", "overdue"] | None = None


class ByNumber(Model):
    """An invoice by its number."""

    number: str


def _fitting(state: BillingState, wanted: Wanted) -> list[Invoice]:
    return [
        invoice
        for invoice in state.invoices.values()
        if matches(wanted.query, invoice.number, invoice.vendor, invoice.date)
        and matches(wanted.vendor, invoice.vendor)
        and wanted.status in (None, invoice.status)
    ]


def _short(invoice: Invoice) -> JsonValue:
    return invoice.model_dump(mode="json", include={"number", "vendor", "date", "due", "status", "total"})


def list_invoices(state: BillingState, wanted: Wanted) -> Done[BillingState]:
    return Done(state, {"currency": state.currency, **part_of(_fitting(state, wanted), wanted, _short)})


def get_invoice(state: BillingState, wanted: ByNumber) -> Done[BillingState]:
    invoice = state.invoices.get(wanted.number)
    if invoice is None:
        unknown("invoice", wanted.number, state.invoices)
    return Done(state, {"currency": state.currency, **invoice.model_dump(mode="json")})


def sum_invoices(state: BillingState, wanted: Wanted) -> Done[BillingState]:
    found = _fitting(state, wanted)
    total = from_cents(sum(in_cents(invoice.total) for invoice in found))
    return Done(state, {"count": len(found), "currency": state.currency, "total": total})


FUNCTIONS = (
    Function("list_invoices", "Invoices that fit a search, a vendor or a status", Wanted, list_invoices),
    Function("get_invoice", "All of one invoice, with its lines", ByNumber, get_invoice),
    Function("sum_invoices", "How many invoices fit, and the sum of their totals", Wanted, sum_invoices),
)
