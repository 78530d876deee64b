"""What is filled in, made and sent: which value goes into which field."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from environments.cards import AppCard, FieldCard, KindCard
from roles.contracts.orders import (
    Back,
    CreateStep,
    Entry,
    FillStep,
    Of,
    Order,
    Records,
    RowTest,
    Slot,
    Test,
    Text,
    Thing,
    Value,
    When,
    Worked,
)
from roles.policies.orders.grounding import ground_field, is_of
from roles.policies.orders.records import IDENTIFIER
from roles.policies.orders.state import COMMITS, Refusal, Row, Subject, escaped
from roles.policies.orders.values import Values
from roles.screen.language.words import Lexicon, deeds


class Forms(Values):
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
        moments = [slot for slot in slots if isinstance(slot.value, When) and not slot.field]
        minutes = next((slot.value.minutes for slot in moments if isinstance(slot.value, When) and slot.value.minutes), 0)
        for slot in [part for one in slots for part in self._each_field(one, kind)]:
            self._take(slot)
            if (slot.role in {"by", "into", "at", "on"} and self._names_app(slot.value)) or self._late(slot, kind):
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
            self._check_sole(slot, field, kind)
            if field.type == "people" and slot.role == "with":
                entries.append(Entry(label=field.label, value=self._address(slot.value)))
                continue
            people = isinstance(slot.value, Of) and not slot.value.fields and slot.role == "with" and field.type == "list"
            value = ", ".join(self._people(slot.value)) if people else self.words(slot.value, field)
            entries.append(Entry(label=field.label, value=value))
        return entries

    def _check_sole(self, slot: Slot, into: FieldCard, kind: KindCard) -> None:
        """ "The number and X as the description": one field for both, or the number in its own?"""
        for part in slot.value.of if isinstance(slot.value, Worked) else ():
            other = ground_field(part.fields[0], kind, True) if isinstance(part, Of) and len(part.fields) == 1 else None
            if other is not None and other.label != into.label:
                raise Refusal(f'"{self._said(slot.spans)}": only into "{into.label}", or into "{other.label}" too?', ask=True)

    def _late(self, slot: Slot, kind: KindCard) -> bool:
        """Whether it is a time by which it is to be done, and none of what is made."""
        if slot.role != "until" or not isinstance(slot.value, When):
            return False
        wanted = "date" if slot.value.first else "time"
        return not any(field.type == wanted and field.written for field in kind.fields)

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
        if isinstance(slot.value, Text):
            said = slot.value.text.casefold()
            if choice := [field for field in written if said in (option.casefold() for option in field.options)]:
                return choice[0] if len(choice) == 1 else None
        for words in deeds()["roles"].get(slot.role, ()):
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
        if noun:
            wanted = {(card.app, kind.kind) for card, kind in self._kinds(noun)}
            kinds = [one for one in kinds if (one[0].app, one[1].kind) in wanted]
        elif order.said.casefold() in {"mail", "e-mail", "email"}:
            kinds = [one for one in kinds if any(field.type == "people" and field.written for field in one[1].fields)]
        elif order.said.casefold() == "text":
            kinds = [one for one in kinds if not any(field.type == "people" and field.written for field in one[1].fields)]
        to = [slot.value for slot in order.slots if slot.role == "to"]
        if len(kinds) > 1 and to and all(isinstance(one, Text) and "@" in one.text for one in to):
            kinds = [one for one in kinds if any(field.type == "people" and field.written for field in one[1].fields)] or kinds
        if len(kinds) > 1:
            kinds = self._as_otherwise(order, kinds)
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
        said = [slot for slot in order.slots if slot.role == "value" and not isinstance(slot.value, Of | Worked | Back)]
        thing = order.object
        if thing is not None and not any(kind.sends for _, kind in self._maybe("" if thing.back else thing.kind)):
            return self._message(self._telling(order, thing))
        card, kind = self._message_kind(order, thing)
        people = [slot.value for slot in order.slots if slot.role == "to"]
        if not people:
            raise Refusal(f'"{self._said(order.spans)}" does not say to whom')
        self._take(*said, *(slot for slot in order.slots if slot.role == "to"))
        rest = [slot for slot in order.slots if slot.role != "to" and slot not in said]
        told = [s for s in rest if s.role == "with" and not s.field and isinstance(s.value, Worked | Of)]
        told = [s for s in told if isinstance(s.value, Worked) or (isinstance(s.value, Of) and s.value.fields)]
        self._take(*told)
        rest = [slot.model_copy(update={"role": "saying"}) if slot in told else slot for slot in rest]
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
        rest = self._without(order, *own[:1], object=None)
        if not fields and not (thing.back is not None and self._subjects.get(thing.back.to, Subject()).facts):
            raise Refusal(f'"{self._said(order.spans)}" does not say what of "{self.phrase(thing)}" is to be sent')
        value = Of(fields=fields, thing=thing, spans=thing.spans) if thing.back is None else thing.back
        return rest.model_copy(update={"slots": (*rest.slots, Slot(role="saying", value=value, spans=thing.spans))})

    def _reply(self, order: Order) -> Order:
        """An answer to a message has the message as its object."""
        person = next((slot for slot in order.slots if slot.role == "to" and isinstance(slot.value, Text)), None)
        kinds = [(card, kind) for card in self.cards for kind in card.kinds if any(verb.verb == "reply" for verb in kind.verbs)]
        sends = [card for card in self.cards if any(kind.sends for kind in card.kinds)]  # else it may be meant in chat
        if person is not None and len(kinds) == len(sends) == 1 and not any(slot.role == "by" for slot in order.slots):
            wrote = Test(relation="from", value=person.value, spans=person.spans)
            (card, kind), spans = kinds[0], person.spans
            mail = Thing(kind=kind.kind, tests=(wrote,), place=Thing(kind=card.app, spans=spans), spans=spans)
            if "@" not in person.value.text and len(self._looked(mail)) == 1:  # type: ignore[union-attr]
                return self._without(order, person, object=mail)
        to = next((slot for slot in order.slots if slot.role == "to" and isinstance(slot.value, Of | Back)), None)
        if to is None or (isinstance(to.value, Of) and (to.value.fields or not to.value.thing.kind)):
            return order
        thing = Thing(back=to.value, spans=to.spans) if isinstance(to.value, Back) else to.value.thing  # type: ignore[union-attr]
        return self._without(order, to, object=thing)

    def _make(self, order: Order, thing: Thing) -> None:
        """A new record, or one for each of several that are named."""
        things = (thing.model_copy(update={"also": ()}), *thing.also)
        places = self._cards_for(order, thing)
        for one in things:
            noun = one.kind or thing.kind
            booked = order.said.casefold() in {"book", "reserve"} and not any(slot.role == "with" for slot in order.slots)
            if (noun == "entry" or (noun in gatherings() and not booked and not self._maybe(noun))) and (
                planned := self._planned(order)
            ):
                called = one.name or Text(text=noun, spans=one.spans)
                titled = any(slot.field == "title" for slot in order.slots)
                one = one.model_copy(update={"kind": planned, "name": None if titled else called})
            if not (one.kind or thing.kind) and order.verb == "book" and one.name is not None and one.name.quoted:
                one = one.model_copy(update={"kind": self._planned(order)})
            kinds = [pair for pair in self._kinds(one.kind or thing.kind, places) if pair[1].create is not None]
            if len(kinds) != 1:
                there = " and ".join(card.title for card, _ in kinds)
                why = f"may be made in {there}; say where" if kinds else "cannot be made in any application"
                raise Refusal(f'a new "{one.kind or thing.kind}" {why}', ask=bool(kinds))
            order = self._for_whom(order, one, kinds[0][1])
            source = next((s for s in order.slots if s.role == "for" and self._is_record(s.value)), None)
            if kinds[0][1].sends:
                self._message(order.model_copy(update={"object": one}))
            elif source is not None and isinstance(source.value, Of) and not one.name and not one.tests:
                self._derive(self._without(order, source), source.value.thing, *kinds[0])
            else:
                self._make_one(order, one, *kinds[0])

    def _planned(self, order: Order) -> str:
        """The kind of what takes place at a time, where only a title and a day are said."""
        makes = [kind for card in self.cards for kind in card.kinds if kind.create is not None]
        kinds = [kind for kind in makes if any(field.type == "time" and field.written for field in kind.fields)]
        dated = any(isinstance(slot.value, When) and slot.value.first for slot in order.slots)
        return kinds[0].kind if dated and len(kinds) == 1 else ""

    def _for_whom(self, order: Order, one: Thing, kind: KindCard) -> Order:
        """ "A contact for Nina Vogel" is called so; "a claim for INV-12" is made from what has that number."""
        slot = next((s for s in order.slots if s.role == "for" and isinstance(s.value, Text) and not s.field), None)
        if slot is None or not isinstance(slot.value, Text):
            return order
        if kind.holds_people and one.name is None:
            other = slot.model_copy(update={"role": "called"})
        elif IDENTIFIER.fullmatch(slot.value.text):
            meant = Thing(name=slot.value, spans=slot.value.spans)
            other = slot.model_copy(update={"value": Of(thing=meant, spans=meant.spans)})
        else:
            return order
        self._take(slot)
        return order.model_copy(update={"slots": tuple(other if s is slot else s for s in order.slots)})

    def _is_record(self, value: Value) -> bool:
        thing = value.thing if isinstance(value, Of) and not value.fields else None
        named = thing is not None and thing.name is not None and IDENTIFIER.fullmatch(thing.name.text)
        return thing is not None and not thing.new and (thing.back is not None or bool(named) or bool(self._maybe(thing.kind)))

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
        slots = [slot for slot in order.slots if not (slot.role == "into" and self._is_place(slot.value)) or located]
        into = [slot.value for slot in order.slots if slot not in slots and not self._names_app(slot.value)]
        called = [s for s in slots if s.role == "into" and isinstance(s.value, Of) and s.value.thing.name and located]
        for slot in (s for s in called if isinstance(s.value, Of) and not self._maybe(s.value.thing.kind)):  # the Garden Room
            self._take(slot)
            text = Text(text=self.phrase(slot.value.thing))  # type: ignore[union-attr]
            slots[slots.index(slot)] = slot.model_copy(update={"value": text})
        self._take(*(slot for slot in order.slots if slot not in slots and len(into) == 1))
        things = [Thing(name=value) if isinstance(value, Text) else value.thing for value in into if isinstance(value, Text | Of)]
        places = [*things, *([one.place] if one.place is not None and self._app_called(one.place) is None else [])]
        place = next((escaped(place.name.text if place.name else place.kind) for place in places), "")
        entries = self._entries(card, kind, [*named, *slots], key=key)
        self._made(card, kind, place, entries, self._commit(order, kind, "save"))

    def _made(self, card: AppCard, kind: KindCard, place: str, entries: Sequence[Entry], commit: str) -> None:
        self._app = card.app
        self._add(CreateStep(app=card.app, kind=kind.kind, place=place, entries=tuple(entries), commit=commit))
        keys = {field.label: field.label if field.listed else "" for field in kind.fields if field.key}
        tests = tuple(RowTest(label=keys[entry.label], value=entry.value) for entry in entries if entry.label in keys)
        row = Row(Records(app=card.app, kind=kind.kind, place=place, tests=tests), {e.label: e.value for e in entries})
        before = self._subjects.get(self._at, Subject())
        self._subjects[self._at] = Subject((*before.rows, row), phrase=self._said(self.reading.orders[self._at].spans))

    def _written(self, order: Order, told: Sequence[Value], target: Slot, goal: Thing) -> None:
        rest = tuple(slot for slot in order.slots if slot is not target and slot.role != "value")
        fielded = any(slot.role == "value" and slot.field for slot in order.slots)
        home = self._app_called(goal)
        if home is None and goal.quantity == "all" and goal == Thing(kind=goal.kind, quantity="all", spans=goal.spans):
            home = next((card for card, kind in self._maybe(goal.kind) if kind.create is not None), None)  # to the supplies
        if home is not None:
            return self._made_at_home(order, told, target, goal, home)
        if goal.new or (goal.quantity == "any" and goal.back is None):
            body = tuple(Slot(role="saying", value=value) for value in told)
            return self._make(order.model_copy(update={"slots": (*rest, *body)}), goal)
        records = self._touched(self.one(goal))
        kind = self.kind(records)
        if fielded and not told:
            return self._fill(order, records, self._entries(self.card(records.app), kind, rest + tuple(
                slot for slot in order.slots if slot.role == "value" and slot not in rest
            )))  # fmt: skip
        same = [ground_field(one.fields[0], kind, True) for one in told if isinstance(one, Of) and len(one.fields) == 1]
        own = [field for field in same if field is not None and field.type != "long_text"]
        if (
            own and len(told) == len(own) == 1 and not any(slot.role == "at" for slot in order.slots)
        ):  # into the field of that name
            return self._fill(order, records, [Entry(label=own[0].label, value=self.words(told[0], own[0]))])
        long = [field for field in kind.fields if field.type == "long_text" and field.written]
        if not long:
            raise Refusal(f'"{self._said(order.spans)}": a {kind.kind} in {self.card(records.app).title} takes no such text')
        where = [slot for slot in order.slots if slot.role == "at" and isinstance(slot.value, Text)]
        at = [slot.value.text for slot in where if isinstance(slot.value, Text) and slot.value.text in {"start", "end"}]
        self._take(*(slot for slot in where if at))
        mode: Literal["append", "prepend"] = "prepend" if "start" in at else "append"
        self._fill(order, records, [Entry(label=long[0].label, value="\n".join(map(self.words, told)), mode=mode)])

    def _made_at_home(self, order: Order, told: Sequence[Value], target: Slot, goal: Thing, home: AppCard) -> None:
        """ "Add X to my to-do list": a new record of the application, or of the one of its lists that is named."""
        things = [one.thing if isinstance(one, Of) and not one.fields else Thing() for one in told]
        told = [
            thing.name if thing.name and not (thing.tests or self._maybe(thing.kind)) else one
            for thing, one in zip(things, told, strict=True)
        ]
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
        self._add(
            FillStep(
                app=records.app, records=records, entries=tuple(entries), commit=self._commit(order, self.kind(records), "save")
            )
        )
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
            if not told:  # nothing of it is in the new one: then which one it is
                keys = [ground_field(key.label, kind, True) for key in self.kind(row.records).fields if key.key]
                name = next((key.label for key in keys if key is not None), "")
                if thing.name is None or not name:
                    raise Refusal(f'"{self._said(order.spans)}": nothing would say that it is for "{self.phrase(thing)}"')
                entries.append(Entry(label=name, value=self.words(thing.name)))
            self._made(card, kind, "", entries, self._commit(order, kind, "submit"))
        self._row = None


def gatherings() -> frozenset[str]:
    """What people arrange with each other, where no application has a word for it."""
    return frozenset(Lexicon.english().data["gatherings"])


def later(time: str, minutes: int) -> str:
    """The time of day so many minutes after another."""
    hour, minute = time.split(":")
    total = int(hour) * 60 + int(minute) + minutes
    return f"{total // 60 % 24:02d}:{total % 60:02d}"
