"""A page as one looks at it: what can be pressed, filled and read, its parts, and which of it a phrase means."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from rapidfuzz import fuzz

from protocol import GUIElement, VisualState
from roles.screen.language.lexicon import KIND, SAME, plain
from roles.screen.matching import similarity, tokens


@dataclass(frozen=True)
class Thing:
    """Something on a page, as a sentence points at it. Empty parts say nothing."""

    name: str = ""
    """What it is called: `Submit`, `#2`."""
    kind: str = ""
    """button, link, tab, box, field, area, slider, list, dialog, section, icon or item."""
    nth: int = 0
    """1 is the first, -1 the last."""
    every: bool = False
    place: str = ""
    """What it stands in or belongs to, in words."""
    words: str = ""
    """All of it as it was said, articles aside."""


_DIALOG = re.compile(r"\b(?:dialog|dialogue|pop-?up|modal|window|message box)\b")
_PLACES = frozenset(
    {"dialog", "alertdialog", "group", "radiogroup", "form", "row", "listitem", "menu", "tablist", "article", "region", "list"}
)
_RECORDS = frozenset({"row", "listitem", "group", "article"})
_NOT_NAMED = frozenset(
    {"the", "a", "an", "of", "in", "on", "for", "this", "that", "page", "screen", "left", "right", "top", "bottom", "site"}
)
_SAID = frozenset({"text", "cell", "gridcell", "heading", "label", "rowheader", "listitem", "link", "columnheader"})


def names_in(place: str) -> list[str]:
    """What a place may be called, the whole phrase first: `row of Klara` and then `Klara`, `folder Photos` and then `Photos`."""
    words = place.split()
    found = [place]
    for n in range(1, len(words)):
        if words[n - 1][:1].islower():
            found.append(" ".join(words[n:]))
        else:
            break
    return [name for name in found if any(w.casefold() not in _NOT_NAMED for w in name.split())]


def is_general(place: str) -> bool:
    """Whether a place names no one place: `the list`, `the page`, `the form`."""
    return all(
        w.casefold() in _NOT_NAMED or KIND.fullmatch(w) or w.casefold() in {"form", "menu", "table"} for w in place.split()
    )


def lines(elements: Sequence[GUIElement], anchor: GUIElement) -> list[GUIElement]:
    """What stands on the same line as `anchor`."""
    if anchor.bbox is None:
        return []
    top, bottom = anchor.bbox.y1, anchor.bbox.y2
    return [
        e
        for e in elements
        if e.bbox is not None
        and min(bottom, e.bbox.y2) - max(top, e.bbox.y1) > 0.4 * (min(bottom - top, e.bbox.y2 - e.bbox.y1) or 1)
    ]


def says(element: GUIElement, name: str) -> bool:
    """Whether an element shows the name, as a whole or as whole words."""
    wanted, shown = plain(name), plain(element.name)
    return bool(wanted) and (wanted == shown or re.search(rf"(?<![\w.-]){re.escape(wanted)}(?![\w-]|\.\w)", shown) is not None)


class Scopes:
    """The parts of one page."""

    def __init__(self, elements: Sequence[GUIElement]) -> None:
        self.elements = list(elements)
        self._above = {e.element_id: e.parent for e in elements}

    def inside(self, outer: GUIElement) -> list[GUIElement]:
        below, found = {outer.element_id}, []
        for element in self.elements:
            if element.parent in below:
                below.add(element.element_id)
                found.append(element)
        return found

    def of(self, place: str) -> list[GUIElement] | None:
        """The part that `place` names; all where it names none in particular, None where it names one that is not there."""
        words = plain(place)
        if not words:
            return self.elements
        dialogs = [e for e in self.elements if e.role in {"dialog", "alertdialog"} and e.visible]
        if dialogs and _DIALOG.search(words):
            return self.inside(dialogs[-1])
        for name in names_in(place):
            if found := self._named(name) or self._record(name) or self._under(name):
                return found
        return self.elements if is_general(place) else None

    def _named(self, name: str) -> list[GUIElement] | None:
        named = [e for e in self.elements if e.role in _PLACES and e.name and similarity(name, e.name) >= 0.9]
        named = named or [e for e in self.elements if e.role in _PLACES - _RECORDS and e.name and similarity(name, e.name) >= 0.7]
        return next((inside for e in named if (inside := self.inside(e))), None)

    def _record(self, name: str) -> list[GUIElement] | None:
        """The one row or item that shows the name; the innermost where several stand in each other."""
        exact = [e for e in self.elements if plain(e.name) == plain(name) and e.role in _SAID]
        for said in (exact, [e for e in self.elements if e.role in _SAID and says(e, name)]):
            holders = list(dict.fromkeys(id_ for e in said if (id_ := self._holder(e)) is not None))
            if len(holders) == 1:
                holder = next(e for e in self.elements if e.element_id == holders[0])
                return [holder, *self.inside(holder)]
            if len(holders) > 1:
                return None
        return None

    def _holder(self, element: GUIElement) -> str | None:
        at: str | None = element.element_id
        roles = {e.element_id: e.role for e in self.elements}
        for _ in range(40):
            if at is None:
                return None
            if roles.get(at) in _RECORDS:
                return at
            at = self._above.get(at)
        return None

    def _under(self, name: str) -> list[GUIElement] | None:
        """Without a row: what stands on the line of the name, else what follows it until another such name."""
        anchors = [e for e in self.elements if e.role in _SAID | {"status"} and plain(e.name) == plain(name)]
        anchors = anchors or [e for e in self.elements if e.role in _SAID and says(e, name)]
        if len(anchors) != 1:
            return None
        near = lines(self.elements, anchors[0])
        beside = [e for e in near if e.role == "link" or e.role not in _SAID | _PLACES]
        if beside:
            return [anchors[0], *beside]
        start = self.elements.index(anchors[0])
        rest = self.elements[start + 1 :]
        stop = next((n for n, e in enumerate(rest) if e.role == anchors[0].role and e.role == "heading"), len(rest))
        return [anchors[0], *rest[:stop]]


PRESSED = frozenset({"button", "link", "tab", "menuitem", "option", "treeitem", "menuitemcheckbox", "menuitemradio"})
BOXES = frozenset({"checkbox", "radio", "switch", "menuitemcheckbox", "menuitemradio"})
FIELDS = frozenset({"textbox", "searchbox", "spinbutton", "combobox"})
LISTS = frozenset({"combobox", "listbox"})
_BY_KIND: dict[str, frozenset[str]] = {
    "button": frozenset({"button", "menuitem", "switch"}), "link": frozenset({"link"}), "tab": frozenset({"tab"}), "box": BOXES,
    "field": FIELDS, "slider": frozenset({"slider"}), "list": LISTS, "icon": frozenset({"img"}),
    "section": frozenset({"tab", "treeitem"}), "dialog": frozenset({"dialog", "alertdialog"}),
}  # fmt: skip
GOOD, PARTLY = 0.7, 0.8
_ALIKE = 60
"""Of a hundred; words of two names that are as alike as that are two words, and not a slip of the pen."""


class Page:
    """One look at a page. What only repeats the goal is not the page's own."""

    def __init__(self, state: VisualState, goal: str) -> None:
        folded = plain(goal)
        self.state = state
        self.elements = [e for e in state.elements if not (e.role in {"text", "heading"} and e.name and plain(e.name) == folded)]

    def part(self, elements: Sequence[GUIElement]) -> Page:
        """The same page, as far as these elements."""
        page = Page(self.state, "")
        page.elements = list(elements)
        return page

    @cached_property
    def controls(self) -> list[GUIElement]:
        """All that a press may do something to."""
        roles = PRESSED | BOXES | FIELDS | LISTS | {"img", "slider"}
        return [e for e in self.elements if e.role in roles and e.enabled]

    @cached_property
    def fields(self) -> list[GUIElement]:
        return [e for e in self.elements if e.role in FIELDS and e.enabled]

    @cached_property
    def boxes(self) -> list[GUIElement]:
        return [e for e in self.elements if e.role in BOXES]

    @cached_property
    def lists(self) -> list[GUIElement]:
        return [e for e in self.elements if e.role in LISTS and e.options]

    @cached_property
    def texts(self) -> list[GUIElement]:
        """Running text, cells and labels."""
        return [e for e in self.elements if e.role in {"text", "cell", "heading", "status", "listitem", "gridcell"} and e.name]

    @cached_property
    def dialogs(self) -> list[GUIElement]:
        return [e for e in self.elements if e.role in {"dialog", "alertdialog"} and e.visible]

    def inside(self, outer: GUIElement) -> list[GUIElement]:
        """Everything below `outer`, in reading order."""
        below, found = {outer.element_id}, []
        for element in self.elements:
            if element.parent in below:
                below.add(element.element_id)
                found.append(element)
        return found

    def scope(self, place: str) -> list[GUIElement]:
        """The part of the page that `place` names; nothing where that is not on the page."""
        found = Scopes(self.elements).of(place)
        return [] if found is None else found

    def find(self, thing: Thing, among: Sequence[GUIElement] | None = None) -> GUIElement | None:
        """What the phrase means, if the page has it."""
        found = self.all(thing, among)
        if not found:
            return None
        if thing.nth:
            place = thing.nth - 1 if thing.nth > 0 else thing.nth
            return found[place] if -len(found) <= place < len(found) else None
        return found[0]

    def rivals(self, thing: Thing, among: Sequence[GUIElement] | None = None) -> list[GUIElement]:
        """All that the phrase may mean equally well: more than one where it does not say which of several things is meant."""
        if not thing.name or thing.nth or thing.every:
            return []
        found = self.all(thing, among)
        first = found[0] if found else None
        if first is None:
            return []
        # A name that only begins or ends so is as good as another that does: `Delete` of `Delete Milk` and `Delete Bread`.
        loose = likeness(thing.name, first.name) == PARTLY
        same = (first.role, first.visible, first.name, _fits(thing.kind, first))
        return [
            e for e in found if (e.role, e.visible, first.name if loose else e.name, _fits(thing.kind, e)) == same
        ]

    def all(self, thing: Thing, among: Sequence[GUIElement] | None = None) -> list[GUIElement]:
        """All that the phrase may mean: the best names first, or all of its kind in reading order."""
        scope = self.scope(thing.place)
        known = {e.element_id for e in scope}
        options = [e for e in (self.controls if among is None else among) if e.element_id in known]
        if not thing.name:
            return _of_kind(thing.kind, options)
        scored = [(max(likeness(thing.name, e.name), 0.99 * likeness(thing.words, e.name)), e) for e in options if e.name]
        top = max((score for score, _ in scored), default=0.0)
        if top < GOOD:
            return []
        best = [e for score, e in scored if score >= top - 0.005]
        return sorted(best, key=lambda e: (not _fits(thing.kind, e), not e.visible)) if not thing.nth else best


