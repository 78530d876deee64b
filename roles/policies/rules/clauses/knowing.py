"""Clauses about what is known: to tell it, to gather it, to work it out, to go by it; and what is not done or understood."""

from __future__ import annotations

from dataclasses import dataclass

from roles.policies.rules.clauses.values import EMPTY, NOTHING, Clause, Entity, Value


@dataclass(frozen=True)
class Tell(Clause):
    """Answer the user."""

    value: Value = EMPTY


@dataclass(frozen=True)
class Collect(Clause):
    """Learn every row of a list, over all its pages, as one table."""

    entity: Entity = NOTHING
    name: str = ""

    def fact_names(self) -> tuple[str, ...]:
        return (self.name,)


@dataclass(frozen=True)
class Compute(Clause):
    """Have the Analyst work out a formula over the facts."""

    formula: str = ""
    name: str = ""

    def fact_names(self) -> tuple[str, ...]:
        return (self.name,)


@dataclass(frozen=True)
class When(Clause):
    """Once it is known whether the formula holds: do the one or the other."""

    formula: str = ""
    name: str = ""
    """Of the fact that says whether it holds."""
    then: tuple[Clause, ...] = ()
    otherwise: tuple[Clause, ...] = ()


EACH = "each "
"""A fact of this prefix is a column of the row that is worked on."""


@dataclass(frozen=True)
class ForEach(Clause):
    """Once the rows of a table are known: do the body for each. A fact `each X` of the body is the row's column X."""

    table: str = ""
    body: tuple[Clause, ...] = ()


@dataclass(frozen=True)
class Remember(Clause):
    value: str = ""
    name: str = ""


@dataclass(frozen=True)
class Avoid(Clause):
    """What must not be done."""

    what: str = ""


@dataclass(frozen=True)
class Obey(Clause):
    """What somebody else demands, or what is asked for wholesale: nothing that rules do."""

    what: str = ""


@dataclass(frozen=True)
class Unknown(Clause):
    """Words that the grammar does not understand, verbatim."""

    text: str = ""
