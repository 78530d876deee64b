"""The words of user interfaces: what is pressed, filled, chosen, opened and read on a page. Read where a goal is about one.

clause = press thing {and thing} | write value (into thing | as label) {and ...} | write label value {and ...} [into thing]
       | set label to value {and ...} | select thing {and thing} [from thing] | select value as label | find piece of thing ...
thing  = [the] name | [the] [label] widget [called name] [(in|of|for) thing]
"""

from __future__ import annotations

from typing import Any, TypedDict

from roles.contracts.orders import Of, Order, Pick, Slot, Test, Text, Thing, Value
from roles.screen.language.names import Draft, Read
from roles.screen.language.values import Values
from roles.screen.language.words import table

_STOPS = frozenset({
    "into", "in", "to", "as", "with", "from", "on", "for", "of", "by", "and", "then", "using", "but", "or", "that", "which",
    "who", ",", ":", ">", "→", "->", "»", "›",
})  # fmt: skip
_INSIDE = ("in", "of", "for", "on", "inside", "within", "under", "from", "next to", "beside")
_LONGEST = 8
"""Words of a name that is neither quoted nor on the page."""
_BACK = frozenset({"it", "that", "this"})
PATH = (">", "→", "->", "»", "›")
"""What parts the entries of nested menus."""


class Operands(TypedDict, total=False):
    """What goes with a verb."""

    object: Thing | None
    slots: tuple[Slot, ...]


