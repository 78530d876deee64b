"""What is asked of a page: clauses over things that are named by their words, kind and place. Pure data."""

from __future__ import annotations

from dataclasses import dataclass

from roles.screen.language.clauses import PageClause
from roles.screen.page import Thing

ANY_THING = Thing()


@dataclass(frozen=True)
class Source:
    """What to write: a text as given, or something that the page or the blackboard holds."""

    text: str = ""
    fact: str = ""
    """A fact by name."""
    word: int = 0
    """The n-th word of `of`; -1 is the last."""
    label: str = ""
    """The value that stands beside this label."""
    of: Thing = ANY_THING

    @property
    def given(self) -> bool:
        """Whether it is a text of the goal itself."""
        return not (self.fact or self.word or self.label or self.of != Thing())


@dataclass(frozen=True)
class Push(PageClause):
    """Press a control."""

    thing: Thing = ANY_THING
    double: bool = False
    right: bool = False


@dataclass(frozen=True)
class Choose(PageClause):
    """Tick, select or pick what `names` lists; `exact`: and nothing else of its kind."""

    names: str = ""
    thing: Thing = ANY_THING
    on: bool = True
    exact: bool = False


@dataclass(frozen=True)
class Learn(PageClause):
    """Keep something that the page shows as a fact."""

    source: Source = Source()
    name: str = ""


@dataclass(frozen=True)
class Put(PageClause):
    """Write into a field, or set a slider."""

    source: Source = Source()
    thing: Thing = ANY_THING


@dataclass(frozen=True)
class Unfold(PageClause):
    """Open or close a section, a node or a menu."""

    thing: Thing = ANY_THING
    open: bool = True


@dataclass(frozen=True)
class Dismiss(PageClause):
    """Close a dialog."""

    thing: Thing = ANY_THING


@dataclass(frozen=True)
class Focus(PageClause):
    """Put the caret into a field."""

    thing: Thing = ANY_THING


@dataclass(frozen=True)
class Key(PageClause):
    """Press a key of the keyboard, where no control of the page is called like it."""

    name: str = ""


@dataclass(frozen=True)
class Extreme(PageClause):
    """Press the control of the record that has the most or the least of something."""

    verb: str = ""
    most: bool = False
    by: str = ""
    """The attribute; empty where the superlative says it: price, duration, time or date."""


@dataclass(frozen=True)
class Collect(PageClause):
    """Take so many of each of these items, and hand the order in."""

    verb: str = ""
    each: int = 1
    names: str = ""
    trait: str = ""
    """Instead of names: `each` items that have it."""


@dataclass(frozen=True)
class Take(PageClause):
    """Take so many of one thing into the cart."""

    name: str = ""
    count: int = 1


@dataclass(frozen=True)
class Back(PageClause):
    """Go back to the page before."""


@dataclass(frozen=True)
class Look(PageClause):
    """Find a control: nothing to do for it, but what follows may mean it."""

    thing: Thing = ANY_THING


@dataclass(frozen=True)
class Deed(PageClause):
    """Do to a thing what its own control says: `archive the message from Klara`, `post the comment`, `reject the cookies`."""

    verb: str = ""
    words: str = ""
    """What it is done to, as the goal says it."""
    name: str = ""
    """The part of the words that names one thing among several; empty where they name none."""


@dataclass(frozen=True)
class DragTo(PageClause):
    """Drag one thing onto another."""

    thing: Thing = ANY_THING
    to: Thing = ANY_THING


@dataclass(frozen=True)
class Attach(PageClause):
    """Give a file to the page."""

    file: str = ""
    thing: Thing = ANY_THING
    """The control that takes it; empty where there is only one."""


@dataclass(frozen=True)
class Seek(PageClause):
    """Look for something by the page's own search field."""

    query: str = ""
