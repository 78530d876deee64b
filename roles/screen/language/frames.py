"""A verb and what goes with it: the object, the person, what its prepositions say, fields with values, days and words.

operand = thing | value | preposition value | [","] ["with"] field value | "as" field | date | ("that" | "saying" | ":") words
"""

from typing import Any

from roles.contracts.orders import Amount, Back, Of, Order, Slot, Text, Thing, Value, When, Worked
from roles.screen.language.names import LOOKING, Draft, Read, bare, plural
from roles.screen.language.nouns import unknown
from roles.screen.language.values import Values
from roles.screen.language.words import Doubt, deeds, phrases

ONCE = frozenset({"to", "into", "as", "by", "on", "called", "until", "saying", "per", "from"})
"""Roles that an order has once: said twice it is not certain which is meant."""


CONTENT = frozenset({"with", "for", "value", "saying", "into"})
"""Roles within which "in" and "on" belong to the things: "with the names of all contacts in the group"."""


class Frame:
    """A verb's entry of the lexicon, filled with what the goal says."""

    def __init__(self, values: Values, verb: dict[str, Any], given: Thing | None) -> None:
        self.read, self.verb, self.takes = values, verb, verb.get("object", "thing")
        self.words, self.dates, self.lexicon = values.words, values.dates, values.words.lexicon.data
        self.low, self.take, self.see, self.spans = values.low, values.take, values.see, values.spans
        self.roles: dict[str, str] = verb["slots"]
        self.timely = bool(verb.get("makes") or verb.get("timed"))
        self.slots: list[Slot] = []
        self.person: Thing | None = None
        self.kept = self.apart = False
        values.subject = None
        self.about(given)

    def about(self, thing: Thing | None, **change: Any) -> None:
        """Sets what the order is about."""
        self.object = self.read.object = thing.model_copy(update=change) if thing is not None else None

    def add(self, role: str, value: Value, first: int, end: int, field: str = "") -> int | None:
        if role in ONCE and not field and any(slot.role == role and not slot.field for slot in self.slots):
            return None
        self.slots.append(Slot(role=role, field=field, value=value, spans=self.spans(first, end)))  # type: ignore[arg-type]
        return end

    def fill(self, at: int, pending: tuple[str, ...]) -> int | None:
        """All operands, and the words of the verb that are still to come; gives the place behind them."""
        self.kept = self.verb["name"] == "keep" and self.low(at - 2) == "but"  # but leave the hall
        while True:
            if pending and self.filled() and self.words.has(at, *pending):
                at, pending = at + len(pending), ()
            self.read.pending = pending
            word, field = self.low(at), self.read.seen_field(at + 1)
            listed = bool(self.slots and self.slots[-1].field and self.take(at + 1, "field"))  # title A, text B
            comma = word == "," and self.filled() and (listed or not self.read.clause(at + 1))
            marks = {"-", "–", "and"} if self.verb.get("says") else {"-", "–", "and", ":"}
            ticked = word == "and" and self.truth(at + 1, add=False) is not None
            joined = comma or (word == "and" and self.low(at + 1) == "with") or (field is not None and word in marks) or ticked
            end = self.operand(at + joined, joined)
            if end is None:
                return None if pending else at
            at = end

    def filled(self) -> bool:
        return self.object is not None or bool(self.slots) or self.person is not None

    def operand(self, at: int, joined: bool) -> int | None:
        """The first rule that reads something here."""
        again = (self.one_each, self.repeated, self.beside, self.as_before)
        described = (*again, self.keeping, self.called, self.excepted, self.channel, self.due, self.position)
        for rule in (*described, self.alone, self.said, self.field, self.freed, self.preposition, self.there, self.when):
            size = len(self.slots)
            if (end := rule(at)) is not None:
                return end
            del self.slots[size:]
        if not joined:
            return self.direct(at)
        more = self.read.fields(at) if (self.object or self.person) is not None and "with" in self.roles else None
        return self.add("with", more[0], at, more[1]) if more else None

    def one_each(self, at: int) -> int | None:
        """[,] one mail each [so that nobody sees the others], of what is sent to several"""
        found, people = self.see(at, ",? one <letters> each") or self.see(at, ",? <one_by_one>"), self.person
        if found is None or people is None or people.quantity != "all" or people.also or not self.verb.get("says"):
            return None
        self.apart = True
        return self.add("per", Of(thing=people, spans=people.spans), at, self.read.skip(found.end, ",? <unseen>"))

    def repeated(self, at: int) -> int | None:
        """every week [from DAY to DAY] [, at TIME] [for LENGTH [each]] [, as one repeating event]"""
        every = self.see(at, ",? every|each <lengths>") if self.timely and self.filled() else None
        word = self.lexicon["repeats"].get(every["lengths"].entry.name) if every else None
        if every is None or word is None:
            return None
        often = Text(text=word, spans=self.spans(at, every.end))
        end: int | None = self.add("with", often, at, every.end, field="repeat")
        days = self.dates.read(every.end) if self.low(every.end) == "from" else None
        start = self.read.skip(days[1] if days else every.end, ",")
        clock = self.dates.read(start)
        clock = clock if clock and clock[0].start and not (clock[0].first or clock[0].end) else None
        if days is not None and (days[0].end or days[0].last[11:] != days[0].first[11:]):
            return None
        if days is not None and days[0].first < days[0].last:
            last = When(text=days[0].last[:10], first=days[0].last[:10], last=days[0].last[:10])
            end = self.add("with", last, every.end, days[1], field="repeat until")
            first, time = days[0].first[:10], days[0].first[11:] or days[0].start or (clock[0].start if clock else "")
            own = {"first": first, "last": first, "start": time}
            end = self.add("on", days[0].model_copy(update=own), every.end, clock[1] if clock else days[1])
        elif days is not None or clock is not None:
            return None  # from when on is not said
        length = self.dates.length(end + 1) if end is not None and self.low(end) == "for" else None
        if length is not None and end is not None:
            lasts = When(text=self.words.text(end + 1, length[1]), minutes=length[0])
            end = self.read.skip(self.add("for", lasts, end, length[1]) or end, "each")
        series = self.see(end, ",? <as_series>") if end is not None else None
        self.words.nothing += self.words.list[end : series.end] if series and end is not None else []
        return series.end if series else end

    def beside(self, at: int) -> int | None:
        """put "X" with Ann into my calendar"""
        titled = self.verb["name"] in {"put", "add"} and any(
            slot.role == "value" and isinstance(slot.value, Text) and slot.value.quoted for slot in self.slots
        )
        name = self.read.name(at + 1) if titled and self.low(at) == "with" and self.read._nameish(at + 1) else None
        return self.add("with", name[0], at, name[1]) if name else None

    def as_before(self, at: int) -> int | None:
        """[,] on the same day | at the same time | just as long as it was [(until 13:00)], of what is moved"""
        found = self.see(at, ",? <as_before>") if self.verb["name"] in {"move", "postpone"} and self.filled() else None
        whens = [slot.value for slot in self.slots if isinstance(slot.value, When)]
        stays = found["as_before"].entry.name if found else ""
        new = [when.first if stays == "day" else when.start or when.first[11:] for when in whens]
        if found is None or not whens or (stays != "length" and any(new)) or any(when.minutes for when in whens):
            return None
        if stays != "length" and any(isinstance(slot.value, When) for order in self.read.orders for slot in order.slots):
            return None  # it may be that of the order before
        self.words.nothing += self.words.list[at : found.end]
        until = self.see(found.end, "( until|till") if stays == "length" else None
        end = self.dates.read(until.end) if until else None
        if end is None or not end[0].start or self.low(end[1]) != ")":
            return found.end
        return self.add("until", end[0], found.end, end[1] + 1, field="length")

    def keeping(self, at: int) -> int | None:
        """as it is"""
        kept = self.take(at, "keeps") if self.verb.get("keeps") and self.filled() else None
        self.kept = self.kept or kept is not None
        return kept.end if kept else None

    def called(self, at: int) -> int | None:
        """an alarm for 7 am called X"""
        found, new = self.take(at, "predicates"), self.object
        if found is None or found.entry.name != "is called" or new is None or not new.new or new.name:
            return None
        name = self.read.title(found.end) if self.verb.get("makes") else None
        if name is not None:
            self.about(new, name=name[0], spans=(*new.spans, *self.spans(at, name[1])))
        return name[1] if name else None

    def excepted(self, at: int) -> int | None:
        """mark all mails as read, except those from Ann"""
        every = self.object if self.slots and self.object and self.object.quantity == "all" and not self.object.but else None
        found = self.take(at, "exceptions") if every and self.low(at) != "but" else None
        but = self.read.excepted(found.end, every.kind) if found and every else None
        if but is not None:
            self.about(every, but=but[0])
        return but[1] if but else None

    def alone(self, at: int) -> int | None:
        """- only the sum, no names: what is told is that alone, as it is anyway"""
        if either := self.see(at, ",? <states> or not"):  # every unpaid invoice, overdue or not
            self.words.nothing += self.words.list[at : either.end]
            return either.end if self.filled() else None
        found = self.see(at, ",|-|–? only the <field>")
        told = [slot.value for slot in self.slots if slot.role == "saying"]
        if found is None or len(told) != 1 or not isinstance(told[0], Of) or told[0].fields != (found["field"].entry.name,):
            return None
        end = self.read.skip(self.read.skip(found.end, ",? no <field>"), ",? nothing else")
        self.words.nothing += self.words.list[at:end]
        return end

    def channel(self, at: int) -> int | None:
        """in chat | by mail | largest first"""
        if self.verb["name"] == "sort" and (directed := self.take(at, "directions")):
            return self.add("as", Text(text=directed.entry.name, spans=self.spans(at, directed.end)), at, directed.end)
        if self.verb.get("mine") and self.take(at, "from_me"):
            return at + 2
        found = self.take(at, "channels") if self.verb.get("says") and self.filled() else None
        if found is None:
            return None
        spans = self.spans(at, found.end)
        return self.add("by", Of(thing=Thing(kind=found.entry.name, spans=spans), spans=spans), at, found.end)

    def due(self, at: int) -> int | None:
        """a task, due on Friday | a claim dated yesterday"""
        found, made = self.see(at, "<predicates> on|at?"), self.object
        fresh = made is not None and (made.new or made.quantity == "any" or self.verb["name"] == "add")
        when = self.dates.read(found.end) if found and fresh and found["predicates"].entry.name in {"due", "dated"} else None
        if found is None or when is None:
            return None
        value = when[0].model_copy(update={"spans": self.spans(found.end, when[1])})
        return self.add("with", value, at, when[1], field=found["predicates"].entry.data["field"])

    def position(self, at: int) -> int | None:
        """at the end [of THING] | at its end"""
        found = self.take(at, "positions") if "into" in self.roles else None
        if found is None:
            return None
        words, end = found.entry.words, found.end
        into: Read[Value] | None = None
        if "its" in words:
            topic = self.read.valued_thing(self.read.spoken()) if self.read.topic is not None else None
            value = topic or self.read.back(False, at=at)
            into = (value, end) if value else None
        elif words[-1] == "of":
            into = self.read.valued(end)
        if into is None and (words[-1] == "of" or "its" in words or self.low(end) == "of"):
            return None
        self.add("at", Text(text=found.entry.name, spans=self.spans(at, end)), at, end)
        return self.add("into", into[0], end if into[1] > end else at, into[1]) if into else end

    def preposition(self, at: int) -> int | None:
        """A preposition of the verb's entry, and what it says."""
        word = max((words for words in self.roles if self.words.has(at, *words.split())), key=len, default="")
        if not word or (word == "with" and not self.filled()):
            return None
        role, end = self.roles[word], at + len(word.split())
        if word == "for" and "over" in self.roles:  # a claim for 23.50, a claim for the total of INV-1
            worth = None if self.dates.read(end) else self.read.amount(end)
            value: Read[Value] | None = worth or self.read.fields(end)
            if value is not None and not (isinstance(value[0], Of) and not value[0].fields):
                return self.add("value", value[0], at, value[1])
        claimed, reserved = self.read.claimed, self.read.reserved
        person = word == "with" and self.verb.get("makes") and self.read._nameish(end)  # with Ann in Room 3
        if role in CONTENT and not person:
            self.read.claimed, self.read.reserved = claimed - {"in", "on", "about", "of", "from"}, claimed & {"in", "on", "with"}
        if role == "saying":
            result = self.told(at, end) if word in phrases("telling") else self.told_words(at, end)
        else:
            result = self._special(word, role, at, end) or self._plain(word, role, at, end)
        self.read.claimed, self.read.reserved = claimed, reserved
        return result

    def _special(self, word: str, role: str, at: int, end: int) -> int | None:
        """as FIELD | with FIELDS | for each of THINGS | a day or a time"""
        if role == "as" and (field := self.as_field(end)):
            return field
        if word == "with" and (lines := self.line_each(at, end)):
            return lines
        if word == "with" and self.verb["name"] not in {"compare", "share", "merge"}:
            if (pairs := self.pairs(at, end)) is not None:
                return pairs
            if (more := self.read.fields(end)) is not None:
                return self.inside(self.add("with", more[0], at, more[1]))
        if word == "for" and (self.verb.get("makes") or self.takes != "thing"):
            each = self.every_one(end) or self.read.thing(end)
            if each is not None and (each[0].quantity == "all" or (self.take(end, "all") and plural(each[0]))):
                self.read.each = each[0]
                return self.add("per", self.read.valued_thing(each[0]), at, each[1])
        if word in {"in", "on", "at", "for", "from", "to", "by"}:
            when = self.dates.read(at if word in {"in", "at", "from"} else end)
            when = when or (self.dates.read(end) if word == "from" else None)
            if when is not None:
                value = when[0].model_copy(update={"spans": self.spans(at, when[1])})
                return self.add(self.timed(word, when[0]), value, at, when[1])
        return None

    def every_one(self, at: int) -> Read[Thing] | None:
        """every one [that is not paid]: of those that were looked at"""
        ones = self.see(at, "every|each <ones> of? them?")
        those = self.read.orders[-1].object if ones and self.read.orders and self.read.orders[-1].verb in LOOKING else None
        if ones is None or those is None or not plural(those) or those.also or those.pick:
            return None
        draft = Draft(kind=those.kind, quantity="all", tests=[*those.tests], place=those.place)
        end = self.read.modifiers(ones.end, draft)
        return draft.thing(self.spans(at, end)).model_copy(update={"but": those.but, "name": those.name}), end

    def _plain(self, word: str, role: str, at: int, end: int) -> int | None:
        found = self._value(role, end)
        if found is None:
            return None
        value, stop = found
        if role == "into" and self.slots and self.slots[-1].role == "value" and isinstance(value, Of):
            thing, last = value.thing, self.slots[-1]
            if thing.name and thing == Thing(kind="field", name=thing.name, spans=thing.spans):  # into the Amount field
                spans = (*last.spans, *self.spans(at, stop))
                self.slots[-1] = last.model_copy(update={"field": thing.name.text, "spans": spans})
                return stop
        said = {value.field} if isinstance(value, Back) else set(value.fields) if isinstance(value, Of) else set()
        if word == "on" and said & phrases("days"):  # on that day, on its due date
            role = "on"
        if role in {"to", "with"}:
            self.read.named(value)
        named = self.take(stop, "field") if role == "value" and isinstance(value, Amount) else None
        if named is not None and not self.read._open(named.end):
            return self.add(role, value, at, named.end, field=named.entry.name)
        if word in {"for", "about", "of"} and (self.object is None or self.object.quantity == "any"):
            of = value.thing if isinstance(value, Of) and not value.fields else None
            self.read.subject = Thing(name=value, spans=value.spans) if isinstance(value, Text) else of or self.read.subject
        return self.add(role, value, at, stop)

    def _value(self, role: str, at: int) -> Read[Value] | None:
        read, name = self.read, self.verb["name"]
        if name == "rename" and read.kind(at) == "word" and self.words.is_named(at):
            return read.title(at)
        if role in {"as", "value"} and (state := read.marked(at)):
            return state
        if role == "as" and self.low(at) == "not" and (denied := read.marked(at + 1) or read.name(at + 1)):
            return read.text(at, denied[1]), denied[1]
        held = read.fields(at) if role != "to" or name == "set" else None
        if held is not None and (role != "into" or name == "set" or _is_place(held[0])):
            return held
        if role in {"value", "by", "to", "called", "with"} and (value := read.amount(at) or read.value(at)):
            return value
        thing = read.thing(at, inner=True)
        if role == "into" and thing and any(one.kind not in {"", thing[0].kind} for one in thing[0].also if thing[0].kind):
            thing = read.simple(at, inner=True)  # into the folder A, and the mails B and C into another
        return (read.valued_thing(thing[0]), thing[1]) if thing else None

    def as_field(self, at: int) -> int | None:
        """as the amount: into which field goes what is written"""
        found = self.read.seen_field(at, "<articles>? <possessives>?")
        if found is None or self.take(found.end, "noun") or self.read._open(found.end):
            return None
        field = found["field"].entry.name
        for place, slot in enumerate(self.slots):
            if slot.role == "value" and not slot.field:
                spans = (*slot.spans, *self.spans(at, found.end))
                self.slots[place] = slot.model_copy(update={"field": field, "spans": spans})
                return found.end
        held = self.object or self.person
        if held is None or not (held.back or (bare(held) and self.takes == "value")) or held.tests:
            return None
        self.add("value", self.read.valued_thing(held), at, found.end, field=field)
        self.about(None)
        self.person = None
        return found.end

    def pairs(self, first: int, at: int) -> int | None:
        """with the total, X as the vendor and Y as the category"""
        size, named, end = len(self.slots), False, 0
        while at:
            value: Read[Value] | None = self.read.fields(at) or self.read.name(at)
            as_field = value is not None and self.low(value[1]) == "as"
            into = as_field or (value is not None and self.low(value[1]) == "in")
            found = self.read.seen_field(value[1] + 1, "<articles>? <possessives>?") if value and into else None
            if value is None or (found is None and (as_field or not isinstance(value[0], Of))):
                break
            if (
                isinstance(value[0], Of) and found and len(several := value[0].fields) > 1
            ):  # the vendor and the total as the amount
                self.add("with", value[0].model_copy(update={"fields": several[:-1]}), first, value[1])
                value = value[0].model_copy(update={"fields": several[-1:]}), value[1]
            field, stop = (found["field"].entry.name, found.end) if found else ("", value[1])
            named, end = named or bool(field), self.inside(self.add("with", value[0], first, stop, field=field)) or 0
            at = self.read._separator(end)
            at = 0 if self.read.clause(at) else at
        if not named:
            del self.slots[size:]
        return end if named else None

    def inside(self, at: int | None) -> int | None:
        """ "the total in it", "on the form", "on the claim": in what is made"""
        if at is None or self.object is None or not (self.object.new or self.verb["name"] == "claim"):
            return at
        return self.read.on_form(at) or self.read.skip(at, "in|on it")

    def timed(self, word: str, when: When) -> str:
        """The role of a day, a time or a length that a word leads to."""
        if when.minutes:
            return "for" if word == "for" else "by"
        if word == "from" and not self.dates.ranges:
            return "from"
        if self.roles.get(word) == "value" or word == "to":
            return self.roles.get(word, word) if self.roles.get(word) == "value" else "to"
        return "on" if when.first or not when.start else "at"

    def freed(self, at: int) -> int | None:
        """then | into it [from 3 to 4]: at the time of which a condition asked whether nothing is on"""
        free, into = self.read.free_time, self.words.has(at, "into", "it")
        if free is None or not (into or self.low(at) == "then") or not self.timely:
            return None
        own = self.dates.read(at + 2) if into else None
        whole = free.model_copy(update={"start": "", "end": ""}) if own is not None and own[0].start else free
        return self.add("on", whole.model_copy(update={"spans": self.spans(at, at + 1 + into)}), at, at + 1 + into)

    def when(self, at: int) -> int | None:
        """tomorrow at 10 | until tomorrow | half an hour later | two hours before THING"""
        found = self.dates.read(at) if self.timely else None
        ahead = found is not None and self.read._noun_ahead(found[1]) and self.low(found[1]) != "ahead"
        if found is None or ahead or self.low(found[1]) == "'s":
            return None
        when, end = found[0].model_copy(update={"spans": self.spans(at, found[1])}), found[1]
        dated, free = any(slot.role == "on" for slot in self.slots), self.read.free_time
        if when.start and not (when.first or dated) and free is not None:
            when = when.model_copy(update={"first": free.first, "last": free.last})
        if not when.minutes:
            role = self.timed("on", when)
            return self.add("on" if role == "value" else role, when, at, end)
        if self.low(end) in {"later", "earlier"}:
            shift = when.minutes * (1 if self.low(end) == "later" else -1)
            return self.add("by", when.model_copy(update={"minutes": shift}), at, end + 1)
        if "about" in self.roles and (before := self.see(end, "before|ahead of?")):
            what = self.read.thing(before.end)
            self.add("by", when.model_copy(update={"minutes": -when.minutes}), at, before.end)
            return self.add("about", self.read.valued_thing(what[0]), before.end, what[1]) if what else None
        return self.add("for", when, at, end) if self.filled() else None

    def field(self, at: int) -> int | None:
        """[with] [the] FIELD [of|is] VALUE, for what is made, sent, claimed or written"""
        owned = self.low(at) == "for"  # for the vendor City Taxi
        found = (
            self.see(at, "for|with? <articles>? <possessives>? <field> is|:?") if "with" in self.roles and self.filled() else None
        )
        if found is None:
            return self.truth(at)
        end, field = found.end, found["field"].entry.name
        named = self.read.kind(end) == "word" and self.words.is_named(end)  # category Other
        value = self.read.amount(end) or self.read.name(end) or (self.read.title(end) if named else None)
        if value is None or self.low(value[1]) == "'s" or (owned and not (len(found) > 1 and self.read._nameish(end))):
            return None
        told = self.told_end(end, True) if field in phrases("texts") and self.read.kind(end) != "quote" else None
        value = (self.read.told_text(end, told), told) if told else value
        return self.add("with", value[0], at, value[1], field=field)

    def truth(self, at: int, add: bool = True) -> int | None:
        """[with] the WORD "yes"|"no": of what is ticked or not, which may be called by a whole sentence"""
        found = self.see(at, "with? <articles>") if "with" in self.roles and self.filled() else None
        if found is None or self.read.kind(found.end) != "word" or self.take(found.end, "noun", "verb"):
            return None
        value = self.read.name(found.end + 1) if self.read.kind(found.end + 1) == "quote" else None
        if value is None or value[0].text.casefold() not in deeds()["truths"]:
            return None
        return self.add("with", value[0], at, value[1], field=self.low(found.end)) if add else value[1]

    # What is told

    def said(self, at: int) -> int | None:
        """that ... | : ... | a quotation, to whom something is said"""
        if not self.verb.get("says") or not (self.filled() or self.verb["name"] in {"remind", "reply"}):
            return None
        if self.low(at) == "that" and not self.take(at + 1, "verb", "predicates", "auxiliaries"):
            return self.told_words(at, at + 1)
        if self.read.kind(at) == "quote":
            return self.add("saying", self.read.text(at, at + 1, quoted=True), at, at + 1)
        asks = self.verb.get("asks") and (self.low(at) in phrases("asking") or self.take(at, "questions"))
        if self.person is not None and asks:
            return self.told_words(at, at, plain=True)
        if self.person is not None and self.low(at) in phrases("speaking") and not self.read.over(at + 1):  # tell Ann I am late
            return self.told_words(at, at)
        return self.told_words(at, at + 1) if self.low(at) == ":" else None

    def told(self, first: int, at: int) -> int | None:
        """with "words" | with the total"""
        if (found := self.read.joined(at)) is not None:
            return self.add("saying", found[0], first, found[1])
        many = self.read.thing(at) if self.low(at - 1) in {"lists", "listing", "names", "naming"} else None
        return self.add("saying", self.read.valued_thing(many[0]), first, many[1]) if many and plural(many[0]) else None

    def line_each(self, first: int, at: int) -> int | None:
        """with a line for each THING [,] with|: FIELDS"""
        row = self.see(at, "a|one? line|row for|per")
        per = row is not None and self.low(row.end - 1) == "per"
        many = self.read.thing(row.end) if row is not None and (per or self.take(row.end, "all")) else None
        if many is None or not (per or plural(many[0])):
            return None
        thing, start = many[0].model_copy(update={"quantity": "all"}), self.read.skip(many[1], ",? with|:")
        named = self.read._field_list(self.read.skip(start, "<articles>? <possessives>?")) if start > many[1] else None
        if start > many[1] and named is None:
            return None
        fields, end = named or ((), many[1])
        return self.add("saying", Of(fields=fields, thing=thing, spans=self.spans(at, end)), first, end)

    def there(self, at: int) -> int | None:
        """ "there": where an earlier order speaks of"""
        found, back = self.take(at, "there"), self.read.back(at=at)
        role = next((role for role in ("into", "to") if role in self.roles.values()), "")
        return self.add(role, back, at, found.end) if found and back and role else None

    def told_words(self, first: int, at: int, plain: bool = False) -> int | None:
        """Words that are told: a quotation, a value, or all to the end of the sentence, if nothing there could be an order."""
        if self.read.kind(at) == "quote":
            return self.add("saying", self.read.text(at, at + 1, quoted=True), first, at + 1)
        value, end = None if plain else self.read.joined(at), self.told_end(at)
        if value is not None and not isinstance(value[0], Amount):
            after = value[1]
            if not (self.read._separator(after) or self.read._open(after) or self.take(after, "auxiliaries")):
                return self.add("saying", value[0], first, after)
        return self.add("saying", self.read.told_text(at, end), first, end) if end else None

    def told_end(self, at: int, beside: bool = False) -> int | None:
        """Where words end that are told: all to the end of the sentence, if nothing there could be an order; fields may stand
        `beside` the one that they are told in."""
        end = at
        while not self.read.over(end):
            if self.take(end, "exceptions", "if_so", "if_not") or self.low(end) == ":" or self._bounds(end, at):
                return None
            back = self.take(end, "corrections", "no") if end > at and self.low(end - 1) == "," else None
            if back and self.low(back.end) == ",":  # milk and bread, no, milk and eggs
                return None
            field = self.see(end, "with <articles>? <field>")
            if end > at and (self.roles.get(self.low(end)) == "saying" or field):
                return None  # "saying hello and Ben one saying bye" are two
            sep = self.read._separator(end)
            order = sep and self.read.clause(sep)
            listed = self.read.seen_field(sep, "<articles>? <possessives>?") if sep and beside else None
            if (order and self.low(end) == ",") or (listed and self.read._field_here(listed["field"])):
                break
            if order or self.read.kind(end) == "quote":
                return None
            end += 1
        return end if end > at else None

    def _bounds(self, at: int, first: int) -> bool:
        """Whether a condition here may be one of the order, and not of what is told: "that I'll come if I can"."""
        found = self.take(at, "conditions")
        if found is None or (at == first and (self.verb.get("asks") or self.low(at - 1) == "asking")):
            return False
        own = found.entry.name == "when" or self.low(found.end) in {*phrases("speaking"), "you"}
        return not own or at == first or self.low(at - 1) == ","

    # What it is done with

    def direct(self, at: int) -> int | None:
        """The object; where it stands in one place and goes into another, the first "in" says where it is."""
        if self.roles.get("in") == "into":
            before = self.person, [*self.slots], self.verb, self.read.said_kind, [*self.read.people]
            object_, claimed, self.read.claimed = self.object, self.read.claimed, self.read.claimed - {"in", "on"}
            end = self.told_of(at)
            self.read.claimed = claimed
            if end is not None and self.roles.get(self.low(end)) == "into":
                return end
            self.person, self.slots, self.verb, self.read.said_kind, self.read.people = before
            self.about(object_)
            self.read.subject = None
        return self.told_of(at)

    def told_of(self, at: int) -> int | None:
        """The object, and before it the person that something is told or given."""
        read, says = self.read, self.verb.get("says")
        if self.takes == "none" or self.object is not None or (says and self.low(at) in {"me", "us"}):
            return None
        if any(slot.role == "saying" or (slot.role == "value" and not slot.field) for slot in self.slots):
            return None
        if not self.filled() and self.low(at) in {"in", "on"} and (place := read.simple(at + 1, inner=True)):
            return self.add("at", read.valued_thing(place[0]), at, place[1])
        if says and self.person is None and (who := read.everybody(at)) is not None:
            return self.add("to", who[0], at, who[1])
        copied = self.verb["name"] == "copy" and read.kind(at) == "file"  # no words, but what is called so
        value = read.joined(at) if self.takes == "value" and not copied else None
        labelled = value is not None and isinstance(value[0], Text) and self.roles.get(self.low(value[1])) == "value"
        if self.verb["name"] == "claim" and value is not None and isinstance(value[0], Of) and value[0].fields:
            return self.claimed(value[0], at, value[1])
        if value is not None and not labelled:  # otherwise: set "Title" to X
            return self.add("saying" if self.verb["name"] in {"send", "reply"} else "value", value[0], at, value[1])
        found = read.thing(at)
        if found is None:
            return None
        thing, end = found
        thing = thing.model_copy(update={"kind": "file"}) if copied and not thing.kind else thing
        thing = thing.model_copy(update={"quantity": "any"}) if self.person and self.see(at, "the same <letters>") else thing
        letter = self.letter(thing)
        if self.verb["name"] == "write" and thing.quantity == "any" and thing.kind and not letter and self.person is None:
            self.verb = self.lexicon["verbs"]["create"] | {"name": "create"}  # write a note titled X
            self.roles = self.verb["slots"]
            self.about(thing, new=True)
        elif says and self.person is None and not letter and not (thing.back and not thing.kind):
            self.person = thing
            read.named(read.valued_thing(thing))
            read.object = thing if thing.kind or thing.quantity != "one" else read.object
        else:
            self.about(thing, new=thing.new or bool(self.verb.get("makes")))
        return end

    def claimed(self, value: Of, at: int, end: int) -> int | None:
        """Claim the total of INV-1: that is the amount of a claim for it."""
        if plural(value.thing):
            raise Doubt(f"is {self.words.text(at, end)!r} to be claimed together, or each by itself?")
        self.about(value.thing)
        own = value.model_copy(update={"thing": Thing(back=Back(to=len(self.read.orders)))})
        return self.add("with", own, at, end, field="amount")

    def letter(self, thing: Thing) -> bool:
        return thing.kind in self.lexicon["letters"] and thing.quantity in {"any", "one"}

    # The order that it makes

    def order(self) -> Order | None:
        """The order, if all is there that the verb needs."""
        if self.verb.get("gives"):
            return self.given()
        if not self.addressed():
            return None
        if self.apart:
            own = Of(thing=Thing(back=Back(to=len(self.read.orders))))  # each of them
            self.slots = [slot.model_copy(update={"value": own}) if slot.role == "to" else slot for slot in self.slots]
        name, kind, orders = self.written(), self.object.quantity if self.object else "", self.read.orders
        if name in {"add", "put"} and any(slot.role == "into" for slot in self.slots):
            self.counted()
        if name in {"send", "reply"}:
            self.by_way()
            self.answered()
        if name == "invite" and not self.slots and orders and (made := orders[-1].object) is not None and made.new:
            self.slots.append(Slot(role="to", value=Back(to=len(orders) - 1)))
        roles = [slot.role for slot in self.slots]
        if name == "remind" and roles[-2:] in (["about", "on"], ["about", "at"]):
            raise Doubt(f"is {self.words.goal!r} to remind at that time, or of what is at that time?")
        nothing = self.object is None and not (self.read.denied and not roles)
        lacking = (
            (self.verb.get("needs") is not None and self.verb["needs"] not in roles)
            or (name == "answer" and kind == "any")
            or (self.verb.get("indefinite") and kind not in {"any", "number"})
            or (name == "keep" and self.verb.get("said") == "leave" and not self.kept and not roles)
            or (name == "rename" and not any(slot.role == "to" and isinstance(slot.value, Text) for slot in self.slots))
            or (nothing and (self.takes == "thing" or (self.takes == "value" and not roles)))
            or (name == "replace" and not any(isinstance(slot.value, Of) and slot.value.fields for slot in self.slots))
        )
        sets = self.verb.get("verb", name) == "set"
        if lacking or (sets and not self.spread()) or (self.verb.get("works") and not self.worked()):
            return None
        return Order(verb=self.verb.get("verb", name), object=self.object, slots=tuple(self.slots))

    def counted(self) -> None:
        """ "Put two Kettle Calm into my cart": the quantity of the one of that name."""
        thing = self.object
        if thing is None or thing.quantity != "number" or thing.name is None or thing.also:
            return
        kind = "" if unknown(Thing(name=thing.name)) else thing.kind  # two kettle calm
        one = thing.model_copy(update={"quantity": "one", "number": 0, "kind": kind})
        if bare(one):
            self.object = one
            many = Amount(number=thing.number, text=str(thing.number), spans=thing.spans)
            self.slots.append(Slot(role="with", field="quantity", value=many, spans=thing.spans))

    def addressed(self) -> bool:
        """Whether it is certain who is spoken to: one thing alone, or with "to" behind it, is what is sent."""
        roles = {slot.role for slot in self.slots}
        if self.person is None:
            return True
        if "to" in roles and self.object is not None:
            return False
        if "to" in roles or not (roles & {"saying", "by", "about"} or self.object is not None):
            self.object, self.person = self.person, None
        else:
            self.slots.insert(0, Slot(role="to", value=self.read.valued_thing(self.person), spans=self.person.spans))
        return True

    def written(self) -> str:
        """The verb's name; what is written to somebody is sent."""
        name: str = self.verb["name"]
        values = {slot.role: slot.value for slot in self.slots}
        value, into, to = (values.get(role) for role in ("value", "into", "to"))
        if name == "keep" and isinstance(value, Text) and len(values) == 1:
            self.object, self.slots = Thing(name=value, spans=value.spans), []
        if name == "keep" and isinstance(value, Of) and len(value.fields) == 1 and value.thing.back and len(values) == 1:
            self.object, self.slots = Thing(kind=value.fields[0], spans=value.spans), []  # leave the brightness alone
        if name == "keep" and into and value:
            return "write"
        if name == "claim" and self.object is None and isinstance(value, Amount):
            self.object = Thing(kind="claim", quantity="any", spans=value.spans)  # claim 30 for Meals
            return "submit"
        if name != "write":
            return name
        if into is None and self.object is not None and self.letter(self.object):
            return "send"
        chat = isinstance(into, Of) and into.thing.kind in {"chat", *self.lexicon["letters"]}
        if to is None or not (chat or (into is None and isinstance(to, Text) and not to.quoted)):
            return name
        change = {"into": "by", "value": "saying"}
        self.slots = [s if s.field else s.model_copy(update={"role": change.get(s.role, s.role)}) for s in self.slots]
        return "send"

    def by_way(self) -> None:
        """A chat message is one that is sent in chat."""
        thing = self.object
        way = thing.name.text.lower().removesuffix(thing.kind).strip() if thing and thing.name and not thing.name.quoted else ""
        if thing is not None and way in self.lexicon["channels"] and self.letter(thing):
            self.about(thing, name=None)
            channel = Of(thing=Thing(kind=way, spans=thing.spans), spans=thing.spans)
            self.slots.append(Slot(role="by", value=channel, spans=thing.spans))

    def answered(self) -> None:
        """ "Tell her": what somebody wanted to know is what is told."""
        roles, orders = {slot.role for slot in self.slots}, self.read.orders
        last, alone = orders[-1].object if orders else None, self.verb["name"] == "reply" and self.object is None
        if alone and "to" not in roles and last is not None and last.kind in self.lexicon["letters"] and not plural(last):
            self.object = Thing(back=Back(to=len(orders) - 1, spans=last.spans))
        pointed = self.object is None or (self.object.back and self.object.quantity == "one")
        if not self.read.asker or not self.slots or not pointed or roles & {"saying", "with"}:
            return
        if "to" not in roles:
            self.slots.append(Slot(role="to", value=Text(text=self.read.people[-1])))
        answers = tuple(Back(to=number, spans=self.slots[0].spans) for number in self.read.asker)
        self.object = None
        self.slots.append(Slot(role="saying", value=answers[0] if len(answers) == 1 else Worked(how="joined", of=answers)))

    def worked(self) -> bool:
        """Count or add up what is named."""
        value, how = next((slot for slot in self.slots if slot.role == "value"), None), self.verb["works"]
        what = Of(thing=self.object, spans=self.object.spans) if self.object is not None else value.value if value else None
        if isinstance(what, Worked):
            return bool(how == what.how)
        if not isinstance(what, Of) or not (plural(what.thing) or what.thing.back):
            return False
        if what.thing.back is not None and not what.fields and (asked := self.read.asked_before(what.thing.back, how)):
            said = Slot(role="value", value=asked, spans=what.spans)
            self.object, self.slots = None, [*(slot for slot in self.slots if slot is not value), said]
            return True
        if how == "sum" and not what.fields and not what.thing.back:
            what = what.model_copy(update={"fields": ("total",)})
        if (how == "sum") != bool(what.fields):
            return False
        said = Slot(role="value", value=Worked(how=how, of=(what,), spans=what.spans), spans=what.spans)
        self.object, self.slots = None, [*(slot for slot in self.slots if slot is not value), said]
        return True

    def given(self) -> Order | None:
        """Give X the title Y: the field is set."""
        slots = [slot.model_copy(update={"role": "value"}) for slot in self.slots if slot.field]
        if not slots or self.person is None or len(slots) != len(self.slots) or self.object is not None:
            return None
        return Order(verb="set", object=self.person, slots=tuple(slots))

    def spread(self) -> bool:
        """Set: the field that is changed, its record, and the new value; True where all are there."""
        values = (slot for slot in self.slots if slot.role == "value")
        what = next((slot for slot in values if isinstance(slot.value, Of) and slot.value.fields), None)
        rest = [slot for slot in self.slots if slot is not what]
        if what is not None and isinstance(what.value, Of):
            self.object, field = what.value.thing, " and ".join(what.value.fields)
            rest = [slot.model_copy(update={"field": field}) if slot.role in {"value", "by"} else slot for slot in rest]
        self.slots = rest
        set_to = [slot.field for slot in rest if slot.role == "value"]
        return self.object is not None and bool(rest) and len(set_to) == len({*set_to})


def _is_place(value: Value) -> bool:
    """Whether a field is what something is written into: of a thing that is said, or spoken of."""
    return isinstance(value, Back) or (isinstance(value, Of) and bool(value.fields) and not value.thing.back)
