"""A fact on the blackboard: its kind, one way to write its value, who says it, and what becomes of several values of one name."""

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Literal

from pydantic import Field

from protocol import Frozen
from roles.contracts.values import SOURCES, Number, is_currency, number_of, parse_date, parse_time, table_of

FactSource = Literal[
    "screen", "api", "agent", "tool", "script", "document", "demonstration", "user", "memory", "facts", "file", "model", ""
]
"""What said a value: a screen, an app's own interface, an agent in an app, a tool from outside, a script, something that was
looked up, somebody who showed how it is done, the user, what the user said in another run (earlier versions kept that), other
facts that it was worked out from, a file, or nothing but a model. Empty where nobody noted it."""
USER = "user"
"""Source of what a person said when they were asked."""


class OtherValue(Frozen):
    """What another source says under a name that has a newer value."""

    value: str
    kind: str = "text"
    source: FactSource = ""
    source_name: str = ""
    app: str | None = None
    role: str = "operator"
    subtask: str = ""
    step: int = 0
    private: bool = False


class Fact(Frozen):
    """A value on the blackboard with its provenance."""

    name: str
    value: str
    kind: str = "text"
    """money, date, time, number, email, url, truth, list, table or text, held against the value when it is remembered; `screen`
    where it stands for a screen that was kept, by its `state_id`; `result` of a call, under the name of what was called."""
    app: str | None = None
    element_id: str | None = None
    state_id: str | None = None
    run: str = ""
    step: int = 0
    """The step at which it was remembered; for a role that takes no steps, the last one before it."""
    subtask: str = ""
    role: str = "operator"
    source: FactSource = ""
    source_name: str = ""
    """Which one: a function's name, the title of a document, a person's name, the run that an answer is from."""
    used: tuple[str, ...] = ()
    """Names of the facts that it was worked out from."""
    private: bool = False
    question: str = ""
    """What the user was asked, where this is the answer: it is not asked again in the same run."""
    reason: str = ""
    """Why it was kept, where that was said: of a screen, or of a fact that was worked out."""
    instead: tuple[OtherValue, ...] = ()
    """What other sources say under this name, oldest first: both stand until one of them is looked at again."""


class Board(Frozen):
    """As much of the blackboard as a prompt may hold."""

    facts: tuple[Fact, ...] = ()
    left_out: tuple[str, ...] = ()
    """What is not told, in lines: by subtask, with names, ranges and counts."""


class BoardSettings(Frozen):
    """How much of the blackboard a prompt is told."""

    most: int = Field(default=60, ge=1)
    """Facts."""
    characters: int = Field(default=6_000, ge=200)
    """Characters of all that is told of them, the lines about what is left out included."""


_OTHERS = 5
"""Other values that are kept under a name."""
_USED = 4
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


def beside(new: Fact, held: Fact | None) -> tuple[OtherValue, ...]:
    """What other sources say otherwise, once `new` stands under the name of `held`; private values are compared as they are. What
    the user says takes the place of all; another value takes that of an older one of the same source."""
    if held is None or USER in {new.source, new.role}:
        return ()
    source = (new.source, new.source_name, new.app)
    before = [*held.instead, OtherValue.model_validate(held.model_dump(include=set(OtherValue.model_fields)))]
    others = [said for said in before if (said.source, said.source_name, said.app) != source]
    kept = [said for said in others if not same(said.value, new.value, new.kind)]
    return tuple(kept[-_OTHERS:])


def source_told(fact: Fact | OtherValue) -> str:
    """Who or what says it, in words."""
    plain, named = SOURCES[fact.source]
    name = fact.source_name
    if fact.source == "screen":
        name = fact.app or ""
    elif isinstance(fact, Fact) and fact.used and not name:
        name = ", ".join(fact.used[:_USED]) + (", …" if len(fact.used) > _USED else "")
    return named.format(name) if name and name != USER else plain
