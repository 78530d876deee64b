"""App cards of simulated apps, derived from their own code.

An app's `view` and `update` are pure: its controls are pressed on states that are thrown away, and what is shown, asked and
changed by that tells what the app holds and can do. Nothing outside is touched. A card names no record and no value of one.
"""

from __future__ import annotations

import logging
import re
from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal, NamedTuple, get_args, get_origin

from pydantic import BaseModel

from environments.cards import (
    AppCard,
    ColumnSays,
    FieldCard,
    FunctionCard,
    KindCard,
    VerbCard,
    arguments_of,
    singular,
    verb_of,
    verb_words,
)
from environments.effects import SENSITIVE, Effect
from environments.effects.words import is_way_out
from environments.simulated import app as sim
from environments.simulated.preview import changes_of_app
from environments.simulated.screen.view_parts import (
    SAMPLE,
    RecordRows,
    ViewParts,
    below,
    letters,
    other,
    parts_of,
    sample,
    type_of_field,
    type_of_values,
)
from environments.simulated.screen.widgets import FIELDS, SWITCHES, Widget
from environments.simulated.variation.apply import varied, varied_text
from environments.simulated.variation.metrics import Variation
from environments.simulated.world.values import IdentityKey
from environments.simulated.world.world import app_hash

_log = logging.getLogger(__name__)
_SCREENS, _UPDATES, _DEEP, _SAME = 60, 400, 5, 3
"""How many screens are looked at, how often something is tried, how far from the first screen, and with how many of a kind."""
_KNOWN = 400
"""Of so many records of a kind the names are known."""
At = Literal["record", "row", "list", "form", "app"]


class _Spot(NamedTuple):
    """A screen that was reached, and how."""

    state: sim.AppState
    kind: str = ""
    """Of the record that is open or chosen there: the field of the state that holds it."""
    record: str = ""
    via: VerbCard | None = None
    """The control that led here, as far as it may have opened a form."""
    place: str = ""
    depth: int = 0
    before: frozenset[str] | None = None
    """What was there before the record was chosen in its list."""


class _Done(NamedTuple):
    """What an event came to."""

    state: sim.AppState
    effect: str = ""
    new: str = ""
    """The field of the state that has a record more."""
    made: str = ""
    """That record."""
    touched: tuple[str, ...] = ()
    """Fields of the state that are others now, but for those that only say what is looked at."""
    asks: tuple[FieldCard, ...] = ()
    outside: bool = False
    """Something was copied, or another app was told."""

    def __bool__(self) -> bool:
        return bool(self.touched or self.asks or self.outside)


@dataclass
class _Kind:
    """A card in the making."""

    name: str
    words: dict[str, None] = field(default_factory=dict)
    place: str | None = None
    listing: frozenset[str] = frozenset()
    """What the screen has in common on which they are listed."""
    within: str = ""
    places: dict[str, None] = field(default_factory=dict)
    fields: dict[str, FieldCard] = field(default_factory=dict)
    verbs: dict[tuple[str, str], VerbCard] = field(default_factory=dict)
    create: VerbCard | None = None
    single: bool = False
    some: dict[str, _Kind] = field(default_factory=dict)
    """Those that are only some of them, by what they are."""
    says: dict[str, set[str]] = field(default_factory=dict)
    """Of some of them: what columns say."""
    in_names: bool = False
    """Of some of them: the names of all of these say what they are, and those of no others."""

    def note(self, label: str, **known: Any) -> None:
        """What was learned of a field, beside what is known of it already."""
        if label.strip() and label != "{title}":
            old = self.fields.get(label) or FieldCard(label=label)
            typed = old.type != "text" and known.get("type") != "list"
            news = {name: value for name, value in known.items() if value and not (name == "type" and typed)}
            self.fields[label] = old.model_copy(update=news)

    def can(self, verb: VerbCard) -> None:
        old = self.verbs.setdefault((verb.control, verb.at), verb)
        more = tuple(one for one in verb.asks if all(one.label != known.label for known in old.asks))
        self.verbs[verb.control, verb.at] = old.model_copy(update={"asks": (*old.asks, *more)}) if more else old

    def begun(self, verb: VerbCard) -> None:
        """How a new one is begun; another way to begin one is a verb."""
        if self.create is None or not self.create.control:
            self.create = verb
        elif verb.control not in ("", self.create.control):
            self.can(verb)

    def cards(self, own: Mapping[str, str], among: _Kind | None = None) -> Iterator[KindCard]:
        """Its card, and those of what is only some of it."""
        listed = [one for one in among.fields.values() if one.listed or one.key] if among else []
        fields = {one.label: one for one in (*listed, *self.fields.values())}.values()
        where = among or self
        shared = [v for v in (among.verbs if among else {}).values() if v.at == "list" and v.verb != "create"]
        verbs = {(v.control, v.at): v for v in (*self.verbs.values(), *shared)}
        said = {option for one in where.fields.values() if one.listed for option in one.options}
        words = tuple(word for word in self.words if word != self.name)
        yield KindCard(
            kind=self.name, words=words, place=where.place or "", within=where.within,
            places=tuple(name for name in where.places if name not in said), create=self.create, single=self.single,
            fields=tuple(f.model_copy(update={"words": (own[f.label],)}) if f.label in own else f for f in fields),
            verbs=tuple(verbs.values()), some_of=among.name if among else "", told_by=self.told(among) if among else None,
        )  # fmt: skip
        for one in self.some.values():
            yield from one.cards(own, self)

    def told(self, among: _Kind) -> ColumnSays | None:
        """The column that says that these are what they are, or that all others are something else."""
        for label, mine in self.says.items():
            if among.fields[label].key if label in among.fields else True:
                continue
            rest = [one for one in among.some.values() if one is not self]
            others = set[str]().union(*(one.says.get(label, set()) for one in rest))
            for texts, names, negated in ((mine, [self], False), (others, rest, True)):
                value = next(iter(texts), "")
                if len(texts) == 1 and not mine & others and any(one.name in value.casefold().split() for one in names):
                    return ColumnSays(label=label, value=value, negated=negated)
        key = next((one.label for one in among.fields.values() if one.key and one.listed), "")
        return ColumnSays(label=key, value=self.name, part=True) if key and self.in_names else None