def _fits(kind: str, element: GUIElement) -> bool:
    return element.role in _BY_KIND.get(kind, PRESSED)


def _of_kind(kind: str, options: Iterable[GUIElement]) -> list[GUIElement]:
    everything = list(options)
    exact = [e for e in everything if _fits(kind, e)]
    if not exact and kind in {"link", "tab", "section", "item", ""}:
        exact = [e for e in everything if e.role in PRESSED]
    if not exact and kind == "icon":
        exact = [e for e in everything if e.role in PRESSED and e.name_source in {"class", "image", "title"}]
    return sorted(exact, key=lambda e: not e.visible) if kind not in {"field", "area"} else exact


def likeness(wanted: str, name: str) -> float:
    """How well a control's name fits the words: as written, but for case, without punctuation, the same by meaning, alike."""
    if not wanted or not name:
        return 0.0
    if wanted == name:
        return 1.0
    a, b = plain(wanted), plain(name)
    if " ".join(wanted.split()).casefold() == " ".join(name.split()).casefold():
        return 0.98
    if a == b:
        return 0.96
    if any(a in same and b in same for same in SAME):
        return 0.9
    if len(a) > 2 and (b.startswith(f"{a} ") or b.endswith(f" {a}")):
        return PARTLY
    return min(0.85, similarity(wanted, name)) if len(a) > 2 and not _another(a, b) else 0.0


