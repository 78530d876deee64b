"""Which entry of a list is meant, and whether the record on the screen is the one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from rapidfuzz import fuzz

from roles.screen.language import clauses as c
from roles.screen.matching import similarity
from roles.screen.screens import Item, Screen, fold
from roles.screen.values import same_value, sort_key

_SIZE_COLUMNS = ("total", "amount", "amount due", "price", "sum", "size")
_DATE_COLUMNS = ("date", "invoice date", "received", "modified", "due date", "day")
_IMPLIED = {
    "unpaid": {"unpaid", "open", "outstanding", "due"},
    "outstanding": {"unpaid", "overdue", "open", "outstanding"},
}
_COMPANY = re.compile(r"\b(?:ltd|inc|llc|gmbh|corp|co|company|limited|ag|plc)\b\.?", re.IGNORECASE)


class Entry(NamedTuple):
    """A list entry reduced to data, so that it can be kept while other pages are looked at."""

    text: str
    cells: tuple[tuple[str, str], ...]
    page: int = 0

    @property
    def key(self) -> str:
        return self.cells[0][1] if self.cells else self.text


def entry_of(item: Item, page: int = 0) -> Entry:
    return Entry(item.text, tuple((p.label, p.value) for p in item.cells), page)


def matching_entries(entity: c.Entity, entries: Sequence[Entry]) -> list[Entry]:
    """The entries that fit everything `entity` says but its superlative."""
    return [entry for entry in entries if fits(entity, entry)]


def fits(entity: c.Entity, entry: Entry) -> bool:
    return (
        (not entity.id or _has_id(entity.id, entry.text))
        and (not entity.name or _has_name(entity.name, entry.text))
        and (not entity.subject or _has_name(entity.subject, entry.text))
        and (not entity.dated or _has_date(entity.dated, entry))
        and all(_has_state(state, entry) for state in entity.filters)
    )


def _has_id(wanted: str, text: str) -> bool:
    return bool(re.search(rf"(?<![\w-]){re.escape(wanted.lstrip('#').casefold())}(?![\w-])", text.casefold()))


def _has_name(wanted: str, text: str) -> bool:
    """Every word of the name stands in the text; small slips of spelling are forgiven in long names."""
    name, text = fold(_COMPANY.sub(" ", wanted)) or fold(wanted), fold(text)
    if name in text:
        return True
    words = re.findall(r"\w+", name)
    there = set(re.findall(r"\w+", text))
    if words and all(word in there for word in words):
        return True
    numbers = set(re.findall(r"\d+", name))
    return len(name) >= 6 and numbers <= there and fuzz.partial_ratio(name, text) >= 90


def _has_date(wanted: str, entry: Entry) -> bool:
    return any(same_value(wanted, value) for _, value in entry.cells) or fold(wanted) in fold(entry.text)


def _has_state(state: str, entry: Entry) -> bool:
    words = set(re.findall(r"[\w-]+", fold(entry.text)))
    status = {fold(value) for label, value in entry.cells if similarity("status", label) >= 0.9}
    wanted = _IMPLIED.get(state, {state})
    if status:
        return bool(status & wanted) or any(state in value.split() for value in status)
    return bool(words & wanted)


def same_state(left: str, right: str) -> bool:
    """Whether a status as shown means the state that was asked for: an overdue invoice is unpaid, too."""
    status, wanted = fold(left), fold(right)
    return status == wanted or status in _IMPLIED.get(wanted, set()) or same_value(left, right)


def picked(entity: c.Entity, entries: Sequence[Entry]) -> list[Entry]:
    """The entries that a superlative leaves: one, or several when they are equal or there is no superlative."""
    pick = entity.pick
    if not pick or len(entries) < 2:
        return list(entries)
    if pick in {"first", "last", "second", "third"}:
        at = {"first": 0, "last": -1, "second": 1, "third": 2}[pick]
        return [entries[at]] if at < len(entries) else []
    columns = _SIZE_COLUMNS if pick in {"largest", "smallest"} else _DATE_COLUMNS
    kind = 1 if pick in {"largest", "smallest"} else 2
    keyed = [(key[1], entry) for entry in entries if (key := _key(entry, columns, kind))[0] == kind]
    if not keyed:
        return list(entries) if pick != "latest" else list(entries[:1])
    chosen = (max if pick in {"largest", "latest"} else min)(value for value, _ in keyed)
    return [entry for value, entry in keyed if value == chosen]


def _key(entry: Entry, columns: Sequence[str], kind: int) -> tuple[int, float]:
    ranked = sorted(entry.cells, key=lambda cell: -max(similarity(name, cell[0]) - 0.001 * i for i, name in enumerate(columns)))
    keys = [sort_key(value) for _, value in ranked]
    return next((key for key in keys if key[0] == kind), (0, 0.0))


def on_record(entity: c.Entity, screen: Screen) -> bool:
    """Whether the texts outside lists are those of the record that is meant. A superlative cannot be told from one record."""
    heads = [e.name for e in screen.elements if e.role == "heading"]
    if not screen.pairs and not screen.prose and not (entity.name and any(fold(entity.name) == fold(head) for head in heads)):
        return False
    texts = [t.name for t in screen.detail_texts] + [f.value or "" for f in screen.inputs]
    if screen.pairs and heads:
        texts += [item.text for item in screen.items if item.press is item.element]  # the lines of an order, a bill, ...
    whole = Entry(" · ".join(texts), tuple((p.label, p.value) for p in screen.pairs))
    return fits(c.Entity(entity.noun, entity.id, entity.name, entity.subject, entity.dated, entity.filters), whole)
