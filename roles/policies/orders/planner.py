"""Orders to steps: what has to be looked up first is looked up, and what stands for several records is done for each."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

from environments.cards import AppCard, FieldCard, FieldType, KindCard, VerbCard
from roles.analyst.values import Table, table_of
from roles.contracts import Fact
from roles.contracts.orders import (
    Amount,
    AnswerStep,
    Back,
    CollectStep,
    ComputeStep,
    Condition,
    CreateStep,
    Entry,
    FillStep,
    FindStep,
    Of,
    OpenStep,
    Order,
    PressStep,
    Reading,
    ReadStep,
    Records,
    RowTest,
    Slot,
    Span,
    Step,
    Test,
    Text,
    Thing,
    Value,
    WaitStep,
    When,
    Worked,
)
from roles.policies.orders.grounding import Ungrounded, ground_field, ground_kind, ground_place, ground_verb, to_records
from roles.policies.orders.skills.rows import Row as SeenRow
from roles.policies.orders.skills.rows import matches

MOST_ROWS = 40
"""Records that one order is done for."""
COMMITS = ("send", "submit", "save")
"""Verbs that end a form, the strongest first."""


class Refusal(Exception):
    """Why a goal is not planned, in one sentence; with `ask`, a person may say what is missing."""

    def __init__(self, why: str, *, ask: bool = False) -> None:
        super().__init__(why)
        self.ask = ask


class _NotKnownYet(Exception):
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


class Planner:
    """Walks through the orders as far as the facts allow. `more` says that it had to stop before the end."""

    def __init__(self, reading: Reading, cards: Sequence[AppCard], facts: Iterable[Fact], today: str = "") -> None:
        self.reading = reading
        self.cards = list(cards)
        self.today = today
        self.more = False
        self.passed_over = False
        """The condition of some order does not hold."""
        self.made: list[Group] = []
        self._facts = {fact.name.casefold(): fact for fact in facts}
        self._subjects: dict[int, Subject] = {}
        self._commits: dict[int, str] = {}
        self._forbidden: dict[int, set[str]] = {}
        self._merged: set[int] = set()
        self._names: dict[str, str] = {}
        self._types: dict[str, FieldType] = {}
        self._homes: dict[tuple[str, str], tuple[str, str]] = {}
        self._steps: list[Step] = []
        self._at = 0
        self._stops = 0
        self._row: Row | None = None
        self._taken: list[Slot] = []
        """Slots of the order that something is done with: what is passed over is refused."""
        self._app = ""

    # --- the walk ---------------------------------------------------------------------------------------------------

    def groups(self) -> list[Group]:
        """What is to be done, in order. Raises Refusal."""
        self._check_apps()
        self._leave_out()
        self._join_fields()
        self._join_commits()
        for at, order in enumerate(self.reading.orders):
            self._at, self._stops = at, 0
            if order.negated and order.verb in LOOKS:
                raise Refusal(f'"{self._said(order.spans)}": what is worked on may have to be opened')
            if order.negated or at in self._merged:
                continue
            try:
                if order.condition is None or self._holds(order.condition):
                    self._work_whole(order)
                else:
                    self.passed_over = True
                self._close(f"o{at}")
            except _NotKnownYet:
                self.more = True
                break
        return self.made

    def _leave_out(self) -> None:
        """"..., but do not delete X": an exception from what is done to several."""
        orders = list(self.reading.orders)
        for at, order in enumerate(orders):
            out = [no.object for no in orders if no.negated and no.verb == order.verb and no.object is not None]
            out = [thing for thing in out if thing.back is None and (thing.name or thing.tests)]
            if order.object is not None and not order.negated and is_many(order.object) and out:
                excepted = order.object.model_copy(update={"but": (*order.object.but, *out)})
                orders[at] = order.model_copy(update={"object": excepted})
        self.reading = self.reading.model_copy(update={"orders": tuple(orders)})

    def _check_apps(self) -> None:
        """That every application which the goal calls one is there."""
        for order in self.reading.orders:
            things = [slot.value.thing for slot in order.slots if isinstance(slot.value, Of)]
            things += [order.object] if order.object is not None else []
            things += [thing.place for thing in things if thing.place is not None]
            for thing in things:
                if thing.kind in {"app", "application", "program"} and thing.name is not None and not self._app_called(thing):
                    there = ", ".join(card.title for card in self.cards) or "none"
                    raise Refusal(f'there is no application called "{thing.name.text}"; applications are: {there}')

    def _join_fields(self) -> None:
        """"... create a file, enter X as its content, select Y as the category": belong to the order that began the form."""
        orders, base = list(self.reading.orders), -1
        for at, order in enumerate(orders):
            thing = order.object
            targets = [slot for slot in order.slots if slot.role in {"into", "at", "to"}]
            fills = order.verb in {"write", "select", "set", "put"} and not order.negated
            base = base if base >= 0 and orders[base].condition == order.condition else -1
            bare = thing is None and order.slots and all(slot.role == "value" and slot.field for slot in order.slots)
            if fills and bare and not targets and base >= 0:
                orders[base] = orders[base].model_copy(update={"slots": (*orders[base].slots, *order.slots)})
                self._merged.add(at)
                self._subjects[at] = Subject(phrase=self._said(orders[base].spans))
            elif (thing is not None and thing.new) or (fills and any(self._form_at(slot.value) for slot in targets)):
                base = at
            elif order.verb not in COMMITS:
                base = -1
        self.reading = self.reading.model_copy(update={"orders": tuple(orders)})

    def _form_at(self, value: Value) -> bool:
        return isinstance(value, Of) and not value.fields and self._app_called(value.thing) is not None

    def _join_commits(self) -> None:
        """ "..., and submit it", "... but do not send it": belongs to the order that fills the form."""
        for at, order in enumerate(self.reading.orders):
            thing = order.object
            back = thing.back.to if thing is not None and thing.back is not None else at - 1
            while back in self._merged and back > 0:
                back -= 1
            before = self.reading.orders[back].object if back >= 0 else None
            same = thing is not None and (thing.kind == "form" or (before is not None and thing.kind == before.kind))
            plain = thing is not None and thing.name is None and not thing.tests and (order.negated or same)
            bare = thing is None or thing.back is not None or plain
            if order.verb not in COMMITS or order.slots or not bare or not 0 <= back < at:
                continue
            if self.reading.orders[back].verb in LOOKS:
                continue
            if order.condition != self.reading.orders[back].condition:
                if order.negated:
                    raise Refusal(f'"{self._said(order.spans)}": it is not known beforehand when that holds')
                continue
            if order.negated:
                self._forbidden.setdefault(back, set()).add(order.verb)
            else:
                self._commits[back] = order.verb
                self._merged.add(at)
                self._subjects[at] = Subject(phrase=self._said(self.reading.orders[back].spans))

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
                raise _NotKnownYet
            tables.append(table)
        return tables

    # --- words ------------------------------------------------------------------------------------------------------

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
        return self._said(thing.spans) or " ".join(part for part in (thing.kind, name) if part) or "it"

    def _name(self, wanted: str, key: str) -> str:
        """A fact's name that nothing else has."""
        wanted = wanted[:60].strip()
        taken = {name for other, name in self._names.items() if other != key}
        number, name = 1, wanted
        while name.casefold() in {one.casefold() for one in taken}:
            number += 1
            name = f"{wanted} ({number})"
        self._names[key] = name
        return name

    # --- records ----------------------------------------------------------------------------------------------------

    def card(self, app: str) -> AppCard:
        return next(card for card in self.cards if card.app == app)

    def kind(self, records: Records) -> KindCard:
        return next(kind for kind in self.card(records.app).kinds if kind.kind == records.kind)

    def _candidates(self, thing: Thing, fields: Sequence[str]) -> list[Records]:
        order = self.reading.orders[self._at]
        verb = ""
        if order.object is not None and thing.name == order.object.name and thing.kind == order.object.kind:
            verb = order.verb if order.verb not in {*LOOKS, "set", "move", "postpone"} else ""
            asked = [slot.field for slot in order.slots if slot.field and order.verb == "set"]
            if order.verb in {"add", "put", "remove"}:
                lists = [slot.value.thing for slot in order.slots if isinstance(slot.value, Of)]
                asked = [one.kind for one in lists if one.kind and one.name]
            moved = any(isinstance(slot.value, When) for slot in order.slots) and order.verb in {"move", "postpone"}
            fields = fields or asked or (["start time"] if moved else [])
        if thing.kind == "person" and not self._maybe("person"):
            holders = [kind.kind for card in self.cards for kind in card.kinds if self._holds_people(kind)]
            at = thing.place if thing.place is not None and thing.place.kind not in holders else None
            thing = thing.model_copy(update={"kind": holders[0], "place": at}) if len(holders) == 1 else thing
        if any(isinstance(test.value, Of) and test.value.thing.also for test in thing.tests):
            raise Refusal(f'"{self.phrase(thing)}" is not understood: it is several at once')
        cards, place = self.cards, thing.place
        home = self._app_called(place) if place is not None and not place.tests else None
        if home is not None or (place is not None and place.kind in DEVICES and not place.tests):
            thing, cards = thing.model_copy(update={"place": None}), [home] if home else cards
        try:
            found = list(to_records(thing, cards, self.words, fields=fields, verb=verb))
        except Ungrounded as no:
            raise Refusal(str(no)) from None
        found = [one for one in found if all(test.label for test in one.tests)] or found
        for test in thing.tests:
            if isinstance(test.value, Text) and not test.value.quoted and not test.field and test.value.text.islower():
                loose = RowTest(value=escaped(test.value.text), negated=test.negated)
                if test.relation == "is" and all(loose in one.tests for one in found):
                    there = " or ".join(sorted({one.kind for one in found}))
                    raise Refusal(f'"{test.value.text}" is not known of a {there}')
        known = self._homes.get((thing.kind, thing.name.text if thing.name else ""))
        return [one for one in found if (one.app, one.kind) == known] or found

    def _base(self, thing: Thing, fields: Sequence[str] = ()) -> Records:
        """The records that are meant, in the one application that holds them; where several may, each is looked into."""
        if thing.back is not None:
            return self._narrowed(thing)
        found = self._candidates(thing, fields)
        name = (thing.kind, thing.name.text if thing.name else "")
        if len(found) == 1:
            self._homes[name] = (found[0].app, found[0].kind)
            return found[0]
        phrase = self.phrase(thing)
        names = []
        for one in found:
            looked = one.model_copy(update={"exactly": 0, "pick": None})
            names.append(self._collected(looked, f"{phrase} in {self.card(one.app).title}", ()))
        hits = [one for one, table in zip(found, self._need(*names), strict=True) if table.rows]
        apps = [self.card(one.app).title for one in found]
        if not hits:
            raise Refusal(f'"{phrase}" was not found in {", ".join(apps)}')
        if len(hits) > 1:
            held = " and ".join(self.card(one.app).title for one in hits)
            raise Refusal(f'"{phrase}" may be meant in {held}; say which', ask=True)
        self._homes[name] = (hits[0].app, hits[0].kind)
        return hits[0]

    def _narrowed(self, thing: Thing) -> Records:
        """What was spoken of before, with more tests."""
        assert thing.back is not None  # noqa: S101 - for mypy; only called with one
        subject = self._subjects.get(thing.back.to, Subject())
        if not subject.rows:
            raise Refusal(f'"{self._said(thing.spans) or "it"}" points back at nothing that can be worked on')
        base = subject.rows[0].records
        if len(subject.rows) > 1:
            raise Refusal(f'"{self._said(thing.spans)}" may be any of {len(subject.rows)} records')
        if not thing.tests and thing.pick is None and not thing.but:
            return base
        bare = thing.model_copy(update={"back": None, "kind": base.kind, "name": None, "place": None})
        try:
            more = to_records(bare, [self.card(base.app)], self.words)[0]
        except Ungrounded as no:
            raise Refusal(str(no)) from None
        news = {"tests": (*base.tests, *more.tests), "pick": more.pick or base.pick, "but": (*base.but, *more.but)}
        return base.model_copy(update={**news, "exactly": more.exactly})

    def one(self, thing: Thing, fields: Sequence[str] = ()) -> Records:
        """The single record that is meant."""
        if self._row is not None and self._is_row(thing):
            return self._row.records
        if thing.back is not None and not thing.tests and thing.pick is None:
            rows = self._subjects.get(thing.back.to, Subject()).rows
            if len(rows) == 1:
                return rows[0].records
        if thing.pick is None and not is_many(thing):
            return self._base(thing, fields).model_copy(update={"exactly": 1})
        rows_ = self.rows(thing)
        if len(rows_) != 1:
            raise Refusal(f'"{self.phrase(thing)}" should be one, and there are {self._list(rows_)}', ask=True)
        return rows_[0].records

    def _is_row(self, thing: Thing) -> bool:
        """Whether "it" of a repetition is meant: the record that this turn is for."""
        plain = thing.name is None and not thing.tests and thing.pick is None and thing.quantity == "one"
        back = thing.back is not None and thing.back.to == self._at
        same = self._row is not None and thing.back is None and thing.kind in {"", self._row.records.kind}
        return plain and (back or same)

    def rows(self, thing: Thing, fields: Sequence[str] = ()) -> list[Row]:
        """Every record that is meant, found by a collecting look."""
        parts = each_of(thing)
        found = [row for part in parts for row in self._rows_of(part, fields)]
        unique = {row.records.model_dump_json(): row for row in found}
        return list(unique.values())

    def _rows_of(self, thing: Thing, fields: Sequence[str]) -> list[Row]:
        if thing.back is not None and not thing.tests and thing.pick is None and not thing.but:
            subject = self._subjects.get(thing.back.to, Subject())
            if thing.quantity == "number" and len(subject.rows) not in {0, thing.number}:
                there = self._list(subject.rows)
                raise Refusal(f'"{self._said(thing.spans)}" should be {thing.number}, and there is {there}', ask=True)
            labels = [self._label(field, subject.rows[0].records) for field in fields] if subject.rows else []
            if subject.rows and all(set(labels) <= set(row.cells) for row in subject.rows):
                return list(subject.rows)
        if thing.back is not None and (kept := self._kept(thing, fields)) is not None:
            return kept
        single = not is_many(thing) and thing.pick is None and thing.quantity == "one"
        if single and not fields:
            return [Row(self.one(thing))]
        base = self._base(thing, fields)
        kind = self.kind(base)
        wanted = base if base.pick is not None and not single else base.model_copy(update={"exactly": 0})
        labels = [self._label(field, base) for field in fields]
        shown = {field.label for field in kind.fields if field.listed}
        (table,) = self._need(self._collected(wanted, self.phrase(thing), [] if set(labels) <= shown else labels))
        if not set(labels) <= set(table.columns):
            (table,) = self._need(self._collected(wanted, self.phrase(thing), labels))
        self._check_number(thing, table, base, single=single)
        keys = [field.label for field in kind.fields if field.key and field.label in table.columns] or list(table.columns[:1])
        return [self._row_of(base, table, row, keys) for row in table.rows]

    def _kept(self, thing: Thing, fields: Sequence[str]) -> list[Row] | None:
        """Of what was spoken of before those that pass more tests, by what is known of them; None where that does not tell."""
        rows = self._subjects.get(thing.back.to, Subject()).rows if thing.back is not None else ()
        if len(rows) < 2 or thing.pick is not None or any(not row.cells for row in rows) or fields:
            return None
        bare = thing.model_copy(update={"back": None, "kind": rows[0].records.kind, "name": None, "place": None, "also": ()})
        try:
            more = to_records(bare, [self.card(rows[0].records.app)], self.words)[0]
        except Ungrounded as no:
            raise Refusal(str(no)) from None
        seen = [SeenRow(" ".join(row.cells.values()), "", tuple(row.cells.items())) for row in rows]
        verdicts = [[matches(row, more.tests), *(matches(row, but) for but in more.but)] for row in seen]
        if any(None in verdict for verdict in verdicts):
            return None
        return [row for row, (fits, *out) in zip(rows, verdicts, strict=True) if fits and not any(out)]

    def _check_number(self, thing: Thing, table: Table, base: Records, *, single: bool) -> None:
        """As many as the goal says, and no more than can be done."""
        said = thing.number if thing.quantity == "number" else 0
        number = 1 if single else thing.pick.number if thing.pick is not None else said
        there, where = len(table.rows), f'"{self.phrase(thing)}" in {self.card(base.app).title}'
        if there > MOST_ROWS:
            raise Refusal(f"{where} are {there}; at most {MOST_ROWS} are worked at once")
        if number and there != number:
            told = ", ".join(row[0] for row in table.rows[:6]) or "none"
            raise Refusal(f"{where} should be {number}, and there is {told}", ask=bool(there))

    def _row_of(self, base: Records, table: Table, cells: Sequence[str], keys: Sequence[str]) -> Row:
        """The record of a row of a table: by its key and what else stays as it is, since others may have the same key."""
        known = dict(zip(table.columns, cells, strict=True))
        kind, filled = self.kind(base), [label for label in known if known[label]]
        lasting = {field.label for field in kind.fields if field.type in LASTING and not field.options}
        own = [test for test in base.tests if not test.label or test.label in lasting]
        alike = [row for row in table.rows if all(row[table.columns.index(key)] == known[key] for key in keys)]
        more = len(alike) > 1 or base.pick is not None or len(own) < len(base.tests)  # else no other one has its name and these
        columns = [label for label in filled if label in keys or (more and label in lasting)] or filled
        tests = (*(RowTest(label=column, value=escaped(known[column])) for column in columns), *([] if more else own))
        return Row(Records(app=base.app, kind=base.kind, place=base.place, tests=tests), known)

    def _collected(self, records: Records, phrase: str, labels: Sequence[str]) -> str:
        """The name of the table fact that a collecting look will bring."""
        kind = self.kind(records)
        keys = [field.label for field in kind.fields if field.key and field.listed] or [f.label for f in kind.fields if f.key]
        columns = tuple(dict.fromkeys([*keys, *labels])) if labels else ()  # of none in particular: those that the list shows
        key = f"{records.model_dump_json()} {columns}"
        known = key in self._names
        name = self._name(phrase, key)
        if not known:
            self._add(CollectStep(records=records, labels=columns, name=name))
        return name

    def _label(self, field: str, records: Records) -> str:
        kind = self.kind(records)
        found = ground_field(field, kind)
        keys = [one for one in kind.fields if one.key and one.listed]
        if found is None and field in {"number", "name", "title"} and len(keys) == 1:
            found = keys[0]  # what it is called by
        if found is None:
            there = ", ".join(one.label for one in kind.fields) or "none"
            raise Refusal(f'"{field}": a {kind.kind} in {self.card(records.app).title} has no such field; fields are {there}')
        return found.label

    def _list(self, rows: Sequence[Row]) -> str:
        return ", ".join(next(iter(row.cells.values()), "") or row.records.kind for row in rows[:6]) or "none"

    # --- conditions -------------------------------------------------------------------------------------------------

    def _holds(self, condition: Condition) -> bool:
        """Whether it holds, once what it asks is known."""
        thing = condition.thing
        if not condition.tests:
            return bool(self._looked(thing)) != condition.negated
        asked = thing.model_copy(update={"tests": (*thing.tests, *condition.tests)})
        if thing.back is None:
            self._base(asked)
        there = self._looked(thing)
        if not there:
            raise Refusal(f'"{self.phrase(thing)}" was not found, so that its condition cannot be told')
        if thing.quantity == "one" and thing.pick is None and len(there) > 1:
            raise Refusal(f'"{self.phrase(thing)}" may be any of {self._list(there)}', ask=True)
        met = self._met(condition, thing, there)
        met = self._looked(asked) if met is None else met
        holds = len(met) == len(there) if thing.quantity in {"all", "number"} else bool(met)
        return holds != condition.negated

    def _met(self, condition: Condition, thing: Thing, there: Sequence[Row]) -> list[Row] | None:
        """Those for which it holds, by what is known of them; None where that does not tell."""
        first = there[0].records
        bare = Thing(kind=first.kind, tests=condition.tests)
        try:
            tests = to_records(bare, [self.card(first.app)], self.words)[0].tests
        except Ungrounded as no:
            raise Refusal(str(no)) from None
        cells = [SeenRow(" ".join(row.cells.values()), "", tuple(row.cells.items())) for row in there]
        verdicts = [matches(row, tests) if row.cells and not any("{" in t.value for t in tests) else None for row in cells]
        return None if None in verdicts else [row for row, holds in zip(there, verdicts, strict=True) if holds]

    def _looked(self, thing: Thing) -> list[Row]:
        """What there is of it: none is an answer, too."""
        asked = thing.model_copy(update={"quantity": "all", "number": 0}) if thing.pick is None else thing
        return self.rows(asked)

    # --- values -----------------------------------------------------------------------------------------------------

    def words(self, value: Value, field: FieldCard | None = None) -> str:
        """A value as a step holds it; what it needs is learned before."""
        match value:
            case Text():
                return escaped(value.text)
            case Amount():
                return escaped(amount_text(value, field))
            case When():
                return escaped(when_text(value, field))
            case Of():
                return self._of(value)
            case Worked():
                return self._worked(value)
            case Back():
                return self._back(value)

    def _of(self, value: Of) -> str:
        name = value.thing.name
        if name is not None and name.quoted and not value.fields and not self._maybe(value.thing.kind):
            return escaped(name.text)  # the line "...", the words "..."
        back = value.thing.back
        if back is not None and (back.to != self._at or self._row is None) and not value.thing.tests:
            subject = self._subjects.get(back.to, Subject())
            facts = subject.facts
            if len(facts) == 1 and not subject.rows and set(value.fields) <= RESULTS:
                return "{" + facts[0] + "}"
            known = [self._fact_said(field) for field in value.fields]
            if known and all(known):
                return " ".join(one for one in known if one)
        if is_many(value.thing):
            rows = self.rows(value.thing, value.fields)
            if not rows and self.reading.orders[self._at].verb != "answer":
                raise Refusal(f'there is no "{self.phrase(value.thing)}"')
            lines = [" ".join(self._cells(row, value.fields)) for row in rows]
            return escaped(("\n" if len(value.fields) > 1 else ", ").join(lines))
        if self._row is not None and self._is_row(value.thing):
            labels = [self._label(field, self._row.records) for field in value.fields]
            if all(label in self._row.cells for label in labels):
                return escaped(" ".join(self._cells(self._row, value.fields)))
        return " ".join("{" + name + "}" for name in self.read(value))

    def _fact_said(self, field: str) -> str | None:
        """The one fact that earlier orders found out under this name, or one that means the same."""
        names = [name for at, one in self._subjects.items() if at < self._at for name in one.facts]
        called = [(name.partition(" of ")[0], (name,), self._types.get(name, "text")) for name in names]
        fields = tuple(FieldCard(label=label, words=words, type=kind_of) for label, words, kind_of in called)
        probe = KindCard(kind="fact", fields=fields)
        found = ground_field(field, probe) if field else None
        return "{" + found.words[0] + "}" if found is not None else None

    def _cells(self, row: Row, fields: Sequence[str]) -> list[str]:
        if not fields:
            return [next(iter(row.cells.values()), "")]
        return [row.cells[self._label(field, row.records)] for field in fields]

    def read(self, value: Of) -> list[str]:
        """Names of the facts that fields of one record are."""
        records = self.one(value.thing, value.fields)
        kind = self.kind(records)
        keys = [field.label for field in kind.fields if field.key][:1]
        labels = [self._label(field, records) for field in value.fields] or keys
        phrase = self.phrase(value.thing)
        names, missing = [], []
        for label in labels:
            key = f"{records.model_dump_json()} {label}"
            known = key in self._names
            names.append(self._name(f"{label.lower()} of {phrase}", key))
            self._types[names[-1]] = next(field.type for field in kind.fields if field.label == label)
            if not known:
                missing.append((label, names[-1]))
        if missing:
            at, of = zip(*missing, strict=True)
            self._add(ReadStep(app=records.app, records=records, labels=at, names=of))
        return names

    def _back(self, value: Back) -> str:
        subject = self._subjects.get(value.to, Subject())
        if value.to == self._at and self._row is not None:
            return escaped(" ".join(self._cells(self._row, (value.field,) if value.field else ())))
        if subject.facts and (not value.field or (len(subject.facts) == 1 and value.field in RESULTS)):
            return " ".join("{" + name + "}" for name in subject.facts)
        if (known := self._fact_said(value.field)) is not None:
            return known
        if not subject.rows or (not value.field and self.reading.orders[self._at].verb != "answer"):
            raise Refusal(f'"{self._said(value.spans)}" points back at nothing whose words are known')
        thing = Thing(back=Back(to=value.to), spans=value.spans, quantity="all" if len(subject.rows) > 1 else "one")
        return self._of(Of(fields=(value.field,) if value.field else (), thing=thing))

    def _worked(self, value: Worked) -> str:
        """What is worked out, as a fact; lists are joined here."""
        many = [of for of in value.of if isinstance(of, Of) and is_many(of.thing)]
        if value.how in {"list", "joined"}:
            return (", " if value.how == "list" else "\n").join(self.words(of) for of in value.of)
        if value.how == "count" and len(value.of) == 1 and isinstance(value.of[0], Of):
            of = value.of[0]
            many = [of.model_copy(update={"thing": of.thing.model_copy(update={"quantity": "all", "number": 0})})]
        if many and len(value.of) == 1:
            parts = each_of(many[0].thing)
            if len(parts) > 1 and value.how not in {"sum", "count"}:
                raise Refusal(f'"{self._said(value.spans)}": a {value.how} over several kinds at once is not understood')
            tables = [self._over_table(value.how, many[0].model_copy(update={"thing": one})) for one in parts]
            formula = tables[0] if len(tables) == 1 else " + ".join(f"({one})" for one in tables)
        else:
            formula = self._over_values(value.how, [self._operand(of) for of in value.of])
        name = self._name(self._said(value.spans) or f"{value.how} {self._at + 1}", f"{self._at} {formula}")
        self._add(ComputeStep(formula=formula, name=name))
        return "{" + name + "}"

    def _over_table(self, how: str, of: Of) -> str:
        field = of.fields[:1]
        base = self._base(of.thing.model_copy(update={"also": ()}), field)
        wanted = base if base.pick is not None else base.model_copy(update={"exactly": 0})
        name = self._collected(wanted, self.phrase(of.thing), [self._label(one, base) for one in field])
        if how == "count":
            return f"fact {_string(name)} | count"
        if not field:
            raise Refusal(f'"{self.phrase(of.thing)}": it is not said of which field the {how} is meant')
        word = {"largest": "maximum", "smallest": "minimum"}.get(how, how)
        return f"fact {_string(name)} | {word} [{self._label(field[0], base)}]"

    def _over_values(self, how: str, parts: Sequence[str]) -> str:
        match how:
            case "sum":
                return " + ".join(parts)
            case "average":
                return f"({' + '.join(parts)}) / {len(parts)}"
            case "largest" | "smallest":
                word = "larger" if how == "largest" else "smaller"
                return f"{word}({', '.join(parts)})"
            case "days_between" if len(parts) == 2:
                return f"days({parts[0]}, {parts[1]})"
            case "difference" if len(parts) == 2:
                return f"larger({parts[0]}, {parts[1]}) - smaller({parts[0]}, {parts[1]})"
        raise Refusal(f"a {how} of {len(parts)} values is not understood")

    def _operand(self, value: Value) -> str:
        match value:
            case Amount(number=number):
                return f"{number:g}"
            case When(first=first) if first:
                return f"date {_string(first[:10])}"
        said = self.words(value)
        if said.startswith("{") and said.endswith("}") and said.count("{") == 1:
            return f"fact {_string(said[1:-1])}"
        raise Refusal(f'"{said}" is no value to calculate with')

    # --- orders -----------------------------------------------------------------------------------------------------

    def _work_whole(self, order: Order) -> None:
        """The order, of which no part may be passed over."""
        self._taken = []
        self._work(order)
        for slot in order.slots:
            if slot not in self._taken and not self._names_app(slot.value):
                raise Refusal(f'"{self._said(slot.spans)}": it is not understood what that is to "{order.said or order.verb}"')

    def _take(self, *slots: Slot) -> None:
        self._taken += slots

    def _work(self, order: Order) -> None:
        """The steps of one order."""
        plain = {"answer": self._answer, "wait": self._wait, "wait_time": self._wait, "keep": lambda _: None}
        if self._offered(order):
            raise Refusal(f'"{self._said(order.spans)}": is it to be looked at, or is "{order.said}" to be pressed?', ask=True)
        if work := self._look if order.verb in LOOKS else plain.get(order.verb):
            return work(order)
        if per := next((slot for slot in order.slots if slot.role == "per"), None):
            return self._for_each(order, per)
        if order.verb == "reply" and order.object is None:
            order = self._reply(order)
        if order.verb == "send" or (order.verb == "reply" and order.object is None):
            return self._message(order)
        some = order.object is not None and order.object.quantity == "any" and not any(s.role == "into" for s in order.slots)
        if order.object is not None and (order.object.new or order.verb in MAKES or (order.verb == "add" and some)):
            return self._make(order, order.object)
        if not self._can(order):
            raise Refusal(f'no application can "{order.said or order.verb}"')
        if self._member(order):
            return None
        if order.verb in WRITES:
            return self._write(order)
        return self._do(order)

    def _offered(self, order: Order) -> bool:
        """Whether an application has a control of these very words: "Inspect" may be a deed there, and not only a look."""
        if order.verb != "check" or order.object is None:
            return False
        verbs = [verb for card in self.cards for kind in card.kinds for verb in (*kind.verbs, *card.verbs)]
        return any(verb.control.casefold() == order.said.casefold() for verb in verbs)

    def _can(self, order: Order) -> bool:
        """Whether there is a control, a field or a form for such a verb anywhere: else nothing is looked for first."""
        if order.verb in {*WRITES, *SWITCHES, "set", "move", "rename", "postpone", "invite", "remove"} or self._derived(order):
            return True
        said = order.said or order.verb
        kinds = [(card, kind) for card in self.cards for kind in (*card.kinds, None)]
        return any(ground_verb(order.verb, said, card, kind) for card, kind in kinds)

    def _for_each(self, order: Order, per: Slot) -> None:
        """Once for each record of "for every ...", with "its" being that record."""
        if not isinstance(per.value, Of):
            raise Refusal(f'"{self._said(per.spans)}" is not understood as what it is to be done for')
        self._take(per)
        once = order.model_copy(update={"slots": tuple(slot for slot in order.slots if slot is not per)})
        wanted = tuple(dict.fromkeys(f for slot in once.slots if isinstance(slot.value, Of) for f in slot.value.fields))
        rows = self.rows(per.value.thing, wanted)
        for row in rows:
            self._row = row
            self._work(once)
        self._row = None
        self._subjects[self._at] = Subject(tuple(rows), phrase=self.phrase(per.value.thing))

    def _look(self, order: Order) -> None:
        thing, told = order.object, self._values(order)
        if told and thing is not None:
            raise Refusal(f'"{self._said(order.spans)}" says two things at once')
        if told:
            facts = tuple(name for value in told for name in self._facts_of(value))
            self._subjects[self._at] = Subject(self._rows_told(told), facts, self._said(order.spans))
            return
        if thing is None:
            raise Refusal(f'"{self._said(order.spans)}" does not say what')
        if order.verb == "open" and (app := self._app_called(thing)):
            self._app = app.app
            self._add(OpenStep(app=app.app))
            return
        if is_many(thing):
            rows = self.rows(thing)
            self._subjects[self._at] = Subject(tuple(rows), phrase=self.phrase(thing))
            return
        records = self._touched(self.one(thing))
        self._add(FindStep(records=records))
        self._subjects[self._at] = Subject((Row(records),), phrase=self.phrase(thing))

    def _facts_of(self, value: Value) -> list[str]:
        said = self.words(value)
        return [part.split("}")[0] for part in said.replace("{{", "").split("{")[1:]]

    def _rows_told(self, values: Sequence[Value]) -> tuple[Row, ...]:
        """The records that were looked at for these values."""
        for value in values:
            if isinstance(value, Of) and value.thing.back is None:
                many = is_many(value.thing)
                return tuple(self.rows(value.thing, value.fields)) if many else (Row(self.one(value.thing, value.fields)),)
        return ()

    def _answer(self, order: Order) -> None:
        values = self._values(order)
        if values and order.object is not None:
            raise Refusal(f'"{self._said(order.spans)}" says two things at once')
        if not values and order.object is not None:
            values = [Of(thing=order.object, spans=order.object.spans)]
        if not values:
            raise Refusal(f'"{self._said(order.spans)}" does not say what is to be told')
        if order.said.casefold() == "add up":
            values = [Worked(how="sum", of=tuple(values), spans=order.spans)]
        elif order.said.casefold() == "count" and len(values) == 1:
            values = [Worked(how="count", of=tuple(values), spans=order.spans)]
        said = [self.words(value) for value in values]
        facts = tuple(part.split("}")[0] for one in said for part in one.replace("{{", "").split("{")[1:])
        self._subjects[self._at] = Subject(self._rows_told(values), facts, self._said(order.spans))
        self._add(AnswerStep(value=", ".join(said) if any(said) else "none"))

    def _wait(self, order: Order) -> None:
        lengths = [slot for slot in order.slots if isinstance(slot.value, When) and slot.value.minutes]
        self._take(*lengths[:1])
        minutes = next((slot.value.minutes for slot in lengths if isinstance(slot.value, When)), 0)
        if order.object is None:
            self._add(WaitStep(app=self._app or self.cards[0].app, seconds=minutes * 60.0 or 60.0))
            return
        records = self._touched(self.one(order.object))
        self._add(WaitStep(app=records.app, records=records))

    def _message_kind(self, order: Order, thing: Thing | None) -> tuple[AppCard, KindCard]:
        """The kind of message that is to be sent, in the one application that sends such."""
        kinds = [(card, kind) for card in self._cards_for(order) for kind in card.kinds if self._sends(kind)]
        noun = thing.kind if thing is not None and thing.back is None else ""
        if thing is not None and noun and (thing.tests or thing.pick or not (thing.new or thing.quantity == "any")):
            raise Refusal(f'"{self._said(order.spans)}": what is there already cannot be sent so; forwarding it may be meant')
        if noun:
            wanted = {(card.app, kind.kind) for card, kind in self._kinds(noun)}
            kinds = [one for one in kinds if (one[0].app, one[1].kind) in wanted]
        elif order.said.casefold() in {"mail", "e-mail", "email"}:
            kinds = [one for one in kinds if any(field.type == "people" and field.written for field in one[1].fields)]
        if len(kinds) > 1:
            apps = " or ".join(card.title for card, _ in kinds)
            raise Refusal(f'"{self._said(order.spans)}" does not say by which application: {apps}', ask=True)
        if not kinds:
            raise Refusal(f'"{self._said(order.spans)}": no application sends such a message')
        return kinds[0]

    def _message(self, order: Order) -> None:
        """A new message to each of those who are named."""
        said = [slot for slot in order.slots if slot.role == "value" and not isinstance(slot.value, Of | Worked | Back)]
        thing = order.object
        if thing is not None and not any(self._sends(kind) for _, kind in self._maybe("" if thing.back else thing.kind)):
            return self._message(self._telling(order, thing))
        card, kind = self._message_kind(order, thing)
        people = [slot.value for slot in order.slots if slot.role == "to"]
        if not people:
            raise Refusal(f'"{self._said(order.spans)}" does not say to whom')
        self._take(*said, *(slot for slot in order.slots if slot.role == "to"))
        rest = [slot for slot in order.slots if slot.role != "to" and slot not in said]
        rest += [Slot(role="called", value=thing.name, spans=thing.spans)] if thing is not None and thing.name is not None else []
        entries = self._entries(card, kind, [*rest, *(slot.model_copy(update={"role": "saying"}) for slot in said)])
        if not entries:
            raise Refusal(f'"{self._said(order.spans)}" does not say what is to be written')
        to = ground_field("to", kind, True)
        commit = self._commit(order, kind, "send")
        if to is not None and to.type in {"people", "list"}:
            who = ", ".join(self._address(one) for one in people)
            entries = [Entry(label=to.label, value=who), *entries]
            self._made(card, kind, "", entries, commit)
            return
        for one in people:
            for name in self._people(one):
                self._made(card, kind, name, entries, commit)

    def _telling(self, order: Order, thing: Thing) -> Order:
        """The order to send a record, as one to send what is said of it."""
        own = [s for s in order.slots if s.role == "with" and not s.field and isinstance(s.value, Of) and s.value.thing.back]
        fields = own[0].value.fields if own and isinstance(own[0].value, Of) else ()
        self._take(*own[:1])
        if not fields and not (thing.back is not None and self._subjects.get(thing.back.to, Subject()).facts):
            raise Refusal(f'"{self._said(order.spans)}" does not say what of "{self.phrase(thing)}" is to be sent')
        value = Of(fields=fields, thing=thing, spans=thing.spans) if thing.back is None else thing.back
        rest = tuple(slot for slot in order.slots if slot not in own[:1])
        return order.model_copy(update={"object": None, "slots": (*rest, Slot(role="saying", value=value, spans=thing.spans))})

    def _reply(self, order: Order) -> Order:
        """An answer to a message has the message as its object."""
        to = next((slot for slot in order.slots if slot.role == "to" and isinstance(slot.value, Of | Back)), None)
        if to is None or (isinstance(to.value, Of) and (to.value.fields or not to.value.thing.kind)):
            return order
        thing = Thing(back=to.value, spans=to.spans) if isinstance(to.value, Back) else to.value.thing  # type: ignore[union-attr]
        self._take(to)
        return order.model_copy(update={"object": thing, "slots": tuple(slot for slot in order.slots if slot is not to)})

    def _sends(self, kind: KindCard) -> bool:
        return kind.create is not None and any(verb.at == "form" and verb.effect == "send" for verb in kind.verbs)

    def _people(self, value: Value) -> list[str]:
        """Names, for an application that knows people by them."""
        if isinstance(value, Of) and not value.fields:
            thing = value.thing
            if thing.name is not None and not thing.tests and thing.quantity == "one":
                return [escaped(thing.name.text), *(name for more in thing.also for name in self._people(Of(thing=more)))]
            return [escaped(next(iter(row.cells.values()))) for row in self.rows(thing)]
        return [self.words(value)]

    def _address(self, value: Value) -> str:
        """Where a mail to somebody goes: what stands in the application that holds people."""
        if isinstance(value, Text) and "@" not in value.text:
            value = Of(thing=Thing(name=value, spans=value.spans), spans=value.spans)
        if isinstance(value, Of) and not value.fields:
            homes = [(card, kind) for card in self.cards for kind in card.kinds if self._holds_people(kind)]
            if not homes:
                raise Refusal(f'the address of "{self._said(value.spans)}" is not said, and no application holds addresses')
            kind = homes[0][1]
            field = next(f for f in kind.fields if f.type == "people" and not f.key)
            things = [value.thing.model_copy(update={"also": ()}), *value.thing.also]
            known = [thing if thing.kind else thing.model_copy(update={"kind": kind.kind}) for thing in things]
            return ", ".join(self._of(Of(fields=(field.label,), thing=thing)) for thing in known)
        return self.words(value)

    def _holds_people(self, kind: KindCard) -> bool:
        """Whether its records are people: a name is their key, and an address stands beside it."""
        keys = [field for field in kind.fields if field.key]
        return len(keys) == 1 and keys[0].type == "text" and not self._sends(kind) and any(
            field.type == "people" and field.listed and not field.key for field in kind.fields
        )  # fmt: skip

    def _make(self, order: Order, thing: Thing) -> None:
        """A new record, or one for each of several that are named."""
        things = (thing.model_copy(update={"also": ()}), *thing.also)
        places = self._cards_for(order, thing)
        for one in things:
            kinds = [pair for pair in self._kinds(one.kind or thing.kind, places) if pair[1].create is not None]
            if len(kinds) != 1:
                there = " and ".join(card.title for card, _ in kinds)
                why = f"may be made in {there}; say where" if kinds else "cannot be made in any application"
                raise Refusal(f'a new "{one.kind or thing.kind}" {why}', ask=bool(kinds))
            if self._sends(kinds[0][1]):
                self._message(order.model_copy(update={"object": one}))
            else:
                self._make_one(order, one, *kinds[0])

    def _make_one(self, order: Order, one: Thing, card: AppCard, kind: KindCard) -> None:
        ways = [verb for verb in (kind.create, *kind.verbs) if verb is not None and verb.verb == "create" and verb.at != "record"]
        way = next((verb for verb in ways if one.kind in verb.control.casefold().split()), kind.create)
        asks = tuple(field.model_copy(update={"written": True}) for field in way.asks) if way is not None else ()
        kind = kind.model_copy(update={"fields": (*asks, *kind.fields)})
        key = next((field for field in (*asks, *kind.fields) if (field.key or field in asks) and field.written), None)
        named = [Slot(role="called", value=one.name, spans=one.spans)] if one.name is not None else []
        for test in one.tests:  # "a claim over 48.20": what it is to hold
            if test.negated or test.relation not in {"is", "over", "about", "with"}:
                raise Refusal(f'"{self._said(test.spans)}" is not understood of something new')
            role: Literal["value", "about", "with"] = {"about": "about", "with": "with"}.get(test.relation, "value")  # type: ignore[assignment]
            named.append(Slot(role=role, field=test.field, value=test.value, spans=test.spans))
        if one.pick is not None or one.but or one.quantity in {"all", "number"}:
            raise Refusal(f'"{self._said(one.spans)}" is not understood as something new')
        slots = [slot for slot in order.slots if not (slot.role == "into" and self._is_place(slot.value))]
        into = [slot.value for slot in order.slots if slot not in slots and not self._names_app(slot.value)]
        self._take(*(slot for slot in order.slots if slot not in slots and len(into) == 1))
        things = [Thing(name=value) if isinstance(value, Text) else value.thing for value in into if isinstance(value, Text | Of)]
        places = [*things, *([one.place] if one.place is not None and self._app_called(one.place) is None else [])]
        place = next((escaped(place.name.text if place.name else place.kind) for place in places), "")
        entries = self._entries(card, kind, [*named, *slots], key=key)
        self._made(card, kind, place, entries, self._commit(order, kind, "save"))

    def _is_place(self, value: Value) -> bool:
        return isinstance(value, Of | Text) and not (isinstance(value, Of) and value.fields)

    def _names_app(self, value: Value) -> bool:
        thing = value.thing if isinstance(value, Of) else Thing(name=value) if isinstance(value, Text) else None
        return thing is not None and self._app_called(thing) is not None

    def _made(self, card: AppCard, kind: KindCard, place: str, entries: Sequence[Entry], commit: str) -> None:
        self._app = card.app
        self._add(CreateStep(app=card.app, kind=kind.kind, place=place, entries=tuple(entries), commit=commit))
        keys = {field.label for field in kind.fields if field.key}
        tests = tuple(RowTest(label=entry.label, value=entry.value) for entry in entries if entry.label in keys)
        row = Row(Records(app=card.app, kind=kind.kind, place=place, tests=tests), {e.label: e.value for e in entries})
        before = self._subjects.get(self._at, Subject())
        self._subjects[self._at] = Subject((*before.rows, row), phrase=self._said(self.reading.orders[self._at].spans))

    def _write(self, order: Order) -> None:
        """Values into a record: a new one, or at the end of the text of one that is there."""
        told, thing = self._values(order), order.object
        target = next((slot for slot in order.slots if slot.role in {"into", "to"} and isinstance(slot.value, Of | Back)), None)
        target = target or next((slot for slot in order.slots if slot.role == "at" and self._form_at(slot.value)), None)
        into = target.value if target is not None else None
        goal = into.thing if isinstance(into, Of) else Thing(back=into) if isinstance(into, Back) else None
        if told and thing is not None:
            raise Refusal(f'"{self._said(order.spans)}" says two things at once')
        if thing is not None:
            if order.verb in {"add", "put", "copy"} and thing.back is None and not (thing.name and not self._maybe(thing.kind)):
                return self._do(order if order.verb != "put" or goal is None else order.model_copy(update={"verb": "move"}))
            told = [thing.back if thing.back is not None and not thing.tests else Of(thing=thing, spans=thing.spans)]
        if goal is None or target is None or not (told or any(slot.role == "value" for slot in order.slots)):
            raise Refusal(f'"{self._said(order.spans)}" does not say {"what" if goal else "where it"} is to be written')
        self._take(target)
        return self._written(order, told, target, goal)

    def _written(self, order: Order, told: Sequence[Value], target: Slot, goal: Thing) -> None:
        rest = tuple(slot for slot in order.slots if slot is not target and slot.role != "value")
        fielded = any(slot.role == "value" and slot.field for slot in order.slots)
        if (home := self._app_called(goal)) is not None:
            makes = [kind for kind in home.kinds if kind.create is not None]
            rest = tuple(s for s in order.slots if s is not target and (s.role != "value" or s.field) and s.role != "as")
            if not makes or len(told) > 1 or not (told or any(slot.field for slot in rest)):
                raise Refusal(f'"{self._said(order.spans)}": it is not understood what is to be made in {home.title}')
            made = order.model_copy(update={"slots": (*self._named_values(order, told), *rest)})
            return self._make_one(made, Thing(kind=makes[0].kind, new=True), home, makes[0])
        if goal.new or (goal.quantity == "any" and goal.back is None):
            body = tuple(Slot(role="saying", value=value) for value in told)
            return self._make(order.model_copy(update={"slots": (*rest, *body)}), goal)
        records = self._touched(self.one(goal))
        kind = self.kind(records)
        if fielded and not told:
            return self._fill(order, records, self._entries(self.card(records.app), kind, rest + tuple(
                slot for slot in order.slots if slot.role == "value" and slot not in rest
            )))  # fmt: skip
        long = [field for field in kind.fields if field.type == "long_text" and field.written]
        if not long:
            raise Refusal(f'"{self._said(order.spans)}": a {kind.kind} in {self.card(records.app).title} takes no such text')
        where = [slot for slot in order.slots if slot.role == "at" and isinstance(slot.value, Text)]
        at = [slot.value.text for slot in where if isinstance(slot.value, Text) and slot.value.text in {"start", "end"}]
        self._take(*(slot for slot in where if at))
        mode: Literal["append", "prepend"] = "prepend" if "start" in at else "append"
        self._fill(order, records, [Entry(label=long[0].label, value="\n".join(map(self.words, told)), mode=mode)])

    def _named_values(self, order: Order, values: Sequence[Value]) -> list[Slot]:
        """What goes into a form: "it as the amount"; "the vendor and the amount", each where it is called so; else a title."""
        named = [slot for slot in order.slots if slot.role == "as" and isinstance(slot.value, Of) and len(slot.value.fields) == 1]
        if not values:
            return []
        told = values[0]
        if named and isinstance(named[0].value, Of):
            self._take(named[0])
            return [Slot(role="value", field=named[0].value.fields[0], value=told, spans=named[0].spans)]
        if isinstance(told, Of) and told.fields:
            parts = [told.model_copy(update={"fields": (field,)}) for field in told.fields]
            return [Slot(role="value", field=part.fields[0], value=part, spans=told.spans) for part in parts]
        return [Slot(role="called", value=told)]

    def _member(self, order: Order) -> bool:
        """Whether it is done by a list that is a field: "add Ann to the group Sales", "invite Ann to the meeting"."""
        slots = [slot for slot in order.slots if slot.role in {"into", "from", "to"}]
        slot = next((one for one in slots if isinstance(one.value, Of) and not one.value.fields), None)
        if slot is None or order.object is None or not isinstance(slot.value, Of):
            return False
        self._take(slot)
        other = slot.value.thing
        mode: Literal["add", "remove"] = "remove" if order.verb == "remove" else "add"
        kinds = [kind for card in self.cards for kind in card.kinds]
        if order.verb == "invite":
            records = self._touched(self.one(other, ("attendees",)))
            field = ground_field("attendees", self.kind(records), True)
            if field is None:
                return False
            entry = Entry(label=field.label, value=", ".join(self._people(Of(thing=order.object))), mode="add")
            self._fill(order, records, [entry])
            return True
        named = other.name is not None and any(ground_field(other.kind, kind, True, "list") for kind in kinds)
        if order.verb not in {"add", "put", "remove"} or not named or other.name is None:
            return False
        for row in self.rows(order.object):
            field = ground_field(other.kind, self.kind(row.records), True, "list")
            if field is None:
                return False
            self._fill(order, self._touched(row.records), [Entry(label=field.label, value=escaped(other.name.text), mode=mode)])
        return True

    def _fill(self, order: Order, records: Records, entries: Sequence[Entry]) -> None:
        self._add(
            FillStep(
                app=records.app, records=records, entries=tuple(entries), commit=self._commit(order, self.kind(records), "save")
            )
        )
        self._subjects[self._at] = Subject((Row(records),), phrase=self.phrase(order.object) if order.object else "")

    def _do(self, order: Order) -> None:
        """A verb of the application on each record that is meant."""
        thing = order.object
        if thing is None:
            self._press_here(order)
            return None
        sender = next((s for s in order.slots if s.role == "from" and isinstance(s.value, Text) and "@" in s.value.text), None)
        if sender is not None:
            test = Test(relation="from", value=sender.value, spans=sender.spans)
            thing = thing.model_copy(update={"tests": (*thing.tests, test)})
            order = order.model_copy(update={"slots": tuple(slot for slot in order.slots if slot is not sender), "object": thing})
            self._take(sender)
        home = next((s for s in order.slots if s.role in {"from", "at"} and isinstance(s.value, Of) and not s.value.fields), None)
        if home is not None and isinstance(home.value, Of) and thing.place is None and thing.back is None:
            thing = thing.model_copy(update={"place": home.value.thing})
            order = order.model_copy(update={"slots": tuple(slot for slot in order.slots if slot is not home), "object": thing})
            self._take(home)
        if order.verb == "set" or (order.verb in SWITCHES and self._single(order, thing)):
            return self._set(order, thing)
        if (made := self._derived(order)) is not None:
            return self._derive(order, thing, *made)
        try:
            rows = self.rows(thing)
        except Refusal:
            if not thing.tests and thing.name is None and self._press_here(order, quiet=True):
                return None
            raise
        if not rows and is_many(thing):
            self._subjects[self._at] = Subject(phrase=self.phrase(thing))
            return None
        for row in rows:
            self._row = row
            self._verb_on(order, self._touched(row.records))
        self._row = None
        self._subjects[self._at] = Subject(tuple(rows), phrase=self.phrase(thing))
        return None

    def _derived(self, order: Order) -> tuple[AppCard, KindCard] | None:
        """The kind that a verb makes of a record, such as a claim of an invoice."""
        kinds = [(card, kind) for card in self._cards_for(order) for kind in card.kinds if kind.create is not None]
        named = [(card, kind) for card, kind in kinds if order.verb in {kind.kind, *kind.words}]
        return named[0] if len(named) == 1 else None

    def _derive(self, order: Order, thing: Thing, card: AppCard, kind: KindCard) -> None:
        """A new record from each of others: what the goal says, and what the form requires and they hold by that name."""
        for row in self.rows(thing):
            self._row = row
            entries = self._entries(card, kind, order.slots)
            for field in kind.fields:
                source = ground_field(field.label, self.kind(row.records)) if field.required and field.written else None
                if source is not None and field.label not in {entry.label for entry in entries}:
                    value = self.words(Of(fields=(source.label,), thing=Thing(back=Back(to=self._at))))
                    entries.append(Entry(label=field.label, value=value))
            self._made(card, kind, "", entries, self._commit(order, kind, "submit"))
        self._row = None

    def _verb_on(self, order: Order, records: Records) -> None:
        card, kind = self.card(records.app), self.kind(records)
        said = order.said + "".join(f" as {self.words(s.value)}" for s in order.slots if s.role == "as")
        verb = ground_verb(order.verb, said, card, kind)
        if verb is None:
            return self._by_field(order, records, kind)
        named = [s for s in order.slots if s.role == "as" and self.words(s.value).casefold() in verb.control.casefold()]
        self._take(*named)
        slots = [slot for slot in order.slots if slot not in named and not self._names_app(slot.value)]
        entries = [Entry(label=field.label, value=value) for field, value in self._asked(verb, slots, card, kind)]
        if verb.verb == "reply" and not entries:
            raise Refusal(f'"{self._said(order.spans)}" does not say what is to be written')
        if verb.verb in ANSWERS:
            commit = self._commit(order, kind, "send")
            self._add(FillStep(app=records.app, records=records, form=verb.control, entries=tuple(entries), commit=commit))
            return
        self._add(PressStep(app=records.app, records=records, verb=verb.verb, control=verb.control, entries=tuple(entries)))

    def _asked(self, verb: VerbCard, slots: Sequence[Slot], card: AppCard, kind: KindCard) -> list[tuple[FieldCard, str]]:
        """What the press asks for, as far as the goal says it; what it says and nothing asks for is refused."""
        form = kind.model_copy(update={"fields": verb.asks})
        found: list[tuple[FieldCard, str]] = []
        for slot in slots:
            only = verb.asks[0] if len(verb.asks) == 1 == len(slots) else None
            field = only or self._field_of(slot, form, {f.label for f, _ in found})
            if field is None:
                raise Refusal(f'"{self._said(slot.spans)}": "{verb.control}" does not ask for it')
            plain = slot.role in {"into", "to"} and isinstance(slot.value, Of) and not slot.value.fields
            place = slot.value.thing if plain and isinstance(slot.value, Of) else None
            where = ground_place(place, card, kind) if place is not None and not place.tests else None
            found.append((field, escaped(where) if where else self.words(slot.value, field)))
            self._take(slot)
        return found

    def _by_field(self, order: Order, records: Records, kind: KindCard) -> None:
        """Where no control does it, a field may: what is renamed has another title, what is removed from a list is not in it."""
        key = next((field for field in kind.fields if field.key and field.written), None)
        if order.verb == "rename" and key is not None:
            new = [slot for slot in order.slots if slot.role in {"to", "as", "called"}][:1]
            value = next((self.words(slot.value, key) for slot in new), "")
            self._take(*new)
            if value:
                return self._fill(order, records, [Entry(label=key.label, value=value)])
        if order.verb in {"postpone", "move"} and order.slots:
            return self._fill(order, records, self._moved(order, records, kind))
        if order.verb in {"turn_on", "turn_off"}:
            truths = [field for field in kind.fields if field.type == "truth" and field.written]
            if len(truths) == 1:
                value = "true" if order.verb == "turn_on" else "false"
                return self._fill(order, records, [Entry(label=truths[0].label, value=value)])
        can = ", ".join(dict.fromkeys(verb.control for verb in kind.verbs)) or "nothing"
        raise Refusal(
            f'"{order.said or order.verb}" cannot be done with a {kind.kind} in {self.card(records.app).title}; there is {can}'
        )

    def _moved(self, order: Order, records: Records, kind: KindCard) -> list[Entry]:
        """Another day and time for a record that stays as long as it was."""
        times = [field for field in kind.fields if field.type == "time" and field.written]
        shift = [slot for slot in order.slots if slot.role == "by" and isinstance(slot.value, When)]
        by = next((slot.value.minutes for slot in shift if isinstance(slot.value, When)), 0)
        if by:
            self._take(*shift)
            return [Entry(label=field.label, value=str(by), mode="later") for field in times]
        entries = self._entries(self.card(records.app), kind, order.slots)
        new = {entry.label: entry.value for entry in entries}
        if len(times) == 2 and times[0].label in new and times[1].label not in new:
            shown = [field.label for field in kind.fields if field.type == "time" and field.listed and not field.written]
            if not shown:
                raise Refusal(f'"{self._said(order.spans)}" does not say until when')
            (name,) = self.read(Of(fields=(shown[0],), thing=order.object or Thing()))
            known = self._known(name)
            start, *rest = re.findall(r"\d{1,2}:\d\d", known) or [""]
            if not rest:
                raise Refusal(f'how long "{self.phrase(order.object or Thing())}" takes is not shown: {known!r}')
            end = later(new[times[0].label], minutes_between(start, rest[-1]))
            entries.append(Entry(label=times[1].label, value=end))
        return entries

    def _known(self, name: str) -> str:
        """The value of a fact, once it is known."""
        self._stops += 1
        self._close(f"o{self._at}.{self._stops}")
        if name.casefold() not in self._facts:
            raise _NotKnownYet
        return self._facts[name.casefold()].value

    def _press_here(self, order: Order, *, quiet: bool = False) -> bool:
        """A verb of the application that was used last, as a whole."""
        for card in [card for card in self.cards if card.app == self._app] or self.cards:
            verbs = [verb for verb in card.verbs if verb.verb == order.verb]
            if len(verbs) == 1 and card.app == self._app:
                self._add(PressStep(app=card.app, verb=verbs[0].verb, control=verbs[0].control))
                return True
        if quiet:
            return False
        raise Refusal(f'"{self._said(order.spans)}" does not say with what')

    def _set(self, order: Order, thing: Thing) -> None:
        """New values of fields: of a record, or of what an application has only one of, such as its settings."""
        own = self._single(order, thing)
        if own:
            if len(own) > 1:
                held = " and ".join(card.title for card, _, _ in own)
                raise Refusal(f'"{self.phrase(thing)}" is in {held}; say which', ask=True)
            card, kind, field = own[0]
            new = [slot for slot in order.slots if slot.role in {"value", "to"}][:1]
            self._take(*new)
            value = next((self.words(slot.value, field) for slot in new), "")
            value = value or SWITCHES.get(order.verb, "")
            if field.type == "truth" and value not in {"true", "false"}:
                raise Refusal(f'"{self._said(order.spans)}" does not say whether "{field.label}" is to be on or off')
            entries = (Entry(label=field.label, value=value),)
            self._add(FillStep(app=card.app, entries=entries, commit=self._commit(order, kind, "save")))
            self._app = card.app
            return
        for row in self.rows(thing):
            self._row = row
            records = self._touched(row.records)
            if not self._asks_for(order, records):
                self._fill(order, records, self._entries(self.card(records.app), self.kind(records), order.slots))
        self._row = None

    def _asks_for(self, order: Order, records: Records) -> bool:
        """Whether a control asks for the new value of a field that no form takes."""
        kind = self.kind(records)
        said = [slot.field for slot in order.slots if slot.field]
        if len(said) != 1 or len(order.slots) != 1 or ground_field(said[0], kind, True) is not None:
            return False
        for verb in kind.verbs:
            field = ground_field(said[0], kind.model_copy(update={"fields": verb.asks}), True)
            if verb.verb == "set" and field is not None and len(verb.asks) == 1:
                self._take(*order.slots)
                entry = Entry(label=field.label, value=self.words(order.slots[0].value, field))
                self._add(PressStep(app=records.app, records=records, verb="set", control=verb.control, entries=(entry,)))
                return True
        return False

    def _single(self, order: Order, thing: Thing) -> list[tuple[AppCard, KindCard, FieldCard]]:
        """Fields of what an application has only one of; a verb such as "mute" may name one by itself."""
        if thing.name is not None or thing.tests or thing.back is not None or not thing.kind:
            return []
        if any(not kind.single for _, kind in self._maybe(thing.kind)):
            return []
        found: list[tuple[AppCard, KindCard, FieldCard]] = []
        said = (thing.kind,) if order.verb == "set" else (thing.kind, order.verb)
        for card, kind in [(one, single) for one in self.cards for single in one.kinds if single.single]:
            kept = tuple(field for field in kind.fields if field.type == "truth" or order.verb == "set")
            form = kind.model_copy(update={"fields": kept})
            fields = [field for words in said if (field := ground_field(words, form, True)) is not None]
            found += [(card, kind, field) for field in fields[:1]]
        return found

    # --- fields -----------------------------------------------------------------------------------------------------

    def _values(self, order: Order) -> list[Value]:
        told = [slot for slot in order.slots if slot.role == "value" and not slot.field]
        self._take(*told)
        return [slot.value for slot in told]

    def _entries(self, card: AppCard, kind: KindCard, slots: Sequence[Slot], *, key: FieldCard | None = None) -> list[Entry]:
        """What goes into which field. A value for which there is no field is refused."""
        entries: list[Entry] = []
        moments = [slot for slot in slots if isinstance(slot.value, When) and not slot.field]
        minutes = next((slot.value.minutes for slot in moments if isinstance(slot.value, When) and slot.value.minutes), 0)
        for slot in slots:
            self._take(slot)
            if slot.role in {"by", "into", "at", "on"} and self._names_app(slot.value):
                continue
            if slot in moments and isinstance(slot.value, When):
                entries += self._when(slot.value, card, kind, slot, minutes)
                continue
            field = key if slot.role == "called" and key is not None else self._field_of(slot, kind, {e.label for e in entries})
            if field is None:
                there = ", ".join(one.label for one in kind.fields if one.written)
                raise Refusal(
                    f'"{self._said(slot.spans)}": a {kind.kind} in {card.title} has no field for it; fields are {there}'
                )
            if field.type == "people" and slot.role == "with":
                entries.append(Entry(label=field.label, value=self._address(slot.value)))
                continue
            entries.append(Entry(label=field.label, value=self.words(slot.value, field)))
        return entries

    def _field_of(self, slot: Slot, kind: KindCard, used: set[str]) -> FieldCard | None:
        """The field that a slot goes into: as the goal calls it, by what the slot says, or the only one of its type."""
        written = [field for field in kind.fields if field.written and field.label not in used]
        form = kind.model_copy(update={"fields": tuple(written)})
        if slot.field:
            return ground_field(slot.field, form, True)
        fields = slot.value.fields if isinstance(slot.value, Of) and slot.role in {"with", "value"} else ()
        if len(fields) == 1 and (same := ground_field(fields[0], form, True)) is not None:
            return same
        if isinstance(slot.value, Text):
            said = slot.value.text.casefold()
            if choice := [field for field in written if said in (option.casefold() for option in field.options)]:
                return choice[0] if len(choice) == 1 else None
        for words in ROLE_FIELDS.get(slot.role, ()):
            if (found := ground_field(words, form, True)) is not None:
                return found
        types = {"saying": ("long_text", "text"), "with": ("long_text",), "value": ("money", "number", "long_text")}.get(
            slot.role, ()
        )
        for wanted in types:
            fitting = [field for field in written if field.type == wanted]
            if len(fitting) == 1:
                return fitting[0]
        return None

    def _when(self, when: When, card: AppCard, kind: KindCard, slot: Slot, minutes: int) -> list[Entry]:
        """A day and times, in the fields that the form has for them."""
        entries: list[Entry] = []
        day, start = when.first[:10], when.first[11:] or when.start
        end = when.end or when.last[11:]
        if start and not end and minutes > 0:
            end = later(start, minutes)
        until = slot.role == "until"
        wanted = [("end date" if until else "start date", "date", "date", day), ("start time", "time", "time", start)]
        wanted += [("end date", "", "date", when.last[:10] or day), ("end time", "", "time", end)]
        for words, other, kind_of, value in wanted:
            form = kind.model_copy(update={"fields": tuple(f for f in kind.fields if f.type == kind_of and f.written)})
            field = (ground_field(words, form, True) or (other and ground_field(other, form, True))) if value else None
            if not field and other and value and len(form.fields) == 1:
                field = form.fields[0]
            if field and field.label not in {e.label for e in entries}:
                entries.append(Entry(label=field.label, value=value))
            elif value and other:
                raise Refusal(f'"{self._said(slot.spans)}": a {kind.kind} in {card.title} has no field for it')
        return entries

    def _commit(self, order: Order, kind: KindCard, usual: str) -> str:
        """The verb that ends the form; none where the goal forbids all that there are."""
        forms = kind.create is not None or kind.single or any(verb.asks for verb in kind.verbs)
        there = [verb.verb for verb in kind.verbs if verb.at == "form"] or ([usual] if forms else [])  # else it holds at once
        forbidden = self._forbidden.get(self._at, set())
        wanted = self._commits.get(self._at, "")
        if wanted and wanted in there:
            return wanted
        allowed = [verb for verb in (order.verb, usual, *COMMITS) if verb in there and verb not in forbidden]
        return allowed[0] if allowed else ""

    # --- applications -----------------------------------------------------------------------------------------------

    def _kinds(self, noun: str, cards: Sequence[AppCard] | None = None) -> list[tuple[AppCard, KindCard]]:
        try:
            return list(ground_kind(noun, list(cards or self.cards)))
        except Ungrounded as no:
            raise Refusal(str(no)) from None

    def _maybe(self, noun: str) -> list[tuple[AppCard, KindCard]]:
        try:
            return list(ground_kind(noun, self.cards)) if noun else []
        except Ungrounded:
            return []

    def _app_called(self, thing: Thing) -> AppCard | None:
        """The application that the words name as such."""
        said = (thing.name.text if thing.name else thing.kind).casefold()
        said = said.removesuffix(f" {thing.kind}") if thing.kind in GENERIC else said
        named = [card for card in self.cards if said in {card.app.casefold(), card.title.casefold()}]
        if not named and not thing.name:
            named = [c for c in self.cards if said in c.words and not any(said in (k.kind, *k.words) for k in c.kinds)]
        return named[0] if len(named) == 1 and not thing.tests else None

    def _cards_for(self, order: Order, thing: Thing | None = None) -> list[AppCard]:
        """The applications that may be meant: those that the order names, else all."""
        slots = [slot.value for slot in order.slots if slot.role in {"by", "into", "at", "on", "to"}]
        things = [value.thing if isinstance(value, Of) else Thing(name=value) for value in slots if isinstance(value, Of | Text)]
        things += [one.place for one in (order.object, thing) if one is not None and one.place is not None]
        named = [card for one in things if (card := self._app_called(one)) is not None]
        return named or self.cards

    def _touched(self, records: Records) -> Records:
        self._app = records.app
        return records