class Controls(Values):
    """Reads clauses about a page."""

    def on_page(self, at: int) -> Read[Order] | None:
        if self.words.shown is None:
            return None
        if at and self.low(at - 1) in PATH and self.orders:  # Edit > Find: one press after the other
            found = self.page_click(at)
            return (Order(verb="click", said=self.orders[-1].said, **found[0]), found[1]) if found else None
        at = self._one_of(self._revealing(at), table("pages")["found"]) or self._revealing(at)
        for name, verb in table("pages")["verbs"].items():
            end = self._one_of(at, verb["forms"])
            found = getattr(self, f"page_{name}")(end) if end else None
            if found is not None:
                return Order(verb=name, said=self.words.text(at, end), **found[0]), self._purpose(found[1])
        return self._deed(at)

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

    def _deed(self, at: int) -> Read[Order] | None:
        """VERB [the] [cheapest] [KIND] [NAME] [with the lowest LABEL] [that is STATE]: what controls in rows are called"""
        known = self.words.shown is not None and (self.words.verbal(at) or self.low(at) in self.words.shown)
        if not known or self._one_of(at, table("pages")["others"]):
            return None
        draft = Draft()
        place = self._picked(self._past_article(at + 1), draft)
        said = self._phrase(place) if self.kind(place) != "quote" and self._shown(place) is None else None
        if any(self._counts(n) for n in range(at + 1, said[1] if said else place)):
            return None
        kind, place = (said[0].text, said[1]) if said else ("", place)
        if (named := self._shown(place)) is not None:
            text, after = named
            best = draft.pick is not None or self.low(after) in {"with", "that", "which"}
            noun = not text.quoted and text.text.islower() and best
            kind, place = (text.text if noun else kind), after
            draft.name = draft.name if noun else text
        place = self._by_field(place, draft)
        place = self._that_is(place, draft.tests)
        ended = self.over(place) or self._begins(self._separator(place) or len(self.words.list))
        if not (kind or draft.name is not None) or not ended:
            return None
        draft.kind = kind.casefold()
        thing = draft.thing(self.spans(at + 1, place))
        return Order(verb=self.low(at), said=self.words.text(at, at + 1), object=thing), place

    def _counts(self, at: int) -> bool:
        """A word that says how many."""
        return self.kind(at) == "number" or self.take(at, "numbers", "all", "both", "no") is not None

    def _by_field(self, at: int, draft: Draft) -> int:
        """with the lowest price"""
        best = Draft()
        start = self._past_article(at + 1) if self.low(at) == "with" and draft.pick is None else at
        place = self._picked(start, best) if start > at else at
        label = self._shown(place) or self._phrase(place) if place > start > at else None
        if label is None or best.pick is None:
            return at
        draft.pick = best.pick.model_copy(update={"by": label[0].text})
        return label[1]

    def _that_is(self, at: int, tests: list[Test]) -> int:
        """that is free"""
        if self.low(at) not in {"that", "which", "who"} or self.low(at + 1) not in {"is", "are"}:
            return at
        negated = self.low(at + 2) == "not"
        said = self._shown(at + 2 + negated) or self._phrase(at + 2 + negated)
        if said is None:
            return at
        tests.append(Test(value=said[0], negated=negated, spans=self.spans(at, said[1])))
        return said[1]

    # --- words and names --------------------------------------------------------------------------------------------------

    def _one_of(self, at: int, forms: Any) -> int:
        """The place behind the longest of these forms; 0: none stands here."""
        fits = (len(form) for form in map(str.split, forms) if all(self.low(at + n) == word for n, word in enumerate(form)))
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
        while end < min(len(self.words.list), at + _LONGEST) and not self.ends(end) and self.low(end) not in _STOPS:
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
        named = self._shown(at) if self.kind(at) != "word" or self.low(at) not in {"the", "a", "an"} else None
        at = at if named else self._past_article(at)
        at = at if named else self._nth(at, draft)
        named = named or self._shown(at)
        kind = self._widget(at)
        if named is not None and kind is not None and kind[1] > named[1]:  # "radio button", where something is called "radio"
            named = None
        if named is not None:
            draft.name, at = named
            kind = self._widget(at)
        if named is None and kind is None:
            phrase = self._phrase(at, widgets=True)
            if phrase is None:
                return None
            draft.name, at = phrase
            kind = self._widget(at)
        if kind is not None:
            draft.kind, at = kind
        at = self._idle(at)
        if (called := self._one_of(at, table("pages")["called"])) and not inner:
            named = self._shown(called) if draft.name is None else None
            if named is None:
                return None
            draft.name, at = named
        elif kind is not None and draft.name is None:
            capital = any(token.capital for token in self.words.list[at : at + 1])
            named = self._shown(at, sure=capital) or (self._phrase(at, widgets=True) if capital else None)
            at = named[1] if named else at
            draft.name = named[0] if named else None
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
        word = self._one_of(at, _INSIDE)
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
        start, at = at, self._past_article(at)
        nth = Draft()
        place = self._picked(at, nth)
        pick = nth.pick
        if pick is None and self.low(at) in {"first", "last"}:
            pick, place = Pick(order=self.low(at)), at + 1  # type: ignore[arg-type]
        if pick is not None and self.low(place) == "word":
            number = -1 if pick.order == "last" else pick.at
            fields, end = (f"word {number}",), place + 1
        elif pick is None and self.low(at) in {"text", "content", "contents"}:
            fields, end = ("text",), at + 1
        elif pick is None and self.low(at) == "value" and self.low(at + 1) in {"of", "for"}:
            label = self._shown(self._past_article(at + 2)) or self._phrase(self._past_article(at + 2), widgets=True)
            if label is None:
                return None
            fields, end = (label[0].text,), label[1]
            if self.low(end) not in {"of", "for", "in"}:
                thing = Thing(spans=self.spans(start, end))
                return Of(fields=fields, thing=thing, spans=self.spans(start, end)), end
        elif pick is None and (label := self._shown(at) or self._phrase(at)) and start < at and self.kind(at) != "quote":
            fields, end = (label[0].text,), label[1]
        else:
            return None
        if self.low(end) not in {"of", "in", "for", "from", "on"}:
            return None
        thing_ = self._part(end + 1, inner=True) if fields[0].startswith("word ") or fields == ("text",) else None
        claimed, self.claimed = self.claimed, frozenset({"into", "to", "as"})
        found = thing_ or self.simple(end + 1)
        self.claimed = claimed
        return (Of(fields=fields, thing=found[0], spans=self.spans(start, found[1])), found[1]) if found else None

    # --- verbs ------------------------------------------------------------------------------------------------------------

    def page_click(self, at: int) -> Read[Operands] | None:
        found = self._several(at)
        return ({"object": found[0]}, found[1]) if found else None

    def page_open(self, at: int) -> Read[Operands] | None:
        found = self._several(at)
        named = found is not None and (found[0].kind or (found[0].name and self._is_shown(found[0].name)))
        return ({"object": found[0]}, found[1]) if found and named else None

    def page_close(self, at: int) -> Read[Operands] | None:
        """close the dialog [by clicking "x"]"""
        found = self._part(at)
        if found is None:
            return None
        thing, end = found
        if self.low(end) == "by" and self.low(end + 1) in {"clicking", "pressing", "tapping"}:
            way = self._part(end + 2 + (self.low(end + 2) == "on"))
            return ({"object": way[0].model_copy(update={"place": thing})}, way[1]) if way else None
        return {"object": thing}, end

    def page_focus(self, at: int) -> Read[Operands] | None:
        return self.page_click(at + (self.low(at) in {"into", "in", "on"}))

    def page_scroll(self, at: int) -> Read[Operands] | None:
        """scroll [the THING] to the bottom"""
        found = None if self._edge(at) else self._part(at)
        at = found[1] if found else at
        edge = self._edge(at)
        if edge is None:
            return None
        slot = Slot(role="to", value=Text(text=edge[0], spans=self.spans(at, edge[1])), spans=self.spans(at, edge[1]))
        return {"object": found[0] if found else None, "slots": (slot,)}, edge[1]

    def _edge(self, at: int) -> Read[str] | None:
        ends = table("pages")["ends"].items()
        return next(((name, end) for name, forms in ends if (end := self._one_of(at, forms))), None)

    def page_find(self, at: int) -> Read[Operands] | None:
        found = self._piece(at)
        if found is None:
            return None
        return {"slots": (Slot(role="value", value=found[0], spans=self.spans(at, found[1])),)}, self._idle(found[1])

    def page_drop(self, at: int) -> Read[Operands] | None:
        return self.page_click(at)

    def page_select(self, at: int) -> Read[Operands] | None:
        """select nothing | THINGS [from THING] | VALUE as LABEL | VALUE with the slider"""
        if end := self._one_of(at, table("pages")["nothing"]):
            return {"object": Thing(kind="nothing", spans=self.spans(at, end))}, self._idle(end)
        if (pairs := self._pairs(at)) is not None:
            return pairs
        self.claimed = frozenset({"from", "in", "on", "with"})
        found = self._several(at)
        self.claimed = frozenset()
        value = self._phrase(at) if self.kind(at) != "quote" else None
        value = value if value and (found is None or self.low(value[1]) in {"with", "using", "in", "on"}) else None
        if value is not None and (place := self._among(value[1])) is not None:
            into = Slot(role="into", value=self.valued_thing(place[0]), spans=self.spans(value[1], place[1]))
            return {"slots": (Slot(role="value", value=value[0], spans=value[0].spans), into)}, place[1]
        if found is None:
            return None
        place = self._among(found[1])
        slots = (Slot(role="from", value=self.valued_thing(place[0]), spans=self.spans(found[1], place[1])),) if place else ()
        return {"object": found[0], "slots": slots}, place[1] if place else found[1]

    def _among(self, at: int) -> Read[Thing] | None:
        """from the list | with the slider | in the calendar"""
        return self._part(at + 1, inner=True) if self.low(at) in {"from", "with", "using", "in", "on"} else None

    def page_set(self, at: int) -> Read[Operands] | None:
        return self._labelled(at, frozenset({"to"}))

    def page_write(self, at: int) -> Read[Operands] | None:
        """[the form:] VALUE as LABEL {and VALUE as LABEL} | LABEL VALUE {and LABEL VALUE} [into THING] | VALUE into THING"""
        form = self._phrase(self._past_article(at))
        if form is not None and form[0].text.endswith("form") and self.low(form[1]) == ":":
            at = form[1] + 1
        if (pairs := self._pairs(at) or self._labelled(at, frozenset({"with", "to", "is", ":", "="}))) is not None:
            found, end = pairs
            into = self._part(end + 1, inner=True) if self.low(end) in {"into", "in"} else None
            if into is None or into[0].kind != "field" or into[0].name is not None:
                return pairs
            if (into[0].quantity != "one" or into[0].pick is not None) and len(found["slots"]) == 1:
                # the password into both fields
                slot = Slot(role="into", value=self.valued_thing(into[0]), spans=self.spans(end, into[1]))
                return {"slots": (*found["slots"], slot)}, into[1]
            return (found, into[1]) if into[0].quantity == "one" or into[0].number == len(found["slots"]) else pairs
        value = self._what(at)
        if value is None or self.low(value[1]) not in {"into", "in", "to", "on"}:
            return None
        into = self._part(value[1] + 1)
        if into is None or not (into[0].kind or (into[0].name and self._is_shown(into[0].name))):
            return None
        slot = Slot(role="into", value=self.valued_thing(into[0]), spans=self.spans(value[1], into[1]))
        return {"slots": (Slot(role="value", value=value[0], spans=self.spans(at, value[1])), slot)}, into[1]

    def _pairs(self, at: int) -> Read[Operands] | None:
        """VALUE as LABEL {and VALUE as LABEL}"""
        slots: list[Slot] = []
        end = 0
        while at:
            value = self._what(at)
            label = self._label(value[1] + 1) if value and self.low(value[1]) == "as" else None
            if value is None or label is None:
                break
            slots.append(Slot(role="value", field=label[0].text, value=value[0], spans=self.spans(at, label[1])))
            end = label[1]
            at = self._next(end)
        return ({"slots": tuple(slots)}, end) if slots else None

    def _labelled(self, at: int, between: frozenset[str]) -> Read[Operands] | None:
        """[the] LABEL to VALUE {and [the] LABEL to VALUE}; a quotation needs no word before it"""
        slots: list[Slot] = []
        end = 0
        while at:
            label = self._label(at)
            if label is None:
                break
            place = label[1]
            linked = self.low(place) in between
            sure = linked or self.kind(place) == "quote" or self._is_shown(label[0])
            value = self._what(place + linked) if sure else None
            if value is None:
                break
            slots.append(Slot(role="value", field=label[0].text, value=value[0], spans=self.spans(at, value[1])))
            end = value[1]
            at = self._next(end)
        return ({"slots": tuple(slots)}, end) if slots else None

    def _label(self, at: int) -> Read[Text] | None:
        """What a field is called, with or without "field" behind it."""
        own = self._shown(at) if self.kind(at) == "word" else None
        at = at if own else self._past_article(at)
        if self.kind(at) == "quote" and not self._widget(at + 1):
            return None
        found = own or self._shown(at) or self._phrase(at, widgets=True)
        widget = self._widget(found[1]) if found else None
        return (found[0], widget[1] if widget else found[1]) if found else None

    def _next(self, at: int) -> int:
        """Where another pair may begin."""
        sep = self._separator(at)
        return 0 if not sep or self._begins(sep) else sep

    def _is_shown(self, name: Text) -> bool:
        return name.text.casefold() in (self.words.shown or ())
