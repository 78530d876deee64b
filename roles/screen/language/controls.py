"""The words of user interfaces: what is pressed, filled, chosen, opened and read on a page. Read where a goal is about one.

clause = press thing {and thing} | write value (into thing | as label) {and ...} | write label value {and ...} [into thing]
       | set label to value {and ...} | select thing {and thing} [from thing] | select value as label | find piece of thing ...
thing  = [the] name | [the] [label] widget [called name] [(in|of|for) thing]
"""

from typing import Any, Literal

from roles.contracts.orders import Of, Order, Pick, Slot, Text, Thing, Value
from roles.screen.language.names import Draft, Read
from roles.screen.language.values import Values
from roles.screen.language.words import Match, deeds, phrases, table

_LONGEST = 8
"""Words of a name that is neither quoted nor on the page."""
_BACK = frozenset({"it", "that", "this"})
PATH = (">", "→", "->", "»", "›")
"""What parts the entries of nested menus."""


class Controls(Values):
    """Reads clauses about a page."""

    loosely = False
    """What is left over of a clause may be words of a form."""

    def on_page(self, at: int) -> Read[Order] | None:
        if self.words.shown is None:
            return None
        if at and self.low(at - 1) in PATH and self.orders:  # Edit > Find: one press after the other
            found = self.page_things(at)
            return (found[0].model_copy(update={"said": self.orders[-1].said}), found[1]) if found else None
        if entered := self._entered(at):
            return entered
        at = self._one_of(self._revealing(at), table("pages")["found"]) or self._revealing(at)
        for name, verb in table("pages")["verbs"].items():
            end = self._one_of(at, verb["forms"])
            found = getattr(self, f"page_{verb['reads']}")(end) if end else None
            if found is None or (name == "set" and any(slot.role == "into" for slot in found[0].slots)):
                continue  # the status of ticket 7 to Closed: of a record, and no control
            order, stop = found
            place = self.part_at(stop)
            slots = (*order.slots, *self._slot("at", place, stop))
            order = order.model_copy(update={"verb": name, "said": self.words.text(at, end), "slots": slots})
            return order, self._purpose(place[1] if place else stop)
        return self._done_to(at)

    def part_at(self, at: int) -> Read[Thing] | None:
        """in the Billing tab"""
        place = self._part(at + 1, inner=True) if self.words.shown is not None and self.low(at) in {"in", "on", "under"} else None
        return place if place is not None and place[0].kind in {"tab", "section"} and place[0].name is not None else None

    def _entered(self, at: int) -> Read[Order] | None:
        """sign up: where a control is called so, it is what is to be pressed"""
        end = self._one_of(at, table("pages")["enters"])
        if not end or not (self.over(end) or self._separator(end)) or not self._is_shown(self.text(at, end)):
            return None
        thing = Thing(name=self.text(at, end), spans=self.spans(at, end))
        return Order(verb="click", said=self.words.text(at, end), object=thing), end

    def _done_to(self, at: int) -> Read[Order] | None:
        """VERB [the] [noun] NAME [from|to THING]: done by the control for it that stands with NAME"""
        verb = self._deed_at(at)
        found = (self._named_one(verb.end) or self._named_one(verb.end + (self.low(verb.end) == "in"))) if verb else None
        if verb is None or found is None:
            return None
        (thing, end), slots = found, list[Slot]()
        while (word := self.low(end)) in {"from", "to", "into", "in"}:
            place = self._part(end + 1, inner=True)
            if place is None:
                return None
            slots += self._slot("from" if word == "from" else "into", place, end)
            end = place[1]
        if not (self.over(end) or self._separator(end)):
            return None
        return Order(verb=verb.entry.name, said=self.words.text(at, verb.end), object=thing, slots=tuple(slots)), end

    def form_words(self, at: int) -> Read[Order] | None:
        """VERB {words of a form}: which of its fields they are for is told by who sees it"""
        if not self.loosely or (verb := self._deed_at(at)) is None:
            return None
        end = verb.end
        while not self.over(end):
            sep = self._separator(end)
            if sep and (self._begins(sep) or self.clause(sep)):
                break
            if self.kind(end) != "quote" and self.take(end, "negations", "conditions", "exceptions", "no", "not", "all", "vague"):
                return None
            end += 1
        if end == verb.end:
            return None
        slot = Slot(role="with", value=self.text(verb.end, end), spans=self.spans(verb.end, end))
        return Order(verb=verb.entry.name, said=self.words.text(at, verb.end), slots=(slot,)), end

    def _deed_at(self, at: int) -> Match | None:
        """A verb that is no word for working a page."""
        own = {*deeds()["looks"], *deeds()["tells"], *deeds()["presses"], *table("pages")["verbs"]}
        if any(self._one_of(at, verb["forms"]) for verb in table("pages")["verbs"].values()):
            return None
        bases = (verb for verb in self.words.matches(at, "verb") if verb.entry.shape == "base" and "~" not in verb.entry.words)
        return next((verb for verb in bases if verb.entry.name not in own), None)

    def _named_one(self, at: int) -> Read[Thing] | None:
        """What is shown, quoted or begins with a capital, with the noun before it: the card "Plan party"."""
        start = at = self._past_article(at)
        for skip in range(3):
            name = self._shown(at + skip, sure=True)
            capital = self.words.capital(at + skip)
            name = name or (self._phrase(at + skip) if capital else None)
            if name is not None and (name[0].quoted or capital or self.words.list[at + skip].kind != "word"):
                kind = self.words.text(at, at + skip).casefold()
                return Thing(kind=kind, name=name[0], spans=self.spans(start, name[1])), name[1]
            if self.kind(at + skip) != "word" or self.words.closed(at + skip) or self.low(at + skip) in phrases("stops"):
                return None
        return None

    def _revealing(self, at: int) -> int:
        """switch between the tabs to: where what is meant is looked for says no more of it"""
        end = self._one_of(at, table("pages")["reveals"])
        opens = end and self._one_of(at, table("pages")["verbs"]["open"]["forms"]) == end
        kind = self._widget(self._past_article(end + (self.low(end) == "all"))) if end else None
        if kind is None or kind[0] not in {"tab", "section", "list", "item", "text", "field"}:
            return at
        end = self._idle(kind[1])
        end += self.low(end) == ","
        joined = self.low(end) == "to" or (self.low(end) == "and" and not opens)  # open it and ...: an order of its own
        return end + 1 if joined and self._begins(end + 1) else at

    def _purpose(self, at: int) -> int:
        """to delete it | to mark it as important | when done: what a press that was named is for is no order besides"""
        done = self._one_of(at, table("pages")["finally"])
        if done and self.over(done):
            return done
        pointed = self.low(at) == "to" and self.words.verbal(at + 1) and self.take(at + 2, "pronouns")
        if not pointed:
            return at
        end = pointed.end
        if self.low(end) == "as" and (said := self._phrase(end + 1)):
            end = said[1]
        return end if self.over(end) or self._separator(end) else at

    # --- words and names --------------------------------------------------------------------------------------------------

    def _one_of(self, at: int, forms: Any) -> int:
        """The place behind the longest of these forms; 0: none stands here."""
        fits = (len(form) for form in map(str.split, forms) if self.words.has(at, *form))
        longest = max(fits, default=0)
        return at + longest if longest else 0

    def _widget(self, at: int) -> Read[str] | None:
        """What kind of thing is named here, one or several of it."""
        widgets = table("pages")["widgets"].items()
        forms = [(name, [f"{form}{end}" for form in forms for end in ("", "s", "es")]) for name, forms in widgets]
        end, name = max((self._one_of(at, many), name) for name, many in forms)
        return (name, end) if end else None

    def _shown(self, at: int, sure: bool = False) -> Read[Text] | None:
        """A name in quotation marks, or the longest that the page shows; `sure`: a name is what stands here."""
        if self.kind(at) == "quote":
            return self.text(at, at + 1, quoted=True), at + 1
        token = self.token(at)
        rest = self.words.goal[token.start :].casefold() if token else ""
        for name in self.words.shown or ():
            if not rest.startswith(name):
                continue
            stop = (token.start if token else 0) + len(name)
            end = next((n + 1 for n in range(at, len(self.words.list)) if self.words.list[n].end == stop), 0)
            ordered = any(self.low(n) in {"and", ",", "then", ".", "!"} and self.clause(n + 1) for n in range(at, end))
            if end and not ordered and not (end == at + 1 and not sure and (len(name) < 2 or self.words.closed(at))):
                return self.text(at, end), end
        return None

    def _phrase(self, at: int, widgets: bool = False) -> Read[Text] | None:
        """Words up to the next of the grammar's own; with `widgets` up to what kind of thing it is."""
        end = at
        while end < min(len(self.words.list), at + _LONGEST) and not self.ends(end) and self.low(end) not in phrases("stops"):
            if self.kind(end) == "quote" or (widgets and end > at and self._widget(end)) or self._idle(end) > end:
                break
            if self.kind(end) != "id" and self.take(end, "negations", "conditions", "exceptions", "no", "not", "all", "pronouns"):
                return None
            end += 1
        return (self.text(at, end), end) if end > at else None

    def _idle(self, at: int) -> int:
        return self._one_of(at, table("pages")["idle"]) or at

    def _past_article(self, at: int) -> int:
        found = self.take(at, "articles", "possessives", "demonstratives")
        return found.end if found and self.low(at) not in _BACK - {"that", "this"} else at

    # --- things -----------------------------------------------------------------------------------------------------------

    def _part(self, at: int, inner: bool = False) -> Read[Thing] | None:
        """A thing on the page."""
        draft = Draft()
        start = at
        if many := self.take(at, "both", "all"):
            draft.quantity, draft.number = ("number", 2) if many.entry.group == "both" else ("all", 0)
            at = many.end
        named = self._shown(at) if self.low(at) not in {"the", "a", "an"} else None
        if named is None:
            at = self._nth(self._past_article(at), draft)
            named = self._shown(at)
        kind = self._widget(at)
        if named is not None and kind is not None and kind[1] > named[1]:  # "radio button", where something is called "radio"
            named = None
        if kind is None or named is not None:
            named = named or self._phrase(at, widgets=True)
            if named is None:
                return None
            draft.name, at = named
            kind = self._widget(at)
        if kind is not None:
            draft.kind, at = kind
        at = self._idle(at)
        if draft.name is None:
            at = at if inner else self._one_of(at, table("pages")["called"]) or at
            capital = self.words.capital(at)
            named = self._shown(at, sure=capital) or (self._phrase(at, widgets=True) if capital else None)
        draft.name, at = named if draft.name is None and named is not None else (draft.name, at)
        at = self._within(at, draft, inner)
        return draft.thing(self.spans(start, at)), at

    def _nth(self, at: int, draft: Draft) -> int:
        """first | last | 2nd"""
        if self.low(at) in {"first", "last"}:
            draft.pick = Pick(order="last" if self.low(at) == "last" else "first", spans=self.spans(at, at + 1))
            return at + 1
        return self._picked(at, draft) if self.kind(at) == "nth" or self.take(at, "ordinals") else at

    def _within(self, at: int, draft: Draft, inner: bool) -> int:
        """in the dialog | of Swan: in which part of the page it stands"""
        at = self._idle(at)
        word = self._one_of(at, table("phrases")["inside"])
        if inner or not word or self.low(at) in self.claimed or (place := self._part(word, inner=True)) is None:
            return at
        draft.place, at = place
        if draft.name is None and (called := self._one_of(at, table("pages")["called"])) and (named := self._shown(called)):
            draft.name, at = named
        return self._idle(at)

    def _several(self, at: int) -> Read[Thing] | None:
        """A thing, or several by "," and "and"."""
        found = self._part(at)
        if found is None:
            return None
        things, end = [found[0]], found[1]
        while (sep := self._separator(end)) and not self._begins(sep) and (more := self._part(sep)):
            alike = more[0] if more[0].kind else more[0].model_copy(update={"kind": things[0].kind})
            things, end = [*things, alike], more[1]
        return things[0].model_copy(update={"also": tuple(things[1:]), "spans": self.spans(at, end)}), end

    def _begins(self, at: int) -> bool:
        """Whether another order begins here, and not a name on the page."""
        shown = self._shown(at)
        if shown is not None and shown[1] > at + 1:
            return False
        verb = any(self._one_of(at, verb["forms"]) for verb in table("pages")["verbs"].values())
        return verb or (shown is None and self.clause(at))

    # --- values -----------------------------------------------------------------------------------------------------------

    def _what(self, at: int) -> Read[Value] | None:
        """What is written: a quotation, "it", what the page shows somewhere, else the words themselves."""
        if self.kind(at) == "quote":
            return self.text(at, at + 1, quoted=True), at + 1
        if self.low(at) in _BACK and (back := self.back(at=at)) is not None:
            return back, at + 1
        if (piece := self._piece(at)) is not None:
            return piece
        said = self._phrase(at)
        relative = said is not None and not any(map(str.isdigit, said[0].text)) and self.dates.days(at) is not None
        return None if relative or self._past_article(at) > at else said  # "my name", "today's date" are not what is written

    def _piece(self, at: int) -> Read[Value] | None:
        """the last word in THING | the text of THING | the value of LABEL [for THING] | the LABEL of THING"""
        start, at, nth = at, self._past_article(at), Draft()
        place = self._nth(at, nth)
        label: Read[Text] | None = None
        if nth.pick is not None:
            number = -1 if nth.pick.order == "last" else nth.pick.at
            label = (Text(text=f"word {number}"), place + 1) if self.low(place) == "word" else None
        elif self.low(at) in {"text", "content", "contents"}:
            label = Text(text="text"), at + 1
        elif self.low(at) == "value" and self.low(at + 1) in {"of", "for"}:
            label = self._label(at + 2)
            if label is not None and self.low(label[1]) not in {"of", "for", "in"}:
                spans = self.spans(start, label[1])
                return Of(fields=(label[0].text,), thing=Thing(spans=spans), spans=spans), label[1]
        elif start < at and self.kind(at) != "quote":
            label = self._shown(at) or self._phrase(at)
        if label is None or self.low(label[1]) not in {"of", "in", "for", "from", "on"}:
            return None
        whole = label[0].text == "text" or label[0].text.startswith("word ")
        claimed, self.claimed = self.claimed, frozenset({"into", "to", "as"})
        found = (self._part(label[1] + 1, inner=True) if whole else None) or self.simple(label[1] + 1)
        self.claimed = claimed
        return (Of(fields=(label[0].text,), thing=found[0], spans=self.spans(start, found[1])), found[1]) if found else None

    # --- verbs ------------------------------------------------------------------------------------------------------------

    def page_things(self, at: int) -> Read[Order] | None:
        """[into] THING {and THING} [by clicking THING]"""
        found = self._several(at + (self.low(at) in {"into", "in", "on"}))
        if found is None or self.low(found[1]) != "by" or self.low(found[1] + 1) not in {"clicking", "pressing", "tapping"}:
            return (Order(verb="click", object=found[0]), found[1]) if found else None
        way = self._part(found[1] + 2 + (self.low(found[1] + 2) == "on"))
        place = None if found[0].kind in {"tab", "section"} else found[0]  # which is open only then
        return (Order(verb="click", object=way[0].model_copy(update={"place": place})), way[1]) if way else None

    def page_opened(self, at: int) -> Read[Order] | None:
        """What is no control on the page may be a record that is to be looked at."""
        found = self.page_things(at)
        thing = found[0].object if found else None
        return found if thing and (thing.kind or (thing.name and self._is_shown(thing.name))) else None

    def page_piece(self, at: int) -> Read[Order] | None:
        found = self._piece(at)
        if found is None:
            return None
        slot = Slot(role="value", value=found[0], spans=self.spans(at, found[1]))
        return Order(verb="find", slots=(slot,)), self._idle(found[1])

    def page_choice(self, at: int) -> Read[Order] | None:
        """nothing | VALUE as LABEL | VALUE with THING | THINGS [from THING]"""
        if end := self._one_of(at, table("pages")["nothing"]):
            return Order(verb="select", object=Thing(kind="nothing", spans=self.spans(at, end))), self._idle(end)
        at += self.low(at) == "that" and self._shown(at + 1) is not None  # check that I agree to the terms
        if (pairs := self._pairs(at, frozenset())) is not None:
            return Order(verb="select", slots=pairs[0]), pairs[1]
        among = {"from", "in", "on", "with", "using"}
        self.claimed = frozenset(among)
        found = self._several(at)
        self.claimed = frozenset()
        value = self._phrase(at) if self.kind(at) != "quote" else None
        value = value if value and (found is None or self.low(value[1]) in among - {"from"}) else None
        end = value[1] if value else found[1] if found else 0
        place = self._part(end + 1, inner=True) if end and self.low(end) in among else None
        slot = self._slot("into" if value else "from", place, end)
        if value is not None and place is not None:
            return Order(verb="select", slots=(Slot(role="value", value=value[0], spans=value[0].spans), *slot)), place[1]
        return (Order(verb="select", object=found[0], slots=slot), place[1] if place else found[1]) if found else None

    def _slot(self, role: Literal["into", "from", "at"], thing: Read[Thing] | None, at: int) -> tuple[Slot, ...]:
        return (Slot(role=role, value=self.valued_thing(thing[0]), spans=self.spans(at, thing[1])),) if thing else ()

    def page_values(self, at: int) -> Read[Order] | None:
        """[the form:] {VALUE as LABEL | LABEL [to] VALUE} [into the fields] | VALUE into THING"""
        form = self._phrase(self._past_article(at))
        at = form[1] + 1 if form is not None and form[0].text.endswith("form") and self.low(form[1]) in {":", "with"} else at
        if (pairs := self._pairs(at, frozenset({"with", "to", "is", ":", "="}))) is not None:
            slots, end = pairs
            into = self._part(end + 1, inner=True) if self.low(end) in {"into", "in"} else None
            into = into if into and into[0].kind == "field" and into[0].name is None else None
            if into and len(slots) == 1 and (into[0].quantity != "one" or into[0].pick is not None):  # into both fields
                slots = (*slots, *self._slot("into", into, end))
            elif into and into[0].quantity != "one" and into[0].number != len(slots):
                into = None
            return Order(verb="write", slots=slots), into[1] if into else end
        value = self._what(at)
        into = self._part(value[1] + 1) if value and self.low(value[1]) in {"into", "in", "to", "on"} else None
        if value is None or into is None or not (into[0].kind or (into[0].name and self._is_shown(into[0].name))):
            return None
        slot = Slot(role="value", value=value[0], spans=self.spans(at, value[1]))
        return Order(verb="write", slots=(slot, *self._slot("into", into, value[1]))), into[1]

    def _pairs(self, at: int, between: frozenset[str]) -> Read[tuple[Slot, ...]] | None:
        """{VALUE as LABEL} | {[the] LABEL to VALUE}, joined by "and"; a quotation needs no word before it"""
        for before in (False, True):
            slots: list[Slot] = []
            end, start = 0, at
            while start and (pair := self._label_to(start, between) if before else self._as_label(start)) is not None:
                (label, value), end = pair
                slots.append(Slot(role="value", field=label.text, value=value, spans=self.spans(start, end)))
                sep = self._separator(end)
                start = 0 if not sep or self._begins(sep) else sep
            if slots:
                return tuple(slots), end
        return None

    def _as_label(self, at: int) -> Read[tuple[Text, Value]] | None:
        value = self._what(at)
        label = self._label(value[1] + 1) if value and self.low(value[1]) == "as" else None
        return ((label[0], value[0]), label[1]) if value and label else None

    def _label_to(self, at: int, between: frozenset[str]) -> Read[tuple[Text, Value]] | None:
        label = self._label(at) if between else None
        if label is None:
            return None
        linked = self.low(label[1]) in between
        sure = linked or self.kind(label[1]) == "quote" or self._is_shown(label[0])
        value = self._what(label[1] + linked) if sure else None
        if value is None and not linked and (parted := self._before_value(at)):
            label, value = parted, self._what(parted[1])
        return ((label[0], value[0]), value[1]) if value else None

    def _before_value(self, at: int) -> Read[Text] | None:
        """the work email ann@example.org: small letters before what can only be a value"""
        start = end = self._past_article(at)
        while end < start + 3 and self.kind(end) == "word" and not (self.words.capital(end) or self.words.closed(end)):
            end += 1
        valued = self.kind(end) in {"email", "quote", "number", "date", "time", "phone", "url"} or self.words.capital(end)
        return (self.text(start, end), end) if start < end and valued else None

    def _label(self, at: int) -> Read[Text] | None:
        """What a field is called, with or without "field" behind it."""
        own = self._shown(at) if self.kind(at) == "word" else None
        at = at if own else self._past_article(at)
        if self.kind(at) == "quote" and not self._widget(at + 1):
            return None
        found = own or self._shown(at) or self._phrase(at, widgets=True)
        widget = self._widget(found[1]) if found else None
        return (found[0], widget[1] if widget else found[1]) if found else None

    def _is_shown(self, name: Text) -> bool:
        return name.text.casefold() in (self.words.shown or ())
