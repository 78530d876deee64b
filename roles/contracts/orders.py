"""What a goal asks for, as data, and the steps that carry it out.

`Order` is what the reader makes of words: it knows English and no application. `Step` is what a worker does: it names an
application, a kind of record and controls as its card calls them, and knows no English. Between them stands the grounding.
All models are frozen and plain JSON, so that a plan can hold them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, ClassVar, Literal, TypeAlias

from pydantic import ConfigDict, Field, TypeAdapter

from protocol import Frozen, TaggedModel

Span: TypeAlias = tuple[int, int]
"""Characters of the goal, end excluded."""


class _Kinded(TaggedModel):
    tag: ClassVar[str] = "is_a"


# Values: what is written somewhere, compared with, or told.


class Text(_Kinded):
    """Words of the goal. What stood in quotation marks is taken letter for letter."""

    is_a: Literal["text"] = "text"
    text: str
    quoted: bool = False
    spans: tuple[Span, ...] = ()


class Amount(_Kinded):
    """A number, with its unit or currency as it was said: 48.20, 21 degrees, 40 percent, 3."""

    is_a: Literal["amount"] = "amount"
    number: float
    text: str
    unit: str = ""
    spans: tuple[Span, ...] = ()


class When(_Kinded):
    """A day, a span of days, or times of day. ISO 8601; both ends included. Without a clock of the world only `text` is set."""

    is_a: Literal["when"] = "when"
    text: str
    first: str = ""
    """`2026-03-02`, or `2026-03-02 09:00` where a time was said with its day."""
    last: str = ""
    start: str = ""
    """`09:00` where only a time of day was said."""
    end: str = ""
    minutes: int = 0
    """A length of time, or how much earlier (below 0) or later something is."""
    spans: tuple[Span, ...] = ()


class Of(_Kinded):
    """Fields of records: "the total of INV-1", "the names of those who attend". Without `fields`: the record itself."""

    is_a: Literal["of"] = "of"
    fields: tuple[str, ...] = ()
    thing: Thing
    spans: tuple[Span, ...] = ()


class Worked(_Kinded):
    """Worked out of others: how many, their sum, the difference, how long until."""

    is_a: Literal["worked"] = "worked"
    how: Literal["sum", "count", "average", "largest", "smallest", "difference", "joined"]
    of: tuple[Value, ...]
    spans: tuple[Span, ...] = ()


class Back(_Kinded):
    """ "it", "them", "that amount": points back at what order `to` (its place in the goal) is about, or made, or found out."""

    is_a: Literal["back"] = "back"
    to: int
    field: str = ""
    """"that amount": the words behind the pronoun; empty: the thing itself."""
    spans: tuple[Span, ...] = ()


Value: TypeAlias = Annotated[Text | Amount | When | Of | Worked | Back, Field(discriminator="is_a")]

Relation: TypeAlias = Literal[
    "is", "has", "about", "from", "to", "with", "by", "before", "after", "between", "on", "over", "under", "at_least", "at_most",
    "in", "starts", "ends",
]  # fmt: skip


class Test(Frozen):
    """What a record must be to be meant. `field` as the goal calls it; empty: whichever field says it."""

    field: str = ""
    relation: Relation = "is"
    value: Value
    negated: bool = False
    spans: tuple[Span, ...] = ()


class Pick(Frozen):
    """A superlative or an ordinal: the two largest by total, the latest, the third."""

    by: str = ""
    """The field, as the goal calls it; empty: the one that the word is of (latest: a date, largest: an amount)."""
    order: Literal["most", "least", "first", "last"] = "first"
    """`first` and `last` go by the order in which a list stands; `most` of a date is the latest."""
    number: int = 1
    at: int = 1
    """The third: 3."""
    spans: tuple[Span, ...] = ()


class Thing(Frozen):
    """What is meant: a kind, a name, and what narrows it down."""

    kind: str = ""
    """The noun, singular, lower case, as it was said: `note`, `appointment`. Empty where there is only a name."""
    name: Text | None = None
    tests: tuple[Test, ...] = ()
    quantity: Literal["one", "all", "any", "number"] = "one"
    """`any`: of some kind, no one in particular ("a note")."""
    number: int = 0
    """With `number`: how many are said to be there, "both" is 2."""
    pick: Pick | None = None
    but: tuple[Thing, ...] = ()
    """What is excepted."""
    place: Thing | None = None
    """Where it is looked for: a folder, a sheet, a site, an application ("on the Expenses sheet", "in chat")."""
    back: Back | None = None
    """"them", "these mails": narrows down what was spoken of before."""
    new: bool = False
    """It is to be made."""
    also: tuple[Thing, ...] = ()
    """Others that the same is to be done with: "a, b and c"."""
    spans: tuple[Span, ...] = ()


Role: TypeAlias = Literal[
    "to", "from", "into", "as", "by", "with", "for", "at", "on", "until", "called", "about", "saying", "per", "field", "value",
    "times", "before",
]  # fmt: skip


class Slot(Frozen):
    """Something that goes with the verb. `field` names a field that the goal itself names: "category Travel", "subject X"."""

    role: Role
    field: str = ""
    value: Value
    spans: tuple[Span, ...] = ()


class Condition(Frozen):
    """`if`: the orders that it stands over are to be done when it holds; with `negated` when it does not (unless, otherwise)."""

    thing: Thing
    tests: tuple[Test, ...] = ()
    """Empty: whether there is such a thing."""
    negated: bool = False
    spans: tuple[Span, ...] = ()


class Order(Frozen):
    """One thing that is asked for. Every word of the goal belongs to exactly one part of one order, or means nothing."""

    verb: str
    """Of the lexicon: its entry's name, such as `delete`, `create`, `send`, `answer`; not the word that was said."""
    said: str = ""
    object: Thing | None = None
    slots: tuple[Slot, ...] = ()
    condition: Condition | None = None
    negated: bool = False
    """It must not be done: "do not save it"."""
    after: tuple[int, ...] = ()
    """Orders that must have been done before, where the goal says so."""
    spans: tuple[Span, ...] = ()


