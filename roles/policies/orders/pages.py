"""Orders about a page, of which no more is known than what it shows. What comes up after a press is planned once it is there."""

from __future__ import annotations

from collections.abc import Sequence

from environments.cards import AppCard, FieldCard, KindCard, Widget, singular
from environments.effects.words import is_way_out
from roles.contracts.orders import (
    Amount,
    Entry,
    FillStep,
    Of,
    Order,
    PressStep,
    ReadStep,
    Records,
    RowTest,
    Text,
    Thing,
    When,
)
from roles.policies.orders.forms import Forms
from roles.policies.orders.grounding import Refusal, names_nothing, to_records
from roles.policies.orders.state import each_of, escaped, is_many
from roles.screen.language.controls import PATH
from roles.screen.language.words import phrases, table
from roles.screen.matching import is_called_by, similarity, tokens
from roles.screen.page import BOXES, LISTS, PARTLY, PRESSED, likeness, says
from roles.screen.screens import DIALOG_ROLES
from roles.screen.texts import plain, words

WRITTEN = frozenset({"textbox", "searchbox", "spinbutton"})
ROLES = {
    "button": PRESSED, "link": PRESSED, "tab": PRESSED, "item": PRESSED, "section": PRESSED, "field": WRITTEN | LISTS,
    "text": WRITTEN, "box": BOXES, "list": LISTS, "slider": frozenset({"slider", "spinbutton"}), "calendar": WRITTEN,
}  # fmt: skip
_SURE = 0.9
_LOOKS = frozenset({"find", "check", "answer", "collect", "keep", "wait"})
"""Verbs that are no deed on anything: a control of that name does not do what they say."""
_ADDS = frozenset({"add", "put", "create", "move"})


class Missing(Refusal):
    """The page does not show it; after a press it may."""

    def __init__(self, why: str, name: str = "") -> None:
        super().__init__(why)
        self.name = name


