"""Nouns and values in a goal's words: what is meant, what narrows it down, and what is written or told.

    thing    = simple { "," simple } [ ("and" | "," "and") simple ]
    simple   = [all] [article] [pick] [number] { state } [owner "'s"] head { modifier } [ exception ]
    head     = noun [name] | name noun | name | quotation | "one(s)" | pronoun
    modifier = preposition value | bound value | date | participle ... | relative predicate { "and" predicate } | called name
    value    = quotation | amount | date | counting | fields [ "of" thing ] | thing
"""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any, TypeVar

from roles.contracts.orders import Amount, Back, Of, Order, Pick, Span, Test, Text, Thing, Value, When, Worked
from roles.screen.language.dates import Dates
from roles.screen.language.words import Match, Token, Words

NAMED = frozenset({"id", "file", "email", "url", "phone"})
CLOSED = (
    "articles", "demonstratives", "possessives", "pronouns", "prepositions", "slot_prepositions", "positions", "joins", "conditions",
    "exceptions", "negations", "no", "not", "vague", "or", "relatives", "whose", "questions", "auxiliaries", "requests", "wishes",
    "superlatives", "comparatives", "all", "everything", "both", "ones", "bounds", "numbers", "ordinals", "particles", "got",
    "without", "if_so", "if_not", "passives", "receives", "belongs", "keeps", "there", "other",
    "whatever", "unwanted", "existing", "wants_to_know",
)  # fmt: skip
T = TypeVar("T")
Read = tuple[T, int]


class Doubt(Exception):
    """Words that can be read in two ways, of which one would do something else."""


