"""Things in a goal's words: which are meant, by their kind, their name and their number.

thing = simple { "," simple } [ [","] "and" simple ]
simple = [all] [article] [pick] [number] { state } [owner "'s"] head { modifier } [ exception ] | pronoun
head = noun [name] | name noun | name | quotation | "one(s)"
"""

from abc import abstractmethod
from collections.abc import Sequence

from environments.cards import singular
from roles.contracts.orders import Of, Pick, Test, Text, Thing, Value, When
from roles.screen.language.names import NOWHERE, Draft, Names, Read, bare, plural
from roles.screen.language.words import Doubt, Match
from roles.screen.texts import is_words

_IN_TIME = {
    ("", "first"): "is the first {} the oldest, or the next one?",
    ("date", "most"): "is the last {} behind all others, or before now?",
}
"""What is asked of things in time of which the goal says no day; of a calendar only some weeks are looked through."""


class Nouns(Names):
    """Reads things at a place of a goal; whatever a method passes over, its result holds. What narrows a thing down speaks of
    things itself: whoever reads that too is a reader of both."""

    def thing(self, at: int, inner: bool = False, begun: Read[Thing] | None = None) -> Read[Thing] | None:
        """One thing or a list of them, of which the first may be read already."""
        found = begun or self.simple(at, inner)
        if found is None:
            return None
        first, end = found
        listed = [first, *first.also]  # the mails from Ann and Bob, and the note A
        while (sep := self._separator(end)) and not self.clause(sep) and (more := self._next(sep, at, listed, end, inner)):
            closing = self.low(sep - 1) == "and"
            listed, end = [*listed, more[0].model_copy(update={"also": ()}), *more[0].also], more[1]
            if closing:
                return first.model_copy(update={"also": tuple(listed[1:]), "spans": self.spans(at, end)}), end
        if self.take(end, "or") and self.simple(end + 1):
            raise Doubt(f"which is meant of {self.words.text(at, self.simple(end + 1)[1])!r}?")  # type: ignore[index]
        return found

    def _next(self, sep: int, at: int, before: Sequence[Thing], end: int, inner: bool) -> Read[Thing] | None:
        """The next of a list that begins at `at` and was read to `end`; None where what follows is not of it."""
        first, last = before[0], before[-1]
        within = last.place is not None and self.low(sep) == "in"
        again = self.low(sep) == self.low(at - 1) and self.take(sep, "prepositions", "slot_prepositions")
        sep += bool(again or within)  # to A and to B, the lights in A and in B
        place = self.skip(sep, "the|my|our|your same?")
        field, noun = self.take(place, "field"), self.take(place, "noun")
        more = None if field and (noun is None or field.end > noun.end) else self.simple(sep, inner)
        listed = first.name is not None and (bool(first.kind) or self._titled(at, anywhere=True))
        if listed and first.name and self._titled(sep) and self.words.list[end - 1].end == last.spans[-1][1]:
            stop = self._name_end(sep)  # the notes Travel plan and Printer order
            more = Thing(name=self.text(sep, stop), spans=self.spans(sep, stop)), stop
        alike = last.place is not None and (word_alone(last.place) or place > sep)
        if more is None or self.low(sep) == "one" or (unknown(more[0]) and not (unknown(first) or alike)):
            return None
        thing, of_names = more[0], self.words.lexicon.data["procedures"]["kinds"]["name quote"]
        told = bool(thing.tests) or plural(thing) or (thing.name is not None and thing.name.text != thing.kind)
        own = self.kind(sep) in {"id", "file"} or (told and thing.kind not in {"", *of_names})
        if inner and bare(first) and self.low(at - 1) != "about" and own:
            return None  # the mails from Ann, and the files of the office
        if within or (alike and (word_alone(more[0]) or (place > sep and bare(more[0])))):  # the lights in the hall and the attic
            return last.model_copy(update={"place": more[0]}), more[1]
        if bare(more[0]) and last.name and last.kind:
            return more[0].model_copy(update={"kind": last.kind}), more[1]
        return more

    def clause(self, at: int) -> bool:
        """Whether an order or another sentence begins here, after a comma or "and"."""
        if self.take(at, "requests", "wishes", "negations", "if_so", "if_not", "conditions"):
            return True
        if at >= len(self.words.list) or not self.words.verbal(at) or self.take(at, "auxiliaries"):
            join = self.take(at, "joins")
            return bool(join and self.low(at) != "first" and join.end > at and self.clause(join.end))
        named = self.kind(at + 1) == "quote" or (self.low(at) == "file" and self.kind(at + 1) in {"file", "id"})
        return not (self.take(at, "noun", "field") and named) and not self._titled(at)

    def _titled(self, at: int, anywhere: bool = False) -> bool:
        """Whether a capital within a list begins a name of words that go on, though a verb or a noun is called so."""
        capital = self.kind(at) == "word" and self.words.capital(at) and (anywhere or self.low(at - 1) in {"and", "&", ","})
        return capital and self._open(at) and self._open(at + 1) and not self.words.capital(at + 1)

    def simple(self, at: int, inner: bool = False) -> Read[Thing] | None:
        """One thing. What follows an `inner` name narrows down what stands before it: "mails from Ann that came today"."""
        if pronoun := self._pronoun(at):
            return pronoun
        if root := self.see(at, "the|my? <roots>"):
            spans = self.spans(at, root.end)
            return Thing(kind="folder", name=Text(text="/", spans=spans), spans=spans), root.end
        draft, kind = Draft(), self.said_kind
        place = self._determiners(at, draft)
        owned = self._owner(place, draft.tests)
        place = self._adjectives(self._numbered(owned, draft), draft) if owned > place else place
        head = self._head(place, draft, determined=place > at)
        if head is None and owned == place > at and self.low(place - 1) == "'s" and kind:  # accept Ann's mail and delete Omar's
            draft.kind, last = kind, self.object or (self.orders[-1].object if self.orders else None)
            draft.quantity = "all" if last is not None and last.quantity == "all" and last.kind == kind else draft.quantity
            head = place
        if inner:
            self.said_kind = kind
        if head is None:
            return None
        end = self._exceptions(self.narrowed(head, draft, inner), draft)
        pick, in_time = draft.pick, draft.kind in self.words.lexicon.data["in_time"]
        asks = _IN_TIME.get((pick.by, pick.order), "") if pick is not None and pick.at == pick.number == 1 else ""
        if asks and in_time and self.words.shown is None and not any(isinstance(test.value, When) for test in draft.tests):
            raise Doubt(asks.format(draft.kind))
        thing = draft.thing(self.spans(at, end))
        told = self._that_was_told(thing) if self.low(at) == "the" else None
        return told or apart(thing), end

    def _that_was_told(self, thing: Thing) -> Thing | None:
        """ "The mail" of somebody who was said to have written; "the meeting" of what was said to take place."""
        if not thing.kind or thing != Thing(kind=thing.kind, name=thing.name, spans=thing.spans):
            return None
        alone = thing.name is None or thing.name.text.casefold() == thing.kind
        if self.letter is not None and alone and thing.kind in self.words.lexicon.data["letters"]:
            return self.letter.model_copy(update={"quantity": "one", "spans": thing.spans})
        sheets = [
            one.object for one in self.orders if one.object is not None and one.object.kind in {"sheet", "worksheet", "list"}
        ]
        if thing.kind in {"row", "line"} and alone and len(sheets) == 1 and sheets[0].name:
            return thing.model_copy(update={"place": sheets[0]})
        named = self.event.name if self.event is not None and alone and thing.kind in self.words.lexicon.data["in_time"] else None
        return thing.model_copy(update={"name": named}) if named is not None else None

    def _determiners(self, at: int, draft: Draft) -> int:
        """Quantity, article, superlative, number, states; in this order. A place behind the goal: it cannot be read."""
        if both := self.take(at, "both"):
            draft.quantity, draft.number = "number", 2
            at = both.end
        elif every := self.see(at, "<all> of?"):
            draft.quantity, at = "all", every.end
            if self.low(at - 1) in {"every", "each", "any", "the"} and self.take(at, "articles", "possessives"):
                return NOWHERE
        if (other := self.see(at, "the|my? <other>")) and self._noun_ahead(other.end) and self.orders:
            draft.quantity, draft.but = "all", self._worked_on()
            return other.end if draft.but else NOWHERE
        number = self._count(at)
        if number and self.low(number[1]) == "of" and self.take(number[1] + 1, "articles", "possessives"):
            raise Doubt(f"which of them: {self.words.text(at, number[1] + 2)!r}?")
        return self._adjectives(self._numbered(self._article(at, draft), draft), draft)

    def _article(self, at: int, draft: Draft) -> int:
        if article := self.take(at, "articles"):
            if article.entry.name == "any" and draft.quantity == "one":
                draft.quantity = "any"
            return article.end + bool(self.see(article.end, "single <superlatives>"))  # the single highest
        if (these := self.see(at, "<demonstratives> whole|entire?")) and self._is_head(these.end):
            draft.back = self.back(at=at)
            if self.low(at) in {"these", "those"}:
                draft.quantity = "all"
            return these.end if draft.back is not None or self._told_of(these.end, draft) else NOWHERE
        whose = self.take(at, "possessives")
        return self._whose(at, whose, draft.tests) if whose else at

    def _told_of(self, at: int, draft: Draft) -> bool:
        """ "that mail": the one that was told of; "that order", of which something else was told, is the one that says so."""
        if self.topic is None or draft.quantity == "all":
            return False
        topic, noun = self.spoken(), self.take(at, "noun")
        if noun is not None and noun.entry.name == topic.kind:
            draft.name, draft.place, draft.tests = topic.name, topic.place, [*topic.tests]
        else:
            draft.tests.append(Test(relation="has", value=self.valued_thing(topic), spans=self.spans(at - 1, at)))
        return True

    def _numbered(self, at: int, draft: Draft) -> int:
        """the two largest | the largest two | the next | both"""
        begun, at = at, self._picked(at, draft)
        if at > begun and (best := self.take(begun, "superlatives")) and best.entry.data.get("coming"):
            if not self.today:
                return NOWHERE
            now = When(text=self.low(begun), first=self.today, last=self.today)
            draft.tests.append(Test(relation="after", value=now, spans=self.spans(begun, at)))
        if draft.pick and draft.quantity == "all" and self.low(begun - 1) in {"every", "each"}:
            raise Doubt(f"which ones: {self.words.text(begun - 1, at)!r}?")
        number = self._count(at)
        if number is None or self.take(number[1], "units", "lengths"):
            return at
        if draft.quantity == "number":
            return NOWHERE
        if number[0] > 1 and draft.quantity == "all" and self.low(at - 1) not in {"all", "the", "my", "these", "those"}:
            raise Doubt(f"which {number[0]}: {self.words.text(at - 1, number[1])!r}?")
        if number[0] > 1:
            draft.quantity, draft.number = "number", number[0]
        elif draft.quantity == "any":
            draft.quantity = "one"
        at = number[1] if draft.pick else self._picked(number[1], draft)
        if draft.pick:
            draft.pick = draft.pick.model_copy(update={"number": number[0]})
        return at

    def _adjectives(self, at: int, draft: Draft) -> int:
        """new | unread | tomorrow's | Thursday"""
        while True:
            day = self.dates.days(at)
            if self.low(at) == "new" and not self.words.is_named(at):
                draft.new, at = True, at + 1
            elif (state := self.take(at, "states")) and self._noun_ahead(state.end):
                draft.tests.append(self._state(state, at))
                at = state.end + (self.low(state.end) in {",", "and"} and bool(self.take(state.end + 1, "states")))
            elif day and self.low(day.end) == "'s":
                draft.tests.append(self._on(at, day.end))
                at = day.end + 1
            elif day and day.end > at and self._noun_ahead(day.end) and self.low(at) not in {"from", "between", "in"}:
                draft.tests.append(self._on(at, day.end))
                at = day.end
            else:
                return at

    def _whose(self, at: int, whose: Match, tests: list[Test]) -> int:
        """its, their, her: of what was spoken of"""
        if whose.entry.data["value"] == "person":
            value: Value | None = self._person(at, at + 1)[0].name
        else:
            value = self.valued_thing(self.spoken()) if self.topic else self.back(at=at)
        if value is None:
            return NOWHERE
        tests.append(Test(value=value, spans=self.spans(at, at + 1)))
        return whose.end

    def _count(self, at: int) -> Read[int] | None:
        """A number of things, which follow."""
        found, digits = self.take(at, "numbers"), self.low(at)
        end = found.end if found else at + 1
        ahead = self._noun_ahead(end) or self.take(end, "superlatives")
        if found and (ahead or self.take(end, "comparatives") or self.low(end) in {"of", "new"}):
            return int(found.entry.data["value"]), end
        return (int(digits), end) if digits.isdigit() and len(digits) < 4 and self.kind(at) == "number" and ahead else None

    def _picked(self, at: int, draft: Draft) -> int:
        nth = self.take(at, "ordinals")
        if nth and nth.entry.name != "first":
            draft.pick = Pick(order="first", at=int(nth.entry.data["value"]), spans=self.spans(at, nth.end))
            return nth.end
        if self.kind(at) == "nth" and self._noun_ahead(at + 1):
            draft.pick = Pick(order="first", at=int(self.low(at)[:-2]), spans=self.spans(at, at + 1))
            return at + 1
        best = self.take(at, "superlatives", "comparatives")
        if best is None or self.low(best.end) == "than":
            return at
        draft.pick = Pick(by=best.entry.data["by"], order=best.entry.data["order"], spans=self.spans(at, best.end))
        return best.end

    def _state(self, state: Match, at: int, negated: bool = False) -> Test:
        denied = state.entry.data.get("not")
        text = Text(text=(denied or state.entry.name).replace("_", " "), spans=self.spans(at, state.end))
        return Test(value=text, negated=negated != bool(denied), spans=self.spans(at, state.end))

    def _on(self, at: int, end: int, field: str = "", negated: bool = False) -> Test:
        when, days = self.dates.read(at), self.dates.days(at)
        first, last = (str(day or "") for day in (days[:2] if days else ("", "")))
        whole = when[0] if when is not None and when[1] == end else When(text=self.words.text(at, end), first=first, last=last)
        value = whole.model_copy(update={"spans": self.spans(at, end)})
        return Test(field=field, relation="on", value=value, negated=negated, spans=self.spans(at, end))

    def _owner(self, at: int, tests: list[Test]) -> int:
        """Viktor's mail, Redwood's invoice: it says so somewhere."""
        end = self._name_end(at)
        ahead = self._noun_ahead(end + 1) or self.take(end + 1, "superlatives") or self._count(end + 1)
        ends = self.over(end + 1) or self.low(end + 1) in {",", "and", *self.claimed} or self.take(end + 1, "belongs", "passives")
        alone = self.said_kind and ends
        if end > at and self.low(end) == "'s" and (ahead or alone):
            tests.append(Test(value=self.text(at, end), spans=self.spans(at, end + 1)))
            self.named(self.text(at, end) if self.words.list[at].capital else None)
            return end + 1
        return at

    def _head(self, at: int, draft: Draft, determined: bool) -> int | None:
        """noun [name] | name noun | name | quotation | ones | the largest [one] of THING"""
        ones = self.take(at, "ones")
        of = ones.end if ones else at
        if draft.pick and self.low(of) == "of":
            return self._picked_of(of + 1, draft)
        if ones is not None:
            return self._ones(at, ones, draft, determined)
        if draft.is_empty and (end := self._anything(at, draft)) is not None:
            return end
        if self.kind(at) == "quote":
            draft.name = self.text(at, at + 1, quoted=True)
            return at + 1
        end = self._name_end(at)
        if end == at:
            draft.kind = self.said_kind
            self._of_those(at, draft)
            return at if draft.pick and self.said_kind else None
        end = self._noun_and_name(at, end, draft, determined)
        if end < 0:
            return None
        if self.kind(end) == "quote" and draft.kind and draft.name is None:
            draft.name, end = self.text(end, end + 1, quoted=True), end + 1
        self.said_kind = draft.kind or self.said_kind
        self._first_and_last(draft)
        return end

    def _of_those(self, end: int, draft: Draft) -> None:
        """The first, behind "find the mails from Ann", is one of those, or of all mails. Raises Doubt."""
        said = [order.object for order in self.orders if order.object is not None and order.object.kind == draft.kind]
        those = next((thing for thing in reversed(said) if thing.pick is None and thing.quantity != "one"), Thing())
        if draft.pick and draft.kind and (those.tests or those.but or those.place):
            raise Doubt(f"which {draft.kind} is meant: one of those that were said, or of all?")

    def _first_and_last(self, draft: Draft) -> None:
        """The last mail is the latest; the last row is the last in its list; the first mail may be either."""
        pick = draft.pick
        if pick is None or pick.by or pick.at > 1 or not draft.kind or draft.kind in self.words.lexicon.in_order:
            return
        if self.words.shown is not None:  # on a page there is only what it shows, from top to bottom
            return
        if pick.order == "first" and draft.kind in self.words.lexicon.data["in_time"]:
            return
        if pick.order == "first":
            raise Doubt(f"is the first {draft.kind} the oldest, or the one on top?")
        draft.pick = pick.model_copy(update={"by": "date", "order": "most"})

    def _picked_of(self, at: int, draft: Draft) -> int | None:
        inner = self.simple(at)
        if inner is None or inner[0].quantity not in {"all", "number"} or inner[0].back or inner[0].pick:
            return None
        thing = inner[0]
        draft.kind, draft.name, draft.tests = thing.kind, thing.name, list(thing.tests)
        draft.place, draft.but, draft.number = thing.place, thing.but, thing.number
        return inner[1]

    def _ones(self, at: int, ones: Match, draft: Draft, determined: bool) -> int | None:
        """the ones, the latest one, one "A": of the kind that was said before"""
        quoted = self.kind(ones.end) == "quote"
        called = self.said_kind and self.take(ones.end, "predicates")  # create one called X
        if not (determined or draft.pick is not None or quoted or (called and called.entry.name == "is called")):
            return None
        draft.kind = self.said_kind
        self._of_those(ones.end, draft)
        self._plural(self.low(at) == "ones", draft)
        if quoted and draft.kind:
            draft.name = self.text(ones.end, ones.end + 1, quoted=True)
        return ones.end + (quoted and bool(draft.kind))

    def _anything(self, at: int, draft: Draft) -> int | None:
        """whatever comes from Ann | everything"""
        if (what := self.take(at, "whatever")) and (test := self.predicate(what.end)):
            kind = "" if what.entry.name in {"everything that", "anything that", "all that"} else self.said_kind
            draft.kind, draft.quantity = kind, "all"
            draft.tests.insert(0, test[0])
            return test[1]
        every = self.take(at, "everything")
        if every is None:
            return None
        draft.quantity, draft.kind = "all", "person" if every.entry.name == "person" else ""
        return every.end

    def _noun_and_name(self, at: int, end: int, draft: Draft, determined: bool) -> int:
        """Kind and name among open words. Gives the place behind the head: what follows a noun and is no name is not of it."""
        capital = self.words.capital
        nouns = [m for place in range(at, end) for m in self.words.matches(place, "noun", "field") if m.end <= end]
        nouns = [m for m in nouns if not (m.end < end and capital(m.end) and capital(m.end - 1))]
        nouns = [m for m in nouns if determined or m.start > at or not (at and capital(at))]
        first = next((m for m in nouns if m.start == at), None)
        if first is not None and first.end < end and self._nameish(first.end):
            return self._name_after(first, end, draft)
        last_word = end - (self.kind(end - 1) == "number")  # the client visit 88
        compound = first is not None and (first.entry.group, first.entry.shape, first.end) == ("noun", "one", last_word - 1)
        last = next((m for m in reversed(nouns) if m.end == end), None) or (
            nouns[-1] if nouns and not (compound and determined) else None  # the client visit
        )
        if last is not None:
            longest = max((m for m in nouns if m.end == last.end), key=lambda m: len(m.entry.words))
            start, end = longest.start, longest.end + (self.kind(longest.end) == "number" and longest.end < end)
            draft.kind = longest.entry.name
            column = self.words.shown is not None and self.low(at - 1) != "my"  # it may name the rows of its table
            loose = self.loose or column or self.take(start, "noun")
            if longest.entry.group == "field" and not loose and start == at:
                return -1
            self._plural(longest.entry.shape == "many", draft)
            if start > at:
                draft.name = self.text(at, start if any(map(capital, range(at, start))) else end)
            return end
        named = next((n for n in range(at, end) if self._nameish(n)), end)
        follows = named < end or self.kind(end) == "quote"
        if determined and at < named and follows and all(map(self._nameish, range(named, end))):
            draft.kind = singular(self.low(named - 1))
            if named < end:
                draft.name = self.text(named, end)
            return end
        word = self.words.list[end - 1]
        lower = word.kind == "word" and not word.capital and determined
        if lower:
            draft.kind = singular(word.lower)
            self._plural(draft.kind != word.lower, draft)
        if not lower or end - at > 1 or draft.quantity == "one":
            draft.name = self.text(at, end)
        return end

    def _name_after(self, noun: Match, end: int, draft: Draft) -> int:
        """invoice INV-1, file plan.txt, note Old Plans"""
        stop = noun.end
        titled = self.words.capital(stop) and self.kind(stop) == "word"  # the note Travel plan
        while stop < end and (self._nameish(stop) or self.low(stop) in {"&", "-"} or (titled and stop > noun.end)):
            stop += 1
            if self.kind(stop - 1) in {"file", "url", "email"}:
                break
        draft.kind = noun.entry.name
        sent = self.take(stop, "sent_me", "invited_me")
        if sent and len(sent.entry.words) > 1:  # the mails Ann sent me
            self._plural(noun.entry.shape == "many", draft)
            return noun.end
        draft.name = self.text(noun.end, stop)
        return stop

    def _plural(self, many: bool, draft: Draft) -> None:
        """ "my notes", "the mails from Ann": all of them; "all note" is not said, "every note" is."""
        if many and draft.quantity in {"one", "any"}:
            draft.quantity = "number" if (pick := draft.pick) and pick.number > 1 else "all"

    def _exceptions(self, at: int, draft: Draft) -> int:
        """[,] except [for] THING | all but THING"""
        if draft.place is not None and draft.quantity == "all":  # everyone in my contacts but Ann
            draft.but, draft.place = draft.place.but or draft.but, draft.place.model_copy(update={"but": ()})
        start = at + (self.low(at) == ",")
        found = self.take(start, "exceptions")
        after = found.end if found else start + 1
        if draft.quantity != "all" or not (found or self.low(start) == "but") or self.clause(after):
            return at
        but = self.excepted(after, draft.kind)
        if but is None:
            return at
        draft.but = but[0]
        return but[1]

    def excepted(self, at: int, kind: str) -> Read[tuple[Thing, ...]] | None:
        """What is excepted of things of a kind: THING | [those] in THING"""
        said, self.said_kind = self.said_kind, kind
        draft = Draft(kind=kind, quantity="all")
        start = at + (self.low(at) in {"those", "that"} and bool(self.take(at + 1, "prepositions", "relatives")))
        end = self.modifiers(start, draft) if start > at or self.take(at, "prepositions") else at
        begun = (apart(draft.thing(self.spans(at, end))), end) if end > start else None
        thing = self.thing(at, begun=begun) if begun or end == at else None
        self.said_kind = said
        if thing is None or (thing[0].quantity == "number" and not (thing[0].pick or thing[0].tests or thing[0].name)):
            return None
        several = [one.model_copy(update={"also": ()}) for one in (thing[0], *thing[0].also)]
        if any(one.but or one.kind not in {"", kind, several[0].kind} for one in several):
            raise Doubt(f"is all of that excepted: {self.words.text(at, thing[1])!r}?")
        return tuple(several), thing[1]

    def valued_thing(self, thing: Thing) -> Value:
        same = thing.model_copy(update={"kind": ""} if thing.kind == "person" else {})
        if thing.back is not None and same == Thing(back=thing.back, quantity=thing.quantity, spans=thing.spans):
            return thing.back.model_copy(update={"spans": thing.spans})
        return (thing.name if bare(thing) else None) or Of(thing=thing, spans=thing.spans)

    def valued(self, at: int, inner: bool = False) -> Read[Value] | None:
        """A thing as a value: its name alone, where there is no more."""
        found = self.thing(at, inner)
        if found is None:
            return None
        return self.valued_thing(found[0]), found[1]

    @abstractmethod
    def narrowed(self, head: int, draft: Draft, inner: bool) -> int:
        """What follows the head and is of it; the place behind."""

    @abstractmethod
    def predicate(self, at: int, field: str = "", bare: bool = False) -> Read[Test] | None:
        """What a clause says of a thing."""


