"""Billing: invoices to search, page through and read."""

from functools import lru_cache
from typing import Literal, Self

from pydantic import Field, JsonValue, model_validator

from environments.simulated import app as sim
from environments.simulated.apps.common.functions_base import FunctionTable, Page, part_of, unknown
from environments.simulated.apps.common.record_list import ListState, list_update, list_view, refuse_twice
from environments.simulated.screen.widgets import Widget, bar, button, cell, heading, linked_row, pair, row, search_bar, table
from environments.simulated.world import values
from environments.simulated.world.values import Day, IdentityKey, Model, Money, from_cents, in_cents, made_up, matches, shown

Status = Literal["paid", "unpaid", "overdue"]


class InvoiceLine(Model):
    """One thing that is billed."""

    description: str
    amount: Money


class Invoice(Model):
    """What is left out follows from the rest: the subtotal from lines or total, the total from its parts."""

    number: str
    vendor: str
    date: Day
    due: Day = ""
    status: Status = "unpaid"
    lines: tuple[InvoiceLine, ...] = ()
    shipping: Money = "0.00"
    tax: Money = "0.00"
    subtotal: Money = ""
    total: Money = ""

    @model_validator(mode="before")
    @classmethod
    def _empty_is_absent(cls, data: object) -> object:
        return {k: v for k, v in data.items() if v != ""} if isinstance(data, dict) else data

    @model_validator(mode="after")
    def _complete(self) -> Self:
        extra = in_cents(self.shipping) + in_cents(self.tax)
        if not self.subtotal:
            if not self.lines and not self.total:
                raise ValueError("an invoice needs lines, a subtotal or a total")
            parts = sum(in_cents(line.amount) for line in self.lines)
            cents = parts if self.lines else in_cents(self.total) - extra
            if cents < 0:
                raise ValueError("the total is less than tax and shipping")
            object.__setattr__(self, "subtotal", from_cents(cents))
        if not self.total:
            object.__setattr__(self, "total", from_cents(in_cents(self.subtotal) + extra))
        return self


class BillingState(ListState):
    """Invoices by number, and what is looked at."""

    invoices: dict[str, Invoice]
    currency: str
    page_size: int
    open: str | None = None


class InvoiceQuery(Page):
    """`query` is searched in number, vendor and date, as the search field does."""

    query: str = ""
    vendor: str = ""
    status: Literal["paid", "unpaid", "overdue"] | None = None


FUNCTIONS = FunctionTable[BillingState]()


@FUNCTIONS.reads()
def list_invoices(state: BillingState, wanted: InvoiceQuery) -> JsonValue:
    """Invoices that fit a search, a vendor or a status"""
    some = _found(IdentityKey(state.invoices), wanted.query)
    fits = [i for i in some if matches(wanted.vendor, i.vendor) and wanted.status in (None, i.status)]
    told = {"number", "vendor", "date", "due", "status", "total"}
    part = part_of(fits, wanted.offset, wanted.limit, lambda invoice: invoice.model_dump(mode="json", include=told))
    return {"currency": state.currency, **part}


@FUNCTIONS.reads("ByNumber", "An invoice by its number.")
def get_invoice(state: BillingState, number: str) -> JsonValue:
    """All of one invoice, with its lines"""
    invoice = state.invoices.get(number) or unknown("invoice", number, state.invoices)
    return {"currency": state.currency, **invoice.model_dump(mode="json")}


COLUMNS = ("Number", "Vendor", "Date", "Due", "Status", "Total")


class BillingContent(sim.Content):
    """`generate` adds invoices from the seed; `open` is the number of the one on the screen at first, or `any`."""

    invoices: tuple[Invoice, ...] | None = None
    generate: int | None = Field(default=None, ge=0, le=20_000)
    open: str | None = None
    currency: str = "$"
    page_size: int = Field(default=12, ge=1, le=50)

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        numbers = [invoice.number for invoice in self.invoices or ()]
        refuse_twice("invoices: the number", numbers)
        if self.open not in (None, "any", *numbers):
            given = ", ".join(numbers[:8]) or "none, so write open: any"
            raise ValueError(f"open: there is no invoice {self.open}; invoices given are: {given}")
        return self


