"""A goal's words to orders, with nothing left over: what belongs to no order is named, and the goal is not understood.

    goal      = sentence { ("." | "!" | "?" | ";") sentence }
    sentence  = [condition ","] clause { [","] join clause } [condition]
    clause    = [request] ["do not"] verb operand { [","] operand }
              | wish thing | thing "should be" participle operands | thing belongs thing | fronted "," clause | question
    operand   = thing | value | preposition value | field value | date | "that" words
    condition = ("if" | "unless") (thing predicate | "there is" thing) | "if so" | "otherwise"
"""

from __future__ import annotations

from typing import Any

from environments.cards import Vocabulary
from roles.contracts.orders import (
    Amount, Back, Condition, Of, Order, Reading, Slot, Span, Test, Text, Thing, Unread, Value, When, Worked,
)  # fmt: skip
from roles.screen.language.phrases import Doubt, Phrases, Read, bare, plural
from roles.screen.language.words import Match, Words

ENDS = frozenset(".!?;")
ONCE = frozenset({"to", "into", "as", "by", "on", "called", "until", "saying", "per", "from"})
"""Roles that an order has once: said twice it is not certain which is meant."""


def read(goal: str, today: str = "", words: Vocabulary | None = None) -> Reading:
    """What a goal asks for; `today` is the world's clock, such as `2026-03-02 10:30`, `words` those of the applications."""
    return Clauses(Words(goal, words), today).reading()


