"""A goal's words to orders, with nothing left over: what belongs to no order is named, and the goal is not understood.

goal      = sentence { ("." | "!" | "?" | ";") sentence }
sentence  = [condition ","] clause { [","] join clause } [condition]
clause    = [request] ["do not"] verb operand { [","] operand }
          | wish thing | thing "should be" participle operands | thing belongs thing | fronted "," clause | question
operand   = thing | value | preposition value | field value | date | "that" words
condition = ("if" | "unless") (thing predicate | "there is" thing) | "if so" | "otherwise"
"""

from collections.abc import Iterator
from typing import Any

from environments.cards import Vocabulary
from roles.contracts.orders import Back, Condition, Of, Order, Reading, Slot, Text, Thing, Unread, When, said
from roles.screen.language.controls import PATH, Controls
from roles.screen.language.frames import Frame
from roles.screen.language.names import Read, bare
from roles.screen.language.statements import Statements
from roles.screen.language.words import Doubt, Match, Words, deeds, table

CHANGES = frozenset({"move", "postpone", "set", "rename"})
TIMELESS = frozenset({"answer", "find", "check", "open", "keep", "wait", "wait_time"})
UNUSED = "nothing that follows refers to it"


def read(goal: str, today: str = "", words: Vocabulary | None = None) -> Reading:
    """What a goal asks for; `today` is the world's clock, such as `2026-03-02 10:30`, `words` those of the applications."""
    reading = Clauses(Words(goal, words), today).reading()
    if not reading.unread or words is None or words.shown is None:
        return reading
    loose = Clauses(Words(goal, words), today)
    loose.loosely = True
    formed = loose.reading()
    return formed if formed.understood else reading


