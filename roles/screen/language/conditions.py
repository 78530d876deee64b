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
        found = self.simple(begun.end) if begun else None
        if begun is None or found is None:
            return None
        thing, end = found
        arrives = self.take(end, "arrives")
        tests = self.predicates(end) if not arrives else None
        stop = arrives.end if arrives else tests[1] if tests else 0
        if not stop or thing.quantity not in {"one", "any"} or thing.also:
            return None
        if tests is not None and self.low(at) == "when" and self.take(end, "auxiliaries"):
            raise Doubt(f"should it be waited for, or be done only if it holds now: {self.words.text(at, stop)!r}?")
        change = {"tests": (*thing.tests, *tests[0])} if tests else {"new": True}  # one that is not there yet
        said, awaited = self.words.text(at, begun.end), thing.model_copy(update=change)
        self.orders.append(Order(verb="wait", said=said, object=awaited, spans=self.spans(at, stop)))
        return stop

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
