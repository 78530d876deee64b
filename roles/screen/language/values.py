"""What is written, told, asked for or compared with.

value = quotation | amount | date | counting | fields [ "of" thing ] | thing's fields | thing
question = "how many" things ... | "which" thing predicate | "who" predicate | ("when"|"where"|"what"|"how much") ... thing ...
"""

from environments.cards import singular
from roles.contracts.orders import Amount, Back, Of, Pick, Test, Text, Thing, Value, When, Worked
from roles.screen.language.names import Draft, Read, plural
from roles.screen.language.narrowing import Narrowing
from roles.screen.language.words import Doubt, Match

ASKED = {"when": "date", "where": "place", "much": "amount", "dear": "price", "long": "duration"}
"""The field that is asked for."""
MOMENTS = frozenset({"due date", "start", "end", "date", "created"})


class Values(Narrowing):
    """Reads values."""

    def value(self, at: int) -> Read[Value] | None:
        """Whatever can be written, told or compared."""
        found = self._plain(at)
        if found is not None and not (isinstance(found[0], Amount) and self._noun_ahead(found[1])):
            return found
        when = self.dates.read(at)
        sure = when is not None and (when[1] - at > 1 or self.kind(at) != "number")
        if when and sure and self.low(when[1]) != "'s" and not self._noun_ahead(when[1]):
            return when[0].model_copy(update={"spans": self.spans(at, when[1])}), when[1]
        return self.valued(at)

    def joined(self, at: int) -> Read[Value] | None:
        """Values that are no records: a quotation, an amount, fields; several of them are joined."""
        found = self._plain(at)
        if found is None:
            return None
        values, end = [found[0]], found[1]
        if isinstance(found[0], Of) and found[0].fields:  # the total of INV-1 and the vendor
            self.subject = found[0].thing
        while (sep := self._separator(end)) and not self.clause(sep) and (more := self._plain(sep)):
            values, end = [*values, more[0]], more[1]
        return found if len(values) == 1 else (Worked(how="joined", of=tuple(values), spans=self.spans(at, end)), end)

    def _plain(self, at: int) -> Read[Value] | None:
        if self.kind(at) == "quote" and self.low(at + 1) != "'s":
            return self.text(at, at + 1, quoted=True), at + 1
        both, asked = self.take(at, "both"), [order.verb for order in self.orders[-2:]]
        if both and len(asked) == 2 and not self._noun_ahead(both.end) and {*asked} <= {"answer", "find"}:
            spans, last = self.spans(at, both.end), len(self.orders)
            backs = tuple(Back(to=number, spans=spans) for number in (last - 2, last - 1))
            return Worked(how="joined", of=backs, spans=spans), both.end
        return self.worked(at) or self.fields(at) or (None if self._count(at) else self.amount(at))

    def worked(self, at: int) -> Read[Value] | None:
        """how many THINGS [there are] | the number of THINGS | the sum of VALUE"""
        if asked := self.asked(at, turned=False):
            return asked
        found = self.see(at, "the sum|average|difference of|between")
        value = (self.fields(found.end) or self.valued(found.end)) if found else None
        how = self.low(at + 1)
        if value and isinstance(value[0], Worked) and value[0].how == how:
            value = value[0].of[0], value[1]
        if value is None or (how == "sum" and isinstance(value[0], Text)):
            return None
        return Worked(how=how, of=(value[0],), spans=self.spans(at, value[1])), value[1]  # type: ignore[arg-type]

    # Questions

    def asked(self, at: int, turned: bool) -> Read[Value] | None:
        """how many THINGS ... | which THING PREDICATE | who PREDICATE | what|when|where|how much ... THING ..."""
        word = self.take(at, "questions")
        if word is None:
            return None
        name, end = word.entry.name, word.end
        doubled = self.take(end, "all", "both", "articles", "possessives", "demonstratives")  # how many all mails
        if doubled and name in {"count", "which"} and self.low(at) != "what":
            return None
        if name == "count":
            return self._counted(at, end)
        spent = self._spent(at, end) if name in {"which", "much"} else None
        return spent or self._asked_of(at, end, name, turned)

    def _asked_of(self, at: int, end: int, name: str, turned: bool) -> Read[Value] | None:
        """which THING PREDICATE | who PREDICATE | what|when|where|how much ... THING ..."""
        if name not in {"which", "who"}:
            return self._about(at, end, name, turned)
        held = self.fields(end) if name == "which" and not turned else None  # what Ann's number is
        if held is not None and self.low(held[1]) in {"is", "are"}:
            return held[0], held[1] + 1
        if found := self._wanted(at, end, name):
            return found
        be, of = self.take(end, "auxiliaries"), self.see(end, "<field> has") if name == "which" else None
        if be and be.entry.name == "be" and self.low(at) != "which":
            value = self.worked(be.end) or self.fields(be.end)
            if value is not None and not (isinstance(value[0], Of) and value[0].thing.back):
                return value
        start = of.end if of else be.end if be and name == "which" else 0
        one = self.simple(start) if start else None
        if one and one[0].pick and one[0].back is None and not self.words.lexicon.known(one[0].kind, "field"):
            fields = (of["field"].entry.name,) if of else ()  # what is the dearest invoice, which vendor has the dearest
            return Of(fields=fields, thing=one[0], spans=self.spans(at, one[1])), one[1]
        return self._about(at, end, name, turned) if name == "which" else None

    def _spent(self, first: int, at: int) -> Read[Value] | None:
        """what|how much have we spent with NAME | do we owe NAME [for THINGS] | the THINGS [from X] have given: a sum"""
        ours = self.see(at, "<auxiliaries> we|i <money>")
        of = None if ours else self.simple(at)
        theirs = self.see(of[1], "<auxiliaries>? <money>") if of else None
        verb = ours or theirs
        if verb is None or (of and of[0].quantity != "all"):
            return None
        thing, end = of[0] if of else Thing(quantity="all"), self.skip(verb.end, "with|to|at|on")
        if ours:
            name = self.name(end)
            if name is None:
                return None
            told = self.simple(name[1] + 1) if self.low(name[1]) == "for" else None
            thing, end = told if told else (thing, name[1])
            thing = thing.model_copy(update={"tests": (*thing.tests, self._test("from", name[0], name[1] - 1, name[1]))})
            owes = verb["money"].entry.name == "owed"
            if owes:  # nothing is owed for what is paid
                paid = Text(text="paid", spans=self.spans(verb.end - 1, verb.end))
                thing = thing.model_copy(update={"tests": (*thing.tests, Test(value=paid, negated=True, spans=paid.spans))})
            if not thing.kind and owes:
                thing = thing.model_copy(update={"kind": "invoice"})
        draft = Draft(place=thing.place)
        end = self.modifiers(self.skip(end, "<together>"), draft)
        sheet = draft.place.name.text.casefold() if draft.place is not None and draft.place.name is not None else ""
        if sheet and thing.kind in {"", singular(sheet)}:
            thing = thing.model_copy(update={"kind": "row"})  # the donors, of the Donors sheet
        whole = {"place": draft.place, "tests": (*thing.tests, *draft.tests), "spans": self.spans(at, end)}
        thing = thing.model_copy(update=whole)
        field = Of(fields=("amount",), thing=thing, spans=thing.spans)
        if not thing.kind or thing.quantity != "all":
            return None
        return Worked(how="sum", of=(field,), spans=self.spans(first, end)), end

    def _counted(self, at: int, end: int) -> Read[Value] | None:
        """how many THINGS [there are|are there] [MODIFIERS] | how many THINGS PREDICATE | how many there are"""
        if (pointed := self.see(end, "there|they <auxiliaries>")) and (back := self.back(True, at=at)):
            thing, end = Thing(back=back, quantity="all", spans=self.spans(at, pointed.end)), pointed.end
            return Worked(how="count", of=(Of(thing=thing, spans=thing.spans),), spans=thing.spans), end
        found = self.simple(self.skip(end, "of"))
        if found is None:
            return None
        thing, end = found[0].model_copy(update={"quantity": "all"}), found[1]
        if there := self.see(end, "there <auxiliaries>") or self.see(end, "<auxiliaries> there"):
            where = Draft()
            end = self.modifiers(there.end, where)
            change = {"name": where.name or thing.name, "pick": where.pick or thing.pick, "place": where.place or thing.place}
            thing = thing.model_copy(update={"tests": (*thing.tests, *where.tests), **change})
        elif tests := self.predicates(end):
            thing, end = thing.model_copy(update={"tests": (*thing.tests, *tests[0])}), tests[1]
        return Worked(how="count", of=(Of(thing=thing, spans=thing.spans),), spans=self.spans(at, end)), end

    def _wanted(self, at: int, end: int, name: str) -> Read[Value] | None:
        """which [of the] THINGS PREDICATE | which THINGS do I have ... | who [in PLACE] PREDICATE | who wrote THING"""
        if name == "who":
            if part := self.taking_part(at, end):
                return part
            draft = Draft(kind="person", quantity="all")
            stop = self._prepositional(end, draft) or end
            thing = draft.thing(self.spans(at, stop))
        else:
            found = self.simple(self.skip(end, "of"))
            if found is None or found[0].back or found[0].quantity == "any":
                return None
            stop = found[1]
            alone = self.low(stop) in {"is", "has", "was", "does"} or found[0].quantity == "one"
            thing = found[0].model_copy(update={"quantity": "one" if alone else "all"})
        picked = self._one_that(stop) if not thing.pick else None
        if picked is not None:
            pick, tests, last = picked
            one = thing.model_copy(update={"quantity": "one", "pick": pick, "tests": (*thing.tests, *tests)})
            return Of(thing=one, spans=self.spans(at, last)), last
        more = self.predicates(stop)
        if more is None:
            has = any(self.take(place, "got") for place in range(end, stop))
            return (Of(thing=thing, spans=self.spans(at, stop)), stop) if has else None
        thing = thing.model_copy(update={"tests": (*thing.tests, *more[0]), "spans": self.spans(at, more[1])})
        return Of(thing=thing, spans=thing.spans), more[1]

    def _one_that(self, at: int) -> tuple[Pick, tuple[Test, ...], int] | None:
        """is the largest [one] | has the highest total | is due next|first|last"""
        be = self.take(at, "auxiliaries")
        if be and be.entry.name == "have":
            best = self._best(be.end)
            return (best[0], (), best[1]) if best else None
        if be is None or be.entry.name != "be":
            return None
        place, draft = self.skip(be.end, "the"), Draft()
        last = self._picked(place, draft)
        if draft.pick is not None and last > place:
            return draft.pick, (), self.skip(last, "<ones>")
        due = self.see(be.end, "<predicates> <superlatives>")
        field = due["predicates"].entry.data.get("field") if due else None
        word = due["superlatives"].entry.name if due else ""
        if due is None or not field or word not in {"next", "first", "last"} or (word == "next" and not self.today):
            return None
        spans, day = self.spans(be.end, due.end), self.today[:10]
        now = When(text=self.low(due.end - 1), first=day, last=day, spans=spans)
        tests = (Test(field=field, relation="at_least", value=now, spans=spans),) if word == "next" else ()
        return Pick(by=field, order="most" if word == "last" else "least", spans=spans), tests, due.end

    def _about(self, at: int, end: int, name: str, turned: bool) -> Read[Value] | None:
        """when is|does THING [due|start] | when THING is due|starts; so too where, what (it costs) and how much."""
        aux = self.take(end, "auxiliaries")
        if turned != bool(aux and aux.entry.name in {"be", "do"}):
            return None
        found = self.thing(aux.end if aux else end)
        if found is None:
            return None
        thing, stop = found
        if self.low(at) == "what" and (says := self.take(stop, "says")) and not plural(thing):
            return Of(fields=("text",), thing=thing, spans=self.spans(at, says.end)), says.end
        if not turned and (be := self.take(stop, "auxiliaries")) and be.entry.name == "be":
            aux, stop = be, be.end
        verb, field = self.take(stop, "predicates"), ASKED.get(name, "")
        if verb is not None and verb.entry.data.get("field"):
            field, stop = verb.entry.data["field"] if name != "where" else "place", verb.end
            if name != "where" and (name in {"when", "long"}) != (field in MOMENTS):
                return None
        elif not (aux and aux.entry.name == "be" and field):
            return None
        stop = self.skip(stop, ",? <included>") if field in {"total", "price"} else stop
        if more := self._relative(stop):  # where does the meeting take place "that begins at 9"?
            thing, stop = thing.model_copy(update={"tests": (*thing.tests, *more[0])}), more[1]
        value = Of(fields=(field,), thing=thing, spans=self.spans(at, stop))
        if not plural(thing) or field not in {"price", "total"}:
            return value, stop
        end = self.skip(stop, "<together>")
        summed = end > stop or (verb is not None and verb.entry.name == "comes to")
        return (Worked(how="sum", of=(value,), spans=self.spans(at, end)), end) if summed else None

    def everybody(self, at: int) -> Read[Value] | None:
        """everybody who comes to THING | [all] the attendees of THING"""
        people = self.see(at, "<all>? <articles> <field> of")
        of = self.simple(people.end) if people and people["field"].entry.name == "attendee" else None
        if of is not None and not plural(of[0]):
            return Of(fields=("attendee",), thing=of[0], spans=self.spans(at, of[1])), of[1]
        every = self.see(at, "<everything> who|that")
        return self.taking_part(at, every.end) if every and every["everything"].entry.name == "person" else None

    def taking_part(self, first: int, at: int) -> Read[Value] | None:
        """who wrote THING, everybody who comes to THING: the persons that a field of it names."""
        part = self.take(at, "taking_part")
        told = (
            part is not None and self.take(part.end, "pronouns") is not None and self.take(part.end + 1, "pronouns") is not None
        )
        thing = self.simple(part.end) if part and not told else None
        if part is not None and told and self.low(part.end) == "that":  # everybody who attends, that it is at 9
            back = self.back(False, at=at)
            thing = (Thing(back=back, spans=self.spans(at, part.end)), part.end) if back else None
        if part is None or thing is None or plural(thing[0]):
            return None
        return Of(fields=(part.entry.name,), thing=thing[0], spans=self.spans(first, thing[1])), thing[1]

    # Fields

    def fields(self, at: int) -> Read[Value] | None:
        """[the|its|that] FIELD {and FIELD} [of THING] | THING's FIELD {and FIELD} | everybody who comes to THING"""
        if (people := self.everybody(at) or self._owned(at)) is not None:
            return people
        if (that := self.see(at, "<demonstratives> <field>")) and self._field_here(that["field"]):
            back = self.back(field=that["field"].entry.name, at=at)
            return (back.model_copy(update={"spans": self.spans(at, that.end)}), that.end) if back else None
        if (room := self.see(at, "<demonstratives> <noun>")) and (back := self._taken_before(room["noun"].entry.name, at)):
            return back, room.end
        whose, article = self.take(at, "possessives"), self.take(at, "articles")
        article = article if article and article.entry.name == "one" else None
        start = whose.end if whose else article.end if article else at
        found = self._field_list(start)
        told = found is not None and article and {*found[0]} <= self.words.lexicon.data["shapes"].keys() - {"date", "time"}
        if found is not None and told and (text := self._said_in(found[1])):
            return Of(fields=found[0], thing=text[0], spans=self.spans(at, text[1])), text[1]
        if found is None or self._open(found[1]) or self.kind(found[1]) in {"quote", "number"}:
            return None
        names, end = found
        if not whose and self._leads_to_holder(end) and (thing := self.thing(end + 1)):
            value = Of(fields=names, thing=thing[0], spans=self.spans(at, thing[1]))
            return self._over_all(names, start, end, value) or value, thing[1]
        person = whose is not None and whose.entry.data["value"] == "person"
        if any(self.low(place) == "it" for place in range(start, end)):  # the day on which it is due
            back = None if self.topic else self.back(False, at=at)
            holder = self.spoken() if self.topic else Thing(back=back) if back else None
        elif person and whose:
            holder = self._person(at, whose.end)[0]
        else:
            holder = self._holder(at, () if whose is not None else names, bool(whose or article))
        if holder is not None and holder.back is not None and whose is not None and whose.entry.data["value"] == "all":
            holder = holder.model_copy(update={"quantity": "all"})
        return (Of(fields=names, thing=holder, spans=self.spans(at, end)), end) if holder is not None else None

    def _taken_before(self, noun: str, at: int) -> Back | None:
        """That room, which an earlier order takes out of a text."""
        for number, order in reversed([*enumerate(self.orders)]):
            if any(isinstance(slot.value, Of) and slot.value.fields == (noun,) for slot in order.slots):
                return Back(to=number, field=noun, spans=self.spans(at, at + 2))
        return None

    def _said_in(self, at: int) -> Read[Thing] | None:
        """[that] NAME wrote me [in chat] | [that] THING names: in whose text a value stands"""
        start = self.skip(at, "that|which")
        stop = self._name_end(start)
        sent = self.take(stop, "sent_me") if stop > start and self._nameish(start) else None
        if sent is not None:
            self.named(self.text(start, stop))
            return self.messages(start, stop, sent.end)
        thing = self.simple(start) if self.take(start, "articles") or self.low(start) == "it" or start > at else None
        names = self.take(thing[1], "tells") if thing else None
        return (thing[0], names.end) if thing and names and thing[0].quantity == "one" else None

    def _leads_to_holder(self, at: int) -> bool:
        """Whether "of", "in" and the like lead from fields to what has them."""
        word = self.low(at)
        if word not in {"of", "for", "from", "on", "in"} or self.dates.days(at) or self.subject is not None:
            return False
        field = self.see(at, "in|on <articles> <field>")
        if self.on_form(at) or (field is not None and not self._is_head(field.end)):
            return False  # the number in the description, the total on the form, but not in my order history
        return not (self.take(at, "channels") and "channels" in self.claimed) and (
            word == "of" or word not in self.claimed | self.reserved
        )

    def _over_all(self, names: tuple[str, ...], at: int, end: int, value: Of) -> Worked | None:
        """What is said of several together: "the number of" them, but not the numbers or that of each; "the sum of" theirs."""
        thing, first = value.thing, self.low(at)
        if "sum" in names and len(names) > 1 and plural(thing):
            raise Doubt(f"is {self.words.goal!r} to say each one's, or one of them all?")
        each = self.low(end + 1) in {"each", "every"}
        if first == "number" and end == at + 1 and self.low(end) == "of" and thing.quantity == "all" and not each:
            return Worked(how="count", of=(Of(thing=thing, spans=thing.spans),), spans=value.spans)
        summed = plural(thing) and names == (first,) and (first == "sum" or (first == "total" and not thing.also))
        return Worked(how="sum", of=(value,), spans=value.spans) if summed else None

    def _holder(self, at: int, names: tuple[str, ...], definite: bool) -> Thing | None:
        """Whose field is meant where it is not said: of what the order is about, or of what was spoken of before."""
        if self.subject is not None:
            return self.subject
        if definite and self.topic is not None and self.object is None and self.each is None:
            return self.spoken()
        own = self.each is not None or (self.object is not None and not self.object.new)
        found_out = ([slot.value for slot in order.slots] for order in self.orders)
        asked = [n for n, values in enumerate(found_out) if names and any(_finds_out(value, names) for value in values)]
        if asked and not own:
            return Thing(back=Back(to=asked[-1], spans=self.spans(at, at + 1)))
        back = Back(to=len(self.orders), spans=self.spans(at, at + 1)) if own else self.back(at=at)
        return Thing(back=back) if back is not None else None

    def _field_list(self, at: int) -> Read[tuple[str, ...]] | None:
        names: list[str] = []
        while (found := self.take(at, "field")) and self._field_here(found):
            names, at = [*names, found.entry.name], found.end
            sep = self._separator(at)
            nxt = self.skip(sep, "the|its|their") if sep else 0
            if not sep or not (more := self.take(nxt, "field")) or not self._field_here(more):
                break
            at = nxt
        return (tuple(names), at) if names else None

    def _field_here(self, found: Match) -> bool:
        """Not the first word of a longer noun."""
        return not (self._open(found.end) or self.take(found.end, "noun"))

    def _owned(self, at: int) -> Read[Value] | None:
        """Zoe's address and phone number"""
        start, quoted, draft = self.skip(at, "<articles>"), self.kind(at) == "quote", Draft()
        end = at + 1 if quoted else self._name_end(start)
        found = self._field_list(end + 1) if end > start and self.low(end) == "'s" else None
        if found is None:
            return None
        if quoted:
            draft.name = self.text(at, end, quoted=True)
        else:
            self._noun_and_name(start, end, draft, determined=start > at)
        return Of(fields=found[0], thing=draft.thing(self.spans(at, end)), spans=self.spans(at, found[1])), found[1]


def _finds_out(value: Value, names: tuple[str, ...]) -> bool:
    """Whether it is these fields of something, or the sum that they are called."""
    if isinstance(value, Worked):
        return value.how == "sum" and names in {("sum",), ("total",)}
    return isinstance(value, Of) and value.fields == names
