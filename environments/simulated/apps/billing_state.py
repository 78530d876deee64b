"""What Billing holds: invoices, and which of them stand on the screen."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import model_validator

from environments.simulated.app import AppState
from environments.simulated.values import Day, Model, Money, from_cents, in_cents

Status = Literal["paid", "unpaid", "overdue"]


class Line(Model):
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
    lines: tuple[Line, ...] = ()
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


class BillingState(AppState):
    """Invoices by number, and what is looked at."""

    invoices: dict[str, Invoice]
    currency: str
    page_size: int
    query: str = ""
    applied: str = ""
    page: int = 1
    open: str | None = None
