"""Typed values of an analysis: exact numbers with a unit, days, texts, truth, lists and tables. No float anywhere."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from pathlib import Path
from typing import Literal

from environments.files.yaml_lines import texts_in

Kind = Literal["number", "money", "date", "text", "truth", "list", "table"]


class Trouble(ValueError):
    """Why a value cannot be computed, in one sentence."""


class MissingInput(Trouble):
    """A fact, a column or a rate that the computation needs is not there."""

    def __init__(self, what: str) -> None:
        super().__init__(f"{what} is not known")
        self.what = what


@dataclass(frozen=True)
class Number:
    """An exact number; `unit` is empty, a currency, a measure or `%`."""

    amount: Decimal
    unit: str = ""


@dataclass(frozen=True)
class Table:
    """Rows under column names, as they were read."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    source: str = ""
    """Name of the fact that it is."""


Value = Number | date | str | bool | tuple["Value", ...] | Table

_TABLE = texts_in(Path(__file__).with_suffix(".yaml"))
CURRENCIES: Mapping[str, str] = {word: code for code, words in _TABLE["currencies"].items() for word in (*words, code)}
_NAMES: Mapping[str, str] = _TABLE["names"]
_DIMENSION = {unit: (name, Decimal(factor)) for name, units in _TABLE["measures"].items() for unit, factor in units.items()}
SOURCES: Mapping[str, tuple[str, str]] = _TABLE["sources"]
"""What a source of a fact is called: without a name, and with one."""
_CENTS = 2
"""Decimals that are kept as they are, zeros too: what is written so is mostly money, even where no currency stands by it."""
_DATE_FORMATS = (
    "%Y-%m-%d",
    "%d.%m.%Y",
    "%m/%d/%Y",
    "%d/%m/%Y",
    "%d %B %Y",
    "%d %b %Y",
    "%B %d %Y",
    "%b %d %Y",
    "%Y/%m/%d",
    "%m/%d/%y",
)
_CLOCK = re.compile(r"^(?P<hour>\d{1,2})(?::(?P<minute>\d{2}))?\s?(?:(?P<half>[ap])\.?m\.?)?$", re.IGNORECASE)
_NUMERIC = re.compile(
    r"^\s*(?P<open>\()?\s*(?P<sign>[-−+])?\s*(?P<before>[$€£¥]|[A-Z]{3}(?=\s?[-−]?\s?\d))?\s*(?P<sign2>[-−])?"
    r"(?P<number>\d[\d.,'\u00a0\u202f ]*)\s*(?P<after>%|[$€£¥]|[A-Za-z]+)?\s*(?P<close>\))?\s*$"
)


def unit_of(word: str) -> str | None:
    """The canonical unit or currency that `word` names; None when it names none."""
    bare = word.strip()
    for known in (bare, bare.casefold(), bare.casefold().removesuffix("s")):
        if known in CURRENCIES:
            return CURRENCIES[known]
        if known == "%" or known in _DIMENSION:
            return known
        if known in _NAMES:
            return _NAMES[known]
    return None


def is_currency(unit: str) -> bool:
    return unit in CURRENCIES.values()


def typed(text: str) -> Value:
    """What `text` is: a day, a number with its unit, or a text."""
    day = parse_date(text)
    return day if day is not None else number_of(text) or text.strip()


def number_of(text: str) -> Number | None:
    """The number in `$1,248.90`, `1.248,90 €`, `(12.50)`, `3 h` or `19 %`; None when it is something else."""
    match = _NUMERIC.match(text)
    if not match or bool(match["open"]) != bool(match["close"]):
        return None
    words = [word for word in (match["before"], match["after"]) if word]
    units = [unit_of(word) for word in words]
    if None in units or len(set(units)) > 1:
        return None
    try:
        amount = Decimal(plain_number(match["number"].strip()))
    except InvalidOperation:
        return None
    negative = bool(match["open"]) or match["sign"] in {"-", "−"} or bool(match["sign2"])
    return Number(-amount if negative else amount, units[0] or "" if units else "")


