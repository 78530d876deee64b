"""App cards of simulated apps, derived from their own code.

An app's `view` and `update` are pure: its controls are pressed on states that are thrown away, and what is shown, asked and
changed by that tells what the app holds and can do. Nothing outside is touched. A card names no record and no value of one.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from importlib import resources
from typing import Any, Literal, NamedTuple, get_args, get_origin

import yaml
from pydantic import BaseModel

from environments.cards import AppCard, FieldCard, FieldType, FunctionCard, KindCard, VerbCard
from environments.effects import SENSITIVE, Change, Effect
from environments.effects.words import is_way_out
from environments.simulated.app import (
    Answered,
    AnyApp,
    AppState,
    Context,
    Copy,
    Dialog,
    Edited,
    Event,
    Launch,
    Notify,
    Opened,
    Pressed,
    Submitted,
)
from environments.simulated.preview import changes_of_app
from environments.simulated.screen.widgets import FIELDS, SWITCHES, Widget
from environments.simulated.variation.apply import varied, varied_text
from environments.simulated.variation.metrics import Variation
from environments.simulated.world.values import IdentityKey

_SCREENS, _UPDATES, _DEEP, _ROWS = 60, 400, 5, 3
"""How many screens are looked at, how often something is tried, how far from the first screen, and with how many records."""
_KNOWN = 400
"""Of so many records of a kind the names are known."""
At = Literal["record", "row", "list", "form", "app"]
_LETTERS = re.compile(r"[A-Z]{1,2}")
"""Columns of a sheet, whose own headings stand in its first row."""
_LOOKING = re.compile(r"(?:search|filter|find|go to|sort|look for|show|command|address)\b|.*\b(?:filter|search)$", re.IGNORECASE)
_DATE = re.compile(r"\b\d{4}-\d\d-\d\d\b|\b\d{1,2}\.? [A-Z][a-z]{2,8}\.? \d{4}\b|\b\d{1,2}[./]\d{1,2}[./]\d{2,4}\b")
_TIME = re.compile(r"^\d{1,2}:\d\d\b")
_MONEY = re.compile(r"^(?:[$€£¥]\s?|[A-Z]{3} )-?\d[\d.,' ]*$|^-?\d[\d.,' ]*\s?(?:[$€£¥]|[A-Z]{3})$")
_NUMBER = re.compile(r"^-?\d[\d.,]*(?: ?%)?$")
_MAIL = re.compile(r"^\S+@\S+\.\w+$")
_SAMPLES: dict[FieldType, str] = {
    "text": "Quarter 7", "long_text": "Quarter 7", "number": "3", "money": "12.50", "date": "2026-05-21", "time": "10:00",
    "people": "ada@example.com", "list": "Quarter 7", "truth": "true", "choice": "",
}  # fmt: skip


@cache
def verb_words() -> dict[str, str]:
    """The words by which controls say what they do, each with its verb of the lexicon."""
    path = resources.files("configs") / "lexicon" / "en.yaml"
    verbs: Mapping[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))["verbs"]
    return {str(word).casefold(): name for name, entry in reversed(verbs.items()) if not entry.get("keeps") for word in entry["forms"]}


def verb_of(label: str) -> str:
    """The verb of a control: by the longest words of the lexicon that it begins with, else its own words."""
    words = re.sub(r"\{title\}|[^\w\s-]", " ", label).casefold().split()
    known = verb_words()
    for size in range(len(words), 0, -1):
        if verb := known.get(" ".join(words[:size])):
            return verb
    return "create" if words[:1] in (["new"], ["compose"]) else " ".join(words)  # as no goal says, but many a control


def singular(noun: str) -> str:
    word = noun.replace("_", " ").casefold()
    for ending, single in (("ies", "y"), ("sses", "ss"), ("ches", "ch"), ("shes", "sh"), ("xes", "x"), ("ss", "ss"), ("us", "us")):
        if word.endswith(ending) and len(word) > len(ending) + 1:
            return word.removesuffix(ending) + single
    return word.removesuffix("s") if len(word) > 3 else word


class _List(NamedTuple):
    """Records that stand below each other."""

    columns: tuple[str, ...]
    rows: tuple[Widget, ...]
    key: str


class _Screen(NamedTuple):
    headings: tuple[str, ...]
    lists: tuple[_List, ...]
    pairs: tuple[tuple[str, str], ...]
    fields: tuple[tuple[Widget, Widget | None], ...]
    """Each with the form that it stands in."""
    presses: tuple[tuple[Widget, Widget | None], ...]
    headed: tuple[Widget, ...]
    """The headings themselves."""
    choices: tuple[tuple[str, ...], ...]
    """Names of tabs or links that stand side by side, of which one is chosen."""
    menus: tuple[tuple[Widget, tuple[str, ...]], ...]
    """What opened a menu that is open, and the menu's items."""

    @property
    def signature(self) -> frozenset[str]:
        said = [f"{w.role} {re.sub(r'[^a-z]+', '', w.key)}" for w, _ in (*self.fields, *self.presses) if w.role != "treeitem"]
        return frozenset((*said, *(label for label, _ in self.pairs), *(c for one in self.lists for c in one.columns)))

    @property
    def written(self) -> list[tuple[Widget, Widget | None]]:
        """Fields of a form, and not those by which a list is searched or filtered."""
        return [
            (w, form)
            for w, form in self.fields
            if not _LOOKING.match(w.text or "") and not (form is None and w.role in ("combobox", "slider") and self.lists)
        ]


