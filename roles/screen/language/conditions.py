"""Conditions and questions of yes or no: what must hold, what is waited for, and what "if so" and "otherwise" speak of.

condition = ("if" | "unless") (thing predicate | "there is" thing) | "if so" | "otherwise"
"""

from __future__ import annotations

from roles.contracts.orders import Condition, Order, Slot, Test, Text, Thing
from roles.screen.language.names import Read, bare
from roles.screen.language.values import Values
from roles.screen.language.words import Doubt, Match


class Conditions(Values):
    """Reads them; what stands under one is read elsewhere."""

    def _front(self, at: int) -> Read[Condition | None]:
        """[join] [condition ","] ["then"]"""
        while (join := self.take(at, "joins")) and not (self._noun_ahead(join.end) and self.low(at) in {"first", "last", "next"}):
            at = join.end + (self.low(join.end) == ",")
        if (waited := None if self.take(at, "waits") else self.awaited(at)) is not None:
            return None, waited + (self.low(waited) == ",")
        found = self.conditional(at)
        if found is None:
            return None, at
        end = found[1] + (self.low(found[1]) in {",", ":"})
        end += self.low(end) == "then"
        self.condition = found[0]
        if (thing := found[0].thing).back is None:
            many = thing.quantity == "any" and self.words.goal[thing.spans[0][0] :].lower().startswith("any ")
            self.topic = thing.model_copy(update={"quantity": "all"}) if many else thing
        return found[0], end

    def conditional(self, at: int) -> Read[Condition] | None:
        """if so | otherwise | (if|unless) there is THING | (if|unless) THING PREDICATE"""
        if (found := self.take(at, "if_so", "if_not")) and self.condition is not None:
            return self._again(at, found.end, found.entry.group == "if_not")
        word = self.take(at, "conditions")
        if word is None or word.entry.name == "when":
            return None
        unless, end = word.entry.name == "unless", word.end
        if self.condition is not None and self.low(end) in {"it", "they", "not"}:  # if it is not, with nothing more
            aux = self.take(end + 1, "auxiliaries")
            stop = end if self.low(end) == "not" else aux.end if aux else 0
            negated = self.low(stop) == "not"
            if stop and not self.condition.negated and (self.low(stop + negated) == "," or self.clause(stop + negated)):
                return self._again(at, stop + negated, negated != unless)
        return self._said(at, end, unless)

    def _said(self, first: int, end: int, unless: bool) -> Read[Condition] | None:
        """there is [no] THING | THING PREDICATE"""
        there = self.low(end) == "there" and self.low(end + 1) in {"is", "are"}
        none = self.take(end + 2, "no", "not") if there else None
        thing = self.simple(none.end if none else end + 2 * there)
        tests = self.predicates(thing[1]) if thing and not there else None
        if thing is None or (tests is None and not there):
            return None
        if bare(thing[0]) and not there:  # if Ann is in the group, write to her
            self.named(thing[0].name)
        stop = tests[1] if tests else thing[1]
        holds = tuple(tests[0]) if tests else ()
        none_or_unless, spans = unless != bool(none), self.spans(first, stop)
        return Condition(thing=self.some(thing[0]), tests=holds, negated=none_or_unless, spans=spans), stop

    def some(self, thing: Thing) -> Thing:
        """ "any mails", in a question or after "if": whether there is one."""
        said = self.words.goal[thing.spans[0][0] :].lower() if thing.spans else ""
        return thing.model_copy(update={"quantity": "any"}) if thing.quantity == "all" and said.startswith("any ") else thing

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
        """when|as soon as|once|wait until THING arrives | THING PREDICATE: an order to wait for it."""
        word, waits = self.take(at, "conditions"), self.take(at, "waits")
        if waits is None and (word is None or word.entry.name != "when"):
            return None
        start = (waits or word).end  # type: ignore[union-attr]
        found = self.simple(start)
        if found is None:
            return None
        thing, end = found
        arrives = arrived.end if (arrived := self.take(end, "arrives")) else 0
        tests = self.predicates(end) if not arrives else None
        if (tests is None and not arrives) or thing.quantity not in {"one", "any"} or thing.also:
            return None
        if tests is not None:
            if self.low(at) == "when" and self.take(end, "auxiliaries"):
                raise Doubt(f"should it be waited for, or be done only if it holds now: {self.words.text(at, tests[1])!r}?")
            thing, arrives = thing.model_copy(update={"tests": (*thing.tests, *tests[0])}), tests[1]
        else:  # one that is not there yet
            thing = thing.model_copy(update={"new": True})
        said = self.words.text(at, start)
        self.orders.append(Order(verb="wait", said=said, object=thing, spans=self.spans(at, arrives)))
        return arrives

    def _again(self, at: int, end: int, negated: bool) -> Read[Condition] | None:
        """The condition said before, or its contrary."""
        if self.condition is None:
            return None
        self.waiting = None
        spans = (*self.condition.spans, *self.spans(at, end))
        return self.condition.model_copy(update={"negated": self.condition.negated != negated, "spans": spans}), end

    def _await(self, at: int, thing: Thing, tests: tuple[Test, ...], end: int, negated: bool = False) -> int:
        """Keeps what "if so" will speak of."""
        self.condition = Condition(thing=self.some(thing), tests=tests, negated=negated, spans=self.spans(at, end))
        self.topic, self.waiting = thing, (at, end)
        return end

    def _asked_condition(self, at: int, aux: Match) -> int | None:
        """is|has THING [been] STATE? | have we paid THING? | is there THING? | do I have THING?"""
        got, test = self.take(at, "got"), None
        state = self.take(aux.end + 1, "states") if self.low(aux.end) in {"we", "i"} else None
        there = got.end if got else aux.end + 1 if self.low(aux.end) == "there" else 0
        thing = self.thing(state.end if state else there or aux.end)
        if thing is None or not (there or aux.entry.name in {"be", "have"}):
            return None
        end = thing[1]
        if state is not None:
            test = self._state(state, aux.end + 1)[0], end
        elif not there:
            negated = self.low(end) == "not"
            test = self._being(end + negated + (self.low(end + negated) == "been"), negated)
        end = test[1] if test else end
        return self._await(at, thing[0], (test[0],) if test else (), end) if self.over(end) and (test or there) else None