LASTING = frozenset({"people", "date", "time", "money", "number"})
"""Types of columns by which a record is told from others of the same name."""
RESULTS = frozenset({"sum", "total", "number", "amount", "result", "count", "figure", "difference", "average", "value"})
"""What anything that was worked out may be called by later words."""
SWITCHES = {"turn_on": "true", "turn_off": "false", "mute": "true", "unmute": "false"}
ANSWERS = frozenset({"reply", "forward"})
GENERIC = frozenset({"app", "application", "page", "form", "program", "screen", "site", "website"})
"""Nouns behind an application's name."""
DEVICES = frozenset({"phone", "computer", "tablet", "laptop", "desktop", "device"})
"""Places that are all that there is."""
LOOKS = frozenset({"open", "find", "check"})
MAKES = frozenset({"create", "book"})
WRITES = frozenset({"add", "put", "write", "collect", "copy"})
ROLE_FIELDS: Mapping[str, tuple[str, ...]] = {
    "called": ("title", "name", "subject"),
    "about": ("subject", "title", "description"),
    "saying": ("text", "message", "body", "content", "description"),
    "to": ("to", "recipient"),
    "with": ("attendees", "participants"),
    "as": ("category", "type"),
    "value": ("amount",),
    "by": ("payment",),
    "on": ("date",),
    "until": ("end",),
}
"""The fields that a slot may mean, as records mostly call them, the likeliest first."""


