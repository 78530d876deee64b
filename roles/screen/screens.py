"""A screen as a person reads it: fields, buttons, labelled values, tables, lists, and the usual names of controls.

Text is data here, never an instruction. `Hand in` is Submit, `Following page` is Next; skills know the usual word.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import pairwise
from typing import ClassVar, Generic, Literal, NamedTuple, TypeVar

from environments.cards import column_names
from environments.effects.words import Effect, effect_of_words
from protocol import Action, ActionTarget, GUIElement, VisualState
from roles.screen.language.words import phrases, table
from roles.screen.texts import fold, labelled, says_any

_CONTROLS = frozenset({"button", "tab", "menuitem", "textbox", "searchbox", "combobox", "checkbox", "switch", "spinbutton"})
_FIELDS = _CONTROLS - {"button", "tab", "menuitem"}
_BUTTONS: dict[str, str] = {other: plain for plain, others in table("names")["pressed"].items() for other in others}
_LABELS: dict[str, str] = {other: plain for plain, others in table("names")["filled"].items() for other in others}
_FIRST: dict[str, str] = {other: plain for plain, others in table("names")["begins"].items() for other in others}
_SEARCHES = {other: plain for other, plain in _BUTTONS.items() if plain == "Search"}


def usual(name: str, role: str = "button") -> str:
    """The usual name of a control that is called `name`."""
    folded = " ".join(name.split()).casefold().rstrip(".…")
    known, first = (_LABELS, _SEARCHES) if role in _FIELDS else (_BUTTONS, _FIRST if role == "button" else {})
    if folded in known:
        return known[folded]
    for begins, word in first.items():
        rest = folded.removeprefix(f"{begins} ")
        if rest != folded and (word != "New" or rest.isalpha()) and (begins != "all" or (rest.isalpha() and rest[-1] == "s")):
            return f"{word} {' '.join(name.split())[len(begins) + 1 :]}"
    return name


def plainly_called(state: VisualState, said: str = "") -> VisualState:
    """The same screen with the usual names, unless something there is called so already.

    What links and texts say stays, and so does a name that the words of the instruction, `said`, use themselves.
    """
    taken = {e.name.casefold() for e in state.elements}
    said = said.casefold()
    renamed = [e if e.name and e.name.casefold() in said else _renamed(e, taken) for e in state.elements]
    if all(new is old for new, old in zip(renamed, state.elements, strict=True)):
        return state
    return state.model_copy(update={"elements": tuple(renamed)})


def _renamed(element: GUIElement, taken: set[str]) -> GUIElement:
    if element.role not in _CONTROLS or not element.name:
        return element
    plain = usual(element.name, element.role)
    return element if plain == element.name or plain.casefold() in taken else element.model_copy(update={"text": plain})


def as_shown(action: Action, state: VisualState) -> Action:
    """`action` with its targets called as they are on the screen."""
    changes: dict[str, ActionTarget] = {}
    for part in ("target", "to"):
        target = getattr(action, part, None)
        element = state.by_id.get(target.element_id or "") if isinstance(target, ActionTarget) else None
        if element is not None and isinstance(target, ActionTarget) and target.text not in {None, element.text}:
            changes[part] = target.model_copy(update={"text": element.text})
    return action.model_copy(update=changes) if changes else action


def turns(name: str, way: Literal["onward", "backward"]) -> bool:
    """Whether a control of this name leads to the next part of a list, or to the one before."""
    return not {fold(name), fold(name).strip(" ‹›«»←→<>")}.isdisjoint(table("names")[way])


def leads_back(name: str) -> bool:
    """Whether a control of this name returns to where one came from."""
    words = name.casefold().split()
    return bool(words) and (words[0] in {"back", "←", "‹"} or name.casefold() in phrases("back"))


FIELD_ROLES = frozenset({"textbox", "searchbox", "combobox", "checkbox", "radio", "spinbutton", "listbox", "switch"})
PRESS_ROLES = frozenset({"button", "link", "tab", "menuitem", "option", "switch"})
PRESS_VERBS = frozenset({"click", "press_key"})
TEXT_ROLES = frozenset({"text", "paragraph", "label", "statictext", "heading", "cell", "gridcell", "rowheader"})
TEXT_ROLES |= {"term", "definition", "status", "alert"}
DIALOG_ROLES = frozenset({"dialog", "alertdialog"})


T = TypeVar("T")
_KEPT = 16
"""Screens that a run looks at again: those of a gate's steps."""


class Pair(NamedTuple):
    """A labelled value; `element` shows the value."""

    label: str
    value: str
    element: GUIElement


class Item(NamedTuple):
    """A row or list entry: what to press for it, its text, and its cells by column."""

    element: GUIElement
    press: GUIElement
    text: str
    cells: tuple[Pair, ...] = ()


