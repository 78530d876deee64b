"""Sentences that tell how things are, and clauses that say more of an order that was read before.

told = ["because"] subject ("is" | "has" | past) ... | "there is too much in" place | the field "is" value | "it is in" place
linked = "keep only" thing "and" ... "everything else" | verb "the same" ["to" person] | "it should be called" name
"""

from __future__ import annotations

from roles.contracts.orders import Context, Of, Slot, Text, Thing
from roles.screen.language.conditions import Conditions
from roles.screen.language.names import LOOKING, bare, plural

CAN = frozenset({"can", "could", "will", "would"})


class Statements(Conditions):
    """Reads them; what is told is kept as background, or added to the order that it is about."""

    def _told(self, at: int, end: int) -> int | None:
        """A sentence that tells how things are, with nothing in it that could be asked for: it is background."""
        people, stop = self.people, self._name_end(at)
        if stop > at and self.words.list[at].capital:  # Ann has sent me her number
            self.named(self.text(at, stop))
        told = self._telling(at, end)
        self.people = people if told is None else self.people
        return told

    def _telling(self, at: int, end: int) -> int | None:
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
        """The subject is X. | The title should be X | Text: all of a sentence: for the order before."""
        found, last = self.seen_field(at, "<articles>? <possessives>?"), self.orders[-1] if self.orders else None
        if found is None or last is None or "with" not in self.words.lexicon.data["verbs"].get(last.verb, {}).get("slots", {}):
            return None
        field, article = found["field"], len(found) > 1
        modal, be = self.take(field.end, "passives"), self.low(field.end) in {"is", "are"}
        start = modal.end if modal else field.end + (be or self.low(field.end) == ":")
        end = self._sentence_end(start)
        rest = range(start + (end == start + 1), end)  # a quotation is all of it
        whole = self.low(field.end) == ":" and not any(self.low(n) == ":" or self.kind(n) == "quote" for n in rest)
        known = any(slot.field == field.entry.name for slot in last.slots)
        plain = not article and (self.kind(start) == "quote" or self._nameish(start))  # Subject Parking.
        said = modal or be or plain or self.low(at - 1) == "and"
        value = self.amount(start) or (self.title(start) if plain else self.name(start)) if said and not known else None
        value = (self.text(start, end, quoted=self.kind(start) == "quote"), end) if whole and end > start and not known else value
        more = bool(value and self.low(value[1]) == "and" and self.take(value[1] + 1, "articles", "possessives"))
        if value is None or not (more or self.over(value[1])):
            return None
        spans = self.spans(at, value[1])
        slot = Slot(role="with", field=field.entry.name, value=value[0], spans=spans)
        self.orders[-1] = last.model_copy(update={"slots": (*last.slots, slot), "spans": (*last.spans, *spans)})
        return self._given_slot(value[1] + 1) if more else value[1]

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

    def _sentence_end(self, at: int) -> int:
        while not self.over(at):
            at += 1
        return at
