"""A verb and what goes with it: the object, the person, what its prepositions say, fields with values, days and words.

operand = thing | value | preposition value | [","] ["with"] field value | "as" field | date | ("that" | "saying" | ":") words
"""

from __future__ import annotations

from typing import Any

from roles.contracts.orders import Amount, Back, Of, Order, Slot, Text, Thing, Value, When, Worked
from roles.screen.language.names import Read, bare, plural
from roles.screen.language.nouns import unknown
from roles.screen.language.values import Values
from roles.screen.language.words import Doubt

ONCE = frozenset({"to", "into", "as", "by", "on", "called", "until", "saying", "per", "from"})
"""Roles that an order has once: said twice it is not certain which is meant."""


TELLING = frozenset({"with", "listing", "naming", "that lists", "that names", "which lists"})
"""What follows them is a value, and no words to be written as they stand."""
DAYS = frozenset({"date", "day", "due date"})
TEXTS = frozenset({"text", "body", "content", "contents", "wording", "description", "message"})
"""Fields that take several words."""
ASKING = frozenset({"if", "whether", "why", "how", "to", "for"})
SPEAKING = frozenset({"i", "we", "he", "she", "they"})
CONTENT = frozenset({"with", "for", "value", "saying", "into"})
"""Roles within which "in" and "on" belong to the things: "with the names of all contacts in the group"."""


