"""What a function answered, as records: the same rules choose among them that choose among the rows of a list."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from roles.rules import clauses as c
from roles.rules.call_functions import words_of, worth
from roles.rules.matching import best
from roles.rules.records import Entry, matching_entries, picked

Record = dict[str, Any]
_ENOUGH = 0.7
_COUNTS = ("count", "total")
"""How many there are, where an answer holds a part of them."""


def records_in(text: str) -> tuple[list[Record], bool]:
    """The records of an answer, and whether that is all there are. An answer that is no JSON has none."""
    try:
        data = json.loads(text)
    except ValueError:
        return [], False
    if isinstance(data, list):
        return [one for one in data if isinstance(one, dict)], True
    if not isinstance(data, dict):
        return [], True
    lists = [value for value in data.values() if isinstance(value, list) and all(isinstance(v, dict) for v in value)]
    beside = {key: value for key, value in data.items() if isinstance(value, str)}
    if len(lists) != 1 or set(beside) - {"currency"}:
        return [data], True  # one record, which may have lists of its own
    found = [beside | one for one in lists[0]]
    there = [value for key in _COUNTS if isinstance(value := data.get(key), int)]
    first = data.get("offset")
    return found, max(there, default=0) <= len(found) + (first if isinstance(first, int) else 0)


def chosen(entity: c.Entity, records: list[Record]) -> Record | None:
    """The one record that is meant; None where there is none, or several."""
    if len(records) == 1 and not entity.specific:
        return records[0]
    entries = {index: _entry(record) for index, record in enumerate(records)}
    fitting = picked(entity, matching_entries(entity, list(entries.values())))
    if len(fitting) > 1 and entity.name:
        exact = [e for e in fitting if entity.name.casefold() in {value.casefold() for _, value in e.cells}]
        fitting = exact if len(exact) == 1 else fitting
    if len(fitting) != 1:
        return None
    return next(records[index] for index, entry in entries.items() if entry is fitting[0] or entry == fitting[0])


def value_of(fact: str, record: Mapping[str, Any]) -> str | None:
    """What a record says of it, as a person would write it."""
    flat = {name: value for name, value in record.items() if not isinstance(value, dict)}
    match = best(fact, list(flat), lambda name: " ".join(words_of(name)), least=_ENOUGH)
    return worth(flat[match.item], record) if match is not None and not match.rivals else None


def _entry(record: Mapping[str, Any]) -> Entry:
    cells = []
    for name, value in record.items():
        if isinstance(value, bool):
            said = name if value else f"not {name}" if name not in {"unread"} else "read"
            cells.append((name, said))
        elif (text := worth(value, record)) is not None:
            cells.append((" ".join(words_of(name)), text))
    return Entry(" · ".join(value for _, value in cells), tuple(cells))
