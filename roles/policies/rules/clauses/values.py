"""What clauses are made of: which record is meant, what is to be written, and the clause itself."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Entity:
    """Which record is meant: an invoice, a mail, a file, ... Empty fields say nothing."""

    noun: str = ""
    id: str = ""
    name: str = ""
    """Vendor, sender, title or file name."""
    subject: str = ""
    dated: str = ""
    filters: tuple[str, ...] = ()
    """Attributes it must have: unpaid, overdue, unread, ..."""
    pick: str = ""
    """Superlative: latest, oldest, largest, smallest, first, last."""

    @property
    def specific(self) -> bool:
        """Whether it says more than what kind of thing it is."""
        return bool(self.id or self.name or self.subject or self.dated or self.filters or self.pick)

    def __bool__(self) -> bool:
        return bool(self.noun) or self.specific


NOTHING = Entity()


@dataclass(frozen=True)
class Value:
    """What to write: a text as given, then facts by name."""

    text: str = ""
    facts: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.text or self.facts)


EMPTY = Value()


@dataclass(frozen=True)
class Clause:
    """One thing to do. `app` is the application as the words call it; empty when they do not."""

    app: str = ""


def placeless(clause: Clause) -> Clause:
    """The clause without the application that its words name."""
    return replace(clause, app="")


def fact_name(fact: str, entity: Entity) -> str:
    """`total` of an invoice is kept as `invoice total`."""
    noun = entity.noun
    if not noun or noun.casefold() in fact.casefold().split():
        return fact
    return f"{noun} {fact}"