def amount_text(value: Amount, field: FieldCard | None) -> str:
    """A number as a field takes it: without what it counts where the field is one of numbers."""
    if field is None or field.type not in {"number", "money"}:
        return value.text
    return f"{value.number:.2f}" if field.type == "money" or value.number % 1 else f"{value.number:g}"


def when_text(value: When, field: FieldCard | None) -> str:
    """A day or time in figures; a span with both ends."""
    if field is not None and field.type == "date":
        return value.first[:10] or value.text
    if field is not None and field.type == "time":
        return value.first[11:] or value.start or value.text
    if value.minutes and not value.first and not value.start:
        return value.text
    first = value.first or value.start
    last = (value.last if value.first else value.end) or first
    return first if last == first else f"{first} .. {last}" if first else value.text


def minutes_between(start: str, end: str) -> int:
    (h1, m1), (h2, m2) = (time.split(":") for time in (start, end))
    return (int(h2) * 60 + int(m2) - int(h1) * 60 - int(m1)) % 1440


def later(time: str, minutes: int) -> str:
    """The time of day so many minutes after another."""
    hour, minute = time.split(":")
    total = int(hour) * 60 + int(minute) + minutes
    return f"{total // 60 % 24:02d}:{total % 60:02d}"


def _string(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def steps_of(
    what: Reading | Sequence[Order], cards: Sequence[AppCard], facts: Iterable[Fact], today: str = ""
) -> list[Step] | str:
    """The steps for what was read, as far as the facts allow; else why there are none, in one sentence."""
    reading = what if isinstance(what, Reading) else Reading(goal="", orders=tuple(what))
    if unread := why_not(reading):
        return unread
    try:
        return [step for group in Planner(reading, cards, facts, today).groups() for step in group.steps]
    except Refusal as no:
        return str(no)


def why_not(reading: Reading) -> str:
    """Why a goal is not understood, in one sentence; empty where it is."""
    if reading.asks:
        return reading.asks[0]
    if reading.unread:
        words = "; ".join(f'"{part.text}"' + (f" ({part.why})" if part.why else "") for part in reading.unread[:3])
        return f"these words are not understood: {words}"
    if not any(not order.negated for order in reading.orders):
        return "the goal names nothing to do"
    return ""
