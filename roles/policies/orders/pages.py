"""Orders about a page to steps, grounded by what the page shows. What comes up only after a press is planned once it is there."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from environments.cards import AppCard, Widget, singular
from roles.contracts.orders import (
    Amount,
    AnswerStep,
    Back,
    Entry,
    FillStep,
    Of,
    Order,
    PressStep,
    Reading,
    ReadStep,
    Records,
    RowTest,
    Step,
    Text,
    Thing,
    Value,
    When,
    said,
)
from roles.contracts.values import parse_date, parse_time
from roles.policies.orders.state import Group, Refusal, escaped
from roles.screen.language.controls import PATH
from roles.screen.matching import similarity
from roles.screen.page import BOXES, LISTS, PARTLY, PRESSED, likeness, plain

WRITTEN = frozenset({"textbox", "searchbox", "spinbutton"})
ROLES = {
    "button": PRESSED, "link": PRESSED, "tab": PRESSED, "item": PRESSED, "section": PRESSED, "field": WRITTEN | LISTS,
    "text": WRITTEN, "box": BOXES, "list": LISTS, "slider": frozenset({"slider", "spinbutton"}), "calendar": WRITTEN,
}  # fmt: skip
_EXACTLY = {"button": frozenset({"button"}), "link": frozenset({"link"}), "tab": frozenset({"tab"})}
_SURE = 0.9
_HINTS = {"date": ("yy", "dd"), "day": ("yy", "dd"), "time": ("hh",)}
"""What the empty state of a field says that takes such a value."""
_LOOKS = frozenset({"find", "check", "answer", "collect", "keep", "wait"})
"""Verbs that are no deed on anything: a control of that name does not do what they say."""
_ANY = frozenset({"text", "value", "date", "day", "time", "number", "word", "answer", "content", "query"})
"""What is written, said by its kind: it goes into the only field there is."""


class Missing(Refusal):
    """The page does not show it; after a press it may."""

    def __init__(self, why: str, name: str = "") -> None:
        super().__init__(why)
        self.name = name


class PagePlanner:
    """Walks through the orders as far as the page shows what they name. `more` says that it had to stop before the end."""

    def __init__(self, reading: Reading, card: AppCard, known: Sequence[Step], skipped: Iterable[int] = ()) -> None:
        if card.page is None:
            raise ValueError(f"{card.app} is not a page")
        self.reading, self.app, self.page = reading, card.app, card.page
        self.more = self.passed_over = self.forbidden = False
        self._known, self._skipped = list(dict.fromkeys(known)), set(skipped)
        self._facts: dict[int, str] = {}

    def groups(self) -> list[Group]:
        """What is to be done, in order. Raises Refusal."""
        made: list[Group] = []
        pressed = False
        for at, order in enumerate(self.reading.orders):
            if order.negated or at in self._skipped:
                continue
            steps: list[Step] = [step for step in self._known if step.order == at]
            if not steps:
                try:
                    steps = [step.model_copy(update={"order": at}) for step in self._steps(at, order)]
                except Missing as missing:
                    self.more = True
                    if not pressed:
                        made.append(Group(f"o{at}.1", (self._reveal(missing),)))
                    break
                pressed = pressed or any(isinstance(step, PressStep) for step in steps)
            self._learned(at, steps)
            if steps:
                made.append(Group(f"o{at}", tuple(steps)))
        return made

    def _reveal(self, missing: Missing) -> PressStep:
        """What looks for a name behind tabs, in sections and further down; once."""
        tried = any(isinstance(s, PressStep) and s.verb == "reveal" and s.control == missing.name for s in self._known)
        if tried or not missing.name or not self.page.folds:
            raise missing
        return PressStep(app=self.app, verb="reveal", control=missing.name, place=str(missing))

    def _learned(self, at: int, steps: Sequence[Step]) -> None:
        for step in steps:
            if isinstance(step, ReadStep):
                self._facts[at] = step.names[-1]

    def _said(self, order: Order) -> str:
        return said(self.reading.goal, order.spans)

    # --- orders -----------------------------------------------------------------------------------------------------------

    def _steps(self, at: int, order: Order) -> list[Step]:
        if order.condition is not None:
            raise Refusal(f'"{self._said(order)}": what a page shows is not known beforehand')
        match order.verb:
            case "click" | "open" | "focus" | "close":
                return [step for thing in _each(order) for step in self._press(order.verb, thing)]
            case "scroll":
                return self._scroll(order)
            case "write" | "set":
                return self._write(at, order)
            case "select" | "drop":
                return self._select(at, order)
            case "find" | "answer" if order.object is None:
                return self._tell(at, order)
        if not order.slots and order.verb not in _LOOKS:
            return [self._deed(order, thing) for thing in (_each(order) if order.object is not None else [Thing()])]
        raise Refusal(f'"{self._said(order)}" is not understood of a page')

    def _press(self, verb: str, thing: Thing) -> list[Step]:
        self._one(thing)
        name = thing.name.text if thing.name else ""
        place = self._place(thing.place)
        if verb == "focus" or thing.kind in {"field", "slider"}:
            field = self._field(thing)
            return [PressStep(app=self.app, verb="click", control=field.name, kind="field", place=place, nth=self._nth(field))]
        if verb == "close" and (thing.kind == "dialog" or thing.name is None):
            return [PressStep(app=self.app, verb="close", kind="dialog", place=name)]
        if verb == "open" and thing.kind == "section" and not name:
            folded = [w for w in self.page.widgets if w.folded]
            tabs = [w for w in self.page.widgets if w.role == "tab"]
            name = self._only(folded or tabs[:1], "section").name
        widget = self._widget(name, thing)
        nth = self._nth(widget) if thing.pick is not None else 0
        verb = "point" if thing.spans and self.reading.goal[thing.spans[-1][1] :].lstrip().startswith(PATH) else "click"
        return [PressStep(app=self.app, verb=verb, control=widget.name, kind=thing.kind, place=place, nth=nth)]

    def _nth(self, widget: Widget) -> int:
        """Its place among those that are called so and are the same; 0: it is the only one."""
        alike = [w for w in self.page.widgets if w.name == widget.name and w.role == widget.role]
        return 1 + next(n for n, w in enumerate(alike) if w is widget) if len(alike) > 1 else 0

    def _entry(self, widget: Widget, value: str) -> FillStep:
        return self._filled([Entry(label=widget.name, value=value, nth=self._nth(widget))])

    def _one(self, thing: Thing) -> None:
        """Several at once are not understood."""
        if thing.quantity in {"all", "number"} or thing.but or thing.tests or thing.back is not None:
            raise Refusal(f'"{said(self.reading.goal, thing.spans)}" is not understood of a page')

    def _place(self, place: Thing | None) -> str:
        """The part of the page, by its name; a dialog is found by what it is."""
        if place is None or place.kind in {"text", "section"}:
            return ""
        return place.name.text if place.name else place.kind

    def _widget(self, name: str, thing: Thing) -> Widget:
        """What can be pressed and is called so; the only one of its kind where it has no name."""
        roles = ROLES.get(thing.kind, PRESSED | BOXES)
        of_kind = [w for w in self.page.widgets if w.role in roles and w.name]
        exactly = [w for w in of_kind if w.role in _EXACTLY.get(thing.kind, roles)]
        if not name:
            number = 0 if thing.pick is None else thing.pick.at if thing.pick.order == "first" else -1
            if number and len(exactly) >= abs(number) and not (thing.pick and thing.pick.by):
                return exactly[number - 1 if number > 0 else number]
            return self._only(exactly or of_kind, thing.kind or "control")
        called = _called(name, exactly, thing) or _called(name, of_kind, thing)
        if not called:
            raise Missing(f'there is no "{" ".join(part for part in (thing.kind, name) if part)}" on the page', name)
        if len(called) > 1 and thing.pick is not None and not thing.pick.by and len(called) >= thing.pick.at:
            return called[thing.pick.at - 1 if thing.pick.order == "first" else -1]
        if len(called) > 1 and thing.place is None:
            raise Refusal(f'{len(called)} things on the page are called "{name}"; say which one')
        return called[0]

    def _only(self, widgets: Sequence[Widget], kind: str) -> Widget:
        if len(widgets) == 1:
            return widgets[0]
        if not widgets:
            raise Missing(f'there is no "{kind}" on the page')
        names = ", ".join(f'"{w.name}"' for w in widgets[:8])
        raise Refusal(f'{len(widgets)} things on the page may be meant by "{kind}": {names}')

    def _scroll(self, order: Order) -> list[Step]:
        label = self._field(order.object, filled=True).name if order.object is not None else ""
        edge = order.slots[0].value.text if isinstance(order.slots[0].value, Text) else "bottom"
        return [PressStep(app=self.app, verb="scroll", control=label, place=edge)]

    # --- fields -----------------------------------------------------------------------------------------------------------

    def _field(self, thing: Thing | None, *, filled: bool = False) -> Widget:
        """The field that is meant: by its label; else the only one, of several the one that is empty (or, to be read, is not)."""
        kind = thing.kind if thing and thing.kind != "box" else "field"
        fields = [w for w in self.page.widgets if w.role in ROLES.get(kind, WRITTEN | LISTS | {"slider"}) and w.name]
        fields = self._placed(thing, fields)
        if thing is not None and thing.name is not None:
            return self._labelled(thing.name.text, fields)
        if thing is not None and thing.pick is not None and thing.pick.order == "first" and len(fields) >= thing.pick.at:
            return fields[thing.pick.at - 1]
        fields = [w for w in fields if w.role in WRITTEN] or fields
        fitting = [w for w in fields if w.filled == filled] if len(fields) > 1 else fields
        return self._only(fitting or fields, "field" if kind == "text" else kind)

    def _placed(self, thing: Thing | None, widgets: Sequence[Widget]) -> list[Widget]:
        """Those in the part of the page that is named."""
        place = thing.place if thing is not None else None
        if place is None or place.name is None:
            return list(widgets)
        found = [w for w in widgets if likeness(place.name.text, w.inside[1]) >= PARTLY]
        if not found:
            raise Refusal(f'what stands in "{place.name.text}" cannot be told apart from the rest of the page')
        return found

    def _labelled(self, label: str, fields: Sequence[Widget] | None = None) -> Widget:
        """The field of this label; where what is written is said only by its kind, the only field that takes such."""
        options = [w for w in self.page.widgets if w.role not in PRESSED and w.name] if fields is None else list(fields)
        scored = [(max(likeness(label, w.name), similarity(label, w.name) if similarity(label, w.name) >= _SURE else 0.0), w)
                  for w in options]  # fmt: skip
        best = max((score for score, _ in scored), default=0.0)
        called = [w for score, w in scored if score >= PARTLY and score >= best - 0.005]
        if len(called) == 1:
            return called[0]
        hints = _HINTS.get(plain(label), ())
        hinted = [w for w in options if any(hint in w.hint.casefold() for hint in hints)]
        written = [w for w in options if w.role in WRITTEN]
        if not called and (hinted or plain(label) in _ANY) and len(hinted or written) == 1:
            return (hinted or written)[0]
        if not called:
            raise Missing(f'there is no "{label} field" on the page', label)
        raise Refusal(f'{len(called)} things on the page are called "{label}"; say which one')

    def _write(self, at: int, order: Order) -> list[Step]:
        steps: list[Step] = []
        values = [slot for slot in order.slots if slot.role == "value"]
        into = next((slot.value.thing for slot in order.slots if slot.role == "into" and isinstance(slot.value, Of)), None)
        if not values or (into is not None and len(values) > 1):
            raise Refusal(f'"{self._said(order)}" does not say what goes where')
        for n, slot in enumerate(values):
            text = self._value(at, n, slot.value, steps)
            if into is not None and into.quantity != "one":
                fields = [w for w in self.page.widgets if w.role in WRITTEN and w.name]
                if into.quantity == "number" and len(fields) != into.number:
                    raise Missing(f"the page has {len(fields)} fields, and not {into.number}")
                steps.append(self._filled([Entry(label=w.name, value=text) for w in fields]))
            elif slot.field and not (into is not None and into.pick is not None and plain(slot.field) in _ANY):
                steps += self._chosen(slot.field, text)
            else:
                field = self._field(into)
                steps.append(self._entry(field, _shaped(text, field.hint)))
        return _joined(steps)

    def _filled(self, entries: Sequence[Entry]) -> FillStep:
        return FillStep(app=self.app, entries=tuple(entries))

    def _chosen(self, label: str, text: str) -> list[Step]:
        """A value of what is called so: a field, a list, a group of options, or what unfolds to such."""
        try:
            widget = self._labelled(label)
            return [self._filled([Entry(label=widget.name, value=_shaped(text, widget.hint))])]
        except Missing:
            groups = (w.inside[1] for w in self.page.widgets)
            if not any(similarity(label, name) >= _SURE for name in (*self.page.texts, *groups)):
                raise
        options = [w for w in self.page.widgets if plain(w.name) == plain(text) and w.role in BOXES | PRESSED]
        if not options:
            raise Missing(f'there is no "{text}" for "{label}" on the page', text)
        options = [w for w in options if similarity(label, w.inside[1]) >= _SURE] or options
        if options[0].role in BOXES:
            same = sum(plain(w.name) == plain(text) for w in self.page.widgets) > 1
            entry = Entry(label=label, value=text) if same else Entry(label=options[0].name, value="true")
            return [self._filled([entry])]
        return [PressStep(app=self.app, verb="click", control=self._only(options, text).name)]

    def _value(self, at: int, n: int, value: Value, steps: list[Step]) -> str:
        """A value as a step holds it; what the page shows is read before."""
        match value:
            case Text() | Amount() | When():
                return escaped(value.text)
            case Back(to=to) if to in self._facts:
                return "{" + self._facts[to] + "}"
            case Of():
                steps.append(self._read(at, n, value))
                return "{" + self._fact(at, n) + "}"
        raise Refusal(f'"{said(self.reading.goal, value.spans)}" refers to nothing whose text is known')

    # --- choosing ---------------------------------------------------------------------------------------------------------

    def _select(self, at: int, order: Order) -> list[Step]:
        thing = order.object
        value = next((slot for slot in order.slots if slot.role == "value"), None)
        if thing is None and value is not None:
            if value.field:
                return self._write(at, order)
            into = next((slot.value.thing for slot in order.slots if isinstance(slot.value, Of)), None)
            if into is None:
                raise Refusal(f'"{self._said(order)}" does not say of what it is one')
            text = self._value(at, 0, value.value, [])
            return [self._entry(self._field(into), text)]
        if thing is None:
            raise Refusal(f'"{self._said(order)}" does not say what')
        boxes = [w for w in self.page.widgets if w.role in BOXES and w.name]
        if thing.kind == "nothing" or (thing.quantity == "all" and thing.name is None):
            wanted = "false" if thing.kind == "nothing" or order.verb == "drop" else "true"
            but = [self._widget(one.name.text if one.name else "", one).name for out in thing.but for one in (out, *out.also)]
            entries = [Entry(label=w.name, value=wanted) for w in boxes
                       if w.ticked != (wanted == "true") and w.name not in but]  # fmt: skip
            if not boxes:
                raise Missing("there are no boxes on the page")
            return [self._filled(entries)] if entries else []
        among = next((slot.value.thing for slot in order.slots if slot.role == "from" and isinstance(slot.value, Of)), None)
        steps = [self._select_one(one, among, "false" if order.verb == "drop" else "true") for one in _each(order)]
        return _joined(steps)

    def _select_one(self, thing: Thing, into: Thing | None, wanted: str) -> Step:
        self._one(thing)
        if thing.name is None and thing.place is not None and thing.kind == "box":  # the box for Pizza
            thing = thing.model_copy(update={"name": thing.place.name, "place": None})
        name = thing.name.text if thing.name else ""
        if not name:
            return self._entry(self._widget("", thing), wanted)
        boxes = _called(name, [w for w in self._placed(thing, self.page.widgets) if w.role in BOXES], thing)
        if len(boxes) > 1 and thing.pick is not None:
            boxes = [self._widget(name, thing)]
        lists = [w for w in self.page.widgets if w.role in LISTS and any(plain(o) == plain(name) for o in w.options)]
        if into is not None and into.name is not None:
            lists = [w for w in lists if likeness(into.name.text, w.name) >= PARTLY] or lists
        if len(boxes) == 1:
            return self._entry(boxes[0], wanted)
        if len(lists) == 1 and wanted == "true":
            option = next(o for o in lists[0].options if plain(o) == plain(name))
            return self._filled([Entry(label=lists[0].name, value=option)])
        if len(boxes) + len(lists) > 1:
            raise Refusal(f'{len(boxes) + len(lists)} things on the page are called "{name}"; say which one')
        pressed = _called(name, [w for w in self.page.widgets if w.role in PRESSED], thing)
        if pressed:
            return self._press("click", thing)[0]
        raise Missing(f'there is no "{name}" on the page', name)

    # --- reading ----------------------------------------------------------------------------------------------------------

    def _fact(self, at: int, n: int) -> str:
        return f"value {at + 1}.{n + 1}"

    def _read(self, at: int, n: int, value: Of) -> ReadStep:
        thing, names = value.thing, (self._fact(at, n),)
        field = value.fields[0] if value.fields else ""
        if field == "text" or field.startswith("word "):
            part = "" if field == "text" else field
            if thing.kind == "text" and thing.name is None:
                return ReadStep(app=self.app, part=part or "text", names=names)
            return ReadStep(app=self.app, labels=(self._field(thing, filled=True).name,), part=part, names=names)
        if thing.name is None and thing.pick is None and not thing.tests:
            return ReadStep(app=self.app, labels=(field,), names=names)
        return ReadStep(app=self.app, records=self._records(thing), labels=(field,), names=names)

    def _tell(self, at: int, order: Order) -> list[Step]:
        steps: list[Step] = []
        texts = [self._value(at, n, slot.value, steps) for n, slot in enumerate(order.slots) if slot.role == "value"]
        if not steps or len(texts) != len(order.slots):
            raise Refusal(f'"{self._said(order)}" is not understood of a page')
        return [*steps, AnswerStep(value=", ".join(texts))] if order.verb == "answer" else steps

    # --- deeds ------------------------------------------------------------------------------------------------------------

    def _records(self, thing: Thing) -> Records:
        """The row or part of the page that is meant."""
        name = thing.name.text if thing.name else ""
        nouns = {singular(plain(head)) for head in (*self.page.heads, thing.kind)}
        if thing.name is not None and not thing.name.quoted and name.islower():  # "the oldest waiting parcel"
            named = [word for word in name.split() if singular(word) not in nouns]
        else:
            named = [name] if name else []
        tests = [RowTest(value=escaped(word)) for word in named]
        for test in thing.tests:
            if not isinstance(test.value, Text) or test.relation not in {"is", "by", "from", "to", "about", "has"}:
                raise Refusal(f'"{said(self.reading.goal, test.spans)}" is not understood of a page')
            tests.append(
                RowTest(
                    label=test.field, relation="is" if test.relation == "is" else "has", value=escaped(test.value.text),
                    negated=test.negated,
                )
            )  # fmt: skip
        if thing.back is not None or thing.but or thing.also or thing.quantity not in {"one", "any"}:
            raise Refusal(f'"{said(self.reading.goal, thing.spans)}" is not understood of a page')
        return Records(app=self.app, kind="row", tests=tuple(tests), pick=thing.pick)

    def _deed(self, order: Order, thing: Thing) -> Step:
        controls = [w for w in self.page.widgets if w.role in PRESSED and names_verb(order.verb, w.name)]
        if not controls:
            raise Missing(f'there is no control to "{order.said or order.verb}" on the page')
        records = self._records(thing)
        if not records.tests and records.pick is None and len(controls) > 1:
            raise Refusal(f"{len(controls)} controls of the page may be meant; say which one")
        return PressStep(app=self.app, records=records, verb=order.verb)


_ALIKE = ({"buy", "book", "order", "purchase", "reserve"}, {"delete", "remove", "trash", "erase"}, {"log", "sign"})


def names_verb(verb: str, control: str) -> bool:
    """Whether a control is called as the verb, or by another word for it, whatever stands behind it."""
    first = re.split(r"\W+", plain(control), maxsplit=1)[0]
    said_ = plain(verb.replace("_", " "))
    same = any(said_ in words and first in words for words in _ALIKE)
    return first == said_ or same or likeness(said_, control) >= _SURE


def _shaped(text: str, hint: str) -> str:
    """A day or a time as its field takes it, where the field says how: `hh:mm`, `yyyy-mm-dd`, `mm/dd/yyyy`."""
    form = hint.casefold()
    if "hh" in form and (minute := parse_time(text)) is not None:
        return f"{minute // 60:02d}:{minute % 60:02d}"
    if "yy" in form and (day := parse_date(text)) is not None:
        return day.isoformat() if form.startswith("yyyy") else text
    return text


def _each(order: Order) -> list[Thing]:
    if order.object is None:
        raise Refusal("it is not said what is meant")
    return [order.object.model_copy(update={"also": ()}), *order.object.also]


def _called(name: str, widgets: Sequence[Widget], thing: Thing) -> list[Widget]:
    """Those that are called so; a name in quotation marks is the whole name."""
    quoted = thing.name is not None and thing.name.quoted
    scored = [(likeness(name, w.name), w) for w in widgets if w.name]
    best = max((score for score, _ in scored), default=0.0)
    return [w for score, w in scored if score >= (_SURE if quoted else PARTLY) and score >= best - 0.005]


def _joined(steps: Sequence[Step]) -> list[Step]:
    """Fields that are filled one after the other are one form."""
    made: list[Step] = []
    for step in steps:
        last = made[-1] if made else None
        if isinstance(last, FillStep) and isinstance(step, FillStep):
            made[-1] = last.model_copy(update={"entries": (*last.entries, *step.entries)})
        else:
            made.append(step)
    return made