class PageOrders(Forms):
    """Orders to steps on the one page that the cards show."""

    def _of(self, value: Of) -> str:
        """A value that the page shows, which is read before."""
        if not self.on_page:
            return super()._of(value)
        thing, field = value.thing, value.fields[0] if value.fields else ""
        read = ReadStep(app=self._page_app, names=(f"value {self._at + 1}.{len(self._steps) + 1}",))
        if field == "text" or field.startswith("word "):
            whole = thing.kind == "text" and thing.name is None
            labels = () if whole else (self._field(thing, filled=True).name,)
            read = read.model_copy(update={"labels": labels, "part": field if field != "text" else "text" if whole else ""})
        else:
            bare = thing.name is None and thing.pick is None and not thing.tests
            read = read.model_copy(update={"labels": (field,), "records": None if bare else self._shown_row(thing)})
        self._add(read)
        return "{" + read.names[0] + "}"

    def on_view(self, order: Order) -> None:
        """The steps of an order that presses, fills or chooses; of any other by the control that is called as it."""
        things = each_of(order.object) if order.object is not None else []
        match order.verb:
            case "click" | "open" | "focus" | "close" if things:
                for thing in things:
                    self._press(order.verb, thing)
            case "write" | "set":
                self._enter(order)
            case "select" | "drop":
                self._select(order, things)
            case verb if verb in _LOOKS or not all(slot.role in {"from", "into"} for slot in order.slots):
                raise self.unclear(order)
            case _:
                for thing in things or [Thing()]:
                    self._deed(order, thing)

    def here(self, order: Order) -> Order:
        """The order without the page that it says it is about: "On the Orders page, ..."."""

        def is_here(place: Thing | None) -> bool:
            said = place.name.text.removesuffix(place.kind).strip() if place is not None and place.name is not None else ""
            names = (self.card(self._page_app).title, *self._page.texts)
            page = place is not None and place.kind in phrases("generic")
            return page and (not said or any(likeness(said, name) >= PARTLY for name in names))

        slots = tuple(s for s in order.slots if not (s.role == "at" and isinstance(s.value, Of) and is_here(s.value.thing)))
        thing = order.object
        if thing is not None and is_here(thing.place):
            thing = thing.model_copy(update={"place": None})
        return order.model_copy(update={"slots": slots, "object": thing})

    def reveal(self, missing: Missing) -> PressStep:
        """What looks for a name behind tabs, in sections and further down; once."""
        looks = [step for step in self._plan if isinstance(step, PressStep) and step.verb == "reveal"]
        if not missing.name or not self._page.folds or any(step.control == missing.name for step in looks):
            raise missing
        return PressStep(app=self._page_app, verb="reveal", control=missing.name, place=str(missing))

    def unclear(self, part: Order | Thing) -> Refusal:
        return Refusal(f'"{self._said(part.spans)}" is not understood of a page')

    # --- pressing ---------------------------------------------------------------------------------------------------------

    def _press(self, verb: str, thing: Thing) -> None:
        self._check_one(thing)
        name = thing.name.text if thing.name else ""
        place = thing.place
        within = "" if place is None or place.kind in {"text", "section"} else place.name.text if place.name else place.kind
        step = PressStep(app=self._page_app, verb="click", kind=thing.kind, place=within)
        if verb == "focus" or thing.kind in {"field", "slider"}:
            field = self._field(thing)
            return self._add(step.model_copy(update={"control": field.name, "kind": "field", "nth": self._nth(field)}))
        if verb == "close" and (thing.kind == "dialog" or thing.name is None):
            inside = [w for w in self._page.widgets if w.role in PRESSED and w.inside[0] in DIALOG_ROLES]
            ways = [w for w in inside if not name or likeness(name, w.inside[1]) >= PARTLY]
            closes = [w for w in ways if likeness("close", w.name) >= _SURE] or [w for w in ways if is_way_out(w.name)]
            way = self._sole(closes, "way to close it")
            return self._add(step.model_copy(update={"control": way.name, "kind": "", "place": "dialog"}))
        if verb == "open" and thing.kind == "section" and not name:
            tabs = [w for w in self._page.widgets if w.role == "tab"]
            name = self._sole([w for w in self._page.widgets if w.folded] or tabs[:1], "section").name
        widget = self._widget(name, thing)
        leads = thing.spans and self.reading.goal[thing.spans[-1][1] :].lstrip().startswith(PATH)
        nth = self._nth(widget) if thing.pick is not None else 0
        return self._add(step.model_copy(update={"verb": "point" if leads else "click", "control": widget.name, "nth": nth}))

    def _nth(self, widget: Widget) -> int:
        """Its place among those that are called so and are the same; 0: it is the only one."""
        alike = [w for w in self._page.widgets if (w.name, w.role, w.front) == (widget.name, widget.role, widget.front)]
        return 1 + next(n for n, w in enumerate(alike) if w is widget) if len(alike) > 1 else 0

    def _check_one(self, thing: Thing) -> None:
        if is_many(thing) or thing.but or thing.tests or thing.back is not None:
            raise self.unclear(thing)

    def _widget(self, name: str, thing: Thing) -> Widget:
        """What can be pressed and is called so; the only one of its kind where it has no name."""
        of_kind = [w for w in self._page.widgets if w.role in ROLES.get(thing.kind, PRESSED | BOXES) and w.name]
        exactly = [w for w in of_kind if w.role == thing.kind] if thing.kind in {"button", "link", "tab"} else of_kind
        sure = thing.name is not None and thing.name.quoted
        called = (_called(name, exactly, sure) or _called(name, of_kind, sure)) if name else exactly or of_kind
        pick = thing.pick if thing.pick is not None and not thing.pick.by and thing.pick.at <= len(called) else None
        if pick is not None:
            return called[pick.at - 1 if pick.order == "first" else -1]
        if called and name and thing.place is not None:
            return called[0]
        return self._sole(called, " ".join(part for part in (thing.kind, name) if part) or "control", name)

    def _sole(self, widgets: Sequence[Widget], what: str, name: str = "") -> Widget:
        if len(widgets) == 1:
            return widgets[0]
        if not widgets:
            raise Missing(f'there is no "{what}" on the page', name)
        names = ", ".join(f'"{w.name}"' for w in widgets[:8])
        raise Refusal(f'{len(widgets)} things on the page may be meant by "{what}": {names}; say which one')

    # --- fields -----------------------------------------------------------------------------------------------------------

    def _put(self, widget: Widget, value: str) -> None:
        """A value into a field; fields that are filled one after the other are one form."""
        self._write_into(widget.name, value, self._nth(widget))

    def _write_into(self, label: str, value: str, nth: int = 0) -> None:
        last, entry = self._steps[-1] if self._steps else None, Entry(label=label, value=value, nth=nth)
        if isinstance(last, FillStep):
            self._steps[-1] = last.model_copy(update={"entries": (*last.entries, entry)})
        else:
            self._add(FillStep(app=self._page_app, entries=(entry,)))

    def _field(self, thing: Thing | None, *, filled: bool = False) -> Widget:
        """The field that is meant: by its label; else the only one, of several the one that is empty (or, to be read, is not)."""
        kind = thing.kind if thing and thing.kind != "box" else "field"
        fields = [w for w in self._page.widgets if w.role in ROLES.get(kind, WRITTEN | LISTS | {"slider"}) and w.name]
        if thing is not None and thing.place is not None and thing.place.name is not None:
            raise self.unclear(thing)
        if thing is not None and thing.name is not None:
            return self._labelled(thing.name.text, fields)
        if thing is not None and thing.pick is not None and thing.pick.order == "first" and len(fields) >= thing.pick.at:
            return fields[thing.pick.at - 1]
        fields = [w for w in fields if w.role in WRITTEN] or fields
        fitting = [w for w in fields if w.filled == filled] if len(fields) > 1 else fields
        return self._sole(fitting or fields, "field" if kind == "text" else kind)

    def _labelled(self, label: str, fields: Sequence[Widget]) -> Widget:
        """The field of this label; where what is written is said only by its kind, the only field that takes such."""
        called = _called(label, [w for w in fields if not names_nothing(label, w.name, w.hint)])
        if not called:
            hints = table("phrases")["hints"].get(plain(label), ())
            hinted = [w for w in fields if any(hint in w.hint.casefold() for hint in hints)]
            takes = hinted or [w for w in fields if w.role in WRITTEN and plain(label) in phrases("anything")]
            called = takes if len(takes) == 1 else []
        return self._sole(called, f"{label} field", label)

    def _enter(self, order: Order) -> None:
        values = [slot for slot in order.slots if slot.role == "value"]
        places = [slot.value.thing for slot in order.slots if slot.role in {"into", "at"} and isinstance(slot.value, Of)]
        into = next(iter(places), None)
        if order.object is not None and order.object.name is not None and into is None and all(slot.field for slot in values):
            entries = tuple(Entry(label=slot.field, value=self.words(slot.value)) for slot in values)
            return self._add(FillStep(app=self._page_app, records=self._shown_row(order.object), entries=entries))
        if not values or (into is not None and len(values) > 1):
            raise Refusal(f'"{self._said(order.spans)}" does not say what goes where')
        for slot in values:
            text = escaped(slot.value.text) if isinstance(slot.value, Amount | When) else self.words(slot.value)
            if into is not None and into.quantity != "one":
                fields = [w for w in self._page.widgets if w.role in WRITTEN and w.name]
                if into.quantity == "number" and len(fields) != into.number:
                    raise Missing(f"the page has {len(fields)} fields, and not {into.number}")
                for one in fields:
                    self._put(one, text)
                continue
            if slot.field and not (into is not None and into.pick is not None and plain(slot.field) in phrases("anything")):
                self._choose(slot.field, text)
            else:
                self._put(self._field(into), text)
        saves = [w.name for w in self._page.widgets if w.role in PRESSED and names_verb("save", w.name)]
        if order.said.casefold() in {"change", "update"} and self._at == len(self.reading.orders) - 1 and len(saves) == 1:
            self._add(PressStep(app=self._page_app, verb="click", control=saves[0]))  # else the page does not keep it

    def _choose(self, label: str, text: str) -> None:
        """A value of what is called so: a field, a list, an option of a group, or what a press may unfold."""
        try:
            widget = self._labelled(label, [w for w in self._page.widgets if w.role not in PRESSED and w.name])
        except Missing:
            names = (*self._page.texts, *(w.inside[1] for w in self._page.widgets))
            if not any(similarity(label, name) >= _SURE for name in names):
                raise
        else:
            return self._put(widget, text)
        options = [w for w in self._page.widgets if plain(w.name) == plain(text) and w.role in BOXES | PRESSED]
        if any(w.role in PRESSED for w in options):
            return self._add(PressStep(app=self._page_app, verb="click", control=self._sole(options, text).name))
        return self._put(options[0], "true") if len(options) == 1 else self._write_into(label, text)

    def _select(self, order: Order, things: Sequence[Thing]) -> None:
        value = next((slot for slot in order.slots if slot.role == "value"), None)
        among = next((slot.value.thing for slot in order.slots if isinstance(slot.value, Of) and slot.role != "value"), None)
        if value is not None and not things:
            if value.field:
                return self._enter(order)
            if among is None:
                raise Refusal(f'"{self._said(order.spans)}" does not say of what it is one')
            return self._put(self._field(among), self.words(value.value))
        if not things:
            raise Refusal(f'"{self._said(order.spans)}" does not say what')
        first, wanted = things[0], "false" if order.verb == "drop" else "true"
        if first.kind != "nothing" and not (first.quantity == "all" and first.name is None):
            for thing in things:
                self._select_one(thing, among, wanted)
            return None
        wanted = "false" if first.kind == "nothing" else wanted
        but = [self._widget(one.name.text if one.name else "", one) for out in first.but for one in (out, *out.also)]
        boxes = [w for w in self._page.widgets if w.role in BOXES and w.name]
        if not boxes:
            raise Missing("there are no boxes on the page")
        for box in boxes:
            if box.ticked != (wanted == "true") and box not in but:
                self._put(box, wanted)
        return None

    def _select_one(self, thing: Thing, into: Thing | None, wanted: str) -> None:
        self._check_one(thing)
        if thing.name is None or (thing.place is not None and thing.place.name is not None):
            raise self.unclear(thing)
        name, sure = thing.name.text, thing.name.quoted
        boxes = _called(name, [w for w in self._page.widgets if w.role in BOXES], sure)
        lists = [w for w in self._page.widgets if w.role in LISTS and any(plain(o) == plain(name) for o in w.options)]
        if into is not None and into.name is not None:
            lists = _called(into.name.text, lists)
        if len(boxes) == 1:
            return self._put(boxes[0], wanted)
        if len(lists) == 1 and wanted == "true":
            return self._put(lists[0], next(o for o in lists[0].options if plain(o) == plain(name)))
        pressed = [w for w in self._page.widgets if w.role in ROLES.get(thing.kind, PRESSED)]
        if not (boxes or lists) and _called(name, pressed, sure or not thing.kind):
            return self._press("click", thing)
        self._sole([*boxes, *lists], name, name)
        raise self.unclear(thing)

    # --- deeds ------------------------------------------------------------------------------------------------------------

    def _deed(self, order: Order, thing: Thing) -> None:
        """What a control beside what is meant is called by, or the words of a control as a whole: "save the changes"."""
        whole = [w for w in self._page.widgets if w.role in PRESSED and is_called_by(self._said(order.spans), w.name)]
        if len(whole) == 1:
            return self._add(PressStep(app=self._page_app, verb="click", control=whole[0].name))
        boxes = [w for w in self._page.widgets if w.role in BOXES and thing.name and says(w, thing.name.text)]
        if order.verb in {"accept", "agree", "confirm"} and len(boxes) == 1:
            return self._put(boxes[0], "true")
        where = next((slot.value for slot in order.slots if slot.role != "value"), None)
        inside = where.thing if isinstance(where, Of) else Thing(name=where if isinstance(where, Text) else None)
        place = inside.name.text if inside.name else inside.kind
        verbs = [*filter(None, (order.verb, order.said)), *(["add"] if order.verb in _ADDS else [])]
        controls = [w for w in self._page.widgets if w.role in PRESSED and any(names_verb(verb, w.name) for verb in verbs)]
        into = [w for w in controls if place and {*tokens(place)} <= {*tokens(w.name)}]
        if order.verb in {"move", "put"} and place and not into:
            raise self.unclear(order)
        if not controls:
            raise Missing(f'there is no control to "{order.said or order.verb}" on the page')
        back = self.reading.orders[thing.back.to] if thing.back is not None and not thing.tests else None
        if back is not None and back.verb in {"write", "set", "select", "drop"}:  # what was written or ticked is sent
            thing = Thing()
        records = self._shown_row(thing)
        if not records.tests and records.pick is None:
            self._sole(controls, order.said or order.verb)
        step = PressStep(
            app=self._page_app, records=records, verb=next(v for v in verbs if any(names_verb(v, w.name) for w in controls)),
            control=into[0].name if into else "", place=place if any(s.role == "from" for s in order.slots) else "",
        )  # fmt: skip
        return self._add(step)

    def _shown_row(self, thing: Thing) -> Records:
        """The row or part of the page that is meant: whatever the goal calls it, the page lists nothing else."""
        said = all(isinstance(test.value, Text | Amount) for test in thing.tests)
        if thing.back is not None or thing.but or thing.place or is_many(thing) or not said:
            raise self.unclear(thing)
        name = thing.name
        if name is None and thing.kind and not thing.tests and thing.pick is None:  # "the socks", where there is an entry Socks
            called = [text for text in self._page.texts if singular(plain(text)) == singular(plain(thing.kind))]
            called += [w.name for w in self._page.widgets if singular(plain(w.name)) == singular(plain(thing.kind))]
            name = Text(text=called[0], quoted=True) if called else None
        named: tuple[RowTest, ...] = ()
        if name is not None and not name.quoted and name.text.islower():  # "the oldest waiting parcel"
            nouns = {singular(plain(head)) for head in (*self._page.heads, thing.kind)}
            named, name = tuple(RowTest(value=escaped(w)) for w in name.text.split() if singular(w) not in nouns), None
        labels = self._page.heads or tuple(test.field for test in thing.tests if test.field)
        row = KindCard(kind="row", fields=tuple(FieldCard(label=label, listed=True) for label in labels))
        bare = Thing(kind="row", name=name, tests=thing.tests, spans=thing.spans)
        (records,) = to_records(bare, [AppCard(app=self._page_app, title="the page", kinds=(row,))], self.words)
        return records.model_copy(update={"tests": (*named, *records.tests), "pick": thing.pick})


def names_verb(verb: str, control: str) -> bool:
    """Whether a control is called as the verb, or by another word for it, whatever stands behind it."""
    first = next(iter(words(plain(control))), "")
    said = plain(verb.replace("_", " "))
    same = any(said in some and first in some for some in table("phrases")["alike"])
    return first == said or same or likeness(said, control) >= _SURE


def _called(name: str, widgets: Sequence[Widget], whole: bool = False) -> list[Widget]:
    """Those that are called so; with `whole` it is all of their name."""
    scored = [(likeness(name, w.name), w) for w in widgets if w.name]
    best = max((score for score, _ in scored), default=0.0)
    return [w for score, w in scored if score >= (_SURE if whole else PARTLY) and score >= best - 0.005]
