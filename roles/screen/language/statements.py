"""Sentences that tell how things are, clauses that say more of an order that was read before, and conditions: what must hold,
what is waited for, and what "if so" and "otherwise" speak of.

told = ["because"] subject ("is" | "has" | past) ... | "there is too much in" place | the field "is" value | "it is in" place
linked = "keep only" thing "and" ... "everything else" | verb "the same" ["to" person] | "it should be called" name
condition = ("if" | "unless") (thing predicate | "there is" thing) | "if so" | "otherwise"
"""

from roles.contracts.orders import Back, Condition, Context, Of, Order, Slot, Test, Text, Thing, Value, When
from roles.screen.language.names import LOOKING, Read, bare, plural
from roles.screen.language.values import Values
from roles.screen.language.words import Doubt, Match

CAN = frozenset({"can", "could", "will", "would"})
DISLIKED = "and|but i|we? do not want|need|like it|them"


class Statements(Values):
    """Reads them; what is told is kept as background, or added to the order that it is about. What stands under a condition is
    read elsewhere."""

    def _told(self, at: int, end: int) -> int | None:
        """A sentence that tells how things are, with nothing in it that could be asked for: it is background."""
        people, stop = self.people, self._name_end(at)
        if stop > at and self.words.list[at].capital:  # Ann has sent me her number
            self.named(self.text(at, stop))
        told = self._dealing(at, stop, end) or self._state_of_it(at, end) or self._lapsing(at, end) or self._telling(at, end)
        self.people = people if told is None else self.people
        return told

    def _dealing(self, at: int, stop: int, end: int) -> int | None:
        """NAME gets money from us: whose invoices "their invoices" are"""
        deals = self.take(stop, "deals") if stop > at else None
        if deals is None or deals.end != end:
            return None
        self.topic, self.recent = Thing(name=self.text(at, stop), spans=self.spans(at, stop)), True
        span = (self.words.list[at].start, self.words.list[end - 1].end)
        self.context.append(Context(text=self.words.goal[span[0] : span[1]], span=span, things=(self.topic,)))
        return end

    def _state_of_it(self, at: int, end: int) -> int | None:
        """it is [not] STATE | they have [not] been STATE, of what was spoken of: nothing is asked of it"""
        said = self.see(at, "it|they <auxiliaries> not? been? <states>") if self.orders or self.topic else None
        if said is None or said.end != end or said["auxiliaries"].entry.name not in {"be", "have"} or self.waiting:
            return None
        span = (self.words.list[at].start, self.words.list[end - 1].end)
        self.context.append(Context(text=self.words.goal[span[0] : span[1]], span=span))
        return end

    def _lapsing(self, at: int, end: int) -> int | None:
        """the books close in two minutes | the offer ends at 18:00: what "before that" speaks of"""
        thing = None if self.take(at, "verb", "pronouns") else self.simple(at)
        verb = self.take(thing[1], "lapses") if thing else None
        if thing is None or verb is None:
            return None
        length = self.dates.length(verb.end + 1) if self.low(verb.end) in {"in", "within"} else None
        when = None if length else self.dates.read(verb.end)
        if (length or when or ("", 0))[1] != end or (when and not (when[0].start or when[0].first[11:])):
            return None
        day = (when[0].first if when else "")[:10] or self.today[:10]
        timed = when[0].model_copy(update={"first": day, "start": when[0].first[11:] or when[0].start}) if when else None
        self.deadline = timed or When(text=self.words.text(verb.end, end), minutes=length[0] if length else 0)
        self.topic, self.recent = None if plural(thing[0]) else thing[0], True
        span = (self.words.list[at].start, self.words.list[end - 1].end)
        self.context.append(Context(text=self.words.goal[span[0] : span[1]], span=span))
        return end

    def _telling(self, at: int, end: int) -> int | None:
        unwanted = next((n for n in range(at + 2, end) if (seen := self.see(n, DISLIKED)) and seen.end == end), None)
        if unwanted is not None and self.take(at, "subjects"):
            return end if self._telling(at, unwanted) else None
        subject = self.take(at, "subjects")
        if self.low(end) == "?":
            return None
        determined = bool(subject or self.take(at, "articles", "possessives"))
        if not determined and self.take(at, "verb"):
            return None
        thing = None if subject else self.simple(at)
        verb = subject.end if subject else thing[1] if thing else at
        if not at < verb < end or (thing and (thing[0].back or thing[0].quantity in {"all", "number"})):
            return None
        aux, word = self.take(verb, "auxiliaries"), self.words.list[verb]
        if aux and self.low(verb + 1) == "to":
            return None
        says = self.predicate(verb) if thing and bare(thing[0]) and word.lower not in {"is", "are"} else None
        if says and says[1] == end and self.words.list[at].capital and not self.take(at, "verb"):
            return self._background(at, verb, end, thing[0] if thing else None)
        cannot = (
            aux is not None and self.low(verb) in CAN and self.low(aux.end) == "not" and (subject or self.words.list[at].capital)
        )
        tells = cannot or self.take(verb, "past_words") or (aux and aux.entry.name in {"be", "have"})
        if not tells and not (
            determined and word.lower.endswith(("s", "ed")) and self._open(verb) and not self.take(verb, "verb", "noun")
        ):
            return None
        known = {verb, verb + 1, verb + 2} if cannot else set()
        if any(self._asks(place) for place in range(at, end) if place not in known):
            return None
        return self._background(at, verb, end, thing[0] if thing else None)

    def _asks(self, at: int) -> bool:
        """A word here that does more than tell."""
        aux, sep = self.take(at, "auxiliaries"), self._separator(at)
        within = at > 0 and self.take(at - 1, "prepositions", "slot_prepositions", "articles", "possessives")
        known = (
            within
            or aux
            or self.words.list[at].capital
            or self.take(at, "noun", "field", "verb_nouns", "states", "past_words", "subjects")
        )
        if (self.words.verbal(at) and not known) or (aux and aux.entry.name == "modal") or (sep and self.clause(sep)):
            return True
        return self.take(at, *self.words.lexicon.wanting) is not None

    def _background(self, at: int, verb: int, end: int, subject: Thing | None) -> int:
        """Keeps what is told: its one thing is what "it" speaks of, the one who does it whom "her" does."""
        things = [subject] if subject is not None else []
        if subject is not None and bare(subject):
            self.named(subject.name)
        place = verb + 1
        while place < end:
            channel = self.take(place, "channels")
            found = None if channel or self.take(place, "pronouns") else self.thing(place, inner=True)
            place = channel.end - 1 if channel else place
            things += [found[0]] if found else []
            place = max(found[1] if found else 0, place + 1)
        for one in [] if subject is not None and bare(subject) else [one for one in things if bare(one)]:
            self.named(one.name)
        others = [one for one in things if one.kind or (one.name and one.name.quoted)]
        self.topic, self.recent = others[0] if len(others) == 1 else None, True
        self.topics = tuple(others) if len(others) > 1 else ()
        span = (self.words.list[at].start, self.words.list[end - 1].end)
        self.context.append(Context(text=self.words.goal[span[0] : span[1]], span=span, things=tuple(things)))
        return end

    def _unrelated(self, told: Context) -> bool:
        """Whether no order is about the same kind of thing without speaking of this one."""
        kind = told.things[0].kind if told.things and told.things[0].spans and told.things[0].spans[0][0] == told.span[0] else ""
        objects = [order.object for order in self.orders if order.object is not None and order.object.kind == kind]
        return not kind or all(any(told.span[0] <= first < told.span[1] for first, _ in one.spans) for one in objects)

    def _given_slot(self, at: int) -> int | None:
        """The subject is X. | The title should be X | in the text should stand X | Text: all of it: of the order before."""
        stands, last = self.see(at, "in <articles> <field> <stands>"), self.orders[-1] if self.orders else None
        found = stands or self.seen_field(at, "<articles>? <possessives>?")
        if found is None or last is None or "with" not in self.words.lexicon.data["verbs"].get(last.verb, {}).get("slots", {}):
            return None
        field, article = found["field"], len(found) > 1
        modal, be = self.take(field.end, "passives"), self.low(field.end) in {"is", "are"}
        start = stands.end if stands else modal.end if modal else field.end + (be or self.low(field.end) == ":")
        end = self._sentence_end(start)
        rest = range(start + (end == start + 1), end)  # a quotation is all of it
        whole = self.low(field.end) == ":" and not any(self.low(n) == ":" or self.kind(n) == "quote" for n in rest)
        known = any(slot.field == field.entry.name for slot in last.slots)
        plain = not article and (self.kind(start) == "quote" or self._nameish(start))  # Subject Parking.
        said = stands or modal or be or plain or self.low(at - 1) == "and"
        value: Read[Value] | None = None
        if said and not known:
            value = self.amount(start) or (self.title(start) if plain else self.name(start))
        value = (self.text(start, end, quoted=self.kind(start) == "quote"), end) if whole and end > start and not known else value
        if said and not known and value is None:  # the total of what the order is about
            things = [slot.value.thing for slot in last.slots if slot.role in {"about", "for"} and isinstance(slot.value, Of)]
            self.subject = things[0] if len(things) == 1 else None
            value, self.subject = self.fields(start) if self.subject else None, None
        sep = self._separator(value[1]) if value else 0
        more = bool(sep and (self.take(sep, "articles", "possessives") or self.low(sep) == "in"))
        if value is None or not (more or self.over(value[1])):
            return None
        spans = self.spans(at, value[1])
        slot = Slot(role="with", field=field.entry.name, value=value[0], spans=spans)
        self.orders[-1] = last.model_copy(update={"slots": (*last.slots, slot), "spans": (*last.spans, *spans)})
        return self._given_slot(sep) if more else value[1]

    def _messaged(self, at: int) -> int | None:
        """NAME wrote [in chat] which NOUN THING takes place in | NAME [has a new FIELD and] told me [her new FIELD] [in chat] |
        NAME wrote to me about a THING: what the messages say is taken out of them."""
        stop = self._name_end(at)
        news = self.see(stop, "has a new <field> and")
        sent = self.take(news.end if news else stop, "sent_me")
        if sent is None or stop == at or not self._nameish(at):
            return None
        name, (letter, end) = self.text(at, stop), self.messages(at, stop, sent.end)
        if about := self.see(end, "about <articles> <noun>"):
            self.topic = Thing(kind=about["noun"].entry.name, quantity="any", spans=self.spans(at, about.end))
            self.waiting, field, end = (at, about.end), None, about.end
        elif asked := self.see(end, "which|what <noun>"):
            field, event = asked["noun"].entry, self.simple(asked.end)
            place = (self.see(event[1], "<predicates> in") or self.see(event[1], "is in")) if event else None
            end = place.end if place else end
            self.event = event[0] if event else None
        else:
            own = news or self.see(end, "<articles>? <possessives>? new <field>")
            field = own["field"].entry if own else None
            letter, end = (letter, end) if news or own is None else self.messages(at, stop, own.end)
            self.news = (name, field.name, len(self.orders)) if field else None
        if not (self.over(end) and (about or field)):
            return None
        self.named(name)
        self.recent, self.letter = True, letter
        if field is not None:
            self.taken_out(at, end, field.name, letter)
        return end

    def taken_out(self, at: int, end: int, field: str, letter: Thing) -> None:
        """An order to take a value out of the text of messages."""
        spans = self.spans(at, end)
        slot = Slot(role="value", value=Of(fields=(field,), thing=letter, spans=spans), spans=spans)
        self.orders.append(Order(verb="find", said=self.words.text(at, end), slots=(slot,), spans=spans))

    def _renewed(self, at: int) -> int | None:
        """change|enter it [in PLACE]: the new FIELD of NAME that was told of"""
        found = self.see(at, "<verb> it|that|this") if self.news else None
        if found is None or self.news is None or found["verb"].entry.name not in {"set", "write"}:
            return None
        place = self.simple(found.end + 1, inner=True) if self.low(found.end) in {"in", "on", "into"} else None
        end, (name, field, order) = place[1] if place else found.end, self.news
        slot = Slot(role="value", field=field, value=Back(to=order), spans=self.spans(found.end - 1, found.end))
        thing = Thing(name=name, place=place[0] if place else None, spans=name.spans)
        said = self.words.text(at, found["verb"].end)
        self.orders.append(Order(verb="set", said=said, object=thing, slots=(slot,), spans=self.spans(at, end)))
        return end if self.over(end) else None

    def _which_it_is(self, at: int) -> int | None:
        """find out from THING which one it is: its number stands there"""
        found = self.see(at, "<requests>? <verb> from|in")
        letter = self.simple(found.end) if found and found["verb"].entry.name in {"find", "answer", "check"} else None
        asked = self.see(letter[1], "which|what <ones>? <noun>? it is") if letter else None
        if letter is None or asked is None or self.topic is None or not self.topic.kind:
            return None
        number, topic = f"{self.topic.kind} number", self.topic
        self.waiting = None
        self.taken_out(at, asked.end, number, letter[0])
        test = Test(field=number, value=Back(to=len(self.orders) - 1), spans=self.spans(at, asked.end))
        self.topic, self.recent = topic.model_copy(update={"quantity": "one", "tests": (test,)}), True
        return asked.end

    def _placed(self, at: int) -> int | None:
        """ "It is in my contacts": where the thing spoken of last is looked for."""
        found, last = self.take(at, "found_in"), self.orders[-1] if self.orders else None
        place = self.simple(found.end, inner=True) if found else None
        if place is None or not self.over(place[1]):
            return None
        slot = next((slot for slot in last.slots if isinstance(slot.value, Of)), None) if last else None
        held = slot.value.thing if slot is not None and isinstance(slot.value, Of) else None
        thing = self.topic if self.waiting else (last.object or held) if last else None
        if thing is None or thing.place or thing.back or thing.new:
            return None
        spans = self.spans(at, place[1])
        thing = thing.model_copy(update={"place": place[0], "spans": (*thing.spans, *spans)})
        if self.waiting or last is None:
            self.topic = thing
            return place[1]
        change: dict[str, object] = {"object": thing}
        if last.object is None and slot is not None:
            found_there = slot.model_copy(update={"value": slot.value.model_copy(update={"thing": thing})})
            change = {"slots": tuple(found_there if one is slot else one for one in last.slots)}
        self.orders[-1] = last.model_copy(update={**change, "spans": (*last.spans, *spans)})
        return place[1]

    # Clauses that speak of other orders

    def _spare(self) -> None:
        """ "... but keep those from Ann", "... and do not delete X": excepted from what is done to several, too."""
        for no in [one for one in self.orders if (one.negated or one.verb == "keep") and one.condition is None]:
            for at, order in enumerate(self.orders):
                many, kept = order.object, no.object
                if order.verb == "empty" and no.verb == "keep" and many and many.kind in self.words.lexicon.data["places"]:
                    slot = Slot(role="from", value=Of(thing=many, spans=many.spans), spans=many.spans)
                    many = Thing(quantity="all", spans=many.spans)
                    order = order.model_copy(update={"verb": "remove", "object": many, "slots": (slot,)})
                same = order.verb == no.verb if no.negated else order.verb not in {*LOOKING, "keep"}
                if not same or order.negated or many is None or not plural(many) or kept is None or kept.but:
                    continue
                if kept.back is not None and kept.back.to == at and kept.tests:
                    kept = kept.model_copy(update={"kind": many.kind, "back": None})
                own = kept.name or kept.tests or kept.place or kept.pick or kept.kind not in {"", many.kind}
                if own and kept.back is None and not kept.new and kept not in many.but:
                    change = {"but": (*many.but, kept.model_copy(update={"also": ()}), *kept.also)}
                    self.orders[at] = order.model_copy(update={"object": many.model_copy(update=change)})

    def _reply(self) -> None:
        """ "Reply to Ann's mail and tell her that ...": that is what the reply says."""
        if len(self.orders) < 2 or self.orders[-2].verb != "reply" or self.orders[-1].verb != "send":
            return
        last, told = self.orders[-2:]
        to = next((slot.value for slot in told.slots if slot.role == "to"), None)
        if any(slot.role == "saying" for slot in last.slots) or told.object or not isinstance(to, Text):
            return
        asked, pronoun = self.words.goal[slice(*last.spans[0])], self.words.goal[slice(*to.spans[0])] != to.text
        if to.text not in asked or not pronoun or told.negated or {slot.role for slot in told.slots} != {"to", "saying"}:
            return
        saying = [slot for slot in told.slots if slot.role == "saying"]
        self.orders[-2:] = [last.model_copy(update={"slots": (*last.slots, *saying), "spans": (*last.spans, *told.spans)})]

    def _restated(self) -> None:
        """ "All that is about the roof belongs into /Roof. Move these files there.": the same order, said twice."""
        told, again = self.orders[-2:] if len(self.orders) > 1 else (None, None)
        if told is None or again is None or told.said.casefold() not in self.words.lexicon.data["belongs"]:
            return
        thing, to, at = again.object, [slot.value for slot in again.slots], len(self.orders) - 2
        pointed = [one.to for one in (thing.back if thing else None, *to) if isinstance(one, Back)]
        if again.verb not in {"move", "put"} or again.negated or pointed != [at, at]:
            return
        if thing is None or thing.tests or thing.pick:
            return
        kind = told.object.kind or thing.kind if told.object else ""
        change = {"object": told.object.model_copy(update={"kind": kind}) if told.object else None, "verb": again.verb}
        self.orders[-2:] = [told.model_copy(update={**change, "said": again.said, "spans": (*told.spans, *again.spans)})]

    def _sentence_end(self, at: int) -> int:
        while not self.over(at):
            at += 1
        return at

    # Conditions

    def _front(self, at: int) -> Read[Condition | None]:
        """[join] [condition ","] ["then"]"""
        while (join := self.take(at, "joins")) and not (self._noun_ahead(join.end) and self.low(at) in {"first", "last", "next"}):
            at = join.end + (self.low(join.end) == ",")
        if (waited := None if self.take(at, "waits") else self.awaited(at)) is not None:
            return None, waited + (self.low(waited) == ",")
        found = self.conditional(at)
        if found is None:
            return None, at
        end = self.skip(found[1], ",|:? then?")
        self.condition = found[0]
        if (thing := found[0].thing).back is None:
            many = thing.quantity == "any" and self.begins(thing, "any ")
            self.topic = thing.model_copy(update={"quantity": "all"}) if many else thing
        return found[0], end

    def conditional(self, at: int) -> Read[Condition] | None:
        """if so | otherwise | (if|unless) there is THING | (if|unless) THING PREDICATE"""
        if (found := self.take(at, "if_so", "if_not")) and self.condition is not None:
            return self._again(at, found.end, found.entry.group == "if_not")
        word = self.take(at, "conditions")
        if word is None or word.entry.name == "when":
            return None
        pointed = self.low(word.end) in {"it", "they", "not", "i" if self.free_time else "it"}
        if self.condition is not None and pointed and (short := self._elliptic(at, word)):
            return short
        unless = word.entry.name == "unless"
        return self._free(at, word.end, unless) or self._said(at, word.end, unless)

    def _said(self, first: int, end: int, unless: bool) -> Read[Condition] | None:
        """there is [no] THING | THING PREDICATE | THING [not] exists"""
        opened = self.see(end, "there is|are")
        none = self.take(opened.end, "no", "not") if opened else None
        thing = self.simple(none.end if none else opened.end if opened else end)
        tests = self.predicates(thing[1]) if thing and not opened else None
        exists = self.see(thing[1], "exists|exist") or self.see(thing[1], "<auxiliaries> not exist") if thing else None
        there = opened is not None or (exists is not None and tests is None)
        if thing is None or (tests is None and not there):
            return None
        if exists and not opened:
            thing, none = (thing[0], exists.end), exists.get("auxiliaries")
        if bare(thing[0]) and not there:  # if Ann is in the group, write to her
            self.named(thing[0].name)
        stop = tests[1] if tests else thing[1]
        holds = tuple(tests[0]) if tests else ()
        none_or_unless, spans = unless != bool(none), self.spans(first, stop)
        return Condition(thing=self.some(thing[0]), tests=holds, negated=none_or_unless, spans=spans), stop

    def _free(self, first: int, at: int, unless: bool) -> Read[Condition] | None:
        """if I am [not] free DAY | I have nothing [on] DAY | nothing is in my calendar DAY | DAY is free: no appointment then"""
        idle = self.take(at, "nothing_on")
        none, end = bool(idle and idle.entry.name == "free"), idle.end if idle else at
        when = self.dates.read(end + (self.low(end) == "on")) or self.dates.read(end)
        if idle is None and when is not None:
            be = self.low(when[1]) == "is" and when[1] + 1 + (self.low(when[1] + 1) == "not")
            none, idle = bool(be) and self.low(be - 1) != "not", self.take(be, "states") if be else None
            if idle is None or idle.entry.name != "free":
                return None
            when = when[0], idle.end
        if idle is None or when is None or not when[0].first:
            return None
        spans = self.spans(first, when[1])
        test = Test(relation="on", value=when[0].model_copy(update={"spans": spans}), spans=spans)
        self.free_time = when[0]
        busy = Thing(kind="appointment", quantity="any", tests=(test,), spans=spans)
        return Condition(thing=busy, negated=none != unless, spans=spans), when[1]

    def some(self, thing: Thing) -> Thing:
        """ "any mails", in a question or after "if": whether there is one."""
        return thing.model_copy(update={"quantity": "any"}) if thing.quantity == "all" and self.begins(thing, "any ") else thing

    def yes_or_no(self, at: int, end: int, condition: Condition) -> None:
        """What is asked is answered with yes if it is so, and with no if it is not."""
        for word in ("yes", "no"):
            slot = Slot(role="value", value=Text(text=word, spans=condition.spans), spans=condition.spans)
            holds = condition.model_copy(update={"negated": (word == "no") != condition.negated})
            order = Order(verb="answer", said=self.words.text(at, end), slots=(slot,), condition=holds, spans=self.spans(at, end))
            self.orders.append(order)

    def whether(self, at: int) -> int | None:
        """check|tell me whether THING PREDICATE: an answer."""
        check = self.take(at, "check_words")
        found = self._said(at, check.end, False) if check else None
        if found is not None:
            self.yes_or_no(at, found[1], found[0])
        return found[1] if found else None

    def awaited(self, at: int) -> int | None:
        """when|as soon as|once|wait until THING arrives | NAME sends THING | THING PREDICATE: an order to wait for it."""
        word, waits = self.take(at, "conditions"), self.take(at, "waits")
        begun = waits or (word if word and word.entry.name == "when" else None)
        coming = self.coming(begun.end) if begun else None
        if begun and self.low(begun.end) == "it" and self.topic is not None and self.topic is self.expected:
            coming, self.waiting = None, None
            found: Read[Thing] | None = (self.topic, begun.end + 1)
        else:
            found = coming or (self.simple(begun.end) if begun else None)
        if begun is None or found is None:
            return None
        thing, end = found
        arrives = Match(begun.entry, end) if coming else self.take(end, "arrives")
        tests = self.predicates(end) if not arrives else None
        stop = arrives.end if arrives else tests[1] if tests else 0
        if not stop or thing.quantity not in {"one", "any"} or thing.also:
            return None
        if tests is not None and self.low(at) == "when" and self.take(end, "auxiliaries"):
            raise Doubt(f"should it be waited for, or be done only if it holds now: {self.words.text(at, stop)!r}?")
        change = {"tests": (*thing.tests, *tests[0])} if tests else {"new": True}  # one that is not there yet
        said, awaited = self.words.text(at, begun.end), thing.model_copy(update=change)
        self.orders.append(Order(verb="wait", said=said, object=awaited, spans=self.spans(at, stop)))
        self.topic = None if thing is self.topic else self.topic  # "it" is what was waited for
        return stop

    def coming(self, at: int) -> Read[Thing] | None:
        """NAME sends [me] a THING: one from NAME that is not there yet"""
        end = self._name_end(at)
        verb = self.take(end, "sends") if end > at else None
        found = self.simple(self.skip(verb.end, "me|us")) if verb else None
        if found is None or not found[0].kind or found[0].quantity != "any" or found[0].back is not None:
            return None
        self.named(self.text(at, end))
        sender = Test(relation="from", value=self.text(at, end), spans=self.spans(at, end))
        return found[0].model_copy(update={"quantity": "one", "tests": (sender, *found[0].tests)}), found[1]

    def _again(self, at: int, end: int, negated: bool) -> Read[Condition] | None:
        """The condition said before, or its contrary."""
        if self.condition is None:
            return None
        self.waiting = None
        spans = (*self.condition.spans, *self.spans(at, end))
        return self.condition.model_copy(update={"negated": self.condition.negated != negated, "spans": spans}), end

    def _elliptic(self, at: int, word: Match) -> Read[Condition] | None:
        """if it is | if it isn't | if not, with nothing more"""
        end = word.end
        if self.low(end) != "not":
            aux = self.take(end + 1, "auxiliaries")
            if aux is None:
                return None
            end = aux.end
        negated = self.low(end) == "not"
        end += negated + (self.low(end + negated) == "been")
        if self.condition is None or (self.low(end) != "," and not self.clause(end)):
            return None
        denied = self.condition.negated and self.free_time is None  # "unless it is paid, ... If it is, ..."
        if denied and not self.condition.tests:
            return None
        return self._again(at, end, denied != (negated != (word.entry.name == "unless")))

    def _await(self, at: int, thing: Thing, tests: tuple[Test, ...], end: int) -> int:
        self.condition = Condition(thing=self.some(thing), tests=tests, spans=self.spans(at, end))
        self.topic, self.waiting = thing, (at, end)
        return end

    def _asked_condition(self, at: int, aux: Match) -> int | None:
        """is|has THING [been] STATE? | have we paid THING? | is there THING?"""
        got, ours = self.take(at, "got"), self.see(aux.end, "we|i <states>")
        start = got.end if got else ours.end if ours else self.skip(aux.end, "there")
        thing = self.simple(start) if got else self.thing(start)
        if thing is None:
            return None
        end, test = thing[1], None
        if ours:
            test = self._state(ours["states"], aux.end + 1), end
        elif aux.entry.name == "do" and not got:
            verb = self.take(end, "predicates")
            test = self._complement(verb, end, "", False) if verb else None
        elif not got and start == aux.end and aux.entry.name in {"be", "have"}:
            negated = self.low(end) == "not"
            test = self._being(self.skip(end + negated, "been"), "", negated)
        elif not got and aux.entry.name == "modal":
            return None
        end = test[1] if test else end
        whole = self.over(end) and (test or got or start > aux.end)
        return self._await(at, thing[0], (test[0],) if test else (), end) if whole else None
