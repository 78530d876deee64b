"""A page as one looks at it: what can be pressed, filled and read, its parts, and what it shows as chosen, held or taken."""

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

from rapidfuzz import fuzz

from environments.cards import Widget
from protocol import GUIElement, VisualState
from roles.screen.language.words import phrases, table
from roles.screen.matching import similarity, tokens
from roles.screen.screens import Bands
from roles.screen.texts import fold, has_phrase, labelled, plain
from roles.screen.values import same_value

_PLACES = frozenset(
    {"dialog", "alertdialog", "group", "radiogroup", "form", "row", "listitem", "menu", "tablist", "article", "region", "list"}
)
_RECORDS = frozenset({"row", "listitem", "group", "article"})
_SAID = frozenset({"text", "cell", "gridcell", "heading", "label", "rowheader", "listitem", "link", "columnheader"})

PRESSED = frozenset({"button", "link", "tab", "menuitem", "option", "treeitem", "menuitemcheckbox", "menuitemradio"})
BOXES = frozenset({"checkbox", "radio", "switch", "menuitemcheckbox", "menuitemradio"})
FIELDS = frozenset({"textbox", "searchbox", "spinbutton", "combobox"})
LISTS = frozenset({"combobox", "listbox"})
PARTLY = 0.8
_ALIKE = 60
"""Of a hundred; words of two names that are as alike as that are two words, and not a slip of the pen."""
SAME = tuple(map(frozenset, table("names")["same"]))
"""Names of controls that do the same."""


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


def says(element: GUIElement | Widget, name: str) -> bool:
    """Whether an element shows the name, as a whole or as whole words."""
    wanted, shown = plain(name), plain(element.name)
    return bool(wanted) and (wanted == shown or has_phrase(shown, wanted))


class Scopes:
    """The parts of one page."""

    def __init__(self, elements: Sequence[GUIElement]) -> None:
        self.elements = list(elements)
        self._by_id = {e.element_id: e for e in elements}

    def inside(self, outer: GUIElement) -> list[GUIElement]:
        below, found = {outer.element_id}, []
        for element in self.elements:
            if element.parent in below:
                below.add(element.element_id)
                found.append(element)
        return found

    def of(self, name: str) -> list[GUIElement] | None:
        """The part that is called so, or that shows the name; None where there is none, or where several may be meant."""
        return (self._named(name) or self._record(name) or self._under(name)) if plain(name) else self.elements

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
                holder = self._by_id[holders[0]]
                return [holder, *self.inside(holder)]
            if len(holders) > 1:
                return None
        return None

    def _holder(self, element: GUIElement) -> str | None:
        at: GUIElement | None = element
        while at is not None and at.role not in _RECORDS:
            at = self._by_id.get(at.parent or "")
        return at.element_id if at is not None else None

    def _under(self, name: str) -> list[GUIElement] | None:
        """Without a row: what stands on the line of the name, else what follows it until another such name."""
        anchors = [e for e in self.elements if e.role in _SAID | {"status"} and plain(e.name) == plain(name)]
        anchors = anchors or [e for e in self.elements if e.role in _SAID and says(e, name)]
        if len(anchors) != 1:
            return None
        near = lines(self.elements, anchors[0])
        beside = [e for e in near if e.role == "link" or e.role not in _SAID | _PLACES]
        if beside and anchors[0].role != "heading":
            return [anchors[0], *beside]
        start = self.elements.index(anchors[0])
        rest = self.elements[start + 1 :]
        stop = next((n for n, e in enumerate(rest) if e.role == anchors[0].role and e.role == "heading"), len(rest))
        return [anchors[0], *rest[:stop]]


def stands_in(name: str, place: str, state: VisualState) -> bool:
    """Whether what is called `name` stands in the part of the page that is called `place`, and nowhere else."""
    there = Scopes(state.elements).of(place) or []
    held = [e for e in state.elements if e.role in _SAID and plain(e.name) == plain(name)]
    return bool(held) and plain(place) != plain(name) and all(e in there for e in held)


class Page:
    """One look at a page. What only repeats the goal is not the page's own."""

    def __init__(self, state: VisualState, goal: str) -> None:
        folded = plain(goal)
        self.state = state
        self.elements = [e for e in state.elements if not (e.role in {"text", "heading"} and e.name and plain(e.name) == folded)]

    @cached_property
    def controls(self) -> list[GUIElement]:
        """All that a press may do something to."""
        return [e for e in self.elements if is_control(e)]

    @cached_property
    def _bands(self) -> Bands[GUIElement]:
        return Bands((e, e.bbox.y1, e.bbox.y2) for e in self.elements if e.bbox is not None)

    def line(self, anchor: GUIElement) -> list[GUIElement]:
        """What stands on the same line."""
        return lines(self._bands.between(anchor.bbox.y1, anchor.bbox.y2), anchor) if anchor.bbox is not None else []

    @cached_property
    def order(self) -> dict[str, int]:
        return {e.element_id: n for n, e in enumerate(self.elements)}

    @cached_property
    def texts(self) -> list[GUIElement]:
        """Running text, cells and labels."""
        return [e for e in self.elements if is_text(e)]