def _read(widgets: Iterable[Widget]) -> _Screen:
    parts: dict[str, list[Any]] = {name: [] for name in _Screen._fields}

    def walk(widget: Widget, form: Widget | None) -> None:
        kids = widget.children
        if widget.role in ("table", "list") and not widget.key.endswith(".days"):
            parts["lists"].append(_listed(widget))
            return
        if widget.role == "heading":
            parts["headings"].append(widget.text or "")
            parts["headed"].append(widget)
        elif widget.role in FIELDS and widget.enabled:
            parts["fields"].append((widget, form))
        elif widget.press and widget.text and not widget.key.endswith(".pick") and widget.role != "gridcell":
            parts["presses"].append((widget, form))
        elif widget.across and len(kids) == 2 and all(k.role == "text" for k in kids):
            parts["pairs"].append((kids[0].text or "", kids[1].text or ""))
            return
        if any(k.selected and k.role in ("tab", "link") for k in kids):
            parts["choices"].append(tuple(k.text or "" for k in kids if k.role in ("tab", "link")))
        if len(kids) == 2 and kids[1].role == "menu":
            parts["menus"].append((kids[0], tuple(w.text for w in _below(kids[1]) if w.role == "menuitem" and w.text)))
        for kid in kids:
            walk(kid, widget if widget.role == "form" else form)

    for widget in widgets:
        walk(widget, None)
    return _Screen(**{name: tuple(found) for name, found in parts.items()})


def _listed(widget: Widget) -> _List:
    heads = [k for k in widget.children if any(c.role == "columnheader" for c in k.children)]
    columns = tuple(c.text or "" for k in heads[:1] for c in k.children)
    return _List(columns, tuple(k for k in widget.children if k not in heads), widget.key)


def _below(widget: Widget) -> Iterator[Widget]:
    yield widget
    for kid in widget.children:
        yield from _below(kid)


class _Spot(NamedTuple):
    """A screen that was reached, and how."""

    state: AppState
    kind: str = ""
    """Of the record that is open or chosen there."""
    record: str = ""
    via: VerbCard | None = None
    """The control that led here, as far as it may have opened a form."""
    place: str = ""
    depth: int = 0
    before: frozenset[str] | None = None
    """Controls that could be used before the record was chosen in its list."""


class _Done(NamedTuple):
    """What an event came to."""

    state: AppState
    changes: tuple[Change, ...] = ()
    new: str = ""
    """The store that has a record more."""
    touched: tuple[str, ...] = ()
    """Fields of the state that are others now, but for those that only say what is looked at."""
    asks: tuple[FieldCard, ...] = ()
    outside: bool = False
    """Something was copied, or another app was told."""

    @property
    def effect(self) -> str:
        grave = [change.effect for change in self.changes if change.effect in SENSITIVE]
        return max(grave, key=tuple(Effect).index).value if grave else ""


