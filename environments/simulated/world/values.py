"""Values that apps share: money, days and names, read leniently and kept in one form."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, datetime
from typing import Annotated, Any, Generic, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
_MONEY = re.compile(r"^\s*(?:[A-Z]{3}|[$€£¥])?\s*(\d[\d.,' ]*)\s*(?:[A-Z]{3}|[$€£¥])?\s*$")
_ENGLISH = re.compile(r"^(?:\d+|\d{1,3}(?:[,' ]\d{3})+)(?:\.(\d{1,2}))?$")
_CONTINENTAL = re.compile(r"^(?:\d+|\d{1,3}(?:[.' ]\d{3})+)(?:,(\d{1,2}))$")
_DAYS = ("%Y-%m-%d", "%d.%m.%Y", "%m/%d/%Y", "%d %B %Y", "%d %b %Y", "%B %d, %Y", "%b %d, %Y", "%Y/%m/%d")


class Model(BaseModel):
    """A frozen, closed value that also takes `1042` where YAML meant the word "1042"."""

    model_config = ConfigDict(frozen=True, extra="forbid", coerce_numbers_to_str=True)


class IdentityKey(Generic[T_co]):
    """Stands for an object in a cache's key: equal only to the very same object, which it keeps alive."""

    __slots__ = ("value",)

    def __init__(self, value: T_co) -> None:
        self.value = value

    def __hash__(self) -> int:
        return id(self.value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, IdentityKey) and self.value is other.value


def parse_money(text: str) -> str | None:
    """`$1,248.9`, `1248.90` or `1.248,90 EUR` as `1248.90`; None when it is no amount."""
    found = _MONEY.match(text)
    if not found:
        return None
    number = found.group(1).strip()
    for pattern in (_ENGLISH, _CONTINENTAL):
        if fits := pattern.match(number):
            cents = (fits.group(1) or "0").ljust(2, "0")
            whole = number[: fits.start(1) - 1] if fits.group(1) else number
            return f"{int(re.sub(r'[^0-9]', '', whole))}.{cents}"
    return None


def parse_day(text: str) -> str | None:
    """A day in one of the usual notations as `2026-03-31`; None when it is no day."""
    for form in _DAYS:
        try:
            return datetime.strptime(text.strip(), form).date().isoformat()
        except ValueError:
            continue
    return None


def in_cents(amount: str) -> int:
    whole, _, cents = amount.partition(".")
    return int(whole) * 100 + int(cents)


def from_cents(cents: int) -> str:
    return f"{cents // 100}.{cents % 100:02d}"


def shown(amount: str, currency: str) -> str:
    """`1248.90` as a page shows it: `$1,248.90`."""
    return f"{currency}{in_cents(amount) // 100:,}.{amount[-2:]}"


def slug(text: str) -> str:
    """A short name for keys: `Mark as read` becomes `mark-as-read`."""
    return re.sub(r"[^\w]+", "-", text.casefold()).strip("-") or "x"


def matches(query: str, *texts: str) -> bool:
    """Whether every word of the query occurs in the texts."""
    whole = " ".join(texts).casefold()
    return all(word in whole for word in query.casefold().split())


def page_of(items: Sequence[T], page: int, size: int) -> tuple[Sequence[T], int, int]:
    """The items of a page (counted from 1), the page that it really is, and how many there are."""
    pages = max(1, -(-len(items) // size))
    page = min(max(1, page), pages)
    return items[(page - 1) * size : page * size], page, pages


def _money(value: Any) -> Any:
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = f"{value:.2f}"
    if isinstance(value, str):
        amount = parse_money(value)
        if amount is None:
            raise ValueError(f'{value!r} is no amount of money; write it like "248.90"')
        return amount
    return value


def _day(value: Any) -> Any:
    return value.isoformat() if isinstance(value, date) else value


Money = Annotated[str, BeforeValidator(_money)]
"""An amount, kept as `248.90`; may be written as a number, or with a currency sign."""
Day = Annotated[str, BeforeValidator(_day)]
"""A day as the world file words it; YAML's own dates become `2026-03-31`."""