def converted(number: Number, unit: str) -> Number:
    """The same amount in another measure. Money is not converted without a rate."""
    if number.unit == unit:
        return number
    here, there = _DIMENSION.get(number.unit), _DIMENSION.get(unit)
    if here is None or there is None or here[0] != there[0]:
        if is_currency(number.unit) and is_currency(unit):
            raise MissingInput(f"the rate from {number.unit} to {unit}")
        raise Trouble(f"{number.unit or 'a plain number'} cannot be converted to {unit or 'a plain number'}")
    return Number(number.amount * here[1] / there[1], unit)


def table_of(text: str, source: str = "") -> Table | None:
    """The table that a fact holds as JSON; None when it holds none."""
    if not text.startswith("{"):
        return None
    try:
        body = json.loads(text)
    except ValueError:
        return None
    if not isinstance(body, dict) or not {"columns", "rows"} <= set(body):
        return None
    columns = tuple(str(column) for column in body["columns"])
    rows = tuple((tuple(str(cell) for cell in row) + ("",) * len(columns))[: len(columns)] for row in body["rows"])
    return Table(columns, rows, source)


def table_text(columns: tuple[str, ...], rows: tuple[tuple[str, ...], ...]) -> str:
    """The JSON by which a table is kept on the blackboard."""
    return json.dumps({"columns": columns, "rows": rows}, ensure_ascii=False, separators=(",", ":"))


def shown(value: Value) -> str:
    """`value` as it is written into a field: what has two decimals keeps them, a list has commas, a table is JSON."""
    match value:
        case bool():
            return "yes" if value else "no"
        case Number():
            if is_currency(value.unit):
                sign = next((s for s in "$€£" if CURRENCIES[s] == value.unit), "")
                amount = f"{abs(value.amount):,.2f}"
                minus = "-" if value.amount < 0 else ""
                return f"{minus}{sign}{amount}" if sign == "$" or sign == "£" else f"{minus}{amount} {sign or value.unit}"
            plain = f"{value.amount:f}"
            if "." in plain and value.amount.as_tuple().exponent != -_CENTS:
                plain = plain.rstrip("0").rstrip(".")
            return f"{plain} {value.unit}".replace(" %", "%").strip()
        case date():
            return value.isoformat()
        case Table():
            return table_text(value.columns, value.rows)
        case tuple():
            return ", ".join(shown(part) for part in value)
        case _:
            return value


def kind_of_value(value: Value) -> Kind:
    """The kind under which a fact of this value is kept."""
    match value:
        case bool():
            return "truth"
        case Number():
            return "money" if is_currency(value.unit) else "number"
        case date():
            return "date"
        case Table():
            return "table"
        case tuple():
            return "list"
        case _:
            return "text"


def plain_number(text: str) -> str:
    """`1,248.90` and `1.248,90` as `1248.90`."""
    digits = re.sub(r"[\s'\u00a0\u202f]", "", text)
    if re.search(r",\d{2}$", digits) and ("." not in digits or digits.rfind(".") < digits.rfind(",")):
        return digits.replace(".", "").replace(",", ".")
    return digits.replace(",", "")


@lru_cache(maxsize=4096)
def parse_date(value: str) -> date | None:
    """The day that `value` names, if it is nothing but a date with a year."""
    text = re.sub(
        r"^(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\b[,.]?\s+", "", value.strip(), flags=re.IGNORECASE
    )
    text = re.sub(r"(?<=\d)(?:st|nd|rd|th)\b", "", text).replace(",", " ").replace("Sept ", "Sep ")
    text = " ".join(text.split())
    if not 6 <= len(text) <= 20 or not text[-1].isdigit():
        return None
    for form in _DATE_FORMATS:
        try:
            return datetime.strptime(text, form).date()
        except ValueError:
            continue
    return None


def parse_time(value: str) -> int | None:
    """The minute of the day that `value` names, if it is nothing but a time: `6:15 PM`, `18:15`."""
    match = _CLOCK.match(value.strip())
    if match is None or not (match["minute"] or match["half"]):
        return None
    hour, minute = int(match["hour"]), int(match["minute"] or 0)
    if match["half"]:
        hour = hour % 12 + (12 if match["half"].casefold() == "p" else 0)
    return hour * 60 + minute if hour < 24 and minute < 60 else None