class _Explorer:
    def __init__(self, app: sim.AnyApp, state: sim.AppState, variation: Variation) -> None:
        self.app, self.first, self.variation = app, state, variation
        self.kinds: dict[str, _Kind] = {}
        self.verbs: dict[tuple[str, str], VerbCard] = {}
        self.own: dict[str, str] = {}
        """Labels in the app's own words, where they are shown in others."""
        self.stores: dict[str, Mapping[str, BaseModel]] = {}
        """Fields of the state that hold records, each with some of them."""
        self.known: dict[int, tuple[object, Mapping[str, BaseModel]]] = {}
        self.titled: dict[int, list[str]] = {}
        self.views: dict[int, tuple[sim.AppState, ViewParts]] = {}
        self.sorts: dict[str, str] = {}
        """By what the records of a store differ: their class, or a part of theirs."""
        self.names: dict[tuple[str, str], str] = {}
        """By what a list calls a record."""
        self.general = set[str]()
        """Links and tabs that lead anywhere from, and are no affair of the record that is open."""
        self.tries, self.pressings = 0, Counter[tuple[object, ...]]()
        every = {text for name in vars(state) for text in (*list(self.records(state, name))[:_KNOWN], *self.called(state, name))}
        long = sorted({text for text in every if len(text) > 2} | {SAMPLE}, key=len, reverse=True)
        self.titles = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, long))})(?!\w)", re.IGNORECASE)
        self.explore(state)

    def explore(self, state: sim.AppState) -> None:
        waiting, seen = deque([_Spot(state)]), set[tuple[object, ...]]()
        while waiting and len(seen) < _SCREENS and self.tries < _UPDATES:
            spot = waiting.popleft()
            view = self.view(spot.state)
            if not spot.kind:
                kind, record = self.shown(spot.state, view)
                spot = spot._replace(kind=kind, record=record)
            full = frozenset(name for name in self.stores if vars(spot.state)[name])
            named = frozenset(self.label(w.text) for w, _ in view.presses if w.role == "button")
            known = (view.signature, named, spot.kind, spot.before is not None, full)
            if known not in seen and spot.depth <= _DEEP:
                seen.add(known)
                spot = spot._replace(state=self.do(spot.state, sim.Pressed("")).state)  # what comes by itself has come by now
                waiting.extend(self.visit(spot, view))

    # what the app knows

    def records(self, state: sim.AppState, name: str) -> Mapping[str, BaseModel]:
        """The records by id that a field of the state holds."""
        value = vars(state).get(name)
        if id(value) not in self.known:
            self.known[id(value)] = value, _records(value)
        records = self.known[id(value)][1]
        if records and name not in self.app.looks:
            self.stores.setdefault(name, records)
        return records

    def called(self, state: sim.AppState, name: str) -> list[str]:
        """What these records may be called: the first of their texts."""
        value = vars(state).get(name)
        if id(value) not in self.titled:
            self.titled[id(value)] = [_title(record) for record in list(self.records(state, name).values())[:_KNOWN]]
        return self.titled[id(value)]

    def kind(self, name: str) -> _Kind:
        if name not in self.kinds:
            made = self.kinds[name] = _Kind(singular(name))
            classes = {type(record).__name__ for record in self.stores.get(name, {}).values()}
            made.words.update({re.sub(r"(?<=[a-z])(?=[A-Z])", " ", c).casefold(): None for c in classes if len(classes) == 1})
        return self.kinds[name]

    def sort_of(self, store: str, record: BaseModel) -> str:
        """What only some of the records are: by their class, or by a part of them whose values are nouns of the app."""
        if store not in self.sorts:
            classes = {type(one) for one in self.stores.get(store, {}).values()}
            nouns = {singular(word) for word in self.app.words}
            fields = type(record).model_fields.items() if len(classes) == 1 else ()
            values = {name: get_args(info.annotation) for name, info in fields if get_origin(info.annotation) is Literal}
            named = next((name for name, some in values.items() if len(some) > 1 and nouns & set(some)), "")
            self.sorts[store] = "class" if len(classes) > 1 else named
        if self.sorts[store] == "class":
            return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(record).__name__).lower()
        return str(vars(record).get(self.sorts[store], ""))

    def whose(self, state: sim.AppState, store: str, record: str) -> list[_Kind]:
        """The kind of a record, and what it is besides."""
        one = self.records(state, store).get(record) if store else None
        sort = self.sort_of(store, one) if one is not None else ""
        kind = self.kind(store) if store else None
        if kind and sort and sort not in kind.some:
            names = zip(self.stores[store].values(), self.called(state, store), strict=False)
            said = {(self.sort_of(store, one) == sort, sort in name.casefold().split()) for one, name in names}
            kind.some[sort] = _Kind(sort, in_names=said <= {(True, True), (False, False)} and len(self.stores[store]) < _KNOWN)
        return [kind, kind.some[sort]] if kind and sort else [kind] if kind else []

    def single(self, name: str) -> _Kind:
        """A record of a list, or something there is only one of."""
        kind = self.kind(name)
        kind.single = kind.single or name not in self.stores
        return kind

    def record_of(self, state: sim.AppState, row: Widget) -> tuple[str, str]:
        """The store and the id of the record that a row or a control stands for: by its key, and by what it shows."""
        texts = {w.text.casefold() for w in below(row) if w.text}
        inner = (at for at in range(1, len(row.key)) if not row.key[at - 1 : at + 1].isalnum())
        cuts = [0, *inner, len(row.key)][-16:]
        parts = {row.key[a:b] for a in cuts for b in cuts if a < b}
        best, most = ("", ""), 0.0
        whole = row.role != "button" and row.role not in FIELDS
        for store in self.stores:
            records = self.records(state, store)
            for key in parts & records.keys():
                values = {
                    v.casefold() for v in vars(records[key]).values() if isinstance(v, str) and re.search(r"[a-z@]", v.lower())
                }
                score = (
                    sum(any(value in text for value in values) or (text == key.casefold() and len(key) > 2) for text in texts)
                    + 0.0
                )
                score += 0.5 if len(key) > 2 and f"{row.key}.".endswith(f"{key}.") else 0
                score += 1 if singular(store) in re.split(r"[^a-z]+", row.key) else 0
                best, most = ((store, key), score) if score > most else (best, most)
            for key, name in zip(records, self.called(state, store), strict=False) if whole and not most else ():
                best = (store, key) if name and name.casefold() in texts else best
        return best

    def gone(self, spot: _Spot, done: _Done) -> bool:
        now = self.records(done.state, spot.kind)
        return bool(spot.record) and (spot.record not in now or len(now) < len(self.records(spot.state, spot.kind)))

    # what it shows

    def view(self, state: sim.AppState) -> ViewParts:
        if id(state) not in self.views:
            try:
                widgets = varied(self.app.name, self.app.view(state), self.variation)
            except Exception:  # noqa: BLE001 - another's app may not be made for a state that nobody brings about
                _log.debug("%s has no view of a state that was tried", self.app.name, exc_info=True)
                widgets = ()
            spoken = (w for widget in widgets for w in below(widget) if w.own and w.text)
            self.own.update({w.text: w.own.text for w in spoken if w.own and w.text and w.own.text and w.own.text != w.text})
            self.views[id(state)] = state, parts_of(widgets)
        return self.views[id(state)][1]

    def label(self, text: str | None) -> str:
        return self.titles.sub("{title}", text or "")

    def choices(self, options: Sequence[str]) -> tuple[str, ...]:
        """What may be chosen, but where records are offered: those are the world's."""
        return () if any(self.titles.fullmatch(option) for option in options) else tuple(options)

    def shown(self, state: sim.AppState, view: ViewParts) -> tuple[str, str]:
        """The record that a page is about, by its heading."""
        listed = {self.record_of(state, row) for one in view.lists for row in one.rows[:3]}
        for heading in view.headings[:1]:
            kind, record = self.record_of(state, heading)
            if "{title}" in self.label(heading.text) and all(store != kind or other == record for store, other in listed):
                return kind, record
        return "", ""

    def visit(self, spot: _Spot, view: ViewParts) -> Iterator[_Spot]:
        for one in view.lists:
            yield from self.listed(spot, one)
        for store in {self.record_of(spot.state, row)[0] for one in view.lists for row in one.rows[:2]} - {"", spot.kind}:
            self.kind(store).places.update(dict.fromkeys(name for names in view.choices for name in names if SAMPLE not in name))
        self.menus(spot, view)
        commits: set[str] = set()
        before = spot.before or frozenset()
        written = [(w, form) for w, form in view.written if w.key not in before]
        if spot.before is None or written or any(label not in before for label, _ in view.pairs):
            called = (spot.record, self.names.get((spot.kind, spot.record)))
            for label, value in [pair for pair in view.pairs if pair[0] not in before] if spot.kind else ():
                for kind in self.whose(spot.state, spot.kind, spot.record):
                    kind.note(self.label(label), type=type_of_values(label, (value,)), key=value in called)
            for form in {id(form): form for _, form in written}.values():
                ends = {w.key for w, other in view.presses if other is form and (form is not None or w.role == "button")}
                commits |= ends if form is not None else set()
                yield from self.form(spot, view, [w for w, other in written if other is form], ends, free=form is None)
        for w, _ in view.presses:
            again = (letters(w.key), self.label(w.text) if w.role == "button" else "", spot.kind, spot.before is not None)
            fresh = w.enabled and w.key not in commits and f"{w.key}!" not in before
            if fresh and self.pressings[again] < _SAME:
                self.pressings[again] += 1
                yield from self.pressed(spot, view, w)

    def menus(self, spot: _Spot, view: ViewParts) -> None:
        """Menus within menus: what the outer item does asks for one of the inner ones."""
        for head, items in view.menus if spot.kind else ():
            label = self.label(head.text)
            if self.does(head) in verb_words().values():
                ask = FieldCard(label=label, type="choice", options=items, written=True)
                where: At = "record" if spot.before is None else "row"
                for kind in self.whose(spot.state, spot.kind, spot.record):
                    kind.can(VerbCard(verb=self.does(head), control=label, at=where, asks=(ask,)))

    def listed(self, spot: _Spot, one: RecordRows) -> Iterator[_Spot]:
        """Columns, what stands in the rows, and where they lead."""
        named = [column for column in one.columns if column]
        if named and one.rows and all(re.fullmatch(r"[A-Z]{1,2}", column) for column in named):
            for cell in one.rows[0].children:  # the columns of a sheet have their names in its first row
                self.kind("row").note("" if cell.role == "rowheader" else cell.text or "", listed=True, written=True)
        self.tell(spot.state, one)
        for row in one.rows[:: max(1, len(one.rows) // _SAME)]:
            store, record = self.record_of(spot.state, row)
            inner = {about for w in below(row) if w.press and (about := self.record_of(spot.state, w))[0]}
            open_here = spot.before is None and (store, record) == (spot.kind, spot.record)
            if not store or len(inner) > 1 or open_here:
                continue
            kind = self.kind(store)
            if kind.place is None:
                kind.place = spot.place or next(iter(self.view(spot.state).chosen), "")
                kind.listing = self.view(spot.state).signature
                kind.within = self.kind(spot.kind).name if spot.kind not in ("", store) else ""
            self.names.setdefault((store, record), next((w.text for w in below(row) if w.press and w.text), record))
            tabs = [name for names in self.view(spot.state).choices for name in names]
            self.columns(kind, one, row, self.records(spot.state, store)[record], record, tabs)
            yield from self.row(spot, row, store, record)

    def tell(self, state: sim.AppState, one: RecordRows) -> None:
        """What columns say of records of which only some are the same."""
        mixed = any(self.sort_of(store, next(iter(records.values()))) for store, records in self.stores.items())
        for row in one.rows if mixed else ():
            for kind in self.whose(state, *self.record_of(state, row))[1:]:
                for label, cell in zip(one.columns, row.children, strict=False):
                    kind.says.setdefault(label, set()).add(cell.text or "")

    def columns(self, kind: _Kind, one: RecordRows, row: Widget, record: BaseModel, name: str, tabs: list[str]) -> None:
        if not one.columns:
            shown = {w.text for w in below(row)}
            for n, attribute in enumerate(
                name for name, value in vars(record).items() if name != "id" and isinstance(value, str) and value in shown
            ):
                label = varied_text(self.app.name, attribute.replace("_", " ").capitalize(), self.variation)
                kind.note(label, listed=True, key=n == 0, type=type_of_values(label, (vars(record)[attribute],)))
            return
        linked = [at for at, cell in enumerate(row.children) if cell.press and cell.role == "link"]
        linked = linked or ([] if any(f.key for f in kind.fields.values()) else [0])
        for at, (label, cell) in enumerate(zip(one.columns, row.children, strict=False)):
            if writes := [w for w in below(cell) if w.role in FIELDS]:
                kind.note(label, listed=True, written=True, type=type_of_field(writes[0], ()))
            elif cell.role in ("cell", "link", "text", "rowheader"):
                said = set(one.texts(at)) - {""}
                parted = said <= set(tabs) and len(said) > 1  # the column says under which tab each stands
                tabbed = tuple(tab for tab in tabs if tab in said and SAMPLE not in tab)
                options = tabbed if parted else self.states(record, one.texts(at))
                known = "choice" if options else type_of_values(label, one.texts(at))
                is_key = at in linked or (cell.text == name and len(name) > 2)
                kind.note(label, listed=True, key=is_key, type=known, options=options)

    def states(self, record: BaseModel, texts: Sequence[str]) -> tuple[str, ...]:
        """What a column may say, where the record's model lists it, or where it says few words that are in no record."""
        said = {text.casefold(): text for text in texts if text}
        for info in type(record).model_fields.values():
            listed = [str(one) for one in get_args(info.annotation)] if get_origin(info.annotation) is Literal else []
            if said and said.keys() <= {one.casefold() for one in listed}:
                return tuple(said.get(one.casefold(), one.capitalize()) for one in listed)
        there = {
            str(v).casefold()
            for known in (self.stores.values() if 1 < len(said) < 5 < len(texts) else ())
            for one in list(known.values())[:_KNOWN]
            for v in vars(one).values()
            if isinstance(v, str | int)
        }
        worded = there and not said.keys() & there and not any(letter.isdigit() for text in said for letter in text)
        return tuple(said.values()) if worded else ()

    def row(self, spot: _Spot, row: Widget, store: str, record: str) -> Iterator[_Spot]:
        inner = [w for w in below(row) if w.press and w is not row and w.role in ("link", "cell", "generic")]
        events: list[sim.Event] = [sim.Pressed(inner[0].key if inner else row.key)] if inner or row.press else []
        events += [sim.Opened(row.key)] if row.opens else []
        events += [sim.Context(row.key)] if row.context else []
        now = self.view(spot.state)
        for event in events:
            done = self.do(spot.state, event)
            if done.state is not spot.state and record in self.records(done.state, store):
                same = [one for one in self.view(done.state).lists if one.key in {other.key for other in now.lists}]
                for one in same:
                    self.tell(done.state, one)
                yield _Spot(done.state, store, record, None, "", spot.depth + 1, now.there if same else None)
        for w in below(row):
            if w.role in ("button", "switch", "checkbox") and w.enabled and w.text:
                done = self.do(spot.state, sim.Edited(w.key, sample(w, "truth")) if w.role in SWITCHES else sim.Pressed(w.key))
                if done:
                    whose = self.whose(spot.state, store, record)
                    self.verb(done, w, "row", whose)
                elif done.state is not spot.state:
                    via = VerbCard(verb=self.does(w), control=self.label(w.text), at="row")
                    yield _Spot(done.state, store, record, via, "", spot.depth + 1)

    # what can be done

    def do(self, state: sim.AppState, event: sim.Event) -> _Done:
        """The event, and yes to what is asked then."""
        self.tries += 1
        try:
            after, effects = self.app.update(state, event)
            asks: tuple[FieldCard, ...] = ()
            for dialog in [effect for effect in effects if isinstance(effect, sim.Dialog)][:1]:
                asks = tuple(map(self.asked, dialog.fields))
                if len(dialog.buttons) > 2 and not asks:
                    return _Done(state)  # it asks what is to become of what was written, on the way out
                go = next((b for b in dialog.buttons if b != dialog.escape), dialog.buttons[0])
                given = {f.key: f.value or other(f.options) or SAMPLE for f in dialog.fields}
                after, more = self.app.update(after, sim.Answered(dialog.key, go, given))
                effects = (*effects, *more)
            changes = [change for change in changes_of_app(self.app, state, after) if change.effect in SENSITIVE]
        except Exception:  # noqa: BLE001 - as in `view`
            _log.debug("%s does not take %r in a state that was tried", self.app.name, event, exc_info=True)
            return _Done(state)
        held = [name for name in vars(state) if name not in self.app.looks]
        new = next((n for n in held if len(self.records(after, n)) > len(self.records(state, n))), "")
        made = next(iter(self.records(after, new).keys() - self.records(state, new).keys()), "")
        touched = [n for n in held if _differ(vars(state)[n], vars(after)[n])]
        if not self.app.looks and self.app.meanings is None:
            touched = [n for n in touched if n in self.stores or isinstance(vars(self.first).get(n), BaseModel)]
        outside = any(isinstance(effect, sim.Copy | sim.Launch | sim.Notify | sim.Submitted) for effect in effects)
        grave = [change.effect for change in changes if change.path.split(".")[2] in touched]
        gravest = max(grave, key=tuple(Effect).index).value if grave else ""
        return _Done(after, gravest, new, made, tuple(touched), asks, outside)

    def asked(self, one: Any) -> FieldCard:
        label = varied_text(self.app.name, one.label, self.variation)
        kind = "choice" if one.options else type_of_values(label, ())
        return FieldCard(label=label, type=kind, options=self.choices(one.options), written=True)

    def pressed(self, spot: _Spot, view: ViewParts, w: Widget) -> Iterator[_Spot]:
        label = self.label(w.text)
        if w.role in ("link", "tab") and not spot.kind:
            self.general.add(w.key)
        away = spot.kind != "" and w.key in self.general
        named, record = self.record_of(spot.state, w) if "{title}" in label else ("", "")
        kind, chosen = named or spot.kind, spot.before is not None and (w.key in spot.before or w.role == "menuitem")
        whose = self.whose(spot.state, kind, record or spot.record)
        command = w.role == "menuitem" and bool(kind) and w.expanded is None
        done = self.do(spot.state, sim.Pressed(w.key))
        then = self.view(done.state)
        plain = self.app.meanings is None and not self.stores and w.role == "button" and then.signature == view.signature
        command = command or (plain and done.state != spot.state and not then.lists)
        if done.state is spot.state and not done and not command:
            return
        where: At = "row" if named or (chosen and command) else "list" if chosen or not (kind or not view.lists) else "record"
        where = "app" if where == "record" and not kind else where
        out = self.leaves(w)
        if (done or command) and not (out or away):
            self.verb(done, w, where, whose)
        for one in self.kinds.values() if w.role in ("link", "tab") and not (out or named) else ():
            one.place = label if one.place == "" and one.listing == then.signature else one.place
        opens = {f.key for f, _ in then.written} - {f.key for f, _ in view.fields}
        stays = spot.before is not None or {h.text for h in then.headings} & {h.text for h in view.headings}
        deeper = spot._replace(state=done.state, depth=spot.depth + 1, via=None)
        if self.gone(spot, done):
            return
        if opens and not done.touched and not away:
            yield deeper._replace(via=VerbCard(verb=self.does(w), control=label, at=where), kind=kind)
        elif spot.kind and not away and stays:
            yield deeper
        else:
            yield _Spot(done.state, depth=spot.depth + 1, place="" if out or done.touched or named else label)

    def does(self, w: Widget) -> str:
        """The verb of a control, by the app's own words for it."""
        return "tick" if w.role in SWITCHES else verb_of(self.label(w.word))

    def leaves(self, w: Widget) -> bool:
        return is_way_out(w.word or "") or (w.word or "").casefold().startswith("back")

    def verb(self, done: _Done, w: Widget, where: At, whose: list[_Kind], asks: tuple[FieldCard, ...] = ()) -> None:
        """A card for what a control did."""
        label = self.label(w.text)
        does = self.does(w) or done.effect or label
        card = VerbCard(verb=does, control=label, at=where, asks=asks or done.asks, effect=done.effect)
        target = done.new or next(iter(done.touched), "")
        if not whose and done.new and where in ("list", "app"):
            for kind in self.whose(done.state, done.new, done.made):
                kind.begun(card.model_copy(update={"verb": "create"}))
        elif whose or target in self.stores:
            for kind in whose or [self.kind(target)]:
                kind.can(card)
        else:
            self.verbs.setdefault((card.control, where), card)

    def form(self, spot: _Spot, view: ViewParts, widgets: list[Widget], commits: set[str], *, free: bool) -> Iterator[_Spot]:
        """What becomes of the fields that are filled in: a new record, a changed one, or something there is only one of.

        Fields that are `free` stand in no form: a button belongs to them where it makes a record of them, and none without them.
        """
        filled, fields = spot.state, list[FieldCard]()
        for w in widgets:
            card = self.field(w)
            done = self.do(filled, sim.Edited(w.key, sample(w, card.type)))
            filled = done.state
            if done.touched:  # it is done at once
                store, record = self.record_of(spot.state, w) if "{title}" in card.label else (spot.kind, spot.record)
                for kind in self.whose(spot.state, store, record) or [self.single(done.touched[0])]:
                    kind.note(card.label, **card.model_dump(exclude={"label"}))
            else:
                fields.append(card)
        ends = [(w, self.do(filled, sim.Pressed(w.key))) for w, _ in self.view(filled).presses if w.key in commits and w.enabled]
        if free:
            ends = [(w, done) for w, done in ends if done.new and not self.do(spot.state, sim.Pressed(w.key)).new]
        main = next((d for _, d in ends if d.new), None) or next((d for _, d in ends if d.touched), _Done(filled))
        for kind in self.about(spot, main, widgets) if fields else ():
            self.meant(spot, kind, main, tuple(fields), ends)
            yield from self.ended(spot, view, kind, ends)

    def field(self, w: Widget) -> FieldCard:
        name = w.key.rsplit(".", 1)[-1].replace("-", "_")
        some = (record for records in self.stores.values() for record in list(records.values())[:40])
        values = [value for record in some if (value := vars(record).get(name)) not in ("", None)]
        options = self.choices(w.options) if w.role == "combobox" else ()
        kind = type_of_field(w, values)
        return FieldCard(label=self.label(w.text), type=kind, options=options, written=True, required=w.required)

    def about(self, spot: _Spot, main: _Done, widgets: list[Widget]) -> list[_Kind]:
        """The kinds that a form makes or changes."""
        if main.new:
            return self.whose(main.state, main.new, main.made)
        for w in widgets:
            if "{title}" in self.label(w.text) and (named := self.record_of(spot.state, w))[0]:
                return self.whose(spot.state, *named)
        if spot.kind:
            return self.whose(spot.state, spot.kind, spot.record)
        if main.touched:
            return [self.single(main.touched[0])]
        if spot.via is None or spot.via.verb != "create":
            return []
        nouns = {singular(word) for word in spot.via.control.split()}
        fits = [name for name in self.stores if singular(name) in nouns] or list(self.stores)[:1]
        return [self.kind(name) for name in fits[:1]]

    def meant(
        self, spot: _Spot, kind: _Kind, main: _Done, fields: tuple[FieldCard, ...], ends: Sequence[tuple[Widget, _Done]]
    ) -> None:  # fmt: skip
        """What the form is for: a new record, something done with the one that is open, or a change of it."""
        via, creates = spot.via, spot.via is not None and spot.via.verb == "create"
        if spot.kind and via is None and main.new not in ("", spot.kind):
            for w, done in ends:
                if done.new == main.new:
                    self.verb(done, w, "record", self.whose(spot.state, spot.kind, spot.record), fields)
            kind.within = kind.within or ("" if kind.place is not None else self.kind(spot.kind).name)
        if via is not None and spot.kind and not creates:
            asks = fields if main.new or not main.touched else ()
            for one in self.whose(spot.state, spot.kind, spot.record):
                one.can(via.model_copy(update={"asks": asks, "effect": ""}))
        elif main.new or creates:
            kind.begun(via.model_copy(update={"verb": "create"}) if via else VerbCard(verb="create", control="", at="form"))
        if main.new or main.touched or not spot.kind or via is None:
            texts = [one.label for one in fields if one.type == "text"]
            for card in fields:
                names = texts == [card.label] and SAMPLE in self.called(main.state, main.new)
                kind.note(card.label, **card.model_dump(exclude={"label", "key"}), key=names)

    def ended(self, spot: _Spot, view: ViewParts, kind: _Kind, ends: Sequence[tuple[Widget, _Done]]) -> Iterator[_Spot]:
        """The controls that end a form."""
        for w, done in ends:
            label = self.label(w.text)
            if done.touched or done.outside:
                at: At = "record" if self.gone(spot, done) else "form"
                verb = self.does(w)
                keeps = verb not in verb_words().values() or (verb in ("add", "create") and "to" not in label.casefold().split())
                verb = "save" if done.new and keeps else verb
                kind.can(VerbCard(verb=verb, control=label, at=at, effect=done.effect, asks=done.asks))
            if done.new:
                stays = [h.text for h in view.headings] == [h.text for h in self.view(done.state).headings]
                kept = _Spot(done.state, depth=max(1, spot.depth - 1))
                yield kept._replace(kind=spot.kind, record=spot.record) if stays else kept
            elif done.state is not spot.state and not self.gone(spot, done):
                yield spot._replace(state=done.state, depth=spot.depth + 1, place="", via=None if self.leaves(w) else spot.via)


def _title(record: BaseModel) -> str:
    kinds = type(record).model_fields
    told = (v for n, v in vars(record).items() if n != "id" and get_origin(kinds[n].annotation) is not Literal)
    return next((v for v in told if isinstance(v, str)), "")


def _differ(one: Any, other: Any) -> bool:
    if isinstance(one, Mapping) and isinstance(other, Mapping) and len(one) == len(other):
        changed = (key for key, value in one.items() if other.get(key) is not value)
        return any(one[key] != other.get(key) for key in changed)
    return one is not other and bool(one != other)


def _records(value: Any) -> Mapping[str, BaseModel]:
    """A field of the state as records by id; nothing where it holds none."""
    some = value.values() if isinstance(value, Mapping) else value if isinstance(value, tuple | list) else ()
    if not isinstance(next(iter(some), None), BaseModel):
        return {}
    return value if isinstance(value, Mapping) else {str(vars(one).get("id") or n): one for n, one in enumerate(some)}


class _Alike(IdentityKey[sim.AppState]):
    """A state in a cache's key: equal to every state of the same content."""

    def __hash__(self) -> int:
        return hash(_hash_of(IdentityKey(self.value)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Alike) and _hash_of(IdentityKey(self.value)) == _hash_of(IdentityKey(other.value))


@lru_cache(maxsize=256)
def _hash_of(state: IdentityKey[sim.AppState]) -> str:
    return f"{type(state.value).__qualname__} {app_hash(state.value)}"


def card_of(app: sim.AnyApp, state: sim.AppState, variation: Variation | None = None) -> AppCard:
    """The card of an app as it is shown in a world. Made once for what a world begins with, however many worlds begin so."""
    return _card(IdentityKey(app), _Alike(state), variation or Variation())


@lru_cache(maxsize=256)
def _card(app: IdentityKey[sim.AnyApp], state: _Alike, variation: Variation) -> AppCard:
    own = app.value
    found = _Explorer(own, state.value, variation)
    kinds = list(found.kinds.values())
    nouns = {noun for kind in kinds for noun in (kind.name, *kind.words)}
    counted = {singular(word) for word in own.words if singular(word) != word}
    for kind in kinds[:1] if kinds and not kinds[0].some else ():  # else they may be words for some of them
        kind.words.update(dict.fromkeys(word for word in own.words if word in counted and word not in nouns))
    controls = {verb.control for kind in kinds for verb in kind.verbs.values()}
    return AppCard(
        app=own.name, title=varied_text("desktop", own.title, variation), words=own.words, shares=own.shares,
        kinds=tuple(card for kind in kinds for card in kind.cards(found.own)),
        verbs=tuple(verb for verb in found.verbs.values() if verb.control not in controls),
        functions=tuple(
            FunctionCard(name=f.name, summary=f.summary, arguments=arguments_of(f.arguments), writes=f.writes)
            for f in sim.function_infos(app)
        ),
    )  # fmt: skip
