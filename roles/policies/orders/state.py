"""What a plan knows while it is made: the cards, the facts so far, what orders were about, and the steps up to here."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from environments.cards import AppCard, FieldCard, FieldType, KindCard, PageCard
from roles.contracts import Fact
from roles.contracts.orders import Back, Of, Order, Reading, Records, Slot, Span, Step, Text, Thing, Value
from roles.contracts.values import Table, table_of
from roles.policies.orders.grounding import Ungrounded, ground_kind
from roles.screen.language.words import phrases

COMMITS = ("send", "submit", "save")
"""Verbs that end a form, the strongest first."""
HANDED_IN = frozenset({"send", "submit"})
LOOKS = frozenset({"open", "find", "check"})


class NotKnownYet(Exception):
    """What comes next depends on a fact that the steps so far find out."""


class Group(NamedTuple):
    """Steps that belong together: an order, or what has to be known before it can be planned."""

    id: str
    steps: tuple[Step, ...]


class Row(NamedTuple):
    """One record, with what is known of it."""

    records: Records
    cells: Mapping[str, str] = {}


class Subject(NamedTuple):
    """What an order is about, for the orders that point back at it."""

    rows: tuple[Row, ...] = ()
    facts: tuple[str, ...] = ()
    phrase: str = ""


def escaped(text: str) -> str:
    """A text as a step holds it letter for letter."""
    return text.replace("{", "{{").replace("}", "}}")


def each_of(thing: Thing) -> list[Thing]:
    """Several by "and", one by one: "a and b", "those from a and b". What the second leaves out is the first's."""
    first = thing.model_copy(update={"also": (), **({"quantity": "one"} if thing.also and thing.name else {})})
    parts = [first, *(part if part.kind or part.back else part.model_copy(update={"kind": thing.kind}) for part in thing.also)]
    for at, test in enumerate(thing.tests):
        if isinstance(test.value, Of) and test.value.thing.also and not test.negated:
            of, rest = test.value.thing, [part for part in parts if part is not first]
            values = [of.model_copy(update={"also": ()}), *of.also]
            tests = [test.model_copy(update={"value": test.value.model_copy(update={"thing": one})}) for one in values]
            own = [first.model_copy(update={"tests": (*thing.tests[:at], one, *thing.tests[at + 1 :])}) for one in tests]
            return [*own, *rest]
    return parts


def is_many(thing: Thing) -> bool:
    return thing.quantity in {"all", "number"} or bool(thing.also) or (thing.pick is not None and thing.pick.number > 1)


def unwanted_by(verb: str) -> frozenset[str]:
    """What "do not send it" forbids: whoever says that of a claim means that it is not to be submitted."""
    return HANDED_IN if verb in HANDED_IN else frozenset({verb})


