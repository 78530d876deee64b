"""What a sentence of a goal or a step says: one frozen value per imperative clause. Pure data."""

from __future__ import annotations

from dataclasses import dataclass, replace

from protocol import Direction


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


# Clauses about what is on the screen: windows, fields, controls, keys, and what is read from it.


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


# Clauses about what applications keep: mails, notes, files, events, sheets, orders, devices.


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


# Clauses about what is known: to tell it, to gather it, to work it out, to go by it; and what is not done or understood.


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


@dataclass(frozen=True)
class PageClause(Clause):
    """One thing to do on the page that is shown; `said` is how the goal says it."""

    said: str = ""
