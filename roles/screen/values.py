"""Values as text: what kind they are, how they compare, and other ways to write them."""

import re
from collections.abc import Iterable, Sequence
from typing import Literal

from roles.contracts.orders import When
from roles.contracts.values import Number, is_currency, number_of, parse_date, parse_time
from roles.screen.language.words import phrases, table
from roles.screen.texts import fold

MONTHS = (
    r"jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?"
)
_CODE = r"(?:USD|EUR|GBP|CHF)"
_FIGURE = r"\d(?:[\d.,']*\d)?"
_SHAPES = {
    kind: re.compile(shape, re.IGNORECASE)
    for kind, shape in {
        "email": r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+",
        "date": (
            rf"\b\d{{4}}-\d{{1,2}}-\d{{1,2}}(?:\b|(?=T\d))|\b\d{{1,2}}[./]\d{{1,2}}[./]\d{{2,4}}\b|"
            rf"\b\d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?(?:{MONTHS})\b\.?(?:,?\s+\d{{4}})?|"
            rf"\b(?:{MONTHS})\.?\s+\d{{1,2}}(?:st|nd|rd|th)?\b(?:,?\s+\d{{4}}\b)?"
        ),
        "time": r"(?<![\d:])\d{1,2}:\d{2}(?!\d)(?:\s?[ap]\.?m\b\.?)?|(?<![\d.:-])\d{1,2}\s?[ap]\.?m\b\.?",
        "money": rf"[$€£¥]\s?{_FIGURE}|\b{_CODE}\s?{_FIGURE}|\b{_FIGURE}\s?(?:[$€£¥]|{_CODE}\b)",
        "number": rf"(?<![\w.,-])[-−+]?{_FIGURE}(?!-|\w*\d)",
        "figures": _FIGURE,
        "id": r"\b(?-i:[A-Z]{2,})-?\d+\b",
        "file": r"[\w-]+(?:\.[a-z]\w{0,4})+",
        "phone": r"\+?\(?\d[\d ()/-]{6,}",
        "masked": r"[•●*]{3,}[\s\d•●*-]*",
    }.items()
}
"""What values look like in running text."""


def values_in(kind: str, text: str) -> list[str]:
    """Every value of a kind in running text, as written: `date`, `time`, `money`, `number`, `email`."""
    return [match.group() for match in _SHAPES[kind].finditer(text)]


def is_a(kind: str, text: str) -> bool:
    """Whether a text is nothing but a value of that kind."""
    return _SHAPES[kind].fullmatch(text) is not None


def minutes_in(texts: Iterable[str]) -> list[int]:
    """The minutes of the day that texts name, in their order."""
    return [minute for text in texts for clock in values_in("time", text) if (minute := parse_time(clock)) is not None]


def takes_place(times: Sequence[int], when: When) -> bool:
    """Whether what begins and ends at these minutes of the day takes some of that time."""
    start, end = parse_time(when.start) or 0, parse_time(when.end)
    return times[0] < end and times[1] > start if end else times[0] <= start < times[1]


def _money_of(text: str) -> Number | None:
    """The number in a text, where it is a plain one or an amount of money."""
    number = number_of(text)
    return number if number is not None and (not number.unit or is_currency(number.unit)) else None


def amount_of(value: str) -> float | None:
    """The number in `$1,248.90`, `1.248,90 €` or `42`; None when there is none."""
    number = _money_of(value)
    return None if number is None else float(number.amount)


def trend(before: str, after: str) -> Literal["raise", "lower", ""]:
    """Which way a number, a day or a time of day was changed; empty for neither, and for what cannot be compared."""
    for measure in (amount_of, day_of, parse_time):
        old, new = measure(before), measure(after)
        if old is not None and new is not None and old != new:
            return "raise" if old < new else "lower"
    return ""


def day_of(text: str) -> int | None:
    day = parse_date(text)
    return None if day is None else day.toordinal()


def rewritings(value: str) -> tuple[str, ...]:
    """Other ways to write an amount, for a field that refuses the first; the likeliest first."""
    if (number := _money_of(value)) is None:
        return ()
    plain = f"{number.amount:f}"
    ways = (plain, f"{number.amount:.2f}", f"{number.amount:,.2f}", plain.replace(".", ","), f"{number.amount:.0f}")
    return tuple(way for way in dict.fromkeys(ways) if way != value and amount_of(way) == float(number.amount))


def same_value(left: str, right: str) -> bool:
    """Whether two texts are the same value: `$1,248.90` and `1248.90`, `5 March 2026` and `2026-03-05`."""
    a, b, own = fold(left), fold(right), table("phrases")["languages"]
    if a == b or own.get(a, a).casefold() == own.get(b, b).casefold():
        return True
    if is_a("phone", a) and is_a("phone", b) and [*filter(str.isdigit, a)] == [*filter(str.isdigit, b)]:
        return True
    if (day := parse_date(left)) is not None:
        return day == parse_date(right)
    if (minute := parse_time(left)) is not None:
        return minute == parse_time(right)
    first, second = amount_of(left), amount_of(right)
    return first is not None and second is not None and abs(first - second) < 0.005


def same_state(left: str, right: str) -> bool:
    """Whether a status as shown means the state that was asked for: an overdue invoice is outstanding, too."""
    status, wanted = fold(left), fold(right)
    return status == wanted or status in table("phrases")["implied"].get(wanted, ()) or same_value(left, right)


def is_masked(text: str, label: str = "") -> bool:
    """Whether it stands where a value is kept from view. `Private` is a value of its own where the label asks who may see it."""
    if is_a("masked", text.strip()):
        return True
    return text.strip().casefold() in phrases("hidden") and not phrases("of sight").intersection(label.casefold().split())
