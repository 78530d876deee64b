"""What a plan knows while it is made: cards, facts and steps so far, which orders belong together, and what they were about."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from environments.cards import AppCard, FieldType, KindCard, PageCard
from roles.contracts import Fact
from roles.contracts.orders import Back, Of, Order, Reading, Records, Slot, Span, Step, Text, Thing, Value
from roles.contracts.values import Table, table_of
from roles.policies.orders.grounding import Refusal, Ungrounded, ground_field, ground_kind
from roles.screen.language.words import phrases

COMMITS = ("send", "submit", "save")
"""Verbs that end a form, the strongest first."""
HANDED_IN = frozenset({"send", "submit"})
LOOKS = frozenset({"open", "find", "check"})
SAYS = frozenset({*LOOKS, "answer", "copy", "write", "add", "put", "send"})
"""Verbs whose object may be a value."""


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


class PlanState:
    """What is known so far, and the words for it."""

    def __init__(
        self, reading: Reading, cards: Sequence[AppCard], facts: Iterable[Fact] = (),
        skipped: Iterable[int] = (), planned: Iterable[Step] = (),
    ) -> None:  # fmt: skip
        self.reading = reading
        self.cards = list(cards)
        self.more, self.now = False, ""
        self.passed_over = False
        """The condition of some order does not hold."""
        self.forbidden = False
        """What some order asks for is what another says must not be done."""
        self.made: list[Group] = []
        shown = next((card for card in cards if card.page is not None), None)
        self.on_page = shown is not None
        """No more is known than what a page shows."""
        self._page_app, self._page = (shown.app, shown.page or PageCard()) if shown is not None else ("", PageCard())
        self._part = ""
        """Which part of the page an order is about; empty: all of it."""
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

    # --- orders that are no work of their own ------------------------------------------------------------------------------

    def _leave_out(self) -> None:
        """ "..., but do not delete it after all": what was asked for before is not done."""
        orders = list(enumerate(self.reading.orders))
        gone = {at for at, order in orders if not order.negated and any(_takes_back(no, order, at) for _, no in orders[at + 1 :])}
        self._skipped |= gone
        self.forbidden = bool(gone)

    def _name_fields(self) -> None:
        """ "The invoice total" is the total of the invoice, where nothing holds totals, and something holds invoices with one."""
        orders = list(self.reading.orders)
        for at, order in enumerate(orders):
            slots = tuple(
                slot.model_copy(update={"value": self._as_field(slot.value.thing) or slot.value})
                if isinstance(slot.value, Of) and not slot.value.fields
                else slot
                for slot in order.slots
            )
            of = self._as_field(order.object) if order.object is not None and order.verb in SAYS else None
            slots = (Slot(role="value", value=of, spans=of.spans), *slots) if of is not None else slots
            orders[at] = order.model_copy(update={"slots": slots, "object": None if of is not None else order.object})
        self.reading = self.reading.model_copy(update={"orders": tuple(orders)})

    def _as_field(self, thing: Thing) -> Of | None:
        name = thing.name.text if thing.name is not None and not thing.name.quoted else ""
        noun = name.removesuffix(thing.kind).strip()
        if not thing.kind or not noun or noun == name or self._maybe(thing.kind):
            return None
        if not any(ground_field(thing.kind, kind) for _, kind in self._maybe(noun)):
            return None
        bare = thing.model_copy(update={"kind": noun, "name": None})
        return Of(fields=(thing.kind,), thing=bare, spans=thing.spans)

    def _join_fields(self) -> None:
        """ "... create a file, enter X as its content, select Y as the category": belong to the order that began the form."""
        named = (order.model_copy(update={"slots": _named(order.slots, at)}) for at, order in enumerate(self.reading.orders))
        orders, base = list(named), -1
        for at, order in enumerate(orders):
            thing = order.object
            fills = order.verb in {"write", "select", "set", "put"} and not order.negated
            base = base if base >= 0 and orders[base].condition == order.condition else -1
            back = thing.back if thing is not None and not thing.tests and thing.place is None else None
            same = back is not None and base <= back.to < at
            fields = bool(order.slots) and all(slot.role == "value" and slot.field for slot in order.slots)
            if fills and fields and (thing is None or same) and base >= 0:
                orders[base] = orders[base].model_copy(update={"slots": (*orders[base].slots, *order.slots)})
                self._merge(at, orders[base])
            elif (thing is not None and thing.new) or self._derived(order) is not None or (fills and self._fills_form(order)):
                base = at
            elif order.verb == "set" and fields and not order.negated and thing is not None and thing.back is None:
                base = at  # change the title of X to A and the text to B
            elif order.verb not in COMMITS:
                base = -1
        self.reading = self.reading.model_copy(update={"orders": tuple(orders)})

    def _fills_form(self, order: Order) -> bool:
        return any(slot.role in {"into", "at", "to"} and self._form_at(slot.value) for slot in order.slots)

    def _merge(self, at: int, order: Order) -> None:
        self._merged.add(at)
        self._subjects[at] = Subject(phrase=self._said(order.spans))

    def _derived(self, order: Order) -> tuple[AppCard, KindCard] | None:
        """The kind that a verb makes of a record, such as a claim of an invoice."""
        where = order.model_copy(update={"object": None})  # where the record stands says nothing of where the new one does
        kinds = [(card, kind) for card in self._cards_for(where) for kind in card.kinds if kind.create is not None]
        named = [(card, kind) for card, kind in kinds if order.verb in {kind.kind, *kind.words}]
        return named[0] if len(named) == 1 else None

    def _join_commits(self) -> None:
        """ "..., and submit it", "... but do not send it": belongs to the order that fills the form."""
        for at, order in enumerate(self.reading.orders):
            if order.verb not in COMMITS:
                continue
            thing = order.object
            for earlier in range(at if _of_all(order) and order.condition is None else 0):
                self._forbid(earlier, order)
            back = thing.back.to if thing is not None and thing.back is not None else at - 1
            while back in self._merged and back > 0:
                back -= 1
            told = [slot for slot in order.slots if not (order.verb == "save" and _is_draft(slot))]
            if told or not 0 <= back < at or self.reading.orders[back].verb in LOOKS:
                continue
            begun = self.reading.orders[back]
            named = thing is not None and (thing.name is not None or bool(thing.tests))
            forms = {"form", "draft"} if self._fills_form(begun) or not self._maybe("draft") else {"form"}
            same = thing is not None and thing.kind in {*forms, begun.object.kind if begun.object is not None else "form"}
            if thing is not None and thing.back is None and (named or not (order.negated or same)):
                continue
            if order.condition != begun.condition:
                if order.negated:
                    raise Refusal(f'"{self._said(order.spans)}": it is not known beforehand when that holds')
            elif order.negated:
                self._forbid(back, order)
            else:
                self._commits[back] = order.verb
                self._merge(at, begun)

    def _forbid(self, at: int, no: Order) -> None:
        """How that order's form must not end; what was said later holds."""
        self._forbidden.setdefault(at, set()).update(unwanted_by(no.verb))
        if self._commits.get(at) in unwanted_by(no.verb):
            del self._commits[at]