class Unread(Frozen):
    """Words that belong to no order, and why, where that can be said."""

    text: str
    span: Span
    why: str = ""


class Context(Frozen):
    """What is told and not asked for: "Ann has sent us an offer". It does nothing; later words may speak of its things."""

    text: str
    span: Span
    things: tuple[Thing, ...] = ()


class Reading(Frozen):
    """A goal as it was read. With anything in `unread` it is not understood."""

    goal: str
    orders: tuple[Order, ...] = ()
    nothing: tuple[Span, ...] = ()
    """Words that mean nothing: please, the, then."""
    context: tuple[Context, ...] = ()
    """Sentences that only tell how things are."""
    unread: tuple[Unread, ...] = ()
    asks: tuple[str, ...] = ()
    """Questions on what may be read in several ways, each with its candidates."""

    @property
    def understood(self) -> bool:
        return bool(self.orders) and not self.unread and not self.asks


# Steps: ten skills. Values are texts with `{fact}` slots; what they hold letter for letter has doubled braces.


class RowTest(Frozen):
    """A test on one record, as it stands in a list or on its own page."""

    label: str = ""
    """The column's or field's label; empty: anything that the record shows."""
    relation: Relation = "is"
    value: str
    """For `between` two values with ` .. ` between them."""
    negated: bool = False


class Records(Frozen):
    """Which records of an application: a kind as its card calls it, and the tests that all hold."""

    app: str
    kind: str
    place: str = ""
    """The folder, tab, sheet, conversation or section in which they stand; empty: wherever the application lists them."""
    tests: tuple[RowTest, ...] = ()
    pick: Pick | None = None
    """With `by` as the column's label."""
    but: tuple[tuple[RowTest, ...], ...] = ()
    """A record for which all tests of one of these hold is not meant."""
    exactly: int = 1
    """How many must be found; 0: as many as there are."""