@dataclass
class _Kind:
    """A card in the making."""

    name: str
    words: dict[str, None] = field(default_factory=dict)
    place: str | None = None
    within: str = ""
    places: dict[str, None] = field(default_factory=dict)
    fields: dict[str, FieldCard] = field(default_factory=dict)
    verbs: dict[tuple[str, str], VerbCard] = field(default_factory=dict)
    create: VerbCard | None = None
    single: bool = False

    def note(self, label: str, **known: Any) -> None:
        """What was learned of a field, beside what is known of it already."""
        if not label.strip():
            return
        old = self.fields.get(label) or FieldCard(label=label)
        news = {name: value for name, value in known.items() if value and (name != "type" or old.type == "text")}
        self.fields[label] = old.model_copy(update=news)

    def can(self, verb: VerbCard) -> None:
        old = self.verbs.setdefault((verb.control, verb.at), verb)
        more = tuple(one for one in verb.asks if all(one.label != known.label for known in old.asks))
        self.verbs[verb.control, verb.at] = old.model_copy(update={"asks": (*old.asks, *more)}) if more else old

    def card(self, variation_words: Mapping[str, str]) -> KindCard:
        fields = tuple(
            f.model_copy(update={"words": (variation_words[f.label],)}) if f.label in variation_words else f
            for f in self.fields.values()
        )
        words = tuple(word for word in self.words if word != self.name)
        return KindCard(
            kind=self.name, words=words, place=self.place or "", within=self.within, places=tuple(self.places), fields=fields,
            verbs=tuple(self.verbs.values()), create=self.create, single=self.single,
        )  # fmt: skip


