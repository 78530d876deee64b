"""What is filled in, made and sent: which value goes into which field."""

from collections.abc import Sequence
from typing import Literal

from environments.cards import AppCard, FieldCard, KindCard
from roles.contracts.orders import (
    Amount,
    Back,
    CreateStep,
    Entry,
    FillStep,
    Of,
    Order,
    Records,
    RowTest,
    Slot,
    Text,
    Thing,
    Value,
    When,
    Worked,
)
from roles.policies.orders.grounding import Refusal, ground_field, ground_kind, is_of, list_field
from roles.policies.orders.lookups import Lookups
from roles.policies.orders.state import COMMITS, HANDED_IN, Row, Subject, escaped, unwanted_by
from roles.screen.language.words import Lexicon, deeds, phrases, trend_of
from roles.screen.values import is_a

_TYPES = {"saying": ("long_text", "text"), "with": ("long_text",), "value": ("money", "number", "long_text")}
"""Of which type a field is that takes what a role brings, the likeliest first."""


class Forms(Lookups):
    """Slots of orders to entries of forms."""

    def _values(self, order: Order) -> list[Value]:
        told = [slot for slot in order.slots if slot.role == "value" and not slot.field]
        if told and order.object is not None:
            raise Refusal(f'"{self._said(order.spans)}" says two things at the same time')
        self._take(*told)
        return [slot.value for slot in told]

    def _entries(self, card: AppCard, kind: KindCard, slots: Sequence[Slot], *, key: FieldCard | None = None) -> list[Entry]:
        """What goes into which field. A value for which there is no field is refused."""
        entries: list[Entry] = []
        moments = [slot.value for slot in slots if isinstance(slot.value, When) and not slot.field]
        lasts = next((one.minutes for one in moments if one.minutes > 0), 0) if any(one.start for one in moments) else 0
        for slot in [part for one in slots for part in self._each_field(one, kind)]:
            self._take(slot)
            if slot.role in {"by", "into", "at", "on"} and self._names_app(slot.value):
                continue
            if isinstance(slot.value, When) and not slot.field:
                entries += self._when(slot.value, card, kind, slot, lasts)
                continue
            field = key if slot.role == "called" and key is not None else self._field_of(slot, kind, {e.label for e in entries})
            if field is None:
                raise self._fieldless(slot, card, kind)
            named = isinstance(slot.value, Text) or (isinstance(slot.value, Of) and not slot.value.fields)
            people = named and slot.role == "with" and field.type == "list"
            value = ", ".join(map(self._in_full, self._people(slot.value))) if people else self.words(slot.value, field)
            entries.append(Entry(label=field.label, value=value))
        return entries

    def _fieldless(self, slot: Slot, card: AppCard, kind: KindCard) -> Refusal:
        there = ", ".join(one.label for one in kind.fields if one.written)
        return Refusal(f'"{self._said(slot.spans)}": a {kind.kind} in {card.title} has no field for it; fields are {there}')

    def _each_field(self, slot: Slot, kind: KindCard) -> list[Slot]:
        """ "With the vendor and the total": each in the field that is called so."""
        self._take(slot)
        value = slot.value
        if slot.field or not isinstance(value, Of) or len(value.fields) < 2 or slot.role not in {"with", "value"}:
            return [slot]
        if not all(ground_field(name, kind, True) for name in value.fields):
            return [slot]
        return [slot.model_copy(update={"field": f, "value": value.model_copy(update={"fields": (f,)})}) for f in value.fields]

    def _field_of(self, slot: Slot, kind: KindCard, used: set[str]) -> FieldCard | None:
        """The field that a slot goes into: as the goal calls it, by what the slot says, or the only one of its type."""
        written = [field for field in kind.fields if field.written and field.label not in used]
        form = kind.model_copy(update={"fields": tuple(written)})
        if slot.field:
            return ground_field(slot.field, form, True)
        fields = slot.value.fields if isinstance(slot.value, Of) and slot.role in {"with", "value"} else ()
        if len(fields) == 1 and (same := ground_field(fields[0], form, True)) is not None:
            return same
        if noun := _field_noun(slot):
            return ground_field(noun, form, True)
        if isinstance(slot.value, Text):
            said = slot.value.text.casefold()
            if choice := [field for field in written if said in (option.casefold() for option in field.options)]:
                return choice[0] if len(choice) == 1 else None
        measured = Lexicon.english().data["unit_fields"].get(slot.value.unit) if isinstance(slot.value, Amount) else None
        if measured and isinstance(slot.value, Amount):  # degrees are no brightness
            return ground_field(measured, form, True) or ground_field(slot.value.unit, form, True)
        said_by = (ground_field(words, form, True) for words in deeds()["roles"].get(slot.role, ()))
        fitting = ([field for field in written if field.type == type_] for type_ in _TYPES.get(slot.role, ()))
        return next(filter(None, said_by), None) or next((some[0] for some in fitting if len(some) == 1), None)

    def _when(self, when: When, card: AppCard, kind: KindCard, slot: Slot, lasts: int) -> list[Entry]:
        """A day and times, in the fields that the form has for them; what `lasts` so many minutes ends then."""
        day, start, end = when.first[:10], when.first[11:] or when.start, when.end or when.last[11:]
        if when.minutes and when.minutes == lasts:
            return []  # it is where the time stands
        end = later(start, lasts) if start and lasts and not end else end
        first = "end" if slot.role == "until" else "start"
        wanted = [(f"{first} date", "date", day, True), ("start time", "time", start, True)]
        wanted += [("end date", "date", when.last[:10] or day, False), ("end time", "time", end, False)]
        entries: list[Entry] = []
        for words, type_, value, needed in wanted if not when.minutes else ():
            form = kind.model_copy(update={"fields": tuple(f for f in kind.fields if f.type == type_ and f.written)})
            field = ground_field(words, form, True) or (ground_field(type_, form, True) if needed else None)
            field = form.fields[0] if field is None and needed and len(form.fields) == 1 else field
            if value and field is not None and field.label not in {entry.label for entry in entries}:
                entries.append(Entry(label=field.label, value=value))
            elif value and needed:
                raise self._fieldless(slot, card, kind)
        if not entries:
            raise self._fieldless(slot, card, kind)
        return entries

    def _commit(self, order: Order, kind: KindCard, usual: str) -> str:
        """The verb that ends the form; none where the goal forbids all that there are."""
        forms = kind.create is not None or kind.single or any(verb.asks for verb in kind.verbs)
        there = [verb.verb for verb in kind.verbs if verb.at == "form"] or ([usual] if forms else [])  # else it holds at once
        forbidden = self._forbidden.get(self._at, set())
        if order.object is not None and order.object.kind in deeds()["unsent"]:
            usual, forbidden = "save", forbidden | unwanted_by("send")
        wanted = self._commits.get(self._at, "")
        if wanted and wanted in there and wanted not in forbidden:
            return wanted
        allowed = [verb for verb in (order.verb, usual, *COMMITS) if verb in there and verb not in forbidden]
        return allowed[0] if allowed else ""

    def _message_kind(self, order: Order, thing: Thing | None) -> tuple[AppCard, KindCard]:
        """The kind of message that is to be sent, in the one application that sends such."""
        kinds = [(card, kind) for card in self._cards_for(order) for kind in card.kinds if kind.sends]
        noun = thing.kind if thing is not None and thing.back is None else ""
        if thing is not None and noun and (thing.tests or thing.pick or not (thing.new or thing.quantity == "any")):
            raise Refusal(f'"{self._said(order.spans)}": what is there already cannot be sent so; forwarding it may be meant')
        to = [slot.value for slot in order.slots if slot.role == "to"]
        if noun:
            wanted = {(card.app, kind.kind) for card, kind in ground_kind(noun, self.cards)}
            kinds = [one for one in kinds if (one[0].app, one[1].kind) in wanted]
        elif order.said.casefold() in {"mail", "e-mail", "email"} or any(isinstance(one, Text) and "@" in one.text for one in to):
            kinds = [one for one in kinds if any(field.type == "people" and field.written for field in one[1].fields)]
        elif order.said.casefold() == "text":
            kinds = [one for one in kinds if not any(field.type == "people" and field.written for field in one[1].fields)]
        kinds = self._as_otherwise(order, kinds) if len(kinds) > 1 else kinds
        if len(kinds) > 1:
            apps = " or ".join(card.title for card, _ in kinds)
            raise Refusal(f'"{self._said(order.spans)}" does not say by which application: {apps}', ask=True)
        if not kinds:
            raise Refusal(f'"{self._said(order.spans)}": no application sends such a message')
        return kinds[0]

    def _as_otherwise(self, order: Order, kinds: list[tuple[AppCard, KindCard]]) -> list[tuple[AppCard, KindCard]]:
        """ "If so, write X to Ann in chat. If not, write Y to Ben": by the same way."""
        for other in self.reading.orders[: self._at]:
            one, two = other.condition, order.condition
            alike = one is not None and two is not None and one.negated != two.negated and one.tests == two.tests
            if alike and other.verb == order.verb and len(cards := self._cards_for(other)) < len(self.cards):
                return [kind for kind in kinds if kind[0] in cards] or kinds
        return kinds

    def _message(self, order: Order) -> None:
        """A new message to each of those who are named."""
        thing = order.object
        if thing is not None and not any(kind.sends for _, kind in self._maybe("" if thing.back else thing.kind)):
            return self._message(self._telling(order, thing))
        card, kind = self._message_kind(order, thing)
        people = [slot for slot in order.slots if slot.role == "to"]
        commit = self._commit(order, kind, "send")
        if not people and commit != "save":
            raise Refusal(f'"{self._said(order.spans)}" does not say to whom')
        self._take(*order.slots)
        words = [slot for slot in order.slots if slot.role == "value" and not isinstance(slot.value, Of | Worked | Back)]
        told = [slot.value.thing for slot in order.slots if isinstance(slot.value, Of) and slot.value.fields]
        titled = any(slot.field == "subject" for slot in order.slots)  # then what it is about is only what its text tells of
        about = [s for s in order.slots if titled and s.role == "about" and isinstance(s.value, Of) and s.value.thing in told]
        rest = [slot for slot in order.slots if slot.role != "to" and slot not in (*words, *about)]
        for n, slot in enumerate(rest):  # "a mail with the total": what is found out is what the message says
            found = isinstance(slot.value, Worked) or (isinstance(slot.value, Of) and bool(slot.value.fields))
            rest[n] = slot.model_copy(update={"role": "saying"}) if slot.role == "with" and not slot.field and found else slot
        named = [Slot(role="called", value=thing.name, spans=thing.spans)] if thing is not None and thing.name is not None else []
        said = [slot.model_copy(update={"role": "saying"}) for slot in words]
        entries = self._entries(card, kind, [*rest, *named, *said])
        if not entries:
            raise Refusal(f'"{self._said(order.spans)}" does not say what is to be written')
        to = ground_field("to", kind, True)
        if to is not None and to.type in {"people", "list"}:
            who = [Entry(label=to.label, value=", ".join(self._address(slot.value) for slot in people))] if people else []
            return self._made(card, kind, "", [*who, *entries], commit)
        for name in (name for slot in people for name in self._people(slot.value)):
            self._made(card, kind, name, entries, commit)
        return None

    def _telling(self, order: Order, thing: Thing) -> Order:
        """The order to send a record, as one to send what is said of it."""
        own = [s for s in order.slots if s.role == "with" and not s.field and isinstance(s.value, Of) and s.value.thing.back]
        fields = own[0].value.fields if own and isinstance(own[0].value, Of) else ()
        rest = self._without(order, *own[:1], object=None)
        if not fields and not (thing.back is not None and self._subjects.get(thing.back.to, Subject()).facts):
            raise Refusal(f'"{self._said(order.spans)}" does not say what of "{self.phrase(thing)}" is to be sent')
        value = Of(fields=fields, thing=thing, spans=thing.spans) if thing.back is None else thing.back
        return rest.model_copy(update={"slots": (*rest.slots, Slot(role="saying", value=value, spans=thing.spans))})

    def _reply(self, order: Order) -> Order:
        """An answer to a message has the message as its object."""
        to = next((slot for slot in order.slots if slot.role == "to" and isinstance(slot.value, Of | Back)), None)
        if to is None or (isinstance(to.value, Of) and (to.value.fields or not to.value.thing.kind)):
            return order
        return self._without(order, to, object=self._thing_of(to.value))

    def _make(self, order: Order, thing: Thing) -> None:
        """A new record, or one for each of several that are named."""
        for one in (thing.model_copy(update={"also": ()}), *thing.also):
            noun = one.kind or thing.kind
            arranged = noun in gatherings() and order.said.casefold() not in {"book", "reserve"} and not self._maybe(noun)
            titled_alone = not noun and order.verb == "book" and one.name is not None and one.name.quoted
            if (noun == "entry" or arranged or titled_alone) and (planned := self._planned(order)):
                titled = any(slot.field == "title" for slot in order.slots)
                called = None if titled else one.name or Text(text=noun, spans=one.spans)
                one, noun = one.model_copy(update={"kind": planned, "name": called}), planned
            there = self._cards_for(order, thing)
            kinds = [pair for pair in self._drafted(noun, there) or ground_kind(noun, there) if pair[1].create is not None]
            if len(kinds) != 1:
                held = " and ".join(card.title for card, _ in kinds)
                why = f"may be made in {held}; say where" if kinds else "cannot be made in any application"
                raise Refusal(f'a new "{noun}" {why}', ask=bool(kinds))
            card, kind = kinds[0]
            person = next((s for s in order.slots if s.role == "for" and isinstance(s.value, Text) and not s.field), None)
            if kind.holds_people and person is not None and isinstance(person.value, Text) and one.name is None:
                self._make_one(self._without(order, person), one.model_copy(update={"name": person.value}), card, kind)
                continue
            source = next((s for s in order.slots if s.role == "for" and self._record_said(s.value) is not None), None)
            other = self._record_said(source.value) if source is not None else None
            if kind.sends:
                self._message(order.model_copy(update={"object": one}))
            elif source is not None and other is not None and not one.name and not one.tests:
                self._derive(self._without(order, source), other, card, kind)
            else:
                self._make_one(order, one, card, kind)

    def _drafted(self, noun: str, cards: Sequence[AppCard]) -> list[tuple[AppCard, KindCard]]:
        """What a draft is in applications without a word for it: what can be kept before it is handed in."""
        if noun not in deeds()["unsent"] or self._maybe(noun, cards):
            return []
        ends = [(card, kind, {verb.verb for verb in kind.verbs if verb.at == "form"}) for card in cards for kind in card.kinds]
        return [(card, kind) for card, kind, verbs in ends if "save" in verbs and verbs & HANDED_IN]

    def _planned(self, order: Order) -> str:
        """The kind of what takes place at a time, where only a title and a day are said."""
        makes = [kind for card in self.cards for kind in card.kinds if kind.create is not None]
        kinds = [kind for kind in makes if any(field.type == "time" and field.written for field in kind.fields)]
        dated = any(isinstance(slot.value, When) and slot.value.first for slot in order.slots)
        return kinds[0].kind if dated and len(kinds) == 1 else ""

    def _record_said(self, value: Value) -> Thing | None:
        """The record that is there already: "the invoice", "INV-12"."""
        if isinstance(value, Text):
            return Thing(name=value, spans=value.spans) if is_a("id", value.text) else None
        thing = value.thing if isinstance(value, Of) and not value.fields else None
        known = thing is not None and not thing.new and (thing.back is not None or bool(self._maybe(thing.kind)))
        return thing if known else None

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
        located = ground_field("place", kind, True) is not None  # "in Room 1" of what takes place there
        within = [s for s in order.slots if s.role == "into" and self._is_place(s.value) and not located]
        slots = [slot for slot in order.slots if slot not in within]
        into = [slot for slot in within if not self._names_app(slot.value)]
        if len(into) > 1:
            raise Refusal(f'"{self._said(order.spans)}" says two places at the same time')
        self._take(*within)
        places = [Thing(name=s.value) if isinstance(s.value, Text) else self._thing_of(s.value) for s in into]
        places += [one.place] if one.place is not None and self._app_called(one.place) is None else []
        entries = self._entries(card, kind, [*named, *slots], key=key)
        place = ""
        for inside in (inside for inside in places if inside is not None):
            names = [escaped(part.name.text if part.name else part.kind) for part in (inside, *inside.also)]
            belongs = list_field(inside.kind, kind) if inside.kind else None
            if belongs is not None and all(part.name for part in (inside, *inside.also)):  # in the groups A and B
                entries.append(Entry(label=belongs.label, value=", ".join(names)))
            elif len(names) > 1 or inside.but:
                raise Refusal(f'"{self._said(inside.spans)}" says several places at the same time')
            else:
                place = names[0]
        self._made(card, kind, place, entries, self._commit(order, kind, "save"))

    def _made(self, card: AppCard, kind: KindCard, place: str, entries: Sequence[Entry], commit: str) -> None:
        self._add(CreateStep(app=card.app, kind=kind.kind, place=place, entries=tuple(entries), commit=commit))
        keys = {field.label: field.label if field.listed else "" for field in kind.fields if field.key}
        tests = tuple(RowTest(label=keys[entry.label], value=entry.value) for entry in entries if entry.label in keys)
        row = Row(Records(app=card.app, kind=kind.kind, place=place, tests=tests), {e.label: e.value for e in entries})
        before = self._subjects.get(self._at, Subject())
        self._subjects[self._at] = Subject((*before.rows, row), phrase=self._said(self.reading.orders[self._at].spans))

    def _written(self, order: Order, told: Sequence[Value], target: Slot, goal: Thing) -> None:
        home = self._app_called(goal)
        if home is not None:
            return self._made_at_home(order, told, target, goal, home)
        if goal.new or (goal.quantity == "any" and goal.back is None):
            rest = [slot for slot in order.slots if slot is not target and slot.role != "value"]
            body = [Slot(role="saying", value=value) for value in told]
            return self._make(order.model_copy(update={"slots": (*rest, *body)}), goal)
        records = self.one(goal)
        kind = self.kind(records)
        fielded = [slot for slot in order.slots if slot.role == "value" and slot.field]
        if fielded and not told:  # into the meeting as its place
            return self._fill(order, records, self._entries(self.card(records.app), kind, fielded))
        only = told[0] if len(told) == 1 else None
        own = ground_field(only.fields[0], kind, True) if isinstance(only, Of) and len(only.fields) == 1 else None
        if only is not None and own is not None and not own.key and own.type != "long_text":  # into the field of that name
            return self._fill(order, records, [Entry(label=own.label, value=self.words(only, own))])
        long = [field for field in kind.fields if field.type == "long_text" and field.written]
        if not long or not told:
            raise Refusal(f'"{self._said(order.spans)}": a {kind.kind} in {self.card(records.app).title} takes no such text')
        at = {slot.value.text: slot for slot in order.slots if slot.role == "at" and isinstance(slot.value, Text)}
        self._take(*(slot for edge, slot in at.items() if edge in {"start", "end"}))
        text = "\n".join(map(self.words, told))
        return self._fill(order, records, [Entry(label=long[0].label, value=text, mode="prepend" if "start" in at else "append")])

    def _made_at_home(self, order: Order, told: Sequence[Value], target: Slot, goal: Thing, home: AppCard) -> None:
        """ "Add X to my to-do list": a new record of the application."""
        called = (goal.kind, *(goal.name.text.split() if goal.name else ()))
        makes = [kind for kind in home.kinds if kind.create is not None]
        makes = [kind for kind in makes if any(is_of(word, kind) for word in called)] or makes
        rest = tuple(s for s in order.slots if s is not target and (s.role != "value" or s.field) and s.role != "as")
        fields = [slot.field for slot in order.slots if slot.field]
        makes = [kind for kind in makes if fields and all(ground_field(field, kind, True) for field in fields)] or makes
        kinds = [kind.kind for kind in makes if not (kind.within or kind.some_of)]
        if len(kinds) > 1:
            raise Refusal(f'"{self._said(order.spans)}": is it to be a {" or a ".join(kinds)}?', ask=True)
        if not makes or len(told) > 1 or not (told or any(slot.field for slot in rest)):
            raise Refusal(f'"{self._said(order.spans)}": it is not understood what is to be made in {home.title}')
        if goal.kind == "form" and self._at not in self._commits:  # it is filled in, and nothing is said of its end
            self._forbidden.setdefault(self._at, set()).update(COMMITS)
        several = told[0].of if told and isinstance(told[0], Worked) and told[0].how == "joined" else ()
        apart = order.verb in {"add", "put"} and all(isinstance(one, Text) and one.quoted for one in several)
        for one in [[value] for value in several] if several and apart else [told]:
            made = order.model_copy(update={"slots": (*self._named_values(order, one), *rest)})
            self._make_one(made, Thing(kind=makes[0].kind, new=True), home, makes[0])

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
        facts = self._subjects.get(told.to, Subject()).facts if isinstance(told, Back) and not told.field else ()
        if facts and all(name in self._types for name in facts):  # each where the form has a field that is called as it was
            said = [name.partition(" of ")[0] for name in facts]
            return [Slot(role="value", field=label, value=told.model_copy(update={"field": label})) for label in said]
        return [Slot(role="called", value=told)]

    def _fill(self, order: Order, records: Records, entries: Sequence[Entry]) -> None:
        commit = self._commit(order, self.kind(records), "save")
        self._add(FillStep(app=records.app, records=records, entries=one_way(order, entries), commit=commit))
        self._subjects[self._at] = Subject((Row(records),), phrase=self.phrase(order.object) if order.object else "")

    def _derive(self, order: Order, thing: Thing, card: AppCard, kind: KindCard) -> None:
        """A new record from each of others: what the goal says, and what the form requires and they hold by that name."""
        for row in self.rows(thing):
            self._row = row
            entries = self._entries(card, kind, order.slots)
            told = any(isinstance(slot.value, Of | Back | Worked) for slot in order.slots)
            for field in kind.fields:
                source = ground_field(field.label, self.kind(row.records)) if field.required and field.written else None
                if source is not None and field.label not in {entry.label for entry in entries}:
                    value = self.words(Of(fields=(source.label,), thing=Thing(back=Back(to=self._at))))
                    entries.append(Entry(label=field.label, value=value))
                    told = True
            if not told:  # nothing of it is in the new one
                raise Refusal(f'"{self._said(order.spans)}": nothing would say that it is for "{self.phrase(thing)}"')
            self._made(card, kind, "", entries, self._commit(order, kind, "submit"))
        self._row = None


def _field_noun(slot: Slot) -> str:
    """What a quoted value is called that is no kind of thing: with the zip code "1010"."""
    thing = slot.value.thing if slot.role == "with" and isinstance(slot.value, Of) else Thing()
    quoted = thing.name is not None and thing.name.quoted and thing.kind not in phrases("anything")
    return thing.kind if quoted and not Lexicon.english().known(thing.kind, "noun") else ""


def one_way(order: Order, entries: Sequence[Entry]) -> tuple[Entry, ...]:
    """The entries, the first of which goes the way that the verb says: "raise", "postpone"."""
    first, *rest = entries
    way = trend_of(order.said) if order.verb in {"set", "postpone"} and first.mode == "set" else ""
    return (first.model_copy(update={"mode": way}) if way else first, *rest)


def gatherings() -> frozenset[str]:
    """What people arrange with each other, where no application has a word for it."""
    return frozenset(Lexicon.english().data["gatherings"])


def later(time: str, minutes: int) -> str:
    """The time of day so many minutes after another."""
    hour, minute = time.split(":")
    total = int(hour) * 60 + int(minute) + minutes
    return f"{total // 60 % 24:02d}:{total % 60:02d}"