class Entry(Frozen):
    """A value for a field."""

    label: str
    value: str
    mode: Literal["set", "raise", "lower", "append", "prepend", "add", "remove", "clear", "later"] = "set"
    """`raise` and `lower` set what is not above, or below, the value by now; `add` and `remove` change a list of several; `later`
    shifts a time by so many minutes."""
    nth: int = 0
    """Of several on the screen that are called so, from 1, as they stand there; 0: the only one."""


class _Step(TaggedModel):
    tag: ClassVar[str] = "skill"
    order: int = -1
    """The order of the goal for which it is done, by its place in the ledger; -1: on the way to one."""


class OpenStep(_Step):
    """Bring an application, and a place in it, to the front."""

    skill: Literal["open"] = "open"
    app: str
    place: str = ""


class FindStep(_Step):
    """Open the one record that is meant. None or several: the step fails and says which there are."""

    skill: Literal["find"] = "find"
    records: Records


class ReadStep(_Step):
    """Learn fields of a record as facts. Without `records`: of what is on the screen."""

    skill: Literal["read"] = "read"
    app: str
    records: Records | None = None
    labels: tuple[str, ...] = ()
    """Empty: all of its text."""
    part: str = ""
    """Of the text: `word 2`, `word -1`; empty: all of it."""
    names: tuple[str, ...]
    """Of the facts, one a label."""


class FillStep(_Step):
    """Write into fields of a record (opened for changing where that is needed) or of the form that is open, then press
    `commit`, a verb of the card such as `save` or `submit`; empty: leave it as it is."""

    skill: Literal["fill"] = "fill"
    app: str
    records: Records | None = None
    form: str = ""
    """The control that leads to the form: `Reply`, `Edit`, a tab or a link, where the card names one."""
    entries: tuple[Entry, ...]
    commit: str = ""
    leaves: bool = False
    """Leave the last field, since nothing else does: a page may take its value only then."""


class PressStep(_Step):
    """Press the control of a verb on a record, or on what is open, and answer what is asked for it ("Delete?": yes)."""

    skill: Literal["press"] = "press"
    app: str
    records: Records | None = None
    verb: str
    """Of the card, such as `delete`, `archive`, `accept`; or the control's own words."""
    control: str = ""
    """The control's label, where the card or the goal names it."""
    kind: str = ""
    """On a page: what it is, such as `tab` or `slider`; empty: whatever can be pressed."""
    place: str = ""
    """On a page: the part in which it stands, by its name or by what is written there."""
    nth: int = 0
    """On a page: of several that are called so, from 1; 0: the only one."""
    entries: tuple[Entry, ...] = ()
    """What the press asks for: the folder to move to, the new name."""
    leads: int = 0
    """On a page: which of the presses it is, from 1, that bring up more of the form in which the order is done; 0: none."""


class CreateStep(_Step):
    """Make a new record of a kind with these fields, and press `commit`."""

    skill: Literal["create"] = "create"
    app: str
    kind: str
    place: str = ""
    entries: tuple[Entry, ...] = ()
    commit: str = "save"


class CollectStep(_Step):
    """Learn all records that are meant, over all pages, as one table fact whose columns are `labels` (empty: the list's)."""

    skill: Literal["collect"] = "collect"
    records: Records
    labels: tuple[str, ...] = ()
    name: str


class WaitStep(_Step):
    """Until a record is there, or for so many seconds."""

    skill: Literal["wait"] = "wait"
    app: str
    records: Records | None = None
    seconds: float = Field(default=600.0, gt=0)


class ComputeStep(_Step):
    """Work a CEL formula out over the facts. The Analyst does it."""

    skill: Literal["compute"] = "compute"
    formula: str
    name: str