class _Explorer:
    def __init__(self, app: AnyApp, state: AppState, variation: Variation) -> None:
        self.app, self.variation = app, variation
        self.stores: dict[str, Mapping[str, BaseModel]] = {}
        """Fields of the state that hold records, each with some of them."""
        self.known: dict[int, tuple[object, Mapping[str, BaseModel]]] = {}
        self.kinds: dict[str, _Kind] = {}
        self.verbs: dict[tuple[str, str], VerbCard] = {}
        self.tries = 0
        self.general = set[str]()
        """Links and tabs that lead anywhere from, and are no affair of the record that is open."""
        self.own: dict[str, str] = {}
        every = {text for name in vars(state) for text in (*list(self.records(state, name))[:_KNOWN], *self.titled(state, name))}
        long = sorted({text for text in every if len(text) > 2} | {_SAMPLES["text"]}, key=len, reverse=True)
        self.titles = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, long))})(?!\w)", re.IGNORECASE)
        self.shown: dict[tuple[str, str], str] = {}
        """By what a list calls a record."""
        self.explore(state)

    def explore(self, state: AppState) -> None:
        waiting, seen = deque([_Spot(state)]), set[tuple[object, ...]]()
        while waiting and len(seen) < _SCREENS and self.tries < _UPDATES:
            spot = waiting.popleft()
            spot = spot._replace(state=self.do(spot.state, Pressed("")).state)  # what comes by itself has come by now
            screen = self.screen(spot.state)
            listed = {self.record_of(spot.state, row)[0] for one in screen.lists for row in one.rows[:2]}
            for heading in screen.headed[:1] if not spot.kind else ():
                kind, record = self.record_of(spot.state, heading)
                if "{title}" in self.label(heading.text) and kind not in listed:
                    spot = spot._replace(kind=kind, record=record)
            known = (screen.signature, spot.kind, spot.before is not None, frozenset(n for n in self.stores if vars(spot.state)[n]))
            if known in seen or spot.depth > _DEEP:
                continue
            seen.add(known)
            waiting.extend(self.visit(spot, screen))

    def records(self, state: AppState, name: str) -> Mapping[str, BaseModel]:
        """The records by id that a field of the state holds."""
        value = vars(state).get(name)
        if id(value) not in self.known:
            self.known[id(value)] = value, _records(value)
        records = self.known[id(value)][1]
        if records and name not in self.app.looks:
            self.stores.setdefault(name, records)
        return records

    def titled(self, state: AppState, name: str) -> Iterator[str]:
        """What these records may be called: the first of their texts."""
        for record in list(self.records(state, name).values())[:_KNOWN]:
            kinds = type(record).model_fields
            told = (v for n, v in vars(record).items() if n != "id" and get_origin(kinds[n].annotation) is not Literal)
            yield next((v for v in told if isinstance(v, str)), "")

    def screen(self, state: AppState) -> _Screen:
        try:
            widgets = varied(self.app.name, self.app.view(state), self.variation)
        except Exception:  # noqa: BLE001 - another's app may not be made for a state that nobody brings about
            widgets = ()
        for widget in widgets:
            self.own.update((w.text, w.own.text) for w in _below(widget) if w.own and w.text and w.own.text)
        return _read(widgets)

    def label(self, text: str | None) -> str:
        return self.titles.sub("{title}", text or "")

    # what happens

    def do(self, state: AppState, event: Event) -> _Done:
        """The event, and yes to what is asked then."""
        self.tries += 1
        try:
            after, effects = self.app.update(state, event)
            dialog = next((e for e in effects if isinstance(e, Dialog)), None)
            asks: tuple[FieldCard, ...] = ()
            if dialog is not None:
                asks = tuple(self.asked(dialog))
                if len(dialog.buttons) > 2 and not asks:
                    return _Done(state)  # it asks what is to become of what was written, on the way out
                go = next((b for b in dialog.buttons if b != dialog.escape), dialog.buttons[0])
                given = {f.key: f.value or _other(f.options) or "Quarter 7" for f in dialog.fields}
                after, more = self.app.update(after, Answered(dialog.key, go, given))
                effects = (*effects, *more)
            changes = tuple(changes_of_app(self.app, state, after))
        except Exception:  # noqa: BLE001 - as above
            return _Done(state)
        held = [n for n in vars(state) if n not in self.app.looks]
        new = next((n for n in held if len(self.records(after, n)) > len(self.records(state, n))), "")
        outside = any(isinstance(e, Copy | Launch | Notify | Submitted) for e in effects)
        touched = tuple(n for n in held if vars(after)[n] is not vars(state)[n] and vars(after)[n] != vars(state)[n])
        if not self.app.looks and self.app.meanings is None:
            touched = tuple(n for n in touched if n in self.stores or isinstance(vars(state)[n], BaseModel))
        return _Done(after, changes if touched else (), new, touched, asks, outside)

    def asked(self, dialog: Dialog) -> Iterator[FieldCard]:
        for one in dialog.fields:
            label = varied_text(self.app.name, one.label, self.variation)
            options = self.choices(one.options)
            yield FieldCard(label=label, type="choice" if one.options else _guess(label, ()), options=options, written=True)

    def choices(self, options: Sequence[str]) -> tuple[str, ...]:
        """What may be chosen, but where records are offered: those are the world's."""
        return () if any(self.titles.fullmatch(option) for option in options) else tuple(options)

    # what is shown

    def visit(self, spot: _Spot, screen: _Screen) -> Iterator[_Spot]:
        for one in screen.lists:
            yield from self.listed(spot, one)
        for store in {self.record_of(spot.state, row)[0] for one in screen.lists for row in one.rows[:2]} - {"", spot.kind}:
            self.kind(store).places.update(dict.fromkeys(name for names in screen.choices for name in names))
        for head, items in screen.menus if spot.kind else ():
            label = self.label(head.text)
            if verb_of(label) in verb_words().values():
                field = FieldCard(label=label, type="choice", options=items, written=True)
                where: At = "record" if spot.before is None else "row"
                self.kind(spot.kind).can(VerbCard(verb=verb_of(label), control=label, at=where, asks=(field,)))
        if spot.kind and spot.before is None:
            kind = self.kind(spot.kind)
            for label, value in screen.pairs:
                kind.note(self.label(label), type=_guess(label, (value,)), key=value in (spot.record, self.shown.get((spot.kind, spot.record))))
        written = screen.written
        commits: set[str] = set()
        if written and spot.before is None:
            commits = {w.key for w, form in screen.presses if form is not None and any(form is f for _, f in written)}
            yield from self.form(spot, screen, commits)
        usable = frozenset(w.key for w, _ in screen.presses if w.enabled)
        for w, _ in screen.presses:
            if w.enabled and w.key not in commits and (spot.before is None or w.key not in spot.before):
                yield from self.pressed(spot, screen, w, usable)

    def kind(self, name: str) -> _Kind:
        if name not in self.kinds:
            made = self.kinds[name] = _Kind(singular(name))
            classes = dict.fromkeys(type(record).__name__ for record in self.stores.get(name, {}).values())
            made.words.update(dict.fromkeys(re.sub(r"(?<=[a-z])(?=[A-Z])", " ", c).casefold() for c in classes))
        return self.kinds[name]

    def record_of(self, state: AppState, row: Widget) -> tuple[str, str]:
        """The store and the id of the record that a row or a control stands for."""
        texts = {w.text.casefold() for w in _below(row) if w.text}
        best, most = ("", ""), 0
        for store in self.stores:
            records = self.records(state, store)
            for key in (k for k in records if re.search(rf"(?<![a-z0-9]){re.escape(k)}(?![a-z0-9])", row.key, re.IGNORECASE)):
                values = {str(v).casefold() for v in vars(records[key]).values() if v not in ("", None)} | {key.casefold()}
                score = sum(any(v in text for v in values) for text in texts)
                if score > most:
                    best, most = (store, key), score
        return best

    def listed(self, spot: _Spot, one: _List) -> Iterator[_Spot]:
        """Columns, what stands in the rows, and where they lead."""
        if one.columns and all(_LETTERS.fullmatch(column) for column in filter(None, one.columns)):
            kind = self.kind("row")
            for cell in one.rows[0].children if one.rows else ():
                if cell.text and cell.role != "rowheader":
                    kind.note(cell.text, listed=True, written=True)
        rows = one.rows[:: max(1, len(one.rows) // _ROWS)][: _ROWS + 1]
        for row in rows:
            widget = row.children[0] if row.role == "listitem" and len(row.children) == 1 else row
            store, record = self.record_of(spot.state, widget)
            inner = {found for w in _below(widget) if w.press and (found := self.record_of(spot.state, w))[0]}
            if not store or len(inner) > 1:
                continue
            kind = self.kind(store)
            kind.within = kind.within or (self.kind(spot.kind).name if spot.kind not in ("", store) and kind.place is None else "")
            kind.place = spot.place if kind.place is None else kind.place
            self.columns(kind, one, widget, self.records(spot.state, store)[record], record)
            self.shown.setdefault((store, record), next((w.text for w in _below(widget) if w.press and w.text), record))
            yield from self.row(spot, widget, store, record)

    def columns(self, kind: _Kind, one: _List, row: Widget, record: BaseModel, name: str) -> None:
        values = vars(record)
        if not one.columns:
            attribute = next((n for n, v in values.items() if v and str(v) == row.text), "")
            kind.note(_said(attribute), listed=True, key=True)
            return
        linked = [i for i, c in enumerate(row.children) if c.press and c.role == "link"]
        linked = linked or ([] if any(f.key for f in kind.fields.values()) else [0])
        for at, (label, cell) in enumerate(zip(one.columns, row.children, strict=False)):
            texts = [c.children[at].text or "" for c in one.rows if len(c.children) > at]
            if cell.role != "button" and not (cell.press and cell.role == "group"):
                options = _literal(record, texts)
                known = "choice" if options else _guess(label, texts)
                kind.note(label, listed=True, key=at in linked or cell.text == name, type=known, options=options)

    def row(self, spot: _Spot, row: Widget, store: str, record: str) -> Iterator[_Spot]:
        inner = [w for w in _below(row) if w.press and w is not row and w.role in ("link", "cell", "generic")]
        events = [Pressed(w.key) for w in inner[:1]] + ([Pressed(row.key)] if row.press and not inner else [])
        for event in (*events, *([Opened(row.key)] if row.opens else [])):
            yield from self.opened(spot, self.do(spot.state, event), store, record)
        if row.context:
            yield from self.opened(spot, self.do(spot.state, Context(row.key)), store, record)
        for w in _below(row):
            if w.role in ("button", "switch", "checkbox") and w.enabled and w.text:
                event = Edited(w.key, "false" if w.value == "true" else "true") if w.role in SWITCHES else Pressed(w.key)
                self.verb(self.do(spot.state, event), self.label(w.text), "row", store)

    def opened(self, spot: _Spot, done: _Done, store: str, record: str) -> Iterator[_Spot]:
        if done.state is spot.state or record not in _records(vars(done.state).get(store)):
            return
        now, then = self.screen(spot.state), self.screen(done.state)
        same = any(one.key == other.key for one in now.lists for other in then.lists)
        usable = frozenset(w.key for w, _ in now.presses if w.enabled) if same else None
        yield _Spot(done.state, store, record, None, "", spot.depth + 1, usable)

    # what can be done

    def pressed(self, spot: _Spot, screen: _Screen, w: Widget, usable: frozenset[str]) -> Iterator[_Spot]:
        label = self.label(w.text)
        if w.role in ("link", "tab") and not spot.kind:
            self.general.add(w.key)
        away = spot.kind != "" and w.key in self.general
        named = self.record_of(spot.state, w)[0] if "{title}" in label else ""
        kind = named or spot.kind
        where: At = "row" if spot.before is not None and w.role == "menuitem" else "list" if spot.before is not None else (
            "row" if named else "record" if kind else "list" if screen.lists else "app"
        )
        done = self.do(spot.state, Pressed(w.key))
        command = w.role == "menuitem" and bool(kind) and w.expanded is None
        if done.state is spot.state and not (done.outside or done.asks or command):
            return
        then = self.screen(done.state)
        out = is_way_out(label) or label.casefold().startswith("back")
        if (done.touched or done.outside or done.asks or command) and not (out or away):
            self.verb(done, label, where, kind)
        deeper = spot._replace(state=done.state, depth=spot.depth + 1, via=None)
        if kind and record_gone(spot, done):
            return
        opens_form = {f.key for f, _ in then.written} - {f.key for f, _ in screen.fields}
        if opens_form and not done.touched and not away:
            yield deeper._replace(via=VerbCard(verb=verb_of(label), control=label, at=where), kind=kind)
        elif spot.kind and not away and (set(then.headings) & set(screen.headings) or spot.before is not None):
            yield deeper
        else:
            yield _Spot(done.state, depth=spot.depth + 1, place="" if out or done.touched else label)

    def verb(self, done: _Done, label: str, where: At, kind: str, asks: tuple[FieldCard, ...] = ()) -> None:
        """A card for what a control did."""
        verb = VerbCard(verb=verb_of(label), control=label, at=where, asks=asks or done.asks, effect=done.effect)
        target = kind or (done.new if done.new else next(iter(done.touched), ""))
        if not kind and done.new and where in ("list", "app"):
            made, begun = self.kind(done.new), verb.model_copy(update={"verb": "create"})
            if made.create is None:
                made.create = begun
            elif made.create != begun:
                made.can(begun)
        elif target in self.stores or kind:
            self.kind(target).can(verb)
        else:
            self.verbs.setdefault((verb.control, where), verb)  # also of records, until it is known where they are

    def form(self, spot: _Spot, screen: _Screen, commits: set[str]) -> Iterator[_Spot]:
        """What becomes of the fields that are filled in: a new record, a changed one, or something there is only one of."""
        filled = spot.state
        single: dict[str, str] = {}
        for w, _ in screen.written:
            kind = self.field_type(w)
            value = ("false" if w.value == "true" else "true") if w.role in SWITCHES else _sample(w, kind)
            done = self.do(filled, Edited(w.key, value))
            filled, single = done.state, {**single, **dict.fromkeys([w.key] if done.touched else [], (*done.touched, "")[0])}
        fields = {w.key: card for (w, _), card in zip(screen.written, self.fields(screen), strict=True)}
        for key, name in single.items():
            self.single(name, spot).note(fields[key].label, **fields.pop(key).model_dump(exclude={"label"}))
        then = self.screen(filled)
        results = [(w, self.do(filled, Pressed(w.key))) for w, _ in then.presses if w.key in commits and w.enabled]
        main = next((d for _, d in results if d.new), None) or next((d for _, d in results if d.touched), _Done(filled))
        about = self.about(spot, main)
        if about is None or not fields:
            return
        kind, asks, via = about, tuple(fields.values()), spot.via
        if spot.kind and via is None and main.new not in ("", spot.kind):
            for w, done in results:
                if done.new == main.new:
                    self.verb(done, self.label(w.text), "record", spot.kind, asks)
            kind.within = kind.within or ("" if kind.place is not None else self.kind(spot.kind).name)
        if via is not None and spot.kind and (main.new or not main.touched) and via.verb != "create":
            self.kind(spot.kind).can(via.model_copy(update={"asks": asks, "effect": ""}))
        elif via is not None and spot.kind and not main.new:
            self.kind(spot.kind).can(via)
        elif main.new or (via is not None and via.verb == "create"):
            at: At = via.at if via else "form"
            begun = VerbCard(verb="create", control=via.control if via else "", at=at)
            kind.create = begun if kind.create is None or not kind.create.control else kind.create
        if main.new or not spot.kind or main.touched:
            for one in asks:
                kind.note(one.label, **one.model_dump(exclude={"label"}))
        for w, done in results:
            text = self.label(w.text)
            if done.touched or done.outside:
                stands: At = "record" if record_gone(spot, done) else "form"
                kind.can(VerbCard(verb=verb_of(text), control=text, at=stands, effect=done.effect, asks=done.asks))
                if done.new:
                    stays = bool(spot.kind) and screen.headings == self.screen(done.state).headings
                    yield _Spot(done.state, *(spot.kind, spot.record) if stays else (), depth=max(1, spot.depth - 1))
            elif done.state is not filled:
                yield _Spot(done.state, spot.kind, spot.record, via, "", spot.depth + 1)

    def about(self, spot: _Spot, main: _Done) -> _Kind | None:
        """The kind that a form makes or changes."""
        name = main.new or next((n for n in main.touched if n in self.stores), "") or spot.kind
        if name:
            return self.kind(name)
        if main.touched:
            return self.single(main.touched[0], spot)
        if spot.via is not None and spot.via.verb == "create":
            nouns = {singular(word) for word in spot.via.control.split()}
            fits = [n for n in self.stores if singular(n) in nouns] or list(self.stores)[:1]
            return self.kind(fits[0]) if fits else None
        return None

    def single(self, name: str, spot: _Spot) -> _Kind:
        """What a field changes by itself: the record that is shown, or something there is only one of."""
        kind = self.kind(name if name else spot.kind)
        kind.single = kind.single or name not in self.stores
        return kind

    def fields(self, screen: _Screen) -> Iterator[FieldCard]:
        for w, _ in screen.written:
            options = self.choices(w.options) if w.role == "combobox" else ()
            yield FieldCard(label=self.label(w.text), type=self.field_type(w), options=options, written=True, required=w.required)

    def field_type(self, w: Widget) -> FieldType:
        name = w.key.rsplit(".", 1)[-1].replace("-", "_")
        values = [v for r in self.stores.values() for one in list(r.values())[:40] if (v := vars(one).get(name)) not in ("", None)]
        if w.role in SWITCHES:
            return "truth"
        if w.role == "combobox":
            return "choice"
        if w.limits is not None:
            return "number"
        if values and all(isinstance(v, tuple | list) for v in values):
            return "list"
        guess = _guess(w.text or "", [str(v) for v in values])
        return "long_text" if w.multiline and guess == "text" else guess


def record_gone(spot: _Spot, done: _Done) -> bool:
    return bool(spot.record) and spot.record not in _records(vars(done.state).get(spot.kind))


def _records(value: Any) -> Mapping[str, BaseModel]:
    """A field of the state as records by id; nothing where it holds none."""
    if isinstance(value, Mapping) and value and all(isinstance(v, BaseModel) for v in value.values()):
        return value
    if isinstance(value, tuple | list) and value and all(isinstance(v, BaseModel) for v in value):
        return {str(getattr(v, "id", None) or next(iter(vars(v).values()), n)): v for n, v in enumerate(value)}
    return {}


def _literal(record: BaseModel, shown: Sequence[str]) -> tuple[str, ...]:
    """What a column may say, where the record's model lists it, or where few words that are no value of a record are said."""
    said = {text.casefold() for text in shown if text}
    for info in type(record).model_fields.values():
        if get_origin(info.annotation) is Literal and said and said <= {str(a).casefold() for a in get_args(info.annotation)}:
            return tuple(next((t for t in shown if t.casefold() == str(a).casefold()), str(a).capitalize())
                         for a in get_args(info.annotation))  # fmt: skip
    return ()


def _guess(label: str, values: Sequence[str]) -> FieldType:
    """By its values, and where there are none by its label."""
    known, words = [value for value in values if value], set(re.findall(r"[a-z]+", label.casefold()))
    kinds: tuple[tuple[FieldType, re.Pattern[str]], ...] = (
        ("date", _DATE), ("time", _TIME), ("people", _MAIL), ("money", _MONEY), ("number", _NUMBER)
    )  # fmt: skip
    for kind, pattern in kinds:
        if known and all(pattern.search(value) for value in known):
            return "money" if kind == "number" and words & {"amount", "price", "total", "cost"} else kind
    by_word: tuple[tuple[FieldType, set[str]], ...] = (
        ("date", {"date", "day", "due", "until", "deadline"}), ("time", {"time", "start", "end", "starts", "ends"}),
        ("money", {"amount", "price", "total", "cost"}),
        ("people", {"to", "cc", "bcc", "from", "recipients", "attendees", "guests", "people", "participants"}),
        ("number", {"quantity", "count", "minutes", "hours"}),
    )  # fmt: skip
    return "text" if known else next((kind for kind, said in by_word if words & said), "text")


def _sample(w: Widget, kind: FieldType) -> str:
    if w.role == "combobox":
        return _other(w.options, w.value or "") or (w.value or "")
    if w.limits is not None:
        low, _, step = w.limits
        return f"{low + step:g}" if w.value != f"{low + step:g}" else f"{low:g}"
    return _SAMPLES[kind]


def _other(options: Sequence[str], now: str = "") -> str:
    return next((o for o in reversed(options) if o and o != now), "")


def _said(name: str) -> str:
    return name.replace("_", " ").capitalize()


def card_of(app: AnyApp, state: AppState, variation: Variation | None = None) -> AppCard:
    """The card of an app as it is shown in a world. Made once for each state with which a world begins."""
    return _card(IdentityKey(app), IdentityKey(state), variation or Variation())


@lru_cache(maxsize=128)
def _card(app: IdentityKey[AnyApp], state: IdentityKey[AppState], variation: Variation) -> AppCard:
    own = app.value
    found = _Explorer(own, state.value, variation)
    kinds = list(found.kinds.values())
    nouns = {kind.name for kind in kinds} | {word for kind in kinds for word in kind.words}
    plural = {singular(w) for w in own.words if singular(w) != w}
    if kinds:
        kinds[0].words.update(dict.fromkeys(w for w in own.words if w in plural and w not in nouns))
    words = {label: said for label, said in found.own.items() if label != said}
    return AppCard(
        app=own.name, title=varied_text("desktop", own.title, variation), words=own.words, shares=own.shares,
        kinds=tuple(kind.card(words) for kind in kinds),
        verbs=tuple(v for v in found.verbs.values() if all(v.control != u.control for k in kinds for u in k.verbs.values())), functions=_functions(IdentityKey(own)),
    )  # fmt: skip


@lru_cache(maxsize=64)
def _functions(app: IdentityKey[AnyApp]) -> tuple[FunctionCard, ...]:
    return tuple(
        FunctionCard(name=f.name, summary=f.summary, writes=f.writes, arguments=arguments_of(f.arguments.model_json_schema()))
        for f in app.value.functions
    )


def arguments_of(schema: Mapping[str, Any]) -> tuple[FieldCard, ...]:
    """The arguments of a function as fields, from the JSON Schema of what it takes."""
    required = schema.get("required", ())
    return tuple(_argument(name, part, name in required) for name, part in schema.get("properties", {}).items())


def _argument(name: str, part: Mapping[str, Any], required: bool) -> FieldCard:
    several = [one for one in part.get("anyOf", ()) if one.get("type") != "null"]
    part = several[0] if several else part
    types: dict[str, FieldType] = {"integer": "number", "number": "number", "boolean": "truth", "array": "list"}
    dates: dict[str, FieldType] = {"date": "date", "date-time": "date", "time": "time", "email": "people"}
    options = tuple(str(one) for one in part.get("enum", ()))
    kind = "choice" if options else types.get(part.get("type", "")) or dates.get(part.get("format", ""), "text")
    return FieldCard(label=_said(name), words=(name,), type=kind, options=options, written=True, required=required)