class Billing(sim.App[BillingContent, BillingState]):
    """Invoices that were received."""

    name = "billing"
    title = "Billing"
    words = ("billing", "invoice", "invoices", "bill", "bills")
    looks = frozenset({"open"})
    meanings = ()
    functions = FUNCTIONS

    def start(self, content: BillingContent, setting: sim.Setting) -> BillingState:
        given = content.invoices or ()
        taken = {invoice.number for invoice in given}
        made = _generated(values.how_many(content.invoices, content.generate, 36, setting.cast.times), setting)
        invoices = (*given, *(invoice for invoice in made if invoice.number not in taken))
        numbers = [invoice.number for invoice in invoices]
        opened = setting.rng.choice(numbers) if content.open == "any" and numbers else content.open
        return BillingState(
            invoices={invoice.number: invoice for invoice in invoices}, currency=content.currency,
            page_size=content.page_size, open=opened if opened in numbers else None,
        )  # fmt: skip

    def view(self, state: BillingState) -> tuple[Widget, ...]:
        if opened := state.invoices.get(state.open or ""):
            return _detail(opened, state.currency)

        def line(invoice: Invoice) -> Widget:
            cells = {name: getattr(invoice, name) for name in ("number", "vendor", "date", "due")}
            cells |= {"status": invoice.status.capitalize(), "total": shown(invoice.total, state.currency)}
            return linked_row(f"invoice-{invoice.number}", cells)

        found = _found(IdentityKey(state.invoices), state.applied)
        body = list_view("invoices", COLUMNS, found, line, "No invoices found", state.page, state.page_size)
        return (heading("Invoices", "list"), search_bar("invoices", state.query), *body)

    def update(self, state: BillingState, event: sim.Event) -> sim.Update[BillingState]:
        found = _found(IdentityKey(state.invoices), state.applied)
        if (looked := list_update(state, event, lambda: found, state.page_size)) is not None:
            return sim.Update(looked)
        match event:
            case sim.Pressed(key="back"):
                return sim.Update(state.replace(open=None))
            case sim.Pressed(key=key) if key.startswith("invoice-"):
                return sim.Update(state.replace(open=key.removeprefix("invoice-").removesuffix(".number")))
            case sim.Pressed(key="copy-number") if state.open:
                return sim.Update(state, (sim.Copy(state.open), sim.Toast("Copied")))
            case sim.Pressed(key="email") if state.open:
                invoice = state.invoices[state.open]
                total = shown(invoice.total, state.currency)
                body = f"Vendor: {invoice.vendor}\nDate: {invoice.date}\nTotal: {total}"
                letter = {"subject": f"Invoice {invoice.number}", "body": body}
                return sim.Update(state, (sim.Launch("mail", "compose", letter),))
        return sim.Update(state)


@lru_cache(maxsize=8)
def _found(invoices: IdentityKey[dict[str, Invoice]], query: str) -> tuple[Invoice, ...]:
    """Looked for once as long as neither the content nor the search changes: each key that is typed asks again."""
    return tuple(i for i in invoices.value.values() if matches(query, i.number, i.vendor, i.date))


def _detail(invoice: Invoice, currency: str) -> tuple[Widget, ...]:
    key = f"invoice-{invoice.number}"
    facts = {"Invoice number": invoice.number, "Vendor": invoice.vendor, "Invoice date": invoice.date, "Due date": invoice.due,
             "Status": invoice.status.capitalize()}  # fmt: skip
    sums = {"Subtotal": invoice.subtotal, "Shipping": invoice.shipping, "Tax": invoice.tax, "Total": invoice.total}
    rows = [
        row(f"{key}.line-{n}", cell(line.description), cell(shown(line.amount, currency)), press=False)
        for n, line in enumerate(invoice.lines, start=1)
    ]
    return (
        heading(f"Invoice {invoice.number}", key),
        *(pair(label, value, f"{key}.{label.lower().replace(' ', '-')}") for label, value in facts.items() if value),
        *([table(f"{key}.lines", ("Description", "Amount"), rows)] if rows else []),
        *(pair(label, shown(value, currency), f"{key}.{label.lower()}") for label, value in sums.items()),
        bar(button("Back to invoices", "back"), button("Copy number", "copy-number"), button("Email this invoice", "email")),
    )


def _generated(count: int, setting: sim.Setting) -> tuple[Invoice, ...]:
    rng, cast = setting
    numbers = rng.sample(range(1000, 1000 + max(9000, count * 2)), count)
    made = []
    for number in sorted(numbers):
        goods = rng.sample(made_up("billed_goods"), rng.randint(1, 4))
        lines = tuple(InvoiceLine(description=one, amount=values.amount(rng)) for one in goods)
        subtotal = sum(in_cents(line.amount) for line in lines)
        day, vendor = values.day_before(rng, cast.today), rng.choice(cast.vendors)
        made.append(Invoice(
            number=f"INV-{number}", vendor=vendor, date=day, due=values.day_after(rng, day), lines=lines,
            status=rng.choice(("paid", "unpaid", "overdue")), shipping=rng.choice(("0.00", values.amount(rng, 5, 40))),
            tax=from_cents(subtotal * rng.choice((7, 8, 19)) // 100),
        ))  # fmt: skip
    return tuple(made)