def _named(slots: Sequence[Slot], at: int) -> tuple[Slot, ...]:
    """ "Its total as the amount": a value and the field that it goes into."""
    made: list[Slot] = []
    for slot in slots:
        of, last = slot.value if slot.role == "as" and isinstance(slot.value, Of) else None, made[-1] if made else None
        plain = of is not None and len(of.fields) == 1 and (of.thing.back is None or of.thing.back.to == at)
        if of is not None and plain and last is not None and last.role in {"with", "value"} and not last.field:
            named = {"role": "value", "field": of.fields[0], "spans": (*last.spans, *slot.spans)}
            made[-1] = last.model_copy(update=named)
        else:
            made.append(slot)
    return tuple(made)


def _takes_back(no: Order, order: Order, at: int) -> bool:
    """Whether it says that this very order is not to be done."""
    prepared = no.verb in COMMITS and order.slots  # "write a mail to Ann, but do not send it"
    if not no.negated or prepared or (no.verb, no.condition) != (order.verb, order.condition):
        return False
    if no.object is None or order.object is None:
        return False
    if _of_all(no) and no.object.kind in {"", order.object.kind}:
        return True
    names = [thing.name.text.casefold() if thing.name is not None else "" for thing in (no.object, order.object)]
    same = names[0] and names[0] == names[1] and no.object.kind == order.object.kind and not no.object.tests
    return bool(same) or (no.object.back is not None and no.object.back.to == at and not no.object.tests)


def _of_all(no: Order) -> bool:
    """Whether it says of anything whatever, or of anything of a kind, not to do that."""
    thing = no.object
    if not no.negated or thing is None or thing.quantity != "all":
        return False
    return not (thing.name or thing.tests or thing.back or thing.place or thing.but or thing.pick)


def _is_draft(slot: Slot) -> bool:
    """ "As a draft" says of saving what it is anyway."""
    return slot.role == "as" and isinstance(slot.value, Of) and slot.value.thing.kind == "draft" and not slot.value.fields
