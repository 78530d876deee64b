"""Names among a goal's words, and the words that point back at what was spoken of.

name = quotation | open { open | number }
pronoun = "it" | "them" | "both of them" | "all of them" ["that" ...] | "the others" | "her"
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias, TypeVar

from roles.contracts.orders import Back, Condition, Context, Of, Order, Pick, Span, Test, Text, Thing, Value, When, Worked
from roles.screen.language.dates import Dates
from roles.screen.language.words import Doubt, Seen, Token, Words, phrases

Quantity: TypeAlias = Literal["one", "all", "any", "number"]
NAMED = frozenset({"id", "file", "email", "url", "phone"})
ENDS = frozenset(".!?;")
NOWHERE = 10**6
"""A place behind every goal: what cannot be read."""
QUANTITIES: dict[str, tuple[Quantity, int]] = {"one": ("one", 0), "all": ("all", 0), "both": ("number", 2)}
"""How many a pronoun speaks of."""
LOOKING = frozenset({"open", "find", "check", "answer", "collect"})
"""Verbs that leave what they are about as it is."""
OTHER_THAN_A_PERSON = frozenset("0123456789@./")
T = TypeVar("T")
Read = tuple[T, int]
"""What was read, and the place behind it."""


@dataclass
class Draft:
    """A thing while it is read."""

    quantity: Quantity = "one"
    number: int = 0
    kind: str = ""
    name: Text | None = None
    pick: Pick | None = None
    place: Thing | None = None
    back: Back | None = None
    but: tuple[Thing, ...] = ()
    new: bool = False
    tests: list[Test] = field(default_factory=list)

    @property
    def is_empty(self) -> bool:
        """Whether nothing was read of it but tests."""
        return replace(self, tests=[]) == Draft()

    def thing(self, spans: tuple[Span, ...]) -> Thing:
        return Thing(**(vars(self) | {"tests": tuple(self.tests)}), spans=spans)


class Names(ABC):
    """What all that reads shares: the tokens, what was read so far, and what names and pronouns mean there."""

    def __init__(self, words: Words, today: str) -> None:
        self.words, self.dates, self.today = words, Dates(words, today), today
        self.low, self.kind, self.take, self.see, self.skip = words.low, words.kind, words.take, words.see, words.skip
        self.orders: list[Order] = []
        self.context: list[Context] = []
        self.topics: tuple[Thing, ...] = ()
        self.recent = False
        """What the last sentence told is what "it" speaks of."""
        self.claimed: frozenset[str] = frozenset()
        """Prepositions that belong to the verb that is being read."""
        self.pending: tuple[str, ...] = ()
        """Words of the verb that are still to come."""
        self.reserved: frozenset[str] = frozenset()
        """Prepositions that within a slot belong to things, but do not lead from a field to what has it."""
        self.condition: Condition | None = None
        """The one said last: what "otherwise" and "if so" speak of."""
        self.asker: range = range(0)
        """Orders that find out what somebody wants to know."""
        self.object: Thing | None = None
        """Of the order that is being read."""
        self.topic: Thing | None = None
        """What the condition of the sentence, or an earlier statement or question, is about."""
        self.waiting: tuple[int, int] | None = None
        """Words that only matter if what follows speaks of them: a statement, or a question of which "if so" is said."""
        self.free_time: When | None = None
        """Of which a condition asks whether nothing is on then: what "then" and "into it" speak of."""
        self.expected: Thing | None = None
        """What somebody is going to send, which is not there yet."""
        self.deadline: When | None = None
        """When something that was told of is over: what "before that" speaks of."""
        self.letter: Thing | None = None
        """The messages of somebody who was said to have written: what "the mail" speaks of."""
        self.event: Thing | None = None
        """What was told of without saying what kind of thing it is: "which room Planning takes place in"."""
        self.news: tuple[Text, str, int] | None = None
        """Whose field is a new one by a message, and the order that finds it out."""
        self.people: list[str] = []
        self.said_kind = ""
        self.nested = False
        """Within what narrows another thing down."""
        self.subject: Thing | None = None
        """What the thing is about that the order makes: "a claim for INV-1 with its total"."""
        self.verb_at = 0
        """Where the verb stands that was read last."""
        self.each: Thing | None = None
        """What the order that is being read is done for each of."""
        self.denied = False
        """The order that is being read is one not to do something, which needs no object: "but do not order yet"."""
        self.makes: tuple[str, ...] = ()
        """What the order makes that is being read: a claim."""
        self.loose = False
        """A field may stand for what has it: "set the brightness to 40"."""

    def ends(self, at: int) -> bool:
        """A sentence ends here."""
        return self.low(at) in ENDS or self.low(at).startswith("\n")

    def over(self, at: int) -> bool:
        return at >= len(self.words.list) or self.ends(at)

    def token(self, at: int) -> Token | None:
        return self.words.list[at] if at < len(self.words.list) else None

    def spans(self, first: int, end: int) -> tuple[Span, ...]:
        return ((self.words.list[first].start, self.words.list[end - 1].end),) if first < end <= len(self.words.list) else ()

    def text(self, first: int, end: int, quoted: bool = False) -> Text:
        words = self.words.text(first, end)
        if quoted and words.strip().startswith("```"):
            inside = words.strip()[3:-3]
            words = f'"{inside.partition(chr(10))[2] or inside}"'
        return Text(text=words[1:-1] if quoted and words[0] != "<" else words, quoted=quoted, spans=self.spans(first, end))

    def told_text(self, first: int, end: int) -> Text:
        """Words that are told, with what else means nothing before them: "saying hello Ann"."""
        before, start = self.words.list[first - 1].end, self.words.list[first].start
        greeting = [token for token in self.words.nothing if before <= token.start < start]
        self.words.nothing = [token for token in self.words.nothing if token not in greeting]
        start = min([start, *(token.start for token in greeting)])
        stop = self.words.list[end - 1].end
        return Text(text=self.words.goal[start:stop], spans=((start, stop),))

    def begins(self, thing: Thing, *words: str) -> bool:
        """Whether these words of the goal begin what was read as a thing."""
        return bool(thing.spans) and self.words.goal[thing.spans[0][0] :].lower().startswith(words)

    def seen_field(self, at: int, before: str = "<articles>?") -> Seen | None:
        """[the] FIELD"""
        return self.see(at, f"{before} <field>")

    def _separator(self, at: int) -> int:
        """The place behind "," or "and" or ", and"."""
        end = self.skip(at, ",? and|&|+?")
        return end if end > at else 0

    def _is_head(self, at: int) -> bool:
        return bool(self.take(at, "noun", "field", "ones", "states", "numbers", "superlatives", "comparatives")) or (
            self._open(at) and not self.take(at, "verb")
        )

    def on_form(self, at: int) -> int:
        """The place behind "on the form", "in the claim": in what the order makes that is being read."""
        found = self.see(at, "in|on|into the <noun>")
        return found.end if found and found["noun"].entry.name in {"form", *self.makes} else 0

    def _noun_ahead(self, at: int) -> bool:
        return bool(self.take(at, "noun", "ones", "states")) or self._open(at)

    def _open(self, at: int) -> bool:
        """A word that may be in a name: none of the grammar's, no date, no verb that is not a noun too."""
        token = self.token(at)
        if token is None or token.kind not in {"word", *NAMED} or token.lower == "'s":
            return False
        if token.kind in NAMED:
            return True
        if self.words.closed(at) or self.dates.days(at) or (not token.capital and self.take(at, "states")):
            return False
        if self.take(at, "noun", "field", "verb_nouns"):
            return True
        return not self.take(at, "predicates") and (token.capital or not self.words.verbal(at))

    def _name_end(self, at: int) -> int:
        end = at
        while (
            self._open(end) and (end == at or self.words.list[end].capital or not self.take(end, "predicates", "past_words"))
        ) or (end > at and self._inside(end)):
            if end > at and self.low(end) in {*self.pending[:1], *self.claimed}:  # let Ben "know"
                break
            end += 1
        return end

    def _inside(self, at: int) -> bool:
        """What may stand in a name, but not begin it: a number, an ampersand between capitals."""
        if self.kind(at) == "number":
            return not self.take(at + 1, "units", "lengths", "noun")
        return self.low(at) in {"&", "-"} and self.words.capital(at - 1) and self.words.capital(at + 1)

    def _nameish(self, at: int) -> bool:
        return self.words.capital(at) or self.kind(at) in {*NAMED, "number"}

    def name(self, at: int) -> Read[Text] | None:
        """A quotation, or a name of open words."""
        if self.kind(at) == "quote":
            return self.text(at, at + 1, quoted=True), at + 1
        end = self._name_end(at)
        return (self.text(at, end), end) if end > at else None

    def title(self, at: int) -> Read[Text] | None:
        """A name behind "called": with a capital, all up to a small word of the grammar's own: called To pay with ..."""
        if self.kind(at) == "quote" or not self.words.capital(at):
            return self.name(at)
        end = at + 1
        while not self.over(end) and self.kind(end) in {"word", "number", *NAMED} and self.low(end) != "'s":
            closed = self.words.closed(end) or self.low(end) in self.claimed
            if not self.words.capital(end) and (closed or self.dates.read(end)):
                break
            end += 1
        return self.text(at, end), end

    def named(self, value: Value | None) -> None:
        """Somebody "her" may speak of: no number, no address and no file."""
        if isinstance(value, Text) and not value.quoted and OTHER_THAN_A_PERSON.isdisjoint(value.text):
            self.people = [*self.people, value.text]

    def messages(self, at: int, stop: int, end: int) -> Read[Thing]:
        """All messages of the name from `at` to `stop`, by the way that is said at `end`: "in chat"."""
        channel, name = self.take(end, "channels"), self.text(at, stop)
        way = channel.entry.name if channel else ""
        sender = Test(relation="from", value=name, spans=name.spans)
        place = Thing(kind="chat", spans=self.spans(end, channel.end)) if channel and way == "chat" else None
        letter = Thing(
            kind="mail" if way == "mail" else "message", quantity="all", tests=(sender,), place=place, spans=name.spans
        )
        return letter, channel.end if channel else end

    # What points back

    def back(self, many: bool | None = None, field: str = "", at: int = 0) -> Back | None:
        """The order that a pronoun points to: the last one of its number; "every mail" is all of them, and "it" each one."""
        spans = self.spans(at, at + 1)
        for number, order in reversed([*enumerate(self.orders)]):
            thing = order.object
            if many is None or thing is None or plural(thing) == many or (not many and self.begins(thing, "every ", "each ")):
                return Back(to=number if field else source(order, number), field=field, spans=spans)
        return None

    def asked_before(self, back: Back, how: str) -> Value | None:
        """What "add them up" works out: the sum that was asked for, or that of the totals of those that were spoken of."""
        order = self.orders[back.to]
        sums = [slot.value for slot in order.slots if isinstance(slot.value, Worked) and slot.value.how == how]
        if len(sums) == 1:
            return back
        if sums or how != "sum" or order.object is None or not plural(order.object):
            return None
        every = Thing(back=back, quantity="all", spans=back.spans)
        return Worked(how="sum", of=(Of(fields=("total",), thing=every, spans=back.spans),), spans=back.spans)

    def _pronoun(self, at: int) -> Read[Thing] | None:
        """it | them | both of them | all of them [that ...] | the others | her"""
        found, every = self.take(at, "pronouns"), self.take(at, "all")
        if self.low(at) == "her" and "channels" not in self.claimed and self.take(at + 1, "noun"):  # decline her invitation
            return None
        if self.words.has(at, "that", "person"):
            back = self.back(at=at)
            return (Thing(kind="person", back=back, spans=self.spans(at, at + 2)), at + 2) if back else None
        whole = every is not None and self.low(every.end) in {"them", "these", "those"}
        if every is not None and whole:
            found = self.take(every.end, "pronouns")
        if found is None or (self.low(found.end - 1) in phrases("pointing") and self._is_head(found.end)):
            return None
        name, end = found.entry.name, found.end
        if name in {"rest", "person"}:
            return self._rest(at, end) if name == "rest" else self._person(at, end)
        back = self.back(None if whole else name != "one", at=end - 1)
        if (back is None or self.low(end - 1) in {"it", "them"}) and (topic := self._topic(name, self.spans(at, end))):
            return topic, end
        return self._pointed(at, end, name, back) if back is not None else None

    def _pointed(self, at: int, end: int, name: str, back: Back) -> Read[Thing]:
        """What an order was about, and which of these, where it goes on."""
        order, draft = self.orders[back.to], Draft(*QUANTITIES[name], back=back)
        if name == "one" and _among(order):
            raise Doubt(f"what is {self.words.text(at, end)!r}: {self.words.goal[slice(*order.spans[0])]!r} speaks of two?")
        if self.low(end - 1) in phrases("pointing") and order.object is not None and order.object.but:
            raise Doubt(f"of which are {self.words.text(at, end)!r}: of what was excepted, or of the others?")
        those = self.low(end - 1) == "those" and self.take(end, "prepositions")
        if name == "all" and (those or self.low(end) in {"that", "who", "which", "about", "from"}):
            end = self.modifiers(end, draft)
            if order.verb not in LOOKING and order.object and order.object.tests and draft.tests and those:
                raise Doubt(f"of which are {self.words.text(at, end)!r}: of those that were said before, or of all?")
        return draft.thing(self.spans(at, end)), end

    def _topic(self, name: str, spans: tuple[Span, ...]) -> Thing | None:
        """What was spoken of last in no order, where it is one thing of that number."""
        topics = [one for one in (self.topic, *self.topics) if one is not None and plural(one) == (name != "one")]
        if len(topics) != 1:
            return None
        self.waiting, topic = None, topics[0]
        if topic is self.expected:
            raise Doubt(f"is it to be waited for: {self.words.goal[slice(*topic.spans[0])]!r}?")
        quantity, number = QUANTITIES["both"] if name == "both" else (topic.quantity, topic.number)
        change = {"quantity": "one" if quantity == "any" else quantity, "number": number}
        return topic.model_copy(update={"spans": (*topic.spans, *spans), **change})

    def _rest(self, at: int, end: int) -> Read[Thing] | None:
        """The others: those of the same kind of which nothing has been said."""
        said = self._worked_on()
        if not said:
            return None
        places = {one.kind: one for told in self.context for one in told.things if one.kind in self.words.lexicon.data["places"]}
        place = said[-1].place or (next(iter(places.values())) if len(places) == 1 else None)
        looked = (one.object.kind for one in reversed(self.orders) if one.object is not None and one.object.kind)
        kind = said[-1].kind or next(looked, "")
        if self.low(end - 1) == "else" and (place or not self.words.lexicon.first.get(kind.split(" ")[0])):
            kind = ""
        end = self.skip(end, "<got>")
        return Thing(kind=kind, quantity="all", place=place, but=said, spans=self.spans(at, end)), end

    def _worked_on(self) -> tuple[Thing, ...]:
        """What orders do something with; what they only look at is none of it."""
        said = [one.object for one in self.orders if one.object is not None and one.verb not in {*LOOKING, "keep"}]
        return tuple(one.model_copy(update={"also": ()}) for thing in said for one in (thing, *thing.also))

    def _person(self, at: int, end: int) -> Read[Thing]:
        people = self.people
        if len(set(people)) != 1:
            raise Doubt(f"who is {self.words.text(at, end)!r}: {', '.join(dict.fromkeys(people)) or 'nobody was named'}?")
        return Thing(name=Text(text=people[-1], spans=self.spans(at, end)), spans=self.spans(at, end)), end

    def spoken(self) -> Thing:
        """What was spoken of last, where it was in no order."""
        self.waiting = None
        return self.topic or Thing()

    @abstractmethod
    def modifiers(self, at: int, draft: Draft) -> int:
        """All that narrows a thing down, wherever its head is."""


def source(order: Order, number: int) -> int:
    """The order that is spoken of through one which itself only speaks of another: "put its number into the note"."""
    if order.object is not None:
        return number
    values = [part for slot in order.slots for part in (slot.value.of if isinstance(slot.value, Worked) else (slot.value,))]
    things = [value.thing for value in values if isinstance(value, Of) and value.fields]
    return things[0].back.to if things and things[0].back is not None else number


def _among(order: Order) -> bool:
    """Whether it does something with a name alone in another thing, so that either can be "it": "Add Ann to the meeting"."""
    name = order.object.name if order.object is not None and bare(order.object) else None
    if name is None or name.quoted or not OTHER_THAN_A_PERSON.isdisjoint(name.text):
        return False
    return any(slot.role in {"into", "from"} and isinstance(slot.value, Of) for slot in order.slots)


def bare(thing: Thing) -> bool:
    """Nothing but a name."""
    return thing.name is not None and thing == Thing(name=thing.name, spans=thing.spans)


def plural(thing: Thing) -> bool:
    return thing.quantity in {"all", "number"} or bool(thing.also)