class Clauses(Phrases):
    """Reads sentences and the orders in them."""

    condition: Condition | None = None
    """The one said last: what "otherwise" and "if so" speak of."""
    asker: range = range(0)
    """Orders that find out what somebody wants to know."""

    def reading(self) -> Reading:
        goal, at, unread, asks, idle = self.words.goal, 0, [], [], []
        size = len(self.words.list)
        while at < size:
            end = at
            while end < size and not self._ends(end):
                end += 1
            try:
                stop = self.sentence(at, end)
            except Doubt as doubt:
                asks.append(str(doubt))
                stop = end
            if self.waiting and stop == end and self.waiting[1] < at:
                unread.append(self._unused(self.waiting))
                self.waiting = None
            if stop < end:
                span = (self.words.list[stop].start, self.words.list[end - 1].end)
                unread.append(Unread(text=goal[span[0] : span[1]], span=span, why=self.why(stop, end)))
            while end < size and self._ends(end):
                idle.append(self._span(end))
                end += 1
            at = end
        if self.waiting:
            unread.append(self._unused(self.waiting))
        idle += [(token.start, token.end) for token in self.words.nothing]
        return Reading(goal=goal, orders=tuple(self.orders), nothing=tuple(sorted(idle)), unread=tuple(unread), asks=tuple(asks))

    def _unused(self, place: tuple[int, int]) -> Unread:
        span = (self.words.list[place[0]].start, self.words.list[place[1] - 1].end)
        return Unread(text=self.words.goal[span[0] : span[1]], span=span, why="nothing that follows speaks of it")

    def _span(self, at: int) -> Span:
        return self.words.list[at].start, self.words.list[at].end

    def _ends(self, at: int) -> bool:
        return self.low(at) in ENDS or self.low(at).startswith("\n")

    def why(self, at: int, end: int) -> str:
        """Why words were not understood, as far as one can say."""
        for place in range(at, min(end, at + 3)):
            if self.take(place, "vague"):
                return f"{self.words.list[place].text!r} does not say which or how many"
            if self.take(place, "exceptions", "negations", "no", "not", "without"):
                return "what is excepted or denied is not certain"
            if self.take(place, "conditions"):
                return "the condition is not understood"
        if not any(self.take(place, "verb", "questions", "wishes") for place in range(at, end)):
            return "it asks for nothing that is known to be done"
        return "these words belong to no order"

    # Sentences

    def sentence(self, at: int, end: int) -> int:
        """Reads orders; gives the place of the first word that belongs to none."""
        before, people = len(self.orders), list(self.people)
        if (stated := self._statement(at)) is not None:
            return stated
        if self.waiting is None:
            self.topic = None
        standing, begin = self._front(at)
        stop = self._clauses(begin, end, standing)
        if stop < end and self.orders[before:]:
            del self.orders[before:]
            self.people = people
            return at if stop == begin else stop
        return stop if stop > begin else at

    def _statement(self, at: int) -> int | None:
        """there is THING | I do not need THING | is THING PREDICATE? | check whether THING PREDICATE | it is in PLACE"""
        opened = self.take(at, "existing", "unwanted")
        if opened is not None:
            found = self.thing(opened.end)
            if found is None or not self._over(found[1]):
                return None
            self.topic, self.waiting = found[0].model_copy(update={"spans": self.spans(at, found[1])}), (at, found[1])
            return found[1]
        if (wanted := self._wanting(at)) is not None:
            return wanted
        if (check := self.take(at, "check_words")) is not None and (asked := self._condition_of(at, check.end)):
            return asked
        aux = self.take(at, "auxiliaries")
        if aux is not None and (asked := self._asked_condition(at, aux)):
            return asked
        return self._placed(at)

    def _wanting(self, at: int) -> int | None:
        """ANN wants to know QUESTION {and QUESTION} | ANN needs the FIELDS of THING: it is to be found out."""
        end = self._name_end(at)
        verb = self.take(end, "wants_to_know") if end > at else None
        if verb is None or (end > at + 1 and not all(self.words.list[n].capital for n in range(at, end))):
            return None
        size, stop = len(self.orders), verb.end
        while (value := self.worked(stop) or self.fields(stop)) is not None:
            slot = Slot(role="value", value=value[0], spans=value[0].spans)
            self.orders.append(Order(verb="find", said=self.words.text(end, verb.end), slots=(slot,), spans=self.spans(at, value[1])))
            stop = value[1]
            if self._over(stop) or (self.low(stop) == "," and self.clause(stop + 1)):
                self.people = [*self.people, self.words.text(at, end)]
                self.asker = range(size, len(self.orders))
                return stop if self._over(stop) else self._clauses(stop + 1, self._sentence_end(stop), None)
            if not (joined := self._separator(stop)):
                break
            stop = joined
        del self.orders[size:]
        return None

    def _sentence_end(self, at: int) -> int:
        while not self._over(at):
            at += 1
        return at

    def _over(self, at: int) -> bool:
        return at >= len(self.words.list) or self._ends(at)

    def _condition_of(self, at: int, end: int) -> int | None:
        """THING PREDICATE, which "if so" will speak of."""
        thing = self.thing(end)
        tests = self.predicates(thing[1]) if thing else None
        if thing is None or tests is None or not self._over(tests[1]):
            return None
        return self._await(at, thing[0], tuple(tests[0]), tests[1])

    def _await(self, at: int, thing: Thing, tests: tuple[Test, ...], end: int) -> int:
        self.condition = Condition(thing=thing, tests=tests, spans=self.spans(at, end))
        self.topic, self.waiting = thing, (at, end)
        return end

    def _asked_condition(self, at: int, aux: Match) -> int | None:
        """is|has THING [been] STATE? | have we paid THING? | is there THING?"""
        if self.low(aux.end) in {"we", "i"}:
            state = self.take(aux.end + 1, "states")
            thing = self.thing(state.end) if state else None
            if state is None or thing is None or not self._over(thing[1]):
                return None
            return self._await(at, thing[0], (self._state(state, aux.end + 1),), thing[1])
        there = self.low(aux.end) == "there"
        thing = self.thing(aux.end + there)
        if thing is None or aux.entry.name not in {"be", "have"}:
            return None
        if there:
            return self._await(at, thing[0], (), thing[1]) if self._over(thing[1]) else None
        end = thing[1]
        negated = self.low(end) == "not"
        end += negated + (self.low(end + negated) == "been")
        test = self._being(end, "", negated)
        if test is None or not self._over(test[1]):
            return None
        return self._await(at, thing[0], (test[0],), test[1])

    def _placed(self, at: int) -> int | None:
        """ "It is in my contacts": where the thing spoken of last is looked for."""
        found = self.take(at, "pronouns")
        if found is None or self.low(at) not in {"it", "they", "that"} or not (self.orders or self.waiting):
            return None
        verb = next((m for m in self.words.matches(found.end, "auxiliaries") if m.entry.name == "be"), None)
        if verb is None or self.low(verb.end) not in {"in", "on"}:
            return None
        data: dict[str, Any] = {}
        end = self._prepositional(verb.end, data, [])
        if end is None or not self._over(end) or not data.get("place"):
            return None
        if self.waiting and self.topic and self.topic.place is None:
            self.topic = self.topic.model_copy(update={"place": data["place"], "spans": (*self.topic.spans, *self.spans(at, end))})
            return end
        if self.waiting or not (order := self.orders[-1]).object or order.object.place or order.object.back or order.object.new:
            return None
        thing = order.object.model_copy(update={"place": data["place"]})
        self.orders[-1] = order.model_copy(update={"object": thing, "spans": (*order.spans, *self.spans(at, end))})
        return end

    def _front(self, at: int) -> Read[Condition | None]:
        """[join] [condition ","] ["then"]"""
        while (join := self.take(at, "joins")) and not (self._noun_ahead(join.end) and self.low(at) in {"first", "last", "next"}):
            at = join.end + (self.low(join.end) == ",")
        found = self.conditional(at)
        if found is None:
            return None, at
        end = found[1] + (self.low(found[1]) in {",", ":"})
        end += self.low(end) == "then"
        self.condition = found[0]
        self.topic = found[0].thing if found[0].thing.back is None else self.topic
        return found[0], end

    def _clauses(self, at: int, end: int, standing: Condition | None) -> int:
        first = len(self.orders)
        while at < end:
            found = self.clause_at(at, standing)
            if found is None:
                return at
            at, self.topic = found, None
            if standing is not None and self.low(at) == "instead":
                at += 1
            at = self._without(at)
            if at >= end or (at == end - 1 and self.low(at) == ","):
                return end
            trailing = self.conditional(at + (self.low(at) == ","))
            if trailing and trailing[1] >= end and standing is None:
                if len(self.orders) - first > 1:
                    raise Doubt(f"does {self.words.text(at, end)!r} stand over all that was said before it, or the last only?")
                self.orders[-1] = self.orders[-1].model_copy(update={"condition": trailing[0]})
                self.condition = trailing[0]
                return end
            step = at + (self.low(at) in {",", "-", "–"})
            join = self.take(step, "joins")
            if join is None and step == at:
                return at
            nxt = join.end if join else step
            nxt += self.low(nxt) == ","
            while nxt < end and (more := self.take(nxt, "joins")) and not self.take(nxt, "ordinals"):
                nxt = more.end
            again = self.conditional(nxt) if self.take(nxt, "if_so", "if_not") or (self.condition and self.take(nxt, "conditions")) else None
            if again is not None and standing is not None:
                standing, nxt = again[0], again[1] + (self.low(again[1]) == ",")
                self.topic = standing.thing if standing.thing.back is None else None
            if join is not None and nxt >= end:
                return step
            last = self.orders[-1]
            if last.negated and (join is None or join.entry.name != "but") and not self.take(nxt, "negations") and first < len(self.orders):
                raise Doubt(f"is {self.words.text(nxt, end)!r} to be done, or not to be done as well?")
            at = nxt
        return at

    def _without(self, at: int) -> int:
        """ "without opening it": an order that says what must not be done"""
        if not self.take(at, "without"):
            return at
        for verb in self.words.matches(at + 1, "verb"):
            if verb.entry.shape == "ing":
                self.object = None
                data = dict(verb.entry.data) | {"name": verb.entry.name}
                if (found := self._operands(data, verb.end, ())) is not None:
                    said, spans = self.words.text(at + 1, verb.end), self.spans(at, found[1])
                    self.orders.append(found[0].model_copy(update={"said": said, "negated": True, "spans": spans}))
                    return found[1]
        return at

    # Conditions

    def conditional(self, at: int) -> Read[Condition] | None:
        """if so | otherwise | (if|unless) there is THING | (if|unless) THING PREDICATE"""
        for group, negated in (("if_so", False), ("if_not", True)):
            if (found := self.take(at, group)) and self.condition is not None:
                return self._again(at, found.end, negated)
        word = self.take(at, "conditions")
        if word is None or word.entry.name == "when":
            return None
        if self.condition is not None and self.low(word.end) in {"it", "they", "not"} and (short := self._elliptic(at, word)):
            return short
        unless = word.entry.name == "unless"
        end = word.end
        if self.low(end) == "there" and self.low(end + 1) in {"is", "are"}:
            none = self.take(end + 2, "no", "not")
            thing = self.simple(none.end if none else end + 2)
            if thing is None:
                return None
            return Condition(thing=thing[0], negated=unless != bool(none), spans=self.spans(at, thing[1])), thing[1]
        thing = self.simple(end)
        if thing is None:
            return None
        tests = self.predicates(thing[1])
        if tests is None:
            return None
        return Condition(thing=thing[0], tests=tuple(tests[0]), negated=unless, spans=self.spans(at, tests[1])), tests[1]

    def _again(self, at: int, end: int, negated: bool) -> Read[Condition]:
        """The condition said before, or its contrary."""
        assert self.condition is not None
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
        end += negated
        assert self.condition is not None
        if self.low(end) != "," and not self.clause(end) or self.condition.negated:
            return None
        return self._again(at, end, negated != (word.entry.name == "unless"))

    # Clauses

    def clause_at(self, at: int, standing: Condition | None) -> int | None:
        """One clause; its order is added to those read. Gives the place behind it."""
        size = len(self.orders)
        start, negated = at, False
        while (opened := self.take(at, "requests")) is not None:
            at = opened.end
        if (denied := self.take(at, "negations")) is not None:
            negated, at = True, denied.end
        elif self.low(at) == "not" and self.low(at + 1) == "to":
            negated, at = True, at + 2
        for rule in (self.wished, self.imperative, self.question, self.passive, self.fronted):
            self.object = None
            self.claimed = frozenset()
            found = rule(at)
            if found is not None:
                order, end = found
                if negated and order.negated:
                    return None
                if negated and order.object and order.object.quantity == "all" and any(self.take(n, "all") for n in range(at, at + 3)):
                    raise Doubt(f"is nothing of it to be done, or not to all: {self.words.text(start, end)!r}?")
                condition = standing or order.condition
                spans = self.spans(start, end)
                self.orders.append(order.model_copy(update={"negated": negated or order.negated, "condition": condition, "spans": spans}))
                return end
            del self.orders[size:]
        return None

    def wished(self, at: int) -> Read[Order] | None:
        """I need a new THING | I need the FIELDS of THING"""
        wish = self.take(at, "wishes")
        if wish is None:
            return None
        value = self.worked(wish.end) or self.fields(wish.end)
        if value is not None:
            return self._answer(at, wish.end, value)
        found = self._operands(self._entry("create"), wish.end, ())
        if found and found[0].object and (found[0].object.new or found[0].object.quantity == "any"):
            return found[0].model_copy(update={"said": self.words.text(at, wish.end)}), found[1]
        return None

    def question(self, at: int) -> Read[Order] | None:
        found = self.asked(at, turned=True) if at == 0 or self._ends(at - 1) or self.low(at - 1) in {"and", ","} else None
        return self._answer(at, at + 1, found) if found else None

    def _answer(self, at: int, end: int, value: Read[Value]) -> Read[Order]:
        slot = Slot(role="value", value=value[0], spans=value[0].spans)
        return Order(verb="answer", said=self.words.text(at, end), slots=(slot,)), value[1]

    def _entry(self, verb: str) -> dict[str, Any]:
        entry: dict[str, Any] = self.words.lexicon.data["verbs"][verb]
        return entry | {"name": verb}

    def passive(self, at: int) -> Read[Order] | None:
        """THING should be PARTICIPLE operands | THING belongs in THING"""
        found = self.thing(at)
        if found is None:
            return None
        thing, end = found
        if belongs := self.take(end, "belongs"):
            self.object = thing
            into = self.valued(belongs.end)
            if into is None:
                return None
            slot = Slot(role="into", value=into[0], spans=self.spans(end, into[1]))
            return Order(verb="put", said=self.words.text(end, belongs.end), object=thing, slots=(slot,)), into[1]
        modal = self.take(end, "passives")
        negated = False
        if modal is None and self.take(end, "auxiliaries") and self.low(end + 1) == "not" and self.low(end + 2) == "be":
            negated, stop = True, end + 3
        elif modal is None:
            return None
        else:
            stop = modal.end
        if (called := self.take(stop, "predicates")) and called.entry.name == "is called" and (name := self.name(called.end)):
            slot = Slot(role="to", value=name[0], spans=self.spans(end, name[1]))
            return Order(verb="rename", said=self.words.text(end, called.end), object=thing, slots=(slot,), negated=negated), name[1]
        for verb in self.words.matches(stop, "verb"):
            if verb.entry.shape == "past":
                read = self._operands(dict(verb.entry.data) | {"name": verb.entry.name}, verb.end, (), thing)
                if read is not None:
                    return read[0].model_copy(update={"said": self.words.text(stop, verb.end), "negated": negated}), read[1]
        return None

    def fronted(self, at: int) -> Read[Order] | None:
        """Into THING with THING | in|on THING "," clause"""
        word = self.low(at)
        if word == "into":
            self.claimed = frozenset({"with"})
            into = self.simple(at + 1)
            self.claimed = frozenset()
            if into and self.low(into[1]) == "with":
                what = self.thing(into[1] + 1)
                if what is not None:
                    slot = Slot(role="into", value=Of(thing=into[0], spans=into[0].spans), spans=self.spans(at, into[1]))
                    return Order(verb="move", said=self.words.text(at, at + 1), object=what[0], slots=(slot,)), what[1]
            return None
        if word == "for":
            return self._for_each(at)
        if word not in {"in", "on"}:
            return None
        place = self.simple(at + 1)
        if place is None or self.low(place[1]) != ",":
            return None
        read = self.imperative(place[1] + 1)
        if read is None:
            return None
        order, end = read
        if order.object is not None and order.object.place is None and not order.object.new:
            return order.model_copy(update={"object": order.object.model_copy(update={"place": place[0]})}), end
        value: Value = place[0].name if bare(place[0]) and place[0].name else Of(thing=place[0], spans=place[0].spans)
        return order.model_copy(update={"slots": (*order.slots, Slot(role="at", value=value, spans=self.spans(at, place[1])))}), end

    def _for_each(self, at: int) -> Read[Order] | None:
        """For every THING "," clause"""
        each = self.simple(at + 1)
        if each is None or each[0].quantity != "all" or self.low(each[1]) != ",":
            return None
        self.each = each[0]
        read = self.imperative(each[1] + 1)
        self.each = None
        if read is None:
            return None
        per = Slot(role="per", value=Of(thing=each[0], spans=each[0].spans), spans=self.spans(at, each[1]))
        return read[0].model_copy(update={"slots": (*read[0].slots, per)}), read[1]

    # Imperatives

    def imperative(self, at: int) -> Read[Order] | None:
        best: Read[Order] | None = None
        for verb, pending in self._verbs(at):
            self.object, people, size = None, list(self.people), len(self.orders)
            data = dict(verb.entry.data) | {"name": verb.entry.name}
            found = self._operands(data, verb.end, pending)
            if found is not None and (best is None or found[1] > best[1]):
                best = found[0].model_copy(update={"said": self._said(at, verb, pending)}), found[1]
            else:
                self.people = people
            del self.orders[size:]
            if best is not None and pending == () and self._done(best[1]):
                break
        return best

    def _done(self, at: int) -> bool:
        return at >= len(self.words.list) or self._ends(at) or self.low(at) in {",", "and", "but", "then"}

    def _said(self, at: int, verb: Match, pending: tuple[str, ...]) -> str:
        return " ".join((self.words.text(at, verb.end), *pending))

    def _verbs(self, at: int) -> list[tuple[Match, tuple[str, ...]]]:
        """The verbs that can stand here, and the words of each that are still to come: throw X "out"."""
        token = self.token(at)
        result: list[tuple[Match, tuple[str, ...]]] = []
        if token is None or token.kind != "word":
            return result
        lexicon = self.words.lexicon
        for entry in lexicon.first.get(lexicon.corrected(token.lower), ()):
            if entry.group != "verb" or entry.shape != "base":
                continue
            words = entry.words
            if "~" in words:
                hole = words.index("~")
                if hole == 1:
                    result.append((Match(entry, at + 1), words[2:]))
            elif tuple(self.low(at + n) for n in range(1, len(words))) == words[1:]:
                result.append((Match(entry, at + len(words)), ()))
            elif len(words) == 2 and words[1] in lexicon.data["particles"] + ["on"]:
                result.append((Match(entry, at + 1), words[1:]))
        return result

    def _operands(self, verb: dict[str, Any], at: int, pending: tuple[str, ...], given: Thing | None = None) -> Read[Order] | None:
        """What goes with a verb, in any order that its entry allows."""
        dated = {"when"} if verb.get("makes") or verb["name"] in {"remind", "put"} else set()
        claimed, self.claimed = self.claimed, frozenset(verb["slots"]) | dated
        each = self.each
        self.loose = verb["name"] in {"set", "sort"}
        frame = Frame(self, verb, given)
        end = frame.fill(at, pending)
        self.claimed, self.loose, self.each, self.subject = claimed, False, each, None
        order = frame.order() if end is not None else None
        return (order, end) if order is not None and end is not None else None


