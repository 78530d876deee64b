"""Orders about a page, of which no more is known than what it shows. What comes up after a press is planned once it is there."""

from collections.abc import Collection, Sequence

from environments.cards import AppCard, FieldCard, KindCard, Widget, singular
from environments.effects import SENSITIVE, Effect
from environments.effects.words import effect_of_words, is_way_out
from roles.contracts.orders import Amount, Entry, FillStep, Of, Order, PressStep, ReadStep, Records, RowTest, Text, Thing, When
from roles.policies.orders.forms import Forms
from roles.policies.orders.grounding import Refusal, names_nothing, to_records
from roles.policies.orders.page_forms import (
    RECORDS,
    ROLES,
    SURE,
    WRITTEN,
    Filled,
    PageForm,
    called,
    names_verb,
    options,
    takes_moment,
)
from roles.policies.orders.state import NotKnownYet, each_of, escaped, is_many
from roles.screen.language.controls import PATH
from roles.screen.language.words import deeds, phrases, table
from roles.screen.matching import is_called_by, similarity, tokens
from roles.screen.page import BOXES, LISTS, PARTLY, PRESSED, likeness
from roles.screen.screens import DIALOG_ROLES
from roles.screen.texts import begins, fold, has_phrase, plain

_FILLED = WRITTEN | LISTS | {"slider"}
_LOOKS = frozenset({"find", "check", "answer", "collect", "keep", "wait"})
"""Verbs that are no deed on anything: a control of that name does not do what they say."""
_ADDS = frozenset({"add", "put", "create", "move"})


class Missing(Refusal):
    """The page does not show it; after a press it may."""

    def __init__(self, why: str, name: str = "") -> None:
        super().__init__(why)
        self.name = name


