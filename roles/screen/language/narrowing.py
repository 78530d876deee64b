"""What narrows a thing down.

modifier = preposition thing | bound value | date | participle ... | relative predicate { "and" predicate } | "called" name
predicate = "is" ["not"] (state | participle ... | bound value | date | preposition thing | value)
          | "has" ["no"] field [value] | ["does" "not"] verb (value | date)
"""

from __future__ import annotations

import re
from typing import Any

from roles.contracts.orders import Amount, Of, Pick, Test, Text, Value, When
from roles.screen.language.names import Draft, Read, bare, plural
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
        every = draft.kind == "person" and self.take(head - 1, "everything")  # mail everyone in
        if self.take(head - 1, "ones") or every:
            self.claimed = frozenset()
            end = self._modifier(head, draft) or head
            self.claimed = claimed
        end = self.modifiers(end, draft)
        self.nested = nested
        return end

    def _whose_clause(self, at: int, draft: Draft) -> bool:
        """Whether a relative clause here can be told to belong to the outer thing: "notes about the lunch that are old"."""
        last = draft.tests[-1].value if draft.tests else None
        if not isinstance(last, Of) or last.fields or draft.place or not last.thing.kind:
            return True
        if last.thing.kind == "person" and self.low(at) == "who" and draft.kind != "person":
            return False  # a mail to everybody who comes
        aux = self.low(at + 1)
        many, within = draft.quantity in {"all", "number"}, plural(last.thing)
        if aux in {"are", "were", "have"} and many and not within:
            return True
        raise Doubt(f"what does {self.words.text(at, at + 2)!r} refer to: {last.thing.kind!r} or {draft.kind!r}?")

    def modifiers(self, at: int, draft: Draft) -> int:
        while True:
            end = self._modifier(at, draft)
            if end is None:
                return at
            at = end

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
        which = at + bool(self.take(at, "relatives"))
        if which > at and self.low(which) in {"comes", "is", "stands"} and self.low(which + 1) in {"first", "last"}:
            if draft.pick is not None or draft.quantity != "one":
                return None
            draft.pick = Pick(order="first" if self.low(which + 1) == "first" else "last", spans=self.spans(at, which + 2))
            return which + 2
        found = self._sent(at)
        if (
            not found
            and part
            and part.entry.name != "is called"
            and (part.entry.shape in {"past", "ing"} or part.entry.name in {"due", "dated"})
        ):
            found = self._complement(part, at, "", False)
        if found is None:
            return self._dated(at, draft.tests) or self._placed_or_bounded(at, draft)
        draft.tests.append(found[0])
        return found[1]

    def _dated(self, at: int, tests: list[Test]) -> int | None:
        when = self.dates.read(at) if self.low(at) not in {"in", "from"} else None
        timely = when is not None and (self.dates.days(at) or when[0].first or (when[0].start and self.low(at) == "at"))
        if when is None or not timely or "when" in self.claimed or (self.low(at) == "at" and "at" in self.claimed):
            return None
        tests.append(self._on(at, when[1]))
        return when[1]

    def _placed_or_bounded(self, at: int, draft: Draft) -> int | None:
        words = self.words.matches(at, "prepositions", "slot_prepositions", "bounds")
        after = self.token(at + 1)
        dated = self.low(at) in {"on", "in"} and "when" not in self.claimed and self.dates.days(at + 1)
        person = self.low(at) == "with" and "with" in self.reserved and after and after.capital and not self.take(at + 1, "field")
        best = self.low(at) == "with" and self._best(at + 1) is not None
        claimed = not (dated or person or best) and any(" ".join(match.entry.words) in self.claimed for match in words)
        if claimed or self.low(at) in {"until", "till", *self.pending}:
            return None
        if found := self._bounded(at, ""):
            draft.tests.append(found[0])
            return found[1]
        return self._prepositional(at, draft)

    def _prepositional(self, at: int, draft: Draft) -> int | None:
        """from Ann | in the trash | about the lunch | with the subject X | of March"""
        found = self.take(at, "prepositions")
        if found is None:
            return None
        end = found.end
        relation: Any = found.entry.data["value"]
        relation = "about" if relation == "to" and draft.kind == "invitation" else relation
        if self.low(at) in {"on", "at"} and "when" in self.claimed and not draft.kind and self.dates.read(end):
            return None  # lunch with Ann on Friday
        if self.nested and relation == "from":
            return None
        if relation in {"in", "is", "for", "from"} and (dated := self._on_day(at, end, draft.quantity == "any")):
            draft.tests.append(dated[0])
            return dated[1]
        if relation in {"with", "without"} and (held := self._held(at, end, relation, draft)):
            return held
        self.loose, loose = self.loose or relation == "about", self.loose  # about the delivery
        value = self.simple(end, inner=True) if relation == "in" else self.thing(end, inner=True)
        self.loose = loose
        if value is None:
            return None
        thing, stop = value
        filed = relation == "from" and (draft.kind in FILED or (draft.name is not None and FILE.fullmatch(draft.name.text)))
        if relation == "in" or filed or (relation in {"is", "from"} and thing.kind in self.words.lexicon.data["places"]):
            taken, draft.place = draft.place, draft.place or thing
            return stop if taken is None else None
        if relation == "for" and not (draft.kind in {"row", "line", "entry"} and bare(thing)):
            return None
        relation = "has" if relation == "for" else relation
        negated = relation == "without"
        draft.tests.append(
            Test(
                relation="has" if negated else relation,
                value=self.valued_thing(thing),
                negated=negated,
                spans=self.spans(at, stop),
            )
        )
        if relation in {"from", "by", "with", "to"}:
            self.named(self.valued_thing(thing))
        return stop

    def _on_day(self, at: int, end: int, new: bool) -> Read[Test] | None:
        """in March | of this week | from last month | a claim of 48.20"""
        if self.low(at) == "of" and new and (amount := self.amount(end)):
            return Test(value=amount[0], spans=self.spans(at, amount[1])), amount[1]
        start = at if self.low(at) == "in" and self.dates.days(at) and not self.dates.days(end) else end
        when = self.dates.read(at if self.low(at) == "in" and self.dates.days(at) else end)
        if when is None or when[0].minutes or not (when[0].first or when[0].start or not self.today):
            return None
        return self._on(start, when[1]), when[1]

    def _held(self, at: int, end: int, relation: str, draft: Draft) -> int | None:
        """without a title | with the highest total | with the subject X"""
        if relation == "with" and draft.pick is None and (best := self._best(end)):
            draft.pick = best[0]
            return best[1]
        test = self._with_field(end) if relation == "with" else self._without_field(at, end)
        if test is None:
            return None
        names = test[0].field in {"title", "name"} and draft.quantity == "any" and not draft.name
        if names and isinstance(test[0].value, Text):
            draft.name = test[0].value
        else:
            draft.tests.append(test[0])
        return test[1]

    def _best(self, at: int) -> Read[Pick] | None:
        """the highest total"""
        best = self.take(at + (self.low(at) == "the"), "superlatives")
        field = self.take(best.end, "field") if best else None
        if best is None or field is None or not best.entry.data["by"]:
            return None
        return Pick(by=field.entry.name, order=best.entry.data["order"], spans=self.spans(at, field.end)), field.end

    def _without_field(self, at: int, end: int) -> Read[Test] | None:
        """without a title"""
        article = self.take(end, "articles", "all")
        field = self.take(article.end if article else end, "field")
        if field is None or self._open(field.end):
            return None
        name = self.text(article.end if article else end, field.end)
        return Test(relation="has", value=name, negated=True, spans=self.spans(at, field.end)), field.end

    def _with_field(self, at: int) -> Read[Test] | None:
        """with the subject X | with a total over 100 | with the number INV-1"""
        start = at
        if article := self.take(at, "articles"):
            at = article.end
        field = self.take(at, "field")
        if field is None:
            return None
        return self._field_value(start, field)

    def _field_value(self, first: int, field: Match) -> Read[Test] | None:
        """over 100 | [of] 100 | [of] X, of a field that was said"""
        if found := self._bounded(field.end, field.entry.name):
            return found
        end = field.end + (self.low(field.end) == "of")
        value = self.amount(end) or self.name(end)
        return (Test(field=field.entry.name, value=value[0], spans=self.spans(first, value[1])), value[1]) if value else None

    def _sent(self, at: int) -> Read[Test] | None:
        """[that] Ann sent me | [that] Ann invited me to"""
        start = at + (self.low(at) in {"that", "which"})
        end = self._name_end(start)
        sent = self.take(end, "sent_me", "invited_me") if end > start else None
        if sent is None or not (self.words.list[start].capital or sent.entry.words[-1] in {"me", "us"}):
            return None
        name = self.text(start, end)
        self.named(name)
        return Test(relation="from", value=name, spans=self.spans(at, sent.end)), sent.end

    def _relative(self, at: int) -> Read[list[Test]] | None:
        """who|that|which PREDICATE {and PREDICATE} | whose FIELD PREDICATE"""
        start = at
        if self.low(at) == "," and (self.take(at + 1, "relatives") or self.take(at + 1, "whose")):
            at += 1
        field = ""
        if whose := self.take(at, "whose"):
            named = self.take(whose.end, "field")
            if named is None:
                return None
            field, at = named.entry.name, named.end
        elif rel := self.take(at, "relatives"):
            at = rel.end
        else:
            return None
        found = self.predicates(at, field)
        if found is None:
            return None
        tests = [test.model_copy(update={"spans": self.spans(start, found[1])}) for test in found[0]]
        return tests, found[1]

    def predicates(self, at: int, field: str = "") -> Read[list[Test]] | None:
        found = self.predicate(at, field)
        return self._and_more([found[0]], found[1], field) if found is not None else None

    def _and_more(self, tests: list[Test], end: int, field: str) -> Read[list[Test]]:
        """... {and PREDICATE}"""
        while True:
            joined = self.low(end) in {"and", "but"} or (self.low(end) == "," and self.low(end + 1) in {"and", "but"})
            if self.low(end) == "or" and self.predicate(end + 1, field):
                raise Doubt(f"either of {self.words.text(end - 1, end + 2)!r}, or both?")
            start = end + 1 + (self.low(end) == ",")
            whose = self.take(start, "whose")
            named = self.take(whose.end, "field") if whose and joined else None
            start = named.end if named else start + bool(self.take(start, "relatives"))
            more = (
                self.predicate(start, named.entry.name if named else field, bare=not field)
                if joined and not self.clause(start)
                else None
            )
            if more is None:
                return tests, end
            tests, end = [*tests, more[0]], more[1]

    def predicate(self, at: int, field: str = "", bare: bool = False) -> Read[Test] | None:
        """is [not] STATE | is [not] PARTICIPLE ... | is [not] about X | has [no] FIELD ... | does [not] VERB ... | VERB ..."""
        aux = self.take(at, "auxiliaries")
        if aux is None:
            negated = self.low(at) == "not"
            if bare and (state := self.take(at + negated, "states")):
                return self._state(state, at + negated, negated), state.end
            if bare and (bounded := self._bounded(at, field)):
                return bounded
            verb = self.take(at, "predicates")
            return self._complement(verb, at, field, False) if verb else None
        start, at = at, aux.end
        negated = self.low(at) == "not"
        at += negated
        if aux.entry.name == "have" and self.low(at) != "been":
            return self._having(at, field, negated)
        if aux.entry.name == "have":
            at += 1
        if aux.entry.name in {"do", "modal"}:
            verb = self.take(at, "predicates")
            return self._complement(verb, at, field, negated) if verb else None
        found = self._being(at, field, negated)
        return (found[0].model_copy(update={"spans": self.spans(start, found[1])}), found[1]) if found else None

    def _having(self, at: int, field: str, negated: bool) -> Read[Test] | None:
        start = at
        if none := self.take(at, "no"):
            if none.entry.name != "no" or negated:
                return None
            negated, at = True, none.end
        if (bound := self._bounded(at, "")) and isinstance(bound[0].value, Amount):  # at least four stars
            unit = self.words.lexicon.data["unit_fields"].get(bound[0].value.unit)
            return (bound[0].model_copy(update={"field": unit, "negated": negated}), bound[1]) if unit and not field else None
        if article := self.take(at, "articles"):
            at = article.end
        named = self.take(at, "field")
        if named is None or field:
            thing = self.simple(at)
            if thing is None or field or thing[0].quantity not in {"one", "any"}:
                return None
            return Test(
                relation="has", value=Of(thing=thing[0], spans=thing[0].spans), negated=negated, spans=self.spans(start, thing[1])
            ), thing[1]
        end = named.end
        if not negated and (found := self._field_value(start, named)):
            return found
        words = self.text(at, named.end)
        return Test(relation="has", value=words, negated=negated, spans=self.spans(start, end)), end

    def _being(self, at: int, field: str, negated: bool) -> Read[Test] | None:
        part = self.take(at, "predicates")
        if part is not None and (found := self._complement(part, at, field, negated)) is not None:
            return found
        if self.low(at) in {"on", "off"} and not field and (self.over(at + 1) or self.low(at + 1) in {",", "and"}):
            return Test(value=self.text(at, at + 1), negated=negated, spans=self.spans(at, at + 1)), at + 1
        if (state := self.take(at, "states")) is not None and not field:
            return self._state(state, at, negated), state.end
        if found := self._bounded(at, field):
            return found[0].model_copy(update={"negated": negated}), found[1]
        if self.dates.days(at) and (when := self.dates.read(at)):
            return self._on(at, when[1], field, negated), when[1]
        draft = Draft()
        end = self._prepositional(at, draft)
        if end is not None:
            here = [Test(relation="in", value=self.valued_thing(draft.place), spans=self.spans(at, end))] if draft.place else []
            test = (here or draft.tests)[0]
            return test.model_copy(update={"field": field, "negated": negated != test.negated}), end
        value = self.amount(at) or (self.name(at) if not self.take(at, "noun") else None)
        if value is None:
            return None
        return Test(field=field, value=value[0], negated=negated, spans=self.spans(at, value[1])), value[1]

    def _complement(self, verb: Match, at: int, field: str, negated: bool) -> Read[Test] | None:
        """What follows a predicate: a date, a bound, a name, an amount."""
        about = verb.entry.data
        field, relation = field or about.get("field", ""), about.get("relation", "is")
        end = verb.end
        if bound := self._bounded(end, field):
            return bound[0].model_copy(update={"negated": negated, "spans": self.spans(at, bound[1])}), bound[1]
        skip = end + (self.low(end) in {"on", "at", "in"} and not self.dates.days(end))
        if self.dates.days(skip) and (when := self.dates.read(skip)):
            return self._on(skip, when[1], field, negated), when[1]
        if field and relation == "is" and field not in {"company", "name", "price"}:
            return None
        value = self.amount(end) or self.marked(end) or self.valued(end, inner=True)
        if value is None:
            return None
        if relation == "has" and isinstance(value[0], Of) and self._is_literal(value[0]):
            article = self.take(end, "articles")
            value = self.text(article.end if article else end, value[1]), value[1]
        if relation in {"from", "to"}:
            self.named(value[0])
        return Test(field=field, relation=relation, value=value[0], negated=negated, spans=self.spans(at, value[1])), value[1]

    def _is_literal(self, value: Of) -> bool:
        """Whether it is only words that something mentions: "the shared folder", but not the invoice INV-1."""
        thing, name = value.thing, value.thing.name
        return not (value.fields or thing.back) and (name is None or (name.text.islower() and thing.kind in name.text))

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
        return (Text(text=self.words.text(at, state.end), spans=self.spans(at, state.end)), state.end) if state else None

    def _bounded(self, at: int, field: str) -> Read[Test] | None:
        """over 100 | before March | at least 3 | between 3 and 5 euros"""
        bound = self.take(at, "bounds")
        if bound is None:
            return None
        if bound.entry.name == "between":
            if self.dates.days(at) and (when := self.dates.read(at)):
                return self._on(at, when[1], field), when[1]
            return None
        if self.dates.days(bound.end) and (when := self.dates.read(bound.end)):
            value: Value = when[0].model_copy(update={"spans": self.spans(bound.end, when[1])})
            end = when[1]
        elif bound.entry.words[0] in {"older", "newer"} and (back := self.dates.before(bound.end)):
            day, end = str(back[0]), back[1]
            value = When(text=self.words.text(bound.end, end), first=day, last=day, spans=self.spans(bound.end, end))
        elif bound.entry.name in {"since", "until"}:
            return None
        elif amount := self.amount(bound.end):
            value, end = amount
        else:
            return None
        return Test(field=field, relation=bound.entry.data["relation"], value=value, spans=self.spans(at, end)), end