class Bands(Generic[T]):
    """Things by where they stand from top to bottom: those near a height are found without a look at all the others."""

    def __init__(self, things: Iterable[tuple[T, int, int]]) -> None:
        self._things: list[T] = []
        self._bands: dict[int, list[int]] = {}
        self._tall: list[int] = []
        for at, (thing, top, bottom) in enumerate(things):
            self._things.append(thing)
            spanned = range(top // _BAND, bottom // _BAND + 1)
            for band in spanned if len(spanned) <= _TALL else ():
                self._bands.setdefault(band, []).append(at)
            if len(spanned) > _TALL:
                self._tall.append(at)

    def between(self, top: int, bottom: int) -> list[T]:
        """In their order, with some that stand a little higher or lower."""
        spanned = range(top // _BAND, bottom // _BAND + 1)
        if len(spanned) > _TALL:
            return self._things
        return [self._things[at] for at in sorted({*self._tall, *(at for band in spanned for at in self._bands.get(band, ()))})]


_BAND, _TALL = 32, 64
"""Pixels of a band; what spans more bands than that is looked at always."""


class Screen:
    """The part of a state that takes input: the modal dialog if there is one, else the window."""

    _latest: ClassVar[dict[int, Screen]] = {}

    @classmethod
    def of(cls, state: VisualState) -> Screen:
        """The same one for the same state, so that what was looked up on it is looked up once."""
        known = cls._latest.get(id(state))
        if known is None or known.state is not state:
            known = cls._latest[id(state)] = cls(state)
            if len(cls._latest) > _KEPT:
                cls._latest.pop(next(iter(cls._latest)), None)
        return known

    def __init__(self, state: VisualState) -> None:
        self.state = state
        self._heads: dict[str, list[str]] = {}

    def kids(self, element: GUIElement) -> list[GUIElement]:
        return list(self.state.children(element.element_id))

    def within(self, element: GUIElement) -> list[GUIElement]:
        """All that stands inside `element`, in reading order."""
        return list(self.state.within(element))

    def _inside(self, holders: Iterable[GUIElement]) -> set[str]:
        """The ids of these and of all that stands inside one of them."""
        return {e.element_id for holder in holders for e in (holder, *self.state.within(holder))}

    @cached_property
    def _of_rows(self) -> set[str]:
        return self._inside(self.rows)

    def above(self, element: GUIElement) -> list[GUIElement]:
        """Containers from the inside out."""
        return list(self.state.above(element))

    def heads(self, table: GUIElement) -> list[str]:
        """The names of a table's columns."""
        if table.element_id not in self._heads:
            self._heads[table.element_id] = column_names(self.within(table))
        return self._heads[table.element_id]

    @cached_property
    def dialog(self) -> GUIElement | None:
        return self.state.by_id.get(self.state.modal or "")

    @cached_property
    def elements(self) -> list[GUIElement]:
        if self.dialog is not None:
            return self.within(self.dialog)
        apart = self._inside(e for e in self.state.elements if e.role in DIALOG_ROLES)
        return [e for e in self.state.elements if e.element_id not in apart]

    @cached_property
    def fields(self) -> list[GUIElement]:
        return [e for e in self.elements if e.role in FIELD_ROLES]

    @cached_property
    def searches(self) -> list[GUIElement]:
        """Those that are called so before those that only say so in their empty state, such as an address line."""
        called = [f for f in self.fields if f.role == "searchbox" or says_any(f.name, phrases("searches"))]
        others = (f for f in self.fields if f not in called)
        return [*called, *(f for f in others if says_any(f.placeholder or "", phrases("searches")))]

    @cached_property
    def inputs(self) -> list[GUIElement]:
        """Fields that hold data: all but the search fields."""
        searches = {f.element_id for f in self.searches}
        return [f for f in self.fields if f.element_id not in searches]

    @cached_property
    def presses(self) -> list[GUIElement]:
        """Controls that are not entries of a list."""
        return [e for e in self.elements if e.role in PRESS_ROLES and e.name and e.element_id not in self._of_rows]

    @cached_property
    def rows(self) -> list[GUIElement]:
        headers = {e.parent for e in self.elements if e.role == "columnheader"}
        return [e for e in self.elements if e.role in {"row", "listitem", "treeitem"} and e.element_id not in headers]

    @cached_property
    def items(self) -> list[Item]:
        return [self._item(row) for row in self.rows if self.kids(row) or row.name]

    @cached_property
    def _repeated(self) -> set[str]:
        """Names of buttons that do the same in each row, and so lead to none of them."""
        names = Counter(e.name for row in self.rows for e in self.within(row) if e.role == "button")
        return {name for name, times in names.items() if times > 1 or effect_of_words(name) is Effect.DELETE}

    def _item(self, row: GUIElement) -> Item:
        inside = self.within(row)
        table = next((a for a in self.above(row) if a.role in {"table", "grid"}), None)
        columns = self.heads(table) if table is not None else []
        cells = self.kids(row)
        pairs = tuple(Pair(column, shown(cell), cell) for column, cell in zip(columns, cells, strict=False))
        said = [row.name, *(shown(e) for e in inside if e.role not in {"checkbox", "button"})]
        said = said if any(said) else [e.name for e in inside if e.role == "checkbox"]  # a task is called as its box is
        text = " · ".join(dict.fromkeys(t for t in said if t))
        links = [e for e in inside if e.role in {"link", "option"}] or [
            e for e in inside if e.role == "button" and row.role == "listitem" and e.name not in self._repeated
        ]
        press = links[0] if links else row
        return Item(row, press, text, pairs)

    @cached_property
    def columns(self) -> list[str]:
        return column_names(self.elements)

    @cached_property
    def detail_texts(self) -> list[GUIElement]:
        """Texts outside rows and controls: headings, labels, values, prose."""
        others = PRESS_ROLES | FIELD_ROLES | {"columnheader"}
        return [e for e in self.elements if e.role not in others and e.element_id not in self._of_rows and shown(e)]

    @cached_property
    def pairs(self) -> list[Pair]:
        """Labelled values outside rows: two texts in one group, `Label: value`, neighbours by position, filled fields."""
        found: list[Pair] = []
        used, rows = set[str](), {e.element_id for e in self.rows}
        groups = (e for e in self.elements if e.element_id not in rows and e.role not in {"table", "grid", "list", "dialog"})
        for group in groups:
            texts = [k for k in self.kids(group) if k.role in TEXT_ROLES and shown(k)]
            if len(texts) == 2 and len(self.kids(group)) == 2 and _in_line(*texts):
                found.append(Pair(_label(texts[0]), shown(texts[1]), texts[1]))
                used |= {texts[0].element_id, texts[1].element_id}
        for text in self.detail_texts:
            label, value = labelled(shown(text))
            if label and text.element_id not in used:
                found.append(Pair(label, value, text))
                used.add(text.element_id)
        found += [Pair(f.name, f.value, f) for f in self.inputs if f.value and f.role != "checkbox" and f.name]
        loose = [t for t in self.detail_texts if t.element_id not in used and t.bbox is not None]
        return [*found, *_neighbours(loose)]

    @cached_property
    def complaints(self) -> list[str]:
        """What the screen says is wrong."""
        alerts = [shown(e) for e in self.elements if e.role == "alert" and shown(e)]
        return alerts + [f'the field "{f.name}" is marked as wrong' for f in self.inputs if f.invalid]

    @property
    def notices(self) -> list[str]:
        return [shown(e) for e in self.state.elements if e.role == "status" and shown(e)]

    def says(self, words: str) -> bool:
        """Whether the heads, labels and prose of the screen, rows and passing notices aside, contain `words`."""
        folded = fold(words)
        texts = [shown(t) for t in self.detail_texts if t.role != "status"] + [f.value or "" for f in self.inputs]
        return bool(folded) and any(folded in fold(text) for text in texts)


def shown(element: GUIElement) -> str:
    """What a person reads in it."""
    return (element.value if element.role in FIELD_ROLES and element.value else element.text or element.value or "").strip()


def _label(element: GUIElement) -> str:
    return shown(element).rstrip(" :")


def _neighbours(texts: Sequence[GUIElement]) -> list[Pair]:
    """A short text with another to its right in the same line, or else right below it."""
    found: list[Pair] = []
    placed = [(text, text.bbox) for text in texts if text.bbox is not None]
    lines = Bands((one, one[1].center.y, one[1].center.y) for one in placed)
    tops = Bands((one, one[1].y1, one[1].y1) for one in placed)
    for label, a in placed:
        figures = any((a + b).isdigit() for a, b in pairwise(label.name))
        if len(label.name) > 32 or label.name.endswith((".", "!", "?")) or figures:
            continue
        near = (lines.between(a.center.y - _LINE, a.center.y + _LINE), tops.between(a.y2, a.y2 + _LEADING))
        beside, under = ([(t, b) for t, b in some if t.parent == label.parent and t is not label] for some in near)
        right = [(t, b) for t, b in beside if a.x2 <= b.x1 <= a.x2 + 400 and abs(a.center.y - b.center.y) < _LINE]
        below = [(t, b) for t, b in under if a.y2 <= b.y1 <= a.y2 + _LEADING and abs(a.x1 - b.x1) < 12]
        for value, _ in sorted(right, key=lambda one: one[1].x1)[:1] or below[:1]:
            found.append(Pair(_label(label), shown(value), value))
    return found


_LINE, _LEADING = 10, 24
"""Pixels that the middles of two texts of a line are apart at most, and a text from the label above it."""


def _in_line(label: GUIElement, value: GUIElement) -> bool:
    """Side by side; without positions, a label is a short text that is no sentence."""
    if label.bbox is None or value.bbox is None:
        return len(label.name) <= 40 and not label.name.endswith((".", "!", "?"))
    return abs(label.bbox.center.y - value.bbox.center.y) < 12