class PageOrders(Forms):
    """Orders to steps on the one page that the cards show, or by a form that a press brings up, in as many parts as it has."""

    def on_view(self, order: Order) -> None:
        """The steps of an order behind those that led to its form: what the page is called to do, else by the form."""
        done, fresh, why = self._steps, self._entry_of(order), self.unclear(order)
        self._steps = []
        for step in done:
            self._steps.append(step)
            if self.is_begun():
                self._need()
        done = [step for step in done if not (isinstance(step, PressStep) and step.kind)]  # which only opened a part of the page
        if not done and not fresh:
            try:
                return self._direct(order)
            except Refusal as no:
                if order.verb in table("pages")["verbs"]:
                    raise
                self._steps, why = [], no
        shown = [w for w in self._page.widgets if self._part in {"", w.inside[2]}]
        form = PageForm(self._clause(order, fresh), shown, order.verb)
        form.ground([entry for step in done if isinstance(step, FillStep) for entry in step.entries])
        self._by_form(order, form, [step for step in done if isinstance(step, PressStep)], why)
        if self.is_begun():
            self._need()
            raise NotKnownYet
        return None

    def is_begun(self) -> bool:
        """Whether the steps so far lead to more of a form that is not known yet."""
        last = self._steps[-1] if self._steps else None
        return isinstance(last, PressStep) and last.leads > 0

    def _direct(self, order: Order) -> None:
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
        """The order without the page, the tab or the section that it says it is about: "On the Orders page, ...". What is not
        open is opened first."""
        self._part, before = "", len(self._steps)
        within = {"at"} if order.verb in {*_ADDS, *table("pages")["verbs"]} else {"at", "into"}  # nothing is put into it
        said = [slot for slot in order.slots if slot.role in within]
        here = [slot for slot in said if isinstance(slot.value, Of) and self._is_here(slot.value.thing)]
        slots = tuple(slot for slot in order.slots if slot not in here)
        thing = order.object
        if thing is not None and thing.place is not None and self._is_here(thing.place):
            thing = thing.model_copy(update={"place": None})
        if len(self._steps) > before:
            self._need()
            raise NotKnownYet
        return order.model_copy(update={"slots": slots, "object": thing})

    def _is_here(self, place: Thing) -> bool:
        name = place.name.text.removesuffix(place.kind).strip() if place.name is not None else ""
        if place.kind not in {"tab", "section"} or not name:
            names = (self.card(self._page_app).title, *self._page.texts)
            return place.kind in phrases("generic") and (not name or any(likeness(name, one) >= PARTLY for one in names))
        ways = [w for w in called(name, self._all(PRESSED), True) if w.role == "tab" or w.folded is not None]
        if len(ways) == 1:
            opened = ways[0].ticked or ways[0].folded is False
            if not opened and not any(step for step in self._steps if isinstance(step, PressStep) and step.kind):
                self._click(ways[0], kind=place.kind, leads=1)
            return True
        return self._keep_to(name)

    def _keep_to(self, name: str) -> bool:
        """Whether one part of the page is called so, and no other is meant from here on. Raises Missing where nothing is."""
        parts = {w.inside[2] for w in self._page.widgets if likeness(name, w.inside[1]) >= SURE}
        shown = (*self._page.texts, *(w.inside[1] for w in self._page.widgets), *(w.name for w in self._all(PRESSED)))
        if not any(likeness(name, text) >= PARTLY for text in shown):
            raise Missing(f'there is no "{name}" on the page', name)
        self._part = next(iter(parts)) if len(parts) == 1 else self._part
        return len(parts) == 1

    def reveal(self, missing: Missing) -> PressStep:
        """What looks for a name behind tabs, in sections and further down; once."""
        looks = [step for step in self._plan if isinstance(step, PressStep) and step.verb == "reveal"]
        if not missing.name or not self._page.folds or any(step.control == missing.name for step in looks):
            raise missing
        return PressStep(app=self._page_app, verb="reveal", control=missing.name, place=str(missing))

    def unclear(self, part: Order | Thing) -> Refusal:
        return Refusal(f'"{self._said(part.spans)}" is not understood of a page')

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

    # --- what is on the page ----------------------------------------------------------------------------------------------

    def _all(self, roles: Collection[str]) -> list[Widget]:
        """What has a name and one of these roles, in the part of the page that is meant."""
        return [w for w in self._page.widgets if w.role in roles and w.name and self._part in {"", w.inside[2]}]

    def _sole(self, widgets: Sequence[Widget], what: str, name: str = "") -> Widget:
        if len(widgets) == 1:
            return widgets[0]
        if not widgets:
            raise Missing(f'there is no "{what}" on the page', name)
        names = ", ".join(f'"{w.name}"' for w in widgets[:8])
        raise Refusal(f'{len(widgets)} things on the page may be meant by "{what}": {names}; say which one')

    def _nth(self, widget: Widget) -> int:
        """Its place among those that are called so and are the same; 0: it is the only one."""
        alike = [w for w in self._page.widgets if (w.name, w.role, w.front) == (widget.name, widget.role, widget.front)]
        return 1 + next(n for n, w in enumerate(alike) if w is widget) if len(alike) > 1 else 0

    def _click(self, widget: Widget, place: str = "", kind: str = "", verb: str = "click", leads: int = 0) -> None:
        nth, name = 0 if place else self._nth(widget), widget.name
        self._add(PressStep(app=self._page_app, verb=verb, control=name, kind=kind, place=place, nth=nth, leads=leads))

    def _put(self, widget: Widget, value: str) -> None:
        """A value; of a list the choice that says it among other words, where only one does: `Europe/Paris`."""
        saying = [option for option in widget.options if tokens(value) and {*tokens(value)} <= {*tokens(option)}]
        exactly = [option for option in saying if plain(option) == plain(value)]
        value = saying[0] if len(saying) == 1 and not exactly and widget.role in LISTS else value
        self._write_into(widget.name, value, self._nth(widget))

    def _write_into(self, label: str, value: str, nth: int = 0) -> None:
        """A value into a field; fields that are filled one after the other are one form."""
        last, entry = self._steps[-1] if self._steps else None, Entry(label=label, value=value, nth=nth)
        if isinstance(last, FillStep):
            self._steps[-1] = last.model_copy(update={"entries": (*last.entries, entry)})
        else:
            self._add(FillStep(app=self._page_app, entries=(entry,)))

    # --- pressing ---------------------------------------------------------------------------------------------------------

    def _check_one(self, thing: Thing) -> None:
        if is_many(thing) or thing.but or thing.tests or thing.back is not None:
            raise self.unclear(thing)

    def _press(self, verb: str, thing: Thing) -> None:
        self._check_one(thing)
        name, place = thing.name.text if thing.name else "", thing.place
        within = "" if place is None or place.kind in {"text", "section"} else place.name.text if place.name else place.kind
        if verb == "focus" or thing.kind in {"field", "slider"}:
            return self._click(self._field(thing), within, "field")
        if verb == "close" and (thing.kind == "dialog" or not name):
            inside = [w for w in self._page.widgets if w.role in PRESSED and w.inside[0] in DIALOG_ROLES]
            ways = [w for w in inside if not name or likeness(name, w.inside[1]) >= PARTLY]
            closes = [w for w in ways if likeness("close", w.name) >= SURE] or [w for w in ways if is_way_out(w.name)]
            return self._click(self._sole(closes, "way to close it"), "dialog")
        if verb == "open" and thing.kind == "section" and not name:
            name = self._sole([w for w in self._page.widgets if w.folded] or self._all({"tab"})[:1], "section").name
        leads = thing.spans and self.reading.goal[thing.spans[-1][1] :].lstrip().startswith(PATH)
        found = self._meant(name, thing, PRESSED | BOXES)
        what = " ".join(part for part in (thing.kind, name) if part) or "control"
        widget = found[0] if found and name and within else self._sole(found, what, name)
        return self._click(widget, within, thing.kind, "point" if leads else "click")

    def _meant(self, name: str, thing: Thing, roles: Collection[str]) -> list[Widget]:
        """What a thing may mean of these: by its name, of several at its place, else whatever is of its kind."""
        of_kind = self._all(ROLES.get(thing.kind, roles))
        exactly = [w for w in of_kind if w.role == thing.kind] if thing.kind in PRESSED else of_kind
        whole = thing.name is not None and thing.name.quoted
        found = (called(name, exactly, whole) or called(name, of_kind, whole)) if name else exactly or of_kind
        pick = thing.pick
        if pick is None or pick.by or pick.at > len(found):
            return found
        return [found[pick.at - 1 if pick.order == "first" else -1]]

    # --- fields -----------------------------------------------------------------------------------------------------------

    def _field(self, thing: Thing | None, *, filled: bool = False) -> Widget:
        """The field that is meant: by its label; else the only one, of several the one that is empty (or, to be read, is not)."""
        thing = thing or Thing(kind="field")
        thing = thing.model_copy(update={"kind": "field"}) if thing.kind == "box" else thing
        if thing.place is not None and thing.place.name is not None:
            raise self.unclear(thing)
        if thing.name is not None or thing.kind == "dialog":  # "into the message box"
            label = thing.name.text if thing.name is not None else self._said(thing.spans)
            return self._labelled(label, self._all(ROLES.get(thing.kind, _FILLED)))
        fields = self._meant("", thing, _FILLED)
        fields = [w for w in fields if w.role in WRITTEN] or fields
        fitting = [w for w in fields if w.filled == filled] if len(fields) > 1 else fields
        return self._sole(fitting or fields, "field" if thing.kind == "text" else thing.kind)

    def _labelled(self, label: str, fields: Sequence[Widget]) -> Widget:
        """The field of this label; where what is written is said only by its kind, the only field that takes such."""
        found = called(label, [w for w in fields if not names_nothing(label, w.name, w.hint)])
        if not found:
            timed = [w for w in fields if takes_moment(plain(label), w)]
            takes = timed or [w for w in fields if w.role in WRITTEN and plain(label) in phrases("anything")]
            found = takes if len(takes) == 1 else []
        return self._sole(found, f"{label} field", label)

    def _enter(self, order: Order) -> None:
        values = [slot for slot in order.slots if slot.role == "value"]
        roles = {"into", "at", "from"} if order.verb == "select" else {"into", "at"}
        into = next((slot.value.thing for slot in order.slots if slot.role in roles and isinstance(slot.value, Of)), None)
        of, named = order.object, into is None and all(slot.field for slot in values)
        kept = of is not None and named and self._keep_to(self._said(of.spans))  # the city of the billing address
        if of is not None and of.name is not None and named and not kept:
            entries = tuple(Entry(label=slot.field, value=self.words(slot.value)) for slot in values)
            return self._add(FillStep(app=self._page_app, records=self._shown_row(of), entries=entries))
        nowhere = order.verb == "select" and into is None and not all(slot.field for slot in values)
        if any(slot.role == "at" and isinstance(slot.value, Of) and slot.value.thing.name is not None for slot in order.slots):
            raise self.unclear(order)
        if not values or nowhere or (into is not None and len(values) > 1):
            raise Refusal(f'"{self._said(order.spans)}" does not say what goes where')
        for slot in values:
            text = escaped(slot.value.text) if isinstance(slot.value, Amount | When) else self.words(slot.value)
            if into is not None and into.quantity != "one":
                fields = self._all(WRITTEN)
                if into.quantity == "number" and len(fields) != into.number:
                    raise Missing(f"the page has {len(fields)} fields, and not {into.number}")
                for one in fields:
                    self._put(one, text)
            elif slot.field and not (into is not None and into.pick is not None and plain(slot.field) in phrases("anything")):
                self._choose(slot.field, text)
            else:
                self._put(self._field(into), text)
        saves = [w for w in self._all(PRESSED) if names_verb("save", w.name)]
        if order.said.casefold() in {"change", "update"} and self._at == len(self.reading.orders) - 1 and len(saves) == 1:
            self._click(saves[0])  # else the page does not keep it

    def _choose(self, label: str, text: str) -> None:
        """A value of what is called so: a field, a list, an option of a group, or what a press may unfold."""
        try:
            return self._put(self._labelled(label, self._all(_FILLED | BOXES - PRESSED)), text)
        except Missing:
            names = (*self._page.texts, *(w.inside[1] for w in self._page.widgets))
            if not any(similarity(label, name) >= SURE for name in names):
                raise
        meant = [w for w in self._all(BOXES | PRESSED) if plain(w.name) == plain(text)]
        if any(w.role in PRESSED for w in meant):
            return self._click(self._sole(meant, text))
        return self._put(meant[0], "true") if len(meant) == 1 else self._write_into(label, text)

    def _select(self, order: Order, things: Sequence[Thing]) -> None:
        if not things:
            return self._enter(order)
        among = next((slot.value.thing for slot in order.slots if isinstance(slot.value, Of) and slot.role != "value"), None)
        first, wanted = things[0], "false" if order.verb == "drop" else "true"
        if first.kind != "nothing" and not (first.quantity == "all" and first.name is None):
            for thing in things:
                self._select_one(thing, among, wanted)
            return None
        wanted = "false" if first.kind == "nothing" else wanted
        groups = {w.inside[2] for w in self._all(BOXES) if w.inside[0] not in RECORDS}
        if len(groups) > 1 and (first.kind not in {"", "nothing", *ROLES} or (among and among.kind in {"tab", "section"})):
            raise self.unclear(first)  # only those of one group
        names = [(one.name.text if one.name else "", one) for out in first.but for one in (out, *out.also)]
        but = [self._sole(self._meant(name, one, PRESSED | BOXES), name) for name, one in names]
        if not (boxes := self._all(BOXES)):
            raise Missing("there are no boxes on the page")
        for box in boxes:
            if box.ticked != (wanted == "true") and box not in but:
                self._put(box, wanted)
        return None

    def _select_one(self, thing: Thing, among: Thing | None, wanted: str) -> None:
        """A box that is called so, or the choice of a list; else what is pressed."""
        self._check_one(thing)
        if thing.name is None or (thing.place is not None and thing.place.name is not None):
            raise self.unclear(thing)
        name, sure = thing.name.text, thing.name.quoted
        lists = called(among.name.text, self._all(LISTS)) if among is not None and among.name is not None else self._all(LISTS)
        found = [Filled(box, wanted) for box in called(name, self._all(BOXES), sure)]
        found = found or [*options(lists, lambda option, _: plain(option) == plain(name))]
        if not found and called(name, self._all(ROLES.get(thing.kind, PRESSED)), sure or not thing.kind):
            return self._press("click", thing)
        one = self._sole([widget for widget, _ in found], name, name)
        if one.role in LISTS and wanted == "false":
            raise self.unclear(thing)
        return self._put(one, found[0].value)

    # --- deeds ------------------------------------------------------------------------------------------------------------

    def _deed(self, order: Order, thing: Thing) -> None:
        """What a control beside what is meant is called by, or the words of a control as a whole: "save the changes"."""
        whole = [w for w in self._page.widgets if w.role in PRESSED and is_called_by(self._said(order.spans), w.name)]
        if len(whole) == 1:
            return self._click(whole[0])
        name = thing.name.text if thing.name else thing.kind
        boxes = [w for w in self._all(BOXES) if tokens(name) and {*tokens(name)} <= {*tokens(w.name)}]
        boxes = [w for w in boxes if not {*deeds()["denials"]} & {*tokens(w.name)}]  # "I do not accept the terms"
        if order.verb in {"accept", "agree", "confirm"} and len(boxes) == 1:
            return self._put(boxes[0], "true")
        where = next((slot.value for slot in order.slots if slot.role != "value"), None)
        inside = where.thing if isinstance(where, Of) else Thing(name=where if isinstance(where, Text) else None)
        place = inside.name.text if inside.name else inside.kind
        verbs = [*filter(None, (order.verb, order.said)), *(["add"] if order.verb in _ADDS else [])]
        controls = [w for w in self._all(PRESSED) if any(names_verb(verb, w.name) for verb in verbs)]
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
            shown = (*self._page.texts, *(w.name for w in self._page.widgets))
            alike = [text for text in shown if singular(plain(text)) == singular(plain(thing.kind))]
            name = Text(text=alike[0], quoted=True) if alike else None
        named: tuple[RowTest, ...] = ()
        if name is not None and not name.quoted and name.text.islower():  # "the oldest waiting parcel"
            nouns = {singular(plain(head)) for head in (*self._page.heads, thing.kind)}
            named, name = tuple(RowTest(value=escaped(w)) for w in name.text.split() if singular(w) not in nouns), None
        labels = self._page.heads or tuple(test.field for test in thing.tests if test.field)
        row = KindCard(kind="row", fields=tuple(FieldCard(label=label, listed=True) for label in labels))
        bare = Thing(kind="row", name=name, tests=thing.tests, spans=thing.spans)
        (records,) = to_records(bare, [AppCard(app=self._page_app, title="the page", kinds=(row,))], self.words)
        return records.model_copy(update={"tests": (*named, *records.tests), "pick": thing.pick})

    # --- forms ------------------------------------------------------------------------------------------------------------

    def _entry_of(self, order: Order) -> str:
        """What is to be a new entry of a list, "add butter to the list": what the page shows nowhere yet."""
        thing = order.object
        if order.verb != "add" or thing is None or thing.tests or thing.also or thing.pick or thing.but or thing.back:
            return ""
        name = thing.name.text if thing.name is not None else thing.kind
        shown = (*self._page.texts, *(w.name for w in self._page.widgets))
        plain_one = thing.quantity in {"one", "any"} and not any(map(str.isdigit, name))
        return name if plain_one and not any(has_phrase(plain(text), plain(name)) for text in shown) else ""

    def _clause(self, order: Order, fresh: str) -> str:
        """The goal's own words behind the verb, a new entry in quotation marks."""
        goal = self.reading.goal[min(s for s, _ in order.spans) : max(e for _, e in order.spans)]
        at = goal.casefold().find(order.said.casefold())
        clause = goal[at + len(order.said) :] if at >= 0 else goal
        quoted = order.object is not None and order.object.name is not None and order.object.name.quoted
        return clause.replace(fresh, f'"{fresh}"', 1) if fresh and not quoted else clause

    def _by_form(self, order: Order, form: PageForm, pressed: Sequence[PressStep], why: Refusal) -> None:
        """What the form takes, then the press that ends it or leads on; without anything to fill what brings the form up."""
        verbs = [*filter(None, (order.verb, order.said))]
        ways = [w for w in form.scope if w.role in PRESSED and w.inside[0] not in RECORDS and not is_way_out(w.name)]
        own = [w for w in ways if any(names_verb(verb, w.name) for verb in verbs)]
        words = (*verbs, *map(str, deeds()["controls"].get(order.verb, ())))
        ends = own or [w for w in ways if begins(w.name, words)] or [w for w in ways if form.is_about(w.name, ())]
        onward = [w for w in ways if fold(w.name) in phrases("next step")]
        if not form.filled and not pressed:
            opens = [w for w in ways if (w in own or begins(w.name, deeds()["opens"])) and form.is_about(w.name, verbs)]
            sole = opens[0].name if len(opens) == 1 else ""
            sends = form.fields() or (any(plain(sole) == plain(verb) for verb in verbs) and form.chooses())
            if not sole or sends or form.is_another() or effect_of_words(sole) in SENSITIVE - {Effect.SEND}:
                raise why  # beside fields it may send them as they are
            return self._click(opens[0], leads=1)
        if len(ends) != 1 and pressed:
            ends = [w for w in ways if w not in onward] or ends
        left = form.left([*(w.name for w in (*ends, *onward)), *(step.control for step in pressed)])
        leads = (left or len(ends) != 1) and len(onward) == 1
        if left and not leads:
            raise Refusal(f'"{" ".join(left)}" is for nothing in the form: {why}')
        end = onward[0] if leads else self._sole(ends, order.said)
        for widget, value in form.filled:
            self._put(widget, escaped(value))
        return self._click(end, leads=len(pressed) + 1 if leads else 0)