class Phrases:
    """Reads nouns and values at a place of a goal; whatever a method passes over, its result holds."""

    def __init__(self, words: Words, today: str) -> None:
        self.words, self.dates, self.today = words, Dates(words, today), today
        self.orders: list[Order] = []
        self.claimed: frozenset[str] = frozenset()
        """Prepositions that belong to the verb that is being read."""
        self.object: Thing | None = None
        """Of the order that is being read."""
        self.topic: Thing | None = None
        """What the condition of the sentence, or an earlier statement or question, is about."""
        self.waiting: tuple[int, int] | None = None
        """Words that only matter if what follows speaks of them: a statement, or a question of which "if so" is said."""
        self.people: list[str] = []
        self.said_kind = ""
        self.nested = False
        """Within what narrows another thing down."""
        self.subject: Thing | None = None
        """What the thing is about that the order makes: "a claim for INV-1 with its total"."""
        self.each: Thing | None = None
        """What the order that is being read is done for each of."""
        self.loose = False
        """A field may stand for what has it: "set the brightness to 40"."""

    # Places in the goal

    def token(self, at: int) -> Token | None:
        return self.words.list[at] if at < len(self.words.list) else None

    def low(self, at: int) -> str:
        return self.words.list[at].lower if at < len(self.words.list) else ""

    def kind(self, at: int) -> str:
        return self.words.list[at].kind if at < len(self.words.list) else ""

    def take(self, at: int, *groups: str) -> Match | None:
        return self.words.take(at, *groups)

    def spans(self, first: int, end: int) -> tuple[Span, ...]:
        return ((self.words.list[first].start, self.words.list[end - 1].end),) if first < end <= len(self.words.list) else ()

    def text(self, first: int, end: int, quoted: bool = False) -> Text:
        words = self.words.text(first, end)
        return Text(text=words[1:-1] if quoted else words, quoted=quoted, spans=self.spans(first, end))

    def back(self, many: bool | None = None, field: str = "", at: int = 0) -> Back | None:
        """The order that a pronoun points to: the last one of its number."""
        spans = self.spans(at, at + 1)
        for number in range(len(self.orders) - 1, -1, -1):
            order = self.orders[number]
            if many is None or order.object is None or plural(order.object) == many or (not many and self._every(order.object)):
                return Back(to=number, field=field, spans=spans)
        return None

    def _every(self, thing: Thing) -> bool:
        """ "every mail" is all of them, and "it" each one."""
        return bool(thing.spans) and self.words.goal[thing.spans[0][0] :].lower().startswith(("every ", "each "))

    # Things

    def thing(self, at: int, inner: bool = False) -> Read[Thing] | None:
        found = self.simple(at, inner)
        if found is None:
            return None
        first, end = found
        others: list[Thing] = []
        while (sep := self._separator(end)) and not self.clause(sep):
            more = None if self.take(sep, "field") and not self.take(sep, "noun") else self.simple(sep, inner)
            if more is None:
                break
            if bare(more[0]) and first.name and first.kind and not first.name.quoted:
                more = more[0].model_copy(update={"kind": first.kind}), more[1]
            closing = self.low(sep - 1) == "and"
            others, end = [*others, more[0]], more[1]
            if closing:
                return first.model_copy(update={"also": tuple(others), "spans": self.spans(at, end)}), end
        if self.take(end, "or") and self.simple(end + 1):
            raise Doubt(f"which is meant of {self.words.text(at, self.simple(end + 1)[1])!r}?")  # type: ignore[index]
        return found

    def _separator(self, at: int) -> int:
        """The place behind "," or "and" or ", and"."""
        comma = self.low(at) == ","
        joined = self.low(at + comma) in {"and", "&", "+"}
        return at + comma + joined if comma or joined else 0

    def clause(self, at: int) -> bool:
        """Whether an order or another sentence begins here, after a comma or "and"."""
        if self.take(at, "requests", "wishes", "negations", "if_so", "if_not", "conditions"):
            return True
        verb = next((m for m in self.words.matches(at, "verb") if m.entry.shape == "base"), None)
        if verb is None:
            join = self.take(at, "joins")
            return bool(join and self.low(at) != "first" and join.end > at and self.clause(join.end))
        return not (self.take(at, "noun", "field") and self.kind(at + 1) == "quote")

    def simple(self, at: int, inner: bool = False) -> Read[Thing] | None:
        """One thing. What follows an `inner` name narrows down what stands before it: "mails from Ann that came today"."""
        if pronoun := self._pronoun(at):
            return pronoun
        data: dict[str, Any] = {}
        tests: list[Test] = []
        place = self._determiners(at, data, tests)
        place, owner = self._owner(place, tests)
        head = self._head(place, data, determined=place > at)
        if head is None:
            return None
        end = self._narrowed(head, data, tests, inner)
        data["tests"] = (*data.get("tests", ()), *tests)
        end = self._exceptions(end, data)
        return apart(Thing(**data, spans=self.spans(at, end))), end

    def _pronoun(self, at: int) -> Read[Thing] | None:
        found = self.take(at, "pronouns")
        data: dict[str, Any] = {}
        end = at
        if every := self.take(at, "all"):
            if (inner := self.take(every.end, "pronouns")) and inner.entry.name == "all" and self.low(every.end) in {"them", "these", "those"}:
                found, data = inner, {"quantity": "all"}
        if found is None or (self.low(found.end - 1) in {"that", "this", "these", "those"} and self._is_head(found.end)):
            return None
        name, end = found.entry.name, found.end
        if name == "rest":
            return self._rest(at, end)
        if name == "person":
            return self._person(at, end)
        back = self.back(None if data else name in {"all", "both"}, at=end - 1)
        topic = self.topic if self.topic and plural(self.topic) == (name != "one") else None
        if topic is not None and (back is None or self.low(end - 1) in {"it", "them"}):
            self.waiting = None
            count = {"quantity": "number", "number": 2} if name == "both" else {}
            return topic.model_copy(update={"spans": (*topic.spans, *self.spans(at, end)), **count}), end
        if back is None:
            return None
        if name == "both":
            data = {"quantity": "number", "number": 2}
        elif name == "all":
            data["quantity"] = "all"
        tests: list[Test] = []
        if name == "all":
            end = self._modifiers(end, data, tests) if self.low(end) in {"that", "who", "which", "about", "from"} else end
        data["tests"] = tuple(tests)
        return Thing(back=back, **data, spans=self.spans(at, end)), end

    def _rest(self, at: int, end: int) -> Read[Thing] | None:
        """The others: those of the same kind of which nothing has been said."""
        said = [order.object for order in self.orders if order.object is not None]
        if not said:
            return None
        data: dict[str, Any] = {"kind": said[-1].kind, "quantity": "all", "place": said[-1].place, "but": tuple(said)}
        if got := self.take(end, "got"):
            end = got.end
        return Thing(**data, spans=self.spans(at, end)), end

    def _person(self, at: int, end: int) -> Read[Thing] | None:
        people = self.people
        if len(set(people)) != 1:
            raise Doubt(f"who is {self.words.text(at, end)!r}: {', '.join(dict.fromkeys(people)) or 'nobody was named'}?")
        return Thing(name=Text(text=people[-1], spans=self.spans(at, end)), spans=self.spans(at, end)), end

    def _is_head(self, at: int) -> bool:
        return bool(self.take(at, "noun", "field", "ones", "states", "numbers")) or (self._open(at) and not self.take(at, "verb"))

    def _determiners(self, at: int, data: dict[str, Any], tests: list[Test]) -> int:
        """Quantity, article, superlative, number, states; in this order."""
        if both := self.take(at, "both"):
            data.update(quantity="number", number=2)
            at = both.end
        elif every := self.take(at, "all"):
            data["quantity"] = "all"
            at = every.end
            if self.low(at) == "of":
                at += 1
        if (other := self.take(at + (self.low(at) in {"the", "my"}), "other")) and self._noun_ahead(other.end) and self.orders:
            said = [order.object for order in self.orders if order.object is not None]
            data.update(quantity="all", but=tuple(said))
            return other.end if said else 10**6
        if (number := self._count(at)) and self.low(number[1]) == "of" and self.take(number[1] + 1, "articles", "possessives"):
            data.update(quantity="number", number=number[0])
            raise Doubt(f"which of them: {self.words.text(at, number[1] + 2)!r}?")
        if article := self.take(at, "articles"):
            if article.entry.name == "any" and "quantity" not in data:
                data["quantity"] = "any"
            at = article.end
        elif (these := self.take(at, "demonstratives")) and self._is_head(these.end):
            many = self.low(at) in {"these", "those"}
            data["back"] = self.back(at=at)
            if data["back"] is None:
                return 10**6
            if many:
                data["quantity"] = "all"
            at = these.end
        elif whose := self.take(at, "possessives"):
            at = self._whose(at, whose, tests)
        picked = at
        at = self._picked(at, data)
        if at > picked and (best := self.take(picked, "superlatives")) and best.entry.data.get("coming"):
            if not self.today:
                return 10**6
            tests.append(Test(relation="after", value=When(text=self.low(picked), first=self.today, last=self.today), spans=self.spans(picked, at)))
        if (number := self._count(at)) and not self.take(number[1], "units", "lengths"):
            if number[0] > 1 and data.get("quantity") == "all" and "each" not in self.low(at - 1) and self.low(at - 1) not in {"all", "the", "my", "these", "those"}:
                raise Doubt(f"which {number[0]}: {self.words.text(at - 1, number[1])!r}?")
            if data.get("pick"):
                data["pick"] = data["pick"].model_copy(update={"number": number[0]})
            elif number[0] == 1 and data.get("quantity") is None:
                data["quantity"] = "one"
            if number[0] > 1:
                data.update(quantity="number", number=number[0])
            at = self._picked(number[1], data) if not data.get("pick") else number[1]
            if data.get("pick") and number[0] > 1:
                data["pick"] = data["pick"].model_copy(update={"number": number[0]})
        while True:
            if self.low(at) == "new":
                data["new"], at = True, at + 1
            elif (state := self.take(at, "states")) and self._noun_ahead(state.end):
                tests.append(self._state(state, at))
                at = state.end + (self.low(state.end) in {",", "and"} and bool(self.take(state.end + 1, "states")))
            elif (day := self.dates.days(at)) and self.low(day.end) == "'s":
                tests.append(self._on(at, day.end))
                at = day.end + 1
            elif day and day.end > at and self._noun_ahead(day.end) and self.low(at) not in {"from", "between", "in"}:
                tests.append(self._on(at, day.end))
                at = day.end
            else:
                return at

    def _whose(self, at: int, whose: Match, tests: list[Test]) -> int:
        if whose.entry.name == "person":
            person = self._person(at, at + 1)
            assert person is not None
            tests.append(Test(value=person[0].name or Text(text=""), spans=self.spans(at, at + 1)))
            return whose.end
        back = None if self.topic else self.back(at=at)
        if self.topic is None and back is None:
            return 10**6
        tests.append(Test(value=back or self.valued_thing(self.spoken()), spans=self.spans(at, at + 1)))
        return whose.end

    def spoken(self) -> Thing:
        """What was spoken of last, where it was in no order."""
        assert self.topic is not None
        self.waiting = None
        return self.topic

    def _noun_ahead(self, at: int) -> bool:
        return bool(self.take(at, "noun", "ones", "states")) or self._open(at)

    def _count(self, at: int) -> Read[int] | None:
        if found := self.take(at, "numbers"):
            if not self._noun_ahead(found.end) and not self.take(found.end, "superlatives", "comparatives") and self.low(found.end) not in {"of", "new"}:
                return None
            return int(found.entry.data["value"]), found.end
        token = self.token(at)
        if token and token.kind == "number" and re.fullmatch(r"\d{1,3}", token.text) and self._noun_ahead(at + 1):
            return int(token.text), at + 1
        return None

    def _picked(self, at: int, data: dict[str, Any]) -> int:
        if nth := self.take(at, "ordinals"):
            if nth.entry.name != "first" or self._noun_ahead(nth.end) or self._count(nth.end):
                data["pick"] = Pick(order="first", at=int(nth.entry.data["value"]), spans=self.spans(at, nth.end))
                return nth.end
        if self.kind(at) == "nth" and self._noun_ahead(at + 1):
            data["pick"] = Pick(order="first", at=int(re.sub(r"\D", "", self.low(at))), spans=self.spans(at, at + 1))
            return at + 1
        best = self.take(at, "superlatives", "comparatives")
        if best is None or self.low(best.end) == "than":
            return at
        data["pick"] = Pick(by=best.entry.data["by"], order=best.entry.data["order"], spans=self.spans(at, best.end))
        return best.end

    def _state(self, state: Match, at: int, negated: bool = False) -> Test:
        denied = state.entry.data.get("not")
        text = Text(text=(denied or state.entry.name).replace("_", " "), spans=self.spans(at, state.end))
        return Test(value=text, negated=negated != bool(denied), spans=self.spans(at, state.end))

    def _on(self, at: int, end: int, field: str = "", negated: bool = False) -> Test:
        when = self.dates.read(at)
        assert when is not None
        days = self.dates.days(at)
        value = when[0] if when[1] == end else When(
            text=self.words.text(at, end), first=str(days.first or "") if days else "", last=str(days.last or "") if days else "")  # fmt: skip
        value = value.model_copy(update={"spans": self.spans(at, end)})
        return Test(field=field, relation="on", value=value, negated=negated, spans=self.spans(at, end))

    def _owner(self, at: int, tests: list[Test]) -> Read[str]:
        """Viktor's mail, Redwood's invoice: it says so somewhere."""
        end = self._name_end(at)
        if end > at and self.low(end) == "'s" and self._noun_ahead(end + 1):
            tests.append(Test(value=self.text(at, end), spans=self.spans(at, end + 1)))
            return end + 1, self.words.text(at, end)
        return at, ""

    def _open(self, at: int) -> bool:
        """A word that may be in a name: none of the grammar's, no date, no verb that is not a noun too."""
        token = self.token(at)
        if token is None or token.kind not in {"word", *NAMED} or token.lower == "'s":
            return False
        if token.kind in NAMED:
            return True
        if self.take(at, *CLOSED) or self.dates.days(at) or (not token.capital and self.take(at, "states")):
            return False
        if self.take(at, "noun", "field", "verb_nouns"):
            return True
        if self.take(at, "predicates"):
            return False
        return token.capital or not any(m.entry.shape == "base" for m in self.words.matches(at, "verb"))

    def _name_end(self, at: int) -> int:
        end = at
        while (self._open(end) and not (end > at and not self.words.list[end].capital and self.take(end, "predicates"))) or (end > at and self._inside(end)):
            end += 1
        return end

    def _inside(self, at: int) -> bool:
        """What may stand in a name, but not begin it: a number, an ampersand between capitals."""
        before, after = self.token(at - 1), self.token(at + 1)
        if self.kind(at) == "number":
            return not self.take(at + 1, "units", "lengths") and not (self._followed_by_noun(at))
        return bool(self.low(at) in {"&", "-"} and before and after and before.capital and after.capital)

    def _followed_by_noun(self, at: int) -> bool:
        return bool(self.take(at + 1, "noun"))

    def _head(self, at: int, data: dict[str, Any], determined: bool) -> int | None:
        """noun [name] | name noun | name | quotation | ones"""
        if (ones := self.take(at, "ones")) and data.get("pick") and self.low(ones.end) == "of":
            return self._head(ones.end, data, determined)
        if ones := self.take(at, "ones"):
            if not (determined or "pick" in data or self.kind(ones.end) == "quote"):
                return None
            data["kind"] = self.said_kind
            self._plural(self.low(at) == "ones", data)
            if self.kind(ones.end) == "quote" and data["kind"]:
                data["name"] = self.text(ones.end, ones.end + 1, quoted=True)
                return ones.end + 1
            return ones.end
        if (what := self.take(at, "whatever")) and not data and (tests := self.predicate(what.end)):
            if self.said_kind == "" or what.entry.name in {"everything that", "anything that", "all that"}:
                data["kind"] = ""
            else:
                data["kind"] = self.said_kind
            data["quantity"], data["tests"] = "all", [tests[0]]
            return tests[1]
        if every := self.take(at, "everything"):
            if data:
                return None
            data.update(quantity="all", kind="person" if every.entry.name == "person" else "")
            return every.end
        if self.kind(at) == "quote":
            data["name"] = self.text(at, at + 1, quoted=True)
            return at + 1
        if data.get("pick") and self.low(at) == "of" and (inner := self.simple(at + 1)):
            thing = inner[0]
            if thing.quantity not in {"all", "number"} or thing.back or thing.pick:
                return None
            data.update(kind=thing.kind, name=thing.name, tests=list(thing.tests), place=thing.place, but=thing.but)
            return inner[1]
        end = self._name_end(at)
        if end == at:
            if self.kind(at) == "number" and not determined and re.fullmatch(r"\d{4,}", self.low(at)):
                data["name"] = self.text(at, at + 1)
                return at + 1
            if data.get("pick") and self.said_kind:
                data["kind"] = self.said_kind
                return at
            return None
        end = self._noun_and_name(at, end, data, determined)
        if end < 0:
            return None
        if self.kind(end) == "quote" and data.get("kind") and "name" not in data:
            data["name"], end = self.text(end, end + 1, quoted=True), end + 1
        if data.get("kind"):
            self.said_kind = data["kind"]
        return end

    def _noun_and_name(self, at: int, end: int, data: dict[str, Any], determined: bool) -> int:
        """Kind and name among open words. Gives the place behind the head: what follows a noun and is no name is not of it."""
        nouns = [m for place in range(at, end) for m in self.words.matches(place, "noun", "field") if m.end <= end]
        nouns = [m for m in nouns if determined or m.end - len(m.entry.words) > at or not (at and self.words.list[at].capital)]
        first = next((m for m in nouns if m.end - len(m.entry.words) == at), None)
        if first is not None and first.end < end and self._nameish(first.end):
            stop = first.end
            while stop < end and (self._nameish(stop) or self.low(stop) in {"&", "-"}):
                stop += 1
            data["kind"], data["name"] = first.entry.name, self.text(first.end, stop)
            return stop
        last = next((m for m in reversed(nouns) if m.end == end), None) or (nouns[-1] if nouns else None)
        if last is not None:
            longest = max((m for m in nouns if m.end == last.end), key=lambda m: len(m.entry.words))
            start, end = longest.end - len(longest.entry.words), longest.end
            data["kind"] = longest.entry.name
            if longest.entry.group == "field" and not self.loose and not self.take(start, "noun") and start == at:
                return -1
            self._plural(longest.entry.shape == "many", data)
            if start > at:
                data["name"] = self.text(at, start if any(self.words.list[n].capital for n in range(at, start)) else end)
            return end
        named = next((n for n in range(at, end) if self._nameish(n)), end)
        if determined and at < named and (named < end or self.kind(end) == "quote") and all(self._nameish(n) for n in range(named, end)):
            data["kind"] = self.words.lexicon.singular(self.low(named - 1))
            if named < end:
                data["name"] = self.text(named, end)
            return end
        word = self.words.list[end - 1]
        lower = word.kind == "word" and not word.capital and determined
        if lower:
            data["kind"] = self.words.lexicon.singular(word.lower)
            self._plural(data["kind"] != word.lower, data)
        if not lower or end - at > 1 or data.get("quantity", "one") == "one":
            data["name"] = self.text(at, end)
        return end

    def _plural(self, many: bool, data: dict[str, Any]) -> None:
        """ "my notes", "the mails from Ann": all of them; "all note" is not said, "every note" is."""
        if many and data.get("quantity", "one") in {"one", "any"}:
            data["quantity"] = "number" if (pick := data.get("pick")) and pick.number > 1 else "all"

    def _nameish(self, at: int) -> bool:
        token = self.token(at)
        return token is not None and (token.capital or token.kind in {*NAMED, "number"})

    # What narrows down

    def _narrowed(self, head: int, data: dict[str, Any], tests: list[Test], inner: bool) -> int:
        """What follows the head. After a name or a place within another thing it belongs to that other thing; what follows
        "the ones" belongs to them, whatever the verb claims."""
        if inner and (not data.get("kind") or data["kind"] in self.words.lexicon.data["places"]):
            return head
        claimed, nested = self.claimed, self.nested
        self.nested = nested or inner
        if self.take(head - 1, "ones"):
            self.claimed = frozenset()
            end = self._modifier(head, data, tests) or head
            self.claimed = claimed
        else:
            end = head
        end = self._modifiers(end, data, tests)
        self.nested = nested
        return end

    def _whose_clause(self, at: int, data: dict[str, Any], tests: list[Test]) -> bool:
        """Whether a relative clause here can be told to belong to the outer thing: "notes about the lunch that are old"."""
        last = tests[-1].value if tests else None
        if not isinstance(last, Of) or last.fields or data.get("place") or not last.thing.kind:
            return True
        aux = self.low(at + 1)
        many, within = data.get("quantity") in {"all", "number"}, plural(last.thing)
        if aux in {"are", "were", "have"} and many and not within:
            return True
        raise Doubt(f"what does {self.words.text(at, at + 2)!r} speak of: {last.thing.kind!r} or {data.get('kind', '')!r}?")

    def _modifiers(self, at: int, data: dict[str, Any], tests: list[Test]) -> int:
        while True:
            end = self._modifier(at, data, tests)
            if end is None:
                return at
            at = end

    def _modifier(self, at: int, data: dict[str, Any], tests: list[Test]) -> int | None:
        if self.take(at, "positions"):
            return None
        if got := self.take(at, "got"):
            return got.end
        if (named := self.take(at, "predicates")) and named.entry.name == "is called" and "name" not in data:
            if (name := self.name(named.end)) is not None:
                data["name"] = name[0]
                return name[1]
        if not self.nested and (rel := self._relative(at)) is not None and self._whose_clause(at, data, tests):
            tests += rel[0]
            return rel[1]
        if sent := self._sent(at, tests):
            return sent
        if ((part := self.take(at, "predicates")) and part.entry.name != "is called" and part.entry.shape in {"past", "ing"}) or (part and part.entry.name == "due"):
            found = self._complement(part, at, "", False)
            if found:
                tests.append(found[0])
                return found[1]
        if self.low(at) not in {"in", "from"} and self.dates.days(at) and (when := self.dates.read(at)):
            if "when" in self.claimed:
                return None
            tests.append(self._on(at, when[1]))
            return when[1]
        if any(word in self.claimed for word in self._prepositions(at)):
            return None
        if found := self._bounded(at, ""):
            tests.append(found[0])
            return found[1]
        return self._prepositional(at, data, tests)

    def _prepositions(self, at: int) -> tuple[str, ...]:
        return tuple(" ".join(m.entry.words) for m in self.words.matches(at, "prepositions", "slot_prepositions", "bounds"))

    def name(self, at: int) -> Read[Text] | None:
        """A quotation, or a name of open words."""
        if self.kind(at) == "quote":
            return self.text(at, at + 1, quoted=True), at + 1
        end = self._name_end(at)
        return (self.text(at, end), end) if end > at else None

    def _prepositional(self, at: int, data: dict[str, Any], tests: list[Test]) -> int | None:
        found = self.take(at, "prepositions")
        if found is None:
            return None
        relation, end = found.entry.data["value"], found.end
        if self.nested and relation == "from":
            return None
        if relation in {"in", "is", "for", "from"} and (when := self.dates.read(at if self.low(at) == "in" and self.dates.days(at) else end)) and when[0].minutes == 0 and (when[0].first or when[0].start or not self.today):
            tests.append(self._on(at if self.low(at) == "in" and self.dates.days(at) and not self.dates.days(end) else end, when[1]))
            return when[1]
        if relation == "with" and (test := self._with_field(end)):
            if test[0].field in {"title", "name"} and isinstance(test[0].value, Text) and data.get("quantity") == "any" and not data.get("name"):
                data["name"] = test[0].value
            else:
                tests.append(test[0])
            return test[1]
        value = self.thing(end, inner=True) if relation != "in" else self.simple(end, inner=True)
        if value is None:
            return None
        thing, stop = value
        if relation == "in" or (relation in {"is", "from"} and thing.kind in self.words.lexicon.data["places"]):
            if data.get("place") is not None:
                return None
            data["place"] = thing
            return stop
        if relation == "for":
            return None
        inner = Of(thing=thing, spans=thing.spans) if not bare(thing) else thing.name
        assert inner is not None
        negated = relation == "without"
        tests.append(Test(relation="has" if negated else relation, value=inner, negated=negated, spans=self.spans(at, stop)))
        if bare(thing) and relation in {"from", "by", "with", "to"} and thing.name and not thing.name.quoted:
            self.people = [*self.people, thing.name.text]
        return stop

    def _with_field(self, at: int) -> Read[Test] | None:
        """with the subject X | with a total over 100 | with the number INV-1"""
        start = at
        if article := self.take(at, "articles"):
            at = article.end
        field = self.take(at, "field")
        if field is None:
            return None
        if found := self._bounded(field.end, field.entry.name):
            return found
        end = field.end + (self.low(field.end) == "of")
        if (amount := self.amount(end)) and amount[0].unit:
            return Test(field=field.entry.name, value=amount[0], spans=self.spans(start, amount[1])), amount[1]
        name = self.name(end)
        return (Test(field=field.entry.name, value=name[0], spans=self.spans(start, name[1])), name[1]) if name else None

    def _sent(self, at: int, tests: list[Test]) -> int | None:
        """[that] Ann sent me"""
        start = at + (self.low(at) in {"that", "which"})
        end = self._name_end(start)
        if end == start:
            return None
        sent = self.take(end, "sent_me")
        token = self.token(start)
        if sent is None or token is None or not token.capital:
            return None
        tests.append(Test(relation="from", value=self.text(start, end), spans=self.spans(at, sent.end)))
        self.people = [*self.people, self.words.text(start, end)]
        return sent.end

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
        if found is None:
            return None
        tests, end = [found[0]], found[1]
        while True:
            joined = self.low(end) in {"and", "but"} or (self.low(end) == "," and self.low(end + 1) in {"and", "but"})
            if self.low(end) == "or" and self.predicate(end + 1, field):
                raise Doubt(f"either of {self.words.text(at, end + 2)!r}, or both?")
            start = end + 1 + (self.low(end) == ",")
            whose = self.take(start, "whose")
            named = self.take(whose.end, "field") if whose and joined else None
            start = named.end if named else start + bool(self.take(start, "relatives"))
            more = self.predicate(start, named.entry.name if named else field, bare=not field) if joined and not self.clause(start) else None
            if more is None:
                return tests, end
            tests, end = [*tests, more[0]], more[1]

    def predicate(self, at: int, field: str = "", bare: bool = False) -> Read[Test] | None:
        """is [not] STATE | is [not] PARTICIPLE ... | is [not] about X | has [no] FIELD ... | does [not] VERB ... | VERB ..."""
        aux = self.take(at, "auxiliaries")
        if aux is None:
            if bare and (state := self.take(at, "states")):
                return self._state(state, at), state.end
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
        if article := self.take(at, "articles"):
            at = article.end
        named = self.take(at, "field")
        if named is None or field:
            thing = self.simple(at)
            if thing is None or field or thing[0].quantity not in {"one", "any"}:
                return None
            return Test(relation="has", value=Of(thing=thing[0], spans=thing[0].spans), negated=negated, spans=self.spans(start, thing[1])), thing[1]
        end = named.end
        if not negated and (found := self._bounded(end, named.entry.name)):
            return found
        if not negated and (value := self.amount(end + (self.low(end) == "of")) or self.name(end + (self.low(end) == "of"))):
            return Test(field=named.entry.name, value=value[0], spans=self.spans(start, value[1])), value[1]
        words = self.text(at, named.end)
        return Test(relation="has", value=words, negated=negated, spans=self.spans(start, end)), end

    def _being(self, at: int, field: str, negated: bool) -> Read[Test] | None:
        if part := self.take(at, "predicates"):
            if (found := self._complement(part, at, field, negated)) is not None:
                return found
        if (state := self.take(at, "states")) is not None and not field:
            return self._state(state, at, negated), state.end
        if found := self._bounded(at, field):
            return found[0].model_copy(update={"negated": negated}), found[1]
        if self.dates.days(at) and (when := self.dates.read(at)):
            return self._on(at, when[1], field, negated), when[1]
        data: dict[str, Any] = {}
        tests: list[Test] = []
        end = self._prepositional(at, data, tests)
        if end is not None:
            if data:
                place = data["place"]
                value = place.name if bare(place) else Of(thing=place, spans=place.spans)
                tests = [Test(relation="in", value=value, spans=self.spans(at, end))]
            return tests[0].model_copy(update={"field": field, "negated": negated != tests[0].negated}), end
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
            if field == "due date" and verb.entry.name == "due":
                return None
            return None
        value = self.amount(end) or self.marked(end) or self.valued(end)
        if value is None:
            return None
        if isinstance(value[0], Text) and relation in {"from", "to"} and not value[0].quoted:
            self.people = [*self.people, value[0].text]
        return Test(field=field, relation=relation, value=value[0], negated=negated, spans=self.spans(at, value[1])), value[1]

    def valued(self, at: int) -> Read[Value] | None:
        """A thing as a value: its name alone, where there is no more."""
        found = self.thing(at)
        if found is None:
            return None
        return self.valued_thing(found[0]), found[1]

    def valued_thing(self, thing: Thing) -> Value:
        if thing.back is not None and thing == Thing(back=thing.back, quantity=thing.quantity, spans=thing.spans):
            return thing.back.model_copy(update={"spans": thing.spans})
        return (thing.name if bare(thing) else None) or Of(thing=thing, spans=thing.spans)

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
        elif bound.entry.words[0] in {"older", "newer"} and (length := self.dates.length(bound.end)) and length[0] >= 1440 and self.dates.today:
            day = str(self.dates.today - timedelta(minutes=length[0]))
            end = length[1]
            value = When(text=self.words.text(bound.end, end), first=day, last=day, spans=self.spans(bound.end, end))
        elif bound.entry.name in {"since", "until"}:
            return None
        elif amount := self.amount(bound.end):
            value, end = amount
        else:
            return None
        return Test(field=field, relation=bound.entry.data["relation"], value=value, spans=self.spans(at, end)), end

    def _exceptions(self, at: int, data: dict[str, Any]) -> int:
        """[,] except [for] THING | all but THING"""
        start = at + (self.low(at) == ",")
        found = self.take(start, "exceptions")
        after = found.end if found else start + 1
        if found is None and not (self.low(start) == "but" and data.get("quantity") == "all"):
            return at
        if self.clause(after) or data.get("quantity") != "all":
            return at
        kind, self.said_kind = self.said_kind, data.get("kind", "")
        thing = self.thing(after)
        self.said_kind = kind
        if thing is None:
            return at
        first = thing[0]
        data["but"] = tuple(one.model_copy(update={"also": ()}) for one in (first, *thing[0].also))
        return thing[1]

    # Values

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

    def value(self, at: int) -> Read[Value] | None:
        """Whatever can be written, told or compared."""
        if self.kind(at) == "quote" and self.low(at + 1) != "'s":
            return self.text(at, at + 1, quoted=True), at + 1
        worked = self.worked(at) or self.fields(at)
        if worked:
            return worked
        if when := self.dates.read(at):
            if not (when[1] - at == 1 and self.kind(at) == "number") and self.low(when[1]) != "'s" and not self._noun_ahead(when[1]):
                return when[0].model_copy(update={"spans": self.spans(at, when[1])}), when[1]
        if (amount := self.amount(at)) and not self._noun_ahead(amount[1]):
            return amount
        return self.valued(at)

    def joined(self, at: int) -> Read[Value] | None:
        """Values that are no records: a quotation, an amount, fields; several of them are joined."""
        found = self._plain(at)
        if found is None:
            return None
        values, end = [found[0]], found[1]
        while (sep := self._separator(end)) and not self.clause(sep) and (more := self._plain(sep)):
            values, end = [*values, more[0]], more[1]
        if len(values) == 1:
            return found
        return Worked(how="joined", of=tuple(values), spans=self.spans(at, end)), end

    def _plain(self, at: int) -> Read[Value] | None:
        if self.kind(at) == "quote" and self.low(at + 1) != "'s":
            return self.text(at, at + 1, quoted=True), at + 1
        both = self.take(at, "both")
        if both and len(self.orders) > 1 and not self._noun_ahead(both.end) and all(o.verb in {"answer", "find"} for o in self.orders[-2:]):
            spans, last = self.spans(at, both.end), len(self.orders)
            return Worked(how="joined", of=(Back(to=last - 2, spans=spans), Back(to=last - 1, spans=spans)), spans=spans), both.end
        return self.worked(at) or self.fields(at) or (None if self._count(at) else self.amount(at))

    def worked(self, at: int) -> Read[Value] | None:
        """how many THINGS [there are] | the number of THINGS | the sum of VALUE"""
        start = at + (self.low(at) == "the")
        if asked := self.asked(at, turned=False):
            return asked
        if self.low(start) == "number" and self.low(start + 1) == "of" and start > at:
            found = self.simple(start + 2)
            if found and found[0].quantity == "all":
                return Worked(how="count", of=(Of(thing=found[0], spans=found[0].spans),), spans=self.spans(at, found[1])), found[1]
        how = {"sum": "sum", "average": "average", "difference": "difference"}.get(self.low(start))
        if how and start > at and self.low(start + 1) in {"of", "between"}:
            value = self.fields(start + 2) or self.valued(start + 2)
            if value and not (how == "sum" and isinstance(value[0], Text)):
                return Worked(how=how, of=(value[0],), spans=self.spans(at, value[1])), value[1]  # type: ignore[arg-type]
        return None

    # Questions, asked outright ("when is X due?") or in another sentence ("tell me when X is due")

    def asked(self, at: int, turned: bool) -> Read[Value] | None:
        """how many THINGS ... | which THING PREDICATE | who PREDICATE | what|when|where|how much ... THING ..."""
        word = self.take(at, "questions")
        if word is None:
            return None
        name, end = word.entry.name, word.end
        if name == "count":
            return self._counted(at, end)
        if name in {"which", "who"} and (found := self._wanted(at, end, name)):
            return found
        if name in {"which", "who"} and (be := self.take(end, "auxiliaries")) and be.entry.name == "be" and self.low(at) != "which":
            if (value := self.fields(be.end)) is not None and isinstance(value[0], Of) and value[0].thing.back is None:
                return value
        return None if name == "who" else self._about(at, end, name, turned)

    def _counted(self, at: int, end: int) -> Read[Value] | None:
        found = self.simple(end)
        if found is None:
            return None
        thing, end = found[0].model_copy(update={"quantity": "all"}), found[1]
        there = (self.low(end) == "there" and self.take(end + 1, "auxiliaries")) or (self.low(end + 1) == "there" and self.take(end, "auxiliaries"))
        if there:
            end += 2
            where: dict[str, Any] = {}
            more: list[Test] = []
            end = self._modifiers(end, where, more)
            thing = thing.model_copy(update={"tests": (*thing.tests, *more), **where})
        elif tests := self.predicates(end):
            thing, end = thing.model_copy(update={"tests": (*thing.tests, *tests[0])}), tests[1]
        return Worked(how="count", of=(Of(thing=thing, spans=thing.spans),), spans=self.spans(at, end)), end

    def _wanted(self, at: int, end: int, name: str) -> Read[Value] | None:
        """which [of the] THINGS PREDICATE | who [in PLACE] PREDICATE"""
        data: dict[str, Any] = {}
        if name == "who":
            data, tests = {"kind": "person", "quantity": "all"}, []
            end = self._prepositional(end, data, tests) or end
            thing, stop = Thing(**data, tests=tuple(tests), spans=self.spans(at, end)), end
        else:
            found = self.simple(end + (self.low(end) == "of"))
            if found is None or found[0].back or found[0].quantity == "any":
                return None
            alone = self.low(found[1]) in {"is", "has", "was", "does"} or found[0].quantity == "one"
            thing, stop = found[0].model_copy(update={"quantity": "one" if alone else "all"}), found[1]
        be = self.take(stop, "auxiliaries")
        if be and be.entry.name == "be":
            picked: dict[str, Any] = {}
            place = be.end + (self.low(be.end) == "the")
            if not thing.pick and (last := self._picked(place, picked)) > place:
                last += bool(self.take(last, "ones"))
                return Of(thing=thing.model_copy(update={"quantity": "one", "pick": picked["pick"]}), spans=self.spans(at, last)), last
        tests2 = self.predicates(stop)
        if tests2 is None:
            return None
        thing = thing.model_copy(update={"tests": (*thing.tests, *tests2[0]), "spans": self.spans(at, tests2[1])})
        return Of(thing=thing, spans=thing.spans), tests2[1]

    def _about(self, at: int, end: int, name: str, turned: bool) -> Read[Value] | None:
        """when is|does THING [due|start] | when THING is due|starts; so too where, what (it costs) and how much."""
        aux = self.take(end, "auxiliaries")
        if turned != bool(aux and aux.entry.name in {"be", "do"}):
            return None
        found = self.thing(aux.end if aux else end)
        if found is None:
            return None
        thing, stop = found
        if not turned and (be := self.take(stop, "auxiliaries")) and be.entry.name == "be":
            aux, stop = be, be.end
        verb = self.take(stop, "predicates")
        fallback = {"when": "date", "where": "place", "much": "amount", "long": "duration"}.get(name)
        if verb and verb.entry.data.get("field"):
            field = verb.entry.data["field"] if name != "where" else "place"
            if plural(thing) and field in {"price", "total"}:
                if verb.entry.name != "comes to":
                    return None
                value = Of(fields=(field,), thing=thing, spans=self.spans(at, verb.end))
                return Worked(how="sum", of=(value,), spans=value.spans), verb.end
            if (name in {"when", "long"}) != (field in {"due date", "start", "end", "date", "created"}) and name != "where":
                return None
            stop = verb.end
        elif aux and aux.entry.name == "be" and fallback:
            field = fallback
        else:
            return None
        return Of(fields=(field,), thing=thing, spans=self.spans(at, stop)), stop

    def fields(self, at: int) -> Read[Value] | None:
        """[the|its] FIELD {and FIELD} [of THING] | THING's FIELD {and FIELD}"""
        start, whose = at, self.take(at, "possessives")
        if whose and whose.entry.name == "person":
            whose = None
        start = whose.end if whose else at
        if (article := self.take(at, "articles")) and article.entry.name == "one":
            start = article.end
        if (owned := self._owned(at)) is not None:
            return owned
        if (that := self.take(at, "demonstratives")) and (named := self.take(that.end, "field")) and self._field_here(named):
            back = self.back(field=named.entry.name, at=at)
            return (back.model_copy(update={"spans": self.spans(at, named.end)}), named.end) if back else None
        found = self._field_list(start)
        if found is None:
            return None
        names, end = found
        if self._open(end) or self.kind(end) in {"quote", "number"}:
            return None
        if self.subject is not None:
            return Of(fields=names, thing=self.subject, spans=self.spans(at, end)), end
        if (whose or article) and self.topic is not None and self.object is None and self.each is None and self.low(end) != "of":
            return Of(fields=names, thing=self.spoken(), spans=self.spans(at, end)), end
        if whose:
            back = self.back(at=at)
            if back is None:
                return None
            return Of(fields=names, thing=Thing(back=back), spans=self.spans(at, end)), end
        if self.low(end) in {"of", "for", "from", "on", "in"} and not self.dates.days(end) and (self.low(end) == "of" or self.low(end) not in self.claimed):
            thing = self.thing(end + 1)
            if thing is not None:
                value = Of(fields=names, thing=thing[0], spans=self.spans(at, thing[1]))
                summed = names == ("total",) and plural(thing[0]) and self.low(start) in {"total", "sum"} and not thing[0].also
                return (Worked(how="sum", of=(value,), spans=value.spans) if summed else value), thing[1]
        if self.each is not None or (self.object is not None and not self.object.new):
            back: Back | None = Back(to=len(self.orders), spans=self.spans(at, end))
        else:
            back = self.back(at=at)
        if back is None:
            return None
        return Of(fields=names, thing=Thing(back=back), spans=self.spans(at, end)), end

    def _field_list(self, at: int) -> Read[tuple[str, ...]] | None:
        names: list[str] = []
        while (found := self.take(at, "field")) and self._field_here(found):
            names, at = [*names, found.entry.name], found.end
            sep = self._separator(at)
            nxt = sep + bool(sep and self.low(sep) in {"the", "its", "their"})
            if not sep or not (more := self.take(nxt, "field")) or not self._field_here(more):
                break
            at = nxt
        return (tuple(names), at) if names else None

    def _field_here(self, found: Match) -> bool:
        """Not the first word of a longer noun."""
        return not (self._open(found.end) or self.take(found.end, "noun"))

    def _owned(self, at: int) -> Read[Value] | None:
        """Zoe's address and phone number"""
        end = at + 1 if self.kind(at) == "quote" else 0
        article = self.take(at, "articles")
        start = article.end if article else at
        end = end or self._name_end(start)
        if end == start or self.low(end) != "'s":
            return None
        found = self._field_list(end + 1)
        if found is None:
            return None
        inner = self._of_words(at, end)
        return Of(fields=found[0], thing=inner, spans=self.spans(at, found[1])), found[1]

    def _of_words(self, at: int, end: int) -> Thing:
        """The owner's words as a thing."""
        if self.kind(at) == "quote":
            return Thing(name=self.text(at, at + 1, quoted=True), spans=self.spans(at, end))
        data: dict[str, Any] = {}
        article = self.take(at, "articles")
        start = article.end if article else at
        self._noun_and_name(start, end, data, determined=article is not None)
        return Thing(**data, spans=self.spans(at, end))


def apart(thing: Thing) -> Thing:
    """ "the mails from Ann and Bob" are those from Ann and those from Bob; "the note about tea and milk" is about both."""
    for place, test in enumerate(thing.tests):
        if not isinstance(test.value, Of) or test.value.fields or not test.value.thing.also:
            continue
        things = [test.value.thing.model_copy(update={"also": ()}), *test.value.thing.also]
        tests = [test.model_copy(update={"value": one.name if bare(one) and one.name else Of(thing=one, spans=one.spans)}) for one in things]
        before, after = thing.tests[:place], thing.tests[place + 1 :]
        if not plural(thing) or test.negated:
            return apart(thing.model_copy(update={"tests": (*before, *tests, *after)}))
        first, *more = [apart(thing.model_copy(update={"tests": (*before, one, *after)})) for one in tests]
        return first.model_copy(update={"also": (*first.also, *more)})
    return thing


def bare(thing: Thing) -> bool:
    """Nothing but a name."""
    return thing.name is not None and thing == Thing(name=thing.name, spans=thing.spans)


def plural(thing: Thing) -> bool:
    return thing.quantity in {"all", "number"} or bool(thing.also) or (thing.kind == "person" and thing.quantity == "all")
