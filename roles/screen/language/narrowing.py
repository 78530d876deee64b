"""What narrows a thing down.

modifier = preposition thing | bound value | date | participle ... | relative predicate { "and" predicate } | "called" name
predicate = "is" ["not"] (state | participle ... | bound value | date | preposition thing | value)
          | "has" ["no"] field [value] | ["does" "not"] verb (value | date)
"""

from typing import Any

from roles.contracts.orders import Amount, Of, Pick, Test, Text, Value, When
from roles.screen.language.names import Draft, Read, bare, plural
from roles.screen.language.nouns import Nouns
from roles.screen.language.words import Doubt, Match
from roles.screen.values import is_a

FILED = frozenset({"file", "folder"})
_SIGNS = str.maketrans("", "", "€$£,")
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
            self.claimed = claimed & {"from"} if every else frozenset()  # but take everyone from the group
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
        called = part is not None and part.entry.name == "is called"
        if part and called and draft.name is None and (name := self.title(part.end)) is not None:
            draft.name = name[0]
            return name[1]
        if not self.nested and (rel := self._relative(at)) is not None and self._whose_clause(at, draft):
            draft.tests += rel[0]
            return rel[1]
        if got := self.take(at, "got"):
            return got.end
        if by := self.see(at, ",? <according>"):  # going by the Expenses sheet
            place = self.simple(by.end, inner=True) if draft.place is None else None
            draft.place = place[0] if place else draft.place
            return place[1] if place else None
        if self.see(at, "<relatives> comes|is|stands first|last"):
            if draft.pick is not None or draft.quantity != "one":
                return None
            draft.pick = Pick(order="first" if self.low(at + 2) == "first" else "last", spans=self.spans(at, at + 3))
            return at + 3
        found = self._sent(at)
        if not found and part and not called and (part.entry.shape in {"past", "ing"} or part.entry.name in {"due", "dated"}):
            found = self._complement(part, at, "", False)
        if found is None:
            return self._dated(at, draft.tests) or self._placed_or_bounded(at, draft)
        draft.tests.append(found[0])
        return found[1]

    def _whose_clause(self, at: int, draft: Draft) -> bool:
        """Whether a relative clause here can be told to belong to the outer thing: "notes about the lunch that are old"."""
        last = draft.tests[-1].value if draft.tests else None
        if not isinstance(last, Of) or last.fields or draft.place or not last.thing.kind:
            return True
        if last.thing.kind == "person" and self.low(at) == "who" and draft.kind != "person":
            return False  # a mail to everybody who comes
        if self.low(at + 1) in {"are", "were", "have"} and draft.quantity in {"all", "number"} and not plural(last.thing):
            return True
        raise Doubt(f"what does {self.words.text(at, at + 2)!r} refer to: {last.thing.kind!r} or {draft.kind!r}?")

    def _dated(self, at: int, tests: list[Test]) -> int | None:
        when = self.dates.read(at) if self.low(at) not in {"in", "from"} and "when" not in self.claimed else None
        if when is None or (self.low(at) == "at" and "at" in self.claimed):
            return None
        if not (self.dates.days(at) or when[0].first or (when[0].start and self.low(at) == "at")):
            return None
        tests.append(self._on(at, when[1]))
        return when[1]

    def _placed_or_bounded(self, at: int, draft: Draft) -> int | None:
        words = self.words.matches(at, "prepositions", "slot_prepositions", "bounds")
        dated = self.low(at) in {"on", "in"} and "when" not in self.claimed and self.dates.days(at + 1)
        with_ = self.low(at) == "with"
        person = with_ and "with" in self.reserved and self.words.capital(at + 1) and not self.take(at + 1, "field")
        person = person and not self.see(self._name_end(at + 1), "as|in <articles>? <field>")  # with Ann as the author
        own = dated or person or (with_ and self._best(at + 1) is not None)
        claimed = not own and any(" ".join(match.entry.words) in self.claimed for match in words)
        until = self.low(at) in {"until", "till"} or (self.low(at) == "by" and self.dates.days(at + 1))  # by when to do it
        if claimed or until or self.low(at) in self.pending:
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
        end, relation, places = found.end, found.entry.data["value"], self.words.lexicon.data["places"]
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
        filed = relation == "from" and (draft.kind in FILED or (draft.name is not None and is_a("file", draft.name.text)))
        if relation == "in" or filed or (relation in {"is", "from"} and thing.kind in places):
            taken, draft.place = draft.place, draft.place or thing
            return stop if taken is None else None
        if relation == "for" and not (draft.kind in {"row", "line", "entry"} and bare(thing)):
            return None
        value_, has = self.valued_thing(thing), relation in {"for", "without"}
        test = self._test("has" if has else relation, value_, at, stop, negated=relation == "without")
        draft.tests.append(test)
        if relation in {"from", "by", "with", "to"}:
            self.named(value_)
        return stop

    def _test(self, relation: Any, value: Value, at: int, end: int, field: str = "", negated: bool = False) -> Test:
        return Test(field=field, relation=relation, value=value, negated=negated, spans=self.spans(at, end))

    def _on_day(self, at: int, end: int, new: bool) -> Read[Test] | None:
        """in March | of this week | from last month | a claim of 48.20"""
        if self.low(at) == "of" and new and (amount := self.amount(end)):
            return self._test("is", amount[0], at, amount[1]), amount[1]
        inside = self.low(at) == "in" and self.dates.days(at)
        when = self.dates.read(at if inside else end)
        if when is None or when[0].minutes or not (when[0].first or when[0].start or not self.today):
            return None
        return self._on(at if inside and not self.dates.days(end) else end, when[1]), when[1]

    def _held(self, at: int, end: int, relation: str, draft: Draft) -> int | None:
        """without a title | with the highest total | with the subject X"""
        if relation == "with" and draft.pick is None and (best := self._best(end)):
            draft.pick = best[0]
            return best[1]
        if relation == "with":  # with the number INV-1, with a total over 100
            found = self.seen_field(end)
            test = self._field_value(end, found["field"]) if found else None
        else:
            test = self._without_field(at, end)
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
        found = self.see(at, "the? <superlatives> <field>")
        if found is None or not (best := found["superlatives"].entry.data)["by"]:
            return None
        return Pick(by=found["field"].entry.name, order=best["order"], spans=self.spans(at, found.end)), found.end

    def _without_field(self, at: int, end: int) -> Read[Test] | None:
        """without a title"""
        start = article.end if (article := self.take(end, "articles", "all")) else end
        field = self.take(start, "field")
        if field is None or self._open(field.end):
            return None
        return self._test("has", self.text(start, field.end), at, field.end, negated=True), field.end

    def _field_value(self, first: int, field: Match) -> Read[Test] | None:
        """over 100 | [of] 100 | [of] X, of a field that was said"""
        if found := self._bounded(field.end, field.entry.name):
            return found
        end = self.skip(field.end, "of")
        value = self.amount(end) or self.name(end)
        return (self._test("is", value[0], first, value[1], field.entry.name), value[1]) if value else None

    def _sent(self, at: int) -> Read[Test] | None:
        """[that] Ann sent me | [that] Ann invited me to"""
        start = self.skip(at, "that|which")
        end = self._name_end(start)
        sent = self.take(end, "sent_me", "invited_me") if end > start else None
        if sent is None or not (self.words.capital(start) or sent.entry.words[-1] in {"me", "us"}):
            return None
        name = self.text(start, end)
        self.named(name)
        return self._test("from", name, at, sent.end), sent.end

    # What a clause says

    def _relative(self, at: int) -> Read[list[Test]] | None:
        """[","] who|that|which PREDICATE {and PREDICATE} | whose FIELD PREDICATE"""
        owned, rel = self.see(at, ",? <whose> <field>"), self.see(at, ",? <relatives>")
        start = owned or rel
        found = self.predicates(start.end, owned["field"].entry.name if owned else "") if start else None
        if found is None:
            return None
        return [test.model_copy(update={"spans": self.spans(at, found[1])}) for test in found[0]], found[1]

    def predicates(self, at: int, field: str = "") -> Read[list[Test]] | None:
        """PREDICATE {and|but [whose FIELD|who] PREDICATE}"""
        found = self.predicate(at, field)
        if found is None:
            return None
        tests, end = [found[0]], found[1]
        while True:
            if self.low(end) == "or" and self.predicate(end + 1, field):
                raise Doubt(f"either of {self.words.text(end - 1, end + 2)!r}, or both?")
            joined = self.see(end, ",? and|but")
            owned = self.see(joined.end, "<whose> <field>") if joined else None
            start = owned.end if owned else self.skip(joined.end, "<relatives>") if joined else end
            own = owned["field"].entry.name if owned else field
            more = self.predicate(start, own, bare=not field) if joined and not self.clause(start) else None
            if more is None:
                return tests, end
            tests, end = [*tests, more[0]], more[1]

    def predicate(self, at: int, field: str = "", bare: bool = False) -> Read[Test] | None:
        """is [not] STATE | is [not] PARTICIPLE ... | is [not] about X | has [no] FIELD ... | does [not] VERB ... | VERB ..."""
        aux, start = self.take(at, "auxiliaries"), at
        if aux is None:
            negated = self.low(at) == "not"
            if bare and (state := self.take(at + negated, "states")):
                return self._state(state, at + negated, negated), state.end
            if bare and (bounded := self._bounded(at, field)):
                return bounded
            verb = self.take(at, "predicates")
            return self._complement(verb, at, field, False) if verb else None
        negated = self.low(aux.end) == "not"
        at = aux.end + negated
        if aux.entry.name == "have" and self.low(at) != "been":
            return self._having(at, field, negated)
        at += aux.entry.name == "have"
        if aux.entry.name in {"do", "modal"}:
            verb = self.take(at, "predicates")
            return self._complement(verb, at, field, negated) if verb else None
        found = self._being(at, field, negated)
        return (found[0].model_copy(update={"spans": self.spans(start, found[1])}), found[1]) if found else None

    def _having(self, start: int, field: str, negated: bool) -> Read[Test] | None:
        """no FIELD | a FIELD [over 100] | at least four stars | a THING"""
        none = self.take(start, "no")
        if field or (none and (none.entry.name != "no" or negated)):
            return None
        at = none.end if none else start
        if (bound := self._bounded(at, "")) and isinstance(bound[0].value, Amount):  # at least four stars
            unit = self.words.lexicon.data["unit_fields"].get(bound[0].value.unit)
            change = {"field": unit, "negated": negated or none is not None}
            return (bound[0].model_copy(update=change), bound[1]) if unit else None
        at, negated = self.skip(at, "<articles>"), negated or none is not None
        if (named := self.take(at, "field")) is None:
            thing = self.simple(at)
            if thing is None or thing[0].quantity not in {"one", "any"} or thing[0].pick is not None:
                return None
            return self._test("has", Of(thing=thing[0], spans=thing[0].spans), start, thing[1], negated=negated), thing[1]
        if not negated and (found := self._field_value(start, named)):
            return found
        return self._test("has", self.text(at, named.end), start, named.end, negated=negated), named.end

    def _being(self, at: int, field: str, negated: bool) -> Read[Test] | None:
        part = self.take(at, "predicates")
        if part is not None and (found := self._complement(part, at, field, negated)) is not None:
            return found
        if self.low(at) in {"on", "off"} and not field and (self.over(at + 1) or self.low(at + 1) in {",", "and"}):
            return self._test("is", self.text(at, at + 1), at, at + 1, negated=negated), at + 1
        if (state := self.take(at, "states")) is not None and not field:
            return self._state(state, at, negated), state.end
        if bounded := self._bounded(at, field):
            return bounded[0].model_copy(update={"negated": negated}), bounded[1]
        if self.dates.days(at) and (when := self.dates.read(at)):
            return self._on(at, when[1], field, negated), when[1]
        draft = Draft()
        end = self._prepositional(at, draft)
        if end is not None:
            test = self._test("in", self.valued_thing(draft.place), at, end) if draft.place else draft.tests[0]
            return test.model_copy(update={"field": field, "negated": negated != test.negated}), end
        value = self.amount(at) or (self.name(at) if not self.take(at, "noun") else None)
        return (self._test("is", value[0], at, value[1], field, negated), value[1]) if value else None

    def _complement(self, verb: Match, at: int, field: str, negated: bool) -> Read[Test] | None:
        """What follows a predicate: a date, a bound, a name, an amount."""
        field, relation = field or verb.entry.data.get("field", ""), verb.entry.data.get("relation", "is")
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
        if relation == "has" and isinstance(value[0], Of) and not (value[0].fields or value[0].thing.back):
            thing, name = value[0].thing, value[0].thing.name
            if name is None or (name.text.islower() and thing.kind in name.text):  # the shared folder, but not the invoice INV-1
                value = self.text(self.skip(end, "<articles>"), value[1]), value[1]
        if relation in {"from", "to"}:
            self.named(value[0])
        return self._test(relation, value[0], at, value[1], field, negated), value[1]

    def amount(self, at: int) -> Read[Amount] | None:
        token, word = self.token(at), self.take(at, "numbers")
        if token is None or not (token.kind == "number" or word):
            return None
        number = float(word.entry.data["value"]) if word else float(token.text.translate(_SIGNS))
        unit, sign = self.take(at + 1, "units"), token.text[0] if token.text[0] in "€$£" else ""
        end = unit.end if unit else at + 1
        said = self.words.text(at + 1, end) if unit else sign
        return Amount(number=number, text=self.words.text(at, end), unit=said, spans=self.spans(at, end)), end

    def marked(self, at: int) -> Read[Text] | None:
        state = self.take(at, "states")
        return (self.text(at, state.end), state.end) if state else None

    def _bounded(self, at: int, field: str) -> Read[Test] | None:
        """over 100 | before March | at least 3 | older than two weeks | between Monday and Friday"""
        bound = self.take(at, "bounds")
        if bound is None:
            return None
        start = at if bound.entry.name == "between" else bound.end
        when = self.dates.read(start) if self.dates.days(start) else None
        if bound.entry.name == "between":
            return (self._on(at, when[1], field), when[1]) if when else None
        ago = self.dates.before(start) if bound.entry.words[0] in {"older", "newer"} else None
        value: Value
        if when:
            value, end = when[0].model_copy(update={"spans": self.spans(start, when[1])}), when[1]
        elif ago:
            day, end = str(ago[0]), ago[1]
            value = When(text=self.words.text(start, end), first=day, last=day, spans=self.spans(start, end))
        elif bound.entry.name not in {"since", "until"} and (amount := self.amount(start)):
            value, end = amount
        else:
            return None
        return self._test(bound.entry.data["relation"], value, at, end, field), end