class Frame:
    """A verb and what goes with it, while it is being read."""

    def __init__(self, clauses: Clauses, verb: dict[str, Any], given: Thing | None) -> None:
        self.read, self.verb, self.takes = clauses, verb, verb.get("object", "thing")
        self.object = given
        clauses.object = given
        clauses.subject = None
        self.slots: list[Slot] = []
        self.person: Thing | None = None
        self.kept = False

    def add(self, role: str, value: Value, first: int, end: int, field: str = "") -> int | None:
        if role in ONCE and not field and any(slot.role == role and not slot.field for slot in self.slots):
            return None
        self.slots.append(Slot(role=role, field=field, value=value, spans=self.read.spans(first, end)))  # type: ignore[arg-type]
        return end

    def fill(self, at: int, pending: tuple[str, ...]) -> int | None:
        while True:
            if pending and self.filled() and all(self.read.low(at + n) == word for n, word in enumerate(pending)):
                at, pending = at + len(pending), ()
            start = at
            if (self.read.low(at) == "," and self.filled() and not self.read.clause(at + 1)) or (self.read.low(at) == "and" and self.read.take(at + 1, "field")) or (self.read.low(at) == "and" and self.read.low(at + 1) == "with"):
                start = at + 1
            end = self.operand(start, comma=start > at)
            if end is None:
                return None if pending else at
            at = end

    def filled(self) -> bool:
        return self.object is not None or bool(self.slots) or self.person is not None

    def operand(self, at: int, comma: bool) -> int | None:
        for rule in (self.keeping, self.position, self.said, self.field, self.preposition, self.there, self.when):
            if (end := rule(at)) is not None:
                return end
        if comma:
            more = self.read.fields(at) if (self.object or self.person) is not None and "with" in self.verb["slots"] else None
            return self.add("with", more[0], at, more[1]) if more else None
        return self.direct(at)

    def keeping(self, at: int) -> int | None:
        found = self.read.take(at, "keeps")
        if found and self.verb.get("keeps") and self.object is not None:
            self.kept = True
            return found.end
        return None

    def position(self, at: int) -> int | None:
        """at the end [of THING]"""
        found = self.read.take(at, "positions")
        if found is None or "into" not in self.verb["slots"]:
            return None
        where = Text(text=found.entry.name, spans=self.read.spans(at, found.end))
        end = self.add("at", where, at, found.end)
        if found.entry.words[-1] != "of" and self.read.low(end) == "of":
            return None
        if found.entry.words[-1] == "of":
            into = self.read.valued(end)
            return self.add("into", into[0], end, into[1]) if into else None
        if "its" in found.entry.words:
            back = self.read.back(False, at=at)
            return self.add("into", back, at, end) if back else None
        return end

    def preposition(self, at: int) -> int | None:
        best = ""
        for phrase in self.verb["slots"]:
            parts = phrase.split()
            if len(phrase) > len(best) and all(self.read.low(at + n) == part for n, part in enumerate(parts)):
                best = phrase
        if not best or (not self.filled() and best in {"with"}):
            return None
        role, end = self.verb["slots"][best], at + len(best.split())
        if role == "saying":
            return self.words(at, end) if best != "with" else self.told(at, end)
        if best in {"in", "on"} and self.read.take(end, "positions"):
            return None
        if role == "as" and (field := self.as_field(end)):
            return field
        if best == "with" and (pairs := self.pairs(at, end)):
            return pairs
        if best == "with" and self.verb["name"] not in {"compare", "share", "merge"} and (more := self.read.fields(end)):
            return self.inside(self.add("with", more[0], at, more[1]))
        if best == "for" and (each := self.read.thing(end)) and each[0].quantity == "all" and (self.verb.get("makes") or self.takes != "thing"):
            self.read.each = each[0]
            return self.add("per", self.read.valued_thing(each[0]), at, each[1])
        if best in {"in", "on", "at", "for", "from", "to", "by"} and (when := self.read.dates.read(at if best in {"in", "at", "from"} else end)):
            return self.add(self.timed(best, when[0]), when[0].model_copy(update={"spans": self.read.spans(at, when[1])}), at, when[1])
        value = self.read.marked(end) if role == "as" else None
        value = value or (self.read.fields(end) if role not in {"into", "to"} or self.verb["name"] == "set" else None)  # type: ignore[assignment]
        if value is None and role in {"value", "by", "to", "called", "with"}:
            value = self.read.amount(end) or self.read.value(end)  # type: ignore[assignment]
        if value is None and (thing := self.read.thing(end, inner=True)) is not None:
            value = self.read.valued_thing(thing[0]), thing[1]  # type: ignore[assignment]
        if value is None:
            return None
        if role == "into" and isinstance(value[0], Of) and value[0].thing.name and value[0].thing == Thing(kind="field", name=value[0].thing.name, spans=value[0].thing.spans) and self.slots and self.slots[-1].role == "value":
            spans = (*self.slots[-1].spans, *self.read.spans(at, value[1]))
            self.slots[-1] = self.slots[-1].model_copy(update={"field": value[0].thing.name.text, "spans": spans})
            return value[1]
        if role in {"to", "with"} and isinstance(value[0], Text) and not value[0].quoted:
            self.read.people = [*self.read.people, value[0].text]
        if role == "value" and isinstance(value[0], Amount) and (named := self.read.take(value[1], "field")) and not self.read._open(named.end):
            return self.add(role, value[0], at, named.end, field=named.entry.name)
        if best in {"for", "about", "of"} and isinstance(value[0], Of | Text) and (self.object is None or self.object.quantity == "any"):
            self.read.subject = value[0].thing if isinstance(value[0], Of) and not value[0].fields else Thing(name=value[0], spans=value[0].spans) if isinstance(value[0], Text) else None
        return self.add(role, value[0], at, value[1])

    def as_field(self, at: int) -> int | None:
        """as the amount: into which field goes what is written"""
        article = self.read.take(at, "articles", "possessives")
        found = self.read.take(article.end if article else at, "field")
        if found is None or self.read.take(found.end, "noun") or self.read._open(found.end):
            return None
        for place, slot in enumerate(self.slots):
            if slot.role == "value" and not slot.field:
                self.slots[place] = slot.model_copy(update={"field": found.entry.name, "spans": (*slot.spans, *self.read.spans(at, found.end))})
                return found.end
        if self.object is None or self.object.back is None or self.object.tests:
            return None
        self.add("value", self.read.valued_thing(self.object), at, found.end, field=found.entry.name)
        self.object = self.read.object = None
        return found.end

    def pairs(self, first: int, at: int) -> int | None:
        """with X as the vendor and Y as the category"""
        size, end = len(self.slots), None  # type: int, int | None
        while True:
            value: Read[Value] | None = self.read.fields(at) or self.read.name(at)
            if value is None or (self.read.low(value[1]) != "as" and not (end and isinstance(value[0], Of))):
                break
            if self.read.low(value[1]) != "as":
                return self.inside(self.add("with", value[0], first, value[1]))
            article = self.read.take(value[1] + 1, "articles", "possessives")
            found = self.read.take(article.end if article else value[1] + 1, "field")
            if found is None:
                break
            end = self.inside(self.add("with", value[0], first, found.end, field=found.entry.name))
            sep = self.read._separator(end) if end is not None else 0
            if not sep or self.read.clause(sep):
                return end
            at = sep
        if end:
            return end
        del self.slots[size:]
        return None

    def inside(self, at: int | None) -> int | None:
        """ "the total in it": in what is made"""
        if at is None:
            return None
        made = self.read.low(at) in {"in", "on"} and self.read.low(at + 1) == "it" and self.object is not None and self.object.new
        return at + 2 if made else at

    def timed(self, word: str, when: When) -> str:
        if when.minutes:
            return "for" if word == "for" else "by"
        if self.verb["slots"].get(word) == "value":
            return "value"
        if word == "to":
            return "to"
        return "on" if when.first or not when.start else "at"

    def when(self, at: int) -> int | None:
        """tomorrow at 10 | half an hour later"""
        found = self.read.dates.read(at)
        if found is None or self.read._noun_ahead(found[1]) or self.read.low(found[1]) == "'s":
            return None
        when, end = found
        if when.minutes and self.read.low(end) in {"later", "earlier"}:
            when = when.model_copy(update={"minutes": when.minutes * (1 if self.read.low(end) == "later" else -1)})
            return self.add("by", when.model_copy(update={"spans": self.read.spans(at, end + 1)}), at, end + 1)
        ahead = 1 + (self.read.low(end + 1) == "of") if self.read.low(end) in {"before", "ahead"} else 0
        if when.minutes and ahead and "about" in self.verb["slots"] and (what := self.read.thing(end + ahead)):
            earlier = when.model_copy(update={"minutes": -when.minutes, "spans": self.read.spans(at, end + ahead)})
            self.add("by", earlier, at, end + ahead)
            return self.add("about", self.read.valued_thing(what[0]), end + ahead, what[1])
        if when.minutes and not self.filled():
            return None
        role = "for" if when.minutes else self.timed("on", when)
        return self.add("on" if role == "value" else role, when.model_copy(update={"spans": self.read.spans(at, end)}), at, end)

    def field(self, at: int) -> int | None:
        """[with] [the] FIELD [of|is] VALUE, for what is made, sent, claimed or written"""
        if not ({"with"} & set(self.verb["slots"])) or not self.filled():
            return None
        place = at + (self.read.low(at) == "with")
        if (article := self.read.take(place, "articles", "possessives")) is not None:
            place = article.end
        found = self.read.take(place, "field")
        if found is None:
            return None
        end = found.end + (self.read.low(found.end) in {"is", ":", "should"}) + (self.read.low(found.end) == "should" and self.read.low(found.end + 1) == "be")
        value = self.read.amount(end) or self.read.name(end)
        if value is None or self.read.low(value[1]) == "'s":
            return None
        return self.add("with", value[0], at, value[1], field=found.entry.name)

    def said(self, at: int) -> int | None:
        """that ... | : ... | a quotation, to whom something is said"""
        if not self.verb.get("says") or not self.filled():
            return None
        if self.read.low(at) == "that" and not self.read.take(at + 1, "verb", "predicates", "auxiliaries"):
            return self.words(at, at + 1)
        if self.read.kind(at) == "quote":
            return self.add("saying", self.read.text(at, at + 1, quoted=True), at, at + 1)
        return self.words(at, at + 1) if self.read.low(at) == ":" else None

    def told(self, first: int, at: int) -> int | None:
        """with "words" | with the total | with both"""
        if (found := self.read.joined(at)) is not None:
            return self.add("saying", found[0], first, found[1])
        if self.read.low(at) == "both" and (back := self.read.back(at=at)):
            return self.add("saying", back, first, at + 1)
        return None

    def there(self, at: int) -> int | None:
        """ "there": where an earlier order speaks of"""
        found = self.read.take(at, "there")
        back = self.read.back(at=at)
        role = "into" if "into" in self.verb["slots"].values() else "to"
        if found is None or back is None or role not in self.verb["slots"].values():
            return None
        return self.add(role, back, at, found.end)

    def words(self, first: int, at: int) -> int | None:
        """Words that are told: a quotation, a value, or all to the end of the sentence, if nothing there could be an order."""
        if self.read.kind(at) == "quote":
            return self.add("saying", self.read.text(at, at + 1, quoted=True), first, at + 1)
        value = self.read.worked(at) or self.read.fields(at)
        if value is not None and self.read._separator(value[1]) == 0 and not self.read._open(value[1]):
            return self.add("saying", value[0], first, value[1])
        end = at
        while end < len(self.read.words.list) and not self.read._ends(end):
            if self.read.take(end, "conditions", "exceptions", "if_so", "if_not") or self.read.low(end) in {";", ":"}:
                return None
            sep = self.read._separator(end)
            if (sep and self.read.clause(sep)) or self.read.kind(end) == "quote":
                return None
            end += 1
        return self.add("saying", self.read.text(at, end), first, end) if end > at else None

    def direct(self, at: int) -> int | None:
        """The object, and before it the person that something is told or given."""
        read = self.read
        if self.takes == "none" or (self.object is not None and not self.verb.get("says")):
            return None
        if self.object is not None or any(slot.role == "saying" for slot in self.slots):
            return None
        if self.verb.get("says") and read.low(at) in {"me", "us"}:
            return None
        if self.takes == "value":
            value = read.joined(at)
            if value is not None:
                return self.add("saying" if self.verb["name"] in {"send", "reply"} else "value", value[0], at, value[1])
        found = read.thing(at)
        if found is None or any(slot.role == "value" and not slot.field for slot in self.slots):
            return None
        thing, end = found
        if self.verb.get("says") and self.person is None and not self.letter(thing) and not (thing.back and not thing.kind):
            self.person = thing
            if thing.kind or thing.quantity != "one":
                read.object = thing
            if thing.name and not thing.kind and not thing.name.quoted:
                read.people = [*read.people, thing.name.text]
            return end
        if self.verb.get("makes") and not thing.new:
            thing = thing.model_copy(update={"new": True})
        self.object = read.object = thing
        return end

    def letter(self, thing: Thing) -> bool:
        return thing.kind in self.read.words.lexicon.data["letters"] and thing.quantity in {"any", "one"}

    def order(self) -> Order | None:
        """The order, if all is there that the verb needs."""
        if self.verb.get("gives"):
            return self.given()
        roles = {slot.role for slot in self.slots}
        name = self.verb["name"]
        if self.person is not None:
            if "to" in roles and self.object is not None:
                return None
            if "to" in roles or not (roles & {"saying"} or self.object is not None or "by" in roles or "about" in roles):
                self.object, self.person = self.person, None
        if self.person is not None:
            to = self.read.valued_thing(self.person)
            self.slots.insert(0, Slot(role="to", value=to, spans=self.person.spans))
        if name == "answer" and self.object is not None and self.object.quantity == "any":
            return None
        if self.verb.get("indefinite") and not (self.object and self.object.quantity in {"any", "number"}):
            return None
        if name == "write" and (to := next((s for s in self.slots if s.role == "to"), None)) is not None:
            chat = next((s for s in self.slots if s.role == "into" and isinstance(s.value, Of) and s.value.thing.kind in {"chat", "mail", "message"}), None)
            if chat or (isinstance(to.value, Text) and not to.value.quoted and "into" not in roles):
                name = "send"
                roles_now = {"into": "by", "value": "saying"}
                self.slots = [s.model_copy(update={"role": roles_now[s.role]}) if s is chat or (s.role == "value" and not s.field) else s for s in self.slots]
        if name in {"send", "reply"} and self.read.asker and not {s.role for s in self.slots} & {"saying", "with"} and (
            self.object is None or (self.object.back and self.object.quantity == "one")
        ):
            if not any(s.role == "to" for s in self.slots):
                self.slots.append(Slot(role="to", value=Text(text=self.read.people[-1])))
            answers = tuple(Back(to=number, spans=slot.spans) for number in self.read.asker for slot in self.slots[:1])
            value: Value = answers[0] if len(answers) == 1 else Worked(how="joined", of=answers)
            if answers:
                self.object = None
                self.slots.append(Slot(role="saying", value=value))
        if name == "remind" and [s.role for s in self.slots[-2:]] in (["about", "on"], ["about", "at"]):
            raise Doubt(f"is {self.slots[-1].value.text!r} when to remind, or of what?")  # type: ignore[union-attr]
        if name == "write" and self.object is not None and self.object.kind in {"mail", "email", "e-mail", "message", "letter"} and "into" not in roles:
            name = "send"
        if (name == "keep" and not self.kept and not roles) or (name == "rename" and "to" not in roles):
            return None
        if self.takes == "thing" and self.object is None:
            return None
        if self.takes == "value" and self.object is None and not self.slots:
            return None
        if name == "set" and not self.spread():
            return None
        if self.verb.get("works") and not self.worked():
            return None
        return Order(verb=self.verb.get("verb", name), object=self.object, slots=tuple(self.slots))

    def worked(self) -> bool:
        """Count or add up what is named."""
        value = next((slot for slot in self.slots if slot.role == "value"), None)
        what = Of(thing=self.object, spans=self.object.spans) if self.object is not None else value.value if value else None
        if isinstance(what, Worked):
            return self.verb["works"] == what.how
        if not isinstance(what, Of) or not (plural(what.thing) or what.thing.back) or (self.verb["works"] == "sum") != bool(what.fields):
            return False
        self.slots = [slot for slot in self.slots if slot is not value]
        self.slots.append(Slot(role="value", value=Worked(how=self.verb["works"], of=(what,), spans=what.spans), spans=what.spans))
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
        what = next((slot for slot in self.slots if slot.role == "value" and isinstance(slot.value, Of) and slot.value.fields), None)
        rest = [slot for slot in self.slots if slot is not what]
        if not rest:
            return False
        if what is not None and isinstance(what.value, Of):
            self.object = what.value.thing
            field = " and ".join(what.value.fields)
            self.slots = [slot.model_copy(update={"field": field}) if slot.role in {"value", "by"} else slot for slot in rest]
        return self.object is not None


__all__ = ["Back", "Worked", "plural", "read"]
