"""Orders to steps: what has to be looked up first is looked up, and what stands for several records is done for each."""

from collections.abc import Iterable, Sequence
from typing import Literal

from environments.cards import AppCard, FieldCard, KindCard, VerbCard
from environments.effects import SENSITIVE, Effect
from environments.effects.words import effect_of_words
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
    ReadStep,
    Records,
    Slot,
    Step,
    Text,
    Thing,
    WaitStep,
    When,
    Worked,
)
from roles.contracts.values import parse_time
from roles.contracts.wording import slots_in
from roles.policies.orders.forms import one_way
from roles.policies.orders.grounding import Refusal, ground_field, ground_place, ground_verb, is_of, list_field
from roles.policies.orders.jobs import job_of
from roles.policies.orders.pages import Missing, PageOrders
from roles.policies.orders.state import COMMITS, LOOKS, Group, NotKnownYet, Row, Subject, each_of, escaped, is_many
from roles.screen.language.names import bare
from roles.screen.language.words import Lexicon, deeds, phrases
from roles.screen.matching import box_for, is_control, tokens
from roles.screen.texts import is_name
from roles.screen.values import minutes_in

SWITCHES = {"turn_on": "true", "turn_off": "false", "mute": "true", "unmute": "false"}
ANSWERS = frozenset({"reply", "forward"})
DAY = 1440
"""Minutes."""
MAKES = frozenset({"create", "book"})
WRITES = frozenset({"add", "put", "write", "collect", "copy"})


