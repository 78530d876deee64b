"""Values as text: what kind they are, how they compare, and other ways to write them."""

from __future__ import annotations

import re

from roles.contracts.values import Number, is_currency, number_of, parse_date, parse_time

MONTHS = (
    r"jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?"
)
LANGUAGES = {
    "german": "Deutsch", "french": "Français", "spanish": "Español", "chinese": "中文", "italian": "Italiano",
    "dutch": "Nederlands", "portuguese": "Português", "polish": "Polski", "japanese": "日本語", "russian": "Русский",
    "english": "English",
}  # fmt: skip
"""What languages are called in lists that name each in its own."""
_IMPLIED = {"unpaid": {"unpaid", "open", "outstanding", "due"}, "outstanding": {"unpaid", "overdue", "open", "outstanding"}}
"""States that are said of others, too."""
_EMAIL = re.compile(r"^[\w.+-]+@[\w-]+(?:\.[\w-]+)+$")
_NUMBER = re.compile(r"^[-−]?\d[\d,]*(?:\.\d+)?%?$")
_DATE_IN = re.compile(
    rf"\b\d{{4}}-\d{{1,2}}-\d{{1,2}}\b|\b\d{{1,2}}[./]\d{{1,2}}[./]\d{{2,4}}\b|"
    rf"\b\d{{1,2}}(?:st|nd|rd|th)?\s+(?:{MONTHS})\b\.?(?:,?\s+\d{{4}})?|\b(?:{MONTHS})\.?\s+\d{{1,2}}(?:st|nd|rd|th)?\b(?:,?\s+\d{{4}}\b)?",
    re.IGNORECASE,
)
_MONEY_IN = re.compile(
    r"[$€£¥]\s?\d(?:[\d,.']*\d)?|\b(?:USD|EUR|GBP|CHF)\s?\d(?:[\d,.']*\d)?|\b\d(?:[\d,.']*\d)?\s?(?:USD|EUR|GBP|CHF|€)"
)
_HIDDEN = frozenset({"private", "hidden", "not shown", "confidential"})
_MASKED = re.compile(r"[•●*]{3,}[\s\d•●*-]*")
_OF_SIGHT = frozenset({"visibility", "visible", "privacy", "sharing", "shared", "access", "audience", "status", "type", "kind"})


def kind_of(value: str) -> str:
    """money, date, number, email or text."""
    text = value.strip()
    if _EMAIL.match(text):
        return "email"
    if parse_date(text):
        return "date"
    if _NUMBER.match(text) and not re.search(r"\.\d\d$", text):
        return "number"
    number = _money_of(text)
    return "money" if number is not None and (number.unit or re.search(r"[.,]\d\d\)?$", text)) else "text"


def _money_of(text: str) -> Number | None:
    """The number in a text, where it is a plain one or an amount of money."""
    number = number_of(text)
    return number if number is not None and (not number.unit or is_currency(number.unit)) else None


def amount_of(value: str) -> float | None:
    """The number in `$1,248.90`, `1.248,90 €` or `42`; None when there is none."""
    number = _money_of(value)
    return None if number is None else float(number.amount)


def find_dates(text: str) -> list[str]:
    """Every date in running text, as written."""
    return [match.group() for match in _DATE_IN.finditer(text)]


def find_money(text: str) -> list[str]:
    """Every amount of money in running text, as written."""
    return [match.group() for match in _MONEY_IN.finditer(text)]


def rewritings(value: str) -> tuple[str, ...]:
    """Other ways to write the same value, for a field that refuses the first; the likeliest first."""
    day = parse_date(value)
    if day:
        ways = [
            day.isoformat(),
            day.strftime("%m/%d/%Y"),
            day.strftime("%d.%m.%Y"),
            day.strftime("%d/%m/%Y"),
            day.strftime("%d %B %Y"),
        ]
    else:
        if (number := _money_of(value)) is None:
            return ()
        digits = f"{abs(number.amount):f}"
        ways = [
            digits,
            f"{float(digits):.2f}",
            f"{float(digits):,.2f}",
            digits.replace(".", ","),
            *([digits.split(".")[0]] if float(digits).is_integer() else []),
        ]
        ways = [f"-{way}" if number.amount < 0 else way for way in ways]
    return tuple(dict.fromkeys(way for way in ways if way != value))


_LONG_NUMBER = re.compile(r"^\+?\(?\d[\d ()/-]{6,}$")
"""A number of a phone or a card, as a page may group it."""


def same_value(left: str, right: str) -> bool:
    """Whether two texts are the same value: `$1,248.90` and `1248.90`, `5 March 2026` and `2026-03-05`."""
    a, b = " ".join(left.split()).casefold(), " ".join(right.split()).casefold()
    if a == b or LANGUAGES.get(a, a).casefold() == LANGUAGES.get(b, b).casefold():
        return True
    if _LONG_NUMBER.match(a) and _LONG_NUMBER.match(b) and re.sub(r"\D", "", a) == re.sub(r"\D", "", b):
        return True
    if (day := parse_date(left)) is not None:
        return day == parse_date(right)
    if (minute := parse_time(left)) is not None:
        return minute == parse_time(right)
    first, second = amount_of(left), amount_of(right)
    return first is not None and second is not None and abs(first - second) < 0.005


def same_state(left: str, right: str) -> bool:
    """Whether a status as shown means the state that was asked for: an overdue invoice is outstanding, too."""
    status, wanted = " ".join(left.split()).casefold(), " ".join(right.split()).casefold()
    return status == wanted or status in _IMPLIED.get(wanted, set()) or same_value(left, right)


def is_masked(text: str, label: str = "") -> bool:
    """Whether it stands where a value is kept from view. `Private` is a value of its own where the label asks who may see it."""
    if bool(_MASKED.fullmatch(text.strip())):
        return True
    return text.strip().casefold() in _HIDDEN and not _OF_SIGHT.intersection(label.casefold().split())
