"""Clauses about what applications keep: mails, notes, files, events, sheets, orders, devices."""

from __future__ import annotations

from dataclasses import dataclass

from roles.policies.rules.clauses.values import EMPTY, NOTHING, Clause, Entity, Value


@dataclass(frozen=True)
class Compose(Clause):
    """A new mail."""

    to: tuple[str, ...] = ()
    subject: Value = EMPTY
    body: Value = EMPTY
    send: bool = True


@dataclass(frozen=True)
class Reply(Clause):
    entity: Entity = NOTHING
    body: Value = EMPTY
    send: bool = True


@dataclass(frozen=True)
class Forward(Clause):
    entity: Entity = NOTHING
    to: tuple[str, ...] = ()
    body: Value = EMPTY


@dataclass(frozen=True)
class Create(Clause):
    """A new note, folder, event, ... with what stands in it."""

    noun: str = ""
    title: Value = EMPTY
    body: Value = EMPTY


@dataclass(frozen=True)
class Rename(Clause):
    entity: Entity = NOTHING
    to: str = ""


@dataclass(frozen=True)
class Move(Clause):
    entity: Entity = NOTHING
    to: str = ""


@dataclass(frozen=True)
class Delete(Clause):
    entity: Entity = NOTHING


@dataclass(frozen=True)
class Act(Clause):
    """Something else that an application offers for a record: accept, cancel, merge, archive, ..."""

    verb: str = ""
    entity: Entity = NOTHING


@dataclass(frozen=True)
class Post(Clause):
    """A message in a conversation."""

    to: str = ""
    body: Value = EMPTY


@dataclass(frozen=True)
class Adjust(Clause):
    """A device is set: `aspect` is what of it, such as brightness; empty for on and off."""

    device: str = ""
    aspect: str = ""
    value: str = ""


@dataclass(frozen=True)
class Sort(Clause):
    """Rows of a table by a column."""

    sheet: str = ""
    column: str = ""
    down: bool = False


@dataclass(frozen=True)
class Cell(Clause):
    """A value goes into one cell of a sheet, which is called by its place such as B6."""

    value: Value = EMPTY
    sheet: str = ""
    place: str = ""


@dataclass(frozen=True)
class AddUp(Clause):
    """The total of a sheet, in the row of this label, is to be the sum of all figures above it."""

    sheet: str = ""
    label: str = "total"


@dataclass(frozen=True)
class KeepOnly(Clause):
    """One thing of a list stays, in a quantity; the others are removed."""

    place: str = ""
    item: str = ""
    quantity: str = ""


@dataclass(frozen=True)
class Reschedule(Clause):
    """An event begins at another hour of its day and takes as long as before."""

    entity: Entity = NOTHING
    to: str = ""


@dataclass(frozen=True)
class Free(Clause):
    """Of some hours of a day, learn the first at which nothing else is going on for so many minutes, and its end."""

    day: str = ""
    hours: Value = EMPTY
    minutes: int = 60

    def fact_names(self) -> tuple[str, ...]:
        return ("free hour", "free hour end")


@dataclass(frozen=True)
class Invite(Clause):
    """A message to all who attend an event."""

    entity: Entity = NOTHING
    body: Value = EMPTY


@dataclass(frozen=True)
class Buy(Clause):
    """Something is ordered in a shop."""

    item: str = ""
    quantity: str = "1"