class JobStep(_Step):
    """Code that the goal gives itself, run in the sandbox letter for letter. The Technician does it."""

    skill: Literal["job"] = "job"
    job: Literal["run"] = "run"
    app: str = ""
    """The application that holds the files."""
    code: str
    language: Literal["bash", "python"] = "bash"
    name: str = ""
    """Of the fact that it brings."""


class AnswerStep(_Step):
    """Tell the user."""

    skill: Literal["answer"] = "answer"
    value: str


Step: TypeAlias = Annotated[
    OpenStep
    | FindStep
    | ReadStep
    | FillStep
    | PressStep
    | CreateStep
    | CollectStep
    | WaitStep
    | ComputeStep
    | JobStep
    | AnswerStep,
    Field(discriminator="skill"),
]
STEP: TypeAdapter[Step] = TypeAdapter(Step, config=ConfigDict(defer_build=True))
STEPS: TypeAdapter[tuple[Step, ...]] = TypeAdapter(tuple[Step, ...], config=ConfigDict(defer_build=True))


def names_in(steps: Sequence[Step]) -> tuple[str, ...]:
    """What steps call things by: so a page was said to show them, whatever it shows by now."""
    names = [name for step in steps for name in (getattr(step, "control", ""), getattr(step, "place", ""))]
    entries = [entry for step in steps for entry in getattr(step, "entries", ())]
    labels = [label for step in steps for label in getattr(step, "labels", ())]
    return tuple(name for name in (*names, *labels, *(text for e in entries for text in (e.label, e.value))) if name)


class StepFailure(Exception):
    """Why a step cannot be done: a sentence with what was looked for and where. Raised, it is as good as `fail`."""


class LedgerEntry(Frozen):
    """One order of the goal, or one exclusion, limit or rest of it, and how it stands."""

    order: int = -1
    """Its place in the reading; -1 for what belongs to no order."""
    kind: Literal["order", "exclusion", "limit", "unread", "besides"] = "order"
    text: str
    state: Literal["open", "shown", "missing", "unchecked", "unread", "forbidden"] = "open"
    """`forbidden`: it was not to be done, and it was."""
    evidence: tuple[str, ...] = ()
    """`state:<id>`, `step:<n>` or `fact:<name>`."""
    why: str = ""
    sure: bool = True
    """No: only part of the goal was read, and these words may well mean something else."""

    @property
    def speaks_against(self) -> bool:
        """Whether it speaks against calling the goal done."""
        return self.state in {"missing", "forbidden"}

    def told(self) -> str:
        return f"{self.state}: {self.text}{f': {self.why}' if self.why else ''}"


class GoalLedger(Frozen):
    """What a goal asks for, entry by entry."""

    goal: str
    worked: str = ""
    """The goal as worked, with a page's steps in place of words that are not understood; empty: as stated."""
    entries: tuple[LedgerEntry, ...] = ()

    @property
    def unproven(self) -> tuple[str, ...]:
        """What nobody could check."""
        return tuple(entry.told() for entry in self.entries if entry.state in {"unchecked", "unread"})


def opened(reading: Reading) -> GoalLedger:
    """The ledger of a goal before anything was done for it."""
    entries: list[LedgerEntry] = []
    for number, order in enumerate(reading.orders):
        kind: Literal["order", "exclusion"] = "exclusion" if order.negated else "order"
        entries.append(LedgerEntry(order=number, kind=kind, text=said(reading.goal, order.spans)))
        buts = order.object.but if order.object is not None else ()
        entries += [LedgerEntry(order=number, kind="exclusion", text=said(reading.goal, but.spans)) for but in buts]
    entries += [LedgerEntry(kind="unread", text=rest.text, state="unread", why=rest.why) for rest in reading.unread]
    return GoalLedger(goal=reading.goal, entries=tuple(entries))


def said(goal: str, spans: tuple[Span, ...]) -> str:
    """The words of the goal from the first of these spans to the last."""
    return " ".join(goal[min(s[0] for s in spans) : max(s[1] for s in spans)].split()) if spans else " ".join(goal.split())
