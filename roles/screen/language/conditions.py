"""Conditions and questions of yes or no: what must hold, what is waited for, and what "if so" and "otherwise" speak of.

condition = ("if" | "unless") (thing predicate | "there is" thing) | "if so" | "otherwise"
"""

from __future__ import annotations

from roles.contracts.orders import Condition, Test, Thing
from roles.screen.language.nouns import Read
from roles.screen.language.values import Values
from roles.screen.language.words import Match


class Conditions(Values):
    """Reads them; what stands under one is read elsewhere."""

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

    def conditional(self, at: int) -> Read[Condition] | None:
        """if so | otherwise | (if|unless) there is THING | (if|unless) THING PREDICATE"""
        if (found := self.take(at, "if_so", "if_not")) and self.condition is not None:
            return self._again(at, found.end, found.entry.group == "if_not")
        word = self.take(at, "conditions")
        if word is None or word.entry.name == "when":
            return None
        if self.condition is not None and self.low(word.end) in {"it", "they", "not"} and (short := self._elliptic(at, word)):
            return short
        unless, end = word.entry.name == "unless", word.end
        there = self.low(end) == "there" and self.low(end + 1) in {"is", "are"}
        none = self.take(end + 2, "no", "not") if there else None
        thing = self.simple(none.end if none else end + 2 * there)
        tests = self.predicates(thing[1]) if thing and not there else None
        if thing is not None and tests is None and not there:
            none = self.take(thing[1], "auxiliaries") if self.low(thing[1] + 1) == "not" else None
            there = self.low(thing[1] + 2 * bool(none)) in {"exists", "exist"}
            thing = thing[0], thing[1] + 2 * bool(none) + there
        if thing is None or (tests is None and not there):
            return None
        stop = tests[1] if tests else thing[1]
        spans = self.spans(at, stop)
        return Condition(thing=thing[0], tests=tuple(tests[0]) if tests else (), negated=unless != bool(none), spans=spans), stop

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
        end += negated
        if self.condition is None or self.condition.negated or (self.low(end) != "," and not self.clause(end)):
            return None
        return self._again(at, end, negated != (word.entry.name == "unless"))

    def _await(self, at: int, thing: Thing, tests: tuple[Test, ...], end: int) -> int:
        self.condition = Condition(thing=thing, tests=tests, spans=self.spans(at, end))
        self.topic, self.waiting = thing, (at, end)
        return end

    def _asked_condition(self, at: int, aux: Match) -> int | None:
        """is|has THING [been] STATE? | have we paid THING? | is there THING?"""
        if self.low(aux.end) in {"we", "i"}:
            state = self.take(aux.end + 1, "states")
            thing = self.thing(state.end) if state else None
            if state is None or thing is None or not self.over(thing[1]):
                return None
            return self._await(at, thing[0], (self._state(state, aux.end + 1),), thing[1])
        there = self.low(aux.end) == "there"
        thing = self.thing(aux.end + there)
        if thing is None or aux.entry.name not in {"be", "have"}:
            return None
        if there:
            return self._await(at, thing[0], (), thing[1]) if self.over(thing[1]) else None
        end = thing[1]
        negated = self.low(end) == "not"
        end += negated + (self.low(end + negated) == "been")
        test = self._being(end, "", negated)
        if test is None or not self.over(test[1]):
            return None
        return self._await(at, thing[0], (test[0],), test[1])
