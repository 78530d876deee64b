"""Orders to steps: what has to be looked up first is looked up, and what stands for several records is done for each."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import Literal

from environments.cards import AppCard, FieldCard, KindCard, VerbCard
from roles.contracts import Fact
from roles.contracts.orders import (
    AnswerStep,
    Back,
    Entry,
    FillStep,
    FindStep,
    JobStep,
    Of,
    OpenStep,
    Order,
    PressStep,
    Reading,
    Records,
    Slot,
    Step,
    Test,
    Text,
    Thing,
    WaitStep,
    When,
    Worked,
)
from roles.contracts.values import parse_date, parse_time
from roles.contracts.wording import slots_in
from roles.policies.orders.forms import later
from roles.policies.orders.grounding import ground_field, ground_place, ground_verb, is_control
from roles.policies.orders.jobs import job_of
from roles.policies.orders.pages import PageOrders
from roles.policies.orders.state import COMMITS, LOOKS, Group, NotKnownYet, Refusal, Row, Subject, escaped, is_many
from roles.screen.language.names import bare
from roles.screen.matching import box_for, tokens

SWITCHES = {"turn_on": "true", "turn_off": "false", "mute": "true", "unmute": "false"}
ANSWERS = frozenset({"reply", "forward"})
DAY = 1440
"""Minutes."""
MAKES = frozenset({"create", "book"})
EMPTIES = frozenset({"empty", "remove", "delete"})
WRITES = frozenset({"add", "put", "write", "collect", "copy"})


class Planner(PageOrders):
    """Walks through the orders as far as the facts allow. `more` says that it had to stop before the end."""

    def groups(self) -> list[Group]:
        """What is to be done, in order. Raises Refusal."""
        self._leave_out()
        if not self.on_page:
            self._check_apps()
            self._name_fields()
            self._join_fields()
            self._join_commits()
        for at, order in enumerate(self.reading.orders):
            self._at, self._stops = at, 0
            if order.negated and order.verb in LOOKS:
                raise Refusal(f'"{self._said(order.spans)}": what is worked on may have to be opened')
            if order.negated or at in self._merged or at in self._skipped:
                continue
            try:
                if order.condition is None or self._holds(order.condition):
                    self._work_whole(order)
                else:
                    self._bind_no_more(at)
                    self.passed_over = True
                self._close(f"o{at}")
            except NotKnownYet:
                self.more = True
                break
        return self.made

    def _bind_no_more(self, at: int) -> None:
        """ "If ..., go through my mails. Delete ...": where nothing is to be gone through, what is to become of it may not hold
        either. Raises Refusal."""
        order, later = self.reading.orders[at], self.reading.orders[at + 1 :]
        thing = order.object
        if order.verb not in LOOKS or thing is None or not is_many(thing):
            return
        bound = next((o for o in later if o.condition is None and o.object and o.object.kind == thing.kind), None)
        if bound is not None:
            raise Refusal(f'"{self._said(bound.spans)}": is that wanted too where the condition does not hold?')

    def _work_whole(self, order: Order) -> None:
        """The order, of which no part may be passed over."""
        self._taken = []
        if self.on_page:
            return self._work_on_page(order)
        if (job := job_of(order, self.reading.goal)) is not None:
            self._job(order, job)
        elif not (self._click_called(order) or self._reminded(order)):
            self._work(order)
        for slot in order.slots:
            if slot not in self._taken and not self._names_app(slot.value):
                raise Refusal(f'"{self._said(slot.spans)}": it is not understood what that is to "{order.said or order.verb}"')

    def _work(self, order: Order) -> None:
        """The steps of one order."""
        plain = {"answer": self._answer, "wait": self._wait, "wait_time": self._wait, "keep": lambda _: None}
        if self._offered(order):
            raise Refusal(f'"{self._said(order.spans)}": is it to be looked at, or is "{order.said}" to be pressed?', ask=True)
        if work := self._look if order.verb in LOOKS else plain.get(order.verb):
            return work(order)
        if per := next((slot for slot in order.slots if slot.role == "per"), None):
            return self._for_each(order, per)
        order = self._meant(order)
        if order.verb == "send" or (order.verb == "reply" and order.object is None):
            return self._message(order)
        some = order.object is not None and order.object.quantity == "any" and not any(s.role == "into" for s in order.slots)
        if order.object is not None and (order.object.new or order.verb in MAKES or (order.verb in {"add", *COMMITS} and some)):
            return self._make(order, order.object)
        if not self._can(order):
            raise Refusal(f'not understood: "{order.said or order.verb}" (no application can do that)')
        if (order.verb in EMPTIES and self._cleared(order)) or self._member(order):
            return None
        if order.verb in WRITES:
            return self._write(order)
        return self._do(order)

    def _meant(self, order: Order) -> Order:
        """An order as another verb says it: a value that is saved in a note is written there, a reply is to a message."""
        if order.verb == "reply" and order.object is None:
            return self._reply(order)
        if order.verb == "forward" and order.object is not None and not self._can(order):
            return self._forwarded(order, order.object)
        field = self._field_said(order.object) if order.verb == "save" and any(s.role == "into" for s in order.slots) else None
        if field is not None:
            slots = (Slot(role="value", value=field, spans=field.spans), *order.slots)
            return order.model_copy(update={"verb": "write", "object": None, "slots": slots})
        back = order.object.back if order.verb == "set" and order.object is not None and not order.object.tests else None
        said = next((slot.field for slot in order.slots if slot.field), "")
        if back is not None and said and not self._subjects.get(back.to, Subject()).rows:  # of what there is only one
            alone = Thing(kind=said, spans=order.object.spans if order.object is not None else ())
            plain = tuple(slot.model_copy(update={"field": ""}) if slot.field == said else slot for slot in order.slots)
            self._take(*(slot for slot in order.slots if slot.field == said))
            meant = order.model_copy(update={"object": alone, "slots": plain})
            return meant if self._single(meant, alone) else order
        return order

    def _reminded(self, order: Order) -> bool:
        """ "Remind me an hour before the lunch": the reminder that what takes place has by itself."""
        slots = order.slots if order.verb == "remind" else ()
        by = next((s for s in slots if s.role == "by" and isinstance(s.value, When) and s.value.minutes < 0), None)
        about = next((slot for slot in order.slots if slot.role == "about" and isinstance(slot.value, Of | Text | Back)), None)
        if by is None or about is None or len(order.slots) != 2 or not isinstance(by.value, When):
            return False
        value = about.value
        thing = value.thing if isinstance(value, Of) else Thing(name=value) if isinstance(value, Text) else Thing(back=value)  # type: ignore[arg-type]
        records = self._touched(self.one(thing, ("reminder",)))
        field = ground_field("reminder", self.kind(records), True)
        options = [one for one in field.options if minutes_said(one) == -by.value.minutes] if field is not None else []
        if field is None or len(options) != 1:
            there = ", ".join(field.options) if field is not None else "nothing"
            raise Refusal(f'"{self._said(by.spans)}": reminders there are: {there}')
        self._take(by, about)
        self._fill(order, records, [Entry(label=field.label, value=options[0])])
        return True

    def _forwarded(self, order: Order, thing: Thing) -> Order:
        """Where no control forwards: a new message with the subject and the text of that one, and what is said to it."""
        said = [slot.value for slot in order.slots if slot.role == "saying"]
        parts = (*said, Of(fields=("message",), thing=thing, spans=thing.spans))
        text = parts[0] if len(parts) == 1 else Worked(how="joined", of=parts, spans=thing.spans)
        self._take(*(slot for slot in order.slots if slot.role == "saying"))
        slots = [slot for slot in order.slots if slot.role != "saying"]
        if not any(slot.field == "subject" for slot in slots):
            subject = Of(fields=("subject",), thing=thing, spans=thing.spans)
            slots.append(Slot(role="with", field="subject", value=subject, spans=thing.spans))
        slots.append(Slot(role="saying", value=text, spans=thing.spans))
        return order.model_copy(update={"verb": "send", "said": "mail", "object": None, "slots": tuple(slots)})

    def _job(self, order: Order, job: JobStep) -> None:
        """Code for the Technician, which brings a fact where later words speak of it."""
        homes = [card.app for card in self.cards if any(kind.kind == "file" for kind in card.kinds)]
        if not homes:
            raise Refusal(f'"{self._said(order.spans)}" is done with files, and no application holds any')
        self._take(*order.slots)
        later = "".join(order.model_dump_json() for order in self.reading.orders[self._at + 1 :])
        spoken_of = f'"to":{self._at},' in later or '"output"' in later
        name = self._name("output of the script", job.model_dump_json()) if spoken_of else ""
        if spoken_of:
            self._subjects[self._at] = Subject(facts=(name,), phrase=name)
        self._add(job.model_copy(update={"app": homes[0], "name": name}))

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
        states = [s.value.text for s in order.slots if s.role == "as" and isinstance(s.value, Text)]
        said = " as ".join([order.said or order.verb, *states])
        kinds = [(card, kind) for card in self.cards for kind in (*card.kinds, None)]
        ways = (ground_verb(order.verb, said, card, kind) or (kind and box_for(order, kind)) for card, kind in kinds)
        return any(ways)

    def _for_each(self, order: Order, per: Slot) -> None:
        """Once for each record of "for every ...", with "its" being that record."""
        if not isinstance(per.value, Of):
            raise Refusal(f'"{self._said(per.spans)}" is not understood as what it is to be done for')
        once = self._without(order, per)
        wanted = tuple(dict.fromkeys(f for slot in once.slots if isinstance(slot.value, Of) for f in slot.value.fields))
        rows = self.rows(per.value.thing, wanted)
        for row in rows:
            self._row = row
            self._work(once)
        self._row = None
        self._subjects[self._at] = Subject(tuple(rows), phrase=self.phrase(per.value.thing))

    def _look(self, order: Order) -> None:
        thing, told = order.object, self._values(order)
        if told:
            facts = tuple(name for value in told for name in slots_in(self.words(value)))
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

    def _answer(self, order: Order) -> None:
        values = self._values(order)
        if order.object is not None:
            values = [Of(thing=order.object, spans=order.object.spans)]
        if not values:
            raise Refusal(f'"{self._said(order.spans)}" does not say what is to be told')
        said = [self.words(value) for value in values]
        facts = tuple(name for one in said for name in slots_in(one))
        self._subjects[self._at] = Subject(self._rows_told(values), facts, self._said(order.spans))
        self._told.append(", ".join(said) if any(said) else "none")
        self._add(AnswerStep(value="\n".join(self._told)))  # what is told last is all that stands

    def _wait(self, order: Order) -> None:
        lengths = [slot for slot in order.slots if isinstance(slot.value, When) and slot.value.minutes]
        self._take(*lengths[:1])
        minutes = next((slot.value.minutes for slot in lengths if isinstance(slot.value, When)), 0)
        if order.object is None:
            self._add(WaitStep(app=self._app or self.cards[0].app, seconds=minutes * 60.0 or 60.0))
            return
        records = self._touched(self.one(order.object))
        phrase = self.phrase(order.object)
        if order.object.new:  # what is there already is not what is waited for
            (table,) = self._need(self._collected(records.model_copy(update={"exactly": 0}), f"{phrase} so far", ()))
            if table.rows:
                raise Refusal(f'"{phrase}": {table.rows[0][0]} is there already, so the new one could not be told apart from it')
        self._add(WaitStep(app=records.app, records=records))
        self._subjects[self._at] = Subject((Row(records),), phrase=phrase)

    def _write(self, order: Order) -> None:
        """Values into a record: a new one, or at the end of the text of one that is there."""
        told, thing = self._values(order), order.object
        target = next((slot for slot in order.slots if slot.role in {"into", "to"} and isinstance(slot.value, Of | Back)), None)
        placed = any(slot.role in {"into", "to"} for slot in order.slots)
        target = target or next((slot for slot in order.slots if slot.role == "at" and self._form_at(slot.value)), None)
        into = target.value if target is not None else None
        goal = into.thing if isinstance(into, Of) else Thing(back=into) if isinstance(into, Back) else None
        if thing is not None:
            named = any(slot.role in {"into", "to"} and self._names_app(slot.value) for slot in order.slots)
            if thing.quantity == "any" and order.verb in {"add", "put"} and named:  # add a task to my to-do list
                made = thing.model_copy(update={"new": True})
                return self._make(order.model_copy(update={"object": made}), made)
            if thing.back is None and not thing.kind and (kind := self._put_there(goal)):
                made = thing.model_copy(update={"kind": kind})
                return self._do(order.model_copy(update={"verb": "add", "object": made}))
            if order.verb in {"add", "put", "copy"} and thing.back is None and not (thing.name and not self._maybe(thing.kind)):
                return self._do(order if order.verb != "put" or not placed else order.model_copy(update={"verb": "move"}))
            told = [thing.back if thing.back is not None and not thing.tests else Of(thing=thing, spans=thing.spans)]
        title = told[0] if len(told) == 1 and isinstance(told[0], Text) and told[0].quoted else None
        if target is None and isinstance(title, Text) and order.verb in {"put", "add"} and (kind := self._planned(order)):
            slots = tuple(slot for slot in order.slots if slot.role != "value")
            made = Thing(kind=kind, name=title, new=True, spans=title.spans)
            return self._make(order.model_copy(update={"object": made, "slots": slots}), made)
        if goal is None or target is None or not (told or any(slot.role == "value" for slot in order.slots)):
            raise Refusal(f'"{self._said(order.spans)}" does not say {"what" if goal else "where it"} is to be written')
        self._take(target)
        return self._written(order, told, target, goal)

    def _put_there(self, goal: Thing | None) -> str:
        """The one kind that has a control by which it goes there: "Add to cart"."""
        into = goal.kind if goal is not None else ""
        there = [kind for _, kind in self._maybe(into)]
        kinds = [kind for card in self.cards for kind in card.kinds if kind not in there]
        found = {kind.kind for kind in kinds for verb in kind.verbs if verb.verb == "add" and into in tokens(verb.control)}
        return found.pop() if len(found) == 1 else ""

    def _member(self, order: Order) -> bool:
        """Whether it is done by a list that is a field: "add Ann to the group Sales", "invite Ann to the meeting"."""
        slots = [slot for slot in order.slots if slot.role in {"into", "from", "to"}]
        slot = next((one for one in slots if isinstance(one.value, Of | Back) and not getattr(one.value, "fields", ())), None)
        if slot is None or order.object is None or not isinstance(slot.value, Of | Back):
            return False
        other = slot.value.thing if isinstance(slot.value, Of) else Thing(back=slot.value, spans=slot.value.spans)
        self._take(slot)
        mode: Literal["add", "remove"] = "remove" if order.verb == "remove" else "add"
        kinds = [kind for card in self.cards for kind in card.kinds]
        if order.verb == "invite":
            return self._attended(order, order.object, other)
        if order.verb == "remove" and self._emptied(order, order.object, other):
            return True
        person = (
            bare(order.object) and order.object.name is not None and re.fullmatch(r"[^\W\d_a-z][^\d]*", order.object.name.text)
        )
        if person and order.verb in {"remove", "add", "put"} and (other.name or other.back) and self._takes_part(order, other):
            return True
        named = other.name is not None and any(list_field(other.kind, kind) for kind in kinds)
        if order.verb not in {"add", "put", "remove"} or not named or other.name is None:
            return False
        for row in self.rows(order.object):
            field = list_field(other.kind, self.kind(row.records))
            if field is None:
                return False
            self._fill(order, self._touched(row.records), [Entry(label=field.label, value=escaped(other.name.text), mode=mode)])
        return True

    def _takes_part(self, order: Order, other: Thing) -> bool:
        """ "Take Ann off the team lunch", "put her on it": what has attendees, where no list that records are in is called so."""
        rows = self._subjects.get(other.back.to, Subject()).rows if other.back is not None else ()
        held = [self.kind(row.records) for row in rows] or [kind for _, kind in self._maybe(other.kind)]
        if other.back is not None and not rows:
            return False
        having = [k for card in self.cards for k in card.kinds if ground_field("attendees", k, True, "list")]
        lists = any(list_field(other.kind, kind) for card in self.cards for kind in card.kinds)
        if lists or not having or (held and not any(kind in having for kind in held)) or order.object is None:
            return False
        return self._attended(order, order.object, other)

    def _attended(self, order: Order, people: Thing, other: Thing) -> bool:
        """Whether the field of it that holds attendees is changed."""
        records = self._touched(self.one(other, ("attendees",)))
        field = ground_field("attendees", self.kind(records), True)
        if field is not None:
            names = ", ".join(self._people(Of(thing=people)))
            entry = Entry(label=field.label, value=names, mode="remove" if order.verb == "remove" else "add")
            self._fill(order, records, [entry])
        return field is not None

    def _cleared(self, order: Order) -> bool:
        """ "Clear the phone number of Ann": a field of her record, where no application holds such things."""
        field = self._field_said(order.object) if not order.slots else None
        return field is not None and self._emptied(order, Thing(kind=field.fields[0], spans=field.spans), field.thing)

    def _field_said(self, thing: Thing | None) -> Of | None:
        """A thing that is a field of a record: "the phone number of Ann"."""
        plain = thing is not None and not (thing.name or thing.back or thing.pick or thing.but)
        if thing is None or not plain or len(thing.tests) != 1 or not thing.kind:
            return None
        test = thing.tests[0]
        named = Thing(name=test.value, spans=test.spans) if isinstance(test.value, Text) else None
        value = test.value.thing if isinstance(test.value, Of) else named
        kinds = [kind for card in self.cards for kind in card.kinds]
        own = any(thing.kind in (kind.kind, *kind.words) for kind in kinds)
        if value is None or own or test.relation != "is" or test.field or test.negated:
            return None
        return Of(fields=(thing.kind,), thing=value, spans=thing.spans)

    def _emptied(self, order: Order, thing: Thing, holder: Thing) -> bool:
        """ "Take the company out of Zoe's contact": a field that is to hold nothing."""
        kinds = [kind for card in self.cards for kind in card.kinds]
        own = any(thing.kind in (kind.kind, *kind.words) for kind in kinds)
        if thing.name is not None or thing.tests or thing.back is not None or not thing.kind or own:
            return False
        if not any(ground_field(thing.kind, kind, True) for kind in kinds):
            return False
        records = self._touched(self.one(holder, (thing.kind,)))
        field = ground_field(thing.kind, self.kind(records), True)
        if field is not None:
            self._fill(order, records, [Entry(label=field.label, value="", mode="clear")])
        return field is not None

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
            order = self._without(order, sender, object=thing)
        home = next((s for s in order.slots if s.role in {"from", "at"} and isinstance(s.value, Of) and not s.value.fields), None)
        if home is not None and isinstance(home.value, Of) and thing.place is None and thing.back is None:
            thing = thing.model_copy(update={"place": home.value.thing})
            order = self._without(order, home, object=thing)
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

    def _verb_on(self, order: Order, records: Records) -> None:
        card, kind = self.card(records.app), self.kind(records)
        if (box := box_for(order, kind)) is not None:
            self._take(*(slot for slot in order.slots if slot.role == "as"))
            entry = Entry(label=box.label, value=box.value)
            if not box.stands_in_row:
                return self._fill(order, records, [entry])
            return self._add(FillStep(app=records.app, records=records, entries=(entry,)))
        said = order.said + "".join(f" as {self.words(s.value)}" for s in order.slots if s.role == "as")
        verb = ground_verb(order.verb, said, card, kind)
        home = order.object.place if order.verb == "remove" and order.object is not None else None
        if home is not None and home.name and any(test.label and test.value == home.name.text for test in records.tests):
            raise Refusal(f'"{self._said(order.spans)}" deletes nothing, and how to take it out is not known')
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
        timed = any(field.type in {"date", "time"} for field in verb.asks)
        late = [slot for slot in slots if slot.role == "until" and isinstance(slot.value, When) and not timed]
        self._take(*late)  # a time by which it is to be done
        slots = [slot for slot in slots if slot not in late]
        found: list[tuple[FieldCard, str]] = []
        for slot in slots:
            only = verb.asks[0] if len(verb.asks) == 1 == len(slots) else None
            field = only or self._field_of(slot, form, {f.label for f, _ in found})
            if field is None:
                raise Refusal(f'"{self._said(slot.spans)}": "{verb.control}" does not ask for it')
            made = self._made_there(slot)
            if made:
                found.append((field, made))
                self._take(slot)
                continue
            plain = slot.role in {"into", "to"} and isinstance(slot.value, Of) and not slot.value.fields
            place = slot.value.thing if plain and isinstance(slot.value, Of) else None
            where = ground_place(place, card, kind) if place is not None and not place.tests else None
            found.append((field, escaped(where) if where else self.words(slot.value, field)))
            self._take(slot)
        return found

    def _made_there(self, slot: Slot) -> str:
        """ "Make a folder Old and move the file into it": what the one that is spoken of is called."""
        rows = self._subjects.get(slot.value.to, Subject()).rows if isinstance(slot.value, Back) and not slot.value.field else ()
        return next(iter(rows[0].cells.values()), "") if slot.role == "into" and len(rows) == 1 else ""

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
        if by and by % DAY == 0:
            self._take(*shift)
            return self._days_later(order, by // DAY, kind)
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
            end = later(new[times[0].label], ((parse_time(rest[-1]) or 0) - (parse_time(start) or 0)) % DAY)
            entries.append(Entry(label=times[1].label, value=end))
        return entries

    def _days_later(self, order: Order, days: int, kind: KindCard) -> list[Entry]:
        """The days of a record, each so many later."""
        (name,) = self.read(Of(fields=("date",), thing=order.object or Thing()))
        first = parse_date(self._known(name))
        fields = [ground_field(f"{edge} date", kind, True, "date") for edge in ("start", "end")]
        if first is None or fields[0] is None:
            raise Refusal(f'"{self._said(order.spans)}": it is not shown on which day it is now')
        day = str(first + timedelta(days=days))
        return [Entry(label=field.label, value=day) for field in fields if field is not None]

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

    def _click_called(self, order: Order) -> bool:
        """'Click "Hand out P-2"': the control of that name, of the one application that has it, is named or is at the front."""
        thing = order.object
        if order.verb != "click" or thing is None or thing.name is None or not thing.name.quoted or thing.tests:
            return False
        asked = thing.place.name.text if thing.place is not None and thing.place.name is not None else ""
        for slot in order.slots:
            if self._names_app(slot.value) and isinstance(slot.value, Of):
                asked = slot.value.thing.name.text if slot.value.thing.name else ""
        cards = [card for card in self.cards if not asked or asked.casefold() in {card.app.casefold(), card.title.casefold()}]
        every = [(card, verb) for card in cards for verb in (*card.verbs, *(v for kind in card.kinds for v in kind.verbs))]
        fits = {card.app: verb.verb for card, verb in every if is_control(verb.control, thing.name.text)}
        front = not asked and self._app in {card.app for card in cards}
        app = self._app if front else next(iter(fits)) if len(fits) == 1 else cards[0].app if len(cards) == 1 else ""
        if not app:
            return False
        self._add(PressStep(app=app, verb=fits.get(app, "click"), control=thing.name.text))
        self._app = app
        return True

    def _set(self, order: Order, thing: Thing) -> None:
        """New values of fields: of a record, or of what an application has only one of, such as its settings."""
        app, label = self._form_of(thing)
        if app:
            new = [slot for slot in order.slots if slot.role == "value"][:1]
            self._take(*new)
            self._add(FillStep(app=app, entries=(Entry(label=label, value=self.words(new[0].value)),)))
            self._app = app
            return
        own = self._single(order, thing)
        if own:
            if len(own) > 1:
                held = " and ".join(card.title for card, _, _ in own)
                raise Refusal(f'"{self.phrase(thing)}" is in {held}; say which', ask=True)
            card, kind, field = own[0]
            new = [slot for slot in order.slots if slot.role in {"value", "to"}][:1]
            whose = [s for s in order.slots if isinstance(s.value, Of) and s.value.thing.kind in {kind.kind, *kind.words}]
            self._take(*new, *whose)  # "for my account" says no more than that
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

    def _form_of(self, thing: Thing) -> tuple[str, str]:
        """The application whose form has a field of this name, and its label: the form is named, or a control led to it."""
        said = thing.name.text if thing.name is not None else thing.kind
        if (thing.name is not None and (thing.kind or not thing.name.quoted)) or thing.tests or thing.back:
            return "", ""
        place = thing.place
        home = self._app_called(place) if place is not None else None
        if place is not None and home is None and place.kind == "form" and place.name is not None:
            noun = place.name.text.casefold().removesuffix("form").strip()
            home = next((card for card, kind in self._maybe(noun) if kind.create is not None), None)
        if home is not None:
            fields = [ground_field(said, kind, True) for kind in home.kinds if kind.create is not None]
            return next(((home.app, field.label) for field in fields if field is not None), ("", ""))
        for step in (*(step for group in self.made for step in group.steps), *self._steps)[-1:]:
            led = (isinstance(step, PressStep) and step.control) or (isinstance(step, FillStep) and not step.commit)
            if isinstance(step, PressStep | FillStep) and led and thing.name is not None and place is None:
                return step.app, said
        return "", ""

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
        noun = thing.kind or (thing.name.text if thing.name is not None and not thing.name.quoted else "")
        if (thing.name is not None and thing.kind) or thing.tests or thing.back is not None or not noun:
            return []
        if any(not kind.single for _, kind in self._maybe(noun)):
            return []
        found: list[tuple[AppCard, KindCard, FieldCard]] = []
        asked = tuple(slot.field for slot in order.slots if slot.field)
        said = (noun,) if order.verb == "set" else (noun, order.verb)
        for card, kind in [(one, single) for one in self.cards for single in one.kinds if single.single]:
            kept = tuple(field for field in kind.fields if field.type == "truth" or order.verb == "set")
            form = kind.model_copy(update={"fields": kept})
            own = {kind.kind, *kind.words}  # the record itself, and none of its fields
            names = () if asked and noun not in own else asked or said  # a field of somebody else is none of its fields
            fields = [field for words in names if words not in own and (field := ground_field(words, form, True)) is not None]
            found += [(card, kind, field) for field in fields[:1]]
        return found


def list_field(words: str, kind: KindCard) -> FieldCard | None:
    """A field for several names, of which each record may have one by now: Groups."""
    field = ground_field(words, kind, True, "list") or ground_field(words, kind, True, "choice")
    return field if field is not None and (field.type == "list" or field.label.casefold() == f"{words.casefold()}s") else None


def minutes_said(words: str) -> int:
    """How long before: `1 hour before`; 0 where it is no length."""
    found = re.match(r"(\d+) (minute|hour|day|week)s? before", words)
    return int(found[1]) * {"minute": 1, "hour": 60, "day": DAY, "week": 7 * DAY}[found[2]] if found else 0


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