class Clauses(Statements, Controls):
    """Reads sentences and the orders in them."""

    def reading(self) -> Reading:
        at, asks, unread, size = 0, list[str](), list[Unread](), len(self.words.list)
        while at < size:
            end = self._sentence_end(at)
            try:
                stop = self.sentence(at + (self.low(at) == ","), end)
            except Doubt as doubt:
                asks.append(str(doubt))
                stop = end
            if self.waiting and stop == end and self.waiting[1] < at:
                unread.append(self._unread(*self.waiting, UNUSED))
                self.waiting = None
            if stop < end:
                unread.append(self._unread(stop, end, self.why(stop, end)))
            at = end
            while self.ends(at):
                at += 1
        self._spare()
        unread += self._unsettled()
        idle = [span for n in range(size) if self.ends(n) for span in self.spans(n, n + 1)]
        return Reading(
            goal=self.words.goal,
            orders=tuple(self.orders if self.words.shown is not None else map(_located, self.orders)),
            nothing=tuple(sorted([*idle, *((token.start, token.end) for token in self.words.nothing)])),
            unread=tuple(unread),
            asks=(*asks, *self._unsaid(), *self._contradictions()),
            context=tuple(self.context),
        )

    def _unread(self, first: int, end: int, why: str) -> Unread:
        span = (self.words.list[first].start, self.words.list[end - 1].end)
        return Unread(text=self.words.goal[span[0] : span[1]], span=span, why=why)

    # What is certain of the whole goal

    def _unsettled(self) -> Iterator[Unread]:
        """At the end: a question is answered; what was told to no end is unread."""
        if self.waiting and self.condition and self.condition.spans == self.spans(*self.waiting):
            self.yes_or_no(*self.waiting, self.condition)
        elif self.waiting:
            yield self._unread(*self.waiting, UNUSED)
        for told in self.context:
            if not self._unrelated(told):
                yield Unread(text=told.text, span=told.span, why="it is not certain what this says about what is to be done")

    def _unsaid(self) -> Iterator[str]:
        """Who is told nothing: what it is to be has to be asked."""
        for order in self.orders:
            told = {slot.role for slot in order.slots} & {"saying", "with", "about", "value"}
            verb = order.said.lower().partition(" ")[0]
            verb_alone = order.object is not None and bare(order.object) and verb in {"tell", "inform", "notify", "let"}
            alone = order.object is None or order.verb == "reply" or verb_alone
            if order.verb == "keep" and order.negated:
                yield f"what is to become of what is not kept: {said(self.words.goal, order.spans)!r}?"
            if order.verb in {"send", "reply"} and not told and alone and not order.negated:
                yield f"what is to be said: {self.words.goal[order.spans[0][0] : order.spans[0][1]]!r}?"

    def _contradictions(self) -> Iterator[str]:
        """What is to be gone and to be kept: "delete the note Plan and keep it"."""
        goal = self.words.goal
        for keep in [one for one in self.orders if one.verb == "keep" and not (one.negated or one.slots or one.condition)]:
            for at, order in enumerate(self.orders):
                thing, kept = order.object, keep.object
                if order.negated or order.verb not in deeds()["gone"] or thing is None or kept is None or kept.but or kept.tests:
                    continue
                names = [one.name.text.casefold() if one.name is not None else "" for one in (thing, kept)]
                alike = kept.kind in {"", thing.kind} and kept.place is None
                same = alike and kept.back is None and (names[0] == names[1] if names[1] else kept.quantity == "all")
                if same or (kept.back is not None and kept.back.to == at and not kept.pick):
                    yield f"which of the two: {said(goal, order.spans)!r}, or {said(goal, keep.spans)!r}?"

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
        colon = next((place for place in range(at, end) if self.low(place) == ":" and place + 1 < end), end)
        if colon < end and (told := self._told(at, colon)) == colon:
            at = colon + 1
        if self.waiting is None and not self.recent:
            self.topic, self.topics = None, ()
        self.recent = False
        standing, begin = self._front(at)
        waits = len(self.orders) > before
        stop = end if waits and begin >= end else self._clauses(begin, end, standing)
        if waits:
            self.orders[before + 1 :] = [order.model_copy(update={"after": (before,)}) for order in self.orders[before + 1 :]]
        rest = stop + (self.low(stop) == ":")
        if stop < end and len(self.orders) > before and self.low(rest - 1) in {":", "and"} and self._given_slot(rest) == end:
            return end  # a mail to Ann: the subject is X, and the text should be Y
        if stop < end:
            del self.orders[before:]
            self.people = people
            told = self._told(at, end) if standing is None else None
            return told if told is not None else at if stop == begin else stop
        return stop if stop > begin else at

    def _statement(self, at: int) -> int | None:
        """there is THING | I do not need THING | is THING PREDICATE? | check whether THING PREDICATE | it is in PLACE"""
        if (told := self._messaged(at) or self._renewed(at)) is not None:
            return told
        opened = self.take(at, "existing", "unwanted")
        if opened is not None:
            found = self.thing(opened.end)
            money = found is not None and self.low(opened.end - 1) == "for" and self.low(found[1]) == "back"
            if found is None or not self.over(found[1] + money):
                return None
            found = found[0], found[1] + money  # I need the money for it back
            self.topic, self.waiting = found[0].model_copy(update={"spans": self.spans(at, found[1])}), (at, found[1])
            return found[1]
        if (wanted := self._wanting(at)) is not None:
            return wanted
        check, aux = self.see(at, "<requests>? <check_words>"), self.take(at, "auxiliaries")
        asked = self._condition_of(at, check.end) if check else self._asked_condition(at, aux) if aux else None
        return asked or self._placed(at) or self._given_slot(at) or self._added(at) or self._sending(at)

    def _added(self, at: int) -> int | None:
        """put VALUES on the claim | the FIELD belongs on the claim | each claim needs the FIELDS: for the order before"""
        last, people = self.orders[-1] if self.orders else None, list(self.people)
        claims = last is not None and last.verb == "claim"
        begun = last is not None and last.verb == "submit" and last.object is not None and last.object.quantity == "any"
        if last is None or last.negated or last.object is None or not (claims or begun or last.object.new):
            return None
        made, kind = self.makes, last.verb if claims else last.object.kind
        lead = self.see(at, "put|enter|write|note|mention|include")
        needs = self.see(at, "each|every|the <noun> <receives>") or self.see(at, "it <receives>")
        if needs and "noun" in needs and needs["noun"].entry.name != kind:
            return None
        own = self.see(at, "the <field> belongs|goes|comes") if not (lead or needs) else None
        lead_in = lead or needs or own
        start = lead_in.end if lead_in else at
        self.orders.pop()
        self.makes, self.object, each = (kind,), last.object, self.each
        self.each = next((s.value.thing for s in last.slots if s.role == "per" and isinstance(s.value, Of)), None)
        frame = Frame(self, self.words.lexicon.data["verbs"][last.verb] | {"name": last.verb}, last.object)
        end: int | None = start
        if own is not None:
            held = Of(fields=(own["field"].entry.name,), thing=Thing(back=Back(to=len(self.orders))))
            frame.add("with", held, at, own.end)
        elif lead or needs:
            fields = self.fields(start) if (end := frame.pairs(at, start)) is None else None
            end = frame.add("with", fields[0], at, fields[1]) if fields else end
        stop = (self.on_form(end) or self.skip(end, "on|in|into it")) if end else start
        stop += self.low(stop) == "," and self.over(stop + 1)  # on the claim, too
        self.each = each
        there = needs or any(self.on_form(n) or self.see(n, "on|in|into it") for n in range(start, stop))
        if not (frame.slots and there and self.over(stop)):
            self.orders.append(last)
            self.makes, self.people = made, people
            return None
        spans = self.spans(at, stop)
        change = {"slots": (*last.slots, *frame.slots), "spans": (*last.spans, *spans)}
        self.orders.append(last.model_copy(update=change))
        return stop

    def _sending(self, at: int) -> int | None:
        """[within LENGTH] ANN sends a THING: what "when it is there" waits for"""
        length = self.dates.length(at + 1) if self.low(at) in {"within", "in"} else None
        found = self.coming(length[1] if length else at)
        if found is None or not self.over(found[1]):
            return None
        self.topic = self.expected = found[0].model_copy(update={"spans": self.spans(at, found[1])})
        self.waiting = (at, found[1])
        return found[1]

    def _wanting(self, at: int) -> int | None:
        """ANN wants to know QUESTION {and QUESTION} | ANN needs the FIELDS of THING: it is to be found out."""
        end = self._name_end(at)
        verb = self.take(end, "wants_to_know") if end > at else None
        if verb is None or (end > at + 1 and not all(self.words.capital(n) for n in range(at, end))):
            return None
        size, stop, said_ = len(self.orders), verb.end, self.words.text(end, verb.end)
        while (value := self.worked(stop) or self.fields(stop)) is not None:
            slot = Slot(role="value", value=value[0], spans=value[0].spans)
            self.orders.append(Order(verb="find", said=said_, slots=(slot,), spans=self.spans(at, value[1])))
            stop = value[1]
            if self.over(stop) or (self.low(stop) == "," and self.clause(stop + 1)):
                self.people = [*self.people, self.words.text(at, end)]
                self.asker = range(size, len(self.orders))
                return stop if self.over(stop) else self._clauses(stop + 1, self._sentence_end(stop), None)
            if not (joined := self._separator(stop)):
                break
            stop = joined
        del self.orders[size:]
        return None

    def _condition_of(self, at: int, end: int) -> int | None:
        """THING PREDICATE, which "if so" will speak of."""
        found = self._said(at, end, False)
        if found is None or not found[0].tests or not self.over(found[1]):
            return None
        return self._await(at, found[0].thing, found[0].tests, found[1])

    def _clauses(self, at: int, end: int, standing: Condition | None) -> int:
        first, begun = len(self.orders), True
        while at < end and begun:
            found = self.clause_at(at, standing) or (self._gapped(at, standing) if len(self.orders) > first else None)
            if found is None:
                return at
            at, self.topic, self.topics = self._in_time(found), self.topic if self.recent else None, ()
            self.recent = False
            other = standing is not None or len(self.orders) > first + 1 or self.orders[-1].verb in CHANGES
            last = self.low(at) in {"then", "afterwards"} and self.over(at + 1)
            held = self.see(at, ",? <by_myself>") if self.orders[-1].negated else None
            self.words.nothing += self.words.list[at : held.end] if held else []
            at = self._without((held.end if held else at) + (last or (other and self.low(at) == "instead")))
            if at >= end or (at == end - 1 and self.low(at) == ","):
                return end
            if standing is None and self._trailing(at, end, len(self.orders) - first):
                return end
            at, standing, begun = self._joined(at, end, standing)
        return at

    def _in_time(self, at: int) -> int:
        """[","] "before that" | "before" [THING "at"] TIME | "by" DAY: by when the order before is to be done."""
        said, order = self.see(at, ",? before|by"), self.orders[-1] if self.orders else Order(verb="keep")
        entry, made = self.words.lexicon.data["verbs"].get(order.verb, {}), order.object is not None and order.object.new
        dated = entry.get("makes") or entry.get("timed") or any(isinstance(slot.value, When) for slot in order.slots)
        if said is None or order.negated or order.verb in TIMELESS or dated or (made and order.verb != "submit"):
            return at
        read = self._moment(said.end, whole=self.low(said.end - 1) == "by")
        if read is None or not self._ends_here(read[1]):
            return at
        spans = self.spans(at, read[1])
        slot = Slot(role="before", value=read[0].model_copy(update={"spans": spans}), spans=spans)
        self.orders[-1] = order.model_copy(update={"slots": (*order.slots, slot), "spans": (*order.spans, *spans)})
        return read[1]

    def _moment(self, at: int, whole: bool) -> Read[When] | None:
        """that | [THING "at"] TIME | DAY, of which the `whole` is time enough"""
        if self.low(at) in {"that", "then"} and self.deadline is not None:
            return self.deadline, at + 1
        thing = None if self.dates.read(at) else self.simple(at)
        event = [test.value for test in thing[0].tests if isinstance(test.value, When)] if thing else []
        read = (event[-1], thing[1]) if thing and event else self.dates.read(at)
        if read is None or read[0].minutes or not self.today or not (read[0].start or read[0].first):
            return None
        when, clock = read[0], read[0].first[11:] or read[0].start
        day = (when.last if whole else when.first)[:10] or self.today[:10]
        return When(text=when.text, first=day, start=clock or ("23:59" if whole else "00:00")), read[1]

    def _gapped(self, at: int, standing: Condition | None) -> int | None:
        """ "and the brightness to 40", "and the hall light off": the verb said last, with all that went with it there."""
        last = self.orders[-1]
        front = tuple(slot for slot in last.slots if slot.role == "at" and isinstance(slot.value, Of))  # in the form, enter ...
        for verb, pending in self._verbs(self.verb_at) if not last.negated else ():
            self.object = None
            found = self._operands(verb, at, pending)
            if found is None or not (last.slots or (pending and " " in last.said)):
                continue
            said_ = " ".join((self.words.text(self.verb_at, verb.end), *pending))
            order = found[0].model_copy(update={"said": said_, "slots": (*found[0].slots, *front)})
            shapes = [(pending or one.verb, one.object is None, {slot.role for slot in one.slots}) for one in (order, last)]
            if shapes[0] == shapes[1]:
                return self._ordered(at, at, (order, found[1]), False, standing)
        return None

    def _trailing(self, at: int, end: int, count: int) -> bool:
        """A condition at the end of a sentence; over several orders it is not certain how far it goes."""
        trailing = self.conditional(at + (self.low(at) == ","))
        if trailing is None or trailing[1] < end:
            return False
        if count > 1:
            raise Doubt(f"does {self.words.text(at, end)!r} apply to all that was said before it, or to the last only?")
        self.orders[-1] = self.orders[-1].model_copy(update={"condition": trailing[0]})
        self.condition = trailing[0]
        return True

    def _joined(self, at: int, end: int, standing: Condition | None) -> tuple[int, Condition | None, bool]:
        """ "," | and | then | but | , if not: the place of the next clause, what stands over it, and whether there is one"""
        step = at + (self.low(at) in {",", "-", "–"} or (self.words.shown is not None and self.low(at) in PATH))
        join = self.take(step, "joins")
        if join is None and step == at:
            return at, standing, False
        place = join.end if join else step
        place += self.low(place) == ","
        while place < end and (more := self.take(place, "joins")) and not self.take(place, "ordinals"):
            place = more.end
        if standing is not None and self.take(place, "if_so", "if_not", "conditions") and (again := self.conditional(place)):
            standing, place = again[0], again[1] + (self.low(again[1]) == ",")
            self.topic = standing.thing if standing.thing.back is None else None
        if join is not None and place >= end:
            empty = [token for token in self.words.nothing if self.words.list[place - 1].start < token.start]
            idle = place == end and empty and (end >= len(self.words.list) or empty[0].start < self.words.list[end].start)
            return end if idle else step, standing, False
        if self.orders[-1].negated and (join is None or join.entry.name != "but") and not self.take(place, "negations"):
            raise Doubt(f"is {self.words.text(place, end)!r} to be done, or not to be done as well?")
        return place, standing, True

    def _without(self, at: int) -> int:
        """ "without opening it": an order that says what must not be done"""
        for verb in self.words.matches(at + 1, "verb") if self.take(at, "without") else ():
            found = self._operands(verb, verb.end) if verb.entry.shape == "ing" else None
            if found is not None:
                said_, spans = self.words.text(at + 1, verb.end), self.spans(at, found[1])
                self.orders.append(found[0].model_copy(update={"said": said_, "negated": True, "spans": spans}))
                return found[1]
        return at

    # Clauses

    def clause_at(self, at: int, standing: Condition | None) -> int | None:
        """One clause; its order is added to those read. Gives the place behind it."""
        size, start = len(self.orders), at
        idle = self.see(at, "<idle>") or self.see(at, "there is nothing to <verb>")
        alone = idle is not None and (self.over(idle.end) or self.low(idle.end) == ":")
        if idle and alone and self.condition is not None:  # otherwise do nothing
            self.words.nothing += self.words.list[at : idle.end]
            return idle.end if self.over(idle.end) else self.clause_at(idle.end + 1, standing)
        while (opened := self.take(at, "requests")) is not None:
            if any(verb.end > opened.end for verb in self.words.matches(at, "verb")):  # "I want to know" asks by itself
                break
            at = opened.end
        denied = self.see(at, "<negations>") or self.see(at, "not to")
        at, self.denied = denied.end if denied else at, denied is not None
        if not denied and standing is None and (stop := self.whether(at) or self.awaited(at) or self._which_it_is(at)):
            return stop
        sure = (self.passive,) if self.take(at, "ensures", "wishes") else ()
        told = (self.in_language, self.imperative, self.question, self.received, self.passive, self.fronted)
        for rule in (self.on_page, *sure, *told, self.form_words):
            self.object = None
            self.claimed = frozenset()
            found = rule(at)
            if found is not None and not self._goes_on(found[1]):
                found = self.form_words(at) or found
            if found is not None:
                return self._ordered(start, at, found, denied is not None, standing)
            del self.orders[size:]
        return None

    def _goes_on(self, at: int) -> bool:
        """Whether nothing is left of the clause that ends here."""
        sep = self._separator(at)
        return self.over(at) or (bool(sep) and (self._begins(sep) or self.clause(sep))) or bool(self.take(at, "joins"))

    def _ordered(self, start: int, at: int, found: Read[Order], negated: bool, standing: Condition | None) -> int | None:
        order, end = found
        thing = order.object
        said_all = any(self.take(n, "all") and self.low(n) != "any" for n in range(at, at + 3))
        if negated and said_all and thing is not None and thing.quantity == "all":
            raise Doubt(f"is nothing of it to be done, or not to all: {self.words.text(start, end)!r}?")
        if order.verb == "keep" and order.said.lower() in self.words.lexicon.data["verbs"]["touch"]["forms"]:
            if not negated:
                return None
            negated = False  # not to touch it is to keep it
        change = {"negated": negated or order.negated, "condition": standing or order.condition, "spans": self.spans(start, end)}
        self.orders.append(order.model_copy(update=change))
        if thing is not None and (bare(thing) or "contact" in {thing.kind, thing.place.kind if thing.place else ""}):
            self.named(thing.name)
        self._reply()
        self._restated()
        return end if not (negated and order.negated) else None

    def question(self, at: int) -> Read[Order] | None:
        found = self.asked(at, turned=True) if at == 0 or self.ends(at - 1) or self.low(at - 1) in {"and", ","} else None
        if found is None:
            return None
        slot = Slot(role="value", value=found[0], spans=found[0].spans)
        return Order(verb="answer", said=self.words.text(at, at + 1), slots=(slot,)), found[1]

    def in_language(self, at: int) -> Read[Order] | None:
        """I want everything in LANGUAGE"""
        wish, known = self.see(at, "<wishes> everything|all in"), table("phrases")["languages"]
        name = self.name(wish.end) if wish else None
        if wish is None or name is None or name[0].text.casefold() not in {*known, *map(str.casefold, known.values())}:
            return None
        slot = Slot(role="value", value=name[0], spans=name[0].spans)
        thing = Thing(kind="language", spans=self.spans(at, wish.end))
        return Order(verb="set", said=self.words.text(at, wish.end), object=thing, slots=(slot,)), name[1]

    def received(self, at: int) -> Read[Order] | None:
        """NAME|everybody who comes to THING should get a mail operands"""
        who = self.everybody(at) or self.valued(at)
        gets = self.take(who[1], "receives") if who else None
        read = self._operands("send", gets.end, mine=True) if gets else None
        if who is None or gets is None or read is None or not read[0].object or any(slot.role == "to" for slot in read[0].slots):
            return None
        slot = Slot(role="to", value=who[0], spans=self.spans(at, who[1]))
        return read[0].model_copy(update={"said": self.words.text(who[1], gets.end), "slots": (slot, *read[0].slots)}), read[1]

    def passive(self, at: int) -> Read[Order] | None:
        """THING should [not] be PARTICIPLE operands | "make sure that" THING is PARTICIPLE operands | THING should be
        called NAME | I want THING PARTICIPLE operands"""
        sure = self.take(at, "ensures", "wishes")
        found = self.thing(sure.end if sure else at)
        if found is None or (sure and sure.entry.name == "done" and not found[0].back):
            return None
        thing, end = found
        be = sure is not None and sure.entry.group == "ensures" and self.low(end) in {"is", "are", "was", "were"}
        denied, modal = self.see(end, "<auxiliaries> not be"), self.take(end, "passives")
        stop, negated = modal.end if modal else denied.end if denied else end + be, denied is not None
        if not negated and (settled := self._settled(thing, end, stop, be)) is not None:
            return settled
        if not (modal or negated or be or (sure and sure.entry.group == "wishes")):
            return None
        called = self.take(stop, "predicates")
        if called and called.entry.name == "is called" and (name := self.title(called.end)):
            last = self.skip(name[1], "<henceforth>")
            slot = Slot(role="to", value=name[0], spans=self.spans(end, last))
            said_ = self.words.text(end, called.end)
            return Order(verb="rename", said=said_, object=thing, slots=(slot,), negated=negated), last
        for verb in self.words.matches(stop, "verb"):
            read = self._operands(verb, verb.end, given=thing) if verb.entry.shape == "past" else None
            if read is not None:
                return read[0].model_copy(update={"said": self.words.text(stop, verb.end), "negated": negated}), read[1]
        return None

    def _settled(self, thing: Thing, end: int, stop: int, be: bool) -> Read[Order] | None:
        """THING belongs in THING | THING is in THING, where that is ordered | THING stays as it is | THING [should be] off"""
        belongs = self.take(end, "belongs")
        if belongs or (be and self.low(stop) == "in"):
            start = belongs.end if belongs else stop + 1
            into = self.valued(start)
            given = belongs and self.low(start - 1) == "to" and "belong" not in self.low(end)
            if into is None or (given and isinstance(into[0], Text)):
                return None  # what goes to a person may be given or sent
            slot = Slot(role="into", value=into[0], spans=self.spans(end, into[1]))
            return Order(verb="put", said=self.words.text(end, start), object=thing, slots=(slot,)), into[1]
        if kept := self.see(end, "<obliged>? <stays> <keeps>"):
            return Order(verb="keep", said=self.words.text(end, kept["stays"].end), object=thing), kept.end
        made = self.words.lexicon.data["made_so"].get(self.low(stop))
        if made and (self.over(stop + 1) or self._separator(stop + 1)):
            return Order(verb=made, said=self.words.text(end, stop + 1), object=thing), stop + 1
        return None

    def fronted(self, at: int) -> Read[Order] | None:
        """in|on THING "," clause | for every THING "," clause"""
        each, place = self.low(at) == "for", self.part_at(at)
        place = place or (self.simple(at + 1) if self.low(at) in {"in", "on", "for"} else None)
        if place is None:
            return None
        comma = self.low(place[1]) == ","
        if place[0].quantity != "all" if each else not (comma or self.words.verbal(place[1])):
            return None
        self.each = place[0] if each else None
        read = self.on_page(place[1] + comma) or self.imperative(place[1] + comma)
        self.each = None
        if read is None:
            return None
        order, end = read
        if not each and order.object is not None and order.object.place is None and not order.object.new:
            return order.model_copy(update={"object": order.object.model_copy(update={"place": place[0]})}), end
        slot = Slot(role="per" if each else "at", value=self.valued_thing(place[0]), spans=self.spans(at, place[1]))
        return order.model_copy(update={"slots": (*order.slots, slot)}), end

    # Verbs

    def imperative(self, at: int) -> Read[Order] | None:
        """The verb here whose entry carries furthest."""
        best: Read[Order] | None = None
        people = known = list(self.people)
        for verb, pending in self._verbs(at):
            self.object, self.people = None, list(people)
            none = self.simple(verb.end + 1) if self.low(verb.end) == "no" and self.take(verb.end + 1, "noun") else None
            thing = none[0].model_copy(update={"quantity": "any"}) if none else None  # send no mail
            found = self._operands(verb, none[1] if none else verb.end, pending, given=thing)
            if found is not None and none is not None:
                found = found[0].model_copy(update={"negated": True}), found[1]
            if found is not None and (best is None or found[1] > best[1]):
                said_ = " ".join((self.words.text(at, verb.end), *pending))
                best, known = (found[0].model_copy(update={"said": said_}), found[1]), self.people
                self.verb_at = at
                if not pending and self._ends_here(best[1]):
                    break
        self.people = known
        return best

    def _verbs(self, at: int) -> Iterator[tuple[Match, tuple[str, ...]]]:
        """The verbs that can stand here, and the words of each that are still to come: throw X "out"."""
        lexicon = self.words.lexicon
        for entry in lexicon.first.get(lexicon.corrected(self.low(at)), ()) if self.kind(at) == "word" else ():
            words = entry.words
            if entry.group != "verb" or entry.shape != "base":
                continue
            if "~" in words:
                yield Match(entry, at + 1), words[2:]
            elif self.words.has(at + 1, *words[1:]):
                yield Match(entry, at + len(words)), ()
            elif len(words) == 2 and (words[1] in {*lexicon.data["particles"], "on"} or self._ends_in(words[1], at)):
                yield Match(entry, at + 1), words[1:]

    def _ends_here(self, at: int) -> bool:
        return self.over(at) or self.low(at) in {",", "and", "but", "then"}

    def _ends_in(self, word: str, at: int) -> bool:
        """Whether "in" stands at the end of the clause, where it is of the verb and no place follows."""
        ends = (n for n in range(at + 2, at + 12) if not self.over(n) and self.low(n) == word == "in")
        return any(self._ends_here(n + 1) for n in ends)

    def _operands(
        self, verb: Match | str, at: int, pending: tuple[str, ...] = (), given: Thing | None = None, **more: Any
    ) -> Read[Order] | None:
        """What goes with a verb, in any order that its entry allows."""
        if isinstance(verb, str):
            entry = self.words.lexicon.data["verbs"][verb] | {"name": verb} | more
        else:
            entry = dict(verb.entry.data) | {"name": verb.entry.name, "said": verb.entry.words[0]}
        name, slots, makes, says = entry["name"], entry["slots"], entry.get("makes"), entry.get("says")
        claimed, each = self.claimed, self.each
        self.dates.ranges = "to" not in slots or bool(makes or says) or name in {"put", "add"}
        self.claimed = frozenset(slots) | ({"when"} if makes or name in {"remind", "put"} else set())
        self.claimed |= {"channels"} if says else set()
        self.loose = name in {"set", "fill", "sort", "remove", "take_from", "delete", "empty"}
        self.makes = (name,) if name == "claim" else ()
        if not makes and slots.get("with") == "with" and name not in {"compare", "merge"}:
            self.reserved = frozenset({"with"})
        frame = Frame(self, entry, given)
        end = frame.fill(at, pending)
        order = frame.order() if end is not None else None
        if order is not None and end is not None and self.denied and not (order.object or order.slots or self._ends_here(end)):
            order = None  # "do not order yet", and not what it is that is not to be ordered
        self.claimed, self.loose, self.each, self.subject, self.dates.ranges = claimed, False, each, None, True
        self.reserved = frozenset()
        return (order, end) if order is not None and end is not None else None


def _located(order: Order) -> Order:
    """The order with the folder and the name that a path says: "/Reports/plan.txt"."""
    thing, called = order.object, [s for s in order.slots if isinstance(s.value, Of) and s.value.thing.kind == "path"]
    if thing is None or thing.kind not in {"file", "document", "folder", "directory"} or (thing.place and thing.place.kind):
        return order
    name = called[0].value.thing.name if called and isinstance(called[0].value, Of) and thing.name is None else thing.name
    if name is None or not name.text.startswith("/"):
        return order
    folder, _, last = name.text.rstrip("/").rpartition("/")
    place = Thing(kind="folder", name=name.model_copy(update={"text": folder or "/"}), place=thing.place, spans=name.spans)
    thing = thing.model_copy(update={"name": name.model_copy(update={"text": last})})
    if not thing.new:
        return order.model_copy(update={"object": thing.model_copy(update={"place": place})})
    into = Slot(role="into", value=Of(thing=place, spans=place.spans), spans=place.spans)
    return order.model_copy(update={"object": thing, "slots": (*(s for s in order.slots if s not in called), into)})
