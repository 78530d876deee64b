"""Clauses about what is on the screen: windows, fields, controls, keys, and what is read from it."""

from __future__ import annotations

from dataclasses import dataclass

from protocol import Direction
from roles.policies.rules.clauses.values import EMPTY, NOTHING, Clause, Entity, Value, fact_name


@dataclass(frozen=True)
class Open(Clause):
    """Bring an application to the front."""


@dataclass(frozen=True)
class OpenItem(Clause):
    entity: Entity = NOTHING


@dataclass(frozen=True)
class Read(Clause):
    """Learn facts of a record; `names` are what the blackboard calls them, when that is not obvious."""

    facts: tuple[str, ...] = ()
    entity: Entity = NOTHING
    names: tuple[str, ...] = ()

    def fact_names(self) -> tuple[str, ...]:
        """The names under which the facts are kept."""
        return self.names or tuple(fact_name(fact, self.entity) for fact in self.facts)


@dataclass(frozen=True)
class Enter(Clause):
    value: Value = EMPTY
    field: str = ""
    """Empty: the field that fits the value."""
    entity: Entity = NOTHING
    """The record to write into, such as a note by title."""
    add: bool = False
    """Behind what is there, instead of replacing it."""


@dataclass(frozen=True)
class Complete(Clause):
    """Fill in a form with what is known."""


@dataclass(frozen=True)
class Select(Clause):
    option: Value = EMPTY
    field: str = ""


@dataclass(frozen=True)
class Check(Clause):
    box: str = ""
    on: bool = True


@dataclass(frozen=True)
class ClickOn(Clause):
    control: str = ""


@dataclass(frozen=True)
class Press(Clause):
    keys: tuple[str, ...] = ()


@dataclass(frozen=True)
class Commit(Clause):
    """Submit, send or save what is open."""

    verb: str = "submit"
    thing: str = ""
    manner: str = ""
    """As a draft, under a name, ..."""


@dataclass(frozen=True)
class Search(Clause):
    query: str = ""


WAYS: dict[str, Direction] = {"up": "up", "down": "down", "left": "left", "right": "right", "bottom": "down", "top": "up"}


@dataclass(frozen=True)
class Scroll(Clause):
    way: Direction = "down"


@dataclass(frozen=True)
class Pause(Clause):
    seconds: float = 1.0


@dataclass(frozen=True)
class Await(Clause):
    """Wait until a record is listed, or until what stands at a place shows these words."""

    entity: Entity = NOTHING
    shows: str = ""
    seconds: float = 600.0
