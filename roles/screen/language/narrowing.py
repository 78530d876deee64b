"""What narrows a thing down.

modifier = preposition thing | bound value | date | participle ... | relative predicate { "and" predicate } | "called" name
predicate = "is" ["not"] (state | participle ... | bound value | date | preposition thing | value)
          | "has" ["no"] field [value] | ["does" "not"] verb (value | date)
"""

from __future__ import annotations

import re
from typing import Any

from roles.contracts.orders import Amount, Of, Pick, Relation, Test, Text, Thing, Value, When
from roles.screen.language.names import Draft, Read, bare, held, plural
from roles.screen.language.nouns import Nouns
from roles.screen.language.words import Doubt, Match

FILED = frozenset({"file", "folder"})
FILE = re.compile(r"[\w-]+(?:\.[A-Za-z]\w{0,4})+")
"""The name of a file, which is somewhere and from nobody."""


class Narrowing(Nouns):
    """Reads tests on things."""

    def narrowed(self, head: int, draft: Draft, inner: bool) -> int:
        """What follows the head. After a name or a place within another thing it belongs to that other thing; what follows
        "the ones" belongs to them, whatever the verb claims."""
        if inner and (not draft.kind or draft.kind in self.words.lexicon.data["places"]):
            return head
        claimed, nested, end = self.claimed, self.nested, head
        self.nested = nested or inner
        every = draft.kind == "person" and "channels" in claimed and self.take(head - 1, "everything")  # mail everyone in
        if self.take(head - 1, "ones") or every:
            self.claimed = frozenset()
            end = self._modifier(head, draft) or head
            self.claimed = claimed
        end = self.modifiers(end, draft)
        self.nested = nested
        return end

    def modifiers(self, at: int, draft: Draft) -> int:
        while (end := self._modifier(at, draft)) is not None:
            at = end
        return at

    def _modifier(self, at: int, draft: Draft) -> int | None:
        if self.take(at, "positions") or (self.take(at, "channels") and "channels" in self.claimed):
            return None
        part = self.take(at, "predicates")
        if part and part.entry.name == "is called" and draft.name is None and (name := self.title(part.end)) is not None:
            draft.name = name[0]
            return name[1]
        if not self.nested and (rel := self._relative(at)) is not None and self._whose_clause(at, draft):
            draft.tests += rel[0]
            return rel[1]
        if got := self.take(at, "got"):
            return got.end
        if found := self._comes_first(at):
            if draft.pick is not None or draft.quantity != "one":
                return None
            draft.pick = found[0]
            return found[1]
        told = part is not None and part.entry.name != "is called" and part.entry.shape in {"past", "ing"}
        test = self._complement(part, at) if part and (told or part.entry.name in {"due", "dated"}) else None
        test = test or self._day(at) or (None if self._of_the_verb(at) else self._bounded(at))
        if test is None:
            return None if self._of_the_verb(at) else self._prepositional(at, draft)
        draft.tests.append(test[0])
        return test[1]

    def _comes_first(self, at: int) -> Read[Pick] | None:
        """that comes first"""
        which = self.take(at, "relatives")
        if (
            which is None
            or self.low(which.end) not in {"comes", "is", "stands"}
            or self.low(which.end + 1) not in {"first", "last"}
        ):
            return None
        order: Any = self.low(which.end + 1)
        return Pick(order=order, spans=self.spans(at, which.end + 2)), which.end + 2

    def _day(self, at: int) -> Read[Test] | None:
        when = self.when(at) if self.low(at) not in {"in", "from"} and "when" not in self.claimed else None
        timely = when is not None and (self.dates.days(at) or when[0].first or (when[0].start and self.low(at) == "at"))
        if when is None or not timely or (self.low(at) == "at" and "at" in self.claimed):
            return None
        return self.test(at, when[1], when[0], "on")

    def _of_the_verb(self, at: int) -> bool:
        """Whether a preposition here belongs to the verb."""
        words = self.words.matches(at, "prepositions", "slot_prepositions", "bounds")
        after = self.token(at + 1)
        dated = self.low(at) in {"on", "in"} and "when" not in self.claimed and self.dates.days(at + 1)
        person = self.low(at) == "with" and "with" in self.reserved and after and after.capital and not self.take(at + 1, "field")
        best = self.low(at) == "with" and self._best(at + 1)
        claimed = not (dated or person or best) and any(" ".join(match.entry.words) in self.claimed for match in words)
        return claimed or self.low(at) in {"until", "till", *self.pending}

    def _prepositional(self, at: int, draft: Draft) -> int | None:
        """from Ann | in the trash | about the lunch | with the subject X | of March"""
        found = self.take(at, "prepositions")
        if found is None or (self.nested and found.entry.data["value"] == "from"):
            return None
        relation: Any = found.entry.data["value"]
        relation = "about" if relation == "to" and draft.kind == "invitation" else relation
        if self.low(at) in {"on", "at"} and "when" in self.claimed and not draft.kind and self.dates.read(found.end):
            return None  # lunch with Ann on Friday
        if relation == "with" and draft.pick is None and (best := self._best(found.end)):
            draft.pick = best[0]
            return best[1]
        if test := self._dated_or_with(at, found.end, relation):
            if (
                test[0].field in {"title", "name"}
                and draft.quantity == "any"
                and not draft.name
                and isinstance(test[0].value, Text)
            ):
                draft.name = test[0].value
            else:
                draft.tests.append(test[0])
            return test[1]
        self.loose, loose = self.loose or relation == "about", self.loose  # about the delivery
        value = self.simple(found.end, inner=True) if relation == "in" else self.thing(found.end, inner=True)
        self.loose = loose
        return self._related(at, relation, value, draft) if value else None

    def _best(self, at: int) -> Read[Pick] | None:
        """the highest total"""
        best = self.take(at + (self.low(at) == "the"), "superlatives")
        field = self.take(best.end, "field") if best else None
        if best is None or field is None or not best.entry.data["by"]:
            return None
        return Pick(by=field.entry.name, order=best.entry.data["order"], spans=self.spans(at, field.end)), field.end

    def _related(self, at: int, relation: Any, value: Read[Thing], draft: Draft) -> int | None:
        """The place in which a thing is, or a test on it."""
        thing, stop = value
        filed = relation == "from" and (draft.kind in FILED or (draft.name is not None and FILE.fullmatch(draft.name.text)))
        if relation == "in" or filed or (relation in {"is", "from"} and thing.kind in self.words.lexicon.data["places"]):
            taken, draft.place = draft.place, draft.place or thing
            return stop if taken is None else None
        if relation == "for" and not (draft.kind in {"row", "line", "entry"} and bare(thing)):
            return None
        says: Relation = "has" if relation in {"for", "without"} else relation
        draft.tests.append(self.test(at, stop, self.valued_thing(thing), says, negated=relation == "without")[0])
        if relation in {"from", "by", "with", "to"}:
            self.named(self.valued_thing(thing))
        return stop

    def _dated_or_with(self, at: int, end: int, relation: str) -> Read[Test] | None:
        """in March | of this week | from last month | with the subject X | without a title"""
        if relation in {"with", "without"}:
            field = self.field_at(end + (self.low(end) == "any"))
            if field is None or relation == "with":
                return self._field_value(end, field) if field else None
            name = self.text(field.end - len(field.entry.words), field.end)
            return None if self._open(field.end) else self.test(at, field.end, name, "has", negated=True)
        start = at if self.low(at) == "in" and self.dates.days(at) else end
        when = self.when(start) if relation in {"in", "is", "for", "from"} else None
        if when is None or when[0].minutes or not (when[0].first or when[0].start or not self.today):
            return None
        return self.test(start, when[1], when[0], "on")

    def _field_value(self, first: int, field: Match) -> Read[Test] | None:
        """over 100 | [of] 100 | [of] X, of a field that was said"""
        end = field.end + (self.low(field.end) == "of")
        value = self.amount(end) or self.name(end)
        return self._bounded(field.end, field.entry.name) or (
            self.test(first, value[1], value[0], field=field.entry.name) if value else None
        )

    def _relative(self, at: int) -> Read[list[Test]] | None:
        """who|that|which PREDICATE {and PREDICATE}"""
        rel = self.take(at + (self.low(at) == ","), "relatives")
        found = self.predicates(rel.end) if rel else None
        if found is None:
            return None
        return [test.model_copy(update={"spans": self.spans(at, found[1])}) for test in found[0]], found[1]

    def _whose_clause(self, at: int, draft: Draft) -> bool:
        """Whether a relative clause here can be told to belong to the outer thing: "notes about the lunch that are old"."""
        last = draft.tests[-1].value if draft.tests else None
        if not isinstance(last, Of) or last.fields or draft.place or not last.thing.kind:
            return True
        if self.low(at + 1) in {"are", "were", "have"} and draft.quantity in {"all", "number"} and not plural(last.thing):
            return True
        raise Doubt(f"what does {self.words.text(at, at + 2)!r} refer to: {last.thing.kind!r} or {draft.kind!r}?")

    def predicates(self, at: int) -> Read[list[Test]] | None:
        """PREDICATE {and PREDICATE}"""
        found = self.predicate(at)
        if found is None:
            return None
        tests, end = [found[0]], found[1]
        while True:
            if self.low(end) == "or" and self.predicate(end + 1):
                raise Doubt(f"either of {self.words.text(end - 1, end + 2)!r}, or both?")
            start = end + (self.low(end) == ",")
            joined = self.low(start) in {"and", "but"}
            start += 1 + bool(self.take(start + 1, "relatives"))
            more = self.predicate(start, bare=True) if joined and not self.clause(start) else None
            if more is None:
                return tests, end
            tests, end = [*tests, more[0]], more[1]

    def predicate(self, at: int, bare: bool = False) -> Read[Test] | None:
        """is [not] STATE | is [not] PARTICIPLE ... | is [not] about X | has [no] FIELD ... | does [not] VERB ... | VERB ..."""
        aux = self.take(at, "auxiliaries")
        end = aux.end if aux else at
        negated = self.low(end) == "not"
        end += negated
        been = aux is not None and aux.entry.name == "have" and self.low(end) == "been"
        if aux is not None and aux.entry.name == "have" and not been:
            return self._having(end, negated)
        if aux is not None and (been or aux.entry.name == "be"):
            found = self._being(end + been, negated)
            return (found[0].model_copy(update={"spans": self.spans(at, found[1])}), found[1]) if found else None
        if bare and aux is None:
            state = self.take(end, "states")
            if found := self._state(state, end, negated) if state else self._bounded(at):
                return found
        verb = self.take(end, "predicates") if aux or not negated else None
        return self._complement(verb, end, negated) if verb else None

    def _having(self, at: int, negated: bool) -> Read[Test] | None:
        """[no] FIELD [VALUE] | a THING"""
        start, none = at, self.take(at, "no")
        if none and (none.entry.name != "no" or negated):
            return None
        negated, at = negated or bool(none), none.end if none else at
        article = self.take(at, "articles")
        at = article.end if article else at
        if (named := self.take(at, "field")) is not None:
            found = None if negated else self._field_value(start, named)
            return found or self.test(start, named.end, self.text(at, named.end), "has", negated=negated)
        thing = self.simple(at)
        if thing is None or thing[0].quantity not in {"one", "any"}:
            return None
        return self.test(start, thing[1], held(thing[0]), "has", negated=negated)

    def _being(self, at: int, negated: bool) -> Read[Test] | None:
        part = self.take(at, "predicates")
        if part is not None and (found := self._complement(part, at, negated)) is not None:
            return found
        if self.low(at) in {"on", "off"} and (self.over(at + 1) or self.low(at + 1) in {",", "and"}):
            return self.test(at, at + 1, self.text(at, at + 1), negated=negated)
        if (state := self.take(at, "states")) is not None:
            return self._state(state, at, negated)
        if found := self._bounded(at, negated=negated):
            return found
        if self.dates.days(at) and (when := self.when(at)):
            return self.test(at, when[1], when[0], "on", negated=negated)
        draft = Draft()
        end = self._prepositional(at, draft)
        if end is not None:
            test = self.test(at, end, self.valued_thing(draft.place), "in")[0] if draft.place else draft.tests[0]
            return test.model_copy(update={"negated": negated != test.negated}), end
        value = self.amount(at) or (self.name(at) if not self.take(at, "noun") else None)
        return self.test(at, value[1], value[0], negated=negated) if value else None

    def _complement(self, verb: Match, at: int, negated: bool = False) -> Read[Test] | None:
        """What follows a predicate: a date, a bound, a name, an amount."""
        field, relation, end = verb.entry.data.get("field", ""), verb.entry.data.get("relation", "is"), verb.end
        if bound := self._bounded(end, field, at, negated):
            return bound
        skip = end + (self.low(end) in {"on", "at", "in"} and not self.dates.days(end))
        if self.dates.days(skip) and (when := self.when(skip)):
            return self.test(skip, when[1], when[0], "on", field, negated)
        if field and relation == "is" and field not in {"company", "name", "price"}:
            return None
        value = self.amount(end) or self.marked(end) or self.valued(end)
        if value is None:
            return None
        if relation == "has" and isinstance(value[0], Of) and self._is_literal(value[0]):
            article = self.take(end, "articles")
            value = self.text(article.end if article else end, value[1]), value[1]
        if relation in {"from", "to"}:
            self.named(value[0])
        return self.test(at, value[1], value[0], relation, field, negated)

    def _is_literal(self, value: Of) -> bool:
        """Whether it is only words that something mentions: "the shared folder", but not the invoice INV-1."""
        thing, name = value.thing, value.thing.name
        return not (value.fields or thing.back) and (name is None or (name.text.islower() and thing.kind in name.text))

    def _bounded(self, at: int, field: str = "", first: int | None = None, negated: bool = False) -> Read[Test] | None:
        """over 100 | before March | at least 3 | between Monday and Friday | older than 30 days"""
        bound = self.take(at, "bounds")
        if bound is None:
            return None
        start, relation = at if bound.entry.name == "between" else bound.end, bound.entry.data["relation"]
        shift = self.dates.shift(start) if bound.entry.words[0] in {"older", "newer"} and self.dates.today else None
        value: Read[Value] | None = None
        if self.dates.days(start):
            value, relation = self.when(start), "on" if start == at else relation
        elif shift is not None and self.dates.today:
            day = str(self.dates.today - shift[0])
            value = When(text=self.words.text(start, shift[1]), first=day, last=day, spans=self.spans(start, shift[1])), shift[1]
        elif bound.entry.name not in {"since", "until", "between"}:
            value = self.amount(start)
        return self.test(at if first is None else first, value[1], value[0], relation, field, negated) if value else None

    def amount(self, at: int) -> Read[Amount] | None:
        token, word = self.token(at), self.take(at, "numbers")
        if token is None or not (token.kind == "number" or word):
            return None
        number = float(word.entry.data["value"]) if word else float(re.sub(r"[^\d.+-]", "", token.text))
        unit = self.take(at + 1, "units")
        sign = token.text[0] if token.text[0] in "€$£" else ""
        end = unit.end if unit else at + 1
        said = self.words.text(at + 1, end) if unit else sign
        return Amount(number=number, text=self.words.text(at, end), unit=said, spans=self.spans(at, end)), end

    def marked(self, at: int) -> Read[Text] | None:
        state = self.take(at, "states")
        return (self.text(at, state.end), state.end) if state else None