def apart(thing: Thing) -> Thing:
    """ "the mails from Ann and Bob" are those from Ann and those from Bob; "the note about tea and milk" is about both."""
    for place, test in enumerate(thing.tests):
        if not isinstance(test.value, Of) or test.value.fields or not test.value.thing.also:
            continue
        things = [test.value.thing.model_copy(update={"also": ()}), *test.value.thing.also]
        values = [one.name if bare(one) and one.name else Of(thing=one, spans=one.spans) for one in things]
        tests = [test.model_copy(update={"value": value}) for value in values]
        before, after = thing.tests[:place], thing.tests[place + 1 :]
        if not plural(thing) or test.negated:
            return apart(thing.model_copy(update={"tests": (*before, *tests, *after)}))
        if thing.quantity == "number":
            raise Doubt(f"is it {thing.number} of each of them, or of all?")
        first, *more = [apart(thing.model_copy(update={"tests": (*before, one, *after)})) for one in tests]
        return first.model_copy(update={"also": (*first.also, *more)})
    return thing


def word_alone(thing: Thing) -> bool:
    """A word in small letters that the grammar does not know, with an article or without."""
    return unknown(thing.model_copy(update={"kind": ""}) if thing.name and thing.name.text == thing.kind else thing)


def unknown(thing: Thing) -> bool:
    """Only words in small letters that the grammar does not know: a name in a list of its like alone, "tea, milk and rusks"."""
    return bool(bare(thing) and thing.name and not thing.name.quoted and thing.name.text.islower() and is_words(thing.name.text))
