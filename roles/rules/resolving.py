"""Words that stand for what is only known later: `{invoice number}` in a clause becomes the value of that fact."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import fields, is_dataclass, replace
from typing import TypeVar

from roles.contracts import Fact
from roles.rules import clauses as c

T = TypeVar("T")
_SLOT = re.compile(r"\{([^{}]+)\}")


def slot(fact: str) -> str:
    """The words that stand for the value of `fact`."""
    return "{" + fact + "}"


def slots_of(clause: c.Clause | c.Entity | c.Value) -> tuple[str, ...]:
    """Names of the facts that some words of `clause` stand for."""
    found: list[str] = []
    for field in fields(clause):
        value = getattr(clause, field.name)
        if isinstance(value, c.Entity | c.Value):
            found += slots_of(value)
            continue
        for text in value if isinstance(value, tuple) else (value,):
            found += _SLOT.findall(text) if isinstance(text, str) else []
    return tuple(dict.fromkeys(found))


def resolved(clause: T, facts: Iterable[Fact]) -> T:
    """`clause` with what is known put in; a slot that no fact of exactly that name fills stays as it is."""
    known = {fact.name: fact.value for fact in facts}
    return _filled(clause, known) if known and is_dataclass(clause) else clause


def _filled(part: T, known: dict[str, str]) -> T:
    changes = {field.name: _value(getattr(part, field.name), known) for field in fields(part)}  # type: ignore[arg-type]
    return replace(part, **changes)  # type: ignore[type-var]


def _value(value: object, known: dict[str, str]) -> object:
    if isinstance(value, str):
        return _SLOT.sub(lambda m: known.get(m.group(1), m.group()), value)
    if isinstance(value, tuple):
        return tuple(_value(item, known) for item in value)
    return _filled(value, known) if isinstance(value, c.Entity | c.Value) else value
