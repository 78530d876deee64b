"""What is written, told, asked for or compared with.

value = quotation | amount | date | counting | fields [ "of" thing ] | thing's fields | thing
question = "how many" things ... | "which" thing predicate | "who" predicate | ("when"|"where"|"what"|"how much") ... thing ...
"""

from __future__ import annotations

from roles.contracts.orders import Amount, Back, Of, Order, Pick, Test, Text, Thing, Value, When, Worked
from roles.screen.language.names import Draft, Read, plural
from roles.screen.language.narrowing import Narrowing
from roles.screen.language.words import Doubt, Match


class Values(Narrowing):
    """Reads values."""

    def value(self, at: int) -> Read[Value] | None:
        """Whatever can be written, told or compared."""
        found = self._plain(at)
        if found is not None and not (isinstance(found[0], Amount) and self._noun_ahead(found[1])):
            return found
        when = self.dates.read(at)
        if (
            when
            and (when[1] - at > 1 or self.kind(at) != "number")
            and self.low(when[1]) != "'s"
            and not self._noun_ahead(when[1])
        ):
            return when[0].model_copy(update={"spans": self.spans(at, when[1])}), when[1]
        return self.valued(at)

    def joined(self, at: int) -> Read[Value] | None:
        """Values that are no records: a quotation, an amount, fields; several of them are joined."""
        found = self._plain(at)
        if found is None:
            return None
        values, end = [found[0]], found[1]
        if isinstance(found[0], Of) and found[0].fields:  # the total of INV-1 and the vendor
            self.subject = found[0].thing
        while (sep := self._separator(end)) and not self.clause(sep) and (more := self._plain(sep)):
            values, end = [*values, more[0]], more[1]
        if len(values) == 1:
            return found
        return Worked(how="joined", of=tuple(values), spans=self.spans(at, end)), end

    def _plain(self, at: int) -> Read[Value] | None:
        if self.kind(at) == "quote" and self.low(at + 1) != "'s":
            return self.text(at, at + 1, quoted=True), at + 1
        both, last = self.take(at, "both"), len(self.orders)
        if (
            both
            and last > 1
            and not self._noun_ahead(both.end)
            and all(one.verb in {"answer", "find"} for one in self.orders[-2:])
        ):
            spans = self.spans(at, both.end)
            return Worked(
                how="joined", of=(Back(to=last - 2, spans=spans), Back(to=last - 1, spans=spans)), spans=spans
            ), both.end
        return self.worked(at) or self.fields(at) or (None if self._count(at) else self.amount(at))

    def worked(self, at: int) -> Read[Value] | None:
        """how many THINGS [there are] | the number of THINGS | the sum of VALUE"""
        start = at + (self.low(at) == "the")
        if asked := self.asked(at, turned=False):
            return asked
        how = {"sum": "sum", "average": "average", "difference": "difference"}.get(self.low(start))
        if how and start > at and self.low(start + 1) in {"of", "between"}:
            value = self.fields(start + 2) or self.valued(start + 2)
            value = (value[0].of[0], value[1]) if value and isinstance(value[0], Worked) and value[0].how == how else value
            if value and not (how == "sum" and isinstance(value[0], Text)):
                return Worked(how=how, of=(value[0],), spans=self.spans(at, value[1])), value[1]  # type: ignore[arg-type]
        return None

    def asked(self, at: int, turned: bool) -> Read[Value] | None:
        """how many THINGS ... | which THING PREDICATE | who PREDICATE | what|when|where|how much ... THING ..."""
        word = self.take(at, "questions")
        if word is None:
            return None
        name, end = word.entry.name, word.end
        doubled = self.take(end, "all", "both", "articles", "possessives", "demonstratives")  # how many all mails
        if doubled and name in {"count", "which"} and self.low(at) != "what":
            return None
        if name == "count":
            return self._counted(at, end)
        if name not in {"which", "who"}:
            return self._about(at, end, name, turned)
        held = self.fields(end) if name == "which" and not turned else None  # what Ann's number is
        if held is not None and self.low(held[1]) in {"is", "are"}:
            return held[0], held[1] + 1
        if found := self._wanted(at, end, name):
            return found
        be = self.take(end, "auxiliaries")
        if be and be.entry.name == "be" and self.low(at) != "which":
            value = self.worked(be.end) or self.fields(be.end)
            if value is not None and not (isinstance(value[0], Of) and value[0].thing.back):
                return value
        return self._about(at, end, name, turned) if name == "which" else None

    def _counted(self, at: int, end: int) -> Read[Value] | None:
        if self.low(end) in {"there", "they"} and self.take(end + 1, "auxiliaries") and (back := self.back(True, at=at)):
            thing = Thing(back=back, quantity="all", spans=self.spans(at, end + 2))
            return Worked(how="count", of=(Of(thing=thing, spans=thing.spans),), spans=thing.spans), end + 2
        found = self.simple(end + (self.low(end) == "of"))
        if found is None:
            return None
        thing, end = found[0].model_copy(update={"quantity": "all"}), found[1]
        if "there" in {self.low(end), self.low(end + 1)} and self.take(end + (self.low(end) == "there"), "auxiliaries"):
            end += 2
            where = Draft()
            end = self.modifiers(end, where)
            change = {"name": where.name or thing.name, "pick": where.pick or thing.pick, "place": where.place or thing.place}
            thing = thing.model_copy(update={"tests": (*thing.tests, *where.tests), **change})
        elif tests := self.predicates(end):
            thing, end = thing.model_copy(update={"tests": (*thing.tests, *tests[0])}), tests[1]
        return Worked(how="count", of=(Of(thing=thing, spans=thing.spans),), spans=self.spans(at, end)), end

    def _wanted(self, at: int, end: int, name: str) -> Read[Value] | None:
        """which [of the] THINGS PREDICATE | which THINGS do I have ... | who [in PLACE] PREDICATE | who wrote THING"""
        if name == "who":
            if part := self.taking_part(at, end):
                return part
            draft = Draft(kind="person", quantity="all")
            stop = self._prepositional(end, draft) or end
            thing = draft.thing(self.spans(at, stop))
        else:
            found = self.simple(end + (self.low(end) == "of"))
            if found is None or found[0].back or found[0].quantity == "any":
                return None
            stop = found[1]
            alone = self.low(stop) in {"is", "has", "was", "does"} or found[0].quantity == "one"
            thing = found[0].model_copy(update={"quantity": "one" if alone else "all"})
        be, picked = self.take(stop, "auxiliaries"), Draft()
        place = be.end + (self.low(be.end) == "the") if be and be.entry.name == "be" else stop
        if place > stop and not thing.pick and (last := self._picked(place, picked)) > place:
            last += bool(self.take(last, "ones"))
            return Of(thing=thing.model_copy(update={"quantity": "one", "pick": picked.pick}), spans=self.spans(at, last)), last
        if be and be.entry.name == "be" and not thing.pick and (due := self._due_next(be.end)):
            change = {"quantity": "one", "pick": due[0][0], "tests": (*thing.tests, *due[0][1])}
            return Of(thing=thing.model_copy(update=change), spans=self.spans(at, due[1])), due[1]
        best = self._best(be.end) if be and be.entry.name == "have" and not thing.pick else None
        if best is not None:
            return Of(thing=thing.model_copy(update={"quantity": "one", "pick": best[0]}), spans=self.spans(at, best[1])), best[1]
        more = self.predicates(stop)
        if more is None:
            has = any(self.take(place, "got") for place in range(end, stop))
            return (Of(thing=thing, spans=self.spans(at, stop)), stop) if has else None
        thing = thing.model_copy(update={"tests": (*thing.tests, *more[0]), "spans": self.spans(at, more[1])})
        return Of(thing=thing, spans=thing.spans), more[1]

    def everybody(self, at: int) -> Read[Value] | None:
        """everybody who comes to THING | [all] the attendees of THING"""
        start = at + bool(self.take(at, "all"))
        article = self.take(start, "articles")
        people = self.take(article.end, "field") if article else None
        of = self.simple(people.end + 1) if people and people.entry.name == "attendee" and self.low(people.end) == "of" else None
        if of is not None and not plural(of[0]):
            return Of(fields=("attendee",), thing=of[0], spans=self.spans(at, of[1])), of[1]
        every = self.take(at, "everything")
        some = every is not None and every.entry.name == "person" and self.low(every.end) in {"who", "that"}
        return self.taking_part(at, every.end + 1) if every is not None and some else None

    def taking_part(self, first: int, at: int) -> Read[Value] | None:
        """who wrote THING, everybody who comes to THING: the persons that a field of it names."""
        part = self.take(at, "taking_part")
        thing = self.simple(part.end) if part else None
        if part is None or thing is None or plural(thing[0]):
            return None
        return Of(fields=(part.entry.name,), thing=thing[0], spans=self.spans(first, thing[1])), thing[1]

    def _due_next(self, at: int) -> Read[tuple[Pick, tuple[Test, ...]]] | None:
        """which is due next | first | last"""
        due = self.take(at, "predicates")
        word = self.take(due.end, "superlatives") if due and due.entry.data.get("field") else None
        if (
            due is None
            or word is None
            or word.entry.name not in {"next", "first", "last"}
            or (word.entry.name == "next" and not self.today)
        ):
            return None
        field, spans = due.entry.data["field"], self.spans(at, word.end)
        now = When(text=self.low(word.end - 1), first=self.today[:10], last=self.today[:10], spans=spans)
        tests = (Test(field=field, relation="at_least", value=now, spans=spans),) if word.entry.name == "next" else ()
        return (Pick(by=field, order="most" if word.entry.name == "last" else "least", spans=spans), tests), word.end

    def _about(self, at: int, end: int, name: str, turned: bool) -> Read[Value] | None:
        """when is|does THING [due|start] | when THING is due|starts; so too where, what (it costs) and how much."""
        aux = self.take(end, "auxiliaries")
        if turned != bool(aux and aux.entry.name in {"be", "do"}):
            return None
        found = self.thing(aux.end if aux else end)
        if found is None:
            return None
        thing, stop = found
        if self.low(at) == "what" and (says := self.take(stop, "says")) and not plural(thing):
            return Of(fields=("text",), thing=thing, spans=self.spans(at, says.end)), says.end
        if not turned and (be := self.take(stop, "auxiliaries")) and be.entry.name == "be":
            aux, stop = be, be.end
        verb = self.take(stop, "predicates")
        field = {"when": "date", "where": "place", "much": "amount", "dear": "price", "long": "duration"}.get(name, "")
        if verb is not None and verb.entry.data.get("field"):
            field, stop = verb.entry.data["field"] if name != "where" else "place", verb.end
            if name != "where" and (name in {"when", "long"}) != (field in {"due date", "start", "end", "date", "created"}):
                return None
        elif not (aux and aux.entry.name == "be" and field):
            return None
        if more := self._relative(stop):  # where does the meeting take place "that begins at 9"?
            thing, stop = thing.model_copy(update={"tests": (*thing.tests, *more[0])}), more[1]
        value = Of(fields=(field,), thing=thing, spans=self.spans(at, stop))
        if plural(thing) and field in {"price", "total"}:
            together = self.take(stop, "together")
            summed = together or (verb is not None and verb.entry.name == "comes to")
            end = together.end if together else stop
            return (Worked(how="sum", of=(value,), spans=self.spans(at, end)), end) if summed else None
        return value, stop

    def fields(self, at: int) -> Read[Value] | None:
        """[the|its|that] FIELD {and FIELD} [of THING] | THING's FIELD {and FIELD} | everybody who comes to THING"""
        if everybody := self.everybody(at):
            return everybody
        if (owned := self._owned(at)) is not None:
            return owned
        if (that := self.take(at, "demonstratives")) and (named := self.take(that.end, "field")) and self._field_here(named):
            back = self.back(field=named.entry.name, at=at)
            return (back.model_copy(update={"spans": self.spans(at, named.end)}), named.end) if back else None
        whose, article = self.take(at, "possessives"), self.take(at, "articles")
        article = article if article and article.entry.name == "one" else None
        start = whose.end if whose else article.end if article else at
        found = self._field_list(start)
        if found is None or self._open(found[1]) or self.kind(found[1]) in {"quote", "number"}:
            return None
        names, end = found
        of = not whose and self.low(end) in {"of", "for", "from", "on", "in"} and not self.dates.days(end)
        if (
            of
            and not (self.take(end, "channels") and "channels" in self.claimed)
            and self.subject is None
            and (self.low(end) == "of" or self.low(end) not in self.claimed | self.reserved)
            and (thing := self.thing(end + 1))
        ):
            value = Of(fields=names, thing=thing[0], spans=self.spans(at, thing[1]))
            return self._over_all(names, start, end, value) or value, thing[1]
        if any(self.low(place) == "it" for place in range(start, end)):  # the day on which it is due
            back = None if self.topic else self.back(False, at=at)
            holds = self.spoken() if self.topic else Thing(back=back)
            return (Of(fields=names, thing=holds, spans=self.spans(at, end)), end) if self.topic or back else None
        if whose is not None and whose.entry.data["value"] == "person":
            return Of(fields=names, thing=self._person(at, whose.end)[0], spans=self.spans(at, end)), end
        holder = self._holder(at, () if whose is not None else names, bool(whose or article))
        if holder is not None and holder.back is not None and whose is not None and whose.entry.data["value"] == "all":
            holder = holder.model_copy(update={"quantity": "all"})
        return (Of(fields=names, thing=holder, spans=self.spans(at, end)), end) if holder is not None else None

    def _over_all(self, names: tuple[str, ...], at: int, end: int, value: Of) -> Worked | None:
        """What is said of several together: "the number of" them, but not the numbers or that of each; "the sum of" theirs."""
        thing, first = value.thing, self.low(at)
        if "sum" in names and len(names) > 1 and plural(thing):
            raise Doubt(f"is {self.words.goal!r} to say each one's, or one of them all?")
        each = self.low(end + 1) in {"each", "every"}
        if first == "number" and end == at + 1 and self.low(end) == "of" and thing.quantity == "all" and not each:
            return Worked(how="count", of=(Of(thing=thing, spans=thing.spans),), spans=value.spans)
        summed = plural(thing) and names == (first,) and (first == "sum" or (first == "total" and not thing.also))
        return Worked(how="sum", of=(value,), spans=value.spans) if summed else None

    def _holder(self, at: int, names: tuple[str, ...], definite: bool) -> Thing | None:
        """Whose field is meant where it is not said: of what the order is about, or of what was spoken of before."""
        if self.subject is not None:
            return self.subject
        if definite and self.topic is not None and self.object is None and self.each is None:
            return self.spoken()
        own = self.each is not None or (self.object is not None and not self.object.new)
        spoken_of = next((n for n, order in reversed([*enumerate(self.orders)]) if names and names in _fields(order)), None)
        if not own and spoken_of is not None:
            return Thing(back=Back(to=spoken_of, spans=self.spans(at, at + 1)))
        back = Back(to=len(self.orders), spans=self.spans(at, at + 1)) if own else self.back(at=at)
        return Thing(back=back) if back is not None else None

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
        article = self.take(at, "articles")
        start = article.end if article else at
        quoted = self.kind(at) == "quote"
        end = at + 1 if quoted else self._name_end(start)
        found = self._field_list(end + 1) if end > start and self.low(end) == "'s" else None
        if found is None:
            return None
        draft = Draft()
        if quoted:
            draft.name = self.text(at, end, quoted=True)
        else:
            self._noun_and_name(start, end, draft, determined=article is not None)
        return Of(fields=found[0], thing=draft.thing(self.spans(at, end)), spans=self.spans(at, found[1])), found[1]


def _fields(order: Order) -> list[tuple[str, ...]]:
    """The fields that an order finds out."""
    return [slot.value.fields for slot in order.slots if isinstance(slot.value, Of)]