class Planner(PageOrders):
    """Walks through the orders as far as the facts allow. `more` says that it had to stop before the end."""

    def groups(self) -> list[Group]:
        """What is to be done, in order. Raises Refusal."""
        self._leave_out()
        if not self.on_page:
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
                if self.on_page:
                    self._look_ahead(at)
                break
        last = self.made[-1].steps[-1] if self.on_page and self.made and not self.more else None
        if isinstance(last, FillStep) and not last.commit:
            steps = (*self.made[-1].steps[:-1], last.model_copy(update={"leaves": True}))
            self.made[-1] = self.made[-1]._replace(steps=steps)
        return self.made

    def _look_ahead(self, at: int) -> None:
        """Before something is pressed on a page that nobody takes back, what else the goal wants there is held against the page,
        and what had to be filled in is on it. Raises Refusal."""
        fresh = [step for group in self.made for step in group.steps if step not in self._plan]
        words = [step.control or step.verb for step in fresh if isinstance(step, PressStep) and not step.leads]
        if not any(effect_of_words(said) in SENSITIVE - {Effect.ACCOUNT} for said in words):
            return
        for later, order in enumerate(self.reading.orders[at:], at):
            if order.negated or later in self._skipped or (order.object is None and order.verb in {"find", "answer"}):
                continue
            self._at, self._steps = later, []
            try:
                self.on_view(self.here(order))
            except Missing:
                if order.verb in {"write", "set", "select", "drop"}:
                    raise
            except NotKnownYet:
                continue

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
        limits = [slot for slot in order.slots if slot.role == "before"]
        for slot in limits if not any(step.order == self._at for step in self._plan) else ():
            if isinstance(slot.value, When) and slot.value.first and f"{slot.value.first} {slot.value.start}" < self.now:
                raise Refusal(f'"{self._said(slot.spans)}": it is {self.now} by now')
        order = order.model_copy(update={"slots": tuple(slot for slot in order.slots if slot not in limits)})
        if self.on_page:
            return self._work_on_page(order)
        if (job := job_of(order, self.reading.goal)) is not None:
            self._job(order, job)
        elif not (self._click_called(order) or self._reminded(order)):
            self._work(order)
        for slot in order.slots:
            if slot not in self._taken and not self._names_app(slot.value):
                raise Refusal(f'"{self._said(slot.spans)}": it is not understood what that is to "{order.said or order.verb}"')

    def _work_on_page(self, order: Order) -> None:
        """The steps of one order; those that were planned for it before stay, since the page may be another by now."""
        if any(isinstance(slot.value, Worked) for slot in order.slots):
            raise self.unclear(order)  # the page may go on where it is not seen
        self._steps = [step for step in self._plan if step.order == self._at]
        if not self._steps or self.is_begun():
            try:
                order = self.here(order)
                told = order.object is None and all(slot.role == "value" for slot in order.slots)
                if told and order.verb in {"find", "answer"}:
                    (self._look if order.verb == "find" else self._answer)(order)
                    if not self._steps or not isinstance(self._steps[0], ReadStep):
                        raise self.unclear(order)
                else:
                    self.on_view(order)
            except Missing as missing:
                self._steps = []
                fresh = [step for group in self.made for step in group.steps if step not in self._plan]
                if not fresh:
                    self.made.append(Group(f"o{self._at}.0", (self.reveal(missing),)))
                raise NotKnownYet from None
        facts = [step.names[-1] for step in self._steps if isinstance(step, ReadStep)]
        self._subjects[self._at] = Subject(facts=tuple(facts[-1:]))

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
        if order.object is not None and (order.object.new or order.verb in MAKES or (order.verb in {"add", *COMMITS} and some)):
            return self._make(order, order.object)
        if not self._can(order):
            raise Refusal(f'not understood: "{order.said or order.verb}" (no application can do that)')
        if order.object is not None and self._member(order, order.object):
            return None
        return self._write(order) if order.verb in WRITES else self._do(order)

    def _reminded(self, order: Order) -> bool:
        """ "Remind me an hour before the lunch": the reminder that what takes place has by itself."""
        by = next((s for s in order.slots if s.role == "by" and isinstance(s.value, When)), None)
        about = next((s for s in order.slots if s.role == "about" and isinstance(s.value, Of | Text | Back)), None)
        if order.verb != "remind" or by is None or about is None or not isinstance(by.value, When):
            return False
        named = Thing(name=about.value) if isinstance(about.value, Text) else self._thing_of(about.value)
        records = self.one(named or Thing(), ("reminder",))
        field = ground_field("reminder", self.kind(records), True)
        options = [one for one in field.options if minutes_before(one) == -by.value.minutes] if field is not None else []
        if field is None or len(options) != 1:
            raise Refusal(f'"{self._said(by.spans)}": reminders there are: {", ".join(field.options) if field else "none"}')
        self._take(by, about)
        self._fill(order, records, [Entry(label=field.label, value=options[0])])
        return True

    def _job(self, order: Order, job: JobStep) -> None:
        """Code for the Technician, which brings a fact where later words speak of it."""
        homes = [card.app for card in self.cards if any(kind.kind == "file" for kind in card.kinds)]
        if not homes:
            raise Refusal(f'"{self._said(order.spans)}" is done with files, and no application holds any')
        self._take(*order.slots)
        later = "".join(order.model_dump_json() for order in self.reading.orders[self._at + 1 :])
        spoken_of = f'"to":{self._at},' in later or '"output"' in later
        name = self._name("output of the script", job.model_dump_json()) if spoken_of else ""
        if name:
            self._subjects[self._at] = Subject(facts=(name,), phrase=name)
        self._add(job.model_copy(update={"app": homes[0], "name": name}))

    def _offered(self, order: Order) -> bool:
        """Whether an application has a control of these very words: "Inspect" may be a deed there, and not only a look."""
        if order.verb != "check" or order.object is None:
            return False
        return any(verb.control.casefold() == order.said.casefold() for _, verb in self._controls(self.cards))

    def _controls(self, cards: Sequence[AppCard]) -> list[tuple[AppCard, VerbCard]]:
        return [(card, verb) for card in cards for verbs in (card.verbs, *(kind.verbs for kind in card.kinds)) for verb in verbs]

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
            self._add(OpenStep(app=app.app))
            return
        if thing.kind in {"app", "application", "program"}:
            there = ", ".join(card.title for card in self.cards) or "none"
            raise Refusal(f'there is no application called "{self.phrase(thing)}"; applications are: {there}')
        if is_many(thing):
            rows = self.rows(thing)
            self._subjects[self._at] = Subject(tuple(rows), phrase=self.phrase(thing))
            return
        records = self.one(thing)
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
        told = ", ".join(said) if any(said) else "none"
        self._told += [told] if told not in self._told or not facts else []
        self._add(AnswerStep(value="\n".join(self._told)))  # what is told last is all that stands

    def _wait(self, order: Order) -> None:
        lengths = [slot for slot in order.slots if isinstance(slot.value, When) and slot.value.minutes]
        self._take(*lengths[:1])
        minutes = next((slot.value.minutes for slot in lengths if isinstance(slot.value, When)), 0)
        if order.object is None:
            done = (*(step for group in self.made for step in group.steps), *self._steps)
            app = next((app for step in reversed(done) if (app := getattr(step, "app", ""))), "")
            self._add(WaitStep(app=app or self.cards[0].app, seconds=minutes * 60.0 or 60.0))
            return
        records = self.one(order.object)
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
        placed = [slot for slot in order.slots if slot.role in {"into", "to"}]
        target = next((slot for slot in placed if isinstance(slot.value, Of | Back)), None)
        target = target or next((slot for slot in order.slots if slot.role == "at" and self._form_at(slot.value)), None)
        goal = self._thing_of(target.value) if target is not None else None
        if thing is not None:
            if thing.quantity == "any" and order.verb in {"add", "put"} and any(self._names_app(s.value) for s in placed):
                made = thing.model_copy(update={"new": True})
                return self._make(order.model_copy(update={"object": made}), made)
            if thing.back is None and not thing.kind and (kind := self._put_there(goal)):
                made = thing.model_copy(update={"kind": kind})
                return self._do(order.model_copy(update={"verb": "add", "object": made}))
            if order.verb in {"add", "put", "copy"} and thing.back is None and not (thing.name and not self._maybe(thing.kind)):
                return self._do(order.model_copy(update={"verb": "move"}) if order.verb == "put" and placed else order)
            told = [thing.back if thing.back is not None and not thing.tests else Of(thing=thing, spans=thing.spans)]
        title = told[0] if len(told) == 1 and isinstance(told[0], Text) and told[0].quoted else None
        if target is None and title is not None and order.verb in {"put", "add"} and (planned := self._planned(order)):
            slots = tuple(slot for slot in order.slots if slot.role != "value")
            made = Thing(kind=planned, name=title, new=True, spans=title.spans)
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

    def _member(self, order: Order, thing: Thing) -> bool:
        """Whether it is done by a list that is a field: "add Ann to the group Sales", "take Ann off the team lunch"."""
        slots = [slot for slot in order.slots if slot.role in {"into", "from", "to"}]
        slot = next((one for one in slots if isinstance(one.value, Of | Back) and not getattr(one.value, "fields", ())), None)
        other = self._thing_of(slot.value) if slot is not None else None
        if slot is None or other is None or order.verb not in {"add", "put", "remove", "invite"}:
            return False
        kinds = [kind for card in self.cards for kind in card.kinds]
        mode: Literal["add", "remove"] = "remove" if order.verb == "remove" else "add"
        if any(list_field(other.kind, kind) for kind in kinds) and order.verb != "invite":
            if other.name is None:
                return False
            self._take(slot)
            if mode == "remove" and thing.quantity == "all":  # nobody else is in it
                thing = thing.model_copy(update={"place": other})
            parts = [self.rows(one) if is_many(one) else [Row(self.one(one, (other.kind,)))] for one in each_of(thing)]
            for row in (row for part in parts for row in part):
                field = list_field(other.kind, self.kind(row.records))
                if field is None:
                    raise Refusal(f'"{self._said(order.spans)}": a {row.records.kind} is in no such {other.kind}')
                entry = Entry(label=field.label, value=escaped(other.name.text), mode=mode)
                self._fill(order, row.records, [entry])
            return True
        person = all(
            bare(one) and one.name is not None and one.name.text[:1].isupper() and is_name(one.name.text)
            for one in each_of(thing)
        )
        rows = self._subjects.get(other.back.to, Subject()).rows if other.back is not None else ()
        held = [self.kind(row.records) for row in rows] or [kind for _, kind in self._maybe(other.kind)]
        having = [kind for kind in kinds if ground_field("attendees", kind, True, "list")]
        if not having or (held and not any(kind in having for kind in held)) or not (person and (rows or other.name)):
            return False
        self._take(slot)
        records = self.one(other, ("attendees",))
        field = ground_field("attendees", self.kind(records), True)
        if field is None:
            raise Refusal(f'"{self._said(order.spans)}": a {records.kind} has no attendees')
        people = self._people(Of(thing=thing))
        names = ", ".join(people if mode == "remove" else map(self._in_full, people))  # who is in it is known there
        self._fill(order, records, [Entry(label=field.label, value=names, mode=mode)])
        return True

    def _do(self, order: Order) -> None:
        """A verb of the application on each record that is meant."""
        thing = order.object
        if thing is None:
            raise Refusal(f'"{self._said(order.spans)}" does not say with what')
        homes = [s for s in order.slots if s.role in {"from", "at"} and self._is_place(s.value)]
        home = next((s for s in homes if isinstance(s.value, Of) or self._names_app(s.value)), None)
        place = (Thing(name=home.value) if isinstance(home.value, Text) else self._thing_of(home.value)) if home else None
        words = (place.kind, place.name.text if place.name is not None else "") if place is not None else ()
        holds = place is not None and (self._app_called(place) is not None or any(map(self._maybe, words)))
        if home is not None and holds and thing.place is None and thing.back is None:
            thing = thing.model_copy(update={"place": place})
            order = self._without(order, home, object=thing)
        if order.verb == "set" or (order.verb in SWITCHES and self._single(order, thing)):
            return self._set(order, thing)
        if (made := self._derived(order)) is not None:
            return self._derive(order, thing, *made)
        if self._on_list(order, thing):
            return None
        rows = self.rows(thing)
        for row in rows:
            self._row = row
            self._verb_on(order, row.records)
        self._row = None
        self._subjects[self._at] = Subject(tuple(rows), phrase=self.phrase(thing))
        return None

    def _on_list(self, order: Order, thing: Thing) -> bool:
        """Whether it is done with a whole sheet or list, by a control that stands over it: "sort the sheet Costs by amount"."""
        alone = thing.name is not None and thing == Thing(kind=thing.kind, name=thing.name, spans=thing.spans)
        homes = [pair for pair in self._maybe(thing.kind) if alone and thing.kind in Lexicon.english().data["places"]]
        if len(homes) != 1 or thing.name is None:
            return False
        card, kind = homes[0]
        verb = next((one for one in card.verbs if one.verb == order.verb and one.at == "list" and one.asks), None)
        if verb is None:
            return False
        self._add(OpenStep(app=card.app, place=thing.name.text))
        entries = self._asked(verb, order.slots, card, kind)
        self._add(PressStep(app=card.app, verb=verb.verb, control=verb.control, entries=entries))
        if end := self._commits.get(self._at):  # "and save it"
            self._add(PressStep(app=card.app, verb=end, control=end.capitalize()))
        return True

    def _verb_on(self, order: Order, records: Records) -> None:
        card, kind = self.card(records.app), self.kind(records)
        noun = order.object.kind if order.object is not None else ""
        if noun and not is_of(noun, kind) and ground_field(noun, kind) is not None:  # delete Ann's phone number
            raise Refusal(f'"{self._said(order.spans)}" is to be done with a {noun}, and not with a {kind.kind}')
        if (box := box_for(order, kind)) is not None:
            self._take(*(slot for slot in order.slots if slot.role == "as"))
            entry = Entry(label=box.label, value=box.value)
            if not box.stands_in_row:
                return self._fill(order, records, [entry])
            return self._add(FillStep(app=records.app, records=records, entries=(entry,)))
        many = next((field.label for field in kind.fields if field.required and field.type == "number"), "")
        if many and order.verb in deeds()["gone"] and order.object is not None and self._is_counted(order.object):
            said = self._said(order.object.spans)
            raise Refusal(f'"{said}" may be a part of the {many} of one {kind.kind}; say what is to be left')
        ends = [(s, f"as {self.words(s.value)}") for s in order.slots if s.role == "as"]
        kept = [s for s in order.slots if s.role == "into" and isinstance(s.value, Of) and order.verb in COMMITS]
        ends += [(s, f"to {self._said(s.value.spans)}") for s in kept]  # save it to the notes
        said = " ".join([order.said, *(words for _, words in ends)])
        verb = ground_verb(order.verb, said, card, kind)
        home = order.object.place if order.verb == "remove" and order.object is not None else None
        if home is not None and home.name and any(test.label and test.value == home.name.text for test in records.tests):
            raise Refusal(f'"{self._said(order.spans)}" deletes nothing, and how to take it out is not known')
        if verb is None:
            return self._by_field(order, records, kind)
        named = [s for s, words in ends if words.partition(" ")[2].casefold() in verb.control.casefold()]
        self._take(*named)
        slots = [slot for slot in order.slots if slot not in named and not self._names_app(slot.value)]
        entries = self._asked(verb, slots, card, kind)
        if verb.verb == "reply" and not entries:
            raise Refusal(f'"{self._said(order.spans)}" does not say what is to be written')
        if verb.verb in ANSWERS:
            commit = self._commit(order, kind, "send")
            return self._add(FillStep(app=records.app, records=records, form=verb.control, entries=entries, commit=commit))
        return self._add(PressStep(app=records.app, records=records, verb=verb.verb, control=verb.control, entries=entries))

    def _is_counted(self, thing: Thing) -> bool:
        """Whether a number is said of it, one included."""
        first = next(iter(self._said(thing.spans).split()), "").casefold()
        return first.isdigit() or first in phrases("numbers")

    def _asked(self, verb: VerbCard, slots: Sequence[Slot], card: AppCard, kind: KindCard) -> tuple[Entry, ...]:
        """What the press asks for, as far as the goal says it; what it says and nothing asks for is refused."""
        form = kind.model_copy(update={"fields": verb.asks})
        entries: list[Entry] = []
        for slot in slots:
            only = verb.asks[0] if len(verb.asks) == 1 == len(slots) else None
            if order_by := self._column(slot, verb, kind):
                entries.append(order_by)
                self._take(slot)
                continue
            field = only or self._field_of(slot, form, {entry.label for entry in entries})
            if field is None:
                raise Refusal(f'"{self._said(slot.spans)}": "{verb.control}" does not ask for it')
            plain = slot.role in {"into", "to"} and isinstance(slot.value, Of) and not slot.value.fields
            place = slot.value.thing if plain and isinstance(slot.value, Of) else None
            where = ground_place(place, card, kind) if place is not None and not place.tests else None
            entries.append(Entry(label=field.label, value=escaped(where) if where else self.words(slot.value, field)))
            self._take(slot)
        return tuple(entries)

    def _column(self, slot: Slot, verb: VerbCard, kind: KindCard) -> Entry | None:
        """ "By amount", "largest first" of what is sorted: the column and the way that the press asks for."""
        fields = slot.value.fields if slot.role == "by" and isinstance(slot.value, Of) else ()
        column = ground_field(fields[0], kind) if len(fields) == 1 else None
        ask = next((one for one in verb.asks if column is not None and verb.verb in one.label.casefold().split()), None)
        if ask is not None and column is not None:
            return Entry(label=ask.label, value=escaped(column.label))
        way = slot.value.text if slot.role == "as" and isinstance(slot.value, Text) else ""
        ask = next((one for one in verb.asks if way.casefold() in (option.casefold() for option in one.options)), None)
        return Entry(label=ask.label, value=escaped(way.capitalize())) if ask is not None else None

    def _by_field(self, order: Order, records: Records, kind: KindCard) -> None:
        """Where no control does it, a field may: what is renamed has another title, what is postponed another time."""
        key = next((field for field in kind.fields if field.key and field.written), None)
        new = next((slot for slot in order.slots if slot.role in {"to", "as", "called"}), None)
        if order.verb == "rename" and key is not None and new is not None:
            self._take(new)
            return self._fill(order, records, [Entry(label=key.label, value=self.words(new.value, key))])
        moved = self._moved(order, records, kind) if order.verb in {"postpone", "move"} and order.slots else []
        if moved:
            return self._fill(order, records, moved)
        truths = [field for field in kind.fields if field.type == "truth" and field.written]
        if order.verb in {"turn_on", "turn_off"} and len(truths) == 1:
            return self._fill(order, records, [Entry(label=truths[0].label, value=SWITCHES[order.verb])])
        can = ", ".join(dict.fromkeys(verb.control for verb in kind.verbs)) or "nothing"
        raise Refusal(
            f'"{order.said or order.verb}" cannot be done with a {kind.kind} in {self.card(records.app).title}; there is {can}'
        )

    def _moved(self, order: Order, records: Records, kind: KindCard) -> list[Entry]:
        """Another day and time for a record that stays as long as it was."""
        times = [field for field in kind.fields if field.type == "time" and field.written]
        shift = next((s for s in order.slots if s.role == "by" and isinstance(s.value, When) and s.value.minutes % DAY), None)
        if shift is not None and isinstance(shift.value, When):
            self._take(shift)
            return [Entry(label=field.label, value=str(shift.value.minutes), mode="later") for field in times]
        as_long = next((s for s in order.slots if s.field == "length" and isinstance(s.value, When)), None)
        order = self._without(order, as_long) if as_long is not None else order
        entries = self._entries(self.card(records.app), kind, order.slots)
        new = {entry.label: entry.value for entry in entries}
        if len(times) == 2 and times[0].label in new and times[1].label not in new:
            shown = [field.label for field in kind.fields if field.type == "time" and field.listed and not field.written]
            known = self._known(self.read(Of(fields=(shown[0],), thing=order.object or Thing()))[0]) if shown else ""
            minutes = minutes_in([known])
            start = parse_time(new[times[0].label])
            if len(minutes) < 2 or start is None:
                raise Refusal(f'how long "{self.phrase(order.object or Thing())}" takes is not shown: {known!r}')
            end = (start + (minutes[-1] - minutes[0])) % DAY
            entries.append(Entry(label=times[1].label, value=f"{end // 60:02d}:{end % 60:02d}"))
            if as_long is not None and isinstance(as_long.value, When) and parse_time(as_long.value.start) != end:
                raise Refusal(f'"{self._said(order.spans)}": as long as it was, it ends at {entries[-1].value}')
        return entries

    def _click_called(self, order: Order) -> bool:
        """'Click "Hand out P-2"': the control of that name, of the one application that has it."""
        thing = order.object
        if order.verb != "click" or thing is None or thing.name is None or not thing.name.quoted or thing.tests:
            return False
        controls = self._controls(self._cards_for(order, thing))
        fits = {card.app: verb.verb for card, verb in controls if is_control(thing.name.text, verb.control)}
        if len(fits) == 1:
            ((app, verb),) = fits.items()
            self._add(PressStep(app=app, verb=verb, control=thing.name.text))
        return len(fits) == 1

    def _set(self, order: Order, thing: Thing) -> None:
        """New values of fields: of a record, or of what an application has only one of, such as its settings."""
        said = next((slot for slot in order.slots if slot.field), None)
        home = self._app_called(thing.place) if thing.place is not None else None
        rows = self._subjects.get(thing.back.to, Subject()).rows if thing.back is not None else ()
        if said is not None and thing.back is not None and not [r for r in rows if home is None or r.records.app == home.app]:
            order = self._without(order, said)  # "mute the sound and set the brightness to 30": of what there is only one
            order = order.model_copy(update={"slots": (*order.slots, said.model_copy(update={"field": ""}))})
            thing = Thing(kind=said.field, place=thing.place, spans=thing.spans)
        own = self._single(order, thing)
        if len(own) > 1:
            held = " and ".join(card.title for card, _, _ in own)
            raise Refusal(f'"{self.phrase(thing)}" is in {held}; say which', ask=True)
        for card, kind, field in own:
            new = [slot for slot in order.slots if slot.role in {"value", "to"}][:1]
            whose = [s for s in order.slots if isinstance(s.value, Of) and s.value.thing.kind in {kind.kind, *kind.words}]
            self._take(*new, *whose)  # "for my account" says no more than that
            value = next((self.words(slot.value, field) for slot in new), "") or SWITCHES.get(order.verb, "")
            if field.type == "truth" and value not in {"true", "false"}:
                raise Refusal(f'"{self._said(order.spans)}" does not say whether "{field.label}" is to be on or off')
            entries = one_way(order, [Entry(label=field.label, value=value)])
            self._add(FillStep(app=card.app, entries=entries, commit=self._commit(order, kind, "save")))
        for row in self.rows(thing) if not own else ():
            self._row = row
            records = row.records
            self._fill(order, records, self._entries(self.card(records.app), self.kind(records), order.slots))
        self._row = None

    def _single(self, order: Order, thing: Thing) -> list[tuple[AppCard, KindCard, FieldCard]]:
        """Fields of what an application has only one of; a verb such as "mute" may name one by itself."""
        noun = thing.kind or (thing.name.text if thing.name is not None and not thing.name.quoted else "")
        if (thing.name is not None and thing.kind) or thing.tests or thing.back is not None or not noun:
            return []
        if any(not kind.single for _, kind in self._maybe(noun)):
            return []
        found: list[tuple[AppCard, KindCard, FieldCard]] = []
        asked = tuple(slot.field for slot in order.slots if slot.field)
        who = not thing.kind and noun[0].isupper()  # "mute Ann": somebody is muted, and not the device
        said = (noun,) if order.verb == "set" or who else (noun, order.verb)
        for card, kind in [(one, single) for one in self._cards_for(order, thing) for single in one.kinds if single.single]:
            kept = tuple(field for field in kind.fields if field.type == "truth" or order.verb == "set")
            form = kind.model_copy(update={"fields": kept})
            own = {kind.kind, *kind.words}  # the record itself, and none of its fields
            names = () if asked and noun not in own else asked or said  # a field of somebody else is none of its fields
            fields = [field for words in names if words not in own and (field := ground_field(words, form, True)) is not None]
            found += [(card, kind, field) for field in fields[:1]]
        return found


def minutes_before(words: str) -> int:
    """`1 hour before` in minutes; 0 where it is no length."""
    number, unit, *before = [*words.split(), ""][:3]
    each = {"minute": 1, "hour": 60, "day": DAY, "week": 7 * DAY}.get(unit.removesuffix("s"), 0)
    return int(number) * each if number.isdigit() and before == ["before"] else 0


def steps_of(reading: Reading, cards: Sequence[AppCard], facts: Iterable[Fact]) -> list[Step] | str:
    """The steps for what was read, as far as the facts allow; else why there are none, in one sentence."""
    if unread := why_not(reading):
        return unread
    try:
        return [step for group in Planner(reading, cards, facts).groups() for step in group.steps]
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