class PlanState(ABC):
    """What is known so far, and the words for it."""

    def __init__(
        self, reading: Reading, cards: Sequence[AppCard], facts: Iterable[Fact] = (),
        skipped: Iterable[int] = (), planned: Iterable[Step] = (),
    ) -> None:  # fmt: skip
        self.reading = reading
        self.cards = list(cards)
        self.more = False
        self.passed_over = False
        """The condition of some order does not hold."""
        self.forbidden = False
        """What some order asks for is what another says must not be done."""
        self.made: list[Group] = []
        shown = next((card for card in cards if card.page is not None), None)
        self.on_page = shown is not None
        """No more is known than what a page shows."""
        self._page_app, self._page = (shown.app, shown.page or PageCard()) if shown is not None else ("", PageCard())
        self._plan = list(dict.fromkeys(planned))
        """Steps of the plan so far."""
        self._facts = {fact.name.casefold(): fact for fact in facts}
        self._subjects: dict[int, Subject] = {}
        self._commits: dict[int, str] = {}
        self._forbidden: dict[int, set[str]] = {}
        self._merged: set[int] = set()
        self._skipped = set(skipped)
        self._names: dict[str, str] = {}
        self._types: dict[str, FieldType] = {}
        self._homes: dict[tuple[str, str], tuple[str, str]] = {}
        self._steps: list[Step] = []
        self._at = 0
        self._stops = 0
        self._row: Row | None = None
        self._told: list[str] = []
        """What was answered so far."""
        self._taken: list[Slot] = []
        """Slots of the order that something is done with: what is passed over is refused."""

    def _add(self, step: Step) -> None:
        self._steps.append(step.model_copy(update={"order": self._at}))

    def _close(self, name: str) -> None:
        if self._steps:
            self.made.append(Group(name, tuple(self._steps)))
        self._steps = []

    def _need(self, *names: str) -> list[Table]:
        """The tables of these facts, if they are known by now; what was learned so far is a stage of its own."""
        self._stops += 1
        self._close(f"o{self._at}.{self._stops}")
        tables = []
        for name in names:
            fact = self._facts.get(name.casefold())
            table = table_of(fact.value, name) if fact is not None else None
            if table is None:
                raise NotKnownYet
            tables.append(table)
        return tables

    def _known(self, name: str) -> str:
        """The value of a fact, once it is known."""
        self._stops += 1
        self._close(f"o{self._at}.{self._stops}")
        if name.casefold() not in self._facts:
            raise NotKnownYet
        return self._facts[name.casefold()].value

    def _said(self, spans: Sequence[Span]) -> str:
        """The goal's own words."""
        if not spans:
            return ""
        words = self.reading.goal[min(s for s, _ in spans) : max(e for _, e in spans)]
        bare = " ".join(words.replace("{", "(").replace("}", ")").split()).strip(" .,;:!?\"'")
        return bare[4:] if bare.casefold().startswith("the ") else bare

    def phrase(self, thing: Thing) -> str:
        """What it is called in names of facts and in refusals."""
        if thing.back is not None and not thing.tests:
            own = self.reading.orders[self._at].object if thing.back.to == self._at else None
            meant = self._subjects[thing.back.to].phrase if thing.back.to in self._subjects else ""
            return (self.phrase(own) if own is not None and own.back is None else meant) or self._said(thing.spans) or "it"
        name = thing.name.text if thing.name else ""
        whole: list[Span] = []
        for span in sorted(thing.spans):  # not what is said of it in another clause
            if whole and set(self.reading.goal[whole[-1][1] : span[0]]) & set(".,;:!?"):
                break
            whole.append(span)
        return self._said(whole) or " ".join(part for part in (thing.kind, name) if part) or "it"

    def _name(self, wanted: str, key: str) -> str:
        """A fact's name that nothing else has; the one that it has already, where it is known."""
        if key in self._names:
            return self._names[key]
        wanted = wanted[:60].strip()
        taken = set(self._names.values())
        number, name = 1, wanted
        while name.casefold() in {one.casefold() for one in taken}:
            number += 1
            name = f"{wanted} ({number})"
        self._names[key] = name
        return name

    def _take(self, *slots: Slot) -> None:
        self._taken += slots

    def _without(self, order: Order, *slots: Slot, **change: Any) -> Order:
        """The order with other parts, and less the slots that something is done with."""
        self._take(*slots)
        rest = tuple(slot for slot in order.slots if not any(slot is one for one in slots))
        return order.model_copy(update={"slots": rest, **change})

    @abstractmethod
    def words(self, value: Value, field: FieldCard | None = None) -> str:
        """A value as a step holds it; what it needs is learned before."""

    def card(self, app: str) -> AppCard:
        return next(card for card in self.cards if card.app == app)

    def kind(self, records: Records) -> KindCard:
        return next(kind for kind in self.card(records.app).kinds if kind.kind == records.kind)

    def _maybe(self, noun: str, cards: Sequence[AppCard] | None = None) -> list[tuple[AppCard, KindCard]]:
        try:
            return list(ground_kind(noun, self.cards if cards is None else cards)) if noun else []
        except Ungrounded:
            return []

    def _app_called(self, thing: Thing) -> AppCard | None:
        """The application that the words name as such."""
        said = (thing.name.text if thing.name else thing.kind).casefold()
        said = said.removesuffix(f" {thing.kind}") if thing.kind in phrases("generic") else said
        named = [card for card in self.cards if said in {card.app.casefold(), card.title.casefold()}]
        if not named and not thing.name:
            named = [c for c in self.cards if said in c.words and not any(said in (k.kind, *k.words) for k in c.kinds)]
        return named[0] if len(named) == 1 and not thing.tests else None

    def _cards_for(self, order: Order, thing: Thing | None = None) -> list[AppCard]:
        """The applications that may be meant: those that the order names, else all."""
        slots = [slot.value for slot in order.slots if slot.role in {"by", "into", "at", "on", "to"}]
        things = [value.thing if isinstance(value, Of) else Thing(name=value) for value in slots if isinstance(value, Of | Text)]
        things += [one.place for one in (order.object, thing) if one is not None and one.place is not None]
        named = {card.app: card for one in things if (card := self._app_called(one)) is not None}
        return list(named.values()) or self.cards

    def _thing_of(self, value: Value) -> Thing | None:
        """What a value is or is of; None for words alone."""
        return value.thing if isinstance(value, Of) else Thing(back=value, spans=value.spans) if isinstance(value, Back) else None

    def _names_app(self, value: Value) -> bool:
        thing = value.thing if isinstance(value, Of) else Thing(name=value) if isinstance(value, Text) else None
        return thing is not None and self._app_called(thing) is not None

    def _form_at(self, value: Value) -> bool:
        return isinstance(value, Of) and not value.fields and self._app_called(value.thing) is not None

    def _is_place(self, value: Value) -> bool:
        return isinstance(value, Of | Text) and not (isinstance(value, Of) and value.fields)

    def _list(self, rows: Sequence[Row]) -> str:
        return ", ".join(next(iter(row.cells.values()), "") or row.records.kind for row in rows[:6]) or "none"
