"""What kind a value is, whether it is what it is said to be, and one way to write what can be written in several."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache

from roles.analyst.values import Number, is_currency, number_of, table_of
from roles.screen.values import parse_date, parse_time

_EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")
_URL = re.compile(r"https?://\S+", re.IGNORECASE)
_PLAIN = re.compile(r"[-−+]?\d[\d.,'\u00a0\u202f ]*")
_CENTS = re.compile(r"\d[.,]\d{2}\)?")
_PART_OF_WHAT = re.compile(r",(?:\d|\d{4,})(?!\d)|^\D*\d{1,3}\.\d{3}\D*$")
"""A separator that may stand before decimals or between thousands: `2,5`, `1.234`."""
_EITHER_WAY = re.compile(r"(\d{1,2})[./](\d{1,2})[./]\d{2,4}")
_TRUTHS = {"yes": "yes", "true": "yes", "on": "yes", "no": "no", "false": "no", "off": "no"}
_TABLE = '{"columns":'


def kind_of(value: str) -> str:
    """table, money, date, time, number, email, url or text: enough to match a fact with a field."""
    text = value.strip()
    if text.startswith(_TABLE):
        return "table"
    for kind in ("email", "url", "date", "time"):
        if _BORNE[kind](text):
            return kind
    number = number_of(text)
    if number is not None and is_currency(number.unit):
        return "money"
    return "number" if number is not None and not number.unit and _PLAIN.fullmatch(text) else "text"


def checked_kind(said: str, value: str) -> str:
    """The kind that a value is said to have, if it bears it; else the one that it has."""
    bears = _BORNE.get(said)
    return said if bears is not None and bears(value.strip()) else kind_of(value)


@lru_cache(maxsize=4096)
def normal(value: str, kind: str) -> str:
    """The value as all ways to write it have it: `USD 1248.9`, `2026-03-05`, `18:15`; empty where it can be read in two ways."""
    text = value.strip()
    match kind:
        case "money" | "number":
            number = number_of(text)
            return "" if number is None or _PART_OF_WHAT.search(text) else _number(number)
        case "date":
            day = parse_date(text)
            return "" if day is None or _ambiguous(text) else day.isoformat()
        case "time":
            minute = parse_time(text)
            return "" if minute is None else f"{minute // 60:02d}:{minute % 60:02d}"
        case "email":
            return text.casefold()
        case "truth":
            return _TRUTHS.get(text.casefold(), "")
        case _:
            return " ".join(text.split())


def same(one: str, other: str, kind: str = "text") -> bool:
    """Whether two values of this kind are one value, differently written."""
    left, right = normal(one, kind), normal(other, kind)
    return left == right if left and right else " ".join(one.split()).casefold() == " ".join(other.split()).casefold()


def _number(number: Number) -> str:
    plain = f"{number.amount:f}"
    plain = plain.rstrip("0").rstrip(".") if "." in plain else plain
    return f"{number.unit} {plain}" if is_currency(number.unit) else f"{plain} {number.unit}".strip()


def _ambiguous(text: str) -> bool:
    """Whether day and month could change places, as in 03/04/2026; a date with dots begins with its day."""
    match = _EITHER_WAY.fullmatch(text)
    return match is not None and "/" in text and int(match[1]) <= 12 and int(match[2]) <= 12 and match[1] != match[2]


def _is_money(text: str) -> bool:
    number = number_of(text)
    return number is not None and (is_currency(number.unit) or (not number.unit and _CENTS.search(text) is not None))


_BORNE: Mapping[str, Callable[[str], bool]] = {
    "text": lambda text: True,
    "list": lambda text: True,
    "screen": lambda text: True,
    "result": lambda text: True,
    "money": _is_money,
    "date": lambda text: parse_date(text) is not None,
    "time": lambda text: parse_time(text) is not None,
    "number": lambda text: number_of(text) is not None,
    "email": lambda text: _EMAIL.fullmatch(text) is not None,
    "url": lambda text: _URL.fullmatch(text) is not None,
    "truth": lambda text: text.casefold() in _TRUTHS,
    "table": lambda text: table_of(text) is not None,
}
"""Whether a value can be of a kind, by the kinds there are."""