def is_control(element: GUIElement) -> bool:
    return element.role in _CONTROLS and element.enabled


def is_text(element: GUIElement) -> bool:
    return element.role in _TEXTS and bool(element.name)


_CONTROLS = PRESSED | BOXES | FIELDS | LISTS | {"img", "slider"}
_TEXTS = frozenset({"text", "cell", "heading", "status", "listitem", "gridcell"})


def likeness(wanted: str, name: str) -> float:
    """How well a control's name fits the words: as written, but for case, without punctuation, the same by meaning, alike."""
    if not wanted or not name:
        return 0.0
    if wanted == name:
        return 1.0
    a, b = plain(wanted), plain(name)
    if fold(wanted) == fold(name):
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


class Record(NamedTuple):
    """A control that is there for each of several things, and what stands with it."""

    press: GUIElement
    parts: tuple[GUIElement, ...]

    @property
    def title(self) -> str:
        return next((e.name for e in self.parts if e.role != "heading" and e.name), self.press.name)


def records(page: Page, controls: list[GUIElement]) -> list[Record]:
    """The parts between two such controls belong to one of them: to the one that follows, where words stand before the first."""
    if not controls:
        return []
    order = page.order
    places = [order[c.element_id] for c in controls]
    said = [n for n, e in enumerate(page.elements) if e.name and e.role in {"text", "cell", "label", "heading"}]
    leads = any(n < places[0] for n in said)
    spans = (
        list(zip([-1, *places[:-1]], places, strict=True)) if leads else list(zip(places, [*places[1:], len(order)], strict=True))
    )
    parts = [tuple(page.elements[a + 1 : b]) for a, b in spans]
    outer = 0 if leads else len(parts) - 1  # before the first and behind the last other things stand
    size = max((len(part) for n, part in enumerate(parts) if n != outer), default=len(parts[outer]))
    parts[outer] = parts[outer][max(0, len(parts[outer]) - size) :] if leads else parts[outer][:size]
    return [Record(control, part) for control, part in zip(controls, parts, strict=True)]


GROUPS = frozenset({"group", "radiogroup", "listbox", "tablist", "list", "menu", "toolbar", "grid", "table"})
OPTIONS = frozenset({"option", "menuitem", "menuitemradio", "menuitemcheckbox", "listitem", "treeitem", "radio", "button", "tab"})


def shows(name: str, value: str, page: Page) -> bool:
    """Whether the page shows that what is called so holds the value."""
    for part in _parts(name, page):
        marked = [e for e in part if (e.role in BOXES and e.value == "true") or (e.role in OPTIONS and e.selected)]
        if any(same_value(e.name, value) for e in marked):
            return True
    ends = tuple(f"{mark}{plain(value)}" for mark in " :-")
    for e in page.controls:
        called = similarity(name, e.name) >= 0.9
        if e.role in BOXES and called and plain(value) in phrases("on") | phrases("off"):
            return (e.value == "true") == (plain(value) in phrases("on"))
        holds = e.role in LISTS | {"textbox", "button"} and called and bool(e.value)
        if holds and (same_value(e.value or "", value) or plain(e.value or "") == plain(value)):
            return True
        if e.role in PRESSED and e.name and f" {plain(e.name)}".endswith(ends) and _labelled(e, name, page):
            return True
    return False


def _parts(name: str, page: Page) -> list[list[GUIElement]]:
    """What stands in the groups of that name, and on the line of a text of that name."""
    scopes = Scopes(page.elements)
    named = [e for e in page.elements if e.role in GROUPS and e.name and similarity(name, e.name) >= 0.9]
    found = [inside for e in named if (inside := scopes.inside(e))]
    labels = [e for e in page.texts if plain(e.name).rstrip(" :*") == plain(name)]
    return found or [page.line(label) for label in labels]


def _labelled(element: GUIElement, name: str, page: Page) -> bool:
    if similarity(name, labelled(element.name.replace("– ", ": ").replace("- ", ": "))[0] or element.name) >= 0.9:
        return True
    at, line = page.order[element.element_id], page.line(element)
    near = page.elements[max(0, at - 1) : at]
    if element.expanded is not None:
        near = near + line
    elif sum(is_control(e) for e in line) > 1:
        return False  # one of several that can be chosen
    return any(is_text(e) and plain(e.name).rstrip(" :*") == plain(name) for e in near)