def _another(a: str, b: str) -> bool:
    """Whether names that are alike by their letters are of two things: `Track 8` and `Track 83`, `Novak` and `Nowak`."""
    mine, others = set(tokens(a)), set(tokens(b))
    if "".join(tokens(a)) == "".join(tokens(b)):
        return False
    only, foreign = mine - others, others - mine
    if any(any(map(str.isdigit, word)) for word in only):
        return True
    return bool(only and foreign) and any(fuzz.ratio(one, other) >= _ALIKE and not _inflected(one, other) for one in only
                                          for other in foreign)  # fmt: skip


def _inflected(one: str, other: str) -> bool:
    return one.startswith(other[: max(4, len(other) - 2)]) or other.startswith(one[: max(4, len(one) - 2)])


def listed(words: str, names: Sequence[str]) -> tuple[list[str], str]:
    """Which of `names` a list in words holds, and what is left of the words: `a, b and c`, names with `and` in them too."""
    left, found = f" {words} ", []
    for name in sorted(set(names), key=len, reverse=True):
        pattern = rf"(?<![\w]){re.escape(name)}(?![\w])"
        exact = re.search(pattern, left) or (re.search(pattern, left, re.IGNORECASE) if len(name) > 1 else None)
        if name.strip() and exact:
            found.append((words.casefold().find(name.casefold()), name))
            left = left[: exact.start()] + " , " + left[exact.end() :]
    rest = re.sub(r"\b(?:and|or|the|both|all|options?|items?|boxe?s?|checkboxe?s?|from|list)\b|[\s,;:.\"']+", " ", left).strip()
    return [name for _, name in sorted(found)], rest