class Frame:
    """A verb's entry of the lexicon, filled with what the goal says."""

    def __init__(self, values: Values, verb: dict[str, Any], given: Thing | None) -> None:
        self.read, self.verb, self.takes = values, verb, verb.get("object", "thing")
        self.object = values.object = given
        values.subject = None
        self.slots: list[Slot] = []
        self.person: Thing | None = None
        self.kept = False

    def add(self, role: str, value: Value, first: int, end: int, field: str = "") -> int | None:
        if role in ONCE and not field and any(slot.role == role and not slot.field for slot in self.slots):
            return None
        self.slots.append(Slot(role=role, field=field, value=value, spans=self.read.spans(first, end)))  # type: ignore[arg-type]
        return end

    def fill(self, at: int, pending: tuple[str, ...]) -> int | None:
        self.kept = self.verb["name"] == "keep" and self.read.low(at - 2) == "but"  # but leave the hall
        while True:
            if pending and self.filled() and all(self.read.low(at + n) == word for n, word in enumerate(pending)):
                at, pending = at + len(pending), ()
            self.read.pending = pending
            listed = bool(self.slots) and bool(self.slots[-1].field) and bool(self.read.take(at + 1, "field"))  # title A, text B
            comma = self.read.low(at) == "," and self.filled() and (listed or not self.read.clause(at + 1))
            article = self.read.take(at + 1, "articles")
            field = self.read.take(article.end if article else at + 1, "field")
            word, after = self.read.low(at), self.read.low(at + 1)
            joined = (word == "and" and (after == "with" or bool(field))) or (
                bool(field) and word in {"-", "–", "" if self.verb.get("says") else ":"}
            )
            at += 1 if self.read.low(at + comma) == "each" and self.read.low(at + comma + 1) == "with" else 0
            end = self.operand(at + (comma or joined), comma or joined)
            if end is None:
                return None if pending else at
            at = end

    def filled(self) -> bool:
        return self.object is not None or bool(self.slots) or self.person is not None

    def operand(self, at: int, comma: bool) -> int | None:
        for rule in (
            self.keeping,
            self.called,
            self.channel,
            self.position,
            self.said,
            self.field,
            self.freed,
            self.preposition,
            self.there,
            self.when,
        ):
            size = len(self.slots)
            if (end := rule(at)) is not None:
                return end
            del self.slots[size:]
        if comma:
            more = self.read.fields(at) if (self.object or self.person) is not None and "with" in self.verb["slots"] else None
            return self.add("with", more[0], at, more[1]) if more else None
        return self.direct(at)

    def keeping(self, at: int) -> int | None:
        """as it is | from now on"""
        kept, onwards = self.read.take(at, "keeps"), self.read.take(at, "henceforth")
        if kept and self.verb.get("keeps") and self.filled():
            self.kept = True
            return kept.end
        return onwards.end if onwards and self.verb["name"] == "rename" and self.slots else None

    def called(self, at: int) -> int | None:
        """an alarm for 7 am called X"""
        found, new = self.read.take(at, "predicates"), self.object
        if found is None or found.entry.name != "is called" or new is None or not self.verb.get("makes") or new.name:
            return None
        name = self.read.title(found.end)
        if name is None or not new.new:
            return None
        spans = (*new.spans, *self.read.spans(at, name[1]))
        self.object = self.read.object = new.model_copy(update={"name": name[0], "spans": spans})
        return name[1]

    def channel(self, at: int) -> int | None:
        """in chat | by mail | largest first"""
        directed = self.read.take(at, "directions") if self.verb["name"] == "sort" else None
        if directed is not None:
            return self.add("as", Text(text=directed.entry.name, spans=self.read.spans(at, directed.end)), at, directed.end)
        if self.read.take(at, "from_me") and self.verb.get("mine"):
            return at + 2
        found = self.read.take(at, "channels") if self.verb.get("says") and self.filled() else None
        if found is None:
            return None
        spans = self.read.spans(at, found.end)
        return self.add("by", Of(thing=Thing(kind=found.entry.name, spans=spans), spans=spans), at, found.end)

    def position(self, at: int) -> int | None:
        """at the end [of THING]"""
        found = self.read.take(at, "positions")
        if found is None or "into" not in self.verb["slots"]:
            return None
        words, end = found.entry.words, found.end
        if "its" in words and self.read.topic is not None:
            into: Read[Value] | None = (self.read.valued_thing(self.read.spoken()), end)
        elif "its" in words:
            back = self.read.back(False, at=at)
            into = (back, end) if back else None
        else:
            into = self.read.valued(end) if words[-1] == "of" else None
        if into is None and (words[-1] == "of" or "its" in words or self.read.low(end) == "of"):
            return None
        self.add("at", Text(text=found.entry.name, spans=self.read.spans(at, end)), at, end)
        return self.add("into", into[0], end if into[1] > end else at, into[1]) if into else end

    def preposition(self, at: int) -> int | None:
        """A preposition of the verb's entry, and what it says."""
        phrases = (
            words for words in self.verb["slots"] if all(self.read.low(at + n) == word for n, word in enumerate(words.split()))
        )
        word = max(phrases, key=len, default="")
        if not word or (word == "with" and not self.filled()):
            return None
        role, end = self.verb["slots"][word], at + len(word.split())
        amount = self.read.amount(end) if word == "for" and "over" in self.verb["slots"] else None
        if amount is not None and self.read.dates.read(end) is None:  # a claim for 23.50
            return self.add("value", amount[0], at, amount[1])
        worth = self.read.fields(end) if word == "for" and "over" in self.verb["slots"] else None
        if worth is not None and isinstance(worth[0], Of) and worth[0].fields:  # a claim for the total of INV-1
            return self.add("value", worth[0], at, worth[1])
        claimed, reserved = self.read.claimed, self.read.reserved
        person = word == "with" and self.verb.get("makes") and self.read._nameish(end)  # with Ann in Room 3
        if role in CONTENT and not person:
            self.read.claimed, self.read.reserved = claimed - {"in", "on", "about", "of", "from"}, claimed & {"in", "on", "with"}
        if role == "saying":
            result = self.told(at, end) if word in TELLING else self.words(at, end)
        else:
            result = self._special(word, role, at, end) or self._plain(word, role, at, end)
        self.read.claimed, self.read.reserved = claimed, reserved
        return result

    def _special(self, word: str, role: str, at: int, end: int) -> int | None:
        """as FIELD | with FIELDS | for each of THINGS | a day or a time"""
        if role == "as" and (field := self.as_field(end)):
            return field
        if word == "with" and self.read.see(end, "a|one? line|row for|per|each"):
            raise Doubt(f"what is to stand in each line: {self.read.words.text(at, end + 2)!r}?")
        if word == "with" and self.verb["name"] not in {"compare", "share", "merge"}:
            if (pairs := self.pairs(at, end)) is not None:
                return pairs
            if (more := self.read.fields(end)) is not None:
                return self.inside(self.add("with", more[0], at, more[1]))
        if word == "for" and (self.verb.get("makes") or self.takes != "thing"):
            each = self.read.thing(end)
            several = self.read.take(end, "all") and each is not None and plural(each[0])
            if each is not None and (each[0].quantity == "all" or several):
                self.read.each = each[0]
                return self.add("per", self.read.valued_thing(each[0]), at, each[1])
        if word in {"in", "on", "at", "for", "from", "to", "by"}:
            when = self.read.dates.read(at if word in {"in", "at", "from"} else end)
            when = when or (self.read.dates.read(end) if word == "from" else None)
            if when is not None:
                return self.add(
                    self.timed(word, when[0]), when[0].model_copy(update={"spans": self.read.spans(at, when[1])}), at, when[1]
                )
        return None

    def _plain(self, word: str, role: str, at: int, end: int) -> int | None:
        found = self._value(role, end)
        again = found is not None and self.read.low(found[1]) == word
        one = self.read.simple(end, inner=True) if again else None  # into A, and what follows into B
        found = (self.read.valued_thing(one[0]), one[1]) if one else found
        if found is None:
            return None
        value, stop = found
        if role == "into" and self.slots and self.slots[-1].role == "value" and isinstance(value, Of):
            thing, last = value.thing, self.slots[-1]
            if thing.name and thing == Thing(kind="field", name=thing.name, spans=thing.spans):  # into the Amount field
                spans = (*last.spans, *self.read.spans(at, stop))
                self.slots[-1] = last.model_copy(update={"field": thing.name.text, "spans": spans})
                return stop
        said = {value.field} if isinstance(value, Back) else set(value.fields) if isinstance(value, Of) else set()
        if word == "on" and said & DAYS:  # on that day, on its due date
            role = "on"
        if role in {"to", "with"}:
            self.read.named(value)
        named = self.read.take(stop, "field") if role == "value" and isinstance(value, Amount) else None
        if named is not None and not self.read._open(named.end):
            return self.add(role, value, at, named.end, field=named.entry.name)
        if word in {"for", "about", "of"} and (self.object is None or self.object.quantity == "any"):
            of = value.thing if isinstance(value, Of) and not value.fields else None
            self.read.subject = Thing(name=value, spans=value.spans) if isinstance(value, Text) else of or self.read.subject
        return self.add(role, value, at, stop)

    def _value(self, role: str, at: int) -> Read[Value] | None:
        if self.verb["name"] == "rename" and self.read.kind(at) == "word" and self.read.words.is_named(at):
            return self.read.title(at)
        if role in {"as", "value"} and (state := self.read.marked(at)):
            return state
        if role == "as" and self.read.low(at) == "not" and (name := self.read.marked(at + 1) or self.read.name(at + 1)):
            return self.read.text(at, name[1]), name[1]
        held = self.read.fields(at) if role == "into" else None
        if held and (isinstance(held[0], Back) or (isinstance(held[0], Of) and held[0].fields and not held[0].thing.back)):
            return held
        if (role not in {"into", "to"} or self.verb["name"] == "set") and (fields := self.read.fields(at)):
            return fields
        if role in {"value", "by", "to", "called", "with"} and (value := self.read.amount(at) or self.read.value(at)):
            return value
        thing = self.read.thing(at, inner=True)
        if role == "into" and thing and any(one.kind not in {"", thing[0].kind} for one in thing[0].also if thing[0].kind):
            thing = self.read.simple(at, inner=True)  # into the folder A, and the mails B and C into another
        return (self.read.valued_thing(thing[0]), thing[1]) if thing else None

    def as_field(self, at: int) -> int | None:
        """as the amount: into which field goes what is written"""
        article = self.read.take(at, "articles", "possessives")
        found = self.read.take(article.end if article else at, "field")
        if found is None or self.read.take(found.end, "noun") or self.read._open(found.end):
            return None
        for place, slot in enumerate(self.slots):
            if slot.role == "value" and not slot.field:
                self.slots[place] = slot.model_copy(
                    update={"field": found.entry.name, "spans": (*slot.spans, *self.read.spans(at, found.end))}
                )
                return found.end
        held = self.object or self.person
        if held is None or not (held.back or (bare(held) and self.takes == "value")) or held.tests:
            return None
        self.add("value", self.read.valued_thing(held), at, found.end, field=found.entry.name)
        self.object = self.read.object = self.person = None
        return found.end

    def pairs(self, first: int, at: int) -> int | None:
        """with the total, X as the vendor and Y as the category"""
        size, named, end = len(self.slots), False, 0
        while at:
            value: Read[Value] | None = self.read.fields(at) or self.read.name(at)
            as_field = value is not None and self.read.low(value[1]) == "as"
            article = self.read.take(value[1] + 1, "articles", "possessives") if value and as_field else None
            found = self.read.take(article.end if article else value[1] + 1, "field") if value and as_field else None
            if value is None or (found is None and (as_field or not isinstance(value[0], Of))):
                break
            several = value[0].fields if isinstance(value[0], Of) and found else ()
            if isinstance(value[0], Of) and len(several) > 1:  # the vendor and the total as the amount
                self.add("with", value[0].model_copy(update={"fields": several[:-1]}), first, value[1])
                value = value[0].model_copy(update={"fields": several[-1:]}), value[1]
            stop = self.add("with", value[0], first, found.end if found else value[1], field=found.entry.name if found else "")
            named, end = named or found is not None, self.inside(stop) or 0
            at = self.read._separator(end)
            at = 0 if self.read.clause(at) else at
        if not named:
            del self.slots[size:]
        return end if named else None

    def inside(self, at: int | None) -> int | None:
        """ "the total in it": in what is made"""
        if at is None:
            return None
        made = self.read.low(at) in {"in", "on"} and self.read.low(at + 1) == "it" and self.object is not None and self.object.new
        return at + 2 if made else at

    def timed(self, word: str, when: When) -> str:
        if when.minutes:
            return "for" if word == "for" else "by"
        if word == "from" and not self.read.dates.ranges:
            return "from"
        if self.verb["slots"].get(word) == "value":
            return "value"
        if word == "to":
            return "to"
        return "on" if when.first or not when.start else "at"

    def freed(self, at: int) -> int | None:
        """then | into it [from 3 to 4]: at the time of which a condition asked whether nothing is on"""
        free, into = self.read.free_time, self.read.low(at) == "into" and self.read.low(at + 1) == "it"
        if free is None or not (into or self.read.low(at) == "then") or not (self.verb.get("makes") or self.verb.get("timed")):
            return None
        own = self.read.dates.read(at + 2) if into else None
        whole = free.model_copy(update={"start": "", "end": ""}) if own is not None and own[0].start else free
        return self.add("on", whole.model_copy(update={"spans": self.read.spans(at, at + 1 + into)}), at, at + 1 + into)

    def when(self, at: int) -> int | None:
        """tomorrow at 10 | half an hour later | two hours before THING"""
        found = self.read.dates.read(at) if self.verb.get("makes") or self.verb.get("timed") else None
        ahead = found is not None and self.read._noun_ahead(found[1]) and self.read.low(found[1]) != "ahead"
        if found is None or ahead or self.read.low(found[1]) == "'s":
            return None
        when, end = found[0].model_copy(update={"spans": self.read.spans(at, found[1])}), found[1]
        dated = any(slot.role == "on" for slot in self.slots)
        if when.start and not (when.first or dated) and (free := self.read.free_time) is not None:
            when = when.model_copy(update={"first": free.first, "last": free.last})
        after = self.read.low(end)
        if when.minutes and after in {"later", "earlier"}:
            return self.add(
                "by", when.model_copy(update={"minutes": when.minutes * (1 if after == "later" else -1)}), at, end + 1
            )
        if when.minutes and after in {"before", "ahead"} and "about" in self.verb["slots"]:
            start = end + 1 + (self.read.low(end + 1) == "of")
            what = self.read.thing(start)
            self.add("by", when.model_copy(update={"minutes": -when.minutes}), at, start)
            return self.add("about", self.read.valued_thing(what[0]), start, what[1]) if what else None
        if when.minutes and not self.filled():
            return None
        role = "for" if when.minutes else self.timed("on", when)
        return self.add("on" if role == "value" else role, when, at, end)

    def field(self, at: int) -> int | None:
        """[with] [the] FIELD [of|is] VALUE, for what is made, sent, claimed or written"""
        if "with" not in self.verb["slots"] or not self.filled():
            return None
        owned = self.read.low(at) == "for"  # for the vendor City Taxi
        place = at + (owned or self.read.low(at) == "with")
        article = self.read.take(place, "articles", "possessives")
        found = self.read.take(article.end if article else place, "field")
        if found is None:
            return None
        end = found.end + (self.read.low(found.end) in {"is", ":"})
        named = self.read.kind(end) == "word" and self.read.words.is_named(end)  # category Other
        value = self.read.amount(end) or self.read.name(end) or (self.read.title(end) if named else None)
        if value is None or self.read.low(value[1]) == "'s" or (owned and not (article and self.read._nameish(end))):
            return None
        told = self.told_end(end, True) if found.entry.name in TEXTS and self.read.kind(end) != "quote" else None
        value = (self.read.told_text(end, told), told) if told else value
        return self.add("with", value[0], at, value[1], field=found.entry.name)

    def said(self, at: int) -> int | None:
        """that ... | : ... | a quotation, to whom something is said"""
        if not self.verb.get("says") or not (self.filled() or self.verb["name"] in {"remind", "reply"}):
            return None
        if self.read.low(at) == "that" and not self.read.take(at + 1, "verb", "predicates", "auxiliaries"):
            return self.words(at, at + 1)
        if self.read.kind(at) == "quote":
            return self.add("saying", self.read.text(at, at + 1, quoted=True), at, at + 1)
        asks = self.verb.get("asks") and self.person is not None
        if asks and (self.read.low(at) in ASKING or self.read.take(at, "questions")):
            return self.words(at, at, plain=True)
        if self.person is not None and self.read.low(at) in SPEAKING and not self.read.over(at + 1):  # tell Ann I am late
            return self.words(at, at)
        return self.words(at, at + 1) if self.read.low(at) == ":" else None

    def told(self, first: int, at: int) -> int | None:
        """with "words" | with the total"""
        if (found := self.read.joined(at)) is not None:
            return self.add("saying", found[0], first, found[1])
        lists = self.read.low(at - 1) in {"lists", "listing", "names", "naming"}
        many = self.read.thing(at) if lists else None
        return self.add("saying", self.read.valued_thing(many[0]), first, many[1]) if many and plural(many[0]) else None

    def there(self, at: int) -> int | None:
        """ "there": where an earlier order speaks of"""
        found = self.read.take(at, "there")
        back = self.read.back(at=at)
        role = "into" if "into" in self.verb["slots"].values() else "to"
        if found is None or back is None or role not in self.verb["slots"].values():
            return None
        return self.add(role, back, at, found.end)

    def words(self, first: int, at: int, plain: bool = False) -> int | None:
        """Words that are told: a quotation, a value, or all to the end of the sentence, if nothing there could be an order."""
        if self.read.kind(at) == "quote":
            return self.add("saying", self.read.text(at, at + 1, quoted=True), first, at + 1)
        value = None if plain else self.read.joined(at)
        if (
            value is not None
            and not isinstance(value[0], Amount)
            and not self.read._separator(value[1])
            and not self.read._open(value[1])
            and not self.read.take(value[1], "auxiliaries")
        ):
            return self.add("saying", value[0], first, value[1])
        end = self.told_end(at)
        return self.add("saying", self.read.told_text(at, end), first, end) if end else None

    def told_end(self, at: int, beside: bool = False) -> int | None:
        """Where words end that are told: all to the end of the sentence, if nothing there could be an order; fields may stand
        `beside` the one that they are told in."""
        end = at
        while not self.read.over(end):
            if self.read.take(end, "exceptions", "if_so", "if_not") or self.read.low(end) == ":" or self._bounds(end, at):
                return None
            back = self.read.take(end, "corrections", "no") if end > at and self.read.low(end - 1) == "," else None
            if back and self.read.low(back.end) == ",":  # milk and bread, no, milk and eggs
                return None
            article = self.read.take(end + 1, "articles")
            field = self.read.take(article.end if article else end + 1, "field") if self.read.low(end) == "with" else None
            if end > at and (self.verb["slots"].get(self.read.low(end)) == "saying" or field):
                return None  # "saying hello and Ben one saying bye" are two
            sep = self.read._separator(end)
            article = self.read.take(sep, "articles", "possessives") if sep else None
            field = self.read.take(article.end if article else sep, "field") if sep and beside else None
            if sep and ((self.read.clause(sep) and self.read.low(end) == ",") or (field and self.read._field_here(field))):
                break
            if (sep and self.read.clause(sep)) or self.read.kind(end) == "quote":
                return None
            end += 1
        return end if end > at else None

    def _bounds(self, at: int, first: int) -> bool:
        """Whether a condition here may be one of the order, and not of what is told: "that I'll come if I can"."""
        found = self.read.take(at, "conditions")
        if at == first and (self.verb.get("asks") or self.read.low(at - 1) == "asking"):
            return False
        own = found is not None and (found.entry.name == "when" or self.read.low(found.end) in {*SPEAKING, "you"})
        return found is not None and (not own or at == first or self.read.low(at - 1) == ",")

    def direct(self, at: int) -> int | None:
        """The object; where it stands in one place and goes into another, the first "in" says where it is."""
        if self.verb["slots"].get("in") == "into":
            before = self.object, self.person, [*self.slots], self.verb, self.read.said_kind, [*self.read.people]
            claimed, self.read.claimed = self.read.claimed, self.read.claimed - {"in", "on"}
            end = self.told_of(at)
            self.read.claimed = claimed
            if end is not None and self.verb["slots"].get(self.read.low(end)) == "into":
                return end
            self.object, self.person, self.slots, self.verb, self.read.said_kind, self.read.people = before
            self.read.object, self.read.subject = self.object, None
        return self.told_of(at)

    def told_of(self, at: int) -> int | None:
        """The object, and before it the person that something is told or given."""
        read, says = self.read, self.verb.get("says")
        if self.takes == "none" or self.object is not None or (says and read.low(at) in {"me", "us"}):
            return None
        if any(slot.role == "saying" or (slot.role == "value" and not slot.field) for slot in self.slots):
            return None
        if not self.filled() and read.low(at) in {"in", "on"} and (place := read.simple(at + 1, inner=True)):
            return self.add("at", read.valued_thing(place[0]), at, place[1])
        if says and self.person is None and (who := read.everybody(at)) is not None:
            return self.add("to", who[0], at, who[1])
        value = read.joined(at) if self.takes == "value" else None
        labelled = value is not None and isinstance(value[0], Text) and self.verb["slots"].get(read.low(value[1])) == "value"
        if value is not None and not labelled:  # otherwise: set "Title" to X
            return self.add("saying" if self.verb["name"] in {"send", "reply"} else "value", value[0], at, value[1])
        found = read.thing(at)
        if found is None:
            return None
        thing, end = found
        makes = self.verb["name"] == "write" and thing.quantity == "any" and thing.kind and not self.letter(thing)
        if makes and self.object is None and self.person is None:  # write a note titled X
            self.object = read.object = thing.model_copy(update={"new": True})
            self.verb = read.words.lexicon.data["verbs"]["create"] | {"name": "create"}
            return end
        if says and self.person is None and not self.letter(thing) and not (thing.back and not thing.kind):
            self.person = thing
            read.named(read.valued_thing(thing))
            read.object = thing if thing.kind or thing.quantity != "one" else read.object
            return end
        self.object = read.object = thing.model_copy(update={"new": True}) if self.verb.get("makes") else thing
        return end

    def letter(self, thing: Thing) -> bool:
        return thing.kind in self.read.words.lexicon.data["letters"] and thing.quantity in {"any", "one"}

    def order(self) -> Order | None:
        """The order, if all is there that the verb needs."""
        if self.verb.get("gives"):
            return self.given()
        if not self.addressed():
            return None
        name, kind = self.written(), self.object.quantity if self.object else ""
        if name in {"add", "put"} and any(slot.role == "into" for slot in self.slots):
            self.counted()
        if name in {"send", "reply"}:
            self.by_way()
            self.answered()
        made = self.read.orders[-1].object if self.read.orders else None
        if name == "invite" and made is not None and made.new and not self.slots:
            self.slots.append(Slot(role="to", value=Back(to=len(self.read.orders) - 1)))
        roles = [slot.role for slot in self.slots]
        if name == "remind" and roles[-2:] in (["about", "on"], ["about", "at"]):
            raise Doubt(f"is {self.read.words.goal!r} to remind at that time, or of what is at that time?")
        lacking = (
            (self.verb.get("needs") is not None and self.verb["needs"] not in roles)
            or (name == "answer" and kind == "any")
            or (self.verb.get("indefinite") and kind not in {"any", "number"})
            or (name == "keep" and self.verb.get("said") == "leave" and not self.kept and not roles)
            or (name == "rename" and not any(slot.role == "to" and isinstance(slot.value, Text) for slot in self.slots))
            or (
                self.object is None
                and not (self.read.denied and not roles)
                and (self.takes == "thing" or (self.takes == "value" and not roles))
            )
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
        named = {"kind": ""} if unknown(Thing(name=thing.name)) else {}  # two kettle calm
        one = thing.model_copy(update={"quantity": "one", "number": 0, **named})
        if one == Thing(name=thing.name, spans=thing.spans):
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
        roles = {slot.role: slot for slot in self.slots}
        if name == "keep" and "value" in roles and isinstance(value := roles["value"].value, Text) and len(roles) == 1:
            self.object, self.slots = Thing(name=value, spans=value.spans), []
        if name == "keep" and "into" in roles and "value" in roles:
            return "write"
        if name == "claim" and self.object is None and "value" in roles and isinstance(roles["value"].value, Amount):
            self.object = Thing(kind="claim", quantity="any", spans=roles["value"].spans)  # claim 30 for Meals
            return "submit"
        if name != "write":
            return name
        into = roles["into"].value if "into" in roles else None
        if into is None and self.object is not None and self.letter(self.object):
            return "send"
        if self.object is not None and self.object.new:
            return "create"
        chat = isinstance(into, Of) and into.thing.kind in {"chat", *self.read.words.lexicon.data["letters"]}
        to = roles["to"].value if "to" in roles else None
        if to is None or not (chat or (into is None and isinstance(to, Text) and not to.quoted)):
            return name
        change = {"into": "by", "value": "saying"}
        self.slots = [
            slot if slot.field else slot.model_copy(update={"role": change.get(slot.role, slot.role)}) for slot in self.slots
        ]
        return "send"

    def by_way(self) -> None:
        """A chat message is one that is sent in chat."""
        thing, channels = self.object, self.read.words.lexicon.data["channels"]
        way = thing.name.text.lower().removesuffix(thing.kind).strip() if thing and thing.name and not thing.name.quoted else ""
        if thing is not None and way in channels and self.letter(thing):
            self.object = self.read.object = thing.model_copy(update={"name": None})
            self.slots.append(
                Slot(role="by", value=Of(thing=Thing(kind=way, spans=thing.spans), spans=thing.spans), spans=thing.spans)
            )

    def answered(self) -> None:
        """ "Tell her": what somebody wanted to know is what is told."""
        pointed = self.object is None or (self.object.back and self.object.quantity == "one")
        last = self.read.orders[-1].object if self.read.orders else None
        alone = self.verb["name"] == "reply" and self.object is None and all(slot.role != "to" for slot in self.slots)
        if alone and last is not None and last.kind in self.read.words.lexicon.data["letters"] and not plural(last):
            self.object = Thing(back=Back(to=len(self.read.orders) - 1, spans=last.spans))
        if not self.read.asker or not self.slots or not pointed or {slot.role for slot in self.slots} & {"saying", "with"}:
            return
        if not any(slot.role == "to" for slot in self.slots):
            self.slots.append(Slot(role="to", value=Text(text=self.read.people[-1])))
        answers = tuple(Back(to=number, spans=self.slots[0].spans) for number in self.read.asker)
        self.object = None
        self.slots.append(Slot(role="saying", value=answers[0] if len(answers) == 1 else Worked(how="joined", of=answers)))

    def worked(self) -> bool:
        """Count or add up what is named."""
        value = next((slot for slot in self.slots if slot.role == "value"), None)
        what = Of(thing=self.object, spans=self.object.spans) if self.object is not None else value.value if value else None
        if isinstance(what, Worked):
            return bool(self.verb["works"] == what.how)
        if (
            self.verb["works"] == "sum"
            and isinstance(what, Of)
            and not what.fields
            and plural(what.thing)
            and not what.thing.back
        ):
            what = what.model_copy(update={"fields": ("total",)})
        if (
            not isinstance(what, Of)
            or not (plural(what.thing) or what.thing.back)
            or (self.verb["works"] == "sum") != bool(what.fields)
        ):
            return False
        self.slots = [slot for slot in self.slots if slot is not value]
        self.slots.append(
            Slot(role="value", value=Worked(how=self.verb["works"], of=(what,), spans=what.spans), spans=what.spans)
        )
        self.object = None
        return True

    def given(self) -> Order | None:
        """Give X the title Y: the field is set."""
        slots = [slot.model_copy(update={"role": "value"}) for slot in self.slots if slot.field]
        if not slots or self.person is None or len(slots) != len(self.slots) or self.object is not None:
            return None
        return Order(verb="set", object=self.person, slots=tuple(slots))

    def spread(self) -> bool:
        """Set: the field that is changed, its record, and the new value; True where all are there."""
        what = next(
            (slot for slot in self.slots if slot.role == "value" and isinstance(slot.value, Of) and slot.value.fields), None
        )
        rest = [slot for slot in self.slots if slot is not what]
        if not rest:
            return False
        if what is not None and isinstance(what.value, Of):
            self.object = what.value.thing
            field = " and ".join(what.value.fields)
            self.slots = [slot.model_copy(update={"field": field}) if slot.role in {"value", "by"} else slot for slot in rest]
        return self.object is not None
